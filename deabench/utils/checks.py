"""Checks of arguments that many packages share: one wording each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from deabench.errors import DataError


def did_you_mean(name: object, names: Sequence[object]) -> str:
    """Return `did you mean 'TPR'?` if a name is close to the given one, else list the names.

    Names are close in their letters, whatever their case; else the shortest that begins with the
    given one is, as `Price ($/1M tok)` for `price`.
    """
    match = find_close(name, names)
    if match is not None:
        return f"did you mean '{match}'?"
    return "there are " + ", ".join(f"'{candidate}'" for candidate in names)


def find_close(name: object, names: Iterable[object]) -> str | None:
    """Return the name that is closest to the given one; None where none is close."""
    word = str(name).casefold()
    # Of names that differ in case only the first stays.
    by_folded = {str(candidate).casefold(): str(candidate) for candidate in reversed([*names])}
    matches = get_close_matches(word, by_folded, n=1)
    if not matches and word:
        matches = sorted((folded for folded in by_folded if folded.startswith(word)), key=len)
    return by_folded[matches[0]] if matches else None


def choice(
    argument: str, value: object, choices: Sequence[str], hints: Mapping[str, str] | None = None
) -> None:
    """Refuse a value that is not one of the choices.

    Parameters
    ----------
    argument : str
        The argument's name, as the user wrote it.
    value : object
    choices : sequence of str
    hints : mapping of str to str, optional
        Words of other tools, in lower case, and their names here.
    """
    if value in choices:
        return
    hint = (hints or {}).get(str(value).lower())
    if hint:
        remedy = f"write {hint}"
    else:
        remedy = "it is one of " + ", ".join(f"'{word}'" for word in choices)
    raise DataError(f"{argument} '{value}' is not known; {remedy}")


def is_number(value: object) -> bool:
    """Return whether a value is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def share(argument: str, value: float, *, below: float = 1.0) -> float:
    """Return a number strictly between 0 and `below`: a level, a prevalence, a confidence."""
    if not isinstance(value, int | float) or not 0 < value < below:
        # A level is near 1 where an error rate is near 0.
        example = 0.95 if argument == "level" else below / 20
        raise DataError(
            f"{argument} is {value}; give a number between 0 and {below:g}, both excluded, "
            f"as {example:g}"
        )
    return float(value)
