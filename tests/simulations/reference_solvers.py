"""Other ways to the efficiencies of (5): the efficiency of DMU k is min Σ μ, Σ_j μ_j Y_j ≥ Y_k, μ ≥
0, with μ = λ/θ.

Each function takes the table (n, s) and the DMUs to score (K,), and gives their efficiencies. They
are written as their own documentation would have one write them; the peers are called through their
front doors, with slacks off where they can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

Way = Callable[[np.ndarray, np.ndarray], np.ndarray]


def naive_pyomo(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    """A new ConcreteModel for every DMU, solved by Pyomo's persistent HiGHS interface."""
    import pyomo.environ as pyo

    n, s = Y.shape
    solver = pyo.SolverFactory("appsi_highs")
    out = []
    for k in who.tolist():
        m = pyo.ConcreteModel()
        m.lam, m.theta = pyo.Var(range(n), domain=pyo.NonNegativeReals), pyo.Var()
        m.objective = pyo.Objective(expr=m.theta, sense=pyo.maximize)
        m.outputs = pyo.Constraint(
            range(s),
            rule=lambda m, r, k=k: sum(Y[j, r] * m.lam[j] for j in range(n)) >= m.theta * Y[k, r],
        )
        m.convexity = pyo.Constraint(expr=sum(m.lam[j] for j in range(n)) == 1)
        solver.solve(m)
        out.append(1 / pyo.value(m.theta))
    return np.array(out)


def scipy_linprog(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    """`scipy.optimize.linprog` for every DMU."""
    from scipy.optimize import linprog

    cost, matrix = np.ones(len(Y)), -Y.T
    return np.array([linprog(cost, matrix, -Y[k], method="highs").fun for k in who])


def warm_highspy(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    """One HiGHS model, written by hand: only the right-hand side changes, every solve starts from
    the last basis.
    """
    import highspy

    n, s = Y.shape
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n, s
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.ones(n), np.zeros(n), np.full(n, np.inf)
    lp.row_lower_, lp.row_upper_ = Y[who[0]], np.full(s, np.inf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.arange(0, n * s + 1, s, dtype=np.int32)
    lp.a_matrix_.index_ = np.tile(np.arange(s, dtype=np.int32), n)
    lp.a_matrix_.value_ = Y.ravel()
    highs: Any = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
        highs.setOptionValue(option, value)
    highs.passModel(lp)
    rows, upper = np.arange(s, dtype=np.int32), np.full(s, np.inf)
    out = []
    for k in who:
        highs.changeRowsBounds(s, rows, Y[k], upper)
        highs.run()
        out.append(highs.getInfo().objective_function_value)
    return np.array(out)


def dealib(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    from dealib import dea

    unit_input = np.ones((len(Y), 1))
    return 1 / np.asarray(
        dea(unit_input[who], Y[who], xref=unit_input, yref=Y, rts="vrs", orientation="output").eff
    )


def deapack(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    from deapack import BCC, DEAData

    table = pd.DataFrame(Y, columns=[f"m{r}" for r in range(Y.shape[1])]).assign(
        one=1.0, dmu=range(len(Y))
    )
    data = DEAData.from_frame(
        table, dmu="dmu", inputs=["one"], outputs=list(table.columns[: Y.shape[1]])
    )
    summary = BCC(orientation="output", compute_slacks=False).fit(data).summary_frame
    return np.asarray(summary.set_index("dmu_id").loc[who, "efficiency"].to_numpy())


def orange3_dea(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    from orangecontrib.dea.core.problem import DEAProblem
    from orangecontrib.dea.core.radial import solve_radial

    problem = DEAProblem(
        [str(k) for k in range(len(Y))],
        ["one"],
        [f"m{r}" for r in range(Y.shape[1])],
        np.ones(len(Y)),
        Y,
    )
    radial = solve_radial(
        problem, orientation="output", rts="VRS", two_phase=False, dmu_eval=who.tolist()
    )
    return np.asarray(1 / radial.efficiency[who])


def frontierguard(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    from frontierguard import DEAData, RadialDEA

    unit_input = np.ones((len(Y), 1))
    model = RadialDEA(orientation="output", rts="vrs", slacks="none")
    fitted = model.fit(DEAData(unit_input[who], Y[who]), reference=DEAData(unit_input, Y))
    return 1 / np.asarray(fitted.radial_factor)


def pyfrontier(Y: np.ndarray, who: np.ndarray) -> np.ndarray:
    from Pyfrontier.frontier_model import EnvelopDEA

    model = EnvelopDEA("VRS", "out")
    model.fit(np.ones((len(Y), 1)), Y)
    return 1 / np.array([model.result[k].score for k in who])


PLAIN: dict[str, tuple[Way, float]] = {
    "naive Pyomo + appsi_highs": (naive_pyomo, 4e4),
    "scipy.optimize.linprog": (scipy_linprog, 2e5),
    "warm highspy by hand": (warm_highspy, 2e6),
}
"""Ways that need nothing more than deabench does, and the DMUs x DMUs that each is timed on at
most.
"""

PEERS: dict[str, tuple[Way, str, float]] = {
    "dealib": (dealib, "dealib", 1e6),
    "DEAPack": (deapack, "deapack", 2e6),
    "orange3-dea": (orange3_dea, "orangecontrib.dea", 2e5),
    "frontierguard-dea": (frontierguard, "frontierguard", 2e5),
    "Pyfrontier": (pyfrontier, "Pyfrontier", 5e4),
}
"""Published packages: the way, what to import, and the DMUs x DMUs (scored x reference) that one
run may take.
"""

WHOLE = ("DEAPack", "Pyfrontier")
"""Peers that score every DMU or none: they are left out where that would take too long."""
