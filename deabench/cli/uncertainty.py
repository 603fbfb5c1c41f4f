"""`deabench uncertainty`: how sure the efficiencies are, from predictions, scores, counts, folds or
data sets.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Any

import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._options import Form, Out, Plot
from deabench.cli._samples import (
    Costs,
    Metrics,
    Orientation,
    Positive,
    Reading,
    Returns,
    Scores,
    Threshold,
    read_samples,
)


class Method(enum.StrEnum):
    """What is claimed: the scores alone, or every ratio of two classifiers at once."""

    analytic = "analytic"
    max_t = "max-t"


def command(
    file: Annotated[
        Path, typer.Argument(help="CSV file of one of the layouts above; - is standard input.")
    ],
    metrics: Metrics = None,
    positive: Positive = None,
    scores: Scores = False,
    threshold: Threshold = None,
    costs: Costs = None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    level: Annotated[float, typer.Option(help="Of all statements together.")] = 0.95,
    method: Annotated[
        Method,
        typer.Option(help="analytic claims the scores, max-t every ratio of two classifiers."),
    ] = Method.analytic,
    each: Annotated[
        bool, typer.Option("--each", help="Add intervals for one classifier asked for beforehand.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(help="Say what is known of this classifier.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of max-t's draws.")] = 0,
    plot: Plot = None,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """Say which classifiers are dominated, which undecided, and where each efficiency and rank
    lies.

    FILE is CSV with a header, recognised by its columns:

    wide: y_true and a column per classifier, of labels, or of scores with --scores or --threshold.

    long: classifier,instance,y_true and y_pred or score.

    counts: classifier,tp,fn,fp,tn; the classifiers then count as independent.

    blocks: classifier, and fold (with repeat) or dataset, and counts or metrics.
    """
    from deabench.inference.uncertainty import uncertainty

    samples = read_samples(file, Reading(metrics, positive, scores, threshold, costs))
    how: Any = {
        "returns": returns,
        "orientation": orientation,
    }  # words, checked when they were read
    answer = uncertainty(samples, level=level, method=method.value, seed=seed, **how)
    if plot is not None:
        from deabench.plot import save_figure

        save_figure(answer.plot().figure_, plot)
    for line in (answer.explain(explain) if explain is not None else answer.summary()).splitlines():
        say(line)
    emit(answer.to_frame(each=each), form=form, out=out, title="Efficiencies and how sure they are")
