"""Place names beside points, so that no name covers another name, a point, a line or an edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.patheffects import withStroke

from deabench.plot.canvas import GREY, background_colour, escape_label, font_size

MAX_NAMES = 40
"""More names are not tried: a picture with more is not read by its names."""
DISTANCES = (6.0, 14.0, 26.0, 42.0)
"""Distances of a name from its point, in points; from the second on, a line leads to it."""
DIRECTIONS = tuple(
    (np.cos(angle), np.sin(angle))
    for angle in np.deg2rad([45, -45, 135, -135, 0, 180, 90, -90, 20, -20, 70, 110])
)
NOTE_CORNERS = ((1, 1), (0, 1), (1, 0), (0, 0))


class _OccupiedArea:
    """What of the axes is occupied, in pixels: boxes of names and dots of points and lines."""

    def __init__(self, ax: Any, dots: np.ndarray) -> None:
        self.frame = ax.get_window_extent().extents
        self.boxes = np.empty((0, 4))
        legend = ax.get_legend()
        if legend is not None:
            self.boxes = legend.get_window_extent().extents.reshape(1, 4)
        self.dots = dots

    def is_free(self, box: np.ndarray, leader: np.ndarray) -> bool:
        """Return whether a name's box (4,) and its leader's dots (k, 2) touch nothing."""
        # A name has to lie within the axes ...
        lower = box[:2]
        upper = box[2:]
        if (lower < self.frame[:2]).any() or (upper > self.frame[2:]).any():
            return False
        # ... overlap no other name (in both directions at once) ...
        overlaps = (lower < self.boxes[:, 2:]) & (upper > self.boxes[:, :2])
        if overlaps.all(axis=1).any():
            return False
        # ... and cover no dot, with a margin of one pixel.
        covers = (self.dots > lower - 1) & (self.dots < upper + 1)
        if covers.all(axis=1).any():
            return False
        # The leader may not cross a name that is already placed.
        above = leader[:, None] > self.boxes[None, :, :2]
        below = leader[:, None] < self.boxes[None, :, 2:]
        return not (above & below).all(axis=2).any()

    def occupy(self, box: np.ndarray, leader: np.ndarray) -> None:
        self.boxes = np.vstack([self.boxes, box])
        self.dots = np.vstack([self.dots, leader])


def place_names(
    ax: Any,
    points: Sequence[tuple[float, float]] | np.ndarray,
    names: Sequence[object],
    *,
    avoid: np.ndarray | None = None,
    radii: np.ndarray | None = None,
) -> tuple[list[Any], int]:
    """Write each name beside its point, in the order given.

    Parameters
    ----------
    ax : matplotlib Axes
        With its final limits.
    points : array (n, 2)
        In data units.
    names : n labels
    avoid : array (m, 2), optional
        Further places, in data units, that no name may cover; see `dots_along` for lines.
    radii : array (n,), optional
        Radii of the markers, in points, if they are larger than the first distance of a name.

    Returns
    -------
    texts : list of Annotation
    left_out : int
        How many names found no room; a note in the picture gives the number.
    """
    texts: list[Any] = []
    if not len(names):
        return texts, 0
    _settle_layout(ax)
    centres = ax.transData.transform(np.asarray(points, dtype=float))
    pixels_per_point = ax.figure.dpi / 72
    marker_radii = np.zeros(len(centres))
    if radii is not None:
        marker_radii = np.asarray(radii, dtype=float) * pixels_per_point
    # Names keep clear of all points, of the rims of their markers, and of `avoid`.
    rims = centres[:, None] + marker_radii[:, None, None] * np.array(DIRECTIONS)
    dots = [centres, rims.reshape(-1, 2)]
    if avoid is not None and len(avoid):
        dots.append(ax.transData.transform(avoid))
    area = _OccupiedArea(ax, np.vstack(dots))
    for centre, name, radius in zip(
        centres[:MAX_NAMES], names[:MAX_NAMES], marker_radii, strict=False
    ):
        text = _place_name(ax, area, centre, escape_label(name), pixels_per_point, radius)
        if text is not None:
            texts.append(text)
    if len(texts) < len(names):
        texts = _note_names_left_out(ax, texts, len(names))
    return texts, len(names) - len(texts)


def _settle_layout(ax: Any) -> None:
    """Draw until the axes keep their place: a constrained layout takes a few steps."""
    for _ in range(8):
        before = ax.get_window_extent().extents
        ax.figure.draw_without_rendering()
        if np.abs(ax.get_window_extent().extents - before).max() < 0.5:
            return


def add_note(ax: Any, text: str) -> Any:
    """Write a line inside the axes, at the upper right, on a pale background."""
    return ax.annotate(
        text,
        (1, 1),
        (-2, -2),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=font_size(7),
        color=GREY,
        zorder=7,
        bbox={"facecolor": background_colour(), "alpha": 0.8, "linewidth": 0, "pad": 1},
    )


def _note_names_left_out(ax: Any, texts: list[Any], total: int) -> list[Any]:
    """Write how many names are left out; return those that the note does not cover.

    It stands in the corner where it covers the fewest names, which are then left out, too.
    """
    sentence = "{} of {} names left out for want of room"
    note = add_note(ax, sentence.format(total, total))
    legend = ax.get_legend()
    # Where the note stands does not move the names.
    name_boxes = [text.get_window_extent() for text in texts]
    covered_by_corner = []
    for x, y in NOTE_CORNERS:
        _move_to_corner(note, x, y)
        box = note.get_window_extent()
        covered = [
            text for text, name_box in zip(texts, name_boxes, strict=True) if box.overlaps(name_box)
        ]
        # Covering the legend is worse than covering all names.
        covers_legend = legend is not None and box.overlaps(legend.get_window_extent())
        covered_by_corner.append((covers_legend, len(covered), covered))
    best = min(range(len(NOTE_CORNERS)), key=lambda k: covered_by_corner[k][:2])
    _move_to_corner(note, *NOTE_CORNERS[best])
    covered = covered_by_corner[best][2]
    for text in covered:
        text.remove()
    remaining = [text for text in texts if text not in covered]
    note.set_text(sentence.format(total - len(remaining), total))
    return remaining


def _move_to_corner(note: Any, x: int, y: int) -> None:
    """Move a note to a corner of the axes: 0 left or below, 1 right or above."""
    note.xy = (x, y)
    note.set(x=2 - 4 * x, y=2 - 4 * y)
    note.set(ha="right" if x else "left", va="top" if y else "bottom")


def dots_along(segments: np.ndarray, count: int = 60) -> np.ndarray:
    """Return `count` dots along each segment: segments (k, 2, 2) give an array (k * count, 2)."""
    segments = np.asarray(segments, dtype=float).reshape(-1, 2, 2)
    shares = np.linspace(0, 1, count)[None, :, None]
    return (segments[:, :1] * (1 - shares) + segments[:, 1:] * shares).reshape(-1, 2)


def _place_name(
    ax: Any,
    area: _OccupiedArea,
    centre: np.ndarray,
    name: str,
    pixels_per_point: float,
    radius: float,
) -> Any:
    """Write a name at the nearest free place around `centre` (pixels), or return None."""
    # One point of space on each side.
    half_size = _text_size(ax, name) / 2 + pixels_per_point
    for distance in DISTANCES:
        for direction in np.array(DIRECTIONS):
            # The box touches the marker's surroundings with the corner or side that faces it.
            offset = direction * (distance * pixels_per_point + radius)
            box_centre = centre + offset + np.sign(np.round(direction, 3)) * half_size
            box = np.append(box_centre - half_size, box_centre + half_size)
            leader = np.empty((0, 2))
            if distance > DISTANCES[0]:
                # The leader ends at the edge of the name, short of the point and of the letters.
                nearest_edge = np.clip(centre, box[:2], box[2:])
                shares = np.linspace(0.15, 0.9, 12)[:, None]
                leader = centre + (nearest_edge - centre) * shares
            if area.is_free(box, leader):
                area.occupy(box, leader)
                # matplotlib offsets are in points.
                offset_points = (box_centre - centre) / pixels_per_point
                return _write_name(ax, name, centre, offset_points, len(leader) > 0)
    return None


def _text_size(ax: Any, name: str) -> np.ndarray:
    """Return width and height of a name in pixels."""
    text = ax.annotate(
        name,
        (0, 0),
        (0, 0),
        textcoords="offset pixels",
        fontsize=font_size(8),
        zorder=6,
        xycoords="figure pixels",
    )
    extent = text.get_window_extent()
    text.remove()
    return np.array([extent.width, extent.height])


def _write_name(
    ax: Any, name: str, centre: np.ndarray, offset: np.ndarray, has_leader: bool
) -> Any:
    leader = {"arrowstyle": "-", "linewidth": 0.5, "color": GREY, "shrinkA": 0, "shrinkB": 2}
    return ax.annotate(
        name,
        ax.transData.inverted().transform(centre),
        tuple(offset),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=font_size(8),
        zorder=6,
        arrowprops=leader if has_leader else None,
        # A dashed line may pass behind the name.
        path_effects=[withStroke(linewidth=2.2, foreground=background_colour())],
    )
