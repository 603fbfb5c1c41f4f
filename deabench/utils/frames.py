"""Convert frames of polars, pyarrow, DuckDB and other libraries to pandas, and name their rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from deabench.utils.key_columns import is_key


def to_pandas(data: Any) -> pd.DataFrame | None:
    """Return a frame of any library as a pandas DataFrame; None where the data are no frame."""
    if isinstance(data, pd.DataFrame):
        return data
    import narwhals as nw

    # narwhals wraps the frame of any library; what it does not know passes through.
    native = nw.from_native(data, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if not isinstance(native, nw.DataFrame):
        return None
    return pd.DataFrame({name: native.get_column(name).to_list() for name in native.columns})


def pandas_or_same(data: Any) -> Any:
    """Return a frame of any library as a pandas DataFrame, and anything else as it is."""
    frame = to_pandas(data)
    return data if frame is None else frame


def with_named_rows(data: Any) -> Any:
    """Return a frame of another library as a pandas DataFrame whose index names the rows.

    Such frames have no index, so a first column of text, or one that is called `classifier`,
    `dataset`, `fold` or alike, becomes it. A pandas frame passes unchanged, and what is no frame.
    """
    frame = to_pandas(data)
    if frame is None or frame is data:
        return data
    if frame.shape[1] < 2:
        return frame
    first = frame.columns[0]
    if is_key(first) or _is_text(frame[first]):
        return frame.set_index(first)
    return frame


def _is_text(column: pd.Series) -> bool:
    """Return whether a column holds words only: no number, also none written as text."""
    is_text = all(isinstance(cell, str) for cell in column)
    return is_text and bool(pd.to_numeric(column, errors="coerce").isna().all())
