"""Hölder distances: published values, the frontier's own distances, and no way that is shorter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import NORMS, RETURNS, examples, frame, lp, oracle, scales, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.cli import main
from deabench.errors import CertificateError
from deabench.geometry.technology import technology_facets

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOOK = {
    "07_holder_input_8dmu": (["x1", "x2"], ["y1"], "input"),
    "08_holder_output_8dmu_constant_input": (["x1"], ["y1", "y2"], "output"),
    "09_erg_sbm_graph_8dmu": (["x1"], ["y1"], "none"),
}
COLUMNS = [
    (name, column)
    for name in BOOK
    for column in oracle(name, "expected")
    if column.startswith("holder")
]


@pytest.mark.parametrize(
    ("name", "column"), COLUMNS, ids=[f"{name[:2]}-{column}" for name, column in COLUMNS]
)
def test_briecs_distances(name, column) -> None:
    inputs, outputs, orientation = BOOK[name]
    norm = next(norm for norm in NORMS if f"_{norm}_" in column)
    ranking = db.rank(
        oracle(name, "data"),
        inputs=inputs,
        outputs=outputs,
        model=db.models.Holder(
            orientation=orientation, norm=norm, weights="mip" if "weighted" in column else "ones"
        ),
    )
    expected = oracle(name, "expected")[column]
    np.testing.assert_allclose(
        ranking.scores, expected, rtol=1e-9, atol=5.1e-7 if column.endswith("6dp") else 1e-12
    )
    np.testing.assert_allclose(
        ranking.scores.to_numpy()[:, None] * ranking.tables["direction"] + ranking.actual,
        ranking.projections
        - ranking.slacks * np.where(np.isin(ranking.slacks.columns, inputs), -1, 1),
        atol=1e-9,
    )
    db.certify(ranking)


def way_out(X: np.ndarray, Y: np.ndarray, o: int, direction: np.ndarray, returns: str) -> float:
    """max β by SciPy along `way`, outputs first."""
    n, s, (low, high) = len(X), Y.shape[1], RETURNS[returns]
    A = np.vstack([np.column_stack([-Y.T, direction[:s]]), np.column_stack([X.T, direction[s:]])])
    b = np.append(-Y[o], X[o])
    for row, bound in [(np.ones(n), high)] * int(np.isfinite(high)) + [(-np.ones(n), -low)] * (
        low > 0
    ):
        A, b = np.vstack([A, np.append(row, 0.0)]), np.append(b, bound)
    return -lp(np.append(np.zeros(n), -1.0), A, b, bounds=[(0, None)] * n + [(None, None)])


@pytest.mark.parametrize("norm", mark_most_slow(["l2", "l1", "linf"], 1))
@examples(7)
@given(
    tables(rows=(2, 7), metrics=(2, 4), near=False),
    st.sampled_from(list(RETURNS)),
    st.integers(0, 99),
)
def test_no_way_is_shorter_and_this_one_leads_there(norm, values, returns, seed) -> None:
    values = np.where(values > 0, values, 0.01)
    ranking = db.rank(
        frame(values), inputs=["m0"], model=db.models.Holder(returns=returns, norm=norm)
    )
    X, Y, rng = values[:, :1], values[:, 1:], np.random.default_rng(seed)
    for o in range(min(len(values), 3)):
        directions = np.abs(rng.normal(size=(3, values.shape[1]))) ** 3
        directions = np.vstack([directions, np.eye(values.shape[1]), np.ones(values.shape[1])])
        directions /= np.linalg.norm(directions, NORMS[norm], axis=1)[:, None]
        own_direction = np.abs(ranking.tables["direction"].iloc[o].to_numpy())
        assert way_out(X, Y, o, own_direction, returns) == pytest.approx(
            ranking.scores.iloc[o], abs=1e-8
        )
        assert (
            min(way_out(X, Y, o, direction, returns) for direction in directions)
            >= ranking.scores.iloc[o] - 1e-8
        )
    db.certify(ranking)


@pytest.mark.parametrize("norm", mark_most_slow(["linf", "l1", "l2"], 1))
@examples(8)
@given(tables(rows=(2, 8), metrics=(2, 4), near=False), st.booleans())
def test_it_is_the_frontiers_own_distance(norm, values, costs) -> None:
    table, options = (
        frame(np.vstack([values, values[0] / 2])),
        {"inputs": ["m0"] if costs else None},
    )
    scores = rank_with(table, model="holder", norm=norm, **options).scores
    np.testing.assert_allclose(
        -db.frontier(table, **options).locate(table, norm=norm)["distance"], scores, atol=1e-8
    )


@examples(8)
@given(tables(rows=(2, 7), metrics=(2, 3), near=False), st.sampled_from([1, 2, np.inf]), st.data())
def test_neither_units_nor_the_place_of_zero_change_it_in_shares_of_ranges(
    values, norm, data
) -> None:
    table, options = (
        frame(np.vstack([values, values[0] / 2, values[0] / 3])),
        {"inputs": ["m0"], "weights": "ram", "norm": norm},
    )
    unit = data.draw(scales(values.shape[1]))
    original = rank_with(table, model="holder", **options).scores
    np.testing.assert_allclose(
        rank_with(table * unit, model="holder", **options).scores, original, atol=1e-8
    )
    np.testing.assert_allclose(
        rank_with(table - 2.0, model="holder", **options).scores, original, atol=1e-8
    )


@pytest.mark.parametrize("returns", mark_most_slow(list(RETURNS), 2))
@examples(10)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 3))
def test_the_facets_are_what_can_be_done(returns, seed, m, s) -> None:
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 9, (6, m)) / 8 + 0.01, rng.integers(0, 9, (6, s)) / 8
    normals, h = technology_facets(X, Y, returns)
    assert (normals.min(), normals.max(axis=1).min()) == (0.0, 1.0) if m + s > 1 else True
    for o in range(len(X)):
        direction = rng.uniform(0, 1, s + m)
        ahead = normals @ direction > 1e-12
        room = h - normals @ np.append(Y[o], -X[o])
        assert (room[ahead] / (normals @ direction)[ahead]).min() == pytest.approx(
            way_out(X, Y, o, direction, returns), abs=1e-8
        )


def test_beyond_the_reference_it_has_none() -> None:
    data = oracle("09_erg_sbm_graph_8dmu", "data")
    for norm in NORMS:
        ranking = db.rank(
            pd.DataFrame({"x1": [1.0, 9.0], "y1": [6.0, 1.0]}, index=["out", "in"]),
            reference=data,
            inputs=["x1"],
            outputs=["y1"],
            model=db.models.Holder(norm=norm),
        )
        assert ranking.reasons == {
            "out": "it lies beyond what the reference can do; the distance is one from the inside"
        }
        assert np.isfinite(ranking.scores["in"])
        db.certify(ranking)


def test_a_changed_number_does_not_pass() -> None:
    data = oracle("01_fls2008_11dmu", "data")
    for norm in NORMS:
        for changed in ("scores", "slacks", "efficient", "direction"):
            ranking = db.rank(
                data, inputs=["x1", "x2"], outputs=["y1"], model=db.models.Holder(norm=norm)
            )
            if changed == "efficient":
                ranking.efficient.iloc[4] = True
            elif changed == "direction":
                ranking.tables["direction"].iloc[4] *= 1.01
            else:
                getattr(ranking, changed).iloc[4] += 0.01
            with pytest.raises(CertificateError):
                db.certify(ranking)


def test_the_command_and_what_it_says(tmp_path, capsys) -> None:
    source = tmp_path / "table.csv"
    oracle("01_fls2008_11dmu", "data").to_csv(source)
    assert (
        main(
            [
                "rank",
                str(source),
                "--inputs",
                "x1,x2",
                "--outputs",
                "y1",
                "--model",
                "holder",
                "--option",
                "norm=l2",
                "--option",
                "weights=ram",
                "--explain",
                "DMU5",
            ]
        )
        == 0
    )
    captured = capsys.readouterr()
    assert "away, by the least change of metrics in norm 'l2'" in captured.out
    assert main(["rank", str(source), "--model", "holder", "--option", "norm=lx"]) == 2
    assert "write norm=l1" in capsys.readouterr().err


def test_what_it_refuses(refused) -> None:
    data = oracle("10_charnes1994_additive_7dmu", "data")
    with refused("norm is 3; give a norm or its order, as 2"):
        db.rank(data, inputs=["x"], outputs=["y"], model=db.models.Holder(norm=3))
    with refused(
        "no metric of 'a' may change; give weights that are above 0 in one of those that are to "
        "change"
    ):
        db.rank(
            data,
            inputs=["x"],
            outputs=["y"],
            model=db.models.Holder(orientation="output", weights={"x": 1.0}),
        )
    wide = frame(np.random.default_rng(0).uniform(0.1, 1, (30, 9)))
    with refused(
        "norm 'l2' lists facets, and 9 metrics have too many of them; use norm 'l1' or 'linf'"
    ):
        db.rank(wide, model=db.models.Holder(norm="l2"))
    with refused(
        "model 'holder' has no weights 'bam'; write 'ones' or 'mip' or 'normalized' or 'ram'"
    ):
        db.rank(data, inputs=["x"], outputs=["y"], model=db.models.Holder(weights="bam"))


def test_facets_that_floating_point_loses_are_refused(refused) -> None:
    """Beside d, of 1 for 16,124, the one facet is 283,217 for 2."""
    table = pd.DataFrame(
        {"made": [283217.0, 9435, 582, 1], "used": [2.0, 32442, 153719, 16124]}, list("abcd")
    )
    model = db.models.Holder(returns="crs", orientation="output", norm="l2", weights="normalized")
    with refused(
        "norm 'l2' lists facets, and the metrics of 'd' are too far apart from those of the others "
        "for that; use norm 'l1' or 'linf'"
    ):
        db.rank(table, outputs=["made"], inputs=["used"], model=model)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_distance_that_a_missing_facet_makes_too_long_is_refused() -> None:
    # In units of r0 all other inputs are next to 0, and no facet with a weight of it is listed:
    # r0 got 161,032, though less of m2 alone reaches the frontier after 40,842.
    rows = {
        "r0": [1.0, 153018.0, 40843.0],
        "r1": [1.0, 334464.0, 2.0],
        "r2": [444.0, 4476.0, 1447.0],
        "r3": [644148.0, 1.0, 11.0],
        "r4": [28.0, 9322.0, 9.0],
        "r5": [3498.0, 6183.0, 3.0],
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["m0", "m1", "m2"])
    options = {"outputs": ["m0", "m1"], "inputs": ["m2"]}
    model = db.models.Holder(returns="nirs", norm="l2", weights="ones")
    with pytest.raises(db.DataError, match="the metrics of 'r0' are too far apart"):
        db.rank(table, model=model, **options)
    single = db.rank(
        table, model=db.models.Holder(returns="nirs", norm="l1", weights="ones"), **options
    )
    assert single.scores["r0"] == pytest.approx(40842.1, abs=1.0)
