"""`deabench.refit` in the searches of scikit-learn, and on results written by hand."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes halving importable
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

import deabench as db
from deabench.errors import DataError
from deabench.integrations.search import _as_cv_results

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def written(means: dict[str, list[float]], spread: float = 0.01, folds: int = 10, **columns):
    """Return cv_results_ whose folds vary by `spread` around the means, the same for all."""
    count = len(next(iter(means.values())))
    noise = np.linspace(-1, 1, folds) * spread
    results = {"params": [{"depth": k + 1} for k in range(count)], **columns}
    results["param_depth"] = np.ma.masked_array(np.arange(1, count + 1), mask=False, dtype=object)
    for name, values in means.items():
        results[f"mean_test_{name}"] = np.array(values)
        for k in range(folds):
            # What differs between candidates is a tenth of what is common to a fold.
            own = 0.1 * noise[(k * 3 + np.arange(count)) % folds]
            results[f"split{k}_test_{name}"] = np.array(values) + noise[k] + own
    return results


def test_without_a_preference_it_is_the_efficient_one_with_the_best_sum():
    """By hand: ranges .1 and .2; shares (1, 0), (.8, .9), (0, 1), (.2, .1): the sums are largest at
    the second; the fourth is beaten by it.
    """
    results = written({"a": [0.9, 0.88, 0.8, 0.82], "b": [0.7, 0.88, 0.9, 0.72]})
    choose = db.refit(["a", "b"])
    assert choose(results) == 1
    assert choose.report_.frame["efficient"].tolist() == [True, True, True, False]
    assert choose.report_.name == "depth=2"
    assert choose.report_.summary().startswith(
        "Of 4 candidates depth=2 is taken: mean_test_a 0.88, mean_test_b 0.88. 3 of 4 are efficient"
    )


def test_the_simplest_of_those_not_shown_to_be_worse():
    results = written({"a": [0.6, 0.899, 0.9, 0.9], "b": [0.6, 0.9, 0.899, 0.9]})
    choose = db.refit(["a", "b"], prefer="depth")
    # The first is the simplest and clearly worse, the second is within the spread of the best.
    assert choose(results) == 1
    assert choose.report_.frame["verdict"].iloc[0] == "dominated"
    deepest = db.refit(["a", "b"], prefer=lambda row: -row["params"]["depth"])
    assert deepest(results) == 3


def test_costs_and_budgets():
    times = {"mean_fit_time": np.array([0.1, 0.2, 5.0, 0.3]), "mean_score_time": np.ones(4)}
    results = written({"a": [0.7, 0.8, 0.9, 0.79]}, **times)
    choose = db.refit(["a"], inputs=["mean_fit_time"], within={"mean_fit_time": 1, "a": 0.75})
    # Within the budget are the second and the fourth, which is worse and dearer.
    assert choose(results) == 1
    assert choose.report_.frame["within_budget"].tolist() == [False, True, False, True]
    assert "Beyond the budget: 2." in choose.report_.summary()
    cheapest = db.refit(["a"], inputs=["mean_fit_time"], prefer="simplest", within={"a": 0.75})
    assert cheapest(results) == 1
    assert "the lowest value of 'mean_fit_time'" in cheapest.report_.summary()
    # Of a score the best value is preferred: the best score within the budget.
    best = db.refit(["a"], prefer="a", within={"mean_fit_time": 1})
    assert best(results) == 1
    assert "the highest value of 'a'" in best.report_.summary()
    with pytest.raises(DataError, match="none of the 4 candidates"):
        db.refit(["a"], within={"a": 0.99})(results)


def test_failed_fits_and_early_rounds_take_no_part():
    results = written({"a": [0.99, 0.8, 0.9, np.nan]}, iter=np.array([0, 1, 1, 1]))
    choose = db.refit(["a"])
    assert choose(results) == 2
    assert "out of the race before the end: 2." in choose.report_.summary()
    assert choose.report_.frame["efficient"].tolist() == [False, False, True, False]


def test_one_candidate_and_ties():
    assert db.refit(["a"], prefer="depth")(written({"a": [0.5]})) == 0
    tied = written({"a": [0.8, 0.8, 0.8], "b": [0.7, 0.7, 0.7]})
    assert db.refit(["a", "b"])(tied) == 0
    assert db.refit(["a", "b"], prefer="depth")(tied) == 0


def test_in_a_grid_search():
    X, y = make_classification(300, weights=[0.8], random_state=0)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 4, None]},
        scoring=["recall", "roc_auc"],
        refit=db.refit(["recall", "roc_auc"], prefer="max_depth"),
        cv=5,
    )
    search = pickle.loads(pickle.dumps(clone(search))).fit(X, y)
    report = search.refit.report_
    assert report.index == search.best_index_
    assert search.cv_results_["params"][report.index] == search.best_params_
    assert search.best_estimator_.max_depth == search.best_params_["max_depth"]
    # Nobody that is not shown to be worse is simpler; no limit is the least simple one.
    is_open = report.frame["verdict"].isin(["undecided", "efficient"]).to_numpy()
    depths = [params["max_depth"] or np.inf for params in search.cv_results_["params"]]
    assert (search.best_params_["max_depth"] or np.inf) == min(np.array(depths)[is_open])


def test_the_results_of_a_halving_search():
    X, y = make_classification(400, random_state=0)
    search = HalvingGridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4, 8]}, cv=5, random_state=0
    ).fit(X, y)
    choose = db.refit(["score"])
    last = search.cv_results_["iter"] == search.cv_results_["iter"].max()
    scores = np.where(last, search.cv_results_["mean_test_score"], -np.inf)
    assert scores[choose(search.cv_results_)] == scores.max()


def test_several_estimators_by_cross_validate():
    X, y = make_classification(200, random_state=1)
    validated = {
        str(depth): cross_validate(
            DecisionTreeClassifier(max_depth=depth, random_state=0), X, y, scoring=["recall", "f1"]
        )
        for depth in (1, 3)
    }
    choose = db.refit(["recall", "f1"])
    index = choose(validated)
    assert choose.report_.name == ["1", "3"][index]
    means = choose.report_.frame[["mean_test_recall", "mean_test_f1"]]
    expected = [
        [item[f"test_{name}"].mean() for name in ("recall", "f1")] for item in validated.values()
    ]
    assert means.to_numpy() == pytest.approx(np.array(expected))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: db.refit(["acc"])(written({"a": [0.5, 0.6]})), "the search has no metric 'acc'"),
        (
            lambda: db.refit(["a"], prefer="dept")(written({"a": [0.5, 0.6]})),
            "prefer names 'dept', which is no column of cv_results_",
        ),
        (lambda: db.refit(["a"])({}), "this is no cv_results_"),
        (lambda: db.refit(["a"], level=95), "level is 95"),
    ],
)
def test_what_is_not_there_is_refused(call, sentence):
    with pytest.raises(DataError, match=re.escape(sentence)):
        call()


def test_what_cross_validate_returns_beside_scores_is_left_out():
    results = {
        "a": {"test_score": [0.5, 0.7], "fit_time": [1, 2], "estimator": ["x", "y"]},
        "b": {"test_score": [0.6, 0.8], "fit_time": [2, 4], "estimator": ["x", "y"]},
    }
    laid_out = _as_cv_results(results)
    assert sorted(laid_out) == [
        "mean_fit_time",
        "mean_test_score",
        "params",
        "split0_test_score",
        "split1_test_score",
    ]
    np.testing.assert_allclose(laid_out["mean_test_score"], [0.6, 0.7])
    np.testing.assert_allclose(laid_out["mean_fit_time"], [1.5, 3])
    assert laid_out["split1_test_score"].tolist() == [0.7, 0.8]
