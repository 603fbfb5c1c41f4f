"""Whatever names hold, a terminal gets text: tables, notes, errors and proposed commands of every
verb; tables fit its width.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from deabench.cli import VERBS, main
from deabench.utils.text import printable

pty = pytest.importorskip("pty")
pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
HOSTILE = [
    "esc\x1b]0;pwned\x07\x1b[31m",
    "c1\x9b31m",
    "osc\x9d0;pwned\x9c",
    "bell\x07",
    "back\x08\x08\x08",
    "carriage\rreturn",
    "line\nfeed",
    "form\x0cfeed",
    "vertical\x0btab",
    "delete\x7f",
    "next\x85line",
    "shift\x0eout",
    *(
        f"turn{sign}ed"
        for sign in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    ),
    "arabic\u061cmark",
    *(f"zero{sign}width" for sign in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u3164"),
    "line\u2028separator",
    "tag\U000e0041\U000e0042",
    "selector\ufe01\U000e0100",
    "$(touch PWNED)",
    "`touch PWNED`",
    "'; touch PWNED #",
    "[red]markup[/red]",
    "%s {x} \\N",
    "=1+1",
    "\uff1d1+1",
    "|pipe",
]
"""Names that steer a terminal, turn or hide text, or run in a shell or a spreadsheet."""
END = "== the end of a command =="
RUN = f"""
import json, os, sys
from deabench.cli import main
from deabench.utils import progress
progress.PATIENCE = 1e9  # no bar, whose signs are our own
for variables, words in json.loads(sys.argv[1]):
    os.environ |= variables
    # What PYTHONIOENCODING does at the start of a process.
    sys.stdout.reconfigure(encoding=variables.get("PYTHONIOENCODING", "utf-8"), errors="strict")
    main(words)
    sys.stdout.flush()
    sys.stderr.flush()
    print("{END}", flush=True)
"""
"""Runs commands, each with variables of the environment, in one process: a start takes ten times as
long as a command.
"""


def on_pty(commands: list[list[str]], folder: Path, columns: tuple[int, ...] = (80,)) -> list[str]:
    """Return what each command writes to a terminal, stdout and stderr together, once for each
    width.
    """
    terminal, end = pty.openpty()
    environment = os.environ | {"NO_COLOR": "1", "TERM": "xterm"}
    runs = [({"COLUMNS": str(width)}, words) for width in columns for words in commands]
    pieces: list[bytes] = []

    def read() -> None:
        while True:
            try:
                piece = os.read(terminal, 1 << 16)
            except OSError:  # the other end is closed
                return
            if not piece:
                return
            pieces.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    words = [sys.executable, "-W", "ignore", "-c", RUN, json.dumps(runs)]
    done = subprocess.run(
        words, stdin=end, stdout=end, stderr=end, cwd=folder, env=environment, check=False
    )
    os.close(end)
    reader.join()
    os.close(terminal)
    assert done.returncode == 0
    # The terminal itself adds the carriage return before a line feed.
    texts = b"".join(pieces).decode("utf-8").replace("\r\n", "\n").split(f"{END}\n")
    assert texts.pop() == ""
    assert len(texts) == len(runs)
    return texts


def unsafe_signs(text: str) -> set[str]:
    """Return the control, bidirectional and invisible characters of a text, by its classes."""
    return {
        repr(sign)
        for sign in text
        if (unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp", "Cs") and sign not in "\n\t")
        or sign in "\u3164\ufe01\U000e0100"
    }


def write_csv(path: Path, header: list[str], rows: list[list[object]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Files of every kind whose names of rows and columns are hostile."""
    path = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(0)
    rates = rng.uniform(0.5, 0.9, (len(HOSTILE), 3)).round(3)
    rows = [[name, *row] for name, row in zip(HOSTILE, rates.tolist(), strict=True)]
    write_csv(path / "rows.csv", ["model", "TPR", "TNR", "err"], rows)
    write_csv(path / "other.csv", ["model", "TPR", "TNR", "err"], rows[:6])
    values = rng.uniform(0.5, 0.9, (4, len(HOSTILE))).round(3).tolist()
    columns = [f"{name} acc" for name in HOSTILE]
    write_csv(
        path / "columns.csv",
        ["model", *columns],
        [[n, *v] for n, v in zip("abcd", values, strict=True)],
    )
    counts = [[name, 40, 10, 5 + k % 3, 45 - k % 3] for k, name in enumerate(HOSTILE)]
    write_csv(path / "counts.csv", ["classifier", "tp", "fn", "fp", "tn"], counts)
    truth = rng.integers(0, 2, 60)
    flips = rng.random((60, len(HOSTILE))) < rng.uniform(0.1, 0.4, len(HOSTILE))
    labels = np.where(flips, 1 - truth[:, None], truth[:, None]).tolist()
    write_csv(
        path / "predictions.csv",
        ["y_true", *HOSTILE],
        [[t, *v] for t, v in zip(truth.tolist(), labels, strict=True)],
    )
    scores = (truth[:, None] + rng.normal(size=(60, len(HOSTILE)))).round(3).tolist()
    write_csv(
        path / "scores.csv",
        ["y_true", *HOSTILE],
        [[t, *v] for t, v in zip(truth.tolist(), scores, strict=True)],
    )
    datasets = [[f"{name} data", *row] for name, row in zip(HOSTILE, rates.tolist(), strict=True)]
    write_csv(path / "compare.csv", ["dataset", *HOSTILE[:3]], datasets)
    write_csv(path / "esc\x1b]0;x\x07.csv", ["model", "TPR"], [["a", 0.5], ["b", "\x1b[31m"]])
    (path / "study\x1b.toml").write_text("[data]\nnames = ['no\\u001b[31m\\u202e']\n")
    (path / "sound.toml").write_text(
        '[data]\nnames = ["glass-0-4_vs_5"]\n[split]\nfolds = 2\n[classifiers]\nmajority = {}\n'
    )
    imported = [["glass-0-4_vs_5", name, 8, 1, 2 + k % 3, 81] for k, name in enumerate(HOSTILE)]
    header = ["dataset", "classifier", "tp", "fn", "fp", "tn"]
    write_csv(path / "imported.csv", header, imported)
    gates = {"format": "deabench gates 1", "tests": {HOSTILE[0]: [{HOSTILE[1]: HOSTILE[2]}]}}
    (path / "gates.json").write_text(json.dumps(gates))
    return path


TWO = ["--outputs", "TPR,TNR"]
TABLES = ("table", "csv", "json", "md")


def in_forms(words: list[str], forms: tuple[str, ...] = TABLES) -> list[list[str]]:
    """Return a command once in each form of its answer."""
    return [[*words, "--format", form] for form in forms]


COMMANDS = {
    "read": [
        *in_forms(["read", "rows.csv"], ("table", "json", "toml", "md")),
        *in_forms(["read", "columns.csv"], ("table", "json", "toml", "md")),
    ],
    "rank": [
        *in_forms(["rank", "rows.csv"]),
        ["rank", "columns.csv"],
        ["rank", "rows.csv", "--explain", HOSTILE[0]],
        ["rank", "columns.csv", "--outputs", "acc\x1b[31m"],
        ["rank", "no\x1b[31m.csv"],
        ["rank", "esc\x1b]0;x\x07.csv"],
        ["rank", "rows.csv", "--bogus\x1b[31m"],
    ],
    "frontier": in_forms(["frontier", "rows.csv", *TWO]),
    "targets": in_forms(["targets", "rows.csv", "--reference", "other.csv", *TWO]),
    "weightings": [
        *in_forms(["weightings", "rows.csv", *TWO]),
        ["weightings", "rows.csv", *TWO, "--explain", HOSTILE[0]],
        ["weightings", "rows.csv", *TWO, "--of", "dominance"],
        ["weightings", "rows.csv", *TWO, "--ratio", "a\x1b[31m"],
    ],
    "metrics": [*in_forms(["metrics", "counts.csv"]), ["metrics", "predictions.csv"]],
    "curve": in_forms(["curve", "scores.csv", "--kind", "summary"]),
    "compare": [*in_forms(["compare", "compare.csv"]), ["compare", "predictions.csv"]],
    "size": [["size", "mcnemar\x1b[31m"]],
    "uncertainty": [
        *in_forms(["uncertainty", "counts.csv"]),
        ["uncertainty", "counts.csv", "--explain", HOSTILE[0]],
    ],
    "gate": [
        *in_forms(["gate", "counts.csv", "--candidate", HOSTILE[0]], ("json", "md")),
        ["gate", "counts.csv", "--candidate", HOSTILE[0], "--ledger", "gates.json"],
        ["gate", "counts.csv", "--candidate", "\x1b"],
    ],
    "plan": [["plan", "--gap", "x\x1b[31m"]],
    "reproduce": [["reproduce", "table\x1b[31m"]],
    "study": [
        ["study", "status", "study\x1b.toml"],
        ["study", "status", "no\x1b.toml"],
        ["study", "import", "sound.toml", "imported.csv"],
        *in_forms(["study", "status", "sound.toml"]),
        ["study", "verify", "sound.toml"],
        *in_forms(["study", "tables", "sound.toml"]),
        ["study", "run", "sound.toml\x1b"],
        ["study", "init", "sound.toml"],
        ["study", "report", "sound.toml", "-o", "no\x1b/page.html"],
    ],
    "recommend": [["recommend", "esc\x1b]0;x\x07.csv"], ["recommend", "no\x1b[31m.csv"]],
    "report": [
        *in_forms(["report", "rows.csv", *TWO], ("md", "tex")),
        ["report", "no\x1b.csv"],
    ],
    "models": [["models", "wei\x1b[31m"]],
    "docs": [["docs", "tables\x1b[31m"]],
    "completion": [["completion", "zsh\x1b[31m"]],
}


def test_every_verb_is_tried() -> None:
    assert set(COMMANDS) == set(VERBS)


@pytest.mark.parametrize(
    "verbs",
    [("read",), pytest.param(tuple(COMMANDS), marks=pytest.mark.slow)],
    ids=["read", "all"],
)
def test_a_terminal_gets_text_alone(verbs, folder) -> None:
    commands = [*(words for verb in verbs for words in COMMANDS[verb]), ["ra\x1b[31mnk"]]
    for words, shown in zip(commands, on_pty(commands, folder), strict=True):
        assert shown, words
        assert "Traceback" not in shown, words
        assert unsafe_signs(shown) == set(), words


def test_names_arrive_whole_where_no_terminal_is(folder, capsys, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert main(["rank", "rows.csv", "--outputs", "TPR,TNR", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert {row["classifier"] for row in json.loads(out)} >= set(HOSTILE[:5])
    assert unsafe_signs(err) == set()
    assert main(["rank", "rows.csv", "--outputs", "TPR,TNR"]) == 0
    assert unsafe_signs(capsys.readouterr().out) == set()


def test_the_proposed_command_is_one_line_that_a_shell_reads_back(
    folder, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(folder)
    assert main(["read", "columns.csv", "--format", "json"]) == 0
    command = json.loads(capsys.readouterr().out)["command"]
    words = shlex.split(command)
    assert words[:3] == ["deabench", "rank", "columns.csv"]
    assert any("$(touch PWNED)" in word for word in words)
    done = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {command} > /dev/null"], check=False, cwd=folder
    )
    assert done.returncode == 0
    assert not (folder / "PWNED").exists()


def test_printable_replaces_by_unicodes_classes() -> None:
    every_sign = "".join(map(chr, range(0x110000)))
    assert unsafe_signs(printable(every_sign)) == set()
    kept = "aé日本 −×λ✔\ufe0f\n\t"
    assert printable(kept) == kept


@pytest.mark.slow
def test_tables_fit_the_terminal(tmp_path) -> None:
    rng = np.random.default_rng(0)
    names = [f"a_system_with_a_name_of_forty_letters_{k:02}" for k in range(30)]
    metrics = [f"metric_{k}_acc" for k in range(6)]
    pd.DataFrame(rng.uniform(0.5, 0.9, (30, 6)), names, metrics).rename_axis("model").to_csv(
        tmp_path / "board.csv"
    )
    commands = [
        ["rank", "board.csv", "-q"],
        ["read", "board.csv", "-q"],
        ["targets", "board.csv", "--reference", "board.csv", "-q"],
    ]
    widths = (40, 60, 80, 120)
    texts = on_pty(commands, tmp_path, widths)
    for width, shown in zip(np.repeat(widths, len(commands)), texts, strict=True):
        assert max(map(len, shown.splitlines())) <= width
    # Every number is whole, in one part of the table or another.
    for ranks in texts[:: len(commands)]:
        assert len(re.findall(r"\b[01]\.\d{4}\b", ranks)) == 30


@pytest.mark.slow
def test_a_long_table_shows_its_head_and_how_to_get_the_rest(tmp_path) -> None:
    table = pd.DataFrame(
        np.random.default_rng(0).uniform(size=(10_000, 3)), columns=["a", "b", "c"]
    )
    table.rename_axis("model").rename(lambda k: f"m{k}").to_csv(tmp_path / "long.csv")
    [shown] = on_pty([["rank", "long.csv", "--outputs", "a,b,c"]], tmp_path)
    assert "the first 60 of 10,000 rows; type -o FILE.csv to write all" in shown
    assert len(shown.splitlines()) < 120


@pytest.mark.slow
def test_any_encoding_of_stdout_ends_in_text(tmp_path) -> None:
    pd.DataFrame({"model": ["é日", "λ"], "acc": [0.9, 0.8]}).to_csv(tmp_path / "x.csv", index=False)
    commands = [["models", "wei"], ["report", "x.csv", "--format", "md"], ["rank", "x.csv"]]
    encodings = ("cp1252", "latin-1", "cp437", "ascii")
    runs = [({"PYTHONIOENCODING": name}, words) for name in encodings for words in commands]
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(runs)],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    texts = done.stdout.split(f"{END}\n".encode())
    assert texts.pop() == b""
    assert len(texts) == len(runs)
    assert all(texts)


def test_quiet_leaves_the_answer_and_errors(tmp_path, capsys) -> None:
    board = tmp_path / "board.csv"
    board.write_text("model,acc,latency_ms\na,0.9,20\nb,0.8,10\n")
    assert main(["rank", str(board)]) == 0
    assert capsys.readouterr().err
    assert main(["rank", str(board), "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "Efficiencies" in out
    assert err == ""
    assert main(["rank", str(board), "-q", "--outputs", "nothing"]) == 1
    assert capsys.readouterr().err.startswith("deabench: ")
    assert main(["rank", str(board), "--quiet", "--format", "latex"]) == 2
    assert "Invalid value for '--format'" in capsys.readouterr().err
    assert main(["study", "run", "missing.toml", "--quiet"]) == 1
    assert capsys.readouterr().err.startswith("deabench: cannot read 'missing.toml'")


def test_notes_are_one_line_on_a_terminal_unless_all_are_asked_for(capsys, monkeypatch) -> None:
    board = Path(__file__).parents[2] / "examples" / "leaderboard.csv"
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["rank", str(board)]) == 0
    piped = capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["rank", str(board)]) == 0
    shown = capsys.readouterr().err.splitlines()
    cut = next(line for line in shown if line.endswith(" ... (-v: all notes)"))
    assert len(cut) <= 60
    assert cut.startswith("higher is better in 'top1'; ")
    # What to type next is no note, and stays.
    assert any("deabench rank" in line for line in shown)
    assert len(shown) < len(piped.splitlines())
    assert main(["rank", str(board), "-v"]) == 0
    all_notes = capsys.readouterr().err
    assert all_notes.split() == piped.split()
    # Lines are broken at the width of the terminal; commands stay whole.
    assert all(len(line) <= 60 or line.startswith("  ") for line in all_notes.splitlines())


def test_help_and_version_are_words_too(capsys) -> None:
    assert main(["help", "rank"]) == 0
    by_word = capsys.readouterr().out
    assert main(["rank", "-h"]) == 0
    assert capsys.readouterr().out == by_word
    assert main(["help", "study", "run"]) == 0
    assert "Run the tasks" in capsys.readouterr().out
    assert main(["help"]) == 0
    assert "Commands:" in capsys.readouterr().out
    assert main(["version"]) == main(["--version"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert main(["docs"]) == 0
    assert "tables" in capsys.readouterr().out.splitlines()
    assert main(["docs", "tables"]) == 0
    assert capsys.readouterr().out.startswith("# ")


def test_a_terminal_names_the_systems_that_are_left_out_first(
    tmp_path, capsys, monkeypatch
) -> None:
    board = tmp_path / "board.csv"
    board.write_text("model,accuracy,recall\nant,0.9,0.5\nbee,0.8,\ncow,0.7,0.6\n")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["rank", str(board), "--missing", "drop-systems"]) == 0
    shown = capsys.readouterr().err.splitlines()
    assert any(line.startswith("left out for a missing cell: 'bee'; ") for line in shown)
