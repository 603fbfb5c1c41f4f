"""The order in which pictures and pages name classifiers: by rank, of equal ranks first whom most
others are measured against.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking

LEAST = 1e-6
"""A λ below this is rounding."""


def count_served(ranking: Ranking) -> tuple[np.ndarray, np.ndarray]:
    """For each reference DMU how many others it is a peer of, and the sum of their λ."""
    columns, values = ranking.intensities.columns, ranking.intensities.values
    used = (columns >= 0) & (values > LEAST)
    if ranking.reference.outputs.equals(ranking.data.outputs):
        used &= columns != np.arange(len(columns))[:, None]
    count = len(ranking.reference.labels)
    return np.bincount(columns[used], minlength=count), np.bincount(
        columns[used], values[used], minlength=count
    )


def order_by_merit(ranking: Ranking) -> pd.Index:
    """The labels, best first; whoever has no score comes last, and what still ties keeps the
    table's order.
    """
    labels = ranking.scores.index
    others, shares = count_served(ranking)
    at = ranking.reference.labels.get_indexer(labels)
    own = np.where(at >= 0, others[at], 0), np.where(at >= 0, shares[at].round(9), 0.0)
    ranks = ranking.ranks.astype(float).fillna(np.inf).to_numpy()
    return labels[np.lexsort((-own[1], -own[0], ranks))]
