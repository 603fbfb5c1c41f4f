"""Curves of a score: ROC and its balanced segment, bands, gain, lift, cost, precision-recall,
learning curves.

Each function returns a frozen result that holds its numbers as labelled frames; the Display of the
same name in `deabench.plot` draws it. Every curve of a score takes `y_true` with labels of any kind
(`positive` names the positive one; without it, the minority) and refuses NaN scores, one class
only, three classes and lengths that differ."""

from deabench.curves.average import MeanRoc, average_threshold, average_vertical
from deabench.curves.bands import Band, bands
from deabench.curves.classes import per_class
from deabench.curves.cost import CostCurve, cost_curve, probability_cost
from deabench.curves.gain import Conversion, Gain, Lift, conversion_rates, gain, lift
from deabench.curves.learning import LearningCurve, Schedule, arithmetic, geometric, learning_curve
from deabench.curves.precision_recall import PrecisionRecall, precision_recall
from deabench.curves.roc import Operating, Roc, best_threshold, roc
from deabench.curves.segment import Segment, Segments, balanced_segment, compare_segments

__all__ = [
    "Band",
    "Conversion",
    "CostCurve",
    "Gain",
    "LearningCurve",
    "Lift",
    "MeanRoc",
    "Operating",
    "PrecisionRecall",
    "Roc",
    "Schedule",
    "Segment",
    "Segments",
    "arithmetic",
    "average_threshold",
    "average_vertical",
    "balanced_segment",
    "bands",
    "best_threshold",
    "compare_segments",
    "conversion_rates",
    "cost_curve",
    "gain",
    "geometric",
    "learning_curve",
    "lift",
    "per_class",
    "precision_recall",
    "probability_cost",
    "roc",
]
