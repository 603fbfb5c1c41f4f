"""Tests on instances, as a library and from the command line."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from deabench import compare, tango
from deabench.cli import main
from deabench.errors import DataError, DataWarning
from deabench.metrics.roc_area import delong

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 3, 120)
LABELS = pd.DataFrame(
    {
        name: np.where(RNG.random(120) < share, TRUTH, RNG.integers(0, 3, 120))
        for name, share in (("poor", 0.2), ("fair", 0.5), ("good", 0.9))
    }
)
BINARY = (TRUTH > 0).astype(int)
SCORES = pd.DataFrame(
    {
        name: BINARY * gain + RNG.normal(size=120)
        for name, gain in (("low", 0.2), ("mid", 1.0), ("high", 3.0))
    }
)


def test_mcnemar_of_every_pair_on_three_classes() -> None:
    found = compare.on_one_test_set(TRUTH, LABELS)
    for _, row in found.pairs.iterrows():
        b, c = compare.discordant(TRUTH, LABELS[row["first"]], LABELS[row["second"]])
        assert (row["wins"], row["losses"]) == (b, c)
        assert row["p_value"] == compare.mcnemar(b, c, n=120).p_value
        assert (row["lower"], row["upper"]) == pytest.approx(tango.interval(b, c, 120), rel=1e-12)
    assert found.pairs["better"].tolist() == ["fair", "good", "good"]
    accuracy = (LABELS["good"] == TRUTH).mean()
    assert found.notes[0].startswith(f"accuracy: 'good' {accuracy:.4g}, ")


def test_delong_of_every_pair() -> None:
    found = compare.on_one_test_set(
        BINARY, SCORES, test="delong", positive=1, control="high", adjust="finner"
    )
    areas = delong(BINARY, SCORES, positive=1)
    for _, row in found.pairs.iterrows():
        one = areas.test(row["first"], row["second"])
        assert (row["difference"], row["statistic"], row["p_value"]) == pytest.approx(
            (one["difference"], one["z"], one["p"]), rel=1e-12
        )
        assert row["upper"] - row["difference"] == pytest.approx(1.959964 * one["se"], rel=1e-6)
    assert found.pairs["better"].tolist() == ["high", "high"]


def test_scores_that_rank_alike_do_not_differ() -> None:
    found = compare.on_one_test_set(
        BINARY, SCORES.assign(twin=np.exp(SCORES["mid"])), test="delong", positive=1
    )
    row = found.pairs.set_index(["first", "second"]).loc[("mid", "twin")]
    assert (row["p_value"], row["different"]) == (1.0, False)


def test_the_z_test_of_own_test_sets() -> None:
    truth = {"a": TRUTH[:50], "b": TRUTH[50:]}
    predicted = {"a": LABELS["good"].to_numpy()[:50], "b": LABELS["poor"].to_numpy()[50:]}
    with pytest.warns(DataWarning) as caught:
        found = compare.on_own_test_sets(truth, predicted)
    assert [str(w.message) for w in caught] == [
        "'a': fewer than 5 errors or hits, the z test's normal approximation is rough"
    ]
    errors = [(predicted[name] != truth[name]).mean() for name in "ab"]
    with pytest.warns(DataWarning):
        one = compare.two_error_rates(errors[0], 50, errors[1], 70)
    row = found.pairs.iloc[0]
    assert row["difference"] == pytest.approx(-one.difference)
    assert (row["lower"], row["upper"], row["p_value"]) == pytest.approx(
        (-one.upper, -one.lower, one.p_value)
    )
    assert row["better"] == "a"


REFUSED = [
    (
        lambda: compare.discordant([1, 0, 1, 0], ["1", "0", "1", "0"], [1, 0, 1, 0]),
        "'first' predicts the label '1' for instance 1; y_true has only 0, 1",
    ),
    (
        lambda: compare.discordant(["ill", "well"], ["Ill", "well"], ["ill", "ill"]),
        "'first' predicts the label 'Ill' for instance 1; y_true has only 'ill', 'well'",
    ),
    (
        lambda: compare.discordant([1, None], [1, 1], [1, 1]),
        "the label in y_true for instance 2 is missing; give a label",
    ),
    (
        lambda: compare.discordant([1, 0], [1, np.nan], [1, 1]),
        "the prediction of 'first' for instance 2 is missing; give a label",
    ),
    (
        lambda: compare.on_one_test_set(
            pd.Series([1, 0], list("ab")), {"x": pd.Series([0, 1], list("ba")), "y": [1, 0]}
        ),
        "the index of 'x' is not that of y_true (instance 1: 'b', not 'a'); reorder it with .loc, or give .to_numpy() where the rows "
        "are in one order",
    ),
    (
        lambda: compare.on_one_test_set([1, 0], {"x": [1, 0]}),
        "there is 1 classifier; give at least 2",
    ),
    (
        lambda: compare.on_one_test_set([1, 0], {"x": [1, 0], "y": [1]}),
        "'y' has 1 predictions and y_true has 2 instances; give one for each",
    ),
    (
        lambda: compare.on_own_test_sets({"x": [1, 0]}, {"y": [1, 0]}),
        "the classifiers of y_true and y_pred differ; give each its own labels and predictions, in one order",
    ),
    (
        lambda: compare.on_one_test_set(TRUTH, LABELS, test="macnemar"),
        "test 'macnemar' is not known; it is one of 'mcnemar', 'delong'",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The same predictions in every layout."""
    fold = np.arange(120) % 5
    wide = LABELS.assign(y_true=TRUTH, fold=fold)
    wide.to_csv(tmp_path / "wide.csv", index=False)
    long = LABELS.assign(instance=range(120), y_true=TRUTH).melt(
        ["instance", "y_true"], var_name="classifier", value_name="y_pred"
    )
    long.sample(frac=1, random_state=0).to_csv(tmp_path / "long.csv", index=False)
    SCORES.assign(y_true=BINARY, fold=fold).to_csv(tmp_path / "scores.csv", index=False)
    own = long.groupby("classifier", sort=False, group_keys=False).apply(
        lambda rows: rows.iloc[
            {"poor": slice(0, 40), "fair": slice(40, 80), "good": slice(80, 120)}[rows.name]
        ].assign(classifier=rows.name)
    )
    own.to_csv(tmp_path / "own.csv", index=False)
    return tmp_path


def rows(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, object]]:
    assert main(["compare", *map(str, arguments), "--format", "json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def test_command_tests_predictions(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = compare.on_one_test_set(TRUTH, LABELS).pairs
    for name in ("wide.csv", "long.csv"):
        found = pd.DataFrame(rows(capsys, files / name)).set_index(["first", "second"])
        for _, row in expected.iterrows():
            pair = (row["first"], row["second"])
            other = pair if pair in found.index else pair[::-1]
            assert found.loc[other, "p_value"] == pytest.approx(row["p_value"], rel=1e-12)
    assert main(["compare", str(files / "wide.csv")]) == 0
    assert capsys.readouterr().err.startswith("3 of the 3 pairs differ at 0.05: ")
    exact = rows(
        capsys, files / "wide.csv", "--method", "exact", "--adjust", "hommel", "--control", "fair"
    )
    assert [row["second"] for row in exact] == ["poor", "good"]


def test_command_tests_scores_own_sets_and_folds(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = (
        compare.on_one_test_set(BINARY, SCORES, test="delong", positive=1).pairs["p_value"].tolist()
    )
    found = rows(capsys, files / "scores.csv", "--test", "delong", "--positive", "1")
    assert [row["p_value"] for row in found] == pytest.approx(expected)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["compare", str(files / "own.csv"), "--test", "z"]) == 0
    assert "deabench: warning: 'good': fewer than 5 errors or hits" in capsys.readouterr().err
    table = pd.DataFrame({k: LABELS[k::5].eq(TRUTH[k::5], axis=0).mean() for k in range(5)}).T
    t = rows(capsys, files / "wide.csv", "--test", "t")
    assert [row["p_value"] for row in t] == pytest.approx(
        compare.compare(table, folds=5).pairs["p_value"].tolist()
    )
    bayes = rows(capsys, files / "wide.csv", "--test", "bayes", "--rope", "0.01")
    assert bayes[1]["second_better"] == pytest.approx(
        compare.bayesian(table, rope=0.01, folds=5).pairs["second_better"].iloc[1]
    )


def test_command_tests_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame(
        RNG.normal([0, 0, 2], size=(20, 3)), columns=list("abc"), index=[f"d{i}" for i in range(20)]
    )
    table.rename_axis("dataset").to_csv(tmp_path / "t.csv")
    for test in ("ranks", "wilcoxon", "permutation", "t"):
        found = rows(capsys, tmp_path / "t.csv", "--test", test, "--adjust", "holm")
        expected = compare.compare(table, test=test, adjust="holm").pairs  # type: ignore[arg-type]
        assert [row["adjusted"] for row in found] == pytest.approx(expected["adjusted"].tolist())
    bayes = rows(capsys, tmp_path / "t.csv", "--test", "bayes", "--rope", "0.1")
    assert bayes[1]["verdict"] == "c"
    (tmp_path / "files.csv").write_text(
        "dataset,cluster\n" + "".join(f"d{i},f{i % 15}\n" for i in range(20))
    )
    assert (
        main(["compare", str(tmp_path / "t.csv"), "--clusters", str(tmp_path / "files.csv")]) == 0
    )
    assert "20 data sets count as 15 clusters, each with its mean scores" in capsys.readouterr().err
    table.iloc[0, 0] = np.nan
    table.rename_axis("dataset").to_csv(tmp_path / "gap.csv")
    found = rows(capsys, tmp_path / "gap.csv", "--missing", "skillings-mack")
    assert found[0]["wins"] + found[0]["losses"] == 19  # type: ignore[operator]


WRONG = [
    (
        ("wide.csv", "--test", "wilcoxon"),
        "--test wilcoxon is for tables of scores, and the file holds predictions; "
        "take mcnemar, delong, z, t or bayes",
    ),
    (
        ("wide.csv", "--test", "z"),
        "the classifiers of a wide file share their instances, and the z test wants test sets of their "
        "own; take --test mcnemar",
    ),
    (("long.csv", "--test", "z"), None),
    (
        ("long.csv", "--test", "t"),
        "there is no column 'fold'; the t and Bayesian tests of predictions compare folds",
    ),
    (
        ("wide.csv", "--test", "bayes"),
        "the Bayesian tests need a region of practical equivalence; give --rope, as --rope 0.01",
    ),
    (("own.csv",), None),
    (
        ("scores.csv", "--scores", "--test", "mcnemar"),
        "--test mcnemar is for labels, and the predictions are scores; take delong, "
        "or leave --scores out",
    ),
]


@pytest.mark.parametrize(("arguments", "text"), WRONG)
def test_command_refuses(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], text: str | None
) -> None:
    assert main(["compare", str(files / arguments[0]), *arguments[1:]]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    if text is None:
        assert err.endswith(
            ("take --test mcnemar\n", "(for test sets of their own take --test z)\n")
        )
    else:
        assert err == f"deabench: {text}\n"


def test_an_instance_has_one_true_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.csv").write_text(
        "classifier,instance,y_true,y_pred\na,1,pos,pos\na,2,neg,neg\nb,1,neg,neg\nb,2,neg,pos\n"
    )
    assert main(["compare", str(tmp_path / "p.csv")]) == 1
    assert capsys.readouterr().err == (
        "deabench: instance '1' has the true classes 'pos' and 'neg'; the classifiers are compared on the same instances (for test "
        "sets of their own take --test z)\n"
    )


def test_equivalence_variance_and_sizes_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each number is the function's own."""
    rng = np.random.default_rng(3)
    base = 0.75 + 0.05 * stats.norm.ppf(
        (np.arange(12) + 0.5) / 12
    )  # normal, so that the analysis of variance warns of nothing
    table = pd.DataFrame(
        {"a": base, "b": base + rng.normal(0, 0.004, 12), "c": base - 0.1 + rng.normal(0, 0.01, 12)}
    )
    file = tmp_path / "scores.csv"
    table.rename_axis("dataset").to_csv(file)
    found = rows(capsys, file, "--test", "tost", "--margin", "0.02")
    for row, (first, second) in zip(found, (("a", "b"), ("a", "c"), ("b", "c")), strict=True):
        one = compare.tost(table[first], table[second], margin=0.02)
        assert (float(row["p_value"]), float(row["lower"])) == pytest.approx(
            (one.p_value, one.lower), rel=1e-6
        )
        assert row["equivalent"] == ({first, second} == {"a", "b"})
    by_fold = rows(
        capsys, file, "--test", "tost", "--margin", "0.02", "--folds", "4", "--control", "a"
    )
    assert float(by_fold[0]["p_value"]) == pytest.approx(
        compare.tost(table["a"], table["b"], margin=0.02, ratio=1 / 3).p_value
    )
    groups = rows(capsys, file, "--test", "anova")
    p_value = next(
        value
        for row in groups
        for name, value in row.items()
        if name.startswith("p") and value is not None
    )
    assert float(str(p_value)) == pytest.approx(
        stats.f_oneway(*table.to_numpy().T).pvalue, rel=1e-6
    )
    assert main(["compare", str(file), "--test", "tost"]) == 1
    assert "give --margin, as --margin 0.01" in capsys.readouterr().err
    assert main(["compare", str(file), "--test", "anova", "--clusters", "keel"]) == 1
    assert (
        "--clusters does not go with tests of equivalence and of variance; leave it out"
        in capsys.readouterr().err
    )
    for arguments, size in (
        (["mcnemar", "--b", "0.06", "--c", "0.03"], compare.sample_size_mcnemar(0.06, 0.03)),
        (
            ["tango", "--b", ".05", "--c", ".05", "--margin", ".05"],
            compare.sample_size_tango(0.05, 0.05, margin=0.05),
        ),
        (["auc", "--auc", "0.8", "--against", "0.7"], compare.sample_size_auc(0.8, against=0.7)),
    ):
        assert main(["size", *arguments, "--format", "csv"]) == 0
        said = capsys.readouterr()
        assert (
            said.out.splitlines()[1]
            .rsplit(",", 3 if arguments[0] == "auc" else 1)[0]
            .endswith(f",{size.n}")
        )
        assert size.summary().splitlines()[0] in said.err
    assert main(["size", "tango", "--b", "0.1", "--c", "0.1"]) == 2
    assert "'tango' needs --margin" in capsys.readouterr().err
