"""Find the tables of LaTeX: tabular and its relatives."""

from __future__ import annotations

import re
from dataclasses import replace

from deabench.tables.markup import strip_cell, strip_markup
from deabench.tables.readers.grids import Grid, MergedCell, expand_merged
from deabench.tables.readers.limits import Limits
from deabench.utils.lazy import lazy_pattern

MAX_HEADER_ROWS = 3
"""A rule below more rows than this separates groups of systems."""
MAX_DISTANCE = 1_000
"""Characters between a table and a caption behind it."""
_ENVIRONMENTS = r"tabular[*xy]?|longtable|xltabular|supertabular|tabu|NiceTabular"
_BEGIN = lazy_pattern(rf"\\begin\s*\{{({_ENVIRONMENTS})\}}")
_WITH_WIDTH = ("tabular*", "tabularx", "tabulary", "xltabular")
"""Environments with an argument before that of the columns."""
_COMMENT = lazy_pattern(
    r"(?<!\\)%(?!(?<=[(\[]%)[)\]])(?!(?<=\d%)[ \t]*(?:[&,{}()\[\]$]|\\\\|\\tabularnewline))"
    r"[^\n]*\n?"
)
"""A comment; "(%)" and the % of "49.2% & 89.5% \\\\" are units that a program forgot to escape."""
_CAPTION = lazy_pattern(r"\\caption\s*(?:\[[^\[\]]*\])?\s*\{")
_RULE = lazy_pattern(
    r"\\(?:toprule|midrule|bottomrule|hline|hhline|cline|cmidrule|hdashline|cdashline|Xhline"
    r"|addlinespace|specialrule"
    r"|noalign|endhead|endfirsthead|endfoot|endlastfoot|arrayrulecolor|rowcolor|rowfont)"
    r"(?![A-Za-z])(?:\s*(?:\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}))*"
)
_HEADER_RULE = lazy_pattern(r"\\(?:midrule|hline|endhead|endfirsthead)(?![A-Za-z])")
_TOKEN = lazy_pattern(
    r"\\begin\s*\{[^{}]*\}|\\end\s*\{[^{}]*\}|\\\\\*?(?:\s*\[[^\[\]]*\])?|\\tabularnewline"
    r"|\\[A-Za-z]+|\\.|[{}&]|[^\\{}&]+|\\",
    re.DOTALL,
)
_REPEATED_HEADER = lazy_pattern(
    r"\\endfirsthead(?![A-Za-z])(?:(?!\\end\s*\{).)*\\end(?:head|foot|lastfoot)(?![A-Za-z])",
    re.DOTALL,
)
"""What a table over several pages repeats on each of them."""
_FLOAT_COMMAND = lazy_pattern(
    r"\\caption\*?(?![A-Za-z])\s*(?:\[[^\[\]]*\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}|\\label\s*\{[^{}]*\}"
)
"""The caption and the label that stand within a table over several pages."""
_OWN_COMMAND = lazy_pattern(r"\\([A-Za-z]{3,})(?![A-Za-z])")
_LAYOUT_COMMANDS = {
    "text",
    "textbf",
    "textit",
    "textsc",
    "texttt",
    "textrm",
    "textsf",
    "emph",
    "underline",
    "mathbf",
    "mathrm",
    "mathit",
    "mathcal",
    "boldmath",
    "bfseries",
    "itshape",
    "centering",
    "raggedright",
    "raggedleft",
    "tiny",
    "scriptsize",
    "footnotesize",
    "small",
    "normalsize",
    "large",
    "Large",
    "makecell",
    "shortstack",
    "thead",
    "phantom",
    "hphantom",
    "vphantom",
    "hfill",
    "hspace",
    "vspace",
    "quad",
    "qquad",
    "hline",
    "cline",
    "newline",
    "linebreak",
    "multicolumn",
    "multirow",
    "rotatebox",
    "cellcolor",
    "rowcolor",
    "columncolor",
    "color",
    "begin",
    "end",
    "left",
    "right",
    "strut",
    "par",
    "cite",
    "citep",
    "citet",
    "label",
    "ref",
    "footnote",
}
"""Commands of LaTeX that are no text; a paper's own stand for names."""
_MULTICOLUMN = lazy_pattern(r"\\multicolumn\s*\{\s*(\d{1,4})\s*\}")
_MULTIROW = lazy_pattern(r"\\multirow\s*(?:\[[^\[\]]*\])?\s*\{\s*(\d{1,4})\s*\}")
_QUANTITY = lazy_pattern(r"\\(?:SI|qty)\s*(?:\[[^\[\]]*\])?\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_UNIT = lazy_pattern(r"\\(?:si|unit)\s*(?:\[[^\[\]]*\])?\s*\{([^{}]*)\}")
_UNIT_WORDS = {
    "milli": "m",
    "micro": "µ",
    "nano": "n",
    "kilo": "k",
    "mega": "M",
    "giga": "G",
    "tera": "T",
    "second": "s",
    "minute": "min",
    "hour": "h",
    "byte": "B",
    "watt": "W",
    "joule": "J",
    "gram": "g",
    "percent": "%",
    "per": "/",
}
"""Names of units in siunitx."""


def has_latex_table(text: str) -> bool:
    """Return whether a text begins a tabular."""
    return _BEGIN.search(text) is not None


def find_latex_tables(text: str, limits: Limits, file: str) -> tuple[list[Grid], str]:
    """Return the tables of a LaTeX text with merged cells filled, and the text around them."""
    text = _COMMENT.sub("", text)
    grids = []
    prose = []
    text = _REPEATED_HEADER.sub("", text)
    end = 0
    for begin in _BEGIN.finditer(text):
        # A tabular within a cell belongs to its table.
        if begin.start() < end:
            continue
        body_start = _skip_arguments(text, begin.end(), 2 if begin[1] in _WITH_WIDTH else 1)
        rows, body_end = _split_rows(text, body_start)
        prose.append(text[end : begin.start()])
        caption = _find_caption(text, end, begin.start(), body_end)
        end = body_end
        grid = _build_grid(rows, caption, limits, file)
        if grid.rows:
            grids.append(grid)
    prose.append(text[end:])
    return grids, strip_markup(" ".join(prose))


def _skip_arguments(text: str, position: int, count: int) -> int:
    """Return where the arguments in braces, and options in brackets before them, end."""
    while count:
        while position < len(text) and text[position].isspace():
            position += 1
        if text[position : position + 1] == "[":
            closing = text.find("]", position)
            if closing < 0:
                return position
            position = closing + 1
        elif text[position : position + 1] == "{":
            position = _end_of_group(text, position)
            count -= 1
        else:
            return position
    return position


def _end_of_group(text: str, position: int) -> int:
    """Return the position behind the brace that closes the one at a position."""
    depth = 0
    for token in _TOKEN.finditer(text, position):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if not depth:
                return token.end()
    return len(text)


def _find_caption(text: str, start: int, table_start: int, table_end: int) -> str:
    """Return the caption before a table, or behind it, within the same float."""
    float_start = max(text.rfind("\\begin{table", start, table_start), start)
    float_end = text.find("\\end{table", table_end, table_end + MAX_DISTANCE)
    if float_end < 0:
        float_end = table_end + MAX_DISTANCE
    caption = _CAPTION.search(text, float_start, table_start)
    caption = caption or _CAPTION.search(text, table_start, float_end)
    if caption is None:
        return ""
    opening = caption.end() - 1
    return strip_markup(text[opening + 1 : _end_of_group(text, opening) - 1])


def _split_rows(text: str, start: int) -> tuple[list[list[str]], int]:
    """Return the cells of a tabular as they are written, and the position behind it.

    Line ends and ampersands within braces and environments belong to their cell.
    """
    rows: list[list[str]] = [[]]
    parts: list[str] = []
    depth = 0
    position = start
    while token := _TOKEN.match(text, position):
        word = token[0]
        position = token.end()
        is_line_end = word.startswith("\\\\") or word == "\\tabularnewline"
        if word.startswith("\\end") and not depth:
            return _end_row(rows, parts), position
        if word == "{" or word.startswith("\\begin"):
            depth += 1
        elif word == "}" or word.startswith("\\end"):
            depth = max(depth - 1, 0)
        if _BEGIN.match(word):
            position = _skip_arguments(text, position, 1)
        elif depth and (is_line_end or word == "&"):
            parts.append(" ")
        elif is_line_end or word == "&":
            rows[-1].append("".join(parts))
            parts = []
            if is_line_end:
                rows.append([])
        elif not word.startswith(("\\begin{", "\\end{")):
            parts.append(word)
    return _end_row(rows, parts), len(text)


def _end_row(rows: list[list[str]], parts: list[str]) -> list[list[str]]:
    rows[-1].append("".join(parts))
    return rows


def _build_grid(lines: list[list[str]], caption: str, limits: Limits, file: str) -> Grid:
    """Strip the cells of their commands and repeat those that cover several columns or rows."""
    rows: list[list[MergedCell]] = []
    header_rows = 0
    for line in lines:
        # The first rule below a row ends the header; it stands before the first cell of the next.
        if not header_rows and rows and _HEADER_RULE.search(line[0]):
            header_rows = len(rows)
        cells = [_parse_cell(cell) for cell in line]
        # The commands of a paper may be the names of its columns and of its rows.
        if not header_rows and len(rows) < MAX_HEADER_ROWS:
            cells = [_name_by_command(c, cell) for c, cell in zip(cells, line, strict=True)]
        else:
            cells[0] = _name_by_command(cells[0], line[0])
        if any(cell.text for cell in cells):
            rows.append(cells)
    if header_rows > MAX_HEADER_ROWS:
        header_rows = 1
    return Grid(
        expand_merged(rows, limits, file, writes_covered=True), max(header_rows, 1), caption
    )


def _name_by_command(parsed: MergedCell, cell: str) -> MergedCell:
    r"""Return a cell without text as what its last own command is called: \locomo is "locomo"."""
    if parsed.text:
        return parsed
    commands = [
        name
        for name in _OWN_COMMAND.findall(_RULE.sub("", _FLOAT_COMMAND.sub("", cell)))
        if name not in _LAYOUT_COMMANDS
    ]
    return replace(parsed, text=commands[-1]) if commands else parsed


def _parse_cell(cell: str) -> MergedCell:
    """Return the text of a cell, and how many columns and rows it covers."""
    cell = _RULE.sub("", _FLOAT_COMMAND.sub("", cell))
    columns = _MULTICOLUMN.search(cell)
    rows = _MULTIROW.search(cell)
    cell = _QUANTITY.sub(_write_quantity, cell)
    cell = _UNIT.sub(lambda match: _write_unit(match[1]), cell)
    text = strip_cell(cell.replace("~", " ").replace("---", "-").replace("--", "-"))
    return MergedCell(text, int(columns[1]) if columns else 1, int(rows[1]) if rows else 1)


def _write_quantity(match: re.Match[str]) -> str:
    return f"{match[1]} {_write_unit(match[2])}"


def _write_unit(text: str) -> str:
    r"""Return siunitx's unit as its sign: \milli\second is ms."""
    return re.sub(r"\\([a-z]+)\s*", lambda match: _UNIT_WORDS.get(match[1], match[1]), text)
