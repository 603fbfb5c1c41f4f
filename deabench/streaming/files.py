"""Find the Parquet files of a table, classify their columns, and cut them into partitions."""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from deabench.errors import DataError
from deabench.tables.interpretation import interpret_frame
from deabench.tables.selected_table import SelectedTable
from deabench.tables.selection import select_columns
from deabench.tables.transforms import AffineTransform
from deabench.utils.checks import did_you_mean
from deabench.utils.files import one_line

if TYPE_CHECKING:
    from pyarrow import Schema
    from pyarrow.parquet import ParquetFile

PARTITION_ROWS = 1 << 21
"""Rows of a partition, about. Its candidates depend on its rows alone, and are stored."""
BUFFER = 1 << 20
"""Bytes of a column that are read at a time: a row group may be the whole file."""
HEAD_ROWS = 1_000
"""Rows that tell what columns of unknown names measure."""
MAX_METRICS = 6
"""With more metrics the facets are too many to be listed again and again."""
FOOTER = 1 << 16
"""Bytes at the end of a file that identify it: they hold its columns' positions and extremes."""
DIGEST_VERSION = 1
"""Raised when the meaning of stored results changes."""


@dataclass(frozen=True)
class RowGroups:
    """Some consecutive row groups of one file.

    Attributes
    ----------
    file : int
        The number of the file.
    first, last : int
        The first row group, and the one after the last.
    row, rows : int
        The number of rows before the first row group, and in all of them.
    """

    file: int
    first: int
    last: int
    row: int
    rows: int


Partition = tuple[RowGroups, ...]
FilePaths = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class ParquetFiles:
    """Parquet files that are one table.

    Attributes
    ----------
    paths : tuple of str
        In the order of their names.
    outputs : tuple of str
        The metrics.
    transforms : mapping of metric to AffineTransform
        Metrics that the model complements.
    labels : tuple of str
        The columns that name a row; none where files and rows do.
    drop_incomplete : bool
        Whether rows with a missing cell are left out and counted; they are refused otherwise.
    partitions : tuple of tuples of RowGroups
    notes : tuple of str
    root : str
        The folder that relative paths start from, for processes that work elsewhere.
    """

    paths: tuple[str, ...]
    outputs: tuple[str, ...]
    transforms: Mapping[str, AffineTransform]
    labels: tuple[str, ...]
    drop_incomplete: bool
    partitions: tuple[Partition, ...]
    notes: tuple[str, ...] = ()
    root: str = ""

    def path(self, number: int) -> str:
        """Return where a file is, from any working directory."""
        return os.path.join(self.root, self.paths[number])

    @property
    def rows(self) -> int:
        """The number of rows of all files."""
        return sum(count_rows(partition) for partition in self.partitions)

    def partition_digest(self, partition: Partition, tolerance: float) -> str:
        """Return 40 hexadecimal digits that change with anything the candidates depend on.

        Files are known by their names, sizes, times of change and last bytes.
        """
        depends_on = [
            DIGEST_VERSION,
            self.outputs,
            sorted((name, t.sign, t.shift) for name, t in self.transforms.items()),
            self.drop_incomplete,
            tolerance,
            [
                (groups.first, groups.last, _file_identity(self.path(groups.file)))
                for groups in partition
            ],
        ]
        return hashlib.blake2b(json.dumps(depends_on).encode(), digest_size=20).hexdigest()


def count_rows(partition: Partition) -> int:
    """Return the number of rows of a partition."""
    return sum(groups.rows for groups in partition)


def _file_identity(path: str) -> list[object]:
    """Return name, size, time of change and a digest of the footer of a file."""
    # A changed file has another size, time or footer, which holds the extremes of its columns.
    try:
        state = Path(path).stat()
        with open(path, "rb") as stream:
            stream.seek(max(state.st_size - FOOTER, 0))
            footer = hashlib.blake2b(stream.read(), digest_size=20).hexdigest()
    except OSError as error:
        raise DataError(
            f"cannot read '{path}': {error.strerror}; put the file back, or start again without it"
        ) from None
    return [Path(path).name, state.st_size, state.st_mtime_ns, footer]


def is_multi_file(source: object) -> TypeGuard[str | Path]:
    """Return whether a source is a folder, or a pattern of names of Parquet files."""
    if not isinstance(source, str | Path) or str(source) == "-":
        return False
    path = Path(source)
    if path.is_dir():
        return True
    if path.exists() or not glob.has_magic(str(source)):
        return False
    # Files of other formats are one table, which is read as a whole.
    match = next(glob.iglob(str(source), recursive=True), None)
    return match is None or os.path.isdir(match) or _is_parquet(match)


def _is_parquet(path: str) -> bool:
    with open(path, "rb") as stream:
        return stream.read(4) == b"PAR1"


def are_parts_of_one_table(paths: Sequence[str]) -> bool:
    """Return whether all files are Parquet files with the same columns."""
    if not all(Path(path).is_file() and _is_parquet(path) for path in paths):
        return False
    names = []
    for path in paths:
        with open_parquet(path) as file:
            names.append(file.schema_arrow.names)
    return all(other == names[0] for other in names)


def _glob_pattern(source: str | Path) -> str:
    """Return the pattern of a source; a folder stands for its Parquet files."""
    if Path(source).is_dir():
        return str(Path(glob.escape(str(source))) / "*.parquet")
    return str(source)


def list_paths(source: FilePaths) -> tuple[str, ...]:
    """List the files of a pattern (`**` is any folders), a folder or a list by name, or one file.

    Raises
    ------
    DataError
        If there is none.
    """
    if not isinstance(source, str | Path):
        return tuple(sorted(str(path) for path in source))
    if Path(source).is_file():
        return (str(source),)
    pattern = _glob_pattern(source)
    matches = sorted(path for path in glob.glob(pattern, recursive=True) if not os.path.isdir(path))
    if not matches:
        raise DataError(
            f"no file is called '{pattern}'; give a pattern of Parquet files, as 'sweep/*.parquet'"
        )
    return tuple(matches)


def check_output_path(source: FilePaths, out: Path) -> None:
    """Refuse an output file that the next reading of the same pattern would take for an input.

    Raises
    ------
    DataError
    """
    if not isinstance(source, str | Path):
        return
    pattern = Path(os.path.abspath(_glob_pattern(source)))
    path = Path(os.path.abspath(out))
    # An output that exists already is one of the files, which is checked elsewhere.
    if path.exists() or Path(source).is_file():
        return
    same_depth = len(path.parts) == len(pattern.parts) or "**" in pattern.parts
    if same_depth and fnmatch(str(path), str(pattern)):
        raise DataError(
            f"'{out}' would be one of '{pattern.name}' the next time; write the scores elsewhere"
        )


@contextmanager
def open_parquet(path: str) -> Iterator[ParquetFile]:
    """Open a Parquet file; every error while it is open becomes a DataError with its name.

    Raises
    ------
    DataError
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError(
            f"'{path}' is a Parquet file, which needs pyarrow: pip install 'deabench[parquet]'"
        ) from None
    try:
        # Without pre_buffer=False memory grows with the row group. A scanner of pyarrow.dataset
        # decodes whole row groups, so that it cannot replace iter_batches of this reader.
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError(
                f"cannot read '{path}': {os.strerror(error.errno)}; name a Parquet file"
            ) from None
        problem = f"is no Parquet file, or a damaged one: {one_line(error)[:120]}"
        if Path(path).is_file() and Path(path).stat().st_size == 0:
            problem = "is empty"
        raise DataError(f"'{path}' {problem}; write it again, or leave it out") from None


def select_files(
    source: FilePaths,
    *,
    outputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    label: str | Sequence[str] | None = None,
    missing: str = "refuse",
) -> ParquetFiles:
    """Decide what the columns of many files are, from the first file's schema and first rows.

    Parameters
    ----------
    source : str, Path or sequence of them
        A pattern, a folder, one file, or several.
    outputs, lower_is_better, label, missing
        As for `deabench.frontier`.

    Raises
    ------
    DataError
        If a file, a column or an option cannot be used.
    """
    if missing not in ("refuse", "drop-systems"):
        raise DataError(
            f"missing='{missing}' needs all rows at once; for files use missing='refuse' or "
            "missing='drop-systems'"
        )
    paths = list_paths(source)
    # The first file with rows tells what the columns are; `_cut_into_partitions` checks all others.
    batch = None
    for path in paths:
        with open_parquet(path) as file:
            schema = file.schema_arrow
            batch = next(file.iter_batches(batch_size=HEAD_ROWS, use_threads=False), None)
        if batch is not None:
            break
    if batch is None:
        raise DataError(f"'{paths[0]}' has no rows, nor has any other file; give files with rows")
    # Labels are taken out first, so that numbers that name rows are not taken for metrics.
    labels = _label_columns(schema, label, path)
    # A column may name the rows and be an output, too.
    named_outputs = outputs or ()
    head = batch.to_pandas().drop(columns=[name for name in labels if name not in named_outputs])
    for name in () if isinstance(outputs, str) else outputs or ():
        _check_metric(schema, name, path)
    table = interpret_frame(head, lower_is_better=lower_is_better)
    _refuse_inputs(
        [column.name for column in table.columns if column.declared and column.input], table.outputs
    )
    roles = select_columns(table, outputs)
    _check_roles(roles, schema, path)
    notes = [
        *roles.notes,
        *(
            f"'{name}' stands for its complement {maximum:g} - {name}: lower is better"
            for name, maximum in roles.maxima.items()
        ),
    ]
    if not labels:
        notes.append("no column of text names the rows; their file and row do")
    return ParquetFiles(
        paths=paths,
        outputs=tuple(roles.outputs),
        transforms={name: AffineTransform(-1.0, maximum) for name, maximum in roles.maxima.items()},
        labels=labels,
        drop_incomplete=missing == "drop-systems",
        partitions=_cut_into_partitions(paths, roles.outputs, labels),
        notes=tuple(notes),
    )


def _label_columns(schema: Schema, label: str | Sequence[str] | None, path: str) -> tuple[str, ...]:
    """Return the columns that name a row: those of `label`, otherwise the first of text."""
    names: tuple[str, ...]
    if label is None:
        names = next(((field.name,) for field in schema if _is_text(field.type)), ())
    else:
        # Named twice, a column names the rows once: a file has each column once.
        names = (label,) if isinstance(label, str) else tuple(dict.fromkeys(label))
    for name in names:
        _check_column(schema, name, path)
    return names


def _is_text(dtype: object) -> bool:
    """Return whether a column's Arrow type is text."""
    from pyarrow import types

    if types.is_dictionary(dtype):
        dtype = dtype.value_type  # type: ignore[attr-defined]  # of dictionaries
    return bool(
        types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype)
    )


def _check_column(schema: Schema, name: str, path: str) -> None:
    """Refuse a column that a file does not have, or has twice."""
    if name not in schema.names:
        raise DataError(
            f"there is no column '{name}' in '{path}'; {did_you_mean(name, schema.names)}"
        )
    if schema.names.count(name) > 1:
        raise DataError(
            f"the column '{name}' appears more than once in '{path}'; give every column a name of "
            "its own"
        )


def _check_metric(schema: Schema, name: str, path: str) -> None:
    """Refuse a metric that a file does not have, has twice, or has as something but numbers."""
    from pyarrow import types

    _check_column(schema, name, path)
    dtype = schema.field(name).type
    if not (types.is_integer(dtype) or types.is_floating(dtype) or types.is_decimal(dtype)):
        raise DataError(
            f"metric '{name}' of '{path}' is a column of {dtype}; DEA needs numbers, so write it "
            "as double"
        )


def _refuse_inputs(inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Refuse inputs: the frontier of files is that of outputs."""
    if inputs and not outputs:
        raise DataError(
            f"'{inputs[0]}' is better low and no column is better high, and files are read for the "
            "model of outputs; rank losses and costs alone in memory: "
            "deabench.rank(pandas.concat(map(pandas.read_parquet, files), ignore_index=True))"
        )
    if inputs:
        raise DataError(
            f"'{inputs[0]}' is an input, and files are read for the model without inputs; "
            "name the outputs alone, or give one table that fits in memory"
        )


def _check_roles(roles: SelectedTable, schema: Schema, path: str) -> None:
    """Refuse roles of columns that the frontier of files cannot have."""
    _refuse_inputs(roles.inputs, roles.outputs)
    for name in roles.outputs:
        _check_metric(schema, name, path)
    if len(roles.outputs) > MAX_METRICS:
        raise DataError(
            f"there are {len(roles.outputs)} metrics and files are read for at most {MAX_METRICS}, "
            "whose facets can be listed; name fewer in outputs"
        )


def _cut_into_partitions(
    paths: Sequence[str], metrics: Sequence[str], labels: Sequence[str]
) -> tuple[Partition, ...]:
    """Collect the row groups of all files in partitions of `PARTITION_ROWS` rows or a little more.

    Raises
    ------
    DataError
        If a file is damaged, or has other columns than the first.
    """
    partitions = list[Partition]()
    partition = list[RowGroups]()
    partition_rows = 0
    for number, path in enumerate(paths):
        with open_parquet(path) as file:
            for name in metrics:
                _check_metric(file.schema_arrow, name, path)
            for name in labels:
                _check_column(file.schema_arrow, name, path)
            # The metadata is in the footer: no row is read here.
            metadata = file.metadata
            counts = [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
        if not sum(counts):
            continue  # as Spark writes them
        # A partition ends with the row group that fills it; a file ends its run of row groups.
        first = 0
        row = 0
        rows = 0
        for last, count in enumerate(counts, start=1):
            rows += count
            is_full = partition_rows + rows >= PARTITION_ROWS
            if not is_full and last < len(counts):
                continue
            partition.append(RowGroups(number, first, last, row, rows))
            partition_rows += rows
            first = last
            row += rows
            rows = 0
            if is_full:
                partitions.append(tuple(partition))
                partition = []
                partition_rows = 0
    if partition:
        partitions.append(tuple(partition))
    return tuple(partitions)
