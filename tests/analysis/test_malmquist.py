"""The Malmquist index against published values; what its result and its sisters have in common."""

from __future__ import annotations

import numpy as np
import pandas as pd
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
    # The order is that of the first table.
    reverse = db.malmquist(table.iloc[::-1], table, outputs=list(table))
    assert list(reverse.frame.index) == ["c5", "c4", "c3", "c2", "c1", "c0"]
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


def test_the_summary_tells_which_way_each_factor_leads() -> None:
    """By hand: y over x is 1 and .5 before, 2 and .55 after, beside a frontier of 1 and of 2."""
    before = pd.DataFrame({"y": [1.0, 1.0], "x": [1.0, 2.0]}, index=["a", "b"])
    after = pd.DataFrame({"y": [2.0, 1.1], "x": [1.0, 2.0]}, index=["a", "b"])
    columns = {"inputs": ["x"], "outputs": ["y"]}
    there = db.malmquist(before, after, **columns)
    # Efficiencies 1 and .5 become 1 and .275: √(1 · .55) = .742.
    np.testing.assert_allclose(there.frame["efficiency_change"], [1, 0.55], rtol=1e-9)
    assert there.summary().startswith(
        "2 of 2 got better; in geometric mean 1.483 = 0.742 (farther from the frontier) times "
        "2.000 (the frontier itself moved out)."
    )
    assert (
        db.malmquist(after, before, **columns)
        .summary()
        .startswith(
            "0 of 2 got better; in geometric mean 0.674 = 1.348 (nearer to the frontier) times "
            "0.500 (the frontier itself moved back)."
        )
    )
    assert "1.000 (as near to the frontier) times 1.000 (the frontier itself stayed)" in (
        db.malmquist(before, before, **columns).summary()
    )


def test_a_gap_of_the_later_table_leaves_out_the_row_or_the_metric() -> None:
    """By hand: the first frontier is c's y/x of 2, the second a's of 2; a doubles, b gains .1."""
    before = pd.DataFrame(
        {"y": [1.0, 1.0, 2.0], "x": [1.0, 2.0, 1.0], "z": [1.0] * 3}, index=list("abc")
    )
    after = before.assign(y=[2.0, 1.1, np.nan])
    columns = {"outputs": ["y", "z"], "inputs": ["x"]}
    rows = db.malmquist(before, after, missing="drop-systems", outputs=["y"], inputs=["x"])
    assert list(rows.frame.index) == ["a", "b"]
    np.testing.assert_allclose(rows.frame["efficiency_change"], [2, 1.1])
    np.testing.assert_allclose(rows.frame["technical_change"], [1, 1])
    assert rows.notes[0] == "of the tested, left out for a missing cell: 'c'"
    # Without y nothing changed: z is the same in both.
    metrics = db.malmquist(before, after, missing="drop-metrics", **columns)
    np.testing.assert_allclose(metrics.frame, 1)
    assert list(metrics.frame.index) == ["a", "b", "c"]
