"""More than two classes: the m x m confusion matrix, recall and precision of each class, averages,
one against the rest.

With C[i, j] the instances of class i that are labelled j, t its row sums, p its column sums, s
their total:

    recall of i = C[i, i] / t_i        precision of i = C[i, i] / p_i        F1 of i = 2 C[i, i] / (t_i + p_i)
    macro: the mean over the classes; weighted: their mean by t; balanced accuracy: macro recall
    MCC = (s Σ C[i, i] − Σ t_i p_i) / √((s² − Σ p_i²)(s² − Σ t_i²))        kappa = (s Σ C[i, i] − Σ t_i p_i) / (s² − Σ t_i p_i)

For two classes recall of the positive is TPR, recall of the negative TNR, and the rest what
`from_counts` gives.

References
----------
Gorodkin J (2004) Comparing two K-category assignments by a K-category correlation coefficient.
Computational Biology and Chemistry 28:367-374. doi:10.1016/j.compbiolchem.2004.09.006"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.formulas import CELLS
from deabench.metrics.metric import Metric
from deabench.metrics.score_metrics import roc_auc, sort_scores
from deabench.utils import instances
from deabench.utils.checks import did_you_mean

EACH = ("recall", "precision", "F1")
"""Of each class: the columns are 'recall[a]' and the like."""
OVERALL = (
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
    """The confusion matrix of each classifier, for any number of classes.

    Parameters
    ----------
    y_true : labels, one per instance
    predictions : mapping or DataFrame
        {name: predicted labels}, of the labels of `y_true`.
    sample_weight : numbers >= 0, optional

    Returns
    -------
    DataFrame, (classifier, true class) x predicted class
        Whole numbers, or sums of weights.

    Examples
    --------
    >>> confusion(["a", "b", "c", "c"], {"net": ["a", "c", "c", "b"]}).loc["net"].to_numpy().tolist()
    [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    """
    true, classes, codes = _classes(y_true)
    weight = labels.read_weights(sample_weight, true)
    parts = {
        name: _matrix(codes, _codes(said, true, classes, name), classes, weight)
        for name, said in instances.predictions_by_name(predictions).items()
    }
    return pd.concat(parts, names=["classifier", "true"])


def one_vs_rest(confusions: pd.DataFrame) -> pd.DataFrame:
    """Each class against the others: the 2x2 tables that `from_counts`, `bootstrap_counts` and
    `tango.interval` read.

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
    for name, matrix in confusions.groupby(level="classifier", sort=False):
        total, hits = matrix.to_numpy().sum(), np.diag(matrix.to_numpy())
        missed, false = matrix.to_numpy().sum(axis=1) - hits, matrix.to_numpy().sum(axis=0) - hits
        for k, label in enumerate(matrix.columns):
            rows[name, label] = (
                hits[k],
                missed[k],
                false[k],
                total - hits[k] - missed[k] - false[k],
            )
    index = pd.MultiIndex.from_tuples(list(rows), names=["classifier", "class"])
    return pd.DataFrame(list(rows.values()), index, list(CELLS))


def from_classes(
    y_true: instances.Values,
    predictions: instances.Predictions,
    *,
    metrics: Sequence[str | Metric] | None = None,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """Metrics of labels of two classes or more, one row per classifier; no class is the positive
    one.

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
        `attrs["undefined"]` says so.

    Examples
    --------
    >>> from_classes(["a", "b", "c", "c"], {"net": ["a", "c", "c", "b"]}, metrics=["recall", "accuracy"])
                recall[a]  recall[b]  recall[c]  accuracy
    classifier
    net               1.0        0.0        0.5       0.5
    """
    matrices = confusion(y_true, predictions, sample_weight=sample_weight)
    asked = list(dict.fromkeys([*EACH, *OVERALL] if metrics is None else metrics))
    true, classes, _ = _classes(y_true)
    weight = labels.read_weights(sample_weight, true)
    rows = {}
    for name, said in instances.predictions_by_name(predictions).items():
        known = _values(matrices.loc[name].to_numpy().astype(float), classes)
        own = _own(y_true, said, weight)
        rows[name] = {
            column: value
            for one in asked
            for column, value in _row(one, known, classes, own).items()
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("classifier")
    gone = table.isna().stack()
    told = tuple(
        f"{column} of '{row}' is undefined: a class is never predicted, or all is of one class"
        for row, column in gone[gone].index
    )
    ways = {one.name: one.better for one in asked if isinstance(one, Metric)}
    note = f"{len(classes)} classes: {instances.format_labels(classes)}"
    table.attrs = {
        "undefined": told,
        "note": note,
        "better": {name: ways.get(name, "higher") for name in table.columns},
    }
    return table


def from_class_scores(
    y_true: instances.Values,
    scores: Mapping[str, pd.DataFrame],
    *,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """One-vs-rest areas of scores for each class: 'roc_auc[a]' ..., their mean and their mean by
    the classes' sizes.

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
    >>> float(metrics.from_class_scores(["a", "b", "c"], {"net": scores}).loc["net", "macro_roc_auc"])
    1.0
    """
    true, classes, codes = _classes(y_true)
    weight = labels.read_weights(sample_weight, true)
    sizes = np.bincount(codes, weight, len(classes))
    rows = {}
    for name, frame in scores.items():
        areas = []
        for k, label in enumerate(classes):
            if not isinstance(frame, pd.DataFrame) or label not in frame.columns:
                raise DataError(
                    f"the scores of '{name}' have no column {label!r}; give a DataFrame with a column per class"
                )
            score = labels.read_scores(frame[label], true, name=f"{name}, {label}")
            areas.append(float(roc_auc(*sort_scores(codes == k, score).steps(weight))))
        rows[name] = [*areas, float(np.mean(areas)), float(np.average(areas, weights=sizes))]
    columns = [*(f"roc_auc[{label}]" for label in classes), "macro_roc_auc", "weighted_roc_auc"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("classifier")
    table.attrs = {"undefined": (), "better": dict.fromkeys(columns, "higher")}
    return table


def _classes(y_true: instances.Values) -> tuple[labels.GroundTruth, list[object], np.ndarray]:
    """The classes in order, and which each instance has; the Truth carries the index and the number
    of instances.
    """
    given = instances.read_true_labels(y_true)
    classes, _ = instances.count_classes(given)
    if len(classes) < 2:
        raise DataError(
            f"y_true holds one class only ({classes[0]!r}); give instances of both classes"
        )
    codes = np.zeros(len(given), dtype=int)
    for k, label in enumerate(classes):
        codes[instances.equals_label(given, label)] = k
    return labels.against_rest(y_true, classes[0]), classes, codes


def _codes(
    said: instances.Values, true: labels.GroundTruth, classes: list[object], name: str
) -> np.ndarray:
    labels.predicted_positive(
        said, true, name=name
    )  # refuses what is missing, unknown or out of order
    given = instances.as_vector(said, f"the prediction of '{name}'")
    codes = np.zeros(len(given), dtype=int)
    for k, label in enumerate(classes):
        codes[instances.equals_label(given, label)] = k
    return codes


def _matrix(
    codes: np.ndarray, said: np.ndarray, classes: list[object], weight: np.ndarray | None
) -> pd.DataFrame:
    m = len(classes)
    cells = np.bincount(codes * m + said, weight, m * m).reshape(m, m)
    return pd.DataFrame(cells, pd.Index(classes, name="true"), pd.Index(classes, name="predicted"))


def _values(c: np.ndarray, classes: list[object]) -> dict[str, float]:
    """All metrics of one matrix by column."""
    hits, t, p, s = np.diag(c), c.sum(axis=1), c.sum(axis=0), c.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        each = {"recall": hits / t, "precision": hits / p, "F1": 2 * hits / (t + p)}
        chance = (t * p).sum()
        values = {
            "accuracy": hits.sum() / s,
            "balanced_accuracy": each["recall"].mean(),
            "macro_precision": each["precision"].mean(),
            "macro_F1": each["F1"].mean(),
            "weighted_precision": (t * each["precision"]).sum() / s,
            "weighted_F1": (t * each["F1"]).sum() / s,
            "MCC": (s * hits.sum() - chance)
            / np.sqrt((s * s - (p * p).sum()) * (s * s - (t * t).sum())),
            "kappa": (s * hits.sum() - chance) / (s * s - chance),
        }
    named = {
        f"{what}[{label}]": value
        for what, row in each.items()
        for label, value in zip(classes, row, strict=True)
    }
    return {name: float(value) for name, value in {**named, **values}.items()}


def _row(
    one: str | Metric,
    known: Mapping[str, float],
    classes: list[object],
    own: Callable[[Metric], float],
) -> dict[str, float]:
    """The columns of one thing asked for."""
    if isinstance(one, Metric):
        return {one.name: own(one)}
    if one in EACH:
        return {f"{one}[{label}]": known[f"{one}[{label}]"] for label in classes}
    if one not in known:
        raise DataError(
            f"there is no metric '{one}' of several classes; {did_you_mean(one, [*EACH, *OVERALL])}"
        )
    return {one: known[one]}


def _own(
    y_true: instances.Values, said: instances.Values, weight: np.ndarray | None
) -> Callable[[Metric], float]:
    """A metric of one's own, of the labels themselves."""
    y, p = instances.read_true_labels(y_true), instances.as_vector(said, "the prediction")
    return lambda metric: metric.of_labels(y, p, weight)
