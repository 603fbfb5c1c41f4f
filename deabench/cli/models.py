"""`deabench models`: the formulations, as text."""

from __future__ import annotations

import inspect
import sys
from typing import Annotated

import typer

from deabench.errors import DataError


def command(
    name: Annotated[
        str | None, typer.Argument(help="One formulation; without it, a line for each.")
    ] = None,
) -> None:
    """The formulations that deabench solves: their mathematics, each row with the name of its Pyomo
    component.
    """
    from deabench_models import FORMULATIONS

    known = {formulation.__name__: formulation for formulation in FORMULATIONS}
    if name is None:
        width = max(map(len, known))
        lines = [
            f"{key:<{width}}  {(inspect.getdoc(f) or '').splitlines()[0]}"
            for key, f in known.items()
        ]
        sys.stdout.write("\n".join(lines) + "\n")
        return
    if name not in known:
        raise DataError(f"there is no formulation '{name}'; there are {', '.join(known)}")
    formulation = known[name]
    source = formulation.__module__
    sys.stdout.write(
        f"{source}.{name}{inspect.signature(formulation)}\n\n{inspect.getdoc(formulation)}\n"
    )
