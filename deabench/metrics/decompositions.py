"""Decompose scores: Brier's into reliability, resolution and uncertainty; entropy by a split.

References
----------
Murphy AH (1973) A new vector partition of the probability score. Journal of Applied Meteorology
12:595-600. Stephenson DB, Coelho CAS, Jolliffe IT (2008) Two extra components in the Brier score
decomposition. Weather and Forecasting 23:752-757. doi:10.1175/2007WAF2006116.1
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.metric import check_probabilities
from deabench.utils import instances


def brier_decomposition(
    y_true: instances.Values | labels.GroundTruth,
    scores: instances.Predictions,
    *,
    bins: int | None = None,
    positive: object = None,
    sample_weight: instances.Values | None = None,
) -> pd.DataFrame:
    """Decompose Brier scores: reliability − resolution + uncertainty + within_bins.

    With n_k of n instances in group k, p̄_k their mean probability, ȳ_k their share of positives, ȳ
    that of all: reliability = Σ n_k (p̄_k − ȳ_k)²/n (low is good), resolution = Σ n_k (ȳ_k − ȳ)²/n
    (high is good), uncertainty = ȳ (1 − ȳ), and within_bins = Σ ((p − p̄_k)² − 2 (y − ȳ_k)(p −
    p̄_k))/n, which is 0 where a group is one value of the probability.

    Parameters
    ----------
    y_true, positive, sample_weight : as for `from_scores`
    scores : mapping or DataFrame
        {name: probabilities of the positive class}.
    bins : int >= 1, optional
        Equal bins of the probability; without it every distinct probability is a group.

    Returns
    -------
    DataFrame, classifiers x (brier, reliability, resolution, uncertainty, within_bins)

    Examples
    --------
    >>> from deabench import metrics
    >>> table = metrics.brier_decomposition([1, 1, 0, 0], {"net": [.9, .4, .6, .1]})
    >>> table.loc["net"].round(3).to_dict()
    {'brier': 0.185, 'reliability': 0.185, 'resolution': 0.25, 'uncertainty': 0.25, 'within_bins':
    0.0}
    """
    if bins is not None and bins < 1:
        raise DataError(
            f"bins is {bins}; give at least 1, or leave it out for a group per distinct probability"
        )
    true = labels.two_class_truth(y_true, positive, scores=True)
    weight = labels.read_weights(sample_weight, true)
    if weight is None:
        weight = np.ones(len(true.is_positive))
    y = true.is_positive.astype(float)
    rows = {}
    for name, score in instances.predictions_by_name(scores).items():
        p = labels.read_scores(score, true, name=name).astype(float)
        check_probabilities(p, name, "brier")
        rows[name] = _decompose(y, p, weight / weight.sum(), bins)
    columns = ["brier", "reliability", "resolution", "uncertainty", "within_bins"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("classifier")


def entropy(counts: Sequence[float]) -> float:
    """Return −Σ p log₂ p of class counts, in bits; 0 log 0 = 0.

    Examples
    --------
    >>> round(entropy([3, 7]), 4)
    0.8813
    """
    values = np.asarray(counts, dtype=float)
    if values.ndim != 1 or not (np.isfinite(values) & (values >= 0)).all() or not values.sum() > 0:
        raise DataError("the counts of an entropy are numbers >= 0, not all 0")
    # 0 log 0 = 0: empty classes are left out.
    shares = values[values > 0] / values.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def information_gain(
    children: Sequence[Sequence[float]], missing: Sequence[float] | None = None
) -> float:
    """Return the entropy of the parent less that of the children, weighted by their sizes.

    Parameters
    ----------
    children : class counts of each branch
    missing : class counts of the records whose attribute is missing, optional
        C4.5: the gain is that of the known records, times their share of all.

    Examples
    --------
    >>> round(information_gain([[0, 3], [2, 4]], missing=[1, 0]), 4)
    0.1368
    """
    # A row for each branch, a column for each class.
    branches = np.asarray(children, dtype=float)
    parent = branches.sum(axis=0)
    total = parent.sum()
    child_entropy = sum(branch.sum() / total * entropy(branch) for branch in branches)
    known_share = 1.0 if missing is None else total / (total + np.sum(missing))
    return float(known_share * (entropy(parent) - child_entropy))


def _decompose(
    y: np.ndarray, p: np.ndarray, weight: np.ndarray, bins: int | None
) -> tuple[float, ...]:
    """Return Brier's score and its parts; the weights have the sum 1."""
    if bins is None:
        # Without bins every distinct probability is a group, and within_bins is 0.
        group = np.unique(p, return_inverse=True)[1]
    else:
        group = np.minimum((p * bins).astype(int), bins - 1)
    # Weights of sum 1: sizes are shares of the instances.
    size = np.bincount(group, weight)
    # Empty bins are NaN and add nothing below.
    with np.errstate(invalid="ignore"):
        mean_probability = np.bincount(group, weight * p) / size
        positive_share = np.bincount(group, weight * y) / size
    prevalence = float(weight @ y)
    reliability = np.nansum(size * (mean_probability - positive_share) ** 2)
    resolution = np.nansum(size * (positive_share - prevalence) ** 2)
    # What the group means hide: probabilities that differ within a bin.
    deviation = p - mean_probability[group]
    within_bins = weight @ (deviation**2 - 2 * (y - positive_share[group]) * deviation)
    return (
        float(weight @ (p - y) ** 2),
        float(reliability),
        float(resolution),
        prevalence * (1 - prevalence),
        float(within_bins),
    )
