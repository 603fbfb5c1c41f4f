"""The second stage: the largest slacks beyond the radial projection, and the peers that give them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.models.radial import Ccr, Wei, intensities
from deabench.models.unique_peers import ALONE
from deabench.proofs.ranking import all_weights_positive, stack_outputs_inputs
from deabench.results.proof import SlackWeights
from deabench.solver.engine import Solution, solve_family
from deabench.solver.family import Family
from deabench.solver.template import Template, compile_template
from deabench.tables.transforms import Data
from deabench.utils.arrays import TOLERANCE, Sparse, chunks

INWARD = 1e-14
"""The radial projection is drawn back by this share before the second stage: rounded, it may lie
just beyond the frontier.
"""


def second_stage(
    problem: Wei | Ccr,
    scores: pd.Series,
    weights: pd.DataFrame,
    lam: Sparse,
    who: np.ndarray,
    known: SlackWeights,
) -> tuple[pd.DataFrame, SlackWeights, np.ndarray]:
    """The largest slacks beyond the radial projection, what proves them, and what the peers reach
    (n, s + m); the peers that give them replace those in `lam`.

    Where all weights are positive there is no slack (complementary slackness), and where the first
    stage's λ is the only one its basis gives the proof (`known`, see
    `deabench.models.unique_peers`); the rest are solved, each from the peers it has. Where the
    second stage cannot be solved to the certificate's tolerance (near-duplicates), the first
    stage's peers and slacks stay."""
    X, Y = problem.reference.inputs.to_numpy(), problem.reference.outputs.to_numpy()
    names = [*problem.data.outputs.columns, *problem.data.inputs.columns]
    values, top = scores.to_numpy(), np.append(Y.max(axis=0), X.max(axis=0))
    top = np.where(top > 0, top, 1.0)
    own = all_weights_positive(weights[names].to_numpy(), top)
    proof = SlackWeights(known.rows, np.where(own, -1, known.of).astype(np.int32))
    open_ = np.flatnonzero((proof.of == -2) & ~np.isnan(values))
    if len(open_):
        proof = joined(proof, _take_slack(problem, scores, lam, who, open_), open_)
    proof = SlackWeights(proof.rows, np.where(proof.of == ALONE, -2, proof.of).astype(np.int32))
    s, reached = Y.shape[1], lam.dot(stack_outputs_inputs(problem.reference))
    slacks = np.empty(reached.shape)
    for rows in chunks(len(values)):
        x, y = _projected(problem, values[rows], who[rows])
        np.subtract(reached[rows, :s], y, out=slacks[rows, :s])
        np.subtract(x, reached[rows, s:], out=slacks[rows, s:])
        np.maximum(slacks[rows], 0.0, out=slacks[rows])
    slacks[own] = 0.0
    slacks[np.isnan(values)] = np.nan
    return pd.DataFrame(slacks, index=scores.index, columns=names, copy=False), proof, reached


def _take_slack(
    problem: Wei | Ccr, given: pd.Series, lam: Sparse, who: np.ndarray, open_: np.ndarray
) -> SlackWeights:
    """Solve the second stage for the DMUs at `open_`, put its peers in the place of the first's
    where it is sound, and keep the row duals, which prove its slacks the largest.
    """
    X, Y = problem.reference.inputs.to_numpy(), problem.reference.outputs.to_numpy()
    data, m, scores = np.column_stack([X, Y]), X.shape[1], given.to_numpy()[open_]
    top = np.where(
        data.max(axis=0) > 0, data.max(axis=0), 1.0
    )  # not a power of two: a sum of slacks must have no unit
    x, y = _projected(problem, scores, who[open_])
    points = np.column_stack([x * (1 + INWARD), y * (1 - INWARD)]) / top
    family = Family(slack_form(m, Y.shape[1], problem.returns), (data / top)[problem.frontier])
    first = lam[open_]
    peers = np.where(first.values > 0, np.searchsorted(problem.frontier, first.columns), -1)
    solution = solve_family(
        family, points, feasible=peers, name=lambda k: str(given.index[open_[k]])
    )
    better = intensities(problem, family, solution)
    better.values[better.values < 1e4 * INWARD] = 0.0  # what the drawing back left
    reached = better.dot(data / top)
    miss = np.maximum(reached[:, :m] - points[:, :m], 0).max(axis=1, initial=0.0)
    miss = np.maximum(miss, np.maximum(points[:, m:] - reached[:, m:], 0).max(axis=1))
    miss = np.maximum(miss, -solution.x.min(axis=1))
    level = _level(problem, better, *_of(problem.data, who[open_]))
    good = (
        (miss <= TOLERANCE / 10)
        & (solution.basis_index >= 0)
        & (np.abs(level - scores) <= TOLERANCE / 10)
    )
    _adopt(lam, better, good, open_)
    return _proof(family, solution)


def _proof(family: Family, solution: Solution) -> SlackWeights:
    """Weights of outputs, then inputs, from the bases' duals; slack is worth at least 1 there."""
    names = family.template.row_names
    gain = [i for i, name in enumerate(names) if name.startswith("outputs")]
    spare = [i for i, name in enumerate(names) if name.startswith("inputs")]
    used, place = np.unique(solution.basis_index, return_inverse=True)
    duals = solution.bases.duals[used]
    rows = np.maximum(np.column_stack([duals[:, gain], -duals[:, spare]]), 1.0)
    return SlackWeights(rows, np.where(solution.basis_index >= 0, place, -2).astype(np.int32))


def joined(ours: SlackWeights, more: SlackWeights, who: np.ndarray) -> SlackWeights:
    """Our weights with those of the DMUs `who` replaced."""
    of = ours.of.copy()
    of[who] = np.where(more.of >= 0, more.of + len(ours.rows), more.of)
    return SlackWeights(np.vstack([ours.rows, more.rows]), of)


def _level(problem: Wei | Ccr, lam: Sparse, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The efficiency that λ reaches for DMUs at (x, y): the second stage must not move it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if problem.orientation == "output":
            return np.asarray(
                np.where(y > 0, y / lam.dot(problem.reference.outputs.to_numpy()), -np.inf).max(
                    axis=1
                )
            )
        return np.asarray(
            np.where(x > 0, lam.dot(problem.reference.inputs.to_numpy()) / x, -np.inf).max(axis=1)
        )


@lru_cache(maxsize=64)
def slack_form(m: int, s: int, sum_lambda: str) -> Template:
    """The second stage's formulation, compiled."""
    import deabench_models

    return compile_template(
        deabench_models.slacks,
        {"X": range(m), "Y": range(s)},
        {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)},
        returns=sum_lambda,
    )


def _projected(
    problem: Wei | Ccr, scores: np.ndarray, who: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    x, y = _of(problem.data, who)
    return (x, y / scores[:, None]) if problem.orientation == "output" else (x * scores[:, None], y)


def _of(data: Data, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return data.inputs.to_numpy()[who], data.outputs.to_numpy()[who]


def _adopt(into: Sparse, better: Sparse, good: np.ndarray, rows: np.ndarray) -> None:
    """Put the intensities of the second stage in the place of the first's, where good; both have at
    most s + m + 1 entries.
    """
    width = into.columns.shape[1]
    order = np.argsort(better.columns < 0, axis=1, kind="stable")[:, :width]
    into.columns[rows[good]] = np.take_along_axis(better.columns, order, axis=1)[good]
    into.values[rows[good]] = np.take_along_axis(better.values, order, axis=1)[good]
