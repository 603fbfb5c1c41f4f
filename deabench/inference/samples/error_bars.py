"""Make samples of tables whose metrics have standard errors or intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import special

from deabench.errors import DataError
from deabench.inference.samples.sample_set import Samples
from deabench.tables.table import Table
from deabench.tables.transforms import CONSTANT_OUTPUT, Data
from deabench.utils.text import quote_names

DEFAULT_LEVEL = 0.95
"""The level of an interval whose name states none."""
_LEVEL = re.compile(
    r"(?:ci|conf)[a-z]*[\s_(]*([5-9]\d)(?!\d)|(?<!\d)([5-9]\d)\s*%?[\s_]*(?:ci|conf)", re.I
)
"""A level in a name, as ci90, CI_95, 90% CI."""


def samples_of_error_bars(table: Table, data: Data) -> Samples:
    """Make samples of a table whose metrics have standard errors or intervals; others are exact."""
    outputs = data.outputs.drop(columns=CONSTANT_OUTPUT, errors="ignore")
    values = pd.concat([outputs, data.inputs], axis=1)
    errors = pd.DataFrame(0.0, values.index, values.columns)
    notes = []
    for name in values.columns:
        bars = table.error_bars.get(name)
        if bars is None and name in data.inputs:
            # `with_costs` says of each cost that it is exact.
            continue
        if bars is None:
            notes.append(f"'{name}' has no error bars and counts as exact")
            continue
        errors[name], note = _standard_errors(
            name, bars.loc[values.index], table.errors.get(name, ())
        )
        notes.append(note)
        missing = errors.index[errors[name].isna()]
        if len(missing):
            raise DataError(
                f"'{name}' of '{missing[0]}' has no error bars; give them for every system, or "
                "leave the system out"
            )
    if not errors.to_numpy().any():
        raise DataError(
            f"the error bars of {quote_names(list(table.error_bars))} are of no metric in use; "
            "name one of these in outputs"
        )
    exact = [name for name in data.inputs.columns if not errors[name].any()]
    noisy = [name for name in values.columns if name not in exact]
    samples = Samples.from_table(values[noisy], errors[noisy])
    samples = replace(samples, costs=tuple(name for name in data.inputs.columns if name in noisy))
    if exact:
        samples = samples.with_costs({name: values[name] for name in exact})
    return replace(samples, notes=(*notes, *samples.notes))


def combine_datasets(
    rows: pd.DataFrame, errors: Mapping[str, Sequence[str]]
) -> dict[str, pd.DataFrame]:
    """Return the standard errors of means over data sets, by metric: the root of Σ se² / D²."""
    bars = {}
    for name, columns in errors.items():
        if "dataset" in rows and len(columns) == 1 and columns[0] in rows:
            squares = rows.assign(square=rows[columns[0]] ** 2)
            by_dataset = squares.pivot_table("square", "classifier", "dataset", sort=False)
            complete = by_dataset.dropna(axis=1)
            combined = np.sqrt(complete.sum(axis=1)) / complete.shape[1]
            bars[name] = combined.to_frame("standard_error")
    return bars


def _standard_errors(
    name: str, bars: pd.DataFrame, columns: Sequence[str]
) -> tuple[pd.Series, str]:
    """Return the standard errors that the error bars of a metric state, and a note on them."""
    source = quote_names(list(columns)) if columns else f"the cells of '{name}'"
    if "standard_error" in bars:
        return bars["standard_error"], (
            f"{source}: taken as standard errors of '{name}' (a standard deviation of single "
            "results would be larger)"
        )
    level = _stated_level([name, *columns])
    width = bars["high"] - bars["low"]
    z = float(special.ndtri((1 + level) / 2))
    assumed = "" if _stated_level([name, *columns], default=0.0) else ", which is assumed"
    return width / (2 * z), (
        f"{source}: taken as {100 * level:g} % intervals of '{name}'{assumed}; the standard error "
        f"is half their width over {z:.3g}"
    )


def _stated_level(names: Sequence[str], default: float = DEFAULT_LEVEL) -> float:
    """Return the level that one of the names states, as `ci90` or `90% CI`."""
    for name in names:
        match = _LEVEL.search(name)
        if match:
            return int(match[1] or match[2]) / 100
    return default
