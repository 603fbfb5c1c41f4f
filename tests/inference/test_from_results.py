"""The folds of a grid search as samples, held against the same folds written out by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, ShuffleSplit
from sklearn.tree import DecisionTreeClassifier

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
X, Y = make_classification(120, random_state=0)


def search(cv, scoring=("recall", "precision", "neg_log_loss"), grid=None):
    return GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        grid or {"max_depth": [1, 2]},
        scoring=list(scoring),
        refit=False,
        cv=cv,
    ).fit(X, Y)


def test_the_folds_are_those_of_the_search():
    fitted = search(4)
    results = fitted.cv_results_
    by_hand = pd.concat(
        [
            pd.DataFrame(
                {
                    "classifier": [f"max_depth={d}" for d in (1, 2)],
                    "fold": k,
                    **{
                        f"mean_test_{m}": results[f"split{k}_test_{m}"]
                        for m in ("recall", "precision")
                    },
                }
            )
            for k in range(4)
        ]
    )
    computed, expected = db.Samples.from_search(fitted), db.Samples.from_folds(by_hand)
    pd.testing.assert_frame_equal(computed.to_frame(), expected.to_frame())
    assert computed.notes == expected.notes
    np.testing.assert_allclose(computed.values["mean_test_recall"], results["mean_test_recall"])
    ranking = db.rank(
        db.read(fitted), outputs=list(computed.values.columns), inputs=[], uncertainty=computed
    )
    assert set(ranking.to_frame()["verdict"]) <= {"dominated", "undecided", "efficient"}


def test_repeats_have_the_ratio_of_their_folds():
    notes = db.Samples.from_search(
        search(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    ).notes
    assert "(1/6 + 0.5) s²" in notes[0]  # 6 blocks, tested on a third and trained on two


def test_a_parameter_of_whole_numbers_that_a_candidate_lacks_is_read():
    """scikit-learn masks it in an integer column, which has no NaN."""
    fitted = search(2, grid=[{"max_depth": [1]}, {"min_samples_leaf": [5]}])
    assert list(db.read(fitted).frame.index) == ["max_depth=1", "min_samples_leaf=5"]


def test_what_is_no_search_and_what_has_no_folds_is_refused(refused):
    with refused("a dict is no fitted search; give a GridSearchCV after fit, or its cv_results_"):
        db.Samples.from_search({})
    with refused(
        "ShuffleSplit does not split into folds; give ratio= the number of test rows over that "
        "of training rows"
    ):
        db.Samples.from_search(search(ShuffleSplit(3, random_state=0)))
    with refused(
        "the search has losses only (neg_...), and intervals are those of metrics to be high; "
        "score it by one more"
    ):
        db.Samples.from_search(search(2, scoring=["neg_log_loss"]))
    results = {
        name: column
        for name, column in search(2).cv_results_.items()
        if not name.startswith("split")
    }
    with refused(
        "cv_results_ has no columns split0_test_..., so nothing says how far folds differ; keep "
        "them"
    ):
        db.Samples.from_search(results)


def test_a_metric_that_is_0_in_every_fold_has_no_logarithm():
    folds = pd.DataFrame(
        {
            "classifier": np.repeat(["none", "some"], 3),
            "fold": [1, 2, 3] * 2,
            "F1": [0, 0, 0, 0.5, 0.6, 0.7],
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        moments = db.Samples.from_folds(folds).moments
        assert np.isnan(moments.logs[:, 0]).tolist() == [True, False]
        assert np.isnan(moments.ridge[:, 0]).tolist() == [True, False]
