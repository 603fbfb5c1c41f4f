"""The non-decreasing concave hull of points in the plane."""

from __future__ import annotations

import numpy as np


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
    # By x, of equal x the highest first; what has more x and no more y is skipped.
    order = np.lexsort((-y, x))
    vertices: list[int] = []
    for k in order:
        if vertices and y[k] <= y[vertices[-1]]:
            continue
        # A vertex on or below the line from the one before it to the new point leaves the hull.
        while len(vertices) > 1:
            a, b = vertices[-2:]
            if (y[b] - y[a]) * (x[k] - x[a]) > (y[k] - y[a]) * (x[b] - x[a]):
                break
            vertices.pop()
        vertices.append(int(k))
    return vertices
