"""What all displays share: axes, styles that survive greyscale, labels, legends and files."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from deabench.errors import DataError
from deabench.plot.display import check_letters, use_fallback_fonts
from deabench.utils.checks import did_you_mean
from deabench.utils.files import write_whole
from deabench.utils.text import printable, shorten_middle

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's colours, which colour-blind readers tell apart; the last one is the text's."""
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#777777"
DOTTED = {"color": GREY, "linewidth": 0.8, "linestyle": ":"}
"""The line of a classifier without skill."""
FORMATS = (".png", ".svg", ".pdf")
MAX_LABEL_LENGTH = 40
MAX_LEGEND_INSIDE = 6
"""A legend with more names stands beside the axes."""
MAX_LEGEND = 10
"""More names in a legend hide the curves; the rest are counted instead."""
MAX_LEGEND_NARROW = 5
"""Names in the legend of a narrow figure."""
NARROW = 4.5
"""Inches below which a figure leaves out what stands beside the axes, and has smaller legends."""


_width_limit: ContextVar[float] = ContextVar("width_limit", default=np.inf)


@contextmanager
def limit_width(inches: float) -> Iterator[None]:
    """Draw new figures at most so many inches wide, as a telephone shows them."""
    token = _width_limit.set(inches)
    try:
        yield
    finally:
        _width_limit.reset(token)


def make_axes(ax: Any = None, *, size: tuple[float, float] = (5.2, 5.0)) -> Any:
    """Return `ax`, or the axes of a new figure that pyplot does not manage.

    Titles and axis labels break their lines at the edge of the figure.
    """
    if ax is None:
        width, height = size
        limit = _width_limit.get()
        # A list of rows keeps its height; other pictures become no taller than about wide.
        if width > limit:
            # Titles break into more lines, which low pictures have to hold.
            height = height if height > width else np.clip(height, 2.4, max(2.4, 1.1 * limit))
        # Not by pyplot, which keeps every figure in memory until it is closed.
        figure = Figure(figsize=(min(width, limit), height), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.add_subplot()
    wrap_texts(ax)
    return ax


def wrap_texts(ax: Any) -> None:
    """Let titles and axis labels break their lines at the edge of the figure, also later ones."""
    for location in ("left", "center"):
        ax.set_title(ax.get_title(location), loc=location, wrap=True)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_wrap(True)
        # As large as the other letters of a narrow figure, so that most labels take one line.
        if is_narrow(ax):
            axis.label.set_fontsize(font_size(8))
            axis.set_tick_params(labelsize=font_size(7.5))


def font_size(points: float) -> float:
    """Return a size of letters in points, in proportion to matplotlib's font.size (10)."""
    return float(points * rcParams["font.size"] / 10)


def is_narrow(ax: Any) -> bool:
    """Return whether the figure is as narrow as one of two columns of a paper (3.5 inches)."""
    return bool(ax.figure.get_size_inches()[0] < NARROW)


def row_font_size(ax: Any, rows: int, points: float = 8) -> float:
    """Return a size of letters for the names of rows: smaller where rows stand close together."""
    # The axes take about three quarters of a figure's height; letters 0.9 of a row's.
    height = 0.75 * ax.figure.get_size_inches()[1] * 72
    return float(min(font_size(points), 0.9 * height / max(rows, 1)))


def count_rows_with_room(ax: Any, rows: int, points: float = 8) -> int:
    """Return how many of so many rows have room for names of this size; at least one."""
    height = ax.get_position().height * ax.figure.get_size_inches()[1] * 72
    # A title and labels of two lines take more than the margins of a small figure.
    height -= 3.6 * rcParams["font.size"]
    return max(1, min(rows, int(height / (1.15 * font_size(points)))))


def style_numbers(names: Iterable[object]) -> dict[object, int]:
    """Assign numbers to names alphabetically, so that a name has one style in all pictures."""
    return {name: k for k, name in enumerate(sorted(names, key=str))}


def colour(k: int) -> str:
    """Return the k-th colour; black becomes the colour of text."""
    position = k % len(COLOURS)
    if position == len(COLOURS) - 1:
        return text_colour()
    return COLOURS[position]


def line_style(k: int) -> dict[str, Any]:
    """Return colour and dash of the k-th classifier; no two of the first 28 are alike."""
    return {"color": colour(k), "linestyle": DASHES[k % len(DASHES)]}


def marker_style(k: int) -> dict[str, Any]:
    """Return colour and marker of the k-th classifier; the first seven are filled."""
    # After all colours have been used once, the markers are open.
    is_filled = k // len(COLOURS) % 2 == 0
    return {
        "marker": MARKERS[k % len(MARKERS)],
        "edgecolors": colour(k),
        "facecolors": colour(k) if is_filled else "none",
    }


def is_lower_better(transform: object) -> bool:
    """Return whether the transform of a metric (None: no transform) turns its direction."""
    return bool(getattr(transform, "sign", 1.0) < 0)


def label_with_direction(name: object, transform: object) -> str:
    """Return a metric's name with its direction; `transform` is None where it has none."""
    direction = "lower" if is_lower_better(transform) else "higher"
    return f"{escape_label(name)} ({direction} is better)"


def escape_label(name: object) -> str:
    """Return a name from data as a label: no mathematics, no hidden signs, 40 characters."""
    text = shorten_middle(" ".join(printable(name).split()), MAX_LABEL_LENGTH)
    check_letters(text)
    if text.startswith("_"):
        # A legend skips labels that start with an underscore.
        text = " " + text
    return text.replace("$", r"\$")


def draw_unit_square(ax: Any, x_label: str, y_label: str) -> None:
    """Let both axes run from 0 to 1 at the same scale."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel=x_label, ylabel=y_label)
    draw_grid(ax)


def set_title(ax: Any, text: str, name: str = "") -> None:
    """Write the title above the axes, after the classifier's name if there is one."""
    if name:
        text = f"{escape_label(name)}: {text}"
    ax.set_title(text, fontsize=font_size(9), loc="left")


def draw_grid(ax: Any) -> None:
    """Draw a faint grid and remove the frame at the top and right."""
    ax.grid(True, color=GREY, alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def add_caption(ax: Any, text: str) -> Any:
    """Write a sentence below the axes, wrapped to their width."""
    width = ax.figure.get_size_inches()[0]
    # About 15 letters of the caption fit into an inch; a narrow figure has smaller ones.
    letters = int(15 * width)
    return ax.annotate(
        "\n".join(textwrap.wrap(text, letters)),
        (0.0, 0.0),
        # Below the label of the axis.
        (0, -38),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        ha="left",
        fontsize=font_size(6 if is_narrow(ax) else 7.5),
        color=text_colour(),
    )


def annotate_rows(ax: Any, texts: Sequence[str], header: str, *, size: float = 7) -> list[Any]:
    """Write one text at the right of each row y = 0, 1, ..., and a header above them.

    `size` is in points where matplotlib's font.size is 10.
    """
    artists = [
        ax.annotate(
            text,
            (1, row),
            (6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=font_size(size),
            color=text_colour(),
            annotation_clip=False,
        )
        for row, text in enumerate(texts)
    ]
    if header:
        artists.append(
            ax.annotate(
                header,
                (1, 1),
                (6, 6),
                xycoords="axes fraction",
                fontsize=font_size(8),
                textcoords="offset points",
                va="bottom",
                annotation_clip=False,
            )
        )
    return artists


def draw_tier_lines(ax: Any, tiers: Any) -> list[Any]:
    """Draw a dashed line below each row after which the tier changes."""
    # There is no line beside a tier that is unknown (NaN).
    row_ends = np.flatnonzero(np.diff(np.asarray(tiers, dtype=float)) > 0) + 0.5
    return [
        ax.axhline(end, color=text_colour(), linewidth=0.8, linestyle=(0, (4, 2)))
        for end in row_ends
    ]


def text_colour() -> str:
    """Return the colour of lines and words in matplotlib's current style."""
    return str(rcParams["text.color"])


def background_colour() -> str:
    """Return the colour behind them."""
    return str(rcParams["axes.facecolor"])


def has_layout_engine(ax: Any) -> bool:
    """Return whether the figure makes room for what stands beside its axes."""
    return ax.figure.get_layout_engine() is not None


def add_legend(
    ax: Any,
    artists: Sequence[Any],
    *,
    merit: Sequence[float] | None = None,
    below: bool = False,
    **options: Any,
) -> Any:
    """Add a legend of at most `MAX_LEGEND` artists, the largest `merit` first.

    The rest are counted; where the artists have merits they turn grey. A legend of more than
    `MAX_LEGEND_INSIDE` artists would cover the curves. It stands beside the axes, or `below` them
    and in narrow figures, if the figure makes room.
    """
    order = list(range(len(artists)))
    if merit is not None:
        order.sort(key=lambda k: -merit[k])
    # Artists with merits are systems, of which a narrow figure names fewer.
    max_handles = MAX_LEGEND_NARROW if is_narrow(ax) and merit is not None else MAX_LEGEND
    handles = [artists[k] for k in order[:max_handles]]
    if merit is not None:
        for k in order[max_handles:]:
            artists[k].set(color=GREY, linestyle="-", linewidth=0.6, alpha=0.35, zorder=1)
    if len(artists) > max_handles:
        count_label = f"and {len(artists) - max_handles} more"
        # An invisible line carries the count of the names that are left out.
        handles.append(Line2D([], [], linestyle="none", label=count_label))
    settings: dict[str, Any] = {
        "fontsize": font_size(8),
        "frameon": True,
        "framealpha": 0.9,
        "edgecolor": "none",
    } | options
    if is_narrow(ax):
        settings |= {"fontsize": 0.85 * settings["fontsize"], "handlelength": 1.4}
        settings |= {"columnspacing": 0.8, "handletextpad": 0.4, "borderpad": 0.2}
    legend = _add_fitting_legend(ax, handles, settings)
    is_long = len(artists) > min(max_handles, MAX_LEGEND_INSIDE)
    if is_narrow(ax):
        # It would be cut beside the axes of a narrow figure, and hide much inside them.
        is_wide = legend.get_window_extent().width > 0.7 * ax.get_window_extent().width
        below = below or is_long or is_wide
        if is_long:
            settings["ncols"] = len(handles)
    if below:
        # Below tick labels and axis label, which may take two lines.
        depth = ax.get_window_extent().y0 - ax.xaxis.get_tightbbox().y0
        height = ScaledTranslation(0, -depth / ax.figure.dpi, ax.figure.dpi_scale_trans)
        settings |= {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, 0),
            "bbox_transform": ax.transAxes + height,
        }
    elif is_long:
        settings |= {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "handlelength": 1.6}
    # Without a layout engine nothing makes room beside the axes.
    if not has_layout_engine(ax) and "bbox_to_anchor" in settings:
        settings |= {"loc": "best", "fontsize": font_size(6), "ncols": 1}
        del settings["bbox_to_anchor"]
        settings.pop("bbox_transform", None)
    return _add_fitting_legend(ax, handles, settings)


def _add_fitting_legend(ax: Any, handles: Sequence[Any], settings: dict[str, Any]) -> Any:
    """Add a legend with as many of the columns asked for as the figure is wide."""
    for columns in range(settings.get("ncols", 1), 0, -1):
        legend = ax.legend(handles=handles, **settings | {"ncols": columns})
        # A legend as wide as the figure would narrow the axes with each step of the layout.
        if legend.get_window_extent().width <= 0.96 * ax.figure.bbox.width:
            break
    return legend


def apply_style(ax: Any, artists: Any, style: Mapping[str, Any]) -> None:
    """Set matplotlib's keywords (color, linewidth, ...) on the artists that carry the numbers.

    In a figure without a layout engine, labels are also wrapped to stay at their own axes.

    Raises
    ------
    DataError
        If an artist has no such property.
    """
    if not has_layout_engine(ax):
        _wrap_labels(ax)
    if not style:
        return
    for artist in artists:
        # A bar container has no properties of its own; its patches have.
        for mark in getattr(artist, "patches", None) or [artist]:
            for name in style:
                if not hasattr(mark, f"set_{name}"):
                    settable = sorted(key[4:] for key in dir(mark) if key.startswith("set_"))
                    raise DataError(
                        f"a {type(mark).__name__} has no property '{name}'; "
                        f"{did_you_mean(name, settable)}"
                    )
            mark.set(**style)


def _wrap_labels(ax: Any) -> None:
    """Break titles and axis labels that are wider than the axes: the next axes are not ours."""
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    labels = [(label, box.width) for label in (ax.title, ax._left_title, ax.xaxis.label)]
    labels.append((ax.yaxis.label, box.height))
    for label, length in labels:
        label.set_fontsize(min(label.get_fontsize(), 8))
        # A letter is about 0.55 of the font size wide.
        letters = max(int(length * 72 / (0.55 * label.get_fontsize())), 8)
        lines = [
            line
            for paragraph in label.get_text().split("\n")
            for line in textwrap.wrap(paragraph, letters)
        ]
        label.set_text("\n".join(lines))


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure whole as .png, .svg or .pdf, the same bytes each time.

    Parameters
    ----------
    figure : matplotlib figure
        As a display's `figure_`.
    path : str or Path
        Its ending names the format.

    Raises
    ------
    DataError
        If the name has another ending or the file cannot be written; nothing is left behind.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import deabench as db
    >>> from deabench import plot
    >>> display = db.rank(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"]).plot()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot.save_figure(display.figure_, Path(folder) / "ranking.png")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['ranking.png']
    """
    file_format = picture_format(path)
    # Without dates and version numbers a picture has the same bytes each time.
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    stream = io.BytesIO()
    with use_fallback_fonts(), matplotlib.rc_context({"svg.hashsalt": "deabench"}):
        figure.savefig(stream, format=file_format, dpi=150, metadata=metadata[file_format])
    write_whole(path, stream.getvalue())


def picture_format(path: str | Path) -> str:
    """Return png, svg or pdf by the ending of a file's name; other endings are refused."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise DataError(f"cannot draw '{path}'; a picture's name ends in .png, .svg or .pdf")
    return ending[1:]
