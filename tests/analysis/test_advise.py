"""The first choice of the advice, which models suit, and that each of them can be used."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import frame

import deabench as db
from deabench.models import MODELS

TABLE = frame(np.random.default_rng(1).uniform(0.3, 1, (12, 3)))


@pytest.mark.parametrize(
    ("table", "inputs", "first", "unfit"),
    [
        (TABLE, None, "wei", {"ccr"}),
        (TABLE, ["m0"], "ccr", {"wei", "score", "common"}),
        (TABLE - 0.6, ["m0"], "rdm", set(MODELS) - {"additive", "ram", "bam", "rdm", "holder"}),
    ],
)
def test_the_first_choice_and_the_models_that_suit(table, inputs, first, unfit) -> None:
    advice = db.advise(table, inputs=inputs)
    assert advice.model == first
    assert set(advice.frame.index[~advice.frame["suits"]]) == unfit
    assert set(advice.scores.columns) == set(MODELS) - unfit
    for name in advice.scores:
        np.testing.assert_array_equal(
            advice.scores[name], db.rank(table, inputs=inputs, model=name).scores
        )
    assert advice.summary().startswith(f"Use model '{first}': ")
    assert len(repr(advice).splitlines()) <= 15


def test_few_classifiers_and_zeros_are_remarked() -> None:
    table = pd.DataFrame({"TPR": [0.0, 0.9], "TNR": [1.0, 0.8]}, index=["never", "good"])
    assert db.advise(table).notes[:2] == (
        "2 systems for 2 metrics leave most efficient; restrict the weights with ratios= or "
        "shares=, or compare under the weights of all with model 'cross'",
        "'TPR' is 0 for some systems: free weights can leave it out; ratios= or shares= keep it in",
    )


def test_the_comparison_of_models_has_what_each_score_means(refused) -> None:
    advice = db.advise(TABLE, inputs=["m0"])
    comparison = advice.compare_models("c3")
    assert list(comparison.index) == list(advice.scores.columns)
    for model, row in comparison.iterrows():
        ranking = db.rank(TABLE, inputs=["m0"], model=model)
        assert (row["score"], row["rank"], row["measure"]) == (
            ranking.scores["c3"],
            ranking.ranks["c3"],
            ranking.measure,
        )
        assert row["says"] == ranking.options.meaning(row["score"])
    with refused("there is no system 'c33' in the table; did you mean 'c3'?"):
        advice.compare_models("c33")


def test_each_model_has_the_reason_why_it_suits_or_not() -> None:
    """Without inputs; with one; and with values below 0."""
    outputs_alone = db.advise(TABLE).frame["why"]
    assert outputs_alone["ccr"] == "it needs an input"
    assert set(outputs_alone.drop("ccr")) == {"there is no input, and none is needed"}
    with_input = db.advise(TABLE, inputs=["m0"]).frame["why"]
    quotients = "with inputs it works on quotients, where whatever is cheap wins by any ratio"
    assert set(with_input[["wei", "score", "common"]]) == {quotients}
    assert with_input["ccr"] == "give returns 'vrs' where metrics do not scale with costs"
    # The free disposal hull scales nothing.
    assert with_input["fdh"] == "inputs are compared with outputs"
    below = db.advise(TABLE - 0.6, inputs=["m0"]).frame["why"]
    assert below["rdm"] == "it does not depend on the origin, so values may be below 0"
    assert below["ccr"] == "it has no meaning for values below 0"


def test_few_rows_are_fewer_than_three_for_each_metric() -> None:
    few = "systems for 3 metrics leave most efficient"
    assert not any(few in note for note in db.advise(TABLE.iloc[:9]).notes)
    assert any(f"8 {few}" in note for note in db.advise(TABLE.iloc[:8]).notes)
    mixtures = "mixtures stand for drawing one of two systems at random"
    assert any(note.startswith(mixtures) for note in db.advise(TABLE).notes)
    assert not any(note.startswith(mixtures) for note in db.advise(TABLE, inputs=["m0"]).notes)
