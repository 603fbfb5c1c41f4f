"""Give the columns of a table their roles: by the user, else held against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Literal, TypeAlias, cast

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import Numbers
from deabench.tables.naming.patterns import shorten_names
from deabench.tables.naming.questions import Question, make_question
from deabench.tables.naming.vocabulary import is_weak_name, look_up_metric
from deabench.tables.recognition.blocks import judge_columns
from deabench.tables.recognition.columns import (
    OTHER_INPUTS,
    UNKNOWN_NAME,
    USER_SAYS,
    Column,
    DeclaredRole,
    infer_column,
)
from deabench.tables.recognition.likely_directions import find_likely_directions
from deabench.tables.recognition.redundancy import counts_rows
from deabench.tables.scales import measure_scale
from deabench.tables.table import LowerIsBetter, Table
from deabench.utils.checks import did_you_mean
from deabench.utils.text import quote_names

LEAST_DISTINCT = 0.5
"""More than this share of the values of a measurement are distinct."""
Role: TypeAlias = DeclaredRole | Literal["undesirable", "non_discretionary"]
"""Roles that a user can declare."""
PLAIN_ROLES: dict[str, DeclaredRole] = {"undesirable": "cost", "non_discretionary": "left_out"}
"""What a column of a special role is to the other columns."""


def assign_roles(
    table: Table,
    lower_is_better: LowerIsBetter = (),
    units: Mapping[str, str] | None = None,
    ignore: Sequence[str] = (),
) -> Table:
    """Give the inferred columns of a table their final roles.

    Columns in `lower_is_better` and `ignore` get theirs from the user; the others are held against
    each other.

    Parameters
    ----------
    units : mapping of column to str
        What the cells state.
    """
    ignored = table.expand(ignore, "ignore")
    declared, notes = _declare_directions(table, lower_is_better, units or {})
    declared |= {
        column.name: column.with_role("left_out", USER_SAYS, "user")
        for column in table.inferred
        if column.name in ignored
    }
    open_columns = [column for column in table.inferred if column.name not in declared]
    made_to_rank = table.labelled or any(column.metric for column in declared.values())
    judgement = judge_columns(open_columns, table.frame, table.context, made_to_rank=made_to_rank)
    proposed = judgement.columns
    # Who names one input decides on all: no other cost enters by itself.
    if any(column.input for column in declared.values()):
        proposed = leave_out_inputs(proposed)
    by_name = {column.name: column for column in proposed} | declared
    assigned = replace(
        table,
        columns=tuple(by_name[column.name] for column in table.inferred),
        reading_notes=(*table.reading_notes, *notes),
        role_notes=tuple(judgement.notes),
        means={} if made_to_rank else judgement.means,
        question=None,
        undesirable=tuple(c.name for c in by_name.values() if c.undesirable and c.metric),
        non_discretionary=tuple(c.name for c in by_name.values() if c.role == "non_discretionary"),
    )
    # Whoever declares a direction has seen the columns, and so has who made a frame to be ranked.
    if made_to_rank:
        return assigned
    question = _find_question(assigned, judgement.open_blocks, units or {})
    if question is None:
        return assigned
    # What is asked about is no output yet: half of such guesses are costs or losses.
    columns = [
        c.with_role("unknown", UNKNOWN_NAME) if c.role == "guess" else c for c in assigned.columns
    ]
    # The question stands for the notes on what was guessed.
    return replace(assigned, columns=tuple(columns), question=question, role_notes=(question.text,))


def _find_question(
    table: Table, open_blocks: Sequence[Sequence[str]], units: Mapping[str, str]
) -> Question | None:
    """Return what has to be asked before the table is ranked; None where enough is known.

    A ranking by a remnant is asked about: like columns of which most would be left out, and every
    measurement of unknown name. Numbers that repeat, as settings do, are left out with a note.
    """
    columns = table.guessed
    metrics = [column for column in table.metrics if column.role != "guess"]
    undecided = {c.name: c for c in table.columns if c.role in ("unknown", "conditional")}
    open_names = [name for block in open_blocks for name in block if name in undecided]
    for block in open_blocks:
        # Rates are alike; large numbers may be sizes, counts and times under unknown names.
        is_rate = measure_scale(table.frame[block[0]])[0] in ("share", "percent")
        if is_rate and 1 < len(block) > table.count_alike(block, metrics):
            columns += [name for name in block if name in undecided]
    # Names that leave the direction open by themselves, as deposits of a bank.
    columns += [c.name for c in undecided.values() if c.role == "conditional" and c.ambiguous]
    # A comparison of two values, or a "result" beside its metrics, repeats them; any other
    # measurement may be what counts.
    columns += [
        name
        for name, column in undecided.items()
        if column.kind != "comparison"
        and not (metrics and _is_called_result(name))
        and (is_measured(table, name) or _states_percent(table, name, units))
    ]
    if not metrics or len(open_names) > len(metrics):
        columns += open_names
    # Costs alone are ranked where no other measurement may be what they are spent on.
    if metrics and all(c.input for c in metrics):
        # Beside losses whole numbers are counts; beside resources they are products.
        needs_fractions = any(c.role == "lower_rate" for c in metrics)
        columns += [
            name
            for name in undecided
            if name in table.frame and _may_measure(table.frame[name], needs_fractions)
        ]
    # Sizes of models or of their parts alone compare nothing.
    are_sizes = all(
        column.kind == "model size" or column.name.strip().lower() == "size" for column in metrics
    )
    if not columns and are_sizes:
        columns += [column.name for column in metrics]
        metrics = []
    if not metrics and not columns:
        columns += [name for name in undecided if name in table.frame]
    # Ranks and differences are compared where there is nothing else.
    if not metrics and not columns:
        columns += [c.name for c in table.columns if c.kind in ("rank", "difference")]
    # What is asked about one column of a block is asked about its mean, too.
    if columns:
        means = [n for n, c in undecided.items() if c.role == "conditional" and n in table.frame]
        columns += [n for n in means if table.count_alike(columns, [undecided[n]])]
    numeric = [column.name for column in table.columns if column.name in table.frame]
    asked_columns = [name for name in numeric if name in columns]
    # What is the same for all systems decides nothing.
    varying = [name for name in asked_columns if table.frame[name].nunique() > 1]
    if metrics:
        asked_columns = varying
    if not asked_columns:
        return _ask_about_sparse(table, metrics)
    directions = find_likely_directions(table, asked_columns, metrics)
    return make_question(
        asked_columns,
        [c.name for c in metrics if c.direction == "higher"],
        [c.name for c in metrics if c.complemented],
        [c.name for c in metrics if c.input],
        numeric,
        directions,
    )


def _ask_about_sparse(table: Table, metrics: Sequence[Column]) -> Question | None:
    """Return the question whether a table may be ranked by what is left of its metrics.

    None where as many metrics have values for most systems as have none.
    """
    sparse = [column.name for column in table.columns if column.kind == "sparse"]
    if len(sparse) <= len(metrics):
        return None
    text = (
        f"only few systems have values in {quote_names(sparse, 4)} ({len(sparse)} of "
        f"{len(sparse) + len(metrics)} metrics)."
    )
    numeric = [column.name for column in table.columns if column.name in table.frame]
    return Question(
        text, (), {"ignore": {"ignore": tuple(shorten_names(sparse, numeric))}}, "ignore"
    )


def is_measured(table: Table, name: str) -> bool:
    """Return whether a column looks like a measurement: its values hardly repeat."""
    if name not in table.frame or counts_rows(table.frame[name]):
        return False
    values = table.frame[name].dropna()
    return len(values) > 1 and values.nunique() > LEAST_DISTINCT * len(values)


def _states_percent(table: Table, name: str, units: Mapping[str, str]) -> bool:
    """Return whether the cells of a column say that they are percent, which is measured."""
    is_percent = units.get(name) == "percent" and name in table.frame
    return is_percent and bool(table.frame[name].nunique() > 1)


def _is_called_result(name: str) -> bool:
    """Return whether a whole name says no more than that a column holds results."""
    meaning = look_up_metric(name)
    return meaning is not None and meaning.role == "conditional" and is_weak_name(name)


def _may_measure(values: pd.Series, needs_fractions: bool) -> bool:
    """Return whether a column may be a measurement: neither constant nor, if so, whole numbers."""
    if needs_fractions and not (values.dropna() % 1 != 0).any():
        return False
    return bool(values.nunique() > 1)


def leave_out_inputs(columns: Sequence[Column]) -> list[Column]:
    """Leave out proposed inputs, because the user names others."""
    return [
        column.with_role("left_out", OTHER_INPUTS, "unused input") if column.input else column
        for column in columns
    ]


def _declare_directions(
    table: Table, lower_is_better: LowerIsBetter, units: Mapping[str, str]
) -> tuple[dict[str, Column], list[str]]:
    """Return the columns that `lower_is_better` names, as it says, and notes on them."""
    directions = {
        column: direction
        for name, direction in _read_directions(lower_is_better).items()
        for column in table.expand([name], "lower_is_better")
    }
    inferred = {column.name: column for column in table.inferred}
    declared = {}
    notes = []
    for name, direction in directions.items():
        if name not in inferred:
            raise DataError(
                f"there is no column '{name}' in the table; {did_you_mean(name, list(inferred))}"
            )
        column = inferred[name]
        # A bare name leaves open whether the metric is complemented or an input.
        if direction is None:
            column = _infer_lower(table.frame.get(name), column, units.get(name, ""))
        elif direction == "input":
            column = column.with_role("cost", USER_SAYS, "user")
        else:
            column = column.with_role("lower_rate", USER_SAYS, "user", high=direction)
        declared[name] = replace(column, declared=True)
        if direction is None and column.complemented:
            notes.append(
                f"'{name}' is a rate, so it is complemented to {column.high:g}; "
                f"to make it an input, pass lower_is_better={{'{name}': 'input'}}"
            )
    notes += [f"'{c.name}' is an input: lower is better" for c in declared.values() if c.input]
    return declared, notes


def _read_directions(lower_is_better: LowerIsBetter) -> dict[str, float | Literal["input"] | None]:
    """Return column to its greatest value, "input", or None where only the name is given."""
    if isinstance(lower_is_better, str):
        raise DataError(
            f"lower_is_better is the text '{lower_is_better}'; "
            "give a list or a mapping of column names"
        )
    if not isinstance(lower_is_better, Mapping):
        return dict.fromkeys(map(str, lower_is_better))
    directions: dict[str, float | Literal["input"] | None] = {}
    for name, value in lower_is_better.items():
        # True and False are numbers in Python, but no maxima.
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if value == "input":
            directions[str(name)] = "input"
        elif is_number and np.isfinite(float(cast(Real, value))):
            directions[str(name)] = float(cast(Real, value))
        else:
            raise DataError(
                f"lower_is_better['{name}'] is {value!r}; "
                "give 'input' or the metric's known maximum"
            )
    return directions


def _infer_lower(values: pd.Series | None, column: Column, unit: str) -> Column:
    """Infer a column for which lower is better: a rate of known range, else an input."""
    # A column of text has no values to tell a rate by.
    if values is None:
        return column.with_role("cost", USER_SAYS, "user")
    numbers = Numbers(values.to_numpy(), np.zeros(len(values), dtype=bool), unit)
    inferred = infer_column(column.name, numbers, {column.name: ("lower_rate", USER_SAYS, "user")})
    if inferred.metric:
        return inferred
    return column.with_role("cost", USER_SAYS, "user")


def to_plain_roles(roles: Mapping[str, Role] | None) -> dict[str, DeclaredRole]:
    """Return roles with those that every table knows in place of the special ones."""
    plain_roles: dict[str, DeclaredRole] = {}
    for name, role in (roles or {}).items():
        # Roles that are not special are plain ones.
        plain_roles[name] = PLAIN_ROLES.get(role, role)  # type: ignore[arg-type]  # see above
    return plain_roles


def declare_special_roles(table: Table, roles: Mapping[str, Role] | None) -> Table:
    """Return a table with its undesirable outputs and its given columns.

    Undesirable outputs are inputs and take part in every ranking; given columns are no metrics, but
    limit with what a system is compared.

    Raises
    ------
    DataError
        If such a column holds no numbers.
    """
    special = {name: role for name, role in (roles or {}).items() if role in PLAIN_ROLES}
    if not special:
        return table
    for name in special:
        if name not in table.frame:
            raise DataError(f"'{name}' is declared {special[name]} and holds no numbers")
    undesirable = [name for name, role in special.items() if role == "undesirable"]
    non_discretionary = [name for name, role in special.items() if role == "non_discretionary"]
    return replace(
        table,
        columns=tuple(_declare(column, special.get(column.name)) for column in table.columns),
        undesirable=tuple(dict.fromkeys([*table.undesirable, *undesirable])),
        non_discretionary=tuple(dict.fromkeys([*table.non_discretionary, *non_discretionary])),
    )


def _declare(column: Column, role: str | None) -> Column:
    """Return a column with its special role."""
    if role == "undesirable":
        return replace(column, declared=True)
    if role == "non_discretionary":
        return column.with_role(role, USER_SAYS, "user")
    return column
