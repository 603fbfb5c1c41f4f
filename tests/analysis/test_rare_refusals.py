"""What frontiers of steps lack, and programs whose answers contradict others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.optimize

import deabench as db
from deabench.errors import SolveError
from deabench.geometry.closest import (
    ClosestPoint,
    _prove_none_dominates,
    refuse_other_distances,
)
from deabench.inference.dominance_games import _solve_by_highs

TABLE = pd.DataFrame(
    {"TPR": np.linspace(0.9, 0.4, 6), "TNR": np.linspace(0.5, 0.9, 6)},
    index=pd.Index(list("abcdef"), name="model"),
)


def test_steps_have_neither_facets_nor_cost_ranges(refused: Any) -> None:
    front = db.frontier(TABLE, outputs=["TPR", "TNR"], technology="fdh")
    with refused(
        "the free disposal hull has no facets, because mixtures of its systems do not count; use "
        "technology='convex' for facets and prices"
    ):
        _ = front.hull
    with refused(
        "cost ranges weigh mixtures of classifiers, which technology='fdh' leaves out; use "
        "technology='convex'"
    ):
        front.cost_ranges(prevalence=0.5)


def targets_at(*points: tuple[float, float]) -> list[ClosestPoint]:
    return [ClosestPoint(np.array(p), (), np.zeros(0), np.zeros(2)) for p in points]


def test_two_ways_to_a_target_have_one_distance(refused: Any) -> None:
    """Of single targets each distance counts, of common ones their sum."""
    tested = np.zeros((2, 2))
    weights = np.array([1.0, 2.0])
    closest = targets_at((3.0, 0.0), (0.0, 1.0))
    missing = targets_at((np.nan, np.nan), (0.0, 1.0))
    # (0, 1.5) weighs as much as (3, 0); a target without a value on both sides is the same.
    refuse_other_distances(
        closest, targets_at((0.0, 1.5), (2.0, 0.0)), tested, ["a", "b"], "l1", weights
    )
    refuse_other_distances(missing, missing, tested, ["a", "b"], "l1", weights)
    message = (
        "model 'normalised' for {} ended with another distance than that of the listed faces. Pass "
        "method='faces'."
    )
    swapped = targets_at((0.0, 1.0), (3.0, 0.0))
    with refused(message.format("a"), SolveError):
        refuse_other_distances(closest, swapped, tested, ["a", "b"], "l1", weights)
    with refused(message.format("b"), SolveError):
        refuse_other_distances(
            closest, targets_at((3.0, 0.0), (0.0, 1.1)), tested, ["a", "b"], "l1", weights
        )
    with refused(message.format("a"), SolveError):
        refuse_other_distances(missing, closest, tested, ["a", "b"], "l1", weights)
    refuse_other_distances(closest, swapped, tested, ["all"], "l1", weights)
    # By the largest gap (3, 0) and (0, 1.5) are alike, (3, 3) is not.
    refuse_other_distances(closest[:1], targets_at((0.0, 1.5)), tested[:1], ["a"], "linf", weights)
    with refused(message.format("a"), SolveError):
        refuse_other_distances(
            closest[:1], targets_at((3.0, 3.0)), tested[:1], ["a"], "linf", weights
        )


def test_a_game_that_does_not_end_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, refused: Any
) -> None:
    """Max x + y with x + 2y ≤ 2 and x ≤ 1 is 1.5 at (1, 1/2), with duals of a half each."""
    rows = np.array([[1.0, 2.0], [1.0, 0.0]])
    value, weights, duals = _solve_by_highs(rows, np.ones(2), np.array([2.0, 1.0]))
    assert value == pytest.approx(1.5)
    assert weights.tolist() == pytest.approx([1, 0.5])
    assert duals.tolist() == pytest.approx([0.5, 0.5])
    # Without the first row y has no limit.
    assert _solve_by_highs(rows[1:], np.ones(2), np.ones(1))[0] == np.inf
    monkeypatch.setattr(
        scipy.optimize,
        "linprog",
        lambda *_, **__: SimpleNamespace(status=4, message="Numerical difficulties"),
    )
    with refused(
        "a game of 2 rows and 2 columns did not end optimal; HiGHS says: Numerical difficulties",
        SolveError,
    ):
        _solve_by_highs(rows, np.ones(2), np.ones(2))


def test_what_nothing_dominates_has_a_ray_that_proves_it(refused: Any) -> None:
    points = np.array([[1.0, 0.2], [0.8, 0.8], [0.2, 1.0]])
    weights = np.ones(2)
    (target,) = _prove_none_dominates(points, np.array([[1.1, 0.9]]), weights, "a")
    assert np.isnan(target.point).tolist() == [True, True]
    # Weights ≥ 0, of the steps upwards, that give all points less than what is tested.
    ray = -target.slopes[0]
    assert (ray >= 0).all()
    assert (points @ ray).max() < np.array([1.1, 0.9]) @ ray
    # Of several no single ray tells.
    targets = _prove_none_dominates(points, np.array([[1.1, 0.9], [0.1, 0.1]]), weights, "all")
    assert [np.isnan(target.point).tolist() for target in targets] == [[True, True]] * 2
    assert [target.slopes.shape for target in targets] == [(0, 2)] * 2
    with refused(
        "HiGHS calls model 'normalised' infeasible for a, but some combination dominates it. Pass "
        "method='faces'.",
        SolveError,
    ):
        _prove_none_dominates(points, np.array([[0.5, 0.5]]), weights, "a")


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_data_set_that_cannot_be_ranked_is_named(refused) -> None:
    rows = [("x", "a", 0.9, 0.8), ("x", "b", 0.8, 0.9), ("y", "a", 0, 0), ("y", "b", 0, 0)]
    table = pd.DataFrame(rows, columns=["dataset", "model", "TPR", "TNR"])
    with refused(
        "on data set 'y': every output of 'a' is 0, as of all others; their efficiencies are "
        "undefined"
    ):
        db.by_dataset(table)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_model_has_its_options_itself(refused) -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.8], "seconds": [1.0, 2.0]}, list("ab"))
    with refused("model is CCR(...), which has its own returns; write CCR(returns='vrs')"):
        db.rank(table, outputs=["TPR"], inputs=["seconds"], model=db.models.CCR(), returns="vrs")


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_bounds_of_sums_need_an_input(refused) -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.8, 0.9]}, list("ab"))
    with refused(
        "model 'ccr' needs an input and none is given; name one in inputs, or use model 'wei'"
    ):
        db.rank(table, outputs=["TPR", "TNR"], model=db.models.CCR(sums=(0.5, 1)))


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_layers_need_efficient_systems(refused) -> None:
    """Twice its own inputs and more always give more than a system has."""
    table = pd.DataFrame({"TPR": [0.9, 0.8], "seconds": [1.0, 2.0]}, list("ab"))
    with refused("no system of layer 1 is efficient under model 'ccr'; use another model"):
        db.layers(table, outputs=["TPR"], inputs=["seconds"], model=db.models.CCR(sums=(2.0, 3.0)))
