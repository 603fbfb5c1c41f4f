"""A study that was found good, from a file or from code, and its tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from deabench.errors import DataError
from deabench.study.data.dataset import Dataset, DataSpec
from deabench.study.data.loaders import load
from deabench.study.data.splits import GROUPED, SplitSpec, fold_count, same_each_time
from deabench.study.learners.prepare import NOTHING, Prepare
from deabench.study.learners.registry import LearnerSpec, fingerprint
from deabench.study.plans.jobs import Block, Jobs
from deabench.study.running.tasks import Bounds, Job, key_base


@dataclass(frozen=True)
class Plan:
    """A study that was found good.

    Attributes
    ----------
    file : Path
        The study file; for a study from code, the store with the ending .toml, which need not be
        there.
    data : tuple of DataSpec
    learners : tuple of LearnerSpec
    split : SplitSpec
    seed, keep : the study's settings
    bounds : Bounds
        Of each task.
    store : Path
    metrics : tuple of str
    dea, groups, tests : dict
        The tables of those names with their defaults filled in.
    text : str
        The file as it stands, for the record of each run.
    prepare : Prepare
        What is done to the columns inside the folds.
    classes : str
        "two", or "all" where every class is kept.
    declared : mapping of str to metric
        Metrics of the user's own, by name.
    """

    file: Path
    name: str
    data: tuple[DataSpec, ...]
    learners: tuple[LearnerSpec, ...]
    split: SplitSpec
    seed: int
    bounds: Bounds
    keep: bool
    store: Path
    metrics: tuple[str, ...]
    dea: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, Any] = field(default_factory=dict)
    tests: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    prepare: Prepare = NOTHING
    classes: str = "two"
    declared: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _loaded(self) -> tuple[Dataset, ...]:
        return tuple(load(spec, fresh=True) for spec in self.data)

    def datasets(self) -> list[Dataset]:
        """Every data set, read once (files that lack are refused here, before any task runs)."""
        return list(self._loaded)

    def forget(self) -> None:
        """Read the data sets again when they are asked for next."""
        self.__dict__.pop("_loaded", None)
        self.__dict__.pop("_jobs", None)

    @property
    def data_notes(self) -> tuple[str, ...]:
        """What was left out of the data or looks wrong in them."""
        return tuple(note for data in self._loaded for note in data.notes)

    def jobs(self) -> Jobs:
        """Every task of the study, fold by fold, each with its key."""
        return self._jobs

    @cached_property
    def _jobs(self) -> Jobs:
        made = {spec.name: replace(spec, made=fingerprint(spec)) for spec in self.learners}
        return Jobs(
            [
                self._block(spec, data, made.values())
                for spec, data in zip(self.data, self._loaded, strict=True)
            ]
        )

    def _block(self, spec: DataSpec, data: Dataset, learners: Iterable[LearnerSpec]) -> Block:
        _splittable(data, self.split, self.seed)
        first = tuple(
            Job(
                spec,
                learner,
                self.split,
                0,
                0,
                self.seed,
                "",
                self.bounds,
                self.keep,
                self.prepare,
                data.sha256,
            )
            for learner in learners
        )
        return Block(
            first,
            tuple(key_base(job, data) for job in first),
            *fold_count(data, self.split, self.seed),
        )


def _splittable(data: Dataset, split: SplitSpec, seed: int) -> None:
    if data.partition is not None:
        return
    most = max((data.y == k).sum() for k in range(len(data.classes)))
    if split.kind in ("kfold", "groups") and most < split.folds:
        raise DataError(
            f"data set '{data.name}' has {len(data.y)} rows, too few for {split.folds} folds"
        )
    if split.kind == "time" and len(data.y) <= split.folds:
        raise DataError(
            f"data set '{data.name}' has {len(data.y)} rows, too few for {split.folds} folds"
        )
    if split.kind in GROUPED and data.groups is None:
        raise DataError(
            f"data set '{data.name}' has no groups; name the column that holds them as groups"
        )
    if data.groups is not None:
        _groups(data, split)
    same_each_time(data, split, seed)


def _groups(data: Dataset, split: SplitSpec) -> None:
    count = int(data.groups.max()) + 1 if data.groups is not None else 0
    if split.kind not in (*GROUPED, "splitter"):
        raise DataError(
            f"data set '{data.name}' has groups, which a split of kind '{split.kind}' would tear apart; take "
            "'groups' or 'leave-one-group-out', or leave the groups out"
        )
    if count < 2 or (split.kind == "groups" and count < split.folds):
        raise DataError(
            f"data set '{data.name}' has {count} groups, too few for {split.folds} folds"
        )
