"""The options of predictions and scores, and of the test results that a table was made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd
import typer

import deabench as db
from deabench.cli.options.declarations import reject_options, split_all_names, word_option
from deabench.cli.options.table import TableOptions
from deabench.errors import DataError
from deabench.tables.answers import ANSWER_KINDS
from deabench.tables.read import open_source
from deabench.tables.readers.delimited import read_labelled_csv
from deabench.tables.table import Table
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.inference.samples import Samples
    from deabench.results.ranking import Ranking


@dataclass(frozen=True)
class AnswerOptions:
    """How predictions and scores are read."""

    positive: Annotated[
        str | None,
        typer.Option(
            help="The positive class of predictions and scores. Default: 1 of 0/1 and the like, "
            "else the rarer class."
        ),
    ] = None
    scores: Annotated[
        bool, typer.Option("--scores", help="The columns of a wide file are scores, not labels.")
    ] = False
    threshold: Annotated[
        float | None,
        typer.Option(help="Label positive if score >= this; the columns are then scores."),
    ] = None

    def apply(self, table: Table) -> Table:
        """Return a table of predictions or scores with the class and threshold as typed."""
        if table.kind not in ANSWER_KINDS or table.rows is None:
            return table
        rows = table.rows
        if (self.scores or self.threshold is not None) and "y_pred" in rows:
            # A wide file of scores that are whole numbers may look like one of labels.
            if "score" in rows:
                rows = rows.drop(columns="y_pred")
            else:
                rows = rows.rename(columns={"y_pred": "score"})
        rows = rows.copy(deep=False)
        rows.attrs = {"positive": None, "threshold": self.threshold}
        if "y_true" in rows:
            rows.attrs["positive"] = find_label(self.positive, rows["y_true"])
        return replace(table, rows=rows)


@dataclass(frozen=True)
class SampleFile(AnswerOptions):
    """The file of the test results that a table was made of."""

    uncertainty: Annotated[
        str | None,
        typer.Option(
            help="The file of predictions, counts, folds or data sets that TABLE was made of, as "
            "for 'deabench uncertainty'; --positive, --scores and --threshold are then of it.",
        ),
    ] = None

    def apply(self, table: Table) -> Table:
        """Return a table that holds predictions or scores itself with these options."""
        if self.uncertainty is not None:
            return table
        return super().apply(table)

    def of_ranking(self, ranking: Ranking) -> Samples:
        """Return the samples of the ranked metrics from the file."""
        # Samples import scipy, which a plain ranking does not need.
        from deabench.inference.samples.from_tables import samples_of_data

        file: Any = self.uncertainty
        return samples_of_data(super().apply(db.read(file)), ranking.data)


@dataclass(frozen=True)
class SampledTable(TableOptions):
    """A source with more than one number per system and metric."""

    outputs: Annotated[
        list[str] | None,
        typer.Option(
            "--outputs",
            "--metrics",
            help="Metrics, as TPR,TNR,F1. Default: by the columns' names; of predictions TPR,TNR, "
            "of scores roc_auc.",
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(help="CSV of costs with a row per system; they are taken as exact."),
    ] = None

    design: Annotated[
        str,
        typer.Option(
            help="Of predictions: rows (class counts are random) or classes (they were chosen).",
            **word_option("design", lambda: ("rows", "classes")),
        ),
    ] = "rows"
    clusters: Annotated[
        str | None,
        typer.Option(
            help="The column that names the patient, file, ... of each instance, or 'keel' for "
            "data sets named as KEEL's."
        ),
    ] = None

    def read(self, declared_roles: Mapping[str, str] = MappingProxyType({})) -> Table:
        """Read the files; the column of clusters gets its usual name."""
        if self.clusters in (None, "cluster", "keel"):
            return super().read(declared_roles)
        frame = pd.concat([open_source(file).frame for file in self.files], ignore_index=True)
        if self.clusters not in frame:
            raise DataError(
                f"there is no column '{self.clusters}' of clusters; "
                f"{did_you_mean(self.clusters, list(frame.columns))}"
            )
        return self._interpret(frame.rename(columns={self.clusters: "cluster"}), declared_roles)

    def samples(self, answers: AnswerOptions) -> tuple[Samples, str]:
        """Return the samples of the selected metrics, and what the source calls its systems.

        Raises
        ------
        DataError
            If the source has one number per system and metric.
        """
        # Samples import scipy, which no other verb needs.
        from deabench.inference.samples.from_tables import (
            check_has_samples,
            samples_of_selected,
            samples_of_table,
        )

        table = answers.apply(self.read())
        # Answers on instances are sampled by a design, columns of metrics by blocks or errors.
        check_has_samples(table)
        if table.kind in ANSWER_KINDS:
            reject_options(
                f"is for columns of metrics, and '{self.names}' holds {table.kind}",
                {"--within": self.within, "--inputs": self.inputs},
            )
            outputs = split_all_names(self.outputs)
            samples = samples_of_table(table, outputs=outputs, design=self.design)
        else:
            clusters = {"--clusters": self.clusters} if self.clusters != "keel" else {}
            reject_options(
                f"is for answers on instances, and '{self.names}' holds {table.kind}",
                {"--design": None if self.design == "rows" else self.design, **clusters},
            )
            samples = samples_of_selected(self.select(table), clusters=self.clusters)
        if self.costs is None:
            return samples, table.row_name
        costs = read_labelled_csv(self.costs)
        columns = {str(name): costs[name] for name in costs.columns}
        return samples.with_costs(columns), table.row_name


def find_label(text: str | None, y_true: pd.Series) -> object:
    """Return the class that a text of the command line names, or the text if there is none."""
    # A label read as 1.0 is typed as 1.
    for label in y_true.unique():
        if text == str(label) or (isinstance(label, float) and text == f"{label:g}"):
            return label
    return text
