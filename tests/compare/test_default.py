"""The test that `compare` chooses, why, and what it warns of; the command and the diagram."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from deabench import compare, datasets
from deabench.cli import main
from deabench.errors import DataError, DataWarning
from deabench.plot.critical_difference import CriticalDifferenceDisplay

DEMSAR = datasets.load("demsar2006-auc")
TIES = (
    "4 of 14 data sets have tied classifiers, which take 9.3 % of the rank variance: read the tie-corrected tests; "
    "the pairwise ones are conservative"
)


def untied(rows: int, k: int, step: float = 0.0, seed: int = 0) -> pd.DataFrame:
    values = np.random.default_rng(seed).normal(size=(rows, k)) + step * np.arange(k)
    return pd.DataFrame(values, columns=[f"c{j}" for j in range(k)])


def messages(caught: object) -> list[str]:
    return [str(w.message) for w in caught]  # type: ignore[attr-defined]


def test_many_over_data_sets() -> None:
    with pytest.warns(DataWarning) as caught:
        found = compare.compare(DEMSAR)
    assert messages(caught) == [TIES]
    assert found.test == (
        "Friedman with Iman-Davenport, then mean ranks of all pairs with Shaffer's static adjustment of "
        "6 p values"
    )
    assert found.reason.startswith("4 classifiers over 14 data sets: ranks assume no common scale")
    assert not found.pairs["different"].any()
    assert found.pairs["better"].tolist() == [""] * 6


def test_many_against_a_control() -> None:
    with pytest.warns(DataWarning):
        found = compare.compare(DEMSAR, control="C4.5")
    assert found.pairs["better"].tolist() == ["C4.5+m", "", "C4.5+m+cf"]
    assert found.test.endswith("mean ranks against 'C4.5' with Holm's adjustment of 3 p values")
    assert "Iman-Davenport F(3, 39) = 4.185, p = 0.01162" in found.summary()


def test_no_pair_differs_where_the_whole_does_not() -> None:
    found = compare.compare(untied(20, 4, seed=1))
    assert found.omnibus is not None
    assert found.omnibus.tests["p_value"].iloc[1] > 0.05
    assert not found.pairs["different"].any()
    assert (
        found.notes[1]
        == "the classifiers as a whole do not differ at 0.05, so no pair is called different"
    )


def test_few_data_sets_warn() -> None:
    with pytest.warns(DataWarning) as caught:
        compare.compare(untied(6, 3, 1.0))
    assert messages(caught) == ["6 data sets are few: only large differences are found"]


def test_two_over_data_sets() -> None:
    table = untied(12, 2, 3.0)
    found = compare.compare(table)
    assert found.test == "Wilcoxon signed-rank test (no zeros)"
    assert (
        found.reason
        == "2 classifiers over 12 data sets: the signed-rank test assumes no distribution of the scores"
    )
    assert found.pairs["p_value"].iloc[0] == compare.wilcoxon(table["c0"], table["c1"]).p_value
    assert found.pairs["better"].tolist() == ["c1"]
    assert compare.compare(table, control="c1").pairs[["first", "second"]].iloc[0].tolist() == [
        "c1",
        "c0",
    ]


def test_five_data_sets_can_never_reject() -> None:
    with pytest.warns(DataWarning) as caught:
        found = compare.compare(untied(5, 2, 9.0))
    assert messages(caught) == [
        "with 5 data sets the signed-rank test can never reject: its smallest p value is "
        "0.0625, not below alpha = 0.05; add data sets"
    ]
    assert found.pairs["p_value"].iloc[0] == 0.0625


def test_folds_of_one_data_set() -> None:
    table = untied(10, 3, 1.0, seed=3) / 10
    found = compare.compare(table, folds=10)
    assert (
        found.test
        == "corrected resampled t test (Nadeau-Bengio) of all pairs with Holm's adjustment of 3 p values"
    )
    one = compare.corrected_t(table["c0"], table["c1"], ratio=1 / 9)
    assert found.pairs["p_value"].iloc[0] == one.p_value
    assert found.omnibus is None
    assert len(compare.compare(table, folds=10, control="c2").pairs) == 2


def test_folds_far_from_normal_warn() -> None:
    x = np.r_[np.linspace(0, 0.01, 9), 1.0]
    with pytest.warns(DataWarning) as caught:
        compare.compare(pd.DataFrame({"a": x, "b": 0.0}), folds=10)
    text = "the differences of 'a' and 'b' over the folds are far from normal (Shapiro-Wilk"
    assert messages(caught)[0].startswith(text)
    assert messages(caught)[0].endswith("): the t test's p value is rough")


def test_rows_that_are_not_whole_repeats() -> None:
    with pytest.raises(DataError) as e:
        compare.compare(untied(12, 2), folds=10)
    assert (
        str(e.value)
        == "12 rows are not whole repeats of 10-fold cross-validation; give every fold a row"
    )


def test_long_tables() -> None:
    long = (
        DEMSAR.rename_axis("dataset")
        .reset_index()
        .melt("dataset", var_name="classifier", value_name="score")
    )
    pd.testing.assert_frame_equal(compare.from_long(long), DEMSAR, check_names=False)
    for frame, text in (
        (
            long.drop(columns="score"),
            "there is no column 'score' in the long table; it needs 'dataset', 'classifier' "
            "and 'score'",
        ),
        (
            pd.concat([long, long.iloc[:1]]),
            "'C4.5' has two scores on 'adult (sample)'; average them, or give each fold a name of its own",
        ),
        (long.iloc[1:], "'C4.5' has no score on 'adult (sample)'; give one, or leave the row out"),
    ):
        with pytest.raises(DataError) as e:
            compare.from_long(frame)
        assert str(e.value) == text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    untied(30, 4, 0.8).rename_axis("dataset").to_csv(tmp_path / "scores.csv")
    return tmp_path / "scores.csv"


def test_command_writes_pairs_to_stdout_and_reasons_to_stderr(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(file), "--control", "c0", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    rows = json.loads(out)
    assert [row["second"] for row in rows] == ["c1", "c2", "c3"]
    assert rows[2]["better"] == "c3"
    assert "4 classifiers over 30 data sets: ranks assume no common scale of the scores\n" in err
    assert "mean ranks: c3" in err


def test_command_shows_people_every_name_in_80_columns(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["compare", str(file), "--control", "c0"]) == 0
    out = capsys.readouterr().out
    for word in ("first", "second", "won/tied/lost", "adjusted", "better", "c1", "c2", "c3"):
        assert word in out


def test_command_turns_with_lower_is_better(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["compare", str(file), "--control", "c0", "--lower-is-better", "--format", "csv"]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0]
        == "first,second,wins,ties,losses,difference,statistic,p_value,adjusted,different,better"
    )
    assert lines[3].endswith("True,c0")


def test_command_reads_long_tables(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wide = pd.read_csv(file)
    long = file.with_name("long.csv")
    wide.melt("dataset", var_name="classifier", value_name="score").to_csv(long, index=False)
    assert main(["compare", str(file), "--format", "csv"]) == 0
    expected = capsys.readouterr().out
    assert main(["compare", str(long), "--long", "--format", "csv"]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["--control", "SVM"],
            "the control 'SVM' is not a column of the table; there are 'c0', 'c1', 'c2', 'c3'",
        ),
        (["--alpha", "2"], "alpha is 2.0; give a number between 0 and 1, both excluded, as 0.05"),
        (
            ["--plot", "cd.xyz"],
            "cannot write a figure as '.xyz'; name a file that ends in .png, .svg or .pdf",
        ),
        (
            ["--folds", "10", "--plot", "cd.png"],
            "a critical-difference diagram needs three or more classifiers over data sets",
        ),
    ],
)
def test_command_refuses_and_writes_nothing(
    file: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(file.parent)
    assert main(["compare", str(file), *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"deabench: {text}\n"
    assert [path.name for path in file.parent.iterdir()] == ["scores.csv"]


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_command_draws(file: Path, ending: str) -> None:
    picture = file.with_name(f"cd.{ending}")
    assert (
        main(["compare", str(file), "--plot", str(picture), "-o", str(file.with_name("pairs.csv"))])
        == 0
    )
    assert picture.read_bytes()[:5] == {"png": b"\x89PNG\r", "svg": b"<?xml"}[ending]
    assert len(pd.read_csv(file.with_name("pairs.csv"))) == 6


def test_bars_join_exactly_the_pairs_not_found_different() -> None:
    """Every bar's ends are a pair that is not different, and every such pair lies under one bar."""
    table = untied(30, 8, 0.25, seed=4)
    display = CriticalDifferenceDisplay.from_result(compare.compare(table)).plot()
    ranks = display.mean_ranks
    bars = [
        tuple(sorted({round(float(x), 9) for x in line.get_xdata()}))
        for bar in display.artists_["crossbars"]
        for line in np.atleast_1d(np.asarray(bar, dtype=object))
    ]
    spans = [(bar[0], bar[-1]) for bar in bars]
    assert 1 < len(spans) < 8
    for a in ranks.index:
        for b in ranks.index:
            low, high = sorted((round(float(ranks[a]), 9), round(float(ranks[b]), 9)))
            under_one = any(left <= low and high <= right for left, right in spans)
            assert a == b or under_one == (display.p_values.loc[a, b] >= 0.05)


def test_against_a_control_each_marker_says_its_verdict() -> None:
    display = CriticalDifferenceDisplay.from_table(DEMSAR, control="C4.5").plot()
    assert len(display.artists_["markers"]) == 4
    assert display.artists_["crossbars"] == []
    assert display.ax_.get_title() == (
        "Mean rank (1 = best) against C4.5 (filled); × differs, ○ not found different "
        "(α = 0.05, Holm)"
    )


def test_a_display_draws_into_axes_given_and_leaves_pyplot_alone() -> None:
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert CriticalDifferenceDisplay.from_table(DEMSAR).plot(ax).ax_ is ax
    assert pyplot.get_fignums() == []


def test_a_picture_of_an_undecided_table_has_one_bar() -> None:
    report = compare.compare(untied(20, 4, seed=1))
    display = CriticalDifferenceDisplay.from_result(report).plot()
    assert len(display.artists_["crossbars"]) == 1


def test_a_diagram_of_two_is_refused() -> None:
    with pytest.raises(DataError) as e:
        CriticalDifferenceDisplay.from_table(DEMSAR.iloc[:, :2])
    assert (
        str(e.value)
        == "a critical-difference diagram needs three or more classifiers over data sets"
    )
