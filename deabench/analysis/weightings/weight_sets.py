"""Turn a table and the restrictions of its weights into values and polytopes in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.share_polytopes import SharePolytope, unit_simplex
from deabench.results.weightings import WeightedSide, WeightingModel
from deabench.tables.transforms import AffineTransform, Data
from deabench.utils.checks import choice, did_you_mean
from deabench.utils.text import quote_names

Bounds = tuple[float, float]
Ratios = Mapping[tuple[str, str], Bounds]
Shares = Mapping[str, Bounds]
Scale = Mapping[str, Literal["linear", "log"]]

DECADES = 20.0
"""A cost whose largest value is so many times the least may count by its logarithm."""


@dataclass(frozen=True)
class Restrictions:
    """Bounds of the weights: of ratios in the metrics' own units, and of shares."""

    ratios: Ratios
    shares: Shares

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.ratios or self.shares)

    def describe(self) -> str:
        """Return the bounds as a clause."""
        clauses = [
            f"{first}/{second} from {lower:g} to {upper:g}"
            for (first, second), (lower, upper) in self.ratios.items()
        ]
        clauses += [
            f"{name} from {lower:g} to {upper:g}" for name, (lower, upper) in self.shares.items()
        ]
        return ", ".join(clauses)


def read_restrictions(
    ratios: Ratios | None, shares: Shares | None, data: Data, model: WeightingModel
) -> Restrictions:
    """Check the bounds of ratios and shares against the metrics.

    Raises
    ------
    DataError
        If a metric is not there, a bound is no pair of numbers from 0 on, or an output is held
        against an input in the model "ratio".
    """
    metrics = [*data.outputs.columns, *data.inputs.columns]
    # Each key must name two metrics,
    for pair in ratios or {}:
        if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
            raise DataError(f"ratios has the key {pair!r}; give two metrics, as ('A', 'B')")
    named = [("ratios", name) for pair in ratios or {} for name in pair]
    named += [("shares", name) for name in shares or {}]
    # which the table has
    for option, name in named:
        if name not in metrics:
            raise DataError(
                f"{option} names '{name}', which is no metric here; {did_you_mean(name, metrics)}"
            )
    # and whose weights have a common unit.
    for first, second in ratios or {}:
        if model == "ratio" and (first in data.outputs) != (second in data.outputs):
            raise DataError(
                f"ratios compares the output and the input '{first}' and '{second}', whose weights "
                "have no common unit in model 'ratio'; give two outputs or two inputs, or use "
                "model='value'"
            )
    checked_ratios = {
        pair: _read_bounds(f"the ratio {pair[0]}/{pair[1]}", bounds, math.inf)
        for pair, bounds in (ratios or {}).items()
    }
    checked_shares = {
        name: _read_bounds(f"the share of '{name}'", bounds, 1.0)
        for name, bounds in (shares or {}).items()
    }
    return Restrictions(checked_ratios, checked_shares)


def _read_bounds(subject: str, bounds: object, largest: float) -> Bounds:
    """Return two numbers 0 ≤ lower ≤ upper ≤ largest."""
    try:
        lower, upper = (float(bound) for bound in bounds)  # type: ignore[attr-defined]  # tried
    except (TypeError, ValueError):
        raise DataError(
            f"the bounds of {subject} are {bounds!r}; give two numbers, as (0.5, 1)"
        ) from None
    if not 0 <= lower <= upper <= largest or lower == math.inf:
        raise DataError(
            f"the bounds of {subject} are {lower:g} and {upper:g}; give two numbers from 0 to "
            f"{largest:g}, the smaller first"
        )
    return lower, upper


def build_sides(
    frame: pd.DataFrame,
    data: Data,
    model: WeightingModel,
    restrictions: Restrictions,
    scale: Scale | None = None,
) -> tuple[WeightedSide, ...]:
    """Return the sides of the scores with their weights: one, or outputs and inputs.

    Parameters
    ----------
    frame : DataFrame
        The metrics in the user's units, whose decimals are taken as they are written.
    data : Data
        Which metrics are outputs and inputs, and how each is turned.
    """
    outputs = [str(name) for name in data.outputs]
    inputs = [str(name) for name in data.inputs]
    logarithmic = _check_scale(scale, [*outputs, *inputs], model)
    exact = {
        name: _exact_values(
            frame[name], data.transforms.get(name, AffineTransform()), name in logarithmic
        )
        for name in [*outputs, *inputs]
    }
    if model == "value":
        names = [*outputs, *inputs]
        return (_build_side(names, exact, restrictions, kind="value", costs=inputs),)
    sides = [_build_side(outputs, exact, restrictions, kind="output")]
    if inputs:
        sides.append(_build_side(inputs, exact, restrictions, kind="input"))
    return tuple(sides)


def list_logarithmic(scale: Scale | None) -> tuple[str, ...]:
    """Return the metrics that count by their logarithm."""
    return tuple(name for name, word in (scale or {}).items() if word == "log")


def _check_scale(
    scale: Scale | None, names: Sequence[str], model: WeightingModel
) -> tuple[str, ...]:
    """Return the metrics that count by their logarithm, after checking them."""
    for name, word in (scale or {}).items():
        if name not in names:
            raise DataError(
                f"scale names '{name}', which is no metric here; {did_you_mean(name, names)}"
            )
        choice("scale", word, ("linear", "log"))
    logarithmic = list_logarithmic(scale)
    if logarithmic and model == "ratio":
        raise DataError("scale is for model='value'; in model 'ratio' a unit has no logarithm")
    return logarithmic


def _exact_values(
    column: pd.Series, transform: AffineTransform, is_logarithmic: bool
) -> list[Fraction]:
    """Return a metric in the model's direction, from the decimals of its numbers."""
    if is_logarithmic:
        bad = column[column <= 0]
        if len(bad):
            raise DataError(
                f"metric '{column.name}' of '{bad.index[0]}' is {bad.iloc[0]:g}, which has no "
                "logarithm; leave scale out"
            )
        # A logarithm is no decimal: its float is taken as it is.
        return [Fraction(math.log(value)) * int(transform.sign) for value in column]
    shift = Fraction(repr(float(transform.shift)))
    sign = int(transform.sign)
    return [shift + sign * Fraction(repr(float(value))) for value in column]


def _build_side(
    names: Sequence[str],
    exact: Mapping[str, Sequence[Fraction]],
    restrictions: Restrictions,
    *,
    kind: Literal["output", "input", "value"],
    costs: Sequence[str] = (),
) -> WeightedSide:
    """Return one side with its values in whole numbers and the polytope of its weights."""
    columns = []
    units = []
    for name in names:
        values = exact[name]
        unit = _find_unit(name, values, kind)
        # Only differences count in the model "value": metrics start from their least value.
        origin = min(values) if kind == "value" else Fraction(0)
        sign = -1 if name in costs else 1
        columns.append([sign * (value - origin) / unit for value in values])
        units.append(unit)
    scale = math.lcm(*(value.denominator for column in columns for value in column))
    integers = [[int(value * scale) for value in column] for column in columns]
    polytope = _cut_weights(names, units, restrictions)
    return WeightedSide(
        tuple(names), np.array(integers, dtype=object).T, scale, tuple(units), polytope
    )


def _find_unit(name: str, values: Sequence[Fraction], kind: str) -> Fraction:
    """Return the best value of a metric, or its range; 1 where all rows are equal."""
    if kind == "value":
        return max(values) - min(values) or Fraction(1)
    positive = [value for value in values if value > 0]
    if not positive:
        raise DataError(f"metric '{name}' is 0 in every row; leave it out, or use model='value'")
    # Of inputs the least is best; one of 0 is no unit.
    return max(positive) if kind == "output" else min(positive)


def _cut_weights(
    names: Sequence[str], units: Sequence[Fraction], restrictions: Restrictions
) -> SharePolytope:
    """Return the weights that keep the restrictions.

    Raises
    ------
    DataError
        If there are none, or if they have no interior.
    """
    position = {name: r for r, name in enumerate(names)}
    rows: list[list[Fraction]] = []
    for (first, second), (lower, upper) in restrictions.ratios.items():
        if first not in position:
            continue
        # A multiplier is the weight over the unit: lower · u_second ≤ u_first ≤ upper · u_second.
        i, j = position[first], position[second]
        for bound, sign in ((lower, 1), (upper, -1)):
            if bound == math.inf:
                continue
            row = [Fraction(0)] * len(names)
            row[i] = -sign / units[i]
            row[j] = sign * Fraction(repr(bound)) / units[j]
            rows.append(row)
    for name, (lower, upper) in restrictions.shares.items():
        if name not in position:
            continue
        for bound, sign in ((lower, 1), (upper, -1)):
            # The weights add up to 1: sign · (bound · Σ w − w_r) ≤ 0.
            row = [sign * Fraction(repr(bound))] * len(names)
            row[position[name]] -= sign
            rows.append(row)
    polytope = unit_simplex(len(names))
    for row in rows:
        # What all weights keep, as a lower bound of 0, cuts nothing off.
        if all(entry <= 0 for entry in row):
            continue
        common = math.lcm(*(entry.denominator for entry in row))
        polytope = polytope.cut([int(entry * common) for entry in row])
    if not polytope.rays:
        raise DataError(f"no weights keep the bounds: {restrictions.describe()}; give wider bounds")
    if not polytope.has_interior and len(names) > 1:
        raise DataError(
            f"the bounds leave no room between them: {restrictions.describe()}; give wider bounds"
        )
    return polytope


def describe_weights(
    sides: Sequence[WeightedSide], restrictions: Restrictions, model: WeightingModel
) -> tuple[str, ...]:
    """Return notes on what a weight is, and on its bounds."""
    if model == "value":
        unit = "each metric is divided by its range"
    else:
        unit = "each metric is divided by its best value"
    notes = [f"weights add up to 1 after {unit}"]
    if len(sides) > 1:
        notes = [f"the weights of outputs, and those of inputs, add up to 1 after {unit}"]
    if restrictions:
        notes.append(f"bounds of the weights: {restrictions.describe()}")
    if restrictions.shares:
        reference = (
            "the sum of all ranges" if model == "value" else "an ideal row, best in every metric"
        )
        notes.append(f"shares of weights are those of {reference}, the same for all rows")
    return tuple(notes)


def describe_decades(
    frame: pd.DataFrame, inputs: Sequence[str], scale: Scale | None
) -> tuple[str, ...]:
    """Return a note on costs that span decades and count linearly."""
    names = [
        name
        for name in inputs
        if name not in (scale or {})
        and frame[name].min() > 0
        and frame[name].max() > DECADES * frame[name].min()
    ]
    if not names:
        return ()
    return (
        f"{quote_names(names)} {'spans' if len(names) == 1 else 'span'} more than a factor of "
        f"{DECADES:g}; where a halving should count the same everywhere, pass "
        f"scale={{'{names[0]}': 'log'}}",
    )
