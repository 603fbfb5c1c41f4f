"""That a ranking is right against all reference DMUs, that slacks are the largest, and that `efficient` is true both ways.

All in metrics divided by their maxima c in the reference: Z = (outputs, -inputs) / c. Any weights u ≥ 1 bound the total slack
Σ slack / c at a point z by u₀ - u·z, where u₀ is the most that u gives to a mix: max_j u·Z_j, which must not be above 0 where a mix
can be multiplied, and is at least 0 where it can be shrunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deabench.arrays import TOLERANCE, blocks, chunks

if TYPE_CHECKING:
    from deabench.dea.certify import Scored

CLEAR = 1e-12
"""A difference above this is no rounding, of weights and metrics of at most about 1."""
LEAST = 1e-5
"""Weights that are all above this share of the largest, in metrics scaled to 1, leave no slack: complementary slackness."""


@dataclass(frozen=True, eq=False)
class SlackWeights:
    """What proves slacks the largest.

    Attributes
    ----------
    rows : array (B, s + m)
        Weights of outputs, then inputs, at least 1 each, in metrics divided by their maxima in the reference; each once. Of a DMU
        without a score, weights of 0 or more that prove that it has none.
    of : int32 array (n,)
        Which row is whose; -1 where a DMU's own weights are all positive, -2 where there is no proof.
    """

    rows: np.ndarray
    of: np.ndarray


def maxima(result: Scored) -> np.ndarray:
    """The largest value of every output, then input, of the reference; 1 where it is 0."""
    top = np.append(result.reference.outputs.to_numpy().max(axis=0, initial=0.0),
                    result.reference.inputs.to_numpy().max(axis=0, initial=0.0))
    return np.where(top > 0, top, 1.0)


def positive(weights: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Whether every weight of a row is, in metrics scaled to a maximum of 1."""
    shares = weights * top
    return np.asarray(shares.min(axis=1) > LEAST * shares.max(axis=1))


def points(result: Scored, rows: np.ndarray) -> np.ndarray:
    """Outputs and negated inputs of tested DMUs over their maxima."""
    y, x = result.data.outputs.to_numpy()[rows], result.data.inputs.to_numpy()[rows]
    return np.asarray(np.column_stack([y, -x]) / maxima(result))


def projected(result: Scored, rows: np.ndarray) -> np.ndarray:
    """Their radial projections: what their peers reach, less the slacks; another claim holds it against the scores."""
    both = np.column_stack([result.reference.outputs.to_numpy(), -result.reference.inputs.to_numpy()])
    return np.asarray((result.intensities[rows].dot(both) - result.slacks.to_numpy()[rows]) / maxima(result))


def most(result: Scored, rows: np.ndarray) -> np.ndarray:
    """u₀ of weights (B, s + m): the most that they give to any mix; infinite where that has no bound."""
    both = np.column_stack([result.reference.outputs.to_numpy(), -result.reference.inputs.to_numpy()])[result.frontier]
    table = np.ascontiguousarray((both / maxima(result)).T)
    best = np.empty(len(rows))
    for part in blocks(len(rows), table.shape[1]):
        best[part] = (rows[part] @ table).max(axis=1)
    size = np.maximum(np.abs(rows).max(axis=1), 1.0)
    grows = (best > TOLERANCE * size) & (result.returns in ("crs", "ndrs"))
    if result.returns in ("crs", "nirs"):
        best = np.maximum(best, 0.0)
    return np.where(grows, np.inf, best)


def room(result: Scored, weights: SlackWeights, who: np.ndarray, at: np.ndarray) -> np.ndarray:
    """A bound on the total slack at points (k, s + m) by the weights of the DMUs `who`."""
    of = weights.of[who]
    return np.asarray(most(result, weights.rows)[of] - (weights.rows[of] * at).sum(axis=1))


def efficient(result: Scored, weights: SlackWeights) -> tuple[np.ndarray, np.ndarray]:
    """Who is proved efficient, and who is neither that nor proved inefficient, bool (n,) each."""
    scores = result.scores.to_numpy()
    candidates = np.flatnonzero((scores >= 1 - TOLERANCE) & (_slack(result).max(axis=1, initial=0.0) <= TOLERANCE))
    proved = np.zeros(len(scores), dtype=bool)
    own = candidates[weights.of[candidates] == -1]
    proved[own] = True  # positive weights that prove the score
    held = candidates[weights.of[candidates] >= 0]
    proved[held] = room(result, weights, held, points(result, held)) <= TOLERANCE
    undecided = np.zeros(len(scores), dtype=bool)
    undecided[candidates] = ~proved[candidates]
    return proved, undecided


def _slack(result: Scored) -> np.ndarray:
    return np.asarray(result.slacks.to_numpy() / maxima(result))


def further(result: Scored) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """By how much the claims beyond the scores miss, one number per DMU each; and what is not claimed, in words."""
    covered = {"reference_DMUs_that_no_listed_one_dominates": np.full(len(result.scores), float(uncovered(result)))}
    weights = result.slack_weights
    if weights is None:
        return covered, ("that slacks are the largest, and who is efficient",)
    open_, undecided = int((weights.of == -2).sum()), int(efficient(result, weights)[1].sum())
    said = []
    if open_:
        said.append(f"the slacks of {open_} DMUs are those of one optimum, not proved the largest")
    if undecided:
        said.append(f"whether {undecided} DMUs are efficient is undecided within {TOLERANCE:g}")
    return covered | misses(result, weights), tuple(said)


def misses(result: Scored, weights: SlackWeights) -> dict[str, np.ndarray]:
    """By how much slacks, reasons and `efficient` miss, one number per DMU."""
    given = result.weights[[*result.data.outputs.columns, *result.data.inputs.columns]].to_numpy()
    none = np.isnan(result.scores.to_numpy())
    own, held = weights.of == -1, np.flatnonzero((weights.of >= 0) & ~none)
    wrong = own & ~positive(given, maxima(result)) & ~none
    total = _slack(result).sum(axis=1)
    short = np.where(own, total, 0.0)
    if len(held):
        good = (weights.rows[weights.of[held]] >= 1 - TOLERANCE).all(axis=1)
        for part in chunks(len(held)):
            who = held[part]
            short[who] = room(result, weights, who, projected(result, who)) - total[who]
        short[held[~good]] = np.inf
    short[wrong] = np.inf
    proved, undecided = efficient(result, weights)
    claimed = result.efficient.to_numpy(dtype=bool)
    return {
        "slack_that_is_left": np.where(none, np.nan, np.maximum(short, 0.0)),
        "score_that_there_may_be": _missing(result, weights, none),
        "efficient": np.where((claimed != proved) & ~(undecided & ~claimed), 1.0, 0.0),
    }


def _missing(result: Scored, weights: SlackWeights, none: np.ndarray) -> np.ndarray:
    """What is left of a score for a DMU that is said to have none: at most the factor that its row of weights (u, v) ≥ 0 allows.

    Output-oriented: a factor φ needs φ u·y ≤ u₀ + v·x, which leaves none above 0 where that is 0 or below. Input-oriented: the
    outputs need u·y ≤ u₀ + θ v·x, and v·x is 0.
    """
    out = np.zeros(len(none))
    who = np.flatnonzero(none)
    out[who] = np.inf
    who = who[(weights.of[who] >= 0) & (weights.rows[weights.of[who]] >= 0).all(axis=1)] if len(weights.rows) else who[:0]
    s = result.data.outputs.shape[1]
    u, z = weights.rows[weights.of[who]], points(result, who)
    top = most(result, weights.rows)[weights.of[who]] if len(who) else np.zeros(0)
    gained, spent = (u[:, :s] * z[:, :s]).sum(axis=1), -(u[:, s:] * z[:, s:]).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if result.orientation == "output":
            left = np.where(top + spent < -CLEAR, 0.0, np.where(gained > CLEAR, np.maximum(top + spent, 0.0) / gained, np.inf))
        else:
            left = np.where((gained > top + CLEAR) & (spent <= CLEAR), 0.0, np.inf)
    out[who] = left
    return np.where(none & _free(result), 0.0, out)


def _free(result: Scored) -> np.ndarray:
    """Whose peers reach their outputs without any of their inputs, so that an input-oriented factor is 0."""
    if result.orientation != "input":
        return np.zeros(len(result.scores), dtype=bool)
    lam, s = result.intensities, result.data.outputs.shape[1]
    both = np.column_stack([result.reference.outputs.to_numpy(), -result.reference.inputs.to_numpy()])
    reached, z = lam.dot(both) / maxima(result), points(result, np.arange(len(result.scores)))
    low, high = {"crs": (0.0, np.inf), "vrs": (1.0, 1.0), "nirs": (0.0, 1.0), "ndrs": (1.0, np.inf)}[result.returns]
    total = lam.values.sum(axis=1)
    held = (total >= low - TOLERANCE) & (total <= high + TOLERANCE) & (lam.values >= 0).all(axis=1)
    return np.asarray(held & (reached[:, :s] >= z[:, :s] - TOLERANCE).all(axis=1) & (reached[:, s:] >= -CLEAR).all(axis=1))


def uncovered(result: Scored) -> int:
    """How many reference DMUs no listed one dominates or equals: weights that bound the listed ones bound all others."""
    values = np.column_stack([result.reference.outputs.to_numpy(), -result.reference.inputs.to_numpy()])
    listed = np.asarray(result.frontier)
    left = np.ascontiguousarray(np.delete(values, listed, axis=0).T)
    for row in values[listed[np.argsort(-values[listed].sum(axis=1), kind="stable")]]:
        if not left.shape[1]:
            break
        stays = left[0] > row[0]
        for metric, value in zip(left[1:], row[1:], strict=True):
            stays |= metric > value
        left = left[:, stays]
    return int(left.shape[1])
