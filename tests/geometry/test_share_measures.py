"""Shares of a simplex on which so many functions are positive: against fractions and theorems."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deabench.geometry.share_measures import (
    count_shares_on_polytope,
    count_shares_on_segment,
    count_shares_on_simplex,
    positive_share,
    positive_share_of_polytope,
)
from deabench.geometry.share_polytopes import unit_simplex

Corner = tuple[Fraction, Fraction, Fraction]
CORNERS = [tuple(Fraction(int(r == k)) for r in range(3)) for k in range(3)]


def clip_polygon(polygon: list[Corner], function: list[int], sign: int) -> list[Corner]:
    """The part of a polygon in which sign · function ≥ 0, by Sutherland and Hodgman."""

    def height(point: Corner) -> Fraction:
        return sign * sum((a * b for a, b in zip(function, point, strict=True)), Fraction(0))

    part: list[Corner] = []
    for point, successor in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
        first, second = height(point), height(successor)
        if first >= 0:
            part.append(point)
        if first * second < 0:
            t = first / (first - second)
            part.append(tuple(a + t * (b - a) for a, b in zip(point, successor, strict=True)))
    return part


def polygon_share(polygon: list[Corner]) -> Fraction:
    """The area of a polygon over that of the triangle."""
    area = Fraction(0)
    for a, b in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
        area += a[1] * b[2] - a[2] * b[1]
    return abs(area)


def clipped_shares(functions: np.ndarray) -> list[float]:
    """The shares by clipping the triangle into all parts, in fractions."""
    parts = [(CORNERS, 0)]
    for function in functions.tolist():
        halves = []
        for polygon, count in parts:
            above = clip_polygon(polygon, function, 1)
            # What is 0 on the whole part is not positive there.
            if polygon_share(above) and any(function):
                halves.append((above, count + 1))
            below = clip_polygon(polygon, function, -1) if any(function) else polygon
            if polygon_share(below):
                halves.append((below, count))
        parts = halves
    shares = [Fraction(0)] * (len(functions) + 1)
    for polygon, count in parts:
        shares[count] += polygon_share(polygon)
    return [float(share) for share in shares]


@pytest.mark.parametrize("kind", ["general", "few values", "multiples", "collinear", "wide"])
def test_shares_of_a_triangle_are_those_of_clipped_polygons(kind) -> None:
    rng = np.random.default_rng(7)
    for n in (1, 2, 4, 7):
        for _ in range(4):
            functions = rng.integers(-50, 51, (n, 3))
            if kind == "few values":
                functions = rng.integers(-1, 2, (n, 3))
            if kind == "multiples":
                functions = functions[rng.integers(0, 2, n) % n] * rng.integers(-3, 4, (n, 1))
            if kind == "collinear" and n > 2:
                weights = rng.integers(-3, 4, (n, 2))
                functions = weights @ functions[:2]
            if kind == "wide":
                functions = functions * 10 ** rng.integers(0, 13, (n, 1))
            shares = count_shares_on_simplex(functions / 7.0)
            assert shares == pytest.approx(clipped_shares(functions), abs=1e-13)


@pytest.mark.parametrize("s", [2, 3, 4, 5])
def test_shares_depend_on_no_order_and_have_the_exact_mean(s) -> None:
    rng = np.random.default_rng(s)
    for n in (1, 3, 6):
        for values in (rng.normal(size=(n, s)), rng.integers(-2, 3, (n, s)).astype(float)):
            # Two combinations of others meet them in common lines.
            if n == 6:
                values[4:] = [[0.5, -2.0], [1.0, 1.0]] @ values[:2]
            shares = count_shares_on_simplex(values)
            assert shares.sum() == pytest.approx(1, abs=1e-13)
            assert shares @ np.arange(n + 1) == pytest.approx(positive_share(values).sum())
            # Other corners come first, and span other cones.
            turned = count_shares_on_simplex(np.roll(values[::-1], 1, axis=1))
            assert shares == pytest.approx(turned, abs=1e-12)
            # Where so many are positive, the others of their negatives are.
            negative = count_shares_on_simplex(-values[values.any(axis=1)])
            zeros = n + 1 - len(negative)
            assert shares[: len(negative)] == pytest.approx(negative[::-1], abs=1e-12)
            assert not shares[len(negative) :].any() or not zeros


def test_shares_of_a_polytope_add_up_over_its_simplices() -> None:
    polytope = unit_simplex(4).cut((-1, 2, 0, -3)).cut((3, -1, -4, 1))
    rows = np.random.default_rng(3).integers(-5, 6, (5, 4))
    values = rows @ polytope.shares.T
    shares = count_shares_on_polytope(values, polytope)
    assert len(polytope.simplices) > 1
    assert shares.sum() == pytest.approx(1, abs=1e-13)
    means = positive_share_of_polytope(values, polytope).sum()
    assert shares @ np.arange(6) == pytest.approx(means, abs=1e-12)
    segment = unit_simplex(2)
    ends = rows[:, :2].astype(float)
    assert count_shares_on_polytope(ends, segment) == pytest.approx(count_shares_on_segment(ends))


def test_shares_of_many_functions_keep_their_digits() -> None:
    values = np.random.default_rng(0).normal(size=(300, 3))
    shares = count_shares_on_simplex(values)
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert shares @ np.arange(301) == pytest.approx(positive_share(values).sum(), abs=1e-10)
