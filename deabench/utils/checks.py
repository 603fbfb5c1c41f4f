"""Checks of arguments that many packages share: one wording each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from deabench.errors import DataError


def did_you_mean(name: object, names: Sequence[object]) -> str:
    """Return `did you mean 'TPR'?` if a name is close to the given one, else list the names."""
    matches = get_close_matches(str(name), [str(candidate) for candidate in names], n=1)
    if matches:
        return f"did you mean '{matches[0]}'?"
    return "there are " + ", ".join(f"'{candidate}'" for candidate in names)


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


def share(argument: str, value: float, *, below: float = 1.0) -> float:
    """Return a number strictly between 0 and `below`: a level, a prevalence, a confidence."""
    if not isinstance(value, int | float) or not 0 < value < below:
        raise DataError(
            f"{argument} is {value}; give a number between 0 and {below:g}, both excluded, "
            f"as {below / 20:g}"
        )
    return float(value)
