"""Base class of all displays: a notebook shows the picture, a prompt one line."""

from __future__ import annotations

import io
from typing import Any


class Display:
    """A picture whose numbers are computed first and drawn by `plot`.

    `from_result` makes a display of a result of deabench. `plot(ax=None, **style)` draws it on
    `ax`, or on a new figure, with matplotlib's keywords for the marks. Then `figure_` is its
    matplotlib figure and `ax_` its axes.
    """

    figure_: Any

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
        figure.savefig(stream, format="png", dpi=100)
        return stream.getvalue()
