"""Cost curves (Drummond and Holte 2006): the expected cost for every prevalence and cost ratio.

    PC = π·C(fn) / (π·C(fn) + (1 − π)·C(fp))       probability cost, in [0, 1]
    NEC = FNR·PC + FPR·(1 − PC)                    normalised expected cost, in [0, 1]

A ROC point is a line over PC; the lower envelope of the lines is the classifier at its best
thresholds, and its corners are the edges of the ROC convex hull. "Nothing is positive" is the line
NEC = PC and "all are" NEC = 1 − PC: where the envelope reaches those two, the classifier is of no
use.

References
----------
Drummond C, Holte RC (2006) Cost curves: an improved method for visualizing classifier performance.
Machine Learning 65:95-130. doi:10.1007/s10994-006-8199-5
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.curves.roc import ScoreCurve, roc
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth
from deabench.utils.instances import Values


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(ScoreCurve):
    """A classifier's cost lines and their lower envelope.

    Attributes
    ----------
    roc : Roc
    envelope : DataFrame, one row per vertex of the ROC hull, from "nothing is positive" on
        from_pc, to_pc (the range in which that threshold is the cheapest), at_least, above, FPR,
        FNR, from_nec, to_nec.
    lines : DataFrame, one row per ROC point
        FPR (NEC at PC = 0) and FNR (NEC at PC = 1).

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.cost_curve(y, score).expected(.5).round(3).tolist()
    [0.167]
    """

    _frame = "envelope"
    _display = "CostCurveDisplay"

    envelope: pd.DataFrame
    lines: pd.DataFrame

    @property
    def area(self) -> float:
        """Mean NEC over all PC, in [0, ½]; the better of the two useless rules has ¼."""
        # The envelope is straight between its corners: trapezoids are exact.
        heights = (self.envelope["from_nec"] + self.envelope["to_nec"]) / 2
        return float((heights * (self.envelope["to_pc"] - self.envelope["from_pc"])).sum())

    @property
    def useful(self) -> tuple[float, float]:
        """The range of PC in which the envelope is below both useless rules; NaN if it never is."""
        # The first and the last vertex are the useless rules themselves.
        inner = self.envelope.iloc[1:-1]
        if inner.empty:
            return np.nan, np.nan
        return float(inner["from_pc"].min()), float(inner["to_pc"].max())

    def expected(self, pc: ArrayLike) -> pd.Series:
        """Return NEC at the given probability costs, at the best threshold for each."""
        costs = np.atleast_1d(np.asarray(pc, dtype=float))
        outside = ~((costs >= 0) & (costs <= 1))
        if outside.any():
            raise DataError(f"pc is {costs[outside][0]:g}; give a probability cost in [0, 1]")
        # Every vertex is a line over PC; the cheapest one counts.
        nec = np.outer(costs, self.envelope["FNR"]) + np.outer(1 - costs, self.envelope["FPR"])
        return pd.Series(nec.min(axis=1), index=pd.Index(costs, name="PC"), name="NEC")


def cost_curve(
    y_true: Values | GroundTruth, score: Values, *, positive: object = None
) -> CostCurve:
    """Compute the cost curve of one score.

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
    # A threshold is a point (FPR, TPR) there, and the line NEC = FNR PC + FPR (1 - PC) here.
    curve = roc(y_true, score, positive=positive)
    # Only vertices of the ROC hull are cheapest for some probability cost.
    vertices = curve.points[curve.points["hull"]]
    # Two neighbouring vertices cost the same at PC = ΔFPR/(ΔFPR + ΔTPR): the envelope's corners.
    fpr_steps = np.diff(vertices["FPR"])
    tpr_steps = np.diff(vertices["TPR"])
    corners = np.concatenate([[0.0], fpr_steps / (fpr_steps + tpr_steps), [1.0]])
    envelope = vertices[["at_least", "above", "FPR"]].assign(FNR=1 - vertices["TPR"])
    envelope.insert(0, "from_pc", corners[:-1])
    envelope.insert(1, "to_pc", corners[1:])
    for end in ("from", "to"):
        pc = envelope[f"{end}_pc"]
        envelope[f"{end}_nec"] = envelope["FNR"] * pc + envelope["FPR"] * (1 - pc)
    lines = pd.DataFrame({"FPR": curve.points["FPR"], "FNR": 1 - curve.points["TPR"]})
    return CostCurve(curve, envelope, lines)


def probability_cost(
    prevalence: ArrayLike, cost_fn: ArrayLike = 1.0, cost_fp: ArrayLike = 1.0
) -> NDArray[np.float64]:
    """Return PC of a prevalence and two costs.

    PC is the share of the expected cost of always being wrong that comes from positives.

    Parameters
    ----------
    prevalence : array_like, in [0, 1]
    cost_fn, cost_fp : array_like >= 0
        Broadcast against the prevalence.

    Raises
    ------
    DataError
        If a prevalence is outside [0, 1], a cost negative, or no error costs anything.

    Examples
    --------
    >>> from deabench import curves
    >>> round(float(curves.probability_cost(prevalence=.02, cost_fn=5, cost_fp=1)), 4)
    0.0926
    """
    pi = np.asarray(prevalence, dtype=float)
    outside = ~((pi >= 0) & (pi <= 1))
    if outside.any():
        raise DataError(f"prevalence is {pi[outside].flat[0]:g}; give a share in [0, 1]")
    fn = _check_cost("cost_fn", cost_fn)
    fp = _check_cost("cost_fp", cost_fp)
    total = pi * fn + (1 - pi) * fp
    if np.any(total == 0):
        raise DataError("no error costs anything at this prevalence; give a cost above 0")
    return np.asarray(pi * fn / total)


def _check_cost(name: str, cost: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(cost, dtype=float)
    invalid = ~(np.isfinite(values) & (values >= 0))
    if invalid.any():
        raise DataError(f"{name} is {values[invalid].flat[0]:g}; give a finite number >= 0")
    return values
