"""Where the first stage's λ is the only one: its slacks are the largest, and its own basis proves
it without a second solve.

Let y be the first stage's duals, whose reduced costs are above 0 outside of the basis, and y' those
that the second stage's costs (-1/maximum for a slack, 0 for λ) give on the same basis. Then y' + M
y has reduced costs of 0 on the basis, and for M large enough none below 0 outside of it: it is an
optimal dual of the second stage."""

from __future__ import annotations

import numpy as np

from deabench.results.proof import SlackWeights
from deabench.solver.engine import Solution
from deabench.solver.family import Family
from deabench.utils.arrays import blocks

DISTINCT = 1e-8
"""A reduced cost above this, of duals of size 1, is not 0."""
MOST = 1e6
"""An M above this would lose too many digits."""
ALONE = -3
"""λ is the only one, so there is nothing to solve again, but M is above `MOST`: no proof."""


def slack_weights(family: Family, solution: Solution, top: np.ndarray) -> SlackWeights:
    """The weights of outputs, then inputs, for the DMUs whose λ is the only one; `ALONE` where
    their M is too large, -2 for the others.

    `top` are the metrics' maxima in the family's units, outputs, then inputs.
    """
    used, which = np.unique(solution.basis_index, return_inverse=True)
    codes, inverse = solution.bases.columns[used], solution.bases.inverse[used]
    duals = solution.bases.duals[used]
    duals = duals / np.maximum(np.abs(duals).max(axis=1, keepdims=True), 1e-300)
    gain, spare = _rows(family)
    cost = np.zeros(len(family.table))
    cost[family.n + family.statics + np.append(gain, spare)] = -1.0 / top
    good = (
        np.isfinite(inverse).all(axis=(1, 2))
        & (codes == family.n + family.theta).any(axis=1)
        & (used >= 0)
    )
    second = np.zeros_like(duals)
    second[good] = np.einsum("bi,bij->bj", cost[codes[good]], inverse[good])
    factor = np.full(len(used), np.inf)
    for part in blocks(len(used), len(family.table)):
        factor[part] = _factor(family, codes[part], duals[part], second[part], cost)
    alone = good & np.isfinite(factor)
    good &= factor <= MOST
    y = second + np.where(good, factor, 0.0)[:, None] * duals
    rows = np.maximum(np.column_stack([y[:, gain], -y[:, spare]]) * top, 1.0)
    place = np.cumsum(good) - 1
    return SlackWeights(
        rows[good], np.where(good, place, np.where(alone, ALONE, -2))[which].astype(np.int32)
    )


def ray(family: Family, duals: np.ndarray, top: np.ndarray) -> np.ndarray:
    """The weights (1, s + m) that row duals (m,) give to outputs, then inputs, largest 1: what
    proves that there is no score.
    """
    gain, spare = _rows(family)
    row = np.maximum(np.append(duals[gain], -duals[spare]) * top, 0.0)
    return np.asarray(row / max(float(row.max()), 1e-300))[None]


def _rows(family: Family) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the outputs and of the inputs."""
    names = family.template.row_names
    return (
        np.array([i for i, name in enumerate(names) if name.startswith("outputs")], dtype=int),
        np.array([i for i, name in enumerate(names) if name.startswith("inputs")], dtype=int),
    )


def _factor(
    family: Family, codes: np.ndarray, duals: np.ndarray, second: np.ndarray, cost: np.ndarray
) -> np.ndarray:
    """The least M; infinite where some column outside of the basis has a reduced cost of 0, so that
    λ may not be the only one.
    """
    first = -duals @ family.table.T
    more = cost - second @ family.table.T
    outside = np.ones(first.shape, dtype=bool)
    np.put_along_axis(outside, codes, False, axis=1)
    outside[:, family.n : family.n + family.statics] = False  # θ is no column of the second stage
    outside[:, family.zero] = False
    with np.errstate(divide="ignore", invalid="ignore"):
        need = np.where(outside & (more < 0), -more / first, 0.0)
    tied = (outside & (first <= DISTINCT)).any(axis=1)
    return np.where(tied, np.inf, need.max(axis=1))
