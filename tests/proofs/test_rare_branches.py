"""Branches that ordinary tables do not reach, each on one that does or with a part replaced."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.errors import CertificateError, SolveError
from deabench.models.shared import radial, radial_problems
from deabench.proofs.frontier import count_open_ridges
from deabench.proofs.reasons import UNPROVED
from deabench.proofs.weightings import _keep_bounds

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
COSTS = pd.DataFrame(
    {"a": [2.0, 4.0, 3.0, 1.0], "b": [4.0, 2.0, 3.5, 1.0], "x": [1.0, 2.0, 1.5, 3.0]},
    index=list("pqrs"),
)


@pytest.mark.parametrize("base", [10, 3 * 10**9, 2**32])
@pytest.mark.parametrize("s", [3, 4])
def test_ridges_are_counted_whether_or_not_one_number_holds_them(s, base) -> None:
    rng = np.random.default_rng(s)
    n = base - s
    # Six rows of the table, or six of very many, and an axis for each metric behind them.
    names = np.append(np.linspace(0, n - 1, 6).astype(np.int64), n + np.arange(s))
    for _ in range(6):
        members = names[np.array([rng.permutation(6 + s)[:s] for _ in range(9)])]
        ridges = Counter(
            frozenset(ridge)
            for simplex in (*members.tolist(), range(n, n + s))
            for ridge in combinations(simplex, s - 1)
        )
        assert count_open_ridges(members, n) == sum(count % 2 for count in ridges.values())


def test_options_that_the_model_refuses_are_refused() -> None:
    ranking = rank_with(COSTS, model="ccr", outputs=["a", "b"], inputs=["x"])
    options = replace(ranking.options)
    object.__setattr__(options, "returns", "some")
    with pytest.raises(CertificateError, match="'options' has a value that the model refuses"):
        db.certify(replace(ranking, options=options))


def test_shares_of_outputs_and_of_inputs_bound_weights_of_their_own_side() -> None:
    table = COSTS.assign(z=[3.0, 1.0, 2.0, 2.0])
    shares = {"a": (0.2, 0.7), "z": (0.1, 0.6)}
    result = db.weightings(
        table, outputs=["a", "b"], inputs=["x", "z"], model="ratio", shares=shares, draws=64
    )
    db.certify(result)
    # Weights of metrics in units, in tenths: the share of "a" and that of "z".
    for a in range(11):
        for z in range(11):
            is_within = 2 <= a <= 7 and 1 <= z <= 6
            assert _keep_bounds(result, [(a, 10 - a), (10 - z, z)]) == is_within


def test_a_radial_score_that_nothing_proves_leaves_its_reason_alone(monkeypatch) -> None:
    def refuse_all(answer, reached) -> np.ndarray:
        return np.full(len(answer.scores), np.inf)

    monkeypatch.setattr(radial, "_certificate_violations", refuse_all)
    ranking = rank_with(COSTS, model="ccr", outputs=["a", "b"], inputs=["x"])
    assert ranking.scores.isna().all()
    assert not ranking.efficient.any()
    assert ranking.slacks.isna().all(axis=None)
    assert ranking.weights.isna().all(axis=None)
    assert set(ranking.reasons) == set(COSTS.index)
    assert all(UNPROVED in reason for reason in ranking.reasons.values())
    assert any("4 DMUs have no score" in text for text in db.certify(ranking).unclaimed)


def test_what_floating_point_cannot_solve_is_solved_exactly(monkeypatch) -> None:
    model = db.models.SBM
    honest = rank_with(COSTS, model="sbm", outputs=["a", "b"], inputs=["x"])
    solve = model.solve

    def solve_only_exactly(self, task, advance):
        if not task.exact:
            raise SolveError("no")
        return solve(self, task, advance)

    def solve_never(self, task, advance):
        raise SolveError("no")

    monkeypatch.setattr(model, "solve", solve_only_exactly)
    ranking = rank_with(COSTS, model="sbm", outputs=["a", "b"], inputs=["x"])
    np.testing.assert_allclose(ranking.scores, honest.scores, rtol=1e-12)
    db.certify(ranking)
    monkeypatch.setattr(model, "solve", solve_never)
    with pytest.raises(SolveError, match="no"):
        rank_with(COSTS, model="sbm", outputs=["a", "b"], inputs=["x"])


@pytest.mark.parametrize("are_mixed", [True, False])
def test_undominated_dmus_inside_the_hull_are_listed_unless_mixtures_reach_them(
    are_mixed, monkeypatch
) -> None:
    table = pd.DataFrame({"a": [1.0, 4.0, 2.0, 3.0], "b": [4.0, 1.0, 2.0, 3.0]}, list("pqrs"))
    table.loc["t"] = [3.5, 1.1]
    monkeypatch.setattr(radial_problems, "MANY", 1)
    monkeypatch.setattr(radial_problems, "should_enumerate_facets", lambda *_: True)
    if not are_mixed:
        monkeypatch.setattr(
            radial, "dominated_by_mixtures", lambda _, rows: np.zeros(len(rows), dtype=bool)
        )
    ranking = rank_with(table, model="wei")
    # "t" is below the line from "q" to "s", and nothing dominates it.
    assert ranking.frontier.tolist() == ([0, 1, 3] if are_mixed else [0, 1, 3, 4])
    assert ranking.efficient.tolist() == [True, True, False, True, False]
    db.certify(ranking)


@pytest.mark.parametrize(
    ("orientation", "score", "meaning"),
    [
        ("input", 0.75, "every input could shrink by 25.0 % together"),
        ("input", 1.0, "every input could shrink by 0.0 % together"),
        ("input", 1.5, "every input could grow by 50.0 % together before the others reach it"),
        ("output", 0.8, "every output could grow by 25.0 % together"),
        ("output", 1.0, "every output could grow by 0.0 % together"),
        ("output", 0.0, "every output could grow by inf % together"),
        ("output", 2.0, "every output could shrink by 50.0 % together before the others reach it"),
    ],
)
def test_a_factor_means_what_it_is_the_factor_of(orientation, score, meaning) -> None:
    assert db.models.CCR(orientation=orientation).meaning(score) == meaning


@pytest.mark.parametrize("returns", ["crs", "vrs", "nirs", "ndrs"])
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_metric_of_0_that_the_peers_have_none_of_leaves_no_gap(orientation, returns) -> None:
    """A factor does not move it, and no share of it is gained."""
    table = pd.DataFrame(
        {
            "a": [2.0, 4.0, 3.0, 1.0, 2.0],
            "b": [0.0, 0.0, 3.5, 0.0, 1.0],
            "x": [1.0, 2.0, 1.5, 3.0, 2.5],
            "z": [0.0, 0.0, 1.0, 0.0, 0.0],
        },
        index=list("pqrst"),
    )
    options = {"model": "ccr", "returns": returns, "orientation": orientation}
    ranking = rank_with(table, outputs=["a", "b"], inputs=["x", "z"], **options)
    assert not ranking.reasons
    certificate = db.certify(ranking)
    assert certificate["gap"].max() < 1e-12
    np.testing.assert_allclose(certificate["primal"], ranking.scores, rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"model": "ccr", "returns": "vrs"},
        {"model": "ccr", "returns": "vrs", "orientation": "input"},
        {"model": "super", "returns": "vrs"},
        {"model": "fdh"},
        {"model": "fdh", "orientation": "input"},
        {"model": "sbm", "returns": "vrs"},
        {"model": "super-sbm", "returns": "vrs"},
        {"model": "russell"},
        {"model": "russell", "orientation": "none"},
        {"model": "russell", "technology": "fdh"},
        {"model": "sbm", "technology": "fdh"},
        {"model": "additive"},
        {"model": "additive", "technology": "fdh"},
        {"model": "ram"},
        {"model": "ddf"},
        {"model": "ddf", "technology": "fdh"},
    ],
    ids=str,
)
def test_nothing_else_is_said_of_who_has_no_score(options) -> None:
    """ "far" needs less and has more than all mixtures, whichever way it goes."""
    tested = pd.DataFrame({"a": [2.0, 9.0], "b": [2.0, 9.0], "x": [2.0, 0.25]}, ["near", "far"])
    metrics = {"outputs": ["a", "b"], "inputs": ["x"], "reference": COSTS}
    ranking = rank_with(tested, **metrics, **options)
    db.certify(ranking)
    if not ranking.reasons:  # a distance leads back from beyond, too
        assert options["model"] == "ddf"
        return
    assert list(ranking.reasons) == ["far"]
    assert np.isnan(ranking.scores["far"])
    assert ranking.slacks.loc["far"].isna().all()
    assert ranking.weights.loc["far"].isna().all()
    assert not ranking.efficient["far"]
    assert not np.isnan(ranking.scores["near"])
    assert ranking.slacks.loc["near"].notna().all()
    # Neither bounds of a score nor a miss of any claim.
    proof = ranking.proof()
    assert proof.frame.loc["far"].drop("gap").isna().all()
    misses = pd.DataFrame(proof.violations, ranking.scores.index).loc["far"]
    assert not (misses.fillna(0.0) > 0).any()
    if "fdh" in options.values():
        assert misses.notna().all()


@pytest.mark.parametrize("model", ["ddf", "rdm"])
def test_nothing_is_missed_by_who_has_no_peer_along_its_direction(model) -> None:
    """ "far" needs less than all others, and its direction leads to more outputs alone."""
    tested = pd.DataFrame({"a": [0.5, 0.5], "b": [0.5, 0.5], "x": [9.0, 0.25]}, ["near", "far"])
    options = {"technology": "fdh"}
    if model == "ddf":
        options["direction"] = {"a": 1.0, "b": 1.0, "x": 0.0}
    else:
        options["orientation"] = "output"
    ranking = rank_with(
        tested, reference=COSTS, outputs=["a", "b"], inputs=["x"], model=model, **options
    )
    db.certify(ranking)
    assert list(ranking.reasons) == ["far"]
    misses = pd.DataFrame(ranking.proof().violations, tested.index).loc["far"]
    assert (misses == 0).all()


@pytest.mark.parametrize("orientation", ["output", "input"])
def test_a_metric_that_nobody_has_leaves_slacks_to_be_told(orientation) -> None:
    reference = COSTS.assign(b=0.0)
    tested = reference.iloc[:2] * [0.5, 1.0, 2.0]
    ranking = rank_with(
        tested, reference=reference, outputs=["a", "b"], inputs=["x"], model="fdh",
        orientation=orientation,
    )  # fmt: skip
    assert ranking.scores.notna().all()
    db.certify(ranking)
    assert ranking.proof().violations["slack_that_is_not_the_largest"].max() <= 1e-12


def test_a_model_says_whether_it_proves_its_scores_itself() -> None:
    """Radial efficiencies are proved as they are solved, but for restricted weights."""
    assert db.models.CCR().proves_its_scores
    assert not db.models.CCR(shares={"a": (0.1, 0.9)}).proves_its_scores
    assert db.models.WEI().proves_its_scores
    assert not db.models.WEI(shares={"a": (0.1, 0.9)}).proves_its_scores
    assert not db.models.SBM().proves_its_scores


def test_super_efficiencies_need_a_proof_where_they_are_no_efficiencies_of_a_table() -> None:
    options = {"outputs": ["a", "b"], "inputs": ["x"], "model": "super"}
    among_their_own = rank_with(COSTS, **options)
    assert (among_their_own.scores < 1).any()
    expected = (among_their_own.scores >= 1).tolist()
    assert among_their_own.options.needs_proof(among_their_own).tolist() == expected
    beside_another = rank_with(COSTS * [0.5, 0.5, 1.0], reference=COSTS, **options)
    assert (beside_another.scores < 1).any()
    assert beside_another.options.needs_proof(beside_another).all()
