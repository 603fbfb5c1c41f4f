"""CCR and its returns to scale: equations (1), (2) and (3), and the second stage.

The ratio form (1) of Charnes, Cooper and Rhodes (1978) asks for the weights that show DMU o in its
best light:

    max  e_o = Σ_r u_r y_ro / Σ_i v_i x_io
    s.t. Σ_r u_r y_rj / Σ_i v_i x_ij ≤ 1  for all j,   u, v ≥ 0.

It is a linear fractional program; the transformation of Charnes and Cooper (1962) makes it the
linear program (2) (`multiplier_input`), whose dual is (3) (`envelopment_input`). The
output-oriented pair fixes the outputs instead and reports φ ≥ 1, the factor by which all outputs
could grow; its efficiency is 1/φ.

Returns to scale are bounds on Σ λ in the envelopment form and on the sign of its multiplier u_0 in
the other:

    returns   L ≤ Σ_j λ_j ≤ U     u_0 (input-oriented)   u_0 (output-oriented)
    crs       none                0                      0
    vrs       1, 1                free                   free
    nirs      0, 1                ≤ 0                    ≥ 0
    ndrs      1, ∞                ≥ 0                    ≤ 0

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0 and in any unit; x_o, y_o the tested DMU's.
All models are LPs with n + 1 columns and m + s + 1 rows (envelopment) or the transpose
(multiplier).

References: Charnes, Cooper, Rhodes (1978), EJOR 2:429-444; Banker, Charnes, Cooper (1984),
Management Science 30:1078-1092.
"""

from pyomo.core.base import Constraint, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, compared

SUM_LAMBDA = {"crs": (None, None), "vrs": (1, 1), "nirs": (None, 1), "ndrs": (1, None)}
U_0_INPUT = {"crs": (0, 0), "vrs": (None, None), "nirs": (None, 0), "ndrs": (0, None)}
U_0_OUTPUT = {"crs": (0, 0), "vrs": (None, None), "nirs": (0, None), "ndrs": (None, 0)}


def _returns(m: Model, returns: str) -> None:
    L, U = SUM_LAMBDA[returns]

    @m.Constraint()
    def returns_to_scale(m: Model) -> object:
        # Under constant returns Σ λ is free.
        return Constraint.Skip if returns == "crs" else (L, sum(m.lam[j] for j in m.J), U)


def multiplier_input(X: Table, Y: Table, x_o: Row, y_o: Row, returns: str = "crs") -> Model:
    """CCR multiplier form (2), input-oriented.

        max  Σ_r u_r y_ro + u_0                              [efficiency]
        s.t. Σ_i v_i x_io = 1                                [virtual_input]
             Σ_r u_r Y_jr − Σ_i v_i X_ji + u_0 ≤ 0   ∀ j     [no_better]
             u_r ≥ 0                                         [u]
             v_i ≥ 0                                         [v]
             u_0 signed by the returns to scale              [u_0]

    Infeasible only where x_o = 0; unbounded where every DMU with a lower Σ λ is missing (o outside
    its reference).
    """
    m = compared(X, Y, x_o, y_o)
    m.u = Var(m.R, within=NonNegativeReals)
    m.v = Var(m.I, within=NonNegativeReals)
    m.u_0 = Var(bounds=U_0_INPUT[returns])

    @m.Objective(sense=maximize)
    def efficiency(m: Model) -> object:
        return sum(m.y_o[r] * m.u[r] for r in m.R) + m.u_0

    @m.Constraint()
    def virtual_input(m: Model) -> object:
        # A ratio has no scale: fix the DMU's own virtual input.
        return sum(m.x_o[i] * m.v[i] for i in m.I) == 1

    @m.Constraint(m.J)
    def no_better(m: Model, j: object) -> object:
        # Under these weights no DMU has a ratio above 1.
        return sum(Y[j, r] * m.u[r] for r in m.R) - sum(X[j, i] * m.v[i] for i in m.I) + m.u_0 <= 0

    return m


def multiplier_output(X: Table, Y: Table, x_o: Row, y_o: Row, returns: str = "crs") -> Model:
    """CCR multiplier form, output-oriented.

        min  Σ_i v_i x_io + u_0                              [expansion]
        s.t. Σ_r u_r y_ro = 1                                [virtual_output]
             Σ_i v_i X_ji − Σ_r u_r Y_jr + u_0 ≥ 0   ∀ j     [no_better]
             u_r ≥ 0                                         [u]
             v_i ≥ 0                                         [v]
             u_0 signed by the returns to scale              [u_0]

    Infeasible only where y_o = 0.
    """
    m = compared(X, Y, x_o, y_o)
    m.u = Var(m.R, within=NonNegativeReals)
    m.v = Var(m.I, within=NonNegativeReals)
    m.u_0 = Var(bounds=U_0_OUTPUT[returns])

    @m.Objective()
    def expansion(m: Model) -> object:
        return sum(m.x_o[i] * m.v[i] for i in m.I) + m.u_0

    @m.Constraint()
    def virtual_output(m: Model) -> object:
        # A ratio has no scale: fix the DMU's own virtual output.
        return sum(m.y_o[r] * m.u[r] for r in m.R) == 1

    @m.Constraint(m.J)
    def no_better(m: Model, j: object) -> object:
        return sum(X[j, i] * m.v[i] for i in m.I) - sum(Y[j, r] * m.u[r] for r in m.R) + m.u_0 >= 0

    return m


def envelopment_input(X: Table, Y: Table, x_o: Row, y_o: Row, returns: str = "crs") -> Model:
    """CCR envelopment form (3), input-oriented: the dual of (2).

        min  θ                                               [efficiency]
        s.t. Σ_j Y_jr λ_j ≥ y_ro                     ∀ r     [outputs]
             Σ_j X_ji λ_j − x_io θ ≤ 0               ∀ i     [inputs]
             L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
             λ_j ≥ 0                                         [lam]
             θ free                                          [theta]

    Infeasible where no combination with Σ λ in [L, U] reaches y_o (o outside its reference).
    """
    m = compared(X, Y, x_o, y_o)
    m.lam = Var(m.J, within=NonNegativeReals)
    m.theta = Var()

    @m.Objective()
    def efficiency(m: Model) -> object:
        return m.theta

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) >= m.y_o[r]

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) - m.x_o[i] * m.theta <= 0

    _returns(m, returns)
    return m


def envelopment_output(X: Table, Y: Table, x_o: Row, y_o: Row, returns: str = "crs") -> Model:
    """CCR envelopment form, output-oriented.

        max  φ                                               [expansion]
        s.t. Σ_j Y_jr λ_j − y_ro φ ≥ 0               ∀ r     [outputs]
             Σ_j X_ji λ_j ≤ x_io                     ∀ i     [inputs]
             L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
             λ_j ≥ 0                                         [lam]
             φ free                                          [phi]

    Infeasible where no combination with Σ λ in [L, U] lives on x_o (o outside its reference).
    """
    m = compared(X, Y, x_o, y_o)
    m.lam = Var(m.J, within=NonNegativeReals)
    m.phi = Var()

    @m.Objective(sense=maximize)
    def expansion(m: Model) -> object:
        return m.phi

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.y_o[r] * m.phi >= 0

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) <= m.x_o[i]

    _returns(m, returns)
    return m


def slacks(
    X: Table,
    Y: Table,
    x_o: Row,
    y_o: Row,
    returns: str = "crs",
    given_inputs: tuple[object, ...] = (),
    given_outputs: tuple[object, ...] = (),
) -> Model:
    """Formulate the second stage: the largest sum of slacks beyond the projection (x_o, y_o).

        max  Σ_{r ∉ G_Y} s⁺_r + Σ_{i ∉ G_X} s⁻_i             [total_slack]
        s.t. Σ_j Y_jr λ_j − s⁺_r = y_ro              ∀ r     [outputs]
             Σ_j X_ji λ_j + s⁻_i = x_io              ∀ i     [inputs]
             L ≤ Σ_j λ_j ≤ U                                 [returns_to_scale]
             λ_j ≥ 0                                         [lam]
             s⁺_r ≥ 0                                        [s_plus]
             s⁻_i ≥ 0                                        [s_minus]

    x_o is θ x_o after an input-oriented first stage, y_o is φ y_o after an output-oriented one. The
    sum depends on the units of the metrics, so the caller scales them. A DMU is Pareto-efficient
    exactly where its score and total slack say so. The slacks of given metrics, G_X and G_Y, do not
    count: nobody can change them (Banker, Morey 1986).
    """
    m = compared(X, Y, x_o, y_o)
    m.lam = Var(m.J, within=NonNegativeReals)
    m.s_plus = Var(m.R, within=NonNegativeReals)
    m.s_minus = Var(m.I, within=NonNegativeReals)

    @m.Objective(sense=maximize)
    def total_slack(m: Model) -> object:
        outputs = [r for r in m.R if r not in given_outputs]
        inputs = [i for i in m.I if i not in given_inputs]
        return sum(m.s_plus[r] for r in outputs) + sum(m.s_minus[i] for i in inputs)

    @m.Constraint(m.R)
    def outputs(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.lam[j] for j in m.J) - m.s_plus[r] == m.y_o[r]

    @m.Constraint(m.I)
    def inputs(m: Model, i: object) -> object:
        return sum(X[j, i] * m.lam[j] for j in m.J) + m.s_minus[i] == m.x_o[i]

    _returns(m, returns)
    return m
