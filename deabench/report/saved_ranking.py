"""Report a ranking that was saved as CSV: it has scores, but no frontier and no certificates."""

from __future__ import annotations

import hashlib

import pandas as pd

from deabench import __version__
from deabench.report.document import Report, ReportTable, Section
from deabench.report.text.words import count_noun, is_or_are, join_names
from deabench.utils.text import csv_text

COLUMNS = ["efficiency", "rank", "efficient"]


def is_saved_ranking(frame: pd.DataFrame) -> bool:
    """Return whether a CSV is what `deabench rank --format csv` writes: its columns come first."""
    return list(frame.columns[:3]) == COLUMNS


def report_saved_ranking(frame: pd.DataFrame, title: str | None = None) -> Report:
    """Build the report of a saved ranking.

    Parameters
    ----------
    frame : DataFrame
        Columns efficiency, rank, efficient (True or False, also as text).
    title : str, optional
    """
    # A CSV holds `True` as text.
    is_efficient = frame["efficient"].astype(str).str.lower() == "true"
    frame = frame.rename_axis("system").assign(efficient=is_efficient)
    tables = [ReportTable("ranking-table", "Ranking", frame)]
    facts = pd.Series(
        {
            "deabench": __version__,
            "SHA-256 of the ranking as CSV": hashlib.sha256(csv_text(frame).encode()).hexdigest(),
            "certificates": "none: a saved ranking has no λ and no weights",
        },
        name="value",
    ).rename_axis("what")
    provenance = [ReportTable("provenance-table", "What made this report", facts.to_frame())]
    return Report(
        title or "Ranking of systems",
        _summarize_saved(frame),
        [
            Section("ranking", "Ranking", tables=tables),
            Section("provenance", "Provenance", tables=provenance),
        ],
    )


def _summarize_saved(frame: pd.DataFrame) -> list[str]:
    best = frame[frame["efficient"]]
    inefficient_scores = frame.loc[~frame["efficient"], "efficiency"]
    sentences = [
        f"{len(best)} of {count_noun(len(frame), 'system')} {is_or_are(len(best))} efficient: "
        f"{join_names(best.index)}."
    ]
    if len(inefficient_scores) == 1:
        sentences.append(
            f"The other one is not: its efficiency is {inefficient_scores.iloc[0]:.3f}."
        )
    elif len(inefficient_scores):
        sentences.append(
            f"The other {len(inefficient_scores)} are not: their efficiencies go from "
            f"{inefficient_scores.min():.3f} to {inefficient_scores.max():.3f}."
        )
    sentences.append(
        "A saved ranking holds no metrics: give the table itself for the frontier, targets and "
        "certificates."
    )
    return sentences
