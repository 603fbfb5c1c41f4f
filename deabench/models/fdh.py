"""The free disposal hull: comparison with single DMUs, no mixtures.

Its closed form needs no solver and proves itself by enumeration (Deprins, Simar, Tulkens 1984);
`deabench_models.free_disposal_output` is the mixed-integer program that it equals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.models.shared.radial_model import RadialModel
from deabench.models.shared.scaled_data import (
    ScaledData,
    metric_names,
    pareto_efficient,
    slacks_beyond,
)
from deabench.proofs.reasons import NO_OUTPUT, reason_violations
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
        peer = np.full(len(scaled.x), -1)
        factor = np.full(len(scaled.x), np.nan)
        for rows, level, slack in _compare_pairs(scaled, candidates, self.orientation):
            best = level.max(axis=1)
            # Of equally good peers the one that leaves the largest slack is taken.
            slack[level < best[:, None]] = -np.inf
            peer[rows] = np.where(np.isfinite(best), candidates[slack.argmax(axis=1)], -1)
            factor[rows] = best
            advance(len(best))
        labels = task.data.labels
        scores, reasons = _scores(factor, labels, self.orientation)
        peer[np.isnan(scores)] = -1
        # The peer alone has an intensity, of 1; a DMU without a score has no peer.
        lam = Sparse(peer[:, None].astype(np.int32), (peer >= 0).astype(float)[:, None])
        slacks = _slacks(task, scores.to_numpy(), lam)
        slacks = pd.DataFrame(np.maximum(slacks.to_numpy(), 0.0), slacks.index, slacks.columns)
        return Answer(
            scores=scores,
            slacks=slacks,
            weights=pd.DataFrame(index=labels),
            intensities=lam,
            efficient=pareto_efficient(scores, slacks, task.data),
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


def _compare_pairs(
    scaled: ScaledData, candidates: np.ndarray, orientation: str
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield slices of DMUs with the level φ (or −θ) that each candidate alone gives, and its slack.

    The level is −∞ where the candidate may not be the peer. The slack is the total at the best
    level, in shares of the reference's maxima.
    """
    Y = scaled.Y[candidates]
    X = scaled.X[candidates]
    # Slacks are summed in shares of the reference's maxima.
    maxima = np.append(scaled.Y.max(axis=0, initial=0.0), scaled.X.max(axis=0, initial=0.0))
    shares = 1.0 / np.where(maxima > 0, maxima, 1.0)
    for rows in blocks(len(scaled.x), len(candidates) * (scaled.s + scaled.m)):
        y = scaled.y[rows][:, None]
        x = scaled.x[rows][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            if orientation == "output":
                # The metric that grows least limits φ; a candidate with more input is no peer.
                level = np.where(y > 0, Y / y, np.inf).min(axis=2)
                level[~(x >= X).all(axis=2)] = -np.inf
            else:
                # The input that shrinks least limits θ; a candidate with less output is no peer.
                level = -np.where(x > 0, X / x, np.where(X > 0, np.inf, -np.inf)).max(axis=2)
                level[~(y <= Y).all(axis=2)] = -np.inf
            best = level.max(axis=1)[:, None, None]
            output_factor = best if orientation == "output" else 1.0
            input_factor = 1.0 if orientation == "output" else -best
            # What each candidate is better by than the projection.
            gained = (Y - y * output_factor) @ shares[: scaled.s]
            spared = (x * input_factor - X) @ shares[scaled.s :]
            slack = gained + spared
        yield rows, level, np.nan_to_num(slack, nan=-np.inf)


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


def _slacks(task: Task | Answer, scores: np.ndarray, lam: Sparse) -> pd.DataFrame:
    """Return what the peer is better by than the projection; below 0 where it is worse."""
    x = task.data.inputs.to_numpy()
    y = task.data.outputs.to_numpy()
    if task.options.orientation == "output":
        y = y / scores[:, None]
    else:
        x = x * scores[:, None]
    slacks = slacks_beyond(task, lam, x, y)
    slacks[np.isnan(scores)] = np.nan
    return pd.DataFrame(slacks, index=task.data.labels, columns=metric_names(task.data))


def _prove_by_enumeration(answer: Answer) -> Proof:
    """Compare every pair again, with all reference DMUs, and recompute the peer's own slacks."""
    scaled = ScaledData.of(answer)
    best = np.full(len(scaled.x), np.nan)
    largest_slack = np.full(len(scaled.x), np.nan)
    everyone = np.arange(len(scaled.X))
    for rows, level, slack in _compare_pairs(scaled, everyone, answer.orientation):
        best[rows] = level.max(axis=1)
        is_best = level >= best[rows][:, None]
        largest_slack[rows] = np.where(is_best, slack, -np.inf).max(axis=1)
    dual, _ = _scores(best, answer.scores.index, answer.orientation)
    is_undefined = dual.isna().to_numpy()

    # The peer must be exactly one DMU; its slacks, over the reference's maxima, the largest.
    lam = answer.intensities
    is_entry = lam.columns >= 0
    is_single = (lam.values == is_entry).all(axis=1) & (is_entry.sum(axis=1) == dual.notna())
    slacks = _slacks(answer, dual.to_numpy(), lam)
    maxima = np.append(answer.reference.outputs.max(), answer.reference.inputs.max())
    maxima = np.where(maxima > 0, maxima, 1.0)
    total = (slacks.to_numpy() / maxima).sum(axis=1)
    # Errors are shares of the peer's own values, or of the DMU's where these are more.
    reached = lam.dot(np.column_stack([answer.reference.outputs, answer.reference.inputs]))
    own_values = np.column_stack([answer.data.outputs, answer.data.inputs])
    size = np.maximum(np.abs(reached), np.abs(own_values))
    slack_errors = np.abs(answer.slacks - slacks).to_numpy() / np.where(size > 0, size, maxima)
    slack_errors = slack_errors.max(axis=1)

    gap = (answer.scores - dual).abs() / np.maximum(dual.abs(), 1.0)
    gap[answer.scores.isna() & dual.isna()] = 0.0
    frame = pd.DataFrame({"primal": answer.scores, "dual": dual, "gap": gap})
    efficient = pareto_efficient(dual, slacks, answer.data)
    without_peer = ~np.isfinite(best)
    without_output = np.asarray((answer.orientation == "output") & ~scaled.y.any(axis=1))
    return Proof(
        frame,
        {
            "gap": frame["gap"].fillna(np.inf).to_numpy(),
            "peers_that_are_not_one": np.where(is_single, 0.0, 1.0),
            "distance_of_the_slacks_from_their_proof": np.where(is_undefined, 0.0, slack_errors),
            "slack_that_is_not_the_largest": np.where(is_undefined, 0.0, largest_slack - total),
            "efficient": (answer.efficient != efficient).to_numpy().astype(float),
            "reason": reason_violations(
                answer,
                {
                    NO_PEER[answer.orientation]: without_peer,
                    ZERO_FACTOR: is_undefined & ~without_peer,
                    NO_OUTPUT: without_output,
                },
            ),
        },
    )
