"""Choose what to do with empty cells, and propose it where a table is refused or asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from deabench.tables.naming.questions import Answer, Question
from deabench.tables.table import Table

Choice = Literal["drop-systems", "drop-metrics", ""]
LEAST_SYSTEMS = 2
"""A ranking compares at least so many."""
FEW_GAPS = 0.8
"""Where this share of the metrics is complete, the others are better left out than systems."""


def choose_missing(outputs: pd.DataFrame, inputs: pd.DataFrame) -> Choice:
    """Choose between the systems and the metrics with empty cells: leave out what costs less.

    Metrics say what is compared, so systems go first, unless more than half of them would and few
    metrics have gaps, or more than two thirds would.

    Parameters
    ----------
    outputs, inputs : DataFrame, systems x metrics
    """
    cells = pd.concat([outputs, inputs], axis=1).to_numpy(dtype=float)
    is_usable = np.isfinite(cells)
    complete_rows = int(is_usable.all(axis=1).sum())
    complete_columns = int(is_usable.all(axis=0).sum())
    # Inputs alone are ranked where there are no outputs.
    needed = outputs if outputs.shape[1] else inputs
    is_left = bool(np.isfinite(needed.to_numpy(dtype=float)).all(axis=0).any())
    count, width = cells.shape
    has_few_gaps = is_left and complete_columns >= FEW_GAPS * width
    least_share = 1 / 2 if has_few_gaps else 1 / 3
    if complete_rows >= max(LEAST_SYSTEMS, least_share * count):
        return "drop-systems"
    # Otherwise what leaves more cells is left.
    if is_left and complete_columns * count >= complete_rows * width:
        return "drop-metrics"
    return "drop-systems" if complete_rows >= LEAST_SYSTEMS else ""


def choose_filled(frame: pd.DataFrame) -> tuple[list[str], int]:
    """Choose the metrics to leave out before systems with empty cells, where all have some.

    Parameters
    ----------
    frame : DataFrame, systems x metrics

    Returns
    -------
    ignored : list of column names
        The emptiest metrics, without which the complete systems have the most cells.
    count : int
        How many systems are then complete.
    """
    is_usable = np.isfinite(frame.to_numpy(dtype=float))
    # The fullest metrics first; of equally full ones the first of the table.
    order = np.argsort(-is_usable.sum(axis=0), kind="stable")
    is_complete = np.logical_and.accumulate(is_usable[:, order], axis=1)
    counts = is_complete.sum(axis=0)
    cells = np.where(counts >= LEAST_SYSTEMS, counts * np.arange(1, len(order) + 1), 0)
    if not cells.any():
        return [], 0
    best = int(np.argmax(cells))
    ignored = [str(frame.columns[column]) for column in sorted(order[best + 1 :])]
    return ignored, int(counts[best])


def with_missing_choice(table: Table, question: Question) -> Question:
    """Return a question whose answers also say what to do with the cells that would be empty."""
    answers = {}
    for word, answer in question.answers.items():
        outputs, inputs = _metrics_under(table, answer)
        choice: Choice = ""
        if len(outputs) or len(inputs):
            columns = table.frame[[*outputs, *inputs]].to_numpy(dtype=float)
            if not np.isfinite(columns).all():
                choice = choose_missing(table.frame[outputs], table.frame[inputs])
        answers[word] = {**answer, "missing": (choice,)} if choice else answer
    return replace(question, answers=answers)


def _metrics_under(table: Table, answer: Answer) -> tuple[list[str], list[str]]:
    """Return the outputs and the inputs that would be ranked under an answer."""
    known_outputs = [c.name for c in table.metrics if not c.input]
    known_inputs = [c.name for c in table.metrics if c.input]
    if not {"outputs", "inputs", "lower_is_better"} & {*answer}:
        ignored = _expand(table, answer.get("ignore", ()))
        return (
            [name for name in known_outputs if name not in ignored],
            [name for name in known_inputs if name not in ignored],
        )
    lower = _expand(table, answer.get("lower_is_better", ()))
    outputs = _expand(table, answer.get("outputs", ()))
    inputs = _expand(table, answer.get("inputs", ()))
    # A metric that is better low is complemented or an input: its cells count in either case.
    return outputs, [name for name in dict.fromkeys([*inputs, *lower]) if name not in outputs]


def _expand(table: Table, names: Sequence[str]) -> list[str]:
    """Return the columns of numbers that names and ranges stand for."""
    expanded = table.expand(names, "outputs")
    return [name for name in expanded if name in table.frame]
