"""Find the metric of a table with systems in columns whose cells nothing names."""

from __future__ import annotations

from math import inf

import pandas as pd

from deabench.tables.naming.prose import speaks_of_amounts, states_directions
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.directions import Block, Context, decide_by_rows
from deabench.tables.scales import measure_scale
from deabench.tables.vocabulary import BETTER_ROLES, is_benchmark, is_error_set, look_up_measure

LEAST_RETURNS = 0.5
"""More than this share of the rows are environments where the cells are returns in these."""
NO_MEASURE = "nothing says what the cells measure"
UNNAMED_METRIC = "score"
"""What the cells of a matrix are called where nothing says what they measure."""


def metric_of_benchmarks(rows: pd.DataFrame) -> Column:
    """Return the metric that no name tells: the score of benchmarks, where data sets are some.

    Parameters
    ----------
    rows : DataFrame
        A row for each system and data set, as in `Table.rows`.
    """
    scale, _ = measure_scale(rows[UNNAMED_METRIC])
    names = _data_sets(rows)
    benchmarks = [name for name in names if is_benchmark(name)]
    # One name may be that of a method, too, as "AMC".
    if len(benchmarks) < 2 or any(map(is_error_set, names)) or scale not in ("share", "percent"):
        return Column(UNNAMED_METRIC, "unknown", reason=NO_MEASURE)
    return _score(benchmarks)


def metric_of_surroundings(rows: pd.DataFrame, context: Context) -> Column:
    """Return the metric that neither a name nor the text tells, with the direction of its rows.

    They tell it where most of them are environments, whose returns may be of any size, where one
    system is called by chance, and where they are data sets of speech recognition.
    """
    names = _data_sets(rows)
    texts = f"{context.title}\n{context.heading}\n{context.introduction}\n{context.prose}"
    environments = [name for name in names if _is_unbounded(name)]
    are_returns = len(environments) > LEAST_RETURNS * len(names)
    if are_returns and not (speaks_of_amounts(texts) or states_directions(texts)):
        return _score(environments)
    if not names:
        return Column(UNNAMED_METRIC, "unknown", reason=NO_MEASURE)
    # The data sets are columns of the transpose.
    wide = rows.pivot_table(UNNAMED_METRIC, "classifier", "dataset", sort=False)
    names = [str(name) for name in wide.columns]
    wide = wide.set_axis(names, axis=1)
    columns = [Column(name, "unknown") for name in names]
    direction, reason = decide_by_rows(Block(names, columns, wide, columns), context)
    role = BETTER_ROLES.get(direction, "unknown")
    return Column(UNNAMED_METRIC, role, reason=reason or NO_MEASURE)


def _data_sets(rows: pd.DataFrame) -> list[str]:
    """Return the names of the data sets; none of a table of folds."""
    return rows["dataset"].unique().tolist() if "dataset" in rows else []


def _is_unbounded(name: str) -> bool:
    """Return whether a benchmark's score has no greatest value, as a return in an environment."""
    meaning = look_up_measure(name)
    return meaning is not None and is_benchmark(name) and meaning.high == inf


def _score(benchmarks: list[str]) -> Column:
    named = " and ".join(f"'{name}'" for name in benchmarks[:2])
    reason = f"{named} are benchmarks, on which higher is better"
    return Column(UNNAMED_METRIC, "output", reason=reason, kind="benchmark")
