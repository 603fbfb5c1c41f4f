"""Columns by their names: DEA's words, units, error columns, patterns, labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.tables.naming.error_columns import find_error_columns
from deabench.tables.naming.patterns import expand_names, shorten_names
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.read import read

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
FIRMS = pd.DataFrame({"DMU": list("ABCDE")})


def read_names(*names: str) -> db.Table:
    """Read a table of whole numbers under some names."""
    values = np.random.default_rng(1).integers(2, 900, (5, len(names)))
    return db.read(FIRMS.join(pd.DataFrame(values, columns=list(names))))


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        (["Input1", "Input2"], ["Output1", "Output2"]),
        (["X1", "X2", "X3"], ["Y1", "Y2"]),
        (["(I)Staff", "(I)Area"], ["(O)Books lent"]),
        (["x1_plots", "x2_tools"], ["y1_grain", "y2_straw"]),
        (["I_plots", "I_tools"], ["O_grain", "O_straw"]),
        (["D-Input1", "D-Input2"], ["D-Output1"]),
        (["Employees", "Guest_rooms", "Operating_cost"], ["Room_revenue", "F&B_revenue"]),
        (["Doctors", "Nurses", "Beds"], ["Inpatients", "Outpatients"]),
        (["Labor", "Capital", "Fuel"], ["Output"]),
        (["Total assets", "Staff"], ["Loans", "Net income"]),
    ],
)
def test_inputs_and_outputs_of_firms_are_taken_for_what_they_are(inputs, outputs) -> None:
    table = read_names(*inputs, *outputs)
    assert (table.label, table.inputs, table.outputs) == (("DMU",), inputs, outputs)
    assert table.question is None


def test_x_means_an_input_beside_y_only() -> None:
    assert read_names("X1", "X2").costs == []
    assert read_names("X1", "Y1").costs == ["X1"]


@pytest.mark.parametrize("name", ["Input1", "Input 2", "D-Input1", "Input tokens", "input_cost"])
def test_a_column_whose_name_says_input_is_no_output(name) -> None:
    assert look_up_metric(name).role == "cost"


def test_undesirable_outputs_are_inputs_and_given_columns_no_metrics() -> None:
    table = read_names("D-Input1", "D-Output1", "UD-Output1", "Population")
    assert table.undesirable == ("UD-Output1",)
    assert table.lower_rates == ["UD-Output1"]
    assert table.non_discretionary == ("Population",)
    assert table.left_out["Population"] == "it is given and cannot be changed"


def test_deposits_are_asked_about() -> None:
    table = read_names("Staff", "Loans", "Deposits")
    assert table.question.columns == ("Deposits",)
    assert "input (intermediation) or an output" in table.left_out["Deposits"]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("SA-V test (J&F)", "output"),
        ("RITA S", None),
        ("ProtSSN (k=10, h=512)", None),
        ("TimesFM", None),
        ("R<sup>2</sup>", "output"),
        ("Params<br><sup>(M)", "cost"),
        ("IS $\\uparrow$", "output"),
        ("FID $\\downarrow$", "lower_rate"),
        ("MSIS", "lower_rate"),
        ("ND[0.5]", "lower_rate"),
        ("mean_weighted_sum_quantile_loss", "lower_rate"),
        ("build", "cost"),
        ("indexsize", "cost"),
        ("Confab %", "lower_rate"),
        ("Answer Rate", "output"),
        ("Failures/s", "lower_rate"),
        ("Cost / Pass", "cost"),
        ("price/performance", "cost"),
        ("H200 /GPU/Hr", "cost"),
        ("Tokens/GPU/Hr", "cost"),
        ("Partial Match Rate", "output"),
        ("Params / M", "cost"),
        ("Mean WER / %", "lower_rate"),
        ("Tokens / s", "output"),
        ("% Change in Accuracy", "left_out"),
        ("Deviazione standard (ms)", "left_out"),
        ("format_ok_rate", "output"),
        ("ErrorTolerance", "left_out"),
        ("COGS", "cost"),
        ("mINP", "output"),
        ("Hard", "output"),
        ("Hardness", None),
        ("Spearman $\\rho$", "output"),
        ("Cohen's $\\kappa$", "output"),
        ("Total compressed size", "cost"),
        ("Size (M)", "cost"),
        ("Size (pixels)", "left_out"),
        ("percent_cases_well_formed", "output"),
        ("bits_per_byte", "lower_rate"),
        ("c_index", "output"),
        ("mparams", "cost"),
        ("mean_ssd_ios", None),
        ("avg_length", "left_out"),
        ("train time (s/iter)", "cost"),
        ("area_under_roc_curve", "output"),
        ("lr", "left_out"),
    ],
)
def test_words_and_units_are_matched_whole(name, role) -> None:
    meaning = look_up_metric(name)
    assert (meaning and meaning.role) == role


def test_a_reason_names_one_thing() -> None:
    assert look_up_metric("Context window").reason == (
        "it is a length, which is no measure of quality or cost"
    )
    assert look_up_metric("batch_size").reason == "it is a setting"


def test_counts_and_identifiers_are_whole_numbers() -> None:
    tasks = {"model": list("abc"), "MMLU": [0.5, 0.6, 0.7], "Counts": [0.25, 0.31, 0.4]}
    assert db.read(tasks).outputs == ["MMLU", "Counts"]
    assert db.read(tasks | {"Counts": [1, 2, 5]}).left_out["Counts"] == "it is a count"


def test_f_is_the_f_measure_beside_other_rates() -> None:
    table = db.read(db.datasets.load("chao2022-svm-disjunct"))
    assert "F" in table.outputs
    assert db.read({"model": list("abc"), "F": [0.5, 0.7, 0.9], "CR": [0.1, 0.2, 0.4]}).guessed


def test_the_times_of_commands_are_costs() -> None:
    columns = {"mean": [9.0, 18.5], "stddev": [2.6, 1.0], "median": [8.0, 18.0]}
    columns |= {"user": [9.0, 18.0], "system": [0.1, 0.2], "min": [7.0, 17.0]}
    table = db.read({"command": ["a", "b"]} | columns)
    assert table.costs == ["mean", "user", "system"]
    assert table.errors == {"mean": ("stddev",)}
    assert table.outputs == []


@pytest.mark.parametrize(
    ("name", "opposite", "options"),
    [
        ("Accuracy (%)", "higher", {"outputs": ["MMLU"], "inputs": ["Accuracy (%)"]}),
        ("latency_ms", "lower", {"outputs": ["MMLU", "latency_ms"]}),
    ],
)
def test_a_role_against_the_name_is_noted_once(name, opposite, options) -> None:
    table = {"model": list("abc"), "Accuracy (%)": [90, 80, 70], "MMLU": [70, 60.5, 50]}
    notes = db.rank(db.read(table | {"latency_ms": [3, 2, 1]}), **options).notes
    said = [note for note in notes if f"the name says {opposite} is better: '{name}'" in note]
    assert len(said) == 1


# Error columns belong to their metric


@pytest.mark.parametrize(
    ("columns", "metric", "bars"),
    [
        (
            {"elo": [1450, 1460], "elo+": [40, 10], "elo-": [38, 12]},
            "elo",
            [[1412, 1490], [1448, 1470]],
        ),
        (
            {"rating": [10, 20], "rating_lower": [8, 19], "rating_upper": [12, 21.5]},
            "rating",
            [[8, 12], [19, 21.5]],
        ),
        (
            {"score": [0.5, 0.7], "ci_low": [0.4, 0.6], "ci_high": [0.6, 0.8]},
            "score",
            [[0.4, 0.6], [0.6, 0.8]],
        ),
        ({"acc": [0.5, 0.7], "acc_stderr": [0.01, 0.02]}, "acc", [[0.01], [0.02]]),
        ({"MMLU": [50.5, 70], "±": [1.5, 2]}, "MMLU", [[1.5], [2]]),
        ({"AUC": [0.5, 0.7], "AUC CI95": [0.1, 0.2]}, "AUC", [[0.4, 0.6], [0.5, 0.9]]),
    ],
)
def test_error_columns_are_error_bars_of_their_metric(columns, metric, bars) -> None:
    table = db.read({"model": ["A", "B"]} | columns)
    assert table.outputs == [metric]
    assert table.errors == {metric: tuple(name for name in columns if name != metric)}
    np.testing.assert_allclose(table.error_bars[metric], bars)
    assert list(table.error_bars[metric].index) == ["A", "B"]
    for name in table.errors[metric]:
        assert table.left_out[name] == f"it says how exact '{metric}' is"


def test_a_standard_deviation_of_runs_is_no_error_of_their_mean() -> None:
    names = ["mean_test_recall", "std_test_recall", "mean_fit_time", "std_fit_time"]
    found = {error.name: error.metric for error in find_error_columns(names)}
    assert found == {"std_test_recall": "mean_test_recall", "std_fit_time": "mean_fit_time"}
    table = db.read({"model": ["A", "B"], "acc": [0.5, 0.7], "acc_std": [0.1, 0.2]})
    assert (table.errors, table.error_bars) == ({"acc": ("acc_std",)}, {})


def test_cells_with_intervals_are_error_bars() -> None:
    cells = ["0.91 [0.81, 0.93]", "0.8 [0.7, 0.85]"]
    table = db.read({"model": ["A", "B"], "AUC": cells, "acc": ["66.1 ± 3.1", "60 ± 2"]})
    np.testing.assert_allclose(table.error_bars["AUC"], [[0.81, 0.93], [0.7, 0.85]])
    np.testing.assert_allclose(table.error_bars["acc"], [[3.1], [2]])


# Several columns at once

BOARD = pd.DataFrame(
    {
        "model": list("abcde"),
        "mmlu_en": [0.5, 0.6, 0.7, 0.8, 0.55],
        "mmlu_de": [0.4, 0.6, 0.65, 0.7, 0.5],
        "ProtSSN (k=10, h=512)": [0.3, 0.2, 0.4, 0.1, 0.15],
        "err_a": [0.1, 0.2, 0.3, 0.25, 0.15],
        "err_b": [0.2, 0.1, 0.35, 0.2, 0.3],
        "latency_ms": [1.0, 2, 3, 4, 5],
    }
)


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["mmlu_*"], ["mmlu_en", "mmlu_de"]),
        (["mmlu_?n"], ["mmlu_en"]),
        (["mmlu_en:err_a"], ["mmlu_en", "mmlu_de", "ProtSSN (k=10, h=512)", "err_a"]),
        (["err_a:mmlu_de"], ["mmlu_de", "ProtSSN (k=10, h=512)", "err_a"]),
        (["ProtSSN (k=10, h=512)"], ["ProtSSN (k=10, h=512)"]),
        (["rest"], ["mmlu_en", "mmlu_de", "ProtSSN (k=10, h=512)"]),
    ],
)
def test_patterns_name_outputs(names, columns) -> None:
    table = db.read(BOARD)
    assert list(db.rank(table, outputs=names).data.outputs) == columns


def test_patterns_name_inputs_lower_is_better_and_ignore() -> None:
    ranking = db.rank(db.read(BOARD), outputs=["mmlu_*"], inputs=["lat*"])
    assert list(ranking.data.inputs) == ["latency_ms"]
    # What is named by hand elsewhere is taken by no pattern.
    ranking = db.rank(db.read(BOARD), outputs=["*"], inputs=["latency_ms"])
    assert "latency_ms" not in ranking.data.outputs
    lower = db.read(BOARD, lower_is_better={"mmlu_*": "input"})
    assert lower.inputs == ["mmlu_en", "mmlu_de"]
    ignored = db.read(BOARD, ignore=["err_a:latency_ms", "Prot*"])
    assert [column.name for column in ignored.metrics] == ["mmlu_en", "mmlu_de"]
    assert ignored.left_out["err_a"] == "you say so"


def test_a_pattern_for_no_column_is_refused(refused) -> None:
    with refused("no column matches 'mlu_*'; did you mean 'mmlu_en'?"):
        db.rank(db.read(BOARD), outputs=["mlu_*"])


def test_short_patterns_stand_for_the_same_columns() -> None:
    columns = [f"c{k}" for k in range(8)]
    for seed in range(20):
        generator = np.random.default_rng(seed)
        names = [name for name in columns if generator.random() < 0.6]
        assert expand_names(shorten_names(names, columns), columns) == names


def test_a_colon_in_a_name_is_no_range() -> None:
    assert expand_names(["a:b"], ["a", "x", "b", "a:b"]) == ["a:b"]
    assert expand_names(["k:1:k:3"], ["k:1", "k:2", "k:3"]) == ["k:1", "k:2", "k:3"]


# What names the systems


@pytest.mark.parametrize(
    ("table", "label"),
    [
        # A link whose text is the same on every row names nothing.
        (
            {
                "name": ["T", "T", "S"],
                "resolution": ["224", "384", "224"],
                "acc@1": [82.9, 84.1, 83.1],
                "1k model": ["[model](http://a/1)", "[model](http://a/2)", "[model](http://a/3)"],
            },
            ("name", "resolution"),
        ),
        (
            {
                "WER": [5.8, 1.8, 2.1],
                "Paper": [
                    "[Deep 2](http://a/b)",
                    "[HuBERT](http://a/c)",
                    "[wav2vec 2.0](http://a/d)",
                ],
                "Published": ["December 2015", "June 2021", "May 2020"],
            },
            ("Paper",),
        ),
        (
            {
                "model id": [137, 142, 150],
                "Name": ["R50", "R50", "R101"],
                "lr sched": ["1x", "3x", "3x"],
                "box AP": [35.7, 38.4, 40.1],
            },
            ("Name", "lr sched"),
        ),
        (
            {"nickname": ["q8", "q8", "l4"], "avg_batch_size": [1.5, 2.5, 3.5], "qps": [1.0, 2, 3]},
            ("nickname",),
        ),
        (
            {
                "algorithm": ["puck", "puck", "ivf"],
                "parameters": ["(1, 2)", "(3, 4)", "(1, 2)"],
                "dataset": ["x", "x", "x"],
                "recall": [0.5, 0.7, 0.6],
            },
            ("algorithm", "parameters"),
        ),
    ],
)
def test_what_names_the_systems(table, label) -> None:
    assert db.read(table).label == label


def test_runs_with_other_parameters_are_systems_of_their_own() -> None:
    table = db.read(
        {
            "algorithm": ["puck"] * 4 + ["ivf"] * 4,
            "parameters": ["(1)", "(1)", "(2)", "(2)"] * 2,
            "dataset": ["x", "y"] * 4,
            "recall": [0.5, 0.6, 0.7, 0.8, 0.4, 0.5, 0.6, 0.65],
        }
    )
    assert table.label == ("algorithm", "parameters")
    assert table.frame["recall"].tolist() == pytest.approx([0.55, 0.75, 0.45, 0.625])


def test_languages_are_no_ends_of_an_interval() -> None:
    table = db.read({"model": list("abc"), "hi": [3.5, 4, 5], "lo": [4.5, 5, 6], "id": [1.5, 2, 3]})
    assert table.errors == {}
    assert set(table.guessed) == {"hi", "lo", "id"}


def test_rows_of_benchmarks_are_named_by_them() -> None:
    cells = {"Mean": ["12.5 ns", "30.1 ns"], "StdDev": ["0.1 ns", "0.3 ns"]}
    table = db.read({"Benchmark": ["Sort", "Find"]} | cells)
    assert (table.label, table.costs) == (("Benchmark",), ["Mean"])


def test_what_a_price_buys_is_asked_about(tmp_path) -> None:
    table = {"GPU": ["a", "b", "c"], "Cost USD": [1.7, 2.2, 2.8], "vCPUs/GPU": [28, 32, 64]}
    table |= {"RAM/GPU": ["180 GiB", "190 GiB", "250 GiB"]}
    pd.DataFrame(table).to_csv(tmp_path / "prices.csv", index=False)
    assert db.read(tmp_path / "prices.csv").question.columns == ("vCPUs/GPU", "RAM/GPU")


def test_coverage_and_ranks_by_what_stands_beside_them() -> None:
    board = {"Model": ["a", "b"], "NDCG": [0.2, 0.3], "Coverage": [0.1, 0.2], "Rank@1": [0.8, 0.9]}
    assert db.read(board | {"Novelty": [7.1, 7.9]}).outputs == ["NDCG", "Coverage", "Novelty"]
    assert "Coverage" not in db.read({"Model": ["a", "b"], "Coverage": [0.9, 0.95]}).outputs
    assert db.read(board | {"mAP": [0.5, 0.6]}).outputs[-2:] == ["Rank@1", "mAP"]


def test_a_low_count_in_a_name_is_no_rate() -> None:
    profiles = {
        "Detector": ["a", "b"],
        "Reward Low FP": [65.1, 62.6],
        "Reward Low FN": [80.4, 75.2],
    }
    assert db.read(profiles).lower_rates == []


def test_accuracies_on_negatives_are_accuracies() -> None:
    table = {"model": ["a", "b"], "pos_acc_mean": [0.9, 0.8], "neg_acc_mean": [0.3, 0.4]}
    assert db.read(table).outputs == ["pos_acc_mean", "neg_acc_mean"]
    # scikit-learn's sign is that of the values, too.
    assert db.read({"model": ["a", "b"], "neg_accuracy": [-0.9, -0.8]}).outputs == []


def test_sn_and_sp_are_sensitivity_and_specificity_together() -> None:
    table = {"model": ["a", "b"], "Acc": [0.8, 0.9], "Sp": [0.7, 0.8], "Sn": [0.9, 0.8]}
    assert db.read(table).outputs == ["Acc", "Sp", "Sn"]


def test_what_no_system_can_choose_or_reach_is_no_metric() -> None:
    for name in (
        "budget_time_seconds",
        "thinking budget",
        "p-val",
        "possible score",
        "Time % to A",
    ):
        assert look_up_metric(name).role == "left_out", name


def test_a_skill_score_is_no_error() -> None:
    table = {"model": ["a", "b"], "BSS": [0.1, -0.2], "Brier skill score": [0.1, 0.2]}
    table = db.read(table | {"Brier score": [0.2, 0.3]})
    assert table.outputs == ["BSS", "Brier skill score"]
    assert table.lower_rates == ["Brier score"]


def test_a_benchmark_of_memory_is_no_memory() -> None:
    assert look_up_metric("core_memory_read_benchmark_100").role == "output"
    assert look_up_metric("core_memory_mb").role == "cost"


def test_a_prompt_and_its_completion_are_paid_for() -> None:
    table = {"model": ["a", "b"], "prompt_avg": [1.1, 1.3], "completion_avg": [4.4, 10.0]}
    assert db.read(table).costs == ["prompt_avg", "completion_avg"]
    assert db.read({"model": ["a", "b"], "completion": [90.0, 80.0]}).outputs == ["completion"]


def test_a_ratio_to_another_row_repeats_the_mean() -> None:
    table = {"Method": ["Old", "New"], "Mean": ["120 ns", "80 ns"], "Scaled": [1.0, 0.67]}
    assert db.read(table | {"Allocated": ["48 B", "0 B"]}).costs == ["Mean", "Allocated"]


def test_requests_beside_their_latency_are_served() -> None:
    table = {"name": ["a", "b"], "requests": [51423.2, 48213.9], "latency": [1.9, 2.2]}
    assert db.read(table).outputs == ["requests"]


def test_a_question_says_which_column_has_no_name(tmp_path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("model,,latency_ms\nA,.9,10\nB,.8,5\nC,.7,6\n")
    question = read(path).question
    assert "'Unnamed: 1' is column 2, whose header is empty." in question.text
