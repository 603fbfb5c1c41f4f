"""Rank the rows of many files: their frontier in one pass, their scores in a second."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.results.frontier import Frontier
from deabench.results.proof import Proof
from deabench.streaming.batches import (
    ROW_BITS,
    ROW_MASK,
    Batch,
    read_batches,
)
from deabench.streaming.executors import open_executor
from deabench.streaming.files import (
    FilePaths,
    ParquetFiles,
    Partition,
    check_output_path,
    count_rows,
    open_parquet,
    select_files,
)
from deabench.streaming.frontier import StreamOptions, compute_frontier, parse_options
from deabench.streaming.scorer import Scorer, Scores
from deabench.utils.arrays import TOLERANCE
from deabench.utils.files import find_overwritten, replace_file
from deabench.utils.progress import progress
from deabench.utils.result import Result

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema
    from pyarrow.parquet import ParquetWriter

SCORE_COLUMNS = ("efficiency", "efficient", "facet")


@dataclass(frozen=True, eq=False, repr=False)
class FilesRanking(Result):
    """The efficiencies of the rows of many files, which are in a file themselves.

    Attributes
    ----------
    frontier : Frontier
        What the rows are measured against.
    path : str
        The Parquet file of the scores, a row for each row in the order of the files: the columns
        that name it, `efficiency`, `efficient`, and `facet`, the row of `frontier.facets` that
        holds its weights.
    batches : DataFrame
        What was proved as it was written, a row per batch: its first row, how many rows, the
        greatest distance of a score from its proof (`gap`), and what a proof's mixture falls short
        by at most (`short`).

    Examples
    --------
    >>> import tempfile
    >>> import deabench as db
    >>> folder = tempfile.mkdtemp()
    >>> wine = db.datasets.load("chao2022-wine1").rename_axis("classifier").reset_index()
    >>> wine.to_parquet(f"{folder}/wine.parquet")
    >>> ranking = db.rank_files(f"{folder}/*.parquet", f"{folder}/scores", outputs=["TPR", "TNR"])
    >>> ranking.frontier.extreme, int(ranking.to_frame()["rows"].sum())
    (['MLP'], 7)
    """

    _text = "frontier"

    frontier: Frontier
    path: str
    batches: pd.DataFrame

    @property
    def notes(self) -> tuple[str, ...]:
        notes = list(self.frontier.notes)
        undefined = int(self.batches["undefined"].sum())
        unproved = int(self.batches["unproved"].sum())
        if undefined:
            notes.append(
                f"{undefined:,} rows have no efficiency: every output of them is 0, and no factor "
                "makes more of nothing"
            )
        if unproved:
            notes.append(f"the efficiency of {unproved:,} rows is not proved to 1e-9")
        return tuple(notes)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per file: rows, efficient rows, least and mean efficiency, largest gap."""
        groups = self.batches.groupby("file", sort=False)
        frame = groups.agg(
            rows=("rows", "sum"),
            efficient=("efficient", "sum"),
            least=("least", "min"),
            gap=("gap", "max"),
        )
        scored = frame["rows"] - groups["undefined"].sum()
        frame["least"] = frame["least"].where(scored > 0)
        frame.insert(3, "mean", groups["total"].sum() / scored.where(scored > 0))
        return frame

    def proof(self) -> Proof:
        """Compare the scores in the file with the rows in theirs, all read again."""
        proof: Proof = self._call("deabench.streaming.verify", "verify_scores")
        return proof

    @property
    def reasons(self) -> dict[object, str]:
        """No row is without a score."""
        return {}


def rank_files(
    files: FilePaths,
    out: str | Path,
    *,
    outputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    label: str | Sequence[str] | None = None,
    missing: Literal["refuse", "drop-systems"] = "refuse",
    tolerance: float = 0.0,
    kept: str | Path | None = None,
    scheduler: str | None = None,
) -> FilesRanking:
    """Rank the rows of many Parquet files in fixed memory, and write their scores to one more.

    Parameters
    ----------
    files : str, Path or sequence of them
        A pattern, as "sweep/*.parquet", a folder of Parquet files, or a list of them, which are one
        table in the order of their names; or one file.
    out : str or Path
        The Parquet file to write, the whole file or nothing.
    outputs, lower_is_better, label, missing, tolerance, kept, scheduler
        As for `deabench.frontier`; the model is (5), that of `deabench.rank` without inputs.

    Returns
    -------
    FilesRanking

    Raises
    ------
    DataError
        If a file, a column or a cell cannot be used, by file and row.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> import deabench as db
    >>> folder = Path(tempfile.mkdtemp())
    >>> for k in range(2):
    ...     rows = pd.DataFrame({"model": [f"a{k}", f"b{k}"], "TPR": [.9 - .1 * k, .5]})
    ...     rows["TNR"] = [.5, .8]
    ...     rows.to_parquet(folder / f"{k}.parquet")
    >>> metrics = ["TPR", "TNR"]
    >>> ranking = db.rank_files(folder / "?.parquet", folder / "scores", outputs=metrics)
    >>> pd.read_parquet(ranking.path)["efficiency"].round(3).tolist()
    [1.0, 1.0, 0.936, 1.0]
    """
    options = parse_options(tolerance, kept, scheduler)
    if not isinstance(files, str | Path | list | tuple):
        raise DataError(
            f"the files are a {type(files).__name__}; give a pattern, as 'sweep/*.parquet', or use "
            "deabench.rank for a table"
        )
    if options.scheduler is not None and options.folder is None:
        raise DataError(
            "a cluster passes scores on in a folder that all its machines see; name one in kept"
        )
    check_output_path(files, Path(out))
    selected = select_files(
        files, outputs=outputs, lower_is_better=lower_is_better, label=label, missing=missing
    )
    return _rank_selected_files(selected, Path(out), options)


def _rank_selected_files(files: ParquetFiles, out: Path, options: StreamOptions) -> FilesRanking:
    """Compute the frontier of files whose columns are known, then write all scores."""
    schema = _score_schema(files)
    if find_overwritten(out, files.paths) is not None:
        raise DataError(f"'{out}' is one of the files that are ranked; write the scores elsewhere")
    # Opened before any row is read, so that a file that cannot be written is reported at once.
    with _open_writer(out, schema) as writer:
        front = compute_frontier(files, options)
        statistics = list[BatchStatistics]()
        for table, batch_statistics in _score_all(files, front, options, schema):
            writer.write_batch(table)
            statistics.append(batch_statistics)
    batches = pd.DataFrame([asdict(row) for row in statistics]).rename_axis("batch")
    return FilesRanking(front, str(out), batches)


def _score_all(
    files: ParquetFiles, front: Frontier, options: StreamOptions, schema: Schema
) -> Iterator[tuple[RecordBatch, BatchStatistics]]:
    """Yield the scores of all batches in the order of the files."""
    if options.folder is None:
        # Without a folder, scores go straight into the output file.
        scorer = Scorer(front)
        with progress("scores of rows", files.rows) as advance:
            for partition in files.partitions:
                for table, statistics in score_partition(files, partition, scorer, schema):
                    yield table, statistics
                    advance(statistics.rows)
        return
    # With one, each partition has a file of its own, which a stopped run finds again.
    with open_executor(options.scheduler, "scores of rows", files.rows) as executor:
        shared_files = executor.share_files(files)
        shared_front = executor.share(front)
        tasks = [
            executor.submit(
                store_partition_scores,
                shared_files,
                number,
                shared_front,
                options.folder,
                rows=count_rows(partition),
            )
            for number, partition in enumerate(files.partitions)
        ]
        paths = executor.gather(tasks)
    for path in paths:
        yield from _load_partition_scores(path)


@dataclass(frozen=True)
class BatchStatistics:
    """What is known of the scores of a batch.

    Attributes
    ----------
    file : str
    row, rows : int
        The number of the first row in its file, from 1, and the number of rows.
    efficient : int
        The number of efficient rows.
    undefined : int
        The number of rows without an efficiency: every output of them is 0.
    least, total : float
        The least efficiency, and the sum of all.
    beyond : float
        By how much the greatest efficiency exceeds 1.
    gap, short : float
        The greatest of the rows: see `deabench.streaming.scorer.Scores`.
    unproved : int
        The number of rows whose efficiency is not proved to 1e-9.
    """

    file: str
    row: int
    rows: int
    efficient: int
    undefined: int
    least: float
    total: float
    beyond: float
    gap: float
    short: float
    unproved: int


def summarize_batch(files: ParquetFiles, batch: Batch, scores: Scores) -> BatchStatistics:
    """Return the statistics of a batch that was scored."""
    first = int(batch.positions[0])
    is_defined = ~np.isnan(scores.efficiency)
    efficiency = scores.efficiency[is_defined]
    is_proved = (scores.gap <= TOLERANCE) & (scores.shortfall <= TOLERANCE)
    return BatchStatistics(
        file=files.paths[first >> ROW_BITS],
        row=(first & ROW_MASK) + 1,
        rows=len(batch.positions),
        efficient=int(scores.efficient.sum()),
        undefined=int((~is_defined).sum()),
        least=float(efficiency.min(initial=np.inf)),
        total=float(efficiency.sum()),
        beyond=float(efficiency.max(initial=1.0)) - 1.0,
        gap=float(scores.gap.max()),
        short=float(scores.shortfall.max()),
        unproved=int((~is_proved).sum()),
    )


def score_partition(
    files: ParquetFiles, partition: Partition, scorer: Scorer, schema: Schema
) -> Iterator[tuple[RecordBatch, BatchStatistics]]:
    """Yield the scores of the rows of a partition, batch by batch.

    Raises
    ------
    DataError
        If the label columns of a file are of another type than the first file's.
    """
    for groups in partition:
        for batch in read_batches(files, groups, labels=files.labels):
            # A batch may be empty where incomplete rows are left out.
            if len(batch.positions):
                scores = scorer.score(batch.columns)
                table = _score_table(files, batch, scores, schema)
                yield table, summarize_batch(files, batch, scores)


def _score_schema(files: ParquetFiles) -> Schema:
    """Return the columns of the scores: what names a row, then efficiency, efficient, facet.

    Raises
    ------
    DataError
        If a label column has the name of a score column.
    """
    import pyarrow as pa

    for name in files.labels:
        if name in SCORE_COLUMNS:
            raise DataError(
                f"a column that names the rows is called '{name}', as one of the scores is; rename "
                "it, or name others in label"
            )
    label_fields = [pa.field("file", pa.string()), pa.field("row", pa.int64())]
    if files.labels:
        with open_parquet(files.path(_first_file(files))) as file:
            schema = file.schema_arrow
        label_fields = [schema.field(name).remove_metadata() for name in files.labels]
    dtypes = (pa.float64(), pa.bool_(), pa.int32())
    score_fields = [
        pa.field(name, dtype) for name, dtype in zip(SCORE_COLUMNS, dtypes, strict=True)
    ]
    return pa.schema([*label_fields, *score_fields])


def _first_file(files: ParquetFiles) -> int:
    """Return the number of the first file with rows; columns without rows may have no type."""
    return files.partitions[0][0].file


def _score_table(files: ParquetFiles, batch: Batch, scores: Scores, schema: Schema) -> RecordBatch:
    """Return the scores of a batch as Arrow columns."""
    import pyarrow as pa

    path = files.paths[int(batch.positions[0]) >> ROW_BITS]
    if files.labels:
        try:
            labels = [
                batch.labels.column(k).cast(schema.field(k).type) for k in range(len(files.labels))
            ]
        except (pa.ArrowException, ValueError):
            raise DataError(
                f"the columns that name the rows of '{path}' are of other types than those of "
                f"'{files.paths[_first_file(files)]}'; write all files with the same types"
            ) from None
    else:
        # Repeat one string by index: no Python string for each row.
        first = pa.array(np.zeros(len(batch.positions), dtype=np.int64))
        labels = [
            pa.array([path], pa.string()).take(first),
            pa.array((batch.positions & ROW_MASK) + 1),
        ]
    columns = [
        pa.array(scores.efficiency),
        pa.array(scores.efficient),
        pa.array(scores.facet.astype(np.int32)),
    ]
    return pa.record_batch([*labels, *columns], schema=schema)


@contextmanager
def _open_writer(path: Path, schema: Schema) -> Iterator[ParquetWriter]:
    """Open a Parquet file that exists only when all of it is written."""
    import pyarrow.parquet as pq

    labels = [name for name in schema.names if name not in SCORE_COLUMNS]
    with (
        replace_file(path) as temporary,
        pq.ParquetWriter(temporary, schema, use_dictionary=labels) as writer,
    ):
        yield writer


def store_partition_scores(files: ParquetFiles, number: int, front: Frontier, folder: Path) -> Path:
    """Return the file of a partition's scores in a folder; write it if it does not exist."""
    partition = files.partitions[number]
    path = folder / f"{_scores_digest(files, partition, front)}.parquet"
    if _has_statistics(path):
        return path
    schema = _score_schema(files)
    # The statistics go into the file's metadata, at its end: a file with them is complete.
    statistics = list[BatchStatistics]()
    with _open_writer(path, schema) as writer:
        for table, batch_statistics in score_partition(files, partition, Scorer(front), schema):
            writer.write_batch(table)
            statistics.append(batch_statistics)
        metadata = json.dumps([asdict(row) for row in statistics])
        writer.add_key_value_metadata({"deabench": metadata})
    return path


def _scores_digest(files: ParquetFiles, partition: Partition, front: Frontier) -> str:
    """Return 40 hexadecimal digits that change with anything the scores depend on."""
    # The candidates' digest covers the files; the arrays cover the frontier.
    hull = front.hull
    tolerance = front.source_summary.tolerance if front.source_summary is not None else 0.0
    digest = hashlib.blake2b(files.partition_digest(partition, tolerance).encode(), digest_size=20)
    names = [files.labels, [files.paths[groups.file] for groups in partition]]
    digest.update(json.dumps(names).encode())
    vertices = front.vertex_outputs.to_numpy()
    for array in (vertices, hull.normals, hull.members, hull.facet, front.origin, front.unit):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _has_statistics(path: Path) -> bool:
    """Return whether a file of scores exists and was written to its end."""
    if not path.exists():
        return False
    try:
        with open_parquet(str(path)) as file:
            return b"deabench" in (file.metadata.metadata or {})
    except DataError:
        return False


def _load_partition_scores(path: Path) -> Iterator[tuple[RecordBatch, BatchStatistics]]:
    """Yield the stored scores of a partition, batch by batch."""
    with open_parquet(str(path)) as file:
        statistics = json.loads(file.metadata.metadata[b"deabench"])
        for k, row in enumerate(statistics):
            # Each batch was written as one row group.
            (table,) = file.read_row_group(k, use_threads=False).combine_chunks().to_batches()
            yield table, BatchStatistics(**row)
