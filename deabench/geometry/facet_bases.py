"""Whether listing all facets pays, against solving by HiGHS."""

from __future__ import annotations

import numpy as np

from deabench.geometry.facet_walk import ridge_neighbours
from deabench.geometry.facets import triangulate_facets
from deabench.solver.candidate_bases import PreparedBases
from deabench.solver.engine import ACCURATE
from deabench.solver.family import Bases, Family
from deabench.utils.arrays import blocks, total

WALKED = 2000
"""Bases from which on walking from one to the next beats a product with all."""
INSIDE = 1e-12
"""A coordinate may be negative by this much."""
STEPS = 100
"""Steps of a walk; who needs more, as where facets are missing, is left to others."""
BITS = 32
"""Of the place of a direction on a curve that fills the space of them: numpy sorts 16 at a time by
counting.
"""
ROWS = 1 << 14
"""DMUs that walk together: their numbers stay in cache."""
DUAL = 1e-12
"""A reduced cost of a basis of (5) may be negative by this much, of duals of about 1."""

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


def should_enumerate_facets(points: np.ndarray, tested: int) -> bool:
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
    from deabench.geometry import facets

    order, tops = np.random.default_rng(0).permutation(len(points)), points.argmax(axis=0)
    few, many = (
        len(facets.triangulate_facets(points[np.union1d(order[:part], tops)])[0]) for part in PARTS
    )
    exponent = max(np.log(many / few) / np.log(PARTS[1] / PARTS[0]), 0.0)
    return float(2 * many * (len(points) / PARTS[1]) ** exponent)


def _facets_like(points: np.ndarray) -> float:
    """Twice the facets that the points (n, s) have if they have as many per point as a part of
    them: mostly enough.

    Infinite where the points lie in a hyperplane (a constant metric, two that add up): Qhull takes
    long over what is flat."""
    if np.linalg.matrix_rank(points - points[0], tol=1e-9) < points.shape[1]:
        return np.inf
    from deabench.geometry import facets

    part = np.random.default_rng(0).permutation(len(points))[:PART]
    members, _ = facets.triangulate_facets(points[np.union1d(part, points.argmax(axis=0))])
    return 2 * len(members) / min(PART, len(points)) * len(points)


def facet_vertices(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions (k,) of the points (n, s) that any simplex of a facet has, and the well-shaped
    simplices (B, s) over these.
    """
    members, sound = triangulate_facets(points)
    n, s = points.shape
    used = np.unique(members[members < n])
    return used, np.searchsorted(np.append(used, n + np.arange(s)), members[sound])


def list_facet_bases(
    family: Family, points: np.ndarray, members: np.ndarray | None = None
) -> Bases:
    """The bases of a family of (5) over `points` (n, s): the simplices' members (B, s), where they
    are known, with θ.
    """
    if members is None:
        members, sound = triangulate_facets(points)
        members = members[sound]
    n, s = points.shape
    count = len(members)
    codes = np.empty((count, family.m), dtype=int)
    codes[:, :s] = np.where(members < n, members, members - n + family.n + family.statics)
    codes[:, s] = family.n + family.theta
    matrix = np.zeros((count, family.m, family.m))
    own = members < n
    matrix[:, :, :s] = np.where(
        own[:, None, :], family.columns[np.where(own, members, 0)].transpose(0, 2, 1), 0.0
    )
    flat, place = np.nonzero(~own)
    row = members[flat, place] - n
    matrix[flat, row, place] = family.slack[row]
    matrix[:, :, s] = family.theta_column(np.ones((1, s)))[0]
    try:
        inverse = np.linalg.inv(matrix)
    except (
        np.linalg.LinAlgError
    ):  # of one at least: to tell which would cost the others as much again
        regular = np.linalg.det(matrix) != 0
        codes, inverse = codes[regular], np.linalg.inv(matrix[regular])
    duals = family.static_cost[family.theta] * inverse[:, s, :]
    good = (np.abs(inverse).max(axis=(1, 2)) <= ACCURATE) & _dual_feasible(family, duals)
    return Bases(
        codes[good], inverse[good], duals[good], np.full(int(good.sum()), s), locate_by_walk
    )


def _dual_feasible(family: Family, duals: np.ndarray) -> np.ndarray:
    """Which duals (B, m) leave no column of the family, but θ's, a reduced cost of the wrong sign."""
    priced = ~family.zero & (np.arange(len(family.table)) != family.n + family.theta)
    sign = family.sign[priced]
    table = np.vstack(
        [family.table[priced].T * sign, -family.costs[priced] * sign]
    )  # one product: it takes nearly all the time
    weights = np.column_stack([duals, np.ones(len(duals))])
    limit = DUAL * np.maximum(np.abs(duals).max(axis=1), 1.0)
    out = np.empty(len(duals), dtype=bool)
    for part in blocks(len(duals), table.shape[1]):
        out[part] = (weights[part] @ table).max(axis=1) <= limit[part]
    return out


def locate_by_walk(
    family: Family, bases: Bases, tested: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Walk to the basis in which each of the data (K, s) lies; None where a walk does not pay."""
    place = int(bases.theta[0])
    if len(bases) < WALKED or (bases.theta != place).any() or family.bound[1].any():
        return None
    walk = BasisWalk(family, bases, place)
    return walk.ends(tested) if walk.takes else None


class BasisWalk:
    """Walks over the bases of a family of (5), all with θ in the place `theta` and the same
    right-hand side for all DMUs.
    """

    def __init__(self, family: Family, bases: Bases, theta: int) -> None:
        members = np.delete(np.arange(family.m), theta)
        own = bases.columns[:, members]
        middle = np.where(
            (own < family.n)[:, :, None], family.reference[np.minimum(own, family.n - 1)], 0.0
        ).sum(axis=1)
        self.order = _along(middle)  # facets that are near each other lie so in memory, too
        self.ready = ready = PreparedBases(family, bases[self.order], theta)
        self.takes = ready.plain and ready.moving is None and ready.start is None
        self.neighbours = ridge_neighbours(own[self.order], len(family.table))
        level, pivot = (
            ready.fixed[:, theta],
            ready.turning[:, theta],
        )  # x_i is fixed_i - level · turning_i k / pivot k
        x = (
            ready.fixed[:, members, None] * pivot[:, None]
            - level[:, None, None] * ready.turning[:, members]
        )
        self.x = np.ascontiguousarray(x / np.abs(pivot).sum(axis=1)[:, None, None])

    def ends(self, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The basis in which each of the data (K, s) lies, -1 where the walk found none, its basic
        variables there (K, m), and the factor (K,) that its duals take.
        """
        order = _along(tested)
        at, found = np.zeros(len(order), dtype=np.intp), np.zeros(len(order), dtype=bool)
        step = 1 << (len(order) - 1).bit_length()
        places = np.zeros(1, dtype=np.intp)
        while step:
            for low in range(0, len(places), ROWS):
                who = places[low : low + ROWS]
                near = at[
                    np.maximum(who - step, 0)
                ]  # the one before on the curve, of those that have walked
                at[who], found[who] = self._walk(tested.take(order[who], axis=0), near)
            step //= 2
            places = np.arange(step, len(order), 2 * max(step, 1))
        return self._solved(tested, order[found], at[found])

    def _walk(self, tested: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where walks of the data from the bases `start` end, or start again, and which of them
        have ended.
        """
        out, found, left, place = (
            start.copy(),
            np.zeros(len(tested), dtype=bool),
            np.arange(len(tested)),
            start,
        )
        for _ in range(STEPS):
            worst, value = _worst(np.einsum("kij,kj->ki", self.x.take(place, axis=0), tested))
            there = value >= -INSIDE
            ended = left[there]
            out[ended], found[ended] = place[there], True
            on = np.flatnonzero(~there)
            onward = self.neighbours.take(
                place.take(on) * self.neighbours.shape[1] + worst.take(on)
            )
            known = onward >= 0
            if not known.all():
                on, onward = on[known], onward[known]
            if not len(on):
                break
            left, tested, place = left.take(on), tested.take(on, axis=0), onward
        return out, found

    def _solved(
        self, tested: np.ndarray, rows: np.ndarray, place: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The solutions of the data `rows` in the bases `place`; -1 for the others, and where the
        signs do not bear them out.
        """
        ends, x, factor = (
            np.full(len(tested), -1),
            np.zeros((len(tested), self.ready.fixed.shape[1])),
            np.zeros(len(tested)),
        )
        for low in range(0, len(rows), ROWS):
            who, at = rows[low : low + ROWS], place[low : low + ROWS]
            x[who], factor[who] = solution = self.ready.values(at, tested.take(who, axis=0))
            ends[who] = np.where(self.ready.feasible(at, *solution), self.order[at], -1)
        return ends, x, factor


def _worst(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which entry of each row of x (K, s) is the least, and its value."""
    worst, value = np.zeros(len(x), dtype=np.int8), x[:, 0].copy()
    for k in range(1, x.shape[1]):
        below = x[:, k] < value
        np.copyto(worst, k, where=below)
        np.minimum(value, x[:, k], out=value)
    return worst, value


def _along(values: np.ndarray) -> np.ndarray:
    """An order of rows (K, s) in which near directions mostly follow each other: along a Z-curve of
    their shares of their sum.
    """
    shares = values[:, :-1] / np.maximum(total(values), np.finfo(float).tiny)[:, None]
    count = max(shares.shape[1], 1)
    bits = min(BITS // count, 10)
    spread = np.zeros(1 << bits, dtype=np.uint32)
    for bit in range(bits):
        spread |= (np.arange(1 << bits, dtype=np.uint32) >> bit & 1) << bit * count
    code = np.zeros(len(values), dtype=np.uint32)
    for r, share in enumerate(shares.T):
        low, high = share.min(), share.max()
        place = (share - low) * (((1 << bits) - 1) / max(high - low, np.finfo(float).tiny))
        code |= spread[place.astype(np.intp)] << r
    order = np.argsort(code.astype(np.uint16), kind="stable")
    return order[np.argsort((code >> 16).astype(np.uint16)[order], kind="stable")]
