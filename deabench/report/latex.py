"""A report as LaTeX for a paper: booktabs tables cut to the page's width, figures with captions,
any script in names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deabench.report.document import Report, Table

SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",  # a cell that starts with [ would be read as an option of \\
    "λ": r"$\lambda$",
    "α": r"$\alpha$",
    "θ": r"$\theta$",
    "∞": r"$\infty$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "…": r"\dots{}",
    "–": "--",
    "χ": r"$\chi$",
    "Σ": r"$\Sigma$",
    "·": r"$\cdot$",
}
HEAD = r"""% made by deabench; needs the packages fontenc with [T1], textcomp, booktabs, longtable, graphicx; pgf for .pgf figures.
% A sign that pdfLaTeX has no letter for is printed by its number; LuaLaTeX and XeLaTeX print it where the font has it.
\providecommand{\deabenchsign}[2]{\ifdefined\Umathchar#2\else\texttt{U+#1}\fi}
"""
POINTS = 4.3
"""The width of a sign in \\footnotesize, in points, about."""
GAP = 7.0
"""Between two columns, in points."""
WIDTH = 340.0
"""Of the text of an article on A4 paper, in points: what a table may take."""
WIDEST = 24
"""Signs of a column of text before its lines are broken."""


def tex(report: Report, pictures: Mapping[str, str]) -> str:
    """The text; names from data are escaped, so that none becomes a command. `pictures` are files
    by their keys.
    """
    lines = [HEAD, rf"\section{{{escaped(report.title)}}}", "", *_paragraphs(report.answer)]
    for section in report.sections:
        lines += [rf"\subsection{{{escaped(section.title)}}}", "", *_paragraphs(section.words)]
        for one in section.pictures:
            if one.key in pictures:
                lines += [*_figure(pictures[one.key], one.caption), ""]
        for table in section.all_tables:
            lines += [*_tables(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: object) -> str:
    return "".join(map(_sign, " ".join(str(text).split())))


def _sign(sign: str) -> str:
    code = ord(sign)
    if sign in SIGNS:
        return SIGNS[sign]
    if 0x20 <= code < 0x7F or (0xA1 <= code <= 0x17E and code != 0xAD):
        return sign
    if (
        code < 0x20
        or 0x7F <= code < 0xA1
        or 0xD800 <= code < 0xE000
        or 0x200B <= code <= 0x200F
        or 0x2028 <= code <= 0x202E
        or (0x2066 <= code <= 0x2069)
    ):
        return rf"\texttt{{U+{code:04X}}}"  # what cannot be seen is said
    return rf"\deabenchsign{{{code:04X}}}{{{sign}}}"


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    return [line for sentence in sentences for line in (escaped(sentence), "")]


def _figure(file: str, caption: str) -> list[str]:
    name = re.sub(r"[^\w./-]", "-", file)
    drawn = (
        rf"\resizebox{{\linewidth}}{{!}}{{\input{{{name}}}}}"
        if name.endswith(".pgf")
        else rf"\includegraphics[width=\linewidth]{{{name}}}"
    )
    return [
        r"\begin{figure}[htbp]",
        r"\centering",
        drawn,
        rf"\caption{{{escaped(caption)}}}",
        r"\end{figure}",
    ]


def _tables(table: Table) -> list[str]:
    """The table in as many parts as the width asks for, the first column in each."""
    cells = table.shown()
    wide = [
        min(WIDEST, max([len(name), *(len(row[k]) for row in cells)]))
        for k, name in enumerate(table.columns)
    ]
    parts = _parts(wide)
    lines: list[str] = []
    for k, part in enumerate(parts):
        more = f" (part {k + 1} of {len(parts)})" if len(parts) > 1 else ""
        lines += _table(table, cells, part, [wide[c] for c in part], table.caption + more)
    return lines


def _parts(wide: Sequence[int]) -> list[list[int]]:
    """Which columns stand together, each part with the first."""
    size = [POINTS * width + GAP for width in wide]
    parts, used = [[0]], size[0]
    for k in range(1, len(size)):
        if used + size[k] > WIDTH and len(parts[-1]) > 1:
            parts.append([0])
            used = size[0]
        parts[-1].append(k)
        used += size[k]
    return parts


def _table(
    table: Table,
    cells: Sequence[Sequence[str]],
    part: Sequence[int],
    wide: Sequence[int],
    caption: str,
) -> list[str]:
    room = WIDTH - POINTS * wide[0] - GAP * len(part)
    kinds = []
    for c, width in zip(part, wide, strict=True):
        limit = min(width, WIDEST, room / POINTS) if c else width
        kinds.append(
            "r" if table.numeric[c] else "l" if width < WIDEST else rf"p{{{POINTS * limit:.0f}pt}}"
        )
    head = " & ".join(escaped(table.columns[c]) for c in part) + r" \\"
    return [
        r"{\footnotesize\setlength{\tabcolsep}{3.5pt}",
        rf"\begin{{longtable}}{{@{{}}{''.join(kinds)}@{{}}}}",
        rf"\caption{{{escaped(caption)}}}\\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *(" & ".join(escaped(row[c]) for c in part) + r" \\" for row in cells),
        r"\end{longtable}}",
    ]
