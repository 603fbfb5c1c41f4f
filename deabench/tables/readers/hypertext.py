"""Find the tables of HTML, also within Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from deabench.tables.markup import HTML_TABLE, strip_cell, strip_markup
from deabench.tables.readers.grids import Grid, MergedCell, expand_merged
from deabench.tables.readers.limits import Limits
from deabench.utils.lazy import lazy_pattern

_CLOSED = lazy_pattern(r"</table\s*>", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "caption")
_UNSEEN = ("script", "style", "template")
_KEPT_TAGS = ("sup", "br", "p", "div", "li", "b", "strong")
"""Tags that tell a footnote, a new line or bold text within a cell."""
_BOLD_STYLE = lazy_pattern(r"font-weight\s*:\s*(bold|[6-9]00)", re.IGNORECASE)


@dataclass
class _Cell:
    text: list[str] = field(default_factory=list)
    columns: int = 1
    rows: int = 1
    is_header: bool = False


@dataclass
class _OpenTable:
    heading: str
    rows: list[list[_Cell]] = field(default_factory=list)
    head_rows: int = 0
    in_head: bool = False
    row_is_open: bool = False
    cell: _Cell | None = None


class _TableParser(HTMLParser):
    """Collect the cells of all tables, and the text outside of them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[_OpenTable] = []
        self.open_tables: list[_OpenTable] = []
        self.prose: list[str] = []
        self.heading: list[str] | None = None
        self.last_heading = ""
        self.unseen_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self.unseen_depth += 1
        elif tag in _HEADINGS:
            self.heading = []
        elif tag == "table":
            self.tables.append(_OpenTable(self.last_heading))
            self.open_tables.append(self.tables[-1])
        elif self.open_tables:
            self._start_part(self.open_tables[-1], tag, dict(attrs))

    def _start_part(self, table: _OpenTable, tag: str, attributes: dict[str, str | None]) -> None:
        """Begin a part of a table: browsers close an open cell or row by the next one."""
        if tag in ("thead", "tbody", "tfoot"):
            table.in_head = tag == "thead"
            table.row_is_open = False
            table.cell = None
        elif tag == "tr":
            table.rows.append([])
            table.row_is_open = True
            table.cell = None
        elif tag in ("td", "th"):
            if not table.row_is_open:
                table.rows.append([])
                table.row_is_open = True
            table.cell = _Cell(
                columns=_parse_span(attributes.get("colspan")),
                rows=_parse_span(attributes.get("rowspan")),
                is_header=tag == "th" or table.in_head,
            )
            if _BOLD_STYLE.search(attributes.get("style") or ""):
                table.cell.text.append("<b>")
            table.rows[-1].append(table.cell)
        elif table.cell is not None and tag in _KEPT_TAGS:
            table.cell.text.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self.unseen_depth = max(self.unseen_depth - 1, 0)
        elif tag in _HEADINGS and self.heading is not None:
            self.last_heading = strip_markup("".join(self.heading))
            self.heading = None
            if tag == "caption" and self.open_tables:
                self.open_tables[-1].heading = self.last_heading
        elif self.open_tables:
            table = self.open_tables[-1]
            if tag == "table":
                self.open_tables.pop()
            elif tag in ("td", "th"):
                table.cell = None
            elif tag == "tr":
                table.row_is_open = False
                table.cell = None
            elif tag == "thead":
                table.in_head = False
                table.row_is_open = False
            elif table.cell is not None and tag == "sup":
                table.cell.text.append("</sup>")

    def handle_data(self, data: str) -> None:
        if self.unseen_depth:
            return
        if self.heading is not None:
            self.heading.append(data)
        if self.open_tables and self.open_tables[-1].cell is not None:
            self.open_tables[-1].cell.text.append(data)
        elif not self.open_tables and data.strip():
            self.prose.append(data.strip())


def find_html_tables(text: str, limits: Limits, file: str) -> tuple[list[Grid], str]:
    """Return the tables of an HTML text with merged cells filled, and the text around them."""
    parser = _TableParser()
    parser.feed(_remove_comments(text))
    parser.close()
    grids = []
    for table in parser.tables:
        cells = [
            [MergedCell(_join_text(c.text), c.columns, c.rows) for c in row]
            for row in table.rows
            if row
        ]
        rows = expand_merged(cells, limits, file)
        if rows:
            grids.append(Grid(rows, _count_header_rows(table), table.heading))
    return grids, "\n".join(parser.prose)


def _remove_comments(text: str) -> str:
    """Return a text without comments and without a tag that does not end.

    The parser would search for the end of each part that has none again and again.
    """
    parts = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        parts.append(text[position:start])
        end = text.find("-->", start + 4)
        if end < 0:
            position = len(text)
            break
        position = end + 3
    parts.append(text[position:])
    text = "".join(parts).replace("<![", "<!")
    end = text.rfind(">") + 1
    return text[:end] + text[end:].partition("<")[0]


def remove_html_tables(text: str) -> str:
    """Return a text of Markdown without its tables of HTML."""
    parts = []
    end = 0
    for start in HTML_TABLE.finditer(text):
        if start.start() < end:
            continue
        closed = _CLOSED.search(text, start.end())
        if closed is None:
            break
        parts.append(text[end : start.start()])
        end = closed.end()
    return "\n".join([*parts, text[end:]])


def _join_text(parts: list[str]) -> str:
    """Return the text of a cell, in which a line end is a blank."""
    return strip_cell(" ".join("".join(parts).split()))


def _parse_span(value: str | None) -> int:
    """Return how many columns or rows a cell covers; a browser takes 1 for what is no number."""
    digits = (value or "").strip()
    return max(int(digits), 1) if digits.isdecimal() and len(digits) < 6 else 1


def _count_header_rows(table: _OpenTable) -> int:
    """Return how many of the first rows are headers, which have header cells alone."""
    rows = [row for row in table.rows if row]
    count = 0
    # Names of groups may be plain cells, merged over the header cells below them.
    is_merged = len(rows) > 1 and any(cell.columns > 1 for cell in rows[0])
    if is_merged and not any(cell.is_header for cell in rows[0]):
        count = 1 if all(cell.is_header for cell in rows[1]) else 0
    while count < len(rows) and all(cell.is_header for cell in rows[count]):
        count += 1
    # A table of header cells alone has a header of one row.
    return count if count < len(rows) else 1
