"""A mixture as a classifier: scikit-learn's checks, its draws, and the metrics that it attains."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import deabench as db
from deabench.errors import DataError
from deabench.integrations.mixture import is_attained, mixed_metrics
from deabench.metrics import catalogue, count
from deabench.metrics.counts import compute_metrics

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOTH = {"tree": DecisionTreeClassifier(max_depth=3, random_state=0), "bayes": GaussianNB()}


@parametrize_with_checks([db.Mixture(BOTH, {"tree": 0.4, "bayes": 0.6})])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def data(count_: int = 4000):
    X, y = make_classification(count_, n_features=6, weights=[0.7], random_state=0)
    half = count_ // 2
    return X[:half], y[:half], X[half:], y[half:]


def test_each_row_is_answered_by_one_and_always_the_same():
    X, y, test, _ = data()
    mixture = db.Mixture(BOTH, {"tree": 0.3, "bayes": 0.7}).fit(X, y)
    drawn = mixture.answered_by(test)
    answers = {name: part.predict(test) for name, part in mixture.estimators_.items()}
    expected = np.where(drawn == "tree", answers["tree"], answers["bayes"])
    assert mixture.predict(test).tolist() == expected.tolist()
    probabilities = mixture.predict_proba(test)
    assert (mixture.classes_[probabilities.argmax(axis=1)] == expected).all()
    # In another order, in parts, as another type, after pickling: the same answers.
    order = np.random.default_rng(0).permutation(len(test))
    assert (mixture.predict(test[order]) == expected[order]).all()
    assert (mixture.predict(test[:7]) == expected[:7]).all()
    assert (pickle.loads(pickle.dumps(mixture)).predict(test) == expected).all()
    frame = pd.DataFrame(test, columns=list("abcdef"))
    named = db.Mixture(BOTH, {"tree": 0.3, "bayes": 0.7}).fit(
        pd.DataFrame(X, columns=list("abcdef")), y
    )
    assert (named.predict(frame) == expected).all()
    assert named.feature_names_in_.tolist() == list("abcdef")
    assert (mixture.answered_by(-0.0 * test) == mixture.answered_by(0.0 * test)).all()


def test_shares_are_kept_and_seeds_are_independent():
    X, y, test, _ = data(20_000)
    shares = {"tree": 0.2, "bayes": 0.5, "near": 0.3}
    three = BOTH | {"near": KNeighborsClassifier()}
    first = db.Mixture(three, shares).fit(X[:500], y[:500]).answered_by(test)
    second = db.Mixture(three, shares, seed=1).fit(X[:500], y[:500]).answered_by(test)
    n = len(test)
    for name, share in shares.items():
        error = np.sqrt(share * (1 - share) / n)
        assert abs((first == name).mean() - share) < 4 * error
        # Independent draws agree on a name in share² of the rows.
        both = ((first == name) & (second == name)).mean()
        assert abs(both - share**2) < 4 * np.sqrt(share**2 / n)


def test_a_share_of_one_is_the_estimator_and_a_share_of_nothing_is_not_fitted():
    X, y, test, _ = data()

    class Refusing(GaussianNB):
        def fit(self, X, y):
            raise AssertionError("it has no share")

    parts = {"tree": BOTH["tree"], "never": Refusing()}
    mixture = db.Mixture(parts, {"tree": 1.0, "never": 0.0}).fit(X, y)
    assert list(mixture.estimators_) == ["tree"]
    assert (mixture.predict(test) == clone(BOTH["tree"]).fit(X, y).predict(test)).all()


def test_fitted_estimators_and_sparse_rows():
    X, y, test, _ = data()
    fitted = {name: clone(part).fit(X, y) for name, part in BOTH.items()}
    mixture = db.Mixture(fitted, {"tree": 0.5, "bayes": 0.5}, prefit=True).fit(X, y)
    assert mixture.estimators_["tree"] is fitted["tree"]
    parts = {"a": LogisticRegression(), "b": LogisticRegression(C=0.001)}
    on_sparse = db.Mixture(parts, {"a": 0.5, "b": 0.5}).fit(sparse.csr_matrix(X), y)
    assert (on_sparse.predict(sparse.csr_matrix(test)) == on_sparse.predict(test)).all()
    with pytest.raises(DataError, match="was fitted for the classes"):
        db.Mixture(fitted, {"tree": 1.0}, prefit=True).fit(X, y + 1)


def test_without_probabilities_there_are_none():
    mixture = db.Mixture({"svm": LinearSVC(), "bayes": GaussianNB()}, {"svm": 0.5, "bayes": 0.5})
    assert not hasattr(mixture, "predict_proba")
    assert hasattr(mixture, "predict")


def test_the_catalogue_says_which_metrics_a_mixture_attains():
    rng = np.random.default_rng(1)
    positives, negatives = 40, 60
    tp, fp = rng.integers(5, 38, 5), rng.integers(5, 55, 5)
    counts = pd.DataFrame({"tp": tp, "fn": positives - tp, "fp": fp, "tn": negatives - fp})
    shares = rng.dirichlet(np.ones(5))
    separate = compute_metrics(counts, metrics=None)
    mixed = compute_metrics(pd.DataFrame([counts.T @ shares]), metrics=None).iloc[0]
    difference = (mixed - shares @ separate.to_numpy()).abs()
    is_linear = catalogue()["linear"]
    assert set(separate.columns) >= set(is_linear.index)
    assert (difference[is_linear.index[is_linear]] < 1e-9).all()
    assert (difference[is_linear.index[~is_linear]] > 1e-6).all()
    assert is_attained("recall")
    assert not is_attained("AUC")


def test_mixed_metrics_by_hand():
    counts = pd.DataFrame({"tp": [9, 5], "fn": [1, 5], "fp": [8, 0], "tn": [12, 20]}, ["a", "b"])
    mixed = mixed_metrics(counts, {"a": 0.25, "b": 0.75}, ["TPR", "TNR", "PPV"])
    # tp = 6, fp = 2 of 10 and 20.
    assert mixed.to_dict() == pytest.approx({"TPR": 0.6, "TNR": 0.9, "PPV": 0.75})
    uneven = pd.DataFrame({"tp": [9, 5], "fn": [1, 6], "fp": [8, 0], "tn": [12, 20]}, ["a", "b"])
    with pytest.raises(DataError, match="different instances"):
        mixed_metrics(uneven, {"a": 0.5, "b": 0.5})


def test_a_target_is_realised_on_new_data():
    """On test data, TPR and TNR of the mixture lie within three standard errors of the target."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(3)
    X = X[:, :4] + rng.normal(0, X[:, :4].std(axis=0), X[:, :4].shape)
    order = rng.permutation(len(y))
    train, test = order[:250], order[250:]
    pool = {
        "low": LogisticRegression(class_weight={0: 8, 1: 1}, max_iter=5000),
        "high": LogisticRegression(class_weight={0: 1, 1: 8}, max_iter=5000),
    }
    fitted = {name: part.fit(X[train], y[train]) for name, part in pool.items()}
    predicted = {name: part.predict(X[test]) for name, part in fitted.items()}
    board = db.metrics.from_predictions(y[test], predicted, metrics=["TPR", "TNR"], positive=1)
    new = (0.9 * board.mean()).to_frame("new").T
    targets = db.targets(new, board, dominating=True, norm="linf")
    shares = targets.intensities.loc["new"]
    assert (shares > 0.05).all()
    attained = []
    for seed in range(200):
        mixture = targets.realise("new", fitted, seed=seed, prefit=True).fit(X[test], y[test])
        answer = mixture.predict(X[test])
        attained.append([(answer[y[test] == c] == c).mean() for c in (1, 0)])
    mean = np.mean(attained, axis=0)
    error = np.std(attained, axis=0) / np.sqrt(len(attained))
    goal = targets.targets.loc["new", ["TPR", "TNR"]].to_numpy(dtype=float)
    assert (np.abs(mean - goal) < 3.5 * error + 1e-12).all()
    # Two standard errors of one draw hold in about 95 of 100.
    within = np.abs(np.array(attained) - goal) <= 2 * np.std(attained, axis=0)
    assert within.mean() >= 0.92
    # What is linear is mixed; what is not is computed of the mixed counts.
    counts = count(y[test], {name: predicted[name] for name in shares.index}, positive=1)
    expected = mixed_metrics(counts, shares.to_dict(), ["TPR", "TNR", "G-mean"])
    assert expected[["TPR", "TNR"]].to_numpy() == pytest.approx(goal)
    assert expected["G-mean"] == pytest.approx(np.sqrt(goal.prod()))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: db.Mixture(BOTH, {"tree": 0.5}).fit(*data()[:2]), "the shares have the sum 0.5"),
        (lambda: db.Mixture(BOTH, {"oak": 1.0}).fit(*data()[:2]), "shares names 'oak'"),
        (
            lambda: db.Mixture(BOTH, {"tree": -1, "bayes": 2}).fit(*data()[:2]),
            "the share of 'tree'",
        ),
        (lambda: db.Mixture([GaussianNB()], {"a": 1}).fit(*data()[:2]), "a dictionary by name"),
    ],
)
def test_what_cannot_be_is_refused(call, sentence):
    with pytest.raises(DataError, match=re.escape(sentence)):
        call()


def test_targets_that_no_mixture_has_are_refused():
    wine = db.datasets.load("chao2022-wine1")[["TPR", "TNR"]]
    established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
    new = pd.DataFrame({"TPR": [99.9], "TNR": [99.9]}, index=["best"])
    closest = db.targets(wine.loc[["RBF"]], established)
    with pytest.raises(DataError, match="there is no target of 'RBX'; did you mean 'RBF'"):
        closest.realise("RBX", {})
    with pytest.raises(DataError, match="give estimators as a dictionary by name"):
        closest.realise("RBF", [GaussianNB()])
    with pytest.raises(NotFittedError):
        db.Mixture({"a": GaussianNB()}, {"a": 1.0}, prefit=True).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="estimators lacks 'Bagging'"):
        closest.realise("RBF", {})
    with pytest.raises(DataError, match="no point of the frontier dominates it"):
        db.targets(new, established, dominating=True).realise("best", {})
    with pytest.raises(DataError, match="extended facet"):
        db.targets(wine.loc[["RBF"]], established, on="facets").realise("RBF", {})


def test_explain_says_the_recipe():
    board = pd.DataFrame({"TPR": [0.9, 0.5, 0.6], "TNR": [0.5, 0.9, 0.6]}, list("abc"))
    targets = db.targets(board.loc[["c"]], board.loc[["a", "b"]], dominating=True, norm="linf")
    assert targets.explain("c") == (
        "The target of 'c' has 'TPR' from 0.6 to 0.7, 'TNR' from 0.6 to 0.7. To have that in rates "
        "and costs, answer 50 % of instances with 'a' and 50 % with 'b'."
    )
    areas = board.rename(columns={"TPR": "AUC", "TNR": "recall"})
    other = db.targets(areas.loc[["c"]], areas.loc[["a", "b"]], dominating=True, norm="linf")
    assert other.explain("c").endswith(
        "with 'b'. A mixture has another 'AUC' than that; technology='fdh' gives targets that are "
        "single systems."
    )
    assert (
        db.rank(areas)
        .explain("c")
        .find("A mixture has another 'AUC' than that; model 'fdh' compares with single systems.")
        > 0
    )
    single = db.targets(areas.loc[["c"]], areas, technology="fdh", dominating=True)
    assert "another" not in single.explain("c")
    best = pd.DataFrame({"TPR": [0.99], "TNR": [0.99]}, ["best"])
    assert db.targets(best, board, dominating=True).explain("best") == (
        "'best' has no target: no point of the frontier dominates it."
    )
    facet = db.targets(board.loc[["c"]], board, on="facets").explain("c")
    assert facet.endswith("It is on an extended facet, which mixtures need not reach.")
    with pytest.raises(DataError, match="there is no row 'd'"):
        targets.explain("d")
