"""Solve a family for every DMU: few columns active, all columns priced, every basis shared with all
DMUs that it certifies.

1. HiGHS solves one DMU over a small active set of columns, hot from the last basis.
2. All reference DMUs are priced in numpy from the exact inverse of that basis; violators join the
active set, until none is left. 3. The basis is tried on every DMU not yet scored: where its basic
variables keep their signs it is optimal there too. 4. With many DMUs, 1-3 run on a sample; the rest
are first matched with the bases found (best dual bound, then the same test),
   and what is left goes round again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deabench.solver.candidate_bases import (
    STAGES,
    DualPrices,
    PreparedBases,
    order_by_proximity,
    rank_by_hits,
)
from deabench.solver.family import FEASIBLE, Bases, Family
from deabench.solver.highs import Infeasible, Solver, Undecided
from deabench.utils.arrays import blocks

PRICED = 1e-10
"""A reduced cost may be negative by this much, in data scaled to about 1."""
ACCURATE = 1e6
"""Largest entry of a basis' inverse for which products with it are trusted; above, the rows are
recomputed.
"""
STEEP = 1e5
"""Largest dual for which recomputed rows give the score to 1e-10: it moves by the dual times what
the row is rounded by.
"""
ACTIVE = 300
"""Columns that HiGHS holds at most, about; above this the set is rebuilt from the bases last used.
"""
SAMPLE = 3000
"""DMUs solved one by one before the rest are matched with the bases found."""


@dataclass(frozen=True)
class Solution:
    """What the family's optimum is for each of K tested DMUs.

    Attributes
    ----------
    basis_index : int array (K,)
        The basis used, or -1 where the program is infeasible.
    x : array (K, m)
        The basic variables, in the order of `bases.columns[which]`.
    factor : array (K,)
        What the duals of the basis used are to be multiplied by.
    bases : Bases
    calls : int
        Runs of HiGHS that it took.
    infeasible : dict
        Tested DMU (position) to HiGHS's words.
    """

    basis_index: np.ndarray
    x: np.ndarray
    factor: np.ndarray
    bases: Bases
    calls: int
    infeasible: dict[int, str]

    @property
    def duals(self) -> np.ndarray:
        """Row duals (K, m) of the minimisation (of the negated objective where the formulation
        maximises).
        """
        return np.asarray(self.factor[:, None] * self.bases.duals[self.basis_index])


def solve_family(
    family: Family,
    tested: np.ndarray,
    *,
    known: Bases | None = None,
    feasible: np.ndarray | None = None,
    name: Callable[[int], str] = str,
    advance: Callable[[int], None] = lambda _: None,
) -> Solution:
    """Solve for every row of `tested` (K, q).

    Parameters
    ----------
    known : Bases, optional
        Bases to try first, all dual feasible (from `deabench.geometry.facets`).
    feasible : int array (K, p), optional
        Reference DMUs, or -1, of which some combination is feasible for each tested DMU: they are
        active when it is solved.
    name : function of a position
        The DMU's label, for errors.
    advance : function of a count
        Told how many DMUs more are done.

    Raises
    ------
    SolveError
        Where HiGHS ends neither optimal nor infeasible.
    """
    run = _Run(family, tested, feasible, name, advance)
    if known is not None and len(known):
        run.adopt(known)
    rng = np.random.default_rng(0)
    while len(left := run.left()):
        batch = left if len(left) <= SAMPLE else np.sort(rng.choice(left, SAMPLE, replace=False))
        before = len(run.found)
        run.one_by_one(batch)
        if len(batch) < len(left):
            run.match(run.joined(before))
    return run.solution()


def solve_exactly(family: Family, tested: np.ndarray, name: str) -> Solution:
    """The solution of one DMU (q,) in rational arithmetic from the start, rounded once at the end.

    Where it is infeasible, the duals are the ray that proves it.
    """
    from deabench.solver.rational_simplex import ProvedInfeasible, find_optimal_basis

    start = family.n + family.statics + np.arange(family.m)
    try:
        codes, x, duals = find_optimal_basis(family, start, tested, name)
    except ProvedInfeasible as error:
        none = Bases(
            start[None], np.full((1, family.m, family.m), np.inf), error.ray[None], np.array([-1])
        )
        return Solution(
            np.array([-1]), np.zeros((1, family.m)), np.ones(1), none, 0, {0: str(error)}
        )
    place = (
        np.flatnonzero(codes == family.n + family.theta)
        if family.theta >= 0
        else np.zeros(0, dtype=int)
    )
    basis = Bases(
        codes[None],
        np.full((1, family.m, family.m), np.inf),
        duals[None],
        np.array([place[0] if len(place) else -1]),
    )
    return Solution(np.array([0]), x[None], np.ones(1), basis, 0, {})


class _Run:
    """The state of one call of `solve`."""

    def __init__(
        self,
        family: Family,
        tested: np.ndarray,
        feasible: np.ndarray | None,
        name: Callable[[int], str],
        advance: Callable[[int], None],
    ) -> None:
        self.family, self.tested, self.name, self.advance = family, tested, name, advance
        self.feasible = np.full((len(tested), 1), -1) if feasible is None else feasible
        count = len(tested)
        self.which = np.full(count, -2, dtype=np.int32)
        self.x = np.zeros((count, family.m))
        self.factor = np.zeros(count)
        self.found: list[Bases] = []
        self.total = 0
        self.infeasible: dict[int, str] = {}
        self.calls = 0
        self.solver: Solver | None = None
        self.active = self.codes = np.zeros(0, dtype=int)
        self.widened = -1

    def left(self) -> np.ndarray:
        return np.flatnonzero(self.which == -2)

    def joined(self, first: int = 0) -> Bases:
        chosen = self.found[first:]
        return Bases(
            np.concatenate([bases.columns for bases in chosen]),
            np.concatenate([bases.inverse for bases in chosen]),
            np.concatenate([bases.duals for bases in chosen]),
            np.concatenate([bases.theta for bases in chosen]),
        )

    def solution(self) -> Solution:
        m = self.family.m
        bases = (
            self.joined()
            if self.found
            else Bases(  # one that no DMU uses, so that there is one to look at
                np.zeros((1, m), int), np.zeros((1, m, m)), np.zeros((1, m)), np.zeros(1, int)
            )
        )
        return Solution(
            np.maximum(self.which, -1), self.x, self.factor, bases, self.calls, self.infeasible
        )

    def adopt(self, known: Bases) -> None:
        """Keep bases that were found elsewhere, and match all DMUs with them."""
        self.found.append(known)
        self.total = len(known)
        self.walk(known)
        self.match(known, first=0)

    def one_by_one(self, batch: np.ndarray) -> None:
        """Solve the DMUs of the batch that no basis found on the way certifies."""
        batch = batch[order_by_proximity(self.tested[batch])]
        for k in batch.tolist():
            if self.which[k] != -2:
                continue
            try:
                basis = self.optimum(k)
                if basis is None or not self.share(basis, batch, k):
                    self.again(basis, batch, k)
            except Infeasible as error:
                self.infeasible[k] = str(error)
                self.which[k] = -1
                self.advance(1)

    def again(self, basis: Bases | None, batch: np.ndarray, k: int) -> None:
        """Score DMU k, for which HiGHS's basis does not hold: by HiGHS from the slacks, or else in
        rational arithmetic.

        A nearly singular basis looks optimal to HiGHS, and would for every DMU after this one too.
        """
        if self.solver is not None:
            self.solver.forget()
            basis = self.optimum(k)
            if basis is not None and self.share(basis, batch, k):
                return
        basis = self.settle(basis, k)
        if basis is not None:
            self.share(basis, batch, k)

    def certified(self, basis: Bases, who: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For which of the DMUs `who` the basis is feasible, with their basic variables and dual
        factors.

        Where the inverse is large its products are not to be trusted, and the rows are recomputed.
        """
        family, codes, place = self.family, basis.columns[0], int(basis.theta[0])
        x, factor = family.values(basis.inverse[0], place, self.tested[who])
        if np.abs(basis.inverse).max() <= ACCURATE:
            return family.feasible(codes, x, factor), x, factor
        x, missed = family.refined(basis, x, self.tested[who])
        if place >= 0:
            factor = family.static_cost[family.theta] / (
                family.theta_column(self.tested[who]) @ basis.duals[0]
            )
        steep = (place >= 0) & (
            np.abs(basis.duals[0]).max() * np.abs(factor) > STEEP
        )  # else only rows are read
        return family.feasible(codes, x, factor) & (missed <= FEASIBLE) & ~steep, x, factor

    def settle(self, basis: Bases | None, k: int) -> Bases | None:
        """Score DMU k in rational arithmetic, from HiGHS's basis where there is one, else from the
        slacks.

        Returns
        -------
        Bases or None
            The basis, to be tried on other DMUs; None where floating point has no good inverse of
            it.
        """
        from deabench.solver.rational_simplex import find_optimal_basis

        family = self.family
        start = (
            basis.columns[0]
            if basis is not None
            else family.n + family.statics + np.arange(family.m)
        )
        try:
            codes, x, duals = find_optimal_basis(family, start, self.tested[k], self.name(k))
        except Infeasible:
            if basis is None:
                raise
            # infeasible by a rounding error only, as a projection can be: HiGHS's point stands, the
            # certificate judges it
            codes, duals = basis.columns[0], basis.duals[0]
            x, factor = family.values(basis.inverse[0], int(basis.theta[0]), self.tested[[k]])
            x, duals = x[0], duals * factor[0]
        place = (
            np.flatnonzero(codes == family.n + family.theta)
            if family.theta >= 0
            else np.zeros(0, dtype=int)
        )
        alone = Bases(
            codes[None],
            np.full((1, family.m, family.m), np.inf),
            duals[None],
            np.array([place[0] if len(place) else -1]),
        )
        self.found.append(alone)
        self.take(np.array([k]), np.array([self.total]), x[None], np.ones(1))
        self.total += 1
        return family.basis(codes, self.tested[k])

    def share(self, basis: Bases, batch: np.ndarray, k: int) -> bool:
        """Give the basis to every DMU of the batch that it certifies; False, and to none, where it
        does not hold for DMU k.
        """
        rounding = (
            2 * np.finfo(float).eps * np.abs(basis.duals[0]).max() if self.family.theta < 0 else 0.0
        )
        if not self.family.dual_feasible(basis.duals[0], max(PRICED, rounding)):
            return False
        among = batch[self.which[batch] == -2]
        if not self.family.shareable(int(basis.theta[0])):
            among = among[among == k]
        good, x, factor = self.certified(basis, among)
        if not good[among == k].all():
            return False
        self.found.append(basis)
        self.take(among[good], np.array([self.total]), x[good], factor[good])
        self.total += 1
        return True

    def take(self, who: np.ndarray, basis: np.ndarray, x: np.ndarray, factor: np.ndarray) -> None:
        self.which[who] = basis
        self.x[who] = x
        self.factor[who] = factor
        self.advance(len(who))

    def optimum(self, k: int) -> Bases | None:
        """A basis of DMU k that HiGHS calls optimal, priced over all reference DMUs; None where
        HiGHS gives up on it.

        Raises
        ------
        Infeasible
            Where no combination of all reference DMUs will do.
        """
        family, tested = self.family, self.tested[k]
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
            basis = family.basis(self.codes[self.solver.basis()], tested)
            if basis is None:
                return None
            reduced = family.reduced_costs(basis.duals[0])
            reduced[self.active] = 0.0
            violators = np.flatnonzero(reduced < -PRICED * family.size)
            if not len(violators):
                return basis
            self._activate(violators[np.argsort(reduced[violators])[:20]])

    def _load(self, k: int) -> None:
        """Put DMU k's data into the solver; build one where there is none or the last has grown too
        wide.
        """
        family, tested = self.family, self.tested[k]
        needed = self.feasible[k][self.feasible[k] >= 0]
        if self.solver is None or len(self.active) > max(ACTIVE, 2 * family.m):
            active = np.union1d(self._start() if self.solver is None else self._recent(), needed)
            self.solver = Solver(family.program(active, tested))
            self._hold(active)
            return
        if len(needed) and len(missing := np.setdiff1d(needed, self.active)):
            self._activate(missing)
        self.solver.bounds(*family.bounds(tested))
        if family.theta >= 0:
            self.solver.column(family.theta, family.theta_column(tested[None])[0])

    def _start(self) -> np.ndarray:
        """All reference DMUs where they are few; otherwise those best in some row or in their sum."""
        family = self.family
        if family.n <= ACTIVE // 2:
            return np.arange(family.n)
        oriented = family.columns * np.where(family.at_least, 1.0, -1.0)
        scores = np.column_stack([oriented, oriented.sum(axis=1)])
        return np.unique(np.argsort(-scores, axis=0)[:8].ravel())

    def _recent(self) -> np.ndarray:
        codes = np.concatenate([basis.columns[-1] for basis in self.found[-40:]])
        return np.unique(
            np.concatenate(
                [codes[codes < self.family.n], self._start() if len(self.found) < 2 else codes[:0]]
            )
        )

    def _activate(self, who: np.ndarray) -> None:
        assert self.solver is not None
        self.solver.add_columns(
            self.family.cost[who] * self.family.template.sense, self.family.columns[who]
        )
        self._hold(np.concatenate([self.active, who]))

    def _hold(self, active: np.ndarray) -> None:
        """Note which reference DMUs are active, and the family's codes of what HiGHS numbers 0, 1,
        ... and -1, -2, ....
        """
        n, m, statics = self.family.n, self.family.m, self.family.statics
        slacks = (
            n + statics + np.arange(m)[::-1]
        )  # HiGHS calls the slack of row i -1 - i: counted from the end
        self.active, self.codes = active, np.concatenate([n + np.arange(statics), active, slacks])

    def _widen(self, k: int) -> bool:
        """Add columns that may make DMU k feasible: the one that dominates it best, then all; False
        where all are in.
        """
        family = self.family
        out = np.setdiff1d(np.arange(family.n), self.active)
        if not len(out):
            return False
        b = family.right_hand_side(self.tested[[k]])[0]
        theta = family.theta_column(self.tested[[k]])[0] if family.theta >= 0 else 0.0
        short = np.where(family.at_least, 1.0, -1.0) * (b - theta - family.columns[out])
        short[:, family.equality] = 0.0
        worst = short.max(axis=1)
        best = int(np.argmin(worst))
        alone = worst[best] <= 0 and self.widened != k
        self.widened = k
        self._activate(out[[best]] if alone else out)
        return True

    def match(self, bases: Bases, first: int | None = None) -> None:
        """Try on every DMU left the basis with the best dual bound for it, the bases that most of a
        sample hit first.

        Whatever the bases it was chosen from, one that a DMU's signs certify is its optimum.
        """
        family = self.family
        first = self.total - len(bases) if first is None else first
        for place in np.unique(bases.theta).tolist():
            usable = np.flatnonzero(bases.theta == place)
            usable = usable[np.abs(bases.inverse[usable]).max(axis=(1, 2)) <= ACCURATE]
            if not family.shareable(place) or not len(usable):
                continue
            left = self.left()
            usable = usable[
                rank_by_hits(
                    family, bases.duals[usable], self.tested[left[:: max(len(left) // SAMPLE, 1)]]
                )
            ]
            ready = PreparedBases(family, bases[usable], place)
            for share, precision in STAGES:
                prices = DualPrices(
                    family, bases.duals[usable[: int(np.ceil(share * len(usable)))]], precision
                )
                left = self.left()
                for part in blocks(len(left), family.m**2):
                    who, tested = left[part], self.tested[left[part]]
                    best = prices.best(tested)
                    x, factor = ready.values(best, tested)
                    good = np.flatnonzero(ready.feasible(best, x, factor))
                    self.take(who[good], first + usable[best[good]], x[good], factor[good])

    def walk(self, known: Bases) -> None:
        """Let bases that know their neighbours locate the programs that are left."""
        left = self.left()
        if known.locate is None or len(left) < SAMPLE:
            return
        located = known.locate(self.family, known, self.tested[left])
        if located is None:
            return
        ends, x, factor = located
        there = ends >= 0
        if there.all():
            self.take(left, ends, x, factor)
        else:
            self.take(left[there], ends[there], x[there], factor[there])
