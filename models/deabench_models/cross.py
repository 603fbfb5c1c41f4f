"""Weights that are shared: cross-efficiency with its secondary goals, and common weights.

Cross-efficiency (Sexton, Silkman, Hogan 1986) judges every DMU by the weights of every other:
E_oj = u_o·y_j / v_o·x_j. The weights with which o does best are not unique, so among them those are
taken that make the other DMUs together look worst (aggressive) or best (benevolent), the secondary
goals of Doyle and Green (1994).

Symbols: X (DMU, input) and Y (DMU, output), both ≥ 0; y_o the outputs of o; z_o its inputs times
its efficiency e_o; X_sum and Y_sum the sums over the others. LPs with m + s columns and n + 2 rows;
feasible where e_o is the crs efficiency of o. Only the goal differs.

Common weights are one weighting for all DMUs. `largest_loss` chooses it after every DMU's own best
score e_j is known: the weights w ≥ 0 let no DMU exceed 1, and the largest e_j − w·z_j is minimal:

    min  d   s.t.  w·Y_j ≤ 1,   e_j − w·Z_j ≤ d  for all j,   w ≥ 0

In that form a basis has a row per DMU. Its dual has a row per metric, and w are its row duals (with
the other sign).

Symbols: Y (reference DMU, metric) and Z (tested DMU, metric), both ≥ 0, in any unit, over one set
of rows, in which rows of 0 change nothing; e (tested DMU, one column), own scores. An LP with 2n
columns and s + 1 rows; always feasible, its optimum between 0 and 1 where no tested DMU is beyond
the reference.

References: Sexton et al. (1986), New Directions for Program Evaluation 32:73-105; Doyle, Green
(1994), J. Oper. Res. Soc. 45:567-578; Kao, Hung (2005), J. Operational Research Society
56:1196-1203 (p = ∞); Roll, Golany (1993), Omega 21:99-109.
"""

from pyomo.core.base import ConcreteModel, Objective, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, firsts, seconds


def _base(X: Table, Y: Table, y_o: Row, z_o: Row, X_sum: Row, Y_sum: Row) -> Model:
    m = ConcreteModel()
    m.J = firsts(Y)
    m.I = seconds(X)
    m.R = seconds(Y)
    m.y_o = Param(m.R, mutable=True, initialize=dict(y_o))
    m.z_o = Param(m.I, mutable=True, initialize=dict(z_o))
    m.X_sum = Param(m.I, mutable=True, initialize=dict(X_sum))
    m.Y_sum = Param(m.R, mutable=True, initialize=dict(Y_sum))
    m.u = Var(m.R, within=NonNegativeReals)
    m.v = Var(m.I, within=NonNegativeReals)

    @m.Constraint()
    def inputs_of_the_others(m: Model) -> object:
        # The scale of the weights is fixed on the sum of the other DMUs.
        return sum(m.X_sum[i] * m.v[i] for i in m.I) == 1

    @m.Constraint()
    def own_efficiency(m: Model) -> object:
        # z_o is x_o times the own score: the weights leave o the score that it has.
        return sum(m.y_o[r] * m.u[r] for r in m.R) - sum(m.z_o[i] * m.v[i] for i in m.I) == 0

    @m.Constraint(m.J)
    def no_better(m: Model, j: object) -> object:
        # No DMU of the reference exceeds the score 1.
        return sum(Y[j, r] * m.u[r] for r in m.R) - sum(X[j, i] * m.v[i] for i in m.I) <= 0

    return m


def aggressive(X: Table, Y: Table, y_o: Row, z_o: Row, X_sum: Row, Y_sum: Row) -> Model:
    """Formulate the weights of o that do the others the least good.

    min  Σ_r u_r Y_sum_r                                 [outputs_of_the_others]
    s.t. Σ_i v_i X_sum_i = 1                             [inputs_of_the_others]
         Σ_r u_r y_ro − e_o Σ_i v_i x_io = 0             [own_efficiency]
         Σ_r u_r Y_jr − Σ_i v_i X_ji ≤ 0         ∀ j     [no_better]
         u_r ≥ 0                                         [u]
         v_i ≥ 0                                         [v]
    """
    m = _base(X, Y, y_o, z_o, X_sum, Y_sum)
    m.outputs_of_the_others = Objective(expr=sum(m.Y_sum[r] * m.u[r] for r in m.R))
    return m


def benevolent(X: Table, Y: Table, y_o: Row, z_o: Row, X_sum: Row, Y_sum: Row) -> Model:
    """Formulate the weights of o that do the others the most good.

    max  Σ_r u_r Y_sum_r                                 [outputs_of_the_others]
    s.t. Σ_i v_i X_sum_i = 1                             [inputs_of_the_others]
         Σ_r u_r y_ro − e_o Σ_i v_i x_io = 0             [own_efficiency]
         Σ_r u_r Y_jr − Σ_i v_i X_ji ≤ 0         ∀ j     [no_better]
         u_r ≥ 0                                         [u]
         v_i ≥ 0                                         [v]
    """
    m = _base(X, Y, y_o, z_o, X_sum, Y_sum)
    m.outputs_of_the_others = Objective(expr=sum(m.Y_sum[r] * m.u[r] for r in m.R), sense=maximize)
    return m


def largest_loss(Y: Table, Z: Table, e: Table) -> Model:
    """Formulate the least largest loss, as its dual.

    max  Σ_jk e_jk μ_j − Σ_j κ_j                         [loss]
    s.t. Σ_j Y_jr κ_j − Σ_j Z_jr μ_j ≥ 0         ∀ r     [metrics]
         Σ_j μ_j = 1                                     [losers]
         κ_j ≥ 0                                         [kappa]
         μ_j ≥ 0                                         [mu]
    """
    m = ConcreteModel()
    m.J = firsts(Y)
    m.R = seconds(Y)
    m.K = seconds(e)
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
        # μ is a distribution over the DMUs that lose the most.
        return sum(m.mu[j] for j in m.J) == 1

    return m
