"""DEA without explicit inputs (DEA-WEI): models (4) and (5), and (6), the dual of (5).

(4) takes the outputs as they are; (5) is the same program on index data, the quotients of outputs
over inputs, which `quotients` makes. Liu, Zhang, Meng, Li, Xu (2011), Omega 39:97-102.

Symbols of (5): Y (DMU, metric) ≥ 0, any unit, one unit per metric; y_o the tested DMU's, not all 0.
An LP with n + 1 columns and s + 1 rows; always feasible. With Y ≥ 0, Σ λ ≤ 1 instead of = 1 has the
same optimum.

Symbols of (6): E (DMU, metric) ≥ 0, e_o the tested DMU's. An LP with s columns and n rows; always
feasible (w = 0); unbounded only where some metric is 0 for every DMU of E but not for o. Chao, Kou,
Peng, Fernández (2022), Information Sciences 608:1131-1156.
"""

from pyomo.core.base import ConcreteModel, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, firsts, seconds


def quotients(X: Table, Y: Table) -> dict[tuple[object, tuple[object, object]], float]:
    """Return the index data of (5): Y_jr / X_ji > 0, keyed (j, (r, i)), output r, input i."""
    return {
        (j, (r, i)): Y[j, r] / X[j, i] for j in firsts(Y) for r in seconds(Y) for i in seconds(X)
    }


def wei(Y: Table, y_o: Row) -> Model:
    """DEA-WEI, (4) on outputs and (5) on quotients.

        max  θ                                               [expansion]
        s.t. Σ_j Y_jr λ_j − y_ro θ ≥ 0               ∀ r     [outputs]
             Σ_j λ_j = 1                                     [convexity]
             λ_j ≥ 0                                         [lam]
             θ free                                          [theta]

    θ is the factor by which all outputs could grow together; the efficiency reported is 1/θ, in (0,
    1] for a DMU of the reference. Pinned by tables 9, 10, 19 and 21 of Chao et al. (2022).
    """
    m = ConcreteModel()
    m.J = firsts(Y)
    m.R = seconds(Y)
    m.y_o = Param(m.R, mutable=True, initialize=dict(y_o))
    m.lam = Var(m.J, within=NonNegativeReals)
    m.theta = Var()

    @m.Objective(sense=maximize)
    def expansion(m: Model) -> object:
        return m.theta

    @m.Constraint(m.R)
    def outputs(m: Model, *r: object) -> object:
        # A metric of quotients is a pair, which Pyomo takes apart.
        metric = r[0] if len(r) == 1 else r
        return sum(Y[j, metric] * m.lam[j] for j in m.J) - m.y_o[metric] * m.theta >= 0

    @m.Constraint()
    def convexity(m: Model) -> object:
        return sum(m.lam[j] for j in m.J) == 1

    return m


def score(E: Table, e_o: Row) -> Model:
    """Formulate score (6): the weights under which o does best and no DMU exceeds 1.

        max  Σ_i w_i e_io                                    [performance]
        s.t. Σ_i w_i E_ji ≤ 1                        ∀ j     [at_most_one]
             w_i ≥ 0                                         [w]

    score(6) · θ(5) = 1 for every DMU. The vertices of the feasible set are the facets of the
    frontier.
    """
    m = ConcreteModel()
    m.J = firsts(E)
    m.I = seconds(E)
    m.e_o = Param(m.I, mutable=True, initialize=dict(e_o))
    m.w = Var(m.I, within=NonNegativeReals)

    @m.Objective(sense=maximize)
    def performance(m: Model) -> object:
        return sum(m.e_o[i] * m.w[i] for i in m.I)

    @m.Constraint(m.J)
    def at_most_one(m: Model, j: object) -> object:
        return sum(E[j, i] * m.w[i] for i in m.I) <= 1

    return m
