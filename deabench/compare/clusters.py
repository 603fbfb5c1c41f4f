"""Data sets that are not independent: cuts of one file count once, as a cluster.

45 of the 67 KEEL sets of Chao et al. (2022) are cuts of three files. What a classifier gains on one
cut of `ecoli` it tends to gain on the other nineteen; tests that count them as twenty independent
data sets find differences far too often."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from deabench.compare._validation import scores
from deabench.errors import DataError

Clusters: TypeAlias = Mapping[str, str] | pd.Series | Literal["keel"]
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
CUT = re.compile(rf"({'|'.join(KEEL)})(?=\d|-|_|$)")


def keel_files(names: Iterable[str]) -> dict[str, str]:
    """The file that each KEEL data set is a cut of, by its name: `ecoli-0-1_vs_5` and `ecoli4` are
    of `ecoli`.

    A name that is none of KEEL's cuts is a file of its own.

    Parameters
    ----------
    names : data sets' names

    Examples
    --------
    >>> from deabench import compare
    >>> compare.keel_files(["ecoli4", "ecoli-0-1_vs_5", "wine1"])
    {'ecoli4': 'ecoli', 'ecoli-0-1_vs_5': 'ecoli', 'wine1': 'wine1'}
    """
    return {
        str(name): found.group(1) if (found := CUT.match(str(name))) else str(name)
        for name in names
    }


def cluster_means(table: pd.DataFrame, clusters: Clusters) -> pd.DataFrame:
    """One row per cluster: the mean score of each classifier over the cluster's data sets.

    Where classifiers are alike, their scores in a cluster can change places together, and so can
    the means: every test of this package keeps its level on them, however much the data sets of a
    cluster depend on each other.

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
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> compare.cluster_means(table, {0: "one", 1: "one", 2: "two", 3: "three", 4: "four"}).shape
    (4, 3)
    """
    values = scores(table)
    if (
        clusters != "keel"
        if isinstance(clusters, str)
        else not isinstance(clusters, Mapping | pd.Series)
    ):
        said = f"'{clusters}'" if isinstance(clusters, str) else f"a {type(clusters).__name__}"
        raise DataError(
            f"the clusters are {said}; give a mapping of data set to cluster, or 'keel'"
        )
    of: Mapping[str, str] | pd.Series = (
        keel_files(values.index) if isinstance(clusters, str) else clusters
    )
    names = [_cluster(of, name) for name in values.index]
    if len(set(names)) < 2:
        raise DataError(f"all data sets are of the cluster '{names[0]}'; give at least 2 clusters")
    return values.groupby(np.array(names, dtype=object), sort=False).mean().rename_axis("cluster")


def _cluster(of: Mapping[str, str] | pd.Series, name: str) -> str:
    if name not in of:
        raise DataError(f"the data set '{name}' has no cluster; give every row of the table one")
    return str(of[name])


def unsaid(names: Iterable[object]) -> str:
    """A sentence where the names are KEEL's and several are cuts of one file; empty otherwise."""
    of = pd.Series(keel_files(str(name) for name in names))
    sizes = of[of.isin(KEEL)].value_counts()
    sizes = sizes[sizes > 1].sort_values(ascending=False, kind="stable")
    if sizes.empty:
        return ""
    largest = ", ".join(f"{file} {size}" for file, size in sizes.head(3).items())
    more = f" and {len(sizes) - 3} more" if len(sizes) > 3 else ""
    return (
        f"{sizes.sum()} of {len(of)} data sets are cuts of {len(sizes)} {'file' if len(sizes) == 1 else 'files'} "
        f"({largest}{more}) and not independent, so differences are found too often: clusters='keel' counts each file once"
    )
