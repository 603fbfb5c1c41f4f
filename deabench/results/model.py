"""What every DEA model declares: its options, and the functions that solve, prove and explain it.

A model is one frozen dataclass. Its fields are its options, each with a type, a default and a
sentence of help; the command line, study files, reports and the documentation read them from here.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from deabench.errors import DataError
from deabench.results.answer import Answer, Task
from deabench.results.option_forms import ValueForm
from deabench.results.proof import Proof
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.checks import choice

Returns = Literal["crs", "vrs", "nirs", "ndrs"]
Orientation = Literal["output", "input", "none"]
Technology = Literal["convex", "fdh"]
Norm = Literal["l1", "l2", "linf"]
Measure = Literal["efficiency", "inefficiency"]
Monotone = Literal["metrics", "reference", "none"]
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
        forms = [*self.choices, *([self.form.syntax] if self.form is not None else [])]
        return " | ".join(forms)

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
        choices = self.choices
        if isinstance(value, str):
            if value in self.choices:
                return
            meant = WORD_HINTS.get(value.lower(), value.lower())
            choices = (meant,) if meant in self.choices else self.choices
        alternatives = " or ".join(f"'{word}'" for word in choices)
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
    def monotone(self) -> Monotone:
        """In what a better value never makes a score worse.

        "reference": no score gets better where the reference gains a DMU. "metrics": nor where the
        others' metrics get better, and none gets worse where the DMU's own do. "none": neither is
        so, as where a direction or weights depend on the whole table.
        """
        return "none"

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

    def prove(self, answer: Answer) -> Proof:  # noqa: ARG002 - overridden
        """Recompute what proves the answer.

        Raises
        ------
        DataError
            If the model has no certificate.
        """
        raise DataError(f"model '{self.name}' has no certificate; its scores are not proved")

    def needs_proof(self, answer: Answer) -> np.ndarray:
        """Return which scores `solve` returns without having proved them, bool (K,)."""
        return np.ones(len(answer.scores), dtype=bool)

    def largest_steps(self, answer: Answer) -> np.ndarray | None:  # noqa: ARG002 - overridden
        """Return how many times its own value a metric moves at most per unit of score, (K,).

        None where the score stretches or shrinks the metrics.
        """
        return None

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


def check_word(name: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a word that is not among the choices, with the word that other tools' means here."""
    choice(name, value, choices, {hint: f"'{word}'" for hint, word in WORD_HINTS.items()})
