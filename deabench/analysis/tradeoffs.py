"""What the facets of a frontier say of its metrics: what one costs in another, facet by facet, and
for which costs who is best.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.faces import Hull
from deabench.tables.transforms import AffineTransform


def graph(facets: pd.DataFrame, outputs: list[str], vertices: list[Any], hull: Hull) -> Any:
    """The networkx graph of facets: see `deabench.analysis.frontier.Frontier.graph`."""
    import networkx as nx

    made = nx.Graph(outputs=outputs)
    for facet, row in facets.iterrows():
        normal = {metric: float(row[metric]) for metric in outputs}
        made.add_node(
            facet,
            normal=normal,
            offset=float(row["offset"]),
            vertices=row["vertices"],
            full_dimensional=bool(row["full_dimensional"]),
            trade_off=_trade_off(normal),
        )
    for a, b in hull.ridges():
        shared = hull.on[a] & hull.on[b]
        made.add_edge(a, b, vertices=tuple(vertices[k] for k in np.flatnonzero(shared)))
    return made


def graphml(facets: Any) -> str:
    """A graph of facets as GraphML: what it cannot hold (pairs, mappings) becomes text or a number
    each.
    """
    import networkx as nx

    flat = nx.Graph()
    for facet, node in facets.nodes(data=True):
        numbers = {f"normal {metric}": value for metric, value in node["normal"].items()}
        rates = {f"trade-off {a} per {b}": rate for (b, a), rate in node["trade_off"].items()}
        flat.add_node(
            facet,
            offset=node["offset"],
            full_dimensional=node["full_dimensional"],
            vertices=_listed(node["vertices"]),
            **numbers,
            **rates,
        )
    for a, b, edge in facets.edges(data=True):
        flat.add_edge(a, b, vertices=_listed(edge["vertices"]))
    return "\n".join(nx.generate_graphml(flat)) + "\n"


def prices(facets: Any, transforms: Mapping[str, AffineTransform]) -> pd.DataFrame:
    """What one unit of a metric costs in another along each facet of a graph that is efficient
    throughout.
    """
    rows = []
    for facet, node in facets.nodes(data=True):
        if node["full_dimensional"]:
            for (gain, pay), rate in node["trade_off"].items():
                one = "one less" if transforms.get(gain, AffineTransform()).sign < 0 else "one more"
                rows.append(
                    (
                        facet,
                        gain,
                        pay,
                        rate,
                        f"{one} of '{gain}' costs {rate:.4g} of '{pay}' on this facet",
                    )
                )
    return pd.DataFrame(rows, columns=["facet", "gain", "pay", "rate", "says"]).set_index("facet")


def cost_ranges(points: pd.DataFrame, prevalence: float) -> pd.DataFrame:
    """From which to which ratio of costs each vertex (its TPR and TNR a row) has the least expected
    cost.
    """
    if set(points.columns) != {"TPR", "TNR"}:
        raise DataError(
            f"cost ranges need a frontier in TPR and TNR; this one is in {', '.join(points.columns)}"
        )
    if not 0 < prevalence < 1:
        raise DataError(
            f"the prevalence is {prevalence:g}; give a share between 0 and 1, both excluded"
        )
    chain = points.sort_values("TPR")
    low, rows = 0.0, []
    for label, following in zip(chain.index, [*chain.index[1:], None], strict=True):
        high = np.inf
        if following is not None:
            gain = chain.loc[following, "TPR"] - chain.loc[label, "TPR"]
            loss = chain.loc[label, "TNR"] - chain.loc[following, "TNR"]
            high = loss / gain * (1 - prevalence) / prevalence
        rows.append((label, low, high))
        low = high
    return pd.DataFrame(rows, columns=["classifier", "from_ratio", "to_ratio"]).set_index(
        "classifier"
    )


def _trade_off(normal: dict[str, float]) -> dict[tuple[str, str], float]:
    """How much of metric b one unit of metric a is worth on the facet: normal_a / normal_b."""
    return {
        (a, b): abs(normal[a] / normal[b])
        for a in normal
        for b in normal
        if a != b and normal[b] != 0
    }


def _listed(labels: tuple[Any, ...]) -> str:
    return ", ".join(str(label) for label in labels)
