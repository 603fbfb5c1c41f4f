"""Who is benchmark for whom: a directed graph from each inefficient DMU to its peers, weighted by
λ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from deabench.plot.canvas import COLOURS, GREY, apply_style, background_colour, make_axes
from deabench.plot.display import Display
from deabench.plot.placement import along, place_names

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking

LEAST = 1e-6
"""A λ below this is rounding."""
MOST = 300
"""More learners than these make a ball of wool: the ones with the highest scores are drawn, the
rest are counted.
"""


@dataclass(repr=False)
class PeerNetworkDisplay(Display):
    """Benchmarks on a circle, the DMUs that learn from them beside them; a line is as wide as its
    λ.

    Attributes
    ----------
    graph : networkx.DiGraph
        Edges from a DMU to its peer with `weight` λ in (0, 1]; nodes with `efficient` and
        `followers` (the sum of the λ).
    places : mapping of node to (x, y)
    left_out : int
        DMUs that are not drawn.
    ax_, figure_, nodes_, edges_, texts_, unnamed_ : artists and the number of names left out, once
    drawn

    Examples
    --------
    >>> from deabench import plot
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> plot.PeerNetworkDisplay.from_result(db.rank(wine, outputs=["TPR", "TNR"]))
    PeerNetworkDisplay: not drawn yet; plot() draws it
    """

    graph: nx.DiGraph
    places: dict[Any, np.ndarray]
    left_out: int = 0

    @classmethod
    def from_result(cls, ranking: Ranking, *, most: int = MOST) -> PeerNetworkDisplay:
        """The network of a ranking's λ; a DMU that is its own only peer has no edge."""
        rows = np.argsort(-ranking.scores.to_numpy(), kind="stable")
        rows = rows[~np.isnan(ranking.scores.to_numpy()[rows])]
        graph = nx.DiGraph()
        labels, efficient = ranking.scores.index, ranking.efficient.to_numpy()
        own = ranking.reference.outputs.equals(ranking.data.outputs)
        for row in rows[:most]:
            name = labels[row]
            graph.add_node(name, efficient=bool(efficient[row]))
            for column, value in zip(
                ranking.intensities.columns[row], ranking.intensities.values[row], strict=True
            ):
                peer = ranking.reference.labels[column]
                if column >= 0 and value > LEAST and (peer != name or not own):
                    graph.add_edge(
                        name,
                        peer if own or peer not in labels else f"{peer} (reference)",
                        weight=float(value),
                    )
        for node, facts in graph.nodes(data=True):
            facts.setdefault("efficient", True)
            facts["followers"] = float(graph.in_degree(node, weight="weight"))
        return cls(graph, _layout(graph), len(rows) - min(len(rows), most))

    def plot(self, ax: Any = None, **look: Any) -> PeerNetworkDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        from matplotlib.collections import LineCollection

        self.ax_ = ax = make_axes(ax, size=(7.0, 6.2))
        self.figure_ = ax.figure
        edges = list(self.graph.edges(data="weight"))
        lines = np.array([[self.places[a], self.places[b]] for a, b, _ in edges]).reshape(-1, 2, 2)
        thin = min(1.0, 60 / max(len(edges), 1))
        self.edges_ = ax.add_collection(
            LineCollection(
                list(lines),
                linewidths=[0.4 + 3 * w * thin for *_, w in edges],
                colors=GREY,
                alpha=0.35 + 0.35 * thin,
                zorder=1,
            )
        )
        self.nodes_ = [self._nodes(ax, flag, k) for k, flag in enumerate((True, False))]
        ax.set(xlim=(-1.3, 1.3), ylim=(-1.15, 1.15))
        ax.set_axis_off()
        order = sorted(
            self.graph,
            key=lambda node: (
                not self.graph.nodes[node]["efficient"],
                -self.graph.nodes[node]["followers"],
            ),
        )
        points = np.array([self.places[node] for node in order]).reshape(-1, 2)
        rest = f"{self.left_out} DMUs with lower scores are not drawn; " if self.left_out else ""
        ax.set_title(
            "who is benchmark for whom: ● efficient, larger the more it serves; ◇ learns from its lines' ends\n"
            f"{rest}a line is as wide as its λ",
            fontsize=9,
            loc="left",
        )
        self.texts_, self.unnamed_ = place_names(
            ax,
            points,
            order,
            avoid=along(lines, 12) if len(edges) <= 60 else None,
            radii=np.sqrt([self._size(node) for node in order]) / 2,
        )
        apply_style(ax, self.nodes_, look)
        return self

    def _nodes(self, ax: Any, efficient: bool, k: int) -> Any:
        chosen = [
            node for node, facts in self.graph.nodes(data=True) if facts["efficient"] is efficient
        ]
        points = np.array([self.places[node] for node in chosen]).reshape(-1, 2)
        sizes = [self._size(node) for node in chosen]
        return ax.scatter(
            points[:, 0],
            points[:, 1],
            s=sizes,
            marker="o" if efficient else "D",
            zorder=3,
            facecolors=COLOURS[0] if efficient else background_colour(),
            edgecolors=COLOURS[k],
            linewidths=1.0,
        )

    def _size(self, node: Any) -> float:
        """The area of a node's marker, in square points."""
        facts = self.graph.nodes[node]
        most = max((served for _, served in self.graph.nodes(data="followers")), default=0.0)
        return 60 + 240 * facts["followers"] / max(most, 1e-9) if facts["efficient"] else 26.0


def _layout(graph: nx.DiGraph) -> dict[Any, np.ndarray]:
    """The benchmarks on a circle, the others drawn to theirs as by springs; a fixed seed; within
    [-1, 1].
    """
    if not len(graph):
        return {}
    leaders = [node for node, facts in graph.nodes(data=True) if facts["efficient"]]
    start = nx.circular_layout(sorted(leaders, key=str)) if leaders else {}
    middle = {
        node: _mean([start[peer] for peer in graph.successors(node) if peer in start], k)
        for k, node in enumerate(graph)
        if node not in start
    }
    if len(start) == len(graph):
        return start
    places = nx.spring_layout(
        graph.to_undirected(),
        pos={**start, **middle},
        fixed=leaders or None,
        seed=0,
        weight="weight",
        k=1.0 / np.sqrt(len(graph)),
        iterations=40,
        method="force",
    )
    size = max(1.0, max(float(np.abs(xy).max()) for xy in places.values()))
    return {node: xy / size for node, xy in places.items()}


def _mean(points: list[np.ndarray], k: int) -> np.ndarray:
    shift = 0.15 * np.array([np.cos(2.4 * k), np.sin(2.4 * k)])  # the golden angle: none on another
    return (np.mean(points, axis=0) if points else np.zeros(2)) + shift
