"""Compute intervals for many 2x2 tables at once, and for any statistic of predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import scipy

from deabench.errors import DataError, warn_data
from deabench.inference.interval_methods import PREDICTIVE_VALUES
from deabench.inference.resampling import PRIOR
from deabench.metrics import labels
from deabench.metrics.counts import check_counts, compute_metrics, has_weighted_cells, row_label
from deabench.metrics.formulas import CELLS, METRICS, PROPORTIONS, Cells, canonical_name
from deabench.utils import instances
from deabench.utils.checks import choice, did_you_mean

PROPORTION_METHODS = ("wilson", "beta", "agresti_coull", "jeffreys", "normal")
"""Of `statsmodels.stats.proportion.proportion_confint`; 'beta' is Clopper and Pearson's."""
MIN_RESAMPLES = 100
MAX_TABLES = 100_000
"""Resamples of tables held at a time."""
Statistic: TypeAlias = Callable[[np.ndarray, np.ndarray], float]


def proportion_intervals(
    counts: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    alpha: float = 0.05,
    method: str = "wilson",
) -> pd.DataFrame:
    """Compute an interval of level 1 − alpha for every metric that is a proportion.

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
    if method not in PROPORTION_METHODS:
        raise DataError(
            f"there is no method '{method}'; the methods are {', '.join(PROPORTION_METHODS)}"
        )
    for name in metrics or ():
        if name not in PROPORTIONS:
            raise DataError(
                f"metric '{name}' is not a proportion; {did_you_mean(name, list(PROPORTIONS))}"
            )
    if has_weighted_cells(counts):
        raise DataError(
            "the counts are sums of sample weights, which have no binomial interval; give the "
            "instances and their weights to metrics.intervals"
        )
    checked = check_counts(counts)
    cells = Cells(**{cell: checked[cell].to_numpy() for cell in CELLS})
    frames = {}
    for name in PROPORTIONS if metrics is None else dict.fromkeys(metrics):
        # Both are sums of cells, written as "tp+tn".
        successes, trials = (
            sum(getattr(cells, cell) for cell in cells_added.split("+"))
            for cells_added in PROPORTIONS[name]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            lower, upper = proportion_confint(successes, trials, alpha, method)
            limits = pd.DataFrame(
                {"estimate": successes / trials, "lower": lower, "upper": upper}, counts.index
            )
        # statsmodels returns limits for 0 trials, which are no statement.
        limits[trials <= 0] = np.nan
        sizes = pd.DataFrame({"successes": successes, "trials": trials}, counts.index)
        frames[name] = pd.concat([sizes, limits], axis=1)
    return interleave_rows(frames, counts.index)


def bootstrap_counts(
    counts: pd.DataFrame,
    *,
    design: Literal["rows", "classes"] = "rows",
    method: Literal["jeffreys", "resample"] = "jeffreys",
    alpha: float = 0.05,
    **options: Any,
) -> pd.DataFrame:
    """Compute intervals of any metric of counts, row by row, by redrawing the cells.

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
    resamples = options.pop("resamples", 2000)
    seed = options.pop("seed", 0)
    check_level(alpha, resamples)
    choice("design", design, ("rows", "classes"))
    choice("method", method, ("jeffreys", "resample"))
    if has_weighted_cells(counts):
        raise DataError(
            "the counts are sums of sample weights; give the instances and their weights to "
            "metrics.intervals"
        )
    cells = check_counts(counts)
    estimates = compute_metrics(cells, **options)
    resampler = _CellResampler(np.random.default_rng(seed), resamples, design, method)
    # The same random numbers serve all metrics of a row.
    limits = _resampled_limits(cells.to_numpy(dtype=np.int64), resampler, alpha, options)
    frames = {}
    for column, name in enumerate(estimates.columns):
        frame = pd.DataFrame(
            {
                "estimate": estimates[name],
                "lower": limits.lower[:, column],
                "upper": limits.upper[:, column],
                "undefined": limits.undefined[:, column].astype(int),
            },
            counts.index,
        )
        if method == "jeffreys":
            # The estimate is inside: a rate of 0 or 1 is the end of its interval.
            frame["lower"] = np.fmin(frame["lower"], frame["estimate"])
            frame["upper"] = np.fmax(frame["upper"], frame["estimate"])
        metric = canonical_name(name)
        if method == "jeffreys" and design == "rows" and metric in PREDICTIVE_VALUES:
            wilson = proportion_intervals(cells, metrics=[metric], alpha=alpha)
            frame[["lower", "upper"]] = wilson[["lower", "upper"]].to_numpy()
        frames[name] = frame
    table = interleave_rows(frames, counts.index)
    table.attrs["design"] = design
    _warn_of_undefined(table["undefined"], resamples)
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
    """Compute intervals of any statistic of (y_true, prediction) by `scipy.stats.bootstrap`.

    For the metrics that deabench has, `intervals` covers better.

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
        There is no BCa interval where a resample is undefined or infinite, or all are equal: its
        limits are then NaN.
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
    >>> def mean_gap(y, s):
    ...     return s[y].mean() - s[~y].mean()
    >>> found = metrics.bootstrap(y, {"net": score}, mean_gap, resamples=200)
    >>> found.columns.tolist()
    ['estimate', 'lower', 'upper', 'undefined']
    """
    if method not in ("percentile", "BCa"):
        raise DataError(f"there is no method '{method}'; the methods are percentile and BCa")
    named_predictions = instances.predictions_by_name(predictions)
    true = labels.two_class_truth(y_true, positive, scores=True)
    for noun, members in (("positive", true.is_positive), ("negative", ~true.is_positive)):
        if members.sum() < 2:
            raise DataError(
                f"there is one {noun} instance; a stratified bootstrap needs two of each class"
            )
    rows = {}
    for name, values in named_predictions.items():
        scores = labels.read_scores(values, true, name=name)
        rows[name] = _bootstrap_statistic(true.is_positive, scores, statistic, method, **options)
    columns = ["estimate", "lower", "upper", "undefined"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("classifier")
    table["undefined"] = table["undefined"].astype(int)
    # A statistic that never varies has limits without a meaning.
    is_constant = (table["lower"] == table["upper"]) & (table["estimate"] == table["lower"])
    for name in table.index[is_constant]:
        warn_data(
            f"the statistic of '{name}' is the same in every resample: its limits say nothing"
        )
    _warn_of_undefined(table["undefined"], options.get("resamples", 2000))
    return table


def interleave_rows(frames: dict[str, pd.DataFrame], index: pd.Index) -> pd.DataFrame:
    """Combine one frame per metric; the metric becomes the innermost index level, row after row."""
    table = pd.concat(list(frames.values()))
    names = pd.Index(np.repeat(list(frames), len(index)), name="metric")
    # Metric by metric becomes row by row.
    order = np.arange(len(table)).reshape(len(frames), len(index)).T.ravel()
    return table.set_index(names, append=True).iloc[order]


def check_level(alpha: float, resamples: int = MIN_RESAMPLES) -> None:
    """Refuse an alpha or a number of resamples that gives no interval."""
    if not 0 < alpha < 1:
        raise DataError(f"alpha is {alpha:g}; an interval needs an alpha between 0 and 1, as 0.05")
    if resamples < MIN_RESAMPLES:
        raise DataError(
            f"resamples is {resamples}; a percentile interval needs at least {MIN_RESAMPLES}"
        )


class _ResampledLimits(NamedTuple):
    """Limits and the number of undefined resamples, each (rows, metrics)."""

    lower: np.ndarray
    upper: np.ndarray
    undefined: np.ndarray


class _CellResampler(NamedTuple):
    """How the cells of a row are redrawn."""

    rng: np.random.Generator
    resamples: int
    design: str
    method: str

    def draw(self, row: np.ndarray) -> np.ndarray:
        """Redraw (tp, fn, fp, tn); each class by itself where their sizes are fixed."""
        tables = []
        for cells in [row] if self.design == "rows" else [row[:2], row[2:]]:
            total = cells.sum()
            if self.method == "resample":
                tables.append(self.rng.multinomial(total, cells / max(total, 1), self.resamples))
            else:
                # Gamma variables divided by their sum have the cells' Dirichlet posterior.
                gammas = self.rng.standard_gamma(cells + PRIOR, (self.resamples, len(cells)))
                tables.append(total * gammas / gammas.sum(axis=1, keepdims=True))
        return np.concatenate(tables, axis=1)


def _resampled_limits(
    rows: np.ndarray, resampler: _CellResampler, alpha: float, options: dict[str, Any]
) -> _ResampledLimits:
    """Return the limits of every row and metric, some rows at a time."""
    if not len(rows):
        # No rows, but all the columns.
        empty = np.zeros((0, len(options.get("metrics") or METRICS)))
        return _ResampledLimits(empty, empty, empty)
    step = max(1, MAX_TABLES // resampler.resamples)
    blocks = []
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        tables = np.concatenate([resampler.draw(row) for row in block])
        values = compute_metrics(pd.DataFrame(tables, columns=list(CELLS)), **options).to_numpy()
        shape = (len(block), resampler.resamples, -1)
        blocks.append(_order_statistics(values.reshape(shape), alpha))
    return _ResampledLimits(*(np.concatenate(part) for part in zip(*blocks, strict=True)))


def _order_statistics(values: np.ndarray, alpha: float) -> _ResampledLimits:
    """Return order statistics of the defined resamples; these are the axis before last."""
    ordered = np.sort(values, axis=-2)  # NaN is sorted last.
    undefined = np.isnan(ordered).sum(axis=-2)
    defined = values.shape[-2] - undefined
    limits = []
    for share in (alpha / 2, 1 - alpha / 2):
        # The 1e-9 absorbs rounding: .025 · 2000 is the 50th draw.
        rank = np.ceil(defined * share - 1e-9).astype(int)
        position = np.clip(rank - 1, 0, np.maximum(defined - 1, 0))
        limit = np.take_along_axis(ordered, np.expand_dims(position, -2), axis=-2)
        limits.append(limit.squeeze(-2))
    return _ResampledLimits(limits[0], limits[1], undefined)


def _bootstrap_statistic(
    positive: np.ndarray,
    values: np.ndarray,
    statistic: Statistic,
    method: str,
    resamples: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
    design: str = "rows",
) -> tuple[float, float, float, int]:
    """Return estimate, lower and upper limit, and the number of undefined resamples."""
    check_level(alpha, resamples)
    choice("design", design, ("rows", "classes"))

    def evaluate(*strata_rows: np.ndarray) -> float:
        rows = np.concatenate(strata_rows).astype(int)
        has_both_classes = 0 < positive[rows].sum() < len(rows)
        return float(statistic(positive[rows], values[rows])) if has_both_classes else np.nan

    # scipy resamples each stratum by itself; the data are row numbers.
    strata = [np.ones_like(positive)] if design == "rows" else [positive, ~positive]
    data = tuple(np.flatnonzero(stratum).astype(float) for stratum in strata)
    settings = {"vectorized": False, "confidence_level": 1 - alpha}
    with warnings.catch_warnings():
        # A constant statistic is degenerate; its limits are its value.
        warnings.simplefilter("ignore", scipy.stats.DegenerateDataWarning)
        # The percentile method first: its draws serve BCa, too.
        result = scipy.stats.bootstrap(
            data,
            evaluate,
            n_resamples=resamples,
            method="percentile",
            rng=np.random.default_rng(seed),
            **settings,
        )
        resampled = np.asarray(result.bootstrap_distribution, dtype=float)
        limits = _order_statistics(resampled[:, None], alpha)
        lower = limits.lower[0]
        upper = limits.upper[0]
        if method == "BCa":
            lower = upper = np.nan
            if np.isfinite(resampled).all() and np.ptp(resampled) > 0:
                result = scipy.stats.bootstrap(
                    data, evaluate, n_resamples=0, bootstrap_result=result, method="BCa", **settings
                )
                lower, upper = result.confidence_interval
    return evaluate(*data), float(lower), float(upper), int(limits.undefined[0])


def _warn_of_undefined(undefined: pd.Series, resamples: int) -> None:
    for row, count in undefined[undefined > 0].items():
        if isinstance(row, tuple):
            metric = f"{row[-1]} of '{row_label(row[:-1])}'"
        else:
            metric = f"the statistic of '{row}'"
        warn_data(
            f"{metric} is undefined in {count} of {resamples} resamples: its interval holds where "
            "it is defined"
        )
