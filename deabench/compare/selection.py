"""`compare`: select the test by the shape of the data, and warn where its assumptions fail."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import pandas as pd

from deabench.compare.adjustment import Adjustment, adjust_pairs, check_adjustment, describe_family
from deabench.compare.friedman import (
    EXACT_DATA_SETS,
    Friedman,
    friedman_from_ranks,
    rank_scores,
)
from deabench.compare.omnibus import SkillingsMack, skillings_mack
from deabench.compare.pairwise import (
    DIFFERENCES,
    TITLES,
    PairsResult,
    TestOfTwo,
    apply_pair_test,
    find_better,
    list_pairs,
)
from deabench.compare.row_units import RowUnit, find_row_unit
from deabench.compare.score_tables import (
    Clusters,
    Missing,
    check_control,
    check_scores,
    cluster_means,
    count_repeats,
    describe_dependence,
)
from deabench.compare.signed_rank import wilcoxon
from deabench.compare.table_warnings import warn_omnibus, warn_shape
from deabench.compare.two_classifiers import corrected_t
from deabench.errors import DataError, warn_data
from deabench.utils.checks import choice, share

Test = Literal["auto", "ranks", "wilcoxon", "permutation", "t"]
REASONS = {
    "wilcoxon": "the signed-rank test assumes no distribution of the scores",
    "permutation": "the permutation test assumes no distribution of the scores",
    "t": "the t test assumes normal differences, on {rows} that are independent",
    "ranks": "ranks assume no common scale of the scores",
}


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(PairsResult):
    """Which classifiers differ, by which test, and why that one.

    Attributes
    ----------
    pairs : DataFrame
        first, second, wins, ties, losses (of the first, where that can be counted), difference
        (first minus second, of what `difference_name` says; of ranks a low one is good), lower and
        upper where the test gives an interval (of each pair alone), statistic, p_value, adjusted,
        different, better. A pair that cannot be tested has no p value and is named in `notes`.
    mean_ranks : Series
        Of every classifier, 1 = best on every row.
    omnibus : Friedman, SkillingsMack or None
        The test of "all classifiers are alike", if there is one.
    test : str
        The selected test.
    reason : str
        Why it was selected, in a sentence.
    alpha : float
    control : str or None
    adjust : str
        How the p values were adjusted.
    notes : tuple of str
        What a reader must know.
    unit : str
        What a row is: "data set", "fold" or "run".
    difference_name : str
        What `difference` is: "rank difference" (of the mean ranks), "median difference" or "mean
        difference" (of the scores), "accuracy difference" or "AUC difference".

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92], "b": [.79, .74, .90], "c": [.70, .71, .83]})
    >>> compare.compare(table, test="t", control="c").pairs[["first", "second"]].values.tolist()
    [['c', 'a'], ['c', 'b']]
    """

    pairs: pd.DataFrame
    mean_ranks: pd.Series
    omnibus: Friedman | SkillingsMack | None
    test: str
    reason: str
    alpha: float
    control: str | None = None
    adjust: str = "holm"
    notes: tuple[str, ...] = ()
    unit: str = "data set"
    difference_name: str = "mean difference"


@dataclass(frozen=True)
class SelectedTest:
    """What `compare` does with a table: the tests, and the words for them.

    Attributes
    ----------
    pair_test : str or test of two
        The test of each pair.
    default_adjust : str
        The adjustment of all pairs if the user names none.
    title : str
        The tests by name.
    reason : str
    ranks : DataFrame, N x k
    omnibus : Friedman, SkillingsMack or None
    notes : tuple of str
    """

    pair_test: str | TestOfTwo
    default_adjust: Adjustment
    title: str
    reason: str
    ranks: pd.DataFrame
    omnibus: Friedman | SkillingsMack | None = None
    notes: tuple[str, ...] = ()


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
) -> ComparisonResult:
    """Compare classifiers by the test that the shape of the data calls for, or by the one named.

    | rows are                 | classifiers | test                                           |
    |--------------------------|-------------|------------------------------------------------|
    | data sets (`folds=None`) | 2           | Wilcoxon signed-rank, zeros split              |
    | data sets                | 3 or more   | Friedman and Iman-Davenport, then mean ranks,  |
    |                          |             | Shaffer over all pairs or Holm against the     |
    |                          |             | control; exact up to 13 data sets              |
    | the same, scores missing | 3 or more   | Skillings-Mack, then Wilcoxon on each pair's   |
    |                          |             | common data sets                               |
    | (repeats of) k folds of  | 2 or more   | Nadeau-Bengio corrected t, Holm over the pairs |
    | one data set (`folds=k`) |             |                                                |

    Parameters
    ----------
    table : DataFrame
        Data sets (or folds) in rows, classifiers in columns; `from_long` makes it from a long
        table. Rows whose index is called `fold` (also with `repeat` or `seed`) are folds of one
        data set, those of `seed`, `run` or `repeat` alone are runs on one test set.
    control : str, optional
        The classifier to compare the others with; None compares all pairs.
    higher_is_better : bool
        Whether a high score is good; False for an error or a cost.
    alpha : float
        Level over the family of comparisons.
    folds : int, optional
        The rows are the folds of a (repeated) k-fold cross-validation on one data set, with this k.
        Default: the number of distinct folds where the index is called `fold`.
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
    ComparisonResult

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
    >>> columns = {"a": [81, 75, 92, 66, 88], "b": [79, 74, 90, 68, 85], "c": [70, 71, 83, 60, 80]}
    >>> table = pd.DataFrame(columns)
    >>> print(compare.compare(table).summary().splitlines()[0])
    1 of the 3 pairs differs at 0.05: 'a' is better than 'c' (p = 0.00849)
    """
    share("alpha", alpha)
    choice("test", test, get_args(Test))
    choice("missing", missing, get_args(Missing))
    is_declared = folds is not None
    unit = RowUnit("fold", folds) if is_declared else find_row_unit(table)
    folds = unit.folds
    # Folds share training data, and no other test allows for that.
    if folds is not None and (
        test not in ("auto", "t") or clusters is not None or missing != "refuse"
    ):
        named = "" if is_declared else "the rows are called folds, and "
        raise DataError(
            f"{named}folds of one data set are compared by the corrected t test, all scores "
            "present; leave test, clusters and missing out"
        )
    rows = table if clusters is None else cluster_means(table, clusters)
    values = check_scores(rows, allow_missing=missing != "refuse")
    check_control(control, values.columns)
    has_gaps = bool(values.isna().to_numpy().any())
    # Mean ranks need three classifiers and every score.
    is_ranked = test == "ranks" or (test == "auto" and values.shape[1] > 2 and not has_gaps)
    if adjust is not None:
        check_adjustment(adjust, control, by_ranks=is_ranked and folds is None)
    # The shape of the table selects the test.
    if folds is not None:
        selected = _select_for_folds(values, folds, higher_is_better)
        warn_shape(values, list_pairs(values.columns, control), alpha)
    elif has_gaps:
        selected = _select_for_gaps(values, test, higher_is_better, unit)
    elif is_ranked and values.shape[1] > 2:
        selected = _select_mean_ranks(values, alpha, higher_is_better, unit)
    else:
        selected = _select_test_of_two(values, test, alpha, higher_is_better, unit)
    return _apply_selected(
        values,
        selected,
        control,
        adjust or (selected.default_adjust if control is None else "holm"),
        alpha,
        higher_is_better,
        unit,
        _describe_clusters(table, values, clusters) if unit.noun == "data set" else unit.notes,
    )


def _apply_selected(
    values: pd.DataFrame,
    selected: SelectedTest,
    control: str | None,
    adjust: Adjustment,
    alpha: float,
    higher_is_better: bool,
    unit: RowUnit,
    row_notes: tuple[str, ...],
) -> ComparisonResult:
    """Test the pairs; none is different if the omnibus test does not reject."""
    omnibus = selected.omnibus
    pairs, untested = apply_pair_test(
        # Untested pairs have p = NaN, which the adjustment counts as 1.
        values,
        selected.ranks,
        control,
        selected.pair_test,
        higher_is_better,
        alpha,
    )
    pairs["adjusted"] = adjust_pairs(pairs, selected.ranks, adjust)
    notes = [*untested, *selected.notes]
    pairs["different"] = pairs["adjusted"] < alpha
    if omnibus is None:
        mean_ranks = selected.ranks.mean().rename("mean_rank")
    else:
        mean_ranks = omnibus.mean_ranks
        notes += map(unit.rename, omnibus.notes)
        # No pair is called different if the classifiers as a whole are not.
        if omnibus.p_value >= alpha:
            pairs["different"] = False
            notes.append(
                f"the systems as a whole do not differ at {alpha:g}, so no pair is called different"
            )
    # A low rank wins, and a low score if it is an error or a cost.
    low_wins = selected.pair_test == "ranks" or not higher_is_better
    pairs["better"] = find_better(pairs, low_wins=low_wins)
    return ComparisonResult(
        pairs,
        mean_ranks,
        omnibus,
        selected.title + describe_family(control, adjust, len(pairs)),
        selected.reason,
        alpha,
        control,
        adjust,
        (*notes, *row_notes),
        unit.noun,
        # The corrected t test is given as a function; its difference is the mean.
        DIFFERENCES.get(str(selected.pair_test), "mean difference"),
    )


def _describe_clusters(
    table: pd.DataFrame, values: pd.DataFrame, clusters: Clusters | None
) -> tuple[str, ...]:
    """Return the note on data sets that depend on each other."""
    if clusters is not None:
        return (
            f"{len(table)} data sets count as {len(values)} clusters, each with its mean scores",
        )
    note = describe_dependence(values.index)
    return (note,) if note else ()


def _select_for_folds(values: pd.DataFrame, folds: int, higher_is_better: bool) -> SelectedTest:
    """Select the corrected t test of the folds of one data set."""
    count, k = values.shape
    repeats = count_repeats(count, folds)
    return SelectedTest(
        partial(corrected_t, ratio=1 / (folds - 1)),
        "holm",
        "corrected resampled t test (Nadeau-Bengio)",
        f"{k} systems on {repeats} x {folds} folds of one data set: folds share training data, "
        "which the corrected t test allows for",
        rank_scores(values, higher_is_better),
        notes=("the result is about this data set only; over data sets give one row per data set",),
    )


def _select_for_gaps(
    values: pd.DataFrame, test: str, higher_is_better: bool, unit: RowUnit
) -> SelectedTest:
    """Select Skillings and Mack's test, then one of each pair on the data sets that both have."""
    if test == "ranks":
        raise DataError(
            "mean ranks need every score; with scores missing use test 'wilcoxon', 'permutation' "
            "or 't'"
        )
    omnibus = skillings_mack(values, higher_is_better=higher_is_better)
    pair_test = "wilcoxon" if test == "auto" else test
    return SelectedTest(
        pair_test,
        "holm",
        f"Skillings-Mack, then {TITLES[pair_test]}",
        f"{values.shape[1]} systems over {len(values)} {unit.plural} with scores missing: each "
        f"pair is compared on the {unit.plural} that both have",
        omnibus.ranks,
        omnibus,
    )


def _select_mean_ranks(
    values: pd.DataFrame, alpha: float, higher_is_better: bool, unit: RowUnit
) -> SelectedTest:
    """Select Friedman's test, then mean ranks."""
    count, k = values.shape
    # Ranks within each data set, and Friedman's test of their means.
    ranks = rank_scores(values, higher_is_better)
    omnibus = friedman_from_ranks(ranks)
    warn_omnibus(omnibus, alpha, unit)
    notes = [
        "mean ranks depend on every system of the table: add or leave out one and other pairs "
        "may change"
    ]
    if count <= EXACT_DATA_SETS:
        notes.append(
            f"with {count} {unit.plural} the pairs' p values are exact if all are alike, not "
            "approximations"
        )
    return SelectedTest(
        "ranks",
        "shaffer",
        "Friedman with Iman-Davenport, then mean ranks",
        f"{k} systems over {count} {unit.plural}: {REASONS['ranks']}",
        ranks,
        omnibus,
        tuple(notes),
    )


def _select_test_of_two(
    values: pd.DataFrame, test: str, alpha: float, higher_is_better: bool, unit: RowUnit
) -> SelectedTest:
    """Select a test of the two classifiers alone for every pair."""
    count, k = values.shape
    pair_test = "wilcoxon" if test == "auto" else test
    # All differences have one sign: two of 2^N equally likely cases.
    smallest = 2.0 ** (1 - count)
    if smallest >= alpha and pair_test != "t":
        name = {"wilcoxon": "signed-rank", "ranks": "rank"}.get(pair_test, pair_test)
        warn_data(
            f"with {count} {unit.plural} the {name} test can never reject: its smallest p value is "
            f"{smallest:g}, not below alpha = {alpha:g}; add {unit.plural}"
        )
    title = TITLES[pair_test]
    # The test of the only pair says how it treated zeros.
    if k == 2 and pair_test == "wilcoxon":
        title = wilcoxon(*values.to_numpy().T).test
    return SelectedTest(
        pair_test,
        # With two classifiers there is one pair, and all adjustments agree.
        "shaffer" if k > 2 else "holm",
        title,
        f"{k} systems over {count} {unit.plural}: {REASONS[pair_test].format(rows=unit.plural)}",
        rank_scores(values, higher_is_better),
    )
