"""Super-efficiencies and Russell's graph measure: what each clause of their proofs refuses."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.errors import CertificateError
from deabench.models import russell, sbm, super_sbm, superefficiency
from deabench.proofs import reasons
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "a": [2.0, 4.0, 3.0, 3.5, 1.5, 0.5],
        "b": [5.0, 2.0, 4.0, 3.0, 1.0, 0.0],
        "c": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        "x": [4.0, 5.0, 3.0, 6.0, 5.0, 1.0],
    },
    index=list("pqrstu"),
)
""" "s" alone has any of c, and "u" has the least input and nothing of b."""
RADIAL_REASONS = (
    superefficiency.UNDEFINED,
    superefficiency.UNREACHED,
    reasons.NO_MIX,
    reasons.NO_OUTPUT,
)
SLACK_REASONS = (super_sbm.UNREACHED, sbm.OUTSIDE, sbm.UNBOUNDED)
CASES = [
    ({"model": model, "returns": returns, "orientation": orientation}, texts)
    for model, texts, orientations in (
        ("super", RADIAL_REASONS, ("output", "input")),
        ("super-sbm", SLACK_REASONS, ("none", "output", "input")),
    )
    for returns in ("crs", "vrs")
    for orientation in orientations
]


def without_score(ranking: db.Ranking, label: str, reason: str) -> db.Ranking:
    """Return a ranking in which a DMU has no score, for some reason."""
    scores = ranking.scores.copy()
    slacks = ranking.slacks.copy()
    weights = ranking.weights.copy()
    scores[label] = np.nan
    slacks.loc[label] = np.nan
    weights.loc[label] = np.nan
    return replace(
        ranking,
        scores=scores,
        slacks=slacks,
        weights=weights,
        reasons={**ranking.reasons, label: reason},
    )


IDS = ["-".join(options.values()) for options, _ in CASES]


@pytest.mark.parametrize(("options", "texts"), mark_most_slow(CASES, 5), ids=IDS)
def test_no_other_reason_holds(options, texts) -> None:
    ranking = rank_with(TABLE, outputs=["a", "b", "c"], inputs=["x"], **options)
    db.certify(ranking)
    # Whoever has no score is proved to have none.
    assert not any(reasons.UNPROVED in reason for reason in ranking.reasons.values())
    for label in TABLE.index:
        for text in texts:
            # Where no other one has any of "c", no mix has any of it.
            is_true = (label, text, options["orientation"]) == ("s", reasons.NO_MIX, "output")
            if is_true or ranking.reasons.get(label) == text:
                continue
            with pytest.raises(CertificateError):
                db.certify(without_score(ranking, label, text))


def test_one_output_that_no_other_one_has_is_the_reason() -> None:
    """ "s" has outputs that the others have, too: they do not reach it for want of c alone."""
    ranking = rank_with(TABLE, outputs=["a", "b", "c"], inputs=["x"], model="super", returns="crs")
    assert superefficiency._has_unique_metric(ranking).tolist() == (TABLE.index == "s").tolist()
    assert ranking.reasons["s"] == superefficiency.UNDEFINED


@pytest.mark.parametrize("returns", ["crs", "vrs"])
def test_nothing_is_no_more_at_any_factor(returns) -> None:
    """The last of more DMUs than there are outputs has none of these."""
    table = TABLE[["a", "b", "x"]].loc[list("pqru")].assign(a=[2.0, 4.0, 3.0, 0.0])
    ranking = rank_with(table, outputs=["a", "b"], inputs=["x"], model="super", returns=returns)
    assert ranking.reasons["u"] == reasons.NO_OUTPUT
    db.certify(ranking)


@pytest.mark.parametrize("efficient", [True, False])
@pytest.mark.parametrize(("options", "texts"), mark_most_slow(CASES, 5), ids=IDS)
def test_whoever_is_beyond_the_others_is_efficient(options, texts, efficient) -> None:
    ranking = rank_with(TABLE, outputs=["a", "b", "c"], inputs=["x"], **options)
    is_beyond = (ranking.scores > 1 + 1e-9) | ranking.scores.isna()
    assert is_beyond.any()
    assert ranking.efficient[is_beyond].all()
    wrong = ranking.efficient != efficient
    # In one orientation who reaches 1 with slack on the other side is left open.
    wrong &= is_beyond | (ranking.scores < 1 - 1e-9)
    for label in TABLE.index[wrong]:
        claimed = ranking.efficient.copy()
        claimed[label] = efficient
        with pytest.raises(CertificateError):
            db.certify(replace(ranking, efficient=claimed))
    if efficient:
        return
    # Of a reference of its own a DMU above 1 is judged by its slacks alone.
    tested = TABLE.loc[["q"]] * [1.2, 1.2, 1.0, 1.0]
    outside = rank_with(tested, reference=TABLE, outputs=["a", "b", "c"], inputs=["x"], **options)
    db.certify(outside)


@pytest.mark.parametrize("orientation", ["none", "output", "input"])
def test_slacks_beside_a_super_efficiency_are_0(orientation) -> None:
    ranking = rank_with(
        TABLE[["a", "x"]], outputs=["a"], inputs=["x"], model="super-sbm", orientation=orientation
    )
    db.certify(ranking)
    is_above = ranking.scores > 1
    assert is_above.any()
    for label in TABLE.index[is_above]:
        for value in (1e-6, -1e-6, np.nan):
            slacks = ranking.slacks.copy()
            slacks.loc[label, "x"] = value
            with pytest.raises(CertificateError):
                db.certify(replace(ranking, slacks=slacks))


def test_the_least_of_a_metric_s_part_is_found_by_trial() -> None:
    phi = np.linspace(1, 100, 200_001)
    for q in (0.5, 0.25, 0.0):
        for price in (0.0, 1e-4, 0.01, 0.2, 0.5, 3.0):
            least = (q / phi + price * (phi - 1)).min()
            if price == 0:
                least = 0.0  # at an endless φ
            found = russell._least_output_part(np.array([q]), np.array([price]))
            assert found[0] == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("share", [1e-6, -1e-6])
def test_the_graph_measure_lies_between_what_peers_reach_and_what_weights_allow(share) -> None:
    table = TABLE.drop(columns="c")
    for inputs in (["x"], None):
        metrics = ["a", "b", *(inputs or ())]
        ranking = rank_with(
            table[metrics], outputs=["a", "b"], inputs=inputs, model="russell", orientation="none",
            returns="vrs",
        )  # fmt: skip
        db.certify(ranking)
        for label in table.index:
            scores = ranking.scores.copy()
            scores[label] *= 1 + share
            with pytest.raises(CertificateError):
                db.certify(replace(ranking, scores=scores))
            # Weights that are not the best ones leave a gap, unless the measure is 1.
            for name in ranking.weights.columns:
                weights = ranking.weights.copy()
                weights.loc[label, name] += 0.05
                frame = replace(ranking, weights=weights).proof().frame
                assert frame.loc[label, "dual"] <= ranking.scores[label] + 1e-9


NO_MIX = reasons.NO_MIX


@pytest.mark.parametrize(
    ("score", "reason", "own", "proved", "undecided", "slack", "of", "bare", "right"),
    [
        # Above 1, or unreached, against the others: efficient, whatever slacks prove.
        (2.0, None, True, False, False, 0.0, 0, False, "efficient"),
        (1 + 1.1e-9, None, True, False, False, 0.0, 0, False, "efficient"),
        (np.nan, superefficiency.UNREACHED, True, False, False, 0.0, 0, False, "efficient"),
        (np.nan, superefficiency.UNDEFINED, True, False, False, 0.0, 0, False, "efficient"),
        (np.nan, NO_MIX, True, False, False, 0.0, 0, False, "efficient"),
        # Beside another reference, or for another reason: as is proved.
        (2.0, None, False, False, False, 0.0, 0, False, "inefficient"),
        (2.0, None, False, True, False, 0.0, 0, False, "efficient"),
        (np.nan, NO_MIX, False, False, False, 0.0, 0, False, "inefficient"),
        (np.nan, "for another reason", True, False, False, 0.0, 0, False, "inefficient"),
        (1 + 0.9e-9, None, True, False, False, 0.0, 0, False, "inefficient"),
        (1.0, None, True, True, False, 0.0, 0, False, "efficient"),
        (0.5, None, True, False, False, 1.0, 0, True, "inefficient"),
        (1.0, None, True, False, True, 0.0, 0, False, "inefficient"),
        # At 1 with slack of the projection: as the weights of slacks prove.
        (1.0, None, True, False, False, 1e-12, 0, True, "efficient"),
        (1 - 0.9e-9, None, True, False, False, 1e-12, 0, True, "efficient"),
        (1 - 1.1e-9, None, True, False, False, 1e-12, 0, True, "inefficient"),
        (1.0, None, True, True, False, 1e-12, 0, False, "inefficient"),
        (1.0, None, True, True, False, 1e-12, -1, False, "efficient"),
        (1.0, None, False, True, False, 1e-12, 0, False, "efficient"),
    ],
)
def test_a_verdict_on_a_super_efficiency_is_the_one_that_is_proved(
    score, reason, own, proved, undecided, slack, of, bare, right
) -> None:
    for claimed in (True, False):
        answer = SimpleNamespace(
            scores=pd.Series([score, 0.5], list("pq")),
            reasons={} if reason is None else {"p": reason},
            efficient=pd.Series([claimed, False], list("pq")),
            own_reference=own,
            slacks=pd.DataFrame([[0.0, slack], [0.0, 0.0]], list("pq")),
        )
        proof = SimpleNamespace(
            proved=(np.array([proved, False]), np.array([undecided, False])),
            weights=SimpleNamespace(of=np.array([of, 0])),
            has_no_own_slack=lambda rows: np.array([bare, False])[rows],
        )
        verdicts = superefficiency._wrong_verdicts(answer, proof)
        assert verdicts.tolist() == [float(claimed != (right == "efficient")), 0.0]


@pytest.mark.parametrize("size", [1e-3, -1e-3, 0.0])
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_super_efficiencies_are_off_by_shares_of_themselves(orientation, size) -> None:
    table = TABLE[["a", "b", "x"]].drop("u") * [3.0, 1.0, 1.0]
    honest = rank_with(
        table, outputs=["a", "b"], inputs=["x"], model="super", orientation=orientation
    )
    assert honest.scores.max() > 1.2 > 0.8 > honest.scores.min()
    forged = replace(
        honest, scores=honest.scores * (1 + size), weights=honest.weights * (1 + size * TABLE["a"]).
        loc[table.index].to_numpy()[:, None],
    )  # fmt: skip
    proof = forged.options.prove(forged)
    unit = np.maximum(forged.scores, 1.0)
    for claim in ("gap", "primal_infeasibility", "dual_infeasibility"):
        expected = proof.frame[claim] / (unit if claim == "gap" else 1.0)
        np.testing.assert_array_equal(proof.violations[claim], expected)
    off = np.abs(proof.frame["primal"] - forged.scores) / unit
    np.testing.assert_array_equal(proof.violations["distance_of_the_score_from_its_proof"], off)
    assert size < 0 or (off.max() > 1e-4) == (size != 0)
    # λ of itself counts where the DMU is measured against the others alone.
    columns = honest.intensities.columns.copy()
    columns[:, 0] = np.arange(len(table))
    forged = replace(honest, intensities=Sparse(columns, honest.intensities.values))
    shares = forged.options.prove(forged).violations["share_of_itself_among_its_peers"]
    expected = np.where(honest.scores >= 1, honest.intensities.values[:, 0], 0.0)
    assert shares.tolist() == expected.tolist()


@pytest.mark.parametrize(("share", "counts"), [(1e-7, True), (2e-9, True), (5e-10, False)])
def test_slack_of_a_dmu_just_below_1_is_the_largest(share, counts) -> None:
    table = pd.DataFrame({"a": [1.0, 1.0 - share], "b": [1.0, 0.5]}, index=list("pq"))
    ranking = db.rank(table, model="super")
    # As its own peer it reaches no more than it has.
    itself = Sparse(np.arange(2, dtype=np.int32)[:, None], np.ones((2, 1)))
    forged = replace(ranking, slacks=ranking.slacks * 0, intensities=itself)
    left = forged.options.prove(forged).violations["slack_that_is_left"]
    assert left[0] == 0
    assert left[1] == pytest.approx(0.5 * counts, rel=1e-6)


@pytest.mark.parametrize("size", [0.0, 0.2])
@pytest.mark.parametrize(
    ("inputs", "orientation"),
    [
        (["x", "z"], "none"),
        (["x", "z"], "output"),
        (["x", "z"], "input"),
        ([], "none"),
        ([], "output"),
    ],
)
def test_multipliers_beside_a_super_slacks_measure_are_limited_as_by_loops(
    inputs, orientation, size
) -> None:
    """An output is worth its share of the score at most, and an input its share of 1."""
    table = TABLE[["a", "b", "x"]].assign(z=[0.0, 2.0, 1.0, 3.0, 2.0, 4.0])
    table = table[["a", "b", *inputs]]
    honest = rank_with(
        table, outputs=["a", "b"], inputs=inputs, model="super-sbm", orientation=orientation
    )
    rng = np.random.default_rng(0)
    weights = honest.weights * (1 + size * rng.uniform(-1, 1, honest.weights.shape))
    forged = replace(honest, weights=weights)
    violations = forged.options.prove(forged).violations
    limits_outputs = orientation != "input" or not inputs
    limits_inputs = orientation != "output"
    counted = 0
    for k, label in enumerate(table.index):
        score = honest.scores[label]
        if not score > 1:
            continue
        row = table.loc[label]
        excess = [0.0]
        for side, limits, most in (
            (["a", "b"], limits_outputs, score),
            (inputs, limits_inputs, 1.0),
        ):
            positive = [name for name in side if row[name] > 0]
            for name in positive:
                if limits:
                    worth = max(weights.loc[label, name], 0.0) * row[name]
                    excess.append(worth / most - 1 / len(positive))
        found = violations["multipliers_that_are_too_large"][k]
        assert found == pytest.approx(max(excess), abs=1e-9)
        counted += 1
        # With more weight than that a bound is no greater: weights are lowered first.
        heavy = replace(honest, weights=honest.weights * 1.5)
        assert not heavy.options.prove(heavy).frame["dual"].iloc[k] > score + 1e-9
    assert counted


@pytest.mark.parametrize("orientation", ["none", "output", "input"])
def test_no_share_of_itself_is_among_the_peers_of_a_super_slacks_measure(orientation) -> None:
    table = TABLE[["a", "b", "x"]]
    honest = rank_with(
        table, outputs=["a", "b"], inputs=["x"], model="super-sbm", orientation=orientation
    )
    assert not honest.options.prove(honest).violations["share_of_itself_among_its_peers"].any()
    lam = honest.intensities
    for share in (0.25, 1e-3):
        columns = np.column_stack([lam.columns, np.arange(len(table))]).astype(np.int32)
        values = np.column_stack([lam.values, np.full(len(table), share)])
        forged = replace(honest, intensities=Sparse(columns, values))
        found = forged.options.prove(forged).violations["share_of_itself_among_its_peers"]
        is_above = (honest.scores >= 1 - 1e-9) | honest.scores.isna()
        if orientation == "none":
            is_above &= honest.efficient
        assert found.tolist() == (share * is_above).tolist()


@pytest.mark.parametrize("orientation", ["none", "output", "input"])
def test_who_stands_beside_another_reference_is_not_left_out_of_it(orientation) -> None:
    reference = TABLE[["a", "b", "x"]].drop("u")
    tested = reference.loc[["q"]] * [9.0, 9.0, 1.0]
    ranking = rank_with(
        tested, reference=reference, outputs=["a", "b"], inputs=["x"], model="super-sbm",
        orientation=orientation, returns="vrs",
    )  # fmt: skip
    db.certify(ranking)
    assert ranking.reasons == {"q": sbm.OUTSIDE}
    forged = replace(ranking, reasons={"q": super_sbm.UNREACHED})
    assert forged.options.prove(forged).violations["reason"].tolist() == [1.0]


@pytest.mark.parametrize(("share", "is_certain"), [(1e-7, True), (2e-9, True), (5e-10, False)])
def test_who_is_just_above_1_in_one_orientation_is_efficient(share, is_certain) -> None:
    table = pd.DataFrame({"a": [1.0, 1.0], "x": [1.0, 1.0 + share]}, index=list("pq"))
    ranking = rank_with(table, outputs=["a"], inputs=["x"], model="super-sbm", orientation="input")
    assert ranking.scores["p"] == pytest.approx(1 + share, abs=1e-12)
    forged = replace(ranking, efficient=ranking.efficient & False)
    violations = forged.options.prove(forged).violations["efficient"]
    assert violations[0] == float(is_certain)


@pytest.mark.parametrize("orientation", ["output", "input"])
def test_only_who_has_no_output_has_no_score_for_it_where_outputs_grow(orientation) -> None:
    table = pd.DataFrame(
        {"a": [1.0, 4.0, 2.0, 0.0], "b": [4.0, 1.0, 0.0, 0.0], "x": [1.0, 1.0, 2.0, 2.0]},
        list("pqrs"),
    )
    honest = rank_with(
        table, outputs=["a", "b"], inputs=["x"], model="super", orientation=orientation,
        returns="crs",
    )  # fmt: skip
    expected = {"output": reasons.NO_OUTPUT, "input": reasons.NO_INPUT_NEEDED}[orientation]
    assert honest.reasons == {"s": expected}
    db.certify(honest)
    forged_reasons = dict.fromkeys(table.index, reasons.NO_OUTPUT)
    forged = replace(honest, scores=honest.scores * np.nan, reasons=forged_reasons)
    wrong = forged.options.prove(forged).violations["reason"]
    assert wrong.tolist() == [1.0, 1.0, 1.0, float(orientation == "input")]


@pytest.mark.parametrize("orientation", ["input", "output", "none"])
def test_copies_of_reference_dmus_are_compared_with_these(orientation) -> None:
    """They stand at the same positions in another table, and nobody is left out of that."""
    table = pd.DataFrame(
        {"a": [1.0, 4.0, 2.0], "b": [4.0, 1.0, 2.0], "x": [1.0, 1.0, 2.0]}, list("pqr")
    )
    copies = table.set_axis(list("klm"))
    honest = rank_with(
        copies, reference=table, outputs=["a", "b"], inputs=["x"], model="super-sbm",
        orientation=orientation,
    )  # fmt: skip
    assert honest.scores.tolist()[:2] == [1.0, 1.0]
    db.certify(honest)
