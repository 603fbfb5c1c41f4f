"""The shipped result of the study preset `chao2022`: confusion matrices of 18 classifiers on 67
data sets, per fold.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

HERE = Path(__file__).parent


def read() -> pd.DataFrame:
    """The counts.

    Returns
    -------
    DataFrame, 12,060 rows x 4
        Index (dataset, classifier, fold); columns tp, fn, fp, tn, 1 = the minority; stratified
        10-fold cross-validation. `keel.table2()` has the data sets' types and ratios.
    """
    frame = pd.read_csv(HERE / "keel67.csv.gz", compression="gzip")
    return frame.set_index(["dataset", "classifier", "fold"])


def manifest() -> dict[str, Any]:
    """What made the counts: versions, times, CPU seconds, digests of data and results, the study
    file.
    """
    return dict(json.loads((HERE / "keel67.json").read_text(encoding="utf-8")))
