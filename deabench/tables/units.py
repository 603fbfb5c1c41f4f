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
        Where all rates of one table are up to 1 and those of the other are far above.
    """
    rates = [name for name in metrics if name in tested and name in reference and _rate(name)]
    tops = {name: (_values(tested[name]), _values(reference[name])) for name in rates}
    tops = {name: pair for name, pair in tops.items() if len(pair[0]) and len(pair[1])}
    if not tops:
        return
    for k, (ours, theirs) in enumerate((("tested", "reference"), ("reference", "tested"))):
        small = all(pair[k].max() <= 1 for pair in tops.values()) and any((pair[k] > 0).any() for pair in tops.values())
        large = all(np.median(pair[1 - k]) > FAR for pair in tops.values())
        if small and large:
            name, pair = next(iter(tops.items()))
            raise DataError(f"metric '{name}' is up to {pair[k].max():g} in the {ours} table and up to {pair[1 - k].max():g} in "
                            f"the {theirs} one; one is a share and the other percent, multiply the shares by 100")


def _rate(name: str) -> bool:
    found = meaning(name)
    return found is not None and found.unit == "share" and found.high == 1.0


def _values(column: pd.Series) -> np.ndarray:
    found = numbers_of(column)
    return np.empty(0) if found is None else found.values[np.isfinite(found.values)]
