"""Scores of every model proved by fractions alone: where floats settle nothing, these must."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.errors import DataError
from deabench.proofs import bounds

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    np.random.default_rng(3).uniform(0.3, 1.0, (7, 4)).round(2), list("klmnopq"), list("abxz")
)
WITH_ZEROS = TABLE.copy()
WITH_ZEROS.loc["k", "a"] = 0.0
WITH_ZEROS.loc["l", "b"] = 0.0
WITH_ZEROS.loc["m", "x"] = 0.0
WITH_ZEROS.loc["n", "z"] = 0.0
CASES: list[dict[str, Any]] = [
    *(
        {"model": model, "returns": returns, "orientation": orientation}
        for model in ("ccr", "super", "sbm", "super-sbm", "russell")
        for returns in ("crs", "vrs", "nirs", "ndrs")
        for orientation in ("input", "output")
        if model in ("ccr", "super") or returns in ("crs", "vrs")
    ),
    *(
        {"model": model, "returns": returns, "orientation": "none"}
        for model in ("sbm", "super-sbm", "russell")
        for returns in ("crs", "vrs")
    ),
    *({"model": "additive", "weights": weights} for weights in ("mip", "ones")),
    *({"model": model} for model in ("ram", "bam", "rdm")),
    *({"model": "ddf", "direction": direction} for direction in ("own", "ones", "range")),
    *({"model": "holder", "norm": norm} for norm in ("l1", "l2", "linf")),
]


def settle_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no bound of floats hold."""
    repair = bounds.repaired_gains

    def repair_nothing(*values):
        gains, error, is_feasible, is_met = repair(*values)
        return gains, error, is_feasible & False, is_met

    monkeypatch.setattr(bounds, "repaired_gains", repair_nothing)
    monkeypatch.setattr(bounds, "_is_settled", lambda bound, *_: np.zeros(len(bound), dtype=bool))


@pytest.mark.parametrize(
    "options", mark_most_slow(CASES, 20), ids=lambda options: "-".join(options.values())
)
def test_fractions_prove_what_floats_leave_open(options, monkeypatch) -> None:
    metrics = {"outputs": ["a", "b"], "inputs": ["x", "z"]}
    try:
        ranking = rank_with(WITH_ZEROS, **metrics, **options)
    except DataError:  # a model that takes no zeros
        ranking = rank_with(TABLE, **metrics, **options)
    floats = ranking.proof().frame
    settle_nothing(monkeypatch)
    db.certify(ranking)
    fractions = ranking.proof().frame
    for side in ("primal", "dual"):
        np.testing.assert_allclose(fractions[side], floats[side], rtol=2e-9, atol=2e-9)
