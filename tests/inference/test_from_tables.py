"""A table of any kind gives the samples that its single results make."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.inference.samples.from_tables import samples_of_table
from deabench.tables.answers import with_metrics

# Small tables suffice here, and say so in a warning.
pytestmark = pytest.mark.filterwarnings("ignore:.*:deabench.errors.DataWarning")
Y = np.repeat([1, 0], [40, 60])


def answers(seed: int, accuracy: float = 0.8) -> np.ndarray:
    """Return labels that are right with some probability."""
    return np.where(np.random.default_rng(seed).random(100) < accuracy, Y, 1 - Y)


def scores(seed: int) -> np.ndarray:
    return Y + np.random.default_rng(seed).normal(size=100)


def long_rows(value: str, columns: dict[str, np.ndarray], y=Y, **more: object) -> pd.DataFrame:
    """Return one answer per row."""
    parts = [
        pd.DataFrame({"classifier": name, "instance": range(1, len(y) + 1), "y_true": y, value: v})
        for name, v in columns.items()
    ]
    return pd.concat(parts, ignore_index=True).assign(**more)


def table_of(kind: str, rows: pd.DataFrame) -> db.Table:
    """Return a table as `read` makes it: without metrics, with the single results."""
    names = list(dict.fromkeys(rows["classifier"]))
    frame = pd.DataFrame(index=pd.Index(names, name="classifier"))
    return db.Table(frame, (), label=("classifier",), kind=kind, rows=rows)


def assert_same_samples(samples: db.Samples, expected: db.Samples) -> None:
    pd.testing.assert_frame_equal(samples.to_frame(), expected.to_frame(), check_names=False)


def test_predictions_scores_and_counts_are_the_samples_of_their_own():
    labels = {"a": answers(0), "b": answers(1)}
    table = table_of("predictions", long_rows("y_pred", labels))
    assert_same_samples(samples_of_table(table), db.Samples.from_predictions(Y, labels))
    names = ["F1", "accuracy"]
    assert_same_samples(
        samples_of_table(table, outputs=names),
        db.Samples.from_predictions(Y, labels, metrics=names),
    )
    values = {"a": scores(0), "b": scores(1)}
    table = table_of("scores", long_rows("score", values))
    assert_same_samples(samples_of_table(table), db.Samples.from_scores(Y, values))
    assert_same_samples(
        samples_of_table(table, threshold=0.5), db.Samples.from_scores(Y, values, threshold=0.5)
    )
    counts = db.metrics.count(Y, labels)
    table = table_of("counts", counts.reset_index())
    assert_same_samples(samples_of_table(table), db.Samples.from_counts(counts))


def test_labels_with_scores_give_rates_and_the_area():
    labels = {"a": answers(0), "b": answers(1)}
    values = {"a": scores(0), "b": scores(1)}
    rows = long_rows("y_pred", labels).assign(score=np.concatenate(list(values.values())))
    samples = samples_of_table(table_of("predictions", rows))
    assert samples.values.columns.tolist() == ["TPR", "TNR", "roc_auc"]
    rates = db.Samples.from_predictions(Y, labels).to_frame()
    area = db.Samples.from_scores(Y, values).to_frame()
    frame = samples.to_frame()
    pd.testing.assert_frame_equal(frame[rates.columns], rates)
    pd.testing.assert_frame_equal(frame[area.columns], area)


def test_rows_in_any_order_and_a_named_class():
    labels = {"a": answers(0), "b": answers(1)}
    rows = long_rows("y_pred", labels)
    shuffled = rows.sample(frac=1, random_state=0)
    samples = samples_of_table(table_of("predictions", shuffled))
    expected = db.Samples.from_predictions(Y, labels).to_frame()
    assert samples.to_frame().loc[["a", "b"]].round(12).equals(expected.round(12))
    reversed_class = samples_of_table(table_of("predictions", rows), positive=0)
    assert reversed_class.values["TPR"].tolist() == expected["TNR"].tolist()


def test_more_than_two_classes_have_the_recall_of_each():
    rng = np.random.default_rng(3)
    y = np.repeat(["x", "y", "z"], 30)
    labels = {
        name: np.where(rng.random(90) < share, y, rng.choice(["x", "y", "z"], 90))
        for name, share in (("a", 0.95), ("b", 0.2))
    }
    table = table_of("predictions", long_rows("y_pred", labels, y))
    samples = samples_of_table(table)
    expected = db.metrics.from_classes(y, labels, metrics=["recall"])
    pd.testing.assert_frame_equal(samples.values, expected, check_names=False)
    # A recall is a mean of zeros and ones over 30 instances.
    recall = expected["recall[x]"]
    error = np.sqrt(recall * (1 - recall) / 29)
    assert samples.to_frame()["recall[x]_se"].tolist() == pytest.approx(error.tolist())
    ranking = db.rank(table)
    assert list(ranking.data.outputs) == ["recall[x]", "recall[y]", "recall[z]"]
    assert ranking.uncertainty.verdicts["b"] == "dominated"
    # One class against the rest has two rates again.
    assert list(samples_of_table(table, positive="x").values) == ["TPR", "TNR"]
    # Many classes have one metric.
    many = np.tile(np.arange(10), 9)
    labels = {name: np.where(rng.random(90) < 0.7, many, 0) for name in "ab"}
    samples = samples_of_table(table_of("predictions", long_rows("y_pred", labels, many)))
    assert list(samples.values) == ["accuracy"]


def test_data_sets_of_predictions_are_averaged_with_their_own_errors():
    """The variance of a mean of independent data sets is Σ Var y_d / D²."""
    parts = {}
    for k, name in enumerate(("one", "two", "three")):
        parts[name] = {"a": answers(k), "b": answers(k + 9, 0.7)}
    rows = pd.concat(
        [long_rows("y_pred", labels, dataset=name) for name, labels in parts.items()],
        ignore_index=True,
    )
    table = table_of("predictions", rows)
    samples = samples_of_table(table)
    frames = [db.Samples.from_predictions(Y, labels).to_frame() for labels in parts.values()]
    mean = sum(frame["TPR"] for frame in frames) / 3
    variance = sum(frame["TPR_se"] ** 2 for frame in frames) / 9
    assert samples.values["TPR"].tolist() == pytest.approx(mean.tolist())
    assert samples.to_frame()["TPR_se"].tolist() == pytest.approx(np.sqrt(variance).tolist())
    assert samples.sizes == {"positive instances": 120, "negative instances": 180}
    assert "mean over 3 data sets that are taken as given" in samples.notes[0]
    ranking = db.rank(table)
    assert ranking.data.outputs["TPR"].tolist() == pytest.approx(mean.tolist())
    assert ranking.uncertainty.scores.tolist() == pytest.approx(ranking.scores.tolist())
    by_dataset = db.by_dataset(table)
    assert list(by_dataset.each.index) == ["one", "two", "three"]


def blocks(key: str, count: int, **more: object) -> pd.DataFrame:
    """Return metrics of two systems by block."""
    rng = np.random.default_rng(5)
    rows = [
        {"model": name, key: k, "accuracy": base + 0.02 * rng.random(), "error": 0.3 * rng.random()}
        for name, base in (("a", 0.8), ("b", 0.7))
        for k in range(count)
    ]
    return pd.DataFrame(rows).assign(**more)


def long_table(frame: pd.DataFrame) -> db.Table:
    """Return a long table as `read` makes it, with its single results."""
    table = db.read(frame)
    names = {"model": "classifier", "task": "dataset"}
    return replace(table, kind="long", rows=frame.rename(columns=names))


def test_seeds_are_the_samples_of_a_long_table():
    frame = blocks("seed", 12)
    table = long_table(frame)
    samples = samples_of_table(table)
    # The error rate enters as its complement.
    groups = frame.assign(error=1 - frame["error"]).groupby("model")[["accuracy", "error"]]
    assert samples.values.round(12).equals(groups.mean().round(12))
    error = groups.std() / np.sqrt(12)
    assert samples.to_frame()["accuracy_se"].tolist() == pytest.approx(error["accuracy"].tolist())
    assert samples.to_frame()["error_se"].tolist() == pytest.approx(error["error"].tolist())
    assert samples.moments.degrees.tolist() == [11, 11]
    assert samples.sizes == {"runs": 12}
    assert "hold for other runs on the same test data" in " ".join(samples.notes)
    ranking = db.rank(table)
    assert ranking.uncertainty.samples.values.round(12).equals(samples.values.round(12))


def test_folds_take_nadeau_and_bengio():
    frame = blocks("fold", 10)
    samples = samples_of_table(long_table(frame), outputs=["accuracy"])
    expected = db.Samples.from_folds(frame, metrics=["accuracy"])
    assert_same_samples(samples, expected)


def test_seeds_of_several_tasks_count_with_their_mean_over_the_tasks():
    parts = [blocks("seed", 12, task=task) for task in ("one", "two")]
    parts[1]["accuracy"] += 0.1 * np.sin(np.arange(24))
    frame = pd.concat(parts, ignore_index=True)
    samples = samples_of_table(long_table(frame), outputs=["accuracy"])
    means = frame.groupby(["model", "seed"])["accuracy"].mean().groupby("model")
    assert samples.values["accuracy"].tolist() == pytest.approx(means.mean().tolist())
    error = means.std() / np.sqrt(12)
    assert samples.to_frame()["accuracy_se"].tolist() == pytest.approx(error.tolist())
    assert "taken as given" in samples.notes[0]
    # A task without a result in some run restricts the comparison to the others.
    incomplete = frame.drop(index=frame.index[-1])
    samples = samples_of_table(long_table(incomplete), outputs=["accuracy"])
    first = parts[0].groupby("model")["accuracy"].mean()
    assert samples.values["accuracy"].tolist() == pytest.approx(first.tolist())


def test_runs_of_other_seeds_are_matched_by_their_order():
    frame = blocks("seed", 12)
    frame.loc[frame["model"] == "b", "seed"] += 100
    samples = samples_of_table(long_table(frame), outputs=["accuracy"])
    same = samples_of_table(long_table(blocks("seed", 12)), outputs=["accuracy"])
    assert_same_samples(samples, same)


def test_costs_of_a_long_table_stay_costs():
    frame = blocks("seed", 12).assign(latency_ms=lambda f: np.where(f["model"] == "a", 20.0, 5.0))
    samples = samples_of_table(long_table(frame))
    assert samples.costs == ("latency_ms",)
    assert samples.values["latency_ms"].tolist() == [20, 5]
    ranking = db.rank(long_table(frame))
    assert ranking.uncertainty.verdicts.index.tolist() == ["a", "b"]


def board(**bars: pd.DataFrame) -> db.Table:
    """Return a board whose metrics have error bars."""
    frame = pd.DataFrame(
        {"accuracy": [0.9, 0.8, 0.7], "F1": [0.6, 0.7, 0.5], "price": [3.0, 2.0, 2.5]},
        index=pd.Index(["a", "b", "c"], name="model"),
    )
    errors = {"accuracy": ("accuracy_lower", "accuracy_upper")}
    return replace(db.read(frame), error_bars=bars, errors=errors)


def test_error_bars_are_normal_errors_on_the_scale_of_the_metric():
    index = pd.Index(["a", "b", "c"], name="model")
    intervals = pd.DataFrame({"low": [0.88, 0.77, 0.69], "high": [0.92, 0.84, 0.71]}, index)
    errors = pd.DataFrame({"standard_error": [0.01, 0.02, 0.03]}, index)
    table = board(accuracy=intervals, F1=errors)
    samples = samples_of_table(table)
    frame = samples.to_frame()
    expected = np.array([0.04, 0.07, 0.02]) / (2 * 1.959963984540054)
    assert frame["accuracy_se"].tolist() == pytest.approx(expected.tolist())
    assert frame["F1_se"].tolist() == pytest.approx([0.01, 0.02, 0.03])
    assert frame["price_se"].tolist() == [0, 0, 0]
    assert samples.costs == ("price",)
    text = " ".join(samples.notes)
    assert "'accuracy_lower', 'accuracy_upper': taken as 95 % intervals of 'accuracy'" in text
    assert "which is assumed" in text
    assert "independence of the systems and of the metrics is assumed" in text
    ranking = db.rank(table)
    assert ranking.uncertainty.verdicts["c"] == "dominated"
    assert {"lower", "upper"} <= set(ranking.to_frame().columns)


def test_the_name_of_an_interval_may_state_its_level():
    index = pd.Index(["a", "b", "c"], name="model")
    intervals = pd.DataFrame({"low": [0.88, 0.77, 0.69], "high": [0.92, 0.84, 0.71]}, index)
    table = replace(board(accuracy=intervals), errors={"accuracy": ("acc_ci90_low", "acc_ci90_hi")})
    samples = samples_of_table(table)
    expected = np.array([0.04, 0.07, 0.02]) / (2 * 1.6448536269514722)
    assert samples.to_frame()["accuracy_se"].tolist() == pytest.approx(expected.tolist())
    assert "which is assumed" not in " ".join(samples.notes)
    assert "'F1' has no error bars and counts as exact" in samples.notes


def test_an_interval_that_is_not_there_for_all_leaves_the_ranking_without():
    index = pd.Index(["a", "b", "c"], name="model")
    errors = pd.DataFrame({"standard_error": [0.01, np.nan, 0.03]}, index)
    ranking = db.rank(board(F1=errors))
    assert ranking.uncertainty is None
    assert any("no intervals: 'F1' of 'b' has no error bars" in note for note in ranking.notes)


def test_a_model_without_intervals_is_ranked_without():
    index = pd.Index(["a", "b", "c"], name="model")
    errors = pd.DataFrame({"standard_error": [0.01, 0.02, 0.03]}, index)
    ranking = db.rank(board(F1=errors), model="sbm")
    assert ranking.uncertainty is None
    assert any("no intervals: model 'sbm' has no intervals" in note for note in ranking.notes)


def test_gate_and_uncertainty_take_tables_rankings_and_uncertainties():
    labels = {"a": answers(0), "b": answers(1, 0.9)}
    table = table_of("predictions", long_rows("y_pred", labels))
    expected = db.gate(db.Samples.from_predictions(Y, labels), "b")
    for source in (table, db.rank(table), db.uncertainty(table)):
        gate = db.gate(source, "b")
        assert gate.to_dict() | {"notes": []} == expected.to_dict() | {"notes": []}
    assert db.uncertainty(db.rank(table)).scores.equals(db.uncertainty(table).scores)


def test_what_has_no_samples_is_told_what_to_give():
    table = pd.DataFrame({"accuracy": [0.9, 0.8], "F1": [0.7, 0.8]}, index=["a", "b"])
    text = "one number per system and metric, which tells no uncertainty; give predictions, counts"
    for call in (db.uncertainty, lambda source: db.gate(source, "a")):
        with pytest.raises(DataError, match=text):
            call(table)
        with pytest.raises(DataError, match="the ranking has no samples; give the file"):
            call(db.rank(table))
        with pytest.raises(DataError, match="the table is a float"):
            call(0.2)
        with pytest.raises(DataError, match="no_such"):
            call("no_such_file.csv")


def test_metrics_of_a_class_or_threshold_stay_those_of_the_samples():
    labels = {"a": answers(0), "b": answers(1)}
    table = with_metrics(table_of("predictions", long_rows("y_pred", labels)), positive=0)
    ranking = db.rank(table)
    expected = db.Samples.from_predictions(Y, labels, positive=0)
    assert ranking.uncertainty.samples.values.equals(expected.values)
    values = {"a": scores(0), "b": scores(1)}
    table = with_metrics(table_of("scores", long_rows("score", values)), threshold=0.5)
    assert table.outputs == ["TPR", "TNR", "roc_auc"]
    assert db.rank(table).uncertainty is not None
    assert with_metrics(table) is table


def test_a_candidate_that_is_beaten_by_less_than_it_may_be_passes():
    counts = pd.DataFrame(
        {"tp": [90000, 88000], "fn": [10000, 12000], "fp": [10000, 12000], "tn": [90000, 88000]},
        index=["old", "new"],
    )
    gate = db.gate(db.Samples.from_counts(counts), "new")
    assert gate.lower > 0.95
    assert (gate.verdict, gate.passed) == ("passes", True)
    assert gate.beaten_by == {"old": pytest.approx(1)}
    assert 0 < gate.secure_gap < 0.05
    assert "Some mix of the others beats it by at least" in gate.summary()
    gate = db.gate(db.Samples.from_counts(counts), "old")
    assert gate.passed
    assert gate.beaten_by == {}
    assert gate.summary().startswith("'old' passes: it scores at least 0.95 (shown at 95 %).")


def test_instances_keep_outcomes_and_costs_together():
    """A paired bootstrap's covariance: Cov of the means is that of the instances over n."""
    rng = np.random.default_rng(11)
    hard = rng.random(400)
    rows = pd.concat(
        [
            pd.DataFrame(
                {
                    "classifier": name,
                    "instance": range(400),
                    "score": (rng.random(400) > share * hard).astype(float),
                    "total_tokens": 100 * size + 300 * hard,
                }
            )
            for name, share, size in (("a", 0.4, 2), ("b", 0.8, 1))
        ],
        ignore_index=True,
    )
    samples = db.Samples.from_instances(rows)
    wide = rows.pivot(index="instance", columns="classifier")
    logs = wide / wide.mean()
    expected = logs["total_tokens"].cov() / 400
    assert samples.moments.sampling[1] == pytest.approx(expected.to_numpy())
    assert samples.to_frame()["score_se"]["a"] == pytest.approx(wide["score"]["a"].std() / 20)
    means = rows.groupby("classifier")[["score", "total_tokens"]].mean()
    table = replace(db.read(means.reset_index()), kind="long", rows=rows)
    made = samples_of_table(table)
    assert made.costs == ("total_tokens",)
    assert_same_samples(made, samples)
    # Two tasks have instances of their own.
    both = pd.concat([rows.assign(dataset="x"), rows.assign(dataset="y")], ignore_index=True)
    halved = samples_of_table(replace(table, rows=both)).to_frame()
    single = samples.to_frame()
    assert halved["score_se"].tolist() == pytest.approx((single["score_se"] / 2**0.5).tolist())


def test_standard_errors_of_data_sets_are_combined():
    frame = pd.DataFrame(
        {
            "model": ["a", "a", "b", "b"],
            "task": ["x", "y"] * 2,
            "acc": [0.6, 0.8, 0.5, 0.7],
            "acc_stderr": [0.03, 0.04, 0.01, 0.01],
        }
    )
    table = db.read(frame)
    assert table.errors == {"acc": ("acc_stderr",)}
    samples = samples_of_table(table)
    expected = [0.05 / 2, 0.01 * 2**0.5 / 2]
    assert samples.to_frame()["acc_se"].tolist() == pytest.approx(expected)


def test_losses_alone_over_data_sets_have_intervals():
    """The constant output of a table without outputs is no metric, so it has no samples."""
    rng = np.random.default_rng(0)
    rows = [
        (name, f"d{k}", loss + rng.normal(0, 0.05))
        for name, loss in (("a", 0.5), ("b", 0.8), ("c", 1.2))
        for k in range(12)
    ]
    table = db.read(pd.DataFrame(rows, columns=["model", "dataset", "MASE"]))
    ranking = db.rank(table)
    db.certify(ranking)
    assert ranking.efficient.tolist() == [True, False, False]
    assert ranking.uncertainty.verdicts["c"] == "dominated"
    assert (ranking.uncertainty.lower <= ranking.scores).all()


def test_a_single_standard_error_is_refused():
    table = pd.DataFrame({"acc": [0.8, 0.7]}, index=["a", "b"])
    with pytest.raises(DataError, match="the standard errors are a float; give a DataFrame like"):
        db.Samples.from_table(table, 0.2)


def test_very_many_systems_are_ranked_without_intervals(monkeypatch):
    monkeypatch.setattr("deabench.analysis.ranking.MAX_INTERVALS", 2)
    index = pd.Index(["a", "b", "c"], name="model")
    errors = pd.DataFrame({"standard_error": [0.01, 0.02, 0.03]}, index)
    ranking = db.rank(board(F1=errors))
    assert ranking.uncertainty is None
    assert "no intervals: there are more than 2 systems; deabench.uncertainty computes them" in (
        ranking.notes
    )


def test_frames_put_together_repeat_their_row_numbers():
    """The index of `pd.concat` names no system; an instance that stands twice is refused."""
    rows = [("a", 1, 1), ("a", 0, 0), ("a", 1, 0), ("a", 0, 0)]
    columns = ["model", "label", "prediction"]
    parts = [
        pd.DataFrame(rows, columns=columns).assign(model=name, instance=range(4)) for name in "ab"
    ]
    together = pd.concat(parts)
    one_by_one = db.uncertainty(pd.concat(parts, ignore_index=True))
    pd.testing.assert_series_equal(db.uncertainty(together).lower, one_by_one.lower)
    with pytest.raises(DataError, match="'a' has instance '0' twice; leave one row out"):
        db.uncertainty(pd.concat([together, parts[0].iloc[:1]]))


@pytest.mark.parametrize("empty", ["", "NA", None])
def test_a_missing_prediction_does_not_hide_its_classifier(empty):
    """A column of answers with an empty cell is no description of the instances."""
    y = [1, 0] * 10
    frame = pd.DataFrame({"y_true": y, "a": y, "b": [0, 1, *y[2:]]}).astype(object)
    frame.loc[3, "a"] = empty
    with pytest.raises(DataError, match="'a' has no y_pred for instance '4'"):
        db.uncertainty(frame)
