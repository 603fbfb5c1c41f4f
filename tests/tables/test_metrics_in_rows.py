"""Rows with a unit of their own are metrics, whatever they are called."""

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
