"""What functions of tables refuse, and what they tell to do instead."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RATES = pd.DataFrame({"TPR": [0.9, 0.8, 0.7], "TNR": [0.5, 0.6, 0.7]}, index=list("abc"))
BOARD = RATES.assign(fit_time=[1.0, 2.0, 3.0], note=list("xyz"))
GAP = RATES.assign(TPR=[0.9, np.nan, 0.7])
SPLIT = [
    ("x", "a", 0.9, np.nan),
    ("x", "b", np.nan, 0.8),
    ("y", "a", np.nan, 0.5),
    ("y", "b", 0.4, np.nan),
]
"""Each system has another metric on each data set, and both in the mean."""
GROUPS = {"a": 1, "b": 1, "c": 2}
RATIO_MODELS = "which have no technology gap ratio; use model 'wei', 'ccr', 'fdh' or 'sbm'"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: db.best(BOARD, within={"fit_time": 0.1}),
            "no system has 'fit_time' at most 0.1; widen the budget",
        ),
        (
            lambda: db.best(BOARD, within={"TPR": 0.95, "fit_time": 2}),
            "no system has 'TPR' at least 0.95 and 'fit_time' at most 2; widen the budget",
        ),
        (
            lambda: db.best(BOARD, within={"note": 1}),
            "within names 'note', which holds text; name a column of numbers",
        ),
        (
            lambda: db.best(BOARD, within={"fit_tim": 1}),
            "within names 'fit_tim', which is no column of numbers; did you mean 'fit_time'?",
        ),
        (
            lambda: db.groups(RATES, 3),
            "by is an int; give the column of groups, or a mapping of each label to its group",
        ),
        (
            lambda: db.groups(RATES, GROUPS, model="additive"),
            f"model 'additive' gives inefficiencies, {RATIO_MODELS}",
        ),
        (
            lambda: db.groups(RATES, GROUPS, model="cross"),
            "a score of model 'cross' can rise where systems join the reference, so that it has no "
            "technology gap ratio; use model 'wei', 'ccr', 'fdh' or 'sbm'",
        ),
        (
            lambda: db.order_m(RATES, orientation="input"),
            "orientation 'input' needs an input and none is given; name one in inputs",
        ),
        (
            lambda: db.scale_efficiency(BOARD[["fit_time"]], inputs=["fit_time"]),
            "returns to scale compare outputs with inputs and there is no output; name one in "
            "outputs, or use deabench.rank",
        ),
        (
            lambda: db.rank(GAP, missing="bounds", reference=RATES),
            "missing='bounds' bounds efficiencies of a table that is its own reference; pass "
            "missing='drop-systems'",
        ),
        (
            lambda: db.rank(GAP, missing="bounds", model="cross"),
            "missing='bounds' bounds scores that never fall where a metric gets better, and those "
            "of model 'cross' can; take model 'wei', 'ccr' or 'fdh', or pass "
            "missing='drop-systems'",
        ),
        (
            lambda: db.rank(
                GAP.rename(columns={"TPR": "flux"}), outputs=["flux", "TNR"], missing="bounds"
            ),
            "'flux' has empty cells and no known range, so missing='bounds' cannot bound them; "
            "pass missing='drop-systems' or 'drop-metrics'",
        ),
        (
            lambda: db.rank(0 * RATES),
            "every output of 'a' is 0, as of all others; their efficiencies are undefined",
        ),
        (
            lambda: db.frontier(RATES, lower_is_better=["TPR"]),
            "lower_is_better of frontier applies to many files only; give frontier(read(table, "
            "lower_is_better=...))",
        ),
        (
            lambda: db.weightings(BOARD[["fit_time"]], inputs=["fit_time"], model="ratio"),
            "model='ratio' needs an output; name one in outputs, or use model='value'",
        ),
        (
            lambda: db.by_dataset(
                pd.DataFrame(
                    SPLIT,
                    columns=["dataset", "classifier", "TPR", "TNR"],
                ),
                outputs=["TPR", "TNR"],
                missing="drop-systems",
            ),
            "on no data set has a system all metrics; name fewer in outputs",
        ),
    ],
)
def test_refusals(call, text, refused) -> None:
    with refused(text):
        call()
