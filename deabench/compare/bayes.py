"""Bayesian tests of two classifiers, and of all pairs, with a region of practical equivalence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from deabench.compare.pairwise import list_pairs
from deabench.compare.row_units import RowUnit, find_row_unit
from deabench.compare.score_tables import (
    NOISE_DIGITS,
    Floats,
    check_control,
    check_count,
    check_number,
    check_pair,
    check_ratio,
    check_scores,
    count_repeats,
    score_differences,
)
from deabench.errors import DataError
from deabench.utils.checks import share
from deabench.utils.result import Result

PRIOR_WEIGHT = 0.5
"""Weight of the prior's one pseudo-observation at zero, Benavoli et al.'s; a data set weighs 1."""
SAME_SHARE = 1e-12
"""Shares of a draw's weights that differ by no more than this are equal."""
CELLS_AT_ONCE = 2_000_000
"""Posterior weights times pairs of data sets held at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Result):
    """Posterior probabilities of the three outcomes; they sum to 1.

    Attributes
    ----------
    test : str
    first_better, equivalent, second_better : float
        Probability that the difference lies beyond the ROPE for the first, within it, beyond it for
        the second.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the scores.
    samples, seed : int or None
        Of the Monte Carlo, whose standard error is at most 1/(2 √samples); None if the posterior is
        in closed form.
    notes : tuple of str

    Examples
    --------
    >>> from deabench import compare
    >>> first, second = [.81, .75, .92], [.79, .74, .90]
    >>> result = compare.bayesian_correlated_t(first, second, rope=.01, ratio=1 / 2)
    >>> bool(abs(result.first_better + result.equivalent + result.second_better - 1) < 1e-9)
    True
    """

    _text = "compare"

    test: str
    first_better: float
    equivalent: float
    second_better: float
    rope: float
    samples: int | None = None
    seed: int | None = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the probability of each outcome."""
        probabilities = {
            "first better": self.first_better,
            "equivalent": self.equivalent,
            "second better": self.second_better,
        }
        return pd.Series(probabilities, name="probability").rename_axis("outcome").to_frame()


def bayesian_signed_rank(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rope: float,
    higher_is_better: bool = True,
    samples: int = 50_000,
    seed: int = 0,
) -> Posterior:
    """Estimate how probable it is that one classifier is better in practice over many data sets.

    Each draw gives the data sets (and one pseudo-observation of no difference, of weight 0.5)
    Dirichlet weights w; the outcome whose share Σ w_i w_j 1[(d_i + d_j)/2 there] is the largest
    wins the draw. On the region's edge a mean counts half to each side; a draw without a winner
    counts as equivalent.

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same N data sets.
    rope : float
        Differences of at most this much count as none; 0.01 for an accuracy in [0, 1] is usual. 0:
        no region.
    higher_is_better : bool
        Whether a high score is good.
    samples, seed : int
        Draws from the posterior, and the seed of the generator: the same seed gives the same
        answer.

    Returns
    -------
    Posterior

    Raises
    ------
    DataError
        As `paired_t`; a negative ROPE; or no samples.

    Notes
    -----
    Benavoli, Corani, Demšar, Zaffalon (2017), JMLR 18:77. The draws are those of their library
    baycomp, which has the same answers (and takes five times as long), but for two classifiers that
    are equal everywhere and for means on the region's edge: there it goes by rounding.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> round(compare.bayesian_signed_rank(a, b, rope=.001, samples=1000).first_better, 1)
    0.9
    """
    # A difference above 0 means that the first is better.
    d = score_differences(*check_pair(first, second)) * (1 if higher_is_better else -1)
    rope = _check_rope(rope)
    check_count(samples, "the number of samples", 1, "samples")
    first_better, equivalent, second_better = _share_wins(d, rope, samples, seed)
    return Posterior(
        "Bayesian signed-rank test",
        first_better,
        equivalent,
        second_better,
        rope,
        samples,
        seed,
        () if d.any() else ("the two are equal on every data set",),
    )


def _share_wins(d: Floats, rope: float, samples: int, seed: int) -> tuple[float, float, float]:
    """Return the shares of draws won by first better, equivalent and second better."""
    # The prior is one more data set, without a difference.
    values = np.concatenate([[0.0], d])
    # Sums d_i + d_j of all pairs; the outcome of a pair is decided by their half.
    sums = values[:, None] + values[None, :]
    if rope > 0:
        # Heaviside's ½ shares a mean on the region's edge between the two sides; whether it is on
        # the edge, rounding noise must not decide.
        size = max(float(np.abs(values).max()), rope)
        first = np.heaviside(np.round((sums - 2 * rope) / size, NOISE_DIGITS), 0.5)
        second = np.heaviside(np.round((-sums - 2 * rope) / size, NOISE_DIGITS), 0.5)
    else:
        first = (sums > 0).astype(float)
        second = (sums < 0).astype(float)
    # The pseudo-observation has weight ½, every data set weight 1.
    prior = np.concatenate([[PRIOR_WEIGHT], np.ones(len(d))])
    # The old generator, so that the draws are baycomp's.
    draws = np.random.RandomState(seed).dirichlet(prior, samples)
    first_wins = second_wins = 0
    step = max(1, CELLS_AT_ONCE // len(values))
    for start in range(0, samples, step):
        w = draws[start : start + step]
        # Σ w_i w_j 1[...] as a quadratic form; the three shares of a draw sum to 1.
        first_share = (w @ first * w).sum(axis=1)
        second_share = (w @ second * w).sum(axis=1)
        middle = 1 - first_share - second_share if rope > 0 else np.zeros(len(w))
        # Equal shares have no winner, whatever rounding makes of their sums.
        first_wins += int((first_share > np.maximum(middle, second_share) + SAME_SHARE).sum())
        second_wins += int((second_share > np.maximum(middle, first_share) + SAME_SHARE).sum())
    ties = samples - first_wins - second_wins
    return first_wins / samples, ties / samples, second_wins / samples


def bayesian_correlated_t(
    first: ArrayLike, second: ArrayLike, *, rope: float, ratio: float, higher_is_better: bool = True
) -> Posterior:
    """Compute how probable it is that one classifier is better on the data set of these folds.

    The posterior of the mean difference is Student's t with df J - 1 about d̄, of scale √((1/J +
    ratio) s²): the Bayesian twin of `corrected_t`, in closed form.

    Parameters
    ----------
    first, second : sequences of J floats
        Scores on the same J folds (all folds of all repeats).
    rope : float
        Differences of at most this much count as none. 0: no region.
    ratio : float
        n_test / n_train; 1/(k - 1) for k-fold cross-validation.
    higher_is_better : bool
        Whether a high score is good.

    Returns
    -------
    Posterior

    Raises
    ------
    DataError
        As `corrected_t`, but not if the difference is the same on every fold; a negative ROPE.

    Notes
    -----
    Corani, Benavoli (2015), Machine Learning 100, 285-304, doi:10.1007/s10994-015-5486-z.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> round(compare.bayesian_correlated_t(a, b, rope=.01, ratio=1 / 4).first_better, 2)
    0.56
    """
    # The variance of folds that share training data is enlarged by this ratio.
    check_ratio(ratio)
    x, y = check_pair(first, second)
    d = score_differences(x, y) * (1 if higher_is_better else -1)
    rope = _check_rope(rope)
    count = len(d)
    mean = float(d.mean())
    deviation = float(d.std(ddof=1))
    notes: tuple[str, ...] = ()
    # Without spread there is no t distribution: the posterior is a point.
    if deviation <= 1e-12 * np.abs(d).max():
        # Whether the point is on the region's edge, rounding noise must not decide.
        size = max(float(np.abs(x).max()), float(np.abs(y).max()), rope)
        excess = np.round((np.array([mean, -mean]) - rope) / (size or 1.0), NOISE_DIGITS)
        first_better, second_better = (excess > 0).astype(float).tolist()
        equivalent = 1 - first_better - second_better
        notes = (f"the difference is {mean:g} on every fold: the posterior is that one point",)
    else:
        # The tails of t beyond the region on both sides.
        scale = deviation * (1 / count + ratio) ** 0.5
        first_better = float(special.stdtr(count - 1, (mean - rope) / scale))
        second_better = float(special.stdtr(count - 1, (-mean - rope) / scale))
        equivalent = max(0.0, 1 - first_better - second_better) if rope > 0 else 0.0
    return Posterior(
        f"Bayesian correlated t test, posterior t({count - 1})",
        first_better,
        equivalent,
        second_better,
        rope,
        notes=notes,
    )


def _check_rope(rope: float) -> float:
    if not check_number(rope, "the region of practical equivalence") >= 0:
        raise DataError(
            f"the region of practical equivalence is {rope:g}; give a half-width of 0 or more"
        )
    return float(rope)


@dataclass(frozen=True, eq=False, repr=False)
class Posteriors(Result):
    """How probable it is, for every pair, that one classifier is better in practice.

    Attributes
    ----------
    pairs : DataFrame
        first, second, first_better, equivalent, second_better (posterior probabilities), verdict:
        the better one's name, "equivalent", or empty if none is as probable as `threshold`.
    test : str
    rope : float
        Half-width of the region of practical equivalence.
    threshold : float
        The probability from which on there is a verdict.
    notes : tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85]})
    >>> compare.bayesian(table, rope=.01).to_frame().columns.tolist()
    ['first', 'second', 'first_better', 'equivalent', 'second_better', 'verdict']
    """

    _frame = "pairs"
    _text = "compare"

    pairs: pd.DataFrame
    test: str
    rope: float
    threshold: float
    notes: tuple[str, ...] = ()


def bayesian(
    table: pd.DataFrame,
    *,
    rope: float,
    control: str | None = None,
    folds: int | None = None,
    higher_is_better: bool = True,
    threshold: float = 0.95,
) -> Posteriors:
    """Compare every pair by the Bayesian signed-rank test, or by the correlated t test over folds.

    Parameters
    ----------
    table : DataFrame
        Data sets (or folds) in rows, classifiers in columns.
    rope : float
        Differences of at most this much count as none.
    control : str, optional
        Compare the others with this one only.
    folds : int, optional
        The rows are the folds of a (repeated) k-fold cross-validation on one data set, with this k.
        Default: as for `compare`.
    higher_is_better : bool
    threshold : float
        The posterior probability from which on there is a verdict, in (0, 1).

    Raises
    ------
    DataError
        As `compare` and the tests.

    Notes
    -----
    No adjustment for many pairs: posteriors of pairs are statements of their own. See
    `bayesian_signed_rank` and `bayesian_correlated_t`.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.70, .71, .83, .60, .80]})
    >>> compare.bayesian(table, rope=.01).to_frame()["verdict"].tolist()
    ['a']
    """
    values = check_scores(table)
    check_control(control, values.columns)
    share("threshold", threshold)
    unit = RowUnit("fold", folds) if folds is not None else find_row_unit(table)
    folds = unit.folds
    # Check that the rows are whole repeats of the folds.
    if folds is not None:
        count_repeats(len(values), folds)
    rows = []
    for first, second in list_pairs(values.columns, control):
        x = values[first].to_numpy()
        y = values[second].to_numpy()
        if folds is None:
            result = bayesian_signed_rank(x, y, rope=rope, higher_is_better=higher_is_better)
        else:
            result = bayesian_correlated_t(
                x, y, rope=rope, ratio=1 / (folds - 1), higher_is_better=higher_is_better
            )
        outcomes = (result.first_better, result.equivalent, result.second_better)
        names = (str(first), "equivalent", str(second))
        # Below a threshold of ½ several outcomes may reach it: the most probable one counts.
        most_probable = int(np.argmax(outcomes))
        verdict = names[most_probable] if outcomes[most_probable] >= threshold else ""
        rows.append((first, second, *outcomes, verdict))
    pairs = pd.DataFrame(
        rows, columns=["first", "second", "first_better", "equivalent", "second_better", "verdict"]
    )
    name = "Bayesian signed-rank test" if folds is None else "Bayesian correlated t test"
    return Posteriors(pairs, name, rope, threshold, unit.notes)
