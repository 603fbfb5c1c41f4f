"""Tables for papers: they compile in one and two columns, fit, and hold the library's numbers."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
BOARD = pd.DataFrame(
    {"top1": [80.8, 76.9, 82.0, 90.1], "latency_ms": [0.39, 0.13, 0.35, 9.8]},
    index=["a_1", "50 %", "模型", "d"],
)
PACKAGES = (
    # Latin Modern needs no bitmaps, which TeX would have to make first.
    r"\usepackage[T1]{fontenc}\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}"
    r"\usepackage{textcomp,booktabs,siunitx,graphicx}"
)


def random_table(rows: int, metrics: int) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    columns = ["TPR", "TNR", "precision", "AUC", "F_1"][:metrics]
    names = [f"RandomForest-SMOTE-{k}" for k in range(rows)]
    return pd.DataFrame(rng.beta(5, 2, (rows, metrics)).round(4), names, columns)


def compile_paper(folder, options: str, engine: str, parts: tuple[str, ...] = ("part",)) -> str:
    """Compile a paper of parts, each on pages of its own, and return what LaTeX writes."""
    program = shutil.which(engine)
    if program is None:
        pytest.skip(f"{engine} is not installed here")
    head = rf"\documentclass[{options}]{{article}}{PACKAGES}\begin{{document}}"
    body = "\n".join(rf"\input{{{part}}}\clearpage" for part in parts)
    (folder / "paper.tex").write_text(f"{head}\n{body}\n\\end{{document}}")
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "paper.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", ["a4paper", "twocolumn"])
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_a_paper_compiles_and_nothing_sticks_out(papers, options, engine):
    folder, parts = papers
    log = compile_paper(folder, options, engine, parts)
    assert "Overfull" not in log
    # The table has room on one page, as has the figure.
    assert "too large for page" not in log


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """A folder with parts of papers: tables of many sizes, in one column and in two."""
    folder = tmp_path_factory.mktemp("papers")
    parts = []
    for rows, metrics in ((7, 2), (30, 3), (50, 5)):
        report = db.report(random_table(rows, metrics))
        for columns in (1, 2):
            parts.append(f"part-{rows}-{columns}")
            report.save(folder / f"{parts[-1]}.tex", columns=columns)
    return folder, tuple(parts)


def test_any_name_and_a_wide_table_fit_a_column(tmp_path):
    (tmp_path / "part.tex").write_text(db.rank(BOARD).to_latex(), encoding="utf-8")
    assert "Overfull" not in compile_paper(tmp_path, "twocolumn", "pdflatex")


def rows_of(text: str) -> dict[str, list[str]]:
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    lines = [line.removesuffix(r" \\").split(" & ") for line in body.strip().splitlines()]
    return {cells[0]: cells[1:] for cells in lines}


def test_the_best_of_each_metric_is_bold_in_its_own_direction():
    ranking = db.rank(BOARD)
    rows = rows_of(ranking.to_latex(label="tab:my board", caption="50 % of them"))
    assert {name: cells[0] for name, cells in rows.items() if "bfseries" in cells[0]} == {
        "d": r"\bfseries 90.1"
    }
    assert {name: cells[1] for name, cells in rows.items() if "bfseries" in cells[1]} == {
        r"50 \%": r"\bfseries 0.13"
    }
    assert [float(cells[2]) for cells in rows.values()] == pytest.approx(
        ranking.to_frame()["efficiency"].tolist(), abs=5e-5
    )
    text = ranking.to_latex(label="tab:my board", caption="50 % of them")
    assert r"\caption{50 \% of them}" in text
    assert r"\label{tab:my-board}" in text
    assert r"{top1 $\uparrow$} & {latency\_ms $\downarrow$}" in text


def test_a_column_leaves_room_for_its_longest_number():
    """siunitx reserves as many digits before and after the point as a table-format names."""
    table = pd.DataFrame({"gain": [9.25, 80.5, 700.0]}, index=list("abc"))
    text = db.rank(table).to_latex()
    digits = [cells[0].removeprefix(r"\bfseries ") for cells in rows_of(text).values()]
    decimals = len(digits[0].partition(".")[2])
    assert [number.partition(".")[0] for number in digits] == ["700", "80", "9"]
    assert f"S[table-format=3.{decimals}]" in text


def test_rows_metrics_and_columns_are_chosen():
    ranking = db.rank(random_table(30, 3))
    chosen = ["RandomForest-SMOTE-3", "RandomForest-SMOTE-1"]
    text = ranking.to_latex(rows=chosen, metrics=["TNR"], columns=2)
    assert r"\begin{table*}" in text
    assert list(rows_of(text)) == chosen
    assert len(rows_of(text)[chosen[0]]) == 3
    long = db.rank(random_table(80, 3)).to_latex()
    assert len(rows_of(long)) == 50
    assert "The first 50 of 80 rows." in long


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rows": ["nobody"]}, "there is no row 'nobody' in the table"),
        ({"metrics": ["TPX"]}, "there is no column 'TPX' in the table; did you mean 'TPR'?"),
        ({"columns": 3}, "columns"),
    ],
)
def test_what_is_not_there_is_refused(options, sentence):
    with pytest.raises(DataError, match=re.escape(sentence)):
        db.rank(random_table(7, 2)).to_latex(**options)


def test_options_of_a_paper_belong_to_latex(tmp_path):
    report = db.report(random_table(7, 2))
    with pytest.raises(DataError, match="columns=1 or 2"):
        report.to_latex(rows=["RandomForest-SMOTE-1"])
    with pytest.raises(DataError, match="belong to LaTeX"):
        report.save(tmp_path / "page.html", columns=2)
    assert list(tmp_path.iterdir()) == []


def test_every_result_has_a_table():
    frontier = db.frontier(random_table(7, 2))
    assert r"\begin{table}" in frontier.to_latex()
    targets = db.targets(random_table(7, 2), random_table(30, 2))
    assert rows_of(targets.to_latex())


def test_the_default_caption_tells_returns_that_count() -> None:
    rates = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.7, 0.9]}, index=list("ab"))
    costs = pd.DataFrame({"y": [1.0, 2, 4], "x": [1.0, 2, 3]}, index=list("abc"))
    columns = {"outputs": ["y"], "inputs": ["x"]}
    rankings = {
        "(DEA, model wei)": db.rank(rates),
        "(DEA, model super)": db.rank(rates, model="super"),
        "(DEA, model ccr, vrs)": db.rank(costs, **columns),
        "(DEA, model ccr, crs)": db.rank(costs, model="ccr", **columns),
        "(DEA, model sbm, nirs)": db.rank(costs, model="sbm", returns="nirs", **columns),
        "(DEA, model bam)": db.rank(costs, model="bam", **columns),
    }
    for words, ranking in rankings.items():
        assert words in ranking.to_latex()
