"""A display is a picture in a notebook and one line at a prompt."""

from __future__ import annotations

import pytest

import deabench as db
from deabench import plot
from deabench.plot.display import Display


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_notebook_shows_the_picture_once():
    ranking = db.rank(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    display = plot.RankingDisplay.from_result(ranking)
    assert display._repr_png_() is None
    assert repr(display) == "RankingDisplay: not drawn yet; plot() draws it"
    shown = ranking.plot()
    assert shown._repr_png_().startswith(b"\x89PNG")
    assert (
        repr(shown)
        == "RankingDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it"
    )
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    assert ranking.plot(ax)._repr_png_() is None  # pyplot shows it
    plt.close(figure)


def test_every_display_is_one():
    names = [name for name in plot.__all__ if name.endswith("Display")]
    assert all(
        issubclass(getattr(plot, name), Display) and "__repr__" not in vars(getattr(plot, name))
        for name in names
    )
