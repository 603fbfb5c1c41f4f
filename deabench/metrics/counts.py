"""From counts (tp, fn, fp, tn) to metrics, for any number of rows at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.aliases import HINTS
from deabench.metrics.formulas import (
    CELLS,
    METRICS,
    Cells,
    canonical,
    direction_of,
    evaluate,
    f_name,
    needed,
    reason,
)
from deabench.utils.checks import did_you_mean

SENTENCES = 20
"""So many undefined values are told one by one in `attrs["undefined"]`; `undefined` lists them all.
"""


def from_counts(
    counts: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    beta: float = 1.0,
    dominance: float = 1.0,
    costs: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Metrics of 2x2 tables, one table per row.

    Parameters
    ----------
    counts : DataFrame, rows x (tp, fn, fp, tn and any others)
        One row per classifier, operating point, fold ...; whole numbers >= 0, or the sums of
        weights of `count`. The index is kept; columns other than the four cells are left out.
    metrics : sequence of names, optional
        Which metrics, in which order; all of `catalogue()` by default.
    beta : float >= 0
        Of the F measure, whose column is named after it: 'F1', 'F2', 'F0.5'.
    dominance : float in [0, 1]
        α, the weight of the dominance TPR − TNR in IBA; 1 is Chao et al.'s.
    costs : mapping of cells to numbers, optional
        Cost of one instance in each cell, in any unit and of any sign; cells not named cost 0. By
        default an error costs 1, so that 'total_cost' counts the errors. 'balancing_cost' takes
        C_fp from here and C_fn = C_fp N / P.
    weights : mapping of cells to numbers >= 0, optional
        Weight of one instance in each cell, for 'weighted_accuracy'; cells not named weigh 1.

    Returns
    -------
    DataFrame, rows x metrics
        A metric that is 0/0 is NaN, never 0, and `attrs["undefined"]` says why (the first 20;
        `undefined` lists them all); a nonzero number over 0 (LR+, LR-, DOR, label odds) is inf.

    Raises
    ------
    DataError
        For a missing column, a negative, fractional or missing count, an unknown metric or cell, a
        parameter out of its range.

    Examples
    --------
    >>> counts = pd.DataFrame({"tp": [6], "fn": [2], "fp": [3], "tn": [9]}, index=["net"])
    >>> from_counts(counts, metrics=["TPR", "TNR", "G-mean"])
         TPR   TNR  G-mean
    net  0.75  0.75    0.75
    """
    checked = whole(counts)
    table = table_of(
        checked, metrics=metrics, beta=beta, dominance=dominance, costs=costs, weights=weights
    )
    better = {name: str(direction_of(name)) for name in table.columns}
    table.attrs = {
        **{k: v for k, v in counts.attrs.items() if k != "weighted"},
        **table.attrs,
        "better": better,
    }
    return table


def undefined(counts: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Every undefined value of `from_counts(counts, **options)` with its reason.

    Returns
    -------
    DataFrame, undefined values x (metric, reason)
        The index is that of `counts`; empty where everything is defined.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"tp": [0], "fn": [2], "fp": [0], "tn": [3]}, index=["never"])
    >>> metrics.undefined(counts)["metric"].tolist()[:2]
    ['PPV', 'FDR']
    """
    cells, names = _cells(whole(counts), **options)
    parts = []
    for name in names:
        metric = needed(name, cells.beta)
        _, failed = evaluate(metric, cells)
        rows = np.flatnonzero(failed)
        reasons = [reason(metric, failed[row]) for row in rows]
        parts.append(
            pd.DataFrame({"metric": name, "reason": reasons}, index=counts.index[rows], dtype="str")
        )
    return pd.concat(parts)


def whole(counts: pd.DataFrame) -> pd.DataFrame:
    """The four cells as float64, or a DataError that names the row, the column and the value.

    They are whole numbers, but for a frame that `count` made with sample weights and marked as
    such."""
    if not isinstance(counts, pd.DataFrame):
        raise DataError(
            f"counts is a {type(counts).__name__}; give a DataFrame with the columns tp, fn, fp, tn"
        )
    for cell in CELLS:
        if cell not in counts.columns:
            raise DataError(f"there is no column '{cell}' in the counts; give tp, fn, fp and tn")
        if not isinstance(counts[cell], pd.Series):
            raise DataError(f"the column '{cell}' appears more than once; give every count once")
    numbers = pd.DataFrame({cell: _numbers(counts[cell]) for cell in CELLS}, index=counts.index)
    values = numbers.to_numpy()
    bad = (
        ~np.isfinite(values) | (values < 0) | (values != np.floor(values)) & (not weighted(counts))
    )
    if bad.any():
        row, column = np.argwhere(bad)[0]
        value = "missing" if np.isnan(values[row, column]) else f"{values[row, column]:g}"
        raise DataError(
            f"the count '{CELLS[column]}' of '{label(counts.index[row])}' is {value}; counts are whole numbers >= 0"
        )
    return numbers


def weighted(counts: pd.DataFrame) -> bool:
    """Whether the cells are sums of sample weights."""
    return "weighted" in counts.attrs


def table_of(cells: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Metrics of cells that are known to be good: counts, sums of weights or shares."""
    one, names = _cells(cells, **options)
    columns: dict[str, np.ndarray] = {}
    said: list[str] = []
    total = 0
    for name in names:
        metric = needed(name, one.beta)
        columns[name], failed = evaluate(metric, one)
        rows = np.flatnonzero(failed)
        total += len(rows)
        said += [
            f"{name} of '{label(cells.index[row])}' is undefined: {reason(metric, failed[row])}"
            for row in rows[: max(0, SENTENCES - len(said))]
        ]
    table = pd.DataFrame(columns, index=cells.index)
    table.attrs["undefined"] = first_of(said, total)
    return table


def label(row: object) -> str:
    """A row's label as text; the parts of a MultiIndex joined."""
    return ", ".join(str(part) for part in row) if isinstance(row, tuple) else str(row)


def chosen(
    metrics: Sequence[str] | None, beta: float = 1.0, *, also: Iterable[str] = ()
) -> list[str]:
    """The metric names asked for (all by default), each known; `also` are names to suggest beside
    them.
    """
    known = [f_name(beta) if name == "F1" else name for name in METRICS]
    if isinstance(metrics, str):
        raise DataError(f"metrics is the text '{metrics}'; give a list of names, as ['{metrics}']")
    if metrics is not None and len(metrics) == 0:
        raise DataError(
            "metrics is empty; name at least one metric, or leave it out for all of them"
        )
    for name in metrics or ():
        if canonical(str(name)) not in known:
            hint = HINTS.get(str(name).lower()) or did_you_mean(name, [*known, *also])
            raise DataError(f"there is no metric '{name}'; {hint}")
    return known if metrics is None else list(dict.fromkeys(metrics))


def first_of(said: Sequence[str], total: int) -> tuple[str, ...]:
    """The sentences, and how many more there are."""
    more = total - len(said)
    return (
        (*said, f"and {more} more: deabench.metrics.undefined lists them all")
        if more
        else tuple(said)
    )


def _cells(
    cells: pd.DataFrame,
    metrics: Sequence[str] | None = None,
    beta: float = 1.0,
    dominance: float = 1.0,
    costs: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
) -> tuple[Cells, list[str]]:
    if not (np.isfinite(beta) and beta >= 0):
        raise DataError(f"beta is {beta:g}; the F measure needs a finite beta >= 0")
    if not 0 <= dominance <= 1:
        raise DataError(f"dominance is {dominance:g}; IBA needs an α from 0 to 1")
    each = {**dict.fromkeys(CELLS, 0.0), **(costs if costs is not None else {"fn": 1.0, "fp": 1.0})}
    weigh = {**dict.fromkeys(CELLS, 1.0), **(weights or {})}
    _known(each, "costs", "finite numbers", -np.inf)
    _known(weigh, "weights", "finite numbers >= 0", 0.0)
    arrays = {cell: cells[cell].to_numpy(dtype=float) for cell in CELLS}
    return Cells(**arrays, beta=beta, dominance=dominance, costs=each, weights=weigh), chosen(
        metrics, beta
    )


def _known(each: Mapping[str, float], what: str, kind: str, low: float) -> None:
    for cell, value in each.items():
        if cell not in CELLS:
            raise DataError(f"{what} names the cell '{cell}'; the cells are tp, fn, fp and tn")
        if not (np.isfinite(value) and value >= low):
            raise DataError(f"{what}['{cell}'] is {value:g}; {what} are {kind}")


def _numbers(column: pd.Series) -> np.ndarray:
    numeric = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if not pd.api.types.is_numeric_dtype(column):
        for row, cell, number in zip(column.index, column, numeric, strict=True):
            if np.isnan(number) and isinstance(cell, str) and cell.strip():
                raise DataError(
                    f"the count '{column.name}' of '{label(row)}' is the text '{cell}'; give a number"
                )
    return np.asarray(numeric)
