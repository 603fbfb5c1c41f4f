"""Layers: the frontier of a table, that of the rest, and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.quiet import quietly
from deabench.analysis.ranking import rank
from deabench.analysis.stability import between_layers
from deabench.errors import DataError
from deabench.models import ModelName
from deabench.report.text.words import join_names
from deabench.tables.selection import Missing, refuse_bounds, select_table
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Layers(Result):
    """Layers of efficient DMUs.

    Attributes
    ----------
    frame : DataFrame
        `layer` of each DMU, 1 the frontier, 2 the frontier of the rest, and so on; `progress`: its
        efficiency against the next better layer alone (NaN on the first); `attractiveness`: that
        against the next worse one (NaN on the last, and where that does not reach it). Without
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

    frame: pd.DataFrame
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """How many layers there are, and who is in each."""
        groups = self.frame.groupby("layer").groups
        return f"{len(groups)} layers. " + " ".join(
            f"{layer}: {join_names(who)}." for layer, who in list(groups.items())[:4]
        )


def layers(
    table: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
    missing: Missing = "refuse",
) -> Layers:
    """The frontier, that of the rest without it, and so on (Seiford, Zhu 2003): a coarse order that
    needs no weights.

    Parameters
    ----------
    table, outputs, inputs, lower_is_better, model, missing
        As for `deabench.rank`; with model "fdh" a layer is what nobody in the rest dominates.

    Returns
    -------
    Layers

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.layers(wine, outputs=["TPR", "TNR"]).frame["layer"].to_dict()
    {'RUS+SVM': 1, 'CS-MCQP': 1, 'Bagging': 1, 'AdaBoostM1': 2, 'OSS+SVM': 3, 'RBF': 4}
    """
    ready = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        lower_is_better=lower_is_better,
        missing=refuse_bounds(missing),
    )
    options: dict[str, Any] = {**ready.given, "model": model}
    rest = ready.table
    first = ranking = rank(rest, **options)
    found, layer, notes = (
        pd.Series(0, index=rest.index, name="layer"),
        1,
        (*ready.notes, *ranking.notes),
    )
    while True:
        found[ranking.scores.index[ranking.efficient]] = layer
        rest = rest.loc[found[rest.index] == 0]
        if not len(rest):
            break
        if not ranking.efficient.any():
            raise DataError(
                f"nobody of layer {layer} is efficient under model '{ranking.record.name}'; use another model"
            )
        ranking, layer = quietly(rest, **options), layer + 1
    frame = found.to_frame()
    frame["progress"], frame["attractiveness"] = (
        _against(ready.table, found, -1, options),
        _against(ready.table, found, 1, options),
    )
    if first.record.name in ("wei", "score") and set(first.data.outputs) <= set(
        ready.table.columns
    ):  # not quotients
        frame["stability"] = between_layers(first.data.outputs.to_numpy())
    frame = frame.sort_values("layer", kind="stable")
    frame.index.name = "classifier"
    return Layers(frame, notes)


def _against(
    table: pd.DataFrame, layer: pd.Series, step: int, options: Mapping[str, Any]
) -> pd.Series:
    """Scores of each layer's DMUs against the layer one step worse, or better, alone."""
    scores = pd.Series(np.nan, index=table.index)
    for number in sorted(set(layer)):
        own, other = layer.index[layer == number], layer.index[layer == number + step]
        try:
            scores[own] = (
                quietly(table.loc[own], reference=table.loc[other], **options).scores
                if len(other)
                else np.nan
            )
        except DataError:  # a model that takes no reference
            return scores
    return scores
