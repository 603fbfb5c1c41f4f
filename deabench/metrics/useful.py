"""Whether a classifier's labels say anything about the class: six conditions that are one."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from deabench.metrics.counts import weighted, whole
from deabench.metrics.formulas import CELLS

SMALL = 1e9
"""Below it in all, the products of counts are machine integers."""


def usefulness(counts: pd.DataFrame) -> pd.DataFrame:
    """Seven conditions, each equivalent to DOR > 1 where all of them are defined: is the classifier
    useful?

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
    tp, fn, fp, tn = _exact(counts)
    p, n, labelled, rest = tp + fn, fp + tn, tp + fp, fn + tn
    both, total = (p > 0) & (n > 0), p + n
    conditions = {
        "DOR > 1": (tp * tn > fn * fp, both & (labelled > 0) & (rest > 0)),
        "TPR > FPR": (tp * n > fp * p, both),
        "FNR < TNR": (fn * n < tn * p, both),
        "PPV > prevalence": (tp * total > p * labelled, labelled > 0),
        "NPV > 1 - prevalence": (tn * total > n * rest, rest > 0),
        "TPR > queue_rate": (tp * total > labelled * p, p > 0),
        "TNR > 1 - queue_rate": (tn * total > rest * n, n > 0),
        "accuracy > chance": ((tp + tn) * total > p * labelled + n * rest, total > 0),
    }
    return pd.DataFrame(
        {
            name: holds.astype("boolean").mask(~defined.astype(bool))
            for name, (holds, defined) in conditions.items()
        },
        index=counts.index,
    )


def _exact(counts: pd.DataFrame) -> list[pd.Series]:
    """The four cells in numbers whose products are exact: machine integers, or Python's own where
    those overflow.
    """
    checked = whole(counts)
    if weighted(counts):
        return [checked[cell].map(Fraction).astype(object) for cell in CELLS]
    if checked.sum(axis=1).max() < SMALL:
        return [checked[cell].astype("int64") for cell in CELLS]
    return [
        pd.Series([int(number) for number in counts[cell]], counts.index, dtype=object)
        for cell in CELLS
    ]
