"""The free disposal hull: efficiency against single DMUs (Deprins, Simar, Tulkens 1984).

The same as vrs with λ binary: one reference DMU alone is the peer. In closed form

    output   φ = max over j with x_j ≤ x_o of min over r with y_ro > 0 of Y_jr / y_ro
    input    θ = min over j with y_j ≥ y_o of max over i with x_io > 0 of X_ji / x_io

which is what the software computes; the tests hold the two equal.

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0, any unit. MILPs with n binaries, m + s + 1
rows.
"""

from pyomo.core.base import Binary, Var, maximize

from deabench_models._types import Model, Row, Table, compared


def _base(X: Table, Y: Table, x_o: Row, y_o: Row) -> Model:
    m = compared(X, Y, x_o, y_o)
    m.lam = Var(m.J, within=Binary)

    @m.Constraint()
    def one_peer(m: Model) -> object:
        # One DMU alone is the peer: nothing is mixed.
        return sum(m.lam[j] for j in m.J) == 1

    return m


def free_disposal_output(X: Table, Y: Table, x_o: Row, y_o: Row) -> Model:
    """Formulate the free disposal hull, output-oriented.

        max  φ                                               [expansion]
        s.t. Σ_j Y_jr λ_j − y_ro φ ≥ 0               ∀ r     [outputs]
             Σ_j X_ji λ_j ≤ x_io                     ∀ i     [inputs]
             Σ_j λ_j = 1                                     [one_peer]
             λ_j binary                                      [lam]
             φ free                                          [phi]

    Infeasible where no single DMU lives on x_o (o outside its reference).
    """
    m = _base(X, Y, x_o, y_o)
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

    return m


def free_disposal_input(X: Table, Y: Table, x_o: Row, y_o: Row) -> Model:
    """Formulate the free disposal hull, input-oriented.

        min  θ                                               [efficiency]
        s.t. Σ_j Y_jr λ_j ≥ y_ro                     ∀ r     [outputs]
             Σ_j X_ji λ_j − x_io θ ≤ 0               ∀ i     [inputs]
             Σ_j λ_j = 1                                     [one_peer]
             λ_j binary                                      [lam]
             θ free                                          [theta]

    Infeasible where no single DMU reaches y_o (o outside its reference).
    """
    m = _base(X, Y, x_o, y_o)
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

    return m
