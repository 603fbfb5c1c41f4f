"""`deabench rank` of many files: the scores go to a Parquet file, what is said of them to the
person.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deabench.cli._io import say
from deabench.errors import UsageError


def rank_many(files: str, out: Path | None, given: dict[str, Any]) -> None:
    """Rank the rows of files into `out`.

    Raises
    ------
    UsageError
        Where it is not said where to, or the name promises another format.
    """
    from deabench.streaming.rank_files import rank_files

    if out is None or out.suffix != ".parquet":
        raise UsageError("the scores of many files are written as Parquet; say -o scores.parquet")
    ranking = rank_files(files, out, **given)
    for note in ranking.notes:
        say(note)
    say(ranking.summary())


def alone(who: str, others: dict[str, object]) -> None:
    """Refuse options that `who` has not.

    Raises
    ------
    UsageError
    """
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise UsageError(f"{who} no {given[0]}; leave one of the two out")
