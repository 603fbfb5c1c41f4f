"""Coming from another tool: their numbers (oracles/other_tools.csv, oracles/03, scikit-posthocs
itself) are ours.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from pages import ROOT

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
ORACLES = ROOT / "tests" / "oracles"
PAGE = (ROOT / "docs" / "coming.md").read_text(encoding="utf-8")
REPORTED = pd.read_csv(ORACLES / "other_tools.csv")
AUC, TONE = db.datasets.load("demsar2006-auc"), db.datasets.load("tone2001")
SIDES = {"inputs": ["Input1", "Input2"], "outputs": ["Output1", "Output2"]}


def reported(quantity):
    value = REPORTED.loc[REPORTED["quantity"] == quantity, "value"].item()
    return [float(value) for value in str(value).split()]


def test_the_page_names_the_versions_that_were_run():
    for tool, version in REPORTED[["tool", "version"]].drop_duplicates().values:
        assert f"{tool} {version}" in PAGE


def test_autorank():
    result = db.compare.friedman(AUC)
    assert result.tests["p_value"].iloc[0] == pytest.approx(reported("friedman p")[0], abs=1e-12)
    for name in ("C4.5", "C4.5+m+cf"):
        assert result.mean_ranks[name] == pytest.approx(reported(f"mean rank {name}")[0], abs=1e-6)
    assert db.compare.critical_difference(4, 14) == pytest.approx(
        reported("critical difference")[0], abs=2e-5
    )  # q to 5 digits
    computed = db.compare.wilcoxon(AUC["C4.5"], AUC["C4.5+m"], zeros="wilcox").p_value / 2
    assert computed == pytest.approx(reported("wilcoxon p one-sided")[0], abs=1e-12)


def test_scikit_posthocs():
    matrix = scikit_posthocs.posthoc_nemenyi_friedman(AUC.to_numpy()).to_numpy()
    computed = db.compare.pairwise(AUC, adjust="nemenyi").to_frame()["adjusted"]
    np.testing.assert_allclose(computed, matrix[np.triu_indices(4, 1)], atol=1e-12)


def test_deapack():
    ccr = db.rank(TONE, **SIDES, model="ccr", orientation="input").scores
    np.testing.assert_allclose(ccr, reported("ccr input"), atol=1e-9)
    bcc = db.rank(TONE, **SIDES, model="ccr", returns="vrs", orientation="output").scores
    np.testing.assert_allclose(1 / bcc, reported("bcc output phi"), atol=1e-9)
    sbm = db.rank(TONE, **SIDES, model="sbm", returns="vrs").scores
    np.testing.assert_allclose(sbm, reported("sbm vrs"), atol=1e-9)
    super_efficiency = db.rank(TONE, **SIDES, model="super-sbm").scores[["DMU_C", "DMU_E"]]
    np.testing.assert_allclose(super_efficiency, reported("super-sbm of C and E"), atol=1e-6)


def test_pymcdm():
    """Weighted sums of 20,000 random weights on min-max columns; shares have its sampling error."""
    board = db.read(ROOT / "examples" / "leaderboard.csv")
    ours = db.weightings(board).to_frame().loc[board.frame.index]
    assert ours["best"].tolist() == reported("best of 20000 weightings")
    assert ours["worst"].tolist() == reported("worst of 20000 weightings")
    shares = np.array(reported("share first of 20000 weightings"))
    error = np.sqrt(ours["first_share"] * (1 - ours["first_share"]) / 20_000)
    assert (np.abs(ours["first_share"] - shares) <= 4 * error + 1e-12).all()


def test_dear_and_benchmarking():
    """deaR's model_sbmeff and Tone's paper, and the radial scores that dea(..., ORIENTATION = "in")
    gives: oracles/03.
    """
    expected = pd.read_csv(ORACLES / "03_tone2001_sbm_5dmu_expected.csv", index_col="DMU")
    np.testing.assert_allclose(
        db.rank(TONE, **SIDES, model="sbm").scores, expected["sbm_crs"], atol=1e-9
    )
    np.testing.assert_allclose(
        db.rank(TONE, **SIDES, model="sbm").scores.round(3), expected["sbm_crs_published_3dp"]
    )
    np.testing.assert_allclose(
        db.rank(TONE, **SIDES, model="ccr", orientation="input").scores,
        expected["ccr_in"],
        atol=1e-9,
    )
