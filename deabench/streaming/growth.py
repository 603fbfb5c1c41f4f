"""A frontier that grows: the frontier of a union is that of the two frontiers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.results.frontier import Frontier, SourceSummary
from deabench.streaming.build import spanned
from deabench.tables.selection import read_frame
from deabench.tables.transforms import Data, to_user_values
from deabench.tables.validation import check_shape


def merge_frontiers(front: Frontier, other: Frontier) -> Frontier:
    """See `Frontier.merge`."""
    for what, mine, its in (
        ("metrics", front.outputs, other.outputs),
        ("technology", front.technology, other.technology),
        ("directions", _directions(front), _directions(other)),
    ):
        if mine != its:
            raise DataError(
                f"the frontiers have other {what}: {_listed(mine)} and {_listed(its)}; make both with the same words"
            )
    both = sorted(set(front.extreme) & set(other.extreme), key=front.extreme.index)
    if both:
        raise DataError(
            f"'{both[0]}' is on both frontiers; give every classifier a name of its own"
        )
    return _grown(front, other.data.outputs.loc[other.extreme], seen_of(other), other.notes)


def update_frontier(front: Frontier, rows: object) -> Frontier:
    """See `Frontier.update`."""
    table = read_frame(rows)
    check_shape(table)
    known = [label for label in table.index if label in set(front.extreme)]
    if known:
        raise DataError(
            f"'{known[0]}' is on the frontier already; give every classifier a name of its own"
        )
    frame = pd.DataFrame(front.point_values(table), index=table.index, columns=front.outputs)
    own = to_user_values(frame, front.data.transforms)
    for name in (
        name for name in frame if name not in front.data.transforms and (frame[name] < 0).any()
    ):
        label = frame.index[int(np.argmax(frame[name] < 0))]
        raise DataError(
            f"metric '{name}' of '{label}' is {own[name][label]:g}; DEA needs values >= 0"
        )
    values = frame.to_numpy()
    return _grown(
        front, frame, SourceSummary(len(frame), 0, values.min(axis=0), values.max(axis=0)), ()
    )


def seen_of(front: Frontier) -> SourceSummary:
    """What a frontier has seen: of one in memory, its own table."""
    if front.source_summary is not None:
        return front.source_summary
    values = front.data.outputs.to_numpy()
    return SourceSummary(len(values), 0, values.min(axis=0), values.max(axis=0))


def _grown(
    front: Frontier, rows: pd.DataFrame, more: SourceSummary, notes: Iterable[str]
) -> Frontier:
    """The frontier with the extreme ones among other rows, which stand for all that `more` tells
    of.
    """
    mine = seen_of(front)
    outputs = pd.concat([front.data.outputs.loc[front.extreme], rows[front.outputs]])
    data = Data(
        outputs,
        outputs.iloc[:, :0],
        tuple(dict.fromkeys((*front.notes, *notes))),
        front.data.transforms,
    )
    seen = SourceSummary(
        mine.rows + more.rows,
        mine.left_out + more.left_out,
        np.minimum(mine.low, more.low),
        np.maximum(mine.high, more.high),
        max(mine.tolerance, more.tolerance),
    )
    found = spanned(data, seen, front.technology)
    before, after = set(front.extreme), set(found.extreme)
    return replace(
        found,
        source_summary=replace(
            seen,
            entered=tuple(one for one in found.extreme if one not in before),
            removed=tuple(one for one in front.extreme if one not in after),
        ),
    )


def _directions(front: Frontier) -> dict[str, tuple[float, float]]:
    return {name: (turn.sign, turn.shift) for name, turn in sorted(front.data.transforms.items())}


def _listed(what: object) -> str:
    return ", ".join(map(str, what)) if isinstance(what, list) else str(what)
