"""What `metrics` and `curve` share: a file with the true class of each instance."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from deabench.tables.reader import read


def read_instances(file: str | Path) -> pd.DataFrame:
    """The file with every column in its place; labels in `y_true` are numbers where all are, a gap is missing."""
    frame = read(file)
    first = frame.index.to_series()
    if first.name == "y_true":  # text so far, as labels of rows are; the other columns are numbers where they can be
        numeric = pd.to_numeric(first, errors="coerce")
        frame.index = pd.Index(numeric if numeric.notna().all() else first, name="y_true")
    frame = frame.reset_index()
    if "y_true" in frame.columns:
        frame["y_true"] = frame["y_true"].replace("", None)
    return frame


def label_named(text: str | None, y_true: pd.Series) -> object:
    """The class that the command line names as text; the text itself where there is none."""
    for label in y_true.unique():
        if text is not None and text in (str(label), f"{label:g}" if isinstance(label, float) else None):
            return label
    return text
