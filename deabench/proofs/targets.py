"""Prove that a target is on the frontier, and that no point of it is nearer.

Every Pareto-efficient face has a bound of its own, so that their union need not be convex. For a
slope y and a face with vertices v, no point of the face is nearer to p than min_v y·(v - p) /
max(1, dual norm of y), as |y·(t - p)| ≤ dual norm · distance. With `dominating` only the positive
part of y counts, as t - p ≥ 0; and where y ≤ 0 has y·(v - p) > 0 on all vertices, no point of the
face is nowhere below p.
On facets extended: from inside, no hyperplane is nearer than its distance; from outside, y = Σ μ_f
w_f with μ ≥ 0 falls from p to any point of the region by at least y·p - Σ μ_f.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from deabench.proofs.cone_multiples import boxed_multiples, faces_that_dominate_none
from deabench.proofs.exact_repair import exact_products
from deabench.proofs.fdh import NORM_ORDERS, certify_fdh_targets
from deabench.proofs.frontier import certify_frontier, count_wrong_dominators
from deabench.results.targets import TIME_PASSED
from deabench.utils.arrays import TOLERANCE

CLAIMED = (
    "lambda_error",
    "beyond",
    "off",
    "gap_error",
    "distance_error",
    "face_error",
    "closest",
    "position",
    "frontier",
)
"""The columns of a certificate that must be 0."""
ROUND = 16 * np.finfo(float).eps
"""What the products of a slope may be off by, as a share of the sum of their terms."""
ON = 1e-9
"""A point is on a hyperplane within this, in boxed metrics."""
DUAL_NORM_ORDERS = {"l1": np.inf, "l2": 2, "linf": 1}


def scale_norm(factor: np.ndarray, unit: np.ndarray) -> tuple[float, np.ndarray]:
    """Return what a distance of 1 in boxed metrics is in the metrics', and the norm's weights.

    The weights (s,), in boxed metrics, are about 1 at most.
    """
    stretch = factor * unit
    size = float(np.exp2(np.floor(np.log2(stretch.max()))))
    return size, stretch / size


def certify_targets(result: Any) -> pd.DataFrame:
    """Recompute targets; one row per DMU.

    Returns
    -------
    DataFrame
        lambda_error : how far λ is from non-negative, from sum 1 and from giving the target (0 on
        facets extended); beyond : how far a reference DMU lies beyond the face's hyperplane, or a
        target beyond the region of the facets; off : how far the target lies off the hyperplane;
        least_weight : the smallest weight of the normal (positive proves the face
        Pareto-efficient); gap_error : how far the gaps are from target minus actual, or below 0
        with `dominating`; distance_error : how far the distance is from their norm; face_error : 1
        where `faces` is not the face of the normal; closest : by how much some face is not proved
        to be as far; position : 1 where it is another; frontier : the worst that the frontier's own
        certificate says. In boxed metrics, a distance above 1 there as a share of it. NaN where
        there is no target (then `closest` proves that), and where nothing is claimed: see
        `unproved`.
    """
    if result.frontier.technology == "fdh":
        return certify_fdh_targets(result)
    boxed = _BoxedTargets(result)
    frame = pd.DataFrame(
        {
            "lambda_error": boxed.lambda_error(),
            "beyond": boxed.excess_of_rows(),
            "off": boxed.hyperplane_error(),
            "least_weight": boxed.normals.min(axis=1),
            "gap_error": boxed.gap_error(),
            "distance_error": boxed.distance_error(),
            "face_error": boxed.face_error(),
        },
        index=result.targets.index,
    )
    # Where there is no target, `closest` proves that none exists.
    frame.loc[result.distance.isna()] = np.nan
    frame["closest"] = boxed.closeness_error()
    frame["position"] = boxed.position_error()
    frame["frontier"] = _greatest_violation(result.frontier)
    return frame


def closeness_violations(result: Any) -> np.ndarray:
    """Return the column `closest` of the certificate alone."""
    return _BoxedTargets(result).closeness_error()


def target_violations(result: Any, proof: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return by how much each claim misses; what is not proved is not claimed."""
    violations = {name: proof[name].to_numpy() for name in CLAIMED if name in proof}
    has_reason = proof.index.isin(list(result.reasons)) & result.distance.notna().to_numpy()
    violations["reason_without_cause"] = np.where(has_reason, 1.0, 0.0)
    if result.frontier.technology == "fdh":
        return violations
    # Of a DMU that the time limit left out nothing is claimed.
    violations["closest"] = np.where(_is_unsearched(result), 0.0, violations["closest"])
    if _is_milp(result):
        # Only that there is no target for a DMU is proved.
        is_proved = result.distance.isna().to_numpy() & (not result.common)
        violations["closest"] = np.where(is_proved, violations["closest"], 0.0)
        if result.frontier.precomputed_hull is None:
            del violations["position"]
    elif result.common and result.on == "facets":
        del violations["closest"]
    is_weak = np.where(proof["least_weight"] <= 0, 1.0, 0.0)
    return {"weight_that_is_not_positive": is_weak} | violations


def unproved_target_claims(result: Any) -> tuple[str, ...]:
    """Return what is not claimed, as sentences."""
    sentences = []
    if _is_milp(result):
        sentences.append(
            "not certified: that no target is nearer, which the MILP solver alone reports"
        )
        if result.frontier.precomputed_hull is None:
            sentences.append(
                "not certified: the position, and that the frontier has no other extreme "
                "classifiers"
            )
    elif result.common and result.on == "facets":
        sentences.append("not certified: that no other facet is nearer to all of them together")
    count = int(_is_unsearched(result).sum())
    if count:
        sentences.append(f"not claimed: anything about {count} targets, for which time had passed")
    if result.multiples is not None:
        sentences.append(
            "not certified: that the rows of the frontier are the multiples of the reference that "
            "`multiples` says"
        )
    return tuple(sentences)


def _is_unsearched(result: Any) -> np.ndarray:
    """Return which DMUs (n,) have no target because the time limit had passed."""
    reasons = [result.reasons.get(label) == TIME_PASSED for label in result.distance.index]
    is_unsearched: np.ndarray = np.array(reasons, dtype=bool) & result.distance.isna().to_numpy()
    return is_unsearched


def _is_milp(result: Any) -> bool:
    """Return whether the MILP found the targets, without a list of faces."""
    return bool(result.method == "milp")


def _greatest_violation(front: Any) -> float:
    """Return the greatest entry of the frontier's own certificate, as far as it can be made."""
    if front.precomputed_hull is None:
        return float(count_wrong_dominators(front.data.outputs.to_numpy(), front.dominator))
    return float(certify_frontier(front).fillna(np.inf).to_numpy().max())


class _BoxedTargets:
    """A result's numbers in boxed metrics, and what is recomputed from them.

    Attributes
    ----------
    size : float
        What a distance of 1 in boxed metrics is in the metrics' own units.
    stretch : array (s,)
        The weights of the norm in boxed metrics.
    steep : array (n,)
        The largest weight of each normal: errors count in units of it.
    slope_owner : int array
        The DMU of each slope.
    """

    def __init__(self, result: Any) -> None:
        self.result = result
        self.front = result.frontier
        front = self.front
        self.factor = np.array([result.weights[name] for name in result.targets.columns])
        self.size, self.stretch = scale_norm(self.factor, front.unit)
        self.targets = front.to_boxed(result.targets.to_numpy())
        self.actual = front.to_boxed(result.actual.to_numpy())
        normals = result.normals.to_numpy()
        self.normals = normals * front.unit / (1.0 - normals @ front.origin)[:, None]
        self.steep = self.normals.max(axis=1)
        self.slopes = result.slopes.to_numpy() * front.unit / self.size
        self.slope_owner = result.targets.index.get_indexer(result.slopes.index)
        self.distance = result.distance.to_numpy() / self.size
        self.corners = front.vertex_outputs.to_numpy()

    def lambda_error(self) -> np.ndarray:
        """Return how far λ is from non-negative, from sum 1 and from giving the target."""
        lam = self.result.intensities.to_numpy()
        off = np.abs(self.front.to_boxed(lam @ self.corners) - self.targets).max(axis=1)
        error = np.maximum.reduce([off, np.abs(lam.sum(axis=1) - 1), -lam.min(axis=1)])
        if self.result.on == "faces":
            return np.asarray(error)
        # On extended facets no λ is claimed.
        return np.where(np.isnan(error) | lam.any(axis=1), np.nan, 0.0)

    def excess_of_rows(self) -> np.ndarray:
        """Return how far a reference DMU lies or a target lies beyond the facets."""
        reach = (self.front.boxed_rows @ self.normals.T).max(axis=0)
        if self.result.on == "facets":
            reach = np.maximum(reach, (self.targets @ self._efficient_normals().T).max(axis=1))
        return np.asarray(np.maximum(reach - 1.0, 0.0) / self.steep)

    def hyperplane_error(self) -> np.ndarray:
        """Return how far the target lies off the hyperplane."""
        return np.asarray(np.abs((self.targets * self.normals).sum(axis=1) - 1.0) / self.steep)

    def gap_error(self) -> np.ndarray:
        """Return how far the gaps are from target minus actual, or below 0 with `dominating`."""
        gaps = self.result.gaps.to_numpy() / self.front.unit
        size = np.maximum(np.abs(gaps).max(axis=1), 1.0)
        error = np.abs(gaps - (self.targets - self.actual)).max(axis=1) / size
        if self.result.dominating:
            error = np.maximum(error, -gaps.min(axis=1))
        return np.asarray(error)

    def distance_error(self) -> np.ndarray:
        """Return how far the distance is from the norm of the gaps."""
        gaps = self.result.targets.to_numpy() - self.result.actual.to_numpy()
        length = np.linalg.norm(gaps * self.factor, NORM_ORDERS[self.result.norm], axis=1)
        error = np.abs(length / self.size - self.distance)
        return np.asarray(error / np.maximum(self.distance, 1.0))

    def face_error(self) -> np.ndarray:
        """Return 1 where the face is not what the frontier has on the normal.

        Or where `common` asks for one face and theirs differ.
        """
        position = {label: k for k, label in enumerate(self.front.vertices)}
        is_used = self.result.intensities.to_numpy() > 0
        off = np.abs(self.front.to_boxed(self.corners) @ self.normals.T - 1.0).T
        listed_faces = self._listed_faces()
        errors = np.ones(len(is_used))
        if self.result.common and len(set(self.result.faces)) > 1:
            return errors
        for k, labels in enumerate(self.result.faces):
            if len(set(labels)) < len(labels) or not set(labels) <= position.keys():
                continue
            face = frozenset(position[label] for label in labels)
            is_on = bool((off[k, sorted(face)] <= ON).all())
            holds_peers = set(np.flatnonzero(is_used[k]).tolist()) <= face
            if listed_faces is None:  # no list: the face has all that lies on its hyperplane
                is_face = face >= set(np.flatnonzero(off[k] <= ON / 2))
            else:
                is_face = face in listed_faces
            errors[k] = not (is_on and holds_peers and is_face)
        return errors

    def _listed_faces(self) -> set[frozenset[int]] | None:
        """Return the faces that targets may lie on; None: there is no list."""
        if _is_milp(self.result):
            return None
        hull = self.front.hull
        if self.result.on == "faces":
            return set(hull.maximal_faces)
        return {hull.corners[f] for f in np.flatnonzero(hull.efficient_facets)}

    def _efficient_normals(self) -> np.ndarray:
        """Return the normals of the facets that are efficient as a whole."""
        return np.asarray(self.front.hull.normals[self.front.hull.efficient_facets])

    def position_error(self) -> np.ndarray:
        """Return 1 where the position is not what the facets show; the tolerance's edge is free."""
        if self.front.precomputed_hull is None:
            return np.full(len(self.actual), np.nan)
        normals = self.front.hull.normals
        if self.result.on == "facets":
            normals = self._efficient_normals()
        points = self.actual
        rounding = np.zeros(len(points))
        if self.result.multiples is not None:
            points, rounding = boxed_multiples(self.front, self.result.actual.to_numpy())
        # Inside all w·p are below 1; on the boundary the greatest is 1; outside it is above.
        excess = (points @ normals.T).max(axis=1) - 1.0
        position = self.result.position.to_numpy()
        is_right = (position == "on") & (np.abs(excess) <= 2 * ON + rounding)
        is_right |= (position == "inside") & (excess < rounding - ON / 2)
        is_right |= (position == "outside") & (excess > ON / 2 - rounding)
        return np.where(is_right, 0.0, 1.0)

    def closeness_error(self) -> np.ndarray:
        """Return by how much the proof falls short of the distance."""
        if self.result.on == "facets":
            return self._closeness_on_facets()
        if _is_milp(self.result):
            return self._absence_error()
        bounds = _FaceBounds(self)
        errors = np.zeros(len(self.actual))
        everyone = list(range(len(self.actual)))
        for group in [everyone] if self.result.common else [[k] for k in everyone]:
            total = float(self.distance[group].sum())
            # Bounds above a distance prove enough; without a target all must be infinite.
            enough = np.inf if self.result.common or np.isnan(total) else total
            for exact in (False, True):  # rounding takes more from a steep slope than fractions do
                each = (bounds.bounds(k, enough, exact=exact) for k in group)
                sums = sum(each, start=np.zeros(1))
                errors[group] = _shortfall(sums, total)
                if errors[group[0]] <= TOLERANCE:
                    break
            # A total where no face has points that dominate all is as wrong as can be.
            if bounds.multiples is not None and np.isfinite(total) and np.isinf(sums).all():
                errors[group] = np.inf
        return errors

    def _absence_error(self) -> np.ndarray:
        """Return 0 for a DMU without a target where a slope shows that no mixture dominates it."""
        errors = np.full(len(self.actual), np.nan)
        if self.result.common:
            return errors
        for k in np.flatnonzero(np.isnan(self.distance)):
            rays = self.slopes[self.slope_owner == k]
            reach = ((self.front.boxed_rows - self.actual[k]) @ rays.T).min(axis=0)
            reach -= _rounding(rays, self.actual[k])
            # Under y ≤ 0 with y·(v - p) > 0 everywhere, v ≥ p is impossible.
            is_proved = self.result.dominating and (reach[rays.max(axis=1) <= 0] > 0).any()
            errors[k] = 0.0 if is_proved else np.inf
        return errors

    def _closeness_on_facets(self) -> np.ndarray:
        """Do `closeness_error` for extended facets."""
        normals = self._efficient_normals()
        room = 1.0 - self.actual @ normals.T
        steep = np.linalg.norm(normals / self.stretch, DUAL_NORM_ORDERS[self.result.norm], axis=1)
        # The distance of a hyperplane is its slack at the point over the dual norm of its normal.
        lengths = np.abs(room) / steep
        errors = np.full(len(self.actual), np.nan)
        if self.result.common:  # nothing is claimed
            return errors
        for k, point in enumerate(self.actual):
            if np.isnan(self.distance[k]):  # nothing in the region dominates a point outside of it
                is_outside = self.result.dominating and room[k].min() < -ON / 2
                errors[k] = 0.0 if is_outside else np.inf
                continue
            if room[k].min() >= -ON:  # inside every boundary point lies on one of the hyperplanes
                bound = lengths[k].min()
            else:
                bound = self._bound_from_outside(k, point, normals)
            errors[k] = _shortfall(np.array([bound]), self.distance[k])
        return errors

    def _bound_from_outside(self, k: int, point: np.ndarray, normals: np.ndarray) -> float:
        """Return by what multiples of facets' normals bound the distance of DMU k."""
        multiples = -self.slopes[self.slope_owner == k]
        if not len(multiples):
            return 0.0
        # Each multiple must be μ_f w_f for some facet f: the one that it is nearest to.
        size = multiples.sum(axis=1) / normals.sum(axis=1)[:, None]  # (f, multiples)
        off = np.abs(multiples[None] - size[:, :, None] * normals[:, None]).max(axis=2)
        mu = size[off.argmin(axis=0), np.arange(len(multiples))]
        is_multiple = off.min(axis=0) <= TOLERANCE * np.abs(multiples).max(axis=1)
        if mu.min() < 0 or not is_multiple.all():
            return 0.0
        # Every t of the region has w_f·t ≤ 1, so y·(p - t) ≥ y·p - Σ μ_f: a bound on the distance.
        y = multiples.sum(axis=0)
        norm = float(np.linalg.norm(y / self.stretch, DUAL_NORM_ORDERS[self.result.norm]))
        return float(y @ point - mu.sum()) / max(norm, 1.0)


class _FaceBounds:
    """Lower bounds on the distance to every maximal Pareto-efficient face."""

    def __init__(self, boxed: _BoxedTargets) -> None:
        self.boxed = boxed
        self.norm = boxed.result.norm
        self.dominating = boxed.result.dominating
        # Of a cone DMUs with a common face may be small beside its hull.
        self.multiples: tuple[np.ndarray, np.ndarray] | None = None
        if boxed.result.common and self.dominating and boxed.result.multiples is not None:
            self.multiples = boxed_multiples(boxed.front, boxed.result.actual.to_numpy())
        hull = boxed.front.hull
        # Padded with vertices of its own, which change no minimum, every face has equally many.
        width = max(len(face) for face in hull.maximal_faces)
        self.members = np.array([(tuple(face) * width)[:width] for face in hull.maximal_faces])
        self.points = hull.points
        self.corners = hull.points[self.members]
        self.low = self.corners.min(axis=1)
        self.high = self.corners.max(axis=1)
        # A normal that is off its face bounds nothing; the frontier's own certificate tells that
        # none is negative.
        normal = hull.mean_normals
        off = np.abs(np.einsum("fkr,fr->fk", self.corners, normal) - 1.0).max(axis=1)
        holds = off <= ON
        self.normal = np.where(holds[:, None], normal, 0.0)
        self.level = holds.astype(float)
        steep = np.linalg.norm(self.normal / boxed.stretch, DUAL_NORM_ORDERS[self.norm], axis=1)
        self.steep = np.maximum(steep, 1e-300)

    def bounds(self, k: int, sufficient: float, *, exact: bool = False) -> np.ndarray:
        """Return bounds (f,) for DMU k, infinite where nothing on the face dominates it.

        The better of its box and its mean normal, and the best of the slopes where these are not
        `sufficient`: with `exact` in fractions.
        """
        boxed = self.boxed
        point = boxed.actual[k]
        box = np.maximum(self.low - point, 0.0) + np.maximum(point - self.high, 0.0)
        excess = self.normal @ point - self.level
        # The nearest point of the face's bounding box, and of the hyperplane of its mean normal.
        box_distance = np.linalg.norm(box * boxed.stretch, NORM_ORDERS[self.norm], axis=1)
        bounds = np.maximum(box_distance, np.abs(excess) / self.steep)
        if self.dominating:
            bounds[(self.high < point - ON).any(axis=1) | (excess > ON)] = np.inf
        slopes = boxed.slopes[boxed.slope_owner == k]
        if self.multiples is not None:
            points, rounding = self.multiples
            is_excluded = faces_that_dominate_none(
                self.corners, self.normal, self.level, points[k], rounding[k], slopes
            )
            bounds[is_excluded] = np.inf
        faces = np.flatnonzero(bounds < sufficient)
        if len(slopes):
            reach = (self.points - point) @ slopes.T - _rounding(slopes, point)
            if exact:
                actual = boxed.result.actual.to_numpy()[k]
                reach = exact_products(boxed.corners, actual, slopes / boxed.front.unit)
            by_slopes = self._slope_bounds(slopes, reach[self.members[faces]].min(axis=1))
            bounds[faces] = np.maximum(bounds[faces], by_slopes)
        return np.asarray(bounds)

    def _slope_bounds(self, slopes: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """Return by what the best slope bounds the distance to some faces (f,), by y·(v - p)."""
        # y·(t - p) ≤ dual norm of y · distance; with t ≥ p the negative part of y only helps.
        priced = np.maximum(slopes, 0.0) if self.dominating else slopes
        norms = np.linalg.norm(priced / self.boxed.stretch, DUAL_NORM_ORDERS[self.norm], axis=1)
        # Under y ≤ 0 with y·(v - p) > 0 on all vertices nothing on the face dominates p.
        is_ray = self.dominating & (slopes.max(axis=1) <= 0)
        bounds = np.where(is_ray & (reach > 0), np.inf, reach / np.maximum(norms, 1.0))
        return np.asarray(bounds.max(axis=1))


def _rounding(slopes: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return what rounding makes of slope·(v - point), for boxed v of at most 3."""
    return np.asarray(ROUND * (np.abs(slopes) * (3.0 + np.abs(point))).sum(axis=1))


def _shortfall(bounds: np.ndarray, distance: float) -> float:
    """Return by how much the least bound falls short; without a target, 0 if all are infinite."""
    if np.isnan(distance):
        return 0.0 if np.isinf(bounds).all() else np.inf
    return float(max(distance - bounds.min(), 0.0) / max(distance, 1.0))
