"""The catalogue's metrics as scikit-learn scorers, for cross_validate, GridSearchCV and their like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deabench.errors import DataError
from deabench.metrics.counts import chosen, table_of
from deabench.metrics.formulas import needed
from deabench.metrics.predictions import count
from deabench.utils import instances


def score(
    y_true: instances.Values,
    y_pred: instances.Values,
    *,
    metric: str,
    positive: object = 1,
    sample_weight: instances.Values | None = None,
    **options: Any,
) -> float:
    """One metric of one classifier's labels; NaN where it is undefined, as in a fold without
    positives.

    Parameters
    ----------
    y_true, y_pred : labels, one per instance
        Checked as `from_predictions` checks them, but that y_true may hold one class only.
    metric : name from `catalogue()`
    positive : label
    sample_weight : numbers >= 0, optional
    **options
        As for `from_counts`.

    Examples
    --------
    >>> from deabench import metrics
    >>> metrics.score([1, 1, 0, 0], [1, 0, 0, 0], metric="TPR")
    0.5
    """
    counts = count(
        y_true, {"the classifier": y_pred}, positive=positive, sample_weight=sample_weight
    )
    return float(table_of(counts, metrics=[metric], **options)[metric].iloc[0])


def scorers(metrics: Sequence[str], *, positive: object = 1, **options: Any) -> dict[str, Any]:
    """Scorers by name, for the argument `scoring` of scikit-learn.

    Parameters
    ----------
    metrics : sequence of names from `catalogue()`
        A metric to be low is negated, as scikit-learn's own scorers are, under the name 'neg_' +
        name.
    positive : label
        The positive class; 1 by default, as in scikit-learn. It must be named, for the minority may
        differ from fold to fold.
    **options
        As for `from_counts`.

    Returns
    -------
    dict of scorer objects
        Made by `sklearn.metrics.make_scorer`; they pickle.

    Raises
    ------
    DataError
        For an unknown metric, or one that has no better direction, as 'prevalence'; when a scorer
        is used, for labels that `from_predictions` would refuse: a positive class that is not
        there, a third one, a gap.

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
            raise DataError(
                f"metric '{name}' is neither better high nor low; it cannot score a classifier"
            )
        key = name if better == "higher" else f"neg_{name}"
        made[key] = make_scorer(
            score, greater_is_better=better == "higher", metric=name, positive=positive, **options
        )
    return made
