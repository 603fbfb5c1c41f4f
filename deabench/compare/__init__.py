"""Statistical tests between classifiers; `compare` chooses one by the shape of the data and says why.

| question | test |
|---|---|
| two error rates, different test sets | `two_error_rates` |
| two classifiers, one test set | `mcnemar` on the counts of `discordant` |
| two classifiers, folds of one data set | `corrected_t`, `five_by_two_f`; `paired_t` as papers have it |
| two classifiers, many data sets | `wilcoxon`, `bayesian_signed_rank` |
| many classifiers, many data sets | `friedman`, then `pairwise` (Holm, Shaffer, Nemenyi), `critical_difference` |
| independent groups of numbers | `anova` |
"""

from __future__ import annotations

from deabench.compare._result import Comparison
from deabench.compare.anova import Anova, anova
from deabench.compare.bayes import BayesianSignedRank, bayesian_signed_rank
from deabench.compare.default import Report, compare, from_long
from deabench.compare.folds import corrected_t, five_by_two_f, paired_t
from deabench.compare.many import Friedman, critical_difference, friedman, rank
from deabench.compare.posthoc import Pairwise, pairwise, shaffer
from deabench.compare.two import discordant, mcnemar, two_error_rates, wilcoxon

__all__ = [
    "Anova", "BayesianSignedRank", "Comparison", "Friedman", "Pairwise", "Report", "anova", "bayesian_signed_rank",
    "compare", "corrected_t", "critical_difference", "discordant", "five_by_two_f", "friedman", "from_long", "mcnemar",
    "paired_t", "pairwise", "rank", "shaffer", "two_error_rates", "wilcoxon",
]
