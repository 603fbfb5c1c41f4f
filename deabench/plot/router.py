"""Draw quality against cost: single models, their hull, and a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from deabench.integrations.router import Router
from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    draw_grid,
    make_axes,
    set_title,
)
from deabench.plot.display import Display
from deabench.plot.placement import name_points


@dataclass(repr=False)
class RouterDisplay(Display):
    """Quality against cost: models as points, what mixtures reach as a line with its band.

    Attributes
    ----------
    points : DataFrame
        Models x (quality, cost, on_hull).
    curve : DataFrame
        Index cost; quality, lower and upper.
    title : str
    line_, band_, points_, figure_, ax_ : artists, once drawn

    Examples
    --------
    >>> import pandas as pd
    >>> import deabench as db
    >>> right = pd.DataFrame({"small": [1, 0, 1, 0, 1], "large": [1, 1, 1, 0, 1]})
    >>> db.Router(right, {"small": 1, "large": 5}).plot()
    RouterDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    points: pd.DataFrame
    curve: pd.DataFrame
    title: str

    @classmethod
    def from_result(cls, result: Router) -> RouterDisplay:
        """Show a router's models and curve."""
        area = result.aiq()["aiq"]
        return cls(result.points, result.curve(), f"AIQ {area:.4g}")

    def plot(self, ax: Any = None, **style: Any) -> RouterDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the line."""
        self.ax_ = ax = make_axes(ax)
        self.figure_ = ax.figure
        curve, points = self.curve, self.points
        self.band_ = ax.fill_between(
            curve.index, curve["lower"], curve["upper"], color=COLOURS[0], alpha=0.2, linewidth=0
        )
        (self.line_,) = ax.plot(curve.index, curve["quality"], color=COLOURS[0])
        colours = points["on_hull"].map({True: COLOURS[0], False: GREY})
        self.points_ = ax.scatter(points["cost"], points["quality"], c=colours, zorder=3)
        ax.set_xlabel("cost per instance")
        ax.set_ylabel("quality")
        set_title(ax, self.title)
        draw_grid(ax)
        name_points(ax, points[["cost", "quality"]].to_numpy(), list(points.index))
        apply_style(ax, [self.line_], style)
        return self
