"""Samples of every kind: what they hold, what they assume and say, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

Y = np.repeat([1, 0], [40, 60])


def labels(tp, tn):
    return np.r_[np.ones(tp), np.zeros(40 - tp), np.zeros(tn), np.ones(60 - tn)].astype(int)


PREDICTIONS = {"a": labels(35, 50), "b": labels(30, 55), "c": labels(20, 40)}
FOLDS = pd.DataFrame({"classifier": ["a", "b"] * 2, "fold": [1, 1, 2, 2], "F1": [0.5, 0.6, 0.7, 1]})
HITS = pd.DataFrame({"a": [1.0, 0.0, 1.0], "b": [0.0, 1.0, 1.0]})
THREE = list("abc") * 2
SHARES = pd.DataFrame(np.full((6, 3), 1 / 3), columns=list("abc"))


def test_predictions_and_counts_agree_but_for_the_covariance():
    paired = db.Samples.from_predictions(Y, PREDICTIONS, positive=1, metrics=("TPR", "TNR", "F1"))
    counts = db.metrics.count(Y, PREDICTIONS, positive=1)
    separate = db.Samples.from_counts(counts, metrics=("TPR", "TNR", "F1"))
    pd.testing.assert_frame_equal(paired.values, separate.values)
    np.testing.assert_allclose(paired.to_frame(), separate.to_frame(), rtol=1e-12)
    assert separate.moments.sampling[0][0, 1] == 0 < paired.moments.sampling[0][0, 1]
    assert "independence of the systems is assumed" in " ".join(separate.notes)
    assert paired.summary().splitlines()[0] == (
        "3 systems, 3 metrics (TPR, TNR, F1); 40 positive instances, 60 negative instances; "
        "paired: all systems answered the same instances."
    )


def test_scores_at_a_threshold_are_predictions():
    rng = np.random.default_rng(0)
    scores = {name: Y * 0.8 + rng.normal(size=100) for name in "ab"}
    scored = db.Samples.from_scores(
        Y, scores, threshold={"a": 0.3, "b": 0.5}, positive=1, metrics=("TPR", "TNR")
    )
    cuts = {"a": 0.3, "b": 0.5}
    predicted = db.Samples.from_predictions(
        Y, {name: (s >= cuts[name]).astype(int) for name, s in scores.items()}, positive=1
    )
    pd.testing.assert_frame_equal(scored.values, predicted.values)
    np.testing.assert_allclose(scored.moments.joint(1.0), predicted.moments.joint(1.0), rtol=1e-12)


def test_nadeau_bengio_and_students_t():
    """Ten folds: (1/10 + 1/9) s² of the mean; fewer than ten are warned of."""
    rng = np.random.default_rng(1)
    rows = [
        (f"c{i}", fold, 0.8 + 0.01 * i + 0.03 * rng.normal())
        for i in range(3)
        for fold in range(10)
    ]
    frame = pd.DataFrame(rows, columns=["classifier", "fold", "F1"])
    samples = db.Samples.from_folds(frame)
    wide = frame.pivot(index="fold", columns="classifier", values="F1")
    expected = wide.cov() * (1 / 10 + 1 / 9) / np.outer(wide.mean(), wide.mean())
    np.testing.assert_allclose(samples.moments.sampling[0], expected, rtol=1e-12)
    assert samples.moments.degrees.tolist() == [9]
    assert samples.notes[0] == (
        "the folds share training data: Nadeau and Bengio's variance (1/10 + 0.111) s² is right "
        "only if folds are correlated at "
        "about 0.1, which the data cannot tell; at a higher correlation the intervals are too "
        "narrow"
    )
    assert samples.notes[0][1:] in db.uncertainty(samples).summary()
    independent = db.Samples.from_datasets(frame.rename(columns={"fold": "dataset"}))
    np.testing.assert_allclose(
        independent.moments.sampling[0], expected * (1 / 10) / (1 / 10 + 1 / 9), rtol=1e-12
    )


def test_few_blocks_are_warned_of(warned):
    frame = pd.DataFrame(
        {"classifier": list("aabb"), "fold": [1, 2, 1, 2], "F1": [0.7, 0.8, 0.75, 0.7]}
    )
    with warned("2 folds are few: their spread is hardly known, and the intervals are wide for it"):
        db.Samples.from_folds(frame)


def test_folds_of_counts_have_the_small_sample_rule():
    rows = [
        (name, f, tp, 4 - tp, 2, 28)
        for name, hits in (("a", [4, 3] * 5), ("b", [4, 3] * 5))
        for f, tp in enumerate(hits)
    ]
    samples = db.Samples.from_folds(
        pd.DataFrame(rows, columns=["classifier", "fold", "tp", "fn", "fp", "tn"])
    )
    np.testing.assert_allclose(samples.moments.ridge, [[1 / 35**2, 1 / 280**2]] * 2)
    uncertainty = db.uncertainty(samples)
    assert (uncertainty.lower < 1).all()
    assert (uncertainty.scores == 1).all()


def test_data_sets_add_their_folds():
    table = db.datasets.load("keel67").reset_index()
    subset = table[
        table["dataset"].isin(table["dataset"].unique()[:12])
        & table["classifier"].isin(table["classifier"].unique()[:3])
    ]
    samples = db.Samples.from_datasets(subset, metrics=["TPR", "TNR"])
    pooled = db.metrics.from_counts(
        subset.groupby(["dataset", "classifier"])[["tp", "fn", "fp", "tn"]].sum(),
        metrics=["TPR", "TNR"],
    )
    expected = pooled.groupby("classifier").mean().loc[samples.values.index]
    np.testing.assert_allclose(samples.values, expected, rtol=1e-13)
    assert samples.sizes == {"data sets": 12}


def test_a_weighted_mean_is_one_metric():
    samples = db.Samples.from_predictions(Y, PREDICTIONS, positive=1)
    mean_samples = samples.weighted({"TPR": 3, "TNR": 1})
    expected_mean = samples.values["TPR"] * 0.75 + samples.values["TNR"] * 0.25
    np.testing.assert_allclose(mean_samples.values["weighted"], expected_mean, rtol=1e-14)
    hits = np.array([PREDICTIONS[name] == Y for name in "abc"])
    expected = (
        np.cov(hits[:, :40]) / 40 * 0.75**2 + np.cov(hits[:, 40:]) / 60 * 0.25**2
    ) / np.outer(expected_mean, expected_mean)
    np.testing.assert_allclose(mean_samples.moments.sampling[0], expected, rtol=1e-11)


def test_no_success_is_half_a_success():
    """TPR = 0 is never excluded and its interval is wide; the score itself takes the 0 as it
    stands.
    """
    samples = db.Samples.from_predictions(Y, {**PREDICTIONS, "never": labels(0, 60)}, positive=1)
    uncertainty = db.uncertainty(samples)
    assert samples.values.loc["never", "TPR"] == 0
    with pytest.warns(db.DataWarning, match="4 rows for 2 metrics"):
        assert uncertainty.scores["never"] == pytest.approx(db.rank(samples.values).scores["never"])
    intervals = db.uncertainty(samples, outputs=["TPR"])
    assert intervals.scores["never"] == 0
    assert intervals.upper["never"] - intervals.lower["never"] > 0.4
    assert intervals.lower["never"] == pytest.approx(0, abs=1e-3)


def test_duplicates_are_said_and_never_told_apart():
    samples = db.Samples.from_predictions(Y, {**PREDICTIONS, "again": PREDICTIONS["a"]}, positive=1)
    assert samples.notes[-1] == (
        "'a' and 'again' answer alike on every instance: what sets them apart is the "
        "small-sample rule alone"
    )
    uncertainty = db.uncertainty(samples)
    assert uncertainty.lower["a"] == uncertainty.lower["again"] < 1
    assert uncertainty.verdicts["a"] == uncertainty.verdicts["again"] == "undecided"


def test_a_perfect_area_keeps_a_width():
    y = np.repeat([1, 0], [10, 30])
    samples = db.Samples.from_scores(
        y, {"a": y + 0.0, "b": y + 0.1, "c": y * np.r_[np.zeros(2), np.ones(38)] + 0.0}, positive=1
    )
    uncertainty = db.uncertainty(samples)
    assert uncertainty.lower["a"] < 0.95
    assert uncertainty.upper["a"] == 1
    assert "Few errors: the intervals rest on the small-sample rule" in uncertainty.summary()


def weighted_outcomes(weights):
    """Right answers of three instances with sample weights."""
    hits = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})
    return db.Samples.from_outcomes({"accuracy": hits}, sample_weight=weights)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: db.Samples.from_predictions(Y, {"a": Y}, positive=1),
            "there is one system, 'a'; efficiency compares, give at least two",
        ),
        (
            lambda: db.Samples.from_predictions(
                np.repeat([1, 0], [1, 9]), {"a": [1] * 10, "b": [0] * 10}
            ),
            "there is one positive instance; an interval needs two of each class",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1, metrics=["TRP"]),
            "the uncertainty of metric 'TRP' is not known; did you mean 'TPR'?",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1, metrics="TPR"),
            "metrics is the text 'TPR'; give a list of names, as ['TPR']",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1, metrics=["roc_auc"]),
            "metric 'roc_auc' needs scores; give them with Samples.from_scores",
        ),
        (
            lambda: db.Samples.from_scores(Y, {"a": Y, "b": Y}, positive=1, metrics=["F1"]),
            "metric 'F1' needs labels; give a threshold, or predictions with "
            "Samples.from_predictions",
        ),
        (
            lambda: db.Samples.from_scores(Y, {"a": Y, "b": Y}, positive=1, threshold={"a": 0.5}),
            "there is no threshold for 'b'; give one for every system, or one for all",
        ),
        (
            lambda: db.Samples.from_predictions(
                Y, {"a": Y, "none": 0 * Y}, positive=1, metrics=["PPV"]
            ),
            "metric 'PPV' of 'none' is undefined; efficiencies are ratios and need values >= 0, "
            "choose another metric or leave the "
            "system out",
        ),
        (
            lambda: db.Samples.from_counts(
                pd.DataFrame(
                    {"tp": [1, 2], "fn": [1, 1], "fp": [1, 1], "tn": [3, 3]}, index=["a", "b"]
                )
            ),
            "'b' has 3 positive instances and 'a' has 2; give all systems the same test "
            "instances, or a table with errors to "
            "Samples.from_table",
        ),
        (
            lambda: db.Samples.from_outcomes({"right": pd.DataFrame({"a": [1, 0], "b": [0, 2]})}),
            "the outcome 'right' of 'b' for instance 2 is 2; outcomes are numbers from 0 to 1",
        ),
        (
            lambda: db.Samples.from_folds(
                pd.DataFrame({"classifier": ["a", "b"], "fold": [1, 1], "F1": [0.5, 0.6]})
            ),
            "there is one fold; the spread between folds needs at least 2, better 10 or more",
        ),
        (
            lambda: db.Samples.from_folds(FOLDS, ratio=0),
            "the ratio of test to training size is 0; give a positive number, 1/9 for ten folds",
        ),
        (
            lambda: db.Samples.from_folds([1, 2]),
            "the results are a list; give a DataFrame with the columns classifier, fold",
        ),
        (
            lambda: db.Samples.from_folds(FOLDS, metrics="F1"),
            "metrics is the text 'F1'; give a list of names, as ['F1']",
        ),
        (
            lambda: db.Samples.from_folds(FOLDS, metrics=["F2"]),
            "there is no metric 'F2' in the results; there are 'F1'",
        ),
        (
            lambda: db.Samples.from_folds(FOLDS[["classifier", "fold"]]),
            "the results hold no metric; add a numeric column, or the counts tp, fn, fp and tn",
        ),
        (
            lambda: db.Samples.from_outcomes([1]),
            "the outcomes are no mapping; give {metric: DataFrame of instances x systems}",
        ),
        (
            lambda: db.Samples.from_outcomes({"TPR": HITS, "TNR": HITS.rename(columns={"b": "c"})}),
            "the outcomes of 'TNR' are of other systems than those of the first metric; give the "
            "same columns",
        ),
        (
            lambda: db.Samples.from_outcomes({"TPR": HITS.iloc[:1]}),
            "the outcomes of 'TPR' hold 1 instances; give at least 2",
        ),
        (
            lambda: db.Samples.from_outcomes({"TPR": HITS, "TNR": HITS.iloc[:2]}, shared=True),
            "the metrics have 3, 2 instances and shared=True; give the outcomes of the same "
            "instances",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, metrics=["TPR", "TPR"]),
            "metric 'TPR' is given twice; name it once",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, design="clusters"),
            "design 'clusters' needs clusters=; give the cluster of each instance",
        ),
        (
            lambda: db.Samples.from_predictions(
                Y, PREDICTIONS, design="classes", clusters=np.arange(100) // 5
            ),
            "clusters= draw whole clusters; leave design='classes' out",
        ),
        (
            lambda: db.Samples.from_table(HITS.iloc[:1], {"a": 0.1}),
            "the table has fewer than two rows; efficiency compares, give at least two systems",
        ),
        (
            lambda: db.Samples.from_table(HITS + 1, pd.DataFrame({"a": [0.1] * 3})),
            "there is no standard error of 'b'; there are 'a'",
        ),
        (
            lambda: db.Samples.from_table(HITS + 1, pd.DataFrame({"a": [0.1], "b": 0.1})),
            "there is no standard error for '1'; there are '0'",
        ),
        (
            lambda: db.Samples.from_table(HITS + 1, 0.1 * (HITS + 1)).with_costs({"a": {}}),
            "there is a column 'a' already; give the cost a name of its own",
        ),
        (
            lambda: db.uncertainty(db.Samples.from_outcomes({"TPR": HITS}), outputs=["TPR", "TPR"]),
            "metric 'TPR' is named twice; name it once, as an output or as an input",
        ),
        (
            lambda: db.Samples.from_class_scores(THREE, {"m": SHARES, "n": SHARES[["a", "b"]]}),
            "the scores of 'n' have no column 'c'; give a DataFrame with a column per class",
        ),
        (
            lambda: db.Samples.from_class_scores(
                THREE, {"m": SHARES, "n": SHARES}, metrics=["roc_auc[d]"]
            ),
            "the uncertainty of metric 'roc_auc[d]' is not known; did you mean 'roc_auc[c]'?",
        ),
        (
            lambda: db.Samples.from_classes(THREE, {"m": THREE, "n": THREE}, metrics=[]),
            "metrics is empty; name at least one metric, as 'recall'",
        ),
        (
            lambda: db.Samples.from_folds(
                pd.DataFrame(
                    {"classifier": ["a", "b", "a"], "fold": [1, 1, 2], "F1": [0.5, 0.6, 0.7]}
                )
            ),
            "'b' stands on 0 rows for fold '2'; give exactly one",
        ),
        (
            lambda: db.Samples.from_folds(
                pd.DataFrame(
                    {"classifier": ["a", "b"] * 2, "fold": [1, 1, 2, 2], "F1": [0.5, 0.6, None, 1]}
                )
            ),
            "metric 'F1' of 'a' for fold '2' is undefined; give numbers >= 0, or leave the "
            "metric or the block out",
        ),
        (
            lambda: db.Samples.from_datasets(pd.DataFrame({"clf": ["a"], "dataset": ["x"]})),
            "there is no column 'classifier' in the results; there are 'clf', 'dataset'",
        ),
        (
            lambda: db.Samples.from_table(
                pd.DataFrame({"F1": [0.5, 0.6]}, index=["a", "b"]), {"F1": -1}
            ),
            "the standard error of 'F1' of 'a' is -1; give a number >= 0",
        ),
        (
            lambda: db.Samples.from_table(
                pd.DataFrame({"F1": [0.5, 0]}, index=["a", "b"]), {"F1": 0.1}
            ),
            "metric 'F1' of 'b' is 0; intervals of ratios need numbers > 0",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1).with_costs(
                {"ms": {"a": 1, "b": 0, "c": 3}}
            ),
            "cost 'ms' of 'b' is 0; intervals of ratios need numbers > 0",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1).with_costs(
                {"ms": {"a": 1, "b": 3}}
            ),
            "there is no cost 'ms' for 'c'; there are 'a', 'b'",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1).with_costs(
                {"ms": {"a": 1, "b": 3, "c": [1.0]}}
            ),
            "metric 'ms' of 'c' is missing; give a finite number, or leave the row or the column "
            "out",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1, metrics=[]),
            "metrics is empty; name at least one metric, as 'TPR'",
        ),
        (
            lambda: db.Samples.from_predictions(Y, PREDICTIONS, positive=1).weighted({"TPR": 0}),
            "the weights are all 0; give one of them a number > 0",
        ),
        (
            lambda: db.uncertainty(
                db.Samples.from_predictions(Y, PREDICTIONS, positive=1), outputs=["TPRR"]
            ),
            "there is no metric 'TPRR' in the samples; did you mean 'TPR'?",
        ),
        (
            lambda: db.uncertainty(
                db.Samples.from_predictions(Y, PREDICTIONS, positive=1), level=95
            ),
            "level is 95; give a number between 0 and 1, both excluded, as 0.95",
        ),
        (
            lambda: weighted_outcomes([0, 0, 0]),
            "every instance has the sample weight 0; give one of them a weight > 0",
        ),
        (
            lambda: weighted_outcomes([1, 1]),
            "2 sample weights for 3 instances; give one for each",
        ),
        (
            lambda: weighted_outcomes([1, -1, 1]),
            "the sample weight of instance 2 is -1; weights are numbers >= 0",
        ),
        (
            lambda: db.uncertainty(
                db.Samples.from_predictions(Y, PREDICTIONS, positive=1), method="bootstrap"
            ),
            "method 'bootstrap' is not known; it is one of 'analytic', 'max-t', 'anytime'",
        ),
    ],
)
def test_what_is_refused(refused, make, text):
    with refused(text):
        make()


@pytest.mark.parametrize("name", ["=cmd()", "a'b", "<b>x</b>", "x\ny", "é", "1"])
def test_hostile_names_are_names(name):
    uncertainty = db.uncertainty(
        db.Samples.from_predictions(Y, {name: PREDICTIONS["a"], "b": PREDICTIONS["b"]}, positive=1)
    )
    assert name in uncertainty.scores.index
    assert name in uncertainty.explain(name)
    assert "<b>x</b>" not in uncertainty._repr_html_()


def test_values_without_ratios_leave_verdicts():
    """An MCC of -1 has no ratio: scores are unknown, and 'worse' is still shown to be dominated."""
    samples = db.Samples.from_predictions(Y, {"a": Y, "worse": 1 - Y}, positive=1, metrics=["MCC"])
    answer = db.uncertainty(samples)
    assert answer.scores.isna().all()
    assert answer.verdicts.to_dict() == {"a": "undecided", "worse": "dominated"}
    assert (
        "Metric 'MCC' of 'worse' is -1, which has no ratios, so scores, limits and ranks are not "
        "known; verdicts need differences alone."
    ) in answer.summary()


def test_a_metric_that_everybody_fails_is_said():
    answer = db.uncertainty(db.Samples.from_predictions(Y, {"a": 0 * Y, "b": 0 * Y}, positive=1))
    assert answer.scores.isna().all()
    assert (answer.verdicts == "undecided").all()
    for name in ("gaps", "targets"):
        with pytest.raises(DataError, match=f"has no ratios, so there are no {name}"):
            getattr(answer, name)
    assert "Metric 'TPR' is 0 for every system" in answer.summary()


def test_text_among_the_scores_is_refused():
    with pytest.raises(
        DataError, match="the score of 'a' for instance 1 is 'high'; give a finite number"
    ):
        db.Samples.from_scores(Y, {"a": ["high"] * 100, "b": Y}, positive=1)


def test_a_cost_that_is_written_as_text_is_a_number():
    samples = db.Samples.from_predictions(Y, PREDICTIONS, positive=1)
    costs = {name: str(k) for k, name in enumerate(PREDICTIONS, start=1)}
    timed = samples.with_costs({"ms": costs})
    assert timed.values["ms"].tolist() == list(range(1, len(PREDICTIONS) + 1))
    assert timed.moments.logs[:, -1] == pytest.approx(np.log(timed.values["ms"]))


def test_a_mean_has_the_fewest_degrees_of_freedom_of_its_metrics():
    timings = pd.DataFrame({name: [1.0, 1.1, 0.9] for name in PREDICTIONS})
    samples = db.Samples.from_predictions(Y, PREDICTIONS, positive=1)
    timed = samples.with_costs({"ms": timings})
    degrees = dict(zip(timed.values.columns, timed.moments.degrees, strict=True))
    assert np.isinf(degrees["TPR"])
    assert degrees["ms"] == 2
    assert timed.weighted({"TPR": 1, "ms": 1}).moments.degrees.tolist() == [2]
