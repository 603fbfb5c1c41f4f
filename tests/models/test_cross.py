"""Cross-efficiency and common weights against SciPy's linear programs and theorems."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import examples, frame, lp, oracle, scales, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from scipy.optimize import linprog

import deabench as db
from deabench.errors import CertificateError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def judged(X: np.ndarray, Y: np.ndarray, o: int, sign: float) -> float:
    """The least (sign 1) or largest (-1) Σ_r u_r Σ_{j≠o} y_rj of Doyle and Green, by SciPy, from
    the efficiency by SciPy.
    """
    (n, s), m = Y.shape, X.shape[1]
    no_better = np.column_stack([Y, -X])
    e = -lp(
        np.append(-Y[o], np.zeros(m)),
        no_better,
        np.zeros(n),
        equal=(np.append(np.zeros(s), X[o])[None], [1.0]),
    )
    remaining = np.delete(np.arange(n), o)
    equal = np.vstack(
        [np.append(np.zeros(s), X[remaining].sum(axis=0)), np.append(Y[o], -e * X[o])]
    )
    solution = linprog(
        sign * np.append(Y[remaining].sum(axis=0), np.zeros(m)),
        no_better,
        np.zeros(n),
        equal,
        [1.0, 0.0],
        method="highs",
    )
    assert solution.status == 0
    return sign * solution.fun


@pytest.mark.parametrize(("goal", "sign"), [("aggressive", 1.0), ("benevolent", -1.0)])
@examples(12)
@given(tables(rows=(2, 7), metrics=(2, 4), near=False))
def test_the_goal_is_scipys_and_no_mean_is_above_its_own_score(goal, sign, values) -> None:
    values = np.where(values > 0, values, 0.01)
    ranking = db.rank(frame(values), inputs=["m0"], model=db.models.Cross(goal=goal))
    X, Y, matrix = values[:, :1], values[:, 1:], ranking.tables["cross"].to_numpy()
    weights = ranking.weights.to_numpy()
    for o in range(len(values)):
        remaining = np.delete(np.arange(len(values)), o)
        value = Y[remaining].sum(axis=0) @ weights[o, :-1] / (X[remaining].sum() * weights[o, -1])
        assert value == pytest.approx(judged(X, Y, o, sign), abs=1e-7)
    scores = db.rank(frame(values), inputs=["m0"], model="ccr").scores
    np.testing.assert_allclose(np.diag(matrix), scores, atol=1e-9)
    assert (ranking.scores <= scores + 1e-9).all()
    assert matrix.max() <= 1 + 1e-9
    db.certify(ranking)


def test_the_benevolent_are_kinder() -> None:
    data = oracle("01_fls2008_11dmu", "data")
    scores = {
        goal: db.rank(
            data, inputs=["x1", "x2"], outputs=["y1"], model=db.models.Cross(goal=goal)
        ).scores
        for goal in ("aggressive", "benevolent")
    }
    assert scores["benevolent"].sum() > scores["aggressive"].sum()


@examples(8)
@given(tables(rows=(1, 7), metrics=(1, 4), near=False), st.data())
def test_without_inputs_units_change_nothing(values, data) -> None:
    original = db.rank(frame(values), model="cross")
    scaled = db.rank(frame(values * data.draw(scales(values.shape[1]))), model="cross")
    np.testing.assert_allclose(
        np.diag(scaled.tables["cross"]), np.diag(original.tables["cross"]), rtol=1e-8
    )
    db.certify(original)
    db.certify(scaled)


@examples(15)
@given(tables(rows=(1, 8), metrics=(1, 4), near=False))
def test_common_weights_have_the_largest_sum_and_cost_nobody_a_gain(Y) -> None:
    ranking, own_ranking = (db.rank(frame(Y), model=model) for model in ("common", "wei"))
    unit = Y.max(axis=0)
    largest = -lp(-(Y / unit).sum(axis=0), Y / unit, np.ones(len(Y)))
    assert ranking.scores.sum() == pytest.approx(largest, rel=1e-8)
    assert (ranking.scores <= own_ranking.scores + 1e-9).all()
    np.testing.assert_allclose(
        ranking.tables["common"]["lost"], own_ranking.scores - ranking.scores, atol=1e-12
    )
    db.certify(ranking)


@examples(15)
@given(tables(rows=(1, 8), metrics=(1, 4), near=False))
def test_common_weights_with_the_least_largest_loss(Y) -> None:
    ranking, own_scores = (
        db.rank(frame(Y), model=db.models.Common(goal="largest")),
        db.rank(frame(Y)).scores.to_numpy(),
    )
    unit, s = Y.max(axis=0), Y.shape[1]
    solution = lp(
        np.append(np.zeros(s), 1.0),
        np.vstack(
            [
                np.column_stack([Y / unit, np.zeros(len(Y))]),
                np.column_stack([-Y / unit, -np.ones(len(Y))]),
            ]
        ),
        np.append(np.ones(len(Y)), -own_scores),
    )
    assert ranking.tables["common"]["lost"].max() == pytest.approx(solution, abs=1e-8)
    assert solution <= db.rank(frame(Y), model="common").tables["common"]["lost"].max() + 1e-9
    db.certify(ranking)


def test_the_least_largest_loss_of_others_than_the_reference() -> None:
    rng = np.random.default_rng(3)
    reference, tested = (
        frame(rng.uniform(0.2, 1, (5, 3))),
        frame(rng.uniform(0.2, 0.9, (9, 3)), "t"),
    )
    for data, comparison in ((tested, reference), (reference, tested)):
        ranking = db.rank(data, reference=comparison, model=db.models.Common(goal="largest"))
        assert (comparison.to_numpy() @ ranking.weights.iloc[0].to_numpy()).max() <= 1 + 1e-9
        db.certify(ranking)
    assert db.rank(reference, model=db.models.Common(goal="largest")).model.endswith(
        "and once for the largest loss"
    )


@pytest.mark.parametrize("model", ["cross", "common", "largest"])
def test_a_changed_number_does_not_pass(model, refused) -> None:
    table = frame(np.random.default_rng(1).uniform(0.2, 1, (6, 3)))
    options = {"model": "common", "goal": "largest"} if model == "largest" else {"model": model}
    for changed in ("scores", "weights"):
        ranking = rank_with(table, **options)
        getattr(ranking, changed).iloc[2] *= 1.01
        with pytest.raises(CertificateError):
            db.certify(ranking)
    ranking = rank_with(table, **options)
    assert "classifier" in ranking.to_csv()
    assert ranking.explain("c1").startswith("c1 is")


def test_cross_takes_no_reference(refused) -> None:
    table = frame(np.random.default_rng(1).uniform(0.2, 1, (6, 3)))
    with refused(
        "model 'cross' lets the classifiers of one table judge each other; leave the reference out"
    ):
        db.rank(table, reference=table, model="cross")
