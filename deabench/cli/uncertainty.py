"""`deabench uncertainty`, `gate` and `plan`: how certain the efficiencies are, and can become."""

from __future__ import annotations

import enum
import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import deabench as db
from deabench.cli._io import (
    Format,
    print_message,
    print_messages,
    write_table,
    write_text,
    writes_json,
)
from deabench.cli.options.declarations import (
    Form,
    Out,
    Plot,
    reject_options,
    with_option_groups,
    word_option,
)
from deabench.cli.options.samples import AnswerOptions, SampledTable
from deabench.cli.options.table import parse_budget
from deabench.tables.answers import ANSWER_KINDS
from deabench.utils.text import escape_markdown

EXIT_CODES = {"passes": 0, "fails": 3, "open": 4}
"""Exit codes of `deabench gate`; 1 and 2 are the errors of every command."""

Returns = Annotated[
    str,
    typer.Option(
        help="With costs: vrs, or crs if metrics scale with them.",
        **word_option("returns", lambda: ("vrs", "crs")),
    ),
]
Orientation = Annotated[
    str,
    typer.Option(
        help="With costs: change the outputs or the inputs.",
        **word_option("orientation", lambda: ("output", "input")),
    ),
]


class GateFormat(enum.StrEnum):
    """The form in which a gate is printed."""

    json = "json"
    md = "md"


class Method(enum.StrEnum):
    """What is shown: limits of the scores alone, or of every ratio of two classifiers at once."""

    analytic = "analytic"
    max_t = "max-t"
    anytime = "anytime"


@with_option_groups
def uncertainty_command(
    table: SampledTable,
    answers: AnswerOptions,
    *,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    level: Annotated[
        float, typer.Option(help="The probability that all statements together hold.")
    ] = 0.95,
    method: Annotated[
        Method,
        typer.Option(
            help="analytic bounds the scores, max-t every ratio of two systems, anytime is "
            "exact and holds wherever you stop."
        ),
    ] = Method.analytic,
    verdicts: Annotated[
        str | None,
        typer.Option(
            help="learned (mixes learned on a part of the test data), analytic (by the limits of "
            "the scores) or exact (McNemar tests against single rivals). Default: learned.",
            **word_option("verdicts", lambda: ("learned", "analytic", "exact")),
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Of data sets or runs: assume nothing but independence."),
    ] = False,
    each: Annotated[
        bool,
        typer.Option("--each", help="Add intervals for one system that you chose beforehand."),
    ] = False,
    explain: Annotated[str | None, typer.Option(help="Explain the result of this system.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of draws and folds.")] = 0,
    plot: Plot = None,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """Tell which classifiers are dominated or undecided, with intervals of efficiencies and ranks.

    TABLE holds more than one number per system and metric, and is recognised by its columns:

    wide: y_true and a column per classifier, of labels, or of scores with --scores or --threshold.

    long: classifier,instance,y_true and y_pred or score.

    counts: classifier,tp,fn,fp,tn; the classifiers are then taken as independent.

    blocks: classifier, and fold (with repeat), seed or dataset, and counts or metrics.

    metrics with standard errors or intervals beside them.
    """
    samples, row_name = table.samples(answers)
    # The words were checked when they were parsed.
    keywords: Any = {
        "returns": returns,
        "orientation": orientation,
        "verdicts": verdicts,
        "exact": exact,
    }
    result = db.uncertainty(samples, level=level, method=method.value, seed=seed, **keywords)
    if plot is not None:
        db.plot.save_figure(result.plot().figure_, plot)
    sentences = result.summary()
    if explain is not None:
        sentences = result.explain(explain)
    print_messages(sentences.splitlines())
    frame = result.to_frame(each=each)
    if writes_json(form, out):
        frame["validity"] = result.validity
    write_table(frame, form=form, path=out, title="Efficiencies with intervals", row_name=row_name)


@with_option_groups
def gate_command(
    table: SampledTable,
    answers: AnswerOptions,
    *,
    candidate: Annotated[str, typer.Option(help="The new model, by its name in the file.")],
    at_least: Annotated[
        float, typer.Option(help="The efficiency that must be shown, at most 1.")
    ] = 0.95,
    level: Annotated[
        float,
        typer.Option(
            help="The probability that both limits together hold; of all gates of the ledger."
        ),
    ] = 0.95,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    ledger: Annotated[
        Path | None,
        typer.Option(help="JSON file that shares the level among all gates on one test set."),
    ] = None,
    feedback: Annotated[
        str,
        typer.Option(
            help="With --ledger: what the makers of candidates see of earlier gates.",
            **word_option("feedback", lambda: ("status", "none", "scores")),
        ),
    ] = "status",
    sequential: Annotated[
        bool,
        typer.Option("--sequential", help="Let the verdict hold however often one looks."),
    ] = False,
    form: Annotated[
        GateFormat,
        typer.Option("--format", help="json, or md for a comment on a pull request."),
    ] = GateFormat.json,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write the JSON to this file instead of stdout."),
    ] = None,
) -> None:
    """Pass a new model only if it is shown to be good enough beside those in use; JSON on stdout.

    Exit code 0: it passes, with an efficiency of at least --at-least; 3: it fails, with less; 4:
    open, with the number of instances that would decide it. 1 and 2 are errors, as in every
    command. With --ledger only pass (0) or no pass (4) is shown, unless --feedback says otherwise.
    """
    if table.within:
        # Gates of a ledger judge one set of systems on one test set, which a budget changes.
        reject_options("cannot be used with --within", {"--ledger": ledger})
        if _is_outside_budget(table, answers, candidate):
            status = {"candidate": candidate, "verdict": "fails", "passed": False}
            status |= {"at_least": at_least, "level": level, "score": None}
            _fail_outside_budget(table, status, form, out)
    samples, _ = table.samples(answers)
    # The words were checked when they were parsed.
    keywords: Any = {"returns": returns, "orientation": orientation, "feedback": feedback}
    result = db.gate(
        samples,
        candidate,
        at_least=at_least,
        level=level,
        ledger=ledger,
        sequential=sequential,
        **keywords,
    )
    text = json.dumps(result.to_dict(), indent=1, ensure_ascii=False) + "\n"
    if form == GateFormat.md:
        from deabench.report.text.decisions import gate_markdown

        text = gate_markdown(result)
    write_text(text, out)
    print_message(result.summary())
    print_messages(result.notes)
    raise typer.Exit(EXIT_CODES[result.verdict])


def _is_outside_budget(table: SampledTable, answers: AnswerOptions, candidate: str) -> bool:
    """Return whether --within leaves a candidate out; any name that the files lack is unknown."""
    interpreted = answers.apply(table.read())
    # Samples of answers on instances have no budget, and are refused with it.
    if interpreted.kind in ANSWER_KINDS:
        return False
    from deabench.analysis.budget import within_budget

    selected = replace(table, within=None).select(interpreted)
    labels = selected.frame.index.map(str)
    return candidate in set(labels[~within_budget(selected, parse_budget(table.within or []))])


def _fail_outside_budget(
    table: SampledTable, status: dict[str, Any], form: GateFormat, out: Path | None
) -> None:
    """Let a candidate fail that is outside of the budget, without a score."""
    budget = ", ".join(table.within or [])
    sentence = f"'{status['candidate']}' fails: it is outside the budget {budget}."
    content = {**status, "notes": [sentence]}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    if form == GateFormat.md:
        text = f"### Release gate: fails\n\n{escape_markdown(sentence)}\n"
    write_text(text, out)
    print_message(sentence)
    raise typer.Exit(EXIT_CODES["fails"])


def plan_command(
    gap: Annotated[
        float | None,
        typer.Option(help="By how much the better side is ahead in each metric, as 0.05."),
    ] = None,
    at_least: Annotated[
        float | None, typer.Option(help="The efficiency that a gate asks for, as 0.95.")
    ] = None,
    score: Annotated[float, typer.Option(help="The true efficiency of the candidate.")] = 1.0,
    value: Annotated[float, typer.Option(help="The metric of the better side.")] = 0.9,
    k: Annotated[int, typer.Option("--k", help="The number of systems.")] = 2,
    s: Annotated[int, typer.Option("--s", help="The number of metrics.")] = 1,
    rho: Annotated[
        float, typer.Option(help="The correlation of right answers of two systems.")
    ] = 0.3,
    level: Annotated[float, typer.Option(help="The level of the verdicts.")] = 0.95,
    power: Annotated[
        float, typer.Option(help="The chance that the test set will be large enough.")
    ] = 0.8,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """Compute how large a test set must be: for a verdict, verdicts at any time, and a gate.

    Give --gap for verdicts, --at-least for a gate, or both.
    """
    result = db.plan(
        gap,
        at_least=at_least,
        score=score,
        value=value,
        k=k,
        s=s,
        rho=rho,
        level=level,
        power=power,
    )
    print_messages(result.summary().splitlines())
    write_table(result.to_frame(), form=form, path=out, title="Instances needed")
