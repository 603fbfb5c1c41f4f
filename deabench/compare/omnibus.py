"""Tests of "all are alike" beside Friedman's: scores missing (Skillings-Mack), groups (ANOVA)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy
from scipy import special

from deabench.compare.friedman import DRAWS, EXACT_DATA_SETS, has_ties, rank_scores
from deabench.compare.score_tables import Floats, check_scores
from deabench.errors import DataError, warn_data
from deabench.utils.checks import choice, share
from deabench.utils.frames import pandas_or_same
from deabench.utils.result import Result

SkillingsMackMethod = Literal["auto", "permutation", "asymptotic"]
LISTED_CLASSIFIERS = 6
"""Orders of this many classifiers are listed and drawn from; more are shuffled."""
MAX_SHAPIRO = 5000
"""Shapiro and Wilk's p value is not accurate for more numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class SkillingsMack(Result):
    """The test of "all classifiers are alike" if scores are missing.

    Attributes
    ----------
    ranks : DataFrame, N x k
        Within each data set among the classifiers that have a score there, 1 = best; missing where
        there is none.
    mean_ranks : Series, k
        Mean rank as a share of the data set's own: 1 + (k - 1)(r - 1)/(k_i - 1), averaged over the
        data sets a classifier has, so that 1 is always best and k always worst.
    statistic : float
    distribution : str
        "chi2(k - 1)", or "20000 random orders" up to 13 data sets and where there are ties.
    p_value : float
    notes : tuple of str
        How much is missing, and which data sets tell nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92], "b": [.79, .74, .90], "c": [.70, .71, .83]})
    >>> result = compare.skillings_mack(table.mask(table == .90))
    >>> bool(0 <= result.p_value <= 1)
    True
    """

    _text = "compare"

    ranks: pd.DataFrame
    mean_ranks: pd.Series
    statistic: float
    distribution: str
    p_value: float
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the test as one row: statistic, distribution, p_value."""
        row = {
            "statistic": self.statistic,
            "distribution": self.distribution,
            "p_value": self.p_value,
        }
        return pd.DataFrame([row], index=pd.Index(["Skillings-Mack"], name="test"))


def skillings_mack(
    table: pd.DataFrame,
    *,
    higher_is_better: bool = True,
    method: SkillingsMackMethod = "auto",
    seed: int = 0,
) -> SkillingsMack:
    """Compute Friedman's test for tables with missing scores.

    Each data set ranks the k_i classifiers it has; A_j = Σ_i √(12/(k_i + 1)) (r_ij - (k_i + 1)/2)
    adds up how far classifier j is from the middle, and the statistic is A'Σ⁻A with Σ the
    covariance of A if all are alike. Without missing scores and ties it is Friedman's χ².

    Parameters
    ----------
    table : DataFrame, N x k
        Data sets in rows, at least three classifiers in columns; a missing score is NaN.
    higher_is_better : bool
        Whether a high score is good.
    method : "auto", "permutation", "asymptotic"
        "auto": 20,000 random orders up to 13 data sets or where scores are tied (χ² is conservative
        with ties), χ²(k - 1) otherwise.
    seed : int
        Of the random orders.

    Returns
    -------
    SkillingsMack

    Raises
    ------
    DataError
        As `friedman`; a classifier without a score on a data set that another has; classifiers that
        no chain of common data sets connects.

    Notes
    -----
    Skillings, Mack (1981), Technometrics 23, 171-177, doi:10.1080/00401706.1981.10486261. That a
    score is missing must not depend on how good it would have been: a classifier that fails on hard
    data sets looks too good.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.8, .7, .9, .6], "b": [.7, .6, .8, .7], "c": [.5, .6, .7, .5]})
    >>> round(compare.skillings_mack(table.mask(table == .9)).statistic, 3)
    4.354
    """
    choice("method", method, get_args(SkillingsMackMethod))
    values = check_scores(table, min_classifiers=3, allow_missing=True)
    # A data set with one score ranks nothing.
    used = values[values.notna().sum(axis=1) >= 2]
    _check_connected(used)
    ranks = rank_scores(used, higher_is_better)
    design = SkillingsMackDesign(ranks.to_numpy())
    if not design.deviations.any():
        raise DataError("all systems tie on every data set; there is nothing to test")
    # Only the sums of deviations over the data sets enter the statistic.
    statistic = float(design.statistics(design.deviations.sum(axis=0)[None])[0])
    count, k = used.shape
    # χ² is rough for few data sets and conservative under ties.
    is_rough = count <= EXACT_DATA_SETS or bool(has_ties(ranks).any())
    if method == "permutation" or (method == "auto" and is_rough):
        p_value = float(design.permutation_p_values(np.array([statistic]), seed)[0])
        distribution = f"{DRAWS} random orders"
    else:
        p_value = float(special.chdtrc(k - 1, statistic))
        distribution = f"chi2({k - 1})"
    # Ranks of data sets of different sizes on one scale, 1 to k.
    sizes = used.notna().sum(axis=1).to_numpy()
    scaled = 1 + (k - 1) * ranks.sub(1).div(sizes - 1, axis=0)
    return SkillingsMack(
        ranks,
        scaled.mean().rename("mean_rank"),
        statistic,
        distribution,
        p_value,
        _describe_gaps(values, len(used)),
    )


class SkillingsMackDesign:
    """Which data set has which classifier, and the covariance of the rank sums that follows.

    Parameters
    ----------
    ranks : array, N x k
        NaN where a score is missing.
    """

    def __init__(self, ranks: Floats) -> None:
        self.present = np.isfinite(ranks)
        size = self.present.sum(axis=1, keepdims=True)
        # Weight the data sets so that each has the same variance of ranks, whatever its size.
        weight = (12 / (size + 1)) ** 0.5
        centred = weight * (np.nan_to_num(ranks) - (size + 1) / 2)
        # A missing score deviates from nothing.
        self.deviations = np.where(self.present, centred, 0.0)
        # Σ has minus the number of common data sets beside the diagonal and rows that sum to 0, so
        # it has rank k - 1 and needs a pseudo-inverse.
        common = self.present.astype(float).T @ self.present
        np.fill_diagonal(common, 0.0)
        self.inverse = np.linalg.pinv(np.diag(common.sum(axis=1)) - common, hermitian=True)

    def statistics(self, sums: Floats) -> Floats:
        """Return A'Σ⁻A for each of several sums of weighted deviations A, shape (B, k)."""
        return np.asarray(((sums @ self.inverse) * sums).sum(axis=1))

    def permutation_p_values(self, observed: Floats, seed: int) -> Floats:
        """Return the p value of each statistic from random orders within the data sets.

        The observed table counts as one of them.
        """
        rng = np.random.default_rng(seed)
        sums = np.zeros((DRAWS, self.present.shape[1]))
        for present, row in zip(self.present, self.deviations, strict=True):
            sums[:, present] += _draw_orders(row[present], rng)
        # Statistics that differ by rounding noise are equal.
        below = np.searchsorted(np.sort(self.statistics(sums)), observed * (1 - 1e-9))
        return np.asarray((1 + DRAWS - below) / (1 + DRAWS))


def _draw_orders(values: Floats, rng: np.random.Generator) -> Floats:
    """Draw random orders of a few values, shape (DRAWS, k)."""
    if len(values) > LISTED_CLASSIFIERS:
        return rng.permuted(np.broadcast_to(values, (DRAWS, len(values))), axis=1)
    # Of few values all orders are listed once, then drawn by number.
    orders = np.array(list(permutations(values)))
    return orders[rng.integers(0, len(orders), DRAWS)]


def _check_connected(values: pd.DataFrame) -> None:
    """Refuse classifiers whose ranks say nothing about each other."""
    present = values.notna().to_numpy()
    for name, is_present in zip(values.columns, present.any(axis=0), strict=True):
        if not is_present:
            raise DataError(f"'{name}' shares no data set with another system; leave it out")
    # Grow the set of classifiers that chains of common data sets connect with the first one.
    connected = np.zeros(present.shape[1], dtype=bool)
    connected[0] = True
    for _ in range(present.shape[1]):
        connected |= present[(present & connected).any(axis=1)].any(axis=0)
    if not connected.all():
        name = values.columns[~connected][0]
        raise DataError(
            f"no chain of common data sets connects '{values.columns[0]}' and '{name}'; compare "
            "them in separate tables"
        )


def _describe_gaps(values: pd.DataFrame, used: int) -> tuple[str, ...]:
    missing = int(values.isna().to_numpy().sum())
    if not missing:
        return ()
    note = (
        f"{missing} of {values.size} scores are missing: the test assumes that this does not "
        "depend on how good they would be"
    )
    if used == len(values):
        return (note,)
    return (
        note,
        f"{len(values) - used} of {len(values)} data sets have fewer than 2 scores and are ignored",
    )


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
        residuals; NaN if the groups are too small or without spread.
    alpha : float
    notes : tuple of str
        Assumptions that do not hold.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.anova({"a": [1, 2, 3], "b": [2, 4, 5]}).means.to_dict()
    {'a': 2.0, 'b': 3.6666666666666665}
    """

    _frame = "table"
    _text = "compare"

    table: pd.DataFrame
    means: pd.Series
    eta_squared: float
    levene_p: float
    shapiro_p: float
    alpha: float = 0.05
    notes: tuple[str, ...] = ()


def anova(groups: Mapping[str, Sequence[float]] | pd.DataFrame, *, alpha: float = 0.05) -> Anova:
    """Test whether the means of several groups are equal, by F = MS_between / MS_within.

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
        If Levene's or Shapiro and Wilk's test rejects at `alpha`.

    Notes
    -----
    F and p, on F(g - 1, n - g), are `scipy.stats.f_oneway`'s. The groups must be independent
    samples: scores of several classifiers on the same data sets are not (use `friedman`).

    Examples
    --------
    >>> from deabench import compare
    >>> result = compare.anova({"a": [1, 2, 3], "b": [2, 4, 5]})
    >>> round(float(result.table["p_value"].iloc[0]), 3)
    0.189
    """
    share("alpha", alpha)
    samples = _check_groups(groups)
    values = np.concatenate(list(samples.values()))
    # The sum of squares within the groups, and of the group means about the mean of all.
    within_ss = sum(float(((x - x.mean()) ** 2).sum()) for x in samples.values())
    between_ss = sum(len(x) * float((x.mean() - values.mean()) ** 2) for x in samples.values())
    # What remains by rounding is no spread.
    if within_ss <= 1e-24 * float((values**2).sum()):
        raise DataError(
            "no group has any spread; the analysis of variance is undefined, give groups that vary"
        )
    result = scipy.stats.f_oneway(*samples.values())
    df = [len(samples) - 1, len(values) - len(samples)]
    table = pd.DataFrame(
        {
            "sum_of_squares": [between_ss, within_ss],
            "df": df,
            "mean_square": [between_ss / df[0], within_ss / df[1]],
            "F": [float(result.statistic), np.nan],
            "p_value": [float(result.pvalue), np.nan],
        },
        index=pd.Index(["between", "within"], name="source"),
    )
    # Levene's test needs some spread, Shapiro and Wilk's 3 to 5000 numbers.
    residuals = np.concatenate([x - x.mean() for x in samples.values()])
    levene_p = shapiro_p = np.nan
    if any(np.ptp(np.abs(x - np.median(x))) > 0 for x in samples.values()):
        levene_p = float(scipy.stats.levene(*samples.values()).pvalue)
    if 3 <= len(residuals) <= MAX_SHAPIRO:
        shapiro_p = float(scipy.stats.shapiro(residuals).pvalue)
    notes = []
    for assumption, p_value in (
        ("Levene's test rejects equal variances of the groups", levene_p),
        ("Shapiro and Wilk's test rejects normal residuals", shapiro_p),
    ):
        if p_value < alpha:
            notes.append(f"{assumption} (p = {p_value:.4f}): the F test's p value is rough")
            warn_data(notes[-1])
    means = pd.Series({name: float(x.mean()) for name, x in samples.items()}, name="mean")
    return Anova(
        table,
        means.rename_axis("group"),
        between_ss / (between_ss + within_ss),
        levene_p,
        shapiro_p,
        alpha,
        tuple(notes),
    )


def _check_groups(groups: Mapping[str, Sequence[float]] | pd.DataFrame) -> dict[str, Floats]:
    groups = pandas_or_same(groups)
    if len(groups.keys()) < 2:
        raise DataError(f"there are {len(groups.keys())} groups; give at least 2")
    # Groups may differ in size; each needs two finite numbers and a name of its own.
    samples: dict[str, Floats] = {}
    for name in groups:
        if str(name) in samples:
            raise DataError(f"the group '{name}' appears twice; give each a name of its own")
        try:
            sample = np.asarray(groups[name], dtype=float)
        except (TypeError, ValueError):
            raise DataError(
                f"group '{name}' contains a value that is no number; give finite numbers"
            ) from None
        if sample.ndim != 1 or len(sample) < 2:
            raise DataError(
                f"group '{name}' has shape {sample.shape}; give at least 2 numbers in each group"
            )
        if not np.isfinite(sample).all():
            value = sample[~np.isfinite(sample)][0]
            raise DataError(f"group '{name}' contains {value:g}; give finite numbers")
        samples[str(name)] = sample
    return samples
