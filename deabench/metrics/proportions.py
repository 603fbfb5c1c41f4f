"""Intervals for the metrics that are proportions, in closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.counts import weighted, whole
from deabench.metrics.formulas import CELLS, PROPORTIONS, Cells
from deabench.utils.checks import did_you_mean

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

    level(alpha)
    if method not in METHODS:
        raise DataError(f"there is no method '{method}'; the methods are {', '.join(METHODS)}")
    for name in metrics or ():
        if name not in PROPORTIONS:
            raise DataError(
                f"metric '{name}' is not a proportion; {did_you_mean(name, list(PROPORTIONS))}"
            )
    if weighted(counts):
        raise DataError(
            "the counts are sums of sample weights, which have no binomial interval; give the instances and "
            "their weights to metrics.intervals"
        )
    checked = whole(counts)
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
    return by_row(parts, counts.index)


_KEPT = np.array([True, True, False, False, False])
"""Of an interval's columns, those that are known without trials."""


def by_row(parts: dict[str, pd.DataFrame], index: pd.Index) -> pd.DataFrame:
    """One frame per metric, as one frame with the metric as the innermost index level, row after
    row.
    """
    table = pd.concat(list(parts.values()))
    order = np.arange(len(table)).reshape(len(parts), len(index)).T.ravel()
    names = pd.Index(np.repeat(list(parts), len(index)), name="metric")
    table = table.set_index(names, append=True)
    return table.iloc[order]


def level(alpha: float, resamples: int = 100) -> None:
    """Refuse an alpha or a number of resamples that makes no interval."""
    if not 0 < alpha < 1:
        raise DataError(f"alpha is {alpha:g}; an interval needs an alpha between 0 and 1, as 0.05")
    if resamples < 100:
        raise DataError(f"resamples is {resamples}; a percentile interval needs at least 100")
