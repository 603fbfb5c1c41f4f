"""Units and shares by which provers count what is missed, where few tables tell them apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.proofs import bounds
from deabench.proofs.ranking import count_uncovered
from deabench.utils.arrays import ROUND, scale

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize("weights", ["ones", {"a": 2.0, "x": 0.5}])
def test_the_total_of_a_dmu_without_anything_is_off_in_the_metrics_units(weights) -> None:
    """Of all 0 there is no worth of its own: there a unit of every metric counts."""
    table = pd.DataFrame({"a": [0.0, 3.0, 5.0], "x": [0.0, 20.0, 90.0]}, list("opq"))
    honest = rank_with(
        table, outputs=["a"], inputs=["x"], model="additive", returns="vrs", weights=weights
    )
    db.certify(honest)
    assert honest.scores["o"] == 0
    prices = np.ones(2) if weights == "ones" else np.array([*weights.values()])
    unit = (prices * scale(table.to_numpy())).sum()
    for change in (1e-12, 1e-6):
        forged = replace(honest, scores=honest.scores + change * (table.index == "o"))
        violations = forged.options.prove(forged).violations
        off = violations["distance_of_the_score_from_its_bounds"][0]
        assert off == pytest.approx(change / unit, rel=1e-6)


@pytest.mark.parametrize("metric", ["a", "x"])
def test_rows_are_covered_by_comparisons_without_any_rounding(metric) -> None:
    """Neighbours among floats, of which multiples would be the same."""
    floats = [1.4]
    for _ in range(8):
        floats.append(float(np.nextafter(floats[-1], 2.0)))
    for lower, higher in pairwise(floats):
        better, worse = (higher, lower) if metric == "a" else (lower, higher)
        table = pd.DataFrame(1.0, list("pq"), ["a", "x"])
        table[metric] = [better, worse]
        honest = rank_with(table, outputs=["a"], inputs=["x"], model="ccr", returns="vrs")
        assert count_uncovered(replace(honest, frontier=np.array([0]))) == 0
        assert count_uncovered(replace(honest, frontier=np.array([1]))) == 1


@pytest.mark.parametrize(
    ("error", "is_repaired"), [(0.0, True), (0.005, True), (0.02, False), (-0.02, False)]
)
def test_an_inverse_may_be_off_by_a_hundredth(monkeypatch, error, is_repaired) -> None:
    inverse = np.linalg.inv
    monkeypatch.setattr(np.linalg, "inv", lambda matrix: inverse(matrix) * (1 + error))
    one = np.ones((1, 1), dtype=bool)
    repaired = bounds._bound_moves(
        np.array([[-1e-3]]), np.zeros((1, 1)), np.ones((1, 1, 1)), one, np.zeros((1, 1)),
        np.zeros(1),
    )[1]  # fmt: skip
    assert repaired.tolist() == [is_repaired]


@pytest.mark.parametrize(("share", "is_rounding"), [(0.8, True), (1.3, False)])
@pytest.mark.parametrize("size", [1.0, 1024.0, 2.0**-10])
def test_bounds_of_outputs_alone_are_apart_beyond_the_rounding_of_their_terms(
    share, is_rounding, size
) -> None:
    """What the weights add up to, and 1 beside it, are rounded."""
    reference = pd.DataFrame({"a": [1.0, 0.25], "b": [0.25, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [size / 2], "b": [size / 2]}, ["o"])
    honest = db.rank(tested, outputs=["a", "b"], reference=reference)
    score = honest.scores["o"]
    rounding = ROUND * (score + 1.0)
    forged = replace(honest, weights=honest.weights * (1 + share * rounding))
    gap = forged.options.prove(forged).frame.loc["o", "gap"]
    if is_rounding:
        assert gap == 0
    else:
        assert gap == pytest.approx(0.3 * rounding * score, rel=0.2)


def test_a_small_distance_counts_by_the_value_that_it_changes_most() -> None:
    """Half of the tolerance as a share of ranges, and 500 times as much of the first value."""
    table = pd.DataFrame(
        {"a": [0.001, 0.001 + 5e-10, 1.001], "b": [1.0, 1.0 + 5e-10, 0.0]}, list("opr")
    )
    for outputs in (["a", "b"], ["b", "a"]):
        honest = rank_with(table, outputs=outputs, model="ddf", direction="range", returns="vrs")
        assert honest.scores["o"] == pytest.approx(5e-10, rel=1e-3)
        assert honest.efficient.tolist() == [False, True, True]
        db.certify(honest)
        forged = replace(honest, efficient=honest.efficient | True)
        wrong = forged.options.prove(forged).violations["efficient"]
        assert wrong.tolist() == [1.0, 0.0, 0.0]


def test_a_repair_that_breaks_another_metric_is_none_after_the_last_round(monkeypatch) -> None:
    """The first DMU's peer loses of the second metric what it gains of the first."""
    monkeypatch.setattr(bounds, "REPAIRS", 1)
    repaired = bounds._bound_moves(
        np.array([[-1e-3, 1e-6], [-1e-3, 1e-6]]),
        np.zeros((2, 2)),
        np.array([[[1.0, -1.0]], [[1.0, 0.0]]]),
        np.ones((2, 2), dtype=bool),
        np.zeros((2, 1)),
        np.zeros(2),
    )[1]
    assert repaired.tolist() == [False, True]


@pytest.mark.parametrize("share", [0.5, 1.0, 8.0])
def test_weights_give_a_reference_more_than_1_beyond_the_rounding_of_their_terms(share) -> None:
    """A score of 800 makes as much of what the weights miss."""
    reference = pd.DataFrame({"a": [1.0, 0.25], "b": [0.25, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [512.0], "b": [512.0]}, ["o"])
    honest = db.rank(tested, outputs=["a", "b"], reference=reference)
    weights = honest.weights * (1 + share * ROUND)
    off = honest.options.prove(replace(honest, weights=weights)).frame.loc["o"]
    terms = weights.loc["o"].sum() + 1.0
    excess = share * ROUND
    expected = max(excess / honest.scores["o"], excess - terms * ROUND)
    assert off["dual_infeasibility"] == pytest.approx(expected, rel=0.1)


MODELS = [
    {"model": "wei", "inputs": None},
    {"model": "ccr", "returns": "vrs"},
    {"model": "ccr", "returns": "crs", "orientation": "input"},
    {"model": "super"},
    {"model": "common", "inputs": None},
    {"model": "common", "inputs": None, "goal": "largest"},
    {"model": "cross"},
    {"model": "ccr", "returns": "vrs", "shares": {"a": (0.1, 0.9)}},
    {"model": "ccr", "returns": "crs", "orientation": "input", "ratios": {("a", "b"): (0.1, 9.0)}},
    {"model": "sbm"},
    {"model": "super-sbm"},
    {"model": "russell", "orientation": "none"},
    {"model": "additive"},
    {"model": "ddf", "direction": "own"},
    {"model": "rdm"},
    {"model": "holder", "norm": "linf"},
    {"model": "fdh"},
    {"model": "sbm", "technology": "fdh"},
    {"model": "ddf", "technology": "fdh"},
]


@pytest.mark.parametrize(
    "options", MODELS, ids=lambda options: " ".join(map(str, options.values()))
)
def test_nothing_is_missed_by_less_than_nothing(options) -> None:
    """Whatever is better than it has to be: λ that reach more, weights that allow less."""
    table = pd.DataFrame(
        {"a": [4.0, 1.0, 2.0, 3.0], "b": [1.0, 4.0, 2.0, 3.0], "x": [2.0, 2.0, 3.0, 2.0]},
        list("pqrs"),
    )
    options = {"inputs": ["x"], **options}
    honest = rank_with(table[["a", "b", *(options["inputs"] or [])]], outputs=["a", "b"], **options)
    better = replace(
        honest.data,
        outputs=honest.data.outputs * 0.75,
        inputs=honest.data.inputs * 1.5,
    )
    for forged in (honest, replace(honest, data=better)):
        frame = forged.options.prove(forged).frame
        columns = frame.columns.intersection(["primal_infeasibility", "dual_infeasibility"])
        assert not (frame[[*columns, "gap"]] < 0).any(axis=None)


@pytest.mark.parametrize("options", MODELS[:4], ids=lambda options: options["model"])
def test_a_score_is_as_far_from_its_proof_as_from_what_lambda_reach(options) -> None:
    table = pd.DataFrame(
        {"a": [4.0, 1.0, 2.0], "b": [1.0, 4.0, 2.0], "x": [2.0, 2.0, 3.0]}, list("pqr")
    )
    options = {"inputs": ["x"], **options}
    honest = rank_with(table[["a", "b", *(options["inputs"] or [])]], outputs=["a", "b"], **options)
    weights = honest.weights.assign(b=honest.weights["b"] * 1.25 + 0.01)
    proof = honest.options.prove(replace(honest, weights=weights))
    assert (proof.violations["gap"] > 1e-3).any()
    assert proof.violations["distance_of_the_score_from_its_proof"].max() <= 1e-9
