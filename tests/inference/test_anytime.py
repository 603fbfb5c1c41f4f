"""Verdicts at any time: what is asked, what is refused, and a state that goes on."""

import json
import os

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.inference.decisions.rounds import (
    OutcomeColumn,
    TestOutcomes,
    outcomes_of_answers,
    read_round,
    share_of_pairs,
)


def stream(truth, n, seed=0):
    """Rounds (n, k, s) of independent answers."""
    truth = np.asarray(truth, dtype=float)
    return (np.random.default_rng(seed).random((n, *truth.shape)) < truth).astype(float)


def add_all(anytime, rounds):
    for values in rounds:
        anytime.add(pd.DataFrame(values, list(anytime.classifiers), list(anytime.metrics)))


def test_a_clear_loser_is_decided_and_the_summary_says_so():
    anytime = db.Anytime(["good", "like", "poor"], ["TPR", "TNR"])
    add_all(anytime, stream([[0.9, 0.9], [0.9, 0.9], [0.6, 0.6]], 200))
    result = anytime.result
    assert result.verdicts.to_dict() == {
        "good": "undecided",
        "like": "undecided",
        "poor": "dominated",
    }
    decided = result.decided_after["poor"]
    assert 20 < decided < 150
    assert result.evidence["poor"] >= 3 / 0.05
    assert result.limits.loc["poor", "upper"] < 1
    assert (result.limits["lower"] <= result.limits["upper"]).all()
    assert result.summary().startswith(
        "After 200 rounds poor is dominated: some mix of the others beats it in every metric; "
        "2 of 3 are undecided.\nYou may look as often as you like; a verdict of 'dominated' would "
        "be wrong in at most 5 of 100 such comparisons."
    )


def test_what_to_run_next():
    anytime = db.Anytime(["good", "near", "poor", "weak"], ["TPR", "TNR"])
    rounds = stream([[0.95, 0.95], [0.9, 0.9], [0.3, 0.3], [0.75, 0.75]], 60, seed=1)
    add_all(anytime, rounds)
    after = anytime.next
    assert after.stop == ("poor",)
    assert "poor" not in after.order.index
    # The clearer the gap, the fewer rounds; the best one is promised nothing.
    assert after.order["weak"] < after.order["near"]
    assert np.isinf(after.order["good"])
    assert (after.order > 0).all()
    assert "Stop poor: shown to be dominated." in after.summary()
    assert "Nothing can be promised of" in after.summary()
    # What was promised is about what it takes.
    add_all(anytime, stream([[0.95, 0.95], [0.9, 0.9], [0.3, 0.3], [0.75, 0.75]], 400, seed=2))
    assert 0.3 < (anytime.result.decided_after["weak"] - 60) / after.order["weak"] < 3


def test_the_class_whose_evidence_lags_is_sampled_more():
    anytime = db.Anytime(["a", "b"], ["TPR", "TNR"])
    assert anytime.next.sample_more is None
    add_all(anytime, stream([[0.95, 0.95], [0.75, 0.3]], 30, seed=3))
    assert anytime.next.sample_more == "TPR"
    assert "take one more instance of the class of 'TPR'" in anytime.next.summary()


def test_nothing_is_promised_of_equals():
    anytime = db.Anytime(["a", "b"], ["accuracy"])
    for right in (1.0, 0.0) * 20:
        anytime.add({"accuracy": {"a": right, "b": right}})
    assert np.isinf(anytime.next.order).all()
    assert "No number of rounds is likely" in anytime.next.summary()


def test_the_state_goes_on_bit_for_bit(tmp_path):
    rounds = stream([[0.9, 0.8], [0.85, 0.8], [0.7, 0.6]], 130, seed=4)
    whole = db.Anytime(["a", "b", "ü"], ["x", "y"])
    add_all(whole, rounds)
    part = db.Anytime(["a", "b", "ü"], ["x", "y"])
    for start in range(0, 130, 13):
        add_all(part, rounds[start : start + 13])
        part.save(tmp_path / "state.json")
        part = db.Anytime.load(tmp_path / "state.json")
    assert part.to_json() == whole.to_json()
    pd.testing.assert_frame_equal(part.result.to_frame(), whole.result.to_frame())


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: state.pop("mixes"),
        lambda state: state.update(rounds=10**6),
        lambda state: state["moments"].update(sums=[[1.0]]),
        lambda state: state["mixes"].update(log_wealth=[["a"], ["b"]]),
        lambda state: state.update(format="something else"),
        lambda state: state.update(classifiers=["a"]),
        lambda state: state["upper"].update(highest=float("nan")),
        lambda state: state.update(rounds=float("inf")),
        lambda state: state.update(decided=[10**400, 0]),
        lambda state: state.update(classifiers=["\ud800", "b"]),
        lambda state: state.update(classifiers=[f"c{k}" for k in range(100_000)]),
        lambda state: state.update(moments={"__class__": []}),
    ],
)
def test_a_damaged_state_is_refused(damage):
    state = json.loads(db.Anytime(["a", "b"], ["x"]).to_json())
    damage(state)
    with pytest.raises(DataError, match=r"the state of the verdicts is damaged .* or start again"):
        db.Anytime.from_json(json.dumps(state))


def test_files_that_are_no_state(tmp_path):
    (tmp_path / "text").write_bytes(b"\xff\xfe")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 1 << 40)
    for name in ("text", "none", "pipe", "large", "nul\0"):
        with pytest.raises(DataError, match="name a file of save"):
            db.Anytime.load(tmp_path / name)
    for text in ("[]", "[" * 200_000, "9" * 5000):
        with pytest.raises(DataError, match="damaged"):
            db.Anytime.from_json(text)
    with pytest.raises(DataError, match="damaged"):
        db.Anytime.from_json('{"format": "deabench any')


@pytest.mark.parametrize("name", ["F1", "f1_score", "MCC", "precision", "NPV", "kappa", "KS"])
def test_metrics_that_are_no_means_are_refused(name):
    with pytest.raises(DataError, match=r"no mean of outcomes .* deabench.uncertainty"):
        db.Anytime(["a", "b"], ["TPR", name])
    # Over data sets every metric is a mean.
    assert db.Anytime(["a", "b"], [name], unit="datasets").metrics == (name,)


def test_own_metrics_and_other_names_are_taken():
    names = ("recall", "exact match", "roc_auc", "balanced_accuracy")
    assert db.Anytime(["a", "b"], names).metrics == names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], ["x"]), "give at least two systems and one metric"),
        ((["a", "b"], []), "give at least two systems and one metric"),
        (("ab", ["x"]), "classifiers is the text 'ab'"),
        ((["a", "a"], ["x"]), "classifiers has a name twice"),
        ((["a", "b"], ["x"], 95), "level is 95"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(DataError, match=message):
        db.Anytime(*arguments)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"y": {"a": 1, "b": 1}}, "no use for 'y'"),
        ({"x": {"a": 1, "c": 1}}, "there is no system 'c'"),
        ({"x": {"a": 1, "b": 1.5}}, "'x' of 'b' is 1.5; a round has numbers from 0 to 1"),
        ({"x": {"a": 1, "b": None}}, "'x' of 'b' is .*leave out its whole row"),
        ({"x": {"a": 1, "b": "good"}}, "'x' of 'b' is good"),
        ({}, "one row for each system"),
        ([1, 2], "a round is a list"),
    ],
)
def test_wrong_rounds_add_nothing(source, message):
    anytime = db.Anytime(["a", "b"], ["x"])
    before = anytime.to_json()
    with pytest.raises(DataError, match=message):
        anytime.add(source)
    assert anytime.to_json() == before


def test_rounds_of_predictions_are_their_shares():
    """A round of one positive and three negatives; a round without positives leaves TPR out."""
    made = db.Anytime(["a", "b"], ["recall", "TNR"])
    made.add_predictions([1, 0, 0, 0], {"a": [1, 0, 0, 1], "b": [0, 0, 1, 1]}, positive=1)
    np.testing.assert_allclose(made._moments.sums, [[1, 0], [2 / 3, 1 / 3]])
    made.add_predictions([0, 0], {"a": [0, 0], "b": [0, 1]}, positive=1)
    np.testing.assert_allclose(made._moments.sums, [[1, 0], [2 / 3 + 1, 1 / 3 + 1 / 2]])
    made.add({"TNR": pd.DataFrame({"a": [1, 0], "b": [0, 0]})})
    assert made._moments.sums[1, 0] == pytest.approx(2 / 3 + 1.5)
    with pytest.raises(DataError, match="'accuracy' cannot be computed"):
        db.Anytime(["a", "b"], ["accuracy"]).add_scores(
            [1, 0], {"a": [1.0, 0.0], "b": [0.0, 1.0]}, positive=1
        )


def test_rounds_of_scores_count_pairs():
    made = db.Anytime(["a", "b"], ["roc_auc"])
    made.add_scores([1, 0, 0], {"a": [0.5, 0.1, 0.5], "b": [0.1, 0.2, 0.3]}, positive=1)
    np.testing.assert_allclose(made._moments.sums, [[0.75, 0.0]])


def test_a_shuffled_test_set_in_rounds():
    """100 positives and 905 negatives: 100 rounds of one and nine or ten; all means are kept."""
    rng = np.random.default_rng(5)
    is_positive = rng.permutation(np.repeat([True, False], [100, 905]))
    correct = rng.random((3, 1005)) < 0.7
    scores = rng.normal(size=(3, 1005))
    columns = outcomes_of_answers(("TPR", "TNR", "roc_auc", "F1"), is_positive, correct, scores)
    assert [column.metric for column in columns] == ["TPR", "TNR", "roc_auc"]
    outcomes = TestOutcomes(is_positive.astype(int), columns)
    rounds = outcomes.rounds(["TPR", "TNR", "roc_auc"], seed=0)
    assert rounds.shape == (100, 3, 3)
    np.testing.assert_allclose(rounds[:, :, 0].mean(axis=0), correct[:, is_positive].mean(axis=1))
    np.testing.assert_allclose(
        rounds[:, :, 1].mean(axis=0), correct[:, ~is_positive].mean(axis=1), atol=0.01
    )
    assert (outcomes.rounds(["TPR"], 0) == rounds[:, :, :1]).all()
    assert (outcomes.rounds(["TPR"], 1) != rounds[:, :, :1]).any()
    with pytest.raises(DataError, match="'F1' is no mean"):
        outcomes.rounds(["F1"], 0)


def test_accuracy_of_random_class_counts_goes_instance_by_instance():
    is_positive = np.repeat([True, False], [30, 70])
    correct = np.random.default_rng(6).random((2, 100)) < 0.7
    columns = outcomes_of_answers(("accuracy", "TPR"), is_positive, correct, None)
    outcomes = TestOutcomes(is_positive.astype(int), columns)
    rounds = outcomes.rounds(["accuracy", "TPR"], 0)
    assert len(rounds) == 100
    # A round without a positive instance counts as 0 for both.
    assert rounds[:, :, 1].sum() == correct[:, is_positive].sum()


def test_clusters_are_rounds():
    clusters = np.repeat(np.arange(8), 5)
    values = np.random.default_rng(7).random((2, 40))
    outcomes = TestOutcomes(
        np.zeros(40, dtype=int),
        (OutcomeColumn("x", values, np.arange(40)),),
        clusters=clusters,
    )
    rounds = outcomes.rounds(["x"], 3)
    assert len(rounds) == 8
    means = values.reshape(2, 8, 5).mean(axis=2).T
    np.testing.assert_allclose(np.sort(rounds[:, 0, 0]), np.sort(means[:, 0]))


@pytest.mark.slow
def test_a_sorted_file_is_shuffled_first():
    """Pitfall: the order must not depend on outcomes. Two tied classifiers, sorted so that one of
    them wins first: in this order the evidence is false, in a shuffled one there is none. A chance
    of .05 comes true twice in seven orders with probability .04, and the orders are seeded.
    """
    a = np.repeat([1.0, 0.0], 300)
    values = np.stack([a, 1 - a])
    outcomes = TestOutcomes(np.zeros(600, dtype=int), (OutcomeColumn("x", values, np.arange(600)),))
    as_filed = db.Anytime(["a", "b"], ["x"])
    as_filed._play(values.T[:, :, None], np.array([True, True]))
    assert "dominated" in set(as_filed.verdicts)
    decided = 0
    for seed in range(7):
        shuffled = db.Anytime(["a", "b"], ["x"])
        shuffled._play(outcomes.rounds(["x"], seed), np.array([True, True]))
        decided += "dominated" in set(shuffled.verdicts)
    assert decided <= 1


def test_share_of_pairs_by_hand():
    scores = np.array([[3.0, 1.0, 2.0, 1.0]])
    is_positive = np.array([True, True, False, False])
    assert share_of_pairs(scores, is_positive) == pytest.approx([(2 + 0.5) / 4])
    assert share_of_pairs(scores, np.array([True] * 4)) == 0


def test_a_metric_of_both_classes_asks_for_no_class():
    """Accuracy lags as TPR does above, and gains from an instance of either class."""
    anytime = db.Anytime(["a", "b"], ["accuracy", "TPR"])
    add_all(anytime, stream([[0.95, 0.95], [0.75, 0.3]], 30, seed=3))
    assert np.isfinite(anytime.next.order["b"])
    assert anytime.next.sample_more is None


def test_a_round_without_a_metrics_class_counts_0_for_all():
    outcomes, present = read_round(
        {"TPR": {"a": 0.5, "b": 1.0}, "TNR": {"a": np.nan, "b": np.nan}},
        ["a", "b", "c"],
        ["TPR", "TNR"],
    )
    assert outcomes.tolist() == [[0.5, 0], [1, 0], [0, 0]]
    assert present.tolist() == [True, True, False]


def test_pairs_beside_means_take_rounds_with_the_rarest_class(refused):
    """4 of 16 are positive: a round of 4 instances has one of them on average."""
    is_positive = np.arange(16) < 4
    right = np.ones((2, 16), dtype=bool)
    scores = np.tile(is_positive.astype(float), (2, 1))
    columns = outcomes_of_answers(["accuracy", "roc_auc"], is_positive, right, scores)
    outcomes = TestOutcomes(is_positive.astype(int), columns)
    assert outcomes.rounds(["accuracy", "roc_auc"], 0).shape == (4, 2, 2)
    # Means alone go one instance at a time.
    assert outcomes.rounds(["accuracy"], 0).shape == (16, 2, 1)
    with refused("there are no outcomes of 'TPR'; there are 'accuracy', 'roc_auc'"):
        outcomes.rounds(["TPR"], 0)
