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
