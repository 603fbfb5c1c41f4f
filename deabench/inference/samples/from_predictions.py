"""Make samples from answers on single instances, or from their counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.samples.designs import SamplingDesign, independent_moments
from deabench.inference.samples.from_classes import samples_from_classes
from deabench.inference.samples.influence import (
    RIGHT,
    Answers,
    MetricInfluence,
    area_influence,
    count_influence,
    jackknife_influence,
    mean_influence,
    precision_area_influence,
)
from deabench.inference.samples.instance_fields import (
    InstanceOptions,
    MetricName,
    SampleFields,
    check_classifiers,
    check_defined,
    check_metrics,
    costs_last,
    fields_of_instances,
    mean_one_weights,
    values_and_costs,
)
from deabench.metrics import labels
from deabench.metrics.counts import check_counts
from deabench.metrics.metric import Metric, check_probabilities, metric_name
from deabench.metrics.predictions import thresholds_by_name
from deabench.metrics.score_metrics import BUILT_IN, MeanLoss, find_score_metric
from deabench.utils.frames import with_named_rows
from deabench.utils.instances import Predictions, Values, predictions_by_name, read_true_labels

Array = np.ndarray

LABEL_METRICS = ("TPR", "TNR")
"""The default metrics of predicted labels."""
AREA = "roc_auc"
UNPAIRED = (
    "unpaired: the systems count as independent, which makes intervals wider than paired "
    "answers would"
)


def samples_from_predictions(
    y_true: Values | labels.GroundTruth,
    predictions: Predictions,
    positive: object,
    metrics: Sequence[MetricName] | None,
    options: InstanceOptions,
) -> SampleFields:
    """Return the fields of samples made of predicted labels of two classes or more."""
    if not isinstance(y_true, labels.GroundTruth):
        true_labels = read_true_labels(y_true)
        if pd.Series(true_labels).nunique() > 2:
            if positive is None:
                return samples_from_classes(y_true, predictions, metrics, options)
            y_true = labels.against_rest(y_true, positive)
            positive = None
    names = tuple(LABEL_METRICS if metrics is None else metrics)
    check_metrics(names, has_scores=False, has_labels=True)
    by_name = predictions_by_name(predictions)
    true = labels.two_class_truth(y_true, positive)
    labelled = np.array(
        [labels.predicted_positive(values, true, name=name) for name, values in by_name.items()]
    )
    return samples_from_answers(list(by_name), true, labelled, None, names, options)


def samples_from_scores(
    y_true: Values | labels.GroundTruth,
    scores: Predictions,
    positive: object,
    threshold: float | Mapping[str, float] | None,
    metrics: Sequence[MetricName],
    options: InstanceOptions,
) -> SampleFields:
    """Return the fields of samples made of scores, and of labels where there is a threshold."""
    names = tuple(metrics)
    check_metrics(names, has_scores=True, has_labels=threshold is not None)
    by_name = predictions_by_name(scores)
    true = labels.two_class_truth(y_true, positive, scores=True)
    values = np.array(
        [labels.read_scores(score, true, name=name) for name, score in by_name.items()]
    )
    labelled = None
    if threshold is not None:
        for name in by_name:
            if isinstance(threshold, Mapping) and name not in threshold:
                raise DataError(
                    f"there is no threshold for '{name}'; give one for every system, or one for all"
                )
        thresholds = thresholds_by_name(threshold, list(by_name))
        labelled = values >= np.array(list(thresholds.values()))[:, None]
    return samples_from_answers(list(by_name), true, labelled, values, names, options)


def samples_from_answers(
    names: list[str],
    true: labels.GroundTruth,
    labelled: Array | None,
    scores: Array | None,
    metrics: Sequence[MetricName],
    options: InstanceOptions,
) -> SampleFields:
    """Return the fields of samples of two classes, from labels, from scores, or from both.

    Parameters
    ----------
    labelled : bool array (k, n) or None
        Which instances are labelled positive.
    scores : array (k, n) or None
    """
    check_metrics(tuple(metrics), has_scores=scores is not None, has_labels=labelled is not None)
    check_classifiers(names)
    _require_two_each(true)
    classes = np.where(true.is_positive, 0, 1)
    weight = mean_one_weights(labels.read_weights(options.sample_weight, true))
    # What is averaged within a class: right answers; scores are compared pair by pair.
    features = {}
    if labelled is not None:
        features[RIGHT] = labelled == true.is_positive
    answers = Answers(
        classes, ("positive", "negative"), weight, features, labelled=labelled, scores=scores
    )
    design = options.read_design(len(classes), true.index)
    # A metric that is no formula of rates is recomputed without each group of instances.
    if any(_needs_jackknife(metric) for metric in metrics):
        design = design.for_jackknife(classes)
    influences = {
        metric_name(metric): _two_class_influence(metric, names, answers, design)
        for metric in metrics
    }
    sizes = {
        "positive instances": int(true.is_positive.sum()),
        "negative instances": int((~true.is_positive).sum()),
    }
    return fields_of_instances(names, influences, answers, design, sizes, (true.note,))


def samples_from_counts(counts: pd.DataFrame, metrics: Sequence[str], design: str) -> SampleFields:
    """Return the fields of samples made of counts: binomial variances, no covariances."""
    check_metrics(tuple(metrics), has_scores=False, has_labels=True)
    options = InstanceOptions(design=design)
    counts = with_named_rows(counts)
    cells = check_counts(counts)
    names = [str(name) for name in counts.index]
    check_classifiers(names)
    # All classifiers must have been tested on equally many instances of each class.
    positives = _common_total(cells["tp"] + cells["fn"], "positive")
    negatives = _common_total(cells["fp"] + cells["tn"], "negative")
    read_design = options.read_design(positives + negatives, None)
    table = cells[["tp", "fn", "fp", "tn"]].to_numpy(dtype=float).T
    influences = costs_last({metric: _checked_counts(metric, names, table) for metric in metrics})
    moments = independent_moments(list(influences.values()), table, read_design.kind)
    note = (
        "counts do not say which instances were answered alike: independence of the systems is "
        "assumed"
    )
    return {
        **values_and_costs(names, influences),
        "moments": moments,
        "sizes": {"positive instances": positives, "negative instances": negatives},
        "pairing": UNPAIRED,
        "design": read_design.kind,
        "notes": (note, read_design.describe()),
    }


def samples_from_outcomes(
    outcomes: Mapping[str, pd.DataFrame], shared: bool, options: InstanceOptions
) -> SampleFields:
    """Return the fields of samples of outcomes, of the same instances or of each metric's own."""
    if not isinstance(outcomes, Mapping) or not outcomes:
        raise DataError(
            "the outcomes are no mapping; give {metric: DataFrame of instances x systems}"
        )
    frames = {str(metric): with_named_rows(frame) for metric, frame in outcomes.items()}
    names = [str(name) for name in next(iter(frames.values())).columns]
    check_classifiers(names)
    shares = {metric: _read_outcomes(metric, frame, names) for metric, frame in frames.items()}
    lengths = [values.shape[1] for values in shares.values()]
    is_shared = shared or len(frames) == 1
    if not is_shared and (options.clusters is not None or options.sample_weight is not None):
        raise DataError(
            "clusters and sample weights belong to instances that all metrics share; give "
            "shared=True"
        )
    if shared and len(set(lengths)) > 1:
        raise DataError(
            f"the metrics have {', '.join(map(str, lengths))} instances and shared=True; give the "
            "outcomes of the same instances"
        )
    if is_shared:
        classes = np.zeros(lengths[0], dtype=int)
        features = {metric: _as_booleans(values) for metric, values in shares.items()}
        first = next(iter(frames.values())).index
        weight = options.sample_weight
        if weight is not None:
            weight = labels.read_weight_column(weight, lengths[0], first)
            if not weight.any():
                raise DataError(
                    "every instance has the sample weight 0; give one of them a weight > 0"
                )
        answers = Answers(classes, ("instances",), mean_one_weights(weight), features)
        sizes = {"instances": lengths[0]}
        if len(frames) == 1:
            sizes = {f"instances of {next(iter(frames))}": lengths[0]}
    else:
        # Each metric has a class of its own, whose size is given.
        classes = np.repeat(np.arange(len(frames)), lengths)
        first = None
        joined = _as_booleans(np.hstack(list(shares.values())))
        answers = Answers(classes, list(frames), None, {RIGHT: joined})
        sizes = {f"instances of {metric}": n for metric, n in zip(frames, lengths, strict=True)}
    design = options.read_design(len(classes), first if is_shared else None)
    influences = {}
    for r, metric in enumerate(frames):
        feature, c = (metric, 0) if is_shared else (RIGHT, r)
        influences[metric] = _outcome_influence(feature, c, answers)
    fields = fields_of_instances(names, influences, answers, design, sizes, ())
    if design.groups is None:
        # No class is named: that its size is random changes nothing.
        fields["notes"] = fields["notes"][1:]
    return fields


def _two_class_influence(
    metric: MetricName, names: list[str], answers: Answers, design: SamplingDesign
) -> MetricInfluence:
    """Return the influence values of one metric of two classes."""
    name = metric_name(metric)
    declared = metric if isinstance(metric, Metric) else find_score_metric(name)
    if declared is None:
        assert answers.labelled is not None  # checked by `check_metrics`
        return _checked_counts(name, names, _cells(answers))
    if declared is BUILT_IN[AREA]:
        return area_influence(answers)
    if declared is BUILT_IN["pr_auc"]:
        return precision_area_influence(answers)
    values = answers.labelled if declared.needs == "labels" else answers.scores
    assert values is not None  # checked by `check_metrics`
    if declared.needs == "probabilities":
        for row, classifier in zip(values, names, strict=True):
            check_probabilities(row, classifier, name)
    if isinstance(declared.function, MeanLoss):
        true = (answers.classes == 0).astype(int)
        losses = np.array([declared.function.loss(true, row) for row in values])
        return mean_influence(name, losses, answers, not declared.higher_is_better)
    groups = np.arange(len(answers.classes)) if design.groups is None else design.groups
    return jackknife_influence(declared, values.astype(float), answers, groups)


def _needs_jackknife(metric: MetricName) -> bool:
    """Return whether a metric has no formula for its influence values."""
    declared = metric if isinstance(metric, Metric) else find_score_metric(metric)
    if declared is None or declared in (BUILT_IN[AREA], BUILT_IN["pr_auc"]):
        return False
    return not isinstance(declared.function, MeanLoss)


def _checked_counts(name: str, names: list[str], cells: Array) -> MetricInfluence:
    influence = count_influence(name, cells)
    check_defined(name, influence.value, names)
    return influence


def _cells(answers: Answers) -> Array:
    """Return tp, fn, fp and tn, or their sums of weights: (4, k)."""
    means = answers.class_means(answers.features[RIGHT])
    sums = answers.class_sums
    tp = means[0] * sums[0]
    tn = means[1] * sums[1]
    cells = np.array([tp, sums[0] - tp, sums[1] - tn, tn])
    # Without weights the cells are whole numbers.
    return cells if answers.weight is not None else np.round(cells)


def _outcome_influence(feature: str, c: int, answers: Answers) -> MetricInfluence:
    """Return the mean outcome of the instances of one class."""
    values = answers.features[feature]
    means = answers.class_means(values)
    n = float(np.bincount(answers.classes)[c])
    slopes = np.zeros_like(means)
    slopes[c] = 1.0
    flips = np.zeros_like(means)
    flips[c] = 1 / n
    # Half a success where there is none: a logarithm needs it.
    lifted = np.maximum(means[c], 0.5 / n)
    return MetricInfluence(means[c], lifted, {feature: slopes}, np.zeros_like(means), flips, c)


def _as_booleans(values: Array) -> Array:
    """Return zeros and ones as booleans, which are added exactly."""
    return values == 1 if bool(((values == 0) | (values == 1)).all()) else values


def _read_outcomes(metric: str, frame: pd.DataFrame, names: list[str]) -> Array:
    """Return the outcomes of one metric (k, n) after checking them."""
    if [str(name) for name in frame.columns] != names:
        raise DataError(
            f"the outcomes of '{metric}' are of other systems than those of the first metric; "
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


def _common_total(totals: pd.Series, noun: str) -> int:
    """Return the number of instances of a class, the same for all classifiers."""
    first = int(totals.iloc[0])
    if first < 2:
        raise DataError(f"there is one {noun} instance; an interval needs two of each class")
    for name, total in totals.items():
        if total != first:
            raise DataError(
                f"'{name}' has {total:g} {noun} instances and '{totals.index[0]}' has {first}; "
                "give all systems the same test instances, or a table with errors to "
                "Samples.from_table"
            )
    return first
