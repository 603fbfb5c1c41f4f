"""Which rows train and which test: the same for every classifier, from the study's seed and the data set's name."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass

import numpy as np

from deabench.study.data.dataset import Dataset

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class SplitSpec:
    """How rows are split: stratified k-fold, holdout or bootstrap, each `folds` times per repeat."""

    kind: str = "kfold"
    folds: int = 10
    repeats: int = 1
    test_size: float = 0.3


def seed_of(root: int, *parts: str | int) -> int:
    """A seed for a purpose: `SeedSequence([root, CRC-32 of each name, each number])`, as one number below 2^31."""
    words = [zlib.crc32(part.encode()) if isinstance(part, str) else part for part in parts]
    return int(np.random.SeedSequence([root, *words]).generate_state(1)[0] >> 1)


def fold_count(data: Dataset, split: SplitSpec) -> tuple[int, int]:
    """(repeats, folds) of a data set; its own folds, where it has them, are used as they are, once."""
    if data.partition is not None:
        return 1, len(np.unique(data.partition[data.partition >= 0]))
    return split.repeats, split.folds


def rows_of(data: Dataset, split: SplitSpec, repeat: int, fold: int, seed: int) -> Split:
    """Training and test rows of a fold: the same for every classifier."""
    from sklearn.model_selection import StratifiedKFold, train_test_split

    if data.partition is not None:
        test = data.partition == np.unique(data.partition[data.partition >= 0])[fold]
        return np.flatnonzero(~test), np.flatnonzero(test)
    if split.kind == "kfold":
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            folds = StratifiedKFold(split.folds, shuffle=True, random_state=seed_of(seed, data.name, repeat))
            return list(folds.split(data.X, data.y))[fold]
    state = seed_of(seed, data.name, repeat, fold)
    if split.kind == "holdout":
        train, held = train_test_split(np.arange(len(data.y)), test_size=split.test_size, stratify=data.y,
                                       random_state=state)
        return np.sort(train), np.sort(held)
    return _bootstrap(data.y, np.random.default_rng(state))


def _bootstrap(y: np.ndarray, rng: np.random.Generator) -> Split:
    """Each class drawn with replacement to its size; what was not drawn is tested on."""
    drawn = [rng.choice(rows, len(rows)) for rows in (np.flatnonzero(y == 0), np.flatnonzero(y == 1))]
    train = np.sort(np.concatenate(drawn))
    return train, np.setdiff1d(np.arange(len(y)), train)
