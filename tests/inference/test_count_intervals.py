"""Intervals of proportions and by bootstrap, and the scorers."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples
from hypothesis import given
from hypothesis import strategies as st
from imblearn.metrics import geometric_mean_score, specificity_score
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB

from deabench import metrics as m
from deabench.errors import DataWarning

CELLS = list(m.CELLS)
FIXED = {"design": "classes", "method": "resample"}


def frame(*rows):
    return pd.DataFrame(rows, columns=CELLS, index=[f"c{i}" for i in range(len(rows))])


@given(st.tuples(*[st.integers(0, 500)] * 4), st.floats(0.001, 0.5))
@examples(60)
def test_wilson_limits_solve_their_equation(row, alpha):
    """|p̂ − p| = z √(p (1 − p) / m) at both limits; the estimate is from_counts's and lies between,
    all in [0, 1].
    """
    table = m.proportion_intervals(frame(row), alpha=alpha)
    values = m.from_counts(frame(row)).iloc[0]
    z = stats.norm.isf(alpha / 2)
    for (_, name), line in table.iterrows():
        if line["trials"] == 0:
            assert line[["estimate", "lower", "upper"]].isna().all()
            continue
        assert line["estimate"] == pytest.approx(values[name], abs=1e-15)
        assert -1e-15 <= line["lower"] <= line["estimate"] + 1e-12
        assert line["estimate"] - 1e-12 <= line["upper"] <= 1 + 1e-15
        for limit in (line["lower"], line["upper"]):
            squared_distance = (line["estimate"] - limit) ** 2
            assert squared_distance == pytest.approx(
                z * z * limit * (1 - limit) / line["trials"], rel=1e-6, abs=1e-12
            )


def test_intervals_row_after_row_and_other_methods():
    counts = frame((6, 2, 3, 9), (0, 8, 0, 12))
    table = m.proportion_intervals(counts, metrics=["TNR", "TPR"], method="beta")
    assert table.index.tolist() == [("c0", "TNR"), ("c0", "TPR"), ("c1", "TNR"), ("c1", "TPR")]
    exact = stats.binomtest(6, 8).proportion_ci(0.95, method="exact")
    assert table.loc[("c0", "TPR"), ["lower", "upper"]].tolist() == pytest.approx(
        [exact.low, exact.high], abs=1e-12
    )
    wilson = stats.binomtest(6, 8).proportion_ci(0.95, method="wilson")
    computed = m.proportion_intervals(counts).loc[("c0", "TPR"), ["lower", "upper"]]
    assert computed.tolist() == pytest.approx([wilson.low, wilson.high], abs=1e-12)
    assert set(m.PROPORTIONS) == set(
        m.proportion_intervals(counts).index.get_level_values("metric")
    )


def test_sums_of_weights_are_no_counts_to_draw_from(refused):
    counts = m.count([1, 1, 0, 0], {"a": [1, 0, 0, 1]}, sample_weight=[0.5, 1, 1, 1])
    with refused(
        "the counts are sums of sample weights; give the instances and their weights to "
        "metrics.intervals"
    ):
        m.bootstrap_counts(counts, metrics=["TPR"])


def test_bootstrap_of_counts_has_binomial_quantiles():
    """The resampled TPR is binomial(P, TPR) / P: its percentile limits are that law's, within a
    count and a half.
    """
    table = m.bootstrap_counts(
        frame((60, 20, 300, 900)), metrics=["TPR", "TNR"], resamples=20_000, seed=1, **FIXED
    )
    for name, hits, trials in (("TPR", 60, 80), ("TNR", 900, 1200)):
        exact = stats.binom.ppf([0.025, 0.975], trials, hits / trials) / trials
        assert table.loc[("c0", name), ["lower", "upper"]].tolist() == pytest.approx(
            exact, abs=1.5 / trials
        )
        assert table.loc[("c0", name), "estimate"] == hits / trials
    assert (table["undefined"] == 0).all()
    repeated = m.bootstrap_counts(
        frame((60, 20, 300, 900)), metrics=["TPR", "TNR"], resamples=20_000, seed=1, **FIXED
    )
    pd.testing.assert_frame_equal(table, repeated)


def test_undefined_resamples_are_counted_and_said():
    """tp and fp both 0 in a resample with probability (1 − 1/4)⁴ (1 − 1/8)⁸ = .109: PPV is 0/0
    there.
    """
    with pytest.warns(DataWarning) as caught:
        table = m.bootstrap_counts(
            frame((1, 3, 1, 7)), metrics=["PPV", "TPR"], resamples=4000, **FIXED
        )
    lacking = table.loc[("c0", "PPV"), "undefined"]
    assert lacking / 4000 == pytest.approx(0.75**4 * 0.875**8, abs=0.02)
    assert [str(w.message) for w in caught] == [
        f"PPV of 'c0' is undefined in {lacking} of 4000 resamples: its interval holds where it "
        "is defined"
    ]
    assert table.loc[("c0", "TPR"), "undefined"] == 0
    assert table.loc[("c0", "PPV"), ["lower", "upper"]].tolist() == [0, 1]


def test_infinite_resamples_stay():
    table = m.bootstrap_counts(frame((20, 5, 1, 99)), metrics=["LR+"], resamples=500, **FIXED)
    assert table.loc[("c0", "LR+"), "upper"] == np.inf


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(3)
    y = np.r_[np.ones(25, int), np.zeros(60, int)]
    return y, rng.normal(size=85) + 1.2 * y


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_bootstrap_of_an_area_is_near_delong(scored, method):
    """Two estimates of one standard error; limits within a quarter of the interval's width."""
    y, s = scored
    computed = m.bootstrap(
        y, {"s": s}, roc_auc_score, positive=1, method=method, resamples=600
    ).loc["s"]
    wald = m.delong(y, {"s": s}, positive=1).interval().loc["s"]
    assert computed["estimate"] == pytest.approx(roc_auc_score(y, s), abs=1e-14)
    width = wald["upper"] - wald["lower"]
    assert computed["lower"] == pytest.approx(wald["lower"], abs=width / 4)
    assert computed["upper"] == pytest.approx(wald["upper"], abs=width / 4)
    assert computed["undefined"] == 0


def test_bootstrap_is_stratified_and_counts_the_undefined(scored, warned):
    y, s = scored

    def share(actual, _):
        return actual.mean()

    with warned("the statistic of 's' is the same in every resample: its limits say nothing"):
        fixed = m.bootstrap(y, {"s": s}, share, positive=1, resamples=100, design="classes").loc[
            "s"
        ]
    assert fixed[["estimate", "lower", "upper"]].tolist() == [25 / 85] * 3
    accelerated = m.bootstrap(
        y, {"s": s}, share, positive=1, resamples=100, method="BCa", design="classes"
    ).loc["s"]
    assert accelerated[["lower", "upper"]].isna().all()

    def precision_at_top(actual, score):
        top = score >= np.sort(s)[-1]
        return actual[top].mean() if top.any() else np.nan

    with pytest.warns(DataWarning) as caught:
        row = m.bootstrap(
            y, {"s": s}, precision_at_top, positive=1, resamples=400, design="classes"
        ).loc["s"]
    assert row["undefined"] / 400 == pytest.approx(
        (1 - 1 / 25) ** 25, abs=0.1
    )  # the top one is not drawn
    assert str(caught[-1].message) == (
        f"the statistic of 's' is undefined in {int(row['undefined'])} of 400 resamples: "
        "its interval holds where it is defined"
    )


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: m.proportion_intervals(frame((1, 1, 1, 1)), alpha=1),
            "alpha is 1; an interval needs an alpha between 0 and 1, as 0.05",
        ),
        (
            lambda: m.proportion_intervals(frame((1, 1, 1, 1)), method="wald"),
            "there is no method 'wald'; the methods are wilson, beta, agresti_coull, jeffreys, "
            "normal",
        ),
        (
            lambda: m.proportion_intervals(frame((1, 1, 1, 1)), metrics=["TPRR"]),
            "metric 'TPRR' is not a proportion; did you mean 'TPR'?",
        ),
        (
            lambda: m.bootstrap_counts(frame((1, 1, 1, 1)), resamples=10),
            "resamples is 10; a percentile interval needs at least 100",
        ),
        (
            lambda: m.bootstrap([1, 0, 0], {"s": [1, 2, 3]}, roc_auc_score),
            "there is one positive instance; a stratified bootstrap needs two of each class",
        ),
        (
            lambda: m.bootstrap([1, 0], {"s": [1, 2]}, roc_auc_score, method="t"),
            "there is no method 't'; the methods are percentile and BCa",
        ),
        (
            lambda: m.scorers(["prevalence"]),
            "metric 'prevalence' is neither better high nor low; it cannot score a classifier",
        ),
        (lambda: m.scorers(["TRP"]), "there is no metric 'TRP'; did you mean 'TPR'?"),
    ],
)
def test_bad_input_is_named(call, text, refused):
    with refused(text):
        call()


def test_scorers_under_cross_validate():
    x, y = load_breast_cancer(return_X_y=True)
    computed = m.scorers(["TNR", "G-mean", "IBA", "FPR", "F2"], positive=0, beta=2)
    expected = {
        "specificity": make_scorer(specificity_score, pos_label=0),
        "gmean": make_scorer(geometric_mean_score, pos_label=0, average="binary"),
        "malignant": make_scorer(recall_score, pos_label=1),
    }
    result = cross_validate(GaussianNB(), x, y, cv=5, scoring={**computed, **expected})
    np.testing.assert_allclose(result["test_TNR"], result["test_specificity"], atol=1e-14)
    np.testing.assert_allclose(result["test_TNR"], result["test_malignant"], atol=1e-14)
    np.testing.assert_allclose(result["test_neg_FPR"], result["test_TNR"] - 1, atol=1e-14)
    np.testing.assert_allclose(result["test_G-mean"], result["test_gmean"], atol=1e-14)
    assert np.isfinite(result["test_F2"]).all()


def test_scorers_pickle_and_steer_a_search():
    x, y = load_breast_cancer(return_X_y=True)
    scorer = pickle.loads(
        pickle.dumps(m.scorers(["balancing_cost"], positive=0)["neg_balancing_cost"])
    )
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1]}, scoring=scorer, cv=3).fit(
        x, y
    )
    assert search.best_params_ == {"var_smoothing": 1e-9}  # the lower cost
    assert search.best_score_ < 0


def test_a_score_without_its_class_is_nan():
    assert np.isnan(m.score([0, 0], [0, 1], metric="TPR"))
    assert m.score(["a", "b"], ["a", "a"], metric="TPR", positive="a", sample_weight=[2, 1]) == 1
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    assert m.scorers(["TNR"])["TNR"](model, [[0.0], [1.0]], [0, 1]) == 1
