"""Define the table with roles for its columns, and give the columns their roles."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, get_args

import pandas as pd

from deabench.tables.naming.patterns import expand_names
from deabench.tables.naming.questions import Question
from deabench.tables.naming.vocabulary import has_name
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.directions import Context
from deabench.tables.scales import are_alike, measure_scale
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
    heading : str
        The heading or the caption of the table in its document.
    introduction : str
        The paragraphs between that heading and the table, a line each.
    selected_by : mapping of str to object
        The arguments outputs, inputs and within that selected this table from another one.

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
    heading: str = ""
    introduction: str = ""
    selected_by: Mapping[str, Any] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read, averaged, left out or guessed, as sentences."""
        return (*self.reading_notes, *self.role_notes)

    @property
    def row_name(self) -> str:
        """What the source calls its systems, as "model"; "system" where it has no word."""
        name = self.label[0].strip() if self.label else ""
        # pandas calls a column without a name "Unnamed: 0", and an index may be called so.
        if not name or name.startswith("Unnamed") or name == "index":
            return "system"
        return name

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
        asked_columns = () if self.question is None else self.question.columns
        return [c.name for c in self.columns if c.role == "guess" or c.name in asked_columns]

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
            self.frame[c.name] for c in self.inferred if c.kind == "rank" and c.name in self.frame
        )
        metrics: set[str] = set()
        texts = pd.DataFrame() if self.texts is None else self.texts
        for name in texts:
            if has_name(name, "metric"):
                metrics.update(texts[name].dropna().astype(str))
        metric = metrics.pop() if len(metrics) == 1 else ""
        return Context(
            self.title, self.prose, next(ranks, None), self.heading, metric, self.introduction
        )

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
        unnamed = [c.name for c in columns if c.role in roles and c.name in numeric]
        return expand_names([str(name) for name in names], numeric, rest=unnamed, reserved=reserved)

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
