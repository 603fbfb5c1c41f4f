"""What the order of scores says: every metric of a ranking from one sort, for one sample or many
weighted ones at once.

A score is sorted once; tp and fp are the weights of positives and negatives among the scores at or
above each distinct value, from 0 (nothing taken) on. Every metric below is a function of those two
arrays of shape (..., values + 1), so that a bootstrap redraws weights and never sorts again."""

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


@dataclass(frozen=True)
class SortedScores:
    """A score in falling order.

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
        """tp and fp of weights (..., n), in the instances' order; without weights each counts 1."""
        if weights is None:
            hits = np.cumsum(self.positive)[self.ends].astype(float)
            return _from_zero(hits), _from_zero(self.ends + 1.0 - hits)
        each = np.asarray(weights, dtype=float)[..., self.order]
        hits, misses = (
            np.cumsum(each * side, axis=-1)[..., self.ends]
            for side in (self.positive, ~self.positive)
        )
        return _from_zero(hits), _from_zero(misses)


def sort_scores(positive: NDArray[np.bool_], score: np.ndarray) -> SortedScores:
    """Sort a score; equal scores are one step."""
    order = np.argsort(score)[::-1]
    ranked = score[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    return SortedScores(order, positive[order], ends)


def roc_auc(tp: Floats, fp: Floats) -> Floats:
    """Area under the ROC curve: P(score of a positive > score of a negative) + P(equal) / 2."""
    return np.asarray(
        (np.diff(fp) * (tp[..., 1:] + tp[..., :-1])).sum(axis=-1) / (2 * tp[..., -1] * fp[..., -1])
    )


def average_precision(tp: Floats, fp: Floats) -> Floats:
    """Σ (TPR_k − TPR_{k−1}) PPV_k."""
    taken = tp[..., 1:] + fp[..., 1:]
    precision = np.divide(tp[..., 1:], taken, out=np.zeros_like(taken), where=taken > 0)
    return np.asarray((np.diff(tp) * precision).sum(axis=-1) / tp[..., -1])


def kolmogorov_smirnov(tp: Floats, fp: Floats) -> Floats:
    """The greatest TPR − FPR."""
    return np.asarray((tp / tp[..., -1:] - fp / fp[..., -1:]).max(axis=-1))


def partial_area(tp: Floats, fp: Floats, max_fpr: float) -> Floats:
    """The area over FPR from 0 to `max_fpr`, standardised to ½ for chance and 1 for a perfect
    ranking.

    McClish DK (1989) Analyzing a portion of the ROC curve. Medical Decision Making 9:190-195.
    """
    across, up = fp / fp[..., -1:], tp / tp[..., -1:]
    left, right = across[..., :-1], across[..., 1:]
    share = np.divide(
        np.minimum(right, max_fpr) - np.minimum(left, max_fpr),
        right - left,
        out=np.zeros_like(right),
        where=right > left,
    )
    width = np.minimum(right, max_fpr) - np.minimum(left, max_fpr)
    area = (width * (up[..., :-1] + share * np.diff(up) / 2)).sum(axis=-1)
    least = max_fpr**2 / 2
    return np.asarray((1 + (area - least) / (max_fpr - least)) / 2)


def best_tpr(tp: Floats, fp: Floats, fpr: float) -> Floats:
    """The greatest TPR of a threshold whose FPR is at most `fpr`."""
    allowed = fp <= fpr * fp[..., -1:] * (1 + 1e-12)  # 3 of 60 is .05, whatever floats make of it
    return np.asarray(np.where(allowed, tp, 0.0).max(axis=-1) / tp[..., -1])


def precision_of_top(tp: Floats, fp: Floats, k: float) -> Floats:
    """The share of positives among the k highest scores; of equal scores at the cut, their mean
    over all orders.
    """
    taken = tp + fp
    room = np.clip(np.minimum(taken[..., 1:], k) - taken[..., :-1], 0.0, None)
    step = np.diff(taken)
    found = np.divide(np.diff(tp) * room, step, out=np.zeros_like(step), where=step > 0)
    return np.asarray(found.sum(axis=-1) / np.minimum(k, taken[..., -1]))


def placements(sample: SortedScores) -> Floats:
    """DeLong's components: of a positive the share of negatives below, of a negative the share of
    positives above.

    In the instances' order; ties count one half. The mean over either class is the area.
    """
    tp, fp = sample.steps()
    lengths = np.diff(sample.ends, prepend=-1)
    beaten = np.repeat(1 - (fp[1:] + fp[:-1]) / (2 * fp[-1]), lengths)
    above = np.repeat((tp[1:] + tp[:-1]) / (2 * tp[-1]), lengths)
    out = np.empty(len(sample.order))
    out[sample.order] = np.where(sample.positive, beaten, above)
    return out


def _from_zero(values: Floats) -> Floats:
    return np.concatenate([np.zeros((*values.shape[:-1], 1)), values], axis=-1)


BINS = 15
"""Equal bins of ECE."""


@dataclass(frozen=True)
class RankingMetric:
    """A metric of the order of scores; `of` takes tp and fp as `deabench.metrics.ranking` gives
    them.
    """

    of: Callable[..., Any]

    def __call__(
        self, y_true: np.ndarray, score: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> float:
        positive = np.asarray(y_true, dtype=bool)
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
        return float(
            np.average(
                self.loss(np.asarray(y_true), np.asarray(score, dtype=float)), weights=sample_weight
            )
        )


def _squared(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.asarray((p - y) ** 2)


def _surprise(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.where(y == 1, p, 1 - p)))


def _benefit(y: np.ndarray, p: np.ndarray, threshold: float) -> np.ndarray:
    return np.where(p >= threshold, np.where(y == 1, 1.0, -threshold / (1 - threshold)), 0.0)


def _calibration(
    y: np.ndarray, p: np.ndarray, sample_weight: np.ndarray | None = None, bins: int = BINS
) -> float:
    weight = np.ones(len(p)) if sample_weight is None else sample_weight
    group = np.minimum((np.asarray(p, dtype=float) * bins).astype(int), bins - 1)
    gap = np.bincount(group, weight * (p - y), bins)
    return float(np.abs(gap).sum() / weight.sum())


def partial_auc(max_fpr: float) -> Metric:
    """The ROC area over FPR from 0 to `max_fpr`, standardised (chance ½, perfect 1): scikit-learn's
    `max_fpr`.

    Examples
    --------
    >>> from deabench import metrics
    >>> table = metrics.from_scores([1, 1, 0, 0], {"net": [.9, .4, .6, .1]}, metrics=[metrics.partial_auc(.5)])
    >>> table.columns.tolist()
    ['partial_auc@0.5']
    """
    name, of = (
        f"partial_auc@{_share(max_fpr, 'max_fpr'):g}",
        RankingMetric(partial(partial_area, max_fpr=max_fpr)),
    )
    return Metric(name, of, range=(0, 1), needs="scores")


def tpr_at_fpr(fpr: float) -> Metric:
    """The greatest TPR of a threshold whose FPR is at most `fpr`: no mixing of thresholds.

    Examples
    --------
    >>> from deabench import metrics
    >>> metrics.from_scores([1, 1, 0, 0], {"net": [.9, .4, .6, .1]}, metrics=[metrics.tpr_at_fpr(.1)]).loc["net"].to_dict()
    {'TPR@FPR=0.1': 0.5}
    """
    name, of = f"TPR@FPR={_share(fpr, 'fpr'):g}", RankingMetric(partial(best_tpr, fpr=fpr))
    return Metric(name, of, range=(0, 1), needs="scores")


def precision_at(k: int) -> Metric:
    """The share of positives among the k highest scores; of scores equal at the cut, the mean over
    their orders.

    Examples
    --------
    >>> from deabench import metrics
    >>> metrics.from_scores([1, 1, 0, 0], {"net": [.9, .4, .6, .1]}, metrics=[metrics.precision_at(2)]).loc["net"].to_dict()
    {'precision@2': 0.5}
    """
    if not (isinstance(k, int | np.integer) and k >= 1):
        raise DataError(f"k is {k}; precision at k takes a whole number of instances, at least 1")
    return Metric(
        f"precision@{k}",
        RankingMetric(partial(precision_of_top, k=k)),
        range=(0, 1),
        needs="scores",
    )


def net_benefit(threshold: float) -> Metric:
    """tp/n − fp/n · t/(1 − t) of the rule "positive where p >= t" (Vickers and Elkin): per
    instance, in true positives.

    Parameters
    ----------
    threshold : float
        A probability, strictly between 0 and 1.

    Examples
    --------
    >>> from deabench import metrics
    >>> metrics.from_scores([1, 1, 0, 0], {"net": [.9, .4, .6, .1]}, metrics=[metrics.net_benefit(.5)]).loc["net"].to_dict()
    {'net_benefit@0.5': 0.0}
    """
    low = -_share(threshold, "threshold") / (1 - threshold)
    return Metric(
        f"net_benefit@{threshold:g}",
        MeanLoss(partial(_benefit, threshold=threshold)),
        range=(low, 1),
        needs="probabilities",
    )


BUILT_IN: dict[str, Metric] = {
    "roc_auc": Metric("roc_auc", RankingMetric(roc_auc), range=(0, 1), needs="scores"),
    "pr_auc": Metric("pr_auc", RankingMetric(average_precision), range=(0, 1), needs="scores"),
    "KS": Metric("KS", RankingMetric(kolmogorov_smirnov), range=(0, 1), needs="scores"),
    "log_loss": Metric(
        "log_loss", MeanLoss(_surprise), False, range=(0, math.inf), needs="probabilities"
    ),
    "brier": Metric("brier", MeanLoss(_squared), False, range=(0, 1), needs="probabilities"),
    "ece": Metric("ece", _calibration, False, range=(0, 1), needs="probabilities"),
}
_AT = {"partial_auc": partial_auc, "tpr@fpr": tpr_at_fpr, "net_benefit": net_benefit}
AT_A_VALUE = ("partial_auc@0.1", "TPR@FPR=0.05", "precision@10", "net_benefit@0.2")


def find_score_metric(name: str) -> Metric | None:
    """The shipped metric of that name, 'precision@10' and the like among them; None for any other."""
    known = BUILT_IN.get(canonical_name(name))
    if known is not None:
        return known
    found = re.fullmatch(
        r"(partial_auc|tpr@fpr|net_benefit|precision)[@=]([\d.]+)", name, re.IGNORECASE
    )
    if found is None:
        return None
    word, value = found[1].lower(), found[2]
    try:
        return precision_at(int(value)) if word == "precision" else _AT[word](float(value))
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"the value of metric '{name}' is '{value}'; write it as {', '.join(AT_A_VALUE)}"
        ) from None


def _share(value: float, what: str) -> float:
    if not 0 < value < 1:
        raise DataError(f"{what} is {value:g}; give a number between 0 and 1")
    return value
