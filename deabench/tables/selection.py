"""From whatever a user hands over to a table and what its columns are: the step before the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import is_numeric_dtype, parse_numbers
from deabench.tables.declared import ColumnRoles, declare_columns
from deabench.tables.read import Table, read
from deabench.tables.roles import quote_names
from deabench.tables.validation import check_shape
from deabench.utils.checks import choice

Missing = Literal["refuse", "drop-systems", "drop-metrics", "bounds"]
MISSING: tuple[Missing, ...] = ("refuse", "drop-systems", "drop-metrics", "bounds")
Lower = Mapping[str, object] | Sequence[str]


@dataclass(frozen=True)
class SelectedTable:
    """A table and what its columns are.

    Attributes
    ----------
    table : DataFrame, systems x columns
    given : mapping
        `outputs`, `inputs` and `lower_is_better`, all explicit, for
        `deabench.tables.validation.validate`.
    notes : tuple of str
        What was read, guessed, dropped or left out.
    """

    table: pd.DataFrame
    given: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())


def select_table(
    source: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Lower = (),
    missing: Missing = "refuse",
    strict: bool = False,
) -> SelectedTable:
    """The table of a source and its declared or proposed metrics.

    Parameters
    ----------
    source : DataFrame, Reading, or anything that `deabench.read` takes
    outputs, inputs, lower_is_better
        As for `deabench.rank`.
    missing : {"refuse", "drop-systems", "drop-metrics", "bounds"}
        What happens to empty cells of the metrics in use; "bounds" leaves them in.
    strict : bool
        Refuse a guess: an output whose name is not known.
    """
    choice("missing", missing, MISSING)
    labelled = isinstance(source, pd.DataFrame) and _labelled(source)
    table, said, notes = _declared(source, labelled, outputs, inputs, lower_is_better)
    if strict and any(
        "no column has a name that is known" in note for note in (*notes, *said.notes)
    ):
        raise DataError(
            f"nobody knows what {quote_names(list(said.outputs))} measure, and strict refuses guesses; name them in "
            "outputs, inputs or lower_is_better (docs/tables.md says how columns are read)"
        )
    if not said.outputs:
        raise DataError(said.refusal)
    table, said, dropped = _complete(table, said, missing)
    if missing == "refuse" and not labelled:  # files often have empty cells
        _none_empty(table, said)
    return SelectedTable(table, _given(said), (*notes, *said.notes, *dropped))


def read_frame(source: object) -> pd.DataFrame:
    """The systems x columns of a source, whose metrics are declared elsewhere (a reference,
    points).
    """
    return (
        _frame(source)
        if isinstance(source, pd.DataFrame) and _labelled(source)
        else read(source).table
    )


def refuse_bounds(missing: Missing) -> Missing:
    """`missing` where bounds have no meaning.

    Raises
    ------
    DataError
    """
    if missing == "bounds":
        raise DataError(
            "missing='bounds' bounds the scores of deabench.rank; say missing='drop-systems' or 'drop-metrics'"
        )
    return missing


def read_grouping(source: object, name: str) -> pd.Series | None:
    """A column of a source that groups its systems, text or numbers; None where there is none of
    that name.
    """
    if (
        isinstance(source, pd.DataFrame)
        and name in source.columns
        and _labelled(source.drop(columns=name))
    ):
        return source[name]
    reading = read(source)
    for table in (reading.texts, reading.table):
        if table is not None and name in table:
            column: pd.Series = table[name]
            return column
    return None


def drop_column(ready: SelectedTable, name: str) -> SelectedTable:
    """The same without a column."""
    given = {
        key: {one: how for one, how in names.items() if one != name}
        if isinstance(names, Mapping)
        else [one for one in names if one != name]
        for key, names in ready.given.items()
    }
    return replace(ready, table=ready.table.drop(columns=name, errors="ignore"), given=given)


def align_columns(
    table: pd.DataFrame, ready: SelectedTable, missing: Missing
) -> tuple[pd.DataFrame, SelectedTable, tuple[str, ...]]:
    """Another table in the metrics of a prepared one, its systems or the metrics of both left out
    where a cell is empty.
    """
    low = ready.given["lower_is_better"]
    said = ColumnRoles(
        tuple(ready.given["outputs"]),
        (*ready.given["inputs"], *(name for name, how in low.items() if how == "input")),
        {name: how for name, how in low.items() if how != "input"},
        tuple(name for name, how in low.items() if how == "input"),
    )
    table, said, notes = _complete(table, said, missing)
    return (
        table,
        replace(ready, given=_given(said)),
        tuple(f"of the tested, {note}" for note in notes),
    )


def _given(said: ColumnRoles) -> Mapping[str, Any]:
    """What the gate is told."""
    return {
        "outputs": list(said.outputs),
        "inputs": [name for name in said.inputs if name not in said.low_inputs],
        "lower_is_better": {**said.complements, **dict.fromkeys(said.low_inputs, "input")},
    }


def _declared(
    source: object,
    labelled: bool,
    outputs: Sequence[str] | None,
    inputs: Sequence[str] | None,
    lower: Lower,
) -> tuple[pd.DataFrame, ColumnRoles, tuple[str, ...]]:
    if (
        isinstance(source, pd.DataFrame)
        and len(source)
        and isinstance(source.index[0], dict | list | set)
    ):
        source = source.set_axis(
            [str(label) for label in source.index]
        )  # set_index("params") of a search's results
    if isinstance(source, pd.DataFrame) and labelled:
        check_shape(source)
        frame = _frame(source)
        return frame, declare_columns(frame, _text(outputs), _text(inputs), lower), ()
    if isinstance(source, pd.DataFrame):
        check_shape(source)
    if isinstance(source, np.ndarray):
        raise DataError("the table is a ndarray; give a pandas DataFrame, classifiers in rows")
    reading = read(source)
    if outputs is None and inputs is None and not lower:
        return reading.table, _of_reading(reading), reading.notes
    return (
        reading.table,
        declare_columns(reading.table, _text(outputs), _text(inputs), lower),
        reading.notes,
    )


def _none_empty(table: pd.DataFrame, said: ColumnRoles) -> None:
    used = [name for name in (*said.outputs, *said.inputs) if name in table.columns]
    empty = table[used].isna()
    if empty.any(axis=None):
        cells = [
            f"'{metric}' of '{label}'"
            for label, metric in empty.stack().loc[lambda cell: cell].index
        ]
        shown = ", ".join(cells[:3]) + (f" and {len(cells) - 3} more" if len(cells) > 3 else "")
        are = "is" if len(cells) == 1 else "are"
        raise DataError(
            f"{shown} {are} missing; say missing='drop-systems' ({int(empty.any(axis=1).sum())} of {len(table)}), "
            f"'drop-metrics' ({quote_names(list(empty.columns[empty.any()]))}) or 'bounds' "
            "(docs/tables.md says what each does)"
        )


def _text(names: Sequence[str] | None) -> Sequence[str] | None:
    """Column names as text; a text alone stays one, for the gate to refuse."""
    return names if names is None or isinstance(names, str) else [str(name) for name in names]


def _of_reading(reading: Table) -> ColumnRoles:
    roles, inputs = reading.roles, reading.inputs
    said = [f"higher is better in {quote_names(roles.outputs)}"] if roles.outputs else []
    if reading.lower_is_better:
        said.append(
            f"lower is better in {quote_names(list(reading.lower_is_better))}, complemented inside"
        )
    if inputs:
        said.append(f"inputs, for lower is better: {quote_names(inputs)}")
    again = [
        f"'{name}' is left out: {reason}"
        for name, reason in roles.left_out.items()
        if reason.endswith("taken")
    ]
    said += again
    left = [
        name
        for name, reason in roles.left_out.items()
        if name in reading.table and not reason.endswith("taken")
    ]
    if left:
        said.append(f"left out: {quote_names(left)}")
    refusal = ColumnRoles((), (), {}).refusal
    if not reading.outputs:
        asked = roles.unknown
        refusal = (
            f"no column is known to be better high; say which of {quote_names(asked)} are, with outputs ('{asked[0]}')"
            if asked
            else f"no column is better high, only low: {quote_names(inputs)}; name a metric to be high in outputs"
            if inputs
            else refusal
        )
    return ColumnRoles(
        tuple(reading.outputs), tuple(inputs), reading.lower_is_better, (), tuple(said), refusal
    )


def _labelled(frame: pd.DataFrame) -> bool:
    """Whether a frame's rows are systems already: named by its index, or by nothing at all."""
    if not isinstance(frame.index, pd.RangeIndex) or not len(frame) or not len(frame.columns):
        return True
    return all(
        is_numeric_dtype(dtype) or parse_numbers(frame.iloc[:, k]) is not None
        for k, dtype in enumerate(frame.dtypes)
    )


def _frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with names of columns that are text: 0 is '0'."""
    names = [name if isinstance(name, str) else str(name) for name in frame.columns]
    if names == list(frame.columns):
        return frame
    plain = frame.set_axis(names, axis=1)
    plain.attrs = frame.attrs
    return plain


def _complete(
    table: pd.DataFrame, said: ColumnRoles, missing: Missing
) -> tuple[pd.DataFrame, ColumnRoles, tuple[str, ...]]:
    """What `missing` asks for: systems or metrics with empty cells left out, each said."""
    used = [name for name in (*said.outputs, *said.inputs) if name in table.columns]
    if missing in ("refuse", "bounds") or not used:
        return table, said, ()
    values = {name: parse_numbers(table[name]) for name in used}
    empty = pd.DataFrame(
        {
            name: np.ones(len(table), dtype=bool) if n is None else ~np.isfinite(n.values)
            for name, n in values.items()
        },
        index=table.index,
    )
    if missing == "drop-systems":
        rows = empty.any(axis=1)
        if rows.all():
            raise DataError(
                "every system lacks some metric, so missing='drop-systems' leaves none; say missing='drop-metrics'"
            )
        gone = [str(label) for label in table.index[rows]]
        return (
            table[~rows],
            said,
            (f"left out for a missing cell: {quote_names(gone)}",) if gone else (),
        )
    gone = [name for name in used if empty[name].any()]
    outputs = tuple(name for name in said.outputs if name not in gone)
    if gone and not outputs:
        raise DataError(
            "every output lacks some cell, so missing='drop-metrics' leaves none; say missing='drop-systems'"
        )
    kept = ColumnRoles(
        outputs,
        tuple(name for name in said.inputs if name not in gone),
        {name: high for name, high in said.complements.items() if name not in gone},
        tuple(name for name in said.low_inputs if name not in gone),
        said.notes,
        said.refusal,
    )
    return (
        table,
        kept,
        (f"metrics left out for missing cells: {quote_names(gone)}",) if gone else (),
    )
