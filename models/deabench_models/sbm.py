"""The slacks-based measure: Tone (2001).

It equals the enhanced Russell graph measure of Pastor, Ruiz and Sirvent (1999).

    min  ρ = (1 − (1/m) Σ_i s⁻_i / x_io) / (1 + (1/s) Σ_r s⁺_r / y_ro)
    s.t. Σ_j X_ji λ_j + s⁻_i = x_io,   Σ_j Y_jr λ_j − s⁺_r = y_ro,
         L ≤ Σ_j λ_j ≤ U,   λ, s⁻, s⁺ ≥ 0

is fractional; multiplied through by t > 0, so that the denominator is 1 (Charnes and Cooper 1962),
it is linear: Λ = t λ, S⁻ = t s⁻, S⁺ = t s⁺. What a unit of slack counts is data: p_i = 1/(m x_io)
and q_r = 1/(s y_ro), where a metric that is 0 at o counts 0 and leaves m or s. With q = 0 the
measure is input-oriented (then t = 1), with p = 0 output-oriented.

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0, any unit; x_o, y_o, p, q of the tested DMU.
An LP with n + m + s + 1 columns and m + s + 2 rows; infeasible only where no combination of the
reference uses at most x_o and gives at least y_o (o outside its reference). ρ is in (0, 1], and 1
exactly for Pareto-efficient DMUs.

References: Tone (2001), EJOR 130:498-509; Pastor, Ruiz, Sirvent (1999), EJOR 115:596-607.
"""

from pyomo.core.base import Constraint, Param, Var
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, compared


def slacks_based(
    X: Table, Y: Table, x_o: Row, y_o: Row, p: Row, q: Row, returns: str = "crs"
) -> Model:
    """Formulate the slacks-based measure, linear.

        min  t − Σ_i p_i S⁻_i                                [efficiency]
        s.t. t + Σ_r q_r S⁺_r = 1                            [denominator]
             Σ_j X_ji Λ_j + S⁻_i − x_io t = 0        ∀ i     [inputs]
             Σ_j Y_jr Λ_j − S⁺_r − y_ro t = 0        ∀ r     [outputs]
             Σ_j Λ_j − t  = 0, ≤ 0 or ≥ 0                    [returns_to_scale]
             Λ_j ≥ 0                                         [lam]
             S⁻_i ≥ 0                                        [s_minus]
             S⁺_r ≥ 0                                        [s_plus]
             t ≥ 0                                           [t]

    The row of the returns to scale is = for vrs, ≤ for nirs, ≥ for ndrs, and absent for crs.
    """
    m = compared(X, Y, x_o, y_o)
    m.p = Param(m.I, mutable=True, initialize=dict(p))
    m.q = Param(m.R, mutable=True, initialize=dict(q))
    m.lam = Var(m.J, within=NonNegativeReals)
    m.s_minus = Var(m.I, within=NonNegativeReals)
    m.s_plus = Var(m.R, within=NonNegativeReals)
    # Charnes and Cooper's transform: all variables are multiplied by t > 0.
    m.t = Var(within=NonNegativeReals)

    @m.Objective()
    def efficiency(m: Model) -> object:
        return m.t - sum(m.p[i] * m.s_minus[i] for i in m.I)

    @m.Constraint()
    def denominator(m: Model) -> object:
        # The denominator of the fraction becomes 1.
        return m.t + sum(m.q[r] * m.s_plus[r] for r in m.R) == 1

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) + m.s_minus[i] - m.x_o[i] * m.t == 0

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.s_plus[r] - m.y_o[r] * m.t == 0

    @m.Constraint()
    def returns_to_scale(m: Model) -> object:
        # Σ λ = 1 becomes Σ Λ = t.
        surplus = sum(m.lam[j] for j in m.J) - m.t
        return {
            "crs": Constraint.Skip,
            "vrs": surplus == 0,
            "nirs": surplus <= 0,
            "ndrs": surplus >= 0,
        }[returns]

    return m
