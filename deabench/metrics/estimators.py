"""Score, estimate and time scikit-learn classifiers.

References
----------
Efron B (1983) Estimating the error rate of a prediction rule. JASA 78:316-331.
doi:10.1080/01621459.1983.10477973. Efron B, Tibshirani R (1997) Improvements on cross-validation:
the .632+ bootstrap method. JASA 92:548-560. doi:10.1080/01621459.1997.10474007
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.counts import compute_metrics, select_metrics
from deabench.metrics.formulas import formula_of
from deabench.metrics.predictions import count
from deabench.utils import instances


def score(
    y_true: instances.Values,
    y_pred: instances.Values,
    *,
    metric: str,
    positive: object = 1,
    sample_weight: instances.Values | None = None,
    **options: Any,
) -> float:
    """Compute one metric of one classifier's labels.

    NaN where it is undefined, as in a fold without positives.

    Parameters
    ----------
    y_true, y_pred : labels, one per instance
        Checked as `from_predictions` checks them, but that y_true may hold one class only.
    metric : name from `catalogue()`
    positive : label
    sample_weight : numbers >= 0, optional
    **options
        As for `from_counts`.

    Examples
    --------
    >>> from deabench import metrics
    >>> metrics.score([1, 1, 0, 0], [1, 0, 0, 0], metric="TPR")
    0.5
    """
    counts = count(
        y_true, {"the classifier": y_pred}, positive=positive, sample_weight=sample_weight
    )
    return float(compute_metrics(counts, metrics=[metric], **options)[metric].iloc[0])


def scorers(metrics: Sequence[str], *, positive: object = 1, **options: Any) -> dict[str, Any]:
    """Return scorers by name, for the argument `scoring` of scikit-learn.

    Parameters
    ----------
    metrics : sequence of names from `catalogue()`
        A metric to be low is negated, as scikit-learn's own scorers are, under the name 'neg_' +
        name.
    positive : label
        The positive class; 1 by default, as in scikit-learn. It must be named, for the minority may
        differ from fold to fold.
    **options
        As for `from_counts`.

    Returns
    -------
    dict of scorer objects
        Made by `sklearn.metrics.make_scorer`; they pickle.

    Raises
    ------
    DataError
        For an unknown metric, or one that has no better direction, as 'prevalence'; when a scorer
        is used, for labels that `from_predictions` would refuse: a positive class that is not
        there, a third one, a gap.

    Examples
    --------
    >>> sorted(scorers(["G-mean", "FPR"]))
    ['G-mean', 'neg_FPR']
    """
    from sklearn.metrics import make_scorer

    beta = float(options.get("beta", 1.0))
    by_name = {}
    for name in select_metrics(metrics, beta):
        better = formula_of(name, beta).better
        if better == "neither":
            raise DataError(
                f"metric '{name}' is neither better high nor low; it cannot score a classifier"
            )
        is_higher = better == "higher"
        # scikit-learn maximizes its scores, and prefixes those that it negates.
        by_name[name if is_higher else f"neg_{name}"] = make_scorer(
            score, greater_is_better=is_higher, metric=name, positive=positive, **options
        )
    return by_name


def bootstrap_632(
    estimator: Any, X: Any, y: Any, *, resamples: int = 50, seed: int = 0
) -> pd.Series:
    """Estimate the error rate of a classifier by the bootstrap: apparent, left out, .632, .632+.

    Each resample of n rows trains a model that is tested on the rows not drawn. With e the error of
    the model of all rows on those rows (apparent), E the mean over the rows of their error where
    left out, and γ the error if labels and features were independent (every prediction against
    every label):

        .632 = .368 e + .632 E        .632+ = (1 − w) e + w E'
        w = .632 / (1 − .368 R),   R = (E' − e) / (γ − e),
        E' = min(E, γ),   R = 0 where E' <= e or γ <= e

    Parameters
    ----------
    estimator : scikit-learn classifier
        Cloned before every fit.
    X, y : rows of features; labels
    resamples : int >= 2
    seed : int

    Returns
    -------
    Series (apparent, left_out, no_information, overfitting, '.632', '.632+')
        Error rates in [0, 1]; overfitting is R.

    Raises
    ------
    DataError
        Where X and y differ in length, y has one class, or a row was in every resample.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    >>> found = bootstrap_632(KNeighborsClassifier(1), X, y)
    >>> bool(found["apparent"] == 0 and found[".632"] < 0.4 < found[".632+"])  # pure noise
    True
    """
    from sklearn.base import clone

    labels = np.asarray(y)
    n = len(labels)
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n != rows:
        raise DataError(f"X has {rows} rows and y has {n}; give one label for each row")
    classes, class_counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        label = classes.tolist()[0]
        raise DataError(f"y holds one class only ({label!r}); give instances of both classes")
    # One generator for all resamples, so that the seed repeats them.
    rng = np.random.default_rng(seed)
    errors = np.zeros(n)
    tests = np.zeros(n)
    for _ in range(resamples):
        training_rows = _draw_training_rows(rng, labels)
        # A model is tested on the rows that did not train it.
        left_out_rows = np.setdiff1d(np.arange(n), training_rows)
        # A fresh estimator for every run: no run profits from an earlier one.
        model = clone(estimator).fit(
            instances.take_instances(X, training_rows), labels[training_rows]
        )
        errors[left_out_rows] += (
            model.predict(instances.take_instances(X, left_out_rows)) != labels[left_out_rows]
        )
        # How often each row was tested.
        tests[left_out_rows] += 1
    if (tests == 0).any():
        raise DataError(
            f"row {int(np.argmin(tests)) + 1} was in every one of {resamples} resamples; give more"
        )
    # The apparent error: that of the model on its own training rows.
    predicted = clone(estimator).fit(X, labels).predict(X)
    apparent = float(np.mean(predicted != labels))
    left_out = float(np.mean(errors / tests))
    # γ: the error of these predictions if they were independent of the labels.
    agreement = sum(
        count / n * np.mean(predicted == label)
        for label, count in zip(classes, class_counts, strict=True)
    )
    no_information = float(1 - agreement)
    # The error of a model that learned nothing is an upper bound.
    capped = min(left_out, no_information)
    overfitting = 0.0
    if min(capped, no_information) > apparent:
        overfitting = (capped - apparent) / (no_information - apparent)
    # .632+ moves its weight to the left-out error as overfitting grows.
    w = 0.632 / (1 - 0.368 * overfitting)
    return pd.Series(
        {
            "apparent": apparent,
            "left_out": left_out,
            "no_information": no_information,
            "overfitting": overfitting,
            ".632": 0.368 * apparent + 0.632 * left_out,
            ".632+": (1 - w) * apparent + w * capped,
        },
        name="error",
    )


def seconds(
    estimators: Mapping[str, Any], X: Any, y: Any, X_test: Any = None, *, repeats: int = 3
) -> pd.DataFrame:
    """Measure how long classifiers take to fit and to predict.

    Parameters
    ----------
    estimators : {name: scikit-learn classifier}
        Cloned before every fit.
    X, y : the rows to fit
    X_test : the rows to predict, optional
        Without them X.
    repeats : int >= 1
        The median of so many is returned. Classifiers take turns, so that a busy moment slows all
        of them alike.

    Returns
    -------
    DataFrame, classifiers x (fit_seconds, predict_seconds)
        Wall time; both are better low.

    Examples
    --------
    >>> from deabench import metrics
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> metrics.seconds({"bayes": GaussianNB()}, X, y).columns.tolist()
    ['fit_seconds', 'predict_seconds']
    """
    from sklearn.base import clone

    if repeats < 1:
        raise DataError(f"repeats is {repeats}; give at least 1")
    times: dict[str, list[tuple[float, float]]] = {str(name): [] for name in estimators}
    for _ in range(repeats):
        for name, estimator in estimators.items():
            model = clone(estimator)
            start = perf_counter()
            model.fit(X, y)
            fitted = perf_counter()
            model.predict(X if X_test is None else X_test)
            times[str(name)].append((fitted - start, perf_counter() - fitted))
    medians = {name: np.median(runs, axis=0) for name, runs in times.items()}
    columns = ["fit_seconds", "predict_seconds"]
    table = pd.DataFrame.from_dict(medians, orient="index", columns=columns)
    table = table.rename_axis("classifier")
    table.attrs["better"] = dict.fromkeys(columns, "lower")
    return table


def _draw_training_rows(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
    """Draw a bootstrap sample that holds two classes and leaves a row out."""
    n = len(labels)
    while True:
        rows = rng.integers(0, n, n)
        if len(np.unique(labels[rows])) > 1 and len(np.unique(rows)) < n:
            return rows
