"""What `metrics` and `curve` share: a file with the true class of each instance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from deabench.cli._io import names
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth, against_rest, ground_truth, two_class_truth
from deabench.tables.csv_reader import read_csv
from deabench.utils.instances import count_classes, format_labels, to_python_scalar


def read_instances(file: str | Path) -> pd.DataFrame:
    """The file with every column in its place; labels in `y_true` are numbers where all are, a gap
    is missing.
    """
    frame = read_csv(file)
    first = frame.index.to_series()
    if (
        first.name == "y_true"
    ):  # text so far, as labels of rows are; the other columns are numbers where they can be
        numeric = pd.to_numeric(first, errors="coerce")
        frame.index = pd.Index(numeric if numeric.notna().all() else first, name="y_true")
    frame = frame.reset_index()
    if "y_true" in frame.columns:
        frame["y_true"] = frame["y_true"].replace("", None)
    return frame


def by_cell(text: str | None, what: str, example: str) -> dict[str, float] | None:
    """`fn=100,fp=1` as a mapping; None stays None."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in names(text) or []]
    try:
        return {cell.strip(): float(value) for cell, _, value in pairs}
    except ValueError:
        raise DataError(f"the {what} are '{text}'; give them as {example}") from None


def label_named(text: str | None, y_true: pd.Series) -> object:
    """The class that the command line names as text; the text itself where there is none."""
    for label in y_true.unique():
        if text is not None and text in (
            str(label),
            f"{label:g}" if isinstance(label, float) else None,
        ):
            return label
    return text


def classes(
    frame: pd.DataFrame, positive: str | None, *, scores: bool, rest: bool = False
) -> GroundTruth:
    """The classes of the whole file, which names the positive one for each of its parts."""
    _one_class_each(frame)
    label = label_named(positive, frame["y_true"])
    if rest and positive is None:
        raise DataError(
            "--against-rest needs a class to take against the rest; name it with --positive"
        )
    if not rest and not frame["y_true"].isna().any() and frame["y_true"].nunique() > 2:
        several, _ = count_classes(frame["y_true"].to_numpy())
        raise DataError(
            f"y_true holds {len(several)} classes ({format_labels(several)}); take one against the rest "
            "(--positive CLASS --against-rest) or compare them all (deabench metrics --multiclass)"
        )
    return (
        against_rest(frame["y_true"], label)
        if rest
        else ground_truth(frame["y_true"], label, scores=scores)
    )


def side_by_side(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """A long file with a column per classifier, matched by 'instance' (and 'fold'); a wide one as
    it is.
    """
    if "classifier" not in frame.columns:
        return frame
    if "instance" not in frame.columns:
        raise DataError(
            "the classifiers of a long file are compared instance by instance; add a column 'instance'"
        )
    keys = [
        name
        for name in ("fold", "instance", "y_true", "cluster", "weight")
        if name in frame.columns
    ]
    twice = frame.duplicated([*keys, "classifier"])
    if twice.any():
        row = frame[twice].iloc[0]
        raise DataError(
            f"'{row['classifier']}' has instance '{row['instance']}' twice; give each once"
        )
    wide = frame.pivot(index=keys, columns="classifier", values=value)
    if wide.isna().any(axis=None):
        gone = wide.columns[wide.isna().any()][0]
        raise DataError(
            f"'{gone}' lacks an instance that another classifier has; give all classifiers the same instances"
        )
    return wide[list(dict.fromkeys(frame["classifier"]))].rename_axis(columns=None).reset_index()


def part_of(true: GroundTruth | None, y_true: pd.Series | np.ndarray) -> GroundTruth:
    """The classes of some rows of the file: the file as a whole has both, they must have them too."""
    if true is None:
        raise DataError("several classes have no positive one; name one with --positive")
    if true.rest:
        return against_rest(y_true, true.positive)
    return replace(
        two_class_truth(y_true, true.positive), note=true.note
    )  # named by the file, and not by the user


def _one_class_each(frame: pd.DataFrame) -> None:
    """Refuse a long file in which an instance has one class for one classifier and another for the
    next.
    """
    if not {"classifier", "instance", "y_true"} <= set(frame.columns):
        return
    keys = [name for name in ("fold", "instance") if name in frame.columns]
    classes = frame.groupby(keys, sort=False)["y_true"].nunique()
    if (classes > 1).any():
        which = classes.index[int((classes > 1).argmax())]
        place = dict(zip(keys, which if isinstance(which, tuple) else (which,), strict=True))
        rows = frame[(frame[keys] == pd.Series(place)).all(axis=1)]
        second = rows[rows["y_true"] != rows["y_true"].iloc[0]].iloc[0]
        raise DataError(
            f"instance '{place['instance']}' has the class {to_python_scalar(rows['y_true'].iloc[0])!r} for "
            f"'{rows['classifier'].iloc[0]}' and {to_python_scalar(second['y_true'])!r} for '{second['classifier']}'; "
            "an instance has one class"
        )
