"""Parts that do not belong together: a sentence for each forgery of each kind of result."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.errors import CertificateError, DataError
from deabench.models import MODELS
from deabench.models.options import check_inputs, choices_of
from deabench.proofs.structure import (
    _claims_anything,
    _fits_inputs,
    _position_violations,
    check_frontier,
    check_ranking,
    check_targets,
    complete_proof,
    require_table,
)
from deabench.results.answer import NOT_COMPUTED
from deabench.results.proof import Proof, SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "a": [1.0, 3.0, 4.0, 2.0],
        "b": [4.0, 3.0, 1.0, 2.0],
        "x": [2.0, 3.0, 2.5, 4.0],
    },
    index=list("pqrs"),
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that the table is small
    RANKING = rank_with(TABLE, outputs=["a", "b"], inputs=["x"], model="ccr")
    FRONT = db.frontier(TABLE, outputs=["a", "b"])
    TARGETS = db.targets(TABLE.loc[["s"], ["a", "b"]], TABLE[["a", "b"]])
    ALONE = db.targets(TABLE.loc[["s"], ["a", "b"]], TABLE[["a", "b"]], technology="fdh")
NAN = TABLE[["a", "b"]].where(TABLE["a"] != 3)


def of_data(part: str = "data", **changes):
    return {part: replace(getattr(RANKING, part), **changes)}


def of_hull(**changes):
    return {"precomputed_hull": replace(FRONT.hull, **changes)}


HULL = FRONT.hull
LAM = RANKING.intensities
WEIGHTS = RANKING.slack_weights
OUTPUTS = RANKING.data.outputs
INPUTS = RANKING.data.inputs
RANKINGS = [
    ("two rows have the same label", of_data(outputs=OUTPUTS.set_axis(list("pqqr")))),
    ("'scores' has other labels", {"scores": RANKING.scores.set_axis(list("pqrt"))}),
    ("'slacks' has other labels", {"slacks": RANKING.slacks.iloc[::-1]}),
    ("'slacks' has other columns", {"slacks": RANKING.slacks[["b", "a", "x"]]}),
    ("'weights' has other columns", {"weights": RANKING.weights[["a", "b"]]}),
    (
        "'infeasibility_certificates' has other labels",
        {"infeasibility_certificates": RANKING.slacks.set_axis(list("pqrt"))},
    ),
    (
        "'infeasibility_certificates' has other columns",
        {"infeasibility_certificates": RANKING.slacks.iloc[:1, :2]},
    ),
    ("'data' has other labels", of_data(inputs=INPUTS.iloc[::-1])),
    ("'reference' has other labels", of_data("reference", inputs=INPUTS.iloc[::-1])),
    (
        "'reference' names a metric twice",
        of_data("reference", inputs=INPUTS.set_axis(["a"], axis=1)),
    ),
    ("'intensities' does not have one row", {"intensities": LAM[np.arange(3)]}),
    ("'intensities' does not have one row", {"intensities": Sparse(LAM.columns, LAM.values[:3])}),
    (
        "'intensities' gives a share to a DMU",
        {"intensities": Sparse(np.full_like(LAM.columns, -1), LAM.values)},
    ),
    ("'slack_weights' does not", {"slack_weights": SlackWeights(WEIGHTS.rows, WEIGHTS.of[:3])}),
    (
        "'slack_weights' does not",
        {"slack_weights": SlackWeights(WEIGHTS.rows, np.array([-3, -1, -1, -1]))},
    ),
    (
        "'slack_weights' does not",
        {"slack_weights": SlackWeights(np.ones((2, 3)), np.array([2, -1, -1, -1]))},
    ),
    ("'reasons' name a DMU", {"reasons": {"t": "it is so"}}),
    (
        "'reference' has other metrics",
        of_data("reference", inputs=INPUTS.set_axis(["z"], axis=1)),
    ),
    (
        "'reference' has other metrics",
        of_data("reference", outputs=OUTPUTS[["a"]], inputs=TABLE[["b", "x"]]),
    ),
    (
        "'intensities' or 'frontier' name a DMU",
        {"intensities": Sparse(LAM.columns + 4, LAM.values)},
    ),
    (
        "'intensities' or 'frontier' name a DMU",
        {"intensities": Sparse(np.where(LAM.columns >= 0, 4, -1), LAM.values)},
    ),
    ("'intensities' or 'frontier' name a DMU", {"frontier": np.array([0, 4])}),
    ("'intensities' or 'frontier' name a DMU", {"frontier": np.array([-1, 2])}),
    ("no finite number", of_data(outputs=NAN)),
    ("no finite number", of_data(inputs=INPUTS * np.inf)),
    ("no finite number", of_data("reference", outputs=NAN)),
    ("no finite number", of_data("reference", inputs=INPUTS * np.nan)),
    ("'frontier' names a reference DMU twice", {"frontier": np.array([0, 1, 1])}),
    ("'efficient' is not a column of booleans", {"efficient": RANKING.efficient.astype(float)}),
]
FRONTS = [
    ("'origin' or 'unit' is not a number", {"origin": FRONT.origin[:1]}),
    ("'origin' or 'unit' is not a number", {"unit": np.ones(3)}),
    ("'technology' is not", {"technology": "hull"}),
    ("'dominator' is not a row", {"dominator": FRONT.dominator[:3]}),
    ("name a DMU that the table", {"vertices": ["p", "q", "t"]}),
    ("name a DMU that the table", {"extreme": ["p", "q", "t"]}),
    ("not in the table's order", {"vertices": ["p", "r", "q"]}),
    ("not in the table's order", {"extreme": ["q", "p", "r"]}),
    ("not in the table's order", {"extreme": ["p", "q", "q"]}),
    ("arrays of other sizes", of_hull(rows=np.array([-1, 1, 2]))),
    ("arrays of other sizes", of_hull(rows=np.array([0, 1, 3]))),
    ("arrays of other sizes", of_hull(rows=np.zeros(0, dtype=int))),
    ("arrays of other sizes", of_hull(points=HULL.points[:, :1])),
    ("arrays of other sizes", of_hull(normals=HULL.normals[:, :1])),
    ("arrays of other sizes", of_hull(members=HULL.members[1:])),
    ("arrays of other sizes", of_hull(incidence=HULL.incidence.T[:1])),
]
SLOPES = TARGETS.slopes
TARGET_CASES = [
    ("'targets' has other labels", {"targets": TARGETS.targets.set_axis(["t"])}),
    ("'gaps' has other columns", {"gaps": TARGETS.gaps[["b", "a"]]}),
    ("'normals' has other columns", {"normals": TARGETS.normals[["b", "a"]]}),
    ("'actual' has other columns", {"actual": TARGETS.actual[["b", "a"]]}),
    ("'intensities' has other columns", {"intensities": TARGETS.intensities.iloc[:, ::-1]}),
    ("'slopes' has other labels", {"slopes": TARGETS.normals.set_axis(["t"])}),
    ("'weights' name other metrics", {"weights": {"b": 1.0, "a": 1.0}}),
    ("'norm' is not", {"norm": "l3"}),
    ("'on' does not fit", {"on": "classifiers"}),
    ("'method' does not fit", {"method": "comparison"}),
    ("'reasons' name a DMU", {"reasons": {"t": "it is so"}}),
    ("'multiples' has other labels", {"multiples": pd.Series([1.0], ["p"])}),
    ("'dominator' is not a row", {"frontier": replace(FRONT, dominator=FRONT.dominator[:3])}),
]


@pytest.mark.parametrize(("sentence", "changes"), RANKINGS)
def test_parts_of_a_ranking_belong_together(sentence, changes) -> None:
    check_ranking(RANKING)
    with pytest.raises(CertificateError, match=sentence):
        check_ranking(replace(RANKING, **changes))


@pytest.mark.parametrize(("sentence", "changes"), FRONTS)
def test_parts_of_a_frontier_belong_together(sentence, changes) -> None:
    check_frontier(FRONT)
    with pytest.raises(CertificateError, match=sentence):
        check_frontier(replace(FRONT, **changes))


@pytest.mark.parametrize(("sentence", "changes"), TARGET_CASES)
def test_parts_of_targets_belong_together(sentence, changes) -> None:
    check_targets(TARGETS)
    with pytest.raises(CertificateError, match=sentence):
        check_targets(replace(TARGETS, **changes))


def test_options_of_targets_fit_the_technology() -> None:
    check_targets(ALONE)
    check_targets(replace(TARGETS, on="facets"))
    check_targets(replace(TARGETS, method="milp"))
    check_targets(replace(TARGETS, multiples=pd.Series(1.0, TABLE.index)))
    for changes in ({"on": "faces"}, {"on": "facets"}, {"method": "faces"}, {"method": "milp"}):
        with pytest.raises(CertificateError, match="does not fit the technology"):
            check_targets(replace(ALONE, **changes))


def test_a_table_has_the_rows_and_columns_that_it_must_have() -> None:
    table = pd.DataFrame({"u": [1.0], "v": [2.0]}, index=["k"])
    result = replace(RANKING, tables={"one": table, "two": "words"})
    assert require_table(result, "one") is table
    assert require_table(result, "one", rows=table.index, columns=["u", "v"]) is table
    for name, options in (
        ("none", {}),
        ("two", {}),
        ("one", {"rows": pd.Index(["l"])}),
        ("one", {"columns": ["v", "u"]}),
        ("one", {"rows": pd.Index(["l"]), "columns": ["u", "v"]}),
        ("one", {"rows": table.index, "columns": ["u"]}),
    ):
        with pytest.raises(CertificateError, match=f"no table '{name}'"):
            require_table(result, name, **options)


def test_the_same_outputs_do_not_hide_other_inputs() -> None:
    data = RANKING.data
    for side in ("outputs", "inputs"):
        other = replace(data, **{side: getattr(data, side).mul([1, 1, 2, 1], axis=0)})
        assert _position_violations(other, data).tolist() == [0, 0, 1, 0]
    assert _position_violations(data, data).tolist() == [0, 0, 0, 0]


def test_a_proof_is_completed_by_what_holds_for_every_model() -> None:
    bare = Proof(pd.DataFrame(index=TABLE.index), {"gap": np.zeros(4)})
    proof = complete_proof(RANKING, bare)
    assert set(proof.violations) == {
        "gap",
        "row_of_the_reference_that_it_is",
        "reference_DMUs_that_no_listed_one_dominates",
        "reason",
    }
    assert proof.unclaimed == ()
    assert not any(misses.any() for misses in proof.violations.values())
    # A score with a reason, and neither of them.
    without = RANKING.scores.where(RANKING.scores.index != "q")
    forged = replace(RANKING, scores=without, reasons={"r": "it is so"})
    completed = complete_proof(forged, bare)
    assert completed.violations["reason"].tolist() == [0, 1, 1, 0]
    assert completed.unclaimed == ("that 1 DMUs have no score, and why",)
    forged = replace(
        forged, tables={"cross": TABLE}, own_reference=False, frontier=np.zeros(1, int)
    )
    completed = complete_proof(forged, bare)
    assert completed.unclaimed[0] == "the tables beside the scores: cross"
    assert "row_of_the_reference_that_it_is" not in completed.violations
    uncovered = completed.violations["reference_DMUs_that_no_listed_one_dominates"]
    assert uncovered.tolist() == [3.0] * 4
    claimed = Proof(bare.frame, {"reason": np.ones(4), **bare.violations})
    assert complete_proof(forged, claimed).violations["reason"].tolist() == [1.0] * 4
    # Of what time did not suffice for nothing is checked and nothing may be claimed.
    late = replace(RANKING, scores=without, reasons={"q": NOT_COMPUTED, "r": NOT_COMPUTED})
    assert late.is_partial
    completed = complete_proof(late, Proof(bare.frame, {"gap": np.ones(4)}))
    assert completed.violations["gap"].tolist() == [1, 0, 1, 1]
    assert completed.violations["claim_of_what_was_not_computed"].tolist() == [0, 1, 0, 0]
    # What rests on samples or on empty cells is told.
    for part, sentence in (
        ("bounds", "the bounds over the completions of empty cells"),
        ("uncertainty", "how certain the scores are: this rests on the samples alone"),
    ):
        assert complete_proof(replace(RANKING, **{part: object()}), bare).unclaimed == (sentence,)
    # Another reason for no score is checked as ever.
    reasons = {"q": NOT_COMPUTED, "s": "it lies outside"}
    late = replace(late, scores=without.where(TABLE.index != "s"), reasons=reasons)
    completed = complete_proof(late, Proof(bare.frame, {"gap": np.ones(4)}))
    assert completed.violations["gap"].tolist() == [1, 0, 1, 1]
    assert completed.unclaimed[0] == "anything about 1 DMUs, for which time had passed"


@pytest.mark.parametrize("part", ["efficient", "intensities", "slacks", "weights"])
def test_whatever_is_there_is_claimed(part) -> None:
    nothing = replace(
        RANKING,
        efficient=RANKING.efficient & False,
        intensities=Sparse(LAM.columns, LAM.values * 0),
        slacks=RANKING.slacks * np.nan,
        weights=RANKING.weights * np.nan,
    )
    assert not _claims_anything(nothing).any()
    is_it = np.arange(4) == 2
    changes = {
        "efficient": pd.Series(is_it, TABLE.index),
        "intensities": Sparse(LAM.columns, is_it[:, None] * np.eye(len(LAM.values[0]))[[0]]),
        "slacks": nothing.slacks.copy(),
        "weights": nothing.weights.copy(),
    }
    if part in ("slacks", "weights"):
        changes[part].iloc[2, 1] = 0.0
    assert _claims_anything(replace(nothing, **{part: changes[part]})).tolist() == is_it.tolist()


class TakesNoInputs(db.models.WEI):
    """A model for outputs only."""

    inputs = "none"


def every_model() -> list:
    models = [TakesNoInputs()]
    for model in MODELS.values():
        orientations = choices_of(model(), "orientation") or [None]
        models += [
            model() if orientation is None else model(orientation=orientation)
            for orientation in orientations
        ]
    return models


@pytest.mark.parametrize("options", every_model(), ids=repr)
@pytest.mark.parametrize("inputs", [[], ["x"]])
def test_options_fit_inputs_where_rank_takes_them(options, inputs) -> None:
    is_accepted = True
    try:
        check_inputs(options, Data(TABLE[["a", "b"]], TABLE[inputs]))
    except DataError:
        is_accepted = False
    assert _fits_inputs(options, bool(inputs)) is is_accepted


def test_an_orientation_that_needs_inputs_is_refused_without_them() -> None:
    table = TABLE.loc[["p"], ["a", "b"]]
    ranking = rank_with(table, outputs=["a", "b"], model="super", returns="vrs")
    assert list(ranking.reasons) == ["p"]
    forged = replace(ranking, options=replace(ranking.options, orientation="input"))
    with pytest.raises(CertificateError, match="'options' need inputs, or take none, other than"):
        db.certify(forged)


@pytest.mark.parametrize("part", ["scores", "slacks", "weights", "intensities"])
@pytest.mark.parametrize("dtype", [complex, object, bool])
def test_parts_of_rankings_are_real_numbers(part, dtype) -> None:
    value = getattr(RANKING, part)
    forged = replace(value, values=value.values.astype(dtype)) if part == "intensities" else None
    forged = value.astype(dtype) if forged is None else forged
    with pytest.raises(CertificateError, match=f"'{part}' has values that are no real numbers"):
        db.certify(replace(RANKING, **{part: forged}))
