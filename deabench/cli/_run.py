"""Run one verb with typer, turning errors into one sentence and an exit code."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import warnings

import typer

from deabench.cli import PAGES
from deabench.cli._io import as_options
from deabench.errors import DeabenchError, UsageError


def run(verb: str, arguments: list[str]) -> int:
    """Import the verb's module, parse `arguments`, call it; see `deabench.cli.main` for the exit
    codes.
    """
    module = importlib.import_module(f"deabench.cli.{verb}")
    app = _led(
        getattr(module, "app", None) or _single(module.command), f"More: docs/{PAGES[verb]}.md"
    )
    warnings.showwarning = _one_line  # type: ignore[assignment]
    try:
        try:
            app(arguments, prog_name=f"deabench {verb}")
        finally:
            sys.stdout.flush()  # a full disk is told here, not when Python ends
    except DeabenchError as error:
        sys.stderr.write(f"deabench: {as_options(str(error))}\n")
        return 2 if isinstance(error, UsageError) else 1
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # the reader has gone: not our error
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EFBIG):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(
            f"deabench: cannot write to standard output: {error.strerror}; nothing more was written\n"
        )
        return 1
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


def _single(command: object) -> typer.Typer:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(command)  # type: ignore[type-var]
    return app


def _led(app: typer.Typer, where: str) -> typer.Typer:
    """The same commands, each help with the page that explains it as its last line."""
    app.info.epilog = where
    for one in app.registered_commands:
        one.epilog = where
    return app


def _one_line(message: Warning | str, *_: object) -> None:
    sys.stderr.write(f"deabench: warning: {as_options(str(message))}\n")
