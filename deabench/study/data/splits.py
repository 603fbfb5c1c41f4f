"""Which rows train and which test: the same for every classifier, from the study's seed and the
data set's name.
"""

from __future__ import annotations

import warnings
import zlib
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deabench.errors import DataError
from deabench.study.data.dataset import Dataset
from deabench.utils.files import one_line

Split = tuple[np.ndarray, np.ndarray]

KINDS = ("kfold", "holdout", "bootstrap", "groups", "leave-one-group-out", "time", "leave-one-out")
ONCE = ("leave-one-group-out", "time", "leave-one-out")
"""The kinds that leave nothing to chance: they have no other folds to repeat."""
GROUPED = ("groups", "leave-one-group-out")


@dataclass(frozen=True)
class SplitSpec:
    """How rows are split.

    Attributes
    ----------
    kind : str
        kfold (stratified), holdout, bootstrap, groups (stratified k-fold that keeps groups
        together), leave-one-group-out, time (each fold tests on what comes after its training
        rows), leave-one-out, or splitter.
    folds, repeats : int
        Folds per repeat; where the kind or the data say how many there are, they do.
    test_size : float
        Of a holdout.
    splitter : object or None
        A scikit-learn splitter; an open `random_state` is set from the study's seed.
    """

    kind: str = "kfold"
    folds: int = 10
    repeats: int = 1
    test_size: float = 0.3
    splitter: Any = field(default=None, compare=False)
    text: str = ""


def seed_of(root: int, *parts: str | int) -> int:
    """A seed for a purpose: `SeedSequence([root, CRC-32 of each name, each number])`, as one number
    below 2^31.
    """
    words = [
        zlib.crc32(part.encode("utf-8", "surrogatepass")) if isinstance(part, str) else part
        for part in parts
    ]
    return int(np.random.SeedSequence([root, *words]).generate_state(1)[0] >> 1)


def fold_count(data: Dataset, split: SplitSpec, seed: int = 0) -> tuple[int, int]:
    """(repeats, folds) of a data set; its own folds, where it has them, are used as they are, once."""
    if data.partition is not None:
        return 1, len(np.unique(data.partition[data.partition >= 0]))
    if split.kind == "leave-one-out":
        return 1, len(data.y)
    if split.kind in ("leave-one-group-out", "splitter"):
        return 1, len(folds_of(data, split, 0, seed))
    return split.repeats, split.folds


def rows_of(data: Dataset, split: SplitSpec, repeat: int, fold: int, seed: int) -> Split:
    """Training and test rows of a fold: the same for every classifier."""
    if data.partition is not None:
        test = data.partition == np.unique(data.partition[data.partition >= 0])[fold]
        return np.flatnonzero(~test), np.flatnonzero(test)
    if split.kind == "leave-one-out":
        return np.delete(np.arange(len(data.y)), fold), np.array([fold])
    if split.kind not in ("holdout", "bootstrap"):
        return folds_of(data, split, repeat, seed)[fold]
    state = seed_of(seed, data.name, repeat, fold)
    if split.kind == "bootstrap":
        return _bootstrap(data.y, np.random.default_rng(state))
    from sklearn.model_selection import train_test_split

    train, held = train_test_split(
        np.arange(len(data.y)), test_size=split.test_size, stratify=data.y, random_state=state
    )
    return np.sort(train), np.sort(held)


_KEPT: dict[tuple[object, ...], list[Split]] = {}


def folds_of(data: Dataset, split: SplitSpec, repeat: int, seed: int) -> list[Split]:
    """All folds of a repeat at once; those of the last few data sets are kept, as every classifier
    asks for them.
    """
    key = (data.name, data.sha256, split, repeat, seed)
    if key not in _KEPT:
        if len(_KEPT) >= 8:
            _KEPT.clear()
        _KEPT[key] = _folds(data, split, seed_of(seed, data.name, repeat))
    return _KEPT[key]


def _folds(data: Dataset, split: SplitSpec, state: int) -> list[Split]:
    from sklearn.model_selection import (
        LeaveOneGroupOut,
        StratifiedGroupKFold,
        StratifiedKFold,
        TimeSeriesSplit,
    )

    if split.kind in GROUPED and data.groups is None:
        raise DataError(
            f"data set '{data.name}' has no groups; name the column that holds them as groups"
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        if split.kind == "kfold":
            return list(
                StratifiedKFold(split.folds, shuffle=True, random_state=state).split(data.X, data.y)
            )
        if split.kind == "groups":
            folds = StratifiedGroupKFold(split.folds, shuffle=True, random_state=state)
            return list(folds.split(data.X, data.y, data.groups))
        if split.kind == "leave-one-group-out":
            return list(LeaveOneGroupOut().split(data.X, data.y, data.groups))
        if split.kind == "time":
            return list(TimeSeriesSplit(split.folds).split(data.X))
        return _of_splitter(data, split.splitter, state)


def _of_splitter(data: Dataset, splitter: Any, state: int) -> list[Split]:
    """The folds of any scikit-learn splitter, refused where they are no folds of these rows."""
    mine = deepcopy(splitter)
    if getattr(mine, "random_state", 0) is None and getattr(mine, "shuffle", True):
        mine.random_state = state
    X = data.X if data.frame is None else data.frame
    try:
        found = [
            (np.asarray(train), np.asarray(test))
            for train, test in mine.split(X, data.y, data.groups)
        ]
    except Exception as error:
        raise DataError(
            f"the split {splitter!r} cannot split data set '{data.name}': {one_line(error)}"
        ) from None
    for train, test in found:
        rows = np.concatenate([train, test])
        if (
            not len(train)
            or not len(test)
            or rows.min() < 0
            or rows.max() >= len(data.y)
            or np.intersect1d(train, test).size
        ):
            raise DataError(
                f"the split {splitter!r} gives a fold of data set '{data.name}' that is empty, has rows that the "
                "data do not have, or tests on rows it trains on"
            )
    return found


def same_each_time(data: Dataset, split: SplitSpec, seed: int) -> None:
    """Refuse a splitter that gives other folds when it is asked again: no worker could find the
    same.

    Raises
    ------
    DataError
    """
    if split.kind != "splitter":
        return
    first, again = (
        _of_splitter(data, split.splitter, seed_of(seed, data.name, 0)) for _ in range(2)
    )
    if len(first) != len(again) or any(
        not np.array_equal(a, b)
        for one, two in zip(first, again, strict=True)
        for a, b in zip(one, two, strict=True)
    ):
        raise DataError(
            f"the split {split.splitter!r} gives other folds each time; give it a random_state"
        )


def _bootstrap(y: np.ndarray, rng: np.random.Generator) -> Split:
    """Each class drawn with replacement to its size; what was not drawn is tested on."""
    drawn = [
        rng.choice(rows, len(rows))
        for rows in (np.flatnonzero(y == k) for k in range(int(y.max()) + 1))
    ]
    train = np.sort(np.concatenate(drawn))
    return train, np.setdiff1d(np.arange(len(y)), train)
