"""A key names all that a result depends on: each field, changed alone, asks for another key."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from deabench.errors import DataError
from deabench.study import Study
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset
from deabench.study.data.splits import SPLIT_KINDS, UNREPEATED_KINDS, SplitSpec, split_rows
from deabench.study.running.tasks import run_task

ROWS = 40
FRAME = pd.DataFrame(
    {
        "x": np.arange(ROWS) % 7 / 2.0,
        "z": np.arange(ROWS) % 5 * 1.0,
        "town": ["a", "b"] * (ROWS // 2),
        "site": np.arange(ROWS) // 4,
        "late": np.arange(ROWS) // 2,
        "fold": np.arange(ROWS) % 2,
        "c": np.where(np.arange(ROWS) % 3, "no", "yes"),
    }
)
ARGUMENTS = {"positive": "yes", "split": {"folds": 2}, "seed": 1}


def keys(frame=FRAME, name="d", classifier=None, **arguments):
    """The keys of a study's tasks."""
    arguments = {**ARGUMENTS, **arguments}
    learner = LogisticRegression() if classifier is None else classifier
    return list(Study({name: frame}, {"m": learner}, **arguments).plan.tasks().keys())


def changed(**columns):
    return FRAME.assign(**columns)


def make_factory(c):
    return lambda: LogisticRegression(C=c)


CHANGES = {
    "a value": {"frame": changed(x=FRAME["x"].replace(3.0, 3.0000001))},
    "a class": {"frame": changed(c=["yes", "yes", *FRAME["c"][2:]])},
    "the order of the rows": {"frame": FRAME.iloc[::-1]},
    "a row less": {"frame": FRAME.iloc[1:]},
    "a column less": {"frame": FRAME.drop(columns="z")},
    "the name of the data": {"name": "e"},
    "the positive class": {"positive": "no"},
    "every class": {"classes": "all", "positive": None},
    "the seed": {"seed": 2},
    "a parameter": {"classifier": LogisticRegression(C=2)},
    "folds": {"split": {"folds": 3}},
    "kind: bootstrap": {"split": {"kind": "bootstrap", "folds": 2}},
    "kind: time": {"split": {"kind": "time", "folds": 2}},
    "kind: leave-one-out": {"split": {"kind": "leave-one-out"}},
    "kind: holdout": {"split": {"kind": "holdout", "folds": 2}},
    "a splitter": {"split": KFold(2)},
    "columns": {"preprocess": "columns"},
    "numbers": {"preprocess": {"numeric": "standardise"}},
    "a transformer": {"preprocess": StandardScaler()},
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_asks_for_other_keys(change):
    assert not set(keys()) & set(keys(**CHANGES[change]))


PAIRS = {
    "test size": [
        {"split": {"kind": "holdout", "folds": 2, "test_size": size}} for size in (0.3, 0.4)
    ],
    "parameter of a splitter": [{"split": ShuffleSplit(2, test_size=size)} for size in (0.3, 0.4)],
    "random state of a splitter": [
        {"split": ShuffleSplit(2, random_state=state)} for state in (None, 1)
    ],
    "the column of groups": [
        {"groups": column, "split": {"kind": "groups", "folds": 2}} for column in ("site", "late")
    ],
    "groups": [
        {"groups": groups, "split": {"kind": "groups", "folds": 2}}
        for groups in (np.arange(ROWS) // 4, np.arange(ROWS) // 5)
    ],
    "group by group": [
        {"groups": groups, "split": {"kind": "leave-one-group-out"}}
        for groups in (np.arange(ROWS) // 4, np.arange(ROWS) // 5)
    ],
    "numeric": [{"preprocess": {"numeric": way}} for way in ("standardise", "minmax")],
    "nominal": [{"preprocess": {"nominal": way}} for way in ("codes", "target")],
    "missing": [{"preprocess": {"missing": way}} for way in ("impute", "as is")],
    "transformer": [{"preprocess": way} for way in (StandardScaler(), MinMaxScaler())],
    "parameter of a transformer": [
        {"preprocess": StandardScaler(with_mean=mean)} for mean in (True, False)
    ],
    "names of columns": [
        {"preprocess": "columns", "frame": frame}
        for frame in (FRAME, FRAME.rename(columns={"x": "w"}))
    ],
    "what a function closes over": [{"classifier": make_factory(c)} for c in (1, 2)],
}


@pytest.mark.parametrize("pair", PAIRS)
def test_the_options_of_a_part_ask_for_other_keys(pair):
    first, second = PAIRS[pair]
    assert keys(**first) == keys(**first)
    assert not set(keys(**first)) & set(keys(**second))


def test_an_idle_setting_changes_no_key():
    """A study's other results stay: more repeats add keys, a holdout's size is no other's."""
    assert set(keys()) < set(keys(split={"folds": 2, "repeats": 2}))
    assert keys() == keys(split={"folds": 2, "test_size": 0.4})
    assert keys() == keys(metrics=["TPR", "FPR"], keep_predictions=False, time_limit=9)


@pytest.mark.parametrize(
    ("options", "other"),
    [
        ({"positive": "yes"}, {"positive": "no"}),
        ({"groups": "site"}, {"groups": "late"}),
        ({"fold_column": "fold"}, {"fold_column": "site"}),
        ({"nominal": ("site",)}, {"nominal": ("late",)}),
        ({"target": "c"}, {"target": "town"}),
    ],
)
def test_each_option_of_a_data_set_is_in_its_digest(options, other, tmp_path):
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    digests = {
        load_dataset(
            DataSpec(
                "d",
                "file",
                tuple({"file": str(tmp_path / "rows.csv"), "positive": positive, **given}.items()),
            )
        ).sha256
        for given, positive in ((options, "yes"), (other, "yes" if "target" not in other else "a"))
    }
    assert len(digests) == 2


@pytest.mark.parametrize("kind", [kind for kind in SPLIT_KINDS if kind not in UNREPEATED_KINDS])
def test_repeats_of_every_kind_of_split_differ(kind):
    options = {"groups": FRAME["site"]} if kind == "groups" else {}
    study = Study(
        {"d": FRAME},
        {"m": LogisticRegression()},
        split={"kind": kind, "folds": 2, "repeats": 3},
        positive="yes",
        **options,
    )
    tests = [
        tuple(split_rows(study.plan.datasets()[0], study.plan.split, repeat, fold, 1)[1])
        for repeat in range(3)
        for fold in range(2)
    ]
    assert len(set(tests)) == 6


def test_a_worker_with_older_data_reads_them_again(tmp_path):
    """Even where size and time of the file are those of the older one."""
    path = tmp_path / "rows.csv"

    def write(content: pd.DataFrame) -> None:
        path.write_text(content.to_csv(index=False))
        os.utime(path, (1e9, 1e9))

    later = changed(x=FRAME["x"].replace(3.0, 2.5))
    write(later)
    study = Study({"d": path}, {"m": LogisticRegression()}, **ARGUMENTS)
    job = study.plan.tasks()[0]
    write(FRAME)
    assert load_dataset(job.data, fresh=True).sha256 != job.data_sha256
    write(later)
    assert run_task(job).status == "done"
    write(FRAME)
    load_dataset(job.data, fresh=True)
    assert run_task(job).error[0] == "OtherDataError"


class Overlaps:
    """Tests on a row that it trains on."""

    def split(self, X, y=None, groups=None):
        yield np.arange(1, len(X)), np.arange(2)


class Beyond(Overlaps):
    def split(self, X, y=None, groups=None):
        yield np.arange(1, len(X) + 1), np.arange(1)


@pytest.mark.parametrize("splitter", [Overlaps(), Beyond()])
def test_a_splitter_that_leaks_is_refused(splitter):
    with pytest.raises(DataError, match="rows that the data do not have, or tests on rows"):
        keys(split=splitter)


def test_a_splitter_counts_with_its_code():
    source = "class Sp:\n    def split(self, X, y=None, groups=None):\n        yield {}\n"
    found = []
    for rows in ("range(9), range(9, 40)", "range(19), range(19, 40)"):
        namespace = {"__name__": "__main__"}
        exec(source.format(rows), namespace)
        found.append(keys(split=namespace["Sp"]()))
    assert not set(found[0]) & set(found[1])


def test_an_estimator_changed_later_is_another_study():
    model = LogisticRegression()
    study = Study({"d": FRAME}, {"m": model}, **ARGUMENTS)
    before = list(study.plan.tasks().keys())
    model.set_params(C=5)
    study.plan.forget_data()
    assert list(study.plan.tasks().keys()) == before
    assert study.plan.tasks()[0].learner.template.C == 1


def test_split_specs_compare_all_that_differs():
    """The folds of a repeat are cached under their split."""
    spec = SplitSpec()
    for change in (
        {"kind": "time"},
        {"folds": 9},
        {"repeats": 2},
        {"test_size": 0.5},
        {"text": "x"},
    ):
        assert replace(spec, **change) != spec


@pytest.mark.parametrize("kind", ["holdout", "bootstrap"])
def test_a_single_holdout_can_be_asked_for(kind):
    assert len(keys(split={"kind": kind, "folds": 1})) == 1


@pytest.mark.parametrize("split", [1, {"kind": "time", "folds": 1}, {"kind": "groups", "folds": 1}])
def test_a_single_fold_of_a_cross_validation_is_refused(split):
    with pytest.raises(DataError) as e:
        keys(split=split)
    assert str(e.value) == "split: folds is 1; give a whole number >= 2"
