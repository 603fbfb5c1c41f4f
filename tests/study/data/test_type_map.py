"""The map of a data set: its kinds are those of the rule, its picture is drawn where it is told to
be.
"""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from deabench.errors import DataError
from deabench.plot.studies import KIND_STYLES, TypeMapDisplay
from deabench.study.data.columns import DataSpec
from deabench.study.data.data_type import infer_data_type
from deabench.study.data.loaders import load_dataset

DATA = load_dataset(DataSpec("glass-0-4_vs_5", "table2"))


@pytest.fixture(scope="module")
def display():
    return TypeMapDisplay.from_dataset(DATA)


def test_kinds_and_title(display):
    kinds = display.points["kind"]
    assert kinds[DATA.y == 1].equals(infer_data_type(DATA).kinds)
    assert set(kinds[DATA.y == 0]) == {"majority"}
    assert display.title.splitlines()[0] == "glass-0-4_vs_5: OD by the rule, OD by its label"


def test_it_is_drawn_on_the_axes_given(display):
    ax = Figure().add_subplot()
    assert display.plot(ax).ax_ is ax
    legend_texts = [text.get_text() for text in ax.get_legend().get_texts()]
    counts = display.points["kind"].value_counts()
    assert legend_texts == [
        f"{kind} ({counts[kind]})" for kind in ["majority", *KIND_STYLES] if kind in counts
    ]
    assert TypeMapDisplay(display.points, "x").plot().figure_ is not ax.figure


def test_perplexity_is_checked():
    with pytest.raises(DataError) as e:
        TypeMapDisplay.from_dataset(DATA, perplexity=92)
    assert str(e.value) == "perplexity is 92; give a number from 1 to below the 92 rows"
