"""What certify proves, and that it catches every number that was tampered with."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, frame, oracle, tables
from hypothesis import given
from model_options import rank_with

import deabench as db
from deabench.errors import CertificateError, DataError
from deabench.proofs.targets import CLAIMED
from deabench.utils.arrays import Sparse, scale

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

RNG = np.random.default_rng(6)
TABLE = frame(RNG.uniform(0.3, 1, (25, 3)))
CCR = {"inputs": ["m0"], "model": "ccr", "orientation": "input"}
WHO = "c7"


def rankings() -> dict:
    return {
        "wei": db.rank(TABLE),
        "score": db.rank(TABLE, model="score"),
        "quotients": db.rank(TABLE, inputs=["m0"]),
        **{
            f"ccr {returns} {orientation}": rank_with(
                TABLE, **(CCR | {"returns": returns, "orientation": orientation})
            )
            for returns in ("crs", "vrs", "nirs", "ndrs")
            for orientation in ("input", "output")
        },
    }


RANKINGS = rankings()


@pytest.mark.parametrize("name", RANKINGS)
def test_every_dmu_has_its_certificate(name) -> None:
    proof = db.certify(RANKINGS[name])
    assert list(proof.columns) == [
        "primal",
        "dual",
        "gap",
        "primal_infeasibility",
        "dual_infeasibility",
    ]
    assert list(proof.index) == list(TABLE.index)
    assert proof.notna().all(axis=None)
    assert (proof[["gap", "primal_infeasibility", "dual_infeasibility"]] <= 1e-10).all(axis=None)
    assert (proof[["gap", "primal_infeasibility", "dual_infeasibility"]] >= 0).all(axis=None)
    np.testing.assert_allclose(proof["primal"], RANKINGS[name].scores, rtol=1e-10)
    np.testing.assert_allclose(proof["dual"], RANKINGS[name].scores, rtol=1e-10)
    pd.testing.assert_frame_equal(RANKINGS[name].certificate, proof, check_frame_type=False)


def test_the_certificate_is_the_definition_by_hand() -> None:
    ranking = RANKINGS["wei"]
    proof, Y = ranking.certificate, TABLE.to_numpy()
    lam = ranking.peers.reindex(columns=TABLE.index, fill_value=0.0).to_numpy()
    w = ranking.weights.to_numpy()
    np.testing.assert_allclose(proof["primal"], 1 / ((lam @ Y) / Y).min(axis=1), rtol=1e-12)
    np.testing.assert_allclose(
        proof["dual"], (w * Y).sum(axis=1) / (Y @ w.T).max(axis=0), rtol=1e-12
    )


@examples(60)
@given(tables())
def test_every_dmu_of_every_table_is_certified(Y) -> None:
    ranking = db.rank(frame(Y))
    proof = db.certify(ranking)
    assert proof.notna().all(axis=None)
    assert (proof["gap"] <= 1e-9).all()


def changed(ranking, field: str, value):
    """The ranking with one number of `WHO` replaced."""
    k = ranking.scores.index.get_loc(WHO)
    if field == "scores":
        scores = ranking.scores.copy()
        scores.iloc[k] *= value
        return replace(ranking, scores=scores)
    if field == "weights":
        weights = ranking.weights.copy()
        weights.iloc[k, 0] += value * weights.iloc[k].abs().max()
        return replace(ranking, weights=weights)
    values = ranking.intensities.values.copy()
    values[k, np.argmax(values[k])] += value
    return replace(ranking, intensities=Sparse(ranking.intensities.columns, values))


@pytest.mark.parametrize("name", RANKINGS)
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scores", 1 + 1e-6),
        ("scores", 1 - 1e-6),
        ("weights", 1e-3),
        ("weights", -2.0),
        ("lambda", 1e-4),
        ("lambda", -1e-4),
        ("scores", np.nan),
        ("weights", np.nan),
        ("lambda", np.nan),
    ],
)
def test_a_tampered_ranking_is_caught_and_the_dmu_named(name, field, value) -> None:
    with pytest.raises(CertificateError) as caught:
        db.certify(changed(RANKINGS[name], field, value))
    message = str(caught.value)
    assert message.startswith(f"'{WHO}': ")
    assert message.endswith(", above 1e-09; compute the result again")


def test_the_text_names_the_number_and_what_it_misses_by(refused) -> None:
    tampered = changed(RANKINGS["wei"], "scores", 1.5)
    miss = abs(tampered.scores[WHO] - RANKINGS["wei"].scores[WHO]) / max(tampered.scores[WHO], 1.0)
    with refused(
        f"'{WHO}': distance of the score from its proof is {miss:.3g}, above 1e-09; compute "
        "the result again",
        CertificateError,
    ):
        db.certify(tampered)
    db.certify(tampered, tolerance=1.0)


@pytest.mark.parametrize("value", [1e-6, -1e-6])
def test_tampered_slacks_are_caught(value) -> None:
    ranking = RANKINGS["wei"]
    slacks = ranking.slacks.copy()
    slacks.loc[WHO, "m1"] += value
    with pytest.raises(CertificateError) as caught:
        db.certify(replace(ranking, slacks=slacks))
    assert str(caught.value).startswith(f"'{WHO}': distance of the slacks from their proof is ")


def test_an_undefined_answer_with_its_reason_is_certified_and_one_without_is_not() -> None:
    above = frame(np.array([[9.0, 9.0]]), "t")
    targets = db.targets(above, frame(np.array([[0.9, 0.5], [0.5, 0.9]])), dominating=True)
    assert targets.reasons == {"t0": "no point of the frontier dominates it"}
    proof = db.certify(targets)
    assert proof.drop(columns=["closest", "position", "frontier"]).isna().all(axis=None)
    assert proof["closest"].tolist() == [
        0.0
    ]  # a slope shows that no face has a point that dominates it
    with pytest.raises(CertificateError) as caught:
        db.certify(replace(targets, reasons={}))
    assert str(caught.value) == "'t0': lambda error is nan, above 1e-09; compute the result again"


def test_an_undefined_score_hides_nobody_elses_slack() -> None:
    reference = pd.DataFrame({"y1": [1.0, 2.0], "y2": [0.0, 0.0]}, index=["a", "b"])
    tested = pd.DataFrame({"y1": [1.0, 1.0], "y2": [1.0, 0.0]}, index=["new", "old"])
    ranking = db.rank(tested, reference=reference)
    db.certify(ranking)
    slacks = ranking.slacks.copy()
    slacks.loc["old", "y1"] += 0.1
    with pytest.raises(CertificateError) as caught:
        db.certify(replace(ranking, slacks=slacks))
    assert str(caught.value).startswith("'old': distance of the slacks from their proof is ")


def test_tampered_data_are_caught() -> None:
    ranking = RANKINGS["wei"]
    table = TABLE.copy()
    table.loc[WHO] *= 0.9
    with pytest.raises(CertificateError) as caught:
        db.certify(replace(ranking, data=replace(ranking.data, outputs=table)))
    assert str(caught.value).startswith(f"'{WHO}': ")


FOUND = {
    "faces": db.targets(TABLE * 0.8, TABLE),
    "facets": db.targets(TABLE * 0.8, TABLE, on="facets", norm="l2"),
    "milp": db.targets((TABLE * 0.8).iloc[5:9], TABLE, method="milp"),
    "common": db.targets(TABLE * 0.8, TABLE, common=True, norm="linf"),
}


@pytest.mark.parametrize("name", FOUND)
def test_every_target_has_its_certificate(name) -> None:
    proof = db.certify(FOUND[name])
    assert list(proof.columns) == [*CLAIMED[:3], "least_weight", *CLAIMED[3:]]
    assert (proof["least_weight"] > 0).all()
    claimed = proof.drop(columns=["least_weight"] + ["closest"] * (name == "milp"))
    assert (claimed <= 1e-9).all(axis=None)
    unproved = (
        ("not certified: that no target is nearer, which the MILP solver alone reports",)
        if name == "milp"
        else ()
    )
    assert FOUND[name].unproved == unproved
    assert all(reason in FOUND[name].summary() for reason in unproved)


def tampered(result, field: str, value: float):
    frame_ = getattr(result, field).copy()
    if field == "distance":
        frame_[WHO] += value
    elif field == "intensities":
        frame_.loc[WHO, frame_.loc[WHO].idxmax()] += value
    else:
        frame_.loc[WHO, "m1"] += value
    return replace(result, **{field: frame_})


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("targets", 1e-6, "lambda error"),
        ("distance", 1e-6, "distance error"),
        ("distance", -1e-6, "distance error"),
        ("intensities", 1e-6, "lambda error"),
        ("intensities", -1.5, "lambda error"),
        ("normals", 1e-3, "beyond"),
        ("normals", -1e-3, "off"),
        ("gaps", 1e-6, "gap error"),
        ("targets", np.nan, "lambda error"),
        ("distance", np.nan, "lambda error"),
        ("intensities", np.nan, "lambda error"),
        ("normals", np.nan, "beyond"),
    ],
)
@pytest.mark.parametrize("name", ["faces", "milp", "common"])
def test_a_tampered_target_is_caught_and_the_dmu_named(name, field, value, message) -> None:
    with pytest.raises(CertificateError) as caught:
        db.certify(tampered(FOUND[name], field, value))
    assert str(caught.value).startswith(f"'{WHO}': {message} is ")
    assert str(caught.value).endswith(", above 1e-09; compute the result again")


@pytest.mark.parametrize(
    ("field", "value"), [("targets", 1e-6), ("distance", 1e-6), ("normals", 1e-3)]
)
def test_a_tampered_target_on_facets_is_caught(field, value) -> None:
    with pytest.raises(CertificateError) as caught:
        db.certify(tampered(FOUND["facets"], field, value))
    assert str(caught.value).startswith(f"'{WHO}': ")


def test_a_weakly_efficient_normal_is_caught(refused) -> None:
    reference = frame(np.array([[1.0, 0.5], [0.5, 1.0]]))
    targets = db.targets(frame(np.array([[1.0, 0.4]]), "t"), reference)
    normals = targets.normals.copy()
    normals.loc["t0"] = [1.0, 0.0]
    with refused(
        "'t0': weight that is not positive is 1, above 1e-09; compute the result again",
        CertificateError,
    ):
        db.certify(replace(targets, normals=normals))


def test_a_point_of_the_frontier_that_is_not_the_nearest_is_refused(refused) -> None:
    """All else of it holds: its λ, its face, its normal, its gaps and its distance."""
    reference = frame(np.array([[1.0, 0.5], [0.5, 1.0]]))
    targets = db.targets(frame(np.array([[0.9, 0.5]]), "t"), reference)
    assert targets.distance["t0"] == pytest.approx(0.1, abs=1e-12)
    closest = db.targets(frame(np.array([[0.6, 0.9]]), "t"), reference)
    gaps = closest.targets - targets.actual
    forged = replace(
        targets,
        targets=closest.targets,
        intensities=closest.intensities,
        gaps=gaps,
        distance=gaps.abs().sum(axis=1).rename("distance"),
    )
    assert db.certify(targets)["closest"].max() <= 1e-12
    miss = forged.recompute()["closest"].iloc[0]
    with refused(
        f"'t0': closest is {miss:.3g}, above 1e-09; compute the result again", CertificateError
    ):
        db.certify(forged)


@pytest.mark.parametrize("power", [-6, 9])
def test_certificates_know_no_units(power) -> None:
    unit = 10.0**power
    db.certify(db.rank(TABLE * unit))
    db.certify(db.targets(TABLE * unit * 0.8, TABLE * unit))
    with pytest.raises(CertificateError):
        db.certify(changed(db.rank(TABLE * unit), "lambda", 1e-4))


def test_scale_is_a_power_of_two_next_to_the_maximum() -> None:
    values = RNG.uniform(0, 1, (50, 4)) * [1e-6, 1.0, 1e9, 0.0]
    unit = scale(values)
    assert (np.log2(unit) == np.round(np.log2(unit))).all()
    assert (unit[:3] <= values.max(axis=0)[:3]).all()
    assert (values.max(axis=0)[:3] < 2 * unit[:3]).all()
    assert unit[3] == 1.0


def test_sparse_is_the_matrix() -> None:
    dense = RNG.uniform(0, 1, (6, 9)) * (RNG.uniform(size=(6, 9)) < 0.3)
    width = int((dense > 0).sum(axis=1).max()) + 1
    columns, values = np.full((6, width), -1), np.zeros((6, width))
    for i, row in enumerate(dense):
        indices = np.flatnonzero(row)
        columns[i, : len(indices)], values[i, : len(indices)] = indices, row[indices]
    sparse = Sparse(columns, values)
    second = RNG.uniform(size=(9, 2))
    np.testing.assert_allclose(sparse.dot(second), dense @ second, rtol=1e-14)
    labels = pd.Index(list("abcdefghi"))
    shown = sparse.frame(pd.RangeIndex(6), labels)
    used = (dense > 0).any(axis=0)
    assert list(shown.columns) == list(labels[used])
    np.testing.assert_array_equal(shown.to_numpy(), dense[:, used])


def test_certify_needs_no_solver() -> None:
    code = (
        "import sys, deabench.proofs.certify; heavy = 'pyomo', 'highspy', 'scipy', "
        "'deabench_models', 'deabench.solver'; "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]"


def test_a_published_table_is_certified() -> None:
    plants = oracle("12_simar_wilson_1998_electric", "data")
    ranking = db.rank(
        plants, inputs=["Labor", "Fuel", "Capital"], outputs=["Output"], model="ccr", returns="vrs"
    )
    assert db.certify(ranking)["gap"].max() <= 1e-12


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, CertificateError),
        ({"options": SimpleNamespace(has_certificate=True)}, CertificateError),
        ({"options": SimpleNamespace(has_certificate=False)}, DataError),
    ],
)
def test_parts_that_no_proof_can_read_do_not_belong_together(options, expected) -> None:
    """Unless the model has no proof, which it says itself."""

    def prove() -> None:
        raise DataError("no proof of it")

    with pytest.raises(expected, match="no proof of it") as caught:
        db.certify(SimpleNamespace(proof=prove, reasons={}, **options))
    assert ("belong together" in str(caught.value)) == (expected is CertificateError)
