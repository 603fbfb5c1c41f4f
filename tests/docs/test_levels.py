"""A level, a power or a prevalence is a share strictly between 0 and 1 wherever it is typed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import compare, curves, metrics

FIRST = np.linspace(0.6, 0.9, 12)
SECOND = FIRST + np.tile([-0.03, 0.01, -0.01, 0.02], 3)
SCORES = pd.DataFrame({"a": FIRST, "b": SECOND, "c": FIRST[::-1]})
Y = np.arange(20) % 2
SCORE = Y * 0.4 + np.linspace(0, 1, 20)
ANSWERS = {"a": (SCORE > 0.6).astype(int), "b": (SCORE > 0.9).astype(int)}
COUNTS = pd.DataFrame({"tp": [9, 8], "fn": [1, 2], "fp": [2, 1], "tn": [8, 9]}, index=["a", "b"])
CURVE = curves.roc(Y, SCORE)
SAMPLES = db.Samples.from_predictions(Y, ANSWERS, positive=1)
RATES = pd.DataFrame({"TPR": FIRST, "TNR": FIRST[::-1]})

ALPHA: list[Callable[..., object]] = [
    partial(compare.anova, SCORES),
    partial(compare.compare, SCORES),
    partial(compare.corrected_t, FIRST, SECOND, ratio=0.1),
    partial(compare.critical_difference, 3, 12),
    partial(compare.five_by_two_f, FIRST[:10].reshape(5, 2) - 0.7),
    partial(compare.mcnemar, 1, 5, n=20),
    partial(compare.on_one_test_set, Y, ANSWERS),
    partial(compare.on_own_test_sets, {"a": Y, "b": Y}, ANSWERS),
    partial(compare.paired_t, FIRST, SECOND),
    partial(compare.pairwise, SCORES),
    partial(compare.permutation, FIRST, SECOND),
    partial(compare.sample_size_auc, 0.8, against=0.7),
    partial(compare.sample_size_mcnemar, 0.1, 0.2),
    partial(compare.two_error_rates, 0.1, 100, 0.2, 100),
    partial(compare.wilcoxon, FIRST, SECOND),
]
POWER: list[Callable[..., object]] = [
    partial(compare.sample_size_auc, 0.8, against=0.7),
    partial(compare.sample_size_mcnemar, 0.1, 0.2),
    partial(compare.sample_size_tango, 0.1, 0.1, margin=0.05),
    partial(db.plan, gap=0.1),
]
LEVEL: list[Callable[..., object]] = [
    partial(db.conformal_ranks, SCORES),
    partial(db.gate, SAMPLES, "a", at_least=0.9),
    partial(db.plan, gap=0.1),
    partial(db.rank_sets, SAMPLES, {"TPR": 1}),
    partial(db.simar_wilson, RATES, outputs=["TPR", "TNR"]),
    partial(db.uncertainty, SAMPLES),
    partial(db.weightings, RATES, outputs=["TPR", "TNR"], uncertainty=SAMPLES),
]
INTERVALS: list[Callable[..., object]] = [
    partial(curves.average_threshold, [CURVE, CURVE]),
    partial(curves.average_vertical, [CURVE, CURVE]),
    partial(curves.bands, CURVE),
    partial(metrics.bootstrap_counts, COUNTS),
    partial(metrics.proportion_intervals, COUNTS),
]
"""Their refusals name intervals and bands."""


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        *(("alpha", call) for call in ALPHA),
        *(("power", call) for call in POWER),
        *(("level", call) for call in LEVEL),
    ],
    ids=lambda value: value if isinstance(value, str) else value.func.__name__,
)
def test_shares_of_0_and_of_all_are_refused(
    argument: str, call: Callable[..., object], refused: Any
) -> None:
    example = 0.95 if argument == "level" else 0.05
    for value in (0, 1, 95, float("nan"), "0.05"):
        with refused(
            f"{argument} is {value}; give a number between 0 and 1, both excluded, as {example}"
        ):
            call(**{argument: value})


@pytest.mark.parametrize("call", INTERVALS, ids=lambda call: call.func.__name__)
def test_intervals_of_no_level_are_refused(call: Callable[..., object]) -> None:
    for value in (0, 1, 95):
        with pytest.raises(db.DataError, match=f"^alpha is {value}; .* between 0 and 1, as 0.05"):
            call(alpha=value)


@pytest.mark.parametrize("argument", ["the AUC", "the AUC to compare with"])
def test_an_area_is_a_share(argument: str, refused: Any) -> None:
    areas = {"the AUC": 0.8, "the AUC to compare with": 0.7, argument: 1.0}
    with refused(f"{argument} is 1.0; give a number between 0 and 1, both excluded, as 0.05"):
        compare.sample_size_auc(areas["the AUC"], against=areas["the AUC to compare with"])


def test_one_sided_levels_are_below_a_half(refused: Any) -> None:
    for call in (
        partial(compare.sample_size_tango, 0.1, 0.1, margin=0.05),
        partial(compare.tost, FIRST, SECOND, margin=0.1),
    ):
        for value in (0, 0.5, 1):
            with refused(
                f"alpha is {value}; give a number between 0 and 0.5, both excluded, as 0.025"
            ):
                call(alpha=value)
    with refused("margin is 0; give a number between 0 and 1, both excluded, as 0.05"):
        compare.sample_size_tango(0.1, 0.1, margin=0)
