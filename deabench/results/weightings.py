"""Hold what all weightings of the metrics say about a table, with what proves it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.share_polytopes import SharePolytope
from deabench.results.proof import Proof
from deabench.results.ranking import Ranking
from deabench.tables.transforms import Transforms
from deabench.utils.checks import did_you_mean
from deabench.utils.result import Result

if TYPE_CHECKING:
    import networkx as nx

End = Literal["best", "worst"]
"""The two ends of a rank interval."""
WeightingModel = Literal["ratio", "value"]


@dataclass(frozen=True)
class WeightedSide:
    """Metrics whose weights add up to 1: all of a table, or its outputs, or its inputs.

    Attributes
    ----------
    names : tuple of str
    values : object array (n, s) of int
        Each value over its metric's unit, times `scale`: what a weight of 1 gives. Costs of the
        model "value" are negative.
    scale : int
    units : tuple of Fraction
        Each metric's best value or range, in the model's units.
    polytope : SharePolytope
        The admissible weights.
    """

    names: tuple[str, ...]
    values: np.ndarray
    scale: int
    units: tuple[Fraction, ...]
    polytope: SharePolytope

    @cached_property
    def corner_values(self) -> np.ndarray:
        """The values at the vertices of the weights, object array (n, p) of int, times a number."""
        sums = [sum(ray) for ray in self.polytope.rays]
        common = math.lcm(*sums)
        weights = [
            [entry * (common // total) for entry in ray]
            for ray, total in zip(self.polytope.rays, sums, strict=True)
        ]
        return np.asarray(self.values @ np.array(weights, dtype=object).T)

    @cached_property
    def corner_scale(self) -> int:
        """What `corner_values` are multiplied by."""
        return self.scale * math.lcm(*(sum(ray) for ray in self.polytope.rays))

    @cached_property
    def corners(self) -> np.ndarray:
        """The values at the vertices, float array (n, p)."""
        return np.asarray((self.corner_values / self.corner_scale).astype(float))


@dataclass(frozen=True)
class RankEvidence:
    """What proves one end of all rank intervals.

    Attributes
    ----------
    weights : tuple of tuples of rays
        By row and side, whole numbers in proportion to the weights at which the end is attained.
    trees : tuple of int16 arrays
        By row: the subdivision that proves that no weighting goes further than the proved rank (see
        `deabench.geometry.subdivision`).
    """

    weights: tuple[tuple[tuple[int, ...], ...], ...]
    trees: tuple[np.ndarray, ...]


def _list_vertices(polytope: SharePolytope, names: Sequence[str]) -> pd.DataFrame:
    """Return the vertices of a polytope of weights, those of a polygon in order around it."""
    return pd.DataFrame(polytope.shares[polytope.outline], columns=list(names))


@dataclass(frozen=True)
class WinningRegion:
    """The weightings under which a row is first.

    Attributes
    ----------
    names : tuple of str
        The metrics.
    polytope : SharePolytope
        The weights, with exact vertices.
    share : float
        Its share of all admissible weightings, by volume.
    centroid, centre : Series
        Weights of its centroid, and of the centre of the largest ball in it.
    radius : float
        That ball's radius; 0 where the row is first only on a tie.
    neighbours : tuple of labels
        The rows that are first next to it: each shares a face of the region.
    """

    names: tuple[str, ...]
    polytope: SharePolytope
    share: float
    centroid: pd.Series
    centre: pd.Series
    radius: float
    neighbours: tuple[Any, ...]

    @property
    def vertices(self) -> pd.DataFrame:
        """The corners of the region, vertices x metrics, as normalised weights.

        Those of a polygon are in order around it.
        """
        return _list_vertices(self.polytope, self.names)

    @property
    def intervals(self) -> pd.DataFrame:
        """The least and greatest weight of each metric in the region."""
        return pd.DataFrame({"least": self.vertices.min(), "most": self.vertices.max()})


@dataclass(frozen=True, eq=False, repr=False)
class Weightings(Result):
    """What holds at all admissible weightings of the metrics, and how often the rest does.

    Attributes
    ----------
    ranks : DataFrame, one row per row of the table
        best, worst : the ranks that some weighting gives; rows with the same score count for the
        row in `best` and against it in `worst`. best_proved, worst_proved : the ranks beyond which
        no weighting goes; those of `best` and `worst` unless the time was up. mean_rank,
        first_share : over all admissible weightings, uniformly. score_min, score_max : score over
        the best row's (model "ratio"); loss_min, loss_max : distance to the best row's, in shares
        of the ranges (model "value"). best_limit, worst_limit : with samples.
    dominance : DataFrame of bool
        Whether the row is at least as good as the column at every weighting.
    pairwise_shares : DataFrame
        The share of the weightings under which the row is above the column.
    acceptability : DataFrame, rows x ranks
        The share of the weightings that give each rank.
    standard_error : DataFrame like `acceptability`
        0 where it is exact.
    exact : Series of bool
        Whether a row of `acceptability` is exact.
    winning_regions : mapping of label to WinningRegion
        Rows whose best rank is 1, where the weights of all metrics add up to 1.
    model : {"ratio", "value"}
    sides : tuple of WeightedSide
        One, or for ratios of outputs to inputs two.
    evidence : mapping of "best" and "worst" to RankEvidence
    values : DataFrame
        The metrics in the user's units.
    costs : tuple of str
        The metrics that are to be low.
    transforms : mapping of metric to AffineTransform
        How the model's values come from the user's.
    logarithmic : tuple of str
        The metrics that count by their logarithm.
    ratios, shares : mappings
        The bounds of the weights.
    score_ranking : Ranking or None
        For the model "ratio": the efficiencies that prove `score_max`.
    loss_weights, loss_mixes : arrays (n, p) and (n, n)
        For the model "value": weights, as mixtures of the vertices, at which each loss is least,
        and a mix of rows that proves it.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.weightings(wine, outputs=["TPR", "TNR"]).ranks[["best", "worst"]].loc["CS-MCQP"].tolist()
    [1, 2]
    """

    _text = "weightings"
    _display = "RankIntervalDisplay"

    ranks: pd.DataFrame
    dominance: pd.DataFrame
    pairwise_shares: pd.DataFrame
    acceptability: pd.DataFrame
    standard_error: pd.DataFrame
    exact: pd.Series
    winning_regions: Mapping[Any, WinningRegion]
    model: WeightingModel
    sides: tuple[WeightedSide, ...]
    evidence: Mapping[str, RankEvidence]
    values: pd.DataFrame
    costs: tuple[str, ...] = ()
    transforms: Transforms = field(default_factory=dict)
    logarithmic: tuple[str, ...] = ()
    ratios: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    shares: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    score_ranking: Ranking | None = None
    loss_weights: np.ndarray | None = None
    loss_mixes: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    reasons: dict[Any, str] = field(default_factory=dict)

    @property
    def metrics(self) -> list[str]:
        """The metrics that have a weight."""
        return [name for side in self.sides for name in side.names]

    @property
    def admissible_vertices(self) -> pd.DataFrame:
        """The corners of all admissible weights of the first side, vertices x metrics."""
        side = self.sides[0]
        return _list_vertices(side.polytope, side.names)

    def to_frame(self) -> pd.DataFrame:
        """Return the rank intervals, best mean rank first."""
        return self.ranks.sort_values(["mean_rank", "best", "worst"], kind="stable")

    @cached_property
    def ratio_bounds(self) -> pd.DataFrame:
        """The least and greatest ratio of two rows' scores, (row, other) x (least, most).

        NaN where both scores are 0 at some weighting.
        """
        if self.model != "ratio":
            raise DataError("the model 'value' has differences, not ratios; read `differences`")
        lower = 1.0
        upper = 1.0
        for number, side in enumerate(self.sides):
            corners = side.corners
            # A ratio of linear functions is extreme at vertices; of inputs it is the reverse.
            with np.errstate(divide="ignore", invalid="ignore"):
                quotients = corners[:, None, :] / corners[None, :, :]
                if number == 1:
                    quotients = 1.0 / quotients
            lower = lower * quotients.min(axis=2)
            upper = upper * quotients.max(axis=2)
        return self._pair_frame(lower, upper)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The least and greatest difference of two rows' scores, (row, other) x (least, most)."""
        if len(self.sides) > 1:
            raise DataError("a ratio of outputs to inputs has no differences; read `ratio_bounds`")
        corners = self.sides[0].corners
        # A linear function is extreme at vertices.
        gaps = corners[:, None, :] - corners[None, :, :]
        return self._pair_frame(gaps.min(axis=2), gaps.max(axis=2))

    def _pair_frame(self, lower: Any, upper: Any) -> pd.DataFrame:
        labels = self.ranks.index
        index = pd.MultiIndex.from_product([labels, labels], names=["row", "other"])
        return pd.DataFrame({"least": np.ravel(lower), "most": np.ravel(upper)}, index=index)

    @cached_property
    def regions(self) -> pd.DataFrame:
        """One row per first row: share, radius, the interval and the centroid of each weight."""
        records = {}
        for label, region in self.winning_regions.items():
            record: dict[str, Any] = {"share": region.share, "radius": region.radius}
            for name, (lower, upper) in region.intervals.iterrows():
                record |= {f"{name}_least": lower, f"{name}_most": upper}
                record |= {f"{name}_centroid": region.centroid[name]}
            record["neighbours"] = ", ".join(map(str, region.neighbours))
            records[label] = record
        frame = pd.DataFrame.from_dict(records, orient="index")
        frame.index.name = self.ranks.index.name
        return frame

    def region(self, name: Any) -> WinningRegion:
        """Return the weightings under which a row is first.

        Raises
        ------
        DataError
            If there is no such row, or it is never first.
        """
        self._check_label(name)
        if name not in self.winning_regions:
            if self.ranks.loc[name, "best"] > 1:
                raise DataError(
                    f"'{name}' is first at no weighting; its best rank is "
                    f"{self.ranks.loc[name, 'best']}"
                )
            raise DataError("a ratio of outputs to inputs has no regions; use model='value'")
        return self.winning_regions[name]

    def extreme_weights(self, name: Any, end: End = "best") -> pd.Series:
        """Return weights at which a row has its best or its worst rank; each side adds up to 1."""
        self._check_label(name)
        if end not in ("best", "worst"):
            raise DataError(f"end is '{end}'; write 'best' or 'worst'")
        row = self.ranks.index.get_loc(name)
        weights = [entry / sum(ray) for ray in self.evidence[end].weights[row] for entry in ray]
        return pd.Series(weights, index=self.metrics, name=name)

    def dominance_graph(self) -> nx.DiGraph:
        """Return who is at least as good at every weighting, without edges that others imply.

        Rows that are equal at every weighting are one node; its attribute `rows` lists them.
        """
        import networkx as nx

        dominates = self.dominance.to_numpy()
        equal = dominates & dominates.T
        # The first of equal rows stands for all of them.
        first = np.unique(equal.argmax(axis=1))
        strict = dominates[np.ix_(first, first)] & ~equal[np.ix_(first, first)]
        # An edge is implied where a path of two edges exists; float products count them fast.
        implied = strict.astype(np.float32) @ strict.astype(np.float32) > 0
        labels = self.ranks.index
        graph: nx.DiGraph = nx.DiGraph()
        for k in first:
            graph.add_node(labels[k], rows=tuple(labels[equal[k]]))
        edges = np.argwhere(strict & ~implied)
        graph.add_edges_from((labels[first[i]], labels[first[j]]) for i, j in edges)
        return graph

    def proof(self) -> Proof:
        """Recompute the claims in whole numbers; `deabench.certify` reads it."""
        proof: Proof = self._call("deabench.proofs.weightings", "prove_weightings")
        return proof

    def _check_label(self, name: Any) -> None:
        if name not in self.ranks.index:
            hint = did_you_mean(name, list(self.ranks.index))
            raise DataError(f"there is no row '{name}'; {hint}")
