"""Find the direction of a block of like columns.

In this order a block takes its direction from

1. the column that is its mean, where its name tells one ("Average WER") or is a score;
2. a member that is the score of a known benchmark, or whose name has an arrow;
3. a sentence around the table ("lower is better"), the metric in the file's name, or the metrics or
   the benchmark in the heading of the table;
4. the rank beside it, or a long table sorted from its greatest mean down;
5. a known output of the same scale that rises and falls with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from deabench.tables.markup import strip_markup
from deabench.tables.naming.meaning import Meaning
from deabench.tables.naming.titles import meaning_of_heading, metric_of_title
from deabench.tables.recognition.columns import MIN_RANK_CORRELATION, Column
from deabench.tables.recognition.redundancy import is_called_mean
from deabench.tables.vocabulary import BETTER_ROLES, has_name, is_weak, look_up_metric
from deabench.utils.frames import column_positions

SENTENCES = {
    direction: re.compile(
        rf"\b({words})\b((?P<subject>[^.\n]{{0,30}})\b(is|are)|,? the) better\b|{arrow}",
        re.IGNORECASE,
    )
    for direction, words, arrow in (
        ("higher", "higher|larger|greater", "↑"),
        ("lower", "lower|smaller|less", "↓"),
    )
}
"""What the text around a table says of its direction."""
NUMBERS_ARE_ERRORS = re.compile(
    r"\b(numbers?|values?|results?|figures?|entries|scores?)\b[^.\n|]{0,30}\b(are|is|shows?|give)\b"
    r"[^.\n|]{0,20}\berror rates?\b",
    re.IGNORECASE,
)
"""What the text says where columns that are called by data sets hold error rates."""
STATED_METRIC = re.compile(r"^\W*metric\s*:\s*([^,;\n]+)$", re.IGNORECASE | re.MULTILINE)
"""A line of the text that names the one metric of a table: "Metric: word error rate"."""
ERRORS = re.compile(r"\b(error|misclassification) rates?\b|\btop-?[15] errors?\b", re.IGNORECASE)
QUALITIES = re.compile(r"\b(accurac(y|ies)|score|F1|recall|mAP|AUC)\b", re.IGNORECASE)
"""What the text around a table speaks of, where it says which of both its numbers are."""
JOINED = re.compile(r"\b(and|und|et|y|vs)\b|&", re.IGNORECASE)
"""What joins the metrics of a heading."""
LEAST_RATIO = 8.0
"""Columns that are no rates are alike where their medians are within this ratio."""
MIN_ROWS = 8
"""So many rows are needed before their order, or a correlation, tells a direction."""
MIN_CORRELATION = 0.7
MAX_WEIGHTING = 0.2
"""A score of all tasks differs from their mean by at most this share."""
SAMPLED_ROWS = 2000
"""A direction is told by about so many rows of a longer table."""
MIN_RATING_CORRELATION = 0.9
"""A single column goes with a known one of its size from this correlation on."""
OVERRULING = 4
"""So many like columns overrule one whose name tells the opposite, as the task 'Distance'."""


MIN_SYSTEMS = 4
"""So many other rows are needed before a row of chance or of humans tells a direction."""
BEATEN_SHARE = 0.9
"""Chance is below, and humans above, this share of the other rows."""
AGREEING = 0.75
"""This share of the columns has to agree on a direction."""


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
    """

    title: str = ""
    prose: str = ""
    ranks: pd.Series | None = None
    heading: str = ""
    metric: str = ""


def finite_values(values: pd.Series) -> np.ndarray:
    array: np.ndarray = values.to_numpy(dtype=float)
    finite: np.ndarray = array[np.isfinite(array)]
    return finite


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
        """The mean of the block by system."""
        # By positions: selecting columns of a small frame by name takes longer than their sum.
        positions = column_positions(self.frame.columns, self.names)
        columns = self.frame.to_numpy(dtype=float).T.take(positions, axis=0)
        is_filled = ~np.isnan(columns)
        with np.errstate(invalid="ignore"):
            means = np.where(is_filled, columns, 0.0).sum(axis=0) / is_filled.sum(axis=0)
        return pd.Series(means, self.frame.index)


def measure_scale(values: pd.Series) -> tuple[str, float]:
    """Return the kind of scale of a column and its median size; 0 of rates, which are all alike."""
    finite = finite_values(values)
    if not len(finite):
        return "empty", 0.0
    is_signed = bool(finite.min() < 0)
    largest = finite.max()
    if not is_signed and largest <= 1:
        return "share", 0.0
    if not is_signed and largest <= 100:
        return "percent", 0.0
    return "signed" if is_signed else "large", float(np.median(np.abs(finite)))


def are_alike(scale: tuple[str, float], other_scale: tuple[str, float]) -> bool:
    """Return whether two scales are alike: rates by their range, others by their size."""
    if scale[0] != other_scale[0] or scale[0] == "empty":
        return False
    if scale[0] in ("share", "percent"):
        return True
    return max(scale[1], other_scale[1]) <= LEAST_RATIO * min(scale[1], other_scale[1])


def decide_direction(block: Block, context: Context) -> tuple[str, str]:
    """Return the direction of a block, or "cost"; "" where nothing tells it; and why."""
    evidence = (
        _by_mean,
        _by_benchmarks,
        _by_context,
        _by_reference_rows,
        _by_order,
        _by_correlation,
    )
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
        # A score may weigh its tasks, and counts beside it may lie around it.
        if is_score:
            mean = members.mean(axis=1)
            inside &= (values - mean).abs() <= MAX_WEIGHTING * mean.abs()
        if inside.mean() >= 0.95:
            return ally.direction, f"'{ally.name}' is the mean of it and its like"
    return "", ""


def _by_benchmarks(block: Block, _: Context) -> tuple[str, str]:
    """Take the direction of known benchmarks, unless errors of the same scale stand beside."""
    arrows = {ally.direction: ally.name for ally in block.allies if _states_direction(ally)}
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


def _by_context(block: Block, context: Context) -> tuple[str, str]:
    """Take the direction that the text around the table or the file's name states."""
    if len(block.names) < 2 and block.allies:
        return "", ""
    is_rate = measure_scale(block.frame[block.names[0]])[0] in ("share", "percent")
    if is_rate and NUMBERS_ARE_ERRORS.search(context.prose):
        return "lower", "the text says that these are error rates"
    stated = states_directions(context.prose)
    # "Lower error values are better" speaks of the errors alone, where other metrics are known.
    if block.has_known_metrics and len(stated) == 1 and _speaks_of_metric(context.prose, stated[0]):
        return "", ""
    if len(stated) == 1 and not block.allies:
        direction = stated[0]
        return direction, f"the text around the table says that {direction} is better"
    if len(block.names) < 2:
        return "", ""
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
    meaning = meaning or _benchmark_of_heading(heading, block)
    named = STATED_METRIC.findall(context.prose)
    if meaning is None and len(named) == 1:
        meaning = look_up_metric(strip_markup(named[0]))
        if meaning is not None and meaning.role in BETTER_ROLES.values():
            return meaning.better, f"the text around the table names its metric, '{named[0]}'"
    # TFLOPS are spent by a model, and reached by a processor.
    if meaning is not None and meaning.kind == "model size":
        return "", ""
    if meaning is not None and meaning.role == "cost":
        return "cost", f"the table is called by what is spent, '{context.heading}'"
    # "Lower error values are better" below the heading "Accuracy" leaves it open.
    if meaning is not None and set(stated) <= {meaning.better}:
        return meaning.better, f"the table is called by its metric, '{context.heading}'"
    return "", ""


def _states_direction(column: Column) -> bool:
    """Return whether an arrow in a column's name states its direction; an "output" is no arrow."""
    return column.kind == "stated" and not column.production


def states_directions(prose: str) -> list[str]:
    """Return the directions that the text around a table states."""
    return [direction for direction, words in SENTENCES.items() if words.search(prose)]


def speaks_of_errors(text: str) -> bool:
    """Return whether the text around a table speaks of error rates, and of no quality."""
    return ERRORS.search(text) is not None and QUALITIES.search(text) is None


def _speaks_of_metric(prose: str, direction: str) -> bool:
    """Return whether each sentence that states a direction speaks of some metric, as of errors."""
    subjects = [match["subject"] or "" for match in SENTENCES[direction].finditer(prose)]
    meanings = [look_up_metric(subject) for subject in subjects]
    return all(meaning is not None and meaning.better != "neither" for meaning in meanings)


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


def compare_with_reference_rows(frame: pd.DataFrame, names: Sequence[str]) -> tuple[str, str]:
    """Return the direction of rates by rows of chance, which systems beat, or of humans; and why.

    What is below chance in accuracy is no system; but systems may be worse or better than humans,
    so that humans tell a direction only where they are at the top.
    """
    is_rate = measure_scale(frame[names[0]])[0] in ("share", "percent")
    if not is_rate or len(frame) > SAMPLED_ROWS:
        return "", ""
    # Of a name in several parts the first names the system.
    # As objects: to iterate over pandas' own texts takes ten times as long.
    systems = [str(name).split(", ")[0] for name in frame.index.to_numpy(dtype=object)]
    is_chance = np.array([has_name(name, "chance") for name in systems])
    is_human = np.array([has_name(name, "human") for name in systems])
    is_system = ~(is_chance | is_human)
    if is_system.sum() < MIN_SYSTEMS or is_system.all():
        return "", ""
    values = frame[list(names)].to_numpy(dtype=float)
    above_chance = _share_above(values[is_system], values[is_chance])
    below_humans = _share_above(-values[is_system], -values[is_human])
    # A row that is empty in all columns of the block says nothing.
    has_chance = bool(np.isfinite(above_chance).any())
    has_humans = bool(np.isfinite(below_humans).any())
    chance_says = _agree(above_chance)
    humans_say = _agree(below_humans)
    if has_chance and chance_says:
        is_opposed = has_humans and humans_say not in ("", chance_says)
        return ("", "") if is_opposed else (chance_says, "chance is worse than its systems")
    if has_humans and not has_chance and humans_say == "higher":
        return "higher", "humans are above its systems"
    return "", ""


def _share_above(systems: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return, for each column, the share of the systems above the least reference row."""
    is_filled = np.isfinite(systems)
    # A comparison with nothing is no share.
    level = np.where(np.isfinite(reference), reference, np.inf).min(axis=0, initial=np.inf)
    count = np.where(np.isfinite(level), is_filled.sum(axis=0), 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: np.ndarray = np.where(is_filled, systems > level, False).sum(axis=0) / count
    return shares


def _agree(shares: np.ndarray) -> str:
    """Return the direction that most columns agree on by their shares; "" without one."""
    compared_shares = shares[np.isfinite(shares)]
    if not len(compared_shares):
        return ""
    if (compared_shares >= BEATEN_SHARE).mean() >= AGREEING:
        return "higher"
    return "lower" if (compared_shares <= 1 - BEATEN_SHARE).mean() >= AGREEING else ""


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


def is_sorted_downwards(values: pd.Series) -> bool:
    """Return whether the rows of a long table are sorted from the greatest value down."""
    if len(values) < MIN_ROWS or not (np.diff(values.to_numpy(dtype=float)) <= 0).all():
        return False
    return bool(values.nunique() > len(values) / 2)


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


def rank_correlations(frame: pd.DataFrame, names: Sequence[str], metric: str) -> np.ndarray:
    """Return Spearman's correlation of columns with a metric; of a long table by a sample."""
    rows = frame.iloc[:: max(len(frame) // SAMPLED_ROWS, 1)]
    members = rows[list(names)]
    is_filled = members.notna().all() & bool(rows[metric].notna().all())
    correlations = pd.Series(np.nan, index=members.columns)
    # Ranks of complete columns are correlated in one product.
    ranks = members.loc[:, is_filled].rank().to_numpy()
    if ranks.size:
        metric_ranks = rows[metric].rank().to_numpy()
        centred = ranks - ranks.mean(axis=0)
        metric_centred = metric_ranks - metric_ranks.mean()
        scales = np.sqrt((centred**2).sum(axis=0) * (metric_centred**2).sum())
        # A constant column correlates with nothing.
        with np.errstate(invalid="ignore", divide="ignore"):
            correlations[is_filled] = metric_centred @ centred / scales
    # Systems lack different members: each is compared on the systems that have it.
    partial = members.loc[:, ~is_filled]
    if partial.shape[1]:
        correlations[~is_filled] = partial.corrwith(rows[metric], method="spearman")
    values: np.ndarray = correlations.to_numpy()
    return values


def is_weak_column(column: Column) -> bool:
    """Return whether a column's role rests on a weak word, as score or average."""
    meaning = look_up_metric(column.name)
    return meaning is not None and is_weak(meaning) and column.kind == meaning.kind
