"""Settle names whose direction depends on the rows, the values, or what the text speaks of.

Memory is what a program needs and what a graphics card offers. A ratio of compression is the
original size over the compressed one, or the other way round. "Mean" and "P95" are statistics of
what the heading names. A cost among ratings may be better high. Q1, Q2, ... are times below a
heading of times of queries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.tables.naming.meaning import MeaningKind, Role
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.prose import (
    direction_of_introduction,
    direction_of_statement,
    direction_of_words,
    directions_of_names,
    states_directions,
)
from deabench.tables.naming.titles import metric_of_title
from deabench.tables.naming.vocabulary import has_name, look_up_metric
from deabench.tables.recognition.columns import UNKNOWN_NAME, Column, check_range
from deabench.tables.recognition.directions import OVERRULING, Context
from deabench.tables.recognition.layout import Keys
from deabench.tables.scales import are_alike, finite_values, measure_scale
from deabench.utils.lazy import lazy_pattern

_OPERATIONS = lazy_pattern(r"_[gmtp]?flops(_\w+)?_")
_CAPACITY = lazy_pattern(r"_(memory|mem|ram|vram|storage|disk)(_(size|capacity|gb|gi?b|type))?_")
_USED = lazy_pattern(r"_(usage|used|peak|consumed|footprint|required|needed|alloc\w*|per|rss)_")
_COMPRESSION = lazy_pattern(r"_(\w+_)?(de)?(compress\w*|comp|compr|encod(e|ing)|deflate|inflate)_")
_SPEED_OF_COMPRESSION = lazy_pattern(r"_[cd]_(mb|gb|mi_?b)\w*_")
_RATIO = lazy_pattern(r"_(compression_|compress_|compressed_|comp_|compr_)?ratio(_percent)?_")
_MIDDLE = lazy_pattern(r"_(mean|avg|average|median)_")
_NUMBER = lazy_pattern(r"\d+(_\d+)?")
_PERCENTILE = lazy_pattern(r"_(p(ercentile)?_?\d{1,2}(_\d+)?|\d{1,2}(st|nd|rd|th)?_percent(ile)?)_")
_PERCENTILE_OF = lazy_pattern(r"_(?P<measured>\w+)_p\d{2}(_\d+)?_")
_MIDDLE_OF = lazy_pattern(r"_(?P<measured>\w+)_(mean|avg|average|median)_")
_STATISTIC = lazy_pattern(r"^(mean|avg\.?|average|median|overall)\s+")
_BARE_COST = lazy_pattern(r"_(costs?|prices?|pricing|expenses?)_")
LEAST_QUALITIES = 2
LEAST_RATINGS = 4
"""So many columns of small whole numbers may be ratings."""
MIN_SCALE = 4
MAX_SCALE = 10
"""Ratings go up to 4 at least, and to 10 at most."""
STATISTIC_ROLES: dict[str, tuple[Role, MeaningKind]] = {
    "higher": ("output", "quality"),
    "lower": ("lower_rate", "loss"),
    "cost": ("cost", "time"),
}
"""What a measurement and its statistics are, by its direction."""
LEAST_FACTOR = 0.9
"""Data that cannot be compressed may grow a little."""
MAX_FACTOR = 50.0
"""Larger ratios may be percent."""


QUERIES = lazy_pattern(
    r"(?<![a-z])(quer(y|ies)|tpc.?(h|ds)|ssb|ldbc|sparql|cypher)(?![a-z])", re.IGNORECASE
)
QUERY = lazy_pattern(r"Q[\s_-]?\d+", re.IGNORECASE)
"""What is called by queries, and the name of one: of three of them it may be a quartile."""
_SHARE_OF_QUERIES = lazy_pattern(
    r"%|(?<![a-z])(percent\w*|share|answered|met|success\w*|succe\w+|[io]n.time|within|resolved|solved"
    r"|saved|satisf\w*|avoided|completed|passed|correct\w*|accura\w*|speed.?ups?)(?![a-z])",
    re.IGNORECASE,
)
_UNIT_OF_TIME = lazy_pattern(r"(?<![a-z])([mµun]?s|sec\w*|min|minutes?|hours?|h)(?![a-z])", re.I)
LEAST_PERCENT = 50.0
"""Percentages of queries that went well have a median above this."""


def take_offers_of_machines(columns: Sequence[Column], keys: Keys) -> list[Column]:
    """Take memory and operations per second of rows that are processors as what they offer."""
    if not keys.label or not has_name(keys.label[0], "machine"):
        return list(columns)
    offers = [_take_offer(column) for column in columns]
    # A list of machines with their memory alone is an inventory.
    are_measured = any(
        column.metric and column.kind != "input or output" and offer is column
        for column, offer in zip(columns, offers, strict=True)
    )
    are_measured |= any(offer.kind == "throughput" for offer in offers)
    if are_measured:
        return offers
    reason = "memory is what a machine offers, and nothing else of it is measured"
    return [
        offer if offer is column else column.with_role("conditional", reason, "input or output")
        for column, offer in zip(columns, offers, strict=True)
    ]


def _take_offer(column: Column) -> Column:
    words = parse_name(column.name).words
    if column.kind == "model size" and _OPERATIONS.search(words):
        reason = "operations per second of a machine: higher is better"
        return replace(column, role="output", unit="", reason=reason, kind="throughput")
    is_capacity = _CAPACITY.search(words) and not _USED.search(words)
    if column.role == "cost" and column.kind == "spending" and is_capacity:
        reason = "memory that a machine offers: higher is better"
        return replace(column, role="output", unit="", reason=reason, kind="quality")
    return column


def settle_ratios(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Tell by its values whether a ratio of compression is better high or low."""
    words = {column.name: parse_name(column.name).words for column in columns}
    speaks_of_compression = any(
        _COMPRESSION.search(text) or _SPEED_OF_COMPRESSION.fullmatch(text)
        for name, text in words.items()
        if not _RATIO.fullmatch(text)
    )
    judged_columns = []
    for column in columns:
        is_ratio = _RATIO.fullmatch(words[column.name]) is not None and column.name in frame
        is_open = column.role in ("unknown", "conditional") and speaks_of_compression
        is_stated = column.kind == "quality" and column.role == "output"
        if is_ratio and (is_open or is_stated):
            column = _settle_ratio(column, frame[column.name])
        judged_columns.append(column)
    return judged_columns


def _settle_ratio(column: Column, ratios: pd.Series) -> Column:
    values = ratios.to_numpy(dtype=float)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return column
    is_percent = column.unit == "percent" or "_percent_" in parse_name(column.name).all_words
    if not is_percent and finite.min() >= LEAST_FACTOR and finite.max() <= MAX_FACTOR:
        reason = "the original size over the compressed one: higher is better"
        return column.with_role("output", reason, "quality", low=0.0, high=np.inf, unit="")
    # What is called the ratio of compression may also be the share that is saved.
    is_share = is_percent or finite.max() <= 1
    if column.role == "output":
        reason = "a ratio of compression is better high or low, as it is written"
        return column.with_role("conditional", reason, "open")
    if is_share:
        reason = "the compressed size over the original one: lower is better"
        return column.with_role("cost", reason, "file size", low=0.0, high=np.inf)
    return column


def doubt_rated_costs(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Ask about a cost among ratings: 10 points for it may be the least or the most expensive.

    Ratings are whole or half numbers up to 10; a mean of them stands on the same scale.
    """
    numeric = [column for column in columns if column.name in frame]
    costs = {c.name for c in numeric if _BARE_COST.fullmatch(parse_name(c.name).words)}
    qualities = [column for column in numeric if column.role == "output"]
    if not costs or len(qualities) < LEAST_QUALITIES:
        return list(columns)
    values = frame[[column.name for column in numeric]].to_numpy(dtype=float)
    is_empty = np.isnan(values)
    is_half = (values * 2 % 1 == 0) | is_empty
    rated = {
        column.name
        for column, is_rated in zip(numeric, is_half.all(axis=0), strict=True)
        if is_rated
    }
    is_on_scale = ((values >= 0) & (values <= MAX_SCALE) | is_empty).all()
    if len(rated) < LEAST_RATINGS or not is_on_scale or np.nanmax(values) < MIN_SCALE:
        return list(columns)
    reason = "a rating of what is spent may be better high"
    return [
        column.with_role("conditional", reason, "open") if column.name in costs & rated else column
        for column in columns
    ]


def doubt_scores(columns: Sequence[Column], context: Context) -> list[Column]:
    """Leave scores of parts of the data open where the text states that lower is better.

    "Easy" and "hard" are no metrics, and without another metric the text can speak of them alone.
    """
    metrics = [column for column in columns if column.metric or column.role == "conditional"]
    are_parts = all(column.kind == "data set score" for column in metrics)
    if not metrics or not are_parts or states_directions(context.prose) != ["lower"]:
        return list(columns)
    return [
        column.with_role("unknown", UNKNOWN_NAME, "") if column.metric else column
        for column in columns
    ]


def take_percentiles(columns: Sequence[Column]) -> list[Column]:
    """Give a measurement, or its mean, the direction of its percentile.

    "lookup_avg" beside "lookup_p95" is spent as that is, and so is "lookup".
    """
    directed: dict[str, Column] = {}
    for column in columns:
        match = _PERCENTILE_OF.fullmatch(parse_name(column.name).words)
        if match is not None and column.metric:
            directed.setdefault(match["measured"], column)
    judged_columns = []
    for column in columns:
        words = parse_name(column.name).words
        match = _MIDDLE_OF.fullmatch(words)
        measured = match["measured"] if match is not None else words.strip("_")
        percentile = directed.get(measured)
        is_open = column.role in ("unknown", "conditional") or column.kind == "mean of scores"
        if is_open and percentile is not None:
            better = f"{percentile.direction} is better"
            reason = f"measured as '{percentile.name}': {better}"
            column = column.with_role(percentile.role, reason, percentile.kind)
        judged_columns.append(column)
    return judged_columns


def settle_statistics(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Give the mean, the median and the percentiles of one measurement its direction.

    The heading, the paragraph above the table or the name of the file tell what is measured; else
    percentiles are those of times. The least and the greatest value are left out.
    """
    middles = [c.name for c in columns if c.name in frame and _is_statistic(c, _MIDDLE)]
    percentiles = [c.name for c in columns if c.name in frame and _is_statistic(c, _PERCENTILE)]
    names = {*middles, *percentiles}
    has_further_metrics = any(c.metric and c.name not in names for c in columns)
    if not middles or len(names) < 2 or has_further_metrics:
        return list(columns)
    if not _are_ordered(percentiles, frame):
        return list(columns)
    direction = direction_of_words(context.heading) or direction_of_introduction(
        context.introduction, ""
    )
    titled = look_up_metric(metric_of_title(context.title))
    if not direction and titled is not None and titled.better != "neither":
        direction = "cost" if titled.role == "cost" else titled.better
    if not direction and not percentiles:
        return list(columns)
    role, kind = STATISTIC_ROLES[direction or "cost"]
    better = "higher" if role == "output" else "lower"
    reason = f"a statistic of what is measured: {better} is better"
    return [
        Column(column.name, role, low=0.0, reason=reason, kind=kind)
        if column.name in names
        else column
        for column in columns
    ]


def _are_ordered(percentiles: Sequence[str], frame: pd.DataFrame) -> bool:
    """Return whether a higher percentile is nowhere below a lower one, as of one measurement.

    "+90%" and "+80%" are settings.
    """
    if any(name.lstrip()[:1] in "+-" for name in percentiles):
        return False
    # "_p99_9_" is 99.9.
    numbers = {name: _NUMBER.search(parse_name(name).words) for name in percentiles}
    shares = {name: float(m[0].replace("_", ".")) for name, m in numbers.items() if m is not None}
    values = frame[sorted(shares, key=shares.__getitem__)].to_numpy(dtype=float)
    # A comparison with an empty cell holds nothing against it.
    return not (values[:, 1:] < values[:, :-1]).any()


def _is_statistic(column: Column, pattern: re.Pattern[str]) -> bool:
    return pattern.fullmatch(parse_name(column.name).words) is not None


def take_statements(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Take columns as what a sentence of the text says of them, whatever their names mean."""
    if not context.prose:
        return list(columns)
    # "MAR, %" and "MAR (%)" are called MAR in a sentence.
    spoken = {c.name: re.split(r"[,(\[]", c.name)[0].strip().lower() for c in columns}
    # "M-Score" is spoken of, and the column holds its mean.
    spoken |= {name: _STATISTIC.sub("", words) for name, words in spoken.items()}
    text = f"{context.heading}\n{context.introduction}"
    directions = directions_of_names(text, spoken.values())
    stated = []
    for column in columns:
        is_open = column.role == "unknown" and column.name in frame
        direction = direction_of_statement(column.name, context.prose) if is_open else ""
        reason = "the text says what it holds"
        named = directions.get(spoken[column.name], "")
        is_refuted = column.metric and column.direction != named and column.name in frame
        if named and (is_open or is_refuted):
            direction = named
            reason = "the text says it"
        if direction:
            role, kind = STATISTIC_ROLES[direction]
            better = "higher" if direction == "higher" else "lower"
            reason = f"{reason}: {better} is better"
            values = finite_values(frame[column.name])
            column = check_range(column.with_role(role, reason, kind), values)
        stated.append(column)
    return stated


def take_timed_queries(
    columns: Sequence[Column], frame: pd.DataFrame, context: Context
) -> list[Column]:
    """Take Q1, Q2, ... as times where the table is called by the times of queries.

    What may be a share of queries, as those that were answered in time, is none.
    """
    titles = [title for title in (context.heading, context.title) if QUERIES.search(title)]
    timed_titles = [
        title
        for title in titles
        if direction_of_words(title) == "cost"
        or getattr(look_up_metric(title), "kind", "") == "time"
    ]
    if not timed_titles or any(map(_SHARE_OF_QUERIES.search, titles)):
        return list(columns)
    reason = f"the table is called by the times of queries, '{timed_titles[0]}'"
    is_query = [QUERY.fullmatch(c.name) is not None and c.role == "conditional" for c in columns]
    queries = [c for c, is_timed in zip(columns, is_query, strict=True) if is_timed]
    names = [column.name for column in queries if column.name in frame]
    cells = frame[names].to_numpy(dtype=float)
    # Without a unit of time numbers up to 1 may be shares, and most of them near 100 percent.
    may_be_rates = cells.size > 0 and (
        np.nanmax(cells) <= 1 or (np.nanmax(cells) <= 100 and np.nanmedian(cells) > LEAST_PERCENT)
    )
    is_percent = any(column.unit == "percent" for column in queries)
    if is_percent or (may_be_rates and not _UNIT_OF_TIME.search(timed_titles[0])):
        return list(columns)
    return [
        column.with_role("cost", reason) if timed else column
        for column, timed in zip(columns, is_query, strict=True)
    ]


def open_lone_resource(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Take resources or products among many more like columns of unknown names for such.

    "Materials" is a resource beside "Output", and a scene beside "Chair", "Drums" and "Lego".
    """
    producing = [c for c in columns if c.production == "goods" and c.name in frame]
    if not producing:
        return list(columns)
    scale = measure_scale(frame[producing[0].name])
    # Data sets are as little what producers use as columns of unknown names.
    unproductive = [
        c.name
        for c in columns
        if (c.role == "unknown" or c.kind in ("benchmark", "data set score")) and c.name in frame
    ]
    like_count = sum(are_alike(measure_scale(frame[name]), scale) for name in unproductive)
    # "bus" and "truck" among many classes in percent are classes, too.
    are_classes = scale[0] in ("share", "percent") and like_count >= OVERRULING * len(producing)
    if not (are_classes or (len(producing) == 1 and like_count >= OVERRULING)):
        return list(columns)
    return [
        column.with_role("unknown", UNKNOWN_NAME, low=-np.inf) if column in producing else column
        for column in columns
    ]
