"""Read a Pyomo formulation once, as arrays whose entries are affine in the data of a DMU.

A formulation is written for n reference DMUs and one tested DMU. Built with ONE reference DMU whose
data are symbols, and read by Pyomo's own parameterized compiler, it gives every coefficient as an
affine function of the reference DMU's data (`reference`) and the tested DMU's (`tested`). What is
indexed by the reference DMU is then repeated n times by numpy: the model of n DMUs costs what the
model of one does, and Pyomo stays the only place where the mathematics is written. The tests hold
the expansion against Pyomo's compilation of the full model, coefficient by coefficient.

The repetition assumes that a row of DMU j holds, among the columns of the DMUs, those of j alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

REFERENCE = "\N{BULLET}"
"""The label of the one reference DMU of the symbolic model; no metric is called so."""


@dataclass(frozen=True)
class Affine:
    """k numbers, each `const + reference·(data of a reference DMU) + tested·(data of the tested
    DMU)`.

    Attributes
    ----------
    const : array (k,)
    reference : array (k, p)
    tested : array (k, q)
    """

    const: np.ndarray
    reference: np.ndarray
    tested: np.ndarray

    def __getitem__(self, index: Any) -> Affine:
        return Affine(self.const[index], self.reference[index], self.tested[index])

    def at(self, reference: np.ndarray, tested: np.ndarray) -> np.ndarray:
        """The numbers for data of shape (..., p) and (..., q): an array (..., k)."""
        return np.asarray(self.const + reference @ self.reference.T + tested @ self.tested.T)


@dataclass(frozen=True)
class Template:
    """A formulation as affine arrays; rows and columns with `of_reference` are repeated for every
    reference DMU.

    Rows read `lower <= a·x <= upper`; the objective is `cost·x + x·(hessian/2)·x`, minimised
    (`sense` 1) or maximised (-1)."""

    name: str
    sense: int
    row_names: tuple[str, ...]
    row_of_reference: np.ndarray
    lower: Affine
    upper: Affine
    column_names: tuple[str, ...]
    column_of_reference: np.ndarray
    column_lower: np.ndarray
    column_upper: np.ndarray
    integer: np.ndarray
    cost: Affine
    entry_row: np.ndarray
    entry_column: np.ndarray
    entry: Affine
    hessian: tuple[tuple[int, int, float], ...]
    tested_names: tuple[str, ...]


def compile_template(
    formulation: Callable[..., Any],
    reference: Mapping[str, Sequence[Any]],
    tested: Mapping[str, Mapping[Any, float]],
    *finish: Callable[[Any], Any],
    **parameters: Any,
) -> Template:
    """Compile `formulation` symbolically.

    Parameters
    ----------
    formulation : function of deabench_models
    reference : mapping of argument name to metrics
        The data of the reference DMUs, as {"X": ["x1"], "Y": ["y1", "y2"]}; their order is that of
        the symbols.
    tested : mapping of argument name to a row with any numbers
        The data of the tested DMU; its keys name the symbols.
    finish : functions of the model
        Applied to it in turn, as the norms of `deabench_models.norms`.
    """
    from pyomo.core.base import ConcreteModel, Var

    data = ConcreteModel()
    tables, symbols = {}, []
    for argument, metrics in reference.items():
        data.add_component(argument, Var(range(len(metrics))))
        variables = data.component(argument)
        tables[argument] = {(REFERENCE, metric): variables[i] for i, metric in enumerate(metrics)}
        symbols += list(variables.values())
    model = formulation(**tables, **tested, **parameters)
    for step in finish:
        step(model)
    return replace(_read(model, symbols), name=formulation.__name__)


def read_model(model: Any, *, name: str = "model", symbolic: bool = True) -> Template:
    """A model built with all its data, read as it stands; `symbolic` keeps its mutable Params as
    tested data.
    """
    return replace(_read(model, [], symbolic=symbolic), name=name)


def _read(model: Any, symbols: list[Any], *, symbolic: bool = True) -> Template:
    from pyomo.core.base import Constraint, Objective, Var

    reader = _Reader(model, symbols, symbolic)
    columns = list(model.component_data_objects(Var, sort=False))
    column_of = {id(column): i for i, column in enumerate(columns)}
    entries: list[tuple[int, int, np.ndarray]] = []
    rows: list[Any] = []
    lower: list[np.ndarray] = []
    upper: list[np.ndarray] = []
    for constraint in model.component_data_objects(Constraint, active=True, sort=False):
        low, body, high = constraint.to_bounded_expression()
        linear, constant, _ = reader.parts(body)
        entries += [(len(rows), column_of[key], reader.affine(c)) for key, c in linear.items()]
        moved = reader.affine(constant)
        lower.append(reader.bound(low, -np.inf) - moved)
        upper.append(reader.bound(high, np.inf) - moved)
        rows.append(constraint)
    objective = next(iter(model.component_data_objects(Objective, active=True)), None)
    linear, _, quadratic = reader.parts(objective.expr) if objective is not None else ({}, 0, {})
    cost = [np.zeros(1 + reader.size) for _ in columns]
    for key, c in linear.items():
        cost[column_of[key]] = reader.affine(c)
    return Template(
        name="model",
        sense=1 if objective is None else int(objective.sense),
        row_names=tuple(row.name for row in rows),
        row_of_reference=np.array([_of_reference(row) for row in rows], dtype=bool),
        lower=reader.split(lower),
        upper=reader.split(upper),
        column_names=tuple(column.name for column in columns),
        column_of_reference=np.array([_of_reference(column) for column in columns], dtype=bool),
        column_lower=np.array([-np.inf if v.lb is None else v.lb for v in columns], dtype=float),
        column_upper=np.array([np.inf if v.ub is None else v.ub for v in columns], dtype=float),
        integer=np.array([not v.is_continuous() for v in columns], dtype=bool),
        cost=reader.split(cost),
        entry_row=np.array([entry[0] for entry in entries], dtype=int),
        entry_column=np.array([entry[1] for entry in entries], dtype=int),
        entry=reader.split([entry[2] for entry in entries]),
        hessian=tuple(
            (column_of[a], column_of[b], float(c)) for (a, b), c in (quadratic or {}).items()
        ),
        tested_names=tuple(reader.tested_names),
    )


class _Reader:
    """Pyomo's visitors, set up so that data symbols and mutable Params come out as affine
    coefficients.
    """

    def __init__(self, model: Any, symbols: list[Any], symbolic: bool) -> None:
        from pyomo.core.base import ConcreteModel, Param, Var
        from pyomo.repn.linear import LinearRepnVisitor
        from pyomo.repn.parameterized import ParameterizedQuadraticRepnVisitor
        from pyomo.repn.util import OrderedVarRecorder

        params = [
            p for c in model.component_objects(Param) if symbolic and c.mutable for p in c.values()
        ]
        self.tested_names = [param.name for param in params]
        self.keep = ConcreteModel()  # holds the stand-ins for as long as they are looked up by id
        self.keep.tested = Var(range(len(params)))
        tested = list(self.keep.tested.values())
        self.swap = {id(param): variable for param, variable in zip(params, tested, strict=True)}
        self.place = {id(variable): 1 + i for i, variable in enumerate([*symbols, *tested])}
        self.size, self.references = len(self.place), len(symbols)
        recorder = OrderedVarRecorder({}, {}, None)
        self.visitor = ParameterizedQuadraticRepnVisitor(
            {}, wrt=[*symbols, *tested], var_recorder=recorder
        )
        self.plain = LinearRepnVisitor({})

    def parts(self, expression: Any) -> tuple[dict[int, Any], Any, Any]:
        """Linear coefficients by column, the constant, and the quadratic ones by pair of columns."""
        repn = self.visitor.walk_expression(self._swapped(expression))
        return repn.linear, repn.constant, repn.quadratic

    def affine(self, value: Any) -> np.ndarray:
        """One coefficient as [const, symbols...]."""
        out = np.zeros(1 + self.size)
        if isinstance(value, int | float):
            out[0] = value
            return out
        repn = self.plain.walk_expression(value)
        if repn.nonlinear is not None:
            raise ValueError(f"the coefficient {value} is not affine in the data of the DMUs")
        out[0] = repn.constant
        for key, coefficient in repn.linear.items():
            out[self.place[key]] = coefficient
        return out

    def bound(self, value: Any, missing: float) -> np.ndarray:
        return self.affine(missing if value is None else self._swapped(value))

    def split(self, rows: Sequence[np.ndarray]) -> Affine:
        array = np.asarray(rows, dtype=float).reshape(-1, 1 + self.size)
        return Affine(
            array[:, 0], array[:, 1 : 1 + self.references], array[:, 1 + self.references :]
        )

    def _swapped(self, expression: Any) -> Any:
        from pyomo.core.expr.visitor import replace_expressions

        return (
            expression
            if isinstance(expression, int | float) or not self.swap
            else replace_expressions(expression, self.swap)
        )


def _of_reference(component: Any) -> bool:
    index = component.index()
    return REFERENCE in index if isinstance(index, tuple) else index == REFERENCE


@dataclass(frozen=True)
class Program:
    """A template with its data put in: the arrays that HiGHS takes, column-wise.

    Columns are those of the template that are not of the reference, in order, then for each
    reference DMU its own."""

    name: str
    sense: int
    cost: np.ndarray
    column_lower: np.ndarray
    column_upper: np.ndarray
    integer: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    index: np.ndarray
    value: np.ndarray
    hessian: tuple[tuple[int, int, float], ...]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]


def expand_template(t: Template, reference: np.ndarray, tested: np.ndarray) -> Program:
    """Put the data in: `reference` (n, p), one row per reference DMU, and `tested` (q,)."""
    n = len(reference)
    row_at, rows = _places(t.row_of_reference, n)
    column_at, columns = _places(t.column_of_reference, n)
    zero = np.zeros(t.entry.reference.shape[1])
    row_index, column_index, values = [], [], []
    for e in range(len(t.entry_row)):
        row, column = t.entry_row[e], t.entry_column[e]
        repeated = t.row_of_reference[row] or t.column_of_reference[column]
        value = t.entry[[e]].at(reference if repeated else zero, tested).ravel()
        row_index.append(np.broadcast_to(row_at(row), value.shape))
        column_index.append(np.broadcast_to(column_at(column), value.shape))
        values.append(value)
    row_all, column_all = np.concatenate(row_index), np.concatenate(column_index)
    order = np.lexsort((row_all, column_all))
    start = np.searchsorted(column_all[order], np.arange(columns + 1))

    def repeat(
        data: Affine, of_reference: np.ndarray, at: Callable[[int], np.ndarray], size: int
    ) -> np.ndarray:
        out = np.empty(size)
        for i in range(len(of_reference)):
            out[at(i)] = data[[i]].at(reference if of_reference[i] else zero, tested).ravel()
        return out

    def plain(data: np.ndarray) -> np.ndarray:
        out = np.empty(columns, dtype=data.dtype)
        for i in range(len(data)):
            out[column_at(i)] = data[i]
        return out

    return Program(
        name=t.name,
        sense=t.sense,
        cost=repeat(t.cost, t.column_of_reference, column_at, columns),
        column_lower=plain(t.column_lower),
        column_upper=plain(t.column_upper),
        integer=plain(t.integer),
        lower=repeat(t.lower, t.row_of_reference, row_at, rows),
        upper=repeat(t.upper, t.row_of_reference, row_at, rows),
        start=start.astype(np.int32),
        index=row_all[order].astype(np.int32),
        value=np.concatenate(values)[order],
        hessian=tuple((int(column_at(a)[0]), int(column_at(b)[0]), c) for a, b, c in t.hessian),
        row_names=_names(t.row_names, t.row_of_reference, n),
        column_names=_names(t.column_names, t.column_of_reference, n),
    )


def _places(of_reference: np.ndarray, n: int) -> tuple[Callable[[int], np.ndarray], int]:
    """Where row (or column) i of the template stands once expanded: the fixed ones first, then DMU
    by DMU.
    """
    fixed, repeated = np.flatnonzero(~of_reference), np.flatnonzero(of_reference)
    rank = {int(i): k for k, i in enumerate(fixed)} | {int(i): k for k, i in enumerate(repeated)}

    def at(i: int) -> np.ndarray:
        if of_reference[i]:
            return len(fixed) + np.arange(n) * len(repeated) + rank[int(i)]
        return np.array([rank[int(i)]])

    return at, len(fixed) + n * len(repeated)


def _names(names: tuple[str, ...], of_reference: np.ndarray, n: int) -> tuple[str, ...]:
    fixed = [name for name, repeated in zip(names, of_reference, strict=True) if not repeated]
    own = [name for name, repeated in zip(names, of_reference, strict=True) if repeated]
    return (*fixed, *(name.replace(REFERENCE, str(j)) for j in range(n) for name in own))
