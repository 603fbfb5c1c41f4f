"""The workspace in a notebook: the page's own script and numbers, as an anywidget."""

from __future__ import annotations

import json
import sys

import pytest
from report_cases import cloud

import deabench as db
from deabench.errors import DataError
from deabench.report.notebook_widget import widget_module

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_a_widget_holds_the_reports_numbers():
    pytest.importorskip(
        "anywidget", reason="anywidget is not installed here; it is in the extra notebook"
    )
    ranking = db.rank(cloud(9))
    widget = db.explore(ranking)
    assert widget.data == db.report(ranking).data
    assert db.explore(db.report(ranking)).data == widget.data
    assert widget.data["ranking"]["scores"] == ranking.scores.tolist()
    with pytest.raises(DataError) as e:
        db.explore(cloud(9)[["TPR"]])
    assert (
        str(e.value) == "there are fewer than two metrics to explore; give a table of at least two"
    )


def test_without_anywidget_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(DataError) as e:
        db.explore(cloud(9))
    assert (
        str(e.value)
        == "a notebook's widget needs the package anywidget; install deabench[notebook]"
    )


def test_the_module_is_the_pages_script():
    from deabench.report.html import read_template

    assert widget_module().startswith(read_template("page.js"))
    assert widget_module().rstrip().endswith("export default { render: deabench.render };")


def test_python_reads_and_sets_who_is_chosen_moved_and_brushed():
    table = cloud(9).rename(columns={"TNR": "efficiency"})
    ranking = db.rank(table, outputs=list(table))
    workspace = db.explore(ranking)
    assert workspace.chosen in table.index[ranking.efficient]
    assert workspace.moved is None
    assert workspace.limits == {}
    assert workspace.brushed == list(table.index)
    states = []
    workspace.observe(lambda change: states.append(change["new"]), "state")
    values = table.iloc[0]
    workspace.moved = values
    assert workspace.moved == values.to_dict()
    workspace.chosen = table.index[3]
    assert workspace.moved is None  # who is chosen next stands where it is
    # The score has no name of its own where a metric is called like its measure.
    workspace.limits = {"TPR": (values["TPR"], float("inf")), "": (None, ranking.scores.max())}
    assert workspace.limits == {"TPR": (values["TPR"], None), "": (None, ranking.scores.max())}
    assert workspace.brushed == list(table.index[table["TPR"] >= values["TPR"]])
    assert [state["chosen"] == table.index[3] for state in states] == [False, True, True]
    json.dumps(workspace.state, allow_nan=False)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (
            {"chosen": "classifier 00001"},
            "there is no 'classifier 00001' in the workspace; did you mean 'classifier 0001'?",
        ),
        ({"limits": {"TRP": (0, 1)}}, "limits: there is no metric 'TRP'; did you mean 'TPR'?"),
        (
            {"limits": {"TPR": (1, 0.5)}},
            "limits: 'TPR' begins at 1 and ends at 0.5; exchange them",
        ),
        ({"moved": {"TPR": 0.5}}, "moved: give a number for the metric 'TNR', not None"),
        ({"moved": {"TPR": 0.5, "TNR": 1.5}}, "moved: TNR is at most 1.0; it is 1.5"),
        ({"moved": {"TPR": -0.5, "TNR": 0.5}}, "moved: TPR is at least 0.0; it is -0.5"),
    ],
)
def test_a_state_that_cannot_be_is_refused(state, message):
    workspace = db.explore(cloud(9)[["TPR", "TNR"]])
    before = workspace.state
    with pytest.raises(DataError) as e:
        workspace.state = before | state
    assert str(e.value) == message
    assert workspace.state == before
    with pytest.raises(DataError) as e:
        workspace.state = {"chosen": workspace.chosen}
    assert str(e.value) == "the state of a workspace needs the key 'moved'; start from .state"


def test_missing_values_are_not_within_limits():
    table = cloud(9)
    table.iloc[2, 0] = float("nan")
    workspace = db.explore(table, missing="drop-systems")
    workspace.limits = {"TPR": (0, 1)}
    assert workspace.brushed == [name for name in table.index if name != table.index[2]]
