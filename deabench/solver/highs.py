"""HiGHS with status discipline: a call ends optimal, or raises with the solver's own words.

One `Solver` holds one model. Its rows' bounds and single coefficients can change and columns can be
added between solves, which then start from the basis of the last."""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from deabench.errors import SolveError
from deabench.solver.template import Program

TOLERANCES = (1e-10, 1e-9, 1e-8, 1e-7)
"""Feasibility tolerances, in the order they are tried: HiGHS calls some nearly degenerate feasible
LPs infeasible at 1e-10.
"""
PERTURBED = "dual_simplex_cost_perturbation_multiplier"

INFEASIBLE = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
LIMITS = (highspy.HighsModelStatus.kTimeLimit, highspy.HighsModelStatus.kIterationLimit)


class Infeasible(SolveError):
    """The program has no feasible point: where that is an answer (a DMU outside its reference),
    callers catch it.
    """


class Undecided(SolveError):
    """HiGHS ended neither optimal nor infeasible nor at a limit: the numbers are too near
    degenerate for it.
    """


class Unbounded(Undecided):
    """The program has no finite optimum: where that is an answer (no weights keep the user's
    bounds), callers catch it.
    """


class Limit(SolveError):
    """A time or iteration limit ended the solve; `bound` is what is proved of the objective,
    `found` the best point's.
    """

    def __init__(self, text: str, bound: float, found: float) -> None:
        super().__init__(text)
        self.bound = bound
        self.found = found


class Solver:
    """One model in HiGHS.

    Parameters
    ----------
    program : Program
    time_limit : float, optional
        Seconds for each call of `run`.
    iteration_limit : int, optional
        Simplex iterations for each call of `run`.
    """

    def __init__(
        self,
        program: Program,
        *,
        time_limit: float | None = None,
        iteration_limit: int | None = None,
    ) -> None:
        self.name = program.name
        self.columns = len(program.cost)
        self.rows = program.row_names
        self.integer = bool(program.integer.any())
        self.quadratic = bool(program.hessian)
        self.highs: Any = (
            highspy.Highs()
        )  # its methods are bound at run time, which no type checker follows
        self._option("output_flag", False)
        self._option("threads", 1)
        self._option("mip_rel_gap", 0.0)
        self._option("mip_abs_gap", 1e-12)
        self._option("mip_feasibility_tolerance", 1e-9)
        self._option("random_seed", 0)
        self._option("presolve", "on" if self.integer else "off")
        self._tolerance(TOLERANCES[0])
        if time_limit is not None:
            self._option("time_limit", float(time_limit))
        if iteration_limit is not None:
            self._option("simplex_iteration_limit", iteration_limit)
        self._check(self.highs.passModel(_model(program)), "passModel")
        if self.quadratic:
            self._check(self.highs.passHessian(_hessian(program)), "passHessian")

    def run(self, what: str, *, patient: bool = True) -> None:
        """Solve; `what` names the DMU in the error; `patient` believes a failure only after looser,
        cold tries.

        Raises
        ------
        Infeasible, Limit, SolveError
            With the model, the DMU and HiGHS's words.
        """
        self.highs.run()
        status = self.highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal and (patient or status not in INFEASIBLE):
            status = self._retry(status)
        if status == highspy.HighsModelStatus.kOptimal:
            return
        words = (
            f"{self.name} for {what}: HiGHS ended with '{self.highs.modelStatusToString(status)}'"
        )
        if status in INFEASIBLE:
            raise Infeasible(words)
        if status in LIMITS:
            info = self.highs.getInfo()
            raise Limit(words, float(info.mip_dual_bound), float(info.objective_function_value))
        raise (Unbounded if status == highspy.HighsModelStatus.kUnbounded else Undecided)(words)

    def _retry(self, status: highspy.HighsModelStatus) -> highspy.HighsModelStatus:
        """Once more, cold, without perturbed costs and at looser tolerances, before a failure is
        believed.
        """
        self._option(PERTURBED, 0.0)
        for tolerance in TOLERANCES[1:]:
            if status in (highspy.HighsModelStatus.kOptimal, *LIMITS):
                break
            self._tolerance(tolerance)
            self.highs.clearSolver()
            self.highs.run()
            status = self.highs.getModelStatus()
        self._option(PERTURBED, 1.0)
        self._tolerance(TOLERANCES[0])
        return status

    def values(self) -> np.ndarray:
        """The columns' values at the optimum."""
        return np.asarray(self.highs.getSolution().col_value)

    def duals(self) -> np.ndarray:
        """What the optimum gains per unit of each row's bound."""
        return np.asarray(self.highs.getSolution().row_dual)

    def objective(self) -> float:
        return float(self.highs.getInfo().objective_function_value)

    def basis(self) -> np.ndarray:
        """The basic variables, one per row: a column's number, or -1 - i for the slack of row i."""
        status, basic = self.highs.getBasicVariables()
        self._check(status, "getBasicVariables")
        return np.asarray(basic)

    def bounds(self, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace all rows' bounds."""
        rows = np.arange(len(lower), dtype=np.int32)
        self.highs.changeRowsBounds(len(rows), rows, lower, upper)

    def column_bounds(self, columns: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace some columns' bounds."""
        self.highs.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)

    def costs(self, columns: np.ndarray, values: np.ndarray) -> None:
        """Replace some columns' costs."""
        self.highs.changeColsCost(len(columns), columns.astype(np.int32), values)

    def forget(self) -> None:
        """Start the next solve from nothing, as the first did: what it finds does not depend on the
        solves before it.
        """
        self._check(self.highs.clearSolver(), "clearSolver")

    def column(self, column: int, values: np.ndarray) -> None:
        """Replace one column's coefficients."""
        for row, value in enumerate(values.tolist()):
            self.highs.changeCoeff(row, column, value)

    def add_columns(self, cost: np.ndarray, columns: np.ndarray) -> None:
        """Add columns with bounds [0, inf): `columns` is (k, rows), dense."""
        k, rows = columns.shape
        start = np.arange(k, dtype=np.int32) * rows
        index = np.tile(np.arange(rows, dtype=np.int32), k)
        self.highs.addCols(
            k, cost, np.zeros(k), np.full(k, np.inf), k * rows, start, index, columns.ravel()
        )
        self.columns += k

    def add_row(self, lower: float, upper: float, columns: np.ndarray, values: np.ndarray) -> None:
        """Add one row over the given columns."""
        self.highs.addRow(
            lower, upper, len(columns), columns.astype(np.int32), values.astype(float)
        )

    def _option(self, name: str, value: object) -> None:
        self._check(self.highs.setOptionValue(name, value), name)

    def _tolerance(self, tolerance: float) -> None:
        self._option("primal_feasibility_tolerance", tolerance)
        self._option("dual_feasibility_tolerance", tolerance)

    def _check(self, status: highspy.HighsStatus, call: str) -> None:
        if status == highspy.HighsStatus.kError:
            raise SolveError(f"{self.name}: HiGHS refused '{call}'")


def _model(program: Program) -> highspy.HighsLp:
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(program.cost), len(program.lower)
    lp.sense_ = highspy.ObjSense.kMinimize if program.sense == 1 else highspy.ObjSense.kMaximize
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = (
        program.cost,
        program.column_lower,
        program.column_upper,
    )
    lp.row_lower_, lp.row_upper_ = program.lower, program.upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = (
        program.start,
        program.index,
        program.value,
    )
    if program.integer.any():
        kinds = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
        lp.integrality_ = [kinds[0] if integer else kinds[1] for integer in program.integer]
    return lp


def _hessian(program: Program) -> highspy.HighsHessian:
    """The lower triangle of the Hessian of Σ c x_a x_b, column-wise."""
    cells: dict[tuple[int, int], float] = {}
    for a, b, c in program.hessian:
        column, row = min(a, b), max(a, b)
        cells[column, row] = cells.get((column, row), 0.0) + (2 * c if a == b else c)
    ordered = sorted(cells.items())
    hessian = highspy.HighsHessian()
    hessian.dim_ = len(program.cost)
    hessian.format_ = highspy.HessianFormat.kTriangular
    hessian.start_ = np.searchsorted(
        [key[0] for key, _ in ordered], np.arange(hessian.dim_ + 1)
    ).astype(np.int32)
    hessian.index_ = np.array([key[1] for key, _ in ordered], dtype=np.int32)
    hessian.value_ = np.array([value for _, value in ordered], dtype=float)
    return hessian
