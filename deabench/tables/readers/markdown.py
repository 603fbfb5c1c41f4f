"""Find the tables of Markdown, and of what a terminal prints."""

from __future__ import annotations

import re
from itertools import takewhile
from textwrap import dedent
from typing import TYPE_CHECKING

from deabench.tables.estimates import is_estimate
from deabench.tables.markup import strip_cell, strip_markup
from deabench.tables.readers.grids import Grid
from deabench.utils.lazy import lazy_pattern

if TYPE_CHECKING:
    from markdown_it.token import Token

RULE = lazy_pattern(
    r"^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*([|+][ \t]*:?-+:?[ \t]*)+(?:\|[ \t]*)?$", re.MULTILINE
)
"""The line between the header and the rows; psql crosses it with plus signs."""
_BOXED_RULE = lazy_pattern(
    r"^[ \t]*[+┌┏╔├┝┡┠╞╟╠└┗╚╘╰╭╒─━═+┴┷┼┿╇╈┬┯╤╧╪┤┥┩┨╢╡╣┐┓╗╮╕┘┛╝╯╛=:-]{3,}[ \t]*$"
)
_BOX = lazy_pattern(r"^[ \t]*(?:\+-+\+|[┌┏╔╭╒][─━═┬┯┳╤]{2})", re.MULTILINE)
_BAR = lazy_pattern(r"(?<!\\)\|")
"""What separates cells, and is no part of one."""
_LINE_BREAK = lazy_pattern(r"<br\s*/?>", re.IGNORECASE)
_HEADING_PARTS = lazy_pattern(r"<br\s*/?>(?!\s*[(\[<])|/|,|\\?\|", re.IGNORECASE)
_ASCIIDOC_TABLE = lazy_pattern(
    r"^\|={3,}[ \t]*\n(?P<lines>.*?)^\|={3,}[ \t]*$", re.MULTILINE | re.DOTALL
)
"""A table of AsciiDoc, between two lines of a bar and signs of equality."""
_VERTICAL = str.maketrans("│┃║", "|||")


def has_markdown_table(text: str) -> bool:
    """Return whether a line of a text is the rule below the header of a table."""
    patterns = (RULE, _BOX, _ASCIIDOC_TABLE)
    return any(pattern.search(text) is not None for pattern in patterns)


def find_markdown_tables(text: str) -> tuple[list[Grid], str]:
    """Return the tables of a Markdown text, and the text around them.

    Tables of a terminal (psql, MySQL, rich) and of AsciiDoc are read as Markdown, and so are those
    in blocks of code where no other is there.
    """
    from markdown_it import MarkdownIt

    text = _ASCIIDOC_TABLE.sub(_write_asciidoc, _draw_as_markdown(text))
    parser = MarkdownIt("commonmark").enable("table")
    # The cells are stripped of their markup elsewhere; to parse it takes most of the time.
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse(text)
    lines = text.split("\n")
    grids: list[Grid] = []
    heading = ""
    introduction: list[str] = []
    for k, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = strip_markup(tokens[k + 1].content)
            introduction = []
        if token.type == "paragraph_open":
            introduction.append(strip_markup(" ".join(tokens[k + 1].content.split())))
        if token.type == "table_open" and token.map is not None:
            rows, notes = _split_stacked_rows(_collect_rows(tokens, k))
            grids.append(Grid(rows, 1, heading, "\n".join(introduction), notes))
            introduction = []
            lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
    if grids:
        return grids, "\n".join(line for line in lines if line.strip())
    for token in tokens:
        if token.type in ("fence", "code_block") and has_markdown_table(token.content):
            grids += find_markdown_tables(dedent(token.content))[0]
    if not grids:
        grids = _split_by_bars(text.splitlines())
    return grids, text


def _write_asciidoc(table: re.Match[str]) -> str:
    """Return a table of AsciiDoc as Markdown; a row has a line, or each of its cells has one."""
    lines = [line.strip() for line in table["lines"].splitlines() if line.strip()]
    rows = [_BAR.split(line)[1:] for line in lines if line.startswith("|")]
    # The first line holds the header; without several cells in it nothing tells the columns.
    if len(rows) != len(lines) or len(rows) < 2 or len(rows[0]) < 2:
        return table[0]
    width = len(rows[0])
    cells = [cell.strip() for row in rows for cell in row]
    if len(cells) % width:
        return table[0]
    rows = [cells[start : start + width] for start in range(0, len(cells), width)]
    written = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(["", written[0], "|---" * width + "|", *written[1:], ""])


def _split_by_bars(lines: list[str]) -> list[Grid]:
    """Return the tables of lines whose rule has another number of cells than their header."""
    grids = []
    for k in range(1, len(lines)):
        if not RULE.match(lines[k]) or "|" not in lines[k - 1]:
            continue
        body = takewhile(lambda line: "|" in line, lines[k + 1 :])
        rows = [_BAR.split(line.strip().strip("|")) for line in (lines[k - 1], *body)]
        grids.append(Grid([[strip_markup(cell) for cell in row] for row in rows]))
    return grids


def _collect_rows(tokens: list[Token], start: int) -> list[list[str]]:
    """Return the cells of the table that begins at a token, with their markup."""
    rows: list[list[str]] = []
    for token in tokens[start:]:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
    return rows


def _split_stacked_rows(rows: list[list[str]]) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return cells without markup, a row for each line of numbers that stand below each other.

    Several cells of a row hold the same number of lines then: one system in several settings.

    Returns
    -------
    (rows, notes)
    """
    header, *body = rows
    # Few tables break lines, and to look for them takes time.
    if not any("<br" in cell.lower() for row in body for cell in row):
        return [[strip_cell(cell) for cell in row] for row in rows], ()
    lines = [[_LINE_BREAK.split(cell) for cell in row] for row in body]
    # How many lines of numbers each row has; none where two cells differ, or one cell is alone.
    counts = []
    for cells in lines:
        stacked = [len(parts) for parts in cells if len(parts) > 1 and all(map(_is_result, parts))]
        counts.append(stacked[0] if len(stacked) > 1 and len({*stacked}) == 1 else 0)
    split_count = sum(map(bool, counts))
    # Lines below a heading of as many names are different metrics of one system.
    heading_counts = {len(_HEADING_PARTS.split(heading)) for heading in header} - {1}
    names_each_line = not heading_counts.isdisjoint(counts)
    if split_count < 2 or 2 * split_count < len(body) or names_each_line:
        return [[strip_cell(cell) for cell in row] for row in rows], ()
    # Words are split as numbers are where they are as many on each row; in two lines a system has
    # a name and a remark.
    columns_of_lines = [
        k
        for k in range(len(header))
        if all(len(cells[k]) == n for cells, n in zip(lines, counts, strict=True) if n)
        and (k or max(counts) > 2)
    ]
    result = [header]
    for row, cells, count in zip(body, lines, counts, strict=True):
        is_split = [
            len(parts) == count and (k in columns_of_lines or all(map(_is_result, parts)))
            for k, parts in enumerate(cells)
        ]
        for line in range(max(count, 1)):
            columns = zip(row, cells, is_split, strict=True)
            result.append([parts[line] if split else cell for cell, parts, split in columns])
    note = f"cells of {split_count} rows hold several lines of numbers: each line is a row"
    return [[strip_cell(cell) for cell in row] for row in result], (note,)


def _is_result(part: str) -> bool:
    """Return whether a line of a cell begins with a digit and is a number; "+1.2" is a change."""
    text = strip_markup(part)
    return text[:1].isdigit() and is_estimate(text)


def _draw_as_markdown(text: str) -> str:
    """Return a text whose boxes of a terminal are tables of Markdown."""
    if not _BOX.search(text) and "-+-" not in text:
        return text
    lines: list[str] = []
    header = None
    first_row = None
    for line in text.splitlines():
        drawn = line.translate(_VERTICAL)
        is_row = drawn.count("|") > 1 or (header is None and "|" in drawn)
        if _BOXED_RULE.match(line) or (set(line.strip()) <= set("-+|") and "-+-" in line):
            # Of the rules only the one below the header stays; without it the first row is that.
            if lines and header is None and first_row is not None:
                header = lines[first_row]
                cells = header.strip().strip("|").count("|") + 1
                lines.insert(first_row + 1, "|" + "---|" * cells)
            continue
        if header is not None and not is_row and "|" not in drawn:
            header = None
            first_row = None
        if is_row and first_row is None:
            first_row = len(lines)
        lines.append(drawn.strip() if "|" in drawn else line)
    return "\n".join(lines)
