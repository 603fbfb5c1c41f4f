"""`deabench frontier`: the extreme classifiers of a table and the facets between them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._options import (
    Form,
    Inputs,
    KeptIn,
    Label,
    LowerIsBetter,
    MissingCells,
    Out,
    Outputs,
    Plot,
    Scheduler,
    TableOrFiles,
    TechnologyOf,
    Tolerance,
    directions,
    several,
)

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier


def command(
    table: TableOrFiles,
    outputs: Outputs = None,
    inputs: Inputs = None,
    lower_is_better: LowerIsBetter = None,
    technology: TechnologyOf = "convex",
    missing: MissingCells = "refuse",
    label: Label = None,
    locate: Annotated[
        str | None, typer.Option(help="CSV of points: print where they lie instead of the facets.")
    ] = None,
    costs: Annotated[
        float | None,
        typer.Option(help="A prevalence: print which classifier to use for which cost ratio."),
    ] = None,
    graphml: Annotated[
        Path | None, typer.Option(help="Write the graph of facets here, as GraphML.")
    ] = None,
    tolerance: Tolerance = 0.0,
    kept: KeptIn = None,
    scheduler: Scheduler = None,
    out: Out = None,
    form: Form = Format.table,
    plot: Plot = None,
) -> None:
    """The frontier of TABLE: its facets, with their normals, the classifiers that span them and
    whether they are Pareto-efficient throughout; with --technology fdh, which mixes nothing, the
    classifiers on it.
    """
    from deabench.analysis.frontier import frontier
    from deabench.streaming.files import is_multi_file
    from deabench.tables.read import read
    from deabench.tables.selection import read_frame

    names = several(label)
    front = frontier(
        table if is_multi_file(table) else read(table, label=names),
        outputs=several(outputs),
        inputs=several(inputs),
        lower_is_better=directions(lower_is_better),
        missing=missing,  # type: ignore[arg-type]
        technology=technology,  # type: ignore[arg-type]
        label=names if is_multi_file(table) else None,
        tolerance=tolerance,
        kept=kept,
        scheduler=scheduler,
    )
    if graphml is not None:
        front.to_graphml(graphml)
    if plot is not None:
        _draw(front, costs, plot)
    for note in front.data.notes:
        say(note)
    say(f"on the frontier: {', '.join(str(label) for label in front.extreme)}")
    if locate is not None:
        frame, title = (
            front.locate(read_frame(locate)).rename_axis("classifier"),
            "Where the points lie",
        )
    elif costs is not None:
        frame, title = (
            front.cost_ranges(prevalence=costs),
            "Cost of a false negative over that of a false positive",
        )
    elif front.technology == "fdh":
        frame, title = front.to_frame(), "Classifiers that no other dominates"
    else:
        frame, title = front.facets.copy(), "Facets"
        frame["vertices"] = [
            ", ".join(str(label) for label in labels) for labels in frame["vertices"]
        ]
    emit(frame, form=form, out=out, title=title)


def _draw(front: Frontier, costs: float | None, plot: Path) -> None:
    """The cost ranges where they are asked for; otherwise two metrics as a plane, more as the graph
    of their facets.
    """
    from deabench.plot import CostRangeDisplay, FacetGraphDisplay, FrontierDisplay, save_figure

    if costs is not None:
        save_figure(CostRangeDisplay.from_result(front, prevalence=costs).plot().figure_, plot)
    elif len(front.outputs) == 2:
        save_figure(FrontierDisplay.from_result(front).plot().figure_, plot)
    else:
        save_figure(FacetGraphDisplay.from_result(front).plot().figure_, plot)
