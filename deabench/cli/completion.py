"""`deabench completion`: the lines that make a shell complete commands, options, their words and
file names.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated, Literal

import typer

COMPLETES = "_DEABENCH_COMPLETE"
"""The variable by which a shell asks for what could come next; `deabench.cli.main` looks for it."""
WORDS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""Where a shell puts what was typed: bash, and the others."""
Shell = Literal["bash", "zsh", "fish", "powershell"]


def command(shell: Annotated[Shell, typer.Argument(help="bash, zsh, fish or powershell.")]) -> None:
    """The lines that make SHELL complete what deabench takes; docs/commands.md says where they go."""
    # documented, and not in __all__
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    sys.stdout.write(
        get_completion_script(prog_name="deabench", complete_var=COMPLETES, shell=shell) + "\n"
    )


def answer() -> int:
    """What could come next, for the shell that asks; only the command being typed is imported."""
    from deabench.cli import VERBS

    app = typer.Typer(rich_markup_mode=None)
    typed = next((os.environ[name] for name in WORDS if name in os.environ), "").split()[1:2]
    for verb, line in VERBS.items():
        module = importlib.import_module(f"deabench.cli.{verb}") if [verb] == typed else None
        if hasattr(module, "app"):
            app.add_typer(module.app, name=verb)  # type: ignore[union-attr]
        else:
            app.command(verb, help=line)(getattr(module, "command", _nothing))
    try:
        app(prog_name="deabench")
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def _nothing() -> None:
    """Stands for a command that is not being typed."""
