"""Compute stability radii: how far the metrics may move before a verdict changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.dominance_games import solve_games
from deabench.tables.selected_table import Missing, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.tables.validation import validate
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result


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

    _text = "contexts"

    radius: pd.Series
    efficient: pd.Series
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return `efficient` and `stability`, the most fragile first."""
        frame = pd.DataFrame({"efficient": self.efficient, "stability": self.radius})
        frame = with_classifier_index(frame)
        return frame.sort_values("stability", kind="stable")


def stability(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    missing: Missing = "refuse",
) -> Stability:
    """Compute the stability radius of every classifier.

    The classifier's metrics may all be off by the factor 1 + radius to one side and those of all
    others by the same factor to the other side, and it stays efficient, or stays dominated, as it
    is. Of a score θ, taken against the others alone (so that efficient classifiers have 1 and
    more), the radius is √max(θ, 1/θ) − 1: a box of that size moves every ratio by (1 + radius)².

    Parameters
    ----------
    table : DataFrame, a `deabench.read` reading, or anything that `deabench.read` takes
    outputs, missing
        As for `deabench.rank`; a rate that is better low counts as its complement, and its radius
        is a share of that.

    Returns
    -------
    Stability

    Raises
    ------
    DataError
        As for `deabench.rank`; if a metric is an input, or there is one row.

    References
    ----------
    Charnes, Haag, Jaska, Semple (1992), International Journal of Systems Science 23, 789-801, for
    absolute changes.

    Examples
    --------
    >>> rates = {"TPR": [0.9, 0.8, 0.6], "TNR": [0.6, 0.8, 0.7]}
    >>> table = pd.DataFrame(rates, index=["a", "b", "c"])
    >>> stability(table, outputs=["TPR", "TNR"]).radius.round(3).tolist()
    [0.061, 0.089, 0.069]
    """
    selected = select_table(table, outputs=outputs, missing=refuse_bounds(missing))
    data = validate(selected, warn=False)
    if len(data.inputs.columns):
        raise DataError(
            f"'{data.inputs.columns[0]}' is an input, and the stability radius is known for "
            "outputs alone; name the metrics for which higher is better in outputs"
        )
    if len(data.labels) < 2:
        raise DataError(
            "the table has one row; a stability radius compares, give at least two systems"
        )
    theta = scores_against_others(data.outputs.to_numpy())
    # Moving all ratios by (1 + radius)² takes the score to 1, from above or from below.
    with np.errstate(divide="ignore"):
        radius = np.sqrt(np.maximum(theta, 1 / theta)) - 1
    return Stability(
        radius=pd.Series(radius, data.labels, name="stability"),
        efficient=pd.Series(theta >= 1, data.labels, name="efficient"),
        notes=(*selected.notes, *data.notes),
    )


def radius_between_layers(Y: np.ndarray) -> np.ndarray:
    """Return how far each row of metrics (n, s) may move before it is in another layer; (n,).

    All others move together to the other side and keep their layers. So a row falls where its score
    against its own layer and those below comes to 1, and rises where its score against the next
    better layer and those below does.
    """
    # The factor by which all ratios may move; infinite for a row that nothing can move.
    ratio = np.full(len(Y), np.inf)
    rows = np.arange(len(Y))
    # Take off one layer at a time, as `layers` does.
    while len(rows) > 1:
        theta = scores_against_others(Y[rows])
        is_on_layer = theta >= 1
        on_layer = rows[is_on_layer]
        below = rows[~is_on_layer]
        # The smaller of falling below this layer, and rising to the one before.
        ratio[on_layer] = np.minimum(ratio[on_layer], theta[is_on_layer])
        with np.errstate(divide="ignore"):
            ratio[below] = 1 / theta[~is_on_layer]
        rows = below
    return np.asarray(np.sqrt(ratio) - 1)


def scores_against_others(Y: np.ndarray) -> np.ndarray:
    """Return scores (n,) of rows (n, s) against the other rows alone.

    Above 1 outside the frontier of the others; inf where no other row has a metric of the row.
    """
    greatest = Y.max(axis=0)
    # Scores do not depend on units: every metric gets a maximum of 1.
    unit = Y / np.where(greatest > 0, greatest, 1.0)
    # A row of zeros in its own place leaves a DMU out of its reference.
    references = np.repeat(unit[None], len(Y), axis=0)
    diagonal = np.arange(len(Y))
    references[diagonal, diagonal] = 0.0
    return solve_games(references, unit).value
