"""Generators of artificial two-class data, after sentences of the 2022 paper.

The paper takes its artificial data from elsewhere and describes them in a sentence each; what is
generated here follows those sentences and is not the paper's data. A generator is a function of its
parameters and a seed that returns X, y (1 = the minority) and, where it makes test rows of its own,
the fold of each row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CENTRES = np.array([[0.2, 0.2], [0.2, 0.8], [0.5, 0.5], [0.8, 0.2], [0.8, 0.8]])
"""Of the minority's groups in `make_subclus`, squares of side 0.16 inside the unit square."""


def make_subclus(
    rows: int = 800, ratio: float = 7.0, noise: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Make a minority of five small squares inside the majority, as in KEEL's `subclus` (4.5.2).

    `ratio` is the majority rows for each minority row; to the features of a share `noise` of the
    rows, in both classes alike, N(0, 0.2²) is added.
    """
    rng = np.random.default_rng(seed)
    minority_rows = round(rows / (1 + ratio))
    centres = CENTRES[np.arange(minority_rows) % len(CENTRES)]
    minority = centres + rng.uniform(-0.08, 0.08, (minority_rows, 2))
    # points of the unit square outside the squares, drawn until there are enough
    majority = np.empty((0, 2))
    while len(majority) < rows - minority_rows:
        points = rng.uniform(size=(rows, 2))
        inside = (np.abs(points[:, None, :] - CENTRES[None]) <= 0.1).all(axis=2).any(axis=1)
        majority = np.vstack([majority, points[~inside]])[: rows - minority_rows]
    X = np.vstack([minority, majority])
    noisy = rng.permutation(rows) < round(noise * rows)
    X[noisy] += rng.normal(0.0, 0.2, (int(noisy.sum()), 2))
    return X, (np.arange(rows) < minority_rows).astype(int)


def make_outliers(
    rows: int = 1000, ratio: float = 10.0, area: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Make two uniform unit squares that share a part `area` (after section 4.5.3).

    The minority's square begins at x = 1 - area: at 0 the classes are separable, at 1 they lie on
    each other. The best rule gives up the shared part, so that its TPR is 1 - area.
    """
    rng = np.random.default_rng(seed)
    minority_rows = round(rows / (1 + ratio))
    # the minority's square, moved to the right
    minority = rng.uniform(size=(minority_rows, 2)) + np.array([1.0 - area, 0.0])
    majority = rng.uniform(size=(rows - minority_rows, 2))
    return np.vstack([minority, majority]), (np.arange(rows) < minority_rows).astype(int)


def make_corpus(
    documents: int = 400,
    words: int = 3000,
    share: float = 0.25,
    telling: float = 0.04,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Make a bag of words: Zipf-distributed counts, 150 words a document on average.

    A share of the documents is of the positive topic; a share `telling` of the words is three times
    as frequent in one of the two topics (alternating).
    """
    rng = np.random.default_rng(seed)
    y = (np.arange(documents) < round(share * documents)).astype(int)
    # telling words are three times as frequent in one topic
    factors = np.ones((2, words))
    telling_words = rng.permutation(words)[: round(telling * words)]
    factors[0, telling_words[::2]] = 3.0
    factors[1, telling_words[1::2]] = 3.0
    # Zipf's law, with the most frequent words flattened
    rates = 1.0 / (np.arange(words) + 10.0) * factors
    rates *= 150.0 / rates.sum(axis=1, keepdims=True)
    return rng.poisson(rates[y]).astype(float), y


def make_prevalence(
    rows: int = 4000,
    training: float = 0.44,
    testing: float = 0.3,
    apart: float = 0.37,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make two normal classes, trained on one prevalence and tested on another.

    A population of `rows` (20 % positive) is drawn for training and one for testing; rows of one
    class are dropped at random until the prevalence is right, which changes nothing within a class.
    `apart` is the distance of the classes' means in each of five features, in standard deviations;
    0.37 gives a best AUROC of .72. The third array is -1 = training, 0 = testing.
    """
    populations = []
    for stream, share, fold in ((1, training, -1), (2, testing, 0)):
        if not 0 < share < 1:
            raise ValueError(f"a prevalence is {share}; give a number between 0 and 1")
        # a stream of its own: the same population, whatever share of it is kept
        rng = np.random.default_rng([seed, stream])
        y = (np.arange(rows) < round(0.2 * rows)).astype(int)
        X = rng.normal(size=(rows, 5)) + apart * y[:, None]
        order = rng.permutation(rows)
        subset = order[_rows_at_prevalence(y[order], share)]
        populations.append((X[subset], y[subset], np.full(len(subset), fold)))
    X, y, partition = (np.concatenate(arrays) for arrays in zip(*populations, strict=True))
    return X, y, partition


def _rows_at_prevalence(y: np.ndarray, share: float) -> np.ndarray:
    """Return as many rows as possible, the first of each class, a share of them positive."""
    # the class that limits the number of rows keeps all of its own
    positives = int(y.sum())
    negatives = len(y) - positives
    most_positives = min(positives, int(negatives * share / (1 - share)))
    most_negatives = min(negatives, int(positives * (1 - share) / share))
    kept_positives = np.cumsum(y) <= most_positives
    kept_negatives = np.cumsum(1 - y) <= most_negatives
    return np.flatnonzero(np.where(y == 1, kept_positives, kept_negatives))


GENERATORS: dict[str, Callable[..., tuple[np.ndarray, ...]]] = {
    "subclus": make_subclus,
    "outliers": make_outliers,
    "corpus": make_corpus,
    "prevalence": make_prevalence,
}
