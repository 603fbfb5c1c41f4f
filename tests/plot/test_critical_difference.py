"""The critical-difference diagram agrees with the tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from deabench import compare, datasets
from deabench.errors import DataError
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
    from matplotlib.figure import Figure

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
        str(e.value)
        == "a critical-difference diagram needs three or more classifiers over data sets"
    )
