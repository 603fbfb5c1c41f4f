"""The point of least norm of a polytope that only a linear program describes: Wolfe (1976),
Mathematical Programming 11:128-149.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STEPS = 500
SAME = 1e-13
"""The norm is least where no point is shorter along it by more than this share of it."""


def least_norm(
    least: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The point x (s,) of least norm, and its description.

    Parameters
    ----------
    least : function of a cost (s,)
        A point (s,) of the polytope with the least cost, preceded by its description (k,), linear
        in the point; the last call is for the x that is returned, so that its duals prove it.
    first : array (s,)
        The cost of the point to start from.
    """
    described, point = least(first)
    what, points, share = described[None], point[None], np.ones(1)
    for _ in range(STEPS):
        x = share @ points
        described, point = least(x)
        if (
            not x.any()
            or x @ point >= x @ x - SAME * max(float(x @ x), np.sqrt(x @ x))
            or (points == point).all(axis=1).any()
        ):
            break
        what, points, share = (
            np.vstack([what, described]),
            np.vstack([points, point]),
            np.append(share, 0.0),
        )
        while True:
            flat = _affine(points)
            if flat.min() > 0:
                share = flat
                break
            falling = flat <= 0
            step = (share[falling] / np.maximum(share[falling] - flat[falling], 1e-300)).min()
            share = np.maximum(share + min(step, 1.0) * (flat - share), 0.0)
            keep = share > 1e-14
            what, points, share = what[keep], points[keep], share[keep] / share[keep].sum()
    return share @ what, share @ points


def _affine(points: np.ndarray) -> np.ndarray:
    """The shares of the points in the point of least norm of their affine hull."""
    basis = (points[1:] - points[0]).T
    step = np.linalg.lstsq(basis, -points[0], rcond=None)[0] if len(points) > 1 else np.zeros(0)
    return np.append(1.0 - step.sum(), step)
