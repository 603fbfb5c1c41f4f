"""Data whose metrics are all to be high: what a frontier and its targets are made of."""

from __future__ import annotations

import pandas as pd

from deabench.tables.transforms import Turn, Turns, after
from deabench.tables.validation import Data
from deabench.tables.vocabulary import meaning

SAME = {"percent": "share"}


def high(data: Data, turns: Turns | None = None) -> Data:
    """The same data with every input x as an output c − x.

    Under variable returns to scale neither who is efficient nor what is closest depends on the
    origin c; here it lies a range beyond the greatest value. What costs is subtracted from is kept
    in `turns`, so that nobody ever sees it.

    Parameters
    ----------
    turns : mapping, optional
        Those of another `high` data, for points that are to be compared with it.
    """
    if not data.inputs.shape[1]:
        return data
    outputs, made = data.outputs.copy(), dict(data.turns)
    for name, column in data.inputs.items():
        turned = (
            Turn(-1.0, _origin(column))
            if turns is None
            else Turn(-1.0, _shift(turns[str(name)], data.turns.get(str(name))))
        )
        outputs[name] = turned.inside(column)
        made[str(name)] = after(data.turns.get(str(name), Turn()), turned)
    return Data(outputs, data.inputs.iloc[:, :0], data.notes, made)


def _origin(column: pd.Series) -> float:
    low, top = float(column.min()), float(column.max())
    return top + ((top - low) or abs(top) or 1.0)


def _shift(whole: Turn, first: Turn | None) -> float:
    """The second turn's shift, where the whole and the first are known: whole.shift = −first.shift
    + shift.
    """
    return whole.shift + (first.shift if first is not None else 0.0)


def mixed_units(names: list[str], inputs: list[str]) -> bool:
    """Whether metrics are counted in units that cannot be added: a cost beside a rate, seconds
    beside dollars.
    """
    units = {
        SAME.get(found.unit, found.unit)
        for found in map(meaning, names)
        if found is not None and found.unit
    }
    return bool(inputs) or len(units) > 1
