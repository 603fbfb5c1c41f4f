"""Which pairs of classifiers differ: by ranks, Wilcoxon, permutation or t, adjusted for how many
pairs are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

from deabench.compare import pairs as of_two
from deabench.compare._validation import known_control, level, old_direction, scores
from deabench.compare.adjust import ADJUSTMENTS, Adjustment, adjusted
from deabench.compare.exact import FEW, gaps, rank_sums
from deabench.compare.folds import paired_t
from deabench.compare.many import ranked
from deabench.compare.permutation import permutation
from deabench.compare.two import wilcoxon
from deabench.errors import DataError
from deabench.utils.checks import choice
from deabench.utils.result import Result

if TYPE_CHECKING:
    from deabench.plot.critical_difference import CriticalDifferenceDisplay

Floats = NDArray[np.float64]
PairTest = Literal["ranks", "wilcoxon", "permutation", "t"]
OF_TWO: dict[str, of_two.Test] = {"wilcoxon": wilcoxon, "permutation": permutation, "t": paired_t}


@dataclass(frozen=True, eq=False, repr=False)
class Pairwise(Result):
    """Pairs of classifiers with raw and adjusted p values.

    Attributes
    ----------
    pairs : DataFrame
        first, second, wins, ties, losses (of the first), difference (mean rank of the first minus
        the second's, or the median, for "permutation" and "t" the mean, difference of scores),
        statistic, p_value, adjusted, different; in the table's order.
    mean_ranks : Series
        Over all classifiers of the table.
    test, adjust : str
        As asked for.
    alpha : float
        Level over the family of pairs.
    control : str or None
    notes : tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> found = compare.pairwise(table, test="wilcoxon")
    >>> found.to_frame()["p_value"].round(4).tolist()
    [0.3125, 0.0625, 0.0625]
    """

    pairs: pd.DataFrame
    mean_ranks: pd.Series
    test: PairTest
    adjust: Adjustment
    alpha: float
    control: str | None = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        return self.pairs

    def summary(self) -> str:
        """How many pairs differ and which, then the test and what to know."""
        how = (
            f"pairwise test '{self.test}', adjustment '{self.adjust}' of {len(self.pairs)} p values"
        )
        return "\n".join([said(self.pairs, self.alpha), how, *self.notes])

    def matrix(self) -> pd.DataFrame:
        """The adjusted p values as a symmetric frame, 1 on the diagonal, NaN for pairs not
        compared.
        """
        return of_two.matrix(self.pairs, self.mean_ranks.index, self.pairs["adjusted"])

    def plot(self) -> CriticalDifferenceDisplay:  # type: ignore[override]
        """The critical-difference diagram; of three classifiers or more."""
        from deabench.plot.critical_difference import CriticalDifferenceDisplay

        return CriticalDifferenceDisplay.from_result(self).plot()


def said(pairs: pd.DataFrame, alpha: float) -> str:
    """How many pairs differ, and the clearest of them by name."""
    total = len(pairs)
    family = "the only pair" if total == 1 else f"the {total} pairs"
    found = pairs[pairs["different"]].sort_values("adjusted", kind="stable")
    if found.empty:
        return f"{'' if total == 1 else 'none of '}{family} {'is not' if total == 1 else 'is'} found different at {alpha:g}"
    names = ", ".join(_one(row) for _, row in found.head(5).iterrows())
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    lead = (
        "the pair differs"
        if total == 1
        else f"{len(found)} of {family} differ{'s' if len(found) == 1 else ''}"
    )
    return f"{lead} at {alpha:g}: {names}{more}"


def _one(row: pd.Series) -> str:
    if row.get("better"):
        other = row["second"] if row["better"] == str(row["first"]) else row["first"]
        return f"'{row['better']}' is better than '{other}' (p = {row['adjusted']:.3g})"
    return f"'{row['first']}' and '{row['second']}' (p = {row['adjusted']:.3g})"


@old_direction
def pairwise(
    table: pd.DataFrame,
    *,
    control: str | None = None,
    test: PairTest = "ranks",
    adjust: Adjustment = "holm",
    higher_is_better: bool = True,
    alpha: float = 0.05,
) -> Pairwise:
    """Compare all pairs of classifiers, or every classifier with a control, over many data sets.

    test "ranks": z = (R_i - R_j)/√(k(k+1)/(6N)), normal above 13 data sets and up to 13 exact under
    "all alike", ties kept (depends on the other classifiers of the table); the others look at the
    two alone (Benavoli, Corani, Mangili 2016, JMLR 17:5): "wilcoxon", the signed-rank test;
    "permutation", of the mean difference; "t", the plain paired t.

    Parameters
    ----------
    table : DataFrame, N x k
        Data sets in rows, classifiers in columns.
    control : str, optional
        Compare every other classifier with this one only: k - 1 tests in place of k(k-1)/2.
    test : str
        "ranks", "wilcoxon" (zeros split), "permutation" or "t".
    adjust : str
        "holm"; all pairs only: "shaffer" (static, uniformly sharper than Holm), "bergmann-hommel"
        (sharper still, up to 12 classifiers), "nemenyi" (ranks; from the studentised range, exact
        or drawn up to 13 data sets); a control only: "finner" (a little sharper than Holm);
        "bonferroni" (against a control: Bonferroni-Dunn); "hochberg", "hommel".
    higher_is_better : bool
        Whether a high score is good; False for errors and costs.
    alpha : float
        Level over the family.

    Returns
    -------
    Pairwise

    Raises
    ------
    DataError
        As `rank`; an unknown control, test or adjustment; an adjustment that does not fit the pairs
        or the test.

    Notes
    -----
    Demšar (2006), JMLR 7, 1-30; Shaffer (1986), JASA 81, 826-831,
    doi:10.1080/01621459.1986.10478341; García, Herrera (2008), JMLR 9, 2677-2694.

    Examples
    --------
    >>> import deabench as db
    >>> pairs = db.compare.pairwise(db.datasets.load("demsar2006-auc"), control="C4.5").to_frame()
    >>> pairs["adjusted"].round(3).tolist()
    [0.047, 0.608, 0.047]
    """
    values = scores(table)
    known_control(control, values.columns)
    choice("test", test, get_args(PairTest))
    fits(adjust, control, by_ranks=test == "ranks")
    level(alpha)
    ranks = ranked(values, higher_is_better)
    means = ranks.mean().rename("mean_rank")
    which = of_two.chosen(values.columns, control)
    notes: tuple[str, ...] = ()
    if test == "ranks":
        rows = by_ranks(ranks, which)
    else:
        rows, notes = of_two.each(values, which, OF_TWO[test])
    found = of_two.frame(values, which, rows, higher_is_better)
    found["adjusted"] = (
        nemenyi(ranks, found["difference"].to_numpy())
        if adjust == "nemenyi"
        else adjusted(found["p_value"].to_numpy(), adjust, len(means))
    )
    found["different"] = found["adjusted"] < alpha
    return Pairwise(found, means, test, adjust, alpha, control, notes)


def fits(adjust: str, control: str | None, *, by_ranks: bool) -> None:
    """Refuse an adjustment that is unknown, or is not for these pairs or this test."""
    choice(
        "adjust",
        adjust,
        ADJUSTMENTS,
        {"bergmann": "'bergmann-hommel'", "bonferroni-dunn": "'bonferroni'"},
    )
    if adjust in ("shaffer", "bergmann-hommel", "nemenyi") and control is not None:
        raise DataError(f"'{adjust}' is for all pairs; against a control take 'holm'")
    if adjust == "finner" and control is None:
        raise DataError("'finner' is for comparisons with a control; for all pairs take 'shaffer'")
    if adjust == "nemenyi" and not by_ranks:
        raise DataError(
            "'nemenyi' is for mean ranks; with Wilcoxon's test take 'holm' or 'shaffer'"
        )


def by_ranks(ranks: pd.DataFrame, which: Sequence[of_two.Pair]) -> list[tuple[float, float, float]]:
    """Difference of mean ranks, z and p of every pair."""
    count, k = ranks.shape
    means = ranks.mean().to_numpy()
    first = ranks.columns.get_indexer([a for a, _ in which])
    second = ranks.columns.get_indexer([b for _, b in which])
    gap = means[first] - means[second]
    z = gap / (k * (k + 1) / (6 * count)) ** 0.5
    p = gaps(ranks.to_numpy(), gap * count) if count <= FEW else 2 * special.ndtr(-np.abs(z))
    return list(zip(gap.tolist(), z.tolist(), p.tolist(), strict=True))


def nemenyi(ranks: pd.DataFrame, gap: ArrayLike) -> Floats:
    """Nemenyi's p values of differences of mean ranks: how often the largest difference of any pair
    is as large.

    Up to 13 data sets from the distribution of the rank sums; above from the studentised range of k
    means with infinite degrees of freedom, at √2 |R_i - R_j| / √(k(k+1)/(6N))."""
    count, k = ranks.shape
    sizes = np.abs(np.asarray(gap, dtype=float))
    if count <= FEW:
        return rank_sums(ranks.to_numpy()).of_reach(sizes * count)
    return normal_range((12 * count / (k * (k + 1))) ** 0.5 * sizes, k)


def normal_range(q: ArrayLike, k: int) -> Floats:
    """P(range of k independent standard normals >= q): k∫φ(z)(Φ(z)^(k-1) - (Φ(z) - Φ(z -
    q))^(k-1))dz.

    `scipy.stats.studentized_range` with infinite df, for many q at once: the trapezoid rule on a
    smooth integrand that vanishes at both ends is exact to 1e-14."""
    values, place = np.unique(np.round(np.asarray(q, dtype=float), 12), return_inverse=True)
    z, step = np.linspace(-9.0, 41.0, 1001, retstep=True)
    below = special.log_ndtr(z)
    weight = k * step * np.exp((k - 1) * below - z * z / 2) / (2 * np.pi) ** 0.5
    tail = np.empty(len(values))
    for start in range(0, len(values), 500):
        share = np.exp(
            np.minimum(
                special.log_ndtr(z[None, :] - values[start : start + 500, None]) - below, 0.0
            )
        )
        with np.errstate(divide="ignore"):
            tail[start : start + 500] = -np.expm1((k - 1) * np.log1p(-share)) @ weight
    return np.clip(tail, 0.0, 1.0)[place]
