"""What cannot be used is refused by file, row and column; nothing is written then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sweeps import METRICS, sweep, written

import deabench as db
from deabench.streaming import batches, files

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
Change = Callable[[pd.DataFrame], object]


@pytest.mark.slow
def test_the_bad_cell_in_row_seven_million_is_named(
    tmp_path: Path, refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH_ROWS", 1 << 18)
    monkeypatch.setattr(files, "PARTITION_ROWS", 1 << 22)
    n = 7_050_000
    valid, bad = np.full(n, 0.5), np.full(n, 0.5)
    bad[7_000_000 - 1] = np.nan
    path = tmp_path / "big.parquet"
    for first, second, message in (
        (
            valid,
            bad,
            "metric 'TNR' of row 7,000,000 of '{}' is missing; give a finite number, or pass "
            "missing='drop-systems'",
        ),
        (
            np.where(np.isnan(bad), -0.25, bad),
            valid,
            "metric 'TPR' of row 7,000,000 of '{}' is -0.25; DEA needs values >= 0",
        ),
    ):
        pq.write_table(pa.table({"TPR": first, "TNR": second}), path)
        with refused(message.format(path)):
            db.frontier(f"{tmp_path}/*.parquet", outputs=["TPR", "TNR"])
    front = db.frontier(f"{tmp_path}/*.parquet", outputs=["TNR"])
    assert front.extreme == [f"{path}, row 1"]


def test_files_are_refused_by_name(tmp_path: Path, refused) -> None:
    with refused(
        f"no file is called '{tmp_path}/*.parquet'; give a pattern of Parquet files, as "
        "'sweep/*.parquet'"
    ):
        db.frontier(tmp_path, outputs=METRICS)
    written(sweep(n=50), tmp_path, [20])
    path = tmp_path / "part-02.parquet"
    path.write_bytes(b"")
    with refused(f"'{path}' is empty; write it again, or leave it out"):
        db.frontier(tmp_path, outputs=METRICS)
    sweep(n=50)[:0].to_parquet(path)
    assert db.frontier(tmp_path, outputs=METRICS).source_summary.rows == 50
    with refused(f"'{path}' has no rows, nor has any other file; give files with rows"):
        db.frontier(tmp_path / "*-02.parquet", outputs=METRICS)
    sweep(n=50)[["model", "TPR", "AUC"]].to_parquet(path)
    with refused(f"there is no column 'TNR' in '{path}'; did you mean 'TPR'?"):
        db.frontier(tmp_path, outputs=METRICS)
    sweep(n=50)[METRICS].to_parquet(path)
    with refused(f"there is no column 'model' in '{path}'; there are 'TPR', 'TNR', 'AUC'"):
        db.frontier(tmp_path, outputs=METRICS)
    sweep(n=50).astype({"TNR": str}).to_parquet(path)
    message = (
        f"metric 'TNR' of '{path}' is a column of .*string; DEA needs numbers, so write it as "
        "double"
    )
    with pytest.raises(db.DataError, match=message):
        db.frontier(tmp_path, outputs=METRICS)
    path.write_text("model,TPR,TNR,AUC\na,.1,.2,.3\n")
    with pytest.raises(db.DataError, match=f"'{path}' is no Parquet file, or a damaged one: "):
        db.frontier(tmp_path, outputs=METRICS)


@pytest.mark.parametrize("cut", [40, 0.5, 0.97])
def test_a_truncated_file_is_refused_by_name_and_leaves_nothing(cut: float, tmp_path: Path) -> None:
    folder = written(sweep(n=2000), tmp_path / "sweep", [1500])
    path = folder / "part-01.parquet"
    data = path.read_bytes()
    path.write_bytes(data[: int(cut if cut > 1 else cut * len(data))])
    message = f"'{path}' is no Parquet file, or a damaged one: .*; write it again, or leave it out"
    for work in (
        lambda: db.frontier(folder, outputs=METRICS),
        lambda: db.rank_files(folder, tmp_path / "scores.parquet", outputs=METRICS),
    ):
        with pytest.raises(db.DataError, match=message):
            work()
    assert [entry.name for entry in tmp_path.iterdir()] == ["sweep"]


def test_a_file_damaged_in_the_middle_is_refused_by_name_and_leaves_nothing(tmp_path: Path) -> None:
    folder = written(sweep(n=2000), tmp_path / "sweep", [1500])
    path = folder / "part-01.parquet"
    data = bytearray(path.read_bytes())
    data[100:3000] = b"\xff" * 2900
    path.write_bytes(bytes(data))
    with pytest.raises(
        db.DataError,
        match=f"'{path}' is no Parquet file, or a damaged one: .*; write it again, or leave it out",
    ):
        db.rank_files(folder, tmp_path / "scores.parquet", outputs=METRICS)
    assert [entry.name for entry in tmp_path.iterdir()] == ["sweep"]


def _set(row: int, name: str, value: float) -> Change:
    return lambda frame: frame.__setitem__(name, frame[name].where(frame.index != row, value))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            _set(1200, "AUC", np.nan),
            {},
            "metric 'AUC' of row 301 of '{}' is missing; give a finite number, or pass "
            "missing='drop-systems'",
        ),
        (
            _set(1200, "AUC", -np.inf),
            {},
            "metric 'AUC' of row 301 of '{}' is -inf; give a finite number, or pass "
            "missing='drop-systems'",
        ),
        (
            _set(1200, "TPR", -0.5),
            {},
            "metric 'TPR' of row 301 of '{}' is -0.5; DEA needs values >= 0",
        ),
        (
            _set(1200, "TPR", 1.5),
            {"lower_is_better": {"TPR": 1.0}},
            "metric 'TPR' of row 301 of '{}' is 1.5, above its stated maximum 1; state the true "
            "maximum in lower_is_better",
        ),
        (
            lambda frame: frame.__setitem__("TNR", 0.0),
            {},
            "metric 'TNR' is 0 in every row; leave it out",
        ),
        (
            lambda frame: frame.__setitem__("TNR", np.nan),
            {"missing": "drop-systems"},
            "all 1,500 rows lack some metric, so missing='drop-systems' leaves none; name fewer "
            "outputs",
        ),
    ],
)
def test_cells_are_refused_by_file_and_row(
    change: Change, options: dict, message: str, tmp_path: Path, refused
) -> None:
    frame = sweep(n=1500)
    change(frame)
    folder = written(frame, tmp_path / "sweep", [900])
    for work in (
        lambda: db.frontier(folder, outputs=METRICS, **options),
        lambda: db.rank_files(folder, tmp_path / "scores.parquet", outputs=METRICS, **options),
    ):
        with refused(message.format(f"{folder}/part-01.parquet")):
            work()
    assert [path.name for path in tmp_path.iterdir()] == ["sweep"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"inputs": ["AUC"]},
            "files are read for the frontier of outputs and their mixtures; leave out inputs and "
            "technology, or give "
            "one table that fits in memory",
        ),
        (
            {"technology": "fdh"},
            "files are read for the frontier of outputs and their mixtures; leave out inputs and "
            "technology, or "
            "give one table that fits in memory",
        ),
        (
            {"lower_is_better": {"AUC": "input"}},
            "'AUC' is an input, and files are read for the model without inputs; name the outputs "
            "alone, or give one table that fits in memory",
        ),
        (
            {"missing": "bounds"},
            "missing='bounds' needs all rows at once; for files use missing='refuse' or "
            "missing='drop-systems'",
        ),
        (
            {"outputs": ["TPR", "TPR"]},
            "metric 'TPR' is given twice among the outputs; name it once",
        ),
        ({"outputs": ["TPR", "TN"]}, "there is no column 'TN' in '{}'; did you mean 'TNR'?"),
        (
            {"outputs": [f"m{k}" for k in range(7)]},
            "there are 7 metrics and files are read for at most 6, whose facets can be listed; "
            "name fewer in outputs",
        ),
        ({"label": "modell"}, "there is no column 'modell' in '{}'; did you mean 'model'?"),
        (
            {"tolerance": 1.5},
            "tolerance is 1.5; give by how much an efficiency may exceed 1, as 0.01, or 0",
        ),
    ],
)
def test_options_that_files_cannot_have_are_refused(
    options: dict, message: str, tmp_path: Path, refused
) -> None:
    frame = sweep(n=20)
    for k in range(7):
        frame[f"m{k}"] = 0.5
    folder = written(frame, tmp_path)
    with refused(message.format(f"{folder}/part-00.parquet")):
        db.frontier(folder, **{"outputs": METRICS, **options})


def test_outputs_and_labels_that_scores_cannot_have_are_refused(tmp_path: Path, refused) -> None:
    frame = sweep(n=20)
    folder = written(frame, tmp_path / "sweep")
    out = tmp_path / "scores.parquet"
    with refused(
        f"'{folder}' is many files, and their scores go to a file; use "
        "deabench.rank_files(files, 'scores.parquet')"
    ):
        db.rank(folder)
    with refused(
        "tolerance, kept and scheduler apply to many files only; give a pattern, as "
        "'sweep/*.parquet', or leave them out"
    ):
        db.frontier(frame, tolerance=0.1)
    with refused(
        "the files are a DataFrame; give a pattern, as 'sweep/*.parquet', or use deabench.rank "
        "for a table"
    ):
        db.rank_files(frame, out)
    with refused(
        f"'{folder}/scores.parquet' would be one of '*.parquet' the next time; write the scores "
        "elsewhere"
    ):
        db.rank_files(folder, folder / "scores.parquet", outputs=METRICS)
    with refused(
        "a cluster passes scores on in a folder that all its machines see; name one in kept"
    ):
        db.rank_files(folder, out, scheduler="tcp://127.0.0.1:1")
    with refused(
        f"'{folder}/part-00.parquet' is one of the files that are ranked; write the scores "
        "elsewhere"
    ):
        db.rank_files(folder, folder / "part-00.parquet", outputs=METRICS)
    with refused(
        f"cannot write '{tmp_path}/none/scores.parquet': No such file or directory; name a "
        "folder that exists and is "
        "writable"
    ):
        db.rank_files(folder, tmp_path / "none" / "scores.parquet", outputs=METRICS)
    separate = db.rank_files(
        folder / "part-00.parquet", out, outputs=METRICS
    )  # one file, however large
    assert separate.to_frame()["rows"].tolist() == [
        len(pd.read_parquet(folder / "part-00.parquet"))
    ]
    out.unlink()
    frame.rename(columns={"model": "facet"}).to_parquet(folder / "part-00.parquet")
    with refused(
        "a column that names the rows is called 'facet', as one of the scores is; rename it, or "
        "name others in label"
    ):
        db.rank_files(folder, out, outputs=METRICS)
    frame.loc[3, METRICS] = 0.0
    written(frame, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["sweep"]
    # A row of zeros has no efficiency and a note, as in memory; files without rows count nothing.
    frame[:0].to_parquet(folder / "part-99.parquet")
    ranking = db.rank_files(folder, out, outputs=METRICS)
    in_memory = db.rank(frame.set_index("model"), outputs=METRICS)
    of_files = pd.read_parquet(out).set_index("model")["efficiency"]
    pd.testing.assert_series_equal(of_files, in_memory.scores, check_names=False, rtol=1e-12)
    assert of_files.isna().sum() == 1
    assert (
        "1 rows have no efficiency: every output of them is 0, and no factor makes more of nothing"
        in ranking.notes
    )
    db.certify(ranking)


def test_a_folder_called_dash_is_no_source_of_its_own(tmp_path, monkeypatch) -> None:
    """`-` is standard input, whatever lies in the folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").mkdir()
    (tmp_path / "--").mkdir()
    assert not files.is_multi_file("-")
    assert files.is_multi_file("--")
