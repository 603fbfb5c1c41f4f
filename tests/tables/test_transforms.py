"""What is turned inside is turned back outside: the user's own names, units and directions,
everywhere.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deabench as db
from deabench.cli import main
from deabench.errors import DataError
from deabench.tables.transforms import (
    AffineTransform,
    compose,
    to_model_values,
    to_user_half_spaces,
    to_user_values,
)

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = pd.DataFrame(
    {
        "accuracy": [0.9, 0.85, 0.8, 0.7, 0.6, 0.65],
        "err": [0.1, 0.05, 0.2, 0.02, 0.3, 0.25],
        "latency_ms": [500.0, 120, 60, 20, 30, 100],
    },
    index=list("abcdef"),
)


@given(st.floats(-1e6, 1e6), st.sampled_from([1.0, -1.0]), st.floats(-1e3, 1e3))
def test_turning_twice_is_the_identity(value, sign, shift) -> None:
    turn, column = AffineTransform(sign, shift), pd.Series([value])
    np.testing.assert_allclose(turn.invert(turn.apply(column)), column, atol=1e-9)
    frame = pd.DataFrame({"m": column, "n": column})
    pd.testing.assert_frame_equal(
        to_user_values(to_model_values(frame, {"m": turn}), {"m": turn}), frame, atol=1e-9
    )
    composed = compose(turn, AffineTransform(-1.0, 2.0))
    np.testing.assert_allclose(composed.apply(column), 2.0 - turn.apply(column), atol=1e-9)


def test_a_half_space_is_the_same_outside() -> None:
    turns, rng = {"e": AffineTransform(-1.0, 1.0)}, np.random.default_rng(0)
    inside = pd.DataFrame(rng.random((5, 2)), columns=["y", "e"])
    normals, offsets = to_user_half_spaces(pd.DataFrame({"y": [0.3], "e": [0.9]}), 1.0, turns)
    outside = to_user_values(inside, turns).to_numpy()
    np.testing.assert_allclose(
        outside @ normals.to_numpy()[0] - offsets[0], inside.to_numpy() @ [0.3, 0.9] - 1.0
    )


def test_the_liar_is_not_efficient() -> None:
    table = pd.DataFrame(
        {"TPR": [0.5, 0.9, 0.1], "TNR": [0.9, 0.8, 0.05], "FPR": [0.1, 0.2, 0.95]},
        index=["a", "b", "liar"],
    )
    ranking = db.rank(table)
    assert ranking.scores["liar"] < 0.2
    assert not ranking.efficient["liar"]
    predictions = db.metrics.from_predictions(
        [1, 1, 0, 0, 1, 0], {"good": [1, 1, 0, 0, 1, 0], "poor": [1, 0, 1, 0, 0, 0]}
    )
    columns = [
        name
        for name in predictions
        if predictions[name].notna().all() and np.isfinite(predictions[name]).all()
    ]
    result = db.rank(predictions[columns])
    assert {"FNR", "total_cost", "prevalence"} & set(result.data.outputs.columns) <= {"FNR"}
    assert result.efficient["good"]
    assert not result.efficient["poor"]
    assert "'FNR' is left out: it is 1 - 'TPR', which is taken" in result.notes
    assert not any("prevalence" in name for name in (*result.data.outputs, *result.data.inputs))


def test_a_ranking_speaks_in_the_users_units() -> None:
    ranking = db.rank(BOARD)
    np.testing.assert_allclose(ranking.actual[BOARD.columns], BOARD)
    inside = 1 - ranking.projections["err"]
    assert (inside >= 1 - BOARD["err"] - 1e-9).all()
    assert ranking.projections.loc["e", "err"] < BOARD.loc["e", "err"]
    assert "err 0.3 to 0.065" in ranking.explain("e")
    assert "latency_ms" in " ".join(ranking.notes)
    db.certify(ranking)


def test_targets_speak_in_the_users_units() -> None:
    targets = db.targets(BOARD.loc[["e"]], BOARD, outputs=["accuracy"], inputs=["latency_ms"])
    target = targets.targets.loc["e"]
    assert target["latency_ms"] <= 500
    np.testing.assert_allclose(
        targets.gaps.loc["e"], target - BOARD.loc["e", ["accuracy", "latency_ms"]]
    )
    on = db.frontier(BOARD, outputs=["accuracy"], inputs=["latency_ms"]).locate(targets.targets)
    assert on["position"].tolist() == ["on"]
    db.certify(targets)
    assert any("units differ" in note for note in targets.notes)
    np.testing.assert_allclose(list(targets.weights.values()), [1 / 0.3, 1 / 480])


def test_a_target_of_an_error_rate_is_an_error_rate_and_on_the_frontier() -> None:
    targets = db.targets(
        BOARD.loc[["e"]],
        db.read(BOARD, lower_is_better={"err": 1.0}),
        outputs=["accuracy", "err"],
    )
    assert targets.targets.loc["e", "err"] == pytest.approx(0.02)
    assert targets.gaps.loc["e", "err"] == pytest.approx(-0.28)
    extended = pd.concat([BOARD[["accuracy", "err"]], targets.targets.rename({"e": "target"})])
    table = db.read(extended, lower_is_better={"err": 1.0})
    repeated = db.frontier(table, outputs=["accuracy", "err"])
    assert repeated.locate(targets.targets)["position"].tolist() == ["on"]
    assert not db.rank(table, outputs=["accuracy", "err"]).efficient["e"]


def test_facets_bound_the_users_own_values_and_have_prices() -> None:
    front = db.frontier(BOARD, outputs=["accuracy"], inputs=["latency_ms"])
    facets = front.facets
    values = (
        BOARD[["accuracy", "latency_ms"]].to_numpy()
        @ facets[["accuracy", "latency_ms"]].to_numpy().T
    )
    assert (values <= facets["offset"].to_numpy() + 1e-9).all()
    assert (facets["latency_ms"] <= 0).all()
    pd.testing.assert_frame_equal(
        front.points, BOARD.loc[front.vertices, ["accuracy", "latency_ms"]], check_names=False
    )
    price = front.prices[front.prices["gain"] == "accuracy"]["rate"]
    np.testing.assert_allclose(sorted(price), sorted([40 / 0.1, 60 / 0.05, 380 / 0.05]))
    db.certify(front)


@pytest.mark.parametrize("unit", [1e-3, 60.0])
def test_units_and_the_order_of_columns_change_nothing(unit) -> None:
    rescaled = BOARD.assign(latency_ms=BOARD["latency_ms"] * unit)[
        ["latency_ms", "err", "accuracy"]
    ]
    np.testing.assert_allclose(db.rank(rescaled).scores, db.rank(BOARD).scores, atol=1e-9)
    a = db.targets(BOARD.loc[["e", "f"]], BOARD, outputs=["accuracy"], inputs=["latency_ms"])
    b = db.targets(rescaled.loc[["e", "f"]], rescaled, outputs=["accuracy"], inputs=["latency_ms"])
    np.testing.assert_allclose(a.distance, b.distance, atol=1e-9)


def test_costs_under_variable_returns_agree_with_brute_force() -> None:
    from scipy.optimize import linprog

    table = BOARD[["accuracy", "latency_ms"]]
    scores = db.rank(table, inputs=["latency_ms"]).scores
    for k, label in enumerate(table.index):
        y, x = table["accuracy"].to_numpy(), table["latency_ms"].to_numpy()
        solution = linprog(
            np.append(-1.0, np.zeros(6)),
            A_ub=[np.append(y[k], -y), np.append(0.0, x)],
            b_ub=[0.0, x[k]],
            A_eq=[np.append(0.0, np.ones(6))],
            b_eq=[1.0],
            bounds=[(None, None)] + [(0, None)] * 6,
        )
        assert scores[label] == pytest.approx(1 / -solution.fun, abs=1e-9)


def test_shares_beside_percent_are_refused(refused) -> None:
    with refused(
        "metric 'accuracy' is up to 0.6 in the tested table and up to 90 in the reference one; "
        "one is a share and the other percent, multiply the shares by 100"
    ):
        db.targets(
            BOARD.loc[["e"]],
            db.read(BOARD * 100, lower_is_better={"err": 100.0}),
            outputs=["accuracy", "err"],
        )
    with pytest.raises(DataError, match="one is a share and the other percent"):
        db.rank(BOARD * 100, outputs=["accuracy"], reference=BOARD)


def test_signs_of_scikit_learn_are_undone() -> None:
    table = pd.DataFrame(
        {
            "recall": [0.9, 0.8, 0.7],
            "neg_FPR": [-0.1, -0.05, -0.3],
            "neg_log_loss": [-0.3, -0.5, -0.9],
        },
        index=list("abc"),
    )
    ranking = db.rank(table)
    np.testing.assert_allclose(ranking.actual[table.columns], table)
    np.testing.assert_allclose(ranking.data.outputs["neg_FPR"], 1 + table["neg_FPR"])
    np.testing.assert_allclose(ranking.data.inputs["neg_log_loss"], -table["neg_log_loss"])
    assert not ranking.efficient["c"]
    assert ranking.projections.loc["c", "neg_log_loss"] >= table.loc["c", "neg_log_loss"]


def test_free_systems_and_negative_costs_are_ranked_where_that_is_defined(refused) -> None:
    table = pd.DataFrame(
        {"accuracy": [0.9, 0.85, 0.2, 0.7], "x": [3.0, 2, 0, 2]}, index=list("abcd")
    )
    first = db.rank(table, outputs=["accuracy"], inputs=["x"])
    moved = db.rank(table.assign(x=table["x"] - 2), outputs=["accuracy"], inputs=["x"])
    np.testing.assert_allclose(first.scores, moved.scores)
    np.testing.assert_allclose(moved.actual["x"], table["x"] - 2)
    assert any("counted from -2" in note for note in moved.notes)
    with refused("every input of 'c' is 0; its efficiency is undefined, leave the row out"):
        db.rank(table, outputs=["accuracy"], inputs=["x"], model="ccr")
    with refused(
        "metric 'x' of 'c' is -2; this model needs values >= 0; model='rdm', model='ram' and "
        "model='additive' take any value, or pass missing_code=-2 if that stands for an empty cell"
    ):
        db.rank(table.assign(x=table["x"] - 2), outputs=["accuracy"], inputs=["x"], model="ccr")


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"model": "score"},
        {"inputs": ["x"]},
        {"inputs": ["x"], "model": "ccr"},
        {"model": "fdh"},
        {"inputs": ["x"], "model": "wei"},
        {"model": "super"},
        {"inputs": ["x"], "model": "super"},
    ],
)
def test_a_dmu_without_any_output_gets_nan_and_the_others_stand(settings) -> None:
    table = pd.DataFrame(
        {"TPR": [0.9, 0.85, 0.0, 0.7], "TNR": [0.1, 0.2, 0.0, 0.5], "x": [3.0, 2, 1, 2]},
        index=list("abcd"),
    )
    ranking = db.rank(table, outputs=["TPR", "TNR"], **settings)
    assert np.isnan(ranking.scores["c"])
    assert ranking.reasons["c"] == "every output of it is 0, and no factor makes more of nothing"
    assert ranking.scores.drop("c").notna().all()
    if not settings.get("inputs"):
        np.testing.assert_allclose(
            ranking.scores.drop("c"),
            db.rank(table.drop("c"), outputs=["TPR", "TNR"], **settings).scores,
        )
    db.certify(ranking)


def test_super_efficiency_keeps_a_dmu_without_outputs_in_the_reference() -> None:
    from scipy.optimize import linprog

    table = pd.DataFrame(
        {"TPR": [0.9, 0.85, 0.0, 0.7, 0.3], "x": [3.0, 2, 1, 2, 1.5]}, index=list("abcde")
    )
    ranking = db.rank(table, outputs=["TPR"], inputs=["x"], model="super", returns="vrs")
    y, x = table["TPR"].to_numpy(), table["x"].to_numpy()
    for k, label in enumerate(table.index):
        other_rows = np.arange(5) != k
        solution = linprog(
            np.append(-1.0, np.zeros(4)),
            A_ub=[np.append(y[k], -y[other_rows]), np.append(0.0, x[other_rows])],
            b_ub=[0.0, x[k]],
            A_eq=[np.append(0.0, np.ones(4))],
            b_eq=[1.0],
            bounds=[(None, None)] + [(0, None)] * 4,
        )
        if label == "c":
            assert np.isnan(ranking.scores[label])
        else:
            assert ranking.scores[label] == pytest.approx(-1 / solution.fun, abs=1e-9)
    assert (
        ranking.peers.loc["e"].to_dict()["c"] > 0
    )  # only with the one that has nothing is there enough to go below e
    db.certify(ranking)


def test_integer_names_of_columns_are_names() -> None:
    assert db.rank(pd.DataFrame([[1, 2], [2, 1], [1.5, 1.5]])).scores.tolist() == [1.0, 1.0, 1.0]
    assert list(db.rank(pd.DataFrame([[1, 2], [2, 1], [1, 1.0]]), outputs=[0]).data.outputs) == [
        "0"
    ]


def test_all_bad_cells_are_named_at_once(refused) -> None:
    table = BOARD.astype(float).copy()
    table.iloc[0, 0] = table.iloc[1, 1] = np.nan
    table.iloc[2, 0] = np.inf
    table.iloc[3, 0] = -np.inf
    with refused(
        "metric 'accuracy' of 'a' is missing, metric 'err' of 'b' is missing, metric 'accuracy' "
        "of 'c' is inf and 1 more; give "
        "finite numbers, or say what to do with missing='drop-systems', 'drop-metrics' or 'bounds'"
    ):
        db.rank(table, outputs=["accuracy", "err"])
    with refused(
        "metric 'a' of 'p' is -1, metric 'b' of 'q' is -2; this model needs values >= 0; "
        "model='rdm', model='ram' and model='additive' take any value"
    ):
        db.rank(
            pd.DataFrame({"a": [-1.0, 1.0], "b": [1.0, -2.0]}, index=["p", "q"]), outputs=["a", "b"]
        )


def test_missing_cells_are_dropped_as_asked() -> None:
    table = BOARD.copy()
    table.loc["f", "accuracy"] = np.nan
    systems = db.rank(table, missing="drop-systems")
    assert "f" not in systems.scores.index
    assert "left out for a missing cell: 'f'" in systems.notes
    metrics = db.rank(table, missing="drop-metrics")
    assert list(metrics.data.outputs) == ["err"]
    assert "metrics left out for missing cells: 'accuracy'" in metrics.notes


def test_a_budget_ranks_those_that_keep_it(tmp_path, capsys, refused) -> None:
    best = db.best(BOARD, within={"latency_ms": 100}, outputs=["accuracy"])
    pd.testing.assert_series_equal(
        best.scores, db.rank(BOARD[BOARD["latency_ms"] <= 100], outputs=["accuracy"]).scores
    )
    assert "4 of 6 systems have 'latency_ms' at most 100; only they are ranked" in best.notes
    floor = db.best(BOARD, within={"accuracy": 0.8}, outputs=["accuracy"])
    assert set(floor.scores.index) == set("abc")
    with refused("no system has 'latency_ms' at most 1; widen the budget"):
        db.best(BOARD, within={"latency_ms": 1})
    BOARD.rename_axis("model").to_csv(tmp_path / "board.csv")
    assert (
        main(["rank", str(tmp_path / "board.csv"), "--within", "latency_ms=100", "--format", "csv"])
        == 0
    )
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 5
    assert "only they are ranked" in err


def test_without_mixtures_the_pareto_set_is_efficient() -> None:
    ranking = db.rank(BOARD, outputs=["accuracy"], inputs=["latency_ms"], model="fdh")
    y, x = BOARD["accuracy"].to_numpy(), BOARD["latency_ms"].to_numpy()
    pareto = [not (((y >= y[k]) & (x <= x[k])) & ((y > y[k]) | (x < x[k]))).any() for k in range(6)]
    assert ranking.efficient.tolist() == pareto


def test_a_column_that_is_no_metric_never_enters_by_itself() -> None:
    table = BOARD.assign(
        seed=[5.0, 4, 3, 2, 1, 9],
        std_accuracy=0.5,
        rank=[1, 2, 3, 4, 5, 6],
        flux=[0.1, 0.9, 0.4, 0.5, 0.2, 0.8],
    )
    assert {*db.rank(table).data.outputs, *db.rank(table).data.inputs} == {
        "accuracy",
        "err",
        "latency_ms",
    }


def test_bounds_of_missing_cells_hold_every_completion() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        rng.random((7, 3)).round(3), columns=["TPR", "TNR", "FPR"], index=list("abcdefg")
    )
    holes = [("a", "TPR"), ("a", "FPR"), ("d", "TNR")]
    completed = table.copy()
    for label, metric in holes:
        table.loc[label, metric] = np.nan
    ranking = db.rank(table, missing="bounds")
    assert (ranking.bounds["lower"] <= ranking.bounds["upper"] + 1e-12).all()
    reached = []
    for corner in [completed, *(completed.copy() for _ in range(30))]:
        if corner is not completed:
            for label, metric in holes:
                corner.loc[label, metric] = rng.choice([0.0, 1.0, rng.random()])
        scores = db.rank(corner).scores
        assert (scores >= ranking.bounds["lower"] - 1e-9).all()
        assert (scores <= ranking.bounds["upper"] + 1e-9).all()
        reached.append(scores)
    assert list(ranking.to_frame().columns) == ["efficiency", "rank", "efficient", "lower", "upper"]
    assert any("scores depend on empty cells" in note for note in ranking.notes)
    db.certify(ranking)


def test_a_cost_without_a_range_cannot_be_bounded(refused) -> None:
    table = BOARD.copy()
    table.loc["f", "latency_ms"] = np.nan
    with refused(
        "'latency_ms' has empty cells and no known range, so missing='bounds' cannot bound them; "
        "pass missing='drop-systems' or 'drop-metrics'"
    ):
        db.rank(table, missing="bounds")
