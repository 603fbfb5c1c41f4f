"""Statistical tests between classifiers; `compare` selects one by the shape of the data.

| question | test |
|---|---|
| many classifiers, many data sets | `compare`; `friedman`, then `pairwise`, `critical_difference` |
| the same, scores missing | `skillings_mack`, or `compare(missing="skillings-mack")` |
| data sets that are cuts of one file | `compare(clusters=...)`, `cluster_means` |
| two classifiers, many data sets | `wilcoxon`, `permutation`, `bayesian_signed_rank` |
| two classifiers, folds of one data set | `corrected_t`, `bayesian_correlated_t`, `five_by_two_f` |
| the same, as many papers have it | `paired_t` |
| classifiers on one test set | `on_one_test_set`: McNemar or DeLong |
| the same, from counts | `mcnemar` on the counts of `discordant` |
| classifiers on different test sets | `on_own_test_sets`, `two_error_rates` |
| are two equivalent? | `tost`; on one test set `deabench.tango.test` |
| how large must a test set be? | `sample_size_mcnemar`, `sample_size_tango`, `sample_size_auc` |
| independent groups of numbers | `anova` |

The names are imported when first used; `__init__.pyi` tells type checkers what they are.
"""

from deabench.utils.lazy import make_lazy

_HOME = {
    "Anova": "deabench.compare.omnibus",
    "Comparison": "deabench.compare.two_classifiers",
    "ComparisonResult": "deabench.compare.selection",
    "Friedman": "deabench.compare.friedman",
    "Pairwise": "deabench.compare.pairwise",
    "Posterior": "deabench.compare.bayes",
    "Posteriors": "deabench.compare.bayes",
    "SampleSize": "deabench.compare.sample_size",
    "SkillingsMack": "deabench.compare.omnibus",
    "anova": "deabench.compare.omnibus",
    "bayesian": "deabench.compare.bayes",
    "bayesian_correlated_t": "deabench.compare.bayes",
    "bayesian_signed_rank": "deabench.compare.bayes",
    "bergmann_hommel": "deabench.compare.adjustment",
    "cluster_means": "deabench.compare.score_tables",
    "compare": "deabench.compare.selection",
    "corrected_t": "deabench.compare.two_classifiers",
    "critical_difference": "deabench.compare.adjustment",
    "discordant": "deabench.compare.predictions",
    "finner": "deabench.compare.adjustment",
    "five_by_two_f": "deabench.compare.two_classifiers",
    "friedman": "deabench.compare.friedman",
    "from_long": "deabench.compare.score_tables",
    "keel_files": "deabench.compare.score_tables",
    "mcnemar": "deabench.compare.two_classifiers",
    "on_one_test_set": "deabench.compare.predictions",
    "on_own_test_sets": "deabench.compare.predictions",
    "paired_t": "deabench.compare.two_classifiers",
    "pairwise": "deabench.compare.pairwise",
    "permutation": "deabench.compare.signed_rank",
    "rank": "deabench.compare.friedman",
    "sample_size_auc": "deabench.compare.sample_size",
    "sample_size_mcnemar": "deabench.compare.sample_size",
    "sample_size_tango": "deabench.compare.sample_size",
    "shaffer": "deabench.compare.adjustment",
    "skillings_mack": "deabench.compare.omnibus",
    "tost": "deabench.compare.signed_rank",
    "two_error_rates": "deabench.compare.two_classifiers",
    "wilcoxon": "deabench.compare.signed_rank",
}

__all__ = sorted(_HOME)
make_lazy(__name__, _HOME)
