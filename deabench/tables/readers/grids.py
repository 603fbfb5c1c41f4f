"""Turn the cells of a table in a document or a workbook into named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile

import pandas as pd

from deabench.errors import DataError
from deabench.tables.cell_groups import stack_systems, take_headings, unfold_columns
from deabench.tables.cells import is_empty_word
from deabench.tables.estimates import is_estimate
from deabench.tables.markup import strip_markup
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.readers.limits import Limits, current_options
from deabench.tables.recognition.columns import Declarations
from deabench.utils.checks import did_you_mean
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

RULE_CELL = lazy_pattern(r"[-=:─━═ ]*")
"""A cell of a line that only separates rows."""
MAX_HEADERS = 3
"""A header has at most this many rows."""
GROUP = "group"
"""What a column is called that holds the headings of groups of rows."""
DWARFING = 5
"""A table with so many times the numbers of all others in its file is what the file holds."""


@dataclass(frozen=True)
class Grid:
    """A table as it is written.

    Attributes
    ----------
    rows : list of rows of text
        Cells without markup; rows may be shorter than others.
    header_rows : int
        How many of the first rows are headers, where the format tells; at least 1.
    name : str
        The caption, the heading above it, or the sheet's name.
    introduction : str
        The paragraphs between the heading, or another table, and the table, a line each.
    notes : tuple of str
    """

    rows: list[list[str]]
    header_rows: int = 1
    name: str = ""
    introduction: str = ""
    notes: tuple[str, ...] = ()

    def count_numbers(self, most: int | None = None) -> int:
        """Return how many cells below the header are numbers; counting may stop at `most`."""
        cells = (cell for row in self.rows[self.header_rows :] for cell in row)
        numbers = (cell for cell in cells if is_estimate(cell))
        return sum(1 for _ in islice(numbers, most))


@dataclass(frozen=True)
class MergedCell:
    """A cell that may cover several columns and rows."""

    text: str
    columns: int = 1
    rows: int = 1


def expand_merged(
    lines: Sequence[Sequence[MergedCell]],
    limits: Limits,
    file: str,
    *,
    writes_covered: bool = False,
) -> list[list[str]]:
    """Return rows of text in which a cell that covers several columns or rows is repeated.

    Parameters
    ----------
    lines : rows of cells
    limits : Limits
    file : str
        The file's name in errors.
    writes_covered : bool
        Whether a cell that another one covers from above is written as an empty one, as in LaTeX;
        in HTML it is not written.
    """
    rows = []
    covered: dict[int, tuple[str, int]] = {}
    cell_count = 0
    for cells in lines:
        row: list[str] = []
        # Column to its text and the number of further rows that it covers.
        still_covered: dict[int, tuple[str, int]] = {}
        for cell in cells:
            if writes_covered and len(row) in covered and not cell.text:
                _repeat_covered(row, covered, still_covered)
                continue
            while not writes_covered and len(row) in covered:
                _repeat_covered(row, covered, still_covered)
            limits.check_columns(len(row) + cell.columns, file)
            for _ in range(cell.columns):
                if cell.rows > 1:
                    still_covered[len(row)] = (cell.text, cell.rows - 1)
                row.append(cell.text)
        while len(row) in covered:
            _repeat_covered(row, covered, still_covered)
        covered = still_covered
        rows.append(row)
        cell_count += len(row)
        limits.check_rows(len(rows), file)
        limits.check_cells(cell_count, file)
    return rows


def _repeat_covered(
    row: list[str],
    covered: Mapping[int, tuple[str, int]],
    still_covered: dict[int, tuple[str, int]],
) -> None:
    """Append the text of the cell above that covers the next column of a row."""
    text, count = covered[len(row)]
    if count > 1:
        still_covered[len(row)] = (text, count - 1)
    row.append(text)


def read_grids(
    grids: Sequence[Grid], file: str, title: str, *, sheet: str | None = None, prose: str = ""
) -> Source:
    """Read the table that is named, or the one with the most numbers, and name its columns.

    Parameters
    ----------
    grids : sequence of Grid
    file : str
        The file's name in errors.
    sheet : str, optional
        The name or the number, from 1, of the table to read.
    prose : str
        The text around the tables.

    Raises
    ------
    DataError
        Where no table has that name, or none has a row of numbers.
    """
    grid = _choose_grid(grids, file, sheet)
    notes = []
    if len(grids) > 1:
        counts = [max(len(table.rows) - table.header_rows, 0) for table in grids]
        names = [table.name for table in grids]
        is_named = sheet is not None
        notes.append(note_choice(names, counts, grids.index(grid), file, is_named=is_named))
    frame, header, row_notes = _name_cells(grid)
    if not len(frame):
        raise DataError(f"the table in '{file}' has no rows; give at least one below its header")
    stacked = stack_systems(frame, header) if header else None
    label: tuple[str, ...] = ()
    declarations: Declarations = {}
    # Below each system of an upper header stand the same metrics: a row holds all of one data set.
    if stacked is not None:
        frame, group_notes = stacked
        row_notes = [*row_notes, *group_notes]
        label = ("system",)
        declarations = {str(frame.columns[0]): ("dataset", "it names the data sets")}
    return Source(
        frame,
        title,
        label,
        declarations,
        notes=(*notes, *grid.notes, *row_notes),
        prose=prose,
        sheet=grid.name,
        introduction=grid.introduction,
    )


def _choose_grid(grids: Sequence[Grid], file: str, sheet: str | None) -> Grid:
    """Return the grid that is named, else the first of those with the most numbers."""
    if sheet is None and len(grids) == 1:
        return grids[0]
    if sheet is None:
        return max(grids, key=Grid.count_numbers)
    return grids[find_named([_name_of(grids, k) for k in range(len(grids))], sheet, file)]


def choose_section(
    sections: Sequence[Grid], file: str, title: str, notes: tuple[str, ...]
) -> Source:
    """Read the section that `sheet` names, else the one that dwarfs all others together.

    Raises
    ------
    DataError
        Where nobody chose one of several that are alike.
    """
    sheet = current_options().sheet
    numbers = [grid.count_numbers() for grid in sections]
    if sheet is None and max(numbers) < DWARFING * (sum(numbers) - max(numbers)):
        names = [grid.name or str(k) for k, grid in enumerate(sections, start=1)]
        raise DataError(
            f"'{file}' holds {len(sections)} tables below each other ({quote_names(names, 4)}); "
            f"pass sheet='{names[0]}' to read one of them"
        )
    source = read_grids(sections, file, title, sheet=sheet)
    return replace(source, notes=(*notes, *source.notes))


def is_section(grid: Grid) -> bool:
    """Return whether rows are a table: names above rows of the same length with numbers."""
    header, *rows = grid.rows
    is_named = not any(is_estimate(cell) for cell in header)
    is_even = all(len(row) == len(header) for row in rows)
    has_numbers = all(any(is_estimate(cell) for cell in row) for row in rows)
    return bool(rows) and is_named and is_even and has_numbers


def find_named(names: Sequence[str], sheet: str, file: str) -> int:
    """Return the position of the sheet or table that a user names, or numbers from 1."""
    for k, name in enumerate(names):
        if name.lower() == sheet.strip().lower():
            return k
    if sheet.strip().isdecimal() and 1 <= int(sheet) <= len(names):
        return int(sheet) - 1
    raise DataError(f"'{file}' has no sheet or table '{sheet}'; {did_you_mean(sheet, names)}")


def _name_of(grids: Sequence[Grid], k: int) -> str:
    return grids[k].name or str(k + 1)


def note_choice(
    names: Sequence[str], row_counts: Sequence[int], position: int, file: str, *, is_named: bool
) -> str:
    """Return the note on which of several tables is read, and how to read another.

    Parameters
    ----------
    names : sequence of str
        A table without a name is called by its number.
    row_counts : sequence of int
    position : int
        Of the table that is read.
    file : str
    is_named : bool
        Whether the user chose it.
    """
    described = []
    for k, (name, count) in enumerate(zip(names, row_counts, strict=True), start=1):
        called = f"'{name}'" if name else f"table {k}"
        described.append(f"{called} ({count} {'row' if count == 1 else 'rows'})")
    unread = described[:position] + described[position + 1 :]
    shown = ", ".join(unread[:5]) + (f" and {len(unread) - 5} more" if len(unread) > 5 else "")
    first = 1 if position == 0 else 0
    reason = "" if is_named else ", which has the most numbers"
    return (
        f"of the {len(names)} tables of '{file}', {described[position]}{reason}, is read; pass "
        f"sheet='{names[first] or first + 1}' to read another: {shown}"
    )


def _name_cells(grid: Grid) -> tuple[pd.DataFrame, list[tuple[str, str]], list[str]]:
    """Return the cells below the header with the names of their columns, and notes.

    Between them stand the upper and the lower name of each column, of a header of two rows only.
    """
    width = max(map(len, grid.rows), default=0)
    rows = [row + [""] * (width - len(row)) for row in grid.rows]
    # Lines of dashes and empty rows are drawn, not written.
    rows = [row for k, row in enumerate(rows) if not k or not all(map(RULE_CELL.fullmatch, row))]
    # A header without a name is there for its format's sake: the names stand below it.
    if len(rows) > 2 and grid.header_rows < 2 and not any(rows[0]):
        rows = rows[1:]
    header_count = max(grid.header_rows, 1)
    # A header of two rows may continue, as a header of one does.
    while header_count < MAX_HEADERS and has_second_header(rows[header_count - 1 :]):
        header_count += 1
    lines = fill_headers(rows[:header_count])
    names = join_headers(lines)
    names, unfolded, fold_notes = unfold_columns(names, rows[header_count:])
    width = len(names)
    body, groups, notes = take_headings(unfolded)
    notes = [*fold_notes, *notes]
    is_repeated = [row in rows[:header_count] for row in body]
    body = [row for row, repeated in zip(body, is_repeated, strict=True) if not repeated]
    frame = pd.DataFrame(body, columns=make_unique(names), dtype=object)
    # Columns without a name and without a cell are blanks between the others.
    is_blank = [not names[k] and not any(row[k] for row in body) for k in range(width)]
    frame = frame.loc[:, [not blank for blank in is_blank]]
    if groups and GROUP not in frame:
        stays = [g for g, repeated in zip(groups, is_repeated, strict=True) if not repeated]
        frame.insert(0, GROUP, pd.Series(stays, dtype=object))
        return frame, [], notes
    parts = zip(*lines, strict=True) if header_count == 2 else iter(())
    header = [(strip_markup(a), strip_markup(b)) for a, b in parts]
    header = [pair for pair, blank in zip(header, is_blank, strict=False) if not blank]
    return _fill_groups(frame), header, notes


def has_second_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the second row continues a header with merged cells.

    The first row then has empty or repeated cells, and the second names in columns of numbers; or
    the second has units and metrics alone, without a name and without a number; or it begins with
    a word for systems; or it stands below the merged cells alone.
    """
    # A row whose cells are all merged is a heading within the table.
    if len(rows) < 4 or len({*rows[1]}) == 1:
        return False
    top, second, body = rows[0], rows[1], rows[2:22]
    is_merged = len({*top} - {""}) < len(top)
    filled = [[row[k] for row in body if not is_empty_word(row[k])] for k in range(len(top))]
    numeric = [
        k
        for k, cells in enumerate(filled)
        if cells and 2 * sum(map(_holds_numbers, cells)) >= len(cells)
    ]
    # Numbers such as years or sizes may be names of columns; blanks and dashes are not.
    names = [k for k in numeric if not is_empty_word(second[k]) and not _holds_numbers(second[k])]
    is_nameless = not any(second[: min(numeric, default=0)]) and not any(map(is_estimate, second))
    if len(numeric) < 2:
        return False
    # "Model" beside names alone is a header, whatever stands above it.
    return (
        ((is_merged or _names_systems(second[0])) and len(names) == len(numeric))
        or (is_nameless and 2 * len(names) > len(numeric))
        or _divides_merged(top, second)
    )


def _divides_merged(top: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether a row has whole numbers that grow below merged cells, and nothing elsewhere.

    They are names, as the k of a top-k accuracy; a word may stand beside numbers that repeat.
    """
    divisions = []
    has_words = False
    start = 0
    while start < len(top):
        end = start + 1
        while end < len(top) and top[end] in ("", top[start]):
            end += 1
        parts = second[start:end]
        if end - start > 1 and (top[start] or any(parts)):
            if not top[start] or not all(map(str.isdecimal, parts)):
                return False
            divisions.append([*map(int, parts)])
        # A cell that is merged over both rows repeats its name.
        elif parts[0] not in ("", top[start]):
            if is_estimate(parts[0]) or start == 0:
                return False
            has_words = True
        start = end
    are_rising = all(a < b for parts in divisions for a, b in pairwise(parts))
    is_repeated = len(divisions) > 1 and divisions.count(divisions[0]) == len(divisions)
    return are_rising and (is_repeated or (bool(divisions) and not has_words))


def _holds_numbers(cell: str) -> bool:
    """Return whether a cell holds a number, or several that are joined, as "77.8 / 69.5"."""
    return all(is_estimate(part.strip()) for part in cell.split("/"))


def fill_headers(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return header rows in which an empty cell of an upper one continues the cell to its left.

    It does where a name stands below it.
    """
    lines = [list(row) for row in rows]
    for depth, line in enumerate(lines[:-1]):
        for k in range(1, len(line)):
            below = any(lower[k] for lower in lines[depth + 1 :])
            if not line[k] and below:
                line[k] = line[k - 1]
    return lines


def join_headers(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of columns below one or several header rows of `fill_headers`."""
    names = []
    for parts in zip(*lines, strict=True):
        # Cells merged over several rows repeat their name.
        words = [part for k, part in enumerate(parts) if part and part not in parts[:k]]
        names.append(" ".join(words))
    return [strip_markup(name) for name in names]


def make_unique(names: Sequence[str]) -> list[str]:
    """Name columns without a name as pandas does, and number names that occur twice."""
    used: set[str] = set()
    counts: dict[str, int] = {}
    unique = []
    for k, name in enumerate(names):
        base = name or f"Unnamed: {k}"
        candidate = base
        while candidate in used:
            counts[base] = counts.get(base, 1) + 1
            candidate = f"{base} ({counts[base]})"
        used.add(candidate)
        unique.append(candidate)
    return unique


def _fill_groups(frame: pd.DataFrame) -> pd.DataFrame:
    """Fill the empty cells of columns that describe groups of rows, as merged cells do."""
    if frame.shape[1] < 3 or len(frame) < 2:
        return frame
    is_empty = frame.iloc[:, 0] == ""
    if is_empty.iloc[0] or not is_empty.any():
        return frame
    of_groups = _columns_of_groups(frame, is_empty)
    # A further text tells the rows of a group apart.
    names = frame.iloc[:, min(len(of_groups), frame.shape[1] - 1)]
    if all(names != "") and not _hold_numbers(names):
        return frame.assign(**{n: frame[n].replace("", None).ffill() for n in of_groups})
    return frame


def _columns_of_groups(frame: pd.DataFrame, is_empty: pd.Series) -> list[str]:
    """Return the columns that describe groups: the first, which names them, and perhaps the next.

    These are empty in the same rows, as the size of a model. Numbers describe groups only beside
    names of systems that are written once for half of the rows or more: a system without a result
    has none of its own row above.
    """
    first = str(frame.columns[0])
    if _hold_numbers(frame[first][~is_empty]) or 2 * is_empty.sum() < len(frame):
        return [first]
    names = list(takewhile(lambda name: (frame[name] == "").equals(is_empty), frame))
    if any(_hold_numbers(frame[name][~is_empty]) for name in names[1:]):
        # Beside a company the names of its products are the systems, and its figures not theirs.
        following = frame.columns[len(names) : len(names) + 1]
        if not _names_systems(first) or any(map(_names_systems, following)):
            return [first]
    return names


def _hold_numbers(cells: pd.Series) -> bool:
    return any(map(is_estimate, map(str, cells)))


def _names_systems(heading: object) -> bool:
    """Return whether a heading is a word for systems, as "Model"."""
    meaning = look_up_metric(strip_markup(str(heading)))
    return meaning is not None and meaning.role == "label"
