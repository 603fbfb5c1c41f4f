"""Propose what would tell the efficient classifiers apart where many share the first rank."""

from __future__ import annotations

import numpy as np

from deabench.results.ranking import Ranking
from deabench.tables.selected_table import SelectedTable

MAX_EFFICIENT_SHARE = 1 / 3
"""Where more are efficient, the ranking says how to go on."""
LEAST_ROWS = 4
"""Of fewer classifiers a tie is no surprise."""
SUPER_MODELS = ("super", "super-sbm", "cross", "common")
"""Models that tell the efficient apart by themselves."""


def describe_tie(ranking: Ranking, selected: SelectedTable) -> tuple[str, ...]:
    """Return a note on how many are efficient, with ways to tell them apart, if they are many."""
    count = int(ranking.efficient.sum())
    rows = len(ranking.scores)
    is_few = rows < LEAST_ROWS or count <= MAX_EFFICIENT_SHARE * rows
    if is_few or ranking.options.name in SUPER_MODELS or not ranking.own_reference:
        return ()
    ways = [
        *_propose_fewer_metrics(selected),
        *_propose_budget(ranking, selected),
        *_propose_ratio(selected),
        "each against the others with model='super'",
    ]
    return (f"{count} of {rows} are efficient; to tell them apart, rank {', or '.join(ways)}",)


def _propose_fewer_metrics(selected: SelectedTable) -> list[str]:
    """Propose the column that is the mean of the outputs, else the output that stands for most."""
    means = [
        name
        for name, reason in selected.table.left_out.items()
        if reason.startswith("it is the mean of")
    ]
    if means:
        return [f"by their mean, outputs=['{means[0]}']"]
    names = list(selected.outputs)
    if len(names) < 2:
        return []
    # The output that correlates most with the others says the most about them.
    values = selected.frame[names].to_numpy(dtype=float)
    spread = values.std(axis=0)
    standardized = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    correlations = standardized.T @ standardized
    return [f"by fewer metrics, as outputs=['{names[int(correlations.sum(axis=0).argmax())]}']"]


def _propose_budget(ranking: Ranking, selected: SelectedTable) -> list[str]:
    """Propose the median of the first cost of the efficient as a budget."""
    if not selected.inputs:
        return []
    name = selected.inputs[-1]
    costs = selected.frame.loc[ranking.efficient.to_numpy(dtype=bool), name]
    limit = float(np.sort(costs.to_numpy())[(len(costs) - 1) // 2])
    return [f"within a budget, within={{'{name}': {limit:.6g}}} of deabench.best"]


def _propose_ratio(selected: SelectedTable) -> list[str]:
    """Propose bounds for the ratio of two weights, where there are no costs."""
    if selected.inputs or len(selected.outputs) < 2:
        return []
    first, second = selected.outputs[:2]
    return [
        "with bounds for a ratio of weights, "
        f"model=deabench.models.WEI(ratios={{('{first}', '{second}'): (0.5, 2)}})"
    ]
