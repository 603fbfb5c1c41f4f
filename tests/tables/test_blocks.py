"""Columns are judged together: like columns have one direction, and a remnant is not ranked."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.tables.naming.questions import UndecidedError
from deabench.tables.recognition.redundancy import counts_rows
from deabench.tables.scales import rank_correlations

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
DISEASES = ["Atelectasis", "Effusion", "Mass", "Nodule", "Edema", "Hernia"]


def board(columns, rows=20, seed=0, low=0.5, high=0.95, **others) -> dict[str, list[object]]:
    """Return random rates of some columns, and other columns."""
    values = np.random.default_rng(seed).uniform(low, high, (rows, len(columns))).round(4)
    table = {"model": [f"m{k}" for k in range(rows)]} | dict(others)
    return table | {name: values[:, k].tolist() for k, name in enumerate(columns)}


def read_board(tmp_path, table, name="board") -> db.Table:
    pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    return db.read(tmp_path / f"{name}.csv")


def test_a_known_benchmark_decides_for_its_like_and_overrules_single_names(tmp_path) -> None:
    tasks = ["Cars", "CLEVR Counts", "CLEVR Distance", "Rendered SST2", "FGVC", "Food", "GTSRB"]
    table = read_board(tmp_path, board(tasks, rows=40))
    assert table.outputs == tasks
    assert table.question is None


def test_one_known_size_does_not_throw_out_its_equals(tmp_path) -> None:
    params = {"# Params": [f"{k + 5}M" for k in range(20)]}
    table = read_board(tmp_path, board(DISEASES, **params))
    assert table.costs == ["# Params"]
    assert table.outputs == []
    assert table.guessed == DISEASES
    with pytest.raises(UndecidedError) as caught:
        db.rank(table)
    question = caught.value.question
    assert question.default == "higher"
    assert question.answers["higher"]["outputs"] == ("Atelectasis:Hernia",)
    assert question.answers["higher"]["inputs"] == ("# Params",)
    assert "outputs=['Atelectasis:Hernia'], inputs=['# Params']" in str(caught.value)
    answer = {option: list(names) for option, names in question.answers["higher"].items()}
    lower = answer.pop("lower_is_better")
    assert lower == []
    ranking = db.rank(table, **answer)
    assert (list(ranking.data.outputs), list(ranking.data.inputs)) == (DISEASES, ["# Params"])


def test_every_answer_to_a_question_settles_it(tmp_path) -> None:
    table = read_board(tmp_path, board(DISEASES, accuracy=[0.5 + k / 50 for k in range(20)]))
    question = table.question
    assert question.columns == tuple(DISEASES)
    for word, answer in question.answers.items():
        options = {option: list(names) for option, names in answer.items() if names}
        read_options = {
            name: options.pop(name) for name in ("ignore", "lower_is_better") if name in options
        }
        settled = db.read(tmp_path / "board.csv", **read_options)
        data = db.rank(settled, **options).data
        taken = set(data.outputs) | set(data.inputs)
        assert taken == {"accuracy"} if word == "ignore" else {"accuracy", *DISEASES}
        if word == "lower":
            assert set(settled.lower_rates) == set(DISEASES)


@pytest.mark.parametrize(("name", "direction"), [("Average accuracy", "up"), ("Avg WER", "down")])
def test_the_mean_of_a_block_decides_for_it(name, direction, tmp_path) -> None:
    table = board(DISEASES)
    mean = pd.DataFrame(table)[DISEASES].mean(axis=1).round(3)
    reading = read_board(tmp_path, table | {name: mean})
    assert set(DISEASES) <= set(reading.outputs if direction == "up" else reading.lower_rates)


def test_a_mean_without_a_direction_is_asked_about_with_its_block(tmp_path) -> None:
    table = pd.DataFrame(board(DISEASES, low=2, high=30, RTFx=list(range(100, 120))))
    table["Avg"] = table[DISEASES].mean(axis=1)
    # The best models have the lowest error rates and stand first.
    reading = read_board(tmp_path, table.sort_values("Avg"))
    assert reading.outputs == ["RTFx"]
    assert reading.question.columns == (*DISEASES, "Avg")
    assert reading.question.default == "lower"


def test_rows_sorted_downwards_tell_that_higher_is_better(tmp_path) -> None:
    table = pd.DataFrame(board(DISEASES))
    order = table[DISEASES].mean(axis=1).sort_values(ascending=False).index
    assert read_board(tmp_path, table.loc[order]).question is None
    assert read_board(tmp_path, table.loc[order]).outputs == DISEASES
    assert read_board(tmp_path, table.loc[order].head(5)).question is not None


@pytest.mark.parametrize(("sign", "role"), [(1, "lower_rates"), (-1, "outputs")])
def test_the_rank_beside_a_block_tells_its_direction(sign, role, tmp_path) -> None:
    table = pd.DataFrame(board(DISEASES))
    table["Rank"] = (sign * table[DISEASES].mean(axis=1)).rank()
    assert getattr(read_board(tmp_path, table), role) == DISEASES


@pytest.mark.parametrize(("sentence", "role"), [("Higher", "outputs"), ("Lower", "lower_rates")])
def test_a_sentence_around_the_table_tells_the_direction(sentence, role, tmp_path) -> None:
    table = pd.DataFrame(board(DISEASES))
    lines = [" | ".join(map(str, row)) for row in table.to_numpy().tolist()]
    rule = " | ".join(["---"] * table.shape[1])
    text = "\n".join([" | ".join(table.columns), rule, *lines])
    (tmp_path / "README.md").write_text(f"# Results\n\n{sentence} is better.\n\n{text}\n")
    assert getattr(db.read(tmp_path / "README.md"), role) == DISEASES


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("accuracy", "outputs"),
        ("error", "lower_rates"),
        ("wer_results", "lower_rates"),
        ("mybench", "guessed"),
        ("scores", "guessed"),
        ("quality", "guessed"),
        ("table_2025_05_30", "guessed"),
        ("error_analysis", "guessed"),
        ("time_series_benchmark", "guessed"),
    ],
)
def test_the_name_of_a_file_proposes_a_direction_and_never_replaces_columns(
    name, role, tmp_path
) -> None:
    table = read_board(tmp_path, board(["adult", "wine", "iris"], rows=3), name)
    assert list(table.frame) == ["adult", "wine", "iris"]
    assert getattr(table, role) == ["adult", "wine", "iris"]
    assert (table.question is None) == (role != "guessed")


def test_a_single_unknown_measurement_is_asked_about(tmp_path) -> None:
    columns = board(["accuracy", "f1", "flux"])
    table = read_board(tmp_path, columns)
    assert (table.outputs, table.guessed) == (["accuracy", "f1"], ["flux"])
    assert table.question is not None
    assert table.notes[-1] == table.question.text
    with pytest.raises(UndecidedError, match="'flux'"):
        db.rank(table)
    ignored = db.read(table, ignore=["flux"])
    assert list(db.rank(ignored).data.outputs) == ["accuracy", "f1"]


def test_an_unknown_column_whose_values_repeat_is_left_out_with_a_note(tmp_path) -> None:
    columns = board(["accuracy", "f1"])
    count = len(columns["model"])
    for settings in ([16.0, 32.5] * count, list(range(1, count + 1))):
        table = read_board(tmp_path, columns | {"flux": settings[:count]})
        assert table.outputs == ["accuracy", "f1"]
        assert table.question is None
        assert "flux" in table.left_out
        assert list(db.rank(table).data.outputs) == ["accuracy", "f1"]


def test_costs_alone_are_asked_about_beside_an_unknown_measurement(tmp_path) -> None:
    table = read_board(tmp_path, board(["flux"], latency_ms=list(range(1, 21))))
    with pytest.raises(UndecidedError, match="'flux'"):
        db.rank(table)
    # Numbers that repeat are settings beside a loss; beside resources they may be products.
    counts = read_board(
        tmp_path, {"model": list("abcd"), "rmse": [1.5, 2, 3, 4], "flux": [7, 9] * 2}
    )
    assert counts.question is None
    firms = read_board(tmp_path, {"DMU": list("abc"), "Staff": [1, 2, 3], "flux": [7, 9, 4]})
    assert firms.question.columns == ("flux",)


def test_a_block_that_is_wide_for_its_rows_is_ranked_by_its_mean(tmp_path) -> None:
    tasks = ["MMLU", "GSM8K", "BBH", "GPQA"]
    table = pd.DataFrame(board(tasks, rows=9))
    reading = read_board(tmp_path, table)
    assert reading.outputs == tasks
    assert reading.means == {"mean of 4 columns": tuple(tasks)}
    ranking = db.rank(reading)
    means = table[tasks].mean(axis=1).to_numpy()
    np.testing.assert_allclose(ranking.scores, means / means.max(), atol=1e-9)
    assert any("4 like columns are many for 9 rows" in note for note in ranking.notes)
    # The column that is the mean is taken where there is one; named outputs are final.
    with_mean = read_board(tmp_path, table.assign(Average=table[tasks].mean(axis=1)))
    assert list(db.rank(with_mean).data.outputs) == ["Average"]
    assert list(db.rank(reading, outputs=tasks).data.outputs) == tasks
    enough = read_board(tmp_path, board(tasks, rows=12))
    assert list(db.rank(enough).data.outputs) == tasks


def test_a_metric_that_few_systems_have_is_left_out(tmp_path) -> None:
    price = [1.0, 2.0, 3.0] + [None] * 17
    table = read_board(tmp_path, board(["accuracy"], price=price))
    assert "only 3 of 20 systems have a value" in table.left_out["price"]
    assert list(db.rank(table).data.inputs) == []


def test_a_table_of_mostly_sparse_metrics_is_asked_about(tmp_path) -> None:
    sparse = {name: [0.5, 0.6, 0.7] + [None] * 17 for name in ("F1", "precision")}
    table = read_board(tmp_path, board(["accuracy"], **sparse))
    assert table.question.text == (
        "only few systems have values in 'F1', 'precision' (2 of 3 metrics)."
    )
    assert table.question.answers == {"ignore": {"ignore": ("F1", "precision")}}
    answered = db.read(tmp_path / "board.csv", ignore=["F1", "precision"])
    assert list(db.rank(answered).data.outputs) == ["accuracy"]
    # One of two metrics is no remnant.
    assert read_board(tmp_path, board(["accuracy"], F1=sparse["F1"])).question is None


def test_a_column_that_is_constant_where_both_have_values_correlates_with_nothing() -> None:
    frame = pd.DataFrame(
        {"a": [1.0, 1.0, None, 3.0], "b": [2.0, 4.0, 1.0, None], "c": [3, 1, 2, 9]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        correlations = rank_correlations(frame, ["a", "b"], "c")
        np.testing.assert_allclose(correlations, [0.8660254037844387, -0.5], atol=1e-12)
        assert np.isnan(rank_correlations(frame, ["a"], "b")).all()


def test_a_mean_is_left_out_only_where_nearly_all_of_its_rows_are_the_mean(tmp_path) -> None:
    table = pd.DataFrame(board(["accuracy", "f1"], rows=40))
    table["Average"] = table[["accuracy", "f1"]].mean(axis=1)
    assert "it is the mean of" in read_board(tmp_path, table).left_out["Average"]
    # Half of the rows are another number: the column is a metric of its own.
    table.loc[::2, "Average"] -= 0.1
    assert "Average" in read_board(tmp_path, table).outputs


def test_the_rank_decides_at_nine_tenths_of_correlation_only() -> None:
    # One pair of neighbours of 20 exchanged: .998; half of the table reversed: far below .9.
    ranks = list(range(1, 21))
    scores = [0.9 - 0.01 * k for k in range(20)]
    rising = {"team": [f"t{k}" for k in range(20)], "rank": ranks, "score": scores[::-1]}
    assert db.read(rising).lower_rates == ["score"]
    mixed = scores[::-1][:12] + scores[:8]
    correlation = pd.Series(mixed).corr(pd.Series(ranks), method="spearman")
    assert 0.5 < abs(correlation) < 0.9
    assert db.read(rising | {"score": mixed}).lower_rates == []


def test_percent_ends_at_100() -> None:
    def unit(values: list[float]) -> tuple[str, float]:
        column = db.read({"model": list("abc"), "accuracy": values}).column("accuracy")
        return column.unit, column.high

    assert unit([50, 70, 100]) == ("percent", 100.0)
    assert unit([50, 70, 101]) == ("", np.inf)
    assert unit([120, 200, 300]) == ("", np.inf)


def test_decimal_commas_with_three_decimals() -> None:
    table = db.read({"model": list("abc"), "accuracy": ["0,851", "0,912", "0,777"]})
    assert table.frame["accuracy"].tolist() == [0.851, 0.912, 0.777]


def test_a_weighted_mean_of_known_rates_is_not_asked_about(tmp_path) -> None:
    rates = board(["Error A (%)", "Error B (%)"], low=5, high=60)
    first, second = (np.round(rates[name], 1) for name in ("Error A (%)", "Error B (%)"))
    weighted = np.round(0.3 * first + 0.7 * second, 2)
    table = {"model": rates["model"], "Error A (%)": first, "Error B (%)": second}
    read = read_board(tmp_path, table | {"Weighted": weighted})
    assert read.question is None
    assert "it is a weighted mean of 'Error A (%)', 'Error B (%)'" in str(read.column("Weighted"))
    # Nothing tells the direction of a column that is no mean of them.
    apart = read_board(tmp_path, table | {"Weighted": weighted + 0.1 * (np.arange(20) % 5)})
    assert apart.question is not None
    # Two rows more than parts may lie on a plane by accident.
    few = {name: values[:4] for name, values in (table | {"Weighted": weighted}).items()}
    assert read_board(tmp_path, few).question is not None


def test_the_score_of_all_tasks_decides_though_it_is_called_composite(tmp_path) -> None:
    tasks = {"Artifact": [50, 20, 80], "Recovery": [100, 90, 95], "Stop": [60, 70, 10]}
    composite = pd.DataFrame(tasks).mean(axis=1).round(2)
    table = read_board(tmp_path, {"model": ["a", "b", "c"], "Composite": composite} | tasks)
    assert table.question is None
    assert set(tasks) <= set(table.outputs)


def test_shares_of_a_count_are_its_rate(tmp_path) -> None:
    table = {"model": ["a", "b"], "AUC": [0.9, 0.8], "False positives (web)": ["1.2%", "23.6%"]}
    assert read_board(tmp_path, table).lower_rates == ["False positives (web)"]
    table |= {"False positives (web)": [12, 236]}
    assert "False positives (web)" in read_board(tmp_path, table).left_out


def test_a_heading_of_two_metrics_decides_for_none(tmp_path) -> None:
    rows = "| Crate | alpha | beta |\n|---|---|---|\n" + "".join(
        f"| c{k} | {500 + 7 * k} | {700 - 3 * k} |\n" for k in range(9)
    )
    for heading, decided in (("Encoding speed", True), ("Encoding speed and size", False)):
        path = tmp_path / "crates.md"
        path.write_text(f"## {heading}\n\n{rows}")
        assert (db.read(path).question is None) == decided


def test_rank_correlations_are_those_of_pandas() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 4)).round(1), columns=list("abcd"))
    frame.loc[3, "b"] = np.nan
    expected = frame[["a", "b", "c"]].corrwith(frame["d"], method="spearman")
    np.testing.assert_allclose(rank_correlations(frame, ["a", "b", "c"], "d"), expected, atol=1e-12)
    # A constant column rises with nothing, and a long table is sampled.
    frame["e"] = 1.0
    assert np.isnan(rank_correlations(frame, ["e"], "d")).all()
    long = pd.DataFrame({"x": np.arange(9000.0), "y": np.arange(9000.0) ** 3})
    assert rank_correlations(long, ["x"], "y") == pytest.approx([1.0])


def test_the_metric_in_the_brackets_of_a_heading_decides(tmp_path) -> None:
    path = tmp_path / "t.md"
    rows = "| Model | cars | pets |\n|---|---|---|\n| A | 82.2 | 82.0 |\n| B | 83.4 | 82.9 |\n"
    path.write_text(f"#### A dataset of idioms for a cloze test in China (Accuracy)\n\n{rows}")
    assert db.read(path).outputs == ["cars", "pets"]
    path.write_text(f"#### A dataset of idioms for a cloze test in China (idioms)\n\n{rows}")
    assert db.read(path).question is not None


def test_the_mean_of_a_wide_block_is_taken_of_repeated_rows_too(tmp_path) -> None:
    names = [f"mmlu_{word}" for word in ("law", "math", "art", "bio", "tax")]
    rows = [
        f"{model},{seed}," + ",".join(f"{0.5 + k / 20 + seed / 50 + shift:.3f}" for k in range(5))
        for model, shift in (("a", 0), ("b", 0.1), ("c", 0.05))
        for seed in range(4)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["model,seed," + ",".join(names), *rows, ""]))
    ranking = db.rank(path)
    assert list(ranking.data.outputs) == ["mean of 5 columns"]
    assert ranking.uncertainty is not None


def test_percent_with_signs_are_differences(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,accuracy,zork\na,0.9,+24%\nb,0.8,-7%\nc,0.7,+9%\n")
    table = db.read(path)
    assert table.outputs == ["accuracy"]
    assert table.left_out["zork"] == "its signs say that it is a difference"
    # Percent without a sign are measured.
    path.write_text("model,accuracy,zork\na,0.9,24%\nb,0.8,7%\nc,0.7,9%\n")
    question = db.read(path).question
    assert question is not None
    assert question.columns == ("zork",)


def test_a_lone_resource_among_many_like_names_is_one_of_them(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "model,chair,drums,lego,mic,materials\na,33.0,25.1,32.5,32.9,29.6\nb,33.8,24.8,32.7,34.3,29.7\n"
    )
    question = db.read(path).question
    assert question is not None
    assert question.columns == ("chair", "drums", "lego", "mic", "materials")
    # Beside a product it is what is spent.
    path.write_text(
        "plant,materials,output,chair,drums,lego,mic\na,33.0,25.1,1.5,2.9,9.6\nb,33.8,24.8,2.7,4.3,9.7\n"
    )
    assert db.read(path).costs == ["materials"]


def test_a_lone_resource_among_data_sets_is_one_of_them(tmp_path) -> None:
    table = read_board(tmp_path, board(["CIFAR-10", "Food-101", "DTD", "Aircraft", "Caltech101"]))
    assert "Aircraft" not in table.inputs
    assert table.column("Aircraft").role == "output"


def test_a_count_in_millions_goes_with_no_rate(tmp_path) -> None:
    rows = [f"m{k},{50 + 3 * k},{20 + k * k / 3:.2f}" for k in range(10)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["model,MMLU,blobs (M)", *rows, ""]))
    question = db.read(path).question
    assert question is not None
    assert question.columns == ("blobs (M)",)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, 2, 3], True),
        ([2**62, 2**62 + 1, 2**62 + 2], True),
        ([1, 2], False),
        ([1, 2, 4], False),
        ([1.0, np.nan, 3.0], False),
        ([np.inf, np.inf, np.inf], False),
    ],
)
def test_numbers_of_rows_rise_by_one(cells, expected) -> None:
    assert counts_rows(pd.Series(cells)) is expected


@pytest.mark.parametrize(
    "sentence", ["Error in %, the lower, the better.", "* Metric: [Word Error Rate](https://a.org)"]
)
def test_the_text_around_a_table_tells_the_direction(sentence, tmp_path) -> None:
    rows = "\n".join(f"| s{k} | {7 * k % 5}.3 | {3 * k % 5}.6 |" for k in range(5))
    (tmp_path / "README.md").write_text(
        f"{sentence}\n\n| Engine | Delhi | Quito |\n|-|-|-|\n{rows}\n"
    )
    assert db.read(tmp_path / "README.md").lower_rates == ["Delhi", "Quito"]


@pytest.mark.parametrize(
    ("metric", "role"), [("logloss", "lower_rate"), ("auc", "output"), ("flux", "conditional")]
)
def test_a_column_of_one_metric_tells_what_the_value_beside_it_is(metric, role):
    frame = pd.DataFrame(
        {
            "name": ["1_Baseline", "2_DecisionTree", "3_Linear"],
            "model_type": ["Baseline", "Decision Tree", "Linear"],
            "metric_type": [metric] * 3,
            "metric_value": [0.7, 0.5, 0.6],
            "train_time": [1.0, 9.5, 3.5],
        }
    )
    roles = {column.name: column.role for column in db.read(frame).columns}
    assert roles["metric_value"] == role


def test_two_faults_among_ratings_are_not_overruled_by_their_mean(tmp_path) -> None:
    file = tmp_path / "cups.csv"
    file.write_text(
        "lot,aroma,flavor,acid,body,uniform,clean,balance,sweet,big defects,small defects,points\n"
        "a,7.5,7.25,7.0,7.5,8.0,8.0,7.75,7.5,3,2,7.5\n"
        "b,8.0,7.75,7.5,8.0,8.5,8.5,8.0,8.25,0,1,8.0\n"
        "c,7.0,7.0,6.75,7.25,7.0,7.5,7.25,7.0,5,4,7.1\n"
    )
    roles = {column.name: column.role for column in db.read(file).columns}
    assert roles["big defects"] == roles["small defects"] == "lower_rate"
