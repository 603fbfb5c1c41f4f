"""Names beside points: each where it covers no other name, no point, no line and no edge, or
counted as left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deabench.plot.canvas import GREY, background_colour, escape_label

MOST = 40
"""More names than these are not tried: a picture with more is not read by its names."""
DISTANCES = (6.0, 14.0, 26.0, 42.0)
"""How far a name may stand from its point, in printer's points; from the second on a line leads to
it.
"""
DIRECTIONS = tuple(
    (np.cos(a), np.sin(a))
    for a in np.deg2rad([45, -45, 135, -135, 0, 180, 90, -90, 20, -20, 70, 110])
)


class _Page:
    """What is taken already, in pixels: boxes of names, and dots (points, and lines as dots along
    them).
    """

    def __init__(self, ax: Any, dots: np.ndarray) -> None:
        frame = ax.get_window_extent()
        self.frame = np.array([frame.x0, frame.y0, frame.x1, frame.y1])
        self.boxes = np.empty((0, 4))
        self.dots = dots

    def free(self, box: np.ndarray, lead: np.ndarray) -> bool:
        if (box[:2] < self.frame[:2]).any() or (box[2:] > self.frame[2:]).any():
            return False
        others = self.boxes
        if (
            len(others)
            and ((box[:2] < others[:, 2:]) & (box[2:] > others[:, :2])).all(axis=1).any()
        ):
            return False
        if ((self.dots > box[:2] - 1) & (self.dots < box[2:] + 1)).all(axis=1).any():
            return False
        crossed = (lead[:, None] > others[None, :, :2]) & (lead[:, None] < others[None, :, 2:])
        return not crossed.all(axis=2).any()

    def take(self, box: np.ndarray, lead: np.ndarray) -> None:
        self.boxes = np.vstack([self.boxes, box])
        self.dots = np.vstack([self.dots, lead])


def place_names(
    ax: Any,
    points: Sequence[tuple[float, float]] | np.ndarray,
    names: Sequence[object],
    *,
    avoid: np.ndarray | None = None,
    radii: np.ndarray | None = None,
    most: int = MOST,
) -> tuple[list[Any], int]:
    """Write each name beside its point, the first ones first.

    Parameters
    ----------
    points : array (n, 2)
        In the axes' data units, the limits of which must be final.
    names : n labels; `plain` makes text of them.
    avoid : array (m, 2), optional
        Further places, in data units, that no name may cover; see `along` for lines.
    radii : array (n,), optional
        Of the markers, in printer's points, where they are larger than a name can keep clear of by
        itself.
    most : int
        Names after these are left out at once.

    Returns
    -------
    texts : list of Annotation
    left_out : int
        How many names found no room; where any, a note in the picture says so.
    """
    texts: list[Any] = []
    if not len(names):
        return texts, 0
    ax.figure.draw_without_rendering()  # a constrained layout moves the axes only now
    spots = ax.transData.transform(np.asarray(points, dtype=float))
    others = ax.transData.transform(avoid) if avoid is not None and len(avoid) else np.empty((0, 2))
    unit = ax.figure.dpi / 72
    clear = np.zeros(len(spots)) if radii is None else np.asarray(radii, dtype=float) * unit
    rims = (spots[:, None] + clear[:, None, None] * np.array(DIRECTIONS)).reshape(-1, 2)
    page = _Page(ax, np.vstack([spots, rims, others]))
    for spot, name, radius in zip(spots[:most], names[:most], clear, strict=False):
        text = _place(ax, page, spot, escape_label(name), (unit, radius))
        if text is not None:
            texts.append(text)
    left_out = len(names) - len(texts)
    if left_out:
        note(ax, f"{left_out} of {len(names)} names left out for want of room")
    return texts, left_out


def note(ax: Any, words: str) -> Any:
    """A line inside the axes at their right end, below the title, on a pale ground."""
    return ax.annotate(
        words,
        (1, 1),
        (-2, -2),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=7,
        color=GREY,
        zorder=7,
        bbox={"facecolor": background_colour(), "alpha": 0.8, "linewidth": 0, "pad": 1},
    )


def along(ends: np.ndarray, pieces: int = 60) -> np.ndarray:
    """Lines as dots: ends (k, 2, 2) in data units give an array (k * pieces, 2)."""
    ends = np.asarray(ends, dtype=float).reshape(-1, 2, 2)
    share = np.linspace(0, 1, pieces)[None, :, None]
    return (ends[:, :1] * (1 - share) + ends[:, 1:] * share).reshape(-1, 2)


def overlapping(texts: Sequence[Any]) -> int:
    """How many pairs of texts overlap, by their drawn boxes: what the tests measure."""
    from matplotlib.text import Text

    if not texts:
        return 0
    texts[0].figure.draw_without_rendering()
    boxes = [
        Text.get_window_extent(text) for text in texts if text.get_visible() and text.get_text()
    ]
    return sum(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def _place(ax: Any, page: _Page, spot: np.ndarray, name: str, sizes: tuple[float, float]) -> Any:
    unit, radius = sizes
    text = ax.annotate(
        name,
        (0, 0),
        (0, 0),
        textcoords="offset pixels",
        fontsize=8,
        zorder=6,
        xycoords="figure pixels",
    )
    extent = text.get_window_extent()
    text.remove()
    half = np.array([extent.width, extent.height]) / 2 + unit
    for distance in DISTANCES:
        for x, y in DIRECTIONS:
            direction = np.array([x, y])
            centre = (
                spot
                + direction * (distance * unit + radius)
                + np.sign(np.round(direction, 3)) * half
            )
            box, lead = np.append(centre - half, centre + half), _lead(spot, centre, half, distance)
            if page.free(box, lead):
                page.take(box, lead)
                return _written(ax, name, spot, (centre - spot) / unit, len(lead) > 0)
    return None


def _lead(spot: np.ndarray, centre: np.ndarray, half: np.ndarray, distance: float) -> np.ndarray:
    """Dots along the line from a point to its name's nearest edge; none where the name touches its
    point.
    """
    if distance == DISTANCES[0]:
        return np.empty((0, 2))
    edge = np.clip(spot, centre - half, centre + half)
    return np.asarray(spot + (edge - spot) * np.linspace(0.15, 0.9, 12)[:, None])


def _written(ax: Any, name: str, spot: np.ndarray, offset: np.ndarray, led: bool) -> Any:
    arrow = (
        {"arrowstyle": "-", "linewidth": 0.5, "color": GREY, "shrinkA": 0, "shrinkB": 2}
        if led
        else None
    )
    from matplotlib.patheffects import withStroke

    return ax.annotate(
        name,
        ax.transData.inverted().transform(spot),
        tuple(offset),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=8,
        zorder=6,
        arrowprops=arrow,
        path_effects=[withStroke(linewidth=2.2, foreground=background_colour())],
    )  # a dashed line may pass behind
