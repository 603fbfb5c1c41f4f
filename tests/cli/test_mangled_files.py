"""Whatever is in a file, a command ends in one line and exit status 0, 1 or 2, never in a
traceback.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from deabench.cli import main
from deabench.study.spec.study_file import PRESETS_FOLDER as PRESETS

TABLE = "classifier,TPR,TNR,F1\na,0.9,0.8,0.7\nb,0.8,0.9,0.6\nc,0.5,0.5,0.5\n"
COUNTS = "classifier,tp,fn,fp,tn\na,9,1,2,8\nb,8,2,1,9\n"
PREDICTIONS = "y_true,a,b\n" + "1,1,0\n0,0,0\n1,0,1\n0,1,0\n" * 3
SCORES = "y_true,a,b\n" + "1,0.9,0.3\n0,0.2,0.4\n1,0.6,0.8\n0,0.5,0.1\n" * 3
STUDY = (
    '[[data.set]]\nname = "rows"\nfile = "rows.csv"\n[split]\nfolds = 2\n[classifiers]\n"C4.5" = '
    "{}\nstump = {}\n"
)
ROWS = "x,z,c\n" + "".join(f"{k},{'ab'[k % 2]},{'yn'[k % 3 // 2]}\n" for k in range(24))

COMMANDS = {
    "rank": (["rank", "{}"], TABLE),
    "frontier": (["frontier", "{}", "--outputs", "TPR,TNR"], TABLE),
    "targets": (["targets", "{}", "--reference", "{}", "--outputs", "TPR,TNR"], TABLE),
    "compare": (["compare", "{}"], TABLE),
    "metrics": (["metrics", "{}"], PREDICTIONS),
    "counts": (["metrics", "{}"], COUNTS),
    "curve": (["curve", "{}"], SCORES),
    "status": (["study", "status", "{}"], STUDY),
    "tables": (["study", "tables", "{}"], STUDY),
    "read": (["read", "{}"], TABLE),
    "report": (["report", "{}", "-o", "page.html"], TABLE),
    "report md": (["report", "{}", "-o", "page.md"], TABLE),
    "tost": (["compare", "{}", "--test", "tost", "--margin", "0.1"], TABLE),
    "anova": (["compare", "{}", "--test", "anova"], TABLE),
    "mcnemar": (["compare", "{}"], PREDICTIONS),
    "uncertainty": (["uncertainty", "{}"], PREDICTIONS),
    "gate": (["gate", "{}", "--candidate", "a"], PREDICTIONS),
    "intervals": (["metrics", "{}", "--intervals", "--metrics", "TPR,accuracy"], PREDICTIONS),
    "data": (["study", "status", "study.toml"], ROWS),
    "import": (["study", "import", "study.toml", "{}"], COUNTS),
}

SLOW = ("report", "report md", "uncertainty", "gate", "intervals")
WORDS = [
    "",
    "nan",
    "inf",
    "-1",
    "1e999",
    "9" * 5001,
    "0x1",
    "1,5",
    "\0",
    "\x1b[31m",
    "‮",
    "\ud800",
    "'",
    '"',
    "{",
    "[" * 3000,
    "=1+1",
    "../../x",
    "/etc/passwd",
    "None",
    "true",
    "1e3",
    "-0.0",
    "é",
    "a" * 3000,
    "[a]\nb = 1",
    "\r",
    "\t",
    ";",
    "%s",
    "<b>",
    "1979-05-27",
    'import = ".x.y"',
    'generator = "subclus"\nrows = 1e3',
    "folds = 0",
    "seed = 99999999999999999999999",
]


def mangled(text: str, rng: random.Random) -> bytes:
    """The text with a few cells, lines or bytes changed."""
    lines = text.splitlines()
    for _ in range(rng.randint(1, 3)):
        line_index = rng.randrange(len(lines)) if lines else 0
        damage = rng.randrange(6)
        if not lines or damage == 0:
            lines.insert(line_index, rng.choice(WORDS))
        elif damage == 1:
            del lines[line_index]
        elif damage == 2:
            lines[line_index] = lines[line_index].replace(
                rng.choice("abcxyz0123456789,=") or "a", rng.choice(WORDS), 1
            )
        elif damage == 3:
            cells = lines[line_index].split(",")
            cells[rng.randrange(len(cells))] = rng.choice(WORDS)
            lines[line_index] = ",".join(cells)
        elif damage == 4:
            lines[line_index] = lines[line_index][: rng.randrange(len(lines[line_index]) + 1)]
        else:
            lines.append(rng.choice(lines))
    data = bytearray("\n".join(lines).encode("utf-8", "surrogatepass"))
    if data and rng.random() < 0.2:
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


@pytest.mark.slow
@pytest.mark.filterwarnings("default::deabench.errors.DataWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_mangled_file_ends_in_a_sentence(name, tmp_path, monkeypatch, capsys):
    arguments, text = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(
        STUDY.replace("rows.csv", "data.csv" if name == "data" else "rows.csv")
    )
    Path("rows.csv").write_text(ROWS)
    rng = random.Random(name)
    for case in range(8 if name in SLOW else 30):
        file = "data.csv" if name == "data" else f"file{case}.{'toml' if text == STUDY else 'csv'}"
        Path(file).write_bytes(mangled(text, rng))
        status = main([argument.replace("{}", file) for argument in arguments])
        stderr = capsys.readouterr().err
        assert status in ((0, 1, 2, 3, 4) if name == "gate" else (0, 1, 2))
        assert "Traceback" not in stderr
        errors = [
            line
            for line in stderr.splitlines()
            if line.startswith("deabench: ") and not line.startswith("deabench: warning")
        ]
        assert len(errors) <= 1
        assert status != 1 or len(errors) == 1, (case, stderr)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[data]\nnames = ["ecoli4"]\n[classifiers]\nm = {import = ".x.y"}',
            "classifier 'm': cannot import '.x.y': give the whole path, as module.Class",
        ),
        (
            "a = " + "[" * 100_000,
            "'study.toml' is not TOML that can be read: it is nested too deeply",
        ),
        ("a = " + "9" * 5001, "is not TOML: Exceeds the limit"),
        (
            '[data]\nnames = ["ecoli4"]\n[classifiers]\nm = {import = '
            '"sklearn.calibration.CalibratedClassifierCV", estimator = "abc"}',
            "classifier 'm' cannot be built: ",
        ),
        (
            '[[data.set]]\nname = "g"\ngenerator = "subclus"\n'
            "rows = 1e3\n[classifiers]\nstump = {}",
            "[[data.set]] 1 rows is 1000.0; give a whole number >= 0",
        ),
    ],
)
def test_the_study_files_that_ended_in_tracebacks(tmp_path, monkeypatch, capsys, text, message):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text("allow_imports = true\n" + text)
    assert main(["study", "status", "--allow-imports", "study.toml"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]


@pytest.mark.parametrize("command", ["reproduce", "models", "size", "study", "rank"])
def test_a_word_that_is_none_ends_in_a_sentence(command, tmp_path, monkeypatch, capsys):
    """Names and missing files under every name that is hard to print."""
    monkeypatch.chdir(tmp_path)
    for word in [
        word.replace("\0", "")
        for word in WORDS
        if len(word) < 200 and word[:1] not in ("-", "\ud800")
    ]:
        arguments = [command, "status", word] if command == "study" else [command, word]
        if arguments == ["reproduce", ""] or not word:
            continue
        status, stderr = main(arguments), capsys.readouterr().err
        assert status in (1, 2), (word, stderr)
        assert "Traceback" not in stderr
        errors = [
            line
            for line in stderr.splitlines()
            if line.startswith("deabench: ") and not line.startswith("deabench: warning")
        ]
        assert len(errors) == (status == 1) or (status == 2 and len(errors) == 1), (word, stderr)


def test_twenty_thousand_columns_are_refused_at_once(tmp_path, capsys):
    """Each column is looked at by name and by value: that took minutes, and the wrong separator a
    traceback.
    """
    file = tmp_path / "wide.csv"
    file.write_text(
        "\n".join(
            ",".join(f"{word}{k}" for k in range(20_000)) for word in ("metric", "0.5", "0.25")
        )
    )
    for command in (["rank"], ["read"]):  # all verbs read by the same reader
        assert main([*command, str(file)]) == 1
        assert capsys.readouterr().err.splitlines()[-1] == (
            f"deabench: '{file}' has 20,000 columns, more than 2,000; give the metrics that "
            "systems are compared by, transpose a table whose systems are columns, or raise "
            "the limit with --limit columns=20000"
        )


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no device that is always full"
)
@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_a_full_standard_output_is_said(tmp_path, monkeypatch, capsys):
    (tmp_path / "table.csv").write_text(TABLE)
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert main(["rank", str(tmp_path / "table.csv")]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "deabench: cannot write to stdout: No space left on device; nothing more was written"
    )


def test_presets_are_there():
    assert len(list(PRESETS.glob("*.toml"))) == 8
