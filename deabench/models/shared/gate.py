"""One way into every model: no answer leaves that its own certificate refuses.

1. The task is put into a canonical order of rows and metrics, so that the answer does not depend on
   the table's own.
2. DMUs whose metrics are far below the largest of the reference are solved apart, in units of their
   own size and in rational arithmetic: tolerances are shares of a DMU's own values.
3. Each answer is proved. What floating point misses is solved again in rational arithmetic, first
   with the slack that the last digits of floats could hide, then without. What is not proved even
   then has no score, but a reason.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError, SolveError
from deabench.models.shared.canonical_order import CanonicalTask
from deabench.models.shared.own_slack import find_own_slack
from deabench.models.shared.scaled_data import own_size_bands
from deabench.models.shared.settled_scores import settle_efficiencies
from deabench.proofs.ranking import reference_maxima
from deabench.proofs.reasons import UNPROVED
from deabench.results.answer import Answer, Task, join_answers, take_rows, take_task_rows
from deabench.results.model import Advance, Model
from deabench.tables.transforms import Data
from deabench.utils.arrays import ROUND, TOLERANCE, blocks, chunks
from deabench.utils.frames import column_positions

NEAR_ITSELF = 1e-5
"""Where λ differs from a DMU by no more than this share, exact arithmetic asks what dominates it.
"""
NEAR_PROJECTION = 1e-3
"""Slack of no more than this share may come from the 1e-13 by which projections are moved inwards:
along a facet where a metric trades at 1e-9 of another one that is 1e-4.
"""
NEAR_BEST = 1e-7
"""A score so near to the best one may be that."""
LEAST_SHARE = 1e-30
"""A weight below this share of the largest is rounding of a product of roundings."""


def solve_proved(task: Task, advance: Advance) -> Answer:
    """Solve a model for every tested DMU, and prove every score.

    Raises
    ------
    SolveError
        If a model that judges all DMUs together cannot be solved.
    """
    model: Model = task.options
    canonical = CanonicalTask.of(task)
    try:
        if model.proves_its_scores:
            return canonical.restore(_settle_rounding(model.solve(canonical.task, advance)))
        return canonical.restore(_solve_bands(canonical.task, advance))
    except DataError:
        model.solve(task, advance)  # names the first row of the table that cannot be used
        raise


def _solve_bands(task: Task, advance: Advance) -> Answer:
    """Solve a model for DMUs of one size at a time, and prove every score."""
    model: Model = task.options
    if not model.solves_rows_alone:
        return _settle_rounding(model.solve(task, advance))
    answers = []
    bands = own_size_bands(task)
    if len(bands) == 1:
        return join_answers(_solve_part(replace(task, exact=bands[0][1]), advance))
    for rows, is_small in bands:
        band = take_task_rows(task, rows)
        answers.extend(_solve_part(replace(band, exact=is_small), advance))
    return join_answers(answers)


def _solve_part(task: Task, advance: Advance) -> list[Answer]:
    """Return answers that together have every DMU of a task, proved or without a score."""
    model: Model = task.options
    try:
        answer = model.solve(task, advance)
    except SolveError:
        if task.exact:
            raise
        return _solve_part(replace(task, exact=True), advance)
    answer = _settle_rounding(answer)
    # Pairs are compared, not solved: the proof would compare them once more.
    if getattr(model, "technology", "convex") == "fdh":
        return [answer]
    refused = refused_rows(answer)
    if not task.exact:
        refused = np.union1d(refused, _overlooked_rows(task, answer))
    # Nothing proves why restricted weights give no score: exact arithmetic has to say so, and what
    # slack there is where weights and slacks contradict each other.
    if not task.exact and getattr(model, "is_restricted", False):
        is_open = answer.scores.isna().to_numpy() | _has_slack_with_weight(answer)
        refused = np.union1d(refused, np.flatnonzero(is_open))
    if not len(refused):
        return [answer]
    proved = np.setdiff1d(np.arange(len(answer.scores)), refused)
    answers = [take_rows(answer, proved)] if len(proved) else []
    if task.are_floats_exact:
        answers.append(_without_scores(take_rows(answer, refused)))
    else:
        # What the last digits of floats could hide, λ may not reach: where that is not proved, the
        # floats are taken as they are.
        refused_task = replace(
            take_task_rows(task, refused), exact=True, are_floats_exact=task.exact
        )
        answers.extend(_solve_part(refused_task, lambda _: None))
    return answers


def _settle_rounding(answer: Answer) -> Answer:
    """Return the answer without what floating point leaves of a score of 1, or of a 0."""
    values = answer.scores.to_numpy()
    if answer.options.measure == "efficiency":
        values = settle_efficiencies(answer)
    else:
        is_best = answer.efficient.to_numpy() & answer.own_reference
        if not counts_own_units(answer.options):
            is_best &= np.abs(values) <= TOLERANCE
        values = np.where(is_best, 0.0, values + 0.0)
    scores = pd.Series(values, index=answer.scores.index, name=answer.scores.name)
    weights = answer.weights
    if weights.shape[1]:
        weights = pd.DataFrame(_settle_weights(answer), weights.index, weights.columns, copy=False)
    return replace(answer, scores=scores, weights=weights)


def _settle_weights(answer: Answer) -> np.ndarray:
    """Return the weights, u_0 behind them, without what floating point leaves of a 0: (n, w)."""
    weights: np.ndarray = answer.weights.to_numpy() + 0.0  # -0.0 becomes 0
    names = list(answer.slacks.columns)
    columns = column_positions(answer.weights.columns, names)
    is_weighted = columns >= 0
    columns = columns[is_weighted]
    maxima = reference_maxima(answer)[is_weighted, None]
    for rows in chunks(len(weights)):
        # Metric by metric, which takes half the time of DMU by DMU.
        metric_weights = weights[rows].T[columns]
        # What each weight adds to the value of a reference DMU at most, in units of the largest.
        shares = np.abs(metric_weights)
        shares *= maxima
        largest = shares.max(axis=0, initial=0.0)
        is_rounding = shares <= LEAST_SHARE * largest
        # No weight is negative; one that is by rounding alone is 0.
        is_negative = metric_weights < 0
        if is_negative.any():
            is_rounding |= is_negative & (shares <= ROUND * largest)
        # Most weights that are rounding are 0 already.
        is_rounding &= shares > 0
        for column, is_zero in zip(columns.tolist(), is_rounding, strict=True):
            weights[rows, column][is_zero] = 0.0
    return weights


def counts_own_units(model: Model) -> bool:
    """Return whether an inefficiency is in the metrics' own units, in which no number is near 0."""
    choice = getattr(model, "weights", getattr(model, "direction", None))
    return choice == "ones" or not isinstance(choice, str)


def refused_rows(answer: Answer) -> np.ndarray:
    """Return the positions of the DMUs whose score its own certificate refuses.

    What the model has proved while solving is not proved once more.
    """
    open_rows = np.flatnonzero(answer.options.needs_proof(answer))
    if len(open_rows) < len(answer.scores):
        answer = take_rows(answer, open_rows)
    if not len(open_rows):
        return open_rows
    proof = answer.options.prove(answer)
    is_refused = np.zeros(len(answer.scores), dtype=bool)
    has_reason = np.zeros(len(answer.scores), dtype=bool)
    if answer.reasons:
        has_reason = answer.scores.index.isin(list(answer.reasons))
    for violations in proof.violations.values():
        is_refused |= ~(violations <= TOLERANCE) & ~(np.isnan(violations) & has_reason)
    return open_rows[is_refused]


def _overlooked_rows(task: Task, answer: Answer) -> np.ndarray:
    """Return the positions of DMUs that are called inefficient though nothing dominates them.

    Where λ reaches all but the DMU itself, or the score is all but the best one, slack may be
    rounding alone: that of a score beside a steep facet.
    """
    tested = _signed_metrics(answer.data)
    reference = _signed_metrics(answer.reference)
    reached = answer.intensities.dot(reference)
    size = np.abs(tested) + np.abs(reached)
    distance = np.abs(reached - tested) / np.where(size > 0, size, 1.0)
    is_near = (distance.max(axis=1) <= NEAR_ITSELF) | _is_all_but_best(answer, tested)
    is_open = is_near & ~answer.efficient.to_numpy(dtype=bool)
    rows = np.flatnonzero(is_open & answer.scores.notna().to_numpy())
    # One reference DMU that is nowhere worse and somewhere better settles it without a program.
    candidates = reference[answer.frontier]
    is_undominated = np.ones(len(rows), dtype=bool)
    for block in blocks(len(rows), candidates.size):
        gains = candidates - tested[rows[block], None]
        dominates = (gains >= 0).all(axis=2) & (gains > 0).any(axis=2)
        is_undominated[block] = ~dominates.any(axis=1)
    is_dominated = np.zeros(len(tested), dtype=bool)
    is_dominated[rows[~is_undominated]] = True
    rows = rows[is_undominated]
    if len(rows) and not getattr(answer.options, "is_restricted", False):
        own_slack = find_own_slack(task, answer.frontier, rows).total
        is_dominated[rows[own_slack > TOLERANCE]] = True
        # What lies beyond the reference is no point of it, and has no slack of its own (NaN).
        rows = rows[~(own_slack > TOLERANCE)]
    # Where hardly any slack is left at its projection, it is solved again, too.
    slack_shares = answer.slacks.to_numpy() / np.where(tested != 0, np.abs(tested), np.inf)
    is_beyond = _is_all_but_best(answer, tested, beyond=True) & ~is_dominated
    is_beyond &= slack_shares.max(axis=1, initial=0.0) <= NEAR_PROJECTION
    is_beyond &= ~answer.efficient.to_numpy(dtype=bool)
    return np.union1d(rows, np.flatnonzero(is_beyond))


def _has_slack_with_weight(answer: Answer) -> np.ndarray:
    """Return who is beyond a reference and has slack in a metric that has a weight: bool (K,).

    By complementary slackness no metric has both: the slack is that of a projection that a
    tolerance moved off a steep facet.
    """
    if answer.own_reference:
        return np.zeros(len(answer.scores), dtype=bool)
    tested = np.abs(_signed_metrics(answer.data))
    names = answer.slacks.columns
    weighted = answer.weights[names].to_numpy() * tested
    has_weight = weighted > ROUND * weighted.max(axis=1, keepdims=True)
    has_slack = answer.slacks.to_numpy() > TOLERANCE * tested
    is_beyond = answer.scores.to_numpy() > 1
    return np.asarray(is_beyond & (has_weight & has_slack).any(axis=1))


def _is_all_but_best(answer: Answer, tested: np.ndarray, *, beyond: bool = False) -> np.ndarray:
    """Return whose scores rounding may keep from the best one, or from `beyond` it: bool (K,)."""
    scores = answer.scores.to_numpy()
    size = 1.0
    if answer.options.measure == "efficiency":
        shortfall = 1.0 - scores
    else:
        shortfall = scores
        if counts_own_units(answer.options):
            size = np.abs(tested).max(axis=1)
    if not beyond:
        shortfall = np.abs(shortfall)
    return np.asarray(shortfall <= NEAR_BEST * size)


def _signed_metrics(data: Data) -> np.ndarray:
    """Return outputs, then inputs with their sign turned, (n, s + m)."""
    return np.column_stack([data.outputs.to_numpy(), -data.inputs.to_numpy()])


def _without_scores(answer: Answer) -> Answer:
    """Return the answer with a reason in the place of every score."""
    claims = {label: f"its score, about {score:.6g}," for label, score in answer.scores.items()}
    claims |= dict.fromkeys(answer.scores.index[answer.scores.isna()], "that it has no score")
    reasons = {
        label: f"{claim} {UNPROVED} {TOLERANCE:g}: its metrics are too far apart for floating point"
        for label, claim in claims.items()
    }
    no_slacks = np.full(answer.slacks.shape, np.nan)
    return replace(
        answer,
        scores=answer.scores * np.nan,
        slacks=pd.DataFrame(no_slacks, answer.slacks.index, answer.slacks.columns),
        weights=answer.weights * np.nan,
        efficient=answer.efficient & False,
        reasons=reasons,
    )
