"""Find the direction of a block of like columns.

In this order a block takes its direction from

1. the column that is its mean, where its name tells one ("Average WER") or is a score;
2. a member that is the score of a known benchmark, or whose name has an arrow;
3. a sentence around the table ("lower is better"), or the metric in the file's name or its heading;
4. the one metric that its corner or the text above it names;
5. data sets of speech recognition, on which error rates are measured, or of classification;
6. rows of chance or of humans;
7. the rank beside it, or a long table sorted from its greatest mean down;
8. a known output of the same scale that rises and falls with it;
9. rates that are mostly above two fifths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from deabench.tables.markup import strip_markup
from deabench.tables.naming.meaning import Meaning
from deabench.tables.naming.prose import (
    NUMBERS_ARE_ERRORS,
    STATED_METRIC,
    direction_of_introduction,
    direction_of_words,
    names_error_set,
    speaks_of_harm,
    speaks_of_metric,
    speaks_of_no_rate,
    states_directions,
)
from deabench.tables.naming.titles import meaning_of_caption, meaning_of_heading, metric_of_title
from deabench.tables.naming.vocabulary import (
    BETTER_ROLES,
    has_name,
    is_error_set,
    look_up_metric,
    look_up_unit,
)
from deabench.tables.recognition.columns import MIN_RANK_CORRELATION, Column, is_weak_column
from deabench.tables.recognition.layout import is_system_name
from deabench.tables.recognition.redundancy import is_called_mean
from deabench.tables.rows import compare_with_reference_rows
from deabench.tables.scales import (
    MIN_ROWS,
    are_alike,
    is_sorted_downwards,
    measure_scale,
    pooled_percent,
    rank_correlations,
    sample_rows,
)
from deabench.utils.frames import column_positions
from deabench.utils.lazy import lazy_pattern

TIME_UNITS = ("ms", "seconds", "microseconds", "minutes", "hours")
_UNIT_AT_END = lazy_pattern(r"[(（]\s*([A-Za-zµ/]{1,8})\s*[)）]\W*$")
"""The unit in brackets that a heading ends with, also in brackets of full width."""
JOINED = lazy_pattern(r"\b(and|und|et|y|vs)\b|&", re.IGNORECASE)
"""What joins the metrics of a heading."""
MIN_CORRELATION = 0.7
MAX_WEIGHTING = 0.2
"""A score of all tasks differs from their mean by at most this share."""
LEAST_NEAR = 0.5
"""What is called a mean is that near to the mean of its members in at least half of the rows."""
MIN_RATING_CORRELATION = 0.9
"""A single column goes with a known one of its size from this correlation on."""
OVERRULING = 4
"""So many like columns overrule one whose name tells the opposite, as the task 'Distance'."""
MOST_FRACTIONS = 0.5
"""More than this share of the cells of rates have decimals."""
LARGEST_ERROR = 50.0
"""Error rates of systems of speech, in percent, have a median below this."""
LEAST_QUALITY = 40.0
"""Rates, in percent, whose median is above this are qualities: errors are fewer."""
LEAST_QUALITIES = 2
"""So many known qualities show that shares beside them are no losses."""
MIN_RATES = 3
"""So many columns are needed before their height tells a direction, and of shares as many rows."""
SYSTEMS_SHARE = 0.2
"""Columns are systems where at least this share of them are called by known ones."""
MIN_RATE_CELLS = 9
"""So many rates are needed before their height tells a direction."""


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
    metric : str
        What a column of metrics holds in all rows, as `metric_type` beside `metric_value`.
    introduction : str
        The paragraphs between the heading and the table, a line each.
    """

    title: str = ""
    prose: str = ""
    ranks: pd.Series | None = None
    heading: str = ""
    metric: str = ""
    introduction: str = ""

    @property
    def text(self) -> str:
        """All that is written around the table, in a line."""
        return f"{self.title} {self.heading} {self.introduction} {self.prose}"


class Block:
    """Like columns, with the known columns of the same scale.

    Parameters
    ----------
    columns : sequence of Column
        All columns, with the directions that were found so far.
    columns_by_name : sequence of Column
        All columns, with the directions that their names tell.
    """

    def __init__(
        self,
        names: Sequence[str],
        columns: Sequence[Column],
        frame: pd.DataFrame,
        columns_by_name: Sequence[Column],
    ) -> None:
        by_name = {column.name: column for column in columns}
        self.names = list(names)
        self.frame = frame
        self.unknown = [name for name in names if by_name[name].role == "unknown"]
        self.benchmarks = [name for name in names if by_name[name].role == "output"]
        scale = measure_scale(frame[self.names[0]])
        # Like columns that took their direction from the text are not known by themselves.
        self.has_known_metrics = any(
            column.role in ("output", "lower_rate")
            and column.name in frame
            and column.name not in names
            for column in columns_by_name
        )
        self.has_known_costs = any(
            column.role == "cost" and column.name in frame for column in columns_by_name
        )
        self.allies = [
            column
            for column in columns
            if column.name in frame
            and column.name not in names
            and column.role in ("output", "lower_rate")
            and are_alike(measure_scale(frame[column.name]), scale)
        ]

    @cached_property
    def means(self) -> pd.Series:
        """The mean of the block by system; of a long table by a sample of them."""
        rows = sample_rows(self.frame)
        # By positions: selecting columns of a small frame by name takes longer than their sum.
        positions = column_positions(rows.columns, self.names)
        columns = rows.to_numpy(dtype=float).T.take(positions, axis=0)
        is_filled = ~np.isnan(columns)
        with np.errstate(invalid="ignore"):
            means = np.where(is_filled, columns, 0.0).sum(axis=0) / is_filled.sum(axis=0)
        return pd.Series(means, rows.index)


def decide_direction(block: Block, context: Context) -> tuple[str, str]:
    """Return the direction of a block, or "cost"; "" where nothing tells it; and why."""
    evidence = (
        _by_mean,
        _by_benchmarks,
        _by_context,
        _by_introduction,
        _by_data_sets,
        _by_classification_sets,
        _by_reference_rows,
        _by_order,
        _by_correlation,
        _by_height,
    )
    return _take_first(evidence, block, context)


def decide_matrix(block: Block, context: Context) -> tuple[str, str]:
    """Return the direction that names of systems and data sets tell, and why; "" without one."""
    evidence = (_by_data_sets, _by_classification_sets, _by_reference_rows)
    return _take_first(evidence, block, context)


def _take_first(
    evidence: Sequence[Callable[[Block, Context], tuple[str, str]]], block: Block, context: Context
) -> tuple[str, str]:
    for find in evidence:
        direction, reason = find(block, context)
        if direction:
            return direction, reason
    return "", ""


def _by_mean(block: Block, _: Context) -> tuple[str, str]:
    """Take the direction of the mean of the block, which lies between its members."""
    if len(block.names) < 2:
        return "", ""
    for ally in block.allies:
        # A score of all tasks is their mean; a column that is called mean has no direction itself.
        is_score = ally.kind == "score"
        if not is_score and (not is_called_mean(ally.name) or is_weak_column(ally)):
            continue
        members = block.frame[block.names]
        values = block.frame[ally.name]
        inside = (values >= members.min(axis=1)) & (values <= members.max(axis=1))
        mean = members.mean(axis=1)
        is_near = (values - mean).abs() <= MAX_WEIGHTING * mean.abs()
        # A score may weigh its tasks, and counts beside it may lie around it. A rating may lie
        # between columns of which it is no mean.
        if is_score:
            inside &= is_near
        if inside.mean() >= 0.95 and is_near.mean() >= LEAST_NEAR:
            return ally.direction, f"'{ally.name}' is the mean of it and its like"
    return "", ""


def _by_benchmarks(block: Block, _: Context) -> tuple[str, str]:
    """Take the direction of known benchmarks, unless errors of the same scale stand beside."""
    arrows = {ally.direction: ally.name for ally in block.allies if _states_direction(ally)}
    # One arrow may mark the exception: "MetricX ↓" beside BLEU and COMET.
    opposite = [ally for ally in block.allies if ally.direction not in arrows]
    if len(arrows) == 1 and len(opposite) < LEAST_QUALITIES:
        direction, name = next(iter(arrows.items()))
        if len(block.unknown) <= 1 or not block.benchmarks:
            return direction, f"'{name}' beside it says so"
    if not block.benchmarks:
        return "", ""
    errors = [ally for ally in block.allies if ally.direction == "lower"]
    if errors and len(block.names) < OVERRULING * len(errors):
        return "", ""
    return "higher", f"it is like '{block.benchmarks[0]}', a benchmark's score"


def _by_context(block: Block, context: Context) -> tuple[str, str]:
    """Take the direction that the text around the table or the file's name states."""
    if len(block.names) < 2 and block.allies:
        return "", ""
    is_rate = measure_scale(block.frame[block.names[0]])[0] in ("share", "percent")
    if is_rate and NUMBERS_ARE_ERRORS.search(context.prose):
        return "lower", "the text says that these are error rates"
    stated = states_directions(context.prose)
    # "Lower error values are better" speaks of the errors alone, where other metrics are known.
    if block.has_known_metrics and len(stated) == 1 and speaks_of_metric(context.prose, stated[0]):
        return "", ""
    if len(stated) == 1 and not block.allies:
        direction = stated[0]
        return direction, f"the text around the table says that {direction} is better"
    if len(block.names) < 2:
        return "", ""
    # "Average time per epoch (s)" ends with the unit of all cells.
    unit = _UNIT_AT_END.search(context.heading)
    measure = look_up_unit(unit[1]) if unit else None
    is_time = measure is not None and measure.role == "cost" and measure.unit in TIME_UNITS
    # "Accuracy at a budget of time (min)" speaks of more than what is spent.
    speaks_of_rate = meaning_of_caption(context.heading) is not None
    if is_time and not speaks_of_rate:
        return "cost", f"the table is called by what is spent, '{context.heading}'"
    # "Throughput (tokens/s)" ends with its unit.
    title = re.sub(r"\([^()]*\)", "", context.title).strip()
    meaning = look_up_metric(metric_of_title(title))
    if meaning is not None and meaning.role in BETTER_ROLES.values():
        return meaning.better, f"the file is called by its metric, '{title}'"
    heading = re.sub(r"\([^()]*\)", "", context.heading).strip()
    # "Speed and size" names two metrics, "Cloze test (Accuracy)" one.
    in_brackets = re.search(r"\(([^()]*)\)", context.heading)
    if JOINED.search(heading):
        return "", ""
    meaning = look_up_metric(metric_of_title(heading)) or meaning_of_heading(heading)
    if meaning is None and in_brackets:
        meaning = look_up_metric(metric_of_title(in_brackets[1]))
    meaning = meaning or meaning_of_caption(heading) or _benchmark_of_heading(heading, block)
    named = STATED_METRIC.findall(context.prose)
    if meaning is None and len(named) == 1:
        meaning = look_up_metric(strip_markup(named[0]))
        if meaning is not None and meaning.role in BETTER_ROLES.values():
            return meaning.better, f"the text around the table names its metric, '{named[0]}'"
    # TFLOPS are spent by a model, and reached by a processor.
    if meaning is None or meaning.kind == "model size":
        return "", ""
    if meaning.role == "cost":
        reason = f"the table is called by what is spent, '{context.heading}'"
        return ("", "") if speaks_of_rate else ("cost", reason)
    # "Lower error values are better" below "Accuracy" leaves it open, and "times" below "Speed".
    is_spent = meaning.better == "higher" and direction_of_words(context.introduction) == "cost"
    if set(stated) <= {meaning.better} and not is_spent:
        return meaning.better, f"the table is called by its metric, '{context.heading}'"
    return "", ""


def _by_introduction(block: Block, context: Context) -> tuple[str, str]:
    """Take the direction of the one metric that the text names, in a table without another."""
    is_split = all(has_name(name, "split_part") for name in block.names)
    if block.has_known_metrics or (len(block.names) < 2 and not is_split):
        return "", ""
    # The corner of a table of one metric may name it.
    direction = direction_of_words(str(block.frame.index.name)) or direction_of_introduction(
        context.introduction, context.prose
    )
    if direction == "cost" and block.has_known_costs:
        return "", ""
    # A text that states the other direction speaks of something else.
    stated = states_directions(context.prose)
    if not direction or not set(stated) <= {"lower" if direction == "cost" else direction}:
        return "", ""
    return direction, "the text around the table names its metric"


def _by_data_sets(block: Block, context: Context) -> tuple[str, str]:
    """Take columns that are called by data sets of speech recognition as its error rates."""
    is_split = all(has_name(name, "split_part") for name in block.names)
    heading = f"{context.heading} {context.introduction}"
    is_corpus = is_split and names_error_set(heading)
    # "dev" beside "Test-Net" is another part of the same data.
    sets = [name for name in block.unknown if has_name(name, "error_set")]
    parts = [name for name in block.unknown if name not in sets]
    if not is_corpus and not (sets and all(has_name(name, "split_part") for name in parts)):
        return "", ""
    scale = measure_scale(block.frame[block.names[0]])[0]
    median = pooled_percent(block.frame[block.names])
    # 0.9 beside 1.7 on another set is in percent.
    siblings = [name for name in block.frame.columns if has_name(name, "error_set")]
    if scale == "share" and siblings and block.frame[siblings].max(axis=None) > 1:
        median /= 100
    # Errors of more than half of the words are rare, and accuracies below it, too.
    if scale not in ("share", "percent") or median > LARGEST_ERROR:
        return "", ""
    return "lower", "error rates are measured on these data sets"


def _by_classification_sets(block: Block, context: Context) -> tuple[str, str]:
    """Take rates on data sets of classification as accuracies where most are above one half."""
    sets = [name for name in block.names if has_name(name, "classification_set")]
    is_rate = measure_scale(block.frame[block.names[0]])[0] in ("share", "percent")
    if not is_rate or len(sets) < MIN_RATES or 2 * len(sets) < len(block.names):
        return "", ""
    if speaks_of_no_rate(context.text) or pooled_percent(block.frame[block.names]) <= LARGEST_ERROR:
        return "", ""
    # Where the best of each data set is 1, the values are relative to it.
    if (block.frame[block.names].max() == 1).all():
        return "", ""
    return "higher", f"'{sets[0]}' is a data set of classification, and most rates are high"


def _by_height(block: Block, context: Context) -> tuple[str, str]:
    """Take rates in percent of systems that are mostly above two fifths as qualities.

    So are shares beside known qualities. Systems that are wrong about as often as right are not
    compared, but for those of speech.
    """
    is_split = all(has_name(name, "split_part") for name in block.names)
    are_few = len(block.names) < (2 if is_split else MIN_RATES)
    are_coordinates = {"x", "y"} <= set(map(str.lower, block.names))
    if are_few or are_coordinates or not has_name(str(block.frame.index.name), "method"):
        return "", ""
    values = block.frame[block.names].to_numpy(dtype=float)
    finite = values[np.isfinite(values)]
    if len(finite) < MIN_RATE_CELLS and len(block.frame) < MIN_RATES:
        return "", ""
    # Amounts below 100 are whole numbers, or belong to producers. Below 1 losses are as usual as
    # rates, but for what stands beside qualities alone.
    scale = measure_scale(block.frame[block.names[0]])[0]
    qualities = [ally for ally in block.allies if ally.kind == "quality"]
    has_qualities = len(qualities) >= LEAST_QUALITIES and all(
        ally.direction == "higher" for ally in block.allies
    )
    is_rate = scale == "percent" or (scale == "share" and has_qualities)
    has_fractions = bool((finite % 1 != 0).mean() > MOST_FRACTIONS)
    if not (is_rate and has_fractions) or pooled_percent(block.frame[block.names]) <= LEAST_QUALITY:
        return "", ""
    # What is called by a known system is one, and no metric of the rows; "T5 recall" and "T5 rank"
    # beside "GPT recall" and "GPT rank" are metrics.
    endings = {name.split()[-1] for name in block.names}
    system_count = sum(map(is_system_name, block.names))
    # A single "PhysioNet" among many others is a data set.
    has_systems = system_count > 0 and system_count >= SYSTEMS_SHARE * len(block.names)
    are_systems = len(endings) == len(block.names) and has_systems
    if are_systems or any(map(is_error_set, block.names)):
        return "", ""
    if direction_of_words(context.text) in ("lower", "cost") or speaks_of_harm(context.text):
        return "", ""
    return "higher", "most of its rates are above two fifths, and errors are fewer"


def _states_direction(column: Column) -> bool:
    """Return whether an arrow in a column's name states its direction; an "output" is no arrow."""
    return column.kind == "stated" and not column.production


def _benchmark_of_heading(heading: str, block: Block) -> Meaning | None:
    """Return the meaning of a known benchmark in the heading above rates; None without one."""
    is_rate = measure_scale(block.frame[block.names[0]])[0] in ("share", "percent")
    meaning = look_up_metric(heading)
    if meaning is None or not is_rate or meaning.kind != "benchmark":
        return None
    return meaning


def _by_reference_rows(block: Block, _: Context) -> tuple[str, str]:
    """Take the direction from the rows of chance or of humans."""
    return compare_with_reference_rows(block.frame, block.names)


def _by_order(block: Block, context: Context) -> tuple[str, str]:
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


def _by_correlation(block: Block, _: Context) -> tuple[str, str]:
    """Take the direction of a known output of the same scale that goes up and down with it."""
    if len(block.frame) < MIN_ROWS:
        return "", ""
    needed = MIN_CORRELATION if len(block.names) > 1 else MIN_RATING_CORRELATION
    for ally in block.allies:
        # What producers use grows with what they make.
        if is_weak_column(ally) or ally.direction != "higher" or ally.production:
            continue
        if (rank_correlations(block.frame, block.names, ally.name) > needed).all():
            return "higher", f"it rises with '{ally.name}'"
    return "", ""
