"""Metrics of counts: identities, undefined values, folds, costs, prevalence, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from deabench import metrics as m
from deabench.metrics.answer_rows import metrics_of_rows
from deabench.metrics.formulas import MORE_METRICS, NEEDS

CELLS = list(m.CELLS)
cells = st.tuples(*[st.integers(0, 60)] * 4)
full = st.tuples(*[st.integers(1, 10**6)] * 4)


def frame(*rows):
    return pd.DataFrame(rows, columns=CELLS, index=[f"c{i}" for i in range(len(rows))])


@given(full)
@settings(deadline=None)
def test_nine_identities_of_twelve_quantities(row):
    """Four theorems of Bayes (two are independent), their two complements, and five sums."""
    t = m.from_counts(frame(row)).iloc[0]
    pi1, p1 = t["prevalence"], t["queue_rate"]
    pi0, p0 = 1 - pi1, 1 - p1
    for left, right in (
        (t["PPV"] * p1, t["TPR"] * pi1),
        (t["NPV"] * p0, t["TNR"] * pi0),
        (t["FDR"] * p1, t["FPR"] * pi0),
        (t["FOR"] * p0, t["FNR"] * pi1),
        (t["PPV"] + t["FDR"], 1),
        (t["NPV"] + t["FOR"], 1),
        (t["FPR"] + t["TNR"], 1),
        (t["FNR"] + t["TPR"], 1),
        (p1, (1 - t["TNR"]) * pi0 + t["TPR"] * pi1),
        (t["accuracy"] + t["misclassification_rate"], 1),
        (t["null_accuracy"] + t["null_error_rate"], 1),
        (t["Youden"], 2 * t["balanced_accuracy"] - 1),
        (t["LR+"] / t["LR-"], t["DOR"]),
        (t["label_odds+"] / t["label_odds-"], t["DOR"]),
        (t["MCC"] ** 2, (t["PPV"] + t["NPV"] - 1) * t["Youden"]),
        (t["accuracy"] - (p0 * pi0 + p1 * pi1), 2 * pi0 * pi1 * t["Youden"]),
    ):
        assert left == pytest.approx(right, rel=1e-9, abs=1e-12)


@given(full)
@settings(deadline=None)
def test_bayes_at_its_own_prevalence_gives_the_same_table(row):
    t = m.from_counts(frame(row))
    names = [name for name in t if name not in ("total_cost", "balancing_cost")]
    repeated = m.at_prevalence(t, t["prevalence"])
    pd.testing.assert_frame_equal(repeated[names], t[names], rtol=1e-7, atol=1e-9)


def test_at_prevalence_is_resampling_one_class():
    """A thousand times the negatives is another prevalence with the same rates."""
    sample, resampled = frame((90, 10, 20, 80)), frame((90, 10, 20000, 80000))
    names = ["PPV", "NPV", "accuracy", "F1", "MCC", "kappa", "queue_rate", "null_accuracy"]
    pd.testing.assert_frame_equal(
        m.at_prevalence(m.from_counts(sample), 100 / 100100, metrics=names),
        m.from_counts(resampled, metrics=names),
    )


@given(cells)
@examples(200)
def test_undefined_exactly_where_the_formula_is_zero_over_zero(row):
    """NaN with a reason where, and only where, the bare formula gives 0/0; inside its range
    elsewhere.
    """
    counts = frame(row)
    table, reasons = m.from_counts(counts), m.undefined(counts).set_index("metric")["reason"]
    catalogue = m.catalogue()
    from deabench.metrics.formulas import Cells

    bare = Cells(**{cell: counts[cell].to_numpy(float) for cell in CELLS})
    for name, value in table.iloc[0].items():
        with np.errstate(all="ignore"):
            assert (
                np.isnan(m.METRICS[name].value(bare)[0]) == np.isnan(value) == (name in reasons)
            ), name
        if not np.isnan(value):
            assert (
                catalogue.loc[name, "low"] - 1e-12 <= value <= catalogue.loc[name, "high"] + 1e-12
            )
    warned = [f"{name} of 'c0' is undefined: {reasons[name]}" for name in table if name in reasons]
    further_count = len(warned) - 20
    last = (
        [f"and {further_count} more: deabench.metrics.undefined lists them all"]
        if further_count > 0
        else []
    )
    assert table.attrs["undefined"] == (*warned[:20], *last)


def test_reasons():
    counts = frame((0, 0, 3, 7), (0, 5, 0, 5), (0, 0, 0, 9), (0, 0, 0, 0))
    reasons = m.undefined(counts, metrics=["TPR", "PPV", "F1", "kappa", "MCC", "accuracy"])
    assert [(row, *values) for row, *values in reasons.sort_index(kind="stable").itertuples()] == [
        ("c0", "TPR", "there is no positive instance (tp + fn = 0)"),
        ("c0", "MCC", "there is no positive instance (tp + fn = 0)"),
        ("c1", "PPV", "nothing is labelled positive (tp + fp = 0)"),
        ("c1", "MCC", "nothing is labelled positive (tp + fp = 0)"),
        ("c2", "TPR", "there is no positive instance (tp + fn = 0)"),
        ("c2", "PPV", "nothing is labelled positive (tp + fp = 0)"),
        ("c2", "F1", NEEDS["either positive"][1]),
        ("c2", "kappa", NEEDS["two classes"][1]),
        ("c2", "MCC", "there is no positive instance (tp + fn = 0)"),
        ("c3", "TPR", "there is no positive instance (tp + fn = 0)"),
        ("c3", "PPV", "nothing is labelled positive (tp + fp = 0)"),
        ("c3", "F1", NEEDS["either positive"][1]),
        ("c3", "kappa", NEEDS["two classes"][1]),
        ("c3", "MCC", "there is no positive instance (tp + fn = 0)"),
        ("c3", "accuracy", "there is no instance (tp + fn + fp + tn = 0)"),
    ]
    assert m.undefined(frame((1, 1, 1, 1))).empty


def test_a_number_over_zero_is_infinite():
    t = m.from_counts(
        frame((5, 0, 0, 5)), metrics=["LR+", "LR-", "DOR", "label_odds+", "label_odds-"]
    ).iloc[0]
    assert t.tolist() == [np.inf, 0, np.inf, np.inf, 0]


def test_index_order_and_other_columns():
    counts = frame((6, 2, 3, 9), (8, 0, 3, 9)).assign(data="wine", fold=[1, 2])
    counts.index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)], names=["classifier", "fold"])
    t = m.from_counts(counts, metrics=["F2", "TPR"], beta=2)
    assert list(t.columns) == ["F2", "TPR"]
    assert t.index.equals(counts.index)
    assert list(m.from_counts(counts)) == list(m.METRICS)
    assert "F0.5" in m.from_counts(counts, beta=0.5)


@pytest.mark.parametrize("size", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_many_rows_are_the_rows_one_by_one(size):
    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rng.integers(0, 100, (size, 4)), columns=CELLS)
    table = m.from_counts(counts)
    assert table.shape == (size, len(m.METRICS))
    pd.testing.assert_frame_equal(
        table.iloc[[-1]], m.from_counts(counts.iloc[[-1]]), check_flags=False
    )


def test_pooled_and_averaged():
    folds = pd.DataFrame(
        {
            "classifier": ["b", "b", "a", "a"],
            "tp": [1, 3, 2, 2],
            "fn": [1, 1, 2, 2],
            "fp": [0, 4, 1, 1],
            "tn": [10, 6, 9, 9],
        },
        index=[7, 7, 7, 7],
    )
    pooled = m.pooled(folds, "classifier")
    assert pooled.to_dict("index") == {
        "b": {"tp": 4, "fn": 2, "fp": 4, "tn": 16},
        "a": {"tp": 4, "fn": 4, "fp": 2, "tn": 18},
    }
    table = m.from_counts(pooled, metrics=["TPR", "PPV"])
    assert (
        table.attrs["folds"]
        == "pooled: the counts of the folds are added, then each metric is computed once"
    )
    assert table.loc["b"].tolist() == [4 / 6, 4 / 8]
    means = m.averaged(folds, "classifier", metrics=["TPR", "PPV"])
    assert (
        means.attrs["folds"] == "averaged: each metric is computed per fold, then its mean is taken"
    )
    assert means.loc["b"].tolist() == [(1 / 2 + 3 / 4) / 2, (1 + 3 / 7) / 2]
    assert means.index.tolist() == ["b", "a"]
    assert means.index.name == "classifier"
    pooled_counts = m.pooled(folds.assign(data="wine"), ["data", "classifier"])
    assert pooled_counts.index.tolist() == [("wine", "b"), ("wine", "a")]
    assert m.pooled(folds.set_index("classifier"), "classifier").equals(pooled)


def test_a_mean_over_an_undefined_fold_is_undefined():
    folds = pd.DataFrame(
        {
            "classifier": ["a"] * 3,
            "tp": [0, 1, 1],
            "fn": [2, 1, 1],
            "fp": [0, 1, 1],
            "tn": [8, 7, 7],
        }
    )
    means = m.averaged(folds, "classifier", metrics=["TPR", "PPV"])
    assert np.isnan(means.loc["a", "PPV"])
    assert means.loc["a", "TPR"] == pytest.approx(1 / 3)
    assert means.attrs["undefined"] == ("PPV of 'a' is undefined: it is undefined in 1 of 3 folds",)


@given(full, st.floats(0.01, 100))
@settings(deadline=None)
def test_lemma_of_appendix_c(row, k):
    """Chao et al. (2022), appendices B and C: the balancing cost falls linearly in the balanced
    accuracy.
    """
    counts = frame(row)
    p, n = row[0] + row[1], row[2] + row[3]
    t = m.from_counts(counts, costs=m.balancing_costs(p, n, k=k)).iloc[0]
    assert t["total_cost"] == pytest.approx(2 * k * p * n * (1 - t["balanced_accuracy"]), rel=1e-9)
    first_row = m.from_counts(counts).iloc[0]  # C_fp = 1, C_fn = N / P: appendix B with k = 1 / P
    assert first_row["balancing_cost"] == pytest.approx(
        2 * n * (1 - t["balanced_accuracy"]), rel=1e-9
    )
    assert first_row["balancing_cost"] == pytest.approx(t["total_cost"] / (k * p), rel=1e-9)


def test_usefulness_where_a_side_is_undefined():
    u = m.usefulness(frame((0, 5, 0, 5)))
    assert u.iloc[0].isna().tolist() == [True, False, False, True, False, False, False, False]
    assert not u.iloc[0].dropna().any()


def test_documented_catalogue_is_the_catalogue():
    text = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line] for line in lines]
    documented = {row[0].strip("`"): row for row in rows}
    catalogue = m.catalogue()
    assert list(documented) == [*catalogue.index, *m.SCORE_METRICS, *MORE_METRICS]
    for name, row in catalogue.iterrows():
        low, high = (
            f"{edge:g}".replace("inf", "∞").replace("-", "−") for edge in (row["low"], row["high"])
        )
        assert documented[name][1:4] == [row["formula"], f"{low} to {high}", row["better"]], name
    other_metrics = {**m.SCORE_METRICS, **MORE_METRICS}
    assert {name: documented[name][3] for name in other_metrics} == other_metrics
    assert set(m.DIRECTION) == set(documented)


GOOD = frame((6, 2, 3, 9))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: m.from_counts(GOOD.assign(fn=-1)),
            "the count 'fn' of 'c0' is -1; counts are whole numbers >= 0",
        ),
        (
            lambda: m.from_counts(GOOD.assign(tp=2.5)),
            "the count 'tp' of 'c0' is 2.5; counts are whole numbers >= 0",
        ),
        (
            lambda: m.from_counts(GOOD.assign(tn=np.nan)),
            "the count 'tn' of 'c0' is missing; counts are whole numbers >= 0",
        ),
        (
            lambda: m.from_counts(GOOD.assign(tn=np.inf)),
            "the count 'tn' of 'c0' is inf; counts are whole numbers >= 0",
        ),
        (
            lambda: m.from_counts(GOOD.assign(fp="x")),
            "the count 'fp' of 'c0' is the text 'x'; give a number",
        ),
        (
            lambda: m.from_counts(GOOD[["tp", "fn", "fp"]]),
            "there is no column 'tn' in the counts; give tp, fn, fp and tn",
        ),
        (
            lambda: m.from_counts(pd.concat([GOOD, GOOD[["tp"]]], axis=1)),
            "the column 'tp' appears more than once; give every count once",
        ),
        (
            lambda: m.from_counts([6, 2, 3, 9]),
            "counts is a list; give a DataFrame with the columns tp, fn, fp, tn",
        ),
        (
            lambda: m.from_counts(GOOD, metrics=["Gmean"]),
            "there is no metric 'Gmean'; did you mean 'G-mean'?",
        ),
        (
            lambda: m.from_counts(GOOD, metrics="TPR"),
            "metrics is the text 'TPR'; give a list of names, as ['TPR']",
        ),
        (
            lambda: m.from_counts(GOOD, metrics=[]),
            "metrics is empty; name at least one metric, or leave it out for all of them",
        ),
        (
            lambda: m.from_counts(GOOD, beta=-1),
            "beta is -1; the F measure needs a finite beta >= 0",
        ),
        (lambda: m.from_counts(GOOD, dominance=2), "dominance is 2; IBA needs an α from 0 to 1"),
        (
            lambda: m.from_counts(GOOD, costs={"tq": 1}),
            "costs names the cell 'tq'; the cells are tp, fn, fp and tn",
        ),
        (
            lambda: m.from_counts(GOOD, costs={"tp": np.nan}),
            "costs['tp'] is nan; costs are finite numbers",
        ),
        (
            lambda: m.from_counts(GOOD, weights={"tp": -1}),
            "weights['tp'] is -1; weights are finite numbers >= 0",
        ),
        (
            lambda: m.pooled(GOOD.assign(classifier="a"), "clasifier"),
            "there is no column 'clasifier' to group by; did you mean 'classifier'?",
        ),
        (lambda: m.balancing_costs(0, 5), "positives is 0; balancing costs need a number > 0"),
        (
            lambda: m.at_prevalence(GOOD, 0.5),
            "there is no column 'TPR' in the rates; give TPR and TNR, as from_counts does",
        ),
        (
            lambda: m.at_prevalence(m.from_counts(GOOD).assign(TNR=1.2), 0.5),
            "TNR of 'c0' is 1.2; a rate lies between 0 and 1",
        ),
        (
            lambda: m.at_prevalence(m.from_counts(GOOD), 1),
            "the prevalence 1 is not between 0 and 1; both classes must occur",
        ),
        (
            lambda: m.at_prevalence(m.from_counts(GOOD), [0.1, 0.2]),
            "2 prevalences for 1 rows; give one number, or one for each row",
        ),
        (
            lambda: m.at_prevalence(m.from_counts(GOOD), pd.Series({"x": 0.1})),
            "there is no prevalence for 'c0'; give one for each row",
        ),
    ],
)
def test_bad_input_is_named(call, text, refused):
    with refused(text):
        call()


def test_an_undefined_rate_leaves_the_row_undefined():
    t = m.at_prevalence(
        m.from_counts(frame((0, 0, 1, 9), (1, 1, 1, 9))), 0.5, metrics=["PPV", "accuracy"]
    )
    assert t.isna().all(axis=1).tolist() == [True, False]
    assert t.attrs["undefined"] == ("the metrics of 'c0' are undefined: its TPR or TNR is missing",)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_f_at_beta_0_is_precision() -> None:
    counts = pd.DataFrame(
        {"tp": [3, 0], "fp": [1, 2], "fn": [2, 5], "tn": [4, 1]}, index=["a", "b"]
    )
    table = m.from_counts(counts, beta=0)
    assert table["F0"].tolist() == [0.75, 0.0]
    nothing = pd.DataFrame({"tp": [0], "fp": [0], "fn": [5], "tn": [1]}, index=["c"])
    assert m.from_counts(pd.concat([counts, nothing]), beta=0)["F0"].isna().tolist() == [
        False,
        False,
        True,
    ]


def test_rows_of_answers_or_counts_have_the_metrics_that_are_named() -> None:
    """Two of three positives, one of two negatives."""
    answers = pd.DataFrame(
        {"classifier": "a", "y_true": [1, 1, 1, 0, 0], "y_pred": [1, 1, 0, 0, 1]}
    )
    counts = pd.DataFrame({"classifier": ["a"], "tp": [2], "fn": [1], "fp": [1], "tn": [1]})
    for rows in (answers.assign(instance=range(5)), counts):
        metrics = metrics_of_rows(rows, metrics=["TNR", "TPR"])
        assert metrics.columns.tolist() == ["TNR", "TPR"]
        assert metrics.loc["a"].tolist() == pytest.approx([1 / 2, 2 / 3])
    # The other class as positive turns the two around.
    turned = metrics_of_rows(answers.assign(instance=range(5)), metrics=["TNR"], positive=0)
    assert turned.loc["a"].tolist() == pytest.approx([2 / 3])


def test_usefulness_without_negative_labels_has_no_odds_nor_negative_predictive_value():
    u = m.usefulness(frame((5, 0, 5, 0)))
    assert u.columns[u.iloc[0].isna()].tolist() == ["DOR > 1", "NPV > 1 - prevalence"]
