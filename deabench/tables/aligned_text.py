"""Split plain text that is aligned by blanks or bars into cells, as programs print tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from deabench.tables.estimates import is_estimate, parse_estimate
from deabench.tables.readers.grids import Grid
from deabench.utils.lazy import lazy_pattern

PROBED_LINES = 20
PROBED_CHARACTERS = 1 << 14
"""What is looked at of a longer text to see what it is."""
RULED_LINE = re.compile(r" *[=~─━═-]{3,}( +[=~─━═-]{2,})* *")
"""A line below or above the names of a table in plain text."""
MAX_DOCUMENT = 1 << 20
"""No table is looked for in a longer text."""
MAX_TITLES = 3
"""So many lines of a paragraph may stand above its table."""
_RULE = lazy_pattern(r"[ \t]*([=─━═-])\1*(?:[ \t]+\1+)+[ \t]*")
"""A rule below the names of a table, broken where its columns end."""
_LOG_LEVEL = lazy_pattern(r"^\[(?:info|INFO)\] ?", re.MULTILINE)
_PARAGRAPH_END = lazy_pattern(r"\n[ \t]*\n|^[ \t]*(?:```|~~~).*$", re.MULTILINE)


def remove_log_levels(text: str) -> str:
    """Return a text without the levels that sbt and Maven put before each line: "[info] "."""
    return _LOG_LEVEL.sub("", text) if "[info]" in text or "[INFO]" in text else text


def find_aligned_tables(text: str) -> tuple[list[Grid], str]:
    """Return the tables between the paragraphs of a text, and the text without them.

    They stand in paragraphs or in blocks of code of their own, below a few lines of titles.
    """
    if len(text) > MAX_DOCUMENT:
        return [], text
    grids = []
    prose = []
    for paragraph in _PARAGRAPH_END.split(text):
        lines = list(filter(str.strip, paragraph.splitlines()))
        tables = (_split_paragraph(lines[k:]) for k in range(min(MAX_TITLES, len(lines)) + 1))
        start, rows = next(((k, rows) for k, rows in enumerate(tables) if rows), (len(lines), []))
        if rows:
            grids.append(Grid(rows, 1, " ".join(lines[:start]).strip()))
        prose += lines[:start]
    return grids, "\n".join(prose)


def is_mostly_ruled(text: str) -> bool:
    """Return whether tables below rules hold most of the lines of a text that hold digits."""
    lines = text.splitlines()
    if len(text) > MAX_DOCUMENT or not any(map(_RULE.fullmatch, lines)):
        return False
    grids, _ = find_aligned_tables(text)
    rows = sum(len(grid.rows) - 1 for grid in grids)
    return 2 * rows > sum(any(map(str.isdigit, line)) for line in lines)


def _split_ruled(lines: list[str]) -> list[list[str]]:
    """Return the cells of a table whose columns a rule below their names marks; else nothing.

    Simple tables of reStructuredText are such tables, with a rule above the names, too, and one at
    the end. A line without a first cell goes on with the line above then. Other rules between the
    rows part them.
    """
    rules = [k for k, line in enumerate(lines) if _RULE.fullmatch(line)]
    top = 1 if rules[:1] == [0] else 0
    below_names = next((k for k in rules if k > top), 0)
    if not below_names or (top == 0 and below_names > 1):
        return []
    # Below the last rule of a simple table stand footnotes, which are no rows.
    if top and len(rules) > 2 and rules[-1] < len(lines) - 1:
        return []
    body = [line for line in lines[below_names + 1 :] if not _RULE.fullmatch(line)]
    columns = [match.span() for match in re.finditer(r"\S+", lines[below_names])]
    borders = _find_borders(body, columns)
    if not body or not borders:
        return []
    header = _cut_names(lines[top:below_names], borders)
    rows: list[list[str]] = []
    for cells in (_cut_line(line, borders) for line in body):
        if rows and top and not cells[0] and not _holds_number(cells):
            rows[-1] = [" ".join(filter(None, cell)) for cell in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    # Where a cell holds two columns, or a row the names again, the rule marks something else.
    if not header or header in rows or any("  " in cell for row in rows for cell in row):
        return []
    return [header, *rows] if any(map(_holds_number, rows)) else []


def _holds_number(cells: Sequence[str]) -> bool:
    return any(is_estimate(cell) for cell in cells)


def _find_borders(lines: list[str], columns: Sequence[tuple[int, int]]) -> list[int]:
    """Return where the columns of a rule begin in lines, which are blank before; else nothing."""
    borders = [0]
    for (_, end), (start, _) in pairwise(columns):
        blanks = [
            k for k in range(end, start) if not any(line[k : k + 1].strip() for line in lines)
        ]
        if not blanks:
            return []
        borders.append(blanks[-1])
    return borders


def _cut_names(lines: list[str], borders: list[int]) -> list[str]:
    """Return the names of columns, from one line or several; nothing of other lines."""
    parts = [_cut_line(line, borders) for line in lines]
    # A name may be wider than its column; then blanks separate it from the others.
    if any(line[k : k + 1].strip() for line in lines for k in borders[1:]):
        parts = [_split_line(lines[0], r"\s{2,}")] if len(lines) == 1 else []
    # Below the last row stands a rule, too.
    if any(len(names) != len(borders) or _holds_number(names) for names in parts):
        return []
    return [" ".join(filter(None, names)) for names in zip(*parts, strict=True)]


def _cut_line(line: str, borders: list[int]) -> list[str]:
    """Return the cells of a line between borders."""
    return [line[a:b].strip() for a, b in pairwise([*borders, max(len(line), borders[-1])])]


def _split_paragraph(lines: list[str]) -> list[list[str]]:
    """Return the cells of a table that bars, a rule or blanks align; nothing of other lines."""
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if _holds_cells(line)]
    has_bars = len(rows) > 2 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1
    if has_bars and any(parse_estimate(cell, False) for row in rows[1:] for cell in row):
        return rows
    if ruled := _split_ruled(lines):
        return ruled
    rows = split_aligned("\n".join(lines), "\t")
    # What ends with a separator is a cell of CSV.
    return [] if any(cell.endswith((",", ";", "|")) for row in rows for cell in row) else rows


def split_aligned(text: str, separator: str) -> list[list[str]]:
    """Return the cells of a table that is aligned by blanks; an empty list for any other text.

    It has no other separator, the same number of cells in all lines, and numbers in the last of
    them. A header without a name for the first column is shorter by one. Lines that are ruled, as
    in reStructuredText, hold no cells. The names of pandas' index stand in a line below the header,
    and an outer one that repeats is blank.

    Parameters
    ----------
    separator : str
        What separates the cells of a CSV file; no line holds it.
    """
    head = list(filter(_holds_cells, text[:PROBED_CHARACTERS].splitlines()))
    if len(head) < 3 or any(separator in line for line in head):
        return []
    head = head[:PROBED_LINES]
    lines = list(filter(_holds_cells, text.splitlines()))
    for blanks in (r"\s{2,}", r"\s+"):
        if _is_table([_split_line(line, blanks) for line in head]):
            header, *rows = [_split_line(line, blanks) for line in lines]
            if len(header) < len(rows[0]):
                header = _place_names(lines) or ["", *header]
            return [header, *rows]
        header = _join_index_names(head[:2], blanks)
        if header and _is_table([header, *_fill_repeated(head[2:], blanks)]):
            return [header, *_fill_repeated(lines[2:], blanks)]
    return _cut_below_names(lines)


def _cut_below_names(lines: Sequence[str]) -> list[list[str]]:
    r"""Return the cells of a table each of which begins below the name of its column; else nothing.

    The widest cells may fill their columns, so that a single blank separates them from the next.

    Examples
    --------
    >>> _cut_below_names(["model  acc  time", "nb     0.8  12.51", "svm    0.95 3.2"])
    [['model', 'acc', 'time'], ['nb', '0.8', '12.51'], ['svm', '0.95', '3.2']]
    """
    borders = [match.start() for match in re.finditer(r"(?:^|(?<=\s\s))\S", lines[0])]
    # The first name stands at the margin, and there are others.
    if len(borders) < 2 or borders[0]:
        return []
    names, *rows = [_cut_line(line, borders) for line in lines]
    for line, cells in zip(lines[1:], rows, strict=True):
        for border, cell in zip(borders, cells, strict=True):
            is_parted = not line[max(border - 1, 0) : border].strip()
            begins_here = not cell or not line[border].isspace()
            if not is_parted or not begins_here or "  " in cell:
                return []
    if _holds_number(names) or not all(map(_holds_number, rows)):
        return []
    return [names, *rows]


def _is_table(rows: list[list[str]]) -> bool:
    """Return whether all rows have the same cells and end with numbers, below a header of names."""
    if len(rows) < 2:
        return False
    width = len(rows[1])
    ends = [is_estimate(row[-1]) for row in rows]
    has_header = width > 1 and len(rows[0]) in (width, width - 1) and not ends[0]
    return has_header and all(ends[1:]) and all(len(row) == width for row in rows[1:])


def _place_names(lines: list[str]) -> list[str]:
    r"""Return the names in the first line, of which a single blank separates two.

    They are told apart where they begin or end with their columns. Empty where the line begins with
    blanks, as that of a table without a name for its first column.

    Examples
    --------
    >>> _place_names(["model     Time (s) Std (s)", "a             12.5     0.1"])
    ['model', 'Time (s)', 'Std (s)']
    """
    names, *rows = lines
    if names[:1].isspace():
        return []
    cell = re.compile(r"\S+(?:\s\S+)*")
    spans = [[match.span() for match in cell.finditer(row)] for row in rows[:PROBED_LINES]]
    groups = [match.span() for match in cell.finditer(names)]
    # Cells that are one blank apart are taken for one, and have no names then.
    if {*map(len, spans)} != {len(groups) + 1}:
        return []
    columns = [(min(c)[0], max(end for _, end in c)) for c in zip(*spans, strict=True)]
    placed: list[tuple[int, list[str]]] = []
    for k, (start, end) in enumerate(groups):
        for blank in re.finditer(r"\s", names[start:end]):
            first = (start, start + blank.start())
            second = (start + blank.end(), end)
            parts = [*groups[:k], first, second, *groups[k + 1 :]]
            pairs = zip(parts, columns, strict=True)
            distance = sum(min(abs(a - c), abs(b - d)) for (a, b), (c, d) in pairs)
            placed.append((distance, [names[a:b] for a, b in parts]))
    return min(placed, default=(0, []))[1]


def _join_index_names(lines: list[str], blanks: str) -> list[str]:
    r"""Return the names of an index, in the second line, before those of the columns.

    Empty where the first line does not begin with blanks, or the second one does.

    Examples
    --------
    >>> _join_index_names(["       acc   f1", "model"], r"\s{2,}")
    ['model', 'acc', 'f1']
    """
    columns, index_names = lines
    if not columns[:1].isspace() or index_names[:1].isspace():
        return []
    names = _split_line(index_names, r"\s+")
    # The names of the index end before those of the columns begin.
    is_before = len(index_names.rstrip()) <= len(columns) - len(columns.lstrip())
    are_names = all(parse_estimate(name, False) is None for name in names)
    return [*names, *_split_line(columns, blanks)] if is_before and are_names else []


def _fill_repeated(lines: list[str], blanks: str) -> list[list[str]]:
    """Return the cells of lines; where they begin with blanks, the outer names of those above."""
    rows: list[list[str]] = []
    for line in lines:
        cells = _split_line(line, blanks)
        if rows and line[:1].isspace():
            cells = rows[-1][: max(len(rows[-1]) - len(cells), 0)] + cells
        rows.append(cells)
    return rows


def _holds_cells(line: str) -> bool:
    """Return whether a line is neither blank nor ruled."""
    return bool(line.strip()) and RULED_LINE.fullmatch(line) is None


def _split_line(line: str, blanks: str) -> list[str]:
    """Return the cells of a line that blanks separate; blanks between quotes belong to a cell."""
    if '"' not in line:
        return re.split(blanks, line.strip())
    cells = re.findall(r'"(?:[^"]|"")*"|\S+', line)
    return [re.sub(r'^"(.*)"$', r"\1", cell).replace('""', '"') for cell in cells]
