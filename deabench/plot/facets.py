"""The facet graph: facets as nodes, shared ridges as lines, for frontiers of any number of metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    background_colour,
    escape_label,
    make_axes,
)
from deabench.plot.display import Display
from deabench.plot.placement import along, place_names

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier

MOST = 150
"""More facets than these are not drawn; the full-dimensional ones come first, the rest are counted.
"""


@dataclass(repr=False)
class FacetGraphDisplay(Display):
    """Facets near each other share a ridge; each is named by its DMUs, or by its number where they
    are many.

    Attributes
    ----------
    graph : networkx.Graph
        As `Frontier.graph`, of the facets that are drawn.
    places : mapping of facet to (x, y)
    left_out : int
        Facets that are not drawn.
    ax_, figure_, nodes_, edges_, texts_, unnamed_ : artists and the number of names left out, once
    drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.FacetGraphDisplay.from_result(db.frontier(wine, outputs=["TPR", "TNR"]))
    FacetGraphDisplay: not drawn yet; plot() draws it
    """

    graph: nx.Graph
    places: dict[Any, np.ndarray]
    left_out: int = 0

    @classmethod
    def from_result(cls, front: Frontier, *, most: int = MOST) -> FacetGraphDisplay:
        """The graph of a frontier's facets."""
        whole = front.graph
        kept = sorted(whole, key=lambda node: (not whole.nodes[node]["full_dimensional"], node))[
            :most
        ]
        graph = whole.subgraph(kept)
        return cls(graph, _layout(graph), len(whole) - len(kept))

    def plot(self, ax: Any = None, **look: Any) -> FacetGraphDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        from matplotlib.collections import LineCollection

        self.ax_ = ax = make_axes(ax, size=(7.0, 5.6))
        self.figure_ = ax.figure
        ends = np.array([[self.places[a], self.places[b]] for a, b in self.graph.edges]).reshape(
            -1, 2, 2
        )
        self.edges_ = ax.add_collection(
            LineCollection(list(ends), colors=GREY, linewidths=0.9, zorder=1)
        )
        full = {
            node: bool(facts["full_dimensional"]) for node, facts in self.graph.nodes(data=True)
        }
        self.nodes_ = []
        for k, (flag, marker, words) in enumerate(
            ((True, "o", "efficient throughout"), (False, "s", "flat in some metric"))
        ):
            spots = np.array([self.places[node] for node in full if full[node] is flag]).reshape(
                -1, 2
            )
            self.nodes_.append(
                ax.scatter(
                    *spots.T,
                    s=70,
                    marker=marker,
                    zorder=3,
                    edgecolors=COLOURS[k],
                    label=words,
                    facecolors=COLOURS[k] if flag else background_colour(),
                )
            )
        ax.set(xlim=(-1.35, 1.35), ylim=(-1.45, 1.2))
        ax.set_axis_off()
        more = f"; {self.left_out} more are not drawn" if self.left_out else ""
        ax.set_title(f"facets, joined where they share a ridge{more}", fontsize=9, loc="left")
        ax.legend(handles=self.nodes_, fontsize=8, loc="lower center", ncols=2, frameon=False)
        order = sorted(full, key=lambda node: not full[node])
        names = [_name(node, self.graph.nodes[node]["vertices"]) for node in order]
        names = [
            name if names.count(name) == 1 else f"{name} ({node})"
            for name, node in zip(names, order, strict=True)
        ]
        self.texts_, self.unnamed_ = place_names(
            ax,
            np.array([self.places[node] for node in order]).reshape(-1, 2),
            names,
            avoid=along(ends, 16) if len(ends) <= 80 else None,
            radii=np.full(len(order), 4.5),
        )
        apply_style(ax, self.nodes_, look)
        return self


def _name(facet: Any, vertices: tuple[Any, ...]) -> str:
    """The facet's DMUs where that is short, else its number in `Frontier.facets`."""
    joined = " – ".join(escape_label(label) for label in vertices)
    return joined if len(joined) <= 34 else f"facet {facet}"


def _layout(graph: nx.Graph) -> dict[Any, np.ndarray]:
    if len(graph) < 3:
        return {
            node: np.array([0.8 * (2 * k - 1) if len(graph) > 1 else 0.0, 0.0])
            for k, node in enumerate(graph)
        }
    places = (
        nx.kamada_kawai_layout(graph)
        if len(graph) <= 60
        else nx.spring_layout(graph, seed=0, iterations=60, method="force")
    )
    spread = np.array([places[node] for node in graph])
    low, high = spread.min(axis=0), spread.max(axis=0)
    return {node: (places[node] - low) / np.maximum(high - low, 1e-9) * 2 - 1 for node in graph}
