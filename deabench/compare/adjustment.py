"""p values adjusted for the number of hypotheses: Holm, Shaffer, Bergmann-Hommel and others."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deabench.compare.score_tables import Floats
from deabench.errors import DataError
from deabench.utils.checks import choice

Adjustment = Literal[
    "holm", "shaffer", "bergmann-hommel", "nemenyi", "finner", "bonferroni", "hochberg", "hommel"
]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)
MAX_BERGMANN = 12
"""Bergmann and Hommel's sets are listed up to this many classifiers: 4.2 million partitions; 13
have 27.6 million.
"""


def adjust_p_values(p_values: ArrayLike, method: Adjustment, k: int) -> Floats:
    """Adjust p values for multiple testing, in the order given.

    `k`, the number of classifiers, matters to Shaffer and Bergmann only. A p value that is missing
    (a pair that could not be tested) stays missing and counts in the family as 1, so that the
    others are adjusted as if it had been tested.
    """
    p = np.asarray(p_values, dtype=float)
    if method == "nemenyi":
        raise DataError(
            "Nemenyi's p values come from the ranks, not from p values; use "
            "pairwise(adjust='nemenyi')"
        )
    # A missing p value counts as 1 in the family and is missing again in the end.
    missing = np.isnan(p)
    complete = np.where(missing, 1.0, p)
    m = len(p)
    if method == "shaffer":
        adjusted = shaffer(complete, k)
    elif method == "bergmann-hommel":
        adjusted = bergmann_hommel(complete, k)
    elif method == "finner":
        adjusted = finner(complete)
    elif method == "bonferroni":
        adjusted = np.minimum(1.0, m * complete)
    elif method == "holm":
        # Not statsmodels: `multipletests` collects garbage at every call, for 0.04 to 0.2 s.
        adjusted = _step_down(complete, lambda ordered: (m - np.arange(m)) * ordered)
    else:
        from statsmodels.stats.multitest import multipletests

        name = {"hochberg": "simes-hochberg"}.get(method, method)
        adjusted = np.asarray(multipletests(complete, method=name)[1], dtype=float)
    return np.where(missing, np.nan, adjusted)


def _step_down(p: Floats, enlarge: Callable[[Floats], Floats]) -> Floats:
    """Enlarge the p values in ascending order, and make them monotone and at most 1."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(enlarge(p[order])))
    return adjusted


def finner(p_values: ArrayLike) -> Floats:
    """Adjust by Finner's step-down method, for comparisons with a control.

    In ascending order the i-th of m becomes 1 - (1 - p)^(m/i), made monotone. A little sharper than
    Holm's; proved for p values that are independent or positively dependent, as those against one
    control are.

    Parameters
    ----------
    p_values : numbers between 0 and 1
        Of the comparisons with the control.

    Notes
    -----
    Finner (1993), JASA 88, 920-923, doi:10.1080/01621459.1993.10476358.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.finner([.01, .02, .04]).round(4).tolist()
    [0.0297, 0.0298, 0.04]
    """
    p = np.asarray(p_values, dtype=float)
    powers = len(p) / np.arange(1, len(p) + 1)
    # 1 - (1 - p)^power by logarithms, exact for small p; the logarithm of 0 at p = 1 is right.
    with np.errstate(divide="ignore"):
        return _step_down(p, lambda ordered: -np.expm1(powers * np.log1p(-ordered)))


def shaffer(p_values: ArrayLike, k: int) -> Floats:
    """Adjust the p values of all k(k-1)/2 pairs by Shaffer's static method.

    In ascending order, the i-th p value is multiplied by t_i, the largest number of hypotheses that
    can be true together when i - 1 are false, t_i = max{s in S(k): s <= m - i + 1}, and made
    monotone; at most 1.

    Parameters
    ----------
    p_values : k(k-1)/2 numbers between 0 and 1
    k : int
        The number of classifiers.

    Raises
    ------
    DataError
        If the number of p values is not k(k-1)/2.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.shaffer([.01, .02, .04], k=3).round(3).tolist()
    [0.03, 0.03, 0.04]
    """
    p = _check_all_pairs(p_values, k, "Shaffer")
    possible = np.array(sorted(true_hypothesis_counts(k)))
    # t_i: the largest possible number of true hypotheses that is at most m - i + 1.
    remaining = len(p) - np.arange(len(p))
    factors = possible[np.searchsorted(possible, remaining, side="right") - 1]
    return _step_down(p, lambda ordered: factors * ordered)


def true_hypothesis_counts(k: int) -> set[int]:
    """Return S(k): how many of the pairwise equalities of k classifiers can hold together.

    S(k) = ∪_j {C(j, 2) + s: s in S(k - j)}, S(0) = S(1) = {0}; S(4) = {0, 1, 2, 3, 6}.
    """
    # A set is stored as the bits of a whole number: adding C(j, 2) to all of it is one shift.
    sets = [1, 1]
    for n in range(2, k + 1):
        bits = 0
        for j in range(1, n + 1):
            bits |= sets[n - j] << comb(j, 2)
        sets.append(bits)
    digits = reversed(bin(sets[k])[2:])
    return {position for position, digit in enumerate(digits) if digit == "1"}


def bergmann_hommel(p_values: ArrayLike, k: int) -> Floats:
    """Adjust the p values of all k(k-1)/2 pairs by Bergmann and Hommel's method, sharp and slow.

    The adjusted p value of a pair is the largest |I| · min{p_j: j in I} over the exhaustive sets I
    it belongs to. A set is exhaustive if its equalities, and no others, can hold together: those
    within the classes of a partition of the classifiers.

    Parameters
    ----------
    p_values : k(k-1)/2 numbers between 0 and 1
        In the order of the pairs: first with second, first with third, ..., second with third, ...
    k : int
        The number of classifiers, up to 12.

    Raises
    ------
    DataError
        If the number of p values is not k(k-1)/2, or k is above 12.

    Notes
    -----
    Bergmann, Hommel (1988), in: Multiple Hypothesenprüfung, Springer, 100-115; García, Herrera
    (2008), JMLR 9, 2677-2694, section 2.2.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.bergmann_hommel([.01, .02, .04], k=3).round(3).tolist()
    [0.03, 0.03, 0.04]
    """
    p = _check_all_pairs(p_values, k, "Bergmann and Hommel")
    if k > MAX_BERGMANN:
        raise DataError(
            f"Bergmann and Hommel's adjustment lists all partitions of {k} classifiers, too many "
            f"above {MAX_BERGMANN}; use 'shaffer'"
        )
    classes = list_partitions(k)
    pairs = list(combinations(range(k), 2))
    # |I| and the smallest p value of the exhaustive set of every partition, pair by pair.
    size = np.zeros(len(classes), dtype=np.int64)
    smallest = np.ones(len(classes))
    for p_value, (i, j) in zip(p, pairs, strict=True):
        contains = classes[:, i] == classes[:, j]
        size += contains
        smallest[contains] = np.minimum(smallest[contains], p_value)
    weight = np.minimum(size * smallest, 1.0)
    return np.array([weight[classes[:, i] == classes[:, j]].max() for i, j in pairs])


def list_partitions(k: int) -> NDArray[np.int8]:
    """List all partitions of k classifiers: Bell(k) rows with the class of each classifier."""
    classes = np.zeros((1, 1), dtype=np.int8)
    for _ in range(k - 1):
        # The next classifier joins one of a row's classes or opens a new one.
        choices = classes.max(axis=1).astype(np.int64) + 2
        rows = np.repeat(np.arange(len(classes)), choices)
        starts = np.repeat(np.cumsum(choices) - choices, choices)
        joined = (np.arange(len(rows)) - starts).astype(np.int8)
        classes = np.column_stack([classes[rows], joined])
    return classes


def _check_all_pairs(p_values: ArrayLike, k: int, author: str) -> Floats:
    p = np.asarray(p_values, dtype=float)
    if len(p) != comb(k, 2):
        raise DataError(
            f"there are {len(p)} p values; {author}'s adjustment needs all {comb(k, 2)} pairs of "
            f"{k} classifiers"
        )
    return p


def check_adjustment(adjust: str, control: str | None, *, by_ranks: bool) -> None:
    """Refuse an adjustment that is unknown, or is not for these pairs or this test."""
    choice(
        "adjust",
        adjust,
        ADJUSTMENTS,
        {"bergmann": "'bergmann-hommel'", "bonferroni-dunn": "'bonferroni'"},
    )
    if adjust in ("shaffer", "bergmann-hommel", "nemenyi") and control is not None:
        raise DataError(f"'{adjust}' is for all pairs; against a control use 'holm'")
    if adjust == "finner" and control is None:
        raise DataError("'finner' is for comparisons with a control; for all pairs use 'shaffer'")
    if adjust == "nemenyi" and not by_ranks:
        raise DataError("'nemenyi' is for mean ranks; with Wilcoxon's test use 'holm' or 'shaffer'")


def name_author(adjust: str) -> str:
    """Return whose adjustment it is: "Holm's", "Shaffer's static"."""
    authors = {
        "shaffer": "Shaffer's static",
        "bergmann-hommel": "Bergmann and Hommel's",
        "nemenyi": "Nemenyi's",
    }
    return authors.get(adjust, f"{adjust.capitalize()}'s")


def describe_family(control: str | None, adjust: str, count: int) -> str:
    """Return how many p values are adjusted how, as the end of a title."""
    if count == 1:
        return ""
    pairs = "of all pairs" if control is None else f"against '{control}'"
    return f" {pairs} with {name_author(adjust)} adjustment of {count} p values"
