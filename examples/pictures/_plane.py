"""What the pictures of the models share: an empty plane, points with names, frontiers as lines,
arrows with words.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import deabench as db

BLUE, RED, GREEN, PINK, GREY, INK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#777777", "#000000"
RATES = pd.DataFrame(
    {"TPR": [0.30, 0.62, 0.82, 0.93, 0.93, 0.50], "TNR": [0.97, 0.92, 0.78, 0.48, 0.30, 0.58]},
    index=["tree", "logit", "forest", "net", "eager", "mine"],
)
"""Four classifiers on the frontier, one (eager) beside it, and one inside."""


def planes(count=1, size=(5.2, 4.6), columns=None):
    """A figure of `count` empty planes, and their axes."""
    figure = Figure(figsize=size, layout="constrained")
    columns = columns or count
    axes = figure.subplots(-(-count // columns), columns, squeeze=False).ravel()
    for ax in axes:
        ax.grid(True, color=GREY, alpha=0.25, linewidth=0.6)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def dots(ax, table, away=None, **look):
    """Points with their names beside them; `away` moves a name, in printer's points."""
    ax.scatter(*table.to_numpy().T, **{"s": 34, "color": BLUE, "zorder": 4} | look)
    for name, position in table.iterrows():
        ax.annotate(
            name,
            position,
            (away or {}).get(name, (5, 5)),
            textcoords="offset points",
            fontsize=8.5,
            zorder=5,
        )
    ax.set(
        xlabel=f"{table.columns[0]} (higher is better)",
        ylabel=f"{table.columns[1]} (higher is better)",
    )


def boundary(table, **options):
    """Where a model's frontier lies: a point on each of many rays, as far out as its score says
    (`db.rank(..., **options)`).
    """
    angle = np.linspace(0.02, np.pi / 2 - 0.02, 240)
    rays = pd.DataFrame(
        0.4 * np.column_stack([np.cos(angle), np.sin(angle)]), columns=table.columns
    )
    scores = db.rank(rays, reference=table, **options).scores
    return rays.div(scores, axis=0)


def line(ax, points, words, **look):
    return ax.plot(
        *np.asarray(points).T,
        **{"label": words, "linewidth": 1.5, "color": INK, "zorder": 2} | look,
    )


def arrow(ax, start, end, words="", colour=RED, beside=(6, -3)):
    """An arrow, with words at its head."""
    start, end = tuple(start), tuple(end)
    ax.annotate(
        "",
        end,
        start,
        zorder=3,
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "linewidth": 1.3,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )
    ax.annotate(
        words, end, beside, textcoords="offset points", fontsize=8.5, color=colour, zorder=5
    )


def key(ax, **look):
    ax.legend(**{"fontsize": 8, "frameon": False} | look)
