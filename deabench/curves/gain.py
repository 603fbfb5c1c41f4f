"""Cumulative gain, lift and conversion rates: what is found among the rows with the highest scores.

With the rows in order of falling score, after the first k of n:

    gain = positives found / P        negative gain = negatives found / N        lift = gain / (k/n)

Equal scores are one step; between two points gain is straight, the mean over all orders of the
equal rows.

References
----------
Martin P, Artelnics. 6 testing methods for binary classification. Its printed maximum gain, 0.667 at
60 %, is the largest at a decile; the true maximum of that example is 0.75 at 55 %."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.curves.roc import Roc, roc
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth, read_scores, two_class_truth
from deabench.utils.instances import Values
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import ConversionDisplay, GainDisplay, LiftDisplay

DECILES = np.arange(1, 11) / 10


@dataclass(frozen=True, eq=False, repr=False)
class Gain(Result):
    """A cumulative gain chart.

    Attributes
    ----------
    points : DataFrame, one row per distinct score, and the start
        population (share of the rows taken), gain, negative_gain, difference = gain −
        negative_gain, at_least, above.
    deciles : DataFrame, indexed by population 0.1 ... 1.0
        gain, negative_gain, difference.
    roc : Roc

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> gain = curves.gain(y, score)
    >>> round(float(gain.maximum["population"]), 3)
    0.667
    """

    points: pd.DataFrame
    deciles: pd.DataFrame
    roc: Roc

    @property
    def maximum(self) -> pd.Series:
        """The true maximum gain: the point of the largest difference (the Kolmogorov-Smirnov
        distance, Youden's J).
        """
        return self.points.loc[self.points["difference"].idxmax()]

    @property
    def maximum_by_deciles(self) -> pd.Series:
        """The largest difference at a decile of the rows, as printed charts give it; never above
        `maximum`.
        """
        return self.deciles.reset_index().loc[int(np.argmax(self.deciles["difference"]))]

    def to_frame(self) -> pd.DataFrame:
        """The points, as a frame of its own."""
        return self.points.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return self.roc.notes

    def summary(self) -> str:
        """The largest gain over chance, and where."""
        most = self.maximum
        return (
            f"the gain is farthest from the negative gain, by {most['difference']:.4g}, at {most['population']:.4g} of the "
            f"rows: {most['gain']:.4g} of the positives and {most['negative_gain']:.4g} of the negatives are among them"
        )

    def plot(self, ax: Axes | None = None, *, name: str = "") -> GainDisplay:  # type: ignore[override]
        """Draw both gains; see `deabench.plot.GainDisplay`."""
        from deabench.plot import GainDisplay

        return GainDisplay(self, name).plot(ax)


@dataclass(frozen=True, eq=False, repr=False)
class Lift(Result):
    """A lift chart.

    Attributes
    ----------
    points : DataFrame, one row per distinct score
        population (share of the rows taken, above 0), lift (precision over prevalence), at_least,
        above.
    deciles : DataFrame, indexed by population 0.1 ... 1.0
        lift.
    roc : Roc

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.lift(y, score).points.columns.tolist()
    ['population', 'lift', 'at_least', 'above']
    """

    points: pd.DataFrame
    deciles: pd.DataFrame
    roc: Roc

    def to_frame(self) -> pd.DataFrame:
        """The points, as a frame of its own."""
        return self.points.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return self.roc.notes

    def summary(self) -> str:
        """The lift of the first tenth, and the largest."""
        top = self.points.loc[self.points["lift"].idxmax()]
        return (
            f"the first tenth of the rows holds {self.deciles['lift'].iloc[0]:.4g} times as many positives as a tenth at "
            f"random; the largest lift is {top['lift']:.4g}, at {top['population']:.4g} of the rows"
        )

    def plot(self, ax: Axes | None = None, *, name: str = "") -> LiftDisplay:  # type: ignore[override]
        """Draw the lift; see `deabench.plot.LiftDisplay`."""
        from deabench.plot import LiftDisplay

        return LiftDisplay({name: self}).plot(ax)


@dataclass(frozen=True, eq=False, repr=False)
class Conversion(Result):
    """Conversion rates: the share of each class in the data and in the two predicted groups.

    Attributes
    ----------
    rates : DataFrame, rows "all", "predicted positive", "predicted negative"
        n, positive, negative (shares of the row's n; NaN where n is 0).
    multipliers : Series
        positive: how many times the positives' share is raised among the predicted positive;
        negative: the negatives' among the predicted negative.
    rule : str
        What is predicted positive.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> curves.conversion_rates(y, score, above=.5).rates.shape
    (3, 3)
    """

    rates: pd.DataFrame
    multipliers: pd.Series
    rule: str

    def to_frame(self) -> pd.DataFrame:
        """The rates, as a frame of its own."""
        return self.rates.copy()

    def summary(self) -> str:
        """By how much the rule raises the share of each class."""
        n, of_all = int(self.rates.loc["predicted positive", "n"]), int(self.rates.loc["all", "n"])
        if not 0 < n < of_all:
            return f"{self.rule} predicts {'nothing' if n == 0 else 'everything'} positive: one of its two groups is empty"
        raised = self.multipliers
        return (
            f"{self.rule} raises the share of positives {raised['positive']:.4g} times among the {n} predicted positive, and "
            f"that of negatives {raised['negative']:.4g} times among the {of_all - n} predicted negative"
        )

    def plot(self, ax: Axes | None = None, *, name: str = "") -> ConversionDisplay:  # type: ignore[override]
        """Draw the shares; see `deabench.plot.ConversionDisplay`."""
        from deabench.plot import ConversionDisplay

        return ConversionDisplay(self, name).plot(ax)


def gain(y_true: Values | GroundTruth, score: Values, *, positive: object = None) -> Gain:
    """Cumulative gain and negative gain.

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
    points = curve.points[["at_least", "above"]].assign(
        population=(curve.points["tp"] + curve.points["fp"]) / curve.n,
        gain=curve.points["TPR"],
        negative_gain=curve.points["FPR"],
    )
    points["difference"] = points["gain"] - points["negative_gain"]
    deciles = pd.DataFrame(
        {
            name: np.interp(DECILES, points["population"], points[name])
            for name in ("gain", "negative_gain")
        },
        index=pd.Index(DECILES, name="population"),
    )
    deciles["difference"] = deciles["gain"] - deciles["negative_gain"]
    columns = ["population", "gain", "negative_gain", "difference", "at_least", "above"]
    return Gain(points[columns], deciles, curve)


def lift(y_true: Values | GroundTruth, score: Values, *, positive: object = None) -> Lift:
    """Lift: how many times more positives are among the rows taken than among as many taken at
    random.

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
    points = chart.points.iloc[1:]  # 0/0 where nothing is taken
    points = points.assign(lift=points["gain"] / points["population"])
    deciles = (chart.deciles["gain"] / DECILES).to_frame("lift")
    return Lift(points[["population", "lift", "at_least", "above"]], deciles, chart.roc)


def conversion_rates(
    y_true: Values | GroundTruth, score: Values, *, above: float = 0.5, positive: object = None
) -> Conversion:
    """Conversion rates of the rule "positive where score > above".

    Parameters
    ----------
    y_true, score, positive : as for `deabench.curves.roc`
    above : float
        The threshold; a score equal to it is predicted negative.

    Raises
    ------
    DataError
        As `deabench.curves.roc` does, and where the threshold is NaN.

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
    taken = read_scores(score, true) > above
    groups = {"all": np.ones_like(taken), "predicted positive": taken, "predicted negative": ~taken}
    n = np.array([group.sum() for group in groups.values()])
    found = np.array([(true.is_positive & group).sum() for group in groups.values()])
    share = np.divide(found, n, out=np.full(3, np.nan), where=n > 0)
    rates = pd.DataFrame(
        {"n": n, "positive": share, "negative": 1 - share}, index=pd.Index(groups, name="group")
    )
    multipliers = pd.Series(
        {"positive": share[1] / share[0], "negative": (1 - share[2]) / (1 - share[0])}
    )
    return Conversion(rates, multipliers, f"{true.positive!r} where score > {above:g}")
