"""Super-efficiency by slacks: Tone (2002).

How far a DMU that the others do not dominate is from what they can do.

    min  δ = (1 + Σ_i p_i σ_i) / (1 − Σ_r q_r τ_r)
    s.t. Σ_j X_ji λ_j ≤ (1 + σ_i) x_io,   Σ_j Y_jr λ_j ≥ (1 − τ_r) y_ro,
         L ≤ Σ_j λ_j ≤ U,   λ, σ, τ ≥ 0

over the other DMUs j. Multiplied through by t > 0, so that the denominator is 1 (Charnes, Cooper
1962), it is linear: Λ = t λ, σ and τ times t. p_i is 1/m and q_r is 1/s over the metrics that are
not 0 at o: an input of 0 has to stay 0. With τ = 0 the measure is input-oriented, with σ = 0
output-oriented.

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0; x_o, y_o, p, q of the tested DMU. An LP with
n + m + s + 1 columns and m + s + 2 rows; infeasible where the others cannot reach o by these
changes. δ ≥ 1, and the DMU is asked only where its own slacks-based measure is 1.

Reference: Tone (2002), EJOR 143:32-41.
"""

from pyomo.core.base import Constraint, Param, Var
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, compared


def super_slacks_based(
    X: Table,
    Y: Table,
    x_o: Row,
    y_o: Row,
    p: Row,
    q: Row,
    returns: str = "crs",
    change: str = "none",
) -> Model:
    """Super-efficiency by slacks, linear; with `change` "input" or "output" only that side moves.

        min  t + Σ_i p_i σ_i                                 [superefficiency]
        s.t. t − Σ_r q_r τ_r = 1                             [denominator]
             Σ_j X_ji Λ_j − x_io σ_i − x_io t ≤ 0    ∀ i     [inputs]
             Σ_j Y_jr Λ_j + y_ro τ_r − y_ro t ≥ 0    ∀ r     [outputs]
             Σ_j Λ_j − t  = 0, ≤ 0 or ≥ 0                    [returns_to_scale]
             Λ_j ≥ 0                                         [lam]
             σ_i ≥ 0 (0 where inputs do not change)          [sigma]
             τ_r ≥ 0 (0 where outputs do not change)         [tau]
             t ≥ 0                                           [t]

    The row of the returns to scale is = for vrs, ≤ for nirs, ≥ for ndrs, and absent for crs.
    """
    m = compared(X, Y, x_o, y_o)
    m.p = Param(m.I, mutable=True, initialize=dict(p))
    m.q = Param(m.R, mutable=True, initialize=dict(q))
    m.lam = Var(m.J, within=NonNegativeReals)
    # The slacks of a side that does not change are fixed at 0.
    m.sigma = Var(m.I, bounds=(0, 0 if change == "output" else None))
    m.tau = Var(m.R, bounds=(0, 0 if change == "input" else None))
    m.t = Var(within=NonNegativeReals)

    @m.Objective()
    def superefficiency(m: Model) -> object:
        return m.t + sum(m.p[i] * m.sigma[i] for i in m.I)

    @m.Constraint()
    def denominator(m: Model) -> object:
        # The denominator of the fraction becomes 1.
        return m.t - sum(m.q[r] * m.tau[r] for r in m.R) == 1

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) - m.x_o[i] * m.sigma[i] - m.x_o[i] * m.t <= 0

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) + m.y_o[r] * m.tau[r] - m.y_o[r] * m.t >= 0

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
