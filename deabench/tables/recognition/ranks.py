"""Tell which way is better by ranks: those of the rows, and columns that hold ranks themselves.

1. A bare "score" takes its direction from the rank column beside it, and so do its parts.
2. The ranks of n systems on one data set are 1 to n, with the mean (n + 1) / 2, and so are means of
   ranks over many data sets: no other measurement has this mean in one column after the other.
3. Criteria that are given as ranks begin at 1 and rise with the overall rank.
4. A mean rank by which the rows are ranked is the metric where nothing else is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from deabench.tables.naming.parsing import parse_name
from deabench.tables.recognition.columns import MIN_RANK_CORRELATION, Column
from deabench.tables.recognition.directions import Context
from deabench.utils.lazy import lazy_pattern

MIN_ROWS_ASKED = 4
"""So many systems are needed for the question whether numbers are ranks."""
MIN_ROWS_RANKED = 6
"""Of fewer systems a mean of (n + 1) / 2 may be chance, as in an example of small numbers."""
LEAST_COLUMNS = 2
ROUNDING = 0.002
"""The share by which rounded ranks may miss their mean."""
LARGEST_SHIFT = 0.5
"""The share by which the mean ranks of a part of the systems may miss that mean."""
_SPEAKS_OF_RANKS = lazy_pattern(
    r"\b(mean|average|avg\.?|friedman)\s+rank(s|ing|ings)?\b|\branks? (of|over|across|per)\b",
    re.IGNORECASE,
)
_ARE_RANKS = lazy_pattern(
    r"\b(numbers?|values?|cells|entries|figures|results|scores?|columns?|table)\b[^.\n|]{0,30}"
    r"\b(is|are|shows?|gives?|lists?|reports?|holds?)\b[^.\n|]{0,30}\brank(s|ings?)?\b",
    re.IGNORECASE,
)
"""What says of the numbers of a table that they are ranks."""
_HIGH_IS_BEST = lazy_pattern(
    r"\b([2-9]|\d\d+) ?(is|=|means) ?(the )?(best|highest)\b|\b(higher|highest) ranks? "
    r"(is|are) (better|best)\b",
    re.IGNORECASE,
)
_RANK = lazy_pattern(r"_(rank(s|ed|ing|ings)?|friedman)_")
LEAST_RANKED = 2
"""So many criteria are ranks together."""
LEAST_RANKED_ROWS = 10
"""So many rows are needed before criteria are told to be ranks."""
LEAST_MEAN_RANKS = 3
"""So many rows are needed before their order shows that they are ranked by a mean rank."""
NEAR_ONE = 0.999
LEAST_RANK_CORRELATION = 0.4
"""So far the rank in a criterion rises with the overall rank."""
LEAST_PART_CORRELATION = 0.5
"""So far the parts of a score rise with the rank."""
LEAST_RANKS = 8
"""So many ranks show that scores rise with them."""


def infer_direction_from_rank(column: Column, values: pd.Series, ranks: pd.Series | None) -> Column:
    """Infer the direction of a bare score from the rank column of its table, where rank 1 is best.

    Without ranks, a score by which the rows are sorted upwards has no known direction: tables are
    sorted from best to worst.
    """
    # Only a name such as "score" needs the rank: all others tell their direction themselves.
    bare_score = column.role == "conditional" or column.kind == "score"
    if not bare_score or values.nunique() < 3:
        return column
    if ranks is None or ranks.nunique() < 3:
        if column.role == "output" and len(values) > 3 and values.is_monotonic_increasing:
            reason = (
                "the rows are sorted by it upwards, as they are where lower is better; "
                "say which way it is"
            )
            return column.with_role("conditional", reason, "ascending score")
        return column
    # Rank 1 is best: a score that rises as the rank falls is better high.
    correlation = values.corr(ranks, method="spearman")
    if correlation < -MIN_RANK_CORRELATION:
        reason = "the rank beside it falls as it rises: higher is better"
        return column.with_role("output", reason)
    if correlation > MIN_RANK_CORRELATION:
        reason = "the rank beside it rises with it: lower is better"
        return column.with_role("lower_rate", reason, high=np.inf)
    return column


def agree_on_ranked_scores(
    columns: Sequence[Column], frame: pd.DataFrame, ranks: pd.Series
) -> list[Column]:
    """Take all that is called a score as better low where the rows are ranked by one that is.

    "Overall Score" that rises with the rank is an error, as a Brier score, and so are its parts.
    """
    scores = [
        c.name
        for c in columns
        if c.name in frame and c.metric and _is_called_score(c) and frame[c.name].nunique() > 1
    ]
    # Powers of two and other settings are no ranks: these go from 1 to the number of rows.
    are_ranks = ranks.min() == 1 and ranks.max() <= len(ranks) and ranks.nunique() >= LEAST_RANKS
    if not are_ranks or not scores:
        return list(columns)
    correlations = frame[scores].corrwith(ranks, method="spearman").dropna()
    if correlations.empty or correlations.max() < MIN_RANK_CORRELATION:
        return list(columns)
    reason = f"the rank beside '{correlations.idxmax()}' rises with it: lower is better"
    judged_columns = []
    for column in columns:
        if column.name in scores and column.direction == "higher":
            # What hardly rises with the rank may be a score of another kind.
            if correlations.get(column.name, 0.0) >= LEAST_PART_CORRELATION:
                column = column.with_role("lower_rate", reason, "loss", high=np.inf, unit="")
            else:
                column = column.with_role("conditional", reason, "open")
        judged_columns.append(column)
    return judged_columns


def _is_called_score(column: Column) -> bool:
    """Return whether a name says score, and of no metric: "Mean F1 score" has a direction."""
    words = parse_name(column.name).words
    if not words.endswith("_score_"):
        return False
    if column.kind in ("score", "benchmark", "data set score"):
        return True
    measured = re.sub(r"_(overall|total|average|avg|mean|final|resolved|score)(?=_)", "", words)
    return not measured.strip("_")


def take_ranks(columns: Sequence[Column], frame: pd.DataFrame, context: Context) -> list[Column]:
    """Take columns for ranks where their values, the text or the overall rank tell it."""
    columns = find_mean_ranks(columns, frame, context)
    columns = take_criteria_as_ranks(columns, frame, context.ranks)
    return take_lone_mean_rank(columns, frame, context.ranks)


def find_mean_ranks(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Take columns for mean ranks where their means tell it, and ask where the text does."""
    candidates = [column for column in columns if _may_hold_ranks(column, frame)]
    count = len(frame)
    mean = (count + 1) / 2
    is_mean = [abs(frame[c.name].mean() - mean) <= ROUNDING * mean for c in candidates]
    ranked = {c.name for c in candidates}
    # Below a text on ranks a single column tells it.
    text = f"{context.heading} {context.prose}"
    speaks_of_ranks = _SPEAKS_OF_RANKS.search(text) is not None
    is_named = len(candidates) == 1 and _holds_named_ranks(candidates[0], text)
    if _HIGH_IS_BEST.search(text):
        return list(columns)
    least_columns = 1 if speaks_of_ranks and is_named else LEAST_COLUMNS
    if count >= MIN_ROWS_RANKED and len(candidates) >= least_columns and all(is_mean):
        reason = f"it is a mean rank of {count} systems, for its mean is {mean:g}: lower is better"
        return [
            Column(c.name, "lower_rate", low=1.0, high=float(count), reason=reason, kind="loss")
            if c.name in ranked
            else c
            for c in columns
        ]
    # A part of the systems has mean ranks about that mean, and no other rates beside them.
    rates = [c for c in columns if c.role == "output" and c.unit == "percent"]
    is_near = [abs(frame[c.name].mean() - mean) <= LARGEST_SHIFT * mean for c in candidates]
    may_be = all(is_near) and all(c.name in ranked for c in rates)
    if may_be and speaks_of_ranks:
        reason = "the text speaks of ranks, and its values may be ranks"
        return [
            c.with_role("conditional", reason, "rank") if c.name in ranked else c for c in columns
        ]
    return list(columns)


def _holds_named_ranks(column: Column, text: str) -> bool:
    """Return whether a column is called by ranks, or the text says that its numbers are ranks.

    By any other noun it holds something else, as "Grade", unless that is the metric of the ranks.
    """
    if _RANK.search(parse_name(column.name).words):
        return True
    return column.role == "output" and _ARE_RANKS.search(text) is not None


def _may_hold_ranks(column: Column, frame: pd.DataFrame) -> bool:
    """Return whether a column of unknown name, or of a rate, holds numbers from 1 to n only."""
    is_rate = column.role == "output" and column.unit == "percent"
    if not (is_rate or column.role == "unknown") or column.name not in frame:
        return False
    values = frame[column.name].to_numpy(dtype=float)
    # Most columns have a value below 1; NaN is not at least 1, and infinity beyond all ranks.
    return len(values) >= MIN_ROWS_ASKED and bool(
        values.min() >= 1 and 1 < values.max() <= len(values)
    )


def take_criteria_as_ranks(
    columns: Sequence[Column], frame: pd.DataFrame, ranks: pd.Series | None
) -> list[Column]:
    """Take whole numbers from 1 on that rise with the rank of their row for ranks in a criterion.

    Where two names or more say that higher is better, as "citations" in a ranking of universities,
    and the best rows have the least of them, the columns hold ranks, and so do all like them.
    """
    if ranks is None or len(frame) < LEAST_RANKED_ROWS or ranks.nunique() < LEAST_RANKED_ROWS:
        return list(columns)
    ranked = {c.name for c in columns if c.name in frame and _is_ranked(frame[c.name], ranks)}
    contradicted = [c for c in columns if c.name in ranked and c.role == "output"]
    if len(contradicted) < LEAST_RANKED:
        return list(columns)
    # Beside them every numbering of the rows is one, however little it has to do with the rank.
    rows = np.arange(1, len(frame) + 1)
    ranked |= {c.name for c in columns if c.name in frame and _numbers_rows(frame[c.name], rows)}
    reason = "its values are ranks, for they begin at 1 and rise with the rank: lower is better"
    return [
        column.with_role("lower_rate", reason, "loss", low=1.0, high=np.inf, unit="")
        if column.name in ranked and column.role in ("output", "cost", "unknown", "conditional")
        else column
        for column in columns
    ]


def _is_ranked(criterion: pd.Series, ranks: pd.Series) -> bool:
    """Return whether a column may hold the ranks of the rows in a criterion."""
    values = criterion.to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    if not len(values) or values.min() != 1 or (values % 1 != 0).any():
        return False
    # As many different values as ranks: wins and years from 1 on repeat.
    if 2 * len(np.unique(values)) < ranks.nunique():
        return False
    return float(criterion.corr(ranks, method="spearman")) > LEAST_RANK_CORRELATION


def _numbers_rows(criterion: pd.Series, rows: np.ndarray) -> bool:
    """Return whether a column holds each number of the rows once."""
    return bool(np.array_equal(np.sort(criterion.to_numpy(dtype=float)), rows))


def take_lone_mean_rank(
    columns: Sequence[Column], frame: pd.DataFrame, ranks: pd.Series | None
) -> list[Column]:
    """Take a mean rank by which the rows are ranked for the metric, where nothing else is one."""
    measures = [c for c in columns if c.name in frame and c.role not in ("left_out", "cost")]
    mean_ranks = [c.name for c in columns if c.name in frame and _is_mean_rank(c, frame[c.name])]
    if measures or len(mean_ranks) != 1 or ranks is None or len(frame) < LEAST_MEAN_RANKS:
        return list(columns)
    # The ranks are another column: a mean rank holds fractions.
    if (ranks % 1 > 0).any() or frame[mean_ranks[0]].corr(ranks, method="spearman") < NEAR_ONE:
        return list(columns)
    reason = "the mean rank by which the rows are ranked: lower is better"
    return [
        column.with_role("lower_rate", reason, "loss", low=1.0, high=np.inf)
        if column.name in mean_ranks
        else column
        for column in columns
    ]


def _is_mean_rank(column: Column, values: pd.Series) -> bool:
    """Return whether a column is called a mean rank and holds fractions, as means do."""
    words = parse_name(column.name).words.strip("_").split("_")
    is_called = column.kind == "rank" and not {"mean", "average", "avg"}.isdisjoint(words)
    return is_called and bool((values.dropna() >= 1).all() and (values.dropna() % 1 > 0).any())
