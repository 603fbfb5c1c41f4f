"""How a metric moves when its test instances do: the gradients of log metrics, and the covariance
of what they are made of.

Every metric here is a function of one or two means over the instances of each class: the share
answered rightly (t = TPR, u = TNR) and, for the area under the ROC curve, DeLong's placement
values. The delta method then gives the covariance of the log metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

Array = np.ndarray

AREA = "roc_auc"


@dataclass(frozen=True)
class Rates:
    """Shares of right answers of k classifiers.

    Attributes
    ----------
    t, u : arrays (k,)
        Shares of the positives and of the negatives answered rightly.
    positives, negatives : int
        Instances of each class, > 0.
    """

    t: Array
    u: Array
    positives: int
    negatives: int

    @property
    def labelled(self) -> Array:
        """Instances labelled positive."""
        return np.asarray(self.positives * self.t + self.negatives * (1 - self.u))

    @property
    def rejected(self) -> Array:
        """Instances labelled negative."""
        return np.asarray(self.positives * (1 - self.t) + self.negatives * self.u)

    def floored(self) -> Rates:
        """Rates of no success moved to half a success: a logarithm needs it."""
        return Rates(
            np.maximum(self.t, 0.5 / self.positives),
            np.maximum(self.u, 0.5 / self.negatives),
            self.positives,
            self.negatives,
        )


Pair = tuple[Array, Array, Array]
"""A metric's value and the derivatives of its logarithm by t and by u, each (k,)."""


def _recall(r: Rates) -> Pair:
    return r.t, 1 / r.t, np.zeros_like(r.t)


def _specificity(r: Rates) -> Pair:
    return r.u, np.zeros_like(r.u), 1 / r.u


def _accuracy(r: Rates) -> Pair:
    p, n = r.positives / (r.positives + r.negatives), r.negatives / (r.positives + r.negatives)
    y = p * r.t + n * r.u
    return y, p / y, n / y


def _balanced(r: Rates) -> Pair:
    y = (r.t + r.u) / 2
    return y, 0.5 / y, 0.5 / y


def _gmean(r: Rates) -> Pair:
    return np.sqrt(r.t * r.u), 0.5 / r.t, 0.5 / r.u


def _f1(r: Rates) -> Pair:
    whole = r.positives + r.labelled
    return 2 * r.positives * r.t / whole, 1 / r.t - r.positives / whole, r.negatives / whole


def _precision(r: Rates) -> Pair:
    return (
        r.positives * r.t / r.labelled,
        1 / r.t - r.positives / r.labelled,
        r.negatives / r.labelled,
    )


def _npv(r: Rates) -> Pair:
    return (
        r.negatives * r.u / r.rejected,
        r.positives / r.rejected,
        1 / r.u - r.negatives / r.rejected,
    )


def _youden(r: Rates) -> Pair:
    y = r.t + r.u - 1
    return y, 1 / y, 1 / y


def _mcc(r: Rates) -> Pair:
    p, n, labelled, rejected = r.positives, r.negatives, r.labelled, r.rejected
    j = r.t + r.u - 1
    tilt = (1 / labelled - 1 / rejected) / 2
    return j * np.sqrt(p * n / (labelled * rejected)), 1 / j - p * tilt, 1 / j + n * tilt


def _iba(r: Rates) -> Pair:
    lean = 1 + r.t - r.u
    return lean * r.t * r.u, 1 / r.t + 1 / lean, 1 / r.u - 1 / lean


LOGS: Mapping[str, Callable[[Rates], Pair]] = {
    "TPR": _recall,
    "TNR": _specificity,
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced,
    "G-mean": _gmean,
    "F1": _f1,
    "PPV": _precision,
    "NPV": _npv,
    "MCC": _mcc,
    "Youden": _youden,
    "IBA": _iba,
}
"""The metrics of predicted labels whose intervals are known; the names are `deabench.metrics`'."""


def check_metrics(metrics: tuple[str, ...], *, scored: bool, labelled: bool) -> None:
    """Refuse a metric that has no influence values here, or that the samples cannot give."""
    if not metrics:
        raise DataError("metrics is empty; name at least one metric, as 'TPR'")
    offered = [*(LOGS if labelled else ()), *([AREA] if scored else ())]
    for name in metrics:
        if metrics.count(name) > 1:
            raise DataError(f"metric '{name}' is given twice; name it once")
        if name == AREA and not scored:
            raise DataError(f"metric '{AREA}' needs scores; give them with Samples.from_scores")
        if name in LOGS and not labelled:
            raise DataError(
                f"metric '{name}' needs labels; give a threshold, or predictions with Samples.from_predictions"
            )
        if name not in offered:
            raise DataError(
                f"the uncertainty of metric '{name}' is not known; {did_you_mean(name, offered)}"
            )


def log_metric(rates: Rates, name: str, who: list[str]) -> tuple[Array, Array, Array]:
    """A metric's values, their logarithms, and the derivatives (k, 2) of the logarithms by t and u.

    The logarithms and derivatives are those of at least half a success in each class.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = LOGS[name](rates)[0]
        lifted, by_t, by_u = LOGS[name](rates.floored())
    bad = ~np.isfinite(value) | ~(lifted > 0) | (value < 0)
    if bad.any():
        i = int(np.argmax(bad))
        said = "undefined" if np.isnan(value[i]) else f"{value[i]:g}"
        raise DataError(
            f"metric '{name}' of '{who[i]}' is {said}; efficiencies are ratios and need values >= 0, "
            "choose another metric or leave the classifier out"
        )
    return value, np.log(lifted), np.column_stack([by_t, by_u])


def mean_covariance(features: Array) -> Array:
    """The covariance of means over independent instances.

    Parameters
    ----------
    features : array (k, b, n)
        n >= 2 instances; 0/1 and whole numbers are added exactly.

    Returns
    -------
    array (k, b, k, b)
        With ddof = 1, divided by n.
    """
    k, b, n = features.shape
    flat = features.reshape(k * b, n)
    if flat.dtype == bool:
        flat = flat.astype(np.float32)  # products of 0/1 are whole numbers, exact to 2^24 instances
        means = flat.mean(axis=1, dtype=float)
        products = (flat @ flat.T).astype(float) / n - np.outer(means, means)
    else:
        centred = flat - flat.mean(axis=1, keepdims=True)
        products = centred @ centred.T / n
    return np.asarray(products / (n - 1)).reshape(k, b, k, b)


def misplacement_size(placed: Array) -> Array:
    """How much of an instance a misplacement is: Σ l³ / Σ l² of the losses l = 1 − placement, half
    a whole one added to both.

    What the small-sample rule mends is skewness, and a mean of losses is skewed as a count of whole
    ones is when each is of this size: 1 where an instance is placed wholly right or wholly wrong
    (the area is a recall then), or nothing is misplaced.

    Parameters
    ----------
    placed : array (k, n)
        Placement values.

    Returns
    -------
    array (k,)
        In (0, 1].
    """
    loss = 1 - placed
    squares = loss**2
    return np.asarray(((squares * loss).sum(axis=1) + 0.5) / (squares.sum(axis=1) + 0.5))


def placements(positive: Array, negative: Array) -> tuple[Array, Array]:
    """DeLong's placement values: of each positive among the negatives, and the other way round.

    Parameters
    ----------
    positive, negative : arrays (k, P) and (k, N)
        Scores.

    Returns
    -------
    arrays (k, P) and (k, N)
        Both have the area under the ROC curve as their mean.
    """
    from scipy.stats import rankdata

    p, n = positive.shape[1], negative.shape[1]
    ranks = rankdata(np.hstack([positive, negative]), axis=1)
    return (ranks[:, :p] - rankdata(positive, axis=1)) / n, 1 - (
        ranks[:, p:] - rankdata(negative, axis=1)
    ) / p


@dataclass(frozen=True)
class Part:
    """One class, or one set of blocks: independent of the other parts.

    Attributes
    ----------
    gradient : array (k, s, b)
        Derivative of each log metric by the b means it is made of; 0 where it does not depend on
        them.
    covariance : array (k, b, k, b)
        Of those means.
    flips : array (k, s)
        The change of each log metric when one instance of the part is answered the other way; 0
        where that is unknown.
    """

    gradient: Array
    covariance: Array
    flips: Array


@dataclass(frozen=True)
class Moments:
    """Log metrics of k classifiers with their errors.

    Attributes
    ----------
    logs : array (k, s)
    parts : tuple of Part
    degrees : array (s,)
        Degrees of freedom of each metric's error; inf where it is normal.
    """

    logs: Array
    parts: tuple[Part, ...]
    degrees: Array

    @cached_property
    def sampling(self) -> Array:
        """Covariances between classifiers, metric by metric: (s, k, k)."""
        total = np.zeros((self.logs.shape[1], len(self.logs), len(self.logs)))
        for part in self.parts:
            for r in range(len(total)):
                used = part.gradient[:, r].any(axis=0)
                g, c = part.gradient[:, r][:, used], part.covariance[:, used][..., used]
                total[r] += np.einsum("ib,ibjd,jd->ij", g, c, g, optimize=True)
        return total

    @cached_property
    def ridge(self) -> Array:
        """The squared one-flip changes, summed over the parts: (k, s)."""
        return np.asarray(sum((part.flips**2 for part in self.parts), np.zeros_like(self.logs)))

    def pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        """For classifiers i in `rows` and every j: log y_j − log y_i, its sampling variance, its
        ridge, each (rows, k, s).
        """
        if len(rows) == len(self.logs) and np.array_equal(rows, np.arange(len(rows))):
            return self._every
        return self._pairs(rows)

    @cached_property
    def _every(self) -> tuple[Array, Array, Array]:
        return self._pairs(np.arange(len(self.logs)))

    def _pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        variance = np.diagonal(self.sampling, axis1=1, axis2=2).T
        gap = self.logs[None] - self.logs[rows, None]
        both = variance[rows, None] + variance[None]
        spread = both - 2 * self.sampling[:, rows].transpose(1, 2, 0)
        spread[spread <= 1e-13 * both] = 0.0  # equal answers: nothing but rounding is left
        ridge = self.ridge[rows, None] + self.ridge[None]
        ridge[np.arange(len(rows)), rows] = 0.0
        return gap, spread, ridge

    def joint(self, h: float) -> Array:
        """The covariance of all log metrics with h times the ridge, (k·s, k·s), classifiers first."""
        k, s = self.logs.shape
        total = np.zeros((k, s, k, s))
        for part in self.parts:
            spread = np.einsum("irb,ibjd->jird", part.gradient, part.covariance, optimize=True)
            both = np.matmul(spread.reshape(k, k * s, -1), part.gradient.transpose(0, 2, 1))
            total += both.reshape(k, k, s, s).transpose(1, 2, 0, 3)
            total[np.arange(k), :, np.arange(k), :] += (
                h * part.flips[:, :, None] * part.flips[:, None, :]
            )
        return total.reshape(k * s, k * s)

    def take(self, rows: list[int], columns: list[int]) -> Moments:
        """Some of the classifiers and metrics, in the order given."""
        parts = tuple(
            Part(
                p.gradient[np.ix_(rows, columns)],
                p.covariance[rows][:, :, rows],
                p.flips[np.ix_(rows, columns)],
            )
            for p in self.parts
        )
        return Moments(self.logs[np.ix_(rows, columns)], parts, self.degrees[columns])


def critical(tail: float, degrees: Array) -> Array:
    """The point that a normal (or t, where the degrees of freedom are finite) error exceeds with
    probability `tail`: (s,).
    """
    from scipy.special import ndtri, stdtrit

    finite = np.isfinite(degrees)
    return np.asarray(
        np.where(finite, -stdtrit(np.where(finite, degrees, 1.0), tail), -ndtri(tail))
    )
