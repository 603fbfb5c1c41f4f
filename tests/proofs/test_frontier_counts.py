"""What a frontier's certificate counts, one function at a time, against loops."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.proofs import frontier as proofs
from deabench.proofs.frontier import TIGHT

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "a": [1.0, 3.0, 4.0, 3.0, 2.0, 1.0, 4.0],
        "b": [4.0, 3.0, 1.0, 3.0, 2.0, 4.0, 1.0],
        "c": [2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 2.0],
    },
    index=list("pqrstuv"),
)
""" "s" and "v" equal "q" and "r", which "t" and "u" are dominated beside."""


def draw_simplices(seed: int, s: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    n = 6
    rows = rng.uniform(1, 3, (n, s))
    members = np.array([rng.permutation(n + s)[:s] for _ in range(8)])
    facet = rng.integers(0, 4, len(members))
    return rows, members, facet, rng.uniform(0, 0.4, (4, s))


def test_ridges_whose_numbers_no_float_tells_apart_are_two() -> None:
    """Of 2^20 rows a ridge of three members is a number up to 2^60, and neighbours differ by 1."""
    last = 2**20 - 1
    ordered = last - np.array([[3, 2, 1, 0], [4, 3, 2, 0]])
    counts = [
        np.diff(np.append(np.flatnonzero(is_new), len(is_new))).tolist()
        for is_new in (
            proofs._new_ridge_numbers(ordered, 2**20),
            proofs._new_ridge_rows(ordered),
        )
    ]
    # Without last - 4 and last - 1 both have the same three members; all others occur once.
    assert [sorted(count) for count in counts] == [[1] * 6 + [2]] * 2


@pytest.mark.parametrize("s", [1, 2, 3, 4])
def test_offsets_excesses_and_open_ridges_are_those_of_loops(s) -> None:
    for seed in range(8):
        rows, members, facet, normals = draw_simplices(seed, s)
        n = len(rows)
        offsets = [
            abs(rows[member] @ normals[f] - 1)
            for simplex, f in zip(members, facet, strict=True)
            for member in simplex
            if member < n
        ]
        greatest = proofs.greatest_offset(rows, members, facet, normals)
        assert greatest == pytest.approx(max(offsets, default=0), rel=1e-12)
        excess = max(0.0, max(float(row @ normal) - 1 for row in rows for normal in normals))
        assert proofs.greatest_excess(rows, normals) == pytest.approx(excess, abs=1e-12)
        assert proofs.greatest_excess(rows, normals / 9) == 0.0
        # Rule 4: every s - 1 members an even number of times, the axes' simplex counted in.
        ridges = Counter(
            frozenset(ridge)
            for simplex in (*members.tolist(), range(n, n + s))
            for ridge in combinations(simplex, s - 1)
        )
        odd = sum(count % 2 for count in ridges.values())
        assert proofs.count_open_ridges(members, n) == odd
        if s > 1:
            ordered = np.sort(np.vstack([members, np.arange(n, n + s)]), axis=1)
            counts = []
            for is_new in (
                proofs._new_ridge_numbers(ordered, n + s),
                proofs._new_ridge_rows(ordered),
            ):
                runs = np.diff(np.append(np.flatnonzero(is_new), len(is_new)))
                counts.append(sorted(runs.tolist()))
            assert counts[0] == counts[1] == sorted(ridges.values())
        assert (proofs._sort_members(members) == np.sort(members, axis=1)).all()


@pytest.mark.parametrize(
    ("off", "may_be_on", "may_be_off"),
    [
        (0.0, True, False),
        (0.4, True, False),
        (0.6, True, True),
        (1.9, True, True),
        (2.1, False, True),
        (1e6, False, True),
    ],
)
def test_a_point_is_on_a_facet_or_off_it(off, may_be_on, may_be_off) -> None:
    for sign in (1, -1):
        points = np.array([[1.0 + sign * off * TIGHT, 2.0], [0.25, 1.0]])
        for is_on, allowed in ((True, may_be_on), (False, may_be_off)):
            hull = SimpleNamespace(
                points=points,
                normals=np.array([[1.0, 0.0], [0.0, 1.0]]),
                incidence=np.array([[is_on, False], [False, True]]),
            )
            assert proofs._count_wrong_incidences(points, hull) == int(not allowed)
    hull.incidence = hull.incidence[:1]
    assert proofs._count_wrong_incidences(points, hull) == 2


def test_points_are_rows_of_the_table_under_their_labels() -> None:
    front = db.frontier(TABLE)
    assert front.vertices == ["p", "q", "r"]
    assert front.extreme == ["p", "q", "r", "s", "v"]

    def count(hull=None, **changes) -> int:
        forged = {"precomputed_hull": replace(front.hull, **hull)} if hull else {}
        return proofs._count_wrong_points(replace(front, **forged, **changes))

    assert count() == 0
    points = front.hull.points.copy()
    points[1, 0] += 1e-12
    assert count({"points": points}) == 1
    assert count({"points": points[:2]}) == 3
    assert count({"rows": front.hull.rows[:2]}) == 3
    assert count(vertices=["p", "q"]) == 3
    assert count(vertices=["p", "q", "r", "s"]) == 4
    assert count(vertices=["p", "r", "q"]) == 2
    assert count(extreme=["p", "q", "r", "s"]) == 1
    assert count(extreme=["p", "q", "r", "s", "t", "v"]) == 1
    assert count(extreme=["p", "q", "r", "s", "v", "v"]) == 1
    assert count(extreme=["p"]) == 4


@pytest.mark.parametrize(
    ("margin", "may_be_called", "may_be_left_out"),
    [
        (1e-5, True, False),
        (1e-8, True, False),
        (1e-9, True, True),
        (4e-10, True, True),
        (0.0, False, True),
        (-1e-3, False, True),
    ],
)
def test_who_stands_out_is_extreme_and_nobody_else(margin, may_be_called, may_be_left_out) -> None:
    """The middle of three rows is beyond the line through the others by `margin`."""
    rows = np.array([[1.0, 3.0], [2.0 + margin, 2.0 + margin], [3.0, 1.0]])
    normals = np.array(
        [
            np.linalg.solve(rows[:2], [1, 1]),
            np.linalg.solve(rows[1:], [1, 1]),
            [0.0, 1 / 3],
            [1 / 3, 0.0],
        ]
    )
    members = np.array([[0, 1], [1, 2], [0, 3], [2, 4]])
    on = np.abs(rows @ normals.T - 1) <= TIGHT
    for called, allowed in (([0, 1, 2], may_be_called), ([0, 2], may_be_left_out)):
        hull = SimpleNamespace(normals=normals, members=members, rows=np.array(called))
        assert proofs._count_wrong_extremes(rows, on, hull) == int(not allowed)
    # A row of no simplex is not extreme, and one on no facet does not stand out.
    hull = SimpleNamespace(normals=normals, members=members[[0, 2]], rows=np.array([0, 1, 2]))
    assert proofs._count_wrong_extremes(rows, on, hull) >= 1
    nowhere = on.copy()
    nowhere[0] = False
    hull = SimpleNamespace(normals=normals, members=members, rows=np.array([0, 2]))
    expected = 1 + int(not may_be_left_out)
    assert proofs._count_wrong_extremes(rows, nowhere, hull) == expected


def test_near_duplicates_are_not_told_apart() -> None:
    rows = np.array([[1.0, 3.0], [1.0 + 1e-9, 3.0 - 1e-9], [3.0, 1.0]])
    normals = np.array([np.linalg.solve(rows[[0, 2]], [1, 1]), [0.0, 1 / 3], [1 / 3, 0.0]])
    on = np.abs(rows @ normals.T - 1) <= 1e-8
    for members, called in (
        ([[0, 2]], [0, 2]),
        ([[0, 1], [1, 2]], [0, 2]),
        ([[0, 1], [1, 2]], [1, 2]),
    ):
        hull = SimpleNamespace(normals=normals, members=np.array(members), rows=np.array(called))
        assert proofs._count_wrong_extremes(rows, on, hull) == 0
    hull = SimpleNamespace(normals=normals, members=np.array([[0, 1], [1, 2]]), rows=np.array([2]))
    assert proofs._count_wrong_extremes(rows, on, hull) >= 1


def test_bits_are_positions() -> None:
    assert proofs._flags_to_bits(np.array([True, False, True, True])) == 0b1101
    assert sorted(proofs._bit_positions(0b1101)) == [0, 2, 3]
    assert proofs._bit_positions(0) == []


def test_rows_of_a_simplex_stand_for_the_extreme_row_beside_them() -> None:
    rows = np.array([[1.0, 3.0], [1.0 + 5e-9, 3.0], [1.0 + 3e-8, 3.0], [3.0, 1.0]])
    hull = SimpleNamespace(
        members=np.array([[1, 0], [2, 3], [4, 3]]),
        facet=np.array([0, 1, 1]),
        rows=np.array([0, 3]),
        points=rows[[0, 3]],
    )
    everything = proofs._simplex_subsets(rows, hull, np.array([True, True]))
    # The second row stands for the first, the third for itself; an axis is no row.
    assert everything == {((0, 0), (1, 0)), ((2, 2), (3, 3)), ((3, 3),)}
    assert proofs._simplex_subsets(rows, hull, np.array([True, False])) == {((0, 0), (1, 0))}


@pytest.mark.parametrize(
    ("listed", "lower", "missing"),
    [(0b01, [], 0), (0b00, [], 1), (0b10, [], 1), (0b00, [0b01], 0), (0b00, [0b11], 1)],
)
def test_an_efficient_subset_that_no_face_holds_is_missing(listed, lower, missing) -> None:
    """Two rows on the facet 0, which rises in both metrics; the facet 1 holds the first alone."""
    subsets = {((0, 0), (1, 1))}
    found = proofs._count_missing_faces(subsets, [0b11, 0b01], [0b01, 0b11], listed, lower)
    assert found == missing
    # Where no facet rises in one metric nothing is efficient.
    assert proofs._count_missing_faces(subsets, [0b11, 0b01], [0b00, 0b11], 0, []) == 0
    # Rows without a facet in common are looked at one by one.
    assert proofs._count_missing_faces(subsets, [0b01, 0b10], [0b11, 0b11], 0, []) == 2
    assert proofs._count_missing_faces(subsets, [0b01, 0b10], [0b11, 0b11], 0b01, []) == 1


def test_a_dominator_is_nowhere_below_its_row() -> None:
    values = np.array([[3.0, 1.0], [1.0, 3.0], [1.0, 1.0], [3.0, 1.0]])
    assert proofs.count_wrong_dominators(values, np.array([0, 1, 1, 0])) == 0
    assert proofs.count_wrong_dominators(values, np.array([0, 0, 0, 0])) == 1
    assert proofs.count_wrong_dominators(values, np.array([0, 1, 0, 1])) == 1


def test_a_face_that_is_not_efficient_is_none() -> None:
    """Between "p" and "q" lies less of c than "r" has on the same facet, which is flat in c."""
    table = pd.DataFrame({"a": [4.0, 1, 2.5, 1], "b": [1.0, 4, 2.5, 1], "c": [1.0, 1, 3, 4]})
    front = db.frontier(table, outputs=list(table))
    hull = front.hull
    rows = front.boxed_rows
    on = np.abs(rows @ hull.normals.T - 1) <= TIGHT
    names = ("rows", "normals", "members", "facet", "points", "maximal_faces")
    honest = {name: getattr(hull, name) for name in names}
    assert proofs._count_wrong_faces(rows, on, SimpleNamespace(**honest)) == 0
    flat_face = frozenset([0, 1, 2])
    holding = on[hull.rows[:3]].all(axis=0)
    assert holding.sum() == 1
    assert hull.normals[holding][0, 2] == 0
    faces = [*honest["maximal_faces"], flat_face]
    forged = SimpleNamespace(**{**honest, "maximal_faces": faces})
    # It is wrong itself, and so are the faces that are a part of it then.
    parts = sum(face < flat_face for face in faces)
    assert proofs._count_wrong_faces(rows, on, forged) == 1 + parts


@pytest.mark.parametrize("metric", [0, 1, 2])
def test_a_facet_with_an_axis_has_no_weight_of_its_metric(metric) -> None:
    """Five rows, and the axes 5, 6 and 7."""
    members = np.array([[0, 1, 5 + metric], [0, 1, 2]])
    normals = np.array([[0.5, 0.25, 1.0], [0.3, 0.4, 0.2]])
    assert proofs.count_malformed(members, np.array([0, 1]), normals, 5) == 1
    normals[0, metric] = 0.0
    assert proofs.count_malformed(members, np.array([0, 1]), normals, 5) == 0


def test_a_normal_that_is_no_number_is_a_miss_of_its_facet() -> None:
    rows = np.array([[1.0, 0.5], [0.5, 1.0]])
    normals = np.array([[2 / 3, 2 / 3], [np.nan, 1.0]])
    members = np.array([[0, 1]])
    assert proofs.greatest_offset(rows, members, np.array([0]), normals) <= 1e-12
    assert np.isnan(proofs.greatest_offset(rows, members, np.array([1]), normals))
    assert proofs.greatest_excess(rows, normals[:1]) <= 1e-12
    assert np.isnan(proofs.greatest_excess(rows, normals))


@pytest.mark.parametrize(
    ("members", "count"),
    [
        ([[0, 2], [0, 3]], 0),
        # Axes alone, and the facet on which no other simplex is.
        ([[0, 2], [2, 3]], 2),
        ([[0, 2], [-1, 1]], 2),
        ([[0, 2], [1, 4]], 2),
        ([[0, 2], [1, 1]], 2),
    ],
)
def test_a_simplex_has_a_row_and_members_that_differ(members, count) -> None:
    facet = np.array([0, 1])
    assert proofs.count_malformed(np.array(members), facet, np.zeros((2, 2)), 2) == count
