"""Common weights with the least largest loss: nobody falls further below its own best score than
has to be.

Two sides prove it: the weights lose nobody more than d, and μ (who loses it) with κ (whom the
weights bring to 1) show that under any weights Σ μ (e − w·z) ≥ Σ e μ − Σ κ."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.proofs.radial import radial_frame
from deabench.results.answer import Answer, Task
from deabench.results.proof import Proof
from deabench.solver.solve_all import solve_each
from deabench.solver.template import Template, compile_template
from deabench.utils.arrays import scale


def weights(task: Task, own: Answer) -> tuple[np.ndarray, dict[str, pd.DataFrame]]:
    """The weights (s,), and what proves them: `own_weights`, `losers` (μ) and `best` (κ), a row
    each.
    """
    Y, Z, e = task.reference.outputs.to_numpy(), task.data.outputs.to_numpy(), own.scores.to_numpy()
    unit, n = scale(Y), max(len(Y), len(Z))
    rows = [
        np.pad(part, ((0, n - len(part)), (0, 0)))
        for part in (Y / unit, Z / unit, np.nan_to_num(e)[:, None])
    ]
    solved = solve_each(
        _form(Y.shape[1]),
        np.column_stack(rows),
        np.zeros((1, 0)),
        name=lambda _: "the common weights",
    )
    w = np.maximum([-solved.duals[f"metrics[{r}]"][0] for r in range(Y.shape[1])], 0.0) / unit
    mu, kappa = (np.maximum(solved.shared[key].dot(np.eye(n)), 0.0) for key in ("mu", "kappa"))
    return w, {
        "own_weights": own.weights,
        "losers": pd.DataFrame(mu[:, : len(Z)], ["losers"], task.data.labels),
        "best": pd.DataFrame(kappa[:, : len(Y)], ["best"], task.reference.labels),
    }


def prove(answer: Answer, again: pd.Series) -> Proof:
    """The own scores, the largest loss under the weights, and that it cannot be less under any."""
    own, tables = answer.tables["common"]["own"], answer.tables
    first = radial_frame(replace(answer, scores=own, weights=tables["own_weights"]))
    Y, Z, w = (
        answer.reference.outputs.to_numpy(),
        answer.data.outputs.to_numpy(),
        answer.weights.to_numpy(),
    )
    mu, kappa, unit = tables["losers"].to_numpy()[0], tables["best"].to_numpy()[0], scale(Y)
    loss = float(np.nanmax(own - again))
    dual = float(np.nansum(own * mu) - kappa.sum())
    short = max(
        float(((mu @ Z - kappa @ Y) / unit).max()),
        abs(mu.sum() - 1.0),
        -mu.min(),
        -kappa.min(),
        0.0,
    )
    over = max(float((Y @ w[0]).max()) - 1.0, float(-(w * unit).min()), 0.0)
    frame = pd.DataFrame(
        {
            "primal": loss,
            "dual": dual,
            "gap": abs(loss - dual),
            "primal_infeasibility": over,
            "dual_infeasibility": short,
        },
        index=answer.scores.index,
    )
    return Proof(
        frame,
        {
            **{
                name: frame[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            **{
                f"{name}_of_the_own_scores": first[name].to_numpy()
                for name in ("gap", "primal_infeasibility", "dual_infeasibility")
            },
            "distance_of_the_own_score_from_its_proof": np.abs(first["primal"] - own).to_numpy(),
            "distance_of_the_score_from_its_proof": np.abs(answer.scores - again).to_numpy(),
            "weights_that_are_not_common": np.abs(w - w[0]).max(axis=1) / max(w.max(), 1e-300),
        },
        ("that these weights are the only ones with this largest loss",),
    )


@lru_cache(maxsize=64)
def _form(s: int) -> Template:
    import deabench_models

    return compile_template(
        deabench_models.largest_loss, {"Y": range(s), "Z": range(s), "e": range(1)}, {}
    )
