"""Data of a task as arrays in units of about 1, with the input that everybody has where none is
given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.proofs.ranking import LAMBDA_SUM_BOUNDS
from deabench.results.answer import Answer, Task
from deabench.tables.transforms import Data
from deabench.utils.arrays import TOLERANCE, Sparse, blocks, scale


@dataclass(frozen=True, eq=False)
class Scaled:
    """The arrays of a task.

    Attributes
    ----------
    X, Y : arrays (n, m) and (n, s)
        Of the reference, divided by `unit_x` and `unit_y` (powers of two: nothing is rounded).
    x, y : arrays (K, m) and (K, s)
        Of the tested DMUs, in the same units.
    returns : str
        "vrs" where there is no input: everybody then has one that is 1.
    """

    X: np.ndarray
    Y: np.ndarray
    x: np.ndarray
    y: np.ndarray
    unit_x: np.ndarray
    unit_y: np.ndarray
    returns: str

    @classmethod
    def of(cls, task: Task | Answer) -> Scaled:
        """The arrays of a task's data and reference."""
        X, x = task.reference.inputs.to_numpy(), task.data.inputs.to_numpy()
        returns = task.options.returns
        if not X.shape[1]:
            X, x, returns = np.ones((len(X), 1)), np.ones((len(x), 1)), "vrs"
        Y, y = task.reference.outputs.to_numpy(), task.data.outputs.to_numpy()
        unit_x, unit_y = scale(X), scale(Y)
        return cls(X / unit_x, Y / unit_y, x / unit_x, y / unit_y, unit_x, unit_y, returns)


def slacks_of(task: Task | Answer, lam: Sparse, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What λ gives beyond the points (x, y), (K, s + m), outputs first, in the metrics' own units."""
    gained = lam.dot(task.reference.outputs.to_numpy()) - y
    spared = x - lam.dot(task.reference.inputs.to_numpy())
    return np.column_stack([gained, spared])


def metrics(data: Data) -> list[str]:
    """The outputs, then the inputs."""
    return [*data.outputs.columns, *data.inputs.columns]


def total_lambda(returns: str) -> tuple[float, float]:
    """The bounds of Σ λ."""
    return LAMBDA_SUM_BOUNDS[returns]


def placed(lam: Sparse, kept: np.ndarray) -> Sparse:
    """λ over the reference DMUs `kept`, by their positions in the whole reference; what rounding
    made negative is 0.
    """
    columns = np.where(lam.columns >= 0, kept[np.maximum(lam.columns, 0)], -1).astype(np.int32)
    return Sparse(columns, np.maximum(lam.values, 0.0))


def prefer(rows: np.ndarray, better: Sparse, other: Sparse) -> Sparse:
    """`other` with the rows at the positions `rows` replaced by those of `better`, in order."""
    width, used = (
        max(better.columns.shape[1], other.columns.shape[1]),
        np.arange(better.columns.shape[1]),
    )
    columns, values = (
        np.full((len(other.columns), width), -1, dtype=np.int32),
        np.zeros((len(other.columns), width)),
    )
    columns[:, : other.columns.shape[1]], values[:, : other.columns.shape[1]] = (
        other.columns,
        other.values,
    )
    columns[rows], values[rows] = -1, 0.0
    columns[rows[:, None], used], values[rows[:, None], used] = better.columns, better.values
    return Sparse(columns, values)


def support(
    given: Scaled, u: np.ndarray, v: np.ndarray, sums: tuple[float, float] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The largest u·y − v·x of any possible production, for each row of weights u (K, s), v (K, m)
    in scaled metrics, and by how much one that can be multiplied without end has it above 0 (then
    there is no largest).

    That is what proves every model: no mixture of the reference lies beyond the hyperplane of its
    weights."""
    most, (low, high) = np.empty(len(u)), sums or total_lambda(given.returns)
    table = np.ascontiguousarray(np.column_stack([given.Y, -given.X]).T)
    weights = np.column_stack([u, v])
    for part in blocks(len(u), len(given.Y)):
        most[part] = (weights[part] @ table).max(axis=1)
    above = np.maximum(most, 0.0)
    return (high * above if np.isfinite(high) else 0.0) + low * np.minimum(
        most, 0.0
    ), 0.0 * above if np.isfinite(high) else above


def pareto_efficient(scores: pd.Series, slacks: pd.DataFrame, data: Data) -> pd.Series:
    """Return which DMUs are Pareto-efficient: the score reaches 1 and no slack is left, both within
    `deabench.utils.arrays.TOLERANCE`.
    """
    unit = np.append(data.outputs.abs().max(), data.inputs.abs().max())
    largest_slack = (slacks.to_numpy() / np.where(unit > 0, unit, 1.0)).max(axis=1, initial=0.0)
    return ((scores >= 1 - TOLERANCE) & (largest_slack <= TOLERANCE)).rename("efficient")
