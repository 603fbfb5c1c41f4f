"""p values adjusted for how many hypotheses are tested."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError

Floats = NDArray[np.float64]
Adjustment = Literal[
    "holm", "shaffer", "bergmann-hommel", "nemenyi", "finner", "bonferroni", "hochberg", "hommel"
]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)
EXHAUSTIVE = 12
"""Bergmann and Hommel's sets are listed up to so many classifiers: 4.2 million partitions; of 13
there are 27.6 million.
"""


def adjusted(p_values: ArrayLike, method: Adjustment, k: int) -> Floats:
    """p values adjusted for multiple testing, in the order given; `k` classifiers matter to Shaffer
    and Bergmann only.

    A p value that is missing (a pair that could not be tested) stays missing and counts in the
    family as 1, so that the others are adjusted as if it had been tested."""
    p = np.asarray(p_values, dtype=float)
    gone = np.isnan(p)
    return np.where(gone, np.nan, _adjusted(np.where(gone, 1.0, p), method, k))


def _adjusted(p: Floats, method: Adjustment, k: int) -> Floats:
    if method == "shaffer":
        return shaffer(p, k)
    if method == "bergmann-hommel":
        return bergmann_hommel(p, k)
    if method == "finner":
        return finner(p)
    if method == "hommel":
        from statsmodels.stats.multitest import multipletests

        return np.asarray(multipletests(p, method="hommel")[1], dtype=float)
    return _stepwise(p, method)


def _stepwise(p: Floats, method: Adjustment) -> Floats:
    """Bonferroni, Holm and Hochberg; statsmodels' are the same and collect garbage at every call,
    for 0.2 s.
    """
    m = len(p)
    if method == "nemenyi":
        raise DataError(
            "Nemenyi's p values come from the ranks, not from p values; take pairwise(adjust='nemenyi')"
        )
    if method == "bonferroni":
        return np.minimum(1.0, m * p)
    order = np.argsort(p, kind="stable")
    steps = (m - np.arange(m)) * p[order]
    result = np.empty(m)
    result[order] = (
        np.maximum.accumulate(steps)
        if method == "holm"
        else np.minimum.accumulate(steps[::-1])[::-1]
    )
    return np.minimum(1.0, result)


def finner(p_values: ArrayLike) -> Floats:
    """Finner's step-down adjustment, for comparisons with a control.

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
    order = np.argsort(p, kind="stable")
    powers = len(p) / np.arange(1, len(p) + 1)
    with np.errstate(divide="ignore"):
        steps = -np.expm1(powers * np.log1p(-p[order]))
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return result


def shaffer(p_values: ArrayLike, k: int) -> Floats:
    """Shaffer's static adjustment of the p values of all k(k-1)/2 pairs.

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
        Where the number of p values is not k(k-1)/2.

    Examples
    --------
    >>> from deabench import compare
    >>> compare.shaffer([.01, .02, .04], k=3).round(3).tolist()
    [0.03, 0.03, 0.04]
    """
    p = _all_pairs(p_values, k, "Shaffer")
    possible = np.array(sorted(true_together(k)))
    order = np.argsort(p, kind="stable")
    factors = possible[np.searchsorted(possible, len(p) - np.arange(len(p)), side="right") - 1]
    result = np.empty(len(p))
    result[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return result


def true_together(k: int) -> set[int]:
    """S(k): how many of the pairwise equalities of k classifiers can hold together.

    S(k) = ∪_j {C(j, 2) + s: s in S(k - j)}, S(0) = S(1) = {0}; S(4) = {0, 1, 2, 3, 6}. A set is
    held as the bits of a whole number, so that adding C(j, 2) to all of it is one shift."""
    sets = [1, 1]
    for n in range(2, k + 1):
        bits = 0
        for j in range(1, n + 1):
            bits |= sets[n - j] << comb(j, 2)
        sets.append(bits)
    return {place for place, bit in enumerate(reversed(bin(sets[k])[2:])) if bit == "1"}


def bergmann_hommel(p_values: ArrayLike, k: int) -> Floats:
    """Bergmann and Hommel's adjustment of the p values of all k(k-1)/2 pairs: the sharpest of those
    offered, and slow.

    The adjusted p value of a pair is the largest |I| · min{p_j: j in I} over the exhaustive sets I
    it belongs to. A set is exhaustive where its equalities, and no others, can hold together: those
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
        Where the number of p values is not k(k-1)/2, or k is above 12.

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
    p = _all_pairs(p_values, k, "Bergmann and Hommel")
    if k > EXHAUSTIVE:
        raise DataError(
            f"Bergmann and Hommel's adjustment lists all partitions of {k} classifiers, too many above "
            f"{EXHAUSTIVE}; take 'shaffer'"
        )
    classes = partitions(k)
    size, least = np.zeros(len(classes), dtype=np.int64), np.ones(len(classes))
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for value, (i, j) in zip(p, pairs, strict=True):
        together = classes[:, i] == classes[:, j]
        size += together
        least[together] = np.minimum(least[together], value)
    weight = np.minimum(size * least, 1.0)
    return np.array([weight[classes[:, i] == classes[:, j]].max() for i, j in pairs])


def partitions(k: int) -> NDArray[np.int8]:
    """Every partition of k things, as the class of each: Bell(k) rows, the first thing in class 0."""
    classes = np.zeros((1, 1), dtype=np.int8)
    for _ in range(k - 1):
        choices = classes.max(axis=1).astype(np.int64) + 2  # an old class, or one new
        rows = np.repeat(np.arange(len(classes)), choices)
        starts = np.repeat(np.cumsum(choices) - choices, choices)
        classes = np.column_stack([classes[rows], (np.arange(len(rows)) - starts).astype(np.int8)])
    return classes


def _all_pairs(p_values: ArrayLike | Sequence[float], k: int, whose: str) -> Floats:
    p = np.asarray(p_values, dtype=float)
    if len(p) != comb(k, 2):
        raise DataError(
            f"there are {len(p)} p values; {whose}'s adjustment needs all {comb(k, 2)} pairs of {k} "
            "classifiers"
        )
    return p
