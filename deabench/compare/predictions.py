"""Classifiers on instances: which of them is right more often, or ranks better, on one test set or
on their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench import tango
from deabench.compare import pairs as of_two
from deabench.compare._validation import known_control, level, warn
from deabench.compare.adjust import Adjustment, adjusted
from deabench.compare.comparison import Findings
from deabench.compare.posthoc import fits
from deabench.compare.two import McNemarMethod, mcnemar, two_error_rates
from deabench.errors import DataError, DataWarning
from deabench.utils import instances
from deabench.utils.checks import choice

Test = Literal["mcnemar", "delong"]


def discordant(
    y_true: instances.Values, first: instances.Values, second: instances.Values
) -> tuple[int, int]:
    """b: instances that only the first classifier gets right; c: those that only the second does.
    Any number of classes.

    Raises
    ------
    DataError
        Where the three lengths differ, a label is missing, or a prediction is of a class that
        y_true does not hold (1 and '1' are two classes).

    Examples
    --------
    >>> from deabench import compare
    >>> compare.discordant([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1])
    (1, 1)
    """
    sizes = [len(instances.as_vector(values, "the labels")) for values in (y_true, first, second)]
    if len(set(sizes)) > 1:
        raise DataError(
            f"there are {sizes[0]} labels, {sizes[1]} and {sizes[2]} predictions; give as many of each"
        )
    right = right_of(y_true, {"first": first, "second": second}).to_numpy()
    return int((right[:, 0] & ~right[:, 1]).sum()), int((~right[:, 0] & right[:, 1]).sum())


def right_of(y_true: instances.Values, predictions: instances.Predictions) -> pd.DataFrame:
    """Which instances each classifier gets right: booleans, instances x classifiers.

    Raises
    ------
    DataError
        As `discordant`; indexes of Series that differ.
    """
    truth = instances.as_vector(y_true, "y_true").astype(object)
    if not len(truth):
        raise DataError("y_true is empty; give at least one instance")
    _present(truth, "the label in y_true")
    known = pd.Index(truth).unique()
    right = {}
    for name, values in instances.predictions_by_name(predictions).items():
        instances.check_same_index(values, instances.series_index(y_true), f"'{name}'")
        given = instances.as_vector(values, f"the prediction of '{name}'").astype(object)
        if len(given) != len(truth):
            raise DataError(
                f"'{name}' has {len(given)} predictions and y_true has {len(truth)} instances; give one for each"
            )
        _present(given, f"the prediction of '{name}'")
        strange = known.get_indexer(pd.Index(given)) < 0
        if strange.any():
            i = int(np.argmax(strange))
            raise DataError(
                f"'{name}' predicts the label {instances.to_python_scalar(given[i])!r} for instance {i + 1}; "
                f"y_true knows only {instances.format_labels(sorted(known, key=str))}"
            )
        right[name] = given == truth
    return pd.DataFrame(right)


def _present(values: NDArray[np.object_], what: str) -> None:
    gone = pd.isna(values)
    if gone.any():
        raise DataError(f"{what} for instance {int(np.argmax(gone)) + 1} is missing; give a label")


def on_one_test_set(
    y_true: instances.Values,
    predictions: instances.Predictions,
    *,
    test: Test = "mcnemar",
    method: McNemarMethod = "mid-p",
    control: str | None = None,
    adjust: Adjustment = "holm",
    alpha: float = 0.05,
    positive: object = None,
) -> Findings:
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
    Findings
        difference: accuracy or AUC of the first minus that of the second.

    Raises
    ------
    DataError
        Fewer than 2 classifiers, labels or scores that cannot be used, an unknown test, method or
        adjustment.

    Examples
    --------
    >>> from deabench import compare
    >>> found = compare.on_one_test_set([1] * 5 + [0] * 5, {"a": [1] * 5 + [0] * 5, "b": [0] * 5 + [1] * 4 + [0]})
    >>> found.to_frame()["p_value"].round(4).tolist()
    [0.002]
    """
    level(alpha)
    choice("test", test, get_args(Test))
    choice("method", method, get_args(McNemarMethod))
    values = instances.predictions_by_name(predictions)
    known_control(control, list(values))
    fits(adjust, control, by_ranks=False)
    if len(values) < 2:
        raise DataError(f"there is {len(values)} classifier; give at least 2")
    if test == "mcnemar":
        found, level_of, title = _by_mcnemar(y_true, predictions, control, method, alpha)
    else:
        found, level_of, title = _by_delong(y_true, predictions, control, positive, alpha)
    what = "accuracy" if test == "mcnemar" else "AUC"
    count = len(instances.as_vector(y_true, "y_true"))
    why = (
        f"{len(values)} classifiers on the same {count} instances: what they get wrong together says nothing about which is "
        "better"
    )
    return _finished(found, level_of, (what, title, why), (control, adjust, alpha))


def on_own_test_sets(
    y_true: Mapping[str, instances.Values],
    y_pred: Mapping[str, instances.Values],
    *,
    control: str | None = None,
    adjust: Adjustment = "holm",
    alpha: float = 0.05,
) -> Findings:
    """Compare the error rates of classifiers that were tested on different, independent instances,
    by the z test.

    Parameters
    ----------
    y_true, y_pred : mappings of classifier to labels
        Each classifier's own test set and its predictions there. For one test set that all share
        take `on_one_test_set`: the z test is blind to the pairing.
    control, adjust, alpha :
        As for `compare`.

    Returns
    -------
    Findings
        difference: accuracy of the first minus that of the second.

    Raises
    ------
    DataError
        As `on_one_test_set`; names that differ.

    Examples
    --------
    >>> from deabench import compare
    >>> truth = {"a": [1, 0] * 40, "b": [1, 0] * 50}
    >>> said = {"a": [1, 0] * 30 + [0, 1] * 10, "b": [1, 0] * 45 + [0, 1] * 5}
    >>> compare.on_own_test_sets(truth, said).to_frame()["p_value"].round(4).tolist()
    [0.0084]
    """
    level(alpha)
    if list(map(str, y_true)) != list(map(str, y_pred)):
        raise DataError(
            "the classifiers of y_true and y_pred differ; give each its own labels and predictions, in one order"
        )
    if len(y_true) < 2:
        raise DataError(f"there is {len(y_true)} classifier; give at least 2")
    known_control(control, list(y_true))
    fits(adjust, control, by_ranks=False)
    right = {name: right_of(truth, {name: y_pred[name]})[name] for name, truth in y_true.items()}
    means = pd.Series({name: float(hits.mean()) for name, hits in right.items()})
    which = of_two.chosen(list(right), control)
    found = _by_z(right, which, alpha)
    rough = [name for name, hits in right.items() if 0 < min(hits.sum(), (~hits).sum()) < 5]
    if rough:
        names = ", ".join(repr(name) for name in rough[:3]) + (
            " and others" if len(rough) > 3 else ""
        )
        warn(f"{names}: fewer than 5 errors or hits, the z test's normal approximation is rough")
    why = f"{len(right)} classifiers, each on instances of its own: the test sets are taken to be independent"
    return _finished(
        found, means, ("accuracy", "z test of two error rates", why), (control, adjust, alpha)
    )


def _by_z(right: Mapping[str, pd.Series], which: list[of_two.Pair], alpha: float) -> pd.DataFrame:
    rows, failed, reason = [], list[of_two.Pair](), ""
    for a, b in which:
        errors = [float((~right[name]).mean()) for name in (a, b)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # said once for all pairs
                one = two_error_rates(
                    errors[0], len(right[a]), errors[1], len(right[b]), alpha=alpha
                )
            rows.append((-one.difference, -one.upper, -one.lower, -one.statistic, one.p_value))
        except DataError as error:
            rows.append((errors[1] - errors[0], np.nan, np.nan, np.nan, np.nan))
            failed.append((a, b))
            reason = reason or str(error)
    found = _frame(which, np.array(rows))
    found.attrs["notes"] = (of_two.untested(failed, reason),) if failed else ()
    return found


def _by_mcnemar(
    y_true: instances.Values,
    predictions: instances.Predictions,
    control: str | None,
    method: McNemarMethod,
    alpha: float,
) -> tuple[pd.DataFrame, pd.Series, str]:
    right = right_of(y_true, predictions)
    hits = right.to_numpy().astype(np.int64)
    only = hits.T @ (1 - hits)  # only[i, j]: instances that i gets right and j does not
    which = of_two.chosen(right.columns, control)
    i, j = _places(right.columns, which)
    b, c, n = only[i, j], only[j, i], len(hits)
    tests = [
        mcnemar(int(x), int(y), n=n, method=method, alpha=alpha) for x, y in zip(b, c, strict=True)
    ]
    lower, upper = tango.interval(b, c, np.full(len(b), n), alpha)
    found = _frame(
        which,
        np.column_stack(
            [
                (b - c) / n,
                lower,
                upper,
                [one.statistic for one in tests],
                [one.p_value for one in tests],
            ]
        ),
    )
    for place, (name, values) in enumerate({"wins": b, "ties": n - b - c, "losses": c}.items()):
        found.insert(2 + place, name, values)
    return found, right.mean(), f"McNemar's test ({method})"


def _by_delong(
    y_true: instances.Values,
    predictions: instances.Predictions,
    control: str | None,
    positive: object,
    alpha: float,
) -> tuple[pd.DataFrame, pd.Series, str]:
    from deabench.metrics.roc_area import delong

    areas = delong(y_true, predictions, positive=positive)
    which = of_two.chosen(areas.auc.index, control)
    i, j = _places(areas.auc.index, which)
    auc, v = areas.auc.to_numpy(), areas.covariance.to_numpy()
    gap, variance = auc[i] - auc[j], np.maximum(v[i, i] + v[j, j] - 2 * v[i, j], 0.0)
    error = np.where(variance > 1e-15 * np.maximum(v[i, i] + v[j, j], 1e-300), variance, 0.0) ** 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, gap / error, np.where(gap == 0, 0.0, np.nan))
    margin = -special.ndtri(alpha / 2) * error
    found = _frame(
        which, np.column_stack([gap, gap - margin, gap + margin, z, 2 * special.ndtr(-np.abs(z))])
    )
    stuck = [pair for pair, value in zip(which, z, strict=True) if np.isnan(value)]
    found.attrs["notes"] = (
        (of_two.untested(stuck, "DeLong's variance of the difference is 0 or unknown"),)
        if stuck
        else ()
    )
    return found, areas.auc, "DeLong's test of two AUCs"


def _places(names: pd.Index, which: list[of_two.Pair]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return names.get_indexer([a for a, _ in which]), names.get_indexer([b for _, b in which])


def _frame(which: list[of_two.Pair], rows: ArrayLike) -> pd.DataFrame:
    out = pd.DataFrame({"first": [a for a, _ in which], "second": [b for _, b in which]})
    out[["difference", "lower", "upper", "statistic", "p_value"]] = np.asarray(
        rows, dtype=float
    ).reshape(len(which), 5)
    return out


def _finished(
    found: pd.DataFrame,
    means: pd.Series,
    words: tuple[str, str, str],
    asked: tuple[str | None, Adjustment, float],
) -> Findings:
    (what, title, why), (control, adjust, alpha) = words, asked
    notes = tuple(found.attrs.pop("notes", ()))
    found["adjusted"] = adjusted(found["p_value"].to_numpy(), adjust, len(means))
    found["different"] = found["adjusted"] < alpha
    found["better"] = of_two.better(found, low_wins=False)
    best = means.sort_values(ascending=False, kind="stable")
    shown = ", ".join(f"'{name}' {value:.4g}" for name, value in best.head(5).items())
    more = f" and {len(best) - 5} more" if len(best) > 5 else ""
    family = f", {adjust.capitalize()} over {len(found)} pairs" if len(found) > 1 else ""
    ranks = means.rank(ascending=False).rename("mean_rank")
    return Findings(
        found,
        ranks,
        None,
        title + family,
        why,
        alpha,
        control,
        adjust,
        (f"{what}: {shown}{more}", *notes),
    )
