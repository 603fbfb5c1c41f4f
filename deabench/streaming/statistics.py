"""The second pass: the scores of all rows, written batch by batch, each batch with its proof."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from deabench.errors import DataError
from deabench.results.frontier import Frontier
from deabench.streaming.batches import SHIFT, Batch, batches, where
from deabench.streaming.checkpoints import part_digest
from deabench.streaming.files import Files, Piece, opened
from deabench.streaming.scorer import Scorer, Scores
from deabench.utils.arrays import TOLERANCE
from deabench.utils.files import whole_file

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema
    from pyarrow.parquet import ParquetWriter

OWN = ("efficiency", "efficient", "facet")


@dataclass(frozen=True)
class Said:
    """What is known of a batch: `gap` and `short` are the greatest among its rows, `beyond` how far
    the highest is above 1.
    """

    file: str
    row: int
    rows: int
    efficient: int
    least: float
    total: float
    beyond: float
    gap: float
    short: float
    unproved: int


def schema_of(files: Files) -> Schema:
    """The columns of the scores: what names a row, as it was, then its efficiency, whether it is
    efficient, and its facet.

    Raises
    ------
    DataError
        Where a column that names rows has the name of one of these.
    """
    import pyarrow as pa

    for name in files.labels:
        if name in OWN:
            raise DataError(
                f"a column that names the rows is called '{name}', as one of the scores is; rename it, or name others "
                "in label"
            )
    with opened(files.path(0)) as file:
        named = [file.schema_arrow.field(name).remove_metadata() for name in files.labels]
    named = named or [pa.field("file", pa.string()), pa.field("row", pa.int64())]
    own = zip(OWN, (pa.float64(), pa.bool_(), pa.int32()), strict=True)
    return pa.schema([*named, *(pa.field(name, kind) for name, kind in own)])


@contextmanager
def writer_of(path: Path, schema: Schema) -> Iterator[ParquetWriter]:
    """A Parquet file that is there, whole, when all is written, and not before."""
    import pyarrow.parquet as pq

    named = [name for name in schema.names if name not in OWN]
    with (
        whole_file(path) as temporary,
        pq.ParquetWriter(temporary, schema, use_dictionary=named) as writer,
    ):
        yield writer


def scored(
    files: Files, part: tuple[Piece, ...], scorer: Scorer, schema: Schema
) -> Iterator[tuple[RecordBatch, Said]]:
    """The scores of a part's rows, batch by batch.

    Raises
    ------
    DataError
        Where a row is 0 in every metric, or a file's columns that name rows are of another type
        than the first file's.
    """
    for piece in part:
        for batch in batches(files, piece, beside=files.labels):
            zero = ~batch.columns.any(axis=0)
            if zero.any():
                place = int(batch.places[np.argmax(zero)])
                raise DataError(
                    f"every output of {where(files, place)} is 0; its efficiency is undefined, leave the row out"
                )
            if len(batch.places):
                yield (
                    _table(files, batch, scores := scorer.score(batch.columns), schema),
                    said_of(files, batch, scores),
                )


def _table(files: Files, batch: Batch, scores: Scores, schema: Schema) -> RecordBatch:
    import pyarrow as pa

    path = files.paths[int(batch.places[0]) >> SHIFT]
    if files.labels:
        try:
            named = [
                batch.table.column(k).cast(schema.field(k).type) for k in range(len(files.labels))
            ]
        except (pa.ArrowException, ValueError):
            raise DataError(
                f"the columns that name the rows of '{path}' are of other types than those of '{files.paths[0]}'; "
                "write all files with the same types"
            ) from None
    else:
        named = [
            pa.array([path], pa.string()).take(
                pa.array(np.zeros(len(batch.places), dtype=np.int64))
            ),
            pa.array((batch.places & ((1 << SHIFT) - 1)) + 1),
        ]
    own = [
        pa.array(scores.efficiency),
        pa.array(scores.efficient),
        pa.array(scores.facet.astype(np.int32)),
    ]
    return pa.record_batch([*named, *own], schema=schema)


def said_of(files: Files, batch: Batch, scores: Scores) -> Said:
    place = int(batch.places[0])
    unproved = ~((scores.gap <= TOLERANCE) & (scores.short <= TOLERANCE))
    return Said(
        files.paths[place >> SHIFT],
        (place & ((1 << SHIFT) - 1)) + 1,
        len(batch.places),
        int(scores.efficient.sum()),
        float(scores.efficiency.min()),
        float(scores.efficiency.sum()),
        max(float(scores.efficiency.max()) - 1.0, 0.0),
        float(scores.gap.max()),
        float(scores.short.max()),
        int(unproved.sum()),
    )


def scores_digest(files: Files, part: tuple[Piece, ...], front: Frontier) -> str:
    """What the scores of a part depend on."""
    hull = front.hull
    digest = hashlib.blake2b(
        part_digest(
            files, part, front.source_summary.tolerance if front.source_summary else 0.0
        ).encode(),
        digest_size=20,
    )
    digest.update(json.dumps([files.labels, [files.paths[piece.file] for piece in part]]).encode())
    for array in (
        front.vertex_outputs.to_numpy(),
        hull.normals,
        hull.members,
        hull.facet,
        front.origin,
        front.unit,
    ):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def keep_part(
    files: Files,
    part: tuple[Piece, ...],
    front: Frontier,
    kept: Path,
    advance: Callable[[int], None] = lambda _: None,
) -> Path:
    """The file of a part's scores in the folder `kept`: written now, whole, where it is not there."""
    path = kept / f"{scores_digest(files, part, front)}.parquet"
    if _sound(path):
        advance(sum(piece.rows for piece in part))
        return path
    schema, said = schema_of(files), list[Said]()
    with writer_of(path, schema) as writer:
        for table, of in scored(files, part, Scorer(front), schema):
            writer.write_batch(table)
            said.append(of)
            advance(of.rows)
        writer.add_key_value_metadata({"deabench": json.dumps([asdict(one) for one in said])})
    return path


def _sound(path: Path) -> bool:
    """Whether the file is there and says what it holds."""
    if not path.exists():
        return False
    try:
        with opened(str(path)) as file:
            return b"deabench" in (file.metadata.metadata or {})
    except DataError:
        return False


def from_kept(path: Path) -> Iterator[tuple[RecordBatch, Said]]:
    """The batches of a part that is kept, with what is known of each."""
    with opened(str(path)) as file:
        said = [Said(**one) for one in json.loads(file.metadata.metadata[b"deabench"])]
        for k, of in enumerate(said):
            (table,) = file.read_row_group(k, use_threads=False).combine_chunks().to_batches()
            yield table, of
