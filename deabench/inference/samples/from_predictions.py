"""Make samples from answers on single instances, or from their counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.moments import (
    AREA,
    Array,
    ErrorSource,
    Moments,
    Rates,
    check_metrics,
    log_metric,
    mean_covariance,
    misplacement_size,
    placement_values,
)
from deabench.metrics import labels
from deabench.metrics.counts import check_counts
from deabench.utils.frames import with_named_rows
from deabench.utils.instances import Predictions, Values, predictions_by_name
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.inference.samples import Samples

SampleFields: TypeAlias = tuple[
    pd.DataFrame, Moments, dict[str, int], str, tuple[str, ...], tuple[str, ...]
]
"""The fields of `Samples`: values, moments, sizes, pairing, costs, notes."""

PAIRED = "paired: all classifiers answered the same instances"
UNPAIRED = (
    "unpaired: the classifiers count as independent, which makes intervals wider than paired "
    "answers would"
)
EQUAL_LOGS = 1e-12


def samples_from_predictions(
    y_true: Values, predictions: Predictions, positive: object, metrics: tuple[str, ...]
) -> SampleFields:
    """Return the fields of samples made of predicted labels."""
    check_metrics(metrics, has_scores=False, has_labels=True)
    predictions = predictions_by_name(predictions)
    true = labels.two_class_truth(y_true, positive)
    labelled = np.array(
        [labels.predicted_positive(values, true, name=name) for name, values in predictions.items()]
    )
    # A correct answer is a 1 of the mean t among positives and of u among negatives.
    correct = labelled == true.is_positive
    return samples_from_answers(list(predictions), true, correct, None, metrics)


def samples_from_scores(
    y_true: Values,
    scores: Predictions,
    positive: object,
    threshold: float | Mapping[str, float] | None,
    metrics: tuple[str, ...],
) -> SampleFields:
    """Return the fields of samples made of scores, and of labels where there is a threshold."""
    check_metrics(metrics, has_scores=True, has_labels=threshold is not None)
    scores = predictions_by_name(scores)
    names = list(scores)
    true = labels.two_class_truth(y_true, positive, scores=True)
    values = np.array(
        [labels.read_scores(score, true, name=name) for name, score in scores.items()]
    )
    correct = None
    if threshold is not None:
        # Labels by the thresholds give correct answers, as predicted labels do.
        thresholds = _thresholds_of(threshold, names)
        correct = (values >= thresholds[:, None]) == true.is_positive
    return samples_from_answers(names, true, correct, values if AREA in metrics else None, metrics)


def samples_from_counts(counts: pd.DataFrame, metrics: tuple[str, ...]) -> SampleFields:
    """Return the fields of samples made of counts: binomial variances, no covariances."""
    check_metrics(metrics, has_scores=False, has_labels=True)
    counts = with_named_rows(counts)
    cells = check_counts(counts)
    names = [str(name) for name in counts.index]
    _check_classifiers(names)
    positives = _common_total(cells["tp"] + cells["fn"], "positive")
    negatives = _common_total(cells["fp"] + cells["tn"], "negative")
    rates = Rates(
        cells["tp"].to_numpy() / positives,
        cells["tn"].to_numpy() / negatives,
        positives,
        negatives,
    )
    covariances = [
        np.diag(rate * (1 - rate) / (size - 1))[:, None, :, None]
        for rate, size in ((rates.t, positives), (rates.u, negatives))
    ]
    values, moments = _make_moments(
        names, metrics, rates, None, (positives, negatives), covariances
    )
    note = (
        "counts do not say which instances were answered alike: independence of the classifiers is "
        "assumed"
    )
    return values, moments, _class_sizes(positives, negatives), UNPAIRED, (), (note,)


def samples_from_outcomes(outcomes: Mapping[str, pd.DataFrame]) -> SampleFields:
    """Return the fields of samples made of outcomes; every metric has instances of its own."""
    if not isinstance(outcomes, Mapping) or not outcomes:
        raise DataError(
            "the outcomes are no mapping; give {metric: DataFrame of instances x classifiers}"
        )
    outcomes = {metric: with_named_rows(frame) for metric, frame in outcomes.items()}
    names = [str(name) for name in next(iter(outcomes.values())).columns]
    _check_classifiers(names)
    k = len(names)
    s = len(outcomes)
    logs = np.zeros((k, s))
    values = np.zeros((k, s))
    sources = []
    for r, (metric, frame) in enumerate(outcomes.items()):
        shares = _read_outcomes(metric, frame, names)
        n = shares.shape[1]
        values[:, r] = shares.mean(axis=1)
        # Half a success where there is none: a logarithm needs it.
        lifted = np.maximum(values[:, r], 0.5 / n)
        logs[:, r] = np.log(lifted)
        # Each metric is the mean of its own instances: one mean, one column.
        gradient = np.zeros((k, s, 1))
        gradient[:, r, 0] = 1 / lifted
        flips = np.zeros((k, s))
        flips[:, r] = 1 / (n * lifted)
        # Zeros and ones are added exactly as booleans.
        is_binary = bool(((shares == 0) | (shares == 1)).all())
        features = (shares == 1 if is_binary else shares)[:, None]
        sources.append(ErrorSource(gradient, mean_covariance(features), flips))
    table = pd.DataFrame(values, pd.Index(names, name="classifier"), [str(m) for m in outcomes])
    moments = Moments(logs, tuple(sources), np.full(s, np.inf))
    sizes = {f"instances of {metric}": len(frame) for metric, frame in outcomes.items()}
    return table, moments, sizes, PAIRED, (), _equality_notes(moments, names)


def average_test_sets(samples: Mapping[str, Samples]) -> SampleFields:
    """Return the fields of samples of the mean over data sets, each with instances of its own.

    Parameters
    ----------
    samples : mapping of data set to Samples
        Of the same metrics. Classifiers that were not tested on all data sets are left out.
    """
    parts = list(samples.values())
    metrics = list(parts[0].values.columns)
    common = parts[0].values.index
    for part in parts[1:]:
        common = common[common.isin(part.values.index)]
    if len(common) < 2:
        raise DataError(
            f"the data sets {', '.join(map(repr, samples))} have {len(common)} classifiers in "
            "common; give at least two that were tested on all of them"
        )
    moments: list[Moments] = []
    for part in parts:
        rows = part.values.index.get_indexer(common).tolist()
        columns = part.values.columns.get_indexer(metrics).tolist()
        moments.append(part.moments.take(rows, columns))
    levels = [np.exp(moment.logs) for moment in moments]
    mean = np.mean(levels, axis=0)
    sources: list[ErrorSource] = []
    for level, moment in zip(levels, moments, strict=True):
        # The mean y = (1/D) Σ y_d has d log y / d log y_d = y_d / (D y).
        slope = level / (len(parts) * mean)
        for source in moment.sources:
            gradient = source.gradient * slope[:, :, None]
            sources.append(ErrorSource(gradient, source.covariance, source.flips * slope))
    sizes = dict.fromkeys(parts[0].sizes, 0)
    for part in parts:
        for noun, size in part.sizes.items():
            sizes[noun] = sizes.get(noun, 0) + size
    notes = {
        note: [name for name, part in samples.items() if note in part.notes]
        for part in parts
        for note in part.notes
    }
    values: pd.DataFrame = sum(part.values.loc[common, metrics] for part in parts) / len(parts)
    degrees = np.min([moment.degrees for moment in moments], axis=0)
    combined = Moments(np.log(mean), tuple(sources), degrees)
    all_notes = (
        f"every metric is its mean over {len(parts)} data sets that are taken as given: the "
        "intervals hold for other instances of these data sets, not for other data sets",
        *(
            note if len(names) == len(parts) else f"{quote_names(names)}: {note}"
            for note, names in notes.items()
        ),
    )
    return values, combined, sizes, parts[0].pairing, (), all_notes


def _thresholds_of(threshold: float | Mapping[str, float], names: list[str]) -> Array:
    if not isinstance(threshold, Mapping):
        return np.full(len(names), float(threshold))
    for name in names:
        if name not in threshold:
            raise DataError(
                f"there is no threshold for '{name}'; give one for every classifier, or one for all"
            )
    return np.array([float(threshold[name]) for name in names])


def samples_from_answers(
    names: list[str],
    true: labels.GroundTruth,
    correct: Array | None,
    scores: Array | None,
    metrics: tuple[str, ...],
) -> SampleFields:
    """Return the fields of samples from correct answers, from scores, or from both: (k, n)."""
    _check_classifiers(names)
    _require_two_each(true)
    classes = (true.is_positive, ~true.is_positive)
    positives, negatives = (int(members.sum()) for members in classes)
    # The means that the metrics are made of, class by class: correct answers, placement values.
    features: list[list[Array]] = [[], []]
    rates = area = sizes = None
    if correct is not None:
        for means, members in zip(features, classes, strict=True):
            means.append(correct[:, members])
        t, u = (correct[:, members].mean(axis=1) for members in classes)
        rates = Rates(t, u, positives, negatives)
    if scores is not None:
        # Placement values make the area a mean over each class, like the rates.
        placed = placement_values(true.is_positive, scores)
        for means, values in zip(features, placed, strict=True):
            means.append(values)
        area = placed[0].mean(axis=1)
        sizes = np.array([misplacement_size(values) for values in placed])
    covariances = [_stacked_covariance(means) for means in features]
    values, moments = _make_moments(
        names, metrics, rates, area, (positives, negatives), covariances, sizes
    )
    notes = (true.note, *_equality_notes(moments, names))
    return values, moments, _class_sizes(positives, negatives), PAIRED, (), notes


def _stacked_covariance(features: list[Array]) -> Array:
    """Return the covariance of the means of one class; of booleans alone it is exact."""
    if len(features) == 1:
        return mean_covariance(features[0][:, None])
    return mean_covariance(np.stack([values.astype(float) for values in features], axis=1))


def _make_moments(
    names: list[str],
    metrics: tuple[str, ...],
    rates: Rates | None,
    area: Array | None,
    class_sizes: tuple[int, int],
    covariances: list[Array],
    misplacement_sizes: Array | None = None,
) -> tuple[pd.DataFrame, Moments]:
    """Return values and moments with one source of errors for each class.

    Parameters
    ----------
    misplacement_sizes : array (2, k), optional
        How much of an instance a misplacement is, by class.
    """
    k = len(names)
    s = len(metrics)
    sizes = np.array(class_sizes)[:, None]
    means = covariances[0].shape[1]
    values = np.zeros((k, s))
    logs = np.zeros((k, s))
    gradients = np.zeros((2, k, s, means))
    flips = np.zeros((2, k, s))
    for r, name in enumerate(metrics):
        if name == AREA and area is not None:
            # Half a pair ranked correctly where there is none.
            lifted = np.maximum(area, 0.5 / (class_sizes[0] * class_sizes[1]))
            values[:, r] = area
            logs[:, r] = np.log(lifted)
            gradients[:, :, r, -1] = 1 / lifted
            flips[:, :, r] = misplacement_sizes / (sizes * lifted)
        elif rates is not None:
            values[:, r], logs[:, r], slopes = log_metric(rates, name, names)
            gradients[:, :, r, 0] = slopes.T
            flips[:, :, r] = slopes.T / sizes
    sources = tuple(ErrorSource(gradients[c], covariances[c], flips[c]) for c in range(2))
    table = pd.DataFrame(values, pd.Index(names, name="classifier"), list(metrics))
    return table, Moments(logs, sources, np.full(s, np.inf))


def _read_outcomes(metric: str, frame: pd.DataFrame, names: list[str]) -> Array:
    """Return the outcomes of one metric (k, n) after checking them."""
    if [str(name) for name in frame.columns] != names:
        raise DataError(
            f"the outcomes of '{metric}' are of other classifiers than those of the first metric; "
            "give the same columns"
        )
    if len(frame) < 2:
        raise DataError(f"the outcomes of '{metric}' hold {len(frame)} instances; give at least 2")
    shares = frame.to_numpy(dtype=float).T
    outside = np.argwhere(~((shares >= 0) & (shares <= 1)))
    if len(outside):
        i, row = outside[0]
        raise DataError(
            f"the outcome '{metric}' of '{names[i]}' for instance {row + 1} is {shares[i, row]:g}; "
            "outcomes are numbers from 0 to 1"
        )
    return np.asarray(shares)


def _require_two_each(true: labels.GroundTruth) -> None:
    for noun, members in (("positive", true.is_positive), ("negative", ~true.is_positive)):
        if members.sum() < 2:
            raise DataError(f"there is one {noun} instance; an interval needs two of each class")


def _check_classifiers(names: list[str]) -> None:
    if len(names) < 2:
        raise DataError(
            f"there is one classifier, '{names[0]}'; efficiency compares, give at least two"
        )
    for name in names:
        if names.count(name) > 1:
            raise DataError(
                f"the classifier '{name}' is given twice; give every classifier a name of its own"
            )


def _common_total(totals: pd.Series, noun: str) -> int:
    """Return the number of instances of a class, the same for all classifiers."""
    first = int(totals.iloc[0])
    if first < 2:
        raise DataError(f"there are {first} {noun} instances; an interval needs two of each class")
    for name, total in totals.items():
        if total != first:
            raise DataError(
                f"'{name}' has {total:g} {noun} instances and '{totals.index[0]}' has {first}; "
                "give all classifiers the same test instances, or a table with errors to "
                "Samples.from_table"
            )
    return first


def _class_sizes(positives: int, negatives: int) -> dict[str, int]:
    return {"positive instances": positives, "negative instances": negatives}


def _equality_notes(moments: Moments, names: list[str]) -> tuple[str, ...]:
    """Return a note on classifiers that answer every instance alike."""
    gap, spread, _ = moments.pairs(np.arange(len(names)))
    # Equal logs and no variance of the ratio in any metric: the answers are the same.
    equal = (spread == 0).all(axis=2) & (np.abs(gap) < EQUAL_LOGS).all(axis=2)
    pairs = np.argwhere(np.triu(equal, 1))
    if not len(pairs):
        return ()
    i, j = pairs[0]
    count_note = f" ({len(pairs)} such pairs in all)" if len(pairs) > 1 else ""
    return (
        f"'{names[i]}' and '{names[j]}' answer alike on every instance{count_note}: "
        "what sets them apart is the small-sample rule alone",
    )
