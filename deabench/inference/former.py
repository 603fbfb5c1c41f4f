"""Answers that were plain pandas before they were results: what was asked of the pandas object
still answers.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike

Plain: TypeAlias = "pd.DataFrame | pd.Series"


class Former:
    """Beside `Result`: an answer that stands for the frame (or series) that its function used to
    return.

    `result[...]`, `len(result)`, iteration and numpy's view are the frame's, now and later. Every
    other attribute of it works for one release and says what to write instead."""

    def plain(self) -> Plain:
        """The frame or series that the function used to return."""
        raise NotImplementedError  # every answer has its own

    def __getitem__(self, key: object) -> Plain:
        found: Plain = self.plain()[key]
        return found

    def __len__(self) -> int:
        return len(self.plain())

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.plain())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.plain(), dtype=dtype, copy=copy)

    if not TYPE_CHECKING:  # a type checker is to see what is really there

        def __getattr__(self, name):
            plain = not name.startswith("_") and (
                hasattr(pd.DataFrame, name) or hasattr(pd.Series, name)
            )
            if name == "plot" or not plain:  # a result without a picture has no `plot`
                raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'")
            value = getattr(self.plain(), name)
            warnings.warn(
                f"{type(self).__name__}.{name} goes with the next release: the answer is a result now, and .plain() the "
                f"pandas object that it was; write .plain().{name}",
                FutureWarning,
                stacklevel=2,
            )
            return value
