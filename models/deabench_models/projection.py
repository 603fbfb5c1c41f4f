"""The nearest point of one face, or of a polyhedron given by its facets: LPs (L1, L∞) and QPs (L2).

Enumerating the frontier's faces and projecting on each needs no binary variable and no M: the least
of these distances is the optimum of (11). Symbols: P (vertex j of the face, metric r); W (facet j,
metric r), normals w with w·y ≤ 1; p_G (tested DMU g, metric r).

The distance is added by `l1`, `linf` or `l2`. A model that has a gap declares l, h ≥ 0 over (tested
DMU, metric) with target = p + l − h, so l is what is gained and h what is given up. `weights`
multiply the gap metric by metric (1 in the plain norm; 1/range to make the metrics comparable).

    L1    min  Σ_g Σ_r weight_r (l_gr + h_gr)                    [distance]
    L∞    min  Σ_g t_g   s.t. weight_r (l_gr + h_gr) ≤ t_g       [distance, largest_gap]
    L2    min  Σ_g Σ_r (weight_r (l_gr − h_gr))²                 [distance]
"""

from pyomo.core.base import ConcreteModel, Param, Var, maximize
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row, Table, firsts, seconds


def _gap(p_G: Table) -> Model:
    m = ConcreteModel()
    m.G = firsts(p_G)
    m.R = seconds(p_G)
    m.p = Param(m.G, m.R, mutable=True, initialize=dict(p_G))
    m.h = Var(m.G, m.R, within=NonNegativeReals)
    m.l = Var(m.G, m.R, within=NonNegativeReals)
    return m


def face(P: Table, p_G: Table) -> Model:
    """Formulate the nearest point of the convex hull of the vertices P.

    It is always feasible without `dominating`.

    min  a norm of (l − h)                               (l1, linf, l2)
    s.t. Σ_j P_jr λ_jg + h_gr − l_gr = p_gr      ∀ g, r  [target]
         Σ_j λ_jg = 1                            ∀ g     [convexity]
         λ_jg ≥ 0                                        [lam]
         h_gr ≥ 0                                        [h]
         l_gr ≥ 0                                        [l]
    """
    m = _gap(p_G)
    m.J = firsts(P)
    m.lam = Var(m.J, m.G, within=NonNegativeReals)

    @m.Constraint(m.G, m.R)
    def target(m: Model, g: object, r: object) -> object:
        return sum(P[j, r] * m.lam[j, g] for j in m.J) + m.h[g, r] - m.l[g, r] == m.p[g, r]

    @m.Constraint(m.G)
    def convexity(m: Model, g: object) -> object:
        return sum(m.lam[j, g] for j in m.J) == 1

    return m


def halfspaces(W: Table, p_G: Table) -> Model:
    """Formulate the nearest point of {y : W_j·y ≤ 1 for all j}.

    From outside it is the target on the facets, extended.

    min  a norm of (l − h)                               (l1, linf, l2)
    s.t. Σ_r W_jr y_gr ≤ 1                       ∀ j, g  [within]
         y_gr + h_gr − l_gr = p_gr               ∀ g, r  [target]
         y_gr free                                       [y]
         h_gr ≥ 0                                        [h]
         l_gr ≥ 0                                        [l]
    """
    m = _gap(p_G)
    m.J = firsts(W)
    m.y = Var(m.G, m.R)

    @m.Constraint(m.J, m.G)
    def within(m: Model, j: object, g: object) -> object:
        # W_j·y = 1 is the hyperplane of facet j.
        return sum(W[j, r] * m.y[g, r] for r in m.R) <= 1

    @m.Constraint(m.G, m.R)
    def target(m: Model, g: object, r: object) -> object:
        return m.y[g, r] + m.h[g, r] - m.l[g, r] == m.p[g, r]

    return m


def depth(P: Table, p_o: Row) -> Model:
    """Formulate how far the tested DMU can rise in all metrics together and stay attainable.

    The optimum is below 0 where it is not attainable now.

    max  t                                               [rise]
    s.t. Σ_j P_jr λ_j − t ≥ p_ro                 ∀ r     [attainable]
         Σ_j λ_j = 1                                     [convexity]
         λ_j ≥ 0                                         [lam]
         t free                                          [t]
    """
    m = ConcreteModel()
    m.J = firsts(P)
    m.R = seconds(P)
    m.p = Param(m.R, mutable=True, initialize=dict(p_o))
    m.lam = Var(m.J, within=NonNegativeReals)
    m.t = Var()

    @m.Objective(sense=maximize)
    def rise(m: Model) -> object:
        return m.t

    @m.Constraint(m.R)
    def attainable(m: Model, r: object) -> object:
        # A mixture reaches what the DMU has, raised by t in every metric.
        return sum(P[j, r] * m.lam[j] for j in m.J) - m.t >= m.p[r]

    @m.Constraint()
    def convexity(m: Model) -> object:
        return sum(m.lam[j] for j in m.J) == 1

    return m


def touching(m: Model, W: Table, j: object) -> Model:
    """Hold the point of `halfspaces` on facet j: Σ_r W_jr y_gr ≥ 1 [touching]."""

    @m.Constraint(m.G)
    def touching(m: Model, g: object) -> object:
        # Together with `within` this holds as an equation.
        return sum(W[j, r] * m.y[g, r] for r in m.R) >= 1

    return m


def l1(m: Model, weights: Row) -> Model:
    """Give `m` the L1 distance as objective; stays linear."""

    @m.Objective()
    def distance(m: Model) -> object:
        return sum(weights[r] * (m.l[g, r] + m.h[g, r]) for g in m.G for r in m.R)

    return m


def linf(m: Model, weights: Row) -> Model:
    """Give `m` the L∞ distance as objective, with a bound t per tested DMU; stays linear."""
    m.t = Var(m.G, within=NonNegativeReals)

    @m.Constraint(m.G, m.R)
    def largest_gap(m: Model, g: object, r: object) -> object:
        # At the optimum t is the largest weighted gap.
        return weights[r] * (m.l[g, r] + m.h[g, r]) - m.t[g] <= 0

    @m.Objective()
    def distance(m: Model) -> object:
        return sum(m.t[g] for g in m.G)

    return m


def l2(m: Model, weights: Row) -> Model:
    """Give `m` the squared L2 distance as objective, which makes it a convex QP."""

    @m.Objective()
    def distance(m: Model) -> object:
        return sum((weights[r] * (m.l[g, r] - m.h[g, r])) ** 2 for g in m.G for r in m.R)

    return m


def shortfall(m: Model, weights: Row) -> Model:
    """Give `m` the shortfall Σ weight_r h_gr of its points below the target as objective."""

    @m.Objective()
    def shortfall(m: Model) -> object:
        return sum(weights[r] * m.h[g, r] for g in m.G for r in m.R)

    return m


def dominating(m: Model) -> Model:
    """Let no metric get worse: h = 0 [no_worse]."""

    @m.Constraint(m.G, m.R)
    def no_worse(m: Model, g: object, r: object) -> object:
        return m.h[g, r] <= 0

    return m
