"""That a Frontier is right and that nothing is missing from it: its rows, its facets, its extreme
DMUs, its Pareto-efficient faces.

Facets: `surface`. Extreme DMUs: the mean of the normals at one is greater there than at any other
row, by a margin; at a row that is not extreme another is as good on all of its facets. Faces: an
efficient point lies in the convex hull of some rows of one simplex, so it is enough to descend the
subsets of every simplex on a flat facet until one is in a face that is listed; an efficient one
that is in none is missing."""

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


def certify_frontier(front: Any) -> pd.DataFrame:
    """One row of what each claim misses by.

    Returns
    -------
    DataFrame
        box, dominated, malformed, open_ridges, on, points, extreme, faces : how many of the rows,
        facets, sets of s - 1 members, extreme DMUs or faces break the claim, 0 where it holds;
        below, above : how far a facet lies off its own rows, and how far it cuts into any row, as
        shares of an efficiency in boxed metrics.
    """
    rows, hull = front.boxed_rows, front.hull
    members, facet, normals = hull.members, hull.facet, hull.normals
    malformed = count_malformed(members, facet, normals, len(rows))
    found: dict[str, float] = {
        "box": _box(front),
        "dominated": count_wrong_dominators(front.data.outputs.to_numpy(), front.dominator),
        "malformed": malformed,
    }
    if not malformed:
        on = _on(rows, normals)
        found |= {
            "below": greatest_offset(rows, members, facet, normals),
            "above": greatest_excess(rows, normals),
            "open_ridges": count_open_ridges(members, len(rows)),
            "on": _tight(rows, hull),
            "points": _points(front),
            "extreme": _extreme(rows, on, hull),
            "faces": _faces(rows, on, hull),
        }
    return pd.DataFrame(
        [found], index=pd.Index(["frontier"], name="result"), columns=COLUMNS, dtype=float
    )


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


def count_wrong_dominators(values: np.ndarray, dominator: np.ndarray) -> int:
    """How many rows are not dominated, or equalled, by the row that is said to, or by one that is
    dominated itself.
    """
    if (
        dominator.shape != (len(values),)
        or not ((dominator >= 0) & (dominator < len(values))).all()
    ):
        return len(values)
    wrong = ~(values[dominator] >= values).all(axis=1) | (dominator[dominator] != dominator)
    return int(wrong.sum())


def _box(front: Any) -> int:
    """How many metrics have a unit or an origin under which the theorem does not hold."""
    good = np.isfinite(front.origin) & np.isfinite(front.unit) & (front.unit > 0)
    return int((~(good & (front.boxed_rows >= 0.5).all(axis=0))).sum())


def _on(rows: np.ndarray, normals: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(rows @ normals.T - 1.0) <= TIGHT)


def _tight(rows: np.ndarray, hull: Any) -> int:
    """How many of the points are said to be on a facet and are not, or the reverse, beyond a factor
    of 2 of the tolerance.
    """
    off = np.abs(hull.points @ hull.normals.T - 1.0).T
    if off.shape != hull.incidence.shape:
        return len(rows)
    return int(
        ((off > 2 * TIGHT) & hull.incidence).sum() + ((off < TIGHT / 2) & ~hull.incidence).sum()
    )


def _points(front: Any) -> int:
    """How many of the points are not the rows that they are said to be, or labelled otherwise."""
    hull, labels = front.hull, front.data.labels
    if len(hull.points) != len(hull.rows) or len(front.vertices) != len(hull.rows):
        return max(len(hull.points), len(hull.rows), len(front.vertices))
    where = front.undominated[hull.rows]
    wrong = (hull.points != front.boxed_rows[hull.rows]).any(axis=1) | (
        labels.get_indexer(front.vertices) != where
    )
    values = front.data.outputs.to_numpy()
    same = (values == values[front.dominator]).all(axis=1) & np.isin(front.dominator, where)
    return int(
        wrong.sum()
        + len(set(front.extreme) ^ set(labels[same]))
        + len(front.extreme)
        - len(set(front.extreme))
    )


def _extreme(rows: np.ndarray, on: np.ndarray, hull: Any) -> int:
    """How many rows are called extreme without standing out, or stand out and are not called so."""
    held = np.unique(hull.members[hull.members < len(rows)])
    called = np.isin(held, hull.rows)
    count = on[held].sum(axis=1)
    mean = (on[held] @ hull.normals) / np.maximum(count, 1)[:, None]
    reach = mean @ rows[held].T
    own, least = np.diag(reach).copy(), mean.min(axis=1)
    np.fill_diagonal(reach, -np.inf)
    stands = (own - reach.max(axis=1) > CLEAR) & (count > 0) & (least > 0)
    wrong = np.setdiff1d(hull.rows, held).size
    for k in np.flatnonzero(stands != called).tolist():
        alike = (np.abs(rows[held] - rows[held[k]]) <= ALIKE).all(axis=1)
        margin = own[k] - reach[k, ~alike].max(initial=-np.inf) if count[k] else 0.0
        if called[k]:
            wrong += bool(margin <= CLEAR or least[k] <= 0)
        elif not (alike & called).any():
            wrong += bool(margin > PROVED and least[k] > PROVED)
    return int(wrong)


def _faces(rows: np.ndarray, on: np.ndarray, hull: Any) -> int:
    """How many of the listed faces are no maximal Pareto-efficient faces, and how many are missing."""
    through = [_bits(row) for row in on]
    rising = [_bits(column) for column in (hull.normals > RISES).T]
    faces = [frozenset(int(hull.rows[k]) for k in face) for face in hull.maximal_faces]
    holding = [reduce(and_, (through[k] for k in face), 0 if not face else -1) for face in faces]
    wrong = len(faces) - len(set(faces))
    corners = [_bits(column) for column in on[hull.rows].T]
    for face, held in zip(hull.maximal_faces, holding, strict=True):
        whole = reduce(and_, (corners[f] for f in _places(held)), -1) == sum(1 << k for k in face)
        wrong += not (held and whole and all(held & up for up in rising))
    wrong += sum(
        any(face < other for other in faces)
        for face, held in zip(faces, holding, strict=True)
        if held.bit_count() > 1
    )
    full = (hull.normals > RISES).all(axis=1)
    alone = reduce(or_, (held for held in holding if held.bit_count() == 1), 0)
    rest = [held for held in holding if held.bit_count() > 1]
    listed = np.array([bool(alone >> f & 1) for f in range(len(full))])
    return wrong + _missing(_parts(rows, hull, ~(full & listed)), through, rising, alone, rest)


def _parts(rows: np.ndarray, hull: Any, which: np.ndarray) -> set[tuple[tuple[int, int], ...]]:
    """The rows of each simplex on the facets `which`, each with the extreme row that it is nearly a
    duplicate of, or itself.
    """
    n = len(rows)
    simplices = hull.members[which[hull.facet]]
    stand = np.arange(n)
    for k in np.setdiff1d(simplices[simplices < n], hull.rows).tolist():
        off = np.abs(hull.points - rows[k]).max(axis=1)
        stand[k] = hull.rows[np.argmin(off)] if off.min() <= ALIKE else k
    return {
        tuple(sorted((int(k), int(stand[k])) for k in simplex if k < n))
        for simplex in simplices.tolist()
    }


def _missing(
    parts: set[tuple[tuple[int, int], ...]],
    through: list[int],
    rising: list[int],
    alone: int,
    rest: list[int],
) -> int:
    """How many efficient parts of simplices are in no listed face; `alone` are the facets that are
    faces themselves, `rest` the facets that hold each of the others.
    """
    seen: set[tuple[tuple[int, int], ...]] = set()
    stack, missing = list(parts), 0
    while stack:
        part = stack.pop()
        if not part or part in seen:
            continue
        seen.add(part)
        near = reduce(and_, (through[extreme] for _, extreme in part))
        if near & alone or any(near & held == held for held in rest):
            continue
        common = reduce(and_, (through[k] for k, _ in part))
        if all(common & up for up in rising):
            missing += 1
        else:
            stack.extend(part[:i] + part[i + 1 :] for i in range(len(part)))
    return missing


def _places(number: int) -> list[int]:
    """The positions of the bits that are set."""
    out = []
    while number:
        out.append(number.bit_length() - 1)
        number ^= 1 << out[-1]
    return out


def _bits(flags: np.ndarray) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def count_malformed(members: np.ndarray, facet: np.ndarray, normals: np.ndarray, n: int) -> int:
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


def greatest_offset(
    rows: np.ndarray, members: np.ndarray, facet: np.ndarray, normals: np.ndarray
) -> float:
    """How far the rows of a simplex lie off its facet, at worst."""
    worst, n = 0.0, len(rows)
    weights, padded = normals.take(facet, axis=0), np.vstack([rows, np.zeros((1, rows.shape[1]))])
    for column in members.T:
        reach = np.einsum("bi,bi->b", padded.take(np.minimum(column, n), axis=0), weights)
        worst = max(worst, float(np.where(column < n, np.abs(reach - 1.0), 0.0).max(initial=0.0)))
    return worst


def greatest_excess(rows: np.ndarray, normals: np.ndarray) -> float:
    """How far a facet cuts into a row, at worst."""
    worst, table = 0.0, np.ascontiguousarray(rows.T)
    for part in blocks(len(normals), len(rows)):
        worst = max(worst, float((normals[part] @ table).max(initial=0.0)) - 1.0)
    return worst


def count_open_ridges(members: np.ndarray, n: int) -> int:
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
