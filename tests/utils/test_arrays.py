"""Sparse products, and positions told apart without sorting, beside numpy's own."""

from __future__ import annotations

import numpy as np
import pytest

from deabench.utils.arrays import Sparse, distinct_positions, largest_sizes


@pytest.mark.parametrize("count", [0, 1, 3, 40_000])  # the last takes several blocks
def test_a_sparse_product_is_that_of_the_dense_matrix(count) -> None:
    rng = np.random.default_rng(count)
    positions = rng.integers(-1, 5, (count, 3)).astype(np.int32)
    values = np.where(positions < 0, 0.0, rng.integers(1, 9, (count, 3)))
    matrix = rng.integers(-9, 9, (5, 2)).astype(float)
    dense = np.zeros((count, 5))
    for column in range(3):
        np.add.at(dense, (np.arange(count), positions[:, column]), values[:, column])
    product = Sparse(positions, values).dot(matrix)
    np.testing.assert_array_equal(product, dense @ matrix)
    assert not np.signbit(product[product == 0]).any()


@pytest.mark.parametrize("positions", [[3, -1, 0, 3, 3], [-1, -1], [2], []])
def test_distinct_positions_are_those_that_sorting_tells(positions) -> None:
    array = np.array(positions, dtype=np.int32)
    used, numbers = distinct_positions(array)
    expected, expected_numbers = np.unique(array, return_inverse=True)
    np.testing.assert_array_equal(used, expected)
    np.testing.assert_array_equal(numbers, expected_numbers)


@pytest.mark.parametrize("shape", [(0, 3), (2, 5), (100_000, 3)])
def test_the_largest_size_of_a_column_is_that_of_its_numbers(shape) -> None:
    values = np.random.default_rng(1).normal(size=shape)
    np.testing.assert_array_equal(largest_sizes(values), np.abs(values).max(axis=0, initial=0.0))
