"""Name several columns at once: `mmlu_*`, `coding:arc_agi`, `rest`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

REST = "rest"
LEAST_RUN = 3
"""Neighbours are written as a range from this number on."""


def expand_names(
    names: Sequence[str],
    columns: Sequence[str],
    *,
    rest: Sequence[str] = (),
    reserved: Collection[str] = (),
) -> list[str]:
    """Return the columns that names and patterns stand for, each once, in the order given.

    Parameters
    ----------
    names : sequence of str
        Names of columns; patterns with `*` and `?`; ranges `first:last`, which take the columns
        between two, too; `rest`. A column of exactly this name comes first.
    columns : sequence of column names
        Those that patterns can stand for, in the table's order.
    rest : sequence of column names
        What `rest` stands for.
    reserved : collection of column names
        Named elsewhere: no pattern takes them.

    Raises
    ------
    DataError
        Where a pattern stands for no column.

    Examples
    --------
    >>> columns = ["model", "mmlu_en", "mmlu_de", "price"]
    >>> expand_names(["mmlu_*"], columns), expand_names(["mmlu_en:price"], columns)
    (['mmlu_en', 'mmlu_de'], ['mmlu_en', 'mmlu_de', 'price'])
    """
    expanded: list[str] = []
    for name in names:
        expanded += _expand_name(name, columns, rest, reserved)
    # What is named twice by hand stays twice, and is refused with the other checks.
    plain = [name for name in names if name in columns]
    repeated = [name for k, name in enumerate(plain) if name in plain[:k]]
    return [*dict.fromkeys(expanded), *repeated]


def _expand_name(
    name: str, columns: Sequence[str], rest: Sequence[str], reserved: Collection[str]
) -> list[str]:
    if name in columns:
        return [name]
    if name == REST:
        matched = list(rest)
    elif (ends := _ends_of_range(name, columns)) is not None:
        first, last = sorted(ends)
        matched = list(columns[first : last + 1])
    elif "*" in name or "?" in name:
        # Brackets are common in names, so that they stand for themselves.
        pattern = re.escape(name).replace(r"\*", ".*").replace(r"\?", ".")
        matched = [column for column in columns if re.fullmatch(pattern, column)]
        if not matched:
            raise DataError(
                f"no column matches '{name}'; {did_you_mean(name.strip('*?'), list(columns))}"
            )
    else:
        return [name]
    return [column for column in matched if column not in reserved]


def _ends_of_range(name: str, columns: Sequence[str]) -> tuple[int, int] | None:
    """Return the positions of the ends of `first:last`; names may hold colons themselves."""
    for match in re.finditer(":", name):
        first = name[: match.start()].strip()
        last = name[match.end() :].strip()
        if first in columns and last in columns:
            return columns.index(first), columns.index(last)
    return None


def shorten_names(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the shortest patterns that stand for exactly these columns.

    Examples
    --------
    >>> shorten_names(["b", "c", "d"], ["a", "b", "c", "d"])
    ['b:d']
    """
    patterns = []
    positions = sorted(columns.index(name) for name in names if name in columns)
    runs: list[list[int]] = []
    for position in positions:
        if runs and runs[-1][-1] == position - 1:
            runs[-1].append(position)
        else:
            runs.append([position])
    for run in runs:
        if len(run) >= LEAST_RUN:
            patterns.append(f"{columns[run[0]]}:{columns[run[-1]]}")
        else:
            patterns += [columns[position] for position in run]
    return [*patterns, *(name for name in names if name not in columns)]
