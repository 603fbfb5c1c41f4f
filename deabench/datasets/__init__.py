"""Shipped data sets: the printed tables of Chao et al. (2022) and small textbook examples.

`load(name)` returns a table ready for `deabench.rank`, `names()` the names, `describe()` the title
and source of each; `printed("table09")` returns a table of Chao et al. (2022) as printed.
DATA_LICENSES.md states the terms.

Reference
---------
X. Chao, G. Kou, Y. Peng, A. Fernández, "An efficiency curve for evaluating imbalanced classifiers
considering intrinsic data characteristics", Information Sciences 608 (2022) 1131-1156.
"""

from __future__ import annotations

from deabench.datasets.chao2022 import PRINTED, printed, table22
from deabench.datasets.shipped import BOARDS, DATASETS, Entry, board, describe, load, names

__all__ = [
    "BOARDS",
    "DATASETS",
    "PRINTED",
    "Entry",
    "board",
    "describe",
    "load",
    "names",
    "printed",
    "table22",
]
