"""Codes for "not measured" become empty cells, and values below 0 are refused with a way out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

BOARD = pd.DataFrame(
    {
        "model": list("abcd"),
        "accuracy": [0.9, 0.8, 0.7, 0.6],
        "RTFx": [10.0, -1.0, 30.0, 5.0],
        "size": ["3", "-1", "-1.0", "7"],
    }
)


def test_codes_are_empty_cells_and_counted() -> None:
    table = db.read(BOARD, missing_code=-1)
    assert table.frame["RTFx"].isna().tolist() == [False, True, False, False]
    assert table.frame["size"].tolist()[::3] == [3.0, 7.0]
    assert table.frame["size"].isna().sum() == 2
    assert table.missing["RTFx"] == 1
    assert "-1 stands for an empty cell (3 in 'RTFx', 'size')" in table.notes
    ranking = db.rank(table, outputs=["accuracy", "RTFx"], missing="drop-systems")
    assert list(ranking.scores.index) == ["a", "c", "d"]
    by_hand = BOARD.replace({"RTFx": {-1.0: np.nan}})
    expected = db.rank(by_hand, outputs=["accuracy", "RTFx"], missing="drop-systems").scores
    assert ranking.scores.tolist() == expected.tolist()


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_files_and_several_codes(suffix, tmp_path) -> None:
    path = tmp_path / f"board.{suffix}"
    if suffix == "csv":
        BOARD.assign(RTFx=[10, -1, 9999, 5]).to_csv(path, index=False)
    else:
        BOARD.assign(RTFx=[10, -1, 9999, 5]).to_json(path, orient="records")
    table = db.read(path, missing_code=[-1, 9999])
    assert table.frame["RTFx"].isna().tolist() == [False, True, True, False]
    assert "-1 or 9999 stands for an empty cell (4 in 'RTFx', 'size')" in table.notes


def test_a_frame_of_systems_keeps_its_labels() -> None:
    frame = BOARD.drop(columns="size").set_index("model")
    table = db.read(frame, missing_code=-1)
    assert table.frame.loc["b"].isna().tolist() == [False, True]


def test_what_is_refused(refused) -> None:
    with refused("missing_code is 7.5, and no cell holds it; leave it out"):
        db.read(BOARD, missing_code=7.5)
    with refused("missing_code is '-1'; give a number, as -1, or several"):
        db.read(BOARD, missing_code="-1")
    with refused("the table is read already; give missing_code where its source is read"):
        db.read(db.read(BOARD), missing_code=-1)


def test_values_below_0_are_refused_with_a_way_out(refused) -> None:
    table = pd.DataFrame(
        {"accuracy": [0.9, 0.8, 0.7], "reward": [3.0, -2.0, -2.0]}, index=list("abc")
    )
    columns = {"outputs": ["accuracy", "reward"]}
    with refused(
        "metric 'reward' of 'b' is -2, metric 'reward' of 'c' is -2; this model needs values >= 0; "
        "model='rdm', model='ram' and model='additive' take any value, or pass missing_code=-2 if "
        "that stands for an empty cell"
    ):
        db.rank(table, **columns)
    # The ways out exist.
    for model in ("rdm", "ram", "additive"):
        assert db.rank(table, model=model, **columns).scores.notna().all()
    assert db.rank(
        db.read(table, missing_code=-2), missing="drop-systems", **columns
    ).scores.to_dict() == {"a": 1.0}
    with refused("metric 'accuracy' of 'a' is -0.5; 'accuracy' cannot be below 0, correct it"):
        db.rank(table.assign(accuracy=[-0.5, 0.8, 0.7], reward=[1.0, 2.0, 3.0]), **columns)
