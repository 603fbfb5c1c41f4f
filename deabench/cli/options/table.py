"""The options of every verb that takes a table, and the table that they describe.

A verb takes them as one parameter of type `TableOptions`; `with_option_groups` makes the command
line's options of its fields.
"""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

import deabench as db
from deabench.cli.options.declarations import (
    missing_words,
    word_option,
)
from deabench.cli.options.parsing import (
    parse_lower_is_better,
    parse_number,
    parse_numbers,
    split_all_names,
)
from deabench.errors import UsageError
from deabench.streaming.files import is_multi_file
from deabench.tables.selected_table import SelectedTable
from deabench.tables.selection import select_table
from deabench.tables.table import Table

if TYPE_CHECKING:
    pass


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
