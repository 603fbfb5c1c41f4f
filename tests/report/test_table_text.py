"""What a table says of its own interpretation."""

from __future__ import annotations

import pandas as pd

import deabench as db


def test_the_interpretation_names_every_group_of_columns() -> None:
    table = pd.DataFrame({"accuracy": [0.9, 0.8], "seconds": [1.0, 2.0], "note": ["x", "y"]})
    assert db.read(table).summary() == (
        "2 systems; systems have no column of names; higher is better in 'accuracy'; costs are "
        "'seconds'; left out: 'note'."
    )
    named = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.9, 0.8], "blorp": [0.3, 0.7]})
    assert db.read(named).summary() == (
        "2 systems; systems are named by 'model'; higher is better in 'accuracy'; guessed: "
        "'blorp'; left out: 'blorp'."
    )
