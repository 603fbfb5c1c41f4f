"""A classifier that raises, exits, hangs or kills its worker costs its own tasks, and the study
goes on.
"""

from __future__ import annotations

import shutil

import pandas as pd
import pytest
from study_runs import run_here, with_data_from_code

from deabench.datasets import keel
from deabench.errors import DataError
from deabench.study import Study
from deabench.study.data.loaders import SHIPPED_FOLDER
from deabench.study.results.status import current_rows
from deabench.study.results.store import COMMIT_SECONDS, Store
from deabench.study.running.tasks import Outcome

POISON = """
seed = 1
time_limit = 2
allow_imports = true
[[data.set]]
name = "one fold"
file = "rows.csv"
test_file = "rows.csv"
[classifiers]
raises = {import = "poison.Raises"}
exits = {import = "poison.Exits"}
dies = {import = "poison.Dies"}
hangs = {import = "poison.Hangs"}
deadlocks = {import = "poison.Deadlocks"}
good = {import = "poison.Good"}
tree = {use = "C4.5"}
"""


@pytest.fixture
def poisoned(study_file):
    path = study_file(POISON)
    shutil.copy(SHIPPED_FOLDER / "glass-0-4_vs_5.csv", path.parent / "rows.csv")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheduler", "source"),
    [(None, "code"), ("local", "file")],
    ids=["joblib-code", "dask-file"],
)
def test_every_kind_of_poison(poisoned, scheduler, source):
    study = Study.from_toml(poisoned, allow_imports=True)
    if source == "code":
        study = with_data_from_code(study)
    done = study.run(workers=1 if scheduler else 2, scheduler=scheduler)
    assert (done.total, done.done, done.failed, done.missing) == (7, 2, 5, 0)
    rows = current_rows(study.plan).set_index("classifier")
    assert rows["status"].to_dict() == {
        "raises": "failed",
        "exits": "failed",
        "dies": "crashed",
        "hangs": "timeout",
        "deadlocks": "timeout",
        "good": "done",
        "tree": "done",
    }
    assert rows.loc["raises", ["error_type", "error"]].tolist() == [
        "ArithmeticError",
        "this learner always fails",
    ]
    assert "in harm" in rows.loc["raises", "traceback"]
    assert rows.loc["exits", ["error_type", "error"]].tolist() == ["SystemExit", "enough"]
    assert rows.loc["hangs", "error"] == "took longer than 2 s"
    assert rows.loc["deadlocks", "error"] == (
        "took longer than 2 s in code that cannot be interrupted; its worker was ended"
    )
    assert "in harm" in rows.loc["deadlocks", "traceback"]
    assert done.failures.to_dict() == {
        ("deadlocks", "timeout"): 1,
        ("dies", "crashed"): 1,
        ("exits", "failed"): 1,
        ("hangs", "timeout"): 1,
        ("raises", "failed"): 1,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheduler", "source"),
    [pytest.param(None, "file", id="joblib-file"), pytest.param("local", "code", id="dask-code")],
)
def test_a_task_that_kills_its_worker_costs_no_other(poisoned, scheduler, source):
    lines = poisoned.read_text().splitlines(keepends=True)
    survivors = [line for line in lines if not line.startswith(("exits", "hangs", "deadlocks"))]
    poisoned.write_text("".join(survivors))
    study = Study.from_toml(poisoned, allow_imports=True)
    if source == "code":
        study = with_data_from_code(study)
    done = study.run(workers=1 if scheduler else 2, scheduler=scheduler)
    assert (done.total, done.done, done.failed, done.missing) == (4, 2, 2, 0)
    assert done.failures.to_dict() == {("dies", "crashed"): 1, ("raises", "failed"): 1}


def test_failed_tasks_are_not_repeated_unless_asked_or_their_limit_changed(study_file):
    path = study_file(POISON)
    shutil.copy(SHIPPED_FOLDER / "glass-0-4_vs_5.csv", path.parent / "rows.csv")
    from deabench.study.results.status import missing_tasks

    plan = Study.from_toml(path, allow_imports=True).plan
    with Store(plan.store) as store:
        for job, status in zip(
            plan.tasks(), ("failed", "failed", "crashed", "timeout", "timeout"), strict=False
        ):
            store.write_outcome(job, Outcome(status))
    assert [job.learner.name for job in missing_tasks(plan)] == ["good", "tree"]
    assert len(missing_tasks(plan, retry_failed=True)) == 7
    path.write_text(POISON.replace("time_limit = 2", "time_limit = 9"))
    assert [
        job.learner.name for job in missing_tasks(Study.from_toml(path, allow_imports=True).plan)
    ] == [
        "hangs",
        "deadlocks",
        "good",
        "tree",
    ]


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "study.toml"
    path.write_text(
        '[data]\nnames = ["glass-0-4_vs_5"]\n[split]\nfolds = 2\n[classifiers]\n"C4.5" = {}\n'
        "majority = {}"
    )
    run_here(Study.from_toml(path, allow_imports=True))
    return path


@pytest.fixture
def stored(once, tmp_path):
    for suffix in (".toml", ".sqlite"):
        shutil.copy(once.with_suffix(suffix), tmp_path / f"study{suffix}")
    return Study.from_toml(tmp_path / "study.toml", allow_imports=True)


def test_a_read_only_store_is_refused_and_stays_as_it_was(stored):
    store = stored.plan.store
    content = bytearray(store.read_bytes())
    content[18] = (
        3  # the file format's write version: SQLite opens a file of a later one for reading only
    )
    store.write_bytes(content)
    file = stored.plan.file
    file.write_text(file.read_text() + "\nstump = {}\n")
    with pytest.raises(DataError) as e:
        Study.from_toml(file, allow_imports=True).run(workers=1)
    assert str(e.value) == (
        f"cannot write the store '{store}': attempt to write a readonly database; the results "
        "committed before are safe (make room or permit writing, and run again)"
    )
    assert store.read_bytes() == bytes(content)
    assert Study.from_toml(file, allow_imports=True).status().done == 4


def test_a_full_disk_ends_in_a_sentence_and_keeps_what_was_committed(stored, monkeypatch):
    plan = stored.plan
    before = stored.status()
    job = plan.tasks()[0]

    def fill() -> None:
        with Store(plan.store) as store:
            pages = store._db.execute("PRAGMA page_count").fetchone()[0]
            store._db.execute(
                f"PRAGMA max_page_count = {pages}"
            )  # as on a full disk: SQLITE_FULL on the next page
            store.write_outcome(job, Outcome("done", rows=bytes(200_000)))

    with pytest.raises(DataError) as e:
        fill()
    assert str(e.value) == (
        f"cannot write the store '{plan.store}': database or disk is full; the results committed "
        "before are safe (make room or permit writing, and run again)"
    )
    assert stored.status().digest == before.digest
    assert stored.status().done == 4


def test_rows_are_committed_while_the_run_goes_on(stored):
    job = stored.plan.tasks()[0]
    with Store(stored.plan.store) as store:
        store._committed -= 2 * COMMIT_SECONDS
        store.write_outcome(job, Outcome("failed"))
        assert stored.status().failed == 1
        store.write_outcome(job, Outcome("done", (1, 2, 3, 4)))
        assert stored.status().failed == 1
    assert stored.status().failed == 0


def test_a_file_that_is_not_a_store_is_refused(stored):
    stored.plan.store.write_text("not a database, but long enough to be taken for one" * 30)
    with pytest.raises(DataError) as e:
        stored.status()
    assert str(e.value) == (
        f"'{stored.plan.store}' cannot be read as the store of a study: file is not a database"
    )


def test_predictions_are_kept_and_agree_with_the_counts(stored):
    from deabench.study.results.stored_rows import read_predictions

    rows = current_rows(stored.plan)
    stored_predictions = read_predictions(stored.plan.store, rows["key"])
    for row in rows.itertuples():
        frame = stored_predictions[row.key]
        assert pd.crosstab(frame["y_true"], frame["y_pred"]).reindex(
            index=[1, 0], columns=[1, 0], fill_value=0
        ).to_numpy().ravel().tolist() == [row.tp, row.fn, row.fp, row.tn]
    predictions = pd.concat(
        [stored_predictions[key] for key in rows["key"][rows["classifier"] == "majority"]]
    )
    assert sorted(predictions["row"]) == list(
        range(keel.table2().loc["glass-0-4_vs_5", "instances"].astype(int))
    )


def test_predictions_asked_for_later_are_made_then(study_file):
    path = study_file(
        'keep_predictions = false\n[data]\nnames = ["glass-0-4_vs_5"]\n[split]\nfolds = 2\n'
        "[classifiers]\nmajority = {}\nstump = {}"
    )
    without = Study.from_toml(path, allow_imports=True)
    digest = run_here(without).digest
    assert not current_rows(without.plan)["kept"].any()
    path.write_text(path.read_text().replace("false", "true"))
    repeated = Study.from_toml(path, allow_imports=True)
    assert run_here(repeated).digest == digest
    assert current_rows(repeated.plan)["kept"].all()
