"""Results from elsewhere join a study, or are refused by file, line and value."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from deabench.cli import main
from deabench.errors import DataError
from deabench.study import Study
from deabench.study.results.maintenance import import_results, imported_counts, read_results

STUDY = (
    '[data]\nnames = ["glass-0-4_vs_5", "haberman"]\n[split]\nfolds = 2\n[classifiers]\nmajority '
    "= {}\nstump = {}"
)
COUNTS = "dataset,classifier,tp,fn,fp,tn\nglass-0-4_vs_5,J48,8,1,3,80\nhaberman,J48,30,51,20,205\n"


@pytest.fixture
def plan(study_file):
    return Study.from_toml(study_file(STUDY)).plan


@pytest.fixture
def csv(tmp_path):
    def write(text: str):
        path = tmp_path / "weka.csv"
        path.write_text(text)
        return path

    return write


def test_counts_come_in_and_stay(plan, csv, capsys):
    assert main(["study", "import", str(plan.file), str(csv(COUNTS))]) == 0
    assert capsys.readouterr().err == "added 1 classifier on 2 data sets (2 rows)\n"
    imported = imported_counts(plan)
    assert imported[
        ["dataset", "classifier", "tp", "fn", "fp", "tn", "source"]
    ].to_numpy().tolist() == [
        ["glass-0-4_vs_5", "J48", 8, 1, 3, 80, "weka.csv"],
        ["haberman", "J48", 30, 51, 20, 205, "weka.csv"],
    ]
    import_results(plan, csv(COUNTS.replace("8,1,", "7,2,")))
    assert sorted(imported_counts(plan)["tp"]) == [7, 30]
    assert Study.from_plan(plan).status().total == 8


def test_predictions_are_counted(csv):
    text = (
        "dataset,classifier,fold,y_true,y_pred\n"
        + "d,net,0,1,1\n" * 3
        + "d,net,0,1,0\n" * 2
        + "d,net,1,negative,positive\n"
        + "d,net,1,0,0\n" * 4
    )
    results = read_results(csv(text))
    assert results[["fold", "tp", "fn", "fp", "tn"]].to_numpy().tolist() == [
        [0, 3, 2, 0, 0],
        [1, 0, 0, 1, 4],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "dataset,classifier,tp,fn,fp\n",
            "'weka.csv' has no column 'tn'; there are 'dataset', 'classifier', 'tp', 'fn', 'fp'",
        ),
        (
            "dataset,classifier,y_true\n",
            "'weka.csv' has no column 'y_pred'; did you mean 'y_true'?",
        ),
        (COUNTS.replace("51", "5.5"), "'weka.csv', line 3: fn is '5.5'; give a whole number >= 0"),
        (COUNTS.replace("51", "-1"), "'weka.csv', line 3: fn is '-1'; give a whole number >= 0"),
        (
            COUNTS + "haberman,J48,30,51,20,205\n",
            "'weka.csv' has 'J48' on 'haberman' twice for repeat 0, fold 0; number its repeats "
            "and folds",
        ),
        (
            "dataset,classifier,y_true,y_pred\nd,net,1,yes\n",
            "'weka.csv', line 2: y_pred is 'yes'; give 1 or positive, 0 or negative",
        ),
        (
            COUNTS.replace("haberman", "habermann"),
            "'weka.csv': data set 'habermann' is not in the study; did you mean 'haberman'?",
        ),
        (
            COUNTS.replace("J48", "stump"),
            "'weka.csv': the study runs 'stump' itself; give the outside result another name",
        ),
        (
            COUNTS.replace("51", "50"),
            "'weka.csv': 'J48' on 'haberman', repeat 0, counts 80 positive and 225 negative rows; "
            "the data set has 81 and 225",
        ),
    ],
)
def test_refusals(plan, csv, text, message):
    with pytest.raises(DataError) as e:
        import_results(plan, csv(text))
    assert str(e.value) == message
    assert imported_counts(plan).empty


def test_a_repair_brings_imported_rows_and_runs_along(plan, csv):
    import_results(plan, csv(COUNTS))
    run = ("2026-01-01", "2026-01-02", "local", "{}", "{}", "{}")
    with closing(sqlite3.connect(plan.store)) as db, db:
        db.execute("UPDATE outside SET tp = 9 WHERE dataset = 'glass-0-4_vs_5'")
        db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", run)
    assert not Study.from_plan(plan).verify(repair=True).sound
    assert Study.from_plan(plan).verify().sound
    assert imported_counts(plan)[["dataset", "tp"]].to_numpy().tolist() == [["haberman", 30]]
    with closing(sqlite3.connect(plan.store)) as db:
        assert db.execute("SELECT * FROM runs").fetchall() == [run]
