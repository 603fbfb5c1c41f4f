"""The free disposal hull: against what is there, no mixtures. Its closed form needs no solver, and
proves itself by enumeration.

Deprins, Simar, Tulkens (1984); `deabench_models.free_disposal_output` is the mixed-integer program
it equals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.models.radial import RadialModel
from deabench.models.scaled_data import Scaled, pareto_efficient, slacks_of
from deabench.proofs import reasons as why
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance
from deabench.results.proof import Proof
from deabench.utils.arrays import Sparse, blocks

NO_PEER = {
    "output": "no single reference DMU lives on its inputs",
    "input": "no single reference DMU reaches its outputs",
}
NOTHING = "its factor is 0: no reference DMU has any of one of its metrics"


def solve(task: Task, advance: Advance) -> Answer:
    """The one peer of every DMU: that with the best factor, of these that with the largest slack."""
    given, outward = Scaled.of(task), task.options.orientation == "output"
    kept = undominated_rows(np.column_stack([given.Y, -given.X]))
    peer, factor = np.full(len(given.x), -1), np.full(len(given.x), np.nan)
    for part, level, slack in _compared(given, kept, outward=outward):
        best = level.max(axis=1)
        slack[level < best[:, None]] = -np.inf
        peer[part] = np.where(np.isfinite(best), kept[slack.argmax(axis=1)], -1)
        factor[part] = best
        advance(len(best))
    labels = task.data.labels
    scores, reasons = _scores(factor, labels, outward)
    peer[np.isnan(scores)] = -1
    lam = Sparse(peer[:, None].astype(np.int32), (peer >= 0).astype(float)[:, None])
    slacks = _slacks(task, scores.to_numpy(), lam, outward)
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
        frontier=kept,
        reasons=reasons,
        path="by comparison of all pairs",
    )


def _compared(
    given: Scaled, kept: np.ndarray, *, outward: bool
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """For some tested DMUs and the reference DMUs kept: the level φ (or −θ) that each alone gives,
    −∞ where it may not be the peer, and its total slack at that level.
    """
    Y, X = given.Y[kept], given.X[kept]
    weight = np.append(given.Y.max(axis=0, initial=0.0), given.X.max(axis=0, initial=0.0))
    share = 1.0 / np.where(weight > 0, weight, 1.0)
    for part in blocks(len(given.x), len(kept) * (Y.shape[1] + X.shape[1])):
        y, x = given.y[part][:, None], given.x[part][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            if outward:
                level = np.where(y > 0, Y / y, np.inf).min(axis=2)
                level[~(x >= X).all(axis=2)] = -np.inf
            else:
                level = -np.where(x > 0, X / x, np.where(X > 0, np.inf, -np.inf)).max(axis=2)
                level[~(y <= Y).all(axis=2)] = -np.inf
            best = level.max(axis=1)[:, None, None]
            slack = (Y - y * (best if outward else 1.0)) @ share[: Y.shape[1]] + (
                x * (1.0 if outward else -best) - X
            ) @ share[Y.shape[1] :]
        yield part, level, np.nan_to_num(slack, nan=-np.inf)


def _scores(
    factor: np.ndarray, labels: pd.Index, outward: bool
) -> tuple[pd.Series, dict[object, str]]:
    with np.errstate(divide="ignore"):
        values = np.where(np.isfinite(factor), 1.0 / factor if outward else -factor, np.nan)
    values[np.isinf(values)] = np.nan
    words = NO_PEER["output" if outward else "input"]
    reasons = {
        labels[k]: NOTHING if np.isfinite(factor[k]) else words
        for k in np.flatnonzero(np.isnan(values))
    }
    return pd.Series(values, index=labels, name="efficiency"), reasons


def _slacks(
    task: Task | Answer, scores: np.ndarray, lam: Sparse, outward: bool, least: float = 0.0
) -> pd.DataFrame:
    x, y = task.data.inputs.to_numpy(), task.data.outputs.to_numpy()
    level = scores[:, None]
    slack = np.maximum(
        slacks_of(task, lam, x if outward else x * level, y / level if outward else y), least
    )
    slack[np.isnan(scores)] = np.nan
    return pd.DataFrame(
        slack,
        index=task.data.labels,
        columns=[*task.data.outputs.columns, *task.data.inputs.columns],
    )


def prove(answer: Answer) -> Proof:
    """Every pair compared again, against all reference DMUs, and the peer's own level and slack
    recomputed.
    """
    given, outward = Scaled.of(answer), answer.orientation == "output"
    best, most = np.full(len(given.x), np.nan), np.full(len(given.x), np.nan)
    for part, level, slack in _compared(given, np.arange(len(given.X)), outward=outward):
        best[part] = level.max(axis=1)
        most[part] = np.where(level >= best[part][:, None], slack, -np.inf).max(axis=1)
    dual, _ = _scores(best, answer.scores.index, outward)
    lam = answer.intensities
    one = (lam.values == (lam.columns >= 0)).all(axis=1) & (
        (lam.columns >= 0).sum(axis=1) == dual.notna()
    )
    slacks = _slacks(
        answer, dual.to_numpy(), lam, outward, -np.inf
    )  # what a peer falls short by is below 0
    unit = np.append(answer.reference.outputs.max(), answer.reference.inputs.max())
    total = (slacks.to_numpy() / np.where(unit > 0, unit, 1.0)).sum(axis=1)
    size = np.maximum(dual.abs(), 1.0)
    gap = (answer.scores - dual).abs() / size
    gap[answer.scores.isna() & dual.isna()] = 0.0
    spread = np.abs((answer.slacks - slacks).to_numpy() / np.where(unit > 0, unit, 1.0)).max(axis=1)
    nan = dual.isna().to_numpy()
    frame = pd.DataFrame({"primal": answer.scores, "dual": dual, "gap": gap})
    efficient = pareto_efficient(dual, slacks, answer.data)
    nowhere, zero = ~np.isfinite(best), np.asarray(outward & ~given.y.any(axis=1))
    return Proof(
        frame,
        {
            "gap": frame["gap"].fillna(np.inf).to_numpy(),
            "peers_that_are_not_one": np.where(one, 0.0, 1.0),
            "distance_of_the_slacks_from_their_proof": np.where(nan, 0.0, spread),
            "slack_that_is_not_the_largest": np.where(nan, 0.0, most - total),
            "efficient": (answer.efficient != efficient).to_numpy().astype(float),
            "reason": why.reason_violations(
                answer,
                {
                    NO_PEER[answer.orientation]: nowhere,
                    NOTHING: nan & ~nowhere,
                    why.NO_OUTPUT: zero,
                },
            ),
        },
    )


@dataclass(frozen=True, kw_only=True)
class FDH(RadialModel):
    """The free disposal hull: comparison with single DMUs, no mixtures."""

    name = "fdh"
    title = "against single DMUs, no mixtures (free disposal hull)"
    equation = "(free disposal hull)"

    returns: Literal["vrs"] = "vrs"
    orientation: Literal["output", "input"] = "output"

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)
