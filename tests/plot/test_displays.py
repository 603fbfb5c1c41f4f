"""Pictures: one contract over every display, numbers equal to the results', names that do not
collide at 3, 30 and 300.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pictures import check_display_contract, count_overlaps, find_layout_faults
from quick_cases import mark_most_slow
from sklearn.linear_model import LogisticRegression

import deabench as db
from deabench import curves, plot
from deabench.errors import DataError
from deabench.plot.canvas import GREY
from deabench.plot.placement import dots_along, place_names
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset

pytestmark = pytest.mark.filterwarnings(
    "ignore::deabench.errors.DataWarning"
)  # few classifiers are enough for a picture

WINE = db.datasets.load("chao2022-wine1")
ESTABLISHED = WINE.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
METRICS = ["TPR", "TNR", "AUC"]


def cloud(count, metrics=3, seed=0):
    """Points on and below a sphere: about a third on the frontier at 30, an eighth at 300."""
    rng = np.random.default_rng(seed)
    points = np.abs(rng.normal(size=(count, metrics)))
    points *= (0.6 + 0.4 * rng.random((count, 1)) ** 0.3) / np.linalg.norm(
        points, axis=1, keepdims=True
    )
    return pd.DataFrame(
        points, index=[f"classifier {k:03d}" for k in range(count)], columns=METRICS[:metrics]
    )


def grouped():
    """Efficiencies as a study's summary has them: two types of data, three classifiers."""
    keys = pd.MultiIndex.from_product(
        [["type"], ["noisy", "disjunct"], ["all"], ["A", "B", "C"]],
        names=["grouping", "group", "panel", "classifier"],
    )
    return pd.DataFrame({"dea_then_average": [0.9, 0.8, 0.7, 0.6, 1.0, 0.5]}, index=keys)


def wide():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.random((12, 4)) + np.array([0.3, 0.2, 0.1, 0.0]), columns=list("ABCD"))


def scored():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 160])
    return y, rng.normal(size=200) + y


def learned():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    return curves.learning_curve(
        LogisticRegression(),
        rng.normal(size=(60, 1)) + y[:, None],
        y,
        cv=2,
        schedule=curves.geometric(20, 2, tolerance=None),
    )


def weighed() -> db.Weightings:
    return db.weightings(cloud(12), draws=64)


def sampled():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 60)
    labels = {
        name: np.where(rng.random(120) < right, y, 1 - y)
        for name, right in (("A", 0.9), ("B", 0.8), ("C", 0.7))
    }
    return db.uncertainty(db.Samples.from_predictions(y, labels, metrics=["TPR", "TNR"]))


def targeted(**options):
    return db.targets(cloud(4, seed=1) * 0.8, cloud(30), **options)


DISPLAYS = {
    "FrontierDisplay": lambda: plot.FrontierDisplay.from_result(
        db.targets(WINE, ESTABLISHED, outputs=["TPR", "TNR"], norm="l2", on="facets"),
        cost_ratio=4,
        prevalence=0.2,
    ),
    "FacetGraphDisplay": lambda: plot.FacetGraphDisplay.from_result(db.frontier(cloud(30))),
    "TargetsDisplay": lambda: plot.TargetsDisplay.from_result(targeted()),
    "ParallelDisplay": lambda: plot.ParallelDisplay.from_result(targeted()),
    "RankingDisplay": lambda: plot.RankingDisplay.from_result(db.rank(cloud(30))),
    "PeerNetworkDisplay": lambda: plot.PeerNetworkDisplay.from_result(db.rank(cloud(30))),
    "WeightsDisplay": lambda: plot.WeightsDisplay.from_result(db.rank(cloud(30))),
    "GroupsDisplay": lambda: plot.GroupsDisplay.from_efficiency(grouped(), grouping="type"),
    "TypeMapDisplay": lambda: plot.TypeMapDisplay.from_dataset(
        load_dataset(DataSpec("glass-0-4_vs_5", "table2"))
    ),
    "CostRangeDisplay": lambda: plot.CostRangeDisplay.from_result(
        db.frontier(ESTABLISHED, outputs=["TPR", "TNR"])
    ),
    "RocDisplay": lambda: plot.RocDisplay.from_predictions(scored()[0], {"net": scored()[1]}),
    "RouterDisplay": lambda: plot.RouterDisplay.from_result(
        db.Router(pd.DataFrame({"a": [1, 0, 1], "b": [1, 1, 1]}), {"a": 1, "b": 2})
    ),
    "MeanRocDisplay": lambda: plot.MeanRocDisplay(
        curves.average_vertical([curves.roc(*scored())] * 2)
    ),
    "TangoDisplay": lambda: plot.TangoDisplay.from_predictions(*scored(), name="net"),
    "SegmentsDisplay": lambda: plot.SegmentsDisplay.from_predictions(
        scored()[0], {"net": scored()[1]}
    ),
    "GainDisplay": lambda: plot.GainDisplay(curves.gain(*scored()), "net"),
    "LiftDisplay": lambda: plot.LiftDisplay({"net": curves.lift(*scored())}),
    "ConversionDisplay": lambda: plot.ConversionDisplay(curves.conversion_rates(*scored())),
    "PrecisionRecallDisplay": lambda: plot.PrecisionRecallDisplay(
        {"net": curves.precision_recall(*scored())}
    ),
    "CostCurveDisplay": lambda: plot.CostCurveDisplay({"net": curves.cost_curve(*scored())}),
    "LearningCurveDisplay": lambda: plot.LearningCurveDisplay(learned(), "accuracy"),
    "RankIntervalDisplay": lambda: plot.RankIntervalDisplay.from_result(weighed()),
    "WinningRegionsDisplay": lambda: plot.WinningRegionsDisplay.from_result(weighed()),
    "DominanceGraphDisplay": lambda: plot.DominanceGraphDisplay.from_result(weighed()),
    "UncertaintyDisplay": lambda: plot.UncertaintyDisplay.from_result(sampled()),
    "FrontierBandDisplay": lambda: plot.FrontierBandDisplay.from_result(sampled()),
    "CriticalDifferenceDisplay": lambda: plot.CriticalDifferenceDisplay.from_table(wide()),
}


def test_the_contract_runs_over_every_display():
    assert sorted(DISPLAYS) == [name for name in plot.__all__ if name.endswith("Display")]


OF_CURVES = (
    "RocDisplay",
    "MeanRocDisplay",
    "TangoDisplay",
    "SegmentsDisplay",
    "GainDisplay",
    "LiftDisplay",
    "ConversionDisplay",
    "PrecisionRecallDisplay",
    "CostCurveDisplay",
    "LearningCurveDisplay",
)
"""Displays that tests/curves/test_displays.py holds to the same contract."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in OF_CURVES else ()) for name in DISPLAYS],
)
def test_every_display_keeps_the_contract(name):
    display = DISPLAYS[name]()
    figure = Figure(figsize=(3.5, 2.625), layout="constrained")
    first = check_display_contract(display, figure)
    first.canvas.draw()
    assert find_layout_faults(figure) == []  # draws it as wide as a column of a paper
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


def test_an_unknown_display_is_refused():
    with pytest.raises(AttributeError) as e:
        plot.PieDisplay  # noqa: B018 - the access is the test
    assert str(e.value) == "module 'deabench.plot' has no attribute 'PieDisplay'"


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 30, 300])
def test_names_never_collide_and_those_left_out_are_counted(count):
    table = cloud(count)
    flat, solid = db.frontier(table, outputs=["TPR", "TNR"]), db.frontier(table)
    shown = {
        "frontier": (
            plot.FrontierDisplay.from_result(flat, cost_ratio=3).plot(),
            len(flat.vertices),
        ),
        "graph": (plot.FacetGraphDisplay.from_result(solid).plot(), len(solid.facets)),
        "network": (plot.PeerNetworkDisplay.from_result(db.rank(table)).plot(), count),
    }
    for name, (display, names) in shown.items():
        assert count_overlaps(display.texts_) == 0, name
        assert len(display.texts_) + display.unnamed_ == names, name
        notes = [text.get_text() for text in display.ax_.texts if "left out" in text.get_text()]
        note = f"{display.unnamed_} of {names} names left out for want of room"
        assert notes == ([note] if display.unnamed_ else []), name
    ranking = plot.RankingDisplay.from_result(db.rank(table)).plot()
    assert count_overlaps([*ranking.peers_, *ranking.ax_.get_yticklabels()]) == 0
    assert ranking.total == count
    assert len(ranking.frame) == count


@cache
def scored_many(count):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 160])
    return y, {
        f"classifier {k:03d}": rng.normal(size=200) + (0.3 + 1.2 * k / count) * y
        for k in range(count)
    }


@cache
def weighted_many(count):
    return db.weightings(cloud(count), draws=64)


@cache
def sampled_many(count):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 60)
    labels = {
        f"classifier {k:03d}": np.where(rng.random(120) < 0.6 + 0.35 * rng.random(), y, 1 - y)
        for k in range(count)
    }
    return db.uncertainty(db.Samples.from_predictions(y, labels, metrics=["TPR", "TNR"]))


def grouped_many(count):
    keys = pd.MultiIndex.from_product(
        [
            ["type"],
            ["noisy", "disjunct", "overlap"],
            ["all"],
            [f"set {k:03d}" for k in range(count)],
        ],
        names=["grouping", "group", "panel", "classifier"],
    )
    values = 0.5 + 0.5 * np.random.default_rng(0).random(len(keys))
    return pd.DataFrame({"dea_then_average": values}, index=keys)


def compared_many(count, **options):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((30, count)) + np.linspace(0, 0.8, count)).add_prefix("system ")
    return plot.CriticalDifferenceDisplay.from_table(table, **options)


def flat_targets(count):
    return db.targets(cloud(count, 2, seed=1) * 0.8, cloud(30, 2))


MANY = {
    "frontier": lambda n: plot.FrontierDisplay.from_result(
        db.frontier(cloud(n), outputs=["TPR", "TNR"]), cost_ratio=3
    ),
    "frontier of targets": lambda n: plot.FrontierDisplay.from_result(flat_targets(n)),
    "facets": lambda n: plot.FacetGraphDisplay.from_result(db.frontier(cloud(n))),
    "cost ranges": lambda n: plot.CostRangeDisplay.from_result(db.frontier(cloud(n, 2))),
    "targets": lambda n: plot.TargetsDisplay.from_result(db.targets(cloud(n) * 0.8, cloud(30))),
    "parallel": lambda n: plot.ParallelDisplay.from_result(db.targets(cloud(n) * 0.8, cloud(30))),
    "ranking": lambda n: plot.RankingDisplay.from_result(db.rank(cloud(n))),
    "peers": lambda n: plot.PeerNetworkDisplay.from_result(db.rank(cloud(n))),
    "weights": lambda n: plot.WeightsDisplay.from_result(db.rank(cloud(n))),
    "groups": lambda n: plot.GroupsDisplay.from_efficiency(grouped_many(n), grouping="type"),
    "ROC": lambda n: plot.RocDisplay.from_predictions(*scored_many(n)),
    "segments": lambda n: plot.SegmentsDisplay.from_predictions(*scored_many(n)),
    "cost curves": lambda n: plot.CostCurveDisplay(
        {name: curves.cost_curve(scored_many(n)[0], s) for name, s in scored_many(n)[1].items()}
    ),
    "rank intervals": lambda n: plot.RankIntervalDisplay.from_result(weighted_many(n)),
    "regions": lambda n: plot.WinningRegionsDisplay.from_result(weighted_many(n)),
    "dominance": lambda n: plot.DominanceGraphDisplay.from_result(weighted_many(n)),
    "uncertainty": lambda n: plot.UncertaintyDisplay.from_result(sampled_many(n)),
    "band": lambda n: plot.FrontierBandDisplay.from_result(sampled_many(n)),
    "critical difference": compared_many,
    "against a control": lambda n: compared_many(n, control="system 1"),
}


@pytest.mark.parametrize("name", mark_most_slow(MANY, 8))
@pytest.mark.parametrize("count", [30, pytest.param(3, marks=pytest.mark.slow)])
def test_texts_of_a_picture_lie_within_it_and_apart(name, count):
    check_texts(MANY[name](count), 3.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_texts_of_wide_pictures_lie_within_them_and_apart(name):
    """Each picture is drawn of 100, more than have room, in both widths; of 3 and of 30 every
    second one is drawn wide, as all of them are drawn narrow above.
    """
    few = (3, 30)[list(MANY).index(name) % 2]
    check_texts(MANY[name](few), 7)
    display = MANY[name](100)
    check_texts(display, 7)
    check_texts(display, 3.5)


def check_texts(display, width):
    """Draw a display so many inches wide and look for texts that overlap or are cut."""
    figure = Figure(figsize=(width, 0.75 * width), layout="constrained")
    FigureCanvasAgg(figure)
    display.plot(figure.add_subplot())
    assert find_layout_faults(figure) == []


def on_column_of_paper(display):
    """Draw a display as wide as one of two columns of a paper."""
    figure = Figure(figsize=(3.5, 2.6), layout="constrained")
    FigureCanvasAgg(figure)
    display.plot(figure.add_subplot())
    figure.canvas.draw()
    return display


def test_a_small_picture_shows_as_many_rows_as_have_room():
    weights = on_column_of_paper(plot.WeightsDisplay.from_result(db.rank(cloud(60))))
    assert len(weights.shares) == 40
    names = weights.ax_.get_yticklabels()
    assert 8 <= len(names) < 40
    assert count_overlaps(names) == 0
    assert weights.ax_.get_xlabel().endswith(f"; the best {len(names)} of 60")
    targets = on_column_of_paper(plot.TargetsDisplay.from_result(targeted()))
    assert len(targets.axes_[0].get_yticklabels()) == 4  # all have room
    result = db.weightings(cloud(40), draws=64)
    graph = on_column_of_paper(plot.DominanceGraphDisplay.from_result(result))
    left_out = len(graph.graph) - len(graph.nodes_)
    assert left_out > 0
    assert graph.ax_.get_title(loc="left").endswith(f"; {left_out} left out for want of room")


def test_a_narrow_legend_names_five_curves_and_greys_the_rest():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 160])
    scores = {f"net {k:02}": rng.normal(size=200) + 0.1 * k * y for k in range(12)}
    display = on_column_of_paper(plot.RocDisplay.from_predictions(y, scores))
    legend = display.ax_.get_legend()
    named = [text.get_text().split(" (")[0] for text in legend.get_texts()]
    assert named[-1] == "and 7 more"
    best = sorted(display.segments, key=lambda name: -display.segments[name].roc.auc)[:5]
    assert named[:-1] == best
    is_grey = [line.get_color() == GREY for line in display.lines_]
    assert is_grey == [name not in best for name in display.segments]
    assert [dark.get_visible() for dark in display.dark_] == [not grey for grey in is_grey]
    box, figure = legend.get_window_extent(), display.figure_.bbox
    assert box.x0 >= figure.x0 - 1
    assert box.x1 <= figure.x1 + 1


def test_overlapping_counts_what_collides():
    figure = Figure()
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    texts = [ax.text(0.5, 0.5, "one"), ax.text(0.51, 0.5, "two"), ax.text(0.1, 0.1, "far")]
    assert count_overlaps(texts) == 1


def test_names_cover_no_point_and_no_line():
    figure = Figure()
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    rng = np.random.default_rng(3)
    points = rng.random((60, 2))
    lines = dots_along(rng.random((6, 2, 2)))
    texts, left_out = place_names(ax, points, [f"name {k}" for k in range(60)], avoid=lines)
    assert len(texts) + left_out == 60
    assert len(texts) >= 10
    spots = ax.transData.transform(np.vstack([points, lines]))
    for text in texts:
        box = super(type(text), text).get_window_extent()
        assert not box.count_contains(spots)


def test_figure_1_of_chao_shows_the_three_benchmarks():
    """Chao et al. (2022): the boundary of Figure 1 (a) is RUS+SVM, CS-MCQP, Bagging; in Table 14
    RBF goes to (97.7, 50.7).
    """
    targets = db.targets(
        WINE.loc[["RBF"]], ESTABLISHED, outputs=["TPR", "TNR"], norm="l2", on="facets"
    )
    display = plot.FrontierDisplay.from_result(targets).plot()
    assert list(display.extreme.index) == ["RUS+SVM", "CS-MCQP", "Bagging"]
    (arrow,) = display.arrows_
    assert arrow.xy == pytest.approx(targets.targets.loc["RBF"].to_numpy(), abs=0)
    assert display.target.loc["RBF"].to_numpy() == pytest.approx([97.7, 50.7], abs=0.05)
    assert sorted(text.get_text() for text in display.texts_) == [
        "Bagging",
        "CS-MCQP",
        "RBF",
        "RUS+SVM",
    ]


def test_an_iso_cost_line_touches_the_classifier_of_its_cost_range():
    front = db.frontier(ESTABLISHED, outputs=["TPR", "TNR"])
    ranges = front.cost_ranges(prevalence=0.2)
    for label, (low, high) in zip(ranges.index, ranges.to_numpy(), strict=True):
        ratio = {"RUS+SVM": high / 2, "Bagging": low * 2}.get(label, (low * high) ** 0.5)
        display = plot.FrontierDisplay.from_result(front, cost_ratio=ratio, prevalence=0.2).plot()
        assert display.lines_[0].get_xy1() == tuple(front.points.loc[label])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"cost_ratio": -1},
            "the cost ratio is -1; give a number above 0, false negative over false positive",
        ),
        (
            {"cost_ratio": 2, "prevalence": 1},
            "the prevalence is 1; give a share between 0 and 1, both excluded",
        ),
    ],
)
def test_an_impossible_cost_is_refused(options, message):
    with pytest.raises(DataError) as e:
        plot.FrontierDisplay.from_result(
            db.frontier(ESTABLISHED, outputs=["TPR", "TNR"]), **options
        )
    assert str(e.value) == message


def test_a_frontier_of_three_metrics_has_no_plane_picture():
    with pytest.raises(DataError) as e:
        plot.FrontierDisplay.from_result(db.frontier(cloud(9)))
    assert (
        str(e.value)
        == "the picture of a frontier needs two metrics and there are 3; name two in outputs"
    )
    with pytest.raises(DataError) as e:
        plot.FrontierDisplay.from_table(cloud(9), "TPR", "AUC", cost_ratio=2)
    assert (
        str(e.value)
        == "an iso-cost line needs the metrics TPR and TNR; this frontier is in TPR, AUC"
    )


def test_the_ranking_shows_intervals_and_peers():
    ranking = db.rank(WINE, outputs=["TPR", "TNR"])
    bounds = pd.DataFrame({"lower": [0.5], "upper": [0.9]}, index=["RBF"])
    display = plot.RankingDisplay.from_result(ranking, bounds).plot()
    assert len(display.intervals_.get_segments()) == 1
    assert display.frame.loc["RBF", ["lower", "upper"]].tolist() == [0.5, 0.9]
    assert display.frame.loc["MLP", "peers"] == "MLP 1.00"
    assert display.ax_.get_xlim()[0] < 0.5


def test_weights_are_shares_of_the_score():
    ranking = db.rank(cloud(30))
    display = plot.WeightsDisplay.from_result(ranking).plot()
    assert display.shares.sum(axis=1).to_numpy() == pytest.approx(1, abs=1e-9)
    widths = np.array([[bar.get_width() for bar in bars] for bars in display.bars_]).T
    assert widths == pytest.approx(display.shares.to_numpy(), abs=1e-12)


def test_the_network_has_the_lambdas_of_the_ranking():
    ranking = db.rank(cloud(30))
    graph = plot.PeerNetworkDisplay.from_result(ranking).graph
    peers = ranking.peers
    for name, peer, weight in graph.edges(data="weight"):
        assert weight == peers.loc[name, peer]
    inefficient = ranking.efficient.index[~ranking.efficient]
    for name in inefficient:
        assert sum(weight for *_, weight in graph.out_edges(name, data="weight")) == pytest.approx(
            1, abs=1e-5
        )
    outside = db.rank(cloud(30, seed=4) * 0.7, reference=cloud(30))
    names = set(plot.PeerNetworkDisplay.from_result(outside).graph)
    assert any(str(name).endswith(" (reference)") for name in names)  # one label, two DMUs


def test_dumb_bells_and_parallel_lines_hold_the_gaps():
    targets = targeted(norm="linf")
    display = plot.TargetsDisplay.from_result(targets).plot()
    for k, metric in enumerate(targets.targets):
        ends = np.array([line[:, 0] for line in display.lines_[k].get_segments()])
        assert ends[:, 1] - ends[:, 0] == pytest.approx(targets.gaps[metric].to_numpy(), abs=1e-12)
    parallel = plot.ParallelDisplay.from_result(targets).plot()
    low, high = parallel.worst, parallel.best
    for line, (_, row) in zip(parallel.targets_, targets.targets.iterrows(), strict=True):
        assert low + line.get_ydata() * (high - low) == pytest.approx(row.to_numpy(), abs=1e-12)


def test_cost_ranges_cover_every_ratio_once():
    front = db.frontier(ESTABLISHED, outputs=["TPR", "TNR"])
    display = plot.CostRangeDisplay.from_result(front, prevalence=0.3).plot()
    ranges = display.ranges.to_numpy()
    assert ranges[0, 0] == 0
    assert np.isinf(ranges[-1, 1])
    assert ranges[1:, 0].tolist() == ranges[:-1, 1].tolist()
    assert display.texts_[0].get_text() == f"below {ranges[0, 1]:.3g}"
    separate = plot.CostRangeDisplay.from_result(
        db.frontier(WINE.loc[["MLP"]], outputs=["TPR", "TNR"])
    ).plot()
    assert separate.texts_[0].get_text() == "every ratio"


def test_groups_are_ordered_by_the_mean_and_an_unknown_grouping_is_refused():
    display = plot.GroupsDisplay.from_efficiency(
        grouped(), grouping="type", max_classifiers=2
    ).plot()
    assert list(display.table.columns) == ["B", "A"]
    assert list(display.table.index) == ["noisy", "disjunct"]
    assert display.ax_.get_title(loc="left") == "efficiency by group of data sets; the best 2 of 3"
    with pytest.raises(DataError) as e:
        plot.GroupsDisplay.from_efficiency(grouped(), grouping="imbalance ratio")
    assert str(e.value) == "the study has no grouping 'imbalance ratio'; there are 'type'"


def test_names_from_data_are_text_in_pictures(tmp_path):
    """A name between dollars would be mathematics, one with < markup in an SVG."""
    table = ESTABLISHED.set_axis(["<script>alert(1)</script>", "_hidden", "$\\frac{1}{0}$"])
    display = plot.FrontierDisplay.from_table(table, "TPR", "TNR").plot()
    assert sorted(text.get_text() for text in display.texts_) == [
        " _hidden",
        "<script>alert(1)</script>",
        r"\$\frac{1}{0}\$",
    ]
    plot.save_figure(display.figure_, tmp_path / "f.svg")
    assert "<script" not in (tmp_path / "f.svg").read_text(encoding="utf-8")


HOSTILE = ["nul\0x", "esc\x1b[31m", "none\ufffe", "turned\u202eround", "b<i>&"]


@pytest.mark.parametrize("kind", ["frontier", "ranking", "peers"])
def test_signs_that_are_no_text_break_no_picture_and_turn_nothing(kind, tmp_path):
    """A control character is no XML, and one that turns the direction makes another name of what
    follows.
    """
    from xml.dom.minidom import parse

    table = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.5, 0.7, 0.6], "TNR": [0.4, 0.5, 0.9, 0.8, 0.7]}, index=HOSTILE
    )
    if kind != "frontier":  # half a sign, which pandas' own text columns do not hold
        table.index = pd.Index([*HOSTILE[:4], "half\ud800"], dtype=object)
    display = {
        "frontier": lambda: plot.FrontierDisplay.from_table(table, "TPR", "TNR"),
        "ranking": lambda: plot.RankingDisplay.from_result(db.rank(table)),
        "peers": lambda: plot.PeerNetworkDisplay.from_result(db.rank(table)),
    }[kind]().plot()
    plot.save_figure(display.figure_, tmp_path / "f.svg")
    parse(str(tmp_path / "f.svg"))
    assert not set("\0\x1b\ufffe\u202e\ud800") & set(
        (tmp_path / "f.svg").read_text(encoding="utf-8")
    )


BOARD = pd.DataFrame(
    {
        "accuracy": [0.9, 0.85, 0.8, 0.7, 0.6, 0.65],
        "err": [0.1, 0.05, 0.2, 0.02, 0.3, 0.25],
        "latency_ms": [500.0, 120, 60, 20, 30, 100],
    },
    index=list("abcdef"),
)


def test_a_metric_that_is_better_low_is_drawn_as_the_user_has_it():
    front = db.frontier(BOARD, outputs=["accuracy"], inputs=["latency_ms"])
    frontier_display = front.plot()
    pd.testing.assert_frame_equal(frontier_display.points, BOARD[["accuracy", "latency_ms"]])
    assert frontier_display.ax_.get_xlabel() == "accuracy (higher is better)"
    assert frontier_display.ax_.get_ylabel() == "latency_ms (lower is better)"
    corner = (
        frontier_display.area_.get_xy()
    )  # the worst corner of the picture belongs to the attainable area: slow and poor
    np.testing.assert_allclose(
        corner[0], [frontier_display.ax_.get_xlim()[0], frontier_display.ax_.get_ylim()[1]]
    )
    both_low = db.frontier(
        db.read(BOARD, lower_is_better={"err": 1.0}), outputs=["err"], inputs=["latency_ms"]
    ).plot()
    assert both_low.ax_.get_xlabel() == "err (lower is better)"
    np.testing.assert_allclose(
        both_low.area_.get_xy()[0], [both_low.ax_.get_xlim()[1], both_low.ax_.get_ylim()[1]]
    )
    targets = db.targets(BOARD.loc[["e", "f"]], BOARD, outputs=["accuracy"], inputs=["latency_ms"])
    for display in (plot.FrontierDisplay, plot.TargetsDisplay, plot.ParallelDisplay):
        pictured = display.from_result(targets).plot()
        np.testing.assert_allclose(
            pictured.actual, BOARD.loc[["e", "f"], ["accuracy", "latency_ms"]]
        )
        np.testing.assert_allclose(pictured.target, targets.targets)
    assert [
        panel.get_xlabel() for panel in plot.TargetsDisplay.from_result(targets).plot().axes_
    ] == ["accuracy (higher is better)\n(gap beside)", "latency_ms (lower is better)\n(gap beside)"]
    ticks = [label.get_text() for label in pictured.ax_.get_xticklabels()]
    assert ticks == ["accuracy\n(higher is better)", "latency_ms\n(lower is better)"]
    np.testing.assert_allclose(pictured.worst, [0.6, 500.0])  # the worst is below
    np.testing.assert_allclose(pictured.best, [0.9, 20.0])


def test_the_frontier_without_mixtures_is_a_staircase_below_which_nothing_is_better():
    front = db.frontier(BOARD, outputs=["accuracy"], inputs=["latency_ms"], technology="fdh")
    display = front.plot()
    assert display.extensions_ == []
    assert display.facets_.get_label() == "frontier (no mixtures)"
    path = np.column_stack(display.facets_.get_data())
    assert ((np.diff(path, axis=0) == 0).sum(axis=1) == 1).all()
    located = front.locate(pd.DataFrame(path, columns=["accuracy", "latency_ms"]))
    assert (located["position"] == "on").all()


def test_weights_are_named_by_the_users_metrics_and_directions():
    display = plot.WeightsDisplay.from_result(
        db.rank(db.read(BOARD, lower_is_better={"err": 1.0}), outputs=["accuracy", "err"])
    ).plot()
    assert list(display.shares) == ["accuracy", "err (lower is better)"]
    assert [text.get_text() for text in display.legend_.get_texts()] == [
        "accuracy",
        "err (lower is better)",
    ]


@pytest.mark.parametrize("max_nodes", [2, 3])
def test_a_network_says_how_many_systems_it_leaves_out(max_nodes):
    table = pd.DataFrame({"a": [0.9, 0.5, 0.4], "b": [0.5, 0.9, 0.4]}, index=list("xyz"))
    display = plot.PeerNetworkDisplay.from_result(db.rank(table), max_nodes=max_nodes).plot()
    title = display.ax_.get_title(loc="left")
    assert ("1 systems with lower scores are not drawn" in title) == (max_nodes == 2)
