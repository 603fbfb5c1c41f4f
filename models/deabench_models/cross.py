"""Cross-efficiency: Sexton, Silkman, Hogan (1986), with the secondary goals of Doyle and Green (1994).

Every DMU is judged by the weights of every other: E_oj = u_o·y_j / v_o·x_j. The weights with which o does best are not unique,
so among them those are taken that do the others, as one, the least (aggressive) or the most (benevolent) good.

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0; y_o the outputs of o; z_o its inputs times its efficiency e_o; X_sum and
Y_sum the sums over the others. LPs with m + s columns and n + 2 rows; feasible where e_o is the crs
efficiency of o. Only the goal differs.

References: Sexton et al. (1986), New Directions for Program Evaluation 32:73-105; Doyle, Green (1994), J. Oper. Res. Soc.
45:567-578.
"""

from pyomo.core.base import ConcreteModel, Objective, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, firsts, seconds


def _base(X: Table, Y: Table, y_o: Row, z_o: Row, X_sum: Row, Y_sum: Row) -> Model:
    m = ConcreteModel()
    m.J, m.I, m.R = firsts(Y), seconds(X), seconds(Y)
    m.y_o = Param(m.R, mutable=True, initialize=dict(y_o))
    m.z_o = Param(m.I, mutable=True, initialize=dict(z_o))
    m.X_sum = Param(m.I, mutable=True, initialize=dict(X_sum))
    m.Y_sum = Param(m.R, mutable=True, initialize=dict(Y_sum))
    m.u = Var(m.R, within=NonNegativeReals)
    m.v = Var(m.I, within=NonNegativeReals)

    @m.Constraint()
    def inputs_of_the_others(m: Model) -> object:
        return sum(m.X_sum[i] * m.v[i] for i in m.I) == 1

    @m.Constraint()
    def own_efficiency(m: Model) -> object:
        return sum(m.y_o[r] * m.u[r] for r in m.R) - sum(m.z_o[i] * m.v[i] for i in m.I) == 0

    @m.Constraint(m.J)
    def no_better(m: Model, j: object) -> object:
        return sum(Y[j, r] * m.u[r] for r in m.R) - sum(X[j, i] * m.v[i] for i in m.I) <= 0

    return m


def aggressive(X: Table, Y: Table, y_o: Row, z_o: Row, X_sum: Row, Y_sum: Row) -> Model:
    """The weights of o that do the others the least good.

    min  Σ_r u_r Y_sum_r                                 [outputs_of_the_others]
    s.t. Σ_i v_i X_sum_i = 1                             [inputs_of_the_others]
         Σ_r u_r y_ro − e_o Σ_i v_i x_io = 0             [own_efficiency]
         Σ_r u_r Y_jr − Σ_i v_i X_ji ≤ 0         ∀ j     [no_better]
         u_r ≥ 0                                         [u]
         v_i ≥ 0                                         [v]
    """
    m = _base(X, Y, y_o, z_o, X_sum, Y_sum)
    m.outputs_of_the_others = Objective(expr=sum(m.Y_sum[r] * m.u[r] for r in m.R))
    return m


def benevolent(X: Table, Y: Table, y_o: Row, z_o: Row, X_sum: Row, Y_sum: Row) -> Model:
    """The weights of o that do the others the most good.

    max  Σ_r u_r Y_sum_r                                 [outputs_of_the_others]
    s.t. Σ_i v_i X_sum_i = 1                             [inputs_of_the_others]
         Σ_r u_r y_ro − e_o Σ_i v_i x_io = 0             [own_efficiency]
         Σ_r u_r Y_jr − Σ_i v_i X_ji ≤ 0         ∀ j     [no_better]
         u_r ≥ 0                                         [u]
         v_i ≥ 0                                         [v]
    """
    m = _base(X, Y, y_o, z_o, X_sum, Y_sum)
    m.outputs_of_the_others = Objective(expr=sum(m.Y_sum[r] * m.u[r] for r in m.R), sense=maximize)
    return m
