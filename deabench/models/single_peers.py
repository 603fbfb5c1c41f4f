"""Slack programs against single DMUs, no mixtures: the most that one other leaves to gain, by
comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models.scaled_data import Scaled, metrics
from deabench.results.answer import Answer, Task
from deabench.results.proof import Proof
from deabench.utils.arrays import TOLERANCE, Sparse, blocks

NOBODY = "no single reference DMU uses as little and gives as much"


Measure = Callable[[np.ndarray, slice], np.ndarray]
"""What slacks (k, J, s + m) in scaled metrics, outputs first, of the DMUs of a slice amount to, (k,
J): more where more is left.
"""


def summed(weights: np.ndarray) -> Measure:
    """The sum of slacks, each times its DMU's weight (K, s + m)."""
    return lambda left, rows: np.asarray(np.einsum("kjc,kc->kj", left, weights[rows]))


def solve(task: Task, measure: Measure, size: np.ndarray) -> Answer:
    """The best single peer of every DMU, by what it leaves to gain over `size` (K,). Its scores are
    the measure's.
    """
    given, labels, names = Scaled.of(task), task.data.labels, metrics(task.data)
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    total, peer, slack, none = _best(given, kept, measure)
    unit = np.append(given.unit_y, given.unit_x)
    return Answer(
        scores=pd.Series(total * size, index=labels, name="inefficiency"),
        slacks=pd.DataFrame((slack * unit)[:, : len(names)], index=labels, columns=names),
        weights=pd.DataFrame(index=labels),
        intensities=Sparse(peer[:, None].astype(np.int32), (peer >= 0).astype(float)[:, None]),
        efficient=pd.Series(none, index=labels, name="efficient"),
        **as_they_are(task),
        reference=task.reference,
        own_reference=task.own_reference,
        frontier=kept,
        reasons={labels[k]: NOBODY for k in np.flatnonzero(peer < 0).tolist()},
        path="by comparison of all pairs",
    )


def as_they_are(task: Task, *notes: str) -> dict[str, Any]:
    """The data and the options of an answer against single DMUs, of which there are no multiples:
    said where they were meant.
    """
    said = (
        ()
        if task.options.returns == "vrs"
        else ("single DMUs are taken as they are: returns to scale do not count",)
    )
    return {
        "data": replace(task.data, notes=(*task.data.notes, *notes, *said)),
        "options": replace(task.options, returns="vrs"),
    }


def _best(given: Scaled, kept: np.ndarray, measure: Measure) -> tuple[np.ndarray, ...]:
    """The largest measure, whose it is (-1: nobody's), its slacks, and whether nobody leaves
    anything to gain; for every DMU.
    """
    count = len(given.x)
    total, peer, none = np.full(count, np.nan), np.full(count, -1), np.zeros(count, dtype=bool)
    slack = np.full((count, given.Y.shape[1] + given.X.shape[1]), np.nan)
    for rows, left in _compared(given, kept):
        may = np.asarray((left >= 0).all(axis=2))
        totals = np.where(may, measure(left, rows), -np.inf)
        first, who = totals.argmax(axis=1), np.asarray(may.any(axis=1))
        at = np.arange(len(first))
        total[rows] = np.where(who, totals[at, first], np.nan)
        peer[rows] = np.where(who, kept[first], -1)
        slack[rows] = np.where(who[:, None], left[at, first], np.nan)
        none[rows] = who & (np.where(may, left.max(axis=2), 0.0).max(axis=1) <= TOLERANCE)
    return total, peer, slack, none


def _compared(given: Scaled, kept: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """What each reference DMU leaves to gain, (K, J, s + m) in scaled metrics; none below 0 where
    it dominates.
    """
    there = np.column_stack([given.Y, -given.X])[kept]
    here = np.column_stack([given.y, -given.x])
    for rows in blocks(len(here), there.size):
        yield rows, there[None] - here[rows][:, None]


def prove(
    answer: Answer, measure: Measure, size: np.ndarray, read: Callable[[np.ndarray], np.ndarray]
) -> Proof:
    """Every pair compared again, against all reference DMUs; `read` makes scores of the measure."""
    given, lam = Scaled.of(answer), answer.intensities
    total, peer, _, none = _best(given, np.arange(len(given.X)), measure)
    found = np.column_stack([lam.dot(given.Y) - given.y, given.x - lam.dot(given.X)])
    own, scores = measure(found[:, None], slice(None))[:, 0], answer.scores.to_numpy()
    one = ((lam.columns >= 0).sum(axis=1) == (peer >= 0)) & (lam.values == (lam.columns >= 0)).all(
        axis=1
    )
    reads = read(own * size)
    frame = pd.DataFrame(
        {"primal": reads, "dual": read(total * size), "gap": np.abs(own - total)},
        index=answer.scores.index,
    )
    frame[answer.scores.isna()] = np.nan
    columns = answer.slacks.shape[1]
    unit = np.append(given.unit_y, given.unit_x)[:columns]
    gone = peer < 0
    return Proof(
        frame,
        {
            "gap": np.where(gone & answer.scores.isna(), 0.0, frame["gap"].fillna(np.inf)),
            "peers_that_are_not_one": np.where(one, 0.0, 1.0),
            "worse_than_the_dmu_itself": np.where(gone, 0.0, np.maximum(-found.min(axis=1), 0.0)),
            "distance_of_the_score_from_its_proof": np.where(
                gone, 0.0, np.abs(reads - scores) / np.maximum(np.abs(scores), size)
            ),
            "distance_of_the_slacks_from_their_proof": np.where(
                gone, 0.0, np.abs(answer.slacks.to_numpy() / unit - found[:, :columns]).max(axis=1)
            ),
            "efficient": (answer.efficient.to_numpy() != none).astype(float),
        },
    )
