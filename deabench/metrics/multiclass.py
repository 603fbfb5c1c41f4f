"""Compute metrics of more than two classes: recall and precision of each class, averages, areas.

With C[i, j] the instances of class i that are labelled j, t its row sums, p its column sums, s
their total:

    recall of i = C[i, i] / t_i      precision of i = C[i, i] / p_i
    F1 of i = 2 C[i, i] / (t_i + p_i)
    macro: the mean over the classes; weighted: their mean by t; balanced accuracy: macro recall
    MCC = (s Σ C[i, i] − Σ t_i p_i) / √((s² − Σ p_i²)(s² − Σ t_i²))
    kappa = (s Σ C[i, i] − Σ t_i p_i) / (s² − Σ t_i p_i)

For two classes recall of the positive is TPR, recall of the negative TNR, and the rest what
`from_counts` gives.

References
----------
Gorodkin J (2004) Comparing two K-category assignments by a K-category correlation coefficient.
Computational Biology and Chemistry 28:367-374. doi:10.1016/j.compbiolchem.2004.09.006
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.counts import WEIGHTED_CELLS, has_weighted_cells
from deabench.metrics.formulas import CELLS
from deabench.metrics.metric import Metric
from deabench.metrics.score_metrics import roc_auc, sort_scores
from deabench.utils import instances
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import pandas_or_same

CLASS_METRICS = ("recall", "precision", "F1")
"""Of each class: the columns are 'recall[a]' and the like."""
OVERALL_METRICS = (
    "accuracy",
    "balanced_accuracy",
    "macro_precision",
    "macro_F1",
    "weighted_precision",
    "weighted_F1",
    "MCC",
    "kappa",
)


def confusion(
    y_true: instances.Values,
    predictions: instances.Predictions,
    *,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """Count the confusion matrix of each classifier, for any number of classes.

    Parameters
    ----------
    y_true : labels, one per instance
    predictions : mapping or DataFrame
        {name: predicted labels}, of the labels of `y_true`.
    sample_weight : numbers >= 0, optional

    Returns
    -------
    DataFrame, (classifier, true class) x predicted class
        Whole numbers, or sums of weights; `attrs["weighted"]` then tells it to `one_vs_rest`.

    Examples
    --------
    >>> matrices = confusion(["a", "b", "c", "c"], {"net": ["a", "c", "c", "b"]})
    >>> matrices.loc["net"].to_numpy().tolist()
    [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    """
    true, classes, true_codes = read_classes(y_true)
    weight = labels.read_weights(sample_weight, true)
    matrices = {}
    for name, predicted in instances.predictions_by_name(predictions).items():
        codes = predicted_codes(predicted, true, classes, name)
        matrices[name] = _confusion_matrix(true_codes, codes, classes, weight)
    confusions = pd.concat(matrices, names=["classifier", "true"])
    if weight is not None:
        confusions.attrs["weighted"] = WEIGHTED_CELLS
    return confusions


def one_vs_rest(confusions: pd.DataFrame) -> pd.DataFrame:
    """Return each class against the others, as 2x2 tables.

    `from_counts`, `bootstrap_counts` and `tango.interval` read them.

    Parameters
    ----------
    confusions : DataFrame
        As `confusion` gives it.

    Returns
    -------
    DataFrame, (classifier, class) x (tp, fn, fp, tn)
        Tango's interval of a class is that of b = fn and c = fp of its row.

    Examples
    --------
    >>> from deabench import metrics
    >>> confusions = metrics.confusion(["a", "a", "b", "c"], {"net": ["a", "b", "b", "c"]})
    >>> metrics.one_vs_rest(confusions).loc[("net", "b")].tolist()
    [1, 0, 1, 2]
    """
    rows = {}
    # The rows of one classifier are its confusion matrix.
    for name, matrix in confusions.groupby(level="classifier", sort=False):
        cells = matrix.to_numpy()
        # Of class k: hits on the diagonal, misses along its row, false alarms down its column.
        tp = np.diag(cells)
        # Sums without the diagonal: differences of sums of weights would not be exact, as -1e-17.
        errors = np.where(np.eye(len(cells), dtype=bool), 0, cells)
        fn = errors.sum(axis=1)
        fp = errors.sum(axis=0)
        tn = [np.delete(np.delete(cells, k, axis=0), k, axis=1).sum() for k in range(len(cells))]
        for k, label in enumerate(matrix.columns):
            rows[name, label] = (tp[k], fn[k], fp[k], tn[k])
    index = pd.MultiIndex.from_tuples(list(rows), names=["classifier", "class"])
    table = pd.DataFrame(list(rows.values()), index, list(CELLS))
    # Sums of sample weights need not be whole.
    if has_weighted_cells(confusions):
        table.attrs["weighted"] = confusions.attrs["weighted"]
    return table


def from_classes(
    y_true: instances.Values,
    predictions: instances.Predictions,
    *,
    metrics: Sequence[str | Metric] | None = None,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """Compute metrics of labels of two classes or more; no class is the positive one.

    Parameters
    ----------
    y_true, predictions, sample_weight : as for `confusion`
    metrics : sequence of names and `Metric`s, optional
        'recall', 'precision', 'F1' (a column for each class, as 'recall[a]'), 'accuracy',
        'balanced_accuracy' (macro recall), 'macro_precision', 'macro_F1', 'weighted_precision',
        'weighted_F1', 'MCC', 'kappa'; metrics of one's own get the labels themselves. All by
        default. The recalls are what TPR and TNR are for two classes: outputs for DEA.

    Returns
    -------
    DataFrame, classifiers x metrics
        NaN where a class is never predicted and a metric asks for its precision;
        `attrs["undefined"]` lists these cells.

    Examples
    --------
    >>> predictions = {"net": ["a", "c", "c", "b"]}
    >>> from_classes(["a", "b", "c", "c"], predictions, metrics=["recall", "accuracy"])
                recall[a]  recall[b]  recall[c]  accuracy
    classifier
    net               1.0        0.0        0.5       0.5
    """
    requested: list[str | Metric] = (
        [*CLASS_METRICS, *OVERALL_METRICS] if metrics is None else list(dict.fromkeys(metrics))
    )
    true, classes, true_codes = read_classes(y_true)
    true_labels = instances.read_true_labels(y_true)
    weight = labels.read_weights(sample_weight, true)
    rows = {}
    for name, predicted in instances.predictions_by_name(predictions).items():
        codes = predicted_codes(predicted, true, classes, name)
        matrix = _confusion_matrix(true_codes, codes, classes, weight)
        values = metrics_of_matrix(matrix.to_numpy().astype(float), classes)
        row: dict[str, float] = {}
        for metric in requested:
            if isinstance(metric, Metric):
                predicted_labels = instances.as_vector(predicted, "the prediction")
                row[metric.name] = metric.of_labels(true_labels, predicted_labels, weight)
            else:
                row |= {column: values[column] for column in columns_of(metric, classes, values)}
        rows[name] = row
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("classifier")
    # A class that is never predicted has no precision: 0/0.
    missing = table.isna().stack()
    undefined = tuple(
        f"{column} of '{row}' is undefined: a class is never predicted, or all is of one class"
        for row, column in missing[missing].index
    )
    # A user's metric states its own direction; all of the catalogue are better high.
    directions = {metric.name: metric.better for metric in requested if isinstance(metric, Metric)}
    table.attrs = {
        "undefined": undefined,
        "note": f"{len(classes)} classes: {instances.format_labels(classes)}",
        "better": {name: directions.get(name, "higher") for name in table.columns},
    }
    return table


def from_class_scores(
    y_true: instances.Values,
    scores: Mapping[str, pd.DataFrame],
    *,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """Compute the area under the ROC curve of each class against the rest, and their means.

    Parameters
    ----------
    y_true : labels, one per instance
    scores : {name: DataFrame, instances x classes}
        A column per class, named as in `y_true`: what `predict_proba` gives with `classes_` for
        columns.
    sample_weight : numbers >= 0, optional

    Returns
    -------
    DataFrame, classifiers x ('roc_auc[class]' ..., 'macro_roc_auc', 'weighted_roc_auc')
        scikit-learn's `roc_auc_score(multi_class="ovr")`.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [.8, .3, .1], "b": [.1, .5, .3], "c": [.1, .2, .6]})
    >>> table = metrics.from_class_scores(["a", "b", "c"], {"net": scores})
    >>> float(table.loc["net", "macro_roc_auc"])
    1.0
    """
    true, classes, true_codes = read_classes(y_true)
    weight = labels.read_weights(sample_weight, true)
    # The weighted mean counts each class by its instances.
    class_weights = np.bincount(true_codes, weight, len(classes))
    rows = {}
    for name, frame in scores.items():
        areas = []
        frame = pandas_or_same(frame)
        for k, label in enumerate(classes):
            if not isinstance(frame, pd.DataFrame) or label not in frame.columns:
                raise DataError(
                    f"the scores of '{name}' have no column {label!r}; give a DataFrame with a "
                    "column per class"
                )
            score = labels.read_scores(frame[label], true, name=f"{name}, {label}")
            areas.append(float(roc_auc(*sort_scores(true_codes == k, score).steps(weight))))
        weighted_mean = float(np.average(areas, weights=class_weights))
        rows[name] = [*areas, float(np.mean(areas)), weighted_mean]
    columns = [*(f"roc_auc[{label}]" for label in classes), "macro_roc_auc", "weighted_roc_auc"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("classifier")
    table.attrs = {"undefined": (), "better": dict.fromkeys(columns, "higher")}
    return table


def read_classes(
    y_true: instances.Values,
) -> tuple[labels.GroundTruth, list[object], np.ndarray]:
    """Return the ground truth, the classes in order, and the class number of each instance.

    Of the ground truth only the index and the number of instances are used.
    """
    true_labels = instances.read_true_labels(y_true)
    classes, _ = instances.count_classes(true_labels)
    # Any class will do: only its checks are needed.
    true = labels.against_rest(y_true, classes[0])
    return true, classes, _class_numbers(true_labels, classes)


def predicted_codes(
    predicted: instances.Values, true: labels.GroundTruth, classes: list[object], name: str
) -> np.ndarray:
    """Return the class number of each prediction; refuse labels that y_true lacks."""
    labels.predicted_positive(predicted, true, name=name)
    return _class_numbers(instances.as_vector(predicted, f"the prediction of '{name}'"), classes)


def _class_numbers(values: instances.Array, classes: list[object]) -> np.ndarray:
    codes = np.zeros(len(values), dtype=int)
    for k, label in enumerate(classes):
        codes[instances.equals_label(values, label)] = k
    return codes


def _confusion_matrix(
    true_codes: np.ndarray, codes: np.ndarray, classes: list[object], weight: np.ndarray | None
) -> pd.DataFrame:
    m = len(classes)
    # Cell (i, j) is number i m + j.
    cells = np.bincount(true_codes * m + codes, weight, m * m).reshape(m, m)
    return pd.DataFrame(cells, pd.Index(classes, name="true"), pd.Index(classes, name="predicted"))


def metrics_of_matrix(c: np.ndarray, classes: Sequence[object]) -> dict[str, float]:
    """Compute all metrics of one confusion matrix, by column."""
    hits = np.diag(c)
    # True instances and predictions of each class, and the number of all.
    t = c.sum(axis=1)
    p = c.sum(axis=0)
    s = c.sum()
    chance = (t * p).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        by_class = {"recall": hits / t, "precision": hits / p, "F1": 2 * hits / (t + p)}
        # Gorodkin: the covariance of true and predicted classes, over all classes.
        agreement = s * hits.sum() - chance
        overall = {
            "accuracy": hits.sum() / s,
            "balanced_accuracy": by_class["recall"].mean(),
            "macro_precision": by_class["precision"].mean(),
            "macro_F1": by_class["F1"].mean(),
            "weighted_precision": (t * by_class["precision"]).sum() / s,
            "weighted_F1": (t * by_class["F1"]).sum() / s,
            "MCC": agreement / np.sqrt((s * s - (p * p).sum()) * (s * s - (t * t).sum())),
            "kappa": agreement / (s * s - chance),
        }
    values = {
        f"{metric}[{label}]": float(value)
        for metric, row in by_class.items()
        for label, value in zip(classes, row, strict=True)
    }
    return {**values, **{name: float(value) for name, value in overall.items()}}


def columns_of(metric: str, classes: list[object], values: Mapping[str, float]) -> list[str]:
    """Return the columns of a metric: one for each class, or one."""
    if metric in CLASS_METRICS:
        return [f"{metric}[{label}]" for label in classes]
    if metric not in values:
        raise DataError(
            f"there is no metric '{metric}' of several classes; "
            f"{did_you_mean(metric, [*CLASS_METRICS, *OVERALL_METRICS])}"
        )
    return [metric]
