"""Tables as people have them: what every column is taken for, whatever the file or the object."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest
from strangers import TABLES

import deabench as db
from deabench.cli import main
from deabench.errors import DataError
from deabench.metrics.formulas import DIRECTION, METRICS
from deabench.tables.cells import parse_numbers
from deabench.tables.naming.meaning import ROLES
from deabench.tables.naming.vocabulary import RULES, WEAK_RULES, look_up_metric
from deabench.utils.text import csv_text

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
CODES = {"output": "O", "guess": "O", "lower_rate": "L", "cost": "C"}


def taken(reading: db.Table) -> dict[str, str]:
    """O, L or C by column; all others are left out."""
    return {c.name: CODES[c.role] for c in reading.columns if c.metric}


@pytest.mark.parametrize("name", TABLES)
def test_a_strangers_table_is_taken_for_what_it_is(name, tmp_path) -> None:
    text, label, wanted = TABLES[name]
    (tmp_path / "results.csv").write_text(text, encoding="utf-8")
    reading = db.read(tmp_path / "results.csv")
    got = taken(reading)
    if label is not None:
        assert label in reading.label
    wrong = {
        column: got.get(column, "X")
        for column, code in wanted.items()
        if got.get(column, "X") != code and not (code == "?" and got.get(column, "X") != "O")
    }
    assert wrong == {}
    assert set(reading.left_out) | set(got) | set(reading.label) >= set(wanted)


def test_the_catalogue_is_the_only_home_of_its_directions() -> None:
    for name, better in DIRECTION.items():
        assert look_up_metric(name).better == better, name
    for name, metric in METRICS.items():
        assert (look_up_metric(name).low, look_up_metric(name).high) == (metric.low, metric.high)


def test_every_rule_of_the_vocabulary_is_a_pattern_with_a_reason() -> None:
    for rule in (*RULES, *WEAK_RULES):
        re.compile(rule.pattern)
        assert rule.meaning.low <= rule.meaning.high
        assert rule.meaning.reason
        assert rule.meaning.role in ROLES


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("neg_log_loss", "output"),
        ("neg_FPR", "output"),
        ("mean_test_neg_mean_squared_error", "output"),
        ("negative_log_likelihood", "lower_rate"),
        ("neg_accuracy", "lower_rate"),
        ("1 - AUC", "lower_rate"),
        ("error_score", "lower_rate"),
        ("cost_sensitive_accuracy", "output"),
        ("speed (ms)", "cost"),
        ("Speed (fps)", "output"),
        ("time_to_accuracy", "cost"),
        ("standard_error", "left_out"),
        ("errors", "left_out"),
        ("eer", "lower_rate"),
        ("eer_accuracy", "output"),
        ("eer_threshold", "left_out"),
        ("RTF", "cost"),
        ("RTFx", "output"),
        ("roc_auc_lower", "left_out"),
        ("mean_train_score", "left_out"),
        ("train_time", "cost"),
        ("benchmark.duration", "left_out"),
        ("cpu_ram_mb", "left_out"),
        ("spearman rank correlation", "output"),
        ("avg_rank", "left_out"),
        ("Acc ↓", "lower_rate"),
        ("miss_classification", "lower_rate"),
        ("misclassification_rate", "lower_rate"),
        ("usd_per_hour", "cost"),
        ("result", "conditional"),
    ],
)
def test_traps_of_names(name, role) -> None:
    assert look_up_metric(name).role == role


@pytest.mark.parametrize(
    ("cells", "values", "unit"),
    [
        (["1,014.45", "305.08"], [1014.45, 305.08], ""),
        (["0,85", "0,9"], [0.85, 0.9], ""),
        (["90%", "85 %"], [90, 85], "percent"),
        (["73.4(2.0)", "70 ± 1"], [73.4, 70], ""),
        (["0:41:06", "1:00:00"], [2466, 3600], "seconds"),
        (["7.6s", "120 ms"], [7.6, 0.12], "seconds"),
        (["0 days 00:00:00.150000"], [0.15], "seconds"),
        (["**0.9**", "[0.8](http://x)"], [0.9, 0.8], ""),
        (["1.014,45", "2.500"], [1014.45, 2500], ""),
        (["$0.50", "-"], [0.5, np.nan], ""),
        (["7B", "13B"], [7e9, 13e9], ""),
        (["1 014,5", "2"], [1014.5, 2], ""),
        (["1'014.5", "2"], [1014.5, 2], ""),
        (["−0.5", "0.5"], [-0.5, 0.5], ""),
        (["OOM", "0.5", "1e-3"], [np.nan, 0.5, 0.001], ""),
        (["90%", "0.85"], [np.nan, 0.85], ""),
    ],
)
def test_cells_are_read_as_people_write_them(cells, values, unit) -> None:
    numbers = parse_numbers(pd.Series(cells))
    np.testing.assert_allclose(numbers.values, values)
    assert numbers.unit == unit


@pytest.mark.parametrize(
    "cells", [["a", "b"], ["2019-03-03T15:24:38"], ["http://1.2", "x"], ["1,2,3"], [""]]
)
def test_text_is_no_number(cells) -> None:
    assert parse_numbers(pd.Series(cells, dtype=object)) is None


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": ["Å", "B", "C"],
            "accuracy": [0.9, 0.8, 0.7],
            "latency_ms": [1014.5, 20.0, 5.0],
            "seed": [1, 2, 3],
        }
    )


def written(path, kind: str) -> None:
    table = frame()
    if kind == "csv":
        table.to_csv(path, index=False)
    elif kind == "tsv":
        table.to_csv(path, index=False, sep="\t")
    elif kind == "semicolons with decimal commas":
        table.to_csv(path, index=False, sep=";", decimal=",")
    elif kind == "utf-16":
        table.to_csv(path, index=False, encoding="utf-16")
    elif kind == "byte order mark":
        table.to_csv(path, index=False, encoding="utf-8-sig")
    elif kind == "latin-1":
        table.to_csv(path, index=False, encoding="latin-1")
    elif kind == "gz":
        path.write_bytes(gzip.compress(table.to_csv(index=False).encode()))
    elif kind == "xlsx":
        pytest.importorskip("openpyxl")
        table.to_excel(path.with_suffix(".xlsx"), index=False)
        path.with_suffix(".xlsx").rename(path)
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path, index=False)
    elif kind == "json records":
        path.write_text(table.to_json(orient="records"))
    elif kind == "json columns":
        path.write_text(json.dumps(table.to_dict(orient="list")))
    elif kind == "json lines":
        path.write_text(table.to_json(orient="records", lines=True))
    elif kind == "html":
        path.write_text(table.to_html(index=False), encoding="utf-8")
    elif kind == "latex":
        path.write_text(table.to_latex(index=False, escape=True), encoding="utf-8")
    elif kind == "yaml":
        yaml = pytest.importorskip("yaml")
        path.write_text(yaml.safe_dump(table.to_dict(orient="records")), encoding="utf-8")
    elif kind == "markdown":
        rows = [list(table), ["---"] * len(table.columns), *table.astype(str).to_numpy().tolist()]
        path.write_text("\n".join(f"| {' | '.join(row)} |" for row in rows), encoding="utf-8")
    elif kind == "printed":
        path.write_text(table.to_string(index=False), encoding="utf-8")


KINDS = [
    "csv",
    "tsv",
    "semicolons with decimal commas",
    "utf-16",
    "byte order mark",
    "latin-1",
    "gz",
    "xlsx",
    "parquet",
    "json records",
    "json columns",
    "json lines",
    "html",
    "latex",
    "yaml",
    "markdown",
    "printed",
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_reading(kind, tmp_path) -> None:
    path = tmp_path / "table"
    written(path, kind)
    reading = db.read(path)
    assert list(reading.frame.index) == ["Å", "B", "C"]
    assert taken(reading) == {"accuracy": "O", "latency_ms": "C"}
    np.testing.assert_allclose(reading.frame["latency_ms"], [1014.5, 20, 5])
    assert ("is read as Latin-1 (Windows-1252)" in " ".join(reading.notes)) == (kind == "latin-1")


def test_frames_of_other_libraries_are_read() -> None:
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    for foreign_frame in (
        polars.DataFrame(frame().to_dict(orient="list")),
        polars.LazyFrame(frame().to_dict(orient="list")),
        pyarrow.table(frame().to_dict(orient="list")),
    ):
        assert taken(db.read(foreign_frame)) == {"accuracy": "O", "latency_ms": "C"}
        assert db.rank(foreign_frame).scores.index.tolist() == ["Å", "B", "C"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "nowhere.csv",
            "cannot read 'nowhere.csv': No such file or directory; name a file with a table",
        ),
        ({}, "the table is an empty dictionary; give columns, or a system's metrics by its name"),
        (
            {"acc": 1.0},
            "the dictionary has one number for each key; give a list for each column, or a "
            "dictionary for each system",
        ),
        (
            [1, 2],
            "the table is a list; give one dictionary for each row, as [{'model': 'k-NN', "
            "'accuracy': 0.9}, ...]",
        ),
        (
            3,
            "the table is an int; give a file's name, a DataFrame, a dictionary, "
            "a list of records, a fitted search or an Optuna study",
        ),
    ],
)
def test_what_is_no_table_is_refused(source, text, refused) -> None:
    with refused(text):
        db.read(source)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "'{}' is empty; give a header line and at least one row"),
        (b"\x1f\x8bnothing", "'{}' is a damaged gzip file; make it again"),
        (b"PK\x03\x04nothing", "'{}' is no Excel workbook; save it as .xlsx or CSV"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
            "'{}' is a Git LFS pointer, not the file itself; fetch it with git lfs pull",
        ),
    ],
)
def test_damaged_files_are_refused(content, text, refused, tmp_path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with refused(text.format(path)):
        db.read(path)


def test_a_label_that_repeats_is_completed_by_what_tells_its_rows_apart() -> None:
    reading = db.read(
        {"model": ["vit", "vit", "resnet"], "img_size": [224, 384, 224], "top1": [80.0, 85.0, 76.0]}
    )
    assert reading.label == ("model", "img_size")
    assert list(reading.frame.index) == ["vit, 224", "vit, 384", "resnet, 224"]
    assert "'img_size' tells them apart" in reading.notes[0]
    numbered = db.read({"model": ["a", "a", "b", "b"], "acc": [0.1, 0.2, 0.3, 0.3]})
    assert list(numbered.frame.index) == ["a", "a (2)", "b"]


def test_long_tables_give_means_and_the_tables_of_every_data_set() -> None:
    rows = [
        ("iris", "knn", 0, 0.9),
        ("iris", "knn", 1, 0.8),
        ("iris", "svm", 0, 1.0),
        ("iris", "svm", 1, 0.9),
        ("wine", "knn", 0, 0.5),
        ("wine", "svm", 0, 0.7),
        ("glass", "knn", 0, 0.1),
    ]
    reading = db.read(pd.DataFrame(rows, columns=["dataset", "classifier", "fold", "accuracy"]))
    assert (reading.layout, reading.dataset, reading.label) == (
        "long",
        "dataset",
        ("classifier",),
    )
    np.testing.assert_allclose(
        reading.frame.loc[["knn", "svm"], "accuracy"], [(0.85 + 0.5) / 2, (0.95 + 0.7) / 2]
    )
    np.testing.assert_allclose(reading.per_dataset.loc[("glass", "knn"), "accuracy"], 0.1)
    assert (
        "'accuracy': means over the 2 of 3 data sets that every system has a value for"
        in reading.notes
    )


def test_a_matrix_of_one_metric_is_read_by_the_files_name(tmp_path) -> None:
    for name, values in (
        ("adbench_AUCROC", [[0.7, 0.8], [0.9, 0.6]]),
        ("adbench_Time", [[1.0, 2.0], [3.0, 2.0]]),
    ):
        pd.DataFrame(
            values, columns=["IForest", "LOF"], index=["('a', 0.0, 1)", "('b', 0.0, 1)"]
        ).to_csv(tmp_path / f"{name}.csv")
    reading = db.read([tmp_path / "adbench_AUCROC.csv", tmp_path / "adbench_Time.csv"])
    assert taken(reading) == {"AUCROC": "O", "Time": "C"}
    np.testing.assert_allclose(reading.frame.loc[["IForest", "LOF"]], [[0.8, 2.0], [0.7, 2.0]])


def test_scikit_learn_results_are_read() -> None:
    from sklearn.datasets import make_classification
    from sklearn.model_selection import GridSearchCV, cross_validate
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(60, random_state=0)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, None]},
        cv=3,
        scoring={"recall": "recall", "loss": "neg_log_loss", **db.metrics.scorers(["FPR"])},
        refit=False,
    ).fit(X, y)
    for source in (search, search.cv_results_, pd.DataFrame(search.cv_results_)):
        reading = db.read(source)
        assert taken(reading)["mean_test_recall"] == "O"
        assert taken(reading)["mean_test_neg_FPR"] == "O"
        assert {"std_test_recall", "split0_test_recall", "rank_test_recall"} <= set(
            reading.left_out
        )
        assert len(db.rank(reading, outputs=["mean_test_recall", "mean_test_neg_FPR"]).scores) == 3
    runs = {
        f"tree {d}": cross_validate(
            DecisionTreeClassifier(max_depth=d, random_state=0), X, y, cv=3, scoring=["accuracy"]
        )
        for d in (1, 2)
    }
    assert taken(db.read(runs)) == {"fit_time": "C", "score_time": "C", "test_accuracy": "O"}


def test_an_optuna_study_says_its_own_directions() -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(directions=["maximize", "minimize"])
    for value in (0.7, 0.8, 0.9):
        study.add_trial(
            optuna.trial.create_trial(
                params={"C": value},
                values=[value, 10 * value],
                distributions={"C": optuna.distributions.FloatDistribution(0, 1)},
            )
        )
    reading = db.read(study)
    # The study has two objectives, and no cost besides: a trial's duration is the machine's.
    assert taken(reading) == {"values_0": "O", "values_1": "L"}
    assert list(reading.frame.index) == ["trial 0", "trial 1", "trial 2"]
    assert "params_C" in reading.left_out


def test_the_harness_of_language_models_is_read(tmp_path) -> None:
    run = {
        "results": {
            "arc_easy": {
                "alias": "arc_easy",
                "acc,none": 0.7,
                "acc_stderr,none": 0.01,
                "acc_norm,none": 0.72,
            },
            "wikitext": {"word_perplexity,none": 12.1},
        },
        "config": {"model": "hf", "model_args": "pretrained=gpt2,dtype=float"},
    }
    content = json.loads(json.dumps(run).replace("gpt2", "pythia").replace("12.1", "10.5"))
    (tmp_path / "runs.json").write_text(json.dumps([run, content]))
    reading = db.read(tmp_path / "runs.json")
    assert taken(reading) == {"acc": "O", "acc_norm": "O", "word_perplexity": "L"}
    assert set(reading.frame.index) == {"gpt2", "pythia"}
    helm = [
        {
            "title": "Accuracy",
            "header": [
                {"value": "Model"},
                {"value": "Mean win rate", "lower_is_better": False},
                {"value": "ECE (10-bin)", "lower_is_better": True},
            ],
            "rows": [
                [{"value": "A"}, {"value": 0.9}, {"value": 0.1}],
                [{"value": "B"}, {"value": 0.5}, {"value": 0.2}],
            ],
        }
    ]
    (tmp_path / "helm.json").write_text(json.dumps(helm))
    assert sorted(taken(db.read(tmp_path / "helm.json")).values()) == ["L", "O"]


def test_redundant_columns_are_left_out_and_said() -> None:
    reading = db.read({"model": list("abc"), "top1": [90.0, 80, 70], "top1_err": [10.0, 20, 30]})
    assert reading.left_out == {"top1_err": "it is 100 - 'top1', which is taken"}
    mean = db.read(
        {
            "model": list("abc"),
            "Average": [0.85, 0.7, 0.6],
            "acc": [0.9, 0.8, 0.7],
            "f1": [0.8, 0.6, 0.5],
        }
    )
    assert "it is the mean of" in mean.left_out["Average"]


def test_a_guess_is_noted_and_refused_by_strict(refused) -> None:
    table = pd.DataFrame(
        {"flux": [0.5, 0.7, 0.9, 0.2, 0.3, 0.4], "tune": [0.9, 0.7, 0.1, 0.3, 0.2, 0.6]},
        index=list("abcdef"),
    )
    ranking = db.rank(table)
    assert any("'flux', 'tune'" in note for note in ranking.notes)
    with refused(
        "no name tells what 'flux', 'tune' measure, and strict refuses guesses; name them in "
        "outputs, inputs or lower_is_better "
        "(docs/tables.md says how columns are read)"
    ):
        db.rank(table, strict=True)
    db.rank(table, outputs=["flux", "tune"], strict=True)
    result = db.rank(table.assign(accuracy=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), strict=True)
    assert list(result.data.outputs) == ["accuracy"]


def test_a_bare_score_goes_by_the_rank_beside_it() -> None:
    low = db.read({"team": list("abcd"), "rank": [1, 2, 3, 4], "score": [0.1, 0.2, 0.3, 0.4]})
    assert taken(low) == {"score": "L"}
    assert taken(
        db.read({"team": list("abcd"), "rank": [4, 3, 2, 1], "score": [0.1, 0.2, 0.3, 0.4]})
    ) == {"score": "O"}
    assert (
        taken(db.read({"team": list("abcd"), "score": [0.1, 0.2, 0.3, 0.4]})) == {}
    )  # sorted upwards: nobody knows


def test_what_deabench_writes_is_read_back(tmp_path) -> None:
    counts = pd.DataFrame(
        {"tp": [6, 5, 7], "fn": [2, 3, 1], "fp": [3, 1, 5], "tn": [9, 11, 7]}, index=["a", "b", "c"]
    )
    table = db.metrics.from_counts(counts)
    table.rename_axis("classifier").to_csv(tmp_path / "t.csv")
    reading = db.read(tmp_path / "t.csv")
    assert reading.label == ("classifier",)
    for name, better in DIRECTION.items():
        if name in table and table[name].notna().all():
            role = taken(reading).get(name, "X")
            assert (
                role == "X"
                if better == "neither"
                else role in ("O" if better == "higher" else "LC")
                or "taken" in reading.left_out[name]
            )


def test_the_reading_has_the_face_of_a_result() -> None:
    reading = db.read(frame())
    assert "left out: 'seed'" in repr(reading)
    assert len(repr(reading).splitlines()) <= 15
    assert reading.to_frame().loc["latency_ms", "better"] == "lower"
    assert reading.to_frame().loc["seed", "role"] == "left_out"
    assert reading.to_csv().startswith("column,role,better,unit,low,high,reason\n")
    repeated = db.read(reading, roles={"seed": "cost"})
    assert taken(repeated)["seed"] == "C"


def test_the_command_prints_the_contract(tmp_path, capsys) -> None:
    path = tmp_path / "r.csv"
    frame().assign(err=[0.1, 0.3, 0.4]).to_csv(path, index=False)
    assert main(["read", str(path), "--format", "json"]) == 0
    proposal = json.loads(capsys.readouterr().out)
    assert list(proposal) == [
        "label",
        "layout",
        "outputs",
        "lower_rates",
        "costs",
        "left_out",
        "dataset",
        "percent",
        "missing",
        "command",
        "kind",
        "guessed",
        "errors",
        "non_discretionary",
        "datasets",
    ]
    assert (proposal["outputs"], proposal["lower_rates"], proposal["costs"]) == (
        ["accuracy"],
        ["err"],
        ["latency_ms"],
    )
    assert list(proposal["left_out"]) == ["seed"]
    assert main(["read", str(path), "--format", "toml"]) == 0
    import tomllib

    assert tomllib.loads(capsys.readouterr().out)["outputs"] == ["accuracy"]
    assert main(["read", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "latency_ms" in out
    assert "deabench rank" in err


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_the_proposed_command_says_the_same(tmp_path, capsys) -> None:
    import shlex

    path = tmp_path / "r.csv"
    frame().assign(err=[0.1, 0.3, 0.4]).to_csv(path, index=False)
    main(["read", str(path), "--format", "json"])
    command = json.loads(capsys.readouterr().out)["command"]
    assert main([*shlex.split(command)[1:], "--format", "csv"]) == 0
    spelt = capsys.readouterr()
    assert main(["rank", str(path), "--format", "csv"]) == 0
    original = capsys.readouterr()
    assert spelt.out == original.out
    assert "inputs, for lower is better: 'latency_ms'" in original.err
    assert "left out: 'seed'" in original.err


def test_a_file_without_a_header_is_refused_by_its_first_line(tmp_path, refused) -> None:
    path = tmp_path / "x.csv"
    path.write_text("MLP,0.7289,0.7278,2710.87\nSVM,0.7566,0.7564,1408.15\n")
    with refused(
        f"the first line of '{path}' holds numbers (0.7289, 0.7278), no names; put a header line "
        "above it"
    ):
        db.read(path)


def test_a_percent_above_numbers_without_one_is_a_name(tmp_path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("method,90%,80%\nERM,71.7,72.9\nIRM,72.5,73.3\n")
    assert list(db.read(path).frame) == ["90%", "80%"]
    path.write_text("method,90%,80%\nERM,71.7%,72.9%\nIRM,72.5%,73.3%\n")
    with pytest.raises(DataError, match=r"holds numbers \(90%, 80%\), no names"):
        db.read(path)


def test_lines_of_another_length_are_refused_by_line(tmp_path, refused) -> None:
    path = tmp_path / "x.csv"
    path.write_text("model,accuracy\na,0.1\nb,0.2,0.3\n")
    with refused(
        f"'{path}' is not a CSV table: line 3 has 3 cells and those before 2; put a cell that "
        "holds the separator in "
        "quotes, or give lines of another table a file of their own"
    ):
        db.read(path)


ABC = {"model": list("abc")}
TAUGHT = [
    (
        {"F": [0.5, 0.7, 0.9], "CR": [0.1, 0.2, 0.4], "mean_fitness": [0.9, 0.91, 0.93]},
        [],
        ["F", "CR", "mean_fitness"],
    ),
    ({**ABC, "flux": [0.5, 0.7, 0.9], "params": [0, 5, 9]}, [], ["flux", "params"]),
    ({**ABC, "flux": [0.5, 0.7, 0.9], "id": [4, 5, 9]}, [], ["flux", "id"]),
    (
        {
            **ABC,
            "2000 tokens (hallucination rate)": ["40%", "50%", "60%"],
            "accuracy": [0.5, 0.7, 0.9],
        },
        ["accuracy"],
        [],
    ),
    (
        {**ABC, "score": [0.9, 0.7, 0.95], "score_gain_if_used": [0.0, 0.1, 0.2]},
        ["score"],
        ["score_gain_if_used"],
    ),
    (
        {**ABC, "score": [0.9, 0.7, 0.95], "co2_year_mean_kg": [0.0, 0.1, 0.2], "year": [1, 2, 4]},
        ["score"],
        ["year"],
    ),
    (
        {
            **ABC,
            "cell_PCC": [0.9, 0.7, 0.95],
            "pass_rate": [0.0, 0.1, 0.2],
            "mutation_rate": [0.1, 0.2, 0.1],
        },
        ["cell_PCC", "pass_rate"],
        ["mutation_rate"],
    ),
    (
        {"all": ["[0.91, 0.92]", "[0.1, 0.3]"], "accuracy": [0.9, 0.2], "empty": ["", ""]},
        ["accuracy"],
        ["all", "empty"],
    ),
]


@pytest.mark.parametrize(("table", "outputs", "left"), TAUGHT)
def test_what_strangers_tables_taught(table, outputs, left, tmp_path) -> None:
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    reading = db.read(tmp_path / "t.csv")
    assert reading.outputs == outputs
    assert list(reading.left_out) == left


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_labels_that_look_like_formulas_are_read_back_unchanged(tmp_path) -> None:
    table = pd.DataFrame(
        {"TPR": [0.9, 0.5, 0.7], "TNR": [0.5, 0.9, 0.6]}, index=["=1+1", "+SVM", "'quoted"]
    )
    db.frontier(table).to_csv(tmp_path / "front.csv")
    assert "\n'=1+1," in (tmp_path / "front.csv").read_text()
    db.rank(table).to_csv(tmp_path / "ranking.csv")
    (tmp_path / "table.csv").write_text(csv_text(table.rename_axis("classifier")))
    repeated = db.rank(db.read(tmp_path / "table.csv"))
    assert set(repeated.scores.index) == set(table.index)


def test_a_benchmark_names_the_rows_that_it_has_alone(tmp_path) -> None:
    """A language or a benchmark on one row each is what is compared, whatever else is unique."""
    table = pd.DataFrame(
        {
            "Language": ["C", "Go", "Rust"],
            "RunTime": [4.7, 5.2, 4.6],
            "Compile": ["gcc -O3", "go build", "cargo build"],
            "Memory": [3.1, 9.4, 4.0],
        }
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    assert db.read(tmp_path / "t.csv").label == ("Language",)
    # the benchmark SEED is no seed of repeated runs, for it has decimals
    scores = pd.DataFrame(
        {"Version": ["v1", "v1", "v2"], "MMLU": [50.1, 52.2, 60.3], "SEED": [58.6, 61.3, 66.1]}
    )
    scores.to_csv(tmp_path / "s.csv", index=False)
    assert db.read(tmp_path / "s.csv").layout == "wide"
    # durations as people write them
    times = pd.DataFrame({"model": ["a", "b"], "time": ["2m23s", "1h 02m 03s"]})
    assert db.read(times).frame["time"].tolist() == [143.0, 3723.0]


def test_a_description_of_the_run_beside_the_systems_is_no_system() -> None:
    models = {
        name: {"name": name, "scores": {"accuracy": a}} for name, a in [("A", 0.9), ("B", 0.8)]
    }
    table = db.read(
        {"meta": {"device": "cpu", "split": {"train": 10, "test": 2}}, "models": models}
    )
    assert "the table under 'models' is read" in table.notes
    assert list(table.frame.index) == ["A", "B"]


def test_a_heading_of_tflops_leaves_open_who_spends_or_reaches_them(tmp_path) -> None:
    file = tmp_path / "README.md"
    rows = "| A100 | 19.5 | 312 |\n| H100 | 67 | 989 |\n| V100 | 15.7 | 125 |\n"
    file.write_text(f"## TFLOPS\n\n| Processor | fp32 | bf16 |\n|---|---|---|\n{rows}")
    table = db.read(file)
    assert not {column.role for column in table.columns} & {"cost", "output"}


def test_brackets_behind_joined_names_hold_for_all(tmp_path) -> None:
    file = tmp_path / "segmentation.md"
    rows = "".join(f"| net{k} | 0.4{k}/0.5{k}. | 0.5{k}/0.6{k}. |\n" for k in range(4))
    file.write_text("| Network | mIoU/mAcc(ss) | mIoU/mAcc(ms) |\n|---|---|---|\n" + rows)
    assert db.read(file).outputs == ["mIoU (ss)", "mAcc (ss)", "mIoU (ms)", "mAcc (ms)"]


@pytest.mark.parametrize(
    ("heading", "roles"),
    [
        ("AUC/latency (ms)", ["output", "cost"]),
        ("PSNR/LPIPS (lower is better)", ["output", "lower_rate"]),
        ("AUC/F1 (test)", ["output", "output"]),
    ],
)
def test_brackets_that_speak_of_one_name_hold_for_it_alone(heading, roles, tmp_path) -> None:
    file = tmp_path / "nets.md"
    rows = "".join(f"| net{k} | 0.7{k}/0.2{k} |\n" for k in range(4))
    file.write_text(f"| Network | {heading} |\n|---|---|\n{rows}")
    assert [column.role for column in db.read(file).columns if column.metric] == roles


def test_a_quote_that_is_not_closed_hides_no_separator(tmp_path, refused) -> None:
    path = tmp_path / "x.csv"
    path.write_text('model;accuracy\na;0.1\nb;"0.2\nc;0.3\nd;0.4\n')
    with pytest.raises(DataError, match="EOF inside string"):
        db.read(path)
