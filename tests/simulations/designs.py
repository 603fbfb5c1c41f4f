"""Designs of known truth for `simulations.coverage_of_scores`, and the figures to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulations.samples import (
    Array,
    Setting,
    binormal,
    blocks,
    near_perfect,
    priced,
    recalls,
    spread_recalls,
    wholly_misplaced,
)

FIVE = ("TPR", "TNR", "F1", "G-mean", "roc_auc")
SEVEN = (*FIVE, "accuracy", "balanced_accuracy")
Bounds = dict[str, tuple[float | None, float | None]]
"""What measures must reach: (least, most), None where there is no bound."""


@dataclass(frozen=True)
class Case:
    """A setting and what its measures must reach.

    Attributes
    ----------
    make : function without arguments
        The setting.
    must : mapping of measure to (least, most)
        Measures start with A2 or A; None where there is no bound.
    """

    make: Callable[[], Setting]
    must: Bounds


def _least(**bounds: float) -> Bounds:
    return {name.replace("_", " "): (value, None) for name, value in bounds.items()}


def _most(**bounds: float) -> Bounds:
    return {name.replace("_", " "): (None, value) for name, value in bounds.items()}


def _column(value: float, k: int, s: int = 1) -> Array:
    return np.full((k, s), value)


def _with_first(first: float, others: float, k: int, s: int) -> Array:
    truth = _column(others, k, s)
    truth[0] = first
    return truth


def _chain(k: int) -> Array:
    return np.column_stack([np.full(k, 0.8), np.linspace(0.7, 0.9, k)])


SURE: Bounds = {"A2 all": (0.94, None), "A ratios": (0.94, None), "A band": (0.94, None)}
"""What hard cases must reach."""
OPEN: Bounds = {"A2 all": (0.95, None), "A ratios": (0.94, None)}
"""What settings that nobody had measured must reach."""
PRICED: Bounds = {
    "A2 all": (0.95, None),
    "A all": (0.95, None),
    "A2 false list": (None, 0.05),
    "A false list": (None, 0.05),
}

RANKS: Bounds = {"A2 ranks": (0.95, None)}

ACCEPTANCE: dict[str, Case] = {
    "k=2, s=1, tied, n=500": Case(
        lambda: recalls(_column(0.8, 2), 500, 0.5),
        {"A all": (0.935, 0.965), **_least(A2_each=0.955, A2_ranks=0.95)},
    ),
    "k=20, s=1, tied, n=500": Case(
        lambda: recalls(_column(0.8, 20), 500, 0.5),
        _least(A2_all=0.97, A2_ranks=0.95) | _most(A_false_list=0.065, A2_false_list=0.065),
    ),
    "chain, k=20, s=2, n=500": Case(
        lambda: recalls(_chain(20), 500, 0.5),
        _least(A2_all=0.975, A2_ranks=0.95) | _most(A_false_list=0.03, A2_false_list=0.03),
    ),
    "dominator .9 / .8, k=10, s=5, n=500": Case(
        lambda: recalls(_with_first(0.9, 0.8, 10, 5), 500, 0.5),
        RANKS | _least(A2_all=0.965, A2_worst_each=0.945, A2_proven=0.74),
    ),
    "spread recalls, k=20, s=2, n=500, rho=.8": Case(
        lambda: recalls(spread_recalls(20), 500, 0.8),
        RANKS | _least(A2_all=0.98, A2_proven=0.67, A_list=0.71) | _most(A2_width=0.098),
    ),
    "GM, F1, AUC, k=20, 500/2000, rho=.8": Case(
        lambda: binormal(20, 500, 2000, 0.8, ("G-mean", "F1", "roc_auc")),
        RANKS | _least(A2_all=0.98, A2_proven=0.80) | _most(A2_width=0.057),
    ),
    "TPR, TNR, F1, GM, AUC, k=20, 500/2000, rho=.8": Case(
        lambda: binormal(20, 500, 2000, 0.8, FIVE),
        RANKS | _least(A2_all=0.98, A2_proven=0.67) | _most(A2_width=0.057),
    ),
    "pairing: spread, 500/4500, rho=0": Case(
        lambda: recalls(spread_recalls(20), [500, 4500], 0.0), _most(A_width=0.10)
    ),
    "pairing: spread, 500/4500, rho=.5": Case(
        lambda: recalls(spread_recalls(20), [500, 4500], 0.5), _most(A_width=0.087)
    ),
    "pairing: spread, 500/4500, rho=.9": Case(
        lambda: recalls(spread_recalls(20), [500, 4500], 0.9), _most(A_width=0.064)
    ),
    "pairing: spread, 2000/18000, rho=.9": Case(
        lambda: recalls(spread_recalls(20), [2000, 18000], 0.9),
        _most(A_width=0.033) | _least(A_proven=0.98),
    ),
}
"""Settings with figures to reach."""

HARD: dict[str, Case] = {
    "TPR .995 on 10 positives, k=20": Case(lambda: recalls(_column(0.995, 20), 10, 0.5), SURE),
    "TPR .995 on 50 positives, k=20": Case(lambda: recalls(_column(0.995, 20), 50, 0.5), SURE),
    "same mistakes, rho=.98, n=50, k=20": Case(lambda: recalls(_column(0.8, 20), 50, 0.98), SURE),
    "one dominator .95 / .85, 10/990, k=10": Case(
        lambda: recalls(_with_first(0.95, 0.85, 10, 2), [10, 990], 0.5),
        SURE | _least(A2_worst_each=0.94),
    ),
    "AUC .99, 10/100, k=10": Case(lambda: near_perfect(10, 10, 100, 0.99, 0.5), SURE),
    "AUC .99 of wholly misplaced positives, 10/100, k=10": Case(
        lambda: wholly_misplaced(10, 10, 100, 0.99, 0.5), SURE
    ),
    "AUC .99 of wholly misplaced positives, 50/100, k=10": Case(
        lambda: wholly_misplaced(10, 50, 100, 0.99, 0.5), SURE
    ),
    "dominator .99 / .9, k=10, s=5, n=200": Case(
        lambda: recalls(_with_first(0.99, 0.9, 10, 5), 200, 0.5), SURE | _least(A2_worst_each=0.94)
    ),
    "k=100, tied .8, 50 positives": Case(
        lambda: recalls(_column(0.8, 100), 50, 0.5), OPEN | _least(A2_all=0.97, A2_ranks=0.95)
    ),
}
"""Hard cases: few errors, the same errors, few instances."""

BLOCKS: dict[str, Case] = {
    "10 folds, correlation .1": Case(lambda: blocks(20, 10, 0.1, 1 / 9), _least(A2_all=0.95)),
    "5 folds, correlation .1": Case(lambda: blocks(20, 5, 0.1, 1 / 4), _least(A2_all=0.95)),
    "10 folds, correlation .6, assumed .1": Case(
        lambda: blocks(20, 10, 0.6, 1 / 9), _most(A2_all=0.80)
    ),
    "10 folds, correlation .4, taken as independent": Case(
        lambda: blocks(20, 10, 0.4, None), _most(A2_all=0.90)
    ),
    "12 data sets": Case(lambda: blocks(20, 12, 0.0, None), _least(A2_all=0.95)),
    "60 data sets": Case(lambda: blocks(20, 60, 0.0, None), _least(A2_all=0.95)),
}
"""Tied, s = 1, k = 20; where the assumed correlation is wrong the coverage must be seen to fail."""

NEW: dict[str, Case] = {
    "F1, AUC, k=20, 20/180, rho=.8": Case(
        lambda: binormal(20, 20, 180, 0.8, ("F1", "roc_auc")), OPEN
    ),
    "F1, AUC, k=20, 10/990, rho=.8": Case(
        lambda: binormal(20, 10, 990, 0.8, ("F1", "roc_auc")), OPEN
    ),
    "s=7, k=20, 50/450, rho=.8": Case(lambda: binormal(20, 50, 450, 0.8, SEVEN), OPEN),
    "k=100, s=2, spread, 20/180, rho=.5": Case(
        lambda: recalls(spread_recalls(100), [20, 180], 0.5), OPEN
    ),
    "k=100, s=1, tied .9, 20 positives": Case(lambda: recalls(_column(0.9, 100), 20, 0.5), OPEN),
}
"""Settings that nobody had measured."""

COSTS: dict[str, Case] = {
    "accuracy and exact cost, vrs output, k=20, n=500": Case(
        lambda: priced(20, 500, "vrs", "output"), PRICED
    ),
    "accuracy and exact cost, vrs input, k=20, n=500": Case(
        lambda: priced(20, 500, "vrs", "input"), PRICED
    ),
    "accuracy and exact cost, crs, k=20, n=500": Case(
        lambda: priced(20, 500, "crs", "output"), PRICED
    ),
    "accuracy and 30 timings, vrs output, k=20, n=500": Case(
        lambda: priced(20, 500, "vrs", "output", 30), PRICED
    ),
    "accuracy and 30 timings, vrs input, k=20, n=500": Case(
        lambda: priced(20, 500, "vrs", "input", 30), PRICED
    ),
    "accuracy and 30 timings, crs, k=20, n=500": Case(
        lambda: priced(20, 500, "crs", "output", 30), PRICED
    ),
}
"""An accuracy with a cost, exact or timed."""

GROUPS = {"acceptance": ACCEPTANCE, "hard": HARD, "blocks": BLOCKS, "costs": COSTS, "new": NEW}
