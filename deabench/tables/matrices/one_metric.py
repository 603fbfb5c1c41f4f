"""Interpret tables of one metric: folds x systems, and data sets x systems."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import Numbers
from deabench.tables.matrices.matrix_metric import (
    UNNAMED_METRIC,
    find_shares_beside_percent,
    find_winners,
    is_comparison,
    is_rate,
    metric_of_benchmarks,
    metric_of_surroundings,
)
from deabench.tables.matrices.metric_rows import name_data_sets
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.questions import Answer, Question
from deabench.tables.naming.titles import meaning_of_heading, metric_before_colon, metric_of_title
from deabench.tables.naming.units import spell_unit
from deabench.tables.naming.vocabulary import (
    BETTER_ROLES,
    has_name,
    is_error_set,
    is_known_by_unit,
    is_whole_name,
    look_up_metric,
)
from deabench.tables.readers.frames import Source
from deabench.tables.recognition.bold_cells import BOLD_REASON, direction_of_bold_rows
from deabench.tables.recognition.columns import Column, infer_column
from deabench.tables.recognition.layout import (
    Keys,
    are_languages,
    find_matrix_columns,
    has_systems_in_columns,
    is_rising,
    is_system_name,
)
from deabench.tables.recognition.parsed_source import (
    ParsedSource,
    UserRoles,
    assign_and_note,
    open_table,
)
from deabench.tables.rows import Systems, average_rows
from deabench.tables.scales import LEAST_RATIO, measure_scale
from deabench.tables.table import Kind, Table
from deabench.utils.text import quote_names

DISTANCES = ("dist", "len")
"""Abbreviations that say what is measured only behind the name of a system."""
DATA_KINDS = ("data", "setting", "count", "length")
"""What rows may be called by that are sizes and parts of data."""
MOST_COMPARED = 12
"""Wider tables are no comparison of two systems."""


@dataclass(frozen=True)
class Matrix:
    """One metric of systems and data sets.

    Attributes
    ----------
    metric : str
        Its name; "score" where nothing tells it.
    columns : list of column names
    rows : str or None
        The column that names the rows.
    systems_in_columns : bool
    direction : (str, str)
        Which way is better where the table names the winners, and the reason; empty otherwise.
    """

    metric: str
    columns: list[str]
    rows: str | None
    systems_in_columns: bool
    direction: tuple[str, str] = ("", "")


def interpret_folds(parsed: ParsedSource, repetitions: Mapping[str, str], user: UserRoles) -> Table:
    """Interpret a table of folds x classifiers: one metric, which only the file's name may tell."""
    frame = parsed.source.frame
    names = [name for name in map(str, frame.columns) if name not in repetitions.values()]
    metric = metric_of_title(parsed.source.title) or UNNAMED_METRIC
    rows = pd.DataFrame({word: frame[name].tolist() for word, name in repetitions.items()})
    results = []
    for name in names:
        numbers = parsed.numbers[name]
        if numbers is not None:
            result = rows.assign(**{metric: numbers.values})
            result.insert(0, "classifier", name)
            results.append(result)
    single = pd.concat(results, ignore_index=True)
    systems = average_rows(single[[metric]], pd.Index(single["classifier"], name="system"), None)
    note = (
        f"every row is one {next(iter(repetitions))} and every column a system: "
        f"{quote_names(names, 4)}"
    )
    return _interpret_one_metric(parsed, metric, systems, Keys(()), note, single, user, "folds")


def find_matrix(parsed: ParsedSource, *, one_metric: bool) -> Matrix | None:
    """Return where a table is one metric of systems and data sets; None where it is not.

    Systems in rows are a matrix only where somebody says so, for their data sets may be ranked by.
    """
    frame = parsed.source.frame
    columns = find_matrix_columns(parsed.columns, parsed.keys)
    if not columns:
        return None
    metric = metric_of_title(parsed.source.title) or metric_before_colon(
        parsed.source.sheet, parsed.source.prose
    )
    rows = next((c.name for c in parsed.columns if c.role == "dataset" and c.name in frame), None)
    if parsed.keys.label:
        rows = parsed.keys.label[0]
    elif rows is None and columns[0] == frame.columns[0] and _is_numbering(parsed, columns[0]):
        rows, *columns = columns
    # What some columns are called by is their own: "Transcribed Hours" beside "Transcribed Tokens".
    metric_words = parse_name(metric).words
    naming = [name for name in columns if metric_words in parse_name(name).words]
    metric = "" if 0 < len(naming) < len(columns) else metric
    won = _find_won_columns(parsed, columns, rows, metric)
    if won is not None:
        return won
    texts = parsed.source.texts
    are_data = rows is not None and name_data_sets(frame[rows])
    if are_data and (better := direction_of_bold_rows(frame, columns, parsed.numbers, texts)):
        # "mae" may be a model where the greatest values are in bold.
        named = look_up_metric(metric)
        if better == "open" or (named is not None and named.better != better):
            return Matrix(UNNAMED_METRIC, columns, rows, True)
        direction = (better, f"{BOLD_REASON} on each row")
        return Matrix(metric or UNNAMED_METRIC, columns, rows, True, direction)
    in_columns = has_systems_in_columns(frame, parsed.columns, columns, rows)
    if not in_columns and not (one_metric and metric):
        return None
    return Matrix(metric or UNNAMED_METRIC, columns, rows, in_columns)


def _find_won_columns(
    parsed: ParsedSource, columns: Sequence[str], rows: str | None, metric: str
) -> Matrix | None:
    """Return the matrix of a table that says what its cells are, or who wins on each row."""
    frame = parsed.source.frame
    # "number of queries/time" says what the cells are, but not above "1 h" and "4 h".
    corner = str(frame.columns[0])
    called, _, cells = corner.partition("/")
    measured = look_up_metric(cells) if cells and corner not in columns else None
    are_times = any(name[:1].isdigit() for name in columns)
    if measured is not None and measured.kind == "time" and _calls_data(called) and not are_times:
        return Matrix(cells.strip(), [*columns], corner, True)
    unknown = [c.name for c in parsed.columns if c.name in columns and c.role == "unknown"]
    direction = find_winners(frame, parsed.numbers, unknown)
    # A column of winners does not name the rows.
    texts = [n for n in (rows, *map(str, frame.columns)) if n and parsed.numbers.get(n) is None]
    of_rows = (n for n in texts if not has_name(n, "winner") and frame[n].is_unique)
    label = next(of_rows, None)
    # Rows that are called as systems are some, and so are rows with further metrics.
    has_metrics = any(c.metric for c in parsed.columns if c.name not in unknown)
    if not direction[0] or label is None or is_whole_name(label, "label") or has_metrics:
        return None
    return Matrix(metric or UNNAMED_METRIC, unknown, label, True, direction)


def columns_as_systems(parsed: ParsedSource, dataset: str) -> Matrix:
    """Return the matrix of a table whose rows are data sets and whose columns are systems.

    The unit that most columns state names the metric; metrics by name are no systems.

    Raises
    ------
    DataError
        Where no columns of one measure are left.
    """
    # The unit of a column is that of its cells, else of its name.
    units = {
        column.name: spell_unit(numbers.unit) or column.unit
        for column in parsed.columns
        if (numbers := parsed.numbers[column.name]) is not None
        and column.name != dataset
        and column.role != "left_out"
        and is_known_by_unit(column.name)
        # A name may tell what it measures beside the others only.
        and column.kind in ("", "spending", "throughput", "time")
    }
    stated = list(units.values())
    unit = max(stated, key=stated.count, default="")
    names = [name for name in units if units[name] == unit]
    metric = metric_of_title(parsed.source.title) or unit
    # Else most names of metrics end with the one metric, as "GPT accuracy" and "ga_dist".
    if len(names) < 2 or not unit:
        ending, ending_names = _find_shared_ending(parsed, dataset)
        if len(ending_names) > len(names) or len(names) < 2:
            metric, names = ending, ending_names
    if len(names) < 2:
        raise DataError(
            f"'{dataset}' names data sets, and no column of '{parsed.source.title}' names the "
            "systems; name it in label"
        )
    return Matrix(metric or UNNAMED_METRIC, names, dataset, True)


def _find_shared_ending(parsed: ParsedSource, dataset: str) -> tuple[str, list[str]]:
    """Return the metric that most names end with, and the columns of these names; else none."""
    numeric = [
        column.name
        for column in parsed.columns
        if (column.metric or column.role in ("unknown", "conditional"))
        and column.name != dataset
        and parsed.numbers[column.name] is not None
    ]
    # What stands in brackets is a unit.
    words = {name: re.split(r"[\s_]+", re.sub(r"\(.*?\)", "", name).strip()) for name in numeric}
    endings = [parts[-1] for parts in words.values() if len(parts) > 1]
    metric = max(endings, key=endings.count, default="")
    names = [name for name, parts in words.items() if parts[-1] == metric]
    is_metric = look_up_metric(metric) is not None or metric in DISTANCES
    if len(names) < 2 or 2 * len(names) <= len(numeric) or not is_metric:
        return "", []
    return metric, names


def ask_about_matrix(parsed: ParsedSource, table: Table, rows: Question) -> Question | None:
    """Ask whether the rows of a table are data sets, and its columns the systems.

    They may be where one column calls the rows and all others measure the same, for all that is
    known of their names is a unit.

    Parameters
    ----------
    table : Table
        The source as a table of systems in rows.
    rows : Question
        The question whether the rows are systems.
    """
    label = rows.answers.get("label", {}).get("label", ())
    if rows.default != "label" or len(label) != 1:
        return None
    dataset = label[0]
    try:
        systems = columns_as_systems(parsed, dataset)
    except DataError:
        return None
    are_compared = _find_compared(parsed, dataset) == systems.columns
    if not are_compared and not _may_be_systems(parsed, table, systems):
        return None
    matrix = interpret_matrix(parsed, systems, UserRoles())
    metric = matrix.question
    answers: dict[str, Answer] = {"dataset": {}}
    default = "dataset"
    text = (
        f"nothing tells whether the systems of '{table.title}' are its columns "
        f"{quote_names(systems.columns, 3)}, or its rows, called by '{dataset}'."
    )
    if metric is not None:
        answers = {word: metric.answers[word] for word in ("higher", "lower")}
        meaning = meaning_of_heading(table.heading)
        default = metric.default
        if meaning is not None and meaning.better in answers:
            default = meaning.better
        text = f"{text} And {metric.text}"
    answers = {word: {"dataset": (dataset,), **answer} for word, answer in answers.items()}
    # Whatever is to be asked about the columns then is asked when it comes to that.
    answers["label"] = {"label": (dataset,)}
    return Question(text, (), answers, default)


def _find_compared(parsed: ParsedSource, dataset: str) -> list[str]:
    """Return the two columns that a third one compares; nothing where there are none.

    "PostgreSQL", "MySQL" and their ratio on each row are systems, and the rows what they ran on.
    """
    # "name" may call anything.
    if any(c.role == "label" and not has_name(c.name, "weak_label") for c in parsed.columns):
        return []
    values = parsed.values().drop(columns=[dataset], errors="ignore")
    names = [
        name
        for name in map(str, values.columns)
        if look_up_metric(name) is None or is_known_by_unit(name) or _calls_data(dataset)
    ]
    if not parsed.source.frame[dataset].is_unique or len(values.columns) > MOST_COMPARED:
        return []
    order = [*map(str, values.columns)]
    # What compares two columns stands behind them.
    pairs = [
        (first, second)
        for first, second in combinations(names, 2)
        if any(
            is_comparison(values[name], values[first], values[second])
            for name in order[order.index(second) + 1 :]
        )
    ]
    if len(pairs) != 1:
        return []
    return [*pairs[0]]


def _may_be_systems(parsed: ParsedSource, table: Table, matrix: Matrix) -> bool:
    """Return whether the columns of a matrix may be systems, and its rows data sets."""
    rows = parsed.source.frame[matrix.rows]
    # Systems have a column of their own then.
    if any(column.role == "label" for column in parsed.columns):
        return False
    further_columns = [
        column.name
        for column in table.columns
        if column.name in table.frame
        and column.role != "left_out"
        and column.name not in (matrix.rows, *matrix.columns)
    ]
    are_splits = any(has_name(name, "split_part") for name in matrix.columns)
    # "fbank test-clean" names a part of a corpus of speech.
    are_splits |= 2 * sum(map(is_error_set, matrix.columns)) > len(matrix.columns)
    # What has a price, a size or a language of its own is a system.
    texts = [c.name for c in table.columns if c.role == "text" and c.name in parsed.source.frame]
    if any(are_languages(parsed.source.frame[name]) for name in texts):
        return False
    has_costs = any(
        column.role == "cost" and column.name in further_columns and not column.production
        for column in table.columns
    )
    if are_splits or has_costs or not rows.is_unique or len(further_columns) >= len(matrix.columns):
        return False
    # Metrics by name are measured several times where the rows are numbered, or called by data
    # beside the names of known systems.
    if not all(map(is_known_by_unit, matrix.columns)):
        has_systems = any(map(is_system_name, matrix.columns)) and _calls_data(matrix.rows)
        further_metrics = [name for name in further_columns if "speedup" not in name.lower()]
        return not further_metrics and (has_systems or _is_numbering(parsed, matrix.rows))
    # Units tell that columns are alike; without them they are, if their values are.
    metrics = {column.name for column in table.metrics}
    return {*matrix.columns} <= metrics or (
        not further_columns and _are_alike(table, matrix.columns)
    )


def _calls_data(name: str | None) -> bool:
    """Return whether a column's name says that it names or describes data, as "file" and "size"."""
    meaning = look_up_metric(name)
    if meaning is not None and (meaning.role == "dataset" or meaning.kind in DATA_KINDS):
        return True
    return any(has_name(name, kind) for kind in ("instance", "load", "topic"))


def _is_numbering(parsed: ParsedSource, name: str | None) -> bool:
    """Return whether a column holds rising whole numbers, which are no results."""
    numbers = parsed.numbers.get(str(name))
    return numbers is not None and is_rising(numbers.values)


def _are_alike(table: Table, names: Sequence[str]) -> bool:
    """Return whether columns hold rates, or numbers of like size."""
    columns = [table.frame[name] for name in names if name in table.frame]
    if all(measure_scale(column)[0] in ("share", "percent") for column in columns):
        return True
    medians = [column.abs().median() for column in columns]
    return bool(max(medians) <= LEAST_RATIO * min(medians))


def interpret_matrix(parsed: ParsedSource, matrix: Matrix, user: UserRoles) -> Table:
    """Interpret a matrix of one metric: systems stand on one side, data sets on the other."""
    frame = parsed.source.frame
    rows = [f"row {k + 1}" for k in range(len(frame))]
    if matrix.rows is not None:
        rows = frame[matrix.rows].astype(str).tolist()
    values = parsed.values().set_axis(rows, axis=0)
    filled = [name for name in matrix.columns if name in values and values[name].notna().any()]
    cells = values[filled].stack(future_stack=True)
    row_names = cells.index.get_level_values(0)
    column_names = cells.index.get_level_values(1)
    stacked = cells.to_frame(matrix.metric).reset_index(drop=True)
    # The mean of each system is over the data sets, which stand on the other side.
    if matrix.systems_in_columns:
        side = "columns"
        dataset = matrix.rows or "row"
        keys = Keys((), dataset)
        names, dataset_names = column_names, row_names
    else:
        side = "rows"
        dataset = "columns"
        keys = Keys(parsed.keys.label[:1], dataset)
        names, dataset_names = row_names, column_names
    source = parsed.source
    if is_rate(matrix.metric, "\n".join(source.texts)):
        # Their mean with percent would hardly count what is written as a share.
        shares = find_shares_beside_percent(stacked[matrix.metric], dataset_names)
        stacked.loc[dataset_names.isin(shares), matrix.metric] *= 100
        if shares:
            note = f"{quote_names(shares, 4)}: shares beside percent are read in percent"
            parsed = replace(parsed, source=replace(source, notes=(*source.notes, note)))
    systems = average_rows(stacked, names.rename("system"), dataset_names.rename(dataset))
    single = stacked.assign(classifier=names.astype(str), dataset=dataset_names.astype(str))
    single = single[["classifier", "dataset", matrix.metric]]
    note = f"every cell is a '{matrix.metric}'; {side} are the systems"
    if matrix.metric == metric_of_title(parsed.source.title):
        note = f"the file's name says that every cell is '{matrix.metric}'; {side} are the systems"
    return _interpret_one_metric(
        parsed, matrix.metric, systems, keys, note, single, user, "datasets", matrix.direction
    )


def _interpret_one_metric(
    parsed: ParsedSource,
    metric: str,
    systems: Systems,
    keys: Keys,
    note: str,
    rows: pd.DataFrame,
    user: UserRoles,
    kind: Kind,
    direction: tuple[str, str] = ("", ""),
) -> Table:
    """Return the table of one metric whose name the columns do not tell."""
    means = systems.frame.iloc[:, 0].to_numpy()
    column = infer_column(metric, Numbers(means, np.zeros(len(means), dtype=bool)), {})
    source = replace(parsed.source, notes=(*parsed.source.notes, note))
    if metric == UNNAMED_METRIC:
        column = metric_of_benchmarks(rows)
    better, reason = direction
    if column.role == "unknown" and better:
        column = replace(column, role=BETTER_ROLES[better], reason=reason)
    table = _assign_metric(source, column, systems, keys, user)
    # What is written around the table speaks first, as it does of any other column.
    if table.question is not None and column.role == "unknown" and metric == UNNAMED_METRIC:
        column = metric_of_surroundings(rows, table.context)
        if column.role != "unknown":
            table = _assign_metric(source, column, systems, keys, user)
    return replace(table, kind=kind, rows=rows)


def _assign_metric(
    source: Source, column: Column, systems: Systems, keys: Keys, user: UserRoles
) -> Table:
    """Return the table of one column, with the role that all evidence gives it."""
    single = ParsedSource(source, {column.name: None}, [column], keys)
    table = open_table(single, systems, keys, source.notes)
    return assign_and_note(table, single, systems, user)
