"""Refuse to write over a file that the same command reads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from deabench.errors import UsageError
from deabench.utils.files import find_overwritten

WRITTEN = {"out": "-o", "plot": "--plot", "graphml": "--graphml"}
"""Parameters of verbs that name a file to write, and their options."""
READ = (
    "files",
    "file",
    "results",
    "study",
    "reference",
    "uncertainty",
    "costs",
    "tested",
    "clusters",
    "ledger",
)
"""Parameters of verbs that may name files to read."""


def check_outputs(parameters: Mapping[str, Any]) -> None:
    """Refuse an output of a command that is one of its inputs, also through links and patterns.

    Parameters
    ----------
    parameters : mapping of str to object
        The parsed arguments and options of a verb.

    Raises
    ------
    UsageError
    """
    for name, option in WRITTEN.items():
        path = parameters.get(name)
        # `-` is stdout.
        if path is None or str(path) == "-":
            continue
        source = find_overwritten(path, _read_names(parameters))
        if source is not None:
            raise UsageError(
                f"{option} '{path}' would overwrite {_describe_source(source, str(path))}, which "
                "is read; name another file"
            )


def _read_names(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Return the words of a command that may name files to read."""
    for name in READ:
        value = parameters.get(name)
        if isinstance(value, list | tuple):
            yield from map(str, value)
        elif value is not None:
            yield str(value)


def _describe_source(source: str, path: str) -> str:
    """Return how a message calls a source: by its name where the output has another."""
    if source in (path, "-"):
        return "the file"
    if os.path.isfile(source):
        return f"'{source}'"
    return f"a file of '{source}'"
