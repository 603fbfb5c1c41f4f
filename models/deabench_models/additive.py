"""The additive model with weights: Charnes, Cooper, Golany, Seiford, Stutz (1985).

The weighted sum of everything that is left to gain. The weights make the model: 1 for every unit
(Charnes et al. 1985; depends on the units), 1/own value (measure of inefficiency proportions),
1/standard deviation (Lovell, Pastor 1995), 1/((m+s) range) (RAM: Cooper, Park, Pastor 1999),
1/((m+s) distance to the best value) (BAM: Cooper, Pastor, Borras, Aparicio, Pastor 2011). With
weights on inputs alone or on outputs alone it is oriented.

Symbols: X (DMU, input), Y (DMU, output), any unit, also negative where Σ λ = 1 (then the model is
translation-invariant); x_o, y_o and the weights w⁻, w⁺ ≥ 0 of the tested DMU. An LP with n + m + s
columns and m + s + 1 rows; infeasible only where no combination of the reference uses at most x_o
and gives at least y_o (o outside its reference). The optimum is 0 exactly for Pareto-efficient DMUs
where all weights are positive.

References: Charnes et al. (1985), J. Econometrics 30:91-107; Cooper, Park, Pastor (1999), J.
Productivity Analysis 11:5-42; Cooper et al. (2011), J. Productivity Analysis 35:85-94.
"""

from pyomo.core.base import Constraint, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, compared
from deabench_models.ccr import SUM_LAMBDA


def additive(
    X: Table, Y: Table, x_o: Row, y_o: Row, w_minus: Row, w_plus: Row, returns: str = "vrs"
) -> Model:
    """Formulate the largest weighted sum of slacks.

    max  Σ_i w⁻_i s⁻_i + Σ_r w⁺_r s⁺_r                   [total]
    s.t. Σ_j X_ji λ_j + s⁻_i = x_io              ∀ i     [inputs]
         Σ_j Y_jr λ_j − s⁺_r = y_ro              ∀ r     [outputs]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         s⁻_i ≥ 0                                        [s_minus]
         s⁺_r ≥ 0                                        [s_plus]
    """
    m = compared(X, Y, x_o, y_o)
    # Mutable parameters: one model serves all DMUs.
    m.w_minus = Param(m.I, mutable=True, initialize=dict(w_minus))
    m.w_plus = Param(m.R, mutable=True, initialize=dict(w_plus))
    m.lam = Var(m.J, within=NonNegativeReals)
    m.s_minus = Var(m.I, within=NonNegativeReals)
    m.s_plus = Var(m.R, within=NonNegativeReals)

    @m.Objective(sense=maximize)
    def total(m: Model) -> object:
        return sum(m.w_minus[i] * m.s_minus[i] for i in m.I) + sum(
            m.w_plus[r] * m.s_plus[r] for r in m.R
        )

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) + m.s_minus[i] == m.x_o[i]

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.s_plus[r] == m.y_o[r]

    @m.Constraint()
    def returns_to_scale(m: Model) -> object:
        L, U = SUM_LAMBDA[returns]
        # Under constant returns Σ λ is free.
        return Constraint.Skip if returns == "crs" else (L, sum(m.lam[j] for j in m.J), U)

    return m
