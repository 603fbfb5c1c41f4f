"""Names of columns that many published tables have, beside names that only look like them."""

import pandas as pd
import pytest

from deabench.tables.naming.titles import meaning_of_heading
from deabench.tables.naming.vocabulary import look_up_beside, look_up_metric
from deabench.tables.read import read


def role_of(name: str) -> str | None:
    meaning = look_up_metric(name)
    return None if meaning is None else meaning.role


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (
            "left_out",
            "lookback_window, corr_window, patience, div_factor, imgsz, concurrent_tasks, wd, "
            "best_params_subsample, params_lr, max_turns, 并发, avg_length, Images, Articles, "
            "total_requests, Matches played, Laps, Phase, attempt, Avg Confidence, Time Series, "
            "missing_pct, epochs_completed, selection_rate_privileged, accuracy.total_samples, "
            "tokens_per_batch, threshold_tau, replicates, 試合数, acc_pm",
        ),
        (
            "output",
            "N@5, Precision50k, Whole AR, Car@R11, Exact, suffix OK, avg_option_coverage, "
            "delivered_ratio, gold_exposure_rate, return_on_assets, Capital adequacy ratio, "
            "Payoff Ratio, portfolio_final_value, PolStab_2015, RuleofLaw_2015, GovEffec_2015, "
            "Ton-miles, ATM Transaction, Off balance sheet item, MotionMark 1.2, pp 512, "
            "Shots on target, validation.artDesign, "
            "retention_pct, Sensivity, Specificaty, precison, 勝率, 勝ち数, "
            "ecapa cos, 函数名正确率, gpt-4o 参数名正确率, DL19",
        ),
        (
            "lower_rate",
            "wrong_tool_count, unauthorized_risky_visible_count, sla_violation_steps, "
            "dropped_gbit_total, parse_failures, loss_ratio_mean, concurrent_error_ratio, "
            "max_link_util, flaps_total, P_late, L∞ norm, L2 norm, VaR, CVaR, annual_vol, "
            "負け数, Non performing loan, stillBirths, unfilled orders, FP in negative set, "
            "False alarm (time / hour), cpu_temp, QC Gap (%)",
        ),
        (
            "cost",
            "Gallons, empexp, nbemp, faexp, intexp, core-hour, #Vision Param, mParams, "
            "params_active_b, Wattage, object's size, Tinfer, Idle CPU, CPU 耗时(ms), Model大小(M)",
        ),
        # The same words in names of something else.
        (
            "output",
            "return, deposits growth, images/s, false alarm recall, lost packet recovery rate",
        ),
        ("lower_rate", "validation error, non-performing loans, collisions"),
        ("left_out", "params_gamma, n_samples, window, false_positives"),
        ("cost", "employees, paid hours, params, duration_ratio (s)"),
    ],
)
def test_names_of_published_tables_have_their_role(role, names) -> None:
    assert {name: role_of(name) for name in names.split(", ")} == dict.fromkeys(
        names.split(", "), role
    )


@pytest.mark.parametrize("name", ["20k posts", "blue files", "unit window", "no_visible_rate"])
def test_a_noun_of_counts_is_a_whole_name(name) -> None:
    assert role_of(name) is None


@pytest.mark.parametrize(
    ("name", "other", "role"),
    [
        # Turnover is traded by a portfolio, and sold by a firm.
        ("turnover", "sharpe", "lower_rate"),
        ("turnover", "employees", None),
        ("full_rps", "winner_acc", "lower_rate"),
        ("rps", "latency", None),
        ("EER", "TPS", "output"),
        ("EER", "minDCF", None),
        ("Low_MSA_depth", "Average_Spearman", "output"),
        ("Function_Stability", "Average_MSE", "lower_rate"),
        ("Low_MSA_depth", "accuracy", None),
        ("oil", "protein", "output"),
        ("oil", "labour", "cost"),
        ("coverage", "accuracy", "output"),
        ("coverage", "interval_width", None),
        ("Edit", "F1@0.10", "output"),
        ("Edit", "price", None),
        ("education", "civic", "output"),
        ("education", "labour", None),
        ("PUB", "HiCi", "output"),
        ("PUB", "rent", None),
        ("fa", "empexp", "cost"),
        ("fa", "accuracy", None),
        ("n_vehicles", "E_cost", "cost"),
        ("vehicles", "labour", None),
        ("nodes", "LP iterations", "cost"),
        ("W", "ERA", "output"),
        ("W", "RBI", None),
        ("test-std", "test-dev", "output"),
        ("test-std", "test-mean", None),
        ("AR M", "AP", "output"),
        ("AR M", "price", None),
        ("Pandas", "Matplotlib", "output"),
        ("Pandas", "Polars", None),
        ("passes", "fails", "output"),
        ("passes", "goals", None),
        ("Set5", "Set4", "conditional"),
        ("Set5", "Set14", None),
        ("PER", "LOC", "output"),
        ("PER", "WER", None),
        ("PongNoFrameskip-v4", "BreakoutNoFrameskip-v4", "output"),
        ("Score Error (99.9%)", "Score", "left_out"),
    ],
)
def test_names_of_published_tables_beside_others(name, other, role) -> None:
    meaning = look_up_beside(name, [name, other])
    assert (meaning and meaning.role) == role


def test_a_number_behind_an_identifier_measures_what_its_brackets_say() -> None:
    rates = {"ar (Arabic) (WER)": [1.7, 3.5, 2.2], "no (Norwegian) (WER)": [2.5, 3.8, 1.9]}
    table = read({"model": ["A", "B", "C"], **rates})
    assert table.lower_rates == list(rates)
    errors = read(
        {"model": ["A", "B", "C"], "Top 7 Errors": [2.5, 3.8, 1.9], "acc": [0.7, 0.8, 0.9]}
    )
    assert errors.lower_rates == ["Top 7 Errors"]
    # Whole numbers may still number the rows.
    assert "no" in read({"model": ["A", "B"], "no": [1, 2], "accuracy": [0.7, 0.8]}).left_out


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Best T,s", "cost"),
        ("MaxMem, Mb", "cost"),
        ("Read, MB/s", "output"),
        ("RTF GPU", "cost"),
        ("time_gpu", "cost"),
        ("Model, s", "label"),
        ("Daily (time)", "cost"),
        ("greedy search (max-duration 100)", None),
        ("Tokens_PER_second", "output"),
        ("Price_PER_1M", "cost"),
        ("COST_PER_CALL", "cost"),
        ("Cross-Device", "conditional"),
        ("Set5", "output"),
        ("exam_comp_set5", None),
        ("Device", "left_out"),
        ("num_gpu", "left_out"),
        ("GPU", "left_out"),
    ],
)
def test_a_unit_behind_a_comma_and_a_device_behind_a_metric(name, role) -> None:
    assert role_of(name) == role


def test_parts_of_a_data_set_of_speech_are_error_rates_in_percent() -> None:
    frame = pd.DataFrame(
        {
            "Model": ["A", "B", "C"],
            "vox1-O-clean": [0.909, 0.872, 0.595],
            "vox1-H-clean": [1.7, 1.6, 1.2],
            "Dev": [7.8, 7.9, 7.2],
            "Test-Net": [8.7, 8.8, 8.1],
        }
    )
    table = read(frame)
    assert table.lower_rates == list(frame.columns[1:])
    assert {table.column(name).unit for name in table.lower_rates} == {"percent"}
    # Parts of other data sets have no direction by themselves.
    other = read(frame[["Model", "Dev"]].assign(Park=[7.1, 3.2, 5.0]))
    assert other.lower_rates == []


def test_classes_that_are_called_like_resources_are_classes() -> None:
    names = [
        "plane",
        "bcycl",
        "bus",
        "car",
        "horse",
        "knife",
        "mcycl",
        "person",
        "plant",
        "sktbrd",
        "train",
        "truck",
    ]
    rates = {name: [50.6 + k, 83.4 - k, 84.4, 70.2 + k / 2] for k, name in enumerate(names)}
    table = read(
        {"Methods": ["DAN", "DANN", "CDAN", "MCC"], "Mean": [60.0, 80.1, 81.2, 77.3], **rates}
    )
    assert not {"bus", "truck"} & set(table.costs)
    # Beside what producers make they are resources.
    farm = read(
        {"dmu": ["A", "B", "C"], "bus": [5, 9, 4], "truck": [1, 3, 2], "passengers": [90, 80, 70]}
    )
    assert farm.costs == ["bus", "truck"]


def test_a_data_set_in_a_heading_is_no_resource() -> None:
    assert meaning_of_heading("Results on Aircraft") is None
    assert meaning_of_heading("Runtime on Aircraft").role == "cost"


def test_coordinates_are_places_though_they_are_fractions() -> None:
    places = {"lat": [39.2, 38.9, 37.1], "lon": [22.8, 20.8, 21.4]}
    table = read(
        {"airport": ["A", "B", "C"], **places, "staff": [9, 8, 7], "passengers": [3, 2, 4]}
    )
    assert set(places) <= set(table.left_out)
    assert (table.costs, table.outputs) == (["staff"], ["passengers"])
    assert role_of("lat") == "cost"
    assert role_of("longitude") == "left_out"
