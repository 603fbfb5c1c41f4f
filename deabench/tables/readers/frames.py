"""Read frames of any library, dictionaries and lists of records."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from deabench.errors import DataError
from deabench.tables.naming.joined_names import are_shares, split_cells, split_name
from deabench.tables.naming.vocabulary import is_benchmark
from deabench.tables.readers.objects import (
    MIN_INSTANCES,
    find_nested_table,
    flatten_record,
    is_grouped,
    name_cells,
    split_flat_names,
)
from deabench.tables.recognition.columns import Declaration, Declarations
from deabench.tables.recognition.layout import is_system_name
from deabench.utils.frames import to_pandas
from deabench.utils.text import quote_names

LEAST_KNOWN_SYSTEMS = 2
"""So many names of known systems tell which of two levels of names holds the systems."""
TEXT = pd.Index(["name"]).dtype
"""What pandas makes of a list of names."""


@dataclass(frozen=True)
class Source:
    """A table of raw cells before its columns are interpreted.

    Attributes
    ----------
    frame : DataFrame
        One column per column of the source, with its own name as text; the index has no meaning.
    title : str
        The name of the file without its suffix, or what the object is. It may be the only hint at
        what the cells measure.
    label : tuple of column names
        What names the systems, where the source declares it (a frame's index).
    declarations : mapping of column to (role, reason)
        What the source itself declares, as an Optuna study its directions.
    decimal_comma : bool
        Whether commas are the decimal signs of this file.
    notes : tuple of str
    stacked : bool
        Whether the rows are the results of one run of many: files of such rows are concatenated,
        not joined.
    errors : mapping of metric to the names of its error columns
        Where the format states them.
    kind : str
        What the rows are ("predictions", "long", ...), where the producer of the file is known.
    prose : str
        The text around a table in a document, which may say which way is better.
    sheet : str
        The name of the sheet or of the table within the file.
    introduction : str
        The paragraphs above the table in its section of the document, a line each.
    read_text : callable, optional
        Reads the frame with every cell as text, where `frame` has columns of plain numbers.
    """

    frame: pd.DataFrame
    title: str = ""
    label: tuple[str, ...] = ()
    declarations: Declarations = field(default_factory=dict)
    decimal_comma: bool = False
    notes: tuple[str, ...] = ()
    stacked: bool = False
    errors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kind: str = ""
    prose: str = ""
    sheet: str = ""
    introduction: str = ""
    read_text: Callable[[], pd.DataFrame] | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The file's name, the heading, the introduction and the text around the table."""
        return (self.title, self.sheet, self.introduction, self.prose)

    def as_text(self) -> Source:
        """Return the source with every cell as text: as labels "0.50" and "0.5" differ."""
        if self.read_text is None:
            return self
        return replace(self, frame=self.read_text(), read_text=None)


def split_columns(source: Source) -> Source:
    """Return a source with a column for each number where headings and cells join several.

    The heading "AP / FPS" above "40.3 / 14" is two columns.
    """
    names = {
        str(name): parts
        for name, column in source.frame.items()
        if name not in source.label and len(parts := split_name(str(name), column)) > 1
    }
    columns = {}
    notes = []
    for name, parts in names.items():
        cells, single_numbers = split_cells(source.frame[name], len(parts))
        is_new = not {*parts} & {*source.frame.columns}
        if cells and is_new and not are_shares(name, cells):
            columns[name] = parts
            note = f"the numbers in a cell of '{name}' are columns: {quote_names(parts)}"
            if single_numbers:
                note += f"; left out: {quote_names(single_numbers, 3)}"
            notes.append(note)
    new_names = [part for parts in columns.values() for part in parts]
    if not columns or len({*new_names}) < len(new_names):
        return source

    def split(frame: pd.DataFrame) -> pd.DataFrame:
        for name, parts in columns.items():
            position = frame.columns.get_loc(name)
            cells = split_cells(frame[name], len(parts))[0]
            frame = frame.drop(columns=name)
            for k, part in enumerate(parts):
                frame.insert(position + k, part, pd.Series([row[k] for row in cells], frame.index))
        return frame

    read_text = source.read_text
    return replace(
        source,
        frame=split(source.frame),
        notes=(*source.notes, *notes),
        read_text=None if read_text is None else lambda: split(read_text()),
    )


def read_frame(frame: pd.DataFrame) -> Source:
    """Read a pandas DataFrame; an index other than the default one names the systems."""
    check_unique_names([str(name) for name in frame.columns])
    return read_simple_frame(simplify_cells(frame))


def read_simple_frame(frame: pd.DataFrame) -> Source:
    """Read a frame of `simplify_cells`."""
    metric = str(frame.attrs.get("metric", ""))
    roles = declared_roles(frame)
    label: tuple[str, ...] = ()
    # An index of a single level names the systems.
    levels = name_levels(frame.index, list(frame.columns))
    if levels:
        names_of_rows = {level: frame.index.get_level_values(k) for k, level in enumerate(levels)}
        frame = frame.reset_index(drop=True).set_flags(allows_duplicate_labels=True)
        frame.attrs = {}  # read above
        for k, (level, values) in enumerate(names_of_rows.items()):
            if is_numeric_dtype(values.dtype):
                cells = pd.Series(values)
            else:
                # pandas would encode names as it infers a type of text, and a lone surrogate has
                # no code.
                cells = pd.Series(values.to_numpy(dtype=object), dtype=object)
            frame.insert(k, level, cells, allow_duplicates=True)
        label = (levels[0],) if len(levels) == 1 else ()
    return Source(frame, metric, label, roles)


def simplify_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose names are text and whose cells are numbers, truths, texts or dates.

    Lists and mappings become text, fractions floats, and numbers beyond the range of floats
    infinite. Complex numbers are real ones where their imaginary part is 0, and text elsewhere.
    """
    names = [str(name) for name in frame.columns]
    if _are_plain_names(frame.columns, names):
        frame = frame.copy(deep=False)
    else:
        frame = frame.set_axis(names, axis=1)
    for k, dtype in enumerate(frame.dtypes):
        # pandas tells columns of text alone apart without a look at each cell.
        is_object = pd.api.types.is_object_dtype(dtype) or pd.api.types.is_complex_dtype(dtype)
        if is_object and pd.api.types.infer_dtype(frame.iloc[:, k]) != "string":
            cells = [_simplify_cell(cell) for cell in frame.iloc[:, k]]
            frame.isetitem(k, pd.Series(cells, frame.index, dtype=object))
    return frame


def _are_plain_names(columns: pd.Index, names: Sequence[str]) -> bool:
    """Return whether columns are what pandas makes of a list of names."""
    return columns.name is None and columns.dtype == TEXT and list(columns) == names


def _simplify_cell(cell: Any) -> Any:
    if isinstance(cell, list | tuple | dict | set):
        return str(cell)
    if isinstance(cell, Fraction):
        # Beyond the range of floats the whole part is enough.
        is_huge = abs(int(cell)) > sys.float_info.max
        cell = int(cell) if is_huge else float(cell)
    if isinstance(cell, int) and abs(cell) > sys.float_info.max:
        return math.inf if cell > 0 else -math.inf
    if isinstance(cell, complex):
        return str(cell) if cell.imag else cell.real
    return cell


def declared_roles(frame: pd.DataFrame) -> dict[str, Declaration]:
    """Return the roles in `frame.attrs`, where deabench states them for its own tables."""
    roles = dict(frame.attrs.get("roles", {}))
    return {str(name): (role, "declared by its table") for name, role in roles.items()}


def check_unique_names(names: Sequence[str]) -> None:
    """Refuse a column name that occurs twice."""
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if duplicates:
        raise DataError(
            f"the column '{duplicates[0]}' appears more than once; "
            "give every metric a name of its own"
        )


def name_levels(index: pd.Index, columns: Sequence[str]) -> list[str]:
    """Name the levels of an index that becomes columns; none of the default one."""
    levels: list[str] = []
    # The default index numbers the rows.
    if isinstance(index, pd.RangeIndex):
        return levels
    for k, name in enumerate(index.names):
        level = str(name)
        if name is None:
            level = f"index {k}" if index.nlevels > 1 else "index"
        if level in columns:
            level += " (index)"
        levels.append(level)
    return levels


def read_mapping(data: Mapping[Any, Any]) -> Source:
    """Read columns {"acc": [...]} or systems {"k-NN": {"acc": .9}, ...}."""
    if not data:
        raise DataError(
            "the table is an empty dictionary; give columns, or a system's metrics by its name"
        )
    values = list(data.values())
    # Mappings within the mapping are rows, lists are columns.
    systems = {
        str(k): flatten_record(item) for k, item in data.items() if isinstance(item, Mapping)
    }
    nested = find_nested_table(data)
    # One table beside mappings of single values, as {"meta": {...}, "models": {...}}.
    is_described = nested is not None and all(
        key == nested[0] or _describes_file(item) for key, item in data.items()
    )
    if len(systems) == len(values) and not is_described:
        special = _read_instances(data) or _read_groups(data) or _read_data_sets(data)
        return _read_systems(systems) if special is None else special
    grouped = _read_grouped_records(data)
    if grouped is not None:
        return grouped
    if nested is not None:
        key, rows = nested
        source = read_records(rows) if isinstance(rows, Sequence) else read_mapping(rows)
        return replace(source, notes=(f"the table under '{key}' is read", *source.notes))
    # A few texts beside the systems describe the file.
    if len(systems) > 1 and 2 * len(systems) > len(values):
        others = quote_names([name for name in data if str(name) not in systems])
        note = f"{others} hold no metrics by name and are left out"
        return replace(_read_systems(systems), notes=(note,))
    if all(isinstance(value, int | float) for value in values):
        if (joined := split_flat_names(data)) is not None:
            note = f"keys join the names of systems and metrics: {quote_names([*data], 2)}"
            return replace(_read_systems(joined), notes=(note,))
        raise DataError(
            "the dictionary has one number for each key; "
            "give a list for each column, or a dictionary for each system"
        )
    try:
        frame = pd.DataFrame(dict(data))
    except ValueError as error:
        raise DataError(
            f"the dictionary is no table: {error}; give columns of one length"
        ) from None
    return read_frame(frame)


def _read_instances(data: Mapping[Any, Any]) -> Source | None:
    """Read {system: {instance: {metric: value}}} of many instances; None of other mappings."""
    rows = [
        {"system": str(system), "instance": str(instance), **flatten_record(metrics)}
        for system, results in data.items()
        for instance, metrics in results.items()
        if isinstance(metrics, Mapping)
    ]
    counts = Counter(row["system"] for row in rows)
    # Every system has every instance, and nothing beside them.
    names = {instance for results in data.values() for instance in results}
    if len(data) < 2 or len(names) < MIN_INSTANCES or set(counts.values()) != {len(names)}:
        return None
    declarations: dict[str, Declaration] = {"instance": ("left_out", "it names the instances")}
    frame = pd.DataFrame(rows)
    return Source(frame, "", ("system",), declarations, kind="long")


def _read_groups(data: Mapping[Any, Any]) -> Source | None:
    """Read {group: {system: {metric: value}}}; None where the outer mapping holds the systems.

    Systems have metrics in common, groups have none.
    """
    members = {
        (str(group), str(name)): flatten_record(metrics)
        for group, systems in data.items()
        for name, metrics in systems.items()
        if isinstance(metrics, Mapping)
    }
    if len(members) != sum(map(len, data.values())):
        return None
    group_keys = Counter(key for systems in data.values() for key in flatten_record(systems))
    system_keys = Counter(key for metrics in members.values() for key in metrics)
    if max(group_keys.values(), default=2) > 1 or max(system_keys.values(), default=1) < 2:
        return None
    rows = [{"system": name, "group": group, **row} for (group, name), row in members.items()]
    return Source(pd.DataFrame(rows), "", ("system",))


def _read_data_sets(data: Mapping[Any, Any]) -> Source | None:
    """Read {data set: {system: {metric: value}}}; None where nothing tells that it is not reversed.

    Systems are told by their names: the inner ones hold some of known systems, the outer ones none,
    but that of a known data set.
    """
    records = {
        (str(dataset), str(name)): metrics
        for dataset, systems in data.items()
        for name, metrics in systems.items()
        if isinstance(metrics, Mapping)
        and not any(isinstance(v, Mapping) for v in metrics.values())
    }
    if len(data) < 2 or len(records) != sum(map(len, data.values())):
        return None
    # All systems have the same metrics, and each of them stands on several data sets.
    metrics = set.intersection(*({*map(str, record)} for record in records.values()))
    counts = Counter(name for _, name in records)
    if not metrics or min(counts.values()) < 2:
        return None
    # Programming languages may be data sets, too.
    known_count = sum(is_system_name(name, languages=False) for name in counts)
    if known_count < LEAST_KNOWN_SYSTEMS or any(is_system_name(str(dataset)) for dataset in data):
        return None
    # Else the outer names may be metrics, statistics, machines or settings.
    if not any(map(is_benchmark, data)) or any(map(is_benchmark, metrics)):
        return None
    rows = [{"system": name, "dataset": d, **record} for (d, name), record in records.items()]
    note = f"the names within {quote_names(list(data), 3)} are those of systems"
    return Source(pd.DataFrame(rows), "", ("system",), notes=(note,))


def _read_grouped_records(data: Mapping[Any, Any]) -> Source | None:
    """Read {group: [{"model": "A", "acc": .9}, ...]} of like records; None of other mappings."""
    if not is_grouped(data):
        return None
    rows = [
        {"group": str(group), **flatten_record(row)}
        for group, records in data.items()
        for row in records
    ]
    return read_frame(pd.DataFrame(rows))


def _describes_file(item: Any) -> bool:
    """Return whether a mapping holds texts, as the versions of programs, and no metrics alone."""
    return isinstance(item, Mapping) and any(isinstance(value, str) for value in item.values())


def _read_systems(systems: Mapping[str, Mapping[str, Any]]) -> Source:
    return read_frame(pd.DataFrame.from_dict(systems, orient="index").rename_axis("system"))


def read_records(data: Sequence[Any]) -> Source:
    """Read a list of records, [{"model": "k-NN", "acc": .9}, ...], or of rows below their names."""
    data = name_cells(list(data))
    if not data or not all(isinstance(record, Mapping) for record in data):
        raise DataError(
            "the table is a list; "
            "give one dictionary for each row, as [{'model': 'k-NN', 'accuracy': 0.9}, ...]"
        )
    # A list of groups, [{"A": [...]}, {"B": [...]}], is a mapping of them.
    groups = {key: rows for record in data for key, rows in record.items()}
    if all(len(record) == 1 for record in data) and len(groups) == len(data):
        grouped = _read_grouped_records(groups)
        if grouped is not None:
            return grouped
    return read_frame(pd.DataFrame([flatten_record(record) for record in data]))


def read_other_library(data: Any) -> Source | None:
    """Read a frame of polars, pyarrow, DuckDB, ... through narwhals; None where it is no frame."""
    frame = to_pandas(data)
    return None if frame is None else read_frame(frame)
