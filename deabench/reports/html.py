"""A report as one self-contained HTML file.

Text from data is escaped by Jinja or set as text by the script; the data block cannot close its element; and a content security
policy lets only the page's own script run, so that markup in a name would stay dead even if it got through.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deabench import __version__

if TYPE_CHECKING:
    from deabench.reports.document import Report

SCRIPTS = ("solve.js", "tables.js", "plot.js")


def html(report: Report) -> str:
    """The page."""
    script = "".join(template(name) for name in SCRIPTS).replace('"use strict";\n', "")
    script = '"use strict";\n' + script
    style = template("style.css")
    tables = {table.key: {"columns": table.columns, "rows": table.rows}
              for section in report.sections for table in section.all_tables}
    return str(_environment().from_string(template("report.html.j2")).render(
        report=report, plot=report.plot, version=__version__, style=style, script=script,
        style_digest=_digest(style), script_digest=_digest(script), data=embedded({"tables": tables, "plot": report.plot}),
    ))


def embedded(data: Any) -> str:
    """JSON that can stand inside a script element: no character of it can end the element or start a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("utf-8", "replace").decode()


@cache
def template(name: str) -> str:
    return (files("deabench.reports") / "templates" / name).read_text(encoding="utf-8")


def _environment() -> Any:
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
