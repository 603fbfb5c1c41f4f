"""What a user's editor and type checker see: real names, real types, and wrong words refused before
anything runs.
"""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import deabench as db

ROOT = Path(__file__).parent.parent

USERS = """
import deabench as db

table = db.datasets.load("chao2022-wine1")
ranking: db.Ranking = db.rank(table, outputs=["TPR"], model="sbm", returns="vrs")
gaps = db.targets(table, table, norm="l2").gaps
db.rank(table, model="nonsense")
db.rank(table, foo=1)
db.rank(table, returns="drs")
db.targets(table, table, norm="l3")
number: int = db.rank(table)
"""
CONFIG = f"""
[mypy]
strict = true
mypy_path = {ROOT}:{ROOT / "models"}
follow_imports = skip
[mypy-deabench.*,deabench_models.*]
follow_imports = silent
[mypy-matplotlib.*,numpy.*]
follow_imports_for_stubs = true
"""
"""Other libraries are not read: there are four times as many modules in them, and none of their
types is in the user's file.
"""
WRONG = {7: "arg-type", 8: "call-arg", 9: "arg-type", 10: "arg-type", 11: "assignment"}
"""Lines of the user's file that a type checker must refuse, and for what."""


def test_a_type_checker_refuses_wrong_words_and_knows_the_right_ones(tmp_path) -> None:
    file = tmp_path / "users.py"
    file.write_text(USERS)
    config = tmp_path / "mypy.ini"
    config.write_text(CONFIG)
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--no-pretty"]
    command += ["--cache-dir", str(tmp_path / "cache"), str(file)]
    output_lines = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT
    ).stdout.splitlines()
    user_lines = [
        line.split("users.py:")[1]
        for line in output_lines
        if "users.py:" in line and " error: " in line
    ]
    assert {
        int(line.split(":")[0]): line.rsplit("[", 1)[1].rstrip("]") for line in user_lines
    } == WRONG, output_lines


def stub(package: str) -> tuple[ast.Module, dict[str, str | None]]:
    """The stub of a package, and the home of each name that it has."""
    tree = ast.parse((ROOT / package / "__init__.pyi").read_text(encoding="utf-8"))
    return tree, {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_the_stub_says_what_is_there() -> None:
    tree, stub_names = stub("deabench")
    assert {name: module for name, module in stub_names.items() if module != "deabench"} == db._HOME
    assert {name for name, module in stub_names.items() if module == "deabench"} | {
        "models"
    } == set(db._MODULES)
    assert dir(db) == db.__all__
    listed = next(
        node
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    )
    assert sorted(ast.literal_eval(listed.value)) == db.__all__


def test_every_public_name_is_what_its_home_holds() -> None:
    for package in (db, db.metrics):
        for name, home in package._HOME.items():
            assert getattr(package, name) is getattr(importlib.import_module(home), name)


def test_a_submodule_does_not_replace_the_public_function_of_its_name() -> None:
    """Importing `deabench.report` first would make `db.report` a module; see utils/lazy.py."""
    code = "import deabench.report, deabench as db; print(type(db.report).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "function"


@pytest.mark.parametrize("name", ["metrics", "compare", "curves", "plot"])
def test_the_stub_of_a_package_names_the_homes_of_its_public_names(name: str) -> None:
    package = importlib.import_module(f"deabench.{name}")
    assert stub(f"deabench/{name}")[1] == package._HOME
    assert dir(package) == package.__all__ == sorted(package._HOME)
    for public, home in package._HOME.items():
        module = importlib.import_module(home)
        # The home of some names is a module of the same name (`curves.roc`).
        assert getattr(package, public) is getattr(module, public)
