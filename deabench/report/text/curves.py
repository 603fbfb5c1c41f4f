"""Describe curves, areas below them, Tango's test and intervals of metrics."""

from __future__ import annotations

import numpy as np

from deabench.curves.average import MeanRoc
from deabench.curves.bands import Band
from deabench.curves.cost import CostCurve
from deabench.curves.gain import Conversion, Gain, Lift, PrecisionRecall
from deabench.curves.learning import LearningCurve
from deabench.curves.roc import OperatingPoint, Roc
from deabench.curves.segment import Segment, Segments
from deabench.inference.metric_intervals import Intervals
from deabench.metrics.roc_area import DeLong
from deabench.tango import TangoTest
from deabench.utils.text import quote_names

MAX_EXAMPLES = 3
"""Differences that a summary writes out."""


def summarize_roc(curve: Roc) -> str:
    """Describe the area and the classes."""
    return (
        f"the area under the ROC curve is {curve.auc:.4g} ({curve.hull_auc:.4g} under its convex "
        f"hull): {curve.positive!r} against {curve.negative!r}, {curve.n_positive} positives and "
        f"{curve.n_negative} negatives, {len(curve.points)} points"
    )


def summarize_operating_point(point: OperatingPoint) -> str:
    """Describe the rule, its errors, and whether other points are as good."""
    sentence = (
        f"{point.rule} ({point.criterion} {point.value:.4g}): TPR {point.TPR:.4g}, "
        f"FPR {point.FPR:.4g}, {point.fn} positives missed, {point.fp} false alarms"
    )
    if point.tied == 1:
        return sentence
    return f"{sentence}; {point.tied} points are as good, and this has the fewest false alarms"


def summarize_gain(chart: Gain) -> str:
    """Describe the largest gain over chance."""
    maximum = chart.maximum
    return (
        f"the gain is farthest from the negative gain, by {maximum['difference']:.4g}, at "
        f"{maximum['population']:.4g} of the rows: {maximum['gain']:.4g} of the positives and "
        f"{maximum['negative_gain']:.4g} of the negatives are among them"
    )


def summarize_lift(chart: Lift) -> str:
    """Describe the lift of the first tenth, and the largest."""
    largest = chart.points.loc[chart.points["lift"].idxmax()]
    return (
        f"the first tenth of the rows has {chart.deciles['lift'].iloc[0]:.4g} times as many "
        f"positives as a tenth at random; the largest lift is {largest['lift']:.4g}, at "
        f"{largest['population']:.4g} of the rows"
    )


def summarize_conversion(conversion: Conversion) -> str:
    """Describe by how much the rule raises the share of each class."""
    positives = int(conversion.rates.loc["predicted positive", "n"])
    total = int(conversion.rates.loc["all", "n"])
    if not 0 < positives < total:
        predicted = "nothing" if positives == 0 else "everything"
        return f"{conversion.rule} predicts {predicted} positive: one of its two groups is empty"
    factors = conversion.multipliers
    return (
        f"{conversion.rule} raises the share of positives {factors['positive']:.4g} times among "
        f"the {positives} predicted positive, and that of negatives {factors['negative']:.4g} "
        f"times among the {total - positives} predicted negative"
    )


def summarize_precision_recall(curve: PrecisionRecall) -> str:
    """Describe the average precision next to that of random scores, and the break-even point."""
    point = curve.break_even
    return (
        f"the average precision is {curve.average_precision:.4g}, where random scores reach "
        f"{curve.prevalence:.4g}; precision {point['precision']:.4g} and recall "
        f"{point['recall']:.4g} are nearest at score >= {point['at_least']:.4g}"
    )


def summarize_cost_curve(curve: CostCurve) -> str:
    """Describe for which probability costs the classifier is of use, and its mean cost."""
    low, high = curve.useful
    if np.isnan(low):
        finding = "the classifier is nowhere cheaper than always predicting one class"
    else:
        finding = (
            "the classifier is cheaper than always predicting one class for probability costs from "
            f"{low:.4g} to {high:.4g}"
        )
    return (
        f"{finding}; its mean normalised expected cost is {curve.area:.4g}, where the better of "
        "those two rules has 0.25"
    )


def summarize_band(band: Band) -> str:
    """Describe how wide the band is."""
    return (
        f"the {band.method} band of level {1 - band.alpha:.4g} covers {band.area:.4g} of the ROC "
        f"square: the curve of area {band.roc.auc:.4g} moved by {band.up:.4g} in TPR and "
        f"{band.across:.4g} in FPR"
    )


def summarize_mean_roc(mean: MeanRoc) -> str:
    """Describe the mean area and its spread over the curves."""
    areas = np.array([curve.auc for curve in mean.curves])
    return (
        f"the mean area under {len(areas)} ROC curves is {areas.mean():.4g}, from "
        f"{areas.min():.4g} to {areas.max():.4g}; their mean curve has {len(mean.points)} points "
        f"with {1 - mean.alpha:.4g} intervals"
    )


def summarize_segment(segment: Segment) -> str:
    """Describe where the two kinds of error are statistically alike."""
    if np.isnan(segment.sauc):
        return (
            f"no threshold balances the two kinds of error at {1 - segment.alpha:.4g}: the curve "
            f"of area {segment.roc.auc:.4g} has no segment"
        )
    return (
        f"{len(segment.confident)} of {len(segment.points)} points balance the two kinds of error "
        f"at {1 - segment.alpha:.4g}: SAUC {segment.sauc:.4g}, AveD {segment.aved:.4g}, "
        f"AUC {segment.roc.auc:.4g}, {segment.roc.n} instances"
    )


def summarize_segments(result: Segments) -> str:
    """Describe whose errors are nearest to balance, and who has no segment."""
    balance = result.table["AveD"].dropna().astype(float)
    if balance.empty:
        return f"none of {len(result.table)} classifiers has a segment"
    excluded = ""
    if result.excluded:
        excluded = f"; without a segment: {quote_names(result.excluded)}"
    return (
        f"{len(balance)} of {len(result.table)} classifiers have a segment; '{balance.idxmin()}' "
        f"has the smallest AveD, {balance.min():.4g}{excluded}"
    )


def summarize_learning_curve(curve: LearningCurve) -> str:
    """Describe what the metric reached, and whether it had stopped changing."""
    means = curve.means
    last = means.iloc[-1]
    finding = (
        f"at {means.index[-1]} training rows the metric is {last['mean']:.4g} on "
        f"{curve.scores.shape[1]} test folds (sd {last['sd']:.4g}) and {last['training_mean']:.4g} "
        "on the training rows"
    )
    if curve.stopped_at is not None:
        return f"{finding}; it had stopped changing at {curve.stopped_at} rows"
    if curve.schedule.tolerance is None:
        return finding
    return f"{finding}; the rows ran out before it stopped changing"


def summarize_tango_test(result: TangoTest) -> str:
    """Describe whether the hypothesis is rejected, and by what."""
    verdict = "rejected" if result.rejected else "not rejected"
    return (
        f"{result.hypothesis} is {verdict} (p = {result.p_value:.4g}, T = {result.statistic:.4g}): "
        f"the difference is {result.difference:.4g}, between {result.lower:.4g} and "
        f"{result.upper:.4g}"
    )


def summarize_intervals(result: Intervals) -> str:
    """Return which differences exclude 0, or how many metrics have an interval; then the design."""
    limited = result.table.dropna(subset=["lower", "upper"])
    if "second" not in result.table.index.names:
        count = (
            f"{len(limited)} of {len(result.table)} values have an interval of "
            f"{100 * (1 - result.alpha):g} %"
        )
        return ". ".join([count, *result.notes[:2]])
    excluding = limited[(limited["lower"] > 0) | (limited["upper"] < 0)]
    examples = [
        f"{metric}: {first} − {second} = {row['estimate']:.4g} [{row['lower']:.4g}, "
        f"{row['upper']:.4g}]"
        for (first, second, metric), row in excluding.head(MAX_EXAMPLES).iterrows()
    ]
    count = f"{len(excluding)} of {len(limited)} intervals of a difference exclude 0"
    return ". ".join([count, *examples, *result.notes[:2]])


def summarize_de_long(areas: DeLong) -> str:
    """Return the largest area with its standard error and the sizes of the classes."""
    frame = areas.to_frame().sort_values("auc", ascending=False, kind="stable")
    best = frame.iloc[0]
    if np.isfinite(best["se"]):
        error = f"standard error {best['se']:.4g}"
    else:
        error = "its standard error is not known"
    return (
        f"the largest of {len(frame)} areas under the ROC curve is {best['auc']:.4g}, of "
        f"'{frame.index[0]}' ({error}); {areas.positives} positives, {areas.negatives} negatives"
    )
