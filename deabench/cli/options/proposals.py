"""Complete the commands that a question or a refusal proposes, so that they run to a ranking.

A table may lack several things at once: what its rows are, a direction, empty cells, values below
0. Each proposed command is tried without solving anything, and takes up what else is asked for.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TypeAlias, cast

from deabench.errors import DataError
from deabench.tables.naming.questions import Answer, Option, Question, UndecidedError

Trial: TypeAlias = Callable[[Mapping[str, Any]], None]
"""What is done with the parsed options of a verb in place of the verb."""
FindRefusal: TypeAlias = Callable[[Answer], DataError | None]
"""Return what refuses a command with an answer added; None where nothing does."""
MAX_STEPS = 5
"""So many refusals, one after the other, are answered by one command."""
MAX_TRIED_BYTES = 2**20
"""Larger files are not read again to try a command."""
NAMING_OPTIONS: tuple[Option, ...] = ("outputs", "inputs", "lower_is_better")
"""Options that name metrics."""
_trial: ContextVar[Trial | None] = ContextVar("trial", default=None)


@contextmanager
def trying(trial: Trial) -> Iterator[None]:
    """Let verbs hand their parsed options to a function instead of running."""
    token = _trial.set(trial)
    try:
        yield
    finally:
        _trial.reset(token)


def current_trial() -> Trial | None:
    """Return what takes the options of a verb; None where verbs run."""
    return _trial.get()


def select_and_check(options: Mapping[str, Any]) -> None:
    """Select the metrics of a verb, and check their values where it has a model.

    A reference and data sets are not looked at.

    Parameters
    ----------
    options : mapping of parameter to object
        The groups of options of the verb.

    Raises
    ------
    DataError
        As the verb raises it.
    """
    from deabench.cli.options.model import ModelWords  # which imports this module

    table = options.get("table", options.get("tested"))
    if table is None or table.streamed_files is not None or not _may_be_tried(table.files):
        return
    interpreted = table.read()
    answers = options.get("samples", options.get("answers"))
    if answers is not None:
        interpreted = answers.apply(interpreted)
    selected = table.select(interpreted)
    model = options.get("model")
    if isinstance(model, ModelWords):
        # Importing the models takes longer than reading a small table.
        from deabench.analysis.ranking import check_selected

        check_selected(selected, model.request(), bounded=table.missing == "bounds")


def complete_answer(answer: Answer, find_refusal: FindRefusal) -> Answer:
    """Return an answer with the options that its command would be refused for the lack of.

    A command that would be asked about again stays as it is.
    """
    completed, _ = _complete(answer, find_refusal)
    return completed


def complete_question(question: Question, find_refusal: FindRefusal) -> Question:
    """Return a question whose answers are complete; the likeliest answers further questions, too.

    Its text then holds these questions.
    """
    text = question.text
    default = question.default or next(iter(question.answers))
    answers: dict[str, Answer] = {}
    for word, answer in question.answers.items():
        completed, further_question = _complete(answer, find_refusal)
        if word == default and further_question is not None:
            likeliest = further_question.default or next(iter(further_question.answers))
            joined = _join(completed, further_question.answers[likeliest])
            completed, _ = _complete(joined, find_refusal)
            text = f"{text} And {further_question.text}"
        answers[word] = completed
    return replace(question, text=text, answers=answers)


def _complete(answer: Answer, find_refusal: FindRefusal) -> tuple[Answer, Question | None]:
    """Return a complete answer, and the question that its command would be asked all the same."""
    for _ in range(MAX_STEPS):
        error = find_refusal(answer)
        if isinstance(error, UndecidedError):
            return answer, error.question
        completed = answer if error is None else _join(answer, cast(Answer, error.options))
        if completed == answer:
            break
        answer = completed
    return answer, None


def _join(answer: Answer, addition: Answer) -> Answer:
    """Return an answer with what another one adds; what is ignored is named in no other option."""
    joined: dict[Option, tuple[str, ...]] = {**answer, **addition}
    ignored = tuple(dict.fromkeys([*answer.get("ignore", ()), *addition.get("ignore", ())]))
    if ignored:
        joined["ignore"] = ignored
        for option in NAMING_OPTIONS:
            names = joined.get(option, ())
            joined[option] = tuple(name for name in names if name not in ignored)
    return {option: names for option, names in joined.items() if names}


def _may_be_tried(files: Sequence[str]) -> bool:
    """Return whether files can be read again, and quickly: standard input cannot."""
    paths = [path for word in files for path in glob.glob(word) or [word]]
    sizes = [os.path.getsize(path) for path in paths if os.path.isfile(path)]
    return len(sizes) == len(paths) and sum(sizes) <= MAX_TRIED_BYTES
