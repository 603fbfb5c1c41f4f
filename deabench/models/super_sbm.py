"""Super-efficiency by slacks (Tone 2002): how far the others are from doing as well as a DMU.

Only DMUs whose slacks-based measure is 1 are solved again, without themselves in the reference. The
dual of `deabench_models.super_slacks_based` proves the result: with v_i x_i ≤ p_i and
u_r y_r ≤ q_r ξ, no mixture of the others makes δ smaller than ξ = 1 − v·x_o + u·y_o − h, where h is
the largest u·y − v·x of what the others can do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd

from deabench.models import sbm
from deabench.models.shared import infeasibility
from deabench.models.shared.scaled_data import (
    ScaledData,
    compile_program,
    own_unit_multipliers,
    replace_rows,
    to_reference_positions,
)
from deabench.models.shared.score_bounds import BoundedAnswer
from deabench.models.superefficiency import own_reference_positions, two_undominated_layers
from deabench.proofs.bounds import LAST_DIGITS
from deabench.proofs.exact_repair import Limits, match_numbers
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task, take_rows
from deabench.results.model import Advance, Model, Monotone
from deabench.results.proof import Proof
from deabench.solver.solve_all import solve_each
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, Sparse

FINEST_SHARE = 2.0**-50
"""What metrics count in their mean is a multiple of this: sums of such shares are not rounded."""
UNREACHED = "the others do not reach it by changes in its metrics"


@dataclass(frozen=True, kw_only=True)
class SuperSBM(Model):
    """Super-efficiency by slacks (Tone 2002)."""

    name = "super-sbm"
    title = (
        "slacks-based measure, each efficient DMU against the others; breaks ties at 1 (super-SBM)"
    )
    equation = "(super slacks-based)"
    formulations = ("super_slacks_based",)

    returns: Literal["crs", "vrs", "nirs", "ndrs"] = "crs"
    orientation: Literal["none", "input", "output"] = "none"

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that the measure takes: an output of 0 leaves the mean."""
        return ("zero outputs",)

    @property
    def monotone(self) -> Monotone:
        """In what a better value never makes a score worse: a metric of 0 counts nothing."""
        return "reference"

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute the slacks-based measure, and where it is 1 the distance of the others."""
        base = sbm.solve_convex(task, advance)
        rows = np.flatnonzero(_is_super(base))
        if not task.own_reference or not len(rows):
            return base
        return _solve_without_themselves(task, base, rows)

    def prove(self, answer: Answer) -> Proof:
        """Recompute every score; where a DMU reaches 1, without itself in the reference."""
        return _prove(answer)

    def meaning(self, score: float) -> str:
        """Say what the measure means."""
        if score <= 1 + TOLERANCE:
            return sbm.slacks_based_meaning(score, self.orientation)
        return (
            f"the others would have to change by {100 * (score - 1):.1f} % of its metrics to stand "
            "where it is"
        )


def _is_super(answer: Answer) -> np.ndarray:
    """Return which DMUs that have a score are measured against the others, bool (K,).

    One that reaches 1 and has slack in a metric of 0 is at 1 against the others, too.
    """
    is_efficient = answer.efficient.to_numpy(dtype=bool) | (answer.orientation != "none")
    return np.asarray((answer.scores.to_numpy() >= 1 - TOLERANCE) & is_efficient)


def _solve_without_themselves(task: Task, base: Answer, rows: np.ndarray) -> Answer:
    """Return the slacks-based answer with some DMUs solved against the others."""
    scaled = ScaledData.of(task)
    own_positions = own_reference_positions(task)
    positions = own_positions[rows]
    candidates = two_undominated_layers(np.column_stack([scaled.Y, -scaled.X]), positions)
    p, q = _metric_shares(scaled, base)
    program = compile_program(
        "super_slacks_based",
        scaled.m,
        scaled.s,
        over_inputs=("x_o", "p"),
        over_outputs=("y_o", "q"),
        returns=scaled.returns,
        change=_changing_side(base),
    )
    solutions = solve_each(
        program,
        scaled.reference_table[candidates],
        np.column_stack([scaled.x, scaled.y, p, q])[rows],
        without=np.searchsorted(candidates, positions),
        exact=task.exact,
        name=lambda k: str(task.data.labels[rows[k]]),
    )

    # Those that the others reach are at 1 either way: the weights of their slacks-based measure
    # prove that. Weakly efficient ones stay as they are.
    is_one = solutions.objective <= 1 + TOLERANCE
    is_weak = is_one & ~base.efficient.to_numpy(dtype=bool)[rows]
    above = rows[~is_weak]
    if not len(above):
        return base

    # Efficient DMUs have no slack; those that the others do not reach have no score.
    undefined = rows[np.isnan(solutions.objective)]
    scores = base.scores.copy()
    # Whom the others reach without a change keeps the measure that its weights prove: 1, or hardly
    # less where they dominate it.
    is_above = ~is_weak & ~(solutions.objective <= 1)
    scores.iloc[rows[is_above]] = solutions.objective[is_above]
    slacks = base.slacks.copy()
    slacks.iloc[above] = 0.0
    slacks.iloc[undefined] = np.nan
    weights = base.weights.copy()
    multipliers, u_0 = own_unit_multipliers(task, scaled, solutions, sign=1.0, free_sign=-1.0)
    solved_weights = np.column_stack([multipliers, u_0])[:, : weights.shape[1]]
    weights.iloc[rows[~is_one]] = solved_weights[~is_one]
    # Undo the transformation of Charnes and Cooper: λ = Λ/t.
    with np.errstate(divide="ignore", invalid="ignore"):
        lam = solutions.shared["lam"].values / solutions.values["t"][:, None]
    better = Sparse(solutions.shared["lam"].columns, np.nan_to_num(lam))[~is_weak]
    certificates = infeasibility.farkas_certificates(
        task,
        scaled,
        candidates,
        undefined,
        may_change=_may_change(scaled, base),
        left_out=own_positions,
    )
    return replace(
        base,
        scores=scores,
        weights=weights,
        slacks=slacks,
        intensities=replace_rows(
            above, to_reference_positions(better, candidates), base.intensities
        ),
        infeasibility_certificates=infeasibility.concat_certificates(
            base.infeasibility_certificates, certificates
        ),
        reasons=base.reasons | {task.data.labels[k]: UNREACHED for k in undefined.tolist()},
        path=f"{base.path}, {len(above)} of them without themselves",
    )


def _changing_side(answer: Answer) -> str:
    """Return which side may change; the input that every DMU has may not."""
    return answer.orientation if answer.data.inputs.shape[1] else "output"


def _metric_shares(scaled: ScaledData, answer: Answer) -> tuple[np.ndarray, np.ndarray]:
    """Return p (K, m) and q (K, s): 1 over the number of a DMU's inputs, and outputs, above 0.

    They are 0 for a metric of 0, and on the side that does not change.
    """
    side = _changing_side(answer)
    # Each metric above 0 counts alike in the mean of its side.
    p = _equal_shares(scaled.x > 0)
    q = _equal_shares(scaled.y > 0)
    return p * (side != "output"), q * (side != "input")


def _equal_shares(counts: np.ndarray) -> np.ndarray:
    """Return equal shares (K, c) of those that count, which add up to exactly 1, or to 0.

    Three floats of 1/3 add up to 1 - 6e-17. What outputs keep is 1 less a sum of shares: where they
    lose all but 1e-10, that would be a millionth of it.
    """
    number = np.maximum(counts.sum(axis=1), 1)
    shares = counts * (np.floor(1.0 / number / FINEST_SHARE) * FINEST_SHARE)[:, None]
    # The first one that counts has what is missing of 1.
    rows = np.flatnonzero(counts.any(axis=1))
    shares[rows, counts[rows].argmax(axis=1)] += 1.0 - shares[rows].sum(axis=1)
    return np.asarray(shares)


def _may_change(scaled: ScaledData, answer: Answer) -> np.ndarray:
    """Return which metrics of each DMU may change, (K, s + m), outputs first: none that is 0."""
    side = _changing_side(answer)
    return np.column_stack(
        [(scaled.y > 0) & (side != "input"), (scaled.x > 0) & (side != "output")]
    )


def _proved_unreached(answer: Answer, scaled: ScaledData) -> np.ndarray:
    """Return for which DMUs it is proved that the others do not reach them: bool (n,)."""
    if not answer.own_reference:
        return np.zeros(len(answer.scores), dtype=bool)
    positions = own_reference_positions(answer)
    proved = infeasibility.proved_infeasible(
        answer,
        scaled,
        may_change=_may_change(scaled, answer),
        left_out=positions,
    )
    if _changing_side(answer) != "input":
        # Or those of the others that need nothing that it has none of, as an input of 0, have none
        # of its outputs: no share of them is left.
        for k in np.flatnonzero(answer.scores.isna().to_numpy()):
            is_possible = (scaled.X[:, scaled.x[k] == 0] == 0).all(axis=1)
            is_possible[positions[k]] = False
            has_output = (scaled.Y[is_possible] > 0).any(axis=0)
            proved[k] |= not (has_output & (scaled.y[k] > 0)).any()
    return proved


def _prove(answer: Answer) -> Proof:
    """Prove DMUs below 1 as the slacks-based measure does, and the others without themselves."""
    scores = answer.scores.to_numpy()
    is_unreached = np.array(
        [answer.reasons.get(label) == UNREACHED for label in answer.scores.index]
    )
    is_above = answer.own_reference & ((scores > 1 + TOLERANCE) | is_unreached)
    # Efficient at 1 is who cannot gain, and whom the others reach without a change.
    is_one = (np.abs(scores - 1) <= TOLERANCE) & answer.efficient.to_numpy(dtype=bool)
    is_one &= answer.own_reference
    below = np.flatnonzero(~is_above)
    above = np.flatnonzero(is_above | is_one)
    proofs = []
    unclaimed: tuple[str, ...] = ()
    if len(below):
        slacks_based = take_rows(_with_own_peers(answer, is_one), below)
        proofs.append((below, sbm.prove_convex(slacks_based)))
        unclaimed = proofs[0][1].unclaimed
    if len(above):
        # By no weights a DMU is at least at 1 against the others.
        changed = answer.weights.mul(~is_one, axis=0)
        proofs.append((above, _prove_without_themselves(replace(answer, weights=changed), above)))
    frame = pd.concat([proof.frame for _, proof in proofs])
    frame = frame[~frame.index.duplicated(keep="last")].reindex(answer.scores.index)
    violations: dict[str, np.ndarray] = {}
    for rows, proof in proofs:
        for name, values in proof.violations.items():
            misses = violations.setdefault(name, np.zeros(len(scores)))
            misses[rows] = np.maximum(misses[rows], values)
    scaled = ScaledData.of(answer)
    violations["reason"] = reason_violations(
        answer,
        {
            UNREACHED: _proved_unreached(answer, scaled),
            sbm.OUTSIDE: infeasibility.proved_infeasible(answer, scaled),
            sbm.UNBOUNDED: sbm.proved_unbounded(answer, scaled),
        },
    )
    return Proof(frame, violations, unclaimed)


def _with_own_peers(answer: Answer, is_chosen: np.ndarray) -> Answer:
    """Return the answer with some DMUs, bool (n,), as their own only peers."""
    lam = answer.intensities
    columns = np.where(is_chosen[:, None], -1, lam.columns)
    values = np.where(is_chosen[:, None], 0.0, lam.values)
    rows = np.flatnonzero(is_chosen)
    columns[rows, 0] = own_reference_positions(answer)[rows]
    values[rows, 0] = 1.0
    return replace(answer, intensities=Sparse(columns.astype(np.int32), values))


def _has_slacks(answer: Answer) -> np.ndarray:
    """Return which DMUs have other slacks than 0, or than NaN without a score: bool (K,)."""
    slacks = answer.slacks.to_numpy()
    is_absent = np.isnan(slacks) & answer.scores.isna().to_numpy()[:, None]
    return np.asarray(((slacks != 0) & ~is_absent).any(axis=1))


def _prove_without_themselves(answer: Answer, rows: np.ndarray) -> Proof:
    """Prove the scores of some DMUs, each against the others."""
    scaled = ScaledData.of(answer)
    tested_answer = take_rows(answer, rows)
    p, q = (shares[rows] for shares in _metric_shares(scaled, answer))
    tested = replace(scaled, x=scaled.x[rows], y=scaled.y[rows])
    bounded = BoundedAnswer.of(tested_answer, tested)
    scores = tested_answer.scores.to_numpy()
    positions = own_reference_positions(answer)[rows]
    s = scaled.s

    # The primal side: the shares by which inputs must grow and outputs shrink to reach λ.
    counts_outputs = (q > 0).any(axis=1)

    def measure_of_gains(gains: np.ndarray, rows: np.ndarray) -> np.ndarray:
        y = match_numbers(np.where(tested.y[rows] > 0, tested.y[rows], 1.0), gains)
        x = match_numbers(np.where(tested.x[rows] > 0, tested.x[rows], 1.0), gains)
        # Of outputs what is left: 1 less the shares lost would be rounding where all is lost.
        remaining_shares = np.minimum(1 + gains[:, :s] / y, 1)
        remaining = (match_numbers(q[rows], gains) * remaining_shares).sum(axis=1)
        grown = (match_numbers(p[rows], gains) * np.maximum(-gains[:, s:] / x, 0)).sum(axis=1)
        return np.asarray((1 + grown) / np.where(counts_outputs[rows], remaining, 1))

    # The dual side: u y ≤ q ξ and v x ≤ p; weights above are lowered to that.
    side = _changing_side(answer)
    is_limited = np.column_stack(
        [np.full(tested.y.shape, side != "input"), np.full(tested.x.shape, side != "output")]
    )
    values = np.column_stack([tested.y, tested.x])
    is_limited &= values > 0
    shares = np.column_stack([q, p])
    # Those of outputs are shares of the score.
    unit = np.maximum(np.nan_to_num(scores), 1.0)
    sizes = np.ones(values.shape)
    sizes[:, :s] = scores[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        largest_weights = np.where(is_limited, shares * sizes / values, np.inf)
        too_large = np.where(is_limited, bounded.weights * values / sizes - shares, 0.0)

    def exact_limits(k: int) -> Limits:
        # The rounding of a score of 1e12 is 1e-4. At the limits of a score that was rounded up,
        # weights prove that much less than they need, and all would be lowered for it.
        rounded_down = 1 - Fraction(LAST_DIGITS)
        factors = [rounded_down if column < s else 1 for column in range(len(sizes[k]))]
        return [
            Fraction(share) * Fraction(size) * factor / Fraction(value) if limited else None
            for share, size, factor, value, limited in zip(
                shares[k], sizes[k], factors, values[k], is_limited[k], strict=True
            )
        ]

    def measure_of_excess(excess: np.ndarray, raised: np.ndarray, rows: np.ndarray) -> np.ndarray:
        # Weights over their limits, those of outputs for a measure of 1.
        products = raised * match_numbers(values[rows], raised)
        limits = match_numbers(np.where(is_limited[rows], shares[rows], 1.0), raised)
        parts = np.where(is_limited[rows], products / limits, 0)
        # Where inputs' weights were raised beyond theirs, all weights are lowered by that factor.
        factor = np.maximum(parts[:, s:].max(axis=1), 1)
        factor = np.where(factor < np.inf, factor, 1)
        lowered = excess / factor
        least_xi = parts[:, :s].max(axis=1) / factor
        # 1 + Σ p φ ≥ ξ (1 − Σ q ψ) + 1 − ξ − excess, for any ξ that outputs' weights allow. Where
        # they prove less than the least of these, all are lowered until they prove what they need.
        is_enough = least_xi + lowered <= 1
        bounded_measure = least_xi / np.where(is_enough, 1, least_xi + lowered)
        measure = np.where(is_enough, 1 - lowered, bounded_measure)
        return np.asarray(np.minimum(measure, match_numbers(scores[rows, None], raised)[:, 0]))

    frame, violations = bounded.prove_scores(
        ~_may_change(scaled, answer)[rows],
        measure_of_gains,
        measure_of_excess,
        unit,
        weights=np.minimum(bounded.weights, np.nan_to_num(largest_weights, nan=np.inf)),
        largest_weights=exact_limits,
        left_out=positions,
        free_sign=-1.0,
    )

    is_certainly_efficient = (answer.orientation == "none") | ~(scores <= 1 + TOLERANCE)
    is_called_inefficient = ~tested_answer.efficient.to_numpy(dtype=bool)
    is_itself = tested_answer.intensities.columns == positions[:, None]
    return Proof(
        frame,
        {
            **violations,
            "multipliers_that_are_too_large": too_large.max(axis=1),
            "slacks_of_a_dmu_that_has_none": _has_slacks(tested_answer).astype(float),
            "efficient": (is_certainly_efficient & is_called_inefficient).astype(float),
            "share_of_itself_among_its_peers": (tested_answer.intensities.values * is_itself).sum(
                axis=1
            ),
        },
    )
