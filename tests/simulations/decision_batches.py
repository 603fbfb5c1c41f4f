"""Gates and streams of many runs at once: the package's steps on stacked arrays.

A gate costs 20 ms of CPU time and a stream of 1,000 rounds 60, of which arithmetic is little.
"""

from __future__ import annotations

import numpy as np

from deabench.inference.decisions.betting import (
    CASH,
    FIRST_SHARE,
    LEARNING_ROUNDS,
    PSEUDO_ROUNDS,
    climb,
    next_learning,
)
from deabench.inference.decisions.learned_weights import choose_softness, soft_weights
from deabench.inference.learned_mix import (
    DRAWS,
    FOLDS,
    LEAST_SPREAD,
    learn_mixes,
    mix_statistics,
)
from simulations.learned_batches import deal_default_folds, stack_moments

Array = np.ndarray


def gate_decisions(
    values: Array, at_least: float, critical: float, *, shared: bool
) -> tuple[Array, Array]:
    """Return which candidates, the last of each run, pass and fail: bool (runs,) each.

    Parameters
    ----------
    values : array (runs, k, s, n)
    at_least, critical : float
    shared : bool
        Whether all metrics are of the same instances.
    """
    runs, _, s, n = values.shape
    fold = deal_default_folds(s, n, shared=shared)
    lower = lower_statistic(values, at_least, critical, fold, shared=shared)
    moments = stack_moments(values, fold, shared=shared)
    is_cost = np.zeros(s, dtype=bool)
    ratios = mix_statistics(moments, learn_mixes(moments, is_cost), is_cost)
    # The candidate fails where the mix beats it by more than the ratio that it needs.
    statistic = ratios.statistic(1 / at_least)[:, -1].min(axis=-1)
    upper = statistic.reshape(runs, DRAWS).mean(axis=1)
    return lower > critical, upper > critical


def lower_statistic(
    values: Array, at_least: float, critical: float, fold: Array, *, shared: bool
) -> Array:
    """Return the statistic that passes where it exceeds `critical`, over all draws: (runs,)."""
    differences = values[:, :-1] - values[:, -1:]
    differences = np.abs(differences - differences.mean(axis=3, keepdims=True))
    squares = (differences**2).sum(axis=(1, 3))
    cubes = (differences**3).sum(axis=(1, 3))
    size = np.divide(cubes, squares, out=np.ones_like(squares), where=squares > 0)
    ridge = (critical * size) ** 2
    statistics = [_lower_statistics(values, at_least, ridge, part, shared) for part in fold]
    return np.asarray(np.mean([statistic.min(axis=1) for statistic in statistics], axis=0))


def _lower_statistics(
    values: Array, at_least: float, ridge: Array, fold: Array, shared: bool
) -> Array:
    """Return the statistics (runs, rivals) of one draw of folds (s, n), with a ridge (runs, s)."""
    runs, k, s, n = values.shape
    leads = values[:, -1:] - at_least * values[:, :-1]
    members = fold[None] == np.arange(FOLDS)[:, None, None]
    # Sums of each fold (runs, folds, rivals, s), and products of two metrics, of all rivals.
    sums = np.einsum("ajrt,frt->afjr", leads, members, optimize=True)
    products = np.zeros((runs, FOLDS, s, s))
    overlaps = np.zeros((FOLDS, s, s))
    for r in range(s):
        for q in range(s) if shared else [r]:
            both = (leads[:, :, r] * leads[:, :, q]).sum(axis=1)
            products[:, :, r, q] = both @ members[:, r].T
            overlaps[:, r, q] = members[:, r].sum(axis=1)
    outside = overlaps.sum(axis=0) - overlaps
    size = np.diagonal(outside, axis1=1, axis2=2)
    mean = (sums.sum(axis=1, keepdims=True) - sums) / size[:, None]
    covariance = products.sum(axis=1, keepdims=True) - products
    covariance -= outside * (mean.swapaxes(-1, -2) @ mean)
    variance = np.diagonal(covariance, axis1=-2, axis2=-1) / ((k - 1) * size)
    spread = np.sqrt(np.maximum(variance, LEAST_SPREAD**2 / size))
    deviation = spread * np.sqrt((k - 1) * size)
    softness = choose_softness(covariance / (deviation[..., None] * deviation[..., None, :]))
    weights, mixes = soft_weights(mean * (np.sqrt(size) / spread)[..., None, :], softness)
    scale = 1 / (spread * np.sqrt(n))
    # Σ_t of the weighted leads and of their squares, with the weights of each instance's fold.
    of_instance = np.einsum("afr,frt->art", weights * scale, members, optimize=True)
    weighted = leads * of_instance[:, None]
    total = weighted.sum(axis=(2, 3))
    if shared:
        squares = (weighted.sum(axis=2) ** 2).sum(axis=2)
    else:
        squares = (weighted**2).sum(axis=(2, 3))
    added = (ridge[:, None] * (weights * scale) ** 2).max(axis=2).mean(axis=1)
    # What learning adds: c² (1 − 1/K) tr(B Σ B Σ).
    weight = weights.mean(axis=1)
    slope = weight[:, None] * np.eye(s) - weight[:, :, None] * weight[:, None]
    mixed = np.einsum("aj,ajrt->art", mixes.mean(axis=1), leads, optimize=True)
    mixed = (mixed - mixed.mean(axis=2, keepdims=True)) * scale.mean(axis=1)[:, :, None]
    sigma = mixed @ mixed.swapaxes(1, 2)
    if not shared:
        sigma = sigma * np.eye(s)
    product = slope @ sigma
    trace = np.trace(product @ product, axis1=1, axis2=2)
    added += (softness**2).mean(axis=1) * (1 - 1 / FOLDS) * trace
    return np.asarray(total / np.sqrt(squares + added[:, None]))


def highest_evidence(rounds: Array) -> Array:
    """Return the highest logarithm of the evidence against each classifier: (streams, k).

    Parameters
    ----------
    rounds : array (streams, t, k, s)
        Outcomes from 0 to 1.
    """
    streams, count, k, s = rounds.shape
    first = np.full((k, k), FIRST_SHARE / (k - 1)) * (1 - np.eye(k))
    shares = np.tile(np.column_stack([first, np.full(k, 1 - FIRST_SHARE)]), (streams, 1))
    log_wealth = np.zeros((streams, k, s))
    highest = np.zeros((streams, k))
    sums = np.zeros((streams, s, k))
    products = np.zeros((streams, s, k, k))
    played = 0
    due = LEARNING_ROUNDS
    while played < count:
        block = rounds[:, played : min(due, count)]
        bets = ((1 - CASH) * shares[:, :-1]).reshape(streams, k, k)
        won = np.einsum("aij,atjr->atir", bets, block, optimize=True)
        gains = won - bets.sum(axis=2)[:, None, :, None] * block
        path = log_wealth[:, None] + np.cumsum(np.log1p(gains), axis=1)
        log_wealth = path[:, -1]
        highest = np.maximum(highest, path.min(axis=3).max(axis=1))
        sums += block.sum(axis=1).swapaxes(1, 2)
        products += np.einsum("atjr,atlr->arjl", block, block, optimize=True)
        played += block.shape[1]
        if played == due:
            shares = _learn_bets(shares, sums, products, played)
            due = next_learning(played)
    return highest


def _learn_bets(shares: Array, sums: Array, products: Array, rounds: int) -> Array:
    """Return the bets (streams · k, k + 1) that all rounds so far suggest."""
    streams, s, k = sums.shape
    means = sums / (rounds + PSEUDO_ROUNDS)
    second = products / (rounds + PSEUDO_ROUNDS)
    assumed = PSEUDO_ROUNDS / (rounds + PSEUDO_ROUNDS)
    # Of test i: mean differences Y_j − Y_i, and mean products of two differences (j, l).
    gaps = (means[:, :, None] - means[:, :, :, None]).transpose(0, 2, 1, 3)
    squares = np.diagonal(second, axis1=2, axis2=3)
    differences = squares[:, :, None] - 2 * second + squares[..., None]
    curvature = differences.max(axis=(1, 3)) + assumed
    of_tests = second[:, :, None] - second[:, :, :, None] - second[..., None]
    of_tests = (of_tests + squares[..., None, None]).transpose(0, 2, 1, 3, 4)
    of_tests = of_tests.reshape(streams * k, s, k, k)
    gaps = gaps.reshape(streams * k, s, k)

    def grow(bets: Array) -> tuple[Array, Array]:
        curved = (of_tests @ bets[:, None, :, None])[..., 0] + assumed * bets[:, None]
        gradients = gaps - curved
        growths = ((gaps - curved / 2) @ bets[:, :, None])[..., 0]
        return growths, gradients

    return climb(shares, grow, curvature.reshape(-1), float(rounds))
