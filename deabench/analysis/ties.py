"""Propose what would tell the efficient classifiers apart where many share the first rank."""

from __future__ import annotations

import numpy as np

from deabench.models import Model
from deabench.models.options import ModelRequest, TableFacts, choices_of
from deabench.results.ranking import Ranking
from deabench.tables.selected_table import SelectedTable
from deabench.utils.frames import column_positions

MAX_EFFICIENT_SHARE = 1 / 3
"""Where more are efficient, the ranking says how to go on."""
LEAST_ROWS = 4
"""Of fewer classifiers a tie is no surprise."""
TELLING_MODELS = ("super", "super-sbm", "cross", "common")
"""Models that tell the efficient apart by themselves."""
SUPER_MODELS = ("super", "super-sbm")
"""Models of super-efficiency, of which the first is proposed that has the returns in force."""
PROPOSALS = 3
"""So many calls are proposed."""


def describe_tie(
    ranking: Ranking, selected: SelectedTable, request: ModelRequest
) -> tuple[str, ...]:
    """Return a note on how many are efficient, with calls that tell them apart, if many.

    The calls keep the question: the columns and the budget, the returns to scale and the
    orientation in force, what happens to gaps. Identical rows are tied under every model.

    The command line prints the calls as commands (`deabench.cli.options.table.with_commands`).
    """
    count = int(ranking.efficient.sum())
    rows = len(ranking.scores)
    is_few = rows < LEAST_ROWS or count <= MAX_EFFICIENT_SHARE * rows
    if is_few or ranking.options.name in TELLING_MODELS or not ranking.own_reference:
        return ()
    finding = f"{count} of {rows} are efficient"
    columns = column_positions(selected.frame.columns, selected.metrics)
    metrics = selected.frame.to_numpy().take(columns, axis=1)
    distinct = len({*map(tuple, metrics[ranking.efficient.to_numpy()].tolist())})
    if distinct == 1:
        return (f"{finding}; they are alike in every metric, and nothing tells them apart",)
    proposals = _propose_calls(ranking, selected, request)[:PROPOSALS]
    if proposals:
        finding += f"; to tell them apart: {', '.join(proposals)}"
    if distinct == count:
        return (finding,)
    repeated_rows = f"{count - distinct} of the {count} efficient"
    return (
        finding,
        f"{repeated_rows} are alike in every metric with another, and nothing tells those apart",
    )


def _propose_calls(ranking: Ranking, selected: SelectedTable, request: ModelRequest) -> list[str]:
    """Propose calls that ask the same question of fewer metrics or rows, or rank more finely."""
    gaps = "" if selected.missing == "refuse" else f", missing='{selected.missing}'"
    model = f", model='{request.model}'" if isinstance(request.model, str) else ""
    own_words = f"{model}{_asked_words(ranking.options, request)}{gaps}"
    # Options of a model beside these words cannot be written as a word.
    has_own_options = bool(request.options) or isinstance(request.model, Model)
    proposals = []
    # What is given has a form in one model only, and no weight.
    if not has_own_options and not selected.given:
        proposals += _propose_fewer_metrics(selected, own_words)
    if "within" not in selected.selected_by and not selected.given:
        columns = _selection_words(selected)
        proposals.append(
            f"deabench.weightings(table{columns}{gaps}) (their ranks over all weightings)"
        )
    if not has_own_options:
        proposals += _propose_budget(ranking, selected, own_words)
    if not selected.given:
        proposals += _propose_super(ranking, selected, request, gaps)
    return proposals


def _asked_words(model: Model, request: ModelRequest) -> str:
    """Return the returns to scale and the orientation that were asked for, as arguments."""
    words = {"returns": request.returns, "orientation": request.orientation}
    return "".join(
        f", {name}='{word}'" for name, word in words.items() if word in choices_of(model, name)
    )


def _selection_words(selected: SelectedTable, **changed: object) -> str:
    """Return the columns and the budget of the call as arguments, some of them changed."""
    arguments = {**selected.selected_by, **changed}
    return "".join(
        f", {name}={_literal(arguments[name])}"
        for name in ("within", "outputs", "inputs")
        if name in arguments
    )


def _literal(value: object) -> str:
    """Return names, or limits by name, as Python writes them."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {limit:.15g}" for name, limit in value.items()) + "}"
    return repr(value)


def _call(selected: SelectedTable, words: str, **changed: object) -> str:
    """Return the call that ranks the same columns within the same budget."""
    columns = _selection_words(selected, **changed)
    verb = "best" if "within" in {**selected.selected_by, **changed} else "rank"
    return f"deabench.{verb}(table{columns}{words})"


def _propose_super(
    ranking: Ranking, selected: SelectedTable, request: ModelRequest, gaps: str
) -> list[str]:
    """Propose super-efficiency under the returns and the orientation in force."""
    facts = table_facts(selected)
    # The last of them has the words of every model.
    for name in SUPER_MODELS:
        model = ModelRequest(name).resolve(facts)
        words = {}
        for option in ("returns", "orientation"):
            word = getattr(ranking.options, option)
            is_asked = getattr(request, option) is not None
            is_default = word == getattr(model, option)
            # Without inputs there is nothing to scale and nothing else to change.
            if is_asked or (facts.has_inputs and not is_default):
                words[option] = word
        if all(word in choices_of(model, option) for option, word in words.items()):
            break
    arguments = "".join(f", {option}='{word}'" for option, word in words.items())
    call = _call(selected, f", model='{name}'{arguments}{gaps}")
    return [f"{call} (each against the others)"]


def table_facts(selected: SelectedTable) -> TableFacts:
    """Return what the defaults of a model depend on, of selected columns."""
    return TableFacts(
        has_inputs=bool(selected.inputs),
        has_outputs=bool(selected.outputs),
        has_known_range=any(np.isfinite(selected.range_of(name)[1]) for name in selected.outputs),
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
        return [f"{_call(selected, words, outputs=[means[0]])} (by their mean)"]
    names = list(selected.outputs)
    if len(names) < 2:
        return []
    # The output that correlates most with the others says the most about them.
    values = selected.frame[names].to_numpy(dtype=float)
    spread = values.std(axis=0)
    standardized = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    correlations = standardized.T @ standardized
    name = names[int(correlations.sum(axis=0).argmax())]
    return [f"{_call(selected, words, outputs=[name])} (by fewer metrics)"]


def _propose_budget(ranking: Ranking, selected: SelectedTable, words: str) -> list[str]:
    """Propose the median of the last cost of the efficient as a budget."""
    # What is given cannot be spent less.
    spent = [name for name in selected.inputs if name not in selected.given]
    if not spent:
        return []
    name = spent[-1]
    # Half of the efficient keep to the median of their costs, and fewer tie there.
    costs = selected.frame[name].to_numpy()[ranking.efficient.to_numpy(dtype=bool)]
    limit = float(f"{np.sort(costs)[(len(costs) - 1) // 2]:.6g}")
    within = {**selected.selected_by.get("within", {}), name: limit}
    return [f"{_call(selected, words, within=within)} (within a budget)"]
