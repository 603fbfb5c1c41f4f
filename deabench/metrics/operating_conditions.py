"""Relate 2x2 tables to their operating conditions: prevalence, costs, and random labels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics.counts import check_counts, compute_metrics, has_weighted_cells, row_label
from deabench.metrics.formulas import CELLS

MAX_MACHINE_TOTAL = 1e9
"""Tables with fewer instances are multiplied as machine integers."""


def at_prevalence(
    rates: pd.DataFrame, prevalence: float | Sequence[float] | pd.Series, **options: Any
) -> pd.DataFrame:
    """Compute the metrics of the same classifiers at another prevalence, by Bayes' theorem.

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
    tpr, tnr = (_read_rate(rates, name) for name in ("TPR", "TNR"))
    pi = _read_prevalence(prevalence, rates.index)
    # Both rates are needed for every cell.
    missing = np.isnan(tpr) | np.isnan(tnr)
    # Any rate will do for rows with a missing rate: their metrics are blanked below.
    tpr = np.where(missing, 0.5, tpr)
    tnr = np.where(missing, 0.5, tnr)
    # Bayes: the shares of the four cells in a population with prevalence π.
    shares = {
        "tp": pi * tpr,
        "fn": pi * (1 - tpr),
        "fp": (1 - pi) * (1 - tnr),
        "tn": (1 - pi) * tnr,
    }
    table = compute_metrics(pd.DataFrame(shares, index=rates.index), **options)
    table.loc[missing] = np.nan
    sentences = [
        f"the metrics of '{row_label(row)}' are undefined: its TPR or TNR is missing"
        for row in rates.index[missing]
    ]
    table.attrs["undefined"] = (*table.attrs["undefined"], *sentences)
    table.attrs["prevalence"] = "re-expressed by Bayes' theorem from TPR and TNR"
    return table


def balancing_costs(positives: float, negatives: float, *, k: float = 1.0) -> dict[str, float]:
    """Return the cost matrix whose total is least where balanced accuracy is highest.

    C_fn = k N and C_fp = k P, so that C_fn / C_fp = N / P; correct labels cost nothing [1]_. Then
    (the lemma of appendix C) total cost = C_fn fn + C_fp fp = 2 k P N (1 − balanced accuracy). What
    the paper calls AUC there is balanced accuracy, the area under the ROC curve of a single
    operating point.

    Parameters
    ----------
    positives, negatives : float > 0
        P and N, the instances of each class.
    k : float > 0
        The unit; k = 1 / P makes a false positive cost 1, which is the 'balancing_cost' of
        `from_counts`.

    Returns
    -------
    dict
        For the argument `costs` of `from_counts`.

    References
    ----------
    .. [1] Chao, Kou, Peng and Fernández (2022), An efficiency curve for evaluating imbalanced
       classifiers considering intrinsic data characteristics, appendices B and C.

    Examples
    --------
    >>> balancing_costs(8, 12)
    {'tp': 0.0, 'fn': 12.0, 'fp': 8.0, 'tn': 0.0}
    """
    for name, value in (("positives", positives), ("negatives", negatives), ("k", k)):
        if not value > 0:
            raise DataError(f"{name} is {value:g}; balancing costs need a number > 0")
    return {"tp": 0.0, "fn": float(k * negatives), "fp": float(k * positives), "tn": 0.0}


def usefulness(counts: pd.DataFrame) -> pd.DataFrame:
    """Test whether each classifier is better than random labels, by eight equivalent conditions.

    In the notation of `deabench.metrics.formulas`: DOR > 1 ⇔ TPR > FPR ⇔ FNR < TNR ⇔ PPV > P/n ⇔
    NPV > N/n ⇔ TPR > L/n ⇔ TNR > M/n ⇔ accuracy > (P L + N M)/n², the accuracy of random labels at
    the same queue rate. The source [1]_ takes the last for a consequence only; it is an
    equivalence, since accuracy − (P L + N M)/n² = 2 (P/n)(N/n)(TPR + TNR − 1). An accuracy above
    null accuracy is sufficient and not necessary.

    Parameters
    ----------
    counts : DataFrame with tp, fn, fp, tn
        Whole numbers >= 0 of any size, or the sums of weights of `count`.

    Returns
    -------
    DataFrame of nullable booleans, rows x 8 conditions
        Compared as products of whole numbers (of fractions, where they are sums of weights), so
        that equality is exact; missing (NA) where a side is 0/0.

    References
    ----------
    .. [1] Taking the Confusion out of the Confusion Matrix (2016, revised 2017), "When is a
       classifier useful?".

    Examples
    --------
    >>> counts = pd.DataFrame({"tp": [6], "fn": [2], "fp": [3], "tn": [9]}, index=["net"])
    >>> bool(usefulness(counts).loc["net"].all())
    True
    """
    tp, fn, fp, tn = _exact_cells(counts)
    p = tp + fn
    n = fp + tn
    labelled_positive = tp + fp
    labelled_negative = fn + tn
    total = p + n
    # A condition is defined where none of its sides is 0/0.
    has_both = (p > 0) & (n > 0)
    has_all_margins = has_both & (labelled_positive > 0) & (labelled_negative > 0)
    # Every condition is multiplied out, so that no division rounds: (holds, is defined).
    conditions = {
        "DOR > 1": (tp * tn > fn * fp, has_all_margins),
        "TPR > FPR": (tp * n > fp * p, has_both),
        "FNR < TNR": (fn * n < tn * p, has_both),
        "PPV > prevalence": (tp * total > p * labelled_positive, labelled_positive > 0),
        "NPV > 1 - prevalence": (tn * total > n * labelled_negative, labelled_negative > 0),
        "TPR > queue_rate": (tp * total > labelled_positive * p, p > 0),
        "TNR > 1 - queue_rate": (tn * total > labelled_negative * n, n > 0),
        "accuracy > chance": (
            (tp + tn) * total > p * labelled_positive + n * labelled_negative,
            total > 0,
        ),
    }
    columns = {
        name: holds.astype("boolean").mask(~defined.astype(bool))
        for name, (holds, defined) in conditions.items()
    }
    return pd.DataFrame(columns, index=counts.index)


def _read_rate(rates: pd.DataFrame, name: str) -> np.ndarray:
    if name not in rates.columns:
        raise DataError(
            f"there is no column '{name}' in the rates; give TPR and TNR, as from_counts does"
        )
    values = rates[name].to_numpy(float)
    outside = (values < 0) | (values > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise DataError(
            f"{name} of '{row_label(rates.index[row])}' is {values[row]:g}; a rate lies between 0 "
            "and 1"
        )
    return np.asarray(values)


def _read_prevalence(
    prevalence: float | Sequence[float] | pd.Series, index: pd.Index
) -> np.ndarray:
    """Return one prevalence for each row, in (0, 1)."""
    if isinstance(prevalence, pd.Series):
        absent = index.difference(prevalence.index)
        if len(absent):
            raise DataError(
                f"there is no prevalence for '{row_label(absent[0])}'; give one for each row"
            )
        prevalence = prevalence.loc[index]
    values = np.asarray(prevalence, dtype=float)
    if values.ndim > 1 or (values.ndim == 1 and len(values) != len(index)):
        raise DataError(
            f"{values.size} prevalences for {len(index)} rows; give one number, or one for each row"
        )
    # At prevalence 0 or 1 one of the classes would be empty.
    outside = ~((values > 0) & (values < 1))
    if outside.any():
        raise DataError(
            f"the prevalence {values[outside].flat[0]:g} is not between 0 and 1; both classes must "
            "occur"
        )
    # One number stands for all rows.
    return np.broadcast_to(values, (len(index),))


def _exact_cells(counts: pd.DataFrame) -> list[pd.Series]:
    """Return the cells in numbers whose products are exact.

    Machine integers, Python's own where those overflow, fractions of weights.
    """
    # Products of whole numbers beyond 2⁵³ are not exact as floats.
    cells = check_counts(counts)
    if has_weighted_cells(counts):
        # Every float is a fraction exactly.
        return [cells[cell].map(Fraction).astype(object) for cell in CELLS]
    if cells.sum(axis=1).max() < MAX_MACHINE_TOTAL:
        return [cells[cell].astype("int64") for cell in CELLS]
    # Python's whole numbers do not overflow.
    return [
        pd.Series([int(number) for number in counts[cell]], counts.index, dtype=object)
        for cell in CELLS
    ]


def cost_of_accuracy(
    accuracy: float | pd.Series, instances: int, *, error_share: float, cost: float = 1.0
) -> Any:
    """Return the total cost where it depends on accuracy alone.

    If both errors cost q·C and both right answers p·C with p = 1 − q, the cost of N instances is
    N·C·(q − (q − p)·accuracy): only then do accuracy and cost order classifiers alike.

    Parameters
    ----------
    accuracy : number or Series in [0, 1]
    instances : int
        N.
    error_share : float in [0, 1]
        q, the share of C that an error costs; a right answer costs the share 1 − q.
    cost : float
        C.

    Raises
    ------
    DataError
        If a share or an accuracy is outside [0, 1].

    Notes
    -----
    Source: Tan, Steinbach, Kumar, Introduction to Data Mining, lecture on model evaluation, "Cost
    vs. Accuracy".

    Examples
    --------
    >>> round(cost_of_accuracy(0.8, 500, error_share=1.0), 6)
    100.0
    """
    values = np.asarray(accuracy, dtype=float)
    for name, shares in (("accuracy", values), ("error_share", np.asarray(error_share))):
        outside = shares[(shares < 0) | (shares > 1)]
        if outside.size:
            raise DataError(f"{name} is {outside.flat[0]:g}; give a share from 0 to 1")
    return instances * cost * (error_share - (2 * error_share - 1) * accuracy)
