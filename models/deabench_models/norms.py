"""The L1, L∞ and squared L2 norm of a gap, each as the objective of a model.

A model that has a gap declares l, h ≥ 0 over (tested DMU, metric) with target = p + l − h, so l is
what is gained and h what is given up. `weights` multiply the gap metric by metric (1 in the plain
norm; 1/range to make the metrics comparable).

    L1    min  Σ_g Σ_r weight_r (l_gr + h_gr)                    [distance]
    L∞    min  Σ_g t_g   s.t. weight_r (l_gr + h_gr) ≤ t_g       [distance, largest_gap]
    L2    min  Σ_g Σ_r (weight_r (l_gr − h_gr))²                 [distance]
"""

from pyomo.core.base import Var
from pyomo.core.base.set_types import NonNegativeReals

from deabench_models._types import Model, Row


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
