"""The options of a file of test results that a table was made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deabench.tables.table import Table

if TYPE_CHECKING:
    from deabench.cli._prediction_files import SampleOptions
    from deabench.results.ranking import Ranking


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
