"""Find which way is better in the columns of a table that prints its best results in bold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.tables.cells import Numbers
from deabench.tables.markup import BoldText
from deabench.tables.recognition.columns import Column
from deabench.tables.scales import finite_values

MOST_ROWS = 1_000
"""Longer tables are no documents, in which authors mark what is best."""
LEAST_VALUES = 3
"""So many values of a column are needed before the extreme one says anything."""
LEAST_MARKED = 2
"""So many columns have to mark their extreme values."""
LEAST_OF_ROW = 4
"""A whole row in bold has to be extreme in so many columns."""
BOLD_REASON = "its best values are in bold"


def find_bold_cells(frame: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    """Return which cells of some columns are in bold, bool (rows, columns)."""
    is_bold = np.zeros((len(frame), len(names)), dtype=bool)
    if len(frame) > MOST_ROWS:
        return is_bold
    for k, name in enumerate(names):
        if frame[name].dtype == object:
            is_bold[:, k] = [isinstance(cell, BoldText) for cell in frame[name]]
    return is_bold


def directions_of_bold(values: np.ndarray, is_bold: np.ndarray) -> list[str]:
    """Return "higher" or "lower" where the bold values of a column are its greatest or least.

    Several columns have to mark their extreme values. A whole row in bold is that of the authors'
    own system: it says something only where it is extreme in each of many columns.

    Parameters
    ----------
    values : ndarray (rows, columns)
        NaN where a cell is no number.
    is_bold : bool ndarray (rows, columns)

    Returns
    -------
    list of "higher", "lower" or "", one for each column

    Examples
    --------
    >>> values = np.array([[0.9, 3.0], [0.8, 2.0], [0.7, 4.0]])
    >>> directions_of_bold(values, np.array([[True, False], [False, True], [False, False]]))
    ['higher', 'lower']
    """
    is_number = np.isfinite(values)
    is_bold = is_bold & is_number
    directions = [
        _direction_of_column(column, bold) for column, bold in zip(values.T, is_bold.T, strict=True)
    ]
    is_whole_row = (is_bold == is_number).all(axis=1) & (is_number.sum(axis=1) > 1)
    if is_whole_row.any():
        only_row = is_bold.any(axis=1).sum() == 1
        if only_row and all(directions) and len(directions) >= LEAST_OF_ROW:
            return directions
        is_bold[is_whole_row] = False
        directions = [
            _direction_of_column(column, bold)
            for column, bold in zip(values.T, is_bold.T, strict=True)
        ]
    if len([*filter(None, directions)]) < LEAST_MARKED:
        return [""] * len(directions)
    return directions


def _direction_of_column(values: np.ndarray, is_bold: np.ndarray) -> str:
    """Return which extreme of a column its bold values are; "" where they are none."""
    finite = finite_values(pd.Series(values))
    bold = values[is_bold]
    is_told = len(finite) >= LEAST_VALUES and 0 < 2 * len(bold) <= len(finite)
    if not is_told or finite.min() == finite.max():
        return ""
    if (bold == finite.max()).all():
        return "higher"
    return "lower" if (bold == finite.min()).all() else ""


def take_bold_directions(
    columns: Sequence[Column], frame: pd.DataFrame, numbers: Mapping[str, Numbers | None]
) -> list[Column]:
    """Give columns of unknown direction the one that their values in bold tell.

    Bold has to agree with the columns whose names tell their direction.
    """
    cells = {name: n.values for name, n in numbers.items() if n is not None}
    is_bold = find_bold_cells(frame, [*cells])
    if not is_bold.any():
        return list(columns)
    values = np.array([*cells.values()]).T
    told = directions_of_bold(values, is_bold)
    # The systems stand in columns then.
    if _are_rows_marked(directions_of_bold(values.T, is_bold.T), told):
        return list(columns)
    directions = dict(zip(cells, told, strict=True))
    is_refuted = any(
        directions.get(column.name) and directions[column.name] != column.direction
        for column in columns
        if column.metric
    )
    if is_refuted:
        return list(columns)
    roles = {"higher": "output", "lower": "lower_rate", "": ""}
    return [
        column.with_role(roles[directions[column.name]], BOLD_REASON, "stated")
        if column.role == "unknown" and directions.get(column.name)
        else column
        for column in columns
    ]


def direction_of_bold_rows(
    frame: pd.DataFrame, names: Sequence[str], numbers: Mapping[str, Numbers | None]
) -> str:
    """Return which way is better where rows have their best column in bold; "" where none has.

    "open" where it is not the same way on all rows.

    Parameters
    ----------
    names : sequence of str
        Columns of one metric, which are the systems.
    """
    is_bold = find_bold_cells(frame, names)
    cells = [numbers[name] for name in names]
    values = np.array([c.values for c in cells if c is not None])
    if not is_bold.any() or len(values) < len(names):
        return ""
    told = directions_of_bold(values, is_bold.T)
    if not _are_rows_marked(told, directions_of_bold(values.T, is_bold)):
        return ""
    directions = {*told} - {""}
    return "open" if len(directions) > 1 else directions.pop()


def _are_rows_marked(by_row: Sequence[str], by_column: Sequence[str]) -> bool:
    """Return whether bold marks the best column of each row, and not the best row of each column.

    Rows of one metric have one direction, which columns with a mark by chance have not.
    """
    counts = sum(map(bool, by_row)), sum(map(bool, by_column))
    if counts[0] != counts[1]:
        return counts[0] > counts[1]
    return len({*by_row} - {""}) == 1 < len({*by_column} - {""})
