"""A time limit ends a computation with how far it came; long ones write a line now and then."""

from __future__ import annotations

import importlib
import io
import re
import sys
import time

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.cli import main
from deabench.errors import TimeLimitError
from deabench.geometry.facets import check_listable, estimate_facets, list_facets
from deabench.utils import progress
from deabench.utils.arrays import box


def table(n: int, s: int) -> pd.DataFrame:
    values = np.random.default_rng(0).uniform(0.1, 0.9, (n, s))
    names = [f"m{r}" for r in range(s)]
    return pd.DataFrame(values, [f"c{k}" for k in range(n)], names)


def test_a_ranking_ends_with_how_far_it_came() -> None:
    with (
        pytest.raises(
            db.TimeLimitError, match=r"rank: \d{1,2} of 400 done after .*outputs.*time_limit="
        ),
        pytest.warns(db.DataWarning),
        db.time_limit(0.5),
    ):
        db.rank(table(400, 390))


def test_the_inner_of_two_limits_is_no_longer_than_the_outer() -> None:
    with db.time_limit(100):
        outer = progress.seconds_left()
        with db.time_limit(1000):
            assert progress.seconds_left() <= outer
        with db.time_limit(10):
            assert progress.seconds_left() <= 10
        with db.time_limit(None):
            assert 10 < progress.seconds_left() <= outer
    assert progress.seconds_left() is None
    with (
        pytest.raises(db.DataError, match="time_limit is 0; give a number of seconds above 0"),
        db.time_limit(0),
    ):
        pass


def test_a_task_that_is_on_the_way_to_its_end_goes_on() -> None:
    with db.time_limit(0.01, longest=60.0), progress.progress("work", 3) as advance:
        time.sleep(0.02)
        advance(1)
        advance(1)
    with db.time_limit(0.01, longest=60.0), progress.progress("work", 10**6) as advance:
        time.sleep(0.02)
        with pytest.raises(db.TimeLimitError, match=r"work: 1 of 1,000,000 done"):
            advance(1)


def test_a_line_now_and_then_where_there_is_no_terminal(monkeypatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "LINE_EVERY", 0.01)
    end = time.monotonic() + 60
    with progress.progress("work", 4) as advance:
        advance(1)
        # No step ends while the line is awaited.
        while "1 of 4" not in stream.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    lines = stream.getvalue().splitlines()
    line = next(line for line in lines if "1 of 4" in line)
    first = re.fullmatch(r"work: 1 of 4 done after (\d+) s, (\d+) s more at this speed", line)
    # Three of four steps are left; both numbers are rounded.
    assert abs(3 * int(first[1]) - int(first[2])) <= 2
    time.sleep(0.05)
    assert stream.getvalue().splitlines() == lines


SLOW_STEPS = {
    "rank": ("deabench.analysis.ranking.solve_proved", ["rank", "board.csv"]),
    "frontier": ("deabench.analysis.frontier.span_frontier", ["frontier", "board.csv"]),
    "targets": (
        "deabench.analysis.targets.span_frontier",
        ["targets", "board.csv", "--reference", "board.csv"],
    ),
    "report": ("deabench.analysis.ranking.solve_proved", ["report", "board.csv", "-o", "r.html"]),
}


@pytest.mark.parametrize("verb", mark_most_slow(SLOW_STEPS, 2))
def test_every_verb_writes_a_line_while_one_step_takes_long(verb, tmp_path, monkeypatch) -> None:
    table(12, 3).rename_axis("model").add_suffix("_acc", axis=1).to_csv(tmp_path / "board.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "LINE_EVERY", 0.01)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    name, words = SLOW_STEPS[verb]
    module, _, function = name.rpartition(".")
    step = getattr(importlib.import_module(module), function)

    def take_long(*arguments, **keywords):
        end = time.monotonic() + 60
        while "done after" not in stream.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
        return step(*arguments, **keywords)

    monkeypatch.setattr(name, take_long)
    assert main(words) == 0
    task = {"report": "rank"}.get(verb, verb)
    assert any(line.startswith(f"{task}: ") for line in stream.getvalue().splitlines())


@pytest.mark.parametrize(("n", "s"), [(150, 5), (60, 7), (40, 9), (14, 12)])
def test_the_estimate_of_facets_is_near_their_number(n, s) -> None:
    points = table(n, s).to_numpy()
    origin, unit = box(points)
    boxed = (points - origin) / unit
    truth = len(list_facets(boxed).members)
    assert truth / 4 <= estimate_facets(boxed)[0] <= 4 * truth


def test_a_frontier_of_many_metrics_has_its_extreme_classifiers_without_facets() -> None:
    board = table(120, 30)
    front = db.frontier(board)  # its facets could not be listed in a lifetime
    assert len(front.extreme) == 120
    assert any("the facets are not listed: 120 points in 30 metrics" in n for n in front.notes)
    # An extreme classifier has the largest value of some metric, or is efficient at least.
    assert set(front.extreme) <= set(db.rank(board).efficient.loc[lambda flag: flag].index)
    with pytest.raises(db.SolveError, match="fewer metrics in outputs"):
        _ = front.facets


def test_few_metrics_are_listed_without_an_estimate(monkeypatch) -> None:
    monkeypatch.setattr("deabench.geometry.facets.estimate_facets", None)
    check_listable(table(1300, 6).to_numpy())


def test_one_solve_has_a_little_time_left_and_more_in_a_task_that_may_go_on(monkeypatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress.time_limit(60):
        assert progress.seconds_left() == 60
        now = 159.0
        assert progress.seconds_left() == 1
        now = 200.0
        assert progress.seconds_left() == 1e-3
    with progress.time_limit(60, longest=600):
        assert progress.seconds_left() == 60
        now = 258.0
        assert progress.seconds_left() == 5


def test_a_task_may_go_on_that_needs_no_longer_than_it_may(monkeypatch) -> None:
    """After 72 of 60 seconds 6 of 10 steps are done: all need 120."""
    start = time.monotonic()
    now = start
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress.time_limit(60, longest=125), progress.progress("rank", 10) as advance:
        now = start + 72
        advance(6)
    now = start
    with progress.time_limit(60, longest=115), progress.progress("rank", 10) as advance:
        now = start + 72
        with pytest.raises(TimeLimitError) as caught:
            advance(6)
    assert str(caught.value) == (
        "the time limit of 60 s has passed; rank: 6 of 10 done after 72 s, 48 s more at this "
        "speed. Name fewer metrics in outputs, take fewer rows, or allow more time, as "
        "time_limit=200"
    )
