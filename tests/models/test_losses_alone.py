"""Losses and costs alone: every row has the same constant output, and inputs are to shrink."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow
from scipy.optimize import linprog

import deabench as db
from deabench.cli import main
from deabench.inference.score_limits import CriticalValues
from deabench.models import MODELS
from deabench.models.options import choices_of
from deabench.tables.transforms import CONSTANT_OUTPUT

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

TABLE = pd.DataFrame(
    {"mae": [1.0, 2.0, 3.0, 2.5], "rmse": [2.0, 1.8, 3.0, 2.0], "seconds": [3.0, 1.0, 3.0, 2.0]},
    index=list("abcd"),
)


def least_factors(X: np.ndarray) -> np.ndarray:
    """Return min θ with Σ λ x ≤ θ x_o and a column of ones as the output, by SciPy."""
    n, m = X.shape
    ones = np.ones((n, 1))
    factors = []
    for k in range(n):
        rows = np.vstack([np.column_stack([-X[k], X.T]), np.append(0.0, -ones.T)[None]])
        limits = np.append(np.zeros(m), -1.0)
        cost = np.append(1.0, np.zeros(n))
        factors.append(linprog(cost, A_ub=rows, b_ub=limits, method="highs").fun)
    return np.array(factors)


@pytest.mark.parametrize("seed", range(5))
def test_scores_equal_the_mirror_image_of_dea_without_inputs(seed) -> None:
    rng = np.random.default_rng(seed)
    X = np.exp(rng.normal(0, 3, (12, 3))).round(3) + 0.001
    table = pd.DataFrame(X, columns=["mae", "rmse", "seconds"])
    ranking = db.rank(table)
    np.testing.assert_allclose(ranking.scores, least_factors(X), atol=1e-9)
    assert db.certify(ranking)["gap"].max() <= 1e-9
    assert ranking.options == db.models.CCR(returns="vrs", orientation="input")
    # Units and the order of rows change nothing.
    turned = db.rank(table.iloc[::-1] * 1024.0)
    np.testing.assert_allclose(turned.scores[table.index], ranking.scores, rtol=1e-12)


def test_it_is_chosen_by_itself_and_said() -> None:
    ranking = db.rank(TABLE)
    assert ranking.notes == (
        "no column is better high, so every row has the same constant output, and the scores say "
        "how far the inputs could shrink together (Lovell and Pastor 1999)",
        "inputs, for lower is better: 'mae', 'rmse', 'seconds'",
        "model 'ccr' was chosen, for 'mae', 'rmse', 'seconds' are inputs; "
        "returns to scale are variable",
        "2 of 4 are efficient; to tell them apart: "
        "deabench.weightings(table) (their ranks over all weightings), "
        "deabench.best(table, within={'seconds': 1}) (within a budget), "
        "deabench.rank(table, model='super') (each against the others)",
    )
    named = db.rank(TABLE, outputs=[], inputs=["mae", "rmse"])
    np.testing.assert_allclose(
        named.scores, least_factors(TABLE[["mae", "rmse"]].to_numpy()), atol=1e-12
    )
    assert list(named.actual) == list(named.projections) == ["mae", "rmse"]
    assert named.explain("c").splitlines() == [
        "c is not efficient (efficiency 0.6111, rank 4 of 4): "
        "every input could shrink by 38.9 % together.",
        "Its peers: b 0.83, a 0.17.",
        "There it would have mae 3 to 1.833, rmse 3 to 1.833.",
        "Its score rests on rmse 83%, mae 17%.",
        "The score says how far the best mix of the others is, not how good c is under your "
        "own weights; it carries the noise of the metrics.",
    ]


@pytest.mark.parametrize("model", mark_most_slow(MODELS, 6))
def test_every_model_ranks_losses_alone(model) -> None:
    ranking = db.rank(TABLE, model=model)
    if "input" in choices_of(ranking.options, "orientation"):
        assert ranking.options.orientation == "input"
    assert ranking.efficient.tolist() == [True, True, False, False]
    # The constant output is what a column of ones by hand would be.
    by_hand = db.rank(
        TABLE.assign(one=1.0),
        outputs=["one"],
        inputs=list(TABLE),
        model=ranking.options,
    )
    assert by_hand.scores.tolist() == ranking.scores.tolist()
    db.certify(ranking)
    assert CONSTANT_OUTPUT not in ranking.explain("c").replace("constant output/", "")


def test_outputs_that_cannot_grow_are_refused(refused) -> None:
    with refused(
        "orientation 'output' lets outputs grow and there is none; write orientation 'input', or "
        "name a metric in outputs"
    ):
        db.rank(TABLE, model="ccr", orientation="output")
    with refused("a column is called 'constant output', which has a meaning; rename it"):
        db.rank(TABLE.rename(columns={"mae": CONSTANT_OUTPUT}), inputs=[CONSTANT_OUTPUT])
    with refused(
        "no outputs: the table has no numeric column left; name at least one metric as output"
    ):
        db.rank(TABLE, outputs=[])


def test_a_column_that_may_be_an_output_is_asked_for(refused) -> None:
    table = TABLE[["mae"]].assign(zorp=[3.0, 1.0, 4.0, 2.0])
    with refused(
        "no column has a name that says higher is better; name those of 'zorp' that are, as "
        "outputs=['zorp']; or write outputs=[] to rank by 'mae' alone, the less the better"
    ):
        db.rank(table)
    assert db.rank(table, outputs=[], inputs=["mae"]).scores.round(3).tolist() == [
        1.0,
        0.5,
        0.333,
        0.4,
    ]


def test_a_loss_with_its_sign_turned_is_a_loss() -> None:
    table = pd.DataFrame({"neg_mean_absolute_error": -TABLE["mae"]})
    np.testing.assert_allclose(db.rank(table).scores, 1 / TABLE["mae"], atol=1e-12)


def test_the_command_ranks_losses(tmp_path, capsys) -> None:
    path = tmp_path / "forecasts.csv"
    TABLE.rename_axis("model").to_csv(path)
    assert main(["rank", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "constant output" in err
    assert [line.split()[:2] for line in out.strip().splitlines()[-4:]] == [
        ["a", "1.0000"],
        ["b", "1.0000"],
        ["d", "0.9000"],
        ["c", "0.6111"],
    ]
    assert main(["rank", str(path), "--outputs", "", "--inputs", "mae,rmse", "--explain", "c"]) == 0
    assert "every input could shrink by 38.9 % together" in capsys.readouterr().out


def test_zeros_one_row_one_column_and_a_reference(refused) -> None:
    table = pd.DataFrame({"mae": [0.0, 1.0, 2.0], "seconds": [4.0, 2.0, 4.0]}, index=list("abc"))
    ranking = db.rank(table)
    np.testing.assert_allclose(ranking.scores, [1, 1, 0.5], atol=1e-12)
    db.certify(ranking)
    with refused("every input of 'a' is 0; its efficiency is undefined, leave the row out"):
        db.rank(table[["mae"]])
    assert db.rank(TABLE.iloc[[0]]).scores.tolist() == [1.0]
    against = db.rank(TABLE.iloc[[2]], reference=TABLE.iloc[:2])
    assert against.scores.tolist() == pytest.approx([db.rank(TABLE).scores["c"]], rel=1e-15)
    db.certify(against)


@pytest.mark.parametrize("method", ["analytic", "max-t"])
def test_uncertainty_equals_that_with_an_exact_column_of_ones(method) -> None:
    errors = TABLE * 0.03
    samples = db.Samples.from_table(TABLE, errors)
    answer = db.uncertainty(samples, outputs=[], inputs=list(TABLE), method=method)
    with_ones = db.Samples.from_table(TABLE.assign(one=1.0), errors.assign(one=0.0))
    by_hand = db.uncertainty(
        with_ones, outputs=["one"], inputs=list(TABLE), orientation="input", method=method
    )
    np.testing.assert_allclose(answer.scores, least_factors(TABLE.to_numpy()), atol=1e-9)
    # At the same critical values both limits are the same.
    for side, critical, limit in (
        ("lower", answer.c_lower, answer.lower),
        ("upper", answer.c_upper, answer.upper),
    ):
        # The exact column comes first, and its critical value does not matter.
        extended = CriticalValues(np.append(9.0, critical.c), np.append(9.0, critical.h))
        expected = extended.limits(by_hand.problem, side).value
        np.testing.assert_allclose(limit, np.minimum(expected, 1.0), atol=1e-9)
    assert answer.verdicts.tolist() == by_hand.verdicts.tolist()
    assert "with inputs the scores are input-oriented under variable returns to scale" in (
        answer.notes
    )
    ranking = db.rank(TABLE, uncertainty=samples)
    assert ranking.uncertainty.scores.round(12).equals(ranking.scores.round(12).rename("score"))
    assert "costs at least" in ranking.explain("c")


def test_the_frontier_and_its_prices_are_of_the_losses() -> None:
    losses = TABLE[["mae", "rmse"]]
    front = db.frontier(losses)
    assert front.extreme == ["a", "b"]
    # From a (1, 2) to b (2, 1.8): 0.2 of rmse for 1 of mae.
    assert front.prices.set_index("gain")["rate"].to_dict() == pytest.approx(
        {"mae": 0.2, "rmse": 5.0}
    )
    db.certify(front)
    targets = db.targets(losses.loc[["c"]], losses, weights="range")
    # Changes count 1/2 for mae and 1/1.2 for rmse: b is nearer, at 1/2 + 1.2/1.2, than a.
    assert targets.distance["c"] == pytest.approx(1.5)
    np.testing.assert_allclose(targets.targets.loc["c"], [2.0, 1.8])
    db.certify(targets)


def test_targets_under_constant_returns_need_an_output(refused) -> None:
    with refused(
        "returns='crs' multiplies outputs and there are none; name one in outputs, or leave "
        "returns out"
    ):
        db.targets(TABLE.iloc[2:], TABLE, returns="crs")
    with refused(
        "returns to scale compare outputs with inputs and there is no output; name one in "
        "outputs, or use deabench.rank"
    ):
        db.scale_efficiency(TABLE)


def test_layers_and_budgets_of_losses() -> None:
    layers = db.layers(TABLE).frame
    assert layers["layer"].to_dict() == {"a": 1, "b": 1, "d": 2, "c": 3}
    assert layers.loc["d", "progress"] == pytest.approx(0.9)
    assert db.best(TABLE, within={"seconds": 2}).scores.round(9).to_dict() == {"b": 1.0, "d": 0.9}
