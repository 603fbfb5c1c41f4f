"""`deabench curve`: tables on standard output, talk on standard error, pictures whole, bad files
refused.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from deabench import curves
from deabench.cli import main

KINDS = (
    "roc",
    "tango",
    "summary",
    "bands",
    "gain",
    "lift",
    "conversion",
    "pr",
    "cost",
)  # learning has its own


@pytest.fixture
def wide(six, tmp_path):
    path = tmp_path / "wide.csv"
    pd.DataFrame({"y_true": six[0], "net": six[1], "k-NN": np.round(six[1], 1)}).to_csv(
        path, index=False
    )
    return path


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def run(capsys, *arguments):
    code = main(["curve", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_table_is_the_segments_points(capsys, wide, six):
    code, out, err = run(capsys, wide, "--format", "csv")
    assert code == 0
    table = pd.read_csv(io.StringIO(out))
    assert table.columns[0] == "classifier"
    for name, score in (("net", six[1]), ("k-NN", np.round(six[1], 1))):
        computed = (
            table[table["classifier"] == name].drop(columns="classifier").reset_index(drop=True)
        )
        expected = curves.balanced_segment(six[0], score).points.reset_index(drop=True)
        pd.testing.assert_frame_equal(computed, expected, check_dtype=False, rtol=0, atol=1e-15)
    assert err.splitlines()[:2] == [
        "1 is the positive class by convention, 8 of 20 instances",
        "net: n = 20, AUC 0.9062, 7 confident points, SAUC 0.1146, AveD 0.0857; Youden's J "
        "0.7500 with positive where "
        "score >= 0.41, or equally where score > any value in [0.4, 0.41)",
    ]


def test_long_and_wide_files_say_the_same(capsys, wide, tmp_path):
    frame = pd.read_csv(wide)
    long = frame.melt("y_true", var_name="classifier", value_name="score")[
        ["classifier", "y_true", "score"]
    ]
    long.to_csv(tmp_path / "long.csv", index=False)
    assert (
        run(capsys, tmp_path / "long.csv", "--format", "csv")[1]
        == run(capsys, wide, "--format", "csv")[1]
    )


def test_standard_input_and_labels_of_text(capsys, six, monkeypatch):
    frame = pd.DataFrame({"net": six[1], "y_true": np.where(six[0], "ill", "well")})
    monkeypatch.setattr(sys, "stdin", io.StringIO(frame.to_csv(index=False)))
    code, out, err = run(capsys, "-", "--kind", "summary", "--format", "json", "--positive", "ill")
    assert code == 0
    (row,) = json.loads(out)
    assert (row["classifier"], row["n"], row["confident"], row["AUC"]) == ("net", 20, 7, 0.90625)
    assert err.startswith("'ill' is the positive class, as asked\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(frame.to_csv(index=False)))
    assert "'well' is the positive class, as asked\n" in run(capsys, "-", "--positive", "well")[2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_table_and_a_picture(capsys, wide, tmp_path, kind):
    picture, out = tmp_path / "figure.svg", tmp_path / "table.json"
    code, stderr, _ = run(capsys, wide, "--kind", kind, "--plot", picture, "-o", out)
    assert (code, stderr) == (0, "")
    assert picture.read_text().startswith("<?xml")
    assert {
        row["classifier"] for row in json.loads(out.read_text(), parse_constant=pytest.fail)
    } == {"net", "k-NN"}  # Infinity and NaN are not JSON
    code, shown, _ = run(capsys, wide, "--kind", kind)
    assert code == 0
    assert re.search(r"^ +k-NN ", shown, re.MULTILINE)


def test_alpha_and_above_are_used(capsys, wide, six):
    out = run(capsys, wide, "--kind", "summary", "--alpha", "0.2", "--format", "csv")[1]
    printed = pd.read_csv(io.StringIO(out), index_col=0)
    assert printed.loc["net", "confident"] == len(curves.balanced_segment(*six, 0.2).confident)
    out = run(capsys, wide, "--kind", "conversion", "--above", "0.3", "--format", "csv")[1]
    printed = pd.read_csv(io.StringIO(out)).query(
        "classifier == 'net' and group == 'predicted positive'"
    )
    assert printed["n"].item() == (six[1] > 0.3).sum()


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "y_true,a\n1,.2\n0,.1\n2,.3\n",
            (),
            "y_true holds 3 classes (0, 1, 2); take one against the rest (--positive CLASS "
            "--against-rest) or compare them all "
            "(deabench metrics --multiclass)",
        ),
        (
            "y_true,a\n1,.2\n1,.1\n",
            (),
            "y_true holds one class only (1); give instances of both classes",
        ),
        (
            "y_true,a\n1,.2\n,.1\n0,.1\n",
            (),
            "y_true is missing for instance 2; leave the instance out",
        ),
        (
            "a,y_true\n.2,1\n.1,\n.1,0\n",
            (),
            "y_true is missing for instance 2; leave the instance out",
        ),
        (
            "y_true,a\nill,.2\n,.1\nwell,.1\n",
            (),
            "y_true is missing for instance 2; leave the instance out",
        ),
        (
            "y_true,a\n1,.2\n0,\n0,.1\n",
            (),
            "the score of 'a' for instance 2 is missing; give a finite number",
        ),
        (
            "y_true,a\n1,.2\n0,high\n0,.1\n",
            (),
            "the score of 'a' for instance 2 is 'high'; give a finite number",
        ),
        (
            "y_true,a\n1,.2\n0,.3\n0,.1\n",
            ("--positive", "yes"),
            "there is no class 'yes' in y_true; its classes are 0, 1",
        ),
        (
            "y_true,a\nno,.2\nyes,.3\n",
            (),
            "y_true holds the classes 'no', 'yes' and a score speaks for one of them; name the "
            "positive class",
        ),
        (
            "y_true,a\n1,.2\n0,.3\n0,.1\n",
            ("--alpha", "0"),
            "alpha is 0; give a number between 0 and 1, as 0.05 for a 95 % interval",
        ),
        (
            "classifier,y_true,score\na,1,.2\na,0,.1\na,0,.4\na,0,.3\nb,1,.5\n",
            (),
            "classifier 'b': y_true holds no negative instance (1 is the positive class); give "
            "instances of both classes",
        ),
    ],
)
def test_bad_data_are_refused_and_nothing_is_written(capsys, tmp_path, text, arguments, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, out, err = run(
        capsys, path, *arguments, "--plot", tmp_path / "a.png", "-o", tmp_path / "a.csv"
    )
    assert (code, out, err) == (1, "", f"deabench: {message}\n")
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_without_labels_or_scores_is_refused(capsys, tmp_path):
    path = tmp_path / "bad.csv"
    assert run(capsys, path)[2].startswith(f"deabench: cannot read '{path}'")
    path.write_text("")
    assert (
        run(capsys, path)[2]
        == f"deabench: '{path}' is empty; give a header line and at least one row\n"
    )
    path.write_text("y_tru,a\n1,2\n")
    assert (
        run(capsys, path)[2]
        == f"deabench: there is no column 'y_true' in '{path}'; did you mean 'y_tru'?\n"
    )
    path.write_text("y_true\n1\n0\n")
    assert run(capsys, path)[2] == (
        f"deabench: '{path}' has no score; add a column of scores per classifier beside 'y_true'\n"
    )


def test_a_row_without_a_classifier_is_refused(capsys, tmp_path):
    path = tmp_path / "long.csv"
    for first, second in (("1", ""), ("a", "")):
        path.write_text(f"classifier,y_true,score\n{first},1,.2\n{second},0,.1\n{first},0,.3\n")
        assert (
            run(capsys, path)[2]
            == f"deabench: the classifier of row 2 of '{path}' is missing; name it\n"
        )
        path.write_text(f"y_true,classifier,score\n1,{first},.2\n0,{second},.1\n0,{first},.3\n")
        assert (
            run(capsys, path)[2]
            == f"deabench: the classifier of row 2 of '{path}' is missing; name it\n"
        )


def test_another_picture_format_is_refused_before_the_file_is_read(capsys, tmp_path):
    code, _, err = run(capsys, tmp_path / "none.csv", "--plot", "a.gif")
    assert (code, err) == (
        1,
        "deabench: cannot draw 'a.gif'; a picture's name ends in .png, .svg or .pdf\n",
    )


def test_wrong_usage_is_exit_2(capsys, wide):
    assert run(capsys, wide, "--kind", "nothing")[0] == 2


def test_the_help_says_what_it_takes(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for word in ("--kind", "--alpha", "--positive", "--plot", "summary"):
        assert word in out


def test_importing_the_curves_loads_no_heavy_library():
    heavy = ["sklearn", "matplotlib", "pyomo", "highspy", "statsmodels", "scipy.stats"]
    code = (
        f"import sys, deabench.curves, deabench.tango; print([m for m in {heavy} if m in "
        "sys.modules])"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert completed.stdout.strip() == "[]"


def test_simultaneous_bands(capsys, wide, six):
    out = run(capsys, wide, "--kind", "bands", "--band", "simultaneous", "--format", "csv")[1]
    band = pd.read_csv(io.StringIO(out)).query("classifier == 'net'")
    expected = curves.bands(curves.roc(*six), "simultaneous").at(np.linspace(0, 1, 101))
    np.testing.assert_allclose(band[["lower", "upper"]], expected[["lower", "upper"]], atol=1e-15)


def test_the_threshold_of_least_cost_is_said(capsys, wide, six):
    err = run(capsys, wide, "--kind", "cost", "--costs", "fn=5,fp=1", "--prevalence", "0.02")[2]
    best = curves.best_threshold(curves.roc(*six), "cost", cost_fn=5, cost_fp=1, prevalence=0.02)
    assert (
        f"net: {best.criterion}: {best.value:.4g} an instance, with {best.rule}" in err.splitlines()
    )
    assert run(capsys, wide, "--prevalence", "0.02")[2] == (
        "deabench: --prevalence is for --costs; give both, as --costs fn=5,fp=1 --prevalence 0.02\n"
    )
    assert run(capsys, wide, "--costs", "tp=5")[2] == (
        "deabench: --costs names 'tp'; a threshold takes fn and fp, as --costs fn=5,fp=1\n"
    )


def test_one_class_against_the_rest(capsys, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("y_true,a\nx,.9\ny,.1\nz,.2\nx,.3\n")
    code, out, err = run(
        capsys, path, "--positive", "x", "--against-rest", "--kind", "summary", "--format", "csv"
    )
    assert code == 0
    assert pd.read_csv(io.StringIO(out)).loc[0, "AUC"] == 1
    assert err.startswith("'x' is the positive class against the rest ('y', 'z')\n")


def test_a_learning_curve(capsys, normal, tmp_path):
    from sklearn.naive_bayes import GaussianNB

    y, s = normal
    path, picture = tmp_path / "data.csv", tmp_path / "curve.svg"
    frame = pd.DataFrame({"y_true": y, "x": s, "noise": np.arange(300) % 7})
    frame.to_csv(path, index=False)
    code, out, err = run(
        capsys, path, "--kind", "learning", "--start", "40", "--format", "csv", "--plot", picture
    )
    expected = curves.learning_curve(
        GaussianNB(),
        frame[["x", "noise"]].to_numpy(float),
        y,
        schedule=curves.geometric(40, 2.0, tolerance=None),
    ).means
    assert (code, err) == (0, "balanced accuracy, mean over five folds\n")
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(out), index_col=0), expected)
    assert picture.exists()
    assert run(capsys, path, "--kind", "learning", "--learner", "GaussianMB")[2] == (
        "deabench: there is no classifier 'GaussianMB' in scikit-learn; did you mean "
        "'GaussianNB'?\n"
    )
    assert run(capsys, path, "--kind", "learning", "--learner", "VotingClassifier")[2] == (
        "deabench: 'VotingClassifier' needs another estimator inside; name one that stands "
        "alone, as GaussianNB\n"
    )
    path.write_text("y_true,x\n1,a\n0,b\n")
    assert run(capsys, path, "--kind", "learning")[2] == (
        "deabench: the feature 'x' is not a number in every row; encode or fill it\n"
    )
