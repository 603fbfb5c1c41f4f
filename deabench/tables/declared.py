"""What the user declares of a table's columns, and what their names say where he declares nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import parse_numbers
from deabench.tables.columns import Column, check_range, infer_column
from deabench.tables.proposal import propose_roles
from deabench.tables.roles import quote_names
from deabench.tables.vocabulary import look_up_metric

NONE_LEFT = "no outputs: the table has no numeric column left; name at least one metric as output"


@dataclass(frozen=True)
class ColumnRoles:
    """Which columns are what.

    Attributes
    ----------
    outputs, inputs : tuples of column names
    complements : mapping of output to its known maximum
        Metrics that are better low and of a known range.
    low_inputs : tuple of column names
        Inputs that came from `lower_is_better`.
    notes : tuple of str
        What was guessed or left out.
    refusal : str
        What to say where there is no output.
    """

    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    complements: Mapping[str, float]
    low_inputs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    refusal: str = NONE_LEFT


def declare_columns(
    table: pd.DataFrame,
    outputs: Sequence[str] | None,
    inputs: Sequence[str] | None,
    lower_is_better: Mapping[str, object] | Sequence[str],
) -> ColumnRoles:
    """What is declared, completed by what the names of the other columns say."""
    complements, low_inputs, hints = _directions(lower_is_better, table)
    if outputs is not None and hints:
        outputs = [
            *names(outputs, "outputs"),
            *(name for name in complements if name not in outputs),
        ]
    chosen = names(inputs, "inputs") + [name for name in low_inputs if name not in (inputs or ())]
    if outputs is not None:
        return ColumnRoles(
            tuple(names(outputs, "outputs")),
            tuple(chosen),
            complements,
            tuple(low_inputs),
            (*hints, *_against(names(outputs, "outputs"), complements)),
        )
    columns, notes = columns_of(table, taken=[*chosen, *complements])
    low = {c.name: c.high for c in columns if c.role == "lower_rate" and c.bounded}
    costs = (
        []
        if chosen
        else [
            c.name
            for c in columns
            if c.role == "cost" or (c.role == "lower_rate" and not c.bounded)
        ]
    )
    high = (
        [c.name for c in columns if c.role in ("output", "guess")] + list(low) + list(complements)
    )
    order = [name for name in table.columns if name in high] + [
        name for name in complements if name not in table.columns
    ]
    return ColumnRoles(
        tuple(order),
        (*chosen, *costs),
        {**complements, **low},
        tuple(low_inputs),
        (*hints, *notes, *_about(columns, costs, low, chosen)),
        _refusal(columns),
    )


def columns_of(table: pd.DataFrame, taken: Sequence[str] = ()) -> tuple[list[Column], list[str]]:
    """What the columns of a table of systems are by name and value; those that are `taken` are
    declared already.
    """
    said = {
        str(name): (role, "its table says so")
        for name, role in dict(table.attrs.get("roles", {})).items()
    }
    columns, values = [], {}
    for name in table.columns:
        if name in taken:
            continue
        cells = table[name]
        found = None if isinstance(cells, pd.DataFrame) else parse_numbers(cells)
        column = infer_column(str(name), found, said)
        if found is not None:
            values[name] = found.values
            finite = found.values[np.isfinite(found.values)]
            column = (
                check_range(column, finite, found.unit) if len(finite) and column.metric else column
            )
        columns.append(column)
    table_of = pd.DataFrame({str(name): v for name, v in values.items()}, index=table.index)
    return propose_roles(columns, table_of, chosen=True)


def _about(
    columns: Sequence[Column], costs: Sequence[str], low: Mapping[str, float], chosen: Sequence[str]
) -> list[str]:
    """What was taken for what without being asked; a metric that is high, as its name says, needs
    no word.
    """
    notes = []
    if costs:
        notes.append(f"inputs, for lower is better: {quote_names(costs)}")
    out = [c for c in columns if c.role == "left_out" and "text" not in c.reason]
    if chosen:
        out += [
            c for c in columns if c.role == "cost" or (c.role == "lower_rate" and c.name not in low)
        ]
    notes += [
        f"'{c.name}' is left out: {c.reason if c.role == 'left_out' else 'other inputs are named'}"
        for c in out[:8]
    ]
    return notes


def _against(outputs: Sequence[str], complements: Mapping[str, float]) -> tuple[str, ...]:
    """What the user says against what a name says: he is right, and it is said."""
    low = [
        name
        for name in outputs
        if name not in complements
        and (known := look_up_metric(name)) is not None
        and known.better == "lower"
    ]
    return (
        (
            f"taken as better high, as outputs says, although the name says lower is better: {quote_names(low)}; "
            "name it in lower_is_better where it is",
        )
        if low
        else ()
    )


def _refusal(columns: Sequence[Column]) -> str:
    """Why there is no output, and what to say to have one."""
    asked = [c.name for c in columns if c.role in ("unknown", "conditional")]
    if asked:
        return f"no column is known to be better high; say which of {quote_names(asked)} are, as outputs=['{asked[0]}']"
    if any(c.metric for c in columns):
        low = [c.name for c in columns if c.metric]
        return f"no column is better high, only low: {quote_names(low)}; name a metric to be high in outputs"
    return NONE_LEFT


def names(given: Sequence[str] | None, what: str) -> list[str]:
    """A list of column names; a text alone is refused."""
    if isinstance(given, str):
        raise DataError(
            f"{what} is the text '{given}'; give a list of column names, as ['{given}']"
        )
    return list(given) if given is not None else []


def _directions(
    lower_is_better: Mapping[str, object] | Sequence[str], table: pd.DataFrame
) -> tuple[dict[str, float], list[str], tuple[str, ...]]:
    """Complements with their greatest values, inputs, and a word to those whom a bare name served
    otherwise before.
    """
    if isinstance(lower_is_better, str):
        raise DataError(
            f"lower_is_better is the text '{lower_is_better}'; give a list or a mapping of column names"
        )
    if not isinstance(lower_is_better, Mapping):
        return _by_name(list(lower_is_better), table)
    complements, low_inputs = {}, []
    for name, how in lower_is_better.items():
        if how == "input":
            low_inputs.append(name)
        elif isinstance(how, Real) and not isinstance(how, bool) and np.isfinite(float(how)):
            complements[name] = float(how)
        else:
            raise DataError(
                f"lower_is_better['{name}'] is {how!r}; give 'input' or the metric's known maximum"
            )
    return complements, low_inputs, ()


def _by_name(
    low: Sequence[str], table: pd.DataFrame
) -> tuple[dict[str, float], list[str], tuple[str, ...]]:
    """Bare names: a rate, whose greatest value is known, is complemented to it; all else is an
    input.
    """
    complements: dict[str, float] = {}
    for name in low:
        found = (
            parse_numbers(table[name])
            if name in table and not isinstance(table[name], pd.DataFrame)
            else None
        )
        column = infer_column(name, found, {name: ("lower_rate", "you say so")})
        if found is not None and column.role == "lower_rate" and column.bounded:
            complements[name] = column.high
    hints = tuple(
        f"'{name}' is a rate, so lower is better makes it its complement to {high:g}; for an input, as before this "
        f"release, say lower_is_better={{'{name}': 'input'}}"
        for name, high in complements.items()
    )
    return complements, [name for name in low if name not in complements], hints
