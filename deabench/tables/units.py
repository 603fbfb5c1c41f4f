"""Two tables that meet must measure alike: a share beside percent is refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.cells import numbers_of
from deabench.tables.vocabulary import meaning

FAR = 2.0
"""The median of a rate in percent is above this, in a table that is not of rates up to 1."""


def same_units(tested: pd.DataFrame, reference: pd.DataFrame, metrics: Sequence[str]) -> None:
    """Refuse shares (.95) beside percent (95).

    Raises
    ------
    DataError
        Where a rate that is better high is up to 1 in one table and far above in the other. (An
        error rate of .9 % is none.)
    """
    for name in metrics:
        if name not in tested or name not in reference or not _rate(name):
            continue
        pair = (_values(tested[name]), _values(reference[name]))
        for k, (ours, theirs) in enumerate((("tested", "reference"), ("reference", "tested"))):
            small, large = pair[k], pair[1 - k]
            if (
                len(small)
                and len(large)
                and small.max() <= 1
                and (small > 0).any()
                and np.median(large) > FAR
            ):
                raise DataError(
                    f"metric '{name}' is up to {small.max():g} in the {ours} table and up to {large.max():g} in the "
                    f"{theirs} one; one is a share and the other percent, multiply the shares by 100"
                )


def _rate(name: str) -> bool:
    found = meaning(name)
    return (
        found is not None and found.role == "output" and found.unit == "share" and found.high == 1.0
    )


def _values(column: pd.Series) -> np.ndarray:
    found = numbers_of(column)
    return np.empty(0) if found is None else found.values[np.isfinite(found.values)]
