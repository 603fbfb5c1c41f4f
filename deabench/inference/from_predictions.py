"""Samples from answers on single instances, or from their counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.delta_method import (
    AREA,
    Array,
    Moments,
    Part,
    Rates,
    check_metrics,
    log_metric,
    mean_covariance,
    misplacement_size,
    placements,
)
from deabench.metrics import labels
from deabench.utils.instances import Predictions, Values, predictions_by_name

Made: TypeAlias = tuple[
    pd.DataFrame, Moments, dict[str, int], str, tuple[str, ...], tuple[str, ...]
]
"""What `Samples` is made of: values, moments, sizes, pairing, costs, notes."""

PAIRED = "paired: all classifiers answered the same instances"
UNPAIRED = "unpaired: the classifiers count as independent, which makes intervals wider than paired answers would"


def predicted(
    y_true: Values, predictions: Predictions, positive: object, metrics: tuple[str, ...]
) -> Made:
    """From predicted labels."""
    check_metrics(metrics, scored=False, labelled=True)
    pairs, true = predictions_by_name(predictions), _two_each(y_true, positive)
    hit = np.array(
        [labels.predicted_positive(values, true, name=name) for name, values in pairs.items()]
    )
    return _of_answers(list(pairs), true, hit == true.is_positive, None, metrics)


def scored(
    y_true: Values,
    scores: Predictions,
    positive: object,
    threshold: float | Mapping[str, float] | None,
    metrics: tuple[str, ...],
) -> Made:
    """From scores, with labels where there is a threshold."""
    check_metrics(metrics, scored=True, labelled=threshold is not None)
    pairs, true = predictions_by_name(scores), _two_each(y_true, positive, scores=True)
    values = np.array([labels.read_scores(score, true, name=name) for name, score in pairs.items()])
    right = None
    if threshold is not None:
        cuts = _thresholds(threshold, list(pairs))
        right = (values >= cuts[:, None]) == true.is_positive
    return _of_answers(list(pairs), true, right, values if AREA in metrics else None, metrics)


def _thresholds(threshold: float | Mapping[str, float], names: list[str]) -> Array:
    if not isinstance(threshold, Mapping):
        return np.full(len(names), float(threshold))
    for name in names:
        if name not in threshold:
            raise DataError(
                f"there is no threshold for '{name}'; give one for every classifier, or one for all"
            )
    return np.array([float(threshold[name]) for name in names])


def _of_answers(
    names: list[str],
    true: labels.GroundTruth,
    right: Array | None,
    scores: Array | None,
    metrics: tuple[str, ...],
) -> Made:
    _enough(names)
    classes = (true.is_positive, ~true.is_positive)
    sizes = [int(rows.sum()) for rows in classes]
    features: list[list[Array]] = [[], []]
    if right is not None:
        for kept, rows in zip(features, classes, strict=True):
            kept.append(right[:, rows])
    if scores is not None:
        for kept, placed in zip(
            features, placements(*(scores[:, rows] for rows in classes)), strict=True
        ):
            kept.append(placed)
    covariances = [_covariance(kept) for kept in features]
    rates = (
        None if right is None else Rates(*(right[:, rows].mean(axis=1) for rows in classes), *sizes)
    )
    area = None if scores is None else features[0][-1].mean(axis=1)
    check_counts = (
        None if scores is None else np.array([misplacement_size(kept[-1]) for kept in features])
    )
    values, moments = _moments(
        names, metrics, rates, area, (sizes[0], sizes[1]), covariances, check_counts
    )
    return values, moments, _sizes(sizes), PAIRED, (), (true.note, *_notes(moments, names))


def _covariance(kept: list[Array]) -> Array:
    """Of hits, of placement values, or of both: 0/1 alone stay exact."""
    stacked = (
        kept[0][:, None]
        if len(kept) == 1
        else np.stack([part.astype(float) for part in kept], axis=1)
    )
    return mean_covariance(stacked)


def counted(counts: pd.DataFrame, metrics: tuple[str, ...]) -> Made:
    """From counts: binomial variances, no covariance between classifiers."""
    from deabench.metrics.counts import check_counts

    check_metrics(metrics, scored=False, labelled=True)
    cells = check_counts(counts)
    names = [str(name) for name in counts.index]
    _enough(names)
    sizes = [
        _same(cells["tp"] + cells["fn"], "positive"),
        _same(cells["fp"] + cells["tn"], "negative"),
    ]
    rates = Rates(cells["tp"].to_numpy() / sizes[0], cells["tn"].to_numpy() / sizes[1], *sizes)
    covariances = []
    for share, size in ((rates.t, sizes[0]), (rates.u, sizes[1])):
        covariances.append(np.diag(share * (1 - share) / (size - 1))[:, None, :, None])
    values, moments = _moments(names, metrics, rates, None, (sizes[0], sizes[1]), covariances)
    note = "counts do not say which instances were answered alike: independence of the classifiers is assumed"
    return values, moments, _sizes(sizes), UNPAIRED, (), (note,)


def _moments(
    names: list[str],
    metrics: tuple[str, ...],
    rates: Rates | None,
    area: Array | None,
    sizes: tuple[int, int],
    covariances: list[Array],
    whole: Array | None = None,
) -> tuple[pd.DataFrame, Moments]:
    """Values, and logarithms with a part for each class; `whole` (2, k) is how much of an instance
    a misplacement is.
    """
    k, s, b = len(names), len(metrics), covariances[0].shape[1]
    values, logs = np.zeros((k, s)), np.zeros((k, s))
    gradients, flips = np.zeros((2, k, s, b)), np.zeros((2, k, s))
    for r, name in enumerate(metrics):
        if name == AREA and area is not None:
            lifted = np.maximum(area, 0.5 / (sizes[0] * sizes[1]))
            values[:, r], logs[:, r] = area, np.log(lifted)
            gradients[:, :, r, b - 1] = 1 / lifted
            flips[:, :, r] = whole / (np.array(sizes)[:, None] * lifted)
        elif rates is not None:
            values[:, r], logs[:, r], slope = log_metric(rates, name, names)
            gradients[:, :, r, 0] = slope.T
            flips[:, :, r] = slope.T / np.array(sizes)[:, None]
    parts = tuple(Part(gradients[c], covariances[c], flips[c]) for c in range(2))
    frame = pd.DataFrame(values, index=pd.Index(names, name="classifier"), columns=list(metrics))
    return frame, Moments(logs, parts, np.full(s, np.inf))


def outcomes(given: Mapping[str, pd.DataFrame]) -> Made:
    """From the outcome of every instance; every metric is a part of its own."""
    if not isinstance(given, Mapping) or not given:
        raise DataError(
            "the outcomes are no mapping; give {metric: DataFrame of instances x classifiers}"
        )
    names = [str(name) for name in next(iter(given.values())).columns]
    _enough(names)
    k, s = len(names), len(given)
    logs, values, parts = np.zeros((k, s)), np.zeros((k, s)), []
    for r, (metric, frame) in enumerate(given.items()):
        shares = _outcome(metric, frame, names)
        n = shares.shape[1]
        values[:, r] = shares.mean(axis=1)
        lifted = np.maximum(values[:, r], 0.5 / n)
        logs[:, r] = np.log(lifted)
        gradient, flips = np.zeros((k, s, 1)), np.zeros((k, s))
        gradient[:, r, 0], flips[:, r] = 1 / lifted, 1 / (n * lifted)
        binary = bool(((shares == 0) | (shares == 1)).all())
        parts.append(
            Part(gradient, mean_covariance((shares == 1 if binary else shares)[:, None]), flips)
        )
    frame = pd.DataFrame(
        values, index=pd.Index(names, name="classifier"), columns=[str(name) for name in given]
    )
    moments = Moments(logs, tuple(parts), np.full(s, np.inf))
    sizes = {f"instances of {name}": len(rows) for name, rows in given.items()}
    return frame, moments, sizes, PAIRED, (), _notes(moments, names)


def _outcome(metric: str, frame: pd.DataFrame, names: list[str]) -> Array:
    if [str(name) for name in frame.columns] != names:
        raise DataError(
            f"the outcomes of '{metric}' are of other classifiers than those of the first metric; "
            "give the same columns"
        )
    if len(frame) < 2:
        raise DataError(f"the outcomes of '{metric}' hold {len(frame)} instances; give at least 2")
    shares = frame.to_numpy(dtype=float).T
    bad = ~((shares >= 0) & (shares <= 1))
    if bad.any():
        i, row = np.argwhere(bad)[0]
        raise DataError(
            f"the outcome '{metric}' of '{names[i]}' for instance {row + 1} is {shares[i, row]:g}; "
            "outcomes are numbers from 0 to 1"
        )
    return np.asarray(shares)


def _two_each(y_true: Values, positive: object, *, scores: bool = False) -> labels.GroundTruth:
    true = labels.two_class_truth(y_true, positive, scores=scores)
    for what, count in (
        ("positive", int(true.is_positive.sum())),
        ("negative", int((~true.is_positive).sum())),
    ):
        if count < 2:
            raise DataError(f"there is one {what} instance; an interval needs two of each class")
    return true


def _enough(names: list[str]) -> None:
    if len(names) < 2:
        raise DataError(
            f"there is one classifier, '{names[0]}'; efficiency compares, give at least two"
        )
    for name in names:
        if names.count(name) > 1:
            raise DataError(
                f"the classifier '{name}' is given twice; give every classifier a name of its own"
            )


def _same(totals: pd.Series, what: str) -> int:
    first = int(totals.iloc[0])
    if first < 2:
        raise DataError(f"there are {first} {what} instances; an interval needs two of each class")
    for name, total in totals.items():
        if total != first:
            raise DataError(
                f"'{name}' has {total:g} {what} instances and '{totals.index[0]}' has {first}; "
                "give all classifiers the same test instances, or a table with errors to Samples.from_table"
            )
    return first


def _sizes(sizes: list[int]) -> dict[str, int]:
    return {"positive instances": sizes[0], "negative instances": sizes[1]}


def _notes(moments: Moments, names: list[str]) -> tuple[str, ...]:
    """What answers alike do to the intervals."""
    _, spread, _ = moments.pairs(np.arange(len(names)))
    same = np.triu(
        (spread == 0).all(axis=2)
        & (np.abs(moments.logs[:, None] - moments.logs[None]) < 1e-12).all(axis=2),
        1,
    )
    if not same.any():
        return ()
    i, j = np.argwhere(same)[0]
    more = f" ({int(same.sum())} such pairs in all)" if same.sum() > 1 else ""
    return (
        f"'{names[i]}' and '{names[j]}' answer alike on every instance{more}: "
        "what sets them apart is the small-sample rule alone",
    )
