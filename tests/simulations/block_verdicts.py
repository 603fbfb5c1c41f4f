"""Cells of few, equal or skewed data sets (`python -m benchmarks.inference blocks`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from deabench.inference.block_limits import (
    NO_SPREAD,
    betting_lower,
    betting_upper,
    exceeds_mean,
    ridge_limits,
)
from deabench.inference.domination import MIN_UNITS, decide_learned
from deabench.inference.moments import critical_values
from deabench.inference.samples import Samples
from deabench.inference.samples.from_results import _block_moments, _block_units
from deabench.inference.uncertainty import uncertainty
from simulations.verdict_cells import (
    ALPHA,
    EDGE,
    Cell,
    Limits,
    Rng,
    dominator,
    draw_datasets,
    single_metric_limits,
)

Array = np.ndarray


EVERY = 20
"""One run of twenty asks for samples and limits; the others for verdicts and coverage alone."""


def draw_failures(rng: Rng, shares: Array, blocks: int, noise: float = 0.0) -> Array:
    """Draw scores of 1, and of .5 where a classifier fails, on a share of the data sets each."""
    k = len(shares)
    values = np.where(rng.random((blocks, k)) < shares, 0.5, 1.0)
    values -= noise * np.abs(rng.standard_normal((blocks, k)))
    return np.clip(values, 0, 1)


def draw_beta(rng: Rng, k: int, blocks: int) -> Array:
    """Draw scores of Beta(9, 1)."""
    return rng.beta(9, 1, (blocks, k))


def draw_normal(rng: Rng, truth: Array, blocks: int) -> Array:
    """Draw normal scores with a standard deviation of .05."""
    return np.clip(rng.normal(truth[:, 0], 0.05, (blocks, len(truth))), 0, 1)


def measure_blocks(cell: Cell, samples: Samples) -> dict[str, float]:
    """Return wrong verdicts, and whether scores and the band of all metrics cover."""
    answer = uncertainty(samples)
    truth = cell.scores
    is_dominated = truth < 1 - EDGE
    efficient = (answer.verdicts == "efficient").to_numpy()
    dominated = (answer.verdicts == "dominated").to_numpy()
    lower = answer.lower.to_numpy()
    upper = answer.upper.to_numpy()
    covers = (lower <= truth + EDGE) & (truth <= upper + EDGE)
    result = _verdict_errors(efficient, dominated, is_dominated, bool(covers.all()))
    means = cell.truth[:, 0]
    tail = (1 - answer.level) / (2 * len(means))
    blocks = samples.units[:, 0].astype(float)
    # The band of exact=True: betting's limits of all metrics at once.
    bands = {
        "band": (answer.band["m0"]["lower"], answer.band["m0"]["upper"]),
        "exact band": (betting_lower(blocks, tail), betting_upper(blocks, tail)),
    }
    for name, (low, high) in bands.items():
        result[name] = float(((low <= means + EDGE) & (means <= high + EDGE)).all())
        result[f"{name} width"] = float((high - low).mean())
    return result


def measure_values(cell: Cell, values: Array) -> dict[str, float]:
    """Return what `measure_blocks` does but for the widths, from scores (J, k) of one metric.

    With one metric limits of scores are those of the largest ratio, and a limit covers the true
    mean where betting does not exceed it: nothing need be solved.
    """
    blocks, k = values.shape
    truth = cell.scores
    is_dominated = truth < 1 - EDGE
    _, moments = _block_moments(values[:, :, None], list(map(str, range(k))), ["m0"], 1 / blocks)
    limits = single_metric_limits(moments)
    dominated = limits.is_dominated
    if blocks >= MIN_UNITS:
        units = _block_units(values[:, :, None])
        learned = decide_learned(units, ALPHA, float(moments.degrees[0]), is_block=True)
        dominated = learned.is_dominated
    efficient = ~dominated & (limits.lower >= 1 - EDGE)
    covers = (limits.lower <= truth + EDGE) & (truth <= limits.upper + EDGE)
    result = _verdict_errors(efficient, dominated, is_dominated, bool(covers.all()))
    means = cell.truth[:, 0]
    tail = ALPHA / (2 * k)
    columns = np.asarray(values.T.astype(np.float32), dtype=float)
    is_exact = ~exceeds_mean(columns, means, tail) & ~exceeds_mean(1 - columns, 1 - means, tail)
    result["exact band"] = float(is_exact.all())
    if np.ptp(values, axis=0).max() > NO_SPREAD:
        low, high = ridge_limits(columns, float(critical_values(tail, moments.degrees)[0]))
        is_exact &= (low <= means + EDGE) & (means <= high + EDGE)
    result["band"] = float(is_exact.all())
    return result


def _verdict_errors(
    efficient: Array, dominated: Array, is_dominated: Array, all_covered: bool
) -> dict[str, float]:
    """Return wrong verdicts, the share of the dominated that is shown, and whether scores cover."""
    result = {
        "efficient false": float(efficient[is_dominated].any()),
        "false": float(dominated[~is_dominated].any()),
        "all covered": float(all_covered),
    }
    if is_dominated.any():
        result["shown"] = float(dominated[is_dominated].mean())
    return result


def blocks_cell(truth: Array, values: Callable[[Rng], Array], must: Limits) -> Cell:
    """Return the cell of scores (J, k) that a function draws."""

    def measure(cell: Cell, rng: Rng, number: int) -> dict[str, float]:
        drawn = values(rng)
        result = measure_values(cell, drawn)
        if number % EVERY == 0:
            result = measure_blocks(cell, draw_datasets(drawn))
        return result

    def draw(rng: Rng) -> Samples:
        return draw_datasets(values(rng))

    return Cell(truth, draw, must, measure)


def failures_cell(shares: list[float], blocks: int, noise: float = 0.0, **must: float) -> Cell:
    """Classifiers that fail on given shares of the data sets."""
    rates = np.array(shares)
    # The mean of what |N(0, 1)| takes away, up to the clipping at 0.
    truth = (1 - 0.5 * rates - noise * np.sqrt(2 / np.pi))[:, None]
    limits = {"efficient false": (None, 0.0), "false": (None, 0.05)}
    limits |= {name: (least, None) for name, least in must.items()}
    values = partial(draw_failures, shares=rates, blocks=blocks, noise=noise)
    return blocks_cell(truth, values, limits)


def beta_cell(blocks: int, k: int) -> Cell:
    """Tied classifiers with skewed scores."""
    must = {"false": (None, 0.05), "band": (0.94, None)}
    return blocks_cell(np.full((k, 1), 0.9), partial(draw_beta, k=k, blocks=blocks), must)


def normal_cell(blocks: int, k: int, better: float = 0.0) -> Cell:
    """Normal scores, the first classifier better by some hundredths."""
    truth = dominator(k, 1, 0.8 + better, 0.8)
    must = {"false": (None, 0.05), "band": (0.94, None)}
    return blocks_cell(truth, partial(draw_normal, truth=truth, blocks=blocks), must)


CELLS = {
    "a .05, b .1, J=5": failures_cell([0.05, 0.1], 5),
    "a .05, b .1, J=10": failures_cell([0.05, 0.1], 10),
    "a .02, b .04, J=20": failures_cell([0.02, 0.04], 20),
    "a .05, b .1, J=10, noise .005": failures_cell([0.05, 0.1], 10, 0.005),
    "a .02, b .04, J=20, noise .005": failures_cell([0.02, 0.04], 20, 0.005),
    "Beta(9, 1), J=12, k=10": beta_cell(12, 10),
    "Beta(9, 1), J=67, k=18": beta_cell(67, 18),
    "rare failure .1, J=12, k=10": failures_cell([0.1] * 10, 12, band=0.94),
    "rare failure .1, J=12, k=2": failures_cell([0.1] * 2, 12, band=0.94),
    "rare failure .05, J=30, k=10": failures_cell([0.05] * 10, 30, band=0.94),
    "rare failure .1, noise .005, J=12, k=10": failures_cell([0.1] * 10, 12, 0.005, band=0.94),
    "rare failure .1, noise .005, J=12, k=2": failures_cell([0.1] * 2, 12, 0.005),
    "normal sd .05, J=12, k=10": normal_cell(12, 10),
    "normal sd .05, J=5, k=10": normal_cell(5, 10),
    "normal sd .05, J=30, k=5, one better by .04": normal_cell(30, 5, 0.04),
}
