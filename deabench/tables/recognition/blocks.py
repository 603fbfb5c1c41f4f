"""Judge columns together: like columns have one direction, and some repeat others.

A block is a set of numeric columns alike in scale and sign whose names do not tell their
direction: tasks, languages, diseases. `deabench.tables.recognition.directions` finds that
direction. Where nothing tells it, the block is open, and `deabench.tables.table` asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from deabench.tables.naming.prose import NUMBERS_ARE_ERRORS, speaks_of_errors, states_directions
from deabench.tables.naming.vocabulary import has_name, look_up_metric
from deabench.tables.recognition.columns import (
    Column,
    agree_on_error_sets,
    agree_on_percent,
    check_range,
)
from deabench.tables.recognition.directions import (
    MIN_CORRELATION,
    OVERRULING,
    Block,
    Context,
    decide_direction,
)
from deabench.tables.recognition.offers import (
    doubt_rated_costs,
    doubt_scores,
    open_lone_resource,
    settle_ratios,
    settle_statistics,
    take_percentiles,
    take_statements,
    take_timed_queries,
)
from deabench.tables.recognition.ranks import take_ranks
from deabench.tables.recognition.redundancy import (
    MEAN_ROUNDING,
    do_vary,
    guess_output,
    is_called_mean,
    is_mean_of_amounts,
    leave_out_redundant,
    leave_out_unknown,
    needs_guesses,
    take_rates_of_counts,
    take_training_as_condition,
)
from deabench.tables.rows import compare_with_reference_rows
from deabench.tables.scales import (
    MIN_ROWS,
    are_alike,
    finite_values,
    is_sorted_downwards,
    measure_scale,
    rank_correlations,
)
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

SPARSE = 1 / 3
"""A metric with fewer filled cells than this share is left out beside filled ones."""
LEAST_SCORES = 4
"""So many rows show that a score rises with benchmarks."""
LEAST_AVERAGED = 4
"""A block of at least so many columns is averaged where it is wide for its rows."""
STATED_UNIT = lazy_pattern(
    r"(?<=\w)[\s_(\[](s|sec|ms|us|µs|ns|min|h|[KMGT]i?B|W|kWh|J)[\])]?\s*$|[(\[][KMBG][\])]\s*$"
)
"""The unit that a name ends with, as it is written: "RITA S" is a size of the system RITA."""
MAX_WIDTH = 1 / 3
"""More columns than this share of the rows are too many for a comparison by all of them."""


@dataclass(frozen=True)
class Judgement:
    """The columns of a table after they were held against each other.

    Attributes
    ----------
    columns : list of Column
    notes : list of str
    open_blocks : list of tuples of column names
        Like columns whose direction nothing tells.
    means : mapping of a mean's name to the columns that it stands for
        Blocks that are wide for the number of rows.
    """

    columns: list[Column]
    notes: list[str]
    open_blocks: list[tuple[str, ...]] = field(default_factory=list)
    means: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def judge_columns(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context, *, made_to_rank: bool
) -> Judgement:
    """Give the columns their final roles by what the others are, and say what was guessed.

    Parameters
    ----------
    columns : sequence of Column
        What each column is by itself.
    frame : DataFrame, systems x numeric columns
    context : Context
    made_to_rank : bool
        Whether these columns were put together to be ranked, as in a DataFrame with its systems in
        the index: where no name is known, every numeric column is then a guess, counts too.
    """
    columns = take_rates_of_counts(take_training_as_condition(columns, frame), frame)
    named = [_name_value(column, context.metric) for column in columns]
    resolved = doubt_scores(named, context)
    resolved = _leave_out_sparse(open_lone_resource(resolved, frame), frame, lambda c: c.metric)
    resolved = agree_on_percent(_take_stated_errors(resolved, frame, context), frame)
    resolved = take_percentiles(settle_ratios(resolved, frame))
    resolved = doubt_rated_costs(resolved, frame)
    resolved = settle_statistics(resolved, frame, context)
    resolved = take_ranks(resolved, frame, context)
    resolved = take_statements(resolved, frame, context)
    resolved = take_timed_queries(resolved, frame, context)
    blocks = _find_blocks(resolved, frame)
    columns_by_name = resolved
    open_blocks = []
    notes = []
    # A block has one direction: that of a known member, a sentence, an arrow or its mean.
    for names in blocks:
        block = Block(names, resolved, frame, columns_by_name)
        direction, reason = decide_direction(block, context)
        if direction:
            resolved = _apply_direction(resolved, block, direction, reason)
        elif block.unknown:
            open_blocks.append(tuple(block.unknown))
    resolved = agree_on_error_sets(resolved)
    resolved = _settle_scores(_demote_ambiguous(resolved, frame, context), frame)
    resolved = _doubt_outputs(resolved, frame, context)
    # A block that is wide beside the number of rows is better judged by its mean.
    resolved = _leave_out_sparse(resolved, frame, lambda c: c.role == "unknown")
    means = _find_wide_blocks(blocks, resolved, frame)
    resolved = [leave_out_redundant(column, resolved, frame) for column in resolved]
    if needs_guesses(resolved, frame, made_to_rank=made_to_rank):
        resolved = [guess_output(column, frame, made_to_rank=made_to_rank) for column in resolved]
        open_roles: tuple[str, ...] = ("guess",)
        note = (
            "no column has a known name, so higher is taken as better in {}; "
            "name the outputs in outputs, and metrics that are better low in lower_is_better"
        )
    else:
        resolved = [leave_out_unknown(column, frame) for column in resolved]
        open_roles = ("unknown", "conditional")
        note = (
            "columns whose names do not tell which way is better are left out: {}; "
            "name them in outputs or lower_is_better to use them"
        )
    names = [column.name for column in resolved if column.role in open_roles]
    if names:
        notes.append(note.format(quote_names(names)))
    is_open = {column.name for column in resolved if column.role in ("unknown", "conditional")}
    open_blocks = [tuple(n for n in names if n in is_open) for names in open_blocks]
    return Judgement(resolved, notes, [names for names in open_blocks if names], means)


def _name_value(column: Column, metric: str) -> Column:
    """Return a column of values as the metric that all rows of another column name."""
    meaning = look_up_metric(metric) if metric else None
    is_open = column.role in ("unknown", "conditional") and has_name(column.name, "value")
    if meaning is None or meaning.better == "neither" or not is_open:
        return column
    reason = f"its rows hold '{metric}': {meaning.better} is better"
    return column.with_role(meaning.role, reason)


def _leave_out_sparse(
    columns: Sequence[Column], frame: pd.DataFrame, may_leave_out: Callable[[Column], bool]
) -> list[Column]:
    """Leave out columns that few systems have a value for, where metrics have most of theirs."""
    # Most tables have no empty cell.
    if len(frame) < MIN_ROWS or not np.isnan(frame.to_numpy(dtype=float)).any():
        return list(columns)
    filled = {
        c.name: (~np.isnan(frame[c.name].to_numpy(dtype=float))).mean()
        for c in columns
        if c.name in frame and (c.metric or c.role == "unknown")
    }
    has_filled = any(c.metric and filled.get(c.name, 0) > 1 - SPARSE for c in columns)
    if not has_filled:
        return list(columns)
    result = []
    for column in columns:
        if may_leave_out(column) and filled.get(column.name, 1) < SPARSE:
            count = int(frame[column.name].notna().sum())
            reason = f"only {count} of {len(frame)} systems have a value; name it to use it"
            column = column.with_role("left_out", reason, "sparse")
        result.append(column)
    return result


def _find_blocks(columns: Sequence[Column], frame: pd.DataFrame) -> list[list[str]]:
    """Return the sets of like columns that are unknown or the scores of benchmarks."""
    blocks: list[list[str]] = []
    scales: list[tuple[str, float]] = []
    has_scores = any(column.kind in ("benchmark", "data set score") for column in columns)
    for column in columns:
        # "Mean clips" beside the scores of benchmarks is no score, whatever its scale is.
        is_other = has_scores and column.role == "unknown" and is_mean_of_amounts(column.name)
        if is_other or not _is_open(column) or column.name not in frame:
            continue
        values = frame[column.name]
        if not do_vary(values.to_numpy(dtype=float)):
            continue
        scale = measure_scale(values)
        for block, block_scale in zip(blocks, scales, strict=True):
            if are_alike(scale, block_scale):
                block.append(column.name)
                break
        else:
            blocks.append([column.name])
            scales.append(scale)
    return blocks


def _is_open(column: Column) -> bool:
    """Return whether the direction of a column may be that of its like."""
    is_open = column.role == "unknown" or (
        column.role == "output" and column.kind in ("benchmark", "data set score")
    )
    # "T_infer s" is spent, whatever its values are like.
    return is_open and not STATED_UNIT.search(column.name)


def _apply_direction(
    columns: Sequence[Column], block: Block, direction: str, reason: str
) -> list[Column]:
    """Give the unknown members of a block its direction, and overrule single opposite names."""
    if direction == "cost":
        return [
            Column(column.name, "cost", low=0.0, reason=f"{reason}: lower is better")
            if column.name in block.unknown or _is_refuted_rate(column)
            else column
            for column in columns
        ]
    opposite = {"higher": "lower", "lower": "higher"}[direction]
    # A single name that says the opposite of its whole block is overruled.
    overruled = {
        ally.name
        for ally in block.allies
        if ally.direction == opposite
        and ally.bounded is False
        and len(block.names) >= OVERRULING
        and not is_called_mean(ally.name)
    }
    if len(overruled) > 1:
        overruled = set()
    result = []
    for column in columns:
        is_benchmark = column.name in block.benchmarks and direction == "lower"
        if column.name in block.unknown or column.name in overruled or is_benchmark:
            role = "output" if direction == "higher" else "lower_rate"
            values = finite_values(block.frame[column.name])
            unit = (
                "share"
                if measure_scale(block.frame[column.name])[0] in ("share", "percent")
                else ""
            )
            column = Column(column.name, role, unit, reason=f"{reason}: {direction} is better")
            column = check_range(column, values)
        result.append(column)
    return result


def _is_refuted_rate(column: Column) -> bool:
    """Return whether a column is called by a rate, and holds values above 100: "AR1" is none."""
    meaning = look_up_metric(column.name)
    is_rate = meaning is not None and meaning.unit in ("share", "percent")
    return is_rate and column.kind == "quality" and not column.bounded


def _find_wide_blocks(
    blocks: Sequence[Sequence[str]], columns: Sequence[Column], frame: pd.DataFrame
) -> dict[str, tuple[str, ...]]:
    """Return the blocks with more columns than a third of the rows, by the name of their mean."""
    by_name = {column.name: column for column in columns}
    wide = {}
    for block in blocks:
        names = tuple(n for n in block if by_name[n].role in ("output", "lower_rate"))
        if len(names) < LEAST_AVERAGED or len(names) <= MAX_WIDTH * len(frame):
            continue
        mean = next(
            (c.name for c in columns if _is_mean_of(c, names, frame)),
            f"mean of {len(names)} columns",
        )
        wide[mean] = names
    return wide


def _is_mean_of(column: Column, names: Sequence[str], frame: pd.DataFrame) -> bool:
    if column.name not in frame or column.name in names or not is_called_mean(column.name):
        return False
    factor = 1 if measure_scale(frame[column.name])[0] != "share" else 100
    difference = factor * np.abs(frame[list(names)].mean(axis=1) - frame[column.name])
    return bool(np.nanquantile(difference, 0.95) <= MEAN_ROUNDING)


def _demote_ambiguous(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Demote means and data sets' scores where they may be means of errors.

    They may where the table has an error rate, or the text around it speaks of one. A mean of
    scores also needs another output, for its own name tells nothing, or rows that are sorted by it
    from the greatest down.
    """
    weak_kinds = ("data set score", "mean of scores")
    has_errors = speaks_of_errors(f"{context.heading} {context.prose}") or any(
        column.role == "lower_rate" for column in columns
    )
    has_output = any(
        column.role == "output" and column.kind not in weak_kinds for column in columns
    )
    is_open = any(column.role in ("unknown", "conditional") for column in columns)
    is_sorted = any(
        is_called_mean(column.name) and is_sorted_downwards(frame[column.name])
        for column in columns
        if column.role == "output" and column.name in frame
    )
    demoted = []
    for column in columns:
        is_ambiguous = column.role == "output" and column.kind in weak_kinds
        # Such a name says nothing about errors: beside an error rate it may be their mean, and
        # beside columns of unknown direction theirs.
        # "Overall" is no error where humans are at the top, and chance is at the bottom.
        is_told = (
            is_ambiguous
            and column.name in frame
            and compare_with_reference_rows(frame, [column.name])[0] == "higher"
        )
        if (
            is_ambiguous
            and not is_told
            and (
                has_errors
                or (not has_output and column.kind == "mean of scores" and not is_sorted)
                or (is_open and column.kind == "mean of scores" and not _has_scores(columns))
            )
        ):
            column = column.with_role("conditional", "its name does not say which way is better")
        demoted.append(column)
    return demoted


def _settle_scores(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Take a score by which the rows are sorted upwards as better high, if benchmarks rise with it.

    Rows may be sorted by size, too, and larger models have higher scores.
    """
    benchmarks = [c.name for c in columns if c.kind == "benchmark" and c.role == "output"]
    settled = []
    for column in columns:
        is_open = column.role == "conditional" and column.kind == "ascending score"
        if is_open and len(benchmarks) > 1:
            correlation = _median_correlation(frame, benchmarks, column.name)
            if correlation > MIN_CORRELATION:
                reason = "benchmarks beside it rise with it: higher is better"
                column = column.with_role("output", reason)
        settled.append(column)
    return settled


def _median_correlation(frame: pd.DataFrame, names: Sequence[str], metric: str) -> float:
    """Return the median rank correlation of columns with a metric, on the rows that have all."""
    rows = frame[[*names, metric]].dropna()
    if len(rows) < LEAST_SCORES:
        return 0.0
    correlations = rank_correlations(rows, names, metric)
    # Constant columns correlate with nothing.
    varying = correlations[np.isfinite(correlations)]
    return float(np.median(varying)) if len(varying) else 0.0


def _take_stated_errors(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Take columns that are called by benchmarks as error rates where the text says that they are.

    They are in percent together, as "0.62" beside "3.79".
    """
    if NUMBERS_ARE_ERRORS.search(context.prose) is None:
        return list(columns)
    kinds = ("benchmark", "data set score", "mean of scores")
    names = [c.name for c in columns if c.metric and c.kind in kinds and c.name in frame]
    if not names or frame[names].max(axis=None) > 100:
        return list(columns)
    # Rates of unknown names beside them are error rates, too.
    open_rates = [
        c.name
        for c in columns
        if c.role == "unknown"
        and c.name in frame
        and measure_scale(frame[c.name])[0] in ("share", "percent")
    ]
    is_percent = frame[[*names, *open_rates]].max(axis=None) > 1
    reason = "the text says that these are error rates: lower is better"
    unit, maximum = ("percent", 100.0) if is_percent else ("share", 1.0)
    return [
        column.with_role("lower_rate", reason, "loss", unit=unit, low=0.0, high=maximum)
        if column.name in names
        else column
        for column in columns
    ]


def _doubt_outputs(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Leave the direction of rates open that rise with errors where the text speaks of errors.

    The name of a rate may be used for its complement.
    """
    reason = "the text says that lower is better, and it rises with the errors beside it"
    errors = [c.name for c in columns if c.role == "lower_rate" and c.name in frame]
    if states_directions(context.prose) != ["lower"] or not errors or len(frame) < MIN_ROWS:
        return list(columns)
    doubted = []
    for column in columns:
        is_rate = column.role == "output" and column.kind == "quality" and column.name in frame
        if is_rate:
            correlation = _median_correlation(frame, errors, column.name)
            if correlation > MIN_CORRELATION:
                column = column.with_role("conditional", reason, "open")
        doubted.append(column)
    return doubted


def _has_scores(columns: Sequence[Column]) -> bool:
    """Return whether a table has a rate that is better high: its mean is then one, too."""
    return any(
        column.role == "output"
        and column.unit in ("share", "percent")
        and column.kind != "mean of scores"
        for column in columns
    )
