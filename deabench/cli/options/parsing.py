"""Parse the words of the command line: lists of names, numbers, values by name.

A value that cannot be parsed is wrong usage: exit code 2.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from deabench.errors import DataError, DeabenchError, UsageError
from deabench.tables.naming.questions import ANSWERS, Answer, Question

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
