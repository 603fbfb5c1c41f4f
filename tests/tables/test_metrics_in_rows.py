"""Rows with a unit of their own are metrics, whatever they are called."""

import pandas as pd
import pytest

import deabench as db

ROWS = [
    "| N = 500 | alpha | beta | gamma |",
    "|---|---|---|---|",
    "| [T1] Parse N lines (time) | 188 ms | 154 ms | 0.3 s |",
    "| [T1] Parse N lines (docSize) | 6,031 bytes | 5,031 bytes | 6 KB |",
    "| Throughput of replies | 310 req/s | 280 req/s | 190 req/s |",
    "| Startup | 20 ms | 31 ms | 12 ms |",
]


def read_rows(folder, rows) -> db.Table:
    file = folder / "libraries.md"
    file.write_text("\n".join(rows) + "\n")
    return db.read(file)


def test_rows_with_units_of_their_own_are_metrics(tmp_path) -> None:
    table = read_rows(tmp_path, ROWS)
    assert table.kind == "metrics-in-rows"
    assert list(table.frame.index) == ["alpha", "beta", "gamma"]
    assert table.outputs == ["Throughput of replies"]
    # "N lines" is no count where the cells are times.
    assert {*table.costs} == {
        "[T1] Parse N lines (time)",
        "[T1] Parse N lines (docSize)",
        "Startup",
    }


@pytest.mark.parametrize(
    "rows",
    [
        # Two units in a row: the columns are metrics.
        ["| red | 20 ms | 300 MB | 20 ms |", "| blue | 25 ms | 310 MB | 22 ms |"],
        # Most rows have no unit.
        [*ROWS[2:4], "| Stops | 3 | 4 | 5 |", "| Runs | 3 | 4 | 5 |", "| Falls | 1 | 2 | 3 |"],
        # All rows have the same one.
        ["| red | 188 ms | 154 ms | 120 ms |", "| blue | 18 ms | 14 ms | 12 ms |"],
    ],
)
def test_units_that_do_not_tell_rows_apart_turn_no_table(tmp_path, rows) -> None:
    assert read_rows(tmp_path, [*ROWS[:2], *rows]).kind != "metrics-in-rows"


@pytest.mark.parametrize(
    "rows",
    [
        # One measure in several sizes of its unit.
        ["| Format | alpha | beta |", "|a|90 MB/s|400 MB/s|", "|b|1.1 GB/s|2 GB/s|"],
        ["| Route | alpha | beta |", "|a|500 m|800 m|", "|b|1.2 km|2 km|"],
        ["| Net | alpha | beta |", "|a|900 img/s|300 img/s|", "|b|2.5 kimg/s|1 kimg/s|"],
        ["| Land | 2019 | 2020 |", "|a|405 bn|362 bn|", "|b|14.3 tn|14.7 tn|"],
        ["| Test | alpha | beta |", "|a|90 mW|80 mW|", "|b|1.1 W|2 W|"],
        ["| Test | alpha | beta |", "|a|20 img/s|30 img/s|", "|b|2 MB/s|3 MB/s|"],
        ["| Test | alpha | beta |", "|a|1.2 s|2 s|", "|b|5 min|9 min|"],
        # Nothing tells what such a unit measures.
        ["| Test | alpha | beta |", "|a|1.2 s|2 s|", "|b|900 swaps|800 swaps|"],
        # Rows that are called by any other word may be systems.
        ["| Loader | alpha | beta |", "|a|90 ms|400 ms|", "|b|300 MB|200 MB|"],
        # Rows that are called machines are systems.
        ["| GPU | alpha | beta |", "|a|90 ms|400 ms|", "|b|11 req/s|20 req/s|"],
    ],
)
def test_rows_of_one_measure_or_of_machines_are_no_metrics(tmp_path, rows) -> None:
    assert read_rows(tmp_path, [rows[0], "|---|---|---|", *rows[1:]]).kind != "metrics-in-rows"


def test_a_cutoff_is_a_part_of_the_metric_and_folds_are_averaged(tmp_path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text(
        "metric,K,SASRec,BPR,MostPop\n"
        "NDCG,5,0.3,0.2,0.1\nNDCG,10,0.35,0.25,0.12\nRecall,5,0.4,0.3,0.2\nRecall,10,0.5,0.4,0.3\n"
    )
    table = db.read(file)
    assert table.kind == "metrics-in-rows"
    assert list(table.frame.index) == ["SASRec", "BPR", "MostPop"]
    assert table.outputs == ["NDCG@5", "NDCG@10", "Recall@5", "Recall@10"]
    file.write_text(
        "fold,metric,tree_a,tree_b_AUC,tree_c,tree_a_rank\n"
        "0,auc,0.7,0.8,0.6,2\n1,auc,0.9,0.8,0.7,1\n0,logloss,0.3,0.2,0.4,2\n1,logloss,0.5,0.2,0.6,2\n"
    )
    table = db.read(file)
    assert (table.outputs, table.lower_rates) == (["auc"], ["logloss"])
    assert table.frame["auc"].round(6).to_dict() == {
        "tree_a": 0.8,
        "tree_b_AUC": 0.8,
        "tree_c": 0.65,
    }
    assert "means over 'fold'" in " ".join(table.notes)


def test_hash_maps_are_no_mean_average_precision(tmp_path) -> None:
    rows = [f"| {name} | {k}.2 us | {k + 1}.5 us |" for k, name in enumerate(("Robin", "Dict"))]
    rows += [f"| {name} | 3.2 us | 4.5 us |" for name in ("DenseMap", "BlitzMap", "HashMap")]
    table = read_rows(
        tmp_path, ["| Implementation | Load 0.1 | Load 0.8 |", "|---|---|---|", *rows]
    )
    assert table.kind == "metrics"
    assert table.costs == ["Load 0.1", "Load 0.8"]
    # What stands before a map in programs is the kind of it; "boxMap" is a metric.
    maps = [f"| {name} | {k}0.2 | {k}1.5 |" for k, name in enumerate(("boxMap", "maskMap"), 1)]
    table = read_rows(tmp_path, ["| metric | alpha | beta |", "|---|---|---|", *maps])
    assert (table.kind, table.outputs) == ("metrics-in-rows", ["boxMap", "maskMap"])


@pytest.mark.parametrize(
    "further",
    [{"n_test": [100] * 4}, {"time_s": [3.5, 3.1, 4.2, 4.4]}, {"support": [9] * 4}],
)
def test_counts_and_times_beside_systems_are_no_systems(tmp_path, further) -> None:
    columns = {"metric": ["accuracy", "accuracy", "F1", "F1"], "fold": [1, 2, 1, 2]} | further
    cells = {"SVM": [85.1, 86.1, 80.1, 81.1], "kNN": [83.2, 82.2, 79.2, 78.2]}
    pd.DataFrame(columns | cells).to_csv(tmp_path / "runs.csv", index=False)
    table = db.read(tmp_path / "runs.csv")
    assert table.frame.index.tolist() == ["SVM", "kNN"]
    assert f"without '{next(iter(further))}'" in " ".join(table.notes)


@pytest.mark.parametrize(
    ("key", "further"),
    [
        ("epoch", {}),
        ("step", {}),
        ("iteration", {}),
        # Nothing tells for sure that these are no systems.
        ("fold", {"best_so_far": [80.1, 80.2, 70.3, 70.4]}),
        ("fold", {"users": [900] * 4}),
        ("fold", {"GP": [80.1, 80.2, 70.3, 70.4]}),
    ],
)
def test_steps_of_one_run_and_doubtful_columns_turn_no_table(tmp_path, key, further) -> None:
    columns = {"metric": ["accuracy", "accuracy", "F1", "F1"], key: [1, 2, 1, 2]} | further
    cells = {"SVM": [85.1, 86.1, 80.1, 81.1], "kNN": [83.2, 82.2, 79.2, 78.2]}
    pd.DataFrame(columns | cells).to_csv(tmp_path / "runs.csv", index=False)
    table = db.read(tmp_path / "runs.csv")
    assert table.kind != "metrics-in-rows"
    assert table.question is not None


def test_funds_that_are_called_like_metrics_are_no_metrics_beside_inputs_and_outputs() -> None:
    """ "Bonds W Cap" may be watts, and "Fund R EUR Acc" an accuracy."""
    frame = pd.DataFrame(
        {
            "dmu": [
                "Pictet-eur Government Bonds I",
                "JPMorgan Funds - EU Government Bond Fund D (acc)",
                "BlueBay Investment Grade Euro Government Bond Fund R EUR Acc",
                "DPAM B Bonds Eur Govt W Cap",
            ],
            "i_deviazionestandard": [0.035, 0.033, 0.053, 0.019],
            "i_beta": [0.01, 0.02, 0.14, 0.04],
            "i_commissionedingresso": [0.5, 0.45, 0.1, 0.3],
            "o_rendimentoatteso": [0.015, 0.014, 0.024, 0.012],
        }
    )
    table = db.read(frame)
    assert (table.costs, table.outputs) == (
        ["i_deviazionestandard", "i_beta", "i_commissionedingresso"],
        ["o_rendimentoatteso"],
    )


WORDS_AND_NUMBERS = """| Metric | Alder | Birch (new) | Cedar |
|---|---|---|---|
| Install size | ~14 KB | 9 KB | ~31 KB |
| Startup time | ~41 ms | 12.5 ms | slow |
| Tooling | Good | Excellent | Poor |
| Learning curve | Easy | Medium | Easy |
| Community | Large | Small | Medium |
| Documentation | Good | Good | Basic |
"""


def test_rows_of_words_beside_measured_ones_are_left_out(tmp_path) -> None:
    path = tmp_path / "tools.md"
    path.write_text(WORDS_AND_NUMBERS)
    table = db.read(path)
    assert table.frame.index.tolist() == ["Alder", "Birch (new)", "Cedar"]
    assert table.costs == ["Install size", "Startup time"]
    assert table.frame["Startup time"].isna().tolist() == [False, False, True]
    assert {"Tooling", "Community"} <= {*table.left_out}
    assert table.question is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Metric", "Tool"),  # rows that are called as systems
        ("41 ms | 12.5 ms | slow", "41 ms | fast | slow"),  # most cells of a row are words
    ],
)
def test_rows_of_words_stay_rows_without_a_heading_or_a_measured_row(old, new, tmp_path) -> None:
    path = tmp_path / "tools.md"
    text = WORDS_AND_NUMBERS.replace("~14 KB | 9 KB | ~31 KB", "small | tiny | large")
    path.write_text(text.replace(old, new))
    assert "Alder" not in db.read(path).frame.index


def test_remarks_beside_systems_of_words_and_numbers_are_no_system(tmp_path) -> None:
    path = tmp_path / "tools.md"
    header, rule, *rows = WORDS_AND_NUMBERS.splitlines()
    path.write_text(
        "\n".join([f"{header} Remark |", f"{rule}---|", *(f"{r} as is |" for r in rows)])
    )
    assert db.read(path).frame.index.tolist() == ["Alder", "Birch (new)", "Cedar"]
    # Two columns of numbers are the systems, and the words of a third are remarks.
    path.write_text(
        "| Metric | Alder | Birch | Target |\n|---|---|---|---|\n"
        "| Accuracy | 0.9 | 0.8 | 0.95 |\n| F1 score | 0.8 | 0.7 | high |\n"
        "| Latency | 12 ms | 15 ms | low |\n"
    )
    assert db.read(path).frame.index.tolist() == ["Alder", "Birch"]


def test_one_system_that_is_called_like_a_metric_hides_no_metrics_in_rows(tmp_path) -> None:
    path = tmp_path / "archives.md"
    path.write_text(
        "| **Perl** (47 GiB) | .tar.gz [^1] | .tar.zst | 7zip (`-mx=7`) | SquashFS | DwarFS | B |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n"
        "| Compression time | 4m 59s | 8m 06s | 23m 27s | 5m 37s | 2m 13s | 9m 1s |\n"
        "| Compressed size | 12.2 GiB | 0.39 GiB | 1.22 GiB | 3.25 GiB | 0.31 GiB | 0.29 GiB |\n"
        "| Decompression time | 2m 19s | 57.2s | 1m 14s | 39.3s | 48.7s | 8m 3s |\n"
        "| Mount time | 2m 07s | 3.1s | 3.6s | 0.011s | 0.42s | 7s |\n\n[^1]: GNU tar\n"
    )
    table = db.read(path)
    assert table.kind == "metrics-in-rows"
    assert list(table.frame.index)[:3] == [".tar.gz", ".tar.zst", "7zip (-mx=7)"]
    assert table.costs == [
        "Compression time",
        "Compressed size",
        "Decompression time",
        "Mount time",
    ]


def test_what_is_wanted_of_a_metric_is_no_system(tmp_path) -> None:
    path = tmp_path / "review.csv"
    path.write_text(
        "metric,target,A,B\naccuracy,0.95,0.9,0.8\nlatency ms,4,5,6\nlicence,open,MIT,GPL\n"
        "owner,-,x,y\nhost,-,p,q\n"
    )
    assert "target" not in db.read(path).frame.index
