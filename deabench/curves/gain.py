"""What is found among the rows with the highest scores: gain, lift, conversion, precision, recall.

With the rows in order of falling score, after the first k of n:

    gain = positives found / P      negative gain = negatives found / N      lift = gain / (k/n)

Equal scores are one step; between two points gain is straight, the mean over all orders of the
equal rows.

References
----------
Martin P, Artelnics. 6 testing methods for binary classification. Its printed maximum gain, 0.667 at
60 %, is the largest at a decile; the true maximum of that example is 0.75 at 55 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.curves.roc import ScoreCurve, roc
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth, read_scores, two_class_truth
from deabench.utils.instances import Values
from deabench.utils.result import Result

DECILES = np.arange(1, 11) / 10


@dataclass(frozen=True, eq=False, repr=False)
class Gain(ScoreCurve):
    """A cumulative gain chart.

    Attributes
    ----------
    roc : Roc
    points : DataFrame, one row per distinct score, and the start
        population (share of the rows, highest scores first), gain, negative_gain, difference = gain
        − negative_gain, at_least, above.
    deciles : DataFrame, indexed by population 0.1 ... 1.0
        gain, negative_gain, difference.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> round(float(curves.gain(y, score).maximum["population"]), 3)
    0.667
    """

    _display = "GainDisplay"

    points: pd.DataFrame
    deciles: pd.DataFrame

    @property
    def maximum(self) -> pd.Series:
        """The point of the largest difference (the Kolmogorov-Smirnov distance, Youden's J)."""
        return self.points.loc[self.points["difference"].idxmax()]

    @property
    def maximum_by_deciles(self) -> pd.Series:
        """The largest difference at a decile, as printed charts give it; never above `maximum`."""
        return self.deciles.reset_index().loc[int(np.argmax(self.deciles["difference"]))]


@dataclass(frozen=True, eq=False, repr=False)
class Lift(ScoreCurve):
    """A lift chart.

    Attributes
    ----------
    roc : Roc
    points : DataFrame, one row per distinct score
        population (share of the rows, above 0), lift (precision over prevalence), at_least, above.
    deciles : DataFrame, indexed by population 0.1 ... 1.0
        lift.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.lift(y, score).points.columns.tolist()
    ['population', 'lift', 'at_least', 'above']
    """

    _display = "LiftDisplay"

    points: pd.DataFrame
    deciles: pd.DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecall(ScoreCurve):
    """A precision-recall curve.

    Attributes
    ----------
    roc : Roc
    points : DataFrame, one row per distinct score, thresholds falling
        at_least, above, recall, precision (NaN where nothing is predicted positive), tp, fp.
    average_precision : float in [0, 1]
        Σ (recall_k − recall_{k−1})·precision_k, a step at each distinct score: no straight lines
        between points, which would be too good (Davis and Goadrich 2006,
        doi:10.1145/1143844.1143874).
    prevalence : float
        The precision of a random score at every recall.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.precision_recall(y, score).points.columns.tolist()
    ['at_least', 'above', 'recall', 'precision', 'tp', 'fp']
    """

    _display = "PrecisionRecallDisplay"

    points: pd.DataFrame
    average_precision: float
    prevalence: float

    @property
    def break_even(self) -> pd.Series:
        """The point where precision and recall are nearest; they are equal exactly if fn = fp."""
        gap = (self.points["precision"] - self.points["recall"]).abs()
        return self.points.loc[gap.idxmin()]


@dataclass(frozen=True, eq=False, repr=False)
class Conversion(Result):
    """Conversion rates: the share of each class in the data and in the two predicted groups.

    Attributes
    ----------
    rates : DataFrame, rows "all", "predicted positive", "predicted negative"
        n, positive, negative (shares of the row's n; NaN if n is 0).
    multipliers : Series
        positive: by what factor the share of positives is raised among the predicted positive;
        negative: the share of negatives among the predicted negative.
    rule : str
        What is predicted positive.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.conversion_rates(y, score, above=.5).rates.shape
    (3, 3)
    """

    _frame = "rates"
    _text = "curves"
    _display = "ConversionDisplay"

    rates: pd.DataFrame
    multipliers: pd.Series
    rule: str


def gain(y_true: Values | GroundTruth, score: Values, *, positive: object = None) -> Gain:
    """Compute cumulative gain and negative gain.

    Parameters
    ----------
    y_true, score, positive : as for `deabench.curves.roc`

    Raises
    ------
    DataError
        As `deabench.curves.roc` does.

    Examples
    --------
    >>> chart = gain([1, 1, 0, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.2, 0.1])
    >>> print(f"{chart.maximum.difference:.4f} at {chart.maximum.population:.4f}")
    0.7500 at 0.5714
    """
    curve = roc(y_true, score, positive=positive)
    columns = {
        "population": (curve.points["tp"] + curve.points["fp"]) / curve.n,
        "gain": curve.points["TPR"],
        "negative_gain": curve.points["FPR"],
        "difference": curve.points["TPR"] - curve.points["FPR"],
        "at_least": curve.points["at_least"],
        "above": curve.points["above"],
    }
    points = pd.DataFrame(columns)
    # Between two points gain is straight.
    deciles = pd.DataFrame(index=pd.Index(DECILES, name="population"))
    for name in ("gain", "negative_gain"):
        deciles[name] = np.interp(DECILES, points["population"], points[name])
    deciles["difference"] = deciles["gain"] - deciles["negative_gain"]
    return Gain(curve, points, deciles)


def lift(y_true: Values | GroundTruth, score: Values, *, positive: object = None) -> Lift:
    """Compute lift: how many times more positives are among the first rows than among random ones.

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
    >>> curves.lift(y, score).points["lift"].round(2).tolist()
    [2.0, 2.0, 1.33, 1.5, 1.2, 1.0]
    """
    chart = gain(y_true, score, positive=positive)
    # The first point selects no row; its lift is 0/0.
    points = chart.points.iloc[1:]
    points = points.assign(lift=points["gain"] / points["population"])
    deciles = (chart.deciles["gain"] / DECILES).to_frame("lift")
    return Lift(chart.roc, points[["population", "lift", "at_least", "above"]], deciles)


def precision_recall(
    y_true: Values | GroundTruth, score: Values, *, positive: object = None
) -> PrecisionRecall:
    """Compute the precision-recall curve of one score, equal scores merged.

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
    # Precision is undefined where nothing is predicted positive.
    predicted_positive = points["tp"] + points["fp"]
    points.insert(2, "recall", curve.points["TPR"])
    points.insert(3, "precision", points["tp"] / predicted_positive.where(predicted_positive > 0))
    # A step at each distinct score, not a straight line.
    steps = np.diff(points["recall"]) * points["precision"].iloc[1:]
    return PrecisionRecall(curve, points, float(steps.sum()), curve.n_positive / curve.n)


def conversion_rates(
    y_true: Values | GroundTruth, score: Values, *, above: float = 0.5, positive: object = None
) -> Conversion:
    """Compute the conversion rates of the rule "positive where score > above".

    Parameters
    ----------
    y_true, score, positive : as for `deabench.curves.roc`
    above : float
        The threshold; a score equal to it is predicted negative.

    Raises
    ------
    DataError
        As `deabench.curves.roc` does, and if the threshold is NaN.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.conversion_rates(y, score, above=.5).rates.round(2)["positive"].tolist()
    [0.5, 0.75, 0.0]
    """
    if np.isnan(above):
        raise DataError("the threshold is missing; give above= a number")
    true = two_class_truth(y_true, positive, scores=True)
    is_predicted = read_scores(score, true) > above
    groups = {
        "all": np.ones_like(is_predicted),
        "predicted positive": is_predicted,
        "predicted negative": ~is_predicted,
    }
    # The rows of each group, and the positives among them.
    sizes = np.array([group.sum() for group in groups.values()])
    positives = np.array([(true.is_positive & group).sum() for group in groups.values()])
    # The share of positives in each group, NaN in an empty one.
    shares = np.divide(positives, sizes, out=np.full(3, np.nan), where=sizes > 0)
    rates = pd.DataFrame(
        {"n": sizes, "positive": shares, "negative": 1 - shares},
        index=pd.Index(groups, name="group"),
    )
    base, among_positive, among_negative = shares
    multipliers = pd.Series(
        {"positive": among_positive / base, "negative": (1 - among_negative) / (1 - base)}
    )
    return Conversion(rates, multipliers, f"{true.positive!r} where score > {above:g}")
