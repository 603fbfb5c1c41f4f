"""Compute partial frontiers: order-m and order-α efficiency, which no single lucky run moves.

For an output-oriented DMU let ℓ_j = min_r Y_jr / y_ro over the N reference DMUs that use no more
inputs. FDH takes the largest ℓ; order-m the expected largest of m draws, exactly Σ_k ℓ_(k) [(k/N)^m
− ((k−1)/N)^m] over the sorted ones (no simulation is needed); order-α the α-quantile.
Input-oriented it is the other way round. Cazals, Florens, Simar (2002), J. Econometrics 106:1-25;
Aragon, Daouia, Thomas-Agnan (2005), Econometric Theory 21:358-389.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.results.model import Orientation
from deabench.tables.selected_table import Missing, SelectedTable, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.tables.validation import validate
from deabench.utils.checks import choice, share
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result

FEW_COMPARED = 5
"""With fewer comparable reference DMUs a partial frontier is noted as weak."""


@dataclass(frozen=True, eq=False, repr=False)
class Partial(Result):
    """Efficiencies against a partial frontier.

    Attributes
    ----------
    frame : DataFrame
        `efficiency`, above 1 beyond the partial frontier; `compared`: how many reference DMUs it is
        compared with.
    frontier : str
        The kind of frontier, as "order-m, m = 25".
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.order_m(wine, 3, outputs=["TPR", "TNR"])
    >>> answer.frame.columns.tolist()
    ['efficiency', 'compared']
    """

    _text = "contexts"

    frame: pd.DataFrame
    frontier: str
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return `frame`, best first."""
        return self.frame.sort_values("efficiency", ascending=False, kind="stable")


def order_m(
    table: TableLike,
    m: int = 25,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    orientation: Orientation = "output",
    missing: Missing = "refuse",
) -> Partial:
    """Compute efficiency against the expected best of m classifiers that use no more inputs.

    Parameters
    ----------
    m : int
        Draws, 1 or more; with more and more of them it becomes model "fdh".
    table, outputs, inputs, orientation, missing
        As for `deabench.rank`; orientation "output" or "input".

    Returns
    -------
    Partial

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.order_m(wine, 3, outputs=["TPR", "TNR"]).frame["efficiency"].round(3).tolist()
    [0.78, 0.931, 1.055, 1.011, 1.05, 1.014]
    """
    if isinstance(m, bool) or not isinstance(m, int) or m < 1:
        raise DataError(f"m is {m!r}; give a whole number of draws, 1 or more")

    def expected_largest(levels: np.ndarray) -> float:
        # The largest of m draws is at most the k-th sorted level with probability (k/N)^m.
        cumulative = (np.arange(len(levels) + 1) / len(levels)) ** m
        return float(np.sort(levels) @ np.diff(cumulative))

    selected = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        missing=refuse_bounds(missing),
    )
    return _compare_with(expected_largest, selected, orientation, f"order-m, m = {m}")


def order_alpha(
    table: TableLike,
    alpha: float = 0.95,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    orientation: Orientation = "output",
    missing: Missing = "refuse",
) -> Partial:
    """Compute efficiency against the α-quantile of the classifiers that use no more inputs.

    Parameters
    ----------
    alpha : float
        Between 0 and 1; 1 is model "fdh".
    table, outputs, inputs, orientation, missing
        As for `deabench.rank`; orientation "output" or "input".

    Returns
    -------
    Partial

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.order_alpha(wine, .8, outputs=["TPR", "TNR"]).frame["efficiency"].round(3).tolist()
    [0.779, 0.922, 1.018, 1.0, 1.018, 1.012]
    """
    if alpha != 1:
        share("alpha", alpha)

    def quantile(levels: np.ndarray) -> float:
        # Without 1e-9 a product that is rounded upwards would take one rank too many.
        rank = max(int(np.ceil(alpha * len(levels) - 1e-9)), 1)
        return float(np.sort(levels)[rank - 1])

    selected = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        missing=refuse_bounds(missing),
    )
    return _compare_with(quantile, selected, orientation, f"order-alpha, alpha = {alpha:g}")


def _compare_with(
    statistic: Callable[[np.ndarray], float],
    selected: SelectedTable,
    orientation: str,
    frontier: str,
) -> Partial:
    """Compute efficiencies from a statistic of the levels that reference DMUs reach."""
    choice("orientation", orientation, ("output", "input"))
    data = validate(selected)
    X = data.inputs.to_numpy()
    Y = data.outputs.to_numpy()
    if orientation == "input" and not X.shape[1]:
        raise DataError("orientation 'input' needs an input and none is given; name one in inputs")
    if orientation == "output" and not Y.shape[1]:
        raise DataError(
            "orientation 'output' needs an output and none is given; name one in outputs, or pass "
            "orientation='input'"
        )
    # Each DMU is compared with the reference DMUs that dominate it in the other metrics.
    efficiency = np.empty(len(Y))
    compared = np.empty(len(Y), dtype=int)
    for o in range(len(Y)):
        levels = _output_levels(X, Y, o) if orientation == "output" else _input_levels(X, Y, o)
        compared[o] = len(levels)
        # The levels are signed so that the largest is the best in both orientations.
        level = statistic(levels)
        if orientation == "input":
            efficiency[o] = -level
        else:
            efficiency[o] = 1.0 / level if level > 0 else np.inf
    frame = pd.DataFrame({"efficiency": efficiency, "compared": compared}, index=data.labels)
    frame = with_classifier_index(frame)
    notes = (*selected.notes, *data.notes)
    compared_with_few = compared < FEW_COMPARED
    if compared_with_few.any():
        notes = (
            *notes,
            f"{compared_with_few.sum()} of {len(Y)} systems are compared with fewer than "
            f"{FEW_COMPARED}, so that their partial frontier depends on each of these",
        )
    return Partial(frame, frontier, notes)


def _output_levels(X: np.ndarray, Y: np.ndarray, o: int) -> np.ndarray:
    """Return φ, by which each DMU that uses no more inputs than o exceeds its outputs."""
    uses_no_more = (X[o] >= X).all(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # A metric of 0 can be exceeded by any factor: only the others limit φ.
        ratios = np.where(Y[o] > 0, Y[uses_no_more] / Y[o], np.inf)
    return np.asarray(ratios.min(axis=1))


def _input_levels(X: np.ndarray, Y: np.ndarray, o: int) -> np.ndarray:
    """Return −θ, to which each DMU that makes no fewer outputs than o shrinks its inputs.

    A DMU that needs an input of which o has none is not comparable.
    """
    makes_no_fewer = (Y[o] <= Y).all(axis=1)
    inputs = X[makes_no_fewer]
    with np.errstate(divide="ignore", invalid="ignore"):
        # An input of which o has none: infinite unless the other has none either.
        without_input = np.where(inputs > 0, np.inf, -np.inf)
        theta = np.where(X[o] > 0, inputs / X[o], without_input).max(axis=1)
    return np.asarray(-theta[np.isfinite(theta)])
