"""Directions that values, captions and neighbours tell, and those that they leave open."""

from __future__ import annotations

import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.tables.naming.vocabulary import look_up_metric

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def read_text(tmp_path, text: str, name: str = "board.md") -> db.Table:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return db.read(path)


def rates(shift: float, rows: int = 3) -> pd.DataFrame:
    """Return rates in percent of unknown names, with their median near 45 + shift."""
    names = ("north", "south", "west", "east")
    columns = {
        name: [45.5 + shift + 3.3 * (j - 1.5) + 2.1 * k for k in range(rows)]
        for j, name in enumerate(names)
    }
    return pd.DataFrame({"model": [f"m{k}" for k in range(rows)], **columns})


def test_rates_mostly_above_two_fifths_are_qualities() -> None:
    assert db.read(rates(0)).outputs == ["north", "south", "west", "east"]
    assert db.read(rates(-15)).question is not None
    # Two systems are enough for many rates, shares of any height are not.
    two_systems = rates(0, rows=2)
    assert db.read(two_systems).question is not None
    many_rates = two_systems.assign(centre=[44.4, 46.2])
    assert db.read(many_rates).outputs == ["north", "south", "west", "east", "centre"]
    shares = rates(0).set_index("model").div(100).reset_index()
    assert db.read(shares).question is not None


def test_a_caption_that_ends_with_a_unit_of_time_tells_that_all_are_times(tmp_path) -> None:
    table = (
        "\\begin{table}\\caption{各模型在AR1和BTC数据集上的平均建模时间（s）}\n"
        "\\begin{tabular}{lrrr} Model & AR1 1 & BTC 1 & BTC 3 \\\\ \\midrule\n"
        "A & 351.2 & 412.9 & 433.1 \\\\ B & 290.4 & 388.1 & 401.7 \\\\ C & 502.6 & 610.3 & 633.3 "
        "\\\\ \\end{tabular}\\end{table}"
    )
    assert read_text(tmp_path, table, "times.tex").costs == ["AR1 1", "BTC 1", "BTC 3"]


def test_a_rating_that_lies_between_columns_is_not_their_mean() -> None:
    table = pd.DataFrame(
        {
            "facility_name": list("abcdefgh"),
            "mort_ami": [16.6, 12.8, 12.2, 12.1, 12.9, 13.1, 11.9, 11.1],
            "comp_hip": [4.5, 3.8, 4.7, 3.7, 3.9, 3.9, 3.7, 4.1],
            "ratio_hf": [1.02, 1.03, 1.11, 0.97, 1.05, 1.02, 0.97, 1.95],
            "overall_rating": [2.0, 3.0, 2.0, 3.0, 2.0, 2.0, 3.0, 3.0],
        }
    )
    assert "mort_ami" not in db.read(table).outputs


def test_values_tell_years() -> None:
    table = pd.DataFrame(
        {
            "board": list("abcd"),
            "build": [1997, 2007, 2013, 2021],
            "score": [7.5, 81.5, 150.2, 197.1],
        }
    )
    columns = {column.name: column for column in db.read(table, label="board").columns}
    assert columns["build"].reason == "its values are years"


def test_the_unit_of_cells_tells_of_what_a_mean_is_one(tmp_path) -> None:
    text = (
        "| Runtime | Mean | Median |\n|---|---:|---:|\n"
        "| A | 1.624 ms | 1.599 ms |\n| B | 1.920 ms | 1.929 ms |\n| C | 2.794 ms | 2.812 ms |\n"
    )
    assert read_text(tmp_path, text).costs == ["Mean", "Median"]


def test_letters_of_production_are_inputs() -> None:
    table = pd.DataFrame(
        {
            "Firm": list("abcd"),
            "Y": [21.4, 41.8, 15.5, 3.7],
            "K": [5895.5, 7412.6, 4256.0, 1187.8],
            "L": [31.3, 38.4, 19.5, 8.4],
            "M": [14426.1, 35282.4, 14633.6, 4219.0],
        }
    )
    assert {"K", "L", "M"} <= {*db.read(table).inputs}


def test_a_metric_of_the_title_that_a_column_names_is_no_metric_of_all(tmp_path, capsys) -> None:
    path = tmp_path / "corpus_hours.csv"
    path.write_text(
        "Language,Transcribed Hours,Transcribed Speakers,Transcribed Tokens\n"
        "English,543,1313,48\nGerman,282,531,23\nFrench,211,534,21\nSpanish,166,305,15\n"
    )
    assert main(["rank", str(path)]) == 1
    assert "the file's name says" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "role"),
    [("time_limit_sec", "left_out"), ("timeout (min)", "left_out"), ("prompt lag", "cost")],
)
def test_limits_of_time_are_settings_and_lags_are_times(name, role) -> None:
    assert look_up_metric(name).role == role


def test_a_corner_names_the_rows_before_the_data_sets(tmp_path) -> None:
    rows = "google,33.4,39.0,28.1\nazure,31.5,37.0,30.2\nargos,19.4,21.0,22.9\n"
    table = read_text(tmp_path, "Translator/Dataset,wmt18,wmt19,talks\n" + rows, "zh_en.csv")
    assert table.label == ("Translator/Dataset",)
    assert "wmt19" in table.outputs


def test_a_column_of_numbers_is_no_name_of_systems(tmp_path) -> None:
    text = "|Highest FPS|Laptop (12)|Rack (96)|\n|---|---|---|\n|Loop|4,893|7,914|\n"
    text += "|Process|15,863|47,699|\n|**Pool**|**49,439**|**100,428**|\n|NUMA|/|220,001|\n"
    table = read_text(tmp_path, text)
    assert table.label == ("Highest FPS",)
    assert table.outputs == ["Laptop (12)", "Rack (96)"]


def test_one_name_like_a_network_makes_no_systems_of_many_columns(tmp_path) -> None:
    sets = [f"Cohort{k}" for k in range(5)]
    frame = pd.DataFrame({name: [81.5 + k, 75.3, 70.1 - k] for k, name in enumerate(sets)})
    frame.insert(0, "Pipeline", ["CSP", "TS", "MDM"])
    frame["PhysioNet"] = [66.5, 61.2, 59.9]
    assert db.read(frame).outputs == [*sets, "PhysioNet"]


def test_a_sparse_unknown_column_asks_nothing(tmp_path) -> None:
    header = "model,accuracy,flux\n"
    rows = [f"m{k},{0.5 + k / 50}," for k in range(9)]
    rows[0] += "3.5"
    rows[1] += "2.5"
    assert read_text(tmp_path, header + "\n".join(rows[:9]), "a.csv").question is None
    # In few rows every value counts.
    assert read_text(tmp_path, header + "\n".join(rows[:4]), "b.csv").question is not None


def test_what_rises_in_step_with_a_cost_is_no_score(tmp_path) -> None:
    rows = "".join(f"m{k},{1.517 * k:.3f},{1.109 * k:.3f}\n" for k in range(1, 8))
    table = read_text(tmp_path, "library,Time (s),multiple\n" + rows, "a.csv")
    assert table.outputs == []
    assert table.inputs == ["Time (s)"]


@pytest.mark.parametrize(
    ("header", "outputs", "inputs"),
    [
        ("athlete,100m,Long.jump,Shot.put,110m.hurdle", ["Long.jump", "Shot.put"], 2),
        ("athlete,run200m,highjump,javelin,hurdles", ["highjump", "javelin"], 2),
        ("model,fit_time,score_time,test_score,train_score", ["test_score"], 2),
        ("agent,accuracy,cost_usd,Tokens,steps_total", ["accuracy"], 1),
        ("agent,Pass,Partial,cost_usd,latency_s", ["Pass", "Partial"], 2),
        ("model,roc_auc,KS statistic,time_s,memory_mb", ["roc_auc", "KS statistic"], 2),
        ("school,graduation,gradrate,staff,expend", ["gradrate"], 2),
        ("institute,publications,Scopus,Rfunding,staff", ["publications", "Scopus", "Rfunding"], 1),
    ],
)
def test_names_beside_their_like(header, outputs, inputs, tmp_path) -> None:
    rows = "A,0.41,0.62,0.53,0.91\nB,0.43,0.66,0.58,0.95\nC,0.42,0.61,0.59,0.94\n"
    table = read_text(tmp_path, f"{header}\n{rows}D,0.44,0.63,0.61,0.93\n", "a.csv")
    assert table.outputs == outputs
    assert len(table.inputs) == inputs


def test_a_sentence_says_what_a_column_holds(tmp_path) -> None:
    table = "|Method|Doppler|NLL|\n|---|---|---|\n|A|5537|3.01|\n|B|1758|1.72|\n|C|969|1.3|\n\n"
    text = "Doppler values are RMSE in Hz. Everything else is as before.\n"
    assert "Doppler" in read_text(tmp_path, table + text).inputs
    other = "Doppler values are taken at noon, and RMSE elsewhere.\n"
    assert "Doppler" not in read_text(tmp_path, table + other).inputs


def test_no_answer_is_a_loss_and_plus_minus_a_spread(tmp_path) -> None:
    rows = "A,71.4,0.3,0.6\nB,52.6,0.8,1.1\nC,33.4,0.1,1.3\n"
    table = read_text(tmp_path, "model,accuracy,No answer,+/-pp\n" + rows, "a.csv")
    assert table.lower_rates == ["No answer"]
    assert table.question is None
    assert table.column("+/-pp").kind == "spread"


def test_programming_models_are_systems(tmp_path) -> None:
    rows = "Skylake,211099.8,180202.1,70606.8\nRome,304928.8,481260.3,162005.9\n"
    table = read_text(tmp_path, f"Device,OpenMP,Kokkos,SYCL\n{rows}", "bandwidths.csv")
    assert table.kind == "datasets"


def test_faults_and_spending_have_directions(tmp_path) -> None:
    rows = "A,71.4,3.1,0.6,12.5\nB,52.6,8.2,1.1,13.5\nC,33.4,1.3,1.3,11.1\n"
    header = "agent,Number of test runs per second,trailing_breaches,wall_min,spending\n"
    table = read_text(tmp_path, header + rows, "a.csv")
    assert table.outputs == ["Number of test runs per second"]
    assert set(table.inputs) >= {"wall_min", "spending"}
    assert table.lower_rates == ["trailing_breaches"]
    assert table.question is None


def test_a_score_of_ranks_is_a_score(tmp_path) -> None:
    """A rank is better low; what rises with a score of ranks is not."""
    rows = [f"m{k},{0.9 - 0.01 * k:.2f},{1.9 - 0.1 * k:.1f},{1.3 - 0.1 * k:.1f}" for k in range(9)]
    table = read_text(tmp_path, "\n".join(["model,accuracy,hlcc,rank_score", *rows]), "b.csv")
    columns = {column.name: column.role for column in table.columns}
    assert columns["rank_score"] == "output"
    assert columns["hlcc"] != "lower_rate"


@pytest.mark.parametrize(
    ("name", "role"),
    [("Score (WER)", "lower_rate"), ("Miles_per_Gallon", "output"), ("Regressions", "lower_rate")],
)
def test_error_rates_in_brackets_distances_per_fuel_and_counts_of_faults(name, role) -> None:
    assert look_up_metric(name).role == role


@pytest.mark.parametrize(
    ("text", "name", "unasked"),
    [
        # Costs stay costs below a caption that begins with a quality.
        (
            "# Accuracy for each model\n\n|Model|Acc|Memory|Cost|\n|-|-|-|-|\n"
            "|A|90|10|3|\n|B|80|5|2|\n|C|70|4|1|\n",
            "b.md",
            {"Acc": "output", "Memory": "cost", "Cost": "cost"},
        ),
        # A loss falls with the context, too.
        (
            "Model,1k,2k,4k,8k,16k\nA,2.98,2.9,2.8,2.7,2.6\nB,2.99,2.95,2.9,2.8,2.7\n"
            "C,2.97,2.85,2.75,2.7,2.65\n",
            "models.csv",
            None,
        ),
        # A word within the file's name is no metric of its cells.
        (
            "model,north,south,west\nA,0.3,0.2,0.4\nB,0.35,0.25,0.3\nC,0.31,0.2,0.35\n",
            "loss_functions.csv",
            None,
        ),
        # Numbers of nodes are no lengths of words, in bits.
        (
            "system,accuracy,nodes\nA,.9,8\nB,.8,16\nC,.7,32\nD,.95,64\n",
            "b.csv",
            None,
        ),
    ],
)
def test_common_tables_are_not_misread(tmp_path, text, name, unasked) -> None:
    table = read_text(tmp_path, text, name)
    if unasked is None:
        assert table.question is not None
        return
    roles = {column.name: column.role for column in table.columns}
    assert {metric: roles[metric] for metric in unasked} == unasked


def test_a_unit_behind_a_heading_is_no_metric_beside_one(tmp_path) -> None:
    text = "### Accuracy at a budget of time (min)\n\n|Model|Foo|Bar|Baz|\n|-|-|-|-|\n" + "".join(
        f"|{name}|{a}|{a + 3}|{a + 5}|\n" for name, a in (("A", 78), ("B", 81), ("C", 85))
    )
    assert read_text(tmp_path, text).costs == []


def test_two_tables_over_pages_stay_two(tmp_path) -> None:
    def longtable(names: str, rows: str) -> str:
        head = f"Model & {names} \\\\ \\hline"
        return (
            "\\begin{longtable}{lrr}\n"
            f"{head}\n\\endfirsthead\n{head}\n\\endhead\n{rows}\\end{{longtable}}\n"
        )

    first = longtable("Acc & F1", "A & 90 & 80 \\\\\nB & 85 & 84 \\\\\nC & 70 & 71 \\\\\n")
    second = longtable("Time & Memory", "D & 9 & 8 \\\\\nE & 5 & 4 \\\\\nF & 7 & 1 \\\\\n")
    path = tmp_path / "two.tex"
    path.write_text(first + second, encoding="utf-8")
    table = db.read(path)
    assert table.frame.index.tolist() == ["A", "B", "C"]
    assert table.outputs == ["Acc", "F1"]


def test_kinds_of_memory_are_benchmarks_and_memory_is_spent() -> None:
    meanings = [look_up_metric(name) for name in ("Long-term memory (LoCoMo)", "Peak memory")]
    assert [meaning.role for meaning in meanings] == ["output", "cost"]


def test_a_plus_minus_of_errors_is_an_error() -> None:
    columns = {"name": ["a", "b", "c"], "Plus-Minus": [-1.6, 0.3, 0.9]}
    assert db.read(columns).outputs == ["Plus-Minus"]
    table = db.read(columns | {"Average Error": [3.9, 4.1, 4.8]})
    assert {"Plus-Minus", "Average Error"} <= {*table.lower_rates, *table.costs}


def test_environments_in_rows_hold_returns(tmp_path) -> None:
    """Of returns more is better whatever their size; on other names nothing tells that."""
    header = "| Task | BC | TD3+BC | IQL |\n|---|---|---|---|\n"
    rows = (
        "| {}halfcheetah-medium-v2 | 42.4 | 48.1 | 148.3 |\n"
        "| {}hopper-medium-v2 | 53.5 | 60.4 | 67.5 |\n"
        "| {}walker2d-medium-v2 | 63.2 | 82.7 | 80.9 |\n"
    )
    table = read_text(tmp_path, header + rows.replace("{}", ""))
    assert (table.kind, table.outputs, table.question) == ("datasets", ["score"], None)
    unknown = rows
    for k, name in enumerate(("halfcheetah-medium-v2", "hopper-medium-v2", "walker2d-medium-v2")):
        unknown = unknown.replace("{}" + name, f"case {k}")
    assert read_text(tmp_path, header + unknown, "b.md").question is not None


def test_systems_in_columns_take_the_direction_of_their_surroundings(tmp_path) -> None:
    """What rows of chance tell of systems in rows, a column of chance tells of the others."""
    rows = "| a | 0.42 | 0.48 | 0.33 | 0.39 | {0} |\n| b | 0.53 | 0.60 | 0.42 | 0.48 | {0} |\n"
    header = "| Dataset | BERT | RoBERTa | XLNet | ELMo | {} |\n|---|---|---|---|---|---|\n"
    chance = read_text(tmp_path, header.format("Random guess") + rows.format(0.25))
    assert (chance.kind, chance.outputs) == ("datasets", ["score"])
    worse = read_text(tmp_path, header.format("Random guess") + rows.format(0.75), "b.md")
    assert worse.lower_rates == ["score"]
    assert read_text(tmp_path, header.format("GPT-2") + rows.format(0.25), "c.md").question


@pytest.mark.parametrize(
    ("heading", "outputs", "lower_rates"),
    [
        ("WER: all plugins", [], ["WER"]),
        ("Setup: all plugins", [], []),
        # Settings, names of people and places, and what a second metric stands beside.
        ("Precision: float32", [], []),
        ("Precision: half", [], []),
        ("SNR: babble", [], []),
        ("WER: 10 dB", [], []),
        ("WER: noisy speech (s)", [], []),
        ("WER: training time", [], []),
        ("Loss: hinge", [], []),
        ("F1: Monaco", [], []),
        # A stated direction speaks of the table, and decides.
        ("Bandwidth: gigabit\n\nLower is better.", [], ["score"]),
        ("WER: all plugins\n\nThe accuracy is in Table 3.", [], []),
    ],
)
def test_a_heading_names_the_metric_of_systems_in_columns(
    tmp_path, heading, outputs, lower_rates
) -> None:
    rows = "|dataset/model|tiny|base|large|\n|-|-|-|-|\n|a|0.3|0.2|0.1|\n|b|0.5|0.4|1.2|\n"
    table = read_text(tmp_path, f"# {heading}\n\n{rows}")
    assert table.kind == "datasets"
    assert (table.outputs, table.lower_rates) == (outputs, lower_rates)
    assert (table.question is None) == bool(outputs + lower_rates)


ENVIRONMENTS = (
    "| Dataset | PPO | SAC |\n|---|---|---|\n| Hopper-v4 | 900 | 300 |\n"
    "| Walker2d-v4 | 800 | 350 |\n| HalfCheetah-v4 | 700 | 250 |\n"
)


@pytest.mark.parametrize(
    ("text", "outputs", "lower_rates"),
    [
        ("## Mean return", ["score"], []),
        ("Environment steps until solved. Lower is better.", [], ["score"]),
        *(
            (f"## {heading}", [], [])
            for heading in (
                "Training time in hours",
                "Peak memory (MB)",
                "Energy (J)",
                "RMSE of dynamics models",
                "Std. deviation over seeds",
                "Regret",
                "Number of violations",
            )
        ),
    ],
)
def test_environments_hold_returns_where_the_text_names_nothing_else(
    tmp_path, text, outputs, lower_rates
) -> None:
    table = read_text(tmp_path, f"{text}\n\n{ENVIRONMENTS}")
    assert (table.outputs, table.lower_rates) == (outputs, lower_rates)
    assert (table.question is None) == bool(outputs + lower_rates)


def test_a_file_called_by_spending_holds_no_returns(tmp_path) -> None:
    assert read_text(tmp_path, ENVIRONMENTS, "peak_memory.md").outputs == []


def test_percent_below_a_stated_direction_are_complemented(tmp_path) -> None:
    """100 minus a percentage that is better low is better high, as in any other table."""
    text = "Lower is better.\n\n| dataset | A | B |\n|---|---|---|\n| a | 52.2 | 70.5 |\n"
    table = read_text(tmp_path, f"{text}| b | 8.4 | 74.0 |\n| c | 73.2 | 20.5 |\n")
    assert table.lower_rates == ["score"]
    (column,) = table.metrics
    assert (column.unit, column.high) == ("percent", 100.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "## CPU usage in percent",
        "## Compressed size in percent of the original",
        # Single words of a heading or a text are no metric of the table.
        "## Classifiers trained by minimum error",
        "## Low-latency models",
        "## Results\n\nAll models reach the same accuracy.",
    ],
)
def test_high_percentages_of_systems_in_columns_are_asked_about(tmp_path, text) -> None:
    rows = "".join(
        f"| case {k} | {80.1 + k} | {70.3 + k} | {60.2 + k} | {52.4 + k} |\n" for k in range(9)
    )
    head = "| dataset | SVM | kNN | Random Forest | XGBoost |\n|---|---|---|---|---|\n"
    assert read_text(tmp_path, f"{text}\n\n{head}{rows}").question is not None


def test_the_order_of_columns_tells_nothing_of_systems(tmp_path) -> None:
    """Slow programs may stand first."""
    names = ["MySQL", "MariaDB", "PostgreSQL", "SQLite", "MongoDB", "Redis", "DuckDB", "ClickHouse"]
    rows = [f"t{k}," + ",".join(str(900 - 90 * i + k) for i in range(8)) for k in range(4)]
    text = "\n".join(["dataset," + ",".join(names), *rows])
    assert read_text(tmp_path, text, "runs.csv").question is not None


@pytest.mark.parametrize("in_columns", [True, False])
def test_shares_of_which_some_are_1_are_asked_about(tmp_path, in_columns) -> None:
    """Values of p, and what is divided by that of the worst method, are shares, too."""
    bests = {3: 1.0, 5: 1.0}
    frame = pd.DataFrame(
        {f"d{k}": [0.62 + 0.02 * k, 0.95 - 0.02 * k, bests.get(k, 0.81)] for k in range(12)},
        index=["SVM", "kNN", "MLP"],
    ).round(2)
    text = (frame.T.rename_axis("dataset") if in_columns else frame.rename_axis("method")).to_csv()
    assert read_text(tmp_path, text, "runs.csv").question is not None
