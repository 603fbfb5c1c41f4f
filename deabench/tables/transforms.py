"""What is turned on the way in is turned back on the way out: a reader meets his own metric, unit
and direction only.

DEA wants outputs to be high and everything to be >= 0. An error rate is therefore complemented to
its greatest value, a loss with its sign turned is turned again, and under variable returns a value
may be counted from another origin. Each is an affine map inside = sign · value + shift, kept beside
the data as a `Turn`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Turn:
    """inside = sign · value + shift.

    Attributes
    ----------
    sign : 1.0 or -1.0
        -1 where lower is better outside and higher inside, or the other way round.
    shift : float
    """

    sign: float = 1.0
    shift: float = 0.0

    def inside(self, values: pd.Series) -> pd.Series:
        """The user's values as DEA takes them; 1 - e for an error rate e."""
        return self.shift + self.sign * values

    def outside(self, values: pd.Series) -> pd.Series:
        """The inverse of `inside`."""
        return (values - self.shift) * self.sign


Turns = Mapping[str, Turn]


def values_outside(frame: pd.DataFrame, turns: Turns) -> pd.DataFrame:
    """Values of metrics, DMU x metrics, in the user's direction and unit."""
    return _each(frame, turns, lambda column, turn: turn.outside(column))


def values_inside(frame: pd.DataFrame, turns: Turns) -> pd.DataFrame:
    """The inverse of `values_outside`."""
    return _each(frame, turns, lambda column, turn: turn.inside(column))


def changes_outside(frame: pd.DataFrame, turns: Turns) -> pd.DataFrame:
    """Differences of metrics (gaps), whose origin does not matter: only the sign is turned."""
    return _each(frame, turns, lambda column, turn: column * turn.sign + 0.0)  # no -0.0


def normals_outside(
    normals: pd.DataFrame, offset: float, turns: Turns
) -> tuple[pd.DataFrame, np.ndarray]:
    """Half-spaces normal·inside <= offset in the user's metrics: (normals, offsets), normal·value
    <= offset.
    """
    turned = _each(normals, turns, lambda column, turn: column * turn.sign)
    moved = sum(
        (normals[name].to_numpy() * turn.shift for name, turn in turns.items() if name in normals),
        np.zeros(len(normals)),
    )
    return turned, offset - moved


def _each(
    frame: pd.DataFrame, turns: Turns, do: Callable[[pd.Series, Turn], pd.Series]
) -> pd.DataFrame:
    if not any(name in frame for name in turns):
        return frame
    return pd.DataFrame(
        {
            name: do(column, turns[name]) if name in turns else column
            for name, column in frame.items()
        },
        index=frame.index,
        columns=frame.columns,
    )


def after(first: Turn, then: Turn) -> Turn:
    """One turn after another."""
    return Turn(first.sign * then.sign, then.sign * first.shift + then.shift)
