"""Rank the rows of many files: their frontier in one pass, their scores in a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pandas as pd

from deabench.errors import DataError
from deabench.results.frontier import Frontier
from deabench.results.proof import Proof
from deabench.streaming.files import Files, apart
from deabench.streaming.frontier import StreamOptions, found, parse_options
from deabench.streaming.options import files_of
from deabench.streaming.scorer import Scorer
from deabench.streaming.statistics import Said, from_kept, keep_part, schema_of, scored, writer_of
from deabench.utils.progress import progress
from deabench.utils.result import Result

if TYPE_CHECKING:
    from pyarrow import RecordBatch


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
        unproved = int(self.batches["unproved"].sum())
        said = (f"the efficiency of {unproved:,} rows is not proved to 1e-9",) if unproved else ()
        return (*self.frontier.notes, *said)

    def to_frame(self) -> pd.DataFrame:
        """A row per file: its rows, how many of them are efficient, their least and mean
        efficiency, the largest gap.
        """
        groups = self.batches.groupby("file", sort=False)
        frame = groups.agg(
            rows=("rows", "sum"),
            efficient=("efficient", "sum"),
            least=("least", "min"),
            gap=("gap", "max"),
        )
        frame.insert(3, "mean", groups["total"].sum() / frame["rows"])
        return frame

    def proof(self) -> Proof:
        """The scores in the file against the rows in theirs, all read again."""
        proof: Proof = self._call("deabench.streaming.verify", "verify_scores")
        return proof

    @property
    def reasons(self) -> dict[object, str]:
        return {}


def rank_files(
    files: str | Path,
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
    """Rank the rows of many Parquet files by efficiency, in fixed memory, and write the scores to
    one more.

    Parameters
    ----------
    files : str or Path
        A pattern, as "sweep/*.parquet", or a folder of Parquet files, which are one table in the
        order of their names; or one file.
    out : str or Path
        The Parquet file to write, whole or not at all.
    outputs, lower_is_better, label, missing, tolerance, kept, scheduler
        As for `deabench.frontier`; the model is (5), that of `deabench.rank` without inputs.

    Returns
    -------
    FilesRanking

    Raises
    ------
    DataError
        Where a file, a column or a cell cannot be used, by file and row.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> import deabench as db
    >>> folder = Path(tempfile.mkdtemp())
    >>> for k in range(2):
    ...     rows = pd.DataFrame({"model": [f"a{k}", f"b{k}"], "TPR": [.9 - .1 * k, .5], "TNR": [.5, .8]})
    ...     rows.to_parquet(folder / f"{k}.parquet")
    >>> ranking = db.rank_files(folder / "?.parquet", folder / "scores.parquet", outputs=["TPR", "TNR"])
    >>> pd.read_parquet(ranking.path)["efficiency"].round(3).tolist()
    [1.0, 1.0, 0.936, 1.0]
    """
    way = parse_options(tolerance, kept, scheduler)
    if not isinstance(files, str | Path):
        raise DataError(
            f"the files are a {type(files).__name__}; say 'sweep/*.parquet', or use deabench.rank for a table"
        )
    if way.scheduler is not None and way.kept is None:
        raise DataError(
            "a cluster hands over scores in a folder that all its machines see; name one in kept"
        )
    apart(files, Path(out))
    found_ = files_of(
        files, outputs=outputs, lower_is_better=lower_is_better, label=label, missing=missing
    )
    return written(found_, Path(out), way)


def written(files: Files, out: Path, way: StreamOptions) -> FilesRanking:
    """Both passes over files whose columns are known."""
    schema = schema_of(files)
    if out.resolve() in {Path(path).resolve() for path in files.paths}:
        raise DataError(f"'{out}' is one of the files that are ranked; write the scores elsewhere")
    with writer_of(out, schema) as writer:  # that it can be written shows before any row is read
        front = found(files, way)
        said = list[Said]()
        with progress("scores of rows", files.rows) as advance:
            for table, of in _all(files, front, way, advance):
                writer.write_batch(table)
                said.append(of)
    return FilesRanking(
        front, str(out), pd.DataFrame([asdict(one) for one in said]).rename_axis("batch")
    )


def _all(
    files: Files, front: Frontier, way: StreamOptions, advance: Callable[[int], None]
) -> Iterator[tuple[RecordBatch, Said]]:
    """All batches in the order of the files."""
    if way.kept is None:
        scorer, schema = Scorer(front), schema_of(files)
        for part in files.parts:
            for table, of in scored(files, part, scorer, schema):
                yield table, of
                advance(of.rows)
        return
    if way.scheduler is not None:
        from deabench.streaming.dask import scores

        scores(files, front, way)
    for part in files.parts:
        yield from from_kept(keep_part(files, part, front, way.kept, advance))
