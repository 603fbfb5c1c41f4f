"""Bayesian tests of two classifiers with a region of practical equivalence (ROPE)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench.compare._validation import differences, number, old_direction, pair, whole
from deabench.errors import DataError
from deabench.utils.result import Result

Floats = NDArray[np.float64]
PRIOR = 0.5
"""Weight of the prior's one pseudo-observation at zero, Benavoli et al.'s; a data set weighs 1."""
AT_ONCE = 2_000_000
"""Posterior weights times pairs of data sets held at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Result):
    """Posterior probabilities that sum to 1.

    Attributes
    ----------
    test : str
    first_better, equivalent, second_better : float
        Probability that the difference lies beyond the ROPE for the first, within it, beyond it for
        the second.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the scores.
    samples, seed : int or None
        Of the Monte Carlo, whose standard error is at most 1/(2 √samples); None where the posterior
        is in closed form.
    notes : tuple of str

    Examples
    --------
    >>> from deabench import compare
    >>> found = compare.bayesian_correlated_t([.81, .75, .92], [.79, .74, .90], rope=.01, ratio=1 / 2)
    >>> bool(abs(found.first_better + found.equivalent + found.second_better - 1) < 1e-9)
    True
    """

    test: str
    first_better: float
    equivalent: float
    second_better: float
    rope: float
    samples: int | None = None
    seed: int | None = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        found = {
            "first better": self.first_better,
            "equivalent": self.equivalent,
            "second better": self.second_better,
        }
        return pd.Series(found, name="probability").rename_axis("outcome").to_frame()

    def summary(self) -> str:
        """The most probable outcome, then the test and what to know."""
        outcome = self.to_frame()["probability"]
        words = {
            "first better": "the first is better",
            "equivalent": "the two are equivalent",
            "second better": "the second is better",
        }
        name = str(outcome.idxmax())
        return "\n".join(
            [
                f"{words[name]} with probability {outcome[name]:.3g} (ROPE ±{self.rope:g})",
                self.test,
                *self.notes,
            ]
        )


@old_direction
def bayesian_signed_rank(
    first: Sequence[float] | ArrayLike,
    second: Sequence[float] | ArrayLike,
    *,
    rope: float,
    higher_is_better: bool = True,
    samples: int = 50_000,
    seed: int = 0,
) -> Posterior:
    """How probable is it that one classifier is better than another in practice, over many data
    sets?

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
    baycomp, whose answers are the same, but for two classifiers that are equal everywhere: there it
    finds one better, by rounding.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> found = compare.bayesian_signed_rank(a, b, rope=.001, samples=1000)
    >>> round(found.first_better, 1)
    0.9
    """
    d = differences(*pair(first, second)) * (1 if higher_is_better else -1)
    rope = _rope(rope)
    whole(samples, "the number of samples", 1, "samples")
    above, within, below = _wins(d, rope, samples, seed)
    notes = () if d.any() else ("the two are equal on every data set",)
    return Posterior("Bayesian signed-rank test", above, within, below, rope, samples, seed, notes)


def _wins(d: Floats, rope: float, samples: int, seed: int) -> tuple[float, float, float]:
    """The shares of draws won by first better, equivalent and second better."""
    values = np.concatenate([[0.0], d])
    sums = values[:, None] + values[None, :]
    first = np.heaviside(sums - 2 * rope, 0.5) if rope > 0 else (sums > 0).astype(float)
    second = np.heaviside(-sums - 2 * rope, 0.5) if rope > 0 else (sums < 0).astype(float)
    weights = np.concatenate([[PRIOR], np.ones(len(d))])
    draws = np.random.RandomState(seed).dirichlet(weights, samples)
    won = np.zeros(3)
    for start in range(0, samples, max(1, AT_ONCE // len(values))):
        w = draws[start : start + max(1, AT_ONCE // len(values))]
        a, c = ((w @ side * w).sum(axis=1) for side in (first, second))
        b = 1 - a - c if rope > 0 else np.zeros(len(w))
        won += _winners(a, b, c)
    return float(won[0] / samples), float(won[1] / samples), float(won[2] / samples)


def _winners(a: Floats, b: Floats, c: Floats) -> Floats:
    """How many draws each outcome wins; a tie of the outer two is the middle's."""
    first, second = (a > b) & (a > c), (c > b) & (c > a)
    return np.array([first.sum(), (~first & ~second).sum(), second.sum()], dtype=float)


@old_direction
def bayesian_correlated_t(
    first: Sequence[float] | ArrayLike,
    second: Sequence[float] | ArrayLike,
    *,
    rope: float,
    ratio: float,
    higher_is_better: bool = True,
) -> Posterior:
    """How probable is it that one classifier is better than another in practice, on the data set of
    these folds?

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
        As `corrected_t`, but not where the difference is the same on every fold; a negative ROPE.

    Notes
    -----
    Corani, Benavoli (2015), Machine Learning 100, 285-304, doi:10.1007/s10994-015-5486-z.

    Examples
    --------
    >>> from deabench import compare
    >>> a, b = [.81, .75, .92, .66, .88], [.79, .74, .90, .68, .85]
    >>> found = compare.bayesian_correlated_t(a, b, rope=.01, ratio=1 / 4)
    >>> round(found.first_better, 2)
    0.56
    """
    if not number(ratio, "the ratio of test to training size") > 0:
        raise DataError(
            f"the ratio of test to training size is {ratio:g}; give a positive number, 1/9 for ten folds"
        )
    d = differences(*pair(first, second)) * (1 if higher_is_better else -1)
    rope = _rope(rope)
    mean, s, count = float(d.mean()), float(d.std(ddof=1)), len(d)
    name = f"Bayesian correlated t test, posterior t({count - 1})"
    if s <= 1e-12 * np.abs(d).max():
        above, below = float(mean > rope), float(mean < -rope)
        return Posterior(
            name,
            above,
            1 - above - below,
            below,
            rope,
            notes=(f"the difference is {mean:g} on every fold: the posterior is that one point",),
        )
    scale = s * (1 / count + ratio) ** 0.5
    above = float(special.stdtr(count - 1, (mean - rope) / scale))
    below = float(special.stdtr(count - 1, (-mean - rope) / scale))
    return Posterior(name, above, max(0.0, 1 - above - below) if rope > 0 else 0.0, below, rope)


def _rope(rope: float) -> float:
    if not number(rope, "the region of practical equivalence") >= 0:
        raise DataError(
            f"the region of practical equivalence is {rope:g}; give a half-width of 0 or more"
        )
    return float(rope)
