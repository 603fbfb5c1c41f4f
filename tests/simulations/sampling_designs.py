"""Cells of random class counts and of clusters (`python -m benchmarks.inference designs`)."""

from __future__ import annotations

from functools import partial

import numpy as np

from deabench.inference.samples.sample_set import InstanceDesign
from simulations.verdict_cells import Cell, draw_classes, draw_clusters, geometric_sizes

Array = np.ndarray
ROWS = {"A2 false": (None, 0.065), "learned false": (None, 0.06), "all covered": (0.96, None)}
CLUSTERS = {"A2 false": (None, 0.05), "learned false": (None, 0.06), "all covered": (0.96, None)}


def accuracy_cell(
    first: float,
    last: float,
    k: int,
    rho: float,
    *,
    fixed: bool = False,
    design: InstanceDesign = "rows",
) -> Cell:
    """Classifiers of equal accuracy at prevalence .5, at operating points from one to the other."""
    tpr = np.linspace(first, last, k)
    rates = np.column_stack([tpr, first + last - tpr])
    truth = rates.mean(axis=1, keepdims=True)
    counts = {"n": 500, "prevalence": 0.5, "fixed": fixed, "design": design}
    draw = partial(draw_classes, rates=rates, rho=rho, metrics=["accuracy"], **counts)
    return Cell(truth, draw, ROWS)


def several_metrics_cell(k: int, n: int, prevalence: float) -> Cell:
    """Accuracy, F1 and MCC of classifiers along an arc, every second one below it."""
    tpr = np.linspace(0.95, 0.6, k)
    tnr = np.linspace(0.6, 0.95, k)
    tnr[1::2] -= 0.1
    p = prevalence
    tp, fn, fp, tn = p * tpr, p * (1 - tpr), (1 - p) * (1 - tnr), (1 - p) * tnr
    margins = p * (1 - p) * (tp + fp) * (fn + tn)
    truth = np.column_stack(
        [tp + tn, 2 * tp / (2 * tp + fn + fp), (tp * tn - fp * fn) / np.sqrt(margins)]
    )
    rates = np.column_stack([tpr, tnr])
    draw = partial(
        draw_classes, rates=rates, n=n, prevalence=p, rho=0.5, metrics=["accuracy", "F1", "MCC"]
    )
    return Cell(truth, draw, ROWS)


def cluster_cell(sizes: list[int], share: float, k: int = 5) -> Cell:
    """Tied classifiers on clusters of instances."""
    truth = np.full((k, 1), 0.8)
    return Cell(truth, partial(draw_clusters, truth=truth, sizes=sizes, share=share), CLUSTERS)


CELLS = {
    "accuracy, k=2, .97/.46 v .46/.97, n=500": accuracy_cell(0.97, 0.46, 2, 0.5),
    "accuracy, k=2, .99/.07 v .07/.99, n=500": accuracy_cell(0.99, 0.07, 2, 0.5),
    "accuracy, k=10, .97/.46 to .46/.97, rho .8": accuracy_cell(0.97, 0.46, 10, 0.8),
    "classes: accuracy, k=2, .97/.46 v .46/.97": accuracy_cell(
        0.97, 0.46, 2, 0.5, fixed=True, design="classes"
    ),
    "classes: accuracy, k=10, .97/.46 to .46/.97, rho .8": accuracy_cell(
        0.97, 0.46, 10, 0.8, fixed=True, design="classes"
    ),
    "fixed counts, rows assumed: accuracy, k=2, .97/.46 v .46/.97": accuracy_cell(
        0.97, 0.46, 2, 0.5, fixed=True
    ),
    "accuracy, F1, MCC, k=10, 100/400": several_metrics_cell(10, 500, 0.2),
    "accuracy, F1, MCC, k=10, n=60": several_metrics_cell(10, 60, 0.3),
    "clusters 50x10, .1": cluster_cell([10] * 50, 0.1),
    "clusters 50x10, .3": cluster_cell([10] * 50, 0.3),
    "clusters 20x25, .3": cluster_cell([25] * 20, 0.3),
    "clusters 10x50, .3": cluster_cell([50] * 10, 0.3),
    "clusters 20x25 of geometric sizes, .3": cluster_cell(geometric_sizes(20, 500), 0.3),
    "needless clusters 50x10": cluster_cell([10] * 50, 0.0),
}
