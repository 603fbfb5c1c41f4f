"""The one face of results: whatever deabench answers is a frame, a file, a few sentences and a
short repr.
"""

from __future__ import annotations

import textwrap
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from deabench.utils.files import write_whole
from deabench.utils.text import csv_text

ROWS = 8
"""Rows that a repr shows: with its sentences it stays below 15 lines."""
COLUMNS = 8
WIDTH = 100


class Result:
    """What all results share; each is a frozen dataclass with `eq=False, repr=False` that has
    `to_frame` and `summary`.

    Attributes
    ----------
    notes : tuple of str
        What was guessed, dropped, complemented or assumed on the way, as sentences in the user's
        own names.
    """

    if TYPE_CHECKING:  # a field of most, and made from others by some

        @property
        def notes(self) -> tuple[str, ...]: ...
    else:
        notes = ()

    def to_frame(self) -> pd.DataFrame:
        """The answer as one frame."""
        raise TypeError(f"{type(self).__name__} has no frame")  # every result has its own

    def summary(self) -> str:
        """A few sentences for a person, the findings first."""
        raise TypeError(f"{type(self).__name__} has no summary")

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """The frame as CSV: to the file `path`, written whole, or as text where there is none."""
        text = csv_text(self.to_frame())
        if path is None:
            return text
        write_whole(path, text)
        return None

    def __repr__(self) -> str:
        frame = self.to_frame()
        said = textwrap.wrap(
            f"{type(self).__name__}: {self.summary()}", WIDTH, max_lines=4, placeholder=" ..."
        )
        shown = frame.to_string(
            max_rows=ROWS,
            max_cols=COLUMNS,
            max_colwidth=30,
            line_width=None,
            show_dimensions=False,
            float_format=lambda value: f"{value:.4g}",
            min_rows=ROWS,
        )
        lines = [
            line if len(line) <= 2 * WIDTH else line[: 2 * WIDTH - 3] + "..."
            for line in shown.splitlines()
        ]
        more = [f"[{len(frame)} rows; to_frame() has them all]"] if len(frame) > ROWS else []
        return "\n".join([*said, *lines[:10], *more])

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(line)}</p>" for line in self.summary().splitlines())
        return str(said + self.to_frame().to_html(escape=True, max_rows=30, max_cols=20))
