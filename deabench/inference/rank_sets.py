"""Ranks that a sample leaves open: under given weights, and on a data set yet to come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference import max_t
from deabench.inference.samples import Samples
from deabench.utils.checks import share
from deabench.utils.result import Result

Array = np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class RankSets(Result):
    """The ranks that every classifier could have under given weights, all at once.

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

    _text = "uncertainty"

    table: pd.DataFrame
    weights: Mapping[str, float]
    level: float
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """value, rank, best, worst."""
        return self.table


@dataclass(frozen=True, eq=False, repr=False)
class ConformalRanks(Result):
    """Where each classifier would rank on a new data set.

    Attributes
    ----------
    table : DataFrame, classifiers x (median, best, worst)
    datasets : int
    level : float
    simultaneous : bool
        Whether all classifiers' ranks are held at once.
    notes : tuple of str
        What is assumed.

    Examples
    --------
    >>> import deabench as db
    >>> answer = db.conformal_ranks(db.datasets.load("demsar2006-auc"))
    >>> answer.datasets, answer.table.iloc[0].to_dict()
    (14, {'median': 3.5, 'best': 1.0, 'worst': 4.0})
    """

    _text = "uncertainty"

    table: pd.DataFrame
    datasets: int
    level: float
    simultaneous: bool
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """median, best, worst."""
        return self.table


def rank_sets(
    samples: Samples, weights: Mapping[str, float], *, level: float = 0.95, seed: int = 0
) -> RankSets:
    """The ranks that every classifier could have under given weights, all at once.

    Classifier j is proved above i where log(w·y_j) − log(w·y_i) exceeds c standard errors of the
    difference, c the quantile of the largest of all |t|; best = 1 + #{proved above}, worst = k −
    #{proved below}.

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
    one = samples.weighted(weights)
    order = np.argsort([str(label) for label in one.values.index], kind="stable")
    moments = one.moments.take(order.tolist(), [0])
    c, _ = max_t.constant(moments, alpha, draws=max_t.DRAWS, seed=seed)
    gap, spread, ridge = (part[:, :, 0] for part in moments.pairs(np.arange(len(order))))
    above = gap > c[0] * np.sqrt(spread + max_t.ratio_ridge(c)[0] * ridge)
    frame = pd.DataFrame(
        {"best": 1 + above.sum(axis=1), "worst": len(order) - above.sum(axis=0)},
        one.values.index[order],
    )
    frame = frame.loc[one.values.index]
    frame.insert(0, "value", one.values["weighted"])
    frame.insert(1, "rank", frame["value"].rank(ascending=False, method="min").astype(int))
    shares = {name: weight / sum(weights.values()) for name, weight in weights.items()}
    return RankSets(frame.rename_axis("classifier"), shares, level, samples.notes)


def conformal_ranks(
    scores: pd.DataFrame, *, level: float = 0.9, simultaneous: bool = False
) -> ConformalRanks:
    """Where each classifier would rank on a new data set like these: no distribution is assumed,
    only exchangeable data sets.

    The rank on the new data set is as likely to take any place among the J + 1 ranks of a
    classifier: a set that leaves out the l lowest and the u highest of the J known ranks holds it
    with probability at least 1 − (l + u)/(J + 1). For all classifiers at once every second data set
    gives their median ranks, and the others how far any classifier's rank is from its median at
    most.

    Parameters
    ----------
    scores : DataFrame, data sets x classifiers
        Higher is better; efficiencies, or any metric.
    level : number between 0 and 1
        At most J/(J + 1), or every rank is possible.
    simultaneous : bool
        Whether all classifiers' ranks are held at once.

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
    ranks = _ranks(scores)
    count, k = ranks.shape
    if simultaneous:
        best, worst = _together(ranks, alpha)
    else:
        out = int(np.floor(alpha * (count + 1)))
        ordered = np.sort(ranks, axis=0)
        low = out // 2
        high = out - low
        best = ordered[low - 1] if low else np.ones(k)
        worst = ordered[count - high] if high else np.full(k, float(k))
    ends = {
        "median": np.median(ranks, axis=0),
        "best": np.floor(best).astype(int),
        "worst": np.ceil(worst).astype(int),
    }
    note = "the new data set is taken to be drawn as the known ones were"
    return ConformalRanks(
        pd.DataFrame(ends, scores.columns.rename("classifier")), count, level, simultaneous, (note,)
    )


def _ranks(scores: pd.DataFrame) -> Array:
    """Ranks within each data set, 1 is best, ties share their mean."""
    if len(scores) < 2 or scores.shape[1] < 2:
        raise DataError(
            f"there are {len(scores)} data sets and {scores.shape[1]} classifiers; give at least two of each"
        )
    values = scores.to_numpy(dtype=float)
    if not np.isfinite(values).all():
        j, i = np.argwhere(~np.isfinite(values))[0]
        raise DataError(
            f"the score of '{scores.columns[i]}' on '{scores.index[j]}' is missing; "
            "give every score or leave the data set out"
        )
    from scipy.stats import rankdata

    return np.asarray(rankdata(-values, axis=1))


def _together(ranks: Array, alpha: float) -> tuple[Array, Array]:
    """Median ranks of one half of the data sets, widened by the other half's quantile of the
    largest distance.
    """
    first, second = ranks[::2], ranks[1::2]
    middle = np.median(first, axis=0)
    distance = np.sort(np.abs(second - middle).max(axis=1))
    place = int(np.ceil((1 - alpha) * (len(distance) + 1)))
    k = ranks.shape[1]
    reach = distance[place - 1] if place <= len(distance) else float(k)
    return np.maximum(middle - reach, 1.0), np.minimum(middle + reach, float(k))
