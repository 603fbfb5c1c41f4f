"""Select the outputs and inputs of a table: what the user names, else what the columns are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.answers import ANSWER_KINDS, with_metrics
from deabench.tables.cells import is_empty_word
from deabench.tables.interpretation import is_labelled
from deabench.tables.naming.questions import UndecidedError
from deabench.tables.read import as_table
from deabench.tables.recognition.assignment import leave_out_inputs
from deabench.tables.recognition.blocks import judge_columns
from deabench.tables.recognition.columns import Column
from deabench.tables.selection_notes import (
    describe_contradictions,
    describe_guesses,
    describe_roles,
    explain_instances,
    explain_no_outputs,
)
from deabench.tables.table import USER_SAYS, Table, TableLike
from deabench.tables.vocabulary import look_up_metric
from deabench.utils.checks import choice, did_you_mean
from deabench.utils.text import quote_names

Missing = Literal["refuse", "drop-systems", "drop-metrics", "bounds"]
MISSING: tuple[Missing, ...] = get_args(Missing)
MAX_NAMED_CELLS = 3


@dataclass(frozen=True)
class SelectedTable:
    """A table with its selected outputs and inputs.

    Attributes
    ----------
    table : Table
    frame : DataFrame, systems x columns
        The numbers of the systems in use, in the user's units; all selected columns are there.
    outputs, inputs : tuple of column names
    maxima : mapping of output to its greatest value
        Outputs for which lower is better; they enter as complements to this value.
    notes : tuple of str
        What was read, guessed, dropped or left out.
    guessed : tuple of str
        Outputs of a table where no name is known.
    """

    table: Table
    frame: pd.DataFrame
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    maxima: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()

    @property
    def given(self) -> tuple[str, ...]:
        """Outputs and inputs that nobody can change."""
        return tuple(name for name in self.metrics if name in self.table.non_discretionary)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Outputs, then inputs."""
        return (*self.outputs, *self.inputs)

    def with_frame(self, frame: pd.DataFrame) -> SelectedTable:
        """Return the same selection of other rows."""
        return replace(self, frame=frame)

    def with_table(self, table: Table) -> SelectedTable:
        """Return the same selection of another table, as the tested classifiers of a reference."""
        return replace(self, table=table, frame=_numeric_columns(table, self.metrics))

    def drop_columns(self, names: Collection[str]) -> SelectedTable:
        """Return the selection without some metrics."""
        return replace(
            self,
            outputs=tuple(name for name in self.outputs if name not in names),
            inputs=tuple(name for name in self.inputs if name not in names),
            maxima={name: maximum for name, maximum in self.maxima.items() if name not in names},
        )

    def as_table(self, frame: pd.DataFrame | None = None) -> Table:
        """Return a Table that has these outputs and inputs as its only metrics, of other rows."""
        roles = dict.fromkeys(self.outputs, "output")
        roles |= dict.fromkeys(self.maxima, "lower_rate")
        roles |= dict.fromkeys(self.inputs, "cost")
        columns = [
            Column(name, role, high=self.maxima.get(name, np.inf), reason=USER_SAYS, declared=True)
            for name, role in roles.items()
        ]
        if frame is None:
            frame = self.frame
        return replace(
            self.table,
            frame=frame,
            columns=tuple(columns),
            reading_notes=(),
            role_notes=(),
            labelled=True,
        )

    def range_of(self, name: str) -> tuple[float, float]:
        """Return the least and greatest possible value of a column; infinite where unknown."""
        if name in self.maxima:
            return 0.0, self.maxima[name]
        inferred = (column.range for column in self.table.inferred if column.name == name)
        return next(inferred, (-np.inf, np.inf))

    def higher_is_better(self, name: str) -> bool:
        """Return the direction of any column: as it is selected, else as its name says."""
        if name in self.maxima or name in self.inputs:
            return False
        meaning = look_up_metric(name)
        return name in self.outputs or (meaning is not None and meaning.better == "higher")


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
        Refuse an output whose name is not known, unless `outputs` names it.

    Raises
    ------
    DataError
        Where a column is not there or holds text, no output is left, or a cell is empty.
    """
    choice("missing", missing, MISSING)
    interpreted = with_metrics(as_table(table), [*(outputs or ()), *(inputs or ())] or None)
    selected = select_columns(interpreted, outputs, inputs)
    if strict and selected.guessed:
        raise DataError(
            f"no name tells what {quote_names(selected.outputs)} measure, "
            "and strict refuses guesses; name them in outputs, inputs or lower_is_better "
            "(docs/tables.md says how columns are read)"
        )
    if missing == "refuse":
        # A cell of a DataFrame is refused by `validate`; files have empty cells more often, so
        # the message says what each choice would leave out.
        if not interpreted.labelled:
            _refuse_missing(selected)
        return selected
    selected, notes = drop_missing(selected, missing)
    return replace(selected, notes=(*selected.notes, *notes))


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
            and (column.declared or column.reason == USER_SAYS)
        }
        notes = (
            *table.reading_notes,
            *describe_contradictions(selected_outputs, named_inputs, maxima),
        )
        undecided = []
        guessed = []
    else:
        _refuse_undecided(table, named_inputs)
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
    taken = {*selected_outputs, *named_inputs}
    for name in table.non_discretionary:
        meaning = look_up_metric(name)
        is_output = meaning is not None and meaning.better == "higher"
        if name not in taken:
            (selected_outputs if is_output else named_inputs).append(name)
    if table.non_discretionary:
        notes = (*notes, f"given, not to be changed: {quote_names(table.non_discretionary)}")
    bad = [name for name in named_inputs if name in table.undesirable]
    if bad:
        verb = "is an undesirable output, taken as an input"
        if len(bad) > 1:
            verb = "are undesirable outputs, taken as inputs"
        notes = (*notes, f"{quote_names(bad)} {verb}: lower is better")
    frame = _numeric_columns(table, [*selected_outputs, *named_inputs])
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


def drop_missing(
    selected: SelectedTable, missing: Missing
) -> tuple[SelectedTable, tuple[str, ...]]:
    """Leave out the systems, or the metrics, with empty cells, and say which."""
    if missing in ("refuse", "bounds"):
        return selected, ()
    # Infinity is no usable value either.
    empty = ~np.isfinite(selected.frame[list(selected.metrics)])
    if missing == "drop-systems":
        rows = empty.any(axis=1)
        if rows.all():
            raise DataError(
                "every system lacks some metric, so missing='drop-systems' leaves none; "
                "say missing='drop-metrics'"
            )
        dropped = [str(label) for label in selected.frame.index[rows]]
        if not dropped:
            return selected, ()
        note = f"left out for a missing cell: {quote_names(dropped)}"
        return selected.with_frame(selected.frame[~rows]), (note,)
    # Leaving out metrics keeps every system, but at least one output must remain.
    dropped = [str(name) for name in empty.columns[empty.any()]]
    if not dropped:
        return selected, ()
    remaining = selected.drop_columns(dropped)
    if not remaining.outputs:
        raise DataError(
            "every output lacks some cell, so missing='drop-metrics' leaves none; "
            "say missing='drop-systems'"
        )
    return remaining, (f"metrics left out for missing cells: {quote_names(dropped)}",)


def align_columns(
    tested: SelectedTable, reference: SelectedTable, missing: Missing
) -> tuple[SelectedTable, SelectedTable, tuple[str, ...]]:
    """Leave out tested systems, or metrics of both tables, for empty cells of the tested."""
    tested, notes = drop_missing(tested, missing)
    dropped = [name for name in reference.metrics if name not in tested.metrics]
    return (
        tested,
        reference.drop_columns(dropped),
        tuple(f"of the tested, {note}" for note in notes),
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


def refuse_bounds(missing: Missing) -> Missing:
    """Return `missing` unchanged, and refuse "bounds" where it has no meaning.

    Raises
    ------
    DataError
    """
    if missing == "bounds":
        raise DataError(
            "missing='bounds' bounds the scores of deabench.rank; "
            "say missing='drop-systems' or 'drop-metrics'"
        )
    return missing


def _expand_names(
    table: Table, outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the columns that the user names as outputs and as inputs, patterns expanded."""
    named_outputs = _check_names(outputs, "outputs")
    named_inputs = _check_names(inputs, "inputs")
    declared = [column.name for column in table.columns if column.declared]
    expanded_outputs = table.expand(named_outputs, "outputs", [*named_inputs, *declared])
    # `rest` takes what no other pattern takes.
    taken = [*named_outputs, *declared]
    if "rest" in named_inputs:
        taken += expanded_outputs
    return expanded_outputs, table.expand(named_inputs, "inputs", taken)


def _refuse_undecided(table: Table, inputs: Sequence[str]) -> None:
    """Refuse a table about which something has to be asked before it is ranked."""
    question = table.question
    if question is not None and not set(question.columns) <= set(inputs):
        raise UndecidedError(question)


def _take_means(table: Table) -> Table:
    """Replace like columns that are too many for the rows by their mean."""
    for mean, names in table.means.items():
        columns = {column.name: column for column in table.columns}
        first = columns[names[0]]
        reason = f"its mean with {len(names) - 1} like columns, '{mean}', is taken"
        for name in names:
            columns[name] = replace(columns[name], role="left_out", reason=reason)
        columns[mean] = replace(first, name=mean, reason=f"the mean of {quote_names(names, 4)}")
        frame = table.frame
        if mean not in frame:
            frame = frame.assign(**{mean: frame[list(names)].mean(axis=1, skipna=False)})
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
        )
    return table


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


def _numeric_columns(table: Table, names: Sequence[str]) -> pd.DataFrame:
    """Return the numbers of a table with all named columns; text in one is refused."""
    frame = table.frame
    for name in names:
        if name in frame.columns:
            continue
        if table.texts is None or name not in table.texts:
            columns = [column.name for column in table.inferred] or list(frame.columns)
            raise DataError(
                f"there is no column '{name}' in the table; {did_you_mean(name, columns)}"
            )
        cells = table.texts[name]
        for label, cell in cells.items():
            if isinstance(cell, str) and not is_empty_word(cell):
                refuse_text(name, label, cell)
        # Truths become 1 and 0; what is no number at all becomes NaN.
        frame = frame.assign(**{name: pd.to_numeric(cells, errors="coerce").astype(float)})
    return frame


def refuse_text(name: str, label: object, cell: str) -> None:
    """Refuse a text where a number is needed."""
    raise DataError(f"metric '{name}' of '{label}' is the text '{cell}'; DEA needs a number")


def _check_roles(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Refuse a metric that is named twice, or as both output and input."""
    for names, role in ((outputs, "outputs"), (inputs, "inputs")):
        for name in names:
            if list(names).count(name) > 1:
                raise DataError(f"metric '{name}' is given twice among the {role}; name it once")
    for name in outputs:
        if name in inputs:
            raise DataError(f"metric '{name}' is declared both input and output; choose one")


def _refuse_missing(selected: SelectedTable) -> None:
    """Refuse empty cells with what each choice would leave out."""
    empty = selected.frame[list(selected.metrics)].isna()
    if not empty.any(axis=None):
        return
    places = empty.stack().loc[lambda cell: cell].index
    failures = selected.table.failures
    # A text in a column of numbers counts as missing, but the cell is not empty.
    texts = [(label, name) for label, name in places if label in failures.get(name, {})]
    gaps = places.difference(texts, sort=False) if texts else places
    parts = []
    if texts:
        cells = [f"'{name}' of '{row}' holds '{failures[name][row]}'" for row, name in texts]
        parts.append(f"{_shorten(cells)}: no {'number' if len(cells) == 1 else 'numbers'}")
    if len(gaps):
        cells = [f"'{name}' of '{row}'" for row, name in gaps]
        parts.append(f"{_shorten(cells)} {'is' if len(cells) == 1 else 'are'} missing")
    raise DataError(
        f"{'; '.join(parts)}; "
        f"say missing='drop-systems' ({int(empty.any(axis=1).sum())} of {len(empty)}), "
        f"'drop-metrics' ({quote_names(list(empty.columns[empty.any()]))}) or 'bounds' "
        "(docs/tables.md says what each does)"
    )


def _shorten(cells: Sequence[str]) -> str:
    """Join the first cells and count the others."""
    shown = ", ".join(cells[:MAX_NAMED_CELLS])
    if len(cells) > MAX_NAMED_CELLS:
        shown += f" and {len(cells) - MAX_NAMED_CELLS} more"
    return shown
