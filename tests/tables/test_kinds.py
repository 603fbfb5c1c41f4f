"""What a source holds is recognised by names, values and structure together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
EXAMPLES = Path(__file__).parents[2] / "examples"
PREDICTIONS = """dataset,classifier,instance,y_true,y_pred,score
d1,a,1,0,0,.2
d1,a,2,1,1,.8
d1,b,1,0,1,.6
d1,b,2,1,1,.7
d2,a,1,0,0,.2
d2,a,2,1,0,.4
d2,b,1,0,0,.1
d2,b,2,1,1,.9
"""


def read_text(tmp_path: Path, text: str, name: str = "results.csv") -> db.Table:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return db.read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("scores", "scores"),
        ("predictions", "predictions"),
        ("bayes", "predictions"),
        ("folds", "folds"),
        ("auc", "datasets"),
        ("leaderboard", "metrics"),
        ("wine1", "metrics"),
    ],
)
def test_the_examples_are_recognised(name, kind) -> None:
    assert db.read(EXAMPLES / f"{name}.csv").kind == kind


def test_predictions_are_single_results_with_one_name_for_each_column() -> None:
    table = db.read(EXAMPLES / "predictions.csv")
    wide = pd.read_csv(EXAMPLES / "predictions.csv")
    assert list(table.rows.columns) == ["classifier", "instance", "y_true", "y_pred"]
    assert len(table.rows) == 4 * len(wide)
    logit = table.rows[table.rows["classifier"] == "logit"]
    assert logit["y_pred"].tolist() == wide["logit"].tolist()
    assert list(table.frame.index) == ["logit", "bayes", "forest", "stump"]
    assert table.outputs == []
    assert table.left_out["y_true"] == "it holds the true classes"


def test_predictions_of_several_data_sets_keep_them(tmp_path) -> None:
    table = read_text(tmp_path, PREDICTIONS)
    assert (table.kind, table.label, table.dataset) == ("predictions", ("classifier",), "dataset")
    names = ["classifier", "dataset", "instance", "y_true", "y_pred", "score"]
    assert list(table.rows.columns) == names
    assert table.rows["dataset"].tolist() == ["d1"] * 4 + ["d2"] * 4


@pytest.mark.parametrize(
    ("truth", "classifier", "prediction"),
    [
        ("label", "model", "prediction"),
        ("target", "system", "y_pred"),
        ("ground_truth", "algorithm", "y_hat"),
        ("actual", "method", "predicted"),
    ],
)
def test_the_same_words_mean_the_same_in_predictions(
    truth, classifier, prediction, tmp_path
) -> None:
    text = f"{classifier},id,{truth},{prediction}\n" + "".join(
        f"{name},{k},{k % 2},{(k + shift) % 2}\n"
        for name, shift in (("x", 0), ("y", 1))
        for k in range(6)
    )
    table = read_text(tmp_path, text)
    assert table.kind == "predictions"
    assert {"classifier", "instance", "y_true", "y_pred"} == set(table.rows.columns)


def test_a_label_that_names_systems_is_no_truth(tmp_path) -> None:
    table = read_text(tmp_path, "label,accuracy,latency_ms\na,.9,3\nb,.8,2\nc,.7,1\nd,.6,4\n")
    assert (table.kind, table.outputs, table.costs) == ("metrics", ["accuracy"], ["latency_ms"])


def test_counts_are_counts_and_no_outputs(tmp_path) -> None:
    text = "classifier,tp,fn,fp,tn\nold,90,10,10,90\nnew,88,12,12,88\n"
    table = read_text(tmp_path, text)
    assert (table.kind, table.outputs) == ("counts", [])
    assert table.rows.loc[1].to_dict() == {
        "classifier": "new",
        "tp": 88,
        "fn": 12,
        "fp": 12,
        "tn": 88,
    }
    beside = read_text(tmp_path, "model,accuracy,tp,fn,fp,tn\na,.9,9,1,1,9\nb,.8,8,2,2,8\n")
    assert (beside.kind, beside.outputs) == ("metrics", ["accuracy"])
    assert beside.left_out["tp"] == "it is a count of the confusion matrix"


def test_metrics_in_rows_are_turned(tmp_path) -> None:
    text = "metric,rf,xgb\naccuracy,.93,.94\nf1,.91,.92\nlatency_ms,40,15\n"
    table = read_text(tmp_path, text)
    assert table.kind == "metrics-in-rows"
    assert (table.outputs, table.costs) == (["accuracy", "f1"], ["latency_ms"])
    assert table.frame.loc["xgb"].tolist() == [0.94, 0.92, 15]
    assert any("'metric' holds the metrics" in note for note in table.notes)
    # The systems are columns, whatever their number; a frame with metrics in its index is alike.
    frame = pd.DataFrame({"rf": [0.93, 40], "lr": [0.9, 1]}, index=["accuracy", "latency_ms"])
    turned = db.read(frame)
    assert (turned.kind, list(turned.frame.index)) == ("metrics-in-rows", ["rf", "lr"])


def test_metrics_of_several_data_sets_in_rows_have_both_names(tmp_path) -> None:
    text = "dataset,version,metric,alpha,beta\nceval,4d5,accuracy,80,70\ngsm,1a2,accuracy,50,60\n"
    table = read_text(tmp_path, text)
    assert table.outputs == ["ceval (accuracy)", "gsm (accuracy)"]
    assert list(table.frame.index) == ["alpha", "beta"]


def test_folds_are_repetitions_and_their_columns_are_systems() -> None:
    table = db.read(EXAMPLES / "folds.csv")
    assert list(table.frame.index) == ["bayes", "tree", "logit"]
    assert list(table.rows.columns) == ["classifier", "fold", "score"]
    assert table.guessed == ["score"]
    with pytest.raises(db.DataError, match="nothing tells whether higher or lower is better"):
        db.rank(table)
    means = pd.read_csv(EXAMPLES / "folds.csv").drop(columns="fold").mean()
    ranking = db.rank(table, outputs=["score"])
    pd.testing.assert_series_equal(
        ranking.scores, means / means.max(), check_names=False, atol=1e-9
    )


@pytest.mark.parametrize(
    ("system", "dataset", "repetition", "canonical"),
    [
        ("model", "task", "seed", "seed"),
        ("classifier", "dataset", "fold", "fold"),
        ("system", "benchmark", "run", "seed"),
        ("algorithm", "problem", "repeat", "repeat"),
    ],
)
def test_long_results_have_one_name_for_each_key(
    system, dataset, repetition, canonical, tmp_path
) -> None:
    text = f"{system},{dataset},{repetition},accuracy\n" + "".join(
        f"{name},{task},{k},0.{7 + k}\n" for name in "xy" for task in ("t1", "t2") for k in (0, 1)
    )
    table = read_text(tmp_path, text)
    assert (table.kind, table.layout, table.label) == ("long", "long", (system,))
    assert list(table.rows.columns) == ["classifier", "dataset", canonical, "accuracy"]
    assert len(table.rows) == 8


def test_long_evaluations_of_openml_are_pivoted(tmp_path) -> None:
    text = "flow_name,data_name,uploader,function,value\n" + "".join(
        f"{flow},{data},1,{metric},0.{k + 5}\n"
        for k, flow in enumerate(("rf", "svm"))
        for data in ("iris", "wine")
        for metric in ("predictive_accuracy", "area_under_roc_curve")
    )
    table = read_text(tmp_path, text)
    assert (table.kind, table.label, table.dataset) == ("long", ("flow_name",), "data_name")
    assert set(table.outputs) == {"predictive_accuracy", "area_under_roc_curve"}


def test_a_metric_of_one_value_leaves_the_other_columns(tmp_path) -> None:
    text = "name,fold,fit_time,test_score,metric\n" + "".join(
        f"{name},{k},0.{k + 1},0.{8 + k},roc_auc\n" for name in ("tree", "forest") for k in (0, 1)
    )
    table = read_text(tmp_path, text)
    assert (table.label, table.outputs, table.costs) == (("name",), ["test_score"], ["fit_time"])
    assert table.kind == "folds"


def test_numbers_above_like_numbers_are_no_header(tmp_path) -> None:
    with pytest.raises(db.DataError, match=r"holds numbers \(0.91, 1.2\), no names"):
        read_text(tmp_path, "a,0.91,1.2\nb,0.8,1.1\nc,0.7,1.3\n")
    years = read_text(tmp_path, "model,2019,2020\na,0.91,0.9\nb,0.8,0.7\nc,0.7,0.6\n")
    assert list(years.frame) == ["2019", "2020"]


def test_several_files_may_have_the_same_metric(tmp_path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.csv").write_text("model,accuracy\na,.9\nb,.8\n")
    table = db.read([tmp_path / "first.csv", tmp_path / "second.csv"])
    assert table.outputs == ["accuracy", "accuracy (second)"]


def test_numbered_rows_are_no_metrics() -> None:
    """R² and ROUGE-1 are called r2 and r1; rows r0 to r3 are numbered."""
    table = pd.DataFrame(
        {"m0": [0.5, 0.4, 0.3, 0.6], "m1": [0.1, 0.2, 0.3, 0.4]}, index=["r0", "r1", "r2", "r3"]
    )
    ranking = db.rank(table, outputs=["m0", "m1"])
    assert list(ranking.scores.index) == list(table.index)


def test_a_confusion_matrix_holds_no_systems(tmp_path) -> None:
    text = ",wren,robin,tit\nrobin,3,20,0\nwren,30,2,1\ntit,0,1,25\n"
    with pytest.raises(db.DataError, match="'results' have the same names: counts of pairs"):
        read_text(tmp_path, text)
    # Values that are no counts may be anything, and two names are too few.
    assert read_text(tmp_path, text.replace("30,2", ".5,2")).question is not None
    assert read_text(tmp_path, ",wren,tit\ntit,3,20\nwren,30,2\n").question is not None


def test_names_of_libraries_that_a_few_columns_share_are_no_systems(tmp_path) -> None:
    text = "Crate,Encode,Decode,Borrow,Zlib,Zstd,Zstd Time\n"
    text += "bitcode,100,100,100,100,100,100\nborsh,25.6,68.0,4.1,79.5,79.7,60.0\n"
    table = read_text(tmp_path, text + "postcard,20.1,50.3,7.5,85.1,84.9,66.2\n")
    assert table.label == ("Crate",)


def test_a_part_of_many_labels_tells_that_they_are_no_metrics(monkeypatch) -> None:
    looked_up: list[str] = []

    def look_up(name: str) -> None:
        looked_up.append(name)

    monkeypatch.setattr("deabench.tables.recognition.kinds.look_up_metric", look_up)
    labels = [f"net-{k:x} small" for k in range(3000)]
    frame = pd.DataFrame({"speed of x": range(3000), "size of y": range(3000)}, index=labels)
    assert db.read(frame).kind == "metrics"
    assert len(looked_up) < 500
    # Numbered rows have no other name in a part of them.
    looked_up.clear()
    assert db.read(frame.set_axis([f"r{k}" for k in range(3000)])).kind == "metrics"
    assert len(looked_up) < 10


def test_more_rows_than_there_are_metrics_are_systems(monkeypatch) -> None:
    frame = pd.DataFrame({"rf": [0.93, 0.9], "lr": [0.9, 0.8]}, index=["accuracy", "recall"])
    monkeypatch.setattr("deabench.tables.recognition.metrics_in_rows.MAX_METRIC_ROWS", 2)
    assert db.read(frame).kind == "metrics-in-rows"
    monkeypatch.setattr("deabench.tables.recognition.metrics_in_rows.MAX_METRIC_ROWS", 1)
    assert db.read(frame).kind == "metrics"


@pytest.mark.parametrize(("key", "names"), [("school", ["A"]), ("model", ["x", "y"])])
def test_rows_of_unequal_groups_are_systems_only_where_a_name_says_so(key, names, tmp_path) -> None:
    groups = ["x", "x", "x", "y"] * 3
    truth = [0, 1, 1, 0] * 3
    frame = pd.DataFrame({key: groups, "y_true": truth, "y_pred": truth[::-1]})
    file = tmp_path / "A.csv"
    frame.to_csv(file, index=False)
    assert list(db.read(file).frame.index) == names


@pytest.mark.parametrize(("key", "is_forecast"), [("date", True), ("shop", False), ("hour", True)])
def test_forecasts_beside_true_numbers_are_no_metrics(key, is_forecast, tmp_path) -> None:
    rng = np.random.default_rng(0)
    actual = np.cumsum(rng.normal(size=40)).round(3) + 20
    keys = {
        "date": [f"2024-01-{k % 28 + 1:02}" for k in range(40)],
        "shop": [f"shop {k}" for k in range(40)],
        "hour": range(40),
    }
    frame = pd.DataFrame({key: keys[key], "actual": actual})
    frame["ARIMA"] = actual + rng.normal(size=40) / 5
    frame["Prophet"] = actual + rng.normal(size=40) / 4
    file = tmp_path / "demand.csv"
    frame.to_csv(file, index=False)
    if is_forecast:
        with pytest.raises(db.DataError, match="'demand' holds predicted numbers"):
            db.read(file)
    else:
        # Rows may be shops, and the columns what is compared: it is asked.
        table = db.read(file)
        assert table.kind == "datasets"
        assert table.question is not None


def test_inputs_that_follow_an_output_called_y_are_no_forecasts(tmp_path) -> None:
    rng = np.random.default_rng(0)
    inputs = rng.uniform(1, 9, (30, 2)).round(2)
    frame = pd.DataFrame({"X1": inputs[:, 0], "X2": inputs[:, 1], "Y": inputs.sum(axis=1)})
    file = tmp_path / "farms.csv"
    frame.to_csv(file, index=False)
    assert db.read(file).kind == "metrics"
