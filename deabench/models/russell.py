"""The Russell measures (Färe, Lovell 1978): the mean of a factor for every input, output, or both.

For one side they are slack programs: `deabench_models.russell_input` is 1 minus, `russell_output`
1 plus the additive model whose weights are 1 over the DMU's own values and their number.

For both sides (the graph measure) 1/φ is convex and held from below by tangents
(`deabench_models.russell_graph`). Each round solves with tangents at the last φ, and around the
best φ of mixtures of the last peers, by Newton's method, until the measure at λ and its bound
agree. Multipliers u, v ≥ 0 prove it: with h the largest u·y − v·x of any possible production, the
measure is at least
Σ min(0, p − v x) + Σ min over φ ≥ 1 of (q/φ + u y φ) − h.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.models.shared import infeasibility, slack_programs
from deabench.models.shared.own_slack import find_own_slack
from deabench.models.shared.scaled_data import (
    ScaledData,
    lambda_sum_bounds,
    lambda_violation,
    metric_names,
    replace_rows,
    slacks_at_peers,
    solved_multipliers,
    support,
    to_reference_positions,
    zero_value_notes,
)
from deabench.models.shared.score_bounds import BoundedAnswer
from deabench.models.shared.slack_programs import OUTSIDE, solve_slacks
from deabench.proofs.reasons import reason_violations
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, Model, Monotone, Technology
from deabench.results.proof import Proof
from deabench.solver.solve_all import Solutions
from deabench.solver.template import Template, compile_template
from deabench.utils.arrays import TOLERANCE, Sparse

FIRST_TANGENTS = np.geomspace(1.0, 256.0, 9)
"""Where the first tangents touch."""
FIRST_EXACT_TANGENTS = np.geomspace(1.0, 2.0**42, 7)
"""The same in rational arithmetic, which takes slopes that a solver would drop."""
TANGENTS_PER_ROUND = 3
"""Tangents that each round adds to every output."""
CLOSE = 1e-10
"""The measure at λ and its bound differ by no more in the end."""
NARROWEST = 3e-5
"""Tangents that touch nearer to each other than this, as a share of φ, are the same to a solver."""
ROUNDS = 16
MET = 1e-9
"""A constraint that λ meets by this share is one without slack."""
ROUNDED = 1e-14
"""What rounding leaves of a singular value that is 0, of rows whose largest entry is 1."""
NEWTON_STEPS = 40
NEAR_ONE = 1e-7
"""A measure so near to 1 is decided in exact arithmetic."""


@dataclass(frozen=True, kw_only=True)
class Russell(Model):
    """The Russell measures: the mean of a factor for every output, or input, or both."""

    name = "russell"
    title = "the mean of a factor of its own for every output, or input, or both (Russell, graph)"
    equation = "(Russell)"
    formulations = ("russell_output", "russell_input", "russell_graph")

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["output", "input", "none"] = "output"
    technology: Technology = "convex"

    @property
    def monotone(self) -> Monotone:
        """In what a better value never makes a score worse: a metric of 0 counts nothing."""
        return "reference"

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute the mean factor of every DMU."""
        self._check_technology()
        if self.orientation == "none":
            return _solve_graph(task, advance)
        answer = slack_programs.solve(
            task, _inverse_value_weights(task), advance, self._score_of_total, "efficiency"
        )
        side = task.data.outputs if self.orientation == "output" else task.data.inputs
        notes = (*answer.data.notes, *zero_value_notes(side, "factors"))
        return replace(answer, data=replace(answer.data, notes=notes))

    def prove(self, answer: Answer) -> Proof:
        """Recompute the factors that λ reaches and those that the multipliers allow."""
        self._check_technology()
        if self.orientation == "none":
            return _prove_graph(answer)
        return slack_programs.prove(answer, _inverse_value_weights(answer), self._score_of_total)

    def meaning(self, score: float) -> str:
        """Say what the mean means."""
        if self.orientation == "none":
            return (
                "inputs could shrink, and outputs grow, each by its own factor, to "
                f"{100 * score:.1f} % in the mean"
            )
        if self.orientation == "input":
            percent = 100 * (1 - score)
            return f"on average every input could shrink by {percent:.1f} %, each by its own share"
        percent = 100 * (1 / score - 1)
        return f"on average every output could grow by {percent:.1f} %, each by its own share"

    def _check_technology(self) -> None:
        """Refuse single peers for the graph measure."""
        if self.orientation == "none" and self.technology == "fdh":
            raise DataError(
                "model 'russell' has technology 'fdh' for one side only; give an orientation, or "
                "leave technology out"
            )

    def _score_of_total(self, total: Any) -> Any:
        """Return the mean factor of a weighted sum of slacks."""
        if self.orientation != "output":
            return 1.0 - total
        # A total of -1 is what a peer reaches that has none of an output: it is worth nothing.
        with np.errstate(divide="ignore"):
            return 1.0 / (1.0 + total)


def _inverse_value_weights(task: Task | Answer) -> np.ndarray:
    """Return 1 over a metric's own value and the number of values above 0; 0 on the other side."""
    is_output_oriented = task.options.orientation == "output"
    side = task.data.outputs if is_output_oriented else task.data.inputs
    fixed_side = task.data.inputs if is_output_oriented else task.data.outputs
    values = side.to_numpy()
    inverse = np.where(values > 0, 1.0 / np.where(values > 0, values, 1.0), 0.0)
    weights = inverse / np.maximum((values > 0).sum(axis=1), 1)[:, None]
    zeros = np.zeros(fixed_side.shape)
    return np.column_stack([weights, zeros] if is_output_oriented else [zeros, weights])


def _solve_graph(task: Task, advance: Advance) -> Answer:
    """Compute the graph measure of every DMU, in rounds of tangents."""
    scaled = ScaledData.of(task)
    count = len(task.data.labels)
    candidates = scaled.undominated()
    # Each metric above 0 counts alike in the mean.
    p, q = _metric_shares(task, scaled)
    scores = np.full(count, np.nan)
    multipliers = np.full((count, scaled.s + scaled.m), np.nan)
    lam = Sparse(np.full((count, 1), -1, dtype=np.int32), np.zeros((count, 1)))

    first_tangents = FIRST_EXACT_TANGENTS if task.exact else FIRST_TANGENTS
    touch = np.tile(first_tangents, (count, scaled.s, 1))  # where tangents touch 1/φ
    center = np.ones(scaled.y.shape)
    rows = np.arange(count)
    # What floating point leaves open after half of the rounds is for rational arithmetic.
    for _ in range(ROUNDS if task.exact else ROUNDS // 2):
        # Tangents lie below 1/φ: the optimum of this round bounds the measure from below.
        solutions = _solve_round(task, scaled, candidates, p, q, touch, rows)
        better = to_reference_positions(solutions.shared["lam"], candidates)
        lam = replace_rows(rows, better, lam)
        multipliers[rows] = np.column_stack(solved_multipliers(scaled, solutions, sign=1.0))
        # λ itself reaches the measure, so this bounds it from above.
        measure = _graph_measure(scaled, lam, p, q)[0][rows]
        scores[rows] = np.where(np.isnan(solutions.objective), np.nan, measure)
        # A DMU is done where measure and bound agree.
        center[rows] = np.column_stack([solutions.values[f"phi[{r}]"] for r in range(scaled.s)])
        rows = rows[measure - solutions.objective > CLOSE]
        if not len(rows):
            break
        if task.exact:  # fractions are slow, and the tangents that touch nearest to φ are enough
            touch = _nearest_tangents(touch, center, len(first_tangents))
        # The next tangents touch at this φ, and around the best one among mixtures of its peers,
        # which is that of all where the peers are the right ones.
        best = center.copy()
        for k in rows.tolist():
            best[k] = _best_factors(scaled, k, lam, p[k], q[k], ROUNDED if task.exact else MET)
        around = best[:, :, None] * (1 + NARROWEST * np.linspace(-1.0, 1.0, TANGENTS_PER_ROUND))
        touch = np.concatenate([touch, center[:, :, None], np.maximum(around, 1.0)], axis=2)
    advance(count)
    # Tangents leave open who reaches 1: exact arithmetic decides.
    near = np.flatnonzero(scores >= 1 - NEAR_ONE)
    if len(near):
        exact = find_own_slack(task, candidates, near)
        reaches_one = exact.total <= TOLERANCE
        efficient = near[reaches_one]
        scores[efficient] = 1.0
        lam = replace_rows(efficient, exact.intensities[reaches_one], lam)
        # Multipliers that leave no slack worth less than its share prove the measure, too.
        weights = exact.weights[reaches_one] * scaled.units[: exact.weights.shape[1]]
        multipliers[efficient, : weights.shape[1]] = weights
        if not task.data.inputs.shape[1]:
            multipliers[efficient, -1] = support(scaled, weights, np.zeros((len(weights), 1)))[0]
    return _graph_answer(task, scaled, candidates, scores, lam, multipliers)


def _metric_shares(task: Task | Answer, scaled: ScaledData) -> tuple[np.ndarray, np.ndarray]:
    """Return p (K, m) and q (K, s): 1 over the number of a DMU's metrics above 0, for each of them.

    The input that every DMU has is none.
    """
    p = (scaled.x > 0) * float(task.data.inputs.shape[1] > 0)
    q = (scaled.y > 0) * 1.0
    count = np.maximum(p.sum(axis=1) + q.sum(axis=1), 1.0)[:, None]
    return p / count, q / count


def _best_factors(
    scaled: ScaledData, k: int, lam: Sparse, p: np.ndarray, q: np.ndarray, parallel: float
) -> np.ndarray:
    """Return the φ (s,) of the best mixture of DMU k's peers, by Newton's method.

    λ moves where the constraints that it meets leave it free, each entry in shares of itself;
    constraints that differ by a share of `parallel` are one. This proposes where the next tangents
    touch: the number of rounds depends on it, the answer does not.
    """
    is_peer = lam.values[k] > 0
    intensities = lam.values[k][is_peer]
    peers = lam.columns[k][is_peer]
    # In shares of the DMU's own values: what each peer uses, and what it gives.
    used = scaled.X[peers] * intensities[:, None] / np.where(scaled.x[k] > 0, scaled.x[k], 1.0)
    made = scaled.Y[peers] * intensities[:, None] / np.where(scaled.y[k] > 0, scaled.y[k], 1.0)
    has_share = q > 0
    phi = np.where(has_share, made.sum(axis=0), 1.0)
    if not len(peers) or (phi <= 0).any():
        return np.ones(len(q))
    # What λ meets stays met: inputs and outputs without slack, and the bound of Σ λ.
    meets_input = used.sum(axis=0) >= (scaled.x[k] > 0) * (1 - MET)
    meets_output = has_share & (phi <= 1 + MET)
    met = [*used.T[meets_input], *made.T[meets_output]]
    least_sum, greatest_sum = lambda_sum_bounds(scaled.returns)
    total = intensities.sum()
    if total <= least_sum * (1 + MET) or total >= greatest_sum * (1 - MET):
        met.append(intensities)
    directions = _free_directions(met, len(peers), parallel)
    cost = directions.T @ (used @ p)
    gain = directions.T @ made[:, has_share]
    shares = q[has_share]
    factors = phi[has_share]
    position = np.zeros(directions.shape[1])
    for _ in range(NEWTON_STEPS if len(position) else 0):
        slope = cost - gain @ (shares / factors**2)
        curvature = (gain * (2 * shares / factors**3)) @ gain.T
        move = -np.linalg.lstsq(curvature, slope, rcond=None)[0]
        decrease = -slope @ move
        if not decrease > CLOSE**2:
            break
        # Half steps until λ stays above 0 and the measure falls.
        step = 1.0
        while step > MET:
            changed = factors + step * (move @ gain)
            is_possible = (directions @ (position + step * move)).min() >= -1.0
            if is_possible and changed.min() > 0:
                change = step * (move @ cost) + (shares / changed - shares / factors).sum()
                if change <= -step * decrease / 4:
                    break
            step /= 2
        else:
            break
        position += step * move
        factors = changed
    phi[has_share] = factors
    return np.maximum(phi, 1.0)


def _free_directions(rows: list[np.ndarray], count: int, parallel: float) -> np.ndarray:
    """Return a basis (count, d) of the directions that leave each row's product as it is."""
    if not rows:
        return np.eye(count)
    matrix = np.array(rows)
    size = np.abs(matrix).max(axis=1, keepdims=True)
    _, sizes, basis = np.linalg.svd(matrix / np.where(size > 0, size, 1.0))
    return np.asarray(basis[int((sizes > parallel).sum()) :].T)


def _nearest_tangents(touch: np.ndarray, phi: np.ndarray, first: int) -> np.ndarray:
    """Return the first tangents (K, s, first), and of the others those that touch nearest to φ."""
    others = touch[:, :, first:]
    distance = np.abs(np.log(others / phi[:, :, None]))
    nearest = np.argsort(distance, axis=2, kind="stable")[:, :, : 3 * TANGENTS_PER_ROUND]
    return np.concatenate(
        [touch[:, :, :first], np.take_along_axis(others, nearest, axis=2)], axis=2
    )


def _solve_round(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    p: np.ndarray,
    q: np.ndarray,
    touch: np.ndarray,
    rows: np.ndarray,
) -> Solutions:
    """Solve the programs of some DMUs with their tangents, of slope 1/φ² and level 2/φ."""
    # The tangent to 1/φ at φ₀ is 2/φ₀ − φ/φ₀².
    phi = touch[rows].reshape(len(rows), -1)
    shares = np.column_stack([p[rows], q[rows], 1.0 / phi**2, 2.0 / phi])
    program = _compile_graph(scaled.m, scaled.s, scaled.returns, touch.shape[2])
    return solve_slacks(task, scaled, program, candidates, rows, shares, 1.0)


def _graph_measure(
    scaled: ScaledData, lam: Sparse, p: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the measure that λ reaches, and by how much λ breaks a constraint."""
    inputs = lam.dot(scaled.X)
    outputs = lam.dot(scaled.Y)
    with np.errstate(divide="ignore", invalid="ignore"):
        input_part = (p * np.where(p > 0, inputs / scaled.x, 0.0)).sum(axis=1)
        output_part = (q * np.where(q > 0, scaled.y / outputs, 0.0)).sum(axis=1)
    violation = np.maximum.reduce(
        [
            (inputs - scaled.x).max(axis=1),
            (scaled.y - outputs).max(axis=1),
            lambda_violation(scaled.returns, lam),
        ]
    )
    return input_part + output_part, violation


def _graph_answer(
    task: Task,
    scaled: ScaledData,
    candidates: np.ndarray,
    scores: np.ndarray,
    lam: Sparse,
    multipliers: np.ndarray,
) -> Answer:
    """Return the answer of the last round of every DMU."""
    labels = task.data.labels
    names = metric_names(task.data)
    # Back to the units of the table.
    slacks = slacks_at_peers(task, lam, np.isnan(scores))
    weights = pd.DataFrame((multipliers / scaled.units)[:, : len(names)], labels, names)
    if not task.data.inputs.shape[1]:
        weights["u_0"] = -multipliers[:, -1]
    # Efficient: no metric can improve, neither by its factor nor by a slack.
    largest_slack = (slacks / scaled.units[: len(names)]).max(axis=1, initial=0.0)
    efficient = (scores >= 1 - TOLERANCE) & (largest_slack <= TOLERANCE)
    notes = zero_value_notes(task.data.outputs.join(task.data.inputs), "factors")
    undefined = np.flatnonzero(np.isnan(scores))
    return Answer(
        scores=pd.Series(scores, index=labels, name="efficiency"),
        slacks=pd.DataFrame(slacks, index=labels, columns=names),
        weights=weights,
        intensities=lam,
        efficient=pd.Series(efficient, index=labels, name="efficient"),
        data=replace(task.data, notes=(*task.data.notes, *notes)),
        reference=task.reference,
        options=task.options,
        own_reference=task.own_reference,
        frontier=candidates,
        reasons={labels[k]: OUTSIDE for k in undefined.tolist()},
        infeasibility_certificates=infeasibility.farkas_certificates(
            task, scaled, candidates, undefined
        ),
        path="by HiGHS, in rounds of tangents",
    )


def _prove_graph(answer: Answer) -> Proof:
    """Bound the measure by what λ reaches and by what the multipliers allow."""
    scaled = ScaledData.of(answer)
    p, q = _metric_shares(answer, scaled)
    if not answer.data.inputs.shape[1]:
        # u_0 stands for the input that every DMU has, which no measure counts.
        answer = replace(answer, weights=answer.weights[answer.data.outputs.columns])
    bounded = BoundedAnswer.of(answer, scaled)
    s = scaled.s

    def measure_of_gains(gains: np.ndarray, rows: np.ndarray) -> np.ndarray:
        x = np.where(p[rows] > 0, scaled.x[rows], 1.0)
        y = np.where(q[rows] > 0, scaled.y[rows], 1.0)
        input_part = (p[rows] * (1 - gains[:, s:] / x)).sum(axis=1)
        return np.asarray(input_part + (q[rows] / (1 + gains[:, :s] / y)).sum(axis=1))

    def measure_of_excess(excess: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
        # Lagrange: the least over 0 ≤ θ ≤ 1 and φ ≥ 1, less what any combination is worth.
        weights = weights.astype(float)
        input_part = np.minimum(p[rows], weights[:, s:] * scaled.x[rows]).sum(axis=1)
        output_part = _least_output_part(q[rows], weights[:, :s] * scaled.y[rows]).sum(axis=1)
        return np.asarray(input_part + output_part - excess)

    held = np.ones(bounded.tested.shape, dtype=bool)
    frame, violations = bounded.prove_scores(held, measure_of_gains, measure_of_excess)
    reaches_one = answer.scores.to_numpy() >= 1 - TOLERANCE
    return Proof(
        frame,
        {
            **violations,
            "distance_of_the_slacks_from_their_proof": bounded.slack_errors(),
            "efficient": bounded.wrong_verdicts(reaches_one, bounded.largest_share()),
            "reason": reason_violations(
                answer, {OUTSIDE: infeasibility.proved_infeasible(answer, scaled)}
            ),
        },
    )


def _least_output_part(q: np.ndarray, price: np.ndarray) -> np.ndarray:
    """Return the least of q/φ + worth·(φ - 1) over φ ≥ 1: at φ = √(q / worth), or at 1."""
    phi = np.maximum(np.sqrt(q / np.where(price > 0, price, 1.0)), 1.0)
    return np.asarray(np.where(price > 0, q / phi + price * (phi - 1), 0.0))


@lru_cache(maxsize=64)
def _compile_graph(m: int, s: int, returns: str, tangents: int) -> Template:
    """Compile the graph measure for m inputs, s outputs and some tangents, once."""
    tangent_data = {(r, k): 1.0 for r in range(s) for k in range(tangents)}
    tested: dict[str, dict[Any, float]] = {
        "x_o": dict.fromkeys(range(m), 1.0),
        "y_o": dict.fromkeys(range(s), 1.0),
        "p": dict.fromkeys(range(m), 1.0),
        "q": dict.fromkeys(range(s), 1.0),
        "slope": tangent_data,
        "level": tangent_data,
    }
    return compile_template(
        "russell_graph", {"X": range(m), "Y": range(s)}, tested, returns=returns
    )
