"""Prove that a free disposal hull is right, and no undominated classifier nearer than a target.

Every pair is compared again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from deabench.utils.arrays import blocks

NORM_ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
ON = 1e-9
"""A point is on the boundary within this, in boxed metrics."""


def certify_fdh_frontier(front: Any) -> pd.DataFrame:
    """Recompute a free disposal hull; one row of what each claim misses by.

    Returns
    -------
    DataFrame
        covered : rows that no efficient one stands for, being nowhere below them; dominated :
        efficient ones that another row dominates; points : efficient ones that are missing, or are
        other rows than claimed. 0 where it holds.
    """
    values = front.data.outputs.to_numpy()
    labels = front.data.labels
    positions = labels.get_indexer(front.vertices)
    vertices = values[positions]
    # Every row is nowhere above some vertex, and equal to one if it is extreme.
    uncovered = 0
    extreme_labels: set[Any] = set()
    for rows in blocks(len(values), vertices.size):
        block = values[rows][:, None]
        uncovered += int((~(vertices[None] >= block).all(axis=2).any(axis=1)).sum())
        extreme_labels |= set(labels[rows][(vertices[None] == block).all(axis=2).any(axis=1)])
    # No row dominates a vertex.
    dominated = 0
    for rows in blocks(len(vertices), values.size):
        block = vertices[rows][:, None]
        dominates = (values[None] >= block).all(axis=2) & (values[None] > block).any(axis=2)
        dominated += int(dominates.any(axis=1).sum())
    unknown = int((positions < 0).sum())
    duplicates = len(vertices) - len(np.unique(vertices, axis=0))
    points = unknown + len(extreme_labels ^ set(front.extreme)) + duplicates
    return pd.DataFrame(
        {"covered": [uncovered], "dominated": [dominated], "points": [points]},
        index=pd.Index(["frontier"], name="result"),
        dtype=float,
    )


def certify_fdh_targets(result: Any) -> pd.DataFrame:
    """Recompute targets on a free disposal hull; one row per DMU.

    Returns
    -------
    DataFrame
        lambda_error : how far the target is from one efficient classifier; gap_error,
        distance_error : how far gaps and distance are from those of that target, or a gap below 0
        with `dominating`; face_error : 1 where `faces` names another; closest : by how much some
        efficient classifier is nearer (0 where there is no target and none is nowhere below; with
        `common`, in sum); position : 1 where it is another; frontier : the greatest miss in the
        frontier's own certificate.
    """
    front = result.frontier
    vertices = front.data.outputs.loc[front.vertices].to_numpy()
    factor = np.array([result.weights[name] for name in result.targets.columns])
    actual = result.actual.to_numpy()
    target = result.targets.to_numpy()
    unit = front.unit
    lam = result.intensities.to_numpy()
    gaps = result.gaps.to_numpy()
    distance = result.distance.to_numpy()
    is_one_classifier = ((lam == 0) | (lam == 1)).all(axis=1) & (lam.sum(axis=1) == 1)
    # A target on a free disposal hull is one efficient classifier itself, not a mix.
    lambda_error = np.abs((lam @ vertices - target) / unit).max(axis=1)
    # Gaps are measured in each metric's unit; a dominating target has none below 0.
    gap_error = np.abs(gaps - (target - actual)) / unit
    if result.dominating:
        gap_error = np.maximum(gap_error, np.maximum(-gaps / unit, 0.0))
    # Distances are compared relative to their size, at least to the largest weighted unit.
    size = np.maximum(np.nan_to_num(distance), (factor * unit).max())
    length = np.linalg.norm((target - actual) * factor, NORM_ORDERS[result.norm], axis=1)
    frame = pd.DataFrame(
        {
            "lambda_error": np.where(is_one_classifier, lambda_error, np.inf),
            "gap_error": gap_error.max(axis=1),
            "distance_error": np.abs(length - distance) / size,
            "face_error": [
                float(list(face) != [front.vertices[k] for k in np.flatnonzero(row)])
                for face, row in zip(result.faces, lam, strict=True)
            ],
        },
        index=result.targets.index,
    )
    frame.loc[result.distance.isna()] = np.nan
    frame["closest"] = _closeness_errors(result, vertices, actual, factor) / size
    frame["position"] = _position_errors(result, vertices / unit, actual / unit)
    frame["frontier"] = float(certify_fdh_frontier(front).to_numpy().max())
    return frame


def _closeness_errors(
    result: Any, vertices: np.ndarray, actual: np.ndarray, factor: np.ndarray
) -> np.ndarray:
    """Return by how much the nearest efficient classifier is nearer than the target.

    Infinite where there is one and no target.
    """
    lengths = np.array(
        [
            np.linalg.norm((vertices - point) * factor, NORM_ORDERS[result.norm], axis=1)
            for point in actual
        ]
    )
    if result.dominating:
        lengths[(vertices[None] < actual[:, None]).any(axis=2)] = np.inf
    distance = result.distance.to_numpy()
    if result.common:  # one classifier for all: only the sum of the distances counts
        lengths = np.tile(lengths.sum(axis=0), (len(actual), 1))
        distance = np.full(len(actual), distance.sum())
    shortest = lengths.min(axis=1)
    without_target = np.where(np.isinf(shortest), 0.0, np.inf)
    return np.where(np.isnan(distance), without_target, np.maximum(distance - shortest, 0.0))


def _position_errors(result: Any, vertices: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Return 1 where the position is another, in boxed metrics; the tolerance's edge is free."""
    # How far each point could rise in all metrics together and still be below a vertex.
    rise = np.array([(vertices - point).min(axis=1).max() for point in actual])
    position = result.position.to_numpy()
    is_right = np.abs(rise) <= 2 * ON
    is_right = np.where(position == "inside", rise > ON / 2, is_right)
    is_right = np.where(position == "outside", rise < -ON / 2, is_right)
    return np.asarray(~is_right, dtype=float)
