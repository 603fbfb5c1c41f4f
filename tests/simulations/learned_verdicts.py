"""Cells of learned verdicts: power and errors (`python -m benchmarks.inference verdicts`)."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import ndtri

from deabench.inference.samples import Samples
from simulations.samples import latent, spread_recalls
from simulations.verdict_cells import (
    Cell,
    Rng,
    dominator,
    draw_classes,
    draw_clusters,
    draw_datasets,
    draw_hits,
    geometric_sizes,
    hits_cell,
)

Array = np.ndarray
FALSE = {"learned false": (None, 0.06)}
EVERY = 10
"""Limits have nothing to reach here: one run of ten asks for them."""


def outcomes_cell(truth: Array, n: int, rho: float = 0.5, least: float | None = None) -> Cell:
    """Right answers, every metric with n instances of its own."""
    must = {**FALSE, "learned shown": (least, None)}
    hits = partial(draw_hits, truth=truth, n=n, rho=rho)
    return hits_cell(truth, hits, must, limits_every=EVERY)


def tied(k: int, s: int, value: float) -> Array:
    """Classifiers that are equal in every metric."""
    return np.full((k, s), value)


def chain(k: int, s: int) -> Array:
    """All equal in the first metric and rising in the others: all weakly efficient."""
    truth = np.tile(np.linspace(0.7, 0.85, k)[:, None], (1, s))
    truth[:, 0] = 0.8
    return truth


def on_a_line(k: int) -> Array:
    """Classifiers on one line of mixes between two extremes."""
    t = np.linspace(0.9, 0.7, k)
    return np.column_stack([t, 1.6 - t])


def rates_cell(rates: Array, n: int, prevalence: float, least: float | None = None) -> Cell:
    """TPR and TNR of predictions, class counts at random."""
    draw = partial(
        draw_classes, rates=rates, n=n, prevalence=prevalence, rho=0.5, metrics=["TPR", "TNR"]
    )
    return Cell(rates, draw, {**FALSE, "learned shown": (least, None)}, limits_every=EVERY)


def clusters_cell(sizes: list[int]) -> Cell:
    """One classifier above four others, on clusters."""
    truth = dominator(5, 1)
    draw = partial(draw_clusters, truth=truth, sizes=sizes, share=0.3)
    return Cell(truth, draw, FALSE, limits_every=EVERY)


def datasets_cell(blocks: int, k: int, better: float) -> Cell:
    """Normal scores of data sets, the first classifier better by some hundredths."""
    truth = np.full((k, 1), 0.8)
    truth[0] += better

    def draw(rng: Rng) -> Samples:
        return draw_datasets(np.clip(rng.normal(truth[:, 0], 0.05, (blocks, k)), 0, 1))

    return Cell(truth, draw, FALSE, limits_every=EVERY)


def correlated_metrics_cell(truth: Array, n: int, rho: float) -> Cell:
    """Metrics of the same instances, correlated within each classifier; below 0 they alternate."""
    k, s = truth.shape
    sign = np.where(np.arange(s) % 2, np.sign(rho), 1.0)

    def hits(rng: Rng) -> Array:
        base = latent(rng, k, n, 0.5)
        answers = []
        for r in range(s):
            z = np.sqrt(abs(rho)) * sign[r] * base + np.sqrt(1 - abs(rho)) * latent(rng, k, n, 0.5)
            answers.append(z < ndtri(truth[:, [r]]))
        return np.stack(answers, axis=1)

    return hits_cell(truth, hits, FALSE, shared=True, limits_every=EVERY)


def duplicates_cell(k: int, n: int) -> Cell:
    """Each classifier twice, with the same answers, all tied."""
    truth = tied(2 * k, 1, 0.8)

    def hits(rng: Rng) -> Array:
        return np.repeat(latent(rng, k, n, 0.5) < ndtri(0.8), 2, axis=0)[:, None]

    return hits_cell(truth, hits, FALSE, limits_every=EVERY)


POWER = {
    "s=1, k=10, n=200, .9 v .8": outcomes_cell(dominator(10, 1), 200, least=0.74),
    "s=3, k=10, n=200, .9 v .8": outcomes_cell(dominator(10, 3), 200, least=0.38),
    "s=5, k=10, n=200, .9 v .8": outcomes_cell(dominator(10, 5), 200, least=0.22),
    "rho .99, s=2, k=20, n=1000": outcomes_cell(dominator(20, 2, 0.9, 0.88), 1000, 0.99, 0.88),
    "15/15, .97 v .6, k=5": rates_cell(dominator(5, 2, 0.97, 0.6), 30, 0.5),
    "10/90, .97 v .6, k=5": rates_cell(dominator(5, 2, 0.97, 0.6), 100, 0.1),
    "spread, mixes, s=2, k=20, n=500": outcomes_cell(spread_recalls(20), 500, 0.8),
    "100x10 clusters, k=5": clusters_cell([10] * 100),
    "100 clusters of geometric sizes, k=5": clusters_cell(geometric_sizes(100, 1000)),
    "30 data sets, one better by .04": datasets_cell(30, 5, 0.04),
}
NULL = {
    "tied s=1, k=10, n=200, .5": outcomes_cell(tied(10, 1, 0.5), 200),
    "tied s=1, k=10, n=1000, .8": outcomes_cell(tied(10, 1, 0.8), 1000),
    "tied s=1, k=5, n=200": outcomes_cell(tied(5, 1, 0.8), 200),
    "tied s=1, k=30, n=500": outcomes_cell(tied(30, 1, 0.8), 500),
    "tied s=1, k=3, n=200, rho 0": outcomes_cell(tied(3, 1, 0.8), 200, 0.0),
    "tied s=1, k=10, n=200, rho .9": outcomes_cell(tied(10, 1, 0.8), 200, 0.9),
    "tied s=1, k=10, n=200, .97": outcomes_cell(tied(10, 1, 0.97), 200),
    "tied s=1, k=20, n=200, rho .99": outcomes_cell(tied(20, 1, 0.8), 200, 0.99),
    "tied s=1, k=5, n=50": outcomes_cell(tied(5, 1, 0.8), 50),
    "chain s=2, k=10, n=200": outcomes_cell(chain(10, 2), 200),
    "three tied on top, s=2": outcomes_cell(np.vstack([tied(3, 2, 0.9), tied(7, 2, 0.8)]), 200),
    "ten on one line of mixes": outcomes_cell(on_a_line(10), 200),
    "data sets J=30, tied": datasets_cell(30, 5, 0.0),
}
UNPLANNED = {
    "metrics correlated at .7, k=5, n=200": correlated_metrics_cell(tied(5, 3, 0.8), 200, 0.7),
    "chain s=3 of metrics correlated at .7, k=10": correlated_metrics_cell(chain(10, 3), 200, 0.7),
    "chain s=2 of metrics correlated at -.7, k=10": correlated_metrics_cell(
        chain(10, 2), 200, -0.7
    ),
    "chain s=5, k=10, n=200": outcomes_cell(chain(10, 5), 200),
    "clusters of 300, 100, 50, 50 and 20 x 5, tied": Cell(
        tied(5, 1, 0.8),
        partial(
            draw_clusters, truth=tied(5, 1, 0.8), sizes=[300, 100, 50, 50, *[5] * 20], share=0.2
        ),
        FALSE,
        limits_every=EVERY,
    ),
    "ties with duplicates, 5 x 2, n=200": duplicates_cell(5, 200),
    "k=2, tied, n=30": outcomes_cell(tied(2, 1, 0.8), 30),
    "k=2, s=2, tied, n=30": outcomes_cell(tied(2, 2, 0.8), 30),
    "k=100, tied, n=300": outcomes_cell(tied(100, 1, 0.8), 300),
    "weakly tied in TPR .8, 10/90": rates_cell(np.array([[0.8, 0.6], *[[0.8, 0.9]] * 4]), 100, 0.1),
    "weakly tied in TPR .5, 15/15": rates_cell(np.array([[0.5, 0.5], *[[0.5, 0.9]] * 4]), 30, 0.5),
    "k=10, s=2, tied, n=30": outcomes_cell(tied(10, 2, 0.8), 30),
}
CELLS = {**POWER, **NULL, **UNPLANNED}
