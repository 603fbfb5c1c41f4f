"""Training and test rows: the same for every classifier, from the seed and the data set's name."""

from __future__ import annotations

import warnings
import zlib
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deabench.errors import DataError
from deabench.study.data.dataset import Dataset
from deabench.study.own_modules import state_by_value
from deabench.utils.files import one_line

Split = tuple[np.ndarray, np.ndarray]

SPLIT_KINDS = (
    "kfold",
    "holdout",
    "bootstrap",
    "groups",
    "leave-one-group-out",
    "time",
    "leave-one-out",
)
UNREPEATED_KINDS = ("leave-one-group-out", "time", "leave-one-out")
"""The kinds that leave nothing to chance: they have no other folds to repeat."""
GROUP_KINDS = ("groups", "leave-one-group-out")


@dataclass(frozen=True)
class SplitSpec:
    """Describe how rows are split.

    Attributes
    ----------
    kind : str
        kfold (stratified), holdout, bootstrap, groups (stratified k-fold that keeps groups
        together), leave-one-group-out, time (each fold tests on what comes after its training
        rows), leave-one-out, or splitter.
    folds, repeats : int
        Folds per repeat; ignored where the kind or the data determine them.
    test_size : float
        Of a holdout.
    gap : float
        Of a split by time: what lies less than this before the test rows is not trained on, in the
        unit of the times (days, where they are dates), or in rows where there are none.
    splitter : object or None
        A scikit-learn splitter; an open `random_state` is set from the study's seed.
    text : str
        The splitter's parameters and code, for the keys of the tasks.
    """

    kind: str = "kfold"
    folds: int = 10
    repeats: int = 1
    test_size: float = 0.3
    gap: float = 0.0
    splitter: Any = field(default=None, compare=False)
    text: str = ""

    def __getstate__(self) -> dict[str, Any]:
        return state_by_value(self, "splitter")


def derive_seed(root: int, *purpose: str | int) -> int:
    """Derive the seed of one purpose, a number below 2^31, from the study's seed.

    It is the first state of `SeedSequence([root, CRC-32 of each name, each number])`.
    """
    entropy = [root]
    for name in purpose:
        if isinstance(name, str):
            name = zlib.crc32(name.encode("utf-8", "surrogatepass"))
        entropy.append(name)
    # half of a number of 32 bits lies below 2^31
    return int(np.random.SeedSequence(entropy).generate_state(1)[0] >> 1)


def count_folds(data: Dataset, split: SplitSpec, seed: int = 0) -> tuple[int, int]:
    """Return (repeats, folds) of a data set; folds of its own are used as they are, once."""
    if data.partition is not None:
        return 1, len(np.unique(data.partition[data.partition >= 0]))
    # every row is a fold of its own
    if split.kind == "leave-one-out":
        return 1, len(data.y)
    # only the splitter, or the data, know how many folds there are
    if split.kind in ("leave-one-group-out", "splitter"):
        return 1, len(folds_of_repeat(data, split, 0, seed))
    return split.repeats, split.folds


def split_rows(data: Dataset, split: SplitSpec, repeat: int, fold: int, seed: int) -> Split:
    """Return the training and test rows of a fold: the same for every classifier."""
    # folds that came with the data are used as they are
    if data.partition is not None:
        tested = data.partition == np.unique(data.partition[data.partition >= 0])[fold]
        return np.flatnonzero(~tested), np.flatnonzero(tested)
    if split.kind == "leave-one-out":
        return np.delete(np.arange(len(data.y)), fold), np.array([fold])
    if split.kind not in ("holdout", "bootstrap"):
        return folds_of_repeat(data, split, repeat, seed)[fold]
    # drawn anew for each repeat and fold
    state = derive_seed(seed, data.name, repeat, fold)
    if split.kind == "bootstrap":
        return _bootstrap_split(data.y, np.random.default_rng(state))
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(
        np.arange(len(data.y)), test_size=split.test_size, stratify=data.y, random_state=state
    )
    # in the data's own order, whatever the draw was
    return np.sort(train), np.sort(test)


_FOLDS: dict[tuple[object, ...], list[Split]] = {}
"""The folds of the last few data sets: every classifier asks for the same ones."""


def folds_of_repeat(data: Dataset, split: SplitSpec, repeat: int, seed: int) -> list[Split]:
    """Return all folds of a repeat; those of the last eight are cached."""
    key = (data.name, data.sha256, split, repeat, seed)
    if key not in _FOLDS:
        # a study goes through its data sets one after another
        if len(_FOLDS) >= 8:
            _FOLDS.clear()
        _FOLDS[key] = _make_folds(data, split, derive_seed(seed, data.name, repeat))
    return _FOLDS[key]


def _make_folds(data: Dataset, split: SplitSpec, state: int) -> list[Split]:
    from sklearn import model_selection

    if split.kind in GROUP_KINDS and data.groups is None:
        raise DataError(
            f"data set '{data.name}' has no groups; name the column that holds them as groups"
        )
    shuffled = {"n_splits": split.folds, "shuffle": True, "random_state": state}
    # a class with fewer rows than folds is left to the metrics
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        if split.kind == "kfold":
            return list(model_selection.StratifiedKFold(**shuffled).split(data.X, data.y))
        if split.kind == "groups":
            folds = model_selection.StratifiedGroupKFold(**shuffled)
            return list(folds.split(data.X, data.y, data.groups))
        if split.kind == "leave-one-group-out":
            return list(model_selection.LeaveOneGroupOut().split(data.X, data.y, data.groups))
        if split.kind == "time":
            return _time_folds(data, split)
        return _folds_of_splitter(data, split.splitter, state)


def _time_folds(data: Dataset, split: SplitSpec) -> list[Split]:
    """Return folds that test on what comes after their training rows, as TimeSeriesSplit does.

    Rows of the same time stay together. Without times the rows are taken in their order.
    """
    n = len(data.y)
    times = np.arange(n, dtype=float)
    if data.times is not None:
        times = data.times
    ordered = np.sort(times)
    # equal blocks of rows from the end on, each from the first row of its time
    size = n // (split.folds + 1)
    starts = [ordered[n - size * block] for block in range(split.folds, 0, -1)] if size else []
    ends = [*starts[1:], np.inf]
    folds = []
    for start, end in zip(starts, ends, strict=False):
        train = np.flatnonzero(times < start - split.gap)
        folds.append((train, np.flatnonzero((times >= start) & (times < end))))
    if not folds or any(not len(train) or not len(test) for train, test in folds):
        raise DataError(
            f"data set '{data.name}' has {len(np.unique(times))} times in {n} rows, too few for "
            f"{split.folds} folds with a gap of {split.gap:g}; give fewer folds or a smaller gap"
        )
    return folds


def _folds_of_splitter(data: Dataset, splitter: Any, state: int) -> list[Split]:
    """Return the folds of any scikit-learn splitter; refuse what are no folds of these rows."""
    # a copy: the user's splitter stays open; without shuffling a random_state is refused
    seeded = deepcopy(splitter)
    if getattr(seeded, "random_state", 0) is None and getattr(seeded, "shuffle", True):
        seeded.random_state = state
    X: Any = data.X
    if data.frame is not None:
        X = data.frame
    try:
        folds = [
            (np.asarray(train), np.asarray(test))
            for train, test in seeded.split(X, data.y, data.groups)
        ]
    except Exception as error:
        raise DataError(
            f"the split {splitter!r} cannot split data set '{data.name}': {one_line(error)}"
        ) from None
    # no fold may be empty, leave the data, or test on training rows
    for train, test in folds:
        rows = np.concatenate([train, test])
        empty = not len(train) or not len(test)
        if empty or rows.min() < 0 or rows.max() >= len(data.y) or np.intersect1d(train, test).size:
            raise DataError(
                f"the split {splitter!r} gives a fold of data set '{data.name}' that is empty, has "
                "rows that the data do not have, or tests on rows it trains on"
            )
    return folds


def check_repeatable(data: Dataset, split: SplitSpec, seed: int) -> None:
    """Refuse a splitter that gives other folds each time: no worker could find the same ones.

    Raises
    ------
    DataError
    """
    if split.kind != "splitter":
        return
    # ask twice with the same seed
    state = derive_seed(seed, data.name, 0)
    first = _folds_of_splitter(data, split.splitter, state)
    second = _folds_of_splitter(data, split.splitter, state)
    same = len(first) == len(second) and all(
        np.array_equal(rows, rows_again)
        for fold, fold_again in zip(first, second, strict=True)
        for rows, rows_again in zip(fold, fold_again, strict=True)
    )
    if not same:
        raise DataError(
            f"the split {split.splitter!r} gives other folds each time; give it a random_state"
        )


def _bootstrap_split(y: np.ndarray, rng: np.random.Generator) -> Split:
    """Draw each class with replacement to its size; test on what was not drawn."""
    # class by class, so that none is lost from the training rows
    rows_of_class = [np.flatnonzero(y == code) for code in range(int(y.max()) + 1)]
    train = np.sort(np.concatenate([rng.choice(rows, len(rows)) for rows in rows_of_class]))
    return train, np.setdiff1d(np.arange(len(y)), train)
