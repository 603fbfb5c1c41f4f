"""Recognise groups of columns, as metrics below each system, and of rows below a heading.

Tables that are printed in two halves side by side are unfolded here, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, combinations, pairwise

import pandas as pd

from deabench.tables.cells import parse_numbers
from deabench.tables.estimates import is_estimate
from deabench.tables.naming.totals import describe_totals, find_totals
from deabench.tables.naming.vocabulary import has_name, is_benchmark, look_up_metric
from deabench.tables.recognition.layout import are_benchmarks, is_system_name
from deabench.tables.scales import are_alike, measure_scale
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

LEAST_GROUPS = 2
LEAST_METRICS = 2
_SETTING = lazy_pattern(r"\W*(\d|\w+\s*[=→])")
"""How the name of a setting begins, as "K=10", or of a direction, as "Image→Text"."""
_SAYS_SYSTEM = lazy_pattern(r"\b(ours?|baseline|proposed|this work)\b", re.IGNORECASE)


def take_headings(rows: list[list[str]]) -> tuple[list[list[str]], list[str], list[str]]:
    """Return the rows that are no headings, the group of each of them, and notes.

    A row with a name and nothing else is a heading within the table, and so is a row whose cells
    are all merged. It names the group of the rows below it where these have the same names as those
    of other groups; else the groups are empty, for the names of the rows tell them apart.
    """
    is_heading = [len(row) > 2 and len({*row} - {""}) == 1 for row in rows]
    if not any(is_heading) or all(is_heading):
        return rows, [], []
    body = [row for row, heading in zip(rows, is_heading, strict=True) if not heading]
    headings = [
        next(filter(None, row)) for row, heading in zip(rows, is_heading, strict=True) if heading
    ]
    # Each heading stands above rows, and the first one above all of them.
    follow_each_other = any(map(all, pairwise(is_heading))) or is_heading[-1]
    if is_heading[0] and not follow_each_other and len(headings) > 1:
        positions = list(accumulate(is_heading))
        groups = [headings[k - 1] for k, h in zip(positions, is_heading, strict=True) if not h]
        names = [row[0] for row in body]
        are_told_apart = len({*zip(groups, names, strict=True)}) == len(body)
        # Years and other numbers are settings of the rows below them.
        are_told_apart &= not any(map(is_estimate, headings))
        if all(names) and len({*names}) < len(names) and are_told_apart:
            shown = quote_names(list(dict.fromkeys(headings)), 3)
            return body, groups, [f"rows without values name the groups of those below: {shown}"]
    shown = quote_names(headings, 3)
    return body, [], [f"rows without values are headings and left out: {shown}"]


def unfold_columns(
    names: list[str], rows: list[list[str]]
) -> tuple[list[str], list[list[str]], list[str]]:
    """Return a table whose columns repeat side by side as one that is as long, and a note.

    Long tables are printed in two halves: "Country | A | B | Country | A | B".
    """
    for width in range(2, len(names) // 2 + 1):
        is_folded = len(names) % width == 0 and names == names[:width] * (len(names) // width)
        if not is_folded or not all(names):
            continue
        parts = [
            row[start : start + width]
            for start in range(0, len(names), width)
            for row in rows
            if any(row[start : start + width])
        ]
        labels = [part[0] for part in parts]
        # The first column names each row once, and numbers stand in the others.
        if len({*labels}) == len(labels) and not any(map(is_estimate, labels)):
            return names[:width], parts, ["columns that repeat side by side are read as one table"]
    return names, rows, []


def stack_systems(
    frame: pd.DataFrame, header: Sequence[tuple[str, str]]
) -> tuple[pd.DataFrame, list[str]] | None:
    """Return one row per data set and system, and notes; None where a header groups none.

    Parameters
    ----------
    frame : DataFrame
        Cells of text, one column for each of the header's.
    header : sequence of (group, name)
        The upper and the lower header of each column; no group where the upper one has no cell.

    Returns
    -------
    (frame, notes)
        The column of the data sets, a column "system", and one for each metric.
    """
    columns: dict[str, dict[str, str]] = {}
    for column, (group, name) in zip(map(str, frame.columns), header, strict=True):
        if group and name and name != group:
            columns.setdefault(group, {})[name] = column
    metrics = list(next(iter(columns.values()), {}))
    # The same metrics stand below each system, and no name twice.
    if len(columns) < LEAST_GROUPS or len(metrics) < LEAST_METRICS:
        return None
    grouped = [column for names in columns.values() for column in names.values()]
    if any(list(names) != metrics for names in columns.values()) or "system" in metrics:
        return None
    corner = str(frame.columns[0])
    numbers = {name: parse_numbers(frame[name]) for name in grouped}
    values = pd.DataFrame({name: n.values for name, n in numbers.items() if n is not None})
    if corner in grouped or len(values.columns) < len(grouped) or not frame[corner].is_unique:
        return None
    if not _holds_data_sets(frame[corner], corner) or not _are_systems([*columns]):
        return None
    if not _are_metrics(metrics, columns, values):
        return None
    # A mean over the data sets is none of them.
    totals = find_totals(frame[corner], values)
    notes = [f"the header groups the columns by system: {quote_names([*columns], 4)}"]
    if totals.any():
        notes.append(describe_totals(frame[corner][totals], corner))
    ungrouped = [n for n in map(str, frame.columns) if n not in (corner, *grouped)]
    if ungrouped:
        shown = quote_names(ungrouped, 4)
        notes.append(f"columns that belong to no system are left out: {shown}")
    data_sets = frame[~totals]
    blocks = [
        data_sets[[*names.values()]]
        .set_axis(metrics, axis=1)
        .assign(**{"system": system, corner: data_sets[corner]})
        for system, names in columns.items()
    ]
    stacked = pd.concat(blocks, ignore_index=True)[[corner, "system", *metrics]]
    return stacked, notes


def _holds_data_sets(rows: pd.Series, corner: str) -> bool:
    """Return whether rows are data sets and no systems: their column says so, or most are known."""
    meaning = look_up_metric(corner)
    # Below "Function" stand the functions of mathematics as well as those of a program.
    is_called = meaning is not None and meaning.role == "dataset" and not has_name(corner, "metric")
    return (is_called or are_benchmarks(rows)) and not any(map(is_system_name, map(str, rows)))


def _are_systems(groups: Sequence[str]) -> bool:
    """Return whether names of groups are those of systems: one is known, or says so as "ours" does.

    Conditions, classes and settings stand above the same metrics as well.
    """
    if any(_SETTING.match(name) or has_name(name, "split_part") for name in groups):
        return False
    if any(map(is_benchmark, groups)):
        return False
    unfamiliar = [name for name in groups if not is_system_name(name, languages=False)]
    meanings = [look_up_metric(name) for name in unfamiliar]
    if any(meaning is not None and meaning.role != "label" for meaning in meanings):
        return False
    return len(unfamiliar) < len(groups) or any(map(_SAYS_SYSTEM.search, groups))


def _are_metrics(
    names: Sequence[str], columns: dict[str, dict[str, str]], values: pd.DataFrame
) -> bool:
    """Return whether the names below each system are those of metrics.

    They are known as such, or the numbers of each are alike below all systems, and those of two
    are not. Where systems stand below metrics it is the other way round.
    """
    meanings = [look_up_metric(name) for name in names]
    known_count = sum(meaning is not None and meaning.better != "neither" for meaning in meanings)
    if any(has_name(name, "split_part") or is_benchmark(name) for name in names):
        return False
    if known_count > 0 and 2 * known_count >= len(names):
        return True
    if any(map(is_system_name, names)):
        return False
    scales = {
        name: [measure_scale(values[group[name]]) for group in columns.values()] for name in names
    }
    are_one_measure = all(
        are_alike(first, second)
        for row in scales.values()
        for first, second in combinations(row, 2)
    )
    are_different = any(
        not are_alike(first[0], second[0]) for first, second in combinations(scales.values(), 2)
    )
    return are_one_measure and are_different
