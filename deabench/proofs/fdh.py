"""That the free disposal hull is right, and that no undominated classifier is nearer than a target:
every pair compared again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from deabench.utils.arrays import blocks

ORDER = {"l1": 1, "l2": 2, "linf": np.inf}
ON = 1e-9


def certify_fdh_frontier(front: Any) -> pd.DataFrame:
    """One row of what each claim misses by.

    Returns
    -------
    DataFrame
        covered : rows that no efficient one stands for, being nowhere below them; dominated :
        efficient ones that another row dominates; points : efficient ones that are missing, or are
        not the rows that they are said to be. 0 where it holds.
    """
    values, labels = front.data.outputs.to_numpy(), front.data.labels
    where = labels.get_indexer(front.vertices)
    covered = dominated = 0
    for part in blocks(len(values), len(where) * values.shape[1]):
        above = (values[where][None] >= values[part][:, None]).all(axis=2)
        covered += int((~above.any(axis=1)).sum())
    for part in blocks(len(where), len(values) * values.shape[1]):
        mine = values[where[part]][:, None]
        dominated += int(
            ((values[None] >= mine).all(axis=2) & (values[None] > mine).any(axis=2))
            .any(axis=1)
            .sum()
        )
    alike = {
        label
        for part in blocks(len(values), len(where) * values.shape[1])
        for label in labels[part][
            (values[where][None] == values[part][:, None]).all(axis=2).any(axis=1)
        ]
    }
    points = (
        int((where < 0).sum())
        + len(alike ^ set(front.extreme))
        + len(where)
        - len(np.unique(values[where], axis=0))
    )
    return pd.DataFrame(
        {"covered": [covered], "dominated": [dominated], "points": [points]},
        index=pd.Index(["frontier"], name="result"),
        dtype=float,
    )


def certify_fdh_targets(result: Any) -> pd.DataFrame:
    """One row per DMU.

    Returns
    -------
    DataFrame
        lambda_error : how far the target is from one efficient classifier; gap_error,
        distance_error : how far gaps and distance are from those of that target, or a gap below 0
        with `dominating`; face_error : 1 where `faces` names another; closest : by how much some
        efficient classifier is nearer (0 where there is no target and none is nowhere below; with
        `common`, in sum); position : 1 where it is another; frontier : the worst that the
        frontier's own certificate says.
    """
    front = result.frontier
    corners = front.data.outputs.loc[front.vertices].to_numpy()
    factor = np.array([result.weights[name] for name in result.targets.columns])
    actual, target, unit = result.actual.to_numpy(), result.targets.to_numpy(), front.unit
    lam = result.intensities.to_numpy()
    gaps, distance = result.gaps.to_numpy(), result.distance.to_numpy()
    one = ((lam == 0) | (lam == 1)).all(axis=1) & (lam.sum(axis=1) == 1)
    size = np.maximum(np.nan_to_num(distance), (factor * unit).max())
    missed = np.abs(gaps - (target - actual)) / unit
    lower = np.maximum(-gaps / unit, 0.0) if result.dominating else np.zeros_like(gaps)
    frame = pd.DataFrame(
        {
            "lambda_error": np.where(
                one, np.abs((lam @ corners - target) / unit).max(axis=1), np.inf
            ),
            "gap_error": np.maximum(missed, lower).max(axis=1),
            "distance_error": np.abs(
                np.linalg.norm((target - actual) * factor, ORDER[result.norm], axis=1) - distance
            )
            / size,
            "face_error": [
                float(list(face) != [front.vertices[k] for k in np.flatnonzero(row)])
                for face, row in zip(result.faces, lam, strict=True)
            ],
        },
        index=result.targets.index,
    )
    frame.loc[result.distance.isna()] = np.nan
    frame["closest"] = _nearer(result, corners, actual, factor) / size
    frame["position"] = _misplaced(result, corners / unit, actual / unit)
    frame["frontier"] = float(certify_fdh_frontier(front).to_numpy().max())
    return frame


def _nearer(result: Any, corners: np.ndarray, actual: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """By how much the nearest efficient classifier is nearer than the target; infinite where there
    is one and no target.
    """
    length = np.array(
        [np.linalg.norm((corners - point) * factor, ORDER[result.norm], axis=1) for point in actual]
    )
    if result.dominating:
        length[(corners[None] < actual[:, None]).any(axis=2)] = np.inf
    distance = result.distance.to_numpy()
    if result.common:
        length, distance = (
            np.tile(length.sum(axis=0), (len(actual), 1)),
            np.full(len(actual), distance.sum()),
        )
    least = length.min(axis=1)
    return np.where(
        np.isnan(distance),
        np.where(np.isinf(least), 0.0, np.inf),
        np.maximum(distance - least, 0.0),
    )


def _misplaced(result: Any, corners: np.ndarray, actual: np.ndarray) -> np.ndarray:
    rise = np.array([(corners - point).min(axis=1).max() for point in actual])
    said = result.position.to_numpy()
    right = np.where(
        said == "inside",
        rise > ON / 2,
        np.where(said == "outside", rise < -ON / 2, np.abs(rise) <= 2 * ON),
    )
    return np.asarray(~right, dtype=float)
