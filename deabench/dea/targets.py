"""Closest targets: where on the frontier a classifier could get to with the least change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from deabench.checks import choice
from deabench.dea.frontier import HULL, NORMS, ON, Frontier, Norm, position, span
from deabench.dea.proofs import parts
from deabench.dea.proofs import targets as proving
from deabench.dea.proofs.proof import Proof
from deabench.errors import DataError
from deabench.progress import progress
from deabench.results import Result
from deabench.solve.nearest.closest import Found, on_faces, on_facets
from deabench.solve.nearest.milp import Clock, by_milp
from deabench.solve.nearest.points import depths, distance
from deabench.tables.gate import Data, check
from deabench.tables.high import high, mixed_units
from deabench.tables.preparation import prepared, table_of
from deabench.tables.turns import changes_outside, values_inside, values_outside
from deabench.tables.units import same_units

On = Literal["faces", "facets"]
Method = Literal["auto", "faces", "milp"]

FACES_METRICS = 6
"""Most metrics for which "auto" enumerates faces; above, Qhull's list explodes and the MILP takes over."""

SIGNED = ("gaps", "normals", "slopes")
"""Frames of differences, whose sign alone is turned."""
CLAIMED = proving.CLAIMED
"""The columns of a certificate that must be 0."""
NOWHERE = "no point of the frontier dominates it"
NOWHERE_TOGETHER = "no one face of the frontier has points that dominate all of the tested"


@dataclass(frozen=True, eq=False, repr=False)
class Targets(Result):
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
        A normal of the face, negative where lower is better and positive elsewhere: no reference DMU has a greater normal·Y
        than the target. Where no metric is turned, normal·target = 1.
    intensities : DataFrame, n x frontier DMUs
        λ; zero on the facets extended, where a target may lie beyond its facet's vertices.
    slopes : DataFrame, metrics as columns, any number of rows per DMU
        What proves a target the closest: no point of a face with vertices v is nearer than the least slope·(v - actual). See
        docs/proofs.md.
    common, dominating : bool
        As asked for.
    unproved : tuple of str
        What `deabench.certify` does not prove of this result, in words; empty where it proves everything.
    """

    targets: pd.DataFrame
    gaps: pd.DataFrame
    distance: pd.Series
    faces: pd.Series
    position: pd.Series
    normals: pd.DataFrame
    intensities: pd.DataFrame
    slopes: pd.DataFrame
    actual: pd.DataFrame
    frontier: Frontier
    norm: str
    weights: dict[str, float]
    on: str
    method: str
    common: bool
    dominating: bool
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

    @cached_property
    def unproved(self) -> tuple[str, ...]:
        return proving.unproved(self.inside)

    @cached_property
    def inside(self) -> Targets:
        """The same with every metric to be high, as the solver had it; what is proved is proved there."""
        turns = self.frontier.data.turns
        return self if not turns else replace(
            self, targets=values_inside(self.targets, turns), actual=values_inside(self.actual, turns),
            **{name: changes_outside(getattr(self, name), turns) for name in SIGNED})

    def recompute(self) -> pd.DataFrame:
        """The certificate, by numpy alone, one row per DMU: see `deabench.dea.proofs.targets.certificate`."""
        return proving.certificate(self.inside)

    def claims(self, certificate: pd.DataFrame) -> dict[str, np.ndarray]:
        """By how much each claim misses: what `deabench.certify` holds against its tolerance."""
        return proving.claims(self.inside, certificate)

    def summary(self) -> str:
        """How far the tested are, who is nearest, and what is not proved."""
        known_ = self.distance.dropna()
        said = [f"{len(known_)} of {len(self.distance)} classifiers have a target"]
        if len(known_):
            said[0] += (f"; the nearest is '{known_.idxmin()}' at {known_.min():.4g}, "
                        f"the farthest '{known_.idxmax()}' at {known_.max():.4g}")
        said[0] += f" ({self.norm} distance on {self.on})"
        said += [f"'{label}' has none: {reason}" for label, reason in list(self.reasons.items())[:3]]
        return ". ".join([*said, *self.unproved]) + "."

    def proof(self) -> Proof:
        """The certificate with what each claim of it misses."""
        parts.targets(self)
        frame = self.recompute()
        return Proof(frame, self.claims(frame), self.unproved)

    def to_frame(self) -> pd.DataFrame:
        """`position`, `distance`, then `target_<metric>` columns, in the tested table's order."""
        frame = pd.DataFrame({"position": self.position, "distance": self.distance})
        frame.index.name = "classifier"
        return frame.join(self.targets.add_prefix("target_"))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw actual and target; see `deabench.plot.TargetsDisplay`."""
        from deabench.plot import TargetsDisplay

        return TargetsDisplay.from_targets(self).plot(ax=ax, **options)


def targets(
    tested: object,
    reference: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    norm: Norm = "l1",
    weights: Mapping[str, float] | Literal["range"] | None = None,
    on: On = "faces",
    common: bool = False,
    dominating: bool = False,
    method: Method = "auto",
    time_limit: float | None = None,
) -> Targets:
    """The closest targets of tested classifiers on the frontier that the reference classifiers span.

    Parameters
    ----------
    tested, reference : DataFrames, readings, or anything that `deabench.read` takes
        Classifiers in rows. The tested ones may lie inside, on or outside the frontier.
    outputs, inputs, lower_is_better
        As for `deabench.frontier`.
    norm : {"l1", "l2", "linf"}
        How change is counted, in the metrics' own units times `weights`.
    weights : mapping of metric to number, or "range", optional
        "range": each metric's change in shares of its range in the reference. Without weights 1 each, or "range" where units
        differ, which is said.
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
        Seconds for all MILPs of this call together.

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
    clock = Clock(time_limit)
    given, spanning, costs, notes = _both(tested, reference, outputs, inputs, lower_is_better)
    with progress("targets", len(given.labels)) as advance:
        chosen = _method(method, on, norm, spanning.outputs.shape[1])
        front = span(spanning, facets=chosen == "faces" or spanning.outputs.shape[1] <= FACES_METRICS)
        weight, said = _weights(weights, front, costs)
        asked = _Asked(front, np.array([weight[name] for name in front.outputs]), norm, common, dominating)
        points = front.boxed(given.outputs.to_numpy())
        if on == "facets":
            found, where = asked.facets(points)
        elif chosen == "faces":
            names = [f"'{label}'" for label in given.labels]
            found = on_faces(front.hull, points, names, norm, asked.stretch, dominating=dominating, common=common, advance=advance)
            where = position(front.hull.normals, points)
        else:
            found, where = asked.milp(points, given.labels, clock, advance)
    return _outside(asked.result(given.outputs, found, where, on, chosen), (*notes, *said))


def _both(tested: object, reference: object, outputs: Sequence[str] | None, inputs: Sequence[str] | None,
          lower_is_better: Mapping[str, object] | Sequence[str]) -> tuple[Data, Data, list[str], tuple[str, ...]]:
    """The tested and the reference past the gate, all metrics to be high and turned alike; the costs among them; notes."""
    ready = prepared(reference, outputs=outputs, inputs=inputs, lower_is_better=lower_is_better)
    points = table_of(tested)
    if isinstance(points, pd.DataFrame):
        same_units(points, ready.table, list(ready.given["outputs"]))
    spanning = check(ready.table, **ready.given, warn=False, allow=HULL, among=points)
    asked = check(points, **ready.given, warn=False, allow=HULL, among=ready.table)
    costs = [str(name) for name in spanning.inputs.columns]
    spanning = high(spanning)
    asked = high(asked, spanning.turns)
    notes = ready.notes if not costs else (
        *ready.notes, "with costs, mixtures of reference DMUs have weights that add up to 1 (variable returns to scale)")
    return replace(asked, outputs=asked.outputs[list(spanning.outputs.columns)]), spanning, costs, notes


def _outside(found: Targets, notes: tuple[str, ...]) -> Targets:
    """Targets in the user's own metrics and directions."""
    turns = found.frontier.data.turns
    found = replace(found, notes=(*notes, *found.notes))
    return found if not turns else replace(
        found, targets=values_outside(found.targets, turns), actual=values_outside(found.actual, turns),
        **{name: changes_outside(getattr(found, name), turns) for name in SIGNED})


class _Asked:
    """What is asked of which frontier. In boxed metrics the weights (s,) of the norm are `stretch`, at most about 1; a distance
    there is `size` times smaller than in the metrics' own units."""

    def __init__(self, front: Frontier, factor: np.ndarray, norm: str, common: bool, dominating: bool) -> None:
        self.front, self.factor, self.norm, self.common, self.dominating = front, factor, norm, common, dominating
        self.size, self.stretch = proving.stretched(factor, front.unit)

    def facets(self, points: np.ndarray) -> tuple[list[Found], np.ndarray]:
        """On the facets extended: the targets, and where the points lie to their region."""
        hull = self.front.hull
        if not hull.full.any():
            raise DataError("the frontier has no full-dimensional Pareto-efficient facet to extend; use on='faces'")
        normals = hull.normals[hull.full]
        found = on_facets(normals, hull.on[hull.full], points, self.norm, self.stretch, dominating=self.dominating,
                          common=self.common)
        return found, position(normals, points)

    def milp(self, points: np.ndarray, labels: pd.Index, clock: Clock, advance: Any) -> tuple[list[Found], np.ndarray]:
        """By the normalised (11)."""
        corners = self.front.boxed(self.front.corners.to_numpy())
        groups = [points] if self.common else [points[[k]] for k in range(len(points))]
        names = ["the group"] if self.common else [f"'{label}'" for label in labels]
        found = []
        for group, name in zip(groups, names, strict=True):
            found += by_milp(corners, group, self.norm, self.stretch, dominating=self.dominating, clock=clock, name=name,
                             unit=self.size)
            advance(len(group))
        if self.front.listed is not None:
            return found, position(self.front.hull.normals, points)
        depth = depths(corners, points, labels)
        return found, np.where(np.abs(depth) <= ON, "on", np.where(depth < 0, "outside", "inside"))

    def result(self, actual: pd.DataFrame, found: list[Found], where: np.ndarray, on: str, method: str) -> Targets:
        """The targets in the metrics' own units."""
        front, labels, columns = self.front, actual.index, actual.columns
        points = np.array([f.point for f in found]) * front.unit + front.origin
        normals = np.array([f.normal for f in found])
        lam = np.zeros((len(found), len(front.vertices)))
        for k, one in enumerate(found):
            lam[k, list(one.face)] = one.lam
        corners = front.corners.to_numpy()
        if on == "faces":
            points = np.where(np.isnan(points), np.nan, lam @ corners)
        gaps = points - actual.to_numpy()
        lengths = [np.nan if np.isnan(gap).any() else distance(gap * self.factor, self.norm) for gap in gaps]
        words = NOWHERE_TOGETHER if self.common else NOWHERE
        slopes = np.vstack([f.slopes.reshape(-1, len(columns)) for f in found]) * (self.size / front.unit)
        return Targets(
            targets=pd.DataFrame(points, index=labels, columns=columns),
            gaps=pd.DataFrame(gaps, index=labels, columns=columns),
            distance=pd.Series(lengths, index=labels, name="distance"),
            faces=pd.Series([tuple(front.vertices[k] for k in f.face) for f in found], index=labels, name="face", dtype=object),
            position=pd.Series(where, index=labels, name="position"),
            normals=pd.DataFrame(front.plain(normals), index=labels, columns=columns),
            intensities=pd.DataFrame(lam, index=labels, columns=front.vertices),
            slopes=pd.DataFrame(slopes, index=labels.repeat([len(f.slopes) for f in found]), columns=columns),
            actual=actual,
            frontier=front,
            norm=self.norm,
            weights=dict(zip(columns, self.factor.tolist(), strict=True)),
            on=on,
            method=method,
            common=self.common,
            dominating=self.dominating,
            reasons={labels[k]: words for k in range(len(found)) if np.isnan(lengths[k])},
            notes=front.notes + _beyond_range(points, columns, labels, actual, front),
        )


def _beyond_range(points: np.ndarray, columns: pd.Index, labels: pd.Index, actual: pd.DataFrame,
                  front: Frontier) -> tuple[str, ...]:
    """Targets above 1 (or 100) in a metric whose data all stay below it, as extended facets can give."""
    out = []
    for r, name in enumerate(columns):
        if name in front.data.turns:
            continue
        top = max(actual[name].max(), front.corners[name].max())
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


def _weights(weights: Mapping[str, float] | str | None, front: Frontier, costs: list[str]
             ) -> tuple[dict[str, float], tuple[str, ...]]:
    """What a unit of each metric counts, and what was chosen without being asked."""
    outputs = front.outputs
    if isinstance(weights, str):
        choice("weights", weights, ("range",))
        return _ranges(front), ()
    if weights is None:
        if not mixed_units(outputs, costs):
            return dict.fromkeys(outputs, 1.0), ()
        return _ranges(front), ("units differ, so changes are counted in shares of each metric's range in the reference "
                                "(weights='range')",)
    for name, weight in weights.items():
        if name not in outputs:
            raise DataError(f"weights names '{name}', which is not an output; the outputs are {', '.join(outputs)}")
        if not (np.isfinite(weight) and weight > 0):
            raise DataError(f"the weight of '{name}' is {weight:g}; give a number above 0")
    missing = [name for name in outputs if name not in weights]
    if missing:
        raise DataError(f"weights has no '{missing[0]}'; give one for every output")
    return {name: float(weights[name]) for name in outputs}, ()


def _ranges(front: Frontier) -> dict[str, float]:
    spread = front.data.outputs.max() - front.data.outputs.min()
    return {name: 1.0 / float(spread[name]) if spread[name] > 0 else 1.0 for name in front.outputs}
