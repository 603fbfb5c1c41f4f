"""Tests on the instances of one test set or of several."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from compare_cases import BINARY, LABELS, SCORES, TRUTH

from deabench import compare, tango
from deabench.errors import DataError, DataWarning
from deabench.metrics.roc_area import delong


def test_mcnemar_of_every_pair_on_three_classes() -> None:
    comparison = compare.on_one_test_set(TRUTH, LABELS)
    for _, row in comparison.pairs.iterrows():
        b, c = compare.discordant(TRUTH, LABELS[row["first"]], LABELS[row["second"]])
        assert (row["wins"], row["losses"]) == (b, c)
        assert row["p_value"] == compare.mcnemar(b, c, n=120).p_value
        assert (row["lower"], row["upper"]) == pytest.approx(tango.interval(b, c, 120), rel=1e-12)
    assert comparison.pairs["better"].tolist() == ["fair", "good", "good"]
    accuracy = (LABELS["good"] == TRUTH).mean()
    assert comparison.notes[0].startswith(f"accuracy: 'good' {accuracy:.4g}, ")


def test_delong_of_every_pair() -> None:
    comparison = compare.on_one_test_set(
        BINARY, SCORES, test="delong", positive=1, control="high", adjust="finner"
    )
    areas = delong(BINARY, SCORES, positive=1)
    for _, row in comparison.pairs.iterrows():
        result = areas.test(row["first"], row["second"])
        assert (row["difference"], row["statistic"], row["p_value"]) == pytest.approx(
            (result["difference"], result["z"], result["p"]), rel=1e-12
        )
        assert row["upper"] - row["difference"] == pytest.approx(1.959964 * result["se"], rel=1e-6)
    assert comparison.pairs["better"].tolist() == ["high", "high"]


def test_scores_that_rank_alike_do_not_differ() -> None:
    comparison = compare.on_one_test_set(
        BINARY, SCORES.assign(twin=np.exp(SCORES["mid"])), test="delong", positive=1
    )
    row = comparison.pairs.set_index(["first", "second"]).loc[("mid", "twin")]
    assert (row["p_value"], row["different"]) == (1.0, False)


def test_the_z_test_of_own_test_sets() -> None:
    truth = {"a": TRUTH[:50], "b": TRUTH[50:]}
    predicted = {"a": LABELS["good"].to_numpy()[:50], "b": LABELS["poor"].to_numpy()[50:]}
    with pytest.warns(DataWarning) as caught:
        comparison = compare.on_own_test_sets(truth, predicted)
    assert [str(w.message) for w in caught] == [
        "'a': fewer than 5 errors or hits, the z test's normal approximation is rough"
    ]
    errors = [(predicted[name] != truth[name]).mean() for name in "ab"]
    with pytest.warns(DataWarning):
        result = compare.two_error_rates(errors[0], 50, errors[1], 70)
    row = comparison.pairs.iloc[0]
    assert row["difference"] == pytest.approx(-result.difference)
    assert (row["lower"], row["upper"], row["p_value"]) == pytest.approx(
        (-result.upper, -result.lower, result.p_value)
    )
    assert row["better"] == "a"


def test_mcnemar_from_predictions_agrees_with_mlxtend() -> None:
    from mlxtend.evaluate import mcnemar, mcnemar_table

    rng = np.random.default_rng(1)
    y, first = rng.integers(0, 2, 90), rng.integers(0, 2, 90)
    second = np.where(rng.random(90) < 0.6, y, first)
    b, c = compare.discordant(y, first, second)
    assert (b, c) == tuple(mcnemar_table(y, first, second)[[0, 1], [1, 0]])
    assert compare.mcnemar(b, c, n=90, method="exact").p_value == pytest.approx(
        mcnemar(mcnemar_table(y, first, second), exact=True)[1], rel=1e-10
    )


REFUSED = [
    (
        lambda: compare.discordant([1, 0, 1, 0], ["1", "0", "1", "0"], [1, 0, 1, 0]),
        "'first' predicts the label '1' for instance 1; y_true has only 0, 1",
    ),
    (
        lambda: compare.discordant(["ill", "well"], ["Ill", "well"], ["ill", "ill"]),
        "'first' predicts the label 'Ill' for instance 1; y_true has only 'ill', 'well'",
    ),
    (
        lambda: compare.discordant([1, None], [1, 1], [1, 1]),
        "the label in y_true for instance 2 is missing; give a label",
    ),
    (
        lambda: compare.discordant([1, 0], [1, np.nan], [1, 1]),
        "the prediction of 'first' for instance 2 is missing; give a label",
    ),
    (
        lambda: compare.on_one_test_set(
            pd.Series([1, 0], list("ab")), {"x": pd.Series([0, 1], list("ba")), "y": [1, 0]}
        ),
        "the index of 'x' is not that of y_true (instance 1: 'b', not 'a'); reorder it with "
        ".loc, or give .to_numpy() where the rows "
        "are in one order",
    ),
    (
        lambda: compare.on_one_test_set([1, 0], {"x": [1, 0]}),
        "there is 1 classifier; give at least 2",
    ),
    (
        lambda: compare.on_one_test_set([1, 0], {"x": [1, 0], "y": [1]}),
        "'y' has 1 predictions and y_true has 2 instances; give one for each",
    ),
    (
        lambda: compare.on_own_test_sets({"x": [1, 0]}, {"y": [1, 0]}),
        "the classifiers of y_true and y_pred differ; give each its own labels and predictions, "
        "in one order",
    ),
    (
        lambda: compare.on_one_test_set(TRUTH, LABELS, test="macnemar"),
        "test 'macnemar' is not known; it is one of 'mcnemar', 'delong'",
    ),
    (
        lambda: compare.discordant([1], [1, 2], [1]),
        "there are 1 labels, 2 and 1 predictions; give as many of each",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


def test_pairs_without_variance_are_named_and_have_no_limits() -> None:
    """Two error rates of 0, and a perfect ranking beside its reverse, leave nothing to test."""
    truth = {"a": [1, 0] * 20, "b": [1, 0] * 25, "c": [1, 0] * 30}
    predicted = {**truth, "c": [1, 0] * 20 + [0, 1] * 10}
    rates = compare.on_own_test_sets(truth, predicted)
    assert rates.notes[1] == (
        "'a' and 'b' could not be tested (the error rates 0 and 0 leave no variance to test; use "
        "larger test sets); the other pairs are adjusted as if this had p = 1"
    )
    frame = rates.to_frame()
    assert frame.loc[0, "difference"] == 0
    assert frame.loc[0, ["lower", "upper", "statistic", "p_value"]].isna().all()
    assert frame["better"].tolist() == ["", "a", "b"]
    y = [1] * 4 + [0] * 4
    scores = {"up": list(range(8)), "down": list(range(8))[::-1], "some": [5, 1, 4, 2, 4, 1, 3, 0]}
    areas = compare.on_one_test_set(y, scores, test="delong")
    assert areas.notes[1] == (
        "'up' and 'down' could not be tested (DeLong's variance of the difference is 0 or "
        "unknown); the other pairs are adjusted as if this had p = 1"
    )
    frame = areas.to_frame()
    assert frame.loc[0, "difference"] == -1
    assert frame.loc[0, ["lower", "upper", "statistic", "p_value"]].isna().all()
    # "some" has a variance of its own, and its pairs are tested.
    assert frame.loc[1:, ["lower", "upper", "p_value"]].notna().all(axis=None)
