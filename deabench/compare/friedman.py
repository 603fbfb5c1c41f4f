"""Friedman's test: ranks within data sets, and the distribution of their sums if all are alike.

If all classifiers are alike, every order of a data set's ranks is as likely as any other,
independently of the other data sets; ties stay ties. This gives the distribution of the rank sums
without further assumptions. For few data sets the classical approximations reject too often: at
k = 3 and a nominal 5 %, Iman and Davenport's F rejects 16.7 % with two data sets and 19.4 % with
three.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from deabench.compare.score_tables import NOISE_DIGITS, Floats, check_scores
from deabench.errors import DataError
from deabench.utils.checks import choice
from deabench.utils.result import Result

Integers = NDArray[np.int64]
FriedmanMethod = Literal["auto", "exact", "permutation", "asymptotic"]
EXACT_DATA_SETS = 13
"""Up to this many data sets the distributions are exact or simulated; above, the approximations
reject at most 6 % at 5 %.
"""
MAX_STATES = 150_000
"""Rank sums times orders that one step of the exact distribution may take; beyond it orders are
drawn at random.
"""
EXACT_MAX_STATES = 20_000_000
"""Rank sums times orders that one step may take if the user asks for the exact distribution."""
DRAWS = 20_000
CELLS_AT_ONCE = 2_000_000
"""Random ranks held at a time."""
LIBERAL_DATA_SETS = 4
"""Up to this many data sets the approximations reject more than 6 % at a nominal 5 %."""


def rank(table: pd.DataFrame, *, higher_is_better: bool = True) -> pd.DataFrame:
    """Rank the classifiers within each row: 1 is best, ties get their mean rank.

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
    >>> table = pd.DataFrame({"a": [.81, .75, .92], "b": [.79, .74, .90], "c": [.70, .71, .91]})
    >>> compare.rank(table)["c"].tolist()
    [3.0, 3.0, 2.0]
    """
    return rank_scores(check_scores(table), higher_is_better)


def rank_scores(values: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Rank a checked table of scores; a missing score has no rank."""
    # Round relative to the row's largest score, so that rounding noise does not break ties.
    scale = np.nanmax(np.abs(values.to_numpy()), axis=1, keepdims=True)
    rounded = pd.DataFrame(
        np.round(values.to_numpy() / np.where(scale > 0, scale, 1), NOISE_DIGITS),
        index=values.index,
        columns=values.columns,
    )
    return rounded.rank(axis=1, ascending=not higher_is_better, method="average")


def has_ties(ranks: pd.DataFrame) -> NDArray[np.bool_]:
    """Return for each data set whether classifiers tie there."""
    return np.asarray((np.diff(np.sort(ranks.to_numpy(), axis=1), axis=1) == 0).any(axis=1))


@dataclass(frozen=True)
class RankSumDistribution:
    """The distribution of the rank sums S of k classifiers if all are alike.

    Attributes
    ----------
    spread : float array
        Σ_j (S_j - S̄)² of each point, in squared half ranks.
    reach : float array
        max S - min S of each point, in half ranks.
    probability : float array
        Of each point; they sum to 1.
    is_simulated : bool
        Whether the points are random orders, each as likely as any other.
    """

    spread: Floats
    reach: Floats
    probability: Floats
    is_simulated: bool

    @property
    def description(self) -> str:
        """What p values from it are referred to: "exact" or "20000 random orders"."""
        return f"{len(self.spread)} random orders" if self.is_simulated else "exact"

    def spread_p_value(self, ranks: Floats) -> float:
        """Return P(spread >= the observed one): the p value of Friedman's test in all its forms."""
        sums = double_ranks(ranks).sum(axis=0)
        return float(self.tail(self.spread, _sum_spread(sums[None, :]))[0])

    def reach_p_values(self, sum_differences: Floats) -> Floats:
        """Return P(max S - min S >= each difference of rank sums): Nemenyi's p values."""
        return self.tail(self.reach, 2 * np.abs(sum_differences))

    def tail(self, points: Floats, observed: Floats) -> Floats:
        """Return P(point >= each observed value)."""
        # Probabilities added up from the largest point downwards.
        order = np.argsort(points)
        above = np.concatenate([np.cumsum(self.probability[order][::-1])[::-1], [0.0]])
        # Equal sums may differ by rounding, hence the tolerance.
        tail = above[np.searchsorted(points[order], observed - 1e-6)]
        if self.is_simulated:
            # The observed table counts as one more draw, so that p is never 0.
            tail = (tail * len(points) + 1) / (len(points) + 1)
        return np.asarray(np.minimum(tail, 1.0))


def double_ranks(ranks: Floats) -> Integers:
    """Return twice the ranks: whole numbers also where ties share a rank."""
    return np.rint(2 * ranks).astype(np.int64)


def rank_sum_distribution(ranks: Floats) -> RankSumDistribution:
    """Return the exact distribution of the rank sums, or 20,000 random orders if that is too slow.

    Parameters
    ----------
    ranks : array, N x k
        Ranks within each row, ties at their mean.
    """
    # Exact where it is quick, else simulated.
    exact = enumerate_rank_sums(ranks)
    return exact if exact is not None else simulate_rank_sums(ranks)


def enumerate_rank_sums(
    ranks: Floats, *, max_states: int = MAX_STATES
) -> RankSumDistribution | None:
    """Compute the exact distribution, row by row; None if a step needs more than `max_states` sums.

    Classifiers that are alike are exchangeable, and so are their rank sums: only sorted sums are
    stored, k! times fewer.
    """
    doubled = double_ranks(ranks)
    k = doubled.shape[1]
    # A vector of sums is one number in a base above every sum; it must fit in 62 bits.
    base = int(doubled.sum()) + 1
    # All orders of a row are listed, so k is limited, too.
    if factorial(k) > max_states or base**k >= 2**62:
        return None
    states: Integers = np.zeros((1, k), dtype=np.int64)
    probability: Floats = np.ones(1)
    for row in doubled:
        # Distinct orders come from equally many permutations, so they are equally likely.
        orders = np.array(sorted(set(permutations(row.tolist()))), dtype=np.int64)
        if len(states) * len(orders) > max_states:
            return None
        # Add every order to every vector of sums, then add up the probabilities of equal vectors.
        sums = np.sort((states[:, None, :] + orders[None, :, :]).reshape(-1, k), axis=1)
        keys = sums @ (base ** np.arange(k, dtype=np.int64))
        _, first, position = np.unique(keys, return_index=True, return_inverse=True)
        shares = np.repeat(probability / len(orders), len(orders))
        probability = np.bincount(position, shares).astype(float)
        states = sums[first]
    reach = (states[:, -1] - states[:, 0]).astype(float)
    return RankSumDistribution(_sum_spread(states), reach, probability, False)


def simulate_rank_sums(ranks: Floats) -> RankSumDistribution:
    """Draw `DRAWS` random orders of every row, always the same."""
    doubled = double_ranks(ranks)
    rng = np.random.default_rng(0)
    # Some draws at a time, so that their ranks fit in memory.
    step = max(1, CELLS_AT_ONCE // doubled.size)
    spread = np.empty(DRAWS)
    reach = np.empty(DRAWS)
    for start in range(0, DRAWS, step):
        size = min(step, DRAWS - start)
        orders = rng.permuted(np.broadcast_to(doubled, (size, *doubled.shape)), axis=2)
        sums = orders.sum(axis=1)
        spread[start : start + size] = _sum_spread(sums)
        reach[start : start + size] = np.ptp(sums, axis=1)
    return RankSumDistribution(spread, reach, np.full(DRAWS, 1 / DRAWS), True)


def _sum_spread(sums: Integers) -> Floats:
    return np.asarray(((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))


def rank_difference_p_values(ranks: Floats, sum_differences: Floats) -> Floats:
    """Return exact two-sided p values of differences of two rank sums if all are alike.

    In each row the two classifiers have any two of the row's ranks with equal chance, so the
    difference has a known distribution there, and the sum over rows is their convolution. This is
    fast for any number of classifiers.

    Parameters
    ----------
    ranks : array, N x k
    sum_differences : array
        Observed differences of rank sums.
    """
    doubled = double_ranks(ranks)
    reaches = np.ptp(doubled, axis=1)
    # The distribution of the sum of differences so far, centred.
    total = np.ones(1)
    for row, reach in zip(doubled, reaches, strict=True):
        # The distribution of the difference of two different classifiers' ranks in this row.
        differences = (row[:, None] - row[None, :])[~np.eye(len(row), dtype=bool)]
        counts = np.bincount(differences + reach, minlength=2 * reach + 1)
        total = np.convolve(total, counts / differences.size)
    # Fold the distribution at 0: probabilities of absolute differences, then their upper tail.
    distances = np.abs(np.arange(len(total)) - int(reaches.sum()))
    probability = np.bincount(distances, total)
    tail = np.concatenate([np.cumsum(probability[::-1])[::-1], [0.0]])
    position = np.rint(2 * np.abs(sum_differences)).astype(np.int64)
    return np.asarray(np.minimum(tail[position], 1.0))


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
        Indexed by test: statistic, distribution, p_value. The tie-corrected tests and Demšar's
        formula have rows of their own. If the distribution is exact or of random orders, all four
        have one p value: they order the tables alike.
    tie_factor : float
        Share of the rank variance that ties leave, in (0, 1]; 1 without ties. Corrected χ² =
        Demšar's χ² / tie_factor.
    notes : tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92], "b": [.79, .74, .90], "c": [.70, .71, .83]})
    >>> compare.friedman(table).mean_ranks.to_dict()
    {'a': 1.0, 'b': 2.0, 'c': 3.0}
    """

    _frame = "tests"
    _text = "compare"

    ranks: pd.DataFrame
    mean_ranks: pd.Series
    tests: pd.DataFrame
    tie_factor: float
    notes: tuple[str, ...] = ()

    @property
    def p_value(self) -> float:
        """Of Iman and Davenport's tie-corrected F, the test that decides in `compare`."""
        return float(self.tests.loc["Iman-Davenport (tie-corrected)", "p_value"])


def friedman(
    table: pd.DataFrame, *, higher_is_better: bool = True, method: FriedmanMethod = "auto"
) -> Friedman:
    """Compute Friedman's test and Iman and Davenport's F of it, with and without tie correction.

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
        rank sums (ties included) or, if that is slow, from 20,000 random orders; above, from χ² and
        F. The approximations reject too often for few data sets: at k = 3 and a nominal 5 %, F
        rejects 16.7, 19.4 and 6.9 % with 2, 3 and 4.

    Returns
    -------
    Friedman

    Raises
    ------
    DataError
        A score that is not a finite number, fewer than 3 classifiers or 2 data sets, all scores
        tied everywhere, an unknown method, or "exact" where that takes too long.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30, section 3.2.2; Iman, Davenport (1980), Communications in Statistics
    9, 571-595. The tie-corrected χ² is `scipy.stats.friedmanchisquare`'s, which ranks the same way.

    Examples
    --------
    >>> import deabench as db
    >>> result = db.compare.friedman(db.datasets.load("demsar2006-auc"))
    >>> result.tests["statistic"].round(3).tolist()  # Demšar's formula, without ties: 9.279
    [10.228, 4.185, 9.279, 3.686]
    """
    choice("method", method, get_args(FriedmanMethod))
    return friedman_from_ranks(
        rank_scores(check_scores(table, min_classifiers=3), higher_is_better), method
    )


def friedman_from_ranks(ranks: pd.DataFrame, method: FriedmanMethod = "auto") -> Friedman:
    """Compute `friedman` from ranks."""
    count, k = ranks.shape
    # The ranks' variance over what it is without ties: 1 - Σ(t³ - t)/(N(k³ - k)).
    tie_factor = float(((ranks.to_numpy() - (k + 1) / 2) ** 2).sum() * 12 / (count * (k**3 - k)))
    if tie_factor == 0:
        raise DataError("all systems tie on every data set; there is nothing to test")
    means = ranks.mean().rename("mean_rank")
    # Demšar's χ² from the spread of the mean ranks about their middle.
    demsar = float(12 * count / (k * (k + 1)) * ((means - (k + 1) / 2) ** 2).sum())
    # None stands for the χ² and F approximations.
    null = _select_distribution(ranks.to_numpy(), method)
    rows = {}
    for name, chi2 in (
        ("tie-corrected", demsar / tie_factor),
        ("Demšar's formula, no tie correction", demsar),
    ):
        f, f_p_value = iman_davenport(chi2, count, k)
        if null is None:
            chi2_p_value = float(special.chdtrc(k - 1, max(chi2, 0.0)))
            rows[f"Friedman ({name})"] = (chi2, f"chi2({k - 1})", chi2_p_value)
            distribution = f"F({k - 1}, {(k - 1) * (count - 1)})"
            rows[f"Iman-Davenport ({name})"] = (f, distribution, f_p_value)
        else:
            p_value = null.spread_p_value(ranks.to_numpy())
            rows[f"Friedman ({name})"] = (chi2, null.description, p_value)
            rows[f"Iman-Davenport ({name})"] = (f, null.description, p_value)
    tests = pd.DataFrame.from_dict(
        rows, orient="index", columns=["statistic", "distribution", "p_value"]
    )
    notes: tuple[str, ...] = ()
    if null is None and count <= LIBERAL_DATA_SETS:
        notes = (
            f"the χ² and F distributions are rough for {count} data sets and reject too often; "
            "use method 'auto'",
        )
    elif null is not None and null.is_simulated:
        notes = (f"the p value comes from {null.description} of the ranks (seed 0)",)
    return Friedman(ranks, means, tests.rename_axis("test"), tie_factor, notes)


def _select_distribution(ranks: Floats, method: FriedmanMethod) -> RankSumDistribution | None:
    """Return the distribution of the rank sums for `method`; None for the approximations."""
    if method == "asymptotic" or (method == "auto" and len(ranks) > EXACT_DATA_SETS):
        return None
    if method == "permutation":
        return simulate_rank_sums(ranks)
    if method == "auto":
        return rank_sum_distribution(ranks)
    exact = enumerate_rank_sums(ranks, max_states=EXACT_MAX_STATES)
    if exact is None:
        raise DataError(
            f"the exact distribution of {ranks.shape[1]} systems over {len(ranks)} data sets "
            "takes too long; use method 'permutation'"
        )
    return exact


def iman_davenport(chi2: float, count: int, k: int) -> tuple[float, float]:
    """Return Iman and Davenport's F of a Friedman χ², and its p value."""
    remainder = count * (k - 1) - chi2
    if remainder <= 1e-9 * count * (k - 1):
        # Every data set ranks the classifiers alike.
        return np.inf, 0.0
    f = (count - 1) * chi2 / remainder
    return f, float(special.fdtrc(k - 1, (k - 1) * (count - 1), max(f, 0.0)))
