"""The ROC curve as counts: every point with the thresholds that give it, the convex hull, the best
threshold.

A point belongs to a rule. Two rules give the same point, and both are said, so that a number means
one thing:

    at_least:  positive where score >= at_least      (scikit-learn's convention)
    above:     positive where score >  above         (any other value in [above, at_least) does the same)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deabench.errors import DataError
from deabench.metrics.labels import MAX_EXACT_INTEGER, GroundTruth, read_scores, two_class_truth
from deabench.utils.instances import Values
from deabench.utils.result import Result

Criterion = Literal["closest", "youden", "cost"]


@dataclass(frozen=True, eq=False, repr=False)
class Roc(Result):
    """A ROC curve.

    Attributes
    ----------
    points : DataFrame, one row per distinct score and one for "nothing is positive", thresholds
    falling
        at_least, above : float, the two forms of the threshold (inf and −inf at the ends);
        tp, fn, fp, tn : int, the confusion matrix; FPR, TPR : float in [0, 1];
        hull : bool, a vertex of the upper convex hull.
    auc : float
        Area under the curve in [0, 1]: P(score of a positive > score of a negative) + ½ P(equal).
    positive, negative : object
        The two labels; `note` says why that one is positive.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> roc = curves.roc(y, score)
    >>> round(roc.auc, 3), len(roc.points)
    (0.889, 7)
    """

    points: pd.DataFrame
    auc: float
    positive: object
    negative: object
    note: str

    @property
    def n_positive(self) -> int:
        return int(self.points["tp"].iloc[-1])

    @property
    def n_negative(self) -> int:
        return int(self.points["fp"].iloc[-1])

    @property
    def n(self) -> int:
        return self.n_positive + self.n_negative

    @property
    def hull_auc(self) -> float:
        """Area under the convex hull: the AUC that mixing the curve's points at random can reach."""
        vertices = self.points[self.points["hull"]]
        return float(np.trapezoid(vertices["TPR"], vertices["FPR"]))

    def to_frame(self) -> pd.DataFrame:
        """The points, as a frame of its own."""
        return self.points.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return (self.note,) if self.note else ()

    def summary(self) -> str:
        """The area and what it is of."""
        return (
            f"the area under the ROC curve is {self.auc:.4g} ({self.hull_auc:.4g} under its convex hull): {self.positive!r} "
            f"against {self.negative!r}, {self.n_positive} positives and {self.n_negative} negatives, "
            f"{len(self.points)} points"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Operating(Result):
    """One point of a ROC curve, chosen by a criterion.

    Attributes
    ----------
    criterion : str
        What was made least or greatest, with its costs and prevalence.
    value : float
        The criterion's value at the point.
    at_least, above : float
        Positive where score >= at_least; equally, where score > above, or > any value in [above,
        at_least).
    tp, fn, fp, tn : int
    FPR, TPR : float
    tied : int
        How many points reach the same value; the one with the fewest false positives (the highest
        threshold) is given.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.best_threshold(curves.roc(y, score)).rule
    'positive where score >= 0.8, or equally where score > any value in [0.7, 0.8)'
    """

    criterion: str
    value: float
    at_least: float
    above: float
    tp: int
    fn: int
    fp: int
    tn: int
    FPR: float
    TPR: float
    tied: int

    @property
    def rule(self) -> str:
        """The rule in words."""
        return (
            f"positive where score >= {self.at_least:g}, "
            f"or equally where score > any value in [{self.above:g}, {self.at_least:g})"
        )

    def to_frame(self) -> pd.DataFrame:
        """The point as one row, the criterion its label."""
        return pd.DataFrame([vars(self)]).set_index("criterion")

    def summary(self) -> str:
        """The rule, its errors, and whether others are as good."""
        said = (
            f"{self.rule} ({self.criterion} {self.value:.4g}): TPR {self.TPR:.4g}, FPR {self.FPR:.4g}, {self.fn} positives "
            f"missed, {self.fp} false alarms"
        )
        return (
            said
            if self.tied == 1
            else f"{said}; {self.tied} points are as good, and this has the fewest false alarms"
        )


def roc(y_true: Values | GroundTruth, score: Values, *, positive: object = None) -> Roc:
    """The ROC curve of one score, equal scores merged into one point, no point dropped.

    Parameters
    ----------
    y_true : array_like, n
        Labels of two classes, of any kind.
    score : array_like of float, n
        Higher says more positive.
    positive : object, optional
        The positive label; without it 1 of {0, 1} or {−1, 1} and True of {False, True}, and of
        other labels none.

    Raises
    ------
    DataError
        Where labels or scores cannot be used: see `deabench.metrics.labels`.

    Examples
    --------
    >>> curve = roc([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.4, 0.1])
    >>> print(f"{curve.auc:.4f}")
    0.9167
    """
    return trace(two_class_truth(y_true, positive, scores=True), score)


def trace(true: GroundTruth, score: Values, name: str | None = None) -> Roc:
    """`roc` for labels of both classes that are already told apart; `name` is the classifier's in
    errors.
    """
    from sklearn.metrics import confusion_matrix_at_thresholds

    values = read_scores(score, true, name=name)
    note = (
        true.note
        if values.dtype.kind == "f"
        else f"{true.note}; thresholds beyond {MAX_EXACT_INTEGER} are rounded, counts are not"
    )
    tn, fp, fn, tp, thresholds = confusion_matrix_at_thresholds(true.is_positive, values)
    points = pd.DataFrame(
        {
            "at_least": np.concatenate([[np.inf], thresholds]),
            "above": np.concatenate([thresholds, [-np.inf]]),
            **{
                key: np.concatenate([[first], counts]).astype(np.int64)
                for key, counts, first in (
                    ("tp", tp, 0),
                    ("fn", fn, tp[-1]),
                    ("fp", fp, 0),
                    ("tn", tn, fp[-1]),
                )
            },
        }
    ).rename_axis("point")
    points["FPR"], points["TPR"] = points["fp"] / fp[-1], points["tp"] / tp[-1]
    points["hull"] = hull(points["fp"].to_numpy(), points["tp"].to_numpy())
    return Roc(
        points,
        _auc(points["fp"].to_numpy(), points["tp"].to_numpy()),
        true.positive,
        true.negative,
        note,
    )


def hull(fp: NDArray[np.int64], tp: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which points are vertices of the upper convex hull, by Andrew's monotone chain on whole
    numbers (no rounding).

    Points on a hull edge but not at its end are no vertices. The points come in the curve's order;
    O(n)."""
    x, y = fp.tolist(), tp.tolist()
    kept: list[int] = []
    for k in range(len(x)):
        while len(kept) > 1:
            i, j = kept[-2], kept[-1]
            if (x[j] - x[i]) * (y[k] - y[i]) < (y[j] - y[i]) * (x[k] - x[i]):
                break  # j lies above the line from i to k
            kept.pop()
        kept.append(k)
    chosen = np.zeros(len(x), dtype=bool)
    chosen[kept] = True
    return chosen


def best_threshold(
    curve: Roc,
    criterion: Criterion = "youden",
    *,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    prevalence: float | None = None,
) -> Operating:
    """The point of the curve that is best by one criterion.

    Parameters
    ----------
    curve : Roc
    criterion : "closest", "youden", "cost"
        closest: least distance to the corner, √(FPR² + (1 − TPR)²); youden: greatest J = TPR − FPR;
        cost: least expected cost of a row, π·(1 − TPR)·cost_fn + (1 − π)·FPR·cost_fp, which a
        vertex of the hull has.
    cost_fn, cost_fp : float >= 0, not both 0
        What a missed positive and a false alarm cost (criterion "cost" only).
    prevalence : float in [0, 1], optional
        The share π of positives where the rule will be used; without it the sample's own (criterion
        "cost" only).

    Raises
    ------
    DataError
        Where the criterion is unknown, a cost negative, or the prevalence outside [0, 1].

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> best = curves.best_threshold(curves.roc(y, score), "youden")
    >>> best.at_least, round(best.TPR, 3), best.FPR
    (0.8, 0.667, 0.0)
    """
    fpr, fnr = curve.points["FPR"].to_numpy(), 1 - curve.points["TPR"].to_numpy()
    if criterion == "closest":
        loss, said, sign = np.hypot(fpr, fnr), "closest to the corner", 1
    elif criterion == "youden":
        gap = (
            curve.points["tp"].to_numpy() * curve.n_negative
            - curve.points["fp"].to_numpy() * curve.n_positive
        )
        loss, said, sign = -gap / (curve.n_positive * curve.n_negative), "Youden's J", -1
    elif criterion == "cost":
        pi = _prevalence(curve, cost_fn, cost_fp, prevalence)
        loss, sign = pi * fnr * cost_fn + (1 - pi) * fpr * cost_fp, 1
        said = f"least cost: fn {cost_fn:g}, fp {cost_fp:g}, prevalence {pi:.4g}"
    else:
        raise DataError(f"criterion is {criterion!r}; it is 'closest', 'youden' or 'cost'")
    tied = np.isclose(loss, loss.min(), rtol=1e-12, atol=1e-15)
    row = curve.points.iloc[int(np.argmax(tied))]
    counts = {key: int(row[key]) for key in ("tp", "fn", "fp", "tn")}
    return Operating(
        said,
        float(sign * loss.min()),
        float(row["at_least"]),
        float(row["above"]),
        **counts,
        FPR=float(row["FPR"]),
        TPR=float(row["TPR"]),
        tied=int(tied.sum()),
    )


def _prevalence(curve: Roc, cost_fn: float, cost_fp: float, prevalence: float | None) -> float:
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if not (np.isfinite(cost) and cost >= 0):
            raise DataError(f"{name} is {cost:g}; a cost is a finite number >= 0")
    if cost_fn == cost_fp == 0:
        raise DataError("cost_fn and cost_fp are both 0; then every threshold costs the same")
    if prevalence is None:
        return curve.n_positive / curve.n
    if not 0 <= prevalence <= 1:
        raise DataError(f"prevalence is {prevalence:g}; a share lies in [0, 1]")
    return prevalence


def _auc(fp: NDArray[np.int64], tp: NDArray[np.int64]) -> float:
    """Trapezoids in whole numbers, one division: exact up to that division."""
    twice = int(np.sum(np.diff(fp) * (tp[1:] + tp[:-1])))
    return twice / (2 * int(fp[-1]) * int(tp[-1]))
