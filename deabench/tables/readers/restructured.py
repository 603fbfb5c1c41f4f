"""Find the tables that only reStructuredText has: lists, CSV and grids with merged cells.

Its plain grids and simple tables are what terminals print, and are read as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from deabench.errors import DataError
from deabench.tables.markup import strip_markup
from deabench.tables.readers.grids import Grid, MergedCell, expand_merged
from deabench.tables.readers.limits import Limits
from deabench.utils.lazy import lazy_pattern

if TYPE_CHECKING:
    from docutils import nodes

_DIRECTIVE = lazy_pattern(r"([ \t]*)\.\. (?:list|csv)-table::")
_GRID_RULE = lazy_pattern(r"[ \t]*\+(?:-+\+)+[ \t]*$")
_HEADER_RULE = lazy_pattern(r"[ \t]*\+(?:=+\+)+[ \t]*$")
_RULE_PART = lazy_pattern(r"\+-+\+")
_UNDERLINE = lazy_pattern(r"([=\-~^\"'#*+.])\1{2,}[ \t]*$")
_ENUMERATOR = lazy_pattern(
    r"^([ \t]*(?:\* )?- )(?=(?:[A-Za-z0-9#]{1,4}[.)]|[-+*•]) )", re.MULTILINE
)
"""What the text of a cell would be a list by: "J. Smith" and "1. resnet" are names."""
_REFERENCE = lazy_pattern(r"`([^`<>]+?)\s*(?:<[^`<>]*>)?`__?(?!\w)")
"""A link, as in "`0.82 <results_>`_", whose target may stand on another page."""
_LIST_ROW = lazy_pattern(r"[ \t]*\* -(?:\s|$)")
"""The first cell of a row of a list."""
_FOOTNOTE = lazy_pattern(r"\\?\s*\[[\w#*-]+\]_")
MAX_GRID_LINES = 5000
"""To find the merged cells of a longer grid takes minutes."""
MAX_LINES_ABOVE = 200
"""A heading that is further above a table is not its own."""
_SETTINGS = {
    # Nothing is read or executed but the text itself.
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    # Roles and directives of Sphinx are unknown here: what is faulty is passed over.
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "output_encoding": "unicode",
}


def has_rst_table(text: str) -> bool:
    """Return whether a text may hold a table that only reStructuredText has."""
    return "-table::" in text or "+==" in text


def find_rst_tables(text: str, limits: Limits, file: str) -> tuple[list[Grid], str]:
    """Return the tables of lists, of CSV and with merged cells, and the text without them.

    Raises
    ------
    DataError
        Where a directive holds a table, and docutils is not installed.
    """
    # Tabs indent as docutils reads them.
    lines = text.expandtabs(8).split("\n")
    grids = []
    for first, last, is_directive in list(_find_blocks(lines)):
        block = lines[first:last]
        grid = (
            _read_directive(block, limits, file)
            if is_directive
            else _read_merged(block, limits, file)
        )
        if grid is None:
            continue
        heading, introduction = _read_above(lines[max(first - MAX_LINES_ABOVE, 0) : first])
        grids.append(replace(grid, name=grid.name or heading, introduction=introduction))
        lines[first:last] = [""] * (last - first)
    return grids, "\n".join(lines)


def _find_blocks(lines: list[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield where tables begin and end, and whether a directive holds them."""
    k = 0
    while k < len(lines):
        directive = _DIRECTIVE.match(lines[k])
        end = k + 1
        if directive is not None:
            # Its content is indented further than itself, or empty.
            margin = directive[1] + " "
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(margin)):
                end += 1
            yield k, end, True
        elif _GRID_RULE.match(lines[k]):
            while end < len(lines) and lines[end].strip()[:1] in ("+", "|"):
                end += 1
            yield k, end, False
        k = end


def _read_above(lines: list[str]) -> tuple[str, str]:
    """Return the title above a table, and the paragraphs between both, a line each."""
    heading = ""
    paragraphs: list[str] = []
    words: list[str] = []
    for k in range(len(lines) - 1, 0, -1):
        line = lines[k].strip()
        if _UNDERLINE.match(line) and lines[k - 1].strip():
            heading = _to_text(lines[k - 1])
            break
        if line:
            words.insert(0, _to_text(line))
        elif words:
            paragraphs.insert(0, " ".join(words))
            words = []
    return heading, "\n".join(filter(None, [" ".join(words), *paragraphs]))


def _to_text(text: str) -> str:
    """Return a text in one line, without markup, links and footnotes."""
    text = _REFERENCE.sub(r"\1", _FOOTNOTE.sub("", text))
    return " ".join(strip_markup(text).split())


def _read_merged(block: list[str], limits: Limits, file: str) -> Grid | None:
    """Return the table of a grid with merged cells; None where each row has the same cells."""
    margin = len(block[0]) - len(block[0].lstrip())
    lines = [line[margin:].rstrip() for line in block]
    borders = [k for k, sign in enumerate(lines[0]) if sign == "+"]
    has_header = any(map(_HEADER_RULE.match, lines))
    # A merged cell has no border where other rows have one, or no rule where they have one.
    is_merged = any(line[k : k + 1] not in ("|", "+") for line in lines for k in borders)
    is_merged |= any(_RULE_PART.search(line) and not _GRID_RULE.match(line) for line in lines)
    if not has_header or not is_merged or len(lines) > MAX_GRID_LINES:
        return None
    try:
        from docutils.parsers.rst.tableparser import GridTableParser, TableMarkupError
        from docutils.statemachine import StringList
    except ImportError:
        return None
    try:
        _, header, body = GridTableParser().parse(StringList(lines, source="table"))
    # Signs of two columns in width shift the borders.
    except (TableMarkupError, IndexError):
        return None
    rows = [
        [
            # A cell that another one covers is None.
            MergedCell(_to_text("\n".join(cell[3])), cell[1] + 1, cell[0] + 1)
            for cell in row
            if cell is not None
        ]
        for row in [*header, *body]
    ]
    return Grid(expand_merged(rows, limits, file), max(len(header), 1))


def _read_directive(block: list[str], limits: Limits, file: str) -> Grid | None:
    """Return the table of a directive; None where it is faulty."""
    try:
        from docutils import core, nodes
    except ImportError:
        raise DataError(
            f"'{file}' is reStructuredText; install docutils to read it "
            "(pip install 'deabench[files]'), or save the table as CSV"
        ) from None
    text = _ENUMERATOR.sub(r"\1\\", "\n".join(_fill_last_row(block)))
    document = core.publish_doctree(text, settings_overrides=_SETTINGS)
    table = next(iter(document.findall(nodes.table)), None)
    if table is None:
        return None
    titles = [child.astext() for child in table.children if isinstance(child, nodes.title)]
    lines = table.findall(nodes.row)
    passed_over = (nodes.footnote_reference, nodes.system_message)
    rows = [
        [_read_cell(entry, passed_over) for entry in line.findall(nodes.entry)] for line in lines
    ]
    headers = [len(list(head.findall(nodes.row))) for head in table.findall(nodes.thead)]
    name = _to_text(titles[0]) if titles else ""
    return Grid(expand_merged(rows, limits, file), max([1, *headers]), name)


def _fill_last_row(block: list[str]) -> list[str]:
    """Return the lines of a list with empty cells at the end of a last row that was cut off.

    docutils refuses a list whose rows have different numbers of cells.
    """
    starts = [k for k, line in enumerate(block) if _LIST_ROW.match(line)]
    if len(starts) < 3:
        return block
    margin = block[starts[0]].index("-")
    cell_counts = [
        sum(line[margin : margin + 1] == "-" and not line[:margin].strip("* ") for line in row)
        for row in (block[a:b] for a, b in pairwise([*starts, len(block)]))
    ]
    missing_count = cell_counts[0] - cell_counts[-1]
    if missing_count < 1 or {*cell_counts[:-1]} != {cell_counts[0]}:
        return block
    while not block[-1].strip():
        block = block[:-1]
    return [*block, *[" " * margin + "-"] * missing_count]


def _read_cell(entry: nodes.entry, passed_over: tuple[type[nodes.Node], ...]) -> MergedCell:
    """Return a cell without its footnotes and messages of docutils, which are passed over."""
    entry = entry.deepcopy()
    for node in list(entry.findall(lambda n: isinstance(n, passed_over))):
        node.parent.remove(node)
    columns = entry.get("morecols", 0) + 1
    return MergedCell(_to_text(entry.astext()), columns, entry.get("morerows", 0) + 1)
