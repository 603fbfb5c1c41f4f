"""Pictures of facets: their graph, and the cost ratios for which each DMU is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    add_legend,
    annotate_rows,
    apply_style,
    background_colour,
    draw_grid,
    escape_label,
    font_size,
    has_layout_engine,
    make_axes,
    set_title,
    text_colour,
)
from deabench.plot.display import Display
from deabench.plot.placement import dots_along, place_names

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier

MAX_FACETS = 150
"""More facets are not drawn: full-dimensional ones come first, the rest are counted."""


@dataclass(repr=False)
class FacetGraphDisplay(Display):
    """The graph of facets: nodes are facets, lines are shared ridges, for any number of metrics.

    A facet is named by its DMUs if that is short, else by its number.

    Attributes
    ----------
    graph : networkx.Graph
        As `Frontier.graph`, of the facets that are drawn.
    positions : mapping of facet to (x, y)
    left_out : int
        Facets that are not drawn.
    ax_, figure_, nodes_, edges_, texts_, unnamed_ : artists, and the number of names without room

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.FacetGraphDisplay.from_result(db.frontier(wine, outputs=["TPR", "TNR"]))
    FacetGraphDisplay: not drawn yet; plot() draws it
    """

    graph: nx.Graph
    positions: dict[Any, np.ndarray]
    left_out: int = 0

    @classmethod
    def from_result(cls, front: Frontier, *, max_facets: int = MAX_FACETS) -> FacetGraphDisplay:
        """Show the graph of a frontier's facets."""
        is_full = front.graph.nodes(data="full_dimensional")
        # Full-dimensional facets first, then by number.
        order = sorted(front.graph, key=lambda facet: (not is_full[facet], facet))
        graph = front.graph.subgraph(order[:max_facets])
        return cls(graph, _compute_layout(graph), len(order) - len(graph))

    def plot(self, ax: Any = None, **style: Any) -> FacetGraphDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the nodes."""
        self.ax_ = ax = make_axes(ax, size=(7.0, 5.6))
        ridges = np.array([[self.positions[a], self.positions[b]] for a, b in self.graph.edges])
        ridges = ridges.reshape(-1, 2, 2)
        self.edges_ = ax.add_collection(
            LineCollection(list(ridges), colors=GREY, linewidths=0.9, zorder=1)
        )
        is_full = dict(self.graph.nodes(data="full_dimensional"))
        self.nodes_ = []
        for flag, marker, edge, face, label in (
            (True, "o", COLOURS[0], COLOURS[0], "efficient throughout"),
            (False, "s", COLOURS[1], background_colour(), "flat in some metric"),
        ):
            facets = [facet for facet in is_full if bool(is_full[facet]) is flag]
            points = np.array([self.positions[facet] for facet in facets]).reshape(-1, 2)
            nodes = ax.scatter(
                *points.T,
                s=70,
                marker=marker,
                zorder=3,
                edgecolors=edge,
                label=label,
                facecolors=face,
            )
            self.nodes_.append(nodes)
        # Room for names beside the nodes, and for the legend below them.
        ax.set(xlim=(-1.35, 1.35), ylim=(-1.45, 1.2))
        ax.set_axis_off()
        title = "facets, joined where they share a ridge"
        if self.left_out:
            title += f"; {self.left_out} more are not drawn"
        set_title(ax, title)
        add_legend(ax, self.nodes_, loc="lower center", ncols=2, frameon=False)
        order = sorted(is_full, key=lambda facet: not is_full[facet])
        self.texts_, self.unnamed_ = place_names(
            ax,
            np.array([self.positions[facet] for facet in order]).reshape(-1, 2),
            self._facet_names(order),
            # Names keep clear of ridges, unless there are so many that no place would remain.
            avoid=dots_along(ridges, 16) if len(ridges) <= 80 else None,
            radii=np.full(len(order), 4.5),
        )
        apply_style(ax, self.nodes_, style)
        return self

    def _facet_names(self, facets: list[Any]) -> list[str]:
        """Name each facet by its DMUs if that is short, else by its number; no name twice."""
        names = []
        for facet in facets:
            vertices = self.graph.nodes[facet]["vertices"]
            name = " – ".join(escape_label(label) for label in vertices)
            if len(name) > 34:
                name = f"facet {facet}"
            names.append(name)
        return [
            name if names.count(name) == 1 else f"{name} ({facet})"
            for name, facet in zip(names, facets, strict=True)
        ]


def _compute_layout(graph: nx.Graph) -> dict[Any, np.ndarray]:
    """Return positions of the facets within [-1, 1]."""
    if len(graph) < 2:
        return {facet: np.zeros(2) for facet in graph}
    if len(graph) == 2:
        return {facet: np.array([x, 0.0]) for facet, x in zip(graph, (-0.8, 0.8), strict=True)}
    if len(graph) <= 60:
        positions = nx.kamada_kawai_layout(graph)
    # Springs take less time than path lengths in large graphs.
    else:
        positions = nx.spring_layout(graph, seed=0, iterations=60, method="force")
    points = np.array(list(positions.values()))
    # Stretch the layout in both directions to fill the picture.
    low = points.min(axis=0)
    extent = np.maximum(points.max(axis=0) - low, 1e-9)
    return {facet: (point - low) / extent * 2 - 1 for facet, point in positions.items()}


@dataclass(repr=False)
class CostRangeDisplay(Display):
    """One bar per classifier of the frontier: the cost ratios at which it is the best.

    Attributes
    ----------
    ranges : DataFrame
        Index: the classifier; from_ratio, to_ratio: cost of a false negative over that of a false
        positive; may be 0, inf.
    prevalence : float
        The share of positives that the ranges hold for.
    ax_, figure_, bars_, texts_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.CostRangeDisplay.from_result(db.frontier(wine, outputs=["TPR", "TNR"]))
    CostRangeDisplay: not drawn yet; plot() draws it
    """

    ranges: pd.DataFrame
    prevalence: float

    @classmethod
    def from_result(cls, front: Frontier, *, prevalence: float = 0.5) -> CostRangeDisplay:
        """Show the ranges of a frontier in TPR and TNR; see `Frontier.cost_ranges`."""
        return cls(front.cost_ranges(prevalence=prevalence), prevalence)

    def plot(self, ax: Any = None, **style: Any) -> CostRangeDisplay:
        """Draw with a logarithmic axis on `ax`, or on a new figure; keywords are for the bars."""
        count = len(self.ranges)
        self.ax_ = ax = make_axes(ax, size=(7.4, 1.4 + 0.34 * count))
        # The axis reaches beyond the finite ratios on both sides; bars to 0 or infinity end there.
        ratios = self.ranges.to_numpy().ravel()
        ratios = np.append(ratios[(ratios > 0) & np.isfinite(ratios)], 1.0)
        low = ratios.min() / 4
        high = ratios.max() * 4
        start = self.ranges["from_ratio"].clip(lower=low)
        end = self.ranges["to_ratio"].clip(upper=high)
        y = np.arange(count)
        self.bars_ = ax.barh(
            y,
            end - start,
            left=start,
            height=0.66,
            color=COLOURS[4],
            edgecolor=COLOURS[0],
            zorder=2,
        )
        self.texts_ = []
        if has_layout_engine(ax):
            texts = [_range_text(a, b) for a, b in self.ranges.to_numpy()]
            self.texts_ = annotate_rows(ax, texts, "", size=8)
        ax.axvline(1, color=text_colour(), linewidth=0.8, zorder=3)
        ax.set_xscale("log")
        # Over few decades 1, 2, 5 are labelled, over many only the powers of ten.
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 200 else (1,)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        draw_grid(ax)
        ax.set(
            xlim=(low, high),
            ylim=(count - 0.5, -0.5),
            xlabel="cost of a false negative : cost of a false positive "
            "(logarithmic; line: equal costs)",
        )
        ax.set_yticks(y, [escape_label(name) for name in self.ranges.index], fontsize=font_size(8))
        set_title(
            ax, f"the classifier with the least expected cost, at {self.prevalence:.3g} positives"
        )
        apply_style(ax, [self.bars_], style)
        return self


def _range_text(low: float, high: float) -> str:
    if low == 0 and np.isinf(high):
        return "every ratio"
    if low == 0:
        return f"below {high:.3g}"
    if np.isinf(high):
        return f"above {low:.3g}"
    return f"{low:.3g} to {high:.3g}"
