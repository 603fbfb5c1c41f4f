"""What `deabench metrics` answers about a file: its metrics, their intervals, differences,
usefulness, another prevalence.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from deabench.cli._io import names
from deabench.cli._labels import classes, part_of, side_by_side
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth

COUNTS = ["tp", "fn", "fp", "tn"]
LABELLED = ["TPR", "TNR", "balanced_accuracy", "G-mean", "F1", "accuracy"]
SCORED = ["roc_auc", "pr_auc", "KS"]
SEVERAL = ["recall", "precision", "balanced_accuracy", "macro_F1", "MCC"]
BESIDE = ["y_true", "instance", "fold", "cluster", "weight"]
"""The columns of a wide file that are no classifiers."""
Answer = Literal["table", "intervals", "differences", "usefulness", "prevalence"]


class Folds(enum.StrEnum):
    """How several rows or folds of one classifier become one."""

    pooled = "pooled"
    averaged = "averaged"


class Design(enum.StrEnum):
    """How the instances came to be."""

    rows = "rows"
    classes = "classes"
    clusters = "clusters"
    folds = "folds"


@dataclass(frozen=True)
class Request:
    """The options of the command, as they were given."""

    answer: Answer
    metrics: str | None
    positive: str | None
    against_rest: bool
    multiclass: bool
    scores: bool
    threshold: float | None
    folds: Folds
    design: Design
    alpha: float
    prevalence: float | None
    weighted: bool
    beta: float
    costs: dict[str, float] | None
    weights: dict[str, float] | None

    @property
    def options(self) -> dict[str, Any]:
        """The options of `from_counts`."""
        return {"beta": self.beta, "costs": self.costs, "weights": self.weights}

    def wanted(self, default: list[str]) -> list[str] | None:
        """The metrics named, or the default; None for all."""
        if self.metrics == "all":
            return None
        if self.metrics is not None:
            return names(self.metrics)
        return [f"F{self.beta:g}" if name == "F1" else name for name in default]


def of_counts(frame: pd.DataFrame, ask: Request) -> pd.DataFrame:
    """The answer about a file of counts."""
    from deabench.metrics import averaged, from_counts, pooled

    name = "classifier" if "classifier" in frame.columns else frame.columns[0]
    if name in COUNTS:
        raise DataError(
            "the counts have no column 'classifier'; add one with the classifiers' names"
        )
    counts = frame.set_index(name)[COUNTS].rename_axis("classifier")
    if not counts.index.is_unique and ask.folds is Folds.averaged and ask.answer == "table":
        return averaged(counts, "classifier", metrics=ask.wanted(LABELLED), **ask.options)
    if not counts.index.is_unique:
        counts = pooled(counts, "classifier")
    if ask.answer == "table":
        return from_counts(counts, metrics=ask.wanted(LABELLED), **ask.options)
    return _of_cells(counts, ask)


def of_instances(frame: pd.DataFrame, ask: Request, file: Path) -> pd.DataFrame:
    """The answer about a long or wide file of instances."""
    scored = _scored(frame, file, ask.scores or ask.threshold is not None)
    _columns(frame, ask)
    several = ask.multiclass and ask.answer == "table"
    true = None if several else classes(frame, ask.positive, scores=scored, rest=ask.against_rest)
    value = "score" if scored else "y_pred"
    if ask.answer == "differences":
        frame = side_by_side(frame, value)
    pieces = list(_pieces(frame, ask, value))
    if several:
        table = _several(pieces, ask)
    elif ask.answer == "table":
        table = _table(pieces, ask, true, scored)
    elif ask.answer in ("intervals", "differences"):
        return _limits(pieces, ask, true, scored)
    else:
        table = _of_cells(_cells(pieces, ask, true, scored), ask)
    if true is not None:
        table.attrs["note"] = true.note if ask.positive is None and not true.guessed else None
    return table


Piece = tuple[pd.DataFrame, dict[str, pd.Series]]
"""Instances that are judged together, and {classifier: values}."""


def _pieces(frame: pd.DataFrame, ask: Request, value: str) -> Iterator[Piece]:
    long = "classifier" in frame.columns
    keys = [*(["classifier"] if long else []), *(["fold"] if ask.folds is Folds.averaged else [])]
    for _, rows in frame.groupby(keys, sort=False) if keys else [(None, frame)]:
        if long:
            yield rows, {str(rows["classifier"].iloc[0]): rows[value]}
        else:
            yield rows, {str(name): rows[name] for name in rows.columns if name not in BESIDE}


def _table(
    pieces: list[Piece], ask: Request, true: GroundTruth | None, scored: bool
) -> pd.DataFrame:
    from deabench.metrics import from_predictions, from_scores
    from deabench.metrics.counts import average_folds

    make: Any = from_scores if scored else from_predictions
    options = {
        **ask.options,
        "metrics": ask.wanted(_default(ask, scored)),
        **({"threshold": ask.threshold} if scored else {}),
    }
    parts = [
        make(part_of(true, rows["y_true"]), said, **_weights(rows, ask), **options)
        for rows, said in pieces
    ]
    table = pd.concat(parts)
    table.attrs = {"undefined": _undefined(parts)}
    if ask.folds is Folds.averaged:
        table = average_folds(table, [pd.Series(table.index, table.index, name="classifier")])
    table.attrs["threshold"] = parts[0].attrs.get("threshold")
    return table


def _several(pieces: list[Piece], ask: Request) -> pd.DataFrame:
    from deabench.metrics import from_classes

    wanted: Any = ask.wanted(SEVERAL)
    parts = [
        from_classes(rows["y_true"], said, metrics=wanted, **_weights(rows, ask))
        for rows, said in pieces
    ]
    table = pd.concat(parts)
    table.attrs = {"undefined": _undefined(parts), "note": parts[0].attrs["note"]}
    return table


def _limits(
    pieces: list[Piece], ask: Request, true: GroundTruth | None, scored: bool
) -> pd.DataFrame:
    """Intervals, or paired differences with theirs."""
    from deabench.metrics import differences, intervals

    make: Any = differences if ask.answer == "differences" else intervals
    column = {"clusters": "cluster", "folds": "fold"}.get(ask.design)
    default = [name for name in _default(ask, scored) if name != "KS"]  # it has none
    options = {
        key: value
        for key, value in {
            **ask.options,
            "alpha": ask.alpha,
            "threshold": ask.threshold,
            "metrics": ask.wanted(default),
        }.items()
        if value is not None
    }
    found = []
    for rows, said in pieces:
        by = {} if column is None else {"by": rows[column]}
        found.append(
            make(
                part_of(true, rows["y_true"]),
                said,
                design=ask.design.value,
                **by,
                **_weights(rows, ask),
                **options,
            )
        )
    table = pd.concat([one.table for one in found])
    table.attrs["notes"] = tuple(
        dict.fromkeys(note for one in found for note in one.notes if not _warned(note, true))
    )
    return table


def _cells(
    pieces: list[Piece], ask: Request, true: GroundTruth | None, scored: bool
) -> pd.DataFrame:
    """The four cells of each classifier, at the threshold where there are scores."""
    from deabench.metrics import count

    if scored and ask.threshold is None:
        raise DataError("scores have no cells without a threshold; give --threshold")
    parts = []
    for rows, said in pieces:
        here = part_of(true, rows["y_true"])
        other = here.rest[0] if here.rest else here.negative
        labels = (
            {
                name: (pd.to_numeric(values) >= ask.threshold).map(
                    {True: here.positive, False: other}
                )
                for name, values in said.items()
            }
            if scored
            else said
        )
        parts.append(count(here, labels, **_weights(rows, ask)))
    table = pd.concat(parts)
    table.attrs = parts[0].attrs
    return table


def _of_cells(counts: pd.DataFrame, ask: Request) -> pd.DataFrame:
    """Usefulness, intervals or another prevalence, from the four cells."""
    from deabench.metrics import at_prevalence, bootstrap_counts, from_counts, usefulness

    if ask.answer == "usefulness":
        return usefulness(counts).rename_axis("classifier")
    if ask.answer == "prevalence":
        rates = from_counts(counts, metrics=["TPR", "TNR"])
        return at_prevalence(
            rates, ask.prevalence or 0.0, metrics=ask.wanted(LABELLED), **ask.options
        )
    if ask.answer == "differences":
        raise DataError(
            "counts do not say which instances two classifiers judge alike; give predictions for --differences"
        )
    if ask.design not in ("rows", "classes"):
        raise DataError(
            f"counts have no {ask.design.value}; give predictions for --design {ask.design.value}"
        )
    design: Any = ask.design.value
    table = bootstrap_counts(
        counts, design=design, alpha=ask.alpha, metrics=ask.wanted(LABELLED), **ask.options
    )
    return table.drop(columns="undefined")


def _default(ask: Request, scored: bool) -> list[str]:
    return LABELLED if not scored else SCORED if ask.threshold is None else [*LABELLED, *SCORED]


def _weights(rows: pd.DataFrame, ask: Request) -> dict[str, pd.Series]:
    return {"sample_weight": rows["weight"]} if ask.weighted else {}


def _undefined(parts: list[pd.DataFrame]) -> tuple[str, ...]:
    return tuple(line for part in parts for line in part.attrs["undefined"])


def _warned(note: str, true: GroundTruth | None) -> bool:
    return true is not None and true.guessed and note == true.note


def _columns(frame: pd.DataFrame, ask: Request) -> None:
    """Refuse what needs a column that the file lacks."""
    for column, needed, option in (
        ("fold", ask.folds is Folds.averaged, "--folds averaged"),
        ("weight", ask.weighted, "--weighted"),
        ("cluster", ask.design is Design.clusters, "--design clusters"),
        ("fold", ask.design is Design.folds, "--design folds"),
    ):
        if needed and column not in frame.columns:
            to = (
                {"fold": "average over", "weight": "weigh by"}.get(column, "draw by")
                if "design" not in option
                else "draw by"
            )
            raise DataError(f"there is no column '{column}' to {to}; add it, or leave {option} out")


def _scored(frame: pd.DataFrame, file: Path, asked: bool) -> bool:
    """Whether a long or wide file is to be read as scores; other layouts are refused."""
    if "y_true" not in frame.columns:
        columns = ", ".join(f"'{name}'" for name in frame.columns)
        raise DataError(
            f"'{file}' has the columns {columns}; give counts (classifier,tp,fn,fp,tn), a long table "
            "(classifier,y_true and y_pred or score) or a wide one (y_true and a column per classifier)"
        )
    if "classifier" not in frame.columns:
        return asked
    if not {"y_pred", "score"} & set(frame.columns):
        raise DataError(f"'{file}' has the columns classifier and y_true only; add y_pred or score")
    if asked and "score" not in frame.columns:
        raise DataError(
            f"'{file}' has no column 'score'; leave --scores and --threshold out, or add it"
        )
    return asked or "y_pred" not in frame.columns
