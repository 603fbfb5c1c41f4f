"""Layers of frontiers, by brute force over what is dominated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, frame, radial, tables
from hypothesis import given

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@examples(10)
@given(tables(rows=(1, 8), metrics=(2, 3), near=False))
def test_layers_are_peeled_off(values) -> None:
    table = frame(values)
    layers = db.layers(table, model="fdh").frame["layer"]
    assert layers.min() == 1
    for layer in range(1, layers.max() + 1):  # brute force: who is not dominated in what is left
        remaining = values[[int(name[1:]) for name in layers.index[layers >= layer]]]
        names = layers.index[layers >= layer]
        best = [
            name
            for name, y in zip(names, remaining, strict=True)
            if not ((remaining >= y).all(axis=1) & (remaining > y).any(axis=1)).any()
        ]
        assert set(best) == set(layers.index[layers == layer])
    assert db.layers(table).frame["layer"].max() >= layers.max()  # mixtures only take more away


@pytest.mark.slow
def test_a_layer_changes_where_its_stability_ends_and_no_sooner() -> None:
    table = frame(np.random.default_rng(0).uniform(0.4, 1, (7, 2)))
    layer_frame = db.layers(table).frame
    assert layer_frame["layer"].max() > 2
    for name in table.index:
        radius = layer_frame.loc[name, "stability"]
        for share, changed in ((0.999, False), (1.001, True)):
            layers = []
            for factor in (1 + radius * share, 1 / (1 + radius * share)):
                moved = table / factor
                moved.loc[name] = table.loc[name] * factor
                layers.append(db.layers(moved).frame.loc[name, "layer"])
            assert (set(layers) != {layer_frame.loc[name, "layer"]}) == changed


@examples(8)
@given(tables(rows=(3, 9), metrics=(2, 3), near=False))
def test_progress_and_attractiveness_are_scores_against_the_next_layers(values) -> None:
    table = frame(values)
    layers = db.layers(table).frame.loc[table.index]
    for name, row in layers.iterrows():
        for column, step in (("progress", -1), ("attractiveness", 1)):
            next_layer = values[(layers["layer"] == row["layer"] + step).to_numpy()]
            y = table.loc[name].to_numpy()
            if not len(next_layer):
                assert np.isnan(row[column])
            elif (next_layer.max(axis=0)[y > 0] > 0).all():
                unit = np.ones((len(next_layer), 1))
                phi = radial(unit, next_layer, np.ones(1), y, orientation="output", returns="vrs")
                assert row[column] == pytest.approx(1 / phi, rel=1e-7)
    assert (layers["progress"].dropna() <= 1 + 1e-9).all()


def test_a_model_that_takes_no_reference_has_layers_without_progress() -> None:
    """Cross-efficiency is a mean over the table itself, so no other layer can be its reference."""
    table = frame(np.array([[0.9, 0.4], [0.5, 0.9], [0.4, 0.4], [0.3, 0.2]]))
    layers = db.layers(table, model="cross").frame
    # Dominance of the last by the third, and of the third by the first, is the same everywhere.
    assert layers["layer"].to_dict() == {"c0": 1, "c1": 1, "c2": 2, "c3": 3}
    assert layers[["progress", "attractiveness"]].isna().all(axis=None)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_layers_of_another_model_have_no_radius() -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.8, 0.7], "seconds": [1.0, 2.0, 3.0]}, list("abc"))
    layers = db.layers(table, outputs=["TPR"], inputs=["seconds"], model="ccr")
    assert "stability" not in layers.frame
