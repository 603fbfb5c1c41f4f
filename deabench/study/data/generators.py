"""Artificial two-class data: scattered groups with noise, an area covered by outliers, a text
corpus.

Each is a function of its parameters and a seed that returns (X, y), y = 1 the minority, and the
fold of each row where it has test rows of its own. The 2022 paper takes its artificial data from
elsewhere and describes them in a sentence each; what is generated here follows those sentences and
says so, it is not the paper's data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CENTRES = np.array([[0.2, 0.2], [0.2, 0.8], [0.5, 0.5], [0.8, 0.2], [0.8, 0.8]])
"""Of the minority's five groups in `subclus`, which fill squares of side 0.16 inside the unit
square.
"""


def subclus(
    rows: int = 800, ratio: float = 7.0, noise: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """A minority of five small square groups inside the majority, as in KEEL's `subclus` (the
    paper's section 4.5.2).

    Parameters
    ----------
    rows : int
        Rows in all.
    ratio : float
        Majority rows for each minority row.
    noise : float, 0 to 1
        Share of the rows, in both classes alike, to whose features N(0, 0.2²) is added: 0.2 is "20
        % Gaussian noise".
    """
    rng = np.random.default_rng(seed)
    n_min = round(rows / (1 + ratio))
    minority = CENTRES[np.arange(n_min) % len(CENTRES)] + rng.uniform(-0.08, 0.08, (n_min, 2))
    majority = np.empty((0, 2))
    while len(majority) < rows - n_min:
        points = rng.uniform(size=(rows, 2))
        inside = (np.abs(points[:, None, :] - CENTRES[None]) <= 0.1).all(axis=2).any(axis=1)
        majority = np.vstack([majority, points[~inside]])[: rows - n_min]
    X = np.vstack([minority, majority])
    moved = rng.permutation(rows) < round(noise * rows)
    X[moved] += rng.normal(0.0, 0.2, (int(moved.sum()), 2))
    return X, (np.arange(rows) < n_min).astype(int)


def outliers(
    rows: int = 1000, ratio: float = 10.0, area: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Two uniform squares that share a part `area` of theirs (after section 4.5.3: 1,000 rows, one
    positive per ten).

    The majority fills the unit square; the minority fills a unit square that begins at x = 1 -
    area: at 0 the classes touch and are separable, at 1 they lie on each other. Where the majority
    outnumbers the minority ten to one all over the shared part, the best rule gives that part up,
    so that its TPR is 1 - area."""
    rng = np.random.default_rng(seed)
    n_min = round(rows / (1 + ratio))
    minority = rng.uniform(size=(n_min, 2)) + np.array([1.0 - area, 0.0])
    return np.vstack([minority, rng.uniform(size=(rows - n_min, 2))]), (
        np.arange(rows) < n_min
    ).astype(int)


def corpus(
    documents: int = 400,
    words: int = 3000,
    share: float = 0.25,
    telling: float = 0.04,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """A synthetic bag of words: counts of Zipf-distributed words, of which a few are more frequent
    in one topic.

    Parameters
    ----------
    documents, words : int
        The shape of X; a document has 150 words on average.
    share : float
        Of the documents that are of the positive topic.
    telling : float
        Share of the words whose frequency is three times as high in one of the two topics
        (alternating).
    """
    rng = np.random.default_rng(seed)
    y = (np.arange(documents) < round(share * documents)).astype(int)
    base = 1.0 / (np.arange(words) + 10.0)
    tilt = np.ones((2, words))
    telling_words = rng.permutation(words)[: round(telling * words)]
    tilt[0, telling_words[::2]] = tilt[1, telling_words[1::2]] = 3.0
    rates = base * tilt
    rates *= 150.0 / rates.sum(axis=1, keepdims=True)
    return rng.poisson(rates[y]).astype(float), y


def prevalence(
    rows: int = 4000,
    training: float = 0.44,
    testing: float = 0.3,
    apart: float = 0.37,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two normal classes, trained on one prevalence and tested on another (after the Bayes post's
    flight delays).

    A population of which 20 % are positive is drawn for training and one for testing; rows of one
    class are dropped at random until the prevalence is as asked, which changes nothing within a
    class.

    Parameters
    ----------
    rows : int
        Rows of each population before any is dropped.
    training, testing : float, 0 to 1
        The share of positives among the training and the testing rows.
    apart : float
        The distance of the classes' means in each of five features, in standard deviations; 0.37
        gives a best AUROC of .72.

    Returns
    -------
    X, y, partition : arrays
        The fold of each row: -1 = training, 0 = testing.
    """
    parts = []
    for stream, share, fold in ((1, training, -1), (2, testing, 0)):
        if not 0 < share < 1:
            raise ValueError(f"a prevalence is {share}; give a number between 0 and 1")
        rng = np.random.default_rng(
            [seed, stream]
        )  # the same population, whatever share is kept of it
        y = (np.arange(rows) < round(0.2 * rows)).astype(int)
        X = rng.normal(size=(rows, 5)) + apart * y[:, None]
        order = rng.permutation(rows)
        kept = order[_at_share(y[order], share)]
        parts.append((X[kept], y[kept], np.full(len(kept), fold)))
    X, y, partition = (np.concatenate(each) for each in zip(*parts, strict=True))
    return X, y, partition


def _at_share(y: np.ndarray, share: float) -> np.ndarray:
    """Which rows to keep, the first of each class, so that `share` of them are positive and as many
    as can be stay.
    """
    positives, negatives = int(y.sum()), int((1 - y).sum())
    keep = (
        min(positives, int(negatives * share / (1 - share))),
        min(negatives, int(positives * (1 - share) / share)),
    )
    return np.flatnonzero(np.where(y == 1, np.cumsum(y) <= keep[0], np.cumsum(1 - y) <= keep[1]))


GENERATORS: dict[str, Callable[..., tuple[np.ndarray, ...]]] = {
    "subclus": subclus,
    "outliers": outliers,
    "corpus": corpus,
    "prevalence": prevalence,
}
