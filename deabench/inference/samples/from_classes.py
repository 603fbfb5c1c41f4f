"""Make samples from labels or scores of several classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.samples.class_influence import class_area_influences, class_influence
from deabench.inference.samples.influence import RIGHT, Answers
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
    predicted_codes,
    read_classes,
)
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import pandas_or_same
from deabench.utils.instances import Predictions, Values, predictions_by_name


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
