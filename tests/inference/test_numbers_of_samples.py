"""Numbers of samples and intervals against scikit-learn, and against their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, log_loss

import deabench as db
from deabench import Samples
from deabench.inference import metric_intervals
from deabench.inference.block_limits import mean_limits
from deabench.inference.samples.from_tables import match_answers


def draw_probabilities(n: int = 200) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Two classes, of which 1 is the rarer, and two systems of which `a` is the better one."""
    rng = np.random.default_rng(3)
    y = (rng.random(n) < 0.3).astype(int)
    return y, {
        name: np.clip(weight * y + (1 - weight) * rng.random(n), 0.01, 0.99)
        for name, weight in (("a", 0.4), ("b", 0.2))
    }


@pytest.mark.parametrize(
    ("metric", "function"), [("brier", brier_score_loss), ("log_loss", log_loss)]
)
def test_losses_of_probabilities_are_scikit_learns(metric: str, function: Any) -> None:
    y, scores = draw_probabilities()
    samples = Samples.from_scores(y, scores, positive=1, metrics=[metric, "roc_auc"])
    losses = {name: function(y, values) for name, values in scores.items()}
    assert samples.values[metric].to_dict() == pytest.approx(losses)


def test_intervals_of_rankings_that_are_nearly_perfect_are_finite() -> None:
    """In resamples without the one row that is out of place, every ranking is perfect."""
    y = np.repeat([0, 1], 20)
    score = np.arange(40.0)
    score[20] = 18.5
    table = metric_intervals.intervals(
        y, {"a": score, "b": score[::-1]}, metrics=["pr_auc"], positive=1, draws=200
    ).table.loc["a"]
    row = table.loc["pr_auc"]
    assert 0 < row["lower"] < row["estimate"] <= row["upper"] < 1


def test_a_band_of_blocks_shares_the_level_among_all_limits() -> None:
    """Three systems, two metrics, two ends: each limit has a twelfth of 5 %."""
    rng = np.random.default_rng(5)
    values = rng.uniform(0.2, 0.9, (3, 30, 2))
    rows = [(f"d{j}", name, *values[i, j]) for i, name in enumerate("abc") for j in range(30)]
    samples = Samples.from_datasets(pd.DataFrame(rows, columns=["dataset", "classifier", "x", "y"]))
    band = db.uncertainty(samples, exact=True).band
    for r, metric in enumerate("xy"):
        lower, upper = mean_limits(values[:, :, r], np.inf, 0.05 / 12, exact=True)
        assert band[metric, "lower"].loc[list("abc")].tolist() == pytest.approx(lower)
        assert band[metric, "upper"].loc[list("abc")].tolist() == pytest.approx(upper)


def test_answers_are_matched_in_the_order_of_the_file() -> None:
    rows = pd.DataFrame(
        {
            "classifier": ["b", "a", "a", "b", "b", "a"],
            "instance": [7, 7, 3, 3, 5, 5],
            "y_true": [1, 1, 0, 0, 1, 1],
            "y_pred": [0, 1, 0, 1, 1, 1],
        }
    )
    instances, answers = match_answers(rows)
    assert instances.index.tolist() == [0, 1, 2]
    assert instances["instance"].tolist() == [7, 3, 5]
    assert instances["y_true"].tolist() == [1, 0, 1]
    assert instances.columns.tolist() == ["y_true", "instance"]
    assert answers["y_pred"].index.tolist() == [0, 1, 2]
    assert answers["y_pred"][["a", "b"]].to_numpy().tolist() == [[1, 0], [0, 1], [1, 1]]


def test_metrics_of_scores_are_proposed_for_scores_alone(refused: Any) -> None:
    y, scores = draw_probabilities()
    with refused("the uncertainty of metric 'brierr' is not known; did you mean 'brier'?"):
        Samples.from_scores(y, scores, positive=1, metrics=["brierr"])
    answers = {name: (values > 0.5).astype(int) for name, values in scores.items()}
    with pytest.raises(db.DataError, match="the uncertainty of metric 'brierr' is not known") as e:
        Samples.from_predictions(y, answers, positive=1, metrics=["brierr"])
    assert "'brier'" not in str(e.value)
