"""Names for the types that the formulations share."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

Model: TypeAlias = Any
"""A `pyomo.environ.ConcreteModel`; its components are attributes made at run time, which no type checker follows."""

Table: TypeAlias = Mapping[tuple[Any, Any], Any]
"""Data by (DMU, metric): numbers, or Pyomo objects where the model is compiled symbolically."""

Row: TypeAlias = Mapping[Any, Any]
"""Data of one DMU by metric."""


def firsts(table: Table) -> list[Hashable]:
    """The DMUs of a table, in order of appearance."""
    return unique(key[0] for key in table)


def seconds(table: Table) -> list[Hashable]:
    """The metrics of a table, in order of appearance."""
    return unique(key[1] for key in table)


def unique(items: Iterable[Hashable]) -> list[Hashable]:
    return list(dict.fromkeys(items))
