"""What a release states in several places agrees: version, requirements, files of the archive."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

import deabench

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_that_of_changelog_and_citation():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest[1] == deabench.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == deabench.__version__
    assert "version" in PROJECT["project"]["dynamic"]


def test_the_recipe_requires_what_the_package_requires():
    recipe = (ROOT / ".github" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    stated = dict(re.findall(r"- ([\w-]+) >=(\S+)", run))
    required = dict(
        re.match(r"([\w-]+)>=(\S+)", line).groups() for line in PROJECT["project"]["dependencies"]
    )
    required["python"] = PROJECT["project"]["requires-python"].removeprefix(">=")
    # The channel's package without a graphical interface.
    required["matplotlib-base"] = required.pop("matplotlib")
    assert stated == required


def test_the_source_archive_holds_what_its_tests_read():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert not [name for name in included if not (ROOT / name).exists()]
    named = {"tests", "examples", "docs", "benchmarks", "action.yml", ".github", "page"}
    assert named <= set(included)


def test_the_versions_of_python_are_those_that_are_tested():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    tested = workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: 3."
    stated = [line for line in PROJECT["project"]["classifiers"] if line.startswith(prefix)]
    assert [line.rsplit(" ", 1)[1] for line in stated] == tested
