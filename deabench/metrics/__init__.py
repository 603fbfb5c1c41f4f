"""Compute a metric table, classifiers x metrics, from counts, labels or scores.

`from_counts`, `from_predictions` and `from_scores` make the tables that `deabench.rank` reads;
`catalogue` lists the metrics, `DIRECTION` says which are better low. docs/metrics.md has the
formulas and their sources.

The names below are imported when first used, as those of `deabench` are; `__init__.pyi` tells type
checkers what they are.
"""

from deabench.utils.lazy import make_lazy

_HOME = {
    "against_rest": "deabench.metrics.labels",
    "bootstrap": "deabench.inference.count_intervals",
    "bootstrap_counts": "deabench.inference.count_intervals",
    "brier_decomposition": "deabench.metrics.decompositions",
    "CELLS": "deabench.metrics.formulas",
    "DIRECTION": "deabench.metrics.formulas",
    "METRICS": "deabench.metrics.formulas",
    "PROPORTIONS": "deabench.metrics.formulas",
    "SCORE_METRICS": "deabench.metrics.formulas",
    "catalogue": "deabench.metrics.formulas",
    "direction_of": "deabench.metrics.formulas",
    "balancing_costs": "deabench.metrics.operating_conditions",
    "from_counts": "deabench.metrics.counts",
    "undefined": "deabench.metrics.counts",
    "Metric": "deabench.metrics.metric",
    "DeLong": "deabench.metrics.roc_area",
    "delong": "deabench.metrics.roc_area",
    "bootstrap_632": "deabench.metrics.estimators",
    "seconds": "deabench.metrics.estimators",
    "averaged": "deabench.metrics.counts",
    "pooled": "deabench.metrics.counts",
    "entropy": "deabench.metrics.decompositions",
    "information_gain": "deabench.metrics.decompositions",
    "proportion_intervals": "deabench.inference.count_intervals",
    "count": "deabench.metrics.predictions",
    "from_predictions": "deabench.metrics.predictions",
    "at_prevalence": "deabench.metrics.operating_conditions",
    "cost_of_accuracy": "deabench.metrics.operating_conditions",
    "score": "deabench.metrics.estimators",
    "scorers": "deabench.metrics.estimators",
    "from_scores": "deabench.metrics.predictions",
    "confusion": "deabench.metrics.multiclass",
    "from_class_scores": "deabench.metrics.multiclass",
    "from_classes": "deabench.metrics.multiclass",
    "one_vs_rest": "deabench.metrics.multiclass",
    "net_benefit": "deabench.metrics.score_metrics",
    "partial_auc": "deabench.metrics.score_metrics",
    "precision_at": "deabench.metrics.score_metrics",
    "tpr_at_fpr": "deabench.metrics.score_metrics",
    "Intervals": "deabench.inference.metric_intervals",
    "differences": "deabench.inference.metric_intervals",
    "intervals": "deabench.inference.metric_intervals",
    "usefulness": "deabench.metrics.operating_conditions",
}

__all__ = sorted(_HOME)
make_lazy(__name__, _HOME)
