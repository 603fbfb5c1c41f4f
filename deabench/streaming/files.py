"""Which files a table of many is made of, what their columns are, and how they are cut into parts
of about the same size.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from deabench.errors import DataError
from deabench.tables.transforms import AffineTransform
from deabench.utils.checks import did_you_mean
from deabench.utils.files import one_line

if TYPE_CHECKING:
    from pyarrow import Schema
    from pyarrow.parquet import ParquetFile

PART = 1 << 21
"""Rows of a part, about: its candidates are found without a look at the others, and kept."""

BUFFER = 1 << 20
"""Bytes of a column that are read at a time: a row group may be the whole file."""


@dataclass(frozen=True)
class Piece:
    """Row groups `first` to `last` (excluded) of file number `file`; `row` rows stand before them
    in it, `rows` in them.
    """

    file: int
    first: int
    last: int
    row: int
    rows: int


@dataclass(frozen=True)
class Files:
    """Parquet files that are one table.

    Attributes
    ----------
    paths : tuple of str
        In the order of their names.
    outputs : tuple of str
        The metrics.
    transforms : mapping of metric to AffineTransform
        Metrics that are complemented inside.
    labels : tuple of str
        The columns that name a row; none where files and rows do.
    drop : bool
        Whether rows with a missing cell are left out, and counted; they are refused otherwise.
    parts : tuple of tuples of Piece
    notes : tuple of str
    root : str
        The folder from which relative paths go; where this process works without it.
    """

    paths: tuple[str, ...]
    outputs: tuple[str, ...]
    transforms: Mapping[str, AffineTransform]
    labels: tuple[str, ...]
    drop: bool
    parts: tuple[tuple[Piece, ...], ...]
    notes: tuple[str, ...] = ()
    root: str = ""

    def path(self, number: int) -> str:
        """Where a file is, for machines that work elsewhere."""
        return os.path.join(self.root, self.paths[number])

    @property
    def rows(self) -> int:
        """All rows of all files."""
        return sum(piece.rows for part in self.parts for piece in part)


def is_multi_file(source: object) -> TypeGuard[str | Path]:
    """Whether a source is a pattern of file names or a folder, and not one file."""
    if not isinstance(source, str | Path) or str(source) == "-":
        return False
    path = Path(source)
    return path.is_dir() or (any(sign in str(source) for sign in "*?[") and not path.exists())


def paths_of(source: str | Path) -> tuple[str, ...]:
    """The files of a pattern (`**` is any folders) or of a folder (its *.parquet), by name; or the
    one file that it names.

    Raises
    ------
    DataError
        Where there is none.
    """
    if Path(source).is_file():
        return (str(source),)
    pattern = _pattern(source)
    found = tuple(
        sorted(path for path in glob.glob(pattern, recursive=True) if not Path(path).is_dir())
    )
    if not found:
        raise DataError(
            f"no file is called '{pattern}'; give a pattern of Parquet files, as 'sweep/*.parquet'"
        )
    return found


def apart(source: str | Path, out: Path) -> None:
    """Refuse to write where the next reading of the same files would take it for one of them.

    Raises
    ------
    DataError
    """
    pattern, place = Path(os.path.abspath(_pattern(source))), Path(os.path.abspath(out))
    within = len(place.parts) == len(pattern.parts) or "**" in pattern.parts
    if (
        within
        and not place.exists()
        and not Path(source).is_file()
        and fnmatch(str(place), str(pattern))
    ):
        raise DataError(
            f"'{out}' would be one of '{pattern.name}' the next time; write the scores elsewhere"
        )


def _pattern(source: str | Path) -> str:
    return (
        str(Path(glob.escape(str(source))) / "*.parquet") if Path(source).is_dir() else str(source)
    )


@contextmanager
def opened(path: str) -> Iterator[ParquetFile]:
    """A Parquet file; whatever goes wrong with it while it is open is told by its name.

    Raises
    ------
    DataError
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError(
            f"'{path}' is a Parquet file; install pyarrow to read it: pip install 'deabench[parquet]'"
        ) from None
    try:
        with pq.ParquetFile(
            path, pre_buffer=False, buffer_size=BUFFER
        ) as file:  # what is held grows with the file otherwise
            yield file
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError(
                f"cannot read '{path}': {error.strerror}; name a Parquet file"
            ) from None
        empty = Path(path).is_file() and Path(path).stat().st_size == 0
        said = (
            "is empty"
            if empty
            else f"is no Parquet file, or a damaged one: {one_line(error)[:120]}"
        )
        raise DataError(f"'{path}' {said}; write it again, or leave it out") from None


def numeric(schema: Schema, name: str, path: str) -> None:
    """Refuse a column that is not there, is there twice or holds no numbers.

    Raises
    ------
    DataError
    """
    from pyarrow import types

    count = schema.names.count(name)
    if count == 0:
        raise DataError(
            f"there is no column '{name}' in '{path}'; {did_you_mean(name, schema.names)}"
        )
    if count > 1:
        raise DataError(
            f"the column '{name}' appears more than once in '{path}'; give every column a name of its own"
        )
    kind = schema.field(name).type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise DataError(
            f"metric '{name}' of '{path}' is a column of {kind}; DEA needs numbers, so write it as double"
        )


def text(kind: Any) -> bool:
    """Whether a column's type is text."""
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def parts_of(
    paths: Sequence[str], columns: Sequence[str], labels: Sequence[str]
) -> tuple[tuple[Piece, ...], ...]:
    """The row groups of files, in parts of `PART` rows or a little more; each file is looked at,
    and refused by its name.

    Raises
    ------
    DataError
        Where a file is damaged, has no rows, or other columns.
    """
    parts, part, held = list[tuple[Piece, ...]](), list[Piece](), 0
    for number, path in enumerate(paths):
        with opened(path) as file:
            for name in columns:
                numeric(file.schema_arrow, name, path)
            for name in labels:
                if name not in file.schema_arrow.names:
                    raise DataError(
                        f"there is no column '{name}' in '{path}'; {did_you_mean(name, file.schema_arrow.names)}"
                    )
            groups = [
                file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)
            ]
        if not sum(groups):
            raise DataError(f"'{path}' has no rows; leave it out")
        first = row = count = 0
        for k, rows in enumerate(groups, start=1):
            count += rows
            if held + count >= PART or k == len(groups):
                part.append(Piece(number, first, k, row, count))
                held, first, row, count = held + count, k, row + count, 0
            if held >= PART:
                parts.append(tuple(part))
                part, held = [], 0
    return (*parts, tuple(part)) if part else tuple(parts)
