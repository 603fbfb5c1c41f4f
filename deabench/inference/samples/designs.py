"""Turn influence values into covariances and units, by the design that drew the instances.

rows: the instances are a sample, the number of each class random. classes: the number of each
class was chosen. clusters: groups of instances (patients, files) were drawn whole; their number
gives Student's degrees of freedom.

Within a class the covariance is that of the features' means; by rows the classes' shares vary, too,
and move all classifiers together. Clusters, and instances with sample weights, are added up to one
row of sums for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from deabench.errors import warn_data
from deabench.inference.learned_mix import Units
from deabench.inference.moments import ErrorSource, Moments, mean_covariance
from deabench.inference.samples.influence import RIGHT, Answers, MetricInfluence

Array = np.ndarray
DesignName = Literal["rows", "classes", "clusters"]

FEW_CLUSTERS = 10
"""Below so many effective clusters a warning is raised."""
MAX_SINGLE = 500
"""Up to so many instances the jackknife leaves out one by one."""
GROUPS = 50
"""Above, it leaves out so many groups."""
GROUP_SEED = 0


@dataclass(frozen=True)
class SamplingDesign:
    """How the instances were drawn.

    Attributes
    ----------
    kind : {"rows", "classes", "clusters"}
    groups : int array (n,) or None
        The cluster of each instance.
    is_random : bool
        Whether the groups are the jackknife's and not clusters of the data.
    """

    kind: DesignName
    groups: Array | None = None
    is_random: bool = False

    def describe(self) -> str:
        """Return the design as a note."""
        if self.is_random and self.groups is not None:
            return (
                f"a metric without a formula is computed without each of {GROUPS} random groups of "
                "instances, and all errors by these groups"
            )
        if self.groups is not None:
            return (
                f"{int(self.groups.max()) + 1} clusters are taken as drawn at random, each with "
                "all its instances (design='clusters')"
            )
        if self.kind == "classes":
            return "class counts are taken as chosen (design='classes')"
        return "class counts are taken as random (design='rows')"

    def for_jackknife(self, classes: Array) -> SamplingDesign:
        """Return the design with groups that a jackknife can leave out."""
        n = len(classes)
        number = n if self.groups is None else int(self.groups.max()) + 1
        if n <= MAX_SINGLE or number <= GROUPS:
            return self
        generator = np.random.default_rng(GROUP_SEED)
        # Clusters stay whole; single instances are dealt class by class.
        strata = classes if self.groups is None else np.zeros(number, dtype=int)
        shuffled = generator.permutation(number)
        order = shuffled[np.argsort(strata[shuffled], kind="stable")]
        dealt = np.empty(number, dtype=int)
        dealt[order] = np.arange(number) % GROUPS
        groups = dealt if self.groups is None else dealt[self.groups]
        return SamplingDesign("clusters", groups, is_random=self.groups is None)


def effective_clusters(groups: Array) -> float:
    """Return (Σ n_g)² / Σ n_g²: how many clusters of equal size are worth as much."""
    sizes = np.bincount(groups)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def moments_of(
    metrics: Sequence[MetricInfluence], answers: Answers, design: SamplingDesign
) -> Moments:
    """Return the logarithms of the metrics with the covariances of their errors."""
    lifted = np.column_stack([metric.lifted for metric in metrics])
    k, s = lifted.shape
    with np.errstate(divide="ignore", invalid="ignore"):
        # A metric of 0 or less has no logarithm: its ratios are not defined.
        logs = np.where(lifted > 0, np.log(lifted), np.nan)
        scale = np.where(lifted > 0, 1 / lifted, np.nan)
    flips = np.stack([metric.flips for metric in metrics], axis=2) * scale
    if design.groups is None and answers.weight is None:
        sources = _class_sources(metrics, answers, flips, scale)
        if design.kind == "rows":
            sources.append(share_source(metrics, answers.class_sums, scale))
        return Moments(logs, tuple(sources), np.full(s, np.inf))
    totals = _influence_totals(metrics, answers, design)
    n = len(answers.classes)
    covariance = _covariance_of_totals(totals, n)
    if design.groups is not None and not design.is_random:
        flips = flips * _design_effects(metrics, answers, covariance)
    gradient = np.zeros((k, s, s))
    gradient[:, np.arange(s), np.arange(s)] = scale
    sources = [ErrorSource(gradient, covariance, flips[0])]
    sources += [_flips_alone(flip) for flip in flips[1:]]
    degrees = np.inf
    if design.groups is not None:
        # Unequal clusters are worth fewer: with G − 1 for 100 clusters worth nine, limits covered
        # .91 instead of .95.
        degrees = max(effective_clusters(design.groups) - 1, 1.0)
    return Moments(logs, tuple(sources), np.full(s, degrees))


def independent_moments(metrics: Sequence[MetricInfluence], cells: Array, kind: str) -> Moments:
    """Return the moments of counts: classifiers are independent but for the classes' shares.

    Parameters
    ----------
    cells : array (4, k)
        tp, fn, fp, tn.
    """
    lifted = np.column_stack([metric.lifted for metric in metrics])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(lifted > 0, np.log(lifted), np.nan)
        scale = np.where(lifted > 0, 1 / lifted, np.nan)
    sizes = np.array([cells[0, 0] + cells[1, 0], cells[2, 0] + cells[3, 0]])
    rates = (cells[0] / sizes[0], cells[3] / sizes[1])
    sources = []
    for c, rate in enumerate(rates):
        # Binomial variances, and no covariances.
        covariance = np.diag(rate * (1 - rate) / (sizes[c] - 1))[:, None, :, None]
        gradient = np.column_stack([metric.slopes[RIGHT][c] for metric in metrics]) * scale
        flips = np.column_stack([metric.flips[c] for metric in metrics]) * scale
        sources.append(ErrorSource(gradient[:, :, None], covariance, flips))
    if kind == "rows":
        sources.append(share_source(metrics, sizes, scale))
    return Moments(logs, tuple(sources), np.full(lifted.shape[1], np.inf))


def share_source(metrics: Sequence[MetricInfluence], sums: Array, scale: Array) -> ErrorSource:
    """Return the errors that random shares of the classes add, in common for all classifiers."""
    k, s = scale.shape
    shares = sums / sums.sum()
    # The multinomial covariance of shares, with n − 1 for the estimated shares.
    covariance = (np.diag(shares) - np.outer(shares, shares)) / (sums.sum() - 1)
    gradient = np.stack([metric.by_share.T for metric in metrics], axis=1) * scale[:, :, None]
    shape = (k, len(shares), k, len(shares))
    common = np.broadcast_to(covariance[None, :, None, :], shape)
    return ErrorSource(gradient, common, np.zeros((k, s)))


def units_of(metrics: Sequence[MetricInfluence], answers: Answers, design: SamplingDesign) -> Units:
    """Return the metrics' values unit by unit: each metric is the mean over its units."""
    n = len(answers.classes)
    k = len(metrics[0].value)
    groups = np.arange(n) if design.groups is None else design.groups
    number = int(groups.max()) + 1
    counts = np.zeros((len(metrics), number), dtype=bool)
    lines = []
    for r, metric in enumerate(metrics):
        members = np.flatnonzero(_members(metric, answers))
        counts[r, groups[members]] = True
        # The mean over the units that count, whatever their sizes.
        size = members.size if answers.weight is None else answers.weight[members].sum()
        factor = counts[r].sum() / size
        for c in np.unique(answers.classes[members]):
            lines.append((r, factor, _unit_line(metric, answers, int(c), design)))
    take = partial(_take_instances, (k, len(metrics)), lines, answers)
    is_cost = np.array([metric.is_cost for metric in metrics])
    if design.groups is None:
        return Units(take, counts, answers.classes, is_cost)
    single = take(np.arange(n))
    values = np.zeros((k, len(metrics), number), dtype=np.float32)
    for r in range(len(metrics)):
        values[:, r] = _add_groups(single[:, r], groups, number)
    return Units(values, counts, np.zeros(number, dtype=int), is_cost)


def _take_instances(
    size: tuple[int, int],
    lines: Sequence[tuple[int, float, UnitLine]],
    answers: Answers,
    instances: Array,
) -> Array:
    """Return the values of some instances, float32 (k, s, instances).

    Parameters
    ----------
    size : (k, s)
    lines : sequence of metric, factor and line
        One for each metric and class that it is measured on.
    """
    values = np.zeros((*size, len(instances)), dtype=np.float32)
    classes = answers.classes[instances]
    for r, factor, line in lines:
        places = np.flatnonzero(classes == line.c)
        selected = instances[places]
        single = line.values(answers, selected) * factor
        if answers.weight is not None:
            single *= answers.weight[selected]
        values[:, r, places] = single
    return values


def warn_of_few_clusters(groups: Array) -> tuple[str, ...]:
    """Warn where the clusters are few or very unequal; return the warning as notes."""
    effective = effective_clusters(groups)
    if effective >= FEW_CLUSTERS:
        return ()
    note = (
        f"{int(groups.max()) + 1} clusters are worth {effective:.2g} of equal size, which are few: "
        "their spread is hardly known, and the intervals are wide for it"
    )
    warn_data(note)
    return (note,)


def _members(metric: MetricInfluence, answers: Answers) -> Array:
    """Return which instances a metric is measured on."""
    if metric.own_class >= 0:
        return np.asarray(answers.classes == metric.own_class)
    return np.ones(len(answers.classes), dtype=bool)


@dataclass(frozen=True)
class UnitLine:
    """value + ψ of one metric and the instances of one class: linear in their features.

    Attributes
    ----------
    c : int
    constant : array (k,)
    slopes : mapping of feature to array (k,)
    """

    c: int
    constant: Array
    slopes: Mapping[str, Array]

    def values(self, answers: Answers, selected: Array) -> Array:
        """Return value + ψ of some instances of the class: (k, selected)."""
        total = np.zeros((len(self.constant), len(selected)))
        for name, slope in self.slopes.items():
            total += slope[:, None] * answers.features[name][:, selected]
        return np.asarray(total + self.constant[:, None])


def _unit_line(
    metric: MetricInfluence, answers: Answers, c: int, design: SamplingDesign
) -> UnitLine:
    """Return the line of the instances of one class."""
    sums = answers.class_sums
    share = 1.0 if metric.own_class >= 0 else sums[c] / sums.sum()
    constant = metric.value.copy()
    if metric.own_class < 0 and design.kind != "classes":
        shares = sums / sums.sum()
        constant = constant + metric.by_share[c] - shares @ metric.by_share
    selected = answers.classes == c
    weight = None if answers.weight is None else answers.weight[selected]
    slopes = {name: slope[c] / share for name, slope in metric.slopes.items() if slope[c].any()}
    for name, slope in slopes.items():
        feature = answers.features[name][:, selected]
        # Outcomes of one class stay exactly as they are: slope 1, and the mean is the value.
        constant = constant - slope * np.average(feature, axis=1, weights=weight)
    return UnitLine(c, constant, slopes)


def _influence_totals(
    metrics: Sequence[MetricInfluence], answers: Answers, design: SamplingDesign
) -> Array:
    """Return Σ ψ over each unit: (k, s, units)."""
    n = len(answers.classes)
    groups = np.arange(n) if design.groups is None else design.groups
    number = int(groups.max()) + 1
    totals = np.zeros((len(metrics[0].value), len(metrics), number))
    sums = answers.class_sums
    for r, metric in enumerate(metrics):
        for c in range(len(sums)):
            if metric.own_class >= 0 and c != metric.own_class:
                continue
            selected = np.flatnonzero(answers.classes == c)
            line = _unit_line(metric, answers, c, design)
            single = line.values(answers, selected) - metric.value[:, None]
            if metric.own_class >= 0:
                single = single * sums.sum() / sums[c]
            if answers.weight is not None:
                single = single * answers.weight[selected]
            totals[:, r] += _add_groups(single, groups[selected], number)
    return totals


def _add_groups(values: Array, groups: Array, number: int) -> Array:
    """Return the sums of columns by group: (k, number)."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sums = np.zeros((len(values), number))
    sums[:, ordered[starts]] = np.add.reduceat(values[:, order], starts, axis=1)
    return sums


def _covariance_of_totals(totals: Array, n: int) -> Array:
    """Return G/(G − 1) Σ T T' / n²: (k, s, k, s)."""
    k, s, number = totals.shape
    centred = (totals - totals.mean(axis=2, keepdims=True)).reshape(k * s, number)
    products = centred @ centred.T * (number / (number - 1) / n**2)
    return np.asarray(products).reshape(k, s, k, s)


def _design_effects(
    metrics: Sequence[MetricInfluence], answers: Answers, covariance: Array
) -> Array:
    """Return by how much clusters raise the variance of each metric, at least 1: (s,)."""
    totals = _influence_totals(metrics, answers, SamplingDesign("rows"))
    n = totals.shape[2]
    by_rows = (totals**2).sum(axis=(0, 2)) / (n * (n - 1))
    by_clusters = np.einsum("isis->s", covariance)
    ratio = np.divide(by_clusters, by_rows, out=np.ones_like(by_rows), where=by_rows > 0)
    return np.asarray(np.maximum(ratio, 1.0))


def _class_sources(
    metrics: Sequence[MetricInfluence], answers: Answers, flips: Array, scale: Array
) -> list[ErrorSource]:
    """Return the errors within each class: the covariance of the means of its features."""
    k, s = scale.shape
    sources = []
    for c in range(len(answers.class_names)):
        members = answers.classes == c
        names = [
            name
            for name in answers.features
            if any(name in metric.slopes and metric.slopes[name][c].any() for metric in metrics)
        ]
        if not names:
            sources.append(_flips_alone(flips[c]))
            continue
        # How each metric of each classifier changes with the means of the class's features.
        gradient = np.zeros((k, s, len(names)))
        for r, metric in enumerate(metrics):
            for b, name in enumerate(names):
                if name in metric.slopes:
                    gradient[:, r, b] = metric.slopes[name][c] * scale[:, r]
        covariance = _stacked_covariance([answers.features[name][:, members] for name in names])
        sources.append(ErrorSource(gradient, covariance, flips[c]))
    return sources


def _stacked_covariance(features: list[Array]) -> Array:
    """Return the covariance of the means of one class; of booleans alone it is exact."""
    if len(features) == 1:
        return mean_covariance(features[0][:, None])
    return mean_covariance(np.stack([values.astype(float) for values in features], axis=1))


def _flips_alone(flips: Array) -> ErrorSource:
    """Return the small-sample rule of a class without features of its own."""
    k, s = flips.shape
    return ErrorSource(np.zeros((k, s, 0)), np.zeros((k, 0, k, 0)), flips)
