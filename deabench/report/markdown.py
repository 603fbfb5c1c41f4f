"""Write a report as Markdown; its pictures are files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from deabench.utils.text import printable

if TYPE_CHECKING:
    from deabench.report.document import Report, ReportTable

SPECIAL_CHARACTERS = re.compile(r"([\\`*_{}\[\]()#+!|~<>$&-])")


def write_markdown(report: Report, pictures: Mapping[str, str]) -> str:
    """Write a report as Markdown; names from data are escaped, so that none becomes markup.

    Parameters
    ----------
    report : Report
    pictures : mapping
        {key of a picture: its file}.
    """
    lines = [f"# {escape_markdown(report.title)}", "", *_paragraphs(report.answer)]
    for section in report.sections:
        lines += [f"## {escape_markdown(section.title)}", "", *_paragraphs(section.sentences)]
        for picture in section.pictures:
            if picture.key in pictures:
                file = quote(pictures[picture.key])
                lines += [f"![{escape_markdown(picture.alt)}](<{file}>)", ""]
                lines += [f"*{escape_markdown(picture.caption)}*", ""]
        for table in section.all_tables:
            lines += [f"**{escape_markdown(table.caption)}**", "", *_table_lines(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def escape_markdown(text: object) -> str:
    """Escape a text on one line, with a visible mark for characters that cannot be seen."""
    # A line end would end a row of a table or a heading.
    return SPECIAL_CHARACTERS.sub(r"\\\1", printable(" ".join(str(text).split())))


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    return [line for sentence in sentences for line in (escape_markdown(sentence), "")]


def _table_lines(table: ReportTable) -> list[str]:
    return markdown_table(table.columns, table.cell_texts(), table.numeric)


def markdown_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]
) -> list[str]:
    """Return the lines of a table; columns of numbers are aligned right."""
    rule = "|".join("---:" if is_number else "---" for is_number in numeric)
    return [_row_line(columns), f"|{rule}|", *map(_row_line, rows)]


def _row_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"
