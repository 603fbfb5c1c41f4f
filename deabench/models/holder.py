"""Hölder distances (Briec 1998): the least change, in a norm, that takes a DMU to the weakly
efficient frontier.

From inside, the frontier is as near as its nearest hyperplane. In L∞ all metrics move together, in
L1 one metric alone moves, that which comes there first, and in L2 the way is a facet's normal: each
is a directional distance, and is solved and proved as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.dominance import undominated_rows
from deabench.geometry.nearest_points import NORM_ORDERS
from deabench.geometry.technology import technology_facets
from deabench.models import additive, directional
from deabench.models.scaled_data import Scaled, metrics
from deabench.proofs import structure
from deabench.results.answer import Answer, Task
from deabench.results.model import (
    ANY_VALUES,
    NORM_ORDER,
    NUMBERS,
    Advance,
    Model,
    Norm,
    option,
)
from deabench.results.proof import Proof
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE
from deabench.utils.checks import choice

NORMS = ("l1", "l2", "linf")
MANY = 8
"""Metrics for which facets are still listed."""
OUTSIDE = "it lies beyond what the reference can do; the distance is one from the inside"
STEEP = 1e-12
"""A hyperplane with a weight below this, its largest being 1, is parallel to the metrics that may
change.
"""


def read_norm(given: object, _: Data) -> str:
    """A norm by its word, or by its number: 1, 2, infinity."""
    found = (
        {1: "l1", 2: "l2", np.inf: "linf"}.get(given) if isinstance(given, int | float) else given
    )
    choice("norm", given if found is None else found, NORMS)
    return str(found)


def solve(task: Task, advance: Advance) -> Answer:
    """The distance of every DMU along the shortest way."""
    given = Scaled.of(task)
    count, notes = _counts(task, given)
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    way, inside = (
        _inverse(count),
        np.ones(len(count), dtype=bool),
    )  # of L∞: the same change in every metric
    if task.options.norm != "linf":
        way, inside = {"l1": _alone, "l2": _straight}[task.options.norm](task, given, kept, count)
    answer = directional.along(task, way, notes, advance)
    gone = np.flatnonzero(~inside | (answer.scores < -TOLERANCE) | answer.scores.isna())
    scores, slacks = answer.scores.copy(), answer.slacks.copy()
    scores.iloc[gone], slacks.iloc[gone] = np.nan, np.nan
    unit, names = np.append(given.unit_y, given.unit_x), metrics(task.data)
    table = pd.DataFrame(
        (way * unit)[:, : len(names)] * _signs(given)[: len(names)],
        index=task.data.labels,
        columns=names,
    )
    efficient = answer.efficient.copy()
    efficient.iloc[gone] = False
    return replace(
        answer,
        scores=scores,
        slacks=slacks,
        efficient=efficient,
        tables={"direction": table},
        reasons={task.data.labels[k]: OUTSIDE for k in gone.tolist()},
    )


def _counts(task: Task | Answer, given: Scaled) -> tuple[np.ndarray, tuple[str, ...]]:
    """What a change by 1 of each scaled metric counts for each DMU, (K, s + m); 0 where it may not
    change.
    """
    own, _ = additive.counts_of(task)
    count = np.zeros((len(own), given.Y.shape[1] + given.X.shape[1]))
    count[:, : own.shape[1]] = own * np.append(given.unit_y, given.unit_x)[: own.shape[1]]
    none = ~count.any(axis=1)
    if none.any():
        raise DataError(
            f"no metric of '{task.data.labels[int(np.argmax(none))]}' may change; give weights that are above 0 in one "
            "of those that are to change"
        )
    still = [
        name
        for name, zero in zip(metrics(task.data), (own == 0).T, strict=True)
        if zero.any() and _moves(task, name)
    ]
    notes = [f"'{name}' stays as it is where what counts 1 of it is 0" for name in still]
    if task.options.weights == "ones":
        notes.append("changes are counted in the metrics' own units; other weights have no units")
    return count, tuple(notes)


def _moves(task: Task | Answer, name: str) -> bool:
    """Whether a metric is on the side that is to change."""
    side = task.options.orientation
    return bool(side == "none" or (side == "output") == (name in task.data.outputs))


def _signs(given: Scaled) -> np.ndarray:
    return np.append(np.ones(given.Y.shape[1]), -np.ones(given.X.shape[1]))


def _inverse(count: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(count > 0, 1.0 / np.where(count > 0, count, 1.0), 0.0))


def _alone(
    task: Task, given: Scaled, kept: np.ndarray, count: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """L1: the one metric that comes to the frontier first."""
    far = np.full(count.shape, np.inf)
    for c in np.flatnonzero(count.any(axis=0)).tolist():
        way = np.zeros_like(count)
        way[:, c] = 1.0
        far[:, c] = np.where(
            count[:, c] > 0,
            directional.distances(task, given, kept, way, lambda _: None).objective * count[:, c],
            np.inf,
        )
    inside = ~np.isnan(far).any(axis=1)
    first = np.where(np.isnan(far), np.inf, far).argmin(axis=1)
    return np.where(np.arange(count.shape[1]) == first[:, None], _inverse(count), 0.0), inside


def _straight(
    task: Task, given: Scaled, kept: np.ndarray, count: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """L2: along the normal of the nearest facet."""
    number = len(metrics(task.data))
    if number > MANY:
        raise DataError(
            f"norm 'l2' lists facets, and {number} metrics have too many of them; use norm 'l1' or 'linf'"
        )
    normals, h = technology_facets(given.X[kept], given.Y[kept], given.returns)
    way, inside = np.zeros_like(count), np.ones(len(count), dtype=bool)
    for k, each in enumerate(_inverse(count)):
        length = np.linalg.norm(normals * each, axis=1)
        room = h - normals @ np.append(given.y[k], -given.x[k])
        steep = length > STEEP * each.max()
        f = np.flatnonzero(steep)[np.argmin(room[steep] / length[steep])]
        way[k], inside[k] = normals[f] * each**2 / length[f], room.min() >= -TOLERANCE
    return way, inside


def prove(answer: Answer) -> Proof:
    """That the way is of length 1, and that the frontier is reached on it there, no sooner."""
    given, names = Scaled.of(answer), metrics(answer.data)
    count, _ = _counts(answer, given)
    unit = np.append(given.unit_y, given.unit_x)
    known = structure.require_table(answer, "direction", rows=answer.scores.index, columns=names)
    way = np.zeros_like(count)
    way[:, : len(names)] = known.to_numpy() * _signs(given)[: len(names)] / unit[: len(names)]
    proof = directional.prove_along(answer, way)
    length = np.linalg.norm(way * count, NORM_ORDERS[answer.options.norm], axis=1)
    wrong = np.where(
        (way < 0).any(axis=1) | ((way > 0) & (count == 0)).any(axis=1), np.inf, np.abs(length - 1.0)
    )
    if answer.options.norm == "linf":
        wrong = np.maximum(wrong, np.abs(way * count - (count > 0)).max(axis=1))
    misses = {**proof.violations, "length_of_the_way_beside_1": wrong}
    del misses["reason"]  # its own words are not proved: `parts` says so
    shorter = (
        () if answer.options.norm == "linf" else ("that no other way to the frontier is shorter",)
    )
    return replace(proof, violations=misses, unclaimed=(*proof.unclaimed, *shorter))


def meaning(score: float, options: Any) -> str:
    """What the distance says."""
    side = {"output": "of outputs", "input": "of inputs", "none": "of metrics"}[options.orientation]
    return f"the frontier is {score:.4g} away, by the least change {side} in norm '{options.norm}'"


def _allows(options: Any) -> tuple[Allowed, ...]:
    """With Σ λ = 1 distances are translation-invariant, unless own values are what they are counted
    in.
    """
    return (
        ANY_VALUES if options.returns == "vrs" and options.weights != "mip" else ("zero outputs",)
    )


@dataclass(frozen=True, kw_only=True)
class Holder(Model):
    """Hölder distances: the least change, in a norm, that leads to the weakly efficient frontier."""

    name = "holder"
    title = "the least change, in a norm, that leads to the frontier (Hölder distance)"
    equation = "(directional), on the shortest way"
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
        reader=additive.read,
    )

    def allows(self) -> tuple[Allowed, ...]:
        return _allows(self)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)
