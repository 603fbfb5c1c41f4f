"""Types that the formulations share, and the sets and data that most of them start from."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from pyomo.core.base import ConcreteModel, Param

Model: TypeAlias = Any
"""A `pyomo.environ.ConcreteModel`; its components are attributes made at run time, which no type
checker follows.
"""

Table: TypeAlias = Mapping[tuple[Any, Any], Any]
"""Data by (DMU, metric): numbers, or Pyomo objects where the model is compiled symbolically."""

Row: TypeAlias = Mapping[Any, Any]
"""Data of one DMU by metric."""


def firsts(table: Table) -> list[Hashable]:
    """Return the DMUs of a table, in order of appearance."""
    return unique(key[0] for key in table)


def seconds(table: Table) -> list[Hashable]:
    """Return the metrics of a table, in order of appearance."""
    return unique(key[1] for key in table)


def unique(items: Iterable[Hashable]) -> list[Hashable]:
    return list(dict.fromkeys(items))


def compared(X: Table, Y: Table, x_o: Row, y_o: Row) -> Model:
    """Return a model with the sets J, I, R (DMUs, inputs, outputs) and the data x_o, y_o of o."""
    m = ConcreteModel()
    m.J = firsts(Y)
    m.I = seconds(X)
    m.R = seconds(Y)
    m.x_o = Param(m.I, mutable=True, initialize=dict(x_o))
    m.y_o = Param(m.R, mutable=True, initialize=dict(y_o))
    return m
