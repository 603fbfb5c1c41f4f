"""Describe how the columns of a table were interpreted."""

from __future__ import annotations

from deabench.report.text.words import count_noun
from deabench.tables.table import Table
from deabench.utils.text import quote_names


def summarize_table(table: Table) -> str:
    """Return which columns are outputs, rates and costs, and which are left out."""
    clauses = [count_noun(len(table.frame), "system")]
    if table.label:
        clauses.append(f"systems are named by {quote_names(table.label)}")
    else:
        clauses.append("systems have no column of names")
    for names, meaning in (
        (table.outputs, "higher is better in"),
        (table.lower_rates, "lower is better in"),
        (table.costs, "costs are"),
    ):
        if names:
            clauses.append(f"{meaning} {quote_names(names)}")
    if table.guessed:
        clauses.append(f"guessed: {quote_names(table.guessed)}")
    if table.left_out:
        clauses.append(f"left out: {quote_names(table.left_out)}")
    return "; ".join(clauses) + "."
