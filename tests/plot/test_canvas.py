"""What pictures say at 300, in dark styles and beside each other: everyone is drawn, the best are
named.
"""

from __future__ import annotations

import inspect

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import same_color, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.metrics import average_precision_score, roc_auc_score

import deabench as db
from deabench import curves, plot
from deabench.errors import DataError
from deabench.plot.canvas import add_legend, font_size, make_axes, row_font_size

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def cloud(count, metrics=3, seed=0):
    rng = np.random.default_rng(seed)
    points = np.abs(rng.normal(size=(count, metrics)))
    points *= (0.6 + 0.4 * rng.random((count, 1)) ** 0.3) / np.linalg.norm(
        points, axis=1, keepdims=True
    )
    return pd.DataFrame(
        points,
        index=[f"classifier {k:03d}" for k in range(count)],
        columns=["TPR", "TNR", "AUC"][:metrics],
    )


def scored(count):
    """Scores of `count` models, the last of which are the best."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    return y, {f"model {k:02d}": rng.normal(size=200) + y * k / count * 2 for k in range(count)}


def test_a_ranking_of_300_draws_all_and_names_the_ends_by_merit():
    ranking = db.rank(cloud(300))
    display = plot.RankingDisplay.from_result(ranking).plot()
    offsets = np.concatenate([dots.get_offsets() for dots in display.dots_])
    assert sorted(offsets[:, 0]) == sorted(ranking.scores)
    assert sum(bar.get_height() for bar in display.counts_) == 300
    named = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert len(named) == 26
    served = (
        ranking.peers.sparse.to_dense() > 1e-6
    ).sum() - 1  # everyone efficient is a peer of itself
    assert served[named[0]] == served.max()
    assert named[-1] == ranking.scores.idxmin()
    order = [ranking.ranks[name] for name in display.frame.index]
    assert order == sorted(order)


def test_tiers_are_drawn_where_there_are_samples():
    table = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.5, 0.4], "TNR": [0.6, 0.8, 0.5, 0.3]}, index=list("abcd")
    )
    samples = db.Samples.from_table(table, errors=table * 0 + 0.005)
    ranking = db.rank(table, uncertainty=samples)
    display = plot.RankingDisplay.from_result(ranking).plot()
    assert len(display.tiers_) == ranking.uncertainty.tiers.max() - 1 >= 1
    assert len(display.intervals_.get_segments()) == 4


@pytest.mark.parametrize(
    ("make", "merit"),
    [
        (lambda y, scores: plot.RocDisplay.from_predictions(y, scores), roc_auc_score),
        pytest.param(
            lambda y, scores: plot.LiftDisplay(
                {name: curves.lift(y, s) for name, s in scores.items()}
            ),
            roc_auc_score,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda y, scores: plot.PrecisionRecallDisplay(
                {name: curves.precision_recall(y, s) for name, s in scores.items()}
            ),
            average_precision_score,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_legends_of_many_name_the_best_beside_the_curves(make, merit):
    y, scores = scored(30)
    display, best = make(y, scores).plot(), max(scores, key=lambda name: merit(y, scores[name]))
    legend = display.ax_.get_legend()
    legend_texts = [text.get_text() for text in legend.get_texts()]
    assert legend_texts[0].startswith(best)
    assert legend_texts[-1] == "and 20 more"
    assert "model 00" not in " ".join(legend_texts)
    display.figure_.draw_without_rendering()
    inside, box = display.ax_.get_window_extent(), legend.get_window_extent()
    assert box.x0 >= inside.x1
    assert box.x1 <= display.figure_.bbox.x1 + 1  # nothing is cut


def test_many_curves_keep_a_look_each():
    lines = plot.RocDisplay.from_predictions(*scored(20)).plot().lines_
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) >= 4
    table = cloud(30)
    lines = plot.ParallelDisplay.from_result(db.targets(table.iloc[:10] * 0.8, table)).plot().lines_
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 10


def test_matplotlibs_own_keywords_are_taken_and_others_refused():
    ranking = db.rank(cloud(12))
    display = plot.RankingDisplay.from_result(ranking).plot(alpha=0.3)
    assert {dots.get_alpha() for dots in display.dots_} == {0.3}
    (line,) = plot.RocDisplay.from_predictions(*scored(1)).plot(color="red", linewidth=3).lines_
    assert (line.get_color(), line.get_linewidth()) == ("red", 3)
    bars = plot.WeightsDisplay.from_result(ranking).plot(edgecolor="green").bars_
    assert all(same_color(bar.get_edgecolor(), "green") for bar in bars[0])
    dots = (
        plot.TangoDisplay.from_predictions(scored(1)[0], scored(1)[1]["model 00"])
        .plot(alpha=0.5)
        .dots_
    )
    assert {artist.get_alpha() for artist in dots} == {0.5}
    points = plot.SegmentsDisplay.from_predictions(*scored(3)).plot(alpha=0.5).points_
    assert {artist.get_alpha() for artist in points} == {0.5}
    with pytest.raises(DataError) as e:
        plot.RocDisplay.from_predictions(*scored(1)).plot(linewith=3)
    assert str(e.value) == "a Line2D has no property 'linewith'; did you mean 'linewidth'?"


def test_every_display_takes_keywords():
    for name in plot.__all__:
        if name.endswith("Display"):
            parameters = inspect.signature(getattr(plot, name).plot).parameters.values()
            assert any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters), name


def test_a_name_looks_the_same_in_every_picture():
    """Whatever their order: curves of one set of classifiers are read side by side."""
    y, scores = scored(9)
    reversed_scores = dict(reversed(scores.items()))
    roc_display = plot.RocDisplay.from_predictions(y, scores).plot()
    cost_display = plot.CostCurveDisplay(
        {name: curves.cost_curve(y, s) for name, s in reversed_scores.items()}
    ).plot()
    third = plot.PrecisionRecallDisplay(
        {name: curves.precision_recall(y, s) for name, s in reversed_scores.items()}
    ).plot()

    def looks(display, names):
        return {
            name: (line.get_color(), line.get_linestyle())
            for name, line in zip(names, display.lines_, strict=True)
        }

    assert (
        looks(roc_display, scores)
        == looks(cost_display, reversed_scores)
        == looks(third, reversed_scores)
    )


def test_nothing_is_black_on_black():
    ranking, front = db.rank(cloud(12)), db.frontier(cloud(12, 2))
    with mpl.style.context("dark_background"):
        for display in (
            plot.RankingDisplay.from_result(ranking),
            plot.FrontierDisplay.from_result(front),
            plot.WeightsDisplay.from_result(ranking),
            plot.PeerNetworkDisplay.from_result(ranking),
        ):
            ax = display.plot().ax_
            colors = [
                artist.get_color()
                for artist in (*ax.lines, *ax.texts)
                if getattr(artist, "get_text", str)() != ""
            ]
            assert all(sum(to_rgb(colour)) > 0.6 for colour in colors), type(display).__name__
        diagram = plot.CriticalDifferenceDisplay.from_result(db.compare.compare(cloud(12).T)).plot()
        bars = [
            artist.get_color()
            for artist_name in ("crossbars", "elbows")
            for artist in np.ravel(diagram.artists_[artist_name])
        ]
        assert all(sum(to_rgb(colour)) > 0.6 for colour in bars)
        lines = plot.RocDisplay.from_predictions(*scored(9)).plot().lines_
        assert all(sum(to_rgb(line.get_color())) > 0.6 for line in lines)


def test_beside_other_axes_nothing_is_written_outside():
    """Without a layout a figure makes no room: what would stand beside the axes is left out,
    legends go inside.
    """
    figure = Figure()
    axes = figure.subplots(1, 2)
    ranking = plot.RankingDisplay.from_result(db.rank(cloud(10))).plot(axes[0])
    assert ranking.peers_ == []
    front = plot.FrontierDisplay.from_result(db.frontier(cloud(10, 2))).plot(axes[1])
    figure.draw_without_rendering()
    box, inside = front.ax_.get_legend().get_window_extent(), front.ax_.get_window_extent()
    assert inside.y0 <= box.y0
    costs = plot.CostRangeDisplay.from_result(db.frontier(cloud(10, 2))).plot(
        Figure(figsize=(9, 3)).subplots(1, 3)[0]
    )
    costs.figure_.draw_without_rendering()
    for label in (costs.ax_._left_title, costs.ax_.xaxis.label):
        assert label.get_window_extent().width <= 1.02 * costs.ax_.get_window_extent().width
    display = plot.FrontierDisplay.from_result(
        db.frontier(pd.DataFrame({"TPR": [0.9, 0.5], "TNR": [0.5, 0.9]}))
    ).plot()
    assert not any("(0)" in text.get_text() for text in display.ax_.get_legend().get_texts())


def test_facets_have_names_of_their_own():
    display = plot.FacetGraphDisplay.from_result(db.frontier(cloud(8))).plot()
    facet_names = [text.get_text() for text in display.texts_]
    assert len(facet_names) == len(set(facet_names))


def test_sizes_of_letters_follow_matplotlibs_font_size():
    with mpl.rc_context({"font.size": 7}):
        small = font_size(8)
    assert small == pytest.approx(5.6)
    assert font_size(8) == pytest.approx(8 * mpl.rcParams["font.size"] / 10)


def test_titles_and_labels_stay_inside_a_narrow_figure():
    figure = Figure(figsize=(3.5, 2.6), layout="constrained")
    FigureCanvasAgg(figure)
    ax = make_axes(figure.add_subplot())
    long = "a long sentence about what the picture shows, and under which assumptions it holds"
    ax.set_title(long, loc="left")
    ax.set_xlabel(long)
    figure.canvas.draw()
    width = figure.bbox.width
    for text in (ax.xaxis.label, *(t for t in ax.get_children() if getattr(t, "get_text", str)())):
        if isinstance(text, Text):
            box = text.get_window_extent()
            assert box.x0 >= -1
            assert box.x1 <= width + 1


def test_a_narrow_legend_has_as_many_columns_as_fit():
    for width, columns in ((3.5, 2), (7.0, 3)):
        figure = Figure(figsize=(width, 3), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.add_subplot()
        lines = [ax.plot([0, 1], label=f"a curve of number {k}")[0] for k in range(6)]
        legend = add_legend(ax, lines, below=True, ncols=3)
        assert legend._ncols == columns
        figure.canvas.draw()
        assert not legend.get_window_extent().overlaps(ax.xaxis.get_tightbbox())


def test_names_of_many_rows_get_smaller_letters():
    ax = Figure(figsize=(3.5, 2.6)).add_subplot()
    assert row_font_size(ax, 5) == font_size(8)
    assert 30 * row_font_size(ax, 30) < 0.75 * 2.6 * 72
