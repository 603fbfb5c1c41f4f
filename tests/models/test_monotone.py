"""Which models' scores never get worse where a metric, or better where the reference, gains."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.errors import DataError
from deabench.models import MODELS
from deabench.models.options import build_options

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

RATES = ["TPR", "TNR", "F1"]
MONOTONE = [name for name in MODELS if build_options(name, {}).monotone == "metrics"]
NOT_MONOTONE = [
    name
    for name in MODELS
    if name not in MONOTONE and build_options(name, {}).measure == "efficiency"
]


def draw_rates(seed: int, rows: int = 8) -> pd.DataFrame:
    """Rates of two digits."""
    values = np.random.default_rng(seed).uniform(0.2, 1, (rows, 3)).round(2)
    return pd.DataFrame(values, [f"d{k}" for k in range(rows)], RATES)


@pytest.mark.parametrize("name", [name for name in MONOTONE if MODELS[name].inputs != "needed"])
@pytest.mark.parametrize("seed", mark_most_slow([0, 1], 1))
def test_bounds_hold_every_completion_of_empty_cells(name, seed) -> None:
    rng = np.random.default_rng(seed)
    table = draw_rates(seed)
    table.iloc[0, 0] = table.iloc[3, 1] = np.nan
    bounds = db.rank(table, outputs=RATES, model=name, missing="bounds").bounds
    for _ in range(10):
        completion = table.copy()
        completion.iloc[0, 0] = rng.choice([0.0, 1.0, rng.random()])
        completion.iloc[3, 1] = rng.choice([0.0, 1.0, rng.random()])
        scores = db.rank(completion, outputs=RATES, model=name).scores
        assert (scores >= bounds["lower"] - 1e-9).all()
        assert (scores <= bounds["upper"] + 1e-9).all()


@pytest.mark.parametrize("name", NOT_MONOTONE)
def test_scores_that_can_fall_where_a_metric_gets_better_have_no_bounds(name, refused) -> None:
    table = draw_rates(2)
    table.iloc[0, 0] = np.nan
    with refused(
        "missing='bounds' bounds scores that never fall where a metric gets better, and those of "
        f"model '{name}' can; take model 'wei', 'ccr' or 'fdh', or pass missing='drop-systems'"
    ):
        db.rank(table, outputs=RATES, model=name, missing="bounds")


def test_an_sbm_score_rises_where_a_metric_falls_to_0() -> None:
    """The reason why it has no bounds: a metric of 0 counts nothing."""
    table = draw_rates(1)
    table.iloc[2] = 0.3
    scores = []
    for value in (0.01, 0.0):
        table.iloc[2, 0] = value
        scores.append(db.rank(table, outputs=RATES, model="sbm").scores["d2"])
    assert scores[1] > scores[0] + 0.1


@pytest.mark.parametrize("seeds", mark_most_slow([range(2), range(2, 6)], 1), ids=["2", "4 more"])
@pytest.mark.parametrize("name", list(MODELS))
def test_a_gap_to_all_is_at_most_1_or_refused(name, seeds) -> None:
    is_ratio = (
        build_options(name, {}).measure == "efficiency"
        and build_options(name, {}).monotone != "none"
    )
    for seed in seeds:
        table = draw_rates(seed, 10)
        table["seconds"] = np.random.default_rng(seed).uniform(1, 9, 10).round(1)
        by = {label: "ab"[k % 2] for k, label in enumerate(table.index)}
        inputs = None if MODELS[name].inputs == "none" else ["seconds"]
        if is_ratio:
            gap = db.groups(table, by, outputs=RATES, inputs=inputs, model=name).frame["gap"]
            assert not (gap > 1 + 1e-9).any()
            continue
        with pytest.raises(DataError, match="no technology gap ratio; use model 'wei'"):
            db.groups(table, by, outputs=RATES, inputs=inputs, model=name)


@pytest.mark.parametrize("seed", range(5))
def test_shares_of_weights_are_the_same_for_any_values(seed) -> None:
    """With weights in shares, θ = max_p 1 / max_j Σ p_r Y_jr / y_r: it rises with each y_r."""
    model = db.models.WEI(shares={"TPR": (0.3, 0.4)})
    table = draw_rates(seed, 5)
    before = db.rank(table, outputs=RATES, model=model).scores["d0"]
    table.iloc[0, 0] = 1.0
    assert db.rank(table, outputs=RATES, model=model).scores["d0"] >= before - 1e-9
