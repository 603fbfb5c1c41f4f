"""Run a target: a classifier that answers each instance by one of several, drawn with their shares.

A target of mixtures is a point Σ λ_k Y_k of the frontier. Who answers each instance by classifier k
with probability λ_k, whatever the instance, attains in expectation every metric that is linear in
the confusion matrix given the class: TPR, TNR, accuracy, expected cost. Metrics that are not (AUC,
F measures, G-mean, MCC, precision) come out otherwise: of the mixed counts they are computed anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from deabench.errors import DataError
from deabench.metrics.counts import compute_metrics
from deabench.metrics.formulas import LINEAR_METRICS, canonical_name
from deabench.utils.checks import choice, did_you_mean
from deabench.utils.result import Result
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.results.targets import Targets

LEAST_SHARE = 1e-9
"""A smaller share is rounding of a solver, and answers nobody."""
WAYS = ("shares", "cost")
"""How a target is realised: by drawing, or by thresholding at the costs of its face."""
HASH_KEY = "deabench mixture"
"""Sixteen characters, as pandas' hash asks for."""


@dataclass(frozen=True, eq=False, repr=False)
class Routing(Result):
    """A mixture of models, and what it has on the instances of its router.

    Attributes
    ----------
    shares : dict of model to share
        Of sum 1.
    table : DataFrame
        quality, cost, and gain (quality above the rival's) x (value, lower, upper).
    rival : str or None
        The best single model that costs no more.
    goal : str
        What was asked for.
    level : float

    Examples
    --------
    >>> import pandas as pd
    >>> import deabench as db
    >>> right = pd.DataFrame({"small": [1, 0, 1, 0, 1], "large": [1, 1, 1, 0, 1]})
    >>> routing = db.Router(right, {"small": 1, "large": 5}).cheapest(.7)
    >>> round(routing.cost, 6), routing.assign(["a", "b", "c"]).tolist()
    (3.0, ['large', 'large', 'small'])
    """

    shares: dict[str, float]
    table: pd.DataFrame
    rival: str | None
    goal: str
    level: float
    notes: tuple[str, ...] = ()

    _frame = "table"
    _text = "frontier"

    @property
    def quality(self) -> float:
        """The mean quality."""
        return float(self.table.loc["quality", "value"])

    @property
    def cost(self) -> float:
        """The mean cost per instance."""
        return float(self.table.loc["cost", "value"])

    @property
    def verdict(self) -> str:
        """Whether the mixture is shown to be better than the rival: better, worse, undecided."""
        if "gain" not in self.table.index:
            return "undecided"
        if self.table.loc["gain", "lower"] > 0:
            return "better"
        return "worse" if self.table.loc["gain", "upper"] < 0 else "undecided"

    def assign(self, instances: Any, *, seed: int = 0) -> pd.Series:
        """Return the model that is to answer each instance.

        Parameters
        ----------
        instances : sequence, array or DataFrame
            Names, prompts or features; the same instance always gets the same model.
        seed : int
            Another seed draws otherwise.
        """
        names = np.array(list(self.shares), dtype=object)
        return pd.Series(names[draw_by_row(instances, list(self.shares.values()), seed)])


def _all_have_probabilities(mixture: Mixture) -> bool:
    return all(hasattr(estimator, "predict_proba") for estimator in mixture.estimators.values())


class Mixture(ClassifierMixin, BaseEstimator):
    """A classifier that answers each instance by one of several estimators.

    Which one answers is drawn with the shares, from a hash of the row and the seed: the same row
    always gets the same answer, in any order and any batch.

    Parameters
    ----------
    estimators : mapping of name to classifier
        Classifiers of scikit-learn's kind.
    shares : mapping of name to number > 0
        Of sum 1; estimators without a share take no part and are not fitted.
    seed : int
        Another seed draws otherwise.
    prefit : bool
        Whether the estimators are fitted already: `fit` then only reads the classes.

    Attributes
    ----------
    estimators_ : dict of name to fitted classifier
        Those with a share.
    shares_ : array
        In the same order.
    classes_ : array
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import deabench as db
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> both = {"tree": DecisionTreeClassifier(random_state=0), "logit": LogisticRegression(C=.1)}
    >>> mixture = db.Mixture(both, {"tree": .4, "logit": .6}).fit(X[:, :5], y)
    >>> mixture.answered_by(X[:, :5]).value_counts(normalize=True).round(1).to_dict()
    {'logit': 0.6, 'tree': 0.4}
    """

    def __init__(
        self,
        estimators: Mapping[str, Any],
        shares: Mapping[str, float],
        *,
        seed: int = 0,
        prefit: bool = False,
    ) -> None:
        self.estimators = estimators
        self.shares = shares
        self.seed = seed
        self.prefit = prefit

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Mixture:
        """Fit the estimators that have a share.

        Parameters
        ----------
        X : array, frame or sparse matrix (n, features)
        y : array (n,)
        **fit_params
            For every estimator, as sample_weight.
        """
        if not isinstance(self.estimators, Mapping):
            raise DataError("give estimators as a dictionary by name")
        used = checked_shares(list(self.estimators), self.shares)
        check_classification_targets(y)
        self.classes_ = np.unique(np.asarray(y))
        self.estimators_ = {}
        for name in used:
            estimator = self.estimators[name]
            if self.prefit:
                check_is_fitted(estimator)
            else:
                estimator = clone(estimator).fit(X, y, **fit_params)
            if not np.array_equal(estimator.classes_, self.classes_):
                raise DataError(
                    f"'{name}' was fitted for the classes {list(estimator.classes_)}, and y has "
                    f"{list(self.classes_)}; fit it on the same classes"
                )
            self.estimators_[name] = estimator
        self.shares_ = np.array(list(used.values()))
        first = next(iter(self.estimators_.values()))
        if hasattr(first, "n_features_in_"):
            self.n_features_in_ = first.n_features_in_
        if hasattr(first, "feature_names_in_"):
            self.feature_names_in_ = first.feature_names_in_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row: (n,)."""
        return self._answer(X, "predict")

    @available_if(_all_have_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the class probabilities of the estimator that answers each row: (n, classes)."""
        return self._answer(X, "predict_proba")

    def answered_by(self, X: Any) -> pd.Series:
        """Return the name of the estimator that answers each row: (n,)."""
        check_is_fitted(self)
        return pd.Series(np.array(list(self.estimators_), dtype=object)[self._draw(X)])

    def _answer(self, X: Any, method: str) -> np.ndarray:
        """Return what the drawn estimators say; each sees all rows, and checks them."""
        check_is_fitted(self)
        answers = [getattr(estimator, method)(X) for estimator in self.estimators_.values()]
        position = self._draw(X)
        result = np.array(answers[0], copy=True)
        for k, answer in enumerate(answers[1:], start=1):
            result[position == k] = np.asarray(answer)[position == k]
        return result

    def _draw(self, X: Any) -> np.ndarray:
        """Return the position of the estimator that answers each row: (n,)."""
        return draw_by_row(X, self.shares_, self.seed)


def realise(
    targets: Targets,
    name: Any,
    estimators: Mapping[str, Any],
    *,
    by: str = "shares",
    positive: Any = None,
    seed: int = 0,
    prefit: bool = False,
) -> Any:
    """Return the classifier behind a target; see `deabench.results.targets.Targets.realise`."""
    choice("by", by, WAYS)
    labels = list(targets.targets.index)
    if name not in labels:
        raise DataError(f"there is no target of '{name}'; {did_you_mean(name, labels)}")
    if targets.on == "facets":
        raise DataError(
            "a target on an extended facet may lie beyond what mixtures reach; compute the targets "
            "with on='faces'"
        )
    if name in targets.reasons:
        raise DataError(f"'{name}' has no target: {targets.reasons[name]}")
    lam = targets.intensities.loc[name]
    shares = {str(label): float(value) for label, value in lam.items() if value > LEAST_SHARE}
    if not isinstance(estimators, Mapping):
        raise DataError("give estimators as a dictionary by name")
    missing = [label for label in shares if label not in estimators]
    if missing:
        raise DataError(
            f"the target of '{name}' mixes {quote_names(shares)}, and estimators lacks "
            f"{quote_names(missing)}; give {{name: estimator}}"
        )
    total = sum(shares.values())
    shares = {label: value / total for label, value in shares.items()}
    if by == "shares":
        peers = {label: estimators[label] for label in shares}
        return Mixture(peers, shares, seed=seed, prefit=prefit)
    from deabench.integrations.cost_stack import CostStack, read_weights

    weights = read_weights(targets.normals.loc[name])
    # What the others know of an instance helps, too, though the mixture does not ask them.
    return CostStack(estimators, shares, weights, positive=positive, seed=seed, prefit=prefit)


def mixed_metrics(
    counts: pd.DataFrame, shares: Mapping[str, float], metrics: Sequence[str] | None = None
) -> pd.Series:
    """Return the metrics that a mixture has in expectation, from the counts of its parts.

    Parameters
    ----------
    counts : DataFrame, classifiers x (tp, fn, fp, tn)
        All of the same instances.
    shares : mapping of name to number > 0
        Of sum 1.
    metrics : sequence of names, optional
        As for `deabench.metrics.from_counts`.

    Returns
    -------
    Series
        Linear metrics (TPR, TNR, accuracy, ...) are the mixed ones; the others are those of the
        mixed counts, which differ from the mixture of the metrics.

    Examples
    --------
    >>> import pandas as pd
    >>> counts = pd.DataFrame(
    ...     {"tp": [8, 4], "fn": [2, 6], "fp": [6, 1], "tn": [14, 19]}, index=["a", "b"]
    ... )
    >>> mixed_metrics(counts, {"a": .5, "b": .5}, ["TPR", "TNR", "G-mean"]).round(3).to_dict()
    {'TPR': 0.6, 'TNR': 0.825, 'G-mean': 0.704}
    """
    used = checked_shares([str(name) for name in counts.index], shares)
    cells = counts[["tp", "fn", "fp", "tn"]].rename(index=str).loc[list(used)].astype(float)
    totals = cells.assign(positives=cells["tp"] + cells["fn"], negatives=cells["fp"] + cells["tn"])
    if (totals[["positives", "negatives"]].nunique() > 1).any():
        raise DataError(
            "the classifiers were counted on different instances; count them on the same"
        )
    mixed = cells.mul(pd.Series(used), axis=0).sum()
    # Mixed counts are no whole numbers, which is right for the formulas.
    return compute_metrics(mixed.to_frame("mixture").T, metrics=metrics).loc["mixture"]


def is_attained(metric: str) -> bool:
    """Return whether a mixture has the mixed value of a metric of the catalogue, in expectation.

    Examples
    --------
    >>> is_attained("TPR"), is_attained("AUC")
    (True, False)
    """
    return canonical_name(metric) in LINEAR_METRICS


def checked_shares(names: list[str], shares: Mapping[str, float]) -> dict[str, float]:
    """Return the shares above 0, whose sum is 1."""
    if not isinstance(shares, Mapping):
        raise DataError("give shares as a dictionary by name")
    for name, value in shares.items():
        if name not in names:
            hint = did_you_mean(name, names)
            raise DataError(f"shares names '{name}', which is no estimator; {hint}")
        if not isinstance(value, int | float | np.number) or not 0 <= value <= 1 + LEAST_SHARE:
            raise DataError(f"the share of '{name}' is {value}; give a number from 0 to 1")
    total = sum(shares.values())
    if abs(total - 1) > 1e-6:
        raise DataError(f"the shares have the sum {total:g}; they are to have the sum 1")
    return {name: float(value) for name, value in shares.items() if value > LEAST_SHARE}


def draw_by_row(X: Any, shares: Sequence[float] | np.ndarray, seed: int) -> np.ndarray:
    """Return a position drawn with the shares for each row, the same for the same row: (n,)."""
    positions = np.searchsorted(np.cumsum(shares), _uniform_by_row(X, seed), side="right")
    # Rounding may leave the sum of the shares a little below 1.
    return np.asarray(np.minimum(positions, len(shares) - 1))


def _uniform_by_row(X: Any, seed: int) -> np.ndarray:
    """Return a number in [0, 1) for each row, the same for the same row: (n,)."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    # The same numbers are the same row, whatever their type; -0 is 0.
    columns = {
        k: column.astype(float) + 0.0
        if pd.api.types.is_numeric_dtype(column)
        else column.astype(str)
        for k, column in enumerate(frame[name] for name in frame.columns)
    }
    hashes = pd.util.hash_pandas_object(
        pd.DataFrame(columns), index=False, hash_key=HASH_KEY
    ).to_numpy()
    return _mix_bits(hashes, seed) / 2.0**64


def _mix_bits(hashes: np.ndarray, seed: int) -> np.ndarray:
    """Return 64 well mixed bits of hashes and a seed (Steele, Lea and Flood's splitmix64)."""
    with np.errstate(over="ignore"):
        bits = hashes + np.uint64((seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) % 2**64)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(bits ^ (bits >> np.uint64(31)), dtype=float)
