"""What a reader hands on: cells as they stand, and what the source itself says of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

Declared = Literal["output", "lower_rate", "cost", "label", "dataset", "left_out"]


@dataclass(frozen=True)
class Source:
    """A table before anybody has said what its columns are.

    Attributes
    ----------
    frame : DataFrame
        One column per column of the source, with its own name as text; the index means nothing.
    title : str
        The file's name without its end, or what the object is; a metric may be known from nothing
        else.
    label : tuple of column names
        What names the systems, where the source says so (a frame's index).
    said : mapping of column to (role, reason)
        What the source itself declares, as an Optuna study its directions.
    comma : bool
        Whether commas part decimals in this file.
    notes : tuple of str
    stacked : bool
        Whether the rows are those of one run of many: files of such rows are put below each other,
        not joined.
    text : callable, optional
        The frame with every cell as text, where a file's columns of plain numbers were read as
        numbers at once.
    """

    frame: pd.DataFrame
    title: str = ""
    label: tuple[str, ...] = ()
    said: Mapping[str, tuple[Declared, str]] = field(default_factory=dict)
    comma: bool = False
    notes: tuple[str, ...] = ()
    stacked: bool = False
    text: Callable[[], pd.DataFrame] | None = None

    def as_text(self) -> Source:
        """The same, where what a cell says counts and not its number: "0.50" is not "0.5"."""
        return self if self.text is None else replace(self, frame=self.text(), text=None)
