"""Parse the cells of a source, and infer what each column is by itself."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import Numbers, is_numeric_dtype, parse_or_empty
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.recognition.assignment import assign_roles
from deabench.tables.recognition.bold_cells import take_bold_directions
from deabench.tables.recognition.columns import (
    Column,
    Declarations,
    DeclaredRole,
    check_range,
    infer_column,
)
from deabench.tables.recognition.impossible_values import mixes_share_and_percent
from deabench.tables.recognition.layout import Keys, find_keys
from deabench.tables.recognition.offers import take_offers_of_machines
from deabench.tables.recognition.ranks import agree_on_ranked_scores, infer_direction_from_rank
from deabench.tables.rows import NamedRows, Systems, merge_notes
from deabench.tables.table import LowerIsBetter, Table
from deabench.utils.checks import choice, did_you_mean

DECLARED_ROLES = ("output", "lower_rate", "cost", "label", "dataset", "left_out")


@dataclass(frozen=True)
class UserRoles:
    """What the user says about columns, beside `label` and `roles`."""

    lower_is_better: LowerIsBetter = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class ParsedSource:
    """A source with its cells parsed.

    Attributes
    ----------
    source : Source
    numbers : mapping of column to Numbers, or None for text and labels
    columns : list of Column
        What each column is by itself.
    keys : Keys
        What names the rows.
    """

    source: Source
    numbers: Mapping[str, Numbers | None]
    columns: list[Column]
    keys: Keys

    def values(self) -> pd.DataFrame:
        """Return the numeric columns, rows x columns."""
        columns = {name: n.values for name, n in self.numbers.items() if n is not None}
        return pd.DataFrame(columns, index=self.source.frame.index)

    def units(self) -> dict[str, str]:
        """Return the units that the cells state, by column."""
        return {name: n.unit for name, n in self.numbers.items() if n is not None}


def check_declared(
    frame: pd.DataFrame, label: str | Sequence[str] | None, roles: Mapping[str, DeclaredRole]
) -> tuple[str, ...]:
    """Check every name and role that the user declares, and return the declared label."""
    labels = [label] if isinstance(label, str) else list(label or ())
    labels += [name for name, role in roles.items() if role == "label" and name not in labels]
    for name in [*labels, *roles]:
        if name not in frame.columns:
            raise DataError(
                f"there is no column '{name}' in the table; "
                f"{did_you_mean(name, list(frame.columns))}"
            )
    for name, role in roles.items():
        choice(f"the role of '{name}'", role, DECLARED_ROLES)
    return tuple(labels)


def parse_source(
    source: Source,
    declarations: Declarations,
    label: tuple[str, ...],
    dataset: str | None,
    texts: Sequence[str] = (),
) -> ParsedSource:
    """Parse the columns of a source and infer what each is by itself.

    Parameters
    ----------
    texts : sequence of column names
        Columns besides the label that are not parsed.
    """
    frame = source.frame
    numbers: dict[str, Numbers | None] = dict.fromkeys(map(str, frame.columns))
    for name in numbers:
        if name not in label and name not in texts:
            column = _read_outcomes(frame[name])
            numbers[name] = parse_or_empty(column, decimal_comma=source.decimal_comma)
    # The keys depend on what the columns are; the cells of a label are then names, no numbers.
    columns = [infer_column(name, numbers[name], declarations, [*numbers]) for name in numbers]
    columns = [
        column.with_role("left_out", "its signs say that it is a difference", "difference")
        if column.role == "unknown" and _states_changes(frame[column.name])
        else column
        for column in columns
    ]
    keys = find_keys(frame, columns, label, dataset)
    columns = take_offers_of_machines(columns, keys)
    columns = take_bold_directions(columns, frame, numbers, source.texts)
    for name in keys.label:
        numbers[name] = None
    return ParsedSource(source, numbers, columns, keys)


def _states_changes(column: pd.Series) -> bool:
    """Return whether all filled cells are percent with a sign, as "+24%" and "-7%"."""
    if is_numeric_dtype(column.dtype):
        return False
    cells = column.dropna().astype(str).str.strip(" *`")
    filled = cells[cells.str.contains(r"\d")]
    has_plus = bool(filled.str.startswith("+").any())
    return has_plus and bool(filled.str.fullmatch(r"[+−–-]\s*\d[\d.,]*\s*%").all())


def _read_outcomes(column: pd.Series) -> pd.Series:
    """Return a column of outcomes, "resolved" or "passed", as 1 and 0; any other as it is."""
    meaning = look_up_metric(column.name)
    if meaning is None or meaning.unit != "share" or is_numeric_dtype(column.dtype):
        return column
    cells = column.dropna().astype(str).str.strip().str.lower()
    if not len(cells) or not set(cells.unique()) <= {"true", "false"}:
        return column
    return cells.eq("true").astype(float).reindex(column.index)


def cell_notes(parsed: ParsedSource) -> list[tuple[str, str]]:
    """Say how cells were read, and how many are no numbers."""
    numeric = [(name, numbers) for name, numbers in parsed.numbers.items() if numbers is not None]
    notes = [(name, numbers.note) for name, numbers in numeric if numbers.note]
    for name, numbers in numeric:
        failed = np.flatnonzero(numbers.failed)
        if not len(failed):
            continue
        example = f"'{parsed.source.frame[name].iloc[failed[0]]}'"
        text = f"{example} is no number and counts as missing"
        if len(failed) > 1:
            text = f"{len(failed)} cells, as {example}, are no numbers and count as missing"
        notes.append((name, text))
    return notes


def failed_cells(parsed: ParsedSource, rows: NamedRows) -> dict[str, dict[Hashable, str]]:
    """Return what the cells hold that are no numbers in a column of numbers, by column and row."""
    failures: dict[str, dict[Hashable, str]] = {}
    for name, numbers in parsed.numbers.items():
        if numbers is None or not numbers.failed.any():
            continue
        cells = parsed.source.frame[name][numbers.failed & rows.stays]
        labels = rows.index[numbers.failed[rows.stays]]
        failures[name] = dict(zip(labels, map(str, cells), strict=True))
    return failures


def infer_columns(
    columns: Sequence[Column], frame: pd.DataFrame, keys: Keys, units: Mapping[str, str]
) -> list[Column]:
    """Check the columns against the values of the systems, which may be means of rows."""
    # The first rank column of the table tells the direction of bare scores.
    ranks = next((frame[c.name] for c in columns if c.kind == "rank" and c.name in frame), None)
    inferred = []
    for column in columns:
        if column.name in keys.label or column.name == keys.dataset:
            continue
        if column.name not in frame:
            # A further column that could name systems or data sets is text like any other.
            if column.role in ("label", "dataset"):
                column = replace(column, role="text")
            inferred.append(column)
            continue
        values = frame[column.name]
        finite = values.to_numpy()[np.isfinite(values.to_numpy())]
        if len(finite) and column.metric:
            column = check_range(column, finite, units.get(column.name, ""))
        inferred.append(infer_direction_from_rank(column, values, ranks))
    if ranks is None:
        return inferred
    return agree_on_ranked_scores(inferred, frame, ranks)


def open_table(parsed: ParsedSource, systems: Systems, keys: Keys, notes: Sequence[str]) -> Table:
    """Infer the columns again on the values of the systems, which may be means."""
    return Table(
        systems.frame,
        (),
        label=keys.label,
        dataset=keys.dataset if systems.per_dataset is not None else None,
        per_dataset=systems.per_dataset,
        title=parsed.source.title,
        prose=parsed.source.prose,
        heading=parsed.source.sheet,
        introduction=parsed.source.introduction,
        reading_notes=tuple(notes),
        inferred=tuple(infer_columns(parsed.columns, systems.frame, keys, parsed.units())),
    )


def assign_and_note(table: Table, parsed: ParsedSource, systems: Systems, user: UserRoles) -> Table:
    """Give the columns their roles, which depend on all columns and on the user, and add notes."""
    opened = table
    table = assign_roles(opened, user.lower_is_better, parsed.units(), user.ignore)
    metrics = [column.name for column in table.metrics]
    mixed = [
        f"'{column.name}' holds values up to 1 beside values above 10: "
        "are some shares and some percent?"
        for column in table.columns
        if column.name in table.frame
        and mixes_share_and_percent(column, table.frame[column.name].to_numpy())
    ]
    declared_notes = table.reading_notes[len(opened.reading_notes) :]
    return replace(
        table,
        missing={name: count for name, count in systems.missing.items() if name in metrics},
        reading_notes=(
            *opened.reading_notes,
            *merge_notes(systems.notes, metrics),
            *declared_notes,
            *mixed,
        ),
    )
