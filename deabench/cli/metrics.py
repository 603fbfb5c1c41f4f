"""`deabench metrics`: predictions, scores or counts in, the metric table that `deabench rank` reads
out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._labels import by_cell, read_instances
from deabench.cli._metric_options import (
    COUNTS,
    LABELLED,
    SCORED,
    SEVERAL,
    Answer,
    Design,
    Folds,
    Request,
    of_counts,
    of_instances,
)
from deabench.cli._options import Out
from deabench.cli._samples import Scores, Threshold
from deabench.errors import DataError


def command(
    file: Annotated[
        Path, typer.Argument(help="CSV file of one of the layouts above; - is standard input.")
    ],
    metrics: Annotated[
        str | None,
        typer.Option(
            help=f"Metrics, as TPR,TNR or recall,precision@10; 'all' for every one. By default {','.join(LABELLED)}; of scores "
            f"{','.join(SCORED)}."
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="The positive class; by default 1 of 0/1 and -1/1, True of booleans, else the minority (not for scores)."
        ),
    ] = None,
    against_rest: Annotated[
        bool, typer.Option("--against-rest", help="--positive against all other classes.")
    ] = False,
    multiclass: Annotated[
        bool,
        typer.Option(
            "--multiclass",
            help=f"Any number of classes, none of them positive. By default {','.join(SEVERAL)}.",
        ),
    ] = False,
    scores: Scores = False,
    threshold: Threshold = None,
    folds: Annotated[
        Folds,
        typer.Option(
            help="One classifier on several rows or folds: counts added, or metrics averaged."
        ),
    ] = Folds.pooled,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Each metric with its interval, a row for each.")
    ] = False,
    differences: Annotated[
        bool,
        typer.Option(
            "--differences",
            help="The paired difference of every two classifiers in each metric, with its interval.",
        ),
    ] = False,
    design: Annotated[
        Design,
        typer.Option(
            help="Of intervals: instances are a sample (rows), the classes' sizes were fixed (classes), the column cluster or "
            "fold groups them."
        ),
    ] = Design.rows,
    alpha: Annotated[float, typer.Option(help="One minus the level of intervals.")] = 0.05,
    usefulness: Annotated[
        bool,
        typer.Option(
            "--usefulness",
            help="Eight conditions for a classifier that says anything about the class.",
        ),
    ] = False,
    prevalence: Annotated[
        float | None,
        typer.Option(help="Re-express the metrics where this share of the instances is positive."),
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="The column weight has a weight for each instance.")
    ] = False,
    beta: Annotated[
        float, typer.Option(help="Of the F measure; its column is then named F2, F0.5 ...")
    ] = 1.0,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Cost of one instance, as fn=100,fp=1,tp=-1; cells not named cost 0. Default fn=1,fp=1."
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Weight of one instance in weighted_accuracy, as fn=5,tp=5; cells not named weigh 1."
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="How to write the table.")
    ] = Format.table,
    out: Out = None,
) -> None:
    """Make a metric table, a row per classifier, from predictions, scores or counts.

    FILE is CSV with a header, recognised by its columns:

    counts: classifier,tp,fn,fp,tn (a classifier on several rows has several folds); other columns
    are left out.

    long: classifier,y_true and y_pred or score, a row per classifier and instance; a score column
    is used where there is no y_pred, or with --scores or --threshold.

    wide: y_true and a column per classifier, of labels, or of scores with --scores or --threshold.

    In long and wide files the columns instance, fold, cluster and weight are no classifiers;
    --folds averaged goes by fold."""
    answer = _answer(
        intervals=intervals, differences=differences, usefulness=usefulness, prevalence=prevalence
    )
    ask = Request(
        answer,
        metrics,
        positive,
        against_rest,
        multiclass,
        scores,
        threshold,
        folds,
        design,
        alpha,
        prevalence,
        weighted,
        beta,
        by_cell(costs, "costs", "fn=100,fp=1"),
        by_cell(weights, "weights", "fn=5,tp=5"),
    )
    frame = read_instances(file)
    table = (
        of_counts(frame, ask)
        if set(COUNTS) <= set(frame.columns)
        else of_instances(frame, ask, file)
    )
    for line in [table.attrs.get(key) for key in ("note", "threshold", "folds")]:
        if line:
            say(line)
    for line in (*table.attrs.get("notes", ()), *table.attrs.get("undefined", ())):
        say(line)
    emit(
        table.drop(columns=["roc_auc_lower", "roc_auc_upper"], errors="ignore"), form=form, out=out
    )


def _answer(
    *, intervals: bool, differences: bool, usefulness: bool, prevalence: float | None
) -> Answer:
    asked = {
        "intervals": intervals,
        "differences": differences,
        "usefulness": usefulness,
        "prevalence": prevalence is not None,
    }
    wanted: list[Any] = [name for name, is_asked in asked.items() if is_asked]
    if len(wanted) > 1:
        raise DataError(f"--{wanted[0]} and --{wanted[1]} are two answers; ask for one at a time")
    return wanted[0] if wanted else "table"
