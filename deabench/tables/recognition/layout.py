"""Find how a table is laid out.

What names its rows, whether rows repeat over data sets, and whether its columns are systems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from deabench.tables.markup import strip_markup
from deabench.tables.naming.name_patterns import match_name_start, match_whole_name, search_name
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.vocabulary import (
    column_pattern,
    has_name,
    is_benchmark,
    is_whole_name,
    look_up_metric,
)
from deabench.tables.recognition.columns import Column
from deabench.utils.lazy import lazy_pattern

_DESCRIPTIONS = {
    "url",
    "link",
    "links",
    "href",
    "date",
    "timestamp",
    "utc",
    "datetime",
    "created_at",
    "notes",
    "note",
    "comment",
    "license",
    "licence",
    "organization",
    "info",
    "status",
    "type",
    "submission_date",
    "release_date",
}
_DESCRIPTION_CELLS = (
    r"^(\S+/\S+\.(py|ya?ml|json|toml|pth?|onnx|ckpt|sh|ipynb|txt|png|jpe?g|csv|log)$"
    r"|https?://|www\."
    r"|\d{4}[-/.]\d\d([-/.]\d\d|$)|\d\d?[-/.]\d\d?[-/.]\d{4}"
    r"|\[.*\d\.\d"
    r"|\d[\d.]*( */ *\d[\d.]*)+$"
    r"|(?i:(\d\d? )?(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?,? "
    r"(\d\d?,? )?\d{4}$))"
)
"""Addresses, paths of files, dates, and lists of numbers, as "90.3 / 83.2"."""
_SENTENCE = r"(\S+\s+){5,}[^\n]*[.!?…]$"
_FOLDS = re.compile(
    r"_(fold|folds|seed|seeds|random_state|split|repeat|repeats|rep|replicate|run|trial|iteration"
    r"|iter|(trial|run|iter|rep|fold)_(num|no|id|idx|index|number)"
    r"|(instance|sample|example|question|doc|item)_id)_$"
)
_SETTINGS = lazy_pattern(
    r"_(parameters?|params|settings?|config|configs|configuration|args|arguments|options"
    r"|hyper_?parameters?|variant)_$"
)
_DATASETS = re.compile(r"_(data|data_?sets?|tasks?|problems?|domains?)(_names?)?_$")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""The commas of "4,893"."""
_MEASUREMENT = r"^\W*\d[\d.,–-]*\s*([x×%]|pp|[mµun]?s|sec|min|h|[KMGT]?i?B)(?!\w)"
"""How cells begin that state a measurement, as "~61–67×" and "2.3x faster"."""
FAMILIES = column_pattern("system_family")
SYSTEMS = column_pattern("system_name")
LANGUAGES = column_pattern("language")
PARAMETERS = ("params", "parameters", "configuration")
PROBED_CELLS = 50
PROBED_ROWS = 100
MIN_UNKNOWN_SHARE = 0.6
"""A matrix of one metric has at least this share of columns whose names are no metrics."""
MIN_SYSTEM_SHARE = 0.45
"""Columns are systems only if more than this share of them are known, or the rows data sets."""


@dataclass(frozen=True)
class Keys:
    """The columns that tell what a row stands for.

    Attributes
    ----------
    label : tuple of column names
        What names the system; empty where rows are only numbered, or where systems are columns.
    dataset : str or None
    repeats : tuple of column names
        Folds, seeds and other repetitions that means are taken over.
    """

    label: tuple[str, ...]
    dataset: str | None = None
    repeats: tuple[str, ...] = ()


def find_keys(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    label: tuple[str, ...] = (),
    dataset: str | None = None,
) -> Keys:
    """Find the columns that name a row's system, its data set and its repetition.

    Parameters
    ----------
    label, dataset
        What is declared already.
    """
    is_declared = bool(label)
    # What is declared to name the data sets names no systems.
    label = label or _find_label(frame, [c for c in columns if c.name != dataset])
    dataset = dataset or _find_dataset(frame, columns, label)
    repeats = [
        column.name
        for column in columns
        if _is_repetition(column.name) and not _holds_fractions(frame[column.name])
    ]
    keys = Keys(label, dataset, tuple(name for name in repeats if name not in label))
    if is_declared or not (label and (dataset or repeats)):
        return keys
    # Several runs of an algorithm on one data set are several systems, one for each setting.
    return replace(keys, label=(*label, *_find_settings(frame, columns, keys)))


def _is_repetition(name: str) -> bool:
    """Return whether a name is that of repetitions: folds, seeds, instances."""
    is_instance = has_name(name, "instance") and not has_name(name, "any_row")
    return is_instance or _FOLDS.search(parse_name(name).words) is not None


def _find_settings(frame: pd.DataFrame, columns: Sequence[Column], keys: Keys) -> tuple[str, ...]:
    """Return the column of settings that tells rows of one system and data set apart."""
    names = [*keys.label, *([keys.dataset] if keys.dataset else []), *keys.repeats]
    if not frame.duplicated(names).any():
        return ()
    for column in columns:
        is_setting = _SETTINGS.search(parse_name(column.name).words) is not None
        if is_setting and column.name not in names and _varies(frame[column.name]):
            return (column.name,)
    # A text that tells equal folds of a system apart is a part of its name.
    for column in columns:
        is_text = column.role == "text" and not is_description(frame[column.name], column.name)
        if is_text and keys.repeats and not frame.duplicated([*names, column.name]).any():
            return (column.name,)
    return ()


def _find_label(frame: pd.DataFrame, columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the first likely column, one with unique cells first."""
    for names in _label_candidates(frame, columns):
        if len(names) == 1:
            return (names[0],)
        if names:
            return (next((name for name in names if frame[name].is_unique), names[0]),)
    return ()


def _label_candidates(frame: pd.DataFrame, columns: Sequence[Column]) -> Iterator[list[str]]:
    """Yield columns that may name the systems, the likeliest first."""
    named = [
        column.name
        for column in columns
        if column.role == "label" and (len(frame) == 1 or _varies(frame[column.name]))
    ]
    named_texts = [
        name
        for name in named
        if not is_numbered(frame[name]) and not is_description(frame[name], name)
    ]
    # "model" names the systems, "1k model" may be a download.
    yield [name for name in named_texts if is_whole_name(name, "label")]
    yield named_texts
    # A benchmark or language on one row each is what is compared; data sets stand on many.
    yield [
        column.name
        for column in columns
        if column.role == "dataset"
        and not is_data_set_name(column.name)
        and not is_numbered(frame[column.name])
        and frame[column.name].is_unique
    ]
    texts = [
        column.name
        for column in columns
        if column.role == "text" and not is_description(frame[column.name], column.name)
    ]
    # A text whose name says that it describes the rows (license, paper) names them last.
    meanings = {name: look_up_metric(name) for name in texts}
    # Settings name runs only where no identifier does.
    texts = [n for n, m in meanings.items() if m is None or m.kind != "setting" or n in PARAMETERS]
    settings = [n for n, m in meanings.items() if n not in texts and frame[n].is_unique]
    # Numbers below "Models" count these, a text names one.
    describing = [n for n in texts if meanings[n] is not None and not has_name(n, "method")]
    texts = [name for name in texts if name not in describing or name == frame.columns[0]]
    # Without a name such as "model": parameters of a search, then text that never repeats, then
    # the first column; numbered systems and any other text come last.
    yield [name for name in (*texts, *describing) if name in PARAMETERS]
    yield [name for name in texts if frame[name].is_unique]
    yield [name for name in texts if name == frame.columns[0]]
    yield named
    yield [name for name in texts if _varies(frame[name])]
    identifiers = [c.name for c in columns if c.kind == "identifier"]
    # Row numbers without a name, as pandas writes them, say nothing beside an identifier.
    named_identifiers = [name for name in identifiers if not has_name(name, "unnamed")]
    identifiers = named_identifiers or identifiers
    yield [name for name in identifiers if describing and frame[name].is_unique]
    yield settings
    yield [name for name in describing if _varies(frame[name])]
    # Where nothing else names the rows, data sets do: "Benchmark" of a table of timings.
    datasets = [column.name for column in columns if column.role == "dataset"]
    yield [name for name in datasets if frame[name].is_unique and not is_numbered(frame[name])]
    yield [name for name in identifiers if frame[name].is_unique]


def is_data_set_name(name: str) -> bool:
    """Return whether a column's whole name says that it names data sets or tasks."""
    # Of a nested record, "Results.Dataset", the last key is the name.
    return _DATASETS.match(parse_name(name.rsplit(".", 1)[-1]).words) is not None


def is_system_name(name: str, *, languages: bool = True) -> bool:
    """Return whether a name holds that of a known system, as "ResNet-50 (ours)" or "C++ (gcc)"."""
    return any(
        search_name(FAMILIES, words)
        or match_name_start(SYSTEMS, words)
        or (languages and match_name_start(LANGUAGES, words))
        for words in _spellings(name)
    )


def _is_known_system(name: str) -> bool:
    """Return whether a whole name is that of a known system; languages may be anything else."""
    spellings = _spellings(name)
    return any(
        match_whole_name(FAMILIES, words) or match_whole_name(SYSTEMS, words) for words in spellings
    )


def _spellings(name: str) -> list[str]:
    """Return the words of a name: as written, by capitals, and both without digits."""
    plain_words = "_" + re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") + "_"
    spellings = [plain_words, parse_name(name).all_words]
    # "qwen3vl" is a Qwen, but "e5" is what it is with its digit.
    return spellings + [re.sub(r"_+", "_", re.sub(r"\d+", "_", words)) for words in spellings]


def are_benchmarks(cells: pd.Series) -> bool:
    """Return whether most cells are names of known benchmarks or data sets, as "ImageNet-1K"."""
    names = cells.dropna().head(PROBED_CELLS).map(str)
    return len(names) > 1 and float(names.map(is_benchmark).mean()) > 0.5


def are_languages(cells: pd.Series) -> bool:
    """Return whether most cells are names of programming languages, as "Python" or "rust"."""
    names = [parse_name(cell).words for cell in cells.dropna().astype(str).head(PROBED_CELLS)]
    languages = [name for name in names if match_whole_name(LANGUAGES, name)]
    return len(names) > 2 and 2 * len(languages) > len(names)


def is_numbered(column: pd.Series) -> bool:
    """Return whether the cells number the rows instead of naming them; "/" stands for none."""
    cells = column.dropna().head(PROBED_CELLS)
    texts = cells.tolist()
    if not texts or not all(isinstance(text, str) for text in texts):
        return bool(pd.to_numeric(cells, errors="coerce").notna().all())
    # Most columns show with their first cell that they hold names.
    filled = [text for text in texts if re.search(r"\w", text)]
    return bool(filled) and all(map(_is_number, filled))


def _is_number(text: str) -> bool:
    """Return whether a cell is a plain number, in bold, and with commas of thousands, too."""
    number = _THOUSANDS.sub("", strip_markup(text))
    try:
        value = float(number)
    except ValueError:
        return False
    # Python reads "1_2" as 12, and "nan" as a number.
    return "_" not in number and value == value


def is_rising(values: np.ndarray) -> bool:
    """Return whether numbers are whole and all rise or all fall, as settings and sizes do."""
    steps = np.diff(values)
    is_sorted = bool((steps > 0).all() or (steps < 0).all())
    return is_sorted and bool((values % 1 == 0).all())


def _holds_fractions(column: pd.Series) -> bool:
    """Return whether the first cells are numbers with decimals, as of a benchmark called SEED."""
    numbers = pd.to_numeric(column.dropna().head(PROBED_CELLS), errors="coerce")
    return bool((numbers % 1 > 0).any())


def _varies(column: pd.Series) -> bool:
    """Return whether a column holds two different values; its first rows often show it."""
    return bool(column.head(PROBED_ROWS).nunique() > 1 or column.nunique() > 1)


def is_description(column: pd.Series, name: str) -> bool:
    """Return whether a text names no system.

    Such are addresses, dates, lists of numbers, measurements in words and empty cells.
    """
    if parse_name(name).words.strip("_") in _DESCRIPTIONS:
        return True
    # As a list: pandas takes a hundred times as long to match a few cells.
    cells = [strip_markup(cell) for cell in column.dropna().astype(str).head(PROBED_CELLS)]
    # A column that starts with empty cells names nothing, whatever follows.
    if not any(map(str.strip, cells)):
        return True
    # Measurements in words, as how many times faster something is; answers, comments, addresses.
    return any(
        2 * sum(re.match(pattern, cell) is not None for cell in cells) > len(cells)
        for pattern in (_MEASUREMENT, _SENTENCE, _DESCRIPTION_CELLS)
    )


def _find_dataset(
    frame: pd.DataFrame, columns: Sequence[Column], label: tuple[str, ...]
) -> str | None:
    """Return the column of data sets of a table in which systems stand on several rows."""
    candidates = [c.name for c in columns if c.role == "dataset" and c.name not in label]
    if not label or not candidates or not frame.duplicated(list(label)).any():
        return None
    # A data set that never changes describes the whole table.
    varying = [name for name in candidates if frame[name].nunique() > 1]
    # Names before numbers, then the column with the most data sets.
    return max(
        varying,
        key=lambda name: (not pd.api.types.is_numeric_dtype(frame[name]), frame[name].nunique()),
        default=None,
    )


def is_long(frame: pd.DataFrame, keys: Keys) -> bool:
    """Return whether systems repeat over data sets or folds."""
    repeats = bool(keys.label) and bool(keys.dataset or keys.repeats)
    return repeats and bool(frame.duplicated(list(keys.label)).any())


def find_metric_and_value(columns: Sequence[Column]) -> tuple[str, str] | None:
    """Return the columns (metric, value) of a table in which no metric has a column of its own."""
    metric = None
    value = None
    for column in columns:
        is_value = has_name(column.name, "value")
        # A metric with a column of its own: the table is wide already.
        if column.role in ("output", "lower_rate", "cost") and not is_value:
            return None
        if column.role in ("text", "label", "dataset") and has_name(column.name, "metric"):
            metric = metric or column.name
        if column.role in ("conditional", "output", "unknown", "guess") and is_value:
            value = value or column.name
    if metric is None or value is None:
        return None
    return metric, value


def find_matrix_columns(columns: Sequence[Column], keys: Keys) -> list[str]:
    """Return the columns of a matrix of one metric: systems, or data sets, under their names.

    Empty where the columns are metrics: most names of a matrix are unknown, or those of benchmarks.
    """
    numeric = [
        column
        for column in columns
        if column.role not in ("text", "label", "dataset")
        and column.name not in keys.label
        and column.kind != "empty"
    ]
    unknown = [
        column for column in numeric if column.role == "unknown" or column.kind == "benchmark"
    ]
    # A table of metrics has few columns that no rule knows.
    if len(unknown) < max(2, MIN_UNKNOWN_SHARE * len(numeric)):
        return []
    describing = ("count", "confusion count", "data")
    return [c.name for c in numeric if c.kind not in describing]


def has_systems_in_columns(
    frame: pd.DataFrame, columns: Sequence[Column], names: Sequence[str], label: str | None
) -> bool:
    """Return whether a matrix of one metric has its systems in the columns, data sets in the rows.

    The side with more names of known systems is theirs, the columns only if many of them are known;
    of equal ones the rows, unless their column names data sets.
    """
    # The corner "dataset/model" names both sides.
    corner = re.fullmatch(r"(.*\w)\s*[/\\|]\s*(\w.*)", str(label))
    meanings = [look_up_metric(part) for part in corner.groups()] if corner else []
    roles = [meaning and meaning.role for meaning in meanings]
    if roles == ["dataset", "label"]:
        return True
    if roles[1:] == ["dataset"]:
        return False
    # "Test Net" is a part of a data set, no network, and "Zstd Time" a time.
    metrics = {column.name for column in columns if column.role in ("output", "cost", "lower_rate")}
    systems = [
        name
        for name in names
        if _is_known_system(name) and not has_name(name, "split_part") and name not in metrics
    ]
    share_of_columns = len(systems) / max(len(names), 1)
    names_benchmarks = label is not None and are_benchmarks(frame[label])
    are_data_sets = names_benchmarks or any(
        column.name == label and column.role == "dataset" for column in columns
    )
    least_share = 0.0 if are_data_sets else MIN_SYSTEM_SHARE
    # Labels of rows that are no data sets change nothing then, and may be many.
    if not are_data_sets and share_of_columns <= least_share:
        return False
    # The same share of the row labels; rows without labels, and benchmarks, name no system.
    share_of_rows = 0.0
    if label is not None and len(frame) and not names_benchmarks:
        labels = frame[label].dropna().astype(str)
        share_of_rows = sum(map(_is_known_system, labels)) / len(frame)
    if share_of_columns == share_of_rows:
        # Rows such as "HRNet on COCO" beside metrics by name are systems and what they ran on.
        return are_data_sets and not metrics.issuperset(names)
    return share_of_columns > max(share_of_rows, least_share)
