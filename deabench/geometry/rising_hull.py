"""Upper hulls of points in the plane, by Andrew's monotone chain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def upper_hull(x: Sequence[float], y: Sequence[float]) -> list[int]:
    """Return the vertices of the upper convex hull of points that come by rising x.

    Whole numbers stay exact. A point on an edge but not at its end is no vertex.

    Parameters
    ----------
    x, y : sequences of n numbers
        x does not fall; of equal x, y rises.

    Returns
    -------
    list of int
        Positions, rising.

    Examples
    --------
    >>> upper_hull([0, 0, 1, 2, 4], [0, 1, 2, 3, 3])
    [0, 1, 3, 4]
    """
    vertices: list[int] = []
    for k in range(len(x)):
        # A vertex on or below the line from the one before it to the new point leaves the hull.
        while len(vertices) > 1:
            i, j = vertices[-2:]
            if (x[j] - x[i]) * (y[k] - y[i]) < (y[j] - y[i]) * (x[k] - x[i]):
                break
            vertices.pop()
        vertices.append(k)
    return vertices


def rising_hull(x: np.ndarray, y: np.ndarray) -> list[int]:
    """Return the vertices of the non-decreasing concave hull, by rising x and y.

    These are the extreme points of what mixtures reach where less of x and more of y is better.

    Parameters
    ----------
    x, y : arrays (n,)

    Returns
    -------
    list of int
        Positions; of equal points the first.

    Examples
    --------
    >>> import numpy as np
    >>> rising_hull(np.array([1.0, 2, 4, 5]), np.array([0.5, 0.8, 0.9, 0.7]))
    [0, 1, 2]
    """
    # By x, of equal x the highest first; what has more x and no more y is left out.
    order = np.lexsort((-y, x))
    highest_before = np.maximum.accumulate(np.append(-np.inf, y[order]))[:-1]
    rising = order[y[order] > highest_before]
    vertices = upper_hull(x[rising].tolist(), y[rising].tolist())
    return [int(k) for k in rising[vertices]]
