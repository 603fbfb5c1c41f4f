"""Declare the options that several verbs share, and parse their values.

A value that cannot be parsed is wrong usage: exit code 2.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from deabench.cli._io import Format, parse_output_path
from deabench.errors import DataError, DeabenchError, UsageError
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


_NAME = re.compile(r'(?:[^,("\[]|\([^()]*\)|\[[^\[\]]*\]|"[^"]*"|[("\[])+')
"""A name in a list: commas within brackets or quotes belong to it."""


def split_names(text: str | None) -> list[str] | None:
    """Split `A,B (k=1, h=2)` into ["A", "B (k=1, h=2)"]; None stays None.

    A comma within brackets or quotes belongs to a name, and so does a doubled one.
    """
    if text is None:
        return None
    # A NUL byte occurs in no word of a command line: it stands for the comma of a name meanwhile.
    parts = _NAME.findall(text.replace(",,", "\0"))
    names = [part.replace("\0", ",").strip() for part in parts]
    # Quotes around a whole name are no part of it.
    names = [name[1:-1] if re.fullmatch(r'"[^"]*"', name) else name for name in names]
    return [name for name in names if name]


def split_all_names(texts: Sequence[str] | None) -> list[str] | None:
    """Split the names of an option that may be repeated; None stays None."""
    if texts is None:
        return None
    return [name for text in texts for name in split_names(text) or []]


def parse_numbers(texts: Sequence[str] | None, option: str) -> dict[str, float] | None:
    """Parse `TPR=2,TNR=1` as {name: number}; None stays None."""
    names = split_all_names(texts)
    if names is None:
        return None
    # The last "=" separates: a name may hold one, a number never.
    pairs = [part.rpartition("=") for part in names]
    return {name: parse_number(value, f"{option} {name}") for name, _, value in pairs}


def parse_lower_is_better(texts: Sequence[str] | None) -> dict[str, Any] | list[str]:
    """Parse metrics that are better low.

    Returns
    -------
    list or dict
        `error,logloss` as a list of names; `error=1,logloss=input` as a mapping in which a number
        is the metric's known maximum.
    """
    names = split_all_names(texts) or []
    # Without any value the option is a list of names.
    if not any("=" in part for part in names):
        return names
    directions: dict[str, Any] = {}
    for part in names:
        # The last "=" separates, as a name may hold one.
        name, equals, value = part.rpartition("=")
        if not equals:
            raise UsageError(
                f"--lower-is-better '{part}' has no value, but other metrics have one; type "
                f"{part}=input or {part}=MAXIMUM"
            )
        directions[name] = value
        if value != "input":
            directions[name] = parse_number(value, f"--lower-is-better {name}")
    return directions


def parse_cell_values(text: str | None, option: str, example: str) -> dict[str, float] | None:
    """Parse `fn=100,fp=1` as {cell: number}; None stays None."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in split_names(text) or []]
    try:
        return {cell.strip(): float(value) for cell, _, value in pairs}
    except ValueError:
        raise DataError(f"the {option} are '{text}'; give them as {example}") from None


def parse_number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option} is '{text}'; give a number") from None


def reject_options(
    reason: str, options: Mapping[str, object], error: type[DeabenchError] = UsageError
) -> None:
    """Refuse options that do not go with the rest of the command.

    Parameters
    ----------
    reason : str
        What is wrong with any of them; the message is "OPTION REASON; leave it out".
    options : mapping
        {option: value}, None if it was not typed.
    error : class of the error
    """
    for option, value in options.items():
        if value is not None:
            raise error(f"{option} {reason}; leave it out")


def missing_words() -> Sequence[str]:
    from deabench.tables.selected_table import MISSING

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
        from deabench.tables.readers.limits import reading_options

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
    run.__signature__ = signature.replace(parameters=[*parameters, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **options}
    return run
