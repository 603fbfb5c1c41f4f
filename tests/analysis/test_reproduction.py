"""The printed tables: what reproduces, what does not, and that each verdict has its reason."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from deabench import datasets
from deabench.analysis.reproduction import (
    NOT_RECOMPUTED,
    ONE_MORE_OUTPUT,
    RECIPES,
    Reproduction,
    reproduce,
)
from deabench.cli import main
from deabench.errors import DataError


@pytest.fixture(scope="module")
def everything() -> Reproduction:
    return reproduce()


def test_every_table_from_1_to_24_is_there(everything: Reproduction) -> None:
    tables = ["elazmeh2006-table03", *(f"table{number:02}" for number in range(1, 25))]
    assert everything.counts().index.tolist() == tables
    assert not set(RECIPES) & set(NOT_RECOMPUTED)
    assert (everything.cells["why"].str.len() > 10).all()


@pytest.mark.parametrize(
    ("table", "cells"),
    [
        ("table08", 15),
        ("table11", 3),
        ("table12", 3),
        ("table19", 10),
        ("table21", 7),
        ("table23", 24),
        ("table24", 24),
    ],
)
def test_tables_that_reproduce_to_the_printed_digit(
    everything: Reproduction, table: str, cells: int
) -> None:
    assert everything.counts().loc[table, "equal"] == cells
    assert everything.counts().loc[table].sum() == cells


def test_equal_means_the_same_text_at_the_printed_digits(everything: Reproduction) -> None:
    for row in everything.cells[everything.cells["verdict"] == "equal"].itertuples():
        digits = RECIPES[row.table].digits
        assert abs(round(row.computed, digits) - row.printed) < 10**-digits / 2


def test_table_7_reproduces_but_for_one_misprint(everything: Reproduction) -> None:
    cells = everything.cells[everything.cells["table"] == "table07"]
    wrong = cells[cells["verdict"] != "equal"].set_index("column")
    assert wrong["row"].tolist() == ["TPR", "TPR"]
    assert wrong.loc["mean_square", "computed"] == pytest.approx(138.6579, abs=5.1e-5)
    assert wrong.loc["f_value", "computed"] == pytest.approx(38.2039, abs=5.1e-5)
    assert wrong["why"].str.contains("a misprint").all()


def test_table_10_noisy_reproduces_to_three_decimals(everything: Reproduction) -> None:
    cells = everything.cells
    noisy = cells[(cells["table"] == "table10") & cells["row"].str.startswith("noisy")]
    assert (noisy["verdict"] == "equal").all()
    assert len(noisy) == 8


def test_how_much_of_tables_9_and_10_reproduces(everything: Reproduction) -> None:
    counts = everything.counts().loc[["table09", "table10"], ["equal", "close", "differs"]]
    assert counts.to_numpy().tolist() == [[14, 6, 4], [21, 2, 1]]


def test_where_tables_9_and_10_do_not_reproduce_the_paper_is_higher(
    everything: Reproduction,
) -> None:
    """Which is what one more output does: adding an output can only raise an efficiency."""
    cells = everything.cells[everything.cells["table"].isin(["table09", "table10"])]
    off = cells[cells["verdict"] != "equal"]
    assert (off["printed"] > off["computed"]).all()
    assert off["why"].str.contains(ONE_MORE_OUTPUT, regex=False).all()
    worst = off.loc[(off["printed"] - off["computed"]).idxmax()]
    assert (worst["row"], round(worst["computed"], 3)) == ("disjunct, RUC", 0.813)
    assert worst["printed"] - worst["computed"] == pytest.approx(0.040, abs=5e-4)


def test_tables_14_and_15_are_euclidean_projections(everything: Reproduction) -> None:
    cells = everything.cells[everything.cells["table"].isin(["table14", "table15"])]
    off = cells[cells["verdict"] != "equal"]
    assert set(zip(off["table"], off["row"], strict=True)) == {
        ("table14", "MLP"),
        ("table15", "MLP"),
    }
    assert len(cells) == 20
    outside = off[off["table"] == "table14"].set_index("column")["computed"]
    assert outside.round(2).to_dict() == {
        "target_TPR": 94.55,
        "target_TNR": 96.95,
    }  # the projection from outside


def test_table_17_does_not_reproduce(everything: Reproduction) -> None:
    cells = everything.cells[everything.cells["table"] == "table17"].set_index("row")
    assert (cells.loc[["100000", "500", "200"], "verdict"] == "differs").all()
    assert cells["why"].str.contains("does not reproduce").all()


def radial(x: np.ndarray, y: np.ndarray, o: int, *, variable: bool, orientation: str) -> float:
    """A radial efficiency as one LP of its own (SciPy), envelopment form; the variables are
    (factor, λ).
    """
    n = len(y)
    shrunk = orientation == "input"
    inputs = np.c_[-x[o] if shrunk else np.zeros(x.shape[1]), x.T]
    outputs = np.c_[np.zeros(y.shape[1]) if shrunk else y[o], -y.T]
    above = np.r_[
        np.zeros(x.shape[1]) if shrunk else x[o], -y[o] if shrunk else np.zeros(y.shape[1])
    ]
    solution = linprog(
        np.r_[1.0 if shrunk else -1.0, np.zeros(n)],
        A_ub=np.r_[inputs, outputs],
        b_ub=above,
        A_eq=[np.r_[0.0, np.ones(n)]] if variable else None,
        b_eq=[1.0] if variable else None,
    )
    assert solution.success
    return float(solution.x[0] if shrunk else 1 / solution.x[0])


def test_no_split_of_table_16_gives_table_17() -> None:
    """The reason stated for Table 17, held against every split of the six columns into inputs and
    outputs.
    """
    table = datasets.load("chao2022-dimensionality").to_numpy() / 100
    printed = datasets.printed("table17")["efficiency"].to_numpy()
    worst_row, tried = 6, 0  # 200 features: printed 0.671
    for mask in range(1, 2**6):
        outputs = np.array([bool(mask >> bit & 1) for bit in range(6)])
        x = table[:, ~outputs] if not outputs.all() else np.ones((7, 1))
        for variable, orientation in ((False, "input"), (True, "input"), (True, "output")):
            tried += 1
            score = radial(
                x, table[:, outputs], worst_row, variable=variable, orientation=orientation
            )
            if abs(score - printed[worst_row]) <= 0.01:
                scores = [
                    radial(x, table[:, outputs], o, variable=variable, orientation=orientation)
                    for o in range(7)
                ]
                assert np.abs(np.array(scores) - printed).max() > 0.01
    assert tried == 63 * 3


def test_one_table_alone(everything: Reproduction) -> None:
    separate = reproduce("table21").cells
    expected_cells = everything.cells[everything.cells["table"] == "table21"].reset_index(drop=True)
    pd.testing.assert_frame_equal(separate, expected_cells)


def test_a_table_that_cannot_be_recomputed_says_why() -> None:
    row = reproduce("table13").cells.iloc[0]
    assert row["verdict"] == "not recomputed"
    assert row["why"] == (
        "needs the efficiencies per data set, grouped by imbalance ratio; "
        "the paper does not print them. Its letters follow from the printed efficiencies: A from "
        ".99 on, B from .9 on, else C"
    )
    assert np.isnan(row["computed"])


def test_the_letters_of_table_13_follow_from_its_efficiencies() -> None:
    printed = datasets.printed("table13")
    for suffix in ("ir_ge_30", "ir_10_30", "ir_lt_10"):
        efficiencies = printed[suffix]
        letters = np.select([efficiencies >= 0.99, efficiencies >= 0.9], ["A", "B"], "C")
        assert letters.tolist() == printed[suffix.replace("ir_", "rank_")].tolist()


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(DataError) as e:
        reproduce("tabel09")
    assert str(e.value) == "there is no printed table 'tabel09'; did you mean 'table09'?"


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["reproduce", "table23", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    cells = json.loads(out)
    assert len(cells) == 24
    assert cells[0]["printed"] == 0.438
    assert cells[0]["verdict"] == "equal"
    assert err == "table23: 24 equal\n"
    file = tmp_path / "cells.csv"
    assert main(["reproduce", "table07", "-o", str(file)]) == 0
    assert file.read_text().splitlines()[0] == "table,row,column,printed,computed,verdict,why"
    assert capsys.readouterr().err == "table07: 13 equal, 2 differs\n"
    assert main(["reproduce", "table99"]) == 1
    assert capsys.readouterr().err.startswith("deabench: there is no printed table 'table99'")


def test_the_summary_names_the_tables_that_differ() -> None:
    verdicts = {"table01": ["equal", "close"], "table02": ["differs", "equal"]}
    cells = [(table, verdict) for table, column in verdicts.items() for verdict in column]
    result = Reproduction(pd.DataFrame(cells, columns=["table", "verdict"]))
    assert result.summary() == (
        "2 of 4 printed cells are equal when recomputed, 1 are close, 1 differ; "
        "cells of table02 differ"
    )
