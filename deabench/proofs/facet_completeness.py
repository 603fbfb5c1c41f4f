"""That a list of facets is complete, for degenerate tables too: a parity rule over the simplices
that they are cut into.

Theorem. Let rows z_1 ... z_n ≥ 1 and simplices of s members each (rows, or axes that stand for the
direction -e_r) be such that

1. w ≥ 0 on every facet; w_r is exactly 0 where a simplex on it has axis r; members differ; none has
axes only; 2. |w·z - 1| ≤ below for the rows of its own simplices; 3. w·z ≤ 1 + above for all rows;
4. with the simplex of all axes added, every set of s - 1 members occurs an even number of times.

Then for every p ≥ 0: max_f w_f·p / (1 + above) ≤ gauge(p) ≤ max_f w_f·p / (1 - below), where
gauge(p) is the least Σμ with p ≤ Σ μ z. Proof in docs/proofs.md: by 4 the simplices are a cycle
modulo 2, so the number of their cones that contain a generic direction has one parity; the
direction -(1, ..., 1) is in the axes' cone alone; so every p is in some cone, whose w is as good.
"""

from __future__ import annotations

import numpy as np

from deabench.utils.arrays import blocks


def malformed(members: np.ndarray, facet: np.ndarray, normals: np.ndarray, n: int) -> int:
    """How many simplices or facets break rule 1: a member twice or unknown, axes only, no facet, a
    weight that is not 0 or more.
    """
    ordered = _ordered(members)
    s = normals.shape[1]
    bad = (
        (ordered[:, 0] < 0)
        | (ordered[:, -1] >= n + s)
        | (ordered[:, 0] >= n)
        | (facet < 0)
        | (facet >= len(normals))
    )
    for one, other in zip(ordered.T, ordered.T[1:], strict=False):
        bad |= one == other
    unused = len(normals) - np.count_nonzero(np.bincount(facet[~bad], minlength=len(normals)))
    wrong = ~(np.isfinite(normals) & (normals >= 0)).all(axis=1)
    place, axis = np.nonzero((members >= n) & ~bad[:, None])
    rises = normals[facet[place], members[place, axis] - n] != 0
    return int(bad.sum() + unused + wrong.sum() + rises.sum())


def _ordered(members: np.ndarray) -> np.ndarray:
    """The members of each simplex, rising; as they mostly are."""
    rising = all((one < other).all() for one, other in zip(members.T, members.T[1:], strict=False))
    return members if rising else np.sort(members, axis=1)


def below(rows: np.ndarray, members: np.ndarray, facet: np.ndarray, normals: np.ndarray) -> float:
    """How far the rows of a simplex lie off its facet, at worst."""
    worst, n = 0.0, len(rows)
    weights, padded = normals.take(facet, axis=0), np.vstack([rows, np.zeros((1, rows.shape[1]))])
    for column in members.T:
        reach = np.einsum("bi,bi->b", padded.take(np.minimum(column, n), axis=0), weights)
        worst = max(worst, float(np.where(column < n, np.abs(reach - 1.0), 0.0).max(initial=0.0)))
    return worst


def above(rows: np.ndarray, normals: np.ndarray) -> float:
    """How far a facet cuts into a row, at worst."""
    worst, table = 0.0, np.ascontiguousarray(rows.T)
    for part in blocks(len(normals), len(rows)):
        worst = max(worst, float((normals[part] @ table).max(initial=0.0)) - 1.0)
    return worst


def open_ridges(members: np.ndarray, n: int) -> int:
    """How many sets of s - 1 members occur an odd number of times, the simplex of all axes counted
    in: 0 closes the surface.
    """
    s = members.shape[1]
    if s == 1:  # the empty set, once for each simplex and once for the axis
        return (len(members) + 1) % 2
    ordered = np.vstack([_ordered(members.astype(np.int64)), np.arange(n, n + s)[None]])
    new = _new_words(ordered, n + s) if (n + s) ** (s - 1) < 1 << 62 else _new_rows(ordered)
    counts = np.diff(np.append(np.flatnonzero(new), len(new)))
    return int((counts % 2).sum())


def _new_words(ordered: np.ndarray, base: int) -> np.ndarray:
    """For every row (B, s) all but one of its numbers, as one number each, sorted: which differ
    from the one before.
    """
    s = ordered.shape[1]
    place = base ** np.arange(s - 1, -1, -1, dtype=np.int64)
    after = (ordered * place)[:, ::-1].cumsum(axis=1)[
        :, ::-1
    ]  # what stands at a number and after it
    before = np.zeros(len(ordered), dtype=np.int64)
    words = np.empty((s, len(ordered)), dtype=np.int64)
    for k in range(s):
        words[k] = before + (after[:, k + 1] if k + 1 < s else 0)
        before = before + ordered[:, k] * place[k + 1] if k + 1 < s else before
    flat = np.sort(words, axis=None)
    return np.append(True, flat[1:] != flat[:-1])


def _new_rows(ordered: np.ndarray) -> np.ndarray:
    """The same row by row, for more numbers than a word can tell."""
    sides = np.vstack([np.delete(ordered, k, axis=1) for k in range(ordered.shape[1])])
    sides = sides[np.lexsort(sides.T)]
    return np.append(True, (sides[1:] != sides[:-1]).any(axis=1))
