"""That a list of facets is complete, for degenerate tables too: a parity rule over the simplices that they are cut into.

Theorem. Let rows z_1 ... z_n ≥ 1 and simplices of s members each (rows, or axes that stand for the direction -e_r) be such that

1. w ≥ 0 on every facet; w_r is exactly 0 where a simplex on it has axis r; members differ; none has axes only;
2. |w·z - 1| ≤ below for the rows of its own simplices;
3. w·z ≤ 1 + above for all rows;
4. with the simplex of all axes added, every set of s - 1 members occurs an even number of times.

Then for every p ≥ 0: max_f w_f·p / (1 + above) ≤ gauge(p) ≤ max_f w_f·p / (1 - below), where gauge(p) is the least Σμ with
p ≤ Σ μ z. Proof in docs/proofs.md: by 4 the simplices are a cycle modulo 2, so the number of their cones that contain a generic
direction has one parity; the direction -(1, ..., 1) is in the axes' cone alone; so every p is in some cone, whose w is as good.
"""

from __future__ import annotations

import numpy as np

from deabench.arrays import blocks


def malformed(members: np.ndarray, facet: np.ndarray, normals: np.ndarray, n: int) -> int:
    """How many simplices or facets break rule 1: a member twice or unknown, axes only, no facet, a weight that is not 0 or more."""
    ordered = np.sort(members, axis=1)
    s = normals.shape[1]
    bad = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1) | (ordered[:, 0] < 0) | (ordered[:, -1] >= n + s)
    bad |= (ordered >= n).all(axis=1) | (facet < 0) | (facet >= len(normals))
    unused = len(normals) - len(np.unique(facet[~bad]))
    wrong = ~(np.isfinite(normals) & (normals >= 0)).all(axis=1)
    place, axis = np.nonzero((members >= n) & ~bad[:, None])
    rises = normals[facet[place], members[place, axis] - n] != 0
    return int(bad.sum() + unused + wrong.sum() + rises.sum())


def below(rows: np.ndarray, members: np.ndarray, facet: np.ndarray, normals: np.ndarray) -> float:
    """How far the rows of a simplex lie off its facet, at worst."""
    worst, n = 0.0, len(rows)
    for k in range(members.shape[1]):
        own = members[:, k] < n
        if own.any():
            reach = np.einsum("bi,bi->b", rows[members[own, k]], normals[facet[own]])
            worst = max(worst, float(np.abs(reach - 1.0).max()))
    return worst


def above(rows: np.ndarray, normals: np.ndarray) -> float:
    """How far a facet cuts into a row, at worst."""
    worst = 0.0
    for part in blocks(len(rows), len(normals)):
        worst = max(worst, float((rows[part] @ normals.T).max(initial=0.0)) - 1.0)
    return worst


def open_ridges(members: np.ndarray, n: int) -> int:
    """How many sets of s - 1 members occur an odd number of times, the simplex of all axes counted in: 0 closes the surface."""
    s = members.shape[1]
    if s == 1:  # the empty set, once for each simplex and once for the axis
        return (len(members) + 1) % 2
    ordered = np.sort(np.vstack([members.astype(np.int64), np.arange(n, n + s)[None]]), axis=1)
    sides = np.vstack([np.delete(ordered, k, axis=1) for k in range(s)])
    order = np.lexsort(sides.T)
    sides = sides[order]
    new = np.append(True, (sides[1:] != sides[:-1]).any(axis=1))
    counts = np.diff(np.append(np.flatnonzero(new), len(sides)))
    return int((counts % 2).sum())
