"""The tools of two classes for each of several: one class against the rest, in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pandas as pd

from deabench.errors import DataError
from deabench.metrics.labels import against_rest
from deabench.utils.instances import Values, count_classes, read_true_labels

R = TypeVar("R")


def per_class(
    tool: Callable[..., R], y_true: Values, scores: pd.DataFrame, **options: Any
) -> dict[object, R]:
    """A curve, segment or cost tool for each class against the rest.

    Parameters
    ----------
    tool : function of (y_true, score)
        `roc`, `balanced_segment` (with Tango's intervals), `gain`, `lift`, `precision_recall`,
        `cost_curve` ...
    y_true : labels, one per instance
    scores : DataFrame, instances x classes
        A column per class, named as in `y_true`.
    **options
        Handed to the tool.

    Returns
    -------
    {class: the tool's result}

    Raises
    ------
    DataError
        Where a class has no column; and as the tool does.

    Examples
    --------
    >>> from deabench.curves import roc
    >>> scores = pd.DataFrame({"a": [0.8, 0.1, 0.3], "b": [0.1, 0.7, 0.3], "c": [0.1, 0.2, 0.4]})
    >>> [curve.auc for curve in per_class(roc, ["a", "b", "c"], scores).values()]
    [1.0, 1.0, 1.0]
    """
    classes, _ = count_classes(read_true_labels(y_true))
    for label in classes:
        if label not in scores.columns:
            raise DataError(
                f"the scores have no column {label!r}; give a DataFrame with a column per class"
            )
    return {label: tool(against_rest(y_true, label), scores[label], **options) for label in classes}
