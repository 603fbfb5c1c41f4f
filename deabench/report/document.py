"""What a report holds, whatever it is written as: sentences, tables, pictures, and the data of the
page's workspace.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.report.text.words import column_decimals, format_number
from deabench.utils.checks import choice
from deabench.utils.files import write_whole
from deabench.utils.result import Result

if TYPE_CHECKING:
    from deabench.report.report_results import Findings

FORMATS = ("html", "md", "tex")
HEAVY = 200_000
"""An SVG of more bytes than this is shipped as PNG."""
Figures = Literal["pdf", "pgf", "svg", "png"]
FIGURES: tuple[Figures, ...] = get_args(Figures)
BESIDE: dict[str, Figures] = {"md": "svg", "tex": "pdf"}
"""What the figures beside a file are, where nothing else is asked for."""
Live = Literal["", "ranking", "weights"]


@dataclass(frozen=True)
class Table:
    """A frame with a caption; its index levels are its first columns.

    Attributes
    ----------
    key : str
        Its id in the page and the name of its CSV; letters, digits and hyphens.
    caption : str
    frame : DataFrame
    live : str
        What the page makes its rows of, where the workspace has those numbers anyway: "ranking" or
        "weights".
    """

    key: str
    caption: str
    frame: pd.DataFrame
    live: Live = ""

    @cached_property
    def columns(self) -> list[str]:
        names = [name if name is not None else "" for name in self.frame.index.names]
        return [str(name) for name in [*names, *self.frame.columns]]

    @cached_property
    def rows(self) -> list[list[Any]]:
        """Cells as str, float, int, bool, or None where there is nothing."""
        flat = (
            self.frame.reset_index()
            if self.frame.index.names != [None]
            else self.frame.rename_axis("").reset_index()
        )
        columns = [
            [plain_value(cell) for cell in flat.iloc[:, k].tolist()] for k in range(flat.shape[1])
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    @cached_property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [
            any(
                isinstance(row[k], int | float) and not isinstance(row[k], bool)
                for row in self.rows
            )
            for k in range(len(self.columns))
        ]

    def shown(self, most: int | None = None) -> list[list[str]]:
        """The first `most` rows (all without it) as a reader sees them."""
        places = [column_decimals([row[k] for row in self.rows]) for k in range(len(self.columns))]
        return [[shown(cell, places[k]) for k, cell in enumerate(row)] for row in self.rows[:most]]


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn where it is written: a file beside Markdown and LaTeX, inside the page
    where that has nothing live.

    Attributes
    ----------
    key : str
        Part of its file's name; letters, digits and hyphens.
    display : function without arguments
        Gives the drawn Display.
    alt, caption : str
    live : bool
        Whether the page has a chart of its own instead.
    """

    key: str
    display: Callable[[], Any]
    alt: str
    caption: str
    live: bool = True

    def drawn(self, kind: Figures) -> bytes:
        """The figure as a file, the same bytes each time."""
        import matplotlib

        undated: dict[str, Any] = {
            "png": {"Software": None},
            "svg": {"Date": None, "Creator": None},
            "pdf": {"CreationDate": None},
        }
        stream = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "deabench", "pdf.fonttype": 42}):
            figure = self.display().figure_
            figure.savefig(stream, format=kind, dpi=150, metadata=undated.get(kind))
        return stream.getvalue()

    @cached_property
    def uri(self) -> str:
        """The picture as a data URI; a crowded one as PNG, which is then the smaller."""
        data, mime = self.drawn("svg"), "svg+xml"
        if len(data) > HEAVY:
            data, mime = self.drawn("png"), "png"
        return f"data:image/{mime};base64,{base64.b64encode(data).decode()}"


@dataclass(frozen=True)
class Page:
    """A part of a section that is opened by its title: one group, one data set."""

    title: str
    table: Table


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it, in the order words, pictures, tables, pages.

    `dots` are efficiencies by group that the page draws live: groups, names, and a row of values
    per group."""

    key: str
    title: str
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    pages: Sequence[Page] = ()
    dots: dict[str, Any] | None = None

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
        Who is efficient; who is not and by how much; what the tested (or the least efficient) one
        lacks.
    sections : sequence of Section
    data : dict or None
        What the page's workspace is made of; None where there are fewer than two metrics.
    findings : Findings or None
        The results that it tells of; None where it was made from a saved ranking.

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
    data: dict[str, Any] | None = None
    findings: Findings | None = None

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
        from deabench.report.html import html

        return html(self)

    def to_markdown(self, pictures: Mapping[str, str] | None = None) -> str:
        """The same sentences and tables as Markdown; `pictures` are the files that stand beside it,
        by their keys.
        """
        from deabench.report.markdown import markdown

        return markdown(self, pictures or {})

    def to_latex(self, pictures: Mapping[str, str] | None = None) -> str:
        """The same sentences and tables as LaTeX, to be put into a paper; `pictures` as for
        `to_markdown`.
        """
        from deabench.report.latex import tex

        return tex(self, pictures or {})

    def _repr_html_(self) -> str:
        """The answer and the first table, for a notebook; `deabench.explore` shows the workspace
        there.
        """
        return super()._repr_html_()

    def text(self, form: str) -> str:
        """The report as "html", "md" or "tex".

        Raises
        ------
        DataError
            Where the format is another.
        """
        if form not in FORMATS:
            raise DataError(
                f"format '{form}' is not known; it is one of "
                + ", ".join(f"'{known}'" for known in FORMATS)
            )
        return {"html": self.to_html, "md": self.to_markdown, "tex": self.to_latex}[form]()

    def save(
        self, path: str | Path, form: str | None = None, *, figures: Figures | None = None
    ) -> None:
        """Write the report whole.

        Parameters
        ----------
        path : str or Path
            Without `form` its end says what is written: .html, .md or .tex.
        figures : {"pdf", "pgf", "svg", "png"}, optional
            What the pictures beside .md and .tex are, named after the file; without it svg for
            Markdown and pdf for LaTeX.
        """
        path = Path(path)
        form = form or path.suffix.lower().lstrip(".") or "html"
        if form not in BESIDE:
            write_whole(path, self.text(form))
            return
        kind = figures or BESIDE[form]
        choice("figures", kind, FIGURES)
        named = {
            one.key: f"{path.stem}-{one.key}.{kind}"
            for section in self.sections
            for one in section.pictures
        }
        for section in self.sections:
            for one in section.pictures:
                write_whole(path.with_name(named[one.key]), one.drawn(kind))
        write_whole(path, self.to_markdown(named) if form == "md" else self.to_latex(named))


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


def shown(cell: Any, places: int = 4) -> str:
    """A cell for a reader, with so many decimals; less than 1e-9 is 0. CSV and the page's data keep
    every digit.
    """
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not isinstance(cell, int | float):
        return str(cell)
    return format_number(cell, places)
