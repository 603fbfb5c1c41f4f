"""One column: what its name says, held against its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from deabench.tables.cells import Numbers
from deabench.tables.readers.source import Declared
from deabench.tables.vocabulary import Meaning, look_up_metric

AGREES = 0.9
"""A rank column tells a score's direction where their rank correlation is beyond this."""


@dataclass(frozen=True)
class Column:
    """What one column is, and why.

    Attributes
    ----------
    name : str
    role : str
        As in `deabench.tables.vocabulary`, and "text", "unknown" and "guess" (an output for want of
        anything known).
    unit : str
        "share", "percent", "seconds", ...
    low, high : float
        Its range, in its own unit; infinite where it is not known.
    reason : str
    negated : bool
        `neg_*`: a loss with its sign turned.
    """

    name: str
    role: str
    unit: str = ""
    low: float = -np.inf
    high: float = np.inf
    reason: str = ""
    negated: bool = False

    @property
    def metric(self) -> bool:
        return self.role in ("output", "lower_rate", "cost", "guess")

    @property
    def bounded(self) -> bool:
        """Whether it can be complemented: its greatest value is known."""
        return bool(np.isfinite(self.high))

    @property
    def direction(self) -> str:
        return {"output": "higher", "guess": "higher", "lower_rate": "lower", "cost": "lower"}.get(
            self.role, ""
        )


def infer_column(
    name: str, numbers: Numbers | None, said: Mapping[str, tuple[Declared, str]]
) -> Column:
    """What a column is by what its source says of it, else by its name; its values can only object."""
    found = look_up_metric(name)
    if name in said:
        role, reason = said[name]
        found = _declared(found, role, reason)
    if numbers is None:
        return _of_text(name, found, name in said)
    values = numbers.values[np.isfinite(numbers.values)]
    if not len(values):
        return Column(name, "left_out", reason="every cell is empty")
    if found is None:
        return Column(name, "unknown", reason="its name is not known")
    if found.role in ("label", "dataset"):
        whole = bool((values == np.round(values)).all())
        return (
            Column(name, found.role, reason=found.reason)
            if whole
            else Column(name, "unknown", reason="its name is not known")
        )
    return check_range(
        Column(name, found.role, found.unit, found.low, found.high, found.reason, found.negated),
        values,
        numbers.unit,
    )


def _declared(found: Meaning | None, role: Declared, reason: str) -> Meaning:
    """What the source or the user says of the role; the name keeps its unit, and its range where
    both agree.
    """
    if found is None or (found.role != role and {found.role, role} != {"cost", "lower_rate"}):
        return Meaning(
            role,
            found.unit if found is not None and role in ("output", "lower_rate") else "",
            reason=reason,
        )
    return replace(found, role=role, reason=reason)


def _of_text(name: str, found: Meaning | None, said: bool) -> Column:
    if found is not None and (
        found.role in ("label", "dataset") or (said and found.role == "left_out")
    ):
        return Column(name, found.role, reason=found.reason)
    return Column(name, "text", reason="it holds text, no numbers")


def check_range(column: Column, values: np.ndarray, unit: str = "") -> Column:
    """Hold a metric's range against its values: a share above 1 is percent, a size of 0 no size."""
    if not column.metric and column.role != "conditional":
        return column
    if column.negated:
        return _negated(column, values)
    if unit and column.unit in ("", "share"):
        column = replace(column, unit=unit, low=0.0 if unit != "percent" else column.low)
    if column.unit in ("share", "percent") and (column.low, column.high) == (0.0, 1.0):
        return _share(column, values, unit)
    if "size of the model" in column.reason and (values == 0).any():
        return replace(
            column,
            role="left_out",
            reason=f"a size of 0 in {int((values == 0).sum())} rows stands for an unknown one",
        )
    if column.unit in ("share", "percent") and np.isinf(column.low) and np.isinf(column.high):
        return _share(replace(column, low=0.0, high=1.0), values, unit)
    if (values < column.low).any() or (values > column.high).any():
        return replace(
            column,
            low=-np.inf if (values < column.low).any() else column.low,
            high=np.inf if (values > column.high).any() else column.high,
        )
    return column


def _share(column: Column, values: np.ndarray, unit: str) -> Column:
    """A rate is a share where all values are up to 1, percent up to 100, and otherwise of no known
    range.
    """
    if column.name.lower() == "precision" and np.isin(values, (4.0, 8.0, 16.0, 32.0, 64.0)).all():
        return replace(column, role="left_out", reason="it is the precision of numbers, in bits")
    if unit == "percent" or (
        values.max() > 1 + 1e-9 and values.max() <= 100 + 1e-9 and values.min() >= 0
    ):
        return replace(column, unit="percent", low=0.0, high=100.0)
    if values.min() >= 0 and values.max() <= 1 + 1e-9:
        return replace(column, unit="share", low=0.0, high=1.0)
    low = 0.0 if values.min() >= 0 else -np.inf
    return replace(column, unit="", low=low, high=np.inf)


def _negated(column: Column, values: np.ndarray) -> Column:
    if (values > 0).any():
        return replace(
            column,
            role="left_out",
            reason="its name says that its sign is turned, but it holds values above 0; "
            "say which way is better",
        )
    if (column.low, column.high) == (-1.0, 0.0) and values.min() < -1:
        return (
            replace(column, unit="percent", low=-100.0)
            if values.min() >= -100
            else replace(column, unit="", low=-np.inf)
        )
    return column


def infer_direction_from_rank(column: Column, values: pd.Series, ranks: pd.Series | None) -> Column:
    """A bare score or result, whose direction a rank column beside it tells: rank 1 is best."""
    bare = column.role == "conditional" or column.reason.startswith("a score")
    if not bare or values.nunique() < 3:
        return column
    if ranks is None or ranks.nunique() < 3:
        if column.role == "output" and len(values) > 3 and values.is_monotonic_increasing:
            return replace(
                column,
                role="conditional",
                reason="the rows are sorted by it upwards, as they are where lower is "
                "better; say which way it is",
            )
        return column
    rho = values.corr(ranks, method="spearman")
    if rho < -AGREES:
        return replace(
            column, role="output", reason="the rank beside it falls as it rises: higher is better"
        )
    if rho > AGREES:
        return replace(
            column,
            role="lower_rate",
            high=np.inf,
            reason="the rank beside it rises with it: lower is better",
        )
    return column


def mixes_share_and_percent(column: Column, values: np.ndarray) -> bool:
    """Whether a rate holds shares and percent together: .85 beside 90."""
    if column.role != "output" or column.unit != "percent":
        return False
    finite = values[np.isfinite(values)]
    small = finite[(finite > 0) & (finite <= 1)]
    return len(small) > 0 and bool((finite > 1).any()) and float(finite[finite > 1].min()) > 10
