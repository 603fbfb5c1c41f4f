"""What is proposed for empty cells: the choice that leaves the most, in one command."""

import shlex

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.tables.missing_cells import choose_missing
from deabench.tables.naming.questions import UndecidedError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
EMPTY = np.nan


def proposed_command(message: str) -> list[str]:
    """Return the words of the first command that a message proposes."""
    return shlex.split(next(line for line in message.splitlines() if line.startswith("  ")))[1:]


@pytest.mark.parametrize(
    ("outputs", "inputs", "choice"),
    [
        # One system of four lacks a cell.
        ({"a": [1, 2, 3, EMPTY], "b": [1, 2, 3, 4]}, {}, "drop-systems"),
        # Four of five systems lack the same metric.
        ({"a": [1, 2, 3, 4, 5], "b": [EMPTY, EMPTY, EMPTY, EMPTY, 1]}, {}, "drop-metrics"),
        # No output is complete.
        (
            {"a": [EMPTY, EMPTY, EMPTY, 1, 2]},
            {"price": [1, 2, 3, 4, 5]},
            "drop-systems",
        ),
        # Infinity is no usable value either.
        ({"a": [np.inf, 2, 3], "b": [1, 2, 3]}, {}, "drop-systems"),
        # Nothing would be left.
        ({"a": [EMPTY, 1, EMPTY], "b": [1, EMPTY, 2]}, {}, ""),
    ],
)
def test_the_choice_leaves_the_most(outputs, inputs, choice) -> None:
    rows = range(len(outputs["a"]))
    frames = [pd.DataFrame(columns, index=rows, dtype=float) for columns in (outputs, inputs)]
    assert choose_missing(*frames) == choice


def test_one_command_answers_for_empty_cells(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,accuracy,price\nA,0.9,3\nB,0.8,\nC,0.7,1\nD,0.85,2\n")
    assert main(["rank", str(path)]) == 1
    message = capsys.readouterr().err
    command = proposed_command(message)
    assert command == ["rank", str(path), "--missing", "drop-systems"]
    assert main(command) == 0
    with pytest.raises(db.DataError, match="pass missing='drop-systems' \\(1 of 4\\)") as error:
        db.rank(path)
    assert error.value.options == {"missing": ("drop-systems",)}


def test_the_answer_to_a_question_says_what_becomes_of_empty_cells(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    path.write_text(
        "model,accuracy,flux,price\nA,0.9,11.5,3\nB,0.8,12.5,\nC,0.7,9.25,1\nD,0.85,10.5,2\n"
    )
    assert main(["rank", str(path)]) == 1
    command = proposed_command(capsys.readouterr().err)
    assert command[-2:] == ["--missing", "drop-systems"]
    assert main(command) == 0
    with pytest.raises(UndecidedError, match="ignore=\\['flux'\\], missing='drop-systems'"):
        db.rank(path)
    # Whoever says it is not told again.
    with pytest.raises(UndecidedError) as error:
        db.rank(path, missing="drop-metrics")
    assert "missing" not in str(error.value)


def test_few_metrics_with_gaps_go_before_half_of_the_systems() -> None:
    def choose(complete_rows: int, gappy_metrics: int) -> str:
        """Choose for 12 systems and 10 metrics, of which some have gaps in the same rows."""
        cells = pd.DataFrame(1.0, index=range(12), columns=[f"m{k}" for k in range(10)])
        cells.iloc[complete_rows:, :gappy_metrics] = float("nan")
        return choose_missing(cells, pd.DataFrame(index=cells.index))

    assert choose(6, 2) == "drop-systems"
    assert choose(5, 2) == "drop-metrics"
    # Metrics say what is compared: where more would go, a third of the systems is enough.
    assert choose(5, 4) == "drop-systems"
    assert choose(4, 4) == "drop-systems"
    assert choose(3, 4) == "drop-metrics"
