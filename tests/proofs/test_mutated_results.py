"""That certify refuses whatever was changed in a result, or names it as not claimed: every field of
every certifiable result.

A mutant that is not refused must be right: its field is words, is named in `unclaimed`, or is a
proof that still proves the same."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from mutants import mutants
from quick_cases import mark_most_slow
from simulations.hard_tables import noisy_table

import deabench as db
from deabench.errors import CertificateError
from deabench.models import MODELS

UNPROVED_FIELDS = ("path", "notes", "transforms", "options", "ranges")
"""Fields that no proof is about: the model's name and words, how it was solved, notes, how metrics
were turned before the gate, which values they can have; of the options, those that the model's
proof does not ask for.
"""
pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

RNG = np.random.default_rng(3)
TABLE = pd.DataFrame(
    RNG.uniform(0.3, 1, (12, 4)), index=[f"c{k}" for k in range(12)], columns=list("abxy")
)
TESTED = TABLE.iloc[:12] * [0.9, 0.9, 1.1, 0.9]
PROOFS = ("frontier", "slack_weights", "infeasibility_certificates", "slopes", "weights")
"""Fields that say nothing but what they prove: one that still proves it is as good."""
NAMED = {
    "tables": "tables beside the scores",
    "efficient": "efficient",
    "slacks": "slacks",
    "bounds": "bounds",
    "uncertainty": "how sure",
}
"""What `unclaimed` says where a field is not claimed."""


def ranking(model: str, **how: object) -> db.Ranking:
    columns = list("aby")
    inputs = ["x"] if model not in ("common",) else None
    if model == "ccr":
        how = {"returns": "vrs"} | how
    return rank_with(
        TABLE if inputs else TABLE[columns],
        outputs=columns,
        inputs=inputs,
        model=model,
        **how,
    )


RANKINGS = {model: lambda model=model: ranking(model) for model in MODELS} | {
    "wei without inputs": lambda: db.rank(TABLE, outputs=list(TABLE)),
    "ccr inwards": lambda: ranking("ccr", orientation="input"),
    "ccr restricted": lambda: ranking("ccr", ratios={("a", "b"): (0.5, 2.0)}, returns="crs"),
    "ccr, another reference": lambda: db.rank(
        TESTED, outputs=list("aby"), inputs=["x"], model="ccr", reference=TABLE
    ),
    "sbm inwards": lambda: ranking("sbm", orientation="input"),
    "rdm inwards": lambda: ranking("rdm", orientation="input"),
}
P = TABLE[list("aby")]
OTHERS = {
    "frontier": lambda: db.frontier(P),
    "targets": lambda: db.targets(P.iloc[:3] * 0.9, P),
    "targets, dominating": lambda: db.targets(P.iloc[:3] * 0.9, P, norm="l2", dominating=True),
    "targets on facets": lambda: db.targets(P.iloc[:3] * 0.9, P, norm="linf", on="facets"),
    "targets in common": lambda: db.targets(P.iloc[:3] * 0.9, P, common=True),
    "targets by milp": lambda: db.targets(P.iloc[:2] * 0.9, P, method="milp"),
}


@cache
def compute_result(name: str) -> object:
    """Return one of `RANKINGS` or of `OTHERS`, computed once."""
    return (RANKINGS | OTHERS)[name]()


def survivors(result: object) -> list[tuple[str, object]]:
    """Return the mutants that certify passes; any error but a refusal fails the test."""
    out, refused = [], 0
    for done, mutant in mutants(result, np.random.default_rng(0)):
        try:
            db.certify(mutant)
        except CertificateError:
            refused += 1
        else:
            out.append((done, mutant))
    assert refused > 60
    return out


def harmless(done: str, result, mutant) -> bool:
    """Whether a mutant that passed says nothing that is not so."""
    field = done.split(":")[0]
    if any(f"{word}:" in done for word in UNPROVED_FIELDS) or field in PROOFS:
        return True
    if field == "intensities":  # a column of a λ of 0 says nothing
        return result.peers.equals(mutant.peers)
    if field == "own_reference":
        return mutant.own_reference is False
    return field in NAMED and any(NAMED[field] in claim for claim in mutant.proof().unclaimed)


@pytest.mark.parametrize("name", mark_most_slow(RANKINGS, 7))
def test_every_field_of_a_ranking_is_held_or_named(name) -> None:
    result = compute_result(name)
    db.certify(result)
    for done, mutant in survivors(result):
        if done.startswith("reference: "):  # another question: the answer to it has to be the same
            repeated = (
                db.rank(
                    TESTED,
                    outputs=list("aby"),
                    inputs=["x"],
                    model="ccr",
                    reference=mutant.reference.outputs.join(mutant.reference.inputs),
                )
                if "puts" in done
                else result
            )
            np.testing.assert_allclose(repeated.scores, result.scores, atol=1e-9)
        else:
            assert harmless(done, result, mutant), done


@pytest.mark.parametrize(
    "name",
    [
        "frontier",
        "targets",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in (
                "targets by milp",
                "targets, dominating",
                "targets on facets",
                "targets in common",
            )
        ),
    ],
)
def test_every_field_of_a_frontier_and_of_targets_is_held_or_named(name) -> None:
    result = compute_result(name)
    db.certify(result)
    for done, mutant in survivors(result):
        if "data: outputs" in done:  # another table, with the same frontier
            front = getattr(mutant, "frontier", mutant)
            repeated = db.frontier(front.data.outputs)
            np.testing.assert_allclose(
                repeated.points, getattr(result, "frontier", result).points, atol=0
            )
        elif done.startswith("faces: "):
            assert [set(face) for face in mutant.faces] == [set(face) for face in result.faces], (
                done
            )
        elif done.startswith(
            ("dominating", "weights", "common", "norm", "slopes")
        ):  # asked otherwise, and proved all the same
            pd.testing.assert_frame_equal(mutant.targets, result.targets)
        elif done.startswith("slopes") or "milp" in name:
            assert harmless(done, result, mutant) or done.startswith(("position", "frontier")), done
        else:
            assert harmless(done, result, mutant), done


def test_every_field_of_every_result_is_mutated() -> None:
    for result in map(compute_result, (*RANKINGS, *OTHERS)):
        named = {done.split(":")[0] for done, _ in mutants(result, np.random.default_rng(0))}
        full = {
            field.name
            for field in fields(result)
            if (value := getattr(result, field.name)) is not None
            and (np.ndim(value) == 0 or len(value))
            and not (isinstance(value, pd.DataFrame | pd.Series) and not value.size)
        }
        # no word of the options can be changed where the model knows one word only
        assert full - named <= {"options"}, full - named


# consistent forgeries of what has no score

FAR = pd.DataFrame(
    [[1.0, 3.0, 2.0], [0.5, 0.5, 5.0]], index=["far", "fine"], columns=["a", "b", "x"]
)
NEAR = pd.DataFrame(
    [[1.0, 1.0, 3.0], [2.0, 1.0, 4.0], [1.0, 2.0, 4.0]], index=list("pqr"), columns=["a", "b", "x"]
)
WITHOUT = {
    "ccr vrs inwards": {"model": "ccr", "returns": "vrs", "orientation": "input"},
    "ccr vrs": {"model": "ccr", "returns": "vrs"},
    "sbm": {"model": "sbm", "returns": "vrs"},
    "super-sbm": {"model": "super-sbm", "returns": "vrs"},
    "additive": {"model": "additive"},
    "ram": {"model": "ram"},
    "russell": {"model": "russell"},
    "fdh": {"model": "fdh"},
    "ddf": {"model": "ddf", "direction": {"a": 1.0}},
    "super": {"model": "super", "returns": "vrs", "orientation": "input"},
}


@pytest.mark.parametrize("name", WITHOUT)
def test_a_dmu_without_a_score_is_proved_to_have_none_and_no_other_is(name) -> None:
    result = rank_with(FAR, outputs=["a", "b"], inputs=["x"], reference=NEAR, **WITHOUT[name])
    db.certify(result)
    assert "far" in result.reasons, result.scores
    assert not any("score" in claim for claim in result.proof().unclaimed)
    assert "fine" not in result.reasons
    forged = {field: getattr(result, field).copy() for field in ("scores", "slacks", "weights")}
    for values in forged.values():
        values.loc["fine"] = np.nan
    forged["efficient"] = result.efficient & (result.efficient.index != "fine")
    for changes in (
        {},
        {
            "infeasibility_certificates": None
            if result.infeasibility_certificates is None
            else pd.concat(
                [
                    result.infeasibility_certificates,
                    result.infeasibility_certificates.set_axis(["fine"]),
                ]
            )
        },
    ):
        with pytest.raises(CertificateError):
            db.certify(
                replace(
                    result,
                    **forged,
                    **changes,
                    reasons=result.reasons | {"fine": result.reasons["far"]},
                )
            )
    with pytest.raises(CertificateError):
        db.certify(replace(result, reasons=result.reasons | {"far": "it is so"}))
    if result.infeasibility_certificates is not None:
        with pytest.raises(CertificateError, match="reason is 1"):
            db.certify(replace(result, infeasibility_certificates=None))


@pytest.mark.parametrize(
    "how",
    [
        {"model": "super", "returns": "vrs"},
        {"model": "super", "returns": "vrs", "orientation": "input"},
        {"model": "super-sbm", "returns": "vrs", "orientation": "input"},
        {"model": "super"},
    ],
)
def test_a_dmu_that_the_others_do_not_reach_is_proved_so(how) -> None:
    ranking_of_all = rank_with(pd.concat([NEAR, FAR]), outputs=["a", "b"], inputs=["x"], **how)
    db.certify(ranking_of_all)
    table = pd.DataFrame(
        {"a": [1.0, 0.0, 2.0], "b": [0.0, 1.0, 1.0], "x": [1.0, 1.0, 1.0]}, index=list("pqr")
    )
    small_ranking = rank_with(
        table.iloc[:2], outputs=["a", "b"], inputs=["x"], **how
    )  # each has what the other has none of
    db.certify(small_ranking)
    for result in (ranking_of_all, small_ranking):
        for label in result.reasons:
            assert not any("score" in reason for reason in result.proof().unclaimed)
            with pytest.raises(CertificateError):
                db.certify(
                    replace(
                        result,
                        reasons={
                            key: reason for key, reason in result.reasons.items() if key != label
                        },
                    )
                )
            if "do not reach it" in result.reasons[label] and label in (
                ()
                if result.infeasibility_certificates is None
                else result.infeasibility_certificates.index
            ):
                with pytest.raises(CertificateError):
                    db.certify(
                        replace(
                            result, infeasibility_certificates=-result.infeasibility_certificates
                        )
                    )


def test_what_is_undecided_is_said() -> None:
    """A grid with noise near the tolerance: nobody is called efficient without a proof."""
    table, _ = noisy_table(26)
    decided = db.rank(table)
    # Exact arithmetic decides what floating point leaves open; without its weights it is open.
    assert not decided.undecided.any()
    assert decided.efficient.any()
    weights = decided.slack_weights
    result = replace(
        decided,
        slack_weights=replace(weights, of=np.full_like(weights.of, -2)),
        efficient=decided.efficient & False,
    )
    assert (result.undecided == decided.efficient).all()
    assert not (result.undecided & result.efficient).any()
    assert result.to_frame()["undecided"].sum() == result.undecided.sum()
    summary = result.summary()
    assert (
        f"Whether {result.undecided.sum()} DMUs are efficient is undecided within 1e-09." in summary
    )
    assert any("not proved the largest" in claim for claim in result.proof().unclaimed)
    assert "undecided" not in db.rank(TABLE, outputs=list("aby"), inputs=["x"]).to_frame()
