"""One-way analysis of variance between groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.compare._validation import level, warn
from deabench.errors import DataError
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Anova(Result):
    """One-way analysis of variance.

    Attributes
    ----------
    table : DataFrame
        Rows "between" and "within": sum_of_squares, df, mean_square, F, p_value (the last two of
        "between" only).
    means : Series
        Mean of each group.
    eta_squared : float
        Share of the variance that lies between the groups, in [0, 1].
    levene_p, shapiro_p : float
        p values of Levene's test (medians) of equal variances and of Shapiro and Wilk's of normal
        residuals; NaN where the groups are too small or without spread.
    alpha : float
    notes : tuple of str
        Assumptions that do not hold.

    Examples
    --------
    >>> from deabench import compare
    >>> found = compare.anova({"a": [1, 2, 3], "b": [2, 4, 5]})
    >>> found.means.to_dict()
    {'a': 2.0, 'b': 3.6666666666666665}
    """

    table: pd.DataFrame
    means: pd.Series
    eta_squared: float
    levene_p: float
    shapiro_p: float
    alpha: float = 0.05
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        return self.table

    def summary(self) -> str:
        """Whether the means differ, which are the extremes, and what to know."""
        row = self.table.loc["between"]
        differ = "differ" if row["p_value"] < self.alpha else "are not found to differ"
        df = self.table["df"]
        order = self.means.sort_values(kind="stable")
        found = (
            f"the means of {len(order)} groups {differ} at {self.alpha:g}: F({df.iloc[0]}, {df.iloc[1]}) = {row['F']:.4g}, "
            f"p = {row['p_value']:.4g}; from {order.iloc[0]:.4g} ('{order.index[0]}') to {order.iloc[-1]:.4g} "
            f"('{order.index[-1]}'), {100 * self.eta_squared:.3g} % of the variance lies between them"
        )
        return "\n".join([found, *self.notes])


def anova(groups: Mapping[str, Sequence[float]] | pd.DataFrame, *, alpha: float = 0.05) -> Anova:
    """Test whether the means of several groups are equal: F = MS_between / MS_within on F(g - 1, n
    - g).

    Parameters
    ----------
    groups : mapping or DataFrame
        One sequence of numbers per group (sizes may differ), or one column per group.
    alpha : float
        Level below which the tests of the assumptions warn.

    Returns
    -------
    Anova

    Raises
    ------
    DataError
        Fewer than 2 groups, a group of fewer than 2 numbers, a number that is not finite, or no
        spread within a group.

    Warns
    -----
    DataWarning
        Where Levene's or Shapiro and Wilk's test rejects at `alpha`.

    Notes
    -----
    F and p are `scipy.stats.f_oneway`'s. The groups must be independent samples: scores of several
    classifiers on the same data sets are not (take `friedman`).

    Examples
    --------
    >>> from deabench import compare
    >>> found = compare.anova({"a": [1, 2, 3], "b": [2, 4, 5]})
    >>> round(float(found.table["p_value"].iloc[0]), 3)
    0.189
    """
    from scipy.stats import f_oneway

    level(alpha)
    samples = _samples(groups)
    values = np.concatenate(list(samples.values()))
    within = sum(float(((x - x.mean()) ** 2).sum()) for x in samples.values())
    between = sum(len(x) * float((x.mean() - values.mean()) ** 2) for x in samples.values())
    if within <= 1e-24 * float((values**2).sum()):
        raise DataError("no group has any spread; the analysis of variance is undefined")
    found = f_oneway(*samples.values())
    df = [len(samples) - 1, len(values) - len(samples)]
    table = pd.DataFrame(
        {
            "sum_of_squares": [between, within],
            "df": df,
            "mean_square": [between / df[0], within / df[1]],
            "F": [float(found.statistic), np.nan],
            "p_value": [float(found.pvalue), np.nan],
        },
        index=pd.Index(["between", "within"], name="source"),
    )
    levene_p, shapiro_p, notes = _assumptions(samples, alpha)
    means = pd.Series(
        {name: float(x.mean()) for name, x in samples.items()}, name="mean"
    ).rename_axis("group")
    return Anova(table, means, between / (between + within), levene_p, shapiro_p, alpha, notes)


def _samples(groups: Mapping[str, Sequence[float]] | pd.DataFrame) -> dict[str, np.ndarray]:
    if len(groups.keys()) < 2:
        raise DataError(f"there are {len(groups.keys())} groups; give at least 2")
    samples = {}
    for name in groups:
        if str(name) in samples:
            raise DataError(f"the group '{name}' stands twice; give each a name of its own")
        try:
            samples[str(name)] = x = np.asarray(groups[name], dtype=float)
        except (TypeError, ValueError):
            raise DataError(
                f"group '{name}' holds what is no number; give finite numbers"
            ) from None
        if x.ndim != 1 or len(x) < 2:
            raise DataError(
                f"group '{name}' has shape {x.shape}; give at least 2 numbers in each group"
            )
        if not np.isfinite(x).all():
            raise DataError(f"group '{name}' holds {x[~np.isfinite(x)][0]:g}; give finite numbers")
    return samples


def _assumptions(
    samples: Mapping[str, np.ndarray], alpha: float
) -> tuple[float, float, tuple[str, ...]]:
    from scipy.stats import levene, shapiro

    residuals = np.concatenate([x - x.mean() for x in samples.values()])
    spread = any(np.ptp(np.abs(x - np.median(x))) > 0 for x in samples.values())
    levene_p = float(levene(*samples.values()).pvalue) if spread else np.nan
    shapiro_p = float(shapiro(residuals).pvalue) if 3 <= len(residuals) <= 5000 else np.nan
    notes = []
    if levene_p < alpha:
        notes.append(
            f"Levene's test rejects equal variances of the groups (p = {levene_p:.4f}): the F test's p value is rough"
        )
    if shapiro_p < alpha:
        notes.append(
            f"Shapiro and Wilk's test rejects normal residuals (p = {shapiro_p:.4f}): the F test's p value is rough"
        )
    for note in notes:
        warn(note)
    return levene_p, shapiro_p, tuple(notes)
