"""Peel a table into layers: its frontier, the frontier of the other classifiers, and so on."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_completely
from deabench.analysis.stability import radius_between_layers
from deabench.errors import DataError, DataWarning
from deabench.models import ModelName
from deabench.tables.selected_table import Missing, SelectedTable, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Layers(Result):
    """Layers of efficient DMUs.

    Attributes
    ----------
    frame : DataFrame
        `layer` of each DMU, 1 the frontier, 2 the frontier without layer 1, and so on; `progress`:
        its efficiency against the next better layer alone (NaN on the first); `attractiveness`:
        that against the next worse one (NaN on the last, and where that does not reach it). Without
        inputs also `stability`: the share by which its metrics may be off to one side, and all
        others' to the other, until it is in another layer.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.layers(wine, outputs=["TPR", "TNR"])
    >>> int(answer.frame["layer"].max())
    4
    """

    _frame = "frame"
    _text = "contexts"

    frame: pd.DataFrame
    notes: tuple[str, ...]


def layers(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelName | None = None,
    missing: Missing = "refuse",
) -> Layers:
    """Sort classifiers into layers of frontiers: a coarse order that needs no weights.

    Parameters
    ----------
    table, outputs, inputs, model, missing
        As for `deabench.rank`; with model "fdh" a layer is the classifiers that no other one of the
        same or a later layer dominates.

    Returns
    -------
    Layers

    References
    ----------
    Seiford, Zhu (2003), Context-dependent data envelopment analysis, Omega 31:397-408.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.layers(wine, outputs=["TPR", "TNR"]).frame["layer"].to_dict()
    {'RUS+SVM': 1, 'CS-MCQP': 1, 'Bagging': 1, 'AdaBoostM1': 2, 'OSS+SVM': 3, 'RBF': 4}
    """
    selected = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        missing=refuse_bounds(missing),
    )
    options: dict[str, Any] = {"model": model}
    # The first ranking is of the whole table; the next are of what the layers before leave.
    first = rank_completely(selected.as_table(), **options)
    ranking = first
    layer = pd.Series(0, index=selected.frame.index, name="layer")
    number = 1
    # The parts of a table repeat the warnings of the whole.
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        while True:
            # The efficient DMUs of what is left are the next layer.
            layer[ranking.scores.index[ranking.efficient]] = number
            remaining = selected.frame.loc[layer == 0]
            if not len(remaining):
                break
            if not ranking.efficient.any():
                raise DataError(
                    f"no system of layer {number} is efficient under model "
                    f"'{ranking.options.name}'; use another model"
                )
            ranking = rank_completely(selected.as_table(remaining), **options)
            number += 1
        frame = layer.to_frame()
        frame["progress"] = _scores_against_layer(selected, layer, -1, options)
        frame["attractiveness"] = _scores_against_layer(selected, layer, 1, options)
    # The radius is known for model (5) on the metrics themselves, not on quotients of them.
    if first.options.name in ("wei", "score") and set(first.data.outputs) <= set(selected.frame):
        frame["stability"] = radius_between_layers(first.data.outputs.to_numpy())
    frame = frame.sort_values("layer", kind="stable")
    frame = with_classifier_index(frame)
    return Layers(frame, (*selected.notes, *first.notes))


def _scores_against_layer(
    selected: SelectedTable, layer: pd.Series, step: int, options: Mapping[str, Any]
) -> pd.Series:
    """Return the scores of each layer's DMUs against the layer `step` further on alone."""
    scores = pd.Series(np.nan, index=selected.frame.index)
    for number in sorted(set(layer)):
        tested = selected.frame.loc[layer.index[layer == number]]
        # The first layer has no better one, the last no worse one.
        reference = selected.frame.loc[layer.index[layer == number + step]]
        if not len(reference):
            continue
        try:
            ranking = rank_completely(
                selected.as_table(tested), reference=selected.as_table(reference), **options
            )
            scores[tested.index] = ranking.scores
        except DataError:  # the model takes no reference
            return scores
    return scores
