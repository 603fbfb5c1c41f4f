"""Walk from optimal bases of some programs of a family to those of others: many programs at once.

A basis that is optimal for one program is dual feasible for all (`Family.is_shareable`), so the
dual simplex method can start from it: while a basic variable has the wrong sign, it leaves, and the
column takes its place that keeps all reduced costs at 0 or more. From the basis with the best dual
bound that is a few pivots. Each pivot is one step for a block of programs: products of matrices,
where a solver would be called program by program.

A walk only proposes bases. They are inverted anew, and judged by the same tests as a solver's:
programs whose walk ends otherwise are left to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from deabench.solver.candidate_bases import DualPrices, PreparedBases
from deabench.solver.family import ACCURATE, FEASIBLE, Bases, Family, join_bases
from deabench.utils.arrays import blocks
from deabench.utils.progress import check_time

PIVOT = 1e-9
"""A smaller pivot would lose too many digits."""
TIED = 1e-12
"""Columns with a reduced cost below this are tied: that with the largest pivot enters."""
TIED_IN_SINGLE = 1e-6
"""The same in single precision, which is twice as fast."""
LEVELS = 3
"""Walks are tried with the columns of known bases, then with all, then in double precision."""
GROWTH = 3
"""Programs of a round of walks, for each one of the rounds before."""
ROUND = 1 << 15
"""Programs of a round, at most."""
STARTS = 4000
"""Bases from which walks start, at most: those found last."""
PIVOTS = 20
"""Pivots of a walk per row of the programs, at most."""
BLOCK = 1 << 19
"""Entries of the arrays of a block of programs: they stay in cache."""


def can_walk(family: Family) -> bool:
    """Return whether the bases of a family can be walked: no column but θ is free or negative."""
    is_not_theta = np.arange(len(family.sign)) != family.n + family.theta
    has_one_sign = bool((family.sign[is_not_theta | (family.theta < 0)] == 1.0).all())
    return has_one_sign and (family.theta < 0 or family.shares_theta)


def growing_rounds(programs: np.ndarray, done: int) -> Iterator[np.ndarray]:
    """Iterate over the programs after the first few, in rounds that grow with those before."""
    while done < len(programs):
        size = min(GROWTH * done, ROUND)
        yield programs[done : done + size]
        done += size


def find_bases_by_walking(
    family: Family, solved: Sequence[Bases], tested: np.ndarray, tolerance: float
) -> tuple[Bases, np.ndarray, np.ndarray, np.ndarray]:
    """Walk from the best of the bases last found to the optimal basis of each program.

    Parameters
    ----------
    solved : sequence of Bases
        Dual feasible ones, in the order in which they were found.
    tested : array (K, q)
        The data of the programs.
    tolerance : float
        By how much a reduced cost of a basis may be negative.

    Returns
    -------
    bases : Bases
        Each distinct one once.
    positions : int array (K,)
        That of each program among them, or -1 where the walk did not find a basis that passes.
    x : array (K, m)
        The basic variables.
    factor : array (K,)
        By what the duals of the basis are multiplied.
    """
    positions = np.full(len(tested), -1)
    x = np.zeros((len(tested), family.m))
    factor = np.zeros(len(tested))
    optimal_bases = []
    count = 0
    start = _last_bases(family, solved)
    may_enter = ~family.zero
    if family.theta >= 0:
        may_enter[family.n + family.theta] = False
    # Few columns are ever basic, so walks begin with those of the bases known. Every basis is
    # priced over all columns, and a column that it misses joins.
    active = np.zeros(len(may_enter), dtype=bool)
    active[start.columns] = True
    active[family.n :] = True
    active &= may_enter
    level = 0 if 2 * active.sum() < may_enter.sum() else 1
    while len(start) and level < LEVELS:
        unsolved = np.flatnonzero(positions < 0)
        if not len(unsolved):
            break
        walk = _Walk(family, active if level == 0 else may_enter, is_exact=level == 2)
        best = DualPrices(family, start.duals, np.float32).best_positions(tested[unsolved])
        codes = np.full((len(unsolved), family.m), -1)
        for block in walk.blocks(len(unsolved)):
            check_time()
            codes[block] = walk.optimal_codes(start[best[block]], tested[unsolved[block]])
        bases, position_of_program, values, factors, missed = _judge_bases(
            family, codes, tested[unsolved], may_enter, tolerance
        )
        positions[unsolved] = np.where(position_of_program >= 0, position_of_program + count, -1)
        x[unsolved] = values
        factor[unsolved] = factors
        optimal_bases.append(bases)
        count += len(bases)
        # Many programs that miss columns need most of them.
        has_grown = not active[missed].all()
        if level or not has_grown or 3 * (position_of_program < 0).sum() > len(unsolved):
            level += 1
        active[missed] = True
    if not optimal_bases:
        return start[np.zeros(0, dtype=int)], positions, x, factor
    return join_bases(optimal_bases), positions, x, factor


def _last_bases(family: Family, solved: Sequence[Bases]) -> Bases:
    """Return the last of some bases from which programs can start.

    Those have an accurate inverse, and θ is basic where there is one.
    """
    count = 0
    first = len(solved)
    while first and count < STARTS:
        first -= 1
        count += len(solved[first])
    bases = join_bases(solved[first:])
    is_usable = np.abs(bases.inverse).max(axis=(1, 2)) <= ACCURATE
    if family.theta >= 0:
        is_usable &= bases.theta >= 0
    return bases[np.flatnonzero(is_usable)[-STARTS:]]


class _Walk:
    """The dual simplex method for blocks of programs.

    Attributes
    ----------
    codes : int array (N,)
        The columns that may enter.
    columns, costs : arrays (N, m), (N,)
        Theirs.
    tied : float
        The reduced cost below which columns are tied.
    """

    def __init__(self, family: Family, may_enter: np.ndarray, *, is_exact: bool) -> None:
        self.family = family
        self.tied = TIED if is_exact else TIED_IN_SINGLE
        precision = np.float64 if is_exact else np.float32
        self.codes = np.flatnonzero(may_enter)
        self.columns = family.table[self.codes]
        self.costs: np.ndarray = family.costs[self.codes].astype(precision)
        self.transposed: np.ndarray = np.ascontiguousarray(self.columns.T, dtype=precision)

    def blocks(self, count: int) -> Iterator[slice]:
        """Iterate over programs, as many at a time as stay in cache."""
        size = max(BLOCK // max(len(self.codes), self.family.m**2), 16)
        return (slice(low, low + size) for low in range(0, count, size))

    def optimal_codes(self, start: Bases, tested: np.ndarray) -> np.ndarray:
        """Return the columns (K, m) of the optimal basis of each program; -1 where none is found.

        `start` has one basis for each program.
        """
        family = self.family
        optimal = np.full(start.columns.shape, -1)
        basis = start.columns.copy()
        inverse = start.inverse.copy()
        b = family.right_hand_sides(tested)
        programs = np.arange(len(tested))
        if family.theta >= 0:
            # The column of θ is another in each program: one pivot puts it in.
            entering = np.matmul(inverse, family.theta_columns(tested)[:, :, None])[:, :, 0]
            pivot = entering[programs, start.theta]
            stays = pivot > PIVOT
            _pivot(inverse, entering, start.theta)
            programs = programs[stays]
            basis = basis[stays]
            inverse = inverse[stays]
        for _ in range(PIVOTS * family.m):
            if not len(programs):
                break
            x = np.matmul(inverse, b[programs][:, :, None])[:, :, 0]
            leaving, is_optimal = self._leaving_rows(basis, inverse, x)
            optimal[programs[is_optimal]] = basis[is_optimal]
            if is_optimal.any():
                onward = np.flatnonzero(~is_optimal)
                programs = programs[onward]
                basis = basis[onward]
                inverse = inverse[onward]
                leaving = leaving[onward]
                if not len(onward):
                    break
            every = np.arange(len(programs))
            entering = self._entering_columns(basis, inverse, inverse[every, leaving])
            new_columns = np.matmul(inverse, self.columns[entering][:, :, None])[:, :, 0]
            # A pivot that is not clearly negative ends the walk: infeasible, or too degenerate.
            stays = new_columns[every, leaving] < -PIVOT
            _pivot(inverse, new_columns, leaving)
            basis[every, leaving] = self.codes[entering]
            if not stays.all():
                programs = programs[stays]
                basis = basis[stays]
                inverse = inverse[stays]
        return optimal

    def _leaving_rows(
        self, basis: np.ndarray, inverse: np.ndarray, x: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the row of each basis that leaves, and which bases are optimal: none has to.

        Of the variables with the wrong sign the one that is deepest below its bound, as distances
        are measured in the space of the duals (steepest edge).
        """
        # A variable that must be 0 may only leave from below; the proof sees those above.
        depth = np.where(x * self.family.sign[basis] < -FEASIBLE, x, 0.0)
        steepness = np.einsum("kij,kij->ki", inverse, inverse)
        depth *= depth
        depth /= steepness
        leaving = depth.argmax(axis=1)
        return leaving, depth[np.arange(len(depth)), leaving] == 0.0

    def _entering_columns(
        self, basis: np.ndarray, inverse: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        """Return the column that enters each basis: the first whose reduced cost would reach 0."""
        duals = np.matmul(self.family.costs[basis][:, None, :], inverse)[:, 0]
        precision = self.costs.dtype
        reduced = duals.astype(precision) @ self.transposed
        np.subtract(self.costs, reduced, out=reduced)
        np.maximum(reduced, self.tied, out=reduced)
        rates = rows.astype(precision) @ self.transposed
        rates /= reduced
        return np.asarray(rates.argmin(axis=1))


def _pivot(inverse: np.ndarray, entering: np.ndarray, rows: np.ndarray) -> None:
    """Replace one column of each basis, in place in the inverses (K, m, m).

    `entering` (K, m) are the new columns times the inverses; they are used up.
    """
    every = np.arange(len(inverse))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        new_rows = inverse[every, rows] / entering[every, rows][:, None]
        entering[every, rows] -= 1.0
        inverse -= entering[:, :, None] * new_rows[:, None, :]


def _judge_bases(
    family: Family,
    codes: np.ndarray,
    tested: np.ndarray,
    may_enter: np.ndarray,
    tolerance: float,
) -> tuple[Bases, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Invert the bases of walks anew; return them, and each program's own where it passes.

    The last array has the columns that refused bases miss.
    """
    K, m = codes.shape
    positions = np.full(K, -1)
    x = np.zeros((K, m))
    factor = np.zeros(K)
    walked = np.flatnonzero(codes[:, 0] >= 0)
    # Each distinct basis once, with θ as its last column.
    is_theta = codes[walked] == family.n + family.theta if family.theta >= 0 else False
    ordered = np.sort(np.where(is_theta, len(family.table), codes[walked]), axis=1)
    first, of_walked = _find_distinct_rows(ordered)
    distinct = ordered[first]
    distinct[distinct == len(family.table)] = family.n + family.theta
    bases, is_sound, missed = _invert_bases(
        family, distinct, tested[walked[first]], may_enter, tolerance
    )
    # The signs of the basic variables prove a dual feasible basis optimal.
    of_walked = np.where(is_sound, np.cumsum(is_sound) - 1, -1)[of_walked]
    walked = walked[of_walked >= 0]
    of_walked = of_walked[of_walked >= 0]
    if len(walked):
        position = m - 1 if family.theta >= 0 else -1
        prepared = PreparedBases(family, bases, position)
        values, factors = prepared.basic_values(of_walked, tested[walked])
        passes = prepared.feasible_rows(of_walked, values, factors)
        positions[walked[passes]] = of_walked[passes]
        x[walked[passes]] = values[passes]
        factor[walked[passes]] = factors[passes]
    return bases, positions, x, factor, missed


def _find_distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each distinct row (n, k) stands first, in sorted order, and which each row is.

    As `numpy.unique` does, which compares rows as records: that takes several times as long.
    """
    # A stable sort, by the first column first.
    order = np.lexsort(rows.T[::-1])
    sorted_rows = rows[order]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (sorted_rows[1:] != sorted_rows[:-1]).any(axis=1)
    position = np.empty(len(rows), dtype=np.intp)
    position[order] = np.cumsum(is_first) - 1
    return order[is_first], position


def _invert_bases(
    family: Family,
    codes: np.ndarray,
    tested: np.ndarray,
    may_enter: np.ndarray,
    tolerance: float,
) -> tuple[Bases, np.ndarray, np.ndarray]:
    """Return the bases with columns `codes` (B, m) that are accurate and dual feasible.

    θ, where there is one, is the last column, with the data `tested` (B, q). The second array says
    which bases these are; the third has the columns with the least reduced costs of the others.
    """
    matrix = family.table[codes].transpose(0, 2, 1)
    if family.theta >= 0:
        matrix[:, :, -1] = family.theta_columns(tested)
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:  # one is singular; to look first would cost all as much again
        regular = np.linalg.det(matrix) != 0
        inverse = np.full(matrix.shape, np.inf)
        inverse[regular] = np.linalg.inv(matrix[regular])
    with np.errstate(invalid="ignore"):
        is_sound = np.abs(inverse).max(axis=(1, 2), initial=0.0) <= ACCURATE
    sound = np.flatnonzero(is_sound)
    matrix = matrix[sound]
    inverse = inverse[sound]
    # One step of iterative refinement takes the rounding of the inverse out of the duals.
    costs = family.costs[codes[sound]][:, None, :]
    duals = np.matmul(costs, inverse)
    duals += np.matmul(costs - np.matmul(duals, matrix), inverse)
    duals = duals[:, 0]
    # No column that may be basic has a negative reduced cost.
    entering = np.flatnonzero(may_enter)
    transposed = np.ascontiguousarray(family.table[entering].T)
    least_priced = np.zeros(len(sound), dtype=np.intp)
    is_feasible = np.zeros(len(sound), dtype=bool)
    for block in blocks(len(sound), len(entering)):
        reduced = family.costs[entering] - duals[block] @ transposed
        least_priced[block] = reduced.argmin(axis=1)
        is_feasible[block] = reduced[np.arange(len(reduced)), least_priced[block]] >= -tolerance
    missed = entering[np.unique(least_priced[~is_feasible])]
    is_sound[sound[~is_feasible]] = False
    theta = np.full(int(is_feasible.sum()), family.m - 1 if family.theta >= 0 else -1)
    return Bases(codes[is_sound], inverse[is_feasible], duals[is_feasible], theta), is_sound, missed
