"""A family of linear programs: one per DMU, all with the same columns but one, and right-hand sides
that are affine in its data.

    min  c·x   s.t.   Σ_j A_j λ_j + Σ_t S_t z_t + a(k) θ + slack = b(k),   λ ≥ 0,

with one column λ_j per reference DMU, a few static ones z, at most one column θ that depends on the
tested DMU k, and a slack per row. A basis is m of these columns. Whether the basis of one DMU is
also optimal for another is a matrix product, which is what makes one solve per facet, not per DMU,
enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from deabench.solver.template import Program, Template, expand_template

FEASIBLE = 5e-11
"""A basic variable may be negative by this much before its basis is refused; the data are scaled to
about 1.
"""


Locate: TypeAlias = Callable[
    ["Family", "Bases", np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray] | None
]


@dataclass(frozen=True)
class Bases:
    """B bases with what is needed to test them on any DMU.

    Attributes
    ----------
    columns : int array (B, m)
        Codes of the basic columns: reference DMUs 0..n-1, then the static columns, then the slacks.
    inverse : array (B, m, m)
    duals : array (B, m)
        Row duals; up to a positive factor where θ is basic.
    theta : int array (B,)
        Place of θ among the basic columns, or -1.
    locate : function of family, bases and data (K, q), optional
        A quicker way to the optimal basis of each program than trying all bases: it returns the
        positions (K,), -1 where it found none, the basic variables (K, m) and the dual factors (K,),
        or None where it does not apply.
    """

    columns: np.ndarray
    inverse: np.ndarray
    duals: np.ndarray
    theta: np.ndarray
    locate: Locate | None = None

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, those: np.ndarray) -> Bases:
        """Some of them."""
        return Bases(self.columns[those], self.inverse[those], self.duals[those], self.theta[those])


class Family:
    """The programs of one template over one reference set.

    Parameters
    ----------
    t : Template
        One that `deabench.solver.family.unsupported_reason` has nothing against.
    reference : array (n, p)
        The data of the reference DMUs, scaled to about 1.
    """

    def __init__(self, t: Template, reference: np.ndarray) -> None:
        if words := unsupported_reason(t):
            raise ValueError(f"the shared path does not take {words}")
        self.template, self.reference = t, reference
        self.n, self.m = len(reference), len(t.row_names)
        own = int(np.flatnonzero(t.column_of_reference)[0])
        static = np.flatnonzero(~t.column_of_reference)
        self.statics = len(static)
        q = t.entry.tested.shape[1]
        zero = np.zeros(q)
        sign = float(t.sense)
        self.table = np.zeros(
            (self.n + self.statics + self.m, self.m)
        )  # a row per column of the program, by its code
        self.columns = self.table[: self.n]
        self.static = self.table[self.n : self.n + self.statics]
        self.varying = np.zeros((self.statics, self.m, q))
        for e, (row, column) in enumerate(zip(t.entry_row, t.entry_column, strict=True)):
            if column == own:
                self.columns[:, row] = t.entry[[e]].at(reference, zero)[:, 0]
            else:
                place = int(np.searchsorted(static, column))
                self.static[place, row], self.varying[place, row] = (
                    t.entry.const[e],
                    t.entry.tested[e],
                )
        self.cost = sign * t.cost[[own]].at(reference, zero)[:, 0]
        self.static_cost = sign * t.cost.const[static]
        vary = np.flatnonzero(self.varying.any(axis=(1, 2)))
        self.theta = int(vary[0]) if len(vary) else -1
        self.equality = np.isfinite(t.lower.const) & np.isfinite(t.upper.const)
        at_least = np.isfinite(t.lower.const)
        self.slack = np.where(at_least & ~self.equality, -1.0, 1.0)
        self.bound = t.lower.const.copy(), t.lower.tested.copy()
        self.bound[0][~at_least], self.bound[1][~at_least] = (
            t.upper.const[~at_least],
            t.upper.tested[~at_least],
        )
        self.at_least = at_least
        low, high = t.column_lower[static], t.column_upper[static]
        static_sign = np.where(low == 0, 1.0, np.where(high == 0, -1.0, 0.0))
        # by code: the sign that a column's variable must have (1, -1, 0 free), and whether it must
        # be 0
        self.sign = np.concatenate([np.ones(self.n), static_sign, np.ones(self.m)])
        self.zero = np.concatenate([np.zeros(self.n + self.statics, dtype=bool), self.equality])
        self.table[self.n + self.statics :] = np.diag(self.slack)
        self.costs = np.concatenate([self.cost, self.static_cost, np.zeros(self.m)])
        self.shares_theta = (
            not self.cost.any() and not np.delete(self.static_cost, max(self.theta, 0)).any()
        )
        self.size = float(max(np.abs(self.columns).max(initial=0.0), 1.0))

    def right_hand_side(self, tested: np.ndarray) -> np.ndarray:
        """b(k) for tested data (K, q): an array (K, m)."""
        return np.asarray(self.bound[0] + tested @ self.bound[1].T)

    def theta_column(self, tested: np.ndarray) -> np.ndarray:
        """a(k), the column of θ, for tested data (K, q): an array (K, m)."""
        return np.asarray(self.static[self.theta] + tested @ self.varying[self.theta].T)

    def program(self, active: np.ndarray, tested: np.ndarray) -> Program:
        """The program of one DMU over the active reference DMUs only."""
        return expand_template(self.template, self.reference[active], tested)

    def bounds(self, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Row bounds of one DMU, as HiGHS takes them."""
        b = self.right_hand_side(tested)
        return np.where(self.at_least, b, -np.inf), np.where(
            ~self.at_least | self.equality, b, np.inf
        )

    def basis(self, codes: np.ndarray, tested: np.ndarray) -> Bases | None:
        """One basis from its column codes at the DMU `tested` (q,); None where it is singular."""
        matrix = self.table[codes].T
        place = -1
        for i in np.flatnonzero(codes == self.n + self.theta) if self.theta >= 0 else ():
            matrix[:, i], place = self.theta_column(tested[None])[0], int(i)
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(inverse).all():
            return None
        duals = self.costs[codes] @ inverse
        duals += (self.costs[codes] - duals @ matrix) @ inverse  # a step of refinement
        return Bases(codes[None], inverse[None], duals[None], np.array([place]))

    def reduced_costs(self, duals: np.ndarray) -> np.ndarray:
        """c_j - y·A_j of every reference DMU; none below 0 makes a feasible basis optimal."""
        return np.asarray(self.cost - self.columns @ duals)

    def dual_feasible(self, duals: np.ndarray, tolerance: float) -> bool:
        """Whether no column but θ, slacks included, has a reduced cost of the wrong sign."""
        wrong = -(self.costs - self.table @ duals) * self.sign
        wrong[self.zero] = 0.0
        if self.theta >= 0:
            wrong[self.n + self.theta] = 0.0
        return bool(wrong.max() <= tolerance)

    def shareable(self, place: int) -> bool:
        """Whether the basis' duals stay dual feasible for other DMUs: no θ in the family, or θ
        basic and alone in the cost.
        """
        return self.theta < 0 or (place >= 0 and self.shares_theta)

    def values(
        self, inverse: np.ndarray, place: int, tested: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The basic variables of DMUs (K, q) in one basis: (K, m), and the factor (K,) that its
        duals take.

        `inverse` is the basis' (m, m); `place` is where θ stands in it, or -1.
        """
        x = self.right_hand_side(tested) @ inverse.T
        if place < 0:
            return x, np.ones(len(x))
        u = self.theta_column(tested) @ inverse.T
        pivot = u[:, place]
        with np.errstate(divide="ignore", invalid="ignore"):
            level = x[:, place] / pivot
            x -= u * level[:, None]
            x[:, place] = level
            return x, 1.0 / pivot

    def refined(
        self, basis: Bases, x: np.ndarray, tested: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Basic variables (K, m) of one basis after a step of refinement, and what the rows then
        still miss, (K,).
        """
        codes, inverse, place = basis.columns[0], basis.inverse[0], int(basis.theta[0])
        wrong = self._missed(codes, x, tested) @ inverse.T
        if place >= 0:
            u = self.theta_column(tested) @ inverse.T
            level = wrong[:, place] / u[:, place]
            wrong -= u * level[:, None]
            wrong[:, place] = level
        x = x - wrong
        return x, np.abs(self._missed(codes, x, tested)).max(axis=1)

    def _missed(self, codes: np.ndarray, x: np.ndarray, tested: np.ndarray) -> np.ndarray:
        """B x - b, row by row, (K, m)."""
        left = x @ self.table[codes] - self.right_hand_side(tested)
        for i in np.flatnonzero(codes == self.n + self.theta) if self.theta >= 0 else ():
            left += x[:, [i]] * (tested @ self.varying[self.theta].T)
        return np.asarray(left)

    def feasible(self, codes: np.ndarray, x: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Which of the K rows of x (K, m) satisfy the signs of their columns (m,) or (K, m), with a
        positive dual factor.
        """
        with np.errstate(invalid="ignore"):
            good = (x * self.sign[codes] >= -FEASIBLE).all(axis=1)
        zero = self.zero[codes]
        if zero.any():
            good &= ~(zero & (np.abs(x) > FEASIBLE)).any(axis=1)
        return np.asarray(good & (factor > 0) & np.isfinite(factor))


def unsupported_reason(form: Template) -> str | None:
    """Why the shared path must not take this formulation; None where it may."""
    for holds, words in _conditions(form):
        if not holds:
            return f"{form.name}: {words}"
    return None


def _conditions(form: Template) -> list[tuple[bool, str]]:
    own, static = form.column_of_reference, ~form.column_of_reference
    entry_own = own[form.entry_column]
    varying = np.unique(form.entry_column[~entry_own & form.entry.tested.any(axis=1)])
    low, high = form.lower, form.upper
    both = np.isfinite(low.const) & np.isfinite(high.const)
    equal = (low.const == high.const) & (low.tested == high.tested).all(axis=1)
    bounds = np.concatenate([form.column_lower[static], form.column_upper[static]])
    return [
        (int(own.sum()) == 1, "it has not exactly one column per reference DMU"),
        (not form.row_of_reference.any(), "it has rows of the reference DMUs"),
        (not form.integer.any(), "it has integer columns"),
        (not form.hessian, "its objective is quadratic"),
        (
            bool((form.column_lower[own] == 0).all() and (form.column_upper[own] == np.inf).all()),
            "the columns of the reference DMUs are not from 0 to infinity",
        ),
        (
            bool(np.isin(bounds, (0.0, np.inf, -np.inf)).all()),
            "a column has a bound that is neither 0 nor infinite",
        ),
        (not (form.column_lower[static] == form.column_upper[static]).any(), "a column is fixed"),
        (not form.cost.tested.any(), "its costs depend on the tested DMU"),
        (
            not form.cost.reference[static].any(),
            "the cost of a column of its own depends on the reference DMUs",
        ),
        (
            not form.entry.tested[entry_own].any(),
            "the columns of the reference DMUs depend on the tested DMU",
        ),
        (
            not form.entry.reference[~entry_own].any(),
            "a column of its own depends on the reference DMUs",
        ),
        (len(varying) <= 1, "more than one column depends on the tested DMU"),
        (
            not (low.reference.any() or high.reference.any()),
            "a bound depends on the reference DMUs",
        ),
        (bool((~both | equal).all()), "a row is bounded on both sides"),
        (bool((np.isfinite(low.const) | np.isfinite(high.const)).all()), "a row is free"),
    ]
