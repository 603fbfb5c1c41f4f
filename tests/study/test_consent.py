"""Nobody's code runs by looking at a study, and by running it only with the user's consent."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from study_runs import without_processes

import deabench as db
from deabench.cli import main
from deabench.cli._consent import digest_folder, may_import

MODULE = """
from pathlib import Path
Path("PWNED").write_text("")
from sklearn.naive_bayes import GaussianNB as G
"""
STUDY = """
allow_imports = true
[data]
names = ["glass-0-4_vs_5"]
[split]
folds = 2
[classifiers]
majority = {}
b = {import = "foreign_module.G"}
"""
COUNTS = "dataset,classifier,tp,fn,fp,tn\nglass-0-4_vs_5,J48,8,1,2,81\n"
LOOKING = {
    "status": ["study", "status", "foreign.toml"],
    "verify": ["study", "verify", "foreign.toml"],
    "tables": ["study", "tables", "foreign.toml"],
    "study report": ["study", "report", "foreign.toml", "-o", "page.html"],
    "report": ["report", "foreign.toml", "-o", "page.html"],
    "import": ["study", "import", "foreign.toml", "counts.csv"],
}
LOOK = """
import json, sys
from pathlib import Path
from deabench.cli import main
codes = {}
for name, arguments in json.loads(sys.argv[1]).items():
    codes[name] = main(arguments)
    assert not Path("PWNED").exists(), arguments
print(json.dumps(codes), file=sys.stderr)
"""
"""Runs commands in one process, which must not import the module at any of them."""
RUN_EDIT_RUN = """
from pathlib import Path
from deabench.cli import main
first = main(["study", "run", "foreign.toml"])
module = Path("foreign_module.py")
module.write_text(module.read_text() + "# edited")
print()
print(first, main(["study", "run", "foreign.toml"]))
"""
"""Runs the study before and after an edit of its code; prints the two exit statuses."""
SRC = Path(db.__file__).parent.parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "foreign.toml").write_text(STUDY)
    (tmp_path / "foreign_module.py").write_text(MODULE)
    (tmp_path / "counts.csv").write_text(COUNTS)
    monkeypatch.chdir(tmp_path)
    # the answers that a user has given before are none of this test's
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, whose memory has not seen the module."""
    environment = {**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{SRC / 'models'}"}
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def deabench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "deabench", *arguments)


def look_at_study(**others: list[str]) -> tuple[dict[str, int], str, list[str]]:
    """Run all commands that look at the study, and others, in one process.

    Return the exit status of each, what they wrote to stdout, and the lines on stderr.
    """
    result = run_python("-c", LOOK, json.dumps(LOOKING | others))
    assert result.returncode == 0, result.stderr
    *messages, codes = result.stderr.splitlines()
    return json.loads(codes), result.stdout, messages


@pytest.mark.slow
def test_looking_at_a_study_imports_nothing_before_and_after_a_run(folder):
    marker = folder / "PWNED"
    codes, _, messages = look_at_study(run=["study", "run", "foreign.toml", "--workers", "1"])
    assert codes["run"] == 1
    assert messages[-1] == (
        "deabench: 'foreign.toml' runs code for classifier 'b', imported from 'foreign_module.G'; "
        "if you trust the files in its folder, pass --allow-imports (from Python "
        "Study.from_toml(file, allow_imports=True))"
    )
    assert not marker.exists()

    done = deabench("study", "run", "--allow-imports", "foreign.toml", "--workers", "1")
    assert done.returncode == 0, done.stderr
    marker.unlink()
    codes, output, messages = look_at_study(
        last=["study", "status", "foreign.toml", "--format", "json"]
    )
    assert codes == dict.fromkeys([*LOOKING, "last"], 0)
    assert not marker.exists()
    # the results of the code are shown as they were recorded, and the status says so
    assert json.loads(output[output.rindex("\n[") :])[0]["done"] == 4
    assert "the code of 'b' ('foreign_module.G') was not imported" in messages[-1]


@pytest.mark.slow
def test_the_tables_are_the_same_whether_the_code_is_imported_or_recorded(folder):
    with without_processes():
        db.Study.from_toml("foreign.toml", allow_imports=True).run()
    permitted = db.Study.from_toml("foreign.toml", allow_imports=True)
    looking = db.Study.from_toml("foreign.toml")
    assert looking.status().digest == permitted.status().digest
    for name, frame in permitted.summary().frames().items():
        assert frame.equals(looking.summary().frames()[name]), name
    # other parameters are another classifier, of which nothing is recorded
    Path("foreign.toml").write_text(STUDY.replace('.G"}', '.G", var_smoothing = 0.5}'))
    assert db.Study.from_toml("foreign.toml").status().missing == 2


@pytest.mark.parametrize(("typed", "is_trusted"), [("\n", False), ("n\n", False), ("y\n", True)])
def test_code_is_trusted_by_a_yes_alone(typed, is_trusted, tmp_path, monkeypatch):
    """Enter, which takes the default of a question, trusts nothing."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("deabench.cli._consent._trust_file", lambda: tmp_path / "trusted")
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    monkeypatch.setattr("sys.stderr", Terminal())
    file = tmp_path / "study.toml"
    file.write_text("[classifiers]\n", encoding="utf-8")
    assert may_import(file, ["module.Class"]) is is_trusted
    # What is trusted once is not asked again.
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert may_import(file, ["module.Class"]) is is_trusted


@pytest.mark.slow
def test_a_question_on_a_terminal_is_remembered_until_an_edit(folder):
    def run_with_answer(answer: str) -> int:
        primary, secondary = pty.openpty()
        os.write(primary, answer.encode())
        environment = {**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{SRC / 'models'}"}
        process = subprocess.Popen(
            [sys.executable, "-m", "deabench", "study", "run", "foreign.toml", "--workers", "1"],
            env=environment,
            stdin=secondary,
            stderr=secondary,
            stdout=subprocess.DEVNULL,
        )
        os.close(secondary)
        try:
            while os.read(primary, 4096):
                pass
        except OSError:
            pass
        os.close(primary)
        return process.wait()

    assert run_with_answer("n\n") == 1
    assert not (folder / "PWNED").exists()
    assert run_with_answer("y\n") == 0
    # remembered: no terminal is needed, until a file of the folder changes
    trusted = digest_folder(folder / "foreign.toml")
    result = run_python("-c", RUN_EDIT_RUN)
    assert result.stdout.splitlines()[-1] == "0 1", result.stderr
    assert digest_folder(folder / "foreign.toml") != trusted


def test_a_dry_run_needs_consent_too(folder, capsys):
    assert main(["study", "run", "foreign.toml", "--dry-run"]) == 1
    assert "--allow-imports" in capsys.readouterr().err
    assert not (folder / "PWNED").exists()
