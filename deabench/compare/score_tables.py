"""Tables of scores, data sets in rows and classifiers in columns: checks, reshaping, clusters.

Data sets may depend on each other. 45 of the 67 KEEL sets of Chao et al. (2022) are cuts of three
files. What a classifier gains on one cut of `ecoli` it tends to gain on the other nineteen; tests
that count them as twenty independent data sets find differences far too often. `cluster_means`
counts each file once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import find_key, pandas_or_same, with_named_rows

Floats: TypeAlias = NDArray[np.float64]
Clusters: TypeAlias = Mapping[str, str] | pd.Series | Literal["keel"]
Missing = Literal["refuse", "skillings-mack"]
NOISE_DIGITS = 12
"""Differences equal to this many digits of the largest score are ties: 0.9 - 0.8 and 0.7 - 0.6
differ by rounding.
"""
KEEL = (
    "abalone",
    "cleveland",
    "ecoli",
    "flare",
    "glass",
    "kddcup",
    "kr-vs-k",
    "led7digit",
    "lymphography",
    "new-thyroid",
    "page-blocks",
    "poker",
    "segment",
    "shuttle",
    "vehicle",
    "vowel",
    "winequality",
    "wisconsin",
    "yeast",
    "zoo",
)
"""Files that KEEL cuts its imbalanced data sets from; the names of the cuts begin with them."""
KEEL_CUT = re.compile(rf"({'|'.join(KEEL)})(?=\d|-|_|$)")


def check_scores(
    table: pd.DataFrame, min_classifiers: int = 2, *, allow_missing: bool = False
) -> pd.DataFrame:
    """Return a table of scores as floats, or refuse it.

    Parameters
    ----------
    table : DataFrame
        Data sets (or folds) in rows, classifiers in columns.
    min_classifiers : int
    allow_missing : bool
        Whether a missing score stays missing; otherwise it is refused.

    Raises
    ------
    DataError
        No DataFrame, a name used twice, too few rows or columns, or a score that is no finite
        number.
    """
    table = with_named_rows(table)
    if not isinstance(table, pd.DataFrame):
        raise DataError(
            f"the scores are a {type(table).__name__}; give a DataFrame, data sets in rows, "
            "systems in columns"
        )
    _check_unique(table.index, "row")
    _check_unique(table.columns, "classifier")
    if table.shape[1] < min_classifiers:
        raise DataError(
            f"there are {table.shape[1]} systems (columns); give at least {min_classifiers}"
        )
    if table.shape[0] < 2:
        raise DataError(
            f"the scores have {table.shape[0] or 'no'} row; give at least 2 data sets or folds"
        )
    is_numeric = all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in table.dtypes)
    # Text that is no number becomes NaN and is refused below with its place.
    numbers = table if is_numeric else table.apply(pd.to_numeric, errors="coerce")
    numbers = numbers.astype(float)
    invalid = ~np.isfinite(numbers.to_numpy())
    if allow_missing:
        invalid &= table.notna().to_numpy()
    if invalid.any():
        row, column = np.argwhere(invalid)[0]
        raise DataError(
            f"the score of '{table.columns[column]}' on '{table.index[row]}' is "
            f"'{table.iloc[row, column]}'; give a finite number, or leave the row or the column out"
        )
    return numbers


def _check_unique(labels: pd.Index, axis: str) -> None:
    # As text, because 1 and '1' would be one name in every file that is written.
    names = labels.map(str)
    if not names.is_unique:
        duplicate = names[names.duplicated()][0]
        raise DataError(f"the {axis} '{duplicate}' appears twice; give each a name of its own")


def check_pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Return two equally long columns of at least two finite scores as float arrays.

    Two Series are compared row by row, so their indexes must be equal and in the same order.
    """
    if (
        isinstance(first, pd.Series)
        and isinstance(second, pd.Series)
        and not first.index.equals(second.index)
    ):
        raise DataError(
            "the scores are Series with different indexes; bring them into one order "
            "(second.reindex(first.index)), or give plain arrays"
        )
    try:
        x = np.asarray(first, dtype=float)
        y = np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            "the scores are not all numbers; give two sequences of finite numbers"
        ) from None
    if x.ndim != 1 or y.ndim != 1 or len(x) != len(y):
        raise DataError(
            f"the scores have shapes {x.shape} and {y.shape}; give two sequences of the same length"
        )
    if len(x) < 2:
        raise DataError(f"there is {len(x)} pair of scores; give at least 2")
    # The first pair with an empty cell is named.
    invalid = ~(np.isfinite(x) & np.isfinite(y))
    if invalid.any():
        i = int(np.argmax(invalid))
        raise DataError(f"pair {i} of the scores is ({x[i]:g}, {y[i]:g}); give finite numbers")
    return x, y


def score_differences(x: Floats, y: Floats) -> Floats:
    """Return x - y without rounding noise, so that equal differences are equal and ties are 0.

    Of matrices, column by column. Differences that are equal to 12 digits of the largest score are
    as large as the smallest of them. Rounded to these digits, sums of a few of them would differ
    where they are equal.
    """
    difference = np.asarray(x - y)
    scale = np.maximum(np.abs(x).max(axis=0), np.abs(y).max(axis=0))
    size = np.abs(difference)
    order = np.argsort(size, axis=0)
    ascending = np.take_along_axis(size, order, axis=0)
    rounded = np.round(ascending / np.where(scale > 0, scale, 1.0), NOISE_DIGITS)
    # Each takes the place of the first one that is as large, and of 0 where it is that.
    is_first = np.ones(rounded.shape, dtype=bool)
    is_first[1:] = np.diff(rounded, axis=0) > 0
    rows = np.arange(len(size)).reshape(-1, *[1] * (size.ndim - 1))
    first = np.maximum.accumulate(np.where(is_first, rows, 0), axis=0)
    smallest = np.where(rounded == 0, 0.0, np.take_along_axis(ascending, first, axis=0))
    without_noise = np.empty(size.shape)
    np.put_along_axis(without_noise, order, smallest, axis=0)
    without_noise[np.isnan(difference)] = np.nan
    return np.asarray(np.copysign(without_noise, difference) + 0.0)


def check_number(value: object, name: str) -> float:
    """Return a finite number as a float, whatever its type; `name` names it in the message."""
    try:
        number = float(value)  # type: ignore[arg-type]  # what is no number raises
    except (TypeError, ValueError):
        raise DataError(f"{name} is {value!r}; give a number") from None
    if isinstance(value, str) or not np.isfinite(number):
        raise DataError(f"{name} is {value!r}; give a finite number")
    return number


def check_count(value: object, name: str, minimum: int = 0, unit: str = "instances") -> int:
    """Return a whole number of at least `minimum` as an int; `name` and `unit` name it."""
    if not isinstance(value, int | float | np.integer | np.floating):
        shown = repr(value)
    elif value >= minimum and float(value).is_integer():
        return int(value)
    else:
        shown = f"{value:g}"
    raise DataError(f"{name} is {shown}; give a whole number of {unit}, {minimum} or more")


def check_ratio(ratio: float) -> None:
    """Refuse a ratio of test to training size that is not positive."""
    if not check_number(ratio, "the ratio of test to training size") > 0:
        raise DataError(
            f"the ratio of test to training size is {ratio:g}; give a positive number, 1/9 for ten "
            "folds"
        )


def count_repeats(rows: int, folds: int) -> int:
    """Return how often the rows repeat a k-fold cross-validation."""
    if check_count(folds, "the number of folds", unit="folds") < 2 or rows % folds:
        raise DataError(
            f"{rows} rows are not whole repeats of {folds}-fold cross-validation; give every fold "
            "a row"
        )
    return rows // int(folds)


def check_control(control: str | None, columns: Sequence[str] | pd.Index) -> None:
    """Refuse a control that is no classifier of the table."""
    if control is not None and control not in columns:
        raise DataError(
            f"the control '{control}' is not a column of the table; "
            f"{did_you_mean(control, list(columns))}"
        )


def from_long(
    long: pd.DataFrame,
    *,
    dataset: str = "dataset",
    classifier: str = "classifier",
    score: str = "score",
    missing: Missing = "refuse",
) -> pd.DataFrame:
    """Reshape a long table (a row per data set and classifier) to the one that `compare` reads.

    Parameters
    ----------
    long : DataFrame
    dataset, classifier, score : str
        The names of its columns.
    missing : "refuse" or "skillings-mack"
        What happens if a pair has no row; as for `compare`.

    Raises
    ------
    DataError
        A column that is missing, a pair that appears twice, or a pair without a row where that is
        refused.

    Examples
    --------
    >>> from deabench import compare
    >>> import pandas as pd
    >>> long = pd.DataFrame({"dataset": ["x", "x"], "classifier": ["a", "b"], "score": [.8, .7]})
    >>> compare.from_long(long).loc["x"].to_dict()
    {'a': 0.8, 'b': 0.7}
    """
    long = pandas_or_same(long)
    if not isinstance(long, pd.DataFrame):
        raise DataError(f"the long table is a {type(long).__name__}; give a DataFrame")
    # The columns by their names, or by other words that mean the same: model, task.
    columns = {}
    for name in (dataset, classifier, score):
        column = name if name in long.columns else find_key(list(long.columns), name)
        if column is None:
            raise DataError(
                f"there is no column '{name}' in the long table; it needs '{dataset}', "
                f"'{classifier}' and '{score}'"
            )
        columns[column] = name
    long = long[list(columns)].rename(columns=columns)
    duplicates = long[long.duplicated([dataset, classifier])]
    if len(duplicates):
        row = duplicates.iloc[0]
        raise DataError(
            f"'{row[classifier]}' has two scores on '{row[dataset]}'; average them, or give each "
            "fold a name of its own"
        )
    wide = long.set_index([dataset, classifier])[score].unstack()
    # Sorted, and put back in order: unsorted, pandas before 3 misplaces the values.
    wide = wide.reindex(index=long[dataset].unique(), columns=long[classifier].unique())
    gaps = np.argwhere(wide.isna().to_numpy())
    if len(gaps) and missing == "refuse":
        i, j = gaps[0]
        raise DataError(
            f"'{wide.columns[j]}' has no score on '{wide.index[i]}'; give one, or leave the row out"
        )
    return wide.rename_axis(columns=None)


def keel_files(names: Iterable[str]) -> dict[str, str]:
    """Return the file that each KEEL data set is a cut of, by its name.

    `ecoli-0-1_vs_5` and `ecoli4` are cuts of `ecoli`. A name that is none of KEEL's cuts is a file
    of its own.

    Parameters
    ----------
    names : data sets' names

    Examples
    --------
    >>> from deabench import compare
    >>> compare.keel_files(["ecoli4", "ecoli-0-1_vs_5", "wine1"])
    {'ecoli4': 'ecoli', 'ecoli-0-1_vs_5': 'ecoli', 'wine1': 'wine1'}
    """
    files = {}
    for name in map(str, names):
        cut = KEEL_CUT.match(name)
        files[name] = cut.group(1) if cut else name
    return files


def cluster_means(table: pd.DataFrame, clusters: Clusters) -> pd.DataFrame:
    """Average each classifier's scores over the data sets of a cluster: one row per cluster.

    If classifiers are alike, their scores in a cluster are exchangeable, and so are the means:
    every test of this package keeps its level on them, however much the data sets of a cluster
    depend on each other.

    Parameters
    ----------
    table : DataFrame
        Data sets in rows, classifiers in columns.
    clusters : mapping, Series or "keel"
        The cluster of each data set, by the table's row names; "keel": the file that each KEEL set
        is a cut of.

    Returns
    -------
    DataFrame
        A row per cluster, in the order in which the clusters first appear.

    Raises
    ------
    DataError
        As the tests; a data set without a cluster; fewer than 2 clusters.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66], "b": [.79, .74, .90, .68]})
    >>> compare.cluster_means(table, {0: "one", 1: "one", 2: "two", 3: "three"}).shape
    (3, 2)
    """
    values = check_scores(table)
    names = assign_clusters(values.index, clusters)
    return values.groupby(np.array(names, dtype=object), sort=False).mean().rename_axis("cluster")


def assign_clusters(names: Iterable[Any], clusters: Clusters) -> list[str]:
    """Return the cluster of each data set, from a mapping or by the names of KEEL's files."""
    names = list(names)
    if isinstance(clusters, str):
        is_valid = clusters == "keel"
        shown = f"'{clusters}'"
    else:
        is_valid = isinstance(clusters, Mapping | pd.Series)
        shown = f"a {type(clusters).__name__}"
    if not is_valid:
        raise DataError(
            f"the clusters are {shown}; give a mapping of data set to cluster, or 'keel'"
        )
    # KEEL's names tell from which file a data set was cut.
    assigned = keel_files(map(str, names)) if isinstance(clusters, str) else clusters
    for dataset in names:
        if dataset not in assigned:
            raise DataError(
                f"the data set '{dataset}' has no cluster; give every row of the table one"
            )
    # One cluster alone has no spread to measure.
    clusters_of_rows = [str(assigned[dataset]) for dataset in names]
    if len(set(clusters_of_rows)) < 2:
        raise DataError(
            f"all data sets are in the cluster '{clusters_of_rows[0]}'; give at least 2 clusters"
        )
    return clusters_of_rows


def describe_dependence(names: Iterable[object]) -> str:
    """Return a note if several data sets are KEEL's cuts of one file, otherwise empty text."""
    # Files with more than one cut among the data sets, largest first.
    files = pd.Series(keel_files(str(name) for name in names))
    sizes = files[files.isin(KEEL)].value_counts()
    sizes = sizes[sizes > 1].sort_values(ascending=False, kind="stable")
    if sizes.empty:
        return ""
    largest = ", ".join(f"{file} {size}" for file, size in sizes.head(3).items())
    remaining = f" and {len(sizes) - 3} more" if len(sizes) > 3 else ""
    noun = "file" if len(sizes) == 1 else "files"
    return (
        f"{sizes.sum()} of {len(files)} data sets are cuts of {len(sizes)} {noun} "
        f"({largest}{remaining}) and not independent, so differences are found too often; "
        "clusters='keel' counts each file once"
    )
