"""Efficiencies of a whole table: both stages for every DMU, and the proof of each score before it is returned."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from deabench.arrays import TOLERANCE, blocks
from deabench.dea.certify import radial
from deabench.errors import SolveError
from deabench.progress import progress
from deabench.solve.shared.engine import Solution, solve
from deabench.solve.shared.family import Family
from deabench.solve.shared.problems import Ccr, Wei, intensities, name_of
from deabench.solve.shared.slacks import second_stage
from deabench.tables.gate import Data
from deabench.threads import one_thread

EQUATIONS = {"wei": "(5)", "score": "(6), the dual of (5)", "ccr": "(3)"}
DISTINCT = 1e-8
"""A reduced cost above this, of duals of size 1, is not 0."""


def efficiencies(data: Data, reference: Data, model: str, returns: str, orientation: str) -> dict[str, Any]:
    """Everything a Ranking holds, for data that have passed the gate; every score is proved before it is returned.

    Raises
    ------
    SolveError
        Where a solve fails, or where a certificate does not hold even after the DMU was solved again on its own.
    """
    problem = Ccr(data, reference, returns, orientation) if model == "ccr" else Wei(data, reference)
    with one_thread(max(len(data.labels), len(reference.labels))), progress("rank", len(data.labels)) as advance:
        fields, path = _solve(problem, advance)
        left = _unproved(fields)
        for k in left:
            alone = solve(problem.family, problem.tested[[k]], name=name_of(problem, k))
            _replace(fields, second_stage(problem, *_first_stage(problem, alone, np.array([k]))), k)
        left = _unproved(fields) if len(left) else left
    if len(left):
        raise SolveError(f"{model} for '{data.labels[left[0]]}': the certificate does not hold after a second solve")
    return fields | {"model": f"{model} {EQUATIONS[model]}, {path}"}


def _solve(problem: Wei | Ccr, advance: Callable[[int], None]) -> tuple[dict[str, Any], str]:
    """The fields of every DMU, and by which path: all facets and a matrix product, or HiGHS on an active set."""
    known = problem.facets()
    solution = solve(problem.family, problem.tested, known=known, name=name_of(problem), advance=advance)
    path = f"by HiGHS ({solution.calls} solves)"
    if known is not None:
        path = f"by {len(known)} facets" + (f", {solution.calls} solves by HiGHS" if solution.calls else "")
    first = _first_stage(problem, solution, np.arange(len(problem.tested)))
    del solution  # as large as the table, and read
    return second_stage(problem, *first), path


def _first_stage(problem: Wei | Ccr, solution: Solution, who: np.ndarray) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """The fields of a Ranking but the slacks for the DMUs at the positions `who`; `who`; and whose λ are not the only ones."""
    labels, data = problem.data.labels, problem.data
    if len(who) < len(labels):
        data = Data(data.outputs.iloc[who], data.inputs.iloc[who], data.notes)
    scores, weights = problem.read(solution)
    scores *= problem.size[who]
    weights.index = labels[who]
    reasons = {labels[who[k]]: words for k, words in solution.infeasible.items()}
    for k in np.flatnonzero(np.isnan(scores)):
        reasons.setdefault(labels[who[k]], "its factor is 0: no reference DMU has any of one of its metrics")
    if reasons:
        weights.loc[np.isnan(scores)] = np.nan
    fields = {
        "scores": pd.Series(scores, index=labels[who], name="efficiency"),
        "weights": weights,
        "intensities": intensities(problem, problem.family, solution),
        "data": data,
        "reference": problem.reference,
        "frontier": problem.frontier,
        "reasons": reasons,
        "returns": problem.returns,
        "orientation": problem.orientation,
    }
    return fields, who, ~_unique(problem.family, solution)


def _unique(family: Family, solution: Solution) -> np.ndarray:
    """Whether a DMU's λ and slacks are the only optimal ones: no column outside of its basis has a reduced cost of 0."""
    used, which = np.unique(solution.which, return_inverse=True)
    codes, duals = solution.bases.columns[used], solution.bases.duals[used]
    duals = duals / np.maximum(np.abs(duals).max(axis=1, keepdims=True), 1e-300)
    alone = np.empty(len(used), dtype=bool)
    slack = ~family.equality
    basic = (codes < family.n) | (codes >= family.n + family.statics) & ~family.zero[codes]
    for part in blocks(len(used), family.n):
        free = (np.abs(family.cost - duals[part] @ family.columns.T) <= DISTINCT).sum(axis=1)
        free += (np.abs(duals[part][:, slack]) <= DISTINCT).sum(axis=1)
        alone[part] = free == basic[part].sum(axis=1)
    return (alone & (codes == family.n + family.theta).any(axis=1))[which]


def _unproved(fields: dict[str, Any]) -> np.ndarray:
    """Positions of the DMUs whose certificate does not hold."""
    proof = radial(SimpleNamespace(**fields))
    size = np.maximum(fields["scores"].abs().to_numpy(), 1.0)
    worst = np.maximum.reduce(
        [proof["gap"].to_numpy() / size, proof["primal_infeasibility"].to_numpy(), proof["dual_infeasibility"].to_numpy()]
    )
    return np.flatnonzero(worst > TOLERANCE)


def _replace(fields: dict[str, Any], one: dict[str, Any], k: int) -> None:
    """Put the fields of one DMU, solved again, in the place of the first ones."""
    fields["scores"].iloc[k] = one["scores"].iloc[0]
    fields["weights"].iloc[k] = one["weights"].iloc[0]
    fields["slacks"].iloc[k] = one["slacks"].iloc[0]
    fields["intensities"].columns[k] = one["intensities"].columns[0]
    fields["intensities"].values[k] = one["intensities"].values[0]
