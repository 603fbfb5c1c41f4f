"""Two classifiers on the folds of one data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from deabench.compare._result import Comparison
from deabench.compare._validation import differences, level, number, pair
from deabench.errors import DataError


def paired_t(
    first: Sequence[float] | ArrayLike, second: Sequence[float] | ArrayLike, *, alpha: float = 0.05
) -> Comparison:
    """Student's paired t over J independent pairs: t = d̄ / (s/√J), df J - 1.

    On the folds of a cross-validation the pairs share training data, so the test finds differences
    too often; it is here because papers use it (as "k-fold t test"). For folds take `corrected_t`.

    Parameters
    ----------
    first, second : sequences of J floats
        Scores on the same folds or data sets.
    alpha : float
        Level of the test and of the interval d̄ ± t_{1-α/2, J-1} s/√J.

    Returns
    -------
    Comparison
        Difference: the mean; effect: Cohen's d_z = d̄/s.

    Raises
    ------
    DataError
        Lengths that differ, fewer than 2 pairs, a score that is not finite, the same nonzero
        difference on every pair.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> round(compare.paired_t(a, b).p_value, 3)  # on folds too small: see corrected_t
    0.235
    """
    return _t(
        first,
        second,
        alpha,
        0.0,
        "paired t test",
        (
            "folds of a cross-validation share training data: on them this test rejects too often, "
            "take the corrected t test",
        ),
    )


def corrected_t(
    first: Sequence[float] | ArrayLike,
    second: Sequence[float] | ArrayLike,
    *,
    ratio: float,
    alpha: float = 0.05,
) -> Comparison:
    """Nadeau and Bengio's corrected resampled t test: t = d̄ / √((1/J + n_test/n_train) s²), df J -
    1.

    Parameters
    ----------
    first, second : sequences of J floats
        Scores on the same J folds (all folds of all repeats).
    ratio : float
        n_test / n_train; 1/(k - 1) for k-fold cross-validation.
    alpha : float
        Level of the test and of the interval.

    Returns
    -------
    Comparison
        Difference: the mean; effect: Cohen's d_z = d̄/s.

    Raises
    ------
    DataError
        As `paired_t`, and a ratio that is not positive.

    Notes
    -----
    Nadeau, Bengio (2003), Machine Learning 52, 239-281, doi:10.1023/A:1024068626366.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> round(compare.corrected_t(a, b, ratio=1 / 4).p_value, 3)
    0.405
    """
    if not number(ratio, "the ratio of test to training size") > 0:
        raise DataError(
            f"the ratio of test to training size is {ratio:g}; give a positive number, 1/9 for ten folds"
        )
    return _t(first, second, alpha, ratio, "corrected resampled t test (Nadeau-Bengio)", ())


def _t(
    first: Sequence[float] | ArrayLike,
    second: Sequence[float] | ArrayLike,
    alpha: float,
    ratio: float,
    name: str,
    notes: tuple[str, ...],
) -> Comparison:
    level(alpha)
    d = differences(*pair(first, second))
    count, mean, s = len(d), float(d.mean()), float(d.std(ddof=1))
    df = count - 1
    if s <= 1e-12 * np.abs(d).max():
        if mean != 0:
            raise DataError(
                f"the difference is {mean:g} on every pair: without spread a t test cannot judge it, "
                "use the signed-rank test"
            )
        return Comparison(
            name,
            0.0,
            f"t({df})",
            1.0,
            0.0,
            0.0,
            0.0,
            alpha,
            0.0,
            "Cohen's d_z",
            (*notes, "the two are equal on every pair"),
        )
    error = s * (1 / count + ratio) ** 0.5
    margin = special.stdtrit(df, 1 - alpha / 2) * error
    return Comparison(
        name,
        mean / error,
        f"t({df})",
        float(2 * special.stdtr(df, -abs(mean) / error)),
        mean,
        mean - margin,
        mean + margin,
        alpha,
        mean / s,
        "Cohen's d_z",
        notes,
    )


def five_by_two_f(
    differences_5x2: Sequence[Sequence[float]] | ArrayLike, *, alpha: float = 0.05
) -> Comparison:
    """Alpaydın's combined 5x2cv F test: f = Σ_i Σ_j d_ij² / (2 Σ_i s_i²), s_i² = Σ_j (d_ij -
    d̄_i)², F(10, 5).

    Parameters
    ----------
    differences_5x2 : array, 5 x 2
        Score of the first minus score of the second: five repeats of two-fold cross-validation in
        rows.
    alpha : float
        Level of the test; it gives no interval.

    Returns
    -------
    Comparison
        Difference: the mean of the ten; effect: Cohen's d_z over the ten.

    Raises
    ------
    DataError
        Another shape, a number that is not finite, or two folds that agree in every repeat.

    Notes
    -----
    Alpaydın (1999), Neural Computation 11, 1885-1892, doi:10.1162/089976699300016007.

    Examples
    --------
    >>> from deabench import compare
    >>> differences = [[.02, .01], [.03, .02], [.01, .02], [.02, .03], [.00, .01]]
    >>> round(compare.five_by_two_f(differences).p_value, 3)
    0.02
    """
    level(alpha)
    try:
        d = np.asarray(differences_5x2, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            "the differences are not all numbers; give five repeats of two folds, shape (5, 2)"
        ) from None
    if d.shape != (5, 2):
        raise DataError(
            f"the differences have shape {d.shape}; give five repeats of two folds, shape (5, 2)"
        )
    if not np.isfinite(d).all():
        raise DataError("a difference is missing or infinite; give ten finite numbers")
    within = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum()
    if within <= 1e-24 * max((d**2).sum(), 1e-300):
        raise DataError(
            "the two folds agree in every repeat: without spread the 5x2cv F test is undefined"
        )
    f = float((d**2).sum() / (2 * within))
    return Comparison(
        "combined 5x2cv F test (Alpaydın)",
        f,
        "F(10, 5)",
        float(special.fdtrc(10, 5, f)),
        float(d.mean()),
        np.nan,
        np.nan,
        alpha,
        float(d.mean() / d.std(ddof=1)),
        "Cohen's d_z",
    )
