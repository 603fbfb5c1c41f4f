"""Closest targets: where on the frontier a classifier could get to with the least change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.analysis.constant_returns import multiples
from deabench.analysis.frontier import HULL, ON, Frontier, position, span, unmixed
from deabench.analysis.target_options import (
    FACES_METRICS,
    Method,
    On,
    accepted,
    method_of,
    weights_of,
)
from deabench.errors import DataError
from deabench.geometry import free_disposal
from deabench.geometry.closest import Found, on_faces, on_facets
from deabench.geometry.closest_milp import Clock, by_milp
from deabench.geometry.nearest_points import depths, distance
from deabench.models.base import Norm, Technology
from deabench.proofs import structure
from deabench.proofs import targets as proving
from deabench.proofs.proof import Proof
from deabench.tables.selection import (
    Missing,
    align_columns,
    read_frame,
    refuse_bounds,
    select_table,
)
from deabench.tables.transforms import (
    Data,
    to_model_values,
    to_outputs_only,
    to_user_changes,
    to_user_values,
)
from deabench.tables.validation import Allowed, check_same_units, validate
from deabench.utils.progress import progress
from deabench.utils.result import Result

CONE: tuple[Allowed, ...] = ("zero inputs", "zero outputs")
"""What a frontier under constant returns can do with: multiples have an origin."""
SAID = {
    "vrs": (
        "with costs, mixtures of reference DMUs have weights that add up to 1 (variable returns to scale)",
    ),
    "crs": (
        "under constant returns the frontier is spanned by nothing and by multiples of the reference, as `multiples` says; "
        "`peers` are in the reference's own size, and rates may leave their range",
    ),
}
SIGNED = ("gaps", "normals", "slopes")
"""Frames of differences, whose sign alone is turned."""
CLAIMED = proving.CLAIMED
"""The columns of a certificate that must be 0."""
NOWHERE = "no point of the frontier dominates it"
NOBODY = "no classifier of the frontier is nowhere below it"
NOBODY_TOGETHER = "no one classifier of the frontier is nowhere below all of the tested"
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
        A normal of the face, negative where lower is better and positive elsewhere: no reference
        DMU has a greater normal·Y than the target. Where no metric is turned, normal·target = 1.
    intensities : DataFrame, n x frontier DMUs
        λ; zero on the facets extended, where a target may lie beyond its facet's vertices.
    slopes : DataFrame, metrics as columns, any number of rows per DMU
        What proves a target the closest: no point of a face with vertices v is nearer than the
        least slope·(v - actual). See docs/proofs.md. With technology "fdh" neither normals nor
        slopes are needed: all pairs are compared.
    on, method : str
        What was asked for or chosen; with technology "fdh" "classifiers" and "comparison".
    common, dominating : bool
        As asked for.
    multiples : Series or None
        Under constant returns what each reference DMU stands multiplied by in `frontier`, whose
        first row is nothing.
    unproved : tuple of str
        What `deabench.certify` does not prove of this result, in words; empty where it proves
        everything.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> found = db.targets(wine.loc[["RBF"]], wine.drop(index="RBF"), outputs=["TPR", "TNR"])
    >>> found.position["RBF"], found.gaps.loc["RBF"].round(1).to_dict()
    ('inside', {'TPR': 22.1, 'TNR': 29.4})
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
    multiples: pd.Series | None = None

    @cached_property
    def peers(self) -> pd.DataFrame:
        """λ by frontier DMU, under constant returns how many of each; those that no target uses are
        left out.
        """
        lam = (
            self.intensities
            if self.multiples is None
            else self.intensities * self.multiples[self.intensities.columns]
        )
        return lam.loc[:, (lam > 0).any()]

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof of every target: see `recompute`."""
        return self.recompute()

    @cached_property
    def unproved(self) -> tuple[str, ...]:
        return proving.unproved(self.inside)

    @cached_property
    def inside(self) -> Targets:
        """The same with every metric to be high, as the solver had it; what is proved is proved
        there.
        """
        transforms = self.frontier.data.transforms
        return (
            self
            if not transforms
            else replace(
                self,
                targets=to_model_values(self.targets, transforms),
                actual=to_model_values(self.actual, transforms),
                **{name: to_user_changes(getattr(self, name), transforms) for name in SIGNED},
            )
        )

    def recompute(self) -> pd.DataFrame:
        """The certificate, by numpy alone, one row per DMU: see
        `deabench.proofs.targets.certificate`.
        """
        return proving.certificate(self.inside)

    def claims(self, certificate: pd.DataFrame) -> dict[str, np.ndarray]:
        """By how much each claim misses: what `deabench.certify` holds against its tolerance."""
        return proving.claims(self.inside, certificate)

    def summary(self) -> str:
        """How far the tested are, who is nearest, and what is not proved."""
        known_ = self.distance.dropna()
        said = [f"{len(known_)} of {len(self.distance)} classifiers have a target"]
        if len(known_):
            said[0] += (
                f"; the nearest is '{known_.idxmin()}' at {known_.min():.4g}, "
                f"the farthest '{known_.idxmax()}' at {known_.max():.4g}"
            )
        said[0] += f" ({self.norm} distance on {self.on})"
        said += [
            f"'{label}' has none: {reason}" for label, reason in list(self.reasons.items())[:3]
        ]
        return ". ".join([*said, *self.unproved]) + "."

    def proof(self) -> Proof:
        """The certificate with what each claim of it misses."""
        structure.targets(self)
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

        return TargetsDisplay.from_result(self).plot(ax=ax, **options)


def targets(
    tested: object,
    reference: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    returns: Literal["vrs", "crs"] = "vrs",
    norm: Norm = "l1",
    weights: Mapping[str, float] | Literal["range"] | None = None,
    on: On = "faces",
    common: bool = False,
    dominating: bool = False,
    method: Method = "auto",
    time_limit: float | None = None,
    technology: Technology = "convex",
    missing: Missing = "refuse",
) -> Targets:
    """The closest targets of tested classifiers on the frontier that the reference classifiers
    span.

    Parameters
    ----------
    tested, reference : DataFrames, readings, or anything that `deabench.read` takes
        Classifiers in rows. The tested ones may lie inside, on or outside the frontier.
    outputs, inputs, lower_is_better
        As for `deabench.frontier`.
    returns : {"vrs", "crs"}
        Whether targets are mixtures of reference DMUs, or also multiples of these (constant returns
        to scale; with inputs).
    norm : {"l1", "l2", "linf"}
        How change is counted, in the metrics' own units times `weights`.
    weights : mapping of metric to number, or "range", optional
        "range": each metric's change in shares of its range in the reference. Without weights 1
        each, or "range" where units differ, which is said.
    on : {"faces", "facets"}
        "faces": the closest point of the Pareto-efficient faces, a mixture of real classifiers;
        "facets": of the boundary of the region below every full-dimensional Pareto-efficient facet,
        each extended beyond its vertices.
    common : bool
        One face (or facet) for all tested classifiers, that with the least total distance.
    dominating : bool
        No metric may get worse.
    method : {"auto", "faces", "milp"}
        Enumeration of faces, the normalised model (11), or whichever suits the number of metrics.
    time_limit : float, optional
        Seconds for all MILPs of this call together.
    technology : {"convex", "fdh"}
        "fdh": only what is there counts, no mixtures. The Pareto-efficient boundary of the free
        disposal hull is the reference classifiers that no other dominates, and a target is the
        closest of them: a classifier that exists. `common` gives one for all, `dominating` the
        closest that is nowhere worse; of several as close, the first of the table.
    missing : {"refuse", "drop-systems", "drop-metrics"}
        What happens to empty cells, of the reference and of the tested; a metric that either lacks
        counts in neither.

    Raises
    ------
    DataError
        Where the data cannot be used, or the frontier asked for does not exist.
    SolveError
        Where a solve fails, or the time is up; it says what is proved by then.

    Notes
    -----
    Of several closest points one is returned: ties are common in L1. Model (11) of Chao et al.
    (2022); Aparicio, Ruiz, Sirvent (2007), J. Productivity Analysis 28:209-218; Ruiz, Sirvent
    (2016) for `common`.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1")
    >>> established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
    >>> db.targets(wine.loc[["RBF"]], established, outputs=["TPR", "TNR"]).distance.round(1).tolist()
    [51.5]
    """
    accepted(norm, on, method, technology, returns)
    clock = Clock(time_limit)
    columns = {"outputs": outputs, "inputs": inputs, "lower_is_better": lower_is_better}
    given, spanning, notes = _both(tested, reference, columns, technology, missing, returns)
    weight, said = weights_of(
        weights, to_outputs_only(spanning).outputs, [str(name) for name in spanning.inputs.columns]
    )
    factor, times = np.array(list(weight.values())), None
    if returns == "crs":
        spanning, times = multiples(spanning, given, factor, dominating=dominating, common=common)
    spanning = to_outputs_only(spanning)
    given = to_outputs_only(given, spanning.transforms)
    given = replace(given, outputs=given.outputs[list(spanning.outputs.columns)])
    with progress("targets", len(given.labels)) as advance:
        place: str = on
        chosen = method_of(method, on, norm, spanning.outputs.shape[1])
        front = span(
            spanning,
            facets=chosen == "faces" or spanning.outputs.shape[1] <= FACES_METRICS,
            technology=technology,
        )
        asked = _Asked(front, factor, norm, common, dominating)
        points = front.boxed(given.outputs.to_numpy())
        if technology == "fdh":
            found, where = asked.classifiers(points)
            place, chosen = "classifiers", "comparison"
        elif on == "facets":
            found, where = asked.facets(points)
        elif chosen == "faces":
            names = [f"'{label}'" for label in given.labels]
            found = on_faces(
                front.hull,
                points,
                names,
                norm,
                asked.stretch,
                dominating=dominating,
                common=common,
                advance=advance,
            )
            where = position(front.hull.normals, points)
        else:
            found, where = asked.milp(points, given.labels, clock, advance)
    return _outside(
        replace(asked.result(given.outputs, found, where, place, chosen), multiples=times),
        (*notes, *said),
    )


def _both(
    tested: object,
    reference: object,
    columns: Mapping[str, Any],
    technology: Technology,
    missing: Missing,
    returns: str,
) -> tuple[Data, Data, tuple[str, ...]]:
    """The tested and the reference past the gate; and notes."""
    ready = select_table(reference, **columns, missing=refuse_bounds(missing))
    points = read_frame(tested)
    lacking: tuple[str, ...] = ()
    if missing != "refuse":
        points, ready, lacking = align_columns(points, ready, missing)
    check_same_units(points, ready.table, list(ready.given["outputs"]))
    allow = HULL if returns == "vrs" else CONE
    spanning = validate(ready.table, **ready.given, warn=False, allow=allow, among=points)
    asked = validate(points, **ready.given, warn=False, allow=allow, among=ready.table)
    said = (
        unmixed(technology)
        if technology == "fdh"
        else SAID[returns]
        if spanning.inputs.shape[1]
        else ()
    )
    return asked, spanning, (*ready.notes, *lacking, *said)


def _outside(found: Targets, notes: tuple[str, ...]) -> Targets:
    """Targets in the user's own metrics and directions."""
    transforms = found.frontier.data.transforms
    found = replace(found, notes=(*notes, *found.notes))
    return (
        found
        if not transforms
        else replace(
            found,
            targets=to_user_values(found.targets, transforms),
            actual=to_user_values(found.actual, transforms),
            **{name: to_user_changes(getattr(found, name), transforms) for name in SIGNED},
        )
    )


class _Asked:
    """What is asked of which frontier. In boxed metrics the weights (s,) of the norm are `stretch`,
    at most about 1; a distance there is `size` times smaller than in the metrics' own units.
    """

    def __init__(
        self, front: Frontier, factor: np.ndarray, norm: str, common: bool, dominating: bool
    ) -> None:
        self.front, self.factor, self.norm, self.common, self.dominating = (
            front,
            factor,
            norm,
            common,
            dominating,
        )
        self.size, self.stretch = proving.stretched(factor, front.unit)

    def classifiers(self, points: np.ndarray) -> tuple[list[Found], np.ndarray]:
        """Among the classifiers of the free disposal hull's frontier: the targets, and where the
        points lie to the hull.
        """
        corners = self.front.boxed(self.front.corners.to_numpy())
        found = free_disposal.on_points(
            corners, points, self.norm, self.stretch, dominating=self.dominating, common=self.common
        )
        return found, free_disposal.position(corners, points)

    def facets(self, points: np.ndarray) -> tuple[list[Found], np.ndarray]:
        """On the facets extended: the targets, and where the points lie to their region."""
        hull = self.front.hull
        if not hull.full.any():
            raise DataError(
                "the frontier has no full-dimensional Pareto-efficient facet to extend; use on='faces'"
            )
        normals = hull.normals[hull.full]
        found = on_facets(
            normals,
            hull.on[hull.full],
            points,
            self.norm,
            self.stretch,
            dominating=self.dominating,
            common=self.common,
        )
        return found, position(normals, points)

    def milp(
        self, points: np.ndarray, labels: pd.Index, clock: Clock, advance: Any
    ) -> tuple[list[Found], np.ndarray]:
        """By the normalised (11)."""
        corners = self.front.boxed(self.front.corners.to_numpy())
        groups = [points] if self.common else [points[[k]] for k in range(len(points))]
        names = ["the group"] if self.common else [f"'{label}'" for label in labels]
        found = []
        for group, name in zip(groups, names, strict=True):
            found += by_milp(
                corners,
                group,
                self.norm,
                self.stretch,
                dominating=self.dominating,
                clock=clock,
                name=name,
                unit=self.size,
            )
            advance(len(group))
        if self.front.listed is not None:
            return found, position(self.front.hull.normals, points)
        depth = depths(corners, points, labels)
        return found, np.where(np.abs(depth) <= ON, "on", np.where(depth < 0, "outside", "inside"))

    def result(
        self, actual: pd.DataFrame, found: list[Found], where: np.ndarray, on: str, method: str
    ) -> Targets:
        """The targets in the metrics' own units."""
        front, labels, columns = self.front, actual.index, actual.columns
        points = np.array([f.point for f in found]) * front.unit + front.origin
        normals = np.array([f.normal for f in found])
        lam = np.zeros((len(found), len(front.vertices)))
        for k, one in enumerate(found):
            lam[k, list(one.face)] = one.lam
        corners = front.corners.to_numpy()
        if on != "facets":
            points = np.where(np.isnan(points), np.nan, lam @ corners)
        gaps = points - actual.to_numpy()
        lengths = [
            np.nan if np.isnan(gap).any() else distance(gap * self.factor, self.norm)
            for gap in gaps
        ]
        words = self._nowhere()
        slopes = np.vstack([f.slopes.reshape(-1, len(columns)) for f in found]) * (
            self.size / front.unit
        )
        return Targets(
            targets=pd.DataFrame(points, index=labels, columns=columns),
            gaps=pd.DataFrame(gaps, index=labels, columns=columns),
            distance=pd.Series(lengths, index=labels, name="distance"),
            faces=pd.Series(
                [tuple(front.vertices[k] for k in f.face) for f in found],
                index=labels,
                name="face",
                dtype=object,
            ),
            position=pd.Series(where, index=labels, name="position"),
            normals=pd.DataFrame(front.plain(normals), index=labels, columns=columns),
            intensities=pd.DataFrame(lam, index=labels, columns=front.vertices),
            slopes=pd.DataFrame(
                slopes, index=labels.repeat([len(f.slopes) for f in found]), columns=columns
            ),
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

    def _nowhere(self) -> str:
        """Why there is no target."""
        if self.front.technology == "fdh":
            return NOBODY_TOGETHER if self.common else NOBODY
        return NOWHERE_TOGETHER if self.common else NOWHERE


def _beyond_range(
    points: np.ndarray, columns: pd.Index, labels: pd.Index, actual: pd.DataFrame, front: Frontier
) -> tuple[str, ...]:
    """Targets above 1 (or 100) in a metric whose data all stay below it, as extended facets can
    give.
    """
    out = []
    for r, name in enumerate(columns):
        if name in front.data.transforms:
            continue
        top = max(actual[name].max(), front.corners[name].max())
        limit = 1.0 if top <= 1 else 100.0
        for k in np.flatnonzero(points[:, r] > limit * (1 + 1e-12)):
            if top <= limit:
                out.append(
                    f"the target of '{labels[k]}' in '{name}' is {points[k, r]:.4g}, beyond {limit:g}: "
                    "the extended facet leaves the metric's range"
                )
    return tuple(out)
