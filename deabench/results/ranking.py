"""Hold the efficiencies of classifiers, with their ranks, peers, projections and certificates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.results.answer import NOT_COMPUTED, Answer
from deabench.results.proof import Proof
from deabench.tables.transforms import CONSTANT_OUTPUT, to_user_values
from deabench.utils.arrays import Sparse
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result
from deabench.utils.text import printable, shorten_middle

TIED = 1e-9
"""Scores and slacks that differ by no more are tied; scores above 1 by a share of them."""
ROUNDING = 1e-12
"""What a peer adds to a projection at least, as a share; less is rounding of the solver."""
SMALLEST_SHOWN_INTENSITY = 0.005
"""A smaller λ would be written 0.00."""
SMALLEST_INTENSITY = 1e-6
"""A smaller λ is a rounding error."""
RANGE_TOLERANCE = 1e-9
"""A projection beyond the range of a metric by less than this share of it is inside."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Answer, Result):
    """Efficiencies with everything that explains and proves them.

    Attributes
    ----------
    scores, slacks, weights, intensities, efficient, data, reference, options, frontier, reasons,
    path, tables
        See `deabench.results.answer.Answer`. For a radial model 1 is on the frontier, below 1
        inside it, above 1 outside the reference.
    notes : tuple of str
        What was done to the data, which defaults were chosen and what is not proved, as sentences.
    bounds : DataFrame or None
        `lower` and `upper` of each score over all completions of the table's empty cells, with
        missing="bounds".
    uncertainty : Uncertainty or None
        Intervals and verdicts of the scores, with samples.
    ranges : mapping of metric to (least, greatest)
        The possible values of the metrics that have limits, in the user's units.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> ranking = db.rank(wine, outputs=["TPR", "TNR"])
    >>> ranking.to_frame().round(3).iloc[-1].to_dict()
    {'efficiency': 0.77, 'rank': 6, 'efficient': False}
    >>> print(ranking.explain("OSS+SVM").splitlines()[0])
    OSS+SVM is not efficient (efficiency 0.9084, rank 5 of 6): every output could grow by 10.1 %
    together.
    """

    _text = "ranking"
    _display = "RankingDisplay"

    notes: tuple[str, ...]
    bounds: pd.DataFrame | None = None
    uncertainty: Any = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The model, its equation, and the path that solved it."""
        return f"{self.options.name} {self.options.equation}, {self.path}"

    @property
    def measure(self) -> str:
        """The name of the scores: "efficiency" (1 is best) or "inefficiency" (0 is best)."""
        return str(self.options.measure)

    @cached_property
    def undecided(self) -> pd.Series:
        """Whether a DMU is neither proved efficient nor proved inefficient, bool (n,).

        The proofs hold within `deabench.utils.arrays.TOLERANCE`. Such DMUs are not called
        efficient.
        """
        undecided: Any = False
        if self.slack_weights is not None:
            module = "deabench.proofs.ranking"
            undecided = self._call(module, "proved_efficient", self.slack_weights)[1]
        return pd.Series(undecided, index=self.scores.index, name="undecided")

    @property
    def is_partial(self) -> bool:
        """Whether the time limit had passed before every score was computed."""
        return NOT_COMPUTED in self.reasons.values()

    @cached_property
    def order(self) -> np.ndarray:
        """The positions of the DMUs (n,), best first; equal ones stay in the table's order."""
        return np.lexsort(self._sort_keys())

    @cached_property
    def ranks(self) -> pd.Series:
        """The ranks (n,); 1 is best, missing without a score, and for all in a partial ranking.

        Of equal scores the Pareto-efficient come first, then those with less slack. DMUs that still
        tie share the best of their ranks.
        """
        keys = self._sort_keys()
        order = self.order
        # A DMU opens a new rank where any key differs from that of its predecessor.
        opens_rank = np.ones(len(order), dtype=bool)
        opens_rank[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        positions = np.arange(1, len(order) + 1)
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.maximum.accumulate(np.where(opens_rank, positions, 0))
        named = pd.Series(ranks, index=self.scores.index, dtype="Int64", name="rank")
        return named.mask(self.scores.isna() | self.is_partial)

    def _sort_keys(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return three arrays (n,) that sort the DMUs, best first; the last one counts most."""
        sign = 1.0 if self.measure == "inefficiency" else -1.0
        maxima = np.append(self.data.outputs.abs().max(), self.data.inputs.abs().max())
        unit = np.where(maxima > 0, maxima, 1.0)
        # A share below the tolerance is rounding, and an efficient DMU has no slack.
        shares = np.nan_to_num(self.slacks.to_numpy() / unit)
        is_inefficient = ~self.efficient.to_numpy(dtype=bool)
        slack = np.where(shares > TIED, shares, 0.0).sum(axis=1) * is_inefficient
        # DMUs without a score come last.
        score = np.nan_to_num(sign * self.scores.to_numpy(), nan=np.inf)
        return tie_groups(slack), is_inefficient.astype(np.int8), tie_groups(score)

    @cached_property
    def peers(self) -> pd.DataFrame:
        """λ, DMU x reference DMU, with sparse columns; only reference DMUs that are a peer."""
        return self.peer_intensities.frame(self.scores.index, self.reference.labels)

    @cached_property
    def peer_intensities(self) -> Sparse:
        """`intensities` without rounding: what adds nothing to any metric of a projection is 0.

        A λ within rounding of 1 is 1. However small a λ is, it stays where it adds something: one
        of 1e-12 does so to a projection on a peer that is 1e12 times larger.
        """
        values = self.intensities.values.copy()
        reference = np.column_stack(
            [self.reference.outputs.to_numpy(), self.reference.inputs.to_numpy()]
        )
        sizes = Sparse(self.intensities.columns, np.abs(values)).dot(np.abs(reference))
        sizes = np.where(sizes > 0, sizes, 1.0)
        for k, column in enumerate(self.intensities.columns.T):
            added = np.abs(values[:, [k]] * reference.take(np.maximum(column, 0), axis=0))
            adds_nothing = (added <= ROUNDING * sizes).all(axis=1)
            # A row of zeros is a peer, too, and adds nothing.
            values[adds_nothing & (values[:, k] <= ROUNDING), k] = 0.0
        values[np.abs(values - 1.0) <= ROUNDING] = 1.0
        return Sparse(self.intensities.columns, values)

    @cached_property
    def projections(self) -> pd.DataFrame:
        """The combination of peers of each DMU, n x metrics, in the user's units and directions.

        There the DMU would be efficient. NaN without a score, and where a metric would leave its
        range (`projection_reasons` tells which).
        """
        projections = self._peer_combinations.copy()
        # A given metric stays as it is: the peers make do with it, or with less.
        for name in self.data.given:
            projections[name] = self.actual[name].where(self.scores.notna())
        projections.loc[list(self.projection_reasons)] = np.nan
        return projections

    @cached_property
    def projection_reasons(self) -> dict[Any, str]:
        """DMU to the reason why its projection is not reported: no such classifier can exist."""
        reasons: dict[Any, str] = {}
        # A mixture of what exists stays within the range; multiples may leave it.
        if self.returns == "vrs":
            return reasons
        for metric, (low, high) in self.ranges.items():
            if metric not in self._peer_combinations:
                continue
            values = self._peer_combinations[metric]
            margin = RANGE_TOLERANCE * max(
                abs(limit) for limit in (low, high) if np.isfinite(limit)
            )
            for values_beyond, limit, word in (
                (values[values > high + margin], high, "greatest"),
                (values[values < low - margin], low, "least"),
            ):
                for label, value in values_beyond.items():
                    reasons[label] = (
                        f"its projection would have '{metric}' at {value:.4g}, beyond the {word} "
                        f"possible value {limit:g}"
                    )
        return reasons

    @cached_property
    def _peer_combinations(self) -> pd.DataFrame:
        """Return Σ λ z of each DMU, n x metrics, in the user's units; NaN without a score."""
        reference = self.reference
        values = np.column_stack([reference.outputs.to_numpy(), reference.inputs.to_numpy()])
        combinations = self.intensities.dot(values)
        combinations[self.scores.isna().to_numpy()] = np.nan
        columns = [*reference.outputs.columns, *reference.inputs.columns]
        frame = pd.DataFrame(combinations, index=self.scores.index, columns=columns)
        return to_user_values(frame, self.data.transforms).drop(
            columns=CONSTANT_OUTPUT, errors="ignore"
        )

    @cached_property
    def actual(self) -> pd.DataFrame:
        """The metrics of each DMU, outputs then inputs, in the user's units and directions.

        Quotients for model (5) with inputs.
        """
        values = to_user_values(self.data.outputs.join(self.data.inputs), self.data.transforms)
        return values.drop(columns=CONSTANT_OUTPUT, errors="ignore")

    @cached_property
    def weight_shares(self) -> pd.DataFrame:
        """The share of each output in each score: weight times output, over their sum.

        Of each input where there is no output.
        """
        side = self.data.outputs
        if CONSTANT_OUTPUT in side:
            side = self.data.inputs
        names = [name for name in side if name in self.weights.columns]
        weighted = (self.weights[names] * side[names]).astype(float)
        return weighted.div(weighted.sum(axis=1), axis=0)

    def meaning(self, label: object) -> str:
        """Say what the score of a DMU means, as a clause; or why that is not possible."""
        if label in self.projection_reasons:
            return f"{self.projection_reasons[label]}, so no such system can exist"
        return str(self.options.meaning(float(self.scores.loc[label])))

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof of every score, recomputed from this result: see `deabench.certify`."""
        return self.proof().frame

    def proof(self) -> Proof:
        """Return the certificate with what each of its claims misses by.

        Raises
        ------
        DataError
            If the model has no certificate.
        """
        module = "deabench.proofs.structure"
        if self.options.has_certificate:
            self._call(module, "check_ranking")
        complete: Proof = self._call(module, "complete_proof", self.options.prove(self))
        return complete

    def to_frame(self) -> pd.DataFrame:
        """Return `efficiency` (or `inefficiency`), `rank` and `efficient`, best first.

        Equal ranks stay in the table's order. A column `undecided` is there if floating point
        leaves open for some whether they are efficient. With samples there are also `lower`,
        `upper`, `verdict`, `best_rank`, `worst_rank` and `tier`.
        """
        frame = pd.DataFrame(
            {self.measure: self.scores, "rank": self.ranks, "efficient": self.efficient}
        )
        if self.undecided.any():
            frame["undecided"] = self.undecided
        if self.bounds is not None:
            frame = frame.join(self.bounds)
        if self.uncertainty is not None:
            # Samples have their labels as text.
            intervals = self.uncertainty.to_frame().drop(columns="score")
            values = intervals.loc[[str(label) for label in frame.index]].to_numpy()
            frame[list(intervals.columns)] = values
            frame = frame.astype(dict(zip(intervals.columns, intervals.dtypes, strict=True)))
        frame = with_classifier_index(frame)
        return frame.iloc[self.order]

    def with_uncertainty(self, samples: Any) -> Ranking:
        """Return the same ranking with the uncertainty of its scores.

        Parameters
        ----------
        samples : Samples
            Of the same classifiers and metrics; see `deabench.Samples`.

        Raises
        ------
        DataError
            If the samples are of other classifiers, metrics or numbers, the model has no
            intervals, or the ranking is partial.
        """
        if self.is_partial:
            raise DataError("a partial ranking has no intervals; allow more time")
        module = "deabench.inference.ranking_uncertainty"
        return replace(self, uncertainty=self._call(module, "uncertainty_of_ranking", samples))

    def log_to_mlflow(self, runs: pd.DataFrame | None = None) -> None:
        """Write the ranking to the active run of MLflow, or to a new one, "deabench ranking".

        The run gets the table (deabench_ranking.csv), the sentences (deabench_summary.txt), the
        model and its metrics as parameters, and how many are efficient.

        Parameters
        ----------
        runs : DataFrame of `mlflow.search_runs()`, optional
            With it the run of each ranked system gets its score as a metric
            (deabench_efficiency), and the tag deabench_efficient.

        Raises
        ------
        DataError
            If a ranked system is not the name or id of exactly one run; nothing is written then.
        """
        self._call("deabench.integrations.mlflow_runs", "log_ranking", runs)


def count_followers(ranking: Ranking) -> tuple[np.ndarray, np.ndarray]:
    """Return of how many other DMUs each reference DMU is a peer, and the sums of their λ."""
    columns = ranking.intensities.columns
    values = ranking.intensities.values
    is_peer = (columns >= 0) & (values > SMALLEST_INTENSITY)
    if ranking.reference.outputs.equals(ranking.data.outputs):
        # A DMU that is its own peer does not count.
        is_peer &= columns != np.arange(len(columns))[:, None]
    count = len(ranking.reference.labels)
    followers = np.bincount(columns[is_peer], minlength=count)
    return followers, np.bincount(columns[is_peer], values[is_peer], minlength=count)


def order_by_merit(ranking: Ranking) -> pd.Index:
    """Return the labels by rank; of equal ranks, those that most others are measured against first.

    DMUs without a score come last; what still ties keeps the table's order.
    """
    labels = ranking.scores.index
    followers, intensities = count_followers(ranking)
    # -1: a DMU that is not in the reference, and so no peer of any.
    position = ranking.reference.labels.get_indexer(labels)
    in_reference = position >= 0
    own_followers = np.where(in_reference, followers[position], 0)
    # Rounding keeps solver noise from deciding the order.
    own_intensities = np.where(in_reference, intensities[position].round(9), 0.0)
    ranks = ranking.ranks.astype(float).fillna(np.inf).to_numpy()
    # `lexsort` sorts by its last key first: rank, followers, then λ.
    return labels[np.lexsort((-own_intensities, -own_followers, ranks))]


def peers_text(ranking: Ranking, row: int, max_peers: int = 3) -> str:
    """Return `A 0.70, B 0.30`: the largest shares first; more than `max_peers` are counted."""
    columns = ranking.intensities.columns[row]
    values = ranking.intensities.values[row]
    peers = np.flatnonzero((columns >= 0) & (values >= SMALLEST_SHOWN_INTENSITY))
    # A stable sort keeps the table's order between equal λ.
    peers = peers[np.argsort(-values[peers], kind="stable")]
    labels = ranking.reference.labels
    text = ", ".join(f"{_shorten(labels[columns[k]])} {values[k]:.2f}" for k in peers[:max_peers])
    if len(peers) > max_peers:
        text += f", +{len(peers) - max_peers}"
    return text


def _shorten(label: object) -> str:
    return shorten_middle(" ".join(printable(label).split()), 16)


def tie_groups(values: np.ndarray) -> np.ndarray:
    """Return the number of each value's group of ties, (n,), by rising values.

    No value is apart from the next one of its group: which values are tied depends on no order, and
    on no rounding to decimals.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    with np.errstate(invalid="ignore"):
        is_apart = np.diff(ordered) > TIED * np.maximum(np.abs(ordered[:-1]), 1.0)
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.append(0, np.cumsum(is_apart))[: len(values)]
    return groups
