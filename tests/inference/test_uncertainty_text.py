"""What is said of an uncertainty, and never said."""

import re

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.report.text.uncertainty import _format_mix, format_percent
from deabench.utils.text import two_digits

COUNTS = pd.DataFrame(
    {
        "tp": [95, 88, 60, 94],
        "fn": [5, 12, 40, 6],
        "fp": [10, 12, 45, 11],
        "tn": [190, 188, 155, 189],
    },
    index=["good", "fair", "poor", "fine"],
)


def test_the_summary_says_findings_first_and_what_they_rest_on():
    text = db.uncertainty(db.Samples.from_counts(COUNTS)).summary()
    lines = text.splitlines()
    assert (
        lines[0]
        == "Of 4 systems 1 dominated, 3 undecided, 0 efficient, all verdicts together at 95 %."
    )
    assert lines[1].startswith(
        "Dominated, by a mix of others better in every metric: 'poor' by at least "
    )
    assert lines[2].startswith(
        "3 systems could be first; tiers shown apart: 2. Efficiency: 'good' at least 0."
    )
    assert lines[3].startswith("Undecided: this test set is about ")
    assert lines[3].endswith("', which is nearest to a verdict.")
    assert lines[4] == (
        "Intervals at 95 % for all systems at once; k = 4, s = 2; 100 positive instances, "
        "200 negative "
        "instances; unpaired: the systems count as independent, "
        "which makes intervals wider than paired answers would."
    )
    assert lines[5].startswith(
        "Method analytic: lower limits at 2.73 and upper limits at 2.87 standard errors, of whose "
        "squares the small-sample rule makes up "
    )
    assert "Class counts are taken as random (design='rows')." in lines
    assert "probab" not in text.lower()


def test_one_classifier_is_explained():
    uncertainty = db.uncertainty(db.Samples.from_counts(COUNTS))
    assert uncertainty.explain("poor").startswith(
        f"'poor' scores {uncertainty.scores['poor']:.3f}, between 0."
    )
    assert "Shown at 95 %: some mix of the others beats it by at least" in uncertainty.explain(
        "poor"
    )
    sharp = db.uncertainty(db.Samples.from_counts(COUNTS), method="max-t").explain("poor")
    assert "Shown at 95 %: this mix beats it by at least" in sharp
    assert sharp.endswith("The level of such verdicts is measured, not proved.")
    assert "would decide it" in uncertainty.explain("fair")


def test_limits_are_rounded_outwards():
    uncertainty = db.uncertainty(db.Samples.from_counts(COUNTS))
    low, high = (
        float(limit)
        for limit in uncertainty.explain("poor").split("between ")[1].split(" at")[0].split(" and ")
    )
    assert low <= uncertainty.lower["poor"] <= uncertainty.upper["poor"] <= high
    assert high - low < uncertainty.upper["poor"] - uncertainty.lower["poor"] + 0.0021


def test_a_dominated_classifier_whose_interval_touches_1_is_explained():
    """The verdict is one-sided and pays less than the interval."""
    for wrong in range(5, 60):
        counts = pd.DataFrame(
            {"tp": [95, 95 - wrong], "fn": [5, 5 + wrong], "fp": 10, "tn": 90}, index=["a", "b"]
        )
        uncertainty = db.uncertainty(db.Samples.from_counts(counts, metrics=["TPR"]))
        if uncertainty.verdicts["b"] == "dominated":
            break
    assert uncertainty.upper["b"] == 1
    assert (
        "1 of these has an interval that still touches 1: intervals pay for two sides, the "
        "verdict for one." in uncertainty.summary()
    )


def test_the_answer_fits_on_a_screen_and_in_a_file():
    uncertainty = db.uncertainty(db.Samples.from_counts(COUNTS))
    assert len(repr(uncertainty).splitlines()) <= 15
    assert (
        uncertainty.to_csv().splitlines()[0]
        == "classifier,score,lower,upper,verdict,best_rank,worst_rank,tier"
    )
    assert np.isfinite(uncertainty.to_frame()[["score", "lower", "upper"]].to_numpy()).all()


def test_what_is_measured_and_not_proved_is_said_where_it_is_reported():
    """Of learned verdicts and gates of several metrics; one metric has theorems."""
    y = np.repeat([1, 0], [200, 200])
    rng = np.random.default_rng(0)
    hits = {name: rng.random(400) < right for name, right in (("a", 0.95), ("b", 0.7))}
    labels = {name: np.where(hit, y, 1 - y) for name, hit in hits.items()}
    sentence = "With several metrics the level of such verdicts is measured, not proved."
    for metrics in (["TPR", "TNR"], ["accuracy"]):
        is_said = len(metrics) > 1
        samples = db.Samples.from_predictions(y, labels, positive=1, metrics=metrics)
        uncertainty = db.uncertainty(samples)
        assert uncertainty.verdicts["b"] == "dominated"
        assert uncertainty.explain("b").endswith(sentence) == is_said
        gate = db.gate(samples, "a")
        assert any("is measured, not proved" in note for note in gate.notes) == is_said


MEASURED = "measured, not proved"


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("metrics", [["TPR", "TNR"], ["accuracy"]])
def test_every_report_of_a_learned_verdict_says_what_its_level_rests_on(metrics, tmp_path, capsys):
    """Terminal, JSON, page, paper and explanations: with several metrics, and not with one."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 200)
    rates = {"good": 0.9, "fair": 0.7, "poor": 0.6, "bad": 0.5, "worse": 0.4, "worst": 0.3}
    answers = {name: np.where(rng.random(400) < rate, y, 1 - y) for name, rate in rates.items()}
    samples = db.Samples.from_predictions(y, answers, positive=1, metrics=metrics)
    answer = db.uncertainty(samples)
    assert answer.verdicts["poor"] == "dominated"
    is_said = len(metrics) > 1
    assert (answer.validity == MEASURED) == is_said
    path = tmp_path / "answers.csv"
    pd.DataFrame({"y_true": y, **answers}).to_csv(path, index=False)
    ranking = db.rank(samples.values, uncertainty=samples)
    report = db.report(ranking)
    texts = [
        answer.summary().splitlines()[0],
        answer.explain("poor"),
        ranking.summary(),
        ranking.explain("poor"),
        ranking.report(),
        "\n".join(report.answer),
        report.to_html(),
    ]
    options = ["--positive", "1", "--metrics", ",".join(metrics), "--format", "json"]
    assert main(["uncertainty", str(path), *options]) == 0
    output = capsys.readouterr()
    texts += [output.err, output.out]
    samples.values.rename_axis("classifier").to_csv(tmp_path / "table.csv")
    options = ["--positive", "1", "--format", "json", "--outputs", ",".join(metrics)]
    arguments = ["rank", str(tmp_path / "table.csv"), "--uncertainty", str(path), *options]
    if is_said:
        assert main(arguments) == 0
        output = capsys.readouterr()
        texts += [output.err, output.out]
    for text in texts:
        assert (MEASURED in text) == is_said, text[:300]


def test_a_dominated_classifier_in_the_first_tier_is_explained() -> None:
    # A mix of A and B beats C by .05 in both rates, which one side shows at 900 and two do not.
    rates = {"A": (0.95, 0.55), "B": (0.55, 0.95), "C": (0.7, 0.7)}
    counts = pd.DataFrame(
        {
            name: {
                "tp": round(900 * tpr),
                "fn": 900 - round(900 * tpr),
                "tn": round(900 * tnr),
                "fp": 900 - round(900 * tnr),
            }
            for name, (tpr, tnr) in rates.items()
        }
    ).T
    result = db.uncertainty(db.Samples.from_counts(counts))
    assert result.verdicts["C"] == "dominated"
    assert result.tiers["C"] == 1
    assert (
        "C is dominated and still in tier 1 or possibly first: tiers and ranks rest on intervals "
        "of two sides, verdicts on one."
    ) in result.summary().splitlines()


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "1"), (3.456, "3.5"), (0.0342, "0.034"), (150.2, "150"), (1.24e6, "1,200,000")],
)
def test_two_digits_are_written_without_an_exponent(value, text):
    assert two_digits(value) == text


def test_exact_verdicts_name_some_of_the_dominated():
    rng = np.random.default_rng(0)
    right = rng.random((300, 6)) < [0.97, 0.6, 0.6, 0.6, 0.6, 0.6]
    outcomes = {"TPR": pd.DataFrame(right.astype(float), columns=list("abcdef"))}
    lines = db.uncertainty(db.Samples.from_outcomes(outcomes), verdicts="exact").summary()
    first, second = lines.splitlines()[:2]
    assert first.startswith("Of 6 systems 5 dominated, 0 undecided, 1 efficient")
    assert second == "Dominated, by another system better in every metric: b, c, d and 2 more."


def test_a_gap_of_a_thousandth_is_written_with_one_digit():
    assert format_percent(0.001) == "0.1 %"
    assert format_percent(0.0009) == "0.090 %"


@pytest.mark.parametrize("verdicts", ["learned", "exact"])
def test_as_many_examples_as_are_named_leave_no_more(verdicts):
    rng = np.random.default_rng(0)
    right = rng.random((300, 4)) < [0.97, 0.6, 0.6, 0.6]
    samples = db.Samples.from_outcomes({"TPR": pd.DataFrame(right * 1.0, columns=list("abcd"))})
    text = db.uncertainty(samples, verdicts=verdicts).summary()
    assert text.startswith("Of 4 systems 3 dominated, 0 undecided, 1 efficient")
    assert " more" not in text.splitlines()[1]


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_units_of_one_kind_are_called_what_they_are():
    folds = pd.DataFrame(
        {
            "classifier": np.repeat(["a", "b"], 4),
            "fold": [1, 2, 3, 4] * 2,
            "F1": [0.8, 0.7, 0.9, 0.6, 0.75, 0.72, 0.86, 0.63],
        }
    )
    text = db.uncertainty(db.Samples.from_folds(folds)).explain("b")
    assert re.search(r"\(about [0-9,]+ folds would decide it", text), text


def test_a_mix_names_shares_from_half_a_per_cent():
    mix = pd.Series({"a": 0.99, "b": 0.005, "c": 0.0049})
    assert _format_mix(mix) == "'a' 0.99, 'b' 0.01"
