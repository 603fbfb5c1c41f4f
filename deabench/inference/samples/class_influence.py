"""Compute influence values of metrics of several classes."""

from __future__ import annotations

import numpy as np

from deabench.inference.samples.influence import (
    RIGHT,
    Answers,
    MetricInfluence,
    area_pseudo_values,
    mean_influence,
)
from deabench.metrics.multiclass import metrics_of_matrix

Array = np.ndarray


def class_influence(metric: str, answers: Answers) -> MetricInfluence:
    """Return a metric of several classes' labels, as 'recall[a]', 'macro_F1' or 'kappa'."""
    right = answers.features[RIGHT]
    sums = answers.class_sums
    means = answers.class_means(right)
    if metric == "accuracy":
        shares = (sums / sums.sum())[:, None]
        slopes = np.broadcast_to(shares, means.shape)
        value = (shares * means).sum(axis=0)
        return _rates_influence(value, slopes, means, sums)
    if metric == "balanced_accuracy":
        slopes = np.full(means.shape, 1 / len(sums))
        return _rates_influence(means.mean(axis=0), slopes, np.zeros_like(means), sums)
    if metric.startswith("recall["):
        c = list(answers.class_names).index(metric[len("recall[") : -1])
        slopes = np.zeros_like(means)
        slopes[c] = 1.0
        return _rates_influence(means[c], slopes, np.zeros_like(means), sums, own_class=c)
    return mean_influence(metric, _matrix_pseudo_values(metric, answers), answers, False)


def class_area_influences(scores: Array, answers: Answers) -> dict[str, MetricInfluence]:
    """Return the areas under the ROC curves of each class against the rest, and their means.

    Parameters
    ----------
    scores : array (classes, k, n)
    """
    shares = answers.class_sums / answers.class_sums.sum()
    # Of each class (classes, k, n): the area plus the influence of each instance.
    pseudo = np.array(
        [
            [area_pseudo_values(answers.classes == c, row, answers.weight) for row in of_class]
            for c, of_class in enumerate(scores)
        ]
    )
    areas = np.average(pseudo, axis=2, weights=answers.weight)
    # Weighted by the classes' shares, which an instance of a class raises.
    weighted = np.einsum("c,ckn->kn", shares, pseudo)
    weighted += areas[answers.classes].T - (shares @ areas)[:, None]
    values = {f"roc_auc[{name}]": pseudo[c] for c, name in enumerate(answers.class_names)}
    values |= {"macro_roc_auc": pseudo.mean(axis=0), "weighted_roc_auc": weighted}
    return {name: mean_influence(name, value, answers, False) for name, value in values.items()}


def _rates_influence(
    value: Array, slopes: Array, by_share: Array, sums: Array, own_class: int = -1
) -> MetricInfluence:
    """Return a metric that is linear in the classes' rates of right answers."""
    flips = slopes / sums[:, None]
    # Half a success where there is none.
    lifted = np.maximum(value, 0.5 * flips.max(axis=0))
    return MetricInfluence(value, lifted, {RIGHT: slopes}, by_share, flips, own_class)


def _matrix_pseudo_values(metric: str, answers: Answers) -> Array:
    """Return the metric plus the influence of each instance, by deleting from the matrix (k, n)."""
    codes = answers.codes
    assert codes is not None  # read with the labels of several classes
    m = len(answers.class_names)
    n = len(answers.classes)
    values = np.empty(codes.shape)
    for i, row in enumerate(codes):
        # All instances of one cell of the confusion matrix have the same influence.
        cell = answers.classes * m + row
        matrix = np.bincount(cell, answers.weight, m * m).astype(float)
        full = metrics_of_matrix(matrix.reshape(m, m), answers.class_names)[metric]
        influence = np.zeros(m * m)
        for number in np.flatnonzero(matrix):
            # At most half of a cell is deleted, so that no metric becomes undefined.
            deleted = min(1.0, matrix[number] / 2)
            without = matrix.copy()
            without[number] -= deleted
            value = metrics_of_matrix(without.reshape(m, m), answers.class_names)[metric]
            influence[number] = (n - deleted) / deleted * (full - value)
        centre = matrix @ influence / matrix.sum()
        values[i] = full + (influence - centre)[cell]
    return values
