"""Metrics of a study: of counts, of scores, times, metrics of many classes, the user's metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy

from deabench.errors import DataError
from deabench.metrics import DIRECTION, METRICS, SCORE_METRICS, from_counts
from deabench.metrics.metric import Metric
from deabench.metrics.score_metrics import find_score_metric
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.utils.checks import did_you_mean
from deabench.utils.files import one_line

CELLS = ["tp", "fn", "fp", "tn"]
PAIR = ["dataset", "classifier"]
TIMES = ("fit_seconds", "score_seconds")
"""Mean CPU seconds of a fold, better low; they differ between machines."""

DEFAULT_METRICS = {
    "two": ("TPR", "TNR", "balanced_accuracy", "G-mean", "F1"),
    "all": ("accuracy", "balanced_accuracy", "macro_F1", "lowest_TPR"),
}
"""Two classes: the outputs of the 2022 paper's section 4.3: sensitivity, specificity, "AUC" (their
mean), G-mean, F.
"""


def _accuracy(matrices: np.ndarray) -> np.ndarray:
    return np.asarray(np.trace(matrices, axis1=1, axis2=2) / matrices.sum(axis=(1, 2)))


def _recalls(matrices: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(matrices, axis1=1, axis2=2) / matrices.sum(axis=2))


def _macro_f1(matrices: np.ndarray) -> np.ndarray:
    hits = np.diagonal(matrices, axis1=1, axis2=2)
    # F1 of a class: twice its hits over the sum of its row and its column
    return np.asarray((2 * hits / (matrices.sum(axis=1) + matrices.sum(axis=2))).mean(axis=1))


def _kappa(matrices: np.ndarray) -> np.ndarray:
    n = matrices.sum(axis=(1, 2))
    # agreement expected from the margins alone
    chance = (matrices.sum(axis=1) * matrices.sum(axis=2)).sum(axis=1) / n**2
    return np.asarray((_accuracy(matrices) - chance) / (1 - chance))


def _mcc(matrices: np.ndarray) -> np.ndarray:
    """Return Gorodkin's R_K (2004, Computational Biology and Chemistry 28, 367-374)."""
    n = matrices.sum(axis=(1, 2))
    true = matrices.sum(axis=2)
    predicted = matrices.sum(axis=1)
    # the covariance of true and predicted classes, over all classes
    covariance = np.trace(matrices, axis1=1, axis2=2) * n - (true * predicted).sum(axis=1)
    predicted_variance = n**2 - (predicted**2).sum(axis=1)
    true_variance = n**2 - (true**2).sum(axis=1)
    return np.asarray(covariance / np.sqrt(predicted_variance * true_variance))


MULTICLASS_METRICS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": lambda matrices: _recalls(matrices).mean(axis=1),
    "macro_F1": _macro_f1,
    "lowest_TPR": lambda matrices: _recalls(matrices).min(axis=1),
    "kappa": _kappa,
    "MCC": _mcc,
}
"""Metrics of confusion matrices (n x k x k, rows true), all better high; balanced accuracy is the
mean of the recalls.
"""


def _roc_auc(y: np.ndarray, scores: np.ndarray) -> float:
    """Return the mean area of each class against the rest; NaN where a class has no row."""
    classes = scores.shape[1]
    if len(np.unique(y)) < classes or not np.isfinite(scores).all():
        return float("nan")
    return float(np.mean([_score_metric("roc_auc", y == k, scores[:, k]) for k in range(classes)]))


def _log_loss(y: np.ndarray, probabilities: np.ndarray) -> float:
    """Return the mean of -log p of the true class; infinite where p is 0, NaN without p."""
    if not _are_probabilities(probabilities):
        return float("nan")
    with np.errstate(divide="ignore"):
        return float(-np.log(probabilities[np.arange(len(y)), y]).mean())


def _brier(y: np.ndarray, probabilities: np.ndarray) -> float:
    """Return the mean of Σ_k (p_k - [k true])², from 0 to 2; NaN without probabilities."""
    if not _are_probabilities(probabilities):
        return float("nan")
    true = np.eye(probabilities.shape[1])[y]
    return float(((probabilities - true) ** 2).sum(axis=1).mean())


def _are_probabilities(scores: np.ndarray) -> bool:
    return bool((scores >= 0).all() and np.allclose(scores.sum(axis=1), 1, atol=1e-6))


MULTICLASS_SCORES = {
    "roc_auc": Metric("roc_auc", _roc_auc, range=(0, 1), needs="scores"),
    "log_loss": Metric("log_loss", _log_loss, False, range=(0, np.inf), needs="probabilities"),
    "brier": Metric("brier", _brier, False, range=(0, 2), needs="probabilities"),
}
"""Metrics of scores of more classes than two, a column per class."""
COST = Metric("cost", lambda wrong, costs: float((wrong * costs).mean()), False, range=(0, np.inf))
"""The mean cost of a test row: its own where it is misclassified, else 0."""


@dataclass(frozen=True)
class StudyMetrics:
    """The metrics that a study can use: of two classes or of all, and the user's by name.

    Attributes
    ----------
    classes : str
        "two" or "all".
    user_metrics : mapping of str to metric
        `deabench.metrics.Metric`, or a function of (y_true, y_pred) whose value is better high
        unless the vocabulary knows its name for one that is better low.
    costs : mapping of data set to ndarray
        The cost of each row, where it is misclassified; 1 in a data set without.
    """

    classes: str = "two"
    user_metrics: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Return every name, apart from families such as 'precision@10'."""
        if self.classes == "two":
            return [*METRICS, *SCORE_METRICS, COST.name, *TIMES, *self.user_metrics]
        return [*MULTICLASS_METRICS, *MULTICLASS_SCORES, COST.name, *TIMES, *self.user_metrics]

    def check_name(self, location: str, name: str) -> None:
        """Refuse a name that no metric has.

        Raises
        ------
        DataError
        """
        if name in self.names or self.row_metric(name) is not None:
            return
        # a long list of names helps less than the page that explains them
        remedy = did_you_mean(name, self.names)
        if not remedy.startswith("did") and len(self.names) > 12:
            remedy = "see docs/study.md for those there are"
        scope = ""
        if self.classes == "all" and name in DIRECTION:
            scope = " of more classes than two"
        raise DataError(f"{location}: there is no metric '{name}'{scope}; {remedy}")

    def row_metric(self, name: str) -> Any:
        """Return the metric if it is computed from kept test rows, else None.

        It is the user's, a name of SCORE_METRICS, or one of scores ('brier', 'precision@10').
        """
        if name in self.user_metrics:
            return self.user_metrics[name]
        if name == COST.name:
            return COST
        if self.classes != "two":
            return MULTICLASS_SCORES.get(name)
        if name in (*METRICS, *TIMES):
            return None
        if name in SCORE_METRICS:
            return name
        return find_score_metric(name)

    def check_output(self, location: str, name: str) -> None:
        """Refuse as an output a metric without a better side, or an unbounded cost.

        Raises
        ------
        DataError
        """
        if self.better(name) == "neither":
            raise DataError(
                f"{location}: metric '{name}' is neither better high nor low; it cannot rank a "
                "classifier"
            )
        if self.is_cost(name):
            raise DataError(
                f"{location}: metric '{name}' is better low and has no greatest value; name it "
                "among the inputs"
            )

    def better(self, name: str) -> str:
        """Return higher, lower or neither, by the metric itself or by the vocabulary."""
        higher_is_better = getattr(self.row_metric(name), "higher_is_better", None)
        if higher_is_better is not None:
            return "higher" if higher_is_better else "lower"
        entry = look_up_metric(name)
        # a metric of the user's own may share its name with one that has no direction
        if entry is None or (name in self.user_metrics and entry.better == "neither"):
            return "higher"  # a user's function
        return entry.better

    def highest(self, name: str) -> float:
        """Return the greatest value that a metric can take; infinity where there is none."""
        bounds = getattr(self.row_metric(name), "range", None)
        if bounds is not None:
            return float(bounds[1])
        entry = look_up_metric(name)
        if name in self.user_metrics:
            # a rate by its name, as an error rate; of other functions nothing is known
            is_rate = entry is not None and entry.better == "lower"
            return entry.high if entry is not None and is_rate else float("inf")
        return entry.high if entry is not None else 1.0

    def is_cost(self, name: str) -> bool:
        """Whether a metric is better low and unbounded, so that it can only be an input."""
        return self.better(name) == "lower" and not np.isfinite(self.highest(name))

    def complemented_outputs(self, names: list[str]) -> dict[str, float]:
        """Return the outputs that are better low with their greatest values, for `rank`."""
        return {name: self.highest(name) for name in names if self.better(name) == "lower"}

    def compute(
        self, counts: pd.DataFrame, names: list[str], read_rows: Callable[[], Mapping[str, Any]]
    ) -> pd.DataFrame:
        """Return metrics of every data set and classifier.

        Counts are pooled over the folds before a metric is taken; metrics of scores are taken on
        each fold and averaged, as scores of two models are on two scales (Forman and Scholz 2010,
        SIGKDD Explorations 12, 49-57); times are means.

        Parameters
        ----------
        counts : DataFrame
            dataset, classifier, repeat, fold, the counts, the seconds and each task's key.
        read_rows : function
            Returns the kept test rows by key; called only for metrics that need them.

        Returns
        -------
        DataFrame
            Index (dataset, classifier), in order of first appearance.
        """
        names = list(dict.fromkeys(names))
        # the user's metrics take precedence over known names
        shared_names = [name for name in names if name not in self.user_metrics]
        formulas: Any = METRICS
        if self.classes == "all":
            formulas = MULTICLASS_METRICS
        of_counts = [name for name in shared_names if name in formulas]
        tables = [self._count_metrics(counts, of_counts)]
        times = [name for name in shared_names if name in TIMES]
        if times:
            tables.append(counts.groupby(PAIR, sort=False)[times].mean())
        row_metrics = {
            name: metric
            for name, metric in ((name, self.row_metric(name)) for name in names)
            if metric is not None
        }
        if row_metrics:
            tables.append(average_over_folds(counts, row_metrics, read_rows(), self.costs))
        joined = pd.concat(tables, axis=1)[names]
        notes = tuple(note for table in tables for note in table.attrs.get("notes", ()))
        joined.attrs = {**tables[0].attrs, "notes": notes}
        return joined

    def _count_metrics(self, counts: pd.DataFrame, names: list[str]) -> pd.DataFrame:
        if self.classes == "two":
            # counts of the folds are added before a metric is taken
            pooled = counts.groupby(PAIR, sort=False)[CELLS].sum()
            if not names:
                return pd.DataFrame(index=pooled.index)
            return from_counts(pooled, metrics=names)
        rows = []
        for (dataset, classifier), folds in counts.groupby(PAIR, sort=False):
            matrix = np.sum([to_matrix(cells) for cells in folds["confusion"]], axis=0)[None]
            row = {"dataset": dataset, "classifier": classifier}
            with np.errstate(divide="ignore", invalid="ignore"):
                for name in names:
                    row[name] = float(MULTICLASS_METRICS[name](matrix.astype(float))[0])
            rows.append(row)
        return pd.DataFrame(rows, columns=[*PAIR, *names]).set_index(PAIR)


def to_matrix(cells: tuple[int, ...]) -> np.ndarray:
    """Return the confusion matrix of a task, k x k, from its cells row by row."""
    side = round(len(cells) ** 0.5)
    return np.array(cells, dtype=np.int64).reshape(side, side)


Rows = Mapping[str, np.ndarray]


def average_over_folds(
    counts: pd.DataFrame,
    metrics: Mapping[str, Any],
    rows: Mapping[str, Rows],
    costs: Mapping[str, np.ndarray] | None = None,
) -> pd.DataFrame:
    """Return means over the folds of metrics of test rows; NaN where no fold defines one.

    Parameters
    ----------
    counts : DataFrame
        dataset, classifier, key of each task.
    metrics : mapping of name to name or metric
        roc_auc, pr_auc, KS, or a metric with a value of its own.
    rows : mapping of key to arrays
        row, y_true, y_pred, score, probability.
    costs : mapping of data set to ndarray, optional
        Of its rows; 1 without.

    Returns
    -------
    DataFrame
        Index (dataset, classifier); `attrs["notes"]` names folds without a value, and classifiers
        without the probabilities that a metric needs.
    """
    rows_of_means = []
    notes = []
    for (dataset, classifier), tasks in counts.groupby(PAIR, sort=False):
        folds = [rows[key] for key in tasks["key"] if key in rows]
        row_costs = (costs or {}).get(str(dataset))
        means: dict[str, Any] = {"dataset": dataset, "classifier": classifier}
        # a fold without a positive row has no AUC: the mean is that of the others
        for name, metric in metrics.items():
            problem = _problem_of_probabilities(metric, folds)
            if problem:
                means[name] = float("nan")
                notes.append(
                    f"{name} of '{classifier}' on '{dataset}' is undefined: it needs probabilities,"
                    f" and {problem}"
                )
                continue
            if metric is COST:
                values = [_cost_of_fold(fold, row_costs) for fold in folds]
            else:
                values = [_value_on_fold(name, metric, fold) for fold in folds]
            defined = [value for value in values if np.isfinite(value)]
            infinite = int(np.isinf(values).sum())
            means[name] = float("nan")
            if infinite:
                notes.append(
                    f"{name} of '{classifier}' on '{dataset}' is infinite in {infinite} of "
                    f"{len(tasks)} folds"
                )
                continue
            if defined:
                means[name] = float(np.mean(defined))
            if len(defined) < len(tasks):
                notes.append(
                    f"{name} of '{classifier}' on '{dataset}' is defined in {len(defined)} of "
                    f"{len(tasks)} folds"
                )
        rows_of_means.append(means)
    table = pd.DataFrame(rows_of_means, columns=[*PAIR, *metrics]).set_index(PAIR)
    table.attrs["notes"] = tuple(notes)
    return table


def _problem_of_probabilities(metric: Any, folds: list[Rows]) -> str:
    """Say why a metric of two classes has no probabilities that it needs; "" where it has them."""
    if getattr(metric, "needs", "") != "probabilities" or metric in MULTICLASS_SCORES.values():
        return ""
    if not folds:
        return ""
    probabilities = np.concatenate([fold["probability"] for fold in folds])
    if np.isnan(probabilities).all():
        return "the classifier has no predict_proba that gives some"
    # NaN in a single fold is left to that fold
    if ((probabilities < 0) | (probabilities > 1)).any():
        return "those of its predict_proba are not all from 0 to 1"
    return ""


def _cost_of_fold(fold: Rows, row_costs: np.ndarray | None) -> float:
    """Return the mean cost of the test rows."""
    wrong = np.asarray(fold["y_true"]) != np.asarray(fold["y_pred"])
    costs = np.ones(len(wrong)) if row_costs is None else row_costs[np.asarray(fold["row"])]
    return float(COST.function(wrong, costs))  # type: ignore[operator]  # it is no scorer's name


def _value_on_fold(name: str, metric: Any, fold: Rows) -> float:
    """Return a metric on one fold; NaN where a class is missing or there are no scores."""
    y_true = np.asarray(fold["y_true"], dtype=int)
    scores = np.asarray(fold["score"])
    if isinstance(metric, str):
        defined = len(np.unique(y_true)) == 2 and np.isfinite(scores).all()
        if not defined:
            return float("nan")
        return _score_metric(metric, y_true, scores)
    if metric in MULTICLASS_SCORES.values():
        return float(metric.function(y_true, scores))
    needs = getattr(metric, "needs", "labels")
    values = scores
    if needs == "labels":
        values = np.asarray(fold["y_pred"], dtype=int)
    if needs == "probabilities" and "probability" in fold:
        values = fold["probability"]
    if not np.isfinite(values).all():
        return float("nan")
    try:
        if hasattr(metric, "value"):
            # with two classes the metric is given truth values, otherwise codes
            is_binary = y_true.max(initial=0) < 2
            return float(metric.value(y_true == 1 if is_binary else y_true, values))
        return float(metric(y_true, values))
    except Exception as error:  # the user's function may raise anything
        raise DataError(f"metric '{name}' cannot be computed: {one_line(error)}") from None


def _score_metric(name: str, y_true: np.ndarray, scores: np.ndarray) -> float:
    from sklearn.metrics import average_precision_score, roc_auc_score

    if name == "KS":
        return float(scipy.stats.ks_2samp(scores[y_true == 1], scores[y_true == 0]).statistic)
    return float(
        {"roc_auc": roc_auc_score, "pr_auc": average_precision_score}[name](y_true, scores)
    )
