"""What the text above a table, the data sets and the height of rates tell about like columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
SCENES = ["garden", "bicycle", "kitchen"]


def read_document(tmp_path, names, above, below="", level=20.0, label="Model", **others):
    """Return the table of a document with random rates below a text."""
    rates = np.random.default_rng(0).uniform(level, level + 9, (5, len(names))).round(2)
    frame = pd.DataFrame(rates, columns=names)
    frame.insert(0, label, [f"method-{k}" for k in "dbeac"])
    for name, cells in others.items():
        frame[name] = cells
    rows = [" | ".join(map(str, row)) for row in frame.to_numpy().tolist()]
    rule = " | ".join(["---"] * frame.shape[1])
    table = "\n".join([" | ".join(frame.columns), rule, *rows])
    (tmp_path / "README.md").write_text(f"# Results\n\n{above}\n\n{table}\n\n{below}\n")
    return db.read(tmp_path / "README.md")


@pytest.mark.parametrize(
    ("above", "role"),
    [
        ("The CERs are:", "lower_rates"),
        ("WER (modified_beam_search `beam_size=4`)", "lower_rates"),
        ("* Zero-shot accuracy (%)", "outputs"),
        ("Image-level ROCAUC", "outputs"),
        ("Inference time on one core (ms)", "inputs"),
        ("Made in 2020.\n\nThe evaluation metric is accuracy and scores are averaged.", "outputs"),
        ("Models are evaluated on unseen domains by their perplexity. It is low.", "lower_rates"),
    ],
)
def test_the_text_above_a_table_names_the_metric_of_its_columns(above, role, tmp_path) -> None:
    assert set(getattr(read_document(tmp_path, SCENES, above), role)) == set(SCENES)


@pytest.mark.parametrize(
    "above",
    [
        "Accuracy and error rate:",
        "The results are those of the paper.",
        "All models were trained for 12 hours, and the training time is measured on one card, "
        "as that of the others is.",
        "The metric is accuracy. The other metric is perplexity.",
    ],
)
def test_a_text_that_names_no_single_metric_leaves_its_columns_open(above, tmp_path) -> None:
    assert set(SCENES) <= set(read_document(tmp_path, SCENES, above).question.columns)


def test_a_text_speaks_of_the_metric_that_a_column_is_called_by(tmp_path) -> None:
    table = read_document(tmp_path, SCENES, "The accuracy is measured.", accuracy=[0.9] * 4 + [0.8])
    assert set(SCENES) <= set(table.question.columns)
    table = read_document(tmp_path, SCENES, "The training time:", hours=[1, 2, 3, 4, 5])
    assert table.inputs == ["hours"]


def test_a_text_above_another_table_says_nothing(tmp_path) -> None:
    other = "Word error rate:\n\n|a|b|\n|-|-|\n|x|1|\n\nThese are the scenes."
    assert set(SCENES) <= set(read_document(tmp_path, SCENES, other).question.columns)


@pytest.mark.parametrize(
    ("names", "level", "expected"),
    [
        (["test-clean", "test-other"], 2, "lower_rates"),
        (["AISHELL-1 test", "GigaSpeech test"], 4, "lower_rates"),
        (["VoxCeleb1-O", "VoxCeleb1-E", "VoxCeleb1-H"], 1, "lower_rates"),
        # So high they may be accuracies.
        (["test-clean", "test-other"], 80, "guessed"),
        # Speech is also translated.
        (["FLEURS", "CoVoST2"], 20, "guessed"),
    ],
)
def test_data_sets_of_speech_recognition_hold_error_rates(names, level, expected, tmp_path) -> None:
    assert set(getattr(read_document(tmp_path, names, "Results:", level=level), expected)) == set(
        names
    )


def test_the_heading_names_a_corpus_and_the_columns_its_parts(tmp_path) -> None:
    table = read_document(tmp_path, ["dev (no LM)", "test (no LM)"], "On AISHELL-1:", level=4)
    assert len(table.lower_rates) == 2
    table = read_document(tmp_path, ["dev", "test"], "On CoVoST2:", level=20)
    assert not table.outputs
    assert not table.lower_rates


def test_the_corner_of_a_table_of_one_metric_names_it(tmp_path) -> None:
    options = {"above": "", "level": 20}
    assert read_document(tmp_path, SCENES, label="Model \\ BLEU", **options).outputs == SCENES
    assert read_document(tmp_path, SCENES, label="Model \\ WER", **options).lower_rates == SCENES


def test_columns_that_are_called_by_systems_are_no_rates_of_the_rows(tmp_path) -> None:
    names = ["ResNet-50", "XGBoost", "SVM"]
    assert not read_document(tmp_path, names, "", level=70).outputs
    names = ["BERT flux", "BERT zork", "GPT-J flux", "GPT-J zork"]
    frame = pd.DataFrame(np.random.default_rng(0).uniform(70, 79, (5, 4)).round(2), columns=names)
    frame.insert(0, "Method", ["svm", "knn", "mlp", "cart", "lda"])
    frame.to_csv(tmp_path / "board.csv", index=False)
    table = db.read(tmp_path / "board.csv")
    assert {table.column(name).role for name in names} == {"output"}


def test_rates_above_one_half_are_qualities(tmp_path) -> None:
    assert read_document(tmp_path, SCENES, "", level=70).outputs == SCENES
    assert read_document(tmp_path, ["dev", "test"], "", level=70).outputs == ["dev", "test"]


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (SCENES, {"level": 20}),
        (SCENES[:2], {"level": 70}),
        (SCENES, {"level": 70, "above": "Share of wrong answers, in percent of the error rates:"}),
        (SCENES, {"level": 70, "label": "Company"}),
        (SCENES, {"level": 150}),
    ],
)
def test_other_numbers_are_no_rates_above_one_half(names, options, tmp_path) -> None:
    options = {"above": ""} | options
    table = read_document(tmp_path, names, **options)
    assert not table.outputs


def test_whole_numbers_above_one_half_are_no_rates(tmp_path) -> None:
    cells = np.random.default_rng(0).integers(60, 99, (8, 3))
    frame = pd.DataFrame(cells, columns=SCENES)
    frame.insert(0, "model", list("dbeacfgh"))
    frame.to_csv(tmp_path / "board.csv", index=False)
    assert not db.read(tmp_path / "board.csv").outputs


@pytest.mark.parametrize(
    ("others", "role"),
    [
        ({"accuracy": 0.8, "recall": 0.7}, "output"),
        ({"accuracy": 0.8}, "unknown"),
        ({"accuracy": 0.8, "recall": 0.7, "ECE": 0.2}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_high_shares_beside_qualities_alone_are_qualities(others, role, tmp_path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        rng.uniform(0.6, 0.9, (7, 3)).round(3), columns=["syntax", "logic", "zork"]
    )
    for name, value in others.items():
        frame[name] = (value + rng.uniform(-0.1, 0.1, 7)).round(3)
    frame.insert(0, "model", list("dbeacfg"))
    frame.to_csv(tmp_path / "board.csv", index=False)
    roles = {db.read(tmp_path / "board.csv").column(name).role for name in ["syntax", "logic"]}
    assert roles == {role}


@pytest.mark.parametrize(
    "text",
    [
        # Rates above one half, and a mean that its name takes for one of scores.
        "model,en,fr,es\nA,91.3,82.9,84.5\nB,89.1,85.1,86.6\nC,88.1,81.1,80.6\n",
        "model,mean,p95\nA,91.3,182.9\nB,89.1,185.1\nC,88.1,181.1\n",
    ],
)
def test_strict_takes_no_direction_from_what_is_no_name(text, tmp_path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(text)
    assert len(db.rank(path).scores) == 3
    with pytest.raises(DataError, match="strict takes names alone"):
        db.rank(path, strict=True)


def test_a_sentence_about_names_overrules_what_they_usually_mean(tmp_path) -> None:
    above = "For F1 bigger is better; for both FAR (false alarms) and MAR (misses) less is better."
    names = ["F1", "FAR, %", "MAR, %"]
    assert read_document(tmp_path, names, above).lower_rates == ["FAR, %", "MAR, %"]
    # A line of its own may end without a stop.
    above = "*For MAR lower is better*\n*Evaluated on SKAB*"
    assert read_document(tmp_path, names, above).lower_rates == ["FAR, %", "MAR, %"]
    assert read_document(tmp_path, names, "As in the paper.").outputs == ["F1", "MAR, %"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Less is better for the MAR of FAR.",
        "Where lower FAR is better, MAR is read.",
        "Higher is better for PSNR and F1, and lower is better for MAR.",
        "Higher is better for F1, lower is better for MAR and FAR.",
        "Lower is better for all metrics except F1 and MAR.",
        "Unlike for F1 and FAR, lower is better for MAR.",
        "For FAR, unlike F1 and MAR, lower is better.",
        "Lower is better for FAR, but not for F1 and MAR.",
        "It is not the case that for MAR lower is better.",
        "For MAR and F1, lower and higher is better, respectively.",
        "The table shows the results for MAR, lower is better.",
        "Is it true that for MAR, lower is better? No.",
    ],
)
def test_a_sentence_that_says_more_decides_nothing(sentence, tmp_path) -> None:
    names = ["F1", "FAR, %", "MAR, %"]
    table = read_document(tmp_path, names, sentence)
    assert (table.outputs, table.lower_rates) == (["F1", "MAR, %"], ["FAR, %"])


def test_a_sentence_above_another_table_is_not_said_of_this_one(tmp_path) -> None:
    small = "| Tool | Score |\n|---|---|\n| a | 1.2 |\n| b | 2.2 |\n"
    large = "| Tool | Score | Recall |\n|---|---|---|\n"
    large += "".join(f"| {k} | 0.{9 - k} | 0.{8 - k} |\n" for k in range(5))
    path = tmp_path / "README.md"
    path.write_text(f"## Speed\n\nScore: lower is better\n\n{small}\n## Quality\n\n{large}")
    assert db.read(path).outputs == ["Score", "Recall"]


def test_a_text_that_says_both_of_one_name_decides_nothing(tmp_path) -> None:
    above = "Higher is better for zeal.\n\nLower is better for zeal."
    table = read_document(tmp_path, ["accuracy", "zeal"], above)
    assert table.outputs == ["accuracy"]


def test_a_heading_of_time_series_speaks_of_no_time(tmp_path) -> None:
    path = tmp_path / "board.md"
    rows = "".join(f"| m{k} | {0.5 + k / 50:.2f} | {0.9 - k / 70:.2f} |\n" for k in range(6))
    path.write_text(f"# Time series forecasting\n\n| Model | ECL | Zone |\n|---|---|---|\n{rows}")
    table = db.read(path)
    assert table.costs == []
    assert table.guessed == ["ECL", "Zone"]


@pytest.mark.parametrize(
    ("names", "cells", "role"),
    [
        (("XNLI", "PAWS-X", "MLDoc"), (82.0, 89.0, 95.6), "output"),
        (("XNLI", "PAWS-X", "MLDoc"), (820.0, 89.0, 95.6), "unknown"),  # seconds, perhaps
        (("XNLI", "LibriSpeech test-other"), (82.0, 8.9), "unknown"),  # one is of error rates
        (("alpha", "beta"), (82.0, 8.9), "unknown"),
        (("none", "L1", "AMC"), (4.1, 2.0, 0.9), "unknown"),  # a method is called so, too
    ],
)
def test_benchmarks_in_rows_tell_what_nothing_else_names(names, cells, role, tmp_path) -> None:
    rows = "".join(f"| {n} | {c} | {c - 1} |\n" for n, c in zip(names, cells, strict=True))
    path = tmp_path / "README.md"
    path.write_text(f"| Task | BETO-cased | mBERT |\n|---|---|---|\n{rows}")
    table = db.read(path)
    assert [(c.name, c.role) for c in table.columns if c.name == "score"] == [("score", role)]
