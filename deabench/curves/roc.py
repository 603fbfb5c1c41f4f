"""The ROC curve as counts: every point with its thresholds, the convex hull, the best threshold.

A point belongs to a rule. Two rules give the same point, and the results state both, so that a
number means one thing:

    at_least:  positive where score >= at_least      (scikit-learn's convention)
    above:     positive where score >  above         (or any other value in [above, at_least))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.geometry.rising_hull import upper_hull
from deabench.metrics.labels import (
    MAX_EXACT_INTEGER,
    GroundTruth,
    against_rest,
    read_scores,
    two_class_truth,
)
from deabench.utils.frames import pandas_or_same
from deabench.utils.instances import Values, count_classes, read_true_labels
from deabench.utils.result import Result

Criterion = Literal["closest", "youden", "cost"]
R = TypeVar("R")


@dataclass(frozen=True, eq=False, repr=False)
class Roc(Result):
    """A ROC curve.

    Attributes
    ----------
    points : DataFrame, a row per distinct score and a first one for "nothing is positive"
        at_least, above : float, the two forms of the threshold (inf and −inf at the ends);
        tp, fn, fp, tn : int, the confusion matrix; FPR, TPR : float in [0, 1];
        hull : bool, a vertex of the upper convex hull.
    auc : float
        Area under the curve in [0, 1]: P(score of a positive > score of a negative) + ½ P(equal).
    positive, negative : object
        The two labels.
    note : str
        Why that label is positive.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> roc = curves.roc(y, score)
    >>> round(roc.auc, 3), len(roc.points)
    (0.889, 7)
    """

    _frame = "points"
    _text = "curves"
    _display = "RocDisplay"

    points: pd.DataFrame
    auc: float
    positive: object
    negative: object
    note: str

    @property
    def n_positive(self) -> int:
        """The number of positive instances."""
        return int(self.points["tp"].iloc[-1])

    @property
    def n_negative(self) -> int:
        """The number of negative instances."""
        return int(self.points["fp"].iloc[-1])

    @property
    def n(self) -> int:
        """The number of instances."""
        return self.n_positive + self.n_negative

    @property
    def hull_auc(self) -> float:
        """Area under the convex hull: the AUC of mixing the curve's points at random."""
        vertices = self.points[self.points["hull"]]
        return float(np.trapezoid(vertices["TPR"], vertices["FPR"]))

    @property
    def notes(self) -> tuple[str, ...]:
        """Why that label is positive."""
        return (self.note,) if self.note else ()


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurve(Result):
    """Base class of the curves that are computed from the ROC curve of one score.

    Attributes
    ----------
    roc : Roc
    """

    _frame = "points"
    _text = "curves"

    roc: Roc

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the ROC curve."""
        return self.roc.notes


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint(Result):
    """The point of a ROC curve that is best by a criterion.

    Attributes
    ----------
    criterion : str
        What was minimised or maximised, with its costs and prevalence.
    value : float
        The criterion's value at the point.
    at_least, above : float
        Positive where score >= at_least; equally, where score > above, or > any value in [above,
        at_least).
    tp, fn, fp, tn : int
    FPR, TPR : float
    tied : int
        The number of points with the same value; this one has the fewest false positives (the
        highest threshold).

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.best_threshold(curves.roc(y, score)).rule
    'positive where score >= 0.8, or equally where score > any value in [0.7, 0.8)'
    """

    _text = "curves"

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
        """Return the point as one row, the criterion its label."""
        return pd.DataFrame([vars(self)]).set_index("criterion")


def roc(y_true: Values | GroundTruth, score: Values, *, positive: object = None) -> Roc:
    """Compute the ROC curve of one score; equal scores are one point, no point is dropped.

    Parameters
    ----------
    y_true : array_like, n
        Labels of two classes, of any kind.
    score : array_like of float, n
        A higher score means more positive.
    positive : object, optional
        The positive label; without it 1 of {0, 1} or {−1, 1} and True of {False, True}, and of
        other labels none.

    Raises
    ------
    DataError
        If labels or scores cannot be used: see `deabench.metrics.labels`.

    Examples
    --------
    >>> curve = roc([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.4, 0.1])
    >>> print(f"{curve.auc:.4f}")
    0.9167
    """
    return trace_roc(two_class_truth(y_true, positive, scores=True), score)


def trace_roc(true: GroundTruth, score: Values, name: str | None = None) -> Roc:
    """Compute `roc` from checked labels; `name` is the classifier's in error messages."""
    from sklearn.metrics import confusion_matrix_at_thresholds

    values = read_scores(score, true, name=name)
    note = true.note
    if values.dtype.kind != "f":
        note += f"; thresholds beyond {MAX_EXACT_INTEGER} are rounded, counts are not"
    # Counts at every distinct score, thresholds falling.
    tn, fp, fn, tp, thresholds = confusion_matrix_at_thresholds(true.is_positive, values)
    columns = {
        "at_least": np.concatenate([[np.inf], thresholds]),
        "above": np.concatenate([thresholds, [-np.inf]]),
    }
    # The first point is above all scores: nothing is positive there.
    for name_of_count, first, counts in (
        ("tp", 0, tp),
        ("fn", tp[-1], fn),
        ("fp", 0, fp),
        ("tn", fp[-1], tn),
    ):
        columns[name_of_count] = np.concatenate([[first], counts]).astype(np.int64)
    fp_counts = columns["fp"]
    tp_counts = columns["tp"]
    columns["FPR"] = fp_counts / fp[-1]
    columns["TPR"] = tp_counts / tp[-1]
    # The hull of whole counts is exact: no point is on it or off it by rounding.
    vertices = upper_hull(fp_counts.tolist(), tp_counts.tolist())
    columns["hull"] = np.isin(np.arange(len(fp_counts)), vertices)
    points = pd.DataFrame(columns).rename_axis("point")
    # Trapezoids in whole numbers and one division: exact up to that division.
    twice_area = int(np.sum(np.diff(fp_counts) * (tp_counts[1:] + tp_counts[:-1])))
    auc = twice_area / (2 * int(fp_counts[-1]) * int(tp_counts[-1]))
    return Roc(points, auc, true.positive, true.negative, note)


def best_threshold(
    curve: Roc,
    criterion: Criterion = "youden",
    *,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    prevalence: float | None = None,
) -> OperatingPoint:
    """Return the point of the curve that is best by one criterion.

    Parameters
    ----------
    curve : Roc
    criterion : "closest", "youden", "cost"
        closest: smallest distance to the corner, √(FPR² + (1 − TPR)²); youden: largest J = TPR −
        FPR; cost: smallest expected cost of a row, π·(1 − TPR)·cost_fn + (1 − π)·FPR·cost_fp, which
        a vertex of the hull has.
    cost_fn, cost_fp : float >= 0, not both 0
        The cost of a missed positive and of a false alarm (criterion "cost" only).
    prevalence : float in [0, 1], optional
        The share π of positives where the rule will be used; without it the sample's own (criterion
        "cost" only).

    Raises
    ------
    DataError
        If the criterion is unknown, a cost negative, or the prevalence outside [0, 1].

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> best = curves.best_threshold(curves.roc(y, score), "youden")
    >>> best.at_least, round(best.TPR, 3), best.FPR
    (0.8, 0.667, 0.0)
    """
    fpr = curve.points["FPR"].to_numpy()
    fnr = 1 - curve.points["TPR"].to_numpy()
    sign = 1
    if criterion == "closest":
        # The corner is FPR 0, TPR 1.
        loss = np.hypot(fpr, fnr)
        description = "closest to the corner"
    elif criterion == "youden":
        # J from counts: whole numbers and one division, so that equal points tie.
        positives = curve.points["tp"].to_numpy() * curve.n_negative
        negatives = curve.points["fp"].to_numpy() * curve.n_positive
        loss = -(positives - negatives) / (curve.n_positive * curve.n_negative)
        description = "Youden's J"
        sign = -1
    elif criterion == "cost":
        pi = _check_costs(curve, cost_fn, cost_fp, prevalence)
        # The expected cost of one row: a positive is missed, or a negative raises a false alarm.
        loss = pi * fnr * cost_fn + (1 - pi) * fpr * cost_fp
        description = f"least cost: fn {cost_fn:g}, fp {cost_fp:g}, prevalence {pi:.4g}"
    else:
        raise DataError(f"criterion is {criterion!r}; it is 'closest', 'youden' or 'cost'")
    # Of equally good points the first one, with the highest threshold.
    is_tied = np.isclose(loss, loss.min(), rtol=1e-12, atol=1e-15)
    row = curve.points.iloc[int(np.argmax(is_tied))]
    return OperatingPoint(
        criterion=description,
        value=float(sign * loss.min()),
        at_least=float(row["at_least"]),
        above=float(row["above"]),
        tp=int(row["tp"]),
        fn=int(row["fn"]),
        fp=int(row["fp"]),
        tn=int(row["tn"]),
        FPR=float(row["FPR"]),
        TPR=float(row["TPR"]),
        tied=int(is_tied.sum()),
    )


def _check_costs(curve: Roc, cost_fn: float, cost_fp: float, prevalence: float | None) -> float:
    """Return the prevalence, the sample's own if none is given; refuse costs that make no sense."""
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if not (np.isfinite(cost) and cost >= 0):
            raise DataError(f"{name} is {cost:g}; give a finite number >= 0")
    if cost_fn == cost_fp == 0:
        raise DataError(
            "cost_fn and cost_fp are both 0, so every threshold costs the same; give one above 0"
        )
    if prevalence is None:
        return curve.n_positive / curve.n
    if not 0 <= prevalence <= 1:
        raise DataError(f"prevalence is {prevalence:g}; give a share in [0, 1]")
    return prevalence


def per_class(
    tool: Callable[..., R], y_true: Values, scores: pd.DataFrame, **options: Any
) -> dict[object, R]:
    """Apply a curve, segment or cost tool to each class against the rest.

    Parameters
    ----------
    tool : function of (y_true, score)
        `roc`, `balanced_segment` (with Tango's intervals), `gain`, `lift`, `precision_recall`,
        `cost_curve` ...
    y_true : labels, one per instance
    scores : DataFrame, instances x classes
        A column per class, named as in `y_true`.
    **options
        Options of the tool.

    Returns
    -------
    {class: the tool's result}

    Raises
    ------
    DataError
        If a class has no column; and as the tool does.

    Examples
    --------
    >>> from deabench.curves import roc
    >>> scores = pd.DataFrame({"a": [0.8, 0.1, 0.3], "b": [0.1, 0.7, 0.3], "c": [0.1, 0.2, 0.4]})
    >>> [curve.auc for curve in per_class(roc, ["a", "b", "c"], scores).values()]
    [1.0, 1.0, 1.0]
    """
    scores = pandas_or_same(scores)
    classes, _ = count_classes(read_true_labels(y_true))
    for label in classes:
        if label not in scores.columns:
            raise DataError(
                f"the scores have no column {label!r}; give a DataFrame with a column per class"
            )
    return {label: tool(against_rest(y_true, label), scores[label], **options) for label in classes}
