"""Every metric against scikit-learn, imbalanced-learn and PyCM where they have it, their known
traps among them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from imblearn import metrics as imb
from pycm import ConfusionMatrix
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning

from deabench.metrics import METRICS, count, from_predictions, from_scores

G_MEAN = imb.geometric_mean_score


def _sample(seed: int, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.15 + 0.1 * (seed % 3)).astype(int)
    return y, np.where(rng.random(n) < 0.75, y, 1 - y)


def _iba(alpha):
    return imb.make_index_balanced_accuracy(alpha=alpha, squared=True)(G_MEAN)


LIBRARIES = {
    "TPR": [sk.recall_score, imb.sensitivity_score],
    "TNR": [lambda y, p: sk.recall_score(y, p, pos_label=0), imb.specificity_score],
    "PPV": [sk.precision_score],
    "NPV": [lambda y, p: sk.precision_score(y, p, pos_label=0)],
    "accuracy": [sk.accuracy_score],
    "misclassification_rate": [sk.zero_one_loss],
    "null_error_rate": [
        lambda y, p: sk.zero_one_loss(y, DummyClassifier().fit(y[:, None], y).predict(y[:, None]))
    ],
    "null_accuracy": [
        lambda y, p: (
            DummyClassifier(strategy="most_frequent").fit(y[:, None], y).score(y[:, None], y)
        )
    ],
    "prevalence": [lambda y, p: y.mean()],
    "queue_rate": [lambda y, p: p.mean()],
    "balanced_accuracy": [
        sk.balanced_accuracy_score,
        sk.roc_auc_score,
    ],  # one operating point: the area is the same
    "G-mean": [G_MEAN],
    "F1": [sk.f1_score],
    "IBA": [lambda y, p: _iba(1)(y, p, average="binary")],
    "MCC": [sk.matthews_corrcoef],
    "kappa": [sk.cohen_kappa_score],
    "LR+": [lambda y, p: sk.class_likelihood_ratios(y, p)[0]],
    "LR-": [lambda y, p: sk.class_likelihood_ratios(y, p)[1]],
    "weighted_accuracy": [sk.accuracy_score],
    "total_cost": [lambda y, p: sk.zero_one_loss(y, p, normalize=False)],
}

PYCM = {
    "TPR": "TPR",
    "TNR": "TNR",
    "FPR": "FPR",
    "FNR": "FNR",
    "PPV": "PPV",
    "NPV": "NPV",
    "FDR": "FDR",
    "FOR": "FOR",
    "accuracy": "ACC",
    "misclassification_rate": "ERR",
    "prevalence": "PRE",
    "balanced_accuracy": "AUC",
    "G-mean": "GM",
    "F1": "F1",
    "IBA": "IBA",
    "MCC": "MCC",
    "Youden": "BM",
    "LR+": "PLR",
    "LR-": "NLR",
    "DOR": "DOR",
}


@pytest.mark.parametrize("seed", range(6))
def test_scikit_learn_and_imbalanced_learn_agree(seed):
    y, p = _sample(seed)
    computed = from_predictions(y, {"p": p}, positive=1).loc["p"]
    for name, expected in LIBRARIES.items():
        for function in expected:
            assert computed[name] == pytest.approx(function(y, p), abs=1e-14, rel=1e-13), name


@pytest.mark.parametrize("seed", range(6))
def test_pycm_agrees(seed):
    y, p = _sample(seed)
    computed = from_predictions(y, {"p": p}, positive=1).loc["p"]
    cm = ConfusionMatrix(actual_vector=y, predict_vector=p)
    for name, expected in PYCM.items():
        assert computed[name] == pytest.approx(getattr(cm, expected)[1], abs=1e-14, rel=1e-13), name
    assert computed["kappa"] == pytest.approx(cm.Kappa, abs=1e-14)
    assert computed["null_error_rate"] == pytest.approx(1 - cm.NIR, abs=1e-14)
    assert computed["queue_rate"] == pytest.approx(cm.TOP[1] / cm.POP[1], abs=1e-14)


def test_only_what_no_library_has_is_without_a_library():
    assert set(METRICS) - set(LIBRARIES) - set(PYCM) == {
        "label_odds+",
        "label_odds-",
        "balancing_cost",
    }


@pytest.mark.parametrize("beta", [0, 0.5, 2, 3])
def test_f_beta(beta):
    y, p = _sample(1)
    computed = from_predictions(y, {"p": p}, positive=1, metrics=[f"F{beta:g}"], beta=beta).iloc[
        0, 0
    ]
    assert computed == pytest.approx(sk.fbeta_score(y, p, beta=beta), abs=1e-14)
    if beta:  # PyCM takes no beta of 0
        cm = ConfusionMatrix(actual_vector=y, predict_vector=p)
        assert computed == pytest.approx(cm.F_beta(beta)[1], abs=1e-14)


@pytest.mark.parametrize("dominance", [0, 0.1, 0.5, 1])
def test_iba_at_other_alpha(dominance):
    y, p = _sample(2)
    computed = from_predictions(y, {"p": p}, positive=1, metrics=["IBA"], dominance=dominance).iloc[
        0, 0
    ]
    assert computed == pytest.approx(_iba(dominance)(y, p, average="binary"), abs=1e-14)
    assert computed == pytest.approx(
        ConfusionMatrix(actual_vector=y, predict_vector=p).IBA_alpha(dominance)[1], abs=1e-14
    )


def test_traps_of_the_libraries():
    """What goes by one name and is another thing; each would change a ranking silently."""
    y, p = _sample(0)
    computed = from_predictions(y, {"p": p}, positive=1).loc["p"]
    cm = ConfusionMatrix(actual_vector=y, predict_vector=p)
    assert cm.AUC[1] == pytest.approx(
        computed["balanced_accuracy"]
    )  # not the area under a curve of scores
    assert cm.G[1] == pytest.approx(
        np.sqrt(computed["PPV"] * computed["TPR"])
    )  # Fowlkes and Mallows', not G-mean
    assert abs(cm.G[1] - computed["G-mean"]) > 0.05
    default = _iba(1)(y, p)  # averaged over both classes: the dominance TPR - TNR is lost
    assert abs(default - computed["IBA"]) > 0.001
    assert imb.make_index_balanced_accuracy()(G_MEAN)(y, p, average="binary") == pytest.approx(
        from_predictions(y, {"p": p}, positive=1, metrics=["IBA"], dominance=0.1).iloc[0, 0]
    )  # its default α
    with pytest.warns(UndefinedMetricWarning):
        assert sk.precision_score([0, 1], [0, 0]) == 0  # 0/0 said to be 0
    assert np.isnan(from_predictions([0, 1], {"p": [0, 0]}, metrics=["PPV"]).iloc[0, 0])
    assert sk.matthews_corrcoef([0, 1], [0, 0]) == 0
    assert np.isnan(from_predictions([0, 1], {"p": [0, 0]}, metrics=["MCC"]).iloc[0, 0])


def test_sample_weights():
    y, p = _sample(3)
    w = np.random.default_rng(3).random(len(y))
    score = np.random.default_rng(4).normal(size=len(y)).round(1) + y
    computed = from_predictions(y, {"p": p}, positive=1, sample_weight=w).loc["p"]
    for name, function in {
        "TPR": sk.recall_score,
        "accuracy": sk.accuracy_score,
        "PPV": sk.precision_score,
        "balanced_accuracy": sk.balanced_accuracy_score,
        "MCC": sk.matthews_corrcoef,
        "kappa": sk.cohen_kappa_score,
        "F1": sk.f1_score,
    }.items():
        assert computed[name] == pytest.approx(function(y, p, sample_weight=w), abs=1e-12), name
    ranked = from_scores(y, {"s": score}, positive=1, sample_weight=w)
    assert ranked.loc["s", "roc_auc"] == pytest.approx(
        sk.roc_auc_score(y, score, sample_weight=w), abs=1e-14
    )
    assert ranked.loc["s", "pr_auc"] == pytest.approx(
        sk.average_precision_score(y, score, sample_weight=w), abs=1e-14
    )
    assert ranked[["roc_auc_lower", "roc_auc_upper"]].isna().all(axis=None)
    assert ranked.attrs["undefined"] == (
        "the interval of roc_auc is undefined: DeLong's variance takes no sample weights",
    )


def test_a_weight_of_two_is_an_instance_twice():
    y, p = _sample(4, 60)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = from_predictions(y, {"p": p}, positive=1, sample_weight=w)
    repeated = from_predictions(np.repeat(y, w), {"p": np.repeat(p, w)}, positive=1)
    pd.testing.assert_frame_equal(weighted, repeated)


def test_class_weights_are_sample_weights():
    """The lecture's weighted accuracy with w_tp = w_fn and w_fp = w_tn is scikit-learn's with class
    weights.
    """
    y, p = _sample(5)
    weights = {"tp": 5, "fn": 5, "fp": 2, "tn": 2}
    computed = from_predictions(
        y, {"p": p}, positive=1, metrics=["weighted_accuracy"], weights=weights
    ).iloc[0, 0]
    assert computed == pytest.approx(
        sk.accuracy_score(y, p, sample_weight=np.where(y == 1, 5, 2)), abs=1e-14
    )
    tp, fn, fp, tn = count(y, {"p": p}, positive=1).loc["p"]
    shares = {
        "tp": 0.7 / (tp + fn),
        "fn": 0.7 / (tp + fn),
        "fp": 0.3 / (fp + tn),
        "tn": 0.3 / (fp + tn),
    }
    computed = from_predictions(
        y, {"p": p}, positive=1, metrics=["weighted_accuracy", "TPR", "TNR"], weights=shares
    )
    assert computed.loc["p", "weighted_accuracy"] == pytest.approx(
        0.7 * computed.loc["p", "TPR"] + 0.3 * computed.loc["p", "TNR"]
    )


def test_cost_matrix_against_scikit_learn():
    y, p = _sample(6)
    costs = {"tp": -1, "fn": 100, "fp": 1, "tn": 0.5}
    matrix = np.array(
        [[costs["tn"], costs["fp"]], [costs["fn"], costs["tp"]]]
    )  # scikit-learn's rows: true 0, 1
    computed = from_predictions(y, {"p": p}, positive=1, metrics=["total_cost"], costs=costs).iloc[
        0, 0
    ]
    assert computed == pytest.approx((sk.confusion_matrix(y, p) * matrix).sum(), abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_score_metrics(seed):
    from scipy.stats import ks_2samp

    y, _ = _sample(seed)
    score = np.random.default_rng(seed).normal(size=len(y)).round(1) + 0.8 * y
    computed = from_scores(y, {"s": score}, threshold=0.5, positive=1).loc["s"]
    assert computed["roc_auc"] == pytest.approx(sk.roc_auc_score(y, score), abs=1e-14)
    assert computed["pr_auc"] == pytest.approx(sk.average_precision_score(y, score), abs=1e-14)
    assert computed["KS"] == pytest.approx(
        ks_2samp(score[y == 1], score[y == 0], alternative="less").statistic, abs=1e-14
    )
    labels = from_predictions(y, {"s": (score >= 0.5).astype(int)}, positive=1).loc["s"]
    pd.testing.assert_series_equal(computed[labels.index], labels)
