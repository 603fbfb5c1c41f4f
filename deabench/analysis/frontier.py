"""The frontier of a table: its extreme classifiers, its facets as a graph, and where a point lies
to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from deabench.analysis import tradeoffs
from deabench.errors import DataError
from deabench.geometry import faces, free_disposal
from deabench.geometry.dominance import dominators
from deabench.geometry.faces import Hull
from deabench.models.base import Norm, Technology
from deabench.proofs import fdh as proving_free
from deabench.proofs import frontier as proving
from deabench.proofs import structure
from deabench.proofs.proof import Proof
from deabench.streaming.files import is_many
from deabench.streaming.source_summary import Seen
from deabench.tables.read import read
from deabench.tables.selection import Missing, select_table
from deabench.tables.transforms import (
    AffineTransform,
    Data,
    to_model_values,
    to_outputs_only,
    to_user_half_spaces,
    to_user_values,
)
from deabench.tables.validation import Allowed, require_numbers, validate
from deabench.utils.arrays import box
from deabench.utils.checks import choice
from deabench.utils.progress import progress
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import FrontierDisplay

NORMS: tuple[Norm, ...] = get_args(Norm)
HULL: tuple[Allowed, ...] = ("zero inputs", "zero outputs", "negative inputs", "negative outputs")
"""What the hull of a table can do with: its faces do not depend on the origin."""
ON = 1e-9
"""A point is on the frontier within this, in boxed metrics."""
NAMED = 5
"""Classifiers that a summary names."""


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Result):
    """The Pareto frontier that the DMUs of a table span, with free disposal.

    With technology "fdh" nothing lies between them: the frontier is the DMUs that no other
    dominates, it has no facets, and each of its faces is one of them.

    Attributes
    ----------
    extreme : list of labels
        E: the extreme efficient DMUs (with technology "fdh" all that are efficient), in the table's
        order; duplicates of one are all listed.
    vertices : list of labels
        E with each distinct point once.
    data : Data
        The table as it passed the gate.
    origin, unit : arrays (s,)
        Boxed metrics are (metric - origin) / unit, between 1 and 3 over the table; who is efficient
        and what is closest do not depend on either.
    dominator : int array (n,)
        For each row of the table one that is nowhere below it, itself where none dominates it.
    listed : Hull or None
        Facets and faces in boxed metrics; points are numbered as in `vertices`, and members of
        simplices by their place among the rows that are their own dominators. None until they are
        needed, where there are many metrics: see `hull`.
    technology : {"convex", "fdh"}
        Whether mixtures of DMUs are on it, or only DMUs.
    seen : Seen or None
        What is known of rows that are not in `data`, of a frontier of files or one that has grown:
        see `merge` and `update`.

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

    extreme: list[Any]
    vertices: list[Any]
    data: Data
    origin: np.ndarray
    unit: np.ndarray
    dominator: np.ndarray
    listed: Hull | None
    technology: Technology = "convex"
    seen: Seen | None = None

    @cached_property
    def hull(self) -> Hull:
        """The facets and faces, listed now if they were not.

        Raises
        ------
        DataError
            Where mixtures do not count: the free disposal hull has no facets.
        """
        if self.technology == "fdh":
            raise DataError(
                "the free disposal hull has no facets, for nothing lies between its classifiers; use "
                "technology='convex' for what facets tell"
            )
        if self.listed is not None:
            return self.listed
        where = self.data.labels.get_indexer(self.vertices)
        return faces.hull(self.rows, extreme=np.searchsorted(self.kept, where))

    @cached_property
    def kept(self) -> np.ndarray:
        """The rows of the table that are their own dominators."""
        return np.flatnonzero(self.dominator == np.arange(len(self.dominator)))

    @cached_property
    def rows(self) -> np.ndarray:
        """Their boxed metrics."""
        return self.boxed(self.data.outputs.to_numpy()[self.kept])

    @property
    def notes(self) -> tuple[str, ...]:
        return self.data.notes

    def boxed(self, values: np.ndarray) -> np.ndarray:
        """Points (n, s) in boxed metrics."""
        return np.asarray((values - self.origin) / self.unit)

    def plain(self, normals: np.ndarray) -> np.ndarray:
        """Normals w (f, s) of boxed hyperplanes w·z = 1 as normals of the metrics themselves, with
        normal·Y = 1 on them.
        """
        own = normals / self.unit
        return np.asarray(own / (1.0 + own @ self.origin)[:, None])

    @property
    def outputs(self) -> list[str]:
        return list(self.data.outputs.columns)

    @cached_property
    def points(self) -> pd.DataFrame:
        """The metrics of `vertices`."""
        return to_user_values(self.corners, self.data.transforms)

    @cached_property
    def corners(self) -> pd.DataFrame:
        """The metrics of `vertices` as they are inside, all to be high."""
        return self.data.outputs.loc[self.vertices]

    @cached_property
    def facets(self) -> pd.DataFrame:
        """One row per facet: the normal by metric (normal·Y ≤ offset for every attainable Y;
        negative where lower is better), `offset`, `vertices`, `full_dimensional` (Pareto-efficient
        throughout; the others are flat in some metric).
        """
        inside = pd.DataFrame(self.plain(self.hull.normals), columns=self.outputs)
        frame, offset = to_user_half_spaces(inside, 1.0, self.data.transforms)
        frame = frame.assign(offset=offset)
        frame["vertices"] = [
            tuple(self.vertices[k] for k in np.flatnonzero(row)) for row in self.hull.on
        ]
        frame["full_dimensional"] = self.hull.full
        frame.index.name = "facet"
        return frame

    @cached_property
    def faces(self) -> pd.DataFrame:
        """Every Pareto-efficient face of any dimension: `vertices`, `dimension`, `maximal` (in no
        larger one).
        """
        if self.technology == "fdh":
            single = {
                "vertices": [(label,) for label in self.vertices],
                "dimension": 0,
                "maximal": True,
            }
            return pd.DataFrame(single).rename_axis("face")
        maximal = set(self.hull.maximal)
        rows = [
            (tuple(self.vertices[k] for k in sorted(face)), dimension, face in maximal)
            for face, dimension in sorted(
                self.hull.faces().items(), key=lambda item: (-len(item[0]), sorted(item[0]))
            )
        ]
        return pd.DataFrame(rows, columns=["vertices", "dimension", "maximal"]).rename_axis("face")

    @cached_property
    def graph(self) -> Any:
        """The facets as a networkx graph: nodes carry `normal`, `offset`, `vertices`,
        `full_dimensional` and `trade_off` (how much of the second metric one unit of the first is
        worth, for every pair); edges are shared ridges, with the `vertices` that both facets have.
        """
        return tradeoffs.graph(self.facets, self.outputs, self.vertices, self.hull)

    def to_graphml(self, path: str | Path) -> None:
        """Write the graph as GraphML, whole; what GraphML cannot hold (pairs, mappings) becomes
        text or a number each.
        """
        from deabench.utils.files import write_whole

        write_whole(path, tradeoffs.graphml(self.graph))

    def locate(self, points: pd.DataFrame, *, norm: Norm = "l2") -> pd.DataFrame:
        """Where points lie to the frontier.

        Parameters
        ----------
        points : DataFrame, n x metrics
        norm : {"l1", "l2", "linf"}
            In which the distance to the boundary of the attainable set (weakly efficient parts
            included) is measured, in the metrics' own units.

        Returns
        -------
        DataFrame
            `position` ("inside", "on" or "outside") and the signed `distance`: below 0 inside,
            above 0 outside. Both are exact up to rounding; a location has no certificate of its
            own.
        """
        from deabench.geometry.nearest_facets import signed_distance

        known(norm)
        values = self.values(points)
        boxed = self.boxed(values)
        if self.technology == "fdh":
            corners = self.corners.to_numpy()
            return pd.DataFrame(
                {
                    "position": free_disposal.position(self.boxed(corners), boxed),
                    "distance": free_disposal.signed_distance(corners, values, norm),
                },
                index=points.index,
            )
        distance = signed_distance(self.hull.normals, boxed, self.unit, norm)
        return pd.DataFrame(
            {"position": position(self.hull.normals, boxed), "distance": distance},
            index=points.index,
        )

    def values(self, points: pd.DataFrame) -> np.ndarray:
        """The frontier's metrics of other points, checked."""
        missing = [name for name in self.outputs if name not in points.columns]
        if missing:
            raise DataError(
                f"the points have no column '{missing[0]}'; the frontier is in {', '.join(self.outputs)}"
            )
        return np.asarray(
            to_model_values(require_numbers(points, self.outputs), self.data.transforms).to_numpy()
        )

    def to_frame(self) -> pd.DataFrame:
        """The classifiers of the frontier with their metrics."""
        frame = to_user_values(self.data.outputs.loc[self.extreme], self.data.transforms)
        frame.index.name = "classifier"
        return frame

    def summary(self) -> str:
        """Who is on it, and what it is made of."""
        what = (
            "extreme on the frontier"
            if self.technology == "convex"
            else "on the frontier without mixtures (free disposal hull)"
        )
        count = len(self.data.labels) if self.seen is None else self.seen.rows - self.seen.left_out
        said = (
            f"{len(self.extreme)} of {count:,} classifiers are {what} of "
            f"{', '.join(self.outputs)}: {', '.join(repr(name) for name in self.extreme[:NAMED])}"
        )
        said += f" and {len(self.extreme) - NAMED} more" if len(self.extreme) > NAMED else ""
        if self.technology == "fdh":
            return said
        if self.listed is None:
            return said + ". Its facets are not listed yet"
        said += f". It has {len(self.hull.normals)} facets, {int(self.hull.full.sum())} of them efficient throughout"
        return (
            f"{said}; {self._costs()}" if self.hull.full.any() and len(self.outputs) == 2 else said
        )

    def _costs(self) -> str:
        """With two metrics, whose facets are few: what the first costs in the second, over all
        facets.
        """
        gain, pay = self.outputs
        rates = self.prices.loc[self.prices["gain"] == gain, "rate"]
        one = (
            "one less" if self.data.transforms.get(gain, AffineTransform()).sign < 0 else "one more"
        )
        span_ = (
            f"{rates.min():.4g}" if len(rates) == 1 else f"{rates.min():.4g} to {rates.max():.4g}"
        )
        return f"{one} of '{gain}' costs {span_} of '{pay}'"

    @property
    def entered(self) -> tuple[Any, ...]:
        """Of a frontier that grew, who is on it that was not before."""
        return () if self.seen is None else self.seen.entered

    @property
    def left(self) -> tuple[Any, ...]:
        """Of a frontier that grew, who was on it and is not any more."""
        return () if self.seen is None else self.seen.left

    def merge(self, other: Frontier) -> Frontier:
        """The frontier of the rows of both, without a look at those that are on neither.

        Parameters
        ----------
        other : Frontier in the same metrics

        Returns
        -------
        Frontier
            As of all rows together, those of this one first; `entered` and `left` say who has come
            and gone, `data` holds those that are on it.

        Raises
        ------
        DataError
            Where the metrics are others, or a classifier of both has one name.
        """
        from deabench.streaming.growth import merged

        return merged(self, other)

    def update(self, rows: object) -> Frontier:
        """The frontier after some rows more: a leaderboard grows without a look at the others
        again.

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
            Where a cell cannot be used, or a name is on the frontier already.

        Examples
        --------
        >>> import deabench as db
        >>> wine = db.datasets.load("chao2022-wine1")
        >>> front = db.frontier(wine.drop(index="MLP"), outputs=["TPR", "TNR"]).update(wine.loc[["MLP"]])
        >>> front.entered, front.left
        (('MLP',), ('RUS+SVM', 'CS-MCQP', 'Bagging'))
        """
        from deabench.streaming.growth import updated

        return updated(self, rows)

    def plot(self, ax: Axes | None = None) -> FrontierDisplay:  # type: ignore[override]
        """Draw the frontier of two metrics; see `deabench.plot.FrontierDisplay`."""
        from deabench.plot import FrontierDisplay

        return FrontierDisplay.from_result(self).plot(ax)

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof that nothing is missing and nothing wrong: see `deabench.proofs.frontier`."""
        return self.recompute()

    def recompute(self) -> pd.DataFrame:
        """The certificate, by numpy alone: one row."""
        return (
            proving_free.frontier(self) if self.technology == "fdh" else proving.certificate(self)
        )

    def proof(self) -> Proof:
        """The certificate with what each claim of it misses."""
        structure.frontier(self)
        frame = self.recompute()
        proof = Proof(frame, {str(name): frame[name].to_numpy(dtype=float) for name in frame})
        if self.seen is None:
            return proof
        from deabench.streaming.verify import completed

        return completed(self, proof)

    @property
    def reasons(self) -> dict[Any, str]:
        return {}

    @cached_property
    def prices(self) -> pd.DataFrame:
        """What one unit of a metric costs in another along each facet that is efficient throughout,
        as numbers and in words.

        One row per facet and pair of metrics: `gain` (the metric that gets better by one unit),
        `pay` (the one that gets worse), `rate` (by how much) and `says`."""
        return tradeoffs.prices(self.graph, self.data.transforms)

    def cost_ranges(self, *, prevalence: float = 0.5) -> pd.DataFrame:
        """Which classifier to use for which ratio of misclassification costs; for a frontier in TPR
        and TNR.

        On a facet the expected cost of its two classifiers is equal where normal_TPR : normal_TNR =
        (cost of a false negative · prevalence) : (cost of a false positive · (1 − prevalence)).

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
                "cost ranges weigh mixtures of classifiers, which technology 'fdh' leaves out; use 'convex'"
            )
        return tradeoffs.cost_ranges(self.points, prevalence)


def frontier(
    table: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    missing: Missing = "refuse",
    technology: Technology = "convex",
    label: str | Sequence[str] | None = None,
    tolerance: float = 0.0,
    kept: str | Path | None = None,
    scheduler: str | None = None,
) -> Frontier:
    """The Pareto frontier of a table: the best trade-offs between its metrics that its DMUs and
    their mixtures reach.

    Parameters
    ----------
    table : DataFrame, a `deabench.read` reading, or anything that `deabench.read` takes
    outputs, inputs : sequences of column names, optional
        Metrics to be high, and costs, which span the frontier together under variable returns to
        scale. Without them the columns' names decide.
    lower_is_better : mapping, or sequence of column names
        `{"error": 1.0}` complements a metric to its known maximum, `{"logloss": "input"}` makes it
        a cost; of bare names the vocabulary decides.
    missing : {"refuse", "drop-systems", "drop-metrics"}
        What happens to empty cells.
    technology : {"convex", "fdh"}
        Whether mixtures of DMUs count (two classifiers, or two endpoints, may share the work), or
        only what is there, the free disposal hull (a mixture of two sizes of a model is no model):
        its frontier is the DMUs that no other dominates.
    label : column name, or sequence of them, optional
        What names the rows of a file or of many; the first column of text without it.
    tolerance, kept, scheduler
        Of many Parquet files only (a pattern such as "sweep/*.parquet", or a folder), which are
        read once, in fixed memory: rows whose efficiency is not above 1 + `tolerance` may be left
        off; `kept` is a folder where what is done stays, so that a stopped run goes on; `scheduler`
        is the address of a Dask cluster that reads them.

    Raises
    ------
    DataError
        Where the data cannot be used.

    Notes
    -----
    Of many files the answer is that of one table of all their rows, in the order of the files'
    names, but that `data` and `extreme` hold the rows of the frontier alone, and of rows that are
    alike the first.

    Examples
    --------
    >>> import deabench as db
    >>> front = db.frontier(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    >>> front.extreme
    ['MLP']
    """
    choice("technology", technology, get_args(Technology))
    if is_many(table):
        from deabench.streaming.frontier import frontier_of_files, way_of

        if inputs or technology != "convex":
            raise DataError(
                "files are read for the frontier of outputs and their mixtures; leave out inputs and technology, or "
                "give one table that fits in memory"
            )
        return frontier_of_files(
            table,
            way_of(tolerance, kept, scheduler),
            outputs=outputs,
            lower_is_better=lower_is_better,
            label=label,
            missing=missing,
        )
    if tolerance or kept is not None or scheduler is not None:
        raise DataError(
            "tolerance, kept and scheduler are of many files; give a pattern, as 'sweep/*.parquet', or leave them out"
        )
    table = table if label is None else read(table, label=label)
    ready = select_table(
        table, outputs=outputs, inputs=inputs, lower_is_better=lower_is_better, missing=missing
    )
    data = validate(ready.table, **ready.given, allow=HULL)
    with progress("frontier", None):
        return span(
            replace(to_outputs_only(data), notes=(*ready.notes, *data.notes, *unmixed(technology))),
            technology=technology,
        )


def unmixed(technology: Technology) -> tuple[str, ...]:
    """What is said where mixtures do not count."""
    return (
        ()
        if technology == "convex"
        else (
            "mixtures do not count (technology='fdh'): the frontier is the classifiers that no other dominates",
        )
    )


def span(data: Data, *, facets: bool = True, technology: Technology = "convex") -> Frontier:
    """The frontier of data that have passed the gate; without `facets`, which explode with the
    metrics, its DMUs only.
    """
    values = data.outputs.to_numpy()
    zero = ~values.any(axis=0)
    if zero.any():
        raise DataError(
            f"metric '{data.outputs.columns[int(np.argmax(zero))]}' is 0 for every DMU; leave it out"
        )
    origin, unit = box(values)
    boxed, dominator = (values - origin) / unit, dominators(values)
    kept = np.flatnonzero(dominator == np.arange(len(values)))
    found = faces.hull(boxed[kept]) if facets and technology == "convex" else None
    where = (
        kept
        if technology == "fdh"
        else kept[faces.extreme(boxed[kept]) if found is None else found.rows]
    )
    return Frontier(
        extreme=data.labels[np.isin(first_alike(values, dominator), where)].tolist(),
        vertices=data.labels[where].tolist(),
        data=data,
        origin=origin,
        unit=unit,
        dominator=dominator,
        listed=found,
        technology=technology,
    )


def first_alike(values: np.ndarray, dominator: np.ndarray) -> np.ndarray:
    """The dominator of each row that equals it; -1 of the others."""
    return np.where((values == values[dominator]).all(axis=1), dominator, -1)


def position(normals: np.ndarray, boxed: np.ndarray) -> np.ndarray:
    """ "inside", "on" or "outside" of {w·z ≤ 1 for all normals}, for boxed points."""
    excess = (boxed @ normals.T).max(axis=1) - 1.0
    return np.where(np.abs(excess) <= ON, "on", np.where(excess > 0, "outside", "inside"))


def known(norm: str) -> None:
    choice("norm", norm, NORMS)
