"""Select the outputs and inputs of a table: what the user names, else what the columns are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from deabench.errors import DataError
from deabench.tables.answers import ANSWER_KINDS, with_metrics
from deabench.tables.interpretation import is_labelled
from deabench.tables.missing_cells import with_missing_choice
from deabench.tables.naming.questions import UndecidedError
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.read import as_table
from deabench.tables.recognition.assignment import leave_out_inputs
from deabench.tables.recognition.blocks import judge_columns
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.impossible_values import (
    refuse_impossible_values,
    refuse_joined_numbers,
)
from deabench.tables.selected_table import (
    MISSING,
    Missing,
    SelectedTable,
    drop_missing,
    numeric_columns,
    refuse_missing,
)
from deabench.tables.table import Table, TableLike
from deabench.utils.checks import choice
from deabench.utils.text import quote_names

NO_OUTPUTS = "no outputs: the table has no numeric column left; name at least one metric as output"
MAX_NOTED_COLUMNS = 8
REPEATING = ("mean", "complement", "averaged")
"""Kinds of columns that repeat metrics which are taken."""


def select_table(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    missing: Missing = "refuse",
    strict: bool = False,
) -> SelectedTable:
    """Interpret a table, unless it is one, and select its outputs and inputs.

    Parameters
    ----------
    table : TableLike
    outputs, inputs : sequence of column names, optional
        Without `outputs` the roles of the columns decide, as `deabench.read` shows them.
    missing : {"refuse", "drop-systems", "drop-metrics", "bounds"}
        What happens to empty cells of the selected metrics; "bounds" leaves them in.
    strict : bool
        Refuse a metric whose direction its own name does not tell, unless `outputs` names it: an
        output of unknown name, and a column that takes the direction of its like, of the heading or
        of the order of the rows.

    Raises
    ------
    DataError
        Where a column is not there or holds text, no output is left, or a cell is empty.
    """
    choice("missing", missing, MISSING)
    named = [*(outputs or ()), *(inputs or ())]
    interpreted = with_metrics(as_table(table, named), named or None)
    try:
        selected = select_columns(interpreted, outputs, inputs)
    except UndecidedError as error:
        # One answer is enough: it also says what to do with empty cells.
        if missing == "refuse":
            raise UndecidedError(with_missing_choice(interpreted, error.question)) from None
        raise
    choices = {"outputs": outputs, "inputs": inputs}
    arguments = {name: list(columns) for name, columns in choices.items() if columns is not None}
    selected = replace(selected, selected_by={**interpreted.selected_by, **arguments})
    if strict and selected.guessed:
        raise DataError(
            f"no name tells what {quote_names(selected.outputs)} measure, "
            "and strict refuses guesses; name them in outputs, inputs or lower_is_better "
            "(docs/tables.md says how columns are read)"
        )
    if strict and outputs is None:
        _refuse_inferred(selected.table, inputs or ())
    if missing == "refuse":
        # A cell of a DataFrame is refused by `validate`; files have empty cells more often, so
        # the message says what each choice would leave out.
        if not interpreted.labelled:
            refuse_missing(selected)
        return selected
    selected, notes = drop_missing(selected, missing)
    return replace(selected, notes=(*selected.notes, *notes), missing=missing)


def select_columns(
    table: Table, outputs: Sequence[str] | None = None, inputs: Sequence[str] | None = None
) -> SelectedTable:
    """Select the outputs and inputs of an interpreted table.

    Columns that `lower_is_better` of `deabench.read` names always take part.
    """
    if table.kind in ANSWER_KINDS and not table.metrics:
        raise DataError(explain_instances(table))
    declared = [column for column in table.columns if column.declared]
    named_outputs, user_inputs = _expand_names(table, outputs, inputs)
    named_inputs = list(user_inputs)
    named_inputs += [c.name for c in declared if c.input and c.name not in named_inputs]
    # An undesirable output is one of which less is better: an input.
    bad = [name for name in named_outputs if name in table.undesirable]
    named_inputs += [name for name in bad if name not in named_inputs]
    # Named outputs are final; without names the roles of the columns decide.
    if outputs is not None:
        selected_outputs = [name for name in named_outputs if name not in bad]
        selected_outputs += [
            c.name for c in declared if not c.input and c.name not in selected_outputs
        ]
        maxima = {
            column.name: column.high
            for column in table.columns
            if column.complemented
            and column.name in selected_outputs
            and (column.declared or column.kind == "user")
        }
        notes = (
            *table.reading_notes,
            *describe_contradictions(selected_outputs, named_inputs, maxima),
        )
        undecided = []
        guessed = []
    else:
        _refuse_undecided(table, named_inputs)
        _refuse_single_system(table)
        refuse_joined_numbers(table)
        for column in table.metrics:
            if column.name in table.frame and column.name not in named_inputs:
                refuse_impossible_values(column, table.frame[column.name])
        table = _take_means(table)
        # Other columns get their roles without the named inputs, which may repeat or explain them.
        columns, role_notes = _columns_beside(table, user_inputs)
        selected_outputs = [c.name for c in columns if c.direction == "higher" or c.complemented]
        proposed_inputs = [c.name for c in columns if c.input and c.name not in named_inputs]
        maxima = {column.name: column.high for column in columns if column.complemented}
        if table.labelled or declared or named_inputs:
            role_notes += describe_guesses(columns, proposed_inputs)
        else:
            # The order of a file's columns has no meaning: what is better high comes first.
            selected_outputs.sort(key=lambda name: name in maxima)
            proposed_inputs.sort(key=lambda name: name in table.costs)
            role_notes += describe_roles(table)
        named_inputs += proposed_inputs
        notes = (*table.reading_notes, *role_notes)
        # Of a file it was asked already where an unknown column may be an output.
        undecided = [
            c.name for c in columns if table.labelled and c.role in ("unknown", "conditional")
        ]
        guessed = [column.name for column in columns if column.role == "guess"]
    # A given column limits with what a system is compared, on the side that its name tells.
    selected = {*selected_outputs, *named_inputs}
    for name in table.non_discretionary:
        meaning = look_up_metric(name)
        is_output = meaning is not None and meaning.better == "higher"
        if name not in selected:
            (selected_outputs if is_output else named_inputs).append(name)
    if table.non_discretionary:
        notes = (*notes, f"given, not to be changed: {quote_names(table.non_discretionary)}")
    bad = [name for name in named_inputs if name in table.undesirable]
    if bad:
        verb = "is an undesirable output, taken as an input"
        if len(bad) > 1:
            verb = "are undesirable outputs, taken as inputs"
        notes = (*notes, f"{quote_names(bad)} {verb}: lower is better")
    frame = numeric_columns(table, [*selected_outputs, *named_inputs])
    _check_roles(selected_outputs, named_inputs)
    # Inputs alone can be ranked, unless a column may still be an output.
    if not selected_outputs and (undecided or not named_inputs):
        raise DataError(explain_no_outputs(undecided, named_inputs))
    return SelectedTable(
        table,
        frame,
        tuple(selected_outputs),
        tuple(named_inputs),
        maxima,
        notes,
        tuple(guessed),
    )


def read_values(source: TableLike) -> pd.DataFrame:
    """Return the systems x columns of a source whose metrics are declared elsewhere (points)."""
    if isinstance(source, pd.DataFrame) and is_labelled(source):
        return source.set_axis([str(name) for name in source.columns], axis=1)
    return as_table(source).frame


def read_grouping(table: Table, name: str) -> pd.Series | None:
    """Return a column of text or numbers that groups the systems; None where there is none."""
    # Groups are named by text more often than by numbers.
    for frame in (table.texts, table.frame):
        if frame is not None and name in frame:
            column: pd.Series = frame[name]
            return column
    return None


def _expand_names(
    table: Table, outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the columns that the user names as outputs and as inputs, patterns expanded."""
    named_outputs = _check_names(outputs, "outputs")
    named_inputs = _check_names(inputs, "inputs")
    declared = [column.name for column in table.columns if column.declared]
    # Patterns take neither what is named elsewhere nor what is ignored.
    ignored = [c.name for c in table.columns if c.role == "left_out" and c.kind == "user"]
    reserved = [*named_inputs, *declared, *ignored]
    expanded_outputs = table.expand(named_outputs, "outputs", reserved)
    # `rest` takes what no other pattern takes.
    reserved = [*named_outputs, *declared, *ignored]
    if "rest" in named_inputs:
        reserved += expanded_outputs
    return expanded_outputs, table.expand(named_inputs, "inputs", reserved)


def _refuse_undecided(table: Table, inputs: Sequence[str]) -> None:
    """Refuse a table about which something has to be asked before it is ranked."""
    question = table.question
    if question is None:
        return
    # Naming the columns as inputs answers a question about them, but none about rows.
    if not question.columns or not set(question.columns) <= set(inputs):
        raise UndecidedError(question)


def _refuse_inferred(table: Table, inputs: Sequence[str]) -> None:
    """Refuse metrics that have their direction from other columns or from the table's heading."""
    by_name = {column.name: column for column in table.inferred}
    inferred = [
        column
        for column in table.metrics
        if column.name in by_name
        and by_name[column.name].direction != column.direction
        and not column.declared
        and column.name not in inputs
    ]
    if inferred:
        raise DataError(
            f"the names of {quote_names([column.name for column in inferred], 4)} do not tell "
            f"which way is better ({inferred[0].reason}), and strict takes names alone; name them "
            "in outputs, inputs or lower_is_better"
        )


def _refuse_single_system(table: Table) -> None:
    """Refuse a file of one system: a ranking compares several."""
    if table.labelled or len(table.frame) != 1:
        return
    name = table.title or "the table"
    remedy = "name the systems with label"
    if table.kind in ANSWER_KINDS:
        remedy = "type `deabench metrics FILE` for its metrics"
    system = table.frame.index[0]
    raise DataError(
        f"'{name}' holds one system, '{system}', and a ranking compares several; give several "
        f"files, or {remedy}"
    )


def _take_means(table: Table) -> Table:
    """Replace like columns that are too many for the rows by their mean."""
    for mean, names in table.means.items():
        columns = {column.name: column for column in table.columns}
        first = columns[names[0]]
        reason = f"its mean with {len(names) - 1} like columns, '{mean}', is taken"
        for name in names:
            columns[name] = columns[name].with_role("left_out", reason, "averaged")
        columns[mean] = first.with_role(
            first.role, f"the mean of {quote_names(names, 4)}", name=mean
        )
        frame = _with_mean(table.frame, mean, names)
        rows = table.rows
        # The repeated rows of the systems have the same mean.
        if rows is not None and {*names} <= {*rows}:
            rows = _with_mean(rows, mean, names)
        inferred = [c for c in table.inferred if c.name != mean] + [columns[mean]]
        note = (
            f"{len(names)} like columns are many for {len(frame)} rows: '{mean}' stands for "
            f"{quote_names(names, 4)}; name them in outputs to rank by each"
        )
        table = replace(
            table,
            frame=frame,
            columns=tuple(columns.values()),
            inferred=tuple(inferred),
            reading_notes=(*table.reading_notes, note),
            rows=rows,
        )
    return table


def _with_mean(frame: pd.DataFrame, mean: str, names: Sequence[str]) -> pd.DataFrame:
    """Return a frame with the mean of some columns, unless it has it."""
    if mean in frame:
        return frame
    return frame.assign(**{mean: frame[list(names)].mean(axis=1, skipna=False)})


def _check_names(names: Sequence[str] | None, argument: str) -> list[str]:
    """Return a list of column names; one text is refused."""
    if isinstance(names, str):
        raise DataError(
            f"{argument} is the text '{names}'; give a list of column names, as ['{names}']"
        )
    return [str(name) for name in names or ()]


def _columns_beside(table: Table, inputs: Sequence[str]) -> tuple[list[Column], list[str]]:
    """Return the columns and notes of a table whose inputs are named.

    The other columns are held against each other without them, and no further cost enters.
    """
    if not inputs:
        return list(table.columns), list(table.role_notes)
    # Named columns are compared with nothing: their role is the user's.
    declared = [column for column in table.columns if column.declared]
    settled_names = {*inputs, *(column.name for column in declared)}
    open_columns = [column for column in table.inferred if column.name not in settled_names]
    judgement = judge_columns(open_columns, table.frame, table.context, made_to_rank=True)
    proposed = leave_out_inputs(judgement.columns)
    by_name = {column.name: column for column in [*proposed, *declared]}
    return [by_name[c.name] for c in table.inferred if c.name in by_name], judgement.notes


def _check_roles(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Refuse a metric that is named twice, or as both output and input."""
    for names, role in ((outputs, "outputs"), (inputs, "inputs")):
        for name in names:
            if list(names).count(name) > 1:
                raise DataError(f"metric '{name}' is given twice among the {role}; name it once")
    for name in outputs:
        if name in inputs:
            raise DataError(f"metric '{name}' is declared both input and output; choose one")


def explain_instances(table: Table) -> str:
    """Say what to do with predictions, scores and counts, which are no metrics."""
    count = len(table.frame)
    content = "counts" if table.kind == "counts" else f"{table.kind} of instances"
    name = table.title or "the table"
    return (
        f"'{name}' holds {content} of {count} classifiers, no metrics; `deabench metrics FILE` "
        "computes metrics, and `deabench uncertainty FILE` intervals and verdicts"
    )


def describe_contradictions(
    outputs: Sequence[str], inputs: Sequence[str], maxima: Mapping[str, float]
) -> tuple[str, ...]:
    """Note outputs and inputs of the user whose names say the contrary."""
    notes = []
    meanings = {name: look_up_metric(name) for name in (*outputs, *inputs) if name not in maxima}
    for names, phrase, contrary, remedy in (
        (outputs, "outputs takes higher", "lower", "pass it in lower_is_better"),
        (inputs, "inputs takes lower", "higher", "name it in outputs"),
    ):
        wrong = [
            name
            for name in names
            if (meaning := meanings.get(name)) is not None and meaning.better == contrary
        ]
        if wrong:
            notes.append(
                f"{phrase} as better, but the name says {contrary} is better: "
                f"{quote_names(wrong)}; if the name is right, {remedy}"
            )
    return tuple(notes)


def describe_guesses(columns: Sequence[Column], inputs: Sequence[str]) -> list[str]:
    """Note which columns became inputs or were left out; outputs need no note."""
    notes = []
    if inputs:
        notes.append(f"inputs, for lower is better: {quote_names(inputs)}")
    left_out = [c for c in columns if c.role == "left_out"]
    left_out.sort(key=lambda column: column.kind == "unused input")
    notes += [f"'{c.name}' is left out: {c.reason}" for c in left_out[:MAX_NOTED_COLUMNS]]
    return notes


def describe_roles(table: Table) -> list[str]:
    """Note the role of each column of a file."""
    notes = []
    if table.outputs:
        notes.append(f"higher is better in {quote_names(table.outputs)}")
    if table.complemented:
        names = quote_names(list(table.complemented))
        notes.append(f"lower is better in {names}, complemented inside")
    if table.inputs:
        notes.append(f"inputs, for lower is better: {quote_names(table.inputs)}")
    unused = []
    for column in table.columns:
        # What is given is noted as such.
        if column.metric or column.role == "non_discretionary":
            continue
        if column.kind in REPEATING:
            notes.append(f"'{column.name}' is left out: {column.reason}")
        elif column.name in table.frame:
            unused.append(column.name)
    if unused:
        notes.append(f"left out: {quote_names(unused)}")
    return notes


def explain_no_outputs(undecided: Sequence[str], inputs: Sequence[str]) -> str:
    """Explain why there is no output, and how to name one."""
    if not undecided:
        return NO_OUTPUTS
    remedy = f"name those of {quote_names(undecided)} that are, as outputs=['{undecided[0]}']"
    if inputs:
        remedy += (
            f"; or write outputs=[] to rank by {quote_names(inputs)} alone, the less the better"
        )
    return f"no column has a name that says higher is better; {remedy}"
