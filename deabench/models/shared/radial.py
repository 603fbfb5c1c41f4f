"""Both stages of the radial models, for every DMU.

Every score is proved before it is returned: what floating point does not prove is solved again in
rational arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.models.shared.own_slack import OwnSlack, find_own_slack
from deabench.models.shared.radial_problems import Problem
from deabench.models.shared.scaled_data import replace_rows, small_rows
from deabench.models.shared.second_stage import (
    UNIQUE_UNPROVED,
    replace_slack_weights,
    rows_without_slack,
    scale_dual_ray,
    second_stage,
    slack_costs,
    slacks_at_projection,
    unique_slack_weights,
    weights_of_duals,
)
from deabench.models.shared.settled_scores import with_settled_efficiencies
from deabench.proofs import reasons as why
from deabench.proofs.radial import radial_certificates, slack_errors
from deabench.proofs.ranking import (
    NO_PROOF,
    OWN_WEIGHTS,
    SlackProof,
    dominated_by_mixtures,
    reference_maxima,
    stack_outputs_inputs,
)
from deabench.results.answer import Answer, count_solves
from deabench.results.proof import SlackWeights
from deabench.solver.engine import Solution, solve_family
from deabench.solver.exact_programs import solve_exactly, solve_lexicographically
from deabench.utils.arrays import TOLERANCE, blocks, one_thread

STEEPEST = 1e6
"""Slack weights above this prove nothing in floating point, in metrics of about 1."""
ROUNDED_PROJECTION = 1e-13
"""What moving a projection inwards, and rounding, takes from a metric, as a share of it."""
WIDE_GAP = 1e-12
"""A score between bounds that are wider apart, as a share of it, is off by more than rounding."""
FAR = 1e8
"""A score above this, or below its inverse, is solved again in rational arithmetic."""


def solve_both_stages(problem: Problem, model: str, advance: Callable[[int], None]) -> Answer:
    """Solve both stages for every DMU of a problem.

    What floating point does not prove is solved again in rational arithmetic, DMU by DMU. A DMU
    that is not proved even then has no score, and its reason; the others keep theirs.

    Raises
    ------
    SolveError
        If a solve fails.
    """
    with one_thread(max(len(problem.tested), len(problem.reference.labels))):
        # Floating point first, for all DMUs at once.
        answer, reached = _solve_in_floating_point(problem, advance)
        certificates = []
        # Exact arithmetic for the few whose certificate does not hold.
        for k in _unproved_rows(answer, reached).tolist():
            exact, reached[k] = _solve_row_exactly(problem, model, k)
            answer = _replace_row(answer, exact, k)
            if exact.infeasibility_certificates is not None:
                certificates.append(exact.infeasibility_certificates)
        answer = _with_efficiency_flags(problem, answer, reached)
        return replace(
            answer,
            infeasibility_certificates=pd.concat(certificates) if certificates else None,
        )


def _with_efficiency_flags(problem: Problem, answer: Answer, reached: np.ndarray) -> Answer:
    """Return the answer with the DMUs that are proved efficient.

    Slacks that their weights do not prove the largest are marked as unproved.
    """
    answer = with_settled_efficiencies(answer)  # slacks and flags are those of what is returned
    reaches_one = np.abs(answer.scores.to_numpy() - 1) <= TOLERANCE
    assert answer.slack_weights is not None
    uses_own_weights = np.flatnonzero(reaches_one & (answer.slack_weights.of == OWN_WEIGHTS))
    answer = _with_explicit_weights(answer, small_rows(problem.task, uses_own_weights))
    proof = _prove_slacks(answer, reached)
    _discard_steep_weights(proof, reaches_one)
    answer = replace(answer, slack_weights=proof.weights)
    # Own weights that are all positive leave a DMU beyond the reference no slack, small or not.
    is_beyond = (answer.scores.to_numpy() > 1 + TOLERANCE) & (proof.weights.of == NO_PROOF)
    is_beyond[is_beyond] = (proof.own_weights[is_beyond][:, proof.counted] > 0).all(axis=1)
    if is_beyond.any():
        answer = _with_explicit_weights(answer, np.flatnonzero(is_beyond))
        proof = _prove_slacks(answer, reached)
        answer = replace(answer, slack_weights=proof.weights)
    # What floating point leaves open is decided exactly.
    efficient, undecided = proof.proved
    is_open = reaches_one & undecided
    # A visible slack is none where λ misses by less than the tolerance: a row that nothing
    # dominates may be efficient.
    has_slack = reaches_one & ~efficient & ~undecided
    has_slack[has_slack] = ~_is_dominated(problem, np.flatnonzero(has_slack))
    unreached_rows = np.zeros(0, dtype=int)
    if (is_open | has_slack).any():
        answer, unreached_rows = _settle_efficiency(problem, answer, is_open, has_slack)
        proof = _prove_slacks(answer)
        answer = replace(answer, slack_weights=proof.weights)
        efficient = proof.proved[0]
    # Beyond the reference there is only the projection, which is rounded.
    rows = np.union1d(_rows_of_doubtful_slack(answer, proof), unreached_rows)
    if len(rows):
        answer = _settle_projections(problem, answer, rows)
        proof = _prove_slacks(answer)
        # DMUs that are not below 1 may have no slack, whether they were solved again or not.
        _discard_steep_weights(proof, answer.scores.to_numpy() >= 1 - TOLERANCE)
        answer = replace(answer, slack_weights=proof.weights)
        efficient = proof.proved[0]
    return replace(
        answer, efficient=pd.Series(efficient, index=answer.scores.index, name="efficient")
    )


def _discard_steep_weights(proof: SlackProof, may_have_none: np.ndarray) -> None:
    """Discard weights so steep that they prove slacks in one order of metrics and not in another.

    That DMUs which may have no slack, bool (n,), have none, they may prove in fractions.
    """
    # Who has no row of its own finds the 0 behind the last one.
    positions = np.maximum(proof.weights.of, -1)
    is_steep = np.append(proof.weights.rows.max(axis=1, initial=0.0), 0.0)[positions] > STEEPEST
    for k in np.flatnonzero(is_steep & may_have_none).tolist():
        is_steep[k] = not proof.is_supported(k)
    proof.discard(is_steep)


def _prove_slacks(answer: Answer, reached: np.ndarray | None = None) -> SlackProof:
    """Return what the weights of slacks prove; those that leave slack open prove nothing."""
    assert answer.slack_weights is not None
    proof = SlackProof(answer, answer.slack_weights)
    proof.discard(proof.all_slack_left(reached) > TOLERANCE)
    return proof


def _with_explicit_weights(answer: Answer, rows: np.ndarray) -> Answer:
    """Return the answer with the own weights of some DMUs, all positive, as those of their slacks.

    That all weights of a DMU are positive leaves no slack beside the largest values of the
    reference. What they leave beside smaller values of its own, their bound tells.
    """
    assert answer.slack_weights is not None
    if not len(rows):
        return answer
    # In metrics over their maxima, with a least weight of 1, as slack weights are.
    weights = answer.weights[answer.slacks.columns].to_numpy()[rows] * reference_maxima(answer)
    least_weight = weights[:, answer.data.is_changeable].min(axis=1, keepdims=True)
    explicit = SlackWeights(weights / least_weight, np.arange(len(rows), dtype=np.int32))
    slack_weights = replace_slack_weights(answer.slack_weights, explicit, rows)
    return replace(answer, slack_weights=slack_weights)


def _is_dominated(problem: Problem, rows: np.ndarray) -> np.ndarray:
    """Return which of some DMUs one reference DMU dominates, without any tolerance."""
    values = stack_outputs_inputs(problem.data, rows)
    candidates = stack_outputs_inputs(problem.reference, problem.frontier)
    s = problem.data.outputs.shape[1]
    is_dominated = np.zeros(len(rows), dtype=bool)
    for block in blocks(len(rows), candidates.size):
        gains = candidates - values[block, None]
        gains[:, :, s:] *= -1.0
        dominates = (gains >= 0).all(axis=2) & (gains > 0).any(axis=2)
        is_dominated[block] = dominates.any(axis=1)
    return is_dominated


def _settle_efficiency(
    problem: Problem, answer: Answer, is_open: np.ndarray, has_slack: np.ndarray
) -> tuple[Answer, np.ndarray]:
    """Return the answer with exact peers, slacks and slack weights of DMUs that reach 1.

    Of those with slack, bool (n,), only the ones that turn out to be efficient change. Beside it
    are the positions of those that no mixture reaches: they are beyond the reference, perhaps by
    less than rounding.
    """
    rows = np.flatnonzero(is_open | has_slack)
    exact = find_own_slack(problem.task, problem.frontier, rows)
    is_unreached = np.isnan(exact.total)
    unreached_rows = rows[is_unreached]
    changes = (is_open[rows] & ~is_unreached) | (exact.total <= TOLERANCE)
    rows = rows[changes]
    exact = OwnSlack(exact.total[changes], exact.weights[changes], exact.intensities[changes])
    # In metrics over their maxima, with a least weight of 1, as slack weights are.
    weights = exact.weights * reference_maxima(answer)
    weights /= np.minimum(weights.min(axis=1, keepdims=True), 1.0)
    is_efficient = exact.total <= TOLERANCE
    of = np.where(is_efficient, np.arange(len(rows)), NO_PROOF).astype(np.int32)
    assert answer.slack_weights is not None
    slack_weights = replace_slack_weights(answer.slack_weights, SlackWeights(weights, of), rows)
    # These peers reach the DMU itself, which is short of the projection of a score below 1.
    is_short = np.abs(answer.scores.to_numpy()[rows] - 1) > TOLERANCE / 2
    takes_peers = is_efficient | ~is_short
    rows = rows[takes_peers]
    intensities = exact.intensities[takes_peers]
    lam = replace_rows(rows, intensities, answer.intensities)
    reached = intensities.dot(stack_outputs_inputs(problem.reference))
    slacks = answer.slacks.copy()
    slacks.iloc[rows] = slacks_at_projection(problem, answer.scores.to_numpy()[rows], rows, reached)
    exact_answer = replace(answer, slacks=slacks, intensities=lam, slack_weights=slack_weights)
    return exact_answer, unreached_rows


def _rows_of_doubtful_slack(answer: Answer, proof: SlackProof) -> np.ndarray:
    """Return the positions of DMUs beyond the reference whose slack may be rounding alone."""
    if answer.own_reference:
        return np.zeros(0, dtype=int)
    efficient, undecided = proof.proved
    rows = np.flatnonzero((answer.scores.to_numpy() > 1) & ~efficient)
    # What the rounding of the projection is worth under the weights of the slacks.
    metrics = np.abs(stack_outputs_inputs(answer.data, rows)) / proof.unit
    of = proof.weights.of[rows]
    weights = np.zeros(metrics.shape)
    weights[of >= 0] = proof.weights.rows[of[of >= 0]]
    rounding = ROUNDED_PROJECTION * (weights * metrics).sum(axis=1)
    is_open = undecided[rows] | (of < 0) | (proof.total[rows] <= rounding)
    # Where the score's own weights are all positive there is no slack, by complementary slackness:
    # what is seen is that of a projection that rounding moved off a steep facet.
    is_open |= (proof.own_weights[rows][:, proof.counted] > 0).all(axis=1)
    # A factor that is off by more than rounding may be paid for with slack on a steep facet: its
    # bounds differ, or agree alone because λ or the weights break a constraint.
    errors = radial_certificates(answer)[rows, 2:].max(axis=1, initial=0.0)
    is_open |= errors > WIDE_GAP * answer.scores.to_numpy()[rows]
    return np.asarray(rows[is_open])


def _settle_projections(problem: Problem, answer: Answer, rows: np.ndarray) -> Answer:
    """Return the answer with the slacks of some DMUs solved in rational arithmetic.

    Both stages are one program there: the factor is not rounded before its slacks are.
    """
    family = problem.family
    counts = problem.data.is_changeable
    costs = slack_costs(family, problem.maxima, counts)
    lam = answer.intensities
    weights = []
    for k in rows.tolist():
        label = str(problem.data.labels[k])
        solution, duals = solve_lexicographically(family, problem.tested[k], costs, label)
        lam = replace_rows(np.array([k]), problem.intensities(family, solution), lam)
        row_weights = weights_of_duals(family, duals[None], problem.maxima)
        weights.append(np.maximum(row_weights[0], counts))
    reached = lam[rows].dot(stack_outputs_inputs(problem.reference))
    slacks = answer.slacks.copy()
    slacks.iloc[rows] = slacks_at_projection(problem, answer.scores.to_numpy()[rows], rows, reached)
    assert answer.slack_weights is not None
    exact_weights = SlackWeights(np.array(weights), np.arange(len(rows), dtype=np.int32))
    slack_weights = replace_slack_weights(answer.slack_weights, exact_weights, rows)
    return replace(answer, slacks=slacks, intensities=lam, slack_weights=slack_weights)


def _solve_row_exactly(problem: Problem, model: str, k: int) -> tuple[Answer, np.ndarray]:
    """Return the answer of one DMU in rational arithmetic, and what its peers reach."""
    rows = np.array([k])
    solution = solve_exactly(problem.family, problem.tested[k], str(problem.data.labels[k]))
    duals = solution.duals[0].copy()
    answer, reached = _read_stages(problem, solution, rows, "")
    label = answer.scores.index[0]
    if np.isnan(answer.scores.iloc[0]):
        # The dual ray proves that there is no score.
        metrics = stack_outputs_inputs(answer.data)[0]
        ray = scale_dual_ray(problem.family, duals, problem.maxima, metrics)
        ray /= reference_maxima(answer)
        frame = pd.DataFrame(ray, index=answer.scores.index, columns=answer.slacks.columns)
        return replace(answer, infeasibility_certificates=frame), reached[0]
    is_unproved = _is_unproved(answer, reached, TOLERANCE / 2)
    if is_unproved or (slack_errors(answer, reached) > TOLERANCE / 2).any():
        # The second stage is one of floating point: the first one's peers are exact.
        first_stage = _read_stages(problem, solution, rows, "", has_second_stage=False)
        if is_unproved or not _is_unproved(*first_stage, TOLERANCE / 2):
            answer, reached = first_stage
    if _is_unproved(answer, reached, TOLERANCE):
        score = float(answer.scores.iloc[0])
        answer.reasons[label] = (
            f"its {model} score, about {score:.6g}, {why.UNPROVED} {TOLERANCE:g}: its metrics are "
            "too far apart for floating point"
        )
        answer.scores.iloc[0] = np.nan
        answer.efficient.iloc[0] = False
        answer.weights.iloc[0] = np.nan
        answer.slacks.iloc[0] = np.nan
    return answer, reached[0]


def _solve_in_floating_point(
    problem: Problem, advance: Callable[[int], None]
) -> tuple[Answer, np.ndarray]:
    """Return the answer of every DMU, and what its peers reach.

    It is computed by all facets and a matrix product, or by HiGHS on an active set.
    """
    labels = problem.data.labels
    facets = problem.facets()
    solution = solve_family(
        problem.family,
        problem.tested,
        prior_bases=facets,
        name=lambda k: str(labels[k]),
        advance=advance,
    )
    solves = count_solves(solution.calls)
    path = f"by HiGHS ({solves})"
    if facets is not None:
        rest = f", {solves} by HiGHS" if solution.calls else ""
        path = f"by {len(facets)} facets{rest}"
    answer, reached = _read_stages(problem, solution, np.arange(len(labels)), path)
    # Undominated DMUs that are no candidates stay in the frontier unless a mixture dominates them.
    inner = problem.inner[~dominated_by_mixtures(answer, problem.inner)]
    if len(inner):
        answer = replace(answer, frontier=np.union1d(answer.frontier, inner))
    return answer, reached


def _read_stages(
    problem: Problem,
    solution: Solution,
    rows: np.ndarray,
    path: str,
    *,
    has_second_stage: bool = True,
) -> tuple[Answer, np.ndarray]:
    """Read the first stage of some DMUs, solve the second, and return what their peers reach."""
    data = problem.data
    labels = data.labels.take(rows)
    if len(rows) < len(data.labels):
        data = replace(data, outputs=data.outputs.iloc[rows], inputs=data.inputs.iloc[rows])
    # The first stage: scores and multipliers of the scaled DMUs.
    values, weights = problem.read(solution)
    values *= problem.size[rows]
    weights.index = labels
    # A DMU without a score needs a reason: infeasible, or a factor of 0.
    reasons = {labels[k]: text for k, text in solution.infeasible.items()}
    for k in np.flatnonzero(np.isnan(values)):
        reasons.setdefault(labels[k], _zero_factor_reason(problem, rows[k]))
    if reasons:
        weights.loc[np.isnan(values)] = np.nan
    scores = pd.Series(values, index=labels, name="efficiency")
    # The second stage keeps the factor and makes the slacks the largest.
    lam = problem.intensities(problem.family, solution)
    without_slack = rows_without_slack(problem, weights)
    unique_weights = unique_slack_weights(
        problem.family, solution, problem.maxima, data.is_changeable, without_slack
    )
    if not has_second_stage:
        no_more = np.full_like(unique_weights.of, UNIQUE_UNPROVED)
        unique_weights = SlackWeights(unique_weights.rows, no_more)
    del solution  # as large as the table, and read
    slacks, slack_weights, reached = second_stage(
        problem, scores, lam, rows, unique_weights, without_slack
    )
    answer = Answer(
        scores=scores,
        slacks=slacks,
        weights=weights,
        intensities=lam,
        # No DMU is called efficient until all are proved.
        efficient=pd.Series(False, index=labels, name="efficient"),
        slack_weights=slack_weights,
        data=data,
        reference=problem.reference,
        options=problem.task.options,
        own_reference=problem.task.own_reference,
        frontier=problem.frontier,
        reasons=reasons,
        path=path,
    )
    return answer, reached


def _zero_factor_reason(problem: Problem, k: int) -> str:
    """Return why the factor of DMU k is 0."""
    has_output = problem.data.outputs.to_numpy()[k] > 0
    exists_in_reference = problem.reference.outputs.to_numpy().max(axis=0) > 0
    if (has_output & ~exists_in_reference).any():
        return why.NO_METRIC
    return why.NO_INPUT_NEEDED if problem.orientation == "input" else why.NO_MIX


def _unproved_rows(answer: Answer, reached: np.ndarray) -> np.ndarray:
    """Return the positions of the DMUs that have to be solved exactly.

    They are those whose certificate does not hold, without a score, or with one so far from 1 that
    it may be a rounding error.
    """
    scores = answer.scores.to_numpy()
    with np.errstate(invalid="ignore"):
        is_far = (scores > FAR) | (scores < 1 / FAR)
        # λ may miss the projection, or the slacks, by a share of the DMU's own values.
        is_apart = slack_errors(answer, reached) > TOLERANCE / 2
    # Half of the tolerance: in the table's own order sums may round to the other side of it.
    fails = ~(_certificate_violations(answer, reached) <= TOLERANCE / 2)
    return np.flatnonzero(fails | is_far | is_apart)


def _is_unproved(answer: Answer, reached: np.ndarray, tolerance: float) -> bool:
    """Return whether some score, of those that there are, is not proved."""
    fails = ~(_certificate_violations(answer, reached) <= tolerance)
    return bool((fails & answer.scores.notna().to_numpy()).any())


def _certificate_violations(answer: Answer, reached: np.ndarray) -> np.ndarray:
    """Return the largest violation of each DMU's certificate, (n,)."""
    # Both sides of the certificate must agree, and neither may break a constraint.
    primal, _, gap, primal_infeasibility, dual_infeasibility = radial_certificates(
        answer, reached
    ).T
    scores = answer.scores.to_numpy()
    size = np.maximum(scores, 1.0)
    return np.asarray(
        np.maximum.reduce(
            [gap / size, primal_infeasibility, dual_infeasibility, np.abs(primal - scores) / size]
        )
    )


def _replace_row(answer: Answer, exact: Answer, k: int) -> Answer:
    """Return the answer with DMU k as it was solved exactly."""
    label = answer.scores.index[k]
    # The exact reason takes the place of that of floating point.
    first_reason = answer.reasons.pop(label, "")
    answer.reasons.update(exact.reasons)
    if label in exact.reasons and "HiGHS" in first_reason:
        answer.reasons[label] = first_reason  # infeasible is infeasible: now it is proved
    # Every part of the answer comes from the exact solution.
    answer.scores.iloc[k] = exact.scores.iloc[0]
    answer.weights.iloc[k] = exact.weights.iloc[0]
    answer.slacks.iloc[k] = exact.slacks.iloc[0]
    answer.efficient.iloc[k] = exact.efficient.iloc[0]
    answer.intensities.columns[k] = exact.intensities.columns[0]
    answer.intensities.values[k] = exact.intensities.values[0]
    assert answer.slack_weights is not None
    assert exact.slack_weights is not None
    slack_weights = replace_slack_weights(answer.slack_weights, exact.slack_weights, np.array([k]))
    return replace(answer, slack_weights=slack_weights)
