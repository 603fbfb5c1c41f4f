"""The closest target without a guessed M: (11) with a normalised hyperplane, not bounded below.

In (11) u ≥ 1 leaves d unbounded, so every M is either too small for some data or leaks for others.
Dividing u by its own size, Σ_r range_r u_r = 1, bounds d by the data, and the M_k below is valid
and tight. What is lost is u > 0: weakly efficient faces get in. After each solve `supports` (an LP)
decides whether the face found has a strictly positive normal; if not, `cuts` forbids it and the
model is solved again. There are finitely many faces, so this ends, with the optimum of (11) at M =
∞.

Symbols as in `benchmark`; ranges (metric) > 0, the spread of each metric over P, or any positive
scale where it is constant.
"""

from collections.abc import Hashable, Iterable

from pyomo.core.base import Binary, ConcreteModel, ConstraintList, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, firsts, seconds


def big_m(P: Table, ranges: Row) -> dict[Hashable, float]:
    """Return M_k = max_j max_r (P_jr − P_kr) / range_r, the bound of d_k = max_j u·(P_j − P_k).

    It holds for all u ≥ 0 with Σ range_r u_r = 1.
    """
    K = firsts(P)
    R = seconds(P)
    # With Σ range u = 1, u·(P_j − P_k) is a weighted mean of these quotients.
    return {k: max((P[j, r] - P[k, r]) / ranges[r] for j in K for r in R) for k in K}


def normalised(P: Table, p_G: Table, ranges: Row) -> Model:
    """Formulate the normalised closest-target model.

    Its distance is added by a norm of `deabench_models.projection`.

    min  a norm of (l − h)                               (l1, linf, l2)
    s.t. Σ_r range_r u_r = 1                             [normal]
         Σ_r P_kr u_r + u_0 + d_k = 0            ∀ k     [supporting]
         d_k ≤ M_k b_k                           ∀ k     [off_facet]
         λ_gk ≤ 1 − b_k                          ∀ g, k  [on_facet]
         Σ_k λ_gk = 1                            ∀ g     [convexity]
         Σ_k P_kr λ_gk + h_gr − l_gr = p_gr      ∀ g, r  [target]
         Σ_{k in T} b_k ≥ 1 for every weak face T found  [cuts]
         u_r ≥ 0                                         [u]
         u_0 free                                        [u_0]
         d_k ≥ 0                                         [d]
         b_k ∈ {0, 1}                                    [b]
         λ_gk ≥ 0                                        [lam]
         h_gr ≥ 0                                        [h]
         l_gr ≥ 0                                        [l]
    """
    M = big_m(P, ranges)
    m = ConcreteModel()
    m.K = firsts(P)
    m.R = seconds(P)
    m.G = firsts(p_G)
    m.p = Param(m.G, m.R, mutable=True, initialize=dict(p_G))
    m.u = Var(m.R, within=NonNegativeReals)
    m.u_0 = Var()
    m.d = Var(m.K, within=NonNegativeReals)
    m.b = Var(m.K, within=Binary)
    m.lam = Var(m.G, m.K, within=NonNegativeReals)
    m.h = Var(m.G, m.R, within=NonNegativeReals)
    m.l = Var(m.G, m.R, within=NonNegativeReals)
    # Cuts are added after a solve whose face is only weakly efficient.
    m.cuts = ConstraintList()

    @m.Constraint()
    def normal(m: Model) -> object:
        # Normals are compared at one size; this bounds d.
        return sum(ranges[r] * m.u[r] for r in m.R) == 1

    @m.Constraint(m.K)
    def supporting(m: Model, k: object) -> object:
        return sum(P[k, r] * m.u[r] for r in m.R) + m.u_0 + m.d[k] == 0

    @m.Constraint(m.K)
    def off_facet(m: Model, k: object) -> object:
        # d > 0 needs b = 1 ...
        return m.d[k] - M[k] * m.b[k] <= 0

    @m.Constraint(m.G, m.K)
    def on_facet(m: Model, g: object, k: object) -> object:
        # ... and then k takes no part in the mixture.
        return m.lam[g, k] + m.b[k] <= 1

    @m.Constraint(m.G)
    def convexity(m: Model, g: object) -> object:
        return sum(m.lam[g, k] for k in m.K) == 1

    @m.Constraint(m.G, m.R)
    def target(m: Model, g: object, r: object) -> object:
        # The tested DMU loses h and gains l on the way to its target.
        return sum(P[k, r] * m.lam[g, k] for k in m.K) + m.h[g, r] - m.l[g, r] == m.p[g, r]

    return m


def supports(P: Table, T: Iterable[Hashable], ranges: Row) -> Model:
    """Formulate whether the face spanned by T is Pareto-efficient: where the optimum is > 0.

    max  ε                                               [margin]
    s.t. Σ_r range_r u_r = 1                             [normal]
         Σ_r P_kr u_r + u_0 ≤ 0                  ∀ k     [supporting]
         Σ_r P_kr u_r + u_0 = 0                  ∀ k ∈ T [tight]
         range_r u_r − ε ≥ 0                     ∀ r     [positive]
         u_r ≥ 0                                         [u]
         u_0 free                                        [u_0]
         ε free                                          [epsilon]
    """
    m = ConcreteModel()
    m.K = firsts(P)
    m.R = seconds(P)
    m.T = list(T)
    m.u = Var(m.R, within=NonNegativeReals)
    m.u_0 = Var()
    m.epsilon = Var()

    @m.Objective(sense=maximize)
    def margin(m: Model) -> object:
        return m.epsilon

    @m.Constraint()
    def normal(m: Model) -> object:
        return sum(ranges[r] * m.u[r] for r in m.R) == 1

    @m.Constraint(m.K)
    def supporting(m: Model, k: object) -> object:
        # The hyperplane supports the attainable set ...
        return sum(P[k, r] * m.u[r] for r in m.R) + m.u_0 <= 0

    @m.Constraint(m.T)
    def tight(m: Model, k: object) -> object:
        # ... and holds the face.
        return sum(P[k, r] * m.u[r] for r in m.R) + m.u_0 == 0

    @m.Constraint(m.R)
    def positive(m: Model, r: object) -> object:
        # ε is the smallest weight in shares of the ranges; above 0 the face is efficient.
        return ranges[r] * m.u[r] - m.epsilon >= 0

    return m
