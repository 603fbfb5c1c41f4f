"""Hold the Pareto frontier of a table: its extreme DMUs, facets, faces, prices and certificate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry import faces, free_disposal
from deabench.geometry.faces import Hull
from deabench.geometry.projections import signed_distances
from deabench.results import prices
from deabench.results.proof import Proof
from deabench.tables.transforms import (
    Data,
    to_model_values,
    to_user_half_spaces,
    to_user_values,
)
from deabench.tables.validation import require_numbers
from deabench.utils.checks import choice
from deabench.utils.files import write_whole
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result

NORMS = ("l1", "l2", "linf")
ON_FRONTIER = 1e-9
"""A point is on the frontier within this distance, in boxed metrics."""


@dataclass(frozen=True)
class SourceSummary:
    """What a frontier knows of the rows it was made of, where `data` holds the extreme ones alone.

    Attributes
    ----------
    rows, left_out : int
        The number of rows, and how many of them were left out for a missing cell.
    minima, maxima : arrays (s,)
        The least and the greatest value of each metric over all rows, in the model's directions.
    tolerance : float
        No row's efficiency is above 1 + tolerance.
    files : ParquetFiles or None
        The files the rows can be read from again; None for rows from other sources.
    entered, removed : tuples of labels
        For a frontier that grew: the DMUs that are on it and were not, and those that were and are
        not any more.
    """

    rows: int
    left_out: int
    minima: np.ndarray
    maxima: np.ndarray
    tolerance: float = 0.0
    files: Any = None
    entered: tuple[Any, ...] = ()
    removed: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Result):
    """The Pareto frontier that the DMUs of a table span, with free disposal.

    With technology "fdh" mixtures of DMUs do not count: the frontier is the DMUs that no other
    dominates, it has no facets, and each of its faces is one of them.

    Attributes
    ----------
    extreme : list of labels
        E: the extreme efficient DMUs (with technology "fdh" all that are efficient), in the table's
        order; duplicates of one are all listed.
    vertices : list of labels
        E with each distinct point once.
    data : Data
        The validated table.
    origin, unit : arrays (s,)
        Boxed metrics are (metric - origin) / unit, between 1 and 3 over the table; who is efficient
        and what is closest do not depend on either.
    dominator : int array (n,)
        For each row of the table a row that is at least as good in every metric; the row itself
        where none dominates it.
    precomputed_hull : Hull or None
        Facets and faces in boxed metrics; points are numbered as in `vertices`, and members of
        simplices by their position in `undominated`. None for many metrics, until `hull` needs it.
    technology : {"convex", "fdh"}
        Whether mixtures of DMUs are attainable, or only DMUs.
    source_summary : SourceSummary or None
        What is known of rows that are not in `data`: for a frontier of files, or one that grew by
        `merge` or `update`.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> front = db.frontier(wine, outputs=["TPR", "TNR"])
    >>> front.extreme
    ['RUS+SVM', 'CS-MCQP', 'Bagging']
    >>> front.prices["rate"].round(2).tolist()
    [1.0, 1.0, 16.36, 0.06]
    """

    _text = "frontier"
    _display = "FrontierDisplay"

    extreme: list[Any]
    vertices: list[Any]
    data: Data
    origin: np.ndarray
    unit: np.ndarray
    dominator: np.ndarray
    precomputed_hull: Hull | None
    technology: Literal["convex", "fdh"] = "convex"
    source_summary: SourceSummary | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        return self.data.notes

    @property
    def outputs(self) -> list[str]:
        """The names of the metrics."""
        return list(self.data.outputs.columns)

    @cached_property
    def undominated(self) -> np.ndarray:
        """The positions of the rows that no other row dominates, duplicates once."""
        return np.flatnonzero(self.dominator == np.arange(len(self.dominator)))

    @cached_property
    def boxed_rows(self) -> np.ndarray:
        """The boxed metrics of the undominated rows."""
        return self.to_boxed(self.data.outputs.to_numpy()[self.undominated])

    @cached_property
    def hull(self) -> Hull:
        """The facets and faces, computed now if they were not.

        Raises
        ------
        DataError
            With technology "fdh": the free disposal hull has no facets.
        """
        if self.technology == "fdh":
            raise DataError(
                "the free disposal hull has no facets, because mixtures of its systems do not "
                "count; use technology='convex' for facets and prices"
            )
        if self.precomputed_hull is not None:
            return self.precomputed_hull
        # The vertices are known: their positions save Qhull the search for them.
        positions = self.data.labels.get_indexer(self.vertices)
        extreme = np.searchsorted(self.undominated, positions)
        return faces.build_hull(self.boxed_rows, extreme=extreme)

    def to_boxed(self, values: np.ndarray) -> np.ndarray:
        """Return points (n, s) in boxed metrics."""
        return np.asarray((values - self.origin) / self.unit)

    def unscale_normals(self, normals: np.ndarray) -> np.ndarray:
        """Return normals w (f, s) of boxed hyperplanes w·z = 1 as normals of the metrics.

        On the hyperplanes normal·Y = 1.
        """
        # w·(Y - origin)/unit = 1 is (w/unit)·Y = 1 + (w/unit)·origin; the division makes it 1.
        unscaled = normals / self.unit
        return np.asarray(unscaled / (1.0 + unscaled @ self.origin)[:, None])

    @cached_property
    def points(self) -> pd.DataFrame:
        """The metrics of `vertices`."""
        return to_user_values(self.vertex_outputs, self.data.transforms)

    @cached_property
    def vertex_outputs(self) -> pd.DataFrame:
        """The metrics of `vertices` in the model's directions: higher is better in all of them."""
        return self.data.outputs.loc[self.vertices]

    @cached_property
    def facets(self) -> pd.DataFrame:
        """One row per facet: the normal by metric, `offset`, `vertices`, `full_dimensional`.

        normal·Y ≤ offset for every attainable Y; a normal is negative where lower is better. A
        facet is full-dimensional if it is Pareto-efficient throughout; the others are flat in some
        metric.
        """
        # From boxed metrics to the model's, then to the user's directions.
        normals = pd.DataFrame(self.unscale_normals(self.hull.normals), columns=self.outputs)
        frame, offset = to_user_half_spaces(normals, 1.0, self.data.transforms)
        frame = frame.assign(offset=offset)
        frame["vertices"] = [
            tuple(self.vertices[k] for k in np.flatnonzero(on_facet))
            for on_facet in self.hull.incidence
        ]
        frame["full_dimensional"] = self.hull.efficient_facets
        frame.index.name = "facet"
        return frame

    @cached_property
    def faces(self) -> pd.DataFrame:
        """Every Pareto-efficient face of any dimension: `vertices`, `dimension`, `maximal`.

        A face is maximal if it lies in no larger one.
        """
        if self.technology == "fdh":
            # Without mixtures each classifier is a face of its own.
            vertices = [(label,) for label in self.vertices]
            frame = pd.DataFrame({"vertices": vertices, "dimension": 0, "maximal": True})
            return frame.rename_axis("face")
        maximal = set(self.hull.maximal_faces)
        # The largest faces first, then by the positions of their vertices.
        ordered = sorted(
            self.hull.list_faces().items(), key=lambda item: (-len(item[0]), sorted(item[0]))
        )
        rows = [
            (tuple(self.vertices[k] for k in sorted(face)), dimension, face in maximal)
            for face, dimension in ordered
        ]
        return pd.DataFrame(rows, columns=["vertices", "dimension", "maximal"]).rename_axis("face")

    @cached_property
    def graph(self) -> Any:
        """The facets as a networkx graph.

        Nodes carry `normal`, `offset`, `vertices`, `full_dimensional` and `trade_off` (how much of
        the second metric one unit of the first is worth, for every pair); edges are shared ridges,
        with the `vertices` that both facets have.
        """
        return prices.build_facet_graph(self.facets, self.outputs, self.vertices, self.hull)

    def to_graphml(self, path: str | Path) -> None:
        """Write the graph as GraphML, the whole file or nothing.

        GraphML cannot hold pairs and mappings: each becomes a text or several numbers.
        """
        write_whole(path, prices.format_graphml(self.graph))

    @cached_property
    def prices(self) -> pd.DataFrame:
        """What one unit of a metric costs in another along each facet that is efficient throughout.

        One row per facet and pair of metrics: `gain` (the metric that gets better by one unit),
        `pay` (the one that gets worse), `rate` (by how much) and `says`, the same in words.
        """
        return prices.compute_prices(self.graph, self.data.transforms)

    def cost_ranges(self, *, prevalence: float = 0.5) -> pd.DataFrame:
        """Return which classifier is cheapest for which ratio of misclassification costs.

        For a frontier in TPR and TNR. On a facet the expected cost of its two classifiers is equal
        where normal_TPR : normal_TNR = (cost of a false negative · prevalence) : (cost of a false
        positive · (1 − prevalence)).

        Parameters
        ----------
        prevalence : float in (0, 1)
            The share of positives where the classifier will be used.

        Returns
        -------
        DataFrame
            One row per classifier of the frontier, by rising TPR: it has the least expected cost
            for every ratio (false negative : false positive) from `from_ratio` to `to_ratio`.
        """
        if self.technology == "fdh":
            raise DataError(
                "cost ranges weigh mixtures of classifiers, which technology='fdh' leaves out; use "
                "technology='convex'"
            )
        return prices.compute_cost_ranges(self.points, prevalence)

    def locate(
        self, points: pd.DataFrame, *, norm: Literal["l1", "l2", "linf"] = "l2"
    ) -> pd.DataFrame:
        """Return whether points lie inside, on or outside the frontier, and how far from it.

        Parameters
        ----------
        points : DataFrame, n x metrics
        norm : {"l1", "l2", "linf"}
            The norm in which the distance to the boundary of the attainable set (weakly efficient
            parts included) is measured, in the metrics' own units.

        Returns
        -------
        DataFrame
            `position` ("inside", "on" or "outside") and the signed `distance`: below 0 inside,
            above 0 outside. Both are exact up to rounding; a location has no certificate of its
            own.
        """
        choice("norm", norm, NORMS)
        # Positions are decided in boxed metrics, distances measured in the metrics' own units.
        values = self.point_values(points)
        boxed = self.to_boxed(values)
        if self.technology == "fdh":
            vertices = self.vertex_outputs.to_numpy()
            position = free_disposal.classify_positions(self.to_boxed(vertices), boxed)
            distance = free_disposal.signed_distances(vertices, values, norm)
        else:
            position = classify_positions(self.hull.normals, boxed)
            distance = signed_distances(self.hull.normals, boxed, self.unit, norm)
        return pd.DataFrame({"position": position, "distance": distance}, index=points.index)

    def point_values(self, points: pd.DataFrame) -> np.ndarray:
        """Return the frontier's metrics (n, s) of other points, in the model's directions.

        Raises
        ------
        DataError
            If a metric is missing or a cell is not a finite number.
        """
        for name in self.outputs:
            if name not in points.columns:
                raise DataError(
                    f"the points have no column '{name}'; the frontier is in "
                    f"{', '.join(self.outputs)}"
                )
        numbers = require_numbers(points, self.outputs)
        return np.asarray(to_model_values(numbers, self.data.transforms).to_numpy())

    def to_frame(self) -> pd.DataFrame:
        """Return the classifiers of the frontier with their metrics."""
        frame = to_user_values(self.data.outputs.loc[self.extreme], self.data.transforms)
        return with_classifier_index(frame)

    @property
    def entered(self) -> tuple[Any, ...]:
        """For a frontier that grew, the DMUs that are on it and were not before."""
        return () if self.source_summary is None else self.source_summary.entered

    @property
    def removed(self) -> tuple[Any, ...]:
        """For a frontier that grew, the DMUs that were on it and are not any more."""
        return () if self.source_summary is None else self.source_summary.removed

    def merge(self, other: Frontier) -> Frontier:
        """Return the frontier of the rows of both, computed from the extreme rows of each.

        Parameters
        ----------
        other : Frontier in the same metrics

        Returns
        -------
        Frontier
            The frontier of all rows together, this one's first; `entered` and `removed` name the
            DMUs that have come and gone, `data` holds the DMUs that are on it.

        Raises
        ------
        DataError
            If the metrics differ, or a name is on both frontiers.
        """
        merged: Frontier = self._call("deabench.streaming.frontier", "merge_frontiers", other)
        return merged

    def update(self, rows: object) -> Frontier:
        """Return the frontier after some more rows, without reading the others again.

        Parameters
        ----------
        rows : DataFrame, or anything that `deabench.read` takes
            With the frontier's metrics in the user's own units.

        Returns
        -------
        Frontier
            See `merge`.

        Raises
        ------
        DataError
            If a cell cannot be used, or a name is on the frontier already.

        Examples
        --------
        >>> import deabench as db
        >>> wine = db.datasets.load("chao2022-wine1")
        >>> front = db.frontier(wine.drop(index="MLP"), outputs=["TPR", "TNR"])
        >>> front = front.update(wine.loc[["MLP"]])
        >>> front.entered, front.removed
        (('MLP',), ('RUS+SVM', 'CS-MCQP', 'Bagging'))
        """
        updated: Frontier = self._call("deabench.streaming.frontier", "update_frontier", rows)
        return updated

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof that nothing is missing and nothing wrong: see `deabench.proofs.frontier`."""
        return self.recompute()

    def recompute(self) -> pd.DataFrame:
        """Recompute the certificate by numpy alone: one row of what each claim misses by."""
        # Without facets the proof compares all pairs of rows.
        module, function = "deabench.proofs.frontier", "certify_frontier"
        if self.technology == "fdh":
            module, function = "deabench.proofs.fdh", "certify_fdh_frontier"
        certificate: pd.DataFrame = self._call(module, function)
        return certificate

    def proof(self) -> Proof:
        """Return the certificate with what each of its claims misses by."""
        self._call("deabench.proofs.structure", "check_frontier")
        frame = self.recompute()
        proof = Proof(frame, {str(name): frame[name].to_numpy(dtype=float) for name in frame})
        if self.source_summary is None:
            return proof
        # Rows that are not in `data` are read again from their files.
        verified: Proof = self._call("deabench.streaming.verify", "verify_sources", proof)
        return verified

    @property
    def reasons(self) -> dict[Any, str]:
        """No DMU is without an answer."""
        return {}


def representative_rows(values: np.ndarray, dominator: np.ndarray) -> np.ndarray:
    """Return for each row (n, s) the dominator that equals it; -1 for rows that are dominated."""
    # A row without a dominator is its own; a duplicate has the first of its kind.
    equal = (values == values[dominator]).all(axis=1)
    return np.where(equal, dominator, -1)


def classify_positions(normals: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return "inside", "on" or "outside" of {w·z ≤ 1 for all normals w} for boxed points (n, s)."""
    # The normal that is exceeded most decides.
    excess = (points @ normals.T).max(axis=1) - 1.0
    off_frontier = np.where(excess > 0, "outside", "inside")
    return np.where(np.abs(excess) <= ON_FRONTIER, "on", off_frontier)
