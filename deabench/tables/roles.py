"""What every column is and why, as one record: the proposal that `deabench read` prints and `rank`
follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from deabench.tables.columns import Column
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Roles(Result):
    """What every column of a table is taken for.

    Attributes
    ----------
    label : tuple of column names
        What names the systems; empty where rows are numbered or systems are columns.
    columns : tuple of Column
        Every metric and every column that is left out.
    dataset : str or None
        The column of data sets.
    others : tuple of str
        What else tells rows apart and is averaged over: folds, seeds.
    """

    label: tuple[str, ...]
    columns: tuple[Column, ...]
    dataset: str | None = None
    others: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def outputs(self) -> list[str]:
        """Metrics that are better high."""
        return [c.name for c in self.columns if c.role in ("output", "guess")]

    @property
    def lower_rates(self) -> list[str]:
        """Measures of quality that are better low."""
        return [c.name for c in self.columns if c.role == "lower_rate"]

    @property
    def costs(self) -> list[str]:
        """What is spent: time, price, size."""
        return [c.name for c in self.columns if c.role == "cost"]

    @property
    def guessed(self) -> list[str]:
        """Outputs of an unknown name, taken as better high for want of anything known."""
        return [c.name for c in self.columns if c.role == "guess"]

    @property
    def unknown(self) -> list[str]:
        """Numeric columns that are left out because their name is not known or does not tell a
        direction.
        """
        return [c.name for c in self.columns if c.role in ("unknown", "conditional")]

    @property
    def left_out(self) -> dict[str, str]:
        """Column to reason, of every column that is no metric of the proposal."""
        return {c.name: c.reason for c in self.columns if not c.metric}

    @property
    def percent(self) -> list[str]:
        """Columns in percent."""
        return [c.name for c in self.columns if c.unit == "percent"]

    @property
    def metrics(self) -> list[Column]:
        return [c for c in self.columns if c.metric]

    def to_frame(self) -> pd.DataFrame:
        """One row per column: `role`, `better` ("higher" or "lower"), `unit`, `low`, `high` and
        `reason`.
        """
        rows = [
            (name, "label", "", "", float("nan"), float("nan"), "it names the systems")
            for name in self.label
        ]
        if self.dataset is not None:
            rows.append(
                (
                    self.dataset,
                    "dataset",
                    "",
                    "",
                    float("nan"),
                    float("nan"),
                    "it names the data sets",
                )
            )
        shown = {
            "guess": "output",
            "text": "left_out",
            "unknown": "left_out",
            "conditional": "left_out",
        }
        order = ("output", "guess", "lower_rate", "cost")
        columns = sorted(
            self.columns, key=lambda c: order.index(c.role) if c.role in order else len(order)
        )
        rows += [
            (c.name, shown.get(c.role, c.role), c.direction, c.unit, c.low, c.high, c.reason)
            for c in columns
        ]
        return pd.DataFrame(
            rows, columns=["column", "role", "better", "unit", "low", "high", "reason"]
        ).set_index("column")

    def summary(self) -> str:
        """What is high, what is low, what is spent, what is left out."""
        parts = [
            f"systems are named by {quote_names(self.label)}"
            if self.label
            else "systems have no column of names"
        ]
        for names, what in (
            (self.outputs, "higher is better in"),
            (self.lower_rates, "lower is better in"),
            (self.costs, "costs are"),
        ):
            if names:
                parts.append(f"{what} {quote_names(names)}")
        if self.guessed:
            parts.append(f"guessed: {quote_names(self.guessed)}")
        if self.left_out:
            parts.append(f"left out: {quote_names(list(self.left_out))}")
        return "; ".join(parts) + "."


def quote_names(names: Sequence[str], most: int = 8) -> str:
    """`'a', 'b' and 3 more`."""
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
