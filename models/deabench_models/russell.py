"""The Russell measures (Färe, Lovell 1978): the mean of a factor for every metric.

With s⁻_i = (1 − θ_i) x_io the input-oriented one is 1 minus, with s⁺_r = (φ_r − 1) y_ro the
output-oriented one 1 plus the additive model with weights 1/(m x_io), or 1/(s y_ro): that is how
the software solves them, and the tests hold the two equal.

The graph measure (Färe, Grosskopf, Lovell 1985) lets both sides change: min Σ_i p_i θ_i + Σ_r q_r /
φ_r, with p and q one over the number of metrics. 1/φ is convex; it is held from below by its
tangents 1/φ ≥ 2/a − φ/a² at some places a of each output, which the software moves to where the
optimum is (then nothing is lost), with slope 1/a² and level 2/a.

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0; x_o > 0 or y_o > 0 of the tested DMU. LPs
with n + m or n + s columns and m + s + 1 rows (and the bounds of the factors); infeasible only
where o lies outside its reference.

References: Färe, Lovell (1978), J. Economic Theory 19:150-162; Färe, Grosskopf, Lovell (1985), The
Measurement of Efficiency of Production.
"""

from pyomo.core.base import Constraint, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, compared, seconds
from deabench_models.ccr import SUM_LAMBDA


def _base(X: Table, Y: Table, x_o: Row, y_o: Row) -> Model:
    m = compared(X, Y, x_o, y_o)
    m.lam = Var(m.J, within=NonNegativeReals)
    return m


def _returns(m: Model, returns: str) -> None:
    @m.Constraint()
    def returns_to_scale(m: Model) -> object:
        L, U = SUM_LAMBDA[returns]
        # Under constant returns Σ λ is free.
        return Constraint.Skip if returns == "crs" else (L, sum(m.lam[j] for j in m.J), U)


def russell_input(X: Table, Y: Table, x_o: Row, y_o: Row, returns: str = "crs") -> Model:
    """Formulate the Russell measure, input-oriented.

    min  (1/m) Σ_i θ_i                                   [efficiency]
    s.t. Σ_j X_ji λ_j − x_io θ_i ≤ 0             ∀ i     [inputs]
         Σ_j Y_jr λ_j ≥ y_ro                     ∀ r     [outputs]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         θ_i ≤ 1                                         [theta]
    """
    m = _base(X, Y, x_o, y_o)
    # No input may grow.
    m.theta = Var(m.I, bounds=(None, 1))

    @m.Objective()
    def efficiency(m: Model) -> object:
        return sum(m.theta[i] for i in m.I) / len(m.I)

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) - m.x_o[i] * m.theta[i] <= 0

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) >= m.y_o[r]

    _returns(m, returns)
    return m


def russell_output(X: Table, Y: Table, x_o: Row, y_o: Row, returns: str = "crs") -> Model:
    """Formulate the Russell measure, output-oriented.

    max  (1/s) Σ_r φ_r                                   [expansion]
    s.t. Σ_j X_ji λ_j ≤ x_io                     ∀ i     [inputs]
         Σ_j Y_jr λ_j − y_ro φ_r ≥ 0             ∀ r     [outputs]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         φ_r ≥ 1                                         [phi]
    """
    m = _base(X, Y, x_o, y_o)
    # No output may shrink.
    m.phi = Var(m.R, bounds=(1, None))

    @m.Objective(sense=maximize)
    def expansion(m: Model) -> object:
        return sum(m.phi[r] for r in m.R) / len(m.R)

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) <= m.x_o[i]

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.y_o[r] * m.phi[r] >= 0

    _returns(m, returns)
    return m


def russell_graph(
    X: Table,
    Y: Table,
    x_o: Row,
    y_o: Row,
    p: Row,
    q: Row,
    slope: Table,
    level: Table,
    returns: str = "crs",
) -> Model:
    """Formulate the Russell graph measure.

    ψ_r ≥ 1/φ_r is held by tangents: slope, level (output, tangent).

    min  Σ_i p_i θ_i + Σ_r q_r ψ_r                       [efficiency]
    s.t. Σ_j X_ji λ_j − x_io θ_i ≤ 0             ∀ i     [inputs]
         Σ_j Y_jr λ_j − y_ro φ_r ≥ 0             ∀ r     [outputs]
         slope_rk φ_r + ψ_r ≥ level_rk           ∀ r, k  [tangents]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         θ_i ≤ 1                                         [theta]
         φ_r ≥ 1                                         [phi]
         ψ_r ≥ 0                                         [psi]
    """
    m = _base(X, Y, x_o, y_o)
    m.K = seconds(slope)
    m.p = Param(m.I, mutable=True, initialize=dict(p))
    m.q = Param(m.R, mutable=True, initialize=dict(q))
    m.slope = Param(m.R, m.K, mutable=True, initialize=dict(slope))
    m.level = Param(m.R, m.K, mutable=True, initialize=dict(level))
    m.theta = Var(m.I, bounds=(None, 1))
    m.phi = Var(m.R, bounds=(1, None))
    m.psi = Var(m.R, within=NonNegativeReals)

    @m.Objective()
    def efficiency(m: Model) -> object:
        return sum(m.p[i] * m.theta[i] for i in m.I) + sum(m.q[r] * m.psi[r] for r in m.R)

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) - m.x_o[i] * m.theta[i] <= 0

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.y_o[r] * m.phi[r] >= 0

    @m.Constraint(m.R, m.K)
    def tangents(m: Model, r: object, k: object) -> object:
        # 1/φ is convex: it lies above each of its tangents, and ψ above all of them.
        return m.slope[r, k] * m.phi[r] + m.psi[r] >= m.level[r, k]

    _returns(m, returns)
    return m
