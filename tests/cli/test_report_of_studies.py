"""`deabench report` of a study file: what it hands on, and what a study does not need."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import deabench as db
from deabench.cli import main
from deabench.cli._io import PrintableStream
from deabench.study import Study

DEA = {
    "outputs": ("TPR", "TNR"),
    "inputs": ("cost",),
    "tested": ("new",),
    "target_outputs": ("F1",),
}


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """The study that is read and the options of its report; the report is a text."""
    calls: dict[str, Any] = {}

    def from_toml(file: Path, *, allow_outside: bool) -> Any:
        calls["read"] = (file.name, allow_outside)
        return SimpleNamespace(
            plan=SimpleNamespace(dea=DEA, seed=7),
            status=lambda: SimpleNamespace(digest="0123"),
            summary=lambda: "the summary",
        )

    def report(source: Any, **options: Any) -> Any:
        calls.update(options, source=source)
        return SimpleNamespace(text=lambda form: f"page as {form}\n", results=None)

    monkeypatch.setattr(Study, "from_toml", from_toml)
    monkeypatch.setattr(db, "report", report)
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text("seed = 7\n")
    return calls


def test_a_report_takes_from_the_study_what_is_not_typed(
    reported: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "study.toml"]) == 0
    assert capsys.readouterr().out == "page as html\n"
    assert reported["read"] == ("study.toml", False)
    assert reported["source"] == "the summary"
    assert (reported["outputs"], reported["inputs"]) == (["TPR", "TNR"], ["cost"])
    assert (reported["tested"], reported["metrics"]) == (["new"], ["F1"])
    provenance = reported["extra"]["provenance"]
    assert provenance["study"] == "study.toml"
    assert (provenance["seed"], provenance["digest of the results"]) == (7, "0123")
    assert provenance["deabench now"] == db.__version__


def test_what_is_typed_comes_before_the_study(
    reported: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--outputs AUC --inputs time --tested a,b --format md --allow-outside --returns vrs"
    assert main(["report", "study.toml", *words.split()]) == 0
    assert capsys.readouterr().out == "page as md\n"
    assert reported["read"] == ("study.toml", True)
    assert (reported["outputs"], reported["inputs"]) == (["AUC"], ["time"])
    assert (reported["tested"], reported["returns"]) == (["a", "b"], "vrs")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--lower-is-better FPR", "a study knows its own directions; leave out --lower-is-better"),
        ("--uncertainty s.csv", "a study knows its own data sets; leave out --uncertainty"),
        ("--plot p.png", "'study.toml' holds no metrics to draw; leave --plot out"),
    ],
)
def test_what_a_study_knows_itself_is_left_out(
    words: str,
    message: str,
    reported: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["report", "study.toml", *words.split()]) == 1
    assert capsys.readouterr().err == f"deabench: {message}\n"


def test_a_stream_of_text_takes_no_bytes() -> None:
    """It writes what can be looked at, and returns how much that is."""
    stream = PrintableStream(io.StringIO())
    assert stream.write("a\x1b[31mb\n") == len(stream.terminal.getvalue())
    assert "\x1b" not in stream.terminal.getvalue()
    with pytest.raises(TypeError):
        stream.write(b"a")  # type: ignore[arg-type]  # the test
