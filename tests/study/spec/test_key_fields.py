"""Every field of what a task is made of is in its key, or stands here with a reason.

A field that is new must be put into one of the two tables: the first test fails without.
"""

from __future__ import annotations

from dataclasses import fields, replace
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from deabench.study.data.columns import DataSpec, Feature
from deabench.study.data.dataset import Dataset
from deabench.study.data.splits import SplitSpec
from deabench.study.learners import LearnerSpec, Preprocessing
from deabench.study.learners.registry import REGISTRY, builder_parameters, fingerprint_learner
from deabench.study.results.status import DIGESTED, ROWS_SHA256, sorted_lines
from deabench.study.results.store import COLUMNS, IMPORTED_COLUMNS, checksum
from deabench.study.spec.plan import _keyed_split, _keyed_steps
from deabench.study.spec.tasks import DatasetTasks, Task, TaskLimits, TaskList, key_base, task_key

X = np.arange(12.0).reshape(6, 2)
DATA = Dataset(
    "d",
    X,
    np.array([0, 1, 0, 1, 0, 1]),
    2,
    partition=np.array([0, 1, 0, 1, 0, 1]),
    classes=("a", "b"),
    columns=(Feature("x1", "numeric", 0, 1),),
    frame=pd.DataFrame(X, columns=["x1", "x2"]),
    groups=np.array([0, 0, 1, 1, 2, 2]),
    times=np.arange(6.0),
    weights=np.ones(6),
    costs=np.ones(6),
)
TASK = Task(
    DataSpec("d", "file"),
    LearnerSpec("m", "C4.5", fingerprint=(("c50py", "1"),)),
    SplitSpec("holdout"),
    0,
    0,
    1,
    "",
    preprocessing=Preprocessing(columns=True),
    depends=(("depends 1", "x"),),
)


def key(task: Task = TASK, data: Dataset = DATA) -> str:
    task = task.with_changes(
        data_sha256=data.sha256,
        split=_keyed_split(task.split),
        preprocessing=_keyed_steps(task.preprocessing),
    )
    return task_key(sha256(key_base(task, data)), task.repeat, task.fold)


def moved(values: np.ndarray) -> np.ndarray:
    """The values with another last one."""
    values = values.copy()
    values[-1] += 1
    return values


DATASET_CHANGES = {
    "X": moved(X),
    "y": np.array([0, 1, 0, 1, 1, 0]),
    "partition": np.array([0, 1, 0, 1, 1, 0]),
    "classes": ("a", "c"),
    "frame": DATA.frame.rename(columns={"x2": "z"}),
    "groups": np.array([0, 0, 1, 1, 2, 1]),
    "times": moved(DATA.times),
    "weights": moved(DATA.weights),
}
DATASET_REASONS = {
    "name": "it is the name of the task's DataSpec",
    "features": "a count for the reader",
    "type": "a label that groups results",
    "paper_ir": "a number that groups results",
    "source": "a text for the reader",
    "columns": "they follow from the frame",
    "costs": "they are counted after the results",
    "notes": "texts for the reader",
}
TASK_CHANGES = {
    "data": [DataSpec("e", "file")],
    "learner": [
        LearnerSpec("n", "C4.5", fingerprint=(("c50py", "1"),)),
        LearnerSpec("m", "C4.5", fingerprint=(("c50py", "2"),)),
        LearnerSpec("m", "C4.5", fingerprint=(("c51py", "1"),)),
    ],
    "split": [SplitSpec("bootstrap")],
    "repeat": [1],
    "fold": [1],
    "seed": [2],
    "preprocessing": [Preprocessing()],
    "depends": [(("depends 1", "y"),), (("depends 2", "x"),), ()],
}
TASK_REASONS = {
    "key": "it is the key",
    "limits": "a task that ends within other limits has the same result",
    "keep_predictions": "what is kept is no result",
    "data_sha256": "it is the digest of the data, see above",
}
SPLIT_CHANGES = {
    "kind": ("holdout", "kfold"),
    "folds": ("kfold", 9),
    "test_size": ("holdout", 0.4),
    "gap": ("time", 2.0),
    "splitter": ("splitter", StandardScaler(with_mean=False)),
}
SPLIT_REASONS = {
    "repeats": "more of them leave the others as they are",
    "text": "it describes the splitter",
}
PREPROCESSING_CHANGES = {
    "columns": False,
    "numeric": "minmax",
    "nominal": "codes",
    "missing": "impute",
    "transformer": StandardScaler(with_std=False),
}
PREPROCESSING_REASONS = {"text": "it describes all of it"}


@pytest.mark.parametrize(
    ("kind", "changes", "reasons"),
    [
        (Dataset, DATASET_CHANGES, DATASET_REASONS),
        (Task, TASK_CHANGES, TASK_REASONS),
        (SplitSpec, SPLIT_CHANGES, SPLIT_REASONS),
        (Preprocessing, PREPROCESSING_CHANGES, PREPROCESSING_REASONS),
    ],
)
def test_every_field_is_in_the_key_or_has_a_reason(kind, changes, reasons):
    names = [field.name for field in fields(kind)]
    assert sorted(names) == sorted([*changes, *reasons])


@pytest.mark.parametrize("name", DATASET_CHANGES)
def test_each_field_of_a_data_set_asks_for_another_key(name):
    assert key(data=replace(DATA, **{name: DATASET_CHANGES[name]})) != key()
    if name not in ("X", "y", "frame", "classes"):
        assert key(data=replace(DATA, **{name: None})) != key()


def test_what_only_groups_or_describes_results_is_in_no_key():
    other = replace(
        DATA, features=9, type="SD", paper_ir=3.0, source="z", notes=("n",), costs=2 * DATA.costs
    )
    assert key(data=other) == key()
    # but data sets of other costs are two, in the memory that a run shares
    assert other.identity != DATA.identity
    assert replace(DATA, costs=None).identity != DATA.identity


@pytest.mark.parametrize("name", TASK_CHANGES)
def test_each_field_of_a_task_asks_for_another_key(name):
    keys = {key(TASK.with_changes(**{name: value})) for value in TASK_CHANGES[name]}
    assert len(keys | {key()}) == len(TASK_CHANGES[name]) + 1


def test_limits_and_what_is_kept_change_no_key():
    assert key(TASK.with_changes(limits=TaskLimits(1, 2, 3), keep_predictions=False)) == key()


@pytest.mark.parametrize("name", SPLIT_CHANGES)
def test_each_field_of_a_split_asks_for_another_key(name):
    kind, value = SPLIT_CHANGES[name]
    spec = SplitSpec(kind, splitter=StandardScaler())
    assert key(TASK.with_changes(split=replace(spec, **{name: value}))) != key(
        TASK.with_changes(split=spec)
    )


@pytest.mark.parametrize("name", PREPROCESSING_CHANGES)
def test_each_field_of_a_preprocessing_asks_for_another_key(name):
    before = Preprocessing(True, "standardise", "indicators", "as is", StandardScaler())
    after = replace(before, **{name: PREPROCESSING_CHANGES[name]})
    assert key(TASK.with_changes(preprocessing=after)) != key(
        TASK.with_changes(preprocessing=before)
    )


@pytest.mark.parametrize("use", [name for name in REGISTRY if name not in ("J48", "SMO")])
def test_each_parameter_of_each_classifier_is_in_its_fingerprint(use):
    values = {
        "costs": (1.0, 3.0),
        "kernels": ("poly",),
        "kernel": "poly",
        "select": "chi2",
        "options": ("-C", "0.3"),
    }
    seen = {fingerprint_learner(LearnerSpec("m", use))}
    parameters = builder_parameters(use)
    for parameter in parameters:
        params = ((parameter, values.get(parameter, 3)),)
        # words are selected by a score, or not at all
        if use == "kNN" and parameter == "features":
            params = (*params, ("select", "ig"))
        seen.add(fingerprint_learner(LearnerSpec("m", use, params)))
    assert len(seen) == len(parameters) + 1


ROW = tuple(range(len(COLUMNS)))


@pytest.mark.parametrize("position", range(len(COLUMNS)), ids=COLUMNS)
def test_each_column_of_a_row_is_in_its_checksum(position):
    assert checksum((*ROW[:position], -1, *ROW[position + 1 :])) != checksum(ROW)


def test_each_column_of_an_imported_row_is_in_its_checksum():
    row = tuple(range(len(IMPORTED_COLUMNS)))
    changed = {checksum((*row[:k], -1, *row[k + 1 :])) for k in range(len(row))}
    assert len(changed | {checksum(row)}) == len(row) + 1


def test_the_digest_of_results_follows_results_and_nothing_else():
    digested = (*COLUMNS[DIGESTED], COLUMNS[ROWS_SHA256])
    assert digested == (
        *("dataset", "classifier", "repeat", "fold", "status", "tp", "fn", "fp", "tn"),
        "rows_sha256",
    )
    lines = ["a\t1", "b\t2"]
    assert digest_lines(lines[::-1]) == digest_lines(lines)
    for other in (["a\t1"], ["a\t1", "b\t3"], ["a\t1", "b\t2", "b\t2"]):
        assert digest_lines(other) != digest_lines(lines)


def digest_lines(lines: list[str]) -> str:
    with sorted_lines() as sorted_on_disk:
        sorted_on_disk.add(lines)
        return sorted_on_disk.digest()


def test_lines_are_sorted_by_code_points_as_texts_are():
    lines = [
        "\U0001f600\t1",
        "\uffff\t2",
        "é\t3",
        "a\x01\t4",
        "a\t5",
        "\udc80\t6",
        "",
        "a\nb",
        "a\t5",
    ]
    content = "\n".join(sorted(lines)).encode("utf-8", "surrogatepass")
    assert digest_lines(lines) == sha256(content).hexdigest()


def test_the_identity_of_tasks_follows_all_that_makes_them():
    block = DatasetTasks((TASK,), (b"base",), 2, 3)
    identities = {
        TaskList([other]).identity()
        for other in (
            block,
            replace(block, bases=(b"case",)),
            replace(block, repeats=3, folds=2),
            replace(block, folds=4),
            replace(block, first=(TASK, TASK), bases=(b"base", b"base")),
        )
    }
    identities.add(TaskList([block, block]).identity())
    assert len(identities) == 6
