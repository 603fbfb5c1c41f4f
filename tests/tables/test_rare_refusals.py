"""What tables and files are refused for, sentence by sentence."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import deabench as db
from deabench.tables.naming.name_patterns import _split_group
from deabench.tables.naming.rules import read_meaning
from deabench.tables.readers import files

CSV = "model,TPR,TNR\na,.9,.8\nb,.8,.9\n"
INSPECT = {"eval": {"model": "m", "task": "t"}, "results": {}, "status": "error"}
STATISTIC = {"name": {"name": "exact_match"}, "count": 1, "sum": 0.5}
HOLES = pd.DataFrame({"TPR": [0.9, None], "TNR": [None, 0.9]}, list("ab"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "x.xls",
            b"\xd0\xcf\x11\xe0" + bytes(99),
            "is a workbook of old Excel; save it as .xlsx or CSV",
        ),
        (
            "run.json",
            json.dumps([STATISTIC]).encode(),
            "holds HELM's statistics of one run; give the table of the leaderboard (groups/*.json)",
        ),
        (
            "text.yaml",
            b"--- >\n  model: a\n  TPR: 0.9\n",
            "holds neither records nor columns; give a list of records, or a dictionary of columns",
        ),
    ],
)
def test_files_that_are_no_table(
    tmp_path: Path, refused, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with refused(f"'{path}' {message}"):
        db.read(path)


def test_a_table_without_rows_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "table.md"
    path.write_text("| model | TPR |\n|---|---|\n")
    with refused(f"the table in '{path}' has no rows; give at least one below its header"):
        db.read(path)


def test_a_workbook_of_empty_sheets_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "table.xlsx"
    openpyxl.Workbook().save(path)
    with refused(f"no sheet of '{path}' has a table; give a header line and at least one row"):
        db.read(path)


def test_a_log_of_a_run_that_failed_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(INSPECT))
    with refused("no log of 'run' has the status success; run the evaluation to its end"):
        db.read(path)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (5, "the limits are 5; give a mapping, as {'columns': 5000}"),
        ({"columns": 0}, "the limit 'columns' is 0; give a whole number above 0"),
        ({"columns": True}, "the limit 'columns' is True; give a whole number above 0"),
        ({"columns": 2.5}, "the limit 'columns' is 2.5; give a whole number above 0"),
    ],
)
def test_limits_are_whole_numbers(tmp_path: Path, refused, limits, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(CSV)
    with refused(message):
        db.read(path, limits=limits)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError, "needs more memory than there is; give a part of it, or save it as Parquet"),
        (RecursionError, "nests too deeply; give a flat table"),
    ],
)
def test_what_python_cannot_hold_is_said_in_a_sentence(
    tmp_path: Path, refused, monkeypatch: pytest.MonkeyPatch, error: type[Exception], message: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    path = tmp_path / "table.csv"
    path.write_text(CSV)
    monkeypatch.setattr(files, "_read_content", fail)
    with refused(f"'{path}' {message}"):
        db.read(path)


@pytest.mark.parametrize(
    ("package", "name", "content", "message"),
    [
        (
            "yaml",
            "table.yaml",
            b"- model: a\n  TPR: 0.9\n",
            "is YAML; install PyYAML to read it (pip install 'deabench[files]'), or save it as "
            "JSON",
        ),
        (
            "openpyxl",
            "table.xlsx",
            b"PK\x03\x04",
            "is an Excel workbook; install openpyxl to read it, or save it as CSV",
        ),
        (
            "pyarrow.parquet",
            "table.parquet",
            b"PAR1",
            "is a Parquet file; install pyarrow to read it, or save it as CSV",
        ),
    ],
)
def test_files_name_the_package_that_reads_them(
    tmp_path: Path, refused, monkeypatch: pytest.MonkeyPatch, package, name, content, message
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    monkeypatch.setitem(sys.modules, package, None)
    with refused(f"'{path}' {message}"):
        db.read(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: db.read({"a": [1, 2], "b": [1]}),
            "the dictionary is no table: All arrays must be of the same length; give columns of "
            "one length",
        ),
        (
            lambda: db.read({key: np.ones(2) for key in ("test_score", "fit_time", "score_time")}),
            "this is the result of cross_validate for one system; give several, as "
            "{'k-NN': ..., 'SVM': ...}",
        ),
        (
            lambda: db.read(
                {
                    "one": pd.DataFrame({"accuracy": [0.9, 0.8]}, list("ab")),
                    "two": pd.DataFrame({"f1": [0.9, 0.8]}, list("cd")),
                }
            ),
            "the tables one, two have no system in common; name the systems alike in all of them",
        ),
        (
            lambda: db.rank(HOLES, outputs=["TPR", "TNR"], missing="drop-systems"),
            "every system lacks some metric, so missing='drop-systems' leaves none; "
            "pass missing='drop-metrics'",
        ),
        (
            lambda: db.rank(HOLES, outputs=["TPR", "TNR"], missing="drop-metrics"),
            "every output lacks some cell, so missing='drop-metrics' leaves none; "
            "pass missing='drop-systems'",
        ),
    ],
)
def test_tables_that_cannot_be_compared(refused, call: Callable[[], object], message: str) -> None:
    with refused(message):
        call()


def test_a_study_of_optuna_without_a_trial_is_refused(refused) -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with refused("the Optuna study has no finished trial; run study.optimize first"):
        db.read(optuna.create_study())


def test_a_slip_in_the_vocabulary_is_an_error() -> None:
    with pytest.raises(ValueError, match="an entry of the unknown kind 'colour'"):
        read_meaning({"kind": "colour"})
    with pytest.raises(ValueError, match=r"the group at the beginning of '\(a\|b' has no end"):
        _split_group("(a|b")


def test_an_archive_of_something_else_is_no_log(tmp_path: Path, refused) -> None:
    path = tmp_path / "run.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", '{"eval": {}}')
    with refused(f"'{path}' is an archive without the results of Inspect; give its log"):
        db.read(path)


def test_cells_whose_metric_nothing_tells_are_joined_to_no_table(refused) -> None:
    tables = {
        "one": pd.DataFrame({"model": list("ab"), "x": [1.0, 2.0]}),
        "two": pd.DataFrame({"model": list("ab"), "f1": [0.9, 0.8]}),
    }
    with refused(
        "nothing tells what the cells of 'one' measure; call the file by its metric, as "
        "accuracy.csv"
    ):
        db.read(tables)


def test_one_score_does_not_tell_three_classes_apart(refused) -> None:
    columns = ["classifier", "instance", "y_true", "score"]
    rows = [(name, i, i, (i + 1) / 4) for name in "ab" for i in range(3)]
    with refused(
        "y_true holds 3 classes, and one score per instance tells two apart; give predicted labels "
        "in 'y_pred'"
    ):
        db.rank(pd.DataFrame(rows, columns=columns))
