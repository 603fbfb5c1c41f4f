"""The critical-difference diagram agrees with the tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from deabench import compare, datasets
from deabench.errors import DataError
from deabench.plot.canvas import escape_label
from deabench.plot.critical_difference import CriticalDifferenceDisplay

DEMSAR = datasets.load("demsar2006-auc")


def untied(rows: int, k: int, step: float = 0.0, seed: int = 0) -> pd.DataFrame:
    values = np.random.default_rng(seed).normal(size=(rows, k)) + step * np.arange(k)
    return pd.DataFrame(values, columns=[f"c{j}" for j in range(k)])


def test_bars_join_exactly_the_pairs_not_found_different() -> None:
    """Every bar's ends are a pair that is not different, and every such pair lies under one bar."""
    table = untied(30, 8, 0.25, seed=4)
    display = CriticalDifferenceDisplay.from_result(compare.compare(table)).plot()
    ranks = display.mean_ranks
    bars = [
        tuple(sorted({round(float(x), 9) for x in line.get_xdata()}))
        for bar in display.artists_["crossbars"]
        for line in np.atleast_1d(np.asarray(bar, dtype=object))
    ]
    spans = [(bar[0], bar[-1]) for bar in bars]
    assert 1 < len(spans) < 8
    for a in ranks.index:
        for b in ranks.index:
            low, high = sorted((round(float(ranks[a]), 9), round(float(ranks[b]), 9)))
            under_one = any(start <= low and high <= right for start, right in spans)
            assert a == b or under_one == (display.p_values.loc[a, b] >= 0.05)


def test_against_a_control_each_marker_says_its_verdict() -> None:
    display = CriticalDifferenceDisplay.from_table(DEMSAR, control="C4.5").plot()
    assert len(display.artists_["markers"]) == 4
    assert display.artists_["crossbars"] == []
    assert display.ax_.get_title() == (
        "Mean rank (1 = best) against C4.5 (filled); × differs, ○ not found different "
        "(α = 0.05, Holm)"
    )


def test_a_display_draws_into_axes_given_and_leaves_pyplot_alone() -> None:
    from matplotlib import pyplot

    ax = Figure().add_subplot()
    assert CriticalDifferenceDisplay.from_table(DEMSAR).plot(ax).ax_ is ax
    assert pyplot.get_fignums() == []


def test_a_picture_of_an_undecided_table_has_one_bar() -> None:
    report = compare.compare(untied(20, 4, seed=1))
    display = CriticalDifferenceDisplay.from_result(report).plot()
    assert len(display.artists_["crossbars"]) == 1


def test_a_diagram_of_two_is_refused() -> None:
    with pytest.raises(DataError) as e:
        CriticalDifferenceDisplay.from_table(DEMSAR.iloc[:, :2])
    assert (
        str(e.value) == "a critical-difference diagram needs three or more systems over data sets"
    )


@pytest.mark.parametrize("control", [None, "c30"])
def test_a_small_diagram_leaves_out_the_middle_and_says_so(control: str | None) -> None:
    table = untied(12, 60, 0.1).rename(columns={"c59": "$a_{1}$ {x}"})
    display = CriticalDifferenceDisplay.from_table(table, control=control)
    figure = Figure(figsize=(3.5, 2.6), layout="constrained")
    display.plot(figure.add_subplot())
    figure.draw_without_rendering()
    labels = display.artists_["labels"]
    left_out = 60 - len(labels)
    assert 6 <= len(labels) < 60
    assert display.ax_.get_title().endswith(f"; {left_out} in the middle left out for want of room")
    order = display.mean_ranks.sort_values()
    left = [label.get_text() for label in labels if label.get_ha() == "right"]
    names = [escape_label(name) for name in order.index]
    assert left[:3] == [f"{names[k]} ({order.iloc[k]:.2f})" for k in range(3)]
    right = [label.get_text() for label in labels if label.get_ha() == "left"]
    assert right[0] == f"({order.iloc[-1]:.2f}) {names[-1]}"
    # The control stays, wherever it ranks.
    assert control is None or any(control in text for text in left + right)


def test_a_large_diagram_names_all() -> None:
    display = CriticalDifferenceDisplay.from_table(untied(12, 30, 0.1)).plot()
    assert len(display.artists_["labels"]) == 30
    assert "left out" not in display.ax_.get_title()
