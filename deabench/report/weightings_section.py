"""Build the section of a report on all weightings: rank ranges, and when each tied row is first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deabench import plot
from deabench.analysis.weightings.analysis import weightings
from deabench.errors import DataError
from deabench.report.document import Picture, ReportTable, Section
from deabench.report.report_results import selection_of_ranking
from deabench.report.text.weightings import describe_first_rows

if TYPE_CHECKING:
    from deabench.report.report_results import ReportResults
    from deabench.results.weightings import Weightings

MAX_ROWS = 100
"""The weightings of more rows would take longer than the rest of the report."""
MAX_METRICS = 6
SECONDS = 10.0
DRAWS = 4096
MAX_SENTENCES = 12
"""So many rows that can be first are described; the table has all."""


def weightings_section(results: ReportResults) -> Section | None:
    """Show the ranks over all weightings, where several rows share the first rank."""
    result = _weigh(results)
    if result is None:
        return None
    frame = result.to_frame().drop(columns=["best_proved", "worst_proved"])
    frame = frame.rename_axis("classifier")
    sentences = [
        "Efficiency gives each row the weights that suit it best, so that several rows share rank "
        "1. Over all weightings of the metrics, the same for all rows, each takes these ranks.",
        *describe_first_rows(result)[:MAX_SENTENCES],
        "The weights add up to 100 % after each metric is divided by its "
        f"{'range' if result.model == 'value' else 'best value'}; a share of the weightings is no "
        "probability.",
    ]
    pictures = [
        Picture(
            "rank-intervals",
            lambda: plot.RankIntervalDisplay.from_result(result).plot(),
            "Ranks of each row over all weightings, best mean rank first.",
            "Ranks over all weightings; the same numbers are in the table.",
            live=False,
        )
    ]
    if sum(region.share > 0 for region in result.winning_regions.values()) > 1:
        pictures.append(
            Picture(
                "winning-regions",
                lambda: plot.WinningRegionsDisplay.from_result(result).plot(),
                "The weights under which each row is first.",
                "The weights under which each row is first.",
                live=False,
            )
        )
    table = ReportTable("weightings-table", "Ranks over all weightings", frame)
    return Section("weightings", "Every weighting", sentences, [table], pictures)


def _weigh(results: ReportResults) -> Weightings | None:
    """Return the weightings of the ranked table; None where they would tell nothing, or not fit."""
    ranking = results.ranking
    is_tied = int(ranking.efficient.sum()) > 1
    metrics = ranking.data.outputs.shape[1] + ranking.data.inputs.shape[1]
    fits = len(ranking.scores) <= MAX_ROWS and 2 <= metrics <= MAX_METRICS
    is_plain = ranking.own_reference and not ranking.reasons and not ranking.data.given
    if not (is_tied and fits and is_plain):
        return None
    selected = selection_of_ranking(ranking)
    try:
        return weightings(selected.as_table(), draws=DRAWS, time_limit=SECONDS)
    except DataError:
        return None  # the metrics have no weighted sum, as where one is 0 everywhere
