"""Cross-efficiency and common weights against SciPy's linear programs and theorems."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, frame, lp, oracle, scales, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow
from scipy.optimize import linprog

import deabench as db
from deabench.errors import CertificateError
from deabench.models.cross import DISTINCT, _goal_errors, means_of_others
from deabench.utils.arrays import Sparse

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


@pytest.mark.parametrize(
    ("goal", "sign"), mark_most_slow([("aggressive", 1.0), ("benevolent", -1.0)], 1)
)
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
        "model 'cross' lets the systems of one table judge each other; leave the reference out"
    ):
        db.rank(table, reference=table, model="cross")


def test_the_mean_of_the_others_loses_no_digits_beside_a_large_value() -> None:
    values = np.array([[1e17, 1.0], [10.0, 2.0], [20.0, 4.0]])
    expected = [[15.0, 3.0], [(1e17 + 20.0) / 2, 2.5], [(1e17 + 10.0) / 2, 1.5]]
    np.testing.assert_array_equal(means_of_others(values), expected)


def test_weights_let_nothing_exceed_1_where_metrics_differ_by_rounding_alone() -> None:
    table = pd.DataFrame(
        {
            "y0": [
                0.24999999998859035,
                0.24999999999843783,
                0.74999999999324107,
                0.24999999999352834,
            ],
            "y1": [
                0.24999999999902517,
                0.49999999999946376,
                0.24999999999183639,
                0.50000000001064815,
            ],
        }
    )
    ranking = db.rank(table, outputs=["y0", "y1"], model="cross")
    assert ranking.tables["cross"].to_numpy().max() <= 1 + 1e-15
    # Under the only weights that suit row 1 best, the others reach .8667 of it.
    others = ranking.tables["cross"].iloc[1].drop(1)
    assert others.mean() == pytest.approx(0.8666666666626, abs=1e-9)


def test_own_efficiency_stands_beside_twelve_orders_of_magnitude() -> None:
    table = pd.DataFrame(
        {
            "accuracy": [0.644, 0.224, 0.502, 0.742, 0.932],
            "recall": [0.467, 0.204, 0.945, 0.817, 0.889],
            "price": [0.643, 0.46, 0.975, 0.841, 0.576],
            "latency": [0.441, 0.908, 0.97, 0.792, 0.794],
            "parameters": [5e6, 7e11, 6e6, 60.0, 9e3],
        }
    )
    options = {"outputs": ["accuracy", "recall"], "inputs": ["price", "latency", "parameters"]}
    ranking = db.rank(table, **options, model="cross")
    db.certify(ranking)
    own = np.diag(ranking.tables["cross"])
    np.testing.assert_allclose(own, db.rank(table, **options, model="ccr", returns="crs").scores)


def test_the_least_largest_loss_is_proved_where_a_reference_is_longer_than_the_table() -> None:
    reference = pd.DataFrame({"y": [0.5, 0.4, 0.5, 0.5]}, index=list("abcd"))
    ranking = db.rank(
        reference.iloc[2:],
        outputs=["y"],
        model=db.models.Common(goal="largest"),
        reference=reference,
    )
    db.certify(ranking)
    assert ranking.tables["losers"].to_numpy().sum() == 1.0


@pytest.mark.parametrize("goal", ["sum", "largest"])
def test_common_weights_have_no_bound_where_the_reference_lacks_a_metric(goal, refused) -> None:
    table = pd.DataFrame({"a": [0.9, 0.4], "b": [0.3, 0.0]}, index=["x", "y"])
    reference = pd.DataFrame({"a": [0.8, 0.7], "b": [0.0, 0.0]}, index=["v", "w"])
    with refused(
        "metric 'b' is 0 in the whole reference, so that no weight of it is too large; leave it "
        "out of the outputs"
    ):
        db.rank(table, reference=reference, outputs=["a", "b"], model=db.models.Common(goal=goal))


def test_no_classifier_judges_itself_as_0_over_0() -> None:
    # The aggressive weights of "free" would be those of the price alone, which it has nothing of.
    table = pd.DataFrame(
        {"a": [0.4, 0.7, 0.9], "price": [0.0, 2.0, 3.0], "time": [1.0, 3.0, 2.0]},
        index=["free", "slow", "best"],
    )
    ranking = db.rank(table, outputs=["a"], inputs=["price", "time"], model="cross")
    db.certify(ranking)
    assert ranking.tables["cross"].loc["free", "free"] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("short", "is_open"), [(0.0, False), (DISTINCT / 2, True), (DISTINCT * 4, False), (0.5, False)]
)
def test_goals_are_solved_in_fractions_where_a_dmu_is_all_but_as_good_as_can_be(
    short, is_open
) -> None:
    """Under u = v = 1 the second DMU's output is by `short` less than its input."""
    solutions = SimpleNamespace(
        values={"u[0]": np.ones(1), "v[0]": np.ones(1)},
        duals={"own_efficiency": np.zeros(1), "inputs_of_the_others": np.ones(1)},
        shared={"no_better": Sparse(np.zeros((1, 1), dtype=np.int32), np.ones((1, 1)))},
    )
    reference = np.array([[1.0, 1.0], [1.0, 1.0 - short]])
    ones = np.ones((1, 2))
    assert np.isinf(_goal_errors(reference, ones, ones, solutions)).tolist() == [is_open]


def sizes_apart(seed: int) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a table with rows between 1e-6 and 1e6 times as large, its outputs and inputs."""
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(3, 6)), int(rng.integers(2, 5))
    m = int(rng.integers(1, count))
    values = rng.integers(1, 10, (n, count)) * 10.0 ** rng.integers(-6, 7, (n, 1))
    rounded = [[float(f"{value:.6g}") for value in row] for row in values]
    names = [f"m{k}" for k in range(count)]
    table = pd.DataFrame(rounded, list("ABCDE")[:n], names)
    return table, names[: count - m], names[count - m :]


FAR_SEEDS = [124, 197, 205, 294, 307, 308, 372, 390, 439, 493]


@pytest.mark.parametrize("goal", ["benevolent", "aggressive"])
@pytest.mark.parametrize("seed", mark_most_slow(FAR_SEEDS, 3))
def test_no_weights_make_a_far_smaller_dmu_better_than_the_best(goal, seed) -> None:
    table, outputs, inputs = sizes_apart(seed)
    ranking = db.rank(table, outputs=outputs, inputs=inputs, model=db.models.Cross(goal=goal))
    assert ranking.tables["cross"].to_numpy().max() <= 1 + 1e-9
    db.certify(ranking)


@pytest.mark.parametrize("goal", ["benevolent", "aggressive"])
@pytest.mark.parametrize("seed", [189, 197, 205, 294, 307, 334])
def test_no_judge_has_best_weights_that_serve_the_goal_of_another_better(goal, seed) -> None:
    """Weights of one judge that give another its own score are best weights of that one, too."""
    table, outputs, inputs = sizes_apart(seed)
    ranking = db.rank(table, outputs=outputs, inputs=inputs, model=db.models.Cross(goal=goal))
    matrix = ranking.tables["cross"].to_numpy()
    u, v = ranking.weights[outputs].to_numpy(), ranking.weights[inputs].to_numpy()
    for k, label in enumerate(table.index):
        others = table.drop(index=label).sum()
        goals = (u @ others[outputs]) / (v @ others[inputs])
        are_best = matrix[:, k] >= matrix[k, k] - 1e-13
        best = goals[are_best].max() if goal == "benevolent" else goals[are_best].min()
        assert goals[k] == pytest.approx(best, abs=1e-9)
