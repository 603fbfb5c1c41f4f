"""The options of every verb that reads files, and the table that they describe.

A verb takes them as one parameter of type `TableOptions`, or `SourceOptions` where it needs single
results and no metrics; `with_option_groups` makes the command line's options of their fields.
"""

from __future__ import annotations

import ast
import glob
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Self

import typer

import deabench as db
from deabench.cli.options.declarations import (
    list_option,
    missing_words,
    parse_lower_is_better,
    parse_number,
    parse_numbers,
    split_all_names,
    word_option,
)
from deabench.errors import UsageError
from deabench.streaming.files import are_parts_of_one_table, is_multi_file
from deabench.tables.answers import with_metrics
from deabench.tables.cells import blank_codes
from deabench.tables.read import open_source
from deabench.tables.readers.frames import Source
from deabench.tables.recognition.parsed_source import check_declared
from deabench.tables.selected_table import SelectedTable
from deabench.tables.selection import select_table
from deabench.tables.table import Table

VERBS_OF_FUNCTIONS = {"best": "rank"}
"""Functions whose verb has another name."""


@dataclass(frozen=True)
class SourceOptions:
    """The files of a source, and what the user says about its rows."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE...",
            help="Files of any kind (CSV, .xlsx, Parquet, JSON, Markdown, HTML ...), also several "
            "and patterns; 'deabench read TABLE' shows how they are interpreted; - is stdin.",
        ),
    ]
    label: Annotated[
        list[str] | None, typer.Option(help="The columns that name the systems, as A,B.")
    ] = None
    dataset: Annotated[
        str | None,
        typer.Option(help="The column that names the data sets; means are taken over them."),
    ] = None
    ignore: Annotated[
        list[str] | None, typer.Option(help="Columns that are no metrics, as E,F.")
    ] = None
    missing_code: Annotated[
        list[str] | None,
        typer.Option(help="Numbers that stand for an empty cell, as -1 for not measured."),
    ] = None

    @property
    def source(self) -> str | list[str]:
        """The file or pattern, or several."""
        return self.files[0] if len(self.files) == 1 else self.files

    @property
    def names(self) -> str:
        """The files as they are typed, for messages and proposed commands."""
        return shlex.join(self.files)

    @property
    def ignored_columns(self) -> list[str]:
        """The columns that are no metrics."""
        return split_all_names(self.ignore) or []

    @property
    def _missing_codes(self) -> list[float]:
        words = split_all_names(self.missing_code) or []
        return [parse_number(word, "--missing-code") for word in words]

    def open(self) -> Source:
        """Return the raw cells of the files, with empty cells for the codes.

        Raises
        ------
        DataError
            If a column that is named is not there.
        """
        opened = open_source(self.source)
        check_declared(opened.frame, split_all_names(self.label), self.declared_roles)
        if not self._missing_codes:
            return opened
        frame, note = blank_codes(opened.frame, self._missing_codes)
        return replace(opened, frame=frame, read_text=None, notes=(*opened.notes, note))

    @property
    def declared_keys(self) -> dict[str, str]:
        """The columns that name the systems and the data sets of single results."""
        keys = {}
        label = split_all_names(self.label)
        if label:
            keys["classifier"] = label[0]
        if self.dataset is not None:
            keys["dataset"] = self.dataset
        return keys

    @property
    def declared_roles(self) -> dict[str, Any]:
        """The roles of columns that their names do not tell."""
        return {} if self.dataset is None else {self.dataset: "dataset"}

    def of_file(self, file: str) -> Self:
        """Return the same options of another file."""
        return replace(self, files=[file])


@dataclass(frozen=True)
class TableOptions(SourceOptions):
    """The files of a table, and what the user says about its columns and rows."""

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
    def output_names(self) -> list[str] | None:
        """The outputs as they are typed, or None."""
        return split_all_names(self.outputs)

    @property
    def input_names(self) -> list[str] | None:
        """The inputs as they are typed, or None."""
        return split_all_names(self.inputs)

    @property
    def declared_roles(self) -> dict[str, Any]:
        """The roles of columns that their names do not tell."""
        roles: dict[str, Any] = dict.fromkeys(
            split_all_names(self.undesirable) or [], "undesirable"
        )
        non_discretionary = split_all_names(self.non_discretionary) or []
        return {
            **super().declared_roles,
            **roles,
            **dict.fromkeys(non_discretionary, "non_discretionary"),
        }

    def read(self, declared_roles: Mapping[str, str] = MappingProxyType({})) -> Table:
        """Read the files, with roles of columns besides those of the options."""
        return self._interpret(self.source, declared_roles)

    def _interpret(self, source: Any, declared_roles: Mapping[str, str]) -> Table:
        """Return the table of a source under the options of the files."""
        roles: dict[str, Any] = {**declared_roles, **self.declared_roles}
        return db.read(
            source,
            label=split_all_names(self.label),
            roles=roles,
            lower_is_better=parse_lower_is_better(self.lower_is_better),
            ignore=self.ignored_columns,
            missing_code=self._missing_codes or None,
        )

    def read_as_declared(self) -> Table:
        """Read the files with the named outputs and inputs as roles, to show them."""
        table = self.read()
        outputs = table.expand(self.output_names or [], "outputs", [])
        inputs = table.expand(self.input_names or [], "inputs", outputs)
        if not outputs and not inputs:
            return table
        roles: dict[str, Any] = dict.fromkeys(outputs, "output") | dict.fromkeys(inputs, "cost")
        # The metric of a matrix is no column of its file.
        if table.kind == "datasets":
            return replace(db.read(table, roles=roles), kind=table.kind)
        return self.read(roles)

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

    @property
    def typed_words(self) -> list[str]:
        """The files and how they are read, as they are typed."""
        return [*self.files, *_option_words(self._typed_options())]

    def with_commands(self, text: str, model: Mapping[str, str | None] | None = None) -> str:
        """Replace calls with `table` in a text by commands with the files and options as typed.

        Parameters
        ----------
        text : str
        model : mapping of option to word, optional
            What was typed of the model that `deabench.best` has no argument for.

        Examples
        --------
        >>> options = TableOptions(["a.csv"])
        >>> options.with_commands("deabench.rank(table, outputs=['acc']) (by their mean)")
        'deabench rank a.csv --outputs acc (by their mean)'
        """

        def command(call: re.Match[str]) -> str:
            verb = call[1]
            typed = self._typed_options(as_ranked=True)
            if verb == "best":
                typed |= {option: [word] for option, word in (model or {}).items() if word}
            try:
                parsed = ast.parse(call[0], mode="eval").body
                arguments = parsed.keywords if isinstance(parsed, ast.Call) else []
                values = {keyword.arg: ast.literal_eval(keyword.value) for keyword in arguments}
            except (SyntaxError, ValueError):  # a name of the data that looks like a call
                return call[0]
            typed |= {f"--{name}": [_option_text(value)] for name, value in values.items()}
            words = [VERBS_OF_FUNCTIONS.get(verb, verb), *self.files, *_option_words(typed)]
            return shlex.join(["deabench", *words])

        # A reason in brackets follows each call. Names of the data are literals, which may hold
        # brackets themselves.
        literals = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'"()])*"""
        reasons = "by|their|within|each"
        calls = rf"deabench\.(rank|weightings|best)\(table{literals}\)(?= \((?:{reasons}) )"
        # Each command stands on a line of its own.
        return (
            re.sub(calls, command, text)
            .replace(": deabench ", ":\n  deabench ")
            .replace("), deabench ", ")\n  deabench ")
        )

    def _typed_options(self, *, as_ranked: bool = False) -> dict[str, list[str] | None]:
        """Return the options of reading, and of what is ranked, that a proposed command needs."""
        typed = {
            "--label": self.label,
            "--dataset": None if self.dataset is None else [self.dataset],
            "--ignore": self.ignore,
            "--missing-code": self.missing_code,
            "--within": self.within,
            "--undesirable": self.undesirable,
            "--non-discretionary": self.non_discretionary,
        }
        if as_ranked:
            typed |= {
                "--outputs": self.outputs,
                "--inputs": self.inputs,
                "--lower-is-better": self.lower_is_better,
                "--missing": None if self.missing == "refuse" else [self.missing],
            }
        return typed

    def metrics_table(self, table: Table) -> Table:
        """Return a table whose metrics are computed, if it holds answers."""
        return with_metrics(table, [*(self.output_names or []), *(self.input_names or [])] or None)

    def table(self, table: Table | None = None) -> Table:
        """Return the selected metrics of the selected systems as a table, with all notes."""
        selected = self.select(table)
        return replace(selected.as_table(), reading_notes=selected.notes)

    @property
    def streamed_files(self) -> str | list[str] | None:
        """The Parquet files of one table, which are read in batches; None for other sources."""
        if len(self.files) > 1:
            # A shell has replaced the pattern by its files.
            return self.files if are_parts_of_one_table(self.files) else None
        word = self.files[0]
        if not is_multi_file(word):
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


def parse_budget(texts: list[str]) -> dict[str, float]:
    """Parse `latency_ms=20,price=3` as {column: limit}."""
    for text in split_all_names(texts) or []:
        if "=" not in text:
            raise UsageError(f"--within '{text}' has no limit; type --within '{text}=LIMIT'")
    return parse_numbers(texts, "--within") or {}


def _option_text(value: str | list[str] | dict[str, float]) -> str:
    """Return the value of an argument as the command line takes it: `A,B` or `price=3`."""
    if isinstance(value, dict):
        return ",".join(f"{list_option([name])}={limit:.15g}" for name, limit in value.items())
    return list_option([value] if isinstance(value, str) else value)


def _option_words(typed: Mapping[str, list[str] | None]) -> list[str]:
    """Return the options that were typed; values of a repeated option are joined."""
    pairs = [(option, ",".join(texts)) for option, texts in typed.items() if texts]
    return [word for pair in pairs for word in pair]
