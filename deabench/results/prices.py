"""Read trade-offs off the facets of a frontier: its graph, prices between metrics, cost ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError, warn_data
from deabench.geometry.faces import Hull
from deabench.tables.transforms import AffineTransform

UNCHANGED = AffineTransform()


def build_facet_graph(
    facets: pd.DataFrame, outputs: list[str], vertices: list[Any], hull: Hull
) -> Any:
    """Build the networkx graph of the facets of a frontier: see `Frontier.graph`."""
    import networkx as nx

    graph = nx.Graph(outputs=outputs)
    for facet, row in facets.iterrows():
        normal = {metric: float(row[metric]) for metric in outputs}
        graph.add_node(
            facet,
            normal=normal,
            offset=float(row["offset"]),
            vertices=row["vertices"],
            full_dimensional=bool(row["full_dimensional"]),
            trade_off=_trade_offs(normal),
        )
    # Facets that share a ridge are neighbours; what both contain are the ridge's vertices.
    for first, second in hull.ridges():
        shared = np.flatnonzero(hull.incidence[first] & hull.incidence[second])
        graph.add_edge(first, second, vertices=tuple(vertices[k] for k in shared))
    return graph


def _trade_offs(normal: dict[str, float]) -> dict[tuple[str, str], float]:
    """Return how much of metric b one unit of a is worth on a facet, for all pairs (a, b)."""
    # On the facet normal_a dY_a + normal_b dY_b = 0.
    return {
        (a, b): abs(normal[a] / normal[b])
        for a in normal
        for b in normal
        if a != b and normal[b] != 0
    }


def format_graphml(graph: Any) -> str:
    """Write a graph of facets as GraphML; pairs and mappings become one attribute each."""
    import networkx as nx

    # GraphML attributes are numbers and texts only.
    flat = nx.Graph()
    for facet, node in graph.nodes(data=True):
        normals = {f"normal {metric}": value for metric, value in node["normal"].items()}
        rates = {f"trade-off {a} per {b}": rate for (b, a), rate in node["trade_off"].items()}
        flat.add_node(
            facet,
            offset=node["offset"],
            full_dimensional=node["full_dimensional"],
            vertices=", ".join(map(str, node["vertices"])),
            **normals,
            **rates,
        )
    for first, second, edge in graph.edges(data=True):
        flat.add_edge(first, second, vertices=", ".join(map(str, edge["vertices"])))
    return "\n".join(nx.generate_graphml(flat)) + "\n"


def compute_prices(graph: Any, transforms: Mapping[str, AffineTransform]) -> pd.DataFrame:
    """Return what one unit of a metric costs in another on each facet: see `Frontier.prices`."""
    rows = []
    for facet, node in graph.nodes(data=True):
        # A facet that is flat in some metric is not efficient throughout: it has no price there.
        if not node["full_dimensional"]:
            continue
        for (gain, pay), rate in node["trade_off"].items():
            improves_by_falling = transforms.get(gain, UNCHANGED).sign < 0
            step = "one less" if improves_by_falling else "one more"
            sentence = f"{step} of '{gain}' costs {rate:.4g} of '{pay}' on this facet"
            rows.append((facet, gain, pay, rate, sentence))
    columns = ["facet", "gain", "pay", "rate", "says"]
    if not rows:
        warn_data(
            f"each of the {len(graph)} facets is flat in some metric, so there are no prices; "
            "rank by fewer metrics, or see the weights in frontier.facets"
        )
    return pd.DataFrame(rows, columns=columns).set_index("facet")


def compute_cost_ranges(points: pd.DataFrame, prevalence: float) -> pd.DataFrame:
    """Return for which ratios of costs each vertex is cheapest: see `Frontier.cost_ranges`."""
    if set(points.columns) != {"TPR", "TNR"}:
        raise DataError(
            f"cost ranges need a frontier in TPR and TNR; this one is in {', '.join(points)}"
        )
    if not 0 < prevalence < 1:
        raise DataError(
            f"the prevalence is {prevalence:g}; give a share between 0 and 1, both excluded"
        )
    # Along the chain of vertices by rising TPR, the ratio of costs at which two neighbours are
    # equally expensive rises, because the frontier is concave.
    chain = points.sort_values("TPR")
    gains = np.diff(chain["TPR"])
    losses = -np.diff(chain["TNR"])
    limits = losses / gains * (1 - prevalence) / prevalence
    return pd.DataFrame(
        {"from_ratio": np.append(0.0, limits), "to_ratio": np.append(limits, np.inf)},
        index=chain.index.rename("classifier"),
    )
