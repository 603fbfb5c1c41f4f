"""Partial frontiers: against what some classifiers reach, not the best of all. One lucky run does
not move them.

For an output-oriented DMU let ℓ_j = min_r Y_jr / y_ro over the N reference DMUs that use no more
inputs. FDH takes the largest ℓ; order-m the expected largest of m draws, exactly Σ_k ℓ_(k) [(k/N)^m
− ((k−1)/N)^m] over the sorted ones (no simulation is needed); order-α the α-quantile.
Input-oriented it is the other way round. Cazals, Florens, Simar (2002), J. Econometrics 106:1-25;
Aragon, Daouia, Thomas-Agnan (2005), Econometric Theory 21:358-389."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.models.base import Orientation
from deabench.tables.selection import Missing, refuse_bounds, select_table
from deabench.tables.validation import validate
from deabench.utils.checks import choice, share
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Partial(Result):
    """Efficiencies against a partial frontier.

    Attributes
    ----------
    frame : DataFrame
        `efficiency`, above 1 beyond the partial frontier; `compared`: how many reference DMUs it is
        compared with.
    frontier : str
        Which frontier, as "order-m, m = 25".
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.order_m(wine, 3, outputs=["TPR", "TNR"])
    >>> answer.frame.columns.tolist()
    ['efficiency', 'compared']
    """

    frame: pd.DataFrame
    frontier: str
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`, best first."""
        return self.frame.sort_values("efficiency", ascending=False, kind="stable")

    def summary(self) -> str:
        """Who lies beyond the frontier."""
        beyond = int((self.frame["efficiency"] > 1 + 1e-12).sum())
        return f"{beyond} of {len(self.frame)} lie beyond the frontier ({self.frontier})."


def order_m(
    table: object,
    m: int = 25,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    orientation: Orientation = "output",
    missing: Missing = "refuse",
) -> Partial:
    """Efficiency against the expected best of m classifiers drawn among those with no more inputs.

    Parameters
    ----------
    m : int
        Draws, 1 or more; with more and more of them it becomes model "fdh".
    table, outputs, inputs, lower_is_better, orientation, missing
        As for `deabench.rank`; orientation "output" or "input".

    Returns
    -------
    Partial

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.order_m(wine, 3, outputs=["TPR", "TNR"]).frame["efficiency"].round(3).to_dict()
    {'RBF': 0.78, 'OSS+SVM': 0.931, 'RUS+SVM': 1.055, 'AdaBoostM1': 1.011, 'CS-MCQP': 1.05,
    'Bagging': 1.014}"""
    if isinstance(m, bool) or not isinstance(m, int) or m < 1:
        raise DataError(f"m is {m!r}; give a whole number of draws, 1 or more")

    def expected(levels: np.ndarray) -> float:
        steps = (np.arange(len(levels) + 1) / len(levels)) ** m
        return float(np.sort(levels) @ np.diff(steps))

    return _partial(
        table,
        expected,
        f"order-m, m = {m}",
        orientation,
        outputs=outputs,
        inputs=inputs,
        lower_is_better=lower_is_better,
        missing=refuse_bounds(missing),
    )


def order_alpha(
    table: object,
    alpha: float = 0.95,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    orientation: Orientation = "output",
    missing: Missing = "refuse",
) -> Partial:
    """Efficiency against what a share alpha of the classifiers with no more inputs does not exceed.

    Parameters
    ----------
    alpha : float
        Between 0 and 1; 1 is model "fdh".
    table, outputs, inputs, lower_is_better, orientation, missing
        As for `deabench.rank`; orientation "output" or "input".

    Returns
    -------
    Partial

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> db.order_alpha(wine, .8, outputs=["TPR", "TNR"]).frame["efficiency"].round(3).to_dict()
    {'RBF': 0.779, 'OSS+SVM': 0.922, 'RUS+SVM': 1.018, 'AdaBoostM1': 1.0, 'CS-MCQP': 1.018,
    'Bagging': 1.012}"""
    if alpha != 1:
        share("alpha", alpha)

    def quantile(levels: np.ndarray) -> float:
        return float(np.sort(levels)[max(int(np.ceil(alpha * len(levels) - 1e-9)), 1) - 1])

    return _partial(
        table,
        quantile,
        f"order-alpha, alpha = {alpha:g}",
        orientation,
        outputs=outputs,
        inputs=inputs,
        lower_is_better=lower_is_better,
        missing=refuse_bounds(missing),
    )


def _partial(
    table: object,
    take: Callable[[np.ndarray], float],
    frontier: str,
    orientation: str,
    **given: Any,
) -> Partial:
    """The frontier of every DMU: `take` of its levels."""
    choice("orientation", orientation, ("output", "input"))
    ready = select_table(table, **given)
    data = validate(ready.table, **ready.given)
    X, Y = data.inputs.to_numpy(), data.outputs.to_numpy()
    if orientation == "input" and not X.shape[1]:
        raise DataError("orientation 'input' needs an input and none is given; name one in inputs")
    found, compared = np.empty(len(Y)), np.empty(len(Y), dtype=int)
    for o in range(len(Y)):
        levels = _levels(X, Y, o, outward=orientation == "output")
        compared[o] = len(levels)
        level = take(levels)
        found[o] = (
            1.0 / level
            if orientation == "output" and level > 0
            else -level
            if orientation == "input"
            else np.inf
        )
    frame = pd.DataFrame({"efficiency": found, "compared": compared}, index=data.labels)
    frame.index.name = "classifier"
    few = int((compared < 5).sum())
    notes = (
        (
            f"{few} classifiers are compared with fewer than 5: their partial frontier is that of a handful",
        )
        if few
        else ()
    )
    return Partial(frame, frontier, (*ready.notes, *data.notes, *notes))


def _levels(X: np.ndarray, Y: np.ndarray, o: int, *, outward: bool) -> np.ndarray:
    """φ (or −θ) that each comparable reference DMU alone gives; one that uses what o does not use
    at all is not comparable.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if outward:
            lives = (X[o] >= X).all(axis=1)
            return np.asarray(np.where(Y[o] > 0, Y[lives] / Y[o], np.inf).min(axis=1))
        makes = (Y[o] <= Y).all(axis=1)
        levels = -np.where(X[o] > 0, X[makes] / X[o], np.where(X[makes] > 0, np.inf, -np.inf)).max(
            axis=1
        )
        return np.asarray(levels[np.isfinite(levels)])
