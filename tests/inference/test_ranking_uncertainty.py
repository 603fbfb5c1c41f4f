"""A ranking that says how sure it is."""

import json

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.cli import main

Y = np.repeat([1, 0], [200, 300])
RIGHT = {
    "a": 0.9,
    "b": 0.7,
    "c": 0.85,
    "d": 0.6,
    "e": 0.8,
    "f": 0.75,
    "g": 0.72,
    "h": 0.65,
    "i": 0.78,
}


@pytest.fixture
def predictions():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {name: np.where(rng.random(500) < share, Y, 1 - Y) for name, share in RIGHT.items()}
    )


@pytest.fixture
def samples(predictions):
    return db.Samples.from_predictions(Y, predictions, positive=1)


@pytest.fixture
def table(samples):
    return samples.values.round(3)


def test_rank_takes_samples(table, samples):
    ranking = db.rank(table, uncertainty=samples)
    separate = db.uncertainty(samples)
    frame = ranking.to_frame()
    assert list(frame.columns) == [
        "efficiency",
        "rank",
        "efficient",
        "lower",
        "upper",
        "verdict",
        "best_rank",
        "worst_rank",
        "tier",
    ]
    for name in ("lower", "upper", "verdict", "tier"):
        assert frame[name].sort_index().tolist() == separate.to_frame()[name].sort_index().tolist()
    assert frame["lower"].dtype == float
    assert separate.summary() in ranking.summary()
    assert ranking.explain("d").endswith(separate.explain("d"))
    assert db.certify(ranking) is not None


def test_the_order_of_the_table_does_not_matter(table, samples):
    ranking = db.rank(table.iloc[::-1], uncertainty=samples)
    same = db.rank(table, uncertainty=samples)
    assert (
        ranking.to_frame()["lower"].sort_index().tolist()
        == same.to_frame()["lower"].sort_index().tolist()
    )


def test_percent_and_samples_in_shares_are_the_same(table, samples):
    assert db.rank(100 * table, uncertainty=samples).uncertainty.verdicts["d"] == "dominated"


def test_other_samples_are_refused(table, samples, refused):
    with refused(
        "the samples do not hold 'x' of the table; there are 'a', 'b', 'c', 'd', 'e', 'f', 'g', "
        "'h', 'i'"
    ):
        db.rank(table.rename({"a": "x"}), uncertainty=samples)
    with refused(
        "the samples hold 'f', which is not in the table; leave it out: the frontier would be "
        "another"
    ):
        db.rank(table.drop("f"), uncertainty=samples)
    with refused("the samples do not hold metric 'tpr' of the table; did you mean 'TPR'?"):
        db.rank(table.rename(columns={"TPR": "tpr"}), uncertainty=samples)
    wrong = table.copy()
    wrong.loc["b", "TPR"] = 0.5
    with refused(
        f"metric 'TPR' of 'b' is 0.5 in the table and {samples.values.loc['b', 'TPR']:g} in the "
        "samples; "
        "give the samples that the table was made of"
    ):
        db.rank(wrong, uncertainty=samples)
    with refused(
        "model 'fdh' has no intervals; they are known without inputs, and with inputs for model "
        "'ccr' with returns 'vrs' "
        "or 'crs' and orientation 'output' or 'input'"
    ):
        db.rank(table, model="fdh", uncertainty=samples)
    with refused(
        "model 'wei' has no intervals with shares; they are known without inputs, and with "
        "inputs for model 'ccr' with "
        "returns 'vrs' or 'crs' and orientation 'output' or 'input'"
    ):
        db.rank(table, model=db.models.WEI(shares={"TPR": (0.4, 0.6)}), uncertainty=samples)


@pytest.mark.parametrize("returns", ["vrs", "crs"])
@pytest.mark.parametrize("orientation", ["output", "input"])
def test_inputs_take_the_rankings_own_returns_and_orientation(table, samples, returns, orientation):
    cost = pd.Series(range(1, 10), list("abcdefghi"), dtype=float)
    ranking = db.rank(
        table.assign(ms=cost),
        inputs=["ms"],
        model="ccr",
        returns=returns,
        orientation=orientation,
        uncertainty=samples.with_costs({"ms": cost}),
    )
    uncertainty = ranking.uncertainty
    assert uncertainty.scores.to_numpy() == pytest.approx(
        ranking.scores.to_numpy(), abs=2e-3
    )  # the table is rounded
    assert (uncertainty.problem.technology.returns, uncertainty.problem.technology.orientation) == (
        returns,
        orientation,
    )
    assert (
        f"{orientation}-oriented under {'variable' if returns == 'vrs' else 'constant'} returns "
        "to scale" in uncertainty.summary()
    )


@pytest.mark.slow
def test_the_command(table, predictions, tmp_path, capsys):
    table.to_csv(tmp_path / "table.csv")
    predictions.assign(y_true=Y).to_csv(tmp_path / "answers.csv", index=False)
    assert (
        main(
            [
                "rank",
                str(tmp_path / "table.csv"),
                "--uncertainty",
                str(tmp_path / "answers.csv"),
                "--positive",
                "1",
                "--format",
                "json",
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    first = json.loads(out)[0]
    assert (first["classifier"], first["tier"]) == ("a", 1)
    assert "all verdicts together at 95 %" in err
    assert (
        main(
            [
                "report",
                str(tmp_path / "table.csv"),
                "--uncertainty",
                str(tmp_path / "answers.csv"),
                "--positive",
                "1",
                "--out",
                str(tmp_path / "page.md"),
            ]
        )
        == 0
    )
    text = (tmp_path / "page.md").read_text()
    assert "| dominated |" in text
    capsys.readouterr()
    assert main(["report", "study.toml", "--uncertainty", str(tmp_path / "answers.csv")]) == 1
    assert (
        capsys.readouterr().err
        == "deabench: a study knows its own data sets; leave out --uncertainty\n"
    )


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_comma_in_a_metric_is_part_of_its_name(tmp_path, capsys) -> None:
    rng, name = np.random.default_rng(0), "recall, macro"
    rows = [
        {
            "classifier": classifier,
            "dataset": f"d{k}",
            name: base + rng.normal(0, 0.02),
            "TNR": 1.4 - base + rng.normal(0, 0.02),
        }
        for classifier, base in (("a", 0.8), ("b", 0.7), ("c", 0.6))
        for k in range(12)
    ]
    table, blocks = tmp_path / "table.csv", tmp_path / "blocks.csv"
    pd.DataFrame(rows).to_csv(blocks, index=False)
    pd.DataFrame(rows).groupby("classifier")[[name, "TNR"]].mean().to_csv(table)
    arguments = ["--outputs", "recall,, macro,TNR", "--uncertainty", str(blocks), "--format", "csv"]
    assert main(["rank", str(table), *arguments]) == 0
    assert "verdict,best_rank,worst_rank,tier" in capsys.readouterr().out.splitlines()[0]
