"""Compute metrics of counts (tp, fn, fp, tn), and pool or average them over folds."""

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
from deabench.utils.frames import pandas_or_same, with_named_rows

WEIGHTED_CELLS = "the cells are sums of sample weights"
"""`attrs["weighted"]` of a frame of cells that need not be whole."""
MAX_SENTENCES = 20
"""Undefined values that `attrs["undefined"]` describes; `undefined` lists them all."""


def from_counts(
    counts: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    beta: float = 1.0,
    dominance: float = 1.0,
    costs: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Compute metrics of 2x2 tables, one table per row.

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
    counts = with_named_rows(counts)
    table = compute_metrics(
        check_counts(counts),
        metrics=metrics,
        beta=beta,
        dominance=dominance,
        costs=costs,
        weights=weights,
    )
    # Notes on folds or labels are passed on; metrics are no sums of weights.
    inherited = {key: value for key, value in counts.attrs.items() if key != "weighted"}
    better = {name: str(direction_of(name)) for name in table.columns}
    table.attrs = {**inherited, **table.attrs, "better": better}
    return table


def undefined(counts: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """List every undefined value of `from_counts(counts, **options)` with its reason.

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
    counts = with_named_rows(counts)
    cells, names = _make_cells(check_counts(counts), **options)
    frames = []
    # The need that is not met tells why a metric has no value.
    for name in names:
        formula = formula_of(name, cells.beta)
        _, failed = evaluate_formula(formula, cells)
        # Row by row, the number of the first unmet need.
        rows = np.flatnonzero(failed)
        reasons = [undefined_reason(formula, failed[row]) for row in rows]
        frame = pd.DataFrame({"metric": name, "reason": reasons}, counts.index[rows], dtype="str")
        frames.append(frame)
    return pd.concat(frames)


def check_counts(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the four cells as float64; refuse what is no count, naming row, column and value.

    Counts are whole numbers, except in a frame that `count` made with sample weights.
    """
    if not isinstance(counts, pd.DataFrame):
        raise DataError(
            f"counts is a {type(counts).__name__}; give a DataFrame with the columns tp, fn, fp, tn"
        )
    for cell in CELLS:
        if cell not in counts.columns:
            raise DataError(f"there is no column '{cell}' in the counts; give tp, fn, fp and tn")
        if not isinstance(counts[cell], pd.Series):
            raise DataError(f"the column '{cell}' appears more than once; give every count once")
    numbers = pd.DataFrame({cell: _parse_counts(counts[cell]) for cell in CELLS}, counts.index)
    values = numbers.to_numpy()
    # NaN and infinity are no counts.
    invalid = ~np.isfinite(values) | (values < 0)
    if not has_weighted_cells(counts):
        # Sums of weights need not be whole.
        invalid |= values != np.floor(values)
    if invalid.any():
        row, column = np.argwhere(invalid)[0]
        value = "missing" if np.isnan(values[row, column]) else f"{values[row, column]:g}"
        raise DataError(
            f"the count '{CELLS[column]}' of '{row_label(counts.index[row])}' is {value}; counts "
            "are whole numbers >= 0"
        )
    return numbers


def has_weighted_cells(counts: pd.DataFrame) -> bool:
    """Return whether the cells are sums of sample weights."""
    return "weighted" in counts.attrs


def compute_metrics(counts: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Compute metrics of cells that need no check: counts, sums of weights or shares."""
    cells, names = _make_cells(counts, **options)
    columns: dict[str, np.ndarray] = {}
    sentences: list[str] = []
    total = 0
    for name in names:
        formula = formula_of(name, cells.beta)
        columns[name], failed = evaluate_formula(formula, cells)
        rows = np.flatnonzero(failed)
        total += len(rows)
        # A few sentences are enough: `undefined` lists every case.
        for row in rows[: max(0, MAX_SENTENCES - len(sentences))]:
            label = row_label(counts.index[row])
            reason = undefined_reason(formula, failed[row])
            sentences.append(f"{name} of '{label}' is undefined: {reason}")
    table = pd.DataFrame(columns, index=counts.index)
    table.attrs["undefined"] = limit_sentences(sentences, total)
    return table


def row_label(row: object) -> str:
    """Return a row's label as text, the parts of a MultiIndex joined."""
    if isinstance(row, tuple):
        return ", ".join(map(str, row))
    return str(row)


def select_metrics(
    metrics: Sequence[str] | None, beta: float = 1.0, *, also: Iterable[str] = ()
) -> list[str]:
    """Return the requested metric names, all by default; refuse unknown ones.

    Parameters
    ----------
    also : iterable of str
        Further names to suggest.
    """
    # F1 has the name of its beta, as F2 or F0.5.
    available = [f_measure_name(beta) if name == "F1" else name for name in METRICS]
    if isinstance(metrics, str):
        raise DataError(f"metrics is the text '{metrics}'; give a list of names, as ['{metrics}']")
    if metrics is not None and len(metrics) == 0:
        raise DataError(
            "metrics is empty; name at least one metric, or leave it out for all of them"
        )
    # Aliases and other spellings are accepted.
    for name in metrics or ():
        if canonical_name(str(name)) not in available:
            hint = HINTS.get(str(name).lower()) or did_you_mean(name, [*available, *also])
            raise DataError(f"there is no metric '{name}'; {hint}")
    if metrics is None:
        return available
    return list(dict.fromkeys(metrics))


def limit_sentences(sentences: Sequence[str], total: int) -> tuple[str, ...]:
    """Return the sentences, and how many of `total` are left out."""
    omitted = total - len(sentences)
    if not omitted:
        return tuple(sentences)
    return (*sentences, f"and {omitted} more: deabench.metrics.undefined lists them all")


def _make_cells(
    counts: pd.DataFrame,
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
    # By default an error costs 1: the total cost is the number of errors.
    default_costs = {"fn": 1.0, "fp": 1.0}
    # Cells that are not named cost 0 and weigh 1.
    all_costs = dict.fromkeys(CELLS, 0.0) | dict(default_costs if costs is None else costs)
    all_weights = dict.fromkeys(CELLS, 1.0) | dict(weights or {})
    _check_cell_numbers(all_costs, "costs", "finite numbers", -np.inf)
    _check_cell_numbers(all_weights, "weights", "finite numbers >= 0", 0.0)
    arrays = {cell: counts[cell].to_numpy(dtype=float) for cell in CELLS}
    cells = Cells(**arrays, beta=beta, dominance=dominance, costs=all_costs, weights=all_weights)
    return cells, select_metrics(metrics, beta)


def _check_cell_numbers(numbers: Mapping[str, float], argument: str, kind: str, low: float) -> None:
    for cell, value in numbers.items():
        if cell not in CELLS:
            raise DataError(f"{argument} names the cell '{cell}'; the cells are tp, fn, fp and tn")
        if not (np.isfinite(value) and value >= low):
            raise DataError(f"{argument}['{cell}'] is {value:g}; {argument} are {kind}")


def _parse_counts(column: pd.Series) -> np.ndarray:
    """Return a column as numbers; refuse text that is none."""
    # Empty cells become NaN and are refused by the caller; text is refused here.
    numeric = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if not pd.api.types.is_numeric_dtype(column):
        for row, cell, number in zip(column.index, column, numeric, strict=True):
            if np.isnan(number) and isinstance(cell, str) and cell.strip():
                raise DataError(
                    f"the count '{column.name}' of '{row_label(row)}' is the text '{cell}'; give a "
                    "number"
                )
    return np.asarray(numeric)


def pooled(counts: pd.DataFrame, by: Hashable | list[Hashable]) -> pd.DataFrame:
    """Pool the folds: add the counts of the rows of each group.

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
    >>> cells = {"tp": [1, 3], "fn": [1, 1], "fp": [0, 4], "tn": [10, 6]}
    >>> folds = pd.DataFrame({"classifier": ["a", "a"], **cells})
    >>> metrics.pooled(folds, "classifier").loc["a"].tolist()
    [4, 2, 4, 16]
    """
    counts = pandas_or_same(counts)
    cells = check_counts(counts)
    is_weighted = has_weighted_cells(counts)
    if not is_weighted:
        # Whole counts stay whole in the pooled table.
        cells = cells.astype("int64")
    table = cells.groupby(_group_keys(counts, by), sort=False, dropna=False).sum()
    if is_weighted:
        table.attrs["weighted"] = counts.attrs["weighted"]
    table.attrs["folds"] = (
        "pooled: the counts of the folds are added, then each metric is computed once"
    )
    return table


def averaged(counts: pd.DataFrame, by: Hashable | list[Hashable], **options: Any) -> pd.DataFrame:
    """Average the folds: compute each metric per row, then its mean over the rows of each group.

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
       Explorations 12(1), 49-57, doi:10.1145/1882471.1882479.

    Examples
    --------
    >>> from deabench import metrics
    >>> import pandas as pd
    >>> cells = {"tp": [1, 3], "fn": [1, 1], "fp": [0, 4], "tn": [10, 6]}
    >>> folds = pd.DataFrame({"classifier": ["a", "a"], **cells})
    >>> metrics.averaged(folds, "classifier", metrics=["TPR", "PPV"]).loc["a"].round(3).tolist()
    [0.625, 0.714]
    """
    counts = with_named_rows(counts)
    return average_folds(from_counts(counts, **options), _group_keys(counts, by))


def average_folds(folds: pd.DataFrame, keys: list[pd.Series]) -> pd.DataFrame:
    """Return the mean over the rows of each group, NaN where one of them is NaN."""
    groups = folds.groupby(keys, sort=False, dropna=False)
    table = groups.agg(lambda column: column.mean(skipna=False))
    # A fold without value leaves the mean undefined, and the sentences count such folds.
    undefined = folds.isna().groupby(keys, sort=False, dropna=False).sum()
    sizes = groups.size().to_numpy()
    sentences = [
        f"{table.columns[column]} of '{row_label(table.index[row])}' is undefined: "
        f"it is undefined in {undefined.iloc[row, column]} of {sizes[row]} folds"
        for row, column in np.argwhere(undefined.to_numpy() > 0)
    ]
    table.attrs["folds"] = "averaged: each metric is computed per fold, then its mean is taken"
    table.attrs["undefined"] = limit_sentences(sentences[:MAX_SENTENCES], len(sentences))
    return table


def _group_keys(counts: pd.DataFrame, by: Hashable | list[Hashable]) -> list[pd.Series]:
    """Return the grouping columns or index levels as Series with the index of the counts."""
    names = by if isinstance(by, list) else [by]
    available = [name for name in [*counts.index.names, *counts.columns] if name is not None]
    keys = []
    for name in names:
        if name is None or name not in available:
            columns = [column for column in available if column not in CELLS]
            raise DataError(
                f"there is no column '{name}' to group by; {did_you_mean(name, columns)}"
            )
        if name in counts.columns:
            values = counts[name]
        else:
            values = counts.index.get_level_values(str(name))
        # By position: an index may hold a label twice.
        keys.append(pd.Series(np.asarray(values), index=counts.index, name=name))
    return keys
