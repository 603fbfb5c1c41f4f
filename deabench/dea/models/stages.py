"""Radial efficiencies of a whole table: both stages for every DMU, and the proof of each score before it is returned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from deabench.arrays import TOLERANCE, blocks
from deabench.dea.certify import radial_frame
from deabench.dea.models.radial import Ccr, Wei, intensities, name_of
from deabench.dea.models.record import Answer, pareto
from deabench.dea.models.slacks import second_stage
from deabench.errors import SolveError
from deabench.solve.shared.engine import Solution
from deabench.solve.shared.engine import solve as solve_family
from deabench.solve.shared.family import Family
from deabench.tables.gate import Data
from deabench.threads import one_thread

DISTINCT = 1e-8
"""A reduced cost above this, of duals of size 1, is not 0."""


def solve(problem: Wei | Ccr, model: str, advance: Callable[[int], None]) -> Answer:
    """Both stages for every DMU of a problem; every score is proved before it is returned.

    Raises
    ------
    SolveError
        Where a solve fails, or where a certificate does not hold even after the DMU was solved again on its own.
    """
    with one_thread(max(len(problem.tested), len(problem.reference.labels))):
        answer = _all(problem, advance)
        left = _unproved(answer)
        for k in left:
            alone = solve_family(problem.family, problem.tested[[k]], name=name_of(problem, k))
            _replace(answer, _stages(problem, alone, np.array([k]), ""), k)
        left = _unproved(answer) if len(left) else left
    if len(left):
        raise SolveError(f"{model} for '{problem.data.labels[left[0]]}': the certificate does not hold after a second solve")
    return answer


def _all(problem: Wei | Ccr, advance: Callable[[int], None]) -> Answer:
    """Every DMU: by all facets and a matrix product, or by HiGHS on an active set."""
    known = problem.facets()
    solution = solve_family(problem.family, problem.tested, known=known, name=name_of(problem), advance=advance)
    path = f"by HiGHS ({solution.calls} solves)"
    if known is not None:
        path = f"by {len(known)} facets" + (f", {solution.calls} solves by HiGHS" if solution.calls else "")
    return _stages(problem, solution, np.arange(len(problem.tested)), path)


def _stages(problem: Wei | Ccr, solution: Solution, who: np.ndarray, path: str) -> Answer:
    """The first stage of the DMUs at the positions `who`, read; then the second."""
    labels, data = problem.data.labels[who], problem.data
    if len(who) < len(problem.data.labels):
        data = Data(data.outputs.iloc[who], data.inputs.iloc[who], data.notes)
    values, weights = problem.read(solution)
    values *= problem.size[who]
    weights.index = labels
    reasons = {labels[k]: words for k, words in solution.infeasible.items()}
    for k in np.flatnonzero(np.isnan(values)):
        reasons.setdefault(labels[k], "its factor is 0: no reference DMU has any of one of its metrics")
    if reasons:
        weights.loc[np.isnan(values)] = np.nan
    scores = pd.Series(values, index=labels, name="efficiency")
    lam, alone = intensities(problem, problem.family, solution), _unique(problem.family, solution)
    del solution  # as large as the table, and read
    slacks = second_stage(problem, scores, weights, lam, who, ~alone)
    return Answer(
        scores=scores, slacks=slacks, weights=weights, intensities=lam, efficient=pareto(scores, slacks, data),
        data=data, reference=problem.reference, options=problem.options, own=problem.own,
        frontier=problem.frontier, reasons=reasons, path=path,
    )


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


def _unproved(answer: Answer) -> np.ndarray:
    """Positions of the DMUs whose certificate does not hold."""
    proof = radial_frame(answer)
    size = np.maximum(answer.scores.abs().to_numpy(), 1.0)
    worst = np.maximum.reduce(
        [proof["gap"].to_numpy() / size, proof["primal_infeasibility"].to_numpy(), proof["dual_infeasibility"].to_numpy()]
    )
    return np.flatnonzero(worst > TOLERANCE)


def _replace(answer: Answer, one: Answer, k: int) -> None:
    """Put one DMU, solved again, in the place of the first answer's."""
    for ours, new in ((answer.scores, one.scores), (answer.weights, one.weights), (answer.slacks, one.slacks),
                      (answer.efficient, one.efficient)):
        ours.iloc[k] = new.iloc[0]
    answer.intensities.columns[k] = one.intensities.columns[0]
    answer.intensities.values[k] = one.intensities.values[0]
