"""What every display shares: a notebook shows its picture, a prompt one line."""

from __future__ import annotations

import io
from typing import Any


class Drawn:
    """A display, drawn once `plot` was called; then `figure_` is its figure and `ax_` its axes."""

    figure_: Any

    def __repr__(self) -> str:
        drawn = getattr(self, "figure_", None) is not None
        said = (
            "drawn; figure_ is its figure, deabench.plot.save_figure writes it"
            if drawn
            else "not drawn yet; plot() draws it"
        )
        return f"{type(self).__name__}: {said}"

    def _repr_png_(self) -> bytes | None:
        """The picture for a notebook; None where there is none yet, or where pyplot shows it
        anyway.
        """
        figure = getattr(self, "figure_", None)
        if figure is None or figure.canvas.manager is not None:
            return None
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=100)
        return stream.getvalue()
