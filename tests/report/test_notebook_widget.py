"""The workspace in a notebook: the page's own script and numbers, as an anywidget."""

from __future__ import annotations

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
    assert widget_module().rstrip().endswith('deabench.mount(el, model.get("data")); } };')
