"""The network of peers: a directed graph from each inefficient DMU to its peers, weighted by λ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from matplotlib.collections import LineCollection

from deabench.plot.canvas import (
    COLOURS,
    GREY,
    apply_style,
    background_colour,
    make_axes,
    set_title,
)
from deabench.plot.display import Display
from deabench.plot.placement import dots_along, place_names
from deabench.results.ranking import SMALLEST_INTENSITY

if TYPE_CHECKING:
    from deabench.results.ranking import Ranking

MAX_NODES = 300
"""More DMUs cannot be told apart: those with the highest scores are drawn, the rest are counted."""


@dataclass(repr=False)
class PeerNetworkDisplay(Display):
    """Efficient DMUs on a circle and the DMUs they are peers of; lines as wide as their λ.

    Attributes
    ----------
    graph : networkx.DiGraph
        Edges from a DMU to its peer with `weight` λ in (0, 1]; nodes with `efficient` and
        `followers` (the sum of the λ).
    positions : mapping of node to (x, y)
    left_out : int
        DMUs that are not drawn.
    ax_, figure_, nodes_, edges_, texts_, unnamed_ : artists, and the number of names without room

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.PeerNetworkDisplay.from_result(db.rank(wine, outputs=["TPR", "TNR"]))
    PeerNetworkDisplay: not drawn yet; plot() draws it
    """

    graph: nx.DiGraph
    positions: dict[Any, np.ndarray]
    left_out: int = 0

    @classmethod
    def from_result(cls, ranking: Ranking, *, max_nodes: int = MAX_NODES) -> PeerNetworkDisplay:
        """Show the network of a ranking's λ; a DMU that is its own only peer has no edge."""
        scores = ranking.scores.to_numpy()
        # Best scores first; DMUs without a score have no peers.
        rows = np.argsort(-scores, kind="stable")
        rows = rows[~np.isnan(scores[rows])]
        labels = ranking.scores.index
        efficient = ranking.efficient.to_numpy()
        is_own_reference = ranking.reference.outputs.equals(ranking.data.outputs)
        graph = nx.DiGraph()
        for row in rows[:max_nodes]:
            name = labels[row]
            graph.add_node(name, efficient=bool(efficient[row]))
            columns = ranking.intensities.columns[row]
            values = ranking.intensities.values[row]
            for column, value in zip(columns, values, strict=True):
                if column < 0 or value <= SMALLEST_INTENSITY:
                    continue
                peer = ranking.reference.labels[column]
                if is_own_reference and peer == name:
                    continue
                if not is_own_reference and peer in labels:
                    # A reference DMU may have the name of a tested one.
                    peer = f"{peer} (reference)"
                graph.add_edge(name, peer, weight=float(value))
        # Peers that are not in the ranking's rows are reference DMUs, and efficient.
        for node, attributes in graph.nodes(data=True):
            attributes.setdefault("efficient", True)
            attributes["followers"] = float(graph.in_degree(node, weight="weight"))
        return cls(graph, _compute_layout(graph), max(len(rows) - max_nodes, 0))

    def plot(self, ax: Any = None, **style: Any) -> PeerNetworkDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the nodes."""
        self.ax_ = ax = make_axes(ax, size=(7.0, 6.2))
        edges = list(self.graph.edges(data="weight"))
        segments = np.array([[self.positions[a], self.positions[b]] for a, b, _ in edges])
        segments = segments.reshape(-1, 2, 2)
        # Many edges are drawn thinner and paler.
        thinning = min(1.0, 60 / max(len(edges), 1))
        self.edges_ = ax.add_collection(
            LineCollection(
                list(segments),
                linewidths=[0.4 + 3 * weight * thinning for *_, weight in edges],
                colors=GREY,
                alpha=0.35 + 0.35 * thinning,
                zorder=1,
            )
        )
        self.nodes_ = [self._draw_nodes(ax, efficient=True), self._draw_nodes(ax, efficient=False)]
        ax.set(xlim=(-1.3, 1.3), ylim=(-1.15, 1.15))
        ax.set_axis_off()
        title = (
            "● efficient, larger the more systems it is a peer of; "
            "◇ not efficient, its lines lead to its peers\n"
        )
        if self.left_out:
            title += f"{self.left_out} systems with lower scores are not drawn; "
        set_title(ax, title + "a line is as wide as its λ")
        # Names of efficient DMUs come first, those with the most followers before the others.
        attributes = self.graph.nodes
        order = sorted(
            self.graph,
            key=lambda node: (not attributes[node]["efficient"], -attributes[node]["followers"]),
        )
        self.texts_, self.unnamed_ = place_names(
            ax,
            np.array([self.positions[node] for node in order]).reshape(-1, 2),
            order,
            avoid=dots_along(segments, 12) if len(edges) <= 60 else None,
            radii=np.sqrt([self._marker_area(node) for node in order]) / 2,
        )
        apply_style(ax, self.nodes_, style)
        return self

    def _draw_nodes(self, ax: Any, *, efficient: bool) -> Any:
        nodes = [node for node, flag in self.graph.nodes(data="efficient") if flag is efficient]
        points = np.array([self.positions[node] for node in nodes]).reshape(-1, 2)
        look = {"marker": "D", "facecolors": background_colour(), "edgecolors": COLOURS[1]}
        if efficient:
            look = {"marker": "o", "facecolors": COLOURS[0], "edgecolors": COLOURS[0]}
        return ax.scatter(
            points[:, 0],
            points[:, 1],
            s=[self._marker_area(node) for node in nodes],
            zorder=3,
            linewidths=1.0,
            **look,
        )

    def _marker_area(self, node: Any) -> float:
        """Return the area of a node's marker, in square points."""
        attributes = self.graph.nodes[node]
        if not attributes["efficient"]:
            return 26.0
        # The area of a marker grows with the sum of λ, so that its size can be compared.
        largest = max((count for _, count in self.graph.nodes(data="followers")), default=0.0)
        return 60 + 240 * float(attributes["followers"]) / max(largest, 1e-9)


def _compute_layout(graph: nx.DiGraph) -> dict[Any, np.ndarray]:
    """Put efficient DMUs on a circle and the others by springs near theirs, within [-1, 1]."""
    if not len(graph):
        return {}
    efficient = [node for node, flag in graph.nodes(data="efficient") if flag]
    circle: dict[Any, np.ndarray] = nx.circular_layout(sorted(efficient, key=str))
    if len(circle) == len(graph):
        return circle
    # Each other DMU starts at the mean of its peers, shifted by the golden angle times its number,
    # so that no two start at the same place.
    start = dict(circle)
    for k, node in enumerate(graph):
        if node in circle:
            continue
        peers = [circle[peer] for peer in graph.successors(node) if peer in circle]
        centre = np.zeros(2)
        if peers:
            centre = np.mean(peers, axis=0)
        start[node] = centre + 0.15 * np.array([np.cos(2.4 * k), np.sin(2.4 * k)])
    positions = nx.spring_layout(
        graph.to_undirected(),
        pos=start,
        fixed=efficient or None,
        seed=0,
        weight="weight",
        k=1.0 / np.sqrt(len(graph)),
        iterations=40,
        method="force",
    )
    # Springs may push nodes off the circle.
    extent = max(1.0, max(float(np.abs(point).max()) for point in positions.values()))
    return {node: point / extent for node, point in positions.items()}
