"""Declare the options of the command line, and parse their values."""

from __future__ import annotations

import functools
import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from deabench.cli._io import Format, parse_output_path
from deabench.cli.options.proposals import current_trial
from deabench.errors import DataError, DeabenchError, UsageError
from deabench.tables.naming.questions import ANSWERS, Answer, Question
from deabench.tables.selected_table import MISSING
from deabench.utils.checks import choice
from deabench.utils.lazy import lazy_pattern

Parsed = TypeVar("Parsed")
_NAME = lazy_pattern(r'(?:[^,("\[]|\([^()]*\)|\[[^\[\]]*\]|"[^"]*"|[("\[])+')
"""A name in a list: commas within brackets or quotes belong to it."""


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
        trial = current_trial()
        if trial is None:
            command(**values)
        else:
            trial(values)

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


def list_option(names: Sequence[str]) -> str:
    """Join names as one word of the command line; a comma in a name is doubled."""
    return ",".join(name.replace(",", ",,") for name in names)


def answer_words(answer: Answer) -> list[str]:
    """Return an answer as options."""
    words = []
    for option, names in answer.items():
        if names:
            words += [f"--{option.replace('_', '-')}", list_option(names)]
    return words


def question_text(question: Question, words: Sequence[str]) -> str:
    """Return a question with the command of its likeliest answer, then those of the others.

    Parameters
    ----------
    words : sequence of str
        The verb and its arguments, to which the answer is added.
    """
    default = question.default or next(iter(question.answers))
    lines = [f"{question.text} {ANSWERS[default][0].upper()}{ANSWERS[default][1:]}, type"]
    for answer in sorted(question.answers, key=lambda word: word != default):
        if answer != default:
            lines.append(f"or, {ANSWERS[answer]},")
        command = ["deabench", *words, *answer_words(question.answers[answer])]
        lines.append("  " + shlex.join(command))
    return "\n".join(lines)
