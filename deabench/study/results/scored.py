"""Metrics of the kept test rows: of scores, and metrics of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.metric import check_probabilities
from deabench.utils.files import one_line

PAIR = ["dataset", "classifier"]
Rows = Mapping[str, Mapping[str, np.ndarray]]


def scored_metrics(counts: pd.DataFrame, metrics: Mapping[str, Any], rows: Rows) -> pd.DataFrame:
    """Each metric of each data set and classifier, a mean over its folds; NaN where no fold defines
    it.

    Parameters
    ----------
    counts : DataFrame
        dataset, classifier, key of each task, `source`.
    metrics : mapping of name to name or metric
        roc_auc, pr_auc, KS, or a metric of the user's own.
    rows : mapping of key to arrays
        row, y_true, y_pred, score.

    Returns
    -------
    DataFrame
        Index (dataset, classifier); `attrs["notes"]` tells of folds without a value.
    """
    parts, notes = [], []
    for (dataset, classifier), one in counts.groupby(PAIR, sort=False):
        kept = [rows[key] for key in one["key"] if key in rows]
        found: dict[str, Any] = {"dataset": dataset, "classifier": classifier}
        for name, metric in metrics.items():
            values = [_value(name, metric, fold, str(classifier)) for fold in kept]
            defined = [value for value in values if np.isfinite(value)]
            found[name] = float(np.mean(defined)) if defined else float("nan")
            if len(defined) < len(one):
                notes.append(
                    f"{name} of '{classifier}' on '{dataset}' is defined in {len(defined)} of {len(one)} folds"
                )
        parts.append(found)
    table = pd.DataFrame(parts, columns=[*PAIR, *metrics]).set_index(PAIR)
    table.attrs["notes"] = tuple(notes)
    return table


def _value(name: str, metric: Any, fold: Mapping[str, np.ndarray], who: str) -> float:
    """A metric on one fold; NaN where a class is missing or the classifier gave no scores."""
    y, score = np.asarray(fold["y_true"], dtype=int), np.asarray(fold["score"])
    if isinstance(metric, str):
        return (
            SCORED[metric](y, score)
            if len(np.unique(y)) == 2 and np.isfinite(score).all()
            else float("nan")
        )
    needs = getattr(metric, "needs", "labels")
    values = np.asarray(fold["y_pred"], dtype=int) if needs == "labels" else score
    if not np.isfinite(values).all():
        return float("nan")
    if needs == "probabilities":
        check_probabilities(values, who, name)
    try:
        if hasattr(metric, "value"):
            return float(metric.value(y == 1 if y.max(initial=0) < 2 else y, values))
        return float(metric(y, values))
    except Exception as error:  # the user's own function may raise anything
        raise DataError(f"metric '{name}' cannot be computed: {one_line(error)}") from None


def _roc_auc(y: np.ndarray, score: np.ndarray) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(y, score))


def _pr_auc(y: np.ndarray, score: np.ndarray) -> float:
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(y, score))


def _ks(y: np.ndarray, score: np.ndarray) -> float:
    from scipy.stats import ks_2samp

    return float(ks_2samp(score[y == 1], score[y == 0]).statistic)


SCORED: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "roc_auc": _roc_auc,
    "pr_auc": _pr_auc,
    "KS": _ks,
}
