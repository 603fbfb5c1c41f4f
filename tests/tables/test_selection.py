"""What `read` takes, every function of a table takes: a reading, a file, columns of text beside
metrics, empty cells.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "model": list("abcdefg"),
        "family": list("xxxyyyy"),
        "accuracy": [0.9, 0.85, 0.8, 0.7, 0.6, 0.65, 0.75],
        "error_rate": [0.1, 0.05, 0.2, 0.02, 0.3, 0.25, 0.2],
        "latency_ms": [500.0, 120, 60, 20, 30, 100, 70],
        "seed": [1, 2, 3, 4, 5, 6, 7],
    }
)
PLAIN = TABLE.set_index("model")[["accuracy", "error_rate", "latency_ms"]]
GIVEN = {"outputs": ["accuracy", "error_rate"], "inputs": ["latency_ms"]}


def read_plain(frame: pd.DataFrame = PLAIN) -> db.Table:
    return db.read(frame, lower_is_better={"error_rate": 1.0})


ASKED = {
    "rank": lambda table, **given: db.rank(table, **given).scores,
    "advise": lambda table, **given: db.advise(table, **given).scores,
    "layers": lambda table, **given: db.layers(table, **given).frame,
    "groups": lambda table, **given: (
        db.groups(table, dict(zip("abcdefg", "xxxyyyy", strict=True)), **given).frame
    ),
    "malmquist": lambda table, **given: db.malmquist(table, table, **given).frame,
    "order_m": lambda table, **given: db.order_m(table, **given).frame,
    "order_alpha": lambda table, **given: db.order_alpha(table, **given).frame,
    "scale_efficiency": lambda table, **given: db.scale_efficiency(table, **given).frame,
    "frontier": lambda table, **given: db.frontier(table, **given).points,
    "targets": lambda table, **given: db.targets(table, table, **given).targets,
}


def same(one, two) -> None:
    columns = list(one) if isinstance(one, pd.DataFrame) else None
    two = two[columns] if columns else two
    (pd.testing.assert_frame_equal if columns else pd.testing.assert_series_equal)(
        one, two, check_names=False
    )


@pytest.mark.parametrize("name", mark_most_slow(ASKED, 5))
def test_a_file_and_a_reading_say_the_same_as_what_they_declare(name, tmp_path) -> None:
    path = tmp_path / "results.csv"
    TABLE.to_csv(path, index=False)
    options = ASKED[name]
    declared = options(read_plain(), **GIVEN)
    same(declared, options(db.read(path)))
    same(declared, options(str(path)))
    same(declared, options(TABLE))
    bare = db.read(PLAIN, lower_is_better=["error_rate", "latency_ms"])
    same(declared, options(bare, outputs=["accuracy"]))


@pytest.mark.parametrize("name", mark_most_slow(ASKED, 5))
def test_empty_cells_are_refused_with_what_to_say_and_dropped_as_asked(name) -> None:
    hole = PLAIN.copy()
    hole.loc["c", "accuracy"] = np.nan
    with pytest.raises(db.DataError, match="missing='drop-systems', 'drop-metrics' or 'bounds'"):
        ASKED[name](read_plain(hole), **GIVEN)
    without = ASKED[name](read_plain(hole), **GIVEN, missing="drop-systems")
    same(ASKED[name](read_plain(PLAIN.drop("c")), **GIVEN), without)
    if name != "rank":
        with pytest.raises(db.DataError, match=r"missing='bounds' bounds|missing='drop-systems'"):
            ASKED[name](read_plain(hole), **GIVEN, missing="bounds")


def test_groups_are_a_column_of_text_of_a_reading(refused) -> None:
    expected = db.groups(read_plain(), dict(zip("abcdefg", "xxxyyyy", strict=True)), **GIVEN).frame
    for source in (TABLE, db.read(TABLE), TABLE.set_index("model")):
        same(expected, db.groups(source, "family").frame)
    with refused("there is no column 'famly' in the table; did you mean 'family'?"):
        db.groups(db.read(TABLE), "famly")


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_text_in_a_column_of_numbers_is_shown_and_not_called_empty(tmp_path, refused) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,acc,price\na,.9,1\nb,high,2\nc,.7,free\nd,.8,\ne,.6,3\n")
    with refused(
        "'acc' of 'b' holds 'high', 'price' of 'c' holds 'free': no numbers; "
        "'price' of 'd' is missing; pass missing='drop-systems' (3 of 5) or 'drop-metrics' ('acc', "
        "'price') (docs/tables.md says what each does)"
    ):
        db.rank(path)
    table = db.read(path)
    assert table.failures == {"acc": {"b": "high"}, "price": {"c": "free"}}
    assert "'price': 'free' is no number and counts as missing" in table.notes
    # A failure counts as missing where gaps are allowed.
    assert list(db.rank(table, missing="drop-systems").scores.index) == ["a", "e"]
    path.write_text("model,acc,f1\na,.9,.8\nb,high,.9\nc,.7,.6\nd,.8,.7\n")
    assert len(db.rank(path, missing="bounds").scores) == 4
