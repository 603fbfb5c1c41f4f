"""Make samples from results that vary from block to block, or that have standard errors.

Blocks are the folds of one data set, those of a grid search, or many data sets; there are few of
them, so errors have Student's t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from deabench.compare.score_tables import Clusters, assign_clusters, describe_dependence
from deabench.errors import DataError, warn_data
from deabench.inference.block_limits import missed_share, pair_size
from deabench.inference.learned_mix import Units
from deabench.inference.moments import Array, ErrorSource, Moments
from deabench.inference.samples.designs import warn_of_few_clusters
from deabench.inference.samples.influence import count_influence
from deabench.inference.samples.instance_fields import SampleFields
from deabench.metrics.counts import from_counts
from deabench.tables.readers.learners import fold_scores, is_cv_results
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import find_key, to_pandas, with_keys
from deabench.utils.text import two_digits

CELLS = ["tp", "fn", "fp", "tn"]
MIN_BLOCKS = 10
"""With fewer blocks a warning is raised: Student's t has to guess their spread."""
RIDGE_NOTE = (
    "where systems differ little or not at all, one more difference of the size seen anywhere "
    "is allowed for"
)
NEGATED_LOSS = "mean_test_neg_"
"""Scikit-learn's losses with their sign reversed: ratios of negative numbers mean nothing."""


def samples_from_folds(
    folds: pd.DataFrame, metrics: Sequence[str] | None, ratio: float | None
) -> SampleFields:
    """Return the fields of samples of folds and repeats, with Nadeau and Bengio's variance."""
    folds = _require_frame(folds, ["classifier", "fold"])
    has_repeats = find_key([*folds.index.names, *folds.columns], "repeat") is not None
    keys = ["fold", "repeat"] if has_repeats else ["fold"]
    long = with_keys(folds, ["classifier", *keys], "the results")
    values, names, columns = _values_by_block(long, keys, metrics, "fold")
    # In cross-validation with F folds n_test / n_train = 1 / (F − 1).
    if ratio is None:
        ratio = 1 / max(long["fold"].nunique() - 1, 1)
    if not (np.isfinite(ratio) and ratio > 0):
        raise DataError(
            f"the ratio of test to training size is {ratio:g}; give a positive number, 1/9 for ten "
            "folds"
        )
    blocks = len(values)
    flips = None
    if set(CELLS) <= set(long.columns):
        flips = _pooled_flips(long, columns, names, keys)
    # Nadeau and Bengio's factor replaces 1/J, because training sets overlap.
    table, moments = _block_moments(values, names, columns, 1 / blocks + ratio, flips)
    note = (
        "the folds share training data: Nadeau and Bengio's variance "
        f"(1/{blocks} + {ratio:.3g}) s² is right only if folds are "
        f"correlated at about {ratio / (1 + ratio):.2g}, which the data "
        "cannot tell; at a higher correlation the intervals are too narrow"
    )
    pairing = "paired: all systems were tested on the same folds"
    notes = (note, *_warn_of_few(blocks, "folds"))
    return {
        "values": table,
        "moments": moments,
        "sizes": {"folds": blocks},
        "pairing": pairing,
        "design": "folds",
        "notes": notes,
    }


def samples_from_datasets(
    results: pd.DataFrame, metrics: Sequence[str] | None, clusters: Clusters | None
) -> SampleFields:
    """Return the fields of samples of data sets; counts of a data set's folds are added first."""
    note = (
        "every metric is its mean over the data sets, and holds for data sets like these, drawn as "
        "these were"
    )
    return _samples_from_blocks(results, metrics, "dataset", "data set", note, clusters)


def samples_from_runs(results: pd.DataFrame, metrics: Sequence[str] | None) -> SampleFields:
    """Return the fields of samples of runs with different seeds on the same test data."""
    note = (
        "the runs are taken as independent of each other: the intervals hold for other runs on the "
        "same test data, not for other test data"
    )
    return _samples_from_blocks(results, metrics, "seed", "run", note)


def samples_from_instances(results: pd.DataFrame, metrics: Sequence[str] | None) -> SampleFields:
    """Return the fields of samples of instances, each with its outcomes and its costs."""
    note = "every metric is its mean over the instances; outcomes and costs of one go together"
    return _samples_from_blocks(results, metrics, "instance", "instance", note)


def _samples_from_blocks(
    results: pd.DataFrame,
    metrics: Sequence[str] | None,
    key: str,
    noun: str,
    note: str,
    clusters: Clusters | None = None,
) -> SampleFields:
    """Return the fields of samples of independent blocks, or clusters of them; `key` names them."""
    results = _require_frame(results, ["classifier", key])
    long = with_keys(results, ["classifier", key], "the results")
    if set(CELLS) <= set(long.columns):
        long = long.groupby(["classifier", key], sort=False)[CELLS].sum().reset_index()
    values, names, columns = _values_by_block(long, [key], metrics, noun)
    blocks = list(dict.fromkeys(long[key]))
    sizes = {f"{noun}s": len(values)}
    notes: tuple[str, ...] = (note,)
    table = values
    # Blocks of one cluster are averaged first: the clusters are what is independent.
    if clusters is not None:
        groups = pd.factorize(np.array(assign_clusters(blocks, clusters), dtype=object))[0]
        table = _cluster_values(values, groups)
        sizes["clusters"] = len(table)
        notes = (*notes, f"{noun}s of one cluster are taken as drawn together (clusters=)")
        notes += warn_of_few_clusters(groups)
    elif key == "dataset":
        dependence = describe_dependence(blocks)
        notes = (*notes, dependence) if dependence else notes
    if clusters is None:
        notes += _warn_of_few(len(values), f"{noun}s")
    frame, moments = _block_moments(table, names, columns, 1 / len(table))
    # Every classifier has a value on every block, so differences are taken block by block.
    pairing = f"paired: all systems were tested on the same {noun}s"
    if key == "seed":
        pairing = "paired: the runs of all systems are matched by their seed"
    return {
        "values": frame,
        "moments": moments,
        "sizes": sizes,
        "pairing": pairing,
        "design": "blocks",
        "make_units": partial(_block_units, table),
        "notes": (notes[0], RIDGE_NOTE, *notes[1:], *_missed_notes(len(table), noun)),
    }


def _cluster_values(values: Array, groups: Array) -> Array:
    """Return a row for each cluster, so that the mean over rows is the mean over blocks (G, k, s).

    Sums over the clusters' blocks, times G/J: deviations of the sums are those of the clusters.
    """
    number = int(groups.max()) + 1
    sums = np.zeros((number, *values.shape[1:]))
    mean = values.mean(axis=0)
    # Sums of deviations, so that a cluster's size alone is no spread.
    np.add.at(sums, groups, values - mean)
    return np.asarray(mean + sums * number / len(values))


def _missed_notes(blocks: int, noun: str) -> tuple[str, ...]:
    """Return what so few data sets or runs may not have shown."""
    if noun == "instance":
        return ()
    share = missed_share(blocks)
    return (
        f"a failure that strikes fewer than one in {two_digits(1 / share)} of such "
        f"{noun}s ({two_digits(100 * share)} %) may not have been seen here",
    )


def _block_units(values: Array) -> Units:
    """Return the blocks as units."""
    blocks, _, s = values.shape
    return Units(
        values.transpose(1, 2, 0).astype(np.float32),
        np.ones((s, blocks), dtype=bool),
        np.zeros(blocks, dtype=int),
        np.zeros(s, dtype=bool),
    )


def folds_of_search(
    search: Any, metrics: Sequence[str] | None, ratio: float | None
) -> tuple[pd.DataFrame, list[str], float | None]:
    """Return a grid search's folds as rows, its metrics, and n_test / n_train if it is known."""
    results = search if is_cv_results(search) else getattr(search, "cv_results_", None)
    if not isinstance(results, Mapping):
        raise DataError(
            f"a {type(search).__name__} is no fitted search; give a GridSearchCV after fit, or its "
            "cv_results_"
        )
    folds = fold_scores(results)
    if metrics is None:
        columns = [str(name) for name in folds.columns[2:]]
        metrics = [name for name in columns if not name.startswith(NEGATED_LOSS)]
    if not metrics:
        raise DataError(
            "the search has losses only (neg_...), and intervals are those of metrics to be high; "
            "score it by one more"
        )
    splitter = getattr(search, "cv", None)
    repeats = getattr(splitter, "n_repeats", 1)
    if repeats > 1:
        # A repeated splitter numbers its folds through; the repeat is the quotient.
        folds_per_repeat = folds["fold"].nunique() // repeats
        folds["repeat"] = folds["fold"] // folds_per_repeat
        folds["fold"] = folds["fold"] % folds_per_repeat
    if ratio is None and hasattr(splitter, "test_size"):
        raise DataError(
            f"{type(splitter).__name__} does not split into folds; give ratio= the number of test "
            "rows over that of training rows"
        )
    return folds, list(metrics), ratio


def _require_frame(results: object, keys: Sequence[str]) -> pd.DataFrame:
    """Return results as a pandas DataFrame; refuse what is no frame of any library."""
    frame = to_pandas(results)
    if frame is None:
        raise DataError(
            f"the results are a {type(results).__name__}; give a DataFrame with the columns "
            f"{', '.join(keys)}"
        )
    return frame


def _values_by_block(
    long: pd.DataFrame, keys: list[str], metrics: Sequence[str] | None, noun: str
) -> tuple[Array, list[str], list[str]]:
    """Return metrics by block (J, k, s), the classifiers and the metrics.

    Parameters
    ----------
    noun : str
        What a block is called in messages.
    """
    if isinstance(metrics, str):
        raise DataError(f"metrics is the text '{metrics}'; give a list of names, as ['{metrics}']")
    if set(CELLS) <= set(long.columns):
        columns = list(metrics) if metrics is not None else ["TPR", "TNR"]
        computed = from_counts(long, metrics=columns)
        table = pd.concat([long[["classifier", *keys]], computed], axis=1)
    else:
        table = long
        numeric = [
            str(name)
            for name in long.columns
            if name not in ("classifier", *keys) and pd.api.types.is_numeric_dtype(long[name])
        ]
        # Without counts the numeric columns are the metrics.
        columns = list(metrics) if metrics is not None else numeric
        for name in columns:
            if name not in numeric:
                raise DataError(
                    f"there is no metric '{name}' in the results; {did_you_mean(name, numeric)}"
                )
    if not columns:
        raise DataError(
            "the results hold no metric; add a numeric column, or the counts tp, fn, fp and tn"
        )
    return _fill_blocks(table, keys, columns, noun)


def _fill_blocks(
    table: pd.DataFrame, keys: list[str], columns: list[str], noun: str
) -> tuple[Array, list[str], list[str]]:
    """Put long rows into an array (J, k, s); every classifier has exactly one row in each block."""
    rows = [tuple(row) for row in table[keys].itertuples(index=False)]
    blocks = list(dict.fromkeys(rows))
    names = [str(name) for name in dict.fromkeys(table["classifier"])]
    if len(blocks) < 2:
        raise DataError(
            f"there is one {noun}; the spread between {noun}s needs at least 2, better "
            f"{MIN_BLOCKS} or more"
        )
    if len(names) < 2:
        name = names[0] if names else ""
        raise DataError(f"there is one system, '{name}'; efficiency compares, give at least two")
    # Rows may come in any order: each is put into its block and classifier.
    block_places = {block: number for number, block in enumerate(blocks)}
    name_places = {name: number for number, name in enumerate(names)}
    values = np.full((len(blocks), len(names), len(columns)), np.nan)
    row_counts = np.zeros(values.shape[:2], dtype=int)
    numbers = table[columns].to_numpy(dtype=float)
    for block, name, row in zip(rows, table["classifier"], numbers, strict=True):
        position = block_places[block], name_places[str(name)]
        values[position] = row
        row_counts[position] += 1
    if (row_counts != 1).any():
        j, i = np.argwhere(row_counts != 1)[0]
        raise DataError(
            f"'{names[i]}' stands on {row_counts[j, i]} rows for {noun} "
            f"{_describe_block(blocks[j])}; give exactly one"
        )
    invalid = np.argwhere(~np.isfinite(values))
    if len(invalid):
        j, i, r = invalid[0]
        value = "undefined" if np.isnan(values[j, i, r]) else f"{values[j, i, r]:g}"
        raise DataError(
            f"metric '{columns[r]}' of '{names[i]}' for {noun} {_describe_block(blocks[j])} is "
            f"{value}; give numbers >= 0, or leave the metric or the block out"
        )
    return values, names, columns


def _describe_block(key: tuple[object, ...]) -> str:
    return " of repeat ".join(f"'{part}'" for part in key)


def _block_moments(
    values: Array,
    names: list[str],
    columns: list[str],
    factor: float,
    flips: Array | None = None,
) -> tuple[pd.DataFrame, Moments]:
    """Return means over blocks, and moments with the covariance of the blocks times `factor`.

    Without flips of instances the ridge is that of one more block of the size of differences seen
    anywhere.
    """
    blocks, k, s = values.shape
    mean = values.mean(axis=0)
    # Blocks are paired: covariances between classifiers are kept.
    centred = (values - mean).reshape(blocks, k * s)
    covariance = (centred.T @ centred * (factor / (blocks - 1))).reshape(k, s, k, s)
    # The s means are the metrics themselves: d log y / d y = 1 / y, where there is a logarithm.
    lifted = np.where(mean > 0, mean, np.nan)
    gradient = np.zeros((k, s, s))
    gradient[:, np.arange(s), np.arange(s)] = 1 / lifted
    table = pd.DataFrame(mean, pd.Index(names, name="classifier"), columns)
    has_unit_ridge = flips is None
    if flips is None:
        # The ridge of a pair is (R/J)², half of it for each of the two.
        sizes = np.array([pair_size(values[:, :, r]) for r in range(s)])
        flips = sizes / blocks / np.sqrt(2) / lifted
    source = ErrorSource(gradient, covariance, flips)
    degrees = np.full(s, blocks - 1.0)
    return table, Moments(np.log(lifted), (source,), degrees, has_unit_ridge)


def _pooled_flips(
    long: pd.DataFrame, columns: list[str], names: list[str], keys: list[str]
) -> Array:
    """Return one-flip changes (k, s) of the pooled metrics, relative to their values.

    The changes by an instance of either class are combined as the root of their squares.
    """
    labels = list(dict.fromkeys(long["classifier"]))
    if "repeat" in keys:
        long = long[long["repeat"] == long["repeat"].iloc[0]]
    cells = long.groupby("classifier", sort=False)[CELLS].sum().astype(float).loc[labels]
    # The pooled rates stand for all folds: a flip changes them by 1/P or 1/N.
    flips = np.zeros((len(names), len(columns)))
    for r, column in enumerate(columns):
        influence = count_influence(column, cells.to_numpy().T)
        relative = np.hypot(*influence.flips) / influence.lifted
        flips[:, r] = np.where(np.isfinite(relative), relative, 0.0)
    return flips


def _warn_of_few(blocks: int, noun: str) -> tuple[str, ...]:
    if blocks >= MIN_BLOCKS:
        return ()
    note = (
        f"{blocks} {noun} are few: their spread is hardly known, and the intervals are wide for it"
    )
    warn_data(note)
    return (note,)
