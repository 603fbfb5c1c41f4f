"""How far the metrics may move before a verdict changes: the deterministic sister of an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.dominance_games import solve_games
from deabench.tables.selection import Lower, Missing, refuse_bounds, select_table
from deabench.tables.validation import validate
from deabench.utils.result import Result

Array = np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """How far the metrics may move before a verdict changes.

    Attributes
    ----------
    radius : Series (n,)
        A share: 0.01 stands for one per cent of each metric; inf for the only one with a metric
        above 0.
    efficient : Series (n,) of bool
        The verdict that would change: on the others' frontier or outside it, or inside.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> answer = db.stability(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    >>> answer.efficient[answer.efficient].index.tolist(), answer.radius.round(3)["MLP"]
    (['MLP'], np.float64(0.011))
    """

    radius: pd.Series
    efficient: pd.Series
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """efficient and stability, the most fragile first."""
        frame = pd.DataFrame({"efficient": self.efficient, "stability": self.radius}).rename_axis(
            "classifier"
        )
        return frame.sort_values("stability", kind="stable")

    def summary(self) -> str:
        """Whose verdict changes first, and whose last."""
        first, last = self.radius.idxmin(), self.radius.idxmax()
        verdict = {True: "efficient", False: "dominated"}
        return (
            f"The first verdict to change is that of '{first}' ({verdict[bool(self.efficient[first])]}), where all metrics are "
            f"off by {100 * self.radius[first]:.2g} %, its own to one side and the others' to the other; the last is that of "
            f"'{last}' ({verdict[bool(self.efficient[last])]}), at {_percent(self.radius[last])}."
        )


def stability(
    table: object,
    *,
    outputs: Sequence[str] | None = None,
    lower_is_better: Lower = (),
    missing: Missing = "refuse",
) -> Stability:
    """The stability radius of every classifier.

    The classifier's metrics may all be off by the factor 1 + radius to one side and those of all
    others by the same factor to the other side, and it stays efficient, or stays dominated, as it
    is. Of a score θ, taken against the others alone (so that the efficient score 1 and more), the
    radius is √max(θ, 1/θ) − 1: a box of that size moves every ratio by (1 + radius)².

    Parameters
    ----------
    table : DataFrame, a `deabench.read` reading, or anything that `deabench.read` takes
    outputs, lower_is_better, missing
        As for `deabench.rank`; a rate to be low counts as its complement, and its radius is a share
        of that.

    Returns
    -------
    Stability

    Raises
    ------
    DataError
        As `deabench.rank`; where a metric is an input, or there is one row.

    References
    ----------
    Charnes, Haag, Jaska, Semple (1992), International Journal of Systems Science 23, 789-801, for
    absolute changes.

    Examples
    --------
    >>> table = pd.DataFrame({"TPR": [0.9, 0.8, 0.6], "TNR": [0.6, 0.8, 0.7]}, index=["a", "b", "c"])
    >>> stability(table, outputs=["TPR", "TNR"]).radius.round(3).tolist()
    [0.061, 0.089, 0.069]
    """
    ready = select_table(
        table, outputs=outputs, lower_is_better=lower_is_better, missing=refuse_bounds(missing)
    )
    data = validate(ready.table, **ready.given, warn=False)
    if len(data.inputs.columns):
        raise DataError(
            f"'{data.inputs.columns[0]}' is an input, and the stability radius is known for outputs alone; name the "
            "metrics to be high in outputs"
        )
    if len(data.labels) < 2:
        raise DataError(
            "the table has one row; a stability radius compares, give at least two classifiers"
        )
    theta = against_others(data.outputs.to_numpy())
    with np.errstate(divide="ignore"):
        radius = np.sqrt(np.maximum(theta, 1 / theta)) - 1
    efficient = pd.Series(theta >= 1, data.labels, name="efficient")
    return Stability(
        pd.Series(radius, data.labels, name="stability"), efficient, (*ready.notes, *data.notes)
    )


def _percent(radius: float) -> str:
    return f"{100 * radius:.2g} %" if np.isfinite(radius) else "no distance"


def between_layers(y: Array) -> Array:
    """How far rows of metrics (n, s) may move until they are in another layer, all others together
    to the other side; (n,).

    All others moving together keep their layers, so that a row falls where its score against those
    of its own layer and below comes to 1, and rises where that against those from the better layer
    on does."""
    ratio, rest = np.full(len(y), np.inf), np.arange(len(y))
    while len(rest) > 1:
        theta = against_others(y[rest])
        on, below = rest[theta >= 1], rest[theta < 1]
        ratio[on] = np.minimum(ratio[on], theta[theta >= 1])
        with np.errstate(divide="ignore"):
            ratio[below] = 1 / theta[theta < 1]
        rest = below
    return np.asarray(np.sqrt(ratio) - 1)


def against_others(y: Array) -> Array:
    """Scores against the other rows alone: above 1 outside their frontier, inf where a metric is
    the row's own; (n,).
    """
    top = y.max(axis=0)
    unit = y / np.where(top > 0, top, 1.0)
    rows = np.repeat(unit[None], len(y), axis=0)
    rows[np.arange(len(y)), np.arange(len(y))] = 0.0
    return solve_games(rows, unit).value
