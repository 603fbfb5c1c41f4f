"""A regression on scores: its strength, and how far its log odds are from a threshold."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.tools.numdiff import approx_hess

from deabench.integrations.score_regression import (
    STRENGTHS,
    choose_regression,
    coefficient_covariance,
    cross_fit_margins,
    margins,
)


def fit_regression(scores: np.ndarray, y: np.ndarray, strength: float):
    logistic = LogisticRegression(C=strength, max_iter=10_000, tol=1e-10)
    return make_pipeline(StandardScaler(), logistic).fit(scores, y)


def draw_scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two scores of other units, and a class of which a third is positive."""
    rng = np.random.default_rng(0)
    y = rng.random(n) < 1 / 3
    return (rng.normal(size=(n, 2)) + y[:, None]) * [1, 20] + [0, 5], y


def test_the_strength_of_the_regression_is_chosen_by_log_loss():
    """Scores without noise want a weak penalty, scores that tell nothing a strong one."""
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [60, 240])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    clear = (y + rng.normal(0, 0.1, 300))[:, None]
    noise = rng.normal(size=(300, 4))
    for scores, strength in ((clear, STRENGTHS[-1]), (noise, STRENGTHS[0])):
        regression = choose_regression(scores, y == 1, folds)
        assert regression[-1].get_params()["C"] == strength
        probability = cross_val_predict(
            regression, scores, y == 1, cv=folds, method="predict_proba"
        )[:, 1]
        assert len(probability) == 300
    assert np.abs(probability - 0.2).max() < 0.2


def test_margins_without_a_penalty_are_those_of_statsmodels():
    """Wald's z of the log odds of each instance less those of the threshold."""
    scores, y = draw_scores(200)
    regression = fit_regression(scores, y, 1e8)
    covariance = coefficient_covariance(regression, scores)
    model = sm.Logit(y.astype(float), sm.add_constant(scores)).fit(disp=False)
    prediction = model.get_prediction(sm.add_constant(scores[:20]), which="linear")
    expected = (prediction.predicted - np.log(0.2 / 0.8)) / prediction.se
    answer = margins(regression, covariance, scores[:20], 0.2)
    assert answer == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("strength", STRENGTHS)
def test_the_covariance_is_the_inverse_hessian_of_the_penalised_loss(strength):
    scores, y = draw_scores(60)
    regression = fit_regression(scores, y, strength)
    design = regression[0].transform(scores)

    def penalised_loss(coefficients):
        log_odds = design @ coefficients[:-1] + coefficients[-1]
        losses = np.logaddexp(0, np.where(y, -log_odds, log_odds))
        return losses.sum() + (coefficients[:-1] ** 2).sum() / (2 * strength)

    fitted = np.append(regression[-1].coef_, regression[-1].intercept_)
    hessian = approx_hess(fitted, penalised_loss)
    answer = coefficient_covariance(regression, scores)
    assert answer @ hessian == pytest.approx(np.eye(3), abs=1e-3)


def test_cross_fitted_margins_leave_out_the_fold():
    scores, y = draw_scores(90)
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    regression = make_pipeline(StandardScaler(), LogisticRegression())
    answer = cross_fit_margins(regression, scores, y, folds, 0.4)
    train, test = next(iter(folds.split(scores, y)))
    fitted = regression.fit(scores[train], y[train])
    covariance = coefficient_covariance(fitted, scores[train])
    assert answer[test] == pytest.approx(margins(fitted, covariance, scores[test], 0.4))
