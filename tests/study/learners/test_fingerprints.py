"""A result belongs to the code that made it: what is edited is run again, what a worker has
otherwise is refused.
"""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass, replace
from hashlib import sha256

import pytest
from sklearn.linear_model import LogisticRegression

from deabench.study import Study, own_modules
from deabench.study.learners import LearnerSpec, fingerprints
from deabench.study.learners.fingerprints import describe_differences, fingerprint_object
from deabench.study.learners.registry import fingerprint_learner as made
from deabench.study.learners.registry import infer_family
from deabench.study.running.tasks import run_task

MODULE = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from {name}_helper import ANSWER

class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), ANSWER)
"""
STUDY = """
allow_imports = true
[[data.set]]
name = "rows"
file = "rows.csv"
[split]
folds = 2
[classifiers]
mine = {{import = "{name}.Mine"}}
majority = {{}}
"""


@pytest.fixture
def study_and_module(tmp_path, study_file, request):
    """A study with a module of its own beside it, and that module's helper; names are the test's
    own.
    """
    name = f"mod_{abs(hash(request.node.name)) % 10**8}"
    (tmp_path / f"{name}.py").write_text(MODULE.format(name=name))
    (tmp_path / f"{name}_helper.py").write_text("ANSWER = 1\n")
    (tmp_path / "rows.csv").write_text("x,c\n" + "".join(f"{k},{k % 3 // 2}\n" for k in range(30)))
    yield study_file(STUDY.format(name=name)), tmp_path / f"{name}.py"
    sys.path[:] = [folder for folder in sys.path if folder != str(tmp_path)]


def keys(path) -> dict[str, set[str]]:
    jobs = Study.from_toml(path, allow_imports=True).plan.tasks()
    return {
        name: {job.key for job in jobs if job.learner.name == name} for name in ("mine", "majority")
    }


def test_edited_code_has_other_keys_and_only_it(study_and_module):
    path, module = study_and_module
    before = keys(path)
    assert keys(path) == before
    module.write_text(module.read_text().replace("len(X), ANSWER", "len(X), 0 * ANSWER"))
    after = keys(path)
    assert after["majority"] == before["majority"]
    assert not after["mine"] & before["mine"]
    assert run_task(Study.from_toml(path, allow_imports=True).plan.tasks()[0]).counts[0] == 0


def test_a_helper_of_ones_own_is_part_of_the_code(study_and_module):
    path, module = study_and_module
    fingerprint = dict(made(Study.from_toml(path, allow_imports=True).plan.learners[0]))
    assert {
        module.stem,
        f"{module.stem}_helper",
        "parameters",
        "numpy",
        "scikit-learn",
    } <= fingerprint.keys()


def test_a_worker_of_other_code_or_versions_is_refused(study_and_module):
    job = Study.from_toml(study_and_module[0], allow_imports=True).plan.tasks()[0]
    other_fingerprint = tuple(
        (package, "0.0" if package == "scikit-learn" else value)
        for package, value in job.learner.fingerprint
    )
    outcome = run_task(replace(job, learner=replace(job.learner, fingerprint=other_fingerprint)))
    local_version = dict(job.learner.fingerprint)["scikit-learn"]
    assert outcome.error[:2] == (
        "OtherCodeError",
        (
            "classifier 'mine' is made of something else in this worker: scikit-learn "
            f"({local_version} "
            "here, 0.0 where the run began); give "
            "every worker the same, and run again"
        ),
    )


def test_a_worker_of_other_data_is_refused_and_the_task_run_again(study_and_module):
    path, _ = study_and_module
    study = Study.from_toml(path, allow_imports=True)
    job = study.plan.tasks()[0]
    rows = path.parent / "rows.csv"
    rows.write_text(rows.read_text().replace("\n5,", "\n5.5,"))
    outcome = run_task(job)
    assert outcome.error[:2] == (
        "OtherDataError",
        (
            "data set 'rows' is not the one that the run began with (its file was changed, or is "
            "another one on this worker); run "
            "again"
        ),
    )
    from deabench.study.results.status import missing_tasks
    from deabench.study.results.store import Store

    with Store(study.plan.store) as store:
        store.write_outcome(job, outcome)
    assert len(missing_tasks(study.plan)) == 4
    assert run_task(Study.from_toml(path, allow_imports=True).plan.tasks()[0]).status == "done"


def test_another_module_of_the_name_is_refused(study_and_module, refused):
    path, module = study_and_module
    Study.from_toml(path, allow_imports=True)
    elsewhere = path.parent / "else"
    elsewhere.mkdir()
    for file in (module, path, path.parent / "rows.csv"):
        (elsewhere / file.name).write_text(file.read_text())
    with refused(
        f"classifier 'mine': '{module.stem}' is '{module}', not the module beside the study "
        "file; give yours another "
        "name"
    ):
        Study.from_toml(elsewhere / path.name, allow_imports=True)


def test_versions_that_matter_are_in_the_key(monkeypatch):
    spec = LearnerSpec("tree", "C4.5")
    assert {"c50py", "numpy", "scipy", "scikit-learn"} <= dict(made(spec)).keys()
    before = fingerprint_object(LogisticRegression())
    monkeypatch.setattr(
        fingerprints, "package_version", lambda name: "9.9" if name == "scikit-learn" else "1"
    )
    assert dict(fingerprint_object(LogisticRegression()))["scikit-learn"] == "9.9"
    assert "scikit-learn (9.9 here," in describe_differences(
        fingerprint_object(LogisticRegression()), before
    )


@pytest.mark.parametrize(
    ("first", "two"),
    [
        (LogisticRegression(), LogisticRegression(C=2)),
        (lambda: LogisticRegression(), lambda: LogisticRegression(C=2)),
        (
            LogisticRegression(class_weight={0: 1, 1: 2}),
            LogisticRegression(class_weight={0: 1, 1: 3}),
        ),
    ],
)
def test_parameters_and_functions_are_told_apart(first, two):
    assert fingerprint_object(first) == fingerprint_object(first)
    assert fingerprint_object(first) != fingerprint_object(two)


def test_classifiers_of_ones_own_have_a_family():
    from imblearn.over_sampling import SMOTE
    from imblearn.pipeline import make_pipeline
    from sklearn.ensemble import RandomForestClassifier

    for estimator, family in (
        (LogisticRegression(), "classic"),
        (LogisticRegression(class_weight="balanced"), "cost sensitive"),
        (RandomForestClassifier(class_weight="balanced"), "ensemble"),
        (make_pipeline(SMOTE(), RandomForestClassifier()), "over sampling"),
    ):
        assert infer_family(LearnerSpec("m", "given", template=estimator)) == family


def test_each_kind_of_difference_is_named():
    """Digests, of 20 letters or more, are not shown."""
    worker = (("code", "x" * 20), ("numpy", "1.26"), ("same", "1"), ("own", "y" * 20))
    run = (("code", "z" * 20), ("numpy", "2.0"), ("same", "1"), ("scipy", "1.11"))
    assert describe_differences(worker, run) == (
        "code (other code than where the run began), numpy (1.26 here, 2.0 where the run began), "
        "own (other code here, none where the run began), scipy (none here, 1.11 where the run "
        "began)"
    )


def test_a_value_that_contains_itself_has_a_fingerprint():
    loop = LogisticRegression()
    loop.extra = [1]
    loop.extra.append(loop.extra)
    other = LogisticRegression()
    other.extra = [1, 2]
    assert fingerprint_object(loop) == fingerprint_object(loop)
    assert fingerprint_object(loop) != fingerprint_object(other)


def test_what_is_no_module_has_no_file_and_no_imports():
    assert own_modules.package_version("no-such-distribution") == "none"
    assert own_modules.own_file("no_such_module") is None
    # "..x" has no package to start from.
    assert own_modules.own_file("..x") is None
    # What is no Python, as an extension module, counts byte by byte.
    assert own_modules.source_digest(b"\0\1") == sha256(b"\0\1").hexdigest()
    assert own_modules.imported_modules(b"\0\1", "top", False) == ()
    assert own_modules.imported_modules(b"from . import x", "top", False) == ()
    source = b"import_module('a.b'); import_module(x); import_module('.c'); other('d')"
    assert own_modules.imported_modules(source, "m", False) == ("a.b",)


def test_an_object_travels_with_its_code_once():
    @dataclass(frozen=True)
    class Description:
        function: object

    description = Description(lambda x: x + 1)
    state = own_modules.state_by_value(description, "function")
    again = own_modules.state_by_value(description, "function")
    assert again["function"].content is state["function"].content
    assert pickle.loads(pickle.dumps(state["function"]))(2) == 3
    assert own_modules.state_by_value(Description(None), "function") == {"function": None}
