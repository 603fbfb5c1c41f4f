"""Solve a family for every program: few columns active, every basis shared with all it certifies.

1. HiGHS solves one program over a small active set of columns, hot from the last basis.
2. All repeated columns are priced in numpy from the exact inverse of that basis. Columns with a
   negative reduced cost join the active set, until there is none: the basis is then optimal for the
   whole program.
3. The basis is tried on every program that has none yet. Dual feasibility carries over (see
   `Family.is_shareable`), so it is optimal wherever its basic variables keep their signs.
4. With many programs, steps 1 to 3 run on a few, from whose bases `dual_walk` walks to the others;
   where it cannot, on a sample, with whose bases the others are matched (best dual bound, then
   the test of step 3), and those that are left go round again.

Floating point is never the last word: a program for which no basis passes the test is solved in
rational arithmetic.

The caller may pass bases found before (`prior_bases`) with a way to the right one for a program
(`Bases.locate`). They come from `deabench.geometry`, which stands above this package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deabench.solver import rational_simplex
from deabench.solver.candidate_bases import (
    STAGES,
    DualPrices,
    PreparedBases,
    order_by_proximity,
    rank_by_hits,
)
from deabench.solver.dual_walk import can_walk, find_bases_by_walking, growing_rounds
from deabench.solver.family import ACCURATE, Bases, Family, join_bases
from deabench.solver.highs import Infeasible, Solver, Undecided
from deabench.utils.arrays import blocks

PRICED = 1e-10
"""A reduced cost may be negative by this much, in data scaled to about 1."""
ACTIVE = 300
"""Columns above which the active set is rebuilt from the bases last used."""
SAMPLE = 3000
"""Programs solved one by one before the others are matched with the bases found."""
WALKED = 100
"""Programs from which on walks from the bases of the first few find those of the others."""
FIRST = 8
"""Programs solved before walks begin."""
JOINING = 20
"""Columns that join the active set at a time."""
RECENT = 40
"""Bases last found whose columns are kept when the active set is rebuilt."""
UNSOLVED = -2
"""In `_Run.basis_index`: the program has no basis yet."""


@dataclass(frozen=True)
class Solution:
    """The family's optimum for each of K programs.

    Attributes
    ----------
    basis_index : int array (K,)
        The basis used, or -1 where the program is infeasible.
    x : array (K, m)
        The basic variables, in the order of `bases.columns[basis_index]`.
    factor : array (K,)
        By what the duals of the basis used are multiplied.
    bases : Bases
    calls : int
        Number of runs of HiGHS.
    infeasible : dict
        Position of a program to the solver's sentence.
    """

    basis_index: np.ndarray
    x: np.ndarray
    factor: np.ndarray
    bases: Bases
    calls: int
    infeasible: dict[int, str]

    @property
    def duals(self) -> np.ndarray:
        """Row duals (K, m) of the minimisation (of the negated objective of a maximisation)."""
        return np.asarray(self.factor[:, None] * self.bases.duals[self.basis_index])


def solve_family(
    family: Family,
    tested: np.ndarray,
    *,
    prior_bases: Bases | None = None,
    feasible: np.ndarray | None = None,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solution:
    """Solve the program of every row of `tested` (K, q).

    Parameters
    ----------
    prior_bases : Bases, optional
        Bases to try first, all dual feasible (from `deabench.geometry.facet_bases`).
    feasible : int array (K, p), optional
        Repeated columns, or -1, of which some combination is feasible for each program: they are
        active when it is solved.
    name : function of a position
        The program's label, for errors.
    advance : function of a count
        Called with how many programs more are done.

    Raises
    ------
    SolveError
        If HiGHS ends neither optimal nor infeasible.
    """
    run = _Run(family, tested, feasible, name, advance)
    if prior_bases is not None and len(prior_bases):
        run.adopt(prior_bases)
    rng = np.random.default_rng(0)
    if len(run.unsolved()) >= WALKED and can_walk(family):
        run.walk(rng.permutation(run.unsolved()))
    # The bases of a sample certify most other programs; what is left makes the next, smaller batch.
    while len(unsolved := run.unsolved()):
        batch = unsolved
        if len(unsolved) > SAMPLE:
            batch = np.sort(rng.choice(unsolved, SAMPLE, replace=False))
        first_new = len(run.bases)
        run.solve_batch(batch)
        if len(batch) < len(unsolved):
            run.match(join_bases(run.bases[first_new:]))
    return run.solution()


class _Run:
    """The state of one call of `solve_family`.

    Attributes
    ----------
    basis_index, x, factor : arrays
        As in `Solution`, with `UNSOLVED` where a program has no basis yet.
    bases : list of Bases
        What was found, in order; `count` is how many bases these are.
    solver : Solver or None
        HiGHS with the columns `active` in it.
    codes : int array
        The family's codes of HiGHS's numbers 0, 1, ... and -1, -2, ....
    """

    def __init__(
        self,
        family: Family,
        tested: np.ndarray,
        feasible: np.ndarray | None,
        name: Callable[[int], str],
        advance: Callable[[int], None],
    ) -> None:
        self.family = family
        self.tested = tested
        self.name = name
        self.advance = advance
        if feasible is None:
            feasible = np.full((len(tested), 1), -1)
        self.feasible = feasible
        self.basis_index = np.full(len(tested), UNSOLVED, dtype=np.int32)
        self.x = np.zeros((len(tested), family.m))
        self.factor = np.zeros(len(tested))
        self.bases: list[Bases] = []
        self.count = 0
        self.infeasible: dict[int, str] = {}
        self.calls = 0
        self.solver: Solver | None = None
        self.active = np.zeros(0, dtype=int)
        self.codes = np.zeros(0, dtype=int)
        self.widened_for = -1

    def unsolved(self) -> np.ndarray:
        """Return the positions of the programs without a basis."""
        return np.flatnonzero(self.basis_index == UNSOLVED)

    def solution(self) -> Solution:
        """Return the optima of all programs."""
        m = self.family.m
        if self.bases:
            bases = join_bases(self.bases)
        else:  # every program is infeasible: one basis that none uses, so that index -1 exists
            bases = Bases(
                np.zeros((1, m), int), np.zeros((1, m, m)), np.zeros((1, m)), np.zeros(1, int)
            )
        basis_index = np.maximum(self.basis_index, -1)
        return Solution(basis_index, self.x, self.factor, bases, self.calls, self.infeasible)

    def record(
        self, programs: np.ndarray, basis: np.ndarray, x: np.ndarray, factor: np.ndarray
    ) -> None:
        """Note the optimal basis of some programs."""
        self.basis_index[programs] = basis
        self.x[programs] = x
        self.factor[programs] = factor
        self.advance(len(programs))

    def adopt(self, prior_bases: Bases) -> None:
        """Keep bases that were found elsewhere, and match all programs with them."""
        self.bases.append(prior_bases)
        self.count = len(prior_bases)
        self.locate(prior_bases)
        self.match(prior_bases, first=0)

    def locate(self, prior_bases: Bases) -> None:
        """Locate the optimal basis of each program, where the bases come with a way to do it."""
        unsolved = self.unsolved()
        if prior_bases.locate is None or len(unsolved) < SAMPLE:
            return
        located = prior_bases.locate(self.family, prior_bases, self.tested[unsolved])
        if located is None:
            return
        positions, x, factor = located
        rows: slice | np.ndarray = positions >= 0
        if (positions >= 0).all():  # a slice selects all rows without a copy
            rows = slice(None)
        self.record(unsolved[rows], positions[rows], x[rows], factor[rows])

    def match(self, bases: Bases, first: int | None = None) -> None:
        """Try on every unsolved program the basis with the best dual bound for it.

        A basis that keeps a program's signs is its optimum, whatever bases it was chosen from. So a
        part of them is tried first, in single precision. `first` is the position of the first of
        `bases` among all; by default they are the last.
        """
        family = self.family
        if first is None:
            first = self.count - len(bases)
        for position in np.unique(bases.theta).tolist():
            usable = np.flatnonzero(bases.theta == position)
            # The test of this step is a product with the inverse, so a large inverse is left out.
            usable = usable[np.abs(bases.inverse[usable]).max(axis=(1, 2)) <= ACCURATE]
            if not family.is_shareable(position) or not len(usable):
                continue
            unsolved = self.unsolved()
            # The bases that bound most of a sample best stand first, so that stage 1 tries those.
            sample = self.tested[unsolved[:: max(len(unsolved) // SAMPLE, 1)]]
            usable = usable[rank_by_hits(family, bases.duals[usable], sample)]
            prepared = PreparedBases(family, bases[usable], position)
            for share, precision in STAGES:
                tried = usable[: int(np.ceil(share * len(usable)))]
                prices = DualPrices(family, bases.duals[tried], precision)
                unsolved = self.unsolved()
                for rows in blocks(len(unsolved), family.m**2):
                    programs = unsolved[rows]
                    tested = self.tested[programs]
                    # By weak duality the optimal basis has the best bound; its signs prove it.
                    best = prices.best_positions(tested)
                    x, factor = prepared.basic_values(best, tested)
                    optimal = np.flatnonzero(prepared.feasible_rows(best, x, factor))
                    basis = first + usable[best[optimal]]
                    x = x.take(optimal, axis=0)
                    self.record(programs[optimal], basis, x, factor[optimal])

    def walk(self, order: np.ndarray) -> None:
        """Solve programs by walks from the bases of those before them, in growing rounds."""
        first = order[:FIRST]
        self.solve_batch(first, is_start=True)
        if not self.bases:  # none of the first has a basis from which to walk
            return
        for batch in growing_rounds(order, FIRST):
            batch = np.append(batch, first[self.basis_index[first] == UNSOLVED])
            bases, positions, x, factor = find_bases_by_walking(
                self.family, self.bases, self.tested[batch], PRICED
            )
            rows = np.flatnonzero(positions >= 0)
            if len(rows):
                self.bases.append(bases)
                self.record(batch[rows], self.count + positions[rows], x[rows], factor[rows])
                self.count += len(bases)

    def solve_batch(self, batch: np.ndarray, *, is_start: bool = False) -> None:
        """Solve the programs of a batch; at the start of walks leave to them what fails."""
        # Neighbours follow each other: the last basis is then a few pivots from the next one.
        batch = batch[order_by_proximity(self.tested[batch])]
        for k in batch.tolist():
            if self.basis_index[k] != UNSOLVED:
                continue  # the basis of an earlier program certified this one
            try:
                basis = self.optimal_basis(k)
                if not (basis is not None and self.share(basis, batch, k)) and not is_start:
                    self.solve_again(basis, batch, k)
            except Infeasible as error:
                self.infeasible[k] = str(error)
                self.basis_index[k] = -1
                self.advance(1)

    def solve_again(self, basis: Bases | None, batch: np.ndarray, k: int) -> None:
        """Solve program k, whose basis failed the test: from the slacks, or else exactly.

        HiGHS first forgets a nearly singular basis: it would look optimal for later programs too.
        """
        if self.solver is not None:
            self.solver.clear_basis()
            basis = self.optimal_basis(k)
            if basis is not None and self.share(basis, batch, k):
                return
        basis = self.settle(basis, k)
        if basis is not None:
            self.share(basis, batch, k)

    def share(self, basis: Bases, batch: np.ndarray, k: int) -> bool:
        """Give the basis to every program of the batch that it certifies.

        False, and to none, where it does not hold for program k itself.
        """
        # Without θ, duals come with rounding errors in proportion to their size.
        rounding = 0.0
        if self.family.theta < 0:
            rounding = 2 * np.finfo(float).eps * np.abs(basis.duals[0]).max()
        if not self.family.is_dual_feasible(basis.duals[0], max(PRICED, rounding)):
            return False
        # Where the dual signs of a basis hold for one program only, only this one may use it.
        programs = batch[self.basis_index[batch] == UNSOLVED]
        if not self.family.is_shareable(int(basis.theta[0])):
            programs = programs[programs == k]
        # Primal and dual feasible is optimal, so the signs of the basic variables are enough.
        optimal, x, factor = self.family.certify_basis(basis, self.tested[programs])
        if not optimal[programs == k].all():
            return False
        self.bases.append(basis)
        self.record(programs[optimal], np.array([self.count]), x[optimal], factor[optimal])
        self.count += 1
        return True

    def settle(self, basis: Bases | None, k: int) -> Bases | None:
        """Solve program k in rational arithmetic, from HiGHS's basis or else from the slacks.

        Return the basis, to be tried on others; None where floats have no good inverse of it.
        """
        family = self.family
        start = family.slack_codes() if basis is None else basis.columns[0]
        try:
            codes, x, duals = rational_simplex.find_optimal_basis(
                family, start, self.tested[k], self.name(k)
            )
        except Infeasible:
            if basis is None:
                raise
            # Infeasible by a rounding error only, as the data of a projected point can be: HiGHS's
            # point stands, and the certificate of the result judges it.
            codes = basis.columns[0]
            position = int(basis.theta[0])
            values, factor = family.basic_values(basis.inverse[0], position, self.tested[[k]])
            x = values[0]
            duals = basis.duals[0] * factor[0]
        self.bases.append(family.exact_basis(codes, duals))
        self.record(np.array([k]), np.array([self.count]), x[None], np.ones(1))
        self.count += 1
        return family.invert_basis(codes, self.tested[k])

    def optimal_basis(self, k: int) -> Bases | None:
        """Return a basis of program k that is optimal to HiGHS and priced over all columns.

        None where HiGHS gives up on it; raises `Infeasible` if no combination of all repeated
        columns is feasible.
        """
        family = self.family
        self._load(k)
        while True:
            assert self.solver is not None
            try:
                self.calls += 1
                self.solver.run(f"'{self.name(k)}'", patient=len(self.active) == family.n)
            except Infeasible:
                if self._widen(k):
                    continue
                raise
            except Undecided:
                self.solver = None
                return None
            # Only which columns are basic is taken from HiGHS; inverse and duals are computed anew.
            basis = family.invert_basis(self.codes[self.solver.basis()], self.tested[k])
            if basis is None:
                return None
            # Price all columns; those in the solver are optimal to its own tolerance.
            reduced = family.reduced_costs(basis.duals[0])
            reduced[self.active] = 0.0
            violated = np.flatnonzero(reduced < -PRICED * family.size)
            if not len(violated):
                return basis
            # The most violated columns join; the optimum over more columns is at least as good.
            self._activate(violated[np.argsort(reduced[violated])[:JOINING]])

    def _load(self, k: int) -> None:
        """Put program k's data into the solver; build a new one if the active set is too wide."""
        family = self.family
        tested = self.tested[k]
        needed = self.feasible[k][self.feasible[k] >= 0]
        if self.solver is None or len(self.active) > max(ACTIVE, 2 * family.m):
            active = np.union1d(self._recent_columns(), needed)
            self.solver = Solver(family.program(active, tested))
            self._note_active(active)
            return
        missing = np.setdiff1d(needed, self.active)
        if len(missing):
            self._activate(missing)
        # Only b(k) and a(k) differ between programs, so HiGHS keeps its last basis.
        self.solver.set_row_bounds(*family.row_bounds(tested))
        if family.theta >= 0:
            self.solver.set_column(family.theta, family.theta_columns(tested[None])[0])

    def _recent_columns(self) -> np.ndarray:
        """Return the columns of the bases last found; at first those that look best."""
        columns = np.zeros(0, dtype=int)
        if self.bases:
            codes = np.concatenate([bases.columns[-1] for bases in self.bases[-RECENT:]])
            columns = codes[codes < self.family.n]
        if self.solver is None or len(self.bases) < 2:
            first = self.family.promising_columns(ACTIVE // 2)
            columns = first if self.solver is None else np.concatenate([columns, first])
        return np.unique(columns)

    def _activate(self, columns: np.ndarray) -> None:
        """Add repeated columns to the solver."""
        assert self.solver is not None
        cost = self.family.cost[columns] * self.family.template.sense
        self.solver.add_columns(cost, self.family.columns[columns])
        self._note_active(np.concatenate([self.active, columns]))

    def _note_active(self, active: np.ndarray) -> None:
        """Note the active columns, and the family's codes of HiGHS's numbers."""
        static = self.family.n + np.arange(self.family.statics)
        # HiGHS numbers the slack of row i as -1 - i: from the end of `codes`.
        self.codes = np.concatenate([static, active, self.family.slack_codes()[::-1]])
        self.active = active

    def _widen(self, k: int) -> bool:
        """Add columns that may make program k feasible; False where all are active.

        First the one that comes nearest to the right-hand side, then all.
        """
        family = self.family
        inactive = np.setdiff1d(np.arange(family.n), self.active)
        if not len(inactive):
            return False
        shortfalls = family.column_shortfalls(self.tested[[k]])[inactive]
        nearest = int(np.argmin(shortfalls))
        # A column that alone meets every row makes the program feasible; if it did not help the
        # last time, only all columns together can tell.
        if shortfalls[nearest] <= 0 and self.widened_for != k:
            inactive = inactive[[nearest]]
        self.widened_for = k
        self._activate(inactive)
        return True
