"""Recognise what a source holds from names, values and structure together, and bring it into form.

1. `refuse_missing_header`: a first line of measurements is no header.
2. `recognise_instances`: predictions, scores and counts hold no metrics yet. Their single results
   become the rows of a Table, of which samples are made.
3. `recognise_folds`: one metric, folds x systems.

Metrics in rows are transposed by `deabench.tables.recognition.metrics_in_rows`; long results and
data sets x systems are told by their keys (`deabench.tables.recognition.layout`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import EMPTY_WORDS, parse_numbers
from deabench.tables.naming.vocabulary import has_name, look_up_metric
from deabench.tables.readers.frames import Source
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.layout import is_data_set_name
from deabench.tables.recognition.metrics_in_rows import is_metric
from deabench.tables.table import Kind, Table
from deabench.utils.text import quote_names

COUNTS = ("tp", "fn", "fp", "tn")
KEYS = ("dataset", "fold", "repeat", "seed", "instance", "cluster", "weight")
"""Columns of single results beside the classifier, in this order."""
REPETITIONS = ("fold", "repeat", "seed")
MAX_CLASSES = 20
"""A truth of a weak name has at most this many classes."""
LEAST_FOLLOWING = 0.5
"""A column follows the truth where their ranks are correlated by more than this."""
MAX_PROBED_ROWS = 1000
CLASS_AVERAGES = {"macro avg", "weighted avg"}
"""Rows of scikit-learn's classification report beside the classes."""
DEFAULT_CLASSIFIER = "classifier"
MIN_CLASSES = 3
"""A table of counts between so many names or more is a confusion matrix."""


@dataclass(frozen=True)
class Instances:
    """Single results of classifiers, as they stand in a source.

    Attributes
    ----------
    kind : "predictions", "scores" or "counts"
    columns : mapping of canonical name to column
        Which columns hold the truth, the prediction, the counts and the keys.
    systems : tuple of column names
        Columns that hold the results of one classifier each; empty where a column names them.
    """

    kind: Kind
    columns: Mapping[str, str] = field(default_factory=dict)
    systems: tuple[str, ...] = ()

    def with_declared(
        self, keys: Mapping[str, str | None], ignored: Collection[str] = ()
    ) -> Instances:
        """Return the same results with other key columns, and without some columns.

        Parameters
        ----------
        keys : mapping of canonical name ("classifier", "dataset") to column; None changes nothing
        ignored : names of columns
        """
        declared = {key: name for key, name in keys.items() if name is not None}
        reserved = {*declared.values(), *ignored}
        columns = {key: name for key, name in self.columns.items() if name not in reserved}
        systems = tuple(name for name in self.systems if name not in reserved)
        return replace(self, columns=columns | declared, systems=systems)


def refuse_missing_header(source: Source) -> None:
    """Refuse a header of measurements: the file has none, and a row would be lost.

    Raises
    ------
    DataError
    """
    frame = source.frame
    numbers = {name: _parse_float(name) for name in map(str, frame.columns)}
    if all(number is None for number in numbers.values()):
        return
    numeric = [
        name for name in numbers if parse_numbers(frame[name].head(MAX_PROBED_ROWS)) is not None
    ]
    # A number above a column of like numbers is a measurement; "2019" above shares is a year.
    measurements = []
    for name in numeric:
        number = numbers[name]
        cells = frame[name].head(MAX_PROBED_ROWS)
        values = parse_numbers(cells)
        if number is None or values is None:
            continue
        # "+90%" above "71.7" is a setting.
        if "%" in name and not cells.astype(str).str.contains("%", regex=False).any():
            continue
        finite = values.values[np.isfinite(values.values)]
        if len(finite) and finite.min() / 3 <= number <= finite.max() * 3:
            measurements.append(name)
    if measurements and 2 * len(measurements) >= len(numeric):
        raise DataError(
            f"the first line of '{source.title}' holds numbers "
            f"({', '.join(measurements[:2])}), no names; put a header line above it"
        )


def refuse_predicted_numbers(source: Source) -> None:
    """Refuse forecasts: a column of true numbers, and columns that follow it.

    Raises
    ------
    DataError
    """
    frame = source.frame
    is_truth = [has_name(name, "truth") or has_name(name, "true_number") for name in frame]
    if not any(is_truth):
        return
    truth_name = frame.columns[is_truth.index(True)]
    truth = parse_numbers(frame[truth_name])
    # Whole numbers and few values may be classes.
    if truth is None or len(np.unique(truth.values)) <= MAX_CLASSES:
        return
    if (truth.values % 1 == 0).all():
        return
    # Rows that a text names are systems, as shops with their targets; dates name instances.
    numbers = {name: parse_numbers(frame[name]) for name in frame.columns if name != truth_name}
    for name, parsed in numbers.items():
        if (
            parsed is None
            and pd.to_datetime(frame[name], errors="coerce", format="mixed").isna().any()
        ):
            return
    truth_ranks = pd.Series(truth.values).rank()
    followers = [
        str(name)
        for name, parsed in numbers.items()
        if parsed is not None
        and pd.Series(parsed.values).rank().corr(truth_ranks) > LEAST_FOLLOWING
    ]
    if followers:
        raise DataError(
            f"'{source.title}' holds predicted numbers ({quote_names(followers, 3)}) beside the "
            f"true ones, '{truth_name}'; compute the errors of each system, as MAE and RMSE, and "
            "give a row for each system"
        )


def refuse_rows_of_one_system(source: Source, label: Sequence[str]) -> None:
    """Refuse a table whose rows are classes or data sets of one system without a name.

    Raises
    ------
    DataError
    """
    frame = source.frame
    for name in map(str, frame.columns[:1]):
        if set(frame[name].astype(str).str.strip().str.lower()) >= CLASS_AVERAGES:
            raise DataError(
                f"'{source.title}' is a classification report: its rows are classes and averages "
                "of one classifier; give a row for each classifier, with its 'macro avg'"
            )
    if len(label) == 1 and is_data_set_name(label[0]):
        raise DataError(
            f"the rows of '{source.title}' are called by '{label[0]}', and no column names the "
            f"systems; if the data sets are to be compared, pass label='{label[0]}'"
        )
    if _counts_pairs(frame):
        raise DataError(
            f"the rows and the columns of '{source.title}' have the same names: counts of pairs, "
            "as in a confusion matrix of one classifier, are no metrics of systems; give a row for "
            "each system, or name the first column in label to compare these rows all the same"
        )


def _counts_pairs(frame: pd.DataFrame) -> bool:
    """Return whether whole numbers stand between rows and columns of the same names."""
    names = [str(name).strip() for name in frame.columns[1:]]
    if len(names) < MIN_CLASSES or len(names) != len(frame):
        return False
    if set(names) != set(frame.iloc[:, 0].astype(str).str.strip()):
        return False
    cells = frame.iloc[:, 1:].apply(pd.to_numeric, errors="coerce").to_numpy()
    return bool((np.nan_to_num(cells, nan=-1.0) >= 0).all() and (cells == np.floor(cells)).all())


def _parse_float(name: str) -> float | None:
    # pandas numbers names that occur twice: "0.91.1".
    match = re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?(\.\d+)?\s*", name)
    if match is None:
        return None
    try:
        return float(name.strip().rstrip("%"))
    except ValueError:
        return float(name.strip().rpartition(".")[0])


def may_hold_instances(names: Sequence[str]) -> bool:
    """Return whether columns of these names may hold predictions, scores or counts."""
    words = ("truth", "likely_truth", *COUNTS)
    return any(has_name(name, word) for name in names for word in words)


def recognise_instances(frame: pd.DataFrame) -> Instances | None:
    """Return what a frame of predictions, scores or counts holds where; None where it is neither.

    Parameters
    ----------
    frame : DataFrame
        Raw cells.
    """
    columns = _find_columns(frame)
    if set(COUNTS) <= set(columns):
        return _recognise_counts(frame, columns)
    if "truth" in columns:
        return _recognise_predictions(frame, columns, columns["truth"])
    # A column called "label" is the truth only where other columns hold its classes.
    for name in frame.columns:
        if has_name(name, "likely_truth"):
            instances = _recognise_predictions(frame, columns, name, is_certain=False)
            if instances is not None:
                return instances
    return None


def _find_columns(frame: pd.DataFrame) -> dict[str, str]:
    """Return canonical name to column, of keys, truths, predictions, scores and counts."""
    columns: dict[str, str] = {}
    for name in map(str, frame.columns):
        meaning = look_up_metric(name)
        for word in ("truth", "prediction", "score", *COUNTS, *KEYS):
            if word not in columns and word != "dataset" and has_name(name, word):
                columns[word] = name
                break
        else:
            if meaning is not None and meaning.role == "label":
                columns.setdefault("classifier", name)
            elif meaning is not None and meaning.role == "dataset":
                columns.setdefault("dataset", name)
    return columns


def _recognise_counts(frame: pd.DataFrame, columns: Mapping[str, str]) -> Instances | None:
    """Return counts, unless the table has metrics of its own beside them."""
    other_names = [name for name in map(str, frame.columns) if name not in columns.values()]
    meanings = [look_up_metric(name) for name in other_names]
    if any(meaning is not None and meaning.better != "neither" for meaning in meanings):
        return None
    keys = {key: name for key, name in columns.items() if key in ("classifier", *KEYS, *COUNTS)}
    # Without a name such as "model" the first text names the classifiers.
    if "classifier" not in keys:
        texts = [name for name in other_names if parse_numbers(frame[name]) is None]
        keys |= dict.fromkeys(["classifier"][: len(texts)], next(iter(texts), ""))
    return Instances("counts", keys)


def _recognise_predictions(
    frame: pd.DataFrame, columns: Mapping[str, str], truth: str, *, is_certain: bool = True
) -> Instances | None:
    """Return predictions or scores of the instances whose true classes a column holds.

    Parameters
    ----------
    is_certain : bool
        Whether the name alone says that the column holds the truth.
    """
    classes = set(_clean_cells(frame[truth]))
    keys = {key: name for key, name in columns.items() if key in KEYS and name != truth}
    if not is_certain and not 2 <= len(classes) <= min(MAX_CLASSES, len(frame) / 2):
        return None
    # One column of predictions, of one or of several classifiers in rows of their own.
    value_columns = {
        canonical: columns[word]
        for word, canonical in (("prediction", "y_pred"), ("score", "score"))
        if columns.get(word, truth) != truth
    }
    if value_columns:
        if not is_certain and not _are_answers(frame[[*value_columns.values()]], classes):
            return None
        keys |= {"y_true": truth, **value_columns}
        name = columns.get("classifier", truth)
        if name != truth and (has_name(name, "predictor") or _are_complete(frame[name])):
            keys["classifier"] = name
        return Instances("predictions" if "y_pred" in keys else "scores", keys)
    # Else a column for each classifier: whatever is no key and holds answers.
    reserved = {truth, *keys.values()}
    systems = [name for name in map(str, frame.columns) if name not in reserved]
    keys["y_true"] = truth
    # A missing answer leaves its column a column of answers, so that it is named and not left out.
    cells = {name: set(_clean_cells(frame[name])) for name in systems}
    holds_classes = [
        name
        for name, values in cells.items()
        if values & classes and {cell.lower() for cell in values - classes} <= EMPTY_WORDS
    ]
    if holds_classes and (is_certain or len(holds_classes) == len(systems)):
        return Instances("predictions", keys, tuple(holds_classes))
    numeric = [name for name in systems if parse_numbers(frame[name]) is not None]
    if is_certain and numeric:
        return Instances("scores", keys, tuple(numeric))
    # Scores of two classes, under names that are no metrics.
    are_scores = bool(numeric) and numeric == systems and len(classes) == 2
    are_named = any(look_up_metric(name) is not None for name in numeric)
    if are_scores and not are_named and _are_answers(frame[numeric], classes):
        return Instances("scores", keys, tuple(numeric))
    return None


def _are_complete(systems: pd.Series) -> bool:
    """Return whether all names have the same number of rows, as systems that answer all of them.

    The schools of students who are predicted have not.
    """
    return bool(systems.value_counts().nunique() == 1)


def _clean_cells(column: pd.Series) -> list[str]:
    """Return the filled cells as text; 1.0 and "1" are one class."""
    cells = column.dropna().astype(str).str.strip()
    return [re.sub(r"\.0$", "", cell) for cell in cells.unique()]


def _are_answers(frame: pd.DataFrame, classes: set[str]) -> bool:
    """Return whether every column holds classes, or scores between 0 and 1."""
    for name in frame.columns:
        if set(_clean_cells(frame[name])) <= classes:
            continue
        numbers = parse_numbers(frame[name])
        if numbers is None or np.nanmin(numbers.values) < 0 or np.nanmax(numbers.values) > 1:
            return False
    return True


def table_of_instances(source: Source, instances: Instances) -> Table:
    """Return a Table of single results: without metrics, with the rows to compute them from."""
    rows = _tidy_rows(source, instances)
    names = list(dict.fromkeys(rows["classifier"]))
    reasons = {"y_true": "it holds the true classes", "y_pred": "it holds predicted classes"}
    by_column = {name: canonical for canonical, name in instances.columns.items()}
    columns = []
    for name in map(str, source.frame.columns):
        reason = "it describes the instances"
        if name in instances.systems:
            reason = f"it holds the {instances.kind} of '{name}'"
        elif name in by_column:
            canonical = by_column[name]
            reason = reasons.get(canonical, f"it is the {canonical} of each row")
        columns.append(Column(name, "left_out", reason=reason, kind="declared"))
    # There are no metrics yet: the table carries the rows to compute them from.
    label = instances.columns.get("classifier")
    content = "counts" if instances.kind == "counts" else f"{instances.kind} of instances"
    note = f"it holds {content} of {len(names)} classifiers ({quote_names(names, 4)})"
    return Table(
        pd.DataFrame(index=pd.Index(names, name=label or "classifier")),
        tuple(columns),
        label=() if label is None else (label,),
        layout="wide" if instances.systems or instances.kind == "counts" else "long",
        dataset=instances.columns.get("dataset"),
        title=source.title,
        reading_notes=(*source.notes, note),
        inferred=tuple(columns),
        kind=instances.kind,
        rows=rows,
    )


def _tidy_rows(source: Source, instances: Instances) -> pd.DataFrame:
    """Return one result per row, with canonical names of columns."""
    # Classes and names keep their text: "01" is no 1.
    frame = source.as_text().frame
    columns = dict(instances.columns)
    data = pd.DataFrame(
        {key: as_numbers(frame[name]) for key, name in columns.items()}, index=frame.index
    )
    for key in ("classifier", "dataset"):
        if key in data:
            data[key] = frame[columns[key]].astype(str).str.strip()
    if instances.systems:
        # A row holds the answers of all classifiers to one instance.
        if "instance" not in data:
            data["instance"] = np.arange(1, len(data) + 1)
        value = "score" if instances.kind == "scores" else "y_pred"
        results = [
            data.assign(classifier=name, **{value: as_numbers(frame[name])})
            for name in instances.systems
        ]
        data = pd.concat(results, ignore_index=True)
    elif "classifier" not in data:
        data["classifier"] = source.title or DEFAULT_CLASSIFIER
        if instances.kind == "counts":
            data["classifier"] = [f"row {k}" for k in range(1, len(data) + 1)]
    first = ["classifier", *(key for key in KEYS if key in data)]
    return data[[*first, *(name for name in data if name not in first)]].reset_index(drop=True)


def as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as numbers where every filled cell is one, else as text."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column.dtype):
        return column
    text = column.astype("string").str.strip().replace("", pd.NA)
    numbers = pd.to_numeric(text, errors="coerce")
    # Beside numbers "NA" is an empty cell; beside text "none" may be a class.
    is_empty = text.isna() | text.str.lower().isin(EMPTY_WORDS).fillna(True)
    if bool(numbers.isna().eq(is_empty).all()):
        return numbers.astype(float) if numbers.isna().any() else pd.to_numeric(text.astype(str))
    return text.astype(object).where(text.notna(), None)


def recognise_folds(frame: pd.DataFrame) -> dict[str, str] | None:
    """Return the repetitions of a table of folds x classifiers, canonical name to column.

    None where it is none: another column of text names systems, or the columns are metrics.
    """
    names = list(map(str, frame.columns))
    keys = {word: name for name in names for word in REPETITIONS if has_name(name, word)}
    value_columns = [
        name for name in names if name not in keys.values() and frame[name].notna().any()
    ]
    if not keys or len(value_columns) < 2 or frame.duplicated([*keys.values()]).any():
        return None
    if any(parse_numbers(frame[name]) is None or is_metric(name) for name in value_columns):
        return None
    # Settings and counts beside the fold describe one system; classifiers have names of their own.
    metric_columns = [name for name in value_columns if look_up_metric(name) is not None]
    return keys if 2 * len(metric_columns) < len(value_columns) else None


def repetition_word(name: str) -> str:
    """Return "fold", "repeat", "seed" or "instance" for a column that numbers repetitions."""
    words = (*REPETITIONS, "instance")
    return next((word for word in words if has_name(name, word)), "seed")
