"""Regress the class on the scores of classifiers, and count how far log odds are from a threshold.

The distance is counted in standard errors: the regression is fitted to few positives, and an
instance whose log odds are near the threshold is on the other side after another draw of the data.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
"""Values of C of the logistic regression: one is chosen."""


def choose_regression(
    scores: np.ndarray, is_positive: np.ndarray, folds: StratifiedKFold
) -> Pipeline:
    """Return the unfitted regression whose cross-fitted probabilities have the least log loss.

    Parameters
    ----------
    scores : array (n, classifiers)
    is_positive : array of bool (n,)
    folds : StratifiedKFold
    """
    regressions = [
        make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=1000))
        for strength in STRENGTHS
    ]
    losses = []
    for regression in regressions:
        probabilities = cross_val_predict(
            regression, scores, is_positive, cv=folds, method="predict_proba"
        )
        losses.append(log_loss(is_positive, probabilities[:, 1]))
    return regressions[int(np.argmin(losses))]


def coefficient_covariance(regression: Pipeline, scores: np.ndarray) -> np.ndarray:
    """Return the covariance of the coefficients and the intercept: (classifiers + 1,) twice.

    Parameters
    ----------
    regression : Pipeline
        Fitted.
    scores : array (n, classifiers)
        That it was fitted to.

    Notes
    -----
    The inverse Hessian of the penalised loss at its minimum: Laplace's approximation of the
    posterior under the normal prior that the penalty is (MacKay 1992, Neural Computation 4,
    720-736).
    """
    design = _design_matrix(regression, scores)
    probability = regression.predict_proba(scores)[:, 1]
    hessian = (design * (probability * (1 - probability))[:, None]).T @ design
    # The penalty is |coefficients|² / 2C; the intercept, last, has none.
    penalised = np.arange(len(hessian) - 1)
    hessian[penalised, penalised] += 1 / regression[-1].C
    return np.asarray(np.linalg.inv(hessian))


def margins(
    regression: Pipeline, covariance: np.ndarray, scores: np.ndarray, threshold: float
) -> np.ndarray:
    """Return by how many standard errors the log odds exceed those of the threshold: (n,).

    Parameters
    ----------
    regression : Pipeline
        Fitted.
    covariance : array (classifiers + 1, classifiers + 1)
        As `coefficient_covariance` returns it.
    scores : array (n, classifiers)
    threshold : number between 0 and 1
        A probability.
    """
    design = _design_matrix(regression, scores)
    # Log odds are linear in the coefficients: their variance is a quadratic form.
    variance = np.einsum("ij,jk,ik->i", design, covariance, design)
    excess = regression.decision_function(scores) - np.log(threshold / (1 - threshold))
    return np.asarray(excess / np.sqrt(variance))


def cross_fit_margins(
    regression: Pipeline,
    scores: np.ndarray,
    is_positive: np.ndarray,
    folds: StratifiedKFold,
    threshold: float,
) -> np.ndarray:
    """Return the margin of each instance by a regression that was fitted without its fold: (n,)."""
    result = np.zeros(len(scores))
    for train, test in folds.split(scores, is_positive):
        fitted = clone(regression).fit(scores[train], is_positive[train])
        covariance = coefficient_covariance(fitted, scores[train])
        result[test] = margins(fitted, covariance, scores[test], threshold)
    return result


def _design_matrix(regression: Pipeline, scores: np.ndarray) -> np.ndarray:
    """Return the standardised scores and a column of ones for the intercept."""
    return np.column_stack([regression[:-1].transform(scores), np.ones(len(scores))])
