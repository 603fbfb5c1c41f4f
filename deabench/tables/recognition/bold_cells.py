"""Find which way is better in the columns of a table that prints its best results in bold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from deabench.tables.cells import Numbers
from deabench.tables.markup import BoldText
from deabench.tables.naming.meaning import Role
from deabench.tables.naming.prose import direction_of_words, speaks_of_bold, states_directions
from deabench.tables.recognition.columns import Column, is_weak_column
from deabench.tables.scales import finite_values

MOST_ROWS = 1_000
"""Longer tables are no documents, in which authors mark what is best."""
LEAST_VALUES = 3
"""So many values of a column are needed before the extreme one says anything."""
LEAST_MARKED = 2
"""So many columns have to mark their extreme values."""
LEAST_MARKED_ROWS = 0.75
"""This share of the rows has its best column in bold where columns are systems."""
BOLD_REASON = "its best values are in bold"
ROLES: dict[str, Role] = {"higher": "output", "lower": "lower_rate"}


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
    own system, a baseline or a total: bold does not mark what is best then.

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
        return [""] * len(directions)
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
    columns: Sequence[Column],
    frame: pd.DataFrame,
    numbers: Mapping[str, Numbers | None],
    texts: Sequence[str],
) -> list[Column]:
    """Give columns of unknown direction the one that their values in bold tell.

    Bold has to agree with the columns whose names tell their direction. A text that states a
    direction, or what bold stands for, decides itself; where it speaks of a metric of the other
    direction, or only of its heading or file does, the columns are asked about.

    Parameters
    ----------
    texts : sequence of str
        The file's name, the heading, the introduction and the text around the table.
    """
    cells = {name: n.values for name, n in numbers.items() if n is not None}
    is_bold = find_bold_cells(frame, [*cells])
    rows = np.flatnonzero(is_bold.any(axis=1))
    labels = find_bold_cells(frame, [name for name in map(str, frame.columns) if name not in cells])
    # One row with a bold name is that of the authors' own system.
    if not len(rows) or (len(rows) == 1 and labels[rows[0]].any()):
        return list(columns)
    values = np.array([*cells.values()]).T
    column_directions = directions_of_bold(values, is_bold)
    # The systems stand in columns then.
    if _are_rows_marked(directions_of_bold(values.T, is_bold.T), column_directions):
        return list(columns)
    directions = dict(zip(cells, column_directions, strict=True))
    is_refuted = any(
        directions.get(column.name) and directions[column.name] != column.direction
        for column in columns
        if column.metric and not is_weak_column(column)
    )
    if is_refuted or _says_itself(texts):
        return list(columns)
    spoken = _spoken_direction(texts)
    judged_columns = []
    for column in columns:
        better = directions.get(column.name, "")
        if better and (column.role == "unknown" or is_weak_column(column)):
            is_contradicted = spoken not in ("", better)
            reason = "its best values are in bold, and the text says otherwise"
            column = (
                column.with_role("conditional", reason, "open")
                if is_contradicted
                else column.with_role(ROLES[better], BOLD_REASON, "stated")
            )
        judged_columns.append(column)
    return judged_columns


def direction_of_bold_rows(
    frame: pd.DataFrame,
    names: Sequence[str],
    numbers: Mapping[str, Numbers | None],
    texts: Sequence[str],
) -> str:
    """Return which way is better where rows have their best column in bold; "" where none has.

    "open" where it is not the same way on all rows, or the text speaks of the other direction.

    Parameters
    ----------
    names : sequence of str
        Columns of one metric, which are the systems.
    texts : sequence of str
        As in `take_bold_directions`.
    """
    is_bold = find_bold_cells(frame, names)
    cells = [numbers[name] for name in names]
    values = np.array([c.values for c in cells if c is not None])
    if not is_bold.any() or len(values) < len(names):
        return ""
    row_directions = directions_of_bold(values, is_bold.T)
    # Groups of rows have their best in one row each.
    are_few = sum(map(bool, row_directions)) < LEAST_MARKED_ROWS * len(row_directions)
    if are_few or not _are_rows_marked(row_directions, directions_of_bold(values.T, is_bold)):
        return ""
    if _says_itself(texts):
        return ""
    directions = {*row_directions} - {""}
    if len(directions) > 1 or _spoken_direction(texts) not in ("", *directions):
        return "open"
    return directions.pop()


def _says_itself(texts: Sequence[str]) -> bool:
    """Return whether a text states a direction, or what bold stands for."""
    text = "\n".join(texts)
    return bool(states_directions(text)) or speaks_of_bold(text)


def _spoken_direction(texts: Sequence[str]) -> str:
    """Return "higher" or "lower" where a text speaks of metrics of one direction."""
    return direction_of_words("\n".join(texts)).replace("cost", "lower")


def _are_rows_marked(by_row: Sequence[str], by_column: Sequence[str]) -> bool:
    """Return whether bold marks the best column of each row, and not the best row of each column.

    Rows of one metric have one direction, which columns with a mark by chance have not.
    """
    counts = sum(map(bool, by_row)), sum(map(bool, by_column))
    if counts[0] != counts[1]:
        return counts[0] > counts[1]
    return len({*by_row} - {""}) == 1 < len({*by_column} - {""})
