"""Draw all weightings: the ranks of each row, and which rows are always above others."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    background_colour,
    count_rows_with_room,
    draw_grid,
    escape_label,
    font_size,
    make_axes,
    set_title,
    text_colour,
)
from deabench.plot.display import Display
from deabench.results.weightings import Weightings

USUAL = 0.9
"""The thick line holds the ranks of so many of the weightings."""
MAX_ROWS = 60
"""Of more rows, those with the best mean ranks are drawn."""
NODE_WIDTH = 0.8
"""Inches that a node needs: a name in several lines."""


@dataclass(repr=False)
class RankIntervalDisplay(Display):
    """Rank intervals: thin from best to worst, thick for 90 % of the weightings, a dot: the mean.

    Attributes
    ----------
    frame : DataFrame
        By row, best mean rank first: best, worst, low, high (the ranks of 90 % of the weightings),
        mean, and with samples best_limit and worst_limit.
    total : int
        Rows in all.
    ax_, figure_, dots_, intervals_, usual_, limits_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.RankIntervalDisplay.from_result(db.weightings(wine, outputs=["TPR", "TNR"])).plot()
    RankIntervalDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    frame: pd.DataFrame
    total: int

    @classmethod
    def from_result(cls, result: Weightings, *, max_rows: int = MAX_ROWS) -> RankIntervalDisplay:
        """Show the `max_rows` rows with the best mean ranks."""
        ranks = result.to_frame().iloc[:max_rows]
        frame = ranks[["best", "worst"]].astype(float)
        shares = result.acceptability.loc[ranks.index].to_numpy().cumsum(axis=1)
        tail = (1 - USUAL) / 2
        # The first rank that leaves at most a tail below it, and the last one above it.
        frame["low"] = 1 + (shares > tail).argmax(axis=1)
        frame["high"] = 1 + (shares >= 1 - tail).argmax(axis=1)
        frame["mean"] = ranks["mean_rank"]
        for name in ("best_limit", "worst_limit"):
            frame[name] = ranks.get(name, np.nan)
        return cls(frame, len(result.ranks))

    def plot(self, ax: Any = None, **style: Any) -> RankIntervalDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the dots."""
        self.ax_ = ax = make_axes(ax, size=(6.4, 1.5 + 0.24 * len(self.frame)))
        frame = self.frame.iloc[: count_rows_with_room(ax, len(self.frame))]
        y = np.arange(len(frame))
        has_limits = frame["best_limit"].notna()
        self.limits_ = ax.hlines(
            y[has_limits],
            frame["best_limit"][has_limits],
            frame["worst_limit"][has_limits],
            color=GREY,
            linewidth=7,
            alpha=0.35,
        )
        self.intervals_ = ax.hlines(
            y, frame["best"], frame["worst"], color=COLOURS[0], linewidth=1.1
        )
        # The ends are marked: a row of one rank has an interval, too.
        ax.scatter(frame["best"], y, marker="|", s=40, color=COLOURS[0])
        ax.scatter(frame["worst"], y, marker="|", s=40, color=COLOURS[0])
        self.usual_ = ax.hlines(y, frame["low"], frame["high"], color=COLOURS[0], linewidth=4)
        self.dots_ = ax.scatter(
            frame["mean"], y, s=26, zorder=3, color=COLOURS[1], edgecolors="white", linewidths=0.6
        )
        ax.set_yticks(y, [escape_label(name) for name in frame.index], fontsize=font_size(8))
        ax.set_ylim(len(frame) - 0.5, -0.5)
        ax.set_xlim(0.5, self.total + 0.5)
        ax.xaxis.get_major_locator().set_params(integer=True)
        draw_grid(ax)
        label = "rank (1: first)"
        if self.total > len(frame):
            label += f"; the best {len(frame)} of {self.total}"
        ax.set_xlabel(label)
        title = "ranks over all weightings\n— all   ▬ 90 % of them   ● mean"
        if has_limits.any():
            title += "   grey: limits of the samples"
        set_title(ax, title)
        apply_style(ax, [self.dots_], style)
        return self


@dataclass(repr=False)
class DominanceGraphDisplay(Display):
    """Who is at least as good at every weighting: an edge points down to the row that is beaten.

    Edges that others imply are left out.

    Attributes
    ----------
    graph : networkx.DiGraph
        Nodes have the attributes `rows` (equal rows) and `layer` (0: never beaten).
    total : int
        Rows in all.
    ax_, figure_, nodes_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.DominanceGraphDisplay.from_result(db.weightings(wine, outputs=["TPR", "TNR"])).plot()
    DominanceGraphDisplay: drawn; figure_ is its figure, deabench.plot.save_figure writes it
    """

    graph: nx.DiGraph
    total: int

    @classmethod
    def from_result(cls, result: Weightings, *, max_rows: int = MAX_ROWS) -> DominanceGraphDisplay:
        """Show the `max_rows` rows with the best mean ranks."""
        shown = set(result.to_frame().index[:max_rows])
        graph = result.dominance_graph()
        graph = graph.subgraph([node for node in graph if node in shown]).copy()
        for layer, nodes in enumerate(nx.topological_generations(graph)):
            for node in nodes:
                graph.nodes[node]["layer"] = layer
        return cls(graph, len(result.ranks))

    def plot(self, ax: Any = None, **style: Any) -> DominanceGraphDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the nodes."""
        layers: dict[int, list[Any]] = {}
        for node, layer in self.graph.nodes(data="layer"):
            layers.setdefault(layer, []).append(node)
        widest = max(map(len, layers.values()), default=1)
        self.ax_ = ax = make_axes(ax, size=(max(5.2, 1.5 * widest), 0.6 + 0.8 * len(layers)))
        room = max(1, int(ax.figure.get_size_inches()[0] / NODE_WIDTH))
        layers = {layer: nodes[:room] for layer, nodes in layers.items()}
        widest = min(widest, room)
        places = self._place_nodes(layers)
        shown = self.graph.subgraph(places)
        for start, end in shown.edges:
            ax.annotate(
                "",
                places[end],
                places[start],
                arrowprops={
                    "arrowstyle": "-|>",
                    "color": GREY,
                    "linewidth": 0.7,
                    "shrinkA": 9,
                    "shrinkB": 9,
                },
            )
        # A name takes its share of the width in several lines; a letter is 0.7 as wide as high.
        share = 72 * ax.figure.get_size_inches()[0] / widest
        characters = max(4, int(share / (0.7 * font_size(7.5))))
        self.nodes_ = []
        for node, (x, y) in places.items():
            is_top = self.graph.nodes[node]["layer"] == 0
            rows = self.graph.nodes[node]["rows"]
            label = " = ".join(escape_label(name) for name in rows[:2])
            if len(rows) > 2:
                label += f" and {len(rows) - 2} more"
            text = ax.text(
                x,
                y,
                textwrap.fill(label, characters),
                ha="center",
                va="center",
                fontsize=font_size(7.5),
                zorder=3,
                color=text_colour(),
                bbox={
                    "boxstyle": "round,pad=0.25",
                    "facecolor": background_colour(),
                    "edgecolor": COLOURS[0] if is_top else GREY,
                    "linewidth": 1.4 if is_top else 0.7,
                },
            )
            self.nodes_.append(text)
        ax.set(xlim=(-0.6, widest - 0.4), ylim=(0.5 - len(layers), 0.5))
        ax.set_axis_off()
        title = "who is at least as good at every weighting: from above to below"
        if self.total > sum(len(rows) for _, rows in self.graph.nodes(data="rows")):
            title += f" (the best {len(self.graph)} of {self.total})"
        if len(shown) < len(self.graph):
            title += f"; {len(self.graph) - len(shown)} left out for want of room"
        set_title(ax, title)
        apply_style(ax, self.nodes_, style)
        return self

    def _place_nodes(self, layers: dict[int, list[Any]]) -> dict[Any, tuple[float, float]]:
        """Return where each node stands: below the mean of those that beat it, without overlap."""
        widest = max(map(len, layers.values()), default=1)
        places: dict[Any, tuple[float, float]] = {}
        for layer, nodes in sorted(layers.items()):
            means = {}
            for node in nodes:
                parents = [name for name in self.graph.predecessors(node) if name in places]
                above = [places[name][0] for name in parents]
                means[node] = sum(above) / len(above) if above else 0.0
            ordered = sorted(nodes, key=lambda node: means[node])
            step = widest / len(nodes)
            for k, node in enumerate(ordered):
                places[node] = ((k + 0.5) * step - 0.5, -float(layer))
        return places
