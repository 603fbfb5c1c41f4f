"""A stack thresholded at the costs of a face: scikit-learn's checks, threshold, verdicts."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import deabench as db
from deabench.errors import DataError
from deabench.integrations.cost_stack import compare_costs, read_weights

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOTH = {"tree": DecisionTreeClassifier(max_depth=3, random_state=0), "bayes": GaussianNB()}
SHARES = {"tree": 0.4, "bayes": 0.6}
EVEN = {"TPR": 1, "TNR": 1}
DENSE_LOGIT = make_pipeline(StandardScaler(), LogisticRegression())


def _checks_that_fail(stack: db.CostStack) -> dict[str, str]:
    """One classifier answers as its own regression does; a drawn one need not."""
    if len(stack.estimators) == 1:
        return {}
    return {"check_classifiers_train": "predict is to be the more probable class, not the cheaper"}


@pytest.mark.slow
@parametrize_with_checks(
    [
        db.CostStack(BOTH, SHARES, EVEN),
        db.CostStack({"logit": DENSE_LOGIT}, {"logit": 1}, EVEN, cv=2),
    ],
    expected_failed_checks=_checks_that_fail,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def two_views(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A fifth is positive; each of two features tells half of it."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    return rng.normal(size=(n, 2)) + y[:, None] * 1.5, y


class OneView(LogisticRegression):
    """Sees one column only, and weighs the classes."""

    def __init__(self, column: int = 0, class_weight: object = "balanced"):
        super().__init__(class_weight=class_weight)
        self.column = column

    def _one(self, X):
        return np.asarray(X)[:, [self.column]]

    def fit(self, X, y):
        return super().fit(self._one(X), y)

    def predict(self, X):
        return super().predict(self._one(X))

    def predict_proba(self, X):
        return super().predict_proba(self._one(X))


VIEWS = {"first": OneView(0), "second": OneView(1, {0: 1, 1: 2})}


def test_the_stack_is_near_the_bayes_rule_and_beats_the_mixture():
    """Bayes' posterior of the two features is logistic; at weights 1 and 3 of the rates."""
    X, y = two_views(4000)
    test, truth = two_views(20_000, 1)
    weights = {"TPR": 0.25, "TNR": 0.75}
    stack = db.CostStack(VIEWS, {"first": 0.5, "second": 0.5}, weights, positive=1).fit(X, y)
    assert stack.chosen_ == "stack"
    odds = (1 - y.mean()) / y.mean() * weights["TPR"] / weights["TNR"]
    assert stack.threshold_ == pytest.approx(1 / (1 + odds))
    comparison = stack.measure(test, truth)
    assert comparison.verdict == "cheaper"
    # The best rule: log odds of the features above those of the costs.
    evidence = (1.5 * test - 1.5**2 / 2).sum(axis=1)
    best = (evidence > np.log(weights["TNR"] / weights["TPR"])).astype(float)
    limit = compare_costs(truth, best, best, weights).table.loc["stack", "cost"]
    assert comparison.table.loc["stack", "cost"] == pytest.approx(limit, abs=0.01)
    assert "is shown to be cheaper" in comparison.summary()
    assert stack.predict_proba(test).sum(axis=1) == pytest.approx(1)


class SureAnswers(GaussianNB):
    """Answers by the second column, and its scores tell nothing."""

    def predict(self, X):
        return (np.asarray(X)[:, 1] > 5).astype(int)

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_where_the_stack_is_shown_to_be_dearer_the_mixture_answers():
    """Scores that tell nothing: the stack says the dear class, and the mixture is always right."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), np.repeat([1, 0], [40, 360])
    X[:40, 1] += 10
    # A false alarm weighs three times a miss: far from the base rate the side is clear.
    weights = {"TPR": 0.25, "TNR": 0.75}
    stack = db.CostStack({"sure": SureAnswers()}, {"sure": 1.0}, weights).fit(X, y)
    assert stack.validation_.table["cost"].tolist() == pytest.approx([0.25, 0.0])
    assert stack.validation_.verdict == "dearer"
    assert stack.chosen_ == "mixture"
    assert (stack.predict(X) == y).all()
    assert (stack.expected_answers(X) == y).all()
    comparison = stack.measure(X, y)
    assert comparison.difference[0] == 0
    assert comparison.notes[0].startswith("the mixture answers: on the cross-fitted answers")
    assert "The mixture answers: on the cross-fitted answers" in comparison.summary()


def test_scores_that_tell_nothing_leave_every_instance_to_the_mixture():
    """At even weights the threshold is the base rate, which is all that the regression knows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), np.repeat([1, 0], [40, 360])
    X[:40, 1] += 10
    stack = db.CostStack({"sure": SureAnswers()}, {"sure": 1.0}, EVEN).fit(X, y)
    assert stack.validation_.difference[0] == 0
    assert stack.chosen_ == "stack"
    assert (stack.predict(X) == y).all()


def test_the_mixture_answers_within_one_standard_error_of_the_threshold():
    """The standard error is recomputed by statsmodels' logistic regression of the same scores."""
    X, y = two_views(300)
    test, truth = two_views(2000, 1)
    shares = {"first": 0.3, "second": 0.7, "third": 0.0}
    fitted = {name: clone(part).fit(*two_views(300, 2)) for name, part in VIEWS.items()}
    fitted["third"] = fitted["first"]
    stack = db.CostStack(fitted, shares, EVEN, positive=1, prefit=True).fit(X, y)
    # The third score repeats the first; only its sum of coefficients is identified.
    design, test_design = (
        sm.add_constant(np.column_stack([fitted[k].predict_proba(rows)[:, 1] for k in VIEWS]))
        for rows in (X, test)
    )
    prediction = sm.Logit(y, design).fit(disp=False).get_prediction(test_design, which="linear")
    odds = np.log(stack.threshold_ / (1 - stack.threshold_))
    margin = (prediction.predicted - odds) / prediction.se
    answers = stack.expected_answers(test)
    mixed = 0.3 * fitted["first"].predict(test) + 0.7 * fitted["second"].predict(test)
    # The stack has a penalty: near one standard error the two regressions may differ.
    unclear = np.abs(margin) < 0.6
    clear = np.abs(margin) > 1.6
    assert unclear.sum() > 40
    assert clear.sum() > 1000
    assert answers[unclear] == pytest.approx(mixed[unclear])
    assert (answers[clear] == (margin > 0)[clear]).all()
    # Drawn answers are the mixture's where it answers, and cost the same in expectation.
    predicted = stack.predict(test)
    assert (predicted[unclear] == stack.mixture_.predict(test)[unclear]).all()
    assert (predicted[clear] == answers[clear]).all()
    assert predicted.mean() == pytest.approx(answers.mean(), abs=0.01)
    expected = compare_costs(truth, answers, mixed, EVEN).difference
    assert stack.measure(test, truth).difference == pytest.approx(np.array(expected) / 2)


def test_costs_by_hand():
    """TPR .9 and .5 of 10, TNR .8 and 1 of 20, weights 1 and 3."""
    y = [1] * 10 + [0] * 20
    stack = [1] * 9 + [0] + [1] * 4 + [0] * 16
    mixture = [0.5] * 10 + [0] * 20
    answer = compare_costs(y, stack, mixture, {"TPR": 0.25, "TNR": 0.75})
    assert answer.table.loc["stack"].to_dict() == pytest.approx(
        {"TPR": 0.9, "TNR": 0.8, "cost": 0.25 * 0.1 + 0.75 * 0.2}
    )
    assert answer.table.loc["mixture", "cost"] == pytest.approx(0.125)
    assert answer.difference[0] == pytest.approx(0.05)
    assert answer.verdict == "undecided"


@pytest.mark.slow
def test_false_verdicts_are_rare_and_intervals_hold():
    """2,000 test sets with few positives, answers correlated, true difference 0 and .04."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [12, 150])
    weights = {"TPR": 0.5, "TNR": 0.5}
    for extra in (0.0, 0.08):
        held, wrong = [], []
        for _ in range(2000):
            common = rng.random(len(y)) < 0.7
            right = [np.where(common, rng.random(len(y)) < 0.9, rng.random(len(y)) < 0.7)] * 2
            right[1] = np.where(common, right[0], rng.random(len(y)) < 0.7 + extra / 0.3)
            first, second = (np.where(y == 1, values, ~values) for values in right)
            answer = compare_costs(y, second.astype(float), first.astype(float), weights)
            held.append(answer.difference[1] <= -extra <= answer.difference[2])
            wrong.append(answer.verdict != "undecided")
        assert np.mean(held) > 0.94
        if extra == 0:
            assert np.mean(wrong) < 0.06


def test_realise_by_cost_reads_the_face():
    X, y = two_views(600)
    fitted = {name: clone(part).fit(X, y) for name, part in VIEWS.items()}
    fitted["never"] = OneView(0, {0: 1, 1: 0.05}).fit(X, y)
    answers = {name: part.predict(X) for name, part in fitted.items()}
    board = db.metrics.from_predictions(y, answers, metrics=["recall", "TNR"], positive=1)
    wanted = board.mean().to_frame("wanted").T * 0.95
    targets = db.targets(wanted, board, dominating=True, norm="linf")
    stack = targets.realise("wanted", fitted, by="cost", positive=1, prefit=True)
    normal = targets.normals.loc["wanted"]
    assert stack.weights["TPR"] / stack.weights["TNR"] == pytest.approx(
        normal["recall"] / normal["TNR"]
    )
    # All classifiers of the face cost the same there, measured where the face was.
    costs = board.loc[list(stack.shares)].mul(normal).sum(axis=1)
    assert costs.to_numpy() == pytest.approx(costs.iloc[0])
    stack.fit(*two_views(600, 5))
    # Every estimator is stacked, also those that the mixture does not ask.
    assert list(stack.estimators_) == list(fitted)
    assert set(stack.shares) < set(fitted)
    assert stack.regression_.n_features_in_ == len(fitted)


def test_frames_labels_sparse_rows_and_pickles():
    X, y = two_views(300)
    names = np.array(["no", "yes"])[y]
    frame = pd.DataFrame(X, columns=["a", "b"])
    of_numbers = db.CostStack(BOTH, SHARES, EVEN).fit(X, y)
    of_frame = db.CostStack(BOTH, SHARES, EVEN).fit(frame, pd.Series(names))
    assert of_frame.positive_ == "yes"
    assert (of_frame.predict(frame) == names[0:1].dtype.type("yes")).tolist() == (
        of_numbers.predict(X) == 1
    ).tolist()
    again = pickle.loads(pickle.dumps(of_frame))
    assert (again.predict(frame) == of_frame.predict(frame)).all()
    assert clone(of_frame).get_params()["shares"] == SHARES
    linear = {"svm": LinearSVC(), "logit": LogisticRegression()}
    dense = db.CostStack(linear, {"svm": 0.5, "logit": 0.5}, EVEN).fit(X, y)
    thin = db.CostStack(linear, {"svm": 0.5, "logit": 0.5}, EVEN).fit(sparse.coo_matrix(X), y)
    assert (thin.predict(sparse.csr_matrix(X)) == dense.predict(X)).mean() > 0.99
    # The rarer class is positive where none is named and labels are words.
    rare_first = db.CostStack(BOTH, SHARES, EVEN).fit(X, np.array(["z", "a"])[y])
    assert rare_first.positive_ == "a"
    assert (rare_first.predict(X) == "a").tolist() == (of_numbers.predict(X) == 1).tolist()


ROWS = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: db.CostStack(BOTH, SHARES, {"TPR": 0, "TNR": 1}).fit(ROWS, [0, 1] * 3),
            "the weight of 'TPR' is 0; give a number > 0",
        ),
        *(
            (
                lambda weights=weights: db.CostStack(BOTH, SHARES, weights).fit(ROWS, [0, 1] * 3),
                "give weights as {'TPR': number, 'TNR': number}",
            )
            for weights in ({"TPR": 1}, ("TPR", "TNR"), {"TPR": 1, "TNR": 1, "F1": 1})
        ),
        (
            lambda: db.CostStack(BOTH, SHARES, None).fit(ROWS, [0, 1] * 3),
            "give weights as {'TPR': number, 'TNR': number}",
        ),
        (
            lambda: db.CostStack(BOTH, SHARES, EVEN).fit(ROWS, [0, 1, 2] * 2),
            "Only binary classification is supported",
        ),
        (lambda: db.CostStack(BOTH, SHARES, EVEN).fit(ROWS, [1] * 6), "y has one class"),
        (
            lambda: db.CostStack(BOTH, SHARES, EVEN).fit(ROWS, [1] + [0] * 5),
            "a class has 1 instance",
        ),
        (
            lambda: db.CostStack(BOTH, SHARES, EVEN, cv=1).fit(ROWS, [0, 1] * 3),
            "cv is 1; give a whole number from 2",
        ),
        (
            lambda: (
                db.CostStack(BOTH, SHARES, EVEN, cv=2)
                .fit(ROWS, [0, 1] * 3)
                .measure(ROWS, ["u", "v"] * 3)
            ),
            "y has 'u', 'v', and the classes of the fit are '0', '1'; give the same labels",
        ),
        (
            lambda: compare_costs([1, 1], [1, 1], [0, 0], EVEN),
            "the test data have one class",
        ),
        (
            lambda: read_weights(pd.Series({"AUC": 1.0, "F1": 2.0})),
            "by='cost' needs targets in TPR and TNR, and these are in 'AUC', 'F1'",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, sentence):
    with pytest.raises(DataError, match=re.escape(sentence)):
        call()


def test_a_way_that_is_not_known_is_refused():
    wine = db.datasets.load("chao2022-wine1")[["TPR", "TNR"]]
    targets = db.targets(wine.loc[["RBF"]], wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]])
    with pytest.raises(DataError, match="by 'costs' is not known; it is one of 'shares', 'cost'"):
        targets.realise("RBF", {}, by="costs")


def test_an_estimator_without_scores_is_asked_for_its_answer():
    class Always:
        """Say 2 of every instance."""

        def predict(self, X):
            return np.full(len(X), 2)

    stack = db.CostStack({"always": Always()}, {"always": 1.0}, {"TPR": 1.0}, positive=2)
    stack.classes_ = np.array([1, 2])
    stack.positive_ = 2
    score, answer = stack._ask(Always(), np.zeros((3, 1)))
    assert score.tolist() == [1.0, 1.0, 1.0]
    assert answer.tolist() == [True, True, True]
