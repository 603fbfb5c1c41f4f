"""The free disposal hull: comparison with single DMUs, no mixtures.

Its closed form needs no solver and proves itself by enumeration (Deprins, Simar, Tulkens 1984);
`deabench_models.free_disposal_output` is the mixed-integer program that it equals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.models.shared.radial_model import RadialModel
from deabench.models.shared.scaled_data import (
    ScaledData,
    metric_index,
    pareto_efficient,
    slacks_beyond,
)
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.utils.arrays import Sparse, blocks

NO_PEER = {
    "output": "no single reference DMU lives on its inputs",
    "input": "no single reference DMU reaches its outputs",
}
ZERO_FACTOR = "its factor is 0: no reference DMU has any of one of its metrics"


@dataclass(frozen=True, kw_only=True)
class FDH(RadialModel):
    """The free disposal hull: comparison with single DMUs, no mixtures."""

    name = "fdh"
    title = "against single DMUs, no mixtures (free disposal hull)"
    equation = "(free disposal hull)"
    formulations = ("free_disposal_output", "free_disposal_input")
    technology = "fdh"

    returns: Literal["vrs"] = "vrs"
    orientation: Literal["output", "input"] = "output"

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Find the peer of every DMU: the best factor, and among equal ones the largest slack."""
        scaled = ScaledData.of(task)
        candidates = scaled.undominated()
        factor, peer, _ = _find_best_peers(scaled, candidates, self.orientation, advance)
        labels = task.data.labels
        scores, reasons = _scores(factor, labels, self.orientation)
        peer[np.isnan(scores.to_numpy())] = -1
        # The peer alone has an intensity, of 1; a DMU without a score has no peer.
        lam = Sparse(peer[:, None].astype(np.int32), (peer >= 0).astype(float)[:, None])
        values = np.maximum(_slacks(task, scores.to_numpy(), lam), 0.0)
        slacks = pd.DataFrame(values, labels, metric_index(task.data), copy=False)
        return Answer(
            scores=scores,
            slacks=slacks,
            weights=pd.DataFrame(index=labels),
            intensities=lam,
            efficient=pareto_efficient(scores, slacks, task.data, task.options.orientation),
            data=task.data,
            reference=task.reference,
            options=task.options,
            own_reference=task.own_reference,
            frontier=candidates,
            reasons=reasons,
            path="by comparison of all pairs",
        )

    def prove(self, answer: Answer) -> Proof:
        """Compare every pair again, with all reference DMUs."""
        return _prove_by_enumeration(answer)


def _find_best_peers(
    scaled: ScaledData,
    candidates: np.ndarray,
    orientation: str,
    advance: Advance = lambda _: None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the best level φ (or −θ) that one candidate gives each DMU, its peer and their slack.

    The level is −∞, and the peer -1, where no candidate may be the peer. Of equally good ones the
    peer leaves the largest slack, in shares of the reference's maxima.
    """
    Y = scaled.Y[candidates]
    X = scaled.X[candidates]
    # Slacks are summed in shares of the reference's maxima.
    maxima = np.append(scaled.Y.max(axis=0, initial=0.0), scaled.X.max(axis=0, initial=0.0))
    shares = 1.0 / np.where(maxima > 0, maxima, 1.0)
    best = np.empty(len(scaled.x))
    peer = np.full(len(best), -1)
    largest_slack = np.full(len(best), -np.inf)
    for block in blocks(len(best), len(candidates)):
        y = scaled.y[block]
        x = scaled.x[block]
        level = _compare_pairs(y, x, Y, X, orientation)
        best[block] = level.max(axis=1)
        # Slack decides between the few pairs at the best level.
        is_best = (level == best[block, None]) & np.isfinite(level)
        rows, columns = is_best.nonzero()
        factor = best[block][rows, None]
        output_factor = factor if orientation == "output" else 1.0
        input_factor = 1.0 if orientation == "output" else -factor
        # What each candidate is better by than the projection.
        gained = (Y[columns] - y[rows] * output_factor) @ shares[: scaled.s]
        spared = (x[rows] * input_factor - X[columns]) @ shares[scaled.s :]
        slack = np.full(level.shape, -np.inf)
        slack[is_best] = gained + spared
        largest_slack[block] = slack.max(axis=1)
        peer[block] = np.where(is_best.any(axis=1), candidates[slack.argmax(axis=1)], -1)
        advance(len(level))
    return best, peer, largest_slack


def _compare_pairs(
    y: np.ndarray, x: np.ndarray, Y: np.ndarray, X: np.ndarray, orientation: str
) -> np.ndarray:
    """Return the level φ (or −θ) that each candidate alone gives, (K, n); −∞ where it is no peer.

    Metric by metric, for reducing short axes is slow.
    """
    level = np.full((len(y), len(Y)), np.inf)
    outputs = [(tested[:, None], candidate) for tested, candidate in zip(y.T, Y.T, strict=True)]
    inputs = [(tested[:, None], candidate) for tested, candidate in zip(x.T, X.T, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        if orientation == "output":
            # The metric that grows least limits φ; a candidate with more input is no peer.
            for tested, candidate in outputs:
                np.minimum(level, np.where(tested > 0, candidate / tested, np.inf), out=level)
            for tested, candidate in inputs:
                level[tested < candidate] = -np.inf
        else:
            # The input that shrinks least limits θ; a candidate with less output is no peer.
            for tested, candidate in inputs:
                without_own = np.where(candidate > 0, -np.inf, np.inf)
                np.minimum(level, np.where(tested > 0, -candidate / tested, without_own), out=level)
            for tested, candidate in outputs:
                level[tested > candidate] = -np.inf
    return level


def _scores(
    factor: np.ndarray, labels: pd.Index, orientation: str
) -> tuple[pd.Series, dict[object, str]]:
    """Return the scores of factors, and why some have none."""
    with np.errstate(divide="ignore"):
        values = 1.0 / factor if orientation == "output" else -factor
    values[~np.isfinite(factor)] = np.nan
    values[np.isinf(values)] = np.nan
    reasons = {
        labels[k]: ZERO_FACTOR if np.isfinite(factor[k]) else NO_PEER[orientation]
        for k in np.flatnonzero(np.isnan(values))
    }
    return pd.Series(values, index=labels, name="efficiency"), reasons


def _slacks(task: Task | Answer, scores: np.ndarray, lam: Sparse) -> np.ndarray:
    """Return what the peer is better by than the projection, (K, s + m); below 0 where worse."""
    x = task.data.inputs.to_numpy()
    y = task.data.outputs.to_numpy()
    if task.options.orientation == "output":
        y = y / scores[:, None]
    else:
        x = x * scores[:, None]
    slacks = slacks_beyond(task, lam, x, y)
    slacks[np.isnan(scores)] = np.nan
    return slacks


def _prove_by_enumeration(answer: Answer) -> Proof:
    """Compare every pair again, with all reference DMUs, and recompute the peer's own slacks."""
    scaled = ScaledData.of(answer)
    everyone = np.arange(len(scaled.X))
    best, _, largest_slack = _find_best_peers(scaled, everyone, answer.orientation)
    dual, _ = _scores(best, answer.scores.index, answer.orientation)
    is_undefined = dual.isna().to_numpy()

    # The peer must be exactly one DMU; its slacks, over the reference's maxima, the largest.
    lam = answer.intensities
    is_entry = lam.columns >= 0
    is_single = (lam.values == is_entry).all(axis=1) & (is_entry.sum(axis=1) == dual.notna())
    slacks = _slacks(answer, dual.to_numpy(), lam)
    maxima = np.append(answer.reference.outputs.max(), answer.reference.inputs.max())
    maxima = np.where(maxima > 0, maxima, 1.0)
    total = (slacks / maxima).sum(axis=1)
    # What is far larger than the reference, a DMU or its projection, has slack, and rounding, of
    # its own size: the peer's and the slack are what the projection is made of.
    own_values = np.column_stack([answer.data.outputs, answer.data.inputs])
    own_size = np.maximum((own_values / maxima).max(axis=1), np.abs(slacks / maxima).max(axis=1))
    missing_slack = (largest_slack - total) / np.maximum(own_size, 1.0)
    # Errors are shares of the peer's own values, or of the DMU's where these are more.
    reached = lam.dot(np.column_stack([answer.reference.outputs, answer.reference.inputs]))
    size = np.maximum(reached, own_values)
    slack_errors = np.abs(answer.slacks.to_numpy() - slacks) / np.where(size > 0, size, maxima)
    slack_errors = slack_errors.max(axis=1)

    gap = (answer.scores - dual).abs() / np.maximum(dual.abs(), 1.0)
    gap[answer.scores.isna() & dual.isna()] = 0.0
    frame = pd.DataFrame({"primal": answer.scores, "dual": dual, "gap": gap})
    own_slacks = pd.DataFrame(slacks, answer.slacks.index, answer.slacks.columns)
    efficient = pareto_efficient(dual, own_slacks, answer.data, answer.orientation)
    without_peer = ~np.isfinite(best)
    return Proof(
        frame,
        {
            "gap": frame["gap"].fillna(np.inf).to_numpy(),
            "peers_that_are_not_one": np.where(is_single, 0.0, 1.0),
            "distance_of_the_slacks_from_their_proof": np.where(is_undefined, 0.0, slack_errors),
            "slack_that_is_not_the_largest": np.where(is_undefined, 0.0, missing_slack),
            "efficient": (answer.efficient != efficient).to_numpy().astype(float),
            "reason": reason_violations(
                answer,
                {
                    NO_PEER[answer.orientation]: without_peer,
                    ZERO_FACTOR: is_undefined & ~without_peer,
                },
            ),
        },
    )
