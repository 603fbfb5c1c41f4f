"""Tables of LaTeX as papers write them."""

from __future__ import annotations

import numpy as np

import deabench as db
from deabench.tables.readers.files import read_file
from deabench.tables.readers.latex import find_latex_tables
from deabench.tables.readers.limits import Limits

PAPER = r"""% a comment & with an ampersand
\begin{table*}[t]
\caption{Results on \textbf{COCO} [\%] (higher is better).}
\begin{tabular}{@{}l|cc S[table-format=2.1]@{}}
\toprule
\multirow{2}{*}{Method} & \multicolumn{2}{c}{COCO}
  & {\begin{tabular}[c]{@{}c@{}}Time\\(ms)\end{tabular}} \\
\cmidrule(lr){2-3}
 & AP $\uparrow$ & AP\textsubscript{50} & \\
\midrule
\multicolumn{4}{l}{\textit{Supervised}} \\
A~\cite{x} & \textbf{66.1} $\pm$ 3.1 & 70.2\std{0.3} & \SI{5.2}{\milli\second} \\ % best
B & 65.1 {\scriptsize $\pm$ 2.0} & $71.2_{\pm 0.4}$ & 1{,}234 ms \\[2pt] \hline
\rowcolor{gray!20} Ours & \underline{\textbf{67}} $\pm$ 1 & 70.0\textcolor{red}{+1.3} & 12 ms\\
\bottomrule
\end{tabular}
\end{table*}
Costs are in ms.
"""


def test_a_table_of_a_paper(tmp_path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(PAPER, encoding="utf-8")
    source = read_file(path)
    assert source.frame.to_dict("list") == {
        "Method": ["A", "B", "Ours"],
        "COCO AP ↑": ["66.1 ± 3.1", "65.1 ± 2.0", "67 ± 1"],
        "COCO AP50": ["70.2 (0.3)", "71.2 ±0.4", "70.0 (+1.3)"],
        "Time (ms)": ["5.2 ms", "1,234 ms", "12 ms"],
    }
    assert source.sheet == "Results on COCO [%] (higher is better)."
    assert "higher is better" in source.prose
    assert "Costs are in ms." in source.prose
    table = db.read(path)
    np.testing.assert_array_equal(table.frame["COCO AP ↑"], [66.1, 65.1, 67])
    np.testing.assert_allclose(table.frame["COCO AP50"], [70.2, 71.2, 70.0])


def test_rows_that_a_cell_covers(tmp_path) -> None:
    path = tmp_path / "table.tex"
    path.write_text(
        r"\begin{tabularx}{\textwidth}{llc} Group & Model & F1 \\ \hline "
        r"\multirow{2}{*}{Small} & a & 0.5 \\ & b & 0.6 \\ Large & c & 0.7 \end{tabularx}"
    )
    assert read_file(path).frame.to_dict("list") == {
        "Group": ["Small", "Small", "Large"],
        "Model": ["a", "b", "c"],
        "F1": ["0.5", "0.6", "0.7"],
    }


def test_of_two_tables_the_caption_names_one(tmp_path) -> None:
    path = tmp_path / "table.tex"
    one = r"\begin{tabular}{lc} m & acc \\ a & 0.5 \\ b & 0.6 \end{tabular}\caption{Small}"
    two = r"\begin{tabular}{lc} m & acc \\ a & 1 \\ b & 2 \\ c & 3 \end{tabular} \caption{Large}"
    path.write_text(f"\\begin{{table}}{one}\\end{{table}}\\begin{{table}}{two}\\end{{table}}")
    assert read_file(path).sheet == "Large"
    assert read_file(path, sheet="small").frame["acc"].tolist() == ["0.5", "0.6"]


def test_lines_between_all_rows_are_no_header(tmp_path) -> None:
    path = tmp_path / "table.tex"
    path.write_text(
        "\\begin{tabular}{|l|c|} \\hline\nModel & Acc \\\\ \\hline\nA & 0.9 \\\\ \\hline\n"
        "B & 0.8 \\\\ \\hline\n\\end{tabular}"
    )
    assert read_file(path).frame.to_dict("list") == {"Model": ["A", "B"], "Acc": ["0.9", "0.8"]}


def test_a_percent_sign_alone_in_brackets_begins_no_comment(tmp_path) -> None:
    path = tmp_path / "table.tex"
    path.write_text(
        "\\begin{tabular}{lcc}\nModel & Rate (%) & Loss [%] \\\\ \\midrule % best (%) first\n"
        "A & 90 & 3 \\\\\nB & 80 & 2 \\\\ % & (old)\n\\end{tabular}"
    )
    assert read_file(path).frame.to_dict("list") == {
        "Model": ["A", "B"],
        "Rate (%)": ["90", "80"],
        "Loss [%]": ["3", "2"],
    }


def test_a_table_over_several_pages_has_one_header_and_its_caption_is_no_cell(tmp_path) -> None:
    path = tmp_path / "long.tex"
    path.write_text(
        r"""\begin{longtable}{lrr}
\caption{Results of models} \label{tab:results} \\
\toprule
Model & accuracy & seconds \\
\midrule
\endfirsthead
\caption[]{Results of models} \\
\toprule
Model & accuracy & seconds \\
\midrule
\endhead
\midrule
\multicolumn{3}{r}{Continued on next page} \\
\endfoot
\bottomrule
\endlastfoot
A & 0.87 & 1.5 \\
B & 0.88 & 2.5 \\
\end{longtable}
"""
    )
    source = read_file(path)
    assert source.frame.to_dict("list") == {
        "Model": ["A", "B"],
        "accuracy": ["0.87", "0.88"],
        "seconds": ["1.5", "2.5"],
    }
    assert source.sheet == "Results of models"


def test_commands_of_a_paper_name_columns_and_rows(tmp_path) -> None:
    path = tmp_path / "macros.tex"
    path.write_text(
        r"""\begin{tabular}{lrr}
\toprule
Method & \textbf{\locomo} & \membench{} \\
\midrule
A & 52.3 & \pz4.5 \\
\textbf{\sys{}} & 58.8 & \pzz \\
\end{tabular}
"""
    )
    assert read_file(path).frame.to_dict("list") == {
        "Method": ["A", "sys"],
        "locomo": ["52.3", "58.8"],
        "membench": ["4.5", ""],
    }


def test_percent_signs_of_a_program_are_no_comments(tmp_path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(
        r"""\begin{tabular}{lcc}
Defense & ASR $\downarrow$ & FPR $\downarrow$ \\ \hline
A & 49.2%$_{[38.8%,54.3%]}$ & 10.5% \\ % 3 & 4 \\
B & 0.6% & 10.9% \\
\end{tabular}
""",
        encoding="utf-8",
    )
    frame = read_file(path).frame
    assert frame.iloc[:, 1].tolist() == ["49.2% [38.8%,54.3%]", "0.6%"]
    assert frame.iloc[:, 2].tolist() == ["10.5%", "10.9%"]


def test_microseconds_keep_their_sign(tmp_path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(
        r"\begin{tabular}{lr} CPU & Sign [\textmu s] \\ \hline A & 33.9 \\ B & 89 \\ \end{tabular}",
        encoding="utf-8",
    )
    assert db.read(path).column("Sign [µs]").unit == "microseconds"


def test_a_tabular_within_a_cell_is_no_table_of_its_own() -> None:
    grids, prose = find_latex_tables(PAPER, Limits(), "paper.tex")
    assert len(grids) == 1
    assert "Time" not in prose
    assert prose.endswith("Costs are in ms.")


def test_dashed_rules_are_no_rows(tmp_path) -> None:
    path = tmp_path / "table.tex"
    path.write_text(
        "\\begin{tabular}{lcc}\nMethod & F1 & MCC \\\\ \\hline\nAlder & 0.7 & 0.4 \\\\ [-6pt]\n"
        "\\hdashline\n\\\\[-6pt]\nBirch & 0.8 & 0.5 \\\\ \\cdashline{1-3}\nCedar & 0.6 & 0.3 \\\\\n"
        "\\Xhline{2pt}\n\\end{tabular}\n"
    )
    source = read_file(path)
    assert source.frame["Method"].tolist() == ["Alder", "Birch", "Cedar"]
    assert source.notes == ()
