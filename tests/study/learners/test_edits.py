"""Keys follow code: every edit that changes a result changes the key, and hardly any other does."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import code_edits
import numpy as np
import pytest
from code_edits import EDITS, IRRELEVANT, IRRELEVANT_IN_SCRIPTS, PLAIN, PREDICT, with_class
from quick_cases import mark_most_slow

from deabench.study import Study
from deabench.study.learners import LearnerSpec, fingerprints
from deabench.study.learners.fingerprints import UNRECORDED
from deabench.study.learners.registry import fingerprint_learner


def fingerprint_script(source: str, _folder=None):
    """The fingerprint of a classifier that a script or a notebook defines."""
    namespace = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), namespace)
    return fingerprint_model(namespace["MODEL"])


def fingerprint_module(source: str, folder):
    """The fingerprint of a classifier that a module beside the study defines."""
    (folder / "my_models.py").write_text(source)
    sys.path.insert(0, str(folder))
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        importlib.invalidate_caches()
        return fingerprint_model(importlib.import_module("my_models").MODEL)
    finally:
        sys.dont_write_bytecode = before
        sys.path.remove(str(folder))
        del sys.modules["my_models"]


def fingerprint_model(model):
    fingerprint = fingerprint_learner(LearnerSpec("m", "given", template=model))
    assert not [name for name, _ in fingerprint if name.startswith(UNRECORDED)]
    return fingerprint


FORMS = {"script": fingerprint_script, "module": fingerprint_module}
EDITS_AND_FORMS = [
    *((name, "script") for name in EDITS),
    *(pytest.param(name, "module", marks=pytest.mark.slow) for name in list(EDITS)[::2]),
    *((name, "module") for name in list(EDITS)[1::2]),
]
"""Every edit in a script, and half of them in a module; with the slow tests all of them."""


@pytest.mark.parametrize(("name", "form"), EDITS_AND_FORMS)
def test_an_edit_that_changes_a_result_changes_the_key(name, form, tmp_path):
    source, old, new = EDITS[name]
    assert source.count(old) >= 1
    before = FORMS[form](source, tmp_path)
    assert FORMS[form](source, tmp_path) == before
    assert FORMS[form](source.replace(old, new, 1), tmp_path) != before


@pytest.mark.parametrize("form", FORMS)
def test_an_edit_that_changes_nothing_keeps_the_key(form, tmp_path):
    edits = IRRELEVANT | (IRRELEVANT_IN_SCRIPTS if form == "script" else {})
    before = FORMS[form](PLAIN, tmp_path)
    changed = []
    for name, (old, new) in edits.items():
        assert old in PLAIN
        if FORMS[form](PLAIN.replace(old, new, 1), tmp_path) != before:
            changed.append(name)
    assert changed == []


PRINT_ALL = """
import hashlib
from code_edits import EDITS
from test_edits import fingerprint_script
fingerprints = [fingerprint_script(text) for text, _, _ in EDITS.values()]
print(hashlib.sha256(repr(fingerprints).encode()).hexdigest())
"""


@pytest.mark.slow
def test_keys_are_the_same_in_every_process():
    folders = [str(Path(__file__).parent), str(Path(code_edits.__file__).parent), *sys.path]
    digests = {
        subprocess.run(
            [sys.executable, "-c", PRINT_ALL],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(folders)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    "style", mark_most_slow(["through", "from", "inside", "import_module", "import"], 3)
)
def test_own_modules_and_their_packages_count(style, tmp_path, monkeypatch):
    """Of own code's imports: the source of an own module, the version of a package."""
    imports = {
        "import": ("import my_helper", "my_helper.LIMIT"),
        "from": ("from my_helper import LIMIT", "LIMIT"),
        "inside": ("", "__import__('my_helper').LIMIT"),
        "import_module": ("", "importlib.import_module('my_helper').LIMIT"),
        "through": ("from my_package.inner import limit", "limit()"),
    }
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").write_text("")
    (tmp_path / "my_package" / "inner.py").write_text(
        "from . import deepest\ndef limit():\n    return deepest.limit()\n"
    )
    (tmp_path / "my_package" / "deepest.py").write_text(
        "def limit():\n    from my_helper import LIMIT\n    return LIMIT\n"
    )
    before, expression = imports[style]
    source = with_class(PREDICT.format(expression), before)
    forget = [name for name in sys.modules if name.startswith(("my_helper", "my_package"))]
    assert not forget
    monkeypatch.syspath_prepend(str(tmp_path))

    def fingerprint(helper: str):
        (tmp_path / "my_helper.py").write_text(helper)
        try:
            return dict(fingerprint_module(source, tmp_path))
        finally:
            for name in [name for name in sys.modules if name.startswith(("my_helper", "my_pa"))]:
                del sys.modules[name]

    first = fingerprint("import narwhals\nLIMIT = 10\n")
    assert fingerprint("import narwhals  # a comment\nLIMIT = 10\n") == first
    assert first["narwhals"] == version("narwhals")
    assert fingerprint("import narwhals\nLIMIT = 18\n") != first
    assert "narwhals" not in fingerprint("LIMIT = 10\n")


def test_a_package_that_a_notebook_uses_counts():
    source = with_class(PREDICT.format("narwhals.LIMIT"), "import narwhals")
    assert dict(fingerprint_script(source))["narwhals"] == version("narwhals")
    source = with_class(
        "def predict(self, X):\n    import narwhals\n    return X[:, 0] > narwhals.LIMIT\n"
    )
    assert dict(fingerprint_script(source))["narwhals"] == version("narwhals")


def test_a_file_that_a_module_reads_counts(tmp_path):
    (tmp_path / "config.json").write_text('{"limit": 10}')
    source = with_class(
        PREDICT.format("CONFIG['limit']"),
        f"import json, pathlib\nCONFIG = json.loads(pathlib.Path({str(tmp_path)!r}, "
        "'config.json').read_text())\n",
    )
    before = fingerprint_module(source, tmp_path)
    (tmp_path / "config.json").write_text('{"limit": 18}')
    assert fingerprint_module(source, tmp_path) != before


def test_what_cannot_be_recorded_is_named_and_run_again_in_another_session(monkeypatch, tmp_path):
    namespace = {"__name__": "__main__"}
    source = with_class(PREDICT.format("next(LIMITS)"), "LIMITS = (n for n in [10])\n")
    exec(source, namespace)
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 3 // 2
    study = Study(
        {"d": (X, y)}, {"m": namespace["MODEL"]}, split=2, store=tmp_path / "study.sqlite"
    )
    assert study.status().notes == (
        "classifier 'm' depends on a generator of __main__.Mine.predict, whose content cannot be "
        "recorded: its tasks run again in every session",
    )
    before = set(study.plan.tasks().keys())
    study.plan.forget_data()
    assert set(study.plan.tasks().keys()) == before
    monkeypatch.setattr(fingerprints, "SESSION", "another session")
    study.plan.forget_data()
    assert not set(study.plan.tasks().keys()) & before


def test_constants_count_by_value_and_not_by_the_object():
    """Python may or may not keep one object for two equal constants."""
    source = with_class(
        "limit = 10\n" + PREDICT.format("self.limit"),
        "class First(Base):\n    limit = 10\n",
        bases="First",
    )
    namespaces = []
    for change in (False, True):
        namespace = {"__name__": "__main__"}
        exec(source, namespace)
        if change:
            namespace["Mine"].__module__ = "".join(["__ma", "in__"])
            namespace["Mine"].limit = int("10")
            namespace["First"].limit = 5 + 5
        namespaces.append(fingerprint_model(namespace["Mine"]()))
    assert namespaces[0] == namespaces[1]
