"""`deabench metrics`: the three layouts, the choices, what is said, what is refused."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from deabench import metrics as m
from deabench.cli import main
from deabench.tables.readers.delimited import read_labelled_csv

COUNTS = "classifier,tp,fn,fp,tn,note\na,6,2,3,9,x\nb,0,8,0,12,y\n"
WIDE = "y_true,a,b\nill,ill,well\nill,well,ill\nwell,well,ill\nwell,well,well\nwell,ill,well\n"
LONG = "classifier,y_true,y_pred\na,1,1\na,1,0\na,0,0\nb,1,1\nb,1,1\nb,0,1\n"
SCORES = "y_true,a\n1,0.9\n1,0.4\n0,0.5\n0,0.2\n0,0.1\n"


@pytest.fixture
def run(tmp_path, capsys):
    def call(text, *options):
        (tmp_path / "in.csv").write_text(text, encoding="utf-8")
        code = main(["metrics", str(tmp_path / "in.csv"), *options])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_counts(run):
    code, out, err = run(COUNTS, "--metrics", "TPR,PPV", "--format", "csv")
    assert (code, out) == (0, "classifier,TPR,PPV\na,0.75,0.6666666666666666\nb,0.0,\n")
    assert err == "PPV of 'b' is undefined: nothing is labelled positive (tp + fp = 0)\n"


def test_default_columns_are_all_to_be_high(run):
    _, out, _ = run(COUNTS, "--format", "csv")
    columns = out.splitlines()[0].split(",")[1:]
    assert columns == ["TPR", "TNR", "balanced_accuracy", "G-mean", "F1", "accuracy"]
    assert {m.DIRECTION[name] for name in columns} == {"higher"}
    _, out, _ = run(COUNTS, "--metrics", "all", "--beta", "2", "--format", "csv")
    assert len(out.splitlines()[0].split(",")) == 1 + len(m.METRICS)
    assert ",F2," in out


def test_folds(run):
    folds = "classifier,fold,tp,fn,fp,tn\na,1,1,1,0,10\na,2,3,1,4,6\n"
    _, out, err = run(folds, "--metrics", "PPV", "--format", "csv")
    assert out == "classifier,PPV\na,0.5\n"
    assert err == "pooled: the counts of the folds are added, then each metric is computed once\n"
    _, out, err = run(folds, "--metrics", "PPV", "--folds", "averaged", "--format", "csv")
    assert float(out.splitlines()[1].split(",")[1]) == pytest.approx((1 + 3 / 7) / 2)
    assert err == "averaged: each metric is computed per fold, then its mean is taken\n"


@pytest.mark.filterwarnings("always::deabench.errors.DataWarning")
def test_the_minority_is_taken_with_a_warning(run):
    code, out, err = run(WIDE, "--metrics", "TPR,TNR", "--format", "csv")
    assert code == 0
    assert out == run(WIDE, "--metrics", "TPR,TNR", "--positive", "ill", "--format", "csv")[1]
    assert err == (
        "deabench: warning: 'ill' is the positive class: the minority, 2 of 5 instances; name "
        "the positive class "
        "if it is another\n"
    )


def test_wide_and_long_labels(run):
    code, out, err = run(WIDE, "--metrics", "TPR,TNR", "--positive", "ill", "--format", "json")
    assert code == 0
    assert json.loads(out) == [
        {"classifier": "a", "TPR": 0.5, "TNR": pytest.approx(2 / 3)},
        {"classifier": "b", "TPR": 0.5, "TNR": pytest.approx(2 / 3)},
    ]
    assert err == ""
    code, out, err = run(LONG, "--metrics", "TPR,TNR", "--positive", "1", "--format", "csv")
    assert (code, out, err) == (0, "classifier,TPR,TNR\na,0.5,1.0\nb,1.0,0.0\n", "")
    with_folds = "fold,instance," + WIDE.replace("\n", "\n1,1,").removesuffix("1,1,")
    ill = ["--positive", "ill", "--format", "csv"]
    assert run(with_folds, *ill)[1] == run(WIDE, *ill)[1]


def test_wide_folds_averaged(run):
    text = "fold,y_true,a\n1,1,1\n1,0,0\n2,1,0\n2,1,1\n2,0,0\n"
    _, out, err = run(
        text, "--positive", "1", "--folds", "averaged", "--metrics", "TPR", "--format", "csv"
    )
    assert out == "classifier,TPR\na,0.75\n"
    assert err == "averaged: each metric is computed per fold, then its mean is taken\n"


def test_scores_wide_and_long(run):
    code, out, err = run(SCORES, "--scores", "--format", "csv")
    assert code == 0
    assert out.splitlines()[0] == "classifier,roc_auc,pr_auc,KS"
    assert float(out.splitlines()[1].split(",")[1]) == pytest.approx(5 / 6)
    _, out, err = run(SCORES, "--threshold", "0.5", "--metrics", "TPR,roc_auc", "--format", "csv")
    assert out.startswith("classifier,TPR,roc_auc\na,0.5,0.8333333")
    assert err.splitlines() == [
        "1 is the positive class by convention, 2 of 5 instances",
        "positive where score >= threshold",
    ]
    long = (
        "classifier,y_true,score\n"
        + "\n".join(f"a,{line}" for line in SCORES.splitlines()[1:])
        + "\n"
    )
    assert (
        run(long, "--metrics", "roc_auc", "--format", "csv")[1]
        == run(SCORES, "--scores", "--metrics", "roc_auc", "--format", "csv")[1]
    )


def test_costs(run):
    lecture = "classifier,tp,fn,fp,tn\nM1,150,40,60,250\nM2,250,45,5,200\n"
    _, out, _ = run(
        lecture, "--metrics", "total_cost", "--costs", "tp=-1,fn=100,fp=1", "--format", "csv"
    )
    assert out == "classifier,total_cost\nM1,3910.0\nM2,4255.0\n"


def test_the_table_is_what_rank_reads(run, tmp_path):
    code, out, _ = run(WIDE, "--positive", "ill", "-o", str(tmp_path / "table.csv"))
    assert (code, out) == (0, "")
    table = read_labelled_csv(tmp_path / "table.csv")
    assert table.index.tolist() == ["a", "b"]
    assert table.index.name == "classifier"
    assert table.map(lambda value: 0 <= value <= 1).all(axis=None)


def test_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(COUNTS))
    assert main(["metrics", "-", "--metrics", "TPR", "--format", "csv"]) == 0
    assert capsys.readouterr().out == "classifier,TPR\na,0.75\nb,0.0\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            COUNTS.replace("6", "-6"),
            [],
            "the count 'tp' of 'a' is -6; counts are whole numbers >= 0",
        ),
        (
            COUNTS.replace("6", "6.5"),
            [],
            "the count 'tp' of 'a' is 6.5; counts are whole numbers >= 0",
        ),
        (
            COUNTS.replace("6", ""),
            [],
            "the count 'tp' of 'a' is missing; counts are whole numbers >= 0",
        ),
        (
            "tp,fn,fp,tn\n1,2,3,4\n",
            [],
            "the counts have no column 'classifier'; add one with the classifiers' names",
        ),
        (
            WIDE + "sick,ill,ill\n",
            [],
            "y_true holds 3 classes ('ill', 'sick', 'well'); take one against the rest "
            "(--positive CLASS --against-rest) or "
            "compare them all (deabench metrics --multiclass)",
        ),
        (
            "y_true,a\n1,1\n1,0\n",
            [],
            "y_true holds one class only (1); give instances of both classes",
        ),
        (
            "a,y_true\nx,x\ny,\ny,y\n",
            [],
            "y_true is missing for instance 2; leave the instance out",
        ),
        (
            WIDE,
            ["--positive", "dead"],
            "there is no class 'dead' in y_true; its classes are 'ill', 'well'",
        ),
        (
            SCORES.replace("0.4", ""),
            ["--scores"],
            "the score of 'a' for instance 2 is missing; give a finite number",
        ),
        (SCORES, [], "'a' predicts the label 0.9 for instance 1; y_true knows only 0, 1"),
        (
            "x,y\n1,2\n",
            [],
            "'FILE' has the columns 'x', 'y'; give counts (classifier,tp,fn,fp,tn), a long table "
            "(classifier,y_true and y_pred or score) or a wide one (y_true and a column per "
            "classifier); deabench rank ranks a table that has metrics already",
        ),
        (
            "classifier,y_true\na,1\n",
            [],
            "'FILE' has the columns classifier and y_true only; add y_pred or score",
        ),
        (
            LONG,
            ["--scores"],
            "'FILE' has no column 'score'; leave --scores and --threshold out, or add it",
        ),
        (
            WIDE,
            ["--folds", "averaged"],
            "there is no column 'fold' to average over; add it, or leave --folds averaged out",
        ),
        (
            WIDE,
            ["--positive", "ill", "--metrics", "TRP"],
            "there is no metric 'TRP'; did you mean 'TPR'?",
        ),
        (COUNTS, ["--costs", "fn:3"], "the costs are 'fn:3'; give them as fn=100,fp=1"),
        (COUNTS, ["--costs", "f=3"], "costs names the cell 'f'; the cells are tp, fn, fp and tn"),
        (
            "y_true\n1\n0\n",
            [],
            "there is no classifier; give {name: predictions} with at least one name",
        ),
    ],
)
def test_refused_in_one_sentence_and_nothing_written(run, tmp_path, text, options, message):
    code, out, err = run(text, *options, "-o", str(tmp_path / "out.csv"))
    assert (code, out) == (1, "")
    assert err == f"deabench: {message}\n".replace("FILE", str(tmp_path / "in.csv"))
    assert not (tmp_path / "out.csv").exists()


def test_a_missing_file_is_named(capsys, tmp_path):
    path = tmp_path / "none.csv"
    assert main(["metrics", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"deabench: cannot read '{path}'")


def test_metrics_and_curve_name_one_positive_class(capsys, tmp_path):
    """Whatever the labels: a file's class is the same thing to both commands, and so is what is
    refused.
    """
    path = tmp_path / "in.csv"
    for labels, options, expected_note in (
        ("1,0,0", [], "1 is the positive class by convention, 1 of 3 instances"),
        ("1.5,0,0", ["--positive", "0"], "0.0 is the positive class, as asked"),
        ("1,0", [], "1 is the positive class by convention, 1 of 2 instances"),
        ("-1,1", [], "1 is the positive class by convention, 1 of 2 instances"),
        (
            "no,yes",
            [],
            "deabench: y_true holds the classes 'no', 'yes' and a score speaks for one of them; "
            "name the "
            "positive class",
        ),
        ("1,,0", [], "deabench: y_true is missing for instance 2; leave the instance out"),
        (
            "1,0,0",
            ["--positive", "2"],
            "deabench: there is no class '2' in y_true; its classes are 0, 1",
        ),
    ):
        path.write_text(
            "y_true,a\n" + "".join(f"{label},{k}\n" for k, label in enumerate(labels.split(",")))
        )
        assert main(["curve", str(path), *options]) == expected_note.startswith("deabench:")
        assert capsys.readouterr().err.splitlines()[0] == expected_note
        metrics = ["metrics", str(path), "--scores", "--metrics", "KS", *options]
        assert main(metrics) == expected_note.startswith("deabench:")
        assert capsys.readouterr().err.splitlines()[:1] == (
            [] if expected_note.endswith("as asked") else [expected_note]
        )


def test_help_names_the_layouts(capsys):
    assert main(["metrics", "--help"]) == 0
    stdout = capsys.readouterr().out
    for layout in (
        "classifier,tp,fn,fp,tn",
        "classifier,y_true",
        "y_true and a column per classifier",
        "--threshold",
    ):
        assert layout in stdout
    assert main(["metrics"]) == 2


def test_a_frame_and_a_file_agree(run):
    frame = pd.read_csv(io.StringIO(WIDE))
    computed = m.from_predictions(
        frame["y_true"], frame[["a", "b"]], positive="ill", metrics=["TPR", "MCC"]
    )
    _, out, _ = run(WIDE, "--positive", "ill", "--metrics", "TPR,MCC", "--format", "csv")
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(out), index_col=0), computed)


def _csv(out):
    return pd.read_csv(io.StringIO(out))


def test_intervals_of_labels_scores_and_counts(run):
    _, out, err = run(
        WIDE, "--positive", "ill", "--intervals", "--metrics", "TPR,accuracy", "--format", "csv"
    )
    frame = pd.read_csv(io.StringIO(WIDE))
    computed = m.intervals(
        frame["y_true"], frame[["a", "b"]], positive="ill", metrics=["TPR", "accuracy"]
    )
    pd.testing.assert_frame_equal(_csv(out), computed.table.reset_index())
    assert err.splitlines() == list(computed.notes)
    _, out, _ = run(SCORES, "--scores", "--intervals", "--format", "csv")
    assert _csv(out)["metric"].tolist() == ["roc_auc", "pr_auc"]
    _, out, _ = run(
        COUNTS, "--intervals", "--metrics", "TPR", "--design", "classes", "--format", "csv"
    )
    counts = pd.read_csv(io.StringIO(COUNTS), index_col=0)[["tp", "fn", "fp", "tn"]]
    table = m.bootstrap_counts(counts, metrics=["TPR"], design="classes").drop(columns="undefined")
    pd.testing.assert_frame_equal(_csv(out), table.reset_index())


def test_differences_of_wide_and_long(run):
    long = "classifier,instance,y_true,y_pred\n" + "".join(
        f"{name},{k},{y},{p}\n"
        for name, labels in (("a", "11000"), ("b", "10100"))
        for k, (y, p) in enumerate(zip("11000", labels, strict=True))
    )
    wide = "y_true,a,b\n1,1,1\n1,1,0\n0,0,1\n0,0,0\n0,0,0\n"
    first = run(long, "--differences", "--metrics", "TPR", "--format", "csv")
    assert first[0] == 0
    second = run(wide, "--differences", "--metrics", "TPR", "--format", "csv")
    assert first[1] == second[1]
    assert (
        "1 is the positive class by convention, 2 of 5 instances" in second[2].splitlines()
    )  # nobody asked
    assert _csv(first[1])[["first", "second", "metric", "estimate"]].to_numpy().tolist() == [
        ["a", "b", "TPR", 0.5]
    ]


def test_usefulness_and_another_prevalence(run):
    _, out, _ = run(COUNTS, "--usefulness", "--format", "csv")
    assert _csv(out)["TPR > FPR"].tolist() == [True, False]
    _, out, _ = run(COUNTS, "--prevalence", "0.01", "--metrics", "PPV,TPR", "--format", "csv")
    rates = m.from_counts(pd.DataFrame({"tp": [6], "fn": [2], "fp": [3], "tn": [9]}))
    expected = m.at_prevalence(rates, 0.01, metrics=["PPV", "TPR"])
    assert _csv(out).iloc[0, 1:].tolist() == pytest.approx(expected.iloc[0].tolist())
    _, out, _ = run(SCORES, "--threshold", "0.5", "--usefulness", "--format", "csv")
    assert _csv(out)["DOR > 1"].tolist() == [True]


def test_weights_of_instances_and_of_cells(run):
    weighted = "y_true,weight,a\n1,3,1\n1,1,0\n0,2,0\n0,2,1\n"
    _, out, _ = run(weighted, "--weighted", "--metrics", "recall,specificity", "--format", "csv")
    assert out == "classifier,recall,specificity\na,0.75,0.5\n"
    lecture = "classifier,tp,fn,fp,tn\nM1,150,40,60,250\n"
    _, out, _ = run(
        lecture, "--metrics", "weighted_accuracy", "--weights", "tp=5,fn=5", "--format", "csv"
    )
    assert _csv(out)["weighted_accuracy"].tolist() == pytest.approx(
        [(5 * 150 + 250) / (5 * 190 + 310)]
    )


def test_several_classes(run):
    three = WIDE + "sick,sick,ill\n"
    code, out, err = run(three, "--multiclass", "--metrics", "recall,MCC", "--format", "csv")
    frame = pd.read_csv(io.StringIO(three))
    computed = m.from_classes(frame["y_true"], frame[["a", "b"]], metrics=["recall", "MCC"])
    assert code == 0
    pd.testing.assert_frame_equal(_csv(out), computed.reset_index())
    assert err == "3 classes: 'ill', 'sick', 'well'\n"
    _, out, _ = run(
        three, "--positive", "sick", "--against-rest", "--metrics", "TPR,TNR", "--format", "csv"
    )
    assert out == "classifier,TPR,TNR\na,1.0,1.0\nb,0.0,1.0\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            COUNTS,
            ["--intervals", "--usefulness"],
            "--intervals and --usefulness are two answers",
        ),
        (
            COUNTS,
            ["--differences"],
            "give predictions for --differences",
        ),
        (
            COUNTS,
            ["--intervals", "--design", "folds"],
            "counts have no folds; give predictions for --design folds",
        ),
        (
            SCORES,
            ["--scores", "--usefulness"],
            "scores have no cells without a threshold; give --threshold",
        ),
        (
            SCORES,
            ["--scores", "--intervals", "--design", "clusters"],
            "there is no column 'cluster' to draw by; add it, or leave --design clusters out",
        ),
        (
            SCORES,
            ["--scores", "--weighted"],
            "there is no column 'weight' to weigh by; add it, or leave --weighted out",
        ),
        (
            LONG,
            ["--differences"],
            "the classifiers of a long file are compared instance by instance; add a column "
            "'instance'",
        ),
        (
            "classifier,instance,y_true,y_pred\na,1,1,1\na,1,1,0\na,2,0,0\n",
            ["--differences"],
            "'a' has instance '1' twice",
        ),
        (
            "classifier,instance,y_true,y_pred\na,1,1,1\na,2,0,0\nb,1,1,0\n",
            ["--differences"],
            "'b' has no y_pred for instance '2'",
        ),
        (
            "classifier,instance,y_true,y_pred\na,1,1,1\na,2,0,0\nb,1,0,0\nb,2,0,0\n",
            [],
            "instance '1' has the class 1 for 'a' and 0 for 'b'; an instance has one class",
        ),
        (
            WIDE,
            ["--against-rest"],
            "name it with --positive",
        ),
        (COUNTS, ["--weights", "tp"], "the weights are 'tp'; give them as fn=5,tp=5"),
        (
            COUNTS,
            ["--metrics", "auc"],
            "there is no metric 'auc'; write 'roc_auc' for the area under the curve of scores, "
            "'balanced_accuracy' for that of one threshold",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused(run, text, options, message):
    code, out, err = run(text, *options)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err
