"""A report as one self-contained HTML file.

Text from data is escaped by Jinja or set as text by the script; the data block cannot close its
element; and a content security policy lets only the page's own script run, so that markup in a name
would stay dead even if it got through."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deabench import __version__
from deabench.utils.text import seen

if TYPE_CHECKING:
    from deabench.report.document import Report, Table

UNSAFE = re.compile("[<>&\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What could end the element, hide or turn text, or be no text at all: written as escapes of JSON.
"""


def html(report: Report) -> str:
    """The page."""
    script = template("page.js") + "deabench.start();\n"
    style = template("page.css") + template("workspace.css")
    tables = [table for section in report.sections for table in section.all_tables]
    data = {
        "data": report.data,
        "tables": {table.key: _table(table, report.data is not None) for table in tables},
        "dots": [
            {"table": f"dots-{section.key}", **section.dots}
            for section in report.sections
            if section.dots
        ],
    }
    return str(
        _environment()
        .from_string(template("report.html.j2"))
        .render(
            report=report,
            version=__version__,
            style=style,
            script=script,
            style_digest=_digest(style),
            script_digest=_digest(script),
            data=embedded(data),
        )
    )


def _table(table: Table, whole: bool) -> dict[str, Any]:
    """A table's rows; of one that the page makes of the workspace's own numbers its columns alone."""
    if table.live and whole:
        return {"columns": table.columns, "from": table.live}
    return {"columns": table.columns, "rows": table.rows}


def embedded(data: Any) -> str:
    """JSON that can stand inside a script element: no character of it can end the element or start
    a comment.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return UNSAFE.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text)


@cache
def template(name: str) -> str:
    return (files("deabench.report") / "templates" / name).read_text(encoding="utf-8")


def _environment() -> Any:
    from jinja2 import Environment, StrictUndefined

    def plain(value: Any) -> Any:
        return seen(value) if isinstance(value, str) and not hasattr(value, "__html__") else value

    return Environment(autoescape=True, undefined=StrictUndefined, finalize=plain)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
