"""Missing results: the test of Skillings and Mack, Friedman's where some classifiers lack some data
sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from deabench.compare._validation import scores
from deabench.compare.exact import FEW
from deabench.compare.many import ranked
from deabench.errors import DataError
from deabench.utils.checks import choice
from deabench.utils.result import Result

Floats = NDArray[np.float64]
Method = Literal["auto", "permutation", "asymptotic"]
DRAWS = 20_000
LISTED = 6
"""Orders of so many are listed and picked from; of more they are shuffled."""


@dataclass(frozen=True, eq=False, repr=False)
class SkillingsMack(Result):
    """The test of "all classifiers are alike" where results are missing.

    Attributes
    ----------
    ranks : DataFrame, N x k
        Within each data set among the classifiers that have a result there, 1 = best; missing where
        there is none.
    mean_ranks : Series, k
        Mean rank as a share of the data set's own: 1 + (k - 1)(r - 1)/(k_i - 1), averaged over the
        data sets a classifier has, so that 1 is always best and k always worst.
    statistic : float
    distribution : str
        "chi2(k - 1)", or "20000 random orders" up to 13 data sets and where there are ties.
    p_value : float
    notes : tuple of str
        How much is missing, and which data sets tell nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> found = compare.skillings_mack(table.mask(table == .90))
    >>> bool(0 <= found.p_value <= 1)
    True
    """

    ranks: pd.DataFrame
    mean_ranks: pd.Series
    statistic: float
    distribution: str
    p_value: float
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        row = {
            "statistic": self.statistic,
            "distribution": self.distribution,
            "p_value": self.p_value,
        }
        return pd.DataFrame([row], index=pd.Index(["Skillings-Mack"], name="test"))

    def said(self) -> str:
        """The test in a few words."""
        return f"Skillings-Mack {self.statistic:.4g}, p = {self.p_value:.4g} ({self.distribution})"

    def summary(self) -> str:
        return "\n".join([f"all alike? {self.said()}", *self.notes])


def skillings_mack(
    table: pd.DataFrame, *, higher_is_better: bool = True, method: Method = "auto", seed: int = 0
) -> SkillingsMack:
    """Friedman's test for tables with missing scores.

    Each data set ranks the k_i classifiers it has; A_j = Σ_i √(12/(k_i + 1)) (r_ij - (k_i + 1)/2)
    adds up how far classifier j is from the middle, and the statistic is A'Σ⁻A with Σ the
    covariance of A under "all alike". Without missing scores and ties it is Friedman's χ².

    Parameters
    ----------
    table : DataFrame, N x k
        Data sets in rows, at least three classifiers in columns; a missing score is NaN.
    higher_is_better : bool
        Whether a high score is good.
    method : "auto", "permutation", "asymptotic"
        "auto": 20,000 random orders up to 13 data sets or where scores are tied (χ² is conservative
        with ties), χ²(k - 1) otherwise.
    seed : int
        Of the random orders.

    Returns
    -------
    SkillingsMack

    Raises
    ------
    DataError
        As `friedman`; a classifier without a score on a data set that another has; classifiers that
        no chain of common data sets connects.

    Notes
    -----
    Skillings, Mack (1981), Technometrics 23, 171-177, doi:10.1080/00401706.1981.10486261. That a
    score is missing must not depend on how good it would have been: a classifier that fails on hard
    data sets looks too good.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> found = compare.skillings_mack(table.mask(table == .90))
    >>> round(found.statistic, 3)
    7.5
    """
    choice("method", method, get_args(Method))
    values = scores(table, least=3, gaps=True)
    kept = values[values.notna().sum(axis=1) >= 2]
    _connected(kept)
    ranks = ranked(kept, higher_is_better)
    design = Design(ranks.to_numpy())
    if not design.deviations.any():
        raise DataError("all classifiers tie on every data set; there is nothing to test")
    statistic = design.statistic(design.deviations.sum(axis=0)[None])[0]
    count, k = kept.shape
    tied = bool((np.diff(np.sort(ranks.to_numpy(), axis=1), axis=1) == 0).any())
    if method == "permutation" or (method == "auto" and (count <= FEW or tied)):
        p, said = float(design.drawn(np.array([statistic]), seed)[0]), f"{DRAWS} random orders"
    else:
        p, said = float(special.chdtrc(k - 1, statistic)), f"chi2({k - 1})"
    sizes = kept.notna().sum(axis=1).to_numpy()
    scaled = 1 + (k - 1) * ranks.sub(1).div(sizes - 1, axis=0)
    return SkillingsMack(
        ranks,
        scaled.mean().rename("mean_rank"),
        float(statistic),
        said,
        p,
        _notes(values, len(kept)),
    )


class Design:
    """Which data set has which classifier: what the covariance of the rank sums depends on."""

    def __init__(self, ranks: Floats) -> None:
        self.there = np.isfinite(ranks)
        size = self.there.sum(axis=1, keepdims=True)
        weight = (12 / (size + 1)) ** 0.5
        self.deviations = np.where(
            self.there, weight * (np.nan_to_num(ranks) - (size + 1) / 2), 0.0
        )
        together = self.there.astype(float).T @ self.there
        np.fill_diagonal(together, 0.0)
        self.inverse = np.linalg.pinv(np.diag(together.sum(axis=1)) - together, hermitian=True)

    def statistic(self, sums: Floats) -> Floats:
        """A'Σ⁻A of each of several sums of weighted deviations A, shape (B, k)."""
        return np.asarray(((sums @ self.inverse) * sums).sum(axis=1))

    def drawn(self, observed: Floats, seed: int) -> Floats:
        """The p value of each statistic from random orders of what each data set has; the observed
        table counts as one of them.
        """
        rng = np.random.default_rng(seed)
        sums = np.zeros((DRAWS, self.there.shape[1]))
        for there, row in zip(self.there, self.deviations, strict=True):
            sums[:, there] += _orders(row[there], rng)
        below = np.searchsorted(np.sort(self.statistic(sums)), observed * (1 - 1e-9))
        return np.asarray((1 + DRAWS - below) / (1 + DRAWS))


def _orders(values: Floats, rng: np.random.Generator) -> Floats:
    """Random orders of a few values, shape (DRAWS, k)."""
    if len(values) > LISTED:
        return rng.permuted(np.broadcast_to(values, (DRAWS, len(values))), axis=1)
    every = np.array(list(permutations(values)))
    return every[rng.integers(0, len(every), DRAWS)]


def _connected(values: pd.DataFrame) -> None:
    """Refuse classifiers whose ranks say nothing about each other."""
    there = values.notna().to_numpy()
    for name, alone in zip(values.columns, ~there.any(axis=0), strict=True):
        if alone:
            raise DataError(f"'{name}' shares no data set with another classifier; leave it out")
    reached = np.zeros(there.shape[1], dtype=bool)
    reached[0] = True
    for _ in range(there.shape[1]):
        reached = there[(there & reached).any(axis=1)].any(axis=0) | reached
    if not reached.all():
        other = values.columns[~reached][0]
        raise DataError(
            f"no chain of common data sets connects '{values.columns[0]}' and '{other}'; compare them apart"
        )


def _notes(values: pd.DataFrame, kept: int) -> tuple[str, ...]:
    missing, cells = int(values.isna().to_numpy().sum()), values.size
    said = [
        f"{missing} of {cells} scores are missing: the test takes it that this does not depend on how good they would be"
    ]
    if kept < len(values):
        said.append(
            f"{len(values) - kept} of {len(values)} data sets have fewer than 2 scores and tell nothing"
        )
    return tuple(said) if missing else ()
