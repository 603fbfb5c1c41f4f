"""Sweeps for the tests: tables of classifiers, cut into Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from deabench.results.frontier import Frontier

METRICS = ["TPR", "TNR", "AUC"]


def _draw_rates(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-(rng.normal(size=(n, 1)) + rng.normal(size=(n, 3))))))


def _shell(rng: np.random.Generator, n: int) -> np.ndarray:
    share = rng.exponential(size=(n, 3))
    return np.asarray(
        share / share.sum(axis=1, keepdims=True) * (1 - 0.02 * rng.uniform(size=(n, 1)))
    )


KINDS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "floats": _draw_rates,
    "two decimals": lambda rng, n: _draw_rates(rng, n).round(2),
    "one decimal": lambda rng, n: _draw_rates(rng, n).round(1) + 0.1,
    "every row twice": lambda rng, n: np.vstack([half := _draw_rates(rng, n // 2).round(3), half]),
    "shell of a simplex": _shell,
    "grid of a simplex": lambda rng, n: rng.multinomial(12, np.full(3, 1 / 3), n) / 12,
    "a millionth apart": lambda rng, n: 0.9 + 1e-6 * _draw_rates(rng, n),
    "one direction": lambda rng, n: _draw_rates(rng, n)[:, :1] * np.array([1.0, 0.5, 0.25]),
}


def sweep(kind: str = "floats", n: int = 3000, seed: int = 0) -> pd.DataFrame:
    """A table with the names of its rows first."""
    frame = pd.DataFrame(KINDS[kind](np.random.default_rng(seed), n), columns=METRICS)
    frame.insert(0, "model", [f"m{k}" for k in range(n)])
    return frame


def written(
    frame: pd.DataFrame, folder: Path, cuts: Sequence[int] = (), *, groups: int = 400
) -> Path:
    """The table as files, cut before the rows `cuts`."""
    folder.mkdir(parents=True, exist_ok=True)
    ends: Iterable[tuple[int, int]] = zip([0, *cuts], [*cuts, len(frame)], strict=True)
    for k, (low, high) in enumerate(ends):
        frame[low:high].to_parquet(
            folder / f"part-{k:02}.parquet", row_group_size=groups, index=False
        )
    return folder


def same_facets(first: Frontier, second: Frontier) -> None:
    np.testing.assert_array_equal(first.hull.normals, second.hull.normals)
    np.testing.assert_array_equal(first.origin, second.origin)
    np.testing.assert_array_equal(first.unit, second.unit)


def same(first: Frontier, second: Frontier) -> None:
    """All that a frontier says of its points and facets, bit for bit."""
    assert first.vertices == second.vertices
    same_facets(first, second)
    pd.testing.assert_frame_equal(first.facets, second.facets, check_exact=True)
    pd.testing.assert_frame_equal(
        first.points, second.points, check_exact=True, check_names=False, check_index_type=False
    )
