"""A report as Markdown: the same sentences and tables, and the pictures that stand in files beside
it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from deabench.report.document import Report, Table

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~<>$&-])")


def markdown(report: Report, pictures: Mapping[str, str]) -> str:
    """The text; names from data are escaped, so that none becomes markup."""
    lines = [f"# {escaped(report.title)}", "", *_paragraphs(report.answer)]
    for section in report.sections:
        lines += [f"## {escaped(section.title)}", "", *_paragraphs(section.words)]
        for one in section.pictures:
            if one.key in pictures:
                lines += [
                    f"![{escaped(one.alt)}](<{quote(pictures[one.key])}>)",
                    "",
                    f"*{escaped(one.caption)}*",
                    "",
                ]
        for table in section.all_tables:
            lines += [f"**{escaped(table.caption)}**", "", *_table(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: object) -> str:
    return SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def _paragraphs(sentences: object) -> list[str]:
    return [line for sentence in sentences for line in (escaped(sentence), "")]  # type: ignore[attr-defined]


def _table(table: Table) -> list[str]:
    head = "| " + " | ".join(escaped(name) for name in table.columns) + " |"
    rule = "|" + "|".join("---:" if right else "---" for right in table.numeric) + "|"
    return [
        head,
        rule,
        *("| " + " | ".join(escaped(cell) for cell in row) + " |" for row in table.shown()),
    ]
