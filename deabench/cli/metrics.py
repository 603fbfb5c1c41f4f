"""`deabench metrics`: predictions, scores or counts in, the metric table that `deabench rank` reads out."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd
import typer

from deabench.cli._instances import classes, read_instances
from deabench.cli._io import Format, emit, names, say
from deabench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTS = ["tp", "fn", "fp", "tn"]
BESIDE = ["y_true", "instance", "fold"]
LABELLED = ["TPR", "TNR", "balanced_accuracy", "G-mean", "F1", "accuracy"]
SCORED = ["roc_auc", "pr_auc", "KS"]


class Folds(enum.StrEnum):
    """How several rows or folds of one classifier become one."""

    pooled = "pooled"
    averaged = "averaged"


def command(
    file: Annotated[Path, typer.Argument(help="CSV file of one of the layouts above; - is standard input.")],
    metrics: Annotated[str | None, typer.Option(
        help=f"Metrics, as TPR,TNR; 'all' for every one. By default {','.join(LABELLED)}; of scores "
             f"{','.join(SCORED)}.")] = None,
    positive: Annotated[str | None, typer.Option(help="The positive class; by default the minority.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="The wide columns are scores, not labels.")] = False,
    threshold: Annotated[float | None, typer.Option(
        help="Label positive where score >= this; the columns are then scores.")] = None,
    folds: Annotated[Folds, typer.Option(
        help="One classifier on several rows or folds: counts added, or metrics averaged.")] = Folds.pooled,
    beta: Annotated[float, typer.Option(help="Of the F measure; its column is then named F2, F0.5 ...")] = 1.0,
    costs: Annotated[str | None, typer.Option(
        help="Cost of one instance, as fn=100,fp=1,tp=-1; cells not named cost 0. Default fn=1,fp=1.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to write the table.")] = Format.table,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write to this file, not standard output.")] = None,
) -> None:
    """Make a metric table, a row per classifier, from predictions, scores or counts.

    FILE is CSV with a header, recognised by its columns:

    counts: classifier,tp,fn,fp,tn (a classifier on several rows has several folds); other columns are left out.

    long: classifier,y_true and y_pred or score, a row per classifier and instance; a score column is used where there
    is no y_pred, or with --scores or --threshold.

    wide: y_true and a column per classifier, of labels, or of scores with --scores or --threshold.

    In long and wide files the columns instance and fold are no classifiers; --folds averaged goes by fold.
    """
    frame = read_instances(file)
    options: dict[str, Any] = {"beta": beta, "costs": _costs(costs)}
    if set(COUNTS) <= set(frame.columns):
        table = _of_counts(frame, _wanted(metrics, LABELLED, beta), folds, options)
    else:
        scored = _scored(frame, file, scores or threshold is not None)
        default = LABELLED if not scored else SCORED if threshold is None else [*LABELLED, *SCORED]
        options["metrics"] = _wanted(metrics, default, beta)
        if scored:
            options["threshold"] = threshold
        table = _of_instances(frame, positive, folds, scored, options)
    for line in (table.attrs.get(key) for key in ("note", "threshold", "folds")):
        _say(line)
    for line in table.attrs["undefined"]:
        _say(line)
    emit(table.drop(columns=["roc_auc_lower", "roc_auc_upper"], errors="ignore"), form=form, out=out)


def _wanted(metrics: str | None, default: list[str], beta: float) -> list[str] | None:
    if metrics == "all":
        return None
    return names(metrics) if metrics is not None else [f"F{beta:g}" if name == "F1" else name for name in default]


def _costs(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    pairs = [part.partition("=") for part in names(text) or []]
    try:
        return {cell.strip(): float(value) for cell, _, value in pairs}
    except ValueError:
        raise DataError(f"the costs are '{text}'; give them as fn=100,fp=1") from None


def _of_counts(frame: pd.DataFrame, wanted: list[str] | None, folds: Folds, options: dict[str, Any]) -> pd.DataFrame:
    from deabench.metrics import averaged, from_counts, pooled

    name = "classifier" if "classifier" in frame.columns else frame.columns[0]
    if name in COUNTS:
        raise DataError("the counts have no column 'classifier'; add one with the classifiers' names")
    counts = frame.set_index(name)[COUNTS].rename_axis("classifier")
    if counts.index.is_unique:
        return from_counts(counts, metrics=wanted, **options)
    if folds is Folds.averaged:
        return averaged(counts, "classifier", metrics=wanted, **options)
    return from_counts(pooled(counts, "classifier"), metrics=wanted, **options)


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
        raise DataError(f"'{file}' has no column 'score'; leave --scores and --threshold out, or add it")
    return asked or "y_pred" not in frame.columns


def _of_instances(
    frame: pd.DataFrame, positive: str | None, folds: Folds, scored: bool, options: dict[str, Any]
) -> pd.DataFrame:
    from deabench.metrics import from_predictions, from_scores
    from deabench.metrics.folds import mean_of

    if folds is Folds.averaged and "fold" not in frame.columns:
        raise DataError("there is no column 'fold' to average over; add it, or leave --folds averaged out")
    true = classes(frame, positive, scores=scored)
    make: Any = from_scores if scored else from_predictions
    parts = [
        make(y_true, predictions, positive=true.positive, **options)
        for y_true, predictions in _pieces(frame, folds, "score" if scored else "y_pred")
    ]
    table = pd.concat(parts)
    table.attrs = {"undefined": tuple(line for part in parts for line in part.attrs["undefined"])}
    if folds is Folds.averaged:
        table = mean_of(table, [pd.Series(table.index, table.index, name="classifier")])
    table.attrs["note"] = true.note if positive is None and not true.guessed else None
    table.attrs["threshold"] = parts[0].attrs.get("threshold")
    return table


def _pieces(frame: pd.DataFrame, folds: Folds, value: str) -> Iterator[tuple[pd.Series, dict[str, pd.Series]]]:
    """The instances that are judged together: y_true and {classifier: values}."""
    long = "classifier" in frame.columns
    keys = [*(["classifier"] if long else []), *(["fold"] if folds is Folds.averaged else [])]
    groups = frame.groupby(keys, sort=False) if keys else [(None, frame)]
    for _, rows in groups:
        if long:
            yield rows["y_true"], {str(rows["classifier"].iloc[0]): rows[value]}
        else:
            yield rows["y_true"], {str(name): rows[name] for name in rows.columns if name not in BESIDE}


def _say(line: str | None) -> None:
    if line:
        say(line)
