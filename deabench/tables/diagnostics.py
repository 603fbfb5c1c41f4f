"""What weakens an answer, each time with what it does to it."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from deabench.errors import DataWarning

CORRELATED = 0.95
"""Above this correlation two metrics say nearly the same, and a warning says what that does."""


def warn_weak_data(values: pd.DataFrame, outputs: int) -> None:
    """Warn of constant metrics, duplicate rows, too few DMUs and metrics that repeat each other.

    Parameters
    ----------
    values : DataFrame, n x metrics
        The first `outputs` columns are outputs, the others inputs.
    """
    n, k = values.shape
    matrix = values.to_numpy()
    constant = matrix.min(axis=0) == matrix.max(axis=0)
    if n > 1:
        for place, name in enumerate(values.columns):
            if constant[place]:
                _warn(
                    _constant(
                        str(name),
                        float(matrix[0, place]),
                        output=place < outputs,
                        others=k - outputs > 0,
                    )
                )
    first, again = _duplicate_rows(values)
    if again:
        _warn(
            f"'{again[0]}' has the same metrics as '{first}'"
            + (f" ({len(again)} duplicate rows in all)" if len(again) > 1 else "")
            + ": they score alike"
        )
    if 1 < n < 3 * k:
        _warn(
            f"{n} DMUs for {k} metrics, fewer than 3 per metric: with so much freedom of weights "
            "most DMUs look efficient"
        )
    if n > 2:
        varied = np.flatnonzero(~constant)
        for side in (varied[varied < outputs], varied[varied >= outputs]):
            for a, b, r in _correlated(matrix[:, side]):
                _warn(
                    f"metrics '{values.columns[side[a]]}' and '{values.columns[side[b]]}' are correlated at {r:.3f}: they say "
                    "nearly the same, and each extra metric can only raise efficiencies"
                )


def _constant(name: str, value: float, *, output: bool, others: bool) -> str:
    """What a constant metric does, which depends on the side that it is on."""
    said = f"metric '{name}' is {value:g} in every row"
    if output:
        return f"{said}: it makes every DMU at least weakly efficient" + (
            " where returns to scale are variable, or where there is no input" if others else ""
        )
    return f"{said}: with variable returns to scale it changes nothing, with others it is what outputs are counted against"


def _duplicate_rows(values: pd.DataFrame) -> tuple[object, list[object]]:
    matrix = values.to_numpy()
    mixed = matrix[:, 0].copy()  # alike in alike rows; where all differ, no two rows are the same
    for k, column in enumerate(matrix.T[1:]):
        mixed += column * np.sqrt(k + 2.0)
    mixed.sort()
    alike = bool((mixed[1:] == mixed[:-1]).any())
    again = np.flatnonzero(values.duplicated().to_numpy()) if alike else np.zeros(0, dtype=int)
    if not len(again):
        return None, []
    first = np.flatnonzero((matrix == matrix[again[0]]).all(axis=1))[0]
    return values.index[first], [values.index[i] for i in again]


def _correlated(matrix: np.ndarray) -> list[tuple[int, int, float]]:
    """The pairs of columns above `CORRELATED`, each with its correlation."""
    if matrix.shape[1] < 2:
        return []
    r = np.corrcoef(matrix, rowvar=False)
    return [(i, j, float(r[i, j])) for i, j in np.argwhere(np.triu(r > CORRELATED, k=1)).tolist()]


def _warn(text: str) -> None:
    warnings.warn(text, DataWarning, stacklevel=6)
