"""`deabench compare` and `deabench size`: results on stdout, reasons on stderr."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compare_cases import BINARY, LABELS, SCORES, TRUTH, untied
from scipy import stats
from sklearn.metrics import roc_auc_score

from deabench import compare
from deabench.cli import main


@pytest.fixture
def file(tmp_path: Path) -> Path:
    untied(30, 4, 0.8).rename_axis("dataset").to_csv(tmp_path / "scores.csv")
    return tmp_path / "scores.csv"


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
    own_sets = long.groupby("classifier", sort=False, group_keys=False).apply(
        lambda rows: rows.iloc[
            {"poor": slice(0, 40), "fair": slice(40, 80), "good": slice(80, 120)}[rows.name]
        ].assign(classifier=rows.name)
    )
    own_sets.to_csv(tmp_path / "own.csv", index=False)
    return tmp_path


def rows(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, object]]:
    assert main(["compare", *map(str, arguments), "--format", "json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


WRONG = [
    (
        ("wide.csv", "--test", "wilcoxon"),
        "--test wilcoxon is for tables of scores, and the file holds predictions; "
        "take mcnemar, delong, z, t or bayes",
    ),
    (
        ("wide.csv", "--test", "z"),
        "the classifiers of a wide file share their instances, and the z test needs a test set for "
        "each; take --test mcnemar",
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


def test_command_writes_pairs_to_stdout_and_reasons_to_stderr(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(file), "--control", "c0", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    rows = json.loads(out)
    assert [row["second"] for row in rows] == ["c1", "c2", "c3"]
    assert rows[2]["better"] == "c3"
    assert "4 systems over 30 data sets: ranks assume no common scale of the scores\n" in err
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
            "cannot draw 'cd.xyz'; a picture's name ends in .png, .svg or .pdf",
        ),
        (
            ["--folds", "10", "--plot", "cd.png"],
            "a critical-difference diagram needs three or more systems over data sets",
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


def test_command_tests_predictions(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = compare.on_one_test_set(TRUTH, LABELS).pairs
    for name in ("wide.csv", "long.csv"):
        printed_pairs = pd.DataFrame(rows(capsys, files / name)).set_index(["first", "second"])
        for _, row in expected.iterrows():
            pair = (row["first"], row["second"])
            pair_index = pair if pair in printed_pairs.index else pair[::-1]
            assert printed_pairs.loc[pair_index, "p_value"] == pytest.approx(
                row["p_value"], rel=1e-12
            )
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
    printed_rows = rows(capsys, files / "scores.csv", "--test", "delong", "--positive", "1")
    assert [row["p_value"] for row in printed_rows] == pytest.approx(expected)
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
        np.random.default_rng(4).normal([0, 0, 2], size=(20, 3)),
        columns=list("abc"),
        index=[f"d{i}" for i in range(20)],
    )
    table.rename_axis("dataset").to_csv(tmp_path / "t.csv")
    for test in ("ranks", "wilcoxon", "permutation", "t"):
        printed_rows = rows(capsys, tmp_path / "t.csv", "--test", test, "--adjust", "holm")
        expected = compare.compare(table, test=test, adjust="holm").pairs  # type: ignore[arg-type]
        assert [row["adjusted"] for row in printed_rows] == pytest.approx(
            expected["adjusted"].tolist()
        )
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
    printed_rows = rows(capsys, tmp_path / "gap.csv", "--missing", "skillings-mack")
    assert printed_rows[0]["wins"] + printed_rows[0]["losses"] == 19  # type: ignore[operator]


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
    assert "instance '1' has the class 'pos' for 'a' and 'neg' for 'b'" in capsys.readouterr().err


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
    printed_rows = rows(capsys, file, "--test", "tost", "--margin", "0.02")
    for row, (first, second) in zip(
        printed_rows, (("a", "b"), ("a", "c"), ("b", "c")), strict=True
    ):
        result = compare.tost(table[first], table[second], margin=0.02)
        assert (float(row["p_value"]), float(row["lower"])) == pytest.approx(
            (result.p_value, result.lower), rel=1e-6
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
        captured = capsys.readouterr()
        assert (
            captured.out.splitlines()[1]
            .rsplit(",", 3 if arguments[0] == "auc" else 1)[0]
            .endswith(f",{size.n}")
        )
        assert size.summary().splitlines()[0] in captured.err
    assert main(["size", "tango", "--b", "0.1", "--c", "0.1"]) == 2
    assert "'tango' needs --margin" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("t.csv",), "rank difference"),
        (("t.csv", "--test", "wilcoxon"), "median difference"),
        (("t.csv", "--test", "permutation"), "mean difference"),
        (("t.csv", "--test", "t"), "mean difference"),
        (("t.csv", "--folds", "10"), "mean difference"),
        (("wide.csv",), "accuracy difference"),
        (("own.csv", "--test", "z"), "accuracy difference"),
        (("scores.csv", "--scores", "--positive", "1"), "AUC difference"),
    ],
)
def test_the_printed_difference_is_called_by_what_is_subtracted(
    arguments: tuple[str, ...],
    name: str,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sign is that of the first's figure minus the second's; a low mean rank is good."""
    monkeypatch.chdir(files)
    untied(20, 3, 0.8).rename_axis("dataset").to_csv("t.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(["compare", *arguments]) == 0
        out = capsys.readouterr().out
        pairs = pd.DataFrame(rows(capsys, *arguments))
    assert name in out
    better_is_first = pairs["better"] == pairs["first"]
    is_decided = pairs["better"] != ""
    assert is_decided.any()
    is_positive = pairs["difference"] > 0
    assert ((is_positive == better_is_first) == (name != "rank difference"))[is_decided].all()


def test_the_reason_for_a_test_of_areas_is_about_areas(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(files / "scores.csv"), "--scores", "--positive", "1"]) == 0
    err = capsys.readouterr().err
    assert "both get wrong" not in err
    assert (
        "3 classifiers on the same 120 instances: AUCs of the same instances depend on each other, "
        "which the test allows for\n"
    ) in err


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_scores_of_folds_are_compared_by_the_area_of_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The areas of each fold by scikit-learn, and of all instances in order."""
    rng = np.random.default_rng(0)
    rows = [
        (name, fold, y, round(0.5 * rng.random() + weight * y, 3))
        for name, weight in (("a", 0.3), ("b", 0.1))
        for fold in range(4)
        for y in [1, 0] * 8
    ]
    frame = pd.DataFrame(rows, columns=["classifier", "fold", "y_true", "score"])
    frame.to_csv(tmp_path / "folds.csv", index=False)
    command = ["compare", str(tmp_path / "folds.csv"), "--scores", "--format", "csv", "--test"]
    assert main([*command, "t"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    areas = [
        [roc_auc_score(part["y_true"], part["score"]) for _, part in rows.groupby("fold")]
        for _, rows in frame.groupby("classifier")
    ]
    assert float(row["difference"]) == pytest.approx(np.mean(areas[0]) - np.mean(areas[1]))
    assert main([*command, "delong"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    whole = [
        roc_auc_score(rows["y_true"], rows["score"]) for _, rows in frame.groupby("classifier")
    ]
    assert float(row["difference"]) == pytest.approx(whole[0] - whole[1])


def test_clusters_are_one_data_set_to_the_bayesian_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["glass0", "glass1", "iris0", "wine1", "ecoli1", "ecoli2", "yeast1"]
    scores = pd.DataFrame(
        {"a": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.6], "b": [0.8, 0.7, 0.9, 0.5, 0.4, 0.3, 0.5]},
        pd.Index(names, name="set"),
    )
    scores.to_csv(tmp_path / "sets.csv")
    means = scores.groupby(lambda name: name.rstrip("012")).mean()
    means.rename_axis("set").to_csv(tmp_path / "means.csv")
    clusters = pd.DataFrame({"dataset": names, "cluster": [name.rstrip("012") for name in names]})
    clusters.to_csv(tmp_path / "clusters.csv", index=False)
    options = ["--test", "bayes", "--rope", "0.01"]
    answers = []
    for words in (["sets.csv", "--clusters", str(tmp_path / "clusters.csv")], ["means.csv"]):
        assert main(["compare", str(tmp_path / words[0]), *words[1:], *options]) == 0
        answers.append(capsys.readouterr().out)
    # The means are in another order, which the test does not see but for its draws.
    values = [[float(word) for word in re.findall(r"0\.\d{4}", text)] for text in answers]
    assert values[0] == pytest.approx(values[1], abs=0.01)


def test_one_data_set_of_a_table_of_scores_is_refused(file, capsys) -> None:
    assert main(["compare", str(file), "--on-dataset", "d1"]) == 1
    message = capsys.readouterr().err
    assert "--on-dataset is for predictions on several data sets" in message
    assert "leave it out" in message


def write_results(tmp_path: Path, *, seeds: int, missing: str = "") -> Path:
    """Write a long table of three systems on ten tasks; one of these may have no accuracy."""
    tasks = ("mmlu", "arc", "gsm", "wiki", "boolq", "piqa", "race", "copa", "siqa", "rte")
    lines = []
    for k, system in enumerate(("ant", "bee", "cow")):
        for j, task in enumerate(tasks):
            for seed in range(seeds):
                accuracy = 0.5 + 0.1 * k + 0.01 * j + 0.001 * seed
                cell = "" if task == missing else f"{accuracy:.3f}"
                lines.append(f"{system},{task},{seed},{cell},0.5")
    path = tmp_path / "results.csv"
    path.write_text("\n".join(["model,task,seed,accuracy,recall", *lines]) + "\n")
    return path


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_seeds_that_are_averaged_are_named(tmp_path, capsys) -> None:
    path = write_results(tmp_path, seeds=3)
    assert main(["compare", str(path), "--metric", "accuracy"]) == 0
    assert "'seed': averaged within each data set" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_task_without_the_metric_is_left_out(tmp_path, capsys) -> None:
    path = write_results(tmp_path, seeds=1, missing="wiki")
    assert main(["compare", str(path), "--metric", "accuracy"]) == 0
    message = capsys.readouterr().err
    assert "left out, for no system has 'accuracy' there: 'wiki'" in message
    assert "3 systems over 9 data sets" in message
