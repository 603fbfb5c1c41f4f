"""The tasks of a study as a sequence that makes each when it is asked for: a study may have a
million.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import overload

from deabench.study.running.tasks import Job, key_from


@dataclass(frozen=True)
class Block:
    """The tasks of one data set.

    Attributes
    ----------
    first : tuple of Job
        One of each classifier, without its key.
    bases : tuple of bytes
        What the keys of each classifier's folds share (`key_base`).
    repeats, folds : int
    """

    first: tuple[Job, ...]
    bases: tuple[bytes, ...]
    repeats: int
    folds: int

    def __len__(self) -> int:
        return len(self.first) * self.repeats * self.folds

    def keys(self) -> Iterator[str]:
        """Fold by fold, and of each fold classifier by classifier."""
        begun = [hashlib.sha256(base) for base in self.bases]
        for repeat in range(self.repeats):
            for fold in range(self.folds):
                for base in begun:
                    yield key_from(base, repeat, fold)

    def job(self, place: int, key: str = "") -> Job:
        """The task at a place, with its key; as `dataclasses.replace`, at a tenth of its time."""
        turn, which = divmod(place, len(self.first))
        repeat, fold = divmod(turn, self.folds)
        new = object.__new__(Job)
        new.__dict__.update(
            self.first[which].__dict__,
            repeat=repeat,
            fold=fold,
            key=key or key_from(hashlib.sha256(self.bases[which]), repeat, fold),
        )
        return new


class Jobs(Sequence[Job]):
    """Every task of a study, data set by data set and fold by fold."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = tuple(blocks)
        self._ends = list(accumulate(map(len, self.blocks)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Job]:
        return (
            block.job(place, key) for block in self.blocks for place, key in enumerate(block.keys())
        )

    @overload
    def __getitem__(self, place: int) -> Job: ...
    @overload
    def __getitem__(self, place: slice) -> list[Job]: ...
    def __getitem__(self, place: int | slice) -> Job | list[Job]:
        if isinstance(place, slice):
            return [self[k] for k in range(len(self))[place]]
        at = range(len(self))[place]
        which = bisect_right(self._ends, at)
        return self.blocks[which].job(at - self._ends[which] + len(self.blocks[which]))

    def keys(self) -> Iterator[str]:
        """Their keys, in order, without making the tasks."""
        return chain.from_iterable(block.keys() for block in self.blocks)

    def of(self, keys: Container[str]) -> list[Job]:
        """Those with one of these keys, in order."""
        return [
            block.job(place, key)
            for block in self.blocks
            for place, key in enumerate(block.keys())
            if key in keys
        ]

    def identity(self) -> str:
        """SHA-256 of what the keys are made of: two studies with the same have the same tasks in
        the same order.
        """
        whole = hashlib.sha256()
        for block in self.blocks:
            whole.update(b"%d %d %d " % (len(block.bases), block.repeats, block.folds))
            for base in block.bases:
                whole.update(hashlib.sha256(base).digest())
        return whole.hexdigest()
