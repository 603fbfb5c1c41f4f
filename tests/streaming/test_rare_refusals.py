"""What ends the work on files, sentence by sentence."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from sweeps import METRICS, sweep

import deabench as db
from deabench.streaming import candidates, executors, files, frontier, reduce


def test_files_of_costs_alone_are_ranked_in_memory(tmp_path: Path, refused: Any) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    frame = pd.DataFrame({"model": list("ab"), "log_loss": [0.5, 0.7], "cost": [1.0, 2.0]})
    frame.to_parquet(folder / "part.parquet")
    with refused(
        "'log_loss' is better low and no column is better high, and files are read for the model "
        "of "
        "outputs; rank losses and costs alone in memory: "
        "deabench.rank(pandas.concat(map(pandas.read_parquet, files), ignore_index=True))"
    ):
        db.rank_files(folder, tmp_path / "scores.parquet")


def test_labels_of_several_types_are_no_column(tmp_path: Path, refused: Any) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    frame = sweep(n=40)[METRICS]
    frame.iloc[:20].assign(model=range(20)).to_parquet(folder / "a.parquet")
    frame.iloc[20:].assign(model="x").to_parquet(folder / "b.parquet")
    with refused(
        f"the columns that name the rows of '{folder}/b.parquet' are of other types than those of "
        f"'{folder}/a.parquet'; write all files with the same types"
    ):
        db.rank_files(folder, tmp_path / "scores.parquet", outputs=METRICS, label="model")


def test_candidates_of_several_parts_may_have_too_many_facets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = sweep("shell of a simplex", 400)[METRICS].to_numpy()
    parts = [
        reduce.CandidateSet(
            values=values[k::2],
            positions=pd.RangeIndex(k, 400, 2).to_numpy(),
            minima=values[k::2].min(axis=0),
            maxima=values[k::2].max(axis=0),
            rows=200,
            left_out=3 + k,
        )
        for k in range(2)
    ]
    merged = reduce.merge_candidates(parts, 0.0)
    assert (merged.rows, merged.left_out) == (400, 7)
    assert (merged.minima == values.min(axis=0)).all()
    assert (merged.maxima == values.max(axis=0)).all()
    monkeypatch.setattr(candidates, "MAX_FACETS", 10)
    with pytest.raises(db.DataError, match="the candidates of 400 rows"):
        reduce.merge_candidates(parts, 0.0)


def test_a_part_that_kills_its_workers_ends_the_run(refused: Any) -> None:
    distributed = pytest.importorskip("distributed")

    def gather(_: object) -> None:
        raise distributed.KilledWorker("part", SimpleNamespace(address="worker"), 3)

    executor = executors.DaskExecutor(SimpleNamespace(gather=gather), "tcp://1.2.3.4:8786", print)
    executor._wait = lambda _: None  # type: ignore[method-assign]  # nothing is waited for
    with refused(
        "a part of the files killed the workers of 'tcp://1.2.3.4:8786' again and again; give them "
        "more memory"
    ):
        executor.gather([])


@pytest.mark.parametrize(
    ("status", "threads", "begins"),
    [
        ("running", {}, "the cluster at 'tcp://x' has had no worker for "),
        ("running", {"w": 2}, "the Dask scheduler at 'tcp://x' is gone; "),
        ("closed", {}, "the Dask scheduler at 'tcp://x' is gone; "),
    ],
)
def test_a_cluster_without_workers_is_told_from_one_that_is_gone(status, threads, begins) -> None:
    client = SimpleNamespace(status=status, nthreads=lambda: threads)
    cluster = SimpleNamespace(client=client, address="tcp://x")
    cluster._count_threads = lambda: executors.DaskExecutor._count_threads(cluster)
    assert str(executors.DaskExecutor._connection_error(cluster)).startswith(begins)


def test_files_that_are_not_there_any_more_are_named(tmp_path: Path, refused: Any) -> None:
    path = str(tmp_path / "gone.parquet")
    with (
        refused(f"cannot read '{path}': No such file or directory; name a Parquet file"),
        files.open_parquet(path),
    ):
        pass
    with refused(
        f"cannot read '{path}': No such file or directory; put the file back, or start again "
        "without it"
    ):
        files._file_identity(path)


def test_finished_parts_need_a_folder(tmp_path: Path, refused: Any) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "parts"
    with refused(
        f"cannot store finished parts in '{folder}': Not a directory; name a folder that is "
        "writable"
    ):
        frontier.parse_options(0.0, folder, None)


def test_parquet_files_need_pyarrow(refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (
        refused(
            "'a.parquet' is a Parquet file, which needs pyarrow: pip install 'deabench[parquet]'"
        ),
        files.open_parquet("a.parquet"),
    ):
        pass


def test_files_of_counts_hold_no_metrics(tmp_path: Path, refused: Any) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    counts = pd.DataFrame({"tp": [9, 8], "fn": [1, 2], "fp": [1, 2], "tn": [9, 8]})
    counts.assign(model=list("ab")).to_parquet(folder / "part.parquet")
    with refused(
        "'the table' holds counts of 2 classifiers, no metrics; `deabench metrics FILE` computes "
        "metrics, and `deabench uncertainty FILE` intervals and verdicts"
    ):
        db.rank_files(folder, tmp_path / "scores.parquet")


def test_results_of_a_cluster_that_ends_are_refused(
    refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Futures are cancelled with the scheduler; without workers nothing is waited for long."""

    def raise_error(error: type[BaseException]) -> Any:
        def fail(*_: object, **__: object) -> None:
            raise error

        return fail

    stub = SimpleNamespace(
        KilledWorker=type("KilledWorker", (Exception,), {}), wait=raise_error(TimeoutError)
    )
    monkeypatch.setitem(sys.modules, "distributed", stub)
    client = SimpleNamespace(status="closed", gather=raise_error(executors.CANCELLED[0]))
    executor = executors.DaskExecutor(client, "tcp://x", lambda rows: None)
    with refused(
        "the Dask scheduler at 'tcp://x' is gone; start it again, and run again: finished parts "
        "are in the folder given as kept"
    ):
        executor.gather([])
    client.status = "running"
    client.nthreads = dict
    monkeypatch.setattr(executors, "PATIENCE", 0)
    with refused(
        "the cluster at 'tcp://x' has had no worker for 0 s; start workers, and run again"
    ):
        executor.gather(["a future"])
    client.gather = raise_error(stub.KilledWorker)
    with refused(
        "a part of the files killed the workers of 'tcp://x' again and again; give them more memory"
    ):
        executor.gather([])
