"""What single commands refuse, and rare forms of their answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from deabench.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
FILES = {
    "board.csv": "model,TPR,TNR\na,.9,.8\nb,.5,.9\nc,.4,.3\n",
    "preds.csv": "y_true,a,b\n" + "1,1,0\n0,0,0\n1,0,1\n0,1,0\n" * 5,
    "sets.csv": "set,a,b\n" + "".join(f"d{k},.{9 - k},.{8 - k}\n" for k in range(6)),
    "clusters.csv": "dataset,cluster,more\nd1,x,1\n",
    "features.csv": "y_true,x,z\n1,.5,u\n0,.1,v\n",
    "scores.csv": "y_true,x\n1,.5\n0,.1\n",
    "classes.csv": "y_true\n1\n0\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


LEARN = "--kind learning --learner GaussianNB"


@pytest.mark.parametrize(
    ("command", "status", "sentence"),
    [
        (
            "compare sets.csv --test mcnemar",
            1,
            "--test mcnemar is for predictions, and the file has no column y_true; leave it out",
        ),
        (
            "compare preds.csv --test wilcoxon",
            1,
            "--test wilcoxon is for tables of scores, and the file holds predictions; take "
            "mcnemar, delong, z, t or bayes",
        ),
        (
            "compare sets.csv --test bayes --rope 0.01 --plot cd.svg",
            1,
            "a critical-difference diagram shows tests, not posteriors; leave --plot or --test "
            "bayes out",
        ),
        (
            "compare sets.csv --clusters clusters.csv",
            1,
            "'clusters.csv' has 3 columns; give two, dataset and cluster",
        ),
        (
            f"curve board.csv {LEARN}",
            1,
            "there is no column 'y_true'; there are 'model', 'TPR', 'TNR'",
        ),
        (
            f"curve features.csv {LEARN}",
            1,
            "the feature 'z' is not a number in every row; encode or fill it",
        ),
        (
            f"curve classes.csv {LEARN}",
            1,
            "there is no feature beside 'y_true'; add columns of numbers",
        ),
        (
            "curve preds.csv --prevalence 0.1",
            1,
            "--prevalence is for --costs; give both, as --costs fn=5,fp=1 --prevalence 0.02",
        ),
        (
            "curve preds.csv --costs tp=5,fp=1",
            1,
            "--costs names 'tp'; a threshold takes fn and fp, as --costs fn=5,fp=1",
        ),
        (
            "rank board.csv --within TPR",
            2,
            "--within 'TPR' has no limit; type --within 'TPR=LIMIT'",
        ),
        (
            "rank board.csv --lower-is-better TPR,TNR=1",
            2,
            "--lower-is-better 'TPR' has no value, but other metrics have one; type TPR=input or "
            "TPR=MAXIMUM",
        ),
        (
            "curve scores.csv --kind learning --learner Zzzzz",
            1,
            "there is no classifier 'Zzzzz' in scikit-learn; type a name such as GaussianNB or "
            "LogisticRegression",
        ),
        ("gate preds.csv --candidate zz", 1, "there is no system 'zz'; there are 'a', 'b'"),
        ("docs rankng", 1, "there is no page 'rankng'; did you mean 'ranking'?"),
        (
            "models wie",
            1,
            "there is no model or formulation 'wie'; did you mean 'wei'?",
        ),
    ],
)
def test_refusals(command, status, sentence, folder, capsys) -> None:
    assert main(command.split()) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"deabench: {sentence}\n"


def test_a_saved_ranking_has_neither_samples_nor_a_picture(folder, capsys) -> None:
    assert main(["rank", "board.csv", "-o", "saved.csv"]) == 0
    for options, sentence in (
        (
            ["--uncertainty", "preds.csv"],
            "'saved.csv' is a saved ranking; give --uncertainty with the table that it was made of",
        ),
        (["--plot", "x.svg"], "'saved.csv' holds no metrics to draw; leave --plot out"),
    ):
        capsys.readouterr()
        assert main(["report", "saved.csv", *options]) == 1
        assert capsys.readouterr().err == f"deabench: {sentence}\n"


def test_columns_that_are_named_are_shown_as_declared(folder, capsys) -> None:
    assert main(["read", "board.csv", "--outputs", "TPR", "--inputs", "TNR"]) == 0
    out, err = capsys.readouterr()
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    assert rows["TPR"][:2] == ["output", "higher"]
    assert rows["TNR"][:2] == ["cost", "lower"]
    assert rows["TNR"][-3:] == rows["TPR"][-3:] == ["you", "say", "so"]
    assert err == (
        "the same with every option: deabench rank board.csv --label model --outputs TPR "
        "--inputs TNR\n"
    )


def test_formulations_have_names_of_their_own(capsys) -> None:
    assert main(["models", "russell_output"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("deabench_models.russell.russell_output(X: ")
    assert "max  (1/s) Σ_r φ_r " in text


def test_the_explanation_of_one_system_takes_the_place_of_the_findings(folder, capsys) -> None:
    assert main(["uncertainty", "preds.csv", "--explain", "a"]) == 0
    first, *others = capsys.readouterr().err.splitlines()
    assert first.startswith("'a' scores 1.000, between ")
    assert not others


@pytest.mark.parametrize("words", [["--test", "delong"], ["--scores"]])
def test_predictions_without_scores_have_no_test_of_scores(tmp_path, capsys, words) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("classifier,instance,y_true,y_pred\na,1,1,1\na,2,0,0\nb,1,1,0\nb,2,0,0\n")
    assert main(["compare", str(path), *words]) == 1
    assert capsys.readouterr().err.endswith(
        "there is no column 'score'; add it, or leave --scores and --test delong out\n"
    )
