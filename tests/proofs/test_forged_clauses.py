"""For single clauses of the provers: a forgery, consistent in all else, that only the clause
refuses, or an honest result that only it passes.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from scipy.optimize import linprog

import deabench as db
from deabench.errors import CertificateError
from deabench.models import holder, sbm
from deabench.models.shared import infeasibility
from deabench.models.shared.scaled_data import ScaledData, support
from deabench.proofs.frontier import (
    _count_bad_units,
    count_malformed,
    count_wrong_dominators,
)
from deabench.proofs.ranking import dominated_by_mixtures, weighted_maxima
from deabench.proofs.reasons import NO_OUTPUT, reason_violations
from deabench.proofs.structure import _position_violations
from deabench.proofs.targets import certify_targets, target_violations
from deabench.results.proof import SlackWeights
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
COSTS = pd.DataFrame(
    {"a": [2.0, 4.0, 3.0, 5.0], "x": [2.0, 3.0, 4.0, 6.0], "z": [3.0, 2.0, 3.0, 5.0]},
    index=list("pqro"),
)


@pytest.mark.parametrize("orientation", ["none", "output"])
def test_others_without_an_output_are_counted_without_the_dmu_itself(orientation) -> None:
    table = pd.DataFrame({"a": [1.0, 0.0, 0.0], "b": [0.0, 1.0, 2.0]}, index=list("pqr"))
    ranking = rank_with(table, model="super-sbm", orientation=orientation)
    assert "the others do not reach it" in ranking.reasons["p"]
    db.certify(ranking)


@pytest.mark.parametrize(
    "options",
    [
        {"model": "rdm"},
        {"model": "additive"},
        {"model": "ram"},
        {"model": "ddf", "direction": "range"},
    ],
)
@pytest.mark.parametrize("is_tested_negative", [True, False])
def test_a_metric_negative_in_one_table_is_counted_from_one_origin(
    options, is_tested_negative
) -> None:
    tested = pd.DataFrame({"a": [0.5, 1.5, 2.0], "b": [1.0, 0.5, 0.25]}, index=list("pqr"))
    reference = pd.DataFrame({"a": [1.0, 3.0, 2.5], "b": [2.0, 1.0, 1.75]}, index=list("uvw"))
    if not is_tested_negative:
        tested, reference = reference, tested.set_axis(list("xyz")).add([2.0, 1.5])
    lowest = (tested if is_tested_negative else reference).min()
    shift = pd.Series({"a": lowest["a"] + 0.25, "b": 0.0})
    moved = rank_with(tested - shift, reference=reference - shift, **options)
    plain = rank_with(tested + 3, reference=reference + 3, **options)
    np.testing.assert_allclose(moved.scores, plain.scores, atol=1e-9)
    db.certify(moved)


def test_a_reachable_dmu_is_not_infeasible_by_weights_on_its_inputs() -> None:
    """u·y > u₀ + v·x proves nothing where v·x is not 0: a factor can make up for it."""
    ranking = rank_with(COSTS, inputs=["x", "z"], model="ccr", returns="vrs", orientation="input")
    far = COSTS.assign(a=[2.0, 4.0, 3.0, 9.0])
    honest = rank_with(
        far.loc[["o"]], inputs=["x", "z"], model="ccr", returns="vrs", orientation="input",
        reference=COSTS,
    )  # fmt: skip
    assert "o" in honest.reasons
    reason = honest.reasons["o"]
    # Under a - 0.001 x the reference is worth less than "o", which is reached all the same.
    weights = pd.DataFrame({"a": [1.0], "x": [0.0], "z": [0.001]}, index=["o"])
    assert not db.certify(ranking).isna().any(axis=None)
    tested = rank_with(
        COSTS.loc[["o"]] * [0.9, 1.0, 0.1],
        inputs=["x", "z"],
        model="ccr",
        returns="vrs",
        orientation="input",
        reference=COSTS.assign(z=[9.0, 9.0, 9.0, 50.0], a=[2.0, 4.0, 3.0, 4.51]),
    )
    assert not tested.reasons
    worst = tested.reference.outputs["a"] - 0.001 * tested.reference.inputs["z"]
    own = tested.data.outputs["a"] - 0.001 * tested.data.inputs["z"]
    assert own["o"] < worst.max() + 1  # the forged weights look like a proof but for v·x
    forged = replace(
        tested,
        scores=tested.scores * np.nan,
        slacks=tested.slacks * np.nan,
        weights=tested.weights * np.nan,
        efficient=tested.efficient & False,
        reasons={"o": reason},
        infeasibility_certificates=weights[list(tested.slacks.columns)],
    )
    with pytest.raises(CertificateError, match="reason"):
        db.certify(forged)


def test_a_table_is_not_its_own_reference_under_other_labels() -> None:
    ranking = db.rank(COSTS[["a"]], outputs=["a"])
    other = replace(
        ranking.reference,
        outputs=ranking.reference.outputs.set_axis(list("stuv")),
        inputs=ranking.reference.inputs.set_axis(list("stuv")),
    )
    with pytest.raises(CertificateError):
        db.certify(replace(ranking, reference=other))


def test_a_way_leads_along_no_metric_that_stays() -> None:
    ranking = rank_with(
        COSTS, inputs=["x", "z"], model="holder", orientation="input", norm="linf", weights="ram"
    )
    db.certify(ranking)
    # Where the distance is 0 a longer way changes neither the projection nor the bounds.
    direction = ranking.tables["direction"].copy()
    direction.loc[ranking.efficient, "a"] = 1e-3
    assert (ranking.scores[ranking.efficient].abs() < 1e-12).all()
    with pytest.raises(CertificateError, match="length of the way"):
        db.certify(replace(ranking, tables={**ranking.tables, "direction": direction}))


@pytest.mark.parametrize(("orientation", "expected"), [("none", True), ("input", False)])
def test_only_outputs_that_may_grow_grow_without_end(orientation, expected) -> None:
    ranking = rank_with(COSTS, inputs=["x", "z"], model="sbm", orientation=orientation)
    scaled = ScaledData.of(ranking)
    free = replace(scaled, X=np.where(np.arange(4)[:, None] == 0, 0.0, scaled.X))
    assert sbm.proved_unbounded(ranking, free).tolist() == [expected] * 4
    assert not sbm.proved_unbounded(ranking, scaled).any()
    # Only what can be multiplied, and is something, out of nothing at all.
    for returns in ("crs", "vrs", "nirs", "ndrs"):
        found = sbm.proved_unbounded(ranking, replace(free, returns=returns))
        assert found.tolist() == [expected and returns in ("crs", "ndrs")] * 4
    for other in (
        replace(free, Y=np.where(np.arange(4)[:, None] == 0, 0.0, scaled.Y)),
        replace(free, X=np.where(np.arange(2) == 0, 0.0, scaled.X)),
    ):
        assert not sbm.proved_unbounded(ranking, other).any()


RATES = pd.DataFrame({"a": [1.0, 3.0, 4.0], "b": [4.0, 3.0, 1.0]}, index=list("pqr"))


def test_a_target_with_a_loss_does_not_dominate() -> None:
    point = pd.DataFrame({"a": [4.2], "b": [0.5]}, index=["o"])
    free = db.targets(point, RATES, weights={"a": 1.0, "b": 1.0})
    db.certify(free)
    assert (free.gaps < 0).any(axis=None)
    with pytest.raises(CertificateError, match="gap error"):
        db.certify(replace(free, dominating=True))


def test_a_ray_proves_no_free_target() -> None:
    """Slopes without an entry above 0 bound what dominates, not what is near."""
    ones = {"a": 1.0, "b": 1.0}
    near = db.targets(pd.DataFrame({"a": [5.0], "b": [5.0]}, index=["o"]), RATES, weights=ones)
    far = db.targets(pd.DataFrame({"a": [6.0], "b": [1.0]}, index=["o"]), RATES, weights=ones)
    db.certify(near)
    db.certify(far)
    gaps = far.targets - near.actual
    forged = replace(
        far,
        actual=near.actual,
        gaps=gaps,
        distance=gaps.abs().sum(axis=1).rename(far.distance.name),
        slopes=pd.DataFrame([[-1.0, -1.0]], index=["o"], columns=["a", "b"]),
    )
    assert forged.distance["o"] > near.distance["o"] + 0.1
    with pytest.raises(CertificateError, match="closest"):
        db.certify(forged)


def test_multiples_of_facets_bound_nothing_where_one_is_negative() -> None:
    """A point outside of one facet and inside of the other, and a target that is not the nearest.

    The facets are a + 2b = 9 and 2a + b = 9. Less of the second one's normal would put the nearest
    point where the second facet is exceeded, at (3, 3).
    """
    options = {"on": "facets", "norm": "l2", "weights": {"a": 1.0, "b": 1.0}}
    near = db.targets(pd.DataFrame({"a": [1.0], "b": [6.0]}, index=["o"]), RATES, **options)
    far = db.targets(pd.DataFrame({"a": [3.0], "b": [5.5]}, index=["o"]), RATES, **options)
    db.certify(near)
    db.certify(far)
    gaps = far.targets - near.actual
    slopes = pd.DataFrame([[-10.0, -20.0], [16.0, 8.0]], index=["o", "o"], columns=["a", "b"])
    forged = replace(
        far,
        actual=near.actual,
        gaps=gaps,
        distance=((gaps**2).sum(axis=1) ** 0.5).rename(far.distance.name),
        slopes=slopes,
    )
    assert 3 > forged.distance["o"] > near.distance["o"] + 0.5
    with pytest.raises(CertificateError, match="closest"):
        db.certify(forged)
    # The bound would do, were it one.
    length = np.linalg.norm(slopes.sum())
    assert (-(slopes @ [1.0, 6.0]).sum() - 9 * (10 - 8)) / length > forged.distance["o"]


def test_a_large_dmu_has_slack_against_multiples_of_a_small_one() -> None:
    """Weights that give the DMU itself a little more than 0 bound no multiple of another one."""
    table = pd.DataFrame(
        {"a": [1.0, 1000.0], "x": [1.0, 1000.0], "z": [1.0, 1000.05]}, index=["small", "large"]
    )
    honest = rank_with(table, outputs=["a"], inputs=["x", "z"], model="ccr", returns="crs")
    assert honest.efficient.tolist() == [True, False]
    itself = Sparse(np.array([[0], [1]], dtype=np.int32), np.ones((2, 1)))
    # In metrics scaled to 1: 1e-7 for the large one, 5e-8 for the small one.
    proved = honest.slack_weights
    weights = SlackWeights(
        np.vstack([proved.rows, [2.0 + 1e-7, 1.0, 1.0]]),
        np.array([proved.of[0], len(proved.rows)], dtype=np.int32),
    )
    forged = replace(
        honest,
        intensities=itself,
        slacks=honest.slacks * 0.0,
        efficient=honest.efficient | True,
        slack_weights=weights,
        frontier=np.array([0, 1]),
    )
    with pytest.raises(CertificateError, match="slack that is left"):
        db.certify(forged)


def test_certify_names_what_is_not_proved() -> None:
    proof = db.certify(db.rank(COSTS[["a"]].assign(b=1.0), outputs=["a", "b"], model="cross"))
    assert any("goal" in text or "aggressive" in text for text in proof.unclaimed)
    assert "Not proved: " in repr(proof)
    assert type(proof[["gap"]]) is pd.DataFrame


@pytest.mark.parametrize(
    "changes",
    [{"tables": {}}, {"slack_weights": None}, {"intensities": None}, {"weights": None}],
)
@pytest.mark.parametrize("model", ["super", "common", "cross", "holder"])
def test_stripped_evidence_is_no_crash(model, changes) -> None:
    ranking = db.rank(RATES, outputs=["a", "b"], model=model)
    forged = replace(ranking, **changes, scores=ranking.scores + 0.25)
    with pytest.raises(CertificateError):
        db.certify(forged)


@pytest.mark.parametrize("changed", ["best", "both"])
def test_prices_that_break_a_constraint_prove_no_least_loss(changed) -> None:
    """Weights with a larger loss, and prices that give just that: too low, or above 1 in sum."""
    table = pd.DataFrame({"a": [1.0, 3.0, 4.0, 2.0], "b": [4.0, 3.0, 1.0, 2.0]}, index=list("pqrs"))
    honest = rank_with(table, model="common", goal="largest")
    db.certify(honest)
    losses = honest.tables["common"]
    losers, best = honest.tables["losers"], honest.tables["best"]
    scores = honest.scores * 0.9
    worse = pd.DataFrame({"own": losses["own"], "common": scores, "lost": losses["own"] - scores})
    loss = worse["lost"].max()
    assert loss > losses["lost"].max() + 0.01
    worth = float((losers.to_numpy()[0] * losses["own"]).sum())
    if changed == "best":
        prices = {"best": best * ((worth - loss) / best.to_numpy().sum())}
    else:
        factor = loss / losses["lost"].max()
        prices = {"losers": losers * factor, "best": best * factor}
    forged = replace(
        honest,
        scores=scores,
        weights=honest.weights * 0.9,
        tables={**honest.tables, "common": worse, **prices},
    )
    with pytest.raises(CertificateError, match="dual infeasibility"):
        db.certify(forged)


@pytest.mark.parametrize("negative", ["losers", "best"])
def test_negative_prices_prove_no_least_loss(negative) -> None:
    """All other constraints hold and the bound is the loss: only the sign refuses the prices."""
    table = pd.DataFrame({"a": [1.0, 3.0, 4.0, 2.0], "b": [4.0, 3.0, 1.0, 2.0]}, index=list("pqrs"))
    honest = rank_with(table, model="common", goal="largest")
    losses = honest.tables["common"]
    own = losses["own"].to_numpy()
    n = len(own)
    scores = honest.scores * 0.99
    worse = pd.DataFrame({"own": losses["own"], "common": scores, "lost": losses["own"] - scores})
    # Prices (μ, κ) with μ·Z ≤ κ·Y, Σ μ = 1 and the bound own·μ - Σ κ, of which some may be below 0.
    free = (-10.0, None)
    above = (0.0, None)
    bounds = [free if negative == "losers" else above] * n
    bounds += [free if negative == "best" else above] * n
    dearest = linprog(
        np.append(-own, np.ones(n)),
        A_ub=np.hstack([table.to_numpy().T, -table.to_numpy().T]),
        b_ub=np.zeros(2),
        A_eq=[np.append(np.ones(n), np.zeros(n))],
        b_eq=[1.0],
        bounds=bounds,
    )
    least = losses["lost"].max()
    share = (worse["lost"].max() - least) / (-dearest.fun - least)
    assert 0 < share < 1
    prices = {
        name: honest.tables[name] * (1 - share) + dearest.x[part] * share
        for name, part in (("losers", slice(n)), ("best", slice(n, 2 * n)))
    }
    assert prices[negative].to_numpy().min() < -1e-3
    forged = replace(
        honest,
        scores=scores,
        weights=honest.weights * 0.99,
        tables={**honest.tables, "common": worse, **prices},
    )
    with pytest.raises(CertificateError, match="dual infeasibility"):
        db.certify(forged)


WIDE = pd.DataFrame(
    {"a": [0.9, 0.6, 0.6, 0.5], "x": [1e12, 10.0, 20.0, 40.0]},
    index=["large", "tiny", "small", "last"],
)
"""One input over eleven decades."""


@pytest.mark.parametrize("model", ["fdh", "ccr", "cross", "common"])
def test_slack_beside_much_larger_values_is_slack(model) -> None:
    ranking = rank_with(WIDE, outputs=["a"], inputs=["x"], model=model)
    assert not ranking.efficient["small"]
    db.certify(ranking)
    if model == "fdh":
        assert ranking.scores["small"] == 1
        assert ranking.slacks.loc["small", "x"] == 10
        forged = replace(ranking, efficient=ranking.efficient | (WIDE.index == "small"))
        with pytest.raises(CertificateError, match="efficient"):
            db.certify(forged)


def test_an_input_far_below_the_largest_is_held_to_its_own_size() -> None:
    """Restricted weights: a peer whose input is 1e-6 larger needs more than the DMU has."""
    ranking = rank_with(
        WIDE, outputs=["a"], inputs=["x"], model="ccr", returns="vrs", shares={"a": (1, 1)}
    )
    db.certify(ranking)
    inputs = ranking.reference.inputs.copy()
    inputs.loc["tiny", "x"] *= 1 + 1e-6
    reference = replace(ranking.reference, inputs=inputs)
    with pytest.raises(CertificateError, match="primal infeasibility"):
        db.certify(replace(ranking, reference=reference, own_reference=False))


def test_a_dmu_above_1_has_no_slack_at_all() -> None:
    ranking = rank_with(
        WIDE, outputs=["a"], inputs=["x"], model="super-sbm", orientation="output", returns="vrs"
    )
    db.certify(ranking)
    assert ranking.scores["large"] > 1
    slacks = ranking.slacks.copy()
    slacks.loc["large", "x"] = 1e-6
    with pytest.raises(CertificateError, match="has none"):
        db.certify(replace(ranking, slacks=slacks))


@pytest.mark.parametrize("part", ["data", "reference"])
def test_a_value_that_is_no_number_proves_nothing(part) -> None:
    tested = COSTS.iloc[:3] * [1.0, 1.1, 1.1]
    for model in ("ccr", "holder", "sbm", "fdh"):
        ranking = rank_with(
            tested, outputs=["a"], inputs=["x", "z"], model=model, reference=COSTS.iloc[:3]
        )
        db.certify(ranking)
        inputs = getattr(ranking, part).inputs.copy()
        inputs.iloc[2, 0] = np.nan
        forged = replace(ranking, **{part: replace(getattr(ranking, part), inputs=inputs)})
        with pytest.raises(CertificateError, match="no finite number"):
            db.certify(forged)


def test_a_dominator_is_its_own() -> None:
    values = np.array([[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]])
    assert count_wrong_dominators(values, np.array([0, 0, 0])) == 0
    # The third row's dominator is nowhere below it, and is dominated itself.
    assert count_wrong_dominators(values, np.array([0, 0, 1])) == 1
    assert count_wrong_dominators(values, np.array([0, 2, 0])) == 1
    # Positions that the table does not have are nobody's.
    for position in (-3, 3):
        assert count_wrong_dominators(values, np.array([0, 0, position])) == 3
    assert count_wrong_dominators(values, np.array([0, 0])) == 3


@pytest.mark.parametrize(
    ("member", "facet"),
    [((-1, 1), 0), ((0, 4), 0), ((2, 3), 0), ((1, 1), 0), ((0, 1), -1), ((0, 1), 1)],
)
def test_a_simplex_has_rows_of_the_table_and_a_facet_of_the_list(member, facet) -> None:
    """Two rows on one facet, with the axes numbered 2 and 3."""
    normals = np.array([[0.5, 0.5]])
    assert count_malformed(np.array([[0, 1]]), np.array([0]), normals, 2) == 0
    for forged in (-0.5, np.nan, np.inf):
        assert count_malformed(np.array([[0, 1]]), np.array([0]), np.array([[0.5, forged]]), 2) > 0
    # A facet without any sound simplex is malformed, too.
    assert count_malformed(np.array([member]), np.array([facet]), normals, 2) == 2


@pytest.mark.parametrize(
    ("options", "score"), [({"model": "additive", "weights": "ones"}, 3.0), ({"model": "sbm"}, 0.4)]
)
def test_a_peer_that_leaves_less_to_gain_is_not_the_best(options, score) -> None:
    """From "o" both peers gain: "p" 1 and 2, "q" 3 and 1; the measure of "p" is consistent."""
    table = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, 3.0, 2.0]}, index=list("opq"))
    ranking = rank_with(table, technology="fdh", **options)
    db.certify(ranking)
    lam = ranking.intensities
    assert lam.columns[0].tolist() == [2]
    slacks = ranking.slacks.copy()
    slacks.loc["o"] = [1.0, 2.0]
    forged = replace(
        ranking,
        scores=ranking.scores.where(ranking.scores.index != "o", score),
        slacks=slacks,
        intensities=Sparse(np.array([[1], [1], [2]], dtype=np.int32), lam.values),
    )
    with pytest.raises(CertificateError, match="gap"):
        db.certify(forged)


def test_common_weights_stand_beside_the_own_scores_themselves() -> None:
    values = np.random.default_rng(1).uniform(0.3, 1, (6, 3)).round(2)
    table = pd.DataFrame(values, list("pqrstu"), list("abc"))
    ranking = db.rank(table, outputs=list("abc"), model=db.models.Common(goal="largest"))
    db.certify(ranking)
    # "t" is not the one that loses most: nothing but its own score is said of it.
    losses = ranking.tables["common"].copy()
    own = losses.loc["t", "own"]
    losses.loc["t", "own"] = own * (1 + 1e-6)
    losses["lost"] = losses["own"] - losses["common"]
    slacks = ranking.slacks.copy()
    slacks.loc["t"] += table.loc["t"] / own * (1 - 1 / (1 + 1e-6))
    forged = replace(ranking, tables={**ranking.tables, "common": losses}, slacks=slacks)
    with pytest.raises(CertificateError, match="distance of the own score from its proof"):
        db.certify(forged)


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_no_way_leads_to_the_reference_along_metrics_that_stay(norm) -> None:
    tested = pd.DataFrame({"a": [0.9], "x": [2.0]}, index=["o"])
    reference = pd.DataFrame({"a": [0.45, 0.3], "x": [2.0, 1.0]}, index=list("pq"))
    ranking = rank_with(
        tested, reference=reference, inputs=["x"], model="holder", orientation="input", norm=norm
    )
    assert "beyond what the reference can do" in ranking.reasons["o"]
    db.certify(ranking)
    # The certificate weighs the output, which no change of the input makes up for.
    scaled = ScaledData.of(ranking)
    for direction, expected in (([0.0, 1.0], True), ([1.0, 0.0], False)):
        may_change = np.array([direction]) > 0
        proved = infeasibility.proved_infeasible(ranking, scaled, may_change=may_change)
        assert (proved | holder._is_worth_more(ranking, scaled)).tolist() == [expected]


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_no_way_to_the_frontier_begins_beyond_it(monkeypatch, norm) -> None:
    tested = pd.DataFrame({"a": [3.5], "b": [3.0]}, index=["o"])
    honest = rank_with(tested, reference=RATES, model="holder", norm=norm)
    assert "beyond what the reference can do" in honest.reasons["o"]
    db.certify(honest)
    # A step back the frontier is reached: a consistent answer, were it no distance.
    nobody = np.zeros(1, dtype=bool)
    monkeypatch.setattr(holder, "_is_worth_more", lambda *_: nobody)
    monkeypatch.setattr(holder, "_rows_all_but_at_frontier", lambda *_: np.flatnonzero(nobody))
    monkeypatch.setattr(pd.Series, "clip", lambda scores, lower: scores)
    forged = rank_with(tested, reference=RATES, model="holder", norm=norm)
    monkeypatch.undo()
    assert forged.scores["o"] < 0
    with pytest.raises(CertificateError, match="score from outside"):
        db.certify(forged)


def test_a_row_is_covered_by_a_mixture_of_listed_rows_alone() -> None:
    table = pd.DataFrame(
        {"a": [1, 0.2, 0.2, 0.55], "b": [0.2, 1, 0.2, 0.55], "c": [0.5, 0.5, 1, 0.3]},
        index=list("pqto"),
    )
    ranking = db.rank(table, outputs=list("abc"))
    row = np.array([3])
    assert (ranking.intensities.columns[3] < 0).any()  # fewer peers than places for them
    assert dominated_by_mixtures(replace(ranking, frontier=np.arange(3)), row).tolist() == [True]
    assert dominated_by_mixtures(replace(ranking, frontier=np.arange(1, 3)), row).tolist() == [
        False
    ]


@pytest.mark.parametrize(
    ("shares", "covers"),
    [
        ((0.5, 0.5, 0.0), True),
        ((0.9, 0.1, 0.0), False),  # 1.2 of the output
        ((0.1, 0.9, 0.0), False),  # 2.8 of the input
        ((0.5, 0.4, 0.0), False),  # nine tenths of a mixture
        ((-0.1, 0.3, 0.8), False),  # less than none of p
    ],
)
def test_a_row_is_covered_by_mixtures_alone(shares, covers) -> None:
    table = pd.DataFrame({"y": [1, 3, 2, 1.5], "x": [1, 3, 2, 2.5]}, index=list("pqto"))
    ranking = db.rank(table, outputs=["y"], inputs=["x"], model="ccr", returns="vrs")
    entries = np.tile(shares, (4, 1))
    lam = Sparse(np.tile(np.arange(3, dtype=np.int32), (4, 1)), entries)
    forged = replace(ranking, intensities=lam, frontier=np.arange(3))
    assert dominated_by_mixtures(forged, np.array([3])).tolist() == [covers]


@pytest.mark.parametrize("technology", ["convex", "fdh"])
def test_a_point_lies_nowhere_else(technology) -> None:
    points = pd.DataFrame({"a": [3.0, 2.0, 4.5], "b": [3.0, 2.0, 4.0]}, index=list("uvw"))
    targets = db.targets(points, RATES, technology=technology)
    db.certify(targets)
    assert targets.position.tolist() == ["on", "inside", "outside"]
    for label in points.index:
        for word in {"on", "inside", "outside"} - {targets.position[label]}:
            position = targets.position.where(targets.position.index != label, word)
            with pytest.raises(CertificateError, match="position"):
                db.certify(replace(targets, position=position))


def test_slacks_of_the_russell_graph_are_those_of_its_peers() -> None:
    ranking = rank_with(COSTS, inputs=["x", "z"], model="russell", orientation="none")
    db.certify(ranking)
    slacks = ranking.slacks.copy()
    slacks.loc["o", "x"] += 1e-5
    with pytest.raises(CertificateError, match="slacks from their proof"):
        db.certify(replace(ranking, slacks=slacks))


def test_who_has_slack_under_restricted_weights_is_not_efficient() -> None:
    table = pd.DataFrame({"a": [4.0, 2.0, 4.0], "b": [2.0, 4.0, 1.0], "c": 3.0}, index=list("pqo"))
    ranking = db.rank(table, outputs=list("abc"), model=db.models.WEI(shares={"a": (0.3, 0.9)}))
    db.certify(ranking)
    assert ranking.scores["o"] == 1
    assert ranking.efficient.tolist() == [True, True, False]
    with pytest.raises(CertificateError, match="efficient"):
        db.certify(replace(ranking, efficient=ranking.efficient | True))


def test_a_row_without_outputs_may_save_inputs() -> None:
    table = pd.DataFrame({"a": [2.0, 1.0, 0.0], "x": [2.0, 3.0, 4.0]}, index=list("pqo"))
    ranking = rank_with(table, inputs=["x"], model="ccr", orientation="input")
    assert "without any of its inputs" in ranking.reasons["o"]
    db.certify(ranking)
    with pytest.raises(CertificateError, match="reason"):
        db.certify(replace(ranking, reasons={"o": NO_OUTPUT}))
    growing = rank_with(table, inputs=["x"], model="ccr", orientation="output")
    assert NO_OUTPUT in growing.reasons["o"]
    db.certify(growing)


def test_a_frontier_has_units_above_0() -> None:
    front = db.frontier(RATES, outputs=["a", "b"])
    db.certify(front)
    for change in ({"unit": -front.unit}, {"unit": front.unit * np.nan}, {"origin": front.unit}):
        with pytest.raises(CertificateError):
            db.certify(replace(front, **change))
    assert _count_bad_units(front) == 0
    # Rows above 1/2 in all metrics do not make up for a unit that is none.
    for unit in (0.0, np.inf, np.nan):
        forged = SimpleNamespace(
            origin=front.origin, unit=np.array([1.0, unit]), boxed_rows=front.boxed_rows
        )
        assert _count_bad_units(forged) == 1
    for origin in (-np.inf, np.inf, np.nan):
        forged = SimpleNamespace(
            origin=np.array([origin, 1.0]), unit=front.unit, boxed_rows=front.boxed_rows
        )
        assert _count_bad_units(forged) == 1
    for value, expected in ((0.5, 0), (0.4, 1)):
        rows = np.array([[1.0, value], [1.0, 1.0]])
        low = SimpleNamespace(origin=front.origin, unit=front.unit, boxed_rows=rows)
        assert _count_bad_units(low) == expected


@pytest.mark.parametrize(("column", "share"), [(-2, 0.0), (99, 0.0), (-1, 0.5), (-2, 0.5)])
def test_shares_belong_to_dmus_of_the_reference(column, share) -> None:
    ranking = db.rank(RATES, outputs=["a", "b"])
    lam = ranking.intensities
    columns = np.column_stack([lam.columns, [column, -1, -1]]).astype(np.int32)
    values = np.column_stack([lam.values, [share, 0.0, 0.0]])
    with pytest.raises(CertificateError, match="DMU that the reference does not have"):
        db.certify(replace(ranking, intensities=Sparse(columns, values)))


@pytest.mark.parametrize("returns", ["crs", "ndrs"])
@pytest.mark.parametrize("orientation", ["output", "none"])
@pytest.mark.parametrize("inputs", [["x"], ["x", "z"]])
def test_weights_without_inputs_bound_nothing_that_can_be_multiplied(
    orientation, returns, inputs
) -> None:
    """ "o" has a third of "p", at the same cost; without a weight of the cost nothing says so."""
    table = pd.DataFrame({"a": [1.0, 3.0, 2.0], "x": [1.0, 1.0, 2.0], "z": 1.0}, list("opq"))
    ranking = rank_with(
        table[["a", *inputs]], inputs=inputs, model="sbm", orientation=orientation, returns=returns
    )
    db.certify(ranking)
    # "o" is its own peer and efficient, with a score of 1 and without slack.
    is_forged = ranking.scores.index == "o"
    weights = ranking.weights.copy()
    weights.loc["o"] = 0.0
    weights.loc["o", "a"] = 1.0
    slacks = ranking.slacks.copy()
    slacks.loc["o"] = 0.0
    columns = np.where(is_forged[:, None], -1, ranking.intensities.columns)
    columns[is_forged, 0] = 0
    values = np.where(is_forged[:, None], columns == 0, ranking.intensities.values)
    forged = replace(
        ranking,
        scores=ranking.scores.where(~is_forged, 1.0),
        slacks=slacks,
        efficient=ranking.efficient | is_forged,
        weights=weights,
        intensities=Sparse(columns.astype(np.int32), values.astype(float)),
        frontier=np.arange(3),
    )
    with pytest.raises(CertificateError, match="gap"):
        db.certify(forged)


@pytest.mark.parametrize("side", ["outputs", "inputs"])
def test_each_dmu_is_the_reference_dmu_at_its_position(side) -> None:
    ranking = rank_with(COSTS, inputs=["x", "z"], model="ccr")
    data = ranking.data
    same = replace(data, outputs=data.outputs.copy(), inputs=data.inputs.copy())
    assert _position_violations(same, ranking.reference).tolist() == [0.0] * 4
    values = getattr(data, side).copy()
    values.iloc[1, 0] += 1e-9
    other = replace(same, **{side: values})
    assert _position_violations(other, ranking.reference).tolist() == [0.0, 1.0, 0.0, 0.0]
    renamed = replace(same, outputs=data.outputs.set_axis(range(4)))
    assert _position_violations(renamed, ranking.reference).tolist() == [1.0] * 4


def test_reasons_belong_to_dmus_without_a_score() -> None:
    ranking = rank_with(COSTS, inputs=["x", "z"], model="ccr")
    holds = {"it holds": np.array([True, True, False, True])}
    assert reason_violations(ranking, holds).tolist() == [0.0] * 4
    # A reason beside a score, and two of labels that the table does not have.
    beside = replace(ranking, reasons={"q": "it holds"})
    assert reason_violations(beside, holds).tolist() == [0.0, 1.0, 0.0, 0.0]
    unknown = replace(ranking, reasons={"n": "it holds", "m": "it holds"})
    assert reason_violations(unknown, holds).tolist() == [2.0, 0.0, 0.0, 0.0]
    # No score and no reason; one that holds; one that does not; one that claims nothing.
    missing = replace(ranking, scores=ranking.scores * np.nan)
    given = {"q": "it holds", "r": "it holds", "o": "its score, about 1, is not proved to 1e-09"}
    violations = reason_violations(replace(missing, reasons=given), holds)
    assert violations.tolist() == [1.0, 0.0, 1.0, 0.0]
    # Outputs that are all 0 explain it where outputs would have to grow.
    data = replace(ranking.data, outputs=ranking.data.outputs.mul([0, 1, 1, 1], axis=0))
    for orientation, expected in (("output", 0.0), ("input", 1.0)):
        options = replace(ranking.options, orientation=orientation)
        zero = replace(missing, data=data, options=options, reasons={"p": NO_OUTPUT, **given})
        assert reason_violations(zero, holds)[0] == expected


@pytest.mark.parametrize("goal", ["sum", "largest"])
def test_the_weight_of_a_metric_in_large_units_is_common_too(goal) -> None:
    """The weight of "b" is about 1e-12; others for "q" and "s" leave the mean and the worst."""
    table = pd.DataFrame(
        {"a": [0.9, 0.6, 0.7, 0.2, 0.3], "b": [1e11, 7e11, 4e11, 1e12, 1e11]}, index=list("pqrst")
    )
    ranking = rank_with(table, model="common", goal=goal)
    db.certify(ranking)
    change = pd.Series([0.0, -1e-3, 0.0, 1e-3, 0.0], table.index)
    weights = ranking.weights.copy()
    weights["b"] += change / table["b"]
    scores = ranking.scores + change
    losses = ranking.tables["common"].assign(common=scores)
    losses["lost"] = losses["own"] - scores
    assert goal == "sum" or losses["lost"].idxmax() not in ("q", "s")
    forged = replace(
        ranking, weights=weights, scores=scores, tables={**ranking.tables, "common": losses}
    )
    with pytest.raises(CertificateError, match="weights that are not common"):
        db.certify(forged)


@pytest.mark.parametrize("slack", [4e-8, 4e-6])
def test_little_slack_under_restricted_weights_is_slack(slack) -> None:
    table = pd.DataFrame(
        {"a": [4.0, 2.0, 4.0], "b": [2.0, 4.0, 2.0 - slack], "c": 3.0}, index=list("pqo")
    )
    ranking = db.rank(table, outputs=list("abc"), model=db.models.WEI(shares={"a": (0.3, 0.9)}))
    db.certify(ranking)
    with pytest.raises(CertificateError, match="'o': efficient"):
        db.certify(replace(ranking, efficient=ranking.efficient | True))


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_a_way_of_another_length_is_no_distance(norm, factor) -> None:
    """Half as long a way, taken twice as far, leads to the same projection."""
    ranking = rank_with(RATES, model="holder", norm=norm)
    db.certify(ranking)
    forged = replace(
        ranking,
        scores=ranking.scores / factor,
        tables={"direction": ranking.tables["direction"] * factor},
    )
    with pytest.raises(CertificateError, match="length of the way"):
        db.certify(forged)
    off = forged.proof().violations["length_of_the_way_beside_1"]
    assert off == pytest.approx(np.full(len(RATES), abs(factor - 1)), abs=1e-9)


@pytest.mark.parametrize("orientation", ["input", "output"])
@pytest.mark.parametrize("metric", ["b", "z"])
def test_a_weight_below_0_of_a_metric_that_is_0_is_refused(metric, orientation) -> None:
    table = pd.DataFrame(
        {"a": [2.0, 3.0, 1.5], "b": [1.0, 2.0, 2.5], "x": [1.0, 2.0, 3.0], "z": [2.0, 1.0, 2.0]},
        index=list("pqo"),
    )
    table.loc["o", metric] = 0.0
    ranking = rank_with(
        table, outputs=["a", "b"], inputs=["x", "z"], model="ccr", orientation=orientation
    )
    db.certify(ranking)
    weights = ranking.weights.copy()
    weights.loc["o", metric] = -1e-3
    forged = replace(ranking, weights=weights)
    assert forged.proof().violations["dual_infeasibility"][2] > 1e-4
    with pytest.raises(CertificateError, match="'o'"):
        db.certify(forged)


def test_common_weights_leave_no_reference_dmu_above_1() -> None:
    ranking = rank_with(RATES, model="common", goal="largest")
    db.certify(ranking)
    for factor in (1.001, 0.999):
        forged = replace(ranking, weights=ranking.weights * factor)
        largest = (RATES.to_numpy() @ forged.weights.to_numpy()[0]).max() - 1
        missed = forged.options.prove(forged).violations["primal_infeasibility"]
        assert missed == pytest.approx(np.full(3, max(largest, 0.0)), abs=1e-12)


@pytest.mark.parametrize(
    ("returns", "largest"), [("vrs", -np.inf), ("ndrs", -np.inf), ("nirs", 0.0), ("crs", 0.0)]
)
def test_nothing_is_possible_without_a_reference_unless_it_is_nothing(returns, largest) -> None:
    scaled = SimpleNamespace(Y=np.zeros((0, 1)), X=np.zeros((0, 1)), returns=returns)
    values, violations = support(scaled, np.ones((2, 1)), np.ones((2, 1)))
    assert values.tolist() == [largest] * 2
    assert violations.tolist() == [0.0] * 2


@pytest.mark.parametrize("weights", ["ones", "mip"])
def test_who_has_no_score_is_not_efficient(weights) -> None:
    tested = pd.DataFrame({"a": [0.5, 3.5], "b": [0.5, 3.0]}, index=["o", "p"])
    model = db.models.Additive(weights=weights)
    honest = rank_with(tested, reference=RATES, model=model)
    assert np.isnan(honest.scores["p"])
    db.certify(honest)
    forged = replace(honest, efficient=honest.efficient | honest.scores.isna())
    with pytest.raises(CertificateError, match="efficient"):
        db.certify(forged)


def test_weights_of_0_leave_the_others_their_rounding() -> None:
    """By 1e-12 of its largest weight "q" is worth more than 0; that is no ray without a bound."""
    ranking = rank_with(COSTS, inputs=["x", "z"], model="ccr", returns="crs")
    rows = np.array([[1.0, 1.6 * (1 - 1e-12), 0.0], [1.0, 1.6 * (1 - 1e-8), 0.0]])
    maxima = weighted_maxima(ranking, rows)
    assert 0 <= maxima[0] <= 1e-11
    assert maxima[1] == np.inf


def test_a_target_that_the_milp_did_not_find_is_proved_to_be_missing() -> None:
    point = pd.DataFrame({"a": [1.0], "b": [1.0]}, index=["o"])
    result = db.targets(point, RATES, method="milp")
    nothing = replace(result, distance=result.distance * np.nan)
    columns = certify_targets(result).assign(closest=np.inf)
    assert target_violations(nothing, columns)["closest"].tolist() == [np.inf]
    assert target_violations(result, columns)["closest"].tolist() == [0.0]
