"""Radial efficiencies of a whole table: both stages for every DMU, and the proof of each score
before it is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.models.radial import Ccr, Wei, intensities, name_of
from deabench.models.second_stage import joined, second_stage
from deabench.models.unique_peers import ray, slack_weights
from deabench.proofs import reasons as why
from deabench.proofs.radial import radial_frame
from deabench.proofs.ranking import SlackProof, dominated_by_mixtures, reference_maxima
from deabench.results.answer import Answer
from deabench.solver.engine import Solution, solve_exactly, solve_family
from deabench.tables.transforms import Data
from deabench.utils.arrays import TOLERANCE
from deabench.utils.threads import one_thread

FAR = 1e8
"""A score above this, or below its inverse, is settled in rational arithmetic."""


def solve(problem: Wei | Ccr, model: str, advance: Callable[[int], None]) -> Answer:
    """Both stages for every DMU of a problem; every score is proved before it is returned.

    What floating point does not prove is solved again in rational arithmetic, DMU by DMU. A DMU
    that is not proved even then has no score, and its reason; the others keep theirs.

    Raises
    ------
    SolveError
        Where a solve fails.
    """
    with one_thread(max(len(problem.tested), len(problem.reference.labels))):
        answer, reached = _all(problem, advance)
        rays = []
        for k in _unproved(answer, reached).tolist():
            one, reached[k] = _settled(problem, model, k)
            answer = _replaced(answer, one, k)
            rays += (
                [] if one.infeasibility_certificates is None else [one.infeasibility_certificates]
            )
        return replace(
            _judged(answer, reached), infeasibility_certificates=pd.concat(rays) if rays else None
        )


def _judged(answer: Answer, reached: np.ndarray) -> Answer:
    """The answer with what it says proved: slacks that are not proved the largest are known, and
    nobody is called efficient without proof.
    """
    assert answer.slack_weights is not None
    slacks = SlackProof(answer, answer.slack_weights)
    slacks.discard(slacks.all_slack_left(reached) > TOLERANCE)
    return replace(
        answer,
        slack_weights=slacks.weights,
        efficient=pd.Series(slacks.proved[0], index=answer.scores.index, name="efficient"),
    )


def _settled(problem: Wei | Ccr, model: str, k: int) -> tuple[Answer, np.ndarray]:
    """The answer of one DMU in rational arithmetic, and what its peers reach."""
    who = np.array([k])
    solution = solve_exactly(problem.family, problem.tested[k], name_of(problem)(k))
    duals = solution.duals[0].copy()
    answer, reached = _stages(problem, solution, who, "")
    if answer.scores.isna().iloc[0]:
        proof = ray(problem.family, duals, problem.tops) / reference_maxima(answer)
        return replace(
            answer,
            infeasibility_certificates=pd.DataFrame(
                proof, index=answer.scores.index, columns=answer.slacks.columns
            ),
        ), reached[0]
    if len(_unproved(answer, reached, settled=True)):
        score = float(answer.scores.iloc[0])
        answer.reasons[answer.scores.index[0]] = (
            f"its {model} score, about {score:.6g}, {why.UNPROVED} {TOLERANCE:g}: its metrics are too far apart for "
            "floating point"
        )
        answer.scores.iloc[0] = np.nan
        answer.efficient.iloc[0] = False
        for frame in (answer.weights, answer.slacks):
            frame.iloc[0] = np.nan
    return answer, reached[0]


def _all(problem: Wei | Ccr, advance: Callable[[int], None]) -> tuple[Answer, np.ndarray]:
    """Every DMU, and what its peers reach: by all facets and a matrix product, or by HiGHS on an
    active set.
    """
    known = problem.facets()
    solution = solve_family(
        problem.family, problem.tested, known=known, name=name_of(problem), advance=advance
    )
    path = f"by HiGHS ({solution.calls} solves)"
    if known is not None:
        path = f"by {len(known)} facets" + (
            f", {solution.calls} solves by HiGHS" if solution.calls else ""
        )
    answer, reached = _stages(problem, solution, np.arange(len(problem.tested)), path)
    inner = problem.inner[~dominated_by_mixtures(answer, problem.inner)]
    return replace(answer, frontier=np.union1d(answer.frontier, inner)) if len(
        inner
    ) else answer, reached


def _stages(
    problem: Wei | Ccr, solution: Solution, who: np.ndarray, path: str
) -> tuple[Answer, np.ndarray]:
    """The first stage of the DMUs at the positions `who`, read; then the second; and what their
    peers reach (k, s + m).
    """
    labels, data = problem.data.labels[who], problem.data
    if len(who) < len(problem.data.labels):
        data = Data(data.outputs.iloc[who], data.inputs.iloc[who], data.notes)
    values, weights = problem.read(solution)
    values *= problem.size[who]
    weights.index = labels
    reasons = {labels[k]: words for k, words in solution.infeasible.items()}
    for k in np.flatnonzero(np.isnan(values)):
        reasons.setdefault(labels[k], _nothing(problem, who[k]))
    if reasons:
        weights.loc[np.isnan(values)] = np.nan
    scores = pd.Series(values, index=labels, name="efficiency")
    lam = intensities(problem, problem.family, solution)
    known = slack_weights(problem.family, solution, problem.tops)
    del solution  # as large as the table, and read
    slacks, proof, reached = second_stage(problem, scores, weights, lam, who, known)
    unproved = pd.Series(False, index=labels, name="efficient")  # until all are judged
    return Answer(
        scores=scores,
        slacks=slacks,
        weights=weights,
        intensities=lam,
        efficient=unproved,
        slack_weights=proof,
        data=data,
        reference=problem.reference,
        options=problem.options,
        own_reference=problem.own_reference,
        frontier=problem.frontier,
        reasons=reasons,
        path=path,
    ), reached


def _nothing(problem: Wei | Ccr, k: int) -> str:
    """Why the factor of DMU k is 0."""
    has, there = (
        problem.data.outputs.to_numpy()[k] > 0,
        problem.reference.outputs.to_numpy().max(axis=0) > 0,
    )
    if (has & ~there).any():
        return why.NO_METRIC
    return why.NO_INPUT_NEEDED if problem.orientation == "input" else why.NO_MIX


def _unproved(answer: Answer, reached: np.ndarray, *, settled: bool = False) -> np.ndarray:
    """Positions of the DMUs whose certificate does not hold, and, before they are `settled`
    exactly, of those that have no score or one so far from 1 that floating point may have made it
    of nothing.
    """
    proof, scores = radial_frame(answer, reached), answer.scores.to_numpy()
    size = np.maximum(np.abs(scores), 1.0)
    worst = np.maximum.reduce(
        [
            proof["gap"].to_numpy() / size,
            proof["primal_infeasibility"].to_numpy(),
            proof["dual_infeasibility"].to_numpy(),
        ]
    )
    with np.errstate(invalid="ignore"):
        far = np.isnan(scores) | (scores > FAR) | (scores < 1 / FAR)
    return np.flatnonzero(
        (~(worst <= TOLERANCE) & ~np.isnan(scores)) if settled else (~(worst <= TOLERANCE) | far)
    )


def _replaced(answer: Answer, one: Answer, k: int) -> Answer:
    """The answer with one DMU, solved again, in the place of the first one."""
    label = answer.scores.index[k]
    before = answer.reasons.pop(label, "")
    answer.reasons.update(one.reasons)
    if label in one.reasons and "HiGHS" in before:
        answer.reasons[label] = before  # infeasible is infeasible: now it is proved
    for ours, new in (
        (answer.scores, one.scores),
        (answer.weights, one.weights),
        (answer.slacks, one.slacks),
        (answer.efficient, one.efficient),
    ):
        ours.iloc[k] = new.iloc[0]
    answer.intensities.columns[k] = one.intensities.columns[0]
    answer.intensities.values[k] = one.intensities.values[0]
    ours_, new_ = answer.slack_weights, one.slack_weights
    assert ours_ is not None
    assert new_ is not None
    return replace(answer, slack_weights=joined(ours_, new_, np.array([k])))
