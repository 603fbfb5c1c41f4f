"""The directional distance against single DMUs, no mixtures (Cherchye, Kuosmanen, Post 2001), by
comparison of all pairs.

One other, j, lets o go as far as the least of (y_j − y_o) / g_y and (x_o − x_j) / g_x; where a
metric is not to change, j must not be worse in it. The distance is the largest over all j."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models.scaled_data import Scaled, metrics
from deabench.models.single_peers import as_they_are
from deabench.proofs import reasons as why
from deabench.results.answer import Answer, Task
from deabench.results.proof import Proof
from deabench.utils.arrays import TOLERANCE, Sparse, blocks

NOBODY = "no single reference DMU is as good in the metrics that are not to change"


def solve(task: Task, way: np.ndarray, notes: tuple[str, ...]) -> Answer:
    """The farthest that one peer lets every DMU go, and of those peers the one with the largest
    slack.
    """
    given, labels, names = Scaled.of(task), task.data.labels, metrics(task.data)
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    beta, peer, slack = _best(given, kept, way)
    unit = np.append(given.unit_y, given.unit_x)
    return Answer(
        scores=pd.Series(beta, index=labels, name="inefficiency"),
        slacks=pd.DataFrame(
            (np.maximum(slack, 0.0) * unit)[:, : len(names)], index=labels, columns=names
        ),
        weights=pd.DataFrame(index=labels),
        intensities=Sparse(peer[:, None].astype(np.int32), (peer >= 0).astype(float)[:, None]),
        efficient=pd.Series(_efficient(beta, way, slack), index=labels, name="efficient"),
        **as_they_are(task, *notes),
        reference=task.reference,
        own_reference=task.own_reference,
        frontier=kept,
        reasons={labels[k]: NOBODY for k in np.flatnonzero(peer < 0).tolist()},
        path="by comparison of all pairs",
    )


def _best(
    given: Scaled, kept: np.ndarray, way: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distance of every DMU, whose it is (-1: nobody's), and the slacks that are left there, in
    scaled metrics.
    """
    beta, peer, slack = (
        np.full(len(given.x), np.nan),
        np.full(len(given.x), -1),
        np.full(way.shape, np.nan),
    )
    for rows, left in _compared(given, kept):
        step = way[rows][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.where(step > 0, left / step, np.where(left >= 0, np.inf, -np.inf)).min(
                axis=2
            )
        best = level.max(axis=1)
        rest = left - np.where(np.isfinite(best), best, 0.0)[:, None, None] * step
        chosen = np.where(level >= best[:, None], rest.sum(axis=2), -np.inf).argmax(axis=1)
        who = np.isfinite(best)
        beta[rows] = np.where(who, best, np.nan)
        peer[rows] = np.where(who, kept[chosen], -1)
        slack[rows] = np.where(who[:, None], rest[np.arange(len(best)), chosen], np.nan)
    return beta, peer, slack


def _compared(given: Scaled, kept: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """By how much each reference DMU is better, (K, J, s + m) in scaled metrics."""
    there, here = np.column_stack([given.Y, -given.X])[kept], np.column_stack([given.y, -given.x])
    for rows in blocks(len(here), there.size):
        yield rows, there[None] - here[rows][:, None]


def _efficient(beta: np.ndarray, way: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Where neither a step forwards nor slack is left, in scaled metrics."""
    return np.asarray(
        ((beta[:, None] * way).max(axis=1) <= TOLERANCE) & (slack.max(axis=1) <= TOLERANCE)
    )


def prove(answer: Answer, way: np.ndarray) -> Proof:
    """Every pair compared again, against all reference DMUs, and the peer's own distance and slacks
    recomputed.
    """
    given, lam, beta = Scaled.of(answer), answer.intensities, answer.scores.to_numpy()
    best, peer, slack = _best(given, np.arange(len(given.X)), way)
    found = (
        np.column_stack([lam.dot(given.Y) - given.y, given.x - lam.dot(given.X)])
        - beta[:, None] * way
    )
    gone, nan = peer < 0, np.isnan(beta)
    one = ((lam.columns >= 0).sum(axis=1) == ~gone) & (lam.values == (lam.columns >= 0)).all(axis=1)
    columns = answer.slacks.shape[1]
    unit = np.append(given.unit_y, given.unit_x)[:columns]
    size = np.maximum(1.0, np.abs(best))
    frame = pd.DataFrame(
        {"primal": beta, "dual": best, "gap": np.abs(beta - best) / size}, index=answer.scores.index
    )
    return Proof(
        frame,
        {
            "gap": np.where(gone & nan, 0.0, frame["gap"].fillna(np.inf)),
            "peers_that_are_not_one": np.where(one, 0.0, 1.0),
            "worse_than_where_the_distance_leads": np.where(
                gone, 0.0, np.maximum(-found.min(axis=1), 0.0)
            ),
            "distance_of_the_slacks_from_their_proof": np.where(
                gone, 0.0, np.abs(answer.slacks.to_numpy() / unit - found[:, :columns]).max(axis=1)
            ),
            "slack_that_is_not_the_largest": np.where(
                gone, 0.0, np.maximum((slack - found).sum(axis=1), 0.0)
            ),
            "efficient": (answer.efficient.to_numpy() != _efficient(best, way, slack)).astype(
                float
            ),
            "reason": why.reason_violations(answer, {NOBODY: gone}),
        },
    )
