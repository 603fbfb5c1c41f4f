"""The printed tables of Chao et al. (2022), one CSV file per table, cells as printed (percentages
stay percentages).
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
"""The tables at hand and their titles; 1, 4 and 22 hold words only, the other half of 23 and 24
repeats 9 and 10.
"""


def printed(name: str) -> pd.DataFrame:
    """A table of Chao et al. (2022) whole, one row per printed row or group, columns named as in
    the paper.

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
        Where there is no such table, with the nearest name.

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
