"""Data sets that are shipped: the printed tables of Chao et al. (2022) and small textbook examples.

`load(name)` gives a table ready for `deabench.rank`, `names()` the names, `describe()` what each is
and where it comes from; `printed("table09")` gives a table of Chao et al. (2022) whole, as printed.
DATA_LICENSES.md states the terms.

Reference
---------
X. Chao, G. Kou, Y. Peng, A. Fernández, "An efficiency curve for evaluating imbalanced classifiers
considering intrinsic data characteristics", Information Sciences 608 (2022) 1131-1156."""

from __future__ import annotations

from deabench.datasets._boards import BOARDS, board
from deabench.datasets._tables import DATASETS, Entry, describe, load, names
from deabench.datasets.chao2022 import PRINTED, printed
from deabench.datasets.recommendations import table22

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
