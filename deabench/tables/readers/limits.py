"""Bound what a file may make of the machine's memory and time, before anything is built of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean


@dataclass(frozen=True)
class Limits:
    """How large a table from a file may be.

    Attributes
    ----------
    bytes : int
        Bytes of the file, after it is decompressed.
    rows, columns, cells : int
        Of the table, the header not counted.
    depth : int
        How deep JSON and YAML may nest.

    Examples
    --------
    >>> Limits.parse({"columns": 5000}).columns
    5000
    """

    bytes: int = 1 << 30
    rows: int = 10_000_000
    columns: int = 2_000
    cells: int = 50_000_000
    depth: int = 50

    @classmethod
    def parse(cls, limits: Limits | Mapping[str, Any] | None) -> Limits:
        """Return limits from a mapping of some of them; the others keep their defaults."""
        if isinstance(limits, Limits):
            return limits
        if limits is not None and not isinstance(limits, Mapping):
            raise DataError(f"the limits are {limits!r}; give a mapping, as {{'columns': 5000}}")
        names = [field.name for field in fields(cls)]
        for name, value in (limits or {}).items():
            if name not in names:
                raise DataError(f"there is no limit '{name}'; {did_you_mean(name, names)}")
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise DataError(f"the limit '{name}' is {value!r}; give a whole number above 0")
        return cls(**(limits or {}))

    def changes(self) -> dict[str, int]:
        """Return the limits that differ from the default."""
        default = Limits()
        return {name: size for name, size in vars(self).items() if size != getattr(default, name)}

    def check_bytes(self, count: int, file: str) -> None:
        """Refuse a file with more bytes, or one that unpacks to more."""
        self._check("bytes", count, file, "holds")

    def check_rows(self, count: int, file: str) -> None:
        """Refuse a table with more rows."""
        self._check("rows", count, file, "has")

    def check_columns(self, count: int, file: str) -> None:
        """Refuse a table with more columns: no comparison has as many metrics."""
        self._check("columns", count, file, "has")

    def check_cells(self, count: int, file: str) -> None:
        """Refuse a table with more cells."""
        self._check("cells", count, file, "has")

    def check_depth(self, count: int, file: str) -> None:
        """Refuse a document that nests deeper."""
        self._check("depth", count, file, "nests to")

    def check_frame(self, frame: pd.DataFrame, file: str) -> None:
        """Refuse a frame that is larger than the table may be."""
        self.check_columns(frame.shape[1], file)
        self.check_rows(frame.shape[0], file)
        self.check_cells(frame.size, file)

    def _check(self, name: str, count: int, file: str, verb: str) -> None:
        limit = getattr(self, name)
        if count <= limit:
            return
        noun = "levels" if name == "depth" else name
        remedy = f"raise the limit with limits={{'{name}': {count}}}"
        if name == "columns":
            remedy = (
                "give the metrics that systems are compared by, transpose a table whose systems "
                f"are columns, or {remedy}"
            )
        raise DataError(f"'{file}' {verb} {count:,} {noun}, more than {limit:,}; {remedy}")


@dataclass(frozen=True)
class ReadingOptions:
    """What holds for every file that is read.

    Attributes
    ----------
    sheet : str or None
        The sheet of a workbook or the table of a document, by its name or its number from 1.
    limits : Limits
    """

    sheet: str | None = None
    limits: Limits = Limits()


_CURRENT: ContextVar[ReadingOptions] = ContextVar("reading options")


def current_options() -> ReadingOptions:
    """Return the options that hold for the files that are read now."""
    return _CURRENT.get(ReadingOptions())


@contextmanager
def reading_options(
    sheet: str | int | None = None, limits: Limits | Mapping[str, int] | None = None
) -> Iterator[None]:
    """Let a sheet and limits hold for all files that are read within the block.

    What is None stays as it is outside of the block.

    Raises
    ------
    DataError
        Where there is no such limit, or it is no whole number above 0.
    """
    options = current_options()
    if sheet is not None:
        options = replace(options, sheet=str(sheet))
    if limits is not None:
        options = replace(options, limits=Limits.parse(limits))
    token = _CURRENT.set(options)
    try:
        yield
    finally:
        _CURRENT.reset(token)
