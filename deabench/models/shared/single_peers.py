"""Comparison with single reference DMUs instead of mixtures: slack programs and distances.

Without mixtures the best peer is found by comparing all pairs, and the comparison of all pairs is
its proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.models.shared.scaled_data import ScaledData, metric_names
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task
from deabench.results.proof import Proof
from deabench.utils.arrays import ROUND, TOLERANCE, Sparse, blocks, scale

NO_DOMINATING_PEER = "no single reference DMU uses as little and gives as much"
NO_PEER_ALONG = "no single reference DMU is as good in the metrics that are not to change"

TINY = float(np.finfo(float).tiny)
SlackMeasure = Callable[[np.ndarray, slice], np.ndarray]
"""What slacks (k, J, s + m) in scaled metrics, outputs first, of the DMUs of a slice amount to, (k,
J): more where more is left.
"""


def weighted_sum(weights: np.ndarray) -> SlackMeasure:
    """Return the measure that sums the slacks, each times its DMU's weight (K, s + m)."""
    return lambda slacks, rows: np.asarray(np.einsum("kjc,kc->kj", slacks, weights[rows]))


def solve(task: Task, measure: SlackMeasure, size: np.ndarray) -> Answer:
    """Find the best single peer of every DMU, by what it leaves to gain over `size` (K,).

    The scores are the measure's, times `size`.
    """
    scaled = ScaledData.of(task)
    candidates = scaled.undominated()
    total, peer, slacks, efficient = _best_dominating_peers(scaled, candidates, measure)
    return _single_peer_answer(
        task, scaled, candidates, peer, total * size, slacks, efficient, NO_DOMINATING_PEER
    )


def solve_along(task: Task, direction: np.ndarray, notes: tuple[str, ...]) -> Answer:
    """Find the farthest that one peer lets every DMU go along its direction (K, s + m).

    One other, j, lets o go as far as the least of (y_j − y_o) / g_y and (x_o − x_j) / g_x; where a
    metric is not to change, j must not be worse in it. The distance is the largest over all j
    (Cherchye, Kuosmanen, Post 2001); of the peers that reach it, the one with the largest slack
    counts.
    """
    scaled = ScaledData.of(task)
    candidates = scaled.undominated()
    beta, peer, slacks = _farthest_peers(scaled, candidates, direction)
    tested = np.column_stack([scaled.y, scaled.x])
    unit = distance_unit(task.options, tested, beta, direction)
    efficient = _efficient_along(scaled, peer, beta, unit, direction, slacks)
    return _single_peer_answer(
        task,
        scaled,
        candidates,
        peer,
        beta,
        np.maximum(slacks, 0.0),
        efficient,
        NO_PEER_ALONG,
        notes,
    )


def _single_peer_answer(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    peer: np.ndarray,
    scores: np.ndarray,
    slacks: np.ndarray,
    efficient: np.ndarray,
    reason: str,
    notes: tuple[str, ...] = (),
) -> Answer:
    """Return the answer whose only intensities are 1 for the peer of each DMU (-1: none)."""
    labels = task.data.labels
    names = metric_names(task.data)
    if task.options.returns != "vrs":
        notes = (*notes, "single DMUs are taken as they are: returns to scale do not count")
    return Answer(
        scores=pd.Series(scores, index=labels, name="inefficiency"),
        slacks=pd.DataFrame((slacks * scaled.units)[:, : len(names)], index=labels, columns=names),
        weights=pd.DataFrame(index=labels),
        intensities=Sparse(peer[:, None].astype(np.int32), (peer >= 0).astype(float)[:, None]),
        efficient=pd.Series(efficient, index=labels, name="efficient"),
        data=replace(task.data, notes=(*task.data.notes, *notes)),
        options=_as_vrs(task.options),
        reference=task.reference,
        own_reference=task.own_reference,
        frontier=candidates,
        reasons={labels[k]: reason for k in np.flatnonzero(peer < 0).tolist()},
        path="by comparison of all pairs",
    )


def _as_vrs(options: Any) -> Any:
    """Return the options with variable returns to scale: single DMUs have no multiples."""
    return options if options.returns == "vrs" else replace(options, returns="vrs")


def _differences(scaled: ScaledData, candidates: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of DMUs, and by how much each candidate is better, (k, J, s + m), scaled."""
    reference = np.column_stack([scaled.Y, -scaled.X])[candidates]
    tested = np.column_stack([scaled.y, -scaled.x])
    for rows in blocks(len(tested), reference.size):
        yield rows, reference[None] - tested[rows][:, None]


def _best_dominating_peers(
    scaled: ScaledData, candidates: np.ndarray, measure: SlackMeasure
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return for every DMU the largest measure, its peer (-1: none), its slacks, and efficiency.

    A DMU is efficient where no peer leaves anything to gain.
    """
    count = len(scaled.x)
    values = np.column_stack([scaled.y, scaled.x])
    total = np.full(count, np.nan)
    peer = np.full(count, -1)
    slacks = np.full((count, scaled.s + scaled.m), np.nan)
    efficient = np.zeros(count, dtype=bool)
    own_sizes = scaled.sizes_of_changes(values, np.zeros_like(values))
    for rows, differences in _differences(scaled, candidates):
        # A peer must be at least as good in every metric.
        dominates = np.asarray((differences >= 0).all(axis=2))
        # The peer that leaves the most to gain; -inf rules the others out.
        totals = np.where(dominates, measure(differences, rows), -np.inf)
        best = totals.argmax(axis=1)
        has_peer = np.asarray(dominates.any(axis=1))
        everyone = np.arange(len(best))
        # NaN and -1 where no reference DMU dominates or equals the tested one.
        total[rows] = np.where(has_peer, totals[everyone, best], np.nan)
        peer[rows] = np.where(has_peer, candidates[best], -1)
        slacks[rows] = np.where(has_peer[:, None], differences[everyone, best], np.nan)
        # Efficient: no peer is better in any metric, by more than a share of the DMU's own value.
        largest_slack = np.where(dominates, differences.max(axis=2), 0.0).max(axis=1)
        sizes = own_sizes[rows]
        is_efficient = has_peer & (largest_slack <= TOLERANCE * sizes.max(axis=1))
        for k in np.flatnonzero(is_efficient & (largest_slack > 0)).tolist():
            is_efficient[k] = (differences[k][dominates[k]] / sizes[k]).max() <= TOLERANCE
        efficient[rows] = is_efficient
    return total, peer, slacks, efficient


def _farthest_peers(
    scaled: ScaledData, candidates: np.ndarray, direction: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for every DMU the distance, its peer (-1: none), and the slacks left there, scaled."""
    beta = np.full(len(scaled.x), np.nan)
    peer = np.full(len(scaled.x), -1)
    slacks = np.full(direction.shape, np.nan)
    for rows, differences in _differences(scaled, candidates):
        step = direction[rows][:, None]
        # How far each candidate lets each DMU go: not at all where it is worse in a fixed metric.
        with np.errstate(divide="ignore", invalid="ignore"):
            unlimited = np.where(differences >= 0, np.inf, -np.inf)
            level = np.where(step > 0, differences / step, unlimited).min(axis=2)
        # An infinite level: no candidate allows any distance, or no metric is to change.
        best = level.max(axis=1)
        has_peer = np.isfinite(best)
        # Among the candidates that allow it, the one with the largest slack left there.
        remaining = differences - np.where(has_peer, best, 0.0)[:, None, None] * step
        total = remaining @ slack_units(scaled)
        peers = np.where(level >= best[:, None], total, -np.inf).argmax(axis=1)
        beta[rows] = np.where(has_peer, best, np.nan)
        peer[rows] = np.where(has_peer, candidates[peers], -1)
        slacks[rows] = np.where(has_peer[:, None], remaining[np.arange(len(best)), peers], np.nan)
    return beta, peer, slacks


def _efficient_along(
    scaled: ScaledData,
    peer: np.ndarray,
    beta: np.ndarray,
    unit: np.ndarray,
    direction: np.ndarray,
    slacks: np.ndarray,
) -> np.ndarray:
    """Return which DMUs neither distances, in their unit, nor slacks lead on: bool (K,).

    Both count in shares of the values of the DMU and of its peer, however large others are.
    """
    reached = np.column_stack([scaled.Y, scaled.X])[peer]
    size = scaled.sizes_of_changes(np.column_stack([scaled.y, scaled.x]), reached)
    return reaches_no_further(beta / unit, beta[:, None] * direction / size, slacks / size)


def slack_units(scaled: ScaledData) -> np.ndarray:
    """Return what a unit of slack counts in each scaled metric, (s + m,), outputs first.

    It is a share of the reference's maximum, whichever DMUs are tested together.
    """
    return np.asarray(1.0 / scale(np.column_stack([scaled.Y, scaled.X])))


def distance_unit(
    options: Any, tested: np.ndarray, distances: np.ndarray, direction: np.ndarray
) -> np.ndarray:
    """Return what distances are measured in, (K,): themselves where they are large, or one step.

    Steps in the metrics' own units are as long as makes the first metric change by its own value.
    Of Hölder distances it is what the DMU's own values count, where that is less than 1: beside
    ranges of twelve decades, or of zeros alone, all else would be rounding.
    """
    counts = (direction > 0) & (tested != 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(counts, np.abs(tested) / direction, np.inf)
    is_holder = hasattr(options, "weights")
    choice = options.weights if is_holder else options.direction
    step = np.ones(len(direction))
    if choice == "ones" or not isinstance(choice, str):
        shortest = lengths.min(axis=1)
        step = np.where(np.isfinite(shortest), shortest, 1.0)
    elif is_holder:
        own_count = np.where(counts, lengths, 0.0).sum(axis=1)
        step = np.clip(own_count, np.finfo(float).tiny, 1.0)
    return np.asarray(np.maximum(np.abs(np.nan_to_num(distances)), step))


def reaches_no_further(distances: np.ndarray, moved: np.ndarray, slacks: np.ndarray) -> np.ndarray:
    """Return where no distance and no slack is left, in their units and in scaled metrics."""
    largest = np.maximum.reduce([distances, moved.max(axis=1), slacks.max(axis=1, initial=0.0)])
    return np.asarray(largest <= TOLERANCE)


def _has_other_than_one_peer(lam: Sparse, has_peer: np.ndarray) -> np.ndarray:
    """Return 1.0 where λ is not exactly one peer, or none for a DMU without one."""
    # One entry of exactly 1 with a peer, no entry without one.
    is_entry = lam.columns >= 0
    is_single = (is_entry.sum(axis=1) == has_peer) & (lam.values == is_entry).all(axis=1)
    return np.where(is_single, 0.0, 1.0)


def prove(
    answer: Answer,
    measure: SlackMeasure,
    size: np.ndarray,
    score_of_total: Callable[[np.ndarray], np.ndarray],
) -> Proof:
    """Compare every pair again, against all reference DMUs."""
    scaled = ScaledData.of(answer)
    total, peer, _, efficient = _best_dominating_peers(scaled, np.arange(len(scaled.X)), measure)
    has_peer = peer >= 0
    gains = scaled.gains(answer.intensities)
    own_total = measure(gains[:, None], slice(None))[:, 0]
    own_scores = score_of_total(own_total * size)
    # Both totals are of the same differences: the peer's is as large, whatever others' are.
    larger_total = np.maximum.reduce([np.abs(own_total), np.abs(total), np.full(len(total), TINY)])
    missing_total = np.abs(own_total - total) / larger_total
    frame = pd.DataFrame(
        {
            "primal": own_scores,
            "dual": score_of_total(total * size),
            "gap": np.abs(own_total - total),
        },
        index=answer.scores.index,
    )
    frame[answer.scores.isna()] = np.nan
    count = answer.slacks.shape[1]
    slack_errors = _slack_errors(answer, scaled, gains[:, :count])
    worse = np.maximum(-gains, 0.0) / _sizes_of_gains(scaled, gains)
    score_errors = _score_errors(answer, own_scores)
    has_score = answer.scores.notna().to_numpy()
    wrong_reasons = reason_violations(answer, {NO_DOMINATING_PEER: ~has_peer})
    # Without a score there is nothing more to compare.
    has_peer &= has_score
    return Proof(
        frame,
        {
            "gap": np.where(has_score, np.nan_to_num(missing_total, nan=np.inf), 0.0),
            "reason": wrong_reasons,
            "peers_that_are_not_one": _has_other_than_one_peer(answer.intensities, has_peer),
            "worse_than_the_dmu_itself": np.where(has_peer, worse.max(axis=1), 0.0),
            "distance_of_the_score_from_its_proof": np.where(has_peer, score_errors, 0.0),
            "distance_of_the_slacks_from_their_proof": np.where(
                has_peer, slack_errors.max(axis=1), 0.0
            ),
            "efficient": (answer.efficient.to_numpy() != (efficient & has_peer)).astype(float),
        },
    )


def _sizes_of_gains(scaled: ScaledData, gains: np.ndarray) -> np.ndarray:
    """Return what gains (K, s + m) from a DMU to its peer are shares of, in scaled metrics."""
    s = scaled.s
    tested = np.column_stack([scaled.y, scaled.x])
    reached = np.column_stack([scaled.y + gains[:, :s], scaled.x - gains[:, s:]])
    return scaled.sizes_of_changes(tested, reached)


def _slack_errors(
    answer: Answer, scaled: ScaledData, recomputed: np.ndarray, rounding: np.ndarray | float = 0.0
) -> np.ndarray:
    """Return by what share of the values that they are differences of slacks are off.

    What is recomputed may be rounded by `rounding`, and falls short by no more than that.
    """
    count = recomputed.shape[1]
    own = np.abs(np.column_stack([scaled.y, scaled.x])[:, :count])
    lam = answer.intensities
    reached = np.abs(np.column_stack([lam.dot(scaled.Y), lam.dot(scaled.X)])[:, :count])
    size = np.maximum(own, reached)
    errors = np.abs(answer.slacks.to_numpy() / scaled.units[:count] - recomputed)
    errors = np.maximum(errors - rounding, 0.0)
    return np.asarray(errors / np.where(size > 0, np.minimum(size, 1.0), 1.0))


def _score_errors(answer: Answer, recomputed: np.ndarray) -> np.ndarray:
    """Return by what share scores are not what was recomputed from the same differences, (n,).

    Those of efficient DMUs are the best score, without what rounding leaves of a difference.
    """
    scores = answer.scores.to_numpy()
    best = float(answer.options.measure == "efficiency")
    with np.errstate(over="ignore"):  # an error beyond all numbers is infinite
        errors = np.abs(recomputed - scores) / np.maximum(np.abs(recomputed), np.finfo(float).tiny)
    return np.where(answer.efficient & (scores == best), 0.0, errors)


def prove_along(answer: Answer, direction: np.ndarray) -> Proof:
    """Compare every pair again, and recompute the peer's own distance and slacks."""
    scaled = ScaledData.of(answer)
    beta = answer.scores.to_numpy()
    best, peer, slacks = _farthest_peers(scaled, np.arange(len(scaled.X)), direction)
    has_peer = peer >= 0
    # The score may have been taken from 1: the distance that is found again has all its digits.
    moved = best[:, None] * direction
    gains = scaled.gains(answer.intensities)
    own_slacks = gains - moved
    unit = distance_unit(answer.options, np.column_stack([scaled.y, scaled.x]), best, direction)
    frame = pd.DataFrame(
        {
            "primal": beta,
            "dual": best,
            "gap": np.abs(best - beta) / unit,
        },
        index=answer.scores.index,
    )
    count = answer.slacks.shape[1]
    rounding = ROUND * np.abs(moved)
    slack_errors = _slack_errors(answer, scaled, own_slacks[:, :count], rounding[:, :count])
    # What the peer lacks counts in shares of the DMU's values and the peer's, beyond rounding.
    size = _sizes_of_gains(scaled, gains)
    worse = np.maximum(-own_slacks - rounding, 0.0) / size
    units = slack_units(scaled)
    missing_slack = np.maximum((slacks - own_slacks - rounding) @ units, 0.0) / (size @ units)
    efficient = _efficient_along(scaled, peer, best, unit, direction, slacks)
    without_score = ~has_peer & np.isnan(beta)
    return Proof(
        frame,
        {
            "gap": np.where(without_score, 0.0, frame["gap"].fillna(np.inf)),
            "peers_that_are_not_one": _has_other_than_one_peer(answer.intensities, has_peer),
            "worse_than_where_the_distance_leads": np.where(has_peer, worse.max(axis=1), 0.0),
            "distance_of_the_slacks_from_their_proof": np.where(
                has_peer, slack_errors.max(axis=1), 0.0
            ),
            "slack_that_is_not_the_largest": np.where(has_peer, missing_slack, 0.0),
            "efficient": (answer.efficient.to_numpy() != efficient).astype(float),
            "reason": reason_violations(answer, {NO_PEER_ALONG: ~has_peer}),
        },
    )
