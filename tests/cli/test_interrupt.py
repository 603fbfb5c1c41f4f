"""Ctrl-C ends a command without a word, wherever it stands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deabench.cli import main

pty = pytest.importorskip("pty")
QUESTION = "model,score\na,0.1\nb,0.2\nc,0.3\nd,0.4\n"
RUN = "import sys; from deabench.cli import main; sys.exit(main(['rank', 'q.csv']))"


def test_ctrl_c_at_a_question_ends_with_130_and_nothing(tmp_path: Path) -> None:
    """The terminal itself turns the byte 3 into the signal, as it does at a keyboard."""
    (tmp_path / "q.csv").write_text(QUESTION, encoding="utf-8")
    child, terminal = pty.fork()
    if child == 0:
        # A process in the background ignores Ctrl-C, and hands that down.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(tmp_path)
        os.execv(sys.executable, [sys.executable, "-c", RUN])
    text = b""
    while b"): " not in text:
        text += os.read(terminal, 1 << 12)
    os.write(terminal, b"\x03")
    rest = b""
    try:
        while piece := os.read(terminal, 1 << 12):
            rest += piece
    except OSError:  # the other end is closed
        pass
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130
    assert rest.replace(b"^C", b"").strip() == b""
    # The rows are sorted by it upwards, so that the default is that lower is better.
    assert b"[higher/lower] (lower): " in text


def test_ctrl_c_during_imports_ends_with_130_and_nothing(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(QUESTION, encoding="utf-8")
    interrupt = (
        "import builtins, sys\n"
        "import deabench.cli\n"
        "real = builtins.__import__\n"
        "def stop(name, *rest):\n"
        "    if name.split('.')[0] in ('typer', 'pandas'):\n"
        "        raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = stop\n"
        "sys.exit(deabench.cli.main(['rank', 'q.csv']))\n"
    )
    words = [sys.executable, "-c", interrupt]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_score_that_rises_down_the_rows_is_likely_better_low(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text(QUESTION, encoding="utf-8")
    assert main(["read", "q.csv"]) == 0
    assert "sorted by it upwards, as they are where lower is better" in capsys.readouterr().out
    assert main(["rank", "q.csv"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("If lower is better, type")
    assert lines[1] == "  deabench rank q.csv --lower-is-better score"
    # Sorted downwards nothing is asked.
    Path("q.csv").write_text("\n".join(["model,score", *QUESTION.split()[:0:-1]]), "utf-8")
    assert main(["rank", "q.csv"]) == 0
