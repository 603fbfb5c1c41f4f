"""The names of a few rows of many files: read at the end, for those that are asked alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from deabench.streaming.batches import SHIFT
from deabench.streaming.files import Files, opened
from deabench.tables.layout import join_labels

Reader = Callable[[Mapping[int, np.ndarray]], Sequence[list[str]]]
"""From the numbers of files and some rows of each to the names of these."""


def names_of(
    files: Files, places: np.ndarray, read: Reader | None = None
) -> tuple[list[str], tuple[str, ...]]:
    """The names of the rows at `places` (k,), rising, and what is said of them; `read` has others
    read the files.
    """
    own = [
        f"{files.paths[place >> SHIFT]}, row {(place & ((1 << SHIFT) - 1)) + 1}"
        for place in places.tolist()
    ]
    if not files.labels:
        return own, ()
    rows = {
        number: places[(places >> SHIFT) == number] & ((1 << SHIFT) - 1)
        for number in np.unique(places >> SHIFT).tolist()
    }
    each = [of_file(files, *one) for one in rows.items()] if read is None else read(rows)
    names = [name or place for name, place in zip(chain.from_iterable(each), own, strict=True)]
    counts = pd.Series(names).value_counts()
    if counts.max() == 1:
        return names, ()
    said = f"{listed(files.labels)} names several rows of the frontier; their file and row tell them apart"
    return [
        f"{name} ({place})" if counts[name] > 1 else name
        for name, place in zip(names, own, strict=True)
    ], (said,)


def listed(columns: tuple[str, ...]) -> str:
    return " and ".join(f"'{name}'" for name in columns)


def of_file(files: Files, number: int, rows: np.ndarray) -> list[str]:
    """The names of some rows of one file, "" where all cells are empty: only the row groups that
    hold one are read.
    """
    out, before = list[str](), 0
    with opened(files.path(number)) as file:
        for group in range(file.metadata.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            own = rows[(rows >= before) & (rows < before + count)] - before
            if len(own):
                table = (
                    file.read_row_group(group, columns=list(files.labels), use_threads=False)
                    .take(own)
                    .to_pandas()
                )
                empty = table.isna().all(axis=1)
                out += [
                    "" if none else name
                    for name, none in zip(
                        join_labels(table, list(files.labels)), empty, strict=True
                    )
                ]
            before += count
    return out
