"""Judge columns together: like columns have one direction, and some repeat others.

A block is a set of numeric columns alike in scale and sign whose names do not tell their
direction: tasks, languages, diseases. In this order a block takes its direction from

1. the column that is its mean, where its name tells one ("Average WER");
2. a member that is the score of a known benchmark, or whose name has an arrow;
3. a sentence around the table ("lower is better"), or the metric in the file's name;
4. the rank beside it, or a long table sorted from its greatest mean down;
5. a known output of the same scale that rises and falls with it.

Where none of them decides, the block is open, and `deabench.tables.table` asks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from deabench.tables.recognition.columns import (
    MIN_RANK_CORRELATION,
    Column,
    check_range,
)
from deabench.tables.recognition.redundancy import (
    MEAN_ROUNDING,
    counts_rows,
    guess_output,
    is_called_mean,
    leave_out_redundant,
    leave_out_unknown,
    needs_guesses,
)
from deabench.tables.vocabulary import (
    BETTER_ROLES,
    Meaning,
    is_weak,
    look_up_metric,
    metric_of_title,
)
from deabench.utils.text import quote_names

SENTENCES = {
    direction: re.compile(rf"\b({words})\b[^.\n]{{0,30}}\b(is|are) better\b|{arrow}", re.IGNORECASE)
    for direction, words, arrow in (
        ("higher", "higher|larger|greater", "↑"),
        ("lower", "lower|smaller|less", "↓"),
    )
}
"""What the text around a table says of its direction."""
LEAST_FILLED = 0.4
"""A column with fewer filled cells than this share belongs to no block."""
SPARSE = 1 / 3
"""A metric with fewer filled cells than this share is left out beside filled ones."""
LEAST_RATIO = 8.0
"""Columns that are no rates are alike where their medians are within this ratio."""
MIN_ROWS = 8
"""So many rows are needed before their order, or a correlation, tells a direction."""
MIN_CORRELATION = 0.7
MIN_RATING_CORRELATION = 0.9
"""A single column goes with a known one of its size from this correlation on."""
OVERRULING = 4
"""So many like columns overrule one whose name tells the opposite, as the task 'Distance'."""
LEAST_AVERAGED = 4
"""A block of at least so many columns is averaged where it is wide for its rows."""
MAX_WIDTH = 1 / 3
"""More columns than this share of the rows are too many for a comparison by all of them."""


@dataclass(frozen=True)
class Context:
    """What the surroundings of a table tell about its columns.

    Attributes
    ----------
    title : str
        The file's name without its suffix.
    prose : str
        The text around the table.
    ranks : Series or None
        The ranks of the systems, 1 for the best.
    heading : str
        The heading or the caption of the table in its document.
    """

    title: str = ""
    prose: str = ""
    ranks: pd.Series | None = None
    heading: str = ""


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
    resolved = _leave_out_sparse(columns, frame)
    blocks = _find_blocks(resolved, frame)
    open_blocks = []
    notes = []
    for names in blocks:
        block = _Block(names, resolved, frame)
        direction, reason = _decide(block, context)
        if direction:
            resolved = _apply_direction(resolved, block, direction, reason)
        elif block.unknown:
            open_blocks.append(tuple(block.unknown))
    resolved = _demote_ambiguous(resolved, frame)
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


def _leave_out_sparse(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Leave out metrics that few systems have a value for, where others have most of theirs."""
    filled = {c.name: frame[c.name].notna().mean() for c in columns if c.name in frame and c.metric}
    if not any(share > 1 - SPARSE for share in filled.values()) or len(frame) < MIN_ROWS:
        return list(columns)
    result = []
    for column in columns:
        if filled.get(column.name, 1) < SPARSE:
            count = int(frame[column.name].notna().sum())
            reason = f"only {count} of {len(frame)} systems have a value; name it to use it"
            column = replace(column, role="left_out", reason=reason)
        result.append(column)
    return result


def _finite(values: pd.Series) -> np.ndarray:
    array: np.ndarray = values.to_numpy(dtype=float)
    finite: np.ndarray = array[np.isfinite(array)]
    return finite


class _Block:
    """Like columns, with the known columns of the same scale."""

    def __init__(
        self, names: Sequence[str], columns: Sequence[Column], frame: pd.DataFrame
    ) -> None:
        by_name = {column.name: column for column in columns}
        self.names = list(names)
        self.frame = frame
        self.unknown = [name for name in names if by_name[name].role == "unknown"]
        self.benchmarks = [name for name in names if by_name[name].role == "output"]
        scale = measure_scale(frame[self.names[0]])
        self.allies = [
            column
            for column in columns
            if column.name in frame
            and column.name not in names
            and column.role in ("output", "lower_rate")
            and are_alike(measure_scale(frame[column.name]), scale)
        ]

    @property
    def means(self) -> pd.Series:
        """The mean of the block by system."""
        return self.frame[self.names].mean(axis=1)


def measure_scale(values: pd.Series) -> tuple[str, float]:
    """Return the kind of scale of a column and its median size."""
    finite = _finite(values)
    if not len(finite):
        return "empty", 0.0
    size = float(np.median(np.abs(finite)))
    if finite.min() < 0:
        return "signed", size
    if finite.max() <= 1:
        return "share", size
    if finite.max() <= 100:
        return "percent", size
    return "large", size


def are_alike(scale: tuple[str, float], other_scale: tuple[str, float]) -> bool:
    """Return whether two scales are alike: rates by their range, others by their size."""
    if scale[0] != other_scale[0] or scale[0] == "empty":
        return False
    if scale[0] in ("share", "percent"):
        return True
    return max(scale[1], other_scale[1]) <= LEAST_RATIO * min(scale[1], other_scale[1])


def _find_blocks(columns: Sequence[Column], frame: pd.DataFrame) -> list[list[str]]:
    """Return the sets of like columns that are unknown or the scores of benchmarks."""
    blocks: list[list[str]] = []
    scales: list[tuple[str, float]] = []
    for column in columns:
        if not _may_join(column, frame):
            continue
        scale = measure_scale(frame[column.name])
        for block, block_scale in zip(blocks, scales, strict=True):
            if are_alike(scale, block_scale):
                block.append(column.name)
                break
        else:
            blocks.append([column.name])
            scales.append(scale)
    return blocks


def _may_join(column: Column, frame: pd.DataFrame) -> bool:
    is_open = column.role == "unknown" or (
        column.role == "output" and column.reason.startswith(("a benchmark", "a data set"))
    )
    if not is_open or column.name not in frame:
        return False
    values = frame[column.name]
    return not counts_rows(values) and bool(
        values.notna().mean() >= LEAST_FILLED and values.nunique() > 1
    )


def _decide(block: _Block, context: Context) -> tuple[str, str]:
    """Return the direction of a block, or "cost"; "" where nothing tells it; and why."""
    for find in (_by_mean, _by_benchmarks, _by_context, _by_order, _by_correlation):
        direction, reason = find(block, context)
        if direction:
            return direction, reason
    return "", ""


def _by_mean(block: _Block, _: Context) -> tuple[str, str]:
    """Take the direction of the mean of the block, which lies between its members."""
    members = block.frame[block.names]
    if len(block.names) < 2:
        return "", ""
    for ally in block.allies:
        if not is_called_mean(ally.name) or is_weak_column(ally):
            continue
        values = block.frame[ally.name]
        inside = (values >= members.min(axis=1)) & (values <= members.max(axis=1))
        if inside.mean() >= 0.95:
            return ally.direction, f"'{ally.name}' is the mean of it and its like"
    return "", ""


def _by_benchmarks(block: _Block, _: Context) -> tuple[str, str]:
    """Take the direction of known benchmarks, unless errors of the same scale stand beside."""
    arrows = {ally.direction: ally.name for ally in block.allies if "its name says" in ally.reason}
    if len(arrows) == 1:
        direction, name = next(iter(arrows.items()))
        if len(block.unknown) <= 1 or not block.benchmarks:
            return direction, f"'{name}' beside it says so"
    if not block.benchmarks:
        return "", ""
    errors = [ally for ally in block.allies if ally.direction == "lower"]
    if errors and len(block.names) < OVERRULING * len(errors):
        return "", ""
    return "higher", f"it is like '{block.benchmarks[0]}', a benchmark's score"


def _by_context(block: _Block, context: Context) -> tuple[str, str]:
    """Take the direction that the text around the table or the file's name states."""
    if len(block.names) < 2 and block.allies:
        return "", ""
    stated = [direction for direction, words in SENTENCES.items() if words.search(context.prose)]
    if len(stated) == 1 and not block.allies:
        direction = stated[0]
        return direction, f"the text around the table says that {direction} is better"
    if len(block.names) < 2:
        return "", ""
    for title, kind in ((context.title, "file"), (context.heading, "table")):
        # "Throughput (tokens/s)" ends with its unit.
        meaning = look_up_metric(metric_of_title(re.sub(r"\([^()]*\)", "", title).strip()))
        if meaning is None and kind == "table":
            meaning = _benchmark_of_heading(title, block)
        if meaning is not None and meaning.role == "cost" and kind == "table":
            return "cost", f"the table is called by what is spent, '{title}'"
        if meaning is None or meaning.role not in BETTER_ROLES.values():
            continue
        # "Lower error values are better" below the heading "Accuracy" leaves it open.
        if kind == "file" or set(stated) <= {meaning.better}:
            return meaning.better, f"the {kind} is called by its metric, '{title}'"
    return "", ""


def _benchmark_of_heading(heading: str, block: _Block) -> Meaning | None:
    """Return the meaning of a known benchmark in the heading above rates; None without one."""
    is_rate = measure_scale(block.frame[block.names[0]])[0] in ("share", "percent")
    meaning = look_up_metric(heading)
    if meaning is None or not is_rate or not meaning.reason.startswith("a benchmark"):
        return None
    return meaning


def _by_order(block: _Block, context: Context) -> tuple[str, str]:
    """Take the direction from a rank column, or from rows sorted from the greatest mean down."""
    if len(block.frame) < MIN_ROWS or len(block.names) < 2:
        return "", ""
    if context.ranks is not None and context.ranks.nunique() > 2:
        correlation = block.means.corr(context.ranks, method="spearman")
        if correlation < -MIN_RANK_CORRELATION:
            return "higher", "the rank beside it falls as it rises"
        if correlation > MIN_RANK_CORRELATION:
            return "lower", "the rank beside it rises with it"
    means = [block.frame[ally.name] for ally in block.allies if is_called_mean(ally.name)]
    for values in (block.means, *means):
        if is_sorted_downwards(values):
            return "higher", "the rows are sorted by it from the greatest down"
    return "", ""


def is_sorted_downwards(values: pd.Series) -> bool:
    """Return whether the rows of a long table are sorted from the greatest value down."""
    if len(values) < MIN_ROWS or not values.is_monotonic_decreasing:
        return False
    return bool(values.nunique() > len(values) / 2)


def _by_correlation(block: _Block, _: Context) -> tuple[str, str]:
    """Take the direction of a known output of the same scale that goes up and down with it."""
    if len(block.frame) < MIN_ROWS:
        return "", ""
    needed = MIN_CORRELATION if len(block.names) > 1 else MIN_RATING_CORRELATION
    for ally in block.allies:
        if is_weak_column(ally) or ally.direction != "higher":
            continue
        # Systems lack different members, so that each is compared by itself.
        correlation = block.frame[block.names].corrwith(block.frame[ally.name], method="spearman")
        if (correlation > needed).all():
            return "higher", f"it rises with '{ally.name}'"
    return "", ""


def is_weak_column(column: Column) -> bool:
    """Return whether a column's role rests on a weak word, as score or average."""
    meaning = look_up_metric(column.name)
    return meaning is not None and is_weak(meaning) and column.reason == meaning.reason


def _apply_direction(
    columns: Sequence[Column], block: _Block, direction: str, reason: str
) -> list[Column]:
    """Give the unknown members of a block its direction, and overrule single opposite names."""
    if direction == "cost":
        return [
            Column(column.name, "cost", low=0.0, reason=f"{reason}: lower is better")
            if column.name in block.unknown
            else column
            for column in columns
        ]
    opposite = {"higher": "lower", "lower": "higher"}[direction]
    overruled = {
        ally.name
        for ally in block.allies
        if ally.direction == opposite
        and ally.bounded is False
        and len(block.names) >= OVERRULING
        and not is_called_mean(ally.name)
    }
    result = []
    for column in columns:
        is_benchmark = column.name in block.benchmarks and direction == "lower"
        if column.name in block.unknown or column.name in overruled or is_benchmark:
            role = "output" if direction == "higher" else "lower_rate"
            values = _finite(block.frame[column.name])
            unit = (
                "share"
                if measure_scale(block.frame[column.name])[0] in ("share", "percent")
                else ""
            )
            column = Column(column.name, role, unit, reason=f"{reason}: {direction} is better")
            column = check_range(column, values)
        result.append(column)
    return result


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


def _demote_ambiguous(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Demote means and data sets' scores where they may be means of errors.

    They may where the table has an error rate. A mean of scores also needs another output, for its
    own name tells nothing, or rows that are sorted by it from the greatest down.
    """
    weak_reasons = ("a data set's score", "a mean of scores")
    has_errors = any(column.role == "lower_rate" for column in columns)
    has_output = any(
        column.role == "output" and not column.reason.startswith(weak_reasons) for column in columns
    )
    is_open = any(column.role in ("unknown", "conditional") for column in columns)
    is_sorted = any(
        is_called_mean(column.name) and is_sorted_downwards(frame[column.name])
        for column in columns
        if column.role == "output" and column.name in frame
    )
    demoted = []
    for column in columns:
        is_ambiguous = column.role == "output" and column.reason.startswith(weak_reasons)
        # Such a name says nothing about errors: beside an error rate it may be their mean, and
        # beside columns of unknown direction theirs.
        if is_ambiguous and (
            has_errors
            or (not has_output and "mean" in column.reason and not is_sorted)
            or (is_open and "mean" in column.reason and not _has_scores(columns))
        ):
            reason = "its name does not say which way is better"
            column = replace(column, role="conditional", reason=reason)
        demoted.append(column)
    return demoted


def _has_scores(columns: Sequence[Column]) -> bool:
    """Return whether a table has a rate that is better high: its mean is then one, too."""
    return any(
        column.role == "output"
        and column.unit in ("share", "percent")
        and not column.reason.startswith("a mean of scores")
        for column in columns
    )
