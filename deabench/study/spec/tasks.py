"""The tasks of a study: one classifier on one fold of one data set each, made on access.

A task's key is a digest of all that its result depends on.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, overload

from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset
from deabench.study.data.splits import SplitSpec
from deabench.study.learners import NO_PREPROCESSING, LearnerSpec, Preprocessing
from deabench.study.learners.fingerprints import Fingerprint

VERSION = 4
"""Part of every task's key: raise it when a change of deabench changes results."""


@dataclass(frozen=True)
class TaskLimits:
    """Limit a task: seconds of wall time, seconds of CPU time, megabytes; 0 is no limit."""

    wall: float = 0.0
    cpu: float = 0.0
    memory: float = 0.0

    @property
    def text(self) -> str:
        """Return the limits as the store keeps them."""
        return json.dumps([self.wall, self.cpu, self.memory])


NO_LIMITS = TaskLimits()


@dataclass(frozen=True)
class Task:
    """Describe one task to a worker: all that its result depends on, and its limits.

    `key` names the task by its content. `data_sha256` is the digest of the data when the run began;
    a worker that reads others refuses.
    """

    data: DataSpec
    learner: LearnerSpec
    split: SplitSpec
    repeat: int
    fold: int
    seed: int
    key: str
    limits: TaskLimits = NO_LIMITS
    keep_predictions: bool = True
    preprocessing: Preprocessing = NO_PREPROCESSING
    data_sha256: str = ""
    depends: Fingerprint = ()

    @property
    def label(self) -> str:
        """Return the task's name for a reader."""
        return f"{self.data.name} / {self.learner.name} / repeat {self.repeat} / fold {self.fold}"

    def with_changes(self, **changes: Any) -> Task:
        """Return a copy with other fields, as `dataclasses.replace` in a tenth of its time.

        A study may have a million tasks.
        """
        task = object.__new__(Task)
        task.__dict__.update(self.__dict__, **changes)
        return task


@dataclass(frozen=True)
class DatasetTasks:
    """The tasks of one data set.

    Attributes
    ----------
    first : tuple of Task
        One of each classifier, without its key.
    bases : tuple of bytes
        What the keys of each classifier's folds share (`key_base`).
    repeats, folds : int
    """

    first: tuple[Task, ...]
    bases: tuple[bytes, ...]
    repeats: int
    folds: int

    def __len__(self) -> int:
        return len(self.first) * self.repeats * self.folds

    @cached_property
    def _hashes(self) -> list[hashlib._Hash]:
        """Return the common part of the keys of each classifier, hashed once for all folds."""
        return [hashlib.sha256(base) for base in self.bases]

    def keys(self) -> Iterator[str]:
        """Yield the keys fold by fold, and of each fold classifier by classifier."""
        for repeat in range(self.repeats):
            for fold in range(self.folds):
                for base in self._hashes:
                    yield task_key(base, repeat, fold)

    def find(self, learner: int, repeat: int, fold: int, key: str) -> int | None:
        """Return the position of a classifier's fold, None where it has another key."""
        # a store may hold anything in its columns
        if not isinstance(repeat, int) or not isinstance(fold, int):
            return None
        if not (0 <= repeat < self.repeats and 0 <= fold < self.folds):
            return None
        if task_key(self._hashes[learner], repeat, fold) != key:
            return None
        return (repeat * self.folds + fold) * len(self.first) + learner

    def task(self, position: int, key: str = "") -> Task:
        """Return the task at a position, with its key."""
        # classifiers vary fastest, then folds, then repeats
        fold_of_all, learner = divmod(position, len(self.first))
        repeat, fold = divmod(fold_of_all, self.folds)
        key = key or task_key(self._hashes[learner], repeat, fold)
        return self.first[learner].with_changes(repeat=repeat, fold=fold, key=key)


class TaskList(Sequence[Task]):
    """Every task of a study, data set by data set and fold by fold, each made on access."""

    def __init__(self, blocks: Sequence[DatasetTasks]) -> None:
        self.blocks = tuple(blocks)
        self._ends = list(accumulate(map(len, self.blocks)))

    def __len__(self) -> int:
        if not self._ends:
            return 0
        return self._ends[-1]

    def __iter__(self) -> Iterator[Task]:
        return (
            block.task(position, key)
            for block in self.blocks
            for position, key in enumerate(block.keys())
        )

    @overload
    def __getitem__(self, position: int) -> Task: ...
    @overload
    def __getitem__(self, position: slice) -> list[Task]: ...
    def __getitem__(self, position: int | slice) -> Task | list[Task]:
        if isinstance(position, slice):
            return [self[index] for index in range(len(self))[position]]
        index = range(len(self))[position]
        # the block that holds the position, and the position counted from its end
        number = bisect_right(self._ends, index)
        block = self.blocks[number]
        return block.task(index - self._ends[number] + len(block))

    def keys(self) -> Iterator[str]:
        """Yield the keys, in order, without making the tasks."""
        return chain.from_iterable(block.keys() for block in self.blocks)

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], tuple[int, int, DatasetTasks]]:
        """Return of each data set and classifier the block's start, its number there, the block."""
        starts = [0, *self._ends]
        return {
            (task.data.name, task.learner.name): (start, number, block)
            for start, block in zip(starts, self.blocks, strict=False)
            for number, task in enumerate(block.first)
        }

    def find(self, key: str, dataset: str, classifier: str, repeat: int, fold: int) -> int | None:
        """Return the position of the task with this key and these names; None without one.

        The key is computed again: no keys are held, however many tasks there are.
        """
        if (dataset, classifier) not in self._pairs:
            return None
        start, number, block = self._pairs[dataset, classifier]
        position = block.find(number, repeat, fold, key)
        return None if position is None else start + position

    def without(self, done: bytearray) -> TaskSelection:
        """Return the tasks whose positions are not marked, in order."""
        return TaskSelection(self, array("q", (n for n, mark in enumerate(done) if not mark)))

    def identity(self) -> str:
        """Return the SHA-256 of what the keys are made of: equal for the same tasks in order."""
        digest = hashlib.sha256()
        for block in self.blocks:
            digest.update(b"%d %d %d " % (len(block.bases), block.repeats, block.folds))
            for base in block.bases:
                digest.update(hashlib.sha256(base).digest())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class TaskSelection(Sequence[Task]):
    """Some tasks of a study, each made on access; between accesses it holds their positions alone.

    Attributes
    ----------
    tasks : TaskList
    positions : array of int
        Of the selected tasks in it.
    """

    tasks: TaskList
    positions: array[int]

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, position: int) -> Task: ...
    @overload
    def __getitem__(self, position: slice) -> TaskSelection: ...
    def __getitem__(self, position: int | slice) -> Task | TaskSelection:
        if isinstance(position, slice):
            return TaskSelection(self.tasks, self.positions[position])
        return self.tasks[self.positions[position]]


def key_base(task: Task, data: Dataset) -> bytes:
    """Return what the keys of all folds of one data set and classifier share."""
    split = task.split
    content = [
        VERSION,
        task.data.name,
        task.data_sha256,
        data.head_sha256 if task.preprocessing.by_column else "",
        task.learner.name,
        task.learner.fingerprint,
        task.preprocessing.text,
        # of the split what its kind uses, so that an idle setting changes no key
        [
            split.kind,
            split.folds if split.kind in ("kfold", "groups", "time") else 0,
            split.test_size if split.kind == "holdout" else 0,
            split.text,
            *([split.gap] if split.kind == "time" and split.gap else []),
        ],
        task.seed,
    ]
    if task.depends:
        content.append(task.depends)
    return json.dumps(content, default=list).encode("utf-8", "surrogatepass")


def key_parts(task: Task) -> dict[str, Fingerprint]:
    """Return what a task's key is made of: of its data set, its classifier, and the study."""
    split = task.split
    study = {
        "split": " ".join(
            map(str, (split.kind, split.folds, split.test_size, split.gap, split.text))
        ).strip(),
        "preprocessing": task.preprocessing.text or "none",
        "seed": str(task.seed),
        **dict(task.depends),
    }
    return {
        f"data set {task.data.name}": (("rows", task.data_sha256),),
        f"classifier {task.learner.name}": task.learner.fingerprint,
        "study": tuple(study.items()),
    }


def task_key(base: hashlib._Hash, repeat: int, fold: int) -> str:
    """Return the key of a task.

    Parameters
    ----------
    base : SHA-256 of the `key_base`, which is hashed once for all its folds
    """
    digest = base.copy()
    digest.update(b" %d %d" % (repeat, fold))
    return digest.hexdigest()
