"""Define the table with its selected outputs and inputs, and what becomes of its empty cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import is_empty_word
from deabench.tables.estimates import find_currency
from deabench.tables.missing_cells import choose_filled, choose_missing
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.recognition.columns import USER_SAYS, Column
from deabench.tables.table import Table
from deabench.utils.checks import did_you_mean
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
    missing : str
        What was asked to happen to empty cells.
    selected_by : mapping of str to object
        The arguments outputs, inputs and within of the call, where it named some.
    """

    table: Table
    frame: pd.DataFrame
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    maxima: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    missing: Missing = "refuse"
    selected_by: Mapping[str, Any] = field(default_factory=dict)

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
        return replace(self, table=table, frame=numeric_columns(table, self.metrics))

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
            Column(
                name,
                role,
                high=self.maxima.get(name, np.inf),
                reason=USER_SAYS,
                kind="user",
                declared=True,
            )
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
            question=None,
            selected_by=self.selected_by,
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


def numeric_columns(table: Table, names: Sequence[str]) -> pd.DataFrame:
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
                "pass missing='drop-metrics'"
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
    if not (remaining.outputs if selected.outputs else remaining.inputs):
        raise DataError(
            "every output lacks some cell, so missing='drop-metrics' leaves none; "
            "pass missing='drop-systems'"
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


def refuse_bounds(missing: Missing) -> Missing:
    """Return `missing` unchanged, and refuse "bounds" where it has no meaning.

    Raises
    ------
    DataError
    """
    if missing == "bounds":
        raise DataError(
            "missing='bounds' bounds the scores of deabench.rank; "
            "pass missing='drop-systems' or 'drop-metrics'"
        )
    return missing


def refuse_missing(selected: SelectedTable) -> None:
    """Refuse empty cells with what each choice would leave out."""
    empty = selected.frame[list(selected.metrics)].isna()
    if not empty.any(axis=None):
        return
    positions = empty.stack().loc[lambda cell: cell].index
    failures = selected.table.failures
    # A text in a column of numbers counts as missing, but the cell is not empty.
    texts = [(label, name) for label, name in positions if label in failures.get(name, {})]
    gaps = positions.difference(texts, sort=False) if texts else positions
    sentences = []
    if texts:
        cells = [f"'{name}' of '{row}' holds '{failures[name][row]}'" for row, name in texts]
        sentences.append(f"{_shorten(cells)}{_describe_texts([failures[n][r] for r, n in texts])}")
    if len(gaps):
        cells = [f"'{name}' of '{row}'" for row, name in gaps]
        sentences.append(f"{_shorten(cells)} {'is' if len(cells) == 1 else 'are'} missing")
    incomplete = [str(name) for name in empty.columns[empty.any()]]
    metrics = quote_names(incomplete, MAX_NAMED_CELLS)
    choices = f" or 'drop-metrics' ({metrics})"
    # Bounds need the least and the greatest possible value.
    if np.isfinite([selected.range_of(name) for name in incomplete]).all():
        choices = f", 'drop-metrics' ({metrics}) or 'bounds'"
    error = DataError(
        f"{'; '.join(sentences)}; "
        f"pass missing='drop-systems' ({int(empty.any(axis=1).sum())} of {len(empty)}){choices} "
        "(docs/tables.md says what each does)"
    )
    choice = choose_missing(
        selected.frame[list(selected.outputs)], selected.frame[list(selected.inputs)]
    )
    if choice:
        error.options = {"missing": (choice,)}
    else:
        error.options = _complete_part(selected)
    raise error


def _complete_part(selected: SelectedTable) -> dict[str, tuple[str, ...]]:
    """Return the options that rank a part of the metrics and systems; none where there is none."""
    metrics = selected.frame[list(selected.metrics)]
    ignored, count = choose_filled(metrics)
    remaining = selected.drop_columns(ignored)
    # Without its outputs, or its inputs, a table would be another one.
    keeps_sides = bool(remaining.outputs) == bool(selected.outputs)
    keeps_sides &= bool(remaining.inputs) == bool(selected.inputs)
    if not ignored or not keeps_sides:
        return {}
    options: dict[str, tuple[str, ...]] = {"ignore": tuple(ignored)}
    if count < len(metrics):
        options["missing"] = ("drop-systems",)
    return options


def _describe_texts(cells: Sequence[str]) -> str:
    """Return what is wrong with cells that count as missing, as the end of a sentence."""
    verb = "is" if len(cells) == 1 else "are"
    if all(cell.strip().endswith("%") for cell in cells):
        return f", which {verb} percent among shares"
    if all(find_currency(cell) for cell in cells):
        return f", which {verb} in another currency than the first price"
    return f": no {'number' if len(cells) == 1 else 'numbers'}"


def _shorten(cells: Sequence[str]) -> str:
    """Join the first cells and count the others."""
    shown = ", ".join(cells[:MAX_NAMED_CELLS])
    if len(cells) > MAX_NAMED_CELLS:
        shown += f" and {len(cells) - MAX_NAMED_CELLS} more"
    return shown
