"""Two one-sided tests (TOST): is the difference shown to be smaller than what matters?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench.compare._result import Comparison
from deabench.compare._validation import NOISE_DIGITS, differences, number, pair
from deabench.compare.two import one_sided
from deabench.errors import DataError
from deabench.utils.checks import choice, share

Floats = NDArray[np.float64]
Kind = Literal["t", "wilcoxon"]


def tost(
    first: Sequence[float] | ArrayLike,
    second: Sequence[float] | ArrayLike,
    *,
    margin: float,
    test: Kind = "t",
    ratio: float = 0.0,
    alpha: float = 0.05,
) -> Comparison:
    """Are two classifiers equivalent: is |mean difference| < margin? The null hypothesis is that it
    is not.

    Two one-sided tests at level alpha each, of difference <= -margin and of difference >= margin; p
    is the larger of the two, and p < alpha is the same as the interval at level 1 - 2 alpha lying
    within ±margin ("t").

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same data sets, or on the same folds.
    margin : float
        Above 0, in the unit of the scores: differences of less are too small to matter.
    test : "t" or "wilcoxon"
        "wilcoxon" shifts the differences by the margin and takes the one-sided signed-rank test;
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
        classifiers on one test set take `deabench.tango.test(kind="equivalence")`.

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
    >>> found = compare.tost([.81, .75, .92, .66], [.80, .76, .92, .65], margin=.05)
    >>> found.equivalent  # they differ by less than .05
    True
    """
    share("alpha", alpha, below=0.5)
    choice("test", test, get_args(Kind))
    if not number(margin, "the margin") > 0:
        raise DataError(
            f"the margin is {margin:g}; give a positive number, the smallest difference that matters"
        )
    if not number(ratio, "the ratio of test to training size") >= 0 or (
        ratio and test == "wilcoxon"
    ):
        raise DataError(
            f"the ratio of test to training size is {ratio:g}; give 0 for data sets, for folds (test 't') 1/9 of ten"
        )
    d = differences(*pair(first, second))
    if test == "wilcoxon":
        return _by_ranks(d, float(margin), alpha)
    return _by_t(d, float(margin), float(ratio), alpha)


def _by_t(d: Floats, margin: float, ratio: float, alpha: float) -> Comparison:
    count, mean, s = len(d), float(d.mean()), float(d.std(ddof=1))
    if s <= 1e-12 * max(np.abs(d).max(), margin):
        raise DataError(
            f"the difference is {mean:g} on every pair: without spread a t test cannot judge it, "
            "take test 'wilcoxon'"
        )
    error = s * (1 / count + ratio) ** 0.5
    above, below = (
        (mean + margin) / error,
        (mean - margin) / error,
    )  # far above 0 and far below 0 where equivalent
    t = above if above <= -below else below
    p = float(special.stdtr(count - 1, -min(above, -below)))
    reach = float(special.stdtrit(count - 1, 1 - alpha)) * error
    name = "two one-sided t tests (TOST)" + (
        ", corrected for folds (Nadeau-Bengio)" if ratio else ""
    )
    return Comparison(
        name,
        t,
        f"t({count - 1})",
        p,
        mean,
        mean - reach,
        mean + reach,
        alpha,
        mean / s,
        "Cohen's d_z",
        margin=margin,
    )


def _by_ranks(d: Floats, margin: float, alpha: float) -> Comparison:
    shifted = [
        np.round((d + margin) / margin, NOISE_DIGITS),
        np.round((margin - d) / margin, NOISE_DIGITS),
    ]
    p, how = max(one_sided(x) for x in shifted)
    median = float(np.median(d))
    return Comparison(
        "two one-sided Wilcoxon signed-rank tests (TOST)",
        p,
        how,
        p,
        median,
        np.nan,
        np.nan,
        alpha,
        median / margin,
        "median over margin",
        margin=margin,
    )
