"""`deabench targets`: where on the frontier the tested classifiers could get to with the least change."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from deabench.cli._io import Format, directions, emit, names, say, weighed


class Show(enum.StrEnum):
    """What a picture of targets shows: the plane of two metrics, actual and target per metric, or parallel coordinates."""

    frontier = "frontier"
    targets = "targets"
    parallel = "parallel"


def command(
    tested: Annotated[str, typer.Argument(help="CSV of the tested classifiers; - is standard input.")],
    reference: Annotated[str, typer.Option(help="CSV of the classifiers that span the frontier.")],
    outputs: Annotated[str | None, typer.Option(help="Metrics to be high, as TPR,TNR.")] = None,
    lower_is_better: Annotated[str | None, typer.Option(help="Metrics to be low, as error=1 (their maximum).")] = None,
    norm: Annotated[str, typer.Option(help="l1, l2 or linf.")] = "l1",
    weights: Annotated[str | None, typer.Option(help="What a unit of each metric counts, as TPR=2,TNR=1.")] = None,
    on: Annotated[str, typer.Option(help="faces (mixtures of real classifiers) or facets (extended).")] = "faces",
    common: Annotated[bool, typer.Option("--common", help="One face for all tested classifiers.")] = False,
    dominating: Annotated[bool, typer.Option("--dominating", help="No metric may get worse.")] = False,
    method: Annotated[str, typer.Option(help="auto, faces or milp.")] = "auto",
    time_limit: Annotated[float | None, typer.Option(help="Seconds for each MILP.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write CSV (or .json) here instead of printing.")] = None,
    form: Annotated[Format, typer.Option("--format", help="table, csv or json.")] = Format.table,
    plot: Annotated[Path | None, typer.Option(help="Write a picture here: .png, .svg or .pdf.")] = None,
    show: Annotated[Show | None, typer.Option(help="What the picture shows; frontier (two metrics) or targets without it.")] = None,
) -> None:
    """The closest target of each classifier of TESTED on the frontier of the reference, and what it would have to gain."""
    from deabench.dea.targets import targets
    from deabench.tables.reader import read

    found = targets(
        read(tested),
        read(reference),
        outputs=names(outputs),
        lower_is_better=directions(lower_is_better),
        norm=norm,
        weights=weighed(weights),
        on=on,
        common=common,
        dominating=dominating,
        method=method,
        time_limit=time_limit,
    )
    if plot is not None:
        from deabench.plot import FrontierDisplay, ParallelDisplay, TargetsDisplay, save_figure

        displays = {Show.frontier: FrontierDisplay, Show.targets: TargetsDisplay, Show.parallel: ParallelDisplay}
        default = Show.frontier if len(found.frontier.outputs) == 2 else Show.targets
        save_figure(displays[show or default].from_targets(found).plot().figure_, plot)
    for note in found.notes:
        say(note)
    for label, reason in found.reasons.items():
        say(f"'{label}' has no target: {reason}")
    frame = found.to_frame().join(found.gaps.add_prefix("gap_"))
    frame["face"] = [", ".join(str(label) for label in face) for face in found.faces]
    say(f"{norm} distance on {on}, by {found.method}; least certified weight {found.certificate['least_weight'].min():.2g}")
    emit(frame, form=form, out=out, title="Closest targets")
