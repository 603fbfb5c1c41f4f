"""Metrics re-expressed at another prevalence, by Bayes' theorem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.counts import label, table_of


def at_prevalence(
    rates: pd.DataFrame, prevalence: float | Sequence[float] | pd.Series, **options: Any
) -> pd.DataFrame:
    """What the same classifiers would show where positives are more common, or rarer.

    TPR and TNR belong to the classifier, and all else follows from them and the prevalence π
    (Bayes): the shares of the four cells are tp = π TPR, fn = π (1 − TPR), fp = (1 − π)(1 − TNR),
    tn = (1 − π) TNR, hence for instance PPV = π TPR / (π TPR + (1 − π)(1 − TNR)) and accuracy = π
    TPR + (1 − π) TNR.

    Parameters
    ----------
    rates : DataFrame with TPR and TNR
        As `from_counts` gives it; in [0, 1]. An undefined (NaN) rate leaves the row's metrics
        undefined.
    prevalence : float in (0, 1), or one for each row
        The share of positives; a Series is matched by its labels.
    **options
        As for `from_counts`. The cells are shares, so that 'total_cost' is the expected cost of one
        instance, and 'balancing_cost' likewise.

    Returns
    -------
    DataFrame, rows x metrics

    Raises
    ------
    DataError
        For a missing column, a rate outside [0, 1], a prevalence outside (0, 1) or missing.

    Examples
    --------
    >>> rates = pd.DataFrame({"TPR": [0.9], "TNR": [0.9]}, index=["test"])
    >>> float(at_prevalence(rates, 0.01, metrics=["PPV"]).loc["test", "PPV"].round(4))
    0.0833
    """
    for name in ("TPR", "TNR"):
        if name not in rates.columns:
            raise DataError(
                f"there is no column '{name}' in the rates; give TPR and TNR, as from_counts does"
            )
    tpr, tnr = rates["TPR"].to_numpy(float), rates["TNR"].to_numpy(float)
    for name, values in (("TPR", tpr), ("TNR", tnr)):
        outside = (values < 0) | (values > 1)
        if outside.any():
            row = int(np.argmax(outside))
            raise DataError(
                f"{name} of '{label(rates.index[row])}' is {values[row]:g}; a rate lies between 0 and 1"
            )
    pi = _each(prevalence, rates.index)
    unknown = np.isnan(tpr) | np.isnan(tnr)
    tpr, tnr = (
        np.where(unknown, 0.5, tpr),
        np.where(unknown, 0.5, tnr),
    )  # any rate will do: their rows are blanked
    shares = {
        "tp": pi * tpr,
        "fn": pi * (1 - tpr),
        "fp": (1 - pi) * (1 - tnr),
        "tn": (1 - pi) * tnr,
    }
    table = table_of(pd.DataFrame(shares, index=rates.index), **options)
    table.loc[unknown] = np.nan
    told = [
        f"the metrics of '{label(row)}' are undefined: its TPR or TNR is missing"
        for row in rates.index[unknown]
    ]
    table.attrs["undefined"] = (*table.attrs["undefined"], *told)
    table.attrs["prevalence"] = "re-expressed by Bayes' theorem from TPR and TNR"
    return table


def _each(prevalence: float | Sequence[float] | pd.Series, index: pd.Index) -> np.ndarray:
    if isinstance(prevalence, pd.Series):
        absent = index.difference(prevalence.index)
        if len(absent):
            raise DataError(
                f"there is no prevalence for '{label(absent[0])}'; give one for each row"
            )
        prevalence = prevalence.loc[index]
    values = np.asarray(prevalence, dtype=float)
    if values.ndim > 1 or (values.ndim == 1 and len(values) != len(index)):
        raise DataError(
            f"{values.size} prevalences for {len(index)} rows; give one number, or one for each row"
        )
    bad = ~((values > 0) & (values < 1))
    if bad.any():
        raise DataError(
            f"the prevalence {values[bad].flat[0]:g} is not between 0 and 1; both classes must occur"
        )
    return np.broadcast_to(values, (len(index),))
