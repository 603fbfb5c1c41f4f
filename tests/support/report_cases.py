"""Tables and a small study for the report's tests."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd

import deabench as db
from deabench.datasets import keel
from deabench.study.results import aggregate
from deabench.study.results.metrics import StudyMetrics

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '=HYPERLINK("x")',
    "$\\input{x}$",
    "a|b & c_d",
]
UNSEEN = ["turned \u202e round", "bell \x07 rings", "lone \ud800 half"]
"""Names with signs that turn the direction of writing, ring, or are no text."""


@cache
def page_of(count, metrics):
    """The report of a cloud, made once for all tests that only read it."""
    return db.report(cloud(count, metrics))


@cache
def large_page():
    """The report of 5,000 classifiers by five metrics, made once."""
    table = cloud(5000, 5)
    return db.report(table, outputs=list(table))


def cloud(count, metrics=3, seed=0):
    rng = np.random.default_rng(seed)
    points = np.abs(rng.normal(size=(count, metrics)))
    points *= (0.6 + 0.4 * rng.random((count, 1)) ** 0.3) / np.linalg.norm(
        points, axis=1, keepdims=True
    )
    names = ["TPR", "TNR", "AUC", "GM", "F"][:metrics]
    return pd.DataFrame(points, index=[f"classifier {k:04d}" for k in range(count)], columns=names)


COSTS: dict[str, object] = {}
"""Settings of reports on `costly`: the names of its columns tell what they are."""


def costly(count, seed=3):
    """A metric to be high, an error rate and a cost that spans decades."""
    rng = np.random.default_rng(seed)
    skill = rng.random(count)
    columns = {
        "AUC": 0.55 + 0.4 * skill * rng.uniform(0.9, 1, count),
        "error": 0.4 - 0.3 * skill * rng.uniform(0.8, 1, count),
        "seconds": 10 ** (3 * skill * rng.uniform(0.4, 1, count)),
    }
    return pd.DataFrame(columns, index=[f"classifier {k:04d}" for k in range(count)])


@cache
def costs_page(count):
    """The report of metrics and costs, made once."""
    return db.report(costly(count), **COSTS)


def hostile():
    table = cloud(12, 2)
    names = [*HOSTILE, *UNSEEN]
    table.index = pd.Index(
        [*names, *table.index[len(names) :]], dtype=object
    )  # text as Arrow has it refuses half a sign
    return table


@cache
def hostile_page():
    """The report of names that try to be markup, made once."""
    return db.report(hostile())


def study():
    """The shipped means of Chao et al. (2022), Tables 5 and 6, in the shape of a study's summary:
    types as data sets.
    """
    tables = {
        f"{base} {kind}": db.datasets.load(f"chao2022-{base}-{kind}")
        for base in ("c45",)
        for kind in ("disjunct", "overlapping", "noisy")
    }
    metrics = pd.concat(tables, names=["dataset", "classifier"])
    groups = {("all", "all data sets"): list(tables)} | {
        ("type", name.split()[1]): [name] for name in tables
    }
    means = pd.concat(
        {
            key: metrics.loc[names]
            .groupby(level="classifier", sort=False)
            .mean()
            .assign(datasets=len(names))
            for key, names in groups.items()
        },
        names=["grouping", "group", "classifier"],
    )

    def scores(table):
        return db.rank(table, outputs=["TPR", "AUC", "GM", "F"], inputs=["TNR"], model="wei").scores

    per_dataset = (
        pd.concat(
            {("all", name): scores(table) for name, table in tables.items()},
            names=["panel", "dataset", "classifier"],
        )
        .rename("efficiency")
        .to_frame()
    )
    rows = {}
    for (grouping, group), names in groups.items():
        single = per_dataset["efficiency"].unstack("dataset")[names].mean(axis=1).droplevel("panel")
        rows[grouping, group, "all"] = pd.DataFrame(
            {"average_then_dea": scores(means.loc[grouping, group]), "dea_then_average": single}
        )
    failures = pd.DataFrame(
        {"status": ["failed"], "error_type": ["ValueError"], "error": ["<b>too few</b> rows"]},
        index=pd.MultiIndex.from_tuples(
            [("c45 noisy", "OSS+C4.5", 0, 3)], names=["dataset", "classifier", "repeat", "fold"]
        ),
    )
    frames = {
        "means": means,
        "metrics": metrics,
        "per_dataset": per_dataset,
        "failures": failures,
        "efficiency": pd.concat(rows, names=["grouping", "group", "panel", "classifier"]),
    }
    return SimpleNamespace(
        frames=lambda: frames,
        left_out=(("c45 noisy", "OSS+C4.5"),),
        notes=("few data sets",),
        tests={},
    )


@cache
def shipped_study():
    """The study that is shipped: 18 classifiers on 67 data sets, its counts summarised as `deabench
    study` does.
    """
    counts, sets = keel.read_keel67().reset_index(), keel.table2()
    metrics = StudyMetrics().compute(counts, ["TPR", "TNR", "G-mean", "IBA"], dict)
    facts = sets.rename(columns={"paper_ir": "imbalance_ratio"}).loc[
        list(dict.fromkeys(counts["dataset"])), ["type", "imbalance_ratio"]
    ]
    names = list(dict.fromkeys(counts["classifier"]))
    settings = aggregate.SummarySettings(["TPR", "TNR", "G-mean"], {"all": names}, mixed="drop")
    groups, single = (
        aggregate.group_datasets(facts, settings),
        aggregate.efficiencies_per_dataset(metrics, settings),
    )
    means = aggregate.group_means(metrics, groups)
    frames = {
        "means": means,
        "metrics": metrics,
        "per_dataset": single,
        "facts": facts,
        "failures": pd.DataFrame(),
        "efficiency": aggregate.efficiencies_two_ways(means, single, groups, settings),
    }
    return SimpleNamespace(frames=lambda: frames, left_out=(), notes=(), tests={})
