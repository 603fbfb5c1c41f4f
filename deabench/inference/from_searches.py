"""The folds of a grid search, with the ratio of test to training rows that its splitter has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.learners import fold_scores, is_cv_results

TURNED = "mean_test_neg_"
"""Scikit-learn's losses with their sign turned: below 0, so no ratio of two of them means anything.
"""


def searched(
    search: Any, metrics: Sequence[str] | None, ratio: float | None
) -> tuple[pd.DataFrame, list[str], float | None]:
    """The folds as rows, the metrics taken, and n_test / n_train where the splitter is no plain
    k-fold.
    """
    results = search if is_cv_results(search) else getattr(search, "cv_results_", None)
    if not isinstance(results, Mapping):
        raise DataError(
            f"a {type(search).__name__} is no fitted search; give a GridSearchCV after fit, or its cv_results_"
        )
    folds = fold_scores(results)
    known = [str(name) for name in folds.columns[2:]]
    taken = (
        list(metrics)
        if metrics is not None
        else [name for name in known if not name.startswith(TURNED)]
    )
    if not taken:
        raise DataError(
            "the search has losses only (neg_...), and intervals are those of metrics to be high; score it by one more"
        )
    splitter = getattr(search, "cv", None)
    repeats = getattr(splitter, "n_repeats", 1)
    if repeats > 1:
        each = folds["fold"].nunique() // repeats
        folds["repeat"], folds["fold"] = folds["fold"] // each, folds["fold"] % each
    if ratio is None and hasattr(splitter, "test_size"):
        raise DataError(
            f"{type(splitter).__name__} does not split into folds; give ratio= the number of test rows over that of "
            "training rows"
        )
    return folds, taken, ratio
