"""Learning curves: schedules by their formulas, the stopping rule, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from deabench import curves
from deabench.errors import DataError


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 60)
    return pd.DataFrame(rng.normal(size=(120, 3)) + (y == "b")[:, None]), y


def test_schedules_are_the_lectures_formulas():
    assert list(curves.arithmetic(10, 15).sizes(60)) == [10, 25, 40, 55, 60]  # S_0 + i C
    assert list(curves.geometric(10, 2).sizes(100)) == [10, 20, 40, 80, 100]  # S_0 C^i
    assert list(curves.geometric(2, 1.2).sizes(6)) == [2, 3, 4, 5, 6]
    assert list(curves.arithmetic(10, 5).sizes(10)) == [10]


@given(
    st.integers(1, 50),
    st.one_of(
        st.integers(1, 40).map(lambda c: ("arithmetic", c)),
        st.floats(1.01, 4).map(lambda c: ("geometric", c)),
    ),
    st.integers(1, 500),
)
def test_sizes_rise_to_the_limit(start, schedule, limit):
    sizes = list(getattr(curves, schedule[0])(start, schedule[1]).sizes(limit))
    assert sizes[-1] == limit
    assert (np.diff(sizes) > 0).all()


def test_sampling_stops_where_the_metric_stops(data):
    curve = curves.learning_curve(
        LogisticRegression(), *data, schedule=curves.arithmetic(20, 10, tolerance=0.01)
    )
    change = curve.means["mean"].diff().abs().to_numpy()[1:]
    assert (change[:-1] > 0.01).all()
    assert change[-1] <= 0.01
    assert curve.stopped_at == curve.scores.index[-1]


def test_the_whole_training_fold_is_cross_validation(data):
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    curve = curves.learning_curve(
        LogisticRegression(),
        *data,
        scoring="accuracy",
        cv=cv,
        schedule=curves.geometric(20, tolerance=None),
    )
    assert curve.stopped_at is None
    assert curve.scores.index.tolist() == [20, 40, 80, 90]
    np.testing.assert_allclose(
        curve.scores.loc[90],
        cross_val_score(LogisticRegression(), *data, cv=cv, scoring="accuracy"),
        atol=1e-12,
    )
    assert curve.to_frame().columns.tolist() == ["mean", "sd", "training_mean"]


def test_the_seed_and_the_kind_of_table_do_not_change_the_numbers(data):
    schedule = curves.arithmetic(30, 30, tolerance=None, seed=5)
    X, y = data
    first, repeated, lists = (
        curves.learning_curve(LogisticRegression(), table, y, schedule=schedule, cv=3).scores
        for table in (X, X.to_numpy(), X.to_numpy().tolist())
    )
    assert first.equals(repeated)
    assert first.equals(lists)
    scores = curves.learning_curve(
        LogisticRegression(), X, y, cv=3, schedule=curves.arithmetic(30, 30, tolerance=None, seed=6)
    ).scores
    assert not first.equals(scores)


def test_the_estimator_is_left_alone_and_samples_are_nested(data):
    sampled = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y):
            sampled.append(set(X.index))
            return super().fit(X, y)

    tree = Spy(random_state=0)
    curve = curves.learning_curve(
        tree, *data, schedule=curves.arithmetic(20, 20, tolerance=None, seed=5), cv=2
    )
    assert not hasattr(tree, "tree_")
    assert (curve.training_scores == 1).all(axis=None)  # a full tree fits what it has seen
    assert [len(rows) for rows in sampled] == [20, 20, 40, 40, 60, 60]
    assert all(sampled[k] < sampled[k + 2] for k in range(4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda X, y: curves.arithmetic(0, 5),
            "start is 0; the first sample has a whole number of rows, at least 1",
        ),
        (
            lambda X, y: curves.arithmetic(5, 0.5),
            "step is 0.5; an arithmetic schedule adds a whole number of rows, at least 1",
        ),
        (
            lambda X, y: curves.geometric(5, 1),
            "factor is 1; a geometric schedule multiplies by more than 1",
        ),
        (
            lambda X, y: curves.geometric(5, tolerance=-1),
            "tolerance is -1; give a number >= 0, or None to use up every row",
        ),
        (
            lambda X, y: curves.learning_curve(
                LogisticRegression(), X, y[:-1], schedule=curves.geometric(20)
            ),
            "X has 120 rows and y has 119; give one label for each row",
        ),
        (
            lambda X, y: curves.learning_curve(
                LogisticRegression(), X, y, schedule=curves.geometric(200)
            ),
            "the schedule starts with 200 rows and a training fold has 96; start lower",
        ),
        (
            lambda X, y: curves.learning_curve(
                LogisticRegression(), X, y, schedule=curves.geometric(1)
            ),
            "the first 1 training rows of fold 0 have one class only; start higher",
        ),
        (
            lambda X, y: curves.learning_curve(
                LogisticRegression(), X, y, schedule=curves.geometric(20), cv=61
            ),
            "there are 60 rows of class 'a' for 61 folds; give between 2 and that many",
        ),
    ],
)
def test_bad_schedules_are_refused(data, call, message):
    with pytest.raises(DataError) as error:
        call(*data)
    assert str(error.value) == message
