"""What an analysis of weightings refuses, sentence by sentence."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import deabench as db

TABLE = pd.DataFrame(
    {"TPR": [0.9, 0.8, 0.7, 0.5], "TNR": [0.5, 0.6, 0.9, 0.4], "cost": [1.0, 2.0, 3.0, 4.0]},
    index=pd.Index(list("abcd"), name="model"),
)
OUTPUTS = ["TPR", "TNR"]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            TABLE,
            {"model": "value", "shares": {"TPR": 0.5}},
            "the bounds of the share of 'TPR' are 0.5; give two numbers, as (0.5, 1)",
        ),
        (
            TABLE,
            {"model": "value", "ratios": {("TPR", "TNR"): (0.5, 1, 2)}},
            "the bounds of the ratio TPR/TNR are (0.5, 1, 2); give two numbers, as (0.5, 1)",
        ),
        (
            TABLE,
            {"model": "ratio", "inputs": ["cost"], "ratios": {("TPR", "cost"): (0.5, 1)}},
            "ratios compares the output and the input 'TPR' and 'cost', whose weights have no "
            "common "
            "unit in model 'ratio'; give two outputs or two inputs, or use model='value'",
        ),
        (
            TABLE.assign(TNR=0.0),
            {"model": "ratio", "inputs": ["cost"]},
            "metric 'TNR' is 0 in every row; leave it out, or use model='value'",
        ),
        (
            TABLE.assign(TNR=[0.5, 0.0, 0.9, 0.0]),
            {"model": "value", "scale": {"TNR": "log"}},
            "metric 'TNR' of 'b' is 0, which has no logarithm; leave scale out",
        ),
    ],
)
def test_weights_and_metrics_that_cannot_be_used(
    table: pd.DataFrame, options: dict[str, Any], message: str, refused: Any
) -> None:
    with refused(message):
        db.weightings(table, outputs=OUTPUTS, **options)


def test_what_a_result_does_not_have(refused: Any) -> None:
    values = db.weightings(TABLE, outputs=OUTPUTS, model="value")
    quotients = db.weightings(TABLE, outputs=OUTPUTS, inputs=["cost"], model="ratio")
    with refused("the model 'value' has differences, not ratios; read `differences`"):
        _ = values.ratio_bounds
    with refused("a ratio of outputs to inputs has no differences; read `ratio_bounds`"):
        _ = quotients.differences
    # 'd' is below 'b' in both metrics, and 'b' below 'a' or 'c' at every weighting.
    with refused("'d' is first at no weighting; its best rank is 4"):
        values.region("d")
    # 'a' costs least and has the best TPR: first where TPR alone counts.
    with refused("a ratio of outputs to inputs has no regions; use model='value'"):
        quotients.region("a")
    with refused("end is 'middle'; write 'best' or 'worst'"):
        values.extreme_weights("a", "middle")  # type: ignore[arg-type]  # the test


def test_scales_are_of_metrics(refused) -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.7, 0.8]}, list("ab"))
    with refused("scale names 'time', which is no metric here; there are 'TPR', 'TNR'"):
        db.weightings(table, outputs=["TPR", "TNR"], scale={"time": 1})


def test_data_sets_need_a_system_with_all_of_their_metrics(refused) -> None:
    holes = [
        ("x", "a", 0.9, None),
        ("x", "b", None, 0.9),
        ("y", "a", None, 0.8),
        ("y", "b", 0.7, None),
    ]
    table = pd.DataFrame(holes, columns=["dataset", "model", "TPR", "TNR"])
    with refused("on no data set has a system all metrics; name fewer in outputs"):
        db.weightings_by_dataset(table)


def test_a_data_set_whose_weightings_are_not_defined_is_named(refused) -> None:
    rows = [("x", "a", 0.9, 0.8), ("x", "b", 0.8, 0.9), ("y", "a", 0, 0), ("y", "b", 0, 0)]
    table = pd.DataFrame(rows, columns=["dataset", "model", "TPR", "TNR"])
    with refused(
        "on data set 'y': metric 'TPR' is 0 in every row; leave it out, or use model='value'"
    ):
        db.weightings_by_dataset(table)
