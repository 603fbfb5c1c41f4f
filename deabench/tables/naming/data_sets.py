"""Recognise data sets of textbooks and packages by their columns, whose names tell too little."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

DataSetRole = Literal["output", "cost", "left_out", "label", "dataset"]


@dataclass(frozen=True)
class DataSet:
    """A published data set.

    Attributes
    ----------
    name : str
    source : str
        The package that has it.
    roles : mapping of column to role
    """

    name: str
    source: str
    roles: dict[str, DataSetRole]


@cache
def read_data_sets() -> tuple[DataSet, ...]:
    """Read the data sets of data_sets.toml."""
    text = Path(__file__).with_name("data_sets.toml").read_text(encoding="utf-8")
    data_sets = []
    for entry in tomllib.loads(text)["data_set"]:
        roles: dict[str, DataSetRole] = dict.fromkeys(entry["outputs"].split(), "output")
        roles |= dict.fromkeys(entry["inputs"].split(), "cost")
        roles |= dict.fromkeys(entry["left_out"].split(), "left_out")
        # What names the producers, and their periods, where the data set has such columns.
        roles |= dict.fromkeys(entry.get("label", "").split(), "label")
        roles |= dict.fromkeys(entry.get("periods", "").split(), "dataset")
        data_sets.append(DataSet(entry["name"], entry["source"], roles))
    return tuple(data_sets)


def find_data_set(names: Sequence[str]) -> DataSet | None:
    """Return the data set that has these columns, spelled in the same way; None without one.

    Of several the one with the most columns counts: that of fewer may be a part of it.
    """
    columns = set(names)
    candidates = [data_set for data_set in read_data_sets() if data_set.roles.keys() <= columns]
    return max(candidates, key=lambda data_set: len(data_set.roles), default=None)
