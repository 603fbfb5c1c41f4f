"""The balanced misclassification segment of a ROC curve (Elazmeh, Japkowicz and Matwin 2006).

At each point of the curve b = false negatives, c = false positives, and Tango's interval of (b −
c)/n says whether the two kinds of error differ in number. (b − c)/n is also the prevalence minus
the share predicted positive, and b = c is the point where precision equals recall: a confident
point balances the errors, it does not say that they are few.

Four steps: (1) the ROC curve; (2) Tango's interval at every point, those with 0 inside are
confident; (3) SAUC, the area under the curve between the first and the last confident point, down
to TPR = 0; (4) AveD, the mean of (b − c)/n over them, of which the paper leaves open whether signed
or absolute: both are given, and the absolute one is the one to use, since signed differences
cancel.

The confident points are one unbroken run, because each row passed by the threshold adds 1 to b − c;
only equal scores can jump over them all, as a decision stump's do, and then there is no segment.

References
----------
Elazmeh W, Japkowicz N, Matwin S (2006) Evaluating misclassifications in imbalanced data. ECML 2006,
LNCS 4212:126-137. doi:10.1007/11871842_16"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.curves.roc import Roc, roc, trace
from deabench.metrics.labels import GroundTruth, two_class_truth
from deabench.tango import contains_zero, interval
from deabench.utils.instances import Predictions, Values, predictions_by_name
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import SegmentsDisplay, TangoDisplay

CAUTION = (
    "SAUC is no quality score: it shrinks as 1/√n, so compare on one test set only; it first rises and then falls "
    "as the classes separate; random scores have the most confident points"
)
"""What SAUC does not say; it stands beside every plot of it."""


@dataclass(frozen=True, eq=False, repr=False)
class Segment(Result):
    """A ROC curve with Tango's interval at every point.

    Attributes
    ----------
    roc : Roc
    points : DataFrame
        The curve's points (see `Roc.points`) with difference = (fn − fp)/n, its limits lower and
        upper, and confident.
    alpha : float
    sauc : float
        Area under the segment, in [0, AUC]; 0 for one confident point, NaN for none.
    aved : float
        Mean of |fn − fp|/n over the confident points, in [0, 1]; NaN for none.
    aved_signed : float
        Mean of (fn − fp)/n over them.

    Notes
    -----
    What SAUC says: how much ROC area lies where the numbers of both errors are statistically alike.
    What it does not: quality. It falls as 1/√n (AUC .86, 10 % positives: .032, .011, .003 for n =
    200, 2,000, 20,000), it is not monotone in the separation of the classes (means 0, 1, 2, 3, 4
    apart, 100 against 900 rows: .005, .013, .015, .013, .008), and random scores have the most
    confident points. AveD, absolute, does fall with the separation. Report n with both. The points
    of one curve depend on each other and no correction is made for looking at many.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> segment = curves.balanced_segment(y, score)
    >>> segment.confident[["FPR", "TPR"]].round(2).values.tolist()[0]
    [0.0, 0.0]
    """

    roc: Roc
    points: pd.DataFrame
    alpha: float
    sauc: float
    aved: float
    aved_signed: float

    @property
    def confident(self) -> pd.DataFrame:
        """The confident points, in the curve's order."""
        return self.points[self.points["confident"]]

    @property
    def figures(self) -> pd.Series:
        """The figures of this curve, by name."""
        ends = (
            self.confident[["at_least"]].to_numpy()[[0, -1], 0]
            if len(self.confident)
            else [np.nan, np.nan]
        )
        return pd.Series(
            {
                "n": self.roc.n,
                "positives": self.roc.n_positive,
                "AUC": self.roc.auc,
                "points": len(self.points),
                "confident": len(self.confident),
                "SAUC": self.sauc,
                "AveD": self.aved,
                "AveD_signed": self.aved_signed,
                "from_at_least": ends[0],
                "to_at_least": ends[1],
            },
            dtype=object,
        )

    def to_frame(self) -> pd.DataFrame:
        """The points, as a frame of its own."""
        return self.points.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.roc.notes, CAUTION)

    def summary(self) -> str:
        """Where the two kinds of error are statistically alike."""
        if np.isnan(self.sauc):
            return (
                f"no threshold balances the two kinds of error at {1 - self.alpha:.4g}: the curve of area {self.roc.auc:.4g} "
                "has no segment"
            )
        return (
            f"{len(self.confident)} of {len(self.points)} points balance the two kinds of error at {1 - self.alpha:.4g}: SAUC "
            f"{self.sauc:.4g}, AveD {self.aved:.4g}, AUC {self.roc.auc:.4g}, {self.roc.n} instances"
        )

    def plot(self, ax: Axes | None = None, *, name: str = "") -> TangoDisplay:  # type: ignore[override]
        """Draw Tango's intervals along the curve; see `deabench.plot.TangoDisplay`."""
        from deabench.plot import TangoDisplay

        return TangoDisplay(self, name).plot(ax)


@dataclass(frozen=True, eq=False, repr=False)
class Segments(Result):
    """The segments of several classifiers on one test set (the paper's Figure 5).

    Attributes
    ----------
    table : DataFrame, one row per classifier
        n, positives, AUC, points, confident, SAUC, AveD, AveD_signed, from_at_least, to_at_least.
    segments : mapping of name to Segment
    excluded : tuple of str
        The classifiers without a confident point; the figure leaves them out and names them.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> found = curves.compare_segments(y, {"net": score, "tree": [.9, .2, .7, .6, .3, .1]})
    >>> found.to_frame()["SAUC"].round(3).to_dict()
    {'net': 0.889, 'tree': 0.667}
    """

    table: pd.DataFrame
    segments: Mapping[str, Segment]
    excluded: tuple[str, ...]

    @classmethod
    def of(cls, segments: Mapping[str, Segment]) -> Segments:
        """The table of segments that are already there."""
        table = pd.DataFrame(
            {name: segment.figures for name, segment in segments.items()}
        ).T.infer_objects()
        excluded = tuple(name for name, segment in segments.items() if np.isnan(segment.sauc))
        return cls(table.rename_axis("classifier"), segments, excluded)

    def to_frame(self) -> pd.DataFrame:
        """The table, as a frame of its own."""
        return self.table.copy()

    @property
    def notes(self) -> tuple[str, ...]:
        return (CAUTION,)

    def summary(self) -> str:
        """Whose errors are nearest to balance, and who has no segment."""
        left = (
            f"; without a segment: {', '.join(map(repr, self.excluded))}" if self.excluded else ""
        )
        known = self.table["AveD"].dropna().astype(float)
        if known.empty:
            return f"none of {len(self.table)} classifiers has a segment"
        return (
            f"{len(known)} of {len(self.table)} classifiers have a segment; '{known.idxmin()}' has the least AveD, "
            f"{known.min():.4g}{left}"
        )

    def plot(self, ax: Axes | None = None) -> SegmentsDisplay:  # type: ignore[override]
        """Draw SAUC against AveD; see `deabench.plot.SegmentsDisplay`."""
        from deabench.plot import SegmentsDisplay

        return SegmentsDisplay(self).plot(ax)


def balanced_segment(
    y_true: Values | GroundTruth, score: Values, alpha: float = 0.05, *, positive: object = None
) -> Segment:
    """The balanced misclassification segment of one score, by the paper's four steps.

    Parameters
    ----------
    y_true, score, positive : as for `deabench.curves.roc`
    alpha : float, 0 < alpha < 1
        One minus the level of Tango's intervals.

    Raises
    ------
    DataError
        As `deabench.curves.roc` and `deabench.tango.interval` do.

    Notes
    -----
    The area and the mean do not measure quality: see `Segment`. With three positives or fewer the
    rule that nothing is positive is itself confident at 95 %. Where the class sizes are fixed by
    design, Tango's interval is conservative.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> segment = curves.balanced_segment(y, score)
    >>> len(segment.confident), round(segment.sauc, 3)
    (7, 0.889)
    """
    return of_roc(roc(y_true, score, positive=positive), alpha)


def compare_segments(
    y_true: Values | GroundTruth,
    scores: Predictions,
    alpha: float = 0.05,
    *,
    positive: object = None,
) -> Segments:
    """The segments of several classifiers on the same rows, and SAUC against AveD for each.

    Parameters
    ----------
    y_true : array_like, n
    scores : mapping of name to array_like, n
        A dict or a DataFrame with one column per classifier.
    alpha, positive : as for `balanced_segment`

    Raises
    ------
    DataError
        As `balanced_segment` does, with the classifier's name, and where there is none.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> found = curves.compare_segments(y, {"net": score, "tree": [.9, .2, .7, .6, .3, .1]})
    >>> list(found.segments)
    ['net', 'tree']
    """
    pairs, true = predictions_by_name(scores), two_class_truth(y_true, positive, scores=True)
    return Segments.of(
        {name: of_roc(trace(true, score, name), alpha) for name, score in pairs.items()}
    )


def of_roc(curve: Roc, alpha: float = 0.05) -> Segment:
    """Steps 2 to 4, for a curve that is already there."""
    points = curve.points.copy()
    b, c = points["fn"].to_numpy(), points["fp"].to_numpy()
    points["difference"] = (b - c) / curve.n
    points["lower"], points["upper"] = interval(b, c, curve.n, alpha)
    points["confident"] = contains_zero(b, c, alpha)  # whole numbers: no doubt at the edge
    run = points[points["confident"]]
    if run.empty:
        return Segment(curve, points, alpha, np.nan, np.nan, np.nan)
    return Segment(
        curve,
        points,
        alpha,
        float(np.trapezoid(run["TPR"], run["FPR"])),
        float(run["difference"].abs().mean()),
        float(run["difference"].mean()),
    )
