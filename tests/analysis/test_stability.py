"""The stability radius of a verdict."""

import copy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deabench as db

ORACLES = Path(__file__).parents[1] / "oracles"
PLANTS = pd.read_csv(ORACLES / "12_simar_wilson_1998_electric_data.csv", index_col=0)
INPUTS = ["Labor", "Fuel", "Capital"]


@pytest.mark.parametrize("seed", range(3))
def test_a_stability_radius_is_where_the_verdict_changes(seed):
    table = pd.DataFrame(
        np.random.default_rng(seed).uniform(0.4, 1, (10, 3)),
        columns=list("abc"),
        index=list("ABCDEFGHIJ"),
    )
    radius = db.stability(table).radius
    scores = db.rank(table).scores
    for name in table.index:
        for share, changed in ((0.999, False), (1.001, True)):
            factor = (1 + radius[name] * share) ** (1 if scores[name] < 1 - 1e-9 else -1)
            moved = table / factor
            moved.loc[name] = table.loc[name] * factor
            now = db.rank(moved).scores[name]
            assert (abs(now - 1) < 1e-9) == ((abs(scores[name] - 1) < 1e-9) != changed)


def test_the_radius_of_a_duplicate_is_zero():
    table = pd.DataFrame({"a": [0.9, 0.9, 0.5], "b": [0.5, 0.5, 0.4]}, index=list("xyz"))
    assert db.stability(table).radius[["x", "y"]].tolist() == pytest.approx([0, 0], abs=1e-12)
    assert db.stability(table * 100).radius.tolist() == pytest.approx(
        db.stability(table).radius.tolist()
    )


STRANGERS = {
    "model": ["a", "b", "c", "d", "e"],
    "accuracy": [0.9, 0.8, 0.7, 0.85, 0.6],
    "error_rate": [0.1, 0.3, 0.2, 0.25, 0.4],
}


def test_a_radius_of_inputs_is_refused_not_forgotten():
    table = STRANGERS | {"latency_ms": [10, 20, 5, 7, 9]}
    with pytest.raises(db.DataError, match="'latency_ms' is an input, and the stability radius"):
        db.stability(table)
    assert len(db.stability(table, outputs=["accuracy"]).radius) == 5


def test_stability_is_a_result():
    radius = db.stability(PLANTS, outputs=INPUTS)
    assert len(radius.radius) == 19
    assert radius.to_frame()["stability"].is_monotonic_increasing
    assert (copy.copy(radius).radius == radius.radius).all()
