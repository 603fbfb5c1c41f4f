"""A study from code is the study of the file: one store, one digest, one table of results."""

from __future__ import annotations

import numpy as np
import pandas as pd
import poison
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from study_runs import run_here

import deabench as db
from deabench.study import Study
from deabench.study.data.loaders import SHIPPED_FOLDER
from deabench.study.results.status import current_rows
from deabench.study.running.tasks import run_task
from deabench.study.spec.tasks import TaskList

FILE = """
seed = 5
allow_imports = true
[[data.set]]
name = "thyroid"
file = "rows.csv"
[split]
folds = 4
[classifiers]
near = {import = "sklearn.neighbors.KNeighborsClassifier", n_neighbors = 3}
forest = {import = "sklearn.ensemble.RandomForestClassifier", n_estimators = 5}
tree = {use = "C4.5", cf = 0.1}
"""
LEARNERS = {
    "near": KNeighborsClassifier(3),
    "forest": poison.small_forest,
    "tree": {"use": "C4.5", "cf": 0.1},
}


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(SHIPPED_FOLDER / "new-thyroid1.csv")


def done(study: Study) -> dict[str, np.ndarray]:
    """Every task run here, one after the other: each classifier's counts, summed."""
    counts: dict[str, np.ndarray] = {}
    for job in study.plan.tasks():
        outcome = run_task(job)
        assert outcome.status == "done", outcome.error
        counts[job.learner.name] = counts.get(job.learner.name, 0) + np.array(outcome.counts)
    return counts


def test_the_same_store_digest_and_results_as_from_a_file(study_file, rows, tmp_path):
    path = study_file(FILE)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    from_file = Study.from_toml(path, allow_imports=True)
    from_code = db.Study(
        {"thyroid": rows},
        {**LEARNERS, "forest": RandomForestClassifier(5)},
        seed=5,
        split=4,
        store=tmp_path / "study.sqlite",
    )
    assert {job.key for job in from_file.plan.tasks()} == {
        job.key for job in from_code.plan.tasks()
    }
    digest = run_here(from_code).digest
    assert from_file.status().done == 12
    assert from_file.status().digest == digest
    pd.testing.assert_frame_equal(from_file.summary().metrics, from_code.summary().metrics)
    study = db.Study(
        {"thyroid": (rows.iloc[:, :-1].to_numpy(), rows.iloc[:, -1])},
        LEARNERS,
        seed=5,
        split=StratifiedKFold(4, shuffle=True),
        store=tmp_path / "apart.sqlite",
    )
    assert run_here(study).digest == digest


def test_a_file_has_its_classes_in_the_named_column(rows, tmp_path):
    classes = rows.columns[-1]
    rows[[classes, *rows.columns[:-1]]].to_csv(tmp_path / "rows.csv", index=False)
    learners = {"near": KNeighborsClassifier(3)}
    from_file = Study(
        {"t": tmp_path / "rows.csv"}, learners, split=4, target=classes, store=tmp_path / "f.sqlite"
    )
    from_rows = Study({"t": rows}, learners, split=4, store=tmp_path / "r.sqlite")
    assert done(from_file)["near"].tolist() == done(from_rows)["near"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("split", [StratifiedKFold(5), LeaveOneOut(), "leave-one-out"], ids=str)
def test_counts_are_those_of_cross_val_predict(rows, split, tmp_path):
    rows = rows.iloc[::3]
    X, y = rows.iloc[:, :-1], rows.iloc[:, -1]
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    study = Study({"t": (X, y)}, {"m": model}, split=split, store=tmp_path / "s.sqlite")
    positive = y.value_counts().index[-1]
    predictions = cross_val_predict(
        model, X, y, cv=LeaveOneOut() if isinstance(split, str) else split
    )
    wanted = [
        ((y == positive) & (predictions == positive)).sum(),
        ((y == positive) & (predictions != positive)).sum(),
        ((y != positive) & (predictions == positive)).sum(),
        ((y != positive) & (predictions != positive)).sum(),
    ]
    assert done(study)["m"].tolist() == wanted


def test_columns_by_name_reach_a_pipeline_of_ones_own(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.normal(40, 9, 90), "town": rng.choice(["a", "b", "c"], 90)})
    y = ((frame["town"] == "b") | (frame["age"] > 55)).map({True: "ill", False: "well"})
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["town"]), (StandardScaler(), ["age"])),
        LogisticRegression(),
    )
    study = Study(
        {"d": (frame, y)},
        {"m": model},
        split=StratifiedKFold(3),
        preprocess="columns",
        positive="ill",
        store=tmp_path / "s.sqlite",
    )
    predictions = cross_val_predict(model, frame, (y == "ill").astype(int), cv=StratifiedKFold(3))
    assert done(study)["m"][0] == ((y == "ill") & (predictions == 1)).sum()
    assert done(study)["m"][2] == ((y != "ill") & (predictions == 1)).sum()


def test_columns_are_prepared_inside_the_folds(tmp_path):
    """A median of the test rows would show: they are a million, the training rows are not."""
    frame = pd.DataFrame(
        {"x": [1.0, 2, np.nan, 3, 1e6, 1e6, 1e6, np.nan] * 4, "town": ["a", "b", None, "a"] * 8}
    )
    y = np.array([0, 1, 1, 0, 1, 0, 0, 1] * 4)
    fitted_rows = []

    class Looks(LogisticRegression):
        def fit(self, X, y):
            fitted_rows.append(X)
            return super().fit(X, y)

    study = Study(
        {"d": (frame, y)},
        {"m": Looks()},
        split=TimeSeriesSplit(2, test_size=4),
        positive=1,
        preprocess={"numeric": "minmax", "nominal": "indicators", "missing": "impute"},
        store=tmp_path / "s.sqlite",
    )
    job = study.plan.tasks()[0]
    assert run_task(job).status == "done"
    X = fitted_rows[0]
    assert X.shape == (24, 3)
    assert (X[:, 0].min(), X[:, 0].max()) == (0, 1)
    assert X[2].tolist() == pytest.approx([(np.nanmedian(frame["x"][:24]) - 1) / (1e6 - 1), 1, 0])


def test_groups_stay_together_and_time_goes_on(rows, tmp_path):
    groups = np.arange(len(rows)) // 5
    for split in ("groups", GroupKFold(5), "leave-one-group-out"):
        study = Study(
            {"t": rows},
            {"tree": "C4.5"},
            split={"kind": split, "folds": 5} if split == "groups" else split,
            groups=groups,
            store=tmp_path / "s.sqlite",
        )
        from deabench.study.data.splits import split_rows

        data = study.plan.datasets()[0]
        tested = []
        for job in study.plan.tasks():
            train, test = split_rows(data, job.split, job.repeat, job.fold, job.seed)
            assert not set(groups[train]) & set(groups[test])
            tested += test.tolist()
        assert sorted(tested) == list(range(len(rows)))
        assert len(study.plan.tasks()) == (43 if split == "leave-one-group-out" else 5)
    time = Study(
        {"t": rows},
        {"tree": "C4.5"},
        split={"kind": "time", "folds": 3},
        store=tmp_path / "s.sqlite",
    )
    for job in time.plan.tasks():
        train, test = split_rows(time.plan.datasets()[0], job.split, 0, job.fold, 0)
        assert train.max() < test.min()


def test_a_split_left_to_chance_is_seeded_or_refused(rows, tmp_path, refused):
    def folds(seed: int) -> list[str]:
        return [
            job.key
            for job in Study(
                {"t": rows},
                {"tree": "C4.5"},
                split=ShuffleSplit(2),
                seed=seed,
                store=tmp_path / "s.sqlite",
            ).plan.tasks()
        ]

    assert folds(1) == folds(1) != folds(2)

    class Dice:
        def split(self, X, y=None, groups=None):
            order = np.random.default_rng().permutation(len(X))
            yield order[50:], order[:50]

        def __repr__(self):
            return "Dice()"

    with refused("the split Dice() gives other folds each time; give it a random_state"):
        Study({"t": rows}, {"tree": "C4.5"}, split=Dice(), store=tmp_path / "s.sqlite").plan.tasks()


def test_every_class_is_kept(tmp_path):
    """Metrics of three classes against scikit-learn's, and the counts of the kept predictions."""
    from sklearn.datasets import load_wine
    from sklearn.metrics import (
        balanced_accuracy_score,
        cohen_kappa_score,
        f1_score,
        matthews_corrcoef,
        recall_score,
    )

    X, y = load_wine(return_X_y=True)
    study = Study(
        {"wine": (X, y)},
        {
            "1-NN": KNeighborsClassifier(1),
            "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        },
        split=StratifiedKFold(3),
        classes="all",
        store=tmp_path / "s.sqlite",
        metrics=["accuracy", "balanced_accuracy", "macro_F1", "lowest_TPR", "kappa", "MCC"],
    )
    assert run_here(study).failed == 0
    summary = study.summary()
    predictions = cross_val_predict(KNeighborsClassifier(1), X, y, cv=StratifiedKFold(3))
    wanted = [
        (y == predictions).mean(),
        balanced_accuracy_score(y, predictions),
        f1_score(y, predictions, average="macro"),
        recall_score(y, predictions, average=None).min(),
        cohen_kappa_score(y, predictions),
        matthews_corrcoef(y, predictions),
    ]
    assert summary.metrics.loc[("wine", "1-NN")].tolist() == pytest.approx(wanted)
    assert summary.efficiency["average_then_dea"].max() == pytest.approx(1)
    assert study.verify().sound
    assert current_rows(study.plan)["confusion"].map(sum).sum() == 2 * len(y)


@pytest.mark.slow
def test_ranks_by_scores_times_and_metrics_of_ones_own(rows, tmp_path):
    from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

    def hits(y_true, y_pred):
        return float((y_true == y_pred).mean())

    near = {"near": KNeighborsClassifier(3), "far": KNeighborsClassifier(9)}
    study = Study(
        {"t": rows},
        {"tree": "C4.5", **near},
        split=StratifiedKFold(3),
        metrics=["roc_auc", "pr_auc", "fit_seconds"],
        store=tmp_path / "s.sqlite",
    )
    assert (study.plan.dea["outputs"], study.plan.dea["inputs"]) == (
        ["roc_auc", "pr_auc"],
        ["fit_seconds"],
    )
    run_here(study)
    summary = study.summary()
    X, y = (
        rows.iloc[:, :-1],
        (rows.iloc[:, -1] == rows.iloc[:, -1].value_counts().index[-1]).astype(int),
    )
    folds = [
        (
            y.iloc[test],
            KNeighborsClassifier(3)
            .fit(X.iloc[train].to_numpy(), y.iloc[train])
            .predict_proba(X.iloc[test].to_numpy())[:, 1],
        )
        for train, test in StratifiedKFold(3).split(X, y)
    ]
    assert summary.metrics.loc[("t", "near"), ["roc_auc", "pr_auc"]].tolist() == pytest.approx(
        [
            np.mean([score(*fold) for fold in folds])
            for score in (roc_auc_score, average_precision_score)
        ]
    )
    assert (
        "fit_seconds are CPU times of the machine that ran the study, and other ones on another"
        in summary.notes
    )
    custom_study = Study(
        {"t": rows},
        {"tree": "C4.5", "near": KNeighborsClassifier(3)},
        split=StratifiedKFold(3),
        metrics={"hits": hits},
        store=tmp_path / "s.sqlite",
    )
    assert custom_study.status().done == 6
    assert custom_study.summary().metrics.loc[("t", "near"), "hits"] > 0.9
    surprise = db.metrics.Metric(
        "surprise",
        lambda y, p: float(log_loss(y, np.clip(p, 0.01, 0.99), labels=[0, 1])),
        False,
        range=(0, 5),
        needs="probabilities",
    )
    wanted = ["TPR", "brier", "precision@5", "TPR@FPR=0.1", surprise, "score_seconds"]
    multiclass_study = Study(
        {"t": rows}, near, split=StratifiedKFold(3), metrics=wanted, store=tmp_path / "s.sqlite"
    )
    assert (multiclass_study.status().done, multiclass_study.plan.dea["inputs"]) == (
        6,
        ["score_seconds"],
    )
    summary = multiclass_study.summary()
    expected = {
        "brier": brier_score_loss,
        "surprise": lambda y, p: log_loss(y, np.clip(p, 0.01, 0.99), labels=[0, 1]),
        "precision@5": lambda y, p: db.metrics.precision_at(5).value(y == 1, p),
    }
    for name, score in expected.items():
        assert summary.metrics.loc[("t", "near"), name] == pytest.approx(
            np.mean([score(*fold) for fold in folds]), abs=1e-12
        )
    assert summary.per_dataset["efficiency"].between(0, 1 + 1e-9).all()
    unsure = Study(
        {"t": rows},
        {"tree": "C4.5", **near},
        split=StratifiedKFold(3),
        metrics=["brier"],
        store=tmp_path / "s.sqlite",
    )
    assert unsure.summary().metrics["brier"].between(0, 1).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": {}}, "data is empty; give {name: a DataFrame, (X, y) or a path}"),
        ({"data": {"a": 3}}, "data set 'a' is a int; give a DataFrame, (X, y) or a path"),
        (
            {"data": {"a": (np.zeros((3, 2)), [0, 1])}},
            "y of data set 'a' has shape (2,) for 3 rows of X; give one class per row",
        ),
        (
            {"data": {"a": (np.zeros(3), [0, 1, 1])}},
            "X of data set 'a' has shape (3,); give rows x features",
        ),
        (
            {"classifiers": {"m": 3}},
            "classifier 'm' is a int; give an estimator, a function that makes one, or a name of "
            "the "
            "registry, as 'C4.5'",
        ),
        ({"classifiers": {"m": "C45"}}, "[classifiers] 'C45' is not known; did you mean 'C4.5'?"),
        (
            {"classifiers": {"m": lambda: 3}},
            "classifier 'm': int is not a scikit-learn classifier; it needs fit, predict and "
            "get_params",
        ),
        ({"metrics": ["TPX"]}, "metrics: there is no metric 'TPX'; did you mean 'TPR'?"),
        (
            {"metrics": "TPR"},
            "metrics is 'TPR'; give a list of names and metrics, or {name: function of (y_true, "
            "y_pred)}",
        ),
        (
            {"metrics": [3]},
            "metric 3 has no name; give {name: function}, or a deabench.metrics.Metric",
        ),
        (
            {"classifiers": {}},
            "classifiers is empty; give {name: an estimator, a function that makes one, or a name "
            "of the registry}",
        ),
        ({"depends": 3}, "depends is 3; give a list of files, modules and values"),
        ({"dea": {"outputs": []}}, "[dea] outputs is empty; name at least one metric to rank by"),
        (
            {"split": 2.5},
            "split is 2.5; give a scikit-learn splitter, a number of folds, or one of kfold, "
            "holdout, bootstrap, groups, leave-one-group-out, time, leave-one-out",
        ),
        (
            {"preprocess": 3},
            'preprocess is 3; give a table of numeric, nominal and missing, "columns", or from '
            "Python a transformer",
        ),
        ({"grouping": {"mixed": "eachh"}}, "grouping: mixed is 'eachh'; did you mean 'each'?"),
        ({"grouping": {"mixed": 1}}, "grouping: mixed is 1; give one of each, drop"),
        (
            {"data": {"x": "haberman"}},
            "data set 'haberman' is known by that name; give {'haberman': 'haberman'} instead of "
            "'x'",
        ),
        (
            {"data": {"a": pd.DataFrame(index=range(4))}},
            "data set 'a' has no columns; give its features and the class, the class last",
        ),
        (
            {"data": {"a": pd.DataFrame([[1, 2, 0], [2, 3, 1]], columns=["p", "p", "c"])}},
            "data set 'a' has two columns 'p'; give each a name of its own",
        ),
        (
            {"data": {"a": "rows.csv"}, "groups": [1, 2]},
            "the groups of data set 'a' are an array, but its rows are in a file; name the file's "
            "column",
        ),
        (
            {"metrics": ["prevalence"]},
            "[dea] outputs: metric 'prevalence' is neither better high nor low; it cannot rank a "
            "classifier",
        ),
        (
            {"dea": {"outputs": ["TPR", "total_cost"]}},
            "[dea] outputs: metric 'total_cost' is better low and has no greatest value; "
            "name it among the inputs",
        ),
        (
            {"classes": "all", "metrics": ["TPR"]},
            "metrics: there is no metric 'TPR' of more classes than two; there are 'accuracy', "
            "'balanced_accuracy', 'macro_F1', 'lowest_TPR', 'kappa', 'MCC', 'roc_auc', "
            "'log_loss', 'brier', 'cost', 'fit_seconds', 'score_seconds'",
        ),
        ({"split": "kfolds"}, "split: kind is 'kfolds'; did you mean 'kfold'?"),
        (
            {"folds": 3},
            "Study takes no 'folds'; there are 'name', 'time_limit', 'cpu_limit', "
            "'memory_limit', 'keep_predictions', "
            "'floors', 'dea', 'grouping', 'tests'",
        ),
        (
            {"preprocess": {"numeric": "minmaxx"}},
            "preprocess: numeric is 'minmaxx'; did you mean 'minmax'?",
        ),
        ({"groups": [1, 2]}, "groups of data set 'a' has shape (2,) for 5 rows; give one per row"),
    ],
)
def test_refusals(change, message, refused, tmp_path):
    valid = {
        "data": {"a": pd.DataFrame({"x": [1.0, 2, 3, 4, 5], "c": [0, 0, 0, 1, 1]})},
        "classifiers": {"m": "C4.5"},
    }
    with refused(message):
        Study(**{**valid, **change}, store=tmp_path / "s.sqlite")


def test_groups_are_not_torn_apart(tmp_path, refused):
    frame = pd.DataFrame({"x": np.arange(20.0), "who": ["a", "b"] * 10, "c": [0, 0, 0, 1] * 5})
    study = Study({"a": frame}, {"m": "C4.5"}, groups="who", split=2, store=tmp_path / "s.sqlite")
    with refused(
        "data set 'a' has groups, which a split of kind 'kfold' would tear apart; take 'groups' or "
        "'leave-one-group-out', or leave the groups out"
    ):
        study.plan.tasks()


def test_decision_values_are_no_probabilities():
    from deabench.metrics.score_metrics import find_score_metric
    from deabench.study.results.metrics import average_over_folds

    counts = pd.DataFrame({"dataset": ["d"], "classifier": ["svm"], "key": ["k"]})
    predictions = {
        "k": {
            "y_true": np.array([0, 1]),
            "y_pred": np.array([0, 1]),
            "score": np.array([-0.5, 1.7]),
            "probability": np.full(2, np.nan),
        }
    }
    assert average_over_folds(
        counts, {"precision@1": find_score_metric("precision@1")}, predictions
    )["precision@1"].tolist() == [1.0]
    # decision values that all lie between 0 and 1 are not taken for probabilities
    predictions["k"]["score"] = np.array([0.2, 0.9])
    metrics = {"brier": find_score_metric("brier")}
    brier = average_over_folds(counts, metrics, predictions)
    assert brier["brier"].isna().all()
    assert brier.attrs["notes"] == (
        "brier of 'svm' on 'd' is undefined: it needs probabilities, and the classifier has no "
        "predict_proba that gives some",
    )
    predictions["k"]["probability"] = np.array([0.2, 1.1])
    assert average_over_folds(counts, metrics, predictions).attrs["notes"] == (
        "brier of 'svm' on 'd' is undefined: it needs probabilities, and those of its "
        "predict_proba are not all from 0 to 1",
    )


def test_a_study_from_code_names_its_sizes_and_takes_the_options_of_groups(rows, tmp_path, refused):
    store = tmp_path / "study.sqlite"
    study = Study(
        {"thyroid": rows},
        {"near": KNeighborsClassifier()},
        grouping={"mixed": "drop"},
        store=store,
    )
    assert repr(study) == f"Study 'study': 1 data sets, 1 classifiers, store '{store}'"
    # The same table is [groups] in a file.
    assert study.plan.groups["mixed"] == "drop"
    for workers in (0, -1):
        with refused(f"workers is {workers}; give a whole number >= 1"):
            study.run(workers=workers, show_progress=False)
        with refused(f"workers is {workers}; give a whole number >= 1"):
            study.forecast(workers=workers)
    assert not store.exists()
    assert len(TaskList([])) == 0


def test_a_limit_of_memory_is_refused_where_it_cannot_be_kept(rows, tmp_path, monkeypatch, refused):
    monkeypatch.setattr("deabench.study.spec.settings.memory_can_be_limited", lambda: False)
    arguments = ({"thyroid": rows}, {"near": KNeighborsClassifier()})
    assert Study(*arguments, store=tmp_path / "s.sqlite").plan.limits.memory == 0
    with refused(
        "memory_limit cannot be kept on this system, which has no limits of a process's memory; "
        "leave it out"
    ):
        Study(*arguments, memory_limit=100, store=tmp_path / "s.sqlite")
