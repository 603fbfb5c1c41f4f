"""Read a Pyomo formulation once, as arrays whose entries are affine in the data.

A formulation has an index set of n items, each with data (`reference`, a row per item), and data of
its own (`tested`, a row per program). Built with ONE item whose data are symbols, and read by
Pyomo's own parameterized compiler, it gives every coefficient as an affine function of the item's
data and the program's. What is indexed by the item is then repeated n times by numpy: the model of
n items costs what the model of one does, and Pyomo stays the only place where the mathematics is
written. The tests hold the expansion against Pyomo's compilation of the full model, coefficient by
coefficient.

The repetition assumes that a repeated row of item j holds, among the repeated columns, those of j
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

REFERENCE = "\N{BULLET}"
"""The label of the one item of the symbolic model; nothing else is called so."""


@dataclass(frozen=True)
class Affine:
    """k numbers, each `const + reference·(data of an item) + tested·(data of the program)`.

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

    def evaluate(self, reference: np.ndarray, tested: np.ndarray) -> np.ndarray:
        """Return the numbers for data of shape (..., p) and (..., q): an array (..., k)."""
        return np.asarray(self.const + reference @ self.reference.T + tested @ self.tested.T)


@dataclass(frozen=True, eq=False)
class Template:
    """A formulation as affine arrays; rows and columns `of_reference` are repeated for every item.

    Rows read `lower <= a·x <= upper`; the objective is `cost·x + x·(hessian/2)·x`, minimised
    (`sense` 1) or maximised (-1).
    """

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
    formulation: str | Callable[..., Any],
    reference: Mapping[str, Sequence[Any]],
    tested: Mapping[str, Mapping[Any, float]],
    *finish: Callable[[Any], Any],
    **parameters: Any,
) -> Template:
    """Compile a formulation symbolically.

    Parameters
    ----------
    formulation : name of a function of `deabench_models`, or such a function
    reference : mapping of argument name to metrics
        The data of the items, as {"X": ["x1"], "Y": ["y1", "y2"]}; their order is that of the
        symbols.
    tested : mapping of argument name to a row with any numbers
        The data of the program; its keys name the symbols.
    finish : functions of the model
        Applied to it in turn, as the norms of `deabench_models.projection`.
    """
    from pyomo.core.base import ConcreteModel, Var

    import deabench_models  # this and Pyomo take longer to import than a small table to solve

    build: Any = formulation
    if isinstance(formulation, str):
        build = getattr(deabench_models, formulation)
    data = ConcreteModel()
    tables = {}
    symbols: list[Any] = []
    for argument, metrics in reference.items():
        data.add_component(argument, Var(range(len(metrics))))
        variables = data.component(argument)
        tables[argument] = {(REFERENCE, metric): variables[i] for i, metric in enumerate(metrics)}
        symbols += list(variables.values())
    # Pyomo builds the model of one item, with variables where that item has data.
    model = build(**tables, **tested, **parameters)
    for step in finish:
        step(model)
    return replace(_read_symbolically(model, symbols), name=build.__name__)


def read_model(model: Any, *, name: str = "model", symbolic: bool = True) -> Template:
    """Read a model that is built with all its data; `symbolic` keeps its mutable Params as data."""
    return replace(_read_symbolically(model, [], symbolic=symbolic), name=name)


def _read_symbolically(model: Any, symbols: list[Any], *, symbolic: bool = True) -> Template:
    """Read the rows, columns and coefficients of a model, affine in the symbols and its Params."""
    from pyomo.core.base import Constraint, Objective, Var

    reader = _AffineReader(model, symbols, symbolic)
    columns = list(model.component_data_objects(Var, sort=False))
    column_of = {id(column): i for i, column in enumerate(columns)}
    entries: list[tuple[int, int, np.ndarray]] = []
    rows: list[Any] = []
    lower: list[np.ndarray] = []
    upper: list[np.ndarray] = []
    for constraint in model.component_data_objects(Constraint, active=True, sort=False):
        lower_bound, body, upper_bound = constraint.to_bounded_expression()
        # The coefficients of the columns are themselves expressions in the symbols.
        linear, constant, _ = reader.coefficients(body)
        entries += [(len(rows), column_of[key], reader.to_affine(c)) for key, c in linear.items()]
        # The constant of the body moves to both bounds.
        offset = reader.to_affine(constant)
        lower.append(reader.to_bound(lower_bound, -np.inf) - offset)
        upper.append(reader.to_bound(upper_bound, np.inf) - offset)
        rows.append(constraint)
    objective = next(iter(model.component_data_objects(Objective, active=True)), None)
    cost = [np.zeros(1 + reader.size) for _ in columns]
    quadratic: dict[Any, Any] = {}
    sense = 1
    if objective is not None:
        sense = int(objective.sense)
        linear, _, quadratic = reader.coefficients(objective.expr)
        for key, c in linear.items():
            cost[column_of[key]] = reader.to_affine(c)
    return Template(
        name="model",
        sense=sense,
        row_names=tuple(row.name for row in rows),
        row_of_reference=np.array([_is_of_reference(row) for row in rows], dtype=bool),
        lower=reader.to_arrays(lower),
        upper=reader.to_arrays(upper),
        column_names=tuple(column.name for column in columns),
        column_of_reference=np.array([_is_of_reference(column) for column in columns], dtype=bool),
        column_lower=np.array([-np.inf if v.lb is None else v.lb for v in columns], dtype=float),
        column_upper=np.array([np.inf if v.ub is None else v.ub for v in columns], dtype=float),
        integer=np.array([not v.is_continuous() for v in columns], dtype=bool),
        cost=reader.to_arrays(cost),
        entry_row=np.array([entry[0] for entry in entries], dtype=int),
        entry_column=np.array([entry[1] for entry in entries], dtype=int),
        entry=reader.to_arrays([entry[2] for entry in entries]),
        hessian=tuple((column_of[a], column_of[b], float(c)) for (a, b), c in quadratic.items()),
        tested_names=tuple(reader.tested_names),
    )


class _AffineReader:
    """Pyomo's visitors, set up to turn data symbols and Params into affine coefficients."""

    def __init__(self, model: Any, symbols: list[Any], symbolic: bool) -> None:
        from pyomo.core.base import ConcreteModel, Param, Var
        from pyomo.repn.linear import LinearRepnVisitor
        from pyomo.repn.parameterized import ParameterizedQuadraticRepnVisitor
        from pyomo.repn.util import OrderedVarRecorder

        params = [
            p for c in model.component_objects(Param) if symbolic and c.mutable for p in c.values()
        ]
        self.tested_names = [param.name for param in params]
        # A variable stands for each mutable Param. This model keeps them alive, as they are looked
        # up by id.
        self.owner = ConcreteModel()
        self.owner.tested = Var(range(len(params)))
        tested = list(self.owner.tested.values())
        self.substitutes = {
            id(param): variable for param, variable in zip(params, tested, strict=True)
        }
        self.position = {id(variable): 1 + i for i, variable in enumerate([*symbols, *tested])}
        self.size = len(self.position)
        self.references = len(symbols)
        # One visitor finds the coefficients of the columns, the other those of the symbols in them.
        recorder = OrderedVarRecorder({}, {}, None)
        self.column_visitor = ParameterizedQuadraticRepnVisitor(
            {}, wrt=[*symbols, *tested], var_recorder=recorder
        )
        self.symbol_visitor = LinearRepnVisitor({})

    def coefficients(self, expression: Any) -> tuple[dict[int, Any], Any, Any]:
        """Return linear coefficients by column, the constant, and quadratic ones by two columns."""
        repn = self.column_visitor.walk_expression(self._without_params(expression))
        return repn.linear, repn.constant, repn.quadratic or {}

    def to_affine(self, value: Any) -> np.ndarray:
        """Return one coefficient as [const, symbols...]."""
        out = np.zeros(1 + self.size)
        if isinstance(value, int | float):
            out[0] = value
            return out
        # A product of two symbols is no affine function and would be repeated wrongly: refused.
        repn = self.symbol_visitor.walk_expression(value)
        if repn.nonlinear is not None:
            raise ValueError(f"The coefficient {value} is not affine in the data.")
        out[0] = repn.constant
        for key, coefficient in repn.linear.items():
            out[self.position[key]] = coefficient
        return out

    def to_bound(self, value: Any, default: float) -> np.ndarray:
        """Return one bound as [const, symbols...], the default where there is none."""
        if value is None:
            return self.to_affine(default)
        return self.to_affine(self._without_params(value))

    def to_arrays(self, rows: Sequence[np.ndarray]) -> Affine:
        """Return rows of [const, symbols...] as one `Affine`."""
        array = np.asarray(rows, dtype=float).reshape(-1, 1 + self.size)
        first_tested = 1 + self.references
        return Affine(array[:, 0], array[:, 1:first_tested], array[:, first_tested:])

    def _without_params(self, expression: Any) -> Any:
        """Return an expression with the variables that stand for its mutable Params."""
        from pyomo.core.expr.visitor import replace_expressions

        if isinstance(expression, int | float) or not self.substitutes:
            return expression
        return replace_expressions(expression, self.substitutes)


def _is_of_reference(component: Any) -> bool:
    """Return whether a component is indexed by the item of the symbolic model."""
    index = component.index()
    return REFERENCE in index if isinstance(index, tuple) else index == REFERENCE


@dataclass(frozen=True)
class Program:
    """A template with data put in: the arrays that HiGHS takes, column-wise.

    Columns are those of the template that are not repeated, in order, then those of each item.
    """

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


def expand_template(template: Template, reference: np.ndarray, tested: np.ndarray) -> Program:
    """Put data into a template: `reference` (n, p), one row per item, and `tested` (q,)."""
    return Expansion(Layout(template, len(reference)), reference).program(tested)


class Layout:
    """Where each number of a template stands in its programs with n items."""

    def __init__(self, template: Template, n: int) -> None:
        self.template = template
        rows = _Axis(template.row_of_reference, n)
        columns = _Axis(template.column_of_reference, n)
        # Every entry of the template as coordinates of the program's matrix, n of them where either
        # its row or its column is repeated.
        is_repeated = (
            template.row_of_reference[template.entry_row]
            | template.column_of_reference[template.entry_column]
        )
        counts = np.where(is_repeated, n, 1)
        entry = np.repeat(np.arange(len(counts)), counts)
        item = np.arange(len(entry)) - np.repeat(counts.cumsum() - counts, counts)
        all_rows = rows.places(template.entry_row[entry], item)
        all_columns = columns.places(template.entry_column[entry], item)
        # HiGHS takes the entries column by column, with the start of each column.
        order = np.lexsort((all_rows, all_columns))
        self.entries = _Numbers(template.entry, is_repeated, n, entry[order], item[order])
        start = np.searchsorted(all_columns[order], np.arange(len(columns.position) + 1))
        self.start = start.astype(np.int32)
        self.index = all_rows[order].astype(np.int32)

        # Columns and rows in the order of the program.
        self.cost = _Numbers(
            template.cost, template.column_of_reference, n, columns.position, columns.item
        )
        self.lower, self.upper = (
            _Numbers(numbers, template.row_of_reference, n, rows.position, rows.item)
            for numbers in (template.lower, template.upper)
        )
        self.column_lower = template.column_lower[columns.position]
        self.column_upper = template.column_upper[columns.position]
        self.integer = template.integer[columns.position]
        self.hessian = tuple(
            (int(columns.start[a]), int(columns.start[b]), c) for a, b, c in template.hessian
        )
        self.row_names = _expanded_names(template.row_names, template.row_of_reference, n)
        self.column_names = _expanded_names(template.column_names, template.column_of_reference, n)


class _Axis:
    """Where the rows (or columns) of a template stand in its programs with n items.

    Those that are not repeated come first, then those of item after item.

    Attributes
    ----------
    start, step : int arrays
        Row i stands at start[i], that of item j at start[i] + j step[i].
    position, item : int arrays
        Which row of the template, and of which item, each row of the program is.
    """

    def __init__(self, of_reference: np.ndarray, n: int) -> None:
        fixed = np.flatnonzero(~of_reference)
        repeated = np.flatnonzero(of_reference)
        self.start = np.zeros(len(of_reference), dtype=int)
        self.start[np.append(fixed, repeated)] = np.arange(len(of_reference))
        self.step = np.where(of_reference, len(repeated), 0)
        self.position = np.append(fixed, np.tile(repeated, n))
        self.item = np.append(0 * fixed, np.repeat(np.arange(n), len(repeated)))

    def places(self, positions: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return where the rows at some positions, of some items, stand."""
        return np.asarray(self.start[positions] + self.step[positions] * items)


class Expansion:
    """A template with the items' data put in, whose programs differ in their own data alone.

    Parameters
    ----------
    layout : Layout
    reference : array (n, p)
        A row per item.
    """

    def __init__(self, layout: Layout, reference: np.ndarray) -> None:
        self.layout = layout
        self.entries = layout.entries.with_items(reference)
        self.cost = layout.cost.with_items(reference)
        self.lower = layout.lower.with_items(reference)
        self.upper = layout.upper.with_items(reference)

    def program(self, tested: np.ndarray) -> Program:
        """Return the program with its own data, `tested` (q,)."""
        layout = self.layout
        return Program(
            name=layout.template.name,
            sense=layout.template.sense,
            cost=self.cost + layout.cost.of_tested(tested),
            column_lower=layout.column_lower,
            column_upper=layout.column_upper,
            integer=layout.integer,
            lower=self.lower + layout.lower.of_tested(tested),
            upper=self.upper + layout.upper.of_tested(tested),
            start=layout.start,
            index=layout.index,
            value=self.entries + layout.entries.of_tested(tested),
            hessian=layout.hessian,
            row_names=layout.row_names,
            column_names=layout.column_names,
        )


class _Numbers:
    """Affine numbers of a template, each once or for every item, in the order of a program.

    Attributes
    ----------
    position : int array (e,)
        Which number of the template each is.
    place : int array (e,)
        Where its value stands in a table with a row per number: first the constant, then with the
        data of each item.
    """

    def __init__(
        self,
        numbers: Affine,
        is_repeated: np.ndarray,
        n: int,
        position: np.ndarray,
        item: np.ndarray,
    ) -> None:
        self.numbers = numbers
        self.position = position
        self.place = position * (n + 1) + np.where(is_repeated[position], 1 + item, 0)

    def with_items(self, reference: np.ndarray) -> np.ndarray:
        """Return the numbers (e,) without what the program's own data add."""
        const = self.numbers.const
        with_items = const + reference @ self.numbers.reference.T
        return np.asarray(np.vstack([const, with_items]).T.ravel()[self.place])

    def of_tested(self, tested: np.ndarray) -> np.ndarray:
        """Return what the program's own data (q,) add to each number, (e,)."""
        return np.asarray((self.numbers.tested @ tested)[self.position])


def _expanded_names(names: tuple[str, ...], of_reference: np.ndarray, n: int) -> tuple[str, ...]:
    """Return the names of an expanded program, with the item's number for its label."""
    pairs = list(zip(names, of_reference, strict=True))
    fixed = [name for name, is_repeated in pairs if not is_repeated]
    repeated = [name for name, is_repeated in pairs if is_repeated]
    return (*fixed, *(name.replace(REFERENCE, str(j)) for j in range(n) for name in repeated))
