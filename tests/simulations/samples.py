"""Classifiers of known truth, drawn as often as one likes: what intervals are held against.

An instance of metric r is answered rightly by classifier i where a standard normal, correlated
between the classifiers, lies below the normal quantile of the true share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from deabench.inference.dominance_games import Orientation, Returns, Technology
from deabench.inference.samples import Samples
from deabench.inference.samples.influence import placement_values

Array = np.ndarray
Rng = np.random.Generator
OUTPUTS_ALONE = Technology(0)


@dataclass(frozen=True)
class Setting:
    """One design with its true metrics.

    Attributes
    ----------
    truth : array (k, s)
    draw : function of a generator
        Samples of the design.
    redrawn : function of two generators and a number, or None
        The metrics (number, k, s) of so many redraws, by the second generator, of what the first
        one draws: what the percentile bootstrap looks at.
    bootstrapped : int
        In how many runs the percentile bootstrap is done at most: areas under ROC curves take a
        while.
    technology : Technology
        Which of the metrics are costs, the last ones, and which mixes count.
    """

    truth: Array
    draw: Callable[[Rng], Samples]
    redrawn: Callable[[Rng, Rng, int], Array] | None = None
    bootstrapped: int = 40
    technology: Technology = OUTPUTS_ALONE


def latent(rng: Rng, k: int, n: int, rho: float) -> Array:
    """Standard normals (k, n), correlated at rho between classifiers."""
    common = rng.standard_normal(n)
    return np.asarray(np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.standard_normal((k, n)))


def names(k: int) -> list[str]:
    """c00, c01, ...: sorted as they are numbered."""
    return [f"c{i:03d}" for i in range(k)]


def recalls(truth: Array, sizes: int | list[int], rho: float) -> Setting:
    """Shares of right answers, every metric with instances of its own."""
    k, s = truth.shape
    count = [sizes] * s if isinstance(sizes, int) else sizes
    cuts = ndtri(truth)

    def outcomes(rng: Rng) -> list[Array]:
        return [latent(rng, k, n, rho) < cuts[:, [r]] for r, n in enumerate(count)]

    def draw(rng: Rng) -> Samples:
        frames = {
            f"m{r}": pd.DataFrame(hits.T, columns=names(k)) for r, hits in enumerate(outcomes(rng))
        }
        return Samples.from_outcomes(frames)

    def redrawn(rng: Rng, again: Rng, number: int) -> Array:
        means = []
        for hits in outcomes(rng):
            n = hits.shape[1]
            weights = again.multinomial(n, np.full(n, 1 / n), number)
            means.append(np.maximum(hits.astype(float) @ weights.T, 0.5) / n)
        return np.stack(means, axis=2).transpose(1, 0, 2)

    return Setting(truth, draw, redrawn)


def spread(k: int) -> tuple[Array, Array]:
    """Normal quantiles of TPR and TNR along an arc, every second classifier inside it."""
    q = np.zeros(k)
    q[1::2] = np.linspace(0.1, 1.2, k)[1::2]
    t = np.linspace(-0.8, 0.8, k)
    return 0.8 - q / 2 + t, 0.8 - q / 2 - t


def spread_recalls(k: int) -> Array:
    """TPR and TNR of `spread`, (k, 2)."""
    return np.asarray(ndtr(np.column_stack(spread(k))))


def binormal(
    k: int, positives: int, negatives: int, rho: float, metrics: tuple[str, ...]
) -> Setting:
    """Draw normal scores of `spread`, labelled at 0, for metrics of labels and the AUC."""
    a, b = spread(k)
    y = np.repeat([1, 0], [positives, negatives])

    def scores(rng: Rng) -> Array:
        return np.hstack(
            [
                latent(rng, k, positives, rho) + a[:, None],
                latent(rng, k, negatives, rho) - b[:, None],
            ]
        )

    def samples(drawn: Array) -> Samples:
        return Samples.from_scores(
            y, dict(zip(names(k), drawn, strict=True)), positive=1, threshold=0.0, metrics=metrics
        )

    truth = true_binormal(a, b, positives, negatives)[list(metrics)].to_numpy()
    return Setting(
        truth, lambda rng: samples(scores(rng)), _scores_redrawn(scores, y, metrics), bootstrapped=5
    )


def true_binormal(a: Array, b: Array, positives: int, negatives: int) -> pd.DataFrame:
    """The metrics that the scores of `binormal` estimate."""
    return _of_shares(ndtr(a), ndtr(b), ndtr((a + b) / np.sqrt(2)), positives, negatives)


def _areas(ups: Array, downs: Array) -> Array:
    """Areas under the ROC curve of k classifiers, from scores (k, P) and (k, N)."""
    is_positive = np.arange(ups.shape[1] + downs.shape[1]) < ups.shape[1]
    return np.asarray(placement_values(is_positive, np.hstack([ups, downs]))[0].mean(axis=1))


def _of_shares(t: Array, u: Array, area: Array, positives: int, negatives: int) -> pd.DataFrame:
    """Metrics from the shares of right answers and the area under the ROC curve."""
    tp, fp = positives * t, negatives * (1 - u)
    return pd.DataFrame(
        {
            "TPR": t,
            "TNR": u,
            "G-mean": np.sqrt(t * u),
            "F1": 2 * tp / (tp + positives + fp),
            "roc_auc": area,
            "accuracy": (tp + negatives * u) / (positives + negatives),
            "balanced_accuracy": (t + u) / 2,
        }
    )


def near_perfect(k: int, positives: int, negatives: int, area: float, rho: float) -> Setting:
    """Scores whose areas under the ROC curve are all the same, and near 1."""
    shift = np.sqrt(2) * ndtri(area)
    y = np.repeat([1, 0], [positives, negatives])

    def scores(rng: Rng) -> Array:
        return np.hstack([latent(rng, k, positives, rho) + shift, latent(rng, k, negatives, rho)])

    def samples(drawn: Array) -> Samples:
        return Samples.from_scores(y, dict(zip(names(k), drawn, strict=True)), positive=1)

    return Setting(
        np.full((k, 1), area),
        lambda rng: samples(scores(rng)),
        _scores_redrawn(scores, y, ("roc_auc",)),
    )


def wholly_misplaced(k: int, positives: int, negatives: int, area: float, rho: float) -> Setting:
    """Areas under the ROC curve that are recalls: a positive is placed above all negatives, or
    below all.
    """
    cut = ndtri(area)
    y = np.repeat([1, 0], [positives, negatives])

    def scores(rng: Rng) -> Array:
        ups = np.where(latent(rng, k, positives, rho) < cut, 2.0, -2.0)
        return np.hstack([ups, rng.uniform(-1, 1, (k, negatives))])

    def draw(rng: Rng) -> Samples:
        return Samples.from_scores(y, dict(zip(names(k), scores(rng), strict=True)), positive=1)

    return Setting(np.full((k, 1), area), draw, _scores_redrawn(scores, y, ("roc_auc",)))


def _scores_redrawn(
    scores: Callable[[Rng], Array], y: Array, metrics: tuple[str, ...]
) -> Callable[[Rng, Rng, int], Array]:
    """Instances of each class redrawn, and the metrics of their scores, labelled at 0."""

    def redrawn(rng: Rng, again: Rng, number: int) -> Array:
        score_table, outcomes = scores(rng), []
        classes = [score_table[:, y == label] for label in (1, 0)]
        for _ in range(number):
            ups, downs = (
                part[:, again.integers(0, part.shape[1], part.shape[1])] for part in classes
            )
            t, u = (
                np.maximum(share, 0.5 / y.size)
                for share in ((ups >= 0).mean(axis=1), (downs < 0).mean(axis=1))
            )
            area = _areas(ups, downs) if "roc_auc" in metrics else t
            outcomes.append(
                _of_shares(t, u, area, ups.shape[1], downs.shape[1])[list(metrics)].to_numpy()
            )
        return np.array(outcomes)

    return redrawn


def blocks(k: int, count: int, correlation: float, ratio: float | None) -> Setting:
    """Tied metric values of folds, correlated between folds by the training data they share; data
    sets where there is no ratio.
    """

    def values(rng: Rng) -> Array:
        block_values = np.sqrt(correlation) * rng.standard_normal((k, 1)) + np.sqrt(
            1 - correlation
        ) * rng.standard_normal((k, count))
        return np.asarray(0.8 + 0.02 * block_values)

    def draw(rng: Rng) -> Samples:
        frame = (
            pd.DataFrame(values(rng), index=pd.Index(names(k), name="classifier"))
            .stack()
            .rename("m0")
            .reset_index()
        )
        if ratio is None:
            return Samples.from_datasets(frame.rename(columns={"level_1": "dataset"}))
        return Samples.from_folds(frame.rename(columns={"level_1": "fold"}), ratio=ratio)

    def redrawn(rng: Rng, again: Rng, number: int) -> Array:
        return np.asarray(
            values(rng)[:, again.integers(0, count, (number, count))].mean(axis=2).T[:, :, None]
        )

    return Setting(np.full((k, 1), 0.8), draw, redrawn)


def priced(
    k: int, n: int, returns: Returns, orientation: Orientation, timings: int | None = None
) -> Setting:
    """Accuracy that grows with cost along an arc, every second one below it; the cost exact, or a
    mean of timings of 10 %.
    """
    cost = np.linspace(1.0, 3.0, k)
    accuracy = 0.6 + 0.3 * np.sqrt((cost - 1) / 2)
    accuracy[1::2] -= np.linspace(0.03, 0.15, k)[1::2]

    def draw(rng: Rng) -> Samples:
        hits = latent(rng, k, n, 0.5) < ndtri(accuracy[:, None])
        samples = Samples.from_outcomes({"accuracy": pd.DataFrame(hits.T, columns=names(k))})
        if timings is None:
            return samples.with_costs({"cost": pd.Series(cost, names(k))})
        return samples.with_costs(
            {"cost": pd.DataFrame(rng.normal(cost, 0.1 * cost, (timings, k)), columns=names(k))}
        )

    return Setting(
        np.column_stack([accuracy, cost]), draw, technology=Technology(1, returns, orientation)
    )
