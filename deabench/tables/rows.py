"""Turn rows into systems x metrics: unique names for rows, means over folds and data sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, repeat

import numpy as np
import pandas as pd

from deabench.tables.cells import is_empty_word
from deabench.tables.markup import strip_markup
from deabench.tables.naming.vocabulary import has_name, is_whole_name, look_up_metric
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.layout import Keys, is_description, is_numbered
from deabench.tables.scales import SAMPLED_ROWS, measure_scale

MOST_NUMBERS = 0.5
"""More than this share of the cells of what was measured begin with a number."""
FEW_REPEATS = 0.12
"""So many rows may repeat a name by mistake, or for a reason that no column tells."""
MIN_SYSTEMS = 4
"""So many other rows are needed before a row of chance or of humans tells a direction."""
BEATEN_SHARE = 0.9
"""Chance is below, and humans above, this share of the other rows."""
AGREEING = 0.75
"""This share of the columns has to agree on a direction."""
ROW_LABEL = "row"
Notes = tuple[tuple[str, str], ...]
"""Pairs of (metric, sentence) on how the values of each metric came about; "" stands for all."""


@dataclass(frozen=True)
class Systems:
    """Systems x metrics.

    Attributes
    ----------
    frame : DataFrame, systems x metrics
    per_dataset : DataFrame or None
        (data set, system) x metrics, means over folds and seeds; None where there are no data sets.
    missing : mapping of metric to the number of empty cells in the source
    notes : tuple of (metric, sentence)
    """

    frame: pd.DataFrame
    per_dataset: pd.DataFrame | None
    missing: Mapping[str, int]
    notes: Notes = ()


@dataclass(frozen=True)
class NamedRows:
    """Unique names for the rows of a table.

    Attributes
    ----------
    index : Index
        The names of the rows that stay.
    stays : bool array (rows,)
        False for rows that repeat another one in every cell.
    label : tuple of column names
        The columns that the names are made of.
    notes : list of str
    """

    index: pd.Index
    stays: np.ndarray
    label: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)


def count_empty(values: pd.DataFrame) -> dict[str, int]:
    """Return the number of empty cells by metric, of the metrics that have some."""
    counts = pd.isna(values.to_numpy()).sum(axis=0).tolist()
    return {str(name): count for name, count in zip(values.columns, counts, strict=True) if count}


def average_rows(
    values: pd.DataFrame,
    systems: pd.Index,
    datasets: pd.Index | None,
    repetitions: Sequence[str] = ("fold", "seed"),
) -> Systems:
    """Average repeated rows: over folds first, then over the data sets that all systems have.

    Parameters
    ----------
    values : DataFrame, rows x metrics
    systems, datasets : Index
        The system and the data set of each row.
    repetitions : sequence of str
        What the repeated rows of a system are.
    """
    # Cells are counted before averaging hides them.
    missing = count_empty(values)
    order = list(dict.fromkeys(systems))
    name = "system" if systems.name is None else systems.name
    if datasets is None:
        means = values.groupby(np.asarray(systems), sort=False).mean()
        nouns = ", ".join(f"{word}s" for word in repetitions)
        note = f"repeated rows of a system ({nouns}) are averaged"
        return Systems(means.reindex(order).rename_axis(name), None, missing, (("", note),))
    # Folds and seeds are averaged within a data set, so each data set weighs the same.
    keys = [np.asarray(datasets), np.asarray(systems)]
    per_dataset = values.groupby(keys, sort=False).mean()
    per_dataset.index = per_dataset.index.set_names([str(datasets.name), name])
    frame, notes = average_datasets(per_dataset)
    return Systems(frame.reindex(order).rename_axis(name), per_dataset, missing, notes)


def average_datasets(per_dataset: pd.DataFrame) -> tuple[pd.DataFrame, Notes]:
    """Average (data set, system) x metrics over the data sets, and say over which."""
    columns = {}
    notes = []
    datasets, systems = (per_dataset.index.unique(level) for level in (0, 1))
    for metric in per_dataset.columns:
        # Sorted, and put back in order: unsorted, pandas before 3 misplaces the values.
        matrix = per_dataset[metric].unstack(0).reindex(index=systems, columns=datasets)
        columns[metric], note = _average_metric(matrix)
        notes.append((str(metric), note))
    return pd.DataFrame(columns), tuple(notes)


def _average_metric(matrix: pd.DataFrame) -> tuple[pd.Series, str]:
    """Average systems x data sets over the common data sets; without any, over each one's own."""
    # A system or a data set without any value of this metric restricts nothing.
    filled = matrix.dropna(axis="columns", how="all").dropna(axis="index", how="all")
    common = filled.dropna(axis="columns")
    total = matrix.shape[1]
    if common.shape[1] == total:
        return common.mean(axis=1), f"means over {total} data sets"
    if common.shape[1]:
        share = f"{common.shape[1]} of {total} data sets"
        return common.mean(axis=1), f"means over the {share} that every system has a value for"
    return matrix.mean(axis=1), (
        "no data set has a value for every system; each mean is over the data sets that its "
        "system has, so systems are compared on different data"
    )


def merge_notes(notes: Notes, metrics: Sequence[str]) -> list[str]:
    """Return one sentence for all metrics in use that share a note."""
    by_text: dict[str, list[str]] = {}
    for metric, text in notes:
        if not metric or metric in metrics:
            by_text.setdefault(text, []).append(metric)
    merged = []
    for text, names in by_text.items():
        quoted = ", ".join(f"'{name}'" for name in names)
        # A note on all metrics has no name.
        if names[0]:
            text = f"{quoted}: {text}"
        merged.append(text)
    return merged


def pivot_metrics(
    frame: pd.DataFrame, metric: str, value: str, keys: Sequence[str]
) -> pd.DataFrame:
    """Turn rows of (key, metric, value) into one row per key with a column for each metric.

    Repeated rows stay rows of their own.
    """
    metrics = frame[metric].astype(str).str.strip()
    repetition = frame.groupby([*keys, metric], dropna=False).cumcount()
    values = frame[value].to_numpy()
    # The number of the repetition is a key, for pivot refuses repeated rows.
    flat = frame[list(keys)].assign(_repetition=repetition, _metric=metrics, _value=values)
    wide = flat.pivot(index=[*keys, "_repetition"], columns="_metric", values="_value")
    wide = wide.reset_index().drop(columns="_repetition")
    wide.columns.name = None
    return wide[[*keys, *dict.fromkeys(metrics)]]


def name_rows(
    frame: pd.DataFrame,
    keys: Keys,
    columns: Sequence[Column],
    read_text: Callable[[], pd.DataFrame],
) -> NamedRows:
    """Name the rows uniquely, by further columns or by numbers where the label repeats.

    Parameters
    ----------
    read_text : callable
        Gives the frame with its cells as they stand in the file, to compare rows.
    """
    if not keys.label:
        all_stay = np.ones(len(frame), dtype=bool)
        names = pd.Index([f"row {k}" for k in range(1, len(frame) + 1)], name=ROW_LABEL)
        return NamedRows(names, all_stay, notes=["no column names the systems; rows are numbered"])
    named = _name_by_label(frame, keys, columns, read_text)
    note = _note_on_nameless(frame[named.stays], named)
    if not note:
        return named
    return replace(named, notes=[*named.notes, note])


def _note_on_nameless(frame: pd.DataFrame, named: NamedRows) -> str:
    """Say which rows are called by their number, for their label is empty; "" where none is."""
    cells = [frame[name].fillna("").astype(str).str.strip() for name in named.label]
    is_nameless = np.all([column == "" for column in cells], axis=0)
    numbers = named.index[is_nameless]
    if not len(numbers):
        return ""
    label = named.label[0]
    if len(numbers) == 1:
        return f"1 row has no name in '{label}'; it is called '{numbers[0]}'"
    return (
        f"{len(numbers)} rows have no name in '{label}'; they are called by their numbers, as "
        f"'{numbers[0]}'"
    )


def _name_by_label(
    frame: pd.DataFrame,
    keys: Keys,
    columns: Sequence[Column],
    read_text: Callable[[], pd.DataFrame],
) -> NamedRows:
    """Name the rows by their label, and by further columns or numbers where it repeats."""
    all_stay = np.ones(len(frame), dtype=bool)
    label = list(keys.label)
    repeats = int(frame.duplicated(label).sum())
    if not repeats:
        return NamedRows(join_labels(frame, label), all_stay, keys.label)
    # Settings that tell rows apart make different systems of them; full repeats are one system.
    are_few = repeats <= FEW_REPEATS * len(frame)
    distinguishing = _find_distinguishing(frame, label, columns, are_few=are_few)
    # Beside what names groups of rows, as "Team", a column that is unique names the rows alone, as
    # "Driver"; numbers are read beside a name.
    is_name = len(distinguishing) == 1 and frame[distinguishing[0]].is_unique
    names_groups = 2 * repeats > len(frame) or not is_whole_name(label[0], "label")
    if is_name and names_groups and not is_numbered(frame[distinguishing[0]]):
        return NamedRows(join_labels(frame, distinguishing), all_stay, tuple(distinguishing))
    if distinguishing:
        quoted = " and ".join(f"'{name}'" for name in distinguishing)
        note = (
            f"'{label[0]}' names several rows ({repeats} repeats); "
            f"{quoted} tells them apart and is part of the name"
        )
        extended = [*label, *distinguishing]
        return NamedRows(join_labels(frame, extended), all_stay, tuple(extended), [note])
    return _number_repeats(frame, keys.label, ~read_text().duplicated().to_numpy())


def _number_repeats(frame: pd.DataFrame, label: tuple[str, ...], stays: np.ndarray) -> NamedRows:
    """Leave out rows that repeat another one in every cell, and number what still repeats."""
    notes = []
    left_out = int((~stays).sum())
    if left_out == 1:
        notes.append("1 row that repeats another one in every cell is left out")
    elif left_out:
        notes.append(f"{left_out} rows that repeat another one in every cell are left out")
    names = join_labels(frame[stays], list(label))
    if not names.is_unique:
        count = names.to_series().groupby(level=0).cumcount().to_numpy()
        numbered = [
            f"{name} ({k + 1})" if k else name for name, k in zip(names, count, strict=True)
        ]
        names = pd.Index(numbered, name=names.name)
        notes.append(
            f"'{label[0]}' names several rows and no column tells them apart; they are numbered, "
            f"as '{names[count > 0][0]}'"
        )
    return NamedRows(names, stays, label, notes)


def _find_distinguishing(
    frame: pd.DataFrame, label: list[str], columns: Sequence[Column], *, are_few: bool
) -> list[str]:
    """Return the fewest columns that make the label unique: settings and texts, no measurements.

    Where few rows repeat a name, a text of unknown meaning that is no name of rows by itself
    describes them, as "contributor".
    """
    # Rows of a panel are told apart by their years, rather than by what was counted in these.
    dates = [column.name for column in columns if column.kind == "date" and column.name in frame]
    dates = [name for name in dates if not frame.duplicated([*label, name]).any()][:1]
    candidates = [
        column.name
        for column in columns
        if column.name not in label
        and not (dates and column.kind == "count")
        and frame[column.name].nunique() > 1
        and _may_distinguish(frame[column.name], column)
        and not (are_few and column.role == "text" and not frame[column.name].is_unique)
    ]
    # Texts tell more than numbers, one mark less, and names of parts of systems more than others;
    # of numbers, identifiers tell the most.
    parts = {column.name for column in columns if column.role == "label"}
    identifiers = {column.name for column in columns if column.kind == "identifier"}
    candidates.sort(
        key=lambda name: (
            is_numbered(frame[name]),
            _is_one_mark(frame[name]),
            name not in parts,
            name not in identifiers,
        )
    )
    # One column is enough in most tables; pairs are the most that a name can carry.
    for size in (1, 2):
        for names in combinations(candidates, size):
            if not frame.duplicated([*label, *names]).any():
                return list(names)
    return dates


def _is_one_mark(cells: pd.Series) -> bool:
    """Return whether all filled cells of a column are alike, as "model" above downloads."""
    texts = cells.dropna().astype(str)
    return bool(texts[~texts.map(is_empty_word)].nunique() < 2)


def _may_distinguish(cells: pd.Series, column: Column) -> bool:
    if column.role in ("text", "label", "dataset"):
        # Links under one text, as downloads, tell nothing.
        if cells.astype(str).str.contains("](", regex=False).all():
            return bool(cells.astype(str).map(strip_markup).nunique() > 1)
        # What is called by a metric, as "Wattage" above "39 W", was measured; sizes tell variants.
        meaning = look_up_metric(column.name)
        is_measured = meaning is not None and meaning.better != "neither"
        is_measured &= meaning is None or meaning.kind != "model size"
        is_measured &= bool(cells.astype(str).str.match(r"\W*\d").mean() > MOST_NUMBERS)
        return not is_measured and not is_description(cells, column.name)
    is_setting = column.role == "left_out" and column.kind in ("setting", "run", "count")
    # Versions of a model are different systems, whatever other identifiers tell apart.
    is_identifier = column.kind == "identifier"
    is_setting |= is_identifier and (has_name(column.name, "version") or cells.is_unique)
    # A mean is a measurement, whatever it is the mean of.
    numbers = pd.to_numeric(cells, errors="coerce")
    if (numbers % 1 > 0).any() and re.match(r"(avg|mean|average)", column.name, re.IGNORECASE):
        return False
    return is_setting and not re.match(r"^Unnamed|^(id|index|row)$", column.name)


def join_labels(frame: pd.DataFrame, label: Sequence[str]) -> pd.Index:
    """Return the names of rows: the cells of the label columns, joined by commas."""
    texts = [_label_texts(frame[name].to_numpy(dtype=object).tolist()) for name in label]
    names = texts[0]
    if len(texts) > 1:
        names = [", ".join(cells) for cells in zip(*texts, strict=True)]
    # A row whose label cells are empty is called by its number.
    if not all(map(str.strip, names, repeat(" ,"))):
        names = [name if name.strip(" ,") else f"row {k}" for k, name in enumerate(names, start=1)]
    return pd.Index(names, name="system" if label[0].startswith("Unnamed") else label[0])


def _label_texts(cells: list[object]) -> list[str]:
    """Return cells as parts of names."""
    try:
        # Most labels are text throughout, and this is the fastest way over a million of them.
        return list(map(str.strip, cells))  # type: ignore[arg-type]  # else TypeError
    except TypeError:
        return [_label_text(cell) for cell in cells]


def _label_text(cell: object) -> str:
    if isinstance(cell, str):
        return cell.strip()
    # An integer column with an empty cell is read as floats: 3.0 was "3".
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None or cell is pd.NA or cell != cell else str(cell).strip()


def compare_with_reference_rows(frame: pd.DataFrame, names: Sequence[str]) -> tuple[str, str]:
    """Return the direction of rates by rows of chance, which systems beat, or of humans; and why.

    What is below chance in accuracy is no system; but systems may be worse or better than humans,
    so that humans tell a direction only where they are at the top.
    """
    is_rate = measure_scale(frame[names[0]])[0] in ("share", "percent")
    if not is_rate or len(frame) > SAMPLED_ROWS:
        return "", ""
    # Of a name in several parts the first names the system.
    # As objects: to iterate over pandas' own texts takes ten times as long.
    systems = [str(name).split(", ")[0] for name in frame.index.to_numpy(dtype=object)]
    is_chance = np.array([has_name(name, "chance") for name in systems])
    is_human = np.array([has_name(name, "human") for name in systems])
    is_system = ~(is_chance | is_human)
    if is_system.sum() < MIN_SYSTEMS or is_system.all():
        return "", ""
    values = frame[list(names)].to_numpy(dtype=float)
    above_chance = _share_above(values[is_system], values[is_chance])
    below_humans = _share_above(-values[is_system], -values[is_human])
    # A row that is empty in all columns of the block says nothing.
    has_chance = bool(np.isfinite(above_chance).any())
    has_humans = bool(np.isfinite(below_humans).any())
    chance_says = _agree(above_chance)
    humans_say = _agree(below_humans)
    if has_chance and chance_says:
        is_opposed = has_humans and humans_say not in ("", chance_says)
        return ("", "") if is_opposed else (chance_says, "chance is worse than its systems")
    if has_humans and not has_chance and humans_say == "higher":
        return "higher", "humans are above its systems"
    return "", ""


def _share_above(systems: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return, for each column, the share of the systems above the least reference row."""
    is_filled = np.isfinite(systems)
    # A comparison with nothing is no share.
    level = np.where(np.isfinite(reference), reference, np.inf).min(axis=0, initial=np.inf)
    count = np.where(np.isfinite(level), is_filled.sum(axis=0), 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: np.ndarray = np.where(is_filled, systems > level, False).sum(axis=0) / count
    return shares


def _agree(shares: np.ndarray) -> str:
    """Return the direction that most columns agree on by their shares; "" without one."""
    compared_shares = shares[np.isfinite(shares)]
    if not len(compared_shares):
        return ""
    if (compared_shares >= BEATEN_SHARE).mean() >= AGREEING:
        return "higher"
    return "lower" if (compared_shares <= 1 - BEATEN_SHARE).mean() >= AGREEING else ""
