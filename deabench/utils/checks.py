"""The checks of arguments that several rooms make: one wording each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from deabench.errors import DataError


def did_you_mean(name: object, known: Sequence[object]) -> str:
    """`did you mean 'TPR'?` where one of the known names is near, otherwise the list of them."""
    near = get_close_matches(str(name), [str(k) for k in known], n=1)
    return (
        f"did you mean '{near[0]}'?" if near else "there are " + ", ".join(f"'{k}'" for k in known)
    )


def choice(
    what: str, value: object, known: Sequence[str], hints: Mapping[str, str] | None = None
) -> None:
    """Refuse a value that is not one of the known words.

    Parameters
    ----------
    what : str
        The argument's name, as the user wrote it.
    hints : mapping of str to str, optional
        What users of other tools write, in lower case, and what it is called here.
    """
    if value in known:
        return
    hint = (hints or {}).get(str(value).lower())
    said = f"write {hint}" if hint else "it is one of " + ", ".join(f"'{k}'" for k in known)
    raise DataError(f"{what} '{value}' is not known; {said}")


def share(what: str, value: float, *, below: float = 1.0) -> float:
    """A number strictly between 0 and `below`: a level (alpha), a prevalence, a confidence."""
    if not isinstance(value, int | float) or not 0 < value < below:
        raise DataError(
            f"{what} is {value}; give a number between 0 and {below:g}, both excluded, as {below / 20:g}"
        )
    return float(value)
