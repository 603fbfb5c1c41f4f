"""The metrics of scores and of probabilities that deabench ships, each declared as any user's
metric is.

References
----------
Brier GW (1950) Verification of forecasts expressed in terms of probability. Monthly Weather Review
78:1-3. Vickers AJ, Elkin EB (2006) Decision curve analysis. Medical Decision Making 26:565-574.
doi:10.1177/0272989X06295361 Guo C, Pleiss G, Sun Y, Weinberger KQ (2017) On calibration of modern
neural networks. ICML, PMLR 70:1321-1330."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from deabench.errors import DataError
from deabench.metrics import ranking
from deabench.metrics.declared import Metric
from deabench.metrics.formulas import canonical

BINS = 15
"""Equal bins of ECE."""


@dataclass(frozen=True)
class OfRanking:
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
        return float(self.of(*ranking.falling(positive, np.asarray(score)).steps(sample_weight)))


@dataclass(frozen=True)
class OfRows:
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
        OfRanking(partial(ranking.partial_auc, max_fpr=max_fpr)),
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
    name, of = f"TPR@FPR={_share(fpr, 'fpr'):g}", OfRanking(partial(ranking.tpr_at_fpr, fpr=fpr))
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
        OfRanking(partial(ranking.precision_at, k=k)),
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
        OfRows(partial(_benefit, threshold=threshold)),
        range=(low, 1),
        needs="probabilities",
    )


SHIPPED: dict[str, Metric] = {
    "roc_auc": Metric("roc_auc", OfRanking(ranking.roc_auc), range=(0, 1), needs="scores"),
    "pr_auc": Metric("pr_auc", OfRanking(ranking.average_precision), range=(0, 1), needs="scores"),
    "KS": Metric("KS", OfRanking(ranking.kolmogorov_smirnov), range=(0, 1), needs="scores"),
    "log_loss": Metric(
        "log_loss", OfRows(_surprise), False, range=(0, math.inf), needs="probabilities"
    ),
    "brier": Metric("brier", OfRows(_squared), False, range=(0, 1), needs="probabilities"),
    "ece": Metric("ece", _calibration, False, range=(0, 1), needs="probabilities"),
}
_AT = {"partial_auc": partial_auc, "tpr@fpr": tpr_at_fpr, "net_benefit": net_benefit}
AT_A_VALUE = ("partial_auc@0.1", "TPR@FPR=0.05", "precision@10", "net_benefit@0.2")


def of_scores(name: str) -> Metric | None:
    """The shipped metric of that name, 'precision@10' and the like among them; None for any other."""
    known = SHIPPED.get(canonical(name))
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
