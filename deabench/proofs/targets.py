"""That a target is on the frontier, and that no point of it is nearer.

Every Pareto-efficient face has a bound of its own, so that their union need not be convex. For a
slope y and a face with vertices v, no point of the face is nearer to p than min_v y·(v - p) /
max(1, dual norm of y), as |y·(t - p)| ≤ dual norm · distance. With `dominating` only the positive
part of y counts, as t - p ≥ 0; and where y ≤ 0 has y·(v - p) > 0 on all vertices, no point of the
face is nowhere below p.

On facets extended: from inside, no hyperplane is nearer than its distance; from outside, y = Σ μ_f
w_f with μ ≥ 0 falls from p to any point of the region by at least y·p - Σ μ_f."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from deabench.proofs import fdh
from deabench.proofs import frontier as whole
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
DUAL = {"l1": np.inf, "l2": 2, "linf": 1}
ORDER = {"l1": 1, "l2": 2, "linf": np.inf}


def scale_norm(factor: np.ndarray, unit: np.ndarray) -> tuple[float, np.ndarray]:
    """What a distance of 1 in boxed metrics is in the metrics' own units, and the norm's weights
    (s,) there, about 1 at most.
    """
    stretch = factor * unit
    size = float(np.exp2(np.floor(np.log2(stretch.max()))))
    return size, stretch / size


def certify_targets(result: Any) -> pd.DataFrame:
    """One row per DMU.

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
        return fdh.certify_fdh_targets(result)
    work = _Boxed(result)
    frame = pd.DataFrame(
        {
            "lambda_error": work.lambda_error(),
            "beyond": work.beyond(),
            "off": work.off(),
            "least_weight": work.normals.min(axis=1),
            "gap_error": work.gap_error(),
            "distance_error": work.distance_error(),
            "face_error": work.face_error(),
        },
        index=result.targets.index,
    )
    frame.loc[result.distance.isna()] = np.nan
    frame["closest"] = work.closest()
    frame["position"] = work.misplaced()
    frame["frontier"] = _frontier(result.frontier)
    return frame


def closeness_violations(result: Any) -> np.ndarray:
    """The certificate's `closest` alone."""
    return _Boxed(result).closest()


def target_violations(result: Any, proof: pd.DataFrame) -> dict[str, np.ndarray]:
    """By how much each claim misses; what is not proved is not claimed."""
    out = {name: proof[name].to_numpy() for name in CLAIMED if name in proof}
    said = proof.index.isin(list(result.reasons)) & result.distance.notna().to_numpy()
    out["reason_without_cause"] = np.where(said, 1.0, 0.0)
    if result.frontier.technology == "fdh":
        return out
    if _milp(result):
        dead = result.distance.isna().to_numpy() & (not result.common)
        out["closest"] = np.where(dead, out["closest"], 0.0)
        if result.frontier.precomputed_hull is None:
            del out["position"]
    elif result.common and result.on == "facets":
        del out["closest"]
    weak = {"weight_that_is_not_positive": np.where(proof["least_weight"] <= 0, 1.0, 0.0)}
    return weak | out


def unproved_target_claims(result: Any) -> tuple[str, ...]:
    """What is not claimed, in words."""
    out = []
    if _milp(result):
        out.append("not certified: that no target is nearer is the MILP solver's word")
        if result.frontier.precomputed_hull is None:
            out.append(
                "not certified: the position, and that the frontier has no other extreme classifiers"
            )
    elif result.common and result.on == "facets":
        out.append("not certified: that no other facet is nearer to all of them together")
    if result.multiples is not None:
        out.append(
            "not certified: that the rows of the frontier are the multiples of the reference that `multiples` says"
        )
    return tuple(out)


def _milp(result: Any) -> bool:
    return bool(result.method == "milp")


def _frontier(front: Any) -> float:
    if front.precomputed_hull is None:
        return float(whole.count_wrong_dominators(front.data.outputs.to_numpy(), front.dominator))
    return float(whole.certify_frontier(front).fillna(np.inf).to_numpy().max())


class _Boxed:
    """A result's numbers in boxed metrics."""

    def __init__(self, result: Any) -> None:
        self.result, self.front = result, result.frontier
        front, columns = self.front, result.targets.columns
        self.factor = np.array([result.weights[name] for name in columns])
        self.size, self.stretch = scale_norm(self.factor, front.unit)
        self.targets, self.actual = (
            front.to_boxed(part.to_numpy()) for part in (result.targets, result.actual)
        )
        own = result.normals.to_numpy()
        self.normals = own * front.unit / (1.0 - own @ front.origin)[:, None]
        self.steep = np.abs(self.normals).max(axis=1)
        self.slopes = result.slopes.to_numpy() * front.unit / self.size
        self.of = result.targets.index.get_indexer(result.slopes.index)
        self.distance = result.distance.to_numpy() / self.size
        self.corners = front.vertex_outputs.to_numpy()

    def lambda_error(self) -> np.ndarray:
        lam = self.result.intensities.to_numpy()
        miss = np.abs(self.front.to_boxed(lam @ self.corners) - self.targets).max(axis=1)
        miss = np.maximum.reduce([miss, np.abs(lam.sum(axis=1) - 1), -lam.min(axis=1)])
        return (
            miss
            if self.result.on == "faces"
            else np.where(np.isnan(miss) | lam.any(axis=1), np.nan, 0.0)
        )

    def beyond(self) -> np.ndarray:
        reach = (self.front.boxed_rows @ self.normals.T).max(axis=0)
        if self.result.on == "facets":
            reach = np.maximum(reach, (self.targets @ self._full().T).max(axis=1))
        return np.asarray(np.maximum(reach - 1.0, 0.0) / self.steep)

    def off(self) -> np.ndarray:
        return np.asarray(np.abs((self.targets * self.normals).sum(axis=1) - 1.0) / self.steep)

    def gap_error(self) -> np.ndarray:
        gaps = self.result.gaps.to_numpy() / self.front.unit
        miss = np.abs(gaps - (self.targets - self.actual)).max(axis=1) / np.maximum(
            np.abs(gaps).max(axis=1), 1.0
        )
        return np.asarray(np.maximum(miss, -gaps.min(axis=1)) if self.result.dominating else miss)

    def distance_error(self) -> np.ndarray:
        gaps = self.result.targets.to_numpy() - self.result.actual.to_numpy()
        length = np.linalg.norm(gaps * self.factor, ORDER[self.result.norm], axis=1)
        return np.asarray(
            np.abs(length / self.size - self.distance) / np.maximum(self.distance, 1.0)
        )

    def face_error(self) -> np.ndarray:
        """1 where the face is not what the frontier has on the normal, or `common` and not that of
        the others.
        """
        labels = {label: k for k, label in enumerate(self.front.vertices)}
        lam = self.result.intensities.to_numpy() > 0
        away = np.abs(self.front.to_boxed(self.corners) @ self.normals.T - 1.0).T
        known = self._faces()
        shared = self.result.common and len(set(self.result.faces)) > 1
        out = np.ones(len(lam))
        for k, face in enumerate(self.result.faces):
            if shared or len(set(face)) < len(face) or not set(face) <= labels.keys():
                continue
            own = frozenset(labels[label] for label in face)
            held = (
                bool((away[k, sorted(own)] <= ON).all())
                and set(np.flatnonzero(lam[k]).tolist()) <= own
            )
            out[k] = not (
                held
                and (
                    own in known
                    if known is not None
                    else own >= set(np.flatnonzero(away[k] <= ON / 2))
                )
            )
        return out

    def _faces(self) -> set[frozenset[int]] | None:
        if _milp(self.result):
            return None
        hull = self.front.hull
        return (
            set(hull.maximal_faces)
            if self.result.on == "faces"
            else {hull.corners[f] for f in np.flatnonzero(hull.efficient_facets)}
        )

    def _full(self) -> np.ndarray:
        return np.asarray(self.front.hull.normals[self.front.hull.efficient_facets])

    def misplaced(self) -> np.ndarray:
        """1 where the position is not what the facets say; either side of the tolerance's edge is
        right.
        """
        if self.front.precomputed_hull is None:
            return np.full(len(self.actual), np.nan)
        normals = self._full() if self.result.on == "facets" else self.front.hull.normals
        excess = (self.actual @ normals.T).max(axis=1) - 1.0
        said = self.result.position.to_numpy()
        right = ((said == "on") & (np.abs(excess) <= 2 * ON)) | (
            (said == "inside") & (excess < -ON / 2)
        )
        return np.where(right | ((said == "outside") & (excess > ON / 2)), 0.0, 1.0)

    def closest(self) -> np.ndarray:
        """By how much the proof falls short of the distance."""
        if self.result.on == "facets":
            return self._on_facets()
        if _milp(self.result):
            return self._nowhere()
        bounds = _Bounds(self)
        enough = (
            np.full(len(self.actual), np.inf)
            if self.result.common
            else np.nan_to_num(self.distance, nan=np.inf)
        )
        each = (bounds.of(k, enough[k]) for k in range(len(self.actual)))
        if self.result.common:
            short = _short(np.sum(list(each), axis=0), float(self.distance.sum()))
            return np.full(len(self.actual), short)
        return np.array([_short(bound, d) for bound, d in zip(each, self.distance, strict=True)])

    def _nowhere(self) -> np.ndarray:
        """For a DMU without a target: 0 where one slope shows that no mixture dominates it."""
        out = np.full(len(self.actual), np.nan)
        for k in np.flatnonzero(np.isnan(self.distance)) if not self.result.common else ():
            rays = self.slopes[self.of == k]
            reach = ((self.front.boxed_rows - self.actual[k]) @ rays.T).min(axis=0) - _rounding(
                rays, self.actual[k]
            )
            out[k] = (
                0.0
                if self.result.dominating and (reach[rays.max(axis=1) <= 0] > 0).any()
                else np.inf
            )
        return out

    def _on_facets(self) -> np.ndarray:
        normals = self._full()
        room = 1.0 - self.actual @ normals.T
        lengths = np.abs(room) / np.linalg.norm(
            normals / self.stretch, DUAL[self.result.norm], axis=1
        )
        if self.result.common:
            bound = lengths.sum(axis=0).min()
            return np.full(len(self.actual), _short(np.array([bound]), float(self.distance.sum())))
        out = np.empty(len(self.actual))
        for k, point in enumerate(self.actual):
            bound = lengths[k].min() if room[k].min() >= -ON else self._outside(k, point, normals)
            out[k] = _short(np.array([bound]), self.distance[k])
            if np.isnan(self.distance[k]):
                out[k] = 0.0 if self.result.dominating and room[k].min() < -ON / 2 else np.inf
        return out

    def _outside(self, k: int, point: np.ndarray, normals: np.ndarray) -> float:
        """What multiples of facets' normals bound the distance by."""
        parts = -self.slopes[self.of == k]
        if not len(parts):
            return 0.0
        size = parts.sum(axis=1) / normals.sum(axis=1)[:, None]  # (f, parts)
        off = np.abs(parts[None] - size[:, :, None] * normals[:, None]).max(axis=2)
        mu = size[off.argmin(axis=0), np.arange(len(parts))]
        if mu.min() < 0 or (off.min(axis=0) > TOLERANCE * np.abs(parts).max(axis=1)).any():
            return 0.0
        y = parts.sum(axis=0)
        norm = float(np.linalg.norm(y / self.stretch, DUAL[self.result.norm]))
        return float(y @ point - mu.sum()) / max(norm, 1.0)


class _Bounds:
    """Lower bounds on the distance to every maximal Pareto-efficient face."""

    def __init__(self, work: _Boxed) -> None:
        self.work, hull = work, work.front.hull
        most = max(len(face) for face in hull.maximal_faces)
        self.members = np.array(
            [(tuple(face) * most)[:most] for face in hull.maximal_faces]
        )  # a vertex twice changes no minimum
        self.points = hull.points
        corners = hull.points[self.members]
        self.low, self.high = corners.min(axis=1), corners.max(axis=1)
        self.norm, self.dominating = work.result.norm, work.result.dominating
        normal = hull.mean_normals
        holds = (np.abs(np.einsum("fkr,fr->fk", corners, normal) - 1.0).max(axis=1) <= ON) & (
            normal > 0
        ).all(axis=1)
        self.normal, self.level = (
            np.where(holds[:, None], normal, 0.0),
            holds.astype(float),
        )  # else it bounds nothing
        self.steep = np.maximum(
            np.linalg.norm(self.normal / work.stretch, DUAL[self.norm], axis=1), 1e-300
        )

    def of(self, k: int, enough: float) -> np.ndarray:
        """The bounds (f,) for DMU k: the best of its box and its mean normal, and of each slope
        where these are not `enough`; infinite where nothing dominates.
        """
        work, point = self.work, self.work.actual[k]
        box = np.maximum(self.low - point, 0.0) + np.maximum(point - self.high, 0.0)
        beyond = self.normal @ point - self.level
        best = np.maximum(
            np.linalg.norm(box * work.stretch, ORDER[self.norm], axis=1),
            np.abs(beyond) / self.steep,
        )
        if self.dominating:
            best[(self.high < point - ON).any(axis=1) | (beyond > ON)] = np.inf
        slopes, open_ = work.slopes[work.of == k], np.flatnonzero(best < enough)
        if len(slopes):
            best[open_] = np.maximum(best[open_], self._along(slopes, point, self.members[open_]))
        return np.asarray(best)

    def _along(self, slopes: np.ndarray, point: np.ndarray, members: np.ndarray) -> np.ndarray:
        """What the best slope bounds the distance to each of the faces by."""
        counted = np.maximum(slopes, 0.0) if self.dominating else slopes
        size = np.maximum(np.linalg.norm(counted / self.work.stretch, DUAL[self.norm], axis=1), 1.0)
        reach = ((self.points - point) @ slopes.T)[members].min(axis=1) - _rounding(slopes, point)
        rays = self.dominating & (slopes.max(axis=1) <= 0)
        return np.asarray(np.where(rays & (reach > 0), np.inf, reach / size).max(axis=1))


def _rounding(slopes: np.ndarray, point: np.ndarray) -> np.ndarray:
    return np.asarray(ROUND * (np.abs(slopes) * (3.0 + np.abs(point))).sum(axis=1))


def _short(bounds: np.ndarray, distance: float) -> float:
    """By how much the least of the bounds falls short; without a target, 0 where all are infinite."""
    if np.isnan(distance):
        return 0.0 if np.isinf(bounds).all() else np.inf
    return float(max(distance - bounds.min(), 0.0) / max(distance, 1.0))
