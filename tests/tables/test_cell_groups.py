"""Headers that group the same metrics below each system, with data sets in rows."""

from __future__ import annotations

import pytest

import deabench as db
from deabench.tables.readers.files import read_file

LATEX = r"""\begin{tabular}{l|c|ccc|ccc}
\toprule
 & & \multicolumn{3}{c|}{Random Forest} & \multicolumn{3}{c}{Ours ($\beta$=0.1)} \\
Dataset & Acc & Cvg & Width & NS & Cvg & Width & NS \\
\midrule
Maple & 0.71 & 0.91$\pm$0.01 & 21.4$\pm$1.2 & 410 & 0.92$\pm$0.01 & 18.9$\pm$1.0 & 380 \\
Birch & 0.84 & 0.90$\pm$0.02 & 11.8$\pm$0.5 & 320 & 0.90$\pm$0.02 & 10.7$\pm$0.4 & 300 \\
Alder & 0.88 & 0.89$\pm$0.01 & 13.1$\pm$0.3 & 310 & 0.91$\pm$0.01 & 12.2$\pm$0.2 & 295 \\
\bottomrule
\end{tabular}
"""


def test_the_groups_are_systems_and_the_metrics_keep_their_names(tmp_path) -> None:
    path = tmp_path / "table.tex"
    path.write_text(LATEX)
    table = db.read(path)
    assert table.frame.index.tolist() == ["Random Forest", "Ours (β=0.1)"]
    assert table.frame["Cvg"].tolist() == pytest.approx([0.9, 0.91])
    assert table.rows is not None
    assert table.rows["dataset"].tolist() == 2 * ["Maple", "Birch", "Alder"]
    assert table.question is not None
    assert {*table.question.columns} <= {"Cvg", "Width", "NS"}
    assert "columns that belong to no system are left out: 'Acc'" in table.notes


def test_known_metrics_need_no_different_scales_and_a_mean_is_no_data_set(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        ",SVM,,Theta (ours),\n"
        "Data set,Precision,Recall,Precision,Recall\n"
        "maple,0.80,0.70,0.60,0.90\n"
        "birch,0.90,0.60,0.70,0.80\n"
        "Average,0.85,0.65,0.65,0.85\n"
    )
    table = db.read(path)
    assert table.frame.index.tolist() == ["SVM", "Theta (ours)"]
    assert table.outputs == ["Precision", "Recall"]
    assert table.frame["Recall"].tolist() == pytest.approx([0.65, 0.85])
    assert table.rows is not None
    assert len(table.rows) == 4


@pytest.mark.parametrize(
    "lines",
    [
        # Systems in rows, data sets above their metrics.
        [",COCO,,LVIS,", "Method,AP,FPS,AP,FPS", "Zeta,40.1,20,30.2,21", "Theta,41,22,31,22"],
        # Metrics above systems: the numbers below each system differ.
        [",Cvg,,Width,", "Dataset,Zeta,Theta,Zeta,Theta", "maple,0.9,0.8,21,22", "b,0.8,0.9,19,18"],
        # The parts of a data set are no systems.
        [",Train,,Test,", "Dataset,Acc,F1,Acc,F1", "maple,0.9,0.8,0.7,0.6", "b,0.9,0.8,0.7,0.6"],
        # Other metrics below each group.
        [",Zeta,,Theta,", "Dataset,Acc,F1,Acc,AUC", "maple,0.9,0.8,0.7,0.6", "b,0.9,0.8,0.7,0.6"],
    ],
)
def test_other_groups_of_columns_stay_columns(lines, tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines))
    source = read_file(path)
    assert len(source.frame) == 2
    assert "system" not in source.frame


def test_headings_above_rows_of_the_same_names_are_their_groups(tmp_path) -> None:
    rule = "+-------+-------+-------+\n"
    cells = "| {:<5} | {:<5} | {:<5} |\n"
    heading = "| {:<21} |\n"
    rows = [
        cells.format("Cores", "Setup", "Solve"),
        rule.replace("-", "="),
        heading.format("*Coarse, 1 thread*"),
        *(cells.format(*row) for row in [(32, 4.5, 51.3), (64, 6.2, 57.9)]),
        heading.format("*Fine, 1 thread*"),
        *(cells.format(*row) for row in [(32, 3.9, 62.8), (64, 4.1, 71.4)]),
    ]
    path = tmp_path / "scaling.rst"
    path.write_text(rule + rows[0] + rows[1] + rule.join([*rows[2:], ""]))
    source = read_file(path)
    assert source.frame["group"].tolist() == 2 * ["Coarse, 1 thread"] + 2 * ["Fine, 1 thread"]
    assert source.frame["Cores"].tolist() == ["32", "64", "32", "64"]
    assert source.notes[0].startswith("rows without values name the groups of those below")


def test_headings_above_rows_of_other_names_are_left_out(tmp_path) -> None:
    path = tmp_path / "table.md"
    head = "| Model | F1 | Time |\n|---|---|---|\n"
    path.write_text(f"{head}| Open | | |\n| a | 0.9 | 3 |\n| Closed | | |\n| b | 0.8 | 2 |\n")
    assert list(read_file(path).frame) == ["Model", "F1", "Time"]
    # A system on both sides of one heading is no group.
    path.write_text(f"{head}| a | 0.9 | 3 |\n| Closed | | |\n| a | 0.8 | 2 |\n")
    assert list(read_file(path).frame) == ["Model", "F1", "Time"]


def test_a_table_in_two_halves_side_by_side_is_one(tmp_path) -> None:
    path = tmp_path / "languages.md"
    header = "| Model | Accuracy | F1 | Model | Accuracy | F1 |\n|-|-|-|-|-|-|\n"
    path.write_text(header + "| A | 0.9 | 0.8 | C | 0.7 | 0.9 |\n| B | 0.6 | 0.7 | | | |\n")
    table = db.read(path)
    assert list(table.frame.index) == ["A", "B", "C"]
    assert "columns that repeat side by side are read as one table" in table.notes
    # The same systems in both halves are measured twice.
    path.write_text(
        header + "| A | 0.9 | 0.8 | A | 0.7 | 0.9 |\n| B | 0.6 | 0.7 | B | 0.5 | 0.6 |\n"
    )
    assert len(db.read(path).frame.columns) == 4


@pytest.mark.parametrize("groups", [("K=10", "K=20"), ("Head", "Tail"), ("Class A", "Class B")])
def test_conditions_classes_and_settings_above_metrics_are_no_systems(tmp_path, groups) -> None:
    path = tmp_path / "table.md"
    path.write_text(
        f"| Dataset | {groups[0]} | | {groups[1]} | |\n|---|---|---|---|---|\n"
        "| | Recall | NDCG | Recall | NDCG |\n| Beauty | 61 | 52 | 73 | 64 |\n"
        "| Sports | 60 | 50 | 71 | 61 |\n"
    )
    with pytest.raises(db.DataError, match="no column names the systems"):
        db.rank(path)


@pytest.mark.parametrize("headings", [("Cold", "Warm"), ("2023", "2024")])
def test_headings_group_rows_whose_names_repeat_unless_they_are_numbers(tmp_path, headings) -> None:
    path = tmp_path / "table.md"
    rows = ["| SVM | 80 | 81 |", "| RF | 82 | 85 |"]
    lines = ["| Model | Acc | F1 |", "|---|---|---|"]
    for heading in headings:
        lines += [f"| **{heading}** | **{heading}** | **{heading}** |", *rows]
    path.write_text("\n".join(lines) + "\n")
    table = db.read(path)
    assert ("group" in table.label) == (headings[0] == "Cold")
    assert table.question is not None


@pytest.mark.parametrize("groups", [("nbody", "fannkuch"), ("Baseline", "Ours")])
def test_languages_in_rows_are_compared_whatever_stands_above_the_metrics(tmp_path, groups) -> None:
    path = tmp_path / "table.md"
    path.write_text(
        f"| Language | {groups[0]} | | {groups[1]} | |\n|---|---|---|---|---|\n"
        "| | Time (s) | Memory (MB) | Time (s) | Memory (MB) |\n"
        "| Rust | 1 | 2 | 3 | 4 |\n| Go | 2 | 3 | 4 | 5 |\n| Java | 3 | 9 | 2 | 8 |\n"
    )
    assert list(db.read(path).frame.index) == ["Rust", "Go", "Java"]
