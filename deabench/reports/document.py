"""What a report holds, whatever it is written as: sentences, tables, pictures, and the data of the interactive plot."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.files import write_whole
from deabench.results import Result

FORMATS = ("html", "md", "tex")
HEAVY = 300_000
"""An SVG of more bytes than this is shipped as PNG."""


@dataclass(frozen=True)
class Table:
    """A frame with a caption; its index levels are its first columns.

    Attributes
    ----------
    key : str
        Its id in the page and the name of its CSV; letters, digits and hyphens.
    caption : str
    frame : DataFrame
    """

    key: str
    caption: str
    frame: pd.DataFrame

    @cached_property
    def columns(self) -> list[str]:
        names = [name if name is not None else "" for name in self.frame.index.names]
        return [str(name) for name in [*names, *self.frame.columns]]

    @cached_property
    def rows(self) -> list[list[Any]]:
        """Cells as str, float, int, bool, or None where there is nothing."""
        flat = self.frame.reset_index() if self.frame.index.names != [None] else self.frame.rename_axis("").reset_index()
        columns = [[plain_value(cell) for cell in flat.iloc[:, k].tolist()] for k in range(flat.shape[1])]
        return [list(row) for row in zip(*columns, strict=True)]

    @cached_property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [any(isinstance(row[k], int | float) and not isinstance(row[k], bool) for row in self.rows)
                for k in range(len(self.columns))]

    def shown(self, most: int | None = None) -> list[list[str]]:
        """The first `most` rows (all without it) as a reader sees them."""
        whole = [all(not isinstance(row[k], float) or row[k].is_integer() for row in self.rows)
                 for k in range(len(self.columns))]
        return [[shown(cell, whole[k]) for k, cell in enumerate(row)] for row in self.rows[:most]]


@dataclass(frozen=True)
class Picture:
    """A drawn figure, as SVG or PNG, with the words that stand for it."""

    kind: str
    data: bytes
    alt: str
    caption: str
    width: int

    @property
    def uri(self) -> str:
        """The picture as a data URI."""
        mime = {"svg": "image/svg+xml", "png": "image/png"}[self.kind]
        return f"data:{mime};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True)
class Page:
    """A part of a section that is opened by its title: one group, one data set."""

    title: str
    table: Table


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it, in the order words, pictures, tables, pages."""

    key: str
    title: str
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    pages: Sequence[Page] = ()

    @property
    def all_tables(self) -> list[Table]:
        return [*self.tables, *(page.table for page in self.pages)]


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """A report, to be written as one file.

    Attributes
    ----------
    title : str
    answer : sequence of str
        Who is efficient; who is not and by how much; what the tested (or the least efficient) one lacks.
    sections : sequence of Section
    plot : dict or None
        The interactive plot's data; None where there are no metrics to plot.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> page = db.report(wine, outputs=["TPR", "TNR"], title="Wine")
    >>> page.text("html")[:15]
    '<!doctype html>'
    """

    title: str
    answer: Sequence[str]
    sections: Sequence[Section]
    plot: dict[str, Any] | None = None

    def summary(self) -> str:
        """The answer, a sentence per line."""
        return "\n".join(self.answer)

    def to_frame(self) -> pd.DataFrame:
        """The first table of the page; empty where it has none."""
        tables = (table for section in self.sections for table in section.all_tables)
        first = next(tables, None)
        return pd.DataFrame() if first is None else first.frame.copy()

    def to_html(self) -> str:
        """One self-contained HTML file: no network, light and dark, printable."""
        from deabench.reports.html import html

        return html(self)

    def to_markdown(self) -> str:
        """The same sentences and tables as Markdown."""
        from deabench.reports.markdown import markdown

        return markdown(self)

    def to_latex(self) -> str:
        """The same sentences and tables as LaTeX (booktabs and longtable), to be put into a paper."""
        from deabench.reports.tex import tex

        return tex(self)

    def text(self, form: str) -> str:
        """The report as "html", "md" or "tex".

        Raises
        ------
        DataError
            Where the format is another.
        """
        if form not in FORMATS:
            raise DataError(f"format '{form}' is not known; it is one of " + ", ".join(f"'{known}'" for known in FORMATS))
        return {"html": self.to_html, "md": self.to_markdown, "tex": self.to_latex}[form]()

    def save(self, path: str | Path, form: str | None = None) -> None:
        """Write the report whole; without `form` the end of the name says what it is (.html, .md, .tex)."""
        write_whole(path, self.text(form or Path(path).suffix.lower().lstrip(".") or "html"))


def plain_value(cell: Any) -> Any:
    """A cell as text, number, truth value or None; infinities become text, as JSON has none."""
    if isinstance(cell, tuple | list):
        return ", ".join(str(part) for part in cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, float) and math.isinf(cell):
        return "∞" if cell > 0 else "-∞"
    return cell if isinstance(cell, bool | int | float) else str(cell)


def shown(cell: Any, whole: bool = True) -> str:
    """A cell for a reader: four decimals, less than 1e-9 is 0; CSV and the page's data keep every digit.

    `whole` says that all numbers of the column are whole, and none gets decimals.
    """
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not isinstance(cell, int | float):
        return str(cell)
    if whole and float(cell).is_integer():
        return str(int(cell))
    return f"{cell:.2e}" if 1e-9 <= abs(cell) < 1e-4 else f"{cell + 0.0 if abs(cell) >= 1e-9 else 0.0:.4f}"


def drawn(display: Any, alt: str, caption: str) -> Picture:
    """A display's figure as a Picture, the same bytes each time; a crowded one as PNG, which is then the smaller."""
    import matplotlib

    figure, kind = display.figure_, "svg"
    stream = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "deabench"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    if len(stream.getvalue()) > HEAVY:
        kind, stream = "png", io.BytesIO()
        figure.savefig(stream, format="png", dpi=150, metadata={"Software": None})
    return Picture(kind, stream.getvalue(), alt, caption, int(figure.get_size_inches()[0] * 96))
