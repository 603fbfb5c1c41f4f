"""What intervals are asked for, checked against what is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.declared import Metric, probabilities
from deabench.metrics.predictions import labelled
from deabench.metrics.scores import at_least, split
from deabench.utils import instances


@dataclass(frozen=True)
class Asked:
    """What is wanted of which predictions.

    Attributes
    ----------
    values : {name: scores, or bool array: labelled positive}
    hits : {name: bool array}
        Where each labels positive; empty for scores without a threshold.
    metrics : {column: Metric of scores, or of labels of one's own; None for one of the catalogue}
    """

    true: labels.Truth
    values: Mapping[str, np.ndarray]
    hits: Mapping[str, NDArray[np.bool_]]
    metrics: Mapping[str, Metric | None]
    options: Mapping[str, Any]
    draws: int
    seed: int


def ask(
    y_true: instances.Values | labels.Truth,
    predictions: instances.Predictions,
    metrics: Sequence[str | Metric] | None,
    threshold: float | None,
    *,
    positive: object,
    options: dict[str, Any],
) -> Asked:
    """Check what is asked against what is given."""
    draws, seed = options.pop("draws", 2000), options.pop("seed", 0)
    if draws < 100:
        raise DataError(f"draws is {draws}; an interval needs at least 100")
    beta = float(options.get("beta", 1.0))
    if metrics is None and threshold is None:
        ranked, at = dict[str, Metric](), None
    else:
        asked = metrics if metrics is None or threshold is not None else [*metrics]
        ranked, at = split(asked, 0.0 if threshold is None else threshold, beta)
        if ranked and at and threshold is None:
            split(metrics, None, beta)  # refuses
    scored = bool(ranked) or threshold is not None
    true = labels.two_classes(y_true, positive, scores=scored)
    pairs = instances.named(predictions)
    read = labels.scores_of if scored else labels.predicted_positive
    values = {name: read(given, true, name=name) for name, given in pairs.items()}
    hits = (
        values
        if not scored
        else {}
        if threshold is None
        else {name: at_least(score, threshold) for name, score in values.items()}
    )
    for metric in ranked.values():
        for name, score in values.items():
            if metric.needs == "probabilities":
                probabilities(score, name, metric.name)
    columns = list(labelled(true, hits, None, at, options).columns) if hits and at != [] else []
    own = {one.name: one for one in at or () if isinstance(one, Metric)}
    wanted: dict[str, Metric | None] = {**ranked, **{name: own.get(name) for name in columns}}
    return Asked(true, values, hits, wanted, options, draws, seed)
