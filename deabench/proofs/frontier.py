"""Prove that a Frontier is right and that nothing is missing from it.

Rows, facets, extreme DMUs and Pareto-efficient faces are recomputed by comparisons and products.

A list of facets is complete, for degenerate tables too, by a parity rule over the simplices that
they are cut into. Theorem. Let rows z_1 ... z_n ≥ 1 and simplices of s members each (rows, or axes
that stand for the direction -e_r) be such that

1. w ≥ 0 on every facet; w_r is exactly 0 where a simplex on it has axis r; members differ; none has
   axes only;
2. |w·z - 1| ≤ below for the rows of its own simplices;
3. w·z ≤ 1 + above for all rows;
4. with the simplex of all axes added, every set of s - 1 members occurs an even number of times.

Then for every p ≥ 0: max_f w_f·p / (1 + above) ≤ gauge(p) ≤ max_f w_f·p / (1 - below), where
gauge(p) is the least Σμ with p ≤ Σ μ z. Proof in docs/proofs.md: by 4 the simplices are a cycle
modulo 2, so the number of their cones that contain a generic direction has one parity; the
direction -(1, ..., 1) is in the axes' cone alone; so every p is in some cone, whose w is as good.

Extreme DMUs: the mean of the normals at one is greater there than at any other row, by a margin; at
a row that is not extreme another is as good on all of its facets.

Faces: an efficient point lies in the convex hull of some rows of one simplex. So it is enough to
descend the subsets of every simplex on a flat facet until one is in a face that is listed; an
efficient subset that is in none is missing.
"""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np
import pandas as pd

from deabench.utils.arrays import blocks

TIGHT = 1e-10
"""A row is on a facet within this, in boxed metrics."""
ALIKE = 1e-8
"""Rows that are nearer than this in every boxed metric are near-duplicates: which of them is
extreme is not claimed.
"""
CLEAR = 1e-12
"""An extreme row stands out from all others by more than this."""
RISES = 1e-9
"""A facet with a weight below this is as good as flat in that metric."""
PROVED = 1e-9
"""A row that stands out by more than this must be called extreme."""
COLUMNS = [
    "box",
    "dominated",
    "malformed",
    "below",
    "above",
    "open_ridges",
    "on",
    "points",
    "extreme",
    "faces",
]
"""What `certify_frontier` counts or measures."""

Subset = tuple[tuple[int, int], ...]
"""Rows of a simplex, each with the extreme row that stands for it."""


def certify_frontier(front: Any) -> pd.DataFrame:
    """Recompute a frontier; one row of what each claim misses by.

    Returns
    -------
    DataFrame
        box, dominated, malformed, open_ridges, on, points, extreme, faces : how many of the rows,
        facets, sets of s - 1 members, extreme DMUs or faces break the claim, 0 where it holds;
        below, above : how far a facet lies off its own rows, and how far it cuts into any row, as
        shares of an efficiency in boxed metrics.
    """
    rows = front.boxed_rows
    hull = front.hull
    members = hull.members
    facet = hull.facet
    normals = hull.normals
    malformed = count_malformed(members, facet, normals, len(rows))
    misses: dict[str, float] = {
        "box": _count_bad_units(front),
        "dominated": count_wrong_dominators(front.data.outputs.to_numpy(), front.dominator),
        "malformed": malformed,
    }
    if not malformed:  # the other claims index by members and facets
        on = _compute_incidence(rows, normals)
        misses |= {
            "below": greatest_offset(rows, members, facet, normals),
            "above": greatest_excess(rows, normals),
            "open_ridges": count_open_ridges(members, len(rows)),
            "on": _count_wrong_incidences(rows, hull),
            "points": _count_wrong_points(front),
            "extreme": _count_wrong_extremes(rows, on, hull),
            "faces": _count_wrong_faces(rows, on, hull),
        }
    index = pd.Index(["frontier"], name="result")
    return pd.DataFrame([misses], index=index, columns=COLUMNS, dtype=float)


def _compute_incidence(rows: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return which rows (n, s) lie on which facets normal·y = 1 (f, s): bool (n, f)."""
    is_on = np.empty((len(rows), len(normals)), dtype=bool)
    columns = np.ascontiguousarray(normals.T)
    # The products in blocks: whole they would take eight times the memory of the answer, twice.
    for block in blocks(len(rows), len(normals)):
        is_on[block] = np.abs(rows[block] @ columns - 1.0) <= TIGHT
    return is_on


def count_malformed(members: np.ndarray, facet: np.ndarray, normals: np.ndarray, n: int) -> int:
    """Count the simplices and facets that break rule 1 of the theorem."""
    ordered = _sort_members(members)
    s = normals.shape[1]
    # A member out of range, axes only, or no facet.
    is_bad = (
        (ordered[:, 0] < 0)
        | (ordered[:, -1] >= n + s)
        | (ordered[:, 0] >= n)
        | (facet < 0)
        | (facet >= len(normals))
    )
    # Sorted, two equal members of a simplex stand next to each other.
    for previous, following in zip(ordered.T, ordered.T[1:], strict=False):
        is_bad |= previous == following
    used = np.count_nonzero(np.bincount(facet[~is_bad], minlength=len(normals)))
    is_invalid = ~(np.isfinite(normals) & (normals >= 0)).all(axis=1)
    # An axis of metric r on a facet lets it extend downwards in r: its weight there must be 0.
    simplex, position = np.nonzero((members >= n) & ~is_bad[:, None])
    rises = normals[facet[simplex], members[simplex, position] - n] != 0
    return int(is_bad.sum() + (len(normals) - used) + is_invalid.sum() + rises.sum())


def _sort_members(members: np.ndarray) -> np.ndarray:
    """Return the members of each simplex, rising; mostly they are already."""
    pairs = zip(members.T, members.T[1:], strict=False)
    if all((previous < following).all() for previous, following in pairs):
        return members
    return np.sort(members, axis=1)


def greatest_offset(
    rows: np.ndarray, members: np.ndarray, facet: np.ndarray, normals: np.ndarray
) -> float:
    """Return how far the rows of a simplex lie off its facet, at most (rule 2)."""
    n = len(rows)
    greatest = 0.0
    weights = normals.take(facet, axis=0)
    # Position n stands for any axis, which has no row.
    padded = np.vstack([rows, np.zeros((1, rows.shape[1]))])
    for member in members.T:
        reach = np.einsum("bi,bi->b", padded.take(np.minimum(member, n), axis=0), weights)
        offset = np.where(member < n, np.abs(reach - 1.0), 0.0)
        # np.maximum keeps a NaN, which proves nothing.
        greatest = float(np.maximum(greatest, offset.max(initial=0.0)))
    return greatest


def greatest_excess(rows: np.ndarray, normals: np.ndarray) -> float:
    """Return how far a facet cuts into a row, at most (rule 3)."""
    greatest = 0.0
    # All products of facets and rows, in blocks that fit in memory.
    columns = np.ascontiguousarray(rows.T)
    for block in blocks(len(normals), len(rows)):
        reach = float((normals[block] @ columns).max(initial=0.0))
        greatest = float(np.maximum(greatest, reach - 1.0))
    return greatest


def count_open_ridges(members: np.ndarray, n: int) -> int:
    """Count the sets of s - 1 members that occur an odd number of times (rule 4).

    The simplex of all axes is counted in; 0 closes the surface.
    """
    s = members.shape[1]
    if s == 1:  # the empty set, once for each simplex and once for the axis
        return 1 - len(members) % 2
    axes = np.arange(n, n + s)[None]
    ordered = np.vstack([_sort_members(members.astype(np.int64)), axes])
    # A set as one number in base n + s where that fits in 64 bits; otherwise as a row.
    if (n + s) ** (s - 1) < 1 << 62:
        is_new = _new_ridge_numbers(ordered, n + s)
    else:
        is_new = _new_ridge_rows(ordered)
    # Equal ridges stand together once sorted: the length of each run is how often one occurs.
    counts = np.diff(np.append(np.flatnonzero(is_new), len(is_new)))
    return int((counts % 2).sum())


def _new_ridge_numbers(ordered: np.ndarray, base: int) -> np.ndarray:
    """Return, of all ridges as sorted numbers, which differ from the one before.

    The ridge without member k of row (m_1 ... m_s) is the number with the digits m_1 ... m_{k-1},
    m_{k+1} ... m_s.
    """
    s = ordered.shape[1]
    power = base ** np.arange(s - 1, -1, -1, dtype=np.int64)
    # suffix[:, k] is the number of the digits from k on.
    suffix = (ordered * power)[:, ::-1].cumsum(axis=1)[:, ::-1]
    prefix = np.zeros(len(ordered), dtype=np.int64)
    numbers = np.empty((s, len(ordered)), dtype=np.int64)
    for k in range(s - 1):
        numbers[k] = prefix + suffix[:, k + 1]
        # The digits before k stand one position further right once k is left out.
        prefix = prefix + ordered[:, k] * power[k + 1]
    numbers[-1] = prefix
    flat = np.sort(numbers, axis=None)
    return np.append(True, flat[1:] != flat[:-1])


def _new_ridge_rows(ordered: np.ndarray) -> np.ndarray:
    """Do `_new_ridge_numbers` row by row."""
    # Sorted row by row, equal ridges stand next to each other.
    ridges = np.vstack([np.delete(ordered, k, axis=1) for k in range(ordered.shape[1])])
    ridges = ridges[np.lexsort(ridges.T)]
    return np.append(True, (ridges[1:] != ridges[:-1]).any(axis=1))


def count_wrong_dominators(values: np.ndarray, dominator: np.ndarray) -> int:
    """Count the rows whose dominator is below them somewhere, or dominated itself."""
    if dominator.shape != (len(values),):
        return len(values)
    if not ((dominator >= 0) & (dominator < len(values))).all():
        return len(values)
    # A dominator is nowhere below its row, and its own dominator: so it is undominated.
    is_below = ~(values[dominator] >= values).all(axis=1)
    return int((is_below | (dominator[dominator] != dominator)).sum())


def _count_bad_units(front: Any) -> int:
    """Count the metrics with a unit or an origin under which the theorem does not hold."""
    is_valid = np.isfinite(front.origin) & np.isfinite(front.unit) & (front.unit > 0)
    return int((~(is_valid & (front.boxed_rows >= 0.5).all(axis=0))).sum())


def _count_wrong_incidences(rows: np.ndarray, hull: Any) -> int:
    """Count the points claimed on a facet that are not, or the reverse; within a factor of 2."""
    off = np.abs(hull.points @ hull.normals.T - 1.0).T
    if off.shape != hull.incidence.shape:
        return len(rows)
    # Between half and twice the tolerance either claim is right.
    is_off = (off > 2 * TIGHT) & hull.incidence
    is_missing = (off < TIGHT / 2) & ~hull.incidence
    return int(is_off.sum() + is_missing.sum())


def _count_wrong_points(front: Any) -> int:
    """Count the points that are other rows than claimed, or labelled otherwise."""
    hull = front.hull
    labels = front.data.labels
    if len(hull.points) != len(hull.rows) or len(front.vertices) != len(hull.rows):
        return max(len(hull.points), len(hull.rows), len(front.vertices))
    positions = front.undominated[hull.rows]
    is_wrong = (hull.points != front.boxed_rows[hull.rows]).any(axis=1)
    is_wrong |= labels.get_indexer(front.vertices) != positions
    # Rows equal to a vertex are extreme, too.
    values = front.data.outputs.to_numpy()
    equals_dominator = (values == values[front.dominator]).all(axis=1)
    is_extreme = equals_dominator & np.isin(front.dominator, positions)
    wrong_labels = set(front.extreme) ^ set(labels[is_extreme])
    duplicates = len(front.extreme) - len(set(front.extreme))
    return int(is_wrong.sum() + len(wrong_labels) + duplicates)


def _count_wrong_extremes(rows: np.ndarray, on: np.ndarray, hull: Any) -> int:
    """Count the rows called extreme that do not stand out, and those that do and are not."""
    corners = np.unique(hull.members[hull.members < len(rows)])
    is_called = np.isin(corners, hull.rows)
    # Under the mean of the normals at a corner, by how much is it above all others?
    facets = on[corners].sum(axis=1)
    mean = (on[corners] @ hull.normals) / np.maximum(facets, 1)[:, None]
    reach = mean @ rows[corners].T
    own_reach = np.diag(reach).copy()
    least_weight = mean.min(axis=1)
    np.fill_diagonal(reach, -np.inf)
    # A row on no facet has a mean of 0.
    stands_out = (own_reach - reach.max(axis=1) > CLEAR) & (least_weight > 0)
    wrong = np.setdiff1d(hull.rows, corners).size
    # Near-duplicates cannot be told apart: those in doubt are compared with all others.
    for k in np.flatnonzero(stands_out != is_called).tolist():
        is_alike = (np.abs(rows[corners] - rows[corners[k]]) <= ALIKE).all(axis=1)
        margin = own_reach[k] - reach[k, ~is_alike].max(initial=-np.inf)
        if is_called[k]:
            wrong += bool(margin <= CLEAR or least_weight[k] <= 0)
        elif not (is_alike & is_called).any():
            wrong += bool(margin > PROVED and least_weight[k] > PROVED)
    return int(wrong)


def _count_wrong_faces(rows: np.ndarray, on: np.ndarray, hull: Any) -> int:
    """Count the listed faces that are no maximal Pareto-efficient faces, and those missing.

    Sets of facets are the bits of a number: those that hold a face are an intersection.
    """
    facets_of_row = [_flags_to_bits(row) for row in on]
    facets_rising = [_flags_to_bits(column) for column in (hull.normals > RISES).T]
    faces = [frozenset(int(hull.rows[k]) for k in face) for face in hull.maximal_faces]
    holding = [reduce(and_, (facets_of_row[k] for k in face), -1) if face else 0 for face in faces]
    wrong = len(faces) - len(set(faces))
    # A face is all points that its facets share; it is efficient if in each metric one of them
    # rises, for then the mean of their normals is positive. On no facet there is no such point.
    points_of_facet = [_flags_to_bits(column) for column in on[hull.rows].T]
    for face, facets in zip(hull.maximal_faces, holding, strict=True):
        shared = reduce(and_, (points_of_facet[f] for f in _bit_positions(facets)), -1)
        is_closed = shared == sum(1 << k for k in face)
        is_efficient = all(facets & rising for rising in facets_rising)
        wrong += not (is_closed and is_efficient)
    # A facet's face is maximal; a lower one must not be part of another.
    for face, facets in zip(faces, holding, strict=True):
        if facets.bit_count() > 1:
            wrong += any(face < larger for larger in faces)
    listed_facets = reduce(or_, (facets for facets in holding if facets.bit_count() == 1), 0)
    lower_faces = [facets for facets in holding if facets.bit_count() > 1]
    # A facet that is listed and not efficient was counted above.
    is_listed = np.array([bool(listed_facets >> f & 1) for f in range(len(hull.normals))])
    subsets = _simplex_subsets(rows, hull, ~is_listed)
    return wrong + _count_missing_faces(
        subsets, facets_of_row, facets_rising, listed_facets, lower_faces
    )


def _simplex_subsets(rows: np.ndarray, hull: Any, is_taken: np.ndarray) -> set[Subset]:
    """Return the rows of each simplex on the facets taken, each with the row that stands for it.

    That is the extreme row of which it is nearly a duplicate, or itself.
    """
    n = len(rows)
    simplices = hull.members[is_taken[hull.facet]]
    stand_in = np.arange(n)
    for k in np.setdiff1d(simplices[simplices < n], hull.rows).tolist():
        off = np.abs(hull.points - rows[k]).max(axis=1)
        stand_in[k] = hull.rows[np.argmin(off)] if off.min() <= ALIKE else k
    return {
        tuple(sorted((int(k), int(stand_in[k])) for k in simplex if k < n))
        for simplex in simplices.tolist()
    }


def _count_missing_faces(
    subsets: set[Subset],
    facets_of_row: list[int],
    facets_rising: list[int],
    listed_facets: int,
    lower_faces: list[int],
) -> int:
    """Count the efficient subsets of simplices that are in no listed face.

    `listed_facets` are the facets that are faces themselves, `lower_faces` the facets that hold
    each of the other faces.
    """
    visited: set[Subset] = set()
    stack = list(subsets)
    missing = 0
    while stack:
        subset = stack.pop()
        if not subset or subset in visited:
            continue
        visited.add(subset)
        # In a listed face: a facet that is one holds it, or all facets of a lower one do.
        facets = reduce(and_, (facets_of_row[stand_in] for _, stand_in in subset))
        if facets & listed_facets or any(facets & face == face for face in lower_faces):
            continue
        common = reduce(and_, (facets_of_row[k] for k, _ in subset))
        if all(common & rising for rising in facets_rising):
            missing += 1
        else:  # not efficient as a whole: its subsets may be
            stack.extend(subset[:i] + subset[i + 1 :] for i in range(len(subset)))
    return missing


def _bit_positions(bits: int) -> list[int]:
    """Return the positions of the bits that are set."""
    positions = []
    while bits:
        positions.append(bits.bit_length() - 1)
        bits ^= 1 << positions[-1]
    return positions


def _flags_to_bits(flags: np.ndarray) -> int:
    """Return flags as the bits of a number, the first the lowest."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
