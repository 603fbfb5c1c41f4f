"""A report about a ranking that was saved as CSV: its scores, without what only the table could
give.
"""

from __future__ import annotations

import hashlib

import pandas as pd

from deabench import __version__
from deabench.report.document import Report, Section, Table
from deabench.report.text.words import join_names
from deabench.utils.text import csv_text

COLUMNS = ["efficiency", "rank", "efficient"]


def saved(frame: pd.DataFrame) -> bool:
    """Whether a CSV is what `deabench rank --format csv` writes: those three columns first."""
    return list(frame.columns[:3]) == COLUMNS


def of_saved(frame: pd.DataFrame, title: str | None = None) -> Report:
    """The report of a saved ranking.

    Parameters
    ----------
    frame : DataFrame
        Columns efficiency, rank, efficient (True or False, also as text).
    """
    frame = frame.rename_axis("classifier").assign(
        efficient=frame["efficient"].astype(str).str.lower() == "true"
    )
    best, rest = frame[frame["efficient"]], frame[~frame["efficient"]]
    answer = [
        f"{len(best)} of {len(frame)} classifiers {'is' if len(best) == 1 else 'are'} efficient: {join_names(best.index)}."
    ]
    if len(rest):
        answer.append(
            f"The other {len(rest)} are not: their efficiencies go from {rest['efficiency'].min():.3f} to "
            f"{rest['efficiency'].max():.3f}."
        )
    answer.append(
        "A saved ranking holds no metrics: give the table itself for the frontier, targets and certificates."
    )
    digest = hashlib.sha256(csv_text(frame).encode()).hexdigest()
    facts = pd.DataFrame(
        {
            "value": {
                "deabench": __version__,
                "SHA-256 of the ranking as CSV": digest,
                "certificates": "none: a saved ranking has no λ and no weights",
            }
        }
    ).rename_axis("what")
    return Report(
        title or "Ranking of classifiers",
        answer,
        [
            Section("ranking", "Ranking", tables=[Table("ranking-table", "Ranking", frame)]),
            Section(
                "provenance",
                "Provenance",
                tables=[Table("provenance-table", "What made this report", facts)],
            ),
        ],
    )
