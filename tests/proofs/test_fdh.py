"""Without mixtures: the free disposal hull's frontier, where points lie to it, and targets that are
classifiers.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from dea_cases import NORMS, examples, frame, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.cli import main
from deabench.errors import CertificateError
from deabench.proofs.fdh import (
    ON,
    _closeness_errors,
    _position_errors,
    certify_fdh_frontier,
    certify_fdh_targets,
)

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = pd.DataFrame(
    {
        "accuracy": [0.9, 0.85, 0.8, 0.7, 0.6, 0.65, 0.8],
        "err": [0.1, 0.05, 0.2, 0.02, 0.3, 0.25, 0.2],
        "latency_ms": [500.0, 120, 60, 20, 30, 100, 60],
    },
    index=list("abcdefg"),
)
FDH = {"technology": "fdh", "outputs": ["accuracy"], "inputs": ["latency_ms"]}


def pareto(Y: np.ndarray) -> np.ndarray:
    return np.array([not ((y <= Y).all(axis=1) & (y < Y).any(axis=1)).any() for y in Y])


def nearest_exit(P: np.ndarray, p: np.ndarray, norm: str) -> float:
    """The distance to the boundary by brute force: from inside over every choice of a metric for
    each row.
    """
    room = P - p
    over = room[(room > 0).all(axis=1)]
    if not len(over):
        return float(min(np.linalg.norm(np.minimum(row, 0), NORMS[norm]) for row in room))
    steps = []
    for choice in itertools.product(range(P.shape[1]), repeat=len(over)):
        step = np.zeros(P.shape[1])
        for row, r in zip(over, choice, strict=True):
            step[r] = max(step[r], row[r])
        steps.append(np.linalg.norm(step, NORMS[norm]))
    return -float(min(steps))


@pytest.mark.parametrize("norm", mark_most_slow(["l1", "l2", "linf"], 1))
@examples(25)
@given(
    tables(rows=(1, 6), metrics=(1, 3), near=False),
    st.integers(0, 10**6),
    st.booleans(),
    st.booleans(),
)
def test_targets_and_locations_by_brute_force(norm, Y, seed, dominating, common) -> None:
    points = np.random.default_rng(seed).integers(20, 121, (3, Y.shape[1])) / 100
    front = db.frontier(frame(Y), technology="fdh")
    E = pareto(Y)
    assert front.extreme == frame(Y).index[E].tolist()
    assert len(db.certify(front)) == 1
    P = Y[E]
    located = front.locate(frame(points, "t"), norm=norm)
    np.testing.assert_allclose(
        located["distance"], [nearest_exit(P, p, norm) for p in points], atol=1e-12
    )
    targets = db.targets(
        frame(points, "t"),
        frame(Y),
        norm=norm,
        technology="fdh",
        dominating=dominating,
        common=common,
    )
    db.certify(targets)
    lengths = np.array(
        [
            [
                np.linalg.norm(y - p, NORMS[norm]) if not dominating or (y >= p).all() else np.inf
                for y in P
            ]
            for p in points
        ]
    )
    truth = lengths.sum(axis=0).min() if common else lengths.min(axis=1).sum()
    if np.isfinite(truth):
        assert targets.distance.sum() == pytest.approx(truth, abs=1e-12)
    else:
        assert targets.reasons
        assert set(targets.reasons.values()) <= {
            "no system of the frontier is nowhere below it",
            "no system of the frontier is nowhere below all of the tested",
        }
    assert {label for face in targets.faces for label in face} <= set(front.vertices)


def test_the_way_out_of_many_classifiers_is_found_at_once() -> None:
    Y = np.random.default_rng(0).random((400, 4))
    front = db.frontier(frame(Y), technology="fdh")
    P = Y[pareto(Y)]
    middle = frame(np.full((1, 4), 0.4), "t")
    distances = {norm: -front.locate(middle, norm=norm)["distance"].iloc[0] for norm in NORMS}
    assert distances["linf"] <= distances["l2"] <= distances["l1"] <= 4 * distances["linf"] + 1e-12
    for norm in NORMS:  # nothing nearer: random steps of that length stay below some classifier
        steps = np.abs(np.random.default_rng(1).normal(size=(2000, 4)))
        steps *= (distances[norm] - 1e-9) / np.linalg.norm(steps, NORMS[norm], axis=1)[:, None]
        assert all((0.4 + step < P).all(axis=1).any() for step in steps)


def test_targets_are_classifiers_and_the_ranking_agrees() -> None:
    front = db.frontier(BOARD, **FDH)
    assert front.extreme == ["a", "b", "c", "d", "g"]
    assert front.vertices == ["a", "b", "c", "d"]
    ranking = db.rank(BOARD, outputs=FDH["outputs"], inputs=FDH["inputs"], model="fdh")
    assert set(front.extreme) == set(ranking.scores.index[ranking.efficient])
    targets = db.targets(BOARD.loc[["e", "f"]], BOARD, **FDH)
    assert [face[0] for face in targets.faces] == ["d", "d"]
    np.testing.assert_allclose(targets.targets.loc["e"], BOARD.loc["d", ["accuracy", "latency_ms"]])
    np.testing.assert_allclose(targets.gaps.loc["e"], [0.1, -10.0])
    assert targets.position.tolist() == ["inside", "inside"]
    assert targets.unproved == ()
    assert any("mixtures do not count" in note for note in targets.notes)
    assert front.locate(targets.targets)["position"].tolist() == ["on", "on"]
    assert (
        "5 of 7 systems are on the frontier without mixtures (free disposal hull)"
        in front.summary()
    )
    assert front.faces["vertices"].tolist() == [("a",), ("b",), ("c",), ("d",)]


@pytest.mark.parametrize(
    "wrong", [{"distance": 0.9}, {"targets": 1.01}, {"gaps": 1.01}, {"intensities": 0.5}]
)
def test_a_changed_number_is_refused(wrong) -> None:
    targets = db.targets(BOARD.loc[["e", "f"]], BOARD, **FDH)
    ((name, factor),) = wrong.items()
    with pytest.raises(CertificateError):
        db.certify(replace(targets, **{name: getattr(targets, name) * factor}))


def test_another_classifier_position_or_frontier_is_refused() -> None:
    targets = db.targets(BOARD.loc[["e"]], BOARD, **FDH)
    lam = targets.intensities.copy()
    lam.loc["e"] = [0.0, 0, 1, 0]
    target = BOARD.loc[["c"], ["accuracy", "latency_ms"]].set_axis(["e"])
    gaps = target - targets.actual
    length = pd.Series(
        [float(np.abs(gaps.to_numpy() * list(targets.weights.values())).sum())], index=["e"]
    )
    farther = replace(
        targets,
        targets=target,
        gaps=gaps,
        intensities=lam,
        distance=length,
        faces=pd.Series([("c",)], index=["e"]),
    )
    with pytest.raises(CertificateError, match="closest"):
        db.certify(farther)
    with pytest.raises(CertificateError, match="position"):
        db.certify(replace(targets, position=targets.position.replace("inside", "outside")))
    front = db.frontier(BOARD, **FDH)
    for vertices, extreme in (
        (["a", "b", "c"], ["a", "b", "c", "g"]),
        (["a", "b", "c", "d", "f"], front.extreme),
    ):
        with pytest.raises(CertificateError):
            db.certify(replace(front, vertices=vertices, extreme=extreme))


def test_what_needs_mixtures_is_refused(refused) -> None:
    front = db.frontier(BOARD, **FDH)
    for attribute in ("facets", "hull", "graph", "prices"):
        with pytest.raises(db.DataError, match="the free disposal hull has no facets"):
            getattr(front, attribute)
    with refused(
        "the free disposal hull has no facets to extend; leave on='facets' out, or use "
        "technology='convex'"
    ):
        db.targets(BOARD, BOARD, on="facets", **FDH)
    with pytest.raises(db.DataError, match="method='milp' mixes systems"):
        db.targets(BOARD, BOARD, method="milp", **FDH)
    with refused("technology 'hull' is not known; it is one of 'convex', 'fdh'"):
        db.frontier(BOARD, technology="hull")  # type: ignore[arg-type]
    rates = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.1, 0.5]}, index=["a", "b"])
    with pytest.raises(db.DataError, match="cost ranges weigh mixtures"):
        db.frontier(rates, technology="fdh").cost_ranges()


def test_the_commands_take_it(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    BOARD.rename_axis("model").to_csv(path)
    assert (
        main(
            [
                "frontier",
                str(path),
                "--technology",
                "fdh",
                "--outputs",
                "accuracy",
                "--inputs",
                "latency_ms",
                "--format",
                "csv",
                "--plot",
                str(tmp_path / "f.png"),
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "classifier,accuracy,latency_ms",
        "a,0.9,500.0",
        "b,0.85,120.0",
        "c,0.8,60.0",
        "d,0.7,20.0",
        "g,0.8,60.0",
    ]
    assert "mixtures do not count" in err
    assert (
        main(
            [
                "targets",
                str(path),
                "--reference",
                str(path),
                "--technology",
                "fdh",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    assert out.splitlines()[0].endswith(",face")
    assert "l1 distance on classifiers, by comparison\n" in err


UNITS = pd.DataFrame(
    {"a": [100.0, 300.0, 400.0, 200.0, 300.0], "b": [0.04, 0.03, 0.01, 0.02, 0.03]},
    index=list("pqrst"),
)
"""Metrics of other sizes; "q" dominates "s" and equals "t"."""
POINTS = pd.DataFrame({"a": [150.0, 250.0], "b": [0.015, 0.02]}, index=["u", "v"])


@pytest.mark.parametrize(
    ("vertices", "extreme", "counts"),
    [
        ("pqr", "pqrt", (0, 0, 0)),
        ("pq", "pqrt", (1, 0, 1)),
        ("p", "p", (4, 0, 0)),
        ("pqrs", "pqrst", (0, 1, 0)),
        ("pqrt", "pqrt", (0, 0, 1)),
        ("pqr", "pqr", (0, 0, 1)),
        ("pqr", "pqrs", (0, 0, 2)),
        ("pqrz", "pqrt", (0, 0, 2)),
    ],
)
def test_each_claim_of_a_free_disposal_hull_counts_its_own_faults(
    vertices, extreme, counts
) -> None:
    front = replace(
        db.frontier(UNITS, technology="fdh"), vertices=list(vertices), extreme=list(extreme)
    )
    assert tuple(certify_fdh_frontier(front).iloc[0]) == counts


def with_vertex(targets: db.Targets, label: str, vertex: str) -> db.Targets:
    """Return the same with another vertex as a target, and all that fits to it."""
    lam = targets.intensities.copy()
    lam.loc[label] = (lam.columns == vertex).astype(float)
    points = targets.targets.copy()
    points.loc[label] = UNITS.loc[vertex]
    gaps = points - targets.actual
    weighted = gaps * pd.Series(targets.weights)
    distance = pd.Series(np.linalg.norm(weighted, NORMS[targets.norm], axis=1), gaps.index)
    faces = targets.faces.copy()
    faces[label] = (vertex,)
    return replace(
        targets, intensities=lam, targets=points, gaps=gaps, distance=distance, faces=faces
    )


def test_a_row_that_is_better_in_one_metric_alone_dominates() -> None:
    table = pd.DataFrame({"a": [2.0, 2.0, 1.0], "b": [1.0, 0.5, 3.0]}, list("pqr"))
    front = db.frontier(table, technology="fdh")
    for vertices, dominated in ((["p", "r"], 0), (["p", "q", "r"], 1)):
        forged = replace(front, vertices=vertices, extreme=vertices)
        assert certify_fdh_frontier(forged).loc["frontier", "dominated"] == dominated


@pytest.mark.parametrize("dominating", [False, True])
def test_a_vertex_that_is_as_good_in_one_metric_dominates(dominating) -> None:
    """It is nearer than the target that is better in both."""
    vertices = np.array([[1.0, 2.0], [3.0, 3.0]])
    result = SimpleNamespace(
        norm="l1", dominating=dominating, common=False, distance=pd.Series([4.0])
    )
    errors = _closeness_errors(result, vertices, np.ones((1, 2)), np.ones(2))
    assert errors.tolist() == [3.0]


@pytest.mark.parametrize("dominating", [False, True])
def test_gaps_lead_from_the_point_to_its_target(dominating) -> None:
    honest = db.targets(POINTS * [0.5, 1.0], UNITS, technology="fdh", dominating=dominating)
    for factor in (0.5, 1.5):
        forged = replace(honest, gaps=honest.gaps * factor)
        assert (certify_fdh_targets(forged)["gap_error"] > 1e-3).all()


def test_who_has_no_target_has_none_that_dominates() -> None:
    """ "n" is better in one metric than any; of "o" a target is withheld."""
    vertices = np.array([[1.0, 3.0], [3.0, 1.0]])
    result = SimpleNamespace(
        norm="l1", dominating=True, common=False, distance=pd.Series([np.nan, np.nan, 2.0])
    )
    points = np.array([[2.0, 0.5], [4.0, 0.5], [2.0, 0.5]])
    errors = _closeness_errors(result, vertices, points, np.ones(2))
    assert errors.tolist() == [np.inf, 0.0, 0.5]
    honest = db.targets(POINTS * [0.5, 1.0], UNITS, technology="fdh", dominating=True)
    forged = replace(
        honest,
        distance=honest.distance.where(honest.distance.index != "u"),
        reasons={"u": "nothing dominates it"},
    )
    with pytest.raises(CertificateError, match="closest"):
        db.certify(forged)


@pytest.mark.parametrize("dominating", [False, True])
@pytest.mark.parametrize("common", [False, True])
@pytest.mark.parametrize("norm", NORMS)
def test_a_vertex_is_too_far_by_what_another_is_nearer(norm, common, dominating) -> None:
    weights = {"a": 1.0, "b": 2e4}
    honest = db.targets(
        POINTS * [0.5, 1.0] if dominating else POINTS,
        UNITS,
        technology="fdh",
        norm=norm,
        common=common,
        dominating=dominating,
        weights=weights,
    )
    assert not certify_fdh_targets(honest).any(axis=None)
    factor = np.array(list(weights.values()))
    rows = UNITS.loc[list("pqr")]
    lengths = pd.DataFrame(
        [
            np.linalg.norm((rows - point) * factor, NORMS[norm], axis=1)
            for _, point in honest.actual.iterrows()
        ],
        honest.actual.index,
        rows.index,
    )
    below = [
        [(rows.loc[v] < point).any() for v in rows.index] for _, point in honest.actual.iterrows()
    ]
    admissible = lengths.mask(below, np.inf) if dominating else lengths
    for vertex in rows.index:
        for label in honest.actual.index:
            forged = with_vertex(honest, label, vertex)
            columns = certify_fdh_targets(forged)
            size = np.maximum(forged.distance, (factor * honest.frontier.unit).max())
            nearest = admissible.min(axis=1)
            excess = forged.distance - nearest
            if common:
                excess = excess * 0 + forged.distance.sum() - admissible.sum().min()
            np.testing.assert_allclose(
                columns["closest"], np.maximum(excess, 0.0) / size, rtol=1e-9, atol=1e-12
            )
            gaps = forged.gaps.to_numpy() / honest.frontier.unit
            expected = np.maximum(-gaps, 0.0).max(axis=1) * dominating
            np.testing.assert_allclose(columns["gap_error"], expected, rtol=1e-9, atol=1e-12)
            others = ["lambda_error", "distance_error", "face_error", "position", "frontier"]
            assert columns[others].max().max() < 1e-12


@pytest.mark.parametrize(
    ("part", "change", "column", "expected"),
    [
        ("targets", {"a": 0.5, "b": 1e-5}, "lambda_error", max(0.5 / 256, 1e-5 / 2**-6)),
        ("gaps", {"b": 1e-5}, "gap_error", 1e-5 / 2**-6),
        ("gaps", {"a": -0.5}, "gap_error", 0.5 / 256),
        ("intensities", {"p": -0.5, "q": 0.5}, "lambda_error", np.inf),
        ("intensities", {"q": 1.0}, "lambda_error", np.inf),
        ("intensities", {"p": -1.0}, "lambda_error", np.inf),
        ("intensities", {"q": 1.0, "r": -1.0}, "lambda_error", np.inf),
    ],
)
def test_a_target_misses_its_vertex_by_what_was_changed(part, change, column, expected) -> None:
    honest = db.targets(POINTS, UNITS, technology="fdh")
    assert honest.frontier.unit.tolist() == [256, 2**-6]
    table = getattr(honest, part).copy()
    for name, value in change.items():
        table.loc["u", name] += value
    columns = certify_fdh_targets(replace(honest, **{part: table}))
    assert columns.loc["u", column] == pytest.approx(expected, rel=1e-6)
    assert columns.loc["v"].max() < 1e-12
    for step in (1.0, -1.0, 500.0):
        distance = honest.distance.add([step, 0.0])
        columns = certify_fdh_targets(replace(honest, distance=distance))
        size = max(distance["u"], 256.0)
        assert columns.loc["u", "distance_error"] == pytest.approx(abs(step) / size, rel=1e-9)
        assert columns.loc["u", "closest"] == pytest.approx(max(step, 0.0) / size, abs=1e-12)


@pytest.mark.parametrize(
    ("rise", "words"),
    [
        (1.0, {"inside"}),
        (2.1 * ON, {"inside"}),
        (2 * ON, {"inside", "on"}),
        (0.6 * ON, {"inside", "on"}),
        (ON / 2, {"on"}),
        (0.0, {"on"}),
        (-ON / 2, {"on"}),
        (-0.6 * ON, {"outside", "on"}),
        (-2 * ON, {"outside", "on"}),
        (-2.1 * ON, {"outside"}),
        (-1.0, {"outside"}),
    ],
)
def test_a_position_is_that_of_the_vertex_that_leaves_most_room(rise, words) -> None:
    vertices = np.array([[0.0, 5.0], [5.0, 0.0], [-9.0, 9.0]])
    actual = np.array([[-rise, 1.0], [2.0, -rise]])
    for word in ("inside", "on", "outside"):
        result = SimpleNamespace(position=pd.Series([word, word]))
        errors = _position_errors(result, vertices, actual)
        assert errors.tolist() == [float(word not in words)] * 2


def test_what_is_wrong_with_the_frontier_is_wrong_with_all_targets() -> None:
    honest = db.targets(POINTS, UNITS, technology="fdh")
    front = replace(honest.frontier, extreme=list("pqr"))
    columns = certify_fdh_targets(replace(honest, frontier=front))
    assert columns["frontier"].tolist() == [1.0, 1.0]
    with pytest.raises(CertificateError, match="frontier"):
        db.certify(replace(honest, frontier=front))


def test_who_needs_an_input_that_the_dmu_has_none_of_is_no_peer() -> None:
    """No share of 0 is 1: "q" spares half of "z" and is no peer of "p"."""
    table = pd.DataFrame(
        {"a": [1.0, 1.0, 1.0], "x": [0.0, 1.0, 0.0], "z": [2.0, 1.0, 2.5]}, index=list("pqr")
    )
    options = {"outputs": ["a"], "inputs": ["x", "z"], "orientation": "input"}
    ranking = rank_with(table, model="fdh", **options)
    assert ranking.scores.tolist() == pytest.approx([1.0, 1.0, 0.8], abs=1e-12)
    db.certify(ranking)
