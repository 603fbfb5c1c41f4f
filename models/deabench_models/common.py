"""Common weights that keep the largest loss least: one weighting for all, after everybody's own best score e_j is known.

The weights w ≥ 0 let nobody exceed 1, and the largest e_j − w·z_j is as small as can be:

    min  d   s.t.  w·Y_j ≤ 1,   e_j − w·Z_j ≤ d  for all j,   w ≥ 0

In that form a basis has a row per DMU; its dual below has one per metric, and w are its row duals (with the other sign).

Symbols: Y (reference DMU, metric) and Z (tested DMU, metric), both ≥ 0, in any unit, over one set of rows, in which rows of 0
change nothing; e (tested DMU, one column), own scores. An LP with 2n columns and s + 1 rows; always feasible, its optimum between
0 and 1 where nobody tested is beyond the reference.

References: Kao, Hung (2005), J. Operational Research Society 56:1196-1203 (p = ∞); Roll, Golany (1993), Omega 21:99-109.
"""

from pyomo.core.base import ConcreteModel, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Table, firsts, seconds


def largest_loss(Y: Table, Z: Table, e: Table) -> Model:
    """The least largest loss, as its dual.

    max  Σ_jk e_jk μ_j − Σ_j κ_j                         [loss]
    s.t. Σ_j Y_jr κ_j − Σ_j Z_jr μ_j ≥ 0         ∀ r     [metrics]
         Σ_j μ_j = 1                                     [losers]
         κ_j ≥ 0                                         [kappa]
         μ_j ≥ 0                                         [mu]
    """
    m = ConcreteModel()
    m.J, m.R, m.K = firsts(Y), seconds(Y), seconds(e)
    m.kappa = Var(m.J, within=NonNegativeReals)
    m.mu = Var(m.J, within=NonNegativeReals)

    @m.Objective(sense=maximize)
    def loss(m: Model) -> object:
        return sum(e[j, k] * m.mu[j] for j in m.J for k in m.K) - sum(m.kappa[j] for j in m.J)

    @m.Constraint(m.R)
    def metrics(m: Model, r: object) -> object:
        return sum(Y[j, r] * m.kappa[j] for j in m.J) - sum(Z[j, r] * m.mu[j] for j in m.J) >= 0

    @m.Constraint()
    def losers(m: Model) -> object:
        return sum(m.mu[j] for j in m.J) == 1

    return m
