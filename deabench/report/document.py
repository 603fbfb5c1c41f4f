"""Hold what a report consists of, in any format: sentences, tables, pictures and page data."""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args
from urllib.parse import quote

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.report.text.words import column_decimals, format_number
from deabench.utils.checks import choice, is_number
from deabench.utils.files import find_overwritten, write_whole
from deabench.utils.result import Result
from deabench.utils.text import escape_markdown, markdown_table, quote_names

if TYPE_CHECKING:
    from deabench.report.report_results import ReportResults

FORMATS = ("html", "md", "tex")
FURTHER_DIGITS = re.compile(r"(\d\d\.\d|\.\d\d)\d+")
"""Digits beyond a tenth of a point, and beyond a hundredth of smaller numbers."""
MAX_SVG_BYTES = 200_000
"""A larger SVG is put into the page as PNG."""
NARROW_INCHES = 3.7
"""The width of the pictures of a narrow page, 355 pixels."""
FigureFormat = Literal["pdf", "pgf", "svg", "png"]
FIGURE_FORMATS: tuple[FigureFormat, ...] = get_args(FigureFormat)
DEFAULT_FIGURE_FORMATS: dict[str, FigureFormat] = {"md": "svg", "tex": "pdf"}
"""The format of the pictures beside a file."""
Live = Literal["", "ranking", "weights"]
UNDATED: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
}
"""Metadata without which a picture has the same bytes each time."""


@dataclass(frozen=True)
class ReportTable:
    """A frame with a caption; its index levels are its first columns.

    Attributes
    ----------
    key : str
        Its id in the page and the name of its CSV; letters, digits and hyphens.
    caption : str
    frame : DataFrame
    live : str
        "ranking" or "weights" if the page makes the rows from the numbers of its workspace.
    """

    key: str
    caption: str
    frame: pd.DataFrame
    live: Live = ""

    @cached_property
    def columns(self) -> list[str]:
        """Return the titles of all columns."""
        levels = ["" if name is None else name for name in self.frame.index.names]
        return [str(name) for name in [*levels, *self.frame.columns]]

    @cached_property
    def rows(self) -> list[list[Any]]:
        """Return the cells as str, float, int, bool, or None if they are empty."""
        frame = self.frame
        if frame.index.names == [None]:
            # An index without a name would become a column named "index".
            frame = frame.rename_axis("")
        # An index may have the name of a metric.
        frame = frame.reset_index(allow_duplicates=True)
        columns = [
            [to_json_cell(cell) for cell in frame.iloc[:, k].tolist()]
            for k in range(frame.shape[1])
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    @cached_property
    def numeric(self) -> list[bool]:
        """Return which columns hold numbers."""
        # One number makes a column numeric; empty cells do not count.
        return [any(is_number(row[k]) for row in self.rows) for k in range(len(self.columns))]

    def cell_texts(self, max_rows: int | None = None) -> list[list[str]]:
        """Return the cells as a reader sees them: numbers with the decimals of their column.

        Parameters
        ----------
        max_rows : int, optional
            Only so many rows; all without it.
        """
        decimals = [
            column_decimals([row[k] for row in self.rows]) for k in range(len(self.columns))
        ]
        return [
            [_cell_text(cell, decimals[k]) for k, cell in enumerate(row)]
            for row in self.rows[:max_rows]
        ]


@dataclass(frozen=True)
class Picture:
    """A figure: a file beside Markdown and LaTeX, and part of the page where nothing is live.

    Attributes
    ----------
    key : str
        Part of its file's name; letters, digits and hyphens.
    display : function without arguments
        Returns the drawn Display.
    alt, caption : str
    live : bool
        Whether the page has a chart of its own instead.
    width : float
        Inches that the figure is wide at most.
    """

    key: str
    display: Callable[[], Any]
    alt: str
    caption: str
    live: bool = True
    width: float = math.inf

    def file_content(self, figure_format: FigureFormat, *, embed_fonts: bool = True) -> bytes:
        """Draw the figure as a file, with the same bytes each time."""
        import matplotlib

        from deabench.plot.canvas import limit_width
        from deabench.plot.display import use_fallback_fonts

        stream = io.BytesIO()
        # A fixed salt for the ids of an SVG, and TrueType fonts in PDF (Type 3 is refused by
        # publishers).
        font_type = "path" if embed_fonts else "none"
        with (
            limit_width(self.width),
            use_fallback_fonts(),
            matplotlib.rc_context(
                {"svg.hashsalt": "deabench", "svg.fonttype": font_type, "pdf.fonttype": 42}
            ),
        ):
            figure = self.display().figure_
            metadata = UNDATED.get(figure_format)
            figure.savefig(stream, format=figure_format, dpi=150, metadata=metadata)
        return stream.getvalue()

    @cached_property
    def data_uri(self) -> str:
        """Return the picture as a data URI; a crowded one as PNG, which is then smaller."""
        # A browser has fonts of its own: text stays text, in a fifth of the space.
        content = _shorten_svg(self.file_content("svg", embed_fonts=False))
        mime_type = "svg+xml"
        if len(content) > MAX_SVG_BYTES:
            content = self.file_content("png")
            mime_type = "png"
        return f"data:image/{mime_type};base64,{base64.b64encode(content).decode()}"

    @cached_property
    def narrow_data_uri(self) -> str:
        """Return the picture as a telephone shows it: drawn narrow, with letters of full size."""
        return replace(self, width=NARROW_INCHES).data_uri


def _shorten_svg(content: bytes) -> bytes:
    """Return a drawing without indents and digits that no screen shows; texts stay as they are."""
    text = re.sub(r"\n\s+<", "\n<", content.decode())
    # Names of groups, as line2d_7, are nowhere referred to.
    text = re.sub(r' id="[A-Za-z]\w*_\d+"', "", text)
    # Every text names all fonts of its family; a browser has the first, or one of its own.
    text = re.sub(r"((?:font-family: |px )'[^',]+'), [^;\"]*sans-serif", r"\1, sans-serif", text)
    return re.sub(r"<[^>]*>", lambda tag: FURTHER_DIGITS.sub(r"\1", tag[0]), text).encode()


@dataclass(frozen=True)
class Subsection:
    """A part of a section that opens by a click on its title: one group, one data set."""

    title: str
    table: ReportTable


@dataclass(frozen=True)
class Section:
    """A heading with sentences, pictures, tables and subsections, in this order.

    `dots` are efficiencies by group that the page draws live: groups, names, and a row of values
    per group.
    """

    key: str
    title: str
    sentences: Sequence[str] = ()
    tables: Sequence[ReportTable] = ()
    pictures: Sequence[Picture] = ()
    subsections: Sequence[Subsection] = ()
    dots: dict[str, Any] | None = None

    @property
    def all_tables(self) -> list[ReportTable]:
        """Return the tables of the section and of its subsections."""
        return [*self.tables, *(part.table for part in self.subsections)]


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """A report, to be written as one file.

    Attributes
    ----------
    title : str
    answer : sequence of str
        Which classifiers are efficient, how far the others are from the frontier, and what the
        tested (or the least efficient) one lacks.
    sections : sequence of Section
    data : dict or None
        The numbers of the page's workspace; None if there are fewer than two metrics.
    results : ReportResults or None
        The results that it shows; None if it was made from a saved ranking.
    sources : sequence of str
        The files that it was made from, which `save` does not write over.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> page = db.report(wine, outputs=["TPR", "TNR"], title="Wine")
    >>> page.text("html")[:15]
    '<!doctype html>'
    """

    _text: ClassVar[str] = "report"

    title: str
    answer: Sequence[str]
    sections: Sequence[Section]
    data: dict[str, Any] | None = None
    results: ReportResults | None = None
    sources: Sequence[str] = ()

    @property
    def opening(self) -> Picture | None:
        """The picture beside the answer, where the page has no workspace with charts of its own."""
        if self.data is not None:
            return None
        pictures = [picture for section in self.sections for picture in section.pictures]
        return next((picture for picture in pictures if not picture.live), None)

    def to_frame(self) -> pd.DataFrame:
        """Return the first table of the page; it is empty if there is none."""
        for section in self.sections:
            for table in section.all_tables:
                return table.frame.copy()
        return pd.DataFrame()

    def to_html(self) -> str:
        """Write one self-contained HTML file that needs no network and can be printed."""
        from deabench.report.html import write_html

        return write_html(self)

    def to_markdown(self, pictures: Mapping[str, str] | None = None) -> str:
        """Write the same sentences and tables as Markdown; names from data cannot become markup.

        Parameters
        ----------
        pictures : mapping, optional
            {key of a picture: its file}.
        """
        files = pictures or {}
        lines = [f"# {escape_markdown(self.title)}", "", *_markdown_paragraphs(self.answer)]
        for section in self.sections:
            lines += [f"## {escape_markdown(section.title)}", ""]
            lines += _markdown_paragraphs(section.sentences)
            for picture in section.pictures:
                if picture.key in files:
                    file = quote(files[picture.key])
                    lines += [f"![{escape_markdown(picture.alt)}](<{file}>)", ""]
                    lines += [f"*{escape_markdown(picture.caption)}*", ""]
            for table in section.all_tables:
                lines += [f"**{escape_markdown(table.caption)}**", ""]
                lines += [*markdown_table(table.columns, table.cell_texts(), table.numeric), ""]
        return "\n".join(lines).rstrip() + "\n"

    def to_latex(
        self,
        pictures: Mapping[str, str] | None = None,
        *,
        columns: Literal[1, 2] | None = None,
        **options: Any,
    ) -> str:
        """Write the same sentences and tables as LaTeX; with `columns` what a paper takes of them.

        Parameters
        ----------
        pictures : mapping, optional
            {key of a picture: its file}.
        columns : {1, 2}, optional
            Only the answer, the ranking as one table and its figure, which span so many columns of
            a paper. Without it the whole report, as a supplement in one column.
        **options
            With `columns`: rows, metrics, caption and label of the table, as for
            `Ranking.to_latex`.
        """
        if columns is None:
            if options:
                raise DataError(
                    f"{quote_names(options)} choose a paper's table; set columns=1 or 2"
                )
            from deabench.report.latex import write_latex

            return write_latex(self, pictures or {})
        from deabench.report.paper import write_paper

        return write_paper(self, pictures or {}, columns, **options)

    def text(self, form: str) -> str:
        """Write the report as "html", "md" or "tex".

        Raises
        ------
        DataError
            If the format is another one.
        """
        writers = {"html": self.to_html, "md": self.to_markdown, "tex": self.to_latex}
        if form not in writers:
            raise DataError(f"format '{form}' is not known; it is one of {quote_names(FORMATS)}")
        return writers[form]()

    def save(
        self,
        path: str | Path,
        form: str | None = None,
        *,
        figures: FigureFormat | None = None,
        columns: Literal[1, 2] | None = None,
        **options: Any,
    ) -> None:
        """Write the report to a file as a whole.

        Parameters
        ----------
        path : str or Path
        form : {"html", "md", "tex"}, optional
            Default: the end of the file's name.
        figures : {"pdf", "pgf", "svg", "png"}, optional
            The format of the pictures beside .md and .tex, which are named after the file.
            Default: svg for Markdown and pdf for LaTeX.
        columns : {1, 2}, optional
            For LaTeX: only what a paper takes, see `to_latex`.
        **options
            With `columns`: rows, metrics, caption and label of the table.

        Raises
        ------
        DataError
            If the file is one that the report was made from, or cannot be written.
        """
        path = Path(path)
        if find_overwritten(path, self.sources) is not None:
            raise DataError(f"the report was made from '{path}'; write it to another file")
        form = form or path.suffix.lower().lstrip(".") or "html"
        if form != "tex" and (columns is not None or options):
            raise DataError(f"columns and the table's options belong to LaTeX, not to '{form}'")
        if form not in DEFAULT_FIGURE_FORMATS:
            write_whole(path, self.text(form))
            return
        figure_format = figures or DEFAULT_FIGURE_FORMATS[form]
        choice("figures", figure_format, FIGURE_FORMATS)
        names = {}
        for picture in self._pictures(columns):
            names[picture.key] = f"{path.stem}-{picture.key}.{figure_format}"
            write_whole(path.with_name(names[picture.key]), picture.file_content(figure_format))
        if form == "md":
            text = self.to_markdown(names)
        else:
            text = self.to_latex(names, columns=columns, **options)
        write_whole(path, text)

    def _pictures(self, columns: int | None) -> list[Picture]:
        """Return the pictures of the whole report, or of a paper that takes a part of it."""
        if columns is None:
            return [picture for section in self.sections for picture in section.pictures]
        from deabench.report.paper import paper_pictures

        return paper_pictures(self)


def to_json_cell(cell: Any) -> Any:
    """Return a cell as text, number, truth value or None; infinities become text."""
    # A tuple of labels, as the vertices of a facet.
    if isinstance(cell, tuple | list):
        return ", ".join(str(part) for part in cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell)):
        return None
    # JSON has no infinities.
    if isinstance(cell, float) and math.isinf(cell):
        return "∞" if cell > 0 else "-∞"
    return cell if isinstance(cell, bool | int | float) else str(cell)


def _cell_text(cell: Any, decimals: int) -> str:
    """Return a cell for a reader; CSV and the page's data keep every digit."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return format_number(cell, decimals) if is_number(cell) else str(cell)


def _markdown_paragraphs(sentences: Sequence[str]) -> list[str]:
    return [line for sentence in sentences for line in (escape_markdown(sentence), "")]
