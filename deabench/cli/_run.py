"""Run one verb with typer; errors become one sentence and an exit code. Complete for shells."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import warnings
from typing import Annotated, Any, Literal

import typer

from deabench.cli import COMPLETION_VARIABLE, VERBS
from deabench.cli._io import with_option_names
from deabench.cli._options import with_reading_options
from deabench.errors import DeabenchError, UsageError

DEVICE_ERRORS = (errno.ENOSPC, errno.EIO, errno.EFBIG)
"""What the system reports when it cannot write to stdout."""
TYPED_WORDS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The environment variables in which bash and the other shells put what was typed."""
READING_VERBS = (
    "read",
    "rank",
    "frontier",
    "targets",
    "metrics",
    "compare",
    "uncertainty",
    "gate",
    "report",
)
"""Verbs that read tables of any format."""
Shell = Literal["bash", "zsh", "fish", "powershell"]


def run_verb(name: str, arguments: list[str]) -> int:
    """Import the module of a verb, parse the arguments and call it.

    Returns
    -------
    int
        The exit code; see `deabench.cli.main`.
    """
    app = _typer_app(name)
    # Warnings become one line on stderr, as errors do.
    warnings.showwarning = _print_warning  # type: ignore[assignment]
    try:
        try:
            app(arguments, prog_name=f"deabench {name}")
        finally:
            # A full disk must be reported here, not when Python ends.
            sys.stdout.flush()
    except DeabenchError as error:
        sys.stderr.write(f"deabench: {with_option_names(str(error))}\n")
        return 2 if isinstance(error, UsageError) else 1
    except BrokenPipeError:
        # The program that read our output has ended; this is no error of ours.
        _discard_stdout()
        return 1
    except OSError as error:
        if error.errno not in DEVICE_ERRORS:
            raise
        _discard_stdout()
        sys.stderr.write(
            f"deabench: cannot write to stdout: {error.strerror}; nothing more was written\n"
        )
        return 1
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


def _typer_app(name: str) -> typer.Typer:
    """Return the verb as a typer app whose help ends with the page that explains it."""
    command = _load_command(name)
    if isinstance(command, typer.Typer):
        app = command
    else:
        app = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )
        app.command()(command)
    app.info.epilog = f"More: docs/{VERBS[name].page}.md"
    # The app itself shows the epilog of a single command, the sub-commands show their own.
    for sub_command in app.registered_commands:
        sub_command.epilog = app.info.epilog
    return app


def _load_command(name: str) -> Any:
    module, function = VERBS[name].function.split(":")
    command = getattr(importlib.import_module(f"deabench.cli.{module}"), function)
    if name in READING_VERBS:
        return with_reading_options(command)
    return command


def _discard_stdout() -> None:
    """Send what is still buffered to the null device, so that Python can end without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_warning(message: Warning | str, *_: object) -> None:
    sys.stderr.write(f"deabench: warning: {with_option_names(str(message))}\n")


def completion_command(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh, fish or powershell.")],
) -> None:
    """Print the lines that make SHELL complete commands, options, their words and file names.

    docs/commands.md says where to put them.
    """
    # This function is documented by typer, but is not in its __all__.
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    script = get_completion_script(
        prog_name="deabench", complete_var=COMPLETION_VARIABLE, shell=shell
    )
    sys.stdout.write(script + "\n")


def complete() -> int:
    """Print what could come next for the shell that asks; import only the verb that is typed."""
    app = typer.Typer(rich_markup_mode=None)
    line = next((os.environ[name] for name in TYPED_WORDS if name in os.environ), "")
    # The second word is the verb; an incomplete one matches none.
    typed_verb = line.split()[1:2]
    for name, verb in VERBS.items():
        # Other verbs need a name and a help line only, and no import.
        command = _load_command(name) if [name] == typed_verb else _do_nothing
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, help=verb.purpose)(command)
    try:
        app(prog_name="deabench")
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def _do_nothing() -> None:
    """Stand for a verb that is not being typed."""
