"""Bootstraps of firms, and what they share with the stability radius."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

import deabench as db
from deabench.inference.dominance_games import solve_games
from deabench.inference.simar_wilson import firm_scores

ORACLES = Path(__file__).parents[1] / "oracles"
PLANTS = pd.read_csv(ORACLES / "12_simar_wilson_1998_electric_data.csv", index_col=0)
EXPECTED = pd.read_csv(ORACLES / "12_simar_wilson_1998_electric_expected.csv", index_col=0)
INPUTS = ["Labor", "Fuel", "Capital"]


STRANGERS = {
    "model": ["a", "b", "c", "d", "e"],
    "accuracy": [0.9, 0.8, 0.7, 0.85, 0.6],
    "error_rate": [0.1, 0.3, 0.2, 0.25, 0.4],
}


@pytest.mark.parametrize(
    "ask",
    [
        lambda source, **options: db.stability(source, **options),
        lambda source, **options: db.simar_wilson(source, draws=100, **options),
    ],
    ids=["stability", "firms"],
)
def test_stability_and_firms_accept_every_table_source(ask, tmp_path):
    """A reading, a file, a dict and a frame: the same numbers by the same names, and a rate to be
    low is complemented.
    """
    frame = pd.DataFrame(STRANGERS)
    frame.to_csv(tmp_path / "strangers.csv", index=False)
    expected = ask(
        pd.DataFrame(
            {"accuracy": STRANGERS["accuracy"], "right": 1 - frame["error_rate"]}
        ).set_axis(list("abcde")),
        outputs=["accuracy", "right"],
    ).to_frame()
    for source in (db.read(STRANGERS), tmp_path / "strangers.csv", STRANGERS, frame):
        answer = ask(source)
        pd.testing.assert_frame_equal(answer.to_frame(), expected, check_names=False)
        assert "lower is better in 'error_rate', complemented inside" in answer.notes


def test_gaps_in_a_table_are_treated_as_asked(refused):
    table = pd.DataFrame({"accuracy": [0.9, np.nan, 0.7, 0.85, 0.6, 0.8]}, index=list("abcdef"))
    assert list(db.stability(table, missing="drop-systems").radius.index) == list("acdef")
    assert len(db.simar_wilson(table, missing="drop-systems", draws=100).table) == 5
    with refused(
        "missing='bounds' bounds the scores of deabench.rank; pass missing='drop-systems' or "
        "'drop-metrics'"
    ):
        db.stability(table, missing="bounds")


def test_firms_scores_are_those_of_linprog():
    y, x = PLANTS[["Output"]].to_numpy(), PLANTS[INPUTS].to_numpy()
    np.testing.assert_allclose(firm_scores(y, x, y, x), EXPECTED["bcc_in"], rtol=1e-9)
    shrunk = x * np.linspace(0.9, 1.2, 19)[:, None]
    for o in range(0, 19, 4):
        rows = np.vstack([np.hstack([-x[[o]].T, shrunk.T]), np.hstack([[[0]], -y.T])])
        solution = linprog(
            np.eye(1, 20)[0], A_ub=rows, b_ub=[0, 0, 0, -y[o, 0]], A_eq=[[0] + [1] * 19], b_eq=[1]
        )
        assert firm_scores(y, x, y, shrunk)[o] == pytest.approx(solution.fun, rel=1e-9)


@pytest.mark.slow
def test_simar_and_wilson_1998():
    """The electric plants with h = .014 beside another program's 2,000 draws, to .005: the mean of
    eight runs of as many draws, for the far end of one run alone is off by .003.
    """
    runs = [
        db.simar_wilson(
            PLANTS, outputs=["Output"], inputs=INPUTS, bandwidth=0.014, draws=2000, seed=seed
        ).table
        for seed in range(8)
    ]
    mean_score = sum(runs) / len(runs)
    np.testing.assert_allclose(mean_score["corrected"], EXPECTED.iloc[:, 1], atol=0.005)
    np.testing.assert_allclose(mean_score["upper"], EXPECTED["ci_high_95"], atol=0.005)
    np.testing.assert_allclose(mean_score["lower"], EXPECTED["ci_low_95"], atol=0.005)
    assert (mean_score["corrected"] < mean_score["score"]).all()


def test_bootstrap_of_firms_is_a_result():
    """The frame, the file, the summary and the notes say what the bootstrap found."""
    bootstrap = db.simar_wilson(PLANTS, outputs=["Output"], inputs=INPUTS, draws=100)
    assert bootstrap.table["corrected"].tolist() == bootstrap.to_frame()["corrected"].tolist()
    assert bootstrap.to_csv().splitlines()[0] == "classifier,score,corrected,lower,upper"
    assert "leads with" in bootstrap.summary()
    assert "nothing is said of test instances" in bootstrap.notes[-1]


def test_subsampling_scales_by_the_rate():
    """n^0.7 of 40 firms, output-oriented without inputs: from the same draws once more."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.uniform(0.4, 1, (40, 2)), columns=["a", "b"])
    bootstrap = db.simar_wilson(table, method="subsample", draws=100, seed=5)
    y, m = table.to_numpy(), int(np.ceil(40**0.7))
    scores = db.rank(table).scores.to_numpy()
    repeated = np.random.default_rng(5)
    errors = []
    for _ in range(100):
        subsample = y[repeated.choice(40, m, replace=False)]
        errors.append(np.maximum(solve_games(subsample[None] / y[:, None]).value / scores - 1, 0))
    scaled = np.array(errors) * (m / 40) ** (2 / 3)
    np.testing.assert_allclose(
        bootstrap.table["corrected"], scores / (1 + scaled.mean(axis=0)), rtol=1e-8
    )
    np.testing.assert_allclose(
        bootstrap.table["lower"],
        scores / (1 + np.quantile(scaled, 0.975, axis=0, method="inverted_cdf")),
        rtol=1e-8,
    )


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: db.simar_wilson(PLANTS, outputs=["Output"], inputs=INPUTS, bandwidth=0),
            "bandwidth is 0; give a number > 0",
        ),
        (lambda: db.simar_wilson(PLANTS, draws=10), "draws is 10; an interval needs at least 100"),
        (
            lambda: db.simar_wilson(PLANTS.iloc[:3]),
            "there are 3 systems; a bootstrap of firms needs at least 4",
        ),
        (
            lambda: db.simar_wilson(
                PLANTS.assign(zero=[0.0] + [1] * 18), outputs=["Output", "zero"]
            ),
            "metric 'zero' of 'Coffeen' is 0; a bootstrap of firms needs numbers > 0",
        ),
        (
            lambda: db.stability(PLANTS.iloc[:1], outputs=["Output"]),
            "the table has one row; a stability radius compares, give at least two systems",
        ),
        (
            lambda: db.conformal_ranks(pd.DataFrame({"a": [1.0, None], "b": [1.0, 2]})),
            "the score of 'a' on '1' is missing; give every score or leave the data set out",
        ),
    ],
)
def test_what_is_refused(refused, make, text):
    with refused(text):
        make()
