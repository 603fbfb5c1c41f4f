"""`deabench weightings`: which ranks a row takes over all weightings of the metrics."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import deabench as db
from deabench.cli._io import Format, print_message, print_messages, write_table, write_text
from deabench.cli.options.declarations import (
    Form,
    Out,
    Plot,
    split_all_names,
    with_option_groups,
    word_option,
)
from deabench.cli.options.samples import AnswerOptions
from deabench.cli.options.table import TableOptions
from deabench.errors import UsageError
from deabench.results.option_forms import BOUNDS_BY_METRIC, BOUNDS_BY_PAIR, ValueForm

if TYPE_CHECKING:
    import pandas as pd

    from deabench.results.weightings import Weightings


class WeightingsPicture(enum.StrEnum):
    """A picture of weightings: rank intervals, winning regions, or who always beats whom."""

    ranks = "ranks"
    regions = "regions"
    dominance = "dominance"


class Shown(enum.StrEnum):
    """A table of weightings: ranks, shares of each rank, winning regions, pairs."""

    ranks = "ranks"
    shares = "shares"
    regions = "regions"
    pairs = "pairs"


@with_option_groups
def weightings_command(
    table: TableOptions,
    answers: AnswerOptions,
    *,
    model: Annotated[
        str,
        typer.Option(
            help="ratio (weighted outputs, over weighted inputs) or value (all metrics over their "
            "ranges). Default: value with costs, else ratio.",
            **word_option("model", lambda: ("auto", "ratio", "value")),
        ),
    ] = "auto",
    ratio: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A/B=LEAST:MOST",
            help="Bounds for the ratio of two weights in the metrics' units, as TPR/TNR=0.5:2.",
        ),
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(metavar="A=LEAST:MOST", help="Bounds for what a metric counts, as TPR=0.3:1."),
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option(help="Metrics of the model value that count by their logarithm, as A,B."),
    ] = None,
    draws: Annotated[
        int, typer.Option(help="Weightings that are drawn where shares are not exact.")
    ] = 16384,
    seed: Annotated[int, typer.Option(help="The seed of the draws.")] = 0,
    time_limit: Annotated[
        float, typer.Option(help="Seconds after which rank intervals end with what is proved.")
    ] = 60.0,
    explain: Annotated[
        str | None, typer.Option(help="Explain the ranks of one system instead of the table.")
    ] = None,
    of: Annotated[Shown, typer.Option("--of", help="What the table holds.")] = Shown.ranks,
    out: Out = None,
    form: Form = Format.table,
    plot: Plot = None,
    show: Annotated[
        WeightingsPicture, typer.Option(help="What --plot draws.")
    ] = WeightingsPicture.ranks,
) -> None:
    """Tell which ranks each row of TABLE takes over all weightings of its metrics.

    A rank interval holds at every weighting; shares are those of all weightings.
    """
    chosen_model: Any = model
    result = db.weightings(
        table.table(answers.apply(table.read())),
        model=chosen_model,
        ratios=_parse_bounds(ratio, "--ratio", BOUNDS_BY_PAIR),
        shares=_parse_bounds(share, "--share", BOUNDS_BY_METRIC),
        scale=dict.fromkeys(split_all_names(log) or [], "log"),
        draws=draws,
        seed=seed,
        time_limit=time_limit,
    )
    if plot is not None:
        _draw(result, show, plot)
    print_messages(result.notes)
    if explain is not None:
        write_text(f"{result.explain(explain)}\n", out)
        return
    print_message(result.summary())
    frame, title = _choose_frame(result, of)
    write_table(frame, form=form, path=out, title=title)


def _choose_frame(result: Weightings, shown: Shown) -> tuple[pd.DataFrame, str]:
    """Return the table that is printed, and its title."""
    if shown is Shown.shares:
        title = "Shares of the weightings that give each rank"
        return result.acceptability.loc[result.to_frame().index], title
    if shown is Shown.regions:
        return result.regions, "Weights under which each is first"
    if shown is Shown.pairs:
        title = "Shares of the weightings under which the row is above the column"
        return result.pairwise_shares, title
    return result.to_frame(), "Ranks over all weightings"


def _parse_bounds(texts: list[str] | None, option: str, form: ValueForm) -> Any:
    """Parse `TPR/TNR=0.5:2` or `TPR=0.3:1`, repeated or joined by commas; None stays None."""
    bounds: dict[Any, Any] = {}
    for text in texts or []:
        try:
            parsed: Any = form.read(text)
        except ValueError:
            example = form.syntax.split(",")[0]
            raise UsageError(f"{option} '{text}' cannot be read; write it as {example}") from None
        bounds |= parsed
    return bounds or None


def _draw(result: Weightings, picture: WeightingsPicture, file: Path) -> None:
    displays: dict[WeightingsPicture, Any] = {
        WeightingsPicture.ranks: db.plot.RankIntervalDisplay,
        WeightingsPicture.regions: db.plot.WinningRegionsDisplay,
        WeightingsPicture.dominance: db.plot.DominanceGraphDisplay,
    }
    db.plot.save_figure(displays[picture].from_result(result).plot().figure_, file)
