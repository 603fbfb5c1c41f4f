"""Describe intervals of metrics and areas under ROC curves."""

from __future__ import annotations

import numpy as np

from deabench.inference.intervals.metric_intervals import Intervals
from deabench.metrics.roc_area import DeLong

MAX_EXAMPLES = 3
"""Differences that a summary writes out."""


def summarize_intervals(result: Intervals) -> str:
    """Return which differences exclude 0, or how many metrics have an interval; then the design."""
    limited = result.table.dropna(subset=["lower", "upper"])
    if "second" not in result.table.index.names:
        count = (
            f"{len(limited)} of {len(result.table)} values have an interval of "
            f"{100 * (1 - result.alpha):g} %"
        )
        return ". ".join([count, *result.notes[:2]])
    excluding = limited[(limited["lower"] > 0) | (limited["upper"] < 0)]
    examples = [
        f"{metric}: {first} − {second} = {row['estimate']:.4g} [{row['lower']:.4g}, "
        f"{row['upper']:.4g}]"
        for (first, second, metric), row in excluding.head(MAX_EXAMPLES).iterrows()
    ]
    count = f"{len(excluding)} of {len(limited)} intervals of a difference exclude 0"
    return ". ".join([count, *examples, *result.notes[:2]])


def summarize_de_long(areas: DeLong) -> str:
    """Return the largest area with its standard error and the sizes of the classes."""
    frame = areas.to_frame().sort_values("auc", ascending=False, kind="stable")
    best = frame.iloc[0]
    if np.isfinite(best["se"]):
        error = f"standard error {best['se']:.4g}"
    else:
        error = "its standard error is not known"
    return (
        f"the largest of {len(frame)} areas under the ROC curve is {best['auc']:.4g}, of "
        f"'{frame.index[0]}' ({error}); {areas.positives} positives, {areas.negatives} negatives"
    )
