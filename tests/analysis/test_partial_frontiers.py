"""Partial frontiers by brute force over all draws, and their limits."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, frame, tables
from hypothesis import given

import deabench as db
from deabench.analysis.partial_frontiers import FEW_COMPARED

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def brute_m(levels: np.ndarray, m: int) -> float:
    """The mean of the largest over all ordered draws of m with replacement."""
    return float(np.mean([max(draw) for draw in itertools.product(levels, repeat=m)]))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_order_m_is_the_mean_over_all_draws(m) -> None:
    rng = np.random.default_rng(3)
    X, Y = rng.integers(1, 5, (6, 1)) / 4, rng.uniform(0.2, 1, (6, 2))
    table = frame(np.column_stack([X, Y]))
    efficiency = db.order_m(table, m, inputs=["m0"]).frame["efficiency"]
    back = db.order_m(table, m, inputs=["m0"], orientation="input").frame["efficiency"]
    for o in range(6):
        levels = (Y[X[:, 0] <= X[o, 0]] / Y[o]).min(axis=1)
        assert 1 / efficiency.iloc[o] == pytest.approx(brute_m(levels, m), rel=1e-12)
        levels = -(X[(Y[o] <= Y).all(axis=1)] / X[o]).max(axis=1)
        assert -back.iloc[o] == pytest.approx(brute_m(levels, m), rel=1e-12)


@examples(15)
@given(tables(rows=(1, 9), metrics=(2, 4), near=False))
def test_partial_frontiers_lie_inside_fdh_and_come_to_it(values) -> None:
    table = frame(np.where(values > 0, values, 0.01))
    for orientation in ("output", "input"):
        fdh = db.rank(table, inputs=["m0"], model="fdh", orientation=orientation).scores
        options = {"inputs": ["m0"], "orientation": orientation}
        steps = [db.order_m(table, m, **options).frame["efficiency"] for m in (1, 5, 50, 100_000)]
        steps += [fdh]
        assert all(
            (smaller >= larger - 1e-9).all() for smaller, larger in itertools.pairwise(steps)
        )
        np.testing.assert_allclose(steps[-2], fdh, atol=1e-9)
        np.testing.assert_allclose(
            db.order_alpha(table, 1, **options).frame["efficiency"], fdh, atol=1e-12
        )
        efficiency = db.order_alpha(table, 0.5, **options).frame["efficiency"]
        assert (efficiency >= fdh - 1e-12).all()


def test_one_lucky_run_moves_fdh_and_not_the_partial_frontier() -> None:
    table = frame(np.random.default_rng(5).uniform(0.4, 0.8, (40, 2)))
    lucky = pd.concat([table, pd.DataFrame([[0.99, 0.99]], columns=table.columns, index=["lucky"])])
    moved = (
        (db.rank(table, model="fdh").scores - db.rank(lucky, model="fdh").scores[table.index])
        .abs()
        .mean()
    )
    partial = (
        db.order_alpha(table, 0.9).frame["efficiency"]
        - db.order_alpha(lucky, 0.9).frame["efficiency"][table.index]
    )
    assert partial.abs().mean() < moved / 5


def test_a_note_counts_those_that_few_are_compared_with() -> None:
    """The dearest is compared with all 40, the cheapest with itself."""
    table = pd.DataFrame({"rate": np.full(40, 0.5), "price": np.arange(1.0, 41.0)})
    partial = db.order_m(table, 5, outputs=["rate"], inputs=["price"])
    assert partial.frame["compared"].tolist() == list(range(1, 41))
    few = FEW_COMPARED - 1
    assert partial.notes[-1].startswith(f"{few} of 40 systems are compared with fewer than ")


def test_what_partial_frontiers_refuse(refused) -> None:
    table = frame(np.array([[0.5, 0.7], [0.6, 0.4]]))
    with refused("m is 0; give a whole number of draws, 1 or more"):
        db.order_m(table, 0)
    with refused("alpha is 1.5; give a number between 0 and 1, both excluded, as 0.05"):
        db.order_alpha(table, 1.5)
    with refused("orientation 'none' is not known; it is one of 'output', 'input'"):
        db.order_m(table, orientation="none")


def test_costs_alone_have_no_outputs_to_expand(refused) -> None:
    table = pd.DataFrame({"cost": [1.0, 2.0]}, index=["a", "b"])
    options = {"outputs": [], "inputs": ["cost"]}
    message = (
        "orientation 'output' needs an output and none is given; name one in outputs, or pass "
        "orientation='input'"
    )
    with refused(message):
        db.order_m(table, 2, **options)
    frame = db.order_m(table, 2, orientation="input", **options).frame
    assert frame.loc["a", "efficiency"] > frame.loc["b", "efficiency"]
