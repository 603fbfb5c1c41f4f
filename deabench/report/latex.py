"""Write a report as LaTeX for a paper.

Tables use booktabs and are cut to the page's width; names may be in any script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deabench.report.document import Report, ReportTable

ESCAPES = {
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
    # A cell that starts with a bracket would be read as an option of \\.
    "]": "{]}",
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
SIGN_COMMAND = r"\providecommand{\deabenchsign}[2]{\ifdefined\Umathchar#2\else\texttt{U+#1}\fi}"
"""Prints a sign where the font has it, else its number."""
PREAMBLE = (
    r"""% made by deabench; needs the packages fontenc with [T1], textcomp, booktabs,
% longtable, graphicx; pgf for .pgf figures. A sign that pdfLaTeX has no letter for is printed by
% its number; LuaLaTeX and XeLaTeX print it where the font has it.
"""
    + SIGN_COMMAND
    + "\n"
)
CHARACTER_WIDTH = 4.3
"""The mean width of a character in \\footnotesize, in points."""
COLUMN_GAP = 7.0
"""The space between two columns, in points."""
PAGE_WIDTH = 340.0
"""The text width of an article on A4 paper, in points: what a table may take."""
MAX_CELL_WIDTH = 24
"""Characters in a column of text before its lines are broken."""
BREAK_EVERY = 8
"""A word longer than a column may be broken after so many characters."""
PRINTABLE_RANGES = ((0x20, 0x7E), (0xA1, 0xAC), (0xAE, 0x17E))
"""Characters that every LaTeX prints with T1 fonts."""
INVISIBLE_RANGES = (
    (0x00, 0x1F),
    (0x7F, 0xA0),
    (0xD800, 0xDFFF),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2066, 0x2069),
)
"""Control characters, halves of characters, and marks that turn the direction of writing."""


def write_latex(report: Report, pictures: Mapping[str, str]) -> str:
    """Write a report as LaTeX; names from data are escaped, so that none becomes a command.

    Parameters
    ----------
    report : Report
    pictures : mapping
        {key of a picture: its file}.
    """
    lines = [PREAMBLE, rf"\section{{{escape_latex(report.title)}}}", ""]
    lines += _paragraphs(report.answer)
    for section in report.sections:
        lines += [rf"\subsection{{{escape_latex(section.title)}}}", ""]
        lines += _paragraphs(section.sentences)
        for picture in section.pictures:
            if picture.key in pictures:
                lines += [*figure_lines(pictures[picture.key], picture.caption), ""]
        for table in section.all_tables:
            lines += [*_table_lines(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def escape_latex(text: object) -> str:
    """Escape a text on one line."""
    return "".join(map(_escape_character, " ".join(str(text).split())))


def _escape_character(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    code = ord(character)
    # Only what T1 fonts have is written as it is.
    if _is_in_ranges(code, PRINTABLE_RANGES):
        return character
    if _is_in_ranges(code, INVISIBLE_RANGES):
        return rf"\texttt{{U+{code:04X}}}"
    return rf"\deabenchsign{{{code:04X}}}{{{character}}}"


def printed_length(text: str) -> int:
    """Return how many letters wide a text is where the fonts lack some: these print as U+6A21."""
    return sum(
        1 if char in ESCAPES or _is_in_ranges(ord(char), PRINTABLE_RANGES) else len("U+0000")
        for char in text
    )


def _is_in_ranges(code: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    return [line for sentence in sentences for line in (escape_latex(sentence), "")]


def figure_lines(file: str, caption: str, is_wide: bool = False) -> list[str]:
    """Return a figure with its caption; a wide one spans two columns of a paper."""
    # A space or a TeX character in a file's name would break the command.
    name = re.sub(r"[^\w./-]", "-", file)
    if name.endswith(".pgf"):
        figure = rf"\resizebox{{\linewidth}}{{!}}{{\input{{{name}}}}}"
    else:
        figure = (
            rf"\includegraphics[width=\linewidth,height=.8\textheight,keepaspectratio]{{{name}}}"
        )
    environment = "figure*" if is_wide else "figure"
    return [
        rf"\begin{{{environment}}}[htbp]",
        r"\centering",
        figure,
        rf"\caption{{{escape_latex(caption)}}}",
        rf"\end{{{environment}}}",
    ]


def _table_lines(table: ReportTable) -> list[str]:
    """Cut a table into as many parts as its width needs, each with the first column."""
    cells = table.cell_texts()
    widths = []
    for k, name in enumerate(table.columns):
        # The title counts as a cell, and a long text is broken at `MAX_CELL_WIDTH`.
        longest = max([printed_length(name), *(printed_length(row[k]) for row in cells)])
        widths.append(min(MAX_CELL_WIDTH, longest))
    parts = split_columns(widths)
    lines: list[str] = []
    for k, part in enumerate(parts):
        caption = table.caption
        if len(parts) > 1:
            caption += f" (part {k + 1} of {len(parts)})"
        lines += _part_lines(table, cells, part, widths, caption)
    return lines


def split_columns(widths: Sequence[int]) -> list[list[int]]:
    """Return the columns of each part of a table; the first column is in every part.

    Parameters
    ----------
    widths : sequence of int
        The width of each column in characters.
    """
    sizes = [CHARACTER_WIDTH * width + COLUMN_GAP for width in widths]
    parts = [[0]]
    used = sizes[0]
    for k in range(1, len(sizes)):
        # A part has at least one column besides the first, even if it is too wide for the page.
        if used + sizes[k] > PAGE_WIDTH and len(parts[-1]) > 1:
            parts.append([0])
            used = sizes[0]
        parts[-1].append(k)
        used += sizes[k]
    return parts


def _part_lines(
    table: ReportTable,
    cells: Sequence[Sequence[str]],
    part: Sequence[int],
    widths: Sequence[int],
    caption: str,
) -> list[str]:
    alignments = []
    # What the first column and the gaps leave for a column of long texts.
    remaining = PAGE_WIDTH - CHARACTER_WIDTH * widths[part[0]] - COLUMN_GAP * len(part)
    for column in part:
        if table.numeric[column]:
            alignments.append("r")
        elif widths[column] < MAX_CELL_WIDTH:
            alignments.append("l")
        else:
            # A column of long texts becomes a paragraph, no wider than what remains of the page.
            points = widths[column] * CHARACTER_WIDTH
            if column > 0:
                points = min(points, remaining)
            alignments.append(rf"p{{{points:.0f}pt}}")
    return [
        r"{\footnotesize\setlength{\tabcolsep}{3.5pt}",
        rf"\begin{{longtable}}{{@{{}}{''.join(alignments)}@{{}}}}",
        rf"\caption{{{escape_latex(caption)}}}\\",
        r"\toprule",
        _row_line(table.columns, part),
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *(_row_line(row, part) for row in cells),
        r"\end{longtable}}",
    ]


def _row_line(cells: Sequence[str], part: Sequence[int]) -> str:
    return " & ".join(_breakable_cell(cells[column]) for column in part) + r" \\"


def _breakable_cell(text: str) -> str:
    """Escape a cell and let LaTeX break words, such as digests, that are wider than a column."""
    breakable_words = []
    # LaTeX breaks lines between words only.
    for word in text.split():
        pieces = [word]
        if printed_length(word) > MAX_CELL_WIDTH:
            pieces = _cut_word(word)
        breakable_words.append(r"\allowbreak{}".join(map(escape_latex, pieces)))
    return " ".join(breakable_words)


def _cut_word(word: str) -> list[str]:
    """Cut a word into pieces that print as `BREAK_EVERY` characters, or as a single sign."""
    pieces = [""]
    for char in word:
        if pieces[-1] and printed_length(pieces[-1] + char) > BREAK_EVERY:
            pieces.append("")
        pieces[-1] += char
    return pieces
