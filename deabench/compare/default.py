"""One call that chooses the test by the shape of the data, says why, and warns where an assumption
fails.
"""

from __future__ import annotations

from math import factorial
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.compare import pairs as of_two
from deabench.compare._options import TITLES, Asked, family, finish, undecided
from deabench.compare._validation import known_control, level, old_direction, scores, warn
from deabench.compare.adjust import Adjustment
from deabench.compare.clusters import Clusters, cluster_means, unsaid
from deabench.compare.comparison import Findings
from deabench.compare.exact import FEW as EXACT
from deabench.compare.folds_and_missing import incomplete, over_folds
from deabench.compare.many import Friedman, of_ranks, ranked
from deabench.compare.posthoc import OF_TWO, by_ranks, fits, nemenyi
from deabench.compare.two import wilcoxon
from deabench.errors import DataError
from deabench.utils.checks import choice

Test = Literal["auto", "ranks", "wilcoxon", "permutation", "t"]
Missing = Literal["refuse", "skillings-mack"]
FEW = 10
"""With so few data sets only large differences are found."""
WHY = {
    "wilcoxon": "the signed-rank test takes no distribution for granted",
    "permutation": "a permutation test takes no distribution for granted",
    "t": "the t test takes the differences to be normal, on data sets that are independent",
    "ranks": "ranks take no common scale of the scores for granted",
}


@old_direction
def compare(
    table: pd.DataFrame,
    *,
    control: str | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    folds: int | None = None,
    test: Test = "auto",
    adjust: Adjustment | None = None,
    clusters: Clusters | None = None,
    missing: Missing = "refuse",
) -> Findings:
    """Compare classifiers by the test that the shape of the data calls for, or by the one named.

    | rows are                      | classifiers | test                                                               |
    |-------------------------------|-------------|--------------------------------------------------------------------|
    | data sets (`folds=None`)      | 2           | Wilcoxon signed-rank, zeros split                                  |
    | data sets                     | 3 or more   | Friedman and Iman-Davenport; then mean ranks with Shaffer over all |
    |                               |             | pairs, or Holm against the control; up to 13 data sets exact       |
    | data sets, scores missing     | 3 or more   | Skillings-Mack; then Wilcoxon on each pair's common data sets      |
    | (repeats of) k folds of one   | 2 or more   | Nadeau-Bengio corrected t, Holm over the pairs                     |
    | data set (`folds=k`)          |             |                                                                    |

    Parameters
    ----------
    table : DataFrame
        Data sets (or folds) in rows, classifiers in columns; `from_long` makes it from a long
        table.
    control : str, optional
        The classifier to compare the others with; None compares all pairs.
    higher_is_better : bool
        Whether a high score is good; False for an error or a cost.
    alpha : float
        Level over the family of comparisons.
    folds : int, optional
        The rows are the folds of a (repeated) k-fold cross-validation on one data set, with this k.
    test : "auto", "ranks", "wilcoxon", "permutation" or "t"
        The test of each pair; "auto" as in the table. See `pairwise`.
    adjust : str, optional
        The adjustment of the p values, by default as in the table. See `pairwise`.
    clusters : mapping or "keel", optional
        Data sets that depend on each other count once, with their mean scores; see `cluster_means`.
    missing : "refuse" or "skillings-mack"
        What to do with scores that are missing.

    Returns
    -------
    Findings

    Raises
    ------
    DataError
        A score that is not a finite number, an unknown control, test or adjustment, fewer than 2
        classifiers or rows, rows that are no multiple of `folds`, or options that do not go
        together.

    Warns
    -----
    DataWarning
        Too few data sets to reject at all, or for small differences; many ties; differences over
        folds far from normal.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> print(compare.compare(table).summary().splitlines()[0])
    1 of the 3 pairs differs at 0.05: 'a' is better than 'c' (p = 0.00849)
    """
    level(alpha)
    choice("test", test, get_args(Test))
    choice("missing", missing, get_args(Missing))
    if folds is not None and (
        test not in ("auto", "t") or clusters is not None or missing != "refuse"
    ):
        raise DataError(
            "folds of one data set are compared by the corrected t test, all scores present; leave test, "
            "clusters and missing out"
        )
    counted = table if clusters is None else cluster_means(table, clusters)
    values = scores(counted, gaps=missing != "refuse")
    known_control(control, values.columns)
    asked = Asked(control, higher_is_better, alpha, adjust)
    by_rank = (
        folds is None
        and test in ("auto", "ranks")
        and values.shape[1] > 2
        and not values.isna().to_numpy().any()
    )
    if adjust is not None:
        fits(adjust, control, by_ranks=by_rank or test == "ranks")
    if folds is not None:
        return over_folds(values, asked, folds)
    about = _about(table, values, clusters)
    if values.isna().to_numpy().any():
        return incomplete(values, asked, test, about)
    if by_rank:
        return _many_over_data_sets(values, asked, about)
    return _each_pair(values, asked, "wilcoxon" if test == "auto" else test, about)


def from_long(
    long: pd.DataFrame,
    *,
    dataset: str = "dataset",
    classifier: str = "classifier",
    score: str = "score",
    missing: Missing = "refuse",
) -> pd.DataFrame:
    """A long table (one row per data set and classifier) as the wide one that `compare` reads.

    Parameters
    ----------
    long : DataFrame
    dataset, classifier, score : str
        The names of its columns.
    missing : "refuse" or "skillings-mack"
        What happens where a pair has no row; as for `compare`.

    Raises
    ------
    DataError
        A column that is missing, a pair that stands twice, or is missing where that is refused.

    Examples
    --------
    >>> from deabench import compare
    >>> import pandas as pd
    >>> long = pd.DataFrame({"dataset": ["x", "x", "y", "y"], "classifier": ["a", "b", "a", "b"], "score": [.8, .7, .9, .6]})
    >>> compare.from_long(long).loc["y"].to_dict()
    {'a': 0.9, 'b': 0.6}
    """
    if not isinstance(long, pd.DataFrame):
        raise DataError(f"the long table is a {type(long).__name__}; give a DataFrame")
    for name in (dataset, classifier, score):
        if name not in long.columns:
            raise DataError(
                f"there is no column '{name}' in the long table; it needs '{dataset}', '{classifier}' "
                f"and '{score}'"
            )
    twice = long.duplicated([dataset, classifier])
    if twice.any():
        row = long[twice].iloc[0]
        raise DataError(
            f"'{row[classifier]}' has two scores on '{row[dataset]}'; average them, or name folds apart"
        )
    wide = long.set_index([dataset, classifier])[score].unstack(sort=False)
    gone = np.argwhere(wide.isna().to_numpy())
    if len(gone) and missing == "refuse":
        row, column = gone[0]
        raise DataError(
            f"'{wide.columns[column]}' has no score on '{wide.index[row]}'; give one, or leave the row out"
        )
    return wide.rename_axis(columns=None)


def _about(table: pd.DataFrame, values: pd.DataFrame, clusters: Clusters | None) -> tuple[str, ...]:
    """The note on data sets that depend on each other."""
    if clusters is not None:
        return (
            f"{len(table)} data sets count as {len(values)} clusters, each with its mean scores",
        )
    dependent = unsaid(values.index)
    return (dependent,) if dependent else ()


def _each_pair(values: pd.DataFrame, asked: Asked, test: str, about: tuple[str, ...]) -> Findings:
    """Every pair by a test of the two alone."""
    count, k = values.shape
    which = of_two.chosen(values.columns, asked.control)
    ranks = ranked(values, asked.higher)
    adjust = asked.chosen("shaffer" if k > 2 else "holm")
    notes: tuple[str, ...] = ()
    if test == "ranks":
        rows = by_ranks(ranks, which)
    else:
        rows, notes = of_two.each(values, which, OF_TWO[test])
    least = 2.0 ** (1 - count)
    if least >= asked.alpha and test != "t":
        name = {"wilcoxon": "signed-rank", "ranks": "rank"}.get(test, test)
        warn(
            f"with {count} data sets the {name} test can never reject: its smallest p value is {least:g}, "
            f"not below alpha = {asked.alpha:g}; add data sets"
        )
    pairs = of_two.frame(values, which, rows, asked.higher)
    if adjust == "nemenyi":
        pairs["adjusted"] = nemenyi(ranks, pairs["difference"].to_numpy())
    pairs = finish(pairs, k, adjust, asked, low_wins=test == "ranks" or not asked.higher)
    title = TITLES[test] + family(asked.control, adjust, len(which))
    if k == 2 and test == "wilcoxon":
        title = wilcoxon(values[which[0][0]].to_numpy(), values[which[0][1]].to_numpy()).test
    why = f"{k} classifiers over {count} data sets: {WHY[test]}"
    return Findings(
        pairs,
        ranks.mean().rename("mean_rank"),
        None,
        title,
        why,
        asked.alpha,
        asked.control,
        adjust,
        (*notes, *about),
    )


def _many_over_data_sets(values: pd.DataFrame, asked: Asked, about: tuple[str, ...]) -> Findings:
    """Friedman, then mean ranks."""
    count, k = values.shape
    ranks = ranked(values, asked.higher)
    omnibus = of_ranks(ranks)
    _warn_of_few(omnibus, asked.alpha)
    adjust = asked.chosen("shaffer")
    which = of_two.chosen(values.columns, asked.control)
    pairs = of_two.frame(values, which, by_ranks(ranks, which), asked.higher)
    if adjust == "nemenyi":
        pairs["adjusted"] = nemenyi(ranks, pairs["difference"].to_numpy())
    pairs = finish(pairs, k, adjust, asked, low_wins=True, omnibus=omnibus)
    notes = [
        "mean ranks depend on every classifier of the table: add or leave out one and other pairs may change",
        *undecided(omnibus, asked.alpha),
    ]
    if count <= EXACT:
        notes.append(
            f"with {count} data sets the pairs' p values are exact under 'all alike', not approximations"
        )
    why = f"{k} classifiers over {count} data sets: {WHY['ranks']}"
    title = "Friedman with Iman-Davenport, then mean ranks" + family(
        asked.control, adjust, len(which)
    )
    return Findings(
        pairs,
        omnibus.mean_ranks,
        omnibus,
        title,
        why,
        asked.alpha,
        asked.control,
        adjust,
        (*notes, *omnibus.notes, *about),
    )


def _warn_of_few(omnibus: Friedman, alpha: float) -> None:
    """Too few data sets, too many ties."""
    count, k = omnibus.ranks.shape
    least = 1 / factorial(min(k, 170)) ** (count - 1) if count <= EXACT else 0.0
    if least >= alpha:
        warn(
            f"with {count} data sets the test of the whole can never reject: its smallest p value is {least:.3g}, "
            f"not below alpha = {alpha:g}; add data sets"
        )
    elif count <= FEW:
        warn(f"{count} data sets are few: only large differences are found")
    tied = int((np.diff(np.sort(omnibus.ranks.to_numpy(), axis=1), axis=1) == 0).any(axis=1).sum())
    if omnibus.tie_factor < 0.95:
        also = "" if count <= EXACT else "; the pairwise ones are conservative"
        warn(
            f"{tied} of {count} data sets have tied classifiers, which take {100 * (1 - omnibus.tie_factor):.1f} % of "
            f"the rank variance: read the tie-corrected tests{also}"
        )
