"""FDH, super-efficiency and the slacks-based measure against the published columns that nothing else holds."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import oracle

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
FLS = ("01_fls2008_11dmu", ["x1", "x2"], ["y1"])
PLANTS = ("04_tone2002_power_plants_super", ["X1", "X2", "X3", "X4"], ["Y1", "Y2"])
CASES = [
    (*FLS, "fdh_in", {"model": "fdh", "orientation": "input"}), (*FLS, "fdh_out", {"model": "fdh"}),
    (*FLS, "super_ccr_in", {"model": "super", "orientation": "input"}),
    (*FLS, "super_bcc_out", {"model": "super", "returns": "vrs"}),
    (*FLS, "sbm_crs", {"model": "sbm"}), (*FLS, "sbm_vrs", {"model": "sbm", "returns": "vrs"}),
    ("03_tone2001_sbm_5dmu", ["Input1", "Input2"], ["Output1", "Output2"], "sbm_crs", {"model": "sbm"}),
    ("03_tone2001_sbm_5dmu", ["Input1", "Input2"], ["Output1", "Output2"], "sbm_vrs", {"model": "sbm", "returns": "vrs"}),
    (*PLANTS, "super_ccr_in", {"model": "super", "orientation": "input"}),
    (*PLANTS, "super_bcc_in", {"model": "super", "orientation": "input", "returns": "vrs"}),
    (*PLANTS, "super_bcc_out", {"model": "super", "returns": "vrs"}),
    ("06_aparicio2007_airlines_closest", ["Lab", "Fuel", "Matl", "Cap"], ["Pass", "Cargo"], "sbm_crs", {"model": "sbm"}),
    ("09_erg_sbm_graph_8dmu", ["x1"], ["y1"], "erg_crs", {"model": "sbm"}),
    ("09_erg_sbm_graph_8dmu", ["x1"], ["y1"], "erg_vrs", {"model": "sbm", "returns": "vrs"}),
]


@pytest.mark.parametrize(("name", "inputs", "outputs", "column", "options"), CASES, ids=[f"{c[0][:2]}-{c[3]}" for c in CASES])
def test_published_columns(name, inputs, outputs, column, options) -> None:
    expected = oracle(name, "expected")[column]
    ranking = db.rank(oracle(name, "data"), inputs=inputs, outputs=outputs, **options)
    outward = ranking.orientation == "output"
    np.testing.assert_allclose(ranking.scores, 1 / expected if outward else expected, rtol=1e-9)  # a blank is NaN, here too
    assert set(ranking.reasons) == set(expected.index[expected.isna()])
    db.certify(ranking)


def test_tones_slacks_based_measures_as_printed() -> None:
    name = "03_tone2001_sbm_5dmu"
    scores = db.rank(oracle(name, "data"), inputs=["Input1", "Input2"], outputs=["Output1", "Output2"], model="sbm").scores
    assert scores.round(3).tolist() == oracle(name, "expected")["sbm_crs_published_3dp"].tolist()


def test_the_factor_of_a_graph_with_one_input_and_one_output_is_the_root() -> None:
    """Russell's graph measure with m = s = 1 and crs is the square root of the radial efficiency (oracle: 6 digits)."""
    name = "09_erg_sbm_graph_8dmu"
    ccr = db.rank(oracle(name, "data"), inputs=["x1"], outputs=["y1"], model="ccr", orientation="input").scores
    np.testing.assert_allclose(np.sqrt(ccr), oracle(name, "expected")["russell_graph_crs_6dp"], atol=6e-7)
