"""Scores that are computed before the time limit are kept, and proved; the others have a reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.analysis import layers, ranking
from deabench.cli import main
from deabench.errors import CertificateError, DataError, TimeLimitError
from deabench.results.answer import NOT_COMPUTED

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
COUNT = 24
METRICS = [f"m{r}_acc" for r in range(8)]
FRAME = pd.DataFrame(
    np.random.default_rng(4).uniform(0.3, 1, (COUNT, 8)).round(3),
    columns=METRICS,
    index=[f"c{k}" for k in range(COUNT)],
).rename_axis("model")
PARTS = 6
SOLVED = 2
INPUTS = {"inputs": METRICS[:2], "outputs": METRICS[2:]}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch) -> None:
    """Split the small table into parts, as large ones are."""
    monkeypatch.setattr(ranking, "PART_WORK", COUNT * len(METRICS) ** 2 // (PARTS - 1))


def stop_after(parts: int, monkeypatch) -> None:
    """Let the time limit pass where one more part than `parts` is solved."""
    calls = iter(range(1000))
    solve = ranking.solve_proved

    def stopped_solve(task, advance):
        if next(calls) >= parts:
            raise TimeLimitError("the time limit of 1 s has passed. Allow more time")
        return solve(task, advance)

    monkeypatch.setattr(ranking, "solve_proved", stopped_solve)


OF_MODELS = {
    "wei": {"outputs": METRICS, "model": "wei"},
    "ccr": {**INPUTS, "model": "ccr", "returns": "vrs"},
    "sbm": {**INPUTS, "model": "sbm"},
    "additive": {**INPUTS, "model": "additive"},
    "super": {**INPUTS, "model": "super"},
    "super-sbm": {**INPUTS, "model": "super-sbm"},
    "ddf": {**INPUTS, "model": "ddf"},
    "fdh": {**INPUTS, "model": "fdh"},
}


@pytest.mark.parametrize("name", OF_MODELS)
def test_parts_together_are_the_whole(name) -> None:
    whole = db.rank(FRAME, **OF_MODELS[name])
    with db.time_limit(600):
        parts = db.rank(FRAME, **OF_MODELS[name])
    assert parts.path.startswith(f"in {PARTS} parts, the first ")
    np.testing.assert_allclose(parts.scores, whole.scores, rtol=0, atol=1e-9)
    pd.testing.assert_series_equal(parts.efficient, whole.efficient)
    pd.testing.assert_series_equal(parts.ranks, whole.ranks)
    assert not parts.is_partial
    db.certify(parts)


@pytest.mark.parametrize("name", OF_MODELS)
def test_what_was_computed_in_time_is_kept_and_proved(name, monkeypatch) -> None:
    whole = db.rank(FRAME, **OF_MODELS[name])
    stop_after(SOLVED, monkeypatch)
    with db.time_limit(600):
        partial = db.rank(FRAME, **OF_MODELS[name])
    solved = FRAME.index[: SOLVED * COUNT // PARTS]
    others = FRAME.index[len(solved) :]
    assert partial.is_partial
    assert partial.reasons == dict.fromkeys(others, NOT_COMPUTED)
    np.testing.assert_allclose(partial.scores[solved], whole.scores[solved], rtol=0, atol=1e-9)
    pd.testing.assert_series_equal(partial.efficient[solved], whole.efficient[solved])
    assert partial.scores[others].isna().all()
    assert not partial.efficient[others].any()
    assert partial.projections.loc[others].isna().all(axis=None)
    # No rank is known before all scores are; the best of those computed stand first.
    assert partial.ranks.isna().all()
    frame = partial.to_frame()
    assert set(frame.index[: len(solved)]) == set(solved)
    by_merit = whole.to_frame().index
    assert list(frame.index[: len(solved)]) == [label for label in by_merit if label in solved]
    note = partial.notes[-1]
    assert note.startswith("8 of 24 scores were computed in time, and without all scores there are")
    assert "Allow more time" in note
    proof = db.certify(partial)
    assert (proof.loc[solved, "gap"] < 1e-9).all()
    assert "anything about 16 DMUs, for which time had passed" in proof.unclaimed


def test_a_score_beside_that_reason_is_refused(monkeypatch) -> None:
    stop_after(SOLVED, monkeypatch)
    with db.time_limit(600):
        partial = db.rank(FRAME, outputs=METRICS)
    for reasons in (
        dict.fromkeys(partial.reasons, "every output of it is 0"),
        {**partial.reasons, "c0": NOT_COMPUTED},
    ):
        with pytest.raises(CertificateError):
            db.certify(replace(partial, reasons=reasons))
    forged = partial.efficient.copy()
    forged["c23"] = True
    with pytest.raises(CertificateError, match="'c23': claim of what was not computed"):
        db.certify(replace(partial, efficient=forged))


def test_rows_without_output_keep_their_own_reason(monkeypatch) -> None:
    table = FRAME.copy()
    table.iloc[[0, -1], 2:] = 0.0
    stop_after(SOLVED, monkeypatch)
    with db.time_limit(600):
        partial = db.rank(table, **INPUTS, model="ccr", returns="vrs")
    assert partial.reasons["c0"] == partial.reasons["c23"] != NOT_COMPUTED
    # The other 22 are solved in five parts.
    assert list(partial.reasons.values()).count(NOT_COMPUTED) == 22 - 10
    db.certify(partial)


def test_texts_of_a_partial_ranking(monkeypatch, tmp_path) -> None:
    stop_after(SOLVED, monkeypatch)
    with db.time_limit(600):
        partial = db.rank(FRAME, outputs=METRICS)
    assert "16 could not be scored (c8: it was not computed: the time limit" in partial.summary()
    assert "no rank, for some scores were not computed in time" in partial.explain("c0")
    assert partial.explain("c9") == (
        "c9 has no efficiency: it was not computed: the time limit had passed."
    )
    with pytest.raises(DataError, match="a partial ranking has no intervals; allow more time"):
        partial.with_uncertainty(None)


def test_what_needs_all_scores_ends_with_the_sentence(monkeypatch) -> None:
    stop_after(SOLVED, monkeypatch)
    with db.time_limit(600), pytest.raises(TimeLimitError, match="8 of 24 scores were computed"):
        layers.layers(FRAME, outputs=METRICS)
    with db.time_limit(600), pytest.raises(TimeLimitError, match="the time limit of 1 s"):
        db.advise(FRAME, outputs=METRICS)


def test_without_any_score_there_is_an_error(monkeypatch) -> None:
    stop_after(0, monkeypatch)
    with db.time_limit(600), pytest.raises(TimeLimitError, match="the time limit of 1 s"):
        db.rank(FRAME, outputs=METRICS)


@pytest.mark.parametrize(
    ("seconds", "options"),
    [
        (None, {"outputs": METRICS}),
        (600, {"outputs": METRICS[:6]}),
        (600, {**INPUTS, "model": "cross"}),
    ],
    ids=["no limit", "few metrics", "rows that need each other"],
)
def test_one_part_where_more_are_of_no_use(seconds, options, monkeypatch) -> None:
    stop_after(1, monkeypatch)
    with db.time_limit(seconds):
        assert not db.rank(FRAME, **options).is_partial


def test_the_command_prints_the_part_and_does_not_exit_0(monkeypatch, tmp_path, capsys) -> None:
    FRAME.to_csv(tmp_path / "board.csv")
    stop_after(SOLVED, monkeypatch)
    out = tmp_path / "ranking.csv"
    assert main(["rank", str(tmp_path / "board.csv"), "-o", str(out)]) == 1
    err = capsys.readouterr().err
    assert err.count("8 of 24 scores were computed in time") == 1
    assert err.count("had passed") == 0
    assert "8 scores proved" in err
    written = pd.read_csv(out)
    assert written["efficiency"].notna().sum() == 8
    assert written["rank"].isna().all()
