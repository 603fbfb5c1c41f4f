"""Summaries of results that are made up, so that each clause has numbers that are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deabench.report.text import contexts, curves, decisions, frontier, journal, study
from deabench.report.text.table import summarize_table


def of(**parts: Any) -> Any:
    """Return a result that has these parts alone."""
    return SimpleNamespace(**parts)


def test_layers_groups_and_periods() -> None:
    layers = pd.DataFrame({"layer": [2, 1, 1, 3, 4, 5]}, index=list("abcdef"))
    assert contexts.summarize_layers(of(frame=layers)) == (
        "5 layers. Layer 1: b, c. Layer 2: a. Layer 3: d. Layer 4: e."
    )
    gaps = pd.DataFrame({"group": ["old", "new", "old"], "gap": [0.5, 0.9, 0.7]})
    assert contexts.summarize_groups(of(frame=gaps)).endswith("(1: no gap): new 0.900, old 0.600.")
    # A gain of 4 and a loss of 1 are one of 2 in geometric mean.
    changes = pd.DataFrame(
        {
            "index": [4.0, 1.0],
            "efficiency_change": [1.0, 0.25],
            "technical_change": [4.0, 4.0],
        }
    )
    assert contexts.summarize_malmquist(of(frame=changes, notes=("one is missing",))) == (
        "1 of 2 got better; in geometric mean 2.000 = 0.500 (farther from the frontier) times "
        "4.000 (the frontier itself moved out). One is missing."
    )
    back = changes.assign(index=0.25, efficiency_change=1.0004, technical_change=0.25)
    assert "1.000 (as near to the frontier) times 0.250 (the frontier itself moved back)" in (
        contexts.summarize_malmquist(of(frame=back, notes=()))
    )


def test_what_lies_around_a_ranking() -> None:
    partial = pd.DataFrame({"efficiency": [1.0, 1.2, 0.9]})
    assert contexts.summarize_partial(of(frame=partial, frontier="order-m")) == (
        "1 of 3 lies beyond the frontier (order-m)."
    )
    assert contexts.summarize_partial(of(frame=partial + 0.1, frontier="order-m")) == (
        "2 of 3 lie beyond the frontier (order-m)."
    )
    scale = pd.DataFrame({"returns": ["increasing", "constant", "increasing"]}, index=list("abc"))
    assert contexts.summarize_scale_efficiency(of(frame=scale, notes=("a note",))) == (
        "1 of 3 has constant returns: b. 2 of 3 have increasing returns: a, c. A note."
    )
    radius = pd.Series([0.2, 0.01, np.inf], index=list("abc"))
    verdicts = pd.Series([True, False, True], index=list("abc"))
    assert contexts.summarize_stability(of(radius=radius, efficient=verdicts)) == (
        "The first verdict to change is that of 'b' (dominated), where all metrics are off by "
        "1 %, its own to one side and the others' to the other; the last is that of 'c' "
        "(efficient), at no distance."
    )
    near = contexts.summarize_stability(of(radius=radius[:2], efficient=verdicts[:2]))
    assert near.endswith("the last is that of 'a' (efficient), at 20 %.")


def test_three_ways_over_data_sets_and_recomputed_tables() -> None:
    ranks = pd.DataFrame(
        {"means_rank": [1, 2], "each_rank": [1, 1], "pooled_rank": pd.array([2, pd.NA], "Int64")},
        index=list("ab"),
    )
    assert contexts.summarize_by_dataset(of(each=[0] * 7, frame=ranks, notes=())) == (
        "7 data sets, 2 systems. By their means 'a' is first. By every data set's own frontier "
        "'a', 'b' are first."
    )
    counts = pd.DataFrame(
        {"equal": [5, 1], "close": [1, 0], "differs": [0, 2], "not recomputed": [0, 0]},
        index=["Table 4", "Table 7"],
    )
    assert contexts.summarize_reproduction(of(counts=lambda: counts)) == (
        "6 of 9 printed cells are equal when recomputed, 1 are close, 2 differ; cells of Table 7 "
        "differ"
    )
    none = 0 * counts
    none["not recomputed"] = [1, 0]
    assert contexts.summarize_reproduction(of(counts=lambda: none)) == (
        "no printed cell is recomputed; 1 of 2 tables are not recomputed"
    )


def test_how_columns_were_read() -> None:
    table = of(
        frame=[0] * 2,
        label=["model"],
        outputs=["TPR"],
        lower_rates=["FPR"],
        costs=["ms"],
        guessed=["ms"],
        left_out=["year"],
    )
    assert summarize_table(table) == (
        "2 systems; systems are named by 'model'; higher is better in 'TPR'; lower is better in "
        "'FPR'; costs are 'ms'; guessed: 'ms'; left out: 'year'."
    )
    bare = of(
        frame=[0], label=None, outputs=["TPR"], lower_rates=(), costs=(), guessed=(), left_out=()
    )
    assert summarize_table(bare) == (
        "1 system; systems have no column of names; higher is better in 'TPR'."
    )


def test_verdicts_at_any_time_and_what_to_run_next() -> None:
    verdicts = pd.Series(["dominated", "undecided", "undecided"], index=list("abc"))
    result = of(verdicts=verdicts, rounds=1, level=0.9, notes=("a note",))
    assert decisions.summarize_anytime_verdicts(result).split("\n") == [
        "After 1 round a is dominated: some mix of the others beats it in every metric; 2 of 3 are "
        "undecided.",
        "You may look as often as you like; a verdict of 'dominated' would be wrong in at most 10 "
        "of 100 such comparisons.",
        "A note.",
    ]
    open_result = of(verdicts=verdicts.iloc[1:2], rounds=20, level=0.95, notes=())
    assert decisions.summarize_anytime_verdicts(open_result).startswith(
        "After 20 rounds no system is shown to be dominated; 1 of 1 is undecided."
    )
    order = pd.Series([1200.4, 5000.0, np.inf], index=list("bcd"))
    assert decisions.summarize_next_round(of(stop=["a"], order=order, sample_more="recall")).split(
        "\n"
    ) == [
        "Stop a: shown to be dominated.",
        "Run b, c first, in this order: 'b' is likely to be decided after 1,200 more rounds, if "
        "the figures stay as they are.",
        "Nothing can be promised of d; keep running them as rivals.",
        "In the next rounds take one more instance of the class of 'recall': its evidence lags "
        "behind.",
    ]
    assert decisions.summarize_next_round(of(stop=[], order=order[2:], sample_more=None)) == (
        "No number of rounds is likely to show another system dominated.\n"
        "Nothing can be promised of d; keep running them as rivals."
    )


def test_plans_and_gates() -> None:
    plan = of(
        s=2, power=0.8, verdict=1200.0, gap=0.02, anytime=2400.0, gate=np.inf, notes=("a note",)
    )
    assert decisions.summarize_plan(plan).split("\n") == [
        "A system that is 0.02 behind in each metric is shown to be dominated by 1,200 instances "
        "with a chance of 80%, judged once; by about 2,400 with verdicts at any time, which stop "
        "earlier where the gap is larger.",
        "The numbers are instances for each metric, of its class where metrics are recalls.",
        "A note.",
    ]
    gate_plan = of(
        s=1, power=0.9, verdict=np.inf, gate=700.0, score=1.0, at_least=0.95, blocks=60, notes=()
    )
    assert decisions.summarize_plan(gate_plan).startswith(
        "A candidate with a true efficiency of 1 passes a gate at 0.95 with 700 instances with a "
        "chance of 90%; exact limits need at least 60 blocks."
    )
    one_metric = of(**{**vars(plan), "s": 1})
    assert "0.02 behind in the metric is shown" in decisions.summarize_plan(one_metric)
    parts: dict[str, Any] = {
        "status_only": False,
        "candidate": "new",
        "alpha": 0.05,
        "at_least": 0.9,
        "score": 0.98,
        "lower": 0.9111,
        "upper": 0.9999,
        "least_inputs": (),
        "passed": True,
        "verdict": "passes",
        "decided_after": None,
        "beaten_by": {},
        "notes": (),
        "needed": np.inf,
        "unit": "instances",
    }
    assert decisions.summarize_gate(of(**parts)) == (
        "'new' passes: it scores at least 0.9 (shown at 95 %). It scores 0.980, between 0.911 and "
        "1.000."
    )
    cheapest = decisions.summarize_gate(of(**{**parts, "least_inputs": ("ms",)}))
    assert "It takes the least 'ms' of all and would pass with any metrics" in cheapest
    failed = {**parts, "passed": False, "verdict": "fails", "least_inputs": ("ms",)}
    assert decisions.summarize_gate(
        of(
            **failed,
        )
    ) == (
        "'new' fails: it scores below 0.9 (shown at 95 %). It scores 0.980, between 0.911 and "
        "1.000."
    )
    undecided = of(**{**parts, "passed": False, "verdict": "open", "decided_after": 12})
    assert decisions.summarize_gate(undecided) == (
        "'new' is open, which is no pass: no number of instances would decide it if the figures "
        "stay as they are. It scores 0.980, between 0.911 and 1.000. Round 12 decided; you may "
        "look "
        "as often as you like."
    )
    for passed, words in ((True, "passes"), (False, "does not pass")):
        hidden = of(**{**parts, "status_only": True, "passed": passed, "verdict": "status"})
        sentence = f"'new' {words} at 0.9; the ledger shows the status only."
        assert decisions.summarize_gate(hidden) == sentence
        assert decisions.gate_markdown(hidden).split("\n")[1:] == ["", sentence, ""]


def test_targets_and_the_way_to_them() -> None:
    distance = pd.Series([0.3, np.nan, 0.1, np.nan, np.nan, np.nan], index=list("abcdef"))
    result = of(
        distance=distance,
        norm="l1",
        on="faces",
        reasons={name: f"reason {name}" for name in "bdef"},
        unproved=("that it is the closest",),
    )
    assert frontier.summarize_targets(result) == (
        "2 of 6 systems have a target; the nearest is 'c' at 0.1, the farthest 'a' at 0.3 (l1 "
        "distance on faces). 'b' has none: reason b. 'd' has none: reason d. 'e' has none: reason "
        "e. that it is the closest."
    )
    way = of(
        targets=pd.DataFrame({"TPR": [0.9], "F1": [0.8]}, index=["a"]),
        actual=pd.DataFrame({"TPR": [0.7], "F1": [0.6]}, index=["a"]),
        intensities=pd.DataFrame({"x": [0.25], "y": [0.75], "z": [1e-12]}, index=["a"]),
        on="faces",
        reasons={},
    )
    assert frontier.explain_targets(way, "a") == (
        "The target of 'a' has 'TPR' from 0.7 to 0.9, 'F1' from 0.6 to 0.8. To have that in rates "
        "and costs, answer 75 % of instances with 'y' and 25 % with 'x'. A mixture has another "
        "'F1' "
        "than that; technology='fdh' gives targets that are single systems."
    )
    single = of(**{**vars(way), "intensities": pd.DataFrame({"x": [1.0]}, index=["a"])})
    assert frontier.say_way_to_target(single, "a") == (
        "To have that in rates and costs, answer all instances with 'x'."
    )
    extended = of(**{**vars(way), "on": "facets"})
    assert frontier.say_way_to_target(extended, "a") == (
        "It is on an extended facet, which mixtures need not reach."
    )
    assert frontier.say_recipe({"a": 0.2, "b": 0.5, "c": 0.3}) == (
        "answer 50 % of instances with 'b', 30 % with 'c' and 20 % with 'a'"
    )


def test_curves_and_their_points() -> None:
    point = of(
        rule="score >= 0.5", criterion="Youden's J", value=0.4, TPR=0.8, FPR=0.4, fn=2, fp=4, tied=1
    )
    sentence = "score >= 0.5 (Youden's J 0.4): TPR 0.8, FPR 0.4, 2 positives missed, 4 false alarms"
    assert curves.summarize_operating_point(point) == sentence
    point.tied = 3
    assert curves.summarize_operating_point(point) == (
        f"{sentence}; 3 points are as good, and this has the fewest false alarms"
    )
    lift = of(
        points=pd.DataFrame({"lift": [2.0, 3.0, 1.0], "population": [0.1, 0.3, 1.0]}),
        deciles=pd.DataFrame({"lift": [2.5, 0.5]}),
    )
    assert curves.summarize_lift(lift) == (
        "the first tenth of the rows has 2.5 times as many positives as a tenth at random; the "
        "largest lift is 3, at 0.3 of the rows"
    )
    for n, words in ((0, "nothing"), (10, "everything")):
        rates = pd.DataFrame({"n": [n, 10]}, index=["predicted positive", "all"])
        assert curves.summarize_conversion(of(rule="r", rates=rates)) == (
            f"r predicts {words} positive: one of its two groups is empty"
        )
    rates = pd.DataFrame({"n": [4, 10]}, index=["predicted positive", "all"])
    raised = of(rule="r", rates=rates, multipliers={"positive": 2.0, "negative": 1.5})
    assert curves.summarize_conversion(raised) == (
        "r raises the share of positives 2 times among the 4 predicted positive, and that of "
        "negatives 1.5 times among the 6 predicted negative"
    )
    assert curves.summarize_cost_curve(of(useful=(0.2, 0.7), area=0.1)) == (
        "the classifier is cheaper than always predicting one class for probability costs from 0.2 "
        "to 0.7; its mean normalised expected cost is 0.1, where the better of those two rules has "
        "0.25"
    )
    useless = curves.summarize_cost_curve(of(useful=(np.nan, np.nan), area=0.3))
    assert useless.startswith("the classifier is nowhere cheaper than always predicting one class;")


def test_learning_curves_tests_and_intervals() -> None:
    means = pd.DataFrame(
        {"mean": [0.7, 0.8], "sd": [0.1, 0.05], "training_mean": [0.9, 0.85]}, index=[50, 100]
    )
    curve = of(
        means=means,
        scores=np.zeros((2, 5)),
        stopped_at=None,
        schedule=of(tolerance=None),
    )
    finding = (
        "at 100 training rows the metric is 0.8 on 5 test folds (sd 0.05) and 0.85 on the training "
        "rows"
    )
    assert curves.summarize_learning_curve(curve) == finding
    curve.schedule.tolerance = 0.01
    assert curves.summarize_learning_curve(curve) == (
        f"{finding}; the rows ran out before it stopped changing"
    )
    curve.stopped_at = 80
    assert curves.summarize_learning_curve(curve) == (
        f"{finding}; it had stopped changing at 80 rows"
    )
    table = pd.DataFrame(
        {
            "estimate": [0.1, -0.2, 0.01, 0.3],
            "lower": [0.05, -0.3, -0.1, np.nan],
            "upper": [0.15, -0.1, 0.12, np.nan],
        },
        index=pd.MultiIndex.from_product(
            [["a"], ["b"], ["TPR", "TNR", "F1", "MCC"]], names=["first", "second", "metric"]
        ),
    )
    result = of(table=table, alpha=0.05, notes=("one", "two", "three"))
    assert curves.summarize_intervals(result) == (
        "2 of 3 intervals of a difference exclude 0. TPR: a − b = 0.1 [0.05, 0.15]. TNR: a − b = "
        "-0.2 [-0.3, -0.1]. one. two"
    )
    values = of(table=table.droplevel("second"), alpha=0.1, notes=("one",))
    assert curves.summarize_intervals(values) == ("3 of 4 values have an interval of 90 %. one")


def test_numbers_of_a_paper_at_their_limits() -> None:
    """Journals print p < .001 below a thousandth, and no zero before the point."""

    def plain(text: str) -> str:
        return text.replace(journal.ITALIC, "").replace(journal.UPRIGHT, "")

    assert plain(journal._p_value(0.001)) == "p = .001"
    assert plain(journal._p_value(0.00099)) == "p < .001"
    assert plain(journal._p_value(0.9999)) == "p = 1.000"
    assert [journal._number(value) for value in (-0.204, 1.0, -0.001, 12.345, 10.5)] == [
        "-.20",
        "1.00",
        ".00",
        "12.35",
        "10.50",
    ]
    assert journal._interval(-0.5, 0.25, 0.1) == "90 % CI [-0.5, 0.25]"
    assert journal._interval(-0.5, 0.25, 0.05, bounded=True) == "95 % CI [-.50, .25]"
    assert journal._with_article("Friedman's test") == "Friedman's test"
    assert journal._with_article("paired t test of Student's") == "the paired t test of Student's"
    # Cohen's d_z: small from 0.2, medium from 0.5, large from 0.8; to either side.
    sizes = {0.19: "negligible", 0.2: "small", -0.5: "medium", 0.79: "medium", 0.8: "large"}
    for effect, word in sizes.items():
        assert journal._magnitude("Cohen's d_z", effect) == f" ({word})"
    for effect, word in {0.05: "negligible", 0.06: "small", 0.14: "medium", 0.21: "large"}.items():
        assert journal._magnitude("share of wins", effect) == f" ({word})"


def test_stores_and_leaders_of_other_dmus() -> None:
    sound = of(sound=True, rows=12)
    assert study.summarize_store_verification(sound) == "12 results are as they were written"
    damaged = of(sound=False, rows=10, damaged=[1, 2], structure="it was cut")
    assert study.summarize_store_verification(damaged) == (
        "2 results are damaged, 10 are as they were written; the file itself is damaged: it was cut"
    )
    damaged.structure = ""
    assert study.summarize_store_verification(damaged) == (
        "2 results are damaged, 10 are as they were written"
    )
    verdicts = pd.DataFrame(
        {"verdict": ["dominated", "undecided", "efficient"], "best_rank": [2, 1, 1]},
        index=pd.MultiIndex.from_tuples(
            [("all", "a"), ("all", "b"), ("all", "c")], names=["panel", "x"]
        ),
    )
    result = of(verdicts=verdicts)
    assert study._describe_verdicts(result, "all") == [
        "1 of 3 are shown to be dominated, and 2 could be first"
    ]
    assert study._describe_verdicts(result, "S1") == []
    assert study._describe_verdicts(of(verdicts=None), "all") == []


@pytest.mark.parametrize(
    ("count", "words"), [(1, "on 1 of 1 data set"), (2, "on 1 of 2 data sets")]
)
def test_who_lies_inside_the_frontier_of_a_reference(count: int, words: str) -> None:
    table = pd.DataFrame(
        {"position": ["inside", "outside"][:count]},
        index=pd.MultiIndex.from_product([["a"], range(count)], names=["classifier", "dataset"]),
    )
    describe = study._describe_targets
    assert describe(of(targets=table)) == [f"'a' lies inside the frontier of the reference {words}"]
    assert describe(of(targets=None)) == []
