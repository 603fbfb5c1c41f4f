"""Whether listing all facets pays, against solving by HiGHS."""

from __future__ import annotations

import numpy as np

FACETS = {2: 1, 3: 2, 4: 7, 5: 26, 6: 150}
"""Facets per reference DMU by the number of metrics, where every DMU is extreme: the most there
are, about.
"""
SAMPLED = (7, 8)
"""Numbers of metrics for which the facets are estimated from those of a part of the DMUs: the most
there are would forbid all.
"""
PART = 60
"""DMUs in that part."""
WORTH = 70
"""Facets that Qhull lists in the time that HiGHS takes for one solve, about; one solve per tested
DMU is the most there are.
"""
HELD = 500_000
"""Most facets that are listed: they take about 0.5 kB each."""
PARTS = (200, 800)
"""DMUs in two parts of a large table, whose numbers of facets tell how fast these grow."""
LARGE = 1600
"""DMUs from which on that is asked, where the most facets there may be are too many."""
DMUS = 60
"""Fewest DMUs for which that pays: below, loading Qhull takes longer than the solves."""


def facets_pay(points: np.ndarray, tested: int) -> bool:
    """Whether to list the facets of the points (n, s), scaled to about 1, before `tested` DMUs are
    solved.
    """
    n, s = points.shape
    if tested < DMUS or n <= s or not (points.max(axis=0) > 0).all():
        return False
    most = n * FACETS[s] if s in FACETS else _facets_like(points) if s in SAMPLED else np.inf
    limit = min(WORTH * tested, HELD)
    if most > limit and s in FACETS and n >= LARGE:
        most = _facets_grown(points)
    return most <= limit


def _facets_grown(points: np.ndarray) -> float:
    """Twice the facets that the points (n, s) have if they go on growing as from one part of them
    to a larger.

    That is mostly twice too many. Of many DMUs that none dominates few are extreme, unless they lie
    on a sphere."""
    from deabench.geometry import polar

    order, tops = np.random.default_rng(0).permutation(len(points)), points.argmax(axis=0)
    few, many = (len(polar.simplices(points[np.union1d(order[:part], tops)])[0]) for part in PARTS)
    exponent = max(np.log(many / few) / np.log(PARTS[1] / PARTS[0]), 0.0)
    return float(2 * many * (len(points) / PARTS[1]) ** exponent)


def _facets_like(points: np.ndarray) -> float:
    """Twice the facets that the points (n, s) have if they have as many per point as a part of
    them: mostly enough.

    Infinite where the points lie in a hyperplane (a constant metric, two that add up): Qhull takes
    long over what is flat."""
    if np.linalg.matrix_rank(points - points[0], tol=1e-9) < points.shape[1]:
        return np.inf
    from deabench.geometry import polar

    part = np.random.default_rng(0).permutation(len(points))[:PART]
    members, _ = polar.simplices(points[np.union1d(part, points.argmax(axis=0))])
    return 2 * len(members) / min(PART, len(points)) * len(points)
