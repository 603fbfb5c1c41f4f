"""Weights of a norm: what a unit of change counts in each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.transforms import Data, to_outputs_only
from deabench.utils.checks import choice


def resolve_norm_weights(
    weights: Mapping[str, float] | str | None, reference: Data
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return what a unit of each metric counts, outputs first, and a note on a default."""
    frame = to_outputs_only(reference).outputs
    names = list(frame.columns)
    if isinstance(weights, str):
        choice("weights", weights, ("range",))
        return _range_weights(frame), ()
    if weights is None:
        # A change of .01 is as good in every share, but not in shares and milliseconds.
        if not has_mixed_units(names, list(map(str, reference.inputs))):
            return np.ones(len(names)), ()
        return _range_weights(frame), (
            "units differ, so changes are counted in shares of each metric's range in the "
            "reference (weights='range')",
        )
    # Given weights must name each output, and be positive.
    for name, weight in weights.items():
        if name not in names:
            raise DataError(
                f"weights names '{name}', which is not an output; the outputs are "
                f"{', '.join(names)}"
            )
        if not (np.isfinite(weight) and weight > 0):
            raise DataError(f"the weight of '{name}' is {weight:g}; give a number above 0")
    missing = [name for name in names if name not in weights]
    if missing:
        raise DataError(f"weights has no '{missing[0]}'; give one for every output")
    return np.array([float(weights[name]) for name in names]), ()


def _range_weights(reference: pd.DataFrame) -> np.ndarray:
    """Return 1 / range of each metric; of one that is constant 1 / value, or 1 where that is 0."""
    values = reference.to_numpy()
    size = np.ptp(values, axis=0)
    # In shares of its value no unit counts, as in shares of ranges.
    size = np.where(size > 0, size, np.abs(values[0]))
    return np.asarray(1.0 / np.where(size > 0, size, 1.0))


def has_mixed_units(names: Sequence[str], inputs: Sequence[str]) -> bool:
    """Return whether metrics have units that cannot be added, as rates and costs."""
    # Shares and percent are one unit, and names without a unit tell nothing.
    meanings = filter(None, map(look_up_metric, names))
    units = {meaning.unit.replace("percent", "share") for meaning in meanings}
    return bool(inputs) or len(units - {""}) > 1
