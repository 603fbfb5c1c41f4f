"""The report's words and tables: what they say is what the library says; names stay text in every
format.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from report_cases import (
    COSTS,
    HOSTILE,
    cloud,
    costly,
    costs_page,
    hostile,
    hostile_page,
    page_of,
    shipped_study,
    study,
)
from study_runs import without_processes

import deabench as db
from deabench.cli import main
from deabench.errors import DataError
from deabench.report import ReportTable, latex
from deabench.report.html import embed_json
from deabench.report.latex import escape_latex
from deabench.report.result_sections import _certificate_facts
from deabench.utils.text import escape_markdown

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
WINE = db.datasets.load("chao2022-wine1")
ESTABLISHED = WINE.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]


def tables(report):
    return {table.key: table.frame for section in report.sections for table in section.all_tables}


def test_the_answer_says_who_how_far_and_what_is_lacking():
    """By hand, Table 14's data: on the facet CS-MCQP - Bagging, 18 TPR + 1.1 TNR = 1814.46, OSS+SVM
    has 1648.2 (0.9084) and AdaBoostM1 1788.84 (0.9859); RBF is nearest to Bagging: 96.0 - 73.9 =
    22.1 and 78.6 - 49.2 = 29.4.

    """
    report = db.report(WINE.drop("MLP"), tested=["RBF"], outputs=["TPR", "TNR"])
    assert report.answer[2:] == [
        "3 of 5 systems are efficient: RUS+SVM, CS-MCQP, Bagging.",
        "The other 2 are not: their efficiencies go from 0.908 to 0.986, and of the last, "
        "OSS+SVM, every output could "
        "grow by 10.1 % together.",
        "RBF is inside the frontier, 51.5 from its closest target (l1): TPR +22.1, TNR +29.4.",
    ]


def test_the_answer_in_its_other_cases():
    separate = db.report(WINE.loc[["MLP", "RBF"]])
    assert (
        separate.answer[-1]
        == "The other one is not: RBF has efficiency 0.765: every output could grow by 30.7 % "
        "together."
    )
    all_of_them = db.report(
        ESTABLISHED, tested=WINE.loc[["CS-MCQP"]].rename(index={"CS-MCQP": "twin"})
    )
    assert all_of_them.answer[3:] == [
        "No system is inefficient.",
        "twin lies on the frontier and lacks nothing.",
    ]


def test_tables_hold_what_the_library_says():
    table = cloud(60)
    ranking, front = db.rank(table), db.frontier(table)
    printed_tables = tables(page_of(60, 3))
    shown = printed_tables["ranking-table"]
    pd.testing.assert_series_equal(
        shown["efficiency"], ranking.scores.loc[shown.index].rename_axis("system")
    )
    assert shown["rank"].tolist() == ranking.to_frame()["rank"].tolist()
    peer_counts = (ranking.peers.sparse.to_dense() > 1e-6).sum().reindex(shown.index, fill_value=0)
    assert peer_counts[
        shown["rank"] == 1
    ].is_monotonic_decreasing  # of equal ranks first whom most are measured against
    assert len(printed_tables["facets-table"]) == len(front.facets)
    rate = front.graph.nodes[int(printed_tables["facets-table"].index[0])]["trade_off"][
        "TPR", "TNR"
    ]
    assert printed_tables["facets-table"]["TNR per TPR"].iloc[0] == pytest.approx(rate, rel=1e-12)
    names = printed_tables["targets-table"].index
    assert set(names) == set(ranking.efficient.index[~ranking.efficient])
    library = db.targets(table.loc[names], table, dominating=True)
    for metric in table:
        shown = printed_tables["targets-table"][f"target {metric}"].to_numpy()
        assert shown == pytest.approx(library.targets[metric].to_numpy(), abs=1e-9)
    served = {
        name: int((ranking.peers[name].sparse.to_dense().drop(name) > 1e-6).sum())
        for name in ranking.peers
    }
    assert printed_tables["peers-table"]["served"].to_dict() == {
        name: count for name, count in served.items() if count
    }


def test_provenance_counts_what_was_proved():
    facts = tables(page_of(60, 3))["provenance-table"]["value"]
    assert facts["scores proved again from λ and weights"] == "60 of 60 within 1e-09"
    assert float(facts["largest gap of a certificate"]) <= 1e-9
    assert float(facts["largest miss of a proof of the targets"]) <= 1e-9
    assert len(facts["SHA-256 of the metrics as CSV"]) == 64


def test_scores_within_the_tolerance_count_as_proved():
    ranking = SimpleNamespace(
        options=db.models.WEI(),
        certificate=pd.DataFrame({"gap": [0.0, 5e-10, 2e-9, np.nan]}),
        scores=pd.Series([1.0, 0.5, 0.4, np.nan]),
    )
    facts = _certificate_facts(ranking)
    assert facts["scores proved again from λ and weights"] == "2 of 3 within 1e-09"


def test_cost_ranges_and_intervals_and_tests_are_shown():
    bounds = pd.DataFrame({"lower": 0.8, "upper": 1.0}, index=ESTABLISHED.index)
    long = pd.DataFrame(
        np.random.default_rng(0).random((12, 3)) + np.array([0.4, 0.2, 0.0]), columns=list("ABC")
    )
    report = db.report(
        ESTABLISHED,
        extra={"intervals": bounds, "tests": db.compare.compare(long), "provenance": {"seed": 7}},
    )
    printed_tables = tables(report)
    assert printed_tables["costs-table"].equals(db.frontier(ESTABLISHED).cost_ranges())
    assert printed_tables["ranking-table"].loc["Bagging", ["lower", "upper"]].tolist() == [0.8, 1.0]
    assert (
        printed_tables["test-0"]["adjusted"].tolist()
        == db.compare.compare(long).pairs["adjusted"].tolist()
    )
    assert printed_tables["provenance-table"].loc["seed", "value"] == "7"
    assert [section.key for section in report.sections] == [
        "notes",
        "ranking",
        "weightings",
        "weights",
        "facets",
        "costs",
        "tests",
        "method",
        "provenance",
    ]  # no peers: all three are their own


def test_a_report_is_one_file_without_a_network_and_the_same_each_time():
    text = page_of(30, 3).to_html()
    assert text == db.report(cloud(30, 3)).to_html()
    inside = re.sub(r'src="data:image/(svg\+xml|png);base64,[A-Za-z0-9+/=]*"', "", text)
    urls = set(re.findall(r"https?://[^\s\"'<)]+", inside))
    assert {url.split("/")[2] for url in urls} == {
        "www.w3.org"
    }  # names of languages, which nothing fetches
    assert "default-src 'none'" in text
    assert not re.search(r"\bimport[ (]", re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0])


def test_the_data_block_cannot_end_its_element():
    text = embed_json({"names": [*HOSTILE, "\u2028", "\ud800"]})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text)["names"][: len(HOSTILE)] == HOSTILE


def test_hostile_names_in_html_are_text():
    text = db.report(hostile(), title="<script>alert(3)</script>").to_html()
    for name in HOSTILE[:2]:
        assert name not in text
    assert "<script>alert(3)" not in text


def test_markdown_escapes_and_keeps_the_tables():
    text = hostile_page().to_markdown()
    assert "<img" not in text.replace(r"\<img", "")
    row = next(line for line in text.splitlines() if r"a\|b" in line and line.startswith("|"))
    head = next(line for line in text.splitlines() if line.startswith("| system |"))
    assert len(re.findall(r"(?<!\\)\|", row)) == len(re.findall(r"(?<!\\)\|", head))
    assert escape_markdown("a_b*c\n[d](e)") == r"a\_b\*c \[d\]\(e\)"


def test_latex_escapes_every_command():
    assert escape_latex("$\\input{x}$") == r"\$\textbackslash{}input\{x\}\$"
    assert escape_latex("50% #1 & a_b ~ ^ <λ>") == (
        r"50\% \#1 \& a\_b \textasciitilde{} \textasciicircum{} "
        r"\textless{}$\lambda$\textgreater{}"
    )
    text = hostile_page().to_latex()
    assert r"\input" not in text
    assert (
        text.count(r"\begin{longtable}")
        == text.count(r"\end{longtable}")
        >= len(tables(hostile_page()))
    )
    assert not set("\x07\u202e\ud800") & set(text)
    body = re.findall(
        r"\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n(.*?)\\end\{longtable\}", text, re.DOTALL
    )[0]
    columns = {len(re.findall(r"(?<!\\)&", line)) for line in body.strip().splitlines()}
    assert len(columns) == 1


def test_latex_tables_keep_to_the_page():
    """Every part of a table is narrower than the text, by the widths of its signs; no column is
    lost, the first is in each.
    """
    for table in (piece for section in costs_page(30).sections for piece in section.all_tables):
        wide = [
            min(latex.MAX_CELL_WIDTH, max(len(text) for text in column))
            for column in zip(table.columns, *table.cell_texts(), strict=True)
        ]
        columns = latex.split_columns(wide)
        assert sorted({k for piece in columns for k in piece}) == list(range(len(table.columns)))
        for piece in columns:
            assert piece[0] == 0
            assert (
                len(piece) <= 2
                or sum(latex.CHARACTER_WIDTH * wide[k] + latex.COLUMN_GAP for k in piece)
                <= latex.PAGE_WIDTH
            )


def test_names_of_any_script_are_written_for_any_latex():
    assert escape_latex("Zürich") == "Zürich"
    assert escape_latex("模型") == r"\deabenchsign{6A21}{模}\deabenchsign{578B}{型}"
    assert escape_latex("a\u202eb") == r"a\texttt{U+202E}b"
    table = cloud(6, 2).set_axis(["模型", "نموذج", "😀", "a_b", "50 %", "é"])
    assert r"\providecommand{\deabenchsign}" in db.report(table).to_latex()


def test_signs_without_a_letter_are_as_wide_as_their_number() -> None:
    assert latex.printed_length("a_模型") == 2 + 2 * len("U+6A21")
    pieces = latex._cut_word("نموذج" + "x" * 20)
    assert "".join(pieces) == "نموذج" + "x" * 20
    assert all(latex.printed_length(piece) <= latex.BREAK_EVERY for piece in pieces)


@pytest.fixture(scope="module")
def paper_folder(tmp_path_factory):
    """A paper of LaTeX that holds the report on names of many scripts, and its parts."""
    folder = tmp_path_factory.mktemp("paper")
    table = costly(12).set_axis(["模型", "نموذج", "😀", "a_b", "50 %", "é", *"abcdef"])
    db.report(table, **COSTS).save(folder / "part.tex")
    # Latin Modern needs no bitmaps, which TeX would have to make first.
    fonts = "\\usepackage[T1]{fontenc}\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}"
    packages = f"{fonts}\\usepackage{{textcomp,booktabs,longtable,graphicx}}"
    paper = (
        "\\documentclass[a4paper]{article}"
        + packages
        + "\\begin{document}\\input{part}\\end{document}\n"
    )
    (folder / "paper.tex").write_text(paper, encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_latex_compiles_without_running_off_the_page(paper_folder, engine):
    program = shutil.which(engine)
    if program is None:
        pytest.skip(f"{engine} is not installed here")
    done = subprocess.run(
        [program, "-interaction=nonstopmode", f"-jobname={engine}", "paper.tex"],
        cwd=paper_folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    wide = [line for line in done.stdout.splitlines() if line.startswith("Overfull \\hbox")]
    assert [line for line in wide if float(line.split("(")[1].split("pt")[0]) > 20] == []


@pytest.fixture(scope="module")
def command_files(tmp_path_factory):
    """The report on wine as the command writes it in each format, and its table."""
    folder = tmp_path_factory.mktemp("formats")
    source = folder / "wine.csv"
    WINE.to_csv(source)
    options = ["--outputs", "TPR,TNR", "--tested", "RBF", "--title", "Wine"]
    for form in ("html", "md", "tex"):
        # Beside a file whose name has a space, the pictures' names have one, too; LaTeX takes none.
        file = folder / ("my report.md" if form == "md" else f"report.{form}")
        assert main(["report", str(source), *options, "-o", str(file)]) == 0
    return folder


@pytest.mark.slow
def test_pictures_stand_beside_markdown_and_latex(command_files):
    report = db.report(WINE, outputs=["TPR", "TNR"], tested=["RBF"])
    text = (command_files / "my report.md").read_text(encoding="utf-8")
    linked = re.findall(r"!\[[^\]]*\]\(<([^>]*)>\)", text)
    assert len(linked) == sum(len(section.pictures) for section in report.sections) >= 4
    assert all((command_files / unquote(name)).read_bytes().startswith(b"<?xml") for name in linked)
    text = (command_files / "report.tex").read_text(encoding="utf-8")
    matches = re.findall(r"\\includegraphics\[width=\\linewidth,[^\]]*\]\{([^}]*)\}", text)
    assert text.count(r"\begin{figure}") == text.count(r"\end{figure}") == len(matches) >= 4
    assert all((command_files / name).read_bytes().startswith(b"%PDF") for name in matches)


def test_all_formats_have_the_same_tables():
    report = page_of(30, 3)
    captions = [table.caption for section in report.sections for table in section.all_tables]
    for text, pattern in (
        (report.to_html(), r"<caption>([^<]*)</caption>"),
        (report.to_markdown(), r"\*\*(.*)\*\*"),
        (report.to_latex(), r"\\caption\{(.*)\}\\\\"),
    ):
        latex_captions = [
            re.sub(r"[\\{}]", "", unescape(caption)) for caption in re.findall(pattern, text)
        ]
        whole_captions = dict.fromkeys(
            re.sub(r" \(part \d+ of \d+\)$", "", caption) for caption in latex_captions
        )  # LaTeX cuts to the page's width
        assert list(whole_captions) == [re.sub(r"[\\{}]", "", caption) for caption in captions]


def test_cells_are_shown_for_a_reader():
    frame = pd.DataFrame(
        {
            "n": [1.0, 2.0],
            "x": [1.0, 0.25],
            "tiny": [5e-17, 3e-5],
            "on": [True, False],
            "gone": [np.nan, np.inf],
        },
        index=pd.Index(["a", "b"], name="name"),
    )
    table = ReportTable("t", "T", frame)
    assert table.cell_texts() == [
        ["a", "1", "1.00", "0.0000", "yes", ""],
        ["b", "2", "0.25", "3.00e-05", "no", "∞"],
    ]
    assert table.numeric == [False, True, True, True, False, False]


@pytest.mark.slow
def test_a_study_has_groups_data_sets_and_failures():
    data = study()
    report = db.report(
        data, outputs=["TPR", "AUC", "GM", "F"], inputs=["TNR"], metrics=["TPR", "TNR"]
    )
    keys = [section.key for section in report.sections]
    assert keys[0] == "notes"
    assert {"groups-type", "data-sets", "failures"} < set(keys)
    assert report.sections[0].sentences[:2] == [
        "1 task failed; listed under Failures.",
        "Left out, because some of their folds are missing: OSS+C4.5 on c45 noisy.",
    ]
    by_key = {section.key: section for section in report.sections}
    assert [page.title for page in by_key["groups-type"].subsections] == [
        "disjunct",
        "overlapping",
        "noisy",
    ]
    noisy = by_key["groups-type"].subsections[2].table.frame["average_then_dea"]
    assert len(noisy) == 8
    assert noisy.max() == pytest.approx(1, abs=1e-9)
    first = by_key["data-sets"].subsections[0]
    assert first.title == "c45 disjunct"
    assert first.table.frame["TPR"].equals(data.frames()["metrics"].loc["c45 disjunct", "TPR"])
    few_note = (
        "Intervals: 3 data sets are few: their spread is hardly known, and the intervals are "
        "wide for it."
    )
    assert few_note in report.sections[0].sentences
    text = report.to_html()
    assert "&lt;b&gt;too few&lt;/b&gt; rows" in text
    assert "<b>too few" not in text


@pytest.mark.slow
def test_a_study_says_how_sure_its_means_are():
    data = shipped_study()
    report = db.report(data, outputs=["TPR", "TNR"])
    metrics = data.frames()["metrics"]
    separate = db.uncertainty(
        db.Samples.from_datasets(metrics[["TPR", "TNR"]].reset_index())
    ).to_frame()
    uncertainty = report.data["uncertainty"]
    order = report.data["labels"]
    assert np.allclose(uncertainty["lower"], separate.loc[order, "lower"], atol=1e-12)
    assert uncertainty["verdict"] == separate.loc[order, "verdict"].tolist()
    certainty = (
        "How sure that is: of 18 systems 0 dominated, 18 undecided, 0 efficient, "
        "all verdicts together at 95 %."
    )
    assert certainty in report.answer
    study = SimpleNamespace(
        frames=lambda: {**data.frames(), "metrics": metrics.loc[["haberman"]]},
        left_out=(),
        notes=(),
        tests={},
    )
    sentences = db.report(study, outputs=["TPR", "TNR"]).sections[0].sentences
    assert any(sentence.startswith("No intervals: ") for sentence in sentences), sentences


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: db.report(WINE, tested=["RFB"]),
            "there is no system 'RFB' in the table; did you mean 'RBF'?",
        ),
        (
            lambda: db.report(db.rank(WINE), tested=["RBF"]),
            "a ranking holds no table to take the tested rows from; give tested as a DataFrame",
        ),
        (
            lambda: page_of(60, 3).text("docx"),
            "format 'docx' is not known; it is one of 'html', 'md', 'tex'",
        ),
    ],
)
def test_what_cannot_be_reported_is_refused(call, sentence):
    with pytest.raises(DataError) as e:
        call()
    assert str(e.value) == sentence


def test_a_ranking_is_reported_too():
    report = db.report(db.rank(WINE, outputs=["TPR", "TNR"]), tested=WINE.loc[["RBF"]])
    assert report.answer[2] == "1 of 7 systems is efficient: MLP."
    assert "tested-table" in tables(report)


def test_more_than_six_metrics_say_why_there_are_no_facets():
    rng = np.random.default_rng(0)
    report = db.report(pd.DataFrame(rng.random((30, 7)), columns=list("ABCDEFG")))
    targets = next(section for section in report.sections if section.key == "targets")
    assert targets.sentences == [
        "The frontier of 7 metrics has too many facets to list; choose up to 6 with metrics to see "
        "facets and targets."
    ]
    # The model is known to call those efficient that are on this frontier.
    assert report.data["apart"] == ""


@pytest.mark.slow
def test_the_command_writes_all_formats(command_files, tmp_path, capsys):
    source = command_files / "wine.csv"
    for name, start in (
        ("report.html", "<!doctype html>"),
        ("my report.md", "# Wine"),
        ("report.tex", "% made by deabench"),
    ):
        assert (command_files / name).read_text(encoding="utf-8").startswith(start)
    assert main(["report", str(source), "--format", "md", "--outputs", "TPR,TNR"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("# Comparison of systems\n")
    assert main(["report", str(source), "--outputs", "TPR,TNX"]) == 1
    assert (
        capsys.readouterr().err
        == "deabench: there is no column 'TNX' in the table; did you mean 'TNR'?\n"
    )
    quotients = ["--lower-is-better", "TNR=input", "--model", "wei"]
    assert main(["report", str(source), "--outputs", "TPR", *quotients, "--format", "md"]) == 0
    assert "outputs are quotients: TPR/TNR" in capsys.readouterr().out.lower().replace(
        "tpr/tnr", "TPR/TNR"
    ).replace("\\", "")
    assert main(["report", str(source), "-o", str(tmp_path / "r.docx")]) == 1
    assert (
        capsys.readouterr().err
        == "deabench: format 'docx' is not known; it is one of 'html', 'md', 'tex'\n"
    )


def test_an_input_that_the_ranking_divides_by_is_better_low():
    table = pd.DataFrame({"accuracy": [0.9, 0.6], "latency": [3.0, 1.0]}, index=["a", "b"])
    report = db.report(table, outputs=["accuracy"], inputs=["latency"], model="wei")
    metrics = {metric["name"]: metric for metric in report.data["metrics"]}
    assert (metrics["accuracy"]["high"], metrics["latency"]["high"]) == (True, False)
    heads = [name for name in tables(report)["ranking-table"] if name[-1] in "↑↓"]
    assert heads == ["accuracy ↑", "latency ↓"]
    # b has the better quotient, and the lower latency.
    text = report.to_markdown().replace("\\", "")
    assert "latency 1 (the best)" in text
    # Though a has the better accuracy.
    assert "Take b: no other is efficient." in text


@pytest.mark.slow
def test_the_command_reports_a_study_that_was_run(tmp_path, capsys):
    file = tmp_path / "study.toml"
    file.write_text(
        """name = "two"
seed = 1
[data]
names = ["new-thyroid1", "haberman"]
[split]
kind = "kfold"
folds = 2
[classifiers]
"C4.5" = {}
SVM = {}
"naive Bayes" = {}
[dea]
tested = ["naive Bayes"]
""",
        encoding="utf-8",
    )
    with without_processes():
        assert main(["study", "run", str(file)]) == 0
    capsys.readouterr()
    assert main(["report", str(file), "--format", "md"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# Comparative study\n")
    digest = db.Study.from_toml(file).status().digest
    assert f"| digest of the results | {digest} |" in text
    assert "| seed | 1 |" in text
    for heading in (
        "Tests",
        "Data sets",
        "Failures",
        "What was tested",
        "Targets on every data set",
    ):
        assert f"\n## {heading}\n" in text


def test_the_command_reports_a_saved_ranking(tmp_path, capsys):
    source = tmp_path / "ranking.csv"
    db.rank(WINE, outputs=["TPR", "TNR"]).to_csv(source)
    assert main(["report", str(source), "--format", "md"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# Ranking of systems\n\n")
    assert "A saved ranking holds no metrics" in text
    assert text.count("\n| ") == 1 + len(WINE) + 1 + 3


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (cloud(30, 3), {}),
        pytest.param(cloud(30, 3), {"model": "fdh"}, marks=pytest.mark.slow),
        pytest.param(costly(30), COSTS, marks=pytest.mark.slow),
        (costly(30), COSTS | {"model": "ccr"}),
        (cloud(20, 3), {"model": "common"}),
        pytest.param(cloud(20, 3), {"model": "sbm"}, marks=pytest.mark.slow),
    ],
)
def test_where_efficient_is_not_on_the_frontier_the_page_says_so(table, options):
    data = db.report(table, **options).data
    ranking = db.rank(table, **options)
    front = db.frontier(
        table,
        **{name: value for name, value in options.items() if name != "model"},
    )
    efficient = ranking.efficient.astype(bool)
    on = front.locate(table)["position"] == "on"
    differ = bool((efficient & ~on).any() or not efficient[front.extreme].all())
    assert bool(data["apart"]) == differ
    assert not (differ and data["ranking"]["radial"])


def test_costs_point_down_and_what_was_chosen_stands_first():
    report = costs_page(30)
    assert [name for name in tables(report)["ranking-table"] if name[-1] in "↑↓"] == [
        "AUC ↑",
        "error ↓",
        "seconds ↓",
    ]
    assert {metric["name"]: metric["high"] for metric in report.data["metrics"]} == {
        "AUC": True,
        "seconds": False,
        "error": False,
    }
    assert report.sections[0].title == "What to know first"
    model_note = (
        "Model 'ccr' was chosen, for 'seconds' is an input; rates do not scale with costs, so "
        "returns to scale are variable."
    )
    assert model_note in report.sections[0].sentences
    seven = pd.DataFrame(
        np.random.default_rng(0).random((20, 7)),
        columns=["TPR", "TNR", "AUC", "F1", "GM", "ACC", "MCC"],
    )
    assert db.report(seven).data["front"]["hull"] is None


def test_a_metric_may_be_called_as_the_labels_are(tmp_path):
    labels = pd.Index(list("abc"), name="classifier")
    table = pd.DataFrame({"classifier": [0.5, 0.7, 0.2], "TNR": [0.6, 0.3, 0.9]}, labels)
    page = tmp_path / "page.html"
    db.report(db.rank(table, outputs=["classifier", "TNR"])).save(page)
    assert "classifier" in page.read_text(encoding="utf-8")
