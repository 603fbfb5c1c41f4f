"""From words to a model with its options: of a command line, a study file, or `deabench.rank`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from deabench.errors import DataError
from deabench.models import MODEL_HINTS, MODELS
from deabench.results.model import Model, OptionField, fields_of
from deabench.tables.transforms import CONSTANT_OUTPUT, Data
from deabench.utils.checks import choice, did_you_mean

RETURNS_NAMES = {
    "crs": "constant",
    "vrs": "variable",
    "nirs": "non-increasing",
    "ndrs": "non-decreasing",
}
"""Returns to scale in words."""


@dataclass(frozen=True)
class TableFacts:
    """What the defaults of a model depend on.

    Attributes
    ----------
    has_inputs, has_outputs : bool
    has_known_range : bool
        Whether some output has a greatest possible value, as a share or a percentage has.
    """

    has_inputs: bool = False
    has_outputs: bool = True
    has_known_range: bool = False


def model_of_name(name: str) -> type[Model]:
    """Return the model of a name.

    Raises
    ------
    DataError
        If there is no such model.
    """
    choice("model", name, list(MODELS), MODEL_HINTS)
    return MODELS[name]


def option_fields(model_name: str) -> tuple[OptionField, ...]:
    """Return the options of a model: name, words, default, help, and how their text is read.

    Raises
    ------
    DataError
        If there is no such model.
    """
    return fields_of(model_of_name(model_name))


def build_options(model_name: str, values: Mapping[str, object]) -> Model:
    """Return a model with some of its options; None leaves an option at its default.

    Parameters
    ----------
    model_name : str
    values : mapping of option to value
        Words, or values as a study file or Python holds them.

    Raises
    ------
    DataError
        If there is no such model or option, or the option does not take the value.
    """
    model = model_of_name(model_name)
    by_name = {option_field.name: option_field for option_field in fields_of(model)}
    arguments: dict[str, Any] = {}
    # An unknown option is refused before its value is read.
    for name, value in values.items():
        if value is None:
            continue
        if name not in by_name:
            raise DataError(_unknown_option(model, name))
        arguments[name] = by_name[name].convert(value)
        try:
            by_name[name].check(model_name, arguments[name])
        except DataError as error:
            raise DataError(f"{error}{_models_with_word(name, value)}") from None
    return model(**arguments)


def parse_options(model_name: str, texts: Sequence[str]) -> dict[str, object]:
    """Return the values of a model's options that a command line gives.

    Parameters
    ----------
    model_name : str
    texts : sequence of str
        Each `NAME=VALUE`, as "direction=range" or "weights=TPR=2,TNR=1". Of an option that is given
        twice the values are joined, as if a comma stood between them.

    Raises
    ------
    DataError
        If there is no such model or option, or a value cannot be read.
    """
    model = model_of_name(model_name)
    by_name = {option_field.name: option_field for option_field in fields_of(model)}
    # Join the values of an option that is given several times.
    joined: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise DataError(
                f"option '{text}' has no value; write NAME=VALUE with a name of "
                f"{_quoted_names(model)}"
            )
        if name not in by_name:
            raise DataError(_unknown_option(model, name))
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return {name: by_name[name].read(value) for name, value in joined.items()}


def resolve_options(
    model: str | Model | None,
    returns: str | None = None,
    orientation: str | None = None,
    *,
    table: TableFacts = TableFacts(),
    options: Mapping[str, object] | None = None,
) -> Model:
    """Return the model that is meant, with its options.

    Parameters
    ----------
    model : str or Model, optional
        A name, a model with its options, or None: "wei", or with inputs "ccr" with variable
        returns to scale.
    returns, orientation : str, optional
        Words for a model that is given by its name or not at all.
    table : TableFacts
        What defaults depend on: where an output has a greatest possible value, no multiple of a
        DMU is possible, and returns to scale are variable wherever the model has a choice, unless
        it is "ccr" by name; without outputs the inputs are what may change.
    options : mapping of option to value, optional
        Further options of a model that is given by its name.

    Raises
    ------
    DataError
        If there is no such model, or it does not have the words.
    """
    # A model has its options already: words beside it could contradict them.
    if isinstance(model, Model):
        for name, word in (("returns", returns), ("orientation", orientation)):
            if word is not None:
                class_name = type(model).__name__
                raise DataError(
                    f"model is {class_name}(...), which has its own {name}; "
                    f"write {class_name}({name}='{word}')"
                )
        return model
    # Rates do not scale with costs: with inputs returns to scale are variable.
    name = model or ("ccr" if table.has_inputs else "wei")
    option_words = {**(options or {}), "returns": returns, "orientation": orientation}
    is_variable = model is None or (
        model != "ccr" and (table.has_known_range or not table.has_outputs)
    )
    if table.has_inputs and is_variable and option_words.get("sums") is None:
        option_words["returns"] = returns or _word_if_known(name, "returns", "vrs")
    if not table.has_outputs:
        option_words["orientation"] = orientation or _word_if_known(name, "orientation", "input")
    return build_options(name, option_words)


def _word_if_known(model_name: str, option_name: str, word: str) -> str | None:
    """Return a word if the model's option takes it, else None: the model's default."""
    return word if word in _choices_of_class(model_of_name(model_name), option_name) else None


@dataclass(frozen=True)
class ModelRequest:
    """The model that a call names, and the words that it gives with it.

    Raises
    ------
    DataError
        If there is no such model, or it does not have the words.
    """

    model: str | Model | None = None
    returns: str | None = None
    orientation: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.model is not None:
            self.resolve(TableFacts())

    def resolve(self, table: TableFacts) -> Model:
        """Return the model with its options, for a table of which some facts are known."""
        return resolve_options(
            self.model, self.returns, self.orientation, table=table, options=self.options
        )

    def describe_defaults(self, options: Model, data: Data) -> tuple[str, ...]:
        """Return notes on the model that was chosen, and on the returns to scale that it takes."""
        inputs = [f"'{name}'" for name in data.inputs.columns]
        if not inputs:
            return ()
        returns = f"returns to scale are {_describe_returns(options)}"
        if self.model is not None:
            return (f"{returns} (model '{options.name}')",)
        verb = "is an input" if len(inputs) == 1 else "are inputs"
        note = f"model 'ccr' was chosen, for {', '.join(inputs)} {verb}"
        if self.returns is None and CONSTANT_OUTPUT not in data.outputs:
            return (f"{note}; rates do not scale with costs, so {returns}",)
        return (f"{note}; {returns}",)


def _describe_returns(options: Model) -> str:
    """Return the returns to scale of a model in words."""
    if options.scale_assumption == "bounded":
        return "bounds of Σ λ"
    return RETURNS_NAMES[options.scale_assumption]


def choices_of(options: Model, name: str) -> tuple[str, ...]:
    """Return the words that a model's option takes; none where it does not have the option."""
    return _choices_of_class(type(options), name)


def _choices_of_class(model: type[Model], name: str) -> tuple[str, ...]:
    """Return the words that an option of a model takes; none where it does not have the option."""
    by_name = {option_field.name: option_field for option_field in fields_of(model)}
    return by_name[name].choices if name in by_name else ()


def all_choices(name: str) -> list[str]:
    """Return the words that any model takes for an option."""
    return list(
        dict.fromkeys(
            word
            for model in MODELS.values()
            for option_field in fields_of(model)
            if option_field.name == name
            for word in option_field.choices
        )
    )


def describe_choices(options: Model) -> list[str]:
    """Return the options whose words were chosen among several, as "returns vrs"."""
    return [
        f"{option_field.name} {getattr(options, option_field.name)}"
        for option_field in fields_of(type(options))
        if len(option_field.choices) > 1
    ]


def check_inputs(options: Model, data: Data) -> None:
    """Refuse data that lack the inputs that a model needs, or have some that it cannot use.

    Raises
    ------
    DataError
    """
    inputs = [str(name) for name in data.inputs.columns]
    if options.inputs == "needed" and not inputs:
        raise DataError(
            f"model '{options.name}' needs an input and none is given; name one in inputs, "
            "or use model 'wei'"
        )
    if options.inputs == "none" and inputs:
        named = ", ".join(f"'{name}'" for name in inputs)
        raise DataError(
            f"model '{options.name}' takes outputs only and {named} would not count; "
            "name the metrics in outputs, or use model 'ccr'"
        )
    if options.orientation == "input" and not inputs:
        raise DataError("orientation 'input' needs an input and none is given; name one in inputs")
    lets_outputs_grow = options.orientation != "input"
    has_choice = "input" in choices_of(options, "orientation")
    if lets_outputs_grow and has_choice and CONSTANT_OUTPUT in data.outputs.columns.tolist():
        raise DataError(
            f"orientation '{options.orientation}' lets outputs grow and there is none; "
            "write orientation 'input', or name a metric in outputs"
        )


def check_given_metrics(options: Model, given_metrics: Sequence[str], data: Data) -> None:
    """Refuse a model that has no form for given metrics, and rows without an input that can change.

    Raises
    ------
    DataError
    """
    names = ", ".join(f"'{name}'" for name in given_metrics)
    verb = "is" if len(given_metrics) == 1 else "are"
    if options.name != "ccr" or getattr(options, "is_restricted", False):
        raise DataError(
            f"{names} {verb} given, not to be changed, and only model 'ccr' without restrictions "
            "has a form for that; use model 'ccr', or leave the role out"
        )
    if options.returns != "vrs":
        raise DataError(
            f"{names} {verb} given, not to be changed, and a multiple would change it; "
            "write returns 'vrs'"
        )
    if options.orientation == "input":
        changing = data.inputs.drop(columns=list(given_metrics), errors="ignore")
        has_none = ~changing.to_numpy().any(axis=1)
        if len(changing.columns) and has_none.any():
            label = changing.index[int(np.argmax(has_none))]
            raise DataError(
                f"every input of '{label}' that can change is 0; its efficiency is undefined, "
                "leave the row out"
            )


def read_metric_numbers(
    option_name: str, value: Mapping[str, float], data: Data
) -> dict[str, float]:
    """Return a number for each metric from a mapping {metric: number}; 0 for those left out.

    Raises
    ------
    DataError
        If it names no metric, a number is below 0 or not finite, or they are all 0.
    """
    metrics = [*data.outputs.columns, *data.inputs.columns]
    for metric, number in value.items():
        if metric not in metrics:
            raise DataError(
                f"{option_name} names '{metric}', which is no metric here; "
                f"{did_you_mean(metric, metrics)}"
            )
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        if not is_number or not np.isfinite(number) or number < 0:
            raise DataError(
                f"{option_name} of '{metric}' is {number!r}; give a finite number, 0 or more"
            )
    # Weights that are all 0 would leave nothing to sum.
    if not any(value.values()):
        raise DataError(
            f"{option_name} is 0 for every metric; give at least one of them a number above 0"
        )
    return {metric: float(value.get(metric, 0.0)) for metric in metrics}


def _models_with_word(name: str, value: object) -> str:
    """Return advice to use a model whose option takes a word; "" where none does."""
    # Generalized returns to scale are bounds of Σ λ here.
    if value == "grs":
        return ", or bound Σ λ with deabench.models.CCR(sums=(least, most))"
    models = [
        f"'{model_name}'"
        for model_name, model in MODELS.items()
        if value in _choices_of_class(model, name)
    ]
    return f", or use model {' or '.join(models[:3])}" if models else ""


def _quoted_names(model: type[Model]) -> str:
    """Return the names of a model's options, quoted, as text."""
    return ", ".join(f"'{option_field.name}'" for option_field in fields_of(model))


def _unknown_option(model: type[Model], name: str) -> str:
    """Say that a model lacks an option, and which ones it has."""
    names = [option_field.name for option_field in fields_of(model)]
    # Correct a typing error; else list the options, and the models that have this one.
    near = get_close_matches(name, names, n=1)
    remedy = f"did you mean '{near[0]}'?" if near else f"its options are {_quoted_names(model)}"
    model_names = [
        f"'{model_name}'"
        for model_name, declared_model in MODELS.items()
        if name in {option_field.name for option_field in fields_of(declared_model)}
    ]
    if model_names and not near:
        remedy += f"; use model {' or '.join(model_names)} for it"
    return f"model '{model.name}' has no option '{name}'; {remedy}"
