"""That a ranking is right against all reference DMUs, that slacks are the largest, and that
`efficient` is true both ways.

All in metrics divided by their maxima c in the reference: Z = (outputs, -inputs) / c. Any weights u
≥ 1 bound the total slack Σ slack / c at a point z by u₀ - u·z, where u₀ is the most that u gives to
a mix: max_j u·Z_j, which must not be above 0 where a mix can be multiplied, and is at least 0 where
it can be shrunk."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from deabench.results.proof import Scored, SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import ROUND, TOLERANCE, blocks, chunks, greatest, least

LAMBDA_SUM_BOUNDS: dict[str, tuple[float, float]] = {
    "crs": (0.0, np.inf),
    "vrs": (1.0, 1.0),
    "nirs": (0.0, 1.0),
    "ndrs": (1.0, np.inf),
}

LEAST = 1e-5
"""Weights that are all above this share of the largest, in metrics scaled to 1, leave no slack:
complementary slackness.
"""


def reference_maxima(result: Scored) -> np.ndarray:
    """The largest value of every output, then input, of the reference; 1 where it is 0."""
    top = np.append(
        result.reference.outputs.to_numpy().max(axis=0, initial=0.0),
        result.reference.inputs.to_numpy().max(axis=0, initial=0.0),
    )
    return np.where(top > 0, top, 1.0)


def all_weights_positive(weights: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Whether every weight of a row is, in metrics scaled to a maximum of 1."""
    shares = weights * top
    return np.asarray(least(shares) > LEAST * greatest(*shares.T))


def stack_outputs_inputs(data: Data) -> np.ndarray:
    """Outputs, then inputs as they are."""
    return np.column_stack([data.outputs.to_numpy(), data.inputs.to_numpy()])


class SlackProof:
    """What is claimed of slacks and of who is efficient, prepared once for all DMUs."""

    def __init__(self, result: Scored, weights: SlackWeights) -> None:
        self.result, self.weights, self.unit = result, weights, reference_maxima(result)
        self.s = result.data.outputs.shape[1]
        self.signed = self.unit * np.append(np.ones(self.s), -np.ones(len(self.unit) - self.s))
        self.none = np.isnan(result.scores.to_numpy())
        self.slack = result.slacks.to_numpy()
        self.total = total_slack(self.slack, self.unit)
        self.bound = weighted_maxima(result, weights.rows)
        self.least = np.asarray((weights.rows >= 1 - TOLERANCE).all(axis=1))
        own, columns = (
            result.weights.to_numpy(),
            result.weights.columns.get_indexer(result.slacks.columns),
        )
        self.own = (
            own[:, : len(columns)]
            if (columns == np.arange(len(columns))).all()
            else own[:, columns]
        )

    def forget(self, those: np.ndarray) -> None:
        """Keep no proof of the slacks of those, bool (n,)."""
        self.weights = SlackWeights(
            self.weights.rows, np.where(those, -2, self.weights.of).astype(np.int32)
        )

    def all_left(self, reached: np.ndarray | None = None) -> np.ndarray:
        """`left` of every DMU, whose peers reach `reached` (n, s + m) where that is known."""
        there = (
            self.result.intensities.dot(stack_outputs_inputs(self.result.reference))
            if reached is None
            else reached
        )
        return np.concatenate([self.left(rows, there[rows]) for rows in chunks(len(self.none))])

    def left(self, rows: slice, reached: np.ndarray) -> np.ndarray:
        """How much more slack there may be than is said, for some DMUs whose peers reach `reached`
        (k, s + m): the total slack where their own weights leave none, infinite where what is to
        prove it does not.
        """
        of, none, said = self.weights.of[rows], self.none[rows], self.total[rows]
        out = np.where(of == -1, said, 0.0)
        held = np.flatnonzero((of >= 0) & ~none)
        out[held] = (
            self._room(of[held], reached[held] / self.signed - self.slack[rows][held] / self.unit)
            - said[held]
        )
        out[(of == -1) & ~none & ~all_weights_positive(self.own[rows], self.unit)] = np.inf
        return np.where(none, np.nan, np.maximum(out, 0.0))

    def _room(self, of: np.ndarray, at: np.ndarray) -> np.ndarray:
        """A bound on the total slack at points (k, s + m), over the metrics' maxima, inputs below
        0.
        """
        bound = self.bound[of] - np.einsum("kr,kr->k", self.weights.rows[of], at)
        return np.asarray(np.where(self.least[of], bound, np.inf))

    @cached_property
    def proved(self) -> tuple[np.ndarray, np.ndarray]:
        """Who is proved efficient, and who is neither that nor proved inefficient, bool (n,) each."""
        scores, proved = self.result.scores.to_numpy(), np.zeros(len(self.none), dtype=bool)
        candidates = np.flatnonzero(scores >= 1 - TOLERANCE)
        candidates = candidates[
            (self.slack[candidates] / self.unit).max(axis=1, initial=0.0) <= TOLERANCE
        ]
        of = self.weights.of[candidates]
        proved[candidates[of == -1]] = True  # positive weights that prove the score
        held = candidates[of >= 0]
        data = self.result.data
        here = (
            np.column_stack([data.outputs.to_numpy()[held], data.inputs.to_numpy()[held]])
            / self.signed
        )
        proved[held] = self._room(of[of >= 0], here) <= TOLERANCE
        undecided = np.zeros(len(scores), dtype=bool)
        undecided[candidates] = ~proved[candidates]
        return proved, undecided


def total_slack(slack: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Σ slack / unit of each row, column by column: what a reduction of short rows is slow at."""
    out = np.zeros(len(slack))
    for column, size in zip(slack.T, unit, strict=True):
        out += column / size
    return out


def weighted_maxima(result: Scored, rows: np.ndarray) -> np.ndarray:
    """u₀ of weights (B, s + m): the most that they give to any mix; infinite where that has no
    bound.
    """
    values = stack_outputs_inputs(result.reference)[result.frontier] / reference_maxima(result)
    values[:, result.data.outputs.shape[1] :] *= -1.0
    table = np.ascontiguousarray(values.T)
    best = np.empty(len(rows))
    for part in blocks(len(rows), table.shape[1]):
        best[part] = (rows[part] @ table).max(axis=1)
    size = np.maximum(np.abs(rows).max(axis=1), 1.0)
    grows = (best > TOLERANCE * size) & (result.returns in ("crs", "ndrs"))
    if result.returns in ("crs", "nirs"):
        best = np.maximum(best, 0.0)
    return np.where(grows, np.inf, best)


def proved_efficient(result: Scored, weights: SlackWeights) -> tuple[np.ndarray, np.ndarray]:
    """Who is proved efficient, and who is neither that nor proved inefficient, bool (n,) each."""
    return SlackProof(result, weights).proved


def efficiency_violations(result: Scored, work: SlackProof) -> np.ndarray:
    """1 where `efficient` is not what is proved; one that is undecided may be called inefficient."""
    proved, undecided = work.proved
    claimed = result.efficient.to_numpy(dtype=bool)
    return np.where((claimed != proved) & ~(undecided & ~claimed), 1.0, 0.0)


def unproved_slack_claims(work: SlackProof | None) -> tuple[str, ...]:
    """What is not proved of slacks and of who is efficient, in words."""
    if work is None:
        return ("that slacks are the largest, and who is efficient",)
    said = []
    slack, undecided = int(((work.weights.of == -2) & ~work.none).sum()), int(work.proved[1].sum())
    if slack:
        said.append(f"the slacks of {slack} DMUs are those of one optimum, not proved the largest")
    if undecided:
        said.append(f"whether {undecided} DMUs are efficient is undecided within {TOLERANCE:g}")
    return tuple(said)


def unproved_claims(result: Scored) -> tuple[str, ...]:
    """`open_questions` of a result whose slacks have weights; nothing of another."""
    return (
        ()
        if result.slack_weights is None
        else unproved_slack_claims(SlackProof(result, result.slack_weights))
    )


def count_uncovered(result: Scored, *, mixtures: bool = False) -> int:
    """How many reference DMUs no listed one dominates or equals: weights that bound the listed ones
    bound all others.

    With `mixtures`, where everybody is held against the same list, one that its own λ shows below a
    mixture is bounded, too."""
    values = stack_outputs_inputs(result.reference)
    values[:, result.reference.outputs.shape[1] :] *= -1.0
    listed = np.asarray(result.frontier)
    rest = np.delete(np.arange(len(values)), listed)
    left = np.ascontiguousarray(values[rest].T)
    for row in values[listed[np.argsort(-values[listed].sum(axis=1), kind="stable")]]:
        if not left.shape[1]:
            break
        stays = left[0] > row[0]
        for metric, value in zip(left[1:], row[1:], strict=True):
            stays |= metric > value
        left, rest = left[:, stays], rest[stays]
    return int((~dominated_by_mixtures(result, rest)).sum()) if mixtures else len(rest)


def dominated_by_mixtures(result: Scored, rows: np.ndarray) -> np.ndarray:
    """Which of the rows of a table that is its own reference are dominated by a mixture of listed
    ones, as their own λ show.
    """
    table = stack_outputs_inputs(result.reference)
    if (
        not len(rows)
        or not result.own_reference
        or result.returns != "vrs"
        or len(table) != len(result.scores)
    ):
        return np.zeros(len(rows), dtype=bool)
    lam = result.intensities[rows]
    s, here = result.reference.outputs.shape[1], table[rows]
    there = lam.dot(table)
    rounding = ROUND * (np.abs(here) + np.abs(there))
    short = np.column_stack([here[:, :s] - there[:, :s], there[:, s:] - here[:, s:]])
    total = np.abs(lam.values.sum(axis=1) - 1.0)
    known = ((lam.columns < 0) | np.isin(lam.columns, result.frontier)).all(axis=1)
    return np.asarray(
        (short <= rounding).all(axis=1)
        & (total <= TOLERANCE)
        & (lam.values >= 0).all(axis=1)
        & known
    )
