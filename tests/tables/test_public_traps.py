"""What tables of strangers taught: synthetic imitations of forms that were once misread."""

from __future__ import annotations

import json

import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.naming.questions import UndecidedError
from deabench.tables.naming.vocabulary import look_up_metric


def read_text(tmp_path, text: str, name: str = "board.md") -> db.Table:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return db.read(path)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("delta < 1.25", "output"),
        ("delta mAP", "left_out"),
        ("# Wins", "output"),
        ("# Anomalies", "left_out"),
        ("target_fpr", "left_out"),
        ("MSE_Gap", "conditional"),
        ("duality_gap", "lower_rate"),
        ("R2 ratio", "conditional"),
        ("wall_time_total", "cost"),
        ("total", "left_out"),
        ("cycl./map", "cost"),
        ("arc_easy/acc", "output"),
        ("ms/tok @ 8th", "cost"),
        ("percentile99", "cost"),
        ("PER", "lower_rate"),
        ("h_calls", "cost"),
        ("F16", None),
        ("F2", "output"),
        ("Q4_0", None),
        ("q95", "left_out"),
        ("Average Summary Length", "left_out"),
    ],
)
def test_words_mean_what_the_field_means(name, role) -> None:
    meaning = look_up_metric(name)
    assert (meaning and meaning.role) == role


def test_dashes_beside_percent_signs_are_empty_cells(tmp_path) -> None:
    rows = "|A|51.6%|9.9|\n|B|-----|~a lot|\n|C|—|7.5|\n|D|50%|4.6|\n"
    table = read_text(tmp_path, "|Model|Acc ↑|PPL ↓|\n|---|---|---|\n" + rows)
    assert table.outputs == ["Acc ↑"]
    assert table.percent == ["Acc ↑"]
    assert table.missing == {"Acc ↑": 2, "PPL ↓": 1}
    # A text beside percent signs is no number either, and the others stay.
    table = read_text(tmp_path, "|Model|Acc ↑|\n|---|---|\n|A|51.6%|\n|B|fails|\n|C|50%|\n")
    assert table.frame["Acc ↑"].dropna().tolist() == [51.6, 50]


def test_identity_switches_are_errors_beside_tracking_scores() -> None:
    tracking = {"model": ["A", "B"], "MOTA": [90.0, 88.7], "IDs": [422, 460]}
    assert db.read(tracking).inputs == ["IDs"]
    assert db.read({"model": ["A", "B"], "acc": [0.9, 0.8], "IDs": [1, 2]}).inputs == []


def test_differences_below_0_have_no_direction() -> None:
    signed = {"model": list("abc"), "R2": [0.9, 0.8, 0.7], "Mean_Residual": [-1.5, 2.0, 0.5]}
    table = db.read(signed)
    assert table.outputs == ["R2"]
    assert "below 0" in table.left_out["Mean_Residual"]
    sizes = db.read(signed | {"Mean_Residual": [1.5, 2.0, 0.5]})
    assert sizes.inputs == ["Mean_Residual"]


def test_losses_of_money_below_0_are_better_high() -> None:
    fund = {"fund": list("abc"), "Sharpe": [0.9, 0.8, 0.7], "Max Drawdown": [-0.3, -0.2, -0.1]}
    assert db.read(fund).outputs == ["Sharpe", "Max Drawdown"]
    assert db.read(fund | {"Max Drawdown": [0.3, 0.2, 0.1]}).inputs == ["Max Drawdown"]
    assert "Max Drawdown" in db.read(fund | {"Max Drawdown": [0.3, -0.2, 0.1]}).left_out


def test_what_each_employee_earns_is_no_number_of_employees() -> None:
    bank = {"bank": list("abc"), "profit": [3, 2, 1], "Business/Employee (Cr)": [9, 7, 8]}
    assert db.read(bank).outputs == ["profit", "Business/Employee (Cr)"]
    assert db.read(bank | {"Cost/Employee": [2, 1, 3]}).inputs == ["Cost/Employee"]


def test_bytes_that_are_encrypted_are_no_size() -> None:
    ciphers = {"cipher": list("abc"), "speed": [3, 2, 1], "Encrypt 128 bytes": [1.6, 1.2, 2.0]}
    table = db.read(ciphers)
    assert table.outputs == ["speed"]
    assert "Encrypt 128 bytes" in table.left_out


def test_a_benchmark_that_is_called_like_a_seed_is_one() -> None:
    shares = {"model": list("abc"), "GQA": [62.0, 63.3, 64.2], "SEED": [58.6, 61.6, 68.2]}
    assert db.read(shares).outputs == ["GQA", "SEED"]
    runs = db.read(shares | {"SEED": [1, 2, 3]})
    assert runs.outputs == ["GQA"]


def test_instances_below_systems_are_samples(tmp_path) -> None:
    results = {
        model: {f"repo__{k}": {"resolved": k % step == 0, "cost": 0.1 * step} for k in range(30)}
        for step, model in enumerate(("big", "small"), start=2)
    }
    table = read_text(tmp_path, json.dumps(results), "runs.json")
    assert table.kind == "long"
    assert (table.outputs, table.costs) == (["resolved"], ["cost"])
    assert table.frame["resolved"].tolist() == [15 / 30, 10 / 30]
    assert len(table.rows) == 60


def test_lists_of_results_below_a_system_are_columns(tmp_path) -> None:
    # The form of the indices of model zoos.
    entry = """
  - Name: {name}
    Metadata:
      Training Memory (GB): {memory}
    Results:
      - Task: Object Detection
        Dataset: COCO
        Metrics:
          box AP: {ap}
"""
    systems = [("tiny", 7.6, 41.1), ("small", 11.2, 44.6), ("large", 24.1, 51.5)]
    text = "Models:" + "".join(entry.format(name=n, memory=m, ap=a) for n, m, a in systems)
    table = read_text(tmp_path, text, "model-index.yml")
    assert table.label == ("Name",)
    assert table.outputs == ["Results.Object Detection.COCO.Metrics.box AP"]
    assert table.costs == ["Metadata.Training Memory (GB)"]


def test_a_second_header_of_units_has_no_name_and_no_number(tmp_path) -> None:
    text = r"""\begin{tabular}{l|cc|c}
Model & Speed & Average & CNN \\
\midrule
 & s & & R1 \\
\midrule
Large & 0.37 & 46.0 & 42.9 \\
XL & 1.51 & 47.2 & 43.8 \\
XXL & 0.24 & 46.6 & 43.0 \\
\end{tabular}"""
    table = read_text(tmp_path, text, "table.tex")
    assert list(table.frame.index) == ["Large", "XL", "XXL"]
    assert list(table.frame.columns) == ["Speed s", "Average", "CNN R1"]


def test_a_unique_name_stands_for_itself(tmp_path) -> None:
    rows = "|v1|org/a-7b|7.5|\n|v1|org/a-13b|7.1|\n|v2|org/b|8.2|\n"
    table = read_text(tmp_path, "|Version|Checkpoint|accuracy|\n|---|---|---|\n" + rows)
    assert table.label == ("Checkpoint",)
    rows = "|CNN|R50|7.5|\n|CNN|R101|7.1|\n|ViT|B|8.2|\n"
    table = read_text(tmp_path, "|Method|Stage|accuracy|\n|---|---|---|\n" + rows)
    assert table.label == ("Method", "Stage")


def test_data_sets_of_one_unnamed_system_are_no_systems(tmp_path) -> None:
    text = "benchmark,metric,value\nin,MASE,0.68\nin,WQL,0.53\nout,MASE,0.79\nout,WQL,0.62\n"
    with pytest.raises(DataError, match="no column names the systems"):
        read_text(tmp_path, text, "summary.csv")


def test_an_expected_label_is_the_truth(tmp_path) -> None:
    rows = "".join(f"{k},text {k},{k % 2},{k % 2},{k % 3 % 2}\n" for k in range(30))
    text = "id,text,expected_label,bert_label,detox_label\n" + rows
    table = read_text(tmp_path, text, "results.csv")
    assert table.kind == "predictions"
    assert set(table.rows["classifier"]) == {"bert_label", "detox_label"}


def test_what_is_asked_about_is_not_guessed(tmp_path) -> None:
    table = read_text(tmp_path, "model,zork,blip\nA,0.9,3.2\nB,0.8,4.1\nC,.7,5.5\n", "a.csv")
    assert table.guessed == ["zork", "blip"]
    assert table.outputs == []
    assert not any("taken as better" in note for note in table.notes)
    assert table.notes[-1].startswith("nothing tells whether higher or lower is better in 'zork'")


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (["AP", "AR"], {"AR": "output"}),
        (["AUC", "SE", "SP"], {"SE": "output", "SP": "output"}),
        (["OPEX", "Customers", "Energy"], {"OPEX": "cost", "Energy": "conditional"}),
        (["mean_ms", "min_ms", "max_ms"], {"mean_ms": "cost", "min_ms": "left_out"}),
        (["qps", "max_ms"], {"max_ms": "cost"}),
        # The longest times tell what their mean hides; the shortest are of no use.
        (["acc", "lat_avg", "lat_max"], {"lat_avg": "cost", "lat_max": "cost"}),
        (["acc", "lat_avg", "lat_min"], {"lat_avg": "cost", "lat_min": "left_out"}),
        (["avg memory", "max memory"], {"max memory": "cost"}),
        (["score_us", "error_us"], {"score_us": "cost", "error_us": "left_out"}),
        (["test_score", "test_error"], {"test_error": "lower_rate"}),
        (
            ["Mean", "Error", "StdDev", "Ratio", "Gen0", "Allocated"],
            {"Error": "left_out", "Ratio": "left_out", "Gen0": "cost", "Allocated": "cost"},
        ),
        (["acc", "error_handling"], {"error_handling": "output"}),
        (["acc", "eval_ns", "pk_bytes"], {"eval_ns": "cost", "pk_bytes": "cost"}),
        (["acc", "LLM Quality Score (1-10)"], {"LLM Quality Score (1-10)": "output"}),
        (["acc", "ImageNet linear"], {"ImageNet linear": "output"}),
        (["IPC", "CPI", "L1D Miss%"], {"IPC": "output", "CPI": "cost", "L1D Miss%": "lower_rate"}),
        (["IC", "Rank ICIR"], {"IC": "output", "Rank ICIR": "output"}),
    ],
)
def test_names_mean_what_the_names_beside_them_tell(names, roles) -> None:
    values = {name: [0.31 + k, 0.52 + k, 0.43 + k] for k, name in enumerate(names)}
    table = db.read({"system": list("abc")} | values)
    assert {name: table.column(name).role for name in roles} == roles


def test_drawdowns_below_0_are_not_better_low() -> None:
    returns = {"model": list("abc"), "annualized_return": [0.1, 0.2, 0.15]}
    assert db.read(returns | {"Max Drawdown": [0.2, 0.3, 0.25]}).inputs == ["Max Drawdown"]
    assert db.read(returns | {"Max Drawdown": [-0.2, -0.3, -0.25]}).inputs == []


def test_one_free_baseline_does_not_hide_the_sizes_of_the_others() -> None:
    sizes = {"model": list("abcdefghijkl"), "mse": [0.1 * k for k in range(1, 13)]}
    assert db.read(sizes | {"Params": [0, *range(5, 16)]}).costs == ["Params"]
    assert db.read(sizes | {"Params": [0, 0, *range(5, 15)]}).costs == []


def test_a_heading_names_the_benchmark_of_its_table(tmp_path) -> None:
    rows = "|A|30.6|23.8|34.8|\n|B|37.8|31.2|44.4|\n|C|35.4|30.0|41.6|\n"
    text = "|Model|North|South|West|\n|---|---|---|---|\n" + rows
    assert read_text(tmp_path, text).question is not None
    assert read_text(tmp_path, "## MMLU\n\n" + text).outputs == ["North", "South", "West"]
    wer = read_text(tmp_path, "## Results: WER\n\n" + text)
    assert wer.lower_rates == ["North", "South", "West"]
    # A sentence that says the contrary leaves it open.
    contrary = "## Accuracy\n\nLower error values are better.\n\n" + text.replace("A|", "A|", 1)
    assert read_text(tmp_path, contrary).lower_rates == ["North", "South", "West"]
    unclear = contrary.replace("|Model|North|", "|Model|AbsRel|")
    assert "South" in read_text(tmp_path, unclear).guessed


def test_rows_sorted_by_their_mean_tell_that_it_is_one_of_scores(tmp_path) -> None:
    header = "|Model|M-Avg|\n|---|---|\n"
    falling = "".join(f"|m{k}|{90 - 3.5 * k}|\n" for k in range(10))
    assert read_text(tmp_path, header + falling).outputs == ["M-Avg"]
    rising = "".join(f"|m{k}|{40 + 3.5 * k}|\n" for k in range(10))
    assert read_text(tmp_path, header + rising).outputs == []


def test_classes_and_data_sets_of_one_system_are_no_systems(tmp_path) -> None:
    classes = ("yes", "no", "macro avg", "weighted avg")
    report = {name: {"precision": 0.7 + k / 50, "support": 9} for k, name in enumerate(classes)}
    with pytest.raises(DataError, match="is a classification report"):
        read_text(tmp_path, json.dumps(report), "report.json")
    text = "Dataset,FID,Precision\nImageNet 64,2.07,0.74\nImageNet 128,2.97,0.78\n"
    with pytest.raises(DataError, match="pass label='Dataset'"):
        read_text(tmp_path, text, "sampler.csv")
    (tmp_path / "sampler.csv").write_text(text, encoding="utf-8")
    assert db.read(tmp_path / "sampler.csv", label="Dataset").outputs == ["Precision"]


def test_paths_of_files_name_no_systems(tmp_path) -> None:
    rows = "|configs/a.py|alpha|0.7|\n|configs/b.py|beta|0.8|\n"
    table = read_text(tmp_path, "|Config|Name|AP|\n|---|---|---|\n" + rows)
    assert table.label == ("Name",)


def test_a_raised_word_is_a_word_of_its_own(tmp_path) -> None:
    header = "|Model|AP<sup>test</sup>|AP<sub>50</sub><sup>test</sup>|R<sup>2</sup>|\n"
    table = read_text(
        tmp_path, header + "|---|---|---|---|\n|A|51.4|69.7|0.9|\n|B|53.1|71.2|0.8|\n"
    )
    assert table.outputs == ["AP test", "AP50 test", "R2"]


def test_constants_are_not_asked_about(tmp_path) -> None:
    text = "model,acc,zork\na,0.9,1.5\nb,0.8,1.5\nc,0.7,1.5\n"
    assert read_text(tmp_path, text, "a.csv").question is None


@pytest.mark.parametrize("setting", ["concurrency", "batch_size", "epoch", "threshold"])
def test_rows_that_differ_in_one_setting_are_a_curve_of_one_system(setting, tmp_path) -> None:
    text = f"{setting},accuracy,latency_ms\n1,0.7,10\n2,0.8,15\n4,0.85,40\n"
    table = read_text(tmp_path, text, "sweep.csv")
    assert table.question is not None
    assert table.question.answers == {"label": {"label": (setting,)}}
    with pytest.raises(UndecidedError, match=rf"differ in '{setting}'.*label=\['{setting}'\]"):
        db.rank(table)
    table = db.read(tmp_path / "sweep.csv", label=setting)
    assert (table.outputs, table.costs) == (["accuracy"], ["latency_ms"])


def test_trials_are_named_by_their_number(tmp_path) -> None:
    text = "number,value,params_lr\n0,0.5,0.01\n1,0.7,0.02\n2,0.6,0.03\n"
    assert read_text(tmp_path, text, "trials.csv").label == ("number",)


def test_cells_with_two_numbers_are_not_left_out_silently(tmp_path) -> None:
    rows = "|S0|75.7 / 76.2|0.9ms|\n|S1|79.0 / 79.7|1.1ms|\n|S2|81.6 / 82.0|1.6ms|\n"
    table = read_text(tmp_path, "|Model|Top-1|Latency|\n|---|---|---|\n" + rows)
    with pytest.raises(DataError, match=r"of 'S0' is '75.7 / 76.2', which is no number"):
        db.rank(table)
    ignored = db.read(table, ignore=["Top-1"])
    assert list(db.rank(ignored).data.inputs) == ["Latency"]


def test_a_heading_that_names_both_numbers_of_its_cells_is_two_columns(tmp_path) -> None:
    rows = "|S0|75.7 / 76.2|0.9ms|\n|S1|79.0 / 79.7|1.1ms|\n|S2|81.6 / 82.0|1.6ms|\n"
    table = read_text(tmp_path, "|Model|Top-1 (300/450)|Latency|\n|---|---|---|\n" + rows)
    assert table.outputs == ["Top-1 (300)", "Top-1 (450)"]
    assert table.frame["Top-1 (450)"].tolist() == [76.2, 79.7, 82.0]
    note = "the numbers in a cell of 'Top-1 (300/450)' are columns: 'Top-1 (300)', 'Top-1 (450)'"
    assert note in table.notes


def test_a_heading_of_costs_makes_costs_of_like_columns(tmp_path) -> None:
    rows = "|small|0.033|0.027|0.117|\n|large|0.045|0.036|0.275|\n|mid|0.031|0.019|0.124|\n"
    text = "|Model|A100|4090|Orin|\n|---|---|---|---|\n" + rows
    slow = read_text(tmp_path, "#### TTFT (Time-To-First-Token) ( Sec )\n\n" + text)
    assert slow.costs == ["A100", "4090", "Orin"]
    fast = read_text(tmp_path, "#### Decoding Throughput ( Token/sec )\n\n" + text)
    assert fast.outputs == ["A100", "4090", "Orin"]


def test_savings_are_better_high_and_usage_is_a_cost() -> None:
    assert look_up_metric("cost_savings").role == "output"
    assert look_up_metric("Minimum GPU Usage of Generating 2048 Tokens").role == "cost"
