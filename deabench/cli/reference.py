"""Verbs that need no table: `deabench models`, `deabench size` and `deabench reproduce`."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import deabench as db
from deabench.cli._io import Format, print_message, write_table, write_text
from deabench.cli.options.declarations import Form, Out
from deabench.errors import DataError, UsageError
from deabench.utils.checks import did_you_mean


def models_command(
    name: Annotated[
        str | None,
        typer.Argument(help="A model or a formulation; without it, one line for each."),
    ] = None,
) -> None:
    """Print the DEA models and the formulations that they solve.

    With the NAME of a model, print its options and the mathematics that it solves; each row has the
    name of its Pyomo component.
    """
    from deabench_models import FORMULATIONS

    # The functions' names are those that the docs use.
    formulations = {function.__name__: function for function in FORMULATIONS}
    if name is None:
        titles = {key: db.models.MODELS[key].title for key in db.models.MODELS}
        summaries = {
            key: (inspect.getdoc(function) or "").splitlines()[0]
            for key, function in formulations.items()
        }
        sections = [_titled_list("Models", titles), _titled_list("Formulations", summaries)]
        write_text("\n".join(sections), None)
    elif name in db.models.MODELS:
        # A model may have several formulations, one per orientation.
        parts = [_describe_model(name)]
        solved = db.models.MODELS[name].formulations
        parts += [_describe_formulation(formulations[key]) for key in solved]
        write_text("\n".join(parts), None)
    elif name in formulations:
        write_text(_describe_formulation(formulations[name]), None)
    else:
        hint = did_you_mean(name, [*db.models.MODELS, *formulations])
        raise DataError(f"there is no model or formulation '{name}'; {hint}")


def _titled_list(title: str, entries: Mapping[str, str]) -> str:
    """Return a heading and one line for each entry, in two columns."""
    width = max(map(len, entries))
    lines = [f"  {name:<{width}}  {text}" for name, text in entries.items()]
    return "\n".join([f"{title}:", *lines]) + "\n"


def _describe_model(name: str) -> str:
    """Return what a model measures and its options: words or syntax, default and help."""
    from deabench.models.options import option_fields

    model = db.models.MODELS[name]
    lines = [f"{name}: {model.title}; equation {model.equation}", "", "Options:"]
    for field in option_fields(name):
        line = f"  --option {field.name}={field.syntax}"
        if field.default is not None:
            line += f" (default: {field.default})"
        lines.append(line)
        if field.help:
            lines.append(f"      {field.help}")
    return "\n".join(lines) + "\n"


def _describe_formulation(function: Callable[..., Any]) -> str:
    """Return the signature and the mathematics of a formulation."""
    heading = f"{function.__module__}.{function.__name__}{inspect.signature(function)}"
    return f"{heading}\n\n{inspect.getdoc(function)}\n"


def docs_command(
    page: Annotated[
        str | None, typer.Argument(help="The page, as tables; without it, the names of all pages.")
    ] = None,
) -> None:
    """Print a page of the documentation as Markdown."""
    # The wheel has the pages inside the package, a checkout beside it.
    package = Path(__file__).parents[1]
    folder = next(path for path in (package / "docs", package.parent / "docs") if path.is_dir())
    pages = {path.stem: path for path in sorted(folder.glob("*.md"))}
    if page is None:
        write_text("\n".join(pages) + "\n", None)
        return
    if page not in pages:
        raise DataError(f"there is no page '{page}'; {did_you_mean(page, list(pages))}")
    write_text(pages[page].read_text(encoding="utf-8"), None)


class SizeTest(enum.StrEnum):
    """The test whose power is computed."""

    mcnemar, tango, auc = "mcnemar", "tango", "auc"


class TangoKind(enum.StrEnum):
    """The claim that Tango's test is to show."""

    noninferiority, equivalence = "noninferiority", "equivalence"


def size_command(
    test: Annotated[
        SizeTest,
        typer.Argument(
            help="mcnemar: accuracies differ; tango: one is not worse, or both are equivalent; auc."
        ),
    ],
    b: Annotated[
        float | None,
        typer.Option(help="mcnemar, tango: the share that only the first classifies correctly."),
    ] = None,
    c: Annotated[
        float | None,
        typer.Option(help="mcnemar, tango: the share that only the second classifies correctly."),
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="tango: the smallest difference in accuracy that matters.")
    ] = None,
    kind: Annotated[
        TangoKind, typer.Option(help="tango: the claim to be shown.")
    ] = TangoKind.noninferiority,
    auc: Annotated[float | None, typer.Option(help="auc: the expected area.")] = None,
    against: Annotated[
        float, typer.Option(help="auc: the other area, fixed or of a second classifier.")
    ] = 0.5,
    correlation: Annotated[
        float | None,
        typer.Option(help="auc: between the areas of two classifiers on one test set."),
    ] = None,
    negatives_per_positive: Annotated[
        float, typer.Option(help="auc: the number of negatives for each positive.")
    ] = 1.0,
    power: Annotated[
        float, typer.Option(help="The probability that the test finds the difference.")
    ] = 0.8,
    alpha: Annotated[float, typer.Option(help="The level of the test.")] = 0.05,
    out: Out = None,
    form: Form = Format.table,
) -> None:
    """Compute the size of a test set on which a true difference will probably be found."""
    if test is SizeTest.auc:
        size = db.compare.sample_size_auc(
            # Every test needs other figures, so each is checked when its test is chosen.
            _require_option(auc, "--auc", test),
            against=against,
            correlation=correlation,
            negatives_per_positive=negatives_per_positive,
            power=power,
            alpha=alpha,
        )
    else:
        first_only = _require_option(b, "--b", test)
        second_only = _require_option(c, "--c", test)
        if test is SizeTest.tango:
            claim: Any = str(kind)
            size = db.compare.sample_size_tango(
                first_only,
                second_only,
                margin=_require_option(margin, "--margin", test),
                kind=claim,
                power=power,
                alpha=alpha,
            )
        else:
            size = db.compare.sample_size_mcnemar(first_only, second_only, power=power, alpha=alpha)
    write_table(size.to_frame(), form=form, path=out)
    print_message(size.summary())


def _require_option(value: float | None, option: str, test: SizeTest) -> float:
    if value is None:
        raise UsageError(f"'{test}' needs {option}; type 'deabench size --help' for its meaning")
    return value


def reproduce_command(
    name: Annotated[
        str | None, typer.Argument(help="One table, as table09; without it all of them.")
    ] = None,
    out: Out = None,
    form: Form = Format.table,
) -> None:
    """Recompute every printed table of Chao et al. (2022), with a verdict for each cell."""
    result = db.reproduce(name)
    write_table(result.cells.set_index("table"), form=form, path=out)
    for table, counts in result.counts().iterrows():
        verdicts = [f"{count} {verdict}" for verdict, count in counts.items() if count]
        print_message(f"{table}: {', '.join(verdicts)}")
