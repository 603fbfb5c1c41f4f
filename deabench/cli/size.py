"""`deabench size`: how many instances a test set must have."""

from __future__ import annotations

import enum
from typing import Annotated, Literal, cast

import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._options import Form, Out
from deabench.errors import UsageError


class Test(enum.StrEnum):
    """The tests whose power is asked for."""

    mcnemar, tango, auc = "mcnemar", "tango", "auc"


class Kind(enum.StrEnum):
    """What Tango's test is to show."""

    noninferiority, equivalence = "noninferiority", "equivalence"


def command(
    test: Annotated[
        Test,
        typer.Argument(
            help="mcnemar: accuracies differ; tango: one is not worse, or both are alike; auc"
        ),
    ],
    b: Annotated[
        float | None, typer.Option(help="mcnemar, tango: the share that only the first gets right")
    ] = None,
    c: Annotated[
        float | None, typer.Option(help="mcnemar, tango: the share that only the second gets right")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="tango: the least difference in accuracy that matters")
    ] = None,
    kind: Annotated[Kind, typer.Option(help="tango: what is to be shown")] = Kind.noninferiority,
    auc: Annotated[float | None, typer.Option(help="auc: the area expected")] = None,
    against: Annotated[
        float, typer.Option(help="auc: the other area, fixed or a second classifier's")
    ] = 0.5,
    correlation: Annotated[
        float | None, typer.Option(help="auc: between the areas of two classifiers on one test set")
    ] = None,
    negatives_per_positive: Annotated[
        float, typer.Option(help="auc: how many negatives come with each positive")
    ] = 1.0,
    power: Annotated[float, typer.Option(help="how likely the test is to find it")] = 0.8,
    alpha: Annotated[float, typer.Option(help="level of the test")] = 0.05,
    out: Out = None,
    form: Form = Format.table,
) -> None:
    """The size of a test set on which a difference that is there will probably be found."""
    from deabench.compare import sample_size_auc, sample_size_mcnemar, sample_size_tango

    if test is Test.auc:
        found = sample_size_auc(
            _given(auc, "--auc", test),
            against=against,
            correlation=correlation,
            negatives_per_positive=negatives_per_positive,
            power=power,
            alpha=alpha,
        )
    elif test is Test.tango:
        shown = cast(Literal["noninferiority", "equivalence"], str(kind))
        found = sample_size_tango(
            _given(b, "--b", test),
            _given(c, "--c", test),
            margin=_given(margin, "--margin", test),
            kind=shown,
            power=power,
            alpha=alpha,
        )
    else:
        found = sample_size_mcnemar(
            _given(b, "--b", test), _given(c, "--c", test), power=power, alpha=alpha
        )
    emit(found.to_frame(), form=form, out=out)
    say(found.summary())


def _given(value: float | None, name: str, test: Test) -> float:
    if value is None:
        raise UsageError(f"'{test}' needs {name}; 'deabench size --help' says what it is")
    return value
