"""Compute closest targets: where on the frontier a classifier could get with the least change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from deabench.analysis.frontier import span_frontier, technology_notes
from deabench.errors import DataError, SolveError, TimeLimitError
from deabench.geometry import free_disposal
from deabench.geometry.closest import (
    ClosestPoint,
    ConeMultiples,
    closest_by_milp,
    closest_on_faces,
    no_closest_point,
    refuse_other_distances,
)
from deabench.geometry.extended_facets import closest_on_facets
from deabench.geometry.projections import common_rises
from deabench.proofs.targets import scale_norm
from deabench.results.frontier import NORMS, ON_FRONTIER, Frontier, classify_positions
from deabench.results.model import ANY_VALUES, Norm, Technology
from deabench.results.norm_weights import resolve_norm_weights
from deabench.results.targets import (
    TIME_PASSED,
    Targets,
    build_targets,
    divide_targets,
    multiply_into_hull,
)
from deabench.tables.read import as_table
from deabench.tables.selected_table import Missing, align_columns, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.tables.transforms import Data, multiply_data, scale_reference, to_outputs_only
from deabench.tables.validation import Allowed, check_same_units, validate
from deabench.utils.arrays import TOLERANCE
from deabench.utils.checks import choice
from deabench.utils.progress import progress

On = Literal["faces", "facets"]
Method = Literal["auto", "faces", "milp"]
Returns = Literal["vrs", "crs"]

MAX_METRICS_FACES = 6
"""The most metrics for which "auto" enumerates faces; with more, Qhull's list explodes."""
ALLOWED_IN_CONE: tuple[Allowed, ...] = ("zero inputs", "zero outputs")
"""What a frontier under constant returns can contain: multiples have an origin."""
RETURNS_HINTS = {"constant": "'crs'", "variable": "'vrs'", "ccr": "'crs'", "bcc": "'vrs'"}
VRS_NOTE = (
    "with costs, mixtures of reference DMUs have weights that add up to 1 (variable returns to "
    "scale)"
)
CRS_NOTE = (
    "under constant returns the frontier is spanned by zero and by multiples of the reference (see "
    "`multiples`); `peers` are in the reference's own size, and rates may leave their range"
)


def targets(
    tested: TableLike,
    reference: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    returns: Returns = "vrs",
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
    """Compute the closest targets of tested classifiers on the frontier of reference classifiers.

    Parameters
    ----------
    tested, reference : DataFrames, readings, or anything that `deabench.read` takes
        Classifiers in rows. The tested ones may lie inside, on or outside the frontier.
    outputs, inputs
        As for `deabench.frontier`.
    returns : {"vrs", "crs"}
        Whether targets are mixtures of reference DMUs, or also multiples of these (constant returns
        to scale; with inputs).
    norm : {"l1", "l2", "linf"}
        How change is counted, in the metrics' own units times `weights`.
    weights : mapping of metric to number, or "range", optional
        "range": each metric's change in shares of its range in the reference, of its value where
        it is constant. Without weights 1 each, or "range" where units differ, with a note.
    on : {"faces", "facets"}
        "faces": the closest point of the Pareto-efficient faces, a mixture of real classifiers;
        "facets": of the boundary of the region below every full-dimensional Pareto-efficient
        facet, each extended beyond its vertices.
    common : bool
        One face (or facet) for all tested classifiers, that with the least total distance.
    dominating : bool
        No metric may get worse.
    method : {"auto", "faces", "milp"}
        Enumeration of faces, the normalised model (11), or what suits the number of metrics.
    time_limit : float, optional
        Seconds for this call; without it, those of a `deabench.time_limit` around the call.
    technology : {"convex", "fdh"}
        "fdh": mixtures do not count. The Pareto-efficient boundary of the free disposal hull is the
        reference classifiers that no other dominates, and a target is the closest of them: a
        classifier that exists, of several as close the first of the table.
    missing : {"refuse", "drop-systems", "drop-metrics"}
        What happens to empty cells, of the reference and of the tested; a metric that either lacks
        counts in neither.

    Raises
    ------
    DataError
        If the data cannot be used, or the requested frontier does not exist.
    SolveError
        If a solve fails, or the time is up before the first target is found; it states what is
        proved by then. Later the result has the targets that were found, and NaN with the reason
        for the others.

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
    >>> result = db.targets(wine.loc[["RBF"]], established, outputs=["TPR", "TNR"])
    >>> result.distance.round(1).tolist()
    [51.5]
    """
    _check_choices(norm, on, method, technology, returns)
    columns = {"outputs": outputs, "inputs": inputs}
    tested_data, reference_data, ranges, notes = _validate_both(
        tested, reference, columns, technology, missing, returns
    )
    metric_weights, weight_notes = resolve_norm_weights(weights, reference_data)
    # Constant returns are reduced to variable ones over multiples of the reference.
    multiples = None
    if returns == "crs":
        reference_data, multiples, factors = scale_reference(
            reference_data, tested_data, metric_weights, dominating=dominating, common=common
        )
        if not common:
            # Tolerances are then shares of each DMU's own size.
            tested_data = multiply_data(tested_data, factors)
    # Inputs become outputs: with variable returns that changes neither faces nor distances.
    spanning = to_outputs_only(reference_data)
    actual = to_outputs_only(tested_data, spanning.transforms).outputs[list(spanning.outputs)]
    s = actual.shape[1]
    chosen_method: str = method
    if method == "auto":
        # Extended facets and Euclidean distances have no linear program; few metrics few faces.
        by_faces = on == "facets" or norm == "l2" or s <= MAX_METRICS_FACES
        chosen_method = "faces" if by_faces else "milp"
    with progress("targets", len(actual), seconds=time_limit) as advance:
        # The milp needs no facets; for few metrics they cost little and give the positions.
        facets = chosen_method == "faces" or s <= MAX_METRICS_FACES
        front = span_frontier(spanning, facets=facets, technology=technology)
        norm_scale, boxed_weights = scale_norm(metric_weights, front.unit)
        located = front.to_boxed(actual.to_numpy())
        cone = None
        if returns == "crs":
            in_hull = multiply_into_hull(tested_data, front)
            located = in_hull.points
            # On a common face small DMUs would be rounding beside large ones.
            cone = in_hull.halve() if common and dominating else None
        search = _Search(
            front=front,
            vertices=front.to_boxed(front.vertex_outputs.to_numpy()),
            labels=actual.index,
            points=front.to_boxed(actual.to_numpy()),
            located_points=located,
            cone=cone,
            norm=norm,
            weights=boxed_weights,
            norm_scale=norm_scale,
            restrictions={"dominating": dominating, "common": common},
        )
        target_set: str = on
        if technology == "fdh":
            closest, position = search.among_classifiers()
            target_set, chosen_method = "classifiers", "comparison"
        elif on == "facets":
            closest, position = search.on_extended_facets()
        elif chosen_method == "faces":
            closest, position = search.on_faces(advance)
        else:
            closest, position = search.by_milp(advance)
    # After the time limit the last DMUs have no target yet.
    unsolved = list(actual.index[len(closest) :])
    closest = [*closest, *(no_closest_point(s, np.zeros((0, s))) for _ in unsolved)]
    result = build_targets(
        front,
        actual,
        closest,
        position,
        norm=norm,
        weights=metric_weights,
        norm_scale=norm_scale,
        on=target_set,
        method=chosen_method,
        common=common,
        dominating=dominating,
    )
    notes = (*notes, *weight_notes, *result.notes)
    reasons = result.reasons
    if unsolved:
        reasons = {**reasons, **dict.fromkeys(unsolved, TIME_PASSED)}
        notes = (
            *notes,
            f"{len(actual) - len(unsolved)} of {len(actual)} targets were found in time",
        )
    result = replace(result, notes=notes, reasons=reasons, multiples=multiples)
    result = result.in_user_directions()
    if returns == "crs" and not common:
        result = divide_targets(result, factors)
    if chosen_method == "milp":
        _refuse_unproved(result)
    # Multiples may leave what is possible; mixtures stay within it.
    return result.hide_impossible(ranges) if returns == "crs" else result


def _refuse_unproved(result: Targets) -> None:
    """Refuse targets by the normalised model (11) that their certificate refuses."""
    for name, misses in result.proof().violations.items():
        is_refused = ~(misses <= TOLERANCE) & ~np.isnan(misses)
        # The frontier's own certificate says nothing on a target.
        if name != "frontier" and is_refused.any():
            label = result.targets.index[int(np.argmax(is_refused))]
            raise SolveError(
                f"model 'normalised' for '{label}' ended with a target that is not proved to "
                f"{TOLERANCE:g}. Pass method='faces'."
            )


def _check_choices(norm: str, on: str, method: str, technology: str, returns: str) -> None:
    """Refuse unknown words, and words that exclude each other."""
    choice("norm", norm, NORMS)
    choice("returns", returns, get_args(Returns), RETURNS_HINTS)
    choice("on", on, get_args(On))
    choice("method", method, get_args(Method))
    choice("technology", technology, get_args(Technology))
    is_fdh = technology == "fdh"
    is_milp = method == "milp"
    # Pairs of words that exclude each other, with the way out.
    for excluded, message in (
        (
            returns == "crs" and on == "facets",
            "on='facets' extends the facets of a hull, and under returns='crs' there are none; "
            "leave on out, or use returns='vrs'",
        ),
        (
            is_fdh and returns == "crs",
            "technology='fdh' compares real systems, not their multiples; leave returns out",
        ),
        (
            is_fdh and on == "facets",
            "the free disposal hull has no facets to extend; leave on='facets' out, or use "
            "technology='convex'",
        ),
        (
            is_fdh and is_milp,
            "method='milp' mixes systems, which technology='fdh' does not; leave method out",
        ),
        (
            is_milp and on == "facets",
            "method='milp' finds targets on faces; use method='faces' with on='facets'",
        ),
        (
            is_milp and norm == "l2",
            "method='milp' is linear and norm='l2' is not; use method='faces', or norm='l1' or "
            "norm='linf'",
        ),
    ):
        if excluded:
            raise DataError(message)


def _validate_both(
    tested: TableLike,
    reference: TableLike,
    columns: Mapping[str, Any],
    technology: Technology,
    missing: Missing,
    returns: Returns,
) -> tuple[Data, Data, dict[str, tuple[float, float]], tuple[str, ...]]:
    """Return the validated tested and reference data, the ranges of their metrics, and notes."""
    selected = select_table(reference, **columns, missing=refuse_bounds(missing))
    if selected.given:
        raise DataError(
            f"'{selected.given[0]}' is given, not to be changed, and closest targets have no form "
            "for that; `deabench rank FILE --explain NAME`, in Python ranking.projections, shows "
            "what the others reach beside what is given; or leave the role out"
        )
    points = selected.with_table(as_table(tested, selected.metrics))
    missing_notes: tuple[str, ...] = ()
    if missing != "refuse":
        points, selected, missing_notes = align_columns(points, selected, missing)
    check_same_units(points.frame, selected.frame, selected.outputs)
    # The origin of a metric that can be negative depends on both tables.
    allow = ANY_VALUES if returns == "vrs" else ALLOWED_IN_CONE
    reference_data = validate(selected, other_table=points.frame, warn=False, allow=allow)
    tested_data = validate(points, other_table=selected.frame, warn=False, allow=allow)
    notes = technology_notes(technology)
    if technology == "convex" and reference_data.inputs.shape[1]:
        notes = (VRS_NOTE if returns == "vrs" else CRS_NOTE,)
    ranges = {name: selected.range_of(name) for name in selected.metrics}
    return tested_data, reference_data, ranges, (*selected.notes, *missing_notes, *notes)


@dataclass(frozen=True)
class _Search:
    """The search for the closest points of a frontier, in boxed metrics.

    Attributes
    ----------
    vertices, points : arrays (e, s), (n, s)
        Those of the frontier, and the tested DMUs, with their labels in `labels`.
    located_points : array (n, s)
        Where the tested DMUs are inside, on or outside: they or, under constant returns, multiples.
    cone : ConeMultiples, optional
        Multiples to project in their place.
    weights : array (s,)
        What a change of 1 in each boxed metric counts, about 1 at most.
    norm_scale : float
        By how much a boxed distance is smaller than one in the metrics' own units.
    restrictions : mapping with `dominating` and `common`
    """

    front: Frontier
    vertices: np.ndarray
    labels: pd.Index
    points: np.ndarray
    located_points: np.ndarray
    cone: ConeMultiples | None
    norm: str
    weights: np.ndarray
    norm_scale: float
    restrictions: Mapping[str, bool]

    def among_classifiers(self) -> tuple[list[ClosestPoint], np.ndarray]:
        """Search the classifiers of the free disposal hull."""
        closest = free_disposal.closest_vertices(
            self.vertices, self.points, self.norm, self.weights, **self.restrictions
        )
        return closest, free_disposal.classify_positions(self.vertices, self.points)

    def on_extended_facets(self) -> tuple[list[ClosestPoint], np.ndarray]:
        """Search the boundary of the region below the extended full-dimensional facets."""
        hull = self.front.hull
        if not hull.efficient_facets.any():
            raise DataError(
                "the frontier has no full-dimensional Pareto-efficient facet to extend; use "
                "on='faces'"
            )
        normals = hull.normals[hull.efficient_facets]
        closest = closest_on_facets(
            normals,
            hull.incidence[hull.efficient_facets],
            self.points,
            self.norm,
            self.weights,
            **self.restrictions,
        )
        return closest, classify_positions(normals, self.points)

    def on_faces(self, advance: Callable[[int], None]) -> tuple[list[ClosestPoint], np.ndarray]:
        """Search all maximal Pareto-efficient faces."""
        hull = self.front.hull
        names = [f"'{label}'" for label in self.labels]
        closest = closest_on_faces(
            hull,
            self.points,
            names,
            self.norm,
            self.weights,
            advance=advance,
            cone=self.cone,
            **self.restrictions,
        )
        return closest, classify_positions(hull.normals, self.located_points)

    def by_milp(self, advance: Callable[[int], None]) -> tuple[list[ClosestPoint], np.ndarray]:
        """Search by the normalised model (11), which needs no list of faces."""
        # The positions come first: the time limit of the search must not cut them off.
        position = self._positions()
        groups = [(f"'{label}'", self.points[[k]]) for k, label in enumerate(self.labels)]
        if self.restrictions["common"]:
            groups = [("the group", self.points)]
        closest: list[ClosestPoint] = []
        try:
            for name, group in groups:
                closest += closest_by_milp(
                    self.vertices,
                    group,
                    self.norm,
                    self.weights,
                    dominating=self.restrictions["dominating"],
                    name=name,
                    cone=self.cone,
                    unit=self.norm_scale,
                )
                advance(len(group))
        except TimeLimitError:
            # What was found by then is proved; without anything there is no answer.
            if not closest:
                raise
            return closest, position
        # Tolerances of the program may make another face the closest. Where the time is up before
        # that is known, the certificate alone holds the targets.
        with suppress(TimeLimitError):
            if self.front.precomputed_hull is not None:
                by_faces, _ = self.on_faces(lambda _: None)
                names = [name for name, _ in groups]
                refuse_other_distances(
                    closest, by_faces, self.points, names, self.norm, self.weights
                )
        return closest, position

    def _positions(self) -> np.ndarray:
        """Return the position of each point: by the facets, or without them by linear programs."""
        if self.front.precomputed_hull is not None:
            return classify_positions(self.front.hull.normals, self.located_points)
        # Without facets, a point is inside where it could rise in all metrics and be dominated.
        depth = common_rises(self.vertices, self.located_points, self.labels)
        off_frontier = np.where(depth < 0, "outside", "inside")
        return np.where(np.abs(depth) <= ON_FRONTIER, "on", off_frontier)
