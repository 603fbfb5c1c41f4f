"""Many classifiers over many data sets: Friedman, Iman-Davenport, Nemenyi, and the critical
difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from deabench.compare._validation import NOISE_DIGITS, level, old_direction, scores, whole
from deabench.compare.exact import FEW, RankSums, drawn, enumerated, rank_sums
from deabench.errors import DataError
from deabench.utils.checks import choice
from deabench.utils.result import Result

DifferenceTest = Literal["nemenyi", "bonferroni-dunn"]
Method = Literal["auto", "exact", "permutation", "asymptotic"]
LIBERAL = 4
"""Up to so many data sets the approximated distributions reject more than 6 % at a nominal 5 %."""
NAMES = ("tie-corrected", "Demšar's formula, no tie correction")


@dataclass(frozen=True, eq=False, repr=False)
class Friedman(Result):
    """Ranks over data sets and the tests of "all classifiers are alike".

    Attributes
    ----------
    ranks : DataFrame, N x k
        Rank of each classifier on each data set, 1 = best, ties at their mean rank.
    mean_ranks : Series, k
        Their means, in the table's order.
    tests : DataFrame
        Indexed by test: statistic, distribution, p_value. Tie-corrected and Demšar's formula stand
        apart, by name. Where the distribution is exact or of random orders, all four have one p
        value: they order the tables alike.
    tie_factor : float
        Share of the rank variance that ties leave, in (0, 1]; 1 without ties. Corrected χ² =
        Demšar's χ² / tie_factor.
    notes : tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> found = compare.friedman(table)
    >>> found.mean_ranks.to_dict()
    {'a': 1.2, 'b': 1.8, 'c': 3.0}
    """

    ranks: pd.DataFrame
    mean_ranks: pd.Series
    tests: pd.DataFrame
    tie_factor: float
    notes: tuple[str, ...] = ()

    @property
    def p_value(self) -> float:
        """Of Iman and Davenport's tie-corrected F, the test that decides in `compare`."""
        return float(self.tests.loc["Iman-Davenport (tie-corrected)", "p_value"])

    def to_frame(self) -> pd.DataFrame:
        return self.tests

    def summary(self) -> str:
        """Whether the classifiers differ as a whole, who is ahead, and what to know."""
        best = self.mean_ranks.sort_values(kind="stable")
        ahead = f"the best mean ranks are {best.iloc[0]:.3g} ('{best.index[0]}') and {best.iloc[1]:.3g} ('{best.index[1]}')"
        return "\n".join([f"all alike? {self.said()}; {ahead}", *self.notes])

    def said(self) -> str:
        """The deciding test in a few words."""
        row = self.tests.loc["Iman-Davenport (tie-corrected)"]
        if str(row["distribution"]).startswith("F("):
            return f"Iman-Davenport {row['distribution']} = {row['statistic']:.4g}, p = {row['p_value']:.4g}"
        chi2 = self.tests.loc["Friedman (tie-corrected)", "statistic"]
        return f"Friedman χ² = {chi2:.4g}, p = {row['p_value']:.4g} ({row['distribution']})"


@old_direction
def rank(table: pd.DataFrame, *, higher_is_better: bool = True) -> pd.DataFrame:
    """Ranks within each row, 1 = best, ties at their mean rank.

    Scores that differ by rounding noise alone (beyond 12 digits of the row's largest) are ties.

    Parameters
    ----------
    table : DataFrame, data sets x classifiers
    higher_is_better : bool
        Whether a high score is good.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> compare.rank(table).mean().to_dict()
    {'a': 1.2, 'b': 1.8, 'c': 3.0}
    """
    return ranked(scores(table), higher_is_better)


def ranked(values: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """`rank` of a table that has passed the gate; a missing score has no rank."""
    scale = np.nanmax(np.abs(values.to_numpy()), axis=1, keepdims=True)
    clean = pd.DataFrame(
        np.round(values.to_numpy() / np.where(scale > 0, scale, 1), NOISE_DIGITS),
        index=values.index,
        columns=values.columns,
    )
    return clean.rank(axis=1, ascending=not higher_is_better, method="average")


@old_direction
def friedman(
    table: pd.DataFrame, *, higher_is_better: bool = True, method: Method = "auto"
) -> Friedman:
    """Friedman's test and Iman and Davenport's F of it, each with and without the correction for
    ties.

    With mean ranks R_j over N data sets and k classifiers,
    Demšar's χ² = 12N/(k(k+1)) · (Σ R_j² - k(k+1)²/4), tie-corrected χ² = that / (1 - Σ(t³ -
    t)/(N(k³ - k))), on χ²(k - 1); F = (N - 1)χ²/(N(k - 1) - χ²) on F(k - 1, (k - 1)(N - 1)), less
    conservative than χ².

    Parameters
    ----------
    table : DataFrame, N x k
        Data sets in rows, at least three classifiers in columns.
    higher_is_better : bool
        Whether a high score earns rank 1; False for errors and costs.
    method : "auto", "exact", "permutation", "asymptotic"
        Where the p values come from. "auto": up to 13 data sets from the exact distribution of the
        rank sums (ties kept) or, where that would take long, from 20,000 random orders; above, from
        χ² and F. The approximations reject too often for few data sets: at k = 3 and a nominal 5 %,
        F rejects 16.7, 19.4 and 6.9 % with 2, 3 and 4.

    Returns
    -------
    Friedman

    Raises
    ------
    DataError
        A score that is not a finite number, fewer than 3 classifiers or 2 data sets, all scores
        tied everywhere, an unknown method, or "exact" where that would take too long.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30, section 3.2.2; Iman, Davenport (1980), Communications in Statistics
    9, 571-595. The tie-corrected χ² is `scipy.stats.friedmanchisquare`'s, which ranks the same way.

    Examples
    --------
    >>> import deabench as db
    >>> found = db.compare.friedman(db.datasets.load("demsar2006-auc"))
    >>> found.tests["statistic"].round(3).tolist()  # Demšar's formula, without ties: 9.279
    [10.228, 4.185, 9.279, 3.686]
    """
    choice("method", method, get_args(Method))
    return of_ranks(ranked(scores(table, least=3), higher_is_better), method)


def of_ranks(ranks: pd.DataFrame, method: Method = "auto") -> Friedman:
    """`friedman` of ranks."""
    count, k = ranks.shape
    factor = tie_factor(ranks.to_numpy())
    if factor == 0:
        raise DataError("all classifiers tie on every data set; there is nothing to test")
    means = ranks.mean().rename("mean_rank")
    plain = float(12 * count / (k * (k + 1)) * ((means - (k + 1) / 2) ** 2).sum())
    null = distribution(ranks.to_numpy(), method)
    p = None if null is None else null.of_spread(ranks.to_numpy())
    rows = {}
    for name, chi2 in zip(NAMES, (plain / factor, plain), strict=True):
        f, tail = _iman_davenport(chi2, count, k)
        chi_row = (chi2, f"chi2({k - 1})", float(special.chdtrc(k - 1, max(chi2, 0.0))))
        f_row = (f, f"F({k - 1}, {(k - 1) * (count - 1)})", tail)
        rows[f"Friedman ({name})"] = chi_row if null is None else (chi2, null.said, p)
        rows[f"Iman-Davenport ({name})"] = f_row if null is None else (f, null.said, p)
    tests = pd.DataFrame.from_dict(
        rows, orient="index", columns=["statistic", "distribution", "p_value"]
    )
    return Friedman(ranks, means, tests.rename_axis("test"), factor, _notes(null, count))


def distribution(ranks: NDArray[np.float64], method: Method = "auto") -> RankSums | None:
    """The distribution of the rank sums that `method` asks for; None for the approximations."""
    if method == "asymptotic" or (method == "auto" and len(ranks) > FEW):
        return None
    if method == "permutation":
        return drawn(ranks)
    if method == "auto":
        return rank_sums(ranks)
    exact = enumerated(ranks, work=20_000_000)
    if exact is None:
        raise DataError(
            f"the exact distribution of {ranks.shape[1]} classifiers over {len(ranks)} data sets takes too long; "
            "take method 'permutation'"
        )
    return exact


def _notes(null: RankSums | None, count: int) -> tuple[str, ...]:
    if null is None and count <= LIBERAL:
        return (
            f"the χ² and F distributions are rough for {count} data sets and reject too often; take method 'auto'",
        )
    if null is not None and null.drawn:
        return (f"the p value comes from {null.said} of the ranks (seed 0)",)
    return ()


def _iman_davenport(chi2: float, count: int, k: int) -> tuple[float, float]:
    left = count * (k - 1) - chi2
    if left <= 1e-9 * count * (k - 1):
        return np.inf, 0.0  # every data set ranks the classifiers alike
    f = (count - 1) * chi2 / left
    return f, float(special.fdtrc(k - 1, (k - 1) * (count - 1), max(f, 0.0)))


def tie_factor(ranks: NDArray[np.float64]) -> float:
    """1 - Σ(t³ - t)/(N(k³ - k)) over the groups of t ties: the ranks' variance over what it is
    without ties.
    """
    count, k = ranks.shape
    return float(((ranks - (k + 1) / 2) ** 2).sum() * 12 / (count * (k**3 - k)))


def critical_difference(
    k: int, count: int, *, alpha: float = 0.05, test: DifferenceTest = "nemenyi"
) -> float:
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
        "nemenyi" (all pairs; q_α the studentised range's over √2) or "bonferroni-dunn" (against a
        control; q_α = z_{1 - α/(2(k - 1))}).

    Raises
    ------
    DataError
        Fewer than 2 classifiers or data sets, or an unknown test.

    Notes
    -----
    Both are approximations. At k = 3 and α = .05 Nemenyi's rejects 6.2 % with 11 data sets and
    otherwise at most 6 %; `pairwise(adjust="nemenyi")` is exact up to 13 data sets.

    Examples
    --------
    >>> from deabench import compare
    >>> round(compare.critical_difference(4, 14), 3)
    1.254
    """
    level(alpha)
    choice("test", test, get_args(DifferenceTest))
    k, count = whole(k, "k", unit="classifiers"), whole(count, "count", unit="data sets")
    if k < 2 or count < 2:
        raise DataError(f"there are {k} classifiers and {count} data sets; give at least 2 of each")
    if test == "nemenyi":
        from scipy.stats import studentized_range

        q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / 2**0.5
    else:
        q = float(-special.ndtri(alpha / (2 * (k - 1))))
    return float(q * (k * (k + 1) / (6 * count)) ** 0.5)
