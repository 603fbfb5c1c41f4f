"""Verbs about a table besides ranking: `deabench read`, `deabench frontier`, `deabench targets`."""

from __future__ import annotations

import enum
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import deabench as db
from deabench.cli._io import Format, print_message, print_messages, write_table, write_text
from deabench.cli._run import refusal_finder
from deabench.cli.options.declarations import (
    Form,
    Norm,
    Out,
    Plot,
    TargetsOn,
    Technology,
    answer_words,
    list_option,
    parse_numbers,
    question_text,
    reject_options,
    with_option_groups,
    word_option,
)
from deabench.cli.options.model import Streaming
from deabench.cli.options.proposals import complete_question
from deabench.cli.options.samples import AnswerOptions
from deabench.cli.options.table import TableOptions
from deabench.report.text.words import join_names
from deabench.results.targets import TIME_PASSED
from deabench.streaming.frontier import frontier_of_files, parse_options
from deabench.tables.missing_cells import with_missing_choice
from deabench.tables.naming.questions import Question
from deabench.tables.readers.limits import current_options
from deabench.tables.selection import read_values

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier
    from deabench.results.targets import Targets
    from deabench.tables.table import Table


MATRIX_KINDS = ("metrics-in-rows", "folds", "datasets")
"""Kinds of tables whose systems are columns."""


class ProposalFormat(enum.StrEnum):
    """The form in which the interpretation of a table is printed."""

    table = "table"
    json = "json"
    toml = "toml"
    md = "md"


@with_option_groups
def read_command(
    table: TableOptions,
    *,
    form: Annotated[
        ProposalFormat,
        typer.Option("--format", case_sensitive=False, help="table, json, toml or md."),
    ] = ProposalFormat.table,
) -> None:
    """Show how each column of TABLE is interpreted, and why; nothing is ranked yet."""
    source = table.read_as_declared()
    words = [*table.typed_words, *_reading_words()]
    question = source.question
    if question is not None:
        question = with_missing_choice(source, question)
        question = complete_question(question, refusal_finder("rank", words))
    proposal = describe_table(source, table, question)
    print_messages(source.notes)
    if form is ProposalFormat.json:
        write_text(json.dumps(proposal, indent=1, ensure_ascii=False) + "\n", None)
    elif form is ProposalFormat.toml:
        write_text(_toml_text(proposal), None)
    else:
        frame = source.to_frame()[["role", "better", "unit", "reason"]]
        title = f"{len(source.frame)} systems, {source.layout} layout"
        write_table(frame, form=Format(form.value), title=title)
        if source.missing:
            counts = ", ".join(f"'{name}' {count}" for name, count in source.missing.items())
            print_message(f"empty cells: {counts}; --missing says what becomes of them")
        if question is not None:
            print_message(question_text(question, ["rank", *words]))
        else:
            print_message(f"the same with every option: {proposal['command']}")


def describe_table(
    table: Table, options: TableOptions, question: Question | None
) -> dict[str, Any]:
    """Return the interpretation of a table as one object; its keys are a contract.

    Parameters
    ----------
    question : Question, optional
        What the table leaves open, with complete answers.
    """
    return {
        "label": list(table.label),
        "layout": table.layout,
        "outputs": table.outputs,
        "lower_rates": table.lower_rates,
        "costs": table.costs,
        "left_out": table.left_out,
        "dataset": table.dataset,
        "percent": table.percent,
        "missing": dict(table.missing),
        "command": _rank_command_line(table, options, question),
        "kind": table.kind,
        "guessed": table.guessed,
        "errors": {name: list(columns) for name, columns in table.errors.items()},
        "non_discretionary": list(table.non_discretionary),
        "datasets": _data_set_names(table),
    }


def _data_set_names(table: Table) -> list[str]:
    """Return the names of the data sets over which the metrics are means; none without them."""
    if table.per_dataset is not None:
        return [str(name) for name in table.per_dataset.index.unique(0)]
    # Where systems lack some data sets, the single results still say which there are.
    if table.kind == "datasets" and table.rows is not None:
        return [str(name) for name in table.rows["dataset"].unique()]
    return []


def _rank_command_line(table: Table, options: TableOptions, question: Question | None) -> str:
    """Return the `deabench rank` command whose options state the whole interpretation.

    Where the table leaves a question open, it states the likeliest answer.
    """
    words = ["deabench", "rank", *options.typed_words]
    if question is not None:
        answer = question.default or next(iter(question.answers))
        return shlex.join([*words, *answer_words(question.answers[answer]), *_reading_words()])
    outputs = [*table.outputs, *table.complemented]
    # A rate that is better low is complemented, and so is an output of the ranking.
    stated: dict[str, list[str]] = {
        "--outputs": outputs,
        "--inputs": table.inputs,
        "--lower-is-better": [f"{name}={top:g}" for name, top in table.complemented.items()],
    }
    # Metrics in rows and matrices have no column that names the systems. A label with a comma could
    # not be typed; it is then guessed again.
    if table.kind not in MATRIX_KINDS and "," not in "".join(table.label):
        stated = {"--label": list(table.label), **stated}
    if table.layout == "long" and table.dataset:
        stated["--dataset"] = [table.dataset]
    # State what to do with gaps only if a ranked column has some.
    if table.missing and table.frame[[*outputs, *table.inputs]].isna().any(axis=None):
        stated["--missing"] = ["drop-systems" if table.inputs else "bounds"]
    for option, names in stated.items():
        if names and option not in words:
            words += [option, list_option(names)]
    return shlex.join([*words, *_reading_words()])


def _reading_words() -> list[str]:
    """Return the options of reading that were typed."""
    reading = current_options()
    words = [] if reading.sheet is None else ["--sheet", reading.sheet]
    changes = [f"{name}={size}" for name, size in reading.limits.changes().items()]
    return [*words, "--limit", ",".join(changes)] if changes else words


def _toml_text(proposal: dict[str, Any]) -> str:
    """Return the interpretation as TOML; strings and lists of JSON are TOML, too."""
    lines = []
    sections = []
    # TOML wants plain keys before the sections.
    for key, value in proposal.items():
        if isinstance(value, dict):
            sections += ["", f"[{key}]"]
            sections += [f"{_json(name)} = {_json(cell)}" for name, cell in value.items()]
        elif value is not None:
            lines.append(f"{key} = {_json(value)}")
    return "\n".join([*lines, *sections]) + "\n"


def _json(value: object) -> str:
    # TOML allows DEL as an escape only, JSON as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@with_option_groups
def frontier_command(
    table: TableOptions,
    answers: AnswerOptions,
    streaming: Streaming,
    *,
    technology: Technology = "convex",
    locate: Annotated[
        str | None,
        typer.Option(help="CSV of points: print where they lie instead of the facets."),
    ] = None,
    costs: Annotated[
        float | None,
        typer.Option(help="A prevalence: print the best classifier for each cost ratio."),
    ] = None,
    graphml: Annotated[
        Path | None, typer.Option(help="Write the graph of facets here, as GraphML.")
    ] = None,
    out: Out = None,
    form: Form = Format.table,
    plot: Plot = None,
) -> None:
    """List the facets of TABLE's frontier: normals, classifiers that span them, Pareto efficiency.

    With --technology fdh, which allows no mixtures, list the classifiers that none dominates.
    """
    front, row_name = _span_frontier(table, answers, streaming, technology)
    if graphml is not None:
        front.to_graphml(graphml)
    if plot is not None:
        _draw_frontier(front, costs, plot)
    print_messages(front.data.notes)
    print_message(f"on the frontier: {join_names(front.extreme, len(front.extreme))}")
    if locate is not None:
        frame = front.locate(read_values(locate)).rename_axis("classifier")
        title = "Where the points lie"
    elif costs is not None:
        frame = front.cost_ranges(prevalence=costs)
        title = "Cost of a false negative over that of a false positive"
    elif front.technology == "fdh":
        frame = front.to_frame()
        title = "Systems that no other dominates"
    elif front.precomputed_hull is None:
        # A note says why there are no facets.
        frame = front.points
        title = "Systems that span the frontier"
    else:
        vertices = [join_names(names, len(names)) for names in front.facets["vertices"]]
        frame = front.facets.assign(vertices=vertices)
        title = "Facets"
    write_table(frame, form=form, path=out, title=title, row_name=row_name)


def _span_frontier(
    table: TableOptions, answers: AnswerOptions, streaming: Streaming, technology: Any
) -> tuple[Frontier, str]:
    """Return the frontier of a table or of many files, and what the source calls its systems."""
    files: Any = table.streamed_files
    if files is None:
        streaming.reject()
        interpreted = answers.apply(table.read())
        front = db.frontier(table.table(interpreted), technology=technology)
        return front, interpreted.row_name
    rejected = {
        "--inputs": table.inputs,
        "--within": table.within,
        "--technology fdh": None if technology == "convex" else technology,
    }
    reject_options("cannot be used with many files", rejected)
    options = parse_options(streaming.tolerance, streaming.kept, streaming.scheduler)
    return frontier_of_files(files, options, **table.streaming_keywords()), ""


def _draw_frontier(front: Frontier, costs: float | None, file: Path) -> None:
    """Draw the cost ranges if --costs is given, else two metrics as a plane or more as a graph."""
    display: Any
    if costs is not None:
        display = db.plot.CostRangeDisplay.from_result(front, prevalence=costs)
    elif len(front.outputs) == 2:
        display = db.plot.FrontierDisplay.from_result(front)
    else:
        display = db.plot.FacetGraphDisplay.from_result(front)
    db.plot.save_figure(display.plot().figure_, file)


class TargetsPicture(enum.StrEnum):
    """A picture of targets: two metrics as a plane, actual and target, or parallel coordinates."""

    frontier = "frontier"
    targets = "targets"
    parallel = "parallel"


@with_option_groups
def targets_command(
    tested: TableOptions,
    answers: AnswerOptions,
    *,
    reference: Annotated[
        str | None,
        typer.Option(
            help="A table of the systems that span the frontier; a budget restricts these. "
            "Default: TABLE."
        ),
    ] = None,
    returns: Annotated[
        str,
        typer.Option(
            help="vrs (mixtures) or crs (also multiples, with inputs).",
            **word_option("returns", lambda: ("vrs", "crs")),
        ),
    ] = "vrs",
    norm: Norm = "l1",
    weights: Annotated[
        list[str] | None,
        typer.Option(help="What a unit of each metric counts, as TPR=2,TNR=1; or range."),
    ] = None,
    on: TargetsOn = "faces",
    technology: Technology = "convex",
    common: Annotated[
        bool, typer.Option("--common", help="Use one face for all tested systems.")
    ] = False,
    dominating: Annotated[
        bool, typer.Option("--dominating", help="No metric may get worse.")
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            help="auto, faces or milp.",
            **word_option("method", lambda: ("auto", "faces", "milp")),
        ),
    ] = "auto",
    out: Out = None,
    form: Form = Format.table,
    plot: Plot = None,
    show: Annotated[
        TargetsPicture | None,
        typer.Option(help="The picture. Default: frontier for two metrics, else targets."),
    ] = None,
) -> None:
    """Find the closest point of the reference's frontier for each classifier of TABLE."""
    keywords: Any = {
        "norm": norm,
        "on": on,
        "method": method,
        "technology": technology,
        "missing": tested.missing,
        "returns": returns,
    }
    # The reference decides what the columns are.
    spanning = tested if reference is None else tested.of_file(reference)
    reference_table = spanning.table(answers.apply(spanning.read()))
    interpreted = answers.apply(tested.read())
    result = db.targets(
        tested.metrics_table(interpreted),
        reference_table,
        weights="range" if weights == ["range"] else parse_numbers(weights, "--weights"),
        common=common,
        dominating=dominating,
        **keywords,
    )
    if plot is not None:
        _draw_targets(result, show, plot)
    print_messages(result.notes)
    # How many were not searched in time, a note says once for all of them.
    print_messages(
        f"'{name}' has no target: {reason}"
        for name, reason in result.reasons.items()
        if reason != TIME_PASSED
    )
    # The certificate proves convex faces; the free disposal hull has none.
    certificate = ""
    if technology == "convex":
        least_weight = result.certificate["least_weight"].min()
        certificate = f"; least certified weight {least_weight:.2g}"
    print_message(f"{norm} distance on {result.on}, by {result.method}{certificate}")
    frame = result.to_frame().join(result.gaps.add_prefix("gap_"))
    frame["face"] = [join_names(face, len(face)) for face in result.faces]
    write_table(frame, form=form, path=out, title="Closest targets", row_name=interpreted.row_name)
    if TIME_PASSED in result.reasons.values():
        raise typer.Exit(1)


def _draw_targets(result: Targets, picture: TargetsPicture | None, file: Path) -> None:
    displays: dict[TargetsPicture, Any] = {
        TargetsPicture.frontier: db.plot.FrontierDisplay,
        TargetsPicture.targets: db.plot.TargetsDisplay,
        TargetsPicture.parallel: db.plot.ParallelDisplay,
    }
    if picture is None:
        is_plane = len(result.frontier.outputs) == 2
        # Two metrics fit into a plane.
        picture = TargetsPicture.frontier if is_plane else TargetsPicture.targets
    db.plot.save_figure(displays[picture].from_result(result).plot().figure_, file)
