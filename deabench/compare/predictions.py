"""Classifiers on instances of one test set, or each on its own: accuracies and AUCs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench import tango
from deabench.compare.adjustment import (
    Adjustment,
    adjust_p_values,
    check_adjustment,
    describe_family,
)
from deabench.compare.pairwise import (
    Pair,
    describe_untested,
    find_better,
    list_pairs,
    pair_frame,
    pair_positions,
)
from deabench.compare.score_tables import check_control
from deabench.compare.selection import ComparisonResult
from deabench.compare.two_classifiers import (
    MIN_EXPECTED,
    McNemarMethod,
    mcnemar,
    two_error_rates,
)
from deabench.errors import DataError, DataWarning, warn_data
from deabench.metrics.roc_area import delong
from deabench.utils import instances
from deabench.utils.checks import choice, share

PredictionTest = Literal["mcnemar", "delong"]
MAX_NAMED = 5
"""Classifiers named in a note; the rest are counted."""


def discordant(
    y_true: instances.Values, first: instances.Values, second: instances.Values
) -> tuple[int, int]:
    """Count the instances that only the first, and that only the second classifier gets right.

    The labels may have any number of classes.

    Raises
    ------
    DataError
        If the three lengths differ, a label is missing, or a prediction is of a class that y_true
        does not have (1 and '1' are two classes).

    Examples
    --------
    >>> from deabench import compare
    >>> compare.discordant([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1])
    (1, 1)
    """
    sizes = [len(instances.as_vector(values, "the labels")) for values in (y_true, first, second)]
    if len(set(sizes)) > 1:
        raise DataError(
            f"there are {sizes[0]} labels, {sizes[1]} and {sizes[2]} predictions; give as many of "
            "each"
        )
    correct = find_correct(y_true, {"first": first, "second": second}).to_numpy()
    only_first = int((correct[:, 0] & ~correct[:, 1]).sum())
    only_second = int((~correct[:, 0] & correct[:, 1]).sum())
    return only_first, only_second


def find_correct(y_true: instances.Values, predictions: instances.Predictions) -> pd.DataFrame:
    """Return which instances each classifier gets right: booleans, instances x classifiers.

    Raises
    ------
    DataError
        As `discordant`; indexes of Series that differ.
    """
    # As objects, so that 1 and '1' are two classes.
    truth = instances.as_vector(y_true, "y_true").astype(object)
    if not len(truth):
        raise DataError("y_true is empty; give at least one instance")
    _check_present(truth, "the label in y_true")
    classes = pd.Index(truth).unique()
    correct = {}
    for name, values in instances.predictions_by_name(predictions).items():
        instances.check_same_index(values, instances.series_index(y_true), f"'{name}'")
        labels = instances.as_vector(values, f"the prediction of '{name}'").astype(object)
        if len(labels) != len(truth):
            raise DataError(
                f"'{name}' has {len(labels)} predictions and y_true has {len(truth)} instances; "
                "give one for each"
            )
        _check_present(labels, f"the prediction of '{name}'")
        unknown = classes.get_indexer(pd.Index(labels)) < 0
        if unknown.any():
            i = int(np.argmax(unknown))
            label = instances.to_python_scalar(labels[i])
            raise DataError(
                f"'{name}' predicts the label {label!r} for instance {i + 1}; y_true has only "
                f"{instances.format_labels(sorted(classes, key=str))}"
            )
        correct[name] = labels == truth
    return pd.DataFrame(correct)


def _check_present(values: NDArray[np.object_], name: str) -> None:
    missing = pd.isna(values)
    if missing.any():
        raise DataError(
            f"{name} for instance {int(np.argmax(missing)) + 1} is missing; give a label"
        )


def on_one_test_set(
    y_true: instances.Values,
    predictions: instances.Predictions,
    *,
    test: PredictionTest = "mcnemar",
    method: McNemarMethod = "mid-p",
    control: str | None = None,
    adjust: Adjustment = "holm",
    alpha: float = 0.05,
    positive: object = None,
) -> ComparisonResult:
    """Compare classifiers on the instances of one test set.

    Parameters
    ----------
    y_true : labels, one per instance
        Of any number of classes for "mcnemar", two for "delong".
    predictions : mapping or DataFrame
        {name: labels} for "mcnemar", {name: scores} for "delong".
    test : "mcnemar" or "delong"
        Of accuracies, with Tango's interval of their difference; of AUCs, with DeLong's.
    method : str
        Of McNemar's test, see `mcnemar`.
    control, adjust, alpha :
        As for `compare`. Intervals are of each pair alone, at level 1 - alpha.
    positive : label, optional
        Of "delong": the positive class, as for `deabench.metrics.from_scores`.

    Returns
    -------
    ComparisonResult
        difference: accuracy or AUC of the first minus that of the second.

    Raises
    ------
    DataError
        Fewer than 2 classifiers, labels or scores that cannot be used, an unknown test, method or
        adjustment.

    Examples
    --------
    >>> from deabench import compare
    >>> predictions = {"a": [1] * 5 + [0] * 5, "b": [0] * 5 + [1] * 4 + [0]}
    >>> result = compare.on_one_test_set([1] * 5 + [0] * 5, predictions)
    >>> result.to_frame()["p_value"].round(4).tolist()
    [0.002]
    """
    choice("test", test, get_args(PredictionTest))
    choice("method", method, get_args(McNemarMethod))
    values = instances.predictions_by_name(predictions)
    _check_options(list(values), control, adjust, alpha)
    if test == "mcnemar":
        frame, means = _test_accuracies(y_true, predictions, control, method, alpha)
        notes: tuple[str, ...] = ()
        measure = "accuracy"
        title = f"McNemar's test ({method})"
        ground = "the ones that two classifiers both get wrong do not tell which is better"
    else:
        frame, means, notes = _test_aucs(y_true, predictions, control, positive, alpha)
        measure = "AUC"
        title = "DeLong's test of two AUCs"
        ground = "AUCs of the same instances depend on each other, which the test allows for"
    count = len(instances.as_vector(y_true, "y_true"))
    reason = f"{len(values)} classifiers on the same {count} instances: {ground}"
    return _to_result(frame, means, measure, title, reason, control, adjust, alpha, notes)


def on_own_test_sets(
    y_true: Mapping[str, instances.Values],
    y_pred: Mapping[str, instances.Values],
    *,
    control: str | None = None,
    adjust: Adjustment = "holm",
    alpha: float = 0.05,
) -> ComparisonResult:
    """Compare the error rates of classifiers tested on different instances, by the z test.

    Parameters
    ----------
    y_true, y_pred : mappings of classifier to labels
        Each classifier's own test set and its predictions there. For one test set that all share
        use `on_one_test_set`: the z test ignores the pairing.
    control, adjust, alpha :
        As for `compare`.

    Returns
    -------
    ComparisonResult
        difference: accuracy of the first minus that of the second.

    Raises
    ------
    DataError
        As `on_one_test_set`; names that differ.

    Examples
    --------
    >>> from deabench import compare
    >>> truth = {"a": [1, 0] * 40, "b": [1, 0] * 50}
    >>> predicted = {"a": [1, 0] * 30 + [0, 1] * 10, "b": [1, 0] * 45 + [0, 1] * 5}
    >>> compare.on_own_test_sets(truth, predicted).to_frame()["p_value"].round(4).tolist()
    [0.0084]
    """
    if list(map(str, y_true)) != list(map(str, y_pred)):
        raise DataError(
            "the classifiers of y_true and y_pred differ; give each its own labels and "
            "predictions, in one order"
        )
    _check_options(list(y_true), control, adjust, alpha)
    # Each classifier is right or wrong on its own instances.
    correct = {
        name: find_correct(labels, {name: y_pred[name]})[name].to_numpy()
        for name, labels in y_true.items()
    }
    pairs = list_pairs(list(correct), control)
    rows = []
    untested = []
    reason = ""
    for first, second in pairs:
        e1 = float((~correct[first]).mean())
        e2 = float((~correct[second]).mean())
        try:
            with warnings.catch_warnings():
                # One warning for all pairs follows below.
                warnings.simplefilter("ignore", DataWarning)
                result = two_error_rates(
                    e1, len(correct[first]), e2, len(correct[second]), alpha=alpha
                )
        except DataError as error:
            rows.append((e2 - e1, np.nan, np.nan, np.nan, np.nan))
            untested.append((first, second))
            reason = reason or str(error)
        else:
            # Accuracies differ by minus the difference of the error rates.
            rows.append(
                (
                    -result.difference,
                    -result.upper,
                    -result.lower,
                    -result.statistic,
                    result.p_value,
                )
            )
    notes = (describe_untested(untested, reason),) if untested else ()
    rough = [
        name for name, hits in correct.items() if 0 < min(hits.sum(), (~hits).sum()) < MIN_EXPECTED
    ]
    if rough:
        names = ", ".join(map(repr, rough[:3])) + (" and others" if len(rough) > 3 else "")
        warn_data(
            f"{names}: fewer than 5 errors or hits, the z test's normal approximation is rough"
        )
    return _to_result(
        _interval_frame(pairs, rows),
        pd.Series({name: float(hits.mean()) for name, hits in correct.items()}),
        "accuracy",
        "z test of two error rates",
        f"{len(correct)} classifiers, each on instances of its own: the test sets are assumed to "
        "be independent",
        control,
        adjust,
        alpha,
        notes,
    )


def _check_options(names: list[str], control: str | None, adjust: Adjustment, alpha: float) -> None:
    share("alpha", alpha)
    check_control(control, names)
    check_adjustment(adjust, control, by_ranks=False)
    if len(names) < 2:
        raise DataError(f"there is {len(names)} classifier; give at least 2")


def _test_accuracies(
    y_true: instances.Values,
    predictions: instances.Predictions,
    control: str | None,
    method: McNemarMethod,
    alpha: float,
) -> tuple[pd.DataFrame, pd.Series]:
    """Test every pair by McNemar, with Tango's interval; also return the accuracies."""
    correct = find_correct(y_true, predictions)
    hits = correct.to_numpy().astype(np.int64)
    # discordant_counts[i, j]: the number of instances that i gets right and j does not.
    discordant_counts = hits.T @ (1 - hits)
    pairs = list_pairs(correct.columns, control)
    i, j = pair_positions(correct.columns, pairs)
    n = len(hits)
    b = discordant_counts[i, j]
    c = discordant_counts[j, i]
    # Only the discordant instances tell two classifiers apart.
    tests = [
        mcnemar(int(x), int(y), n=n, method=method, alpha=alpha) for x, y in zip(b, c, strict=True)
    ]
    lower, upper = tango.interval(b, c, np.full(len(b), n), alpha)
    statistics = [result.statistic for result in tests]
    p_values = [result.p_value for result in tests]
    rows = np.column_stack([(b - c) / n, lower, upper, statistics, p_values])
    frame = _interval_frame(pairs, rows)
    frame.insert(2, "wins", b)
    frame.insert(3, "ties", n - b - c)
    frame.insert(4, "losses", c)
    return frame, correct.mean()


def _test_aucs(
    y_true: instances.Values,
    predictions: instances.Predictions,
    control: str | None,
    positive: object,
    alpha: float,
) -> tuple[pd.DataFrame, pd.Series, tuple[str, ...]]:
    """Test every pair by DeLong; also return the AUCs, and notes."""
    areas = delong(y_true, predictions, positive=positive)
    pairs = list_pairs(areas.auc.index, control)
    i, j = pair_positions(areas.auc.index, pairs)
    auc = areas.auc.to_numpy()
    covariance = areas.covariance.to_numpy()
    difference = auc[i] - auc[j]
    # A variance that is rounding noise of the two is 0: the classifiers rank alike.
    total = covariance[i, i] + covariance[j, j]
    variance = np.maximum(total - 2 * covariance[i, j], 0.0)
    error = np.where(variance > 1e-15 * np.maximum(total, 1e-300), variance, 0.0) ** 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, difference / error, np.where(difference == 0, 0.0, np.nan))
    # Normal limits; two classifiers of one AUC without variance have p = 1, others neither limits
    # nor p value.
    reach = -special.ndtri(alpha / 2) * np.where(np.isnan(z), np.nan, error)
    p_values = 2 * special.ndtr(-np.abs(z))
    rows = np.column_stack([difference, difference - reach, difference + reach, z, p_values])
    untested = [pair for pair, value in zip(pairs, z, strict=True) if np.isnan(value)]
    notes: tuple[str, ...] = ()
    if untested:
        reason = "DeLong's variance of the difference is 0 or unknown"
        notes = (describe_untested(untested, reason),)
    return _interval_frame(pairs, rows), areas.auc, notes


def _interval_frame(pairs: list[Pair], rows: ArrayLike) -> pd.DataFrame:
    frame = pair_frame(pairs)
    columns = ["difference", "lower", "upper", "statistic", "p_value"]
    frame[columns] = np.asarray(rows, dtype=float).reshape(len(pairs), 5)
    return frame


def _to_result(
    frame: pd.DataFrame,
    means: pd.Series,
    measure: str,
    title: str,
    reason: str,
    control: str | None,
    adjust: Adjustment,
    alpha: float,
    notes: tuple[str, ...],
) -> ComparisonResult:
    """Adjust the p values of the pairs and name the best classifiers in the first note."""
    # Intervals are of each pair alone; only the p values are adjusted.
    frame["adjusted"] = adjust_p_values(frame["p_value"].to_numpy(), adjust, len(means))
    frame["different"] = frame["adjusted"] < alpha
    frame["better"] = find_better(frame, low_wins=False)
    best = means.sort_values(ascending=False, kind="stable")
    names = ", ".join(f"'{name}' {value:.4g}" for name, value in best.head(MAX_NAMED).items())
    remaining = f" and {len(best) - MAX_NAMED} more" if len(best) > MAX_NAMED else ""
    return ComparisonResult(
        frame,
        # Rank 1 has the highest accuracy or AUC.
        means.rank(ascending=False).rename("mean_rank"),
        None,
        title + describe_family(control, adjust, len(frame)),
        reason,
        alpha,
        control,
        adjust,
        (f"{measure}: {names}{remaining}", *notes),
        difference_name=f"{measure} difference",
    )
