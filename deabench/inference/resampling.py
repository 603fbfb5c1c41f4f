"""What else the data could have been: cells and weights drawn anew by the design that made the
instances.

Designs: 'rows', n instances of one population, prevalence free; 'classes', P positives and N
negatives by design; 'clusters', groups of instances (patients, files), each drawn whole; 'folds',
the instances of each fold among themselves.

Cells of a confusion matrix are drawn from their posterior under Jeffreys' prior: half an instance
in every cell, beside a random weight for each instance (Rubin's Bayesian bootstrap). That is what
makes small counts, and cells that are empty, come out right. Scores are redrawn as they are, by
multinomial weights.

References
----------
Rubin DB (1981) The Bayesian bootstrap. Annals of Statistics 9:130-134. doi:10.1214/aos/1176345338
Brown LD, Cai TT, DasGupta A (2001) Interval estimation for a binomial proportion. Statistical
Science 16:101-133."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.utils import instances
from deabench.utils.checks import choice

DesignName = Literal["rows", "classes", "clusters", "folds"]
DESIGNS = ("rows", "classes", "clusters", "folds")
Floats = NDArray[np.float64]
PRIOR = 0.5
"""Jeffreys': half an instance in every cell."""
ENTRIES = 1 << 22
"""Weights drawn at a time."""


@dataclass(frozen=True)
class Design:
    """How the instances came to be.

    Attributes
    ----------
    kind : str
    positive : bool array, n
    groups : int array, n
        The cluster or fold of each instance; 0 for the others.
    weight : float array, n, or None
        Sample weights.
    """

    kind: DesignName
    positive: NDArray[np.bool_]
    groups: NDArray[np.intp]
    weight: Floats | None

    @property
    def strata(self) -> NDArray[np.intp]:
        """The part of the data within which instances are redrawn."""
        return {"classes": self.positive.astype(np.intp), "folds": self.groups}.get(
            self.kind, np.zeros_like(self.groups)
        )

    @property
    def number(self) -> int:
        """How many clusters or folds there are."""
        return int(self.groups.max()) + 1

    def said(self) -> str:
        """The design in words."""
        return {
            "rows": "instances are taken as drawn from one population, the number of positives with them",
            "classes": "the numbers of positives and of negatives are taken as fixed by design",
            "clusters": f"{self.number} clusters are taken as drawn from one population, each with all its instances",
            "folds": f"instances are redrawn within each of {self.number} folds; how models differ from training set to "
            "training set is not in the interval",
        }[self.kind]


def make_design(
    true: labels.GroundTruth, kind: DesignName, by: instances.Values | None, weight: Floats | None
) -> Design:
    """The design named, with the clusters or folds in `by`."""
    choice("design", kind, DESIGNS)
    if (by is None) == (kind in ("clusters", "folds")):
        raise DataError(
            f"design '{kind}' {'needs' if by is None else 'takes no'} by=; give the cluster or fold of each "
            "instance with design='clusters' or 'folds'"
        )
    groups = np.zeros(len(true.is_positive), dtype=np.intp)
    if by is not None:
        named = instances.as_vector(by, "by")
        if len(named) != len(groups):
            raise DataError(
                f"by has {len(named)} values for {len(groups)} instances; give one for each"
            )
        instances.check_same_index(by, true.index, "by")
        codes, found = pd.factorize(named)
        if (codes < 0).any():
            raise DataError(
                f"by is missing for instance {int(np.argmax(codes < 0)) + 1}; name its cluster or fold"
            )
        if len(found) < 2:
            raise DataError("by names one group only; give at least two clusters or folds")
        groups = codes.astype(np.intp)
    return Design(kind, true.is_positive, groups, weight)


def draw_cells(
    design: Design, pattern: NDArray[np.intp], kinds: int, draws: int, seed: int
) -> Floats:
    """Sums of the instances of each pattern, drawn from their posterior.

    Parameters
    ----------
    pattern : int array, n
        Which of the `kinds` cells each instance is in; the first half of the cells are those of
        positives.

    Returns
    -------
    array (draws, kinds)
        With the total of the data; of each class in design 'classes', of each fold in design
        'folds'.
    """
    rng = np.random.default_rng(seed)
    if design.kind == "clusters" or design.weight is not None:
        return _by_units(design, pattern, kinds, draws, rng)
    out = np.zeros((draws, kinds))
    half = np.arange(kinds) < kinds // 2
    for stratum in np.unique(design.strata):
        rows = design.strata == stratum
        inside = half == bool(stratum) if design.kind == "classes" else np.ones(kinds, dtype=bool)
        prior = PRIOR / design.number if design.kind == "folds" else PRIOR
        sums = rng.standard_gamma(
            np.bincount(pattern[rows], minlength=kinds)[inside] + prior, (draws, int(inside.sum()))
        )
        out[:, inside] += rows.sum() * sums / sums.sum(axis=1, keepdims=True)
    return out


def _by_units(
    design: Design, pattern: NDArray[np.intp], kinds: int, draws: int, rng: np.random.Generator
) -> Floats:
    """The same for units of unequal weight: clusters, or instances with sample weights."""
    weight = np.ones(len(pattern)) if design.weight is None else design.weight
    unit = design.groups if design.kind == "clusters" else np.arange(len(pattern))
    sums = np.zeros((int(unit.max()) + 1, kinds))
    np.add.at(sums, (unit, pattern), weight)
    shape = _shape(len(sums)) if design.kind == "clusters" else 1.0
    out = (
        np.concatenate(
            [
                rng.standard_gamma(shape, (rows, len(sums))) @ sums
                for rows in _blocks(draws, len(sums))
            ]
        )
        / shape
    )
    out += rng.standard_gamma(PRIOR, out.shape) * weight.mean()
    halves = (
        [slice(0, kinds // 2), slice(kinds // 2, kinds)]
        if design.kind == "classes"
        else [slice(0, kinds)]
    )
    for part in halves:
        out[:, part] *= sums[:, part].sum() / out[:, part].sum(axis=1, keepdims=True)
    return out


def _shape(units: int) -> float:
    """The shape of gamma weights that gives few clusters the spread of Student's t instead of the
    normal's.
    """
    from scipy.special import ndtri, stdtrit

    ratio = float(ndtri(0.975) / stdtrit(units - 1, 0.975))
    return max(((units - 1) * ratio**2 - 1) / units, 0.05)


def draw_weights(design: Design, draws: int, seed: int) -> Iterator[Floats]:
    """`counts` times the instances' sample weights."""
    for out in draw_counts(design, draws, seed):
        yield out if design.weight is None else out * design.weight


def draw_counts(design: Design, draws: int, seed: int) -> Iterator[Floats]:
    """How often each instance is drawn (draws, n), multinomial, in blocks; the instances of a
    cluster together.
    """
    rng = np.random.default_rng(seed)
    n = len(design.positive)
    for rows in _blocks(draws, n):
        out = np.empty((rows, n))
        if design.kind == "clusters":
            out[:] = rng.multinomial(
                design.number, np.full(design.number, 1 / design.number), rows
            )[:, design.groups]
        else:
            for stratum in np.unique(design.strata):
                inside = np.flatnonzero(design.strata == stratum)
                out[:, inside] = _drawn(rng, len(inside), rows)
        yield out


def _drawn(rng: np.random.Generator, n: int, rows: int) -> Floats:
    """How often each of n is drawn in n draws, rows times: multinomial."""
    picks = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(picks.ravel(), minlength=n * rows).reshape(rows, n).astype(float)


def _blocks(draws: int, n: int) -> Iterator[int]:
    step = max(1, ENTRIES // max(n, 1))
    for start in range(0, draws, step):
        yield min(step, draws - start)


@dataclass(frozen=True)
class _Units:
    """What is drawn: instances or clusters, their weights and weighted losses, and the strata they
    are drawn within.
    """

    first: NDArray[np.intp]
    weight: Floats
    loss: Floats
    strata: NDArray[np.intp]

    def of(self, drawn: Floats) -> tuple[Floats, Floats]:
        """Mean and standard error of each resample, shape (B, units)."""
        total = drawn @ self.weight
        mean = drawn @ self.loss / total
        variance = np.zeros(len(drawn))
        for stratum in np.unique(self.strata):
            inside = self.strata == stratum
            c, v, s = drawn[:, inside], self.weight[inside], self.loss[inside]
            n = int(inside.sum())
            squares = c @ s**2 - 2 * mean * (c @ (s * v)) + mean**2 * (c @ v**2)
            variance += (
                np.maximum(squares - (c @ s - mean * (c @ v)) ** 2 / n, 0.0) * n / max(n - 1, 1)
            )
        return mean, np.sqrt(variance) / total


def studentised_limits(
    loss: Floats, design: Design, draws: int, seed: int, *, alpha: float, positive: bool
) -> tuple[float, float] | None:
    """The bootstrap-t limits of the mean loss; None where too many resamples have no spread.

    Parameters
    ----------
    loss : array, n
        Finite.
    positive : bool
        Whether a mean can only be positive: the distances are then those of its logarithm.
        Otherwise, as for differences, both limits are at the distance that a share `alpha` of the
        resamples exceeds on either side, which covers better there.
    """
    units = _resampling_units(loss, design)
    whole = np.ones((1, len(units.first)))
    (mean,), (error,) = units.of(whole)
    if not error > 1e-12 * np.abs(loss).max() or (positive and mean <= 0):
        return None
    parts = [units.of(block[:, units.first]) for block in draw_counts(design, draws, seed)]
    means, errors = (np.concatenate(part) for part in zip(*parts, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (
            (np.log(means) - np.log(mean)) * means / errors if positive else (means - mean) / errors
        )
    far[errors <= 1e-9 * error] = np.nan
    if np.isnan(far).mean() > alpha / 10:
        return None
    known = far[~np.isnan(far)]
    if positive:
        low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2])
        return float(mean * np.exp(-high * error / mean)), float(mean * np.exp(-low * error / mean))
    reach = float(np.quantile(np.abs(known), 1 - alpha)) * error
    return float(mean - reach), float(mean + reach)


def _resampling_units(loss: Floats, design: Design) -> _Units:
    weight = np.ones(len(loss)) if design.weight is None else design.weight
    if design.kind != "clusters":
        return _Units(np.arange(len(loss)), weight, weight * loss, design.strata)
    first = np.unique(design.groups, return_index=True)[1]
    sums = [
        np.asarray(np.bincount(design.groups, each), dtype=float)
        for each in (weight, weight * loss)
    ]
    return _Units(first, sums[0], sums[1], np.zeros_like(first))
