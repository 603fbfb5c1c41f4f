"""What the columns of many files are: metrics, their directions, labels; from the first file's
schema and first rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deabench.errors import DataError
from deabench.streaming.files import Files, numeric, opened, parts_of, paths_of, text
from deabench.tables.declared import ColumnRoles, declare_columns
from deabench.tables.transforms import AffineTransform
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import Schema

HEAD = 1_000
"""Rows that tell what columns of unknown names measure."""
MOST = 6
"""Metrics: with more, facets are too many to be listed again and again."""


def files_of(
    source: str | Path,
    *,
    outputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    label: str | Sequence[str] | None = None,
    missing: str = "refuse",
) -> Files:
    """The files of a pattern as one table: see `deabench.frontier`.

    Raises
    ------
    DataError
        Where a file, a column or what is asked cannot be used.
    """
    if missing not in ("refuse", "drop-systems"):
        raise DataError(
            f"missing='{missing}' needs all rows at once; of files, say 'refuse' or 'drop-systems'"
        )
    paths = paths_of(source)
    with opened(paths[0]) as file:
        schema = file.schema_arrow
        batch = next(file.iter_batches(batch_size=HEAD, use_threads=False), None)
    if batch is None:
        raise DataError(f"'{paths[0]}' has no rows; leave it out")
    labels = _labels(schema, label, paths[0])
    said = _declared(
        batch.to_pandas().drop(columns=list(labels)), outputs, lower_is_better, schema, paths[0]
    )
    notes = [
        *said.notes,
        *(
            f"'{name}' stands for its complement {high:g} - {name}: lower is better"
            for name, high in said.complements.items()
        ),
    ]
    if not labels:
        notes.append("no column of text names the rows; their file and row do")
    return Files(
        paths,
        tuple(said.outputs),
        {name: AffineTransform(-1.0, high) for name, high in said.complements.items()},
        labels,
        missing == "drop-systems",
        parts_of(paths, said.outputs, labels),
        tuple(notes),
    )


def _labels(schema: Schema, label: str | Sequence[str] | None, path: str) -> tuple[str, ...]:
    """The columns that name a row: those that are named, else the first of text."""
    if label is None:
        return next(((field.name,) for field in schema if text(field.type)), ())
    names = (label,) if isinstance(label, str) else tuple(label)
    for name in names:
        if name not in schema.names:
            raise DataError(
                f"there is no column '{name}' in '{path}'; {did_you_mean(name, schema.names)}"
            )
    return names


def _declared(
    head: pd.DataFrame,
    outputs: Sequence[str] | None,
    lower: Mapping[str, object] | Sequence[str],
    schema: Schema,
    path: str,
) -> ColumnRoles:
    """What the user and the names say; what files cannot have is refused."""
    said = declare_columns(head, outputs, None, lower)
    if said.inputs:
        raise DataError(
            f"'{said.inputs[0]}' is an input, and files are read for the model without inputs; name the outputs alone, "
            "or give one table that fits in memory"
        )
    if not said.outputs:
        raise DataError(said.refusal)
    for name in said.outputs:
        numeric(schema, name, path)
        if list(said.outputs).count(name) > 1:
            raise DataError(f"metric '{name}' is given twice among the outputs; name it once")
    for name in said.complements:
        if name not in said.outputs:
            raise DataError(
                f"metric '{name}' is to be complemented but is not an output; add it to the outputs"
            )
    if len(said.outputs) > MOST:
        raise DataError(
            f"there are {len(said.outputs)} metrics and files are read for at most {MOST}, whose facets can be listed; "
            "name fewer in outputs"
        )
    return said
