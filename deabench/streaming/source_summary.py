"""What a frontier knows of rows that are not in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deabench.streaming.files import Files


@dataclass(frozen=True)
class Seen:
    """The rows that a frontier was made of, where only those that are extreme are left of them.

    Attributes
    ----------
    rows, left_out : int
        How many rows there were, and how many of them were left out for a missing cell.
    low, high : arrays (s,)
        The least and greatest value of each metric over them, inside.
    tolerance : float
        No row's efficiency is above 1 + tolerance.
    files : Files or None
        Where they can be read again; None of rows that came otherwise.
    entered, left : tuples of labels
        Of a frontier that grew: who is on it that was not, and who was and is not.
    """

    rows: int
    left_out: int
    low: np.ndarray
    high: np.ndarray
    tolerance: float = 0.0
    files: Files | None = None
    entered: tuple[Any, ...] = ()
    left: tuple[Any, ...] = ()
