"""Find blocks of like columns, and what has to be asked about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from deabench.errors import DataError

Option = Literal["outputs", "inputs", "lower_is_better", "ignore"]
Answer = Mapping[Option, tuple[str, ...]]
"""Option to the names or patterns that it takes, as `{"outputs": ("coding:arc_agi",)}`."""


@dataclass(frozen=True)
class Question:
    """What a table does not tell, and what each answer would be.

    Attributes
    ----------
    text : str
        The question, as "Is higher better in 'coding' to 'arc_agi' (4 columns)?".
    columns : tuple of column names
        The block that it is about.
    answers : mapping of "higher", "lower", "ignore" to Answer
        The options of `read` and `rank` that state the whole interpretation under each answer, the
        columns of known names included, so that one call or one command is enough.
    default : str
        The likeliest answer, a key of `answers`; empty where nothing speaks for any.
    """

    text: str
    columns: tuple[str, ...]
    answers: Mapping[str, Answer]
    default: str = ""


class UndecidedError(DataError):
    """Nothing tells which way is better in some columns; `question` says what to answer.

    Attributes
    ----------
    question : Question
    """

    def __init__(self, message: str, question: Question) -> None:
        super().__init__(message)
        self.question = question
