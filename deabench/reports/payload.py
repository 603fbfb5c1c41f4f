"""The data of the interactive plot: metrics, efficiencies, peers and, where they are few enough, the facets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.plot.ranking.scores import peers_text
from deabench.reports.document import plain_value
from deabench.tables.turns import Turn

if TYPE_CHECKING:
    from deabench.dea.frontier import Frontier
    from deabench.reports.build import Findings

NUMBERS = 60_000
"""More numbers of facets than these are not shipped: the page then keeps to the two metrics shown."""


def payload(found: Findings) -> dict[str, Any] | None:
    """What `livePlot` of plot.js reads; None where there are fewer than two metrics."""
    table = _high(found)
    turns = found.front.data.turns if found.front is not None else {}
    metrics = [_called(str(name), turns.get(str(name))) for name in table.columns]
    if len(metrics) < 2:
        return None
    ranking = found.ranking
    at = ranking.scores.index.get_indexer(table.index)
    columns = [str(name) for name in table.columns]
    first = [columns.index(str(name)) for name in (found.front.outputs if found.front else columns)][:2]
    whole, remark = _whole(found.front, table)
    return {
        "metrics": metrics,
        "labels": [str(label) for label in table.index],
        "values": [[plain_value(v) for v in row] for row in table.to_numpy().tolist()],
        "efficiency": [plain_value(ranking.scores.iloc[k]) for k in at],
        "peers": [peers_text(ranking, k) for k in at],
        "tested": _tested(found, table),
        "first": first if len(first) == 2 else [0, 1],
        "norm": found.norm,
        "on": found.on,
        "whole": whole,
        "remark": remark,
    }


def _high(found: Findings) -> pd.DataFrame:
    """The metrics of the plot, all to be high: those of the frontier as they are inside, and the outputs beside them."""
    if found.front is None:
        return found.ranking.data.outputs
    inside = found.front.data.outputs
    more = [name for name in found.metrics if name not in inside and name in found.ranking.data.outputs]
    return inside.join(found.ranking.data.outputs[more])


def _called(name: str, turn: Turn | None) -> str:
    """What the plot shows of a metric that is better low: what is left of it to a greatest value."""
    return name if turn is None or turn.sign > 0 else f"{turn.shift:g} − {name}"


def _tested(found: Findings, table: pd.DataFrame) -> list[dict[str, Any]]:
    """The tested algorithms; a metric that the frontier does not use is taken as the table's median in the plot."""
    if found.tested is None:
        return []
    middle = table.median()
    actual = found.tested.inside.actual
    return [{"label": str(label), "values": [float(row[name]) if name in actual.columns else float(middle[name])
                                             for name in table.columns]} for label, row in actual.iterrows()]


def _whole(front: Frontier | None, table: Any) -> tuple[dict[str, Any] | None, str]:
    """The frontier of all its metrics, for targets in the page; nothing where two metrics are all there are."""
    if front is None or len(front.outputs) < 3:
        return None, ""
    hull, faces = front.hull, [sorted(face) for face in front.hull.maximal]
    size = hull.normals.size + sum(len(face) for face in faces) + len(faces) * len(front.outputs)
    if size > NUMBERS:
        return None, ("Targets in this plot are for the two metrics shown: the frontier of all metrics has "
                      f"{len(hull.normals)} facets, too many for a page; use 'deabench targets' for those.")
    where = {label: k for k, label in enumerate(table.index)}
    return {
        "metrics": [list(map(str, table.columns)).index(str(name)) for name in front.outputs],
        "rows": [where[label] for label in front.vertices],
        "normals": front.plain(hull.normals).tolist(),
        "full": hull.full.tolist(),
        "faces": faces,
        "faceNormals": front.plain(np.array([hull.cone(frozenset(face)).mean(axis=0) for face in faces])).tolist(),
    }, ""
