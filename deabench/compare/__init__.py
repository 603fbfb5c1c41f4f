"""Statistical tests between classifiers; `compare` chooses one by the shape of the data and says
why.

| question | test |
|---|---|
| many classifiers, many data sets | `compare`; `friedman`, then `pairwise`, `critical_difference` |
| the same, scores missing | `skillings_mack`, or `compare(missing="skillings-mack")` |
| data sets that are cuts of one file | `compare(clusters=...)`, `cluster_means` |
| two classifiers, many data sets | `wilcoxon`, `permutation`, `bayesian_signed_rank` |
| two classifiers, folds of one data set | `corrected_t`, `bayesian_correlated_t`, `five_by_two_f`; `paired_t` as papers have it |
| classifiers on one test set | `on_one_test_set`: McNemar or DeLong; `mcnemar` on the counts of `discordant` |
| classifiers on different test sets | `on_own_test_sets`, `two_error_rates` |
| are two equivalent? | `tost`; on one test set `deabench.tango.test` |
| how large must a test set be? | `sample_size_mcnemar`, `sample_size_tango`, `sample_size_auc` |
| independent groups of numbers | `anova` |
"""

from __future__ import annotations

import warnings

from deabench.compare._result import Comparison
from deabench.compare.adjust import bergmann_hommel, finner, shaffer
from deabench.compare.anova import Anova, anova
from deabench.compare.bayes import Posterior, bayesian_correlated_t, bayesian_signed_rank
from deabench.compare.clusters import cluster_means, keel_files
from deabench.compare.comparison import Findings
from deabench.compare.default import compare, from_long
from deabench.compare.equivalence import tost
from deabench.compare.folds import corrected_t, five_by_two_f, paired_t
from deabench.compare.incomplete import SkillingsMack, skillings_mack
from deabench.compare.many import Friedman, critical_difference, friedman, rank
from deabench.compare.permutation import permutation
from deabench.compare.posteriors import Posteriors, bayesian
from deabench.compare.posthoc import Pairwise, pairwise
from deabench.compare.predictions import discordant, on_one_test_set, on_own_test_sets
from deabench.compare.sample_size import (
    SampleSize,
    sample_size_auc,
    sample_size_mcnemar,
    sample_size_tango,
)
from deabench.compare.two import mcnemar, two_error_rates, wilcoxon

__all__ = [
    "Anova",
    "Comparison",
    "Findings",
    "Friedman",
    "Pairwise",
    "Posterior",
    "Posteriors",
    "SampleSize",
    "SkillingsMack",
    "anova",
    "bayesian",
    "bayesian_correlated_t",
    "bayesian_signed_rank",
    "bergmann_hommel",
    "cluster_means",
    "compare",
    "corrected_t",
    "critical_difference",
    "discordant",
    "finner",
    "five_by_two_f",
    "friedman",
    "from_long",
    "keel_files",
    "mcnemar",
    "on_one_test_set",
    "on_own_test_sets",
    "paired_t",
    "pairwise",
    "permutation",
    "rank",
    "sample_size_auc",
    "sample_size_mcnemar",
    "sample_size_tango",
    "shaffer",
    "skillings_mack",
    "tost",
    "two_error_rates",
    "wilcoxon",
]

_RENAMED = {"Report": "Findings", "BayesianSignedRank": "Posterior"}


def __getattr__(name: str) -> type:
    if name not in _RENAMED:
        raise AttributeError(f"module 'deabench.compare' has no attribute '{name}'")
    new = _RENAMED[name]
    warnings.warn(
        f"deabench.compare.{name} is now called deabench.compare.{new}", FutureWarning, stacklevel=2
    )
    found = globals()[new]
    assert isinstance(found, type)
    return found
