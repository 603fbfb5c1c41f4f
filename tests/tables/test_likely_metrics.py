"""What units of cells, sentences, known data sets and other columns tell of a metric."""

from __future__ import annotations

import pandas as pd
import pytest

import deabench as db
from deabench.tables.matrices.matrix_metric import find_shares_beside_percent, is_rate
from deabench.tables.naming.joined_names import split_heading
from deabench.tables.naming.prose import speaks_of_harm
from deabench.tables.naming.vocabulary import look_up_metric

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def read_text(tmp_path, text: str, name: str = "board.md") -> db.Table:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return db.read(path)


def markdown(header: str, *rows: str) -> str:
    rule = "|---" * header.count("|") + "|"
    return "\n".join([header, rule.removesuffix("---|"), *rows]) + "\n"


def test_a_unit_of_time_in_the_cells_is_no_rate(tmp_path) -> None:
    rows = ("| ant | 1055 s | 0.9 |", "| bee | 741 s | 0.8 |", "| cow | 327 s | 0.7 |")
    table = read_text(tmp_path, markdown("| Model | PASS1 | recall |", *rows))
    assert (table.outputs, table.costs) == (["recall"], ["PASS1"])
    percent = [row.replace(" s ", " % ").replace("1055", "55.1") for row in rows]
    shares = read_text(tmp_path, markdown("| Model | PASS1 | recall |", *percent), "b.md")
    assert "PASS1" in shares.outputs


STATEMENT = "Results use the M-Score. {} indicate better performance.\n\n"
SCORES = markdown("| System | Mean M-Score |", "| ant | 0.68 |", "| bee | 0.62 |", "| cow | 0.58 |")


def test_a_heading_says_which_way_a_score_is_better(tmp_path) -> None:
    heading = "### Architectures (M-Score, lower is better)\n\n"
    assert read_text(tmp_path, heading + SCORES).lower_rates == ["Mean M-Score"]
    assert read_text(tmp_path, heading.replace("M-", "N-") + SCORES, "b.md").lower_rates == []


def test_lower_values_indicate_better_performance(tmp_path) -> None:
    rows = ("| ant | 0.3 | 0.5 |", "| bee | 0.4 | 0.6 |", "| cow | 0.7 | 0.1 |")
    table = markdown("| Model | north | south |", *rows)
    lower = read_text(tmp_path, STATEMENT.format("Lower values") + table)
    assert lower.lower_rates == ["north", "south"]
    higher = read_text(tmp_path, STATEMENT.format("Higher scores") + table, "b.md")
    assert higher.outputs == ["north", "south"]


def test_high_rates_where_the_text_speaks_of_harm_are_asked_about() -> None:
    names = {"north": 78.5, "south": 87.9, "west": 98.2, "east": 77.1}
    board = pd.DataFrame(
        {"model": ["a", "b", "c"], **{n: [v, v - 5.2, v - 9.1] for n, v in names.items()}}
    )
    assert db.read(board).outputs == [*names]
    assert speaks_of_harm("banglasafe")
    assert speaks_of_harm("Safety of models")
    assert speaks_of_harm("harmful answers")
    assert not speaks_of_harm("a safer wayfarer")


UCR = ("Adiac", "ArrowHead", "BeetleFly", "CBF", "Coffee")


@pytest.mark.parametrize(("shift", "outputs"), [(0.0, ["score"]), (0.6, [])])
def test_high_rates_on_data_sets_of_classification_are_accuracies(tmp_path, shift, outputs) -> None:
    lines = [
        f"{name},{0.74 + 0.04 * k - shift:.3f},{0.75 + 0.04 * k - shift:.3f}"
        for k, name in enumerate(UCR)
    ]
    table = read_text(tmp_path, "\n".join(["dataset,rocket-500,rocket-517", *lines]), "board.csv")
    assert table.outputs == outputs
    assert (table.question is None) is bool(outputs)


def test_high_rates_on_unknown_data_sets_are_asked_about(tmp_path) -> None:
    lines = [f"{name},0.7{k},0.8{k}" for k, name in enumerate(("ant", "bee", "cow", "dog", "elk"))]
    text = "\n".join(["dataset,rocket-500,rocket-517", *lines])
    assert read_text(tmp_path, text, "board.csv").question is not None
    known = text.replace("ant", "Adiac").replace("bee", "ArrowHead")
    # Two of five are too few, and so are two of three.
    assert read_text(tmp_path, known, "b.csv").question is not None
    assert read_text(tmp_path, "\n".join(known.split("\n")[:4]), "c.csv").question is not None


@pytest.mark.parametrize("name", ["p_values.csv", "normalised.csv", "regret.csv", "times.csv"])
def test_high_numbers_on_data_sets_may_be_no_rates(tmp_path, name) -> None:
    lines = [f"{name},0.7{k},0.8{k}" for k, name in enumerate(UCR)]
    text = "\n".join(["dataset,rocket-500,rocket-517", *lines])
    assert read_text(tmp_path, text, name).outputs == []
    assert read_text(tmp_path, text, "board.csv").outputs == ["score"]
    # The best on each data set is 1: the others are relative to it.
    relative = text.replace("0.80", "1").replace("0.81", "1").replace("0.82", "1")
    relative = relative.replace("0.83", "1").replace("0.84", "1")
    assert read_text(tmp_path, relative, "b.csv").question is not None


def test_a_unit_tells_more_than_the_names_beside_it() -> None:
    table = {"model": ["a", "b", "c"], "sim (ms)": [12, 13, 11], "BLEU": [31.2, 30.1, 29.5]}
    assert db.read(table).costs == ["sim (ms)"]
    renamed = {"sim" if name == "sim (ms)" else name: values for name, values in table.items()}
    assert "sim" in db.read(renamed).outputs


def test_shares_beside_percent_are_read_in_percent(tmp_path) -> None:
    rows = ("| STS | 0.852 | 0.836 |", "| RTE | 90.0 | 89.2 |", "| NER | 83.7 | 83.1 |")
    text = "Metrics are: Pearson's correlation for STS and F1-score for RTE and NER.\n\n"
    table = read_text(tmp_path, text + markdown("| Task | BERT-Large | BERT-Base |", *rows))
    assert table.frame.loc["BERT-Large"].tolist() == pytest.approx([(85.2 + 90.0 + 83.7) / 3])
    assert "'STS': shares beside percent are read in percent" in table.notes


@pytest.mark.parametrize(
    ("values", "shares"),
    [
        ([0.852, 90.0, 83.7], ["a"]),
        # As many decimals: a low percentage. Above 100, or equal to 1 and 0: no rates.
        ([0.9, 90.0, 83.7], []),
        ([0.852, 90.05, 83.71], []),
        ([0.852, 190.0, 83.7], []),
        ([0.852, 0.9, 0.7], []),
        ([-0.852, 90.0, 83.7], []),
    ],
)
def test_shares_are_told_by_their_decimals(values, shares) -> None:
    assert find_shares_beside_percent(pd.Series(values), pd.Index([*"abc"])) == shares


@pytest.mark.parametrize(
    ("metric", "text", "expected"),
    [
        ("accuracy", "", True),
        ("score", "Metrics are F1 scores.", True),
        ("time", "", False),
        ("RMSE", "", False),
        ("throughput", "", False),
        ("score", "", False),
        ("score", "Accuracy against the time spent", False),
    ],
)
def test_what_is_a_rate(metric, text, expected) -> None:
    assert is_rate(metric, text) is expected


COUNTS = {
    "model": ["a", "b", "c", "d"],
    "overall_pass": [10, 45, 63, 81],
    "overall_pct": [11.1, 50.0, 70.0, 90.0],
}


def test_a_percentage_stands_for_what_it_counts() -> None:
    table = db.read(COUNTS)
    assert table.outputs == ["overall_pct"]
    assert table.column("overall_pct").unit == "percent"
    assert table.column("overall_pass").reason == "it is counted, and 'overall_pct' is its share"
    # What is no multiple, or is called otherwise, is not known.
    assert db.read({**COUNTS, "overall_pct": [11.1, 50.0, 70.0, 60.0]}).outputs == ["overall_pass"]
    renamed = {"zeal" if name == "overall_pct" else name: v for name, v in COUNTS.items()}
    assert db.read(renamed).outputs == ["overall_pass"]
    # Seconds are not counted.
    timed = {**COUNTS, "overall_pass": [10.5, 47.25, 66.15, 85.05], "overall_pct": [10, 45, 63, 81]}
    assert db.read(timed).outputs == ["overall_pass"]


def test_a_remark_behind_joined_names_belongs_to_both() -> None:
    assert split_heading("TID SRCC / KRCC (piq)") == ["TID SRCC (piq)", "TID KRCC (piq)"]
    assert split_heading("AUC / latency (ms)") == ["AUC", "latency (ms)"]
    assert split_heading("AUC / latency (warm)")[0] == "AUC"
    assert split_heading("PSNR / LPIPS (lower is better)")[0] == "PSNR"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("acc_FRF - acc_W", "difference"),
        ("drop_F2_a_minus_b", "difference"),
        ("one minus error", "quality"),
        ("accuracy - test", "quality"),
        ("accuracy_a - recall_b", "quality"),
    ],
)
def test_differences_of_one_metric_are_no_metric(name, kind) -> None:
    meaning = look_up_metric(name)
    assert meaning is not None
    assert meaning.kind == kind


def test_a_quality_for_what_is_spent_is_no_size() -> None:
    meaning = look_up_metric("MCC / kParam")
    assert meaning is not None
    assert meaning.role == "conditional"


def test_a_measurement_has_the_direction_of_its_percentile(tmp_path) -> None:
    # The heading speaks of a throughput, and the table holds times.
    rows = ("| ant | 0.9 | 3.1 |", "| bee | 1.5 | 5.2 |", "| cow | 1.3 | 2.3 |")
    text = "### Messages (throughput)\n\n" + markdown("| Library | M2 | M2 p99 |", *rows)
    assert read_text(tmp_path, text).costs == ["M2", "M2 p99"]
    other = text.replace("M2 p99", "M3 p99")
    assert read_text(tmp_path, other, "b.md").costs == ["M3 p99"]


def test_a_mean_of_amounts_is_no_score_beside_benchmarks(tmp_path) -> None:
    rows = (
        "| ant | 48.9 | 53.0 | 1.8 |",
        "| bee | 56.4 | 56.9 | 4.0 |",
        "| cow | 57.3 | 58.4 | 4.1 |",
    )
    text = markdown("| Method | Web | MMLU | Mean clips |", *rows)
    table = read_text(tmp_path, text)
    assert table.outputs == ["Web", "MMLU"]
    assert table.question is not None
    assert table.question.columns == ("Mean clips",)
    assert "Clips" in read_text(tmp_path, text.replace("Mean clips", "Clips"), "b.md").outputs


def test_a_speed_whose_text_speaks_of_times_is_a_time(tmp_path) -> None:
    rows = ("| ant | 627 | 640 |", "| bee | 895 | 929 |", "| cow | 933 | 1219 |")
    text = "# Speed\n\n{}\n\n" + markdown("| Class | nextInt | nextBool |", *rows)
    assert read_text(tmp_path, text.format("Numbers show execution time.")).outputs == []
    plain = read_text(tmp_path, text.format("Results:"), "b.md")
    assert plain.outputs == ["nextInt", "nextBool"]


def test_percentages_that_are_called_alike_are_shares_too() -> None:
    counts = {**COUNTS, "sp_pass": [9, 36, 54, 72], "sp_pct": [10.0, 40.0, 60.0, 80.0]}
    rows = {**counts, "td_pct": [11.5, 47.5, 61.0, 71.5], "kelp": [11.5, 47.5, 61.0, 71.5]}
    assert set(db.read(rows).outputs) >= {"overall_pct", "sp_pct", "td_pct"}
    # A single one shows nothing of its kind.
    lone = {**COUNTS, "td_pct": [11.5, 47.5, 61.0, 71.5]}
    assert "td_pct" not in db.read(lone).outputs


FLAT = {"Torch_mean_ms": 25.2, "Torch_fps": 39.7, "ONNX_mean_ms": 91.4, "ONNX_fps": 10.9}


def test_keys_join_the_names_of_systems_and_metrics(refused) -> None:
    table = db.read({**FLAT, "FP16_mean_ms": 73.5, "FP16_fps": 13.6})
    assert table.frame.index.tolist() == ["Torch", "ONNX", "FP16"]
    assert (table.outputs, table.costs) == (["fps"], ["mean_ms"])
    assert (
        "keys join the names of systems and metrics: 'Torch_mean_ms', 'Torch_fps' and 4 more"
        in (table.notes)
    )
    message = (
        "the dictionary has one number for each key; "
        "give a list for each column, or a dictionary for each system"
    )
    # A metric that a system does not have, names of no metric, and one system alone.
    for keys in (
        {"Torch_mean_ms": 25.2, "Torch_fps": 39.7, "ONNX_mean_ms": 91.4},
        {"Torch_kelp": 25.2, "Torch_dune": 39.7, "ONNX_kelp": 91.4, "ONNX_dune": 10.9},
        {"Torch_mean_ms": 25.2, "Torch_fps": 39.7},
        {**FLAT, **{f"{s}_{m}": 1.5 for s in ("Torch", "ONNX") for m in ("kelp", "dune", "moss")}},
    ):
        with refused(message):
            db.read(keys)


def test_a_unit_in_brackets_behind_its_number(tmp_path) -> None:
    rows = ("| ant | 0.0497(s) |", "| bee | 0.4 (s) |", "| cow | 0.22(s) |")
    table = read_text(tmp_path, markdown("| Library | serialize time |", *rows))
    assert table.frame["serialize time"].tolist() == [0.0497, 0.4, 0.22]


def test_a_box_without_a_rule_below_its_header(tmp_path) -> None:
    rows = ("| name | latency (ms) |", "| ant  | 12.5 |", "| bee  | 13.5 |", "| cow  | 14.5 |")
    text = "\n".join(["+------+------+", *rows, "+------+------+"]) + "\n"
    table = read_text(tmp_path, text, "log.txt")
    assert table.costs == ["latency (ms)"]
    assert table.frame.index.tolist() == ["ant", "bee", "cow"]


def test_macros_of_papers_name_their_own_system(tmp_path) -> None:
    body = (
        r"Model & \name-Mem & \name \\ flux & 0.9 & 0.8 \\ zeal & 0.7 & 0.6 \\ mirth & 0.5 & 0.4 \\"
    )
    text = rf"\begin{{tabular}}{{lrr}} {body} \end{{tabular}}"
    columns = read_text(tmp_path, text, "board.tex").inferred
    assert [column.name for column in columns] == ["name-Mem", "name"]


def test_multiples_stand_before_units_of_rates(tmp_path) -> None:
    rows = (
        "| ant | 132.13M samples/sec |",
        "| bee | 41.7K samples/sec |",
        "| cow | 2 G samples/sec |",
    )
    table = read_text(tmp_path, markdown("| Library | Throughput |", *rows))
    assert table.frame["Throughput"].tolist() == [132.13e6, 41700, 2e9]


def test_a_list_of_one_number_is_that_number(tmp_path) -> None:
    text = '{"ant": {"ratio": 2.5, "time": [8.5]}, "bee": {"ratio": 1.5, "time": [0.25]}}'
    table = read_text(tmp_path, text, "board.json")
    assert table.frame["time"].tolist() == [8.5, 0.25]
    several = text.replace("[8.5]", "[8.5, 8.75]").replace("[0.25]", "[0.25, 0.5]")
    assert "time" not in read_text(tmp_path, several, "b.json").frame
