"""Common weights: one weighting for all, the one that comes nearest to each DMU's own best score.

Goal "sum": Σ_j (e_j − w·y_j) is least where Σ_j w·y_j is largest under w·y_j ≤ 1, that is where the
mean of the DMUs has its performance score (6). So its dual, (5) of the mean DMU, finds and proves
the weights.

Goal "largest": no DMU falls further below its own best score than it has to. Two sides prove it:
under the weights no DMU loses more than d, and μ (the DMUs that lose d) with κ (the DMUs that the
weights bring to 1) show that under any weights Σ μ (e − w·z) ≥ Σ e μ − Σ κ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import CertificateError, DataError, SolveError
from deabench.models.shared.radial import solve_both_stages
from deabench.models.shared.radial_model import RadialModel
from deabench.models.shared.radial_problems import WEIProblem
from deabench.models.shared.scaled_data import pareto_efficient, proof_violations
from deabench.models.wei import divide_outputs_by_inputs
from deabench.proofs import structure
from deabench.proofs.radial import radial_frame, slack_errors
from deabench.results.answer import Answer, Task, take_rows
from deabench.results.model import Advance, Monotone, option
from deabench.results.proof import Proof, spread_proof
from deabench.solver.solve_all import solve_each
from deabench.solver.template import Template, compile_template
from deabench.tables.transforms import Data
from deabench.utils.arrays import TOLERANCE, Sparse, scale

UNPROVED_SLACKS = ("that slacks are the largest, and that those not called efficient are not",)
"""What no proof of common weights claims."""


@dataclass(frozen=True, kw_only=True)
class Common(RadialModel):
    """Common weights: one weighting for all, the nearest to each DMU's own best."""

    name = "common"
    solves_rows_alone = False
    title = (
        "scores under one weighting for all, the nearest to each DMU's own best (common weights)"
    )
    equation = "(6) of the mean"
    formulations = ("score", "largest_loss")

    returns: Literal["crs"] = "crs"
    orientation: Literal["output"] = "output"
    goal: Literal["sum", "largest"] = option(
        "sum", "What the weights keep least: the sum of all losses, or the largest loss."
    )

    @property
    def monotone(self) -> Monotone:
        """In what a better value never makes a score worse: all share the weights."""
        return "none"

    def prepare(self, data: Data) -> Data:
        """Return the quotients of outputs and inputs."""
        return divide_outputs_by_inputs(data)

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute own scores, for slacks and peers, and those under the common weights."""
        is_missing = ~task.reference.outputs.any() & task.data.outputs.any()
        if is_missing.any():
            raise DataError(
                f"metric '{is_missing.idxmax()}' is 0 in the whole reference, so that no weight of "
                "it is too large; leave it out of the outputs"
            )
        problem = WEIProblem(task)
        own_answer = solve_both_stages(problem, "wei", advance)
        if self.goal == "sum":
            weights, tables = _mean_weights(task, problem.undominated)
            return _common_answer(task, own_answer, weights, tables)
        try:
            answer = _common_answer(task, own_answer, *_minimax_weights(task, own_answer))
        except SolveError:  # as of values that are too far apart for HiGHS
            violations = np.array([np.inf])
        else:
            # The own scores, which the goal does not change, are proved already.
            frame = _minimax_frame(answer, own_answer.scores, answer.scores)
            violations = np.array(list(proof_violations(frame).values()))
        if np.nanmax(violations, initial=0.0) <= TOLERANCE:
            return answer
        # What floating point does not prove is solved in rational arithmetic.
        exact_task = replace(task, exact=True)
        return _common_answer(task, own_answer, *_minimax_weights(exact_task, own_answer))

    def prove(self, answer: Answer) -> Proof:
        """Prove that no weights do better for the goal, and recompute the scores."""
        is_scored = answer.scores.notna().to_numpy()
        # DMUs without any output have no part in the weights.
        if not is_scored.all():
            proof = self.prove(take_rows(answer, np.flatnonzero(is_scored)))
            return spread_proof(proof, answer.scores.index)
        return _prove_minimax(answer) if self.goal == "largest" else _prove_mean(answer)

    def meaning(self, score: float) -> str:
        """Say what the score means."""
        return f"under one weighting for all it reaches {100 * score:.1f} % of the best"


def _common_answer(
    task: Task, own_answer: Answer, common: np.ndarray, tables: dict[str, pd.DataFrame]
) -> Answer:
    """Return own efficiencies with the scores under common weights (s,)."""
    values = np.tile(common, (len(own_answer.scores), 1))
    columns = task.data.outputs.columns
    weights = pd.DataFrame(values, own_answer.scores.index, columns, copy=False)
    scores = _scores_under(task.data, weights)
    # What each loses against its own best weights; a metric of weight 0 does not count at all.
    own_scores = own_answer.scores.to_numpy()
    losses = pd.DataFrame(
        np.column_stack([own_scores, scores, own_scores - scores.to_numpy()]),
        scores.index,
        ["own", "common", "lost"],
    )
    left_out = [f"'{name}'" for name, weight in zip(weights, common, strict=True) if weight == 0]
    notes = own_answer.data.notes
    if left_out:
        notes = (*notes, f"the common weights leave out {', '.join(left_out)}")
    goal = "for the largest loss" if task.options.goal == "largest" else "for the mean"
    return replace(
        own_answer,
        scores=scores,
        weights=weights,
        options=task.options,
        slack_weights=None,
        data=replace(own_answer.data, notes=notes),
        path=f"{own_answer.path}, and once {goal}",
        tables={"common": losses, **tables},
    )


def _mean_dmu(data: Data) -> Data:
    """Return the mean of all DMUs as one DMU."""
    means = data.outputs.to_numpy().mean(axis=0)
    outputs = pd.DataFrame(means[None], ["the mean"], data.outputs.columns)
    return Data(outputs, outputs.iloc[:, :0])


def _scores_under(data: Data, weights: pd.DataFrame) -> pd.Series:
    """Return the weighted sums of the outputs."""
    sums = (data.outputs.to_numpy() * weights.to_numpy()).sum(axis=1)
    return pd.Series(sums, data.labels, name="efficiency")


def _mean_weights(
    task: Task, undominated: np.ndarray
) -> tuple[np.ndarray, dict[str, pd.DataFrame]]:
    """Return the best weights of the mean DMU (s,), and its peers, which prove them."""
    mean_task = replace(task, data=_mean_dmu(task.data), own_reference=False)
    mean = solve_both_stages(WEIProblem(mean_task, undominated), "wei", lambda _: None)
    lam = mean.intensities
    positions = lam.columns[0][lam.values[0] > 0]
    peers = pd.DataFrame(
        lam.values[:, lam.values[0] > 0], mean.scores.index, task.reference.labels[positions]
    )
    return _share_among_alike(task, mean.weights.to_numpy()[0]), {"mean": peers}


def _share_among_alike(task: Task, weights: np.ndarray) -> np.ndarray:
    """Return weights (s,) that give metrics that could change places their mean weight.

    Where the rows stay the same, in another order, when two metrics change places, the weights may
    change places, too, and are as good. So is the mean of both, which no order of the columns
    chooses.
    """
    unit = scale(task.reference.outputs.to_numpy())
    tables = [task.reference.outputs.to_numpy() / unit]
    if task.data is not task.reference:
        tables.append(task.data.outputs.to_numpy() / unit)
    scaled = weights * unit
    # The first metric that each one could change places with.
    classes = [
        next(k for k in range(r + 1) if k == r or _are_exchangeable(tables, k, r))
        for r in range(len(scaled))
    ]
    counts = np.bincount(classes, minlength=len(scaled))
    shares = np.bincount(classes, scaled, len(scaled)) / np.maximum(counts, 1)
    return np.asarray(shares[classes] / unit)


def _are_exchangeable(tables: Sequence[np.ndarray], first: int, second: int) -> bool:
    """Return whether two columns can change places in tables whose rows have no order."""
    for values in tables:
        if not np.array_equal(np.sort(values[:, first]), np.sort(values[:, second])):
            return False
        exchanged = values.copy()
        exchanged[:, [first, second]] = values[:, [second, first]]
        rows = values[np.lexsort(values.T)]
        if not np.array_equal(rows, exchanged[np.lexsort(exchanged.T)]):
            return False
    return True


def _prove_mean(answer: Answer) -> Proof:
    """Prove that no DMU exceeds 1 under the weights, and that the mean cannot do better."""
    mean_data = _mean_dmu(answer.data)
    scores = _scores_under(answer.data, answer.weights)
    peers = structure.require_table(answer, "mean", rows=mean_data.labels)
    losses = structure.require_table(
        answer, "common", rows=scores.index, columns=["own", "common", "lost"]
    )
    is_known = peers.columns.isin(answer.reference.labels).all()
    if not is_known or peers.columns.has_duplicates or not peers.shape[1]:
        raise CertificateError(
            "the table 'mean' names a DMU that is not in the reference; compute the result again"
        )

    # The mean DMU's efficiency is proved from both sides, as any radial one.
    positions = answer.reference.labels.get_indexer(peers.columns)
    mean = replace(
        answer,
        scores=pd.Series([scores.mean()], index=mean_data.labels),
        data=mean_data,
        weights=answer.weights.iloc[[0]].set_axis(mean_data.labels),
        slacks=0 * answer.slacks.iloc[[0]].set_axis(mean_data.labels),
        own_reference=False,
        intensities=Sparse(positions[None], peers.to_numpy()),
    )
    mean_frame = radial_frame(mean)
    frame = mean_frame.loc[mean_frame.index.repeat(len(scores))].set_axis(scores.index)

    own_answer = replace(answer, scores=losses["own"].rename("efficiency"))
    return Proof(
        frame,
        {
            **proof_violations(frame),
            "distance_of_the_score_from_its_proof": np.abs(answer.scores - scores).to_numpy(),
            "weights_that_are_not_common": _weight_differences(answer),
            **_own_violations(own_answer, losses, scores),
        },
        (
            "that these weights are the only ones with this sum",
            "the own efficiencies beside them, and so who is efficient",
            *UNPROVED_SLACKS,
        ),
    )


def _weight_differences(answer: Answer) -> np.ndarray:
    """Return by what share of the largest each DMU's weights are not those of the first, (K,).

    In metrics scaled to about 1: a tiny weight of a metric in large units counts as any other.
    """
    weights = answer.weights.to_numpy() * scale(answer.reference.outputs.to_numpy())
    return np.asarray(np.abs(weights - weights[0]).max(axis=1) / max(weights.max(), 1e-300))


def _own_violations(
    own_answer: Answer, losses: pd.DataFrame, scores: pd.Series
) -> dict[str, np.ndarray]:
    """Return by what the table of losses, slacks and `efficient` miss the own efficiencies."""
    own_scores, common_scores, lost = losses.to_numpy().T
    common_errors = np.abs(common_scores - scores.to_numpy())
    lost_errors = np.abs(lost - (own_scores - scores.to_numpy()))
    at_least_efficient = pareto_efficient(
        own_answer.scores, own_answer.slacks, own_answer.data, own_answer.orientation
    )
    return {
        "distance_of_the_slacks_from_their_proof": slack_errors(own_answer),
        "distance_of_the_table_from_the_scores": np.maximum(common_errors, lost_errors),
        "efficient": (own_answer.efficient & ~at_least_efficient).to_numpy().astype(float),
    }


def _minimax_weights(task: Task, own_answer: Answer) -> tuple[np.ndarray, dict[str, pd.DataFrame]]:
    """Return the weights (s,) with the least largest loss, and what proves them.

    The tables are `own_weights`, `losers` (μ) and `best` (κ), the last two with one row.
    """
    Y = task.reference.outputs.to_numpy()
    Z = task.data.outputs.to_numpy()
    own_scores = own_answer.scores.to_numpy()
    # Scaled by powers of two, as in every program.
    unit = scale(Y)
    # The program has a row of the reference, a tested DMU and its score side by side. The shorter
    # of the two repeats its last row; DMUs without a score lose nothing and have no row.
    scored = np.flatnonzero(~np.isnan(own_scores))
    height = max(len(Y), len(scored))
    reference_rows = np.minimum(np.arange(height), len(Y) - 1)
    rows = scored[np.minimum(np.arange(height), len(scored) - 1)]
    solutions = solve_each(
        _compile_largest_loss(Y.shape[1]),
        np.column_stack([Y[reference_rows] / unit, Z[rows] / unit, own_scores[rows]]),
        np.zeros((1, 0)),
        exact=task.exact,
        name=lambda _: "the common weights",
    )
    # The weights are the row duals of the metrics.
    duals = [-solutions.duals[f"metrics[{r}]"][0] for r in range(Y.shape[1])]
    weights = _share_among_alike(task, np.maximum(duals, 0.0) / unit)
    mu = np.maximum(solutions.shared["mu"].dot(np.eye(len(Z))[rows]), 0.0)
    kappa = np.maximum(solutions.shared["kappa"].dot(np.eye(len(Y))[reference_rows]), 0.0)
    return weights, {
        "own_weights": own_answer.weights,
        "losers": pd.DataFrame(mu, ["losers"], task.data.labels),
        "best": pd.DataFrame(kappa, ["best"], task.reference.labels),
    }


def _prove_minimax(answer: Answer) -> Proof:
    """Prove own scores, the largest loss under the weights, and that none has a smaller one."""
    labels = answer.scores.index
    losses = structure.require_table(
        answer, "common", rows=labels, columns=["own", "common", "lost"]
    )
    own_weights = structure.require_table(
        answer, "own_weights", rows=labels, columns=answer.weights.columns
    )
    own_scores = losses["own"]
    own_answer = replace(answer, scores=own_scores.rename("efficiency"))
    own_frame = radial_frame(replace(own_answer, weights=own_weights))
    scores = _scores_under(answer.data, answer.weights)
    frame = _minimax_frame(answer, own_scores, scores)
    # Beside another reference scores may be far above 1: they are proved in shares of themselves.
    sizes = np.maximum(own_scores.to_numpy(), 1.0)
    own_violations = {
        f"{name}_of_the_own_scores": values / sizes
        for name, values in proof_violations(own_frame).items()
    }
    return Proof(
        frame,
        {
            **proof_violations(frame),
            **own_violations,
            "distance_of_the_own_score_from_its_proof": np.abs(
                own_frame["primal"] - own_scores
            ).to_numpy()
            / sizes,
            "distance_of_the_score_from_its_proof": np.abs(answer.scores - scores).to_numpy(),
            "weights_that_are_not_common": _weight_differences(answer),
            **_own_violations(own_answer, losses, scores),
        },
        ("that these weights are the only ones with this largest loss", *UNPROVED_SLACKS),
    )


def _minimax_frame(answer: Answer, own_scores: pd.Series, scores: pd.Series) -> pd.DataFrame:
    """Return the largest loss, its bound by `losers` and `best`, and what each misses, per DMU.

    Parameters
    ----------
    own_scores, scores : Series (n,)
        Under each DMU's best weights, and under the common ones.
    """
    labels = answer.scores.index
    losers = structure.require_table(answer, "losers", columns=labels)
    best = structure.require_table(answer, "best", columns=answer.reference.labels)
    Y = answer.reference.outputs.to_numpy()
    Z = answer.data.outputs.to_numpy()
    weights = answer.weights.to_numpy()
    mu = losers.to_numpy()[0]
    kappa = best.to_numpy()[0]
    unit = scale(Y)

    # The loss under these weights, and the bound that μ and κ give to any weights.
    loss = float(np.nanmax(own_scores - scores))
    bound = float(np.nansum(own_scores * mu) - kappa.sum())
    # A loss is a difference of scores, which may be far above 1.
    size = max(1.0, np.nanmax(own_scores))
    # μ·Z ≤ κ·Y, Σ μ = 1, and neither is negative. What Z has too much of is worth that much loss.
    dual_infeasibility = max(
        float(((mu @ Z - kappa @ Y) / unit).max()) / size,
        abs(mu.sum() - 1.0),
        -mu.min(),
        -kappa.min(),
        0.0,
    )
    # No reference DMU exceeds 1, and no weight is negative.
    primal_infeasibility = max(
        float((Y @ weights[0]).max()) - 1.0, float(-(weights * unit).min()), 0.0
    )
    return pd.DataFrame(
        {
            "primal": loss,
            "dual": bound,
            "gap": abs(loss - bound) / size,
            "primal_infeasibility": primal_infeasibility,
            "dual_infeasibility": dual_infeasibility,
        },
        index=labels,
    )


@lru_cache(maxsize=64)
def _compile_largest_loss(s: int) -> Template:
    """Compile the program of the largest loss for s outputs, once."""
    return compile_template("largest_loss", {"Y": range(s), "Z": range(s), "e": range(1)}, {})
