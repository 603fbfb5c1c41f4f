"""The recommendation against a scan over weights, and the words for what it rests on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.report.recommendation import recommend
from deabench.report.report_results import compute_results, has_same_frontier

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def results_of(table, **options):
    return compute_results(table, None, None, "l1", "faces", None, options)


def leader(shares: pd.DataFrame, metric: str, factor: float) -> str:
    """Return the best name if one metric counts `factor` times as much as each other one."""
    weights = pd.Series(1.0, index=shares.columns)
    weights[metric] = factor
    return str((shares * weights).sum(axis=1).idxmax())


@pytest.mark.parametrize("seed", mark_most_slow(range(6), 2))
@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_lead_changes_where_the_recommendation_says(seed, count):
    rng = np.random.default_rng(seed)
    columns = ["TPR", "TNR", "AUC", "precision", "seconds"][:count]
    table = pd.DataFrame(
        rng.beta(5, 2, (25, count)), columns=columns, index=[f"s{k}" for k in range(25)]
    )
    lower = [name for name in columns if name == "seconds"]
    found = recommend(results_of(table))
    oriented = table.copy()
    oriented[lower] = -oriented[lower]
    shares = (oriented - oriented.min()) / (oriented.max() - oriented.min())
    assert found is not None
    assert found.name == shares.sum(axis=1).idxmax()
    assert found.tied == ()
    named = {other.metric: other for other in found.alternatives}
    for other in found.alternatives:
        before = 1 + (other.factor - 1) * (1 - 1e-9)
        after = 1 + (other.factor - 1) * (1 + 1e-9)
        assert leader(shares, other.metric, before) == found.name
        assert leader(shares, other.metric, after) == other.name
    # Within the first factor of 1 nothing changes, in any metric.
    limit = abs(np.log(found.alternatives[0].factor)) if named else np.log(1000)
    for metric in columns:
        for share in (0.3, 0.7, 0.999):
            assert leader(shares, metric, float(np.exp(share * limit))) == found.name
            if count > 2:
                assert leader(shares, metric, float(np.exp(-share * limit))) == found.name


def test_one_that_is_best_in_all_metrics_needs_no_condition():
    table = pd.DataFrame({"TPR": [0.9, 0.8, 0.9], "TNR": [0.8, 0.7, 0.6]}, index=list("abc"))
    answer = db.report(table).answer
    assert answer[:2] == [
        "Take a: no other is better in any metric.",
        "a has TPR 0.9 (the best), TNR 0.8 (the best). How sure that is cannot be said: there are "
        "neither samples nor intervals.",
    ]
    # c has the best TPR, too, and is beaten in TNR: it is not efficient, and not called so.
    assert answer[3] == (
        "c has the best score, too, and is not efficient: others are as good in every metric and "
        "better in one. The other one is not: b has efficiency 0.889: every output could grow by "
        "12.5 % together."
    )


def test_scores_next_to_the_best_one_never_print_as_one():
    table = pd.DataFrame(
        {"TPR": [0.9, 0.9 - 1e-8, 0.5], "TNR": [0.8, 0.8 - 1e-8, 0.5]}, index=list("abc")
    )
    answer = " ".join(db.report(table).answer)
    assert "1.0000" not in answer
    assert "from 0.625 to 0.99999999," in answer


def test_labels_of_two_levels_are_joined():
    index = pd.MultiIndex.from_product([["RF"], ["raw", "smote"]], names=["model", "sampling"])
    table = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.7, 0.9]}, index=index)
    report = db.report(table)
    assert report.data["labels"] == ["RF / raw", "RF / smote"]
    assert report.answer[0].startswith("Take RF / ")


def test_quotients_are_weighed_by_the_metrics_they_are_made_of():
    table = pd.DataFrame({"TPR": [0.9, 0.8, 0.5], "seconds": [5.0, 1.0, 3.0]}, index=list("abc"))
    found = recommend(results_of(table, inputs=["seconds"], model="wei"))
    assert found is not None
    assert found.name in set("ab")


def test_an_outsider_has_no_target_in_the_answer():
    table = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.7, 0.9]}, index=list("ab"))
    new = pd.DataFrame({"TPR": [0.95], "TNR": [0.95]}, index=["new"])
    assert db.report(table, tested=new).answer[-1] == (
        "new is beyond the frontier of the others: no mixture of them reaches it."
    )


@pytest.mark.parametrize(
    ("spread", "words"),
    [(0.001, "(shown to be efficient at 95 %: rank 1 of 2 by efficiency)"), (0.3, "(not settled ")],
)
def test_how_sure_a_recommendation_is_stands_in_its_sentence(spread, words):
    table = pd.DataFrame({"TPR": [0.9, 0.5], "TNR": [0.8, 0.4]}, index=list("ab"))
    samples = db.Samples.from_table(table, pd.DataFrame(spread, table.index, table.columns))
    first = db.report(table, uncertainty=samples).answer[0]
    assert first.startswith("Take a: no other is better in any metric (")
    assert words in first


def test_the_only_efficient_system_may_not_be_the_best_in_every_metric():
    """Under constant returns: "a" is more accurate than "b", at ten times its cost."""
    table = pd.DataFrame({"accuracy": [0.9, 0.8], "latency": [10.0, 1.0]}, index=["a", "b"])
    options = {"outputs": ["accuracy"], "inputs": ["latency"], "model": "ccr", "returns": "crs"}
    assert db.report(table, **options).answer[0].startswith("Take b: no other is efficient")
    table.loc["a", "accuracy"] = 0.7
    headline = db.report(table, **options).answer[0]
    assert headline.startswith("Take b: no other is better in any metric")


def test_no_system_with_an_unknown_metric_is_recommended():
    """System b is the best in what is known of it, and may be the worst in TNR."""
    table = pd.DataFrame(
        {"TPR": [0.9, 1.0, 0.5], "TNR": [0.5, None, 0.9], "AUC": [0.6, 1.0, 0.5]}, list("abc")
    )
    results = results_of(table, missing="bounds")
    assert results.ranking.efficient["b"]
    found = recommend(results)
    assert found is not None
    assert found.name == "a"
    assert "b" not in [*found.tied, *(other.name for other in found.alternatives)]


def test_a_report_bounds_an_efficient_system_that_lacks_a_metric() -> None:
    cells = {
        "TPR": [0.9, 0.8, 0.5, 0.99],
        "TNR": [0.5, None, 0.9, 0.6],
        "acc": [0.7, 0.99, 0.7, 0.1],
    }
    table = pd.DataFrame(cells, index=list("abcd"))
    results = results_of(table, missing="bounds")
    assert results.ranking.efficient["b"]
    # The frontier that is drawn spans the complete rows, which "b" is none of.
    assert not has_same_frontier(results)
    assert "b" in db.report(table, missing="bounds").to_frame().index
