"""The sentences of a study's summary."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from deabench.report.text.study import summarize_study_summary
from deabench.study.results.aggregate import SummarySettings
from deabench.study.results.summary import _notes_on_numbers


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        ("efficiency", "'b' has the highest mean efficiency, 0.900 over 3 data sets"),
        ("inefficiency", "'a' has the lowest mean inefficiency, 0.100 over 3 data sets"),
    ],
)
def test_the_best_classifier_is_named_whichever_way_the_model_counts(measure, sentence):
    rows = pd.MultiIndex.from_product(
        [["all"], ["all data sets"], ["all"], ["a", "b"]],
        names=["grouping", "group", "panel", "classifier"],
    )
    efficiency = pd.DataFrame({"dea_then_average": [0.1, 0.9], "datasets": [3, 3]}, index=rows)
    summary = SimpleNamespace(
        failures=[],
        left_out=(),
        efficiency=efficiency,
        verdicts=None,
        measure=measure,
        targets=None,
        pivot=None,
        constant=(),
        below_floors=pd.DataFrame(),
    )
    assert summarize_study_summary(summary) == sentence


def test_notes_on_numbers():
    settings = SummarySettings(["TPR"], {}, model="additive")
    assert _notes_on_numbers(settings, ["TPR", "fit_seconds"], 2) == [
        "model 'additive' gives inefficiencies: 0 is best, and rank 1 is the lowest",
        "fit_seconds are CPU times of the machine that ran the study, and other ones on another",
        "2 results of the store are damaged and left out; 'deabench study verify' names them",
    ]
    assert _notes_on_numbers(SummarySettings(["TPR"], {}), ["TPR"], 0) == []
