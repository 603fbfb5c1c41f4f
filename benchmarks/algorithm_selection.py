"""How much of the gap between the single best algorithm and the oracle similar data close.

    python -m benchmarks.algorithm_selection SCENARIO ...

SCENARIO is a folder of the algorithm selection library (ASlib, github.com/coseal/aslib_data) with
algorithm_runs.arff, feature_values.arff and cv.arff. On each fold of the scenario an algorithm is
chosen for each instance by what `db.recommend` goes by: instances of the other folds, weighted by
their similarity (`similarity`, its bandwidth learned from them), ordered by the chance that one
is the best (`order_names`), or by the expected performance. Features enter as signed logarithms.
Runtimes count as PAR10: ten times the cutoff where a run was not completed. The time that the
features cost is left out.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from deabench.study.evidence import Evidence, order_names, similarity

KEYS = ["instance_id", "repetition"]


@dataclass(frozen=True, eq=False)
class InstanceEvidence(Evidence):
    """What is known of instances whose characteristics are the features of a scenario."""

    features: np.ndarray | None = None

    @cached_property
    def characteristics(self) -> np.ndarray:
        """The features: (instances, features)."""
        assert self.features is not None
        return self.features


def read_arff(path: Path) -> pd.DataFrame:
    """Return a dense file of ASlib as a frame; '?' is a missing value."""
    names = []
    lines = iter(path.read_text().splitlines())
    for line in lines:
        words = line.split()
        if words and words[0].lower() == "@attribute":
            names.append(words[1].strip("'\""))
        if words and words[0].lower() == "@data":
            break
    rows = csv.reader((line for line in lines if line and line[0] != "%"), quotechar="'")
    return pd.DataFrame(rows, columns=names).replace("?", np.nan)


def read_scenario(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """Return costs (instances x algorithms), features and the fold of each instance."""
    runs = read_arff(folder / "algorithm_runs.arff")
    metric = runs.columns[3]
    value = runs[metric].astype(float)
    if metric == "runtime":
        completed = runs["runstatus"] == "ok"
        cutoff = value.max()
        for line in (folder / "description.txt").read_text().splitlines():
            if line.startswith("algorithm_cutoff_time:"):
                cutoff = float(line.split(":")[1])
        cost = value.where(completed, 10 * cutoff)
    else:
        cost = -value
    costs = runs.assign(cost=cost).pivot_table(
        index="instance_id", columns="algorithm", values="cost"
    )
    features = read_arff(folder / "feature_values.arff").drop(columns="repetition")
    features = features.set_index("instance_id").astype(float)
    folds = read_arff(folder / "cv.arff").set_index("instance_id")["fold"]
    instances = costs.index.intersection(features.index).intersection(folds.index)
    return costs.loc[instances], features.loc[instances], folds.loc[instances]


def choose_by_similar(costs: np.ndarray, features: np.ndarray, test: np.ndarray) -> pd.DataFrame:
    """Return the costs on each test instance: of what is chosen, the single best, the oracle."""
    train = ~test
    # Missing features are the median of the training instances; constant ones tell nothing.
    features = features[:, ~np.isnan(features[train]).all(axis=0)]
    values = np.where(np.isnan(features), np.nanmedian(features[train], axis=0), features)
    values = np.sign(values) * np.log1p(np.abs(values))
    values = values[:, np.isfinite(values).all(axis=0) & (values[train].std(axis=0) > 0)]
    train_costs = costs[train]
    is_best = train_costs <= train_costs.min(axis=1, keepdims=True)
    evidence = InstanceEvidence(
        name="scenario",
        facts=pd.DataFrame(),
        classifiers=tuple(map(str, range(costs.shape[1]))),
        efficient=is_best,
        worlds=is_best[:, None],
        scores=-train_costs,
        rates=np.zeros((*train_costs.shape, 2)),
        files=np.arange(len(train_costs)),
        features=values[train],
    )
    single_best = train_costs.mean(axis=0).argmin()
    rows = []
    for instance in np.flatnonzero(test):
        weights = similarity(evidence, values[instance])
        first = order_names(evidence.worlds, weights)[0][0]
        expected = (weights @ evidence.scores).argmax()
        cost = costs[instance]
        rows.append([cost[single_best], cost.min(), cost[first], cost[expected]])
    return pd.DataFrame(rows, columns=["single best", "oracle", "first name", "best expected"])


def measure_scenario(folder: Path) -> pd.Series:
    """Return mean costs over all folds, and the share of the gap that the two rules close."""
    costs, features, folds = read_scenario(folder)
    chosen = [
        choose_by_similar(costs.to_numpy(), features.to_numpy(), (folds == fold).to_numpy())
        for fold in folds.unique()
    ]
    means = pd.concat(chosen).mean()
    gap = means["single best"] - means["oracle"]
    for rule in ("first name", "best expected"):
        means[f"closed by {rule}"] = (means["single best"] - means[rule]) / gap
    return pd.concat([pd.Series({"instances": len(costs), "algorithms": costs.shape[1]}), means])


def main(*folders: str) -> None:
    """Print the figures of each scenario."""
    for folder in folders:
        sys.stdout.write(
            f"{Path(folder).name}\n{measure_scenario(Path(folder)).round(4).to_string()}\n\n"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
