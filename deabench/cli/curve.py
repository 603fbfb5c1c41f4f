"""`deabench curve`: ROC points with Tango's intervals, and the other curves of a score."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

import deabench as db
from deabench import curves
from deabench.cli._io import Format, print_message, write_table, writes_json
from deabench.cli._prediction_files import COUNTS, read_classes, read_instances
from deabench.cli.options.declarations import (
    Form,
    Out,
    Plot,
    parse_cell_values,
    with_option_groups,
)
from deabench.cli.options.samples import AnswerOptions
from deabench.cli.options.table import SourceOptions
from deabench.curves.roc import trace_roc
from deabench.curves.segment import segment_from_roc
from deabench.errors import DataError
from deabench.metrics.answer_rows import classes_of_rows
from deabench.metrics.labels import GroundTruth
from deabench.utils.checks import did_you_mean

LONG_COLUMNS = ("classifier", "y_true", "score")
BAND_GRID = np.linspace(0, 1, 101)
"""False positive rates at which bands are printed: their own points lie a hair beside each jump."""
MAX_HINT = 100
"""A longer list of scikit-learn's classifiers is replaced by two examples."""


class Kind(enum.StrEnum):
    """The curve that is computed."""

    roc = "roc"
    tango = "tango"
    summary = "summary"
    bands = "bands"
    gain = "gain"
    lift = "lift"
    conversion = "conversion"
    pr = "pr"
    cost = "cost"
    learning = "learning"


class Band(enum.StrEnum):
    """The band of a ROC curve."""

    fixed_width = "fixed-width"
    simultaneous = "simultaneous"


SEGMENT_KINDS = (Kind.roc, Kind.tango, Kind.summary)
CURVE_FUNCTIONS: Mapping[Kind, Callable[..., Any]] = {
    Kind.gain: curves.gain,
    Kind.lift: curves.lift,
    Kind.pr: curves.precision_recall,
    Kind.cost: curves.cost_curve,
}
TITLES = {
    Kind.roc: "ROC points with Tango's intervals of (fn - fp)/n",
    Kind.tango: "ROC points with Tango's intervals of (fn - fp)/n",
    Kind.summary: "balanced misclassification segments",
    Kind.bands: "fixed-width ROC bands",
    Kind.gain: "cumulative gain",
    Kind.lift: "lift",
    Kind.conversion: "conversion rates",
    Kind.pr: "precision and recall",
    Kind.cost: "cost curve: the cheapest threshold by probability cost",
}
# The columns that fit a terminal; CSV and JSON have every column.
ROC_COLUMNS = ["at_least", "FPR", "TPR", "lower", "upper", "confident"]
PRINTED_COLUMNS = {
    Kind.roc: ROC_COLUMNS,
    Kind.tango: ROC_COLUMNS,
    Kind.summary: ["n", "AUC", "confident", "SAUC", "AveD"],
    Kind.gain: ["population", "gain", "negative_gain", "difference", "at_least"],
    Kind.cost: ["from_pc", "to_pc", "at_least", "FPR", "FNR", "to_nec"],
}


@with_option_groups
def curve_command(
    source: SourceOptions,
    answers: AnswerOptions,
    *,
    kind: Annotated[
        Kind,
        typer.Option(
            help="roc, tango: every ROC point with Tango's interval; summary: SAUC, AveD and AUC "
            "per classifier; learning: balanced accuracy by training rows, from y_true and "
            "columns of features."
        ),
    ] = Kind.roc,
    alpha: Annotated[
        float, typer.Option(help="One minus the level of intervals and bands.")
    ] = 0.05,
    against_rest: Annotated[
        bool, typer.Option("--against-rest", help="Take --positive against all other classes.")
    ] = False,
    band: Annotated[
        Band,
        typer.Option(help="Bands: near-nominal by the bootstrap, or simultaneous by theorem."),
    ] = Band.fixed_width,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Print the threshold of least cost, for the cost of a missed positive and of a "
            "false alarm, as fn=5,fp=1."
        ),
    ] = None,
    prevalence: Annotated[
        float | None, typer.Option(help="With --costs: the share of positives.")
    ] = None,
    above: Annotated[float, typer.Option(help="Conversion: positive if score > this.")] = 0.5,
    learner: Annotated[
        str, typer.Option(help="Learning: a scikit-learn classifier, by the name of its class.")
    ] = "GaussianNB",
    start: Annotated[
        int, typer.Option(help="Learning: the first number of training rows; it doubles.")
    ] = 50,
    plot: Plot = None,
    out: Out = None,
    form: Form = Format.table,
) -> None:
    """Trace each classifier's ROC curve with Tango's intervals, or another curve of its scores.

    TABLE has y_true and a score column per classifier, or the columns classifier, y_true, score.
    """
    if plot is not None:
        # A wrong file name is told before the work begins.
        from deabench.plot.canvas import picture_format

        picture_format(plot)
    if kind is Kind.learning:
        means = _learning_curve(source.open().frame, learner, start, plot)
        write_table(means, form=form, path=out, title=f"learning curve of {learner}")
        return
    frame = read_instances(source)
    if {"dataset", "classifier"} <= set(frame.columns) and frame["dataset"].nunique() > 1:
        # A curve is of one classifier on one data set.
        frame["classifier"] = frame["dataset"].astype(str) + ": " + frame["classifier"].astype(str)
    scores = _scores_by_classifier(frame, source.names)
    classes = read_classes(frame, answers.positive, scores=True, one_against_rest=against_rest)
    cost_arguments = _parse_costs(costs, prevalence)
    # Every kind of curve prints the segment's summary, so it is computed for all.
    segments = {
        name: _compute_segment(name, y_true, score, alpha, classes)
        for name, (y_true, score) in scores.items()
    }
    results: dict[str, Any] = {}
    band_name: Any = band.value
    for name, segment in segments.items():
        y_true, score = scores[name]
        if kind in SEGMENT_KINDS:
            results[name] = segment
        elif kind is Kind.bands:
            results[name] = curves.bands(segment.roc, band_name, alpha=segment.alpha)
        elif kind is Kind.conversion:
            results[name] = curves.conversion_rates(
                classes_of_rows(classes, y_true), score, above=above
            )
        else:
            results[name] = CURVE_FUNCTIONS[kind](classes_of_rows(classes, y_true), score)
    if plot is not None:
        from deabench.plot.roc import draw_curves

        db.plot.save_figure(draw_curves(kind.value, results, segments), plot)
    table = _curve_table(kind, results)
    # The terminal shows the most important columns; files have all of them.
    if form is Format.table and out is None:
        table = table[PRINTED_COLUMNS.get(kind, list(table.columns))]
    elif writes_json(form, out):
        # JSON has no infinity: null stands for "no threshold".
        table = table.replace([np.inf, -np.inf], np.nan)
    write_table(table, form=form, path=out, title=TITLES[kind])
    print_message(classes.note)
    for name, segment in segments.items():
        _print_segment(name, segment, cost_arguments)


def _parse_costs(costs: str | None, prevalence: float | None) -> dict[str, float] | None:
    """Return the arguments of the threshold of least cost, or None without --costs."""
    cell_costs = parse_cell_values(costs, "costs", "fn=5,fp=1")
    if cell_costs is None:
        if prevalence is not None:
            raise DataError(
                "--prevalence is for --costs; give both, as --costs fn=5,fp=1 --prevalence 0.02"
            )
        return None
    for cell in cell_costs:
        if cell not in ("fn", "fp"):
            raise DataError(
                f"--costs names '{cell}'; a threshold takes fn and fp, as --costs fn=5,fp=1"
            )
    arguments = {f"cost_{cell}": cost for cell, cost in cell_costs.items()}
    if prevalence is not None:
        arguments["prevalence"] = prevalence
    return arguments


def _scores_by_classifier(
    frame: pd.DataFrame, file: str
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the true classes and scores of each classifier, from a wide or a long file."""
    if "y_true" not in frame.columns:
        hint = did_you_mean("y_true", list(frame.columns))
        if hint.startswith("there are"):
            command = "deabench rank ranks a table of metrics"
            if set(COUNTS) <= set(frame.columns):
                command = "deabench metrics computes the metrics of counts"
            hint += f"; a curve needs scores of instances ({command})"
        raise DataError(f"there is no column 'y_true' in '{file}'; {hint}")
    if "score" not in frame.columns and {"classifier", "y_pred"} <= set(frame.columns):
        raise DataError(
            f"'{file}' holds predicted labels, and a curve needs scores; add a column 'score', or "
            "type deabench metrics for the metrics of labels"
        )
    if set(LONG_COLUMNS) <= set(frame.columns):
        # An empty name would form a group of its own.
        is_unnamed = frame["classifier"].isna() | (frame["classifier"].astype(str) == "")
        if is_unnamed.any():
            row = int(np.argmax(is_unnamed.to_numpy())) + 1
            raise DataError(f"the classifier of row {row} of '{file}' is missing; name it")
        return {
            str(name): (rows["y_true"].to_numpy(), rows["score"].to_numpy())
            for name, rows in frame.groupby("classifier", sort=False)
        }
    names = [name for name in frame.columns if name != "y_true"]
    if not names:
        raise DataError(
            f"'{file}' has no score; add a column of scores per classifier beside 'y_true'"
        )
    y_true = frame["y_true"].to_numpy()
    return {str(name): (y_true, frame[name].to_numpy()) for name in names}


def _compute_segment(
    name: str, y_true: np.ndarray, score: np.ndarray, alpha: float, classes: GroundTruth
) -> curves.Segment:
    try:
        # The file has both classes; the rows of one classifier must have them, too.
        row_classes = classes_of_rows(classes, y_true)
    except DataError as error:
        raise DataError(f"classifier '{name}': {error}") from None
    return segment_from_roc(trace_roc(row_classes, score, name), alpha)


def _curve_table(kind: Kind, results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the points of all curves below each other."""
    if kind is Kind.summary:
        return curves.Segments.from_segments(results).table
    if kind is Kind.bands:
        frames = {name: band.at(BAND_GRID).reset_index() for name, band in results.items()}
    else:
        frames = {name: curve.to_frame().reset_index() for name, curve in results.items()}
    table = pd.concat(frames, names=["classifier", "row"]).reset_index("row", drop=True)
    # The row numbers of one classifier's frame are not part of its curve.
    return table.drop(columns=["index", "point"], errors="ignore")


def _print_segment(
    name: str, segment: curves.Segment, cost_arguments: dict[str, float] | None
) -> None:
    """Print the summary of one classifier and its best thresholds."""
    best = curves.best_threshold(segment.roc)
    points = "no confident point"
    if len(segment.confident):
        points = (
            f"{len(segment.confident)} confident points, SAUC {segment.sauc:.4f}, "
            f"AveD {segment.aved:.4f}"
        )
    # Adding 0.0 turns -0.0 into 0.0.
    youden = round(best.value, 4) + 0.0
    print_message(
        f"{name}: n = {segment.roc.n}, AUC {segment.roc.auc:.4f}, {points}; "
        f"Youden's J {youden:.4f} with {best.rule}"
    )
    if cost_arguments is not None:
        arguments: dict[str, Any] = cost_arguments
        cheapest = curves.best_threshold(segment.roc, "cost", **arguments)
        print_message(
            f"{name}: {cheapest.criterion}: {cheapest.value:.4g} an instance, with {cheapest.rule}"
        )


def _learning_curve(
    frame: pd.DataFrame, learner: str, start: int, plot: Path | None
) -> pd.DataFrame:
    """Compute the balanced accuracy by training rows, over five stratified folds."""
    if "y_true" not in frame.columns:
        hint = did_you_mean("y_true", list(frame.columns))
        raise DataError(f"there is no column 'y_true'; {hint}")
    features = frame.drop(columns="y_true")
    for name, column in features.items():
        if not pd.api.types.is_numeric_dtype(column) or column.isna().any():
            raise DataError(f"the feature '{name}' is not a number in every row; encode or fill it")
    if features.empty:
        raise DataError("there is no feature beside 'y_true'; add columns of numbers")
    # Without a tolerance the curve goes on until all rows are used.
    curve = curves.learning_curve(
        _make_learner(learner),
        features.to_numpy(),
        frame["y_true"].to_numpy(),
        schedule=curves.geometric(start, 2.0, tolerance=None),
    )
    if plot is not None:
        db.plot.save_figure(db.plot.LearningCurveDisplay.from_result(curve).plot().figure_, plot)
    print_message("balanced accuracy, mean over five folds")
    return curve.means


def _make_learner(name: str) -> Any:
    """Return a classifier of scikit-learn that needs no arguments, by the name of its class."""
    from sklearn.utils import all_estimators

    estimators = dict(all_estimators(type_filter="classifier"))
    if name not in estimators:
        hint = did_you_mean(name, sorted(estimators))
        if len(hint) >= MAX_HINT:
            hint = "type a name such as GaussianNB or LogisticRegression"
        raise DataError(f"there is no classifier '{name}' in scikit-learn; {hint}")
    # Meta-estimators such as stacking need arguments.
    try:
        learner = estimators[name]()
        if "random_state" in learner.get_params():
            return learner.set_params(random_state=0)
        return learner
    except TypeError:
        raise DataError(
            f"'{name}' needs another estimator inside; name one that stands alone, as GaussianNB"
        ) from None
