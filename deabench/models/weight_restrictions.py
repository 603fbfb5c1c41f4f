"""What users say of weights and of Σ λ, checked: bounds of shares, of ratios, and of the sum."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deabench.errors import DataError
from deabench.tables.transforms import Data
from deabench.utils.checks import did_you_mean

Bounds = tuple[float, float]
Shares = tuple[tuple[str, Bounds], ...]
Ratios = tuple[tuple[tuple[str, str], Bounds], ...]


def read_shares(given: object, data: Data) -> Shares:
    """The bounds of each metric's share of its side, by name."""
    example = f"{{'{data.outputs.columns[0]}': (0.2, 0.5)}}"
    if not isinstance(given, Mapping) or not given:
        raise DataError(
            f"shares is {given!r}; give a mapping of metric to (least, most), as {example}"
        )
    found: dict[str, Bounds] = {}
    for name, between in given.items():
        _known("shares", name, data)
        found[name] = _bounds(f"shares of '{name}'", between, example)
        if found[name][1] > 1:
            raise DataError(f"shares of '{name}' go up to {found[name][1]:g}; a share is at most 1")
    for side, what in ((data.outputs, "outputs"), (data.inputs, "inputs")):
        least = sum(found[name][0] for name in side if name in found)
        most = sum(found[name][1] if name in found else 1.0 for name in side)
        if least > 1 + 1e-12 or (len(side.columns) and most < 1 - 1e-12):
            said = f"at least {least:g}" if least > 1 else f"at most {most:g}"
            raise DataError(
                f"the shares of the {what} add up to {said}, and they have to add up to 1; give wider bounds"
            )
    return tuple(found.items())


def read_ratios(given: object, data: Data) -> Ratios:
    """The bounds of what a unit of one metric counts in units of another."""
    names = [*data.outputs.columns, *data.inputs.columns]
    example = f"{{('{names[0]}', '{names[-1]}'): (2, float('inf'))}}"
    if not isinstance(given, Mapping) or not given:
        raise DataError(
            f"ratios is {given!r}; give a mapping of two metrics to (least, most), as {example}"
        )
    found = {}
    for pair, between in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise DataError(f"ratios has the key {pair!r}; give two metrics, as {example}")
        for name in pair:
            _known("ratios", name, data)
        if pair[0] == pair[1] or (pair[0] in data.outputs.columns) != (
            pair[1] in data.outputs.columns
        ):
            raise DataError(
                f"ratios compares '{pair[0]}' with '{pair[1]}'; give two outputs, or two inputs"
            )
        found[pair] = _bounds(f"ratios of '{pair[0]}' to '{pair[1]}'", between, example)
    return tuple(found.items())


def read_sums(given: object, data: Data) -> Bounds:
    """The bounds of Σ λ."""
    if not data.inputs.shape[1]:
        raise DataError("sums bounds the multiples of inputs and none is given; name one in inputs")
    least, most = _bounds("sums", given, "(0.8, 1.2)")
    if most == 0:
        raise DataError("sums is (0, 0), which leaves no reference; give a largest sum above 0")
    return least, most


def _known(what: str, name: object, data: Data) -> None:
    known = [*data.outputs.columns, *data.inputs.columns]
    if name not in known:
        raise DataError(
            f"{what} names '{name}', which is no metric here; {did_you_mean(name, known)}"
        )


def _bounds(what: str, given: object, example: str) -> Bounds:
    ok = (
        isinstance(given, tuple | list)
        and len(given) == 2
        and all(isinstance(value, int | float) and not isinstance(value, bool) for value in given)
    )
    if not ok:
        raise DataError(f"{what} is {given!r}; give (least, most), as {example}")
    least, most = (float(value) for value in given)  # type: ignore[attr-defined]
    if not (0 <= least <= most and np.isfinite(least)):
        raise DataError(f"{what} is ({least:g}, {most:g}); give 0 <= least <= most")
    return least, most


def trade_offs(
    shares: Shares, ratios: Ratios, names: list[str], values: np.ndarray, unit: np.ndarray, s: int
) -> np.ndarray:
    """The restrictions as rows R of R·(u, v) ≤ 0, (K, rows, s + m), in scaled metrics.

    Parameters
    ----------
    values : array (K, s + m)
        The scaled metrics of the tested DMUs, outputs first.
    unit : array (s + m,)
        What a scaled metric is divided by.
    """
    place, rows = {name: k for k, name in enumerate(names)}, []
    for name, (least, most) in shares:
        at, side = place[name], slice(0, s) if place[name] < s else slice(s, None)
        whole, own = np.zeros_like(values), np.zeros_like(values)
        whole[:, side], own[:, at] = values[:, side], values[:, at]
        rows += [least * whole - own] * (least > 0) + [own - most * whole] * (most < 1)
    for (first, second), (least, most) in ratios:
        for bound, sign in ((least, 1.0), (most, -1.0)):
            if 0 < bound < np.inf or (bound == 0 and sign < 0):
                row = np.zeros_like(values)
                row[:, place[second]], row[:, place[first]] = (
                    sign * bound / unit[place[second]],
                    -sign / unit[place[first]],
                )
                rows.append(row)
    found = np.stack(rows, axis=1) if rows else np.zeros((len(values), 0, values.shape[1]))
    size = np.abs(found).max(axis=2, keepdims=True, initial=0.0)
    return np.asarray(found / np.where(size > 0, size, 1.0))
