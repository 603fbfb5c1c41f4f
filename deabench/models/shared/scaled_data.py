"""Data of a task as arrays in units of about 1, and what programs over such arrays share.

Where no input is given, every DMU has one that is 1: the same programs then serve both cases, and
the multiplier of that input is part of u_0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from deabench.geometry.dominance import undominated_rows
from deabench.proofs.ranking import LAMBDA_SUM_BOUNDS
from deabench.results.answer import Answer, Task
from deabench.solver.solve_all import Solutions
from deabench.solver.template import Template, compile_template
from deabench.tables.transforms import Data
from deabench.utils.arrays import TOLERANCE, Sparse, blocks, scale
from deabench.utils.frames import column_positions

SMALL = 2.0**6
"""A value so many times below the largest of its metric is judged by its own size."""


INWARD = 1e-13
"""Projections are moved inwards by this, in scaled metrics, before slacks are computed.

Rounded, they may lie just beyond the frontier.
"""
EXACT_INWARD = 2.0**-51
"""The same for slacks in rational arithmetic: two units in the last place of a metric of 1."""


@dataclass(frozen=True, eq=False)
class ScaledData:
    """The arrays of a task.

    Attributes
    ----------
    X, Y : arrays (n, m) and (n, s)
        Of the reference, divided by `unit_x` and `unit_y` (powers of two: nothing is rounded).
    x, y : arrays (K, m) and (K, s)
        Of the tested DMUs, in the same units.
    returns : str
        "vrs" where there is no input: every DMU then has one that is 1.
    """

    X: np.ndarray
    Y: np.ndarray
    x: np.ndarray
    y: np.ndarray
    unit_x: np.ndarray
    unit_y: np.ndarray
    returns: str

    @classmethod
    def of(cls, task: Task | Answer) -> ScaledData:
        """Return the arrays of a task's data and reference."""
        X = task.reference.inputs.to_numpy()
        x = task.data.inputs.to_numpy()
        returns = task.options.returns
        if not X.shape[1]:
            X = np.ones((len(X), 1))
            x = np.ones((len(x), 1))
            returns = "vrs"
        Y = task.reference.outputs.to_numpy()
        y = task.data.outputs.to_numpy()
        unit_x = metric_units(x, X)
        unit_y = metric_units(y, Y)
        return cls(X / unit_x, Y / unit_y, x / unit_x, y / unit_y, unit_x, unit_y, returns)

    @property
    def m(self) -> int:
        """The number of inputs."""
        return int(self.X.shape[1])

    @property
    def s(self) -> int:
        """The number of outputs."""
        return int(self.Y.shape[1])

    @property
    def units(self) -> np.ndarray:
        """What a scaled metric is divided by, (s + m,), outputs first."""
        return np.append(self.unit_y, self.unit_x)

    @property
    def reference_table(self) -> np.ndarray:
        """The reference as the programs take it, (n, m + s), inputs first."""
        return np.column_stack([self.X, self.Y])

    def undominated(self) -> np.ndarray:
        """Return the positions of the reference DMUs that no other one dominates."""
        return undominated_rows(np.column_stack([self.Y, -self.X]))

    def gains(self, lam: Sparse) -> np.ndarray:
        """Return what λ gains in outputs and spares in inputs, (K, s + m) in scaled metrics."""
        return np.column_stack([lam.dot(self.Y) - self.y, self.x - lam.dot(self.X)])

    def sizes_of_changes(self, tested: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Return what changes from tested to reached values (K, s + m) are shares of.

        A value of 0 has no size of its own: there that of the metric in the reference counts, which
        no other tested DMU changes.
        """
        unit = scale(np.column_stack([self.Y, self.X]))
        return np.where(tested == 0, unit, np.abs(tested) + np.abs(reached))


def metric_units(tested: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return the powers of two that metrics are divided by, (c,): nothing is rounded.

    They stand next to the reference's maxima. Where all tested values are far below it, they stand
    next to these: what a tolerance lets pass is then a share of the DMUs' own values.
    """
    unit = scale(reference)
    own_unit = np.where(tested.any(axis=0), scale(tested), unit)
    return np.where(own_unit * SMALL <= unit, own_unit, unit)


def small_rows(task: Task, rows: np.ndarray) -> np.ndarray:
    """Return those positions of DMUs that have a metric that is small beside the reference."""
    is_small = np.zeros(len(rows), dtype=bool)
    for tested, reference in (
        (task.data.outputs.to_numpy(), task.reference.outputs.to_numpy()),
        (task.data.inputs.to_numpy(), task.reference.inputs.to_numpy()),
    ):
        unit = scale(reference)
        for column, size in zip(tested[rows].T, unit, strict=True):
            is_small |= (column != 0) & (np.abs(column) * SMALL <= size)
    return rows[is_small]


def own_size_bands(task: Task) -> list[tuple[np.ndarray, bool]]:
    """Return positions of DMUs whose metrics are alike in size, and whether these are small.

    Small is a metric that is `SMALL` times below the largest of the reference; the DMUs of one band
    are within that factor of each other.
    """
    tested = np.column_stack([task.data.outputs.to_numpy(), task.data.inputs.to_numpy()])
    reference = np.column_stack(
        [task.reference.outputs.to_numpy(), task.reference.inputs.to_numpy()]
    )
    unit = scale(reference)
    if not ((tested != 0) & (np.abs(tested) * SMALL <= unit)).any():
        return [(np.arange(len(tested)), False)]
    with np.errstate(divide="ignore"):
        steps = np.log2(unit) - np.log2(np.abs(tested))
    # A metric of 0 has no size of its own.
    band = np.where(tested == 0, 0, np.floor(np.maximum(steps, 0.0) / np.log2(SMALL)))
    bands, of = np.unique(band, axis=0, return_inverse=True)
    return [
        (np.flatnonzero(of.ravel() == position), bool(bands[position].any()))
        for position in range(len(bands))
    ]


def metric_names(data: Data) -> list[str]:
    """Return the names of the outputs, then of the inputs."""
    return [*data.outputs.columns, *data.inputs.columns]


def metric_index(data: Data) -> pd.Index:
    """Return `metric_names` as an index, which pandas takes long to make of a list."""
    outputs = data.outputs.columns
    inputs = data.inputs.columns
    return outputs.append(inputs) if len(inputs) else outputs


def slacks_beyond(task: Task | Answer, lam: Sparse, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return what λ gives beyond the points (x, y), (K, s + m), outputs first, in own units."""
    # Outputs gain where the mixture has more, inputs where it has less.
    gained = lam.dot(task.reference.outputs.to_numpy()) - y
    spared = x - lam.dot(task.reference.inputs.to_numpy())
    return np.column_stack([gained, spared])


def slacks_at_peers(task: Task, lam: Sparse, undefined: np.ndarray) -> np.ndarray:
    """Return the slacks that λ leaves to the tested DMUs, (K, s + m); NaN where undefined."""
    x = task.data.inputs.to_numpy()
    y = task.data.outputs.to_numpy()
    slacks = np.asarray(np.maximum(slacks_beyond(task, lam, x, y), 0.0))
    slacks[undefined] = np.nan
    return slacks


def lambda_sum_bounds(returns: str) -> tuple[float, float]:
    """Return the bounds of Σ λ."""
    return LAMBDA_SUM_BOUNDS[returns]


def lambda_violation(returns: str, lam: Sparse) -> np.ndarray:
    """Return by how much Σ λ is outside its bounds, (K,); at most 0 inside."""
    low, high = lambda_sum_bounds(returns)
    # Below the least sum or above the greatest one; only one of them can be positive.
    total = lam.values.sum(axis=1)
    return np.asarray(np.maximum(low - total, total - high))


def to_reference_positions(lam: Sparse, candidates: np.ndarray) -> Sparse:
    """Return λ over some reference DMUs by their positions in the whole reference.

    What rounding made negative is 0.
    """
    is_entry = lam.columns >= 0
    columns = np.where(is_entry, candidates[np.maximum(lam.columns, 0)], -1).astype(np.int32)
    return Sparse(columns, np.maximum(lam.values, 0.0))


def replace_rows(rows: np.ndarray, replacement: Sparse, current: Sparse) -> Sparse:
    """Return `current` with some of its rows replaced by those of `replacement`, in order."""
    height, width = current.columns.shape
    replacement_width = replacement.columns.shape[1]
    columns = np.full((height, max(width, replacement_width)), -1, dtype=np.int32)
    values = np.zeros(columns.shape)
    columns[:, :width] = current.columns
    values[:, :width] = current.values
    # A replaced row is emptied first: it may have been longer.
    columns[rows] = -1
    values[rows] = 0.0
    columns[rows[:, None], np.arange(replacement_width)] = replacement.columns
    values[rows[:, None], np.arange(replacement_width)] = replacement.values
    return Sparse(columns, values)


def support(
    scaled: ScaledData, u: np.ndarray, v: np.ndarray, sums: tuple[float, float] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest u·y − v·x of any possible production, and where there is no largest.

    That is what proves every model: no mixture of the reference lies beyond the hyperplane of its
    weights.

    Parameters
    ----------
    u, v : arrays (K, s) and (K, m)
        Weights of scaled metrics.
    sums : (least, most), optional
        Bounds of Σ λ in place of those of the returns to scale.

    Returns
    -------
    largest : array (K,)
    violation : array (K,)
        By how much a production that can be multiplied without end has it above 0.
    """
    low, high = sums or lambda_sum_bounds(scaled.returns)
    table = np.ascontiguousarray(np.column_stack([scaled.Y, -scaled.X]).T)
    weights = np.column_stack([u, v])
    if not len(scaled.Y):  # nothing is possible, or doing nothing alone
        return np.full(len(u), -np.inf if low > 0 else 0.0), np.zeros(len(u))
    # The best single reference DMU: a mixture of several is worth no more.
    best = np.empty(len(u))
    for rows in blocks(len(u), len(scaled.Y)):
        best[rows] = (weights[rows] @ table).max(axis=1)
    above = np.maximum(best, 0.0)
    # The best reference DMU is taken as often as Σ λ allows where it is above 0, else as rarely.
    below = low * np.minimum(best, 0.0)
    if np.isfinite(high):
        return high * above + below, 0.0 * above
    return 0.0 + below, above


def solved_multipliers(
    scaled: ScaledData, solutions: Solutions, sign: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return u (K, s) and v (K, m) of scaled metrics from the row duals.

    `sign` is 1 where the dual of an output's row is its multiplier, and -1 where it is negative.
    """
    u = np.column_stack([sign * solutions.duals[f"outputs[{r}]"] for r in range(scaled.s)])
    v = np.column_stack([-sign * solutions.duals[f"inputs[{i}]"] for i in range(scaled.m)])
    return u, v


def own_unit_multipliers(
    task: Task, scaled: ScaledData, solutions: Solutions, sign: float, free_sign: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return u and v side by side in the metrics' own units, (K, s + m), and u_0 (K,).

    The input that every DMU has goes into u_0, with the sign `free_sign` against its multiplier.
    """
    u, v = solved_multipliers(scaled, solutions, sign)
    u = u / scaled.unit_y
    v = v / scaled.unit_x
    # The multiplier of the convexity constraint; 0 where there is none.
    u_0 = solutions.duals.get("returns_to_scale", np.zeros(len(u)))
    if not task.data.inputs.shape[1]:
        u_0 = u_0 + free_sign * v[:, 0]
        v = v[:, :0]
    return np.column_stack([u, v]), u_0


def multiplier_frame(
    task: Task, scaled: ScaledData, weights: np.ndarray, u_0: np.ndarray
) -> pd.DataFrame:
    """Return multipliers as a frame, with u_0 where returns to scale are not constant."""
    columns = metric_index(task.data)
    if scaled.returns != "crs":
        columns = columns.append(pd.Index(["u_0"]))
        weights = np.column_stack([weights, u_0])
    return pd.DataFrame(weights, task.data.labels, columns)


def scaled_multipliers(answer: Answer, scaled: ScaledData) -> tuple[np.ndarray, np.ndarray]:
    """Return an answer's u (K, s) and v (K, m) for scaled metrics.

    The input that every DMU has, whose multiplier u_0 holds, has 0.
    """
    weights = answer.weights.to_numpy()
    columns = answer.weights.columns
    u = weights[:, column_positions(columns, answer.data.outputs.columns)] * scaled.unit_y
    if not answer.data.inputs.shape[1]:
        return u, np.zeros((len(u), 1))
    return u, weights[:, column_positions(columns, answer.data.inputs.columns)] * scaled.unit_x


def pareto_efficient(
    scores: pd.Series, slacks: pd.DataFrame, data: Data, orientation: str = "none"
) -> pd.Series:
    """Return which DMUs are Pareto-efficient: the score reaches 1 and no slack is left.

    Both hold within `deabench.utils.arrays.TOLERANCE`, slacks in shares of the DMU's own values or,
    where these are less, of those of its projection.
    """
    outputs = data.outputs.to_numpy()
    if orientation == "output":
        # A DMU far beyond a separate reference has a projection that is far smaller.
        outputs = outputs / np.maximum(scores.to_numpy(), 1.0)[:, None]
    own_values = np.abs(np.column_stack([outputs, data.inputs.to_numpy()]))
    # A value of 0 has no share: its unit is the largest of the metric.
    largest = own_values.max(axis=0, initial=0.0)
    unit = np.where(own_values > 0, own_values, np.where(largest > 0, largest, 1.0))
    largest_slack = (slacks.to_numpy() / unit).max(axis=1, initial=0.0)
    is_efficient = (scores.to_numpy() >= 1 - TOLERANCE) & (largest_slack <= TOLERANCE)
    return pd.Series(is_efficient, scores.index, name="efficient")


def proof_frame(
    answer: Answer,
    primal: np.ndarray,
    dual: np.ndarray,
    gap: np.ndarray,
    primal_infeasibility: np.ndarray,
    dual_infeasibility: np.ndarray,
) -> pd.DataFrame:
    """Return what proves a score from both sides; NaN where a DMU has no score."""
    frame = pd.DataFrame(
        {
            "primal": primal,
            "dual": dual,
            "gap": gap,
            "primal_infeasibility": np.maximum(primal_infeasibility, 0.0),
            "dual_infeasibility": np.maximum(dual_infeasibility, 0.0),
        },
        index=answer.scores.index,
    )
    frame[answer.scores.isna().to_numpy()] = np.nan
    return frame


def proof_violations(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the claims that a proof's own frame shows to be violated, and by how much."""
    names = ("gap", "primal_infeasibility", "dual_infeasibility")
    return {name: frame[name].to_numpy() for name in names}


def zero_value_notes(side: pd.DataFrame, measure: str) -> tuple[str, ...]:
    """Return a note for each metric with zeros, which do not count in a mean of ratios."""
    return tuple(
        f"'{name}' is 0 for {int((values == 0).sum())} of {len(values)} systems and leaves "
        f"the mean of their {measure}"
        for name, values in side.items()
        if (values == 0).any()
    )


@lru_cache(maxsize=256)
def compile_program(
    formulation: str,
    m: int,
    s: int,
    *,
    over_inputs: tuple[str, ...] = ("x_o",),
    over_outputs: tuple[str, ...] = ("y_o",),
    **parameters: Any,
) -> Template:
    """Compile a formulation of `deabench_models` for m inputs and s outputs, once.

    Parameters
    ----------
    over_inputs, over_outputs : tuple of str
        The data of the tested DMU that have a number for each input, or for each output.
    **parameters
        Of the formulation, as `returns`.
    """
    # The numbers only mark which coefficients the tested DMU sets.
    tested: dict[str, Mapping[Any, float]] = {
        name: dict.fromkeys(range(m), 1.0) for name in over_inputs
    }
    tested |= {name: dict.fromkeys(range(s), 1.0) for name in over_outputs}
    return compile_template(formulation, {"X": range(m), "Y": range(s)}, tested, **parameters)
