"""Show all weightings in a report: rank ranges, and under which weights each tied row is first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deabench import plot
from deabench.report.document import Picture, ReportTable, Section
from deabench.report.text.weightings import describe_first, describe_first_rows, list_first_rows

if TYPE_CHECKING:
    from deabench.report.report_results import ReportResults
    from deabench.results.weightings import Weightings, WinningRegion

MAX_SENTENCES = 12
"""So many rows that can be first are described; the table has all."""


def weightings_section(results: ReportResults) -> Section | None:
    """Show the ranks over all weightings, where several rows share the first rank."""
    result = results.weightings
    if result is None:
        return None
    frame = result.to_frame().drop(columns=["best_proved", "worst_proved"])
    frame = frame.rename_axis(results.row_name)
    sentences = [
        "Efficiency gives each row the weights that suit it best, so that several rows share rank "
        "1. Over all weightings of the metrics, the same for all rows, each takes these ranks.",
        *describe_first_rows(result)[:MAX_SENTENCES],
        "The weights add up to 100 % after each metric is divided by its "
        f"{_unit_of(result)}; a share of the weightings is no probability.",
    ]
    # Ranges of ranks; and where several rows can win, under which weights each does.
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


def weightings_data(results: ReportResults) -> dict[str, Any] | None:
    """Return the rank ranges and winning regions that the page draws; None without the section."""
    result = results.weightings
    if result is None:
        return None
    names = [str(name) for name in results.metrics.columns]
    labels = results.metrics.index
    ranks = result.ranks.loc[labels]
    # The names of the fields are those of the page's `contract.ts`.
    return {
        "metrics": [names.index(name) for name in result.metrics],
        "unit": _unit_of(result),
        "rankBest": ranks["best"].tolist(),
        "rankWorst": ranks["worst"].tolist(),
        "rankMean": ranks["mean_rank"].tolist(),
        "firstShare": ranks["first_share"].tolist(),
        "admissible": result.admissible_vertices.to_numpy().tolist(),
        "regions": [
            {
                "row": labels.get_loc(name),
                "share": region.share,
                "corners": region.vertices.to_numpy().tolist(),
                "least": region.intervals["least"].tolist(),
                "most": region.intervals["most"].tolist(),
                "centroid": region.centroid.tolist(),
                "text": describe_first(result, name),
            }
            for name, region in _order_regions(result)
        ],
    }


def _order_regions(result: Weightings) -> list[tuple[Any, WinningRegion]]:
    """Return the winning regions with their rows, largest first."""
    regions = result.winning_regions
    return [(name, regions[name]) for name in list_first_rows(result) if name in regions]


def _unit_of(result: Weightings) -> str:
    """Return what each metric is divided by before it is weighted."""
    return "range" if result.model == "value" else "best value"
