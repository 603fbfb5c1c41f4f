"""Many classifiers over many data sets: Friedman, Iman-Davenport, Nemenyi, and the critical difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from deabench.compare._gate import differences, level, one_of, scores
from deabench.errors import DataError

DIFFERENCE_TESTS = ("nemenyi", "bonferroni-dunn")


@dataclass(frozen=True)
class Friedman:
    """Ranks over data sets and the tests of "all classifiers are alike".

    Attributes
    ----------
    ranks : DataFrame, N x k
        Rank of each classifier on each data set, 1 = best, ties at their mean rank.
    mean_ranks : Series, k
        Their means, in the table's order.
    tests : DataFrame
        Indexed by test: statistic, distribution, p_value. Tie-corrected and Demšar's formula stand apart, by name.
    tie_factor : float
        Share of the rank variance that ties leave, in (0, 1]; 1 without ties. Corrected χ² = Demšar's χ² / tie_factor.
    """

    ranks: pd.DataFrame
    mean_ranks: pd.Series
    tests: pd.DataFrame
    tie_factor: float

    def to_frame(self) -> pd.DataFrame:
        return self.tests


def rank(table: pd.DataFrame, *, lower_is_better: bool = False) -> pd.DataFrame:
    """Ranks within each row, 1 = best, ties at their mean rank.

    Scores that differ by rounding noise alone (beyond 12 digits of the row's largest) are ties.
    """
    values = scores(table)
    scale = np.abs(values.to_numpy()).max(axis=1, keepdims=True)
    clean = pd.DataFrame(np.round(values.to_numpy() / np.where(scale > 0, scale, 1), 12),
                         index=values.index, columns=values.columns)
    return clean.rank(axis=1, ascending=lower_is_better, method="average")


def friedman(table: pd.DataFrame, *, lower_is_better: bool = False) -> Friedman:
    """Friedman's test and Iman and Davenport's F of it, each with and without the correction for ties.

    With mean ranks R_j over N data sets and k classifiers,
    Demšar's χ² = 12N/(k(k+1)) · (Σ R_j² - k(k+1)²/4), tie-corrected χ² = that / (1 - Σ(t³ - t)/(N(k³ - k))), on
    χ²(k - 1); F = (N - 1)χ²/(N(k - 1) - χ²) on F(k - 1, (k - 1)(N - 1)), less conservative than χ².

    Parameters
    ----------
    table : DataFrame, N x k
        Data sets in rows, at least three classifiers in columns.
    lower_is_better : bool
        Whether a low score earns rank 1.

    Returns
    -------
    Friedman

    Raises
    ------
    DataError
        A score that is not a finite number, fewer than 3 classifiers or 2 data sets, or all scores tied everywhere.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30, section 3.2.2; Iman, Davenport (1980), Communications in Statistics 9, 571-595.
    The tie-corrected χ² is `scipy.stats.friedmanchisquare`'s, which ranks the same way.
    """
    from scipy.stats import friedmanchisquare

    scores(table, least=3)
    ranks = rank(table, lower_is_better=lower_is_better)
    count, k = ranks.shape
    if (ranks.nunique(axis=1) == 1).all():
        raise DataError("all classifiers tie on every data set; there is nothing to test")
    means = ranks.mean().rename("mean_rank")
    plain = float(12 * count / (k * (k + 1)) * ((means**2).sum() - k * (k + 1)**2 / 4))
    corrected = float(friedmanchisquare(*ranks.to_numpy().T).statistic)
    rows = {}
    for name, chi2 in (("tie-corrected", corrected), ("Demšar's formula, no tie correction", plain)):
        rows[f"Friedman ({name})"] = (chi2, f"chi2({k - 1})", float(special.chdtrc(k - 1, max(chi2, 0.0))))
        f, p = _iman_davenport(chi2, count, k)
        rows[f"Iman-Davenport ({name})"] = (f, f"F({k - 1}, {(k - 1) * (count - 1)})", p)
    tests = pd.DataFrame.from_dict(rows, orient="index", columns=["statistic", "distribution", "p_value"])
    return Friedman(ranks, means, tests.rename_axis("test"), _tie_factor(ranks))


def _iman_davenport(chi2: float, count: int, k: int) -> tuple[float, float]:
    left = count * (k - 1) - chi2
    if left <= 1e-9 * count * (k - 1):
        return np.inf, 0.0  # every data set ranks the classifiers alike
    f = (count - 1) * chi2 / left
    return f, float(special.fdtrc(k - 1, (k - 1) * (count - 1), max(f, 0.0)))


def _tie_factor(ranks: pd.DataFrame) -> float:
    count, k = ranks.shape
    sizes = np.concatenate([np.unique(row, return_counts=True)[1] for row in ranks.to_numpy()])
    return 1.0 - float((sizes**3 - sizes).sum()) / (count * (k**3 - k))


def critical_difference(k: int, count: int, *, alpha: float = 0.05, test: str = "nemenyi") -> float:
    """The difference of mean ranks from which on two classifiers differ: CD = q_α √(k(k+1)/(6N)).

    Parameters
    ----------
    k : int
        Classifiers.
    count : int
        Data sets N.
    alpha : float
        Level over the family.
    test : str
        "nemenyi" (all pairs; q_α the studentised range's over √2) or "bonferroni-dunn" (against a control;
        q_α = z_{1 - α/(2(k - 1))}).

    Raises
    ------
    DataError
        Fewer than 2 classifiers or data sets, or an unknown test.
    """
    level(alpha)
    one_of(test, DIFFERENCE_TESTS, "critical difference")
    if k < 2 or count < 2:
        raise DataError(f"there are {k} classifiers and {count} data sets; give at least 2 of each")
    if test == "nemenyi":
        from scipy.stats import studentized_range

        q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / 2**0.5
    else:
        q = float(special.ndtri(1 - alpha / (2 * (k - 1))))
    return q * (k * (k + 1) / (6 * count))**0.5


def signs(table: pd.DataFrame, first: str, second: str, *, lower_is_better: bool = False) -> tuple[int, int, int]:
    """On how many data sets the first wins, the two tie, the second wins."""
    values = scores(table)
    d = differences(values[first].to_numpy(), values[second].to_numpy()) * (-1 if lower_is_better else 1)
    return int((d > 0).sum()), int((d == 0).sum()), int((d < 0).sum())
