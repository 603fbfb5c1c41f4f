"""`deabench plan`: how many instances a verdict or a gate will need."""

from __future__ import annotations

from typing import Annotated

import typer

import deabench as db
from deabench.cli._io import Format, print_messages, write_table
from deabench.cli.options.declarations import Form, Out


def plan_command(
    gap: Annotated[
        float | None,
        typer.Option(help="By how much the better side is ahead in each metric, as 0.05."),
    ] = None,
    at_least: Annotated[
        float | None, typer.Option(help="The efficiency that a gate asks for, as 0.95.")
    ] = None,
    score: Annotated[float, typer.Option(help="The true efficiency of the candidate.")] = 1.0,
    value: Annotated[float, typer.Option(help="The metric of the better side.")] = 0.9,
    k: Annotated[int, typer.Option("--k", help="The number of classifiers.")] = 2,
    s: Annotated[int, typer.Option("--s", help="The number of metrics.")] = 1,
    rho: Annotated[
        float, typer.Option(help="The correlation of right answers of two classifiers.")
    ] = 0.3,
    level: Annotated[float, typer.Option(help="The level of the verdicts.")] = 0.95,
    power: Annotated[
        float, typer.Option(help="The chance that the test set will be large enough.")
    ] = 0.8,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """Compute how large a test set must be: for a verdict, verdicts at any time, and a gate.

    Give --gap for verdicts, --at-least for a gate, or both.
    """
    result = db.plan(
        gap,
        at_least=at_least,
        score=score,
        value=value,
        k=k,
        s=s,
        rho=rho,
        level=level,
        power=power,
    )
    print_messages(result.summary().splitlines())
    write_table(result.to_frame(), form=form, path=out, title="Instances needed")
