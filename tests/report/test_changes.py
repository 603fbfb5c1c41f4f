"""Two reports compared: every change that is said is the difference of the two rankings."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from report_cases import cloud, costly

import deabench as db
from deabench.errors import DataError
from deabench.report.changes import _describe_models, facet_changes
from deabench.report.report_results import ReportResults

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def tables(report):
    return {table.key: table.frame for section in report.sections for table in section.all_tables}


def test_who_rose_and_which_facets_moved_by_hand():
    """b passes c; the facet a-b becomes flatter: (.9 - .5) / (.9 - .6) = 4/3 of TNR per TPR before,
    .4 / .2 = 2 after.
    """
    before = pd.DataFrame(
        {"TPR": [0.9, 0.6, 0.5, 0.3], "TNR": [0.5, 0.9, 0.6, 0.3]}, index=list("abcd")
    )
    after = before.copy()
    after.loc["b", "TPR"] = 0.7
    after.loc["d"] = [0.6, 0.6]
    report = db.report(before, after)
    assert report.title == "Comparison of systems: what changed"
    assert report.answer == [
        "Of 4 systems in both 1 rose, 1 fell and 2 kept their rank. Up the most: d from 4 to "
        "3. Down the most: c from 3 to 4.",
        "The same systems are efficient. Of the efficient facets 0 stayed, 1 moved, 0 new, 0 gone.",
        "Take b. If TPR counts more than 2 times TNR, take a.",
    ]
    facet = tables(report)["facets-moved-table"].loc["a, b"]
    assert facet["what"] == "moved"
    assert (facet["TNR per TPR before"], facet["TNR per TPR after"]) == pytest.approx((4 / 3, 2))
    assert report.sections[0].sentences == [
        "Metrics that changed: TPR by up to 0.3 (d), TNR by up to 0.3 (d)."
    ]


@pytest.mark.parametrize("table", [cloud(25, 3), costly(25)])
def test_every_change_is_the_difference_of_two_rankings(table, undrawn):
    rng = np.random.default_rng(4)
    after = (table * rng.uniform(0.9, 1.05, table.shape)).drop(table.index[3])
    after["AUC"] = after["AUC"].clip(upper=1.0)
    old, new = db.rank(table), db.rank(after)
    report = db.report(old, db.report(after))
    frame = tables(report)["changes-table"]
    assert set(frame.index) == set(after.index)
    assert frame["change"].to_dict() == pytest.approx(
        (new.scores - old.scores.loc[after.index]).to_dict(), abs=1e-12
    )
    assert (
        frame["rose by"].tolist()
        == (old.ranks.loc[frame.index] - new.ranks.loc[frame.index]).tolist()
    )
    assert frame["rose by"].abs().is_monotonic_decreasing
    assert "Only in the first: classifier 0003." in report.answer
    counts = [
        (frame["rose by"] > 0).sum(),
        (frame["rose by"] < 0).sum(),
        (frame["rose by"] == 0).sum(),
    ]
    assert report.answer[0].startswith(
        "Of 24 systems in both {} rose, {} fell and {} kept their rank.".format(*counts)
    )
    facets = tables(report)["facets-moved-table"]["what"].value_counts().to_dict()
    keys = [
        {frozenset(v) for v in facet_table[facet_table["full_dimensional"]]["vertices"]}
        for facet_table in (db.frontier(table).facets, db.frontier(after).facets)
    ]
    assert facets.get("new", 0) == len(keys[1] - keys[0])
    assert facets.get("gone", 0) == len(keys[0] - keys[1])
    assert report.to_html().startswith("<!doctype html>")


def test_the_same_twice_has_no_change():
    report = db.report(cloud(15, 3), cloud(15, 3))
    assert report.answer[0] == "Of 15 systems in both 0 rose, 0 fell and 15 kept their rank."
    assert report.answer[1].startswith("The same systems are efficient. Of the efficient facets ")
    assert " 0 moved, 0 new, 0 gone." in report.answer[1]
    assert report.sections[0].sentences == ["No metric of theirs changed."]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: db.report(
                cloud(9, 2), cloud(9, 2).rename(index=lambda name: f"another {name}")
            ),
            "no system is in both; give two tables with some labels in common",
        ),
        (
            lambda: db.report(cloud(9, 2), db.rank(cloud(9, 2), model="additive")),
            "the first has efficiency and the second inefficiency; rank both by one model",
        ),
        (
            lambda: db.report(cloud(9, 2), cloud(9, 2), tested=["classifier 0001"]),
            "two reports are compared by their own systems; leave out tested",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(call, sentence):
    with pytest.raises(DataError) as e:
        call()
    assert str(e.value) == sentence


def test_facets_of_other_metrics_are_not_compared_and_another_model_is_named():
    """Rates of trade-off need the same metrics; another model may be all that changed."""
    table = pd.DataFrame({"TPR": [0.9, 0.5, 0.4], "TNR": [0.8, 0.9, 0.3]}, index=list("abc"))
    front = db.frontier(table)
    assert facet_changes(front, front)["what"].tolist() == ["stayed"]
    assert facet_changes(front, db.frontier(table.rename(columns={"TNR": "F1"}))).empty
    assert facet_changes(front, None).empty
    # One system alone has no facet with trade-offs.
    alone = db.frontier(table.iloc[:1])
    assert facet_changes(alone, alone).empty
    results = [SimpleNamespace(ranking=db.rank(table, model=model)) for model in ("wei", "fdh")]
    assert _describe_models(*results) == [
        "The first is by model 'wei', the second by 'fdh': part of what changed is the model."
    ]
    assert _describe_models(results[0], results[0]) == []


def test_metrics_of_quotients_keep_their_direction():
    """Quotients by seconds hold no column of the table: the frontier knows which are better low."""
    frame = pd.DataFrame(
        {"TPR": [0.9, 0.5, 0.4], "err": [0.2, 0.1, 0.7], "seconds": [1.0, 2.0, 3.0]}, list("abc")
    )
    table = db.read(frame, lower_is_better={"err": 1.0})
    nothing = dict.fromkeys([field.name for field in dataclasses.fields(ReportResults)])
    results = ReportResults(
        **nothing
        | {"ranking": db.rank(table, model="wei"), "frontier": db.frontier(table)}
        | {"divisors": ("seconds",)}
    )
    assert list(results.ranking.data.outputs) == ["TPR/seconds", "err/seconds"]
    assert results.lower_is_better == {"err", "seconds"}
