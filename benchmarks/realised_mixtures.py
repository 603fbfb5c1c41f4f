"""What realised targets have on test folds of KEEL sets, and what their costs are.

    python -m benchmarks.realised_mixtures [SETS] [SEED]

For the first SETS of Table 2 with at least 30 positives (30 by default), ten outer folds: the rates
of five classifiers are measured by five inner folds of the training part, the target is the closest
point above .95 times their mean, and the mixture and the stack at the costs of its face are fitted
on the training part and answer the test fold. Answers are pooled over the outer folds. SEED draws
the folds. Takes some three minutes of CPU time.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import deabench as db
from deabench.datasets.keel import table2
from deabench.integrations.cost_stack import RATES, compare_costs
from deabench.integrations.mixture import Mixture
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset

FOLDS = 10
INNER_FOLDS = 5
LEAST_POSITIVES = 30


def make_pool() -> dict[str, Any]:
    """Return five unfitted classifiers that differ in how they weigh the classes."""
    learners = {
        "logit": LogisticRegression(max_iter=2000),
        "balanced logit": LogisticRegression(class_weight="balanced", max_iter=2000),
        "bayes": GaussianNB(),
        "5-NN": KNeighborsClassifier(),
        "balanced tree": DecisionTreeClassifier(
            max_depth=4, class_weight="balanced", random_state=0
        ),
    }
    return {
        name: make_pipeline(SimpleImputer(), StandardScaler(), learner)
        for name, learner in learners.items()
    }


def measure_set(X: np.ndarray, y: np.ndarray, seed: int = 0) -> dict[str, Any]:
    """Return target rates, the mixture's rates, and the costs, pooled over the outer folds."""
    pool = make_pool()
    answers = {name: np.zeros(len(y)) for name in ("drawn", "mixture", "stack")}
    weights = {rate: np.zeros(len(y)) for rate in RATES}
    rows = []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y):
        inner = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
        predicted = {
            name: cross_val_predict(model, X[train], y[train], cv=inner)
            for name, model in pool.items()
        }
        board = db.metrics.from_predictions(y[train], predicted, metrics=list(RATES), positive=1)
        wanted = board.mean().to_frame("wanted").T * 0.95
        targets = db.targets(wanted, board, dominating=True, norm="linf")
        stack = targets.realise("wanted", pool, by="cost", positive=1, seed=seed)
        stack.fit(X[train], y[train])
        mixture = Mixture(stack.estimators_, stack.shares, seed=seed, prefit=True)
        mixture.fit(X[train], y[train])
        answers["drawn"][test] = mixture.predict(X[test])
        # The expectation over the draw, to compare the costs with.
        answers["mixture"][test] = sum(
            share * mixture.estimators_[name].predict(X[test])
            for name, share in stack.shares.items()
        )
        answers["stack"][test] = stack.expected_answers(X[test])
        normal = targets.normals.loc["wanted", list(RATES)]
        for rate in RATES:
            weights[rate][test] = normal[rate] / normal.sum()
        rows.append({**targets.targets.loc["wanted"], "stacked": stack.chosen_ == "stack"})
    mean = pd.DataFrame(rows).mean()
    result: dict[str, Any] = {"stacked": mean["stacked"]}
    for rate, members in (("TPR", y == 1), ("TNR", y == 0)):
        drawn = answers["drawn"][members]
        value = drawn.mean() if rate == "TPR" else 1 - drawn.mean()
        # The target was measured on as many instances; Agresti and Coull's share has an error > 0.
        size = members.sum()
        smoothed = (value * size + 2) / (size + 4)
        error = np.sqrt(2 * smoothed * (1 - smoothed) / size)
        result[f"{rate} off"] = (value - mean[rate]) / error
    comparison = compare_costs(y, answers["stack"], answers["mixture"], weights)
    result["difference"], result["low"], result["high"] = comparison.difference
    result["verdict"] = comparison.verdict
    result["stack's cost"], result["mixture's cost"] = comparison.table["cost"]
    rates = comparison.table[list(RATES)]
    result["better in both"] = bool((rates.loc["stack"] >= rates.loc["mixture"] - 1e-12).all())
    return result


def measure_sets(count: int = 30, seed: int = 0) -> pd.DataFrame:
    """Measure the first sets of Table 2 that have enough positives."""
    sets = table2()
    sets = sets[(sets["positives"] >= LEAST_POSITIVES) & (sets["source"] != "uci")]
    rows = {}
    for name in sets.index[:count]:
        data = load_dataset(DataSpec(name, "table2"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows[name] = measure_set(data.X, data.y, seed)
    return pd.DataFrame.from_dict(rows, orient="index")


def main(count: int = 30, seed: int = 0) -> None:
    """Print each set, and the figures that docs/mixtures.md states."""
    table = measure_sets(count, seed)
    off = table[["TPR off", "TNR off"]].abs()
    sys.stdout.write(f"{table.round(4).to_string()}\n")
    figures = {
        "rates within two standard errors": (off <= 2).to_numpy().mean(),
        "expected cost no higher": (table["difference"] <= 1e-12).mean(),
        "shown to be dearer": (table["verdict"] == "dearer").mean(),
        "shown to be cheaper": (table["verdict"] == "cheaper").mean(),
        "no worse in both rates": table["better in both"].mean(),
    }
    for name, value in figures.items():
        sys.stdout.write(f"{name}: {value:.1%}\n")
    costs = table[["stack's cost", "mixture's cost"]].mean()
    sys.stdout.write(f"mean costs: {costs.round(4).to_dict()}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
