"""The Malmquist index against published values; what its result and its sisters have in common."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import frame, oracle

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_malmquist_gives_the_published_changes() -> None:
    data, expected = oracle("16_malmquist_5dmu", "data"), oracle("16_malmquist_5dmu", "expected")
    for step in ("1->2", "2->3"):
        first, second = (
            data[data["period"] == int(k)].drop(columns="period") for k in step.split("->")
        )
        changes = db.malmquist(first, second, inputs=["x"], outputs=["y"]).frame
        columns = ["malmquist_index_input_crs", "efficiency_change", "technical_change"]
        np.testing.assert_allclose(
            changes, expected[expected["transition"] == step][columns], rtol=1e-9
        )
        np.testing.assert_allclose(
            changes["index"], changes["efficiency_change"] * changes["technical_change"], rtol=1e-12
        )


def test_malmquist_of_the_same_table_is_1_and_says_who_is_missing(refused) -> None:
    table = frame(np.random.default_rng(2).uniform(0.3, 1, (6, 3)))
    np.testing.assert_allclose(db.malmquist(table, table).frame, 1.0, rtol=1e-9)
    index = db.malmquist(table.iloc[:5], table.iloc[1:], outputs=list(table))
    assert index.notes == ("in one of the two tables only: 'c0', 'c5'",)
    assert list(index.frame.index) == ["c1", "c2", "c3", "c4"]
    with refused("the two tables have no system in common; give both the same labels"):
        db.malmquist(table, table.rename(index=str.upper))


def test_every_result_has_the_one_face() -> None:
    table = frame(np.random.default_rng(2).uniform(0.3, 1, (12, 3)))
    kinds = dict(zip(table.index, ["a", "b"] * 6, strict=True))
    for result in (
        db.layers(table),
        db.groups(table, kinds),
        db.malmquist(table, table),
        db.order_m(table),
        db.order_alpha(table),
        db.scale_efficiency(table, inputs=["m0"]),
    ):
        assert result.summary().endswith(".")
        assert len(repr(result).splitlines()) <= 15
        assert result.to_csv().startswith("classifier,")
