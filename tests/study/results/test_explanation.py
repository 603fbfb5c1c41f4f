"""A key can be asked what it is made of, and what has changed since the last run."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from study_runs import run_here

from deabench.cli import main
from deabench.errors import DataError
from deabench.study import Study
from deabench.study.results.store import Store

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.arange(40) % 4 // 3


def make_study(folder, C=1.0, **arguments):
    arguments = {"split": 2, "seed": 1, **arguments}
    return Study(
        {"d": (X, Y)},
        {"m": LogisticRegression(C=C), "tree": "C4.5"},
        store=folder / "study.sqlite",
        **arguments,
    )


def record_run(study):
    with Store(study.plan.store) as store:
        store.begin_run("joblib", {}, "", study.plan.code())
    run_here(study)


def changed(study, key):
    frame = study.explain(key)
    return list(frame.index[frame["changed"]])


def test_what_has_changed_is_named(tmp_path):
    study = make_study(tmp_path)
    assert not study.explain("m")["changed"].any()  # no run has recorded anything
    record_run(study)
    assert changed(study, "m") == []
    assert changed(make_study(tmp_path, C=2), "m") == [("classifier m", "parameters")]
    assert changed(make_study(tmp_path, C=2), "tree") == []
    assert changed(make_study(tmp_path, seed=2), "tree") == [("study", "seed")]
    assert changed(make_study(tmp_path, depends=[5]), "m") == [("study", "depends 1")]
    other = Study({"d": (X + 1, Y)}, {"m": LogisticRegression()}, split=2, seed=1)
    other = Study.from_plan(other.plan.__class__(**{**vars_of(other), "store": study.plan.store}))
    assert changed(other, "m") == [("data set d", "rows")]
    key = study.plan.tasks()[1].key
    assert study.explain(key[:9]).equals(study.explain("tree"))


def vars_of(study):
    return {name: getattr(study.plan, name) for name in study.plan.__dataclass_fields__}


def test_a_key_of_no_task_is_refused(tmp_path):
    with pytest.raises(DataError) as e:
        make_study(tmp_path).explain("tre")
    assert str(e.value) == (
        "no task of the study has a key that begins with 'tre', and no classifier that name; did "
        "you mean 'tree'?"
    )


def test_files_modules_and_values_can_be_declared(tmp_path):
    file = tmp_path / "weights.json"
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "a.bin").write_text("1")
    keys = []
    file.write_text("1")
    for change in (None, lambda: file.write_text("2"), lambda: (folder / "a.bin").write_text("2")):
        if change:
            change()
        study = make_study(tmp_path, depends=[file, str(folder), "narwhals", np, {"a": 1}])
        keys.append(set(study.plan.tasks().keys()))
    assert not keys[0] & keys[1]
    assert not keys[1] & keys[2]
    assert set(make_study(tmp_path).plan.tasks().keys()) == set(
        make_study(tmp_path, depends=[]).plan.tasks().keys()
    )
    parts = dict(study.plan.tasks()[0].depends)
    assert {"depends 1: weights.json", "depends 2: models", "narwhals", "numpy"} <= parts.keys()
    with pytest.raises(DataError) as e:
        make_study(tmp_path, depends=["nothing.json"])
    assert str(e.value) == (
        "depends names 'nothing.json', which is no file, folder or module; give one of them, or "
        "a value"
    )


def test_a_study_file_declares_and_the_command_tells(study_file, capsys):
    path = study_file(
        'depends = ["weights.json"]\n[data]\nnames = ["glass-0-4_vs_5"]\n[classifiers]\n'
        '"C4.5" = {}\n'
    )
    (path.parent / "weights.json").write_text("1")
    study = Study.from_toml(path)
    record_run(study)
    (path.parent / "weights.json").write_text("2")
    assert main(["study", "status", str(path), "--why", "C4.5", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["part"] for row in rows if row["changed"]] == ["depends 1: weights.json"]
    assert {"rows", "parameters", "c50py", "numpy", "split", "seed"} <= {
        row["part"] for row in rows
    }
