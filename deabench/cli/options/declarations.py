"""Declare the options that several verbs share, and make options of the fields of dataclasses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from deabench.cli._io import Format, parse_output_path
from deabench.errors import DataError, UsageError
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
        help="Targets on faces (mixtures of real systems) or facets (extended).",
        **word_option("on", lambda: ("faces", "facets")),
    ),
]
Scores = Annotated[
    bool, typer.Option("--scores", help="The columns of a wide file are scores, not labels.")
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


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter whose type is a dataclass by the dataclass's fields.

    typer reads the signature of the returned function, so that a group of options is declared once.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _field_parameters(hints[name])
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(kind=kind, annotation=hints[name]))

    @functools.wraps(command)
    def call(**values: Any) -> None:
        for name, group in groups.items():
            names = [field.name for field in fields(group) if field.name in values]
            values[name] = group(**{field: values.pop(field) for field in names})
        command(**values)

    # Typer reads the options from it.
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # of functions
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _field_parameters(group: Any) -> Iterator[inspect.Parameter]:
    """Return the fields of a dataclass as parameters of a function."""
    hints = get_type_hints(group, include_extras=True)
    return (
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name, p in inspect.signature(group).parameters.items()
    )
