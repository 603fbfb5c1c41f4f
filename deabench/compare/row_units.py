"""Tell what the rows of a table of scores are by their names: data sets, folds, or runs.

Data sets are independent samples. Folds of one data set share training data, and runs (seeds,
repeats) share their test set: they tell nothing about other data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pandas as pd

from deabench.utils.frames import KEY_WORDS, find_key, with_named_rows

REPEATED = ("fold", "seed", "repeat")
"""Keys whose rows repeat one data set."""
RUNS_NOTE = (
    "the rows are runs on one test set: the test speaks of other runs alone, not of other data"
)


@dataclass(frozen=True)
class RowUnit:
    """What a row of a table of scores is.

    Attributes
    ----------
    noun : "data set", "fold" or "run"
    folds : int or None
        The k of the cross-validation that folds are of; None for other rows.
    """

    noun: str
    folds: int | None = None

    @property
    def plural(self) -> str:
        """The noun of several rows."""
        return f"{self.noun}s"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of a test must know about such rows."""
        return (RUNS_NOTE,) if self.noun == "run" else ()

    def rename(self, text: str) -> str:
        """Return a sentence about data sets as one about such rows."""
        return text.replace("data set", self.noun)


def find_row_unit(table: Any) -> RowUnit:
    """Return what the rows are by the name of their column, or by their labels where it has none.

    Parameters
    ----------
    table : DataFrame
        Its index is called `fold`, `seed`, `run`, `repeat` or alike, also in several levels; or it
        has no name, and labels as "fold 3". Rows with any other name are data sets.
    """
    index = getattr(with_named_rows(table), "index", None)
    if not isinstance(index, pd.Index):
        return RowUnit("data set")
    names = list(index.names)
    keys = {key: find_key(names, key) for key in REPEATED}
    levels = {key: index.get_level_values(name) for key, name in keys.items() if name is not None}
    if names == [None]:
        key = _key_of_labels(index)
        levels = {key: index} if key else {}
    # A level with another name stands for data sets, and so do words such as "train" and "test".
    is_numbered = all(map(_has_numbers, levels.values()))
    if len(levels) < len(names) or not is_numbered:
        return RowUnit("data set")
    folds = levels["fold"].nunique() if "fold" in levels else 0
    # Several seeds on one fold are runs on one test set.
    return RowUnit("fold", folds) if folds > 1 else RowUnit("run")


def _key_of_labels(labels: pd.Index) -> str:
    """Return the key that all labels name with a number, as "fold 3"; empty where none is."""
    for key in REPEATED:
        words = "|".join(word.replace("_", "[ _-]?") for word in (key, *KEY_WORDS[key].split()))
        pattern = re.compile(rf"({words})[ _#-]*\d+", re.IGNORECASE)
        if all(isinstance(label, str) and pattern.fullmatch(label.strip()) for label in labels):
            return key
    return ""


def _has_numbers(labels: pd.Index) -> bool:
    """Return whether every label holds a digit, as the names of folds and runs do."""
    return all(re.search(r"\d", str(label)) for label in labels)
