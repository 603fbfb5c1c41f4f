"""Labels, the ROC curve, its hull and best thresholds, against scikit-learn, SciPy and theorems."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from deabench import curves
from deabench.errors import DataError


@st.composite
def samples(draw):
    """Labels with 0 < positives and their scores, often equal ones."""
    n = draw(st.integers(2, 40))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < len(y)))
    return np.array(y), np.array(
        draw(st.lists(st.integers(0, 8), min_size=n, max_size=n)), dtype=float
    )


@given(samples())
def test_points_are_scikit_learns(sample):
    y, s = sample
    curve = curves.roc(y, s, positive=True)
    fpr, tpr, thresholds = roc_curve(y, s, drop_intermediate=False)
    np.testing.assert_allclose(curve.points["FPR"], fpr, rtol=0, atol=1e-15)
    np.testing.assert_allclose(curve.points["TPR"], tpr, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(curve.points["at_least"], thresholds)
    assert curve.auc == pytest.approx(roc_auc_score(y, s), abs=1e-14)


@given(samples())
def test_both_forms_of_the_threshold_give_the_counts(sample):
    y, s = sample
    for point in curves.roc(y, s, positive=True).points.itertuples():
        for predicted in (s >= point.at_least, s > point.above):
            counts = (
                np.sum(predicted & y),
                np.sum(~predicted & y),
                np.sum(predicted & ~y),
                np.sum(~predicted & ~y),
            )
            assert counts == (point.tp, point.fn, point.fp, point.tn)


@given(samples())
def test_auc_counts_the_pairs(sample):
    y, s = sample
    pairs = np.subtract.outer(s[y], s[~y])
    assert (
        curves.roc(y, s, positive=True).auc
        == ((pairs > 0).sum() + 0.5 * (pairs == 0).sum()) / pairs.size
    )


@given(samples())
def test_the_hull_is_qhulls(sample):
    y, s = sample
    curve = curves.roc(y, s, positive=True)
    corners = np.vstack(
        [curve.points[["fp", "tp"]].to_numpy(), [curve.n_negative, 0], [curve.n_negative, -1.0]]
    )
    vertices = {tuple(corners[i]) for i in ConvexHull(corners).vertices} - {
        tuple(corners[-1]),
        tuple(corners[-2]),
    }
    hull_points = {
        tuple(p) for p in curve.points.loc[curve.points["hull"], ["fp", "tp"]].to_numpy(dtype=float)
    }
    assert hull_points == vertices
    assert curve.hull_auc >= curve.auc - 1e-15


@given(samples(), st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0, 1))
def test_least_cost_is_the_least_and_on_the_hull(sample, cost_fn, cost_fp, prevalence):
    y, s = sample
    curve = curves.roc(y, s, positive=True)
    best = curves.best_threshold(
        curve, "cost", cost_fn=cost_fn, cost_fp=cost_fp, prevalence=prevalence
    )
    costs = [
        prevalence * np.mean(s[y] < t) * cost_fn + (1 - prevalence) * np.mean(s[~y] >= t) * cost_fp
        for t in curve.points["at_least"]
    ]
    assert best.value == pytest.approx(min(costs), abs=1e-12)
    on_hull = curve.points[curve.points["hull"]]
    assert min(
        prevalence * (1 - on_hull["TPR"]) * cost_fn + (1 - prevalence) * on_hull["FPR"] * cost_fp
    ) == (pytest.approx(min(costs), abs=1e-12))


def test_at_the_samples_prevalence_equal_costs_are_the_error_rate(six):
    y, s = six
    best = curves.best_threshold(curves.roc(y, s), "cost")
    assert best.value == pytest.approx(min(np.mean((s >= t) != y) for t in [*s, np.inf]), abs=1e-15)
    assert best.criterion == "least cost: fn 1, fp 1, prevalence 0.4"
    rare = curves.best_threshold(curves.roc(y, s), "cost", prevalence=0.1)
    assert (rare.at_least, rare.FPR, rare.TPR) == (
        0.60,
        0.0,
        0.5,
    )  # fewer false alarms where positives are rare


def test_tied_optima_give_the_highest_threshold_and_say_how_many():
    best = curves.best_threshold(curves.roc([1, 0, 1, 0], [4, 3, 2, 1], positive=1), "youden")
    assert (best.at_least, best.tied, best.value) == (4, 2, 0.5)
    assert best.to_frame().index.tolist() == ["Youden's J"]


def test_precision_recall_is_scikit_learns(normal):
    y, s = normal
    curve = curves.precision_recall(y, np.round(s, 1))
    assert curve.average_precision == pytest.approx(
        average_precision_score(y, np.round(s, 1)), abs=1e-14
    )
    assert np.isnan(curve.points["precision"].iloc[0])  # nothing predicted: undefined, not 1
    assert curve.prevalence == 0.2
    exact = curves.precision_recall(y, s)
    assert exact.break_even["precision"] == exact.break_even["recall"]
    point = exact.roc.points.loc[exact.break_even.name]
    assert point["fn"] == point["fp"]


@pytest.mark.parametrize(
    "labels",
    [
        ([0, 1], 1),
        (["healthy", "ill"], "ill"),
        ([False, True], True),
        ([-1, 1], -1),
        ([2.0, 5.0], 5.0),
        (pd.Categorical(["lo", "hi"], categories=["lo", "hi"]).tolist(), "hi"),
    ],
)
def test_labels_of_any_kind_give_one_curve(six, labels):
    y, s = six
    (a, b), positive = labels
    negative = a if positive == b else b
    named = pd.Series([positive if label else negative for label in y])
    for data in (named, named.astype("category"), named.tolist()):
        curve = curves.roc(data, s, positive=positive)
        assert curve.auc == 0.90625
        assert (curve.positive, curve.negative) == (positive, negative)
        assert curve.note == f"{positive!r} is the positive class, as asked"
    assert curves.roc(named, -s, positive=negative).auc == 0.90625


@pytest.mark.parametrize("classes", [(0, 1), (-1, 1), (False, True), (0.0, 1.0)])
def test_of_equally_frequent_classes_one_or_true_is_positive(classes):
    curve = curves.roc(classes, [1, 2])
    assert (curve.positive, curve.negative) == classes[::-1]
    assert curve.note == f"{classes[1]!r} is the positive class by convention, 1 of 2 instances"


def test_other_classes_must_be_named():
    with pytest.raises(DataError) as error:
        curves.roc(["no", "yes"], [1, 2])
    assert str(error.value) == (
        "y_true holds the classes 'no', 'yes' and a score speaks for one of them; name the "
        "positive class"
    )
    curve = curves.roc(["no", "yes"], [1, 2], positive="no")
    assert (curve.positive, curve.note) == ("no", "'no' is the positive class, as asked")


TWO = (
    "merge some, take one against the rest (metrics.against_rest) or compare them all "
    "(metrics.from_classes)"
)


@pytest.mark.parametrize(
    ("y", "s", "message"),
    [
        ([1, 0, 2], [1, 2, 3], f"y_true holds 3 classes (0, 1, 2); {TWO}"),
        (
            list("abcdefg"),
            range(7),
            f"y_true holds 7 classes ('a', 'b', 'c', 'd', 'e', ...); {TWO}",
        ),
        ([1, 1, 1], [1, 2, 3], "y_true holds one class only (1); give instances of both classes"),
        ([1, None, 0], [1, 2, 3], "y_true is missing for instance 2; leave the instance out"),
        (["a", np.nan, "b"], [1, 2, 3], "y_true is missing for instance 2; leave the instance out"),
        (
            [1, 0, 0],
            [1, np.nan, 3],
            "the score of the classifier for instance 2 is missing; give a finite number",
        ),
        (
            [1, 0, 0],
            [1, 2, np.inf],
            "the score of the classifier for instance 3 is inf; give a finite number",
        ),
        (
            [1, 0, 0],
            [1, 2],
            "the classifier has 2 scores and y_true has 3 instances; give one for each",
        ),
        (
            [1, 0, 0],
            [1, "high", 3],
            "the score of the classifier for instance 2 is 'high'; give a finite number",
        ),
        (
            [1, 0, 0],
            [[1], [2], [3]],
            "the score of the classifier has 2 dimensions; give one value per instance",
        ),
        ([], [], "y_true is empty; give at least one instance of each class"),
        (1, [1], "y_true has 0 dimensions; give one value per instance"),
    ],
)
@pytest.mark.parametrize(
    "curve",
    [
        curves.roc,
        curves.balanced_segment,
        curves.gain,
        curves.lift,
        curves.precision_recall,
        curves.cost_curve,
        curves.conversion_rates,
    ],
)
def test_what_is_no_curve_is_refused(curve, y, s, message):
    with pytest.raises(DataError) as error:
        curve(y, s)
    assert str(error.value) == message


def test_an_unknown_positive_label_is_refused(six):
    with pytest.raises(DataError) as error:
        curves.roc(*six, positive="1")
    assert str(error.value) == "there is no class '1' in y_true; its classes are 0, 1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "f1"}, "criterion is 'f1'; it is 'closest', 'youden' or 'cost'"),
        ({"criterion": "cost", "cost_fn": -1}, "cost_fn is -1; give a finite number >= 0"),
        (
            {"criterion": "cost", "cost_fn": 0, "cost_fp": 0},
            "cost_fn and cost_fp are both 0, so every threshold costs the same; give one above 0",
        ),
        ({"criterion": "cost", "prevalence": 1.2}, "prevalence is 1.2; give a share in [0, 1]"),
    ],
)
def test_a_bad_criterion_is_refused(six, options, message):
    with pytest.raises(DataError) as error:
        curves.best_threshold(curves.roc(*six), **options)
    assert str(error.value) == message


@examples(30)
@given(samples(), st.floats(0.1, 10), st.floats(-5, 5))
def test_a_rising_map_of_the_scores_changes_nothing_but_thresholds(sample, scale, shift):
    y, s = sample
    before, after = curves.roc(y, s, positive=True), curves.roc(y, scale * s + shift, positive=True)
    pd.testing.assert_frame_equal(
        before.points.drop(columns=["at_least", "above"]),
        after.points.drop(columns=["at_least", "above"]),
    )


def test_points_that_are_as_good_are_counted() -> None:
    """TPR − FPR is 1/3 − 0 at .9 and 1 − 2/3 at .5."""
    roc = curves.roc([1, 1, 1, 0, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.5, 0.1])
    text = curves.best_threshold(roc, "youden").summary()
    assert text.endswith(
        "(Youden's J 0.3333): TPR 0.3333, FPR 0, 2 positives missed, 0 false alarms; 2 points are "
        "as good, and this has the fewest false alarms"
    )
