"""The lowest versions that pyproject allows are those that CI runs some of the tests with."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
ADAPTERS = {"optuna", "mlflow-skinny", "polars"}


def test_the_lowest_versions_are_those_of_constraints_lowest() -> None:
    pinned = dict(
        line.lower().split("==") for line in (ROOT / "constraints-lowest.txt").read_text().split()
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    of_tests = [Requirement(line) for line in extras["test"]]
    asked = [Requirement(line) for line in [*project["dependencies"], *extras["files"]]]
    # Of the test tools only those whose data an adapter reads.
    asked += [tool for tool in of_tests if tool.name in ADAPTERS]
    assert {tool.name for tool in asked} > ADAPTERS
    for requirement in asked:
        (floor,) = requirement.specifier
        assert floor.operator == ">=", requirement
        there = pinned[requirement.name.lower()].split(".")
        assert there[: len(floor.version.split("."))] == floor.version.split("."), requirement
        assert set(there[len(floor.version.split(".")) :]) <= {"0"}, (
            f"{requirement}: {'.'.join(there)} is not the lowest"
        )
