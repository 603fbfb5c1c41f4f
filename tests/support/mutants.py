"""Mutants of any result: every field of its dataclass, and of those in it, changed, relabelled,
dropped, swapped. Generic, so that a new field is mutated too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError

CHANGE = 1e-6
CELLS = 4
"""Cells of an array that are changed, one at a time."""


def mutants(
    value: Any, rng: np.random.Generator, change: float = CHANGE
) -> Iterator[tuple[str, Any]]:
    """What was done, and the value with that done to it; numbers change by the share `change`."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            for done, mutant in mutants(getattr(value, field.name), rng, change):
                try:
                    changed = replace(value, **{field.name: mutant})
                except DataError:  # a model refuses words that it does not know
                    continue
                yield f"{field.name}: {done}", changed
    elif isinstance(value, pd.Series | pd.DataFrame):
        yield from _frames(value, rng, change)
    elif isinstance(value, np.ndarray):
        yield from ((done, mutant) for done, mutant in _arrays(value, rng, change))
    elif isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, str):
        yield (
            "said otherwise",
            {
                "vrs": "crs",
                "crs": "vrs",
                "output": "input",
                "input": "output",
                "faces": "facets",
                "l1": "l2",
                "l2": "linf",
                "linf": "l1",
                "facets": "faces",
            }.get(value, f"{value} or so"),
        )
    elif isinstance(value, dict):
        yield from _mappings(value, rng, change)
    elif isinstance(value, list | tuple) and value:
        yield "dropped", value[1:]
        if len(value) > 1 and value[0] != value[1]:
            yield "swapped", type(value)([value[1], value[0], *value[2:]])


def _mappings(
    value: dict[Any, Any], rng: np.random.Generator, change: float
) -> Iterator[tuple[str, Any]]:
    yield "one more", value | {"nobody": "no reason"}
    for key in value:
        yield f"without {key}", {k: v for k, v in value.items() if k != key}
        if isinstance(value[key], float):
            yield f"{key} changed", value | {key: value[key] * (1 + change)}
        else:
            for done, mutant in mutants(value[key], rng, change):
                yield f"{key} {done}", value | {key: mutant}


def _frames(
    value: pd.Series | pd.DataFrame, rng: np.random.Generator, change: float
) -> Iterator[tuple[str, Any]]:
    for done, array in _arrays(value.to_numpy(), rng, change):
        if array.shape == value.to_numpy().shape:
            repeated = value.copy()
            repeated = (
                type(value)(array, index=value.index, columns=value.columns)
                if isinstance(value, pd.DataFrame)
                else pd.Series(
                    array,
                    index=value.index,
                    name=value.name,
                    dtype=value.dtype if array.dtype == bool else None,
                )
            )
            yield done, repeated
    if len(value):
        yield "a row dropped", value.iloc[1:]
        other_labels = [f"{label}'" for label in value.index[:1]]
        yield "relabelled", value.set_axis([*other_labels, *value.index[1:]], axis=0)
    if len(value) > 1 and value.index[0] != value.index[-1]:
        yield (
            "labels swapped",
            value.set_axis([value.index[-1], *value.index[1:-1], value.index[0]], axis=0),
        )
    if isinstance(value, pd.DataFrame) and value.shape[1]:
        yield "a column dropped", value.iloc[:, 1:]
        yield "a column renamed", value.set_axis(["another", *value.columns[1:]], axis=1)
    if isinstance(value, pd.DataFrame) and value.shape[1] > 1:
        yield (
            "columns swapped",
            value.set_axis([value.columns[1], value.columns[0], *value.columns[2:]], axis=1),
        )


def _arrays(
    value: np.ndarray, rng: np.random.Generator, change: float
) -> Iterator[tuple[str, np.ndarray]]:
    if not value.size:
        return
    for position in rng.permutation(value.size)[:CELLS].tolist():
        cell = np.unravel_index(position, value.shape)
        for done, new in _cells(value[cell], rng, change):
            repeated = value.copy()
            repeated[cell] = new
            yield f"{list(map(int, cell))} {done}", repeated
    if len(value) > 1:
        yield "dropped", value[1:]
        if not _equal(value[0], value[-1]):
            repeated = value.copy()
            repeated[[0, -1]] = repeated[[-1, 0]]
            yield "rows swapped", repeated


def _cells(cell: Any, rng: np.random.Generator, change: float) -> Iterator[tuple[str, Any]]:
    if isinstance(cell, bool | np.bool_):
        yield "flipped", not cell
    elif isinstance(cell, int | np.integer):
        yield "another", cell + 1
    elif isinstance(cell, float | np.floating):
        if np.isnan(cell):
            yield "a number", 0.5
        else:
            step = (
                change * abs(cell) if abs(cell) > CHANGE else CHANGE
            )  # of what rounding left, a share would be nothing
            yield "more", cell + step
            yield "less", cell - step
            yield "missing", np.nan
    else:
        yield from mutants(cell, rng, change)


def _equal(first: Any, second: Any) -> bool:
    """The same, but for rounding: rows that differ by less are not worth swapping."""
    if isinstance(first, str | tuple) or np.asarray(first).dtype == object:
        return bool(np.all(first == second))
    return bool(np.allclose(first, second, rtol=0, atol=CHANGE, equal_nan=True))
