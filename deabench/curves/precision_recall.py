"""The precision-recall curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.curves.roc import Roc, roc
from deabench.metrics.labels import GroundTruth
from deabench.utils.instances import Values
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import PrecisionRecallDisplay


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecall(Result):
    """A precision-recall curve.

    Attributes
    ----------
    points : DataFrame, one row per distinct score, thresholds falling
        at_least, above, recall, precision (NaN where nothing is predicted positive), tp, fp.
    average_precision : float in [0, 1]
        Σ (recall_k − recall_{k−1})·precision_k, a step at each distinct score: no straight lines
        between points, which would be too good (Davis and Goadrich 2006,
        doi:10.1145/1143844.1143874).
    prevalence : float
        What a random score reaches at every recall.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.precision_recall(y, score).points.columns.tolist()
    ['at_least', 'above', 'recall', 'precision', 'tp', 'fp']
    """

    points: pd.DataFrame
    average_precision: float
    prevalence: float
    roc: Roc

    @property
    def break_even(self) -> pd.Series:
        """The point where precision and recall are nearest; they are equal exactly where fn = fp."""
        gap = (self.points["precision"] - self.points["recall"]).abs()
        return self.points.loc[gap.idxmin()]

    def to_frame(self) -> pd.DataFrame:
        """The points, as a frame of its own."""
        return self.points.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return self.roc.notes

    def summary(self) -> str:
        """The average precision beside that of random scores, and the break-even point."""
        even = self.break_even
        return (
            f"the average precision is {self.average_precision:.4g}, where random scores reach {self.prevalence:.4g}; "
            f"precision {even['precision']:.4g} and recall {even['recall']:.4g} are nearest at score >= {even['at_least']:.4g}"
        )

    def plot(self, ax: Axes | None = None, *, name: str = "") -> PrecisionRecallDisplay:  # type: ignore[override]
        """Draw the curve; see `deabench.plot.PrecisionRecallDisplay`."""
        from deabench.plot import PrecisionRecallDisplay

        return PrecisionRecallDisplay({name: self}).plot(ax)


def precision_recall(
    y_true: Values | GroundTruth, score: Values, *, positive: object = None
) -> PrecisionRecall:
    """The precision-recall curve of one score, equal scores merged, with its average precision.

    Parameters
    ----------
    y_true, score, positive : as for `deabench.curves.roc`

    Raises
    ------
    DataError
        As `deabench.curves.roc` does.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> round(curves.precision_recall(y, score).average_precision, 4)
    0.9167
    """
    curve = roc(y_true, score, positive=positive)
    points = curve.points[["at_least", "above", "tp", "fp"]].copy()
    taken = points["tp"] + points["fp"]
    points["recall"], points["precision"] = (
        curve.points["TPR"],
        points["tp"] / taken.where(taken > 0),
    )
    steps = np.diff(points["recall"]) * points["precision"].iloc[1:]
    columns = ["at_least", "above", "recall", "precision", "tp", "fp"]
    return PrecisionRecall(points[columns], float(steps.sum()), curve.n_positive / curve.n, curve)
