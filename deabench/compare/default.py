"""One call that chooses the test by the shape of the data, says why, and warns where an assumption fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from deabench.compare._gate import differences, known_control, level, scores, warn
from deabench.compare.folds import corrected_t
from deabench.compare.many import Friedman, friedman, rank, signs
from deabench.compare.posthoc import adjusted, pairwise
from deabench.compare.two import wilcoxon
from deabench.errors import DataError

FEW = 10
"""Demšar (2006) trusts the approximated distributions above so many data sets."""


@dataclass(frozen=True)
class Report:
    """What `compare` found.

    Attributes
    ----------
    pairs : DataFrame
        first, second, wins, ties, losses (of the first), difference, p_value, adjusted, different, better.
    mean_ranks : Series
        Of every classifier, 1 = best on every row.
    omnibus : Friedman or None
        The test of "all alike", where there are three or more classifiers over data sets.
    test : str
        The test that was chosen.
    why : str
        Why, in a sentence.
    notes : tuple of str
        What a reader must know.
    alpha : float
    control : str or None
    """

    pairs: pd.DataFrame
    mean_ranks: pd.Series
    omnibus: Friedman | None
    test: str
    why: str
    notes: tuple[str, ...]
    alpha: float
    control: str | None = None

    def to_frame(self) -> pd.DataFrame:
        return self.pairs

    def summary(self) -> str:
        """The test, the reason, the omnibus test and the notes, as lines of text."""
        lines = [self.test, self.why]
        if self.omnibus is not None:
            row = self.omnibus.tests.loc["Iman-Davenport (tie-corrected)"]
            lines.append(f"all alike? Iman-Davenport {row['distribution']} = {row['statistic']:.4g}, "
                         f"p = {row['p_value']:.4g}")
        return "\n".join([*lines, *self.notes])


def compare(table: pd.DataFrame, *, control: str | None = None, lower_is_better: bool = False, alpha: float = 0.05,
            folds: int | None = None) -> Report:
    """Compare classifiers by the test that the shape of the data calls for.

    | rows are                      | classifiers | test                                                               |
    |-------------------------------|-------------|--------------------------------------------------------------------|
    | data sets (`folds=None`)      | 2           | Wilcoxon signed-rank, zeros split                                  |
    | data sets                     | 3 or more   | Friedman and Iman-Davenport; then mean ranks with Shaffer over all |
    |                               |             | pairs, or Holm against the control                                 |
    | (repeats of) k folds of one   | 2 or more   | Nadeau-Bengio corrected t, Holm over the pairs                     |
    | data set (`folds=k`)          |             |                                                                    |

    Parameters
    ----------
    table : DataFrame
        Data sets (or folds) in rows, classifiers in columns; `from_long` makes it from a long table.
    control : str, optional
        The classifier to compare the others with; None compares all pairs.
    lower_is_better : bool
        Whether a low score is good (an error, a cost).
    alpha : float
        Level over the family of comparisons.
    folds : int, optional
        The rows are the folds of a (repeated) k-fold cross-validation on one data set, with this k.

    Returns
    -------
    Report

    Raises
    ------
    DataError
        A score that is not a finite number, an unknown control, fewer than 2 classifiers or rows, rows that are no
        multiple of `folds`.

    Warns
    -----
    DataWarning
        Too few data sets to reject at all, or for the approximation; many ties; differences over folds far from normal.
    """
    level(alpha)
    values = scores(table)
    known_control(control, values.columns)
    if folds is not None:
        return _over_folds(values, control, lower_is_better, alpha, folds)
    if values.shape[1] == 2:
        return _two_over_data_sets(values, control, lower_is_better, alpha)
    return _many_over_data_sets(values, control, lower_is_better, alpha)


def from_long(long: pd.DataFrame, *, dataset: str = "dataset", classifier: str = "classifier", score: str = "score"
              ) -> pd.DataFrame:
    """A long table (one row per data set and classifier) as the wide one that `compare` reads.

    Raises
    ------
    DataError
        A column that is missing, a pair that stands twice or is missing.
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
    missing = np.argwhere(wide.isna().to_numpy())
    if len(missing):
        row, column = missing[0]
        raise DataError(f"'{wide.columns[column]}' has no score on '{wide.index[row]}'; give one, or leave the row out")
    return wide.rename_axis(columns=None)


def _two_over_data_sets(values: pd.DataFrame, control: str | None, lower: bool, alpha: float) -> Report:
    a, b = values.columns if control is None else [control, *values.columns.drop(control)]
    found = wilcoxon(values[a].to_numpy(), values[b].to_numpy(), alpha=alpha)
    least = 2.0 ** (1 - len(values))
    if least >= alpha:
        warn(f"with {len(values)} data sets the signed-rank test can never reject: its smallest p value is {least:g}, "
             f"not below alpha = {alpha:g}; add data sets")
    pairs = _finish([(a, b, found.difference, found.statistic, found.p_value)], values, lower, "holm", alpha)
    why = f"2 classifiers over {len(values)} data sets: the signed-rank test takes no distribution for granted"
    return Report(pairs, rank(values, lower_is_better=lower).mean().rename("mean_rank"), None, found.test, why,
                  found.notes, alpha, control)


def _many_over_data_sets(values: pd.DataFrame, control: str | None, lower: bool, alpha: float) -> Report:
    count, k = values.shape
    omnibus = friedman(values, lower_is_better=lower)
    if count <= FEW:
        warn(f"{count} data sets are few: the distributions of the rank tests are approximations that want more than "
             f"{FEW}, and only large differences are found")
    tied = int((omnibus.ranks.nunique(axis=1) < k).sum())
    if omnibus.tie_factor < 0.95:
        warn(f"{tied} of {count} data sets have tied classifiers, which take {100 * (1 - omnibus.tie_factor):.1f} % of "
             "the rank variance: read the tie-corrected tests; the pairwise ones are conservative")
    adjust = "shaffer" if control is None else "holm"
    found = pairwise(values, control=control, adjust=adjust, lower_is_better=lower, alpha=alpha)
    p = float(omnibus.tests.loc["Iman-Davenport (tie-corrected)", "p_value"])
    pairs = found.pairs.copy()
    notes = ["mean ranks depend on every classifier of the table: add or leave out one and other pairs may change"]
    if p >= alpha:
        notes.append(f"the classifiers as a whole do not differ at {alpha:g}, so no pair is called different")
        pairs["different"] = False
    pairs["better"] = _better(pairs, low_wins=True)
    family = (f"against '{control}' with Holm's adjustment of {k - 1} p values" if control is not None
              else f"all pairs with Shaffer's static adjustment of {k * (k - 1) // 2} p values")
    why = f"{k} classifiers over {count} data sets: ranks take no common scale of the scores for granted"
    return Report(pairs, omnibus.mean_ranks, omnibus, f"Friedman with Iman-Davenport, then mean ranks {family}", why,
                  tuple(notes), alpha, control)


def _over_folds(values: pd.DataFrame, control: str | None, lower: bool, alpha: float, folds: int) -> Report:
    count, k = values.shape
    if folds < 2 or count % folds:
        raise DataError(f"{count} rows are not whole repeats of {folds}-fold cross-validation; give every fold a row")
    chosen = (list(combinations(values.columns, 2)) if control is None
              else [(control, name) for name in values.columns if name != control])
    rows = []
    for a, b in chosen:
        found = corrected_t(values[a].to_numpy(), values[b].to_numpy(), ratio=1 / (folds - 1), alpha=alpha)
        rows.append((a, b, found.difference, found.statistic, found.p_value))
        _normal(values[a].to_numpy(), values[b].to_numpy(), f"'{a}' and '{b}'", alpha)
    pairs = _finish(rows, values, lower, "holm", alpha)
    why = (f"{k} classifiers on {count // folds} x {folds} folds of one data set: folds share training data, which the "
           "corrected t test allows for")
    notes = ("it speaks of this data set only; over data sets give one row per data set",)
    test = "corrected resampled t test (Nadeau-Bengio)" + (f", Holm over {len(rows)} pairs" if len(rows) > 1 else "")
    means = rank(values, lower_is_better=lower).mean().rename("mean_rank")
    return Report(pairs, means, None, test, why, notes, alpha, control)


def _normal(x: np.ndarray, y: np.ndarray, names: str, alpha: float) -> None:
    from scipy.stats import shapiro

    d = differences(x, y)
    if len(d) >= 3 and np.ptp(d) > 0:
        p = float(shapiro(d).pvalue)
        if p < alpha:
            warn(f"the differences of {names} over the folds are far from normal (Shapiro-Wilk p = {p:.4f}): "
                 "the t test's p value is rough")


def _finish(rows: list[tuple[str, str, float, float, float]], values: pd.DataFrame, lower: bool, adjust: str,
            alpha: float) -> pd.DataFrame:
    pairs = pd.DataFrame(rows, columns=["first", "second", "difference", "statistic", "p_value"])
    counts = [signs(values, row[0], row[1], lower_is_better=lower) for row in rows]
    for place, name in enumerate(("wins", "ties", "losses")):
        pairs.insert(2 + place, name, [c[place] for c in counts])
    pairs["adjusted"] = adjusted(pairs["p_value"].to_numpy(), adjust, values.shape[1])
    pairs["different"] = pairs["adjusted"] < alpha
    pairs["better"] = _better(pairs, low_wins=lower)
    return pairs


def _better(pairs: pd.DataFrame, low_wins: bool) -> list[str]:
    """Who is better where the pair is different, else empty; a difference of ranks or errors is won by the low one."""
    first_wins = (pairs["difference"] < 0) == low_wins
    names: Mapping[bool, str] = {True: "first", False: "second"}
    return [str(row[names[bool(wins)]]) if row["different"] else ""
            for (_, row), wins in zip(pairs.iterrows(), first_wins, strict=True)]
