"""A report as LaTeX tables (booktabs, longtable), to be put into a paper with \\input."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deabench.reports.document import Report, Table

SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}",  # a cell that starts with [ would be read as an option of \\
    "λ": r"$\lambda$", "α": r"$\alpha$", "θ": r"$\theta$", "∞": r"$\infty$", "↑": r"$\uparrow$", "−": "$-$", "≥": r"$\geq$",
    "≤": r"$\leq$", "×": r"$\times$", "…": r"\dots{}", "–": "--", "χ": r"$\chi$",
}
HEAD = "% made by deabench; needs the packages fontenc with [T1], textcomp, booktabs and longtable\n"


def tex(report: Report) -> str:
    """The text; names from data are escaped, so that none becomes a command."""
    lines = [HEAD, rf"\section{{{escaped(report.title)}}}", "", *_paragraphs(report.answer)]
    for section in report.sections:
        lines += [rf"\subsection{{{escaped(section.title)}}}", "", *_paragraphs(section.words)]
        for table in section.all_tables:
            lines += [*_table(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: object) -> str:
    return "".join(SIGNS.get(sign, sign) for sign in " ".join(str(text).split()))


def _paragraphs(sentences: object) -> list[str]:
    return [line for sentence in sentences for line in (escaped(sentence), "")]  # type: ignore[attr-defined]


def _table(table: Table) -> list[str]:
    head = " & ".join(escaped(name) for name in table.columns) + r" \\"
    return [
        rf"\begin{{longtable}}{{{''.join('r' if right else 'l' for right in table.numeric)}}}",
        rf"\caption{{{escaped(table.caption)}}}\\",
        r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot",
        *(" & ".join(escaped(cell) for cell in row) + r" \\" for row in table.shown()),
        r"\end{longtable}",
    ]
