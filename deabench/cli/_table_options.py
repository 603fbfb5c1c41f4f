"""The options of every verb that takes a table, and the table that they describe.

A verb takes them as one parameter of type `TableOptions`; `with_option_groups` makes the command
line's options of its fields.
"""

from __future__ import annotations

import functools
import glob
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

import deabench as db
from deabench.cli._options import (
    missing_words,
    model_hints,
    model_names,
    option_hints,
    option_words,
    parse_lower_is_better,
    parse_number,
    parse_numbers,
    reject_options,
    split_all_names,
    word_option,
)
from deabench.errors import DataError, UsageError
from deabench.tables.selected_table import SelectedTable
from deabench.tables.selection import select_table
from deabench.tables.table import Table

if TYPE_CHECKING:
    from deabench.cli._prediction_files import SampleOptions
    from deabench.models.options import ModelRequest
    from deabench.results.ranking import Ranking


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter whose type is a dataclass by the dataclass's fields.

    typer reads the signature of the returned function, so that a group of options is declared once.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _field_parameters(hints[name])
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(kind=kind, annotation=hints[name]))

    @functools.wraps(command)
    def call(**values: Any) -> None:
        for name, group in groups.items():
            names = [field.name for field in fields(group) if field.name in values]
            values[name] = group(**{field: values.pop(field) for field in names})
        command(**values)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _field_parameters(group: Any) -> Iterator[inspect.Parameter]:
    """Return the fields of a dataclass as parameters of a function."""
    hints = get_type_hints(group, include_extras=True)
    return (
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name, p in inspect.signature(group).parameters.items()
    )


@dataclass(frozen=True)
class TableOptions:
    """The files of a table, and what the user says about its columns and rows."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE...",
            help="Files of any kind (CSV, .xlsx, Parquet, JSON, Markdown, HTML ...), also several "
            "and patterns; 'deabench read TABLE' shows how they are interpreted; - is stdin.",
        ),
    ]
    outputs: Annotated[
        list[str] | None,
        typer.Option(help="Metrics that are better high, as A,B. Default: by the columns' names."),
    ] = None
    inputs: Annotated[list[str] | None, typer.Option(help="Costs, as C,D.")] = None
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            help="Metrics that are better low, as error,latency; or with their maximum or as "
            "inputs: error=1,logloss=input."
        ),
    ] = None
    ignore: Annotated[
        list[str] | None, typer.Option(help="Columns that are no metrics, as E,F.")
    ] = None
    label: Annotated[
        list[str] | None, typer.Option(help="The columns that name the systems, as A,B.")
    ] = None
    dataset: Annotated[
        str | None,
        typer.Option(help="The column that names the data sets; means are taken over them."),
    ] = None
    missing: Annotated[
        str,
        typer.Option(
            help="Empty cells: refuse, drop-systems, drop-metrics, or of rank bounds.",
            **word_option("missing", missing_words),
        ),
    ] = "refuse"
    within: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LIMIT", help="A budget, as latency_ms=20: only systems within it count."
        ),
    ] = None
    missing_code: Annotated[
        list[str] | None,
        typer.Option(help="Numbers that stand for an empty cell, as -1 for not measured."),
    ] = None
    undesirable: Annotated[
        list[str] | None,
        typer.Option(help="Outputs of which less is better, as CO2; they enter as inputs."),
    ] = None
    non_discretionary: Annotated[
        list[str] | None,
        typer.Option(help="Columns that are given and cannot be changed, as F,G."),
    ] = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse to guess what an unknown column measures.")
    ] = False

    @property
    def source(self) -> str | list[str]:
        """The file or pattern, or several."""
        return self.files[0] if len(self.files) == 1 else self.files

    @property
    def output_names(self) -> list[str] | None:
        """The outputs as they are typed, or None."""
        return split_all_names(self.outputs)

    @property
    def input_names(self) -> list[str] | None:
        """The inputs as they are typed, or None."""
        return split_all_names(self.inputs)

    def read(self, declared_roles: Mapping[str, str] = MappingProxyType({})) -> Table:
        """Read the files, with roles of columns besides those of the options."""
        roles: dict[str, Any] = dict(declared_roles)
        for names, role in (
            (self.undesirable, "undesirable"),
            (self.non_discretionary, "non_discretionary"),
        ):
            roles |= dict.fromkeys(split_all_names(names) or [], role)
        if self.dataset is not None:
            roles[self.dataset] = "dataset"
        codes = [
            parse_number(text, "--missing-code")
            for text in split_all_names(self.missing_code) or []
        ]
        return db.read(
            self.source,
            label=split_all_names(self.label),
            roles=roles,
            lower_is_better=parse_lower_is_better(self.lower_is_better),
            ignore=split_all_names(self.ignore) or [],
            missing_code=codes or None,
        )

    def read_as_declared(self) -> Table:
        """Read the files with the named outputs and inputs as roles, to show them."""
        table = self.read()
        outputs = table.expand(self.output_names or [], "outputs", [])
        inputs = table.expand(self.input_names or [], "inputs", outputs)
        if not outputs and not inputs:
            return table
        return self.read(dict.fromkeys(outputs, "output") | dict.fromkeys(inputs, "cost"))

    def select(self, table: Table | None = None) -> SelectedTable:
        """Select metrics and the systems within the budget, of a table or of the files."""
        missing: Any = self.missing
        selected = select_table(
            self.read() if table is None else table,
            outputs=self.output_names,
            inputs=self.input_names,
            missing=missing,
            strict=self.strict,
        )
        if self.within is None:
            return selected
        from deabench.analysis.budget import select_within_budget

        return select_within_budget(selected, parse_budget(self.within))

    def table(self) -> Table:
        """Return the selected metrics of the selected systems as a table, with all notes."""
        selected = self.select()
        return replace(selected.as_table(), reading_notes=selected.notes, question=None)

    @property
    def stream_pattern(self) -> str | None:
        """The word that names many Parquet files or a folder, which are read in batches."""
        from deabench.streaming.files import is_multi_file

        word = self.files[0]
        if len(self.files) > 1 or not is_multi_file(word):
            return None
        paths = glob.glob(word)
        is_parquet = Path(word).is_dir() or all(path.endswith(".parquet") for path in paths)
        return word if is_parquet else None

    def streaming_keywords(self) -> dict[str, Any]:
        """Return the arguments of functions that read many files in batches."""
        return {
            "outputs": self.output_names,
            "lower_is_better": parse_lower_is_better(self.lower_is_better),
            "label": split_all_names(self.label),
            "missing": self.missing,
        }

    def of_file(self, file: str) -> TableOptions:
        """Return the same options of another file."""
        return replace(self, files=[file])


def parse_budget(texts: list[str]) -> dict[str, float]:
    """Parse `latency_ms=20,price=3` as {column: limit}."""
    for text in split_all_names(texts) or []:
        if "=" not in text:
            raise UsageError(f"--within '{text}' has no limit; type --within '{text}=LIMIT'")
    return parse_numbers(texts, "--within") or {}


@dataclass(frozen=True)
class ModelWords:
    """The model and its options."""

    model: Annotated[
        str | None,
        typer.Option(
            help="The DEA model; 'deabench models' lists them. Default: wei, or with costs ccr "
            "under variable returns to scale.",
            **word_option("model", model_names, model_hints),
        ),
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An option of the model, as direction=range; 'deabench models MODEL' lists them. "
            "Repeat it for several.",
        ),
    ] = None
    returns: Annotated[
        str | None,
        typer.Option(
            help="Returns to scale: crs, vrs, nirs or ndrs, if the model has them.",
            **word_option("returns", option_words("returns"), option_hints),
        ),
    ] = None
    orientation: Annotated[
        str | None,
        typer.Option(
            help="Change the outputs, the inputs or both: output, input or none, if the model has "
            "it.",
            **word_option("orientation", option_words("orientation"), option_hints),
        ),
    ] = None

    def request(self) -> ModelRequest:
        """Return the model that the options describe.

        Raises
        ------
        UsageError
            If the model does not have an option, or --option stands without --model.
        """
        from deabench.models.options import ModelRequest, parse_options

        if not self.option:
            return ModelRequest(self.model, self.returns, self.orientation)
        if self.model is None:
            raise UsageError(f"--option {self.option[0]} needs a model; type --model NAME, too")
        # The model's own options check these words, too.
        try:
            options = parse_options(self.model, self.option)
            return ModelRequest(self.model, self.returns, self.orientation, options)
        except DataError as error:
            raise UsageError(str(error)) from None


@dataclass(frozen=True)
class SampleFile:
    """The file of the test results that a table was made of."""

    uncertainty: Annotated[
        Path | None,
        typer.Option(
            help="CSV of the predictions, counts, folds or data sets that TABLE was made of, as "
            "for 'deabench uncertainty'.",
        ),
    ] = None
    scores: Annotated[
        bool, typer.Option("--scores", help="The file of --uncertainty holds scores, not labels.")
    ] = False
    threshold: Annotated[
        float | None, typer.Option(help="The threshold of the scores of --uncertainty.")
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(help="The positive class of --uncertainty. Default: the rarer class."),
    ] = None

    @property
    def answer_options(self) -> SampleOptions:
        """The class and the threshold of predictions and scores."""
        from deabench.cli._prediction_files import SampleOptions

        return SampleOptions(None, self.positive, self.scores, self.threshold)

    def read_answers(self, table: Table) -> Table:
        """Return a table that holds predictions or scores itself with these options."""
        if self.uncertainty is not None or table.rows is None:
            return table
        # Metrics import scipy, which a plain ranking does not need.
        from deabench.cli._prediction_files import with_answer_options

        return with_answer_options(table, self.answer_options)

    def add_to(self, ranking: Ranking) -> Ranking:
        """Return a ranking with intervals and verdicts from the file."""
        from deabench.cli._prediction_files import add_uncertainty

        if self.uncertainty is None:
            return ranking
        return add_uncertainty(ranking, self.uncertainty, self.answer_options)


@dataclass(frozen=True)
class Streaming:
    """How many files are read."""

    tolerance: Annotated[
        float,
        typer.Option(
            help="Many files: rows with an efficiency of at most 1 + this may be left out."
        ),
    ] = 0.0
    kept: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Many files: store finished parts here, so that a stopped run can continue.",
        ),
    ] = None
    scheduler: Annotated[
        str | None, typer.Option(help="Many files: the address of a Dask cluster that reads them.")
    ] = None

    def reject(self) -> None:
        """Refuse these options for a table that is read at once."""
        typed = {"--tolerance": self.tolerance or None, "--kept": self.kept}
        reject_options("is for many files", {**typed, "--scheduler": self.scheduler})
