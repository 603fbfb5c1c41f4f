"""What enters: whatever the labels, the container and the index, scikit-learn's answer or a
refusal, never another.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow
from sklearn import metrics as sk
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB

from deabench import curves
from deabench import metrics as m
from deabench.errors import DataError, DataWarning

RNG = np.random.default_rng(5)
N = 60
TRUE = RNG.random(N) < 0.7  # the positive class of the convention is the majority
SAID = np.where(RNG.random(N) < 0.8, TRUE, ~TRUE)
SCORE = RNG.normal(size=N) + TRUE

ENCODINGS = {
    "0/1": (0, 1),
    "bool": (False, True),
    "-1/1": (-1, 1),
    "float": (0.0, 1.0),
    "text digits": ("0", "1"),
    "text bool": ("False", "True"),
    "1/2": (1, 2),
    "words": ("well", "ill"),
    "numbers": (2.5, 7.5),
    "bytes": (b"well", b"ill"),
}
CONVENTIONAL = ("0/1", "bool", "-1/1", "float", "text digits", "text bool")
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "object": lambda v: np.array(v, dtype=object),
    "Series": pd.Series,
    "Categorical": pd.Categorical,
    "category Series": lambda v: pd.Series(v, dtype="category"),
    "Index": pd.Index,
    "nullable": lambda v: pd.Series(v).convert_dtypes(),
    "masked": np.ma.MaskedArray,
}
INDEXES = {
    "range": np.arange(N),
    "shuffled": np.random.default_rng(1).permutation(N),
    "letters": [f"i{k}" for k in range(N)],
}


def _labels(hit, encoding, container):
    negative, positive = ENCODINGS[encoding]
    return CONTAINERS[container]([positive if h else negative for h in hit])


@pytest.mark.parametrize("encoding", mark_most_slow(ENCODINGS, 5))
def test_encodings_and_containers_give_scikit_learns_answer_or_are_refused(encoding):
    positive = ENCODINGS[encoding][1]
    expected = {
        "TPR": sk.recall_score(TRUE, SAID),
        "PPV": sk.precision_score(TRUE, SAID),
        "MCC": sk.matthews_corrcoef(TRUE, SAID),
    }
    area = sk.roc_auc_score(TRUE, SCORE)
    for first, second in ((a, b) for a in CONTAINERS for b in {a, "array", "list"}):
        y, p = _labels(TRUE, encoding, first), _labels(SAID, encoding, second)
        for named in (None, positive):
            if named is None and encoding not in CONVENTIONAL:
                with pytest.warns(DataWarning, match="is the positive class: the minority"):
                    table = m.from_predictions(y, {"p": p})
                assert table.attrs["positive"] == ENCODINGS[encoding][0]
                with pytest.raises(
                    DataError, match="a score speaks for one of them; name the positive class"
                ):
                    m.from_scores(y, {"s": SCORE})
                continue
            computed = m.from_predictions(y, {"p": p}, positive=named).loc["p"]
            assert {name: computed[name] for name in expected} == pytest.approx(expected, abs=1e-14)
            assert m.from_scores(y, {"s": SCORE}, positive=named).loc[
                "s", "roc_auc"
            ] == pytest.approx(area, abs=1e-14)
            assert curves.roc(y, SCORE, positive=named).auc == pytest.approx(area, abs=1e-14)


@pytest.mark.parametrize("encoding", ["0/1", "words"])
def test_indexes_are_one_or_refused(encoding):
    positive = ENCODINGS[encoding][1]
    y, p = _labels(TRUE, encoding, "array"), _labels(SAID, encoding, "array")
    tpr, area = sk.recall_score(TRUE, SAID), sk.roc_auc_score(TRUE, SCORE)
    calls = {
        "labels": lambda y, p, s: (
            m.from_predictions(y, {"p": p}, positive=positive).loc["p", "TPR"] - tpr
        ),
        "scores": lambda y, p, s: (
            m.from_scores(y, {"s": s}, positive=positive).loc["s", "roc_auc"] - area
        ),
        "curve": lambda y, p, s: curves.roc(y, s, positive=positive).auc - area,
    }
    for (first_name, first), (second_name, second) in itertools.product(
        INDEXES.items(), INDEXES.items()
    ):
        for call in calls.values():
            arguments = pd.Series(y, first), pd.Series(p, second), pd.Series(SCORE, second)
            if first_name == second_name:
                assert abs(call(*arguments)) < 1e-14
            else:
                with pytest.raises(DataError, match="reorder it with"):
                    call(*arguments)
            assert abs(call(y, *arguments[1:])) < 1e-14  # an array goes by position
            assert abs(call(arguments[0], p, SCORE)) < 1e-14


def test_the_index_that_differs_is_named(refused):
    y, p = pd.Series([1, 0, 0, 0], list("dcba")), pd.Series([0, 0, 0, 1], list("abcd"))
    text = (
        "the index of {} is not that of {} (instance 1: 'a', not 'd'); reorder it with .loc, or "
        "give .to_numpy() where the "
        "rows are in one order"
    )
    with refused(text.format("'p'", "y_true")):
        m.from_predictions(y, {"p": p})
    assert m.from_predictions(y, {"p": p.loc[y.index]}).loc["p", "TPR"] == 1
    with refused(text.format("'b'", "'a'")):
        m.from_predictions(y.to_numpy(), {"a": y, "b": p})
    with refused(text.format("sample_weight", "y_true")):
        m.from_predictions(y, {"p": y}, sample_weight=p + 1.0)


def test_probabilities_of_class_1_where_1_is_the_majority():
    x, y = load_breast_cancer(return_X_y=True)
    p = cross_val_predict(GaussianNB(), x, y, method="predict_proba")[:, 1]
    assert m.from_scores(y, {"NB": p}).loc["NB", "roc_auc"] == pytest.approx(
        sk.roc_auc_score(y, p), abs=1e-14
    )
    assert m.from_scores(y, {"NB": p}).loc["NB", "roc_auc"] > 0.9


def test_scorers_check_labels_as_predictions_are_checked(refused):
    x, y = load_breast_cancer(return_X_y=True)
    named = np.where(y == 1, "benign", "malignant")
    random = DummyClassifier(strategy="uniform", random_state=0)
    with warnings.catch_warnings():  # scikit-learn warns that scoring failed, and gives NaN
        warnings.simplefilter("ignore")
        fold_scores = cross_validate(random, x, named, cv=3, scoring=m.scorers(["accuracy", "TNR"]))
    assert np.isnan(fold_scores["test_accuracy"]).all()
    assert np.isnan(fold_scores["test_TNR"]).all()
    computed = cross_validate(
        random, x, named, cv=3, scoring=m.scorers(["accuracy"], positive="malignant")
    )["test_accuracy"]
    expected = cross_validate(random, x, named, cv=3, scoring="accuracy")["test_score"]
    np.testing.assert_allclose(computed, expected, atol=1e-15)
    with refused("there is no class 'Ill' in y_true; its classes are 'ill', 'well'"):
        m.score(["ill", "well"], ["well", "ill"], metric="accuracy", positive="Ill")
    with refused("y_true is missing for instance 2; leave the instance out"):
        m.score(["ill", np.nan], ["well", "ill"], metric="accuracy", positive="ill")
    with refused(
        "'the classifier' predicts the label 'dead' for instance 1; y_true knows only 'well', 'ill'"
    ):
        m.score(["ill", "well"], ["dead", "ill"], metric="accuracy", positive="ill")


def test_two_of_one_name_are_refused(refused):
    frame = pd.DataFrame([[1, 0], [0, 0]], columns=["a", "a"])
    with refused("two classifiers are named 'a'; give each a name of its own"):
        m.from_predictions([1, 0], frame)
    with refused("two classifiers are named '1'; give each a name of its own"):
        m.from_scores([1, 0], {1: [1, 0], "1": [0, 1]})


def test_masked_labels_are_missing(refused):
    with refused("the prediction of 'p' for instance 2 is missing; give a label"):
        m.from_predictions([1, 0], {"p": np.ma.MaskedArray([1, 0], mask=[False, True])})


def test_scores_beyond_floats_do_not_tie():
    """2⁵³ + 1 and 2⁵³ are one float, and two scores."""
    big = 2**53
    y, s = [1, 0, 1, 0], [big + 3, big + 2, big + 1, big]
    assert len(set(map(float, s))) < 4
    table = m.from_scores(
        y, {"s": s}, threshold={"s": big + 1}, metrics=["roc_auc", "TPR", "TNR"], positive=1
    )
    assert table.loc["s", ["roc_auc", "TPR", "TNR"]].tolist() == [0.75, 1.0, 0.5]
    assert m.delong(y, {"s": s}).auc["s"] == 0.75
    curve = curves.roc(y, np.array(s, dtype=np.uint64))
    assert curve.auc == 0.75
    assert curve.note.endswith("thresholds beyond 9007199254740992 are rounded, counts are not")


def test_counts_beyond_machine_integers():
    """usefulness multiplies counts: 4e9 squared is past int64, and 2⁶⁰ past what a float tells
    apart.
    """
    big = pd.DataFrame(
        {"tp": [4 * 10**9, 2**60 + 1], "fn": [1, 2**60], "fp": [1, 2**60], "tn": [4 * 10**9, 2**60]}
    )
    assert m.usefulness(big).all(axis=None)
    equal = pd.DataFrame({"tp": [2**60], "fn": [2**60], "fp": [2**60], "tn": [2**60]})
    assert not m.usefulness(equal).any(axis=None)
    table = m.from_counts(big.iloc[[0]], metrics=["TPR", "MCC", "kappa"]).iloc[0]
    assert table.tolist() == pytest.approx([1, 1, 1], abs=1e-9)


def test_sums_of_weights_are_taken_throughout(refused):
    y, p, w = [1, 1, 0, 0], {"a": [1, 0, 0, 0], "b": [1, 1, 1, 0]}, [0.5, 1.5, 2.25, 1.0]
    counts = m.count(y, p, sample_weight=w)
    table = m.from_counts(counts, metrics=["TPR", "TNR"])
    pd.testing.assert_frame_equal(
        table, m.from_predictions(y, p, sample_weight=w, metrics=["TPR", "TNR"])
    )
    assert m.usefulness(counts)["TPR > FPR"].tolist() == [True, True]
    assert (
        m.from_counts(m.pooled(counts, "classifier"), metrics=["TPR"])["TPR"].tolist()
        == table["TPR"].tolist()
    )
    with refused(
        "the counts are sums of sample weights, which have no binomial interval; give the "
        "instances and their "
        "weights to metrics.intervals"
    ):
        m.proportion_intervals(counts)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("recall", "TPR"),
        ("sensitivity", "TPR"),
        ("precision", "PPV"),
        ("specificity", "TNR"),
        ("f1", "F1"),
        ("mcc", "MCC"),
    ],
)
def test_names_users_type(word, name):
    y, p = [1, 1, 0, 0, 1], {"a": [1, 0, 0, 1, 1]}
    table = m.from_predictions(y, p, metrics=[word])
    assert list(table.columns) == [word]
    assert table[word].tolist() == m.from_predictions(y, p, metrics=[name])[name].tolist()
    assert table.attrs["better"] == {word: "higher"}


def test_auc_could_be_two_things(refused):
    with refused(
        "there is no metric 'auc'; write 'roc_auc' for the area under the curve of scores, "
        "'balanced_accuracy' for "
        "that of one threshold"
    ):
        m.from_predictions([1, 0], {"a": [1, 0]}, metrics=["auc"])
