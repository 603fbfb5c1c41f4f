"""Propagate sampling errors to log metrics by the delta method.

Every metric here is a function of one or two means over the instances of each class: the share
answered correctly (t = TPR, u = TNR) and, for the area under the ROC curve, DeLong's placement
values. The covariance of these means and the gradient of the log metric by them give the covariance
of the log metrics: `Moments`. All intervals of efficiencies start from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from deabench.errors import DataError
from deabench.metrics.score_metrics import placements, sort_scores
from deabench.utils.checks import did_you_mean

Array = np.ndarray

AREA = "roc_auc"
ROUNDING_ERROR = 1e-13
"""A variance below this share of the terms it is the difference of is nothing but rounding."""


@dataclass(frozen=True)
class Rates:
    """Shares of correct answers of k classifiers.

    Attributes
    ----------
    t, u : arrays (k,)
        Shares of the positives and of the negatives that are answered correctly.
    positives, negatives : int
        Instances of each class, > 0.
    """

    t: Array
    u: Array
    positives: int
    negatives: int

    @property
    def labelled_positive(self) -> Array:
        """Return the number of instances labelled positive."""
        return np.asarray(self.positives * self.t + self.negatives * (1 - self.u))

    @property
    def labelled_negative(self) -> Array:
        """Return the number of instances labelled negative."""
        return np.asarray(self.positives * (1 - self.t) + self.negatives * self.u)

    def at_least_half_success(self) -> Rates:
        """Raise rates without any success to half a success, so that their logarithm exists."""
        return Rates(
            np.maximum(self.t, 0.5 / self.positives),
            np.maximum(self.u, 0.5 / self.negatives),
            self.positives,
            self.negatives,
        )


LogGradient = tuple[Array, Array, Array]
"""A metric's value and the derivatives of its logarithm by t and by u, each (k,)."""


def _recall(r: Rates) -> LogGradient:
    return r.t, 1 / r.t, np.zeros_like(r.t)


def _specificity(r: Rates) -> LogGradient:
    return r.u, np.zeros_like(r.u), 1 / r.u


def _accuracy(r: Rates) -> LogGradient:
    total = r.positives + r.negatives
    p = r.positives / total
    n = r.negatives / total
    # A mean of t and u weighted by the prevalence.
    value = p * r.t + n * r.u
    return value, p / value, n / value


def _balanced_accuracy(r: Rates) -> LogGradient:
    value = (r.t + r.u) / 2
    return value, 0.5 / value, 0.5 / value


def _g_mean(r: Rates) -> LogGradient:
    return np.sqrt(r.t * r.u), 0.5 / r.t, 0.5 / r.u


def _f1(r: Rates) -> LogGradient:
    # F1 = 2 tp / (P + L) with L the instances labelled positive, which depends on t and u.
    total = r.positives + r.labelled_positive
    value = 2 * r.positives * r.t / total
    return value, 1 / r.t - r.positives / total, r.negatives / total


def _precision(r: Rates) -> LogGradient:
    labelled = r.labelled_positive
    value = r.positives * r.t / labelled
    return value, 1 / r.t - r.positives / labelled, r.negatives / labelled


def _npv(r: Rates) -> LogGradient:
    labelled = r.labelled_negative
    value = r.negatives * r.u / labelled
    return value, r.positives / labelled, 1 / r.u - r.negatives / labelled


def _youden(r: Rates) -> LogGradient:
    value = r.t + r.u - 1
    return value, 1 / value, 1 / value


def _mcc(r: Rates) -> LogGradient:
    # MCC = J √(P N / (L M)) with Youden's J and the labelled positives L and negatives M.
    j = r.t + r.u - 1
    value = j * np.sqrt(r.positives * r.negatives / (r.labelled_positive * r.labelled_negative))
    tilt = (1 / r.labelled_positive - 1 / r.labelled_negative) / 2
    return value, 1 / j - r.positives * tilt, 1 / j + r.negatives * tilt


def _iba(r: Rates) -> LogGradient:
    # IBA = (1 + TPR − TNR) · TPR · TNR: a sum of three logarithms.
    dominance = 1 + r.t - r.u
    return dominance * r.t * r.u, 1 / r.t + 1 / dominance, 1 / r.u - 1 / dominance


LOG_METRICS: Mapping[str, Callable[[Rates], LogGradient]] = {
    "TPR": _recall,
    "TNR": _specificity,
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "G-mean": _g_mean,
    "F1": _f1,
    "PPV": _precision,
    "NPV": _npv,
    "MCC": _mcc,
    "Youden": _youden,
    "IBA": _iba,
}
"""The metrics of predicted labels whose gradients are known, named as in `deabench.metrics`."""


@dataclass(frozen=True)
class ErrorSource:
    """One class of instances, or one set of blocks, whose errors are independent of the others'.

    Attributes
    ----------
    gradient : array (k, s, b)
        Derivative of each log metric by the b means it is made of; 0 where it does not depend on
        them.
    covariance : array (k, b, k, b)
        Of those means.
    flips : array (k, s)
        The change of each log metric when one instance is answered the other way; 0 where that is
        unknown.
    """

    gradient: Array
    covariance: Array
    flips: Array


@dataclass(frozen=True)
class Moments:
    """Log metrics of k classifiers with the covariances of their errors.

    Attributes
    ----------
    logs : array (k, s)
    sources : tuple of ErrorSource
        Their covariances add up.
    degrees : array (s,)
        Degrees of freedom of each metric's error; inf where it is normal.
    """

    logs: Array
    sources: tuple[ErrorSource, ...]
    degrees: Array

    @cached_property
    def sampling(self) -> Array:
        """Return the covariances between classifiers, metric by metric: (s, k, k)."""
        k, s = self.logs.shape
        total = np.zeros((s, k, k))
        for source in self.sources:
            for r in range(s):
                # Means that no classifier's metric depends on contribute nothing; leaving them out
                # keeps a metric of one mean free of the rounding of the others.
                used = source.gradient[:, r].any(axis=0)
                gradient = source.gradient[:, r][:, used]
                covariance = source.covariance[:, used][..., used]
                total[r] += np.einsum(
                    "ib,ibjd,jd->ij", gradient, covariance, gradient, optimize=True
                )
        return total

    @cached_property
    def ridge(self) -> Array:
        """Return the squared one-flip changes, summed over the sources: (k, s)."""
        return np.asarray(
            sum((source.flips**2 for source in self.sources), np.zeros_like(self.logs))
        )

    def pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return the log ratios of classifiers in `rows` to every j with their variances.

        Returns
        -------
        gap, spread, ridge : arrays (rows, k, s)
            log y_j − log y_i, its sampling variance, and its ridge.
        """
        if len(rows) == len(self.logs) and np.array_equal(rows, np.arange(len(rows))):
            return self._all_pairs
        return self._pairs(rows)

    def joint(self, h: float) -> Array:
        """Return the covariance of all log metrics with h times the ridge, classifiers first.

        Returns
        -------
        array (k·s, k·s)
        """
        k, s = self.logs.shape
        total = np.zeros((k, s, k, s))
        for source in self.sources:
            # G C Gᵀ, first over the means of one classifier, then over those of the other.
            spread = np.einsum("irb,ibjd->jird", source.gradient, source.covariance, optimize=True)
            products = np.matmul(spread.reshape(k, k * s, -1), source.gradient.transpose(0, 2, 1))
            total += products.reshape(k, k, s, s).transpose(1, 2, 0, 3)
            # A flipped instance moves all metrics of one classifier together.
            flips = h * source.flips[:, :, None] * source.flips[:, None, :]
            total[np.arange(k), :, np.arange(k), :] += flips
        return total.reshape(k * s, k * s)

    def take(self, rows: list[int], columns: list[int]) -> Moments:
        """Return the moments of some classifiers and metrics, in the order of the arguments."""
        sources = tuple(
            ErrorSource(
                source.gradient[np.ix_(rows, columns)],
                source.covariance[rows][:, :, rows],
                source.flips[np.ix_(rows, columns)],
            )
            for source in self.sources
        )
        return Moments(self.logs[np.ix_(rows, columns)], sources, self.degrees[columns])

    @cached_property
    def _all_pairs(self) -> tuple[Array, Array, Array]:
        return self._pairs(np.arange(len(self.logs)))

    def _pairs(self, rows: Array) -> tuple[Array, Array, Array]:
        # gap[i, j, r] = log y_jr − log y_ir: above 0 where the rival j is better.
        gap = self.logs[None] - self.logs[rows, None]
        # Var(ε_j − ε_i) = Var ε_j + Var ε_i − 2 Cov(ε_i, ε_j).
        variance = np.diagonal(self.sampling, axis1=1, axis2=2).T
        total = variance[rows, None] + variance[None]
        spread = total - 2 * self.sampling[:, rows].transpose(1, 2, 0)
        # Classifiers with equal answers have equal errors: only rounding is left of the variance.
        spread[spread <= ROUNDING_ERROR * total] = 0.0
        ridge = self.ridge[rows, None] + self.ridge[None]
        # A ratio of a classifier to itself is 1 and has no error.
        ridge[np.arange(len(rows)), rows] = 0.0
        return gap, spread, ridge


def check_metrics(metrics: tuple[str, ...], *, has_scores: bool, has_labels: bool) -> None:
    """Refuse a metric without gradient, or one that the samples cannot give."""
    if not metrics:
        raise DataError("metrics is empty; name at least one metric, as 'TPR'")
    available = [*(LOG_METRICS if has_labels else ()), *([AREA] if has_scores else ())]
    for name in metrics:
        if metrics.count(name) > 1:
            raise DataError(f"metric '{name}' is given twice; name it once")
        if name == AREA and not has_scores:
            raise DataError(f"metric '{AREA}' needs scores; give them with Samples.from_scores")
        if name in LOG_METRICS and not has_labels:
            raise DataError(
                f"metric '{name}' needs labels; give a threshold, or predictions with "
                "Samples.from_predictions"
            )
        if name not in available:
            raise DataError(
                f"the uncertainty of metric '{name}' is not known; {did_you_mean(name, available)}"
            )


def log_metric(rates: Rates, name: str, labels: Sequence[str]) -> tuple[Array, Array, Array]:
    """Return a metric's values, their logarithms, and the gradients of the logarithms.

    Parameters
    ----------
    rates : Rates
    name : str
        One of `LOG_METRICS`.
    labels : sequence of str
        The classifiers, for error messages.

    Returns
    -------
    values, logs : arrays (k,)
    gradients : array (k, 2)
        By t and u. Logarithms and gradients are those of at least half a success in each class.
    """
    # A precision of no labelled instance is 0/0; it is refused below.
    with np.errstate(divide="ignore", invalid="ignore"):
        values = LOG_METRICS[name](rates)[0]
        lifted, by_t, by_u = LOG_METRICS[name](rates.at_least_half_success())
    invalid = ~np.isfinite(values) | ~(lifted > 0) | (values < 0)
    if invalid.any():
        i = int(np.argmax(invalid))
        value = "undefined" if np.isnan(values[i]) else f"{values[i]:g}"
        raise DataError(
            f"metric '{name}' of '{labels[i]}' is {value}; efficiencies are ratios and need values "
            ">= 0, choose another metric or leave the classifier out"
        )
    return values, np.log(lifted), np.column_stack([by_t, by_u])


def mean_covariance(features: Array) -> Array:
    """Return the covariance of means over independent instances.

    Parameters
    ----------
    features : array (k, b, n)
        n >= 2 instances; booleans are added exactly.

    Returns
    -------
    array (k, b, k, b)
        With ddof = 1, divided by n.
    """
    k, b, n = features.shape
    flat = features.reshape(k * b, n)
    if flat.dtype == bool:
        # Products of 0/1 are whole numbers, which float32 adds exactly up to 2^24 instances.
        flat = flat.astype(np.float32)
        means = flat.mean(axis=1, dtype=float)
        products = (flat @ flat.T).astype(float) / n - np.outer(means, means)
    else:
        # Centring first avoids the difference of two large numbers.
        centred = flat - flat.mean(axis=1, keepdims=True)
        products = centred @ centred.T / n
    return np.asarray(products / (n - 1)).reshape(k, b, k, b)


def misplacement_size(placed: Array) -> Array:
    """Return how much of an instance one misplacement is, on average.

    Σ l³ / Σ l² of the losses l = 1 − placement, half a whole loss added to both sums. The
    small-sample rule corrects for skewness, and a mean of losses is skewed as a count of whole ones
    is when each is of this size: 1 where an instance is placed wholly right or wholly wrong (the
    area is a recall then), or where nothing is misplaced.

    Parameters
    ----------
    placed : array (k, n)
        Placement values.

    Returns
    -------
    array (k,)
        In (0, 1].
    """
    # The added half is that of a misplacement that was not seen.
    loss = 1 - placed
    squares = loss**2
    return np.asarray(((squares * loss).sum(axis=1) + 0.5) / (squares.sum(axis=1) + 0.5))


def placement_values(is_positive: Array, scores: Array) -> tuple[Array, Array]:
    """Return DeLong's placement values: each positive among the negatives, and conversely.

    Parameters
    ----------
    is_positive : bool array (n,)
    scores : array (k, n)

    Returns
    -------
    arrays (k, P) and (k, N)
        The mean of either is the area under the ROC curve.
    """
    placed = np.array([placements(sort_scores(is_positive, row)) for row in scores])
    return placed[:, is_positive], placed[:, ~is_positive]


def critical_values(tail: float, degrees: Array) -> Array:
    """Return the points that standardised errors exceed with probability `tail`: (s,).

    Quantiles of the normal distribution, of Student's t where the degrees of freedom are finite.
    """
    finite = np.isfinite(degrees)
    # Student's quantiles where a spread is estimated from few blocks or timings.
    student = -scipy.special.stdtrit(np.where(finite, degrees, 1.0), tail)
    return np.asarray(np.where(finite, student, -scipy.special.ndtri(tail)))
