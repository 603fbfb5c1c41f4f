"""Refuse values that a metric cannot have: an accuracy of 1010 %, or shares beside percent."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.recognition.columns import Column
from deabench.tables.table import Table

MAX_OUTLIERS = 0.2
"""One value, or this share, beyond the range of a metric is an error; more refute the range."""
LEAST_PERCENT = 10
"""A column mixes shares and percent where it has values up to 1 and all others are above this."""
ROUNDING = 1e-6
_PROPORTION = re.compile(
    r"_(?:accs?|accuracy|accuracies|bacc|precision|recall|f1|f1_?score|f_?score|f_measure|auc|auroc"
    r"|roc_auc|auprc|pr_auc|ap|map\d*|sensitivity|specificity|tpr|tnr|ppv|npv|ndcg\w*|mrr|iou|miou"
    r"|dice|jaccard|top\d+|fpr|fnr|eer|error_rate|mcc|kappa"
    r"|(?:hit|success|pass|win|detection|miss|failure|answer|completion)_rate)_"
)
"""Metrics that are proportions or coefficients by definition; rates of word errors exceed 1."""
_UNBOUNDED_ERRORS = re.compile(r"_(?:word|character|char|phone|phoneme|match|slot)_error_rate_")
_JOINED = r"[-+]?\d+(\.\d+)?%?(\s*[/|;]\s*[-+]?\d+(\.\d+)?%?)+\.?"
"""A cell with several numbers."""


def refuse_impossible_values(column: Column, values: pd.Series) -> None:
    """Refuse a metric with few values beyond its range, or with shares beside percent.

    What is declared by the user is not checked: then the name means something else.

    Parameters
    ----------
    values : Series
        The column, by the names of the systems.

    Raises
    ------
    DataError
        With the row, the column and the value.
    """
    meaning = look_up_metric(column.name)
    words = parse_name(column.name).all_words
    if meaning is None or not np.isfinite([meaning.low, meaning.high]).all():
        return
    if meaning.better == "neither" or column.declared or column.kind in ("user", "declared"):
        return
    states_percent = "_percent_" in words
    if not states_percent and (
        not _PROPORTION.search(words) or _UNBOUNDED_ERRORS.search(words) or meaning.high > 1
    ):
        return
    numbers = values.to_numpy(dtype=float)
    is_finite = np.isfinite(numbers)
    # Most columns hold shares alone, and this tells it ten times as fast.
    if not states_percent and (np.abs(numbers[is_finite]) <= 1 + ROUNDING).all():
        return
    finite = values[is_finite].astype(float)
    is_share = finite.abs() <= 1 + ROUNDING
    remedy = f"correct it, or name '{column.name}' in outputs or lower_is_better if it is right"
    # Most values tell whether the column is in percent.
    is_percent = states_percent or is_share.mean() < 0.5
    limit = 100.0 if is_percent else 1.0
    outliers = finite[finite > limit * (1 + ROUNDING)]
    few = max(1, int(MAX_OUTLIERS * len(finite)))
    shares = finite[is_share & (finite != 0)]
    percents = finite[~is_share]
    # Percent is far above shares: 0.7 beside 1.7 is no mixture.
    is_mixed = len(shares) > 0 and len(percents) > 0 and float(percents.min()) > LEAST_PERCENT
    if is_mixed and not states_percent and float(percents.max()) <= 100:
        raise DataError(
            f"'{column.name}' of '{shares.index[0]}' is {shares.iloc[0]:g} and of "
            f"'{percents.index[0]}' {percents.iloc[0]:g}, a share beside percent; multiply the "
            f"shares by 100, or name '{column.name}' in outputs or lower_is_better if all are right"
        )
    if 0 < len(outliers) <= few < len(finite):
        raise DataError(
            f"'{column.name}' of '{outliers.index[0]}' is {outliers.iloc[0]:g}, which is above its "
            f"greatest possible value {limit:g}; {remedy}"
        )


def mixes_share_and_percent(column: Column, values: np.ndarray) -> bool:
    """Return whether a rate holds shares and percent together: .85 and 90."""
    if column.role != "output" or column.unit != "percent":
        return False
    finite = values[np.isfinite(values)]
    # A table in percent has hardly a value below 1; next to values above 10 it is a share.
    above_one = finite[finite > 1]
    shares = finite[(finite > 0) & (finite <= 1)]
    return len(shares) > 0 and len(above_one) > 0 and float(above_one.min()) > LEAST_PERCENT


def refuse_joined_numbers(table: Table) -> None:
    """Refuse a table in which cells of a metric hold two numbers, as "75.7 / 76.2" or "6/8".

    Beside resources alone every such column may be what they are spent on.
    """
    if table.labelled or table.texts is None:
        return
    unreadable = {}
    has_quality = not all(column.input for column in table.metrics)
    text_columns = [c.name for c in table.columns if c.role == "text" and c.name in table.texts]
    for name in text_columns:
        meaning = look_up_metric(name)
        cells = table.texts[name].dropna().astype(str).str.strip()
        pairs = cells[cells.str.fullmatch(_JOINED)]
        if meaning is None or meaning.role == "conditional":
            may_measure = not has_quality
        else:
            may_measure = meaning.better != "neither"
        if may_measure and 2 * len(pairs) > len(cells):
            unreadable[name] = pairs
    if not unreadable:
        return
    name, pairs = next(iter(unreadable.items()))
    error = DataError(
        f"'{name}' of '{pairs.index[0]}' is '{pairs.iloc[0]}', which is no number; "
        f"write one number in each cell, or pass ignore=['{name}'] to leave it out"
    )
    error.options = {"ignore": tuple(unreadable)}
    raise error
