"""Times, weights, costs, dates, and the files that data come in."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from study_runs import run_here

from deabench.errors import DataError
from deabench.study import Study
from deabench.study.data.columns import (
    TWO_CLASSES,
    DataSpec,
    costs_of_classes,
    read_number_column,
)
from deabench.study.data.dataset import Dataset
from deabench.study.data.splits import SplitSpec, split_rows
from deabench.study.learners.registry import weights_parameter

RNG = np.random.default_rng(5)
ROWS = 60


def table() -> pd.DataFrame:
    """A table with a date, weights, costs and two features."""
    rng = np.random.default_rng(3)
    y = np.arange(ROWS) % 3 == 0
    return pd.DataFrame(
        {
            "day": pd.date_range("2026-01-01", periods=ROWS, freq="D"),
            "weight": rng.uniform(0.5, 2, ROWS),
            "cost": rng.uniform(1, 9, ROWS),
            "a": rng.normal(size=ROWS) + y,
            "kind": np.where(rng.random(ROWS) < 0.5, "x", "y"),
            "class": np.where(y, "yes", "no"),
        }
    )


def study_of(tmp_path, data, classifiers=None, **options):
    return Study(
        {"d": data},
        classifiers or {"bayes": GaussianNB()},
        store=tmp_path / "d.sqlite",
        **{"split": 3, **options},
    )


def only_dataset(study: Study) -> Dataset:
    return study.plan.datasets()[0]


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "frame"])
def test_every_kind_of_source_gives_the_same_data(tmp_path, ending):
    frame = table()
    source = frame
    if ending != "frame":
        source = tmp_path / f"d.{ending}"
        write = {"csv": frame.to_csv, "parquet": frame.to_parquet, "feather": frame.to_feather}
        write[ending](source, **({"index": False} if ending == "csv" else {}))
    data = only_dataset(study_of(tmp_path, source))
    reference = only_dataset(study_of(tmp_path, frame))
    np.testing.assert_array_equal(data.X, reference.X)
    # the date is a number of days: 2026-01-01 is day 20,454
    assert data.X[:2, 0].tolist() == [20454.0, 20455.0]
    assert data.features == reference.features == 5
    assert [note for note in data.notes if "'day' holds dates or durations" in note]
    assert data.notes == reference.notes


def test_a_damaged_parquet_file_is_named_by_its_kind(tmp_path):
    path = tmp_path / "d.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"data set 'd': '.*d\.parquet' is not a Parquet file: "):
        only_dataset(study_of(tmp_path, path))


def test_texts_that_are_not_all_dates_stay_categories(tmp_path):
    frame = table().assign(day=lambda frame: frame["day"].dt.strftime("%Y-%m-%d"))
    frame.loc[3, "day"] = "soon"
    data = only_dataset(study_of(tmp_path, frame))
    assert data.columns[0].kind == "nominal"


def test_time_zones_and_durations_become_days(tmp_path):
    frame = table()
    frame["day"] = frame["day"].dt.tz_localize("Europe/Madrid")
    frame["lasted"] = pd.to_timedelta(np.arange(ROWS), unit="h")
    frame = frame[["day", "lasted", "class"]]
    X = only_dataset(study_of(tmp_path, frame)).X
    assert X[0].tolist() == [20454 - 1 / 24, 0]
    assert X[1, 1] == pytest.approx(1 / 24)


def test_a_split_by_time_follows_its_column(tmp_path):
    frame = table()
    shuffled = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    study = study_of(tmp_path, shuffled, time="day", split={"kind": "time", "folds": 4})
    data = only_dataset(study)
    assert "day" not in [column.name for column in data.columns]
    days = shuffled["day"].to_numpy()
    expected = list(TimeSeriesSplit(4).split(np.arange(ROWS)))
    ordered = frame["day"].to_numpy()
    for fold, (train, test) in enumerate(expected):
        rows = split_rows(data, study.plan.split, 0, fold, 0)
        assert set(days[rows[0]]) == set(ordered[train])
        assert set(days[rows[1]]) == set(ordered[test])


@pytest.mark.parametrize("gap", [0, 1, 5])
def test_a_gap_of_rows_is_scikit_learns(gap):
    data = Dataset("d", np.zeros((ROWS, 1)), np.arange(ROWS) % 2, 1)
    split = SplitSpec("time", folds=4, gap=gap)
    for fold, (train, test) in enumerate(TimeSeriesSplit(4, gap=gap).split(np.zeros(ROWS))):
        rows = split_rows(data, split, 0, fold, 0)
        np.testing.assert_array_equal(rows[0], train)
        np.testing.assert_array_equal(rows[1], test)


def test_rows_of_one_time_stay_together_and_the_gap_is_in_its_unit():
    times = np.repeat(np.arange(10.0), 7)[::-1].copy()
    data = Dataset("d", np.zeros((70, 1)), np.arange(70) % 2, 1, times=times)
    for fold in range(3):
        train, test = split_rows(data, SplitSpec("time", folds=3, gap=1), 0, fold, 0)
        assert not set(times[train]) & set(times[test])
        assert times[train].max() < times[test].min() - 1
    # the last fold tests on the last times, and each row at most once
    tests = [split_rows(data, SplitSpec("time", folds=3), 0, fold, 0)[1] for fold in range(3)]
    assert len(np.concatenate(tests)) == len(set(np.concatenate(tests)))
    assert times[tests[-1]].max() == 9


def test_too_few_times_or_too_large_a_gap_are_refused(tmp_path):
    frame = table().assign(day=2026)
    with pytest.raises(DataError, match="has 1 times in 60 rows, too few for 3 folds"):
        study_of(tmp_path, frame, time="day", split={"kind": "time", "folds": 3}).plan.tasks()
    split = {"kind": "time", "folds": 3, "gap": 50}
    with pytest.raises(DataError, match="give fewer folds or a smaller gap"):
        study_of(tmp_path, table(), time="day", split=split).plan.tasks()
    with pytest.raises(DataError, match="gap is 2; only a split of kind 'time' has one"):
        study_of(tmp_path, table(), split={"folds": 3, "gap": 2})


def test_a_split_by_time_without_times_says_so(tmp_path):
    study = study_of(tmp_path, table().drop(columns="day"), split="time")
    assert (
        "data set 'd' has no column of times: its rows are split in the order in which they stand"
    ) in study.plan.data_notes


def test_a_time_that_is_none_is_named(tmp_path):
    frame = table().assign(day="03/04/2026")
    with pytest.raises(
        DataError, match="column 'day' is '03/04/2026' in row 1; a time is a number, or a date"
    ):
        study_of(tmp_path, frame, time="day")
    with pytest.raises(DataError, match="has no column 'dya' to take its times from"):
        study_of(tmp_path, table(), time="dya")


def test_weights_reach_the_classifier(tmp_path):
    frame = table().drop(columns=["day", "cost"])
    study = study_of(
        tmp_path, frame, {"lr": LogisticRegression(), "knn": KNeighborsClassifier()},
        weights="weight", split=2,
    )  # fmt: skip
    data = only_dataset(study)
    assert [column.name for column in data.columns] == ["a", "kind"]
    run_here(study)
    for fold in range(2):
        train, test = split_rows(data, study.plan.split, 0, fold, 0)
        model = LogisticRegression()
        model.fit(data.X[train], data.y[train], sample_weight=frame["weight"].to_numpy()[train])
        rows = study.predictions("d", "lr").query(f"fold == {fold}")
        np.testing.assert_allclose(rows["score"], model.decision_function(data.X[test]))
        plain = LogisticRegression().fit(data.X[train], data.y[train])
        assert not np.allclose(rows["score"], plain.decision_function(data.X[test]))
    assert "classifier 'knn' takes no weights of rows and learns without" in study.plan.data_notes
    assert not [note for note in study.plan.data_notes if "'lr' takes no weights" in note]


def test_who_takes_weights():
    logistic = LogisticRegression()
    assert weights_parameter(logistic) == "sample_weight"
    assert weights_parameter(KNeighborsClassifier()) is None
    pipeline = make_pipeline(StandardScaler(), logistic)
    assert weights_parameter(pipeline) == "logisticregression__sample_weight"
    assert weights_parameter(GridSearchCV(logistic, {"C": [1]})) == "sample_weight"


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_and_costs_are_numbers_from_zero_on(tmp_path, bad):
    frame = table()
    frame.loc[4, ["weight", "cost"]] = bad
    for option in ("weights", "costs"):
        with pytest.raises(DataError, match=f"{option} is '.*' in row 5; give numbers >= 0"):
            study_of(tmp_path, frame, **{option: option[:-1]})
    with pytest.raises(DataError, match="weights of data set 'd' has shape"):
        study_of(tmp_path, frame, weights=[1, 2])


def test_costs_of_rows_are_those_of_the_wrong_ones(tmp_path):
    frame = table().drop(columns=["day", "weight"])
    study = study_of(tmp_path, frame, costs="cost", metrics=["TPR", "TNR", "cost"])
    run_here(study)
    predictions = study.predictions()
    wrong = predictions["y_true"] != predictions["y_pred"]
    costs = wrong * frame["cost"].to_numpy()[predictions["row"]]
    expected = costs.groupby(predictions["fold"]).mean().mean()
    assert study.summary().metrics.loc[("d", "bayes"), "cost"] == pytest.approx(expected)
    # costs are no features, and a cost is an input
    assert only_dataset(study).features == 2
    assert study.plan.dea["inputs"] == ["cost"]


def test_costs_of_classes_and_of_data_sets(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    study = Study(
        {"c": (X, y), "free": (X, y)},
        {"bayes": GaussianNB()},
        metrics=["TPR", "TNR", "cost"],
        costs={"c": {"FN": 5, "FP": 2}},
        split=3,
        store=tmp_path / "c.sqlite",
    )
    run_here(study)
    counts = study.results()[["tp", "fn", "fp", "tn"]]
    rates = counts.div(counts.sum(axis=1), axis=0)
    metrics = study.summary().metrics["cost"]
    expected = (5 * rates["fn"] + 2 * rates["fp"]).groupby("dataset").mean()
    assert metrics.loc["c", "bayes"] == pytest.approx(expected["c"])
    # without costs each wrong row costs 1
    errors = (rates["fn"] + rates["fp"]).groupby("dataset").mean()
    assert metrics.loc["free", "bayes"] == pytest.approx(errors["free"])
    # other costs need no other results
    cheaper = Study(
        {"c": (X, y), "free": (X, y)},
        {"bayes": GaussianNB()},
        metrics=["TPR", "TNR", "cost"],
        costs={"FN": 1, "FP": 1},
        split=3,
        store=tmp_path / "c.sqlite",
    )
    assert cheaper.status().missing == 0
    assert cheaper.summary().metrics["cost"].to_list() == pytest.approx(errors.to_list())
    with pytest.raises(DataError, match="costs has no 'NF'"):
        study_of(tmp_path, (X, y), costs={"NF": 1})


def test_scores_of_more_classes_than_two_are_scikit_learns(tmp_path):
    names = ["roc_auc", "log_loss", "brier", "accuracy"]
    classifiers = {"bayes": GaussianNB(), "none": DummyClassifier(strategy="stratified")}
    wine = load_wine(return_X_y=True)
    study = study_of(tmp_path, wine, classifiers, classes="all", metrics=names)
    run_here(study)
    metrics = study.summary().metrics
    for classifier in classifiers:
        values = []
        for _, rows in study.predictions("d", classifier).groupby("fold"):
            p = rows[["score_0", "score_1", "score_2"]].to_numpy()
            y = rows["y_true"].to_numpy()
            with np.errstate(divide="ignore"):
                loss = -np.log(p[np.arange(len(y)), y]).mean()
            brier = sum(brier_score_loss(y == k, p[:, k]) for k in range(3))
            values.append((roc_auc_score(y, p, multi_class="ovr"), loss, brier))
            if np.isfinite(loss):
                assert loss == pytest.approx(log_loss(y, p))
        expected = np.mean(values, axis=0)
        # who gives what happened no chance has no finite loss
        assert np.isinf(expected[1]) == (classifier == "none")
        expected[1] = np.where(np.isinf(expected[1]), np.nan, expected[1])
        np.testing.assert_allclose(metrics.loc[("d", classifier), names[:3]], expected)
    assert "log_loss of 'none' on 'd' is infinite in 3 of 3 folds" in study.summary().notes
    # a loss without a greatest value is an input, Brier's goes from 0 to 2
    assert study.plan.dea["inputs"] == ["log_loss"]
    assert study.plan.study_metrics.highest("brier") == 2


def test_a_classifier_without_probabilities_has_no_brier_score_and_ends_no_summary(tmp_path):
    data = load_breast_cancer(return_X_y=True)
    classifiers = {"svm": SVC(), "bayes": GaussianNB(), "broken": Broken()}
    study = study_of(tmp_path, data, classifiers, metrics=["accuracy", "brier"])
    run_here(study)
    summary = study.summary()
    rows = study.predictions("d", "bayes").groupby("fold")
    losses = rows.apply(lambda fold: brier_score_loss(fold["y_true"], fold["score"]))
    assert summary.metrics.loc[("d", "bayes"), "brier"] == pytest.approx(losses.mean())
    assert summary.metrics["accuracy"].notna().all()
    for name in ("svm", "broken"):
        assert np.isnan(summary.metrics.loc[("d", name), "brier"])
        assert any(f"brier of '{name}' on 'd' is undefined" in note for note in summary.notes)
        assert study.predictions("d", name)["probability"].isna().all()
    notes = study.results().xs("broken", level="classifier")["notes"]
    assert {note["no_probabilities"] for note in notes} == {"ValueError: not today"}
    assert study.verify().sound


class Broken(GaussianNB):
    """Its decision function stands, its probabilities do not."""

    def decision_function(self, X):
        return super().predict_proba(X)[:, 1]

    def predict_proba(self, X):
        raise ValueError("not today")

    def predict(self, X):
        return self.decision_function(X) > 0.5


def test_losses_are_of_probabilities_and_areas_of_decision_values(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    # the two disagree: decision values grow with the probability of the other class
    classifiers = {"lr": LogisticRegression(max_iter=9999), "contrary": Contrary()}
    names = ["brier", "log_loss", "roc_auc"]
    study = study_of(
        tmp_path, (X[:, :5], y), classifiers, metrics=names, dea={"inputs": ["log_loss"]}
    )
    run_here(study)
    computed = study.summary().metrics
    for name, model in classifiers.items():
        values = []
        for fold, rows in study.predictions("d", name).groupby("fold"):
            train, test = split_rows(study.plan.datasets()[0], study.plan.split, 0, fold, 0)
            assert rows["row"].tolist() == test.tolist()
            X_d, y_d = study.plan.datasets()[0].X, study.plan.datasets()[0].y
            fitted = clone(model).fit(X_d[train], y_d[train])
            p = fitted.predict_proba(X_d[test])[:, 1]
            values.append(
                (
                    brier_score_loss(y_d[test], p),
                    log_loss(y_d[test], p),
                    roc_auc_score(y_d[test], fitted.decision_function(X_d[test])),
                )
            )
        np.testing.assert_allclose(computed.loc[("d", name), names], np.mean(values, axis=0))
    assert computed.loc[("d", "contrary"), "roc_auc"] < 0.2


class Contrary(GaussianNB):
    def decision_function(self, X):
        return self.predict_proba(X)[:, 0]


def test_sets_and_classifiers_have_a_split_and_a_preprocessing_of_their_own(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    frame = table()[["a", "kind", "class"]]
    study = Study(
        {"c": (X, y), "d": frame},
        {"bayes": GaussianNB(), "lr": LogisticRegression()},
        split={"folds": 4, "sets": {"d": "leave-one-out"}},
        preprocess={"sets": {"d": {"numeric": "minmax"}}, "classifiers": {"lr": StandardScaler()}},
        store=tmp_path / "cd.sqlite",
    )
    counts = {}
    for task in study.plan.tasks():
        pair = (task.data.name, task.learner.name)
        counts[pair] = counts.get(pair, 0) + 1
        if task.learner.name == "lr":
            assert isinstance(task.preprocessing.transformer, StandardScaler)
        else:
            expected = "minmax" if task.data.name == "d" else ""
            assert task.preprocessing.numeric == expected
    assert counts == {("c", "bayes"): 4, ("c", "lr"): 4, ("d", "bayes"): 60, ("d", "lr"): 60}


def test_groups_in_one_set_only(tmp_path):
    """Sets with groups and sets without in one study."""
    X, y = load_breast_cancer(return_X_y=True)
    frame = table().assign(patient=np.arange(ROWS) // 3)[["a", "patient", "class"]]
    study = Study(
        {"c": (X, y), "d": frame},
        {"bayes": GaussianNB()},
        groups={"d": "patient"},
        split={"folds": 4, "sets": {"d": {"kind": "groups", "folds": 3}}},
        store=tmp_path / "cd.sqlite",
    )
    assert len(study.plan.tasks()) == 4 + 3


def test_names_of_sets_and_classifiers_are_checked(tmp_path):
    with pytest.raises(DataError, match=r"split: sets: data set 'e' is not known"):
        study_of(tmp_path, table(), split={"folds": 3, "sets": {"e": 5}})
    with pytest.raises(DataError, match=r"preprocess: classifiers: classifier 'bays' is not known"):
        study_of(tmp_path, table(), preprocess={"classifiers": {"bays": "columns"}})
    with pytest.raises(DataError, match=r"split: sets.d has no key 'fold'; did you mean 'folds'"):
        study_of(tmp_path, table(), split={"sets": {"d": {"fold": 3}}})


def test_a_study_file_says_all_of_it(tmp_path):
    table().to_parquet(tmp_path / "d.parquet")
    path = tmp_path / "study.toml"
    path.write_text(
        """
        metrics = ["TPR", "TNR", "cost"]
        [data]
        names = ["glass-0-4_vs_5"]
        [[data.set]]
        name = "d"
        file = "d.parquet"
        time = "day"
        weights = "weight"
        costs = {FN = 4, FP = 1}
        [split]
        folds = 3
        [split.sets.d]
        kind = "time"
        folds = 4
        gap = 2
        [preprocess]
        numeric = "standardise"
        [preprocess.classifiers]
        "C4.5" = "columns"
        [classifiers]
        "naive Bayes" = {}
        "C4.5" = {}
        """
    )
    study = Study.from_toml(path)
    assert len(study.plan.tasks()) == 2 * (3 + 4)
    data = study.plan.datasets()[1]
    assert [column.name for column in data.columns] == ["cost", "a", "kind"]
    assert set(data.costs) == {1.0, 4.0}
    assert study.plan.preprocessing_of("d", "C4.5").columns
    assert study.plan.preprocessing_of("d", "naive Bayes").numeric == "standardise"
    assert study.plan.split_of("d").gap == 2


@pytest.mark.parametrize("shared_rows", [1, 0])
def test_a_splitter_may_not_test_on_rows_it_trains_on(shared_rows):
    half = ROWS // 2

    class Halves:
        def split(self, X, y=None, groups=None):
            yield np.arange(half + shared_rows), np.arange(half, ROWS)

    data = Dataset("d", np.zeros((ROWS, 1)), np.arange(ROWS) % 2, 1)
    split = SplitSpec("splitter", splitter=Halves())
    if shared_rows:
        with pytest.raises(DataError, match="tests on rows it trains on"):
            split_rows(data, split, 0, 0, 0)
    else:
        train, test = split_rows(data, split, 0, 0, 0)
        assert (len(train), len(test)) == (half, half)


Y = np.arange(ROWS) % 3 // 2
NUMBERS = pd.DataFrame(RNG.normal(size=(ROWS, 2)).round(3), columns=["a", "b"])
KINDS = {
    "objects": NUMBERS.astype(object),
    "decimals": NUMBERS.map(lambda cell: Decimal(str(cell))),
    "nullable": NUMBERS.convert_dtypes(),
    "arrow": NUMBERS.convert_dtypes(dtype_backend="pyarrow"),
    "sparse": NUMBERS.astype("Sparse[float]"),
    "half known as objects": NUMBERS.astype(object).where(NUMBERS > 0, None),
    "half known": NUMBERS.where(NUMBERS > 0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_any_kind_are_numbers(kind, tmp_path):
    data = only_dataset(study_of(tmp_path, KINDS[kind].assign(y=Y)))
    expected = NUMBERS.where(NUMBERS > 0) if kind.startswith("half") else NUMBERS
    np.testing.assert_array_equal(data.X, expected.to_numpy())
    assert {feature.kind for feature in data.columns} == {"numeric"}


@pytest.mark.parametrize(
    "labels",
    [
        np.where(Y > 0, "ja", "nein"),
        Y > 0,
        Y + 0.5,
        pd.array(Y > 0, dtype="boolean"),
        pd.Categorical(np.where(Y > 0, "p", "q")),
        pd.Series(Y, index=ROWS - np.arange(ROWS)),
    ],
)
def test_labels_of_any_kind_are_classes(labels, tmp_path):
    np.testing.assert_array_equal(only_dataset(study_of(tmp_path, (NUMBERS, labels))).y, Y)


@pytest.mark.parametrize(
    ("data", "options", "text"),
    [
        ((NUMBERS[:0], Y[:0]), {}, "no rows; give a table with rows"),
        ((NUMBERS[[]], Y), {}, "no features besides its class 'y \\(given to Study\\)'"),
        ((NUMBERS.assign(a=1j), Y), {}, "column 'a' holds complex numbers; give its real"),
        ((NUMBERS.astype({"a": object}).assign(b=[1j] * ROWS), Y), {}, "'b' holds complex numbers"),
        (
            (NUMBERS, Y),
            {"time": np.where(np.arange(ROWS) == 5, np.nan, 0), "split": "time"},
            "column 'time \\(given to Study\\)' is 'nan' in row 6; a time is a number",
        ),
        (
            (NUMBERS, Y),
            {"time": np.where(np.arange(ROWS) == 5, np.inf, 0), "split": "time"},
            "column 'time \\(given to Study\\)' is 'inf' in row 6; a time is a number",
        ),
        (
            (NUMBERS, Y),
            {"groups": np.where(np.arange(ROWS) == 5, np.nan, 0), "split": "groups"},
            "column 'groups \\(given to Study\\)' has no group in row 6",
        ),
    ],
)
def test_what_cannot_be_data_is_named(data, options, text, tmp_path):
    with pytest.raises(DataError, match=text):
        study_of(tmp_path, data, **options)


def test_weights_and_costs_are_numbers_of_which_one_counts(refused):
    table = pd.DataFrame({"text": [1, "x"], "below": [1, -2], "none": [0, 0], "sound": [0, "2"]})

    def read(column):
        return read_number_column(DataSpec("d", "file", (("weights", column),)), table, "weights")

    assert read("sound").tolist() == [0, 2]
    assert read("sound").dtype == float
    for column, cell, row in (("text", "x", 2), ("below", "-2", 2), ("none", "0", 1)):
        with refused(
            f"data set 'd': weights is '{cell}' in row {row}; give numbers >= 0, not all of them 0"
        ):
            read(column)
    with refused("data set 'd' has no column 'size' to take its weights from"):
        read("size")
    spec = DataSpec("d", "file", (("costs", (("FN", -1),)),))
    with refused("data set 'd': the cost of 'FN' is -1; give a number >= 0"):
        costs_of_classes(spec, np.array([0, 1]), TWO_CLASSES)
    spec = DataSpec("d", "file", (("costs", (("FN", 5),)),))
    # The positive is code 1: missing it is a false negative.
    assert costs_of_classes(spec, np.array([0, 1]), TWO_CLASSES).tolist() == [1, 5]
