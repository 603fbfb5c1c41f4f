"""Compute the metrics of scores and of probabilities, each declared as a user's metric is.

A score is sorted once; tp and fp are the weights of positives and negatives among the scores at or
above each distinct value, from 0 (nothing labelled positive) on. Every metric of a ranking is a
function of those two arrays of shape (..., values + 1), so that a bootstrap redraws weights and
never sorts again.

References
----------
Brier GW (1950) Verification of forecasts expressed in terms of probability. Monthly Weather Review
78:1-3. McClish DK (1989) Analyzing a portion of the ROC curve. Medical Decision Making 9:190-195.
Vickers AJ, Elkin EB (2006) Decision curve analysis. Medical Decision Making 26:565-574.
doi:10.1177/0272989X06295361. Guo C, Pleiss G, Sun Y, Weinberger KQ (2017) On calibration of modern
neural networks. ICML, PMLR 70:1321-1330.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deabench.errors import DataError
from deabench.metrics.formulas import canonical_name
from deabench.metrics.metric import Metric

Floats = NDArray[np.float64]

CALIBRATION_BINS = 15
"""Equal bins of the expected calibration error."""
ROUNDING_ERROR = 1e-12


@dataclass(frozen=True)
class SortedScores:
    """Scores in falling order.

    Attributes
    ----------
    order : int array, n
        The instances, highest score first.
    positive : bool array, n
        Whether each is positive, in that order.
    ends : int array, distinct values
        The last place of each distinct score.
    """

    order: NDArray[np.intp]
    positive: NDArray[np.bool_]
    ends: NDArray[np.intp]

    def steps(self, weights: Floats | None = None) -> tuple[Floats, Floats]:
        """Return tp and fp after each distinct score, from 0 on.

        Parameters
        ----------
        weights : array (..., n), optional
            In the instances' order; without weights each counts 1.

        Returns
        -------
        two arrays (..., distinct values + 1)
        """
        if weights is None:
            tp = np.cumsum(self.positive)[self.ends].astype(float)
            return _prepend_zero(tp), _prepend_zero(self.ends + 1.0 - tp)
        ordered = np.asarray(weights, dtype=float)[..., self.order]
        tp = np.cumsum(ordered * self.positive, axis=-1)[..., self.ends]
        fp = np.cumsum(ordered * ~self.positive, axis=-1)[..., self.ends]
        return _prepend_zero(tp), _prepend_zero(fp)


def sort_scores(positive: NDArray[np.bool_], score: np.ndarray) -> SortedScores:
    """Sort scores in falling order; equal scores are one step."""
    # Scores in falling order; a threshold between equal scores does not exist.
    order = np.argsort(score)[::-1]
    ranked = score[order]
    # The last place of each run of equal scores.
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    return SortedScores(order, positive[order], ends)


def roc_auc(tp: Floats, fp: Floats) -> Floats:
    """Return the area under the ROC curve: P(positive scores higher) + P(equal) / 2."""
    # Trapezoids between the points of the curve, both coordinates unscaled.
    doubled_area = (np.diff(fp) * (tp[..., 1:] + tp[..., :-1])).sum(axis=-1)
    return np.asarray(doubled_area / (2 * tp[..., -1] * fp[..., -1]))


def average_precision(tp: Floats, fp: Floats) -> Floats:
    """Return Σ (TPR_k − TPR_{k−1}) PPV_k."""
    labelled = tp[..., 1:] + fp[..., 1:]
    # Resamples may leave a step without weight; its precision counts 0.
    precision = np.divide(tp[..., 1:], labelled, out=np.zeros_like(labelled), where=labelled > 0)
    return np.asarray((np.diff(tp) * precision).sum(axis=-1) / tp[..., -1])


def kolmogorov_smirnov(tp: Floats, fp: Floats) -> Floats:
    """Return the greatest TPR − FPR."""
    # The two curves are compared on one scale, that of rates.
    return np.asarray((tp / tp[..., -1:] - fp / fp[..., -1:]).max(axis=-1))


def partial_area(tp: Floats, fp: Floats, max_fpr: float) -> Floats:
    """Return McClish's area over FPR from 0 to `max_fpr`: ½ for chance, 1 for a perfect ranking."""
    fpr = fp / fp[..., -1:]
    tpr = tp / tp[..., -1:]
    left = fpr[..., :-1]
    right = fpr[..., 1:]
    # Trapezoids up to max_fpr; the one that max_fpr cuts ends on the line between its corners.
    width = np.minimum(right, max_fpr) - np.minimum(left, max_fpr)
    # The share of the trapezoid that lies left of max_fpr.
    inside = np.divide(width, right - left, out=np.zeros_like(right), where=right > left)
    area = (width * (tpr[..., :-1] + inside * np.diff(tpr) / 2)).sum(axis=-1)
    # The partial area of the diagonal; max_fpr is that of a perfect ranking.
    chance = max_fpr**2 / 2
    return np.asarray((1 + (area - chance) / (max_fpr - chance)) / 2)


def best_tpr(tp: Floats, fp: Floats, fpr: float) -> Floats:
    """Return the greatest TPR of a threshold whose FPR is at most `fpr`."""
    # 3 of 60 is .05, although .05 · 60 is less than 3 in floating point.
    allowed = fp <= fpr * fp[..., -1:] * (1 + ROUNDING_ERROR)
    return np.asarray(np.where(allowed, tp, 0.0).max(axis=-1) / tp[..., -1])


def precision_of_top(tp: Floats, fp: Floats, k: float) -> Floats:
    """Return the share of positives among the k highest scores.

    Of equal scores at the cut, the mean over all orders.
    """
    labelled = tp + fp
    step = np.diff(labelled)
    # Of each step of equal scores, so many instances are among the first k.
    inside = np.clip(np.minimum(labelled[..., 1:], k) - labelled[..., :-1], 0.0, None)
    hits = np.divide(np.diff(tp) * inside, step, out=np.zeros_like(step), where=step > 0)
    return np.asarray(hits.sum(axis=-1) / np.minimum(k, labelled[..., -1]))


def placements(sample: SortedScores) -> Floats:
    """Return DeLong's placement values, in the instances' order.

    Of a positive the share of negatives below it, of a negative the share of positives above it;
    ties count one half. The mean over either class is the area under the ROC curve.
    """
    tp, fp = sample.steps()
    # Equal scores share one value, repeated for each of them.
    lengths = np.diff(sample.ends, prepend=-1)
    negatives_below = np.repeat(1 - (fp[1:] + fp[:-1]) / (2 * fp[-1]), lengths)
    positives_above = np.repeat((tp[1:] + tp[:-1]) / (2 * tp[-1]), lengths)
    values = np.empty(len(sample.order))
    values[sample.order] = np.where(sample.positive, negatives_below, positives_above)
    return values


def top_shares(score: np.ndarray, k: int) -> Floats:
    """Return the share of each instance among the k highest scores: 1, 0, or between at a tie."""
    scores = sort_scores(np.ones(len(score), dtype=bool), score)
    lengths = np.diff(scores.ends, prepend=-1)
    # Of the instances tied at the cut each gets the same part of what is left of k.
    shares = np.clip(k - (scores.ends - lengths + 1), 0, lengths) / lengths
    values = np.empty(len(score))
    values[scores.order] = np.repeat(shares, lengths)
    return values


@dataclass(frozen=True)
class RankingMetric:
    """A metric of the order of scores; `of` takes tp and fp of `SortedScores.steps`."""

    of: Callable[..., Any]

    def __call__(
        self, y_true: np.ndarray, score: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        positive = np.asarray(y_true, dtype=bool)
        # Without both classes there is no ranking to judge.
        if positive.all() or not positive.any():
            return math.nan
        return float(self.of(*sort_scores(positive, np.asarray(score)).steps(sample_weight)))


@dataclass(frozen=True)
class MeanLoss:
    """A metric that is the mean of a loss of each instance; `loss` takes (y_true, probability)."""

    loss: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def __call__(
        self, y_true: np.ndarray, score: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        # The mean is over instances, so that it can be resampled without the function.
        losses = self.loss(np.asarray(y_true), np.asarray(score, dtype=float))
        return float(np.average(losses, weights=sample_weight))


def partial_auc(max_fpr: float) -> Metric:
    """Declare the ROC area over FPR from 0 to `max_fpr`, standardised (chance ½, perfect 1).

    scikit-learn's `max_fpr`.

    Examples
    --------
    >>> from deabench import metrics
    >>> y, scores = [1, 1, 0, 0], {"net": [.9, .4, .6, .1]}
    >>> table = metrics.from_scores(y, scores, metrics=[metrics.partial_auc(.5)])
    >>> table.columns.tolist()
    ['partial_auc@0.5']
    """
    _check_share(max_fpr, "max_fpr")
    function = RankingMetric(partial(partial_area, max_fpr=max_fpr))
    return Metric(f"partial_auc@{max_fpr:g}", function, range=(0, 1), needs="scores")


def tpr_at_fpr(fpr: float) -> Metric:
    """Declare the greatest TPR of a single threshold whose FPR is at most `fpr`.

    Examples
    --------
    >>> from deabench import metrics
    >>> y, scores = [1, 1, 0, 0], {"net": [.9, .4, .6, .1]}
    >>> table = metrics.from_scores(y, scores, metrics=[metrics.tpr_at_fpr(.1)])
    >>> table.loc["net"].to_dict()
    {'TPR@FPR=0.1': 0.5}
    """
    _check_share(fpr, "fpr")
    function = RankingMetric(partial(best_tpr, fpr=fpr))
    return Metric(f"TPR@FPR={fpr:g}", function, range=(0, 1), needs="scores")


def precision_at(k: int) -> Metric:
    """Declare the share of positives among the k highest scores.

    Of scores equal at the cut, the mean over their orders.

    Examples
    --------
    >>> from deabench import metrics
    >>> y, scores = [1, 1, 0, 0], {"net": [.9, .4, .6, .1]}
    >>> table = metrics.from_scores(y, scores, metrics=[metrics.precision_at(2)])
    >>> table.loc["net"].to_dict()
    {'precision@2': 0.5}
    """
    if not (isinstance(k, int | np.integer) and k >= 1):
        raise DataError(f"k is {k}; precision at k takes a whole number of instances, at least 1")
    function = RankingMetric(partial(precision_of_top, k=k))
    return Metric(f"precision@{k}", function, range=(0, 1), needs="scores")


def net_benefit(threshold: float) -> Metric:
    """Declare tp/n − fp/n · t/(1 − t) of the rule "positive where p >= t" (Vickers and Elkin).

    In true positives per instance.

    Parameters
    ----------
    threshold : float
        A probability, strictly between 0 and 1.

    Examples
    --------
    >>> from deabench import metrics
    >>> y, scores = [1, 1, 0, 0], {"net": [.9, .4, .6, .1]}
    >>> table = metrics.from_scores(y, scores, metrics=[metrics.net_benefit(.5)])
    >>> table.loc["net"].to_dict()
    {'net_benefit@0.5': 0.0}
    """
    _check_share(threshold, "threshold")
    # The worst case: every instance is a false positive.
    lowest = -threshold / (1 - threshold)
    function = MeanLoss(partial(_benefit, threshold=threshold))
    return Metric(f"net_benefit@{threshold:g}", function, range=(lowest, 1), needs="probabilities")


def find_score_metric(name: str) -> Metric | None:
    """Return the metric of scores of that name, 'precision@10' and the like; None for any other."""
    metric = BUILT_IN.get(canonical_name(name))
    if metric is not None:
        return metric
    match = re.fullmatch(
        r"(partial_auc|tpr@fpr|net_benefit|precision)[@=]([\d.]+)", name, re.IGNORECASE
    )
    if match is None:
        return None
    value = match[2]
    try:
        number = int(value) if match[1].lower() == "precision" else float(value)
    except ValueError:
        raise DataError(
            f"the value of metric '{name}' is '{value}'; write it as {', '.join(AT_A_VALUE)}"
        ) from None
    return _METRICS_AT[match[1].lower()](number)


def _squared_error(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.asarray((p - y) ** 2)


def _log_loss(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    # A probability of 0 for what happened costs infinitely much.
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.where(y == 1, p, 1 - p)))


def _benefit(y: np.ndarray, p: np.ndarray, threshold: float) -> np.ndarray:
    # Only instances at or above the threshold are treated, so only they count.
    return np.where(p >= threshold, np.where(y == 1, 1.0, -threshold / (1 - threshold)), 0.0)


def _calibration_error(
    y: np.ndarray,
    p: np.ndarray,
    sample_weight: np.ndarray | None = None,
    bins: int = CALIBRATION_BINS,
) -> float:
    weight = np.ones(len(p)) if sample_weight is None else sample_weight
    # A probability of 1 belongs to the last bin.
    group = np.minimum((np.asarray(p, dtype=float) * bins).astype(int), bins - 1)
    # Of each bin the sum of what was predicted minus what happened.
    gap = np.bincount(group, weight * (p - y), bins)
    return float(np.abs(gap).sum() / weight.sum())


def _check_share(value: float, argument: str) -> None:
    if not 0 < value < 1:
        raise DataError(f"{argument} is {value:g}; give a number between 0 and 1")


def _prepend_zero(values: Floats) -> Floats:
    return np.concatenate([np.zeros((*values.shape[:-1], 1)), values], axis=-1)


BUILT_IN: dict[str, Metric] = {
    "roc_auc": Metric("roc_auc", RankingMetric(roc_auc), range=(0, 1), needs="scores"),
    "pr_auc": Metric("pr_auc", RankingMetric(average_precision), range=(0, 1), needs="scores"),
    "KS": Metric("KS", RankingMetric(kolmogorov_smirnov), range=(0, 1), needs="scores"),
    "log_loss": Metric(
        "log_loss", MeanLoss(_log_loss), False, range=(0, math.inf), needs="probabilities"
    ),
    "brier": Metric("brier", MeanLoss(_squared_error), False, range=(0, 1), needs="probabilities"),
    "ece": Metric("ece", _calibration_error, False, range=(0, 1), needs="probabilities"),
}
_METRICS_AT: dict[str, Callable[[Any], Metric]] = {
    "partial_auc": partial_auc,
    "tpr@fpr": tpr_at_fpr,
    "net_benefit": net_benefit,
    "precision": precision_at,
}
AT_A_VALUE = ("partial_auc@0.1", "TPR@FPR=0.05", "precision@10", "net_benefit@0.2")
