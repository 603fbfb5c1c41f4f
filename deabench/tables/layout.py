"""How a table is laid out: what names its rows, whether rows repeat over data sets, whether columns
are systems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, repeat
from typing import Literal

import pandas as pd

from deabench.tables.columns import Column
from deabench.tables.names import parse_name

Layout = Literal["wide", "long"]

_SYSTEMS = (
    r"^(k-?nn\w*|svm\w*|svc|linear_?svm|oc_?svm|nb|gnb|naive.?bayes|lr|logreg|logistic\w*|rf|random.?forest\w*|dt|cart|c4\.?5|c5\.?0|j48|mlp|"
    r"xgb\w*|lightgbm|lgbm\w*|catboost|gbm|gbdt|ada\w*|bagging\w*|extra.?trees|lda|qda|pca|lof|i?forest|iforest|hbos|copod|ecod|"
    r"cblof|cof|sod|loda|knn\w*|dagmm|sogaal|deepsvdd|feature.?bagging|resnet\w*|vit\w*|bert\w*|gpt\w*|llama\w*|autosklearn|"
    r"autogluon|h2o\w*|tpot\w*|flaml|tabnet|tabpfn|ft-?transformer|saint|node|ridge|lasso|elastic.?net|gp|majority|dummy|random|"
    r"baseline\w*|ensemble\w*|stacking\w*|cnn\w*|lstm\w*|transformer\w*)$"
)
"""Names of systems that tell a matrix's columns from its rows."""
_DESCRIBES = {
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
_FOLDS = re.compile(
    r"_(fold|folds|seed|seeds|random_state|split|repeat|repeats|rep|replicate|run|trial|iteration|iter)_$"
)
_METRIC = re.compile(
    r"^_(metric|metrics|metric_name|measure|measure_name|score_name|scorer|metric_type)_$"
)
_VALUE = re.compile(r"_(value|values|result|results|score|scores|metric_value|estimate|mean)_$")
NO_LABEL = "row"


@dataclass(frozen=True)
class Keys:
    """What a row stands for.

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


def keys(
    frame: pd.DataFrame, columns: Sequence[Column], given: tuple[str, ...], dataset: str | None
) -> Keys:
    """The columns that name a row's system, its data set and its repetition."""
    label = given or _label(frame, columns)
    sets = dataset or _dataset(frame, columns, label)
    repeats = tuple(
        c.name for c in columns if _FOLDS.search(parse_name(c.name).words) and c.name not in label
    )
    return Keys(label, sets, repeats)


def _label(frame: pd.DataFrame, columns: Sequence[Column]) -> tuple[str, ...]:
    """A column called as systems are, one with unique names first; else the first of text, one with
    unique cells first.
    """
    for names in _able_labels(frame, columns):
        if names:
            return (
                (next((name for name in names if frame[name].is_unique), names[0]),)
                if len(names) > 1
                else (names[0],)
            )
    return ()


def _able_labels(frame: pd.DataFrame, columns: Sequence[Column]) -> Iterator[list[str]]:
    """Columns that may name the systems, the likeliest first; nothing is looked for before it is
    asked for.
    """
    named = [
        c.name for c in columns if c.role == "label" and (_varies(frame[c.name]) or len(frame) == 1)
    ]
    yield [name for name in named if not pd.api.types.is_numeric_dtype(frame[name])]
    texts = [c.name for c in columns if c.role == "text" and not _elsewhere(frame[c.name], c.name)]
    yield [name for name in texts if name in ("params", "parameters", "configuration")]
    yield [name for name in texts if frame[name].is_unique]
    yield [name for name in texts if name == frame.columns[0]]
    yield named
    yield [name for name in texts if _varies(frame[name])]


def _varies(column: pd.Series) -> bool:
    """Whether a column holds two values that differ; its first rows often tell."""
    return bool(column.head(100).nunique() > 1 or column.nunique() > 1)


def _elsewhere(column: pd.Series, name: str) -> bool:
    """Text that names no system: addresses, dates, lists of measurements, empty cells."""
    if parse_name(name).words.strip("_") in _DESCRIBES:
        return True
    cells = column.dropna().astype(str).head(50)
    return bool(
        len(cells) == 0
        or (cells.str.strip() == "").all()
        or cells.str.match(r"^(https?://|\d{4}-\d\d-\d\d|\[.*\d\.\d)").mean() > 0.5
    )


def _dataset(frame: pd.DataFrame, columns: Sequence[Column], label: tuple[str, ...]) -> str | None:
    """The column of data sets, where a system stands on several rows and the data set tells them
    apart.
    """
    names = [c.name for c in columns if c.role == "dataset" and c.name not in label]
    if not label or not names or not frame.duplicated(list(label)).any():
        return None
    varying = [name for name in names if frame[name].nunique() > 1]
    return max(
        varying,
        key=lambda name: (not pd.api.types.is_numeric_dtype(frame[name]), frame[name].nunique()),
        default=None,
    )


def is_long(frame: pd.DataFrame, found: Keys) -> bool:
    """Whether systems repeat over data sets or folds."""
    return (
        bool(found.label)
        and bool(found.dataset or found.repeats)
        and frame.duplicated(list(found.label)).any()
    )


def metric_and_value(columns: Sequence[Column]) -> tuple[str, str] | None:
    """The pair of columns (metric, value) of the longest layout, where no metric has a column of
    its own.
    """
    names = [
        c.name
        for c in columns
        if c.role in ("text", "label", "dataset") and _METRIC.search(parse_name(c.name).words)
    ]
    values = [
        c
        for c in columns
        if c.role in ("conditional", "output", "unknown", "guess")
        and _VALUE.search(parse_name(c.name).words)
    ]
    others = [
        c
        for c in columns
        if c.role in ("output", "lower_rate") and not _VALUE.search(parse_name(c.name).words)
    ]
    return (names[0], values[0].name) if names and values and not others else None


def systems_in_columns(frame: pd.DataFrame, columns: Sequence[Column], label: str | None) -> bool:
    """Of a matrix of one metric, whether its columns are the systems and its rows the data sets."""
    numeric = [
        c.name for c in columns if c.role not in ("text", "label", "dataset") and c.name != label
    ]
    among_columns = sum(bool(re.match(_SYSTEMS, name, re.IGNORECASE)) for name in numeric) / max(
        len(numeric), 1
    )
    rows = frame[label].astype(str) if label is not None else pd.Series(dtype=str)
    among_rows = rows.str.match(_SYSTEMS, case=False).mean() if len(rows) else 0.0
    if among_columns != among_rows:
        return bool(among_columns > among_rows)
    role = next((c.role for c in columns if c.name == label), "")
    return role == "dataset"


def unique_rows(
    frame: pd.DataFrame, found: Keys, columns: Sequence[Column], text: Callable[[], pd.DataFrame]
) -> tuple[pd.Index, pd.Series, tuple[str, ...], list[str]]:
    """Names for the rows, made unique by the columns that tell them apart: (index, rows kept, label
    columns, notes).

    `text` gives the frame with its cells as they stand in the file, where rows are to be compared.
    """
    everything = pd.Series(True, index=frame.index)
    if not found.label:
        return (
            pd.Index([f"row {k}" for k in range(1, len(frame) + 1)], name=NO_LABEL),
            everything,
            (),
            ["no column names the systems; rows are numbered"],
        )
    label = list(found.label)
    if not frame.duplicated(label).any():
        return join_labels(frame, label), everything, found.label, []
    twice = int(frame.duplicated(label).sum())
    helping = _telling_apart(frame, label, columns)
    if helping:
        more = " and ".join(f"'{name}'" for name in helping)
        said = f"'{label[0]}' names several rows ({twice} repeats); {more} tells them apart and is part of the name"
        return join_labels(frame, [*label, *helping]), everything, (*found.label, *helping), [said]
    kept = ~text().duplicated()
    notes = (
        [f"{int((~kept).sum())} rows that repeat another one in every cell are left out"]
        if not kept.all()
        else []
    )
    rows = frame[kept]
    names = join_labels(rows, label)
    if not names.is_unique:
        count = names.to_series().groupby(level=0).cumcount().to_numpy()
        names = pd.Index(
            [f"{name} ({k + 1})" if k else name for name, k in zip(names, count, strict=True)],
            name=names.name,
        )
        notes.append(
            f"'{label[0]}' names several rows and no column tells them apart; they are numbered, "
            f"as '{names[count > 0][0]}'"
        )
    return names, kept, found.label, notes


def _telling_apart(frame: pd.DataFrame, label: list[str], columns: Sequence[Column]) -> list[str]:
    """The fewest columns that, with the label, make every row's name unique: settings and texts, no
    measurements.
    """
    able = [
        c.name
        for c in columns
        if c.name not in label
        and frame[c.name].nunique() > 1
        and (
            (c.role in ("text", "label", "dataset") and not _elsewhere(frame[c.name], c.name))
            or (
                c.role == "left_out"
                and "setting" in c.reason
                and not re.match(r"^Unnamed|^(id|index|row)$", c.name)
            )
        )
    ]
    for size in (1, 2):
        for names in combinations(able, size):
            if not frame.duplicated([*label, *names]).any():
                return list(names)
    return []


def join_labels(frame: pd.DataFrame, label: list[str]) -> pd.Index:
    """Names of rows; the parts of a name joined by a comma."""
    parts = [_stripped(frame[name].to_numpy(dtype=object).tolist()) for name in label]
    names = (
        parts[0] if len(parts) == 1 else [", ".join(cells) for cells in zip(*parts, strict=True)]
    )
    if not all(map(str.strip, names, repeat(" ,"))):
        names = [name if name.strip(" ,") else f"row {k}" for k, name in enumerate(names, start=1)]
    return pd.Index(names, name="system" if label[0].startswith("Unnamed") else label[0])


def _stripped(cells: list[object]) -> list[str]:
    """The cells as parts of names."""
    try:
        return list(map(str.strip, cells))  # type: ignore[arg-type]
    except TypeError:  # not all are text
        return [_plain(cell) for cell in cells]


def _plain(cell: object) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None or cell is pd.NA or cell != cell else str(cell).strip()
