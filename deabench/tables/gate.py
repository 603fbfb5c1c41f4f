"""The one gate for data: every table passes here before any solver runs, and is refused by row, column and value.

A table is a DataFrame with one row per classifier (the index holds the labels) and one column per metric.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd

from deabench.checks import did_you_mean
from deabench.errors import DataError, DataWarning

CORRELATED = 0.95
"""Above this correlation two metrics say nearly the same, and a warning says what that does."""


@dataclass(frozen=True)
class Data:
    """What the gate lets through.

    Attributes
    ----------
    outputs : DataFrame, n x s
        Metrics to be high; all finite and >= 0.
    inputs : DataFrame, n x m
        Metrics to be low (m may be 0); all finite and >= 0.
    notes : tuple of str
        Every transformation made, as sentences for the reader.
    """

    outputs: pd.DataFrame
    inputs: pd.DataFrame
    notes: tuple[str, ...] = field(default=())

    @property
    def labels(self) -> pd.Index:
        return self.outputs.index


def check(
    table: pd.DataFrame,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    warn: bool = True,
    negative: bool = False,
) -> Data:
    """Refuse what DEA cannot use, warn of what weakens it, and put every metric where it belongs.

    Parameters
    ----------
    table : DataFrame, n x columns
        Classifiers in rows, metrics in columns; unique labels.
    outputs, inputs : sequences of column names, optional
        `outputs=None` takes every numeric column that is not an input.
    lower_is_better : mapping or sequence of column names
        Metrics to be low. `{"logloss": "input"}` (or a bare sequence) makes the metric an input;
        `{"error": 1.0}` replaces it by its complement to that known maximum, `1.0 - error`, an output.
    warn : bool
        Whether weak data are warned of (a reference set is checked without, once is enough).
    negative : bool
        Whether the model stands values below 0, and with them rows of zeros, as a translation-invariant one does.

    Raises
    ------
    DataError
        With the row, the column and the value.
    """
    _frame(table)
    complements, low_inputs = _directions(lower_is_better)
    chosen_inputs = _names(inputs, "inputs") + [name for name in low_inputs if name not in (inputs or ())]
    if outputs is None:
        chosen_outputs = [str(c) for c in table.columns if c not in chosen_inputs and _numeric(table[c])]
    else:
        chosen_outputs = _names(outputs, "outputs")
    _columns(table, chosen_outputs, chosen_inputs, complements)
    values = numbers(table, [*chosen_outputs, *chosen_inputs])
    notes = [f"'{name}' is an input: lower is better" for name in low_inputs]
    for name, maximum in complements.items():
        values[name] = _complement(values[name], name, maximum)
        notes.append(f"'{name}' stands for its complement {maximum:g} - {name}: lower is better")
    if not negative:
        _nonnegative(values)
        _zero_rows(values[chosen_outputs], "output")
        if chosen_inputs:
            _zero_rows(values[chosen_inputs], "input")
    if warn:
        _weak(values, len(chosen_outputs))
    return Data(values[chosen_outputs], values[chosen_inputs], tuple(notes))


def numbers(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The chosen columns as float64; NaN, infinity and text are refused by row and column."""
    frame = pd.DataFrame({name: _floats(table[name]) for name in columns}, index=table.index)
    bad = ~np.isfinite(frame.to_numpy())
    if bad.any():
        row, column = np.argwhere(bad)[0]
        value = frame.iloc[row, column]
        said = "missing" if np.isnan(value) else f"{value:g}"
        raise DataError(
            f"metric '{frame.columns[column]}' of '{frame.index[row]}' is {said}; "
            "give a finite number, or leave the row or the column out"
        )
    return frame


def _frame(table: pd.DataFrame) -> None:
    if not isinstance(table, pd.DataFrame):
        raise DataError(f"the table is a {type(table).__name__}; give a pandas DataFrame, classifiers in rows")
    if table.shape[0] == 0 or table.shape[1] == 0:
        raise DataError(f"the table is empty ({table.shape[0]} rows, {table.shape[1]} columns); give at least one row")
    if not table.index.is_unique:
        label = table.index[table.index.duplicated()][0]
        raise DataError(f"the label '{label}' stands on more than one row; give every classifier a name of its own")
    if not table.columns.is_unique:
        name = table.columns[table.columns.duplicated()][0]
        raise DataError(f"the column '{name}' appears more than once; give every metric a name of its own")


def _names(names: Sequence[str] | None, what: str) -> list[str]:
    if isinstance(names, str):
        raise DataError(f"{what} is the text '{names}'; give a list of column names, as ['{names}']")
    return list(names) if names is not None else []


def _directions(lower_is_better: Mapping[str, object] | Sequence[str]) -> tuple[dict[str, float], list[str]]:
    if isinstance(lower_is_better, str):
        raise DataError(f"lower_is_better is the text '{lower_is_better}'; give a list or a mapping of column names")
    if not isinstance(lower_is_better, Mapping):
        return {}, list(lower_is_better)
    complements, low_inputs = {}, []
    for name, how in lower_is_better.items():
        if how == "input":
            low_inputs.append(name)
        elif isinstance(how, Real) and np.isfinite(float(how)):
            complements[name] = float(how)
        else:
            raise DataError(f"lower_is_better['{name}'] is {how!r}; give 'input' or the metric's known maximum")
    return complements, low_inputs


def _columns(table: pd.DataFrame, outputs: list[str], inputs: list[str], complements: Mapping[str, float]) -> None:
    for name in [*outputs, *inputs, *complements]:
        if name not in table.columns:
            raise DataError(f"there is no column '{name}' in the table; {did_you_mean(name, list(table.columns))}")
    for names, what in ((outputs, "outputs"), (inputs, "inputs")):
        for name in names:
            if names.count(name) > 1:
                raise DataError(f"metric '{name}' is given twice among the {what}; name it once")
    for name in outputs:
        if name in inputs:
            raise DataError(f"metric '{name}' is declared both input and output; choose one")
    for name in complements:
        if name not in outputs:
            raise DataError(f"metric '{name}' is to be complemented but is not an output; add it to the outputs")
    if not outputs:
        raise DataError("no outputs: the table has no numeric column left; name at least one metric as output")


def _numeric(column: pd.Series) -> bool:
    """Whether a column holds metrics: numbers throughout, or numbers with a bad cell, but not plain text."""
    if pd.api.types.is_bool_dtype(column):
        return False
    if pd.api.types.is_numeric_dtype(column):
        return True
    return bool(pd.to_numeric(column, errors="coerce").notna().any())


def _floats(column: pd.Series) -> np.ndarray:
    numeric = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if not pd.api.types.is_numeric_dtype(column):
        for label, cell, number in zip(column.index, column, numeric, strict=True):
            if np.isnan(number) and isinstance(cell, str) and cell.strip().lower() not in ("", "nan"):
                raise DataError(f"metric '{column.name}' of '{label}' is the text '{cell}'; DEA needs a number")
    return numeric


def _complement(values: pd.Series, name: str, maximum: float) -> pd.Series:
    if (values > maximum).any():
        label = values.index[values.to_numpy() > maximum][0]
        raise DataError(
            f"metric '{name}' of '{label}' is {values[label]:g}, above its stated maximum {maximum:g}; "
            "state the true maximum in lower_is_better"
        )
    return maximum - values


def _nonnegative(values: pd.DataFrame) -> None:
    negative = values.to_numpy() < 0
    if negative.any():
        row, column = np.argwhere(negative)[0]
        raise DataError(
            f"metric '{values.columns[column]}' of '{values.index[row]}' is {values.iloc[row, column]:g}; "
            "DEA needs values >= 0"
        )


def _zero_rows(values: pd.DataFrame, what: str) -> None:
    zero = ~values.to_numpy().any(axis=1)
    if zero.any():
        label = values.index[np.argmax(zero)]
        raise DataError(f"every {what} of '{label}' is 0; its efficiency is undefined, leave the row out")


def _weak(values: pd.DataFrame, outputs: int) -> None:
    """Warn of what weakens the answer, each time with what it does to it; the first columns are the outputs."""
    n, k = values.shape
    matrix = values.to_numpy()
    constant = matrix.min(axis=0) == matrix.max(axis=0)
    if n > 1:
        for name in values.columns[constant]:
            _warn(f"metric '{name}' is {values[name].iloc[0]:g} in every row: with variable returns a constant "
                  "output makes every DMU at least weakly efficient, and a constant input stands for the scale itself")
    first, again = _duplicate_rows(values)
    if again:
        _warn(f"'{again[0]}' has the same metrics as '{first}'"
              + (f" ({len(again)} duplicate rows in all)" if len(again) > 1 else "")
              + ": they score alike, and one of them stands for both among the peers")
    if 1 < n < 3 * k:
        _warn(f"{n} DMUs for {k} metrics, fewer than 3 per metric: with so much freedom of weights "
              "most DMUs look efficient")
    if n > 2:
        alike = [values.loc[:, ~constant & (np.arange(k) < outputs)], values.loc[:, ~constant & (np.arange(k) >= outputs)]]
        for a, b, r in [pair for side in alike for pair in _correlated(side)]:
            _warn(f"metrics '{a}' and '{b}' are correlated at {r:.3f}: they say nearly the same, and each extra metric "
                  "can only raise efficiencies")


def _duplicate_rows(values: pd.DataFrame) -> tuple[object, list[object]]:
    again = np.flatnonzero(values.duplicated().to_numpy())
    if not len(again):
        return None, []
    matrix = values.to_numpy()
    first = np.flatnonzero((matrix == matrix[again[0]]).all(axis=1))[0]
    return values.index[first], [values.index[i] for i in again]


def _correlated(values: pd.DataFrame) -> list[tuple[str, str, float]]:
    if values.shape[1] < 2:
        return []
    r = np.corrcoef(values.to_numpy(), rowvar=False)
    pairs = np.argwhere(np.triu(r > CORRELATED, k=1))
    return [(values.columns[i], values.columns[j], float(r[i, j])) for i, j in pairs]


def _warn(text: str) -> None:
    warnings.warn(text, DataWarning, stacklevel=5)
