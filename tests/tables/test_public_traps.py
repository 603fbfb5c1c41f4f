"""What tables of strangers taught: synthetic imitations of forms that were once misread."""

from __future__ import annotations

import json

import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.vocabulary import look_up_metric


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
