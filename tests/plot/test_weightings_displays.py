"""Pictures of weightings hold the numbers of their result."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import plot
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
WINE = db.datasets.load("chao2022-wine1").drop(index="MLP")


def table(s: int) -> pd.DataFrame:
    values = np.random.default_rng(s).uniform(0.3, 1, (9, s)).round(2)
    return pd.DataFrame(values, columns=[f"m{r}" for r in range(s)])


def test_intervals_hold_the_ranks_and_their_usual_part() -> None:
    result = db.weightings(WINE, outputs=["TPR", "TNR"])
    display = plot.RankIntervalDisplay.from_result(result).plot()
    frame = display.frame
    assert frame.index.tolist() == result.to_frame().index.tolist()
    assert frame[["best", "worst"]].to_numpy().tolist() == (
        result.to_frame()[["best", "worst"]].to_numpy().tolist()
    )
    # RUS+SVM: rank 4 under 7 %, so that ranks 1 to 3 would leave more than 5 % below.
    assert frame.loc["RUS+SVM", ["low", "high"]].tolist() == [1, 4]
    assert frame.loc["CS-MCQP", ["low", "high"]].tolist() == [1, 2]
    assert next(text.get_text() for text in display.ax_.get_yticklabels()) == "CS-MCQP"


@pytest.mark.parametrize(("s", "axis"), [(2, True), (3, False), (4, True)])
def test_regions_are_drawn_as_strip_triangle_and_intervals(s, axis) -> None:
    result = db.weightings(table(s), outputs=list(table(s)), draws=64)
    display = plot.WinningRegionsDisplay.from_result(result).plot()
    assert display.shares.sum() == pytest.approx(1)
    regions = len(display.shares) * (s if s > 3 else 1)
    assert len(display.regions_) == regions
    assert display.ax_.axison == axis


def test_no_regions_without_a_sum_of_all_metrics() -> None:
    result = db.weightings(table(3), outputs=["m0"], inputs=["m1", "m2"], model="ratio", draws=64)
    with pytest.raises(DataError, match="no winning regions to draw"):
        plot.WinningRegionsDisplay.from_result(result)


def test_the_graph_leaves_out_what_others_imply_and_merges_equal_rows() -> None:
    rates = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.7, 0.7], "TNR": [0.9, 0.8, 0.7, 0.7]}, index=list("abcd")
    )
    result = db.weightings(rates, outputs=["TPR", "TNR"], draws=64)
    graph = result.dominance_graph()
    assert sorted(graph.edges) == [("a", "b"), ("b", "c")]
    assert graph.nodes["c"]["rows"] == ("c", "d")
    display = plot.DominanceGraphDisplay.from_result(result).plot()
    assert [text.get_text() for text in display.nodes_] == ["a", "b", "c = d"]
    faint = plot.DominanceGraphDisplay.from_result(result).plot(alpha=0.5)
    assert [text.get_alpha() for text in faint.nodes_] == [0.5] * 3
    assert display.ax_.get_title(loc="left") == (
        "who is at least as good at every weighting: from above to below"
    )


def test_names_that_have_no_room_stand_in_a_legend() -> None:
    rates = pd.DataFrame(
        {"TPR": [1.0, 0.9, 0.5], "TNR": [0.5, 0.65, 1.0]}, index=["wide", "x" * 30, "other"]
    )
    result = db.weightings(rates, outputs=["TPR", "TNR"], draws=64)
    display = plot.WinningRegionsDisplay.from_result(result).plot()
    legend = display.ax_.get_legend()
    shares = display.shares
    assert [text.get_text() for text in legend.get_texts()] == [
        f"{'x' * 30}, {100 * shares['x' * 30]:.2g} %"
    ]
    written = {text.get_text().split("\n")[0] for text in display.ax_.texts}
    assert written == {"wide", "other"}
    # A name stands in the middle of its bar.
    middles = {bar.get_x() + bar.get_width() / 2 for bar in display.regions_}
    assert {text.get_position()[0] for text in display.ax_.texts} <= middles


@pytest.mark.parametrize(("width", "left", "right"), [(3.3, 0.95, 1.6), (6.2, 0.72, 1.3)])
def test_names_beside_the_triangle_have_more_room_in_a_narrow_figure(width, left, right) -> None:
    result = db.weightings(table(3), outputs=list(table(3)), draws=64)
    ax = plt.figure(figsize=(width, 4)).subplots()
    plot.WinningRegionsDisplay.from_result(result).plot(ax)
    assert ax.get_xlim()[1] == right
    assert left in {text.get_position()[0] for text in ax.texts}
    plt.close(ax.figure)
