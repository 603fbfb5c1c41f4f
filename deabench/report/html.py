"""Write a report as one self-contained HTML file.

Text from data is escaped by Jinja or set as text by the script; the data block cannot close its
element; and a content security policy lets only the page's own script run, so that markup in a name
would stay dead even if it got through.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deabench import __version__
from deabench.utils.text import printable

if TYPE_CHECKING:
    from deabench.report.document import Report, ReportTable

UNSAFE = re.compile("[<>&\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What could end the element, hide or turn text, or is no text: written as escapes of JSON."""
NOT_LIVE = ("undecided", "why no score")
"""Columns of the ranking that the page's workspace has not."""


def write_html(report: Report) -> str:
    """Write the page of a report."""
    # The policy allows the script by its digest, so the call that starts it is a part of it.
    script = read_template("page.js") + "deabench.start();\n"
    style = read_template("page.css") + read_template("workspace.css")
    has_workspace = report.data is not None
    page_data = {
        "data": report.data,
        "tables": {
            table.key: _table_data(table, has_workspace)
            for section in report.sections
            for table in section.all_tables
        },
        "dots": [
            {"table": f"dots-{section.key}", "title": section.title, **section.dots}
            for section in report.sections
            if section.dots
        ],
    }
    template = _jinja_environment().from_string(read_template("report.html.j2"))
    page = template.render(
        report=report,
        version=__version__,
        style=style,
        script=script,
        style_digest=_content_digest(style),
        script_digest=_content_digest(script),
        data=embed_json(page_data),
    )
    return str(page)


def _table_data(table: ReportTable, has_workspace: bool) -> dict[str, Any]:
    """Return a table's rows, or only its columns if the page makes the rows from the workspace."""
    if table.live and has_workspace:
        data = {"columns": table.columns, "from": table.live}
        # The workspace does not know why a score is missing or undecided.
        return data | ({"rows": table.rows} if set(NOT_LIVE) & set(table.columns) else {})
    return {"columns": table.columns, "rows": table.rows}


def embed_json(data: Any) -> str:
    """Write JSON that can stand inside a script element: it cannot end it or start a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Escapes of JSON mean the same to the parser and nothing to HTML.
    return UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


@cache
def read_template(name: str) -> str:
    """Read a file of deabench/report/templates."""
    return (files("deabench.report") / "templates" / name).read_text(encoding="utf-8")


def _jinja_environment() -> Any:
    from jinja2 import Environment, StrictUndefined

    def make_printable(value: Any) -> Any:
        # Markup of Jinja itself stays as it is.
        return value if hasattr(value, "__html__") else printable(value)

    return Environment(autoescape=True, undefined=StrictUndefined, finalize=make_printable)


def _content_digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
