"""Call HiGHS with status discipline: a call ends optimal, or raises with the solver's own words.

One `Solver` holds one model. Its rows' bounds and single coefficients can change and columns can be
added between solves, which then start from the basis of the last.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np

from deabench.errors import SolveError
from deabench.solver.template import Program
from deabench.utils.progress import check_time, seconds_left

TOLERANCES = (1e-10, 1e-9, 1e-8, 1e-7)
"""Feasibility tolerances, in the order they are tried: HiGHS calls some nearly degenerate feasible
LPs infeasible at 1e-10.
"""
PERTURBED = "dual_simplex_cost_perturbation_multiplier"

OPTIMAL = highspy.HighsModelStatus.kOptimal
INFEASIBLE = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
LIMITS = (highspy.HighsModelStatus.kTimeLimit, highspy.HighsModelStatus.kIterationLimit)


class Infeasible(SolveError):
    """The program has no feasible point; callers for whom that is an answer catch it."""


class Undecided(SolveError):
    """HiGHS ended neither optimal nor infeasible nor at a limit: the numbers are too degenerate."""


class Unbounded(Undecided):
    """The program has no finite optimum; callers for whom that is an answer catch it."""


class Limit(SolveError):
    """A time or iteration limit ended the solve.

    `bound` is the proved bound of the objective, `objective` that of the best point.
    """

    def __init__(self, text: str, bound: float, objective: float) -> None:
        super().__init__(text)
        self.bound = bound
        self.objective = objective


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
        self.integer = bool(program.integer.any())
        self.quadratic = bool(program.hessian)
        self.time_end = float("inf")
        # Its methods are bound at run time, which no type checker follows.
        self.highs: Any = highspy.Highs()
        self._set_option("output_flag", False)
        self._set_option("threads", 1)
        self._set_option("mip_rel_gap", 0.0)
        self._set_option("mip_abs_gap", 1e-12)
        self._set_option("mip_feasibility_tolerance", 1e-9)
        self._set_option("random_seed", 0)
        # Linear programs keep their basis from solve to solve, which presolve would discard.
        presolve = "on" if self.integer else "off"
        self._set_option("presolve", presolve)
        self._set_tolerance(TOLERANCES[0])
        if time_limit is not None:
            self._set_option("time_limit", float(time_limit))
        if iteration_limit is not None:
            self._set_option("simplex_iteration_limit", iteration_limit)
        self.load(program)

    def load(self, program: Program) -> None:
        """Put a program in the place of the last, of the same kind; nothing of that one stays."""
        self.name = program.name
        self.columns = len(program.cost)
        self.rows = program.row_names
        if self.highs.passModel(_to_lp(program)) == highspy.HighsStatus.kError:
            raise SolveError(
                f"{self.name}: HiGHS takes no coefficients as large as "
                f"{np.abs(program.value).max(initial=0.0):.1g}; leave out the row or the metric "
                "whose values are so far apart"
            )
        if self.quadratic:
            self._check_status(self.highs.passHessian(_to_hessian(program)), "passHessian")

    def run(self, label: str, *, patient: bool = True) -> None:
        """Solve the model.

        Parameters
        ----------
        label : str
            What is solved, for errors.
        patient : bool
            Whether a failure is believed only after looser, cold tries.

        Raises
        ------
        Infeasible, Unbounded, Undecided, Limit
            With the model, the label and HiGHS's words.
        TimeLimitError
            If the time limit of the whole computation has passed.
        """
        # A mixed-integer program runs a little in any case: it then has a bound to state.
        if not self.integer:
            check_time()
        # HiGHS stops by itself when the time of the whole computation is up.
        self._pass_time_left()
        self.highs.run()
        status = self.highs.getModelStatus()
        # Looser tolerances and a cold start often end what the first try left open.
        if status != OPTIMAL and (patient or status not in INFEASIBLE):
            status = self._retry(status)
        if status == OPTIMAL:
            return
        status_text = self.highs.modelStatusToString(status)
        message = f"{self.name} for {label}: HiGHS ended with '{status_text}'"
        if status in INFEASIBLE:
            raise Infeasible(message)
        if status in LIMITS:
            if not self.integer:
                check_time(is_over=self.highs.getRunTime() >= self.time_end)
            info = self.highs.getInfo()
            raise Limit(message, float(info.mip_dual_bound), float(info.objective_function_value))
        if status == highspy.HighsModelStatus.kUnbounded:
            raise Unbounded(message)
        raise Undecided(message)

    def _pass_time_left(self) -> None:
        """Give HiGHS what is left of the time limit of the whole computation."""
        seconds = seconds_left()
        if seconds is not None:
            # HiGHS adds up the times of all its runs.
            self.time_end = self.highs.getRunTime() + seconds
            self._set_option("time_limit", self.time_end)

    def _retry(self, status: highspy.HighsModelStatus) -> highspy.HighsModelStatus:
        """Solve again, cold, without perturbed costs and at looser and looser tolerances."""
        # Perturbed costs can end the dual simplex at a basis that is optimal for no true costs.
        self._set_option(PERTURBED, 0.0)
        for tolerance in TOLERANCES[1:]:
            if status in (OPTIMAL, *LIMITS):
                break
            self._set_tolerance(tolerance)
            # The last basis led to the failure, so it is forgotten.
            self.highs.clearSolver()
            self.highs.run()
            status = self.highs.getModelStatus()
        # The next solve starts as the first did.
        self._set_option(PERTURBED, 1.0)
        self._set_tolerance(TOLERANCES[0])
        return status

    def values(self) -> np.ndarray:
        """Return the columns' values at the optimum."""
        return np.asarray(self.highs.getSolution().col_value)

    def duals(self) -> np.ndarray:
        """Return what the optimum gains per unit of each row's bound."""
        return np.asarray(self.highs.getSolution().row_dual)

    def objective(self) -> float:
        """Return the objective at the optimum."""
        return float(self.highs.getInfo().objective_function_value)

    def basis(self) -> np.ndarray:
        """Return the basic variables (rows,): a column, or -1 - i for the slack of row i."""
        status, basic = self.highs.getBasicVariables()
        self._check_status(status, "getBasicVariables")
        return np.asarray(basic)

    def set_row_bounds(self, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace all rows' bounds."""
        rows = np.arange(len(lower), dtype=np.int32)
        self.highs.changeRowsBounds(len(rows), rows, lower, upper)

    def set_column_bounds(self, columns: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace some columns' bounds."""
        self.highs.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)

    def set_costs(self, columns: np.ndarray, values: np.ndarray) -> None:
        """Replace some columns' costs."""
        self.highs.changeColsCost(len(columns), columns.astype(np.int32), values)

    def clear_basis(self) -> None:
        """Start the next solve from nothing, so that it does not depend on the solves before it."""
        self._check_status(self.highs.clearSolver(), "clearSolver")

    def set_column(self, column: int, values: np.ndarray) -> None:
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

    def _set_option(self, name: str, value: object) -> None:
        self._check_status(self.highs.setOptionValue(name, value), name)

    def _set_tolerance(self, tolerance: float) -> None:
        self._set_option("primal_feasibility_tolerance", tolerance)
        self._set_option("dual_feasibility_tolerance", tolerance)

    def _check_status(self, status: highspy.HighsStatus, call: str) -> None:
        if status == highspy.HighsStatus.kError:
            raise SolveError(f"{self.name}: HiGHS refused '{call}'")


def _to_lp(program: Program) -> highspy.HighsLp:
    lp = highspy.HighsLp()
    lp.num_col_ = len(program.cost)
    lp.num_row_ = len(program.lower)
    lp.sense_ = highspy.ObjSense.kMinimize if program.sense == 1 else highspy.ObjSense.kMaximize
    lp.col_cost_ = program.cost
    lp.col_lower_ = program.column_lower
    lp.col_upper_ = program.column_upper
    lp.row_lower_ = program.lower
    lp.row_upper_ = program.upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = program.start
    lp.a_matrix_.index_ = program.index
    lp.a_matrix_.value_ = program.value
    if program.integer.any():
        integer = highspy.HighsVarType.kInteger
        continuous = highspy.HighsVarType.kContinuous
        lp.integrality_ = [integer if flag else continuous for flag in program.integer]
    return lp


def _to_hessian(program: Program) -> highspy.HighsHessian:
    """Return the lower triangle of the Hessian of Σ c x_a x_b, column-wise."""
    cells: dict[tuple[int, int], float] = {}
    for a, b, c in program.hessian:
        cell = (min(a, b), max(a, b))
        # The second derivative of c x² is 2 c, that of c x_a x_b is c.
        cells[cell] = cells.get(cell, 0.0) + (2 * c if a == b else c)
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
