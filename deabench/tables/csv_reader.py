"""Read a table from a CSV file or standard input."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pandas as pd

from deabench.errors import DataError
from deabench.utils.files import read_contents
from deabench.utils.text import unescape_formula


def read_csv(source: str | Path) -> pd.DataFrame:
    """Read a table from CSV: labels in the first column, values in the others; `-` is standard
    input.

    Raises
    ------
    DataError
        Where the file is missing, empty or not CSV.
    """
    name = "standard input" if str(source) == "-" else str(source)
    try:
        text = sys.stdin.read() if str(source) == "-" else read_contents(source).decode("utf-8-sig")
        frame = pd.read_csv(
            io.StringIO(text), dtype=str, keep_default_na=False, skipinitialspace=True
        )
    except OSError as error:
        raise DataError(f"cannot read '{name}': {error.strerror}; name a CSV file") from None
    except UnicodeDecodeError:
        raise DataError(f"'{name}' is not UTF-8 text; save it as CSV in UTF-8") from None
    except pd.errors.EmptyDataError:
        raise DataError(f"'{name}' is empty; give a header line and at least one row") from None
    except pd.errors.ParserError as error:
        raise DataError(f"'{name}' is not a CSV table: {str(error).strip()}") from None
    frame = frame.set_index(frame.columns[0])
    frame.index = frame.index.map(unescape_formula)
    return pd.DataFrame(
        {name: _parsed(column) for name, column in frame.items()},
        index=frame.index,
        columns=frame.columns,
    )


def _parsed(column: pd.Series) -> pd.Series:
    """A column of CSV text as numbers where every cell is one, or empty; otherwise as it stands."""
    numeric = pd.to_numeric(column.where(column.str.strip() != ""), errors="coerce")
    return (
        numeric
        if numeric.isna().equals(column.str.strip() == "") and numeric.notna().any()
        else column
    )
