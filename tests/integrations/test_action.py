"""The action and its example workflow, run step by step as a runner of workflows does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / "examples" / "gate.yml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")


class Runner:
    """What a runner of workflows does with steps that are shell scripts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outputs = folder / "outputs"
        self.summary = folder / "summary"
        self.outputs.touch()
        self.summary.touch()
        programs = folder / "programs"
        programs.mkdir()
        # The command line of this checkout; GitHub's own program writes down what it was given.
        self._write_program(programs / "deabench", f'exec "{sys.executable}" -m deabench "$@"')
        self._write_program(
            programs / "gh",
            f'printf "%s\\n" "$@" >"{folder}/gh"; cat "${{@: -1}}" >"{folder}/body"',
        )
        self.environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "models")]),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.outputs),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_TEMP": str(folder),
        }

    @staticmethod
    def _write_program(path: Path, body: str) -> None:
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(0o755)

    def run_step(self, step: dict, values: dict[str, str]) -> subprocess.CompletedProcess:
        def value(match: re.Match) -> str:
            return values[match[1]]

        environment = {
            name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", value, text)
            for name, text in step.get("env", {}).items()
        }
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            env={**self.environment, **environment},
            cwd=ROOT if "Predict" not in step["name"] else self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def run_action(self, **inputs: str) -> subprocess.CompletedProcess:
        """Run the step of the action that is no installation."""
        given = {name.replace("_", "-"): text for name, text in inputs.items()}
        defaults = {name: entry.get("default") for name, entry in ACTION["inputs"].items()}
        values = {f"inputs.{name}": text for name, text in {**defaults, **given}.items()}
        return self.run_step(ACTION["runs"]["steps"][1], values)

    def read_outputs(self) -> dict[str, str]:
        lines = self.outputs.read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


PREDICTIONS = str(ROOT / "examples" / "predictions.csv")


def test_the_example_workflow_comments_the_verdict(runner):
    steps = {step.get("name"): step for step in WORKFLOW["jobs"]["gate"]["steps"]}
    inputs = {name.replace("-", "_"): text for name, text in steps["Gate"]["with"].items()}
    assert steps["Gate"]["uses"] == "./"
    done = runner.run_action(**{**inputs, "files": PREDICTIONS})
    assert done.returncode == 0, done.stderr
    outputs = runner.read_outputs()
    assert outputs["verdict"] == "passes"
    values = {
        "github.token": "none",
        "steps.gate.outputs.comment": outputs["comment"],
        "github.event.pull_request.number": "7",
    }
    assert runner.run_step(steps["Comment"], values).returncode == 0
    assert (runner.folder / "gh").read_text().split("\n")[:3] == ["pr", "comment", "7"]
    body = (runner.folder / "body").read_text()
    assert body.startswith("### Release gate: passes")
    assert runner.summary.read_text() == body


def test_a_gate_that_does_not_pass_is_red(runner):
    # The new model errs at every third instance, the one in use at every tenth.
    table = runner.folder / "poor.csv"
    rows = [(k % 2, k % 2 ^ (k % 10 == 0), k % 2 ^ (k % 3 == 0)) for k in range(600)]
    text = "y_true,in use,new\n" + "".join(f"{y},{int(old)},{int(new)}\n" for y, old, new in rows)
    table.write_text(text)
    done = runner.run_action(files=str(table), candidate="new", at_least="0.95")
    assert (done.returncode, runner.read_outputs()["verdict"]) == (3, "fails")
    assert "Release gate: fails" in runner.summary.read_text()


@pytest.mark.slow  # three runs of the command
def test_an_open_verdict_is_red_unless_the_workflow_says_otherwise(runner):
    few = runner.folder / "few.csv"
    lines = Path(PREDICTIONS).read_text().splitlines()
    few.write_text("\n".join(lines[:60]) + "\n")
    inputs = {"files": str(few), "candidate": "bayes", "at_least": "0.9"}
    assert runner.run_action(**inputs).returncode == 4
    assert runner.run_action(**inputs, open_passes="true").returncode == 0
    # With a ledger nobody is told whether a gate failed or stayed open.
    ledger = str(runner.folder / "gates.json")
    done = runner.run_action(**inputs, open_passes="true", ledger=ledger)
    assert (done.returncode, runner.read_outputs()["verdict"]) == (4, "no pass")


def test_inputs_are_never_executed_and_errors_are_told(runner):
    trap = runner.folder / "trap"
    hostile = f'$(touch "{trap}"); "; touch {trap}; #'
    done = runner.run_action(files=PREDICTIONS, candidate=hostile, arguments=hostile)
    assert done.returncode in (1, 2)
    assert "::error::deabench gate could not decide" in done.stdout
    assert not trap.exists()
    assert not runner.outputs.read_text()


def test_the_action_installs_its_own_version():
    install = ACTION["runs"]["steps"][0]["run"]
    assert install == 'python -m pip install --quiet "$GITHUB_ACTION_PATH"'
