"""`deabench targets`: where on the frontier the tested classifiers could get to with the least
change.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any

import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._options import (
    Form,
    Inputs,
    LowerIsBetter,
    MissingCells,
    Norm,
    On,
    Out,
    Outputs,
    Plot,
    TechnologyOf,
    Weights,
    directions,
    several,
    weighed,
    word,
)


class Show(enum.StrEnum):
    """What a picture of targets shows: the plane of two metrics, actual and target per metric, or
    parallel coordinates.
    """

    frontier = "frontier"
    targets = "targets"
    parallel = "parallel"


def command(
    tested: Annotated[
        str, typer.Argument(help="A table of the tested classifiers; - is standard input.")
    ],
    reference: Annotated[
        str, typer.Option(help="A table of the classifiers that span the frontier.")
    ],
    outputs: Outputs = None,
    inputs: Inputs = None,
    lower_is_better: LowerIsBetter = None,
    returns: Annotated[
        str,
        typer.Option(
            help="vrs (mixtures) or crs (also multiples, with inputs).",
            **word("returns", lambda: ("vrs", "crs")),
        ),
    ] = "vrs",
    norm: Norm = "l1",
    weights: Weights = None,
    on: On = "faces",
    technology: TechnologyOf = "convex",
    missing: MissingCells = "refuse",
    common: Annotated[
        bool, typer.Option("--common", help="One face for all tested classifiers.")
    ] = False,
    dominating: Annotated[
        bool, typer.Option("--dominating", help="No metric may get worse.")
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            help="auto, faces or milp.", **word("method", lambda: ("auto", "faces", "milp"))
        ),
    ] = "auto",
    time_limit: Annotated[float | None, typer.Option(help="Seconds for each MILP.")] = None,
    out: Out = None,
    form: Form = Format.table,
    plot: Plot = None,
    show: Annotated[
        Show | None,
        typer.Option(help="What the picture shows; frontier (two metrics) or targets without it."),
    ] = None,
) -> None:
    """The closest target of each classifier of TESTED on the frontier of the reference, and what it
    would have to gain.
    """
    from deabench.analysis.targets import targets

    words: dict[str, Any] = {
        "norm": norm,
        "on": on,
        "method": method,
        "technology": technology,
        "missing": missing,
        "returns": returns,
    }
    found = targets(
        tested,
        reference,
        outputs=several(outputs),
        inputs=several(inputs),
        lower_is_better=directions(lower_is_better),
        weights="range" if weights == ["range"] else weighed(weights),
        common=common,
        dominating=dominating,
        time_limit=time_limit,
        **words,
    )
    if plot is not None:
        from deabench.plot import FrontierDisplay, ParallelDisplay, TargetsDisplay, save_figure

        displays: dict[Show, Any] = {
            Show.frontier: FrontierDisplay,
            Show.targets: TargetsDisplay,
            Show.parallel: ParallelDisplay,
        }
        default = Show.frontier if len(found.frontier.outputs) == 2 else Show.targets
        save_figure(displays[show or default].from_result(found).plot().figure_, plot)
    for note in found.notes:
        say(note)
    for label, reason in found.reasons.items():
        say(f"'{label}' has no target: {reason}")
    frame = found.to_frame().join(found.gaps.add_prefix("gap_"))
    frame["face"] = [", ".join(str(label) for label in face) for face in found.faces]
    proved = (
        ""
        if technology == "fdh"
        else f"; least certified weight {found.certificate['least_weight'].min():.2g}"
    )
    say(f"{norm} distance on {found.on}, by {found.method}{proved}")
    emit(frame, form=form, out=out, title="Closest targets")
