"""Radial efficiency with restricted weights (as trade-offs) and a bounded Σ λ.

A restriction Σ_r a_kr u_r − Σ_i b_ki v_i ≤ 0 on the multipliers is, in the dual, a trade-off that
everybody may make: a_k more outputs for b_k more inputs, π_k times (Podinovski 2004). A share l ≤
u_r y_ro / Σ_q u_q y_qo ≤ h of o's own virtual output (Wong, Beasley 1990) and a ratio l ≤ u_r / u_q
≤ h (the assurance region of Thompson et al. 1986) are two rows each, and so for inputs.

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0; x_o, y_o of the tested DMU; A (trade-off,
output) and B (trade-off, input), its trade-offs, perhaps none; L ≤ Σ λ ≤ U, None where there is no
bound. LPs with n + K + 1 columns and m + s + 1 rows. Unbounded where no multipliers keep the
restrictions, infeasible where o cannot be reached.

References: Wong, Beasley (1990), J. Oper. Res. Soc. 41:829-835; Thompson, Singleton, Thrall, Smith
(1986), Interfaces 16:35-49; Podinovski (2004), J. Oper. Res. Soc. 55:1311-1322.
"""

from pyomo.core.base import Constraint, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, compared, firsts


def _base(
    X: Table,
    Y: Table,
    x_o: Row,
    y_o: Row,
    A: Table,
    B: Table,
    sums: tuple[float | None, float | None],
) -> Model:
    m = compared(X, Y, x_o, y_o)
    m.K = firsts(A)
    # Trade-off k adds A_k to the outputs and B_k to the inputs, in the amount π_k.
    m.A = Param(m.K, m.R, mutable=True, initialize=dict(A))
    m.B = Param(m.K, m.I, mutable=True, initialize=dict(B))
    m.lam = Var(m.J, within=NonNegativeReals)
    m.pi = Var(m.K, within=NonNegativeReals)

    @m.Constraint()
    def returns_to_scale(m: Model) -> object:
        return (
            Constraint.Skip
            if sums == (None, None)
            else (sums[0], sum(m.lam[j] for j in m.J), sums[1])
        )

    return m


def _made(m: Model, Y: Table, r: object) -> object:
    return sum(Y[j, r] * m.lam[j] for j in m.J) + sum(m.A[k, r] * m.pi[k] for k in m.K)


def _used(m: Model, X: Table, i: object) -> object:
    return sum(X[j, i] * m.lam[j] for j in m.J) + sum(m.B[k, i] * m.pi[k] for k in m.K)


def restricted_output(
    X: Table,
    Y: Table,
    x_o: Row,
    y_o: Row,
    A: Table,
    B: Table,
    sums: tuple[float | None, float | None] = (None, None),
) -> Model:
    """Formulate the output-oriented model with restricted weights.

    max  φ                                               [expansion]
    s.t. Σ_j Y_jr λ_j + Σ_k A_kr π_k − y_ro φ ≥ 0 ∀ r    [outputs]
         Σ_j X_ji λ_j + Σ_k B_ki π_k ≤ x_io      ∀ i     [inputs]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         π_k ≥ 0                                         [pi]
         φ free                                          [phi]
    """
    m = _base(X, Y, x_o, y_o, A, B, sums)
    m.phi = Var()

    @m.Objective(sense=maximize)
    def expansion(m: Model) -> object:
        return m.phi

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return _made(m, Y, r) - m.y_o[r] * m.phi >= 0

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return _used(m, X, i) <= m.x_o[i]

    return m


def restricted_input(
    X: Table,
    Y: Table,
    x_o: Row,
    y_o: Row,
    A: Table,
    B: Table,
    sums: tuple[float | None, float | None] = (None, None),
) -> Model:
    """Formulate the input-oriented model with restricted weights.

    min  θ                                               [efficiency]
    s.t. Σ_j Y_jr λ_j + Σ_k A_kr π_k ≥ y_ro      ∀ r     [outputs]
         Σ_j X_ji λ_j + Σ_k B_ki π_k − x_io θ ≤ 0 ∀ i    [inputs]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         π_k ≥ 0                                         [pi]
         θ free                                          [theta]
    """
    m = _base(X, Y, x_o, y_o, A, B, sums)
    m.theta = Var()

    @m.Objective()
    def efficiency(m: Model) -> object:
        return m.theta

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return _made(m, Y, r) >= m.y_o[r]

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return _used(m, X, i) - m.x_o[i] * m.theta <= 0

    return m


def restricted_slacks(
    X: Table,
    Y: Table,
    x_o: Row,
    y_o: Row,
    A: Table,
    B: Table,
    sums: tuple[float | None, float | None] = (None, None),
) -> Model:
    """Formulate the second stage: the largest sum of what is left to gain.

    max  Σ_r s⁺_r + Σ_i s⁻_i                             [total_slack]
    s.t. Σ_j Y_jr λ_j + Σ_k A_kr π_k − s⁺_r = y_ro ∀ r   [outputs]
         Σ_j X_ji λ_j + Σ_k B_ki π_k + s⁻_i = x_io ∀ i   [inputs]
         L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
         λ_j ≥ 0                                         [lam]
         π_k ≥ 0                                         [pi]
         s⁺_r ≥ 0                                        [s_plus]
         s⁻_i ≥ 0                                        [s_minus]
    """
    m = _base(X, Y, x_o, y_o, A, B, sums)
    m.s_plus = Var(m.R, within=NonNegativeReals)
    m.s_minus = Var(m.I, within=NonNegativeReals)

    @m.Objective(sense=maximize)
    def total_slack(m: Model) -> object:
        return sum(m.s_plus[r] for r in m.R) + sum(m.s_minus[i] for i in m.I)

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return _made(m, Y, r) - m.s_plus[r] == m.y_o[r]

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return _used(m, X, i) + m.s_minus[i] == m.x_o[i]

    return m
