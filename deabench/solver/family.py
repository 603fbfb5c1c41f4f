"""A family of linear programs that differ in one column and in their right-hand sides.

    min  c·x   s.t.   Σ_j A_j λ_j + Σ_t S_t z_t + a(k) θ + slack = b(k),   λ ≥ 0,

has one repeated column A_j per row of the reference data, a few static columns S_t, at most one
column a(k) that varies from program to program, and a slack per row; a(k) and b(k) are affine in
the data of program k. A basis is m of these columns. Whether the basis of one program is also
optimal for another is a matrix product, so one solve per basis is enough, not one per program.

`reference` are the data of the repeated columns, a row each; `tested` are the data of the programs,
a row each. `unsupported_reason` tells which formulations do not have this shape: they would be
answered wrongly, so `Family` refuses them and `deabench.solver.solve_all` solves them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from deabench.solver.template import Program, Template, expand_template

FEASIBLE = 5e-11
"""A basic variable may be negative by this much before its basis is refused; the data are scaled to
about 1.
"""
ACCURATE = 1e6
"""Largest entry of a basis' inverse for which products with it are trusted; above, the rows are
recomputed.
"""
STEEP = 1e5
"""Largest dual for which recomputed rows give the objective to 1e-10: it moves by the dual times
the rounding of the row.
"""

Locate: TypeAlias = Callable[
    ["Family", "Bases", np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray] | None
]


@dataclass(frozen=True)
class Bases:
    """B bases with what is needed to test them on any program.

    Attributes
    ----------
    columns : int array (B, m)
        Codes of the basic columns: repeated columns 0..n-1, then the static columns, then the
        slacks.
    inverse : array (B, m, m)
    duals : array (B, m)
        Row duals; up to a positive factor where θ is basic.
    theta : int array (B,)
        Position of θ among the basic columns, or -1.
    locate : function of family, bases and data (K, q), optional
        A quicker way to the optimal basis of each program than trying all bases. It returns the
        positions of the bases (K,), -1 where it found none, the basic variables (K, m) and the
        factors of the duals (K,), or None where it does not apply. The caller who knows how the
        bases lie to each other (the facets of a polytope) passes it in; this package does not.
    """

    columns: np.ndarray
    inverse: np.ndarray
    duals: np.ndarray
    theta: np.ndarray
    locate: Locate | None = None

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, positions: np.ndarray) -> Bases:
        """Select some of the bases."""
        return Bases(
            self.columns[positions],
            self.inverse[positions],
            self.duals[positions],
            self.theta[positions],
        )


def join_bases(members: Sequence[Bases]) -> Bases:
    """Return several sets of bases as one."""
    return Bases(
        np.concatenate([bases.columns for bases in members]),
        np.concatenate([bases.inverse for bases in members]),
        np.concatenate([bases.duals for bases in members]),
        np.concatenate([bases.theta for bases in members]),
    )


class Family:
    """The programs of one template over one set of repeated columns.

    Parameters
    ----------
    template : Template
        One for which `unsupported_reason` is None.
    reference : array (n, p)
        The data of the repeated columns, scaled to about 1.

    Attributes
    ----------
    n, m, statics : int
        Numbers of repeated columns, rows and static columns.
    theta : int
        Which static column varies from program to program; -1: none does.
    table : array (n + statics + m, m)
        Every column of the program as a row, by its code; θ without its varying part.
    costs : array (n + statics + m,)
        Of the minimisation, by code.
    sign : array (n + statics + m,)
        The sign that a column's variable must have: 1, -1, or 0 where it is free.
    zero : bool array (n + statics + m,)
        Whether a column's variable must be 0: the slack of an equation.
    """

    def __init__(self, template: Template, reference: np.ndarray) -> None:
        if reason := unsupported_reason(template):
            raise ValueError(f"The shared path does not solve this formulation. {reason}")
        self.template = template
        self.reference = reference
        self.n = len(reference)
        self.m = len(template.row_names)
        self._read_columns()
        self._read_rows()
        self._read_signs()

    def _read_columns(self) -> None:
        """Evaluate the coefficients and costs of all columns."""
        template = self.template
        repeated = int(np.flatnonzero(template.column_of_reference)[0])
        static = np.flatnonzero(~template.column_of_reference)
        self.statics = len(static)
        q = template.entry.tested.shape[1]
        no_data = np.zeros(q)
        # One table of all columns; `columns` and `static` are views of its first two parts.
        self.table = np.zeros((self.n + self.statics + self.m, self.m))
        self.columns = self.table[: self.n]
        self.static = self.table[self.n : self.n + self.statics]
        self.varying = np.zeros((self.statics, self.m, q))
        # Of the repeated column there is one coefficient per reference row.
        is_repeated = template.entry_column == repeated
        entries = template.entry[is_repeated]
        self.columns[:, template.entry_row[is_repeated]] = entries.evaluate(self.reference, no_data)
        # Static columns have a constant, and θ a slope in the data of the program.
        position = np.searchsorted(static, template.entry_column[~is_repeated])
        row = template.entry_row[~is_repeated]
        self.static[position, row] = template.entry.const[~is_repeated]
        self.varying[position, row] = template.entry.tested[~is_repeated]
        # A maximisation is solved as the minimisation of the negated objective.
        sign = float(template.sense)
        self.cost = sign * template.cost[[repeated]].evaluate(self.reference, no_data)[:, 0]
        self.static_cost = sign * template.cost.const[static]
        # At most one static column has a slope (`unsupported_reason`): that is θ.
        varies = np.flatnonzero(self.varying.any(axis=(1, 2)))
        self.theta = int(varies[0]) if len(varies) else -1
        self.costs = np.concatenate([self.cost, self.static_cost, np.zeros(self.m)])
        # With θ alone in the objective, the duals of a basis that holds θ only change by a factor
        # from program to program, so their signs stay.
        self.shares_theta = (
            not self.cost.any() and not np.delete(self.static_cost, max(self.theta, 0)).any()
        )
        self.size = float(max(np.abs(self.columns).max(initial=0.0), 1.0))

    def _read_rows(self) -> None:
        """Read the right-hand sides b(k) = constant + slope·k, and the sign of each slack."""
        lower = self.template.lower
        upper = self.template.upper
        self.at_least = np.isfinite(lower.const)
        self.equality = self.at_least & np.isfinite(upper.const)
        # `at least` rows take a surplus, all others a slack.
        self.slack = np.where(self.at_least & ~self.equality, -1.0, 1.0)
        self.table[self.n + self.statics :] = np.diag(self.slack)
        # An equation has both bounds, equal: either serves as its right-hand side.
        self.rhs_constant = np.where(self.at_least, lower.const, upper.const)
        self.rhs_slope = np.where(self.at_least[:, None], lower.tested, upper.tested)

    def _read_signs(self) -> None:
        """Read, by code, the sign that each variable must have and which slacks must be 0."""
        static = ~self.template.column_of_reference
        # Bounds are 0 or infinite only, so a sign says the same as both of them.
        is_nonnegative = self.template.column_lower[static] == 0
        is_nonpositive = self.template.column_upper[static] == 0
        static_sign = np.where(is_nonnegative, 1.0, np.where(is_nonpositive, -1.0, 0.0))
        self.sign = np.concatenate([np.ones(self.n), static_sign, np.ones(self.m)])
        self.zero = np.concatenate([np.zeros(self.n + self.statics, dtype=bool), self.equality])

    def right_hand_sides(self, tested: np.ndarray) -> np.ndarray:
        """Return b(k) for data (K, q): an array (K, m)."""
        return np.asarray(self.rhs_constant + tested @ self.rhs_slope.T)

    def theta_columns(self, tested: np.ndarray) -> np.ndarray:
        """Return a(k), the column of θ, for data (K, q): an array (K, m)."""
        return np.asarray(self.static[self.theta] + tested @ self.varying[self.theta].T)

    def theta_position(self, codes: np.ndarray) -> int:
        """Return the position of θ among the basic columns `codes` (m,), or -1."""
        if self.theta < 0:
            return -1
        positions = np.flatnonzero(codes == self.n + self.theta)
        return int(positions[0]) if len(positions) else -1

    def slack_codes(self) -> np.ndarray:
        """Return the codes (m,) of the slacks: the basis that every program has."""
        return self.n + self.statics + np.arange(self.m)

    def program(self, active: np.ndarray, tested: np.ndarray) -> Program:
        """Return one program over the active repeated columns only."""
        return expand_template(self.template, self.reference[active], tested)

    def row_bounds(self, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper row bounds of one program, as HiGHS takes them."""
        # A row with one bound is open on the other side; an equation has b(k) on both.
        b = self.right_hand_sides(tested)
        lower = np.where(self.at_least, b, -np.inf)
        upper = np.where(~self.at_least | self.equality, b, np.inf)
        return lower, upper

    def invert_basis(self, codes: np.ndarray, tested: np.ndarray) -> Bases | None:
        """Return one basis from its column codes at the program `tested` (q,); None if singular."""
        matrix = self.table[codes].T
        position = self.theta_position(codes)
        if position >= 0:
            matrix[:, position] = self.theta_columns(tested[None])[0]
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(inverse).all():
            return None
        # One step of iterative refinement takes the rounding of the inverse out of the duals.
        duals = self.costs[codes] @ inverse
        duals += (self.costs[codes] - duals @ matrix) @ inverse
        return Bases(codes[None], inverse[None], duals[None], np.array([position]))

    def exact_basis(self, codes: np.ndarray, duals: np.ndarray) -> Bases:
        """Return a basis that was found in fractions, with an unused inverse."""
        inverse = np.full((1, self.m, self.m), np.inf)
        position = np.array([self.theta_position(codes)])
        return Bases(codes[None], inverse, duals[None], position)

    def reduced_costs(self, duals: np.ndarray) -> np.ndarray:
        """Return c_j - y·A_j of every repeated column; none negative: the basis is optimal."""
        return np.asarray(self.cost - self.columns @ duals)

    def is_dual_feasible(self, duals: np.ndarray, tolerance: float) -> bool:
        """Return whether no column but θ, slacks included, has a reduced cost of the wrong sign."""
        # A variable ≥ 0 needs a reduced cost ≥ 0, one ≤ 0 a reduced cost ≤ 0. A variable fixed at 0
        # needs none, and θ is basic or prices differently in every program.
        violation = -(self.costs - self.table @ duals) * self.sign
        violation[self.zero] = 0.0
        if self.theta >= 0:
            violation[self.n + self.theta] = 0.0
        return bool(violation.max() <= tolerance)

    def is_shareable(self, position: int) -> bool:
        """Return whether the duals of a basis with θ at `position` stay feasible for all."""
        # The duals do not depend on b(k). With θ basic they change with a(k) by one factor, if θ
        # alone has a cost (`shares_theta`); with θ nonbasic its own reduced cost changes with a(k).
        return self.theta < 0 or (position >= 0 and self.shares_theta)

    def basic_values(
        self, inverse: np.ndarray, position: int, tested: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the basic variables (K, m) of programs in one basis, and the factor of its duals.

        Parameters
        ----------
        inverse : array (m, m)
            Of the basis with some program's column of θ.
        position : int
            Where θ stands in the basis, or -1.
        tested : array (K, q)
        """
        x = self.right_hand_sides(tested) @ inverse.T
        if position < 0:
            return x, np.ones(len(x))
        # The basis of program k differs from the inverted one in the column of θ alone: with
        # u = V a(k), one pivot on u[position] turns V b(k) into its basic variables.
        u = self.theta_columns(tested) @ inverse.T
        pivot = u[:, position]
        with np.errstate(divide="ignore", invalid="ignore"):
            level = x[:, position] / pivot
            x -= u * level[:, None]
            x[:, position] = level
            return x, 1.0 / pivot

    def refine_values(
        self, basis: Bases, x: np.ndarray, tested: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Refine basic variables (K, m) once; return them and the largest row residual (K,)."""
        codes = basis.columns[0]
        inverse = basis.inverse[0]
        position = int(basis.theta[0])
        # Solve B δ = B x - b for the correction δ, with the same pivot on θ as in `basic_values`.
        correction = self._residuals(codes, x, tested) @ inverse.T
        if position >= 0:
            u = self.theta_columns(tested) @ inverse.T
            level = correction[:, position] / u[:, position]
            correction -= u * level[:, None]
            correction[:, position] = level
        x = x - correction
        return x, np.abs(self._residuals(codes, x, tested)).max(axis=1)

    def _residuals(self, codes: np.ndarray, x: np.ndarray, tested: np.ndarray) -> np.ndarray:
        """Return B x - b, row by row, (K, m)."""
        residuals = x @ self.table[codes] - self.right_hand_sides(tested)
        position = self.theta_position(codes)
        if position >= 0:
            residuals += x[:, [position]] * (tested @ self.varying[self.theta].T)
        return np.asarray(residuals)

    def feasible_rows(self, codes: np.ndarray, x: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Return which rows of x (K, m) keep the signs of their columns, with a positive factor.

        `codes` are the basic columns of all rows, (m,), or of each, (K, m).
        """
        with np.errstate(invalid="ignore"):
            feasible = (x * self.sign[codes] >= -FEASIBLE).all(axis=1)
        # A basic slack of an equation must be 0: it may have no sign, only rounding.
        zero = self.zero[codes]
        if zero.any():
            feasible &= ~(zero & (np.abs(x) > FEASIBLE)).any(axis=1)
        # A factor below 0 would turn the signs of the duals around.
        return np.asarray(feasible & (factor > 0) & np.isfinite(factor))

    def certify_basis(
        self, basis: Bases, tested: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return for which programs (K, q) a basis is feasible, its variables and dual factors."""
        codes = basis.columns[0]
        position = int(basis.theta[0])
        x, factor = self.basic_values(basis.inverse[0], position, tested)
        if np.abs(basis.inverse).max() <= ACCURATE:
            return self.feasible_rows(codes, x, factor), x, factor
        # Products with a large inverse are not trusted: refine, and look at the rows themselves.
        x, residual = self.refine_values(basis, x, tested)
        if position >= 0:
            # The factor of the duals makes y·a(k) the cost of θ, whose reduced cost is then 0.
            scale = self.theta_columns(tested) @ basis.duals[0]
            factor = self.static_cost[self.theta] / scale
        # A residual counts with the row's dual. Without θ in the basis only the rows are read.
        steep = (position >= 0) & (np.abs(basis.duals[0]).max() * np.abs(factor) > STEEP)
        feasible = self.feasible_rows(codes, x, factor)
        return feasible & (residual <= FEASIBLE) & ~steep, x, factor

    def promising_columns(self, limit: int) -> np.ndarray:
        """Return all repeated columns up to a limit; of more the best in a row or in their sum."""
        if self.n <= limit:
            return np.arange(self.n)
        # Large coefficients help in `≥` rows, small ones in the others: turned, larger is better.
        oriented = self.columns * np.where(self.at_least, 1.0, -1.0)
        scores = np.column_stack([oriented, oriented.sum(axis=1)])
        return np.unique(np.argsort(-scores, axis=0)[:8].ravel())

    def column_shortfalls(self, tested: np.ndarray) -> np.ndarray:
        """Return how far each repeated column alone, with θ = 1, misses the rows of one program."""
        b = self.right_hand_sides(tested)[0]
        if self.theta >= 0:
            b = b - self.theta_columns(tested)[0]
        # How far A_j alone stays below a `≥` row, or above another; an equation is not judged, as
        # it fixes the sum of the columns and not their direction.
        shortfalls = np.where(self.at_least, 1.0, -1.0) * (b - self.columns)
        shortfalls[:, self.equality] = 0.0
        return np.asarray(shortfalls.max(axis=1))


@lru_cache(maxsize=64)
def unsupported_reason(template: Template) -> str | None:
    """Return why the shared path cannot solve a formulation; None where it can."""
    for holds, sentence in _conditions(template):
        if not holds:
            return f"{template.name}: {sentence}."
    return None


def _conditions(template: Template) -> list[tuple[bool, str]]:
    """Return each condition of `Family` with the sentence for a template that breaks it."""
    repeated = template.column_of_reference
    # A family's programs differ in one column alone, and all its rows stay.
    static = ~repeated
    entry_repeated = repeated[template.entry_column]
    varying = np.unique(template.entry_column[~entry_repeated & template.entry.tested.any(axis=1)])
    lower = template.lower
    upper = template.upper
    # A row with two sides must be an equation.
    two_sided = np.isfinite(lower.const) & np.isfinite(upper.const)
    equal = (lower.const == upper.const) & (lower.tested == upper.tested).all(axis=1)
    bounds = np.concatenate([template.column_lower[static], template.column_upper[static]])
    fixed = template.column_lower[static] == template.column_upper[static]
    from_zero = (template.column_lower[repeated] == 0) & (template.column_upper[repeated] == np.inf)
    return [
        (int(repeated.sum()) == 1, "it does not have exactly one repeated column"),
        (not template.row_of_reference.any(), "it has repeated rows"),
        (not template.integer.any(), "it has integer columns"),
        (not template.hessian, "its objective is quadratic"),
        (bool(from_zero.all()), "the repeated columns are not bounded by 0 and infinity"),
        (
            bool(np.isin(bounds, (0.0, np.inf, -np.inf)).all()),
            "a column has a bound that is neither 0 nor infinite",
        ),
        (not fixed.any(), "a column is fixed"),
        (not template.cost.tested.any(), "its costs depend on the tested data"),
        (
            not template.cost.reference[static].any(),
            "the cost of a static column depends on the reference data",
        ),
        (
            not template.entry.tested[entry_repeated].any(),
            "the repeated columns depend on the tested data",
        ),
        (
            not template.entry.reference[~entry_repeated].any(),
            "a static column depends on the reference data",
        ),
        (len(varying) <= 1, "more than one column depends on the tested data"),
        (
            not (lower.reference.any() or upper.reference.any()),
            "a bound depends on the reference data",
        ),
        (bool((~two_sided | equal).all()), "a row has two different bounds"),
        (
            bool((np.isfinite(lower.const) | np.isfinite(upper.const)).all()),
            "a row has no bound",
        ),
    ]
