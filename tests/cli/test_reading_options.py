"""--sheet and --limit hold for every verb that reads a table, and names may hold commas."""

from __future__ import annotations

import json
import shlex

import pytest

from deabench.cli import main
from deabench.cli.options.declarations import split_names

TWO = (
    "# One\n\n| m | acc | ms |\n|---|---|---|\n| a | .9 | 1 |\n| b | .8 | 2 |\n| c | .7 | 3 |\n\n"
    "# Two\n\n| m | f1 |\n|---|---|\n| a | .9 |\n| b | .8 |\n| c | .7 |\n"
)


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "two.md"
    path.write_text(TWO)
    return str(path)


def test_the_sheet_is_read_and_stands_in_the_proposed_command(document, capsys) -> None:
    assert main(["read", document, "--sheet", "Two", "--format", "json"]) == 0
    proposal = json.loads(capsys.readouterr().out)
    assert proposal["outputs"] == ["f1"]
    assert proposal["command"].endswith("--outputs f1 --sheet Two")
    assert main([*shlex.split(proposal["command"])[1:], "--format", "json"]) == 0
    assert "efficiency" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["read", "rank", "frontier", "report"])
def test_every_verb_takes_a_limit(verb, document, tmp_path, capsys) -> None:
    words = [verb, document, "--limit", "columns=2"]
    if verb == "report":
        words += ["-o", str(tmp_path / "page.html")]
    assert main(words) == 1
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith(f"deabench: '{document}' has 3 columns, more than 2; ")
    assert message.endswith("raise the limit with --limit columns=3")


def test_a_limit_that_does_not_exist(document, capsys) -> None:
    assert main(["rank", document, "--limit", "colums=2"]) == 1
    assert capsys.readouterr().err.endswith("no limit 'colums'; did you mean 'columns'?\n")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A,B", ["A", "B"]),
        ("A (k=10, h=512),B", ["A (k=10, h=512)", "B"]),
        ("A [1, 2],B", ["A [1, 2]", "B"]),
        ('"A, B",C', ["A, B", "C"]),
        ("A,, B,C", ["A, B", "C"]),
        ("A (k=10,, h=512),B", ["A (k=10, h=512)", "B"]),
        ("A (open,B", ["A (open", "B"]),
        ("closed),B", ["closed)", "B"]),
        (" A , ,B", ["A", "B"]),
        ("", []),
    ],
)
def test_commas_within_brackets_or_quotes_belong_to_a_name(text, names) -> None:
    assert split_names(text) == names
