"""`deabench compare`: statistical tests between classifiers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from deabench.cli._io import Format, emit, say


def command(
    file: Annotated[str, typer.Argument(help="CSV: data sets (or folds) in rows, classifiers in columns; - is standard "
                                             "input")],
    control: Annotated[str | None, typer.Option(help="compare the others with this classifier only")] = None,
    lower_is_better: Annotated[bool, typer.Option("--lower-is-better", help="the scores are errors or costs")] = False,
    alpha: Annotated[float, typer.Option(help="level over the family of comparisons")] = 0.05,
    folds: Annotated[int | None, typer.Option(help="the rows are folds of one data set, cross-validated with this k")
                     ] = None,
    long: Annotated[bool, typer.Option("--long", help="the CSV has columns dataset, classifier, score")] = False,
    plot: Annotated[Path | None, typer.Option(help="write the critical-difference diagram to this file")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="write the pairs to this file")] = None,
    form: Annotated[Format, typer.Option("--format", help="how to write the pairs")] = Format.table,
) -> None:
    """Compare classifiers by the test that the shape of the table calls for, and say why that test."""
    from deabench.compare import compare, from_long
    from deabench.tables.reader import read

    table = from_long(read(file).reset_index()) if long else read(file)
    report = compare(table, control=control, lower_is_better=lower_is_better, alpha=alpha, folds=folds)
    if plot is not None:
        from deabench.plot.comparisons.critical import CriticalDifferenceDisplay

        CriticalDifferenceDisplay.from_report(report).plot().save(plot)
    emit(_short(report.pairs) if form is Format.table and out is None else report.pairs.set_index("first"),
         form=form, out=out)
    say(report.summary())
    ranks = ", ".join(f"{name} {value:.3f}" for name, value in report.mean_ranks.sort_values().items())
    say(f"mean ranks: {ranks}")


def _short(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs for a person: what fits in 80 columns. CSV and JSON hold every column."""
    counts = pairs["wins"].astype(str) + "/" + pairs["ties"].astype(str) + "/" + pairs["losses"].astype(str)
    shown = pairs[["first", "second", "difference", "adjusted", "better"]].copy()
    shown.insert(2, "won/tied/lost", counts)
    return shown.set_index("first")
