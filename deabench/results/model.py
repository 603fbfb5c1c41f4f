"""What every DEA model declares: its options, and the functions that solve, prove and explain it.

A model is one frozen dataclass. Its fields are its options, each with a type, a default and a
sentence of help; the command line, study files, reports and the documentation read them from here.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self

from deabench.errors import DataError
from deabench.results.answer import Answer, Task
from deabench.results.proof import Proof
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.checks import choice

Returns = Literal["crs", "vrs", "nirs", "ndrs"]
Orientation = Literal["output", "input", "none"]
Technology = Literal["convex", "fdh"]
Norm = Literal["l1", "l2", "linf"]
Measure = Literal["efficiency", "inefficiency"]
Advance = Callable[[int], None]
"""Reports that so many more DMUs are solved."""
OptionReader = Callable[[Any, Data], Any]
"""Checks the value of an option against the data, and returns it in one form."""

ANY_VALUES: tuple[Allowed, ...] = (
    "zero inputs",
    "zero outputs",
    "negative inputs",
    "negative outputs",
)
"""The data that a translation-invariant model takes."""

STANDARD_HELP = {
    "returns": "Returns to scale: which multiples of a DMU are possible.",
    "orientation": "What may change: outputs, inputs, or both (none).",
    "technology": "Compare with mixtures of DMUs (convex) or with single DMUs (fdh).",
}
"""Help of the options that mean the same in every model that has them."""

WORD_HINTS = {
    "io": "input",
    "i": "input",
    "in": "input",
    "input-oriented": "input",
    "oo": "output",
    "o": "output",
    "out": "output",
    "output-oriented": "output",
    "non-oriented": "none",
    "graph": "none",
    "irs": "ndrs",
    "drs": "nirs",
    "variable": "vrs",
    "bcc": "vrs",
    "constant": "crs",
    "ccr": "crs",
    "observed": "own",
    "rdm": "ideal",
    "normalised": "normalized",
    "sd": "normalized",
    "range": "ram",
    "1": "l1",
    "manhattan": "l1",
    "2": "l2",
    "euclidean": "l2",
    "inf": "linf",
    "chebyshev": "linf",
}
"""Words of other tools and papers, in lower case, and the words that mean the same here."""


@dataclass(frozen=True)
class ValueForm:
    """How an option that takes more than a word is written.

    Attributes
    ----------
    syntax : str
        On the command line, as `NAME=NUMBER,...`.
    example : str
        In Python, as `{'TPR': 2.0}`.
    description : str
        The same in words, as "a mapping of metric to number".
    read : function of str to object
        Reads the text of the command line.
    is_valid : function of object to bool
        Tells whether a Python value has the form.
    convert : function of object to object
        Makes the Python value of a study file's: tuples of lists, pairs of "A/B".
    """

    syntax: str
    example: str
    description: str
    read: Callable[[str], object]
    is_valid: Callable[[Any], bool]
    convert: Callable[[Any], object] = field(default=lambda value: value)


@dataclass(frozen=True)
class OptionField:
    """One option of a model.

    Attributes
    ----------
    name : str
    choices : tuple of str
        The words that it takes.
    default : object
        None where the option is off by default.
    help : str
        One sentence.
    form : ValueForm or None
        How other values than words are written; None where there are only words.
    reader : function of (value, Data), or None
        Checks a value against the data.
    """

    name: str
    choices: tuple[str, ...]
    default: object
    help: str
    form: ValueForm | None
    reader: OptionReader | None

    @property
    def syntax(self) -> str:
        """What can be written after `NAME=`: the words, then the form of other values."""
        parts = [*self.choices, *([self.form.syntax] if self.form is not None else [])]
        return " | ".join(parts)

    def read(self, text: str) -> object:
        """Read the option's value from the text of a command line.

        Raises
        ------
        DataError
            If the text is neither a word of the option nor of its form.
        """
        if self.form is None or text in self.choices:
            return text
        try:
            return self.form.read(text)
        except ValueError:
            if WORD_HINTS.get(text.lower()) in self.choices:
                return text  # a word of another tool: `check` says which one is meant
            raise DataError(f"{self.name} is '{text}'; write {self.name}={self.syntax}") from None

    def convert(self, value: object) -> object:
        """Return the Python value of one in a study file, where tables and lists hold it."""
        if self.form is None or isinstance(value, str):
            return value
        try:
            return self.form.convert(value)
        except (AttributeError, TypeError, ValueError):
            return value  # of another form, which `check` refuses

    def check(self, model_name: str, value: object) -> None:
        """Refuse a word that the option does not have, or a value where it takes words only.

        Raises
        ------
        DataError
        """
        if value is None and self.default is None:
            return
        if self.form is not None and (not self.choices or not isinstance(value, str)):
            if not self.form.is_valid(value):
                raise DataError(
                    f"{self.name} is {value!r}; "
                    f"give {self.form.description}, as {self.form.example}"
                )
            return
        words = self.choices
        if isinstance(value, str):
            if value in self.choices:
                return
            meant = WORD_HINTS.get(value.lower(), value.lower())
            words = (meant,) if meant in self.choices else self.choices
        alternatives = " or ".join(f"'{word}'" for word in words)
        raise DataError(f"model '{model_name}' has no {self.name} '{value}'; write {alternatives}")


def option(
    default: object,
    help: str,
    *,
    form: ValueForm | None = None,
    reader: OptionReader | None = None,
) -> Any:
    """Declare an option of a model, as the default value of its field.

    Parameters
    ----------
    default : object
    help : str
        One sentence, for the command line and the documentation.
    form : ValueForm, optional
        If other values than the words of the field's `Literal` are allowed: how they are written.
    reader : function of (value, Data), optional
        Checks a value against the data and returns it in one form.
    """
    return field(default=default, metadata={"help": help, "form": form, "reader": reader})


@dataclass(frozen=True, kw_only=True)
class Model:
    """Base class of the DEA models: a frozen dataclass whose fields are the model's options.

    Attributes
    ----------
    name : str
        What users write.
    title : str
        One line: for help, the report and the table of models.
    equation : str
        Where its mathematics stands: the number in the paper, or the formulation.
    formulations : tuple of str
        The names in `deabench_models.FORMULATIONS` of the programs that it solves.
    inputs : {"needed", "optional", "none"}
        Whether a table must, may or must not have inputs.
    measure : {"efficiency", "inefficiency"}
        Whether 1 is the best score, or 0.
    solves_rows_alone : bool
        Whether the score of a DMU does not depend on which others are tested with it.
    returns, orientation
        The two options that every model declares, with the words that it knows.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    equation: ClassVar[str]
    formulations: ClassVar[tuple[str, ...]] = ()
    inputs: ClassVar[Literal["needed", "optional", "none"]] = "optional"
    measure: ClassVar[Measure] = "efficiency"
    solves_rows_alone: ClassVar[bool] = True

    returns: Returns
    orientation: Orientation

    def __post_init__(self) -> None:
        for option_field in fields_of(type(self)):
            option_field.check(self.name, getattr(self, option_field.name))

    @property
    def scale_assumption(self) -> str:
        """The bounds of Σ λ in one word: `returns`, unless other bounds take its place."""
        return self.returns

    @property
    def has_certificate(self) -> bool:
        """Whether the model proves its scores."""
        return type(self).prove is not Model.prove

    @property
    def proves_its_scores(self) -> bool:
        """Whether `solve` returns no score that the certificate refuses, in any order of rows."""
        return not self.has_certificate

    @property
    def scales_outputs(self) -> bool:
        """Whether the score is by how much outputs could grow: none where all of them are 0."""
        return self.orientation == "output" and "negative outputs" not in self.allows()

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that the model takes beyond values >= 0 and rows that are not all 0."""
        return ()

    def prepare(self, data: Data) -> Data:
        """Return the data that the model is solved with."""
        return data

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Solve the model for every tested DMU."""
        raise NotImplementedError

    def prove(self, answer: Answer) -> Proof:  # noqa: ARG002
        """Recompute what proves the answer.

        Raises
        ------
        DataError
            If the model has no certificate.
        """
        raise DataError(f"model '{self.name}' has no certificate; its scores are not proved")

    def meaning(self, score: float) -> str:
        """Say what a score means, as a clause: "every output could grow by 3.1 % together"."""
        raise NotImplementedError

    def with_checked_options(self, data: Data) -> Self:
        """Return the model with the options that name metrics checked against the data.

        Raises
        ------
        DataError
            If an option names a metric that the data do not have, or holds a number that the model
            cannot use.
        """
        changes = {
            option_field.name: option_field.reader(getattr(self, option_field.name), data)
            for option_field in fields_of(type(self))
            if option_field.reader is not None and getattr(self, option_field.name) is not None
        }
        return replace(self, **changes) if changes else self


_FIELDS: dict[type[Model], tuple[OptionField, ...]] = {}
"""The options of the models whose types were read."""


def fields_of(model: type[Model]) -> tuple[OptionField, ...]:
    """Return the options that a model declares, in the order of its fields."""
    if model not in _FIELDS:
        _FIELDS[model] = _read_fields(model)
    return _FIELDS[model]


def _read_fields(model: type[Model]) -> tuple[OptionField, ...]:
    """Read the options from the types and defaults of a model's fields."""
    annotations = typing.get_type_hints(model)
    return tuple(
        OptionField(
            name=declared.name,
            choices=_literal_words(annotations[declared.name]),
            default=declared.default,
            help=declared.metadata.get("help") or STANDARD_HELP.get(declared.name, ""),
            form=declared.metadata.get("form"),
            reader=declared.metadata.get("reader"),
        )
        for declared in fields(model)
    )


def _literal_words(annotation: Any) -> tuple[str, ...]:
    """Return the words of the `Literal` in a type, which may be one part of a union."""
    origin = typing.get_origin(annotation)
    if origin is Literal:
        return typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return tuple(
            word for member in typing.get_args(annotation) for word in _literal_words(member)
        )
    return ()


def _split_pairs(text: str) -> list[tuple[str, str]]:
    """Split `A=1,B=2` at the commas, and each part at its last equals sign."""
    pairs = []
    for part in text.split(","):
        name, equals, value = part.strip().rpartition("=")
        if not equals or not name:
            raise ValueError(part)
        pairs.append((name, value))
    return pairs


def _read_bounds(text: str) -> tuple[float, float]:
    """Read `LEAST:MOST`; without a number they are 0 and infinity."""
    least, colon, most = text.partition(":")
    if not colon:
        raise ValueError(text)
    return float(least or "0"), float(most or "inf")


def _read_pair(name: str) -> tuple[str, str]:
    """Read `FIRST/SECOND` as two metrics."""
    first, slash, second = name.partition("/")
    if not slash or "/" in second:
        raise ValueError(name)
    return first, second


def _convert_ratios(value: Mapping[Any, Sequence[float]]) -> object:
    """Make pairs of the keys "A/B", and tuples of the lists."""
    return {
        _read_pair(key) if isinstance(key, str) else tuple(key): tuple(bounds)
        for key, bounds in value.items()
    }


def _is_number(value: object) -> bool:
    """Return whether a value is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_bounds(value: object) -> bool:
    """Return whether a value is (least, most) with 0 <= least <= most and a finite least."""
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(_is_number, value)):
        return False
    return bool(0 <= value[0] <= value[1] and value[0] < float("inf"))


def _are_bounds_by_metric(value: object) -> bool:
    """Return whether a value is a mapping of something to bounds."""
    return isinstance(value, Mapping) and bool(value) and all(map(_are_bounds, value.values()))


def _are_bounds_by_pair(value: object) -> bool:
    """Return whether a value is a mapping of pairs to bounds."""
    return _are_bounds_by_metric(value) and all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in typing.cast(Mapping[Any, Any], value)
    )


NUMBERS = ValueForm(
    syntax="METRIC=NUMBER,...",
    example="{'TPR': 2.0, 'TNR': 1.0}",
    description="a mapping of metric to number",
    read=lambda text: {name: float(value) for name, value in _split_pairs(text)},
    is_valid=lambda value: isinstance(value, Mapping),
)
"""A number for each metric."""
BOUNDS = ValueForm(
    syntax="LEAST:MOST",
    example="(0.8, 1.2)",
    description="(least, most) with 0 <= least <= most",
    read=_read_bounds,
    is_valid=_are_bounds,
    convert=tuple,
)
"""Two numbers between which something lies."""
BOUNDS_BY_METRIC = ValueForm(
    syntax="METRIC=LEAST:MOST,...",
    example="{'TPR': (0.2, 0.5)}",
    description="a mapping of metric to (least, most) with 0 <= least <= most",
    read=lambda text: {name: _read_bounds(value) for name, value in _split_pairs(text)},
    is_valid=_are_bounds_by_metric,
    convert=lambda value: {name: tuple(bounds) for name, bounds in value.items()},
)
"""Bounds for each metric."""
BOUNDS_BY_PAIR = ValueForm(
    syntax="METRIC/METRIC=LEAST:MOST,...",
    example="{('TPR', 'TNR'): (2.0, float('inf'))}",
    description="a mapping of two metrics to (least, most) with 0 <= least <= most",
    read=lambda text: {_read_pair(name): _read_bounds(value) for name, value in _split_pairs(text)},
    is_valid=_are_bounds_by_pair,
    convert=_convert_ratios,
)
"""Bounds for the ratio of two metrics' weights."""
NORM_ORDER = ValueForm(
    syntax="1 | 2 | inf",
    example="2",
    description="a norm or its order",
    read=float,
    is_valid=lambda value: value in (1, 2, float("inf")),
)
"""The order of a norm."""


def check_word(name: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a word that is not among the choices, with the word that other tools' means here."""
    choice(name, value, choices, {hint: f"'{word}'" for hint, word in WORD_HINTS.items()})
