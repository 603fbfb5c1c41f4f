"""Verdicts at any time on a finished test set, through samples, gate and command."""

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.errors import DataError
from deabench.inference.decisions.finished_samples import outcomes_of_samples

Y = np.repeat([1, 0], [300, 600])


def labels(**rates):
    rng = np.random.default_rng(0)
    return {name: np.where(rng.random(len(Y)) < rate, Y, 1 - Y) for name, rate in rates.items()}


PREDICTIONS = labels(good=0.95, like=0.94, poor=0.6)


def samples(metrics=("TPR", "TNR"), **options):
    return db.Samples.from_predictions(Y, PREDICTIONS, positive=1, metrics=list(metrics), **options)


def test_verdicts_and_limits_of_a_finished_test_set():
    answer = db.uncertainty(samples(), method="anytime")
    assert answer.method == answer.verdict_method == "anytime"
    assert answer.verdicts.to_dict() == {
        "good": "undecided",
        "like": "undecided",
        "poor": "dominated",
    }
    assert 20 < answer.evidence["decided_after"]["poor"] < 200
    assert answer.evidence["e_value"]["poor"] >= 3 / 0.05
    assert ((answer.lower <= answer.scores) & (answer.scores <= answer.upper)).all()
    assert answer.upper["poor"] <= 0.85
    assert 0.1 < answer.secure_gap["poor"] < 0.95 / 0.6
    assert answer.next.stop == ("poor",)
    assert "you may look as often as you like" in answer.summary()
    assert "300 rounds in an order drawn by seed 0" in answer.notes[-1]
    assert answer.times_the_instances((answer.verdicts == "undecided").to_numpy())["poor"] != 1
    # Limits of one classifier are narrower than those of all at once.
    alone = db.uncertainty(samples(), method="anytime", simultaneous=False)
    assert (alone.lower >= answer.lower).all()
    assert (alone.upper <= answer.upper).all()
    assert (alone.ranks == answer.ranks).all(axis=None)
    with pytest.raises(DataError, match="method 'anytime' has no band"):
        _ = answer.band


def test_one_seeded_order_is_played_and_its_evidence_is_never_averaged():
    """Pitfall: the mean over orders of the highest evidence is no evidence. Each seed's answer is
    that of one order, and stays what it is.
    """
    one = db.uncertainty(samples(), method="anytime", seed=1)
    again = db.uncertainty(samples(), method="anytime", seed=1)
    other = db.uncertainty(samples(), method="anytime", seed=2)
    pd.testing.assert_frame_equal(one.evidence, again.evidence)
    assert (one.evidence["e_value"] != other.evidence["e_value"]).any()
    played = db.Anytime(["good", "like", "poor"], ["TNR", "TPR"])
    outcomes = outcomes_of_samples(samples(), ["TNR", "TPR"])
    played.add_rounds(outcomes.rounds(["TNR", "TPR"], 1))
    np.testing.assert_array_equal(one.evidence["e_value"], played.result.evidence)


def test_outcomes_are_the_right_answers():
    outcomes = outcomes_of_samples(samples(["TPR", "accuracy"]), ["TPR", "accuracy"])
    right = np.array(list(PREDICTIONS.values())) == Y
    np.testing.assert_allclose(outcomes.columns[0].values, right[:, :300], atol=1e-6)
    np.testing.assert_allclose(outcomes.columns[1].values, right, atol=1e-6)
    # Accuracy holds for random class counts: instances one by one.
    assert len(outcomes.rounds(["TPR", "accuracy"], 0)) == 900
    with pytest.raises(DataError, match=r"chosen class counts \(design='classes'\)"):
        outcomes_of_samples(samples(["accuracy"], design="classes"), ["accuracy"])
    fixed = outcomes_of_samples(samples(["TPR"], design="classes"), ["TPR"])
    assert len(fixed.rounds(["TPR"], 0)) == 300


@pytest.mark.parametrize("metrics", [["F1"], ["MCC"], ["precision"], ["TPR", "kappa"]])
def test_what_is_no_mean_is_refused_with_what_to_use(metrics):
    with pytest.raises(DataError, match=r"is no mean of outcomes .*uncertainty\(samples\)"):
        db.uncertainty(samples(metrics), method="anytime")


def test_areas_tables_and_costs_are_refused():
    scores = {name: values + 0.1 for name, values in PREDICTIONS.items()}
    areas = db.Samples.from_scores(Y, scores, positive=1)
    with pytest.raises(DataError, match="counts pairs of a round; give the scores round by round"):
        db.uncertainty(areas, method="anytime")
    counts = db.Samples.from_counts(db.metrics.count(Y, PREDICTIONS, positive=1))
    with pytest.raises(DataError, match="need outcomes of single instances"):
        db.uncertainty(counts, method="anytime")
    with pytest.raises(DataError, match="outputs only"):
        db.uncertainty(
            samples().with_costs({"ms": {"good": 1, "like": 2, "poor": 3}}), method="anytime"
        )


def test_data_sets_are_rounds_of_any_metric():
    rng = np.random.default_rng(3)
    rows = [
        {"classifier": c, "dataset": d, "F1": np.clip(mean + 0.05 * rng.normal(), 0, 1)}
        for d in range(200)
        for c, mean in (("a", 0.9), ("b", 0.6))
    ]
    blocks = db.Samples.from_datasets(pd.DataFrame(rows))
    answer = db.uncertainty(blocks, method="anytime")
    assert answer.verdicts["b"] == "dominated"
    assert db.gate(blocks, "b", at_least=0.9, sequential=True).verdict == "fails"


def test_clusters_of_one_size_are_rounds_and_others_are_refused():
    even = samples(["accuracy"], clusters=np.arange(900) % 90)
    assert len(outcomes_of_samples(even, ["accuracy"]).rounds(["accuracy"], 0)) == 90
    assert db.uncertainty(even, method="anytime").verdicts["poor"] == "dominated"
    sizes = np.repeat(np.arange(30), np.arange(15.5, 45.5).astype(int))[:900]
    sizes = np.append(sizes, np.full(900 - len(sizes), 29))
    uneven = samples(["accuracy"], clusters=sizes)
    with pytest.raises(DataError, match="clusters of different sizes"):
        db.uncertainty(uneven, method="anytime")


def test_a_sequential_gate_of_predictions():
    passes = db.gate(samples(), "good", at_least=0.8, sequential=True)
    assert (passes.verdict, passes.method) == ("passes", "anytime")
    assert 10 < passes.decided_after < 300
    assert f"Round {passes.decided_after} decided; you may look" in passes.summary()
    assert db.gate(samples(), "poor", sequential=True).verdict == "fails"
    assert db.gate(samples(), "like", at_least=0.999, sequential=True).verdict == "open"
    # In the order of the file: instances added at the end change nothing of the past.
    order = np.random.default_rng(5).permutation(900)
    shuffled = {name: values[order] for name, values in PREDICTIONS.items()}

    def decided(n):
        part = {name: values[:n] for name, values in shuffled.items()}
        grown = db.Samples.from_predictions(Y[order][:n], part, positive=1)
        return db.gate(grown, "poor", sequential=True, seed=None).decided_after

    assert decided(900) == decided(500)


def test_learned_limits_decide_with_single_answers_and_analytic_ones_without():
    assert db.gate(samples(), "good", at_least=0.9).method == "learned"
    counts = db.metrics.count(Y, PREDICTIONS, positive=1)
    assert db.gate(db.Samples.from_counts(counts), "good", at_least=0.9).method == "analytic"
    few = db.Samples.from_predictions(
        Y[270:330], {name: values[270:330] for name, values in PREDICTIONS.items()}, positive=1
    )
    assert db.gate(few, "good", at_least=0.5).method == "learned"
    fewer = db.Samples.from_predictions(
        Y[292:308], {name: values[292:308] for name, values in PREDICTIONS.items()}, positive=1
    )
    assert db.gate(fewer, "good", at_least=0.5).method == "analytic"


def test_identical_answers_do_not_pass_a_high_mark():
    """Where nobody differs on 60 instances an efficiency of .95 is not shown: .95^60 is .046."""
    y = np.repeat([1, 0], [60, 60])
    same = {"old": y, "new": y.copy()}
    answer = db.gate(db.Samples.from_predictions(y, same, positive=1, metrics=["TPR"]), "new")
    assert answer.verdict == "open"
    assert answer.lower < 0.95
    y = np.repeat([1, 0], [200, 60])
    same = {"old": y, "new": y.copy()}
    more = db.gate(db.Samples.from_predictions(y, same, positive=1, metrics=["TPR"]), "new")
    assert more.verdict == "passes"


def test_gates_without_an_efficiency_are_refused_in_a_sentence():
    nothing = {"a": np.zeros(900, int), "b": np.zeros(900, int)}
    with pytest.raises(DataError, match="metric 'TPR' is 0 for every system, so that it tells"):
        db.gate(db.Samples.from_predictions(Y, nothing, positive=1), "a")
    assert db.gate(db.Samples.from_predictions(Y, nothing, positive=1), "a", outputs=["TNR"]).passed
    # Somebody else's MCC below 0 is no reason to refuse.
    wrong = {"a": PREDICTIONS["good"], "b": 1 - PREDICTIONS["good"], "c": PREDICTIONS["poor"]}
    answers = db.Samples.from_predictions(Y, wrong, positive=1, metrics=["MCC"])
    assert db.gate(answers, "a").passed
    assert db.gate(answers, "c").verdict == "fails"


def test_data_sets_without_a_difference_pass_with_enough_of_them():
    """At least log(40) / .05 = 74 of them, by the exact rule; about as many here."""

    def equal(count):
        rows = [
            {"classifier": c, "dataset": d, "acc": 1.0} for d in range(count) for c in ("a", "b")
        ]
        return db.gate(db.Samples.from_datasets(pd.DataFrame(rows)), "a")

    assert equal(60).verdict == "open"
    assert equal(90).verdict == "passes"
    # Where they differ by little everywhere, single differences are small, and fewer are enough.
    rng = np.random.default_rng(4)
    rows = [
        {"classifier": c, "dataset": d, "acc": 0.9 + 0.02 * rng.normal()}
        for d in range(30)
        for c in ("a", "b")
    ]
    assert db.gate(db.Samples.from_datasets(pd.DataFrame(rows)), "a").verdict == "passes"


def test_the_command_takes_anytime(tmp_path, capsys):
    file = tmp_path / "p.csv"
    pd.DataFrame({"y_true": Y, **PREDICTIONS}).to_csv(file, index=False)
    command = ["uncertainty", str(file), "--positive", "1", "--method", "anytime"]
    assert main([*command, "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert "poor,0." in out
    assert "Exact, by bets: you may look as often as you like." in err
    gate = ["gate", str(file), "--positive", "1", "--candidate", "poor", "--sequential"]
    assert main(gate) == 3
    assert '"method": "anytime"' in capsys.readouterr().out
