"""Scores of files are those of one table, written whole, proved, and the same bits however they
come about.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sweeps import KINDS, METRICS, sweep, written

import deabench as db
from deabench.cli import main
from deabench.streaming import batches, files
from deabench.streaming.rank_files import _has_statistics
from deabench.streaming.verify import _greatest_distance

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_table_in_memory(kind: str, tmp_path: Path) -> None:
    frame = sweep(kind, 800)
    ranking = db.rank_files(
        written(frame, tmp_path, [300, 301]), tmp_path / "scores", outputs=METRICS
    )
    scores, result = (
        pd.read_parquet(ranking.path),
        db.rank(frame.set_index("model"), outputs=METRICS),
    )
    assert list(scores.columns) == ["model", "efficiency", "efficient", "facet"]
    assert scores["model"].tolist() == frame["model"].tolist()
    np.testing.assert_allclose(scores["efficiency"], result.scores, rtol=0, atol=1e-12)
    assert scores["efficient"].tolist() == result.efficient.tolist()
    facets = ranking.frontier.facets
    weights = (
        facets[METRICS].to_numpy()[scores["facet"]]
        / facets["offset"].to_numpy()[scores["facet"], None]
    )
    np.testing.assert_allclose(
        (weights * frame[METRICS].to_numpy()).sum(axis=1), scores["efficiency"], atol=1e-12
    )
    assert ranking.batches["unproved"].sum() == 0
    assert db.certify(ranking)[["gap", "short", "efficient"]].to_numpy().max() < 1e-9
    files = ranking.to_frame()
    assert files["rows"].tolist() == [300, 1, 499]
    parts = np.split(scores["efficiency"].to_numpy(), [300, 301])
    np.testing.assert_allclose(files["mean"], [part.mean() for part in parts], rtol=1e-12)
    assert files["least"].tolist() == [part.min() for part in parts]


@pytest.mark.parametrize(
    "kind", ["one decimal", "every row twice", "shell of a simplex", "a millionth apart"]
)
def test_the_score_of_a_row_has_the_same_bits_in_any_batch(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = sweep(kind)
    first = pd.read_parquet(
        db.rank_files(written(frame, tmp_path / "a"), tmp_path / "one", outputs=METRICS).path
    )
    monkeypatch.setattr(files, "PARTITION_ROWS", 1100)
    monkeypatch.setattr(batches, "BATCH_ROWS", 77)
    mixed = frame.sample(frac=1.0, random_state=0)
    folder = written(mixed, tmp_path / "b", [5, 1200], groups=999)
    second_scores = pd.read_parquet(db.rank_files(folder, tmp_path / "two", outputs=METRICS).path)
    back = second_scores.set_axis(mixed.index, axis=0).sort_index()
    pd.testing.assert_frame_equal(back, first, check_exact=True)


def test_scores_that_are_changed_afterwards_do_not_certify(tmp_path: Path) -> None:
    ranking = db.rank_files(written(sweep(n=1000), tmp_path), tmp_path / "scores", outputs=METRICS)
    db.certify(ranking)
    table, groups = pq.read_table(ranking.path), ranking.batches["rows"].tolist()

    def again(**columns: np.ndarray) -> None:
        changed = table
        for name, values in columns.items():
            column_index = table.schema.names.index(name)
            changed = changed.set_column(
                column_index,
                table.schema.field(name),
                pa.array(values, table.schema.field(name).type),
            )
        with pq.ParquetWriter(ranking.path, table.schema) as writer:
            start = 0
            for rows in groups:
                writer.write_table(changed.slice(start, rows))
                start += rows

    score, efficient, facet = (
        table[name].to_numpy().copy() for name in ("efficiency", "efficient", "facet")
    )
    higher = np.where(np.arange(1000) == 500, score + 1e-6, score)
    for columns, message in (
        ({"efficiency": higher}, "distance of the score from its proof"),
        ({"efficient": ~efficient}, "efficient"),
        (
            {"facet": (facet + 1) % len(ranking.frontier.facets)},
            "distance of the score from its weights",
        ),
    ):
        again(**columns)
        with pytest.raises(db.CertificateError, match=f"{message} is "):
            db.certify(ranking)
    again()
    db.certify(ranking)
    for name in ranking.batches.columns.drop("file"):
        changed_batches = ranking.batches.assign(**{name: ranking.batches[name] + 1})
        with pytest.raises(
            db.CertificateError,
            match=r"statistics of the batch is 1|has other rows than were scored",
        ):
            db.certify(dataclasses.replace(ranking, batches=changed_batches))
    # A row less, and as many rows in other groups.
    for other_rows, size in ((table.slice(0, 999), None), (table, 100)):
        pq.write_table(other_rows, ranking.path, row_group_size=size)
        with pytest.raises(
            db.CertificateError, match="has other rows than were scored; compute the result again"
        ):
            db.certify(ranking)
    again(facet=facet + len(ranking.frontier.facets))
    with pytest.raises(db.CertificateError, match="has other rows than were scored"):
        db.certify(ranking)


def test_columns_that_name_rows_stay_as_they_are(tmp_path: Path) -> None:
    frame = sweep(n=500)
    frame.insert(1, "threshold", np.linspace(0, 1, 500))
    folder = written(frame, tmp_path / "sweep", [200])
    named = pd.read_parquet(
        db.rank_files(
            folder, tmp_path / "named", outputs=METRICS, label=["threshold", "model"]
        ).path
    )
    pd.testing.assert_frame_equal(named[["model", "threshold"]], frame[["model", "threshold"]])
    bare = written(frame.drop(columns="model"), tmp_path / "bare", [200])
    placed = pd.read_parquet(db.rank_files(bare, tmp_path / "placed", outputs=METRICS).path)
    assert placed["file"].unique().tolist() == [
        f"{bare}/part-00.parquet",
        f"{bare}/part-01.parquet",
    ]
    assert placed["row"].tolist() == [*range(1, 201), *range(1, 301)]
    frame.loc[200:, METRICS[0]] = np.nan
    ranking = db.rank_files(
        written(frame, tmp_path / "nan"), tmp_path / "left", outputs=METRICS, missing="drop-systems"
    )
    assert pd.read_parquet(ranking.path)["model"].tolist() == frame["model"][:200].tolist()


KILLED = """
import os, signal, sys
from pathlib import Path
from deabench.streaming import batches, files, rank_files, reduce
import deabench as db
files.PARTITION_ROWS, batches.BATCH_ROWS = 700, 300
done = 0
def dying(work, after):
    def counted(*given):
        global done
        done += 1
        if done > after:
            os.kill(os.getpid(), signal.SIGKILL)
        return work(*given)
    return counted
for place, name, after in ((reduce, "save_candidates", 2), (rank_files, "_score_table", 5)):
    pid = os.fork()
    if pid == 0:
        setattr(place, name, dying(getattr(place, name), after))
        db.rank_files(sys.argv[1], sys.argv[2], outputs=["TPR", "TNR", "AUC"], kept=sys.argv[3])
        os._exit(0)
    died = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    suffixes = sorted(path.suffix for path in Path(sys.argv[3]).glob("[!.]*"))
    print(-died, Path(sys.argv[2]).exists(), *suffixes)
"""


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_and_has_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, parts_folder, out = (
        written(sweep(), tmp_path / "sweep", [1000]),
        tmp_path / "kept",
        tmp_path / "scores.parquet",
    )
    straight = db.rank_files(folder, tmp_path / "straight.parquet", outputs=METRICS)
    command = [sys.executable, "-c", KILLED, str(folder), str(out), str(parts_folder)]
    died = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    kill = int(signal.SIGKILL)
    assert died.stdout.splitlines() == [
        f"{kill} False .npz .npz",
        f"{kill} False .npz .npz .npz .npz .parquet",
    ]
    finished_parts = list(parts_folder.glob("[!.]*"))
    before = {path: path.stat().st_mtime_ns for path in finished_parts}
    read = list[int]()
    monkeypatch.setattr(
        batches,
        "_check_batch",
        lambda *options, work=batches._check_batch: read.append(1) or work(*options),
    )
    resumed = db.rank_files(folder, out, outputs=METRICS, kept=parts_folder)
    assert all(path.stat().st_mtime_ns == changed_at for path, changed_at in before.items())
    assert (
        len(read) == 4 + 3 + 2
    )  # the batches of the three parts whose scores were not there, once
    assert out.read_bytes() == Path(straight.path).read_bytes()
    pd.testing.assert_frame_equal(resumed.batches, straight.batches, check_exact=True)
    db.certify(resumed)


DYING = """
import os, signal
from deabench.streaming import rank_files, reduce
def once(work, mark):
    def dying(*given):
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return work(*given)
        os.kill(os.getpid(), signal.SIGKILL)
    return dying
reduce.partition_candidates = once(reduce.partition_candidates, mark + "-candidates")
rank_files.store_partition_scores = once(rank_files.store_partition_scores, mark + "-scores")
"""


@pytest.mark.slow
def test_a_cluster_that_loses_workers_has_the_same_bits(
    tmp_path: Path, refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(batches, "BATCH_ROWS", 1 << 18)  # as the workers have it
    folder, parts_folder = written(sweep(), tmp_path / "sweep", [1000]), tmp_path / "kept"
    straight = db.rank_files(folder, tmp_path / "straight.parquet", outputs=METRICS)
    two = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "host": "127.0.0.1",
        "dashboard_address": None,
        "silence_logs": 50,
    }
    with (
        distributed.LocalCluster(**two) as local_cluster,
        distributed.Client(local_cluster) as client,
    ):
        client.run(exec, DYING, {"mark": str(tmp_path / "died")})
        ranking = db.rank_files(
            folder,
            tmp_path / "scores.parquet",
            outputs=METRICS,
            kept=parts_folder,
            scheduler=local_cluster.scheduler_address,
        )
        cell = sweep()
        cell.loc[2900, "TNR"] = -1.0
        path = written(cell, tmp_path / "bad", [1000]) / "part-01.parquet"
        with refused(f"metric 'TNR' of row 1,901 of '{path}' is -1; DEA needs values >= 0"):
            db.frontier(
                tmp_path / "bad", outputs=METRICS, scheduler=local_cluster.scheduler_address
            )
    assert {path.name for path in tmp_path.glob("died-*")} == {
        "died-candidates",
        "died-scores",
    }  # a worker in each pass
    assert Path(ranking.path).read_bytes() == Path(straight.path).read_bytes()
    np.testing.assert_array_equal(ranking.frontier.hull.normals, straight.frontier.hull.normals)
    assert ranking.frontier.extreme == straight.frontier.extreme


def test_stored_parts_are_used_for_the_same_options_and_files_alone(
    tmp_path: Path,
) -> None:
    frame = sweep()
    folder, parts_folder = written(frame, tmp_path / "sweep", [1000]), tmp_path / "kept"
    first = db.frontier(folder, outputs=METRICS, kept=parts_folder)
    number = len(list(parts_folder.iterdir()))
    repeated = db.frontier(folder, outputs=METRICS, kept=parts_folder)
    assert (repeated.extreme, len(list(parts_folder.iterdir()))) == (first.extreme, number)
    for path in parts_folder.glob("*.npz"):  # what does not read as it was written is made anew
        with np.load(path) as file:
            np.savez(path, **{**file, "values": file["values"] * 0.5})
    assert db.frontier(folder, outputs=METRICS, kept=parts_folder).extreme == first.extreme
    assert (
        db.frontier(folder, outputs=METRICS[:2], kept=parts_folder).extreme
        == db.frontier(folder, outputs=METRICS[:2]).extreme
    )
    for path in parts_folder.iterdir():
        path.write_bytes(path.read_bytes()[:-40])
    assert db.frontier(folder, outputs=METRICS, kept=parts_folder).extreme == first.extreme
    frame.loc[2500, METRICS] = 0.999
    written(frame, folder, [1000])
    os.utime(folder / "part-01.parquet", ns=(1, 1))
    changed = db.frontier(folder, outputs=METRICS, kept=parts_folder)
    assert "m2500" in changed.extreme
    (folder / "part-00.parquet").rename(
        folder / "part-02.parquet"
    )  # parts are known by their files, wherever these stand
    moved = db.frontier(folder, outputs=METRICS, kept=parts_folder)
    assert sorted(moved.extreme) == sorted(changed.extreme)


def test_the_commands_read_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = sweep(n=1200)
    folder, out = written(frame, tmp_path / "sweep", [500]), tmp_path / "scores.parquet"
    arguments = [
        f"{folder}/*.parquet",
        "--outputs",
        "TPR,TNR,AUC",
        "--kept",
        str(tmp_path / "kept"),
    ]
    assert main(["frontier", *arguments, "--format", "json"]) == 0
    captured = capsys.readouterr()
    front = db.frontier(frame.set_index("model"), outputs=METRICS)
    assert f"on the frontier: {', '.join(front.extreme)}\n" in captured.err
    assert len(json.loads(captured.out)) == len(front.facets)
    assert main(["rank", *arguments, "-o", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    mean = pd.read_parquet(out)["efficiency"].mean()
    assert (
        f"of 1,200 rows are efficient, mean efficiency {mean:.4g}; the scores are in"
        in captured.err
    )
    for extra_arguments, wrong in (
        (
            ["-o", "scores.csv"],
            "the scores of many files are written as Parquet; type -o scores.parquet",
        ),
        ([], "the scores of many files are written as Parquet; type -o scores.parquet"),
        (
            ["-o", "s.parquet", "--model", "ccr"],
            "--model cannot be used with many files; leave it out",
        ),
        (
            ["-o", "s.parquet", "--by-dataset"],
            "--by-dataset cannot be used with many files; leave it out",
        ),
    ):
        assert main(["rank", *arguments, *extra_arguments]) == 2
        assert capsys.readouterr().err == f"deabench: {wrong}\n"
    frame.to_csv(tmp_path / "one.csv", index=False)
    assert main(["rank", str(tmp_path / "one.csv"), "--kept", "here"]) == 2
    assert capsys.readouterr().err == "deabench: --kept is for many files; leave it out\n"
    assert main(["rank", str(tmp_path / "one.csv"), "-o", "scores.parquet"]) == 2
    assert "tables are written as CSV" in capsys.readouterr().err


def test_a_ranking_that_does_not_know_its_files_does_not_certify(tmp_path: Path, refused) -> None:
    ranking = db.rank_files(written(sweep(n=300), tmp_path), tmp_path / "scores", outputs=METRICS)
    without_files = dataclasses.replace(ranking.frontier.source_summary, files=None)
    with refused(
        "the ranking does not name its files; compute the result again", db.CertificateError
    ):
        db.certify(
            dataclasses.replace(
                ranking,
                frontier=dataclasses.replace(ranking.frontier, source_summary=without_files),
            )
        )


def test_only_a_whole_part_counts_as_stored(tmp_path: Path) -> None:
    part = tmp_path / "part.parquet"
    assert not _has_statistics(part)
    part.write_bytes(b"PAR1 and no more")
    assert not _has_statistics(part)
    # The statistics are written last.
    table = pa.table({"efficiency": [1.0]})
    pq.write_table(table, part)
    assert not _has_statistics(part)
    pq.write_table(table.replace_schema_metadata({"deabench": "[]"}), part)
    assert _has_statistics(part)


def test_files_without_a_complete_row_are_read_over_and_proved(tmp_path: Path, refused) -> None:
    """By hand: b has .5 and .75 of a's metrics; the second file holds gaps only."""
    for number, rows in enumerate(([["a", 0.8, 0.8], ["b", 0.4, 0.6]], [["c", np.nan, 0.9]])):
        frame = pd.DataFrame(rows, columns=["model", "TPR", "TNR"])
        frame.to_parquet(tmp_path / f"{number}.parquet", index=False)
    pattern = str(tmp_path / "*.parquet")
    ranking = db.rank_files(
        pattern, tmp_path / "scores", outputs=["TPR", "TNR"], label="model", missing="drop-systems"
    )
    assert pd.read_parquet(ranking.path)["efficiency"].tolist() == pytest.approx([1, 0.75])
    assert len(db.certify(ranking)) == 1
    # Rows that are not proved are counted in a note.
    unproved = dataclasses.replace(ranking, batches=ranking.batches.assign(unproved=1234))
    assert unproved.notes[-1] == "the efficiency of 1,234 rows is not proved to 1e-9"
    # A score that is undefined on one side only is infinitely far from its proof.
    undefined = np.array([np.nan, 0.5])
    assert _greatest_distance(undefined, np.array([np.nan, 0.75])) == 0.25
    assert _greatest_distance(undefined, np.array([1.0, 0.5])) == np.inf
    twice = tmp_path / "twice"
    twice.mkdir()
    values = [pa.array([0.5, 0.6])] * 2
    pq.write_table(pa.Table.from_arrays(values, ["TPR", "TPR"]), twice / "x.parquet")
    with refused(
        f"the column 'TPR' appears more than once in '{twice / 'x.parquet'}'; give every column a "
        "name of its own"
    ):
        db.frontier(str(twice / "*.parquet"), outputs=["TPR"])


def test_files_without_rows_do_not_decide_the_types_of_labels(tmp_path: Path) -> None:
    """pandas writes a column of text without rows as one of no type."""
    rows = pd.DataFrame({"model": ["a", "b"], "TPR": [0.9, 0.5], "TNR": [0.5, 0.8]})
    rows.iloc[:0].astype({"model": object}).to_parquet(tmp_path / "0.parquet")
    rows.to_parquet(tmp_path / "1.parquet")
    ranking = db.rank_files(tmp_path, tmp_path / "scores", outputs=["TPR", "TNR"])
    assert pd.read_parquet(ranking.path)["model"].tolist() == ["a", "b"]


def test_a_column_that_names_the_rows_twice_is_written_once(tmp_path: Path) -> None:
    rows = pd.DataFrame({"model": ["a", "b"], "TPR": [0.9, 0.5], "TNR": [0.5, 0.8]})
    rows.to_parquet(tmp_path / "0.parquet")
    names = ["model", "model"]
    ranking = db.rank_files(tmp_path, tmp_path / "scores", outputs=["TPR", "TNR"], label=names)
    assert pd.read_parquet(ranking.path).columns[:2].tolist() == ["model", "efficiency"]


def test_two_columns_of_one_name_cannot_name_the_rows(tmp_path: Path) -> None:
    arrays = [pa.array(["a"]), pa.array(["b"]), pa.array([0.5]), pa.array([0.4])]
    pq.write_table(pa.table(arrays, names=["m", "m", "TPR", "TNR"]), tmp_path / "0.parquet")
    with pytest.raises(db.DataError, match="the column 'm' appears more than once"):
        db.rank_files(tmp_path, tmp_path / "scores", outputs=["TPR", "TNR"])
