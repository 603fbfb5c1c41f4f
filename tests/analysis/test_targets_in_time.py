"""Targets that are found before the time limit are kept, and proved; the others have a reason."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.analysis import targets as targets_module
from deabench.errors import CertificateError, TimeLimitError
from deabench.geometry.closest import _FaceSearch
from deabench.results.targets import TIME_PASSED
from deabench.utils import progress

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
FRAME = pd.DataFrame(
    np.random.default_rng(2).uniform(0.5, 1, (12, 3)).round(3),
    columns=["TPR", "TNR", "PPV"],
    index=[f"m{k}" for k in range(12)],
)
SOLVED = 4


def stop_after(solved: int, monkeypatch, method: str) -> None:
    """Let the time limit pass where one more target than `solved` is searched."""
    calls = iter(range(1000))

    def count_down() -> None:
        if next(calls) >= solved:
            raise TimeLimitError("the time limit of 1 s has passed")

    if method == "milp":
        search_program = targets_module.closest_by_milp

        def stopped_program(*arguments, **keywords):
            count_down()
            return search_program(*arguments, **keywords)

        monkeypatch.setattr(targets_module, "closest_by_milp", stopped_program)
        return
    search_faces = _FaceSearch.closest

    def stopped_search(*arguments):
        count_down()
        return search_faces(*arguments)

    monkeypatch.setattr(_FaceSearch, "closest", stopped_search)


@pytest.mark.parametrize("method", ["faces", "milp"])
def test_what_was_found_in_time_is_kept_and_proved(method, monkeypatch) -> None:
    complete = db.targets(FRAME, FRAME, method=method)
    stop_after(SOLVED, monkeypatch, method)
    partial = db.targets(FRAME, FRAME, method=method)
    found, unsearched = FRAME.index[:SOLVED], FRAME.index[SOLVED:]
    pd.testing.assert_frame_equal(partial.targets.loc[found], complete.targets.loc[found])
    pd.testing.assert_series_equal(partial.distance[found], complete.distance[found])
    assert partial.targets.loc[unsearched].isna().all(axis=None)
    assert partial.reasons == dict.fromkeys(unsearched, TIME_PASSED)
    assert "4 of 12 targets were found in time" in partial.notes
    pd.testing.assert_series_equal(partial.position, complete.position)
    proof = db.certify(partial)
    assert any("8 targets, for which time had passed" in claim for claim in proof.unclaimed)


def test_what_was_found_without_facets_is_kept_after_the_limit() -> None:
    rng = np.random.default_rng(3)
    board = pd.DataFrame(rng.uniform(0.5, 1, (40, 9)), columns=[f"m{r}_acc" for r in range(9)])
    solved = []

    def count_steps(steps: int) -> None:
        solved.append(steps)
        if len(solved) == SOLVED:
            with pytest.raises(TimeLimitError):
                end_time()
            raise TimeLimitError("the time limit of 1 s has passed")

    def end_time() -> None:
        # From here on every linear program ends, too.
        deadline = progress._Deadline(1.0, 0.0, 0.0)
        progress._deadline.set(deadline)
        progress.check_time()

    token = progress._deadline.set(None)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(targets_module, "progress", lambda *_, **__: nullcontext(count_steps))
            partial = db.targets(board, board)
    finally:
        progress._deadline.reset(token)
    assert partial.method == "milp"
    # The target whose step ended the search counts: it was found.
    assert partial.distance.notna().tolist() == [k < SOLVED for k in range(40)]
    assert db.certify(partial).shape[0] == 40


def test_a_target_without_that_reason_must_be_proved_absent(monkeypatch) -> None:
    stop_after(SOLVED, monkeypatch, "faces")
    partial = db.targets(FRAME, FRAME, method="faces")
    forged = replace(partial, reasons=dict.fromkeys(partial.reasons, "nothing dominates it"))
    with pytest.raises(CertificateError):
        db.certify(forged)


@pytest.mark.parametrize("method", ["faces", "milp"])
def test_without_any_target_there_is_an_error(method, monkeypatch) -> None:
    stop_after(0, monkeypatch, method)
    with pytest.raises(TimeLimitError, match="the time limit of 1 s has passed"):
        db.targets(FRAME, FRAME, method=method)


def test_a_face_in_common_is_found_or_not(monkeypatch) -> None:
    stop_after(0, monkeypatch, "faces")
    with pytest.raises(TimeLimitError):
        db.targets(FRAME, FRAME, common=True)


def test_integer_programs_are_not_compared_with_faces_when_the_time_is_up(monkeypatch) -> None:
    def refuse_faces(*_: object) -> None:
        raise TimeLimitError("the time is up")

    stop_after(SOLVED, monkeypatch, "milp")
    monkeypatch.setattr(targets_module._Search, "on_faces", refuse_faces)
    result = db.targets(FRAME, FRAME, method="milp")
    assert result.targets.notna().all(axis=1).sum() == SOLVED
