"""Scale efficiency against published values."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import oracle, radial

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "columns"),
    [
        ("01_fls2008_11dmu", ["x1", "x2"], ["y1"], ("ccr_in", "bcc_in")),
        ("11_lim_zhu_2015_rd_projects", ["Budget"], None, ("crs_in", "vrs_in")),
    ],
)
def test_scale_efficiency_is_the_quotient_of_the_published_columns(
    name, inputs, outputs, columns
) -> None:
    data, expected = oracle(name, "data"), oracle(name, "expected")
    scale = db.scale_efficiency(data, inputs=inputs, outputs=outputs, orientation="input")
    crs, vrs = columns
    np.testing.assert_allclose(scale.frame["scale"], expected[crs] / expected[vrs], rtol=1e-8)
    X = data[inputs].to_numpy()
    Y = data.drop(columns=inputs).to_numpy()
    for o in range(len(X)):
        nirs_score, ndrs_score = (
            radial(X, Y, X[o], Y[o], orientation="input", returns=r) for r in ("nirs", "ndrs")
        )
        word = scale.frame["returns"].iloc[o]
        if word == "constant":
            assert scale.frame["scale"].iloc[o] == pytest.approx(1, abs=1e-7)
        else:  # too small: only smaller mixtures hold it back
            assert (nirs_score < ndrs_score) == (word == "increasing")


def test_notes_are_about_the_comparison_and_not_about_one_of_its_rankings() -> None:
    tone = db.datasets.load("tone2001")
    answer = db.scale_efficiency(tone, inputs=["Input1", "Input2"], outputs=["Output1", "Output2"])
    assert answer.notes[0] == (
        "scores under constant, variable and non-increasing returns are compared"
    )
    text = " ".join(answer.notes)
    assert "returns to scale are" not in text
    assert "tell them apart" not in text
