"""The plan of a study, from a file or from code: its data sets, classifiers, split and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset
from deabench.study.data.loaders import load_dataset
from deabench.study.data.splits import (
    GROUP_KINDS,
    SplitSpec,
    check_repeatable,
    count_folds,
    folds_of_repeat,
)
from deabench.study.learners import NO_PREPROCESSING, LearnerSpec, Preprocessing, RecordedCode
from deabench.study.learners.fingerprints import (
    UNRECORDED,
    Fingerprint,
    fingerprint_dependencies,
    fingerprint_object,
)
from deabench.study.learners.registry import fingerprint_learner, infer_family, takes_weights
from deabench.study.results.metrics import StudyMetrics
from deabench.study.spec.tasks import DatasetTasks, Task, TaskLimits, TaskList, key_base, key_parts

MOST_TASKS = 10_000_000
"""Tasks of one study: to count those of its store takes minutes beyond it."""


@dataclass(frozen=True)
class Plan:
    """A checked study.

    Attributes
    ----------
    file : Path
        The study file; for a study from code, the store with the ending .toml, which need not
        exist.
    name : str
    data : tuple of DataSpec
    learners : tuple of LearnerSpec
    split : SplitSpec
    seed : int
    limits : TaskLimits
        Of each task.
    keep_predictions : bool
        Whether the store keeps the test rows with their predictions and scores.
    store : Path
    metrics : tuple of str
    dea, groups, tests : dict
        The tables of those names with their defaults.
    text : str
        The text of the file, for the record of each run.
    preprocessing : Preprocessing
        What is done to the columns inside the folds.
    classes : str
        "two", or "all" where every class is kept.
    own_metrics : mapping of str to metric
        The user's metrics, by name.
    recorded : mapping of str to RecordedCode
        What the last run recorded of the classifiers that may not be imported, by description.
    depends : tuple
        Files, modules and values that results depend on and that no code refers to.
    floors : mapping of metric to number
        Who misses one, on average over the data sets, is not ranked.
    splits : mapping of data set to SplitSpec
        Of those that have their own.
    preparations : mapping of ("sets", data set) or ("classifiers", classifier) to Preprocessing
        Of those that have their own.
    """

    file: Path
    name: str
    data: tuple[DataSpec, ...]
    learners: tuple[LearnerSpec, ...]
    split: SplitSpec
    seed: int
    limits: TaskLimits
    keep_predictions: bool
    store: Path
    metrics: tuple[str, ...]
    dea: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, Any] = field(default_factory=dict)
    tests: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    preprocessing: Preprocessing = NO_PREPROCESSING
    classes: str = "two"
    own_metrics: Mapping[str, Any] = field(default_factory=dict)
    recorded: Mapping[str, RecordedCode] = field(default_factory=dict)
    depends: tuple[Any, ...] = ()
    floors: Mapping[str, float] = field(default_factory=dict)
    splits: Mapping[str, SplitSpec] = field(default_factory=dict)
    preparations: Mapping[tuple[str, str], Preprocessing] = field(default_factory=dict)

    def split_of(self, dataset: str) -> SplitSpec:
        """Return the split of a data set: its own, or the study's."""
        return self.splits.get(dataset, self.split)

    def preprocessing_of(self, dataset: str, classifier: str) -> Preprocessing:
        """Return what precedes a classifier: its own, else the data set's, else the study's."""
        study = self.preparations.get(("sets", dataset), self.preprocessing)
        return self.preparations.get(("classifiers", classifier), study)

    @property
    def study_metrics(self) -> StudyMetrics:
        """Return the metrics that the study can use, with the costs of its rows."""
        costs = {data.name: data.costs for data in self._datasets if data.costs is not None}
        return StudyMetrics(self.classes, self.own_metrics, costs)

    @property
    def unpermitted(self) -> tuple[LearnerSpec, ...]:
        """Return the classifiers that are imported, which the user has not permitted."""
        return tuple(spec for spec in self.learners if not spec.permitted)

    def require_permission(self) -> None:
        """Refuse to run code that the user has not permitted.

        Raises
        ------
        DataError
            With the classifier and its import path.
        """
        for spec in self.unpermitted:
            raise DataError(
                f"'{self.file.name}' runs code for classifier '{spec.name}', imported from "
                f"'{spec.use}'; if you trust the files in its folder, pass --allow-imports (from "
                "Python Study.from_toml(file, allow_imports=True))"
            )

    @cached_property
    def _datasets(self) -> tuple[Dataset, ...]:
        return tuple(load_dataset(spec, fresh=True) for spec in self.data)

    def datasets(self) -> list[Dataset]:
        """Return every data set, read once; a missing file is refused before any task runs."""
        return list(self._datasets)

    def forget_data(self) -> None:
        """Read the data sets again on the next access."""
        self.__dict__.pop("_datasets", None)
        self.__dict__.pop("_tasks", None)

    @property
    def data_notes(self) -> tuple[str, ...]:
        """Return what was left out of the data or looks wrong, and what code goes unseen."""
        notes = [note for data in self._datasets for note in data.notes]
        for spec in self.unpermitted:
            notes.append(
                f"the code of '{spec.name}' ('{spec.use}') was not imported, so an edit since "
                "the last run goes unseen; --allow-imports imports it"
            )
        return (*notes, *self._row_notes(), *self._code_notes())

    def _row_notes(self) -> Iterator[str]:
        """Yield what is assumed of the order of rows, and who learns without their weights."""
        for data in self._datasets:
            by_time = data.partition is None and self.split_of(data.name).kind == "time"
            if by_time and data.times is None:
                yield (
                    f"data set '{data.name}' has no column of times: its rows are split in the "
                    "order in which they stand"
                )
        if any(data.weights is not None for data in self._datasets):
            for spec in self.learners:
                if spec.permitted and not takes_weights(spec):
                    yield f"classifier '{spec.name}' takes no weights of rows and learns without"

    def _code_notes(self) -> Iterator[str]:
        """Yield what of the code cannot be recorded, so that its results are not used again."""
        for block in self.tasks().blocks[:1]:
            for task in block.first:
                for name, _ in task.learner.fingerprint:
                    if name.startswith(UNRECORDED):
                        yield (
                            f"classifier '{task.learner.name}' depends on a "
                            f"{name.removeprefix(UNRECORDED)}, whose content cannot be recorded: "
                            "its tasks run again in every session"
                        )

    def tasks(self) -> TaskList:
        """Return every task of the study, fold by fold, each with its key."""
        return self._tasks

    @cached_property
    def _tasks(self) -> TaskList:
        learners = [replace(spec, fingerprint=self._fingerprint(spec)) for spec in self.learners]
        study = replace(
            self,
            split=_keyed_split(self.split),
            splits={name: _keyed_split(split) for name, split in self.splits.items()},
            preprocessing=_keyed_steps(self.preprocessing),
            preparations={name: _keyed_steps(steps) for name, steps in self.preparations.items()},
        )
        pairs = zip(self.data, self._datasets, strict=True)
        tasks = TaskList([study._tasks_of_dataset(spec, data, learners) for spec, data in pairs])
        if len(tasks) > MOST_TASKS:
            raise DataError(
                f"study '{self.name}' has {len(tasks):,} tasks, at most {MOST_TASKS:,} are "
                "possible; give fewer folds, repeats, data sets or classifiers"
            )
        return tasks

    def _fingerprint(self, spec: LearnerSpec) -> Fingerprint:
        if spec.permitted:
            return fingerprint_learner(spec)
        if spec.description in self.recorded:
            return self.recorded[spec.description].fingerprint
        # what never ran has no results: its keys are in no store
        return (("not imported", spec.description),)

    def family(self, spec: LearnerSpec) -> str:
        """Return the family of a classifier; of one not imported, as the last run recorded it."""
        if spec.permitted:
            return infer_family(spec)
        if spec.description in self.recorded:
            return self.recorded[spec.description].family
        return "not imported"

    def code(self) -> dict[str, RecordedCode]:
        """Return what a run records: imported classifiers by description, and all key parts."""
        recorded = {
            spec.description: RecordedCode(self._fingerprint(spec), self.family(spec))
            for spec in self.learners
            if spec.imported
        }
        for block in self.tasks().blocks:
            for task in block.first:
                for name, parts in key_parts(task).items():
                    recorded[name] = RecordedCode(parts, "")
        return recorded

    def _tasks_of_dataset(
        self, spec: DataSpec, data: Dataset, learners: Iterable[LearnerSpec]
    ) -> DatasetTasks:
        split = self.split_of(data.name)
        check_split(data, split, self.seed)
        depends = fingerprint_dependencies(self.depends)
        # The first task of each learner serves as the pattern for the other folds.
        first = tuple(
            Task(
                data=spec,
                learner=learner,
                split=split,
                repeat=0,
                fold=0,
                seed=self.seed,
                key="",
                limits=self.limits,
                keep_predictions=self.keep_predictions,
                preprocessing=self.preprocessing_of(data.name, learner.name),
                data_sha256=data.sha256,
                depends=depends,
            )
            for learner in learners
        )
        repeats, folds = count_folds(data, split, self.seed)
        return DatasetTasks(first, tuple(key_base(task, data) for task in first), repeats, folds)


def _keyed_split(split: SplitSpec) -> SplitSpec:
    """Return the split with its splitter's parameters and code as text, for the keys."""
    if split.splitter is None:
        return split
    return replace(split, text=repr(fingerprint_object(split.splitter)))


def _keyed_steps(preprocessing: Preprocessing) -> Preprocessing:
    """Return the preprocessing with the text that stands for it in the keys of the tasks."""
    if not preprocessing.by_column:
        return preprocessing
    parts: list[Any] = [
        preprocessing.columns,
        preprocessing.numeric,
        preprocessing.nominal,
        preprocessing.missing,
    ]
    if preprocessing.transformer is not None:
        parts.append(fingerprint_object(preprocessing.transformer))
    return replace(preprocessing, text=repr(parts))


def check_split(data: Dataset, split: SplitSpec, seed: int) -> None:
    """Refuse a split that cannot be made of a data set.

    Raises
    ------
    DataError
        For too few rows or groups, groups that the split ignores, or none that it needs.
    """
    # folds of the data's own need no check
    if data.partition is not None:
        return
    # a stratified split needs a row of some class for each fold
    largest_class = max((data.y == code).sum() for code in range(len(data.classes)))
    too_few = split.kind in ("kfold", "groups") and largest_class < split.folds
    if too_few:
        raise DataError(
            f"data set '{data.name}' has {len(data.y)} rows, too few for {split.folds} folds"
        )
    if split.kind in GROUP_KINDS and data.groups is None:
        raise DataError(
            f"data set '{data.name}' has no groups; name the column that holds them as groups"
        )
    if data.groups is not None:
        if split.kind not in (*GROUP_KINDS, "splitter"):
            raise DataError(
                f"data set '{data.name}' has groups, which a split of kind '{split.kind}' would "
                "tear apart; take 'groups' or 'leave-one-group-out', or leave the groups out"
            )
        count = int(data.groups.max()) + 1
        if count < 2:
            raise DataError(
                f"data set '{data.name}' has one group; a split by groups needs at least two"
            )
        if split.kind == "groups" and count < split.folds:
            raise DataError(
                f"data set '{data.name}' has {count} groups, too few for {split.folds} folds"
            )
    if split.kind == "time":
        folds_of_repeat(data, split, 0, seed)
    check_repeatable(data, split, seed)
