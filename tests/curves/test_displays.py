"""The displays: one contract for all, numbers equal to the results', names that do not collide,
files written whole.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from pictures import check_display_contract
from quick_cases import mark_most_slow
from sklearn.tree import DecisionTreeClassifier

from deabench import curves
from deabench.curves.segment import CAUTION
from deabench.errors import DataError
from deabench.plot import canvas, roc
from deabench.plot import curves as plot_curves
from deabench.plot import roc as curves_roc
from deabench.plot import segment as curves_segment


def many_classifiers(k, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [40, 160])
    return y, {f"classifier {i}": rng.normal(size=200) + rng.uniform(0, 3) * y for i in range(k)}


def learning(six):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    return curves.learning_curve(
        DecisionTreeClassifier(random_state=0),
        rng.normal(size=(80, 2)) + y[:, None],
        y,
        schedule=curves.geometric(10, 1.5, tolerance=None),
        cv=2,
    )


DISPLAYS = {
    "roc": lambda six: curves_roc.RocDisplay.from_predictions(
        six[0], {"net": six[1], "worse": six[1] ** 2 % 0.3}
    ),
    "roc with a band": lambda six: curves_roc.RocDisplay.from_predictions(
        six[0], {"net": six[1]}, band="simultaneous"
    ),
    "vertical mean": lambda six: curves_roc.MeanRocDisplay(
        curves.average_vertical([curves.roc(*six)] * 2)
    ),
    "threshold mean": lambda six: curves_roc.MeanRocDisplay(
        curves.average_threshold([curves.roc(*six)] * 2)
    ),
    "tango": lambda six: curves_segment.TangoDisplay.from_predictions(*six, name="net"),
    "segments": lambda six: curves_segment.SegmentsDisplay.from_predictions(
        six[0], {"net": six[1], "anti": -six[1]}
    ),
    "gain": lambda six: plot_curves.GainDisplay(curves.gain(*six), "net"),
    "lift": lambda six: plot_curves.LiftDisplay({"net": curves.lift(*six)}),
    "conversion": lambda six: plot_curves.ConversionDisplay(curves.conversion_rates(*six)),
    "precision-recall": lambda six: plot_curves.PrecisionRecallDisplay(
        {"net": curves.precision_recall(*six)}
    ),
    "cost": lambda six: plot_curves.CostCurveDisplay({"net": curves.cost_curve(*six)}),
    "learning": lambda six: plot_curves.LearningCurveDisplay(learning(six), "balanced accuracy"),
}


@pytest.mark.parametrize("make", DISPLAYS.values(), ids=DISPLAYS)
def test_every_display_keeps_the_contract_and_cuts_nothing_off(six, make):
    display = make(six)
    figure = check_display_contract(display, Figure())
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []
    (ax,) = figure.axes
    figure.canvas.draw()
    renderer, inside = figure.canvas.get_renderer(), figure.get_window_extent().padded(1)
    ticks = [
        [
            tick.label1
            for tick in axis.get_major_ticks()
            if axis.get_view_interval()[0] <= tick.get_loc() <= axis.get_view_interval()[1]
        ]
        for axis in (ax.xaxis, ax.yaxis)
    ]
    legend = [] if ax.get_legend() is None else ax.get_legend().get_texts()
    titles = [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label]
    for text in filter(Text.get_text, [*ticks[0], *ticks[1], *legend, *titles, *ax.texts]):
        box = Text.get_window_extent(text, renderer)
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1, text.get_text()
        assert inside.y0 <= box.y0 <= box.y1 <= inside.y1, text.get_text()
    for labels in ticks:
        shown = [Text.get_window_extent(label, renderer) for label in labels]
        assert not any(a.overlaps(b) for k, a in enumerate(shown) for b in shown[k + 1 :])


def test_bars_are_as_high_as_the_conversion_rates(six):
    conversion = curves.conversion_rates(*six)
    display = plot_curves.ConversionDisplay(conversion).plot()
    heights = np.array([[bar.get_height() for bar in bars] for bars in display.bars_])
    expected = conversion.rates[["positive", "negative"]].to_numpy()
    np.testing.assert_array_equal(heights, expected.T)


def test_the_dark_segment_is_the_confident_points(six):
    display = curves_roc.RocDisplay.from_predictions(
        six[0], {"net": six[1]}, band="fixed-width"
    ).plot()
    run = curves.balanced_segment(*six).confident
    np.testing.assert_array_equal(display.dark_[0].get_xydata(), run[["FPR", "TPR"]])
    assert display.dark_[0].get_linewidth() > 3 * display.lines_[0].get_linewidth()
    assert display.lines_[0].get_label() == "net (AUC 0.906)"
    shade = display.areas_[0].get_paths()[0].vertices
    assert shade[:, 1].max() == display.bands["net"].points["upper"].max()


def test_the_tango_display_draws_every_interval_at_its_threshold(six):
    display = curves_segment.TangoDisplay.from_predictions(*six, name="net").plot()
    points = display.segment.points
    for bars, dots, confident in zip(display.bars_, display.dots_, (False, True), strict=True):
        selected = points[points["confident"] == confident]
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        np.testing.assert_allclose(ends, selected[["lower", "upper"]], atol=1e-15)
        np.testing.assert_allclose(dots.get_ydata(), selected["difference"], atol=1e-15)
        finite = np.isfinite(selected["at_least"])
        assert (dots.get_xdata()[finite] == selected["at_least"][finite]).all()
    confident_display = curves_segment.TangoDisplay(display.segment).plot(only_confident=True)
    assert [len(bars.get_segments()) for bars in confident_display.bars_] == [0, 7]


@pytest.mark.parametrize("k", [3, 30, pytest.param(300, marks=pytest.mark.slow)])
def test_names_do_not_collide_and_the_missing_are_counted(k):
    display = curves_segment.SegmentsDisplay.from_predictions(*many_classifiers(k)).plot()
    figure = display.figure_
    figure.canvas.draw()
    boxes = [Text.get_window_extent(text, figure.canvas.get_renderer()) for text in display.texts_]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    frame = display.ax_.get_window_extent().padded(1)
    assert all(
        frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
        for box in boxes
    )
    assert len(display.points_) == k
    assert len(display.texts_) + display.unnamed_ == k
    caption = display.caption_.get_text().replace("\n", " ")
    assert CAUTION in caption  # what SAUC does not say stands beside it
    notes = [text.get_text() for text in display.ax_.texts if "left out" in text.get_text()]
    note = f"{display.unnamed_} of {k} names left out for want of room"
    assert notes == ([note] if display.unnamed_ else [])
    assert display.unnamed_ <= {3: 0, 30: 6, 300: 285}[k]


def test_the_excluded_are_named_beside_the_plot(normal):
    y, s = normal
    display = curves_segment.SegmentsDisplay.from_predictions(y, {"stump": s > 3, "net": s}).plot()
    assert "No confident point: stump." in display.caption_.get_text().replace("\n", " ")
    assert len(display.points_) == 1
    empty_display = curves_segment.SegmentsDisplay.from_predictions(y, {"stump": s > 3}).plot()
    assert (empty_display.points_, empty_display.texts_) == ([], [])


def test_curves_are_told_apart_without_colour():
    def grey(k):
        return float(np.dot(to_rgb(canvas.line_style(k)["color"]), (0.299, 0.587, 0.114)))

    looks = [canvas.line_style(k) for k in range(28)]
    assert len({(look["color"], str(look["linestyle"])) for look in looks}) == 28
    for k in range(27):
        assert (
            looks[k]["linestyle"] != looks[k + 1]["linestyle"] or abs(grey(k) - grey(k + 1)) > 0.2
        )


def test_a_long_legend_counts_the_rest():
    display = curves_roc.RocDisplay.from_predictions(*many_classifiers(30)).plot()
    lines = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert len(lines) == 11
    assert lines[-1] == "and 20 more"


@pytest.mark.parametrize(
    "kind",
    mark_most_slow(
        ["roc", "lift", "pr", "cost", "summary", "tango", "bands", "gain", "conversion"], 3
    ),
)
def test_names_from_data_are_text_and_never_mathematics(six, kind):
    names = {
        r"$\nosuch{$": r"$\nosuch{$",
        "_hidden": "_hidden",
        "long " * 20: ("long " * 4) + "…" + ("long " * 20).strip()[-19:],
    }
    segments = curves.compare_segments(six[0], dict.fromkeys(names, six[1])).segments
    make = {
        "lift": curves.lift,
        "pr": curves.precision_recall,
        "cost": curves.cost_curve,
        "gain": curves.gain,
        "conversion": curves.conversion_rates,
        "bands": lambda y, s: curves.bands(curves.roc(y, s), resamples=50),
    }.get(kind)
    figure = roc.draw_curves(
        kind, {name: make(*six) for name in names} if make else segments, segments
    )
    figure.canvas.draw()
    texts = " ".join(text.get_text().replace("\\$", "$") for text in figure.findobj(Text))
    is_shown = [shown in texts for shown in names.values()]
    assert (
        any(is_shown) if kind == "summary" else all(is_shown)
    )  # its three points are one spot, without room for three


def test_panels_count_what_they_leave_out():
    y, scores = many_classifiers(14)
    segments = curves.compare_segments(y, scores).segments
    figure = roc.draw_curves("tango", segments, segments)
    assert len(figure.axes) == 12
    assert figure.get_suptitle() == "the first 12 of 14 classifiers"


@pytest.mark.parametrize(
    ("end", "start"),
    [
        pytest.param("png", b"\x89PNG", marks=pytest.mark.slow),
        ("svg", b"<?xml"),
        ("pdf", b"%PDF"),
        ("PNG", b"\x89PNG"),
    ],
)
def test_pictures_are_written_whole_and_the_same_each_time(six, tmp_path, end, start):
    path, repeated = tmp_path / f"gain.{end}", tmp_path / f"again.{end}"
    for file in (path, repeated):
        canvas.save_figure(plot_curves.GainDisplay(curves.gain(*six)).plot().figure_, file)
    assert path.read_bytes().startswith(start)
    assert path.read_bytes() == repeated.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([path, repeated])


def test_another_picture_format_is_refused(six, tmp_path):
    with pytest.raises(DataError) as error:
        canvas.save_figure(
            plot_curves.GainDisplay(curves.gain(*six)).plot().figure_, tmp_path / "gain.gif"
        )
    assert (
        str(error.value)
        == f"cannot draw '{tmp_path / 'gain.gif'}'; a picture's name ends in .png, .svg or .pdf"
    )
    assert list(tmp_path.iterdir()) == []
