"""Tell the arrow that marks a sorted column from the one that states which way is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deabench.tables.naming.meaning import Meaning
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.utils.lazy import lazy_pattern

ARROW = lazy_pattern("[↑↓⬆⬇]")
MIN_SORTED = 4
"""So many rows in order show that an arrow may mark how they are sorted."""


def look_up_sorted(name: str, names: Sequence[str], values: np.ndarray) -> Meaning | None:
    """Return what a name means whose arrow marks the column that the rows are sorted by.

    So "AUC ↓" from 0.97 down to 0.90 is an AUC: its name is sure to tell the other direction. None
    where the arrow states the direction.

    Parameters
    ----------
    names : sequence of str
        All names of the table: of several arrows each states a direction.
    values : float array (n,)
        The column, in the order of the rows.
    """
    arrow = ARROW.search(name)
    if arrow is None or sum(ARROW.search(str(column)) is not None for column in names) != 1:
        return None
    meaning = look_up_metric(ARROW.sub("", name))
    # A rate of which the best value is known is certain by its name.
    if meaning is None or meaning.kind != "quality" or not np.isfinite(meaning.high):
        return None
    is_downward = arrow[0] in "↓⬇"
    if meaning.better != ("higher" if is_downward else "lower"):
        return None
    finite = values[np.isfinite(values)]
    changes = np.diff(finite)
    is_sorted = (changes <= 0).all() if is_downward else (changes >= 0).all()
    return meaning if is_sorted and len(finite) >= MIN_SORTED else None
