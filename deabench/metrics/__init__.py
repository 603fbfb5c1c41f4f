"""From predictions to a metric table: counts, labels or scores in, a DataFrame of classifiers x
metrics out.

`from_counts`, `from_predictions` and `from_scores` make the tables that `deabench.rank` reads;
`catalogue` lists the metrics, `DIRECTION` says which are better low. docs/metrics.md has the
formulas and their sources.

The names below are imported when first used, as those of `deabench` are; `__init__.pyi` tells type
checkers what they are."""

from deabench.utils.lazy import make_lazy

_HOME = {
    "against_rest": "deabench.metrics.labels",
    "bootstrap": "deabench.metrics.resampled",
    "bootstrap_counts": "deabench.metrics.resampled",
    "brier_decomposition": "deabench.metrics.calibration",
    "CELLS": "deabench.metrics.formulas",
    "DIRECTION": "deabench.metrics.formulas",
    "METRICS": "deabench.metrics.formulas",
    "PROPORTIONS": "deabench.metrics.formulas",
    "SCORE_METRICS": "deabench.metrics.formulas",
    "catalogue": "deabench.metrics.formulas",
    "direction_of": "deabench.metrics.formulas",
    "balancing_costs": "deabench.metrics.costs",
    "from_counts": "deabench.metrics.counts",
    "undefined": "deabench.metrics.counts",
    "Metric": "deabench.metrics.declared",
    "DeLong": "deabench.metrics.areas",
    "delong": "deabench.metrics.areas",
    "bootstrap_632": "deabench.metrics.estimation",
    "seconds": "deabench.metrics.estimation",
    "averaged": "deabench.metrics.folds",
    "pooled": "deabench.metrics.folds",
    "entropy": "deabench.metrics.impurity",
    "information_gain": "deabench.metrics.impurity",
    "proportion_intervals": "deabench.metrics.proportions",
    "count": "deabench.metrics.predictions",
    "from_predictions": "deabench.metrics.predictions",
    "at_prevalence": "deabench.metrics.prevalence",
    "score": "deabench.metrics.scoring",
    "scorers": "deabench.metrics.scoring",
    "from_scores": "deabench.metrics.scores",
    "confusion": "deabench.metrics.several",
    "from_class_scores": "deabench.metrics.several",
    "from_classes": "deabench.metrics.several",
    "one_vs_rest": "deabench.metrics.several",
    "net_benefit": "deabench.metrics.shipped",
    "partial_auc": "deabench.metrics.shipped",
    "precision_at": "deabench.metrics.shipped",
    "tpr_at_fpr": "deabench.metrics.shipped",
    "Intervals": "deabench.metrics.uncertainty",
    "differences": "deabench.metrics.uncertainty",
    "intervals": "deabench.metrics.uncertainty",
    "usefulness": "deabench.metrics.useful",
}

__all__ = sorted(_HOME)
make_lazy(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
