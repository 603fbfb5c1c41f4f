"""From the rows that can be extreme to a Frontier."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry import faces
from deabench.geometry.dominance import find_dominators
from deabench.models.base import Technology
from deabench.results.frontier import Frontier, SourceSummary, representative_rows
from deabench.tables.transforms import Data
from deabench.utils.arrays import box

LISTED = 1 << 25
"""Facets times points that are listed at once; more are when they are asked for."""
ENOUGH = 3_000
"""Candidates from which on it is looked at first whether that pays."""


def spanned(data: Data, seen: SourceSummary, technology: Technology = "convex") -> Frontier:
    """The frontier of rows among which all the extreme ones are; what is not extreme, or not as one
    that is, is left out.
    """
    values = data.outputs.to_numpy()
    zero = ~(seen.high > 0) & ~(seen.low < 0)
    if zero.any():
        raise DataError(
            f"metric '{data.outputs.columns[int(np.argmax(zero))]}' is 0 for every DMU; leave it out"
        )
    origin, unit = box(np.vstack([seen.low, seen.high]))
    many = technology == "convex" and _many(values)
    dominator = np.arange(len(values)) if many else find_dominators(values)
    kept = np.flatnonzero(dominator == np.arange(len(values)))
    hull = (
        None if many or technology == "fdh" else faces.build_hull(((values - origin) / unit)[kept])
    )
    where = kept if hull is None else kept[hull.rows]
    rows = np.flatnonzero(np.isin(representative_rows(values, dominator), where))
    if hull is not None:
        s, e = values.shape[1], len(where)
        place = np.full(len(kept) + s, -1)
        place[hull.rows], place[len(kept) :] = np.arange(e), e + np.arange(s)
        hull = replace(hull, rows=np.arange(e), members=np.sort(place[hull.members], axis=1))
    return Frontier(
        extreme=data.labels[rows].tolist(),
        vertices=data.labels[where].tolist(),
        data=replace(data, outputs=data.outputs.iloc[rows], inputs=data.inputs.iloc[rows]),
        origin=origin,
        unit=unit,
        dominator=np.searchsorted(rows, dominator[rows]),
        precomputed_hull=hull,
        technology=technology,
        source_summary=seen,
    )


def _many(values: np.ndarray) -> bool:
    """Whether the facets of candidates are too many to be listed with all the points on each."""
    if len(values) <= ENOUGH:
        return False
    from deabench.geometry.facet_walk import cones_of_points
    from deabench.streaming.candidates import MOST_FACETS

    return len(values) * cones_of_points(values, MOST_FACETS)[1] > LISTED


def framed(values: np.ndarray, outputs: tuple[str, ...], labels: list[str]) -> Data:
    """Metrics (k, s) with their names and labels, as they come from the gate."""
    frame = pd.DataFrame(values, columns=list(outputs), index=pd.Index(labels, dtype=object))
    return Data(frame, frame.iloc[:, :0])
