"""`deabench gate`: is a new model efficient beside those in use, or was it luck? By exit status and
as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from deabench.cli._io import say, write
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

STATUS = {"efficient": 0, "dominated": 3, "undecided": 4}
"""Exit status by verdict; 1 and 2 are the errors of every command."""


def command(
    file: Annotated[
        Path, typer.Argument(help="CSV file as for 'deabench uncertainty'; - is standard input.")
    ],
    candidate: Annotated[str, typer.Option(help="The new model, as the file names it.")],
    at_least: Annotated[
        float, typer.Option(help="The efficiency that must be proved, up to 1.")
    ] = 0.95,
    level: Annotated[float, typer.Option(help="Of both limits together.")] = 0.95,
    metrics: Metrics = None,
    positive: Positive = None,
    scores: Scores = False,
    threshold: Threshold = None,
    costs: Costs = None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write the JSON to this file, not standard output."),
    ] = None,
) -> None:
    """Pass a new model only where its efficiency beside those in use is proved; JSON on standard
    output.

    Exit status: 0 efficient to at least --at-least; 3 dominated: a mix of those in use beats it in
    every metric; 4 undecided, with the number of instances that would decide it. 1 and 2 are
    errors, as in every command."""
    from deabench.inference.release_gate import gate

    samples = read_samples(file, Reading(metrics, positive, scores, threshold, costs))
    how: Any = {
        "returns": returns,
        "orientation": orientation,
    }  # words, checked when they were read
    answer = gate(samples, candidate, at_least=at_least, level=level, **how)
    text = json.dumps(answer.to_dict(), indent=1, ensure_ascii=False) + "\n"
    write(Path("-") if out is None else out, text)
    say(answer.summary())
    for note in answer.notes:
        say(note)
    raise typer.Exit(STATUS[answer.verdict])
