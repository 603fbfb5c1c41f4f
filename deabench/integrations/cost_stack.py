"""Do better than a mixture at the costs of its facet: threshold what the peers say together.

A facet a TPR + b TNR = c of the frontier weighs the two rates: for a user of that facet a positive
that is missed costs a/P and a negative that is taken for one b/N, with P and N of the data. All
mixtures of its vertices have the same expected cost. A probability that is learned from the scores
of all classifiers, thresholded at the ratio of the costs, uses what each knows of each instance.
Near the threshold both answers cost about the same, and the side is chance: there the mixture
answers.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_consistent_length, indexable
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from deabench.errors import DataError, DataWarning
from deabench.integrations.mixture import Mixture, checked_shares
from deabench.integrations.score_regression import (
    choose_regression,
    coefficient_covariance,
    cross_fit_margins,
    margins,
)
from deabench.metrics.formulas import canonical_name
from deabench.metrics.labels import ground_truth
from deabench.utils import instances
from deabench.utils.checks import share
from deabench.utils.result import Result
from deabench.utils.text import quote_names

RATES = ("TPR", "TNR")
LEAST_MARGIN = 1.0
"""Standard errors from the threshold up to which the mixture answers an instance."""


class CostStack(ClassifierMixin, BaseEstimator):
    """A classifier of two classes that has at most the expected cost of a mixture.

    A logistic regression on the scores of all estimators, cross-fitted, gives a probability; an
    instance is positive where its expected cost is less that way. The mixture answers instances
    whose log odds are within one standard error of the threshold, and all instances where the stack
    is shown to be dearer on the cross-fitted answers.

    Parameters
    ----------
    estimators : mapping of name to classifier
        Classifiers of scikit-learn's kind.
    shares : mapping of name to number > 0
        Of the mixture, of sum 1; estimators without a share are stacked, too.
    weights : mapping of "TPR" and "TNR" to number > 0
        What the rates count: the normal of a facet.
    positive : label, optional
        As for `deabench.metrics.from_predictions`.
    cv : int
        Folds of the cross-fitting; as many as the rarer class has instances, if these are fewer.
    seed : int
        Of the folds, and of the mixture's draw.
    prefit : bool
        Whether the estimators are fitted already: `fit` then needs data that they have not seen.

    Attributes
    ----------
    estimators_ : dict of name to fitted classifier
    chosen_ : {"stack", "mixture"}
        What answers the instances that are more than one standard error from the threshold.
    threshold_ : float
        The probability from which on an instance is positive.
    validation_ : CostComparison
        The expected costs of both on the cross-fitted answers.
    classes_ : array
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import deabench as db
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> answers = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    >>> shares, weights = {"tree": .4, "bayes": .6}, {"TPR": 1, "TNR": 2}
    >>> stack = db.CostStack(answers, shares, weights).fit(X[::2, :5], y[::2])
    >>> stack.measure(X[1::2, :5], y[1::2]).verdict
    'undecided'
    """

    def __init__(
        self,
        estimators: Mapping[str, Any],
        shares: Mapping[str, float],
        weights: Mapping[str, float],
        *,
        positive: Any = None,
        cv: int = 5,
        seed: int = 0,
        prefit: bool = False,
    ) -> None:
        self.estimators = estimators
        self.shares = shares
        self.weights = weights
        self.positive = positive
        self.cv = cv
        self.seed = seed
        self.prefit = prefit

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: two classes only."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> CostStack:
        """Fit the estimators, the regression on their scores, and choose stack or mixture.

        Parameters
        ----------
        X : array, frame or sparse matrix (n, features)
        y : array (n,)
            Of two classes.
        """
        if not isinstance(self.estimators, Mapping):
            raise DataError("give estimators as a dictionary by name")
        used = checked_shares(list(self.estimators), self.shares)
        weights = _checked_weights(self.weights)
        # Sparse rows become ones that can be taken.
        X, y = indexable(X, column_or_1d(y, warn=True))
        is_positive = self._read_classes(y)
        if not isinstance(self.cv, int | np.integer) or self.cv < 2:
            raise DataError(f"cv is {self.cv}; give a whole number from 2")
        fold_count = min(self.cv, int(min(is_positive.sum(), (~is_positive).sum())))
        if fold_count < 2:
            raise DataError("a class has 1 instance; give at least two of each to cross-fit")
        folds = StratifiedKFold(fold_count, shuffle=True, random_state=self.seed)
        # Every estimator scores and answers instances that it has not seen.
        scores = []
        answers = []
        self.estimators_ = {}
        for name, estimator in self.estimators.items():
            if self.prefit:
                self.estimators_[name] = estimator
                score, answer = self._ask(estimator, X)
            else:
                self.estimators_[name] = clone(estimator).fit(X, y)
                score, answer = self._cross_fit(estimator, X, y, folds)
            scores.append(score)
            answers.append(answer)
        # What an instance costs that is answered wrongly, and where both answers cost the same.
        self.costs_ = {
            "FN": weights["TPR"] / is_positive.sum(),
            "FP": weights["TNR"] / (~is_positive).sum(),
        }
        self.threshold_ = self.costs_["FP"] / (self.costs_["FP"] + self.costs_["FN"])
        stacked = np.column_stack(scores)
        self.regression_ = choose_regression(stacked, is_positive, folds)
        cross_fitted = cross_fit_margins(
            self.regression_, stacked, is_positive, folds, self.threshold_
        )
        self.regression_.fit(stacked, is_positive)
        self.covariance_ = coefficient_covariance(self.regression_, stacked)
        mixture_answers = _mix(answers, list(self.estimators), used)
        stack_answers = _answer_clear_ones(cross_fitted, mixture_answers)
        self.validation_ = compare_costs(is_positive, stack_answers, mixture_answers, weights)
        # The best threshold of a true probability is no dearer than any mixture, whose face was
        # often chosen on these very instances: only a proof to the contrary counts against it.
        self.chosen_ = "mixture" if self.validation_.verdict == "dearer" else "stack"
        self.mixture_ = Mixture(
            {name: self.estimators_[name] for name in used}, used, seed=self.seed, prefit=True
        ).fit(X, y)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.mixture_, name):
                setattr(self, name, getattr(self.mixture_, name))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row: (n,)."""
        check_is_fitted(self)
        if self.chosen_ == "mixture":
            return self.mixture_.predict(X)
        margin = self._margins(X)
        # Of two classes, the positive one's position and the other's.
        position = int(np.flatnonzero(self.classes_ == self.positive_)[0])
        answers = np.asarray(self.classes_[np.where(margin > 0, position, 1 - position)])
        unclear = np.abs(margin) <= LEAST_MARGIN
        if unclear.any():
            answers[unclear] = self.mixture_.predict(X)[unclear]
        return answers

    def expected_answers(self, X: Any) -> np.ndarray:
        """Return the probability, over the mixture's draw, that each row is called positive: (n,).

        It is 1 or 0 where the stack answers, and the share of the mixture elsewhere.
        """
        check_is_fitted(self)
        mixed = self._mixed_answers(X)
        if self.chosen_ == "mixture":
            return mixed
        return _answer_clear_ones(self._margins(X), mixed)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the stacked regression: (n, 2).

        They are what `threshold_` is compared with, also where the mixture answers.
        """
        check_is_fitted(self)
        probability = self.regression_.predict_proba(self._scores(X))[:, 1]
        columns = [probability, 1 - probability]
        if self.classes_[0] != self.positive_:
            columns.reverse()
        return np.column_stack(columns)

    def measure(self, X: Any, y: Any, *, level: float = 0.95) -> CostComparison:
        """Compare the expected cost with the mixture's on test data.

        Parameters
        ----------
        X, y
            Instances that took no part in the fit.
        level : number between 0 and 1

        Returns
        -------
        CostComparison
        """
        check_is_fitted(self)
        share("level", level)
        check_consistent_length(X, y)
        strange = sorted(set(np.unique(np.asarray(y))) - set(self.classes_))
        if strange:
            raise DataError(
                f"y has {quote_names(strange)}, and the classes of the fit are "
                f"{quote_names(self.classes_)}; give the same labels"
            )
        true = np.asarray(y) == self.positive_
        weights = _checked_weights(self.weights)
        comparison = compare_costs(
            true, self.expected_answers(X), self._mixed_answers(X), weights, level
        )
        if self.chosen_ == "stack":
            return comparison
        value, lower, upper = self.validation_.difference
        note = (
            "the mixture answers: on the cross-fitted answers the stack is shown to be dearer "
            f"(difference {value:.4g}, 95% interval {lower:.4g} to {upper:.4g})"
        )
        return replace(comparison, notes=(note,))

    def _read_classes(self, y: np.ndarray) -> np.ndarray:
        """Set the classes, and return which instances are positive."""
        check_classification_targets(y)
        if type_of_target(y) != "binary":
            raise DataError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}."
            )
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise DataError("y has one class; give instances of both")
        positive = self.positive
        counts = [int((y == label).sum()) for label in self.classes_]
        if positive is None and counts[0] == counts[1]:
            # Without a minority the second class is positive, as scikit-learn has it.
            positive = self.classes_[1]
        with warnings.catch_warnings():
            # A guess of the positive class is a warning of tables; here `positive_` tells.
            warnings.simplefilter("ignore", DataWarning)
            truth = ground_truth(y, positive)
        self.positive_ = truth.positive
        return np.asarray(truth.is_positive)

    def _says_positive(self, labels: Any) -> np.ndarray:
        return np.asarray(np.asarray(labels) == self.positive_)

    def _cross_fit(
        self, estimator: Any, X: Any, y: np.ndarray, folds: StratifiedKFold
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the score and the answer of each instance by a fit without its fold."""
        score = np.zeros(len(y))
        answer = np.zeros(len(y), dtype=bool)
        for train, test in folds.split(np.zeros(len(y)), y):
            fitted = clone(estimator).fit(instances.take_instances(X, train), y[train])
            score[test], answer[test] = self._ask(fitted, instances.take_instances(X, test))
        return score, answer

    def _ask(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return an estimator's score, higher more positive, and whether it says positive."""
        answer = self._says_positive(estimator.predict(X))
        position = int(np.flatnonzero(self.classes_ == self.positive_)[0])
        if hasattr(estimator, "predict_proba"):
            return np.asarray(estimator.predict_proba(X))[:, position], answer
        if hasattr(estimator, "decision_function"):
            # A decision value speaks for the second class.
            return np.asarray(estimator.decision_function(X)) * (2 * position - 1), answer
        return answer.astype(float), answer

    def _scores(self, X: Any) -> np.ndarray:
        """Return the score of each estimator: (n, estimators)."""
        scores = [self._ask(estimator, X)[0] for estimator in self.estimators_.values()]
        return np.column_stack(scores)

    def _margins(self, X: Any) -> np.ndarray:
        """Return how many standard errors each row is above the threshold: (n,)."""
        return margins(self.regression_, self.covariance_, self._scores(X), self.threshold_)

    def _mixed_answers(self, X: Any) -> np.ndarray:
        """Return the share of the mixture that says positive: (n,)."""
        parts = self.mixture_.estimators_
        answers = [self._says_positive(part.predict(X)) for part in parts.values()]
        shares = dict(zip(parts, self.mixture_.shares_, strict=True))
        return _mix(answers, list(parts), shares)


@dataclass(frozen=True, eq=False, repr=False)
class CostComparison(Result):
    """The expected cost of a classifier beside that of a mixture, on test data.

    Attributes
    ----------
    table : DataFrame
        stack and mixture x (TPR, TNR, cost); the cost in shares of the greatest, where every answer
        is wrong.
    difference : tuple (value, lower, upper)
        Cost of the stack less that of the mixture.
    verdict : {"cheaper", "dearer", "undecided"}
    level : float
    notes : tuple of str

    Examples
    --------
    >>> y = [1] * 40 + [0] * 60
    >>> better, worse = [1] * 38 + [0] * 62, [1] * 25 + [0] * 75
    >>> compare_costs(y, better, worse, {"TPR": 1, "TNR": 1}).verdict
    'cheaper'
    """

    table: pd.DataFrame
    difference: tuple[float, float, float]
    verdict: str
    level: float
    notes: tuple[str, ...] = ()

    _frame = "table"
    _text = "frontier"


def compare_costs(
    y_true: Any, stack: Any, mixture: Any, weights: Mapping[str, Any], level: float = 0.95
) -> CostComparison:
    """Compare two classifiers by the weighted sum of their error rates.

    Parameters
    ----------
    y_true : 1 for positive, 0 for negative instances
    stack, mixture : numbers from 0 to 1
        The share of answers that say positive.
    weights : mapping of "TPR" and "TNR" to number, or to one per instance
    level : number between 0 and 1

    Returns
    -------
    CostComparison

    Notes
    -----
    The variance is that of the paired differences within each class, with half an instance added
    that differs wholly either way, and one that does not: without them a few positives on which
    both agree would pass for certainty (Agresti and Min 2005, Statistics in Medicine 24, 729-740).
    Student's t with as many degrees of freedom as the rarer class has instances.
    """
    true = np.asarray(y_true) == 1
    answers = {"stack": np.asarray(stack, float), "mixture": np.asarray(mixture, float)}
    if true.all() or not true.any():
        raise DataError("the test data have one class; give instances of both")
    weights_of_instances = {
        key: np.broadcast_to(np.asarray(weights[key], float), true.shape) for key in RATES
    }
    rates = {name: dict.fromkeys([*RATES, "cost"], 0.0) for name in answers}
    variance = 0.0
    for key, members, right in (("TPR", true, 1), ("TNR", ~true, 0)):
        weight = weights_of_instances[key][members]
        for name, says_positive in answers.items():
            error = np.abs(right - says_positive[members])
            rates[name][key] = float(1 - error.mean())
            rates[name]["cost"] += float((weight * error).mean())
        gap = weight * (answers["stack"] - answers["mixture"])[members]
        # Two instances more: half an instance differs wholly either way, and one not at all.
        size = len(gap) + 2
        squares = (gap**2).sum() + weight.mean() ** 2
        variance += (squares / size - (gap.sum() / size) ** 2) / size
    smaller = min(true.sum(), (~true).sum())
    reach = float(stats.t.ppf((1 + level) / 2, smaller) * np.sqrt(variance))
    value = rates["stack"]["cost"] - rates["mixture"]["cost"]
    verdict = "undecided"
    if abs(value) > reach:
        verdict = "cheaper" if value < 0 else "dearer"
    table = pd.DataFrame.from_dict(rates, orient="index")
    return CostComparison(table, (value, value - reach, value + reach), verdict, level)


def read_weights(normal: pd.Series) -> dict[str, float]:
    """Return the weights of TPR and TNR from the normal of a face in these two metrics."""
    names = {canonical_name(str(metric)): metric for metric in normal.index}
    if set(names) != set(RATES):
        raise DataError(
            f"by='cost' needs targets in TPR and TNR, and these are in "
            f"{quote_names(normal.index)}; compute them with outputs=['TPR', 'TNR']"
        )
    return _checked_weights({name: float(normal[names[name]]) for name in RATES})


def _checked_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of TPR and TNR with the sum 1."""
    if not isinstance(weights, Mapping) or set(weights) != set(RATES):
        raise DataError("give weights as {'TPR': number, 'TNR': number}")
    for name, value in weights.items():
        if not isinstance(value, int | float | np.number) or not 0 < value < np.inf:
            raise DataError(f"the weight of '{name}' is {value}; give a number > 0")
    total = sum(weights.values())
    return {name: float(weights[name]) / total for name in RATES}


def _answer_clear_ones(margin: np.ndarray, mixed: np.ndarray) -> np.ndarray:
    """Return 1 or 0 where the margin is clear, and the mixture's share elsewhere: (n,)."""
    # Within the standard error either class may be the cheaper one: to depart from the mixture
    # gains little there, and whether it gains is chance.
    return np.where(np.abs(margin) > LEAST_MARGIN, margin > 0, mixed)


def _mix(answers: list[np.ndarray], names: list[str], shares: Mapping[str, float]) -> np.ndarray:
    """Return the share of a mixture's answers that say positive, for each instance."""
    return np.asarray(
        sum(shares.get(name, 0.0) * answer for name, answer in zip(names, answers, strict=True))
    )
