"""The Bayesian signed-rank test with a region of practical equivalence (ROPE)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from deabench.compare._gate import pair
from deabench.errors import DataError


@dataclass(frozen=True)
class BayesianSignedRank:
    """Posterior probabilities that sum to 1.

    Attributes
    ----------
    first_better, equivalent, second_better : float
        Probability that the median difference lies beyond the ROPE for the first, within it, beyond it for the second.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the scores.
    samples, seed : int
        Of the Monte Carlo; its standard error is at most 1/(2 √samples).
    """

    first_better: float
    equivalent: float
    second_better: float
    rope: float
    samples: int
    seed: int

    def to_frame(self) -> pd.DataFrame:
        found = {"first better": self.first_better, "equivalent": self.equivalent, "second better": self.second_better}
        return pd.Series(found, name="probability").rename_axis("outcome").to_frame()


def bayesian_signed_rank(first: Sequence[float], second: Sequence[float], *, rope: float, lower_is_better: bool = False,
                         samples: int = 50_000, seed: int = 0) -> BayesianSignedRank:
    """How probable is it that one classifier is better than another in practice, over many data sets?

    Parameters
    ----------
    first, second : sequences of N floats
        Scores on the same N data sets.
    rope : float
        Differences of at most this much count as none; 0.01 for an accuracy in [0, 1] is usual. 0: no region.
    lower_is_better : bool
        Whether a low score is good.
    samples, seed : int
        Draws from the posterior, and the seed of the generator: the same seed gives the same answer.

    Returns
    -------
    BayesianSignedRank

    Raises
    ------
    DataError
        As `paired_t`; a negative ROPE; or baycomp is not installed.

    Notes
    -----
    Benavoli, Corani, Demšar, Zaffalon (2017), JMLR 18:77, by their own library baycomp (prior weight 0.5 at zero).
    """
    x, y = pair(first, second)
    if not rope >= 0:
        raise DataError(f"the region of practical equivalence is {rope:g}; give a half-width of 0 or more")
    if samples < 1:
        raise DataError(f"{samples} samples were asked for; give at least 1")
    try:
        from baycomp import SignedRankTest
    except ImportError:
        raise DataError("the Bayesian signed-rank test needs baycomp, which is not installed; "
                        "pip install 'deabench[test]'") from None
    shares = [float(p) for p in SignedRankTest.probs(x, y, rope=rope, nsamples=samples, random_state=seed)]
    left, within, right = shares if rope > 0 else (shares[0], 0.0, shares[1])
    if lower_is_better:
        left, right = right, left
    return BayesianSignedRank(left, within, right, rope, samples, seed)
