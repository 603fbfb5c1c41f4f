"""What the curves' displays share: an axes of its own, styles that survive grey, names that do not
collide, files.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean
from deabench.utils.files import write_whole
from deabench.utils.text import seen

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's colours, told apart by colour-blind readers; the last is the ink's, see `colour`.
"""
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#777777"
DOTTED = {"color": GREY, "linewidth": 0.8, "linestyle": ":"}
"""The line of a classifier without skill."""
FORMATS = (".png", ".svg", ".pdf")
LEGEND_INSIDE = 6
"""More names than these stand beside the axes."""
LEGEND_MOST = 10
"""More names than these in a legend hide the curves; the rest are counted instead."""
PLACES = (
    (6, 4, "left", "bottom"),
    (6, -4, "left", "top"),
    (-6, 4, "right", "bottom"),
    (-6, -4, "right", "top"),
    (0, 8, "center", "bottom"),
    (0, -8, "center", "top"),
    (14, 14, "left", "bottom"),
    (-14, 14, "right", "bottom"),
    (14, -14, "left", "top"),
    (-14, -14, "right", "top"),
)
"""Where a name may stand beside its point: offset in printer's points, and the corner that touches
it.
"""
LEADER = {"arrowstyle": "-", "linewidth": 0.5, "color": GREY}
"""The line from a name to its point, where the name stands apart."""


def make_axes(ax: Any = None, *, size: tuple[float, float] = (5.2, 5.0)) -> Any:
    """`ax`, or the axes of a new figure that pyplot does not know of."""
    if ax is not None:
        return ax
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def style_numbers(names: Iterable[object]) -> dict[object, int]:
    """Whose turn it is for which style: by the alphabet, so that a name looks the same in all
    pictures of the same classifiers, in whatever order they stand.
    """
    return {name: k for k, name in enumerate(sorted(names, key=str))}


def colour(k: int) -> str:
    """The k-th colour; black is white on a dark paper."""
    return text_colour() if k % len(COLOURS) == len(COLOURS) - 1 else COLOURS[k % len(COLOURS)]


def line_style(k: int) -> dict[str, Any]:
    """Colour and dash of the k-th classifier: no two of the first 28 alike, and neighbours differ
    in grey too.
    """
    return {"color": colour(k), "linestyle": DASHES[k % len(DASHES)]}


def marker_style(k: int) -> dict[str, Any]:
    """Colour and marker of the k-th classifier; the fill tells the first seven from the next."""
    return {
        "marker": MARKERS[k % len(MARKERS)],
        "edgecolors": colour(k),
        "facecolors": colour(k) if k // len(COLOURS) % 2 == 0 else "none",
    }


def label_with_direction(name: object, turn: object) -> str:
    """A metric's name with which way is better; `turn` is its `deabench.tables.transforms.AffineTransform`,
    None where it is as it stands.
    """
    return f"{escape_label(name)} ({'lower' if getattr(turn, 'sign', 1.0) < 0 else 'higher'} is better)"


def escape_label(name: object) -> str:
    """A name from data as a label: never mathematics between dollars, never hidden or turned, never
    longer than 40 characters.
    """
    text = " ".join(seen(name).split())
    text = text if len(text) <= 40 else text[:39] + "…"
    return (" " if text.startswith("_") else "") + text.replace(
        "$", r"\$"
    )  # a legend skips labels that start with _


def draw_unit_square(ax: Any, x: str, y: str) -> None:
    """Both axes from 0 to 1, one unit as long as the other."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel=x, ylabel=y)
    draw_grid(ax)


def set_title(ax: Any, text: str, name: str = "") -> None:
    """What is drawn, above the axes, after the classifier's name where it has one."""
    ax.set_title(f"{escape_label(name)}: {text}" if name else text, fontsize=9, loc="left")


def draw_grid(ax: Any) -> None:
    ax.grid(True, color=GREY, alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def add_caption(ax: Any, text: str) -> Any:
    """A sentence below the axes, wrapped to its width."""
    import textwrap

    width = ax.figure.get_size_inches()[0]
    return ax.annotate(
        "\n".join(textwrap.wrap(text, int(width * 15))),
        (0.0, 0.0),
        (0, -38),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        ha="left",
        fontsize=7.5,
        color=text_colour(),
    )


def text_colour() -> str:
    """The colour of lines and words in matplotlib's style of the moment: black on white, white on
    black.
    """
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def background_colour() -> str:
    """The colour behind them."""
    from matplotlib import rcParams

    return str(rcParams["axes.facecolor"])


def has_layout_engine(ax: Any) -> bool:
    """Whether the figure makes room for what stands beside its axes; without a layout it would
    cover the next axes.
    """
    return ax.figure.get_layout_engine() is not None


def add_legend(
    ax: Any,
    artists: Sequence[Any],
    *,
    merit: Sequence[float] | None = None,
    below: bool = False,
    **how: Any,
) -> Any:
    """A legend of at most LEGEND_MOST artists, the best first where their `merit` is known; the
    rest are counted.

    More than LEGEND_INSIDE would cover the curves: they stand beside the axes (or `below` them)
    where the figure makes room."""
    from matplotlib.lines import Line2D

    order = (
        range(len(artists))
        if merit is None
        else sorted(range(len(artists)), key=lambda k: -merit[k])
    )
    shown = [artists[k] for k in order][:LEGEND_MOST]
    if len(artists) > len(shown):
        shown.append(
            Line2D([], [], linestyle="none", label=f"and {len(artists) - LEGEND_MOST} more")
        )
    look = {"fontsize": 8, "frameon": True, "framealpha": 0.9, "edgecolor": "none"} | how
    if below:
        look |= {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13)}
    elif len(shown) > LEGEND_INSIDE:
        look |= {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
    if not has_layout_engine(ax) and "bbox_to_anchor" in look:
        look |= {"loc": "best", "fontsize": 6, "ncols": 1}
        del look["bbox_to_anchor"]
    return ax.legend(handles=shown, **look)


def apply_style(ax: Any, artists: Any, look: Mapping[str, Any]) -> None:
    """Matplotlib's own keywords (color, linewidth, alpha, ...) for the artists that carry a
    display's numbers, and words that stay at their own axes.

    Raises
    ------
    DataError
        Where an artist has no such property.
    """
    if not has_layout_engine(ax):
        _fitted(ax)
    for artist in artists if look else ():
        for one in getattr(artist, "patches", None) or [artist]:
            for name in look:
                if not hasattr(one, f"set_{name}"):
                    known = sorted(key[4:] for key in dir(one) if key.startswith("set_"))
                    raise DataError(
                        f"a {type(one).__name__} has no '{name}' to set; {did_you_mean(name, known)}"
                    )
            one.set(**look)


def _fitted(ax: Any) -> None:
    """Where the figure makes no room, words wider than their axes go on more lines: the next axes
    are somebody else's.
    """
    import textwrap

    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    wide = [ax.title, ax._left_title, ax.xaxis.label]
    for text, room in (*((one, box.width) for one in wide), (ax.yaxis.label, box.height)):
        text.set_fontsize(min(text.get_fontsize(), 8))
        letters = max(int(room * 72 / (0.55 * text.get_fontsize())), 8)
        text.set_text(
            "\n".join(
                line
                for part in text.get_text().split("\n")
                for line in textwrap.wrap(part, letters)
            )
        )


def name_points(
    ax: Any, points: Sequence[tuple[float, float]], names: Sequence[str]
) -> tuple[list[Any], list[str]]:
    """Write each name beside its point where it covers no other name, no point and no edge.

    Returns
    -------
    texts : list of Annotation
    left_out : list of str
        The names for which there was no room.
    """
    from matplotlib.text import Text

    renderer = ax.figure.canvas.get_renderer()
    ax.figure.draw_without_rendering()
    frame, spots = ax.get_window_extent(renderer), ax.transData.transform(list(points))
    taken: list[Any] = []
    texts, left_out = [], []
    for (x, y), name in zip(points, names, strict=True):
        for dx, dy, ha, va in PLACES:
            text = ax.annotate(
                escape_label(name),
                (x, y),
                (dx, dy),
                textcoords="offset points",
                ha=ha,
                va=va,
                fontsize=8,
                arrowprops=LEADER if abs(dx) > 10 else None,
            )
            text.update_positions(renderer)
            box = Text.get_window_extent(
                text, renderer
            )  # of the words alone: a leader may pass between others
            inside = (
                frame.containsx(box.x0)
                and frame.containsx(box.x1)
                and frame.containsy(box.y0)
                and (frame.containsy(box.y1))
            )
            if (
                inside
                and not any(box.overlaps(other) for other in taken)
                and not box.padded(2).count_contains(spots)
            ):
                taken.append(box.padded(1))
                texts.append(text)
                break
            text.remove()
        else:
            left_out.append(name)
    return texts, left_out


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure whole as .png, .svg or .pdf, the same bytes each time.

    Parameters
    ----------
    figure : matplotlib figure
        As a display's `figure_`.
    path : str or Path
        Its end says the format.

    Raises
    ------
    DataError
        Where the name ends otherwise or the file cannot be written; nothing is left behind.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import deabench as db
    >>> from deabench import plot
    >>> shown = db.rank(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"]).plot()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot.save_figure(shown.figure_, Path(folder) / "ranking.png")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['ranking.png']
    """
    import matplotlib

    kind = picture_format(path)
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[
        kind
    ]
    stream = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "deabench"}):
        figure.savefig(stream, format=kind, dpi=150, metadata=undated)
    write_whole(path, stream.getvalue())


def picture_format(path: str | Path) -> str:
    """png, svg or pdf, by the end of the name; other ends are refused."""
    end = Path(path).suffix.lower()
    if end not in FORMATS:
        raise DataError(f"cannot draw '{path}'; a picture's name ends in .png, .svg or .pdf")
    return end[1:]
