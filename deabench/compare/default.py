"""One call that chooses the test by the shape of the data, says why, and warns where an assumption fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import factorial
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.checks import choice
from deabench.compare import pairs as of_two
from deabench.compare._gate import differences, known_control, level, old_direction, scores, warn
from deabench.compare.adjust import Adjustment, adjusted
from deabench.compare.clusters import Clusters, cluster_means, unsaid
from deabench.compare.exact import FEW as EXACT
from deabench.compare.findings import Findings
from deabench.compare.folds import corrected_t
from deabench.compare.incomplete import SkillingsMack, skillings_mack
from deabench.compare.many import Friedman, of_ranks, ranked
from deabench.compare.posthoc import OF_TWO, by_ranks, fits, nemenyi
from deabench.compare.two import wilcoxon
from deabench.errors import DataError

Test = Literal["auto", "ranks", "wilcoxon", "permutation", "t"]
Missing = Literal["refuse", "skillings-mack"]
FEW = 10
"""With so few data sets only large differences are found."""
TITLES = {"wilcoxon": "Wilcoxon signed-rank test of each pair", "permutation": "permutation test of each pair's mean difference",
          "t": "paired t test of each pair", "ranks": "mean ranks"}
WHY = {"wilcoxon": "the signed-rank test takes no distribution for granted",
       "permutation": "a permutation test takes no distribution for granted",
       "t": "the t test takes the differences to be normal, on data sets that are independent",
       "ranks": "ranks take no common scale of the scores for granted"}


@dataclass(frozen=True)
class _Asked:
    """What the caller wants of the pairs."""

    control: str | None
    higher: bool
    alpha: float
    adjust: Adjustment | None

    def chosen(self, default: Adjustment) -> Adjustment:
        return self.adjust or (default if self.control is None else "holm")


@old_direction
def compare(table: pd.DataFrame, *, control: str | None = None, higher_is_better: bool = True, alpha: float = 0.05,
            folds: int | None = None, test: Test = "auto", adjust: Adjustment | None = None, clusters: Clusters | None = None,
            missing: Missing = "refuse") -> Findings:
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
        Data sets (or folds) in rows, classifiers in columns; `from_long` makes it from a long table.
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
        A score that is not a finite number, an unknown control, test or adjustment, fewer than 2 classifiers or rows,
        rows that are no multiple of `folds`, or options that do not go together.

    Warns
    -----
    DataWarning
        Too few data sets to reject at all, or for small differences; many ties; differences over folds far from normal.
    """
    level(alpha)
    choice("test", test, get_args(Test))
    choice("missing", missing, get_args(Missing))
    if folds is not None and (test not in ("auto", "t") or clusters is not None or missing != "refuse"):
        raise DataError("folds of one data set are compared by the corrected t test, all scores present; leave test, "
                        "clusters and missing out")
    counted = table if clusters is None else cluster_means(table, clusters)
    values = scores(counted, gaps=missing != "refuse")
    known_control(control, values.columns)
    asked = _Asked(control, higher_is_better, alpha, adjust)
    by_rank = folds is None and test in ("auto", "ranks") and values.shape[1] > 2 and not values.isna().to_numpy().any()
    if adjust is not None:
        fits(adjust, control, by_ranks=by_rank or test == "ranks")
    if folds is not None:
        return _over_folds(values, asked, folds)
    about = _about(table, values, clusters)
    if values.isna().to_numpy().any():
        return _incomplete(values, asked, test, about)
    if by_rank:
        return _many_over_data_sets(values, asked, about)
    return _each_pair(values, asked, "wilcoxon" if test == "auto" else test, about)


def from_long(long: pd.DataFrame, *, dataset: str = "dataset", classifier: str = "classifier", score: str = "score",
              missing: Missing = "refuse") -> pd.DataFrame:
    """A long table (one row per data set and classifier) as the wide one that `compare` reads.

    Raises
    ------
    DataError
        A column that is missing, a pair that stands twice, or is missing where that is refused.
    """
    for name in (dataset, classifier, score):
        if name not in long.columns:
            raise DataError(f"there is no column '{name}' in the long table; it needs '{dataset}', '{classifier}' "
                            f"and '{score}'")
    twice = long.duplicated([dataset, classifier])
    if twice.any():
        row = long[twice].iloc[0]
        raise DataError(f"'{row[classifier]}' has two scores on '{row[dataset]}'; average them, or name folds apart")
    wide = long.set_index([dataset, classifier])[score].unstack(sort=False)
    gone = np.argwhere(wide.isna().to_numpy())
    if len(gone) and missing == "refuse":
        row, column = gone[0]
        raise DataError(f"'{wide.columns[column]}' has no score on '{wide.index[row]}'; give one, or leave the row out")
    return wide.rename_axis(columns=None)


def _about(table: pd.DataFrame, values: pd.DataFrame, clusters: Clusters | None) -> tuple[str, ...]:
    """The note on data sets that depend on each other."""
    if clusters is not None:
        return (f"{len(table)} data sets count as {len(values)} clusters, each with its mean scores",)
    dependent = unsaid(values.index)
    return (dependent,) if dependent else ()


def _each_pair(values: pd.DataFrame, asked: _Asked, test: str, about: tuple[str, ...]) -> Findings:
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
        warn(f"with {count} data sets the {name} test can never reject: its smallest p value is {least:g}, "
             f"not below alpha = {asked.alpha:g}; add data sets")
    pairs = _finish(of_two.frame(values, which, rows, asked.higher), k, adjust, asked, low_wins=test == "ranks" or not asked.higher)
    title = TITLES[test] + _family(asked.control, adjust, len(which))
    if k == 2 and test == "wilcoxon":
        title = wilcoxon(values[which[0][0]].to_numpy(), values[which[0][1]].to_numpy()).test
    why = f"{k} classifiers over {count} data sets: {WHY[test]}"
    return Findings(pairs, ranks.mean().rename("mean_rank"), None, title, why, asked.alpha, asked.control, adjust,
                    (*notes, *about))


def _many_over_data_sets(values: pd.DataFrame, asked: _Asked, about: tuple[str, ...]) -> Findings:
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
    pairs = _finish(pairs, k, adjust, asked, low_wins=True, omnibus=omnibus)
    notes = ["mean ranks depend on every classifier of the table: add or leave out one and other pairs may change",
             *_undecided(omnibus, asked.alpha)]
    if count <= EXACT:
        notes.append(f"with {count} data sets the pairs' p values are exact under 'all alike', not approximations")
    why = f"{k} classifiers over {count} data sets: {WHY['ranks']}"
    title = "Friedman with Iman-Davenport, then mean ranks" + _family(asked.control, adjust, len(which))
    return Findings(pairs, omnibus.mean_ranks, omnibus, title, why, asked.alpha, asked.control, adjust,
                    (*notes, *omnibus.notes, *about))


def _warn_of_few(omnibus: Friedman, alpha: float) -> None:
    """Too few data sets, too many ties."""
    count, k = omnibus.ranks.shape
    least = 1 / factorial(min(k, 170))**(count - 1) if count <= EXACT else 0.0
    if least >= alpha:
        warn(f"with {count} data sets the test of the whole can never reject: its smallest p value is {least:.3g}, "
             f"not below alpha = {alpha:g}; add data sets")
    elif count <= FEW:
        warn(f"{count} data sets are few: only large differences are found")
    tied = int((omnibus.ranks.nunique(axis=1) < k).sum())
    if omnibus.tie_factor < 0.95:
        also = "" if count <= EXACT else "; the pairwise ones are conservative"
        warn(f"{tied} of {count} data sets have tied classifiers, which take {100 * (1 - omnibus.tie_factor):.1f} % of "
             f"the rank variance: read the tie-corrected tests{also}")


def _incomplete(values: pd.DataFrame, asked: _Asked, test: Test, about: tuple[str, ...]) -> Findings:
    """Skillings and Mack, then each pair on the data sets that both have."""
    if test == "ranks":
        raise DataError("mean ranks need every score; with scores missing take test 'wilcoxon', 'permutation' or 't'")
    omnibus = skillings_mack(values, higher_is_better=asked.higher)
    which = of_two.chosen(values.columns, asked.control)
    one = "wilcoxon" if test == "auto" else test
    adjust = asked.chosen("holm")
    rows, notes = of_two.each(values, which, OF_TWO[one])
    pairs = _finish(of_two.frame(values, which, rows, asked.higher), values.shape[1], adjust, asked, low_wins=not asked.higher,
                    omnibus=omnibus)
    why = (f"{values.shape[1]} classifiers over {len(values)} data sets with scores missing: each pair is compared on the data "
           "sets that both have")
    title = f"Skillings-Mack, then {TITLES[one]}" + _family(asked.control, adjust, len(which))
    said = (*notes, *_undecided(omnibus, asked.alpha), *omnibus.notes, *about)
    return Findings(pairs, omnibus.mean_ranks, omnibus, title, why, asked.alpha, asked.control, adjust, said)


def _over_folds(values: pd.DataFrame, asked: _Asked, folds: int) -> Findings:
    count, k = values.shape
    if folds < 2 or count % folds:
        raise DataError(f"{count} rows are not whole repeats of {folds}-fold cross-validation; give every fold a row")
    which = of_two.chosen(values.columns, asked.control)
    rows, notes = of_two.each(values, which, partial(corrected_t, ratio=1 / (folds - 1)))
    _warn_of_shape(values, which, asked.alpha)
    adjust = asked.chosen("holm")
    pairs = _finish(of_two.frame(values, which, rows, asked.higher), k, adjust, asked, low_wins=not asked.higher)
    why = (f"{k} classifiers on {count // folds} x {folds} folds of one data set: folds share training data, which the "
           "corrected t test allows for")
    about = "it speaks of this data set only; over data sets give one row per data set"
    over = f", {adjust.capitalize()} over {len(which)} pairs" if len(which) > 1 else ""
    means = ranked(values, asked.higher).mean().rename("mean_rank")
    return Findings(pairs, means, None, f"corrected resampled t test (Nadeau-Bengio){over}", why, asked.alpha, asked.control,
                    adjust, (*notes, about))


def _warn_of_shape(values: pd.DataFrame, which: Sequence[of_two.Pair], alpha: float) -> None:
    """One warning for all pairs whose differences are far from normal, Bonferroni over the pairs."""
    from scipy.stats import shapiro

    odd, least = list[of_two.Pair](), 1.0
    columns = {name: values[name].to_numpy() for name in values.columns}
    for a, b in which:
        d = differences(columns[a], columns[b])
        p = float(shapiro(d).pvalue) if len(d) >= 3 and np.ptp(d) > 0 else 1.0
        if p < alpha / len(which):
            odd.append((a, b))
            least = min(least, p)
    if odd:
        rough = "the t test's p value is rough" if len(odd) == 1 else "the t test's p values are rough"
        warn(f"the differences of {of_two.listed(odd)} over the folds are far from normal (Shapiro-Wilk "
             f"p {'=' if len(odd) == 1 else 'from'} {least:.4f}): {rough}")


def _undecided(omnibus: Friedman | SkillingsMack, alpha: float) -> list[str]:
    return ([f"the classifiers as a whole do not differ at {alpha:g}, so no pair is called different"]
            if omnibus.p_value >= alpha else [])


def _finish(pairs: pd.DataFrame, k: int, adjust: Adjustment, asked: _Asked, *, low_wins: bool,
            omnibus: Friedman | SkillingsMack | None = None) -> pd.DataFrame:
    """The pairs with adjusted p values and who is better; none is where the omnibus test does not reject."""
    if "adjusted" not in pairs:
        pairs["adjusted"] = adjusted(pairs["p_value"].to_numpy(), adjust, k)
    pairs["different"] = (pairs["adjusted"] < asked.alpha) & (omnibus is None or omnibus.p_value < asked.alpha)
    pairs["better"] = of_two.better(pairs, low_wins=low_wins)
    return pairs


def _family(control: str | None, adjust: str, count: int) -> str:
    """How many p values are adjusted how."""
    name = {"shaffer": "Shaffer's static", "bergmann-hommel": "Bergmann and Hommel's", "nemenyi": "Nemenyi's"}.get(
        adjust, f"{adjust.capitalize()}'s")
    if control is not None:
        return f" against '{control}' with {name} adjustment of {count} p values"
    return f" all pairs with {name} adjustment of {count} p values" if count > 1 else ""
