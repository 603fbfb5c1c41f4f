"""The tables of Chao et al. (2022) as printed: one CSV file per table, and Table 22 in words.

Percentages stay percentages.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

SOURCE = "Chao, Kou, Peng, Fernández (2022), Information Sciences 608, 1131-1156"

PRINTED = {
    "table02": "Summary of the datasets",
    "table03": "Classification algorithms used in the experiments",
    "table05": "Average performance of imbalanced learning approaches (base learner C4.5)",
    "table06": "Average performance of imbalanced learning approaches (base learner SVM)",
    "table07": "One-way ANOVA test for average performance (base learner C4.5)",
    "table08": "One-way ANOVA test for average performance (base learner SVM)",
    "table09": "Efficiency on different data characteristics (base learner C4.5)",
    "table10": "Efficiency on different data characteristics (base learner SVM)",
    "table11": "Holm test for the efficiency difference on different datasets (base learner C4.5)",
    "table12": "Holm test for the efficiency difference on different datasets (base learner SVM)",
    "table13": "Efficiency tendencies with different imbalance levels",
    "table14": "DEA benchmark for Wine1",
    "table15": "DEA benchmark for overlapping data",
    "table16": "Accuracies of KNN under different dimensionalities on test sets",
    "table17": "DEA efficiency of KNN under different dimensionalities on test sets",
    "table18": "Performance of data preprocessing methods under noise data (base classifier C4.5)",
    "table19": "DEA efficiency of classifiers under noisy data (base classifier C4.5)",
    "table20": "Performance of C4.5 on dataset with different distributions of outliers",
    "table21": "DEA efficiency of classifiers under different distribution area of outliers",
    "table23": "Comparison of the proposed method and existing IBA method (C4.5): its IBA column",
    "table24": "Comparison of the proposed method and existing IBA method (SVM): its IBA column",
}
"""The tables and their titles; 1, 4 and 22 have words only, the other half of 23 and 24 repeats 9
and 10.
"""


def printed(name: str) -> pd.DataFrame:
    """Read a printed table of Chao et al. (2022).

    It has one row per printed row or group, and columns named as in the paper.

    Parameters
    ----------
    name : str
        "table02" to "table24", a key of `PRINTED`.

    Returns
    -------
    DataFrame
        Numbers as printed; `attrs` holds title and source.

    Raises
    ------
    DataError
        If there is no such table; the message names the nearest one.

    Examples
    --------
    >>> import deabench as db
    >>> db.datasets.printed("table14").shape
    (7, 7)
    """
    if name not in PRINTED:
        raise DataError(f"there is no printed table '{name}'; {did_you_mean(name, list(PRINTED))}")
    with (files(__package__) / f"{name}.csv").open(encoding="utf-8") as stream:
        frame = pd.read_csv(stream, keep_default_na=False)
    frame.attrs = {"title": f"Table {int(name[-2:])}: {PRINTED[name]}", "source": SOURCE}
    return frame


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


def table22(recommendations: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the paper's recommendations (Table 22), next to those of a study.

    Table 22 recommends a family of methods for an imbalance ratio and a kind of data.

    Parameters
    ----------
    recommendations : DataFrame, optional
        A study's table `recommendation`, with the index (imbalance_ratio, type).

    Returns
    -------
    DataFrame, (imbalance_ratio, type) x ('paper', and the columns of `recommendations`)
        Every row of either; NaN where one of them recommends nothing.

    Examples
    --------
    >>> table22().loc[("IR < 10", "SD"), "paper"]
    'over sampling'
    """
    index = pd.MultiIndex.from_tuples(list(TABLE_22), names=["imbalance_ratio", "type"])
    paper = pd.DataFrame({"paper": list(TABLE_22.values())}, index)
    if recommendations is None:
        return paper
    if list(recommendations.index.names) != list(index.names):
        raise DataError(
            f"the index of the recommendations is {tuple(recommendations.index.names)}; give "
            "(imbalance_ratio, type), as a study's table 'recommendation' has it"
        )
    return paper.join(recommendations, how="outer")
