"""A report as Markdown: the same sentences and tables, without pictures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deabench.reports.document import Report, Table

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~<>$&-])")


def markdown(report: Report) -> str:
    """The text; names from data are escaped, so that none becomes markup."""
    lines = [f"# {escaped(report.title)}", "", *_paragraphs(report.answer)]
    for section in report.sections:
        lines += [f"## {escaped(section.title)}", "", *_paragraphs(section.words)]
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
    return [head, rule, *("| " + " | ".join(escaped(cell) for cell in row) + " |" for row in table.shown())]
