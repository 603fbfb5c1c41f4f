"""`deabench reproduce`: the printed tables of the paper, recomputed."""

from __future__ import annotations

from typing import Annotated

import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._options import Out


def command(
    name: Annotated[
        str | None, typer.Argument(help="one table, as table09; all of them without it")
    ] = None,
    out: Out = None,
    form: Annotated[Format, typer.Option("--format", help="how to write the cells")] = Format.table,
) -> None:
    """Recompute every printed table of Chao et al. (2022): printed, computed and verdict, cell by
    cell.
    """
    from deabench.analysis.reproduction import reproduce

    found = reproduce(name)
    emit(found.cells.set_index("table"), form=form, out=out)
    for table, counts in found.counts().iterrows():
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        say(f"{table}: {said}")
