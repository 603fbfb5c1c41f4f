"""Declare the options that several verbs share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from deabench.cli._io import Format, parse_output_path
from deabench.cli.options.parsing import parse_numbers
from deabench.errors import DataError, UsageError
from deabench.tables.readers.limits import reading_options
from deabench.tables.selected_table import MISSING
from deabench.utils.checks import choice

Parsed = TypeVar("Parsed")


def as_usage_error(parse: Callable[[str], Parsed]) -> Callable[[str], Parsed]:
    """Return a parser of one word whose refusal is wrong usage."""

    def parse_word(text: str) -> Parsed:
        try:
            return parse(text)
        except DataError as error:
            raise UsageError(str(error)) from None

    return parse_word


def word_option(
    name: str,
    words: Callable[[], Sequence[str]],
    hints: Callable[[], Mapping[str, str]] = dict,
) -> dict[str, Any]:
    """Return typer's arguments of an option that takes one of some words.

    Parameters
    ----------
    name : str
        The option's name in an error message.
    words : function without arguments
        Returns the words; it is called when the option is read, so that --help stays quick.
    hints : function without arguments
        Returns {word of another tool: word here}.
    """

    def check_word(text: str) -> str:
        choice(name, text, list(words()), hints())
        return text

    return {
        "parser": as_usage_error(check_word),
        "metavar": "WORD",
        "autocompletion": lambda: list(words()),
    }


def missing_words() -> Sequence[str]:
    return MISSING


def model_names() -> list[str]:
    from deabench.models import MODELS

    return list(MODELS)


def model_hints() -> Mapping[str, str]:
    from deabench.models import MODEL_HINTS

    return MODEL_HINTS


def option_words(option: str) -> Callable[[], list[str]]:
    """Return a function that lists the words which any model knows for an option."""

    def list_words() -> list[str]:
        from deabench.models.options import all_choices

        return all_choices(option)

    return list_words


def option_hints() -> Mapping[str, str]:
    from deabench.results.model import WORD_HINTS

    return {word: f"'{meaning}'" for word, meaning in WORD_HINTS.items()}


Sheet = Annotated[
    str | None,
    typer.Option(help="The sheet of a workbook or table of a document: its name or number."),
]
Limit = Annotated[
    list[str] | None,
    typer.Option(help="How large a file may be, as columns=5000; also bytes, rows, cells, depth."),
]
Technology = Annotated[
    str,
    typer.Option(
        help="convex (with mixtures) or fdh (observed points only).",
        **word_option("technology", lambda: ("convex", "fdh")),
    ),
]
Norm = Annotated[
    str,
    typer.Option(
        help="The distance to a target: l1, l2 or linf.",
        **word_option("norm", lambda: ("l1", "l2", "linf")),
    ),
]
TargetsOn = Annotated[
    str,
    typer.Option(
        "--on",
        help="Targets on faces (mixtures of real classifiers) or facets (extended).",
        **word_option("on", lambda: ("faces", "facets")),
    ),
]
Scores = Annotated[
    bool, typer.Option("--scores", help="The columns of a wide file are scores, not labels.")
]
Threshold = Annotated[
    float | None,
    typer.Option(help="Label positive if score >= this; the columns are then scores."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        parser=parse_output_path,
        metavar="FILE",
        help="Write to this file instead of stdout: CSV, .json or .md; - is stdout.",
    ),
]
Form = Annotated[
    Format, typer.Option("--format", case_sensitive=False, help="The format of the table.")
]
Plot = Annotated[Path | None, typer.Option(help="Write a picture here: .png, .svg or .pdf.")]


def with_reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with --sheet and --limit, which hold for every file that it reads."""

    @functools.wraps(command)
    def run(*, sheet: str | None = None, limit: list[str] | None = None, **arguments: Any) -> Any:
        limits = parse_numbers(limit, "--limit") or {}
        with reading_options(sheet, {name: int(value) for name, value in limits.items()}):
            return command(**arguments)

    # Annotations are text until they are evaluated.
    signature = inspect.signature(command, eval_str=True)
    options = {"sheet": Sheet, "limit": Limit}
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, keyword, default=None, annotation=hint)
        for name, hint in options.items()
    ]
    parameters = [parameter.replace(kind=keyword) for parameter in signature.parameters.values()]
    # typer reads the options from the signature and the annotations.
    run.__signature__ = signature.replace(parameters=[*parameters, *added])  # type: ignore[attr-defined]  # typer reads it
    run.__annotations__ = {**command.__annotations__, **options}
    return run
