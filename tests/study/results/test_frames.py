"""Results, errors and predictions of a study as frames, and what a run says while it goes on."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.metrics import confusion_matrix
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from study_runs import run_here, without_processes

import deabench as db
from deabench.errors import DataError
from deabench.study import Study
from deabench.study.results import status
from deabench.utils import progress


class Refusing(ClassifierMixin, BaseEstimator):
    def __init__(self, reason="too dark"):
        self.reason = reason

    def fit(self, X, y):
        raise ValueError(self.reason)

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def small_study(folder, classifiers=None, **settings):
    X, y = load_breast_cancer(return_X_y=True)
    classifiers = classifiers or {"bayes": GaussianNB(), "dark": Refusing()}
    settings = {"split": 3, "seed": 1, **settings}
    return Study(
        {"cancer": (X, y), "glass-0-4_vs_5": "glass-0-4_vs_5"},
        classifiers,
        store=folder / "small.sqlite",
        **settings,
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    study = small_study(tmp_path_factory.mktemp("frames"))
    run_here(study)
    return study


def test_results_have_a_row_for_each_task_in_order(study):
    results = study.results()
    assert list(results.index.names) == ["dataset", "classifier", "repeat", "fold"]
    assert len(results) == 12
    assert results["status"].value_counts().to_dict() == {"done": 6, "failed": 6}
    done = results[results["status"] == "done"]
    assert done[["tp", "fn", "fp", "tn"]].to_numpy().sum() == 569 + 92
    assert results["key"].tolist() == list(study.plan.tasks().keys())
    assert all(isinstance(notes, dict) for notes in results["notes"])


def test_predictions_are_those_that_were_counted(study):
    predictions = study.predictions("cancer", "bayes")
    assert sorted(predictions["row"]) == list(range(569))
    # counted again by scikit-learn, fold by fold
    for fold, rows in predictions.groupby("fold"):
        tn, fp, fn, tp = confusion_matrix(rows["y_true"], rows["y_pred"]).ravel()
        stored = study.results().loc[("cancer", "bayes", 0, fold)]
        assert (tp, fn, fp, tn) == tuple(stored[["tp", "fn", "fp", "tn"]])
    y = load_breast_cancer(return_X_y=True)[1]
    # the minority, class 0 of the source, is positive
    assert (predictions["y_true"] == 1 - y[predictions["row"]]).all()
    assert len(study.predictions()) == 569 + 92
    assert set(study.predictions("cancer")["classifier"]) == {"bayes"}


def test_predictions_name_what_there_is(study, tmp_path):
    with pytest.raises(DataError, match=r"no results of classifier 'bays'; did you mean 'bayes'\?"):
        study.predictions(classifier="bays")
    with pytest.raises(DataError, match="no results of data set 'glass'"):
        study.predictions("glass")
    untold = small_study(tmp_path, keep_predictions=False)
    assert untold.predictions().columns.tolist()[-2:] == ["score", "probability"]
    run_here(untold)
    with pytest.raises(DataError, match="keeps no predictions; give keep_predictions = true"):
        untold.predictions()


def test_predictions_of_more_classes_have_a_score_of_each(tmp_path):
    wine = load_wine(return_X_y=True)
    study = Study(
        {"wine": wine},
        {"bayes": GaussianNB()},
        classes="all",
        split=3,
        store=tmp_path / "wine.sqlite",
    )
    run_here(study)
    predictions = study.predictions()
    scores = predictions[["score_0", "score_1", "score_2"]].to_numpy()
    assert (scores.argmax(axis=1) == predictions["y_pred"]).all()
    matrices = [np.reshape(cells, (3, 3)) for cells in study.results()["confusion"]]
    assert np.sum(matrices) == 178


def test_errors_have_their_reason_and_traceback(study):
    errors = study.errors()
    assert len(errors) == 6
    assert set(errors["error_type"]) == {"ValueError"}
    assert set(errors["error"]) == {"too dark"}
    assert errors["traceback"].str.contains("in fit").all()


def test_a_summary_where_all_failed_says_why(tmp_path):
    refusing = {f"dark {k}": Refusing(reason=f"reason {k}") for k in range(5)}
    study = small_study(tmp_path, refusing)
    run_here(study)
    with pytest.raises(DataError) as caught:
        study.summary()
    assert str(caught.value).endswith(
        "holds no complete result yet; 30 of its 30 results are failures: 'dark 0' failed: "
        "ValueError: reason 0 (6 tasks); 'dark 1' failed: ValueError: reason 1 (6 tasks); 'dark 2' "
        "failed: ValueError: reason 2 (6 tasks); and 2 other errors. Study.errors() lists them "
        "with their tracebacks"
    )


def test_a_run_from_code_says_how_far_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_EVERY", 0.01)
    study = small_study(tmp_path, name="mine")
    with without_processes():
        study.run()
    lines = capsys.readouterr().err.splitlines()
    assert lines
    told = [
        re.fullmatch(
            r"study 'mine': (\d+) of 12 done after \d+ s(, [\d,]+ s more at this speed)?", line
        )
        for line in lines
    ]
    done = [int(match[1]) for match in told]
    assert done == sorted(done)
    assert done[-1] > 0
    with without_processes():
        study.run(retry_failed=True, show_progress=False)
    assert capsys.readouterr().err == ""


def test_a_forecast_keeps_what_it_computed(tmp_path):
    study = small_study(tmp_path, {"bayes": GaussianNB(), "none": DummyClassifier()}, split=4)
    with without_processes():
        forecast = study.forecast(show_progress=False)
    # one fold of each of the four pairs is done
    assert study.status().done == 4
    assert set(study.results().index.get_level_values("fold")) == {0}
    assert forecast.per_classifier["tasks"].to_dict() == {"bayes": 6, "none": 6}
    # three folds of each pair at the time that its first one took
    results = study.results()
    seconds = (results["fit_seconds"] + results["score_seconds"]).sum()
    assert forecast.seconds == pytest.approx(3 * seconds)
    # nothing is measured twice
    assert status.untimed_tasks(study.plan, status.missing_tasks(study.plan)) == []
    assert run_here(study).done == 16
    with pytest.raises(DataError, match="nothing is left to do"):
        study.forecast()


@pytest.mark.slow
def test_a_forecast_runs_in_workers(tmp_path):
    study = small_study(tmp_path, {"bayes": GaussianNB(), "none": DummyClassifier()}, split=4)
    forecast = study.forecast(workers=1, show_progress=False)
    assert study.status().done == 4
    assert forecast.per_classifier["tasks"].to_dict() == {"bayes": 6, "none": 6}


def test_a_dummy_is_not_crowned(tmp_path):
    classifiers = {"dummy": DummyClassifier(), "bayes": GaussianNB(), "dark": Refusing()}
    study = small_study(tmp_path, classifiers, metrics=["TPR", "TNR", "fit_seconds"])
    run_here(study)
    summary = study.summary()
    assert summary.constant == ("dummy",)
    efficiency = summary.efficiency["dea_then_average"].groupby(level="classifier").first()
    assert efficiency["dummy"] == 1.0  # it costs next to nothing, and has the best TNR
    assert summary.summary().endswith(
        f"'bayes' has the highest mean efficiency, {efficiency['bayes']:.3f} over 2 data sets, "
        "among those that are better than to answer with the same class always; 'dummy' (1.000) "
        "is not"
    )
    assert (
        "'dummy' is no better than to answer with the same class always (by its mean balanced "
        "accuracy)"
    ) in summary.notes


def test_where_all_are_dummies_none_leads(tmp_path):
    study = small_study(tmp_path, {"a": DummyClassifier(), "b": DummyClassifier()})
    run_here(study)
    assert (
        "no classifier is better than to answer with the same class always"
        in study.summary().summary()
    )


def test_a_constant_answer_is_one_for_any_number_of_classes(tmp_path):
    classifiers = {"first": DummyClassifier(strategy="constant", constant=2), "b": GaussianNB()}
    study = Study(
        {"wine": load_wine(return_X_y=True)},
        classifiers,
        classes="all",
        split=3,
        store=tmp_path / "wine.sqlite",
    )
    run_here(study)
    assert study.summary().constant == ("first",)


def test_who_misses_a_floor_is_not_ranked(tmp_path):
    classifiers = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    study = small_study(tmp_path, classifiers, floors={"TPR": 0.5})
    run_here(study)
    summary = study.summary()
    ranked = summary.efficiency.index.get_level_values("classifier")
    assert set(ranked) == {"bayes"}
    assert summary.below_floors.to_dict("index") == {("dummy", "TPR"): {"value": 0, "floor": 0.5}}
    assert summary.summary().endswith("; 'dummy' is below a floor")
    assert "'dummy' is not ranked: its mean TPR, 0.000, misses the floor 0.5" in summary.notes
    # its metrics stay
    assert set(summary.metrics.index.get_level_values("classifier")) == {"dummy", "bayes"}


def test_a_floor_of_a_metric_that_is_better_low_is_its_most(tmp_path):
    classifiers = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    study = small_study(tmp_path, classifiers, floors={"FNR": 0.5})
    run_here(study)
    assert study.summary().below_floors.index.tolist() == [("dummy", "FNR")]
    study = small_study(tmp_path, classifiers, floors={"TPR": 0.999})
    with pytest.raises(
        DataError, match=r"no classifier reaches the floors: TPR of 'bayes' is 0\.890"
    ):
        study.summary()


def test_floors_are_checked_before_anything_runs(tmp_path):
    with pytest.raises(DataError, match=r"floors: there is no metric 'TRP'; did you mean 'TPR'\?"):
        small_study(tmp_path, floors={"TRP": 0.5})
    with pytest.raises(DataError, match="floors is a table; give a table of numbers"):
        small_study(tmp_path, floors={"TPR": "half"})


def test_the_headline_is_about_the_dmus_asked_for(tmp_path):
    classifiers = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    study = small_study(tmp_path, classifiers, dea={"dmus": "datasets"})
    run_here(study)
    summary = study.summary()
    means = summary.pivot["efficiency"].groupby(level="dmu").mean()
    assert summary.summary().startswith(
        f"'{means.idxmax()}' has the highest mean efficiency of the data sets, {means.max():.3f} "
        "over 2 classifiers; "
    )


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_what_stands_after_the_at_is_compared_over_data_sets(tmp_path):
    """Each metric of each thing before the @ is an output; each data set has its own frontier."""
    classifiers = {
        f"{name}@{depth}": DecisionTreeClassifier(max_depth=depth, criterion=name)
        for name in ("gini", "entropy")
        for depth in (1, 3)
    }
    dea = {"dmus": "after @", "outputs": ["TPR", "TNR"]}
    study = small_study(tmp_path, classifiers, split=2, dea=dea)
    run_here(study)
    summary = study.summary()
    assert summary.pivot.index.names == ["dataset", "dmu"]
    for _, table in summary.pivot.groupby(level="dataset"):
        outputs = table.droplevel("dataset").drop(columns="efficiency")
        assert outputs.shape == (2, 4)
        names = [" of ".join(map(str, np.atleast_1d(name))) for name in outputs]
        scores = db.rank(outputs.set_axis(names, axis=1), outputs=names).scores
        np.testing.assert_allclose(table["efficiency"], scores, atol=1e-9)
    means = summary.pivot["efficiency"].groupby(level="dmu").mean()
    assert summary.summary().startswith(
        f"'{means.idxmax()}' has the highest mean efficiency, {means.max():.3f} over 2 data sets; "
    )


def test_the_headline_says_where_tested_classifiers_lie(tmp_path):
    classifiers = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    study = small_study(tmp_path, classifiers, dea={"tested": ["dummy"]})
    run_here(study)
    positions = study.summary().targets["position"]
    count = (positions == "inside").sum()
    assert (
        study.summary()
        .summary()
        .startswith(
            f"'dummy' lies inside the frontier of the reference on {count} of 2 data sets; "
        )
    )


def test_a_summary_warns_of_nothing_inside(tmp_path, recwarn):
    """pandas warned of an unsorted index at each print."""
    classifiers = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    study = small_study(tmp_path, classifiers, dea={"panels": {"p": ["bayes"], "q": ["dummy"]}})
    run_here(study)
    recwarn.clear()
    summary = study.summary()
    summary.summary()
    repr(summary)
    assert [str(warning.message) for warning in recwarn] == []
