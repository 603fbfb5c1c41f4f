"""What a run of a study shows of its tasks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from deabench.cli import study
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
