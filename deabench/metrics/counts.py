"""From counts (tp, fn, fp, tn) to metrics, for any number of rows at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.formulas import (
    CELLS,
    HINTS,
    METRICS,
    Cells,
    canonical_name,
    direction_of,
    evaluate_formula,
    f_measure_name,
    formula_of,
    undefined_reason,
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
    checked = check_counts(counts)
    table = compute_metrics(
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
    cells, names = _cells(check_counts(counts), **options)
    parts = []
    for name in names:
        metric = formula_of(name, cells.beta)
        _, failed = evaluate_formula(metric, cells)
        rows = np.flatnonzero(failed)
        reasons = [undefined_reason(metric, failed[row]) for row in rows]
        parts.append(
            pd.DataFrame({"metric": name, "reason": reasons}, index=counts.index[rows], dtype="str")
        )
    return pd.concat(parts)


def check_counts(counts: pd.DataFrame) -> pd.DataFrame:
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
        ~np.isfinite(values)
        | (values < 0)
        | (values != np.floor(values)) & (not has_weighted_cells(counts))
    )
    if bad.any():
        row, column = np.argwhere(bad)[0]
        value = "missing" if np.isnan(values[row, column]) else f"{values[row, column]:g}"
        raise DataError(
            f"the count '{CELLS[column]}' of '{row_label(counts.index[row])}' is {value}; counts are whole numbers >= 0"
        )
    return numbers


def has_weighted_cells(counts: pd.DataFrame) -> bool:
    """Whether the cells are sums of sample weights."""
    return "weighted" in counts.attrs


def compute_metrics(cells: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Metrics of cells that are known to be good: counts, sums of weights or shares."""
    one, names = _cells(cells, **options)
    columns: dict[str, np.ndarray] = {}
    said: list[str] = []
    total = 0
    for name in names:
        metric = formula_of(name, one.beta)
        columns[name], failed = evaluate_formula(metric, one)
        rows = np.flatnonzero(failed)
        total += len(rows)
        said += [
            f"{name} of '{row_label(cells.index[row])}' is undefined: {undefined_reason(metric, failed[row])}"
            for row in rows[: max(0, SENTENCES - len(said))]
        ]
    table = pd.DataFrame(columns, index=cells.index)
    table.attrs["undefined"] = limit_sentences(said, total)
    return table


def row_label(row: object) -> str:
    """A row's label as text; the parts of a MultiIndex joined."""
    return ", ".join(str(part) for part in row) if isinstance(row, tuple) else str(row)


def select_metrics(
    metrics: Sequence[str] | None, beta: float = 1.0, *, also: Iterable[str] = ()
) -> list[str]:
    """The metric names asked for (all by default), each known; `also` are names to suggest beside
    them.
    """
    known = [f_measure_name(beta) if name == "F1" else name for name in METRICS]
    if isinstance(metrics, str):
        raise DataError(f"metrics is the text '{metrics}'; give a list of names, as ['{metrics}']")
    if metrics is not None and len(metrics) == 0:
        raise DataError(
            "metrics is empty; name at least one metric, or leave it out for all of them"
        )
    for name in metrics or ():
        if canonical_name(str(name)) not in known:
            hint = HINTS.get(str(name).lower()) or did_you_mean(name, [*known, *also])
            raise DataError(f"there is no metric '{name}'; {hint}")
    return known if metrics is None else list(dict.fromkeys(metrics))


def limit_sentences(said: Sequence[str], total: int) -> tuple[str, ...]:
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
    return Cells(
        **arrays, beta=beta, dominance=dominance, costs=each, weights=weigh
    ), select_metrics(metrics, beta)


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
                    f"the count '{column.name}' of '{row_label(row)}' is the text '{cell}'; give a number"
                )
    return np.asarray(numeric)


def pooled(counts: pd.DataFrame, by: Hashable | list[Hashable]) -> pd.DataFrame:
    """Counts of the rows of each group added: the folds pooled, one 2x2 table per classifier.

    Parameters
    ----------
    counts : DataFrame with tp, fn, fp, tn
    by : a column or index level of `counts`, or a list of them
        What names the groups, as 'classifier' or ['classifier', 'data set'].

    Returns
    -------
    DataFrame, groups x (tp, fn, fp, tn)
        In order of first appearance; `attrs["folds"]` says that they are pooled, and `from_counts`
        hands that on.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> folds = pd.DataFrame({"classifier": ["a", "a"], "tp": [1, 3], "fn": [1, 1], "fp": [0, 4], "tn": [10, 6]})
    >>> metrics.pooled(folds, "classifier").loc["a"].tolist()
    [4, 2, 4, 16]
    """
    checked = check_counts(counts)
    result = (
        (checked if has_weighted_cells(counts) else checked.astype("int64"))
        .groupby(_keys(counts, by), sort=False, dropna=False)
        .sum()
    )
    if has_weighted_cells(counts):
        result.attrs["weighted"] = counts.attrs["weighted"]
    result.attrs["folds"] = (
        "pooled: the counts of the folds are added, then each metric is computed once"
    )
    return result


def averaged(counts: pd.DataFrame, by: Hashable | list[Hashable], **options: Any) -> pd.DataFrame:
    """Each metric per row (fold), then its mean over the rows of each group.

    A fold where a metric is undefined leaves the mean undefined (NaN): a mean over the other folds
    would estimate something else. F, PPV and their like then call for `pooled` counts [1]_.

    Parameters
    ----------
    counts : DataFrame with tp, fn, fp, tn
        One row per group and fold.
    by : a column or index level of `counts`, or a list of them
    **options
        As for `from_counts`.

    Returns
    -------
    DataFrame, groups x metrics
        In order of first appearance; `attrs["folds"]` says that they are averaged.

    References
    ----------
    .. [1] Forman and Scholz (2010), Apples-to-apples in cross-validation studies, SIGKDD
    Explorations 12(1), 49-57,
       doi:10.1145/1882471.1882479.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> folds = pd.DataFrame({"classifier": ["a", "a"], "tp": [1, 3], "fn": [1, 1], "fp": [0, 4], "tn": [10, 6]})
    >>> metrics.averaged(folds, "classifier", metrics=["TPR", "PPV"]).loc["a"].round(3).tolist()
    [0.625, 0.714]
    """
    return average_folds(from_counts(counts, **options), _keys(counts, by))


def average_folds(folds: pd.DataFrame, keys: list[pd.Series]) -> pd.DataFrame:
    """The mean over the rows of each group, NaN where one of them is, with the number of undefined
    folds.
    """
    groups = folds.groupby(keys, sort=False, dropna=False)
    table = groups.agg(lambda column: column.mean(skipna=False))
    lacking = folds.isna().groupby(keys, sort=False, dropna=False).sum()
    sizes = groups.size().to_numpy()
    said = [
        f"{table.columns[column]} of '{row_label(table.index[row])}' is undefined: "
        f"it is undefined in {lacking.iloc[row, column]} of {sizes[row]} folds"
        for row, column in np.argwhere(lacking.to_numpy() > 0)
    ]
    table.attrs["folds"] = "averaged: each metric is computed per fold, then its mean is taken"
    table.attrs["undefined"] = limit_sentences(said[:SENTENCES], len(said))
    return table


def _keys(counts: pd.DataFrame, by: Hashable | list[Hashable]) -> list[pd.Series]:
    """The grouping columns or index levels as Series alongside the rows."""
    names = by if isinstance(by, list) else [by]
    known = [*counts.index.names, *counts.columns]
    keys = []
    for name in names:
        if name is None or name not in known:
            offered = [
                known_name
                for known_name in known
                if known_name is not None and known_name not in CELLS
            ]
            raise DataError(
                f"there is no column '{name}' to group by; {did_you_mean(name, offered)}"
            )
        values = (
            counts[name] if name in counts.columns else counts.index.get_level_values(str(name))
        )
        keys.append(pd.Series(np.asarray(values), index=counts.index, name=name))
    return keys
