"""Base class of all results: a frame, a file, a few sentences, a picture and a short repr."""

from __future__ import annotations

import re
import textwrap
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import pandas as pd

from deabench.utils.files import write_whole
from deabench.utils.text import csv_text

MAX_ROWS = 8
"""Rows that a repr shows. With its sentences it stays below 15 lines."""
MAX_COLUMNS = 8
WIDTH = 100


class Result:
    """Base class of all results; each is a frozen dataclass with `eq=False, repr=False`.

    Sentences and pictures live in packages above the results, `deabench.report.text` and
    `deabench.plot`. This class is the only place that looks them up, when they are asked for.

    A subclass sets

    - `_frame`: the attribute that `to_frame` returns a copy of, or it overrides `to_frame`;
    - `_text`: the module of `deabench.report.text` that has `summarize_<name>` and, where the
      result can explain single rows, `explain_<name>`, with the class name in snake case;
    - `_display`: the class of `deabench.plot` that draws it.

    Attributes
    ----------
    notes : tuple of str
        What was guessed, dropped, complemented or assumed on the way, in the user's own names.
    """

    _frame: ClassVar[str] = ""
    _text: ClassVar[str] = ""
    _display: ClassVar[str] = ""

    if TYPE_CHECKING:  # a field of most results, a property of some

        @property
        def notes(self) -> tuple[str, ...]: ...

    else:
        notes = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the result as one frame."""
        frame: pd.DataFrame = getattr(self, self._frame)
        return frame.copy()

    def summary(self) -> str:
        """Return the findings in a few sentences."""
        return str(self._look_up_text("summarize")(self))

    def explain(self, name: Any) -> str:
        """Explain one row of the result in sentences.

        Parameters
        ----------
        name : label of the table

        Raises
        ------
        DataError
            If there is no such label.
        """
        return str(self._look_up_text("explain")(self, name))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the result.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **options
            Options of `from_result` of the display.

        Returns
        -------
        Display
            The display of `deabench.plot` that belongs to this result, drawn.
        """
        if not self._display:
            raise TypeError(f"{type(self).__name__} has no picture")
        display = getattr(import_module("deabench.plot"), self._display)
        return display.from_result(self, **options).plot(ax)

    def _look_up_text(self, verb: str) -> Any:
        # `ScaleEfficiency` becomes `scale_efficiency`.
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(self).__name__).lower()
        function = None
        if self._text:
            module = import_module(f"deabench.report.text.{self._text}")
            function = getattr(module, f"{verb}_{name}", None)
        if function is None:
            raise TypeError(f"{type(self).__name__} has no sentences to {verb} it")
        return function

    def _call(self, module: str, function: str, *arguments: Any, **options: Any) -> Any:
        """Call a function of a package above the results with this result first.

        The package is imported only now: no result imports what proves, extends or describes it.
        """
        return getattr(import_module(module), function)(self, *arguments, **options)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """Write the frame as CSV to the file `path`, whole or not at all, or return it as text."""
        text = csv_text(self.to_frame())
        if path is None:
            return text
        write_whole(path, text)
        return None

    def to_latex(self, **options: Any) -> str:
        """Write the result as one table for a paper, in LaTeX.

        The table has booktabs' rules, numbers aligned by siunitx, and in a ranking the best value
        of each metric in bold. One that is wider than its place is scaled down.

        Parameters
        ----------
        **options
            columns : {1, 2}, the columns of the paper that the table spans (`table` or `table*`);
            rows : sequence of labels, the rows to show; metrics : sequence of str, the metrics to
            show beside scores and ranks; caption, label : str.

        Raises
        ------
        DataError
            If there is no such row or metric.
        """
        return str(self._call("deabench.report.paper", "write_latex_table", **options))

    def report(self, form: Literal["plain", "md", "latex"] = "plain") -> str:
        """Write the result as the paragraph of a paper; comparisons and rankings have one.

        It names the test with its statistic, p value, effect size with interval and a word for its
        magnitude, and what was adjusted; of a ranking the model, the metrics, who is efficient and
        how sure that is.

        Parameters
        ----------
        form : {"plain", "md", "latex"}
            Plain text, Markdown, or LaTeX.

        Raises
        ------
        TypeError
            If a result of this class has no paragraph.
        """
        return str(self._call("deabench.report.text.journal", "write_paragraph", form))

    def __repr__(self) -> str:
        frame = self.to_frame()
        sentences = textwrap.wrap(
            f"{type(self).__name__}: {self.summary()}", WIDTH, max_lines=4, placeholder=" ..."
        )
        table = frame.to_string(
            max_rows=MAX_ROWS,
            max_cols=MAX_COLUMNS,
            max_colwidth=30,
            line_width=None,
            show_dimensions=False,
            float_format=lambda value: f"{value:.4g}",
            min_rows=MAX_ROWS,
        )
        # pandas does not cut a row: wide labels would break the terminal's lines.
        lines = [
            line if len(line) <= 2 * WIDTH else line[: 2 * WIDTH - 3] + "..."
            for line in table.splitlines()
        ]
        paragraphs = [*sentences, *lines[:10]]
        if len(frame) > MAX_ROWS:
            paragraphs.append(f"[{len(frame)} rows; to_frame() has them all]")
        return "\n".join(paragraphs)

    def _repr_html_(self) -> str:
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in self.summary().splitlines())
        return str(paragraphs + self.to_frame().to_html(escape=True, max_rows=30, max_cols=20))
