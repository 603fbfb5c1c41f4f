"""Closest targets on the Pareto-efficient frontier: models (7), (9), (10), (11), with a big M.

As printed, nothing ties the target p* to the change x, so the optimum is 0 for every DMU, and b is
printed as continuous. The reading that is not trivial, and is used here, is p* = p + x with b
binary: the closest-target model of Aparicio, Ruiz and Sirvent (2007) and Ruiz, Segura and Sirvent
(2015). See README.md beside this folder for the errata.

`closest_as_printed` builds the printed form, so that anyone can see its optimum of 0. The printed
p* ∈ [0, 1] is left out of the others: a mixture of benchmark classifiers is in their range by
itself.

Every model is written for a group G of tested DMUs that share one facet (u, u_0, d, b without a DMU
index, as printed; λ per DMU: Ruiz and Sirvent 2016). One tested DMU is the group of one, which is
how Table 14 is read.

M is the caller's: no value is right for all data. It must reach the largest d of the optimal facet
scaled to min u = 1, which is that facet's slope, and still be small enough that b = 1e-7 does not
leak. `deabench_models.normalised` needs no guess.

Symbols: P (efficient DMU k, metric r), the extreme efficient DMUs; p_G (tested DMU g, metric r).
MILPs with |E| binaries.
"""

from pyomo.core.base import Binary, ConcreteModel, Param, Reals, Var
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Table, firsts, seconds


def pareto_frontier(P: Table, p_G: Table, M: float) -> Model:
    """Formulate the Pareto-efficient points of the attainable set (7); no objective.

        Σ_r P_kr u_r + u_0 + d_k = 0                 ∀ k     [supporting]
        d_k ≤ M b_k                                  ∀ k     [off_facet]
        λ_gk ≤ 1 − b_k                               ∀ g, k  [on_facet]
        Σ_k λ_gk = 1                                 ∀ g     [convexity]
        u_r ≥ 1                                              [u]
        u_0 free                                             [u_0]
        d_k ≥ 0                                              [d]
        b_k ∈ {0, 1}                                         [b]
        λ_gk ≥ 0                                             [lam]

    Σ_k λ_gk P_k is Pareto-efficient: the hyperplane u·Y + u_0 = 0 with u > 0 supports the
    attainable set and holds it.
    """
    m = ConcreteModel()
    m.K = firsts(P)
    m.R = seconds(P)
    m.G = firsts(p_G)
    m.p = Param(m.G, m.R, mutable=True, initialize=dict(p_G))
    # u > 0 makes every point of the face Pareto-efficient, not only weakly efficient.
    m.u = Var(m.R, bounds=(1, None))
    m.u_0 = Var()
    m.d = Var(m.K, within=NonNegativeReals)
    m.b = Var(m.K, within=Binary)
    m.lam = Var(m.G, m.K, within=NonNegativeReals)

    @m.Constraint(m.K)
    def supporting(m: Model, k: object) -> object:
        # No vertex lies beyond the hyperplane: d is how far below it a vertex lies.
        return sum(P[k, r] * m.u[r] for r in m.R) + m.u_0 + m.d[k] == 0

    @m.Constraint(m.K)
    def off_facet(m: Model, k: object) -> object:
        # A vertex off the hyperplane (d > 0) has b = 1 ...
        return m.d[k] - M * m.b[k] <= 0

    @m.Constraint(m.G, m.K)
    def on_facet(m: Model, g: object, k: object) -> object:
        # ... and takes no part in the mixture.
        return m.lam[g, k] + m.b[k] <= 1

    @m.Constraint(m.G)
    def convexity(m: Model, g: object) -> object:
        return sum(m.lam[g, k] for k in m.K) == 1

    return m


def closest_change(P: Table, p_G: Table, M: float) -> Model:
    """Model (9): the least change x that takes each tested DMU to the frontier; |x| as its bound a.

    min  Σ_g Σ_r a_gr                                    [distance]
    s.t. (7), and
         Σ_k P_kr λ_gk − x_gr = p_gr             ∀ g, r  [target]
         x_gr − a_gr ≤ 0                         ∀ g, r  [above]
         −x_gr − a_gr ≤ 0                        ∀ g, r  [below]
         x_gr free                                       [x]
         a_gr free                                       [a]
    """
    m = pareto_frontier(P, p_G, M)
    m.x = Var(m.G, m.R, within=Reals)
    m.a = Var(m.G, m.R, within=Reals)

    @m.Objective()
    def distance(m: Model) -> object:
        return sum(m.a[g, r] for g in m.G for r in m.R)

    @m.Constraint(m.G, m.R)
    def target(m: Model, g: object, r: object) -> object:
        return sum(P[k, r] * m.lam[g, k] for k in m.K) - m.x[g, r] == m.p[g, r]

    @m.Constraint(m.G, m.R)
    def above(m: Model, g: object, r: object) -> object:
        # Minimizing a makes it the larger of x and −x, which is |x|.
        return m.x[g, r] - m.a[g, r] <= 0

    @m.Constraint(m.G, m.R)
    def below(m: Model, g: object, r: object) -> object:
        return -m.x[g, r] - m.a[g, r] <= 0

    return m


def closest_split(P: Table, p_G: Table, M: float) -> Model:
    """Model (10): (9) with absolute values split into h − l, and the target p* as a variable.

    min  Σ_g Σ_r (h_gr + l_gr)                           [distance]
    s.t. (7), and
         Σ_k P_kr λ_gk − p*_gr = 0               ∀ g, r  [target]
         p*_gr + h_gr − l_gr = p_gr              ∀ g, r  [gap]
         p*_gr free                                      [p_star]
         h_gr ≥ 0                                        [h]
         l_gr ≥ 0                                        [l]
    """
    m = pareto_frontier(P, p_G, M)
    m.p_star = Var(m.G, m.R)
    _split(m)

    @m.Constraint(m.G, m.R)
    def target(m: Model, g: object, r: object) -> object:
        return sum(P[k, r] * m.lam[g, k] for k in m.K) - m.p_star[g, r] == 0

    @m.Constraint(m.G, m.R)
    def gap(m: Model, g: object, r: object) -> object:
        return m.p_star[g, r] + m.h[g, r] - m.l[g, r] == m.p[g, r]

    return m


def closest(P: Table, p_G: Table, M: float) -> Model:
    """Model (11): (10) with the target eliminated.

    min  Σ_g Σ_r (h_gr + l_gr)                           [distance]
    s.t. (7), and
         Σ_k P_kr λ_gk + h_gr − l_gr = p_gr      ∀ g, r  [target]
         h_gr ≥ 0                                        [h]
         l_gr ≥ 0                                        [l]
    """
    m = pareto_frontier(P, p_G, M)
    _split(m)

    @m.Constraint(m.G, m.R)
    def target(m: Model, g: object, r: object) -> object:
        # h is how much the tested DMU loses in a metric, l how much it gains.
        return sum(P[k, r] * m.lam[g, k] for k in m.K) + m.h[g, r] - m.l[g, r] == m.p[g, r]

    return m


def closest_as_printed(P: Table, p_G: Table, M: float) -> Model:
    """Model (10) to the letter: nothing ties the target p* to the change x, and b is continuous.

        min  Σ_g Σ_r (h_gr + l_gr)                           [distance]
        s.t. (7), and
             Σ_k P_kr λ_gk − x_gr = p_gr             ∀ g, r  [target]
             p*_gr + h_gr − l_gr = p_gr              ∀ g, r  [gap]
             x_gr free                                       [x]
             p*_gr free                                      [p_star]
             h_gr ≥ 0                                        [h]
             l_gr ≥ 0                                        [l]

    In (7) b_k ∈ [0, 1] here. h = l = 0 with p* = p is feasible whatever x is, so the optimum is 0
    for every tested DMU.
    """
    m = pareto_frontier(P, p_G, M)
    for k in m.K:
        # A relaxed binary lets vertices off the facet take part.
        m.b[k].domain = Reals
        m.b[k].setlb(0)
        m.b[k].setub(1)
    m.x = Var(m.G, m.R, within=Reals)
    m.p_star = Var(m.G, m.R)
    _split(m)

    @m.Constraint(m.G, m.R)
    def target(m: Model, g: object, r: object) -> object:
        return sum(P[k, r] * m.lam[g, k] for k in m.K) - m.x[g, r] == m.p[g, r]

    @m.Constraint(m.G, m.R)
    def gap(m: Model, g: object, r: object) -> object:
        return m.p_star[g, r] + m.h[g, r] - m.l[g, r] == m.p[g, r]

    return m


def _split(m: Model) -> None:
    # At the optimum h or l is 0, so that their sum is the absolute value.
    m.h = Var(m.G, m.R, within=NonNegativeReals)
    m.l = Var(m.G, m.R, within=NonNegativeReals)

    @m.Objective()
    def distance(m: Model) -> object:
        return sum(m.h[g, r] + m.l[g, r] for g in m.G for r in m.R)
