"""Help leads on: every command names its page, a mistyped one its neighbour, a shell what could
come next.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deabench.cli import VERBS, main

DOCS = Path(__file__).parents[2] / "docs"


def test_every_command_has_a_page_that_names_it():
    for name, verb in VERBS.items():
        page = (DOCS / f"{verb.page}.md").read_text(encoding="utf-8")
        assert f"deabench {name}" in page, verb.page


@pytest.mark.parametrize(
    "arguments", [*([verb] for verb in VERBS), ["study", "run"], ["study", "import"]], ids=" ".join
)
def test_help_ends_with_the_page(arguments, capsys):
    assert main([*arguments, "--help"]) == 0
    assert (
        capsys.readouterr().out.rstrip().endswith(f"More: deabench docs {VERBS[arguments[0]].page}")
    )


def test_a_mistyped_command_has_a_neighbour(capsys):
    assert main(["ranc"]) == 2
    assert capsys.readouterr().err == "deabench: there is no command 'ranc'; did you mean 'rank'?\n"
    assert main(["42"]) == 2
    assert (
        capsys.readouterr().err
        == f"deabench: there is no command '42'; there are {', '.join(repr(v) for v in VERBS)}\n"
    )


@pytest.mark.parametrize(
    ("typed", "next_words"),
    [
        ("deabench fr", ["frontier"]),
        pytest.param("deabench rank t.csv --orient", ["--orientation"], marks=pytest.mark.slow),
        ("deabench rank t.csv --model sup", ["super", "super-sbm"]),
        pytest.param("deabench study ver", ["verify"], marks=pytest.mark.slow),
    ],
)
def test_a_shell_is_told_what_could_come_next(typed, next_words):
    typed_words = typed.split()
    environment = os.environ | {
        "_DEABENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed_words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "deabench"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == next_words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_lines_for_a_shell_ask_deabench(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "_DEABENCH_COMPLETE" in capsys.readouterr().out
    assert main(["completion", "tcsh"]) == 2


def test_a_ranking_waits_for_no_library_that_it_does_not_need():
    """Pyomo loads scipy.stats where it finds scipy loaded, which takes longer than all else that
    `deabench rank` does.
    """
    code = (
        "import sys; from deabench.cli import main; main(['rank', 'examples/wine1.csv', "
        "'--outputs', 'TPR,TNR']); "
        "sys.exit(' '.join(name for name in ('scipy.stats', 'sklearn', 'matplotlib') if name in "
        "sys.modules) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=DOCS.parent, check=False
    )
    assert done.returncode == 0, done.stderr


def test_memory_that_is_not_there_ends_in_a_sentence(tmp_path, monkeypatch, capsys):
    path = tmp_path / "board.csv"
    path.write_text("model,accuracy\na,0.9\nb,0.8\n")

    def take_all(*_, **__):
        raise MemoryError

    monkeypatch.setattr("deabench.cli.tables.describe_table", take_all)
    assert main(["read", str(path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "deabench: this needs more memory than there is; give a part of the data"
    )


def test_an_error_that_is_none_of_the_device_is_raised(tmp_path, monkeypatch):
    path = tmp_path / "board.csv"
    path.write_text("model,accuracy\na,0.9\nb,0.8\n")

    def fail(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("deabench.cli.tables.describe_table", fail)
    with pytest.raises(OSError, match="Operation not permitted"):
        main(["read", str(path)])
