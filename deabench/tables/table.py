"""Define the table with roles for its columns, and give the columns their roles."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.blocks import MIN_ROWS, Context, are_alike, judge_columns, measure_scale
from deabench.tables.cells import Numbers
from deabench.tables.columns import OTHER_INPUTS, UNKNOWN_NAME, Column, infer_column
from deabench.tables.naming.patterns import expand_names
from deabench.tables.naming.questions import Question, make_question
from deabench.utils.checks import did_you_mean
from deabench.utils.result import Result

Layout = Literal["wide", "long"]
Kind = Literal[
    "metrics",
    "metrics-in-rows",
    "long",
    "predictions",
    "scores",
    "counts",
    "folds",
    "datasets",
]
"""What a source holds; DEA data are "metrics". `Table.kind` says what each word means."""
KINDS: tuple[Kind, ...] = get_args(Kind)
LowerIsBetter: TypeAlias = Mapping[str, object] | Sequence[str]
USER_SAYS = "you say so"
SHOWN_ROLES = {
    "guess": "output",
    "text": "left_out",
    "unknown": "left_out",
    "conditional": "left_out",
}
"""Roles as `to_frame` shows them; all others are shown as they are."""
ROLE_ORDER = ("output", "guess", "lower_rate", "cost")


class FittedSearch(Protocol):
    """A fitted search of scikit-learn's kind."""

    cv_results_: Mapping[str, Any]


class OptunaStudy(Protocol):
    """A study of Optuna."""

    @property
    def trials(self) -> Sequence[Any]: ...

    @property
    def directions(self) -> Sequence[Any]: ...


class InterchangeFrame(Protocol):
    """A frame of another library: polars, pyarrow, DuckDB, ..."""

    @property
    def columns(self) -> Any: ...


@dataclass(frozen=True, eq=False, repr=False)
class Table(Result):
    """A table with what its columns measure, as `deabench.read` gives it.

    Attributes
    ----------
    frame : DataFrame, systems x numeric columns
        In the user's names and units: every metric, and what is left out but numeric. NaN where a
        cell is empty or no number.
    columns : tuple of Column
        What every column is (name, role, direction, unit, range) and why.
    label : tuple of column names
        What names the systems; empty where rows are numbered or systems are columns.
    layout : "wide" or "long"
        Whether the source had a row per system, or one per system and data set or fold.
    dataset : str or None
        The column of data sets.
    per_dataset : DataFrame or None
        (data set, system) x the columns of `frame`, where there are data sets.
    missing : mapping of column to number
        Empty cells and cells that hold a text (failures), by metric.
    title : str
        The name of the file without its suffix, or what the source is.
    texts : DataFrame or None
        The columns of text of a table with a row per system, as the family of each.
    reading_notes : tuple of str
        What was done to the rows and cells.
    role_notes : tuple of str
        Which roles were guessed, and which columns have none because their name is not known.
    inferred : tuple of Column
        What each column is by itself, before it is held against the others.
    labelled : bool
        Whether the source is a DataFrame whose rows are systems already. Its cells must be numbers.
    failures : mapping of column to mapping of label to text
        Cells of a labelled DataFrame that hold a text in a column of numbers.
    kind : str
        What the source holds. "metrics": a row per system, a column per metric;
        "metrics-in-rows": the same transposed, turned here; "long": several rows per system, over
        data sets or seeds; "folds": one row per fold (or per system and fold) of one data set;
        "datasets": one metric, systems x data sets; "predictions", "scores": true labels with
        predicted labels or scores of instances; "counts": tp, fn, fp, tn of each system.
    rows : DataFrame or None
        The single results that samples are made of; None for "metrics" and "metrics-in-rows".
        One result per row, whatever the form of the source. Columns `classifier` and, where the
        source has them, `dataset`, `fold`, `repeat`, `seed`, `instance`, `cluster`, `weight`; then
        `y_true` with `y_pred`, `score` or both (predictions, scores), `tp`, `fn`, `fp`, `tn`
        (counts), or the numeric columns of `frame` under their own names (long, folds, datasets).
        Systems are called as in `frame`.
    errors : mapping of metric to tuple of columns
        The columns of the source that state how exact a metric is: a standard error, a spread, or
        the two ends of an interval. They are no metrics.
    error_bars : mapping of metric to DataFrame, systems x columns
        The same as numbers, in the metric's unit. Columns are "low" and "high", the ends of an
        interval; or "standard_error", which a ± is taken for. Also where the cells of the metric
        state it (`0.91 [0.88, 0.94]`). Standard deviations of runs are only in `errors`.
    non_discretionary : tuple of str
        Columns that are given and that a system cannot change; they are no metrics.
    undesirable : tuple of str
        Outputs of which less is better (CO2, waste), as their names say; they are inputs unless
        the model treats them otherwise.
    question : Question or None
        What the source does not tell and somebody has to answer before anything is ranked.
    means : mapping of a mean's name to the columns that it stands for
        Like columns that are more than a third of the rows: a ranking takes their mean unless
        `outputs` names them.
    prose : str
        The text around the table in its document.

    Examples
    --------
    >>> import deabench as db
    >>> table = db.read({"model": ["A", "B"], "accuracy": [0.9, 0.8], "latency_ms": [20, 5]})
    >>> table.outputs, table.inputs
    (['accuracy'], ['latency_ms'])
    """

    _text = "table"

    frame: pd.DataFrame
    columns: tuple[Column, ...]
    label: tuple[str, ...] = ()
    layout: Layout = "wide"
    dataset: str | None = None
    per_dataset: pd.DataFrame | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    title: str = ""
    texts: pd.DataFrame | None = None
    reading_notes: tuple[str, ...] = ()
    role_notes: tuple[str, ...] = ()
    inferred: tuple[Column, ...] = ()
    labelled: bool = False
    failures: Mapping[str, Mapping[Hashable, str]] = field(default_factory=dict)
    kind: Kind = "metrics"
    rows: pd.DataFrame | None = None
    errors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    error_bars: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    non_discretionary: tuple[str, ...] = ()
    undesirable: tuple[str, ...] = ()
    question: Question | None = None
    means: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prose: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read, averaged, left out or guessed, as sentences."""
        return (*self.reading_notes, *self.role_notes)

    @property
    def metrics(self) -> list[Column]:
        """The columns that enter a ranking."""
        return [column for column in self.columns if column.metric]

    @property
    def outputs(self) -> list[str]:
        """Metrics for which higher is better."""
        return [column.name for column in self.columns if column.direction == "higher"]

    @property
    def lower_rates(self) -> list[str]:
        """Measures of quality for which lower is better."""
        return [column.name for column in self.columns if column.role == "lower_rate"]

    @property
    def costs(self) -> list[str]:
        """Time, price and size."""
        return [column.name for column in self.columns if column.role == "cost"]

    @property
    def complemented(self) -> dict[str, float]:
        """Rates that enter as complements to their greatest value, with this value."""
        return {column.name: column.high for column in self.columns if column.complemented}

    @property
    def inputs(self) -> list[str]:
        """Columns that enter as inputs: losses without a greatest value, then costs."""
        losses = [name for name in self.lower_rates if name not in self.complemented]
        return [*losses, *self.costs]

    @property
    def guessed(self) -> list[str]:
        """Columns whose direction nobody knows: outputs by a guess, and what is asked about."""
        asked = () if self.question is None else self.question.columns
        return [c.name for c in self.columns if c.role == "guess" or c.name in asked]

    @property
    def undecided(self) -> list[str]:
        """Numeric columns that are left out because no name tells which way is better."""
        return [column.name for column in self.columns if column.role in ("unknown", "conditional")]

    @property
    def left_out(self) -> dict[str, str]:
        """Column to reason, of every column that is no metric."""
        return {column.name: column.reason for column in self.columns if not column.metric}

    @property
    def percent(self) -> list[str]:
        """Columns in percent."""
        return [column.name for column in self.columns if column.unit == "percent"]

    def column(self, name: str) -> Column | None:
        """Return what one column is; None where there is no such column."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def context(self) -> Context:
        """What the surroundings tell about the columns."""
        ranks = (
            self.frame[c.name]
            for c in self.inferred
            if "rank among" in c.reason and c.name in self.frame
        )
        return Context(self.title, self.prose, next(ranks, None))

    def count_alike(self, names: Sequence[str], columns: Sequence[Column]) -> int:
        """Return how many of some columns are of the same scale as the first of `names`."""
        if not names or names[0] not in self.frame:
            return 0
        scale = measure_scale(self.frame[names[0]])
        return sum(
            are_alike(measure_scale(self.frame[column.name]), scale)
            for column in columns
            if column.name in self.frame and column.name not in names
        )

    def expand(
        self, names: Sequence[str], option: str, reserved: Collection[str] = ()
    ) -> list[str]:
        """Return the columns that names and patterns stand for (`mmlu_*`, `a:b`, `rest`).

        Parameters
        ----------
        names : sequence of str
        option : {"outputs", "inputs", "lower_is_better", "ignore"}
            Where they stand: `rest` takes no columns whose names say the contrary.
        reserved : collection of column names
            Named elsewhere: no pattern takes them.
        """
        fitting = {"outputs": ["output"], "ignore": []}.get(option, ["lower_rate", "cost"])
        roles = ("unknown", "conditional", "guess", *fitting)
        numeric = [c.name for c in self.inferred if c.name in self.frame]
        if not numeric:
            numeric = [str(name) for name in self.frame.columns]
        columns = self.columns or self.inferred
        rest = [c.name for c in columns if c.role in roles and c.name in numeric]
        return expand_names([str(name) for name in names], numeric, rest=rest, reserved=reserved)

    def drop_column(self, name: str) -> Table:
        """Return the table without a column of numbers or text."""
        texts = self.texts
        if texts is not None:
            texts = texts.drop(columns=name, errors="ignore")
        return replace(
            self,
            frame=self.frame.drop(columns=name, errors="ignore"),
            columns=tuple(column for column in self.columns if column.name != name),
            inferred=tuple(column for column in self.inferred if column.name != name),
            texts=texts,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column: role, better, unit, low, high and reason."""
        rows: list[tuple[object, ...]] = [
            (name, "label", "", "", float("nan"), float("nan"), "it names the systems")
            for name in self.label
        ]
        if self.dataset is not None:
            reason = "it names the data sets"
            rows.append((self.dataset, "dataset", "", "", float("nan"), float("nan"), reason))
        # Metrics first, as a reader looks for them; the sort keeps the order within a role.
        positions = {role: k for k, role in enumerate(ROLE_ORDER)}
        for c in sorted(self.columns, key=lambda c: positions.get(c.role, len(positions))):
            role = SHOWN_ROLES.get(c.role, c.role)
            rows.append((c.name, role, c.direction, c.unit, *c.range, c.reason))
        names = ["column", "role", "better", "unit", "low", "high", "reason"]
        return pd.DataFrame(rows, columns=names).set_index("column")


TableLike: TypeAlias = (
    Table
    | str
    | os.PathLike[str]
    | pd.DataFrame
    | Mapping[Any, Any]
    | Sequence[Any]
    | FittedSearch
    | OptunaStudy
    | InterchangeFrame
)
"""What every function takes as a table: a Table, a file's name, a DataFrame of any library, a
mapping or a list of records, a fitted search, an Optuna study.
"""


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
        column.name: replace(column, role="left_out", reason=USER_SAYS)
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
        undesirable=tuple(c.name for c in by_name.values() if c.undesirable and c.metric),
        non_discretionary=tuple(c.name for c in by_name.values() if c.role == "non_discretionary"),
    )
    # Whoever declares a direction has seen the columns, and so has who made a frame to be ranked.
    if made_to_rank:
        return assigned
    question = _find_question(assigned, judgement.open_blocks)
    if question is None:
        return assigned
    # What is asked about is no output yet: half of such guesses are costs or losses.
    columns = [
        replace(c, role="unknown", reason=UNKNOWN_NAME) if c.role == "guess" else c
        for c in assigned.columns
    ]
    return replace(assigned, columns=tuple(columns), question=question)


def _find_question(table: Table, open_blocks: Sequence[Sequence[str]]) -> Question | None:
    """Return what has to be asked before the table is ranked; None where enough is known.

    Unknown columns are left out with a note where most of their like enter; a ranking by a remnant
    is asked about.
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
    if not metrics and not columns:
        columns += [name for name in undecided if name in table.frame]
    # What is asked about one column of a block is asked about its mean, too.
    if columns:
        means = [n for n, c in undecided.items() if c.role == "conditional" and n in table.frame]
        columns += [n for n in means if table.count_alike(columns, [undecided[n]])]
    numeric = [column.name for column in table.columns if column.name in table.frame]
    asked = [name for name in numeric if name in columns]
    if not asked:
        return None
    default = _likely_answer(table.frame[asked], can_ignore=bool(metrics))
    return make_question(
        asked,
        [c.name for c in metrics if c.direction == "higher"],
        [c.name for c in metrics if c.complemented],
        [c.name for c in metrics if c.input],
        numeric,
        default,
    )


def _may_measure(values: pd.Series, needs_fractions: bool) -> bool:
    """Return whether a column may be a measurement: neither constant nor, if so, whole numbers."""
    if needs_fractions and not (values.dropna() % 1 != 0).any():
        return False
    return bool(values.nunique() > 1)


def _likely_answer(values: pd.DataFrame, *, can_ignore: bool) -> str:
    """Return the likeliest answer to whether higher or lower is better in some columns.

    Rates are better high, unless the rows are sorted by them upwards; other numbers may be no
    metrics.
    """
    means = values.mean(axis=1)
    if len(values) >= MIN_ROWS and means.is_monotonic_increasing:
        return "lower"
    is_rate = measure_scale(means)[0] in ("share", "percent")
    return "higher" if is_rate or not can_ignore else "ignore"


def leave_out_inputs(columns: Sequence[Column]) -> list[Column]:
    """Leave out proposed inputs, because the user names others."""
    return [
        replace(column, role="left_out", reason=OTHER_INPUTS) if column.input else column
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
            column = replace(column, role="cost", reason=USER_SAYS)
        else:
            column = replace(column, role="lower_rate", high=direction, reason=USER_SAYS)
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
        elif is_number and np.isfinite(float(value)):  # type: ignore[arg-type]
            directions[str(name)] = float(value)  # type: ignore[arg-type]
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
        return replace(column, role="cost", reason=USER_SAYS)
    numbers = Numbers(values.to_numpy(), np.zeros(len(values), dtype=bool), unit)
    inferred = infer_column(column.name, numbers, {column.name: ("lower_rate", USER_SAYS)})
    if inferred.metric:
        return inferred
    return replace(column, role="cost", reason=USER_SAYS)
