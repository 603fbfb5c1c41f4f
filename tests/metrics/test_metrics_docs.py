"""Every snippet of the two pages is run, and its numbers are checked."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from mlxtend.evaluate import bootstrap_point632_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

DOCS = Path(__file__).parents[2] / "docs"


def _run(page: str) -> tuple[dict, str]:
    blocks = re.findall(
        r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.S | re.M
    )
    printed: list[str] = []
    space = {"print": lambda *values: printed.append(" ".join(map(str, values)))}
    for block in blocks:
        exec(block, space)
    return space, "\n".join(printed)


def test_metrics_page():
    space, printed = _run("metrics.md")
    text = (DOCS / "metrics.md").read_text(encoding="utf-8")
    assert printed.splitlines() == re.findall(r"^print\(.*\)  # (.*)$", text, re.M)
    assert space["table"].loc["a"].tolist() == [0.5, 2 / 3, pytest.approx(np.sqrt(1 / 3))]


def test_estimation_page():
    space, _ = _run("estimation.md")
    metrics, x, y = space["metrics"], space["X"], space["y"]
    assert int(space["holdout"].to_numpy().sum()) == 190  # a third of 569
    assert len(space["repeated"]) == 10
    pooled = metrics.pooled(space["ten"], "classifier").loc["bayes"]
    assert pooled[["tp", "fn"]].sum() == (y == 0).sum()  # each instance once
    assert pooled[["fp", "tn"]].sum() == (y == 1).sum()
    expected = cross_val_score(
        GaussianNB(), x, y, cv=StratifiedKFold(10, shuffle=True, random_state=0)
    ).mean()
    computed = metrics.averaged(space["ten"], "classifier", metrics=["accuracy"]).loc[
        "bayes", "accuracy"
    ]
    assert computed == pytest.approx(expected, abs=1e-14)
    assert len(space["three_times"]) == 15
    assert np.mean(space["drawn"]) == pytest.approx(
        1 - 1 / np.e, abs=0.01
    )  # sd of a share .013, of 20 of them .003
    accuracy = space["estimate"].loc["bayes", "accuracy"]
    mlxtend = bootstrap_point632_score(GaussianNB(), x, y, n_splits=20, random_seed=1)
    assert accuracy == pytest.approx(
        np.mean(mlxtend), abs=4 * np.std(mlxtend) / np.sqrt(20)
    )  # other draws
    low, high = sorted(
        (sum(space["trained"]) / 20, sum(space["left_out"]) / 20),
        key=lambda table: table.loc["bayes", "accuracy"],
    )
    assert low.loc["bayes", "accuracy"] <= accuracy <= high.loc["bayes", "accuracy"]


@pytest.mark.parametrize(
    "module",
    [
        "inference.count_intervals",
        "inference.metric_intervals",
        "metrics.counts",
        "metrics.decompositions",
        "metrics.estimators",
        "metrics.formulas",
        "metrics.labels",
        "metrics.metric",
        "metrics.multiclass",
        "metrics.operating_conditions",
        "metrics.predictions",
        "metrics.roc_area",
        "metrics.score_metrics",
    ],
)
def test_docstring_examples(module):
    outcome = doctest.testmod(
        importlib.import_module(f"deabench.{module}"),
        optionflags=doctest.NORMALIZE_WHITESPACE,
    )
    assert outcome.attempted > 0
    assert outcome.failed == 0
