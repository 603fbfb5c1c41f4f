"""From predictions to a metric table: counts, labels or scores in, a DataFrame of classifiers x metrics out.

`from_counts`, `from_predictions` and `from_scores` make the tables that `deabench.rank` reads; `catalogue` lists the
metrics, `DIRECTION` says which are better low. docs/metrics.md has the formulas and their sources.
"""

from deabench.metrics.bootstrap import bootstrap, bootstrap_counts
from deabench.metrics.catalogue import CELLS, DIRECTION, METRICS, PROPORTIONS, SCORE_METRICS, catalogue
from deabench.metrics.costs import balancing_costs
from deabench.metrics.counts import from_counts, undefined
from deabench.metrics.delong import DeLong, delong
from deabench.metrics.folds import averaged, pooled
from deabench.metrics.intervals import proportion_intervals
from deabench.metrics.predictions import count, from_predictions, from_scores
from deabench.metrics.prevalence import at_prevalence
from deabench.metrics.scorers import score, scorers
from deabench.metrics.usefulness import usefulness

__all__ = [
    "CELLS",
    "DIRECTION",
    "METRICS",
    "PROPORTIONS",
    "SCORE_METRICS",
    "DeLong",
    "at_prevalence",
    "averaged",
    "balancing_costs",
    "bootstrap",
    "bootstrap_counts",
    "catalogue",
    "count",
    "delong",
    "from_counts",
    "from_predictions",
    "from_scores",
    "pooled",
    "proportion_intervals",
    "score",
    "scorers",
    "undefined",
    "usefulness",
]
