"""A display is a picture in a notebook and one line at a prompt."""

from __future__ import annotations

import warnings

import matplotlib
import pandas as pd
import pytest

import deabench as db
from deabench import plot
from deabench.plot import display as display_module
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


NO_FONT = (
    "no font here has all letters of the names: pictures show boxes for some. Install a font of "
    "their script, such as Noto Sans CJK, or set matplotlib's font.family"
)


def record_warnings_of_drawing(names, path):
    """Draw and save a picture twice; return the warnings on letters, and the fonts of a name."""
    display_module._warn_of_missing_letters.cache_clear()
    table = pd.DataFrame({"TPR": [0.9, 0.5], "TNR": [0.5, 0.9]}, index=names)
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        for _ in range(2):
            display = db.frontier(table).plot()
            plot.save_figure(display.figure_, path)
    messages = [str(one.message) for one in recorded if "rows for" not in str(one.message)]
    return messages, display.texts_[0].get_fontfamily()


def test_letters_that_no_font_has_are_warned_of_once(monkeypatch, tmp_path):
    """matplotlib warned of each letter each time a picture was measured or drawn."""
    monkeypatch.setattr(display_module, "find_fallback_fonts", list)
    messages, _ = record_warnings_of_drawing(["随机森林", "支持向量机"], tmp_path / "f.png")
    assert messages == [NO_FONT]


def test_letters_that_the_font_lacks_come_from_another(monkeypatch, tmp_path):
    monkeypatch.setattr(display_module, "find_fallback_fonts", lambda: ["DejaVu Sans"])
    with matplotlib.rc_context({"font.family": "STIXSizeOneSym"}):  # it has hardly any letters
        messages, family = record_warnings_of_drawing(["αβγ", "b"], tmp_path / "f.png")
    assert NO_FONT not in messages
    assert family == ["STIXSizeOneSym", "DejaVu Sans"]


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_model_without_weights_has_no_picture_of_them(refused) -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.8], "seconds": [1.0, 2.0]}, list("ab"))
    ranking = db.rank(table, outputs=["TPR"], inputs=["seconds"], model="fdh")
    with refused("model 'fdh' has no weights to draw; use 'wei', 'ccr' or 'sbm'"):
        plot.WeightsDisplay.from_result(ranking)


def test_a_display_draws_results_alone() -> None:
    with pytest.raises(TypeError, match="Display does not draw a int"):
        Display.from_result(3)
    with pytest.raises(AttributeError, match=r"module 'deabench\.plot' has no attribute 'pie'"):
        _ = plot.pie
