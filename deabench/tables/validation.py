"""The one gate for data: every table passes here before any solver runs, and is refused by row,
column and value.

A table is a DataFrame with one row per classifier (the index holds the labels) and one column per
metric. What nobody has declared is read by the columns' names (`deabench.tables.vocabulary`), and
that is said."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import MISSING, parse_numbers
from deabench.tables.declared import ColumnRoles, declare_columns
from deabench.tables.diagnostics import warn_weak_data
from deabench.tables.transforms import AffineTransform, Data
from deabench.tables.vocabulary import look_up_metric
from deabench.utils.checks import did_you_mean

Allowed = Literal["zero inputs", "zero outputs", "negative inputs", "negative outputs"]
MISSING_WAYS = "missing='drop-systems', 'drop-metrics' or 'bounds'"
"""What to say where cells are empty: the option of the library and of the command line."""
SHOWN = 3
"""So many bad cells are named, the others counted."""


def validate(
    table: pd.DataFrame,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    warn: bool = True,
    allow: Collection[Allowed] = (),
    among: pd.DataFrame | None = None,
) -> Data:
    """Refuse what DEA cannot use, warn of what weakens it, and put every metric where it belongs.

    Parameters
    ----------
    table : DataFrame, n x columns
        Classifiers in rows, metrics in columns; unique labels.
    outputs, inputs : sequences of column names, optional
        Without `outputs` the columns' names decide; where none is known, every numeric column that
        is not an input.
    lower_is_better : mapping or sequence of column names
        Metrics to be low. `{"logloss": "input"}` makes the metric an input; `{"error": 1.0}`
        replaces it inside by its complement to that known maximum, `1.0 - error`, an output. Of a
        bare sequence, rates whose greatest value the vocabulary knows are complemented, and all
        else are inputs.
    warn : bool
        Whether weak data are warned of (a reference set is checked without, once is enough).
    allow : collection of words
        What the model that asks can do with: "zero inputs", "zero outputs" (a row of zeros),
        "negative inputs", "negative outputs" (they are then counted from their least value, which
        changes nothing for such a model).
    among : DataFrame, optional
        The other table (tested or reference), whose values count too where an origin is chosen.

    Raises
    ------
    DataError
        With the row, the column and the value.
    """
    check_shape(table)
    said = declare_columns(table, outputs, inputs, lower_is_better)
    _columns(table, said)
    values = require_numbers(
        table, [*said.outputs, *said.inputs], way=f"say what to do with {MISSING_WAYS}"
    )
    beside = None if among is None else among.reindex(columns=values.columns)
    transforms, notes, turned = _turns(values, beside, said, allow)
    for name, turn in transforms.items():
        values[name] = turn.apply(values[name])
    chosen_outputs = [name for name in said.outputs if name not in turned]
    chosen_inputs = [*said.inputs, *turned]
    if not chosen_outputs:
        raise DataError(
            f"no output is left: '{turned[0]}' is a loss with its sign turned, which is an input; "
            "name a metric to be high"
        )
    _nonnegative(values)
    if turned:
        values = values[[*chosen_outputs, *chosen_inputs]]
    s = len(chosen_outputs)
    high, low = values.iloc[:, :s], values.iloc[:, s:]
    if "zero outputs" not in allow:
        _zero_rows(high, "output")
    if chosen_inputs and "zero inputs" not in allow:
        _zero_rows(low, "input")
    if warn:
        warn_weak_data(values, s)
    return Data(high, low, (*said.notes, *notes), transforms)


def require_numbers(
    table: pd.DataFrame, columns: Sequence[str], *, way: str = "leave the row or the column out"
) -> pd.DataFrame:
    """The chosen columns as float64; NaN, infinity and text are refused by row and column, all at
    once, with the way out.
    """
    values = np.empty((len(table), len(columns)))
    for place, name in enumerate(columns):
        values[:, place] = _floats(table[name])
    frame = pd.DataFrame(
        values, index=table.index, columns=pd.Index(columns, dtype=table.columns.dtype)
    )
    if not np.isfinite(values).all():
        bad = np.argwhere(~np.isfinite(values))
        cells = [
            f"metric '{frame.columns[c]}' of '{frame.index[r]}' is {_said(frame.iloc[r, c])}"
            for r, c in bad[:SHOWN]
        ]
        more = f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
        raise DataError(
            f"{', '.join(cells)}{more}; give {'a finite number' if len(bad) == 1 else 'finite numbers'}, or {way}"
        )
    return frame


def _said(value: float) -> str:
    return "missing" if np.isnan(value) else f"{value:g}"


def check_shape(table: pd.DataFrame) -> None:
    """Refuse what is no table: without rows or columns, or with a name or a label twice."""
    if not isinstance(table, pd.DataFrame):
        raise DataError(
            f"the table is a {type(table).__name__}; give a pandas DataFrame, classifiers in rows"
        )
    if table.shape[0] == 0 or table.shape[1] == 0:
        raise DataError(
            f"the table is empty ({table.shape[0]} rows, {table.shape[1]} columns); give at least one row"
        )
    if not table.index.is_unique:
        label = table.index[table.index.duplicated()][0]
        raise DataError(
            f"the label '{label}' stands on more than one row; give every classifier a name of its own"
        )
    if not table.columns.is_unique:
        name = table.columns[table.columns.duplicated()][0]
        raise DataError(
            f"the column '{name}' appears more than once; give every metric a name of its own"
        )


def _columns(table: pd.DataFrame, said: ColumnRoles) -> None:
    for name in [*said.outputs, *said.inputs, *said.complements]:
        if name not in table.columns:
            raise DataError(
                f"there is no column '{name}' in the table; {did_you_mean(name, list(table.columns))}"
            )
    for names, what in ((said.outputs, "outputs"), (said.inputs, "inputs")):
        for name in names:
            if list(names).count(name) > 1:
                raise DataError(f"metric '{name}' is given twice among the {what}; name it once")
    for name in said.outputs:
        if name in said.inputs:
            raise DataError(f"metric '{name}' is declared both input and output; choose one")
    for name in said.complements:
        if name not in said.outputs:
            raise DataError(
                f"metric '{name}' is to be complemented but is not an output; add it to the outputs"
            )
    if not said.outputs:
        raise DataError(said.refusal)


def _floats(column: pd.Series) -> np.ndarray:
    found = parse_numbers(column)
    if found is None or found.failed.any():
        for k, (label, cell) in enumerate(zip(column.index, column, strict=True)):
            if isinstance(cell, str) and (
                found.failed[k] if found is not None else cell.strip().lower() not in MISSING
            ):
                raise DataError(
                    f"metric '{column.name}' of '{label}' is the text '{cell}'; DEA needs a number"
                )
    if found is None:
        return np.asarray(
            pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        )
    return found.values


def _turns(
    values: pd.DataFrame, beside: pd.DataFrame | None, said: ColumnRoles, allow: Collection[Allowed]
) -> tuple[dict[str, AffineTransform], list[str], list[str]]:
    """How each metric is turned, the sentences about it, and the outputs that become inputs by it."""
    transforms, turned = {}, []
    notes = [f"'{name}' is an input: lower is better" for name in said.low_inputs]
    for name, maximum in said.complements.items():
        _below(values[name], name, maximum)
        transforms[name] = AffineTransform(-1.0, maximum)
        notes.append(f"'{name}' stands for its complement {maximum:g} - {name}: lower is better")
    for name, least in zip(values.columns, values.to_numpy().min(axis=0).tolist(), strict=True):
        low = (
            least
            if beside is None
            else float(np.fmin(least, pd.to_numeric(beside[name], errors="coerce").min()))
        )
        if name in transforms or low >= 0:
            continue
        known, output = look_up_metric(name), name in said.outputs
        if output and known is not None and known.negated and (values[name] <= 0).all():
            bounded = np.isfinite(known.low) and low >= 100 * known.low
            if bounded:
                transforms[name] = AffineTransform(
                    1.0, -known.low * (1.0 if low >= known.low else 100.0)
                )
            else:
                transforms[name] = AffineTransform(-1.0, 0.0)
                turned.append(name)
            notes.append(
                f"'{name}' is a loss with its sign turned; inside it is {'complemented' if bounded else 'an input'}"
            )
        elif (
            output
            and known is not None
            and known.low < 0
            and np.isfinite(known.low)
            and low >= known.low
        ):
            transforms[name] = AffineTransform(1.0, -known.low)
            notes.append(
                f"'{name}' is counted from {known.low:g}, its least possible value, for it is negative in some rows"
            )
        elif ("negative outputs" if output else "negative inputs") in allow and not (
            known is not None and known.low >= 0
        ):
            transforms[name] = AffineTransform(1.0, -low)
            notes.append(
                f"'{name}' is counted from {low:g}, the least value there, for it is negative in some rows; "
                "this model does not depend on the origin"
            )
    return transforms, notes, turned


def _below(values: pd.Series, name: str, maximum: float) -> None:
    if (values > maximum).any():
        label = values.index[values.to_numpy() > maximum][0]
        raise DataError(
            f"metric '{name}' of '{label}' is {values[label]:g}, above its stated maximum {maximum:g}; "
            "state the true maximum in lower_is_better"
        )


def _nonnegative(values: pd.DataFrame) -> None:
    negative = np.argwhere(values.to_numpy() < 0)
    if len(negative):
        cells = [
            f"metric '{values.columns[c]}' of '{values.index[r]}' is {values.iloc[r, c]:g}"
            for r, c in negative[:SHOWN]
        ]
        more = f" and {len(negative) - SHOWN} more" if len(negative) > SHOWN else ""
        raise DataError(f"{', '.join(cells)}{more}; DEA needs values >= 0")


def _zero_rows(values: pd.DataFrame, what: str) -> None:
    zero = ~values.to_numpy().any(axis=1)
    if zero.any():
        label = values.index[np.argmax(zero)]
        raise DataError(
            f"every {what} of '{label}' is 0; its efficiency is undefined, leave the row out"
        )


FAR = 2.0
"""The median of a rate in percent is above this, in a table that is not of rates up to 1."""


def check_same_units(tested: pd.DataFrame, reference: pd.DataFrame, metrics: Sequence[str]) -> None:
    """Refuse shares (.95) beside percent (95).

    Raises
    ------
    DataError
        Where a rate that is better high is up to 1 in one table and far above in the other. (An
        error rate of .9 % is none.)
    """
    for name in metrics:
        if name not in tested or name not in reference or not _rate(name):
            continue
        pair = (_values(tested[name]), _values(reference[name]))
        for k, (ours, theirs) in enumerate((("tested", "reference"), ("reference", "tested"))):
            small, large = pair[k], pair[1 - k]
            if (
                len(small)
                and len(large)
                and small.max() <= 1
                and (small > 0).any()
                and np.median(large) > FAR
            ):
                raise DataError(
                    f"metric '{name}' is up to {small.max():g} in the {ours} table and up to {large.max():g} in the "
                    f"{theirs} one; one is a share and the other percent, multiply the shares by 100"
                )


def _rate(name: str) -> bool:
    found = look_up_metric(name)
    return (
        found is not None and found.role == "output" and found.unit == "share" and found.high == 1.0
    )


def _values(column: pd.Series) -> np.ndarray:
    found = parse_numbers(column)
    return np.empty(0) if found is None else found.values[np.isfinite(found.values)]
