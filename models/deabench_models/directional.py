"""The directional distance function: how far o can move along a given direction.

Chambers, Chung, Färe (1996).

With g = (0, y_o) it is φ − 1, with g = (x_o, 0) it is 1 − θ of (3). With Σ λ = 1 and a direction
that does not depend on where the data's zero is (ones, ranges, or the way to the ideal point: the
range directional model RDM of Portela, Thanassoulis, Simpson 2004) it is translation-invariant, so
that data may be negative.

Symbols: X (DMU, input), Y (DMU, output); x_o, y_o and the direction g_x, g_y ≥ 0 (not all 0) of the
tested DMU. An LP with n + 1 columns and m + s + 1 rows. β is ≥ 0 where o is in the reference; it
can be negative, or the LP infeasible, outside of it.

References: Chambers, Chung, Färe (1996), J. Economic Theory 70:407-419; Portela et al. (2004), J.
Oper. Res. Soc. 55:1111-1121.
"""

from pyomo.core.base import Constraint, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, compared
from deabench_models.ccr import SUM_LAMBDA


def directional(
    X: Table, Y: Table, x_o: Row, y_o: Row, g_x: Row, g_y: Row, returns: str = "vrs"
) -> Model:
    """Formulate the directional distance.

    max  β                                               [distance]
    s.t. Σ_j X_ji λ_j + g_xi β ≤ x_io            ∀ i     [inputs]
         Σ_j Y_jr λ_j − g_yr β ≥ y_ro            ∀ r     [outputs]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         β free                                          [beta]
    """
    m = compared(X, Y, x_o, y_o)
    m.g_x = Param(m.I, mutable=True, initialize=dict(g_x))
    m.g_y = Param(m.R, mutable=True, initialize=dict(g_y))
    m.lam = Var(m.J, within=NonNegativeReals)
    m.beta = Var()

    @m.Objective(sense=maximize)
    def distance(m: Model) -> object:
        return m.beta

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) + m.g_x[i] * m.beta <= m.x_o[i]

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.g_y[r] * m.beta >= m.y_o[r]

    @m.Constraint()
    def returns_to_scale(m: Model) -> object:
        L, U = SUM_LAMBDA[returns]
        # Under constant returns Σ λ is free.
        return Constraint.Skip if returns == "crs" else (L, sum(m.lam[j] for j in m.J), U)

    return m
