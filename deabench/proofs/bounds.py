"""Bounds of a score that hold exactly: λ and weights repaired until they are feasible.

A point is (outputs, -inputs): more is better in every metric. λ ≥ 0 with a Σλ that the returns to
scale allow gives a point that exists. Where a metric falls short of what a model asks of it by no
more than rounding, λ is moved, by shares of its own entries, to where the metric is met. In
floating point a bound of the move is enough, as for Newton's method (Krawczyk 1969); what is not
decided so is moved in fractions. Weights w ≥ 0 bound what any combination is worth, h = max w·z:
that is computed upwards, so it holds whatever the weights are. Where combinations can be multiplied
nothing may be worth more than 0: the inputs' weights are raised until that is so.

All rounding is allowed for: with `GAMMA` a sum of products is off by less than that share of its
terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deabench.proofs.exact_repair import (
    Limits,
    Technology,
    Vector,
    exact_excess,
    exact_gains,
    raise_input_weights,
)
from deabench.proofs.supporting_weights import exact_candidates
from deabench.utils.arrays import ROUND, Sparse, blocks, greatest_products, positive_products
from deabench.utils.rational import inner_product, to_fractions

GAMMA = ROUND
"""What rounding makes of a sum of products, as a share of its terms."""
MARGIN = 9e-10
"""λ is to reach a score that is worse than the answer's by this share of its unit: less than the
tolerance, as no more may be proved.
"""
LEAST_MARGIN = MARGIN / 1000
"""The same where λ has no more to spare: a score that was set to the best one needs the rest."""
PRECISE = 1e-10
"""A bound that rounding widens by more than this share of a score's unit is made in fractions."""
LAST_DIGITS = 2.0**-50
"""What the rounding of λ, and of metrics that stand for decimals, makes of a metric that λ meets,
as a share of its terms. It is less than `GAMMA`: values farther apart than that are not the same.
"""
FINEST_LAMBDA = 2.0**-40
"""λ that floats leave unrepaired is tried again in multiples of this: without its rounding."""
RESIDUAL = 0.01
"""An approximate inverse may be off by this share."""
REPAIRS = 4
"""Rounds in which metrics that a repair breaks are repaired, too."""
GainScore = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From gains (k, c) of the DMUs at positions (k,), floats or fractions, to the score they reach."""
ExcessScore = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From the excess (k,) and weights (k, c) of DMUs at positions (k,) to the score they allow."""


@dataclass(frozen=True, eq=False)
class ScoreBounds:
    """Two bounds of every score, and by how much λ has to be moved for one of them.

    Attributes
    ----------
    primal : array (K,)
        The score that λ reaches; NaN where λ cannot be repaired.
    dual : array (K,)
        The score that the weights allow.
    support : array (K,)
        The most that the weights give to any combination.
    """

    primal: np.ndarray
    dual: np.ndarray
    support: np.ndarray


def bound_scores(
    technology: Technology,
    tested: np.ndarray,
    lam: Sparse,
    weights: np.ndarray,
    held: np.ndarray,
    score_of_gains: GainScore,
    score_of_excess: ExcessScore,
    unit: np.ndarray,
    wanted: np.ndarray,
    *,
    aims: np.ndarray | None = None,
    moved: np.ndarray | None = None,
    moved_farther: np.ndarray | None = None,
    least_weights: np.ndarray | None = None,
    largest_weights: Callable[[int], Limits] | None = None,
    left_out: np.ndarray | None = None,
) -> ScoreBounds:
    """Bound the scores of tested points from both sides.

    Parameters
    ----------
    tested : array (K, c)
    lam : Sparse, over the points of the technology
    weights : array (K, c)
        Not negative.
    held : bool array (K, c)
        In which metrics λ must reach at least the tested point.
    score_of_gains, score_of_excess : functions
        Both get better scores of better points. See `GainScore` and `ExcessScore`: gains are what
        λ reaches beyond the tested point and `moved`, the excess is h - w·tested.
    unit : array (K,)
        What the scores are measured in.
    wanted : bool array (K,)
        Whose bounds are worth fractions.
    aims : array (K, c), optional
        From where gains count, in the place of the tested points.
    moved : array (K, c), optional
        How far beyond that λ is to reach in the metrics that are held.
    moved_farther : array (K, c), optional
        The same for a score all but as good as the answer's, where λ reaches `moved` alone.
    least_weights : array (K, c), optional
        What the weights have to be at least.
    largest_weights : function, optional
        From the position of a DMU to what its weights may be at most, exactly; in floats they are.
    left_out : int array (K,), optional
        The point that each is not compared with; λ must give it nothing.
    """
    count = len(tested)
    if aims is None:
        aims = tested
    if moved is None:
        moved = np.zeros(tested.shape)
    if least_weights is None:
        least_weights = np.zeros(tested.shape)
    everyone = np.arange(count)
    with np.errstate(all="ignore"):
        # λ that misses by no more than its own rounding, and has nowhere to move, counts as met.
        gains, error, is_feasible, is_met = repaired_gains(technology, aims, lam, held, moved)
        rows = np.flatnonzero(~is_feasible & wanted)
        if len(rows):
            # Any λ that is feasible will do: often that is λ without what rounding added to it.
            rounded_values = np.round(lam.values[rows] / FINEST_LAMBDA) * FINEST_LAMBDA
            rounded_lam = Sparse(lam.columns[rows], rounded_values)
            new_gains, new_error, is_rounded_feasible, _ = repaired_gains(
                technology, aims[rows], rounded_lam, held[rows], moved[rows]
            )
            rows = rows[is_rounded_feasible]
            gains[rows] = new_gains[is_rounded_feasible]
            error[rows] = new_error[is_rounded_feasible]
            is_feasible[rows] = True
        primal = score_of_gains(gains - error, everyone)
        unwidened_primal = score_of_gains(gains, everyone)
        excess, excess_error, lifted = excess_of_weights(technology, tested, weights, left_out)
        dual = score_of_excess(excess + excess_error, lifted, everyone)
        unwidened_dual = score_of_excess(excess, lifted, everyone)
        if (~is_feasible & is_met).any():
            # The last digits that λ misses count as met where they are worth next to nothing.
            shortfall = np.where(held, np.maximum(-gains, 0.0), 0.0)
            worth = (lifted * shortfall).sum(axis=1)
            dual_of_shortfall = score_of_excess(excess + worth, lifted, everyone)
            is_met &= np.abs(dual_of_shortfall - unwidened_dual) <= PRECISE * unit
        # Weights that allow anything have no support, and may be infinite themselves.
        support = np.where(np.isinf(excess), np.inf, excess + (lifted * tested).sum(axis=1))
    wanted = wanted & np.isfinite(lam.values).all(axis=1) & np.isfinite(weights).all(axis=1)
    wanted &= np.isfinite(aims + moved).all(axis=1)
    # What was widened or rounded may be too little: fractions decide where the bounds are apart.
    is_hard = ~is_feasible | ~_is_settled(primal, unwidened_primal, dual, unit)
    for k in np.flatnonzero(is_hard & wanted).tolist():
        # Every repair bounds the score; the closest bound says the most.
        gains_reached = list(exact_gains(technology, aims[k], lam, k, held[k], moved[k]))
        if moved_farther is not None:
            # What λ gains is counted from the same point, however far it is to reach.
            move = moved_farther[k]
            farther = [Fraction(b) - Fraction(a) for a, b in zip(moved[k], move, strict=True)]
            gains_reached += [
                [gain + step for gain, step in zip(exact, farther, strict=True)]
                for exact in exact_gains(technology, aims[k], lam, k, held[k], move)
            ]
        reached = [_as_float(score_of_gains, exact, k) for exact in gains_reached]
        if is_feasible[k]:
            reached.append(primal[k])
        if reached or not is_met[k]:
            primal[k] = reached[_find_closest(reached, dual[k])] if reached else np.nan
    # What is computed upwards may be too much: fractions decide where the bounds are apart.
    is_hard = ~_is_settled(dual, unwidened_dual, primal, unit)
    for k in np.flatnonzero(is_hard & wanted).tolist():
        allowed: list[tuple[float, float]] = []
        for compared, candidate in exact_candidates(
            technology,
            weights[k],
            lam,
            k,
            least_weights[k],
            None if largest_weights is None else largest_weights(k),
            None if left_out is None else left_out[k],
        ):
            outcome = exact_excess(compared, tested[k], candidate)
            if outcome is not None:
                own_value = inner_product(outcome[1], to_fractions(tested[k]))
                bound = _as_float(score_of_excess, outcome[0], k, outcome[1])
                allowed.append((bound, float(outcome[0] + own_value)))
        # Every candidate bounds the score, too.
        if allowed:
            closest = _find_closest([bound for bound, _ in allowed], primal[k])
            dual[k] = allowed[closest][0]
            # u_0 is to be what the weights as they are allow, wherever these allow no more.
            support[k] = allowed[0][1]
    return ScoreBounds(primal, dual, support)


def _is_settled(
    bound: np.ndarray, unwidened: np.ndarray, opposite: np.ndarray, unit: np.ndarray
) -> np.ndarray:
    """Return which bounds (K,) rounding hardly widens and the other side hardly differs from."""
    with np.errstate(invalid="ignore"):
        is_narrow = np.abs(bound - unwidened) <= PRECISE * unit
        return np.asarray(is_narrow & (np.abs(bound - opposite) <= 2 * PRECISE * unit))


def _find_closest(bounds: list[float], other: float) -> int:
    """Return the position of the bound that is closest to one from the other side."""
    distances = np.abs(np.array(bounds) - other)
    return int(np.argmin(np.nan_to_num(distances, nan=np.inf)))


def _as_float(
    score: Callable[..., np.ndarray],
    value: Vector | Fraction,
    k: int,
    weights: Vector | None = None,
) -> float:
    """Return the score of exact gains, or of an exact excess and its weights, as a float."""
    row = np.array([value], dtype=object)
    position = np.array([k])
    try:
        if weights is None:
            return float(score(row, position)[0])
        return float(score(row, np.array([weights], dtype=object), position)[0])
    except ZeroDivisionError:
        return np.nan


# what λ reaches


def repaired_gains(
    technology: Technology,
    tested: np.ndarray,
    lam: Sparse,
    held: np.ndarray,
    moved: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what repaired λ reach beyond the tested points, their error, and who is feasible.

    Returns
    -------
    gains, error : arrays (K, c)
        The gain is at least gains - error, and at least 0 in a metric that is held.
    is_feasible : bool array (K,)
        Whether the repair succeeded.
    is_met : bool array (K,)
        Whether λ falls short of nothing that is held by more than what rounding makes of it.
    """
    # As many points at a time as stay in cache: each is judged alone.
    parts = [
        _repaired_gains_of_block(technology, tested[rows], lam[rows], held[rows], moved[rows])
        for rows in blocks(max(len(tested), 1), lam.columns.shape[1] * tested.shape[1])
    ]
    if len(parts) == 1:
        return parts[0]
    gains, error, is_feasible, is_met = (np.concatenate(part) for part in zip(*parts, strict=True))
    return gains, error, is_feasible, is_met


def _repaired_gains_of_block(
    technology: Technology,
    tested: np.ndarray,
    lam: Sparse,
    held: np.ndarray,
    moved: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the `repaired_gains` of some points."""
    values = np.maximum(lam.values, 0.0)
    points = technology.points[lam.columns]
    least_sum, greatest_sum = technology.sums
    sums = values.sum(axis=1)
    # Divided by the sum that is too large, or too small, λ has the nearest one that is allowed.
    allowed = np.clip(sums, least_sum, greatest_sum)
    is_at_bound = (allowed != sums) | (sums == least_sum) | (sums == greatest_sum)
    share = values / np.where(sums > 0, sums, 1.0)[:, None] * allowed[:, None]
    # Σ λ (z - z_o) + (Σ λ - 1) z_o: what all peers share leaves no rounding.
    terms = share[..., None] * (points - tested[:, None])
    growth = (allowed - 1.0)[:, None] * tested
    gains = terms.sum(axis=1) + growth - moved
    error = GAMMA * (np.abs(terms).sum(axis=1) + np.abs(growth) + np.abs(moved))
    is_possible = (sums > 0) | (least_sum == 0)
    reached_terms = share[..., None] * points
    if (allowed > 2).any():
        # Of many small peers Σ λ z - z_o leaves less.
        direct_error = GAMMA * (np.abs(reached_terms).sum(axis=1) + np.abs(tested) + np.abs(moved))
        is_closer = (allowed[:, None] > 2) & (direct_error < error)
        gains = np.where(is_closer, reached_terms.sum(axis=1) - tested - moved, gains)
        error = np.where(is_closer, direct_error, error)
    own_rounding = LAST_DIGITS * (np.abs(tested) + np.abs(reached_terms).sum(axis=1))
    is_met = ((gains >= -own_rounding) | ~held).all(axis=1) & is_possible
    # Where Σ λ is free, each entry moves the point by all of z_j, else, as λ is divided by its sum
    # again, by what z_j is beyond the point that is to be reached.
    moves = np.where(
        is_at_bound[:, None, None], terms - share[..., None] * moved[:, None], reached_terms
    )
    # Where Σ λ is free, it may move as far as to its nearer bound: less of everything frees all
    # inputs, and more of it all outputs.
    room = np.minimum(greatest_sum - sums, sums - least_sum)
    is_short = held & (gains - error < 0)
    by_size = np.flatnonzero(is_short.any(axis=1) & ~is_at_bound)
    if len(by_size):
        error[by_size] = _scaled_error(
            gains[by_size],
            error[by_size],
            moves[by_size],
            held[by_size],
            room[by_size] / sums[by_size],
        )
        is_short[by_size] = held[by_size] & (gains[by_size] - error[by_size] < 0)
    rows = np.flatnonzero(is_short.any(axis=1))
    if len(rows):
        steps = np.where(is_at_bound[rows, None], 0.0, share[rows])
        moved, is_repaired = _bound_moves(
            gains[rows], error[rows], moves[rows], held[rows], steps, room[rows]
        )
        error[rows] = np.where(is_repaired[:, None], moved, error[rows])
        is_possible[rows] &= is_repaired
    return gains, error, np.asarray(is_possible), np.asarray(is_met)


def _scaled_error(
    gains: np.ndarray, error: np.ndarray, moves: np.ndarray, held: np.ndarray, room: np.ndarray
) -> np.ndarray:
    """Return the error (k, c) of gains with all λ scaled alike, where that meets what is held.

    `room` (k,) is the share by which Σ λ may grow and shrink.
    """
    point = moves.sum(axis=1)
    shortfall = np.where(held, 2 * (error - gains), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(shortfall > 0, shortfall / np.abs(point), 0.0).max(axis=1)[:, None]
    # Outputs are positive and grow with λ, inputs are negative and shrink with it.
    is_more = ((shortfall > 0) & (point > 0)).any(axis=1)[:, None]
    change = np.where(is_more, needed, -needed) * point
    scaled = gains + change - error - GAMMA * np.abs(change)
    meets = ((scaled >= 0) | ~held).all(axis=1) & (needed[:, 0] < np.minimum(room, PRECISE))
    return np.where(meets[:, None], gains - scaled, error)


def _bound_moves(
    gains: np.ndarray,
    error: np.ndarray,
    moves: np.ndarray,
    held: np.ndarray,
    steps: np.ndarray,
    room: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the error (k, c) with which λ can be moved to what is held, and whether it can.

    `moves` (k, p, c) is what each of p entries of λ moves the point by, if it is doubled, and
    `steps` (k, p) what that adds to Σ λ, of which there is `room` (k,).
    """
    size = np.maximum(np.abs(moves).max(axis=1), 1e-300)
    scaled = moves / size[:, None]
    is_short = held & (gains - error < 0)
    count = gains.shape[1]
    widened = error.copy()
    is_repaired = np.zeros(len(gains), dtype=bool)
    for _ in range(REPAIRS):
        # The least shares η of λ's entries that bring the metrics that fall short to 0.
        matrix = np.where(is_short[:, None], scaled, 0.0)
        gram = np.matmul(matrix.transpose(0, 2, 1), matrix) + ~is_short[:, :, None] * np.eye(count)
        try:
            inverse = np.linalg.inv(gram)
        except np.linalg.LinAlgError:  # one is singular: no λ of its peers meets it
            regular = np.linalg.det(gram) != 0
            inverse = np.zeros(gram.shape)
            inverse[regular] = np.linalg.inv(gram[regular])
        # η = P r meets r but for a share of E = MP - 1; P (1 + E)⁻¹ meets it exactly.
        inverse = np.matmul(matrix, inverse)
        residual = np.matmul(matrix.transpose(0, 2, 1), inverse)
        residual = np.abs(residual - is_short[:, :, None] * np.eye(count)).sum(axis=2).max(axis=1)
        is_regular = residual < RESIDUAL
        right = np.where(is_short, (np.abs(gains) + error) / size, 0.0)
        # |(1 + E)⁻¹ r| ≤ |r| + ‖E‖ / (1 - ‖E‖) · max |r|, where ‖E‖ is the largest row sum.
        right += is_short * (2 * RESIDUAL * right.max(axis=1, initial=0.0))[:, None]
        eta = np.einsum("kpc,kc->kp", np.abs(inverse), right)
        widened = error + np.einsum("kp,kpc->kc", eta, np.abs(moves))
        is_repaired = is_regular & (eta.max(axis=1) < 0.5)
        total_step = (eta * steps).sum(axis=1)
        is_repaired &= (total_step == 0) | (total_step <= room)
        # What was above 0 must stay there.
        also_short = held & ~is_short & (gains - widened < 0) & is_repaired[:, None]
        if not also_short.any():
            break
        is_repaired &= ~also_short.any(axis=1)
        is_short |= also_short
    # In what fell short the gain is now exactly 0.
    widened = np.where(is_short, gains, widened)
    return widened, is_repaired


# what weights allow


def excess_of_weights(
    technology: Technology,
    tested: np.ndarray,
    weights: np.ndarray,
    left_out: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return h - w·tested, its error, and the weights with the inputs' raised where that is needed.

    Returns
    -------
    excess, error : arrays (K,)
        The excess is at most excess + error; infinite where the weights allow anything.
    weights : array (K, c)
    """
    outputs = technology.points.shape[1] - technology.inputs
    least_sum, greatest_sum = technology.sums
    up = np.append(
        np.full(outputs, 1 + GAMMA), np.full(technology.inputs, 1 - GAMMA)
    )  # of negative terms less
    table = np.ascontiguousarray(technology.bounding_points.T)
    if technology.can_be_multiplied:
        best, rows, columns = positive_products(weights * up, table, left_out)
        if len(rows):
            weights = raise_input_weights(technology, weights, rows, columns)
            worth = np.where(np.isfinite(weights).all(axis=1), 0.0, np.inf)
            best = np.where(best > 0, worth, best)
    else:
        best = greatest_products(weights * up, table, left_out)
    # h = max over the allowed Σ λ of Σ λ · best.
    bounded = np.isfinite(best)
    best = np.where(bounded, best, 0.0)
    value = least_sum * np.minimum(best, 0.0)
    if np.isfinite(greatest_sum):
        value = value + greatest_sum * np.maximum(best, 0.0)
    value = np.where(bounded, value, np.inf)
    own_terms = np.where(np.isinf(value)[:, None], 0.0, weights) * tested
    error = GAMMA * (np.abs(own_terms).sum(axis=1) + np.abs(value))
    return value - own_terms.sum(axis=1), error, weights
