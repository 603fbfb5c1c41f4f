"""Warn of tables of scores whose tests can show little: few rows, ties, skewed differences."""

from __future__ import annotations

from math import factorial

import numpy as np
import pandas as pd
import scipy

from deabench.compare.friedman import EXACT_DATA_SETS, Friedman, has_ties
from deabench.compare.pairwise import Pair, name_pairs
from deabench.compare.row_units import RowUnit
from deabench.compare.score_tables import score_differences
from deabench.errors import warn_data

FEW_DATA_SETS = 10
"""With this few data sets only large differences are found."""
MIN_TIE_FACTOR = 0.95
"""Ties that take more of the rank variance are worth a warning."""


def warn_omnibus(omnibus: Friedman, alpha: float, unit: RowUnit) -> None:
    """Warn of too few rows and of many ties."""
    count, k = omnibus.ranks.shape
    smallest = 0.0
    if count <= EXACT_DATA_SETS:
        # All data sets rank alike: one of k!^(N - 1) equally likely tables.
        smallest = 1 / factorial(min(k, 170)) ** (count - 1)
    if smallest >= alpha:
        warn_data(
            f"with {count} {unit.plural} the test of the whole can never reject: its smallest p "
            f"value is {smallest:.3g}, not below alpha = {alpha:g}; add {unit.plural}"
        )
    elif count <= FEW_DATA_SETS:
        warn_data(f"{count} {unit.plural} are few: only large differences are found")
    if omnibus.tie_factor < MIN_TIE_FACTOR:
        tied = int(has_ties(omnibus.ranks).sum())
        pairs = "" if count <= EXACT_DATA_SETS else "; the pairwise ones are conservative"
        warn_data(
            f"{tied} of {count} {unit.plural} have tied systems, which take "
            f"{100 * (1 - omnibus.tie_factor):.1f} % of the rank variance: read the tie-corrected "
            f"tests{pairs}"
        )


def warn_shape(values: pd.DataFrame, pairs: list[Pair], alpha: float) -> None:
    """Warn once if the differences of some pairs are far from normal, Bonferroni over the pairs."""
    skewed = list[Pair]()
    smallest = 1.0
    columns = {name: values[name].to_numpy() for name in values.columns}
    for first, second in pairs:
        d = score_differences(columns[first], columns[second])
        # Shapiro and Wilk's test needs three values that differ.
        if len(d) >= 3 and np.ptp(d) > 0:
            p_value = float(scipy.stats.shapiro(d).pvalue)
            if p_value < alpha / len(pairs):
                skewed.append((first, second))
                smallest = min(smallest, p_value)
    if skewed:
        is_single = len(skewed) == 1
        sign = "=" if is_single else "from"
        predicate = "value is" if is_single else "values are"
        warn_data(
            f"the differences of {name_pairs(skewed)} over the folds are far from normal "
            f"(Shapiro-Wilk p {sign} {smallest:.4f}): the t test's p {predicate} rough"
        )
