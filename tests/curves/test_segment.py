"""The balanced segment: the paper's steps, the theorem of one run, and what SAUC does not say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import auc

from deabench import curves, tango
from deabench.curves.segment import CAUTION
from deabench.errors import DataError


@st.composite
def orders(draw):
    """Labels in order of falling score, both classes present, no ties."""
    y = draw(
        st.lists(st.booleans(), min_size=2, max_size=120).filter(lambda y: 0 < sum(y) < len(y))
    )
    return np.array(y), -np.arange(len(y), dtype=float)


def test_the_example_of_twenty_rows(six):
    segment = curves.balanced_segment(*six)
    assert segment.confident["at_least"].tolist() == [
        0.55,
        0.54,
        0.53,
        0.52,
        0.51,
        0.49,
        0.41,
    ]  # top 5 to top 11
    assert segment.sauc == pytest.approx(0.114583, abs=5e-7)
    assert segment.aved == pytest.approx(0.0857, abs=5e-5)
    assert segment.aved_signed == pytest.approx(0, abs=1e-16)
    assert segment.sauc == pytest.approx(
        auc(segment.confident["FPR"], segment.confident["TPR"]), abs=1e-15
    )
    assert segment.figures["n"] == 20
    assert (segment.figures["from_at_least"], segment.figures["to_at_least"]) == (0.55, 0.41)


@given(orders(), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_confident_points_are_one_run_and_never_none_without_ties(order, alpha):
    segment = curves.balanced_segment(*order, alpha, positive=True)
    indices = np.flatnonzero(segment.points["confident"])
    assert len(indices) > 0
    assert len(indices) == indices[-1] - indices[0] + 1


@given(orders(), st.integers(2, 6))
def test_equal_scores_keep_the_run_unbroken(order, width):
    y, s = order
    indices = np.flatnonzero(
        curves.balanced_segment(y, np.floor(s / width), positive=True).points["confident"]
    )
    assert len(indices) == 0 or len(indices) == indices[-1] - indices[0] + 1


@given(orders())
def test_confident_is_zero_in_the_interval_and_the_difference_is_of_rates(order):
    y, s = order
    points = curves.balanced_segment(y, s, positive=True).points
    edge = np.minimum(points["lower"].abs(), points["upper"].abs()) < 1e-14
    inside = (points["lower"] <= 0) & (points["upper"] >= 0)
    assert (inside | edge).where(points["confident"], ~inside | edge).all()
    assert (
        (points["lower"] <= points["difference"] + 1e-15)
        & (points["difference"] <= points["upper"] + 1e-15)
    ).all()
    predicted = (points["tp"] + points["fp"]) / len(y)
    np.testing.assert_allclose(points["difference"], y.mean() - predicted, rtol=0, atol=1e-15)
    assert (np.diff(points["difference"]) < 0).all()


def test_the_interval_is_tangos(normal):
    segment = curves.balanced_segment(*normal, 0.1)
    lower, upper = tango.interval(segment.points["fn"], segment.points["fp"], 300, 0.1)
    assert (segment.points["lower"] == lower).all()
    assert (segment.points["upper"] == upper).all()


def test_a_stump_has_no_confident_point_and_says_so(normal):
    y, s = normal
    stump = np.where(y == 1, s > 3, s > -3).astype(float)  # two leaves, both far from balance
    comparison = curves.compare_segments(y, {"stump": stump, "other": s})
    assert comparison.excluded == ("stump",)
    assert np.isnan(
        comparison.table.loc["stump", ["SAUC", "AveD", "AveD_signed"]].astype(float)
    ).all()
    assert comparison.table.loc["stump", "confident"] == 0
    assert comparison.table.loc["other", "SAUC"] == curves.balanced_segment(y, s).sauc
    assert comparison.table.columns.tolist() == [
        "n",
        "positives",
        "AUC",
        "points",
        "confident",
        "SAUC",
        "AveD",
        "AveD_signed",
        "from_at_least",
        "to_at_least",
    ]


def test_with_three_positives_predicting_nothing_is_confident():
    for positives, confident in ((3, True), (4, False)):
        y = np.repeat([1, 0], [positives, 100])
        assert (
            curves.balanced_segment(y, -np.arange(len(y))).points["confident"].iloc[0] == confident
        )


def means(make, runs=20):
    rng = np.random.default_rng(0)
    samples = [make(rng) for _ in range(runs)]
    return np.array([[sample.sauc, sample.aved, len(sample.confident)] for sample in samples]).mean(
        axis=0
    )


def draw_segment(rng, positives, negatives, separation):
    y = np.repeat([1, 0], [positives, negatives])
    return curves.balanced_segment(y, rng.normal(size=len(y)) + separation * y)


@pytest.mark.slow
def test_sauc_falls_as_one_over_root_n():
    """As the docstring and CAUTION say: ten times the rows, about a third of the area, the same
    classifier.
    """
    small = means(lambda rng: draw_segment(rng, 20, 180, 1.53))[0]
    middle = means(lambda rng: draw_segment(rng, 200, 1800, 1.53))[0]
    large = means(lambda rng: draw_segment(rng, 2000, 18000, 1.53), runs=5)[0]
    assert (round(small, 2), round(middle, 2), round(large, 3)) == (0.03, 0.01, 0.003)
    assert small / middle == pytest.approx(np.sqrt(10), rel=0.1)
    assert middle / large == pytest.approx(np.sqrt(10), rel=0.1)
    assert "1/√n" in CAUTION


def test_sauc_is_not_monotone_in_separation_and_absolute_aved_is():
    sauc, aved, points = np.array(
        [means(lambda rng, mu=mu: draw_segment(rng, 100, 900, mu)) for mu in range(5)]
    ).T
    assert sauc[0] < sauc[1] < sauc[2] > sauc[3] > sauc[4]
    assert (np.diff(aved) < 0).all()
    assert points.argmax() == 0  # random scores have the most confident points


def test_compare_names_the_classifier_and_wants_one(six):
    y, s = six
    with pytest.raises(DataError) as error:
        curves.compare_segments(y, {"net": s, "tree": s[1:]})
    assert str(error.value) == "'tree' has 19 scores and y_true has 20 instances; give one for each"
    with pytest.raises(DataError) as error:
        curves.compare_segments(y, {})
    assert (
        str(error.value)
        == "there is no classifier; give {name: predictions} with at least one name"
    )
    with pytest.raises(DataError) as error:
        curves.balanced_segment(y, s, 1.5)
    assert (
        str(error.value)
        == "alpha is 1.5; give a number between 0 and 1, as 0.05 for a 95 % interval"
    )


def clopper_pearson(b, c, n, alpha):
    """The exact limits of b/(b + c), which is one half where both errors are equally likely."""
    low = np.where(b > 0, stats.beta.ppf(alpha / 2, b, c + 1), 0)
    high = np.where(c > 0, stats.beta.ppf(1 - alpha / 2, b + 1, c), 1)
    return (b + c) / n * (2 * low - 1), (b + c) / n * (2 * high - 1)


def test_another_test_of_choice_selects_its_own_points(six):
    segment = curves.balanced_segment(*six, method=clopper_pearson)
    # By the exact sign test, point by point.
    b, c = segment.points["fn"].astype(int), segment.points["fp"].astype(int)
    p_values = [
        stats.binomtest(x, x + y).pvalue if x + y else 1.0 for x, y in zip(b, c, strict=True)
    ]
    assert segment.points["confident"].tolist() == (np.array(p_values) > 0.05).tolist()
    # Pictures name the test that was used; a title is drawn as it stands.
    assert segment.plot().ax_.get_title(loc="left") == "clopper_pearson 95 % intervals, n = 20"
    named = curves.compare_segments(six[0], {"net": six[1]}, method=clopper_pearson)
    title = named.segments["net"].test
    assert title == "clopper_pearson"
    assert named.segments["net"].sauc == segment.sauc
    with pytest.raises(DataError, match="method gives an array of shape"):
        curves.balanced_segment(*six, method=lambda b, c, n, alpha: (0, 1))


def test_the_interval_of_a_point_is_a_band_of_parallel_lines_in_roc_space(six):
    segment = curves.balanced_segment(*six)
    n, positives = segment.roc.n, segment.roc.n_positive
    for _, point in segment.confident.iterrows():
        lines = segment.roc_lines(point["at_least"])
        # Every point of a line has its difference: fn = P(1 - TPR), fp = N FPR.
        for share in (0.0, 0.3, 1.0):
            tpr = (1 - share) * lines["TPR_at_FPR_0"] + share * lines["TPR_at_FPR_1"]
            difference = (positives * (1 - tpr) - (n - positives) * share) / n
            np.testing.assert_allclose(difference, lines["difference"], atol=1e-12)
        # The point lies on its own line, between those of the limits.
        middle = lines.loc["difference"]
        on_line = middle["TPR_at_FPR_0"] + point["FPR"] * (
            middle["TPR_at_FPR_1"] - middle["TPR_at_FPR_0"]
        )
        assert on_line == pytest.approx(point["TPR"])
        assert lines["TPR_at_FPR_0"].is_monotonic_decreasing
    with pytest.raises(DataError, match="the curve has no threshold 9"):
        segment.roc_lines(9.0)


def test_constant_scores_have_no_segment() -> None:
    result = curves.compare_segments([1, 0] * 6, {"a": [0.5] * 12, "b": [0.4] * 12})
    assert result.summary() == "none of 2 classifiers has a segment"
