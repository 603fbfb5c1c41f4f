"""Which pairs of classifiers differ: by ranks, Wilcoxon, permutation or t, p values adjusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench.compare.adjustment import Adjustment, adjust_pairs, check_adjustment
from deabench.compare.friedman import (
    EXACT_DATA_SETS,
    rank_difference_p_values,
    rank_scores,
)
from deabench.compare.score_tables import (
    NOISE_DIGITS,
    check_control,
    check_scores,
    score_differences,
)
from deabench.compare.signed_rank import permutation, sign_flip_p_values, wilcoxon
from deabench.compare.two_classifiers import Comparison, paired_t
from deabench.errors import DataError
from deabench.utils.checks import choice, share
from deabench.utils.result import Result

Pair: TypeAlias = tuple[str, str]
TestOfTwo: TypeAlias = Callable[..., Comparison]
"""Takes the scores of the two, and alpha."""
PairTest = Literal["ranks", "wilcoxon", "permutation", "t"]
TITLES = {
    "wilcoxon": "Wilcoxon signed-rank test",
    "permutation": "permutation test of the mean difference",
    "t": "paired t test",
    "ranks": "mean ranks",
}
"""The tests by name, as they are written in sentences."""
DIFFERENCES = {
    "wilcoxon": "median difference",
    "permutation": "mean difference",
    "t": "mean difference",
    "ranks": "rank difference",
}
"""What a test's difference of the first and the second is. Of ranks a low one is good."""
TESTS_OF_TWO: dict[str, TestOfTwo] = {
    "wilcoxon": wilcoxon,
    "permutation": permutation,
    "t": paired_t,
}
CELLS_AT_ONCE = 2_000_000
"""Differences held at a time."""
MAX_NAMED_PAIRS = 3
"""Names of pairs in a sentence; the rest are counted."""


class PairsResult(Result):
    """Base class of the results that have a row per pair of classifiers."""

    _frame = "pairs"
    _text = "compare"
    _display = "CriticalDifferenceDisplay"

    pairs: pd.DataFrame
    mean_ranks: pd.Series

    def matrix(self) -> pd.DataFrame:
        """Return the adjusted p values as a symmetric frame, 1 on the diagonal.

        Pairs that were not compared have NaN.
        """
        return symmetric_matrix(self.pairs, self.mean_ranks.index, self.pairs["adjusted"])


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise(PairsResult):
    """Pairs of classifiers with raw and adjusted p values.

    Attributes
    ----------
    pairs : DataFrame
        first, second, wins, ties, losses (of the first), difference (mean rank of the first minus
        the second's, or the median, for "permutation" and "t" the mean, difference of scores),
        lower and upper where the test gives an interval (of each pair alone), statistic, p_value,
        adjusted, different; in the table's order.
    mean_ranks : Series
        Over all classifiers of the table.
    test, adjust : str
        The test and the adjustment.
    alpha : float
        Level over the family of pairs.
    control : str or None
    notes : tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85]})
    >>> compare.pairwise(table, test="wilcoxon").to_frame()["p_value"].round(4).tolist()
    [0.3125]
    """

    pairs: pd.DataFrame
    mean_ranks: pd.Series
    test: PairTest
    adjust: Adjustment
    alpha: float
    control: str | None = None
    notes: tuple[str, ...] = ()


def pairwise(
    table: pd.DataFrame,
    *,
    control: str | None = None,
    test: PairTest = "ranks",
    adjust: Adjustment = "holm",
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> Pairwise:
    """Compare all pairs of classifiers, or every classifier with a control, over many data sets.

    test "ranks": z = (R_i - R_j)/√(k(k+1)/(6N)), normal above 13 data sets and up to 13 exact if
    all are alike, ties included (depends on the other classifiers of the table); the others look at
    the two alone (Benavoli, Corani, Mangili 2016, JMLR 17:5): "wilcoxon", the signed-rank test;
    "permutation", of the mean difference; "t", the plain paired t.

    Parameters
    ----------
    table : DataFrame, N x k
        Data sets in rows, classifiers in columns.
    control : str, optional
        Compare every other classifier with this one only: k - 1 tests in place of k(k-1)/2.
    test : str
        "ranks", "wilcoxon" (zeros split), "permutation" or "t".
    adjust : str
        "holm"; all pairs only: "shaffer" (static, uniformly sharper than Holm), "bergmann-hommel"
        (sharper still, up to 12 classifiers), "nemenyi" (ranks; from the studentised range, exact
        or simulated up to 13 data sets); a control only: "finner" (a little sharper than Holm);
        "bonferroni" (against a control: Bonferroni-Dunn); "hochberg", "hommel".
    higher_is_better : bool
        Whether a high score is good; False for errors and costs.
    alpha : float
        Level over the family.

    Returns
    -------
    Pairwise

    Raises
    ------
    DataError
        As `friedman`; an unknown control, test or adjustment; an adjustment that does not fit the
        pairs or the test.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30; Shaffer (1986), JASA 81, 826-831,
    doi:10.1080/01621459.1986.10478341; García, Herrera (2008), JMLR 9, 2677-2694.

    Examples
    --------
    >>> import deabench as db
    >>> table = db.datasets.load("demsar2006-auc")
    >>> db.compare.pairwise(table, control="C4.5").pairs["adjusted"].round(3).tolist()
    [0.047, 0.608, 0.047]
    """
    values = check_scores(table)
    check_control(control, values.columns)
    choice("test", test, get_args(PairTest))
    check_adjustment(adjust, control, by_ranks=test == "ranks")
    share("alpha", alpha)
    ranks = rank_scores(values, higher_is_better)
    pairs, notes = apply_pair_test(values, ranks, control, test, higher_is_better, alpha)
    pairs["adjusted"] = adjust_pairs(pairs, ranks, adjust)
    pairs["different"] = pairs["adjusted"] < alpha
    means = ranks.mean().rename("mean_rank")
    return Pairwise(pairs, means, test, adjust, alpha, control, notes)


def list_pairs(columns: pd.Index | Sequence[str], control: str | None) -> list[Pair]:
    """List all pairs in the table's order, or the control with every other classifier."""
    if control is None:
        return list(combinations(columns, 2))
    return [(control, name) for name in columns if name != control]


def apply_pair_test(
    values: pd.DataFrame,
    ranks: pd.DataFrame,
    control: str | None,
    test: str | TestOfTwo,
    higher_is_better: bool,
    alpha: float,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Test every pair; return a row per pair without adjustment, and notes.

    A pair that cannot be tested has no p value and is named in a note. Only the rows on which both
    classifiers have a score take part.
    """
    pairs = list_pairs(values.columns, control)
    notes: tuple[str, ...] = ()
    limits = np.full((len(pairs), 2), np.nan)
    # Listed signs can be shared by all pairs only if every pair has all rows.
    is_complete = not values.isna().to_numpy().any()
    if test == "ranks":
        # Mean ranks use the whole table, the other tests the two columns of a pair.
        rows = compare_mean_ranks(ranks, pairs)
    elif test == "permutation" and is_complete:
        rows = _permute_pairs(values, pairs)
    else:
        test_of_two = TESTS_OF_TWO[test] if isinstance(test, str) else test
        results, notes = _apply_test(values, pairs, partial(test_of_two, alpha=alpha))
        rows = [(row[0], row[1], row[2]) for row in results]
        limits = np.array([row[3:] for row in results], dtype=float)
    frame = pair_frame(pairs)
    frame[["wins", "ties", "losses"]] = np.column_stack(count_wins(values, pairs, higher_is_better))
    difference, statistic, p_value = np.array(rows, dtype=float).reshape(-1, 3).T
    frame["difference"] = difference
    if np.isfinite(limits).any():
        frame[["lower", "upper"]] = limits
    frame["statistic"] = statistic
    frame["p_value"] = p_value
    return frame, notes


def pair_positions(
    names: pd.Index, pairs: Sequence[Pair]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of the first and of the second classifiers among the names."""
    first = names.get_indexer([pair[0] for pair in pairs])
    return first, names.get_indexer([pair[1] for pair in pairs])


def pair_frame(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return a frame with the columns first and second."""
    return pd.DataFrame({"first": [a for a, _ in pairs], "second": [b for _, b in pairs]})


def _apply_test(
    values: pd.DataFrame, pairs: Sequence[Pair], test: TestOfTwo
) -> tuple[list[tuple[float, ...]], tuple[str, ...]]:
    """Apply a test of two to every pair: difference, statistic, p value, limits; and notes."""
    rows = list[tuple[float, ...]]()
    untested = []
    reason = ""
    columns = {name: values[name].to_numpy() for name in values.columns}
    for first, second in pairs:
        present = np.isfinite(columns[first]) & np.isfinite(columns[second])
        x = columns[first][present]
        y = columns[second][present]
        # One pair that cannot be tested does not stop the others.
        try:
            result = test(x, y)
            rows.append(
                (result.difference, result.statistic, result.p_value, result.lower, result.upper)
            )
        except DataError as error:
            difference = float((x - y).mean()) if len(x) else np.nan
            rows.append((difference, *[np.nan] * 4))
            untested.append((first, second))
            reason = reason or str(error)
    return rows, (describe_untested(untested, reason),) if untested else ()


def _permute_pairs(values: pd.DataFrame, pairs: Sequence[Pair]) -> list[tuple[float, float, float]]:
    """Apply the permutation test to every pair of a complete table, all with the same signs."""
    x = values.to_numpy()
    first, second = pair_positions(values.columns, pairs)
    rows = list[tuple[float, float, float]]()
    # About 100 signs and all rows for each pair have to fit in memory.
    step = max(1, CELLS_AT_ONCE // (100 * len(x)))
    for start in range(0, len(pairs), step):
        i = first[start : start + step]
        j = second[start : start + step]
        d = score_differences(x[:, i], x[:, j])
        means = d.mean(axis=0).tolist()
        rows += zip(means, means, sign_flip_p_values(d).tolist(), strict=True)
    return rows


def compare_mean_ranks(
    ranks: pd.DataFrame, pairs: Sequence[tuple[str, str]]
) -> list[tuple[float, float, float]]:
    """Return the difference of mean ranks, z and the p value of every pair.

    The p values are exact up to 13 data sets and normal above.
    """
    count, k = ranks.shape
    means = ranks.mean().to_numpy()
    first, second = pair_positions(ranks.columns, pairs)
    differences = means[first] - means[second]
    # The variance of a difference of two mean ranks if all are alike.
    z = differences / (k * (k + 1) / (6 * count)) ** 0.5
    if count <= EXACT_DATA_SETS:
        p_values = rank_difference_p_values(ranks.to_numpy(), differences * count)
    else:
        p_values = 2 * special.ndtr(-np.abs(z))
    return list(zip(differences.tolist(), z.tolist(), p_values.tolist(), strict=True))


def count_wins(
    values: pd.DataFrame, pairs: Sequence[Pair], higher_is_better: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count on how many data sets the first of each pair wins, the two tie, the second wins.

    Differences that are rounding noise, beyond 12 digits of the larger of the two classifiers'
    scores, are ties. A data set that lacks a score of either counts nowhere.
    """
    sign = 1 if higher_is_better else -1
    x = values.to_numpy() * sign
    largest = np.nanmax(np.abs(x), axis=0)
    first, second = pair_positions(values.columns, pairs)
    wins, ties, losses = np.zeros((3, len(pairs)), dtype=np.int64)
    # Some pairs at a time, so that their differences fit in memory.
    step = max(1, CELLS_AT_ONCE // len(x))
    for start in range(0, len(pairs), step):
        chunk = slice(start, start + step)
        scale = np.maximum(largest[first[chunk]], largest[second[chunk]])
        differences = (x[:, first[chunk]] - x[:, second[chunk]]) / np.where(scale > 0, scale, 1)
        rounded = np.round(differences, NOISE_DIGITS)
        wins[chunk] = (rounded > 0).sum(axis=0)
        ties[chunk] = (rounded == 0).sum(axis=0)
        losses[chunk] = (rounded < 0).sum(axis=0)
    return wins, ties, losses


def find_better(pairs: pd.DataFrame, *, low_wins: bool) -> list[str]:
    """Name the better classifier of each pair that is different, else empty text.

    With `low_wins` a negative difference, of ranks or errors, is a win of the first.
    """
    first_wins = (pairs["difference"] < 0) == low_wins
    names = np.where(first_wins, pairs["first"].astype(object), pairs["second"].astype(object))
    return [
        str(name) if different else ""
        for name, different in zip(names, pairs["different"], strict=True)
    ]


def lead_with(pairs: pd.DataFrame, leaders: Sequence[str]) -> pd.DataFrame:
    """Return the pairs with the named classifier of each as the first; all figures are turned.

    Parameters
    ----------
    pairs : DataFrame
        As of `PairsResult`.
    leaders : sequence of str
        One of the two classifiers of each pair.
    """
    is_second = pairs["second"].astype(str).to_numpy() == np.asarray(leaders, dtype=object)
    frame = pairs.copy()
    for name, opposite in (("first", "second"), ("wins", "losses"), ("lower", "upper")):
        if name in pairs:
            frame[name] = pairs[name].where(~is_second, pairs[opposite])
            frame[opposite] = pairs[opposite].where(~is_second, pairs[name])
    for name in ("difference", "lower", "upper"):
        if name in pairs:
            frame[name] = frame[name].where(~is_second, -frame[name])
    return frame


def symmetric_matrix(
    pairs: pd.DataFrame, names: pd.Index, values: ArrayLike | pd.Series
) -> pd.DataFrame:
    """Return one value per pair as a symmetric frame: 1 on the diagonal, NaN if not compared."""
    square = np.where(np.eye(len(names), dtype=bool), 1.0, np.nan)
    i = names.get_indexer(pairs["first"])
    j = names.get_indexer(pairs["second"])
    square[i, j] = np.asarray(values, dtype=float)
    square[j, i] = square[i, j]
    return pd.DataFrame(square, index=names, columns=names)


def describe_untested(pairs: Sequence[Pair], reason: str) -> str:
    """Return the note on pairs that have no p value."""
    return (
        f"{name_pairs(pairs)} could not be tested ({reason}); the other pairs are adjusted as if "
        "this had p = 1"
    )


def name_pairs(pairs: Sequence[Pair]) -> str:
    """Return pairs by name, the first few of many."""
    names = ", ".join(f"'{first}' and '{second}'" for first, second in pairs[:MAX_NAMED_PAIRS])
    unnamed = len(pairs) - MAX_NAMED_PAIRS
    if unnamed <= 0:
        return names
    return f"{names} and {unnamed} more {'pair' if unnamed == 1 else 'pairs'}"
