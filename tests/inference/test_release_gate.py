"""The gate: what it passes, what it does not, and that luck does not pass."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main

ROOT = Path(__file__).parents[2]
Y = np.repeat([1, 0], [300, 300])


def answers(right, seed):
    return np.where(np.random.default_rng(seed).random(600) < right, Y, 1 - Y)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "predictions.csv"
    pd.DataFrame(
        {
            "y_true": Y,
            "old": answers(0.8, 0),
            "better": answers(0.95, 1),
            "worse": answers(0.6, 2),
            "like": answers(0.8, 3),
        }
    ).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize(
    ("candidate", "status", "verdict"), [("better", 0, "passes"), ("worse", 3, "fails")]
)
def test_exit_status_and_json(file, capsys, candidate, status, verdict):
    assert main(["gate", file, "--candidate", candidate, "--positive", "1"]) == status
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["verdict"] == verdict
    assert answer["passed"] is (status == 0)
    assert answer["lower"] <= answer["score"] <= answer["upper"]
    assert f"'{candidate}'" in err
    assert f"'{candidate}' {verdict}: " in err
    if verdict == "fails":
        assert answer["beaten_by"] == {"better": pytest.approx(1, abs=0.01)}
        assert answer["secure_gap"] == pytest.approx(1 / answer["upper"] - 1)


def test_undecided_is_no_pass_and_says_how_many_instances_would_decide(tmp_path, capsys):
    path = tmp_path / "two.csv"
    pd.DataFrame({"y_true": Y, "old": answers(0.80, 0), "new": answers(0.80, 5)}).to_csv(
        path, index=False
    )
    assert (
        main(["gate", str(path), "--candidate", "new", "--positive", "1", "--at-least", "0.99"])
        == 4
    )
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert not answer["passed"]
    assert answer["needed"] > answer["instances"] == 600
    assert "is open, which is no pass: about" in err


def test_an_unknown_candidate_is_an_error(file, capsys):
    assert main(["gate", file, "--candidate", "bettr", "--positive", "1"]) == 1
    assert (
        capsys.readouterr().err == "deabench: there is no system 'bettr'; did you mean 'better'?\n"
    )


@pytest.mark.slow
def test_luck_does_not_pass():
    """A candidate that is truly .94 as good passes `at_least` .95 in no more than the 2.5 % that
    its level allows.
    """
    rng = np.random.default_rng(7)
    passed = 0
    for _ in range(200):
        tp = rng.binomial(400, [0.9, 0.9 * 0.94])
        counts = pd.DataFrame({"tp": tp, "fn": 400 - tp, "fp": 1, "tn": 99}, index=["old", "new"])
        passed += db.gate(
            db.Samples.from_counts(counts, metrics=["TPR"]), "new", at_least=0.95
        ).passed
    assert passed <= 8


def test_the_limits_are_those_of_one_classifier():
    """Of counts, whose units are not known: otherwise the gate's limits are learned."""
    counts = db.metrics.count(
        Y, {"a": answers(0.8, 0), "b": answers(0.9, 1), "c": answers(0.85, 2)}, positive=1
    )
    samples = db.Samples.from_counts(counts)
    uncertainty = db.uncertainty(samples, simultaneous=False)
    for name in "abc":
        gate = db.gate(samples, name)
        assert (gate.lower, gate.upper) == (
            pytest.approx(uncertainty.lower[name]),
            pytest.approx(uncertainty.upper[name]),
        )
        assert gate.score == pytest.approx(uncertainty.scores[name])


def test_costs_and_the_uncertainty_command(file, tmp_path, capsys):
    costs = tmp_path / "costs.csv"
    costs.write_text("classifier,ms\nold,1\nbetter,9\nworse,3\nlike,2\n")
    assert (
        main(["uncertainty", file, "--positive", "1", "--costs", str(costs), "--format", "csv"])
        == 0
    )
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "classifier,score,lower,upper,verdict,best_rank,worst_rank,tier"
    assert "output-oriented under variable returns to scale" in err
    assert (
        main(
            [
                "uncertainty",
                file,
                "--positive",
                "1",
                "--method",
                "max-t",
                "--each",
                "--format",
                "json",
            ]
        )
        == 0
    )
    records = json.loads(capsys.readouterr().out)
    assert next(record["classifier"] for record in records) == "better"
    assert all(record["lower"] <= record["lower_each"] for record in records)


def test_long_wide_counts_and_blocks_are_recognised(tmp_path, capsys):
    wide = pd.DataFrame({"y_true": Y, "a": answers(0.8, 0), "b": answers(0.9, 1)})
    long = wide.reset_index(names="instance").melt(
        ["instance", "y_true"], var_name="classifier", value_name="y_pred"
    )
    counts = db.metrics.count(Y, {"a": wide["a"], "b": wide["b"]}, positive=1)
    blocks = pd.DataFrame(
        [(c, f, 0.8 + 0.01 * ((f * 3 + (c == "a")) % 4)) for c in "ab" for f in range(10)],
        columns=["classifier", "fold", "F1"],
    )
    printed = {}
    for name, frame in (
        ("wide", wide),
        ("long", long.sample(frac=1, random_state=0)),
        ("counts", counts.reset_index()),
        ("blocks", blocks),
    ):
        frame.to_csv(tmp_path / name, index=False)
        assert (
            main(["uncertainty", str(tmp_path / name), "--positive", "1", "--format", "csv"]) == 0
        )
        printed[name] = capsys.readouterr().out
    assert printed["wide"] == printed["long"]
    assert printed["counts"] != printed["wide"]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("classifier,y_true,y_pred\na,1,1\n", "has no column 'instance'; a long table needs"),
        (
            "classifier,instance,y_true,y_pred\na,1,1,1\na,2,0,0\nb,1,1,1\n",
            "'b' has no y_pred for instance '2'",
        ),
        (
            "classifier,instance,y_true,y_pred\na,1,1,1\na,1,0,0\n",
            "'a' has instance '1' twice",
        ),
        (
            "classifier,instance,y_true,y_pred\na,1,1,1\na,2,0,0\nb,1,0,1\nb,2,0,0\n",
            "instance '1' has the class 1 for 'a' and 0 for 'b'",
        ),
        ("who,what\na,1\n", "the table has one number per system and metric"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, capsys, rows, text):
    path = tmp_path / "bad.csv"
    path.write_text(rows)
    assert main(["uncertainty", str(path)]) == 1
    assert text in capsys.readouterr().err


def piped(text, *options):
    """`cat predictions.csv | deabench gate - OPTIONS`, as a pipeline runs it: status, what is on
    standard output, what is said.
    """
    run = subprocess.run(
        [sys.executable, "-m", "deabench", "gate", "-", "--positive", "1", *options],
        input=text,
        text=True,
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    return run.returncode, run.stdout, run.stderr


def strictly(text):
    """JSON as others read it: no NaN, no Infinity."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.mark.slow
def test_as_a_pipeline_runs_it(file, tmp_path):
    """Statuses 0, 3, 4 for verdicts, 1 for data, 2 for usage; standard output holds one JSON object
    or nothing.
    """
    text = Path(file).read_text()
    out = tmp_path / "gate.json"
    status, printed, messages = piped(
        text, "--candidate", "better", "--at-least", "0.9", "-o", str(out)
    )
    assert (status, printed) == (0, "")
    answer = strictly(out.read_text())
    assert answer["verdict"] == "passes"
    assert answer["passed"] is True
    assert answer["needed"] == answer["instances"] == 600
    assert "'better' passes: it scores at least 0.9 (shown at 95 %)" in messages
    status, printed, _ = piped(text, "--candidate", "like")
    assert status == {"passes": 0, "fails": 3, "open": 4}[strictly(printed)["verdict"]] != 0
    assert piped(text, "--candidate", "nobody")[:2] == (1, "")
    assert piped(text, "--candidat", "better")[:2] == (2, "")


def test_what_no_number_of_instances_decides_is_null(tmp_path, capsys):
    """Two that answer alike are never told apart: `needed` is null, not Infinity."""
    path = tmp_path / "same.csv"
    pd.DataFrame({"y_true": Y, "old": answers(0.8, 0), "new": answers(0.8, 0)}).to_csv(
        path, index=False
    )
    status = main(["gate", str(path), "--candidate", "new", "--positive", "1", "--at-least", "1"])
    answer = strictly(capsys.readouterr().out)
    assert (status, answer["verdict"]) == (4, "open")
    assert answer["needed"] is None or answer["needed"] > 600
    assert set(answer) == {
        "candidate",
        "verdict",
        "passed",
        "score",
        "lower",
        "upper",
        "at_least",
        "level",
        "secure_gap",
        "beaten_by",
        "instances",
        "needed",
        "method",
        "notes",
    }


@pytest.mark.parametrize(
    ("option", "word", "message"),
    [
        ("--returns", "irs", "returns 'irs' is not known; it is one of 'vrs', 'crs'"),
        ("--orientation", "in", "orientation 'in' is not known; it is one of 'output', 'input'"),
    ],
)
def test_a_wrong_word_is_wrong_usage(file, capsys, option, word, message):
    assert main(["gate", file, "--candidate", "better", option, word]) == 2
    assert message in capsys.readouterr().err


def test_a_gate_of_costs(file, tmp_path, capsys):
    """Half the cost and as good: by constant returns, input-oriented, the dearer one costs at least
    so much less elsewhere.
    """
    costs = tmp_path / "costs.csv"
    costs.write_text("classifier,ms\nold,4\nbetter,2\nworse,9\nlike,2\n")
    assert (
        main(
            [
                "gate",
                file,
                "--candidate",
                "worse",
                "--positive",
                "1",
                "--costs",
                str(costs),
                "--returns",
                "crs",
                "--orientation",
                "input",
            ]
        )
        == 3
    )
    out, err = capsys.readouterr()
    answer = strictly(out)
    assert answer["secure_gap"] == pytest.approx(1 - answer["upper"])
    assert 0.5 < answer["secure_gap"] < 1
    assert "less in every input, with no output lower" in err
    assert "input-oriented under constant returns to scale" in err


def test_a_test_set_of_the_needed_size_decides():
    """`needed` is where the upper limit falls below at_least while the rates stay as they are."""
    counts = pd.DataFrame({"tp": [920, 900], "fn": [80, 100], "fp": 1, "tn": 99}, ["old", "new"])

    def decide(factor):
        positives = round(1000 * factor)
        grown = counts.assign(tp=(counts["tp"] / 1000 * positives).round().astype(int))
        grown["fn"] = positives - grown["tp"]
        samples = db.Samples.from_counts(grown, metrics=["TPR"])
        return db.gate(samples, "new", at_least=0.99)

    now = decide(1.0)
    assert now.verdict == "open"
    assert now.score < 0.99
    factor = now.needed / now.instances
    assert factor > 1
    assert decide(0.9 * factor).verdict == "open"
    assert decide(1.1 * factor).verdict == "fails"


def test_an_open_gate_counts_in_the_unit_of_its_samples():
    rng = np.random.default_rng(0)
    rows = [
        (model, seed, *(0.7 + 0.02 * k + 0.01 * rng.normal(size=2)))
        for k, model in enumerate("abc")
        for seed in range(6)
    ]
    answer = db.gate(
        pd.DataFrame(rows, columns=["model", "seed", "accuracy", "recall"]), "b", at_least=0.99
    )
    assert (answer.verdict, answer.instances, answer.unit) == ("open", 6, "runs")
    assert "runs would decide it, today there are 6." in answer.summary()


@pytest.fixture
def priced(tmp_path):
    """Answers of three models on 60 instances, of which the cheapest is nearly always wrong."""
    rng = np.random.default_rng(0)
    models = {"prod": (0.7, 5.0), "new": (0.9, 3.0), "cheap": (0.05, 1.0)}
    rows = [
        (model, k, int(rng.random() < share), price * (1 + 0.1 * rng.random()))
        for model, (share, price) in models.items()
        for k in range(60)
    ]
    path = tmp_path / "answers.csv"
    pd.DataFrame(rows, columns=["model", "instance", "accuracy", "cost"]).to_csv(path, index=False)
    return path


def test_what_passes_because_it_is_the_cheapest_says_so(priced):
    answer = db.gate(priced, "cheap")
    assert (answer.passed, answer.least_inputs) == (True, ("cost",))
    assert answer.to_dict()["least_inputs"] == ["cost"]
    assert (
        "It takes the least 'cost' of all and would pass with any metrics: nothing else is "
        "compared with it. Ask for its metrics, too, as by --within NAME=LIMIT."
    ) in answer.summary()
    assert db.gate(priced, "new").least_inputs == ()
    constant = db.gate(priced, "cheap", returns="crs")
    assert constant.least_inputs == ()
    assert not constant.passed


@pytest.mark.parametrize("form", ["json", "md"])
def test_a_candidate_outside_the_budget_fails(priced, form, capsys):
    arguments = ["gate", str(priced), "--candidate", "cheap", "--within", "accuracy=0.5"]
    assert main([*arguments, "--format", form]) == 3
    printed = capsys.readouterr()
    sentence = "'cheap' fails: it is outside the budget accuracy=0.5."
    assert printed.err.strip() == sentence
    if form == "json":
        assert json.loads(printed.out) == {
            "candidate": "cheap",
            "verdict": "fails",
            "passed": False,
            "at_least": 0.95,
            "level": 0.95,
            "score": None,
            "notes": [sentence],
        }
    else:
        assert printed.out.startswith("### Release gate: fails\n\n'cheap' fails")
    assert main([*arguments[:3], "other", *arguments[4:]]) == 1
    assert "there is no system 'other'" in capsys.readouterr().err


@pytest.mark.parametrize(("candidate", "limit"), [("cheap", 0.5), ("cheap", 0.99), ("new", 0.99)])
def test_a_candidate_outside_the_budget_fails_whoever_is_inside(priced, candidate, limit, capsys):
    """Also where one other system, or none, keeps to the budget."""
    accuracies = pd.read_csv(priced).groupby("model")["accuracy"].mean()
    assert accuracies[candidate] < limit
    arguments = ["gate", str(priced), "--candidate", candidate, "--at-least", "0.9"]
    assert main([*arguments, "--within", f"accuracy={limit}"]) == 3
    printed = json.loads(capsys.readouterr().out)
    assert (printed["verdict"], printed["at_least"], printed["score"]) == ("fails", 0.9, None)


def test_a_candidate_beside_one_in_use_fails_outside_the_budget(priced, capsys):
    frame = pd.read_csv(priced)
    frame[frame["model"].isin(["cheap", "new"])].to_csv(priced, index=False)
    arguments = ["gate", str(priced), "--candidate", "cheap", "--within", "accuracy=0.5"]
    assert main(arguments) == 3
    assert "outside the budget accuracy=0.5" in capsys.readouterr().err


def test_a_budget_and_a_ledger_are_refused_together(priced, tmp_path, capsys):
    ledger = tmp_path / "gates.json"
    arguments = ["gate", str(priced), "--candidate", "cheap", "--within", "accuracy=0.5"]
    assert main([*arguments, "--ledger", str(ledger)]) == 2
    assert capsys.readouterr().err == (
        "deabench: --ledger cannot be used with --within; leave it out\n"
    )
    assert not ledger.exists()


@pytest.mark.parametrize("content", ["[]", "1", '"gates"', "null", '{"tests": []}'])
def test_a_ledger_of_another_shape_is_refused_in_one_sentence(content, priced, tmp_path, capsys):
    ledger = tmp_path / "gates.json"
    ledger.write_text(content, encoding="utf-8")
    assert main(["gate", str(priced), "--candidate", "new", "--ledger", str(ledger)]) == 1
    assert capsys.readouterr().err == (
        f"deabench: the ledger '{ledger}' is damaged: it holds no gates by test set; bring back an "
        "earlier version, because without it the gates on this test set have no level\n"
    )
    assert ledger.read_text(encoding="utf-8") == content
