"""What a run of a study shows of its tasks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from deabench.cli import study
from deabench.study.results.status import StudyStatus
from deabench.study.running.tasks import Outcome


def test_failures_are_written_out_and_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bars = []
    make_bar = study._make_progress_bar
    monkeypatch.setattr(study, "_make_progress_bar", lambda: bars.append(make_bar()) or bars[0])
    task = SimpleNamespace(label="set, learner")
    failure = Outcome("failed", error=("ValueError", "no [bold] way", ""))
    with study.show_progress() as (begin, watch):
        begin(10, 3)
        for outcome in (failure, Outcome("done"), failure):
            watch(task, outcome)
    assert capsys.readouterr().err.splitlines() == [
        "7 of 10 tasks are in the store, 3 to do",
        *["failed: set, learner: ValueError: no [bold] way"] * 2,
    ]
    # The bar has all three tasks of this run, and both failures.
    (shown,) = bars[0].tasks
    assert (shown.completed, shown.total, shown.fields["failures"]) == (3, 3, "2 failed")


def test_notes_on_the_data_come_before_the_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing = pd.Series(dtype=int)
    status = StudyStatus(total=1, done=1, failed=0, missing=0, failures=nothing, digest="0" * 64)
    plan = SimpleNamespace(
        unpermitted=[], require_permission=lambda: None, data_notes=["set 'x' has one column"]
    )
    calls = []
    fake = SimpleNamespace(plan=plan, run=lambda **options: calls.append(options) or status)
    monkeypatch.setattr(study, "_open_study", lambda *_: fake)
    study.run(tmp_path / "study.toml", workers=3)
    assert capsys.readouterr().err.splitlines()[0] == "note: set 'x' has one column"
    (options,) = calls
    assert (options["workers"], options["scheduler"], options["retry_failed"]) == (3, None, False)
    # Without a terminal the run itself writes lines.
    assert options["show_progress"]
