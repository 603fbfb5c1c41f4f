"""Samples from blocks: the folds of one data set, or many data sets. What varies is the block, and
there are few of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.inference.delta_method import LOGS, Array, Moments, Part, Rates, log_metric
from deabench.inference.from_predictions import Made
from deabench.tables.readers.learners import fold_scores, is_cv_results
from deabench.utils.checks import did_you_mean

CELLS = ["tp", "fn", "fp", "tn"]
FEW = 10
"""Fewer blocks than these are warned of: Student's t has to guess their spread."""


def folded(folds: pd.DataFrame, metrics: Sequence[str] | None, ratio: float | None) -> Made:
    """Folds of one data set, repeats among them, with Nadeau and Bengio's variance."""
    keys = ["fold", *(["repeat"] if "repeat" in [*folds.index.names, *folds.columns] else [])]
    long = _long(folds, ["classifier", *keys])
    wide, names, columns = _wide(long, keys, metrics, "fold")
    per_repeat = long["fold"].nunique()
    if ratio is None:
        ratio = 1 / max(per_repeat - 1, 1)
    if not (np.isfinite(ratio) and ratio > 0):
        raise DataError(
            f"the ratio of test to training size is {ratio:g}; give a positive number, 1/9 for ten folds"
        )
    blocks = len(wide)
    assumed = ratio / (1 + ratio)
    notes = (
        f"the folds share training data: Nadeau and Bengio's variance (1/{blocks} + {ratio:.3g}) s² is right only if folds are "
        f"correlated at about {assumed:.2g}, which the data cannot tell; at a higher correlation the intervals are too narrow",
    )
    flips = (
        _flips(long, columns, names, keys)
        if set(CELLS) <= set(long.columns)
        else np.zeros((len(names), len(columns)))
    )
    values, moments = _moments(wide, names, columns, 1 / blocks + ratio, flips, "fold")
    paired = "paired: all classifiers were tested on the same folds"
    return values, moments, {"folds": blocks}, paired, (), (*notes, *_few(blocks, "folds"))


def over_datasets(results: pd.DataFrame, metrics: Sequence[str] | None) -> Made:
    """Data sets as blocks; a data set's folds are added first where there are counts."""
    long = _long(results, ["classifier", "dataset"])
    if set(CELLS) <= set(long.columns):
        long = long.groupby(["classifier", "dataset"], sort=False)[CELLS].sum().reset_index()
    wide, names, columns = _wide(long, ["dataset"], metrics, "data set")
    blocks = len(wide)
    notes = (
        "every metric is its mean over the data sets, and holds for data sets like these, drawn as these were",
        "no small-sample rule is used: classifiers alike on every data set are not told apart",
    )
    values, moments = _moments(
        wide, names, columns, 1 / blocks, np.zeros((len(names), len(columns))), "data set"
    )
    paired = "paired: all classifiers were tested on the same data sets"
    return values, moments, {"data sets": blocks}, paired, (), (*notes, *_few(blocks, "data sets"))


def _long(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The frame with its keys as columns."""
    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            f"the results are a {type(frame).__name__}; give a DataFrame with the columns {', '.join(keys)}"
        )
    named = [name for name in frame.index.names if name is not None]
    flat = frame.reset_index() if named else frame
    for key in keys:
        if key not in flat.columns:
            raise DataError(
                f"there is no column '{key}' in the results; {did_you_mean(key, list(flat.columns))}"
            )
    return flat


def _wide(
    long: pd.DataFrame, keys: list[str], metrics: Sequence[str] | None, what: str
) -> tuple[Array, list[str], list[str]]:
    """Metrics by block, (J, k, s), with the classifiers and the metrics; every classifier has every
    block.
    """
    from deabench.metrics import from_counts

    if isinstance(metrics, str):
        raise DataError(f"metrics is the text '{metrics}'; give a list of names, as ['{metrics}']")
    if set(CELLS) <= set(long.columns):
        columns = list(metrics) if metrics is not None else ["TPR", "TNR"]
        table = from_counts(long, metrics=columns)
        table = pd.concat([long[["classifier", *keys]], table], axis=1)
    else:
        known = [
            str(name)
            for name in long.columns
            if name not in ("classifier", *keys) and pd.api.types.is_numeric_dtype(long[name])
        ]
        columns = list(metrics) if metrics is not None else known
        for name in columns:
            if name not in known:
                raise DataError(
                    f"there is no metric '{name}' in the results; {did_you_mean(name, known)}"
                )
        table = long
    if not columns:
        raise DataError(
            "the results hold no metric; add a numeric column, or the counts tp, fn, fp and tn"
        )
    return _cube(table, keys, columns, what)


def _cube(
    table: pd.DataFrame, keys: list[str], columns: list[str], what: str
) -> tuple[Array, list[str], list[str]]:
    where = [tuple(row) for row in table[keys].itertuples(index=False)]
    blocks = {key: place for place, key in enumerate(dict.fromkeys(where))}
    names = {str(name): place for place, name in enumerate(dict.fromkeys(table["classifier"]))}
    if len(blocks) < 2:
        raise DataError(
            f"there is one {what}; the spread between {what}s needs at least 2, better {FEW} or more"
        )
    if len(names) < 2:
        raise DataError(
            f"there is one classifier, '{next(iter(names), '')}'; efficiency compares, give at least two"
        )
    cube = np.full((len(blocks), len(names), len(columns)), np.nan)
    seen = np.zeros(cube.shape[:2], dtype=int)
    for key, name, row in zip(
        where, table["classifier"], table[columns].to_numpy(dtype=float), strict=True
    ):
        place = blocks[key], names[str(name)]
        cube[place], seen[place] = row, seen[place] + 1
    listed, block_names = list(names), list(blocks)
    if (seen != 1).any():
        j, i = np.argwhere(seen != 1)[0]
        raise DataError(
            f"'{listed[i]}' stands on {seen[j, i]} rows for {what} {_said(block_names[j])}; give exactly one"
        )
    bad = ~np.isfinite(cube) | (cube < 0)
    if bad.any():
        j, i, r = np.argwhere(bad)[0]
        value = "undefined" if np.isnan(cube[j, i, r]) else f"{cube[j, i, r]:g}"
        raise DataError(
            f"metric '{columns[r]}' of '{listed[i]}' for {what} {_said(block_names[j])} is {value}; "
            "give numbers >= 0, or leave the metric or the block out"
        )
    return cube, listed, columns


def _said(key: tuple[object, ...]) -> str:
    return " of repeat ".join(f"'{part}'" for part in key)


def _moments(
    cube: Array, names: list[str], columns: list[str], factor: float, flips: Array, what: str
) -> tuple[pd.DataFrame, Moments]:
    """Means over blocks; the covariance of the block values times `factor`."""
    blocks, k, s = cube.shape
    mean = cube.mean(axis=0)
    if (mean == 0).any():
        i, r = np.argwhere(mean == 0)[0]
        raise DataError(
            f"metric '{columns[r]}' of '{names[i]}' is 0 for every {what}; no ratio to it has an interval, "
            "leave the metric or the classifier out"
        )
    centred = (cube - mean).reshape(blocks, k * s)
    covariance = (centred.T @ centred * (factor / (blocks - 1))).reshape(k, s, k, s)
    gradient = np.zeros((k, s, s))
    gradient[:, np.arange(s), np.arange(s)] = 1 / mean
    frame = pd.DataFrame(mean, index=pd.Index(names, name="classifier"), columns=columns)
    return frame, Moments(
        np.log(mean), (Part(gradient, covariance, flips),), np.full(s, blocks - 1.0)
    )


def _flips(long: pd.DataFrame, columns: list[str], names: list[str], keys: list[str]) -> Array:
    """One-flip changes of the pooled metrics, both classes together, as their root of squares; 0
    where they are not known.
    """
    once = long[long["repeat"] == long["repeat"].iloc[0]] if "repeat" in keys else long
    cells = once.groupby("classifier", sort=False)[CELLS].sum().astype(float)
    cells = cells.loc[list(dict.fromkeys(long["classifier"]))]
    flips = np.zeros((len(names), len(columns)))
    for i, (tp, fn, fp, tn) in enumerate(cells.to_numpy()):
        if tp + fn <= 0 or fp + tn <= 0:
            continue
        rates = Rates(
            np.array([tp / (tp + fn)]), np.array([tn / (fp + tn)]), int(tp + fn), int(fp + tn)
        )
        for r, name in enumerate(columns):
            if name in LOGS:
                slope = log_metric(rates, name, [names[i]])[2][0]
                flips[i, r] = np.hypot(slope[0] / (tp + fn), slope[1] / (fp + tn))
    return flips


def _few(blocks: int, what: str) -> tuple[str, ...]:
    if blocks >= FEW:
        return ()
    said = (
        f"{blocks} {what} are few: their spread is hardly known, and the intervals are wide for it"
    )
    warnings.warn(said, DataWarning, stacklevel=6)
    return (said,)


TURNED = "mean_test_neg_"
"""Scikit-learn's losses with their sign turned: below 0, so no ratio of two of them means anything.
"""


def searched(
    search: Any, metrics: Sequence[str] | None, ratio: float | None
) -> tuple[pd.DataFrame, list[str], float | None]:
    """The folds as rows, the metrics taken, and n_test / n_train where the splitter is no plain
    k-fold.
    """
    results = search if is_cv_results(search) else getattr(search, "cv_results_", None)
    if not isinstance(results, Mapping):
        raise DataError(
            f"a {type(search).__name__} is no fitted search; give a GridSearchCV after fit, or its cv_results_"
        )
    folds = fold_scores(results)
    known = [str(name) for name in folds.columns[2:]]
    taken = (
        list(metrics)
        if metrics is not None
        else [name for name in known if not name.startswith(TURNED)]
    )
    if not taken:
        raise DataError(
            "the search has losses only (neg_...), and intervals are those of metrics to be high; score it by one more"
        )
    splitter = getattr(search, "cv", None)
    repeats = getattr(splitter, "n_repeats", 1)
    if repeats > 1:
        each = folds["fold"].nunique() // repeats
        folds["repeat"], folds["fold"] = folds["fold"] // each, folds["fold"] % each
    if ratio is None and hasattr(splitter, "test_size"):
        raise DataError(
            f"{type(splitter).__name__} does not split into folds; give ratio= the number of test rows over that of "
            "training rows"
        )
    return folds, taken, ratio
