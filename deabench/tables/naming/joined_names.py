"""Split headings and cells that join several numbers, as "AP / FPS" above "40.3 / 14"."""

from __future__ import annotations

import re

import pandas as pd
from pandas.api.types import is_numeric_dtype

from deabench.tables.cells import is_empty_word
from deabench.tables.estimates import is_estimate
from deabench.tables.naming.units import unit_in_brackets
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.utils.lazy import lazy_pattern

JOINED = lazy_pattern(r"[(\[]([^()\[\]]* / [^()\[\]]*|[\d.]+(?:/[\d.]+)+)[)\]]")
"""Names of several numbers within brackets, as "(GPU / CPU)" or "(300/450)"."""
PROBED_CELLS = 100
"""So many cells tell how many numbers the cells of a column join."""
_NUMBERS_WITH_UNIT = lazy_pattern(r"(?:[\d.]+ */ *)+[\d.]+( *[A-Za-z]\w*)")
_BRACKETS = lazy_pattern(r"[(\[][^()\[\]]*[)\]]")
_UNITS = ("nats", "bits")
_RANK = lazy_pattern(r"(?:rank|top|r)[-@ ]?\d+", re.IGNORECASE)
_DIRECTION = lazy_pattern(r"\b(better|higher|lower)\b|[↑↓]", re.IGNORECASE)


def split_heading(heading: str) -> list[str]:
    """Return the names of the numbers that a heading joins by slashes; none of any other.

    Examples
    --------
    >>> split_heading("RMSE (3 / 5 days)"), split_heading("Flip AP / FPS"), split_heading("tok/s")
    (['RMSE (3 days)', 'RMSE (5 days)'], ['Flip AP', 'Flip FPS'], [])
    """
    if "/" not in heading:
        return []
    joined = list(JOINED.finditer(heading))
    if joined and (len(joined) > 1 or "/" in _BRACKETS.sub("", heading)):
        return []
    if joined:
        parts = [part.strip() for part in joined[0][1].split("/")]
        # "($ / 1M)" is a unit; counts and what they are out of are one rate.
        meanings = map(look_up_metric, parts)
        starts = {part[:1].isdigit() for part in parts}
        is_unit = len(starts) > 1 or not all(part[:1].isalnum() for part in parts)
        if is_unit or any(m is not None and m.kind == "count" for m in meanings):
            return []
        if unit := _NUMBERS_WITH_UNIT.fullmatch(joined[0][1]):
            parts[:-1] = [part + unit[1] for part in parts[:-1]]
        before = heading[: joined[0].start(1)]
        after = heading[joined[0].end(1) :]
        return [f"{before}{part}{after}" for part in parts]
    parts = [part.strip() for part in heading.split(" / ")]
    if len(parts) == 1:
        # A slash without blanks may stand for "per".
        is_bracketed = "/" not in _BRACKETS.sub("", heading)
        parts = (heading[heading.rfind("(") + 1 :] if is_bracketed else heading).split("/")
        metrics = [m for m in map(look_up_metric, parts) if m is not None]
        if len(metrics) < len(parts) or any(m.better == "neither" for m in metrics):
            return []
        # What stands in brackets behind the last name holds for all of them, but a direction, and
        # what may be the unit of another measure.
        is_shared = (
            len(_BRACKETS.findall(heading)) == 1
            and len({m.role for m in metrics}) == 1
            and not _DIRECTION.search(heading)
        )
        if is_bracketed or is_shared:
            return split_heading_evenly(heading, len(parts))
    if not all(parts):
        return []
    # The first words of the heading belong to all of its parts, and so does a remark behind them.
    remark = _BRACKETS.search(heading)
    is_behind = remark is not None and len(parts) == 2 and remark.end() == len(heading)
    if is_behind and remark is not None and _is_remark(remark[0], parts):
        parts[1] = parts[1].removesuffix(remark[0]).strip()
        return [f"{name} {remark[0]}" for name in (parts[0], _with_first_words(parts[1], parts[0]))]
    return [parts[0], *(_with_first_words(part, parts[0]) for part in parts[1:])]


def _is_remark(brackets: str, parts: list[str]) -> bool:
    """Return whether brackets hold a word that belongs to both of two metrics of one unit."""
    word = brackets[1:-1]
    is_measure = unit_in_brackets(word) or _DIRECTION.search(word) or look_up_metric(word)
    meanings = [look_up_metric(_BRACKETS.sub("", part)) for part in parts]
    measured = {(meaning.role, meaning.unit) for meaning in meanings if meaning is not None}
    are_alike = len(measured) == 1 and None not in meanings
    return are_alike and not is_measure and word.isalpha() and len(word) > 2 and word not in _UNITS


def _with_first_words(part: str, first: str) -> str:
    """Return a part of a heading with the words before the first one: "FPS" as "Flip FPS"."""
    words = first.split()
    return " ".join([*words[: max(len(words) - len(part.split()), 0)], part])


def split_heading_evenly(heading: str, count: int) -> list[str]:
    """Return the names of so many numbers that a heading joins, in brackets or before them.

    Examples
    --------
    >>> split_heading_evenly("VOT (EAO/A/R)", 3), split_heading_evenly("mIoU/OA (ours)", 2)
    (['VOT EAO', 'VOT A', 'VOT R'], ['mIoU (ours)', 'OA (ours)'])
    """
    brackets = [match for match in _BRACKETS.finditer(heading) if "/" in match[0]]
    if len(brackets) == 1 and "/" not in _BRACKETS.sub("", heading):
        start, end = brackets[0].span()
        parts = heading[start + 1 : end - 1].split("/")
        before, after = heading[:start].strip() + " ", heading[end:]
    elif not brackets:
        parts = _BRACKETS.sub("", heading).split("/")
        before = ""
        after = "".join(f" {match[0]}" for match in _BRACKETS.finditer(heading))
    else:
        return []
    parts = [part.strip() for part in parts]
    # "tok/s" and "$/1M" are units.
    are_names = all(part[:1].isalpha() and not unit_in_brackets(part) for part in parts)
    if len(parts) != count or not are_names:
        return []
    # "mAP/rank-1" behind the name of a data set are both measured on it.
    parts = [_with_first_words(p, parts[0]) if _RANK.fullmatch(p) else p for p in parts]
    return [f"{before}{part}{after}".strip() for part in parts]


def split_name(name: str, column: pd.Series) -> list[str]:
    """Return the names of the numbers that the cells of a column join; none of a usual one."""
    name = name.replace("|", "/")
    parts = split_heading(name) if "/" in name else []
    if len(parts) > 1 or "/" not in name or is_numeric_dtype(column.dtype):
        return parts
    cells = [str(cell) for cell in column.head(PROBED_CELLS)]
    counts = {len(_split_cell(cell)) - 1 for cell in cells if not is_empty_word(cell)} - {0}
    # Where the cells join as many numbers as the heading has parts, these are their names.
    return split_heading_evenly(name, counts.pop() + 1) if len(counts) == 1 else []


def split_cells(column: pd.Series, count: int) -> tuple[list[list[str]], list[str]]:
    """Return the numbers of each cell, and cells with a single one; nothing where others differ."""
    rows = []
    single_numbers = []
    # An empty cell of text is no text.
    cells = [str(cell) for cell in column]
    for cell in cells:
        # A full stop behind the last number ends a line.
        parts = [part.strip() for part in _split_cell(cell.strip().removesuffix("."))]
        if is_empty_word(cell):
            rows.append([cell] * count)
        elif len(parts) == 1 and is_estimate(cell):
            single_numbers.append(cell.strip())
            rows.append([""] * count)
        elif len(parts) == count and all(
            is_empty_word(part) or is_estimate(part) for part in parts
        ):
            rows.append(parts)
        else:
            return [], []
    joined_count = sum(len(_split_cell(cell)) > 1 for cell in cells)
    return (rows, single_numbers) if joined_count > max(1, len(single_numbers)) else ([], [])


def _split_cell(cell: str) -> list[str]:
    """Return the parts of a cell that slashes join, or else bars."""
    return cell.split("/" if "/" in cell else "|")


def are_shares(name: str, rows: list[list[str]]) -> bool:
    """Return whether cells may be counts out of totals, as "45 / 50" below "Rate (right / all)"."""
    words = JOINED.search(name)
    if words is None or re.search(r"\d", words[1]):
        return False
    pairs = [row for row in rows if all(map(str.isdecimal, row))]
    return len(pairs) > 0 and all(len(row) == 2 and int(row[0]) <= int(row[1]) for row in pairs)
