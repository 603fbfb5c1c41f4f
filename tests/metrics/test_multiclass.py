"""Three classes and more, against scikit-learn; one class against the rest; to the ranking and the
targets.
"""

from __future__ import annotations

import html

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import deabench as db
from deabench import curves, tango
from deabench import metrics as m
from deabench.cli import main
from deabench.errors import DataError

CLASSES = ["setosa", "versicolor", "virginica"]


@pytest.fixture(scope="module")
def iris():
    x, y = load_iris(return_X_y=True)
    x = x + np.random.default_rng(0).normal(
        scale=0.7, size=x.shape
    )  # so that all err, and each in its own way
    names = np.array(CLASSES)
    models = {
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "deep": DecisionTreeClassifier(random_state=0),
    }
    predictions = {name: names[cross_val_predict(model, x, y)] for name, model in models.items()}
    scores = pd.DataFrame(
        cross_val_predict(LogisticRegression(max_iter=1000), x, y, method="predict_proba"),
        columns=CLASSES,
    )
    return names[y], predictions, scores


@pytest.mark.parametrize("weighted", [False, True])
def test_all_metrics_are_scikit_learns(iris, weighted):
    y, predictions, _ = iris
    w = np.random.default_rng(1).random(len(y)) if weighted else None
    table = m.from_classes(y, predictions, sample_weight=w)
    for name, p in predictions.items():
        with_weight = {"sample_weight": w}
        for k, label in enumerate(CLASSES):
            for metric, function in (
                ("recall", sk.recall_score),
                ("precision", sk.precision_score),
                ("F1", sk.f1_score),
            ):
                expected = function(y, p, average=None, labels=CLASSES, **with_weight)[k]
                assert table.loc[name, f"{metric}[{label}]"] == pytest.approx(expected, abs=1e-14)
        expected_values = {
            "accuracy": sk.accuracy_score(y, p, **with_weight),
            "balanced_accuracy": sk.balanced_accuracy_score(y, p, **with_weight),
            "macro_precision": sk.precision_score(y, p, average="macro", **with_weight),
            "macro_F1": sk.f1_score(y, p, average="macro", **with_weight),
            "weighted_precision": sk.precision_score(y, p, average="weighted", **with_weight),
            "weighted_F1": sk.f1_score(y, p, average="weighted", **with_weight),
            "MCC": sk.matthews_corrcoef(y, p, **with_weight),
            "kappa": sk.cohen_kappa_score(y, p, **with_weight),
        }
        assert table.loc[name, list(expected_values)].tolist() == pytest.approx(
            list(expected_values.values()), abs=1e-13
        )
        matrix = m.confusion(y, {name: p}, sample_weight=w).loc[name]
        np.testing.assert_allclose(matrix, sk.confusion_matrix(y, p, labels=CLASSES, **with_weight))


def test_two_classes_are_the_two_rates():
    y, p = [1, 1, 0, 0, 0], {"a": [1, 0, 0, 0, 1]}
    computed, two = m.from_classes(y, p).loc["a"], m.from_predictions(y, p).loc["a"]
    pairs = {
        "recall[1]": "TPR",
        "recall[0]": "TNR",
        "precision[1]": "PPV",
        "precision[0]": "NPV",
        "F1[1]": "F1",
        "MCC": "MCC",
        "kappa": "kappa",
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced_accuracy",
    }
    assert computed[list(pairs)].tolist() == pytest.approx(
        two[list(pairs.values())].tolist(), abs=1e-15
    )


def test_areas_of_one_class_against_the_rest(iris):
    y, _, scores = iris
    table = m.from_class_scores(y, {"logistic": scores}).loc["logistic"]
    for average in ("macro", "weighted"):
        expected = sk.roc_auc_score(
            y, scores.to_numpy(), multi_class="ovr", average=average, labels=CLASSES
        )
        assert table[f"{average}_roc_auc"] == pytest.approx(expected, abs=1e-13)
    curves_of = curves.per_class(curves.roc, y, scores)
    assert [curve.auc for curve in curves_of.values()] == pytest.approx(
        table[:3].tolist(), abs=1e-15
    )
    assert (
        curves_of["virginica"].note
        == "'virginica' is the positive class against the rest ('setosa', 'versicolor')"
    )
    costs = curves.per_class(curves.cost_curve, y, scores)
    assert all(0 <= cost.area <= 0.5 for cost in costs.values())


def test_tango_per_class(iris):
    """b = missed, c = false alarms of a class: the interval of its row of the 2x2 tables is that of
    its ROC point.
    """
    y, predictions, _ = iris
    by_class = m.one_vs_rest(m.confusion(y, predictions))
    lower, upper = tango.interval(by_class["fn"], by_class["fp"], by_class.sum(axis=1))
    hits = m.against_rest(y, "virginica")
    cells = m.count(hits, predictions).loc["tree"]
    assert by_class.loc[("tree", "virginica")].tolist() == cells.tolist()
    row = by_class.index.get_loc(("tree", "virginica"))
    assert (lower[row], upper[row]) == tango.interval(cells["fn"], cells["fp"], cells.sum())
    assert m.from_counts(by_class, metrics=["TPR"])["TPR"].to_numpy() == pytest.approx(
        m.from_classes(y, predictions, metrics=["recall"]).to_numpy().ravel()
    )
    segments = curves.per_class(curves.balanced_segment, y, iris[2])
    assert list(segments) == CLASSES


@pytest.mark.filterwarnings(
    "ignore::deabench.errors.DataWarning"
)  # three classifiers for three metrics
def test_from_predictions_to_ranking_and_targets(iris):
    y, predictions, _ = iris
    table = m.from_classes(y, predictions, metrics=["recall"])
    assert list(table.columns) == [f"recall[{label}]" for label in CLASSES]
    ranking, targets = db.rank(table), db.targets(table, table)
    assert ranking.scores.between(0, 1).all()
    assert ranking.efficient.any()
    assert (targets.targets.to_numpy() >= 0).all()
    assert list(targets.targets.columns) == list(table.columns)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_from_a_file_of_three_classes_to_the_page(iris, tmp_path, capsys):
    """Predictions, table, ranking and page, by the commands: each class's recall is an output, by
    its name.
    """
    y, predictions, _ = iris
    pd.DataFrame({"y_true": y, **predictions}).to_csv(tmp_path / "three.csv", index=False)
    options = ["--multiclass", "--metrics", "recall", "-o", str(tmp_path / "table.csv")]
    assert main(["metrics", str(tmp_path / "three.csv"), *options]) == 0
    table = pd.read_csv(tmp_path / "table.csv", index_col=0)
    pd.testing.assert_frame_equal(
        table, m.from_classes(y, predictions, metrics=["recall"]), check_names=False
    )
    for name in ("page.html", "page.md"):
        assert main(["report", str(tmp_path / "table.csv"), "-o", str(tmp_path / name)]) == 0, (
            capsys.readouterr().err
        )
        page = html.unescape((tmp_path / name).read_text(encoding="utf-8"))
        original = page.replace("\\", "")
        assert all(f"recall[{label}]" in original for label in CLASSES)
        assert all(name in original for name in predictions)


def test_undefined_and_refused(refused):
    y, p = ["a", "b", "c"], {"net": ["a", "a", "b"]}
    table = m.from_classes(y, p, metrics=["precision", "macro_precision"])
    assert table.loc["net"].isna().tolist() == [False, False, True, True]
    assert table.attrs["undefined"][0] == (
        "precision[c] of 'net' is undefined: a class is never predicted, or all is of one class"
    )
    with refused("'net' predicts the label 'd' for instance 1; y_true knows only 'b', 'c', 'a'"):
        m.from_classes(y, {"net": ["d", "a", "b"]})
    with refused(
        "there is no metric 'macro_recal' of several classes; did you mean 'macro_precision'?"
    ):
        m.from_classes(y, p, metrics=["macro_recal"])
    with refused("y_true holds one class only ('a'); give instances of both classes"):
        m.from_classes(["a", "a"], {"net": ["a", "a"]})
    with refused(
        "metric 'brier' needs probabilities of two classes; take one class against the rest "
        "(metrics.against_rest)"
    ):
        m.from_classes(
            y, p, metrics=[m.Metric("brier", sk.brier_score_loss, False, needs="probabilities")]
        )
    with refused("positive is 'b' and y_true was made for 'a'; name one of them"):
        m.from_predictions(m.against_rest(y, "a"), p, positive="b")
    with refused("the scores have no column 'c'; give a DataFrame with a column per class"):
        curves.per_class(curves.roc, y, pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}))
    with refused(
        "the scores of 'net' have no column 'c'; give a DataFrame with a column per class"
    ):
        m.from_class_scores(y, {"net": pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]})})


def test_cells_of_weighted_confusions_are_sums_of_weights(iris):
    """One class against the rest of weighted instances is what `count` gives for it."""
    y, predictions, _ = iris
    weight = np.random.default_rng(0).random(len(y))
    by_class = m.one_vs_rest(m.confusion(y, predictions, sample_weight=weight))
    for label in CLASSES:
        cells = m.count(m.against_rest(y, label), predictions, sample_weight=weight)
        of_class = by_class.xs(label, level="class").loc[cells.index]
        assert of_class.to_numpy() == pytest.approx(cells.to_numpy(), abs=1e-12)
    assert m.from_counts(by_class, metrics=["TPR"])["TPR"].to_numpy() == pytest.approx(
        m.from_classes(y, predictions, metrics=["recall"], sample_weight=weight).to_numpy().ravel()
    )
    # A cell of 0 stays 0, whatever the weights sum up to.
    right = m.one_vs_rest(m.confusion(y, {"right": y}, sample_weight=weight))
    assert (right[["fn", "fp"]].to_numpy() == 0).all()
    with pytest.raises(DataError, match="sums of sample weights"):
        m.bootstrap_counts(by_class)
