"""Two classifiers over independent data sets: signed ranks, sign permutations, equivalence.

Wilcoxon's and the permutation test refer to all 2ⁿ signs of the differences. `tost` shows
equivalence by two one-sided t or signed-rank tests.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench.compare.score_tables import (
    NOISE_DIGITS,
    Floats,
    check_count,
    check_number,
    check_pair,
    score_differences,
)
from deabench.compare.two_classifiers import Comparison
from deabench.errors import DataError
from deabench.utils.checks import choice, share

Zeros = Literal["zsplit", "wilcox", "pratt"]
TostTest = Literal["t", "wilcoxon"]
ZEROS: dict[Zeros, str] = {
    "zsplit": "ranks split between the signs",
    "wilcox": "dropped",
    "pratt": "ranked, then dropped",
}
MAX_TIED_PAIRS = 13
"""Up to this many pairs with ties or zeros the signed-rank distribution is taken over all 2ⁿ signs;
it stays exact under both.
"""
MAX_UNTIED_PAIRS = 50
"""The same without ties and zeros."""
MAX_LISTED_PAIRS = 17
"""Up to this many pairs the permutation test lists all 2ⁿ signs (131,072); above, it draws them."""
CELLS_AT_ONCE = 4_000_000
"""Random signs, or sums, held at a time."""


def wilcoxon(
    first: ArrayLike, second: ArrayLike, *, zeros: Zeros = "zsplit", alpha: float = 0.05
) -> Comparison:
    """Compute Wilcoxon's signed-rank test of two classifiers over independent data sets.

    Equal scores (zeros) are treated by a named rule, because it changes the answer: "zsplit"
    (Demšar: half of their ranks to each sign), "wilcox" (dropped, SciPy's default), "pratt" (ranked
    with the others, then dropped). Exact without ties and up to 50 data sets; up to 13 from the
    distribution over all 2ⁿ signs, exact under ties and zeros; else the normal approximation.

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same N data sets.
    zeros : str
        One of "zsplit", "wilcox", "pratt".
    alpha : float
        Level of the test; it gives no interval.

    Returns
    -------
    Comparison
        Statistic min(R+, R-); difference: the median of the differences; effect: the rank-biserial
        correlation (R+ - R-)/(R+ + R-).

    Raises
    ------
    DataError
        As `paired_t`, and an unknown rule for zeros.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30, section 3.1.3. The computation is `scipy.stats.wilcoxon`'s.

    Examples
    --------
    >>> from deabench import compare
    >>> first, second = [.81, .75, .92, .66, .88, .79], [.79, .74, .90, .68, .85, .71]
    >>> round(compare.wilcoxon(first, second).p_value, 4)
    0.1562
    """
    share("alpha", alpha)
    choice("zeros", zeros, get_args(Zeros))
    d = score_differences(*check_pair(first, second))
    if not d.any():
        return Comparison(
            test="Wilcoxon signed-rank test (no difference at all)",
            statistic=0.0,
            distribution="exact",
            p_value=1.0,
            difference=0.0,
            alpha=alpha,
            effect=0.0,
            effect_name="rank-biserial correlation",
            notes=("the two are equal on every data set",),
        )
    # R+ and R-: the sums of the ranks of positive and of negative differences.
    ranks = _rank_differences(d, zeros)
    plus = float(ranks[d > 0].sum())
    minus = float(ranks[d < 0].sum())
    # Zeros are split: half of their ranks to each side.
    if zeros == "zsplit":
        half_zeros = float(ranks[d == 0].sum()) / 2
        plus += half_zeros
        minus += half_zeros
    p_value, distribution = _signed_rank_p_value(d, ranks, zeros)
    treatment = "no zeros"
    if not d.all():
        count = int((d == 0).sum())
        treatment = f"{count} {'zero' if count == 1 else 'zeros'}: {ZEROS[zeros]}"
    return Comparison(
        test=f"Wilcoxon signed-rank test ({treatment})",
        statistic=min(plus, minus),
        distribution=distribution,
        p_value=p_value,
        difference=float(np.median(d)),
        alpha=alpha,
        effect=(plus - minus) / (plus + minus),
        effect_name="rank-biserial correlation",
    )


def _rank_differences(d: Floats, zeros: Zeros) -> Floats:
    """Rank |d|; dropped zeros have rank 0."""
    ranks = np.zeros(len(d))
    # Wilcoxon drops the zeros before ranking, Pratt and zsplit rank them, too.
    ranked = (d != 0) | (zeros != "wilcox")
    ranks[ranked] = scipy.stats.rankdata(np.abs(d[ranked]))
    return ranks


def _exact_reference(d: Floats) -> str | None:
    """Name the exact distribution that is used for these differences; None for the normal one."""
    # Without ties the distribution depends on the number of pairs alone.
    if d.all() and len(np.unique(np.abs(d))) == len(d):
        return "exact" if len(d) <= MAX_UNTIED_PAIRS else None
    return "all signs listed" if len(d) <= MAX_TIED_PAIRS else None


@lru_cache(maxsize=256)
def _rank_sum_probabilities(doubled_ranks: tuple[int, ...]) -> Floats:
    """Return the probability of each R+ over all signs, in half ranks."""
    probability = np.ones(1)
    for step in doubled_ranks:
        # Each sign is plus or minus with probability 1/2: R+ grows by this rank or stays.
        gap = np.zeros(step)
        probability = (np.concatenate([probability, gap]) + np.concatenate([gap, probability])) / 2
    return probability


def _signed_rank_p_value(d: Floats, ranks: Floats, zeros: Zeros) -> tuple[float, str]:
    """Return the two-sided p value and the distribution it is referred to."""
    reference = _exact_reference(d)
    if reference is None:
        result = scipy.stats.wilcoxon(d, zero_method=zeros, method="asymptotic")
        return float(result.pvalue), "normal"
    # P(|R+ - R-| >= the observed one) over all signs; zeros have no sign and do not move.
    # Doubled ranks are whole numbers also where ties share a rank.
    doubled = np.rint(2 * ranks[d != 0]).astype(int)
    total = int(doubled.sum())
    observed = int(np.rint(2 * ranks[d > 0].sum()))
    probability = _rank_sum_probabilities(tuple(np.sort(doubled).tolist()))
    # R+ - R- = 2 R+ - total, so that its distance from 0 tells how extreme a sum is.
    is_as_far = np.abs(2 * np.arange(total + 1) - total) >= abs(2 * observed - total)
    return min(1.0, float(probability[is_as_far].sum())), reference


def one_sided_signed_rank(d: Floats) -> tuple[float, str]:
    """Return P(R+ at least as large as observed), zeros split, and the distribution it is from.

    The differences are symmetric about 0 under the null hypothesis.
    """
    reference = _exact_reference(d)
    if reference is None:
        result = scipy.stats.wilcoxon(
            d, zero_method="zsplit", alternative="greater", method="asymptotic"
        )
        return float(result.pvalue), "normal"
    doubled = np.rint(2 * _rank_differences(d, "zsplit")).astype(int)
    # Zeros add a constant to both sides and are left out of the distribution.
    probability = _rank_sum_probabilities(tuple(np.sort(doubled[d != 0]).tolist()))
    return min(1.0, float(probability[int(doubled[d > 0].sum()) :].sum())), reference


def permutation(
    first: ArrayLike, second: ArrayLike, *, draws: int = 20_000, seed: int = 0, alpha: float = 0.05
) -> Comparison:
    """Compute Fisher's randomisation test of the mean difference over independent data sets.

    If the two are alike, each difference is as likely to have the other sign. p is the share of
    all 2ⁿ signs under which the mean difference is at least as far from 0 as the observed one;
    above 17 pairs it is estimated from random signs as (1 + as far)/(1 + draws), which never
    rejects too often.

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same N data sets; not on folds of one, which share training data (use
        `corrected_t`).
    draws, seed : int
        Random signs above 17 pairs, and the seed of their generator.
    alpha : float
        Level of the test; it gives no interval.

    Returns
    -------
    Comparison
        Statistic and difference: the mean; effect: Cohen's d_z = d̄/s.

    Raises
    ------
    DataError
        As `paired_t`, but not if all differences are equal.

    Notes
    -----
    Fisher (1935), The Design of Experiments, section 21; Phipson, Smyth (2010),
    doi:10.2202/1544-6115.1585 (the + 1).

    Examples
    --------
    >>> from deabench import compare
    >>> first, second = [.81, .75, .92, .66, .88, .79], [.79, .74, .90, .68, .85, .71]
    >>> compare.permutation(first, second).p_value  # of 64 changes of sign
    0.15625
    """
    share("alpha", alpha)
    check_count(draws, "the number of draws", 1, "draws")
    d = score_differences(*check_pair(first, second))
    mean = float(d.mean())
    deviation = float(d.std(ddof=1))
    # Under the hypothesis each difference is as likely with the other sign.
    distribution = "all signs listed"
    notes = []
    if len(d) > MAX_LISTED_PAIRS:
        distribution = f"{draws} random signs"
        notes.append(f"the p value comes from {distribution} (seed {seed})")
    if not d.any():
        notes.append("the two are equal on every pair")
    return Comparison(
        test="permutation test of the mean difference",
        statistic=mean,
        distribution=distribution,
        p_value=float(sign_flip_p_values(d[:, None], draws=draws, seed=seed)[0]),
        difference=mean,
        alpha=alpha,
        effect=mean / deviation if deviation > 0 else 0.0,
        effect_name="Cohen's d_z",
        notes=tuple(notes),
    )


def sign_flip_p_values(d: Floats, *, draws: int = 20_000, seed: int = 0) -> Floats:
    """Return the p values of the mean of each column of differences (N x m), with shared signs.

    `scipy.stats.permutation_test` has the same p values where all signs are listed; it draws other
    signs for each column.
    """
    is_listed = len(d) <= MAX_LISTED_PAIRS
    total = draws
    if is_listed:
        total = 2 ** len(d)
    # Sums that differ by less than the noise are equal: signs are added in another order.
    noise = 1e-11 * np.abs(d).sum(axis=0)
    observed = np.abs(d.sum(axis=0)) - noise
    as_far = np.zeros(d.shape[1])
    rng = np.random.default_rng(seed)
    # Some signs at a time, so that they fit in memory.
    step = max(1, CELLS_AT_ONCE // max(d.shape))
    for start in range(0, total, step):
        size = min(step, total - start)
        flips: NDArray[np.int64]
        if is_listed:
            # The binary digits of 0 ... 2ⁿ - 1 are all choices of signs.
            flips = (np.arange(start, start + size)[:, None] >> np.arange(len(d))) & 1
        else:
            flips = rng.integers(0, 2, size=(size, len(d)))
        as_far += (np.abs((1.0 - 2.0 * flips) @ d) >= observed).sum(axis=0)
    if is_listed:
        return np.asarray(as_far / total)
    return np.asarray((1 + as_far) / (1 + draws))


def tost(
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: float,
    test: TostTest = "t",
    ratio: float = 0.0,
    alpha: float = 0.05,
) -> Comparison:
    """Test equivalence of two classifiers, |mean difference| < margin, by two one-sided tests.

    The null hypothesis is that they are not: each test is at level alpha, of difference <= -margin
    and of difference >= margin. p is the larger of the two, and p < alpha is the same as the
    interval at level 1 - 2 alpha lying within ±margin ("t").

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same data sets, or on the same folds.
    margin : float
        Above 0, in the unit of the scores: differences of less are too small to matter.
    test : "t" or "wilcoxon"
        "wilcoxon" shifts the differences by the margin and computes the one-sided signed-rank test;
        for differences that are symmetric but not normal, over data sets.
    ratio : float
        n_test / n_train of folds, as in `corrected_t`; 0 for independent pairs. For "t" only.
    alpha : float
        Below 0.5.

    Returns
    -------
    Comparison
        `equivalent` says whether equivalence is shown; lower and upper are the interval at level 1
        - 2 alpha ("t"); the statistic of "wilcoxon" is p itself, the larger of the two. For two
        classifiers on one test set use `deabench.tango.test(kind="equivalence")`.

    Raises
    ------
    DataError
        As `paired_t`; a margin that is not positive, a ratio that is negative or goes with
        "wilcoxon".

    Notes
    -----
    Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15, 657-680, doi:10.1007/BF01068419.

    Examples
    --------
    >>> from deabench import compare
    >>> result = compare.tost([.81, .75, .92, .66], [.80, .76, .92, .65], margin=.05)
    >>> result.equivalent  # they differ by less than .05
    True
    """
    share("alpha", alpha, below=0.5)
    choice("test", test, get_args(TostTest))
    if not check_number(margin, "the margin") > 0:
        raise DataError(
            f"the margin is {margin:g}; give a positive number, the smallest difference of interest"
        )
    is_valid_ratio = check_number(ratio, "the ratio of test to training size") >= 0
    if not is_valid_ratio or (ratio and test == "wilcoxon"):
        raise DataError(
            f"the ratio of test to training size is {ratio:g}; give 0 for data sets, for ten folds "
            "(test 't') 1/9"
        )
    d = score_differences(*check_pair(first, second))
    if test == "wilcoxon":
        return _tost_by_ranks(d, float(margin), alpha)
    return _tost_by_t(d, float(margin), float(ratio), alpha)


def _tost_by_t(d: Floats, margin: float, ratio: float, alpha: float) -> Comparison:
    count = len(d)
    mean = float(d.mean())
    deviation = float(d.std(ddof=1))
    if deviation <= 1e-12 * max(np.abs(d).max(), margin):
        raise DataError(
            f"the difference is {mean:g} on every pair: without spread a t test cannot judge it; "
            "use test 'wilcoxon'"
        )
    # With folds the variance is enlarged as in `corrected_t`.
    error = deviation * (1 / count + ratio) ** 0.5
    # Far above 0 and far below 0 if the two are equivalent; the nearer one to 0 decides.
    above = (mean + margin) / error
    below = (mean - margin) / error
    # The interval at level 1 - 2 alpha, which must lie within the margin.
    reach = float(special.stdtrit(count - 1, 1 - alpha)) * error
    correction = ", corrected for folds (Nadeau-Bengio)" if ratio else ""
    return Comparison(
        test=f"two one-sided t tests (TOST){correction}",
        statistic=above if above <= -below else below,
        distribution=f"t({count - 1})",
        p_value=float(special.stdtr(count - 1, -min(above, -below))),
        difference=mean,
        lower=mean - reach,
        upper=mean + reach,
        alpha=alpha,
        effect=mean / deviation,
        effect_name="Cohen's d_z",
        margin=margin,
    )


def _tost_by_ranks(d: Floats, margin: float, alpha: float) -> Comparison:
    # Without rounding noise, so that ties stay ties.
    size = max(float(np.abs(d).max()), margin)
    above = np.round((d + margin) / size, NOISE_DIGITS)
    below = np.round((margin - d) / size, NOISE_DIGITS)
    p_value, distribution = max(one_sided_signed_rank(above), one_sided_signed_rank(below))
    median = float(np.median(d))
    return Comparison(
        test="two one-sided Wilcoxon signed-rank tests (TOST)",
        statistic=p_value,
        distribution=distribution,
        p_value=p_value,
        difference=median,
        alpha=alpha,
        effect=median / margin,
        effect_name="median over margin",
        margin=margin,
    )
