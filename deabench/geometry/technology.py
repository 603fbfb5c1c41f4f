"""All facets of what can be done, under any returns to scale: hyperplanes u·y − v·x = h that no
possible production is beyond.

With a coordinate more they are the facets of one cone, made of (y_j, −x_j, −1) for every DMU, of a
loss in each metric, and of what the returns to scale add: nothing at all (nirs), more of the same
(ndrs), or both, where the coordinate goes (crs). A plane cuts the cone in a polytope, whose facets
Qhull lists. Their number explodes with the metrics."""

from __future__ import annotations

import numpy as np

from deabench.utils.arrays import blocks

FLAT = 1e-9
"""A weight below this share of the largest is 0: Qhull's own rounding."""
TIGHT = 1e-9
"""A point lies on a facet within this, in metrics of about 1."""
INNER = 2.0
"""How far off the cutting plane keeps, in metrics of about 1."""


def technology_facets(X: np.ndarray, Y: np.ndarray, returns: str) -> tuple[np.ndarray, np.ndarray]:
    """The facets of inputs X (n, m) and outputs Y (n, s), in metrics of about 1.

    Returns
    -------
    array (f, s + m), array (f,)
        Weights w = (u, v) ≥ 0, the largest 1, and h: no possible production has u·y − v·x > h, and
        some on each facet has = h.
    """
    rays, middle = _rays(X, Y, returns)
    size = -rays @ middle
    basis = np.linalg.svd(middle[None])[2][1:].T  # the directions of the plane
    cut = rays / size[:, None]
    planes = _planes(cut @ basis)
    found = planes[:, :-1] @ basis.T - planes[:, -1:] * middle
    d = Y.shape[1] + X.shape[1]
    top = found[:, :d].max(axis=1)
    found = found[top > FLAT * np.abs(found).max(axis=1)]  # that of all losses bounds nothing
    found = _refined(rays, found, d)
    return found[:, :d], found[:, d] if found.shape[1] > d else np.zeros(len(found))


def _rays(X: np.ndarray, Y: np.ndarray, returns: str) -> tuple[np.ndarray, np.ndarray]:
    """What makes the cone, (n + ..., s + m (+ 1)), and weights of a plane that it lies strictly
    below.
    """
    gain = np.column_stack([Y, -X])
    losses = -np.eye(gain.shape[1])
    s = Y.shape[1]
    if returns in ("crs", "ndrs"):  # steep in the inputs: every DMU needs some
        steep = np.full(
            X.shape[1], (INNER + Y.sum(axis=1).max()) / np.where(X > 0, X, 0.0).sum(axis=1).min()
        )
        weights = np.append(np.ones(s), steep)
    else:
        weights = np.ones(gain.shape[1])
    if returns == "crs":
        return np.vstack([gain, losses]), weights
    h = -INNER / 2 if returns == "ndrs" else INNER + max((gain @ weights).max(), 0.0)
    rays = np.vstack(
        [
            np.column_stack([gain, -np.ones(len(gain))]),
            np.column_stack([losses, np.zeros(len(losses))]),
        ]
    )
    more = {"vrs": [], "nirs": [-1.0], "ndrs": [1.0]}[returns]
    extra = np.array([np.append(np.zeros(gain.shape[1]), one) for one in more]).reshape(
        -1, rays.shape[1]
    )
    return np.vstack([rays, extra]), np.append(weights, h)


def _planes(points: np.ndarray) -> np.ndarray:
    """The facets a·z + b ≤ 0 of points (n, k), each once up to rounding."""
    from scipy.spatial import ConvexHull

    if points.shape[1] == 1:
        return np.array([[1.0, -points.max()], [-1.0, points.min()]])
    return np.asarray(np.unique(ConvexHull(points, qhull_options="Qt").equations, axis=0))


def _refined(rays: np.ndarray, found: np.ndarray, d: int) -> np.ndarray:
    """Facets solved again from what lies on them, scaled to a largest weight of 1; each once."""
    found = found / found[:, :d].max(axis=1, keepdims=True)
    found[:, :d][np.abs(found[:, :d]) < FLAT] = 0.0
    out: dict[bytes, np.ndarray] = {}
    for part in blocks(len(found), len(rays)):
        near = np.abs(found[part] @ rays.T) <= TIGHT * 10
        for one, on in zip(found[part], near, strict=True):
            key = np.packbits(on).tobytes()
            if key not in out:
                out[key] = _through(rays[on], one, d)
    held = np.array(list(out.values()))
    return np.asarray(held[(held @ rays.T).max(axis=1) <= TIGHT * 10])


def _through(on: np.ndarray, facet: np.ndarray, d: int) -> np.ndarray:
    """The facet that holds its rays best, next to the one found."""
    free = facet != 0
    free[d:] = True
    basis = np.linalg.svd(on[:, free], full_matrices=True)[2][-1]
    if basis @ facet[free] < 0:
        basis = -basis
    better = np.zeros(len(facet))
    better[free] = basis
    better[:d] = np.maximum(better[:d], 0.0)
    top = better[:d].max()
    return better / top if top > 0 and np.abs(better / top - facet).max() <= 1e-6 else facet
