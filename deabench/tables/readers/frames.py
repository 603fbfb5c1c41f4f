"""Frames of any library, dictionaries and lists of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.source import Source


def of_frame(frame: pd.DataFrame) -> Source:
    """A pandas DataFrame: an index that is no row count names the systems; what `attrs` declares is
    kept.
    """
    names = [str(name) for name in frame.columns]
    for name in names:
        if names.count(name) > 1:
            raise DataError(
                f"the column '{name}' appears more than once; give every metric a name of its own"
            )
    flat = frame.set_axis(names, axis=1)
    label: tuple[str, ...] = ()
    if not isinstance(flat.index, pd.RangeIndex):
        levels = [
            str(name) if name is not None else f"index {k}" if flat.index.nlevels > 1 else "index"
            for k, name in enumerate(flat.index.names)
        ]
        levels = [level if level not in names else f"{level} (index)" for level in levels]
        flat = flat.set_axis(flat.index.set_names(levels)).reset_index()
        label = (levels[0],) if len(levels) == 1 else ()
    said = {
        str(name): (role, "its table says so")
        for name, role in dict(frame.attrs.get("roles", {})).items()
    }
    return Source(flat, str(frame.attrs.get("metric", "")), label, said)


def of_mapping(data: Mapping[Any, Any]) -> Source:
    """A dictionary of columns {"model": [...], "acc": [...]}, or of systems {"k-NN": {"acc": .9}}."""
    if not data:
        raise DataError(
            "the table is an empty dictionary; give columns, or a system's metrics by its name"
        )
    values = list(data.values())
    if all(isinstance(value, Mapping) for value in values):
        frame = pd.DataFrame.from_dict(
            {str(k): dict(v) for k, v in data.items()}, orient="index"
        ).rename_axis("system")
        return of_frame(frame)
    if all(isinstance(value, int | float) for value in values):
        raise DataError(
            "the dictionary has one number for each key; give a list for each column, or a dictionary for each system"
        )
    try:
        return of_frame(pd.DataFrame(dict(data)))
    except ValueError as error:
        raise DataError(
            f"the dictionary is no table: {error}; give columns of one length"
        ) from None


def of_records(data: Sequence[Any]) -> Source:
    """A list of records, [{"model": "k-NN", "acc": .9}, ...]."""
    if not data or not all(isinstance(record, Mapping) for record in data):
        raise DataError(
            "the table is a list; give one dictionary for each row, as [{'model': 'k-NN', 'accuracy': 0.9}, ...]"
        )
    return of_frame(pd.DataFrame([_flat(record) for record in data]))


def _flat(record: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """A record with the records in it spread out: {"metrics": {"acc": .9}} gives metrics.acc."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = str(value) if isinstance(value, list | tuple) else value
    return flat


def of_other(data: Any) -> Source | None:
    """A frame of another library (polars, pyarrow, DuckDB, ...) by narwhals; None where it is none."""
    try:
        import narwhals as nw
    except ImportError:
        return None
    native = nw.from_native(data, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if not isinstance(native, nw.DataFrame):
        return None
    return of_frame(
        pd.DataFrame({name: native.get_column(name).to_list() for name in native.columns})
    )
