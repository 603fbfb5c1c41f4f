"""Table 22 of Chao et al. (2022): which family of methods for which imbalance ratio and kind of
data.
"""

from __future__ import annotations

import pandas as pd

from deabench.errors import DataError

EITHER = "standard classifiers or ensemble methods"
TABLE_22 = {
    ("IR < 10", "SD"): "over sampling",
    ("IR < 10", "OD"): EITHER,
    ("IR < 10", "ND"): "ensemble methods",
    ("10 <= IR < 30", "SD"): "standard classifiers",
    ("10 <= IR < 30", "OD"): "ensemble methods",
    ("10 <= IR < 30", "ND"): "ensemble methods",
    ("IR >= 30", "SD"): EITHER,
    ("IR >= 30", "OD"): "under sampling methods",
    ("IR >= 30", "ND"): "ensemble methods",
}
"""SD: small disjuncts, OD: overlapping, ND: noisy data. The paper leaves ratios of exactly 10 and
30 open.
"""


def table22(own: pd.DataFrame | None = None) -> pd.DataFrame:
    """The paper's recommendations, and one's own beside them.

    Parameters
    ----------
    own : DataFrame, optional
        A study's table `recommendation`, with the index (imbalance_ratio, type).

    Returns
    -------
    DataFrame, (imbalance_ratio, type) x ('paper', and the columns of `own`)
        Every row of either; NaN where one of them is silent.

    Examples
    --------
    >>> table22().loc[("IR < 10", "SD"), "paper"]
    'over sampling'
    """
    index = pd.MultiIndex.from_tuples(list(TABLE_22), names=["imbalance_ratio", "type"])
    paper = pd.DataFrame({"paper": list(TABLE_22.values())}, index)
    if own is None:
        return paper
    if list(own.index.names) != list(index.names):
        raise DataError(
            "one's own recommendations have the index (imbalance_ratio, type), as a study's table 'recommendation'"
        )
    return paper.join(own, how="outer")
