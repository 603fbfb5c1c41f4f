"""What is asked of a model: which one, by what options; what nobody asked for is chosen and said,
what a model lacks is refused.
"""

from __future__ import annotations

from typing import Any, get_args

from deabench.errors import DataError
from deabench.models import MODELS, ModelName
from deabench.models.base import Model, Technology
from deabench.tables.transforms import Data
from deabench.utils.checks import choice

OPTIONS = (
    "returns",
    "orientation",
    "direction",
    "weights",
    "goal",
    "norm",
    "sums",
    "shares",
    "ratios",
)
"""What a model may be asked beside its data; its record says which of them it has."""
RETURN_HINTS = {
    **{word: f"'{word}'" for word in ("crs", "vrs", "nirs", "ndrs", "input", "output", "none")},
    **dict.fromkeys(("io", "i", "input-oriented"), "'input'"),
    **dict.fromkeys(("oo", "o", "output-oriented"), "'output'"),
    "grs": "sums=(least, most) in its place",
    "irs": "'ndrs'",
    "drs": "'nirs'",
    "variable": "'vrs'",
    "constant": "'crs'",
    "bcc": "'vrs'",
    "ccr": "'crs'",
    "in": "'input'",
    "out": "'output'",
    "non-oriented": "'none'",
    "graph": "'none'",
    "observed": "'own'",
    "normalised": "'normalized'",
    "1": "'l1'",
    "2": "'l2'",
    "inf": "'linf'",
    "euclidean": "'l2'",
    "manhattan": "'l1'",
    "chebyshev": "'linf'",
}


def of_technology(
    model: ModelName | None, technology: Technology
) -> tuple[ModelName | None, dict[str, str]]:
    """The model of a technology, and what is asked of it: what is there and no mixtures is the free
    disposal hull, or a model's own option.
    """
    choice("technology", technology, get_args(Technology))
    if technology == "convex" or model == "fdh":
        return model, {}
    if model is None:
        return "fdh", {}
    if "technology" in MODELS[model].options:
        return model, {"technology": technology}
    raise DataError(
        f"technology 'fdh' is model 'fdh', and model '{model}' mixes; leave one of them out"
    )


def chosen(
    data: Data, record: Model | None, asked: dict[str, Any]
) -> tuple[Model, dict[str, Any], tuple[str, ...]]:
    """The record and its options; what was chosen without being asked is said."""
    inputs = list(data.inputs.columns)
    if record is not None:
        if record.inputs == "needed" and not inputs:
            raise DataError(
                f"model '{record.name}' needs an input and none is given; name one in inputs, or use model 'wei'"
            )
        options = options_of(record, asked)
        if options.get("orientation") == "input" and not inputs:
            raise DataError(
                "orientation 'input' needs an input and none is given; name one in inputs"
            )
        return record, options, ()
    if not inputs:
        return MODELS["wei"], options_of(MODELS["wei"], asked), ()
    filled = costly(asked)
    said = (
        ""
        if filled == asked
        else "; rates do not scale with costs, so returns to scale are variable"
    )
    return (
        MODELS["ccr"],
        options_of(MODELS["ccr"], filled),
        (
            f"model 'ccr' was chosen, for {', '.join(map(repr, inputs))} {'is an input' if len(inputs) == 1 else 'are inputs'}{said}",
        ),
    )


def costly(asked: dict[str, Any]) -> dict[str, Any]:
    """What is asked of a table with costs: variable returns to scale where nothing is said of them."""
    return asked if "returns" in asked or "sums" in asked else asked | {"returns": "vrs"}


def options_of(record: Model, asked: dict[str, Any]) -> dict[str, Any]:
    """Every option of the model, as asked or its default; one or a word that the model does not
    know is refused.
    """
    if "sums" in asked and "returns" in asked:
        raise DataError("sums takes the place of returns; leave one of the two out")
    for name, value in asked.items():
        if isinstance(value, str) and value in record.options.get(name, ()):
            continue  # the others' words are imported with them, only to tell what is wrong
        anywhere = [word for one in MODELS.values() for word in one.options.get(name, ())]
        if name in record.readers and not (isinstance(value, str) and anywhere):
            continue
        if not isinstance(value, str) or not anywhere:
            others = [f"'{one.name}'" for one in MODELS.values() if name in one.readers]
            raise DataError(
                f"model '{record.name}' has no {name}; leave it out"
                + (f", or use model {' or '.join(others)}" if others else "")
            )
        choice(name, value, list(dict.fromkeys(anywhere)), RETURN_HINTS)
        others = [f"'{one.name}'" for one in MODELS.values() if value in one.options.get(name, ())][
            :4
        ]
        raise DataError(
            f"model '{record.name}' has no {name} '{value}'; leave it out, or use model {' or '.join(others)}"
        )
    return record.defaults() | asked
