"""Gates with a ledger and gates that are looked at again and again."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.errors import DataError
from deabench.inference.decisions.gate_limits import play_gate
from deabench.report.text.decisions import gate_markdown

Y = np.repeat([1, 0], [400, 400])
SHARE = 6 * 0.05 / math.pi**2


def answers(right, seed):
    return np.where(np.random.default_rng(seed).random(800) < right, Y, 1 - Y)


def samples(**candidates):
    return db.Samples.from_predictions(
        Y, {"old": answers(0.7, 0), **candidates}, positive=1, metrics=["TPR", "TNR"]
    )


def test_the_level_is_shared_and_only_the_status_is_shown(tmp_path):
    ledger = tmp_path / "gates.json"
    good = db.gate(samples(new=answers(0.9, 1)), "new", ledger=ledger)
    assert (good.verdict, good.number) == ("passes", 1)
    assert good.alpha == pytest.approx(SHARE / 2)
    # The next gate knows of one pass among one: SHARE / 4 · 2^-2 / C(1, 1).
    poor = db.gate(samples(new=answers(0.5, 2)), "new", ledger=ledger)
    assert poor.alpha == pytest.approx(SHARE / 4 / 4)
    # A clear failure is shown as no pass, because three words would be more feedback than two.
    assert (poor.verdict, poor.passed, poor.number) == ("open", False, 2)
    assert np.isnan([poor.score, poor.lower, poor.upper, poor.needed, poor.secure_gap]).all()
    assert poor.beaten_by == {}
    assert set(poor.to_dict()) == {
        "candidate",
        "verdict",
        "passed",
        "at_least",
        "level",
        "number",
        "alpha",
        "notes",
    }
    assert poor.summary() == "'new' does not pass at 0.95; the ledger shows the status only."
    assert good.summary() == "'new' passes at 0.95; the ledger shows the status only."
    assert "nothing but pass or no pass" in good.notes[-1]


def test_the_same_job_run_again_pays_nothing(tmp_path):
    ledger = tmp_path / "gates.json"
    first = db.gate(samples(new=answers(0.9, 1)), "new", ledger=ledger)
    content = ledger.read_text()
    again = db.gate(samples(new=answers(0.9, 1)), "new", ledger=ledger)
    assert again.to_dict() == first.to_dict()
    assert ledger.read_text() == content
    other = db.gate(samples(new=answers(0.9, 1)), "new", ledger=ledger, at_least=0.9)
    assert other.number == 2


def test_another_test_set_has_a_level_of_its_own(tmp_path):
    ledger = tmp_path / "gates.json"
    db.gate(samples(new=answers(0.9, 1)), "new", ledger=ledger)
    y = np.repeat([1, 0], [400, 300])
    other = db.Samples.from_predictions(
        y, {"old": y, "new": y.copy()}, positive=1, metrics=["TPR", "TNR"]
    )
    assert db.gate(other, "new", ledger=ledger).number == 1
    # Other models or metrics on the same labels are the same test set.
    more = db.Samples.from_predictions(
        Y, {"a": answers(0.6, 7), "b": answers(0.8, 8)}, positive=1, metrics=["accuracy"]
    )
    assert db.gate(more, "b", ledger=ledger).number == 2


def test_candidates_made_without_feedback_show_everything(tmp_path):
    ledger = tmp_path / "gates.json"
    for number in (1, 2, 3):
        answer = db.gate(samples(new=answers(0.5, number)), "new", ledger=ledger, feedback="none")
        assert answer.alpha == pytest.approx(SHARE / number**2)
    assert answer.verdict == "fails"
    assert answer.upper < 0.95
    assert "if no candidate was made with their results" in answer.notes[-1]


def test_after_scores_were_shown_no_level_holds(tmp_path):
    ledger = tmp_path / "gates.json"
    shown = db.gate(samples(new=answers(0.9, 1)), "new", ledger=ledger, feedback="scores")
    assert shown.score > 0
    assert "no level holds, because 1 of them showed scores" in shown.notes[-1]
    later = db.gate(samples(new=answers(0.9, 2)), "new", ledger=ledger)
    assert "no level holds" in later.notes[-1]


def test_the_command_shows_the_status_only(tmp_path, capsys):
    file = tmp_path / "p.csv"
    pd.DataFrame({"y_true": Y, "old": answers(0.7, 0), "new": answers(0.4, 1)}).to_csv(
        file, index=False
    )
    ledger = tmp_path / "gates.json"
    command = ["gate", str(file), "--candidate", "new", "--positive", "1"]
    assert main([*command, "--ledger", str(ledger)]) == 4
    out, err = capsys.readouterr()
    assert "score" not in json.loads(out)
    assert "between" not in err
    assert main([*command, "--ledger", str(ledger), "--feedback", "none"]) == 3
    assert json.loads(capsys.readouterr().out)["number"] == 2
    ledger.write_text("{")
    assert main([*command, "--ledger", str(ledger)]) == 1
    assert "is damaged" in capsys.readouterr().err


def test_markdown_for_a_pull_request(tmp_path, capsys):
    file = tmp_path / "p.csv"
    pd.DataFrame({"y_true": Y, "old": answers(0.7, 0), "new|er": answers(0.4, 1)}).to_csv(
        file, index=False
    )
    command = ["gate", str(file), "--candidate", "new|er", "--positive", "1", "--format", "md"]
    assert main(command) == 3
    out = capsys.readouterr().out
    assert out.startswith("### Release gate: fails\n")
    assert "| new\\|er | 0.95 | 0." in out
    # Only a status: no table.
    assert main([*command, "--ledger", str(tmp_path / "gates.json")]) == 4
    assert "|---" not in capsys.readouterr().out


def test_beaten_by_a_mix_is_no_verdict():
    answer = db.gate(samples(new=answers(0.65, 1), top=answers(0.9, 2)), "new", at_least=0.5)
    assert answer.verdict == "passes"
    assert set(answer.beaten_by) == {"top"}
    assert "the one found is 'top' 1.00" in answer.summary()
    assert "efficient" not in gate_markdown(answer)
    assert "dominated" not in gate_markdown(answer)


@pytest.mark.parametrize("at_least", [0, 1.5, -1, "0.9"])
def test_at_least_is_a_share(at_least):
    with pytest.raises(DataError, match="give a number above 0 and at most 1"):
        db.gate(samples(new=answers(0.9, 1)), "new", at_least=at_least)


def rounds_of(truth, n, seed=0):
    truth = np.asarray(truth, dtype=float)
    return (np.random.default_rng(seed).random((n, *truth.shape)) < truth).astype(float)


def test_a_sequential_gate_decides_early_on_both_sides():
    threshold = np.log(40)
    good = play_gate(rounds_of([[0.8, 0.8], [0.9, 0.9]], 2000), 1, 0.95, threshold, threshold)
    assert good.passes
    assert not good.fails
    assert good.decided_after < 600
    assert good.lower >= 0.95
    poor = play_gate(rounds_of([[0.9, 0.9], [0.5, 0.5]], 2000), 1, 0.95, threshold, threshold)
    assert poor.fails
    assert poor.decided_after < 200
    assert poor.upper <= 0.95
    even = play_gate(rounds_of([[0.9, 0.9], [0.86, 0.86]], 100), 1, 0.95, threshold, threshold)
    assert not even.passes
    assert not even.fails
    assert even.growth > 1


def test_a_sequential_gate_goes_on_where_it_was():
    """Instances added at the end change nothing of what was played before."""
    rounds = rounds_of([[0.8, 0.8], [0.9, 0.9]], 1000, seed=1)
    threshold = np.log(40)
    whole = play_gate(rounds, 1, 0.9, threshold, threshold)
    assert whole.passes
    before = play_gate(rounds[: whole.decided_after - 1], 1, 0.9, threshold, threshold)
    assert not before.passes
    assert play_gate(rounds[: whole.decided_after], 1, 0.9, threshold, threshold).passes


def test_shown_scores_have_the_limits_of_a_gate_with_half_the_share_on_each_side(tmp_path):
    sample = samples(new=answers(0.9, 1))
    shown = db.gate(sample, "new", ledger=tmp_path / "gates.json", feedback="scores")
    alone = db.gate(sample, "new", level=1 - shown.alpha)
    assert (shown.lower, shown.upper) == pytest.approx((alone.lower, alone.upper), rel=1e-12)


def test_a_gate_as_plain_values_has_what_it_knows() -> None:
    """Without a ledger, inputs or rounds there is no number, no least input and no round."""
    gate = db.gate(samples(new=answers(0.9, 1)), "new", at_least=0.9)
    plain = gate.to_dict()
    assert {"number", "alpha", "least_inputs", "decided_after"}.isdisjoint(plain)
    assert (plain["candidate"], plain["at_least"], plain["passed"]) == ("new", 0.9, gate.passed)
    whole = dataclasses.replace(
        gate,
        number=3,
        alpha=0.01,
        least_inputs=("ms",),
        decided_after=12,
        needed=100.2,
        status_only=False,
    ).to_dict()
    assert (whole["number"], whole["alpha"]) == (3, 0.01)
    assert (whole["least_inputs"], whole["decided_after"]) == (["ms"], 12)
    assert whole["needed"] == 101
    never = dataclasses.replace(gate, needed=np.inf).to_dict()
    assert never["needed"] is None
    status = dataclasses.replace(gate, number=3, status_only=True).to_dict()
    assert {"score", "lower", "upper", "beaten_by"}.isdisjoint(status)
    assert status["number"] == 3
