"""DMUs that are judged together, each by its own entries, and claims that are wrong alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.errors import CertificateError
from deabench.models.shared import slack_programs
from deabench.models.shared.restricted_bounds import exact_gains_with_trade_offs
from deabench.models.shared.single_peers import _slack_errors
from deabench.proofs import ranking
from deabench.proofs.bounds import repaired_gains
from deabench.proofs.exact_repair import Technology, exact_gains, polished_weights
from deabench.proofs.radial import radial_frame, slack_errors
from deabench.proofs.targets import target_violations
from deabench.results.proof import SlackWeights
from deabench.utils.arrays import TOLERANCE, Sparse
from deabench.utils.rational import inner_product, to_fractions

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {"a": [1.0, 4.0, 2.0, 3.0], "b": [4.0, 1.0, 2.0, 2.0], "x": [1.0, 2.0, 3.0, 2.0]}, list("pqrs")
)


def test_gains_are_those_of_a_dmu_alone_beside_one_of_many_small_peers() -> None:
    """The first has three peers that are itself; the second needs a Σ λ of 300."""
    technology = Technology(np.array([[0.9, -0.3], [0.01, -0.001]]), 1, (0.0, np.inf))
    tested = np.array([[0.9, -0.3], [3.0, -0.3]])
    lam = Sparse(
        np.array([[0, 0, 0], [1, -1, -1]], dtype=np.int32),
        np.array([[0.3, 0.3, 0.4], [300.0, 0.0, 0.0]]),
    )
    held = np.ones((2, 2), dtype=bool)
    together = repaired_gains(technology, tested, lam, held, np.zeros((2, 2)))
    for k in range(2):
        rows = slice(k, k + 1)
        alone = repaired_gains(technology, tested[rows], lam[rows], held[rows], np.zeros((1, 2)))
        for part, part_alone in zip(together, alone, strict=True):
            assert (part[k] == part_alone[0]).all()


def test_entries_that_rounding_left_at_0_are_those_of_the_dmu() -> None:
    """The second is reached by its second peer alone, whose λ is 0; the first has one peer."""
    technology = Technology(np.array([[1.0, 0.0], [1.0, 2.0**-40]]), 0, (1.0, 1.0))
    lam = Sparse(np.array([[0, -1], [0, 1]], dtype=np.int32), np.array([[1.0, 0.0], [1.0, 0.0]]))
    tested = np.array([1.0, 2.0**-41])
    held = np.array([False, True])
    gains = list(exact_gains(technology, tested, lam, 1, held, np.zeros(2)))
    assert [gain[1] for gain in gains] == [0]
    assert not list(exact_gains(technology, tested, lam, 0, held, np.zeros(2)))


@pytest.mark.parametrize(("share", "counts"), [(1e-8, False), (5e-7, True), (1e-5, True)])
def test_small_peers_count_by_their_intensity(share, counts) -> None:
    """A thousandth of the first peer in all metrics, the second is next to nothing of the sum."""
    points = np.array([[1.0, 2.0, -1.0], [2e-6, 1e-6, -1e-6]])
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[1.0, share]]))
    weights = np.array([1.0, 1.0, 3.0 + 2.0**-30])
    polished = polished_weights(Technology(points, 1, (0.0, np.inf)), weights, lam, 0, np.zeros(3))
    assert polished is not None
    values = [inner_product(polished, to_fractions(point)) for point in points]
    assert values[0] == 0
    assert (values[1] == 0) == counts


def test_amounts_move_by_shares_of_themselves() -> None:
    """To 3.5 from 1 + 2: the second moves by four times what the first does."""
    technology = Technology(np.array([[1.0, 1.0], [1.0, 0.0]]), 0, (0.0, np.inf))
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[1.0, 2.0]]))
    aim = np.array([3.5, 0.0])
    gains = exact_gains_with_trade_offs(technology, aim, lam, 0, np.zeros(0), np.zeros((0, 2)))
    assert next(iter(gains)) == [0, 1 + Fraction(1, 10)]


@pytest.mark.parametrize(("own", "reached"), [(0.5, 0.125), (0.125, 0.5), (0.5, 4.0), (0.0, 0.25)])
def test_slacks_are_off_by_shares_of_the_larger_value(own, reached) -> None:
    scaled: Any = SimpleNamespace(
        x=np.array([[own]]),
        y=np.zeros((1, 0)),
        X=np.array([[reached]]),
        Y=np.zeros((1, 0)),
        units=np.ones(1),
    )
    answer: Any = SimpleNamespace(
        intensities=Sparse(np.zeros((1, 1), dtype=np.int32), np.ones((1, 1))),
        slacks=pd.DataFrame({"x": [0.25]}),
    )
    errors = _slack_errors(answer, scaled, np.array([[0.5]]))
    assert errors[0, 0] == 0.25 / min(max(own, reached), 1.0)


def test_programs_are_solved_again_beyond_the_tolerance(monkeypatch) -> None:
    excess = np.array([0.0, TOLERANCE, 0.5 * TOLERANCE, 2 * TOLERANCE])
    error = np.array([0.0, 0.0, 0.75 * TOLERANCE, 0.0])
    monkeypatch.setattr(slack_programs, "excess_of_weights", lambda *_: (excess, error, None))
    monkeypatch.setattr(
        slack_programs, "solved_multipliers", lambda *_, **__: (np.ones((4, 1)), np.ones((4, 1)))
    )
    scaled: Any = SimpleNamespace(
        X=np.ones((1, 1)),
        Y=np.ones((1, 1)),
        x=np.ones((4, 1)),
        y=np.ones((4, 1)),
        m=1,
        returns="vrs",
    )
    solutions: Any = SimpleNamespace(objective=np.zeros(4))
    positions = slack_programs._unproved_positions(
        scaled, np.array([0]), np.arange(4), np.zeros((4, 2)), solutions
    )
    assert positions.tolist() == [2, 3]


def test_of_a_common_face_without_targets_the_milp_claims_nothing() -> None:
    targets = db.targets(TABLE[["a", "b"]], TABLE[["a", "b"]], common=True, method="milp")
    absent = replace(targets, distance=targets.distance * np.nan)
    proof = pd.DataFrame({"least_weight": 1.0, "closest": np.nan}, targets.distance.index)
    assert target_violations(absent, proof)["closest"].tolist() == [0.0] * 4


def test_u_0_stands_anywhere_among_the_weights() -> None:
    honest = rank_with(TABLE, outputs=["a", "b"], inputs=["x"], model="ccr", returns="vrs")
    assert honest.weights["u_0"].any()
    names = list(honest.weights.columns)
    for columns in (["u_0", *names[:-1]], [names[0], "u_0", *names[1:-1]]):
        frame = radial_frame(replace(honest, weights=honest.weights[columns]))
        assert frame["dual_infeasibility"].max() <= 1e-12


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_slacks_are_shares_of_own_values_up_to_the_metrics_maxima(orientation) -> None:
    """One DMU has nothing of an output, one is far beyond the reference in all metrics."""
    reference = TABLE * [1.0, 100.0, 10.0]
    tested = pd.DataFrame({"a": [0.5, 80.0], "b": [0.0, 8e3], "x": [2.0, 400.0]}, list("uv"))
    result = rank_with(
        tested,
        reference=reference,
        outputs=["a", "b"],
        inputs=["x"],
        model="ccr",
        orientation=orientation,
    )
    projected = tested.copy()
    if orientation == "input":
        projected["x"] *= result.scores
    else:
        projected[["a", "b"]] = projected[["a", "b"]].div(result.scores, axis=0)
    assert slack_errors(result).max() <= 1e-9
    for name in tested:
        forged = replace(result, slacks=result.slacks.assign(**{name: result.slacks[name] + 1}))
        unit = reference[name].max()
        sizes = projected[name].where(projected[name] > 0, unit).clip(upper=unit)
        assert slack_errors(forged) == pytest.approx((1 / sizes).to_numpy())


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_weights_support_a_dmu_itself_and_beyond_the_reference_its_peers(
    order, monkeypatch
) -> None:
    """Half of the first DMU, with half of its outputs again, and the DMU with twice of them."""
    values = TABLE.loc["p"].to_numpy() * [[0.25, 0.25, 0.5], [2.0, 2.0, 1.0]]
    tested = pd.DataFrame(values, ["half", "twice"], TABLE.columns).iloc[order]
    options = {"model": "ccr", "orientation": "output", "returns": "nirs"}
    result = rank_with(tested, reference=TABLE, outputs=["a", "b"], inputs=["x"], **options)
    assert result.scores.to_dict() == pytest.approx({"half": 0.5, "twice": 2.0})
    assert result.intensities.values.sum(axis=1)[order].tolist() == pytest.approx([0.5, 1.0])
    supported: list[tuple[list[Any], str]] = []
    monkeypatch.setattr(
        ranking,
        "has_supporting_weights",
        lambda _, points, __, returns: supported.append((points.tolist(), returns)),
    )
    proof = ranking.SlackProof(result, SlackWeights(np.ones((1, 3)), np.zeros(2, dtype=np.int32)))
    for k in range(2):
        proof.is_supported(k)
    expected = [([0.25, 1.0, -0.5], "nirs"), ([[1.0, 4.0, -1.0]], "nirs")]
    assert supported == [expected[k] for k in order]


def test_efficient_below_1_is_the_only_claim_that_is_wrong() -> None:
    """Its peers stay those that it has."""
    honest = db.rank(TABLE, outputs=["a", "b"], inputs=["x"], model="super-sbm")
    is_below = (honest.scores < 0.9).to_numpy()
    assert is_below.any()
    forged = replace(honest, efficient=honest.efficient | is_below)
    violations = forged.options.prove(forged).violations
    wrong = {name for name, values in violations.items() if np.max(values) > TOLERANCE}
    assert wrong == {"efficient"}
    assert (violations["efficient"][is_below] == 1).all()


def test_a_super_efficiency_of_1_is_one_against_the_others() -> None:
    """All else is that of the efficiency of 1, which nothing but the others refuses."""
    metrics = {"outputs": ["a", "b"], "inputs": ["x"]}
    honest = db.rank(TABLE, model="super-sbm", **metrics)
    efficiencies = db.rank(TABLE, model="sbm", **metrics)
    is_above = (honest.scores > 1.1).to_numpy()
    assert is_above.any()
    forged = replace(
        honest,
        scores=honest.scores.clip(upper=1.0),
        slacks=efficiencies.slacks,
        weights=efficiencies.weights,
    )
    violations = forged.options.prove(forged).violations
    wrong = {name for name, values in violations.items() if np.max(values) > TOLERANCE}
    assert wrong == {"gap", "distance_of_the_score_from_its_bounds"}
    assert ((violations["gap"] > 0.1) == is_above).all()


def test_weights_prove_no_more_than_the_super_efficiency() -> None:
    """The first may have peers that are too large; its weights, raised, would break a limit."""
    table = pd.DataFrame({"a": [2.0, 2.0], "x": [1.0, 1.5], "z": [3.0, 3.0]}, list("pq"))
    honest = db.rank(table, outputs=["a"], inputs=["x", "z"], model="super-sbm")
    assert honest.scores["p"] == pytest.approx(1.25)
    values = honest.intensities.values.copy()
    assert values[0].sum() == pytest.approx(1.0)
    values[0] *= 1.1
    scores = honest.scores.copy()
    scores["p"] = 1 + (1.5 * 1.1 - 1 + 0.1) / 2
    lam = Sparse(honest.intensities.columns, values)
    for share in (0.2, 0.8, 1.0):
        weights = honest.weights.mul(pd.Series({"a": share, "x": 1.0, "z": 1.0}), axis=1)
        forged = replace(honest, scores=scores, weights=weights, intensities=lam)
        proof = forged.options.prove(forged)
        assert proof.frame.loc["p", ["primal", "dual"]].tolist() == pytest.approx([1.375, 1.25])
        assert proof.violations["gap"][0] > 0.05


@pytest.mark.parametrize(
    ("goal", "name"), [("largest", "common"), ("largest", "own_weights"), ("sum", "common")]
)
def test_tables_of_common_weights_have_the_rows_of_the_data(goal, name) -> None:
    honest = db.rank(TABLE[["a", "b"]], model=db.models.Common(goal=goal))
    rows = honest.tables[name]
    for changed in (rows.set_axis(list("pqrt")), rows.iloc[::-1], rows.iloc[:3]):
        forged = replace(honest, tables={**honest.tables, name: changed})
        with pytest.raises(CertificateError, match=f"has no table '{name}' with the rows"):
            db.certify(forged)


@pytest.mark.parametrize(
    ("gains", "values", "expected"),
    [
        ([0.5, -0.25], [0.5, 0.5], 0.25),
        ([0.5, 0.25], [0.5, 0.5], 0.0),
        ([-0.5, -0.25], [0.5, 0.5], 0.5),
        ([0.5, 0.25], [1.125, -0.125], 0.125),
        ([0.5, 0.25], [0.5, 0.25], 0.25),
    ],
)
def test_peers_break_constraints_by_gains_sums_and_signs(gains, values, expected) -> None:
    scaled: Any = SimpleNamespace(gains=lambda _: np.array([gains]), returns="vrs")
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([values]))
    assert slack_programs.gains_and_violation(scaled, lam)[1].tolist() == [expected]
