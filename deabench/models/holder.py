"""Hölder distances (Briec 1998): the least change, in a norm, that leads to the frontier.

From inside, the weakly efficient frontier is as near as its nearest hyperplane. In L∞ all metrics
move together, in L1 one metric alone moves, the one that comes there first, and in L2 the way is a
facet's normal: each is a directional distance, and is solved and proved as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.nearest_points import NORM_ORDERS
from deabench.geometry.technology import technology_facets
from deabench.models import additive, directional
from deabench.models.shared import infeasibility, single_peers
from deabench.models.shared.own_slack import find_own_slack
from deabench.models.shared.scaled_data import ScaledData, metric_names, solved_multipliers
from deabench.models.shared.score_bounds import BoundedAnswer
from deabench.proofs import structure
from deabench.proofs.bounds import excess_of_weights
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task, take_task_rows
from deabench.results.model import (
    ANY_VALUES,
    Advance,
    Model,
    Norm,
    check_word,
    option,
)
from deabench.results.option_forms import NORM_ORDER, NUMBERS
from deabench.results.proof import Proof
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, blocks

MOST_METRICS = 8
"""Metrics for which facets are still listed."""
OUTSIDE = "it lies beyond what the reference can do; the distance is one from the inside"
WIDEST = 1e6
"""Values of a metric that are so many times apart are too much for the listing of facets."""
NEAR_FRONTIER = 1e-7
"""A DMU whose room to a hyperplane is below this, in scaled metrics, may be on the frontier."""
LACKING = 1e-6
"""A distance that is longer by more than this share than one along a metric is none."""
STEEP = 1e-12
"""A hyperplane with a weight below this, its largest being 1, is parallel to the metrics that may
change.
"""


def read_norm(norm: str | float, _: Data) -> str:
    """Return a norm by its word; its order may be given instead: 1, 2, infinity."""
    by_order = {1: "l1", 2: "l2", np.inf: "linf"}
    word = norm if isinstance(norm, str) else by_order.get(norm, str(norm))
    check_word("norm", word, ("l1", "l2", "linf"))
    return word


@dataclass(frozen=True, kw_only=True)
class Holder(Model):
    """Hölder distances: the least change in a norm that reaches the weakly efficient frontier."""

    name = "holder"
    title = "the least change, in a norm, that leads to the frontier (Hölder distance)"
    equation = "(directional), on the shortest way"
    formulations = ("directional",)
    measure = "inefficiency"

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["none", "output", "input"] = "none"
    norm: Norm | float = option(
        "l1", "How changes are added up: a norm, or its order.", form=NORM_ORDER, reader=read_norm
    )
    weights: Literal["ones", "mip", "normalized", "ram"] | Mapping[str, float] = option(
        "ones",
        "What a change by one unit counts in each metric.",
        form=NUMBERS,
        reader=additive.read_weights,
    )

    @property
    def scales_outputs(self) -> bool:
        """Whether the score is by how much outputs could grow: it is a sum of changes."""
        return False

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that the model takes.

        With Σ λ = 1 distances are translation-invariant, unless changes count in shares of own
        values.
        """
        is_invariant = self.returns == "vrs" and self.weights != "mip"
        return ANY_VALUES if is_invariant else ("zero outputs",)

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute the distance of every DMU along its shortest way."""
        return _solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        """Prove that the way has length 1, and that it reaches the frontier there, no sooner."""
        return _prove(answer)

    def meaning(self, score: float) -> str:
        """Say what the distance means."""
        sides = {"output": "of outputs", "input": "of inputs", "none": "of metrics"}
        return (
            f"the frontier is {score:.4g} away, by the least change {sides[self.orientation]} in "
            f"norm '{self.norm}'"
        )


def _solve(task: Task, advance: Advance) -> Answer:
    """Compute the distance of every DMU along its shortest way."""
    scaled = ScaledData.of(task)
    names = metric_names(task.data)
    weights, notes = _change_weights(task, scaled)
    candidates = scaled.undominated()
    is_inside = np.ones(len(weights), dtype=bool)
    if task.options.norm == "linf":
        direction = _inverse(weights)  # the same change in every metric
    elif task.options.norm == "l1":
        distances = _single_metric_distances(task, scaled, candidates, weights)
        direction, is_inside = _single_metric_directions(distances, weights)
    else:
        direction, is_inside = _normal_directions(task, scaled, candidates, weights)
    answer = directional.solve_along(task, scaled, direction, notes, advance)

    # From outside there is no distance, however near the frontier is.
    values = answer.scores.to_numpy()
    is_beyond = values < 0
    if is_beyond.any():
        is_beyond &= _is_worth_more(answer, scaled)
    certificates = answer.infeasibility_certificates
    near = _rows_all_but_at_frontier(answer, scaled, direction, is_inside & ~is_beyond)
    if len(near):
        beyond = near[np.isnan(find_own_slack(task, candidates, near).total)]
        is_beyond[beyond] = True
        certificates = infeasibility.concat_certificates(
            certificates, infeasibility.farkas_certificates(task, scaled, candidates, beyond)
        )
    undefined = np.flatnonzero(~is_inside | is_beyond | np.isnan(values))
    # What is not proved to be outside, and less than the tolerance from it, is on the frontier.
    scores = answer.scores.mask((values < 0) & (values >= -TOLERANCE), 0.0)
    scores.iloc[undefined] = np.nan
    slacks = answer.slacks.copy()
    slacks.iloc[undefined] = np.nan
    efficient = answer.efficient.copy()
    efficient.iloc[undefined] = False
    own_direction = (direction * scaled.units)[:, : len(names)] * _signs(scaled)[: len(names)]
    own_direction += 0.0  # -0.0 becomes 0
    return replace(
        answer,
        scores=scores,
        slacks=slacks,
        efficient=efficient,
        infeasibility_certificates=certificates,
        tables={"direction": pd.DataFrame(own_direction, index=task.data.labels, columns=names)},
        reasons={task.data.labels[k]: OUTSIDE for k in undefined.tolist()},
    )


def _rows_all_but_at_frontier(
    answer: Answer, scaled: ScaledData, direction: np.ndarray, is_possible: np.ndarray
) -> np.ndarray:
    """Return the positions of DMUs that may be outside by less than their distance is proved to.

    Whom a reference DMU equals or dominates is inside, as are all of a table that is its own
    reference.
    """
    if answer.own_reference:
        return np.zeros(0, dtype=int)
    values = answer.scores.to_numpy()
    tested = np.column_stack([scaled.y, -scaled.x])
    unit = single_peers.distance_unit(answer.options, tested, values, direction)
    rows = np.flatnonzero(is_possible & (values <= TOLERANCE * unit))
    reference = np.column_stack([scaled.Y, -scaled.X])[answer.frontier]
    is_reached = np.zeros(len(rows), dtype=bool)
    for block in blocks(len(rows), reference.size):
        gains = reference - tested[rows[block], None]
        is_reached[block] = (gains >= 0).all(axis=2).any(axis=1)
    return rows[~is_reached]


def _change_weights(task: Task | Answer, scaled: ScaledData) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return what a change by 1 of each scaled metric counts for each DMU, (K, s + m), and notes.

    It is 0 where a metric may not change.
    """
    own_weights, _ = additive.slack_weights(task)
    count = own_weights.shape[1]
    weights = np.zeros((len(own_weights), scaled.s + scaled.m))
    weights[:, :count] = own_weights * scaled.units[:count]
    is_still = ~weights.any(axis=1)
    if is_still.any():
        raise DataError(
            f"no metric of '{task.data.labels[int(np.argmax(is_still))]}' may change; give weights "
            "that are above 0 in one of those that are to change"
        )
    side = task.options.orientation
    notes = [
        f"'{name}' stays as it is where what counts 1 of it is 0"
        for name, is_zero in zip(metric_names(task.data), (own_weights == 0).T, strict=True)
        if is_zero.any() and (side == "none" or (side == "output") == (name in task.data.outputs))
    ]
    if task.options.weights == "ones":
        notes.append("changes are counted in the metrics' own units; other weights have no units")
    return weights, tuple(notes)


def _signs(scaled: ScaledData) -> np.ndarray:
    """Return 1 for each output and -1 for each input."""
    return np.append(np.ones(scaled.s), -np.ones(scaled.m))


def _inverse(weights: np.ndarray) -> np.ndarray:
    """Return 1 over the weights above 0; 0 for the others."""
    return np.asarray(np.where(weights > 0, 1.0 / np.where(weights > 0, weights, 1.0), 0.0))


def _single_metric_directions(
    distances: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return for L1 the direction of the one metric that reaches the frontier first.

    The second array tells which DMUs are inside.
    """
    is_inside = ~np.isnan(distances).any(axis=1)
    # From outside the way is along any metric that may change.
    first = np.where(np.isnan(distances), np.finfo(float).max, distances).argmin(axis=1)
    is_first = np.arange(weights.shape[1]) == first[:, None]
    return np.where(is_first, _inverse(weights), 0.0), is_inside


def _single_metric_distances(
    task: Task, scaled: ScaledData, candidates: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return how far the frontier is along each metric alone, (K, s + m); NaN from outside."""
    distances = np.full(weights.shape, np.inf)
    for column in np.flatnonzero(weights.any(axis=0)).tolist():
        direction = np.zeros_like(weights)
        direction[:, column] = 1.0
        solutions = directional.solve_distances(task, scaled, candidates, direction, lambda _: None)
        weighted = solutions.objective * weights[:, column]
        distances[:, column] = np.where(weights[:, column] > 0, weighted, np.inf)
    return distances


def _normal_directions(
    task: Task, scaled: ScaledData, candidates: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return for L2 the direction along the normal of the nearest facet.

    The second array tells which DMUs are inside.
    """
    count = len(metric_names(task.data))
    if count > MOST_METRICS:
        raise DataError(
            f"norm 'l2' lists facets, and {count} metrics have too many of them; use norm 'l1' or "
            "'linf'"
        )
    _refuse_wide_metrics(task)
    normals, offsets = technology_facets(scaled.X[candidates], scaled.Y[candidates], scaled.returns)
    # What rounding leaves of an entry of 0 would be a way along that metric.
    normals = np.where(np.abs(normals) > STEEP * np.abs(normals).max(axis=1)[:, None], normals, 0.0)
    directions = np.zeros_like(weights)
    is_inside = np.ones(len(weights), dtype=bool)
    is_near = np.zeros(len(weights), dtype=bool)
    distances = np.zeros(len(weights))
    for k, unit_change in enumerate(_inverse(weights)):
        # The weighted distance to a hyperplane is its room over the length of its normal.
        length = np.linalg.norm(normals * unit_change, axis=1)
        if not length.any():
            _refuse_distant_metrics(task, k)
        room = offsets - normals @ np.append(scaled.y[k], -scaled.x[k])
        with np.errstate(divide="ignore", invalid="ignore"):
            nearest = int(np.argmin(np.where(length > 0, room / length, np.inf)))
        directions[k] = normals[nearest] * unit_change**2 / length[nearest]
        distances[k] = room[nearest] / length[nearest]
        is_inside[k] = room.min() >= -TOLERANCE
        is_near[k] = np.abs(room).min() <= NEAR_FRONTIER
    # No metric alone reaches the frontier from nearer, unless the list lacks a facet.
    if task.exact:
        single = _single_metric_distances(task, scaled, candidates, weights).min(axis=1)
        lacking = np.flatnonzero(is_inside & ~is_near & (distances > single * (1 + LACKING)))
        if len(lacking):
            _refuse_distant_metrics(task, lacking[0])
    # Facets are listed in floating point: whether a DMU is on the frontier, a program decides.
    rows = np.flatnonzero(is_near & task.exact)
    if len(rows):
        own, reaches = _directions_at_frontier(task, scaled, candidates, weights, rows)
        directions[rows] = np.where(np.isnan(own), directions[rows], own)
        is_inside[rows] = reaches
    return directions, is_inside


def _directions_at_frontier(
    task: Task, scaled: ScaledData, candidates: np.ndarray, weights: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the normals of hyperplanes through some DMUs, and which are not far outside.

    A hyperplane that bounds the same change in every metric is as far away as that, at most: where
    that is nothing, so is the distance in any norm, along any way. NaN where it is something.
    """
    change = _inverse(weights)[rows]
    tested = replace(scaled, x=scaled.x[rows], y=scaled.y[rows])
    solutions = directional.solve_distances(
        replace(take_task_rows(task, rows), exact=True), tested, candidates, change, lambda _: None
    )
    u, v = solved_multipliers(scaled, solutions, sign=-1.0)
    normals = np.column_stack([u, v])
    length = np.linalg.norm(normals * change, axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        directions = normals * change**2 / length
        is_far = ~(solutions.objective[:, None] * np.abs(change).max() <= TOLERANCE)
    return np.where(is_far, np.nan, directions), ~np.isnan(solutions.objective)


def _refuse_distant_metrics(task: Task, k: int) -> NoReturn:
    """Refuse DMU k, whose sizes hide facets of the others from floating point."""
    raise DataError(
        f"norm 'l2' lists facets, and the metrics of '{task.data.labels[k]}' are too far apart "
        "from those of the others for that; use norm 'l1' or 'linf'"
    )


def _refuse_wide_metrics(task: Task) -> None:
    """Refuse metrics with values so far apart that facets cannot be listed in floating point.

    Raises
    ------
    DataError
    """
    for name in metric_names(task.data):
        values = np.concatenate(
            [
                data.outputs.join(data.inputs)[name].to_numpy()
                for data in (task.data, task.reference)
            ]
        )
        sizes = np.abs(values[values != 0])
        if len(sizes) and sizes.max() > WIDEST * sizes.min():
            raise DataError(
                f"norm 'l2' lists facets, and the values of '{name}' from {sizes.min():g} to "
                f"{sizes.max():g} are too far apart for that; use norm 'l1' or 'linf'"
            )


def _prove(answer: Answer) -> Proof:
    """Prove the directional distance, and that its direction is as long as 1 in the norm."""
    scaled = ScaledData.of(answer)
    names = metric_names(answer.data)
    weights, _ = _change_weights(answer, scaled)
    table = structure.require_table(answer, "direction", rows=answer.scores.index, columns=names)
    direction = np.zeros_like(weights)
    direction[:, : len(names)] = (
        table.to_numpy() * _signs(scaled)[: len(names)] / scaled.units[: len(names)]
    )
    proof = directional.prove_along(answer, scaled, direction)
    length = np.linalg.norm(direction * weights, NORM_ORDERS[answer.options.norm], axis=1)
    is_wrong = (direction < 0).any(axis=1) | ((direction > 0) & (weights == 0)).any(axis=1)
    length_error = np.where(is_wrong, np.inf, np.abs(length - 1.0))
    unclaimed = (*proof.unclaimed, "that no other way to the frontier is shorter")
    if answer.options.norm == "linf":
        # There is one way: the same change in every metric.
        unequal = np.abs(direction * weights - (weights > 0)).max(axis=1)
        length_error = np.maximum(length_error, unequal)
        unclaimed = proof.unclaimed
    has_score = answer.scores.notna().to_numpy()
    is_worth_more = _is_worth_more(answer, scaled)
    # A DMU without a score is beyond the reference under its weights, or no way leads to it.
    no_way = infeasibility.proved_infeasible(answer, scaled)
    violations = {
        **proof.violations,
        "length_of_the_way_beside_1": length_error,
        "score_from_outside": (has_score & is_worth_more).astype(float),
        "reason": reason_violations(answer, {OUTSIDE: no_way | is_worth_more}),
    }
    return replace(proof, violations=violations, unclaimed=unclaimed)


def _is_worth_more(answer: Answer, scaled: ScaledData) -> np.ndarray:
    """Return which DMUs are worth more, under their weights, than the reference can do: (K,)."""
    bounded = BoundedAnswer.of(answer, scaled)
    is_counted = np.isfinite(bounded.weights).all(axis=1)
    weights = np.where(is_counted[:, None], bounded.weights, 0.0)
    excess, error, _ = excess_of_weights(bounded.technology, bounded.tested, weights)
    return np.asarray(is_counted & (excess + error < 0))
