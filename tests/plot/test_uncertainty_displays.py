"""The pictures of an uncertainty: what is drawn is what was computed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.geometry.technology import attainable_outline
from deabench.plot import FrontierBandDisplay, RankingDisplay
from deabench.plot.canvas import escape_label

COUNTS = pd.DataFrame(
    {
        "tp": [95, 88, 60, 94],
        "fn": [5, 12, 40, 6],
        "fp": [10, 12, 45, 11],
        "tn": [190, 188, 155, 189],
    },
    index=["good", "fair", "$poor_", "_fine"],
)


@pytest.fixture
def uncertainty():
    return db.uncertainty(db.Samples.from_counts(COUNTS))


def test_intervals_verdicts_and_tiers(uncertainty):
    display = uncertainty.plot()
    segments = np.array([segment[:, 0] for segment in display.intervals_.get_segments()])
    np.testing.assert_allclose(segments, uncertainty.to_frame()[["lower", "upper"]])
    assert {
        name: len(dots.get_offsets()) for name, dots in display.dots_.items()
    } == uncertainty.verdicts.value_counts().to_dict()
    assert len(display.tiers_) == uncertainty.tiers.max() - 1
    best, worst = uncertainty.ranks.loc["$poor_"]
    assert display.ranks_[-2].get_text() == f"{best} to {worst}"


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")  # four classifiers, two metrics
def test_a_ranking_with_samples_is_drawn_with_its_intervals():
    table = db.metrics.from_counts(COUNTS, metrics=["TPR", "TNR"])
    ranking = db.rank(table, uncertainty=db.Samples.from_counts(COUNTS))
    display = RankingDisplay.from_result(ranking).plot()
    segments = display.intervals_.get_segments()
    drawn_limits = {
        name: segment[:, 0].tolist()
        for name, segment in zip(display.frame.index, segments, strict=True)
    }
    assert drawn_limits == {
        name: [ranking.uncertainty.lower[name], ranking.uncertainty.upper[name]]
        for name in table.index
    }
    assert (
        RankingDisplay.from_result(replace(ranking, uncertainty=None)).frame["lower"].isna().all()
    )


def test_the_band_holds_the_frontier(uncertainty):
    display = FrontierBandDisplay.from_result(uncertainty).plot()
    lower, value, upper = (
        attainable_outline(uncertainty.band[[("TPR", end), ("TNR", end)]].to_numpy())
        for end in ("lower", "value", "upper")
    )
    np.testing.assert_allclose(display.line_.get_xydata(), value)
    # TPR is across, as in the table; every classifier is named, and the axes end beside the band.
    assert display.ax_.get_xlabel().startswith("TPR")
    named = {text.get_text() for text in display.texts_}
    assert named == {escape_label(name) for name in uncertainty.band.index}
    assert display.unnamed_ == 0
    lowest = uncertainty.band.xs("lower", axis=1, level=1).min()
    for (low, high), metric in (
        (display.ax_.get_xlim(), "TPR"),
        (display.ax_.get_ylim(), "TNR"),
    ):
        assert lowest[metric] - 0.1 * (high - low) < low < lowest[metric]
    for angle in np.linspace(0.05, 1.5, 20):
        direction = np.array([np.cos(angle), np.sin(angle)])
        reach = [np.max(chain @ direction) for chain in (lower, value, upper)]
        assert reach[0] < reach[1] < reach[2]


def test_the_outline_is_the_hull_of_what_is_attained():
    points = np.array([[0.2, 0.9], [0.5, 0.8], [0.6, 0.5], [0.9, 0.3], [0.9, 0.2], [0.1, 0.9]])
    assert attainable_outline(points).tolist() == [
        [0, 0.9],
        [0.2, 0.9],
        [0.5, 0.8],
        [0.9, 0.3],
        [0.9, 0],
    ]


def test_a_band_needs_two_metrics(refused):
    uncertainty = db.uncertainty(db.Samples.from_counts(COUNTS, metrics=["TPR"]))
    with refused(
        "the band of a frontier is drawn for two metrics to be high and there are 1 columns; "
        "name two in outputs"
    ):
        FrontierBandDisplay.from_result(uncertainty)


def test_a_picture_of_few_systems_is_low(uncertainty):
    """An inch for the axis and its name, a quarter for each row."""
    height = uncertainty.plot().ax_.figure.get_size_inches()[1]
    assert 1.5 < height < 3
