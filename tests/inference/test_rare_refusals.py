"""What samples, intervals, verdicts and gates refuse, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench import Samples
from deabench.inference.metric_intervals import differences
from deabench.inference.simar_wilson import _choose_bandwidth
from deabench.metrics import Metric
from deabench.models import WEI

ANSWERS = pd.DataFrame(
    np.tile([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]], (5, 1)), columns=list("abc")
)
COUNTS = pd.DataFrame({"tp": [5, 9], "fn": [5, 1], "fp": [5, 2], "tn": [5, 8]}, index=["a", "b"])
BARS = pd.DataFrame({"TPR": ["0.9 ± 0.1", "0.8 ± 0.1"], "TNR": [0.6, 0.7]}, list("ab"))
FRAGILE = Metric("fragile", lambda y, p: p.mean() if p.sum() > 1 else float("nan"))
THREE_CLASSES = np.array([0, 0, 1, 1, 2, 2])
TABLE = pd.DataFrame(
    {"TPR": np.linspace(0.9, 0.5, 9), "TNR": np.linspace(0.4, 0.8, 9)},
    index=pd.Index(list("abcdefghi"), name="model"),
)


def of_datasets(factor: float = 1.0) -> Samples:
    """Samples of two systems on twenty data sets, with accuracies times a factor."""
    rows = [(f"d{k}", name, factor * (k + 1) / 20) for k in range(20) for name in "ab"]
    return Samples.from_datasets(pd.DataFrame(rows, columns=["dataset", "classifier", "accuracy"]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Samples.from_outcomes(
                {"x": ANSWERS, "y": ANSWERS}, sample_weight=np.ones(len(ANSWERS))
            ),
            "clusters and sample weights belong to instances that all metrics share; give "
            "shared=True",
        ),
        (
            lambda: Samples.from_outcomes({"x": ANSWERS.set_axis(list("aba"), axis=1)}),
            "the system 'a' is given twice; give every system a name of its own",
        ),
        (
            lambda: Samples.from_outcomes({"x": ANSWERS}).with_costs(
                {"ms": pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]})}
            ),
            "the cost 'ms' has 1 timings; give at least 2, or one number as exact",
        ),
        (
            lambda: Samples.from_predictions(
                [0, 0, 0, 1], {"a": [0, 0, 0, 1], "b": [0, 1, 0, 1]}, positive=1
            ),
            "there is one positive instance; an interval needs two of each class",
        ),
        (
            lambda: Samples.from_classes(
                THREE_CLASSES,
                {"a": THREE_CLASSES, "b": THREE_CLASSES},
                metrics=[Metric("mine", lambda true, predicted: 1.0, True)],
            ),
            "metric 'mine' is declared for two classes; name the positive class, or take metrics "
            "of "
            "several classes, as 'macro_F1'",
        ),
        (
            lambda: db.uncertainty(Samples.from_outcomes({"x": ANSWERS}), outputs=[]),
            "no outputs are left; name at least one metric as output",
        ),
        (
            lambda: db.uncertainty(of_datasets(5.0), exact=True),
            "exact=True needs metrics from 0 to 1 and no costs; name such metrics in outputs",
        ),
        (
            lambda: db.rank(
                TABLE, outputs=["TPR", "TNR"], reference=TABLE.iloc[:8]
            ).with_uncertainty(of_datasets()),
            "a ranking against another reference has no intervals; put the reference into the "
            "table",
        ),
        (
            lambda: db.Anytime(["a", "b"], ["x"]).add_rounds(np.full((2, 2, 1), 1.5)),
            "the rounds have the shape (2, 2, 1); give numbers from 0 to 1 of the shape (rounds, "
            "2, 1)",
        ),
        (
            lambda: db.Anytime(["a", "b"], ["x"]).add_rounds(np.full((2, 1, 2), 0.5)),
            "the rounds have the shape (2, 1, 2); give numbers from 0 to 1 of the shape (rounds, "
            "2, 1)",
        ),
        (
            lambda: db.gate(
                Samples.from_outcomes({"x": ANSWERS}).with_costs({"ms": {"a": 1, "b": 2, "c": 3}}),
                "a",
                at_least=0.9,
                sequential=True,
            ),
            "a sequential gate has outputs only; leave the costs out, or sequential",
        ),
        (
            lambda: _choose_bandwidth(np.full(5, 0.5), None),
            "the scores have no spread, so there is no bandwidth; give one, or more systems",
        ),
    ],
)
def test_what_has_no_interval_or_verdict(
    call: Callable[[], object], message: str, refused: Any
) -> None:
    with refused(message):
        call()


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"ratios": {("TPR", "TNR"): (0.5, 2)}}, "ratios"),
        ({"shares": {"TPR": (0.1, 0.9)}}, "shares"),
        (
            {"shares": {"TPR": (0.1, 0.9)}, "ratios": {("TPR", "TNR"): (0.5, 2)}},
            "shares and ratios",
        ),
    ],
)
def test_weights_with_bounds_have_no_intervals(
    bounds: dict[str, Any], words: str, refused: Any
) -> None:
    ranking = db.rank(TABLE, outputs=["TPR", "TNR"], model=WEI(**bounds))
    with refused(
        f"model 'wei' has no intervals with {words}; they are known without inputs, and with "
        f"inputs "
        "for model 'ccr' with returns 'vrs' or 'crs' and orientation 'output' or 'input'"
    ):
        ranking.with_uncertainty(of_datasets())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: db.uncertainty(Samples.from_counts(COUNTS), verdicts="exact"),
            "verdicts='exact' needs single answers, and the units that were drawn are not known",
        ),
        (
            lambda: db.uncertainty(Samples.from_counts(COUNTS)).explain("c"),
            "there is no system 'c'; there are 'a', 'b'",
        ),
        (
            lambda: Samples.from_counts(COUNTS.assign(tp=1, fn=0)),
            "there is one positive instance; an interval needs two of each class",
        ),
        (
            lambda: Samples.from_predictions(
                [0, 0, 1, 1, 2], {"a": [0, 0, 1, 1, 2], "b": [0, 1, 1, 1, 2]}
            ),
            "there is one instance of class '2'; an interval needs two of each class",
        ),
        (
            lambda: differences([1, 0] * 5, {"a": [1, 0] * 5, "b": [0, 1] * 5}, control="c"),
            "there is no classifier 'c'; there are 'a', 'b'",
        ),
        (
            lambda: db.conformal_ranks(pd.DataFrame({"a": [1.0, 2.0]})),
            "there are 2 data sets and 1 systems; give at least two of each",
        ),
        (
            lambda: db.uncertainty(db.read(BARS), outputs=["TNR"]),
            "the error bars of 'TPR' are of no metric in use; name one of these in outputs",
        ),
        (
            lambda: Samples.from_predictions(
                [1, 1, 1, 0, 0], {"a": [1, 1, 0, 0, 0], "b": [1, 1, 1, 0, 0]}, metrics=[FRAGILE]
            ),
            "metric 'fragile' is undefined without some of the instances, so its sampling error "
            "cannot be computed; give more instances, or leave the metric out",
        ),
        (
            lambda: db.gate(Samples.from_counts(COUNTS, metrics=["MCC"]), "b"),
            "metric 'MCC' of 'a' is 0, which has no ratios, so scores, limits and ranks are not "
            "known; verdicts need differences alone; leave that metric or system out",
        ),
    ],
)
def test_what_is_not_in_the_samples(refused: Any, call: Callable[[], object], message: str) -> None:
    with refused(message):
        call()
