"""Inner products of rational numbers against their sums, and floats as the fractions they are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deabench.utils.rational import inner_product, to_floats, to_fractions


@pytest.mark.parametrize("count", [0, 1, 2, 7, 30])
def test_an_inner_product_is_the_sum_of_the_products(count):
    rng = np.random.default_rng(count)
    a = [Fraction(int(n), int(d)) for n, d in rng.integers(1, 1000, (count, 2))]
    # Floats of all sizes and signs, some of them 0.
    values = rng.normal(size=count) * 10.0 ** rng.integers(-300, 300, count)
    values[rng.random(count) < 0.3] = 0.0
    b = to_fractions(values)
    expected = Fraction(0)
    for x, y in zip(a, b, strict=True):
        expected += x * y
    assert inner_product(a, b) == expected


def test_vectors_of_an_inner_product_have_one_length():
    with pytest.raises(ValueError, match="shorter"):
        inner_product([Fraction(1)], [])


def test_floats_are_the_fractions_that_they_are():
    assert to_fractions(np.array([0.5, 0.0, -0.1])) == [
        Fraction(1, 2),
        0,
        Fraction(-3602879701896397, 2**55),
    ]
    assert to_floats([Fraction(1, 3), Fraction(0)]).tolist() == [1 / 3, 0.0]
