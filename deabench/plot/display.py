"""Base class of all displays: a notebook shows the picture, a prompt one line.

Letters that matplotlib's font lacks come from other installed fonts; where none has them there is
one warning.
"""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.font_manager import FontProperties, fontManager, get_font

from deabench.errors import warn_data

FALLBACK_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Zen Hei"),
    *("Microsoft YaHei", "PingFang SC", "Hiragino Sans", "Malgun Gothic", "Arial Unicode MS"),
    *("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai"),
    *("Noto Emoji", "Symbola"),
)
"""Fonts of other scripts, as systems have them."""


@functools.cache
def find_fallback_fonts() -> list[str]:
    """Return those of `FALLBACK_FONTS` that are installed."""
    installed = {font.name for font in fontManager.ttflist}
    return [name for name in FALLBACK_FONTS if name in installed]


@contextmanager
def use_fallback_fonts() -> Iterator[None]:
    """Take letters that the font lacks from others, and leave out matplotlib's warnings on each."""
    family = [*matplotlib.rcParams["font.family"], *find_fallback_fonts()]
    with warnings.catch_warnings(), matplotlib.rc_context({"font.family": family}):
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from")
        yield


def check_letters(text: str) -> None:
    """Warn, once in a process, if no font here has a letter of a text."""
    if text.isascii():
        return
    family = (*matplotlib.rcParams["font.family"], *find_fallback_fonts())
    if not set(map(ord, text)) <= _covered_letters(family):
        _warn_of_missing_letters()


@functools.cache
def _covered_letters(family: tuple[str, ...]) -> frozenset[int]:
    """Return the code points of the letters that fonts have."""
    paths = [fontManager.findfont(FontProperties(family=[name])) for name in family]
    return frozenset(code for path in paths for code in get_font(path).get_charmap())


@functools.cache
def _warn_of_missing_letters() -> None:
    warn_data(
        "no font here has all letters of the names: pictures show boxes for some. Install a font "
        "of their script, such as Noto Sans CJK, or set matplotlib's font.family"
    )


class Display:
    """A picture whose numbers are computed first and drawn by `plot`.

    `from_result` makes a display of a result of deabench. `plot(ax=None, **style)` draws it on
    `ax`, or on a new figure, with matplotlib's keywords for the marks. Then `figure_` is its
    matplotlib figure and `ax_` its axes.
    """

    ax_: Any

    @property
    def figure_(self) -> Any:
        """The figure of the axes, once drawn."""
        return self.ax_.figure

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        plot = cls.__dict__["plot"]

        @functools.wraps(plot)
        def plot_with_fallback_fonts(self: Any, *args: Any, **style: Any) -> Any:
            with use_fallback_fonts():
                return plot(self, *args, **style)

        cls.plot = plot_with_fallback_fonts  # type: ignore[attr-defined]  # each display has one

    @classmethod
    def from_result(cls, result: Any) -> Display:
        """Return the display of a result."""
        raise TypeError(f"{cls.__name__} does not draw a {type(result).__name__}")

    def __repr__(self) -> str:
        if getattr(self, "figure_", None) is None:
            return f"{type(self).__name__}: not drawn yet; plot() draws it"
        state = "drawn; figure_ is its figure, deabench.plot.save_figure writes it"
        return f"{type(self).__name__}: {state}"

    def _repr_png_(self) -> bytes | None:
        """Return the picture for a notebook, None if pyplot shows it anyway or it is not drawn."""
        figure = getattr(self, "figure_", None)
        if figure is None or figure.canvas.manager is not None:
            return None
        stream = io.BytesIO()
        with use_fallback_fonts():
            figure.savefig(stream, format="png", dpi=100)
        return stream.getvalue()
