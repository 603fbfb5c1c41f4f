"""Propose what would tell the efficient classifiers apart where many share the first rank."""

from __future__ import annotations

import numpy as np

from deabench.models import Model
from deabench.models.options import ModelRequest, TableFacts, choices_of
from deabench.results.ranking import Ranking
from deabench.tables.selected_table import SelectedTable

MAX_EFFICIENT_SHARE = 1 / 3
"""Where more are efficient, the ranking says how to go on."""
LEAST_ROWS = 4
"""Of fewer classifiers a tie is no surprise."""
SUPER_MODELS = ("super", "super-sbm", "cross", "common")
"""Models that tell the efficient apart by themselves."""
PROPOSALS = 3
"""So many calls are proposed."""


def describe_tie(
    ranking: Ranking, selected: SelectedTable, request: ModelRequest
) -> tuple[str, ...]:
    """Return a note on how many are efficient, with three calls that tell them apart, if many.

    The calls keep what was asked for: the returns to scale, the orientation, what happens to gaps.

    The command line prints the calls as commands (`deabench.cli.options.table.with_commands`).
    """
    count = int(ranking.efficient.sum())
    rows = len(ranking.scores)
    is_few = rows < LEAST_ROWS or count <= MAX_EFFICIENT_SHARE * rows
    if is_few or ranking.options.name in SUPER_MODELS or not ranking.own_reference:
        return ()
    gaps = "" if selected.missing == "refuse" else f", missing='{selected.missing}'"
    model = f", model='{request.model}'" if isinstance(request.model, str) else ""
    own_words = f"{model}{_model_words(ranking.options, request)}"
    super_words = _model_words(ModelRequest("super").resolve(TableFacts()), request)
    proposals = [
        *_propose_fewer_metrics(selected, f"{own_words}{gaps}"),
        f"deabench.weightings(table{gaps}) (their ranks over all weightings)",
        *_propose_budget(ranking, selected, f"{model}{gaps}"),
        f"deabench.rank(table, model='super'{super_words}{gaps}) (each against the others)",
    ]
    calls = ", ".join(proposals[:PROPOSALS])
    return (f"{count} of {rows} are efficient; to tell them apart: {calls}",)


def _model_words(model: Model, request: ModelRequest) -> str:
    """Return the returns to scale and the orientation that were asked for, as arguments."""
    words = {"returns": request.returns, "orientation": request.orientation}
    return "".join(
        f", {name}='{word}'" for name, word in words.items() if word in choices_of(model, name)
    )


def _propose_fewer_metrics(selected: SelectedTable, words: str) -> list[str]:
    """Propose the column that is the mean of the outputs, else the output that stands for most.

    With costs nothing is proposed: the call would rank without them.

    Parameters
    ----------
    words : str
        Further arguments of the call.
    """
    if len(selected.inputs):
        return []
    means = [column.name for column in selected.table.columns if column.kind == "mean"]
    if means:
        return [f"deabench.rank(table, outputs=[{means[0]!r}]{words}) (by their mean)"]
    names = list(selected.outputs)
    if len(names) < 2:
        return []
    # The output that correlates most with the others says the most about them.
    values = selected.frame[names].to_numpy(dtype=float)
    spread = values.std(axis=0)
    standardized = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    correlations = standardized.T @ standardized
    name = names[int(correlations.sum(axis=0).argmax())]
    return [f"deabench.rank(table, outputs=[{name!r}]{words}) (by fewer metrics)"]


def _propose_budget(ranking: Ranking, selected: SelectedTable, words: str) -> list[str]:
    """Propose the median of the last cost of the efficient as a budget."""
    # What is given cannot be spent less.
    spent = [name for name in selected.inputs if name not in selected.given]
    if not spent:
        return []
    name = spent[-1]
    # Half of the efficient keep to the median of their costs, and fewer tie there.
    costs = selected.frame[name].to_numpy()[ranking.efficient.to_numpy(dtype=bool)]
    limit = float(np.sort(costs)[(len(costs) - 1) // 2])
    return [f"deabench.best(table, within={{{name!r}: {limit:.6g}}}{words}) (within a budget)"]
