"""Gather what samples of answered instances have in common: options, checks, fields and notes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.moments import Moments
from deabench.inference.resampling import read_groups
from deabench.inference.samples.designs import (
    DesignName,
    SamplingDesign,
    moments_of,
    units_of,
    warn_of_few_clusters,
)
from deabench.inference.samples.influence import Answers, MetricInfluence, find_formula
from deabench.metrics.formulas import METRICS, canonical_name
from deabench.metrics.metric import Metric, metric_name
from deabench.metrics.score_metrics import AT_A_VALUE, BUILT_IN, find_score_metric
from deabench.utils.checks import choice, did_you_mean
from deabench.utils.instances import Values

Array = np.ndarray
SampleFields = dict[str, Any]
"""The fields of `Samples` by name."""
MetricName = str | Metric

NOT_SMOOTH = ("KS", "ece", "TPR@FPR", "precision@")
"""Beginnings of the names of metrics that no influence value describes."""
PAIRED = "paired: all systems answered the same instances"
EQUAL_LOGS = 1e-12


@dataclass(frozen=True)
class InstanceOptions:
    """How the instances were drawn, as the user said it.

    Attributes
    ----------
    design : {"rows", "classes"}
    clusters : one name per instance, optional
    sample_weight : one number >= 0 per instance, optional
    """

    design: str = "rows"
    clusters: Values | None = None
    sample_weight: Values | None = None

    def read_design(self, n: int, index: pd.Index | None) -> SamplingDesign:
        """Return the design with the number of each instance's cluster."""
        names = [name for name in get_args(DesignName) if name != "clusters"]
        if self.design == "clusters" and self.clusters is None:
            raise DataError("design 'clusters' needs clusters=; give the cluster of each instance")
        if self.clusters is None:
            choice("design", self.design, names)
            return SamplingDesign("classes" if self.design == "classes" else "rows")
        if self.design == "classes":
            raise DataError("clusters= draw whole clusters; leave design='classes' out")
        return SamplingDesign("clusters", read_groups(self.clusters, n, index, "clusters"))


def check_metrics(metrics: tuple[MetricName, ...], *, has_scores: bool, has_labels: bool) -> None:
    """Refuse a metric without sampling error, or one that the samples cannot give."""
    if not metrics:
        raise DataError("metrics is empty; name at least one metric, as 'TPR'")
    for metric in metrics:
        name = metric_name(metric)
        if list(map(metric_name, metrics)).count(name) > 1:
            raise DataError(f"metric '{name}' is given twice; name it once")
        if canonical_name(name).startswith(NOT_SMOOTH):
            raise DataError(
                f"metric '{name}' is not smooth, so no sampling error of it holds; choose another, "
                "as 'roc_auc' or 'brier'"
            )
        declared = metric if isinstance(metric, Metric) else find_score_metric(name)
        needs_scores = declared is not None and declared.needs != "labels"
        if needs_scores and not has_scores:
            raise DataError(f"metric '{name}' needs scores; give them with Samples.from_scores")
        if needs_scores:
            continue
        if declared is None:
            _check_formula(name, has_scores)
        if not has_labels:
            raise DataError(
                f"metric '{name}' needs labels; give a threshold, or predictions with "
                "Samples.from_predictions"
            )


def check_defined(metric: str, values: Array, names: list[str]) -> None:
    """Refuse a metric that is undefined for a classifier."""
    invalid = ~np.isfinite(values)
    if invalid.any():
        i = int(np.argmax(invalid))
        value = "undefined" if np.isnan(values[i]) else "infinite"
        raise DataError(
            f"metric '{metric}' of '{names[i]}' is {value}; efficiencies are ratios and need "
            "values >= 0, choose another metric or leave the system out"
        )


def check_classifiers(names: list[str]) -> None:
    if len(names) < 2:
        raise DataError(
            f"there is one system, '{names[0]}'; efficiency compares, give at least two"
        )
    for name in names:
        if names.count(name) > 1:
            raise DataError(
                f"the system '{name}' is given twice; give every system a name of its own"
            )


def fields_of_instances(
    names: list[str],
    influences: dict[str, MetricInfluence],
    answers: Answers,
    design: SamplingDesign,
    sizes: dict[str, int],
    notes: tuple[str, ...],
) -> SampleFields:
    """Return the fields of samples of answered instances."""
    for metric, influence in influences.items():
        check_defined(metric, influence.value, names)
    ordered = costs_last(influences)
    metrics = list(ordered.values())
    moments = moments_of(metrics, answers, design)
    if design.groups is not None and not design.is_random:
        notes = (*notes, *warn_of_few_clusters(design.groups))
        sizes = {**sizes, "clusters": int(design.groups.max()) + 1}
    return {
        **values_and_costs(names, ordered),
        "moments": moments,
        "sizes": sizes,
        "pairing": PAIRED,
        "design": design.kind,
        "make_units": partial(units_of, metrics, answers, design),
        "notes": (*notes, design.describe(), *_equality_notes(moments, names)),
    }


def costs_last(influences: dict[str, MetricInfluence]) -> dict[str, MetricInfluence]:
    """Return the metrics in the order of every `Samples`: those to be high, then the costs."""
    return dict(sorted(influences.items(), key=lambda item: item[1].is_cost))


def values_and_costs(names: list[str], influences: dict[str, MetricInfluence]) -> SampleFields:
    """Return the fields `values` and `costs`."""
    table = pd.DataFrame(
        {metric: influence.value for metric, influence in influences.items()},
        pd.Index(names, name="classifier"),
    )
    costs = tuple(metric for metric, influence in influences.items() if influence.is_cost)
    return {"values": table, "costs": costs}


def mean_one_weights(weight: Array | None) -> Array | None:
    """Return sample weights with mean 1; equal weights are none."""
    if weight is None or np.ptp(weight) == 0:
        return None
    return np.asarray(weight / weight.mean())


def _check_formula(name: str, has_scores: bool) -> None:
    """Refuse a name that is no metric of counts, or one that judges no classifier."""
    try:
        formula, _ = find_formula(name)
    except KeyError:
        available = [*METRICS, *((*BUILT_IN, *AT_A_VALUE) if has_scores else ())]
        raise DataError(
            f"the uncertainty of metric '{name}' is not known; {did_you_mean(name, available)}"
        ) from None
    if formula.better == "neither":
        raise DataError(
            f"metric '{name}' describes the data and judges no classifier; choose another"
        )


def _equality_notes(moments: Moments, names: list[str]) -> tuple[str, ...]:
    """Return a note on classifiers that answer every instance alike."""
    gap, spread, _ = moments.pairs(np.arange(len(names)))
    # Equal logs and no variance of the ratio in any metric: the answers are the same.
    equal = (spread == 0).all(axis=2) & (np.abs(gap) < EQUAL_LOGS).all(axis=2)
    pairs = np.argwhere(np.triu(equal, 1))
    if not len(pairs):
        return ()
    i, j = pairs[0]
    count_note = f" ({len(pairs)} such pairs in all)" if len(pairs) > 1 else ""
    return (
        f"'{names[i]}' and '{names[j]}' answer alike on every instance{count_note}: "
        "what sets them apart is the small-sample rule alone",
    )
