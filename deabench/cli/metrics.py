"""`deabench metrics`: turn predictions, scores or counts into a table for `deabench rank`."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
import typer

from deabench.cli._io import Format, print_messages, write_table
from deabench.cli._metric_answers import (
    LABEL_METRICS,
    MULTICLASS_METRICS,
    SCORE_METRICS,
    Answer,
    Design,
    Folds,
    MetricsRequest,
    answer_from_counts,
    answer_from_instances,
)
from deabench.cli._prediction_files import COUNTS, read_instances
from deabench.cli.options.declarations import (
    Form,
    Out,
    parse_cell_values,
    with_option_groups,
)
from deabench.cli.options.samples import AnswerOptions
from deabench.cli.options.table import SourceOptions
from deabench.errors import DataError


@with_option_groups
def metrics_command(
    source: SourceOptions,
    answers: AnswerOptions,
    *,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            "--outputs",
            help="Metrics, as TPR,TNR or recall,precision@10, or 'all'. Default: "
            f"{','.join(LABEL_METRICS)}; of scores {','.join(SCORE_METRICS)}.",
        ),
    ] = None,
    against_rest: Annotated[
        bool, typer.Option("--against-rest", help="Take --positive against all other classes.")
    ] = False,
    multiclass: Annotated[
        bool,
        typer.Option(
            "--multiclass",
            help="Any number of classes, none of them positive. "
            f"Default: {','.join(MULTICLASS_METRICS)}.",
        ),
    ] = False,
    folds: Annotated[
        Folds,
        typer.Option(
            help="For several rows or folds of a classifier: add the counts, or average the "
            "metrics."
        ),
    ] = Folds.pooled,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Print each metric with its interval, one per row.")
    ] = False,
    differences: Annotated[
        bool,
        typer.Option(
            "--differences",
            help="Print the paired difference of every two classifiers with its interval.",
        ),
    ] = False,
    design: Annotated[
        Design,
        typer.Option(
            help="For intervals: the instances are a sample (rows), the sizes of the classes were "
            "fixed (classes), or the column cluster or fold groups the instances."
        ),
    ] = Design.rows,
    alpha: Annotated[float, typer.Option(help="One minus the level of the intervals.")] = 0.05,
    usefulness: Annotated[
        bool,
        typer.Option(
            "--usefulness",
            help="Check eight conditions that every informative classifier meets.",
        ),
    ] = False,
    prevalence: Annotated[
        float | None,
        typer.Option(help="Convert the metrics to this share of positive instances."),
    ] = None,
    weighted: Annotated[
        bool,
        typer.Option("--weighted", help="Weight the instances by the column weight."),
    ] = False,
    beta: Annotated[
        float, typer.Option(help="Of the F measure; its column is then named F2, F0.5 ...")
    ] = 1.0,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Cost of one instance, as fn=100,fp=1,tp=-1; other cells cost 0. "
            "Default: fn=1,fp=1."
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Weight of one instance in weighted_accuracy, as fn=5,tp=5; other cells weigh 1."
        ),
    ] = None,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """Compute a table of metrics, a row per classifier, from predictions, scores or counts.

    TABLE is recognised by its columns:

    counts: classifier,tp,fn,fp,tn (a classifier on several rows has several folds); other columns
    are left out.

    long: classifier,y_true and y_pred or score, a row per classifier and instance; a score column
    is used if there is no y_pred, or with --scores or --threshold.

    wide: y_true and a column per classifier, of labels, or of scores with --scores or --threshold.

    In long and wide files the columns instance, fold, cluster and weight are no classifiers;
    --folds averaged goes by fold.
    """
    answer = _choose_answer(
        intervals=intervals, differences=differences, usefulness=usefulness, prevalence=prevalence
    )
    request = MetricsRequest(
        answer,
        metrics,
        answers.positive,
        against_rest,
        multiclass,
        answers.scores,
        answers.threshold,
        folds,
        design,
        alpha,
        prevalence,
        weighted,
        beta,
        parse_cell_values(costs, "costs", "fn=100,fp=1"),
        parse_cell_values(weights, "weights", "fn=5,tp=5"),
    )
    frame = read_instances(source)
    table = _answer_by_dataset(frame, request, source.names)
    remarks = [table.attrs.get(key) for key in ("note", "threshold", "folds")]
    print_messages([text for text in remarks if text])
    print_messages([*table.attrs.get("notes", ()), *table.attrs.get("undefined", ())])
    # Intervals are printed by --intervals, with those of the other metrics.
    table = table.drop(columns=["roc_auc_lower", "roc_auc_upper"], errors="ignore")
    write_table(table, form=form, path=out)


def _answer_by_dataset(frame: pd.DataFrame, request: MetricsRequest, file: str) -> pd.DataFrame:
    """Compute the answer of each data set by itself, if a column names several."""
    if "dataset" in frame.columns and frame["dataset"].nunique() > 1:
        tables = {
            str(name): _answer_by_dataset(rows.drop(columns="dataset"), request, file)
            for name, rows in frame.groupby("dataset", sort=False)
        }
        table = pd.concat(tables, names=["dataset"])
        table.attrs = next(iter(tables.values())).attrs
        remarks = [text for result in tables.values() for text in result.attrs.get("undefined", ())]
        # The number of instances of each class differs between data sets.
        table.attrs |= {"note": None, "undefined": tuple(remarks)}
        return table
    if set(COUNTS) <= set(frame.columns):
        return answer_from_counts(frame, request)
    return answer_from_instances(frame.drop(columns="dataset", errors="ignore"), request, file)


def _choose_answer(
    *, intervals: bool, differences: bool, usefulness: bool, prevalence: float | None
) -> Answer:
    flags: dict[Answer, bool] = {
        "intervals": intervals,
        "differences": differences,
        "usefulness": usefulness,
        "prevalence": prevalence is not None,
    }
    answers = [name for name, is_set in flags.items() if is_set]
    if len(answers) > 1:
        raise DataError(
            f"--{answers[0]} and --{answers[1]} are two answers; type one of them at a time"
        )
    return answers[0] if answers else "table"
