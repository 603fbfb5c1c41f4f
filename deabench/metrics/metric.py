"""Declare a metric: a name, a function or scikit-learn scorer, its direction, range and needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from deabench.errors import DataError
from deabench.utils.checks import choice

Needs = Literal["labels", "scores", "probabilities"]
ROUNDING_ERROR = 1e-12


@dataclass(frozen=True)
class Metric:
    """A user-defined metric for `from_predictions`, `from_scores`, `intervals`, `differences`.

    It is frozen, and pickles where its function does.

    Attributes
    ----------
    name : str
        The column's name.
    function : callable or str
        function(y_true, values), with y_true 1 for a positive and 0 for a negative instance and
        values the predicted labels (1 and 0), scores or probabilities; it takes `sample_weight` if
        weights are to be used. Or a scikit-learn scorer, or a scorer's name such as 'neg_log_loss'.
    higher_is_better : bool
    range : (float, float)
        The least and the greatest value; a value outside is refused.
    needs : 'labels', 'scores' or 'probabilities'

    Examples
    --------
    >>> gap = Metric("gap", lambda y, p: abs(float(p.mean() - y.mean())), False, range=(0, 1))
    >>> gap.value([True, False], [1, 1])
    0.5
    """

    name: str
    function: Callable[..., float] | str
    higher_is_better: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)
    needs: Needs = "labels"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise DataError(f"the metric's name is {self.name!r}; give it one, as text")
        if not callable(self.function) and not isinstance(self.function, str):
            raise DataError(
                f"the function of metric '{self.name}' is a {type(self.function).__name__}; give a "
                "function of (y_true, values), a scikit-learn scorer or a scorer's name"
            )
        choice("needs", self.needs, get_args(Needs))
        if not self.range[0] < self.range[1]:
            raise DataError(
                f"the range of metric '{self.name}' is {self.range}; give the least and the "
                "greatest value"
            )

    @property
    def better(self) -> Literal["higher", "lower"]:
        """Return which way is better, in the words of `DIRECTION`."""
        return "higher" if self.higher_is_better else "lower"

    def value(self, positive: Any, values: Any, sample_weight: Any = None) -> float:
        """Compute the metric of one classifier; NaN where it is undefined.

        Parameters
        ----------
        positive : bool array, n
        values : array, n
            Labels (1 and 0), scores or probabilities, by `needs`.
        sample_weight : array, n, optional

        Raises
        ------
        DataError
            Where the function takes no weights, fails, gives no number or one outside the range.
        """
        return self.of_labels(np.asarray(positive).astype(int), np.asarray(values), sample_weight)

    def of_labels(self, y: np.ndarray, values: np.ndarray, sample_weight: Any = None) -> float:
        """Compute the metric of labels of any kind, which the function gets as they are."""
        if self.needs != "labels" and not np.isin(y, (0, 1)).all():
            raise DataError(
                f"metric '{self.name}' needs {self.needs} of two classes; take one class against "
                "the rest (metrics.against_rest)"
            )
        # A function without sample_weight is called without it.
        weights = {}
        if sample_weight is not None:
            weights["sample_weight"] = np.asarray(sample_weight, dtype=float)
        function: Any = self.function
        try:
            if is_scorer(function):
                number = _scorer_value(function, y, values, weights)
            else:
                number = float(function(y, values, **weights))
        except DataError:
            raise
        except Exception as error:  # A user's function may fail in any way.
            message = str(error).strip().split("\n")[0]
            raise DataError(
                f"metric '{self.name}' failed: {type(error).__name__}: {message}"
            ) from error
        # The range is declared: a value outside shows a wrong declaration.
        low, high = self.range
        inside = low - ROUNDING_ERROR <= number <= high + ROUNDING_ERROR
        if not math.isnan(number) and not inside:
            raise DataError(
                f"metric '{self.name}' is {number:g}, outside its range {low:g} to {high:g}; "
                "declare its range"
            )
        return number


def metric_name(metric: str | Metric) -> str:
    """Return the name of a metric of the package, or of the user's."""
    return metric.name if isinstance(metric, Metric) else metric


def is_scorer(function: object) -> bool:
    """Return whether it is a scikit-learn scorer, or the name of one.

    Scorers are called with an estimator, not with predictions.
    """
    # scikit-learn keeps its scorer classes private: their module tells.
    module = type(function).__module__
    return isinstance(function, str) or module.startswith("sklearn.metrics._scorer")


def check_probabilities(values: np.ndarray, name: str, metric: str) -> None:
    """Refuse scores that are no probabilities."""
    outside = (values < 0) | (values > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise DataError(
            f"the score of '{name}' for instance {row + 1} is {values[row]:g}; metric '{metric}' "
            "needs probabilities, from 0 to 1"
        )


def _scorer_value(
    scorer: Any, y: np.ndarray, values: np.ndarray, weights: dict[str, np.ndarray]
) -> float:
    """Call a scorer with an estimator that returns its input as its predictions."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.metrics import get_scorer

    class IdentityClassifier(ClassifierMixin, BaseEstimator):
        classes_ = np.unique(y)

        def predict(self, X: np.ndarray) -> np.ndarray:
            return X.ravel()

        def decision_function(self, X: np.ndarray) -> np.ndarray:
            return X.ravel()

        def predict_proba(self, X: np.ndarray) -> np.ndarray:
            return np.column_stack([1 - X.ravel(), X.ravel()])

    return float(get_scorer(scorer)(IdentityClassifier(), values[:, None], y, **weights))
