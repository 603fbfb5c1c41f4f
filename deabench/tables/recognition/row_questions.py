"""Ask what the rows of a table are, where they may be no systems.

Rows without a name, rows that are called by an identifier, a class or a statistic, and rows that
are the steps of one run are ranked only where somebody says that they are systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd

from deabench.tables.cells import parse_numbers
from deabench.tables.naming.questions import Answer, Question
from deabench.tables.naming.totals import rows_called_statistics
from deabench.tables.naming.vocabulary import (
    has_name,
    is_known_by_unit,
    is_whole_name,
    look_up_metric,
)
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.layout import (
    PROBED_ROWS,
    Keys,
    is_data_set_name,
    is_description,
    is_numbered,
    is_rising,
)
from deabench.tables.recognition.row_evidence import (
    are_capacities,
    are_crossed,
    are_known_systems,
    are_resources,
    ask_for_evidence,
    cell_texts,
    find_pair,
    holds_whole_numbers,
    is_square,
    make_question,
    may_be_load,
    tells_variants,
)
from deabench.utils.text import quote_names

KEY_KINDS = (
    "setting",
    "length",
    "data",
    "run",
    "count",
    "confusion count",
    "date",
    "identifier",
    "description",
    "computer",
)
"""Kinds of columns that are no metrics and tell rows apart."""
UNIT_KINDS = ("", "spending", "throughput", "time")
"""Kinds of columns that a unit alone tells."""
MAX_KEYS = 3
"""At most this many columns are proposed as the label together."""
MAX_REPEATED = 0.25
"""So many rows may be called like another one by mistake."""
MAX_RUNS = 30
"""A system is seldom run more often."""
LEAST_STATISTICS = 0.5
"""Rows are statistics where at least this share of their names are."""


def ask_about_rows(
    frame: pd.DataFrame, columns: Sequence[Column], keys: Keys, metrics: Sequence[str], title: str
) -> Question | None:
    """Return what has to be asked about the rows of a file; None where they are surely systems.

    Rows are systems where nothing speaks against it, and the name of their column or their own
    names speak for it.

    Parameters
    ----------
    frame : DataFrame
        Raw cells.
    columns : sequence of Column
        What each column is by itself.
    keys : Keys
        What names the rows.
    metrics : sequence of column names
        What would be ranked.
    title : str
        The name of the file; "" for a table in memory.
    """
    if len(frame) < 2:
        return None
    name = title or "the table"
    question = _ask_about_traces(frame, columns, keys, metrics, name)
    if question is not None or not keys.label or are_resources(columns, metrics):
        return question
    return _ask_about_key(frame, columns, keys, name) or ask_for_evidence(
        cell_texts(frame[keys.label[0]]), keys.label, title
    )


def _ask_about_traces(
    frame: pd.DataFrame, columns: Sequence[Column], keys: Keys, metrics: Sequence[str], title: str
) -> Question | None:
    """Ask about rows that look like other things than systems; None where nothing says so."""
    if not keys.label:
        return _ask_for_names(frame, columns, metrics, title)
    label = keys.label[0]
    cells = cell_texts(frame[label])
    statistics = cells.head(PROBED_ROWS).map(lambda cell: has_name(cell, "statistic"))
    if statistics.mean() >= LEAST_STATISTICS:
        return make_question(f"the rows of '{title}' are statistics ({cells.iloc[0]})", [label], "")
    called = rows_called_statistics(cells, label)
    if len(called):
        return make_question(
            f"the row '{called.iloc[0]}' of '{title}' is called as a statistic of the other rows, "
            "but differs from it; delete the row if it is no system",
            [label],
        )
    if is_square(cells, columns):
        return make_question(
            f"the rows and columns of '{title}' are called alike, as in a table of pairs",
            [label],
            "",
        )
    if pair := find_pair(columns):
        finding = f"'{pair[0]}' and '{pair[1]}' say that the rows of '{title}' are pairs"
        return make_question(finding, pair, "")
    metric = next(
        (c.name for c in columns if c.role == "text" and has_name(c.name, "metric")), None
    )
    if metric is not None and cell_texts(frame[metric]).nunique() > 1:
        return make_question(
            f"'{metric}' says that the rows of '{title}' hold different metrics", keys.label, ""
        )
    step = _find_step(frame, columns, keys)
    if step is not None:
        return make_question(
            f"rows of '{cells.iloc[0]}' differ in '{step}', as the steps of one run do",
            [*keys.label, step],
        )
    meaning = look_up_metric(label)
    # Any column may be called "id": only the names of instances are those of one system's results.
    is_instance = has_name(label, "instance") and not has_name(label, "any_row")
    # Where only the units of the cells tell the metrics, their names are those of systems.
    unknown = [name for name in metrics if look_up_metric(name) is None]
    is_matrix = len(unknown) > 1 and 2 * len(unknown) > len(metrics)
    is_no_system = meaning is not None and (
        meaning.role == "dataset" or meaning.kind in ("setting", "computer")
    )
    # Graphics cards are compared by what was measured; whole numbers may be settings.
    are_settings = all(holds_whole_numbers(frame[name]) for name in unknown)
    is_no_system &= are_settings or not (has_name(label, "machine") and cells.is_unique)
    is_no_system &= is_matrix or are_capacities(columns, metrics)
    if is_instance or is_no_system or has_name(label, "topic"):
        crossed_question = _ask_about_crossed(frame, columns, label, title)
        if crossed_question is not None:
            return crossed_question
        return make_question(
            f"the rows of '{title}' are called by '{label}', which names no systems", [label]
        )
    if cells.is_unique:
        question = _ask_about_data_sets(frame, columns, label, title) or _ask_about_crossed(
            frame, columns, label, title
        )
        if question is None and not is_whole_name(label, "label") and not are_known_systems(cells):
            by_unit = [c for c in columns if c.name in metrics and c.unit]
            by_unit = [c for c in by_unit if is_known_by_unit(c.name) and c.kind in UNIT_KINDS]
            # Columns that differ in their names alone may be the systems.
            if 2 * len(by_unit) > max(len(metrics), 2):
                return make_question(f"nothing tells what the rows of '{title}' are", [label])
        return question
    if keys.dataset is not None or keys.repeats:
        return None
    # A setting by its whole name is a part of the systems' names.
    texts = [
        c.name
        for c in columns
        if c.role == "text"
        and c.name not in keys.label
        and not (_kind_of(c.name) == "setting" and is_whole_name(c.name, "left_out"))
        and not is_description(frame[c.name], c.name)
    ]
    crossed = next((name for name in texts if are_crossed(frame, label, name)), None)
    pairs = cells.nunique() * frame[crossed].nunique() if crossed else 0
    nearly = "" if len(frame) == pairs else "nearly "
    finding = f"{nearly}every '{label}' of '{title}' has a row for each '{crossed}'"
    # Names of data sets, and sizes of what was computed, need no complete table.
    if crossed is None:
        crossed = _find_load(frame, columns, label)
        finding = f"rows of one '{label}' of '{title}' differ in '{crossed}'"
    # Data sets of one system compare nothing.
    if crossed and cells.nunique() == 1:
        return make_question(finding, [label, crossed])
    if crossed:
        return Question(
            f"{finding}: are these data sets, or a part of the systems' names?",
            (),
            {"dataset": {"dataset": (crossed,)}, "label": {"label": (label, crossed)}},
        )
    # What has an identifier of its own on each row is no average of rows.
    has_identifiers = any(c.kind == "identifier" and frame[c.name].is_unique for c in columns)
    key = next(_unique_keys(frame, [label], texts), [])
    if len(key) > 2 and has_identifiers:
        return None
    if len(key) > 2:
        return make_question(
            f"'{label}' names several rows of '{title}', which differ in "
            f"{quote_names(key[1:], 3)}: some of these may be data sets",
            key,
        )
    if meaning is None or meaning.better != "neither":
        key = next(_unique_keys(frame, [label], _key_columns(frame, columns, texts)), [label])
        return make_question(
            f"nothing tells whether '{label}' names the systems of '{title}', for it repeats", key
        )
    return _ask_about_numbers(frame, [c for c in columns if c.name not in metrics], label, title)


def merge_questions(rows: Question, metrics: Question | None) -> Question:
    """Return one question about rows and columns: each answer states both."""
    if metrics is None:
        return rows
    answer_of_rows = next(iter(rows.answers.values()))
    return Question(
        f"{rows.text} And {metrics.text}",
        metrics.columns,
        {word: {**answer, **answer_of_rows} for word, answer in metrics.answers.items()},
        metrics.default,
    )


def _ask_for_names(
    frame: pd.DataFrame, columns: Sequence[Column], metrics: Sequence[str], title: str
) -> Question | None:
    """Ask for the label of rows without a name, unless they differ in their metrics alone."""
    names = [name for name in _key_columns(frame, columns, ()) if name not in metrics]
    # A first column without a known name may number the rows, whatever its like measure.
    first = columns[0]
    parsed = parse_numbers(frame[first.name])
    numbers = np.full(len(frame), np.nan) if parsed is None else parsed.values
    is_unnamed = has_name(first.name, "unnamed")
    is_sorted = bool((np.diff(numbers) > 0).all())
    is_numbering = is_rising(numbers) or (is_unnamed and is_sorted)
    is_open = first.role == "unknown" and (first.name in metrics or is_numbering)
    # The sizes of a simulation rise, whatever they are called.
    is_size = first.metric and not is_unnamed and is_rising(numbers)
    if is_open or (is_size and first.name not in names):
        names.insert(0, first.name)
    if not names:
        return None
    # Sizes of models that repeat are parts of names: "7B" in several precisions.
    sizes = [c.name for c in columns if c.kind == "model size" and frame[c.name].duplicated().any()]
    # Row numbers without a name say nothing where other columns tell the rows apart.
    counts_rows = is_unnamed and bool((np.diff(numbers) == 1).all())
    named = [name for name in names if not (counts_rows and name == first.name)]
    key = next(_unique_keys(frame, [], named), []) or next(_unique_keys(frame, [], names), [])
    key = key or next(_unique_keys(frame, [], [*sizes, *names]), names[:1])
    if all(_kind_of(name) == "date" for name in names):
        return make_question(
            f"the rows of '{title}' are dates ('{names[0]}'), as in a history, and no systems: "
            "give a row for each system",
            key,
            "",
        )
    return make_question(
        f"no column names the systems of '{title}', and its rows differ in {quote_names(names, 3)}",
        key,
    )


def _ask_about_key(
    frame: pd.DataFrame, columns: Sequence[Column], keys: Keys, title: str
) -> Question | None:
    """Ask about rows that one name does not tell apart: a second may be that of data sets."""
    label = list(keys.label)
    texts = cell_texts(frame[label[0]])
    is_averaged = keys.dataset is not None or bool(keys.repeats)
    if len(label) == 1 and not is_averaged and texts.duplicated().mean() > MAX_REPEATED:
        names = _key_columns(frame, columns, [c.name for c in columns if c.role == "label"])
        names = [name for name in names if name not in label]
        variants = [name for name in names if tells_variants(frame[name])]
        if next(_unique_keys(frame, label, variants), None) is None:
            label = next(_unique_keys(frame, label, names), label)
            if len(label) == 1:
                return make_question(f"'{label[0]}' names several rows of '{title}'", label)
    # Runs that are averaged have numbers: an identifier beside these is no part of a name.
    splitting = [
        name
        for name in label[1:]
        if not tells_variants(frame[name]) or (is_averaged and _kind_of(name) == "identifier")
    ]
    if not splitting:
        return None
    finding = f"rows of one '{label[0]}' of '{title}' differ in {quote_names(splitting, 3)}"
    # Data sets of one system compare nothing.
    if texts.nunique() == 1:
        return make_question(finding, label)
    return Question(
        f"{finding}: are these data sets, or a part of the systems' names?",
        (),
        {
            "dataset": {"label": (label[0],), "dataset": (splitting[0],)},
            "label": {"label": tuple(label)},
        },
    )


def _key_columns(
    frame: pd.DataFrame, columns: Sequence[Column], others: Sequence[str]
) -> list[str]:
    """Return the columns besides metrics that tell rows apart."""
    return [
        c.name
        for c in columns
        if c.name in frame
        and (c.name in others or c.role in ("text", "dataset") or c.kind in KEY_KINDS)
        and cell_texts(frame[c.name]).nunique() > 1
    ]


def _unique_keys(
    frame: pd.DataFrame, first: Sequence[str], names: Sequence[str]
) -> Iterator[list[str]]:
    """Yield sets of columns that name every row, the smallest first."""
    names = [name for name in names if name not in first]
    texts = pd.DataFrame({name: cell_texts(frame[name]) for name in [*first, *names]})
    for size in range(0 if first else 1, MAX_KEYS):
        for more in combinations(names, size):
            if not texts.duplicated([*first, *more]).any():
                yield [*first, *more]


def _ask_about_data_sets(
    frame: pd.DataFrame, columns: Sequence[Column], label: str, title: str
) -> Question | None:
    """Ask whether systems that stand on one data set each, of several, can be compared."""
    for column in columns:
        if column.role != "dataset" or not is_data_set_name(column.name) or column.name == label:
            continue
        datasets = cell_texts(frame[column.name])
        if datasets.nunique() < 2:
            continue
        question = make_question(
            f"'{column.name}' says that the rows of '{title}' are results on different data",
            [label],
        )
        # What names rows together with the data sets may be the systems.
        texts = [c.name for c in columns if c.role in ("text", "label") and c.name != label]
        key = next(_unique_keys(frame, [column.name], texts), [])
        if len(key) == 2 and frame[key[1]].duplicated().any():
            answer: Answer = {"label": (key[1],), "dataset": (column.name,)}
            answers = {"dataset": answer, **question.answers}
            return replace(question, answers=answers, default="dataset")
        return question
    return None


def _find_load(frame: pd.DataFrame, columns: Sequence[Column], label: str) -> str | None:
    """Return the column of workloads or sizes in which rows of one system differ."""
    loads = [
        c.name
        for c in columns
        if c.name != label
        and may_be_load(frame, c, label)
        and not is_description(frame[c.name], c.name)
        # When something was run is no data set.
        and _kind_of(c.name) != "date"
    ]
    keys = _unique_keys(frame, [label], loads)
    return next((key[1] for key in keys if len(key) == 2), None)


def _kind_of(name: object) -> str:
    """Return the kind of what a name means; empty where it is not known."""
    return meaning.kind if (meaning := look_up_metric(name)) else ""


def _ask_about_crossed(
    frame: pd.DataFrame, columns: Sequence[Column], label: str, title: str
) -> Question | None:
    """Ask about rows that are called by pairs of a system and what names data sets."""
    factors = [
        c.name
        for c in columns
        if c.role in ("text", "dataset", "label") and frame[c.name].nunique() < len(frame)
    ]
    for first, second in permutations(factors, 2):
        is_data = has_name(first, "topic") or is_data_set_name(first)
        if is_data and frame[second].nunique() > 1 and are_crossed(frame, second, first):
            names = (label,) if frame[label].is_unique else (second, first)
            return Question(
                f"the rows of '{title}' are the pairs of '{second}' and '{first}': does '{first}' "
                "name data sets?",
                (),
                {
                    "dataset": {"label": (second,), "dataset": (first,)},
                    "label": {"label": names},
                },
            )
    return None


def _ask_about_numbers(
    frame: pd.DataFrame, columns: Sequence[Column], label: str, title: str
) -> Question | None:
    """Ask about rows of one name that differ in whole numbers of unknown meaning alone."""
    keys = _key_columns(frame, columns, ())
    if next(_unique_keys(frame, [label], keys), None) is not None:
        return None
    # Numbers that repeat may be settings; measurements hardly do.
    numbers = [
        c.name
        for c in columns
        if c.role in ("unknown", "conditional")
        and is_numbered(frame[c.name])
        and 2 * frame[c.name].nunique() <= len(frame)
    ]
    key = next(_unique_keys(frame, [label], [*keys, *numbers]), None)
    if key is None:
        return None
    return make_question(
        f"'{label}' names several rows of '{title}', which differ in {quote_names(key[1:], 3)}", key
    )


def _find_step(frame: pd.DataFrame, columns: Sequence[Column], keys: Keys) -> str | None:
    """Return the column of steps, as epochs, in which several rows of one run differ."""
    steps = [
        c.name
        for c in columns
        if c.name not in keys.label
        and (
            has_name(c.name, "step")
            # A few iterations may be repeated runs, many are those of one.
            or (has_name(c.name, "iteration") and frame[c.name].nunique() > MAX_RUNS)
        )
    ]
    run = [*keys.label, *([keys.dataset] if keys.dataset else [])]
    run += [name for name in keys.repeats if name not in steps]
    texts = pd.DataFrame({name: cell_texts(frame[name]) for name in [*run, *steps]})
    # Each run has several rows, all of other steps.
    if not texts.duplicated(run).any():
        return None
    return next((step for step in steps if not texts.duplicated([*run, step]).any()), None)
