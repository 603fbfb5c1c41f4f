"""Bound the ranks of classifiers: under fixed weights, and on a new data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from deabench.errors import DataError
from deabench.inference import max_t
from deabench.inference.samples import Samples
from deabench.utils.checks import share
from deabench.utils.frames import with_named_rows
from deabench.utils.result import Result
from deabench.utils.text import name_type

Array = np.ndarray
ROUNDING_ERROR = 1e-9
"""A number of data sets that is whole but for rounding is whole: (1 - .9) · 10 is below 1."""


@dataclass(frozen=True, eq=False, repr=False)
class RankSets(Result):
    """The ranks that every classifier could have under fixed weights, all at once.

    Attributes
    ----------
    table : DataFrame, k x (value, rank, best, worst)
        The samples' order.
    weights : mapping of metric to share
    level : float
    notes : tuple of str
        What the samples assume.

    Examples
    --------
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> answer = db.rank_sets(samples, {"TPR": 2, "TNR": 1})
    >>> answer.table.loc["a"].round(3).to_dict()
    {'value': 0.917, 'rank': 1.0, 'best': 1.0, 'worst': 2.0}
    """

    table: pd.DataFrame
    weights: Mapping[str, float]
    level: float
    notes: tuple[str, ...] = ()

    _frame = "table"
    _text = "uncertainty"


@dataclass(frozen=True, eq=False, repr=False)
class ConformalRanks(Result):
    """The ranks that each classifier could have on a new data set.

    Attributes
    ----------
    table : DataFrame, classifiers x (median, best, worst)
    datasets : int
    level : float
    simultaneous : bool
        Whether the ranks of all classifiers hold at once.
    notes : tuple of str
        What is assumed.

    Examples
    --------
    >>> import deabench as db
    >>> answer = db.conformal_ranks(db.datasets.load("demsar2006-auc"))
    >>> answer.datasets, answer.table.iloc[0].to_dict()
    (14, {'median': 3.5, 'best': 1.0, 'worst': 4.0})
    """

    table: pd.DataFrame
    datasets: int
    level: float
    simultaneous: bool
    notes: tuple[str, ...] = ()

    _frame = "table"
    _text = "uncertainty"


def rank_sets(
    samples: Samples, weights: Mapping[str, float], *, level: float = 0.95, seed: int = 0
) -> RankSets:
    """Bound the rank of every classifier under fixed weights, all at once.

    Classifier j is shown to be above i where log(w·y_j) − log(w·y_i) exceeds c standard errors of
    the difference, c the quantile of the largest of all |t|; best = 1 + #{shown above}, worst = k −
    #{shown below}.

    Parameters
    ----------
    samples : Samples
    weights : mapping of metric to number >= 0
        Divided by their sum.
    level : number between 0 and 1
    seed : int
        Of the draws.

    Returns
    -------
    RankSets

    References
    ----------
    Mogstad, Romano, Shaikh, Wilhelm (2024), Review of Economic Studies 91, 476-518,
    doi:10.1093/restud/rdad006.

    Examples
    --------
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> db.rank_sets(samples, {"TPR": 2, "TNR": 1}).table.loc["a"].round(3).to_dict()
    {'value': 0.917, 'rank': 1.0, 'best': 1.0, 'worst': 2.0}
    """
    alpha = 1 - share("level", level)
    if not isinstance(samples, Samples):
        raise DataError(
            f"samples is {name_type(samples)}; give deabench.Samples, as "
            "deabench.Samples.from_predictions(y, predictions) returns them"
        )
    combined = samples.weighted(weights)
    index = combined.values.index
    # Draws are made in the order of the labels, so that the table's order does not matter.
    order = np.argsort([str(label) for label in index], kind="stable")
    moments = combined.moments.take(order.tolist(), [0])
    critical, _ = max_t.ratio_critical_values(moments, alpha, draws=max_t.DRAWS, seed=seed)
    c = critical[0]
    # One metric is left: the weighted mean.
    gap, spread, ridge = (values[:, :, 0] for values in moments.pairs(np.arange(len(order))))
    is_above = gap > c * np.sqrt(spread + max_t.ratio_ridge(moments, c) * ridge)
    # is_above[i, j]: j is shown to be above i.
    best = 1 + is_above.sum(axis=1)
    worst = len(order) - is_above.sum(axis=0)
    table = pd.DataFrame({"best": best, "worst": worst}, index[order]).loc[index]
    table.insert(0, "value", combined.values["weighted"])
    table.insert(1, "rank", table["value"].rank(ascending=False, method="min").astype(int))
    total = sum(weights.values())
    # The weights are shown as shares.
    shares = {name: weight / total for name, weight in weights.items()}
    return RankSets(table.rename_axis("classifier"), shares, level, samples.notes)


def conformal_ranks(
    scores: pd.DataFrame, *, level: float = 0.9, simultaneous: bool = False
) -> ConformalRanks:
    """Bound the rank of each classifier on a new data set, from its ranks on known ones.

    No distribution is assumed, only that the data sets are exchangeable. The rank on the new data
    set is as likely to take any rank among the J + 1 ranks of a classifier: a set that leaves out
    the l lowest and the u highest of the J known ranks holds it with probability at least 1 − (l +
    u)/(J + 1). For all classifiers at once every second data set gives their median ranks, and the
    others how far any classifier's rank is from its median at most.

    Parameters
    ----------
    scores : DataFrame, data sets x classifiers
        Higher is better; efficiencies, or any metric.
    level : number between 0 and 1
        At most J/(J + 1), or every rank is possible.
    simultaneous : bool
        Whether the ranks of all classifiers hold at once.

    Returns
    -------
    ConformalRanks

    References
    ----------
    Neuhof, Benjamini, arXiv 2606.08679, for conformal intervals of ranks; Vovk, Gammerman, Shafer
    (2005), Algorithmic Learning in a Random World.

    Examples
    --------
    >>> import deabench as db
    >>> areas = db.datasets.load("demsar2006-auc")
    >>> db.conformal_ranks(areas).table.iloc[0].to_dict()
    {'median': 3.5, 'best': 1.0, 'worst': 4.0}
    """
    alpha = 1 - share("level", level)
    scores = with_named_rows(scores)
    ranks = _rank_within_datasets(scores)
    best, worst = _simultaneous_range(ranks, alpha) if simultaneous else _range(ranks, alpha)
    columns = {
        "median": np.median(ranks, axis=0),
        "best": np.floor(best).astype(int),
        "worst": np.ceil(worst).astype(int),
    }
    table = pd.DataFrame(columns, scores.columns.rename("classifier"))
    note = "the new data set is taken to be drawn as the known ones were"
    return ConformalRanks(table, len(ranks), level, simultaneous, (note,))


def _rank_within_datasets(scores: pd.DataFrame) -> Array:
    """Rank the classifiers within each data set: 1 is best, ties share their mean."""
    if len(scores) < 2 or scores.shape[1] < 2:
        raise DataError(
            f"there are {len(scores)} data sets and {scores.shape[1]} systems; give at least "
            "two of each"
        )
    values = scores.to_numpy(dtype=float)
    missing = ~np.isfinite(values)
    if missing.any():
        j, i = np.argwhere(missing)[0]
        raise DataError(
            f"the score of '{scores.columns[i]}' on '{scores.index[j]}' is missing; "
            "give every score or leave the data set out"
        )
    return np.asarray(scipy.stats.rankdata(-values, axis=1))


def _range(ranks: Array, alpha: float) -> tuple[Array, Array]:
    """Leave out ⌊α (J + 1)⌋ of each classifier's J ranks, half of them at either end."""
    # The smaller half of the excluded ranks is taken from the low end.
    datasets, k = ranks.shape
    excluded = int(np.floor(alpha * (datasets + 1) + ROUNDING_ERROR))
    excluded_low = excluded // 2
    excluded_high = excluded - excluded_low
    ordered = np.sort(ranks, axis=0)
    # Without a data set to exclude, the limits are the best and the worst rank that there is.
    best = np.ones(k)
    worst = np.full(k, float(k))
    if excluded_low:
        best = ordered[excluded_low - 1]
    if excluded_high:
        worst = ordered[datasets - excluded_high]
    return best, worst


def _simultaneous_range(ranks: Array, alpha: float) -> tuple[Array, Array]:
    """Widen the median ranks of half of the data sets by a quantile from the other half.

    The quantile is that of the largest distance of any classifier's rank from its median.
    """
    k = ranks.shape[1]
    # Split conformal prediction: one half centres, the other half calibrates.
    median = np.median(ranks[::2], axis=0)
    distance = np.sort(np.abs(ranks[1::2] - median).max(axis=1))
    rank = int(np.ceil((1 - alpha) * (len(distance) + 1) - ROUNDING_ERROR))
    reach = distance[rank - 1] if rank <= len(distance) else float(k)
    return np.maximum(median - reach, 1.0), np.minimum(median + reach, float(k))
