"""Order the names of a study for data with some characteristics, and say how many are needed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from deabench.study.recommendation.evidence import (
    CHARACTERISTICS,
    Evidence,
    scale_characteristics,
)

BANDWIDTHS = (0.5, 1.0, 2.0, np.inf)
"""How far similar data may be, in standard deviations of a characteristic: one is chosen."""
LABELS = {
    "imbalance_ratio": "the imbalance ratio",
    "rows": "the number of rows",
    "features": "the number of features",
}


def similarity(
    evidence: Evidence,
    characteristics: np.ndarray,
    rows: np.ndarray | None = None,
    bandwidth: float | None = None,
) -> np.ndarray:
    """Return the weight of each data set for data with some characteristics: of sum 1.

    A Gaussian kernel of the mean squared difference in standard deviations; each file weighs the
    same before it.

    Parameters
    ----------
    characteristics : array (7,)
    rows : bool array, optional
        The data sets that are used; the others get the weight 0.
    bandwidth : float, optional
        Of the kernel; without it the one of `choose_bandwidth`.
    """
    if bandwidth is None:
        bandwidth = choose_bandwidth(evidence)
    used = np.ones(len(evidence.files), dtype=bool) if rows is None else rows
    squares = _squared_distances(evidence, characteristics, used)
    # The nearest one has the kernel 1, so that far data have weights, too.
    kernel = np.exp(-(squares - squares[used].min()) / (2 * bandwidth**2)) * used
    _, positions, sizes = np.unique(evidence.files, return_inverse=True, return_counts=True)
    weights = kernel / sizes[positions]
    return np.asarray(weights / weights.sum())


def order_names(worlds: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order the names so that each adds most to the chance that one of them is efficient.

    Parameters
    ----------
    worlds : bool array (data sets, draws, classifiers)
    weights : array (data sets,)
        Of sum 1.

    Returns
    -------
    order : int array (classifiers,)
    gains : array (classifiers,)
        What each adds.
    """
    open_weight = np.repeat(weights[:, None] / worlds.shape[1], worlds.shape[1], axis=1)
    overall = np.einsum("ib,ibk->k", open_weight, worlds)
    remaining = list(range(worlds.shape[2]))
    order = []
    gains = []
    while remaining:
        gain = np.einsum("ib,ibk->k", open_weight, worlds[:, :, remaining]).round(12)
        # Of equal gains the one that is efficient more often, then the first of the study.
        best = max(range(len(remaining)), key=lambda j: (gain[j], overall[remaining[j]]))
        name = remaining.pop(best)
        order.append(name)
        gains.append(gain[best])
        open_weight = np.where(worlds[:, :, name], 0.0, open_weight)
    return np.array(order), np.array(gains)


def count_needed(evidence: Evidence, level: float, uniform: float = 1.0) -> int:
    """Return how many of the first names hold an efficient one with a probability.

    A rank is plausible for a new file where its smoothed p-value exceeds 1 - level (Vovk, Gammerman
    and Shafer 2005, section 2.6): the weight of greater ranks on the study's data sets, each with
    its file left out, and a part of the weight of equal ones and of the new file. Each of K files
    weighs 1/(K + 1), shared by its data sets, and so does the new one.

    Parameters
    ----------
    uniform : float from 0 to 1
        The part. 1 counts ties in full, which errs on the safe side; drawn anew for new data, the
        probability is not above the level more than it has to be.

    Returns
    -------
    int
        One more than there are names where no number is enough: too few files, or too many data
        sets on which no name is efficient.
    """
    files, positions, sizes = np.unique(evidence.files, return_inverse=True, return_counts=True)
    weights = 1 / (len(files) + 1) / sizes[positions]
    ranks = needed_ranks(evidence, choose_bandwidth(evidence))
    needed = 1
    for rank in range(1, len(evidence.classifiers) + 2):
        ties = weights[ranks == rank].sum() + 1 / (len(files) + 1)
        p_value = weights[ranks > rank].sum() + uniform * ties
        # p-values fall with the rank, so that the last plausible one is the greatest.
        if p_value > 1 - level + 1e-12:
            needed = rank
    return needed


@lru_cache(maxsize=4)
def choose_bandwidth(evidence: Evidence) -> float:
    """Return the bandwidth with which the first efficient name has the lowest mean rank.

    Each file is left out in turn and weighs the same. A study in which similar data do not have
    the same efficient classifiers gets a wide one: all its data sets then count alike.
    """
    _, positions, sizes = np.unique(evidence.files, return_inverse=True, return_counts=True)
    weights = 1 / sizes[positions]
    return min(BANDWIDTHS, key=lambda bandwidth: weights @ needed_ranks(evidence, bandwidth))


@lru_cache(maxsize=4 * len(BANDWIDTHS))
def needed_ranks(evidence: Evidence, bandwidth: float) -> np.ndarray:
    """Return the rank of the first efficient name on each data set, its file left out.

    Where none is efficient it is one more than there are names.
    """
    names = len(evidence.classifiers)
    ranks = np.full(len(evidence.files), names + 1)
    for k, values in enumerate(evidence.characteristics()):
        is_other = evidence.files != evidence.files[k]
        if not is_other.any():
            continue
        weights = similarity(evidence, values, is_other, bandwidth)
        order, _ = order_names(evidence.worlds, weights)
        hits = np.flatnonzero(evidence.efficient[k][order])
        if len(hits):
            ranks[k] = hits[0] + 1
    return ranks


def lower_limits(evidence: Evidence, level: float) -> np.ndarray:
    """Return what each classifier's efficiency on data of a new file exceeds at a level.

    The quantile of its efficiencies with each file weighing the same, and one file more that is at
    0: 0 where there are too few files.
    """
    files, positions, sizes = np.unique(evidence.files, return_inverse=True, return_counts=True)
    weights = 1 / (len(files) + 1) / sizes[positions]
    limits = np.zeros(len(evidence.classifiers))
    for k, scores in enumerate(evidence.scores.T):
        ordered = np.argsort(scores)
        below = 1 / (len(files) + 1) + np.cumsum(weights[ordered]) - weights[ordered]
        # The greatest score below which there is a weight of at most 1 - level.
        allowed = np.flatnonzero(below <= 1 - level + 1e-12)
        if len(allowed):
            limits[k] = scores[ordered][allowed[-1]]
    return limits


def find_outside(evidence: Evidence, facts: pd.DataFrame) -> tuple[str, ...]:
    """Say in what data lie outside what a study knows; nothing where they do not."""
    sentences = []
    for name in CHARACTERISTICS[:3]:
        value = facts[name].iloc[0]
        values_of_study = evidence.facts[name].astype(float)
        if not values_of_study.min() <= value <= values_of_study.max():
            sentences.append(
                f"{LABELS[name]} is {value:.4g}, and the study has {values_of_study.min():.4g} to "
                f"{values_of_study.max():.4g}"
            )
    # How far each data set is from the nearest one of another file.
    distances = []
    for k, values in enumerate(evidence.characteristics()):
        is_other = evidence.files != evidence.files[k]
        if is_other.any():
            distances.append(_squared_distances(evidence, values, is_other)[is_other].min())
    nearest = _squared_distances(
        evidence, scale_characteristics(facts)[0], np.ones(len(evidence.files), dtype=bool)
    ).min()
    if distances and nearest > max(distances):
        sentences.append("no data set of the study is as near as each is to one of another file")
    return tuple(sentences)


def _squared_distances(
    evidence: Evidence, characteristics: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Return the mean squared difference from each data set, in deviations of the given rows."""
    values = evidence.characteristics()
    deviations = values[rows].std(axis=0)
    deviations[deviations < 1e-12] = 1.0
    return np.asarray((((values - characteristics) / deviations) ** 2).mean(axis=1))
