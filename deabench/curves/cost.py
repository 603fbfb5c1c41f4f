"""Cost curves (Drummond and Holte 2006): the expected cost of a classifier for every prevalence and
cost ratio at once.

    PC = π·C(fn) / (π·C(fn) + (1 − π)·C(fp))       probability cost, in [0, 1]
    NEC = FNR·PC + FPR·(1 − PC)                    normalised expected cost, in [0, 1]

A ROC point is a line over PC; the lower envelope of the lines is the classifier at its best
thresholds, and its corners are the ROC convex hull's edges. "Nothing is positive" is the line NEC =
PC and "all are" NEC = 1 − PC: where the envelope reaches those two, the classifier is of no use.

References
----------
Drummond C, Holte RC (2006) Cost curves: an improved method for visualizing classifier performance.
Machine Learning 65:95-130. doi:10.1007/s10994-006-8199-5"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.curves.roc import Roc, roc
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth
from deabench.utils.instances import Values
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import CostCurveDisplay


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(Result):
    """A classifier's cost lines and their lower envelope.

    Attributes
    ----------
    envelope : DataFrame, one row per vertex of the ROC hull, from "nothing is positive" on
        from_pc, to_pc (where that threshold is the cheapest), at_least, above, FPR, FNR, from_nec,
        to_nec.
    lines : DataFrame, one row per ROC point
        FPR (NEC at PC = 0) and FNR (NEC at PC = 1).
    roc : Roc

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.cost_curve(y, score).expected(.5).round(3).tolist()
    [0.167]
    """

    envelope: pd.DataFrame
    lines: pd.DataFrame
    roc: Roc

    @property
    def area(self) -> float:
        """Mean NEC over all PC, in [0, ½]; two useless rules alone reach ¼."""
        heights = (self.envelope["from_nec"] + self.envelope["to_nec"]) / 2
        return float((heights * (self.envelope["to_pc"] - self.envelope["from_pc"])).sum())

    @property
    def useful(self) -> tuple[float, float]:
        """The range of PC in which the envelope is below both useless rules; (NaN, NaN) where it
        never is.
        """
        inner = self.envelope.iloc[1:-1]
        return (
            (float(inner["from_pc"].min()), float(inner["to_pc"].max()))
            if len(inner)
            else (np.nan, np.nan)
        )

    def expected(self, pc: ArrayLike) -> pd.Series:
        """NEC at the given probability costs, at the best threshold for each."""
        pc_ = np.atleast_1d(np.asarray(pc, dtype=float))
        if not np.all((pc_ >= 0) & (pc_ <= 1)):
            raise DataError(
                f"pc is {pc_[~((pc_ >= 0) & (pc_ <= 1))][0]:g}; a probability cost lies in [0, 1]"
            )
        nec = np.outer(pc_, self.envelope["FNR"]) + np.outer(1 - pc_, self.envelope["FPR"])
        return pd.Series(nec.min(axis=1), index=pd.Index(pc_, name="PC"), name="NEC")

    def to_frame(self) -> pd.DataFrame:
        """The envelope, as a frame of its own."""
        return self.envelope.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return self.roc.notes

    def summary(self) -> str:
        """For which probability costs the classifier is of use, and its mean cost."""
        low, high = self.useful
        said = (
            "the classifier is nowhere cheaper than predicting one class always"
            if np.isnan(low)
            else f"the classifier is cheaper than predicting one class always for probability costs from {low:.4g} to {high:.4g}"
        )
        return f"{said}; its mean normalised expected cost is {self.area:.4g}, where the better of those two rules has 0.25"

    def plot(self, ax: Axes | None = None, *, name: str = "") -> CostCurveDisplay:  # type: ignore[override]
        """Draw the lines and their envelope; see `deabench.plot.CostCurveDisplay`."""
        from deabench.plot import CostCurveDisplay

        return CostCurveDisplay({name: self}).plot(ax)


def cost_curve(
    y_true: Values | GroundTruth, score: Values, *, positive: object = None
) -> CostCurve:
    """The cost curve of one score.

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
    >>> cost = curves.cost_curve(y, score)
    >>> cost.expected(.5).round(3).tolist()
    [0.167]
    """
    curve = roc(y_true, score, positive=positive)
    vertices = curve.points[curve.points["hull"]]
    across, up = np.diff(vertices["FPR"]), np.diff(vertices["TPR"])
    # two vertices cost the same at PC = ΔFPR/(ΔFPR + ΔTPR)
    turns = np.concatenate([[0.0], across / (across + up), [1.0]])
    envelope = vertices[["at_least", "above", "FPR"]].assign(FNR=1 - vertices["TPR"])
    envelope.insert(0, "from_pc", turns[:-1])
    envelope.insert(1, "to_pc", turns[1:])
    for end in ("from", "to"):
        pc = envelope[f"{end}_pc"]
        envelope[f"{end}_nec"] = envelope["FNR"] * pc + envelope["FPR"] * (1 - pc)
    lines = pd.DataFrame({"FPR": curve.points["FPR"], "FNR": 1 - curve.points["TPR"]})
    return CostCurve(envelope, lines, curve)


def probability_cost(
    prevalence: ArrayLike, cost_fn: ArrayLike = 1.0, cost_fp: ArrayLike = 1.0
) -> NDArray[np.float64]:
    """PC of a prevalence and two costs: the share of the expected cost of erring always that comes
    from positives.

    Parameters
    ----------
    prevalence : array_like, in [0, 1]
    cost_fn, cost_fp : array_like >= 0
        Broadcast against the prevalence.

    Raises
    ------
    DataError
        Where a prevalence is outside [0, 1], a cost negative, or no error costs anything.

    Examples
    --------
    >>> from deabench import curves
    >>> round(float(curves.probability_cost(prevalence=.02, cost_fn=5, cost_fp=1)), 4)
    0.0926
    """
    pi, fn, fp = (np.asarray(value, dtype=float) for value in (prevalence, cost_fn, cost_fp))
    if not np.all((pi >= 0) & (pi <= 1)):
        raise DataError(
            f"prevalence is {pi[~((pi >= 0) & (pi <= 1))].flat[0]:g}; a share lies in [0, 1]"
        )
    for name, cost in (("cost_fn", fn), ("cost_fp", fp)):
        if not np.all(np.isfinite(cost) & (cost >= 0)):
            value = cost[~(np.isfinite(cost) & (cost >= 0))].flat[0]
            raise DataError(f"{name} is {value:g}; a cost is a finite number >= 0")
    whole = pi * fn + (1 - pi) * fp
    if np.any(whole == 0):
        raise DataError("no error costs anything at this prevalence; give a cost above 0")
    return np.asarray(pi * fn / whole)
