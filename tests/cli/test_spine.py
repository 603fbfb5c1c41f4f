"""The commands rank, frontier, targets and models: what they print, where, and with which exit
code.
"""

import atexit
import csv
import gc
import io
import json
import subprocess
import sys
import traceback
from pathlib import Path
from xml.etree import ElementTree

import highspy
import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.cli import VERBS, main
from deabench.models import MODELS
from deabench.models.options import option_fields

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
WINE, ESTABLISHED = str(EXAMPLES / "wine1.csv"), str(EXAMPLES / "established.csv")
pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_help_names_every_verb(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name}" in shown and verb.purpose in shown for name, verb in VERBS.items())


def test_help_imports_nothing_heavy():
    heavy = ("pyomo", "pandas", "numpy", "sklearn", "matplotlib", "typer", "rich", "highspy")
    code = (
        f"import sys, deabench.cli as c; c.main(['--help']); print([m for m in {heavy} if m in "
        "sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        (["nonsense"], 2),
        (["rank"], 2),
        (["rank", WINE, "--bogus"], 2),
        (["--version"], 0),
        (["rank", "--help"], 0),
    ],
)
def test_exit_codes_of_usage(arguments, code):
    assert main(arguments) == code


def test_rank_csv(capsys):
    assert main(["rank", WINE, "--outputs", "TPR,TNR", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    table = rows(out)
    assert table[0][:4] == ["classifier", "efficiency", "rank", "efficient"]
    assert [line[0] for line in table[1:3]] == ["MLP", "Bagging"]
    assert float(table[2][1]) == pytest.approx(96.0 / 96.6, abs=1e-12)
    assert "7 scores proved" in err


def test_rank_json_has_peers(capsys):
    assert main(["rank", WINE, "--outputs", "TPR,TNR", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)[-1]
    assert record["classifier"] == "RBF"
    assert record["peers"] == {"MLP": pytest.approx(1.0)}


def test_rank_reads_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(Path(WINE).read_text()))
    assert main(["rank", "-", "--outputs", "TPR,TNR"]) == 0
    assert "MLP" in capsys.readouterr().out


def test_rank_against_a_reference(capsys):
    assert (
        main(["rank", WINE, "--outputs", "TPR,TNR", "--reference", ESTABLISHED, "--format", "csv"])
        == 0
    )
    assert float(rows(capsys.readouterr().out)[1][1]) > 1


def test_bad_data_is_one_sentence_and_writes_nothing(tmp_path, capsys):
    bad = tmp_path / "bad.csv"
    bad.write_text("classifier,TPR,TNR\nk-NN,-0.2,0.5\nSVM,0.7,0.6\n")
    out = tmp_path / "out.csv"
    assert main(["rank", str(bad), "-o", str(out)]) == 1
    shown = capsys.readouterr()
    assert (
        shown.err
        == "deabench: metric 'TPR' of 'k-NN' is -0.2; 'TPR' cannot be below 0, correct it\n"
    )
    assert shown.out == ""
    assert not out.exists()


def test_frontier_prints_facets_and_writes_graphml(tmp_path, capsys):
    path = tmp_path / "facets.graphml"
    assert (
        main(
            [
                "frontier",
                ESTABLISHED,
                "--outputs",
                "TPR,TNR",
                "--graphml",
                str(path),
                "--format",
                "csv",
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    table = rows(out)
    assert table[0] == ["facet", "TPR", "TNR", "offset", "vertices", "full_dimensional"]
    assert [line[4] for line in table[1:]] == [
        "RUS+SVM",
        "RUS+SVM, CS-MCQP",
        "CS-MCQP, Bagging",
        "Bagging",
    ]
    assert "on the frontier: RUS+SVM, CS-MCQP, Bagging" in err
    edges = [e for e in ElementTree.parse(path).iter() if e.tag.endswith("edge")]
    assert len(edges) == 3


def test_frontier_costs_and_locate(capsys):
    assert (
        main(["frontier", ESTABLISHED, "--outputs", "TPR,TNR", "--costs", "0.5", "--format", "csv"])
        == 0
    )
    assert [line[0] for line in rows(capsys.readouterr().out)] == [
        "classifier",
        "RUS+SVM",
        "CS-MCQP",
        "Bagging",
    ]
    assert (
        main(["frontier", ESTABLISHED, "--outputs", "TPR,TNR", "--locate", WINE, "--format", "csv"])
        == 0
    )
    assert rows(capsys.readouterr().out)[2][:2] == ["MLP", "outside"]


@pytest.mark.parametrize(
    ("label", "target"),
    [("RBF", (97.7, 50.7)), ("OSS+SVM", (96.0, 78.6)), ("AdaBoostM1", (95.5, 86.5))],
)
def test_targets_of_table_14(capsys, label, target):
    """The three targets of Chao et al. (2022), Table 14, that the printed data give."""
    assert (
        main(
            [
                "targets",
                WINE,
                "--reference",
                ESTABLISHED,
                "--outputs",
                "TPR,TNR",
                "--norm",
                "l2",
                "--on",
                "facets",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    table = rows(capsys.readouterr().out)
    assert table[0][:5] == ["classifier", "position", "distance", "target_TPR", "target_TNR"]
    line_of_label = next(line for line in table if line[0] == label)
    assert tuple(round(float(value), 1) for value in line_of_label[3:5]) == target


def test_targets_common_dominating_and_weights(capsys):
    base = ["targets", WINE, "--reference", ESTABLISHED, "--outputs", "TPR,TNR"]
    assert main([*base, "--dominating"]) == 0
    assert "'MLP' has no target: no point of the frontier dominates it" in capsys.readouterr().err
    assert main([*base, "--common", "--format", "json"]) == 0
    assert {record["face"] for record in json.loads(capsys.readouterr().out)} == {
        "CS-MCQP, Bagging"
    }
    assert main([*base, "--weights", "TPR=2,TNR=x"]) == 2
    assert capsys.readouterr().err == "deabench: --weights TNR is 'x'; give a number\n"


def test_models(capsys):
    assert main(["models"]) == 0
    assert "envelopment_input" in capsys.readouterr().out
    assert main(["models", "wei"]) == 0
    assert "Σ_j λ_j = 1" in capsys.readouterr().out
    assert main(["models", "weii"]) == 1
    assert "did you mean 'wei'?" in capsys.readouterr().err


@pytest.mark.parametrize("name", list(db.models.MODELS))
def test_models_prints_options_and_formulation_of_every_model(name, capsys):
    assert main(["models", name]) == 0
    out = capsys.readouterr().out
    for field in option_fields(name):
        assert f"--option {field.name}={field.syntax}" in out
        assert field.help in out
    assert "deabench_models." in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("rank", ["--show", "ranking"]),
        ("rank", ["--show", "peers"]),
        ("rank", ["--show", "weights"]),
        ("frontier", []),
        ("frontier", ["--costs", "0.3"]),
        ("targets", []),
        ("targets", ["--show", "targets"]),
        ("targets", ["--show", "parallel"]),
    ],
)
def test_every_picture_comes_from_the_command_line(tmp_path, capsys, verb, options):
    picture = tmp_path / "picture.svg"
    files = [WINE] if verb != "targets" else [WINE, "--reference", ESTABLISHED]
    if verb == "frontier":
        files = [ESTABLISHED]
    assert main([verb, *files, "--outputs", "TPR,TNR", "--plot", str(picture), *options]) == 0
    assert "<svg" in picture.read_text()
    assert (
        main(
            [
                verb,
                *files,
                "--outputs",
                "TPR,TNR",
                "--plot",
                str(tmp_path / "picture.doc"),
                *options,
            ]
        )
        == 1
    )
    assert "a picture's name ends in .png, .svg or .pdf" in capsys.readouterr().err
    assert not (tmp_path / "picture.doc").exists()


def test_the_facets_of_three_metrics_are_drawn_as_a_graph(tmp_path):
    table = tmp_path / "three.csv"
    table.write_text(
        "classifier,a,b,c\n"
        + "".join(
            f"{n},{a},{b},{c}\n"
            for n, a, b, c in [("u", 1, 2, 3), ("v", 3, 1, 2), ("w", 2, 3, 1), ("x", 2, 2, 2)]
        )
    )
    assert (
        main(["frontier", str(table), "--outputs", "a:c", "--plot", str(tmp_path / "graph.png")])
        == 0
    )
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("model", mark_most_slow([name for name in MODELS if name != "fdh"], 6))
def test_a_table_reaches_highs_through_at_most_15_functions(model, tmp_path, monkeypatch):
    """Outside of the solver; "fdh" needs no solver."""
    package = Path(db.__file__).parent
    calls = []
    solve = highspy.Highs.run

    def note_callers(highs):
        frames = [Path(frame.filename) for frame in traceback.extract_stack()]
        calls.append(
            sum(
                path.is_relative_to(package) and not path.is_relative_to(package / "solver")
                for path in frames
            )
        )
        return solve(highs)

    monkeypatch.setattr(highspy.Highs, "run", note_callers)
    rates = np.random.default_rng(0).uniform(0.3, 0.9, (30, 3))
    board = pd.DataFrame(rates, [f"m{k}" for k in range(30)], ["accuracy", "recall", "precision"])
    board["latency_ms"] = np.linspace(1, 9, 30)
    board.rename_axis("model").to_csv(tmp_path / "board.csv")
    assert main(["rank", str(tmp_path / "board.csv"), "--model", model]) == 0
    assert 0 < calls[0] <= 15


def test_the_words_of_the_process_are_those_after_its_name(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["deabench", "--version"])
    threshold = gc.get_threshold()
    try:
        assert main() == 0
    finally:
        gc.set_threshold(*threshold)
        atexit.unregister(gc.freeze)
    assert capsys.readouterr().out == f"deabench {db.__version__}\n"


def test_help_names_the_unit_of_a_time_limit(capsys) -> None:
    assert main(["rank", "--help"]) == 0
    assert "--time-limit SECONDS" in capsys.readouterr().out
