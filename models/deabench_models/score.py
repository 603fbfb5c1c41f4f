"""The performance score: model (6), the dual of (5).

Chao, Kou, Peng, Fernández (2022), Information Sciences 608:1131-1156. Symbols: E (DMU, metric) ≥ 0, e_o the tested DMU's. An
LP with s columns and n rows; always feasible (w = 0); unbounded only where some metric is 0 for every DMU of E but not for o.
"""

from pyomo.core.base import ConcreteModel, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, firsts, seconds


def score(E: Table, e_o: Row) -> Model:
    """The performance score (6): the weights under which o does best and nobody exceeds 1.

        max  Σ_i w_i e_io                                    [performance]
        s.t. Σ_i w_i E_ji ≤ 1                        ∀ j     [at_most_one]
             w_i ≥ 0                                         [w]

    score(6) · θ(5) = 1 for every DMU. The vertices of the feasible set are the facets of the frontier.
    """
    m = ConcreteModel()
    m.J, m.I = firsts(E), seconds(E)
    m.e_o = Param(m.I, mutable=True, initialize=dict(e_o))
    m.w = Var(m.I, within=NonNegativeReals)

    @m.Objective(sense=maximize)
    def performance(m: Model) -> object:
        return sum(m.e_o[i] * m.w[i] for i in m.I)

    @m.Constraint(m.J)
    def at_most_one(m: Model, j: object) -> object:
        return sum(E[j, i] * m.w[i] for i in m.I) <= 1

    return m
