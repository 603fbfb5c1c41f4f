"""Curves of a score: ROC and its balanced segment, bands, gain, lift, cost, precision-recall.

Learning curves are here, too. Each function returns a frozen result with its numbers as labelled
frames; the Display of the same name in `deabench.plot` draws it. Every curve of a score takes
`y_true` with labels of any kind (`positive` names the positive one; without it, the minority) and
refuses NaN scores, one class only, three classes and lengths that differ.

The names are imported when first used; `__init__.pyi` tells type checkers what they are.
"""

from deabench.utils.lazy import make_lazy

_HOME = {
    "Band": "deabench.curves.bands",
    "Conversion": "deabench.curves.gain",
    "CostCurve": "deabench.curves.cost",
    "Gain": "deabench.curves.gain",
    "LearningCurve": "deabench.curves.learning",
    "Lift": "deabench.curves.gain",
    "MeanRoc": "deabench.curves.average",
    "OperatingPoint": "deabench.curves.roc",
    "PrecisionRecall": "deabench.curves.gain",
    "Roc": "deabench.curves.roc",
    "Schedule": "deabench.curves.learning",
    "Segment": "deabench.curves.segment",
    "Segments": "deabench.curves.segment",
    "arithmetic": "deabench.curves.learning",
    "average_threshold": "deabench.curves.average",
    "average_vertical": "deabench.curves.average",
    "balanced_segment": "deabench.curves.segment",
    "bands": "deabench.curves.bands",
    "best_threshold": "deabench.curves.roc",
    "compare_segments": "deabench.curves.segment",
    "conversion_rates": "deabench.curves.gain",
    "cost_curve": "deabench.curves.cost",
    "gain": "deabench.curves.gain",
    "geometric": "deabench.curves.learning",
    "learning_curve": "deabench.curves.learning",
    "lift": "deabench.curves.gain",
    "per_class": "deabench.curves.roc",
    "precision_recall": "deabench.curves.gain",
    "probability_cost": "deabench.curves.cost",
    "roc": "deabench.curves.roc",
}

__all__ = sorted(_HOME)
make_lazy(__name__, _HOME)
