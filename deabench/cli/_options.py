"""The options that several commands share, each declared once: one help, one reader, one exit
status (2) for a wrong word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import typer

from deabench.cli._io import Format, names, target
from deabench.errors import DataError, UsageError
from deabench.utils.checks import choice

Read = TypeVar("Read")


def usage(read: Callable[[str], Read]) -> Callable[[str], Read]:
    """A reader of an option's text whose refusal is wrong usage: exit status 2."""

    def refusing(text: str) -> Read:
        try:
            return read(text)
        except DataError as error:
            raise UsageError(str(error)) from None

    return refusing


def word(
    what: str, known: Callable[[], Sequence[str]], hints: Callable[[], dict[str, str]] = dict
) -> dict[str, Any]:
    """The keywords of an option that takes one of some words, known when it is read."""

    def read(text: str) -> str:
        choice(what, text, list(known()), hints())
        return text

    return {"parser": usage(read), "metavar": "WORD", "autocompletion": lambda: list(known())}


def several(given: Sequence[str] | None) -> list[str] | None:
    """`A,B`, once or several times, as ["A", "B"]; None stays None."""
    return None if given is None else [name for text in given for name in names(text) or []]


def directions(given: Sequence[str] | None) -> dict[str, object] | list[str]:
    """`error=1,logloss=input` as a mapping, where a number is the metric's known maximum;
    `error,logloss` as a list.
    """
    parts = several(given) or []
    if parts and not any("=" in part for part in parts):
        return parts
    out: dict[str, object] = {}
    for part in parts:
        name, equals, how = part.rpartition("=")
        if not equals:
            raise UsageError(
                f"--lower-is-better '{part}' says no way beside others that do; give {part}=input or {part}=MAXIMUM"
            )
        out[name] = how if how == "input" else _number(how, f"--lower-is-better {name}")
    return out


def weighed(given: Sequence[str] | None) -> dict[str, float] | None:
    """`TPR=2,TNR=1` as a mapping; None stays None."""
    if given is None:
        return None
    pairs = [part.rpartition("=") for part in several(given) or []]
    return {name: _number(value, f"--weights {name}") for name, _, value in pairs}


def ranges(given: Sequence[str] | None, what: str) -> dict[str, tuple[float, float]] | None:
    """`TPR=.2:.5,TNR=.1:` as a mapping to (least, most), 0 and infinity where one is left out; None
    stays None.
    """
    if given is None:
        return None
    out = {}
    for part in several(given) or []:
        name, _, bounds = part.rpartition("=")
        least, colon, most = bounds.partition(":")
        if not name or not colon:
            raise UsageError(f"{what} '{part}' is no range; give NAME=LEAST:MOST, as TPR=.2:.5")
        out[name] = (
            _number(least or "0", f"{what} {name}"),
            _number(most or "inf", f"{what} {name}"),
        )
    return out


def pairs(given: Sequence[str] | None) -> dict[tuple[str, str], tuple[float, float]] | None:
    """`TPR/TNR=2:` as a mapping of the two names to (least, most)."""
    found = ranges(given, "--ratios")
    if found is None:
        return None
    for name in found:
        if name.count("/") != 1:
            raise UsageError(
                f"--ratios '{name}' is no pair; give FIRST/SECOND=LEAST:MOST, as TPR/TNR=2:"
            )
    return {(name.split("/")[0], name.split("/")[1]): bounds for name, bounds in found.items()}


def bounds(given: str | None, what: str) -> tuple[float, float] | None:
    """`.8:1.2` as (least, most)."""
    if given is None:
        return None
    least, colon, most = given.partition(":")
    if not colon:
        raise UsageError(f"{what} '{given}' is no range; give LEAST:MOST, as .8:1.2")
    return _number(least or "0", what), _number(most or "inf", what)


def words_or_numbers(given: Sequence[str] | None, what: str) -> str | dict[str, float] | None:
    """A word, or `TPR=2,TNR=1` as a mapping."""
    parts = several(given)
    if parts is None or (len(parts) == 1 and "=" not in parts[0]):
        return None if parts is None else parts[0]
    return {
        name: _number(value, f"{what} {name}")
        for name, _, value in (part.rpartition("=") for part in parts)
    }


def options(
    direction: Sequence[str] | None,
    weights: Sequence[str] | None,
    sums: str | None,
    shares: Sequence[str] | None,
    ratios: Sequence[str] | None,
) -> dict[str, Any]:
    """The options of models that are more than a word, read."""
    return {
        "direction": words_or_numbers(direction, "--direction"),
        "weights": words_or_numbers(weights, "--weights"),
        "sums": bounds(sums, "--sums"),
        "shares": ranges(shares, "--shares"),
        "ratios": pairs(ratios),
    }


def model_with_options(
    model: str | None, options: dict[str, Any], *, has_inputs: bool = False
) -> Any:
    """Return the model with the options of a command; None where none is given."""
    from deabench.models.options import build_options, resolve_options

    values = {name: value for name, value in options.items() if value is not None}
    if model is None and set(values) <= {"returns", "orientation"}:
        return None
    if model is None:
        model = resolve_options(None, has_inputs=has_inputs).name
        if model == "ccr" and "sums" not in values:
            values = {"returns": "vrs"} | values
    return build_options(model, values)


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{what} is '{text}'; give a number") from None


def budget(given: Sequence[str] | None) -> dict[str, float]:
    """`latency_ms=20` as a mapping; empty where there is none."""
    pairs = [part.rpartition("=") for part in several(given) or []]
    return {name: _number(value, f"--within {name}") for name, _, value in pairs}


def _missing() -> Sequence[str]:
    from deabench.tables.selection import MISSING

    return MISSING


def _models() -> list[str]:
    from deabench.models import MODELS

    return list(MODELS)


def _model_hints() -> dict[str, str]:
    from deabench.models import MODEL_HINTS

    return MODEL_HINTS


def _words(option: str) -> Callable[[], list[str]]:
    """The words that any model knows for one of its options."""

    def known() -> list[str]:
        from deabench.models.options import all_choices

        return all_choices(option)

    return known


def _norms() -> Sequence[str]:
    from deabench.results.model import Norm

    return get_args(Norm)


def _return_hints() -> dict[str, str]:
    from deabench.results.model import WORD_HINTS

    return {hint: f"'{word}'" for hint, word in WORD_HINTS.items()}


TableFile = Annotated[
    str,
    typer.Argument(
        help="A table of any kind (CSV, .gz, .xlsx, Parquet, JSON), as 'deabench read FILE' shows it; - is standard input."
    ),
]
TableOrFiles = Annotated[
    str,
    typer.Argument(
        help="A table of any kind, as 'deabench read FILE' shows it, - is standard input; or many Parquet files: 'sweep/*.parquet'."
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(help="Metrics to be high, as A,B; the columns' names decide without it."),
]
Inputs = Annotated[list[str] | None, typer.Option(help="Costs, as C,D.")]
LowerIsBetter = Annotated[
    list[str] | None,
    typer.Option(
        help="Metrics to be low, as error,latency (names decide), or error=1 (complement to its maximum), logloss=input."
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="A DEA model (docs/models.md has them all); without it wei, with inputs ccr and returns vrs.",
        **word("model", _models, _model_hints),
    ),
]
Returns = Annotated[
    str | None,
    typer.Option(
        help="Returns to scale: crs, vrs, nirs or ndrs, where the model has them.",
        **word("returns", _words("returns"), _return_hints),
    ),
]
Orientation = Annotated[
    str | None,
    typer.Option(
        help="What is to change: output, input or none (both), where the model has it.",
        **word("orientation", _words("orientation"), _return_hints),
    ),
]
Label = Annotated[list[str] | None, typer.Option(help="The columns that name the systems, as A,B.")]
DataSet = Annotated[
    str | None,
    typer.Option(help="The column that names the data sets, over which means are taken."),
]
MissingCells = Annotated[
    str,
    typer.Option(
        "--missing",
        help="Empty cells: refuse, drop-systems, drop-metrics or bounds.",
        **word("missing", _missing),
    ),
]
TechnologyOf = Annotated[
    str,
    typer.Option(
        "--technology",
        help="convex (mixtures count) or fdh (only what is there).",
        **word("technology", lambda: ("convex", "fdh")),
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Refuse to guess what an unknown column measures.")
]
Within = Annotated[
    list[str] | None,
    typer.Option(help="A budget, as latency_ms=20: only those that keep it are ranked."),
]
Direction = Annotated[
    list[str] | None,
    typer.Option(help="Model ddf: own, ones, mean, range or ideal, or steps as TPR=1,cost=2."),
]
Counts = Annotated[
    list[str] | None,
    typer.Option(
        "--weights",
        help="Model additive: ones, mip, normalized, ram or bam, or numbers as TPR=2,TNR=1.",
    ),
]
Goal = Annotated[
    str | None,
    typer.Option(
        help="Model cross: aggressive (its default) or benevolent; model common: sum (its default) or largest.",
        **word("goal", _words("goal"), _return_hints),
    ),
]
Sums = Annotated[
    str | None, typer.Option(help="Model ccr: bounds of the sum of lambda, as .8:1.2.")
]
Shares = Annotated[
    list[str] | None, typer.Option(help="Bounds of a metric's share of the score, as TPR=.2:.5.")
]
Ratios = Annotated[
    list[str] | None,
    typer.Option(help="What a unit of one metric counts in another's, as TPR/TNR=2:."),
]
NormOf = Annotated[
    str | None,
    typer.Option(
        "--norm",
        help="Model holder: how change is counted, l1, l2 or linf.",
        **word("norm", _norms, _return_hints),
    ),
]
Norm = Annotated[
    str, typer.Option(help="How change is counted: l1, l2 or linf.", **word("norm", _norms))
]
On = Annotated[
    str,
    typer.Option(
        help="Where targets lie: faces (mixtures of real classifiers) or facets (extended).",
        **word("on", lambda: ("faces", "facets")),
    ),
]
Weights = Annotated[
    list[str] | None,
    typer.Option(help="What a unit of each metric counts, as TPR=2,TNR=1; or range."),
]
Tolerance = Annotated[
    float,
    typer.Option(
        help="Of many files: rows whose efficiency is not above 1 + this may be left off."
    ),
]
KeptIn = Annotated[
    Path | None,
    typer.Option(
        "--kept",
        metavar="FOLDER",
        help="Of many files: keep what is done here, so that a stopped run goes on.",
    ),
]
Scheduler = Annotated[
    str | None, typer.Option(help="Of many files: the address of a Dask cluster that reads them.")
]
AnswersFile = Annotated[
    Path | None,
    typer.Option(
        "--uncertainty",
        help="CSV of the answers, counts, folds or data sets that TABLE was made of, as for 'deabench uncertainty'.",
    ),
]
AnswersScores = Annotated[
    bool, typer.Option("--scores", help="The answers of --uncertainty are scores, not labels.")
]
AnswersThreshold = Annotated[
    float | None, typer.Option("--threshold", help="Of the scores of --uncertainty.")
]
AnswersPositive = Annotated[
    str | None,
    typer.Option(
        "--positive", help="The positive class of --uncertainty; by default the minority."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        parser=target,
        metavar="FILE",
        help="Write here instead of printing: CSV, or .json; - is standard output.",
    ),
]
Form = Annotated[Format, typer.Option("--format", help="How the table is written.")]
Plot = Annotated[Path | None, typer.Option(help="Write a picture here: .png, .svg or .pdf.")]
