"""Facets as the bases of model (5): whether listing them pays, and which DMU lies below which.

Each simplex of a facet is s points or axes. With θ they are the m = s + 1 basic columns of (5), and
the facet's normal is their dual solution: one list of facets has the optimal basis of every DMU.
This module turns facets into `Bases` for `deabench.solver.engine` and passes it, as `Bases.locate`,
the walk that finds the basis of each DMU. (The engine does not import the walk: geometry stands
above the solver, which knows bases and no facets.)
"""

from __future__ import annotations

import math

import numpy as np

from deabench.geometry.facet_walk import ridge_neighbours, walk_simplices
from deabench.geometry.facets import FACETS_PER_POINT, count_simplices, triangulate_facets
from deabench.solver.candidate_bases import PreparedBases
from deabench.solver.family import ACCURATE, Bases, Family
from deabench.utils.arrays import blocks, row_sums

# When listing all facets pays, against solving by HiGHS

SAMPLED = (7, 8)
"""Numbers of metrics for which the facets are estimated from a part of the DMUs: by the most that
are possible, listing would never pay.
"""
PART = 60
"""DMUs in that part."""
FACETS_PER_WALK = 12
"""Facets that Qhull lists in the time of one walk of the engine, about; there is at most one walk
per tested DMU.
"""
HELD = 500_000
"""Most facets that are listed: they take about 0.5 kB each."""
PARTS = (200, 800)
"""DMUs in two parts of a large table, whose numbers of facets tell how fast these grow."""
LARGE = 1600
"""DMUs from which on the growth is estimated, where the most facets that are possible are too many.
"""
DMUS = 60
"""Fewest tested DMUs for which listing pays: below, loading Qhull takes longer than the solves."""

# The bases and the walk over them

DUAL = 1e-12
"""A reduced cost of a basis of (5) may be negative by this much, of duals of about 1."""
WALKED = 2000
"""Bases from which on walking from one to the next beats a product with all."""
STEPS = 100
"""Steps of a walk; DMUs that need more, as where facets are missing, are left to the engine."""
BITS = 32
"""Bits of a direction's position on a curve that fills the space of them: numpy sorts 16 at a time
by counting.
"""
ROWS = 1 << 14
"""DMUs that walk together: their numbers stay in cache."""


def should_enumerate_facets(points: np.ndarray, tested: int) -> bool:
    """Return whether to list the facets of points (n, s), about 1, before solving `tested` DMUs."""
    n, s = points.shape
    if tested < DMUS or n <= s or not (points.max(axis=0) > 0).all():
        return False
    if s in FACETS_PER_POINT:
        facets: float = min(n * FACETS_PER_POINT[s], _most_facets(n, s))
    elif s in SAMPLED:
        facets = _facets_by_sample(points)
    else:
        return False
    limit = min(FACETS_PER_WALK * tested, HELD)
    if facets > limit and s in FACETS_PER_POINT and n >= LARGE:
        facets = _facets_by_growth(points)
    return bool(facets <= limit)


def _most_facets(n: int, s: int) -> int:
    """Return how many facets n points in s metrics have at most.

    Their polar has n + s facets, one for each point and each axis, and no polytope has more
    vertices than the polar of a cyclic one (McMullen 1970, Mathematika 17:179-184).
    """
    half = s // 2
    if s % 2:
        return 2 * math.comb(n + s - half - 1, half)
    return (n + s) * math.comb(n + s - half, half) // (n + s - half)


def _facets_by_growth(points: np.ndarray) -> float:
    """Return twice the facets of points (n, s) if they grow as from one part to a larger one.

    That is mostly twice too many. Of many undominated DMUs few are extreme, unless they lie on a
    sphere.
    """
    order = np.random.default_rng(0).permutation(len(points))
    best = points.argmax(axis=0)
    small_count, large_count = (
        count_simplices(points[np.union1d(order[:size], best)]) for size in PARTS
    )
    # A power law through both counts, extended to all points.
    exponent = max(np.log(large_count / small_count) / np.log(PARTS[1] / PARTS[0]), 0.0)
    return float(2 * large_count * (len(points) / PARTS[1]) ** exponent)


def _facets_by_sample(points: np.ndarray) -> float:
    """Return twice the facets of points (n, s) if each point has as many as in a part of them.

    Infinite where the points lie in a hyperplane (a constant metric, two that add up): Qhull takes
    long over what is flat.
    """
    if np.linalg.matrix_rank(points - points[0], tol=1e-9) < points.shape[1]:
        return np.inf
    sample = np.random.default_rng(0).permutation(len(points))[:PART]
    count = count_simplices(points[np.union1d(sample, points.argmax(axis=0))])
    return 2 * count / min(PART, len(points)) * len(points)


def facet_vertices(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions (k,) of the points that facets have, and good simplices over them.

    The simplices (B, s) are in the numbers of these points, and k + r for the axis of metric r.
    """
    members, sound = triangulate_facets(points)
    n, s = points.shape
    vertices = np.unique(members[members < n])
    codes = np.append(vertices, n + np.arange(s))
    return vertices, np.searchsorted(codes, members[sound])


def list_facet_bases(
    family: Family, points: np.ndarray, members: np.ndarray | None = None
) -> Bases:
    """Return the bases of a family of (5) over points (n, s), one for each simplex of a facet.

    `members` (B, s) are the simplices, where they are known already.
    """
    if members is None:
        members, sound = triangulate_facets(points)
        members = members[sound]
    n, s = points.shape
    is_point = members < n
    # The basic columns: points are columns of the family, axes slacks, and θ comes last.
    codes = np.empty((len(members), family.m), dtype=int)
    codes[:, :s] = np.where(is_point, members, members - n + family.n + family.statics)
    codes[:, s] = family.n + family.theta
    matrix = np.zeros((len(members), family.m, family.m))
    point_columns = family.columns[np.where(is_point, members, 0)].transpose(0, 2, 1)
    matrix[:, :, :s] = np.where(is_point[:, None, :], point_columns, 0.0)
    simplex, position = np.nonzero(~is_point)
    row = members[simplex, position] - n
    matrix[simplex, row, position] = family.slack[row]
    # Any DMU will do for the column of θ: another only multiplies the duals.
    matrix[:, :, s] = family.theta_columns(np.ones((1, s)))[0]
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:  # one is singular; to look first would cost all as much again
        regular = np.linalg.det(matrix) != 0
        codes = codes[regular]
        inverse = np.linalg.inv(matrix[regular])
    # Qhull rounds: keep the bases that are accurate and dual feasible to the family's own data.
    duals = family.static_cost[family.theta] * inverse[:, s, :]
    is_usable = (np.abs(inverse).max(axis=(1, 2)) <= ACCURATE) & _are_dual_feasible(family, duals)
    theta = np.full(int(is_usable.sum()), s)
    return Bases(codes[is_usable], inverse[is_usable], duals[is_usable], theta, locate_by_walk)


def _are_dual_feasible(family: Family, duals: np.ndarray) -> np.ndarray:
    """Return which duals (B, m) leave no column but θ's a reduced cost of the wrong sign."""
    priced = ~family.zero & (np.arange(len(family.table)) != family.n + family.theta)
    sign = family.sign[priced]
    # y·A_j - c_j of all columns in one product, which takes nearly all the time.
    table = np.vstack([family.table[priced].T * sign, -family.costs[priced] * sign])
    weights = np.column_stack([duals, np.ones(len(duals))])
    limit = DUAL * np.maximum(np.abs(duals).max(axis=1), 1.0)
    feasible = np.empty(len(duals), dtype=bool)
    for rows in blocks(len(duals), table.shape[1]):
        feasible[rows] = (weights[rows] @ table).max(axis=1) <= limit[rows]
    return feasible


def locate_by_walk(
    family: Family, bases: Bases, tested: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Find the basis of each row of `tested` (K, s) by a walk; None where that does not pay.

    It is the `locate` of the bases of all facets: see `deabench.solver.family.Bases`.
    """
    theta = int(bases.theta[0])
    if len(bases) < WALKED or (bases.theta != theta).any() or family.rhs_slope.any():
        return None
    walk = BasisWalk(family, bases, theta)
    return walk.locate(tested) if walk.applies else None


class BasisWalk:
    """Walks over the bases of a family of (5) that all hold θ at one position.

    The right-hand side is the same for all DMUs. Then the basic variables of DMU k are, with
    u = V a(k) of the basis inverse V,  x_i = (V b)_i - level u_i,  level = (V b)_θ / u_θ.
    Multiplied by |u_θ| they are linear in k: the coordinates of k in its cone.

    Attributes
    ----------
    applies : bool
        Whether the family is of that kind.
    """

    def __init__(self, family: Family, bases: Bases, theta: int) -> None:
        members = np.delete(np.arange(family.m), theta)
        columns = bases.columns[:, members]
        # Facets near each other shall lie so in memory, too: sort them by the sum of their points.
        points = family.reference[np.minimum(columns, family.n - 1)]
        middle = np.where((columns < family.n)[:, :, None], points, 0.0).sum(axis=1)
        self.order = _order_along_curve(middle)
        self.prepared = prepared = PreparedBases(family, bases[self.order], theta)
        self.applies = (
            prepared.needs_nonnegative
            and prepared.rhs_slope is None
            and prepared.theta_constant is None
        )
        self.neighbours = ridge_neighbours(columns[self.order], len(family.table))
        # Coordinate i of data k is map[i]·k, scaled to about 1.
        constant = prepared.rhs_constant
        pivot = prepared.theta_slope[:, theta]
        coordinate_map = (
            constant[:, members, None] * pivot[:, None]
            - constant[:, theta][:, None, None] * prepared.theta_slope[:, members]
        )
        scale = np.abs(pivot).sum(axis=1)[:, None, None]
        self.coordinate_map = np.ascontiguousarray(coordinate_map / scale)

    def locate(self, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the basis of each of the data (K, s), -1: none, with its values and factor."""
        # Along a curve through all directions, every 2^b-th DMU walks first, from the basis of the
        # one before; then those half way between; and so on: each starts near its own basis.
        order = _order_along_curve(tested)
        # Rows are taken several times faster where the numbers of each stand side by side.
        tested = np.ascontiguousarray(tested)
        located = np.zeros(len(order), dtype=np.intp)
        is_found = np.zeros(len(order), dtype=bool)
        step = 1 << (len(order) - 1).bit_length()
        walkers = np.zeros(1, dtype=np.intp)
        while step:
            for low in range(0, len(walkers), ROWS):
                block = walkers[low : low + ROWS]
                # The one a step before along the curve is done already.
                start = located[np.maximum(block - step, 0)]
                simplex, _ = walk_simplices(
                    self._coordinates,
                    self.neighbours,
                    tested.take(order[block], axis=0),
                    start,
                    axis=0,
                    steps=STEPS,
                )
                # Who walks out of the facets has no basis, but passes its place on.
                is_found[block] = simplex >= 0
                located[block] = np.where(simplex >= 0, simplex, start)
            step //= 2
            # The next ones lie half way between those that are done.
            walkers = np.arange(step, len(order), 2 * max(step, 1))
        return self._evaluate(tested, order[is_found], located[is_found])

    def _coordinates(self, tested: np.ndarray, simplex: np.ndarray) -> np.ndarray:
        maps = self.coordinate_map.take(simplex, axis=0)
        return np.asarray(np.einsum("kij,kj->ki", maps, tested).T)

    def _evaluate(
        self, tested: np.ndarray, rows: np.ndarray, simplex: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the basis, its values and factor for the rows found; -1 for all others.

        Also where the signs of the basic variables do not bear the walk out.
        """
        basis = np.full(len(tested), -1)
        x = np.zeros((len(tested), self.prepared.rhs_constant.shape[1]))
        factor = np.zeros(len(tested))
        for low in range(0, len(rows), ROWS):
            block = rows[low : low + ROWS]
            located = simplex[low : low + ROWS]
            values, factors = self.prepared.basic_values(located, tested.take(block, axis=0))
            x[block] = values
            factor[block] = factors
            feasible = self.prepared.feasible_rows(located, values, factors)
            basis[block] = np.where(feasible, self.order[located], -1)
        return basis, x, factor


def _order_along_curve(values: np.ndarray) -> np.ndarray:
    """Return an order of rows (K, s) in which near directions mostly follow each other.

    Along a Z-curve (Morton order) of the shares of each row in its sum.
    """
    shares = values[:, :-1] / np.maximum(row_sums(values), np.finfo(float).tiny)[:, None]
    count = max(shares.shape[1], 1)
    bits = min(BITS // count, 10)
    # spread[v] has the bits of v, `count` places apart.
    spread = np.zeros(1 << bits, dtype=np.uint32)
    for bit in range(bits):
        spread |= (np.arange(1 << bits, dtype=np.uint32) >> bit & 1) << bit * count
    code = np.zeros(len(values), dtype=np.uint32)
    for r, share in enumerate(shares.T):
        low = share.min()
        width = max(share.max() - low, np.finfo(float).tiny)
        cell = (share - low) * (((1 << bits) - 1) / width)
        code |= spread[cell.astype(np.intp)] << r
    # Two stable sorts of 16 bits each, low half first.
    order = np.argsort(code.astype(np.uint16), kind="stable")
    return order[np.argsort((code >> 16).astype(np.uint16)[order], kind="stable")]
