"""Find the tables of reStructuredText: lists and CSV in directives, grids and simple tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deabench.errors import DataError
from deabench.tables.markup import strip_markup
from deabench.tables.readers.grids import Grid, MergedCell, expand_merged
from deabench.tables.readers.limits import Limits
from deabench.utils.lazy import lazy_pattern

if TYPE_CHECKING:
    from docutils import nodes

_DIRECTIVE = lazy_pattern(r"^[ \t]*\.\. (?:list-table|csv-table)::", re.MULTILINE)
"""What only reStructuredText has."""
_RULE = lazy_pattern(r"^[ \t]*(?:\+=+)+\+[ \t]*$|^[ \t]*==+(?:[ \t]+==+)+[ \t]*$", re.MULTILINE)
"""The rule below the header of a grid, or of a simple table, which terminals print, too."""
_FOOTNOTE = lazy_pattern(r"\\?\s*\[[\w#*-]+\]_")
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
    """Return whether a text has a directive or a rule of a table of reStructuredText."""
    # Most texts hold neither sign, and to search a long one for a pattern takes its time.
    has_directive = "-table::" in text and _DIRECTIVE.search(text) is not None
    return has_directive or ("==" in text and _RULE.search(text) is not None)


def find_rst_tables(text: str, limits: Limits, file: str) -> tuple[list[Grid], str]:
    """Return the tables of a text with merged cells filled, and the text around them.

    Raises
    ------
    DataError
        Where a directive holds the table, and docutils is not installed.
    """
    try:
        from docutils import nodes
        from docutils.core import publish_doctree
    except ImportError:
        if _DIRECTIVE.search(text) is None:
            return [], text
        raise DataError(
            f"'{file}' is reStructuredText; install docutils to read it "
            "(pip install 'deabench[files]'), or save the table as CSV"
        ) from None
    document = publish_doctree(text, settings_overrides=_SETTINGS)
    grids = []
    prose: list[str] = []
    heading = ""
    introduction: list[str] = []
    for node in document.findall(
        lambda n: isinstance(n, (nodes.title, nodes.paragraph, nodes.table))
    ):
        if isinstance(node, nodes.table):
            grids.append(_read_table(node, heading, introduction, limits, file))
            introduction = []
        elif not _is_within(node, nodes.table):
            words = _read_text(node)
            prose.append(words)
            if isinstance(node, nodes.title):
                heading = words
                introduction = []
            else:
                introduction.append(words)
    return [grid for grid in grids if grid.rows], "\n".join(prose)


def _read_text(node: nodes.Node) -> str:
    """Return the text of a node in one line, without its footnotes."""
    from docutils import nodes

    node = node.deepcopy()
    for reference in list(node.findall(nodes.footnote_reference)):
        reference.parent.remove(reference)
    # A note that the text does not have is left as it is written.
    return " ".join(strip_markup(_FOOTNOTE.sub("", node.astext())).split())


def _is_within(node: nodes.Node, kind: type[nodes.Node]) -> bool:
    """Return whether a node stands within one of a kind."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kind):
            return True
    return False


def _read_table(
    table: nodes.table, heading: str, introduction: list[str], limits: Limits, file: str
) -> Grid:
    """Return the cells of a table; its own title comes before the heading above it."""
    from docutils import nodes

    titles = [child.astext() for child in table.children if isinstance(child, nodes.title)]
    lines = [
        [
            MergedCell(
                _read_text(entry),
                entry.get("morecols", 0) + 1,
                entry.get("morerows", 0) + 1,
            )
            for entry in row.findall(nodes.entry)
        ]
        for row in table.findall(nodes.row)
    ]
    heads = [len(list(head.findall(nodes.row))) for head in table.findall(nodes.thead)]
    name = strip_markup(titles[0]) if titles else heading
    return Grid(expand_merged(lines, limits, file), max([1, *heads]), name, "\n".join(introduction))
