"""Weka's classifiers, where Java and the wrapper are there; what is said where they are not."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset
from deabench.study.data.splits import SplitSpec
from deabench.study.learners import BuildContext, LearnerSpec, weka
from deabench.study.learners.registry import build_learner
from deabench.study.running.tasks import run_task
from deabench.study.spec.tasks import Task


def test_without_the_wrapper_the_text_says_what_to_install(monkeypatch):
    monkeypatch.setattr(weka, "find_spec", lambda name: None)
    with pytest.raises(DataError) as e:
        weka.WekaClassifier().fit(np.eye(4), np.array([0, 0, 1, 1]))
    assert str(e.value) == (
        "Weka's classifiers need the package python-weka-wrapper3: pip install 'deabench[weka]'"
    )


def test_without_java_the_text_says_so(monkeypatch):
    monkeypatch.setattr(weka, "find_spec", lambda name: importlib.util.find_spec("json"))
    monkeypatch.setattr(weka.shutil, "which", lambda name: None)
    assert weka.missing_software() == "Java (a JRE of version 11 or later)"
    monkeypatch.setattr(weka.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert weka.missing_software() == ""


@pytest.mark.parametrize(
    ("use", "classname"), [("J48", weka.J48), ("SMO", weka.SMO), ("RBFNetwork", weka.RBF_NETWORK)]
)
def test_registered_names(use, classname):
    learner = build_learner(LearnerSpec(use, use), BuildContext(3, True, 0))
    assert learner.named_steps["learn"].classname == classname
    assert "impute" not in learner.named_steps


def test_weka_needs_no_import_permission_but_takes_options():
    learner = build_learner(
        LearnerSpec("w", "J48", (("options", ("-U",)),)), BuildContext(3, False, 0)
    )
    assert learner.named_steps["learn"].options == ("-U",)


needs_weka = pytest.mark.skipif(
    bool(weka.missing_software()), reason=f"Weka needs {weka.missing_software()}"
)


@needs_weka
def test_j48_is_wekas_own_answer():
    """What `java -cp weka.jar weka.classifiers.trees.J48 -t ecoli4.arff -T ecoli4.arff` (Weka
    3.9.7) prints.
    """
    data = load_dataset(DataSpec("ecoli4", "table2"))
    answer = (
        weka.WekaClassifier(weka.J48, ("-C", "0.25", "-M", "2")).fit(data.X, data.y).predict(data.X)
    )
    tp, fp = int((answer & data.y).sum()), int((answer & (1 - data.y)).sum())
    assert (tp, 20 - tp, fp, 316 - fp) == (18, 2, 2, 314)


@needs_weka
def test_missing_cells_and_weights_reach_weka():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    X[::7, 0] = np.nan
    tree = weka.WekaClassifier().fit(X, y)
    assert tree.predict_proba(X).sum(axis=1) == pytest.approx(1)
    heavy = weka.WekaClassifier().fit(X, y, sample_weight=np.where(y == 1, 50.0, 1.0))
    assert heavy.predict(X).sum() > tree.predict(X).sum()


@needs_weka
@pytest.mark.parametrize("use", ["J48", "SMO"])
def test_a_task_of_a_study(use):
    outcome = run_task(
        Task(DataSpec("ecoli4", "table2"), LearnerSpec(use, use), SplitSpec(), 0, 0, 1, "key")
    )
    assert outcome.status == "done", outcome.error
    assert sum(outcome.counts) == 34
