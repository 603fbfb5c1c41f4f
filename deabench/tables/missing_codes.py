"""Make empty cells of the numbers by which a table says "not measured", as -1 or 9999."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import pandas as pd

from deabench.errors import DataError
from deabench.utils.text import quote_names


def blank_codes(
    frame: pd.DataFrame, missing_code: float | Sequence[float]
) -> tuple[pd.DataFrame, str]:
    """Return a frame whose cells with a code are empty, and a note on which columns had some.

    Parameters
    ----------
    frame : DataFrame
        Raw cells, numbers or texts.
    missing_code : number or sequence of numbers

    Raises
    ------
    DataError
        If a code is no number, or no cell holds one.
    """
    # mypy does not count the numbers of numpy, which are Real, as floats.
    is_single = isinstance(missing_code, Real)
    codes = [missing_code] if is_single else list(missing_code)  # type: ignore[arg-type]
    if not codes or not all(isinstance(code, Real) for code in codes):
        raise DataError(f"missing_code is {missing_code!r}; give a number, as -1, or several")
    # Texts are compared by the number that they write: "-1.0" is -1.
    is_code = frame.apply(lambda column: pd.to_numeric(column, errors="coerce").isin(codes))
    words = " or ".join(f"{code:g}" for code in codes)
    if not is_code.any(axis=None):
        raise DataError(f"missing_code is {words}, and no cell holds it; leave it out")
    columns = [str(name) for name in frame.columns[is_code.any()]]
    count = int(is_code.to_numpy().sum())
    note = f"{words} stands for an empty cell ({count} in {quote_names(columns)})"
    return frame.mask(is_code), note
