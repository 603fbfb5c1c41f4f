"""Ranks over all weightings: how few rows can be above a row, and what proves or explains it.

The weightings are a polytope with the vertices p; D_jp is by how much row j is above the tested row
at vertex p, and μ mixes the vertices. M is the caller's, but valid and tight: μ lies in a simplex,
so that row j is above by at most max_p D_jp. A guessed M gives wrong ranks. `rows_above` on −D
counts the rows below.

Symbols: D (row j, vertex p), any sign; M (row j, any one key) ≥ 0; in `ratio_above` Y (row j,
vertex p) and X (row j, vertex q), the outputs of j over those of the tested row at each vertex of
the outputs' weights, and its inputs over theirs. Restrictions and faces are half-spaces g·w ≤ h.

References: Salo, Punkka (2011), Management Science 57:200-214; Charnes, Cooper (1962), Naval
Research Logistics Quarterly 9:181-186.
"""

from pyomo.core.base import ConcreteModel, Param, Var, maximize
from pyomo.core.base.set_types import Binary, NonNegativeReals

from deabench_models._types import Model, Row, Table, firsts, seconds


def rows_above(D: Table, M: Table) -> Model:
    """Formulate the fewest rows above the tested one at any weighting.

        min  Σ_j z_j                                         [rows_above]
        s.t. Σ_p D_jp μ_p − M_j z_j ≤ 0              ∀ j     [above]
             Σ_p μ_p = 1                                     [simplex]
             μ_p ≥ 0                                         [mu]
             z_j ∈ {0, 1}                                    [z]

    M_j = max(0, max_p D_jp). The best rank is 1 + Σ z. A MILP with one binary per row.
    """
    m = ConcreteModel()
    # J: the other rows. P: the vertices of the weights.
    m.J, m.P = firsts(D), seconds(D)
    m.mu = Var(m.P, within=NonNegativeReals)
    m.z = Var(m.J, within=Binary)
    bound = seconds(M)[0]

    @m.Objective()
    def rows_above(m: Model) -> object:
        return sum(m.z[j] for j in m.J)

    # A row may be above the tested one only where its binary is 1.
    @m.Constraint(m.J)
    def above(m: Model, j: object) -> object:
        return sum(D[j, p] * m.mu[p] for p in m.P) - M[j, bound] * m.z[j] <= 0

    @m.Constraint()
    def simplex(m: Model) -> object:
        return sum(m.mu[p] for p in m.P) == 1

    return m


def ratio_above(X: Table, Y: Table, M: Table) -> Model:
    """Formulate the fewest rows with a higher ratio of outputs to inputs than the tested one.

        min  Σ_j z_j                                         [rows_above]
        s.t. Σ_p Y_jp α_p − Σ_q X_jq β_q − M_j z_j ≤ 0 ∀ j   [above]
             Σ_p α_p = 1                                     [outputs]
             Σ_q β_q = 1                                     [inputs]
             α_p ≥ 0                                         [alpha]
             β_q ≥ 0                                         [beta]
             z_j ∈ {0, 1}                                    [z]

    M_j = max(0, max_p Y_jp − min_q X_jq). The weights are scaled so that the tested row's outputs,
    and its inputs, are worth 1.
    """
    m = ConcreteModel()
    # J: the other rows. P, Q: the vertices of the outputs' and of the inputs' weights.
    m.J, m.P, m.Q = firsts(Y), seconds(Y), seconds(X)
    m.alpha = Var(m.P, within=NonNegativeReals)
    m.beta = Var(m.Q, within=NonNegativeReals)
    m.z = Var(m.J, within=Binary)
    bound = seconds(M)[0]

    @m.Objective()
    def rows_above(m: Model) -> object:
        return sum(m.z[j] for j in m.J)

    # A row may be above the tested one only where its binary is 1.
    @m.Constraint(m.J)
    def above(m: Model, j: object) -> object:
        gain = sum(Y[j, p] * m.alpha[p] for p in m.P)
        cost = sum(X[j, q] * m.beta[q] for q in m.Q)
        return gain - cost - M[j, bound] * m.z[j] <= 0

    @m.Constraint()
    def outputs(m: Model) -> object:
        return sum(m.alpha[p] for p in m.P) == 1

    @m.Constraint()
    def inputs(m: Model) -> object:
        return sum(m.beta[q] for q in m.Q) == 1

    return m


def mix_above(D: Table) -> Model:
    """Formulate the mix of other rows that is above the tested one by the most at every weighting.

        max  ε                                               [advantage]
        s.t. Σ_j D_jp λ_j − ε ≥ 0                    ∀ p     [gain]
             Σ_j λ_j = 1                                     [convex]
             λ_j ≥ 0                                         [lam]
             ε free                                          [epsilon]

    ε > 0 proves that the tested row is never first (Farkas). The dual of `least_loss`.
    """
    m = ConcreteModel()
    m.J, m.P = firsts(D), seconds(D)
    m.lam = Var(m.J, within=NonNegativeReals)
    m.epsilon = Var()

    @m.Objective(sense=maximize)
    def advantage(m: Model) -> object:
        return m.epsilon

    # At each vertex, and so at every weighting, the mix is above by ε.
    @m.Constraint(m.P)
    def gain(m: Model, p: object) -> object:
        return sum(D[j, p] * m.lam[j] for j in m.J) - m.epsilon >= 0

    @m.Constraint()
    def convex(m: Model) -> object:
        return sum(m.lam[j] for j in m.J) == 1

    return m


def least_loss(D: Table) -> Model:
    """Formulate the weighting at which the tested row is nearest to the best one.

    min  ε                                               [loss]
    s.t. Σ_p D_jp μ_p − ε ≤ 0                    ∀ j     [behind]
         Σ_p μ_p = 1                                     [simplex]
         μ_p ≥ 0                                         [mu]
         ε free                                          [epsilon]
    """
    m = ConcreteModel()
    m.J, m.P = firsts(D), seconds(D)
    m.mu = Var(m.P, within=NonNegativeReals)
    m.epsilon = Var()

    @m.Objective()
    def loss(m: Model) -> object:
        return m.epsilon

    # No other row is ahead by more than ε.
    @m.Constraint(m.J)
    def behind(m: Model, j: object) -> object:
        return sum(D[j, p] * m.mu[p] for p in m.P) - m.epsilon <= 0

    @m.Constraint()
    def simplex(m: Model) -> object:
        return sum(m.mu[p] for p in m.P) == 1

    return m


def largest_ratio(G: Table, y_k: Row, y_j: Row) -> Model:
    """Formulate the largest ratio of two rows' scores, by the transform of Charnes and Cooper.

        max  Σ_r y_rk u_r                                    [ratio]
        s.t. Σ_r y_rj u_r = 1                                [unit]
             Σ_r G_ir u_r ≤ 0                        ∀ i     [bounds]
             u_r ≥ 0                                         [u]

    G are the restrictions of the weights. The software takes the extremes at the vertices; this is
    what the tests hold them against.
    """
    m = ConcreteModel()
    m.I, m.R = firsts(G), list(y_k)
    m.y_k = Param(m.R, mutable=True, initialize=dict(y_k))
    m.y_j = Param(m.R, mutable=True, initialize=dict(y_j))
    m.u = Var(m.R, within=NonNegativeReals)

    @m.Objective(sense=maximize)
    def ratio(m: Model) -> object:
        return sum(m.y_k[r] * m.u[r] for r in m.R)

    # The other row's score is scaled to 1, so that the ratio is linear.
    @m.Constraint()
    def unit(m: Model) -> object:
        return sum(m.y_j[r] * m.u[r] for r in m.R) == 1

    @m.Constraint(m.I)
    def bounds(m: Model, i: object) -> object:
        return sum(G[i, r] * m.u[r] for r in m.R) <= 0

    return m


def inner_ball(G: Table, H: Table, N: Table) -> Model:
    """Formulate the largest ball inside a polytope (its Chebyshev centre).

        max  t                                               [radius]
        s.t. Σ_r G_ir w_r + N_i t ≤ H_i              ∀ i     [faces]
             w_r free                                        [w]
             t free                                          [t]

    N_i is the length of G_i.
    """
    m = ConcreteModel()
    m.I, m.R = firsts(G), seconds(G)
    m.w = Var(m.R)
    m.t = Var()
    bound = seconds(H)[0]
    length = seconds(N)[0]

    @m.Objective(sense=maximize)
    def radius(m: Model) -> object:
        return m.t

    # The centre is at least the radius away from each face.
    @m.Constraint(m.I)
    def faces(m: Model, i: object) -> object:
        return sum(G[i, r] * m.w[r] for r in m.R) + N[i, length] * m.t <= H[i, bound]

    return m
