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


def find_region(
    side: WeightedSide, k: int, candidates: Sequence[int], labels: Sequence[Any]
) -> WinningRegion | None:
    """Return the weightings under which no row is above row k; None where there are none.

    Parameters
    ----------
    candidates : sequence of int
        All rows that can be first: wherever a row is above row k, one of these is.
    labels : sequence
        The names of the rows.
    """
    # By how much each rival is above row k at every vertex of the weights, in whole numbers.
    gaps = side.corner_values[list(candidates)] - side.corner_values[k]
    is_rival = (gaps > 0).any(axis=1)
    rivals = np.array(candidates)[is_rival]
    # Rivals that are above nearly everywhere cut off most, and come first.
    heights = (gaps[is_rival].sum(axis=1) / side.corner_scale).astype(float)
    rivals = rivals[np.argsort(-heights, kind="stable")]
    region = side.polytope
    for rival in rivals:
        check_time()
        g = side.values[rival] - side.values[k]
        # The same half-space in the smallest whole numbers, so that cutting stays exact and quick.
        divisor = math.gcd(*g)
        region = region.cut([entry // divisor for entry in g])
        if not region.rays:
            return None
    # The polytope's own half-spaces come first; facets beyond them are those of rivals.
    first_rival = len(side.polytope.halfspaces)
    neighbours = tuple(labels[rivals[i - first_rival]] for i in region.facets if i >= first_rival)
    if not region.has_interior and len(side.names) > 1:
        middle = pd.Series(region.shares.mean(axis=0), index=list(side.names))
        return WinningRegion(side.names, region, 0.0, middle, middle, 0.0, neighbours)
    corners = region.shares[np.array(region.simplices)]
    volumes = region.volumes
    # The centroid of a simplex is the mean of its corners.
    centroid = volumes @ corners.mean(axis=1) / volumes.sum()
    centre, radius = find_inner_ball(region)
    return WinningRegion(
        names=side.names,
        polytope=region,
        share=float(volumes.sum() / side.polytope.volumes.sum()),
        centroid=pd.Series(centroid, index=list(side.names)),
        centre=pd.Series(centre, index=list(side.names)),
        radius=radius,
        neighbours=neighbours,
    )


def find_inner_ball(region: SharePolytope) -> tuple[np.ndarray, float]:
    """Return the centre of the largest ball inside a polytope of shares, and its radius.

    The ball lies in the plane Σ w = 1. One share alone has no room to move: its radius is 0.
    """
    s = region.dimension
    if s == 1:
        return np.ones(1), 0.0
    halfspaces = np.array([region.halfspaces[i] for i in region.facets], dtype=object)
    # Rows of very large whole numbers are divided before they become floats.
    largest = np.array([max(map(abs, row)) for row in halfspaces], dtype=object)
    normals = (halfspaces / largest[:, None]).astype(float)
    # An orthonormal basis of the plane: the directions in which the sum stays 1.
    basis = np.linalg.svd(np.ones((1, s)))[2][1:].T
    # Shares are the middle of the plane plus a combination of the basis.
    middle = np.full(s, 1.0 / s)
    inside = normals @ basis
    data = np.column_stack([inside, -normals @ middle, np.linalg.norm(inside, axis=1)])
    solver = Solver(expand_template(_inner_ball_template(s - 1), data, np.zeros(0)))
    solver.run("inner ball")
    solution = solver.values()
    return middle + basis @ solution[: s - 1], float(solution[s - 1])


@lru_cache(maxsize=8)
def _inner_ball_template(dimension: int) -> Template:
    tables = {"G": range(dimension), "H": ["bound"], "N": ["length"]}
    return compile_template("inner_ball", tables, {})
