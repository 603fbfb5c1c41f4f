"""For whom a reason for no score is proved: by hand, at the tolerances and just beyond them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.errors import CertificateError
from deabench.proofs.reasons import (
    CLEAR,
    NO_METRIC,
    UNPROVED,
    proved_extreme_factors,
    proved_zero_factors,
    radial_reason_violations,
)
from deabench.utils.arrays import TOLERANCE, Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
REFERENCE = pd.DataFrame(
    {"a": [2.0, 4.0], "b": [1.0, 4.0], "x": [0.0, 1.0], "z": [0.0, 2.0]}, index=list("pq")
)
""" "p" needs no input."""
TESTED = pd.DataFrame({"a": [1.0], "b": [0.5], "x": [3.0], "z": [1.0]}, index=["o"])
EVERY = ("crs", "vrs", "nirs", "ndrs")


@cache
def rank_beside(
    returns: str,
    orientation: str = "input",
) -> db.Ranking:
    """Return the ranking of the table beside a reference that lacks inputs, computed once."""
    return rank_tables_beside(returns, orientation)


def rank_tables_beside(
    returns: str,
    orientation: str = "input",
    tested: pd.DataFrame = TESTED,
    reference: pd.DataFrame = REFERENCE,
) -> db.Ranking:
    """Return a ranking whose reference has these values: `rank` itself takes no inputs of 0."""
    ranking = rank_with(
        tested, reference=reference + 1, outputs=["a", "b"], inputs=["x", "z"], model="ccr",
        returns=returns, orientation=orientation,
    )  # fmt: skip
    sides = {"outputs": reference[["a", "b"]], "inputs": reference[["x", "z"]]}
    return replace(ranking, reference=replace(ranking.reference, **sides))


@pytest.mark.parametrize(
    ("lam", "allowed"),
    [
        ([1.0, 0.0], EVERY),
        ([0.0, 1.0], ()),
        ([0.5, 0.0], ("crs", "nirs")),
        ([0.4, 0.0], ()),
        ([2.0, 0.0], ("crs", "ndrs")),
        ([1.5, -0.125], ()),
        ([1.0 - TOLERANCE, 0.0], EVERY),
        ([1.0 - 2 * TOLERANCE, 0.0], ("crs", "nirs")),
        ([1.0 + TOLERANCE, 0.0], EVERY),
        ([1.0 + 2 * TOLERANCE, 0.0], ("crs", "ndrs")),
        # Outputs fall short by 1/2 and by 2 units of the tolerance, as shares of their maxima.
        ([0.5 - TOLERANCE, 0.0], ("crs", "nirs")),
        ([0.5 - 4 * TOLERANCE, 0.0], ()),
        ([1.0, 1e-13], EVERY),
        ([1.0, CLEAR], EVERY),
        ([1.0, np.nextafter(CLEAR, 1.0)], ()),
        ([1.0, 2e-12], ()),
    ],
)
def test_peers_without_inputs_prove_a_factor_of_0(lam, allowed) -> None:
    for returns in EVERY:
        peers = Sparse(np.arange(2, dtype=np.int32)[None], np.array([lam]))
        for orientation in ("input", "output"):
            forged = replace(rank_beside(returns, orientation), intensities=peers)
            expected = orientation == "input" and returns in allowed
            assert proved_zero_factors(forged).tolist() == [expected]


def test_one_output_short_or_one_input_used_proves_no_factor_of_0() -> None:
    lam = Sparse(np.zeros((1, 1), dtype=np.int32), np.ones((1, 1)))
    for name, value in (("a", 2.5), ("b", 1.5)):
        ranking = rank_tables_beside("vrs", tested=TESTED.assign(**{name: value}))
        assert proved_zero_factors(replace(ranking, intensities=lam)).tolist() == [False]
    for name in ("x", "z"):
        reference = REFERENCE.copy()
        reference.loc["p", name] = 1e-6
        ranking = rank_tables_beside("vrs", reference=reference)
        assert proved_zero_factors(replace(ranking, intensities=lam)).tolist() == [False]


BEYOND = pd.DataFrame({"a": [1.0, 4.0], "b": [4.0, 1.0], "x": [2.0, 1.0]}, index=list("pq"))
FAR = pd.DataFrame({"a": [2.0, 6.0], "b": [2.0, 0.0], "x": [1.0, 0.25]}, index=["near", "far"])


@pytest.mark.parametrize(
    ("orientation", "returns", "weights", "zero", "impossible"),
    [
        # Under a alone the reference is worth 1 in shares of the maximum, "far" 1.5.
        ("input", "vrs", [1.0, 0.0, 0.0], False, True),
        ("input", "nirs", [1.0, 0.0, 0.0], False, True),
        ("input", "ndrs", [1.0, 0.0, 0.0], False, False),
        ("input", "vrs", [0.0, 1.0, 0.0], False, False),
        ("input", "vrs", [1.0, -0.1, 0.0], False, False),
        ("input", "vrs", [np.nan, 0.0, 0.0], False, False),
        ("input", "vrs", [np.inf, 0.0, 0.0], False, False),
        # A weight on what the factor shrinks proves nothing.
        ("input", "vrs", [1.0, 0.0, 1e-6], False, False),
        # No mixture does with less input than 1; with Σ λ of less than 1 it does.
        ("output", "vrs", [0.0, 0.0, 1.0], False, True),
        ("output", "ndrs", [0.0, 0.0, 1.0], False, True),
        ("output", "nirs", [0.0, 0.0, 1.0], False, False),
        ("output", "vrs", [0.1, 0.0, 1.0], True, True),
        ("output", "vrs", [1.0, 0.0, 1.0], False, False),
        # What is worth 0 at the DMU's input leaves a factor of 0.
        ("output", "vrs", [0.25, 0.0, 1.0], True, True),
        ("output", "vrs", [0.75, 0.0, 2.0], True, False),
        # Nor do weights of nothing, or of what "far" has nothing of.
        ("output", "vrs", [0.0, 0.0, 0.0], False, False),
        ("output", "crs", [0.0, 0.0, 0.0], False, False),
        ("input", "vrs", [0.0, 0.0, 0.0], False, False),
        ("input", "crs", [0.0, 0.0, 0.0], False, False),
        # Weights below 0 prove nothing, whatever they make of the reference.
        ("output", "vrs", [-1.0, 0.0, 0.0], False, False),
        ("output", "vrs", [0.25, -1.0, 0.0], False, False),
        ("output", "vrs", [0.25, -1.0, 1.0], False, False),
    ],
)
def test_weights_prove_that_no_factor_or_none_but_0_will_do(
    orientation, returns, weights, zero, impossible
) -> None:
    """In shares of the maxima 4, 4 and 2; "near" is within the reference and is not told of."""
    honest = rank_with(
        FAR, reference=BEYOND, outputs=["a", "b"], inputs=["x"], model="ccr", returns=returns,
        orientation=orientation,
    )  # fmt: skip
    unit = np.array([4.0, 4.0, 2.0])
    frame = pd.DataFrame([np.array(weights) / unit], ["far"], ["a", "b", "x"])
    forged = replace(honest, infeasibility_certificates=frame)
    assert [part.tolist() for part in proved_extreme_factors(forged)] == [
        [False, zero],
        [False, impossible],
    ]
    # Of a label that the table does not have, and without certificates, nothing is proved.
    for nothing in (None, frame.iloc[:0], frame.set_axis(["other"])):
        forged = replace(honest, infeasibility_certificates=nothing)
        assert not np.any(proved_extreme_factors(forged))


@pytest.mark.parametrize("orientation", ["output", "input"])
def test_only_who_has_some_of_a_metric_that_the_reference_lacks_has_no_score_for_it(
    orientation,
) -> None:
    reference = BEYOND.assign(b=0.0)
    tested = pd.DataFrame({"a": [2.0, 2.0], "b": [1.0, 0.0], "x": 1.0}, index=["some", "none"])
    ranking = rank_with(
        tested, reference=reference, outputs=["a", "b"], inputs=["x"], model="ccr",
        orientation=orientation,
    )  # fmt: skip
    assert list(ranking.reasons) == ["some"]
    db.certify(ranking)
    is_it = ranking.scores.index == "none"
    forged = replace(
        ranking,
        scores=ranking.scores.mask(is_it),
        slacks=ranking.slacks.mul(np.where(is_it, np.nan, 1.0), axis=0),
        weights=ranking.weights.mul(np.where(is_it, np.nan, 1.0), axis=0),
        efficient=ranking.efficient & ~is_it,
        reasons={"some": ranking.reasons["some"], "none": NO_METRIC},
    )
    with pytest.raises(CertificateError, match="'none': reason"):
        db.certify(forged)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_scores_that_are_not_proved_are_told_one_by_one(count) -> None:
    ranking = rank_with(
        FAR, reference=BEYOND, outputs=["a", "b"], inputs=["x"], model="ccr", returns="vrs"
    )
    labels = FAR.index[:count]
    is_open = FAR.index.isin(labels)
    forged = replace(
        ranking,
        scores=ranking.scores.fillna(1.0).mask(is_open),
        reasons=dict.fromkeys(labels, f"its score {UNPROVED} 1e-09"),
        infeasibility_certificates=None,
    )
    violations, sentences = radial_reason_violations(forged)
    assert not violations.any()
    text = f"that {count} DMUs have no score: theirs was found and not proved"
    assert sentences == ((text,) if count else ())


def test_no_score_without_a_reason_is_refused() -> None:
    ranking = db.rank(FAR, outputs=["a", "b"], inputs=["x"], model="ccr")
    forged = replace(ranking, scores=ranking.scores.mask(FAR.index == "near"))
    assert radial_reason_violations(forged)[0].tolist() == [1.0, 0.0]


def test_a_reason_beside_a_score_is_refused() -> None:
    ranking = db.rank(FAR, outputs=["a", "b"], inputs=["x"], model="ccr")
    for reason in (NO_METRIC, f"its score {UNPROVED} 1e-09"):
        forged = replace(ranking, reasons={"near": reason})
        assert radial_reason_violations(forged)[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("orientation", "weights", "zero", "impossible"),
    [
        # The reference has 1 of a, and "far" 1.5; it spends 1/8 of the weight of x.
        ("input", [1.0, 0.0, 7.9e-12], False, True),
        ("input", [1.0, 0.0, 8e-12], False, True),
        ("input", [1.0, 0.0, 8.1e-12], False, False),
        # Fractions decide where rounding could hide what "far" has more.
        ("input", [1.8e-12, 0.0, 0.0], False, True),
        ("input", [2.2e-12, 0.0, 0.0], False, True),
        # "q" is worth 3/4 - w/2, and "far" spends w/8 and gains 9/8.
        ("output", [0.75, 0.0, 2.0 - 3.1e-9], False, False),
        ("output", [0.75, 0.0, 2.0 - 2.9e-9], True, False),
        ("output", [0.75, 0.0, 2.0], True, False),
        # Fractions decide where rounding could hide what the right side is below 0.
        ("output", [0.75, 0.0, 2.0 + 2.5e-12], True, True),
        ("output", [0.75, 0.0, 2.0 + 2.8e-12], True, True),
        ("output", [0.6e-12, 0.0, 1.8e-12], False, True),
        ("output", [1.0e-12, 0.0, 3.0e-12], True, True),
        ("output", [1.0e-12, 0.0, 2.6e-12], False, False),
    ],
)
def test_weights_prove_what_they_show_beyond_rounding(
    orientation, weights, zero, impossible
) -> None:
    honest = rank_with(
        FAR, reference=BEYOND, outputs=["a", "b"], inputs=["x"], model="ccr", returns="vrs",
        orientation=orientation,
    )  # fmt: skip
    frame = pd.DataFrame([np.array(weights) / [4.0, 4.0, 2.0]], ["far"], ["a", "b", "x"])
    proved = proved_extreme_factors(replace(honest, infeasibility_certificates=frame))
    assert [part.tolist() for part in proved] == [[False, zero], [False, impossible]]


@pytest.mark.parametrize("returns", ["vrs", "nirs"])
@pytest.mark.parametrize(("worth", "is_proved"), [(4.0, False), (4.0 + 2.0**-50, True)])
def test_no_factor_will_do_for_who_is_worth_more_than_all_and_not_as_much(
    worth, is_proved, returns
) -> None:
    """By one last digit, which fractions tell; what weighs nothing makes up for nothing."""
    honest = rank_with(
        pd.DataFrame({"a": [worth], "x": [0.0], "z": [1.0]}, ["o"]),
        reference=pd.DataFrame({"a": [4.0], "x": [1.0], "z": [1.0]}, ["p"]),
        outputs=["a"], inputs=["x", "z"], model="ccr", returns=returns, orientation="input",
    )  # fmt: skip
    frame = pd.DataFrame([[0.25, 0.0, 0.0]], ["o"], ["a", "x", "z"])
    zero, impossible = proved_extreme_factors(replace(honest, infeasibility_certificates=frame))
    assert not zero.any()
    assert impossible.tolist() == [is_proved]


@pytest.mark.parametrize(
    ("cost", "is_proved"), [(0.0, False), (1.0 - 2.0**-50, True), (1.0, True), (2.0, True)]
)
def test_weights_of_what_a_small_dmu_has_none_of_are_raised(cost, is_proved) -> None:
    """ "o" needs some of x for its 1e-13, and has none; multiples of "p" gain 1 and cost that."""
    honest = rank_with(
        pd.DataFrame({"a": [1e-13], "x": [0.0], "z": [1.0]}, ["o"]),
        reference=pd.DataFrame({"a": [4.0], "x": [1.0], "z": [1.0]}, ["p"]),
        outputs=["a"], inputs=["x", "z"], model="ccr", returns="crs", orientation="input",
    )  # fmt: skip
    frame = pd.DataFrame([[0.25, cost, 0.0]], ["o"], ["a", "x", "z"])
    forged = replace(honest, infeasibility_certificates=frame)
    assert proved_extreme_factors(forged)[1].tolist() == [is_proved]


@pytest.mark.parametrize("size", [1e9, 1e10, 1e13])
@pytest.mark.parametrize("orientation", ["output", "input"])
def test_reasons_of_dmus_that_are_small_beside_the_reference(size, orientation) -> None:
    """What "o" and "n" have is less than rounding in units of the reference."""
    reference = pd.DataFrame(
        [[7, 8, 9, 7], [4, 7, 8, 6], [5, 8, 4, 5], [6, 1, 8, 6], [3, 9, 3, 6]],
        columns=["a", "b", "x", "z"],
        index=list("pqrst"),
    )
    tested = pd.DataFrame([[1, 4, 0, 3], [2, 0, 2, 0]], columns=reference.columns, index=["o", "n"])
    ranking = db.rank(
        tested.astype(float),
        reference=reference * size / 7,
        model="ccr",
        returns="crs",
        orientation=orientation,
        outputs=["a", "b"],
        inputs=["x", "z"],
    )
    assert set(ranking.reasons) == {"o", "n"}
    assert ranking.scores.isna().all()
    db.certify(ranking)
