"""Whom the gate solves again: those that are called inefficient though nothing dominates them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.models.shared import gate
from deabench.models.shared.gate import _overlooked_rows
from deabench.results.answer import Task
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {"a": [1.0, 3.0, 4.0, 2.0, 2.1], "b": [4.0, 3.0, 1.0, 2.0, 3.4], "x": [2.0, 2, 2, 2, 2]},
    index=list("pqrst"),
)
""" "s" is below "q" everywhere, "t" below the line from "p" to "q" and below neither of them."""


def rank(tested: pd.DataFrame = TABLE) -> db.Ranking:
    """Return a ranking in which nobody is called efficient."""
    model = db.models.SBM(returns="vrs", orientation="output")
    reference = None if tested is TABLE else TABLE
    ranking = db.rank(tested, outputs=["a", "b"], inputs=["x"], reference=reference, model=model)
    return replace(ranking, efficient=ranking.efficient & False)


def overlooked(ranking: db.Ranking) -> list[str]:
    task = Task(ranking.data, ranking.reference, ranking.options, ranking.own_reference)
    return [ranking.scores.index[k] for k in _overlooked_rows(task, ranking)]


def with_peers(ranking: db.Ranking, label: str, shares: dict[str, float]) -> db.Ranking:
    """Return a ranking with other peers of a DMU."""
    lam = ranking.intensities
    k = ranking.scores.index.get_loc(label)
    columns = np.full((len(lam.columns), 3), -1, dtype=np.int32)
    values = np.zeros(columns.shape)
    columns[:, : lam.columns.shape[1]] = lam.columns[:, :3]
    values[:, : lam.values.shape[1]] = lam.values[:, :3]
    columns[k] = -1
    values[k] = 0.0
    for position, (peer, share) in enumerate(shares.items()):
        columns[k, position] = TABLE.index.get_loc(peer)
        values[k, position] = share
    return replace(ranking, intensities=Sparse(columns, values))


def with_score(ranking: db.Ranking, label: str, score: float) -> db.Ranking:
    return replace(ranking, scores=ranking.scores.where(ranking.scores.index != label, score))


def test_who_is_undominated_is_overlooked_unless_called_efficient() -> None:
    ranking = rank()
    assert overlooked(ranking) == ["p", "q", "r"]
    called = ranking.efficient | (ranking.efficient.index == "q")
    assert overlooked(replace(ranking, efficient=called)) == ["p", "r"]
    assert overlooked(with_score(ranking, "r", np.nan)) == ["p", "q"]


@pytest.mark.parametrize(
    ("miss", "is_near"), [(0.0, True), (0.9e-7, True), (1.1e-7, False), (0.3, False)]
)
def test_a_score_near_the_best_one_is_looked_at_again(miss, is_near) -> None:
    for sign in (1, -1):
        ranking = with_peers(rank(), "q", {"p": 0.5, "r": 0.5})
        ranking = with_score(ranking, "q", 1 - sign * miss)
        # Its slacks are too large for one that lies beyond the reference.
        slacks = ranking.slacks.copy()
        slacks.loc["q"] = 0.5
        labels = overlooked(replace(ranking, slacks=slacks))
        assert labels == (["p", "q", "r"] if is_near else ["p", "r"])


@pytest.mark.parametrize(("share", "is_near"), [(0.0, True), (1e-5, True), (9e-5, False)])
def test_who_is_almost_its_own_only_peer_is_looked_at_again(share, is_near) -> None:
    """Of "b" of "q", 3 of 6, its peers reach a third of the share less."""
    ranking = with_peers(rank(), "q", {"q": 1 - share, "r": share})
    labels = overlooked(with_score(ranking, "q", 0.5))
    assert labels == (["p", "q", "r"] if is_near else ["p", "r"])


@pytest.mark.parametrize("label", ["s", "t"])
def test_who_is_dominated_is_not_looked_at_again(label) -> None:
    ranking = with_score(with_peers(rank(), label, {label: 1.0}), label, 1.0)
    assert overlooked(ranking) == ["p", "q", "r"]


@pytest.mark.parametrize(
    ("score", "slack", "is_open"),
    [
        (1.5, 0.0, True),
        (1.5, 0.9e-3, True),
        (1.5, 1.1e-3, False),
        (0.9, 0.0, False),
    ],
)
def test_who_lies_beyond_with_hardly_any_slack_is_solved_again(score, slack, is_open) -> None:
    tested = pd.DataFrame({"a": [6.0], "b": [5.0], "x": [2.0]}, index=["o"])
    ranking = with_score(rank(tested), "o", score)
    slacks = tested * [slack, 0.0, 0.0]
    ranking = replace(ranking, slacks=slacks)
    assert overlooked(ranking) == (["o"] if is_open else [])
    if is_open:
        called = ranking.efficient | True
        assert overlooked(replace(ranking, efficient=called)) == []


def test_who_is_overlooked_is_solved_again_in_fractions(monkeypatch) -> None:
    solved = []
    solve = db.models.SBM.solve

    def solve_and_note(self, task, advance):
        solved.append((task.exact, sorted(task.data.labels)))
        return solve(self, task, advance)

    monkeypatch.setattr(db.models.SBM, "solve", solve_and_note)
    monkeypatch.setattr(
        gate, "_overlooked_rows", lambda task, _: np.flatnonzero(task.data.labels == "t")
    )
    rank()
    assert solved == [(False, list("pqrst")), (True, ["t"])]
