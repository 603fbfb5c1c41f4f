"""Compute how near to the best row, and how far from it, each row's score comes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_completely
from deabench.errors import DataWarning
from deabench.results.ranking import Ranking
from deabench.results.weightings import WeightedSide
from deabench.solver.highs import Solver
from deabench.solver.template import Template, compile_template, expand_template


def bound_scores(sides: Sequence[WeightedSide]) -> tuple[np.ndarray, Ranking]:
    """Return the least score over that of the best row, (n,), and a ranking by the greatest."""
    corners = sides[0].corners
    if len(sides) == 1:
        # A quotient of linear functions is extreme at a vertex.
        lowest = (corners / corners.max(axis=0)).min(axis=1)
    else:
        lowest = _lowest_ratio_scores(corners, sides[1].corners)
    return lowest, _rank_greatest_scores(sides)


def _lowest_ratio_scores(outputs: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Return the least of E_k / E_l over all rows l and weights, (n,)."""
    lowest = np.empty(len(outputs))
    for k in range(len(outputs)):
        with np.errstate(divide="ignore", invalid="ignore"):
            # Outputs and inputs have weights of their own: the product of both extremes.
            output_ratios = (outputs[k] / outputs).min(axis=1)
            input_ratios = (inputs / inputs[k]).min(axis=1)
        lowest[k] = np.nanmin(output_ratios * input_ratios)
    return lowest


def _rank_greatest_scores(sides: Sequence[WeightedSide]) -> Ranking:
    """Rank by the greatest score over the best row's: the efficiency at the vertices' values.

    Weights within the bounds are mixtures of their vertices, so that the values there are metrics
    with free weights.
    """
    # The values at each vertex of the weights become the metrics of a table of their own.
    metrics = pd.DataFrame(sides[0].corners).add_prefix("output ")
    outputs = list(metrics)
    # The user's own metrics were checked before; these are mixtures of them.
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        if len(sides) == 1:
            return rank_completely(metrics, outputs=outputs, model="wei")
        costs = pd.DataFrame(sides[1].corners).add_prefix("input ")
        return rank_completely(
            metrics.join(costs), outputs=outputs, inputs=list(costs), model="ccr", returns="crs"
        )


@dataclass
class LossBounds:
    """The least and greatest distance of each row to the best one, in shares of the ranges.

    Attributes
    ----------
    smallest, greatest : arrays (n,)
    weights : array (n, p)
        Mixtures of the vertices at which the distance is least.
    mixes : array (n, n)
        A mix of rows that is above each row by its least distance at every vertex: the dual.
    """

    smallest: np.ndarray
    greatest: np.ndarray
    weights: np.ndarray
    mixes: np.ndarray


def bound_losses(side: WeightedSide) -> LossBounds:
    """Return the least and greatest distance of each row to the best one."""
    corners = side.corners
    # The distance is convex in the weights: it is greatest at a vertex.
    greatest = (corners.max(axis=0) - corners).max(axis=1)
    n, p = corners.shape
    smallest = np.zeros(n)
    weights = np.zeros((n, p))
    mixes = np.zeros((n, n))
    template = _least_loss_template(p)
    for k in range(n):
        # min ε over weights w ≥ 0, Σ w = 1, such that no row l is ahead of row k by more than ε.
        solver = Solver(expand_template(template, corners - corners[k], np.zeros(0)))
        solver.run(f"row {k}")
        weights[k] = np.clip(solver.values()[:p], 0.0, None)
        # The dual of "row l is ahead by at most ε" is the share of l in the mix.
        mixes[k] = np.clip(-solver.duals()[1:], 0.0, None)
        smallest[k] = max(solver.objective(), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    mixes /= mixes.sum(axis=1, keepdims=True)
    return LossBounds(smallest, greatest, weights, mixes)


@lru_cache(maxsize=8)
def _least_loss_template(p: int) -> Template:
    return compile_template("least_loss", {"D": range(p)}, {})
