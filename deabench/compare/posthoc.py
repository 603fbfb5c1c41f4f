"""Which pairs of classifiers differ: rank differences or Wilcoxon, adjusted for how many pairs are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from scipy import special

from deabench.compare._gate import known_control, level, one_of, scores
from deabench.compare.many import rank, signs
from deabench.compare.two import wilcoxon
from deabench.errors import DataError

TESTS = ("ranks", "wilcoxon")
ADJUSTMENTS = ("holm", "shaffer", "nemenyi", "bonferroni", "hochberg", "hommel")
STATSMODELS_NAMES = {"hochberg": "simes-hochberg"}


@dataclass(frozen=True)
class Pairwise:
    """Pairs of classifiers with raw and adjusted p values.

    Attributes
    ----------
    pairs : DataFrame
        first, second, wins, ties, losses (of the first), difference (mean rank of the first minus the second's, or the
        median difference of scores for "wilcoxon"), statistic, p_value, adjusted, different; in the table's order.
    mean_ranks : Series
        Over all classifiers of the table.
    test, adjust : str
        As asked for.
    alpha : float
        Level over the family of pairs.
    """

    pairs: pd.DataFrame
    mean_ranks: pd.Series
    test: str
    adjust: str
    alpha: float

    def to_frame(self) -> pd.DataFrame:
        return self.pairs

    def matrix(self) -> pd.DataFrame:
        """The adjusted p values as a symmetric frame, 1 on the diagonal, NaN for pairs not compared."""
        names = self.mean_ranks.index
        frame = pd.DataFrame(np.where(np.eye(len(names), dtype=bool), 1.0, np.nan), index=names, columns=names)
        for row in self.pairs.itertuples():
            frame.loc[row.first, row.second] = frame.loc[row.second, row.first] = row.adjusted
        return frame


def pairwise(table: pd.DataFrame, *, control: str | None = None, test: str = "ranks", adjust: str = "holm",
             lower_is_better: bool = False, alpha: float = 0.05) -> Pairwise:
    """Compare all pairs of classifiers, or every classifier with a control, over many data sets.

    test "ranks": z = (R_i - R_j)/√(k(k+1)/(6N)), normal (depends on the other classifiers of the table);
    test "wilcoxon": the signed-rank test of the two alone (Benavoli, Corani, Mangili 2016, JMLR 17:5).

    Parameters
    ----------
    table : DataFrame, N x k
        Data sets in rows, classifiers in columns.
    control : str, optional
        Compare every other classifier with this one only: k - 1 tests in place of k(k-1)/2.
    test : str
        "ranks" or "wilcoxon" (zeros split).
    adjust : str
        "holm"; "shaffer" (static, all pairs only, uniformly sharper than Holm there); "nemenyi" (ranks, all pairs; from
        the studentised range); "bonferroni" (against a control: Bonferroni-Dunn); "hochberg", "hommel".
    lower_is_better : bool
        Whether a low score is good.
    alpha : float
        Level over the family.

    Returns
    -------
    Pairwise

    Raises
    ------
    DataError
        As `rank`; an unknown control, test or adjustment; Shaffer or Nemenyi against a control, Nemenyi on Wilcoxon.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30; Shaffer (1986), JASA 81, 826-831, doi:10.1080/01621459.1986.10478341;
    García, Herrera (2008), JMLR 9, 2677-2694.
    """
    values = scores(table)
    known_control(control, values.columns)
    one_of(test, TESTS, "pairwise test")
    one_of(adjust, ADJUSTMENTS, "adjustment")
    level(alpha)
    if adjust in ("shaffer", "nemenyi") and control is not None:
        raise DataError(f"'{adjust}' is for all pairs; against a control take 'holm'")
    if adjust == "nemenyi" and test != "ranks":
        raise DataError("'nemenyi' is for mean ranks; with Wilcoxon's test take 'holm' or 'shaffer'")
    means = rank(values, lower_is_better=lower_is_better).mean().rename("mean_rank")
    chosen = (list(combinations(values.columns, 2)) if control is None
              else [(control, name) for name in values.columns if name != control])
    raw = [_by_ranks(means, len(values), a, b) if test == "ranks" else _by_wilcoxon(values, a, b) for a, b in chosen]
    pairs = pd.DataFrame(raw, columns=["difference", "statistic", "p_value"])
    pairs.insert(0, "second", [b for _, b in chosen])
    pairs.insert(0, "first", [a for a, _ in chosen])
    counts = [signs(values, a, b, lower_is_better=lower_is_better) for a, b in chosen]
    for place, name in enumerate(("wins", "ties", "losses")):
        pairs.insert(2 + place, name, [c[place] for c in counts])
    pairs["adjusted"] = (nemenyi(means, len(values), chosen) if adjust == "nemenyi"
                         else adjusted(pairs["p_value"].to_numpy(), adjust, len(means)))
    pairs["different"] = pairs["adjusted"] < alpha
    return Pairwise(pairs, means, test, adjust, alpha)


def _by_ranks(means: pd.Series, count: int, a: str, b: str) -> tuple[float, float, float]:
    k = len(means)
    gap = float(means[a] - means[b])
    z = gap / (k * (k + 1) / (6 * count))**0.5
    return gap, z, float(2 * special.ndtr(-abs(z)))


def _by_wilcoxon(values: pd.DataFrame, a: str, b: str) -> tuple[float, float, float]:
    found = wilcoxon(values[a].to_numpy(), values[b].to_numpy())
    return found.difference, found.statistic, found.p_value


def nemenyi(means: pd.Series, count: int, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Nemenyi's p values: √2 |R_i - R_j| / √(k(k+1)/(6N)) on the studentised range of k means, infinite df.

    `scikit_posthocs.posthoc_nemenyi_friedman` gives the same from the raw table (the tests hold the two together); this
    takes the ranks, in which low scores may be the good ones and rounding noise is already off.
    """
    from scipy.stats import studentized_range

    k = len(means)
    spread = (k * (k + 1) / (6 * count))**0.5
    return [float(studentized_range.sf(2**0.5 * abs(means[a] - means[b]) / spread, k, np.inf)) for a, b in pairs]


def adjusted(p_values: Sequence[float], method: str, k: int) -> np.ndarray:
    """p values adjusted for multiple testing, in the order given; `k` classifiers matter to Shaffer only."""
    if method == "shaffer":
        return shaffer(p_values, k)
    from statsmodels.stats.multitest import multipletests

    return multipletests(p_values, method=STATSMODELS_NAMES.get(method, method))[1]


def shaffer(p_values: Sequence[float], k: int) -> np.ndarray:
    """Shaffer's static adjustment of the p values of all k(k-1)/2 pairs.

    In ascending order, the i-th p value is multiplied by t_i, the largest number of hypotheses that can be true
    together when i - 1 are false, t_i = max{s in S(k): s <= m - i + 1}, and made monotone; at most 1.

    Raises
    ------
    DataError
        Where the number of p values is not k(k-1)/2.
    """
    p = np.asarray(p_values, dtype=float)
    m = comb(k, 2)
    if len(p) != m:
        raise DataError(f"there are {len(p)} p values; Shaffer's adjustment needs all {m} pairs of {k} classifiers")
    possible = np.array(sorted(true_together(k)))
    order = np.argsort(p, kind="stable")
    factors = np.array([possible[possible <= m - i].max() for i in range(m)])
    result = np.empty(m)
    result[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return result


def true_together(k: int) -> set[int]:
    """S(k): how many of the pairwise equalities of k classifiers can hold together.

    S(k) = ∪_j {C(j, 2) + s: s in S(k - j)}, S(0) = S(1) = {0}; S(4) = {0, 1, 2, 3, 6}.
    """
    sets: list[set[int]] = [{0}, {0}]
    for n in range(2, k + 1):
        sets.append({comb(j, 2) + s for j in range(1, n + 1) for s in sets[n - j]})
    return sets[k]
