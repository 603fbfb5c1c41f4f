"""From predictions to a metric table: counts, labels or scores in, a DataFrame of classifiers x metrics out.

`from_counts`, `from_predictions` and `from_scores` make the tables that `deabench.rank` reads; `catalogue` lists the
metrics, `DIRECTION` says which are better low. docs/metrics.md has the formulas and their sources.
"""

from deabench.labels import against_rest
from deabench.metrics.bootstrap import bootstrap, bootstrap_counts
from deabench.metrics.calibration import brier_decomposition
from deabench.metrics.catalogue import CELLS, DIRECTION, METRICS, PROPORTIONS, SCORE_METRICS, catalogue, direction_of
from deabench.metrics.costs import balancing_costs
from deabench.metrics.counts import from_counts, undefined
from deabench.metrics.declared import Metric
from deabench.metrics.delong import DeLong, delong
from deabench.metrics.estimation import bootstrap_632, seconds
from deabench.metrics.folds import averaged, pooled
from deabench.metrics.impurity import entropy, information_gain
from deabench.metrics.intervals import proportion_intervals
from deabench.metrics.predictions import count, from_predictions
from deabench.metrics.prevalence import at_prevalence
from deabench.metrics.scorers import score, scorers
from deabench.metrics.scores import from_scores
from deabench.metrics.several import confusion, from_class_scores, from_classes, one_vs_rest
from deabench.metrics.shipped import net_benefit, partial_auc, precision_at, tpr_at_fpr
from deabench.metrics.uncertainty import Intervals, differences, intervals
from deabench.metrics.usefulness import usefulness

__all__ = [
    "CELLS",
    "DIRECTION",
    "METRICS",
    "PROPORTIONS",
    "SCORE_METRICS",
    "DeLong",
    "Intervals",
    "Metric",
    "against_rest",
    "at_prevalence",
    "averaged",
    "balancing_costs",
    "bootstrap",
    "bootstrap_632",
    "bootstrap_counts",
    "brier_decomposition",
    "catalogue",
    "confusion",
    "count",
    "delong",
    "differences",
    "direction_of",
    "entropy",
    "from_class_scores",
    "from_classes",
    "from_counts",
    "from_predictions",
    "from_scores",
    "information_gain",
    "intervals",
    "net_benefit",
    "one_vs_rest",
    "partial_auc",
    "pooled",
    "precision_at",
    "proportion_intervals",
    "score",
    "scorers",
    "seconds",
    "tpr_at_fpr",
    "undefined",
    "usefulness",
]
