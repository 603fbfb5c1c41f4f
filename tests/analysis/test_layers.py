"""Layers of frontiers, by brute force over what is dominated."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import examples, frame, radial, tables
from hypothesis import given

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@examples(10)
@given(tables(rows=(1, 8), metrics=(2, 3), near=False))
def test_layers_are_peeled_off(values) -> None:
    table = frame(values)
    found = db.layers(table, model="fdh").frame["layer"]
    assert found.min() == 1
    for layer in range(1, found.max() + 1):  # brute force: who is not dominated in what is left
        left = values[[int(name[1:]) for name in found.index[found >= layer]]]
        names = found.index[found >= layer]
        best = [
            name
            for name, y in zip(names, left, strict=True)
            if not ((left >= y).all(axis=1) & (left > y).any(axis=1)).any()
        ]
        assert set(best) == set(found.index[found == layer])
    assert db.layers(table).frame["layer"].max() >= found.max()  # mixtures only take more away


def test_a_layer_changes_where_its_stability_ends_and_no_sooner() -> None:
    table = frame(np.random.default_rng(0).uniform(0.4, 1, (9, 2)))
    found = db.layers(table).frame
    assert found["layer"].max() > 2
    for name in table.index:
        radius = found.loc[name, "stability"]
        for share, changed in ((0.999, False), (1.001, True)):
            layers = []
            for factor in (1 + radius * share, 1 / (1 + radius * share)):
                moved = table / factor
                moved.loc[name] = table.loc[name] * factor
                layers.append(db.layers(moved).frame.loc[name, "layer"])
            assert (set(layers) != {found.loc[name, "layer"]}) == changed


@examples(8)
@given(tables(rows=(3, 9), metrics=(2, 3), near=False))
def test_progress_and_attractiveness_are_scores_against_the_next_layers(values) -> None:
    table = frame(values)
    found = db.layers(table).frame.loc[table.index]
    for name, row in found.iterrows():
        for column, step in (("progress", -1), ("attractiveness", 1)):
            others = values[(found["layer"] == row["layer"] + step).to_numpy()]
            y = table.loc[name].to_numpy()
            if not len(others):
                assert np.isnan(row[column])
            elif (others.max(axis=0)[y > 0] > 0).all():
                unit = np.ones((len(others), 1))
                phi = radial(unit, others, np.ones(1), y, orientation="output", returns="vrs")
                assert row[column] == pytest.approx(1 / phi, rel=1e-7)
    assert (found["progress"].dropna() <= 1 + 1e-9).all()
