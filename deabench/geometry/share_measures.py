"""Measure where linear functions on a simplex are positive, and draw points of polytopes of shares.

All shares are uniform: the volume of a part over the volume of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deabench.geometry.share_polytopes import SharePolytope

SETS = 16
"""Independent sets of points, whose spread gives the standard error of a mean over all."""


def positive_share(values: np.ndarray) -> np.ndarray:
    """Return the share of a simplex on which linear functions are positive.

    Parameters
    ----------
    values : array (m, p)
        Each function at the p corners.

    Returns
    -------
    array (m,)

    Notes
    -----
    Varsi's recurrence: only convex combinations are formed, so that neither ties nor near-ties lose
    digits. Varsi (1973), SIAM J. Applied Mathematics 24:93-98; Ali (1973), Pacific J. Mathematics
    46:9-14.
    """
    # Positive values first, so that the h-th positive one stands in column h of every row.
    ordered = -np.sort(-values, axis=1)
    m, p = ordered.shape
    # share[:, h]: that on which the function is at most 0, with the first h positive values only.
    share = np.zeros((m, p + 1))
    share[:, 0] = 1.0
    positive_count = (ordered > 0).sum(axis=1)
    for j in range(p):
        depth = -ordered[:, j]
        rows = np.flatnonzero(depth > 0)
        if not len(rows):
            continue
        for h in range(int(positive_count[rows].max())):
            used = rows[positive_count[rows] > h]
            height = ordered[used, h]
            total = height + depth[used]
            share[used, h + 1] = (
                height * share[used, h + 1] + depth[used] * share[used, h]
            ) / total
    return np.asarray(1.0 - share[np.arange(m), positive_count])


def positive_share_of_polytope(values: np.ndarray, polytope: SharePolytope) -> np.ndarray:
    """Return the share of a polytope on which linear functions of its vertices are positive.

    Parameters
    ----------
    values : array (m, p)
        Each function at the vertices.
    polytope : SharePolytope
    """
    weights = polytope.volumes / polytope.volumes.sum()
    shares = np.zeros(len(values))
    for simplex, weight in zip(polytope.simplices, weights, strict=True):
        shares += weight * positive_share(values[:, simplex])
    return shares


def count_shares_on_segment(values: np.ndarray) -> np.ndarray:
    """Return for how much of a segment 0, 1, ... n linear functions are positive.

    Parameters
    ----------
    values : array (n, 2)
        Each function at both ends.

    Returns
    -------
    array (n + 1,)
    """
    start, end = values.T
    # Between both ends a function has a sign of its own, unless it is 0 all along.
    is_positive_first = (start > 0) | ((start == 0) & (end > 0))
    crosses = start * end < 0
    places = start[crosses] / (start[crosses] - end[crosses])
    order = np.argsort(places, kind="stable")
    steps = np.where(end[crosses] > 0, 1, -1)[order]
    counts = int(is_positive_first.sum()) + np.concatenate([[0], np.cumsum(steps)])
    lengths = np.diff(np.concatenate([[0.0], places[order], [1.0]]))
    return np.bincount(counts.astype(int), weights=lengths, minlength=len(values) + 1)


def draw_mixtures(polytope: SharePolytope, draws: int, seed: int) -> Iterator[np.ndarray]:
    """Draw `SETS` sets of points of a polytope, as mixtures of its vertices (draws / SETS, p).

    Each is a scrambled Sobol set, whose sorted spacings are uniform on a simplex; a further
    coordinate chooses the simplex.
    """
    from scipy.stats.qmc import Sobol

    s = polytope.dimension
    simplices = np.array(polytope.simplices)
    ends = np.cumsum(polytope.volumes / polytope.volumes.sum())
    count = max(draws // SETS, 1)
    generator = np.random.default_rng(seed)
    for _ in range(SETS):
        if s == 1:
            yield np.ones((count, 1))
            continue
        has_several = len(simplices) > 1
        sobol = Sobol(s - 1 + has_several, scramble=True, rng=generator)
        points = sobol.random(count)
        spacings = np.diff(np.sort(points[:, : s - 1], axis=1), axis=1, prepend=0.0, append=1.0)
        chosen = np.zeros(count, dtype=int)
        if has_several:
            chosen = np.minimum(np.searchsorted(ends, points[:, -1]), len(simplices) - 1)
        mixtures = np.zeros((count, len(polytope.rays)))
        np.put_along_axis(mixtures, simplices[chosen], spacings, axis=1)
        yield mixtures
