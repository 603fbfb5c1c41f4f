"""One way to declare a metric: a name, a function or scikit-learn scorer, its direction, its range,
what it needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from deabench.errors import DataError
from deabench.utils.checks import choice

Needs = Literal["labels", "scores", "probabilities"]
NEEDS = ("labels", "scores", "probabilities")


@dataclass(frozen=True)
class Metric:
    """A metric of one's own, for `from_predictions`, `from_scores`, `intervals`, `differences`.

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
                f"the function of metric '{self.name}' is a {type(self.function).__name__}; give a function "
                "of (y_true, values), a scikit-learn scorer or a scorer's name"
            )
        choice("needs", self.needs, NEEDS)
        if not self.range[0] < self.range[1]:
            raise DataError(
                f"the range of metric '{self.name}' is {self.range}; give the least and the greatest value"
            )

    @property
    def better(self) -> Literal["higher", "lower"]:
        """Which way is better, in the words of `DIRECTION`."""
        return "higher" if self.higher_is_better else "lower"

    def value(self, positive: Any, values: Any, sample_weight: Any = None) -> float:
        """The metric of one classifier; NaN where it is undefined.

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

    def of_labels(self, y: np.ndarray, given: np.ndarray, sample_weight: Any = None) -> float:
        """`value` of any labels, as `from_classes` has them: the function gets them as they are."""
        if self.needs != "labels" and not np.isin(y, (0, 1)).all():
            raise DataError(
                f"metric '{self.name}' needs {self.needs} of two classes; take one class against the rest "
                "(metrics.against_rest)"
            )
        weights = (
            {}
            if sample_weight is None
            else {"sample_weight": np.asarray(sample_weight, dtype=float)}
        )
        call: Any = self.function
        try:
            found = (
                _scored(call, y, given, weights) if is_scorer(call) else call(y, given, **weights)
            )
            number = float(found)
        except DataError:
            raise
        except Exception as error:  # a user's function may fail in any way
            said = str(error).strip().split("\n")[0]
            raise DataError(
                f"metric '{self.name}' failed: {type(error).__name__}: {said}"
            ) from error
        low, high = self.range
        if not math.isnan(number) and not low - 1e-12 <= number <= high + 1e-12:
            raise DataError(
                f"metric '{self.name}' is {number:g}, outside its range {low:g} to {high:g}; declare its range"
            )
        return number


def is_scorer(function: object) -> bool:
    """Whether it is a scikit-learn scorer, or the name of one: called with an estimator, not with
    predictions.
    """
    return isinstance(function, str) or type(function).__module__.startswith(
        "sklearn.metrics._scorer"
    )


def check_probabilities(values: np.ndarray, name: str, metric: str) -> None:
    """Refuse what is no probability."""
    outside = (values < 0) | (values > 1)
    if outside.any():
        where = int(np.argmax(outside))
        raise DataError(
            f"the score of '{name}' for instance {where + 1} is {values[where]:g}; metric '{metric}' needs "
            "probabilities, from 0 to 1"
        )


def _scored(
    scorer: Any, y: np.ndarray, values: np.ndarray, weights: dict[str, np.ndarray]
) -> float:
    """A scorer's value of given predictions: it is called with an estimator that answers what is
    given.
    """
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.metrics import get_scorer

    class Given(ClassifierMixin, BaseEstimator):
        classes_ = np.unique(y)

        def __sklearn_is_fitted__(self) -> bool:
            return True

        def predict(self, X: np.ndarray) -> np.ndarray:
            return X.ravel()

        def decision_function(self, X: np.ndarray) -> np.ndarray:
            return X.ravel()

        def predict_proba(self, X: np.ndarray) -> np.ndarray:
            return np.column_stack([1 - X.ravel(), X.ravel()])

    return float(get_scorer(scorer)(Given(), values[:, None], y, **weights))
