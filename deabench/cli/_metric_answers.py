"""Compute the answers of `deabench metrics` from counts, or from predictions and scores."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

import deabench as db
from deabench.cli._prediction_files import (
    COUNTS,
    Piece,
    holds_scores,
    read_classes,
    split_instances,
)
from deabench.cli.options.declarations import split_names
from deabench.errors import DataError
from deabench.metrics.answer_rows import classes_of_rows
from deabench.metrics.counts import average_folds
from deabench.metrics.labels import GroundTruth

LABEL_METRICS = ["TPR", "TNR", "balanced_accuracy", "G-mean", "F1", "accuracy"]
SCORE_METRICS = ["roc_auc", "pr_auc", "KS"]
MULTICLASS_METRICS = ["recall", "precision", "balanced_accuracy", "macro_F1", "MCC"]
Answer = Literal["table", "intervals", "differences", "usefulness", "prevalence"]


class Folds(enum.StrEnum):
    """How several rows or folds of one classifier become one row."""

    pooled = "pooled"
    averaged = "averaged"


class Design(enum.StrEnum):
    """How the instances were sampled."""

    rows = "rows"
    classes = "classes"
    clusters = "clusters"
    folds = "folds"


DESIGN_COLUMNS = {Design.clusters: "cluster", Design.folds: "fold"}


@dataclass(frozen=True)
class MetricsRequest:
    """The options of `deabench metrics`, as they were typed."""

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
    def formula_options(self) -> dict[str, Any]:
        """Return the options of the metrics' formulas."""
        return {"beta": self.beta, "costs": self.costs, "weights": self.weights}

    def metric_names(self, defaults: list[str]) -> list[str] | None:
        """Return the metrics that were named, or the defaults; None stands for all."""
        if self.metrics == "all":
            return None
        if self.metrics is not None:
            return split_names(self.metrics)
        # F1 is named after its beta, as in the table of metrics.
        return [f"F{self.beta:g}" if name == "F1" else name for name in defaults]

    def default_metrics(self, is_scores: bool) -> list[str]:
        """Return the default metrics of labels, of scores, or of scores with a threshold."""
        if not is_scores:
            return LABEL_METRICS
        if self.threshold is None:
            return SCORE_METRICS
        return [*LABEL_METRICS, *SCORE_METRICS]

    def instance_weights(self, instances: pd.DataFrame) -> dict[str, pd.Series]:
        """Return the weights of instances as an argument of a metric function."""
        return {"sample_weight": instances["weight"]} if self.weighted else {}


def answer_from_counts(frame: pd.DataFrame, request: MetricsRequest) -> pd.DataFrame:
    """Compute the answer from a file of counts."""
    label = "classifier" if "classifier" in frame.columns else frame.columns[0]
    if label in COUNTS:
        raise DataError(
            "the counts have no column 'classifier'; add one with the classifiers' names"
        )
    counts = frame.set_index(label)[COUNTS].rename_axis("classifier")
    names = request.metric_names(LABEL_METRICS)
    # Several rows of one classifier are its folds.
    if not counts.index.is_unique:
        if request.folds is Folds.averaged and request.answer == "table":
            return db.metrics.averaged(
                counts, "classifier", metrics=names, **request.formula_options
            )
        counts = db.metrics.pooled(counts, "classifier")
    if request.answer == "table":
        return db.metrics.from_counts(counts, metrics=names, **request.formula_options)
    return _answer_from_cells(counts, request)


def answer_from_instances(frame: pd.DataFrame, request: MetricsRequest, file: str) -> pd.DataFrame:
    """Compute the answer from a long or wide file of instances."""
    is_scores = holds_scores(frame, file, request.scores or request.threshold is not None)
    _check_columns(frame, request)
    value = "score" if is_scores else "y_pred"
    is_paired = request.answer == "differences"
    by_fold = request.folds is Folds.averaged
    if request.multiclass and request.answer == "table":
        return _multiclass_table(split_instances(frame, value, by_fold=by_fold), request)
    classes = read_classes(
        frame, request.positive, scores=is_scores, one_against_rest=request.against_rest
    )
    pieces = split_instances(frame, value, by_fold=by_fold, is_paired=is_paired)
    if request.answer in ("intervals", "differences"):
        return _interval_table(pieces, request, classes, is_scores)
    if request.answer == "table":
        table = _metric_table(pieces, request, classes, is_scores)
    else:
        table = _answer_from_cells(_count_cells(pieces, request, classes, is_scores), request)
    # A class that was named needs no note, and of a guessed one a warning has told.
    is_chosen = request.positive is None and not classes.guessed
    table.attrs["note"] = classes.note if is_chosen else None
    return table


def _check_columns(frame: pd.DataFrame, request: MetricsRequest) -> None:
    """Refuse options that need a column which the file lacks."""
    for column, is_needed, purpose, option in (
        ("fold", request.folds is Folds.averaged, "average over", "--folds averaged"),
        ("weight", request.weighted, "weigh by", "--weighted"),
        ("cluster", request.design is Design.clusters, "draw by", "--design clusters"),
        ("fold", request.design is Design.folds, "draw by", "--design folds"),
    ):
        if is_needed and column not in frame.columns:
            raise DataError(
                f"there is no column '{column}' to {purpose}; add it, or leave {option} out"
            )


def _metric_table(
    pieces: list[Piece], request: MetricsRequest, classes: GroundTruth, is_scores: bool
) -> pd.DataFrame:

    compute: Any = db.metrics.from_scores if is_scores else db.metrics.from_predictions
    options = request.formula_options
    options["metrics"] = request.metric_names(request.default_metrics(is_scores))
    if is_scores:
        options["threshold"] = request.threshold
    tables = [
        compute(
            classes_of_rows(classes, instances["y_true"]),
            answers,
            **request.instance_weights(instances),
            **options,
        )
        for instances, answers in pieces
    ]
    table = _concat_tables(tables)
    if request.folds is Folds.averaged:
        table = average_folds(table, [pd.Series(table.index, table.index, name="classifier")])
    table.attrs["threshold"] = tables[0].attrs.get("threshold")
    return table


def _multiclass_table(pieces: list[Piece], request: MetricsRequest) -> pd.DataFrame:
    names: Any = request.metric_names(MULTICLASS_METRICS)
    tables = [
        db.metrics.from_classes(
            instances["y_true"], answers, metrics=names, **request.instance_weights(instances)
        )
        for instances, answers in pieces
    ]
    table = _concat_tables(tables)
    table.attrs["note"] = tables[0].attrs["note"]
    return table


def _concat_tables(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Put tables below each other and collect their remarks about undefined metrics."""
    table = pd.concat(tables)
    remarks = [text for result in tables for text in result.attrs["undefined"]]
    table.attrs = {"undefined": tuple(remarks)}
    return table


def _interval_table(
    pieces: list[Piece], request: MetricsRequest, classes: GroundTruth, is_scores: bool
) -> pd.DataFrame:
    """Compute intervals of metrics, or paired differences with theirs."""
    compute: Any = db.metrics.intervals
    if request.answer == "differences":
        compute = db.metrics.differences
    # There is no interval for KS.
    defaults = [name for name in request.default_metrics(is_scores) if name != "KS"]
    options = {
        **request.formula_options,
        "alpha": request.alpha,
        "threshold": request.threshold,
        "metrics": request.metric_names(defaults),
    }
    options = {name: value for name, value in options.items() if value is not None}
    column = DESIGN_COLUMNS.get(request.design)
    results = [
        compute(
            classes_of_rows(classes, instances["y_true"]),
            answers,
            design=request.design.value,
            **({} if column is None else {"by": instances[column]}),
            **request.instance_weights(instances),
            **options,
        )
        for instances, answers in pieces
    ]
    table = pd.concat([result.table for result in results])
    notes = dict.fromkeys(note for result in results for note in result.notes)
    # A guessed positive class was the subject of a warning already.
    if classes.guessed:
        notes.pop(classes.note, None)
    table.attrs["notes"] = tuple(notes)
    return table


def _count_cells(
    pieces: list[Piece], request: MetricsRequest, classes: GroundTruth, is_scores: bool
) -> pd.DataFrame:
    """Count the four cells of each classifier; scores become labels at the threshold."""
    if is_scores and request.threshold is None:
        raise DataError("scores have no cells without a threshold; give --threshold")
    counts = []
    for instances, answers in pieces:
        piece_classes = classes_of_rows(classes, instances["y_true"])
        labels = answers
        if is_scores:
            negative = piece_classes.negative
            if piece_classes.rest:
                # Any class of the rest stands for all of them.
                negative = piece_classes.rest[0]
            names = {True: piece_classes.positive, False: negative}
            labels = {
                name: (pd.to_numeric(scores) >= request.threshold).map(names)
                for name, scores in answers.items()
            }
        weights = request.instance_weights(instances)
        counts.append(db.metrics.count(piece_classes, labels, **weights))
    table = pd.concat(counts)
    table.attrs = counts[0].attrs
    return table


def _answer_from_cells(counts: pd.DataFrame, request: MetricsRequest) -> pd.DataFrame:
    """Compute usefulness, intervals or metrics at another prevalence from the four cells."""
    names = request.metric_names(LABEL_METRICS)
    if request.answer == "usefulness":
        return db.metrics.usefulness(counts).rename_axis("classifier")
    if request.answer == "prevalence":
        # TPR and TNR do not depend on the prevalence; all other metrics follow from them.
        rates = db.metrics.from_counts(counts, metrics=["TPR", "TNR"])
        prevalence = request.prevalence or 0.0
        return db.metrics.at_prevalence(rates, prevalence, metrics=names, **request.formula_options)
    if request.answer == "differences":
        raise DataError(
            "counts do not tell which instances two classifiers judge alike; give predictions "
            "for --differences"
        )
    if request.design in DESIGN_COLUMNS:
        raise DataError(
            f"counts have no {request.design.value}; give predictions for "
            f"--design {request.design.value}"
        )
    design: Any = request.design.value
    table = db.metrics.bootstrap_counts(
        counts, design=design, alpha=request.alpha, metrics=names, **request.formula_options
    )
    return table.drop(columns="undefined")
