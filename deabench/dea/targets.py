"""Closest targets: where on the frontier a classifier could get to with the least change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from deabench.checks import choice
from deabench.dea.certify import Proof
from deabench.dea.frontier import NORMS, Frontier, Norm, position, span
from deabench.errors import DataError
from deabench.progress import progress
from deabench.solve.nearest.closest import Found, by_milp, on_faces, on_facets
from deabench.solve.nearest.faces import Hull
from deabench.solve.nearest.points import distance
from deabench.tables.gate import check
from deabench.tables.text import csv_text

On = Literal["faces", "facets"]
Method = Literal["auto", "faces", "milp"]

FACES_METRICS = 6
"""Most metrics for which "auto" enumerates faces; above, Qhull's list explodes and the MILP takes over."""

CLAIMED = ("lambda_error", "beyond", "off", "gap_error", "distance_error")
"""The columns of a certificate that must be 0."""


@dataclass(frozen=True)
class Targets:
    """Closest targets on the frontier, with what proves them.

    Attributes
    ----------
    targets, gaps : DataFrame, n x metrics
        The target, and target minus actual; NaN where there is none, with the reason in `reasons`.
    distance : Series (n,)
        In the norm and weights asked for, in the metrics' own units.
    faces : Series of tuples
        The frontier's DMUs that span the face (or the extended facet) of the target.
    position : Series
        "inside", "on" or "outside" the frontier that was asked for.
    normals : DataFrame, n x metrics
        A normal of the face, positive throughout, with normal·target = 1: no reference DMU has normal·Y > 1.
    intensities : DataFrame, n x frontier DMUs
        λ; zero on the facets extended, where a target may lie beyond its facet's vertices.
    """

    targets: pd.DataFrame
    gaps: pd.DataFrame
    distance: pd.Series
    faces: pd.Series
    position: pd.Series
    normals: pd.DataFrame
    intensities: pd.DataFrame
    actual: pd.DataFrame
    frontier: Frontier
    norm: str
    weights: dict[str, float]
    on: str
    method: str
    reasons: dict[Any, str]
    notes: tuple[str, ...]

    @cached_property
    def peers(self) -> pd.DataFrame:
        """λ by frontier DMU; those that no target uses are left out."""
        return self.intensities.loc[:, (self.intensities > 0).any()]

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof of every target: see `recompute`."""
        return self.recompute()

    def recompute(self) -> pd.DataFrame:
        """The certificate, by numpy alone: one row per DMU.

        Returns
        -------
        DataFrame
            lambda_error : how far λ is from non-negative, from sum 1 and from giving the target (0 on facets extended);
            beyond : how far a reference DMU lies beyond the face's hyperplane; off : how far the target lies off it;
            least_weight : the smallest weight of the normal (positive proves the face Pareto-efficient);
            gap_error : how far the gaps are from target minus actual; distance_error : how far the distance is from
            their norm. In metrics scaled to about 1.
        """
        unit, front = self.frontier.unit, self.frontier.points.to_numpy()
        target, normal, lam = self.targets.to_numpy(), self.normals.to_numpy() * unit, self.intensities.to_numpy()
        weight = np.array([self.weights[name] for name in self.targets.columns])
        miss = np.abs(lam @ (front / unit) - target / unit).max(axis=1)
        miss = np.maximum.reduce([miss, np.abs(lam.sum(axis=1) - 1), -lam.min(axis=1)])
        size = np.abs(normal).max(axis=1)
        gaps = target - self.actual.to_numpy()
        length = np.array([distance(gap * weight, self.norm) for gap in gaps])
        frame = pd.DataFrame(
            {
                "lambda_error": miss if self.on == "faces" else np.where(np.isnan(miss), np.nan, 0.0),
                "beyond": np.maximum(((front / unit) @ normal.T).max(axis=0) - 1.0, 0.0) / size,
                "off": np.abs((target / unit * normal).sum(axis=1) - 1.0) / size,
                "least_weight": normal.min(axis=1),
                "gap_error": np.abs((self.gaps.to_numpy() - gaps) / unit).max(axis=1),
                "distance_error": np.abs(length - self.distance.to_numpy()) / np.maximum(np.abs(weight * unit).max(), 1e-300),
            },
            index=self.targets.index,
        )
        frame.loc[self.distance.isna()] = np.nan
        return frame

    def claims(self, certificate: pd.DataFrame) -> dict[str, np.ndarray]:
        """By how much each claim misses: what `deabench.certify` holds against its tolerance."""
        claims = {name: certificate[name].to_numpy() for name in CLAIMED}
        return claims | {"weight_that_is_not_positive": np.where(certificate["least_weight"] <= 0, 1.0, 0.0)}

    def proof(self) -> Proof:
        """The certificate with what each claim of it misses."""
        frame = self.recompute()
        return Proof(frame, self.claims(frame))

    def to_frame(self) -> pd.DataFrame:
        """`position`, `distance`, then `target_<metric>` columns, in the tested table's order."""
        frame = pd.DataFrame({"position": self.position, "distance": self.distance})
        frame.index.name = "classifier"
        return frame.join(self.targets.add_prefix("target_"))

    def to_csv(self, path: Any = None) -> str | None:
        """The frame as CSV: to the file `path`, written whole, or as text where there is none."""
        from deabench.files import write_whole

        text = csv_text(self.to_frame())
        if path is None:
            return text
        write_whole(path, text)
        return None

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw actual and target; see `deabench.plot.TargetsDisplay`."""
        from deabench.plot import TargetsDisplay

        return TargetsDisplay.from_targets(self).plot(ax=ax, **options)

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(escape=True)


def targets(
    tested: pd.DataFrame,
    reference: pd.DataFrame,
    *,
    outputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    norm: Norm = "l1",
    weights: Mapping[str, float] | None = None,
    on: On = "faces",
    common: bool = False,
    dominating: bool = False,
    method: Method = "auto",
    time_limit: float | None = None,
) -> Targets:
    """The closest targets of tested classifiers on the frontier that the reference classifiers span.

    Parameters
    ----------
    tested, reference : DataFrames
        Classifiers in rows. The tested ones may lie inside, on or outside the frontier.
    outputs, lower_is_better
        As for `deabench.frontier`.
    norm : {"l1", "l2", "linf"}
        How change is counted, in the metrics' own units times `weights` (1 each without them).
    on : {"faces", "facets"}
        "faces": the closest point of the Pareto-efficient faces, a mixture of real classifiers; "facets": of the boundary of
        the region below every full-dimensional Pareto-efficient facet, each extended beyond its vertices.
    common : bool
        One face (or facet) for all tested classifiers, that with the least total distance.
    dominating : bool
        No metric may get worse.
    method : {"auto", "faces", "milp"}
        Enumeration of faces, the normalised model (11), or whichever suits the number of metrics.
    time_limit : float, optional
        Seconds for each MILP.

    Raises
    ------
    DataError
        Where the data cannot be used, or the frontier asked for does not exist.
    SolveError
        Where a solve fails, or the time is up; it says what is proved by then.

    Notes
    -----
    Of several closest points one is returned: ties are common in L1. Model (11) of Chao et al. (2022); Aparicio, Ruiz, Sirvent
    (2007), J. Productivity Analysis 28:209-218; Ruiz, Sirvent (2016) for `common`.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1")
    >>> established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
    >>> db.targets(wine.loc[["RBF"]], established, outputs=["TPR", "TNR"]).distance.round(1).tolist()
    [51.5]
    """
    _choices(norm, on, method)
    spanning = check(reference, outputs=outputs, lower_is_better=lower_is_better, warn=False)
    with progress("targets", len(tested)) as advance:
        front = span(spanning)
        given = check(tested, outputs=front.outputs, lower_is_better=lower_is_better, warn=False)
        weight = _weights(weights, front.outputs)
        chosen = _method(method, on, norm, len(front.outputs))
        factor = np.array([weight[name] for name in front.outputs])
        weighed = _Weighed(front, factor, given.outputs.to_numpy())
        found, where = weighed.solve(norm, on, chosen, common, dominating, time_limit, given.labels, advance)
    return _result(front, given.outputs, found, factor, where, norm, on, chosen, spanning.notes)


class _Weighed:
    """The frontier and the tested points in coordinates where the weighted norm is plain, and about 1 in size."""

    def __init__(self, front: Frontier, factor: np.ndarray, values: np.ndarray) -> None:
        self.front = front
        stretch = factor * front.unit
        self.size = float(np.exp2(np.floor(np.log2(stretch.max()))))
        self.stretch = stretch / self.size
        hull = front.hull
        self.hull = Hull(hull.points * self.stretch, hull.normals / self.stretch, hull.on)
        self.points = values / front.unit * self.stretch

    def solve(self, norm: str, on: str, method: str, common: bool, dominating: bool, time_limit: float | None,
              labels: pd.Index, advance: Any) -> tuple[list[Found], np.ndarray]:
        hull, points = self.hull, self.points
        where = position(hull.normals, points)
        if on == "facets":
            full = hull.full
            if not full.any():
                raise DataError("the frontier has no full-dimensional Pareto-efficient facet to extend; use on='faces'")
            where = position(hull.normals[full], points)
            return on_facets(hull.normals[full], hull.on[full], points, norm, dominating=dominating, common=common), where
        names = [f"'{label}'" for label in labels]
        if method == "faces":
            return on_faces(hull, points, names, norm, dominating=dominating, common=common, advance=advance), where
        groups = [points] if common else [points[[k]] for k in range(len(points))]
        names = ["the group"] if common else names
        found = []
        for group, name in zip(groups, names, strict=True):
            found += by_milp(hull.points, group, norm, dominating=dominating, time_limit=time_limit, name=name,
                             unit=self.size)
            advance(len(group))
        return found, where


def _result(front: Frontier, actual: pd.DataFrame, found: list[Found], factor: np.ndarray, where: np.ndarray, norm: str,
            on: str, method: str, notes: tuple[str, ...]) -> Targets:
    stretch = factor * front.unit
    stretch = stretch / np.exp2(np.floor(np.log2(stretch.max())))
    labels, columns = actual.index, actual.columns
    points = np.array([f.point for f in found]) / stretch * front.unit
    normals = np.array([f.normal for f in found]) * stretch / front.unit
    lam = np.zeros((len(found), len(front.vertices)))
    for k, one in enumerate(found):
        lam[k, list(one.face)] = one.lam
    gaps = points - actual.to_numpy()
    lengths = [np.nan if np.isnan(gap).any() else distance(gap * factor, norm) for gap in gaps]
    missing = {labels[k]: "no point of the frontier dominates it" for k in range(len(found)) if np.isnan(lengths[k])}
    return Targets(
        targets=pd.DataFrame(points, index=labels, columns=columns),
        gaps=pd.DataFrame(gaps, index=labels, columns=columns),
        distance=pd.Series(lengths, index=labels, name="distance"),
        faces=pd.Series([tuple(front.vertices[k] for k in f.face) for f in found], index=labels, name="face", dtype=object),
        position=pd.Series(where, index=labels, name="position"),
        normals=pd.DataFrame(normals, index=labels, columns=columns),
        intensities=pd.DataFrame(lam, index=labels, columns=front.vertices),
        actual=actual,
        frontier=front,
        norm=norm,
        weights=dict(zip(columns, factor.tolist(), strict=True)),
        on=on,
        method=method,
        reasons=missing,
        notes=notes + _beyond_range(points, columns, labels, actual, front),
    )


def _beyond_range(points: np.ndarray, columns: pd.Index, labels: pd.Index, actual: pd.DataFrame,
                  front: Frontier) -> tuple[str, ...]:
    """Targets above 1 (or 100) in a metric whose data all stay below it, as extended facets can give."""
    out = []
    for r, name in enumerate(columns):
        top = max(actual[name].max(), front.points[name].max())
        limit = 1.0 if top <= 1 else 100.0
        for k in np.flatnonzero(points[:, r] > limit * (1 + 1e-12)):
            if top <= limit:
                out.append(f"the target of '{labels[k]}' in '{name}' is {points[k, r]:.4g}, beyond {limit:g}: "
                           "the extended facet leaves the metric's range")
    return tuple(out)


def _choices(norm: str, on: str, method: str) -> None:
    choice("norm", norm, NORMS)
    choice("on", on, get_args(On))
    choice("method", method, get_args(Method))


def _method(method: str, on: str, norm: str, metrics: int) -> str:
    if method == "milp" and on == "facets":
        raise DataError("method 'milp' finds targets on faces; use method 'faces' with on='facets'")
    if method == "milp" and norm == "l2":
        raise DataError("method 'milp' is linear and norm 'l2' is not; use method 'faces', or norm 'l1' or 'linf'")
    if method != "auto":
        return method
    return "faces" if on == "facets" or norm == "l2" or metrics <= FACES_METRICS else "milp"


def _weights(weights: Mapping[str, float] | None, outputs: list[str]) -> dict[str, float]:
    if weights is None:
        return dict.fromkeys(outputs, 1.0)
    for name, weight in weights.items():
        if name not in outputs:
            raise DataError(f"weights names '{name}', which is not an output; the outputs are {', '.join(outputs)}")
        if not (np.isfinite(weight) and weight > 0):
            raise DataError(f"the weight of '{name}' is {weight:g}; give a number above 0")
    missing = [name for name in outputs if name not in weights]
    if missing:
        raise DataError(f"weights has no '{missing[0]}'; give one for every output")
    return {name: float(weights[name]) for name in outputs}
