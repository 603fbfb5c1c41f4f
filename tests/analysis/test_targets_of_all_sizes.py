"""Under constant returns a row's position does not depend on its size beside the other rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.analysis.targets import _refuse_unproved
from deabench.errors import SolveError
from deabench.geometry.closest import ClosestPoint, no_closest_point, refuse_other_distances
from deabench.results.norm_weights import resolve_norm_weights
from deabench.results.targets import factors_into_cone
from deabench.tables.transforms import Data

REFERENCE = pd.DataFrame({"y": [2.0, 1.0, 3.0], "x": [1.0, 1.0, 2.0]}, index=list("abc"))
"""The best ratio is 2."""


@pytest.mark.parametrize("method", ["faces", "milp"])
@pytest.mark.parametrize("decades", [3, 9])
@pytest.mark.parametrize("dominating", [False, True])
def test_rows_decades_apart_are_where_their_ratios_tell(method, decades, dominating) -> None:
    small = 10.0**-decades
    tested = pd.DataFrame(
        {"y": [1.0, 1.99 * small, 2.0 * small, 2.01 * small, 0.0], "x": [1.0, *[small] * 4]},
        index=["large", "inside", "on", "outside", "nothing"],
    )
    result = db.targets(
        tested,
        REFERENCE,
        outputs=["y"],
        inputs=["x"],
        returns="crs",
        method=method,
        dominating=dominating,
        weights={"y": 1.0, "x": 1.0},
    )
    assert result.position.tolist() == ["inside", "inside", "on", "outside", "inside"]
    db.certify(result)
    # In L1 the shortest way to a ratio of 2 changes the input; from outside nothing dominates.
    distances = (tested["x"] - tested["y"] / 2).abs()
    if dominating:
        distances["outside"] = np.nan
    pd.testing.assert_series_equal(
        result.distance, distances, rtol=1e-9, atol=1e-12 * small, check_names=False
    )
    assert list(result.reasons) == ["outside"] * dominating
    changed = result.targets.dropna() - tested.loc[result.distance.notna()]
    assert changed["x"].abs().to_numpy() == pytest.approx(distances.dropna(), abs=1e-9 * small)
    assert (result.intensities.sum(axis=1)[result.distance.notna()] - 1).abs().max() <= 1e-12
    # Another position is refused.
    for name, wrong in {"inside": "on", "on": "inside", "outside": "on"}.items():
        position = result.position.where(result.position.index != name, wrong)
        certificate = replace(result.solved, position=position).recompute()
        assert certificate["position"].tolist() == (result.position.index == name).tolist()


@pytest.mark.parametrize("name", ["targets", "gaps", "distance", "actual", "intensities"])
def test_what_is_no_multiple_of_what_was_solved_is_refused(name) -> None:
    tested = pd.DataFrame({"y": [1.0, 1e-6], "x": [1.0, 1e-6]}, index=["large", "small"])
    result = db.targets(tested, REFERENCE, outputs=["y"], inputs=["x"], returns="crs")
    db.certify(result)
    forged = replace(result, **{name: getattr(result, name) * (1 + 1e-9)})
    with pytest.raises(db.CertificateError, match=f"'{name}' are not those that were solved"):
        db.certify(forged)


def test_a_small_row_has_the_target_that_it_has_alone() -> None:
    tested = pd.DataFrame({"y": [1.0, 3e-8], "x": [3.0, 5e-8]}, index=["large", "small"])
    options = {"outputs": ["y"], "inputs": ["x"], "returns": "crs"}
    together = db.targets(tested, REFERENCE, weights={"y": 1.0, "x": 2.0}, **options)
    single = db.targets(tested.loc[["small"]], REFERENCE, weights={"y": 1.0, "x": 2.0}, **options)
    for name in ("targets", "gaps", "peers"):
        first = getattr(together, name).loc[["small"]]
        pd.testing.assert_frame_equal(
            first[single.targets.columns] if name != "peers" else first,
            getattr(single, name),
            rtol=1e-12,
            check_like=True,
        )


def test_factors_make_points_as_large_as_the_hull_and_keep_them_in_it() -> None:
    multiples = np.array([[0.0, 0.0, 0.0], [4.0, -2.0, -8.0], [8.0, -4.0, -4.0]])
    points = np.array([[1.0, -1.0, -1.0], [1e-6, -1e-9, 0.0], [0.0, 0.0, 0.0], [64.0, 0.0, 0.0]])
    factors = factors_into_cone(points, multiples)
    # Inputs over their largest values add up to 1.5 of the smallest multiple.
    needs = (np.abs(points[:, 1:]) / [4.0, 8.0]).sum(axis=1) / 1.5
    sizes = np.maximum(needs, points[:, 0] / 8.0)
    assert (sizes * factors <= 1.0).all()
    assert (sizes * factors > 0.5)[[0, 1, 3]].all()
    assert factors[2] == 1.0
    assert (np.log2(factors) % 1 == 0).all()


FAR_APART = pd.DataFrame(
    [
        [8, 6, 0.4],
        [1e-5, 0.07, 0.002],
        [0.8, 8, 10],
        [4e-7, 6e-8, 1.9999999999999998e-05],
        [8e7, 6e5, 8e3],
        [7e5, 7e7, 30],
    ],
    list("abcdef"),
    ["x", "y", "z"],
    dtype=float,
)
"""Beside the largest values "b" and "d" are level to 1e-13 in "x", and to 5e-7 in "z"."""


@pytest.mark.parametrize("method", ["faces", "milp"])
def test_targets_on_a_frontier_whose_rows_are_all_but_level_are_proved(method) -> None:
    small = [9.999999999999999e-05, 0.005999999999999999, 0.004999999999999999]
    tested = pd.DataFrame([small, [2e8, 2e8, 9e8]], ["s", "t"], FAR_APART.columns)
    result = db.targets(
        tested,
        FAR_APART,
        outputs=["y", "z"],
        inputs=["x"],
        norm="linf",
        weights={"x": 0.1, "y": 2.0, "z": 0.1},
        dominating=True,
        method=method,
    )
    assert result.distance.isna().tolist() == [False, True]
    db.certify(result)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_of_two_rows_that_are_level_one_stays_on_the_frontier() -> None:
    for order in (list("abcdef"), list("fedcba")):
        front = db.frontier(FAR_APART.loc[order], outputs=["y", "z"], inputs=["x"])
        assert len(set(front.extreme) & {"b", "d"}) == 1
        db.certify(front)


def test_a_target_of_the_program_that_is_not_proved_is_refused() -> None:
    options = {"outputs": ["y"], "inputs": ["x"], "norm": "l1", "method": "milp"}
    result = db.targets(REFERENCE.loc[["b"]] / 2, REFERENCE, **options)
    _refuse_unproved(result)
    with pytest.raises(SolveError, match="Pass method='faces'"):
        _refuse_unproved(replace(result, distance=result.distance + 1e-6))


def test_no_target_dominates_what_the_face_falls_short_of_by_more_than_rounding() -> None:
    """With an input of 3e8 a mixture has .00375 of "b", and 89.7 of the other input, not 30."""
    rows = [
        [6e3, 7e5, 30],
        [8e10, 9, 5e10],
        [7e6, 8e6, 9e10],
        [2e9, 7e10, 7e5],
        [7e3, 4e8, 6e4],
        [7, 90, 5],
    ]
    reference = pd.DataFrame(rows, list("abcdef"), ["x", "z", "y"], dtype=float)
    tested = pd.DataFrame([[3e8, 30.0, 90.0]], ["t"], reference.columns)
    result = db.targets(
        tested,
        reference,
        outputs=["y"],
        inputs=["x", "z"],
        norm="l1",
        weights={"x": 1.0, "z": 1.0, "y": 1.0},
        dominating=True,
    )
    assert result.distance.isna().all()
    db.certify(result)


@pytest.mark.parametrize("names", [["'p'", "'q'"], ["the group"]])
def test_other_distances_than_those_of_the_faces_are_refused(names) -> None:
    tested = np.array([[1.0, 1.0], [2.0, 2.0]])

    def at_distance(*lengths: float) -> list[ClosestPoint]:
        points = tested + np.column_stack([np.zeros(2), lengths])
        return [replace(no_closest_point(2, np.zeros((0, 2))), point=point) for point in points]

    weights = np.ones(2)
    same = at_distance(1.0, 2.0)
    refuse_other_distances(same, at_distance(1.0, 2.0 + 1e-9), tested, names, "l1", weights)
    nowhere = at_distance(np.nan, np.nan)
    refuse_other_distances(nowhere, nowhere, tested, names, "l1", weights)
    for other in (at_distance(1.0, 2.1), nowhere):
        with pytest.raises(SolveError, match="another distance than that of the listed faces"):
            refuse_other_distances(same, other, tested, names, "l1", weights)


def test_a_face_that_all_but_dominates_and_highs_cannot_reach_is_decided_exactly() -> None:
    """The least second input is 4 where the first one may be 3e7: not 3, beside up to 8e9."""
    rows = [[5e7, 9e4, 9e9], [70, 8e9, 30], [5e3, 4, 6e9], [9e4, 9e7, 8e4], [1e7, 8e5, 8e3]]
    reference = pd.DataFrame(rows, list("abcde"), ["x", "z", "y"], dtype=float)
    tested = pd.DataFrame([[3e7, 3.0, 1e9]], ["t"], reference.columns)
    result = db.targets(
        tested,
        reference,
        outputs=["y"],
        inputs=["x", "z"],
        norm="l1",
        weights="range",
        dominating=True,
    )
    assert result.distance.isna().all()
    db.certify(result)


def test_common_targets_are_proved_by_steep_slopes_in_fractions() -> None:
    rows = [
        [10, 8e5, 9, 4e9],
        [70, 9e7, 1, 9e6],
        [7e8, 2e9, 2e3, 50],
        [4e6, 9e3, 2e9, 200],
        [1e5, 4e10, 5e10, 6e9],
        [2e8, 2e9, 1, 8e8],
    ]
    reference = pd.DataFrame(rows, list("abcdef"), ["x", "p", "q", "r"], dtype=float)
    tested = pd.DataFrame(
        [[5e5, 8e6, 50, 500], [20, 1e3, 100, 4e3], [4e6, 6e5, 1e3, 10]],
        list("stu"),
        reference.columns,
    )
    result = db.targets(
        tested,
        reference,
        outputs=["p", "q", "r"],
        inputs=["x"],
        norm="l2",
        weights=dict.fromkeys(reference, 1.0),
        dominating=True,
        common=True,
    )
    assert len(set(result.faces)) == 1
    db.certify(result)
    with pytest.raises(db.CertificateError, match=r"closest|distance"):
        db.certify(replace(result, distance=result.distance * (1 + 1e-6)))


@pytest.mark.parametrize("returns", ["vrs", "crs"])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_changes_of_a_constant_metric_count_in_shares_of_its_value(norm, returns) -> None:
    """So that no unit of it decides which target is closest."""
    reference = REFERENCE.assign(level=[5.0] * 3)
    tested = pd.DataFrame([[1.0, 3.0, 4.0]], ["t"], reference.columns)
    options = {"outputs": ["y", "level"], "inputs": ["x"], "norm": norm, "returns": returns}
    result = db.targets(tested, reference, weights="range", **options)
    assert result.weights["level"] == 0.2
    for unit in (2.0**-20, 1e6):
        sizes = [1.0, 1.0, unit]
        other = db.targets(tested * sizes, reference * sizes, weights="range", **options)
        assert other.distance["t"] == pytest.approx(result.distance["t"], rel=1e-12)
        assert (other.targets["level"] / unit).tolist() == pytest.approx(
            result.targets["level"].tolist(), rel=1e-9
        )
    assert resolve_norm_weights("range", data_of_zeros())[0].tolist() == [1.0]


def data_of_zeros() -> Data:
    """Return data with one output that is 0 throughout."""
    zeros = pd.DataFrame({"y": [0.0, 0.0]})
    return Data(outputs=zeros, inputs=zeros[[]])
