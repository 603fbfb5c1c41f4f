"""Cost matrices: Chao et al.'s balancing costs."""

from __future__ import annotations

from deabench.errors import DataError


def balancing_costs(positives: float, negatives: float, *, k: float = 1.0) -> dict[str, float]:
    """The cost matrix whose total is least where balanced accuracy is highest.

    C_fn = k N and C_fp = k P, so that C_fn / C_fp = N / P; right labels cost nothing [1]_. Then
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
    classifiers considering
       intrinsic data characteristics, appendices B and C.

    Examples
    --------
    >>> balancing_costs(8, 12)
    {'tp': 0.0, 'fn': 12.0, 'fp': 8.0, 'tn': 0.0}
    """
    for name, value in (("positives", positives), ("negatives", negatives), ("k", k)):
        if not value > 0:
            raise DataError(f"{name} is {value:g}; balancing costs need a number > 0")
    return {"tp": 0.0, "fn": float(k * negatives), "fp": float(k * positives), "tn": 0.0}
