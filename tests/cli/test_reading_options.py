"""--sheet and --limit hold for every verb that reads a table, and names may hold commas."""

from __future__ import annotations

import json
import shlex
import tomllib

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


def test_the_interpretation_as_toml_is_read_back(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    path.write_text('model,accuracy,latency_ms,"no\x7fte ü"\na,.9,5,x\nb,.8,,y\nc,.7,9,z\n')
    for form, load in (("json", json.loads), ("toml", tomllib.loads)):
        assert main(["read", str(path), "--format", form]) == 0
        answer = load(capsys.readouterr().out)
        assert answer["outputs"] == ["accuracy"]
        assert answer["costs"] == ["latency_ms"]
        assert answer["left_out"] == {"no\x7fte ü": "it holds text, no numbers"}
        assert answer["missing"] == {"latency_ms": 1}
        # TOML has no null: what is not there has no key.
        assert answer.get("dataset") is None
        assert ("dataset" in answer) == (form == "json")


def test_a_column_of_clusters_leaves_the_other_options_of_reading_in_force(
    tmp_path, capsys
) -> None:
    path = tmp_path / "predictions.csv"
    rows = [f"{k % 2},{k % 2},{int(k % 3 > 0)},{k % 4 // 2},p{k // 4}\n" for k in range(40)]
    path.write_text("y_true,a,b,odd,patient\n" + "".join(rows))
    for words in ([], ["--clusters", "patient"]):
        assert main(["uncertainty", str(path), "--ignore", "odd,patient", *words]) == 0
        out, err = capsys.readouterr()
        assert err.startswith("Of 2 systems ")
        assert "odd" not in out
        assert ("10 clusters" in err) == bool(words)
    assert main(["uncertainty", str(path), "--clusters", "patiens"]) == 1
    assert capsys.readouterr().err == (
        "deabench: there is no column 'patiens' of clusters; did you mean 'patient'?\n"
    )
