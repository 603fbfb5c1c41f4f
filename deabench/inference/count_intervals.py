"""Intervals for the metrics that are proportions, in closed form."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.inference.interval_methods import PREDICTIVE
from deabench.inference.resampling import PRIOR
from deabench.metrics import labels
from deabench.metrics.counts import check_counts, compute_metrics, has_weighted_cells, row_label
from deabench.metrics.formulas import CELLS, METRICS, PROPORTIONS, Cells, canonical_name
from deabench.utils import instances
from deabench.utils.checks import choice, did_you_mean

METHODS = ("wilson", "beta", "agresti_coull", "jeffreys", "normal")
"""Of `statsmodels.stats.proportion.proportion_confint`; 'beta' is Clopper and Pearson's."""


def proportion_intervals(
    counts: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    alpha: float = 0.05,
    method: str = "wilson",
) -> pd.DataFrame:
    """An interval of level 1 − alpha for every metric that is a proportion.

    Wilson's, by default: {p : |p̂ − p| ≤ z √(p (1 − p) / m)} for a share p̂ of m trials. It stays
    inside [0, 1], and does not collapse at 0 and 1 as the textbook's p̂ ± z √(p̂ (1 − p̂) / m) does
    ('normal').

    Parameters
    ----------
    counts : DataFrame with tp, fn, fp, tn
    metrics : sequence of names, optional
        Of TPR, TNR, FPR, FNR, PPV, NPV, FDR, FOR, accuracy, misclassification_rate, prevalence and
        queue_rate; all by default. The trials are the metric's denominator, taken as fixed.
    alpha : float in (0, 1)
    method : 'wilson', 'beta' (Clopper and Pearson), 'agresti_coull', 'jeffreys' or 'normal'

    Returns
    -------
    DataFrame, (rows, metrics) x (successes, trials, estimate, lower, upper)
        NaN where there are no trials.

    References
    ----------
    Wilson (1927), JASA 22, 209-212, doi:10.1080/01621459.1927.10502953.

    Examples
    --------
    >>> counts = pd.DataFrame({"tp": [6], "fn": [2], "fp": [3], "tn": [9]}, index=["net"])
    >>> proportion_intervals(counts, metrics=["TPR"])[["estimate", "lower", "upper"]].round(3)
                estimate  lower  upper
        metric
    net TPR         0.75  0.409  0.929
    """
    from statsmodels.stats.proportion import proportion_confint

    check_level(alpha)
    if method not in METHODS:
        raise DataError(f"there is no method '{method}'; the methods are {', '.join(METHODS)}")
    for name in metrics or ():
        if name not in PROPORTIONS:
            raise DataError(
                f"metric '{name}' is not a proportion; {did_you_mean(name, list(PROPORTIONS))}"
            )
    if has_weighted_cells(counts):
        raise DataError(
            "the counts are sums of sample weights, which have no binomial interval; give the instances and "
            "their weights to metrics.intervals"
        )
    checked = check_counts(counts)
    cells = Cells(**{cell: checked[cell].to_numpy() for cell in CELLS})
    parts = {}
    for name in PROPORTIONS if metrics is None else dict.fromkeys(metrics):
        hits, trials = (
            sum(getattr(cells, part) for part in whole_of.split("+"))
            for whole_of in PROPORTIONS[name]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            lower, upper = proportion_confint(hits, trials, alpha, method)
            estimate = hits / trials
        columns = {
            "successes": hits,
            "trials": trials,
            "estimate": estimate,
            "lower": lower,
            "upper": upper,
        }
        parts[name] = pd.DataFrame(columns, index=counts.index).where((trials > 0)[:, None] | _KEPT)
    return interleave_rows(parts, counts.index)


_KEPT = np.array([True, True, False, False, False])
"""Of an interval's columns, those that are known without trials."""


def interleave_rows(parts: dict[str, pd.DataFrame], index: pd.Index) -> pd.DataFrame:
    """One frame per metric, as one frame with the metric as the innermost index level, row after
    row.
    """
    table = pd.concat(list(parts.values()))
    order = np.arange(len(table)).reshape(len(parts), len(index)).T.ravel()
    names = pd.Index(np.repeat(list(parts), len(index)), name="metric")
    table = table.set_index(names, append=True)
    return table.iloc[order]


def check_level(alpha: float, resamples: int = 100) -> None:
    """Refuse an alpha or a number of resamples that makes no interval."""
    if not 0 < alpha < 1:
        raise DataError(f"alpha is {alpha:g}; an interval needs an alpha between 0 and 1, as 0.05")
    if resamples < 100:
        raise DataError(f"resamples is {resamples}; a percentile interval needs at least 100")


AT_ONCE = 100_000
"""Resamples of tables held at a time."""
Statistic: TypeAlias = Callable[[np.ndarray, np.ndarray], float]


def bootstrap_counts(
    counts: pd.DataFrame,
    *,
    design: Literal["rows", "classes"] = "rows",
    method: Literal["jeffreys", "resample"] = "jeffreys",
    alpha: float = 0.05,
    **options: Any,
) -> pd.DataFrame:
    """Intervals of any metric of counts, row by row, by redrawing the cells.

    Parameters
    ----------
    counts : DataFrame with tp, fn, fp, tn
    design : 'rows' or 'classes'
        rows: the instances are a sample, and the number of positives is as random as the rest.
        classes: the numbers of positives and negatives were fixed; intervals of accuracy, PPV and
        their like are then narrower, and where the instances were a sample they are too narrow (at
        prevalence .3, TPR .3, TNR .95 accuracy's covers .87, not .95).
    method : 'jeffreys' or 'resample'
        jeffreys: the cells' posterior, with half an instance in every cell, and Wilson's intervals
        of PPV, NPV, FDR and FOR where the instances are a sample; covers .93 to .97 at nominal .95
        for 200 rows. resample: the instances redrawn, which leaves an empty cell empty, so that a
        perfect rate gets [1, 1].
    alpha : float in (0, 1)
    **options
        `resamples` (2000), `seed` (0), `metrics` and the rest as for `from_counts`.

    Returns
    -------
    DataFrame, (rows, metrics) x (estimate, lower, upper, undefined)
        Limits are order statistics of the resamples where the metric is defined, infinite values
        among them; `undefined` is the number of the others.

    Warns
    -----
    DataWarning
        Where a metric is undefined in some resamples: the interval then holds given that it is
        defined.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 8 and 13.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"tp": [30], "fn": [10], "fp": [5], "tn": [55]}, index=["a"])
    >>> found = metrics.bootstrap_counts(counts, metrics=["TPR"])
    >>> found[["estimate", "lower", "upper"]].round(1).iloc[0].tolist()
    [0.8, 0.6, 0.9]
    """
    resamples, seed = options.pop("resamples", 2000), options.pop("seed", 0)
    check_level(alpha, resamples)
    choice("design", design, ("rows", "classes"))
    choice("method", method, ("jeffreys", "resample"))
    if has_weighted_cells(counts):
        raise DataError(
            "the counts are sums of sample weights; give the instances and their weights to metrics.intervals"
        )
    checked = check_counts(counts)
    estimates = compute_metrics(checked, **options)
    rng = np.random.default_rng(seed)
    low, high, lacking = _limits(
        checked.to_numpy(dtype=np.int64), resamples, (rng, design, method), alpha, options
    )
    parts = {
        name: pd.DataFrame(
            {"lower": low[:, k], "upper": high[:, k], "undefined": lacking[:, k]}, counts.index
        )
        for k, name in enumerate(estimates.columns)
    }
    for name, part in parts.items():
        part.insert(0, "estimate", estimates[name])
        if method == "jeffreys":  # a rate of 0 or 1 is the end of its interval
            part["lower"], part["upper"] = (
                np.fmin(part["lower"], estimates[name]),
                np.fmax(part["upper"], estimates[name]),
            )
        if method == "jeffreys" and design == "rows" and canonical_name(name) in PREDICTIVE:
            wilson = proportion_intervals(checked, metrics=[canonical_name(name)], alpha=alpha)
            part[["lower", "upper"]] = wilson[["lower", "upper"]].to_numpy()
        part["undefined"] = part["undefined"].astype(int)
    table = interleave_rows(parts, counts.index)
    table.attrs["design"] = design
    _tell(table["undefined"], resamples)
    return table


def bootstrap(
    y_true: instances.Values,
    predictions: instances.Predictions,
    statistic: Statistic,
    *,
    positive: object = None,
    method: str = "percentile",
    **options: Any,
) -> pd.DataFrame:
    """Intervals of any statistic of (y_true, prediction) by `scipy.stats.bootstrap`; `intervals`
    covers better.

    Parameters
    ----------
    y_true : labels, one per instance
        Both classes must occur.
    predictions : mapping or DataFrame
        {name: finite scores, or predictions as numbers}.
    statistic : function of (bool array: is positive, float array: prediction)
        Returns a number, or NaN where it is undefined; `sklearn.metrics.roc_auc_score` is one.
    positive : label, optional
        As for `from_predictions`.
    method : 'percentile' or 'BCa'
        BCa is not to be had where a resample is undefined or infinite, or all are equal: its limits
        are then NaN.
    **options
        `design` ('rows', or 'classes' to resample positives and negatives among themselves),
        `resamples` (2000), `alpha` (0.05) and `seed` (0), as for `bootstrap_counts`.

    Returns
    -------
    DataFrame, classifiers x (estimate, lower, upper, undefined)
        As for `bootstrap_counts`.

    Warns
    -----
    DataWarning
        Where the statistic is undefined in some resamples, or the same in all of them: its limits
        then say nothing.

    Examples
    --------
    >>> from deabench import metrics
    >>> import numpy as np
    >>> y, score = [1] * 20 + [0] * 20, np.r_[np.linspace(.3, 1, 20), np.linspace(0, .7, 20)]
    >>> found = metrics.bootstrap(y, {"net": score}, lambda y, s: s[y].mean() - s[~y].mean(), resamples=200)
    >>> found.columns.tolist()
    ['estimate', 'lower', 'upper', 'undefined']
    """
    if method not in ("percentile", "BCa"):
        raise DataError(f"there is no method '{method}'; the methods are percentile and BCa")
    pairs, true = (
        instances.predictions_by_name(predictions),
        labels.two_class_truth(y_true, positive, scores=True),
    )
    for what, share in (("positive", true.is_positive), ("negative", ~true.is_positive)):
        if share.sum() < 2:
            raise DataError(
                f"there is one {what} instance; a stratified bootstrap needs two of each class"
            )
    rows = {
        name: _resampled(
            true.is_positive,
            labels.read_scores(values, true, name=name),
            statistic,
            method,
            **options,
        )
        for name, values in pairs.items()
    }
    columns = ["estimate", "lower", "upper", "undefined"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("classifier")
    table["undefined"] = table["undefined"].astype(int)
    for name in table.index[
        (table["lower"] == table["upper"]) & (table["estimate"] == table["lower"])
    ]:
        warnings.warn(
            f"the statistic of '{name}' is the same in every resample: its limits say nothing",
            DataWarning,
            stacklevel=2,
        )
    _tell(table["undefined"], options.get("resamples", 2000))
    return table


def _resampled(
    positive: np.ndarray,
    values: np.ndarray,
    statistic: Statistic,
    method: str,
    resamples: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
    design: str = "rows",
) -> tuple[float, float, float, int]:
    from scipy import stats

    check_level(alpha, resamples)
    choice("design", design, ("rows", "classes"))

    def of(*drawn: np.ndarray) -> float:
        rows = np.concatenate(drawn).astype(int)
        both = 0 < positive[rows].sum() < len(rows)
        return float(statistic(positive[rows], values[rows])) if both else np.nan

    sides = [np.ones_like(positive)] if design == "rows" else [positive, ~positive]
    data = tuple(np.flatnonzero(side).astype(float) for side in sides)
    same = {"vectorized": False, "confidence_level": 1 - alpha}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", stats.DegenerateDataWarning
        )  # a constant statistic: the limits are its value
        result = stats.bootstrap(
            data,
            of,
            n_resamples=resamples,
            method="percentile",
            rng=np.random.default_rng(seed),
            **same,
        )
        drawn = np.asarray(result.bootstrap_distribution, dtype=float)
        lower, upper, lacking = (part[0] for part in _summary(drawn[:, None], alpha))
        if method == "BCa":
            lower = upper = np.nan
            if np.isfinite(drawn).all() and np.ptp(drawn) > 0:
                result = stats.bootstrap(
                    data, of, n_resamples=0, bootstrap_result=result, method="BCa", **same
                )
                lower, upper = result.confidence_interval
    return of(*data), float(lower), float(upper), int(lacking)


def _limits(
    rows: np.ndarray,
    resamples: int,
    how: tuple[np.random.Generator, str, str],
    alpha: float,
    options: dict[str, Any],
) -> tuple[np.ndarray, ...]:
    """Lower, upper and the number of undefined resamples, each (rows, metrics), some rows at a
    time.
    """
    step, parts = max(1, AT_ONCE // resamples), []
    if not len(rows):
        return tuple(np.zeros((0, len(options.get("metrics") or METRICS))) for _ in range(3))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        drawn = np.concatenate([_redrawn(row, resamples, *how) for row in some])
        values = compute_metrics(pd.DataFrame(drawn, columns=list(CELLS)), **options).to_numpy()
        parts.append(_summary(values.reshape(len(some), resamples, -1), alpha))
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def _redrawn(
    row: np.ndarray, resamples: int, rng: np.random.Generator, design: str, method: str
) -> np.ndarray:
    """The cells (tp, fn, fp, tn) drawn again; both classes apart where their sizes are fixed."""
    parts = [row] if design == "rows" else [row[:2], row[2:]]
    drawn = []
    for part in parts:
        total = part.sum()
        if method == "resample":
            drawn.append(rng.multinomial(total, part / max(total, 1), resamples))
        else:
            sums = rng.standard_gamma(part + PRIOR, (resamples, len(part)))
            drawn.append(total * sums / sums.sum(axis=1, keepdims=True))
    return np.concatenate(drawn, axis=1)


def _summary(drawn: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower and upper limit (order statistics) and the number of undefined resamples; the resamples
    are the axis before last.
    """
    ordered = np.sort(drawn, axis=-2)  # NaN goes last
    lacking = np.isnan(ordered).sum(axis=-2)
    number = drawn.shape[-2] - lacking
    limits = []
    for share in (alpha / 2, 1 - alpha / 2):
        place = np.clip(
            np.ceil(number * share - 1e-9).astype(int) - 1, 0, np.maximum(number - 1, 0)
        )
        limits.append(np.take_along_axis(ordered, np.expand_dims(place, -2), axis=-2).squeeze(-2))
    return limits[0], limits[1], lacking


def _tell(lacking: pd.Series, resamples: int) -> None:
    for row, number in lacking[lacking > 0].items():
        what = (
            f"{row[-1]} of '{row_label(row[:-1])}'"
            if isinstance(row, tuple)
            else f"the statistic of '{row}'"
        )
        said = f"{what} is undefined in {number} of {resamples} resamples"
        warnings.warn(f"{said}: its interval holds where it is defined", DataWarning, stacklevel=3)
