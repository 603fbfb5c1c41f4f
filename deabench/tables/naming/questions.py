"""Ask once what a table does not tell, with one answer to paste."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from deabench.errors import DataError
from deabench.tables.naming.patterns import shorten_names
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

Option = Literal["outputs", "inputs", "lower_is_better", "ignore", "label", "dataset", "missing"]
Answer = Mapping[Option, tuple[str, ...]]
"""Option to the names or patterns that it takes, as `{"outputs": ("coding:arc_agi",)}`."""

ANSWERS = {
    "mixed": "if their directions differ as follows",
    "production": "if X stands for inputs and Y for outputs",
    "higher": "if higher is better",
    "lower": "if lower is better",
    "ignore": "to leave them out",
    "dataset": "if these are data sets",
    "label": "if the rows are to be compared",
}
"""Keys of the answers to a question, in words."""
_SIDE = lazy_pattern(r"(?:(?:log|ln)[ ._]?)?(?P<side>[xy])[ ._]?\d*", re.IGNORECASE)
"""A column of a production table without names of its own: x1, X.2, y, log_y."""


@dataclass(frozen=True)
class Question:
    """What a table does not tell, and what each answer would be.

    Attributes
    ----------
    text : str
        The question, as "Is higher or lower better in 'coding', 'vision' and 'aaii'?".
    columns : tuple of column names
        The block that it is about; none where it is about the rows.
    answers : mapping of the keys of `ANSWERS` to Answer
        The options of `read` (lower_is_better, ignore, label, roles) and of `rank` (outputs,
        inputs, missing) that state the whole interpretation under each answer, the columns of
        known names included, so that one call or one command is enough.
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

    def __init__(self, question: Question) -> None:
        answers = [
            f"{ANSWERS[word]}, pass {format_answer(question.answers[word])}"
            for word in sorted(question.answers, key=lambda word: word != question.default)
        ]
        sentence = "; ".join(answers)
        super().__init__(f"{question.text} {sentence[:1].upper()}{sentence[1:]}")
        self.question = question


def format_answer(answer: Answer) -> str:
    """Return the options of an answer as arguments of Python, `outputs=["coding:arc_agi"]`."""
    options = [
        f"{option}={json.dumps(list(names), ensure_ascii=False)}"
        for option, names in answer.items()
        if names and option not in ("dataset", "missing")
    ]
    datasets = dict.fromkeys(answer.get("dataset", ()), "dataset")
    if datasets:
        options.append(f"roles={json.dumps(datasets, ensure_ascii=False)}")
    options += [f'missing="{choice}"' for choice in answer.get("missing", ())]
    return ", ".join(options).replace('"', "'")


def describe_unnamed(columns: Sequence[str]) -> str:
    """Return which column of the file a name stands for that its header leaves out.

    Examples
    --------
    >>> describe_unnamed(["accuracy", "Unnamed: 2"])
    "; 'Unnamed: 2' is column 3, whose header is empty"
    """
    for name in columns:
        match = re.fullmatch(r"Unnamed: (\d+)", name)
        if match is not None:
            return f"; '{name}' is column {int(match[1]) + 1}, whose header is empty"
    return ""


def _find_sides(columns: Sequence[str]) -> dict[str, str]:
    """Return "x" or "y" for columns that are called x1, x2, ... and y1, ...; none without both."""
    matches = {name: _SIDE.fullmatch(name.strip()) for name in columns}
    sides = {name: match["side"].lower() for name, match in matches.items() if match}
    return sides if {*sides.values()} == {"x", "y"} else {}


def make_question(
    columns: Sequence[str],
    outputs: Sequence[str],
    complemented: Sequence[str],
    inputs: Sequence[str],
    numeric: Sequence[str],
    directions: Mapping[str, str],
) -> Question:
    """Return the question about some columns, with the answers beside what is known.

    Parameters
    ----------
    columns : sequence of column names
        The block.
    outputs, complemented, inputs : sequences of column names
        The known metrics; complemented are rates that are better low.
    numeric : sequence of column names
        All columns of numbers, in the table's order, which ranges refer to.
    directions : mapping of column to "higher", "lower" or "ignore"
        What each column of the block likely is.
    """
    cost_options: Answer = {
        "inputs": tuple(shorten_names(inputs, numeric)),
        "lower_is_better": tuple(complemented),
    }
    answers: dict[str, Answer] = {
        "higher": {"outputs": tuple(shorten_names([*outputs, *columns], numeric)), **cost_options},
        "lower": {
            "outputs": tuple(shorten_names(outputs, numeric)),
            "inputs": cost_options["inputs"],
            "lower_is_better": (*complemented, *shorten_names(columns, numeric)),
        },
    }
    default = directions[columns[0]]
    if len(set(directions.values())) > 1:
        default = "mixed"
        better_high = [name for name in columns if directions[name] == "higher"]
        better_low = [name for name in columns if directions[name] == "lower"]
        unlikely = [name for name in columns if directions[name] == "ignore"]
        answers["mixed"] = {
            "outputs": tuple(shorten_names([*outputs, *better_high], numeric)),
            "inputs": cost_options["inputs"],
            "lower_is_better": (*complemented, *shorten_names(better_low, numeric)),
            "ignore": tuple(shorten_names(unlikely, numeric)),
        }
    sides = _find_sides(columns)
    if sides:
        produced = [name for name in sides if sides[name] == "y"]
        used = [name for name in sides if sides[name] == "x"]
        answers["production"] = {
            "outputs": tuple(shorten_names([*outputs, *produced], numeric)),
            "inputs": tuple(shorten_names([*inputs, *used], numeric)),
            "lower_is_better": tuple(complemented),
            "ignore": tuple(shorten_names([n for n in columns if n not in sides], numeric)),
        }
        default = "production"
    if outputs or complemented or inputs:
        answers["ignore"] = {"ignore": tuple(shorten_names(columns, numeric))}
    pronoun = quote_names(columns, 4)
    count = f" ({len(columns)} columns)" if len(columns) > 1 else ""
    return Question(
        f"nothing tells whether higher or lower is better in {pronoun}{count}"
        f"{describe_unnamed(columns)}.",
        tuple(columns),
        answers,
        default,
    )
