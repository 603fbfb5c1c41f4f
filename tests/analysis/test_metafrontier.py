"""Group frontiers lie inside the meta-frontier."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import examples, frame, tables
from hypothesis import given

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@examples(10)
@given(tables(rows=(4, 9), metrics=(2, 3), near=False))
def test_a_groups_frontier_lies_inside_that_of_all(values) -> None:
    table = frame(values)
    table["kind"] = ["a", "b"] * (len(table) // 2) + ["a"] * (len(table) % 2)
    scores = db.groups(table, "kind").frame
    assert (scores["gap"] <= 1 + 1e-9).all()
    np.testing.assert_allclose(
        scores["gap"] * scores["in_group"], db.rank(table.drop(columns="kind")).scores, rtol=1e-9
    )
    same = db.groups(table.drop(columns="kind"), dict.fromkeys(table.index, "one")).frame
    np.testing.assert_allclose(same["gap"], 1.0, rtol=1e-12)


def test_groups_refuse(refused) -> None:
    table = frame(np.array([[0.5, 0.7], [0.6, 0.4]]))
    with refused("'c1' has no group; give every system one"):
        db.groups(table, {"c0": "a"})
    with refused("there is no column 'kin' in the table; there are 'm0', 'm1'"):
        db.groups(table, "kin")
