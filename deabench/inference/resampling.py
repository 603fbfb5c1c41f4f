"""Redraw instances by the design that made them, and take intervals from the draws.

Designs: 'rows', n instances of one population, prevalence free; 'classes', P positives and N
negatives by design; 'clusters', groups of instances (patients, files), each drawn whole; 'folds',
the instances of each fold redrawn within the fold.

Cells of a confusion matrix are drawn from their posterior under Jeffreys' prior: half an instance
in every cell, and a random weight for each instance (Rubin's Bayesian bootstrap). That is why
intervals hold for small counts and for cells that are empty. Scores are redrawn as they are, by
multinomial weights.

Mean losses get a bootstrap-t: how far each resample's mean is from the mean, in standard errors of
its own. Losses are skewed (most small, some large), so that limits at equal distances miss on one
side; the bootstrap-t learns the skewness from the data. Where a resample may have no spread at all,
there is no such interval.

References
----------
Rubin DB (1981) The Bayesian bootstrap. Annals of Statistics 9:130-134. doi:10.1214/aos/1176345338
Brown LD, Cai TT, DasGupta A (2001) Interval estimation for a binomial proportion. Statistical
Science 16:101-133. Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.utils import instances
from deabench.utils.checks import choice

DesignName = Literal["rows", "classes", "clusters", "folds"]
Floats = NDArray[np.float64]
PRIOR = 0.5
"""Jeffreys': half an instance in every cell."""
BLOCK_WEIGHTS = 1 << 22
"""Weights drawn at a time."""
MIN_GAMMA_SHAPE = 0.05
NO_SPREAD = 1e-12
"""A standard error below this share of the largest loss is rounding."""
MIN_RELATIVE_ERROR = 1e-9
"""A resample whose standard error is below this share of the data's has no spread."""


@dataclass(frozen=True)
class Design:
    """How the instances were sampled.

    Attributes
    ----------
    kind : str
    positive : bool array, n
    groups : int array, n
        The cluster or fold of each instance; 0 for the other designs.
    weight : float array, n, or None
        Sample weights.
    """

    kind: DesignName
    positive: NDArray[np.bool_]
    groups: NDArray[np.intp]
    weight: Floats | None

    @property
    def strata(self) -> NDArray[np.intp]:
        """Return the stratum of each instance: instances are redrawn within their stratum."""
        if self.kind == "classes":
            return self.positive.astype(np.intp)
        return self.groups if self.kind == "folds" else np.zeros_like(self.groups)

    @property
    def group_count(self) -> int:
        """Return the number of clusters or folds."""
        return int(self.groups.max()) + 1

    @property
    def is_simple(self) -> bool:
        """Return whether every instance counts one and was drawn by itself."""
        return self.kind in ("rows", "classes") and self.weight is None

    def describe(self) -> str:
        """Return the design as a clause."""
        return {
            "rows": "instances are taken as drawn from one population, the number of positives "
            "with them",
            "classes": "the numbers of positives and of negatives are taken as fixed by design",
            "clusters": f"{self.group_count} clusters are taken as drawn from one population, each "
            "with all its instances",
            "folds": f"instances are redrawn within each of {self.group_count} folds; how models "
            "differ from training set to training set is not in the interval",
        }[self.kind]


def make_design(
    true: labels.GroundTruth,
    kind: DesignName,
    by: instances.Values | None,
    weight: Floats | None,
) -> Design:
    """Return the design of that name, with the clusters or folds in `by`."""
    choice("design", kind, get_args(DesignName))
    # Groups belong to two designs and to no other.
    needs_groups = kind in ("clusters", "folds")
    if (by is None) == needs_groups:
        raise DataError(
            f"design '{kind}' {'needs' if needs_groups else 'takes no'} by=; give the cluster or "
            "fold of each instance with design='clusters' or 'folds'"
        )
    groups = np.zeros(len(true.is_positive), dtype=np.intp)
    if by is not None:
        groups = read_groups(by, len(true.is_positive), true.index)
    return Design(kind, true.is_positive, groups, weight)


def draw_cells(
    design: Design, pattern: NDArray[np.intp], cells: int, draws: int, seed: int
) -> Floats:
    """Draw the sums of the instances of each cell from their posterior.

    Parameters
    ----------
    pattern : int array, n
        The cell of each instance. The first half of the cells are those of positives.
    cells : int

    Returns
    -------
    array (draws, cells)
        With the total of the data; of each class in design 'classes', of each fold in design
        'folds'.
    """
    rng = np.random.default_rng(seed)
    if design.kind == "clusters" or design.weight is not None:
        return _draw_cells_of_units(design, pattern, cells, draws, rng)
    sums = np.zeros((draws, cells))
    is_positive_cell = np.arange(cells) < cells // 2
    # Gamma variables divided by their sum have the Dirichlet distribution, the cells' posterior.
    for stratum in np.unique(design.strata):
        rows = design.strata == stratum
        in_stratum = np.ones(cells, dtype=bool)
        if design.kind == "classes":
            in_stratum = is_positive_cell == bool(stratum)
        # The prior is one for all folds together.
        prior = PRIOR / design.group_count if design.kind == "folds" else PRIOR
        counts = np.bincount(pattern[rows], minlength=cells)[in_stratum]
        gammas = rng.standard_gamma(counts + prior, (draws, len(counts)))
        sums[:, in_stratum] += rows.sum() * gammas / gammas.sum(axis=1, keepdims=True)
    return sums


def draw_weights(design: Design, draws: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of `draw_counts` times the instances' sample weights."""
    for counts in draw_counts(design, draws, seed):
        yield counts if design.weight is None else counts * design.weight


def draw_counts(design: Design, draws: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of multinomial counts: how often each instance is drawn, (draws, n).

    The instances of a cluster are drawn together.
    """
    rng = np.random.default_rng(seed)
    n = len(design.positive)
    for rows in _block_sizes(draws, n):
        counts = np.empty((rows, n))
        if design.kind == "clusters":
            clusters = design.group_count
            # Clusters are drawn whole, each with the same probability.
            shares = np.full(clusters, 1 / clusters)
            counts[:] = rng.multinomial(clusters, shares, rows)[:, design.groups]
        else:
            for stratum in np.unique(design.strata):
                members = np.flatnonzero(design.strata == stratum)
                counts[:, members] = _multinomial_counts(rng, len(members), rows)
        yield counts


def quantile_limits(draws: Floats, alpha: float) -> tuple[float, float]:
    """Return order statistics of the draws that are defined; some must be."""
    defined = draws[~np.isnan(draws)]
    lower, upper = np.quantile(defined, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
    return float(lower), float(upper)


def studentised_limits(
    loss: Floats, design: Design, draws: int, seed: int, *, alpha: float, positive: bool
) -> tuple[float, float] | None:
    """Return the bootstrap-t limits of the mean loss.

    Parameters
    ----------
    loss : array, n
        Finite.
    positive : bool
        Whether no loss can be negative: distances are then those of its logarithm. Otherwise,
        as for differences, both limits are at the distance that a share `alpha` of the resamples
        exceeds on either side, which covers better there.

    Returns
    -------
    (lower, upper) or None
        None where too many resamples have no spread.
    """
    units = _resampling_units(loss, design)
    # The data themselves are the resample in which every unit counts once.
    (mean,), (error,) = units.mean_and_error(np.ones((1, len(units.first))))
    # Losses that cannot be negative have a mean above 0 where they have a spread.
    if not error > NO_SPREAD * np.abs(loss).max():
        return None
    blocks = [
        units.mean_and_error(counts[:, units.first]) for counts in draw_counts(design, draws, seed)
    ]
    means, errors = (np.concatenate(part) for part in zip(*blocks, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        # The delta method: the standard error of log mean is error / mean.
        log_t = (np.log(means) - np.log(mean)) * means / errors
        t = log_t if positive else (means - mean) / errors
    t[errors <= MIN_RELATIVE_ERROR * error] = np.nan
    if np.isnan(t).mean() > alpha / 10:
        return None
    t = t[~np.isnan(t)]
    if positive:
        lower, upper = np.quantile(t, [alpha / 2, 1 - alpha / 2])
        return float(mean * np.exp(-upper * error / mean)), float(
            mean * np.exp(-lower * error / mean)
        )
    # For differences |t| is symmetric, and one quantile serves both sides.
    reach = float(np.quantile(np.abs(t), 1 - alpha)) * error
    return float(mean - reach), float(mean + reach)


@dataclass(frozen=True)
class _ResamplingUnits:
    """What is drawn: instances or clusters, with their weights, weighted losses and strata.

    `first` is an instance of each unit, so that counts of instances become counts of units.
    """

    first: NDArray[np.intp]
    weight: Floats
    loss: Floats
    strata: NDArray[np.intp]

    def mean_and_error(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return the mean and its standard error in each resample, counts (draws, units)."""
        # A weighted mean is the ratio of two sums over the drawn units.
        total = counts @ self.weight
        mean = counts @ self.loss / total
        variance = np.zeros(len(counts))
        for stratum in np.unique(self.strata):
            members = self.strata == stratum
            count = counts[:, members]
            weight = self.weight[members]
            loss = self.loss[members]
            n = int(members.sum())
            # The residual of a unit is s − mean v, with its weighted loss s and its weight v. Their
            # sum of squares and their sum, without forming them for each resample.
            squares = count @ loss**2 - 2 * mean * (count @ (loss * weight))
            squares += mean**2 * (count @ weight**2)
            residual_sum = count @ loss - mean * (count @ weight)
            variance += np.maximum(squares - residual_sum**2 / n, 0.0) * n / max(n - 1, 1)
        return mean, np.sqrt(variance) / total


def _resampling_units(loss: Floats, design: Design) -> _ResamplingUnits:
    weight = np.ones(len(loss)) if design.weight is None else design.weight
    if design.kind != "clusters":
        return _ResamplingUnits(np.arange(len(loss)), weight, weight * loss, design.strata)
    first = np.unique(design.groups, return_index=True)[1]
    # A cluster is one unit with the sums of its instances.
    weights = np.bincount(design.groups, weight).astype(float)
    losses = np.bincount(design.groups, weight * loss).astype(float)
    return _ResamplingUnits(first, weights, losses, np.zeros_like(first))


def read_groups(
    values: instances.Values, n: int, index: pd.Index | None, argument: str = "by"
) -> NDArray[np.intp]:
    """Return the number of each instance's cluster or fold.

    Parameters
    ----------
    values : one name per instance
    n : int
        How many instances there are.
    index : Index, optional
        Of the Series that the true labels came in.
    argument : str
        What the user calls it.
    """
    names = instances.as_vector(values, argument)
    if len(names) != n:
        raise DataError(f"{argument} has {len(names)} values for {n} instances; give one for each")
    instances.check_same_index(values, index, argument)
    codes, groups = pd.factorize(names)
    if (codes < 0).any():
        instance = int(np.argmax(codes < 0)) + 1
        raise DataError(f"{argument} is missing for instance {instance}; name its cluster or fold")
    if len(groups) < 2:
        raise DataError(f"{argument} names one group only; give at least two clusters or folds")
    return np.asarray(codes, dtype=np.intp)


def _draw_cells_of_units(
    design: Design, pattern: NDArray[np.intp], cells: int, draws: int, rng: np.random.Generator
) -> Floats:
    """Draw cells for units of unequal weight: clusters, or instances with sample weights."""
    weight = np.ones(len(pattern)) if design.weight is None else design.weight
    is_clustered = design.kind == "clusters"
    unit = design.groups if is_clustered else np.arange(len(pattern))
    unit_sums = np.zeros((int(unit.max()) + 1, cells))
    np.add.at(unit_sums, (unit, pattern), weight)
    # A random weight of mean 1 for each unit, then the prior's half an instance in each cell.
    shape = _gamma_shape(len(unit_sums)) if is_clustered else 1.0
    blocks = [
        rng.standard_gamma(shape, (rows, len(unit_sums))) @ unit_sums
        for rows in _block_sizes(draws, len(unit_sums))
    ]
    sums = np.concatenate(blocks) / shape
    sums += rng.standard_gamma(PRIOR, sums.shape) * weight.mean()
    # Scale to the total of the data, or of each class where classes are fixed.
    class_cells = [slice(0, cells)]
    if design.kind == "classes":
        class_cells = [slice(0, cells // 2), slice(cells // 2, cells)]
    for part in class_cells:
        sums[:, part] *= unit_sums[:, part].sum() / sums[:, part].sum(axis=1, keepdims=True)
    return sums


def _gamma_shape(units: int) -> float:
    """Return the shape of gamma weights that gives few clusters the spread of Student's t."""
    # A gamma variable with this shape widens the quantiles by t / z.
    ratio = float(scipy.special.ndtri(0.975) / scipy.special.stdtrit(units - 1, 0.975))
    return max(((units - 1) * ratio**2 - 1) / units, MIN_GAMMA_SHAPE)


def _multinomial_counts(rng: np.random.Generator, n: int, rows: int) -> Floats:
    """Return how often each of n is drawn in n draws, `rows` times."""
    # One bincount for all rows: the picks of row r are numbered from r n on.
    picks = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(picks.ravel(), minlength=n * rows).reshape(rows, n).astype(float)


def _block_sizes(draws: int, n: int) -> Iterator[int]:
    step = max(1, BLOCK_WEIGHTS // max(n, 1))
    for start in range(0, draws, step):
        yield min(step, draws - start)
