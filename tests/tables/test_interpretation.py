"""A table is interpreted once: its cells are parsed once, and a Table passes through unchanged."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

import deabench as db
from deabench.tables import cells, interpretation
from deabench.tables.recognition.layout import has_systems_in_columns

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "model": list("abcdef"),
        "accuracy": [0.9, 0.85, 0.8, 0.7, 0.6, 0.65],
        "err": [0.1, 0.05, 0.2, 0.02, 0.3, 0.25],
        "latency_ms": [500.0, 120, 60, 20, 30, 100],
        "seed": [1, 2, 3, 4, 5, 6],
    }
)


@pytest.fixture
def parsed(monkeypatch) -> Counter[str]:
    """Count how often each column is parsed."""
    counts: Counter[str] = Counter()
    parse_numbers = cells.parse_numbers

    def counting(column: pd.Series, **options: bool) -> cells.Numbers | None:
        counts[str(column.name)] += 1
        return parse_numbers(column, **options)

    monkeypatch.setattr(cells, "parse_numbers", counting)
    monkeypatch.setattr(interpretation, "parse_numbers", counting)
    return counts


def test_rank_parses_each_column_of_a_file_once(parsed, tmp_path) -> None:
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    db.rank(str(tmp_path / "table.csv"))
    assert parsed == dict.fromkeys(TABLE.columns, 1)


def test_rank_parses_each_column_of_a_labelled_frame_once(parsed) -> None:
    frame = TABLE.set_index("model")
    db.rank(frame, reference=db.read(frame))
    assert parsed == dict.fromkeys(frame.columns, 2)  # once for each of the two


def test_a_table_passes_through_and_is_never_parsed_again(parsed) -> None:
    table = db.read(TABLE.set_index("model"))
    parsed.clear()
    assert db.read(table) is table
    lower = db.read(table, lower_is_better={"latency_ms": "input"})
    db.rank(lower)
    db.frontier(table)
    db.targets(table, table)
    db.report(table)
    assert not parsed


def test_what_lower_is_better_declares_is_carried_by_the_table() -> None:
    table = db.read(TABLE, lower_is_better={"accuracy": 1.0, "seed": "input"})
    assert table.complemented == {"accuracy": 1.0, "err": 1.0}
    assert table.inputs == ["seed"]
    assert table.left_out["latency_ms"] == "other inputs are named"
    ranking = db.rank(table, outputs=["err"])
    assert {*ranking.data.outputs} == {"err", "accuracy"}
    assert list(ranking.data.inputs) == ["seed"]


def test_rows_without_a_label_name_no_system() -> None:
    matrix = pd.DataFrame({"task": ["mmlu", None], "gpt-4o": [0.8, 0.7], "llama-3-8b": [0.6, 0.5]})
    assert has_systems_in_columns(matrix, [], list(matrix)[1:], "task")


def test_columns_that_are_called_like_metrics_are_systems_beside_the_metrics(tmp_path) -> None:
    path = tmp_path / "beauty.md"
    path.write_text(
        "| Metric | GRU4Rec | SASRec | FEARec | BERT4Rec | Improvement% |\n"
        "|---|---|---|---|---|---|\n"
        "| Hit@10 | 0.0623 | 0.0842 | 0.0854 | 0.0404 | +1.4% |\n"
        "| NDCG@10 | 0.0342 | 0.0421 | 0.0433 | 0.0211 | +2.8% |\n"
        "| MRR@10 | 0.0242 | 0.0321 | 0.0337 | 0.0157 | +4.9% |\n"
    )
    table = db.read(path)
    assert table.kind == "metrics-in-rows"
    assert table.outputs == ["Hit@10", "NDCG@10", "MRR@10"]
    assert list(table.frame.index) == ["GRU4Rec", "SASRec", "FEARec", "BERT4Rec"]
    assert "without the changes in 'Improvement%'" in table.notes[0]


def test_methods_that_are_called_like_benchmarks_stay_in_rows(tmp_path) -> None:
    path = tmp_path / "match.md"
    rows = (
        "| SuperPoint + SuperGlue | 46.5 |\n| SuperPoint + NN | 39.9 |\n| D2 + SuperGlue | 44.1 |\n"
    )
    path.write_text(f"| Methods | DUC1 |\n|---|---|\n{rows}")
    assert db.read(path).label == ("Methods",)
    # Nor are their descriptions, as those of a retrieval, metrics.
    rows = "| A | 46.5 | VLAD top 40 |\n| B | 39.9 | VLAD top 20 |\n| C | 44.1 | VLAD top 10 |\n"
    path.write_text(f"| Methods | DUC1 | Retrieval |\n|---|---|---|\n{rows}")
    assert db.read(path).label == ("Methods",)


def test_a_row_without_the_name_of_a_metric_turns_no_table(tmp_path) -> None:
    path = tmp_path / "samples.json"
    path.write_text('[{"x": 1, "metrics": "acc", "acc": 1.0}, {"y": 2, "z": 1e400}]')
    assert db.read(path).kind == "metrics"


def test_a_row_per_system_and_metric_is_no_table_of_metrics_in_rows(tmp_path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "model,eval_metric,horizon,windows,MASE,WQL\n"
        "A,MASE,24,1,0.86,0.21\nB,MASE,24,1,0.79,0.19\nC,WQL,24,1,0.93,0.25\n"
    )
    assert db.read(path).kind == "metrics"


def test_a_corner_names_the_systems_of_the_columns(tmp_path) -> None:
    text = "{},ant,bee,cow\nflux,0.18,0.19,0.11\nvolt,0.25,0.19,0.18\nmho,0.45,0.48,0.3\n"
    path = tmp_path / "results.csv"
    path.write_text(text.format("dataset/model"))
    table = db.read(path)
    assert table.kind == "datasets"
    assert list(table.frame.index) == ["ant", "bee", "cow"]
    path.write_text(text.format("task/model"))
    assert list(db.read(path).frame.index) == ["ant", "bee", "cow"]
    path.write_text(text.format("model"))
    assert list(db.read(path).frame.index) == ["flux", "volt", "mho"]
