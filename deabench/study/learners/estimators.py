"""Estimators that no library has: robust SVM, C4.5 and SMOTE, RBF features, mixed naive Bayes.

The names of classes and parameters are part of the keys of tasks: renaming one runs old studies
again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from c50py import C5Classifier
from imblearn.over_sampling import SMOTE, RandomOverSampler
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.svm import SVC


def rescale_weights(sample_weight: Any) -> np.ndarray | None:
    """Rescale weights to mean 1.

    AdaBoost's weights sum to 1, so that an SVC (whose C is multiplied by each weight) and C4.5
    (whose smallest leaf is a sum of weights) see almost nothing and always predict the majority
    (scikit-learn#16642).
    """
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=float)
    return np.asarray(weight * len(weight) / weight.sum())


class SteadySVC(SVC):
    """SVC for weights of any scale that predicts the only class of rows of one class.

    A bag of a set with five positives often holds none; libsvm refuses it, Weka's SMO predicts the
    class there is.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SteadySVC:
        # rows of weight 0 are as good as absent
        weight = rescale_weights(sample_weight)
        present = np.unique(np.asarray(y)[weight > 0] if weight is not None else y)
        self.only_ = present[0] if len(present) == 1 else None
        if self.only_ is None:
            return super().fit(X, y, sample_weight=weight)
        # all attributes that scikit-learn reads of a fitted classifier
        self.classes_ = np.unique(y)
        self.n_features_in_ = np.asarray(X).shape[1]
        return self

    def predict(self, X: Any) -> np.ndarray:
        if self.only_ is None:
            return super().predict(X)
        return np.full(len(X), self.only_)

    def decision_function(self, X: Any) -> np.ndarray:
        if self.only_ is None:
            return np.asarray(super().decision_function(X))
        # the only class decides the sign of every score
        is_positive = len(self.classes_) > 1 and self.only_ == self.classes_[-1]
        return np.full(len(X), 1.0 if is_positive else -1.0)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "only_")


class SteadyC45(C5Classifier):
    """c50py's tree with Weka J48's defaults, for weights of any scale."""

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, feature_names: Any = None
    ) -> SteadyC45:
        return super().fit(
            X, y, sample_weight=rescale_weights(sample_weight), feature_names=feature_names
        )


class ShrinkingSMOTE(SMOTE):
    """SMOTE with min(k, n_min - 1) neighbours for a minority of n_min rows; a lone row is repeated.

    imbalanced-learn declines to adapt k (its #572): with k = 5 a set of five positives fails in
    every fold. `k_used_` is recorded with each result; 0 means repeated rows.
    """

    k_neighbors: int

    def _fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        # a row has n_min - 1 neighbours of its own class at most
        self.k_used_ = int(min(self.k_neighbors, np.unique(y, return_counts=True)[1].min() - 1))
        if self.k_used_ < 1:
            return RandomOverSampler(random_state=self.random_state).fit_resample(X, y)
        k_before = self.k_neighbors
        self.k_neighbors = self.k_used_
        try:
            return super()._fit_resample(X, y)
        finally:
            self.k_neighbors = k_before


class RBFFeatures(TransformerMixin, BaseEstimator):
    """Normalized Gaussians around k-means centres, `clusters` per class (Weka's RBFNetwork).

    Column j is p_j N(x; c_j, s_j) / Σ_k p_k N(x; c_k, s_k): p the cluster's share of the rows, c
    its centre, s its standard deviation along each feature (at least `smallest`; standardize the
    features first). Weka's defaults are -B 2 -W 0.1.
    """

    def __init__(
        self, clusters: int = 2, smallest: float = 0.1, random_state: int | None = None
    ) -> None:
        self.clusters = clusters
        self.smallest = smallest
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> RBFFeatures:
        centres = []
        widths = []
        shares = []
        for label in np.unique(y):
            rows = X[y == label]
            # no more clusters than distinct rows
            k = min(self.clusters, len(np.unique(rows, axis=0)))
            # one start, as in Weka; the seed makes it repeatable
            means = KMeans(k, n_init=1, random_state=self.random_state).fit(rows)
            for j in range(k):
                members = rows[means.labels_ == j]
                centres.append(means.cluster_centers_[j])
                widths.append(np.maximum(members.std(axis=0), self.smallest))
                shares.append(len(members) / len(X))
        self.centres_ = np.array(centres)
        self.widths_ = np.array(widths)
        self.shares_ = np.array(shares)
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        # rows x centres x features
        z = (X[:, None, :] - self.centres_) / self.widths_
        # logarithms, normalized by softmax: far from all centres every density underflows
        logs = np.log(self.shares_) - np.log(self.widths_).sum(axis=1) - 0.5 * (z**2).sum(axis=2)
        return np.asarray(softmax(logs, axis=1))


class MixedNB(ClassifierMixin, BaseEstimator):
    """Naive Bayes over numeric and 0/1 columns as in Weka's NaiveBayes, without missing cells.

    A column whose known values are 0 and 1 is Bernoulli, P(1|c) = (n_1c + 1) / (n_c + 2); any other
    is Gaussian, with a standard deviation of at least a sixth of the column's mean gap between
    distinct values (Weka's floor). scikit-learn has the two kinds apart (`GaussianNB`,
    `BernoulliNB`) and refuses NaN.
    """

    def fit(self, X: np.ndarray, y: np.ndarray) -> MixedNB:
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        self.prior_ = np.log([np.mean(y == c) for c in self.classes_])
        # missing cells do not speak against 0 and 1
        self.binary_ = (np.isnan(X) | (X == 0) | (X == 1)).all(axis=0)
        # of each class and column: cells that are not missing, their sum and their deviation
        floor = np.array([_mean_gap(column[~np.isnan(column)]) / 6 for column in X.T])
        cells = [np.sum(~np.isnan(X[y == c]), axis=0) for c in self.classes_]
        sums = [np.nansum(X[y == c], axis=0) for c in self.classes_]
        self.mean_ = np.array([s / np.maximum(n, 1) for s, n in zip(sums, cells, strict=True)])
        variances = [
            np.nansum((X[y == c] - m) ** 2, axis=0) / np.maximum(n, 1)
            for c, m, n in zip(self.classes_, self.mean_, cells, strict=True)
        ]
        self.deviation_ = np.maximum(np.sqrt(variances), floor)
        # Laplace's correction: no value has probability 0
        shares = [(s + 1) / (n + 2) for s, n in zip(sums, cells, strict=True)]
        # any share will do where the column is not binary: it is not used
        self.share_ = np.where(self.binary_, shares, 0.5)
        return self

    def predict_log_proba(self, X: np.ndarray) -> np.ndarray:
        """Return log P(c | row), rows x classes."""
        logs = []
        for prior, mean, deviation, share in zip(
            self.prior_, self.mean_, self.deviation_, self.share_, strict=True
        ):
            normal = -0.5 * ((X - mean) / deviation) ** 2 - np.log(deviation)
            # log P(x | c) of each column; missing cells drop out of the sum
            terms = np.where(self.binary_, X * np.log(share) + (1 - X) * np.log(1 - share), normal)
            logs.append(prior + np.nansum(terms, axis=1))
        return np.asarray(log_softmax(np.column_stack(logs), axis=1))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.classes_[self.predict_log_proba(X).argmax(axis=1)])


def _mean_gap(values: np.ndarray) -> float:
    """Return the mean gap between neighbouring distinct values; 0.01 for fewer than two (Weka)."""
    distinct = np.unique(values)
    return float(np.diff(distinct).mean()) if len(distinct) > 1 else 0.01


class TermSelection(TransformerMixin, BaseEstimator):
    """Select the columns of a bag of words by a score of their presence w for the classes c.

    ig: information gain; ce: expected cross entropy P(w) Σ P(c|w) log(P(c|w)/P(c)); mi: mutual
    information Σ P(c) log(P(w|c)/P(w)); we: weight of evidence P(w) Σ P(c)
    |log(odds(c|w)/odds(c))|; chi2: χ² of the 2 x 2 table (Mladenić & Grobelnik 1999; Yang &
    Pedersen 1997). The `features` columns of the highest score stay. Probabilities are estimated
    with one half added to every cell.
    """

    def __init__(self, score: str = "chi2", features: int = 200) -> None:
        self.score = score
        self.features = features

    def fit(self, X: np.ndarray, y: np.ndarray) -> TermSelection:
        with_word = np.array([(X[y == label] > 0).sum(axis=0) for label in (0, 1)]) + 0.5
        # one half added to both cells of a class adds 1 to its size
        sizes = np.array([[(y == 0).sum()], [(y == 1).sum()]]) + 1.0
        # stable: of equal scores the first columns stay
        values = TERM_SCORES[self.score](with_word, sizes - with_word)
        self.selected_ = np.sort(np.argsort(-values, kind="stable")[: self.features])
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        return X[:, self.selected_]


def _class_probabilities(with_word: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Return P(c), classes x words."""
    documents = with_word + without
    return np.asarray(documents / documents.sum(axis=0))


def _divergence(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return Σ P(c|w) log(P(c|w)/P(c)) of the documents counted."""
    posterior = counts / counts.sum(axis=0)
    return np.asarray((posterior * np.log(posterior / prior)).sum(axis=0))


def cross_entropy(with_word: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Return the expected cross entropy of each word.

    `with_word` and `without` are documents of each class, 2 x words, here and below.
    """
    prior = _class_probabilities(with_word, without)
    probability = with_word.sum(axis=0) / (with_word + without).sum(axis=0)
    return np.asarray(probability * _divergence(with_word, prior))


def information_gain(with_word: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Return the information gain of each word."""
    return np.asarray(cross_entropy(with_word, without) + cross_entropy(without, with_word))


def mutual_information(with_word: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Return the mutual information of each word and the class, averaged over the classes."""
    documents = with_word + without
    probability = with_word.sum(axis=0) / documents.sum(axis=0)
    ratios = np.log(with_word / documents / probability)
    return np.asarray((_class_probabilities(with_word, without) * ratios).sum(axis=0))


def weight_of_evidence(with_word: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Return the weight of evidence of each word."""
    prior = _class_probabilities(with_word, without)
    posterior = with_word / with_word.sum(axis=0)
    odds = np.abs(np.log(posterior / (1 - posterior) / (prior / (1 - prior))))
    probability = with_word.sum(axis=0) / (with_word + without).sum(axis=0)
    return np.asarray(probability * (prior * odds).sum(axis=0))


def chi_square(with_word: np.ndarray, without: np.ndarray) -> np.ndarray:
    """Return χ² of the 2 x 2 table of each word and the class."""
    documents = with_word + without
    # ad - bc, whose square is χ² over the product of the margins
    cross = with_word[0] * without[1] - with_word[1] * without[0]
    margins = with_word.sum(axis=0) * without.sum(axis=0) * documents[0] * documents[1]
    return np.asarray(documents.sum(axis=0) * cross**2 / margins)


TERM_SCORES = {
    "ig": information_gain,
    "ce": cross_entropy,
    "mi": mutual_information,
    "we": weight_of_evidence,
    "chi2": chi_square,
}
