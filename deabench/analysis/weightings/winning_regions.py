"""Find the weightings under which a row is first: its region, with centre, size and neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from deabench.geometry.share_polytopes import SharePolytope
from deabench.results.weightings import WeightedSide, WinningRegion
from deabench.solver.highs import Solver
from deabench.solver.template import Template, compile_template, expand_template
from deabench.utils.progress import check_time

MAX_METRICS = 6
"""With more metrics a region has too many vertices to be listed."""


def find_region(side: WeightedSide, k: int, labels: Sequence[Any]) -> WinningRegion | None:
    """Return the weightings under which no row is above row k; None where there are none."""
    gaps = side.corner_values - side.corner_values[k]
    # Only rows that are above somewhere bound the region; the highest first cut off most.
    rivals = np.flatnonzero((gaps > 0).any(axis=1))
    heights = (gaps[rivals].sum(axis=1) / side.corner_scale).astype(float)
    region = side.polytope
    rivals = rivals[np.argsort(-heights, kind="stable")]
    for rival in rivals:
        check_time()
        g = side.values[rival] - side.values[k]
        divisor = math.gcd(*g)
        region = region.cut([entry // divisor for entry in g])
        if not region.rays:
            return None
    first_rival = len(side.polytope.halfspaces)
    neighbours = [labels[rivals[i - first_rival]] for i in region.facets if i >= first_rival]
    return _describe_region(side, region, tuple(neighbours))


def _describe_region(
    side: WeightedSide, region: SharePolytope, neighbours: tuple[Any, ...]
) -> WinningRegion:
    names = list(side.names)
    vertices = pd.DataFrame(region.shares, columns=names)
    if not region.has_interior and len(names) > 1:
        middle = vertices.mean()
        return WinningRegion(vertices, 0.0, middle, middle, 0.0, neighbours)
    corners = region.shares[np.array(region.simplices)]
    volumes = region.volumes
    # The centroid of a simplex is the mean of its corners.
    centroid = volumes @ corners.mean(axis=1) / volumes.sum()
    share = float(volumes.sum() / side.polytope.volumes.sum())
    centre, radius = find_inner_ball(region)
    return WinningRegion(
        vertices,
        share,
        pd.Series(centroid, index=names),
        pd.Series(centre, index=names),
        radius,
        neighbours,
    )


def find_inner_ball(region: SharePolytope) -> tuple[np.ndarray, float]:
    """Return the centre of the largest ball inside a polytope of shares, and its radius.

    The ball lies in the plane Σ w = 1. One share alone has no room to move: its radius is 0.
    """
    s = region.dimension
    if s == 1:
        return np.ones(1), 0.0
    halfspaces = np.array([region.halfspaces[i] for i in region.facets], dtype=object)
    largest = np.array([max(map(abs, row)) for row in halfspaces], dtype=object)
    normals = (halfspaces / largest[:, None]).astype(float)
    # An orthonormal basis of the plane: the directions in which the sum stays 1.
    basis = np.linalg.svd(np.ones((1, s)))[2][1:].T
    middle = np.full(s, 1.0 / s)
    inside = normals @ basis
    data = np.column_stack([inside, -normals @ middle, np.linalg.norm(inside, axis=1)])
    solver = Solver(expand_template(_inner_ball_template(s - 1), data, np.zeros(0)))
    solver.run("inner ball")
    solution = solver.values()
    return middle + basis @ solution[: s - 1], float(solution[s - 1])


@lru_cache(maxsize=8)
def _inner_ball_template(dimension: int) -> Template:
    from deabench_models import inner_ball

    tables = {"G": range(dimension), "H": ["bound"], "N": ["length"]}
    return compile_template(inner_ball, tables, {})
