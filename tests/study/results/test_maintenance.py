"""The store: whatever is cut, flipped or old is named, and only what is damaged is run again."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from deabench.cli import main
from deabench.errors import DataError
from deabench.study import Study
from deabench.study.results.maintenance import import_results
from deabench.study.results.status import missing_tasks
from deabench.study.results.store import COLUMNS, FORMAT, CutStoreError, Store, checksum
from deabench.study.results.stored_rows import read_imported, read_rows
from deabench.study.running.tasks import run_task

TEXT = (
    '[data]\nnames = ["glass-0-4_vs_5", "new-thyroid1"]\n[split]\nfolds = 4\n'
    '[classifiers]\nmajority = {}\nstump = {}\n"naive Bayes" = {}'
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "study.toml"
    path.write_text(TEXT)
    study = Study.from_toml(path)
    with Store(study.plan.store) as store:
        for job in study.plan.tasks():
            store.write_outcome(job, run_task(job))
    assert study.status().done == 24
    return study


def run_missing(study: Study) -> str:
    """Run what is missing, here; the digest after it."""
    with Store(study.plan.store) as store:
        for job in missing_tasks(study.plan):
            store.write_outcome(job, run_task(job))
    return study.status().digest


def test_a_sound_store(study, capsys):
    assert study.verify().sound
    assert study.verify().summary() == "24 results are as they were written"
    assert main(["study", "verify", str(study.plan.file)]) == 0
    assert capsys.readouterr().err == "24 results are as they were written\n"


def test_a_changed_number_is_named_and_run_again(made, study, capsys):
    with closing(sqlite3.connect(study.plan.store)) as db, db:
        db.execute(
            "UPDATE results SET tp = tp + 1 WHERE classifier = 'stump' AND dataset = "
            "'new-thyroid1' AND fold = 2"
        )
    report = study.verify()
    assert report.to_frame().to_numpy().tolist() == [
        ["new-thyroid1", "stump", "0", "2", "its checksum does not hold"]
    ]
    now = study.status()
    assert (now.done, now.missing, now.notes) == (
        23,
        1,
        (
            "1 results of the store are damaged and count as missing; 'deabench study verify' "
            "names them",
        ),
    )
    assert [job.label for job in missing_tasks(study.plan)] == [
        "new-thyroid1 / stump / repeat 0 / fold 2"
    ]
    assert main(["study", "verify", str(study.plan.file), "--format", "csv"]) == 1
    assert (
        capsys.readouterr().out.splitlines()[1]
        == "new-thyroid1,stump,0,2,its checksum does not hold"
    )
    assert run_missing(study) == made.status().digest
    assert study.verify().sound


def test_changed_test_rows_are_named(study):
    with closing(sqlite3.connect(study.plan.store)) as db, db:
        rows = bytearray(db.execute("SELECT rows FROM results WHERE rowid = 3").fetchone()[0])
        rows[len(rows) // 2] ^= 4
        db.execute("UPDATE results SET rows = ? WHERE rowid = 3", (bytes(rows),))
    assert study.verify().to_frame()["wrong"].tolist() == [
        "its test rows are not those that were written"
    ]


@pytest.mark.slow
def test_a_flipped_bit_never_passes_for_a_result(made, study):
    """200 bits, one at a time: the digest is that of the sound store, or something is said, and
    repair gives it back.
    """
    digest, content = made.status().digest, made.plan.store.read_bytes()
    sound = {row.key: row for row in read_rows(made.plan.store).itertuples(index=False)}
    rng, reported = np.random.default_rng(0), 0
    for position, bit in zip(
        rng.integers(0, len(content), 200), rng.integers(0, 8, 200), strict=True
    ):
        damaged = bytearray(content)
        damaged[position] ^= 1 << bit
        study.plan.store.write_bytes(damaged)
        try:
            rows = read_rows(study.plan.store)
            assert all(sound[row.key] == row for row in rows.itertuples(index=False))
            report = study.verify()
            assert report.sound <= (study.status().digest == digest)
            reported += not report.sound
        except DataError:
            reported += 1
    assert reported > 60


@pytest.mark.parametrize("share", np.linspace(0, 0.999, 20))
def test_a_truncation_never_passes_for_a_store(made, study, share):
    """20 lengths: refused, and what `verify --repair` saves is sound."""
    content = made.plan.store.read_bytes()
    sound = {row.key: row for row in read_rows(made.plan.store).itertuples(index=False)}
    study.plan.store.write_bytes(content[: int(share * len(content))])
    for read in (study.status, study.summary, study.results, study.predictions):
        with pytest.raises(DataError):
            read()
    try:
        assert not study.verify(repair=True).sound
    except DataError:
        return  # nothing of it can be saved
    rows = read_rows(study.plan.store)
    assert all(sound[row.key] == row for row in rows.itertuples(index=False))
    assert run_missing(study) == made.status().digest


def test_a_store_of_another_format_is_not_read_as_ours(study):
    with closing(sqlite3.connect(study.plan.store)) as db:
        db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    for read in (study.status, study.verify, study.run):
        with pytest.raises(DataError, match=f"is of format {FORMAT + 1}, deabench reads {FORMAT}"):
            read()


def test_a_damaged_imported_row_does_not_count(study, tmp_path):
    counts = tmp_path / "weka.csv"
    counts.write_text(
        "dataset,classifier,tp,fn,fp,tn\nglass-0-4_vs_5,J48,9,0,0,83\nnew-thyroid1,J48,35,0,0,180\n"
    )
    import_results(study.plan, counts)
    assert len(read_imported(study.plan.store)) == 2
    with closing(sqlite3.connect(study.plan.store)) as db, db:
        db.execute("UPDATE outside SET tp = 8, fn = 1 WHERE dataset = 'glass-0-4_vs_5'")
    assert read_imported(study.plan.store)["dataset"].tolist() == ["new-thyroid1"]
    assert study.verify().to_frame()["wrong"].tolist() == ["its checksum does not hold"]


def test_counts_that_are_not_those_of_the_test_rows_are_named(study):
    """Anybody can compute a checksum: the counts are held against the kept predictions."""
    with closing(sqlite3.connect(study.plan.store)) as db, db:
        row = list(db.execute(f"SELECT {','.join(COLUMNS)} FROM results LIMIT 1").fetchone())
        tp, fn = COLUMNS.index("tp"), COLUMNS.index("fn")
        row[tp] += 1
        row[fn] -= 1
        db.execute(
            "UPDATE results SET tp = ?, fn = ?, checksum = ? WHERE key = ?",
            (row[tp], row[fn], checksum(tuple(row)), row[0]),
        )
    assert study.verify().to_frame()["wrong"].tolist() == [
        "its counts are not those of its test rows"
    ]


def test_a_damaged_page_is_repaired(made, study):
    content = bytearray(study.plan.store.read_bytes())
    content[4096 * 6 : 4096 * 6 + 300] = bytes(300)
    study.plan.store.write_bytes(content)
    assert not study.verify(repair=True).sound
    assert study.verify().sound
    assert study.plan.store.with_name("study.sqlite.damaged").read_bytes() == bytes(content)
    assert 0 < study.status().done < 24
    assert run_missing(study) == made.status().digest


def test_a_store_of_no_bytes_or_a_cut_one_is_refused(study, refused):
    store = study.plan.store
    content = store.read_bytes()
    store.write_bytes(content[: int(len(content) * 0.99)])
    with refused(
        f"the store '{store}' has {int(len(content) * 0.99)} of its {len(content)} bytes: it was "
        "cut; bring back a copy, "
        "or save what is left with 'deabench study verify --repair'",
        CutStoreError,
    ):
        study.status()
    with refused(
        f"the store '{store}' has {int(len(content) * 0.99)} of its {len(content)} bytes: it was "
        "cut; bring back a copy, "
        "or save what is left with 'deabench study verify --repair'",
        CutStoreError,
    ):
        study.run(workers=1)
    store.write_bytes(b"")
    with refused(
        f"the store '{store}' has 0 bytes, which a store never has: it was cut; bring back a "
        "copy, or delete it to begin "
        "again"
    ):
        study.run(workers=1)


def test_a_store_of_the_first_release_is_named(study, refused):
    store = study.plan.store
    store.unlink()
    with closing(sqlite3.connect(store)) as db:
        db.execute("CREATE TABLE results (key TEXT PRIMARY KEY, dataset TEXT)")
    with refused(
        f"the store '{store}' is of deabench 0.1.0, whose results name neither the code nor the "
        "versions that made them "
        "and carry no checksums; move it away, and run the study again"
    ):
        study.status()


def test_data_are_read_once_for_status_tables_and_a_report(made, monkeypatch):
    from deabench.study.data import loaders

    read = []
    table2 = loaders.LOADERS["table2"]
    monkeypatch.setitem(
        loaders.LOADERS, "table2", lambda spec: read.append(spec.name) or table2(spec)
    )
    study = Study.from_toml(made.plan.file)
    study.status()
    study.summary()
    study.status()
    assert read == ["glass-0-4_vs_5", "new-thyroid1"]
