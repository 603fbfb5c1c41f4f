"""`deabench read`: what every column of a table is taken for, and the command that says the same."""

from __future__ import annotations

import enum
import json
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from deabench.cli._io import Format, emit, names, say

if TYPE_CHECKING:
    from deabench.tables.read import Table


class Form(enum.StrEnum):
    """How the proposal is written."""

    table = "table"
    json = "json"
    toml = "toml"


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            help="CSV, .gz, .xlsx, Parquet or JSON; several files, one for each metric; - is "
            "standard input."
        ),
    ],
    label: Annotated[
        str | None, typer.Option(help="The columns that name the systems, as A,B.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="The column that names the data sets.")
    ] = None,
    outputs: Annotated[str | None, typer.Option(help="Metrics to be high, as A,B.")] = None,
    inputs: Annotated[str | None, typer.Option(help="Costs, as C,D.")] = None,
    lower_is_better: Annotated[str | None, typer.Option(help="Rates to be low, as E,F.")] = None,
    leave_out: Annotated[
        str | None, typer.Option(help="Columns that are no metrics, as G,H.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="table, json or toml.")] = Form.table,
) -> None:
    """What every column of FILES is taken for, and why; nothing is ranked yet."""
    from deabench.tables.read import read

    roles = dict.fromkeys(names(outputs) or [], "output")
    roles |= dict.fromkeys(names(inputs) or [], "cost")
    roles |= dict.fromkeys(names(lower_is_better) or [], "lower_rate")
    roles |= dict.fromkeys(names(leave_out) or [], "left_out")
    if dataset is not None:
        roles[dataset] = "dataset"
    reading = read(files[0] if len(files) == 1 else files, label=names(label), roles=roles)  # type: ignore[arg-type]
    proposal = proposal_of(reading, files)
    for note in reading.notes:
        say(note)
    if form is Form.json:
        sys.stdout.write(json.dumps(proposal, indent=1, ensure_ascii=False) + "\n")
    elif form is Form.toml:
        sys.stdout.write(toml(proposal))
    else:
        frame = reading.to_frame()[["role", "better", "unit", "reason"]]
        emit(
            frame, form=Format.table, title=f"{len(reading.table)} systems, {reading.layout} layout"
        )
        say(f"the same in full: {proposal['command']}")


def proposal_of(reading: Table, files: list[str]) -> dict[str, object]:
    """The proposal as one object; its keys are a contract."""
    roles = reading.roles
    return {
        "label": list(roles.label),
        "layout": reading.layout,
        "outputs": roles.outputs,
        "lower_rates": roles.lower_rates,
        "costs": roles.costs,
        "left_out": roles.left_out,
        "dataset": roles.dataset,
        "percent": roles.percent,
        "missing": dict(reading.missing),
        "command": _command(reading, files),
    }


def _command(reading: Table, files: list[str]) -> str:
    """The full `deabench rank` that says what the proposal says."""
    low = [f"{name}={high:g}" for name, high in reading.lower_is_better.items()]
    options = [
        ("--label", reading.roles.label if "," not in "".join(reading.roles.label) else ()),
        ("--outputs", reading.outputs),
        ("--inputs", reading.inputs),
        ("--lower-is-better", low),
        (
            "--dataset",
            [reading.roles.dataset] if reading.layout == "long" and reading.roles.dataset else [],
        ),
    ]
    if reading.missing and reading.table[reading.outputs + reading.inputs].isna().any(axis=None):
        options.append(("--missing", ["bounds"] if not reading.inputs else ["drop-systems"]))
    parts = ["deabench", "rank", *files]
    for option, given in options:
        if given:
            parts += [option, joined(list(given))]
    return shlex.join(parts)


def joined(given: list[str]) -> str:
    """Names as one argument; a comma in a name is doubled."""
    return ",".join(name.replace(",", ",,") for name in given)


def toml(proposal: dict[str, object]) -> str:
    """The proposal as TOML; JSON's strings and lists are TOML's too."""
    lines = []
    for key, value in proposal.items():
        if isinstance(value, dict):
            continue
        if value is not None:
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    for key, value in proposal.items():
        if isinstance(value, dict):
            lines += [
                "",
                f"[{key}]",
                *(
                    f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(v, ensure_ascii=False)}"
                    for name, v in value.items()
                ),
            ]
    return "\n".join(lines) + "\n"
