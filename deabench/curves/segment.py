"""The balanced misclassification segment of a ROC curve (Elazmeh, Japkowicz and Matwin 2006).

At each point of the curve b = false negatives, c = false positives, and Tango's interval of (b −
c)/n says whether the two kinds of error differ in number. (b − c)/n is also the prevalence minus
the share predicted positive, and b = c is the point where precision equals recall: a confident
point balances the errors, it does not say that they are few.

Four steps: (1) the ROC curve; (2) Tango's interval at every point, those with 0 inside are
confident; (3) SAUC, the area under the curve between the first and the last confident point, down
to TPR = 0; (4) AveD, the mean of (b − c)/n over them, of which the paper leaves open whether signed
or absolute: both are given; use the absolute one, since signed differences cancel.

The confident points are one unbroken run, because each row that the threshold passes adds 1 to b −
c; only equal scores can jump over all of them, as a decision stump's do, and then there is no
segment.

References
----------
Elazmeh W, Japkowicz N, Matwin S (2006) Evaluating misclassifications in imbalanced data. ECML 2006,
LNCS 4212:126-137. doi:10.1007/11871842_16
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.curves.roc import Roc, ScoreCurve, roc, trace_roc
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth, two_class_truth
from deabench.tango import contains_zero, interval
from deabench.utils.instances import Predictions, Values, predictions_by_name
from deabench.utils.result import Result

IntervalMethod = Callable[..., tuple[np.ndarray, np.ndarray]]
"""Returns lower and upper limits of (b − c)/n for arrays b, c, the number n, and alpha."""
CAUTION = (
    "SAUC is no quality score: it shrinks as 1/√n, so compare on one test set only; it first rises "
    "and then falls as the classes separate; random scores have the most confident points"
)
"""What SAUC does not measure; every plot of it shows this."""


@dataclass(frozen=True, eq=False, repr=False)
class Segment(ScoreCurve):
    """A ROC curve with an interval at every point, Tango's or that of a test of choice.

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
    test : str
        Whose intervals these are, as a title begins: "Tango's", or the name of `method`.

    Notes
    -----
    SAUC measures how much ROC area lies where the numbers of both errors are statistically alike.
    It does not measure quality. It falls as 1/√n (AUC .86, 10 % positives: .032, .011, .003 for n =
    200, 2,000, 20,000), it is not monotone in the separation of the classes (means 0, 1, 2, 3, 4
    apart, 100 against 900 rows: .005, .013, .015, .013, .008), and random scores have the most
    confident points. AveD, absolute, does fall with the separation. Report n with both. The points
    of one curve depend on each other, and there is no correction for their number.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> segment = curves.balanced_segment(y, score)
    >>> segment.confident[["FPR", "TPR"]].round(2).values.tolist()[0]
    [0.0, 0.0]
    """

    _display = "TangoDisplay"

    points: pd.DataFrame
    alpha: float
    sauc: float
    aved: float
    aved_signed: float
    test: str = "Tango's"

    @property
    def confident(self) -> pd.DataFrame:
        """The confident points, in the curve's order."""
        return self.points[self.points["confident"]]

    def roc_lines(self, at_least: float) -> pd.DataFrame:
        """Map the interval of one threshold into ROC space.

        With P positives and N negatives, (fn − fp)/n = δ is the line TPR = 1 − (nδ + N FPR)/P: all
        points between the lines of the two limits have a difference inside the interval, and the
        line of δ = 0 joins the points where both errors are equally many.

        Parameters
        ----------
        at_least : float
            A threshold of `points`.

        Returns
        -------
        DataFrame
            Rows lower, difference and upper; columns difference, TPR_at_FPR_0 and TPR_at_FPR_1,
            which may lie outside of [0, 1].

        Raises
        ------
        DataError
            If the curve has no point with this threshold.
        """
        at_point = self.points.loc[self.points["at_least"] == at_least]
        if at_point.empty:
            raise DataError(
                f"the curve has no threshold {at_least:g}; points['at_least'] lists them"
            )
        differences = at_point.iloc[0][["lower", "difference", "upper"]].astype(float)
        positives = self.roc.n_positive
        # (b - c)/n = D is the line TPR = 1 - n D / P - (N/P) FPR, for b = P (1 - TPR), c = N FPR.
        start = 1 - self.roc.n * differences / positives
        slope = -(self.roc.n - positives) / positives
        return pd.DataFrame(
            {"difference": differences, "TPR_at_FPR_0": start, "TPR_at_FPR_1": start + slope}
        )

    @property
    def figures(self) -> pd.Series:
        """The figures of this curve, by name."""
        thresholds = self.confident["at_least"]
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
                "from_at_least": thresholds.iloc[0] if len(thresholds) else np.nan,
                "to_at_least": thresholds.iloc[-1] if len(thresholds) else np.nan,
            },
            dtype=object,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the ROC curve, and what SAUC does not measure."""
        return (*self.roc.notes, CAUTION)


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
    >>> segments = curves.compare_segments(y, {"net": score, "tree": [.9, .2, .7, .6, .3, .1]})
    >>> segments.to_frame()["SAUC"].round(3).to_dict()
    {'net': 0.889, 'tree': 0.667}
    """

    _frame = "table"
    _text = "curves"
    _display = "SegmentsDisplay"

    table: pd.DataFrame
    segments: Mapping[str, Segment]
    excluded: tuple[str, ...]

    @classmethod
    def from_segments(cls, segments: Mapping[str, Segment]) -> Segments:
        """Tabulate segments by classifier."""
        figures = {name: segment.figures for name, segment in segments.items()}
        table = pd.DataFrame(figures).T.infer_objects()
        excluded = tuple(name for name, segment in segments.items() if np.isnan(segment.sauc))
        return cls(table.rename_axis("classifier"), segments, excluded)

    @property
    def notes(self) -> tuple[str, ...]:
        """What SAUC does not measure."""
        return (CAUTION,)


def balanced_segment(
    y_true: Values | GroundTruth,
    score: Values,
    alpha: float = 0.05,
    *,
    positive: object = None,
    method: IntervalMethod | None = None,
) -> Segment:
    """Compute the balanced misclassification segment of one score, by the paper's four steps.

    Parameters
    ----------
    y_true, score, positive : as for `deabench.curves.roc`
    alpha : float, 0 < alpha < 1
        One minus the level of the intervals.
    method : function, optional
        A test of choice in place of Tango's, as the paper's framework allows: it takes the arrays
        b and c (false negatives and false positives of each point), n and alpha, and returns the
        lower and upper limits of (b − c)/n. A point is confident if 0 lies between them.

    Raises
    ------
    DataError
        As `deabench.curves.roc` and `deabench.tango.interval` do, and if the method does not give
        two limits for each point.

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
    return segment_from_roc(roc(y_true, score, positive=positive), alpha, method)


def compare_segments(
    y_true: Values | GroundTruth,
    scores: Predictions,
    alpha: float = 0.05,
    *,
    positive: object = None,
    method: IntervalMethod | None = None,
) -> Segments:
    """Compute the segments of several classifiers on the same rows, with SAUC and AveD for each.

    Parameters
    ----------
    y_true : array_like, n
    scores : mapping of name to array_like, n
        A dict or a DataFrame with one column per classifier.
    alpha, positive, method : as for `balanced_segment`

    Raises
    ------
    DataError
        As `balanced_segment` does, with the classifier's name, and if there is none.

    Examples
    --------
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> segments = curves.compare_segments(y, {"net": score, "tree": [.9, .2, .7, .6, .3, .1]})
    >>> list(segments.segments)
    ['net', 'tree']
    """
    true = two_class_truth(y_true, positive, scores=True)
    segments = {
        name: segment_from_roc(trace_roc(true, score, name), alpha, method)
        for name, score in predictions_by_name(scores).items()
    }
    return Segments.from_segments(segments)


def segment_from_roc(
    curve: Roc, alpha: float = 0.05, method: IntervalMethod | None = None
) -> Segment:
    """Compute the segment of a ROC curve: steps 2 to 4."""
    points = curve.points.copy()
    # Step 2: at each point the two kinds of errors, b false negatives and c false positives.
    b = points["fn"].to_numpy()
    c = points["fp"].to_numpy()
    points["difference"] = (b - c) / curve.n
    test = "Tango's"
    if method is None:
        # Step 3: Tango's interval of the difference (b - c)/n of two paired shares.
        points["lower"], points["upper"] = interval(b, c, curve.n, alpha)
        # From whole numbers, not from the limits: no doubt at the edge.
        points["confident"] = contains_zero(b, c, alpha)
    else:
        limits = np.asarray(method(b, c, curve.n, alpha), dtype=float)
        if limits.shape != (2, len(points)):
            raise DataError(
                f"method gives an array of shape {limits.shape}; give the lower and the upper "
                f"limits of the {len(points)} points"
            )
        points["lower"], points["upper"] = limits
        points["confident"] = (limits[0] <= 0) & (limits[1] >= 0)
        test = str(getattr(method, "__name__", "given"))
    # Step 4: the segment is where 0 lies in the interval; its area and its mean difference.
    confident = points[points["confident"]]
    if confident.empty:
        return Segment(curve, points, alpha, np.nan, np.nan, np.nan, test)
    return Segment(
        curve,
        points,
        alpha,
        sauc=float(np.trapezoid(confident["TPR"], confident["FPR"])),
        aved=float(confident["difference"].abs().mean()),
        aved_signed=float(confident["difference"].mean()),
        test=test,
    )
