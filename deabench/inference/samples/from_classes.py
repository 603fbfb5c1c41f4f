"""Make samples from labels or scores of several classes, by influence values of their metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.samples.influence import (
    RIGHT,
    Answers,
    MetricInfluence,
    area_pseudo_values,
    mean_influence,
)
from deabench.inference.samples.instance_fields import (
    InstanceOptions,
    MetricName,
    SampleFields,
    check_classifiers,
    fields_of_instances,
    mean_one_weights,
)
from deabench.metrics import labels
from deabench.metrics.answer_rows import MAX_CLASSES
from deabench.metrics.metric import Metric
from deabench.metrics.multiclass import (
    CLASS_METRICS,
    OVERALL_METRICS,
    columns_of,
    metrics_of_matrix,
    predicted_codes,
    read_classes,
)
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import pandas_or_same
from deabench.utils.instances import Predictions, Values, predictions_by_name

Array = np.ndarray


def samples_from_classes(
    y_true: Values,
    predictions: Predictions,
    metrics: Sequence[MetricName] | None,
    options: InstanceOptions,
) -> SampleFields:
    """Return the fields of samples of labels of several classes."""
    true, class_names, classes = read_classes(y_true)
    by_name = predictions_by_name(predictions)
    names = list(by_name)
    check_classifiers(names)
    if metrics is None:
        metrics = ("recall",) if len(class_names) <= MAX_CLASSES else ("accuracy",)
    counts = np.bincount(classes)
    for label, count in zip(class_names, counts, strict=True):
        if count < 2:
            raise DataError(
                f"there is one instance of class '{label}'; an interval needs two of each class"
            )
    # Predictions become codes of the classes, and right answers a table of True and False.
    codes = np.array(
        [predicted_codes(values, true, class_names, name) for name, values in by_name.items()]
    )
    weight = mean_one_weights(labels.read_weights(options.sample_weight, true))
    answers = Answers(
        classes,
        [str(label) for label in class_names],
        weight,
        {RIGHT: codes == classes},
        codes=codes,
    )
    design = options.read_design(len(classes), true.index)
    influences = {
        column: class_influence(column, answers) for column in _class_columns(metrics, answers)
    }
    sizes = _sizes_of(class_names, counts)
    note = f"{len(class_names)} classes; no class is the positive one"
    return fields_of_instances(names, influences, answers, design, sizes, (note,))


def samples_from_class_scores(
    y_true: Values,
    scores: Mapping[str, pd.DataFrame],
    metrics: Sequence[str] | None,
    options: InstanceOptions,
) -> SampleFields:
    """Return the fields of samples of scores for each of several classes, one against the rest."""
    true, class_names, classes = read_classes(y_true)
    check_classifiers([str(name) for name in scores])
    frames = {str(name): pandas_or_same(frame) for name, frame in scores.items()}
    # Scores by class, classifier and instance.
    values = np.empty((len(class_names), len(frames), len(classes)))
    for i, (name, frame) in enumerate(frames.items()):
        for c, label in enumerate(class_names):
            if not isinstance(frame, pd.DataFrame) or label not in frame.columns:
                raise DataError(
                    f"the scores of '{name}' have no column {label!r}; give a DataFrame with a "
                    "column per class"
                )
            values[c, i] = labels.read_scores(frame[label], true, name=f"{name}, {label}")
    weight = mean_one_weights(labels.read_weights(options.sample_weight, true))
    answers = Answers(classes, [str(label) for label in class_names], weight, {})
    design = options.read_design(len(classes), true.index)
    influences = class_area_influences(values, answers)
    if metrics is not None:
        for metric in metrics:
            if metric not in influences:
                raise DataError(
                    f"the uncertainty of metric '{metric}' is not known; "
                    f"{did_you_mean(metric, list(influences))}"
                )
        influences = {metric: influences[metric] for metric in metrics}
    else:
        influences = {
            name: influence for name, influence in influences.items() if name.startswith("roc_auc[")
        }
    counts = np.bincount(classes)
    sizes = _sizes_of(class_names, counts)
    note = f"{len(class_names)} classes, each against the rest"
    return fields_of_instances(list(frames), influences, answers, design, sizes, (note,))


def _sizes_of(class_names: Sequence[object], counts: np.ndarray) -> dict[str, int]:
    pairs = zip(class_names, counts, strict=True)
    return {f"instances of '{label}'": int(count) for label, count in pairs}


def _class_columns(metrics: Sequence[MetricName], answers: Answers) -> list[str]:
    """Return the columns of metrics of several classes; 'recall' is a column for each class."""
    names: list[object] = list(answers.class_names)
    available = {f"{metric}[{label}]": 0.0 for metric in CLASS_METRICS for label in names}
    available |= dict.fromkeys(OVERALL_METRICS, 0.0)
    columns: list[str] = []
    for metric in metrics:
        if isinstance(metric, Metric):
            raise DataError(
                f"metric '{metric.name}' is declared for two classes; name the positive class, or "
                "take metrics of several classes, as 'macro_F1'"
            )
        columns += columns_of(metric, names, available)
    if not columns:
        raise DataError("metrics is empty; name at least one metric, as 'recall'")
    return list(dict.fromkeys(columns))


def class_influence(metric: str, answers: Answers) -> MetricInfluence:
    """Return a metric of several classes' labels, as 'recall[a]', 'macro_F1' or 'kappa'."""
    right = answers.features[RIGHT]
    sums = answers.class_sums
    means = answers.class_means(right)
    if metric == "accuracy":
        shares = (sums / sums.sum())[:, None]
        slopes = np.broadcast_to(shares, means.shape)
        value = (shares * means).sum(axis=0)
        return _rates_influence(value, slopes, means, sums)
    if metric == "balanced_accuracy":
        slopes = np.full(means.shape, 1 / len(sums))
        return _rates_influence(means.mean(axis=0), slopes, np.zeros_like(means), sums)
    if metric.startswith("recall["):
        c = list(answers.class_names).index(metric[len("recall[") : -1])
        slopes = np.zeros_like(means)
        slopes[c] = 1.0
        return _rates_influence(means[c], slopes, np.zeros_like(means), sums, own_class=c)
    return mean_influence(metric, _matrix_pseudo_values(metric, answers), answers, False)


def class_area_influences(scores: Array, answers: Answers) -> dict[str, MetricInfluence]:
    """Return the areas under the ROC curves of each class against the rest, and their means.

    Parameters
    ----------
    scores : array (classes, k, n)
    """
    shares = answers.class_sums / answers.class_sums.sum()
    # Of each class (classes, k, n): the area plus the influence of each instance.
    pseudo = np.array(
        [
            [area_pseudo_values(answers.classes == c, row, answers.weight) for row in of_class]
            for c, of_class in enumerate(scores)
        ]
    )
    areas = np.average(pseudo, axis=2, weights=answers.weight)
    # Weighted by the classes' shares, which an instance of a class raises.
    weighted = np.einsum("c,ckn->kn", shares, pseudo)
    weighted += areas[answers.classes].T - (shares @ areas)[:, None]
    values = {f"roc_auc[{name}]": pseudo[c] for c, name in enumerate(answers.class_names)}
    values |= {"macro_roc_auc": pseudo.mean(axis=0), "weighted_roc_auc": weighted}
    return {name: mean_influence(name, value, answers, False) for name, value in values.items()}


def _rates_influence(
    value: Array, slopes: Array, by_share: Array, sums: Array, own_class: int = -1
) -> MetricInfluence:
    """Return a metric that is linear in the classes' rates of right answers."""
    flips = slopes / sums[:, None]
    # Half a success where there is none.
    lifted = np.maximum(value, 0.5 * flips.max(axis=0))
    return MetricInfluence(value, lifted, {RIGHT: slopes}, by_share, flips, own_class)


def _matrix_pseudo_values(metric: str, answers: Answers) -> Array:
    """Return the metric plus the influence of each instance, by deleting from the matrix (k, n)."""
    codes = answers.codes
    assert codes is not None  # read with the labels of several classes
    m = len(answers.class_names)
    n = len(answers.classes)
    values = np.empty(codes.shape)
    for i, row in enumerate(codes):
        # All instances of one cell of the confusion matrix have the same influence.
        cell = answers.classes * m + row
        matrix = np.bincount(cell, answers.weight, m * m).astype(float)
        full = metrics_of_matrix(matrix.reshape(m, m), answers.class_names)[metric]
        influence = np.zeros(m * m)
        for number in np.flatnonzero(matrix):
            # At most half of a cell is deleted, so that no metric becomes undefined.
            deleted = min(1.0, matrix[number] / 2)
            without = matrix.copy()
            without[number] -= deleted
            value = metrics_of_matrix(without.reshape(m, m), answers.class_names)[metric]
            influence[number] = (n - deleted) / deleted * (full - value)
        centre = matrix @ influence / matrix.sum()
        values[i] = full + (influence - centre)[cell]
    return values
