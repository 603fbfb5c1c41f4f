"""Recognise tables whose rows are metrics and whose columns are systems, and transpose them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.tables.cells import is_numeric_dtype, parse_numbers
from deabench.tables.estimates import (
    clean_cell,
    counts_operations,
    is_estimate,
    parse_estimate,
    unit_factor,
)
from deabench.tables.naming.totals import is_called_change
from deabench.tables.naming.vocabulary import (
    has_name,
    is_weak,
    is_whole_name,
    look_up_beside,
    look_up_metric,
)
from deabench.tables.readers.frames import Source
from deabench.tables.recognition.layout import is_data_set_name
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

_PREFIX = lazy_pattern(r"^(?:[kKMGTP](?:i(?=[Bb]))?|[mµμun])(?=[A-Za-z])")
"""What stands before a unit and counts or divides it, as k in km."""
_RATE = lazy_pattern(r"(?:.*/(?:s|sec|second|min|h)|[kmgt]?i?(?:bit|[bfqrt]|io)ps)$", re.IGNORECASE)
"""Something per time, as MB/s, tok/s and fps."""
DIMENSIONS = {
    "seconds": "time",
    **dict.fromkeys(("byte", "bytes", "bit", "bits", "b"), "memory"),
    **dict.fromkeys(("m", "in", "ft", "mi"), "length"),
    **dict.fromkeys(("g", "t", "lb", "lbs", "oz"), "mass"),
    **dict.fromkeys(("J", "Wh", "cal"), "energy"),
    "W": "power",
    "Hz": "frequency",
    "percent": "share",
}
"""What the units without a prefix measure."""
HEADINGS_OF_MEASURES = (
    *("benchmark", "benchmarks", "criterion", "feature", "item", "measurement", "operation"),
    *("operations", "property", "spec", "specification", "test", "tests"),
)
"""What a column of metrics may be called beside words for metrics; none of them is a system."""
LEAST_METRIC_SHARE = 0.5
"""Metrics stand in rows where at least this share of the row labels are names of metrics."""
MOST_CALLED = 0.2
"""So many of the systems may be called like metrics, as a share of them."""
_DEMANDED = lazy_pattern(
    r"\W*(target|goal|sla|slo|weight|importance|priority|page|source|unit|reference|threshold|budget"
    r"|requirement|limit|spec)s?\b",
    re.IGNORECASE,
)
"""What a column is called that says what is wanted of a metric, or where it stands."""
LEAST_MEASURED = 0.5
"""A row of words and numbers is measured where at least this share of it are numbers."""
LEAST_SYSTEMS = 2
"""So many columns without a name of a metric are systems beside a column that is called metric."""
MAX_METRIC_ROWS = 20_000
"""More rows than this are no metrics."""
MAX_PROBED_NAMES = 200
"""Of more names than this a part tells whether they are names of metrics."""
MAX_ROWS_OF_UNITS = 500
"""In a longer table the units of all cells are not looked at."""
CONTAINER = re.compile(
    r"(?:hash|dense|tree|sparse|flat|b-?tree|(?:un)?ordered|swiss|robin)[ _-]?map$", re.IGNORECASE
)
"""How names of hash maps and trees end in programs; "boxMap" is a metric."""
REPETITIONS = lazy_pattern(r"(?<![a-z])(?:folds?|seeds?|runs?|rep\w*|trials?|splits?|cv)(?![a-z])")
"""What numbers repetitions of a measurement, unlike the epochs and steps of one training."""
CAMEL_CASE = lazy_pattern(r"[A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]\w*")
"""How systems may be called that end like a metric, as "SASRec"."""
KNOWN_DIMENSIONS = {"rate", *DIMENSIONS.values()}
CUTOFFS = ("k", "n", "top k", "top_k", "topk")
"""What a column of cutoffs is called, beside names of settings."""
NUMBERED_ROW = lazy_pattern(r"[A-Za-z]{1,3}(\d{1,6})")


def may_name_metrics(frame: pd.DataFrame, index_name: str) -> bool:
    """Return whether a frame whose index has a name may have its metrics in rows."""
    if not 2 <= len(frame) <= MAX_METRIC_ROWS:
        return False
    # Beside numbers only the index can name them.
    if not all(is_numeric_dtype(dtype) for dtype in frame.dtypes):
        return True
    return _holds_metrics(pd.Series(frame.index.to_numpy(dtype=object), dtype=object), index_name)


def transpose_metrics(source: Source) -> Source | None:
    """Turn a table with its metrics in rows; None where they stand in columns.

    The row labels are names of metrics, the columns are named by something else. Further columns
    of text beside the metric (a data set, a version) become part of the metrics' names.
    """
    frame = source.frame
    if len(frame) > MAX_METRIC_ROWS:
        return None
    texts = [
        str(name)
        for name, dtype in frame.dtypes.items()
        if not is_numeric_dtype(dtype) and parse_numbers(frame[name]) is None
    ]
    systems = [name for name in map(str, frame.columns) if name not in texts]
    named = [name for name in texts if has_name(name, "metric")]
    # "NDCG" has a row for each K, and "accuracy" for each fold.
    keys = _find_row_keys(frame, named, systems)
    systems = [name for name in systems if name not in keys]
    if keys and (_are_series(keys) or _may_be_measured(frame, systems)):
        return None
    not_systems = [name for name in systems if keys and _is_no_system(name)]
    systems = [name for name in systems if name not in not_systems]
    # A header of metrics, or a table with a row per system and metric, is read as it stands. Beside
    # "Metric" some systems may be called like metrics, as "SASRec", and a column like a change.
    called_metrics = [n for n in systems if is_metric(n) or _is_side(n, systems)]
    are_named = len(systems) - len(called_metrics) >= LEAST_SYSTEMS and any(
        not frame.duplicated([name, *keys]).any() for name in named
    )
    changes = [name for name in systems if is_called_change(name) or _is_difference(name)]
    # Two systems at least are left beside their change.
    if not are_named and len(systems) - len(changes) < LEAST_SYSTEMS:
        changes = []
    systems = [name for name in systems if name not in changes]
    columns_of_units = _find_columns_of_units(frame, changes) if texts else []
    systems = columns_of_units or _find_columns_of_words(frame, named) or systems
    # One of many systems may be called like a metric, as "7zip", where the rows are metrics and
    # their column is called by nothing else.
    is_free = look_up_metric(str(frame.columns[0])) is None and len(texts) == 1
    is_free &= not has_name(frame.columns[0], "instance")
    are_few = is_free and MOST_CALLED * len(systems) >= len(called_metrics)
    if not systems or (called_metrics and not (are_named or are_few)) or len(frame) < 2:
        return None
    # The metrics stand first, or under their own name; further texts describe them.
    # Behind names of systems further texts describe these, as "NetVLAD top 40".
    names_systems = bool(texts) and is_whole_name(texts[0], "label")
    candidates = (*named, *texts[: 1 if names_systems else 2])
    candidates = tuple(name for name in candidates if name not in systems)
    metric = next((name for name in candidates if _holds_metrics(frame[name], name)), None)
    if metric is None and columns_of_units:
        metric = str(frame.columns[0])
    if metric is None or any(has_name(name, "value") for name in systems):
        return None
    texts = [name for name in texts if name not in (metric, *systems)]
    varying = [name for name in texts if frame[name].nunique() > 1]
    labels = frame[metric].astype(str).str.strip()
    # Of the other texts the first that tells equal metrics apart is a part of their names.
    for name in varying:
        if not labels.duplicated().any():
            break
        labels = frame[name].astype(str).str.strip() + " (" + labels + ")"
    settings = [name for name in keys if not _is_run(name)]
    labels = _add_settings(labels, frame[settings])
    values = frame[systems].set_axis(labels, axis=0)
    if len(settings) < len(keys):
        numbers = {name: parse_numbers(values[name]) for name in systems}
        cells = {name: column.values for name, column in numbers.items() if column}
        systems = list(cells)
        values = pd.DataFrame(cells, labels).groupby(level=0, sort=False).mean()
    # A row without the name of its metric is none.
    if labels.isna().any() or values.index.duplicated().any():
        return None
    transposed = values.T
    transposed = transposed.rename_axis(None, axis=1).rename_axis("system").reset_index()
    note = f"'{metric}' holds the metrics: systems are the columns {quote_names(systems, 4)}"
    if len(settings) < len(keys):
        note = f"{note}, with means over {quote_names([n for n in keys if _is_run(n)], 2)}"
    if not_systems:
        note = f"{note}, without {quote_names(not_systems, 2)}"
    if changes:
        note = f"{note}, without the changes in {quote_names(changes, 2)}"
    return replace(
        source,
        frame=transposed,
        label=("system",),
        notes=(*source.notes, note),
        read_text=None,
    )


def _is_side(name: str, names: Sequence[str]) -> bool:
    """Return whether a column is called as an input or an output of DEA, as "i_beta" and "X1"."""
    meaning = look_up_beside(name, names)
    return meaning is not None and meaning.production == "side"


def _find_row_keys(frame: pd.DataFrame, named: Sequence[str], systems: Sequence[str]) -> list[str]:
    """Return the columns of whole numbers that tell the rows of a metric apart, as K and the fold.

    Empty where no column is called metric, where its cells are unique, or where no such column
    tells all of them apart. The other columns hold numbers, of which means can be taken.
    """
    if not named or frame[named[0]].is_unique:
        return []
    numbers = {name: parse_numbers(frame[name]) for name in systems}
    keys = [
        name
        for name, column in numbers.items()
        if (_is_run(name) or _is_setting(name)) and column and _are_whole(column.values)
    ]
    are_told_apart = not frame.duplicated([named[0], *keys]).any()
    return keys if are_told_apart and len(systems) - len(keys) >= LEAST_SYSTEMS else []


def _are_whole(values: np.ndarray) -> bool:
    return bool((values == np.floor(values)).all())


def _add_settings(labels: pd.Series, settings: pd.DataFrame) -> pd.Series:
    """Return names of metrics with their settings, as "NDCG@5" and "MSE (horizon 96)"."""
    for name in settings:
        numbers = settings[name].astype(float).map("{:g}".format)
        ending = "@" + numbers if name.lower() in CUTOFFS else f" ({name} " + numbers + ")"
        labels = labels + ending
    return labels


def _is_run(name: str) -> bool:
    """Return whether a column numbers runs, of whose results the mean is taken, as "fold"."""
    meaning = look_up_metric(name)
    return meaning is not None and meaning.kind in ("run", "fold")


def _is_setting(name: str) -> bool:
    """Return whether a column holds a setting or a part of the data, as "K" and "horizon"."""
    meaning = look_up_metric(name)
    is_part = meaning is not None and meaning.kind in ("setting", "data", "length")
    return is_part or name.lower() in CUTOFFS


def _are_series(keys: Sequence[str]) -> bool:
    """Return whether a column numbers the steps of one run, as "epoch", of which no mean counts."""
    return any(_is_run(name) and not REPETITIONS.search(name.lower()) for name in keys)


def _is_no_system(name: str) -> bool:
    """Return whether a column beside systems is none by its name, as "n_test" and "A_rank"."""
    meaning = look_up_metric(name)
    is_named = meaning is not None and meaning.role in ("left_out", "cost")
    return is_named and not name.isupper()


def _may_be_measured(frame: pd.DataFrame, systems: Sequence[str]) -> bool:
    """Return whether some column beside systems may be none, though nothing tells that for sure.

    It is called like a metric, as "best_so_far"; or all its cells are whole numbers beside
    fractions, as those of "users"; or its name may be that of a system, too, as "GP".
    """
    candidates = [name for name in systems if not _is_no_system(name)]
    # "tree_b_AUC" beside "tree_a" is a system.
    starts = [re.split(r"[\W_]", name)[0] for name in candidates]
    meanings = [
        look_up_metric(name)
        for name, start in zip(candidates, starts, strict=True)
        if not CAMEL_CASE.fullmatch(name) and starts.count(start) == 1
    ]
    if any(meaning is not None and meaning.role != "label" for meaning in meanings):
        return True
    numbers = [parse_numbers(frame[name]) for name in candidates]
    are_whole = {_are_whole(column.values) for column in numbers if column is not None}
    return len(are_whole) > 1


def _find_columns_of_units(frame: pd.DataFrame, changes: Sequence[str]) -> list[str]:
    """Return the columns of systems of a table whose rows have a unit each, as ms and bytes.

    A row of a system has the units of its metrics beside each other; here all cells of a row are in
    one unit, and other rows are in another one. Empty where the units tell nothing else.
    """
    first, *further = map(str, frame.columns)
    names = [name for name in further if name not in changes]
    if len(names) < LEAST_SYSTEMS or not 2 <= len(frame) <= MAX_ROWS_OF_UNITS:
        return []
    if not _may_head_measures(first) or not frame[first].is_unique:
        return []
    if any(is_numeric_dtype(frame[name].dtype) for name in names):
        return []
    rows_with_unit = 0
    dimensions = set()
    for row in frame[names].itertuples(index=False):
        estimates = [parse_estimate(clean_cell(cell), False) for cell in row]
        measured = {_find_dimension(estimate.unit) for estimate in estimates if estimate}
        measured.discard("")
        if len(measured) > 1:
            return []
        if measured and sum(estimate is not None for estimate in estimates) >= LEAST_SYSTEMS:
            rows_with_unit += 1
            dimensions |= measured
    # Of units that are not known nothing tells that they measure different things.
    are_different = len(dimensions.intersection(KNOWN_DIMENSIONS)) > 1
    return names if are_different and 2 * rows_with_unit > len(frame) else []


def _find_columns_of_words(frame: pd.DataFrame, named: Sequence[str]) -> list[str]:
    """Return the columns of systems that hold words on most rows, and measurements on some.

    Empty where no column is called metric, and where two columns hold numbers on most rows: others
    describe the metrics then. A row is measured where at least half of the systems have a number:
    the others are gaps.
    """
    first, *further = map(str, frame.columns)
    is_probed = first in named and len(further) >= LEAST_SYSTEMS and frame[first].is_unique
    if not is_probed or not 2 <= len(frame) <= MAX_ROWS_OF_UNITS:
        return []
    names = [
        name
        for name in further
        if not (is_called_change(name) or _is_difference(name) or _DEMANDED.match(name))
    ]
    if sum(parse_numbers(frame[name]) is not None for name in names) >= LEAST_SYSTEMS:
        return []
    is_number = pd.DataFrame({n: [is_estimate(clean_cell(c)) for c in frame[n]] for n in names})
    # What holds no number describes the metrics, as their unit does.
    names = [name for name in names if is_number[name].any()]
    is_measured = is_number[names].mean(axis=1) >= LEAST_MEASURED
    # A number here and there does not make a system of a column of remarks.
    counts = is_number.loc[is_measured, names].sum()
    are_systems = (counts > 0).all() and (3 * counts >= is_measured.sum()).all()
    if len(names) < LEAST_SYSTEMS or not are_systems:
        return []
    return names


def _may_head_measures(heading: str) -> bool:
    """Return whether a heading may stand above metrics: "Test", "N = 500", "" and not "Parser".

    Any other word may name systems, whose rows are to be compared.
    """
    words = heading.strip().lower()
    if not words or words.startswith("unnamed:") or "=" in words:
        return True
    return has_name(heading, "metric") or words in HEADINGS_OF_MEASURES


def _find_dimension(unit: str) -> str:
    """Return what a unit measures, as "memory" for MB; a unit that is not known, for itself.

    Units that can be converted into each other have one dimension. So have all rates and
    operations, as GFLOPS, GB/s and tok/s: they may be one speed that is counted differently.
    """
    if counts_operations(unit) or (_RATE.match(unit) and unit not in DIMENSIONS):
        return "rate"
    if unit_factor(unit, "B") is not None:
        return "memory"
    base = _PREFIX.sub("", unit)
    return DIMENSIONS.get(unit, DIMENSIONS.get(base, base))


def _is_difference(name: str) -> bool:
    """Return whether a column is called the difference of others, as "Difference" and "Diff"."""
    meaning = look_up_metric(name)
    return meaning is not None and meaning.kind == "difference"


def is_metric(name: str, *, benchmarks: bool = True) -> bool:
    """Return whether a name is that of a metric; `benchmarks` counts names of benchmarks, too."""
    # A "HashMap" is no mean average precision.
    if CONTAINER.search(name):
        return False
    meaning = look_up_metric(name)
    if meaning is None or (not benchmarks and is_weak(meaning)):
        return False
    return meaning.role in ("output", "lower_rate", "cost")


def _holds_metrics(column: pd.Series, name: str) -> bool:
    """Return whether the cells of a column are names of metrics."""
    labels = column.unique().tolist()
    # To look up a name takes longer than to rank its row.
    is_part = len(labels) > MAX_PROBED_NAMES
    if is_part:
        labels = labels[:: len(labels) // MAX_PROBED_NAMES]
    cells = [cell for cell in dict.fromkeys(str(label).strip() for label in labels) if cell]
    # Benchmarks are data sets where their column says so.
    if is_data_set_name(name) and not any(is_metric(cell, benchmarks=False) for cell in cells):
        return False
    # r0, r1, r2, ... are numbered rows, though one of them is also called like a metric.
    numbers = [int(match[1]) for cell in cells if (match := NUMBERED_ROW.fullmatch(cell))]
    if cells and len(numbers) == len(cells) and (is_part or np.ptp(numbers) == len(cells) - 1):
        return False
    # Systems may be called like benchmarks, as the matcher "SuperGlue".
    names_systems = is_whole_name(name, "label")
    count = sum(is_metric(cell, benchmarks=not names_systems) for cell in cells)
    # The name of the column counts as half of the evidence.
    if has_name(name, "metric"):
        return count >= LEAST_METRIC_SHARE / 2 * len(cells)
    # One system may be called like a metric, as "far".
    return count >= 2 and count >= LEAST_METRIC_SHARE * len(cells)
