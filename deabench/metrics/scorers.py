"""The catalogue's metrics as scikit-learn scorers, for cross_validate, GridSearchCV and their like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.catalogue import needed
from deabench.metrics.counts import chosen, table_of


def score(
    y_true: Iterable[object],
    y_pred: Iterable[object],
    *,
    metric: str,
    positive: object = 1,
    sample_weight: Iterable[float] | None = None,
    **options: Any,
) -> float:
    """One metric of one classifier's labels; NaN where it is undefined, as in a fold without positives.

    Parameters
    ----------
    y_true, y_pred : labels, one per instance
        Every label other than `positive` counts as negative.
    metric : name from `catalogue()`
    positive : label
    sample_weight : numbers >= 0, optional
    **options
        As for `from_counts`.
    """
    actual, said = np.asarray(y_true) == positive, np.asarray(y_pred) == positive
    weight = np.ones(len(actual)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    cells = {"tp": actual & said, "fn": actual & ~said, "fp": ~actual & said, "tn": ~actual & ~said}
    frame = pd.DataFrame({cell: [weight[rows].sum()] for cell, rows in cells.items()})
    return float(table_of(frame, metrics=[metric], **options)[metric].iloc[0])


def scorers(metrics: Sequence[str], *, positive: object = 1, **options: Any) -> dict[str, Any]:
    """Scorers by name, for the argument `scoring` of scikit-learn.

    Parameters
    ----------
    metrics : sequence of names from `catalogue()`
        A metric to be low is negated, as scikit-learn's own scorers are, under the name 'neg_' + name.
    positive : label
        The positive class; 1 by default, as in scikit-learn. It must be named, for the minority may differ from fold
        to fold.
    **options
        As for `from_counts`.

    Returns
    -------
    dict of scorer objects
        Made by `sklearn.metrics.make_scorer`; they pickle.

    Raises
    ------
    DataError
        For an unknown metric, or one that has no better direction, as 'prevalence'.

    Examples
    --------
    >>> sorted(scorers(["G-mean", "FPR"]))
    ['G-mean', 'neg_FPR']
    """
    from sklearn.metrics import make_scorer

    beta = float(options.get("beta", 1.0))
    made = {}
    for name in chosen(metrics, beta):
        better = needed(name, beta).better
        if better == "neither":
            raise DataError(f"metric '{name}' is neither better high nor low; it cannot score a classifier")
        key = name if better == "higher" else f"neg_{name}"
        made[key] = make_scorer(
            score, greater_is_better=better == "higher", metric=name, positive=positive, **options
        )
    return made
